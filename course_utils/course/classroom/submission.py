"""What a learner handed in, read leniently, and made into a fresh notebook for each exercise."""

import ast
import hashlib
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

import nbformat

from course_utils.course.answers import Cell, answer_of, defines, find, needs, parsed, python_of, without_checks
from course_utils.course.build import Source, build, manifest, sources
from course_utils.exercise import EXERCISES

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
                digest.update(hashlib.sha256(path.read_bytes()).digest() if path.stat().st_size <= LARGEST else b"large")
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
    try:
        content = json.loads(json.dumps(nbformat.reads(json.dumps(content), as_version=4)))
    except Exception:  # what nbformat does not take is read as far as it goes
        pass
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


# --- a fresh notebook for an exercise ----------------------------------------------------------------------------------


@dataclass(frozen=True)
class Fresh:
    """What is run for one version of an answer.

    Attributes:
        given: the course's own lines that it needs: imports, and code that the notebook gives.
        cells: the learner's, in their order: helpers, and last the one with the answer, without calls of checks.
        expression: what is graded.
        answer: the cell it was found in.
        helpers: those it needs.
    """

    given: str
    cells: tuple[str, ...]
    expression: str
    answer: Cell
    helpers: tuple[Cell, ...]

    @property
    def learners(self) -> str:
        """All that is the learner's, as Python."""
        return "\n".join([*(python_of(cell) for cell in self.cells), self.expression])


def fresh_notebooks(submission: Submission, exercise: str, found: dict[str, list[Cell]] | None = None) -> list[Fresh]:
    """For each version of the answer, the likeliest first; [] where there is none that is filled in."""
    found = find(submission.cells) if found is None else found
    return [
        _fresh(submission.cells, exercise, cell)
        for cell in found.get(exercise, [])
        if cell.kind == "code" and not cell.untouched(exercise)
    ]


def _fresh(cells: list[Cell], exercise: str, answer: Cell) -> Fresh:
    answer_source = without_checks(answer.python) if answer.python else answer.source
    expression = exercise
    if exercise not in defines(answer_source):
        expression = answer_of(cells, exercise)
    place = cells.index(answer)
    providers: dict[str, Cell] = {}
    for order in (reversed(cells[:place]), cells[place + 1 :]):  # the nearest before it, else the first after it
        for cell in order:
            if cell.kind == "code" and "check" not in cell.metadata:
                for name in defines(cell.python):
                    providers.setdefault(name, cell)
    given, chosen = _given(EXERCISES[exercise].notebook), {answer: place}
    open_names, known = {*needs(answer_source), *needs(expression)}, {*defines(answer_source)}
    lines: list[tuple[int, str]] = []
    while open_names:
        name = open_names.pop()
        if name in known:
            continue
        known.add(name)
        cell = providers.get(name)
        if name in EXERCISES and name != exercise:  # yours or ours, as in a notebook
            lines.append((-1, f"from course_utils.mine import {name}"))
        elif name in given and (cell is None or cell.of_the_course or given[name].is_import):
            lines.append((given[name].place, given[name].source))
            open_names |= given[name].needs
        elif cell is not None:
            if cell not in chosen:
                chosen[cell] = cells.index(cell)
                open_names |= needs(without_checks(cell.python))
                known |= defines(cell.python) - EXERCISES.keys()
    helpers = tuple(sorted((one for one in chosen if one != answer), key=chosen.__getitem__))
    ordered = [*helpers, answer]
    return Fresh(
        "\n".join(dict.fromkeys(text for _, text in sorted(lines))),
        tuple(_as_run(cell) for cell in ordered),
        expression,
        answer,
        helpers,
    )


def _as_run(cell: Cell) -> str:
    """As the learner wrote it; one that calls a check, as Python without it."""
    return without_checks(cell.python) if without_checks(cell.python) != cell.python else cell.source


@dataclass(frozen=True)
class _Given:
    place: int
    source: str
    is_import: bool
    needs: frozenset[str]


@cache
def _given(notebook: str) -> dict[str, _Given]:
    """Name -> the statement of the course's own notebook that binds it, outside exercises and checks."""
    found: dict[str, _Given] = {}
    place = 0
    for cell in build(_source(notebook), folded_solutions=False).cells:
        if cell.cell_type != "code" or "exercise" in cell.metadata or "check" in cell.metadata:
            continue
        tree = parsed(python_of(cell.source)) or ast.Module([], [])
        for node in tree.body:
            place += 1
            text = ast.unparse(node)
            is_import = isinstance(node, ast.Import | ast.ImportFrom)
            for name in defines(text):
                found.setdefault(name, _Given(place, text, is_import, frozenset(needs(text))))
    return found


def _source(notebook: str) -> Source:
    return next(source for source in sources() if source.name.startswith(notebook))


@cache
def course() -> list[dict]:
    """The manifest, read once."""
    return manifest()

