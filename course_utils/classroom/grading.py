"""One submission: each exercise in a kernel of its own, judged from outside; a row for each, and nothing passes by default."""

import contextlib
import re
import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any

from course_utils.answers.cells import find
from course_utils.answers.program import Program, programs_of
from course_utils.answers.running import Raised
from course_utils.classroom.helper_cells import blamed
from course_utils.classroom.judge import Gone, There
from course_utils.classroom.machine import CELL_ENDED, differs, newer_python, said_of
from course_utils.classroom.sandbox import Fork, Sandbox, SandboxGone
from course_utils.classroom.submission import Submission
from course_utils.exercise import others_called
from course_utils.limits import LIMITS, Limits
from course_utils.material.given_lines import given_to
from course_utils.material.selection import course
from course_utils.tests import reach
from course_utils.tests.grade import CHECKS, NOT_WRITTEN, Report, judge
from course_utils.tests.learner import left_open
from course_utils.tests.render import in_short, slips_of, tell

STATUSES = ("passed", "partial", "failed", "missing", "timed out", "crashed", "needs a human")
CHANGED = "changed"  # of a row of no exercise, by which a person changes the points of a notebook
SYNTAX = re.compile(r"(SyntaxError|IndentationError|TabError): (.*?)(?: \((?:\S+, )?line (\d+)\))?$", re.DOTALL)
WITHOUT_IT = "without it"  # stands in the reason of a row in which this machine lacks something
NOT_PYTHON = "is not Python"
BUDGET = 1800  # seconds of a clock for one submission
BEGIN = "from course_utils.exercise import binding\nbinding.begin(globals(), {!r})\n"
LOST = "lost"  # how a run ended that had no place to run in
ADDRESS = re.compile(r" at 0x[0-9a-f]+")  # another one in each run
TEXT = 20_000  # characters of a text that are kept


@dataclass
class Row:
    """What came of one exercise of one learner."""

    learner: str
    notebook: str
    exercise: str
    status: str
    points: int
    max_points: int
    reason: str
    code: str = ""  # the learner's
    told: dict[str, Any] = field(default_factory=dict)  # what the check says, see tests.render.tell
    misconceptions: list[str] = field(default_factory=list)
    slips: list[str] = field(default_factory=list)
    others: list[str] = field(default_factory=list)  # the exercises that it calls: ours
    lost: bool = False  # the machine's doing: the next run tries it again


@dataclass
class Ran:
    """What came of one fresh notebook.

    Attributes:
        end: "" if all was judged, "timed out", "crashed" or LOST.
        why: for a person.
        report: what the judge says, None if it did not come to that.
        cell: the number of the helper cell in which Python ended by itself, -1 if it did not.
        raised: what the learner's cells raised.
    """

    end: str = ""
    why: str = ""
    cell: int = -1
    report: Report | None = None
    raised: list[Raised] = field(default_factory=list)


def run(sandbox: Sandbox, program: Program, exercise: str, seed: int) -> Ran:
    """Run the cells in a fresh process, then the check. Never raises for anything that the learner's code does.

    Raises:
        SandboxGone: no process could be started.
    """
    homes = sandbox.package.prepare(exercise, CHECKS[exercise].scenes(seed))
    parts = [*program.helpers, program.answer]
    limits, ran, where = sandbox.limits, Ran(), "what the course gives"
    with Fork(sandbox) as fork:
        there = There(fork.connection, fork.lives)
        try:
            there.run_cell(f"{BEGIN.format(exercise)}{program.given}", limits.cell)
            for number, (cell, text) in enumerate(zip(parts, program.cells, strict=True)):
                where, ran.cell = cell.place if len(parts) > 1 else "its cell", number
                ran.raised += [_raised(one, cell.place) for one in there.run_cell(text, limits.cell)]
            where, ran.cell = "the check", -1
            own = CHECKS[exercise].names["__name__"]
            there.begin(exercise=exercise, own=own, homes=homes, expression=program.expression)
            ran.report = judge(exercise, there, seed)
        except Gone:
            pass
        if there.gone:
            ran.report, ended = None, not there.late and fork.ended()
            ran.end, ran.why = _how_it_ended(fork, there, where, limits, ended)
            if not (ended and 0 <= ran.cell < len(program.helpers)) or ran.end != "crashed" or sandbox.full:
                ran.cell = -1
    return ran


def _how_it_ended(fork: Fork, there: There, where: str, limits: Limits, ended: bool) -> tuple[str, str]:
    if fork.late:
        return "timed out", f"{where} used up its {limits.cpu} seconds of the processor: is there a loop that never ends?"
    if fork.sandbox.full:
        return "crashed", f"{where} held more than {limits.memory / 2**30:g} GB of memory in all its processes"
    if ended:
        return "crashed", f"Python ended in {where}: it was killed, had no memory left, or called os._exit"
    if there.late and where != "the check":
        return "timed out", f"{where} took longer than {limits.cell:g} seconds: is there a loop that never ends?"
    return "crashed", f"{where} did not come to its end: {there.gone}"


