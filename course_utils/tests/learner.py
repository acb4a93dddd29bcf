"""From a learner's function to a graded, recorded result."""

import ast
import builtins
import contextlib
import importlib
import inspect
import linecache
import math
import re
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

from course_utils import record
from course_utils.exercise import (
    BEGIN,
    END,
    EXERCISES,
    CannotBind,
    bind,
    checks_called,
    from_elsewhere,
    is_ours,
    others_called,
    recorded_source,
    yours,
)
from course_utils.names import assigns, defines, needs, parsed, reads, reads_before
from course_utils.paths import COURSE, NOTEBOOKS, is_lost
from course_utils.tests import reach
from course_utils.tests.grade import NOT_WRITTEN, SECOND_TRY, CheckFailed, Report, grade
from course_utils.tests.render import as_html, as_text, diagnosis

_grading = False  # a check that runs inside a check does nothing


def cell_source(answer: Callable) -> str:
    """The whole notebook cell in which `answer` was defined, or "" where that can't be told.

    A function from a file on disk has no cell; but a cell may lie in one of ipykernel's own, for JupyterLab's debugger.
    """
    filename = _filename(answer)
    on_disk = Path(filename).exists() and not Path(filename).parent.name.startswith("ipykernel_")
    return "" if on_disk or not filename else "".join(linecache.getlines(filename))


def grade_answer(exercise: str, answer, seed: int = 0) -> tuple[Report, str]:
    """Grade a function as the learner's: its whole cell is run again, and its calls to other exercises go to yours or ours.

    Returns:
        (report, source): `source` is the cell to record, "" where there is none that would run on its own.
    """
    now = yours()
    others = {name: function for name, function in now.items() if name != exercise}
    if answer is EXERCISES[exercise].function:  # imported from `mine`
        if exercise not in now:
            return Report(
                exercise, problem="this is the course's own version: run your exercise cell, then this one"
            ), ""
        answer, source = inspect.unwrap(now[exercise]), recorded_source(exercise)
    else:
        source = cell_source(answer)
    if taken := reach.ours(exercise, source):
        return Report(
            exercise,
            problem=f"`{taken}` is the course's own version, which does not count as an answer: write your own",
        ), ""
    why_not = _why_not_recorded(exercise, answer, source)
    if why_not:
        report = _with_yours_or_ours(exercise, answer, seed, others)
        report.source = source
        if not report.problem and callable(answer):
            report.notes.append(f"Graded as it is, not recorded: {why_not}.")
        return report, ""

    live = getattr(inspect.unwrap(answer), "__globals__", {})
    source = with_imports(exercise, source, live)
    missing = sorted(from_elsewhere(exercise, source))
    elsewhere = sorted(seen_only_there(exercise, source, live))
    bound, alone, seconds = answer, False, None
    if not missing:  # as it will run when it is recorded
        with contextlib.suppress(CannotBind):
            bound = bind(exercise, source)
            report = _with_yours_or_ours(exercise, bound, seed, others)
            alone, seconds = report.passed or not elsewhere, SECOND_TRY if report.late else None
    if not alone:  # as it runs in its notebook
        with contextlib.suppress(CannotBind):
            bound = bind(exercise, source, live)
        report = _with_yours_or_ours(exercise, bound, seed, others, seconds)
    report.source = source
    if report.problem == NOT_WRITTEN and has_own_lines(exercise, source):
        report.problem = "its line `raise NotImplementedError(...)` is still there: delete it"
    called = others_called(exercise, source)
    whose = [f"{name} ({'yours' if name in now else 'ours'})" for name in EXERCISES if name in called]
    if whose and report.outcomes:
        report.notes.append(f"It called {', '.join(whose)}.")
    if report.passed and not alone:
        why = (
            f"it uses {', '.join(missing or elsewhere)} from another cell"
            if missing or elsewhere
            else "its cell does not run on its own"
        )
        move = "Move everything that the answer needs into its cell"
        if missing and not {*missing} & needs(_definitions(source)):
            move = "These are its last lines, which the answer does not need: move them into another cell"
        report.notes.append(f"Not recorded: {why}. {move}.")
        source = ""
    elif report.passed and elsewhere:
        report.notes.append(
            f"Graded with the course's own {', '.join(elsewhere)}, not with what has that name in your notebook."
        )
    return report, source


