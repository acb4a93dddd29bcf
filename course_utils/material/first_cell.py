"""The first cell of each notebook, which installs the course where a notebook is opened by itself."""

import importlib.metadata
import re
import tomllib

from course_utils.material.address import address
from course_utils.paths import COURSE, INSTALLED

# what opens and runs notebooks: where one is opened by itself, that is there already
OF_THE_HOUSE = {"ipykernel", "ipywidgets", "jupyter_client", "jupyterlab", "nbclient", "nbval", "voila"}


def requirements() -> list[str]:
    """What the course needs, as in "numpy>=1.26"."""
    if INSTALLED:
        return [one for one in importlib.metadata.requires("alphazero-course") or [] if ";" not in one]
    return tomllib.loads((COURSE / "pyproject.toml").read_text("utf-8"))["project"]["dependencies"]


def first_cell() -> str:
    """The first cell of each notebook: it installs the course where a notebook is opened by itself. "" without an address."""
    where = address()
    if where is None:
        return ""
    names = [re.split("[<>=]", one)[0] for one in requirements()]
    others = " ".join(name for name in names if name not in OF_THE_HOUSE)  # any version: what is there stays
    return f"""\
# Opened by itself, in Colab, Kaggle or VS Code? Then this installs the course. Elsewhere it does nothing.
import importlib.util

if importlib.util.find_spec("course_utils") is None:
    %pip install --quiet --no-deps git+{where}
    %pip install --quiet {others}"""
