"""Setting up on Linux without a graphics card: which PyTorch comes, from a package index on this machine.

The packages are stand-ins of a few bytes, made here; the course's own requirements and PyTorch's real index are not
asked.
"""

import base64
import hashlib
import http.server
import shutil
import subprocess
import sys
import threading
import zipfile

import pytest

from course_utils import __main__ as bootstrap
from tests.browser import free_port

pytestmark = pytest.mark.slow

BACKEND = """
import base64, hashlib, pathlib, zipfile

def build_editable(folder, settings=None, metadata=None):
    name = "course-1-py3-none-any.whl"
    with zipfile.ZipFile(pathlib.Path(folder, name), "w") as wheel:
        wheel.writestr("course-1.dist-info/METADATA", "Metadata-Version: 2.1\\nName: course\\nVersion: 1\\nRequires-Dist: torch>=2.3\\nProvides-Extra: dev\\n")
        wheel.writestr("course-1.dist-info/WHEEL", "Wheel-Version: 1.0\\nRoot-Is-Purelib: true\\nTag: py3-none-any\\n")
        wheel.writestr("course-1.dist-info/RECORD", "course-1.dist-info/METADATA,,\\ncourse-1.dist-info/WHEEL,,\\ncourse-1.dist-info/RECORD,,\\n")
    return name

def get_requires_for_build_editable(settings=None):
    return []
"""
PROJECT = """
[build-system]
requires = []
build-backend = "backend"
backend-path = ["."]
[project]
name = "course"
version = "1"
dependencies = ["torch>=2.3"]
[project.optional-dependencies]
dev = []
"""


def make_wheel(folder, version):
    """A stand-in of PyTorch in an index: `folder/torch/`."""
    path = folder / "torch" / f"torch-{version}-py3-none-any.whl"
    path.parent.mkdir(parents=True)
    info = f"torch-{version}.dist-info"
    files = {
        f"{info}/METADATA": f"Metadata-Version: 2.1\nName: torch\nVersion: {version}\n",
        f"{info}/WHEEL": "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
    }
    record = [
        f"{name},sha256={base64.urlsafe_b64encode(hashlib.sha256(text.encode()).digest()).rstrip(b'=').decode()},{len(text)}"
        for name, text in files.items()
    ]
    files[f"{info}/RECORD"] = "\n".join([*record, f"{info}/RECORD,,"]) + "\n"
    with zipfile.ZipFile(path, "w") as wheel:
        for name, text in files.items():
            wheel.writestr(name, text)
    (path.parent / "index.html").write_text(f'<a href="{path.name.replace("+", "%2B")}">{path.name}</a>')


@pytest.fixture(scope="module")
def indexes(tmp_path_factory):
    """The address of a server with two indexes, `ordinary` and `small`."""
    folder = tmp_path_factory.mktemp("indexes")
    make_wheel(folder / "ordinary", "2.13.0")
    make_wheel(folder / "small", "2.13.0+cpu")

    class Quiet(http.server.SimpleHTTPRequestHandler):
        def __init__(self, *arguments):
            super().__init__(*arguments, directory=str(folder))

        def log_message(self, *_):
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Quiet)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()


@pytest.fixture
def set_up(tmp_path, indexes, monkeypatch):
    """Sets a stand-in of the course up and gives the version of PyTorch that came."""
    course = tmp_path / "the course"
    course.mkdir()
    (course / "pyproject.toml").write_text(PROJECT)
    (course / "backend.py").write_text(BACKEND)
    (course / "constraints.txt").write_text("torch==2.13.0\n")
    folder = course / ".venv"
    python = folder / "bin" / "python"
    for name, value in dict(COURSE=course, VENV=folder, PYTHON=python, STAMP=folder / "course-stamp").items():
        monkeypatch.setattr(bootstrap, name, value)
    for name in ("PIP_EXTRA_INDEX_URL", "PIP_FIND_LINKS", "PIP_CONSTRAINT"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("PIP_CONFIG_FILE", "/dev/null")
    monkeypatch.setenv("PIP_INDEX_URL", f"{indexes}/ordinary")
    monkeypatch.setenv("UV_DEFAULT_INDEX", f"{indexes}/ordinary")
    monkeypatch.setenv("UV_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setattr(bootstrap, "SMALL_TORCH", f"{indexes}/small")

    def set_up():
        bootstrap.set_up()
        script = "import importlib.metadata as m; print(m.version('torch'))"
        return subprocess.run([python, "-c", script], capture_output=True, text=True, check=True).stdout.strip()

    return set_up


INSTALLERS = [
    "pip",
    pytest.param("uv", marks=[pytest.mark.full, pytest.mark.skipif(not shutil.which("uv"), reason="uv is not here")]),
]


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere the ordinary PyTorch is the small one")
@pytest.mark.parametrize("installer", INSTALLERS)
def test_without_a_graphics_card_the_small_pytorch_comes_and_says_so(set_up, installer, monkeypatch, capfd):
    monkeypatch.setattr(bootstrap, "needs_small_torch", lambda: True)
    if installer == "pip":
        monkeypatch.setattr(bootstrap, "uv_installs", lambda: [])
    assert set_up() == "2.13.0+cpu"
    message = capfd.readouterr()
    assert "No NVIDIA graphics card was found, so PyTorch's small build" in message.out
    assert "ordinary" not in message.out
    assert message.err == ""


def test_where_the_small_one_cannot_be_reached_the_ordinary_one_comes_and_says_so(set_up, monkeypatch, capfd):
    monkeypatch.setattr(bootstrap, "needs_small_torch", lambda: True)
    monkeypatch.setattr(bootstrap, "SMALL_TORCH", f"http://127.0.0.1:{free_port()}")
    assert set_up() == "2.13.0"
    message = capfd.readouterr()
    assert "can't be fetched, so the ordinary build is installed" in message.out
    assert message.err == ""


@pytest.mark.full
def test_with_a_graphics_card_the_ordinary_one_comes(set_up, monkeypatch, capfd):
    monkeypatch.setattr(bootstrap, "needs_small_torch", lambda: False)
    assert set_up() == "2.13.0"
    assert "small build" not in capfd.readouterr().out


@pytest.mark.full
def test_where_uv_can_do_nothing_pip_does_it(set_up, monkeypatch, capfd):
    monkeypatch.setattr(bootstrap, "needs_small_torch", lambda: True)
    monkeypatch.setattr(bootstrap, "uv_installs", lambda: [sys.executable, "-c", "raise SystemExit(1)"])
    assert set_up() == "2.13.0+cpu"


@pytest.mark.parametrize(
    ("system", "card", "small"),
    [("linux", None, True), ("linux", "/usr/bin/nvidia-smi", False), ("darwin", None, False), ("win32", None, False)],
)
def test_who_needs_the_small_one(system, card, small, monkeypatch):
    monkeypatch.setattr(sys, "platform", system)
    monkeypatch.setattr(bootstrap.shutil, "which", lambda name: card)
    monkeypatch.setattr(bootstrap.Path, "exists", lambda path: False)
    assert bootstrap.needs_small_torch() is small
