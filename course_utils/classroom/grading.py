"""Grading one submission: each exercise runs in a process of its own and is judged from outside.

Nothing passes by default.
"""

import math
import time
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any

from course_utils.answers.cells import find
from course_utils.answers.program import Program, programs_of
from course_utils.classroom.answer_run import run
from course_utils.classroom.sandbox import Sandbox, SandboxGone
from course_utils.classroom.submission import Submission
from course_utils.classroom.verdict import AnswerRun, Evidence, Status, Verdict, decide, shortened
from course_utils.exercise import others_called
from course_utils.limits import LIMITS, Limits
from course_utils.material.given_lines import given_to
from course_utils.tests.grade import Report
from course_utils.tests.render import as_data, slips_of

BUDGET = 1800  # seconds of a clock for one submission


@dataclass
class Row:
    """The result of one exercise of one learner."""

    learner: str
    notebook: str
    exercise: str
    status: str
    points: int
    max_points: int
    reason: str
    code: str = ""  # the learner's
    told: dict[str, Any] = field(default_factory=dict)  # what the check says, see tests.render.as_data
    misconceptions: list[str] = field(default_factory=list)
    slips: list[str] = field(default_factory=list)
    others: list[str] = field(default_factory=list)  # the exercises that it calls: ours
    lost: bool = False  # the grading machine's fault: the next run tries it again

    def __post_init__(self) -> None:
        self.status = Status(self.status)

    @classmethod
    def of(cls, learner: str, entry: dict, verdict: Verdict) -> "Row":
        """A row for an entry of the manifest."""
        status, points, reason = verdict.status, verdict.points, verdict.reason
        row = cls(learner, entry["notebook"], entry["id"], status, points, entry["points"], reason, verdict.code)
        row.lost = verdict.lost
        return row

    def add_report(self, report: Report, notes: tuple[str, ...]) -> None:
        """What the check says. Its values come from the answer's process, so they are cut."""
        self.told = _cut(as_data(report))
        self.told["notes"] = [*self.told["notes"], *(f"{note[:1].upper()}{note[1:]}." for note in notes)]
        self.misconceptions = [match.name for match in report.matches[:1]]
        self.slips = slips_of(report)[:2] if not report.matches else []
        self.others = sorted(others_called(self.exercise, report.source))


def graded(submission: Submission, entries: list[dict], seed: int, limits: Limits = LIMITS) -> Iterator[Row]:
    """A row for each entry of the manifest, as soon as it is graded."""
    submission.read()
    cells = find(submission.cells)
    with_torch = any("torch" in cell.source for cell in submission.cells if cell.kind == "code")
    programs = {
        entry["id"]: programs_of(submission.cells, entry["id"], cells.get(entry["id"], []), given_to(entry["id"]))
        for entry in entries
    }
    ends = time.monotonic() + BUDGET
    with Sandbox(["torch"] if with_torch else [], limits) as sandbox:
        for entry in entries:
            evidence = Evidence(entry["id"], entry["notebook"], submission, cells.get(entry["id"], []))
            try:
                row = grade_exercise(entry, evidence, programs[entry["id"]], sandbox, seed, ends)
            except Exception as error:  # the grader's own mistake costs this row and no other
                why = f"the grader itself raised {type(error).__name__} at this answer"
                row = machine_failed(submission.learner, entry, why)
            yield row


def machine_failed(learner: str, entry: dict, why: str) -> Row:
    """A row that the next run tries again."""
    run = AnswerRun(Status.NEEDS_A_HUMAN, why, lost=True)
    return Row.of(learner, entry, decide(Evidence(entry["id"], submission=Submission(learner), run=run)))


def grade_exercise(
    entry: dict, evidence: Evidence, versions: list[Program], sandbox: Sandbox, seed: int, ends: float = math.inf
) -> Row:
    """The best of an answer's versions counts; most have one.

    Args:
        evidence: what is known before anything is run.
        ends: when the submission's time is over.
    """
    if versions and time.monotonic() > ends:
        out_of_time = AnswerRun(Status.TIMED_OUT, f"the submission had used up its {BUDGET // 60} minutes")
        return Row.of(evidence.learner, entry, decide(replace(evidence, run=out_of_time)))
    if not versions:
        return Row.of(evidence.learner, entry, decide(evidence))
    rows: list[Row] = []
    for program in versions:
        rows.append(grade_version(entry, replace(evidence, program=program), sandbox, seed))
        if rows[-1].status == Status.PASSED or time.monotonic() > ends:
            break
    best = max(rows, key=rank)
    if len(versions) > 1:
        best.reason += f" ({len(versions)} versions were handed in: the best counts)"
    return best


def rank(row: Row) -> tuple:
    """The best of several versions has the highest."""
    order = ("missing", "crashed", "timed out", "failed", "partial", "needs a human", "passed")
    return (row.status in (Status.NEEDS_A_HUMAN, Status.PASSED), row.points, order.index(row.status))


def grade_version(entry: dict, evidence: Evidence, sandbox: Sandbox, seed: int) -> Row:
    """Run one version of an answer and decide about it."""
    program = evidence.program
    assert program is not None

    def attempt(program: Program) -> AnswerRun:
        try:
            return run(sandbox, program, evidence.exercise, seed)
        except SandboxGone as gone:
            sandbox.stop()
            return AnswerRun(Status.NEEDS_A_HUMAN, f"its sandbox ended ({gone})", lost=True, retry=True)

    result = attempt(program)
    if result.retry:
        result = attempt(program)
    if result.report:
        result.report.source = program.answer.python
    verdict = decide(replace(evidence, run=result, rerun=attempt))
    row = Row.of(evidence.learner, entry, replace(verdict, code=program.answer.source))
    if result.report and not result.report.problem:
        row.add_report(result.report, verdict.notes)
    return row


def _cut(value: Any) -> Any:
    if isinstance(value, dict):
        return {str(key): _cut(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_cut(item) for item in value[:100]]
    return shortened(value) if isinstance(value, str) else value
