"""A learner's answers in one file, which is taken out of one copy of the course and into another: home from a browser tab, and back.

The file is a zip of the notebooks that were begun, as they are, and of the record: what passed, and the networks that were kept. To
take it in is the same `merge` that an update does. Nothing here needs more than the standard library, so that it runs in a browser tab.
"""

import hashlib
import io
import json
import re
import struct
import zipfile
import zlib
from collections.abc import Iterable
from datetime import datetime
from pathlib import Path
from typing import Any

from course_utils import record
from course_utils.answers.marks import SourceError, fingerprint
from course_utils.course.cells import is_learners, is_untouched_stub, merge, to_text
from course_utils.course.update import new_backup
from course_utils.exercise import EXERCISES
from course_utils.files import write_atomically

SUFFIX = ".answers"  # of the file; a browser that unpacks what is called .zip leaves it whole
PLACES = re.compile(r"notebooks/[^/\\:.][^/\\:]*\.ipynb|record/answers/\w+\.json|record/agents/[\w][\w ,.-]*\.pt")
MOST = 2**30  # bytes that are unpacked
KNOWN = "travelled"  # in the record: fingerprints of the files that were written here or asked about, a line each


class CannotTakeIn(Exception):
    """Nothing was changed; the message says why, in a sentence."""


class Node(dict):
    """A part of a notebook, whose keys are attributes, as those of nbformat are."""

    def __getattr__(self, name: str) -> Any:
        try:
            return self[name]
        except KeyError:
            raise AttributeError(name) from None

    __setattr__ = dict.__setitem__


def read(text: bytes) -> Node:
    """A notebook from its file. Raises ValueError: it is none of version 4."""
    notebook = json.loads(text, object_hook=Node)
    if not isinstance(notebook, Node) or notebook.get("nbformat") != 4 or not isinstance(notebook.get("cells"), list):
        raise ValueError("not a notebook of version 4")
    for number, cell in enumerate(notebook.cells):
        if not isinstance(cell, Node) or not isinstance(cell.get("metadata"), Node):
            raise ValueError("not a cell")
        source = cell.get("source", "")
        cell["source"] = ("".join(source) if isinstance(source, list) else source).replace("\r\n", "\n")
        cell.setdefault("id", f"own-{fingerprint(cell.source)}-{number}")
        if cell.cell_type == "code":
            cell.setdefault("outputs", [])
            cell.setdefault("execution_count", None)
    return notebook


# --- out -------------------------------------------------------------------------------------------------------------


def pack(notebooks: Path, folder: Path) -> bytes:
    """A file that holds all that is the learner's in these notebooks and in the record that lies in `folder`."""
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as file:
        for path in sorted(notebooks.glob("*.ipynb")):
            if _is_worth_taking(content := path.read_bytes()):
                file.writestr(f"notebooks/{path.name}", content)
        for path in sorted([*folder.glob("answers/*.json"), *folder.glob("agents/*.pt")]):
            file.writestr(f"record/{path.relative_to(folder).as_posix()}", path.read_bytes())
    note(packed.getvalue(), folder)
    return packed.getvalue()


def file_name() -> str:
    return f"alphazero-{datetime.now():%Y-%m-%d}{SUFFIX}"


