"""Grade a learner's function, show the report, and record the result."""

import ast
import contextlib
import inspect
import re
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from course_utils import platform, record, watchers
from course_utils.answers.kernel import program_run
from course_utils.answers.program import Program
from course_utils.answers.running import run
from course_utils.exercise import BEGIN, END, EXERCISES, LEARNERS, Made, others_called, recorded_source, yours
from course_utils.paths import COURSE, is_lost
from course_utils.tests import reach
from course_utils.tests.grade import NOT_WRITTEN, SECOND_TRY, CheckFailed, Report, grade
from course_utils.tests.render import as_html, as_text, stale

# Whether a check is running: a check that an answer calls in turn does nothing.
_grading = False


def grade_answer(exercise: str, answer: Any, seed: int = 0) -> tuple[Report, str]:
    """Grade the function that a check's cell was given. Its calls to other exercises use the learner's or our versions.

    Returns:
        (report, source): `source` is the program to record, "" if it would not run on its own.
    """
    if answer is EXERCISES[exercise].function:  # imported from `mine`
        if exercise not in yours():
            problem = "this is the course's own version: run your exercise cell, then this one"
            return Report(exercise, problem=problem), ""
        made = Made(inspect.unwrap(yours()[exercise]))
        return grade_program(exercise, None, made, seed=seed), recorded_source(exercise)
    program = program_run(exercise, answer)
    report = grade_program(exercise, program, run(program, exercise) if program else None, answer, seed)
    return report, program.source(exercise) if program and report.runs_alone else ""


def grade_program(exercise: str, program: Program | None, made: Made | None, live: Any = None, seed: int = 0) -> Report:
    """Grade the function that running the program defines, since that one is recorded.

    The notebook's own function is the fallback: if the program defines none, or if it fails and needs helper cells.

    Args:
        program: the cells that define the answer; None if they are unknown.
        made: the result of running the program.
        live: the function in the notebook; None if there is none.
    """
    source = program.learners if program else ""
    if taken := reach.reference_taken(exercise, source):
        return Report(exercise, problem=reach.REFERENCE_TAKEN.format(taken))
    now = yours()
    others = {name: function for name, function in now.items() if name != exercise}
    why_not = made.why_not if made else "the source of its cell can't be read"
    graded = made.function if made and (not why_not or live is None) else live
    report = _with_yours_or_ours(exercise, graded, seed, others)
    if not why_not and live is not None and program and program.helpers and not report.passed:
        as_it_is = _with_yours_or_ours(exercise, live, seed, others, SECOND_TRY if report.timed_out else None)
        if as_it_is.passed:
            report, graded, why_not = as_it_is, live, "its cells give another result when they run alone"
    report.answer, report.source, report.runs_alone = graded, program.answer.python if program else "", not why_not
    if report.problem == NOT_WRITTEN:
        report.problem = left_open(exercise, report.source) or NOT_WRITTEN
    called = others_called(exercise, source)
    versions = [f"{name} ({'yours' if name in now else 'ours'})" for name in EXERCISES if name in called]
    if versions and report.outcomes:
        report.notes.append(f"It called {', '.join(versions)}.")
    if why_not and report.outcomes:
        report.notes.append(f"Graded as it is, not recorded: {why_not}.")
    return report


def keep(report: Report, source: str, folder: Path | None = None) -> None:
    """Record a graded answer. If it passed, use the graded function from now on. Raises OSError."""
    exercise = report.exercise
    record.save(record.Answer(exercise, source, report.points, report.max_points, report.passed), folder)
    if report.passed:
        LEARNERS.hold(exercise, source, report.answer)


STUB_LEFT = "its line `raise NotImplementedError(...)` is still there: delete it"


def _with_yours_or_ours(
    exercise: str, answer, seed: int, others: dict[str, Callable], seconds: float | None = None
) -> Report:
    """Grade with the learner's other answers; if that fails, with the course's. An answer that passes then is right."""
    report = grade(exercise, answer, seed, others, seconds)
    if report.passed or report.problem or not others:
        return report
    alone = grade(exercise, answer, seed, seconds=SECOND_TRY if report.timed_out else seconds)
    if not alone.passed:
        report.matches = report.matches or alone.matches  # known mistakes call ours
        return report
    alone.notes.append(
        f"Your {exercise} passes with the course's own versions of the functions that it calls. With your versions of "
        f"them, this case fails: {report.failures[0].case.name}."
    )
    return alone


STILL_YOURS = (
    "this cell holds only the stub, but your earlier answer, which passed, stays in use in all notebooks. "
    "You can go on, or write it again."
)
HOLE = re.compile(r"NotImplementedError\(['\"](line \d of (\d)) of")


def left_open(exercise: str, source: str) -> str:
    """Say which line of a stub the learner has yet to write; "" if nothing is written yet."""
    holes = [(HOLE.search(line), written) for line, written in _holes(exercise, source)]
    numbered = [(match[1], int(match[2]), written) for match, written in holes if match]
    if not numbered:
        return STUB_LEFT if _has_own_lines(exercise, source) else ""
    line, lines, written = numbered[0]  # the one that raised
    if written:
        return STUB_LEFT
    begun = len(numbered) < lines or any(written for *_, written in numbered)
    return f"{line} is not written yet" if begun else ""


