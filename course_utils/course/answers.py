"""An answer as source: the whole exercise cell, and how it becomes a function whose calls go to chosen others."""

import ast
import builtins
import contextlib
import inspect
import io
import linecache
import os
from collections.abc import Callable
from types import FunctionType

from course_utils.course.catalogue import EXERCISES


class CannotBind(Exception):
    """The source does not run on its own, or does not define the exercise's name."""


def cell_source(answer: Callable) -> str | None:
    """The whole notebook cell in which `answer` was defined, or None where that can't be told.

    A function from a file on disk has no cell.
    """
    code = getattr(inspect.unwrap(answer), "__code__", None) if callable(answer) else None
    if code is None or os.path.exists(code.co_filename):
        return None
    return "".join(linecache.getlines(code.co_filename)) or None


def bind(name: str, source: str, namespace: dict) -> Callable:
    """Run `source` in `namespace` (which it fills) and return the function `name`.

    Raises:
        CannotBind: it raised, or nothing of that name came of it.
    """
    lines = source.splitlines(keepends=True)
    filename = f"<your {name}>"
    linecache.cache[filename] = (len(source), None, lines, filename)  # so that a traceback shows the learner's lines
    try:
        code = compile(source, filename, "exec", dont_inherit=True)
        with contextlib.redirect_stdout(io.StringIO()):
            exec(code, namespace)
    except Exception as error:
        raise CannotBind(f"the cell raised {type(error).__name__}: {error}") from error
    if not callable(namespace.get(name)):
        raise CannotBind(f"the cell defines no function called {name}")
    return namespace[name]


def names_used(source: str) -> set[str]:
    """Names the source reads but does not bind itself, builtins left out."""
    nodes = list(ast.walk(ast.parse(source)))
    read = {node.id for node in nodes if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)}
    bound = {node.id for node in nodes if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load)}
    bound |= {node.name for node in nodes if isinstance(node, ast.FunctionDef | ast.ClassDef | ast.ExceptHandler)}
    bound |= {node.arg for node in nodes if isinstance(node, ast.arg)}
    for node in nodes:
        if isinstance(node, ast.Import | ast.ImportFrom):
            bound |= {(alias.asname or alias.name).split(".")[0] for alias in node.names}
    return read - bound - set(dir(builtins))


def rebind(function: FunctionType, namespace: dict) -> FunctionType:
    """The same function, reading its globals from `namespace`."""
    twin = FunctionType(function.__code__, namespace, function.__name__, function.__defaults__, function.__closure__)
    twin.__kwdefaults__ = function.__kwdefaults__
    twin.__doc__, twin.__annotations__ = function.__doc__, function.__annotations__
    return twin


def point_to(namespace: dict, functions: dict[str, Callable]) -> None:
    """Where `namespace` holds the course's own version of an exercise, put the one from `functions`."""
    for name, function in functions.items():
        if name in namespace and namespace[name] is EXERCISES[name].reference:
            namespace[name] = function
