"""Run scenes with one answer, in this process or in a subprocess (`classroom.remote_stage`).

A check uses an answer only through a stage. A stage does not know the expected values.
"""

import ast
import contextlib
import functools
import inspect
import io
import linecache
import traceback
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from types import CodeType, TracebackType
from typing import Any, Protocol

import numpy as np

from course_utils.deadline import TookTooLong, interruptible, within
from course_utils.exercise import EXERCISES, WATCHING, Versions, using, wrapping
from course_utils.tests.case import same, show, unchanged
from course_utils.tests.global_settings import changed_by, clean_room
from course_utils.tests.watch import Complaint, common, global_seeds, recorded, scribble, snapshot, watched

LOOKED_AT = 10  # calls of a scene that are checked for changed settings, which is slow
PRINTED = 1000  # characters of an answer's output that are kept


@dataclass(kw_only=True, eq=False)
class Calls:
    """Describe what must hold for each call of an answer, whatever its arguments.

    Attributes:
        names: the globals of a scene's lines.
        returns: result -> "" or a sentence that says what is wrong with its type, see `returns`.
        changes: the parameters whose arguments a call may change.
        fresh: whether returned arrays must be new, shared with no other object; or result -> the arrays that must be.
    """

    names: dict[str, Any] = field(default_factory=dict)
    returns: Callable[[Any], str] = lambda result: ""
    changes: frozenset[str] | set[str] = frozenset()
    fresh: bool | Callable[[Any], Any] = True
    exercise: str = ""  # set by the loader

    @functools.cached_property
    def parameters(self) -> inspect.Signature:
        """The signature of the reference."""
        return inspect.signature(EXERCISES[self.exercise].reference)

    def new(self, result: Any) -> Any:
        """Select the arrays of a result that must be new."""
        return self.fresh(result) if callable(self.fresh) else result if self.fresh else ()

    def play(self, lines: str, answer: Callable | None) -> Any:
        """Run the lines with the answer, and return the value of the last one."""
        before, last = _compiled(lines)
        names = {**self.names, "np": np, self.exercise: answer}
        exec(before, names)
        return eval(last, names)


@functools.lru_cache(maxsize=10_000)
def _compiled(lines: str) -> tuple[CodeType, CodeType]:
    """Compile the lines to (all but the last, the last as an expression)."""
    *before, last = ast.parse(lines).body
    if not isinstance(last, ast.Expr):
        raise ValueError(f"the last line of a scene is an expression: {lines}")
    return compile(ast.Module(before, []), "<scene>", "exec"), compile(ast.Expression(last.value), "<scene>", "eval")


class Stage(Protocol):
    """Run scenes with an answer. An exception that a scene raises carries its location: see `placed`."""

    printed: str  # the answer's output during the last `limited`

    def problem(self) -> str:
        """Say why the answer can't be called; "" if it can."""

    def limited(self, seconds: float, function: Callable[[], Any]) -> Any:
        """Return `function()`. The scenes that it plays get fresh settings and generators, and share a timeout.

        Args:
            seconds: of processor time, for all scenes together.

        Raises:
            TookTooLong: the scenes took longer.
        """

    def play(self, lines: str) -> Any:
        """Run the lines, and return the value of the last one."""

    def watched(self, lines: str, chance: int | None = None) -> Any:
        """Run the lines like `play`, and check each call. With `chance`, the global generators start at this seed.

        Raises:
            Complaint: a call returned a wrong type, changed an argument, or returned one.
        """

    def memory(self, scenes: Sequence[str]) -> tuple[str, str]:
        """Return (a sentence about state kept between calls, the lines that show it); ("", "") if there is none."""

    def signature(self, scenes: Sequence[str]) -> str:
        """Say which parameter's name or default differs from the reference; "" if none does."""


