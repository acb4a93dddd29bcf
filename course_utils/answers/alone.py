"""An answer with all that it needs, and nothing else: what is run to judge it, and what is recorded."""

import re
from collections.abc import Mapping, Set
from dataclasses import dataclass

from course_utils.answers.cells import Cell, answer_of, python_of, without_checks
from course_utils.exercise import CELL, EXERCISES, is_other
from course_utils.names import assigns, defines, makes, needs, parsed, reads


@dataclass(frozen=True)
class Given:
    """A line that a notebook has without the learner: an import, or code that the course gives."""

    place: int
    source: str
    is_import: bool
    needs: frozenset[str] = frozenset()


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
        return f"\n{CELL}\n".join(map(python_of, self.cells))

    def is_guess(self, exercise: str) -> bool:
        """Whether nothing but an assignment, in a cell of the learner's own, says that this is an answer: it may be a variable of that name."""
        return self.answer.exercise != exercise and f"def {exercise}" not in self.answer.source

    def source(self, exercise: str) -> str:
        """All of it, as Python that binds the exercise's name: what is recorded, see `bind`."""
        bound = "" if self.expression == exercise else f"\n{exercise} = {self.expression}"
        given = f"{self.given.strip()}\n{CELL}\n" if self.given.strip() else ""
        return f"{given}{self.learners}{bound}"


NOT_RUN = re.compile(  # lines that no answer needs: how figures look, what is installed, commands of a shell, questions for help
    r"^([ \t]*)(?:%(?:matplotlib|config|load_ext|reload_ext|autoreload|pip|conda|env|cd|ls|pwd)\b.*|!.*|\?{1,2}[\w.]+|[\w.]+\?{1,2})[ \t]*$",
    re.MULTILINE,
)


BRINGS_ANY = re.compile(  # lines that bind names which nobody can tell from them
    r"^from [\w.]+ import \*|\bexec\(|\bglobals\(\)|\brun_line_magic\('(?:run|load)'", re.MULTILINE
)


def fresh_notebooks(cells: list[Cell], exercise: str, versions: list[Cell], given: Mapping[str, Given]) -> list[Fresh]:
    """For each version of the answer that is filled in.

    Args:
        cells: all of the learner's.
        versions: see `find`.
        given: name -> what binds it without the learner.
    """
    filled = [cell for cell in versions if cell.kind == "code" and not cell.untouched(exercise) and _has_lines(cell)]
    return [alone(cells, exercise, cell, given) for cell in filled]


def _has_lines(cell: Cell) -> bool:
    """Besides comments."""
    tree = parsed(cell.python)
    return bool(tree.body if tree else cell.source.strip())


def alone(cells: list[Cell], exercise: str, answer: Cell, given: Mapping[str, Given], expression: str = "") -> Fresh:
    """The answer in this cell, with the others that it needs.

    Args:
        expression: what is the answer; "": what the cell binds to the exercise's name, or what a check's cell says.
    """
    answer_source = without_checks(answer.python) if answer.python else answer.source
    expression = expression or exercise
    if expression == exercise and exercise not in defines(answer_source):
        expression = answer_of([cell for cell in cells if cell.notebook == answer.notebook], exercise)
    place = cells.index(answer)
    providers: dict[str, Cell] = {}
    above, below = cells[:place][::-1], cells[place + 1 :]
    for own in (True, False):  # its own notebook first; in each the nearest before it, else the first after it
        for one in (cell for cell in (*above, *below) if (cell.notebook == answer.notebook) is own):
            if one.kind == "code":
                for name in defines(one.python) - ({"tests"} if "check" in one.metadata else set()):
                    providers.setdefault(name, one)
    chosen = {answer: place}
    rebound = {name for one in above if one.kind == "code" for name in _functions(one.python)} | given.keys()
    open_names, known = (
        {*_open(answer_source, rebound), *needs(expression)},
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
            open_names |= _open(without_checks(cell.python), rebound)
            known |= defines(cell.python) - EXERCISES.keys()
    if unknown:  # a name that perhaps comes from a module of which everything was imported, or from a file that was run
        chosen |= {
            cell: cells.index(cell)
            for cell in above
            if cell.notebook == answer.notebook and cell.kind == "code" and BRINGS_ANY.search(cell.python)
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


def _open(source: str, rebound: Set[str]) -> set[str]:
    """The names that a cell takes from others: what it does not bind, and of Python's own those that stand for another function."""
    return {*needs(source), *((reads(source) - defines(source)) & rebound)}


def _functions(source: str) -> frozenset[str]:
    """What a cell imports, and what may be a function by the look of it."""
    return makes(source) | (defines(source) - assigns(source))


def _as_run(cell: Cell) -> str:
    """As the learner wrote it, but for lines that no answer needs; one that calls a check, as Python without it."""
    source = NOT_RUN.sub(r"\1None", cell.source)
    python = python_of(source)
    return without_checks(python) if without_checks(python) != python else source
