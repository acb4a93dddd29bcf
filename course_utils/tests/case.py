"""Run one case of a check against an answer, and compare the result with what is expected."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from course_utils.deadline import TookTooLong

TIME_LIMIT = 5  # seconds a case
Tolerance = float | tuple[float, float]


@dataclass(frozen=True)
class Such:
    """Expect a property: `holds(value)` returns True, or False, or a sentence saying what is wrong."""

    text: str
    holds: Callable[[Any], bool | str]


@dataclass(frozen=True)
class Raises:
    """Expect that the call raises `kind`, with every string of `mentions` in its message."""

    kind: type[Exception]
    mentions: tuple[str, ...] = ()

    def complaint(self, error: BaseException) -> str:
        """Describe how the error differs from the expected one; "" if it does not."""
        if not isinstance(error, self.kind):
            return "an exception"
        missing = [word for word in self.mentions if word not in str(error)]
        return f"the message does not mention {', '.join(missing)}" if missing else ""


@dataclass
class Case:
    """Describe one thing that must be true of an answer.

    Attributes:
        name: what is tried, as a learner would say it: "finds the anti-diagonal".
        run: plays scenes on a stage and returns what is judged, as plain data.
        expected: a value that it must equal (see `same`), or a `Such`, or a `Raises`.
        call: the call as a line or lines to paste.
        lines: the same without imports, where the case is one scene.
        question: points at the missing idea, never at the line of code.
        board: the position or tree in question, drawn.
        tolerance: how far a number may be off.
    """

    name: str
    run: Callable[[Any], Any]
    expected: Any
    call: str = ""
    question: str = ""
    board: str = ""
    points: int = 1
    tolerance: Tolerance = 1e-6
    seconds: float = TIME_LIMIT
    lines: str = ""


class Disagrees(AssertionError):
    """Report a call with an unexpected result. A case that tries many calls raises it for the smallest failing call."""

    def __init__(
        self,
        call: str,
        board: str,
        expected: Any,
        got: Any = None,
        error: BaseException | None = None,
        complaint: str = "",
    ):
        super().__init__(call)
        self.call, self.board, self.expected = call, board, expected
        self.got, self.error, self.complaint = got, error, complaint
        # the first failing call, which was shrunk to this one
        self.first: Disagrees | None = None
        # set on the first failing call only: the verdicts of an answer on every call
        self.on_all: Callable[[Any], Iterator[Disagrees | None]] | None = None


@dataclass
class Outcome:
    """Hold the result of one case: a value or an exception."""

    case: Case
    value: Any = None
    error: BaseException | None = None
    complaint: str = ""  # "" if the case passed
    printed: str = ""  # what the answer printed, truncated
    # the first of many calls that failed: unlike the shrunk call, it does not depend on the time
    first: Disagrees | None = None

    @property
    def passed(self) -> bool:
        return not self.complaint

    @property
    def got(self) -> str:
        if self.error is not None:
            return f"raised {type(self.error).__name__}: {self.error}"
        return show(self.value)


def run_case(case: Case, stage: Any, seconds: float | None = None) -> Outcome:
    """Run a case, and catch everything that the answer raises except KeyboardInterrupt.

    Args:
        stage: runs the scenes, see `stage.Stage`.
        seconds: a shorter timeout than the case's own.
    """
    seconds = min(case.seconds, seconds or case.seconds)
    outcome = Outcome(case)
    try:
        outcome.value = stage.limited(seconds, lambda: case.run(stage))
        outcome.complaint = complaint_about(outcome.value, case.expected, case.tolerance)
    except Disagrees as draw:
        outcome.case = replace(case, call=draw.call, board=draw.board, expected=draw.expected)
        outcome.value, outcome.error, outcome.first = draw.got, draw.error, draw.first
        if isinstance(draw.error, TookTooLong):
            outcome.complaint = too_long(seconds)
        else:
            outcome.complaint = draw.complaint or ("an exception" if draw.error is not None else "not the same")
    except TookTooLong as error:
        outcome.error, outcome.complaint = error, too_long(seconds)
    except RecursionError as error:
        outcome.error, outcome.complaint = RecursionError("it calls itself without end"), "it calls itself without end"
        vars(outcome.error).update(vars(error))
    except (Exception, SystemExit, GeneratorExit) as error:
        outcome.error = error
        outcome.complaint = case.expected.complaint(error) if isinstance(case.expected, Raises) else "an exception"
    outcome.printed = stage.printed
    return outcome


def too_long(seconds: float) -> str:
    return f"took longer than {seconds:g} s: does your loop end?"


def complaint_about(value: Any, expected: Any, tolerance: Tolerance) -> str:
    """Describe how a returned value differs from the expected one; "" if it does not."""
    if isinstance(expected, Raises):
        return "nothing was raised"
    if isinstance(expected, Such):
        verdict = expected.holds(value)
        return "" if verdict is True else (verdict or "it is not")
    return "" if same(value, expected, tolerance) else "not the same"


def same(got: Any, expected: Any, tolerance: Tolerance = 1e-6, equal_nan: bool = False) -> bool:
    """Compare an answer's value with the expected one: numbers to `tolerance`, arrays by shape and entries.

    A tolerance limits the relative and the absolute error, or is a pair of both: (1e-9, 0) where tiny numbers matter.

    A tuple passes for a list, a numpy number for a float, float32 for float64, and a tensor for an array, since other
    cases check the types. NaN equals nothing, not even itself, unless `equal_nan`.
    """
    if expected is None or isinstance(expected, str | bool):
        return type(got) in (type(expected), np.bool_) and bool(got == expected)
    if isinstance(expected, dict):
        return (
            isinstance(got, dict)
            and got.keys() == expected.keys()
            and all(same(got[key], expected[key], tolerance, equal_nan) for key in expected)
        )
    if isinstance(expected, list | tuple) and not _numeric(expected):
        return (
            _listlike(got)
            and len(got) == len(expected)
            and all(same(entry, wanted, tolerance, equal_nan) for entry, wanted in zip(got, expected, strict=True))
        )
    try:
        array, wanted = (np.asarray(plain(value), dtype=np.float64) for value in (got, expected))
    except (TypeError, ValueError, RuntimeError):
        return False
    if array.shape != wanted.shape:
        return False
    return np.array_equal(array, wanted) or bool(np.allclose(array, wanted, *errors(tolerance), equal_nan=equal_nan))


def errors(tolerance: Tolerance) -> tuple[float, float]:
    """Return the tolerances of the relative and of the absolute error."""
    return tolerance if isinstance(tolerance, tuple) else (tolerance, tolerance)


def plain(value: Any) -> Any:
    """Turn a tensor with gradients into an array. A generator or a set is returned as it is, and so equals no array."""
    return value.detach().numpy() if hasattr(value, "detach") else value


def _listlike(value: Any) -> bool:
    return isinstance(value, list | tuple | np.ndarray)


def _numeric(values) -> bool:
    return len(values) > 0 and all(isinstance(value, int | float) and not isinstance(value, bool) for value in values)


def show(value: Any) -> str:
    """Format a value as a learner would write it: short, without rounding errors."""
    value = plain(value)
    if isinstance(value, np.ndarray):
        sizes = np.abs(value[np.isfinite(value) & (value != 0)]) if value.dtype.kind == "f" else np.ones(1)
        dust = bool((sizes < 1e-12 * sizes.max(initial=0)).any())
        return np.array2string(value, precision=4, suppress_small=dust, threshold=60, separator=", ")
    if isinstance(value, float | np.floating):
        return f"{value:.6g}"
    if isinstance(value, np.generic):
        return repr(value.item())
    if type(value) in (list, tuple):
        inner = ", ".join(show(item) for item in value)
        return f"[{inner}]" if isinstance(value, list) else f"({inner}{',' if len(value) == 1 else ''})"
    if type(value) is dict:
        return "{" + ", ".join(f"{key!r}: {show(entry)}" for key, entry in value.items()) + "}"
    if isinstance(value, str) and "\n" in value:  # a board or a tree: the report truncates it by lines
        return value[:5000]
    text = repr(value)
    return text if len(text) <= 300 else text[:300] + " ..."


def unchanged(before: Any, after: Any) -> bool:
    """Check whether two values are the same to the last bit, NaN and types included."""
    if type(before) is not type(after):
        return False
    if isinstance(before, np.ndarray):
        return before.dtype == after.dtype and bool(np.array_equal(before, after, equal_nan=before.dtype.kind == "f"))
    if isinstance(before, list | tuple):
        return len(before) == len(after) and all(unchanged(a, b) for a, b in zip(before, after, strict=True))
    if isinstance(before, dict):
        return before.keys() == after.keys() and all(unchanged(before[key], after[key]) for key in before)
    return bool(before == after) or (before != before and after != after)
