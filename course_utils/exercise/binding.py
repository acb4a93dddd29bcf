"""An answer as a function: its cells are run on their own, and its calls to other exercises go to those in force."""

import ast
import asyncio
import builtins
import contextlib
import importlib
import inspect
import io
import linecache
import re
import textwrap
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

from course_utils.exercise.registry import EXERCISES
from course_utils.names import assigns, lines_of, needs, parsed


class CannotBind(Exception):
    """The source does not run on its own, or does not define the exercise's name."""


CELL = "# %%"  # begins each cell of a recorded answer, as in jupytext's percent format


def bind(name: str, source: str) -> Callable:
    """Run an answer on its own, cell by cell, each to where it raises, and return the function `name`. Its calls to other exercises go to those in force.

    Magics do nothing. For classes that the notebook gives see `settle`.

    Args:
        source: the exercise cell, after what it needs from others, if anything; a line `CELL` parts them.

    Raises:
        CannotBind: it grades itself, or nothing of that name came of it.
    """
    module = vars(importlib.import_module(EXERCISES[name].module))
    magic = {
        "get_ipython": NoMagic,
        "display": getattr(builtins, "display", NoMagic().display),
    }  # a kernel's, or nothing
    if checks_called(source):
        raise CannotBind("the cell also calls a check")
    *before, own = re.split(rf"^{CELL}.*\n", source, flags=re.MULTILINE)
    called = others_called(name, source)
    namespace = {**magic, **module, **{other: EXERCISES[other].function for other in called}}
    namespace.pop(name, None)
    raised = ""
    for cell, filename in [*((one, f"<before your {name}>") for one in before), (own, f"<your {name}>")]:
        try:
            run_cell(cell, filename, namespace)
        except (Exception, SystemExit) as error:
            raised = f"the cell raised {type(error).__name__}: {error}"
        settle(namespace, name)
    if not callable(namespace.get(name)):
        raise CannotBind(raised or f"the cell defines no function called {name}")
    return namespace[name]


def run_cell(source: str, filename: str, namespace: dict) -> None:
    """Run it in silence, with `await` at its top, as a notebook does. A traceback shows its lines."""
    linecache.cache[filename] = (len(source), None, lines_of(source), filename)
    code = compile(source, filename, "exec", ast.PyCF_ALLOW_TOP_LEVEL_AWAIT, dont_inherit=True)
    with contextlib.redirect_stdout(io.StringIO()):
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
