"""If every submission fails in the same way, the grading machine is at fault.

Before a class is graded, the course's own right answers are; afterwards, what nearly every answer ran into is named.
"""

import re
from collections import Counter
from collections.abc import Iterable

from course_utils.answers.cells import Cell
from course_utils.answers.stubs import reference
from course_utils.classroom.grading import Row
from course_utils.classroom.submission import Submission
from course_utils.classroom.verdict import WITHOUT_IT, Status
from course_utils.exercise import EXERCISES

CANARY = "the course's own answers"
FEWEST, NEARLY = 3, 0.9  # answers to an exercise, and the share of them, that suggest a fault of the machine


def canary(entries: list[dict]) -> tuple[Submission, list[dict]]:
    """A submission of right answers to the first exercise and the first that needs PyTorch, and their entries."""
    with_torch = [entry for entry in entries if "torch" in EXERCISES[entry["id"]].source]
    tried = [*entries[:1], *(entry for entry in with_torch[:1] if entry != entries[0])]
    cells = [
        Cell(CANARY, number, "code", reference(entry["id"]), {"exercise": entry["id"]})
        for number, entry in enumerate(tried)
    ]
    return Submission(CANARY, cells=cells), tried


def fault_of(rows: Iterable[Row]) -> str:
    """Why nothing is graded, by the rows of a canary; "" if all is well."""
    for row in rows:
        if row.status != Status.PASSED:
            return (
                "Nothing was graded, because on this machine not even the course's own answer to "
                f"{row.exercise} passes ({row.status}: {row.reason}). If the machine was busy or short of memory, "
                "run the same command with WORKERS=1. Otherwise run `make setup` again."
            )
    return ""


def faults(learners: Iterable[Iterable[Row]]) -> list[str]:
    """A sentence for each thing that nearly every answer to an exercise ran into."""
    causes: dict[str, list[str]] = {}
    for row in (row for rows in learners for row in rows if row.exercise and row.status != Status.MISSING):
        causes.setdefault(row.exercise, []).append(_cause(row))
    exercises: dict[str, list[str]] = {}
    for exercise, of_answers in causes.items():
        cause, count = Counter(of_answers).most_common(1)[0]
        if cause and count >= max(FEWEST, NEARLY * len(of_answers)):
            exercises.setdefault(cause, []).append(f"{exercise} ({count} of {len(of_answers)} answers)")
    return [
        f"Probably this machine's fault and not the learners': {cause}, in {', '.join(names)}. "
        "When that is put right, delete OUT/learners and give the same command again."
        for cause, names in exercises.items()
    ]


def _cause(row: Row) -> str:
    """What is perhaps the machine's fault, without the details that differ from answer to answer; "" if nothing is."""
    match row.status:
        case Status.TIMED_OUT:
            return "everything takes too long"
        case Status.CRASHED:
            return "Python ends or has no memory left"
        case Status.NEEDS_A_HUMAN if WITHOUT_IT in row.reason:
            return re.split(r"[,;] | \(", row.reason)[0]
    return ""
