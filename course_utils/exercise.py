"""An exercise is a decorated function of the package: its reference. A call to it runs the version in force.

    @exercise("03")
    def backup(leaf, value): ...

The learner's answer is in force where one is recorded, ours elsewhere; which of the two is decided at each call. So our
`mcts_search` runs a learner's `backup`, and a learner's `select` runs our `select_child`. `with using({}):` is the course as shipped.
"""

import ast
import asyncio
import builtins
import contextlib
import copy
import dataclasses
import functools
import importlib
import inspect
import io
import linecache
import os
import re
import sys
import textwrap
import traceback
from collections import ChainMap
from collections.abc import Callable, Iterator, Mapping, MutableMapping
from concurrent.futures import ThreadPoolExecutor
from contextvars import ContextVar
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from course_utils import record
from course_utils.deadline import TookTooLong, within
from course_utils.names import assigns, lines_of, needs, parsed
from course_utils.paths import PACKAGE

BEGIN, END = "# begin given", "# end given"  # around lines of a reference that stay in the learner's stub

# --- the exercises ---------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Exercise:
    """An exercise's id is its name, never a number: names are unique over the course."""

    name: str
    module: str
    notebook: str  # "01"

    @property
    def path(self) -> str:
        return f"{self.module}.{self.name}"

    @property
    def function(self) -> Callable:
        """What the package calls by this name: it runs the version in force."""
        return getattr(importlib.import_module(self.module), self.name)

    @cached_property
    def reference(self) -> Callable:
        """Ours, whatever is in force."""
        return self.function.__wrapped__  # type: ignore[attr-defined]  # functools.wraps put it there

    @cached_property
    def source(self) -> str:
        """The reference as a learner would write it: without its decorator."""
        return textwrap.dedent(inspect.getsource(self.reference)).partition("\n")[2]


def _find() -> dict[str, Exercise]:
    """Every exercise, found by its decorator in the package's sources, so that none of them need be imported."""
    found = []
    for path in sorted(PACKAGE.rglob("*.py")):
        module = ".".join((PACKAGE.name, *path.relative_to(PACKAGE).with_suffix("").parts))
        for match in re.finditer(
            r'^@exercise\("(\d\d)".*\)\n(?:@.*\n)*def (\w+)', path.read_text("utf-8"), re.MULTILINE
        ):
            found.append(Exercise(match[2], module, match[1]))
    return {one.name: one for one in sorted(found, key=lambda one: one.notebook)}


EXERCISES: dict[str, Exercise] = _find()


def exercise(notebook: str) -> Callable[[Callable], Callable]:
    """Make a reference an exercise of `notebook`, such as "03". Decorator."""

    def decorate(reference: Callable) -> Callable:
        name = reference.__name__

        @functools.wraps(reference)
        def in_force(*args, **kwargs):
            return _in_force[name](*args, **kwargs)

        return in_force

    return decorate


# --- which version is in force ---------------------------------------------------------------------------------------


class Versions(dict):
    """Exercise -> the function that a call to it runs; each is looked up once, when it is first called.

    Attributes:
        sources: exercise -> the learner's exercise cell, for those that are the learner's.
        broken: exercise -> why a recorded answer could not be used.
    """

    def __init__(self, versions: Mapping[str, Callable], learners: bool = False):
        super().__init__(versions)
        self.learners = learners  # whether what is not given is looked up in the learner's record
        self.sources: dict[str, str] = {}
        self.broken: dict[str, str] = {}
        self.off: set[str] = set()  # switched off by the learner, for this session

    def __missing__(self, name: str) -> Callable:
        self[name] = EXERCISES[name].reference
        source = recorded_source(name) if self.learners and name not in self.off else ""
        if source:
            self.sources[name] = source  # before it is run: a cell that asks for its own name gets ours
            try:
                self[name] = guarded(name, bind(name, source))
            except CannotBind as error:
                self.broken[name] = str(error)
        return self[name]

    def restart(self) -> None:
        """Forget everything that was looked up or switched off."""
        for known in (self, self.sources, self.broken, self.off):
            known.clear()

    def refresh(self) -> None:
        """Look those exercises up again, at their next call, of which the record says something else than before."""
        for name in list(self) if self.learners else ():
            if self.sources.get(name, "") != ("" if name in self.off else recorded_source(name)):
                for known in (self, self.sources, self.broken):
                    known.pop(name, None)


LEARNERS = Versions({}, learners=True)
_in_force: MutableMapping[str, Callable] = LEARNERS


@contextlib.contextmanager
def using(versions: Mapping[str, Callable]) -> Iterator[None]:
    """Within this block these versions are in force, and ours for every other exercise: `using({})` is the course as shipped."""
    global _in_force
    before, _in_force = _in_force, versions if isinstance(versions, Versions) else Versions(versions)
    try:
        yield
    finally:
        _in_force = before


@contextlib.contextmanager
def wrapping(wrappers: Mapping[str, Callable[[Callable], Callable]]) -> Iterator[None]:
    """Within this block each of these exercises is wrapper(the version in force), and all others are as before: to watch them at work."""
    global _in_force
    before = _in_force
    _in_force = ChainMap({name: wrapper(before[name]) for name, wrapper in wrappers.items()}, before)
    try:
        yield
    finally:
        _in_force = before


WATCHING: ContextVar[Mapping[str, Callable[[Callable], Callable]]] = ContextVar("watching", default={})  # noqa: B039 (never changed)


