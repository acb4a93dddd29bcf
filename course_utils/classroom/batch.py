"""A class: every submission in a process of its own, two at a time; what is done stays done, however the batch ends."""

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
from collections.abc import Collection, Iterator
from dataclasses import asdict
from multiprocessing.connection import wait
from pathlib import Path
from typing import Any

from course_utils.classroom.everybody import canary, fault_of
from course_utils.classroom.fingerprints import fingerprint
from course_utils.classroom.grading import BUDGET, Row, graded
from course_utils.classroom.instructor_tables import OVERRIDES, override, read_overrides
from course_utils.classroom.out import FILES, make_ready
from course_utils.classroom.sandbox import isolation, sweep
from course_utils.classroom.submission import Submission, submissions
from course_utils.files import encoded, seal, unseal, write_atomically
from course_utils.limits import LIMITS
from course_utils.material.selection import chosen, holding
from course_utils.paths import LEARNER_RECORD
from course_utils.tests.grade import CHECKS

PATIENCE = BUDGET + 400  # seconds after which the process of a submission is ended from outside
TRIAL = 180  # the same for the course's own answers, which take a few; twice, since it is the machine that is tried
CLASS_SEED = LEARNER_RECORD / "class_seed"
NAME = 90  # bytes of a learner's name in the name of a file, which may have 255 with all that is added
DEATH_SIGNAL = 1  # option of prctl(2): end with the parent


def class_seed(given: str = "") -> int:
    """The hidden seed, of which those of the submissions come: made by chance once for this copy of the course, so that two runs agree; or the one that is given.

    Raises:
        ValueError: it is no number, or the one that was made can't be kept.
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


def assigned(handed_in: list[Submission], only: str = "", road: str = "") -> list[dict]:
    """The entries of the manifest that are graded: those chosen; without a choice those of the notebooks that somebody handed in.

    Raises:
        ValueError: there is no such notebook or exercise, or nothing to grade in it.
    """
    entries = chosen(only, road)[1]
    if not only:
        there = set().union(*(one.exercises() for one in handed_in))
        asked = {entry["id"] for entry in entries}
        numbers = " ".join(source.name for source in holding(there))
        entries = [entry for entry in chosen(numbers)[1] if there and entry["id"] in asked] or entries
    if not entries:
        raise ValueError(f"{only} contains no exercise, so there is nothing to grade")
    return entries


def grade_class(
    folder: Path,
    out: Path,
    only: str = "",
    seed: str = "",
    workers: int = 2,
    progress: bool = True,
    road: str = "",
    absent: Collection[str] = (),
) -> list[list[Row]]:
    """The rows of each submission, which are also kept in `out`, a file each; those that are there are not made again.

    What a person decided, in `out`/overrides.csv, counts in the rows that are returned. It may name those who are absent, too.

    Raises:
        ValueError: there is nothing to grade, an option makes no sense, `out` can't be written, or the course's own answers do not pass here.
    """
    from tqdm import tqdm

    sweep()
    number, handed_in = class_seed(seed), submissions(folder)
    entries = assigned(handed_in, only, road)
    notebooks = list(dict.fromkeys(entry["notebook"] for entry in entries))
    overrides = read_overrides(out / OVERRIDES, [*(one.learner for one in handed_in), *absent], notebooks)
    pages = [page_of(learner) for learner in (*(one.learner for one in handed_in), *absent)]
    make_ready(out, [*FILES, *pages], len(handed_in))
    if progress:
        why = "" if only else ": the notebooks that were handed in; ONLY chooses others"
        print(f"Grading {len(entries)} exercises of {', '.join(one[:2] for one in notebooks)}{why}.", file=sys.stderr)
    made_of = {
        "seed": number,
        "limits": asdict(LIMITS),
        "isolation": [bool(isolation().bwrap), isolation().switches],
    }
    keys = {one.learner: _keys(one, entries, made_of) for one in handed_in}
    left = {
        one.learner: [entry for entry in entries if entry["id"] not in there]
        for one in handed_in
        if len(there := load(out, one.learner, keys[one.learner])) < len(entries)
    }
    if names := {entry["id"] for some in left.values() for entry in some}:
        _ = [CHECKS[name] for name in names]  # loaded once, and not in each submission's process
        if fault := _fault(entries, number):
            raise ValueError(fault)
    bar = tqdm(total=len(handed_in), initial=len(handed_in) - len(left), unit="submission", disable=not progress)
    for learner in _in_processes([one for one in handed_in if one.learner in left], out, keys, left, number, workers):
        bar.update()
        bar.set_postfix_str(learner[:30])
    bar.close()
    learners = []
    for one in handed_in:
        found = load(out, one.learner, keys[one.learner], lost=True)
        learners.append([found.get(entry["id"]) or _failed(one, entry) for entry in entries])
    for rows in learners:
        override(rows, overrides)
    return learners


def _fault(entries: list[dict], seed: int) -> str:
    """Why nothing that is graded on this machine could be believed; "" where the course's own answers pass."""
    one, tried = canary(entries)
    keys = {entry["id"]: "" for entry in tried}
    found: dict[str, Row] = {}
    with tempfile.TemporaryDirectory(prefix="grade-") as name:
        for _ in (1, 2):
            if not found:
                [*_in_processes([one], Path(name), {one.learner: keys}, {one.learner: tried}, seed, 1, TRIAL)]
                found = load(Path(name), one.learner, keys, lost=True)
    return fault_of(found.get(entry["id"]) or _failed(one, entry) for entry in tried)


