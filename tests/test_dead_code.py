"""What nothing uses goes: a function, class or method of the package that is named once, where it is defined; and a file that a page names is there."""

import ast
import re
from collections import Counter
from functools import cache
from pathlib import Path

import pytest

from course_utils.paths import COURSE, PACKAGE

HOOKS = {  # called by libraries, or named in a file that is not text
    "CourseContents",
    "_repr_markdown_",
    "has_kernel",
    "launch_browser",
}
PAGES = [COURSE / "README.md", COURSE / "CONTRIBUTING.md", *sorted((COURSE / "docs").glob("*.md")), COURSE / "lab" / "README.md"]  # fmt: skip
EXAMPLES = re.compile(
    r"NN|NAME|/yours\.|test_yours|notebook_21/clamp|^\.github/workflows/autograding"
)  # no files of the course
SUFFIXES = "py|js|css|md|toml|yml"


def readers() -> list[Path]:
    """The files in which a use of the package counts: not its tests."""
    places = [PACKAGE, *(COURSE / name for name in ("lab", "docs", "tab", "notebooks/source"))]
    found = [path for place in places for path in place.rglob("*") if path.suffix in (".py", ".md", ".js", ".toml", ".html")]  # fmt: skip
    return [*(path for path in found if path.name != "log.md" and "tests" not in path.relative_to(COURSE).parts[:1] and path.parent != COURSE / "lab" / "tests"), *COURSE.glob("*.py"), COURSE / "pyproject.toml", COURSE / "Makefile"]  # fmt: skip


def defined(source: str) -> list[str]:
    """The functions, classes and methods that it defines, but for those with double underscores."""
    top = [node for node in ast.parse(source).body if isinstance(node, ast.FunctionDef | ast.ClassDef)]
    inside = [node for one in top if isinstance(one, ast.ClassDef) for node in one.body if isinstance(node, ast.FunctionDef)]  # fmt: skip
    return [node.name for node in [*top, *inside] if not node.name.startswith("__")]


@cache
def files() -> set[str]:
    places = ("course_utils", "docs", "lab", "notebooks", "tab", "tests")
    found = [*COURSE.glob("*"), *(path for place in places for path in (COURSE / place).rglob("*"))]
    return {path.relative_to(COURSE).as_posix() for path in found if path.is_file()}


def unused(sources: dict[str, str], words: Counter) -> set[str]:
    return {name for source in sources.values() for name in defined(source) if words[name] < 2}


def test_what_the_package_defines_is_used_somewhere():
    words = Counter(word for path in readers() for word in re.findall(r"\w+", path.read_text("utf-8")))
    checks = PACKAGE / "tests"  # their functions are cases, which are looked up by name
    sources = {str(path): path.read_text("utf-8") for path in PACKAGE.rglob("*.py") if checks not in path.parents}
    assert unused(sources, words) - HOOKS == set()
    assert unused({"a": "def f(): ...\nclass C:\n    def g(self): ..."}, Counter(f=1, C=2, g=1)) == {"f", "g"}


@pytest.mark.parametrize("page", [page for page in PAGES if page.exists()], ids=lambda page: page.name)
def test_a_file_that_a_page_names_is_there(page):
    paths = files()
    names = {path.rpartition("/")[2] for path in paths}
    said = re.findall(rf"`((?:[\w.-]+/)*[\w-]+\.(?:{SUFFIXES}))`", page.read_text("utf-8"))
    gone = [
        name
        for name in said
        if not EXAMPLES.search(name)
        and not (any(f"/{path}".endswith(f"/{name}") for path in paths) if "/" in name else name in names)
    ]
    assert gone == []
