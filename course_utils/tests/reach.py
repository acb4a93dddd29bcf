"""Find the course's own functions in an answer: the reference, which does not count, or others that do its work.

It reads the source and runs nothing. A determined cheat can get past it, so a person looks at what it reports.
"""

import ast
import importlib
import inspect
import re
import textwrap
from collections.abc import Iterator
from types import ModuleType
from typing import Any

from course_utils.exercise import EXERCISES, is_other
from course_utils.names import assigns, parsed, reads

# Functions of an exercise's module that do its work under another name. A grader removes their bodies, too.
TWINS = {
    "mcts_search": "search_on",
    "ucb_action": "ucb_many",
    "epsilon_greedy": "epsilon_greedy_many",
}
# Attributes and functions that lead to a function without its name.
DETOURS = {"__globals__", "f_globals", "__wrapped__", "import_module", "__import__", "modules"}

REFERENCE_TAKEN = "`{}` is the course's own version, which does not count as an answer: write your own"


def reference_taken(exercise: str, source: str) -> str:
    """Return the code by which the source uses the course's own version of the exercise; "" if it does not."""
    tree = parsed(source)
    if tree is None:
        return ""
    own = {node.name for node in tree.body if isinstance(node, ast.FunctionDef | ast.ClassDef)}
    twin = {TWINS[exercise]} if exercise in TWINS else set()
    modules: set[str] = set()
    for node in ast.walk(tree):
        match node:
            case ast.ImportFrom(module=str(module), names=aliases) if module.split(".")[0] == "course_utils":
                for alias in aliases:
                    name = alias.asname or alias.name
                    if alias.name in {exercise} | twin and not (name == alias.name and name in own):
                        return f"from {module} import {alias.name}"
                    modules.add(name)
            case ast.Import(names=aliases):
                of_the_course = [alias for alias in aliases if alias.name.split(".")[0] == "course_utils"]
                modules |= {(alias.asname or alias.name).split(".")[0] for alias in of_the_course}
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and node.attr in {exercise} | twin and _root(node) in modules:
            return ast.unparse(node)
        if isinstance(node, ast.Name) and node.id in twin - own:
            return node.id
        if isinstance(node, ast.Subscript) and ast.unparse(node) == f"EXERCISES['{exercise}']":
            return ast.unparse(node)
    return ""


def _root(target: ast.expr) -> str:
    """Return the name that `a.b[c].d` begins with; "?" if it begins with something else."""
    while isinstance(target, ast.Attribute | ast.Subscript):
        target = target.value
    return target.id if isinstance(target, ast.Name) else "?"


# --- another function of the course -----------------------------------------------------------------------------------


def course_functions(exercise: str, source: str, right: list, given: str = "") -> list[str]:
    """List the functions and classes of the course that an answer uses, but the reference and the right answers don't.

    Args:
        source: all cells of the answer.
        right: the right answers of the check, as functions.
        given: lines of the notebook; only their imports matter.
    """
    tree = parsed(source)
    if tree is None:
        return []
    texts = [EXERCISES[exercise].source, *(textwrap.dedent(inspect.getsource(function)) for function in right)]
    earlier = {name for name in EXERCISES if is_other(exercise, name)}  # the learner's or the course's
    allowed = set(re.findall(r"\w+", " ".join(texts))) | earlier
    imported = _imported(parsed(given) or ast.Module([], [])) | _imported(tree)
    names = vars(importlib.import_module(EXERCISES[exercise].module)) | imported
    used = {function for node in reached(tree, exercise) for function in _uses(node, names)}
    if names[exercise] is not EXERCISES[exercise].function:  # another function, imported under the exercise's name
        used.add(names[exercise])
    called = {f"{function.__module__}.{function.__qualname__}" for function in used if function.__name__ not in allowed}
    return sorted(called | {detour for node in reached(tree, exercise) for detour in _detours(node, names)})


