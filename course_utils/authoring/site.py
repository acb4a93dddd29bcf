"""Build the course for a browser tab: JupyterLite's static files, the notebooks, and the packages that Python needs
there.

Pyodide is Python in the tab. Packages that it lacks are added as wheels of pure Python, so users install nothing.
"""

import importlib
import json
import shutil
import subprocess
import sys
import tempfile
from importlib.util import find_spec
from pathlib import Path

import nbformat

from course_utils.files import write_atomically
from course_utils.material import build, merging, source_files
from course_utils.material.handout import Handout
from course_utils.paths import COURSE, PACKAGE, SOURCES

# JupyterLite's kernel 0.6 belongs to this Pyodide, whose Python is 3.12. Kernel 0.7.2 and later ask for a Python of
# 3.13, which Pyodide 0.29 and later
# have, and import `CompatibilityLayer` from a newer micropip. An upgrade needs the newer Pyodide's files for
# tests/test_site.py, and `pyodide.mjs` below.
PYODIDE = "0.27.7"
PYODIDE_ADDRESS = f"https://cdn.jsdelivr.net/pyodide/v{PYODIDE}/full"
KERNEL = "@jupyterlite/pyodide-kernel-extension"
FROM_PYODIDE = (
    "micropip",
    "ssl",
    "sqlite3",
    "ipython",
    "jedi",
    "numpy",
    "matplotlib",
    "threadpoolctl",
)  # loaded together
WHEELS = (  # required packages that Pyodide lacks; later versions of hypothesis are compiled
    "anywidget==0.11.0",
    "attrs==26.1.0",
    "comm==0.2.3",
    "hypothesis==6.155.7",
    "ipywidgets==8.1.9",
    "psygnal==0.16.1",
    "sortedcontainers==2.4.0",
    "typing_extensions==4.16.0",
)
NEED_CONVOLUTIONS = ("31", "32")  # notebooks of which some cells need PyTorch itself
EXTENSIONS = ("@jupyter-widgets/jupyterlab-manager", KERNEL, "anywidget")
TITLE = "AlphaZero from nothing"
SCRIPT = "course.js"
APPS = ("notebooks", "tree", "lab")  # one notebook a page, for phones; the file list; JupyterLab
IN_THE_TAB = (  # the text below each title
    "> **You are in a browser tab, and nothing has to be installed.** Python needs up to a minute to start, and a "
    "line at the bottom "
    "says when it is ready. It is slower here, too: what takes seconds in the text can take a minute, and the "
    "training some minutes.\n>\n"
    "> Your notebooks and what you pass stay in this browser. When you load a page again, Python begins anew: click "
    "where you were and choose "
    "*Run > Run All Above Selected Cell*."
)
SMALL_TORCH = (
    "> PyTorch is too large for a tab. What is called `torch` here is a small stand-in, written in NumPy for this "
    "course: "
    "it does what this notebook asks of PyTorch, and gives the same numbers."
)
HAND_IN = (
    "## Hand in\n\nSave this notebook, run the cell below, and press its first button. You get one file with all your "
    "notebooks of this course. "
    "That file is what you hand in."
)
BUTTONS = "from course_utils.learner import travel\n\ntravel.buttons()"
OURS = {"course": True}  # the mark of cells that exist only in the tab, and that are not exported
TAB = {
    "@jupyterlab/docmanager-extension:plugin": {"autosaveInterval": 5},  # seconds; a tab is soon closed
    "@jupyterlab/apputils-extension:themes": {"adaptive-theme": True},  # dark where the system is
    "@jupyterlab/notebook-extension:panel": {
        # the minimap
        "toolbar": [{"name": "scrollbar", "disabled": True}]
    },
}
RECORD = "/drive/.course"  # in the browser's storage, beside the notebooks


class CannotBuild(Exception):
    """The site can't be built; the message is a sentence that says what is missing."""


