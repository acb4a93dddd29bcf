"""What of the course an answer takes in place of writing it: its own version, which is no answer, or another function that does the work.

It reads the source and runs nothing. Somebody who means to hide finds a way past it; a person looks at what it names.
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

TWINS = {  # what else of an exercise's module does its work under another name; a grader takes its body out, too
    "mcts_search": "search_on",
    "ucb_action": "ucb_many",
    "epsilon_greedy": "epsilon_greedy_many",
}
DETOURS = {
    "__globals__",
    "f_globals",
    "__wrapped__",
    "import_module",
    "__import__",
    "modules",
}  # ways to a function without its name


REFERENCE_TAKEN = "`{}` is the course's own version, which does not count as an answer: write your own"


def reference_taken(exercise: str, source: str) -> str:
    """How the source takes the course's own version of the exercise, as a piece of code; "" if it does not."""
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
                modules |= {
                    (a.asname or a.name).split(".")[0] for a in aliases if a.name.split(".")[0] == "course_utils"
                }
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and node.attr in {exercise} | twin and _root(node) in modules:
            return ast.unparse(node)
        if isinstance(node, ast.Name) and node.id in twin - own:
            return node.id
        if isinstance(node, ast.Subscript) and ast.unparse(node) == f"EXERCISES['{exercise}']":
            return ast.unparse(node)
    return ""


def _root(target: ast.expr) -> str:
    """The name that `a.b[c].d` begins with; "?" where it begins with something else."""
    while isinstance(target, ast.Attribute | ast.Subscript):
        target = target.value
    return target.id if isinstance(target, ast.Name) else "?"


# --- another function of the course -----------------------------------------------------------------------------------


def course_functions(exercise: str, source: str, right: list, given: str = "") -> list[str]:
    """The functions and classes of the course that an answer uses, and neither the reference nor a right answer does.

    Args:
        source: all cells of the answer.
        right: the right answers of the check, as functions.
        given: lines of the notebook, of which only the imports matter.
    """
    tree = parsed(source)
    if tree is None:
        return []
    texts = [EXERCISES[exercise].source, *(textwrap.dedent(inspect.getsource(one)) for one in right)]
    earlier = {name for name in EXERCISES if is_other(exercise, name)}  # yours or ours, as in a notebook
    spoken = set(re.findall(r"\w+", " ".join(texts))) | earlier
    imported = _imported(parsed(given) or ast.Module([], [])) | _imported(tree)
    names = vars(importlib.import_module(EXERCISES[exercise].module)) | imported
    used = {one for node in reached(tree, exercise) for one in _uses(node, names)}
    used |= {one for one in (names[exercise],) if one is not EXERCISES[exercise].function}  # imported under its name
    called = {f"{one.__module__}.{one.__qualname__}" for one in used if one.__name__ not in spoken}
    return sorted(called | {way for node in reached(tree, exercise) for way in _detours(node, names)})


def _detours(node: ast.stmt, names: dict[str, Any]) -> Iterator[str]:
    """Where it takes a module of the course as a value (`p = puct`, `vars(puct)`), or goes through what leads to any function."""
    roots = {id(one.value) for one in ast.walk(node) if isinstance(one, ast.Attribute)}
    for one in ast.walk(node):
        if (
            isinstance(one, ast.Attribute) and one.attr in DETOURS and (one.attr != "modules" or _root(one) == "sys")
        ) or (
            isinstance(one, ast.Name | ast.Attribute) and id(one) not in roots and _is_of_the_course(_value(one, names))
        ):
            yield ast.unparse(one)
        elif isinstance(one, ast.Name) and one.id in DETOURS - {"modules"}:
            yield one.id


def _is_of_the_course(value: Any) -> bool:
    return isinstance(value, ModuleType) and value.__name__.split(".")[0] == "course_utils"


def _value(node: ast.expr, names: dict[str, Any]) -> Any:
    """What `a.b.c` names, where `a` is a module; else None."""
    path = ast.unparse(node).split(".")
    value = names.get(path[0])
    for part in path[1:]:
        value = _part(value, part) if isinstance(value, ModuleType) else None
    return value


def _imported(tree: ast.Module) -> dict[str, Any]:
    """What its imports from the course bind."""
    found: dict[str, Any] = {}
    for node in ast.walk(tree):
        match node:
            case ast.Import(names=aliases):
                for alias in aliases:
                    if alias.name.split(".")[0] == "course_utils" and (module := _module(alias.name)):
                        found[alias.asname or "course_utils"] = module if alias.asname else _module("course_utils")
            case ast.ImportFrom(module=str(home), names=aliases) if home.split(".")[0] == "course_utils":
                for alias in aliases:
                    found[alias.asname or alias.name] = _part(_module(home), alias.name)
    return found


def _module(name: str) -> ModuleType | None:
    try:
        return importlib.import_module(name)
    except ImportError:
        return None


def _part(module: ModuleType | None, name: str) -> Any:
    """What it holds under this name, or a module of it."""
    value = getattr(module, name, None)
    return _module(f"{module.__name__}.{name}") if module is not None and value is None else value


def reached(tree: ast.Module, exercise: str) -> list[ast.stmt]:
    """The statements that the answer is made of: the one that binds its name, and those that bind what it reads, and so on."""
    homes: dict[str, list[ast.stmt]] = {}
    for node in tree.body:
        for name in assigns(ast.unparse(node)):
            homes.setdefault(name, []).append(node)
    found: dict[ast.stmt, None] = {}
    waiting = [*homes.get(exercise, [])]
    while waiting:
        node = waiting.pop()
        if node not in found:
            found[node] = None
            waiting += [one for name in reads(ast.unparse(node)) for one in homes.get(name, [])]
    return list(found)


def _uses(node: ast.stmt, names: dict[str, Any]) -> Iterator[Any]:
    """The functions and classes of the course that its lines name, annotations left out."""
    own = {one.id for one in ast.walk(node) if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Store)}
    own |= {one.arg for one in ast.walk(node) if isinstance(one, ast.arg)}
    noted = {id(part) for one in ast.walk(node) for note in _annotations(one) for part in ast.walk(note)}
    for one in ast.walk(node):
        if id(one) in noted or not isinstance(one, ast.Name | ast.Attribute) or _root(one) in own | {"?"}:
            continue
        value = _value(one, names)
        of_the_course = (getattr(value, "__module__", None) or "").startswith("course_utils.")
        if of_the_course and (inspect.isfunction(value) or inspect.isclass(value)):
            yield value


def _annotations(node: ast.AST) -> list[ast.expr]:
    return [one for one in (getattr(node, "annotation", None), getattr(node, "returns", None)) if one is not None]