class LocalStage:
    """Run scenes with an answer in this process.

    Args:
        others: the versions of other exercises that it calls; the course's for those that are not given.
    """

    def __init__(self, calls: Calls, answer: Any, others: Mapping[str, Callable] | None = None):
        answer = _not_compiled(answer)
        self.calls, self.given, self.printed = calls, answer, ""
        self.answer = interruptible(among(others or {}, calls.exercise, answer)) if callable(answer) else answer
        # helpers of a scene call the answer, too
        self.versions = Versions({calls.exercise: answer} if callable(answer) else {})
        code = getattr(inspect.unwrap(answer), "__code__", None) if callable(answer) else None
        self.filename = code.co_filename if code else ""

    def problem(self) -> str:
        return cannot_be_called(self.calls.exercise, self.given)

    def limited(self, seconds: float, function: Callable[[], Any]) -> Any:
        printed = Printed()
        quiet = contextlib.redirect_stdout(printed), contextlib.redirect_stderr(printed), np.errstate(all="ignore")
        try:
            with clean_room(), quiet[0], quiet[1], quiet[2], warnings.catch_warnings():
                warnings.showwarning = lambda message, kind, *place: print(f"{kind.__name__}: {message}")
                return within(seconds, function, calmly=True)
        except BaseException as error:
            placed(error, self.filename)
            raise
        finally:
            self.printed = str(printed)

    def play(self, lines: str) -> Any:
        return self._played(lines, self.answer)

    def watched(self, lines: str, chance: int | None = None) -> Any:
        calls = self.calls
        answer = watched(self.answer, calls.parameters, calls.returns, calls.changes, calls.new)
        with contextlib.nullcontext() if chance is None else global_seeds(chance):
            return self._played(lines, answer)

    def _played(self, lines: str, answer: Callable) -> Any:
        try:
            with using(self.versions):
                return self.calls.play(lines, answer)
        except Exception as error:
            placed(error, self.filename)
            raise

    def memory(self, scenes: Sequence[str]) -> tuple[str, str]:
        calls = self.calls
        first: list[tuple[str, Any]] = []
        results: list[tuple[Any, Any]] = []
        changed: list[str] = []
        watching = watched(self.answer, calls.parameters, lambda result: "", calls.changes, calls.new)

        def checked(*args, **kwargs):
            if len(changed) == LOOKED_AT:
                return watching(*args, **kwargs)
            result, setting = changed_by(functools.partial(watching, *args, **kwargs))
            changed.append(setting)
            return result

        for lines in scenes:
            changed.clear()
            try:
                value = self._played(lines, recorded(checked, results, calls.new))
            except Complaint as wrong:
                return f"{wrong.args[1]}, in", lines
            if any(changed):
                return f"a call changes {max(changed)} for everybody", ""
            first.append((lines, snapshot(value)))
        if any(not unchanged(snapshot(result), was) for result, was in results):
            return "what a call had returned was changed by a later one", ""
        scribble([result for result, _ in results])
        for lines, was in reversed(first):
            for global_seed in (1, 2):
                later: list[tuple[Any, Any]] = []
                again = self._seeded(lines, recorded(self.answer, later, calls.new), global_seed)
                if common([result for result, _ in results], [result for result, _ in later]):
                    return "two calls return the same object: writing into one changes the other:", lines
                results += later
                if unchanged(again, was):
                    continue
                if any(not unchanged(self._seeded(lines, self.answer, number), again) for number in range(3, 23)):
                    return (
                        "the same lines give a different result each time: where do the random numbers come from?",
                        lines,
                    )
                return f"the same lines give {show(again)} the second time, {show(was)} the first:", lines
        return "", ""

    def _seeded(self, lines: str, answer: Callable, seed: int) -> Any:
        """Seed the global generators, run the lines, and return a snapshot of the result."""
        with global_seeds(seed):
            return snapshot(self._played(lines, answer))

    def signature(self, scenes: Sequence[str]) -> str:
        try:
            complaint = _called_otherwise(inspect.signature(self.given), self.calls.parameters)
        except (TypeError, ValueError):
            complaint = ""  # some callables have no readable signature
        if complaint:
            return complaint

        def by_name(*args, **kwargs):
            return self.answer(**self.calls.parameters.bind(*args, **kwargs).arguments)

        for lines in scenes[:1]:
            try:
                self._seeded(lines, by_name, 1)
            except TypeError as error:
                return f"called by name it raises {error}"
        return ""


def _not_compiled(answer: Any) -> Any:
    """Unwrap a function from `torch.compile`, since compiling takes longer than a check's timeout."""
    file = getattr(getattr(answer, "__code__", None), "co_filename", "")
    return inspect.unwrap(answer) if "_dynamo" in file else answer


def among(others: Mapping[str, Callable], exercise: str, answer: Callable) -> Callable:
    """Wrap an answer, so that its calls to exercises use these versions, and itself."""
    versions = Versions({**others, exercise: answer})

    @functools.wraps(answer)
    def called(*args, **kwargs):
        watchers = WATCHING.get()
        with using(versions):
            if not watchers:
                return answer(*args, **kwargs)
            with wrapping(watchers):
                return answer(*args, **kwargs)

    return called


