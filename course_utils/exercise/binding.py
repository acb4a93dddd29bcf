"""An answer as a function: its cells are run on their own, and its calls to other exercises go to those in force."""

import ast
import asyncio
import builtins
import contextlib
import importlib
import inspect
import linecache
import os
import re
import textwrap
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

from course_utils.exercise.registry import EXERCISES
from course_utils.names import assigns, lines_of, needs, parsed


class CannotBind(Exception):
    """The source does not run on its own, or does not define the exercise's name."""


CELL = "# %%"  # begins each cell of a recorded answer, as in jupytext's percent format


@dataclass(frozen=True)
class Made:
    """What came of an answer's cells.

    Attributes:
        function: what they bind to the exercise's name; None if nothing.
        raised: (the number of a cell, what it raised as in "KeyError: 'DATA'").
    """

    function: Any
    raised: tuple[tuple[int, str], ...] = ()

    @property
    def why_not(self) -> str:
        """Why there is nothing to call; "" if there is."""
        if callable(self.function):
            return ""
        return f"the cell raised {self.raised[-1][1]}" if self.raised else "the cell defines no such function"


def make(name: str, source: str, prepare: Callable[[dict], Any] = lambda namespace: None) -> Made:
    """Run an answer's cells one after the other, as a kernel does: a cell that raises does not stop the next.

    Every answer is run by this function, except in the processes of `make grade`. Calls to other exercises use the
    versions in force. Magics do nothing. For classes that the notebook gives see `settle`.

    Args:
        source: the cells that the answer needs, and last the exercise cell, separated by lines `CELL`.
        prepare: a callback that gets the namespace before the cells run.
    """
    namespace: dict[str, Any] = {
        "__name__": EXERCISES[name].module,
        "get_ipython": NoMagic,
        "display": getattr(builtins, "display", NoMagic().display),  # a kernel's `display`, or a stub
    }
    begin(namespace, name)
    namespace |= {called: EXERCISES[called].function for called in others_called(name, source)}
    prepare(namespace)
    raised = []
    cells = split_cells(source)
    for number, cell in enumerate(cells):
        try:
            run_cell(cell, f"<{'your' if number == len(cells) - 1 else 'before your'} {name}>", namespace)
        except (Exception, SystemExit) as error:
            raised.append((number, f"{type(error).__name__}: {error}".removesuffix(": ")))
        settle(namespace, name)
    return Made(namespace.get(name), tuple(raised))


def split_cells(source: str) -> list[str]:
    """The cells of a recorded answer."""
    return re.split(rf"^{CELL}.*\n", source, flags=re.MULTILINE)


def bind(name: str, source: str) -> Callable:
    """The function that the cells define, see `make`.

    Raises:
        CannotBind: the answer calls a check, or defines no such function.
    """
    if checks_called(source):
        raise CannotBind("the cell also calls a check")
    made = make(name, source)
    if made.why_not:
        raise CannotBind(made.why_not)
    return made.function


def begin(namespace: dict[str, Any], name: str) -> None:
    """Give an answer the global names of its reference."""
    module = vars(importlib.import_module(EXERCISES[name].module))
    namespace |= {bound: value for bound, value in module.items() if not bound.startswith("__") and bound != name}


def run_cell(source: str, filename: str, namespace: dict) -> None:
    """Run a cell without output. Top-level `await` is allowed, and tracebacks show the cell's lines."""
    linecache.cache[filename] = (len(source), None, lines_of(source), filename)
    code = compile(source, filename, "exec", ast.PyCF_ALLOW_TOP_LEVEL_AWAIT, dont_inherit=True)
    with (
        open(os.devnull, "w", encoding="utf-8") as nothing,
        contextlib.redirect_stdout(nothing),
        contextlib.redirect_stderr(nothing),
    ):
        came = eval(code, namespace)
        if inspect.iscoroutine(came):  # in a new thread, because a notebook's thread already runs an event loop
            with ThreadPoolExecutor(1) as thread:
                thread.submit(asyncio.run, came).result()


def settle(namespace: dict, name: str) -> None:
    """Replace unchanged copies of the package's classes by the originals, because checks create objects of those."""
    module = vars(importlib.import_module(EXERCISES[name].module))
    for shared in module.keys() & namespace.keys() - {name}:
        if namespace[shared] is not module[shared] and is_ours(namespace[shared], module[shared]):
            namespace[shared] = module[shared]


def is_ours(value: object, ours: object) -> bool:
    """Whether a value is the package's own, or a class or function of a notebook with the same source."""
    if isinstance(value, type) and isinstance(ours, type):
        return value is ours or _members(value) == _members(ours)
    if inspect.isfunction(value) and inspect.isfunction(ours):
        return value is ours or _read(value) == _read(ours) != ""
    return value is ours


def _members(kind: type) -> dict[str, str]:
    """The fields, and the sources of the methods and properties, of a class."""
    functions = {
        name: getattr(member, "fget", getattr(member, "__func__", member)) for name, member in vars(kind).items()
    }
    fields = dict.fromkeys(vars(kind).get("__annotations__", {}), "")
    return fields | {name: _read(member) for name, member in functions.items() if inspect.isfunction(member)}


def _read(function: Callable) -> str:
    """A function's source without comments and layout; "" if unknown. (Bytecode depends on what else was compiled.)"""
    try:
        return ast.unparse(ast.parse(textwrap.dedent(inspect.getsource(function))))
    except (OSError, SyntaxError):
        return ""


def others_called(name: str, source: str) -> set[str]:
    """The other exercises that a cell calls, of its notebook or earlier ones.

    A later exercise's name may be a helper's.
    """
    return {needed for needed in needs(source) if is_other(name, needed)}


def is_other(name: str, other: str) -> bool:
    """Whether the name `other` in a cell of the exercise `name` means another exercise."""
    return other in EXERCISES and other != name and EXERCISES[other].notebook <= EXERCISES[name].notebook


class NoMagic:
    """Stands in for IPython where a learner's cells run without it."""

    def __getattr__(self, name: str) -> Callable:
        return lambda *args, **kwargs: None


def called(call: ast.Call) -> str:
    """The last part of the name of what is called."""
    return getattr(call.func, "attr", getattr(call.func, "id", ""))


def checks_called(source: str) -> list[ast.Call]:
    """The calls of graded checks in a cell: run again by that check, it would run the check again, without end."""
    calls = [node for node in ast.walk(parsed(source) or ast.Module([], [])) if isinstance(node, ast.Call)]
    checks = {f"test_{name}" for name in EXERCISES} - assigns(source)  # a learner's own test may be called so
    return [call for call in calls if called(call) in checks]
