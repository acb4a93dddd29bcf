"""Grading: every case of a check, what came of it, and which mistake that is."""

import copy
import functools
import importlib
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

import numpy as np

from course_utils.deadline import TookTooLong
from course_utils.exercise import EXERCISES, using
from course_utils.paths import PACKAGE
from course_utils.platform import PATIENCE, processor_time
from course_utils.tests.case import Case, Outcome, run_case
from course_utils.tests.catalogue import Wrong
from course_utils.tests.naming import mistakes_of
from course_utils.tests.scene import SHRINKING, Scenes, of_file
from course_utils.tests.stage import LocalStage, Stage, cannot_be_called

NOT_WRITTEN = "not written yet"
WHOLE_CHECK = 20  # seconds of the processor, whatever the answer does
SECOND_TRY = 1  # second for each case, once the answer has run out of time


class _Checks(dict[str, Scenes]):
    """Exercise -> its check, from `notebook_NN/<exercise>.py`, which is imported when the check is first asked for."""

    def __missing__(self, name: str) -> Scenes:
        notebook = f"notebook_{EXERCISES[name].notebook}"
        if not (PACKAGE / "tests" / notebook / f"{name}.py").exists():
            raise KeyError(name)
        module = importlib.import_module(f"course_utils.tests.{notebook}.{name}")
        self[name] = of_file(name, vars(module))
        return self[name]


CHECKS = _Checks()


@functools.cache
def max_points(exercise: str) -> int:
    with using({}):
        return sum(case.points for case in CHECKS[exercise].cases(np.random.default_rng(0)))


class CheckFailed(AssertionError):
    """A graded check failed. A notebook shows it as one line: the details stand above it."""

    def _render_traceback_(self) -> list[str]:
        return [f"CheckFailed: {self}"]


@dataclass
class Report:
    """The result of one check."""

    exercise: str
    outcomes: list[Outcome] = field(default_factory=list)
    problem: str = ""  # one sentence if the cases could not run at all
    matches: list[Wrong] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    source: str = ""  # the exercise cell, where it is known
    runs_alone: bool = False  # whether it was made anew of its cells
    answer: Any = None  # what was graded, where it is in this process
    luck: bool = False  # whether a function without a thought in it passes as many

    @property
    def passed(self) -> bool:
        return not self.problem and bool(self.outcomes) and all(outcome.passed for outcome in self.outcomes)

    @property
    def points(self) -> int:
        return 0 if self.luck else sum(outcome.case.points for outcome in self.outcomes if outcome.passed)

    @property
    def max_points(self) -> int:
        return max_points(self.exercise)

    @property
    def failures(self) -> list[Outcome]:
        return [outcome for outcome in self.outcomes if not outcome.passed]

    @property
    def timed_out(self) -> bool:
        """Whether a case ran out of time."""
        return any(isinstance(outcome.error, TookTooLong) for outcome in self.outcomes)

    @property
    def headline(self) -> str:
        if self.problem:
            return f"{self.exercise}: {self.problem}"
        done = len(self.outcomes) - len(self.failures)
        return f"{self.exercise}: {done} of {len(self.outcomes)} cases, {self.points} of {self.max_points} points"


def grade(
    exercise: str,
    answer: Any,
    seed: int = 0,
    others: Mapping[str, Callable] | None = None,
    seconds: float | None = None,
) -> Report:
    """Every case of the check, with an answer in this process. See `judge`.

    Args:
        others: the versions of other exercises that the answer calls; ours for those that are not given. What is expected is
            always worked out with ours.
    """
    try:
        stage = LocalStage(CHECKS[exercise], answer, others)
    except KeyError:  # an assignment whose checks are kept back
        kept_back = "your instructor has kept its check back: hand in the notebook"
        return Report(exercise, problem=cannot_be_called(exercise, answer) or kept_back)
    return judge(exercise, stage, seed, seconds)


def judge(exercise: str, stage: Stage, seed: int, seconds: float | None = None) -> Report:
    """Run every case of the check, until one runs out of time. Never raises for anything the answer does.

    Args:
        stage: plays scenes with the answer.
        seconds: a shorter limit for each case than its own.
    """
    report = Report(exercise)
    report.problem = stage.problem()
    if report.problem:
        return report
    one_check = CHECKS[exercise]
    began, worked = time.monotonic(), processor_time()
    with using({}):
        for case in one_check.cases(np.random.default_rng(seed)):
            late = report.timed_out or processor_time() - worked > WHOLE_CHECK
            if late or time.monotonic() - began > PATIENCE * WHOLE_CHECK:
                report.outcomes.append(Outcome(case, complaint="not run, because the time ran out"))
                continue
            outcome = run_case(case, stage, seconds)
            if _is_stub(outcome.error) and not report.outcomes:
                report.problem = NOT_WRITTEN
                return report
            report.outcomes.append(outcome)
        passed = [number for number, outcome in enumerate(report.outcomes) if outcome.passed]
        if report.failures and passed and _by_luck(exercise, passed, seed):
            report.luck = True
        if report.timed_out:
            report.notes.append("The cases after the one that ran out of time were not run.")
        elif any(_is_the_machines(outcome.error) for outcome in report.failures):
            report.notes.append("This machine ran out of memory or threads, which says nothing about your answer.")
        elif report.failures:
            report.matches = mistakes_of(one_check, report.outcomes, stage, seed)
    return report


def _is_the_machines(error: BaseException | None) -> bool:
    """Whether an error says that the machine had nothing left to give."""
    return isinstance(error, MemoryError) or "can't start new thread" in str(error)


def _handed_back(place: int) -> Callable:
    return lambda *args, **kwargs: copy.deepcopy([*args, *kwargs.values()][place])


def _always(value: Any) -> Callable:
    return lambda *args, **kwargs: copy.copy(value)


WITHOUT_A_THOUGHT = [
    *map(_always, (None, True, False, 0, 1, 2, -1, 0.0, 0.5, [])),
    *map(_handed_back, (0, 1, 2, -1)),
]


@lru_cache(maxsize=10_000)
def _passes_without_a_thought(which: int, exercise: str, number: int, seed: int) -> bool:
    """Whether this function of `WITHOUT_A_THOUGHT` passes the case with this number."""
    case, shrinking = _cases_of(exercise, seed)[number], SHRINKING.set(False)
    with using({}):
        passed = run_case(case, LocalStage(CHECKS[exercise], WITHOUT_A_THOUGHT[which]), 1).passed
    SHRINKING.reset(shrinking)
    return passed


def _by_luck(exercise: str, numbers: list[int], seed: int) -> bool:
    """Whether a function that always returns the same, or hands an argument back, passes all these cases."""
    return any(
        all(_passes_without_a_thought(which, exercise, number, seed) for number in numbers)
        for which in range(len(WITHOUT_A_THOUGHT))
    )


@lru_cache(maxsize=64)
def _cases_of(exercise: str, seed: int) -> list[Case]:
    with using({}):
        return list(CHECKS[exercise].cases(np.random.default_rng(seed)))


def _is_stub(error: BaseException | None) -> bool:
    """Whether it was raised by a stub. (torch raises NotImplementedError, too, where an operation knows no whole numbers; IPython one of its own for `input`.)"""
    return type(error) is NotImplementedError and "not implemented for" not in str(error)