def install() -> None:
    """Install the extra `site`, which contains the tools for the site, unless it is installed."""
    if not all(map(find_spec, ("jupyterlite_core", "jupyterlite_pyodide_kernel", "sphinx_book_theme", "myst_nb"))):
        print("Installing the tools that build the site (once) ...", flush=True)
        constraints = ["--constraint", str(COURSE / "constraints.txt")]
        _run(["-m", "pip", "install", "--quiet", *constraints, "-e", f"{COURSE}[site]"], "Is the network reachable?")
        importlib.invalidate_caches()


def address(notebook: str) -> str:
    """The address at which a notebook opens in the tab, relative to the site's root."""
    return f"lab/notebooks/index.html?path={notebook}.ipynb"


def write_lab(out: Path, pyodide: Path | None = None, handout: Handout | None = None) -> None:
    """Write JupyterLite into `out`, with notebooks whose exercises are empty.

    Args:
        pyodide: a folder with Pyodide's files, which is copied into `out`; None: the browser fetches them from
            Pyodide's server.
        handout: a class's selection; None: the whole course.

    Raises:
        CannotBuild: something is not installed, or can't be fetched.
    """
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        notebooks = handout.notebooks if handout else source_files.sources()
        for source in notebooks:
            write_atomically(folder / "contents" / f"{source.name}.ipynb", merging.to_text(in_the_tab(source, handout)))
        overrides = json.loads((PACKAGE / "learner" / "jupyter/labconfig/default_setting_overrides.json").read_text())
        write_atomically(folder / "overrides.json", json.dumps({**overrides, **TAB}))
        wheels = [
            *_wheels(),
            _built(folder / "wheel", _the_course(folder, notebooks, handout)),
            _built(folder / "torch", _small_torch(folder)),
        ]
        write_atomically(folder / "jupyter-lite.json", json.dumps(_settings([wheel.name for wheel in wheels], pyodide)))
        extensions = [str(Path(sys.prefix, "share/jupyter/labextensions", name)) for name in EXTENSIONS]
        only = {"ignore_sys_prefix": ["federated_extensions"], "federated_extensions": extensions}
        write_atomically(folder / "jupyter_lite_config.json", json.dumps({"LiteBuildConfig": only}))
        command = ["-m", "jupyterlite_core", "build", "--lite-dir", str(folder), "--output-dir", str(out.resolve())]
        for app in APPS:
            command += ["--apps", app]
        command += ["--contents", str(folder / "contents"), "--no-sourcemaps", "--no-libarchive"]
        _run(command, "Is the extra `site` installed (pip install -e .[site])?", cwd=folder)
        for wheel in wheels:
            (out / "wheels").mkdir(exist_ok=True)
            shutil.copy(wheel, out / "wheels")
    if pyodide:
        unused = shutil.ignore_patterns("openblas*")  # used by SciPy only
        shutil.copytree(pyodide, out / "pyodide", ignore=unused, dirs_exist_ok=True)
    for app in APPS:
        _customize(out / app / "index.html")
    shutil.copy(COURSE / "tab" / SCRIPT, out)


def _customize(page: Path) -> None:
    """Add a language, our title and our script to a page of JupyterLite."""
    text = page.read_text("utf-8")
    for original, replacement in {
        "<html>": '<html lang="en">',
        "</head>": f'<script src="../{SCRIPT}"></script></head>',
        text[text.index("<title>") : text.index("</title>")]: f"<title>{TITLE}",
    }.items():
        text = text.replace(original, replacement, 1)
    write_atomically(page, text)


def in_the_tab(source: source_files.Source, handout: Handout | None = None) -> nbformat.NotebookNode:
    """A notebook for the tab: a cell below its title explains the differences, and a class gets a button to hand in."""
    notebook = handout.notebook(source) if handout else build.build(source)
    text = IN_THE_TAB
    if any("import torch" in cell.source for cell in notebook.cells):
        text += f"\n>\n{SMALL_TORCH}"
    if source.name[:2] in NEED_CONVOLUTIONS:
        text += f"\n>\n{with_convolutions(source, handout.notebooks if handout else source_files.sources())}"
    notebook.cells.insert(1, nbformat.v4.new_markdown_cell(text, id="in-the-tab", metadata=OURS))
    if handout:
        fold = build.place_of_fold(notebook.cells)
        notebook.cells[fold:fold] = [
            nbformat.v4.new_markdown_cell(HAND_IN, id="hand-in", metadata=OURS),
            nbformat.v4.new_code_cell(BUTTONS, id="hand-in-buttons", metadata=OURS),
        ]
    notebook.metadata["kernelspec"] = {"display_name": "Python", "language": "python", "name": "python"}
    return notebook


