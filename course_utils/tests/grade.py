"""Grading: every case of a check, what came of it, and which mistake that is."""

import contextlib
import copy
import functools
import importlib
import re
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import chain
from typing import Any

import numpy as np

from course_utils.deadline import TookTooLong
from course_utils.exercise import EXERCISES, using
from course_utils.paths import PACKAGE
from course_utils.platform import PATIENCE, processor_time
from course_utils.tests.case import Case, Disagrees, Outcome, Tolerance, errors, plain, run_case
from course_utils.tests.catalogue import Wrong, both
from course_utils.tests.scene import MAKES_SMALLER, Scenes, of_file
from course_utils.tests.stage import Here, Stage, cannot_be_called

NOT_WRITTEN = "not written yet"
WHOLE_CHECK = 20  # seconds of the processor, whatever the answer does
SECOND_TRY = 1  # second for each case, once the answer has run out of time
MADE_OF_DRAWS = 3  # cases at the end of each check, see `Scenes.cases`
TELLING_APART = 1.0  # second of the processor for each wrong answer that may be the learner's


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
    parts: list[tuple[str, Wrong]] = field(default_factory=list)  # where nothing matches: see `_two_mistakes`
    notes: list[str] = field(default_factory=list)
    source: str = ""  # the exercise cell, where it is known
    runs_alone: bool = False  # whether it was made anew of its cells
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
    def named(self) -> bool:
        """Whether known mistakes do, case by case, all that the answer does: one, or two together."""
        return bool(self.matches) or len(self.parts) == 2

    @property
    def late(self) -> bool:
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
        stage = Here(CHECKS[exercise], answer, others)
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
            late = report.late or processor_time() - worked > WHOLE_CHECK
            if late or time.monotonic() - began > PATIENCE * WHOLE_CHECK:
                report.outcomes.append(Outcome(case, complaint="not run, since the time ran out"))
                continue
            outcome = run_case(case, stage, seconds)
            if _is_stub(outcome.error) and not report.outcomes:
                report.problem = NOT_WRITTEN
                return report
            report.outcomes.append(outcome)
        passed = [number for number, outcome in enumerate(report.outcomes) if outcome.passed]
        if report.failures and passed and _by_luck(exercise, passed, seed):
            report.luck = True
        if report.late:
            report.notes.append("The cases after the one that ran out of time were not run.")
        elif any(_is_the_machines(outcome.error) for outcome in report.failures):
            report.notes.append("This machine had no memory or no threads left: that says nothing about your answer.")
        elif report.failures:
            report.matches = [
                entry
                for entry in one_check.wrong
                if _behaves_like(entry, report, seed) and not _told_apart(entry, report, stage)
            ]
            report.parts = [] if report.matches else _two_mistakes(report, seed, stage)
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
    case, shrinking = _cases_of(exercise, seed)[number], MAKES_SMALLER.set(False)
    with using({}):
        passed = run_case(case, Here(CHECKS[exercise], WITHOUT_A_THOUGHT[which]), 1).passed
    MAKES_SMALLER.reset(shrinking)
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


def _behaves_like(entry: Wrong, report: Report, seed: int, seconds: float | None = None) -> bool:
    """Whether this wrong answer does, case by case, exactly what the learner's does. It has so many `seconds` for a case."""
    ours = _outcomes_of(CHECKS[report.exercise].cases, entry, seed, seconds)
    failed_first = sorted(enumerate(report.outcomes), key=lambda one: one[1].passed)  # most entries pass one of them
    return all(_same_outcome(ours(number), outcome) for number, outcome in failed_first)


def _two_mistakes(report: Report, seed: int, stage: Stage) -> list[tuple[str, Wrong]]:
    """Where no known mistake does all that this answer does: two that do so together; else one that does so in the first failed case.

    The latter only if it is the one mistake that does, and fails nothing that the answer passes. Looked for `TELLING_APART` seconds.
    """
    check, ends = CHECKS[report.exercise], processor_time() + TELLING_APART
    by_hand = dict(enumerate(report.outcomes[:-MADE_OF_DRAWS]))  # in the first draw that fails many are alike
    failed = [number for number, outcome in by_hand.items() if not outcome.passed]
    does = {entry: _outcomes_of(check.cases, entry, seed) for entry in check.wrong}
    alike: dict[int, list[Wrong]] = {}
    for number in failed:
        if not alike or processor_time() < ends:
            alike[number] = [entry for entry in check.wrong if _same_outcome(does[entry](number), by_hand[number])]
    for one in dict.fromkeys(chain(*alike.values())):
        for other in check.wrong:
            if processor_time() > ends:
                break
            pair = both(one, other)
            if pair and _behaves_like(pair, report, seed, TELLING_APART) and not _told_apart(pair, report, stage):
                return [("Two things are wrong at once. One is that", one), ("The other is that", other)]
    first = alike[failed[0]] if failed else []
    if len(first) == 1 and all(does[first[0]](number).passed for number in by_hand if number not in failed):
        case = by_hand[failed[0]].case.name
        return [(f'In the case "{case}" this is what you get when', first[0])]
    return []