def _with_yours_or_ours(
    exercise: str, answer, seed: int, others: dict[str, Callable], seconds: float | None = None
) -> Report:
    """Graded with the learner's other answers in force. What fails with them and passes with ours is right: the fault is not its own."""
    report = grade(exercise, answer, seed, others, seconds)
    if report.passed or report.problem or not others:
        return report
    alone = grade(exercise, answer, seed, seconds=SECOND_TRY if report.late else seconds)
    if not alone.passed:
        report.matches = report.matches or alone.matches  # known mistakes call ours
        return report
    alone.notes.append(
        f"With the course's own versions of the functions that it calls, it passes. With yours, this case fails: {report.failures[0].case.name}."
    )
    return alone


def _filename(answer) -> str:
    code = getattr(inspect.unwrap(answer), "__code__", None) if callable(answer) else None
    return code.co_filename if code else ""


def _why_not_recorded(exercise: str, answer, source: str) -> str:
    """Why the object that was handed over can't be made again from its cell; "" if it can."""
    if not source:
        timed = _filename(answer) == "<timed exec>"
        return "its cell begins with %%time: leave that out" if timed else "the source of its cell can't be read"
    if checks_called(source):
        return "its cell also calls a check, which belongs in a cell of its own"
    function = inspect.unwrap(answer)
    by_name = exercise in assigns(source) and getattr(function, "__globals__", {}).get(exercise) is answer
    if getattr(function, "__qualname__", "") != exercise and not by_name:
        return f"its cell defines no function called {exercise} that is this one"
    return ""


def has_own_lines(exercise: str, source: str) -> bool:
    """Whether the learner has written anything into the stub."""
    reference, given, inside = EXERCISES[exercise].source.splitlines(), set(), False
    for line in map(str.strip, reference):
        inside = (inside or line == BEGIN) and line != END
        given |= {line} if inside else set()
    function = next((n for n in ast.parse(source).body if isinstance(n, ast.FunctionDef) and n.name == exercise), None)
    lines = [] if function is None else [ast.unparse(one) for one in function.body[1:]]
    written = {line.strip() for one in lines for line in one.splitlines()}
    kept = {ast.unparse(one).strip() for line in given for one in _parsed(line)}
    return any(not line.startswith("raise NotImplementedError") for line in written - given - kept)


def _parsed(line: str) -> list[ast.stmt]:
    try:
        return ast.parse(line).body
    except SyntaxError:
        return []


def with_imports(exercise: str, source: str, live: dict) -> str:
    """The cell, with an import for each name that it uses and the notebook had imported in another cell."""
    module = {**vars(builtins), **vars(importlib.import_module(EXERCISES[exercise].module))}
    lines = []
    for name in sorted(reads(source) - defines(source) - EXERCISES.keys() - {"get_ipython", "display"}):
        value = live.get(name)
        if value is module.get(name) or value is None:
            continue
        with contextlib.suppress(Exception):  # whatever a notebook holds
            if isinstance(value, ModuleType) and not _is_learners(value):
                lines += [f"import {value.__name__} as {name}"] if name != value.__name__ else _parts(value, source)
            elif home := _home(value):
                lines.append(f"from {home} import {value.__name__} as {name}")
            elif isinstance(value, float) and value == getattr(math, name, None):
                lines.append(f"from math import {name}")
    tree = parsed(source)
    future = [one.end_lineno or 0 for one in tree.body if getattr(one, "module", "") == "__future__"] if tree else []
    kept = source.splitlines(keepends=True)
    head = max(future, default=0)  # before which nothing else may stand
    return "".join([*kept[:head], *(f"{line}\n" for line in lines), *kept[head:]])