def with_convolutions(source: source_files.Source, notebooks: list[source_files.Source]) -> str:
    """The note of a notebook with cells that can't run in the tab, and a link to the next notebook that runs there."""
    later = [
        notebook for notebook in notebooks if notebook.name > source.name and notebook.name[:2] not in NEED_CONVOLUTIONS
    ]
    way_on = f" In the tab the way goes on with [{later[0].title}]({later[0].name}.ipynb)." if later else ""
    return (
        "> **Some cells of this notebook need convolutions, which the tab's torch does not have.** They say so. "
        f"To do all of this notebook, install the course.{way_on}"
    )


def _settings(wheels: list[str], pyodide: Path | None) -> dict:
    beside = f"extensions/{KERNEL}/static"  # Pyodide resolves the paths of wheels from here
    up = "../" * (beside.count("/") + 1)
    kernel = {
        "pyodideUrl": f"{'./pyodide' if pyodide else PYODIDE_ADDRESS}/pyodide.js",
        "loadPyodideOptions": {
            "packages": [*FROM_PYODIDE, *(f"{up}wheels/{wheel}" for wheel in wheels)],
            "env": {"COURSE_RECORD": RECORD},
        },
    }
    return {
        "jupyter-lite-schema-version": 0,
        "jupyter-config-data": {
            "appName": TITLE,
            "exposeAppInBrowser": True,  # for our script
            "litePluginSettings": {f"{KERNEL}:kernel": kernel},
        },
    }


def _wheels() -> list[Path]:
    """The wheels of `WHEELS`, which are downloaded once and cached in the environment."""
    folder = Path(sys.prefix, "wheels-for-the-tab")
    wanted = "\n".join(WHEELS)
    stamp = folder / "stamp"
    if not stamp.exists() or stamp.read_text() != wanted:
        shutil.rmtree(folder, ignore_errors=True)
        pure = ["--python-version", "3.12", "--platform", "any", "--implementation", "py", "--abi", "none"]
        _run(
            ["-m", "pip", "download", "--quiet", "--no-deps", "--only-binary=:all:", *pure, "-d", str(folder), *WHEELS],
            "Is the network reachable?",
        )
        write_atomically(stamp, wanted)
    return sorted(folder.glob("*.whl"))


def _the_course(folder: Path, notebooks: list[source_files.Source], handout: Handout | None) -> Path:
    """Copy the course for the build, because setuptools writes files beside its sources."""
    copy = folder / "course"
    (handout or Handout.of()).write_package(copy)
    for source in notebooks:  # for the map of the exercises
        write_atomically(copy / "notebooks" / SOURCES.name / source.path.name, source.path.read_bytes())
    for name in ("pyproject.toml", "setup.py", "README.md", "LICENSE"):
        shutil.copy(COURSE / name, copy)
    return copy


def _small_torch(folder: Path) -> Path:
    return Path(
        shutil.copytree(COURSE / "tab", folder / "tab", ignore=shutil.ignore_patterns("__pycache__", "*.egg-info"))
    )


def _built(made: Path, source: Path) -> Path:
    """Build the wheel of the folder `source` into the folder `made`."""
    _run(
        ["-m", "pip", "wheel", "--quiet", "--no-deps", "--no-build-isolation", "-w", str(made), str(source)],
        "Is setuptools installed?",
    )
    return next(made.glob("*.whl"))


def _run(arguments: list[str], question: str, cwd: Path | None = None) -> None:
    done = subprocess.run([sys.executable, *arguments], cwd=cwd, capture_output=True, text=True)
    if done.returncode:
        raise CannotBuild(f"{' '.join(arguments[:3])} failed. {question}\n{done.stdout[-2000:]}{done.stderr[-2000:]}")
