"""The process that judges an answer from outside: it has the check, and asks another process for what the answer returns."""

import inspect
from collections.abc import Callable
from dataclasses import replace
from multiprocessing.connection import Connection

import numpy as np

from course_utils.course.classroom.bare import modules
from course_utils.course.classroom.wire import Gone, Wire
from course_utils.exercise import EXERCISES, WATCHING, using
from course_utils.tests.case import run_case
from course_utils.tests.deadline import TookTooLong
from course_utils.tests.grade import CHECKS
from course_utils.tests.scene import MAKES_SMALLER
from course_utils.tests.settings import clean_room

NOT_EXAMINED = {  # networks that the check makes up, or the gradients of what the answer returns: neither goes from process to process
    "network_forward",
    "residual_forward",
    "alphazero_loss",
    "train_step",
    "train_alphazero",
}
SLOWER = 6  # times as long as in a notebook may a case take, since each question goes to another process


def examine(exercise: str, seed: int, connection: Connection) -> list[tuple[int, bool, str]]:
    """(points, whether it passed, what was wrong) of each case."""
    found: list[tuple[int, bool, str]] = []
    try:
        answer = _asked_for(exercise, connection)
    except (Gone, OSError, EOFError):
        return found
    MAKES_SMALLER.set(False)  # nobody reads it
    with using({}):
        for case in CHECKS[exercise].cases(np.random.default_rng(seed)):
            with clean_room():
                answer.begin()  # type: ignore[attr-defined]  # it was put there
                outcome = run_case(replace(case, seconds=SLOWER * case.seconds), answer)
            found.append((case.points, outcome.passed, f"{case.name}: {outcome.complaint} {outcome.error!r}"[:300]))
            if isinstance(outcome.error, TookTooLong | Gone):
                break
    return found


def _asked_for(exercise: str, connection: Connection) -> Callable:
    """The answer, as if it were here."""
    there = modules(exercise)
    wire = Wire(connection, here=True, there=lambda name: name in there)
    if not connection.poll(60) or connection.recv_bytes(100) != b"callable":
        raise Gone("no function")

    def answer(*args, **kwargs):
        wire.forget()
        watching = {name: one for name, one in WATCHING.get().items() if name != exercise}
        remembered = [name for name, one in watching.items() if hasattr(one, "remembers")]
        watched = {name: one(EXERCISES[name].reference) for name, one in watching.items() if name not in remembered}
        return wire.ask("answer", args, kwargs, watched, remembered)

    def begin() -> None:
        wire.forget()
        wire.ask("begin")

    wire.send("signature")
    _kind, parameters = wire.receive()
    answer.begin = begin  # type: ignore[attr-defined]
    answer.__name__ = answer.__qualname__ = exercise
    if parameters is not None:
        empty = inspect.Parameter.empty
        answer.__signature__ = inspect.Signature(  # type: ignore[attr-defined]  # what `inspect.signature` looks for
            [
                inspect.Parameter(name, inspect._ParameterKind(form), default=default if has else empty)
                for name, form, has, default in parameters
            ]
        )
    return answer
