"""What a graded check is made of: cases, their results, and the message a learner reads.

A check is a generator of `Case`s, registered by `@check`. Each case says what to do with the answer (`run`) and what must
come of it (`expected`), which an independent oracle worked out. All cases run. If any fails, the outcomes are compared
with those of the catalogue's wrong answers (`wrong`), and where they are the same the message names the mistake.
"""

import contextlib
import copy
import functools
import importlib
import inspect
import io
import signal
import textwrap
import threading
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from typing import Any

import numpy as np

from course_utils.exercise import EXERCISES, using

TIME_LIMIT = 5  # seconds a case


class CheckFailed(AssertionError):
    """A graded check failed. A notebook shows it as one line: the details stand above it."""

    def _render_traceback_(self) -> list[str]:
        return [f"CheckFailed: {self}"]


class TookTooLong(BaseException):
    """Not an Exception, so that a bare `except Exception` in an answer can't swallow it."""


@dataclass(frozen=True)
class Such:
    """An expectation that is a property: `holds(value)` returns True, or False or a sentence saying what is wrong."""

    text: str
    holds: Callable[[Any], bool | str]


@dataclass(frozen=True)
class Raises:
    """An expectation that the call raises `kind`, with every string of `mentions` in its message."""

    kind: type[Exception]
    mentions: tuple[str, ...] = ()


@dataclass
class Case:
    """One thing that must be true of an answer.

    Attributes:
        name: what is tried, as a learner would say it: "finds the anti-diagonal".
        run: calls the answer and returns what is judged, as plain data.
        expected: a value that it must equal (see `same`), or a `Such`, or a `Raises`.
        call: the call as a line or lines to paste.
        question: points at the idea that is missing, never at the line of code.
        board: the position or tree in question, drawn.
        tolerance: how far a number may be off.
    """

    name: str
    run: Callable[[Callable], Any]
    expected: Any
    call: str = ""
    question: str = ""
    board: str = ""
    points: int = 1
    tolerance: float = 1e-6
    seconds: float = TIME_LIMIT


@dataclass(frozen=True)
class Misconception:
    """A plausible wrong answer with a name.

    Attributes:
        name: short, unique for its exercise: "sign flip forgotten".
        sentence: what it is, completing "This is what you get when ...".
        question: points the learner at the mend.
        replace: pairs (old, new): the mistake as a change to the reference's source.
        code: or the whole wrong function as source, instead.
    """

    exercise: str
    name: str
    sentence: str
    question: str
    replace: tuple[tuple[str, str], ...] = ()
    code: str = ""

    @cached_property
    def answer(self) -> Callable:
        """The wrong function itself, made when it is first needed. Raises ValueError: an `old` is not in the reference."""
        source = textwrap.dedent(self.code) or EXERCISES[self.exercise].source
        for old, new in self.replace:
            if old not in source:
                raise ValueError(f"wrong answer {self.name!r} of {self.exercise}: {old!r} is not in the reference")
            source = source.replace(old, new)
        namespace = dict(vars(importlib.import_module(EXERCISES[self.exercise].module)))
        exec(compile(source, f"<{self.exercise}: {self.name}>", "exec", dont_inherit=True), namespace)
        return namespace[self.exercise]


@dataclass
class Check:
    exercise: str
    cases: Callable[[np.random.Generator], Iterator[Case]]
    wrong: list[Misconception] = field(default_factory=list)

    @property
    def max_points(self) -> int:
        with using({}):
            return sum(case.points for case in self.cases(np.random.default_rng(0)))


class _Checks(dict[str, Check]):
    """Exercise -> its check. The module with the checks of a notebook is imported when one of them is first asked for."""

    def __missing__(self, name: str) -> Check:
        importlib.import_module(f"course_utils.tests.notebook_{EXERCISES[name].notebook}")
        if name not in self:
            raise KeyError(name)
        return self[name]


CHECKS = _Checks()


