"""Compute the program of an answer: its cell, and the other cells and lines that it needs.

The program is run, graded and recorded.

A program is a *backward slice*. Each name that a cell reads and does not bind has a provider: the nearest cell that
binds the name, or a line of the course. The provider depends on the name alone, not on the cell that reads it. A
program is the smallest set that contains the answer's cell and, for each of its cells and lines, the providers of all
names that they need. There is only one such set (`tests/test_program.py`).
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from course_utils.answers.cells import Cell, answer_of, python_of, without_checks
from course_utils.exercise import CELL, EXERCISES, is_other
from course_utils.names import needs


@dataclass(frozen=True)
class CourseLine:
    """A line of the course in a notebook: an import, or code that the course gives."""

    place: int
    source: str
    is_import: bool
    needs: frozenset[str] = frozenset()


@dataclass(frozen=True)
class Program:
    """The code that is run for one version of an answer.

    Attributes:
        given: the lines of the course that it needs: imports, and code that the notebook gives.
        cells: the learner's cells in order, without calls of checks: helpers first, then the answer.
        expression: the expression that is graded.
        answer: the cell with the answer.
        helpers: the other cells.
    """

    given: str
    cells: tuple[str, ...]
    expression: str
    answer: Cell
    helpers: tuple[Cell, ...]

    @property
    def learners(self) -> str:
        """The learner's cells, as Python."""
        return f"\n{CELL}\n".join(map(python_of, self.cells))

    def is_guess(self, exercise: str) -> bool:
        """Whether only an assignment in an unmarked cell suggests that this is an answer.

        It may be any variable of that name.
        """
        return self.answer.exercise != exercise and f"def {exercise}" not in self.answer.source

    def source(self, exercise: str) -> str:
        """The whole program, as Python that binds the exercise's name. This is what is recorded."""
        bound = "" if self.expression == exercise else f"\n{exercise} = {self.expression}"
        given = f"{self.given.strip()}\n{CELL}\n" if self.given.strip() else ""
        return f"{given}{self.learners}{bound}"


# Lines that no answer needs: settings of figures, installations, shell commands and requests for help.
NOT_RUN = re.compile(
    r"^([ \t]*)(?:%(?:matplotlib|config|load_ext|reload_ext|autoreload|pip|conda|env|cd|ls|pwd)\b.*"
    r"|!.*|\?{1,2}[\w.]+|[\w.]+\?{1,2})[ \t]*$",
    re.MULTILINE,
)


# Lines that bind names which can't be told by reading them.
BRINGS_ANY = re.compile(r"^from [\w.]+ import \*|\bexec\(|\bglobals\(\)|\brun_line_magic\('(?:run|load)'", re.MULTILINE)


def programs_of(
    cells: list[Cell], exercise: str, versions: list[Cell], given: Mapping[str, CourseLine]
) -> list[Program]:
    """The program of each version of the answer that is filled in.

    Args:
        cells: all cells of the learner.
        versions: see `find`.
        given: name -> the course's line that binds it.
    """
    filled = [cell for cell in versions if cell.kind == "code" and not cell.untouched(exercise) and cell.has_lines]
    return [program_of(cells, exercise, cell, given) for cell in filled]


def program_of(
    cells: list[Cell], exercise: str, answer: Cell, given: Mapping[str, CourseLine], expression: str = ""
) -> Program:
    """The program of the answer in this cell.

    Args:
        expression: the expression that is graded; "": the exercise's name if the cell binds it, else the argument of
            a check cell.
    """
    expression = expression or exercise
    if expression == exercise and exercise not in answer.binds:
        expression = answer_of([cell for cell in cells if cell.notebook == answer.notebook], exercise)
    providers = _Providers(cells, exercise, answer, given)
    needed: dict[Cell | CourseLine, None] = dict.fromkeys([answer, *providers.all_of(needs(expression), answer)])
    waiting = [*needed]
    while waiting:
        user = waiting.pop()
        new = set(providers.all_of(providers.names_taken(user), user)) - needed.keys()
        needed |= dict.fromkeys(new)
        waiting += new
    helpers = [cell for cell in cells if cell in needed and cell != answer]
    lines = sorted((line.place, line.source) for line in needed if isinstance(line, CourseLine))
    return Program(
        "\n".join(dict.fromkeys(text for _, text in lines)),
        tuple(_as_run(cell) for cell in (*helpers, answer)),
        expression,
        answer,
        tuple(helpers),
    )


class _Providers:
    """The cell or line that binds each name, as seen from an answer.

    Attributes:
        nearest: name -> the cell that binds it. The answer's notebook comes before others, and cells above before
            cells below.
        unreadable: the cells above the answer that may bind any name, because they use `import *` or run a file.
        rebound: names that may shadow a builtin.
    """

    def __init__(self, cells: list[Cell], exercise: str, answer: Cell, given: Mapping[str, CourseLine]):
        self.exercise, self.answer, self.given = exercise, answer, given
        place = cells.index(answer)
        above = [cell for cell in reversed(cells[:place]) if cell.kind == "code"]
        around = [*above, *(cell for cell in cells[place + 1 :] if cell.kind == "code")]
        self.nearest: dict[str, Cell] = {}
        for cell in sorted(around, key=lambda cell: cell.notebook != answer.notebook):
            for name in cell.binds - ({"tests"} if cell.check else set()):
                self.nearest.setdefault(name, cell)
        self.rebound = {name for cell in above for name in cell.functions} | given.keys()
        own = (cell for cell in above if cell.notebook == answer.notebook)
        self.unreadable = [cell for cell in own if BRINGS_ANY.search(cell.python)]

    def names_taken(self, user: Cell | CourseLine) -> frozenset[str]:
        """The names that a cell or line needs, including builtins that are shadowed."""
        if isinstance(user, CourseLine):
            return user.needs
        return user.needs | ((user.reads - user.binds) & self.rebound)

    def all_of(self, names: frozenset[str], user: Cell | CourseLine) -> Iterator[Cell | CourseLine]:
        """Yield the providers of these names. For a cell, names that the answer itself binds need no provider."""
        own = frozenset() if isinstance(user, CourseLine) else self.answer.binds
        for name in names - own - {self.exercise}:
            cell, line = self.nearest.get(name), self.given.get(name)
            if is_other(self.exercise, name):  # the learner's version or the course's, as in a notebook
                yield CourseLine(-1, f"from course_utils.mine import {name}", True)
            elif line and (cell is None or cell.of_the_course or (line.is_import and name not in EXERCISES)):
                yield line  # a later exercise's name means the learner's own helper
            elif cell:
                yield cell
            else:
                yield from self.unreadable


def _as_run(cell: Cell) -> str:
    """The cell without lines that no answer needs. If it calls a check, it is converted to Python without the call."""
    source = NOT_RUN.sub(r"\1None", cell.source)
    python = python_of(source)
    return without_checks(python) if without_checks(python) != python else source
