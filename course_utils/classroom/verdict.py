"""Deciding the status, points and reason of an exercise: one function, `decide`, and one table, `RULES`."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum

from course_utils.answers.cells import Cell
from course_utils.answers.program import Program
from course_utils.answers.running import Raised
from course_utils.classroom.helper_cells import blamed
from course_utils.classroom.machine_differences import CELL_ENDED, in_words, machine_difference, newer_python
from course_utils.classroom.submission import Submission
from course_utils.material.selection import course
from course_utils.tests import reach
from course_utils.tests.grade import CHECKS, NOT_WRITTEN, Report
from course_utils.tests.learner import left_open
from course_utils.tests.render import in_short

ABSENT = "nothing was handed in"
NOT_FILLED_IN = "not filled in"
NOT_PYTHON = "is not Python"
WITHOUT_IT = "without it"  # in the reason of a row for which this machine lacks something
SYNTAX = re.compile(r"(SyntaxError|IndentationError|TabError): (.*?)(?: \((?:\S+, )?line (\d+)\))?$", re.DOTALL)
ADDRESS = re.compile(r" at 0x[0-9a-f]+")  # differs from run to run
LONGEST = 20_000  # characters of a text that are kept


class Status(StrEnum):
    """What a row says. The order is that of the tables and pages."""

    PASSED = "passed"
    PARTIAL = "partial"
    FAILED = "failed"
    MISSING = "missing"
    TIMED_OUT = "timed out"
    CRASHED = "crashed"
    NEEDS_A_HUMAN = "needs a human"
    CHANGED = "changed"  # a row without an exercise, by which a person changes the points of a notebook

    @classmethod
    def by_points(cls, points: int, max_points: int) -> "Status":
        return cls.PASSED if points == max_points else cls.PARTIAL if points else cls.FAILED


STATUSES = tuple(status for status in Status if status != Status.CHANGED)  # of an exercise


@dataclass
class AnswerRun:
    """What came of running an answer once.

    Attributes:
        end: None if its check was completed, otherwise how the run ended.
        why: `end` in words.
        lost: whether the grading machine is at fault, so that the next `make grade` tries again.
        retry: whether it may be at fault, so that the answer is run once more.
        report: the check's; None if it was not completed.
        ended_in: the number of the helper cell in which Python itself ended, -1 if it did not.
        raised: what the learner's cells raised.
    """

    end: Status | None = None
    why: str = ""
    lost: bool = False
    retry: bool = False
    report: Report | None = None
    ended_in: int = -1
    raised: list[Raised] = field(default_factory=list)


@dataclass(frozen=True)
class Verdict:
    """
    Attributes:
        lost: whether the grading machine is at fault, so that the next run tries again.
        notes: sentences about what the learner's cells raised, as far as the reason did not have them.
        code: the answer, where it was not run.
    """

    status: Status
    reason: str
    points: int = 0
    lost: bool = False
    notes: tuple[str, ...] = ()
    code: str = ""


@dataclass(frozen=True)
class Evidence:
    """What is known when an exercise's verdict is given.

    Attributes:
        submission: None for a learner on the roster who handed in nothing.
        cells: the submission's cells that may hold the answer.
        program: the version of the answer that was run, if any.
        rerun: runs another program in the same way.
        strangers: submissions that match no person on the roster.
    """

    exercise: str
    notebook: str = ""
    submission: Submission | None = None
    cells: Sequence[Cell] = ()
    program: Program | None = None
    run: AnswerRun | None = None
    rerun: Callable[[Program], AnswerRun] | None = None
    strangers: Sequence[str] = ()

    @property
    def learner(self) -> str:
        return self.submission.learner if self.submission else ""

    @property
    def checked(self) -> tuple[str, Program, AnswerRun, Report]:
        """(exercise, program, run, report), once the check has begun."""
        assert self.program and self.run and self.run.report
        return self.exercise, self.program, self.run, self.run.report


def decide(evidence: Evidence) -> Verdict:
    """The first of the `RULES` that applies; then whether the grading machine, and not the answer, may be at fault."""
    verdict = next(verdict for rule in RULES if (verdict := rule(evidence)))
    program, run = evidence.program, evidence.run
    if program is None or run is None:
        return verdict
    if verdict.status != Status.MISSING:
        verdict = _with_notes(verdict, run.raised)
    untried = verdict.status == Status.MISSING and not (run.raised and program.is_guess(evidence.exercise))
    if verdict.status in (Status.PASSED, Status.NEEDS_A_HUMAN) or untried:
        return verdict
    if fault := _machine_fault(evidence, program, run):
        reason = f"{fault} ({WITHOUT_IT}: {verdict.status}, {verdict.points} points)"
        return replace(verdict, status=Status.NEEDS_A_HUMAN, points=0, reason=reason)
    return verdict


# --- the rules --------------------------------------------------------------------------------------------------------


def absent(evidence: Evidence) -> Verdict | None:
    """A learner on the roster without a submission.

    If some submission matches no person on the roster (a team's, say), no gradebook may enter a 0.
    """
    if evidence.submission is not None or evidence.program:
        return None
    if not evidence.strangers:
        return Verdict(Status.MISSING, ABSENT)
    theirs = ", ".join(evidence.strangers)
    return Verdict(Status.NEEDS_A_HUMAN, f"{ABSENT} under this name; is one of these theirs: {theirs}?")


def broken_off(evidence: Evidence) -> Verdict | None:
    """The run did not reach the end of the check."""
    run = evidence.run
    return Verdict(run.end, run.why, lost=run.lost) if run and run.end else None


def nothing_to_run(evidence: Evidence) -> Verdict | None:
    submission = evidence.submission
    if evidence.program or submission is None:
        return None
    for cell in evidence.cells:
        if not cell.python and cell.exercise == evidence.exercise and f"def {evidence.exercise}" in cell.source:
            magic = cell.source.split(maxsplit=1)[0] if cell.kind == "code" else ""
            why = f"begins with {magic}, so we don't run it as Python" if magic else "is not a code cell any more"
            return Verdict(Status.NEEDS_A_HUMAN, f"its cell {why}, but holds an answer", code=cell.source)
    other_notebooks = {entry["notebook"] for entry in course()} - {evidence.notebook}
    for file, why in submission.unreadable.items():
        if not any(name in file.rpartition("/")[2] for name in other_notebooks):
            return Verdict(Status.NEEDS_A_HUMAN, f"{file} can't be read: {why}")
    if evidence.cells:
        return Verdict(Status.MISSING, NOT_FILLED_IN)
    deleted = "no cell of the submission holds it: deleted, or renamed?"
    return Verdict(Status.MISSING, deleted if submission.cells else ABSENT)


def check_did_not_begin(evidence: Evidence) -> Verdict | None:
    begun = evidence.run is not None and evidence.run.report is not None
    return None if begun else Verdict(Status.NEEDS_A_HUMAN, "the check did not begin")


def nothing_to_call(evidence: Evidence) -> Verdict | None:
    exercise, program, run, report = evidence.checked
    if not report.problem:
        return None
    if report.problem == NOT_WRITTEN:
        open_lines = left_open(exercise, report.source)
        return Verdict(Status.FAILED, open_lines) if open_lines else Verdict(Status.MISSING, NOT_FILLED_IN)
    if program.is_guess(exercise):  # probably a variable of that name
        return Verdict(Status.MISSING, NOT_FILLED_IN)
    if "got None" not in report.problem:
        return Verdict(Status.FAILED, plain(report.problem))
    if not run.raised:
        return Verdict(Status.MISSING, f"its cell defines no function `{exercise}`: emptied, or renamed?")
    last = run.raised[-1]
    if error := SYNTAX.match(last.text):
        in_line = f" in line {error[3]}" if error[3] else ""
        cell = "its cell" if last.where == program.answer.place else last.where
        return Verdict(Status.FAILED, f"{cell} {NOT_PYTHON}, so nothing in it runs: {error[1]}{in_line}: {error[2]}")
    return Verdict(Status.FAILED, f"its cell defines no function `{exercise}`")


def takes_ours(evidence: Evidence) -> Verdict | None:
    """It calls the course's own version of the exercise, which is not there."""
    exercise, program, _, report = evidence.checked
    if report.points or not (taken := reach.reference_taken(exercise, program.learners)):
        return None
    return Verdict(Status.MISSING, reach.REFERENCE_TAKEN.format(taken))


def calls_the_course(evidence: Evidence) -> Verdict | None:
    """It calls another function of the course, which may do the work."""
    exercise, program, _, report = evidence.checked
    right = CHECKS[exercise].right
    if not report.points or not (called := reach.course_functions(exercise, program.learners, right, program.given)):
        return None
    names = " and ".join(f"`{name}`" for name in called[:3])
    reason = f"it calls {names} of the course, which may do the work; otherwise {_score(report)}"
    return Verdict(Status.NEEDS_A_HUMAN, reason)


def as_the_check_says(evidence: Evidence) -> Verdict | None:
    *_, report = evidence.checked
    if report.timed_out:
        return Verdict(Status.TIMED_OUT, f"{_score(report)}; a case took too long", report.points)
    if report.passed:
        return Verdict(Status.PASSED, _score(report), report.points)
    return Verdict(Status.PARTIAL if report.points else Status.FAILED, shortened(in_short(report)), report.points)


RULES: tuple[Callable[[Evidence], Verdict | None], ...] = (  # the first that applies decides
    absent,  # missing; needs a human if some submission matches no person on the roster
    broken_off,  # timed out, crashed; needs a human if the grading machine is at fault
    nothing_to_run,  # missing; needs a human if a cell or a file that is not run may hold the answer
    check_did_not_begin,  # needs a human
    nothing_to_call,  # missing if nothing was written, else failed
    takes_ours,  # missing
    calls_the_course,  # needs a human
    as_the_check_says,  # passed, partial, failed, timed out
)


def _score(report: Report) -> str:
    return plain(report.headline).partition(": ")[2]


# --- the grading machine, and what the cells raised -------------------------------------------------------------------


def _machine_fault(evidence: Evidence, program: Program, run: AnswerRun) -> str:
    """Why this machine and not the answer may be at fault, in words; "" if nothing suggests it."""
    unread = evidence.submission.unread if evidence.submission else []
    if run.ended_in >= 0 and evidence.rerun:  # Python ended in a helper cell: does the answer need that cell?
        cells = tuple("None" if number == run.ended_in else text for number, text in enumerate(program.cells))
        again = evidence.rerun(replace(program, cells=cells))
        if not again.lost:
            raised = [Raised("Python's end", program.helpers[run.ended_in].place), *again.raised]
            needed = blamed(program, raised, again.report, evidence.exercise)
            return f"{CELL_ENDED}; {run.why}" if needed else ""
    if cause := blamed(program, run.raised, run.report, evidence.exercise):
        return in_words(cause, unread)
    errors = [outcome.error for outcome in run.report.failures if outcome.error is not None] if run.report else []
    in_calls = [Raised(f"{type(error).__name__}: {error}", "", getattr(error, "origin", "")) for error in errors]
    in_its_cell = [raised for raised in run.raised if raised.where == program.answer.place]
    return newer_python(program) or machine_difference([*in_its_cell, *in_calls], unread)


def _with_notes(verdict: Verdict, raised: list[Raised]) -> Verdict:
    """Tell the learner and the instructor what the cells raised."""

    def in_reason(error: Raised) -> bool:
        return error.text in verdict.reason or bool(SYNTAX.match(error.text) and NOT_PYTHON in verdict.reason)

    notes = [error.sentence for error in raised if not in_reason(error)][:3]
    return replace(verdict, reason="; ".join([verdict.reason, *notes]), notes=tuple(notes))


def plain(text: str, longest: int = 500) -> str:
    """Without colors and without the names that IPython gives to cells, cut."""
    return re.sub(r"\x1b\[[0-9;]*m", "", re.sub(r"\(<ipython-input[^>]*>, line (\d+)\)", r"(line \1)", text))[:longest]


def shortened(text: str) -> str:
    """Without addresses in memory, cut."""
    return ADDRESS.sub("", text[:LONGEST])
