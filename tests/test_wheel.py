"""The wheel: what it holds, and the course without its repository, in an environment that has nothing else of it."""

import json
import re
import shutil
import subprocess
import sys
import sysconfig
import venv
import zipfile
from pathlib import Path

import nbformat
import pytest

from course_utils.answers import stubs
from course_utils.material import build, first_cell, merging, source_files
from course_utils.paths import COURSE
from tests.browser import answers, free_port, until

pytestmark = pytest.mark.slow

EXECUTE = """
import sys, nbformat
from nbclient import NotebookClient
notebook = nbformat.read(sys.argv[1], 4)
NotebookClient(notebook, timeout=600, allow_errors=True).execute()
nbformat.write(notebook, sys.argv[1])
"""
ADDRESS = "https://example.org/somebody/course"
ANSWER = stubs.reference("legal_actions")


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    """Built from a copy, since setuptools leaves files beside what it builds."""
    folder = tmp_path_factory.mktemp("wheel")
    copy = folder / "course"
    for name in ("course_utils", "notebooks"):
        shutil.copytree(COURSE / name, copy / name, ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("pyproject.toml", "setup.py", "README.md", "LICENSE"):
        shutil.copy(COURSE / name, copy)
    command = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--no-build-isolation", "-w", folder, copy]
    subprocess.run(command, check=True, capture_output=True)
    return next(folder.glob("*.whl"))


def make_environment(folder):
    """A Python with all packages of this one but the course. Returns the folder of its programs."""
    others, own = folder / "site-packages", folder / "own"  # a name by which hypothesis knows that these are packages
    others.mkdir()
    for path in Path(sysconfig.get_path("purelib")).iterdir():
        if "alphazero_course" not in path.name and path.suffix != ".pth":
            (others / path.name).symlink_to(path)
    venv.create(own)
    for name in ("share", "etc"):  # JupyterLab's page and extensions
        if Path(sys.prefix, name).exists():
            shutil.rmtree(own / name, ignore_errors=True)
            (own / name).symlink_to(Path(sys.prefix, name))
    [packages] = own.glob("lib/python*/site-packages")
    (packages / "others.pth").write_text(f"{others}\n")
    return own / "bin"


@pytest.fixture(scope="module")
def installed(wheel, tmp_path_factory):
    programs = make_environment(tmp_path_factory.mktemp("environment"))
    command = [sys.executable, "-m", "pip", "--python", programs / "python", "install", "--quiet", "--no-deps", wheel]
    subprocess.run(command, check=True, capture_output=True)
    return programs


def run(command, folder, **options):
    """In a folder that is not the course's, with nothing of it in the environment."""
    clean = {"PATH": "/usr/bin:/bin", "HOME": str(folder), "OMP_NUM_THREADS": "1", "PIP_NO_BUILD_ISOLATION": "0"}
    return subprocess.run([*map(str, command)], cwd=folder, env=clean, capture_output=True, text=True, **options)


def test_the_wheel_holds_the_notebooks_texts_and_no_answers_but_those_of_the_package(wheel):
    names = zipfile.ZipFile(wheel).namelist()
    assert {name for name in names if re.search(r"notebooks/source/.*\.md$", name)} == {
        f"course_utils/notebooks/source/{source.name}.md" for source in source_files.sources()
    }
    assert not [
        name for name in names if re.search(r"solutions|quality|blind|\.ipynb|\.course|checkpoints/.*\.part", name)
    ]
    assert all(name.startswith(("course_utils/", "alphazero_course-")) for name in names)


@pytest.mark.full
def test_lab_in_a_folder_of_the_learners_choice(installed, tmp_path):
    (tmp_path / "photos.txt").touch()
    done = run([installed / "alphazero-course", "lab"], tmp_path)
    assert done.returncode == 1
    assert "a folder for the course alone: alphazero-course lab my-course" in done.stderr

    message = run([installed / "alphazero-course", "lab", "my course", "--version"], tmp_path, check=True).stdout
    assert "Writing the notebooks" in message
    port = free_port()
    command = [installed / "alphazero-course", "lab", "my course", "--no-browser", f"--port={port}", "--allow-root"]
    clean = {"PATH": "/usr/bin:/bin", "HOME": str(tmp_path)}
    lab = subprocess.Popen([*map(str, command)], cwd=tmp_path, env=clean, stdin=subprocess.DEVNULL)
    try:
        until(lambda: answers(f"http://127.0.0.1:{port}/api"), "JupyterLab")
    finally:
        lab.terminate()
        lab.wait(60)
    notebooks = tmp_path / "my course" / "notebooks"
    for source in source_files.sources():  # unfilled, as the course's own
        assert (notebooks / f"{source.name}.ipynb").read_text("utf-8") == merging.to_text(build.build(source))
    assert sorted(path.name for path in tmp_path.iterdir() if path.is_dir() and path.name[0] != ".") == ["my course"]


def filled():
    """The notebook 'The game' with one right answer and one wrong one, as far as its checks; and its name."""
    [source] = source_files.sources("01")
    notebook = build.build(source)
    for cell in notebook.cells:
        if cell.metadata.get("exercise") == "legal_actions":
            cell.source = ANSWER
        if cell.metadata.get("exercise") == "play":
            cell.source = "def play(state, action):\n    return state"
    kept = {"legal_actions", "play"}
    code = [cell for cell in notebook.cells if cell.cell_type == "code"]
    first = next(
        number for number, cell in enumerate(code) if "course_utils import tests" in cell.source
    )  # what is imported
    marks = [cell.metadata.get("exercise", cell.metadata.get("check", "")) for cell in code]
    notebook.cells = [
        cell for number, cell in enumerate(code) if number <= first or marks[number] in kept or "given" in cell.metadata
    ]
    return notebook, f"{source.name}.ipynb"


def test_a_notebook_opened_alone_is_graded_and_recorded_beside_itself(installed, tmp_path):
    """As in Colab, Kaggle and VS Code: an empty folder, one notebook, no course above it."""
    is_graded_and_recorded(installed, tmp_path, *filled())


@pytest.mark.full
def test_a_notebook_opened_alone_installs_the_course_from_its_address(wheel, tmp_path, monkeypatch):
    """As there, in an environment without the course; the address is a repository on this machine, for as long as
    this test.
    """
    repository = tmp_path / "repository"
    shutil.copytree(wheel.parent / "course", repository, ignore=shutil.ignore_patterns("build", "*.egg-info"))
    project = repository / "pyproject.toml"
    where = f"file://{repository}"
    without = re.sub(r"\[project\.urls\]\n(.+\n)*", "", project.read_text())
    project.write_text(without + f'\n[project.urls]\nRepository = "{ADDRESS}"\n')
    for command in (["init", "-q"], ["add", "-A"], ["-c", "user.name=a", "-c", "user.email=b", "commit", "-qm", "one"]):
        subprocess.run(["git", *command], cwd=repository, check=True)
    monkeypatch.setattr(first_cell, "address", lambda: where)
    folder = tmp_path / "alone"
    folder.mkdir()
    notebook, name = filled()
    assert f"git+{where}" in notebook.cells[0].source
    programs = make_environment(tmp_path)
    assert run([programs / "python", "-c", "import course_utils"], folder).returncode
    is_graded_and_recorded(programs, folder, notebook, name)
    message = run(
        [programs / "python", "-c", "from course_utils.material.address import address; print(address())"], folder
    )
    assert message.stdout.strip() == ADDRESS


def is_graded_and_recorded(programs, folder, notebook, name):
    path = folder / name
    path.write_text(merging.to_text(notebook), "utf-8")
    run([programs / "python", "-c", EXECUTE, path], folder, check=True)
    checks = {
        cell.metadata.get("check"): str(cell.outputs) for cell in nbformat.read(path, 4).cells if "outputs" in cell
    }
    assert "✓ Passed" in checks["legal_actions"]
    assert "CheckFailed" in checks["play"]
    record = folder / ".course" / "answers"
    assert json.loads((record / "legal_actions.json").read_text())["passing"]
    assert not json.loads((record / "play.json").read_text())["passing"]
    listed = run([programs / "alphazero-course", "check"], folder).stdout
    assert re.search(r"done +legal_actions", listed)
    assert re.search(r"wrong +play", listed)


def test_without_an_address_no_notebook_installs_anything_and_with_one_each_does(monkeypatch):
    [source] = source_files.sources("00")
    for where, there in ((None, 0), (ADDRESS, 1)):
        monkeypatch.setattr(first_cell, "address", lambda where=where: where)
        cells_of_it = build.build(source).cells
        assert sum("%pip" in cell.source for cell in cells_of_it) == there
    first = cells_of_it[0]
    assert first.metadata["jupyter"] == {"source_hidden": True}
    assert f"--no-deps git+{ADDRESS}\n" in first.source
    installed_there = first.source.splitlines()[-1].split()
    assert {"torch", "numpy", "hypothesis"} <= {*installed_there}
    assert not {"jupyterlab", "ipykernel", "ipywidgets"} & {*installed_there}