def check(cases: Callable[[np.random.Generator], Iterator[Case]]):
    """Register a generator of cases as the check of the exercise whose name it bears. Decorator."""
    name = cases.__name__
    if name not in EXERCISES:
        raise ValueError(f"{cases.__module__}.{name}: no exercise is called that")
    CHECKS[name] = Check(name, cases)
    return cases


def wrong(exercise: str, name: str, sentence: str, question: str, *replace: tuple[str, str], code: str = "") -> None:
    """Add a `Misconception` to the catalogue."""
    CHECKS[exercise].wrong.append(Misconception(exercise, name, sentence, question, replace, code))


# --- running ---------------------------------------------------------------------------------------------------------


@dataclass
class Outcome:
    """What came of one case: a value, or an exception."""

    case: Case
    value: Any = None
    error: BaseException | None = None
    complaint: str = ""  # "" if the case passed

    @property
    def passed(self) -> bool:
        return not self.complaint

    @property
    def got(self) -> str:
        if self.error is not None:
            return f"raised {type(self.error).__name__}: {self.error}"
        return show(self.value)


@contextlib.contextmanager
def time_limit(seconds: float):
    """Raise TookTooLong after `seconds`, where the platform has an interval timer; elsewhere (Windows) no limit."""
    if not hasattr(signal, "setitimer") or threading.current_thread() is not threading.main_thread():
        yield
        return

    def too_long(*_):
        raise TookTooLong

    before = signal.signal(signal.SIGALRM, too_long)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def run_case(case: Case, answer: Callable) -> Outcome:
    outcome = Outcome(case)
    try:
        with time_limit(case.seconds), contextlib.redirect_stdout(io.StringIO()), np.errstate(all="ignore"):
            outcome.value = case.run(answer)
        if isinstance(case.expected, Raises):
            outcome.complaint = "nothing was raised"
        elif isinstance(case.expected, Such):
            verdict = case.expected.holds(outcome.value)
            outcome.complaint = "" if verdict is True else (verdict or "it is not")
        elif not same(outcome.value, case.expected, case.tolerance):
            outcome.complaint = "not the same"
    except TookTooLong as error:
        outcome.error = error
        outcome.complaint = f"took longer than {case.seconds:g} s: does your loop end?"
    except RecursionError as error:
        outcome.error = RecursionError("it calls itself without end")
        outcome.complaint = str(error)
    except Exception as error:
        outcome.error = error
        if isinstance(case.expected, Raises) and isinstance(error, case.expected.kind):
            missing = [word for word in case.expected.mentions if word not in str(error)]
            outcome.complaint = f"the message does not mention {', '.join(missing)}" if missing else ""
        else:
            outcome.complaint = "an exception"
    return outcome


def same(got: Any, expected: Any, tolerance: float = 1e-6) -> bool:
    """Whether an answer's value is the expected one: numbers to `tolerance`, arrays and sequences in shape and entry.

    Lenient where it does not matter (a tuple for a list, a numpy number for a float, float32 for float64, a tensor for an
    array), since types have cases of their own; NaN equals nothing.
    """
    if expected is None or isinstance(expected, str | bool):
        return type(got) in (type(expected), np.bool_) and bool(got == expected)
    if isinstance(expected, dict):
        return (
            isinstance(got, dict)
            and got.keys() == expected.keys()
            and all(same(got[key], expected[key], tolerance) for key in expected)
        )
    if isinstance(expected, list | tuple) and not _numeric(expected):
        return (
            _listlike(got)
            and len(got) == len(expected)
            and all(same(one, other, tolerance) for one, other in zip(got, expected, strict=True))
        )
    try:
        array, wanted = np.asarray(_plain(got), dtype=np.float64), np.asarray(expected, dtype=np.float64)
    except (TypeError, ValueError, RuntimeError):
        return False
    return array.shape == wanted.shape and bool(np.allclose(array, wanted, rtol=tolerance, atol=tolerance))


