"""How a cell of a notebook says what it was built as, and whether somebody has changed it since."""

import ast
import hashlib
import inspect
import re
from collections.abc import Mapping

from course_utils.exercise import BEGIN, END, EXERCISES


class SourceError(Exception):
    """A source that can't be built; the message begins with file:line."""


def _reference_lines(name: str) -> tuple[list[str], int, int]:
    """Source lines of an exercise's reference, the index at which its body begins (after the docstring), and the first
    line's number in its file."""
    lines = EXERCISES[name].source.splitlines()
    function = next(node for node in ast.parse("\n".join(lines)).body if isinstance(node, ast.FunctionDef))
    return lines, function.body[0].end_lineno or 0, inspect.getsourcelines(EXERCISES[name].reference)[1] + 1


def stub(name: str) -> str:
    """Signature, docstring and given lines of an exercise; the rest becomes one line that raises NotImplementedError.

    Raises:
        SourceError: a marker is unmatched.
    """
    lines, body, first = _reference_lines(name)
    file = inspect.getsourcefile(EXERCISES[name].reference)
    kept, given_since, opened = lines[:body], None, False
    hole = f'    raise NotImplementedError("{name} is not written yet")'
    for number, line in enumerate(lines[body:], body):
        marker = line.strip()
        if marker == BEGIN:
            if given_since is not None:
                raise SourceError(f"{file}:{first + number}: {BEGIN!r} inside a given part")
            given_since = number
        elif marker == END:
            if given_since is None:
                raise SourceError(f"{file}:{first + number}: {END!r} without {BEGIN!r}")
            given_since = None
        elif given_since is not None:
            kept.append(line)
        elif not opened:
            opened = True
            kept += ["    # your code here", hole]
    if given_since is not None:
        raise SourceError(f"{file}:{first + given_since}: {BEGIN!r} is never closed")
    return "\n".join(kept)


def template(name: str, openings: list[str]) -> str:
    """The reference with some lines left open, each named by how it begins; the others are given.

    Raises:
        SourceError: no line of it, or more than one, begins like this.
    """
    lines = reference(name).splitlines()
    for number, begins in enumerate(openings, 1):
        places = [place for place, line in enumerate(lines) if line.strip().startswith(begins)]
        if len(places) != 1:
            raise SourceError(f"{len(places)} lines of {name} begin with {begins!r}")
        indent = " " * (len(lines[places[0]]) - len(lines[places[0]].lstrip()))
        hole = f"line {number} of {len(openings)} of {name} is not written yet"
        lines[places[0]] = f'{indent}# your line {number} here\n{indent}raise NotImplementedError("{hole}")'
    return "\n".join(lines)


def reference(name: str) -> str:
    lines, _, _ = _reference_lines(name)
    return "\n".join(line for line in lines if line.strip() not in (BEGIN, END))


def fingerprint(text: str) -> str:
    """Tells whether a cell is as the builder left it, however a program ends its lines: an exercise cell keeps that of its stub in its metadata."""
    lines = "\n".join(line.rstrip() for line in text.strip().splitlines())
    return hashlib.sha256(lines.encode()).hexdigest()[:12]


def is_changed(cell) -> bool:
    """Whether a learner changed this cell of the course's. (Older notebooks don't say what it was, but for the id of a plain cell.)"""
    was = cell.metadata.get("course")
    if was is True:
        was = cell.id.partition("-")[0] if re.fullmatch(r"[0-9a-f]{12}(-\d+)?", cell.id) else fingerprint(cell.source)
    return bool(was) and "exercise" not in cell.metadata and fingerprint(cell.source) != was


def exercise_of(metadata: Mapping, id: str) -> str:
    """The exercise whose stub a cell was built as, by its mark or, where a program has taken the marks away, by its id; "" if none."""
    name = metadata.get("exercise")
    return name if isinstance(name, str) else id.removeprefix("exercise-") * id.startswith("exercise-")
