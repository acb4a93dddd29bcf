"""Where the course lies on the web. It stands in one place, `[project.urls]` of pyproject.toml:

    [project.urls]
    Repository = "https://github.com/somebody/alphazero-course"

Badges, "open in Colab" and the line that installs the course are made from it. Where it is not set none of these appear.
"""

import tomllib
from importlib.metadata import PackageNotFoundError, metadata

from course_utils.paths import COURSE

NAME = "Repository"


def address() -> str | None:
    """The address of the course's repository, without a slash at its end; None where none is set."""
    file = COURSE / "pyproject.toml"
    if file.exists():
        urls = tomllib.loads(file.read_text("utf-8"))["project"].get("urls", {})
    else:  # installed from a wheel
        try:
            urls = dict(line.split(", ", 1) for line in metadata("alphazero-course").get_all("Project-URL", []))
        except PackageNotFoundError:
            urls = {}
    return urls.get(NAME, "").rstrip("/") or None
