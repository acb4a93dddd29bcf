"""Grading many submissions: each in a process of its own, two at a time.

What is graded stays graded, however the batch ends.
"""

import contextlib
import ctypes
import faulthandler
import hashlib
import json
import multiprocessing
import os
import secrets
import signal
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import asdict
from multiprocessing.connection import wait
from pathlib import Path
from typing import Any

from course_utils.classroom.fingerprints import fingerprint
from course_utils.classroom.grading import BUDGET, Row, graded, machine_failed
from course_utils.classroom.machine_faults import canary, fault_of
from course_utils.classroom.sandbox import remove_orphans
from course_utils.classroom.submission import Submission
from course_utils.classroom.walls import isolation
from course_utils.files import encoded, seal, unseal, write_atomically
from course_utils.limits import LIMITS
from course_utils.paths import LEARNER_RECORD
from course_utils.tests.grade import CHECKS

TIMEOUT = BUDGET + 400  # seconds after which the process of a submission is ended from outside
CANARY_TIMEOUT = 180  # the same for the course's own answers, which take a few; they are tried twice
CLASS_SEED = LEARNER_RECORD / "class_seed"
LONGEST_NAME = 90  # bytes of a learner's name in the name of a file, which may have 255 with all that is added
DEATH_SIGNAL = 1  # option of prctl(2): end with the parent


def class_seed(given: str = "") -> int:
    """The hidden seed of the class: `given`, or else drawn once for this copy of the course.

    Raises:
        ValueError: `given` is not a number, or the drawn seed can't be kept.
    """
    if given:
        if not given.isdigit():
            raise ValueError(f"SEED must be a number, not {given!r}")
        return int(given)
    try:
        return int(CLASS_SEED.read_text("utf-8"))
    except (OSError, ValueError):
        number = secrets.randbelow(2**31)
    try:
        write_atomically(CLASS_SEED, f"{number}\n", private=True)
    except OSError as error:
        why = f"the hidden seed can't be kept in {CLASS_SEED} ({error.strerror or error})"
        raise ValueError(f"{why}: give one of your own, SEED=number, and the same one in the next run") from None
    return number


def grade_submissions(
    handed_in: list[Submission], entries: list[dict], out: Path, seed: int, workers: int = 2, progress: bool = True
) -> list[list[Row]]:
    """The rows of each submission, which are also kept in `out`, a file each.

    Those that are there are not graded again.

    Raises:
        ValueError: the course's own answers do not pass on this machine.
    """
    from tqdm import tqdm

    remove_orphans()
    settings = {
        "seed": seed,
        "limits": asdict(LIMITS),
        "isolation": [bool(isolation().bwrap), isolation().switches],
    }
    keys = {submission.learner: _keys(submission, entries, settings) for submission in handed_in}
    to_do: dict[str, list[dict]] = {}
    for learner, key in keys.items():
        kept = load(out, learner, key)
        if ungraded := [entry for entry in entries if entry["id"] not in kept]:
            to_do[learner] = ungraded
    if names := {entry["id"] for ungraded in to_do.values() for entry in ungraded}:
        _ = [CHECKS[name] for name in names]  # loaded once, and not in each submission's process
        if fault := _fault(entries, seed):
            raise ValueError(fault)
    queue = [submission for submission in handed_in if submission.learner in to_do]
    bar = tqdm(total=len(handed_in), initial=len(handed_in) - len(queue), unit="submission", disable=not progress)
    for learner in _in_processes(queue, out, keys, to_do, seed, workers):
        bar.update()
        bar.set_postfix_str(learner[:30])
    bar.close()
    return [_rows(out, submission.learner, entries, keys[submission.learner]) for submission in handed_in]


def _rows(out: Path, learner: str, entries: list[dict], keys: dict[str, str]) -> list[Row]:
    """What was kept; for what was not, rows that the next run tries again."""
    rows, why = load(out, learner, keys, lost=True), "the grader itself ended while it read this submission"
    return [rows.get(entry["id"]) or machine_failed(learner, entry, why) for entry in entries]


def _fault(entries: list[dict], seed: int) -> str:
    """Why no marks from this machine could be believed; "" if the course's own answers pass."""
    submission, tried = canary(entries)
    learner, keys = submission.learner, {entry["id"]: "" for entry in tried}
    with tempfile.TemporaryDirectory(prefix="grade-") as name:
        for _ in (1, 2):
            if not load(Path(name), learner, keys, lost=True):
                [*_in_processes([submission], Path(name), {learner: keys}, {learner: tried}, seed, 1, CANARY_TIMEOUT)]
        return fault_of(_rows(Path(name), learner, tried, keys))


