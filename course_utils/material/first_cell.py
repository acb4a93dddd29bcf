"""Write the first cell of each notebook, which installs the course if a notebook is opened by itself."""

import importlib.metadata
import re
import tomllib

from course_utils.material.address import address
from course_utils.paths import COURSE, INSTALLED

# Packages that open and run notebooks, which are there wherever a notebook is open.
NOTEBOOK_TOOLS = {"ipykernel", "ipywidgets", "jupyter_client", "jupyterlab", "nbclient", "nbval", "voila"}


def requirements() -> list[str]:
    """The packages that the course needs, such as "numpy>=1.26"."""
    if INSTALLED:
        return [
            requirement
            for requirement in importlib.metadata.requires("alphazero-course") or []
            if ";" not in requirement
        ]
    return tomllib.loads((COURSE / "pyproject.toml").read_text("utf-8"))["project"]["dependencies"]


def first_cell() -> str:
    """The source of the first cell, which installs the course if a notebook is opened by itself; "" without an
    address.
    """
    where = address()
    if where is None:
        return ""
    names = [re.split("[<>=]", requirement)[0] for requirement in requirements()]
    others = " ".join(name for name in names if name not in NOTEBOOK_TOOLS)  # any version, so that installed ones stay
    return f"""\
# Opened by itself, in Colab, Kaggle or VS Code? Then this installs the course. Elsewhere it does nothing.
import importlib.util

if importlib.util.find_spec("course_utils") is None:
    %pip install --quiet --no-deps git+{where}
    %pip install --quiet {others}"""