def _raised(shown: list[str], where: str) -> Raised:
    kind, message, traceback = shown
    return Raised(_plain(f"{kind}: {message}"), where, _plain(traceback, TEXT))


def _plain(text: str, most: int = 500) -> str:
    """Without colors and the numbers that stand for cells, cut."""
    return re.sub(r"\x1b\[[0-9;]*m", "", re.sub(r"\(<ipython-input[^>]*>, line (\d+)\)", r"(line \1)", text))[:most]


# --- from what was run to a row ------------------------------------------------------------------------------------------


def grade(submission: Submission, entries: list[dict], seed: int, limits: Limits = LIMITS) -> list[Row]:
    """A row for each entry of the manifest."""
    return list(graded(submission, entries, seed, limits))


def graded(submission: Submission, entries: list[dict], seed: int, limits: Limits = LIMITS) -> Iterator[Row]:
    """As above, each row as soon as it is made."""
    submission.read()
    found = find(submission.cells)
    programs = {
        entry["id"]: programs_of(submission.cells, entry["id"], found.get(entry["id"], []), given_to(entry["id"]))
        for entry in entries
    }
    modules = ["torch"] if any("torch" in cell.source for cell in submission.cells if cell.kind == "code") else []
    ends = time.monotonic() + BUDGET
    with Sandbox(modules, limits) as sandbox:
        for entry in entries:
            name = entry["id"]
            row = Row(submission.learner, entry["notebook"], name, "missing", 0, entry["points"], "")
            if not programs[name]:
                _why_missing(row, submission, found.get(name, []))
            elif time.monotonic() > ends:
                row.status, row.reason = "timed out", f"the submission had used up its {BUDGET // 60} minutes"
            else:
                try:
                    _grade_versions(row, programs[name], sandbox, seed, ends, submission.unread)
                except Exception as error:  # the grader's own mistake costs this row and no other
                    row.status, row.points, row.lost = "needs a human", 0, True
                    row.reason = f"the grader itself raised {type(error).__name__} at this answer"
            yield row


def _why_missing(row: Row, submission: Submission, cells: list) -> None:
    """No answer: was it never written, or can nobody read it?"""
    others = {entry["notebook"] for entry in course()} - {row.notebook}
    for cell in cells:
        if cell.python or cell.exercise != row.exercise or f"def {row.exercise}" not in cell.source:
            continue
        magic = cell.source.split(maxsplit=1)[0] if cell.kind == "code" else ""
        what = f"begins with {magic}, so we don't run it as Python" if magic else "is not a code cell any more"
        row.status, row.reason = "needs a human", f"its cell {what}, but holds an answer"
        row.code = cell.source
        return
    readable = {cell.notebook for cell in submission.cells}
    for file, why in submission.unreadable.items():
        if not any(name in file.rpartition("/")[2] for name in others):
            row.status, row.reason = "needs a human", f"{file} can't be read: {why}"
            return
    if cells:
        row.reason = "not filled in"
    else:
        row.reason = "no cell of the submission holds it: deleted, or renamed?" if readable else "nothing was handed in"


def _grade_versions(
    row: Row, versions: list[Program], sandbox: Sandbox, seed: int, ends: float, files: Sequence[str] = ()
) -> None:
    """The best of an answer's versions counts; most have one."""
    best: Row | None = None
    for program in versions:
        one = Row(**{**asdict(row), "status": "crashed"})
        _grade_version(one, program, sandbox, seed, files)
        if best is None or _rank(one) > _rank(best):
            best = one
        if one.status == "passed" or time.monotonic() > ends:
            break
    assert best is not None
    if len(versions) > 1:
        best.reason += f" ({len(versions)} versions were handed in: the best counts)"
    for key, value in vars(best).items():
        setattr(row, key, value)


def _rank(row: Row) -> tuple:
    order = ("missing", "crashed", "timed out", "failed", "partial", "needs a human", "passed")
    return (row.status in ("needs a human", "passed"), row.points, order.index(row.status))


def _grade_version(row: Row, program: Program, sandbox: Sandbox, seed: int, files: Sequence[str] = ()) -> None:
    """
    Args:
        files: what was handed in and is not run.
    """
    row.code = program.answer.source
    for attempt in (1, 2):  # a crash may have been the machine's fault: it is tried once more
        try:
            ran = run(sandbox, program, row.exercise, seed)
        except SandboxGone as gone:
            ran = Ran(LOST, f"its sandbox ended ({gone})")
            with contextlib.suppress(SandboxGone):
                sandbox.stop()
        if ran.end not in ("crashed", LOST) or attempt == 2:
            break
    _decide(row, program, ran)
    _tell_raised(row, ran)
    is_open = row.status == "missing" and not (ran.raised and program.is_guess(row.exercise))
    if row.status in ("passed", "needs a human") or is_open:
        return
    if what := _needs_a_human(row, program, ran, sandbox, seed, files):
        row.reason = f"{what} ({WITHOUT_IT}: {row.status}, {row.points} points)"
        row.status, row.points = "needs a human", 0


