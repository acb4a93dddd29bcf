"""What a learner handed in, read leniently."""

import contextlib
import hashlib
import json
import os
import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path

import nbformat

from course_utils.course.answers import Cell

NOTEBOOK = ".ipynb"
LARGEST = 30 << 20  # bytes of a notebook that is read
LONGEST = 200_000  # characters of a cell that are
CANVAS = re.compile(
    r"^([^_]+)(?:_LATE)?_(\d+)_\d{3,}_"
)  # a file that Canvas has collected: name, user id, and a number of the file, which is never small
MOODLE = re.compile(r"^(.+)_(\d+)_assignsubmission_\w+$")  # a folder of Moodle's: full name, participant number
IDS = re.compile(rb'"exercise(?:" ?: ?"|-)(\w+)"')  # how an exercise's cell is marked
DEFINED = re.compile(rb'(?:"|\\n)def (\w+)')  # what a cell defines, where it is marked no more


@dataclass
class Submission:
    """One learner's notebooks.

    Attributes:
        name: what the platform calls them, in the name of the file or folder; the learner's where that is no platform's.
        number: by which the platform knows them, "" if the name doesn't say: Canvas' user id, or Moodle's participant number.
        platform: "Canvas", "Moodle" or "".
        files: what counts as theirs, by name within their folder.
        cells: of all that could be read, file by file.
        unreadable: file -> why it could not be read, in words.
    """

    learner: str
    name: str = ""
    number: str = ""
    platform: str = ""
    files: dict[str, Path] = field(default_factory=dict)
    cells: list[Cell] = field(default_factory=list)
    unreadable: dict[str, str] = field(default_factory=dict)

    def add(self, name: str, path: Path, folder: str) -> None:
        """A file of theirs; two of one name are told apart by the folder."""
        if not is_notebook(path):
            self.unreadable[name] = "it is no notebook (.ipynb)"
        else:
            self.files[name if name not in self.files else f"{folder}/{name}"] = path

    def read(self) -> None:
        for name, path in self.files.items():
            try:
                self.cells += read_cells(name, path)
            except ValueError as error:
                self.unreadable[name] = str(error)

    def exercises(self) -> set[str]:
        """Those that it has a cell of, filled in or not, as a glance at the bytes tells; reading them is left to its own process."""
        marked, defined = set[bytes](), set[bytes]()
        for path in self.files.values():
            try:
                data = path.read_bytes() if path.stat().st_size <= LARGEST else b""
            except OSError:
                continue
            marked |= set(IDS.findall(data))
            defined |= set(DEFINED.findall(data))
        return {name.decode("utf-8", "replace") for name in marked or defined}

    def key(self) -> str:
        """Changes with any of its files."""
        digest = hashlib.sha256()
        for name, path in self.files.items():
            digest.update(name.encode("utf-8", "replace") + b"\0")
            try:
                digest.update(
                    hashlib.sha256(path.read_bytes()).digest() if path.stat().st_size <= LARGEST else b"large"
                )
            except OSError:
                digest.update(b"unreadable")
        return digest.hexdigest()


def submissions(folder: Path) -> list[Submission]:
    """One for each folder in `folder`, with the notebooks at any depth; a loose notebook is a learner's of its own.

    Other files say that something was handed in that can't be read, where there is no notebook: in a folder, or as Canvas names them.
    What Canvas or Moodle has packed is told apart by the number in its name, since names are not unique: "bauerben-12345".

    Raises:
        ValueError: there is no such folder, or nothing in it.
    """
    if not folder.is_dir():
        raise ValueError(f"{folder} is not a folder: give SUBMISSIONS=dir, with a folder in it for each learner")
    found: dict[str, Submission] = {}
    for path in sorted(folder.iterdir()):
        if path.name.startswith("."):
            continue
        if path.is_dir() and not path.is_symlink():
            folders = readable(path.name)
            one = _of(found, folders, "Moodle", MOODLE.match(folders))
            for file in _files(path):
                one.add(readable(str(file.relative_to(path))), file, folders)
        elif (named := CANVAS.match(readable(path.name))) or is_notebook(path):
            loose = readable(path.name)
            _of(found, loose[: loose.lower().find(NOTEBOOK)], "Canvas", named).add(loose, path, "loose")
    if not found:
        raise ValueError(f"{folder} holds no submissions: a folder for each learner, with their notebooks in it")
    for one in found.values():
        if one.files:
            one.unreadable.clear()
    return list(found.values())


def readable(name: str) -> str:
    """The name of a file in letters that can be written, and the same whatever system has packed it."""
    return unicodedata.normalize("NFC", os.fsencode(name).decode("utf-8", "backslashreplace"))


def is_notebook(path: Path) -> bool:
    return NOTEBOOK in path.name.lower()  # browsers save .ipynb.txt and .ipynb.json


def _of(found: dict[str, Submission], plain: str, platform: str, named: re.Match | None) -> Submission:
    """The learner's submission, which is made where this is the first of their files."""
    one = Submission(f"{named[1]}-{named[2]}", named[1], named[2], platform) if named else Submission(plain, plain)
    return found.setdefault(one.learner, one)


def _files(folder: Path) -> Iterator[Path]:
    """Without hidden ones, and the course's own solutions."""
    for path in sorted(folder.rglob("*")):
        parts = path.relative_to(folder).parts
        hidden = any(part.startswith((".", "__MACOSX")) for part in parts) or ("notebooks", "solutions") in pairwise(
            parts
        )
        if (
            path.is_file()
            and not hidden
            and not any(one.is_symlink() for one in (path, *path.parents) if one.is_relative_to(folder))
        ):
            yield path


def read_cells(name: str, path: Path) -> list[Cell]:
    """Of any version of the format, or what looks like it.

    Raises:
        ValueError: it can't be read; the message says why.
    """
    try:
        if path.stat().st_size > LARGEST:
            raise ValueError(f"it is larger than {LARGEST >> 20} MB")
        data = path.read_bytes()
    except OSError as error:
        raise ValueError(error.strerror or str(error)) from None
    try:
        content = json.loads(data.decode("utf-8-sig"))
    except (ValueError, RecursionError):
        raise ValueError("it is not JSON, so no notebook" if data.strip() else "it is empty") from None
    with contextlib.suppress(Exception):  # what nbformat does not take is read as far as it goes
        content = json.loads(json.dumps(nbformat.reads(json.dumps(content), as_version=4)))
    if not isinstance(content, dict):
        raise ValueError("it is JSON, but no notebook")
    sheets = content.get("worksheets")
    cells = content.get("cells")
    if not isinstance(cells, list) and isinstance(sheets, list) and sheets and isinstance(sheets[0], dict):
        cells = sheets[0].get("cells")
    if not isinstance(cells, list):
        raise ValueError("it is JSON, but has no cells")
    return [_cell(name, number, cell) for number, cell in enumerate(cells) if isinstance(cell, dict)]


def _cell(name: str, number: int, cell: dict) -> Cell:
    source = cell.get("source", cell.get("input", ""))
    text = "".join(one for one in source if isinstance(one, str)) if isinstance(source, list) else source
    metadata, own = cell.get("metadata"), cell.get("id", "")
    kind = cell.get("cell_type", "code")
    return Cell(
        name,
        number,
        kind if kind in ("code", "markdown", "raw") else "raw",
        text[:LONGEST].encode("utf-8", "replace").decode() if isinstance(text, str) else "",
        metadata if isinstance(metadata, dict) else {},
        own if isinstance(own, str) else "",
    )
