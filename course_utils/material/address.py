"""Read the course's web address from its only place, `[project.urls]` of pyproject.toml:

    [project.urls]
    Repository = "https://github.com/name/alphazero-course"

The badges, "open in Colab" and the line that installs the course use it. Without an address none of these appear.
"""

import tomllib
from importlib.metadata import PackageNotFoundError, metadata

from course_utils.paths import COURSE, INSTALLED

NAME = "Repository"
GITHUB = "https://github.com/"


def address() -> str | None:
    """The address of the course's repository, without a final slash; None if it is not set."""
    file = COURSE / "pyproject.toml"
    if file.exists() and not INSTALLED:
        urls = tomllib.loads(file.read_text("utf-8"))["project"].get("urls", {})
    else:  # installed from a wheel
        try:
            urls = dict(line.split(", ", 1) for line in metadata("alphazero-course").get_all("Project-URL", []))
        except PackageNotFoundError:
            urls = {}
    return urls.get(NAME, "").rstrip("/") or None


def site() -> str | None:
    """The address of the site that `.github/workflows/site.yml` publishes, with a final slash; None without an
    address on GitHub.
    """
    there = address() or ""
    owner, _, name = there.removeprefix(GITHUB).partition("/")
    return f"https://{owner}.github.io/{name}/" if there.startswith(GITHUB) else None


def badges() -> list[str]:
    """The README's badges, which link to the site and to Colab; [] without an address on GitHub."""
    if not site():
        return []
    path = (address() or "").removeprefix(GITHUB)
    colab = f"https://colab.research.google.com/github/{path}/blob/main/notebooks/00_welcome.ipynb"
    return [
        "[![Read it, or start in your "
        f"browser](https://img.shields.io/badge/read_it-or_start_in_your_browser-1f4e8c)]({site()})",
        f"[![Open in Colab](https://colab.research.google.com/assets/colab-badge.svg)]({colab})",
    ]
