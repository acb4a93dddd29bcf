"""The program that an answer is: its cell and the other cells and lines that it needs. That is what is run to judge it, and what is recorded.

The rule is that of a *backward slice*. Each name that a cell takes from elsewhere has a provider, which depends on the name alone and not
on who takes it: the nearest cell that binds the name, or a line of the course's. A program is the smallest set that holds the answer's
cell and, for each of its cells and lines, the providers of all names that it takes. There is only one such set
(`tests/test_program.py`).
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from course_utils.answers.cells import Cell, answer_of, python_of, without_checks
from course_utils.exercise import CELL, EXERCISES, is_other
from course_utils.names import needs


@dataclass(frozen=True)
class CourseLine:
    """A line that a notebook has without the learner: an import, or code that the course gives."""

    place: int
    source: str
    is_import: bool
    needs: frozenset[str] = frozenset()


@dataclass(frozen=True)
class Program:
    """What is run for one version of an answer.

    Attributes:
        given: the course's own lines that it needs: imports, and code that the notebook gives.
        cells: the learner's, in their order: helpers, and last the one with the answer, without calls of checks.
        expression: what is graded.
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


BRINGS_ANY = re.compile(  # lines that bind names which reading them does not tell
    r"^from [\w.]+ import \*|\bexec\(|\bglobals\(\)|\brun_line_magic\('(?:run|load)'", re.MULTILINE
)


def programs_of(
    cells: list[Cell], exercise: str, versions: list[Cell], given: Mapping[str, CourseLine]
) -> list[Program]:
    """For each version of the answer that is filled in.

    Args:
        cells: all of the learner's.
        versions: see `find`.
        given: name -> what binds it without the learner.
    """
    filled = [cell for cell in versions if cell.kind == "code" and not cell.untouched(exercise) and cell.has_lines]
    return [program_of(cells, exercise, cell, given) for cell in filled]


def program_of(
    cells: list[Cell], exercise: str, answer: Cell, given: Mapping[str, CourseLine], expression: str = ""
) -> Program:
    """The answer in this cell, with the others that it needs.

    Args:
        expression: what is the answer; "": what the cell binds to the exercise's name, or what a check's cell says.
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
    lines = sorted((one.place, one.source) for one in needed if isinstance(one, CourseLine))
    return Program(
        "\n".join(dict.fromkeys(text for _, text in lines)),
        tuple(_as_run(cell) for cell in (*helpers, answer)),
        expression,
        answer,
        tuple(helpers),
    )


class _Providers:
    """Which cell or line binds each name, seen from an answer.

    Attributes:
        nearest: name -> the cell that binds it: of the answer's notebook before others, in each the nearest above, else the first below.
        unreadable: the cells above the answer that may bind any name: they import everything of a module, or run a file.
        rebound: names that may stand for another function than Python's own.
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
        """What it does not bind itself, and of Python's own names those that stand for another function."""
        if isinstance(user, CourseLine):
            return user.needs
        return user.needs | ((user.reads - user.binds) & self.rebound)

    def all_of(self, names: frozenset[str], user: Cell | CourseLine) -> Iterator[Cell | CourseLine]:
        """The providers of these names. What the answer binds is there already, but for a line of the course's, which runs before it."""
        own = frozenset() if isinstance(user, CourseLine) else self.answer.binds
        for name in names - own - {self.exercise}:
            cell, line = self.nearest.get(name), self.given.get(name)
            if is_other(self.exercise, name):  # yours or ours, as in a notebook
                yield CourseLine(-1, f"from course_utils.mine import {name}", True)
            elif line and (cell is None or cell.of_the_course or (line.is_import and name not in EXERCISES)):
                yield line  # (of a later exercise's name the learner's own helper is meant)
            elif cell:
                yield cell
            else:
                yield from self.unreadable


def _as_run(cell: Cell) -> str:
    """As the learner wrote it, but for lines that no answer needs; a cell that calls a check, as Python without the call."""
    source = NOT_RUN.sub(r"\1None", cell.source)
    python = python_of(source)
    return without_checks(python) if without_checks(python) != python else source
