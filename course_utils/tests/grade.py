"""Grade an answer: run every case of its check, collect the outcomes, and name the known mistake behind them."""

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
WHOLE_CHECK = 20  # timeout of a check, in seconds of processor time
SECOND_TRY = 1  # timeout of a case in seconds, when an answer that timed out is graded again


class _Checks(dict[str, Scenes]):
    """Map each exercise to its check in `notebook_NN/<exercise>.py`, which is imported on first use."""

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
    """Sum the points of all cases."""
    with using({}):
        return sum(case.points for case in CHECKS[exercise].cases(np.random.default_rng(0)))


class CheckFailed(AssertionError):
    """Say in one line that a graded check failed. The details are shown above it."""

    def _render_traceback_(self) -> list[str]:
        return [f"CheckFailed: {self}"]


@dataclass
class Report:
    """Hold the result of one check."""

    exercise: str
    outcomes: list[Outcome] = field(default_factory=list)
    problem: str = ""  # one sentence if the cases could not run at all
    matches: list[Wrong] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    source: str = ""  # the source of the exercise cell, if known
    runs_alone: bool = False  # whether running its cells alone rebuilds the answer
    answer: Any = None  # the graded function, if it is in this process
    luck: bool = False  # whether a trivial function passes the same cases

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
        """Whether a case timed out."""
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
    """Grade an answer in this process with every case of its check. See `judge`.

    Args:
        others: the versions of other exercises that the answer calls; the course's for those that are not given. The
            expected values are always computed with the course's versions.
    """
    try:
        stage = LocalStage(CHECKS[exercise], answer, others)
    except KeyError:  # an assignment with hidden checks
        kept_back = "your instructor has kept its check back: hand in the notebook"
        return Report(exercise, problem=cannot_be_called(exercise, answer) or kept_back)
    return judge(exercise, stage, seed, seconds)


def judge(exercise: str, stage: Stage, seed: int, seconds: float | None = None) -> Report:
    """Run every case of the check until one times out. Never raises for anything the answer does.

    Args:
        stage: runs scenes with the answer.
        seconds: a shorter timeout for each case than its own.
    """
    report = Report(exercise)
    report.problem = stage.problem()
    if report.problem:
        return report
    check = CHECKS[exercise]
    began, worked = time.monotonic(), processor_time()
    with using({}):
        for case in check.cases(np.random.default_rng(seed)):
            timed_out = report.timed_out or processor_time() - worked > WHOLE_CHECK
            if timed_out or time.monotonic() - began > PATIENCE * WHOLE_CHECK:
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
        elif any(_machine_at_fault(outcome.error) for outcome in report.failures):
            report.notes.append("This machine ran out of memory or threads, which says nothing about your answer.")
        elif report.failures:
            report.matches = mistakes_of(check, report.outcomes, stage, seed)
    return report


def _machine_at_fault(error: BaseException | None) -> bool:
    """Check whether an error says that the machine ran out of memory or threads."""
    return isinstance(error, MemoryError) or "can't start new thread" in str(error)


def _returns_argument(place: int) -> Callable:
    return lambda *args, **kwargs: copy.deepcopy([*args, *kwargs.values()][place])


def _always(value: Any) -> Callable:
    return lambda *args, **kwargs: copy.copy(value)


TRIVIAL_FUNCTIONS = [
    *map(_always, (None, True, False, 0, 1, 2, -1, 0.0, 0.5, [])),
    *map(_returns_argument, (0, 1, 2, -1)),
]


@lru_cache(maxsize=10_000)
def _trivial_passes(which: int, exercise: str, number: int, seed: int) -> bool:
    """Check whether this function of `TRIVIAL_FUNCTIONS` passes the case with this number."""
    case, shrinking = _cases_of(exercise, seed)[number], SHRINKING.set(False)
    with using({}):
        passed = run_case(case, LocalStage(CHECKS[exercise], TRIVIAL_FUNCTIONS[which]), 1).passed
    SHRINKING.reset(shrinking)
    return passed


def _by_luck(exercise: str, numbers: list[int], seed: int) -> bool:
    """Check whether a function that always returns the same value, or an argument, passes all these cases."""
    return any(
        all(_trivial_passes(which, exercise, number, seed) for number in numbers)
        for which in range(len(TRIVIAL_FUNCTIONS))
    )


@lru_cache(maxsize=64)
def _cases_of(exercise: str, seed: int) -> list[Case]:
    with using({}):
        return list(CHECKS[exercise].cases(np.random.default_rng(seed)))


def _is_stub(error: BaseException | None) -> bool:
    """Check whether a stub raised the error.

    torch raises NotImplementedError, too, if an operation does not support integers; IPython a subclass for `input`.
    """
    return type(error) is NotImplementedError and "not implemented for" not in str(error)
