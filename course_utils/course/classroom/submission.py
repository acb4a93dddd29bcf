"""What a learner handed in, read leniently."""

import contextlib
import hashlib
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

import nbformat

from course_utils.course.answers import Cell
from course_utils.course.build import manifest

LARGEST = 30 << 20  # bytes of a notebook that is read
CANVAS = re.compile(r"^([^_]+)(?:_LATE)?_\d+_\d+_")  # how a loose file is called that Canvas has collected


@dataclass
class Submission:
    """One learner's notebooks.

    Attributes:
        files: what counts as theirs, by name within their folder.
        cells: of all that could be read, file by file.
        unreadable: file -> why it could not be read, in words.
    """

    learner: str
    files: dict[str, Path] = field(default_factory=dict)
    cells: list[Cell] = field(default_factory=list)
    unreadable: dict[str, str] = field(default_factory=dict)

    def read(self) -> None:
        for name, path in self.files.items():
            try:
                self.cells += read_cells(name, path)
            except ValueError as error:
                self.unreadable[name] = str(error)

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
            one = found.setdefault(path.name, Submission(path.name))
            one.files |= {str(file.relative_to(path)): file for file in _notebooks(path)}
        elif path.suffix == ".ipynb":
            named = CANVAS.match(path.name)
            learner = named[1] if named else path.stem
            found.setdefault(learner, Submission(learner)).files[path.name] = path
    if not found:
        raise ValueError(f"{folder} holds no submissions: a folder for each learner, with their notebooks in it")
    return list(found.values())


def _notebooks(folder: Path) -> Iterator[Path]:
    for path in sorted(folder.rglob("*.ipynb")):
        hidden = any(part.startswith(".") or part == "solutions" for part in path.relative_to(folder).parts)
        if not hidden and not any(one.is_symlink() for one in (path, *path.parents) if one.is_relative_to(folder)):
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
        text.encode("utf-8", "replace").decode() if isinstance(text, str) else "",
        metadata if isinstance(metadata, dict) else {},
        own if isinstance(own, str) else "",
    )


@cache
def course() -> list[dict]:
    """The manifest, read once."""
    return manifest()
