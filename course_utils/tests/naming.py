"""Which known mistake an answer makes. A mistake is named only where many draws could have told the two apart, and none did.

The draws are always the same, whatever the seed of the check, and so is the name. They include those on which the answer is right.
"""

import contextlib
import re
from collections.abc import Callable, Iterator
from functools import cache, lru_cache
from typing import Any

import numpy as np

from course_utils.deadline import TookTooLong
from course_utils.exercise import using
from course_utils.platform import processor_time
from course_utils.tests.case import Disagrees, Outcome, Tolerance, errors, plain, run_case
from course_utils.tests.catalogue import Wrong
from course_utils.tests.scene import SHRINKING, Scenes
from course_utils.tests.stage import LocalStage, Stage

SEEDS = (11, 12, 13, 14)  # of the draws
SECONDS = 1.0  # of the processor, in which an answer plays as many of them as it can
FEWEST = 20  # draws that it plays in any case, within two seconds more
EVIDENCE = 2  # see `_weight`

Failure = tuple[Any, BaseException | None, str]  # value, error, complaint


def mistakes_of(check: Scenes, outcomes: list[Outcome], stage: Stage, seed: int) -> list[Wrong]:
    """The known mistakes that do exactly what the answer does, in every case and on every draw.

    Args:
        outcomes: of all cases, with this seed.
        stage: plays scenes with the answer.
    """
    alike = [entry for entry in check.wrong if _same_in_all_cases(entry, check, outcomes, seed)]
    if not alike:
        return []
    verdicts = _verdicts(check, stage)
    return [entry for entry in alike if _is_proven(entry, check, outcomes, verdicts, seed)]


def _is_proven(
    entry: Wrong, check: Scenes, outcomes: list[Outcome], verdicts: list[Disagrees | None], seed: int
) -> bool:
    pairs = list(zip(verdicts, _verdicts_of(check, entry), strict=False))
    if any(differ(*pair, check.tolerance) for pair in pairs):
        return False
    case = outcomes_of(check.cases, entry, check, seed)
    failures = [(_failure(ours), _failure(case(number))) for number, ours in enumerate(outcomes) if not ours.passed]
    drawn = [(_of(ours), _of(other)) for ours, other in pairs if ours is not None and other is not None]
    if sum(_weight(ours) for ours, _ in [*failures, *drawn]) < EVIDENCE:
        return False
    if all(error is not None for (_, error, _), _ in [*failures, *drawn]):  # the same error can have another cause
        causes = [(error, other) for (_, error, _), (_, other, _) in [*failures, *drawn]]
        return all(getattr(one, "kinds", "") == getattr(other, "kinds", "") for one, other in causes)
    return True


def _weight(failure: Failure) -> int:
    """1 for None or a single whole number, which two mistakes may have in common by chance; 2 for all else."""
    value, _, complaint = failure
    if complaint not in ("", "not the same"):
        return 2
    try:
        return 1 if value is None or float(plain(value)).is_integer() else 2
    except (TypeError, ValueError):  # an array, a list, a text
        return 2


def verdicts_differ(check: Scenes, one: Stage, other: Stage, seed: int) -> bool:
    """Whether two answers come out differently on any draw of this seed."""
    return any(
        differ(*pair, check.tolerance) for pair in zip(check.on_all(one, seed), check.on_all(other, seed), strict=True)
    )


# --- cases and draws --------------------------------------------------------------------------------------------------


def _same_in_all_cases(entry: Wrong, check: Scenes, outcomes: list[Outcome], seed: int) -> bool:
    theirs = outcomes_of(check.cases, entry, check, seed)
    failed_first = sorted(enumerate(outcomes), key=lambda pair: pair[1].passed)  # most entries pass one of them
    return all(_same_outcome(theirs(number), outcome) for number, outcome in failed_first)


@lru_cache(maxsize=1024)
def outcomes_of(cases: Callable, entry: Wrong, check: Scenes, seed: int) -> Callable[[int], Outcome]:
    """The outcomes of a wrong answer by number of the case, each worked out once and only when asked for."""
    stage, done = LocalStage(check, entry.answer), {}
    with using({}):
        fresh = list(cases(np.random.default_rng(seed)))

    def outcome(number: int) -> Outcome:
        if number not in done:
            shrinking = SHRINKING.set(False)  # only the first draw that fails tells mistakes apart
            done[number] = run_case(fresh[number], stage)
            SHRINKING.reset(shrinking)
        return done[number]

    return outcome


def _verdicts(check: Scenes, stage: Stage) -> list[Disagrees | None]:
    """Of as many of the draws as `SECONDS` allow, and `FEWEST` at least."""
    verdicts, ends = [], processor_time() + SECONDS

    def play() -> None:
        for verdict in _draws(check, stage):
            verdicts.append(verdict)
            if processor_time() > ends and len(verdicts) >= FEWEST:
                return

    with contextlib.suppress(TookTooLong):
        stage.limited(SECONDS + 2, play)
    return verdicts


def _draws(check: Scenes, stage: Stage) -> Iterator[Disagrees | None]:
    for seed in SEEDS:
        yield from check.on_all(stage, seed)


@cache
def _verdicts_of(check: Scenes, entry: Wrong) -> list[Disagrees | None]:
    return _verdicts(check, LocalStage(check, entry.answer))


# --- what is the same -------------------------------------------------------------------------------------------------


def _same_outcome(ours: Outcome, theirs: Outcome) -> bool:
    if ours.passed or theirs.passed:
        return ours.passed and theirs.passed
    return _same_failure(_failure(ours), _failure(theirs), theirs.case.tolerance)


def _same_failure(ours: Failure, theirs: Failure, tolerance: Tolerance) -> bool:
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


def differ(ours: Disagrees | None, theirs: Disagrees | None, tolerance: Tolerance) -> bool:
    """Whether a draw tells two answers apart: one is right and the other isn't, or they fail in different ways."""
    if ours is None or theirs is None:
        return ours is not theirs
    return not _same_failure(_of(ours), _of(theirs), tolerance)


def _of(draw: Disagrees) -> Failure:
    return draw.got, draw.error, draw.complaint


def _failure(outcome: Outcome) -> Failure:
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
