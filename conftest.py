"""For the project's own tests and, with --full, for the solution notebooks, which nbval runs."""

import os
import re
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from unittest.mock import patch

import pytest
from hypothesis import settings

# one thread a process: on networks this small more threads are slower, and on a busy machine very much so
os.environ.setdefault("OMP_NUM_THREADS", "1")  # before torch is imported; kernels inherit it

settings.register_profile("course", deadline=None)  # a busy machine is no mistake
settings.load_profile("course")

SLOW = (  # the longest first, so that no worker is left alone with one at the end
    "test_browser.py",
    "test_notebooks.py",
    "32_connect_four.ipynb",
    "test_browser_microscope.py",
    "05_training_loop.ipynb",
    "41_laboratory.ipynb",
    "test_progress.py",
    "test_static_page.py",
    "test_tab_course.py",
    "test_grade_class.py",
    "test_update.py",
    "00_welcome.ipynb",
    "test_one_way.py",
    "test_resume.py",
)
ALONE = ("test_notebooks.py", "test_update.py")  # each of their tests


IN_A_KERNEL = """import sys
sys.path.append({course!r})
from course_utils.ui import figures
from tests.figure_texts import refuse
figures.FINE = 1  # figures are drawn small
refuse()
"""


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_setup(item):
    """The kernel of a notebook that nbval runs has a record of its own, and no text of its figures may lie on
    another.
    """
    if item.path.suffix != ".ipynb":
        return (yield)
    folder = folder_of(item.path).name
    with patch.dict(os.environ, IPYTHONDIR=folder, COURSE_RECORD=f"{folder}/record"):
        return (yield)


@cache
def folder_of(notebook: Path) -> TemporaryDirectory:
    """IPython's, with what each kernel begins with; it is removed when the tests end."""
    folder = TemporaryDirectory()
    startup = Path(folder.name, "profile_default", "startup")
    startup.mkdir(parents=True)
    Path(startup, "course.py").write_text(IN_A_KERNEL.format(course=str(Path(__file__).parent)))
    return folder


def pytest_addoption(parser):
    parser.addoption("--full", action="store_true", help="with the thorough tests, which are marked `full`")


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config, items):
    for item in items:
        if {"lab", "browser"} & {*getattr(item, "fixturenames", ())}:
            item.add_marker("slow")
    if not config.option.full:
        thorough = [item for item in items if item.get_closest_marker("full")]
        config.hook.pytest_deselected(items=thorough)
        items[:] = [item for item in items if item not in thorough]
    items.sort(key=lambda item: SLOW.index(item.path.name) if item.path.name in SLOW else len(SLOW))


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config, log):
    """One worker runs all cells of a notebook, which need each other; all tests of a file, which share a browser or
    what else they have set up; and all answers to an exercise, which share its draws. Only tests that are long and
    share nothing go to whoever is free.
    """
    from xdist.scheduler import LoadScopeScheduling

    class InParts(LoadScopeScheduling):
        def _split_scope(self, nodeid):
            path, _, test = nodeid.partition("::")
            file = path.rpartition("/")[2]
            if file in ALONE:
                return nodeid
            if file == "test_checks.py":  # test_the_reference_passes[backup]: the exercise
                return re.sub(r"^[^[]*(\[\w*)?.*", rf"{path}\1", test)
            return path

    config.option.loadscopereorder = False  # the order is that of SLOW
    return InParts(config, log)
