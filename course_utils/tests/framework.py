"""The older form of a check, a generator of cases: until every exercise has its specification."""

import copy
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from course_utils.exercise import EXERCISES
from course_utils.tests.case import Case, Raises, Such, same, show, unchanged
from course_utils.tests.catalogue import Wrong
from course_utils.tests.grade import CHECKS, CheckFailed

__all__ = ["Case", "CheckFailed", "Raises", "Such", "calls", "check", "leaves_alone", "same", "show", "wrong"]


@dataclass
class Check:
    exercise: str
    cases: Callable[[np.random.Generator], Iterator[Case]]
    wrong: list[Wrong] = field(default_factory=list)
    right: list[Callable] = field(default_factory=list)


def check(cases: Callable[[np.random.Generator], Iterator[Case]]):
    """Register a generator of cases as the check of the exercise whose name it bears. Decorator."""
    name = cases.__name__
    if name not in EXERCISES:
        raise ValueError(f"{cases.__module__}.{name}: no exercise is called that")
    CHECKS.setdefault(name, Check(name, cases))
    return cases


def wrong(exercise: str, name: str, sentence: str, question: str, *replace: tuple[str, str], code: str = "") -> None:
    entry = Wrong(name, sentence, question, *replace, code=code)
    entry.exercise = exercise
    CHECKS[exercise].wrong.append(entry)


def calls(exercise: str, *args, name: str, expected: Any, call: str = "", **rest) -> Case:
    """A case that is one call on fresh copies of `args`, judged by what it returns."""
    shown = call or f"{exercise}({', '.join(show(arg) for arg in args)})"
    return Case(name, lambda answer: answer(*copy.deepcopy(args)), expected, call=shown, **rest)


def leaves_alone(exercise: str, *args, **rest) -> Case:
    """A case that holds if a call changes none of its arguments."""

    def run(answer):
        given = copy.deepcopy(args)
        answer(*given)
        return all(unchanged(one, other) for one, other in zip(given, args, strict=True))

    rest.setdefault("question", "Who else holds the object that you were given?")
    call = f"{exercise}({', '.join(show(arg) for arg in args)}), then looking at the arguments again"
    return Case(
        "leaves its arguments as they were", run, Such("arguments unchanged", lambda kept: kept), call=call, **rest
    )
