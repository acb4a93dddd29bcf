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
    """Run an answer's cells on their own, as a kernel does: one after the other, each to where it raises. Calls to other exercises go to those
    in force. The one way in which an answer is run, but for the processes of `make grade`.

    Magics do nothing. For classes that the notebook gives see `settle`.

    Args:
        source: the exercise cell, after what it needs from others, if anything; a line `CELL` parts them.
        prepare: given the namespace in which the cells will run.
    """
    namespace: dict[str, Any] = {
        "__name__": EXERCISES[name].module,
        "get_ipython": NoMagic,
        "display": getattr(builtins, "display", NoMagic().display),  # a kernel's, or nothing
    }
    begin(namespace, name)
    namespace |= {other: EXERCISES[other].function for other in others_called(name, source)}
    prepare(namespace)
    raised = []
    cells = cells_of(source)
    for number, cell in enumerate(cells):
        try:
            run_cell(cell, f"<{'your' if number == len(cells) - 1 else 'before your'} {name}>", namespace)
        except (Exception, SystemExit) as error:
            raised.append((number, f"{type(error).__name__}: {error}".removesuffix(": ")))
        settle(namespace, name)
    return Made(namespace.get(name), tuple(raised))


def cells_of(source: str) -> list[str]:
    """The cells of a recorded answer."""
    return re.split(rf"^{CELL}.*\n", source, flags=re.MULTILINE)


def bind(name: str, source: str) -> Callable:
    """The function that the cells make, see `make`.

    Raises:
        CannotBind: it grades itself, or nothing of that name came of it.
    """
    if checks_called(source):
        raise CannotBind("the cell also calls a check")
    made = make(name, source)
    if made.why_not:
        raise CannotBind(made.why_not)
    return made.function


def begin(namespace: dict[str, Any], name: str) -> None:
    """Before the first cell: an answer finds what its reference finds."""
    module = vars(importlib.import_module(EXERCISES[name].module))
    namespace |= {other: value for other, value in module.items() if not other.startswith("__") and other != name}


def run_cell(source: str, filename: str, namespace: dict) -> None:
    """Run it in silence, with `await` at its top, as a notebook does. A traceback shows its lines."""
    linecache.cache[filename] = (len(source), None, lines_of(source), filename)
    code = compile(source, filename, "exec", ast.PyCF_ALLOW_TOP_LEVEL_AWAIT, dont_inherit=True)
    with (
        open(os.devnull, "w", encoding="utf-8") as nothing,
        contextlib.redirect_stdout(nothing),
        contextlib.redirect_stderr(nothing),
    ):
        came = eval(code, namespace)
        if inspect.iscoroutine(came):  # in a thread of its own: a notebook's has a loop that runs
            with ThreadPoolExecutor(1) as thread:
                thread.submit(asyncio.run, came).result()


def settle(namespace: dict, name: str) -> None:
    """Of a class that the notebook gives, the package's own is used, of which a check makes its objects, unless the learner has changed it."""
    module = vars(importlib.import_module(EXERCISES[name].module))
    for one in module.keys() & namespace.keys() - {name}:
        if namespace[one] is not module[one] and is_ours(namespace[one], module[one]):
            namespace[one] = module[one]


def is_ours(value: object, ours: object) -> bool:
    """Whether it is the package's own, or the same written in a notebook: a class or a function that reads the same."""
    if isinstance(value, type) and isinstance(ours, type):
        return value is ours or _members(value) == _members(ours)
    if inspect.isfunction(value) and inspect.isfunction(ours):
        return value is ours or _read(value) == _read(ours) != ""
    return value is ours


def _members(kind: type) -> dict[str, str]:
    """The fields, methods and properties of a class as they read."""
    functions = {name: getattr(one, "fget", getattr(one, "__func__", one)) for name, one in vars(kind).items()}
    fields = dict.fromkeys(vars(kind).get("__annotations__", {}), "")
    return fields | {name: _read(one) for name, one in functions.items() if inspect.isfunction(one)}


def _read(function: Callable) -> str:
    """A function without comments and layout; "" where its source is not known. (Not its bytecode: that depends on what else was compiled.)"""
    try:
        return ast.unparse(ast.parse(textwrap.dedent(inspect.getsource(function))))
    except (OSError, SyntaxError):
        return ""


def others_called(name: str, source: str) -> set[str]:
    """The other exercises that a cell calls: of its notebook and those before, since a later one's name may well be a helper's."""
    return {one for one in needs(source) if is_other(name, one)}


def is_other(name: str, other: str) -> bool:
    """Whether a cell of the exercise `name` that says `other` means another exercise."""
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
