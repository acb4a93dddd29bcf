"""What nothing uses goes: a function, class or method of the package that is named once, where it is defined."""

import ast
import re
from collections import Counter
from pathlib import Path

from course_utils.paths import COURSE, PACKAGE

HOOKS = {  # called by libraries, or named in a file that is not text
    "CourseContents",
    "_repr_markdown_",
    "format_help",
    "has_kernel",
    "launch_browser",
}


def readers() -> list[Path]:
    """The files in which a use of the package counts: not its tests."""
    places = [PACKAGE, *(COURSE / name for name in ("lab", "docs", "tab", "notebooks/source"))]
    files = [path for place in places for path in place.rglob("*") if path.suffix in (".py", ".md", ".js", ".toml", ".html")]  # fmt: skip
    return [*(path for path in files if path.name != "log.md" and "tests" not in path.relative_to(COURSE).parts[:1] and path.parent != COURSE / "lab" / "tests"), *COURSE.glob("*.py"), COURSE / "pyproject.toml", COURSE / "Makefile"]  # fmt: skip


def defined(source: str) -> list[str]:
    """The functions, classes and methods that it defines, but for those with double underscores."""
    top = [node for node in ast.parse(source).body if isinstance(node, ast.FunctionDef | ast.ClassDef)]
    inside = [node for definition in top if isinstance(definition, ast.ClassDef) for node in definition.body if isinstance(node, ast.FunctionDef)]  # fmt: skip
    return [node.name for node in [*top, *inside] if not node.name.startswith("__")]


def unused(sources: dict[str, str], words: Counter) -> set[str]:
    return {name for source in sources.values() for name in defined(source) if words[name] < 2}


def test_what_the_package_defines_is_used_somewhere():
    words = Counter(word for path in readers() for word in re.findall(r"\w+", path.read_text("utf-8")))
    checks = PACKAGE / "tests"  # their functions are cases, which are looked up by name
    sources = {str(path): path.read_text("utf-8") for path in PACKAGE.rglob("*.py") if checks not in path.parents}
    assert unused(sources, words) - HOOKS == set()
    assert unused({"a": "def f(): ...\nclass C:\n    def g(self): ..."}, Counter(f=1, C=2, g=1)) == {"f", "g"}
