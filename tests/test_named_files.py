"""A file that the docs or the code name is there."""

import re

import pytest

from course_utils.classroom import fingerprints
from course_utils.paths import COURSE, PACKAGE

NAMED = re.compile(r"`(?:[\w.-]+/)*([\w-]+\.(?:py|md|js|css|toml|ya?ml|ini|cfg))`")
PLACEHOLDERS = {
    "notebook_NN.py",
    "NN_name.md",
    "NAME.py",
    "NAME.js",
    "NAME.css",
    "yours.py",
    "test_yours.py",
    "clamp.py",
    "my_alphazero.py",  # a learner's
}  # the reader's own
DOCS = [*COURSE.glob("*.md"), *COURSE.glob("docs/*.md"), *COURSE.glob("docs/source/*.md"), *COURSE.glob("lab/*.md")]
TEXTS = [path for path in (*DOCS, *PACKAGE.rglob("*.py")) if path.name != "CHANGELOG.md"]  # which tells of what is gone


def names_of_files() -> set[str]:
    there = {path.name for path in (*COURSE.glob("*"), *PACKAGE.rglob("*"))}
    for folder in ("docs", "tests", "lab", "notebooks", "tab", ".devcontainer", ".github", ".ci"):
        there |= {path.name for path in (COURSE / folder).rglob("*")}
    return there


def test_every_file_that_a_text_names_is_there():
    there = names_of_files() | PLACEHOLDERS
    gone = {
        f"{path.relative_to(COURSE)}: {name}"
        for path in TEXTS
        for name in NAMED.findall(path.read_text("utf-8"))
        if name not in there
    }
    assert not gone


def test_a_name_that_is_gone_is_seen():
    assert NAMED.findall("`machine.py`, `a/b/no_such_file.py`, `x`") == ["machine.py", "no_such_file.py"]


@pytest.mark.parametrize("name", fingerprints.WRITERS)
def test_what_the_fingerprints_leave_out_is_there(name):
    assert (PACKAGE / "classroom" / f"{name}.py").exists()


@pytest.mark.parametrize("name", fingerprints.ELSEWHERE)
def test_what_no_check_needs_is_there(name):
    assert (PACKAGE / name).exists()
