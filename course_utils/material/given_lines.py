"""Collect the code that a notebook gives its learner besides exercises: the statement that binds each name."""

import ast
from functools import cache

from course_utils.answers.cells import python_of
from course_utils.answers.program import CourseLine
from course_utils.exercise import EXERCISES
from course_utils.material.build import build
from course_utils.material.source_files import sources
from course_utils.names import defines, needs, parsed


@cache
def given_to(exercise: str) -> dict[str, CourseLine]:
    """Name -> the statement that binds it, outside exercises and checks, in the notebooks that contain the exercise.

    Its home takes precedence.
    """
    holding = [source.name[:2] for source in sources() if exercise in source.exercises]
    lines: dict[str, CourseLine] = {}
    for notebook in sorted(holding, key=EXERCISES[exercise].notebook.__ne__):  # its home first
        lines = given(notebook) | lines
    return lines


@cache
def given(notebook: str) -> dict[str, CourseLine]:
    """Name -> the statement that binds it in a notebook, "03", outside exercises and checks."""
    lines: dict[str, CourseLine] = {}
    place = 10_000 * int(notebook)  # a later notebook's lines run after those of an earlier one
    [source] = [source for source in sources() if source.name.startswith(notebook)]
    for cell in build(source, folded_solutions=False).cells:
        if cell.cell_type != "code" or "exercise" in cell.metadata or "check" in cell.metadata:
            continue
        tree = parsed(python_of(cell.source)) or ast.Module([], [])
        for node in tree.body:
            place += 1
            text = ast.unparse(node)
            is_import = isinstance(node, ast.Import | ast.ImportFrom)
            for name in defines(text):
                lines.setdefault(name, CourseLine(place, text, is_import, frozenset(needs(text))))
    return lines
