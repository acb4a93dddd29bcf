"""Write the text of an exercise cell: the stub that a learner fills in, a stub with given lines, or the reference."""

import ast
import inspect

from course_utils.exercise import BEGIN, END, EXERCISES


class SourceError(Exception):
    """The source can't be built; the message begins with file:line."""


def _reference_lines(name: str) -> tuple[list[str], int, int]:
    """The source lines of an exercise's reference, the index of its body (after the docstring), and its first line
    number.
    """
    lines = EXERCISES[name].source.splitlines()
    function = next(node for node in ast.parse("\n".join(lines)).body if isinstance(node, ast.FunctionDef))
    return lines, function.body[0].end_lineno or 0, inspect.getsourcelines(EXERCISES[name].reference)[1] + 1


def stub(name: str) -> str:
    """The signature, docstring and given lines of an exercise.

    The rest becomes one line that raises NotImplementedError.

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
    """The reference with some lines left open, which are named by their first words.

    Raises:
        SourceError: no line, or more than one, begins with these words.
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
