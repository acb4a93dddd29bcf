"""An answer with all that it needs, and nothing else: the cells of a fresh notebook in which it is judged."""

import ast
import re
from dataclasses import dataclass
from functools import cache
from typing import Any

from course_utils.course.answers import Cell, answer_of, python_of, without_checks
from course_utils.course.build import Source, build, sources
from course_utils.exercise import EXERCISES, NoMagic, is_other, run_cell
from course_utils.names import defines, needs, parsed


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
        return "\n".join([*(_without_magic(cell) for cell in self.cells), self.expression])


HARMLESS = {"precision", "time", "timeit", "pylab", "autosave"}  # magics that give no access to anything
NOT_RUN = re.compile(  # lines that no answer needs: how figures look, what is installed, commands of a shell, questions for help
    r"^([ \t]*)(?:%(?:matplotlib|config|load_ext|reload_ext|autoreload|pip|conda|env|cd|ls|pwd)\b.*|!.*|\?{1,2}[\w.]+|[\w.]+\?{1,2})[ \t]*$",
    re.MULTILINE,
)


def _without_magic(cell: str) -> str:
    """The cell as Python, without the calls that harmless magics are."""
    magic = re.compile(r"get_ipython\(\)\.run_line_magic\('(\w+)', '.*'\)")
    if "get_ipython" in cell:
        return python_of(cell)
    return magic.sub(lambda found: "None" if found[1] in HARMLESS else found[0], python_of(cell))


STAR = re.compile(r"^from [\w.]+ import \*", re.MULTILINE)


def fresh_notebooks(cells: list[Cell], exercise: str, versions: list[Cell]) -> list[Fresh]:
    """For each version of the answer that is filled in.

    Args:
        cells: all of the learner's.
        versions: see `find`.
    """
    filled = [cell for cell in versions if cell.kind == "code" and not cell.untouched(exercise) and _has_lines(cell)]
    return [_fresh(cells, exercise, cell) for cell in filled]


def _has_lines(cell: Cell) -> bool:
    """Besides comments."""
    tree = parsed(cell.python)
    return bool(tree.body if tree else cell.source.strip())


def _fresh(cells: list[Cell], exercise: str, answer: Cell) -> Fresh:
    answer_source = without_checks(answer.python) if answer.python else answer.source
    expression = exercise
    if exercise not in defines(answer_source):
        expression = answer_of([cell for cell in cells if cell.notebook == answer.notebook], exercise)
    place = cells.index(answer)
    providers: dict[str, Cell] = {}
    above, below = cells[:place][::-1], cells[place + 1 :]
    for own in (True, False):  # its own notebook first; in each the nearest before it, else the first after it
        for one in (cell for cell in (*above, *below) if (cell.notebook == answer.notebook) is own):
            if one.kind == "code":
                for name in defines(one.python) - ({"tests"} if "check" in one.metadata else set()):
                    providers.setdefault(name, one)
    given, chosen = _given(EXERCISES[exercise].notebook), {answer: place}
    open_names, known = (
        {*needs(answer_source), *needs(expression)},
        {*defines(answer_source), exercise},
    )  # never the course's own
    lines: list[tuple[int, str]] = []
    unknown, supplied = False, set[str]()
    while open_names:
        name = open_names.pop()
        if name in known:
            continue
        known.add(name)
        cell = providers.get(name)
        if is_other(exercise, name):  # yours or ours, as in a notebook
            lines.append((-1, f"from course_utils.mine import {name}"))
        elif name in given and (cell is None or cell.of_the_course or given[name].is_import):
            lines.append((given[name].place, given[name].source))
            supplied.add(name)
            known -= (
                given[name].needs - supplied
            )  # the course's lines run first: the learner's `import numpy as np` comes too late for them
            open_names |= given[name].needs
        elif cell is None:
            unknown = True
        elif cell not in chosen:
            chosen[cell] = cells.index(cell)
            open_names |= needs(without_checks(cell.python))
            known |= defines(cell.python) - EXERCISES.keys()
    if unknown:  # a name that perhaps comes from a module of which everything was imported
        chosen |= {
            cell: cells.index(cell)
            for cell in above
            if cell.notebook == answer.notebook and cell.kind == "code" and STAR.search(cell.python)
        }
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
    """As the learner wrote it, but for lines that no answer needs; one that calls a check, as Python without it."""
    source = NOT_RUN.sub(r"\1None", cell.source)
    python = python_of(source)
    return without_checks(python) if without_checks(python) != python else source


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


# --- run in a process of its own, in a learner's own copy ----------------------------------------------------------------------


def run_cells(fresh: Fresh) -> tuple[Any, list[str]]:
    """Run the cells as a kernel does, each to where it raises.

    Returns:
        (the answer, None if nothing of its name came of them; what the cells raised).
    """
    live: dict[str, Any] = {"__name__": "__main__", "get_ipython": NoMagic, "display": NoMagic().display}
    raised = []
    for number, source in enumerate((fresh.given, *map(python_of, fresh.cells))):
        try:
            run_cell(source, f"<cell {number} for {fresh.expression}>", live)
        except BaseException as error:  # sys.exit() ends a cell, and not what grades it
            raised.append(f"{type(error).__name__}: {error}".removesuffix(": "))
    try:
        return eval(fresh.expression, live), raised
    except Exception:
        return None, raised
