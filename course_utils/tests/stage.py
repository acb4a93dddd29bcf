"""Where scenes are played with one answer: in this process, or in another one that has it (`classroom.remote_stage`).

A check asks nothing else of an answer than what a stage does. Nothing here knows what is expected.
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
from course_utils.tests.watch import Complaint, common, global_seeds, remembered, scribble, snapshot, watched

LOOKED_AT = 10  # calls of a scene around which settings are looked at, which is slow
PRINTED = 1000  # characters of what an answer prints that are kept


@dataclass(kw_only=True, eq=False)
class Calls:
    """What is asked of each call of an answer, whatever it returns.

    Attributes:
        names: what the lines of a scene may use.
        returns: result -> "" or a sentence that says what is wrong with its type, see `returns`.
        changes: the parameters whose arguments a call may change.
        fresh: whether arrays that are returned must be new ones, which nobody else holds; or result -> those parts of it that must.
    """

    names: dict[str, Any] = field(default_factory=dict)
    returns: Callable[[Any], str] = lambda result: ""
    changes: frozenset[str] | set[str] = frozenset()
    fresh: bool | Callable[[Any], Any] = True
    exercise: str = ""  # set where it is loaded

    @functools.cached_property
    def parameters(self) -> inspect.Signature:
        """The reference's."""
        return inspect.signature(EXERCISES[self.exercise].reference)

    def new(self, result: Any) -> Any:
        """The parts of what was returned that must be new."""
        return self.fresh(result) if callable(self.fresh) else result if self.fresh else ()

    def play(self, lines: str, answer: Callable | None) -> Any:
        """Run them; the value of the last."""
        before, last = _compiled(lines)
        names = {**self.names, "np": np, self.exercise: answer}
        exec(before, names)
        return eval(last, names)


@functools.lru_cache(maxsize=10_000)
def _compiled(lines: str) -> tuple[CodeType, CodeType]:
    """(all but the last, the last)."""
    *before, last = ast.parse(lines).body
    if not isinstance(last, ast.Expr):
        raise ValueError(f"the last line of a scene is an expression: {lines}")
    return compile(ast.Module(before, []), "<scene>", "exec"), compile(ast.Expression(last.value), "<scene>", "eval")


class Stage(Protocol):
    """What a check asks of an answer. An exception that comes of a scene says where: see `placed`."""

    printed: str  # what the answer printed within the last `limited`

    def problem(self) -> str:
        """Why it can't be called at all; "" if it can."""

    def limited(self, seconds: float, function: Callable[[], Any]) -> Any:
        """What `function()` returns. The scenes that it plays find settings and generators as they begin, and have so many seconds of the
        processor together.

        Raises:
            TookTooLong: they took longer.
        """

    def play(self, lines: str) -> Any:
        """The value of the last line."""

    def watched(self, lines: str, chance: int | None = None) -> Any:
        """The same; each call is looked at, and with `chance` the global generators begin with this seed.

        Raises:
            Complaint: the type of what a call returns is wrong, it changed an argument, or handed one out.
        """

    def memory(self, scenes: Sequence[str]) -> tuple[str, str]:
        """(a sentence about what outlived a call, the lines that show it); ("", "") if nothing did."""

    def signature(self, scenes: Sequence[str]) -> str:
        """ "" or a sentence about a parameter's name or default that differs."""