def _told_apart(entry: Wrong, report: Report, stage: Stage) -> bool:
    """Whether the learner's answer and this wrong one, alike in the first draw that fails, differ in another one.

    Looked for `TELLING_APART` seconds. A wrong answer that has chance of its own is never told apart.
    """
    other = Here(CHECKS[entry.exercise], entry.answer)
    alike = functools.partial(_same_verdict, tolerance=CHECKS[entry.exercise].tolerance)
    firsts = (outcome.first for outcome in report.outcomes if outcome.first is not None)
    for on_all in (first.on_all for first in firsts if first.on_all is not None):
        ours, theirs, again = (_verdicts(one, on_all) for one in (stage, other, other))
        if not all(map(alike, theirs, again)):
            return False  # it has chance of its own: so may the learner's
        if not all(map(alike, ours, theirs)):
            return True
    return False


def _verdicts(stage: Stage, on_all: Callable) -> list[Disagrees | None]:
    """Of as many draws as `TELLING_APART` seconds allow."""
    found, ends = [], processor_time() + TELLING_APART

    def look() -> None:
        for verdict in on_all(stage):
            found.append(verdict)
            if processor_time() > ends:
                return

    with contextlib.suppress(TookTooLong):
        stage.limited(TELLING_APART + 1, look)
    return found


@lru_cache(maxsize=1024)
def _outcomes_of(cases: Callable, entry: Wrong, seed: int, seconds: float | None = None) -> Callable[[int], Outcome]:
    """The outcomes of a wrong answer by number of the case, each worked out once and only when asked for."""
    stage, done = Here(CHECKS[entry.exercise], entry.answer), {}
    with using({}):
        fresh = list(cases(np.random.default_rng(seed)))

    def outcome(number: int) -> Outcome:
        if number not in done:
            shrinking = MAKES_SMALLER.set(False)  # only the first draw that fails tells mistakes apart
            done[number] = run_case(fresh[number], stage, seconds)
            MAKES_SMALLER.reset(shrinking)
        return done[number]

    return outcome


def _same_outcome(ours: Outcome, theirs: Outcome) -> bool:
    if ours.passed or theirs.passed:
        return ours.passed and theirs.passed
    return _same_failure(_told(ours), _told(theirs), theirs.case.tolerance)


Told = tuple[Any, BaseException | None, str]  # value, error, complaint


def _same_failure(ours: Told, theirs: Told, tolerance: Tolerance) -> bool:
    """Whether both do the same: what a right answer may be off by, a wrong one may be, too."""
    (value, error, complaint), (their_value, their_error, their_complaint) = ours, theirs
    if error is not None or their_error is not None:
        if type(error).__name__ != type(their_error).__name__:
            return False
        own_words = complaint.startswith("the message")  # it was right to raise
        return own_words or _words(_gist(error)) == _words(_gist(their_error))
    return _words(complaint) == _words(their_complaint) and _same_data(their_value, value, tolerance)


def _gist(error: BaseException | None) -> str:
    """What it says, but for which attribute of None, say, was asked for first."""
    return "" if isinstance(error, RecursionError) else str(error).split(" has no attribute")[0]


def _same_verdict(ours: Disagrees | None, theirs: Disagrees | None, tolerance: Tolerance) -> bool:
    if ours is None or theirs is None:
        return ours is theirs
    return _same_failure(_of(ours), _of(theirs), tolerance)


def _of(draw: Disagrees) -> Told:
    return draw.got, draw.error, draw.complaint


def _told(outcome: Outcome) -> Told:
    """Of a failure, in which the time that it took has no part."""
    if outcome.first is not None:
        return _of(outcome.first)
    return outcome.value, outcome.error, outcome.complaint


def _same_data(one: Any, other: Any, tolerance: Tolerance) -> bool:
    if isinstance(one, list | tuple) and isinstance(other, list | tuple):
        return len(one) == len(other) and all(_same_data(a, b, tolerance) for a, b in zip(one, other, strict=True))
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(_same_data(one[key], other[key], tolerance) for key in one)
    one, other = plain(one), plain(other)
    try:
        kinds = np.asarray(one).dtype.kind + np.asarray(other).dtype.kind
        alike = kinds[0] == kinds[1] or (np.shape(one) == () and set(kinds) == set("if"))  # max(0, -0.5) is 0, not 0.0
        return alike and bool(
            np.shape(one) == np.shape(other) and np.allclose(one, other, *errors(tolerance), equal_nan=True)
        )
    except (TypeError, ValueError, RuntimeError):  # of a list of tensors that want gradients
        return re.sub(_ADDRESS, "", repr(one)) == re.sub(_ADDRESS, "", repr(other))


_ADDRESS = r"0x[0-9a-fA-F]+"


def _words(complaint: str) -> str:
    """Without addresses and numbers, and whether these are Python's or NumPy's."""
    return re.sub(rf"{_ADDRESS}|-?\d+(\.\d*)?(e[+-]?\d+)?( \(u?(int|float)\d+\))?", "", complaint)
