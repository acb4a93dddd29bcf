"""What is imported: no private name of a library, which may move with any of its versions, and nothing of the lab
from outside it.
"""

import ast
import importlib
import re
import sys
import tomllib
from functools import cache
from types import SimpleNamespace

from course_utils.exercise import EXERCISES
from course_utils.paths import COURSE
from course_utils.tests import scene
from course_utils.tests.grade import CHECKS, grade

OURS = {"course_utils", "tests", "lab", "docs"}


@cache
def imports(source: str) -> list[str]:
    """The full names that a source imports. Cached, because two tests read every file."""
    names = []
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.ImportFrom) and node.module:
            names += [f"{node.module}.{alias.name}" for alias in node.names]
        elif isinstance(node, ast.Import):
            names += [alias.name for alias in node.names]
    return names


def private_imports(source: str) -> list[str]:
    """What it imports from a library under a name that begins with an underscore."""
    allowed = OURS | sys.stdlib_module_names
    libraries = [name for name in imports(source) if name.split(".")[0] not in allowed]
    return [name for name in libraries if any(component.startswith("_") for component in name.split("."))]


def test_nothing_outside_the_lab_imports_it():
    outside = [
        COURSE / "conftest.py",
        *(path for folder in sorted(OURS - {"lab"}) for path in (COURSE / folder).rglob("*.py")),
    ]
    assert len(outside) > 300
    assert {
        path for path in outside if any(name.split(".")[0] == "lab" for name in imports(path.read_text("utf-8")))
    } == set()


def test_no_private_name_of_a_library_is_imported():
    private = {
        name
        for folder in sorted(OURS)
        for path in (COURSE / folder).rglob("*.py")
        for name in private_imports(path.read_text("utf-8"))
    }
    assert private == set()
    assert private_imports("from hypothesis.control import _current_build_context") != []


PUBLIC = {  # documented, in spite of their underscore
    *("_replace", "_asdict", "_fields"),  # named tuples
    *("_exit", "_getframe", "_current_frames"),  # os and sys
    *("_repr_html_", "_repr_markdown_", "_repr_mimebundle_", "_render_traceback_"),  # what IPython asks an object
}
INHERITED = {"_think", "_search", "_analysis"}  # from a class of ours in another file
BOUNDED = {  # private: the next version that may rename it is shut out in pyproject.toml
    "_handle_msg": "ipywidgets",
    "_current_build_context": "hypothesis",
    "deterministic_PRNG": "hypothesis",
    "_get_local_constants": "hypothesis",
}


def defined_in(tree: ast.AST) -> set[str]:
    names: set[str] = set()
    for node in ast.walk(tree):
        match node:
            case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
                names.add(node.name)
            case ast.Name(ctx=ast.Store()):
                names.add(node.id)
            case ast.Attribute(ctx=ast.Store()):
                names.add(node.attr)
    return names


def private_attributes(source: str) -> set[str]:
    """Names with an underscore that are asked of something which this source doesn't define, or of `super()`."""
    tree = ast.parse(source)
    defined = defined_in(tree)
    asked = {
        node.attr
        for node in ast.walk(tree)
        if isinstance(node, ast.Attribute)
        and node.attr.startswith("_")
        and not node.attr.startswith("__")
        and (node.attr not in defined or ast.unparse(node.value) == "super()")
    }
    return asked | asked_by_getattr(tree) - defined


def asked_by_getattr(tree: ast.AST) -> set[str]:
    """Names with an underscore in `getattr(something, "_name")`."""
    calls = (node for node in ast.walk(tree) if isinstance(node, ast.Call) and isinstance(node.func, ast.Name))
    asked = (call for call in calls if call.func.id == "getattr")
    names = [call.args[1].value for call in asked if isinstance(call.args[1], ast.Constant)]
    return {name for name in names if name.startswith("_") and not name.startswith("__")}


def replaced_in_libraries(source: str) -> set[str]:
    """The names in a library's module to which the source assigns: `core.name = ...`."""
    tree = ast.parse(source)
    modules = {
        alias.asname or alias.name
        for node in ast.walk(tree)
        if isinstance(node, ast.Import | ast.ImportFrom)
        for alias in node.names
        if (getattr(node, "module", None) or alias.name).split(".")[0] not in OURS | sys.stdlib_module_names
    }
    targets = [node for node in ast.walk(tree) if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store)]
    return {node.attr for node in targets if isinstance(node.value, ast.Name) and node.value.id in modules}


def test_a_private_name_of_a_library_is_used_only_where_its_version_has_an_upper_bound():
    private = set()
    for folder in {"course_utils", "lab"}:
        for path in (COURSE / folder).rglob("*.py"):
            source = path.read_text("utf-8")
            private |= private_attributes(source) | replaced_in_libraries(source)
    assert private_attributes('getattr(control, "_context", None)') == {"_context"}
    assert replaced_in_libraries("from hypothesis import core\ncore.seeds = 0\ncourse = 1") == {"seeds"}
    assert private - PUBLIC - INHERITED == set(BOUNDED), "use what is public, or shut out the next version"
    requirements = tomllib.loads((COURSE / "pyproject.toml").read_text("utf-8"))["project"]["dependencies"]
    for name, library in BOUNDED.items():
        [bound] = [requirement for requirement in requirements if re.match(rf"{library}\b", requirement)]
        assert "<" in bound, f"{library} may rename {name} in any version"


def test_tests_use_private_names_of_the_course_alone():
    trees = [(path, path.read_text("utf-8")) for folder in sorted(OURS) for path in (COURSE / folder).rglob("*.py")]
    defined = {name for _, source in trees for name in defined_in(ast.parse(source))}
    used = {
        name for path, source in trees if path.is_relative_to(COURSE / "tests") for name in private_attributes(source)
    }
    assert used - defined - PUBLIC == set()
    assert private_attributes("pool._processes") == {"_processes"} == private_attributes("super()._processes")
    assert private_attributes("self._mine = 1; self._mine") == set()


def test_where_private_names_of_hypothesis_are_gone_checks_grade_as_before(monkeypatch):
    monkeypatch.setattr(scene, "control", SimpleNamespace())
    monkeypatch.setattr(scene, "core", SimpleNamespace())
    check = CHECKS["relu"]
    before = check.drawn(5)
    monkeypatch.setattr(check, "_drawn", {})
    assert repr(check.drawn(5)) == repr(before)
    assert grade("relu", EXERCISES["relu"].reference).passed
    assert not grade("relu", check.wrong[0].answer).passed


def test_modules_that_are_loaded_change_no_draw(monkeypatch, tmp_path):
    """Hypothesis reads their source for constants, so a learner's own module would change what a check draws."""
    names = ["winner", "incremental_mean", "wilson_interval", "sequential_halving"]

    def drawn():
        for name in names:
            monkeypatch.setattr(CHECKS[name], "_drawn", {})
        return {name: repr([draw for _, _, draw in CHECKS[name].drawn(7)]) for name in names}

    before = drawn()
    constants = [*range(3, 200, 3), *(number / 16 for number in range(-64, 64))]
    (tmp_path / "a_learners_module.py").write_text(f"CONSTANTS = {constants}")
    monkeypatch.syspath_prepend(tmp_path)
    importlib.import_module("a_learners_module")
    assert drawn() == before
