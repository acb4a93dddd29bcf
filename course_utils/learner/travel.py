"""A learner's answers in one file, which is taken out of one copy of the course and into another: home from a browser tab, and back.

The file is a zip of the notebooks that were begun, as they are, and of the record: what passed, and the networks that were kept. To
take it in is the same `merge` that an update does. Nothing here needs more than the standard library, so that it runs in a browser tab.
Answers are code, which the course runs from then on: whoever takes a file in is asked first.
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

RUNS = "Answers are code: once they are taken in, this course's notebooks and checks run them, and they can do all that you can. Take in only a file that is yours."
KNOWN = "travelled"  # in the record: fingerprints of the files that were written here or asked about, a line each


class CannotTakeIn(Exception):
    """Nothing was changed; the message says why, in a sentence."""


# --- out -------------------------------------------------------------------------------------------------------------


def pack(notebooks: Path, folder: Path) -> bytes:
    """A file that holds all that is the learner's in these notebooks and in the record that lies in `folder`. Raises CannotTakeIn: a notebook is too large for that."""
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as file:
        for path in sorted(notebooks.glob("*.ipynb")):
            if path.stat().st_size > LARGEST:
                raise CannotTakeIn(
                    f"{path.name} has more than {LARGEST >> 20} MB: clear its outputs first, with Edit > Clear Outputs of All Cells."
                )
            if _is_worth_taking(content := path.read_bytes()):
                file.writestr(f"notebooks/{path.name}", content)
        for path in sorted([*folder.glob("answers/*.json"), *folder.glob("agents/*.pt")]):
            file.writestr(f"record/{path.relative_to(folder).as_posix()}", path.read_bytes())
    note(hashlib.sha256(packed.getvalue()).hexdigest(), folder)
    return packed.getvalue()


def file_name() -> str:
    return f"alphazero-{datetime.now():%Y-%m-%d}{SUFFIX}"


def _is_worth_taking(content: bytes) -> bool:
    try:
        return any(cell.get("outputs") or Cell.of(cell).is_learners for cell in read(content).cells)
    except Damaged:
        return True  # whatever it is, it is the learner's


# --- in --------------------------------------------------------------------------------------------------------------


def take_in(packed: bytes, notebooks: Path, folder: Path) -> str:
    """Bring what is in such a file to where it stands here. What it replaces is kept in a backup.

    Where both have an answer, the file's takes the place and the one that was here stands below it, folded. A recorded
    answer that passed gives way to nothing but another that passed.

    Returns:
        What was done, in some sentences.

    Raises:
        CannotTakeIn: the file is damaged, or another. Everything is as it was.
        OSError: something can't be written. Everything is as it was, too.
    """
    write: dict[Path, bytes] = {}
    passed: dict[str, str] = {}
    broken: list[str] = []
    for name, content in _unpacked(packed).items():
        kind, _, rest = name.partition("/")
        if kind == "notebooks":
            write |= _merged(notebooks / rest, content)
        elif not rest.startswith("answers/"):
            write[folder / rest] = content
        elif (answer := _answer(content)) is None:
            broken.append(name)
        elif answer.exercise in EXERCISES:
            here = record.load(answer.exercise, folder)
            if here is None or answer.source or not here.source:
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
    with contextlib.suppress(OSError):  # it would be asked about once more
        note(hashlib.sha256(packed).hexdigest(), folder)
    unread = f" What can't be read of it: {', '.join(broken)}." if broken else ""
    if not write:
        return f"All that is in this file was here already.{unread}"
    changed = sum(path.suffix == ".ipynb" for path in write)
    said = f"Taken in: {changed} notebook{'s' * (changed != 1)}, and {len(passed)} answer{'s' * (len(passed) != 1)} that passed."
    return said + (f" What stood there before is kept in {copies}." if replaced else "") + unread


def _write(write: dict[Path, bytes], kept: dict[Path, Path]) -> None:
    """All of it or nothing: `kept` has the copies of files that were there before."""
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


def _unpacked(packed: bytes) -> dict[str, bytes]:
    """Path in the file -> content, of what belongs to the course."""
    try:
        file = open_zip(packed, MOST)
    except Damaged:
        raise CannotTakeIn("This file is damaged or contains no answers; save it again where it comes from.") from None
    entries = [entry for entry in file.infolist() if PLACES.fullmatch(entry.filename)]
    if not entries:
        raise CannotTakeIn("This file contains no answers.")
    for entry in entries:
        if entry.file_size > LARGEST:
            raise CannotTakeIn(
                f"This file holds {entry.filename} of {entry.file_size >> 20} MB, and more than {LARGEST >> 20} MB no answers have."
            )
    return {entry.filename: file.read(entry) for entry in entries}


def _merged(path: Path, theirs: bytes) -> dict[Path, bytes]:
    """What is to be written where, for one notebook of the file."""
    if not path.exists():
        return {path: theirs}
    try:
        here = read(path.read_bytes())
        before = to_text(here).encode()
        after = to_text(merge(here, read(theirs))).encode()
    except Exception:  # one of them is no notebook, which can show in any way: the file's stands beside the other
        number = 2
        while (beside := path.with_stem(f"{path.stem}-{number}")).exists() and beside.read_bytes() != theirs:
            number += 1
        return {beside: theirs} if path.read_bytes() != theirs else {}
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
    """Notebooks with those answers filled in whose exercises are still untouched: from Colab nothing but the record comes along."""
    filled = {}
    for path in sorted({*notebooks.glob("*.ipynb"), *(path for path in write if path.suffix == ".ipynb")}):
        with contextlib.suppress(ValueError, RecursionError):  # it can't be read, or not be written
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
    """Two buttons for a notebook: take the answers along as one file, and bring them back in."""
    from course_utils.learner.travel_buttons import TravelButtons  # what needs a page

    return TravelButtons()


# --- files that were found --------------------------------------------------------------------------------------------


def note(fingerprint: str, folder: Path) -> None:
    """That the file with this `fingerprint_of` is known here, so that nobody asks about it (again)."""
    known = _known(folder) | {fingerprint}
    write_atomically(folder / KNOWN, "\n".join(sorted(known)) + "\n")


def _known(folder: Path) -> set[str]:
    path = folder / KNOWN
    return set(path.read_text("utf-8", "replace").split()) if path.exists() else set()


def found(places: Iterable[Path], folder: Path) -> list[Path]:
    """Files of answers in these folders that are not known here, the newest first."""
    paths = [path for place in places for path in place.glob(f"*{SUFFIX}") if path.is_file()]
    paths.sort(key=lambda path: path.stat().st_mtime, reverse=True)
    return [path for path in paths if fingerprint_of(path) not in {*_known(folder), ""}]


def fingerprint_of(path: Path) -> str:
    """ "" where it can't be read."""
    try:
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError:
        return ""
