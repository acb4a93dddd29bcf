"""The process in which an answer runs while it is examined: it has nothing but the learner's cells and a package without what was asked for."""

import contextlib
import functools
import inspect
import os
import sys
from collections.abc import Callable
from importlib.machinery import ModuleSpec
from multiprocessing.connection import Connection
from types import ModuleType
from typing import Any

import numpy as np

from course_utils.course.classroom.wire import Gone, Wire


class NotHere(Exception):
    """A part of the course that the answer has no need of."""


class _Nothing:
    """Finds the rest of the course: modules of which everything can be imported, and nothing works."""

    def find_spec(self, name: str, path=None, target=None) -> ModuleSpec | None:
        return ModuleSpec(name, self) if name.startswith("course_utils.") else None  # type: ignore[arg-type]

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        return ModuleType(spec.name)

    def exec_module(self, module: ModuleType) -> None:
        def missing(name: str) -> Any:
            if name.startswith("__"):
                raise AttributeError(name)

            def nothing(*args, **kwargs):
                raise NotHere(f"{module.__name__}.{name} is not where answers are examined")

            return nothing

        module.__path__ = []
        module.__getattr__ = missing  # type: ignore[method-assign]


def serve(connection: Connection, exercise: str, given: str, cells: list[str], expression: str) -> None:
    """Run the learner's cells, then do what the other end asks for."""
    sys.meta_path.append(_Nothing())
    wire = Wire(connection, here=False)
    try:
        answer = _answer(exercise, given, cells, expression)
        connection.send_bytes(b"callable" if callable(answer) else b"nothing")
        wire.answer = _in_force(exercise, answer)
        while True:
            wire.forget()
            kind, *request = wire.receive()
            if kind == "signature":
                wire.send("value", _signature(answer))
            else:
                wire.reply(*request)
    except Gone:
        return


def _answer(exercise: str, given: str, cells: list[str], expression: str) -> Any:
    from IPython.core.interactiveshell import InteractiveShell

    from course_utils.exercise import CannotBind, bind

    shell = InteractiveShell.instance()
    with open(os.devnull, "w") as nothing, contextlib.redirect_stdout(nothing), contextlib.redirect_stderr(nothing):
        for cell in (given, *cells):
            shell.run_cell(cell, store_history=False)
        if expression == exercise:
            with contextlib.suppress(CannotBind):
                return bind(exercise, shell.transform_cell(cells[-1]), shell.user_ns)
        try:
            return eval(expression, shell.user_ns)
        except Exception:
            return None


def _in_force(exercise: str, answer: Any) -> Callable:
    """As in a check: its calls of other exercises go to the learner's or ours, of itself to itself, or to who is watching."""
    from course_utils.exercise import EXERCISES, LEARNERS, Versions, using, yours

    others = {name: one for name, one in yours().items() if name != exercise}
    LEARNERS.off.add(exercise)

    def called(args: tuple, kwargs: dict, watched: dict[str, Callable], remembered: list[str]) -> Any:
        quick = {name: remembers(others.get(name, EXERCISES[name].reference)) for name in remembered}
        with using(Versions({**others, exercise: answer, **watched, **quick})), np.errstate(all="ignore"):
            return answer(*args, **kwargs)

    return called


def remembers(rule: Callable) -> Callable:
    """The rule, which keeps what it has said; a list is handed out as a copy."""
    known = functools.cache(rule)

    def remembered(*position):
        try:
            found = known(*position)
        except TypeError:  # something that can't be looked up
            found = rule(*position)
        return found[:] if type(found) is list else found

    return remembered


def _signature(answer: Any) -> list | None:
    try:
        parameters = inspect.signature(answer).parameters.values()
    except (TypeError, ValueError):
        return None
    empty = inspect.Parameter.empty
    return [
        (one.name, int(one.kind), one.default is not empty, None if one.default is empty else one.default)
        for one in parameters
    ]