def _keys(one: Submission, entries: list[dict], made_of: dict) -> dict[str, str]:
    """Exercise -> what changes with all that its row comes from."""
    handed_in = one.key()
    return {
        entry["id"]: hashlib.sha256(
            json.dumps(
                [made_of, handed_in, fingerprint(entry["id"]), entry["notebook"], entry["points"]], sort_keys=True
            ).encode()
        ).hexdigest()
        for entry in entries
    }


def _in_processes(
    left: list[Submission],
    out: Path,
    keys: dict[str, dict[str, str]],
    entries: dict[str, list[dict]],
    seed: int,
    workers: int,
    patience: float = PATIENCE,
) -> Iterator[str]:
    """Yields each learner whose rows have been written; or whose process never ended, and said on standard error where it was."""
    fork = multiprocessing.get_context("fork")
    waiting = list(left)
    running: dict[Any, tuple[Submission, float]] = {}
    try:
        while waiting or running:
            while waiting and len(running) < max(1, workers):
                one = waiting.pop(0)
                process = fork.Process(
                    target=_one, args=(one, out, keys[one.learner], entries[one.learner], seed, os.getpid())
                )
                process.start()
                running[process] = one, time.monotonic()
            wait([process.sentinel for process in running], timeout=5)
            for process, (one, since) in list(running.items()):
                if process.is_alive() and time.monotonic() - since > patience:
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
                yield one.learner
    finally:
        for process in running:
            process.terminate()
            process.join(10)


def _one(one: Submission, out: Path, keys: dict[str, str], entries: list[dict], seed: int, parent: int) -> None:
    """In a process of its own."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(DEATH_SIGNAL, signal.SIGTERM, 0, 0, 0)
    faulthandler.register(signal.SIGUSR1, file=2)
    signal.signal(signal.SIGTERM, _leave)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if os.getppid() != parent:
        return
    for row in graded(one, entries, seed_of(one, seed)):
        _save(out, one.learner, keys, [row])


def seed_of(one: Submission, seed: int) -> int:
    """A submission's own: what somebody has found out about one says nothing about the next, their own included."""
    return int(hashlib.sha256(f"{seed} {one.learner} {one.key()}".encode("utf-8", "replace")).hexdigest()[:8], 16)


def _leave(*_) -> None:
    raise SystemExit(1)  # what was begun is cleaned up


def _failed(one: Submission, entry: dict) -> Row:
    """Where nothing was kept, which the next run tries again."""
    why = "the grader itself ended while it read this submission"
    return Row(one.learner, entry["notebook"], entry["id"], "needs a human", 0, entry["points"], why)


def _path(out: Path, learner: str) -> Path:
    return out / "learners" / f"{safe(learner)}.json"


def safe(learner: str) -> str:
    """A name that any system takes for a file, another for each learner."""
    encoding = sys.getfilesystemencoding()  # ASCII in some locales
    writable = learner.encode(encoding, "replace").decode(encoding)
    plain = "".join(letter if letter.isalnum() or letter in "-_.@ " else "_" for letter in writable)
    plain = encoded(plain.strip(" ").strip("."))[:NAME].decode("utf-8", "ignore") or "_"
    return (
        plain
        if plain == learner
        else f"{plain}-{hashlib.sha256(learner.encode('utf-8', 'surrogatepass')).hexdigest()[:6]}"
    )


def page_of(learner: str) -> str:
    """Their page of feedback, within OUT."""
    return f"feedback/{safe(learner)}.html"


def _save(out: Path, learner: str, keys: dict[str, str], rows: list[Row]) -> None:
    """Beside the rows of other exercises that are kept there."""
    kept = _kept(out, learner) | {row.exercise: {"key": keys[row.exercise], "row": asdict(row)} for row in rows}
    write_atomically(_path(out, learner), seal({"rows": kept}), private=True)


def _kept(out: Path, learner: str) -> dict[str, dict]:
    try:
        return unseal(_path(out, learner).read_bytes())["rows"]
    except (OSError, ValueError, KeyError):
        return {}


def load(out: Path, learner: str, keys: dict[str, str], lost: bool = False) -> dict[str, Row]:
    """Exercise -> its row of an earlier run, if nothing that it comes from has changed; where something was lost only if so wanted."""
    kept, rows = _kept(out, learner), {}
    for exercise, key in keys.items():
        with contextlib.suppress(ValueError, TypeError, KeyError):
            row = Row(**kept[exercise]["row"])
            if kept[exercise]["key"] == key and (lost or not row.lost):
                rows[exercise] = row
    return rows