def _is_worth_taking(content: bytes) -> bool:
    try:
        return any(cell.get("outputs") or is_learners(cell) for cell in read(content).cells)
    except ValueError:
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
    """
    write: dict[Path, bytes] = {}
    passed: dict[str, str] = {}
    for name, content in _unpacked(packed).items():
        kind, _, rest = name.partition("/")
        if kind == "notebooks":
            write |= _merged(notebooks / rest, content)
        elif not rest.startswith("answers/"):
            write[folder / rest] = content
        elif (answer := _answer(content)) is not None:
            here = record.load(answer.exercise, folder)
            if here is None or answer.source or not here.source:
                write[folder / "answers" / f"{answer.exercise}.json"] = content
                passed |= {answer.exercise: answer.source} if answer.source else {}
    write |= _with_answers(passed, notebooks, write)
    write = {path: content for path, content in write.items() if not path.exists() or path.read_bytes() != content}
    replaced = [path for path in write if path.exists()]
    if replaced:
        copies = new_backup(folder)
    for path in replaced:
        copy = copies / path.relative_to(folder if path.is_relative_to(folder) else notebooks)
        copy.parent.mkdir(parents=True, exist_ok=True)
        copy.write_bytes(path.read_bytes())
    for path, content in write.items():
        write_atomically(path, content)
    note(packed, folder)
    if not write:
        return "All that is in this file was here already."
    changed = sum(path.suffix == ".ipynb" for path in write)
    said = f"Taken in: {changed} notebook{'s' * (changed != 1)}, and {len(passed)} answer{'s' * (len(passed) != 1)} that passed."
    return said + (f" What stood there before is kept in {copies}." if replaced else "")


def _unpacked(packed: bytes) -> dict[str, bytes]:
    """Path in the file -> content, of what belongs to the course."""
    try:
        with zipfile.ZipFile(io.BytesIO(packed)) as file:
            entries = [entry for entry in file.infolist() if PLACES.fullmatch(entry.filename)]
            if sum(entry.file_size for entry in entries) > MOST:
                raise CannotTakeIn("This file says that it holds more than a gigabyte, which no answers do.")
            found = {entry.filename: file.read(entry) for entry in entries}
    except (zipfile.BadZipFile, zlib.error, EOFError, OSError, RuntimeError, ValueError, struct.error):
        raise CannotTakeIn("This file is damaged: save it once more where it comes from.") from None
    if not found:
        raise CannotTakeIn("There are no answers in this file.")
    return found


def _merged(path: Path, theirs: bytes) -> dict[Path, bytes]:
    """What is to be written where, for one notebook of the file."""
    if not path.exists():
        return {path: theirs}
    try:
        here = read(path.read_bytes())
        before = to_text(here)
        after = to_text(merge(here, read(theirs)))
    except (ValueError, SourceError):  # one of them is no notebook: the file's stands beside the other
        number = 2
        while (beside := path.with_stem(f"{path.stem}-{number}")).exists() and beside.read_bytes() != theirs:
            number += 1
        return {beside: theirs} if path.read_bytes() != theirs else {}
    return {path: after.encode()} if after != before else {}


def _answer(content: bytes) -> record.Answer | None:
    try:
        answer = record.Answer(**json.loads(content))
    except (ValueError, TypeError):
        return None
    return answer if answer.exercise in EXERCISES and isinstance(answer.source, str) else None


def _with_answers(passed: dict[str, str], notebooks: Path, write: dict[Path, bytes]) -> dict[Path, bytes]:
    """Notebooks with those answers filled in whose exercises are still untouched: from Colab nothing but the record comes along."""
    filled = {}
    for path in sorted({*notebooks.glob("*.ipynb"), *(path for path in write if path.suffix == ".ipynb")}):
        try:
            notebook = read(write.get(path) or path.read_bytes())
        except ValueError:
            continue
        open_cells = {
            cell.metadata.exercise: cell
            for cell in notebook.cells
            if "exercise" in cell.metadata and is_untouched_stub(cell)
        }
        for name in open_cells.keys() & passed.keys():
            open_cells[name].source = passed[name].strip()
            filled[path] = to_text(notebook).encode()
    return filled


def buttons() -> Any:
    """Two buttons for a notebook: take the answers along as one file, and bring them back in."""
    from course_utils.course.travel_buttons import TravelButtons  # what needs a page

    return TravelButtons()


# --- files that were found --------------------------------------------------------------------------------------------


def note(packed: bytes, folder: Path) -> None:
    """That this file is known here, so that nobody asks about it (again)."""
    known = _known(folder) | {hashlib.sha256(packed).hexdigest()}
    write_atomically(folder / KNOWN, "\n".join(sorted(known)) + "\n")


def _known(folder: Path) -> set[str]:
    path = folder / KNOWN
    return set(path.read_text("utf-8").split()) if path.exists() else set()


def found(places: Iterable[Path], folder: Path) -> list[Path]:
    """Files of answers in these folders that are not known here, the newest first."""
    paths = [path for place in places for path in place.glob(f"*{SUFFIX}") if path.is_file()]
    paths.sort(key=lambda path: path.stat().st_mtime, reverse=True)
    return [path for path in paths if hashlib.sha256(path.read_bytes()).hexdigest() not in _known(folder)]
