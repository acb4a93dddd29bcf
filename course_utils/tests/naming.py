"""Name the known mistake that an answer makes, if it behaves exactly like that mistake on many draws.

The draws do not depend on the seed of the check, so neither does the name. They include draws that the answer gets
right.
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
SECONDS = 1.0  # of processor time, for as many of the draws as an answer gets through
FEWEST = 20  # draws that it plays in any case, within two more seconds
EVIDENCE = 2  # see `_weight`

Failure = tuple[Any, BaseException | None, str]  # value, error, complaint


def mistakes_of(check: Scenes, outcomes: list[Outcome], stage: Stage, seed: int) -> list[Wrong]:
    """List the known mistakes that do exactly what the answer does, in every case and on every draw.

    Args:
        outcomes: of all cases, with this seed.
        stage: runs scenes with the answer.
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
    failures = [(_failure(mine), _failure(case(number))) for number, mine in enumerate(outcomes) if not mine.passed]
    failures += [(_of(mine), _of(known)) for mine, known in pairs if mine is not None and known is not None]
    if sum(_weight(mine) for mine, _ in failures) < EVIDENCE:
        return False
    if all(error is not None for (_, error, _), _ in failures):  # the same error can have another cause
        errors_of_both = [(error, known) for (_, error, _), (_, known, _) in failures]
        return all(getattr(error, "kinds", "") == getattr(known, "kinds", "") for error, known in errors_of_both)
    return True


def _weight(failure: Failure) -> int:
    """Weigh a failure as evidence: 1 for None or a single whole number, which may agree by chance; 2 for all else."""
    value, _, complaint = failure
    if complaint not in ("", "not the same"):
        return 2
    try:
        return 1 if value is None or float(plain(value)).is_integer() else 2
    except (TypeError, ValueError):  # an array, a list, a string
        return 2


def verdicts_differ(check: Scenes, first: Stage, second: Stage, seed: int) -> bool:
    """Check whether two answers get different verdicts on any draw of this seed."""
    pairs = zip(check.on_all(first, seed), check.on_all(second, seed), strict=True)
    return any(differ(*pair, check.tolerance) for pair in pairs)


# --- cases and draws --------------------------------------------------------------------------------------------------


def _same_in_all_cases(entry: Wrong, check: Scenes, outcomes: list[Outcome], seed: int) -> bool:
    known = outcomes_of(check.cases, entry, check, seed)
    failed_first = sorted(enumerate(outcomes), key=lambda pair: pair[1].passed)  # most entries pass one of them
    return all(_same_outcome(known(number), outcome) for number, outcome in failed_first)


@lru_cache(maxsize=1024)
def outcomes_of(cases: Callable, entry: Wrong, check: Scenes, seed: int) -> Callable[[int], Outcome]:
    """Return a function from a case's number to a wrong answer's outcome. Each case runs once, on first use."""
    stage, cache = LocalStage(check, entry.answer), {}
    with using({}):
        fresh = list(cases(np.random.default_rng(seed)))

    def outcome(number: int) -> Outcome:
        if number not in cache:
            shrinking = SHRINKING.set(False)  # only the first failing draw tells mistakes apart
            cache[number] = run_case(fresh[number], stage)
            SHRINKING.reset(shrinking)
        return cache[number]

    return outcome


def _verdicts(check: Scenes, stage: Stage) -> list[Disagrees | None]:
    """Collect the verdicts on as many draws as fit into `SECONDS`, and on at least `FEWEST`."""
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


# --- comparing failures -----------------------------------------------------------------------------------------------


def _same_outcome(known: Outcome, mine: Outcome) -> bool:
    if known.passed or mine.passed:
        return known.passed and mine.passed
    return _same_failure(_failure(known), _failure(mine), mine.case.tolerance)


def _same_failure(first: Failure, second: Failure, tolerance: Tolerance) -> bool:
    """Check whether two answers fail in the same way. Their values may differ by the tolerance, as right values may."""
    (value, error, complaint), (second_value, second_error, second_complaint) = first, second
    if error is not None or second_error is not None:
        if type(error).__name__ != type(second_error).__name__:
            return False
        own_words = complaint.startswith("the message")  # it was right to raise
        return own_words or _words(_gist(error)) == _words(_gist(second_error))
    return _words(complaint) == _words(second_complaint) and _same_data(second_value, value, tolerance)


def _gist(error: BaseException | None) -> str:
    """Return an error's message without the name of a missing attribute, which depends on the order of the lines."""
    return "" if isinstance(error, RecursionError) else str(error).split(" has no attribute")[0]


def differ(first: Disagrees | None, second: Disagrees | None, tolerance: Tolerance) -> bool:
    """Check whether a draw tells two answers apart: only one of them is right, or they fail in different ways."""
    if first is None or second is None:
        return first is not second
    return not _same_failure(_of(first), _of(second), tolerance)


def _of(draw: Disagrees) -> Failure:
    return draw.got, draw.error, draw.complaint


def _failure(outcome: Outcome) -> Failure:
    """Return the failure of a case: of the first failing draw, since the shrunk draw depends on the time."""
    if outcome.first is not None:
        return _of(outcome.first)
    return outcome.value, outcome.error, outcome.complaint


def _same_data(a: Any, b: Any, tolerance: Tolerance) -> bool:
    if isinstance(a, list | tuple) and isinstance(b, list | tuple):
        return len(a) == len(b) and all(_same_data(*pair, tolerance) for pair in zip(a, b, strict=True))
    if isinstance(a, dict) and isinstance(b, dict):
        return a.keys() == b.keys() and all(_same_data(a[key], b[key], tolerance) for key in a)
    a, b = plain(a), plain(b)
    try:
        kinds = np.asarray(a).dtype.kind + np.asarray(b).dtype.kind
        alike = kinds[0] == kinds[1] or (np.shape(a) == () and set(kinds) == set("if"))  # max(0, -0.5) is 0, not 0.0
        return alike and bool(np.shape(a) == np.shape(b) and np.allclose(a, b, *errors(tolerance), equal_nan=True))
    except (TypeError, ValueError, RuntimeError):  # a list of tensors with gradients
        return re.sub(_ADDRESS, "", repr(a)) == re.sub(_ADDRESS, "", repr(b))


_ADDRESS = r"0x[0-9a-fA-F]+"


def _words(complaint: str) -> str:
    """Remove addresses and numbers from a complaint, with the names of NumPy's types around them."""
    return re.sub(rf"{_ADDRESS}|-?\d+(\.\d*)?(e[+-]?\d+)?( \(u?(int|float)\d+\))?", "", complaint)