def cannot_be_called(exercise: str, answer: Any) -> str:
    """Say why no case can run; "" if the answer can be called."""
    if not callable(answer):
        return f"expected a function, got {show(answer)}"
    if inspect.iscoroutinefunction(answer):
        return "it begins with `async def`: its body does not run when it is called; write `def`"
    if inspect.isgeneratorfunction(answer):
        return "it contains `yield`: its body does not run when it is called; write `return`"
    try:
        signature = inspect.signature(answer)
    except (TypeError, ValueError):
        return ""  # some callables have no readable signature: the cases will tell
    expected = inspect.signature(EXERCISES[exercise].reference)
    positional = [p for p in expected.parameters.values() if p.kind is p.POSITIONAL_OR_KEYWORD]
    keywords = {p.name: None for p in expected.parameters.values() if p.kind is p.KEYWORD_ONLY}
    try:
        signature.bind(*[None for _ in positional], **keywords)
    except TypeError:
        return f"it must be callable as {exercise}{bare(expected)}; yours is {exercise}{bare(signature)}"
    return ""


def _called_otherwise(signature: inspect.Signature, expected: inspect.Signature) -> str:
    """Say which parameter's name or default differs; "" if none does."""
    for name, parameter in expected.parameters.items():
        try:
            signature.bind_partial(**{name: None})
        except TypeError:
            return f"it has no parameter called `{name}`"
        own = signature.parameters.get(name)
        if parameter.default is not parameter.empty and own is not None:
            if own.default is own.empty:
                return f"`{name}` must be optional: its default is {show(parameter.default)}"
            if not same(own.default, parameter.default) and own.default is not parameter.default:
                return f"the default of `{name}` is {show(parameter.default)}, yours is {show(own.default)}"
    return ""


def bare(signature: inspect.Signature) -> str:
    """Format the parameters' names and defaults, without annotations."""
    parameters = signature.parameters.values()
    return str(inspect.Signature([parameter.replace(annotation=parameter.empty) for parameter in parameters]))


# --- an answer's output, and where it raised --------------------------------------------------------------------------


class Printed(io.TextIOBase):
    """Keep the beginning of an answer's output, and count the rest."""

    def __init__(self):
        self.text, self.lost = "", 0

    def write(self, text: str) -> int:
        room = PRINTED - len(self.text)
        self.text += text[:room] if room > 0 else ""
        self.lost += max(0, len(text) - max(room, 0))
        return len(text)

    def __str__(self) -> str:
        return self.text + (f" ... and {self.lost} characters more" if self.lost else "")


def placed(error: BaseException, filename: str) -> None:
    """Note in an exception where it came from.

    Sets `learners_line`, the last of the answer's own lines in the traceback; `kinds`, the types of the names in that
    expression; `origin`, the function that raised it; and `in_torch`, whether torch raised it.
    """
    if hasattr(error, "learners_line") or isinstance(error, TookTooLong):
        return
    frames = list(_frames(error))
    own = [frame for frame in frames if frame.filename == filename]
    with contextlib.suppress(AttributeError, TypeError):
        error.origin = f"{frames[-1].filename}, in {frames[-1].name}" if frames else ""  # type: ignore[attr-defined]
        error.in_torch = bool(frames) and "torch" in frames[-1].filename  # type: ignore[attr-defined]
        error.learners_line = ""  # type: ignore[attr-defined]
        error.kinds = _kinds(error, filename)  # type: ignore[attr-defined]
        if own and (text := linecache.getline(filename, own[-1].lineno or 0).strip()):
            error.learners_line = f"line {own[-1].lineno} of your cell: `{text}`"  # type: ignore[attr-defined]


def _frames(error: BaseException) -> Iterator[traceback.FrameSummary]:
    for frame, number in traceback.walk_tb(error.__traceback__):
        yield traceback.FrameSummary(frame.f_code.co_filename, number, frame.f_code.co_name, lookup_line=False)


def _kinds(error: BaseException, filename: str) -> str:
    """List the types and shapes of the names in the answer's expression that raised; "" if its source can't be read."""
    own = [entry for entry in _traceback(error) if entry.tb_frame.f_code.co_filename == filename]
    if not own:
        return ""
    frame = own[-1].tb_frame
    first, last, begin, end = list(frame.f_code.co_positions())[own[-1].tb_lasti // 2]
    if first is None or last is None:
        return ""
    lines = [linecache.getline(filename, number).encode() for number in range(first, last + 1)]
    lines[-1] = lines[-1][:end]
    lines[0] = lines[0][begin:]
    try:
        tree = ast.parse(b"(" + b"".join(lines) + b")")
    except SyntaxError:
        return ""
    names = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)} & frame.f_locals.keys()
    return ", ".join(sorted(_kind(frame.f_locals[name]) for name in names))


def _kind(value: Any) -> str:
    shape = getattr(value, "shape", None)
    return f"{type(value).__name__}{list(shape)}" if isinstance(shape, tuple) else type(value).__name__


def _traceback(error: BaseException) -> Iterator[TracebackType]:
    entry = error.__traceback__
    while entry is not None:
        yield entry
        entry = entry.tb_next
