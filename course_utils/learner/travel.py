"""Export a learner's answers into one file, and import it into another copy of the course, such as one in a browser
tab.

The file is a zip of the notebooks that were begun and of the record: answers that passed, and networks that were
kept. The import uses the `merge` of an update. The module needs only the standard library, so that it runs in a
browser tab. Answers are code that the course will run, so every import is confirmed by the learner first.
"""

import contextlib
import hashlib
import io
import shutil
import zipfile
from collections.abc import Iterable
from datetime import datetime
from pathlib import Path
from typing import Any

from course_utils import record
from course_utils.answers.cells import Cell
from course_utils.answers.notebook_file import LARGEST, read
from course_utils.exercise import EXERCISES
from course_utils.files import Damaged, open_zip, write_atomically
from course_utils.material.answers_file import MOST, PLACES, SUFFIX
from course_utils.material.backups import new_backup, put_back
from course_utils.material.merging import merge, to_text

RUNS = (
    "Answers are code: once they are taken in, this course's notebooks and checks run them, and they can do all that "
    "you can. Take in only a file that is yours."
)
# A file of the record with the fingerprints of files that were written here or asked about, one a line.
SEEN = "travelled"


class CannotTakeIn(Exception):
    """Nothing was changed; the message is a sentence that says why."""


# --- export ----------------------------------------------------------------------------------------------------------


def pack(notebooks: Path, folder: Path) -> bytes:
    """Export the learner's notebooks, and the record in `folder`. Raises CannotTakeIn: a notebook is too large."""
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as file:
        for path in sorted(notebooks.glob("*.ipynb")):
            if path.stat().st_size > LARGEST:
                raise CannotTakeIn(
                    f"{path.name} is larger than {LARGEST >> 20} MB. Clear its outputs first: Edit > Clear Outputs of "
                    "All Cells."
                )
            if _is_worth_taking(content := path.read_bytes()):
                file.writestr(f"notebooks/{path.name}", content)
        for path in sorted([*folder.glob("answers/*.json"), *folder.glob("agents/*.pt")]):
            file.writestr(f"record/{path.relative_to(folder).as_posix()}", path.read_bytes())
    note(hashlib.sha256(archive.getvalue()).hexdigest(), folder)
    return archive.getvalue()


def file_name() -> str:
    return f"alphazero-{datetime.now():%Y-%m-%d}{SUFFIX}"


def _is_worth_taking(content: bytes) -> bool:
    try:
        return any(cell.get("outputs") or Cell.of(cell).is_learners for cell in read(content).cells)
    except Damaged:
        return True  # unreadable, but the learner's


# --- import ----------------------------------------------------------------------------------------------------------


def take_in(archive: bytes, notebooks: Path, folder: Path) -> str:
    """Import a file of answers, and back up everything that it replaces.

    If both have an answer to an exercise, the file's takes the cell, and the current answer moves below it, folded.
    Only a recorded answer that passed can replace one that passed.

    Returns:
        A few sentences that say what was done.

    Raises:
        CannotTakeIn: the file is damaged, or of another kind. Nothing was changed.
        OSError: a file can't be written. Nothing was changed.
    """
    write: dict[Path, bytes] = {}
    passed: dict[str, str] = {}
    broken: list[str] = []
    for name, content in _unpacked(archive).items():
        kind, _, rest = name.partition("/")
        if kind == "notebooks":
            write |= _merged(notebooks / rest, content)
        elif not rest.startswith("answers/"):
            write[folder / rest] = content
        elif (answer := _answer(content)) is None:
            broken.append(name)
        elif answer.exercise in EXERCISES:
            recorded = record.load(answer.exercise, folder)
            if recorded is None or answer.source or not recorded.source:
                write[folder / "answers" / f"{answer.exercise}.json"] = content
                passed |= {answer.exercise: answer.source} if answer.source else {}
    write |= _with_answers(passed, notebooks, write)
    write = {path: content for path, content in write.items() if not path.exists() or path.read_bytes() != content}
    broken += [path.name for path in write if path.suffix == ".ipynb" and not _can_be_read(write[path])]
    replaced = [path for path in write if path.exists()]
    if replaced:
        copies = new_backup(folder)
    kept = {path: copies / path.relative_to(folder if path.is_relative_to(folder) else notebooks) for path in replaced}
    for path, copy in kept.items():
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(path, copy)
    _write(write, kept)
    with contextlib.suppress(OSError):  # at worst the learner is asked again
        note(hashlib.sha256(archive).hexdigest(), folder)
    unread = f" These of its files can't be read: {', '.join(broken)}." if broken else ""
    if not write:
        return f"Everything in this file was already here.{unread}"
    changed = sum(path.suffix == ".ipynb" for path in write)
    summary = (
        f"Taken in: {changed} notebook{'s' * (changed != 1)}, and {len(passed)} answer{'s' * (len(passed) != 1)} "
        "that passed."
    )
    return summary + (f" Copies of what was there before are in {copies}." if replaced else "") + unread