def _keys(submission: Submission, entries: list[dict], settings: dict) -> dict[str, str]:
    """Exercise -> a key that changes with everything its row depends on."""

    def key(entry: dict) -> str:
        depends_on = [settings, handed_in, fingerprint(entry["id"]), entry["notebook"], entry["points"]]
        return hashlib.sha256(json.dumps(depends_on, sort_keys=True).encode()).hexdigest()

    handed_in = submission.key()
    return {entry["id"]: key(entry) for entry in entries}


def _in_processes(
    queue: list[Submission],
    out: Path,
    keys: dict[str, dict[str, str]],
    entries: dict[str, list[dict]],
    seed: int,
    workers: int,
    timeout: float = TIMEOUT,
) -> Iterator[str]:
    """Grade each submission in a process of its own. Yields each learner whose process has ended.

    A process that takes too long prints on standard error where it is, and is ended.
    """
    fork = multiprocessing.get_context("fork")
    waiting = list(queue)
    running: dict[Any, tuple[str, float]] = {}
    try:
        while waiting or running:
            while waiting and len(running) < max(1, workers):
                submission = waiting.pop(0)
                learner = submission.learner
                process = fork.Process(
                    target=_grade, args=(submission, out, keys[learner], entries[learner], seed, os.getpid())
                )
                process.start()
                running[process] = learner, time.monotonic()
            wait([process.sentinel for process in running], timeout=5)
            for process, (learner, since) in list(running.items()):
                if process.is_alive() and time.monotonic() - since > timeout:
                    os.kill(process.pid, signal.SIGUSR1)
                    process.join(1)
                    process.terminate()  # it cleans up
                    process.join(10)
                    process.kill()
                    process.join()
                if process.is_alive():
                    continue
                process.join()
                del running[process]
                yield learner
    finally:
        for process in running:
            process.terminate()
            process.join(10)


def _grade(
    submission: Submission, out: Path, keys: dict[str, str], entries: list[dict], seed: int, parent: int
) -> None:
    """In a process of its own."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(DEATH_SIGNAL, signal.SIGTERM, 0, 0, 0)
    faulthandler.register(signal.SIGUSR1, file=2)
    signal.signal(signal.SIGTERM, _leave)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if os.getppid() != parent:
        return
    for row in graded(submission, entries, seed_of(submission, seed)):
        save(out, submission.learner, keys, [row])


def _leave(*_) -> None:
    raise SystemExit(1)  # so that what was begun is cleaned up


def seed_of(submission: Submission, seed: int) -> int:
    """A submission's own: what a learner has found out about one tells nothing about the next."""
    text = f"{seed} {submission.learner} {submission.key()}"
    return int(hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()[:8], 16)


# --- what is kept -----------------------------------------------------------------------------------------------------


def safe(learner: str) -> str:
    """A file name that any system takes, a different one for each learner."""
    encoding = sys.getfilesystemencoding()  # ASCII in some locales
    writable = learner.encode(encoding, "replace").decode(encoding)
    plain = "".join(letter if letter.isalnum() or letter in "-_.@ " else "_" for letter in writable)
    plain = encoded(plain.strip(" ").strip("."))[:LONGEST_NAME].decode("utf-8", "ignore") or "_"
    if plain == learner:
        return plain
    return f"{plain}-{hashlib.sha256(learner.encode('utf-8', 'surrogatepass')).hexdigest()[:6]}"


def page_of(learner: str) -> str:
    """The learner's page of feedback, within OUT."""
    return f"feedback/{safe(learner)}.html"


def _path(out: Path, learner: str) -> Path:
    return out / "learners" / f"{safe(learner)}.json"


def save(out: Path, learner: str, keys: dict[str, str], rows: list[Row]) -> None:
    """Beside the rows of other exercises that are kept there."""
    kept = _kept(out, learner) | {row.exercise: {"key": keys[row.exercise], "row": asdict(row)} for row in rows}
    write_atomically(_path(out, learner), seal({"rows": kept}), private=True)


def _kept(out: Path, learner: str) -> dict[str, dict]:
    try:
        return unseal(_path(out, learner).read_bytes())["rows"]
    except (OSError, ValueError, KeyError):
        return {}


def load(out: Path, learner: str, keys: dict[str, str], lost: bool = False) -> dict[str, Row]:
    """Exercise -> its row of an earlier run, if nothing that it depends on has changed.

    Args:
        lost: whether rows count for which the machine was at fault.
    """
    kept, rows = _kept(out, learner), {}
    for exercise, key in keys.items():
        with contextlib.suppress(ValueError, TypeError, KeyError):
            row = Row(**kept[exercise]["row"])
            if kept[exercise]["key"] == key and (lost or not row.lost):
                rows[exercise] = row
    return rows