class Here:
    """An answer in this process.

    Args:
        others: the versions of other exercises that it calls; ours for those that are not given.
    """

    def __init__(self, calls: Calls, answer: Any, others: Mapping[str, Callable] | None = None):
        answer = _not_compiled(answer)
        self.calls, self.given, self.printed = calls, answer, ""
        self.answer = interruptible(among(others or {}, calls.exercise, answer)) if callable(answer) else answer
        self.versions = Versions(
            {calls.exercise: answer} if callable(answer) else {}
        )  # helpers of a scene call it, too
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
        handed: list[tuple[Any, Any]] = []
        changed: list[str] = []
        watching = watched(self.answer, calls.parameters, lambda result: "", calls.changes, calls.new)

        def noted(*args, **kwargs):
            if len(changed) == LOOKED_AT:
                return watching(*args, **kwargs)
            result, setting = changed_by(functools.partial(watching, *args, **kwargs))
            changed.append(setting)
            return result

        for lines in scenes:
            changed.clear()
            try:
                value = self._played(lines, remembered(noted, handed, calls.new))
            except Complaint as wrong:
                return f"{wrong.args[1]}, in", lines
            if any(changed):
                return f"a call changes {max(changed)} for everybody", ""
            first.append((lines, snapshot(value)))
        if any(not unchanged(snapshot(result), was) for result, was in handed):
            return "what a call had returned was changed by a later one", ""
        scribble([result for result, _ in handed])
        for lines, was in reversed(first):
            for global_seed in (1, 2):
                later: list[tuple[Any, Any]] = []
                again = self._seeded(lines, remembered(self.answer, later, calls.new), global_seed)
                if common([result for result, _ in handed], [result for result, _ in later]):
                    return "two calls return the same object: writing into one changes the other:", lines
                handed += later
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
        """A snapshot of what comes of them, the global generators seeded before."""
        with global_seeds(seed):
            return snapshot(self._played(lines, answer))

    def signature(self, scenes: Sequence[str]) -> str:
        try:
            complaint = _called_otherwise(inspect.signature(self.given), self.calls.parameters)
        except (TypeError, ValueError):
            complaint = ""  # some callables have no signature to read
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
    """The function that `torch.compile` was given, since compiling takes longer than a check has; else the answer as it is."""
    file = getattr(getattr(answer, "__code__", None), "co_filename", "")
    return inspect.unwrap(answer) if "_dynamo" in file else answer


def among(others: Mapping[str, Callable], exercise: str, answer: Callable) -> Callable:
    """The answer, in whose calls these other versions are in force, and itself."""
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
    """Why the cases can't even begin; "" if they can."""
    if not callable(answer):
        return f"expected a function, got {show(answer)}"
    if inspect.iscoroutinefunction(answer):
        return "it begins with `async def`: its body does not run when it is called; write `def`"
    if inspect.isgeneratorfunction(answer):
        return "it contains `yield`: its body does not run when it is called; write `return`"
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
        return f"it must be callable as {exercise}{bare(ours)}; yours is {exercise}{bare(theirs)}"
    return ""


def _called_otherwise(theirs: inspect.Signature, ours: inspect.Signature) -> str:
    """ "" or a sentence about a parameter's name or default that differs."""
    for name, parameter in ours.parameters.items():
        try:
            theirs.bind_partial(**{name: None})
        except TypeError:
            return f"it has no parameter called `{name}`"
        mine = theirs.parameters.get(name)
        if parameter.default is not parameter.empty and mine is not None:
            if mine.default is mine.empty:
                return f"`{name}` must be optional: its default is {show(parameter.default)}"
            if not same(mine.default, parameter.default) and mine.default is not parameter.default:
                return f"the default of `{name}` is {show(parameter.default)}, yours is {show(mine.default)}"
    return ""


def bare(signature: inspect.Signature) -> str:
    """The parameters' names and defaults, without annotations."""
    bare = [one.replace(annotation=one.empty) for one in signature.parameters.values()]
    return str(inspect.Signature(bare))


# --- what an answer prints, and where it raised ----------------------------------------------------------------------------


class Printed(io.TextIOBase):
    """Keeps the beginning of what is printed, and forgets the rest."""

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
    """Note in the exception where it came through the answer's own lines (`learners_line`), of what kind the names in that expression are
    (`kinds`), what raised it (`origin`), and whether that is torch (`in_torch`)."""
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
    """What stood in the answer's expression that raised: the types of its names, and the shapes of arrays. "" where it can't be read."""
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