def _plain(value: Any) -> Any:
    """A tensor that wants gradients as an array; a generator or set stays what it is, and so equals no array."""
    return value.detach().numpy() if hasattr(value, "detach") else value


def _listlike(value: Any) -> bool:
    return isinstance(value, list | tuple | np.ndarray)


def _numeric(values) -> bool:
    return len(values) > 0 and all(isinstance(value, int | float) and not isinstance(value, bool) for value in values)


def show(value: Any) -> str:
    """A value as a learner would write it: short, without float dust."""
    value = _plain(value)
    if isinstance(value, np.ndarray):
        return np.array2string(value, precision=4, suppress_small=True, threshold=60, separator=", ")
    if isinstance(value, float | np.floating):
        return f"{value:.6g}"
    if isinstance(value, np.generic):
        return f"{value.item()!r} ({type(value).__name__})"
    if type(value) in (list, tuple):
        inner = ", ".join(show(item) for item in value)
        return f"[{inner}]" if isinstance(value, list) else f"({inner}{',' if len(value) == 1 else ''})"
    text = value if isinstance(value, str) and "\n" in value else repr(value)  # several lines: a board
    return text if len(text) <= 300 else text[:300] + " ..."


def calls(exercise: str, *args, name: str, expected: Any, call: str = "", **rest) -> Case:
    """A case that is one call on fresh copies of `args`, judged by what it returns."""
    shown = call or f"{exercise}({', '.join(show(arg) for arg in args)})"
    return Case(name, lambda answer: answer(*copy.deepcopy(args)), expected, call=shown, **rest)


def leaves_alone(exercise: str, *args, **rest) -> Case:
    """A case that holds if a call changes none of its arguments."""

    def run(answer):
        given = copy.deepcopy(args)
        answer(*given)
        return all(_unchanged(one, other) for one, other in zip(given, args, strict=True))

    rest.setdefault("question", "Who else holds the object that you were given?")
    call = f"{exercise}({', '.join(show(arg) for arg in args)}), then looking at the arguments again"
    return Case(
        "leaves its arguments as they were", run, Such("arguments unchanged", lambda kept: kept), call=call, **rest
    )


def _unchanged(one, other) -> bool:
    if isinstance(one, np.ndarray):
        return bool(np.array_equal(one, other, equal_nan=one.dtype.kind == "f"))
    return one == other


# --- the report ------------------------------------------------------------------------------------------------------


@dataclass
class Report:
    """The result of one check."""

    exercise: str
    outcomes: list[Outcome] = field(default_factory=list)
    problem: str = ""  # one sentence if the cases could not run at all
    matches: list[Misconception] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    @property
    def passed(self) -> bool:
        return not self.problem and bool(self.outcomes) and all(outcome.passed for outcome in self.outcomes)

    @property
    def points(self) -> int:
        return sum(outcome.case.points for outcome in self.outcomes if outcome.passed)

    @property
    def max_points(self) -> int:
        return CHECKS[self.exercise].max_points

    @property
    def failures(self) -> list[Outcome]:
        return [outcome for outcome in self.outcomes if not outcome.passed]

    @property
    def headline(self) -> str:
        if self.problem:
            return f"{self.exercise}: {self.problem}"
        done = len(self.outcomes) - len(self.failures)
        return f"{self.exercise}: {done} of {len(self.outcomes)} cases, {self.points} of {self.max_points} points"


def grade(exercise: str, answer: Any, seed: int = 0, others: Mapping[str, Callable] | None = None) -> Report:
    """Run every case of the check against `answer`. Never raises for anything the answer does.

    Args:
        others: the versions of other exercises that the answer calls; ours for those that are not given. What is expected is
            always worked out with ours.
    """
    report = Report(exercise)
    report.problem = _cannot_be_called(exercise, answer)
    if report.problem:
        return report
    one_check = CHECKS[exercise]
    answer = among(others or {}, exercise, answer)
    with using({}):
        for case in one_check.cases(np.random.default_rng(seed)):
            outcome = run_case(case, answer)
            if _is_stub(outcome.error) and not report.outcomes:
                report.problem = "not written yet"
                return report
            report.outcomes.append(outcome)
    if report.failures:
        report.matches = [entry for entry in one_check.wrong if _behaves_like(entry, report, seed)]
    return report