def _write(write: dict[Path, bytes], kept: dict[Path, Path]) -> None:
    """Write all files or none. `kept` maps files that existed before to their copies."""
    try:
        for path, content in write.items():
            write_atomically(path, content)
    except BaseException:
        for path in write:
            if path in kept:
                put_back(kept[path], path)
            else:
                path.unlink(missing_ok=True)
        raise


def _unpacked(archive: bytes) -> dict[str, bytes]:
    """Path in the archive -> content, for the entries that belong to the course."""
    try:
        file = open_zip(archive, MOST)
    except Damaged:
        raise CannotTakeIn("This file is damaged or contains no answers; save it again where it comes from.") from None
    entries = [entry for entry in file.infolist() if PLACES.fullmatch(entry.filename)]
    if not entries:
        raise CannotTakeIn("This file contains no answers.")
    for entry in entries:
        if entry.file_size > LARGEST:
            raise CannotTakeIn(
                f"{entry.filename} in this file has {entry.file_size >> 20} MB. The limit is {LARGEST >> 20} MB."
            )
    return {entry.filename: file.read(entry) for entry in entries}


def _merged(path: Path, content: bytes) -> dict[Path, bytes]:
    """Path -> content to write, for one notebook of the archive."""
    if not path.exists():
        return {path: content}
    try:
        current = read(path.read_bytes())
        before = to_text(current).encode()
        after = to_text(merge(current, read(content))).encode()
    except Exception:  # one of the two is not a notebook, so we keep both
        number = 2
        while (beside := path.with_stem(f"{path.stem}-{number}")).exists() and beside.read_bytes() != content:
            number += 1
        return {beside: content} if path.read_bytes() != content else {}
    return {path: after} if after != before else {}


def _can_be_read(content: bytes) -> bool:
    try:
        return bool(read(content))
    except Damaged:
        return False


def _answer(content: bytes) -> record.Answer | None:
    try:
        return record.parse(content)
    except Damaged:
        return None


def _with_answers(passed: dict[str, str], notebooks: Path, write: dict[Path, bytes]) -> dict[Path, bytes]:
    """Fill recorded answers into exercises that are still untouched, since a file from Colab may contain the record
    alone.
    """
    filled = {}
    for path in sorted({*notebooks.glob("*.ipynb"), *(path for path in write if path.suffix == ".ipynb")}):
        with contextlib.suppress(ValueError, RecursionError):  # the notebook can't be read or written
            notebook = read(write.get(path) or path.read_bytes())
            open_cells = {
                cell.metadata.exercise: cell
                for cell in notebook.cells
                if "exercise" in cell.metadata and Cell.of(cell).untouched()
            }
            for name in open_cells.keys() & passed.keys():
                open_cells[name].source = passed[name].strip()
                filled[path] = to_text(notebook).encode()
    return filled


def buttons() -> Any:
    """Show two buttons in a notebook: one exports the answers as a file, the other imports such a file."""
    from course_utils.learner.travel_buttons import TravelButtons  # needs a widget

    return TravelButtons()


# --- files of answers on this computer -------------------------------------------------------------------------------


def note(fingerprint: str, folder: Path) -> None:
    """Record the fingerprint of a file, so that the learner is not asked about it again."""
    seen = _seen(folder) | {fingerprint}
    write_atomically(folder / SEEN, "\n".join(sorted(seen)) + "\n")


def _seen(folder: Path) -> set[str]:
    path = folder / SEEN
    return set(path.read_text("utf-8", "replace").split()) if path.exists() else set()


def new_files(places: Iterable[Path], folder: Path) -> list[Path]:
    """Files of answers in these folders that the learner was not asked about yet, the newest first."""
    paths = [path for place in places for path in place.glob(f"*{SUFFIX}") if path.is_file()]
    paths.sort(key=lambda path: path.stat().st_mtime, reverse=True)
    return [path for path in paths if fingerprint_of(path) not in {*_seen(folder), ""}]


def fingerprint_of(path: Path) -> str:
    """A hash of a file; "" if it can't be read."""
    try:
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError:
        return ""