def _needs_a_human(row: Row, program: Program, ran: Ran, sandbox: Sandbox, seed: int, files: Sequence[str]) -> str:
    """Why this machine and not the answer may be at fault, in words; "" where nothing says so."""
    if ran.cell >= 0:  # Python ended in a helper cell: does the answer need it?
        place = program.helpers[ran.cell].place
        without = tuple("None" if number == ran.cell else text for number, text in enumerate(program.cells))
        with contextlib.suppress(SandboxGone):
            again = run(sandbox, replace(program, cells=without), row.exercise, seed)
            raised = [Raised("Python's end", place), *again.raised]
            return f"{CELL_ENDED}; {ran.why}" if blamed(program, raised, again.report, row.exercise) else ""
    if cause := blamed(program, ran.raised, ran.report, row.exercise):
        return said_of(cause, files)
    return newer_python(program) or differs(_not_by_helpers(program, ran), files)


def _tell_raised(row: Row, ran: Ran) -> None:
    """To the learner and the instructor."""
    if row.status == "missing":
        return
    said = [
        one for one in ran.raised if one.text in row.reason or (SYNTAX.match(one.text) and NOT_PYTHON in row.reason)
    ]
    told = [one.sentence for one in ran.raised if one not in said][:3]
    row.reason = "; ".join([row.reason, *told])
    if row.told:
        row.told["notes"] = [*row.told["notes"], *(f"{one[:1].upper()}{one[1:]}." for one in told)]


def _not_by_helpers(program: Program, ran: Ran) -> list[Raised]:
    """What the answer's own cell raised, and calls of the answer."""
    errors = [one.error for one in ran.report.failures if one.error is not None] if ran.report else []
    calls = [Raised(f"{type(one).__name__}: {one}", "", getattr(one, "origin", "")) for one in errors]
    return [*(one for one in ran.raised if one.where == program.answer.place), *calls]


def _decide(row: Row, program: Program, ran: Ran) -> None:
    """Status, points and reason."""
    if ran.end:
        row.status, row.reason, row.lost = ran.end, ran.why, ran.end == LOST
        if row.lost:
            row.status = "needs a human"
        return
    report = ran.report
    if report is None:
        row.status, row.reason = "needs a human", "the check did not begin"
        return
    report.source = program.answer.python
    if report.problem == NOT_WRITTEN:
        still_open = left_open(row.exercise, report.source)
        row.status = "failed" if still_open else "missing"
        row.reason = still_open or "not filled in"
        return
    if report.problem:
        row.status, row.reason = _why_not_called(row, report, program, ran)
        if program.is_guess(row.exercise):
            row.status, row.reason = "missing", "not filled in"
        return
    _keep(row, report)
    row.points = report.points
    headline = _plain(report.headline).partition(": ")[2]
    if report.late:
        row.status, row.reason = "timed out", f"{headline}; a case took too long"
    elif report.passed:
        row.status, row.reason = "passed", headline
    else:
        row.status, row.reason = "partial" if row.points else "failed", _cut(in_short(report))
    if not row.points and (taken := reach.ours(row.exercise, program.learners)):
        row.status, row.reason = "missing", reach.OURS.format(taken)
    if row.points and (
        others := reach.courses(row.exercise, program.learners, CHECKS[row.exercise].right, program.given)
    ):
        called = " and ".join(f"`{one}`" for one in others[:3])
        row.status, row.points = "needs a human", 0
        row.reason = f"it calls {called} of the course, which may do the work; otherwise {headline}"


def _why_not_called(row: Row, report: Report, program: Program, ran: Ran) -> tuple[str, str]:
    """Where there is nothing that the check could call: (status, reason)."""
    if "got None" not in report.problem:
        return "failed", _plain(report.problem)
    if ran.raised and (wrong := SYNTAX.match(ran.raised[-1].text)):
        where = f" in line {wrong[3]}" if wrong[3] else ""
        whose = "its cell" if ran.raised[-1].where == program.answer.place else ran.raised[-1].where
        return "failed", f"{whose} {NOT_PYTHON}, so nothing in it runs: {wrong[1]}{where}: {wrong[2]}"
    if ran.raised:
        return "failed", f"its cell defines no function `{row.exercise}`"
    return "missing", f"its cell defines no function `{row.exercise}`: emptied, or renamed?"


def _keep(row: Row, report: Report) -> None:
    """What the check says, of which the answer's process has given the values."""
    row.told = _cut(tell(report))
    row.misconceptions = [match.name for match in report.matches[:1]]
    row.slips = slips_of(report)[:2] if not report.matches else []
    row.others = sorted(others_called(row.exercise, report.source))


def _cut(value: Any) -> Any:
    if isinstance(value, dict):
        return {str(key): _cut(one) for key, one in value.items()}
    if isinstance(value, list):
        return [_cut(one) for one in value[:100]]
    return ADDRESS.sub("", value[:TEXT]) if isinstance(value, str) else value