def among(others: Mapping[str, Callable], exercise: str, answer: Callable) -> Callable:
    """The answer, in whose calls these other versions are in force, and itself."""
    versions = {**others, exercise: answer}

    @functools.wraps(answer)
    def called(*args, **kwargs):
        with using(versions):
            return answer(*args, **kwargs)

    return called


def _is_stub(error: BaseException | None) -> bool:
    """Whether it was raised by a stub. (torch raises NotImplementedError, too, where an operation knows no whole numbers.)"""
    return isinstance(error, NotImplementedError) and "not implemented for" not in str(error)


def _cannot_be_called(exercise: str, answer: Any) -> str:
    if not callable(answer):
        return f"expected a function, got {show(answer)}"
    try:
        theirs = inspect.signature(answer)
    except (TypeError, ValueError):
        return ""  # some callables have no signature to read: the cases will tell
    ours = inspect.signature(EXERCISES[exercise].reference)
    positional = [p for p in ours.parameters.values() if p.kind is p.POSITIONAL_OR_KEYWORD]
    keywords = {p.name: None for p in ours.parameters.values() if p.kind is p.KEYWORD_ONLY}
    try:
        theirs.bind(*[None for _ in positional], **keywords)
    except TypeError:
        return f"it must be callable as {exercise}{_short(ours)}; yours is {exercise}{_short(theirs)}"
    return ""


def _short(signature: inspect.Signature) -> str:
    """The parameters' names and defaults, without annotations."""
    bare = [p.replace(annotation=p.empty) for p in signature.parameters.values()]
    return str(inspect.Signature(bare))


def _behaves_like(entry: Misconception, report: Report, seed: int) -> bool:
    """Whether this wrong answer does, case by case, exactly what the learner's does."""
    theirs = report.outcomes
    ours = _outcomes_of(CHECKS[report.exercise].cases, entry, seed)
    return all(_same_outcome(ours(number), outcome) for number, outcome in enumerate(theirs))


@lru_cache(maxsize=1024)
def _outcomes_of(cases: Callable, entry: Misconception, seed: int) -> Callable[[int], Outcome]:
    """The outcomes of a wrong answer by number of the case, each worked out once and only when asked for."""
    answer, done = among({}, entry.exercise, entry.answer), {}
    with using({}):
        fresh = list(cases(np.random.default_rng(seed)))

    def outcome(number: int) -> Outcome:
        if number not in done:
            done[number] = run_case(fresh[number], answer)
        return done[number]

    return outcome


def _same_outcome(ours: Outcome, theirs: Outcome) -> bool:
    if ours.passed or theirs.passed:
        return ours.passed and theirs.passed
    if ours.error is not None or theirs.error is not None:
        return type(ours.error) is type(theirs.error)
    return _same_data(theirs.value, ours.value)


def _same_data(one: Any, other: Any) -> bool:
    if isinstance(one, list | tuple) and isinstance(other, list | tuple):
        return len(one) == len(other) and all(_same_data(a, b) for a, b in zip(one, other, strict=True))
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(_same_data(one[key], other[key]) for key in one)
    one, other = _plain(one), _plain(other)
    try:
        return np.asarray(one).dtype.kind == np.asarray(other).dtype.kind and bool(
            np.shape(one) == np.shape(other) and np.allclose(one, other, rtol=1e-6, atol=1e-9, equal_nan=True)
        )
    except (TypeError, ValueError):
        return repr(one) == repr(other)