def _detours(node: ast.stmt, names: dict[str, Any]) -> Iterator[str]:
    """Yield code that takes a module of the course as a value (`p = puct`, `vars(puct)`), or that uses a detour."""
    roots = {id(below.value) for below in ast.walk(node) if isinstance(below, ast.Attribute)}
    for below in ast.walk(node):
        match below:
            case ast.Attribute(attr="modules") if _root(below) == "sys":
                yield ast.unparse(below)
            case ast.Attribute(attr=attr) if attr in DETOURS - {"modules"}:
                yield ast.unparse(below)
            case ast.Name() | ast.Attribute() if id(below) not in roots and _is_course_module(_value(below, names)):
                yield ast.unparse(below)
            case ast.Name(id=name) if name in DETOURS - {"modules"}:
                yield name


def _is_course_module(value: Any) -> bool:
    return isinstance(value, ModuleType) and value.__name__.split(".")[0] == "course_utils"


def _value(node: ast.expr, names: dict[str, Any]) -> Any:
    """Look up `a.b.c`, where `a` is a module; None if it is not."""
    path = ast.unparse(node).split(".")
    value = names.get(path[0])
    for name in path[1:]:
        value = _member(value, name) if isinstance(value, ModuleType) else None
    return value


def _imported(tree: ast.Module) -> dict[str, Any]:
    """Map the names that its imports from the course bind to their values."""
    bound: dict[str, Any] = {}
    for node in ast.walk(tree):
        match node:
            case ast.Import(names=aliases):
                for alias in aliases:
                    if alias.name.split(".")[0] == "course_utils" and (module := _module(alias.name)):
                        bound[alias.asname or "course_utils"] = module if alias.asname else _module("course_utils")
            case ast.ImportFrom(module=str(home), names=aliases) if home.split(".")[0] == "course_utils":
                for alias in aliases:
                    bound[alias.asname or alias.name] = _member(_module(home), alias.name)
    return bound


def _module(name: str) -> ModuleType | None:
    try:
        return importlib.import_module(name)
    except ImportError:
        return None


def _member(module: ModuleType | None, name: str) -> Any:
    """Look up a name in a module: a value, or a submodule."""
    value = getattr(module, name, None)
    return _module(f"{module.__name__}.{name}") if module is not None and value is None else value


def reached(tree: ast.Module, exercise: str) -> list[ast.stmt]:
    """List the statements that the answer needs, directly or indirectly, by the names that they bind and read."""
    homes: dict[str, list[ast.stmt]] = {}
    for node in tree.body:
        for name in assigns(ast.unparse(node)):
            homes.setdefault(name, []).append(node)
    needed: dict[ast.stmt, None] = {}
    queue = [*homes.get(exercise, [])]
    while queue:
        node = queue.pop()
        if node not in needed:
            needed[node] = None
            queue += [binding for name in reads(ast.unparse(node)) for binding in homes.get(name, [])]
    return list(needed)


def _uses(node: ast.stmt, names: dict[str, Any]) -> Iterator[Any]:
    """Yield the functions and classes of the course that a statement names outside its annotations."""
    own = {name.id for name in ast.walk(node) if isinstance(name, ast.Name) and isinstance(name.ctx, ast.Store)}
    own |= {parameter.arg for parameter in ast.walk(node) if isinstance(parameter, ast.arg)}
    annotations = [annotation for below in ast.walk(node) for annotation in _annotations(below)]
    in_annotations = {id(below) for annotation in annotations for below in ast.walk(annotation)}
    for below in ast.walk(node):
        if (
            id(below) in in_annotations
            or not isinstance(below, ast.Name | ast.Attribute)
            or _root(below) in own | {"?"}
        ):
            continue
        value = _value(below, names)
        of_the_course = (getattr(value, "__module__", None) or "").startswith("course_utils.")
        if of_the_course and (inspect.isfunction(value) or inspect.isclass(value)):
            yield value


def _annotations(node: ast.AST) -> list[ast.expr]:
    annotations = (getattr(node, "annotation", None), getattr(node, "returns", None))
    return [annotation for annotation in annotations if annotation is not None]
