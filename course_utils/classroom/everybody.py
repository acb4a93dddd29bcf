"""What all have alike is the machine's: before a class is graded, the course's own right answers; after it, what nearly every answer ran into."""

import re
from collections import Counter
from collections.abc import Iterable

from course_utils.answers.cells import Cell
from course_utils.answers.stubs import reference
from course_utils.classroom.grading import WITHOUT_IT, Row
from course_utils.classroom.submission import Submission
from course_utils.exercise import EXERCISES

CANARY = "the course's own answers"
FEWEST, NEARLY = 3, 0.9  # answers to an exercise, and the share of them, that say something of the machine


def canary(entries: list[dict]) -> tuple[Submission, list[dict]]:
    """Right answers to one or two of the exercises, as if handed in: the first, and the first that needs PyTorch; and their entries."""
    with_torch = [entry for entry in entries if "torch" in EXERCISES[entry["id"]].source]
    tried = [*entries[:1], *(entry for entry in with_torch[:1] if entry != entries[0])]
    cells = [
        Cell(CANARY, number, "code", reference(entry["id"]), {"exercise": entry["id"]})
        for number, entry in enumerate(tried)
    ]
    return Submission(CANARY, cells=cells), tried


def fault_of(rows: Iterable[Row]) -> str:
    """Why nothing is graded, of the rows of a canary; "" where all is well."""
    for row in rows:
        if row.status != "passed":
            return (
                f"Nothing was graded, because on this machine not even the course's own answer to {row.exercise} passes ({row.status}: {row.reason}). "
                "If the machine was busy or short of memory, run the same command with WORKERS=1. Otherwise run `make setup` again."
            )
    return ""


def faults(learners: Iterable[Iterable[Row]]) -> list[str]:
    """What nearly every answer to an exercise ran into, a sentence for each thing."""
    tried: dict[str, list[str]] = {}
    for row in (row for rows in learners for row in rows if row.exercise and row.status != "missing"):
        tried.setdefault(row.exercise, []).append(_cause(row))
    found: dict[str, list[str]] = {}
    for exercise, causes in tried.items():
        cause, count = Counter(causes).most_common(1)[0]
        if cause and count >= max(FEWEST, NEARLY * len(causes)):
            found.setdefault(cause, []).append(f"{exercise} ({count} of {len(causes)} answers)")
    return [
        f"Probably this machine's fault and not the learners': {cause}, in {', '.join(where)}. "
        "When that is put right, delete OUT/learners and give the same command again."
        for cause, where in found.items()
    ]


def _cause(row: Row) -> str:
    """What is perhaps the machine's, without the cell and the rest that differs from answer to answer; "" where nothing is."""
    if row.status in ("timed out", "crashed"):
        return "everything takes too long" if row.status == "timed out" else "Python ends or has no memory left"
    return re.split(r"[,;] | \(", row.reason)[0] if row.status == "needs a human" and WITHOUT_IT in row.reason else ""