def _holes(exercise: str, source: str) -> list[tuple[str, bool]]:
    """List each `raise NotImplementedError` of the source, and whether a line of the learner's is next to it."""
    reference = [[*map(_first_line, body)] for body in _bodies(EXERCISES[exercise].source)]
    holes = []
    for body in _bodies(source):
        for place, statement in enumerate(body):
            if isinstance(statement, ast.Raise) and "NotImplementedError" in (line := ast.unparse(statement)):
                around = (
                    [*map(_first_line, body[max(place - 1, 0) : place])],
                    [*map(_first_line, body[place + 1 :][:1])],
                )
                holes.append((statement.lineno, line, _written_beside(*around, reference)))
    return [(line, written) for _, line, written in sorted(holes)]


def _written_beside(before: list[str], after: list[str], reference: list[list[str]]) -> bool:
    """Check whether the learner wrote a line between the stub's lines `before` and `after`.

    If so, no line of the reference is missing there.
    """
    for body in reference:
        if {*before, *after} <= {*body}:
            first = body.index(before[0]) + 1 if before else 0
            return (body.index(after[0]) if after else len(body)) <= first
    return True


def _bodies(source: str) -> list[list[ast.stmt]]:
    """List the statements of each block."""
    blocks = (getattr(node, name, None) for node in ast.walk(ast.parse(source)) for name in ("body", "orelse"))
    return [block for block in blocks if isinstance(block, list) and block]


def _first_line(statement: ast.stmt) -> str:
    return ast.unparse(statement).partition("\n")[0]


def _has_own_lines(exercise: str, source: str) -> bool:
    """Check whether the learner has written anything into the stub."""
    reference, given, inside = EXERCISES[exercise].source.splitlines(), set(), False
    for line in map(str.strip, reference):
        inside = (inside or line == BEGIN) and line != END
        given |= {line} if inside else set()
    function = next((n for n in ast.parse(source).body if isinstance(n, ast.FunctionDef) and n.name == exercise), None)
    statements = [] if function is None else [ast.unparse(statement) for statement in function.body[1:]]
    written = {line.strip() for statement in statements for line in statement.splitlines()}
    kept = {ast.unparse(statement).strip() for line in given for statement in _parsed(line)}
    return any(not line.startswith("raise NotImplementedError") for line in written - given - kept)


def _parsed(line: str) -> list[ast.stmt]:
    try:
        return ast.parse(line).body
    except SyntaxError:
        return []


def run_check(exercise: str, answer) -> None:
    """Grade, show and record an answer. If a case failed, raise CheckFailed, or print it where *Run All* would stop."""
    global _grading
    if _grading:
        return
    _grading = True
    try:
        report, source = grade_answer(exercise, answer)
    finally:
        _grading = False
    before = record.load(exercise)
    if report.problem == NOT_WRITTEN and exercise in yours():
        return print(f"{exercise}: {STILL_YOURS}")
    if not report.passed and before and before.source:
        report.notes.append("Your earlier answer, which passed, stays in use in all notebooks.")
    if report.passed and is_lost():
        report.notes.append(f"Not recorded: this notebook lies outside the course's folder, {COURSE}.")
    if source and report.outcomes:
        try:
            keep(report, source)
        except OSError as error:
            report.notes.append(f"Not recorded: {error.strerror or error}.")
    if report.problem:  # one line is enough
        _display(stale(), "")
        return _fail(report.headline)
    _display(as_html(report), as_text(report))
    if not report.passed:
        _watch(exercise, report.answer)
        _fail(f"{exercise}: see above")


def _fail(sentence: str) -> None:
    if platform.GOES_ON:
        raise CheckFailed(sentence)
    print(f"CheckFailed: {sentence}")


def _watch(exercise: str, answer: Any) -> None:
    """Show the answer at work in a widget, if a watcher offers one."""
    if not _in_a_notebook() or not callable(answer):
        return
    from IPython.display import display

    for watcher in watchers.offered():
        with contextlib.suppress(Exception):  # an answer may write anything into a tree
            if (shown := watcher(exercise, answer)) is not None:
                display(shown)


def _in_a_notebook() -> bool:
    shell = sys.modules["IPython"].get_ipython() if "IPython" in sys.modules else None
    return hasattr(shell, "kernel")


def _display(html: str, text: str) -> None:
    """Show HTML in a notebook; elsewhere print the text, if there is any."""
    if _in_a_notebook():
        from IPython.display import display

        display({"text/html": html, "text/plain": text}, raw=True)
    elif text:
        print(text)


def make_test(exercise: str) -> Callable:
    """Make the function `tests.test_<exercise>`."""

    def test(answer) -> None:
        run_check(exercise, answer)

    test.__name__ = test.__qualname__ = f"test_{exercise}"
    test.__doc__ = f"Grade your `{exercise}`. Raises CheckFailed if a case fails."
    test.__test__ = False  # type: ignore[attr-defined]  # pytest must not collect it
    return test