@contextlib.contextmanager
def watching(wrappers: Mapping[str, Callable[[Callable], Callable]]) -> Iterator[None]:
    """Within this block what a graded answer asks of these exercises goes through wrapper(the version that it would call)."""
    token = WATCHING.set(wrappers)
    try:
        yield
    finally:
        WATCHING.reset(token)


def recorded_source(name: str) -> str:
    """The exercise cell that passed, or "" where none has."""
    answer = record.load(name)
    return answer.source if answer else ""


def yours() -> dict[str, Callable]:
    """The learner's exercises that are in force as of now: an answer that has just passed is one of them."""
    LEARNERS.refresh()
    for name in record.names() & EXERCISES.keys():
        _ = LEARNERS[name]
    return {name: LEARNERS[name] for name in EXERCISES if name in LEARNERS.sources and name not in LEARNERS.broken}


def sources_in_force() -> dict[str, str]:
    """The cells of the learner's answers in force, for another process to `adopt`."""
    return {} if _in_force is not LEARNERS else {name: LEARNERS.sources[name] for name in yours()}


def adopt(sources: Mapping[str, str]) -> None:
    """Let the learner's answers of another process, and no others, be in force in this one."""
    LEARNERS.restart()
    LEARNERS.learners = False
    for name, source in sources.items():
        LEARNERS.sources[name] = source
        try:
            LEARNERS[name] = guarded(name, bind(name, source))
        except CannotBind as error:  # ours plays on
            LEARNERS[name], LEARNERS.broken[name] = EXERCISES[name].reference, str(error)


# --- an answer -------------------------------------------------------------------------------------------------------


class CannotBind(Exception):
    """The source does not run on its own, or does not define the exercise's name."""


class YourAnswerFailed(Exception):
    """An answer of the learner's that passed its check raised later."""


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


def guarded(name: str, function: Callable) -> Callable:
    """The learner's function; an error of its own ends in one sentence that names it. One that comes from what it was handed (a callback,
    a network, a game) passes through as it is."""

    @functools.wraps(function)
    def guarded(*args, **kwargs):
        try:
            return function(*args, **kwargs)
        except (YourAnswerFailed, NotImplementedError):
            raise
        except Exception as error:
            if not _is_its_own(error, name, function, (*args, *kwargs.values())):
                raise
            if _raises_too(EXERCISES[name].reference, args, kwargs):
                # the outermost has the last word: what it calls in turn is not what went wrong
                error.__notes__ = [_its_call(name)]
                raise
            if isinstance(error, ValueError):  # may be part of the contract, as it is for `play`: keep its type
                if not getattr(error, "__notes__", None):
                    error.add_note(f"(raised inside your {name}; {way_out(name)})")
                raise
            sentence = f"your {name} passed its check but now raised {type(error).__name__}: {error}; {way_out(name)}"
            raise YourAnswerFailed(sentence) from error

    return guarded


def _is_its_own(error: Exception, name: str, function: Callable, handed: tuple) -> bool:
    """Whether below the answer's last line there are only libraries and the course's own code, and among them no network or function that
    the answer was handed."""
    code = getattr(inspect.unwrap(function), "__code__", None)
    own = {f"<your {name}>", f"<before your {name}>", getattr(code, "co_filename", "")}
    frames = [frame for frame, _ in traceback.walk_tb(error.__traceback__)]
    files = [frame.f_code.co_filename for frame in frames]
    last = max((place for place, file in enumerate(files) if file in own), default=0)  # 0: it can't be called like this
    below = [file for file in files[last + 1 :] if not file.startswith(LIBRARIES)]
    asked = [frame.f_locals.get("self") for frame in frames[last + 1 :]]
    asked_for = [getattr(one, "__self__", one) for one in handed if callable(one)]
    if any(one is other for one in asked_for for other in asked if other is not None):
        return False
    return all(file.startswith(f"{PACKAGE}{os.sep}") for file in below)


LIBRARIES = (
    *(f"{place}{os.sep}{lib}" for place in {sys.prefix, sys.base_prefix} for lib in ("lib", "Lib")),
    "<frozen",
    "<__array_function__",
)


def _its_call(name: str) -> str:
    return f"(With these arguments the course's own {name} fails, too: where do they come from?)"


def way_out(name: str) -> str:
    return f'to go on with ours: from course_utils import mine; mine.use_ours("{name}")'


def _raises_too(reference: Callable, args: tuple, kwargs: dict) -> bool:
    """Whether ours can't be called like this, either: then the fault is the caller's. It is asked on copies of plain data, and for a second."""
    if not all(map(_is_plain, (*args, *kwargs.values()))):
        return False
    import numpy as np  # not above: commands that need none of it begin at once

    args, kwargs = copy.deepcopy((args, kwargs))
    try:
        with using({}), np.errstate(all="ignore"):
            within(1, lambda: reference(*args, **kwargs))
    except TookTooLong:
        return False
    except Exception:
        return True
    return False


def _is_plain(value: Any) -> bool:
    """Whether it can be copied and asked about, and nothing happens: numbers, texts, arrays, and what is made of them, such as a state."""
    if isinstance(value, tuple | list):
        return all(map(_is_plain, value))
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        frozen = value.__dataclass_params__.frozen  # type: ignore[attr-defined]  # each dataclass has them
        return frozen and all(_is_plain(getattr(value, one.name)) for one in dataclasses.fields(value))
    return value is None or isinstance(value, bool | int | float | str) or type(value).__module__ == "numpy"
