"""`make grade` on made-up classes: does everybody get the right rows, and how long does it take?"""

import os
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import psutil

from course_utils.classroom.walls import isolation
from course_utils.classroom.whole_class import grade_class, read_class
from course_utils.results import Result, Row, table
from course_utils.tests.grade import CHECKS
from lab.command import command
from lab.shown import each, table_of


@command("grading_class")
def grading_class(seeds: tuple[int, ...] = (7,)) -> Iterator[Row]:
    """Every submission of tests/classroom.py: a row for each, with what came out otherwise than it must."""
    from tests import classroom  # not in a class's copy, which has no tests

    with tempfile.TemporaryDirectory() as name:
        folder, out = Path(name, "class"), Path(name, "out")
        made = classroom.write_class(folder)
        began = time.monotonic()
        learners = grade_class(read_class(folder), out, "03", str(seeds[0]), progress=print).learners
        seconds = time.monotonic() - began
    for rows in learners:
        learner = rows[0].learner
        expected = made[learner].expected
        count = Counter(row.status for row in rows if row.status != "missing" or row.exercise in expected)
        yield {
            "submission": learner,
            "kind": classroom.KINDS[learner],
            "rows": ", ".join(f"{number} {status}" for status, number in count.most_common()) or "nothing to grade",
            "honest_marks_lost": sum(expected.get(row.exercise) == "passed" and row.status != "passed" for row in rows),
            "undeserved_passes": sum(row.status == "passed" and expected.get(row.exercise) != "passed" for row in rows),
            "otherwise": len(classroom.surprises({learner: made[learner]}, rows)),
            "isolated": bool(isolation().bwrap),
            "seconds_of_all": round(seconds),
        }


def term_work(folder: Path, submissions: int, rng: np.random.Generator) -> int:
    """ "PUCT search" as a class hands them in: most answers right, some wrong as people are, some open.

    Returns how many are filled in.
    """
    from tests import classroom

    filled = 0
    for number in range(submissions):
        answers = {}
        for name in classroom.ALL:
            chance = rng.random()
            if chance < 0.15:
                continue
            _ = CHECKS[name]
            wrong = CHECKS[name].wrong[int(rng.integers(len(CHECKS[name].wrong)))].source
            answers[name] = f"# {number}\n" + (wrong if chance < 0.35 else classroom.right(name))
        filled += len(answers)
        path = folder / f"learner-{number:03}" / classroom.NAME
        path.parent.mkdir(parents=True)
        path.write_bytes(classroom.Notebook(**answers).bytes())
    return filled


@command("grading_speed")
def grading_speed(submissions: int = 300, workers: int = 2, seeds: tuple[int, ...] = (0,)) -> Iterator[Row]:
    """One notebook of six exercises from each learner.

    Memory is what all processes together held, shared pages counted once.
    """
    with tempfile.TemporaryDirectory() as name:
        folder, out = Path(name, "class"), Path(name, "out")
        filled = term_work(folder, submissions, np.random.default_rng(seeds[0]))
        most, done = [0], threading.Event()
        watcher = threading.Thread(target=_watch_memory, args=(most, done), daemon=True)
        watcher.start()
        busy, began = psutil.cpu_times(), time.monotonic()
        graded = grade_class(read_class(folder), out, "03", "7", workers, progress=print)
        graded.write_reports(out)
        learners = graded.learners
        seconds = time.monotonic() - began
        done.set()
        watcher.join()
    yield {
        "submissions": submissions,
        "exercises": filled,
        "workers": workers,
        "seconds": round(seconds),
        "megabytes": round(most[0] / 1e6),
        "waiting": round(os.getloadavg()[0], 1),
        "idle": round((psutil.cpu_times().idle - busy.idle) / seconds / (os.cpu_count() or 1), 2),
        **dict(Counter(row.status for rows in learners for row in rows).items()),
    }


def _watch_memory(most: list[int], done: threading.Event) -> None:
    process = psutil.Process()
    while not done.wait(2):
        held = 0
        for member in [process, *process.children(recursive=True)]:
            try:
                held += member.memory_full_info().pss
            except psutil.Error:
                continue
        most[0] = max(most[0], held)


@table_of("grading_class")
def kinds(result: Result) -> str:
    lines = []
    for kind in each(result.rows, "kind"):
        rows = result.where(kind=kind)
        lines.append(
            {
                "submissions": kind,
                "how many": len(rows),
                "honest marks lost": sum(row["honest_marks_lost"] for row in rows),
                "undeserved passes": sum(row["undeserved_passes"] for row in rows),
                "what they are": ", ".join(row["submission"].replace("-", " ") for row in rows),
            }
        )
    return table(lines)


@table_of("grading_speed")
def speeds(result: Result) -> str:
    return table(
        result.rows,
        {
            "submissions of one notebook": "{submissions}",
            "exercises filled in": "{exercises}",
            "at a time": "{workers}",
            "minutes": lambda row: f"{row['seconds'] / 60:.0f}",
            "memory of all, GB": lambda row: f"{row['megabytes'] / 1000:.1f}",
            "load of the machine": "{waiting}",
        },
    )
