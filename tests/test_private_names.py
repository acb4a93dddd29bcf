"""What is imported: no private name of a library, which may move with any of its versions, and nothing of the lab from outside it."""

import ast
import sys
from types import SimpleNamespace

from course_utils.exercise import EXERCISES
from course_utils.paths import COURSE
from course_utils.tests import scene
from course_utils.tests.grade import CHECKS, grade

OURS = {"course_utils", "tests", "lab", "docs"}


def imports(source: str) -> list[str]:
    """Each name that it imports, with its modules."""
    found = []
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.ImportFrom) and node.module:
            found += [f"{node.module}.{one.name}" for one in node.names]
        elif isinstance(node, ast.Import):
            found += [one.name for one in node.names]
    return found


def private_imports(source: str) -> list[str]:
    """What it imports from a library under a name that begins with an underscore."""
    known = OURS | sys.stdlib_module_names
    theirs = [one for one in imports(source) if one.split(".")[0] not in known]
    return [one for one in theirs if any(part.startswith("_") for part in one.split("."))]


def test_nothing_outside_the_lab_imports_it():
    outside = [
        COURSE / "conftest.py",
        *(path for folder in sorted(OURS - {"lab"}) for path in (COURSE / folder).rglob("*.py")),
    ]
    assert len(outside) > 300
    assert {
        path for path in outside if any(one.split(".")[0] == "lab" for one in imports(path.read_text("utf-8")))
    } == set()


def test_no_private_name_of_a_library_is_imported():
    found = {
        name
        for folder in sorted(OURS)
        for path in (COURSE / folder).rglob("*.py")
        for name in private_imports(path.read_text("utf-8"))
    }
    assert found == set()
    assert private_imports("from hypothesis.control import _current_build_context") != []


def test_where_private_names_of_hypothesis_are_gone_checks_grade_as_before(monkeypatch):
    monkeypatch.setattr(scene, "control", SimpleNamespace())
    monkeypatch.setattr(scene, "core", SimpleNamespace())
    check = CHECKS["relu"]
    before = check.drawn(5)
    monkeypatch.setattr(check, "_drawn", {})
    assert repr(check.drawn(5)) == repr(before)
    assert grade("relu", EXERCISES["relu"].reference).passed
    assert not grade("relu", check.wrong[0].answer).passed