def _parts(module: ModuleType, source: str) -> list[str]:
    """Imports of a package and of those of its modules that a cell uses as `package.module`."""
    used = re.findall(rf"\b({module.__name__}(?:\.\w+)+)", source)
    paths = {".".join(one.split(".")[:length]) for one in used for length in range(2, one.count(".") + 2)}
    return [f"import {path}" for path in sorted({module.__name__, *(paths & sys.modules.keys())})]


def _is_learners(module: ModuleType | None) -> bool:
    """Whether its file lies beside the notebooks, from where no other process finds it."""
    file = Path(getattr(module, "__file__", None) or "/")
    return file.is_relative_to(NOTEBOOKS) and not file.is_relative_to(sys.prefix)


def seen_only_there(exercise: str, source: str, live: dict) -> set[str]:
    """The names that the cell reads and under which the notebook holds something else than what the cell finds by itself."""
    found = {**vars(builtins), **vars(importlib.import_module(EXERCISES[exercise].module))}
    own = (
        (defines(source) - reads_before(source))
        | others_called(exercise, source)
        | {"get_ipython", "display", "__name__"}
    )
    return {name for name in reads(source) - own if name in live and not is_ours(live[name], found.get(name))}


def _definitions(source: str) -> str:
    """The cell without lines that only do something: prints, plots, assertions."""
    tree = parsed(source) or ast.Module([], [])
    return "\n".join(
        ast.unparse(one)
        for one in tree.body
        if not isinstance(one, ast.Expr | ast.Assert | ast.For | ast.If | ast.With)
    )


def _home(value) -> str:
    """The module that a function or class can be imported from; "" if it is the notebook's own."""
    home, name = getattr(value, "__module__", None), getattr(value, "__name__", None)
    module = sys.modules.get(home) if isinstance(home, str) and home != "__main__" else None
    found = module is not None and isinstance(name, str) and getattr(module, name, None) is value
    return str(home) if found and not _is_learners(module) else ""


def run_check(exercise: str, answer) -> None:
    """Grade, show, record. Raises CheckFailed, one line long, if any case failed."""
    global _grading
    if _grading:
        return
    _grading = True
    try:
        report, source = grade_answer(exercise, answer)
    finally:
        _grading = False
    before = record.load(exercise)
    if not report.passed and before and before.source:
        report.notes.append("Your earlier answer, which passed, stays in use in all notebooks.")
    if report.passed and is_lost():
        report.notes.append(f"Not recorded: this notebook lies outside the course's folder, {COURSE}.")
    if source and report.outcomes:
        attempt = record.Answer(exercise, source, report.points, report.max_points, report.passed)
        try:
            record.save(attempt)
        except OSError as error:
            report.notes.append(f"Not recorded: {error.strerror or error}.")
    if report.problem:  # one line says it all
        raise CheckFailed(report.headline)
    _display(report)
    if not report.passed:
        sentences = " ".join(sentence for sentence, _ in diagnosis(report)[:1])
        raise CheckFailed(f"{report.headline}. {sentences}".strip())


def _display(report: Report) -> None:
    try:
        from IPython import get_ipython
        from IPython.display import display
    except ImportError:
        get_ipython = None
    if get_ipython is not None and get_ipython() is not None and hasattr(get_ipython(), "kernel"):
        display({"text/html": as_html(report), "text/plain": as_text(report)}, raw=True)
    else:
        print(as_text(report))


def make_test(exercise: str) -> Callable:
    def test(answer) -> None:
        run_check(exercise, answer)

    test.__name__ = test.__qualname__ = f"test_{exercise}"
    test.__doc__ = f"Grade your `{exercise}`. Raises CheckFailed if a case fails."
    test.__test__ = False  # type: ignore[attr-defined]  # pytest, this is not one of yours
    return test
