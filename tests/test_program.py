"""Which cells are an answer's: for any notebook of a learner's, all that the answer needs, and no cell more.

The notebooks are made up together with what each cell binds and takes, so the oracle reads no Python: it runs the
cells, and leaves them out.
"""

import itertools
from dataclasses import dataclass

from hypothesis import example, given
from hypothesis import strategies as st

from course_utils.answers.cells import Cell
from course_utils.answers.program import CourseLine, Program, program_of
from course_utils.exercise import CELL

NAMES = [f"part_{number}" for number in range(6)]
ANSWER = "relu"


@dataclass(frozen=True)
class Piece:
    """A function of a cell, and those that it calls, all of which come later in `NAMES`: no call goes in a circle."""

    name: str
    calls: tuple[str, ...]

    def source(self, cell: int) -> str:
        """As Python. What a call of it gives says which functions of which cells it has gone through."""
        calls = "".join(f" + {name}()" for name in self.calls)
        return f"def {self.name}():\n    return ['{self.name} of cell {cell}']{calls}"


def pieces(name: str) -> st.SearchStrategy[Piece]:
    later = NAMES[NAMES.index(name) + 1 :] if name in NAMES else NAMES
    calls = st.lists(st.sampled_from(later), max_size=3, unique=True) if later else st.just([])
    return calls.map(lambda chosen: Piece(name, tuple(chosen)))


@st.composite
def notebooks(draw, *, once: bool = False, apart: bool = False) -> tuple[list[list[Piece]], int]:
    """(the functions of each cell, the number of the answer's).

    Args:
        once: no name is bound in two cells.
        apart: no cell binds two names.
    """
    names = draw(st.permutations(NAMES)) + ([] if once else draw(st.lists(st.sampled_from(NAMES), max_size=6)))
    cells: list[list[Piece]] = [[] for _ in range(len(names) if apart else draw(st.integers(1, 5)))]
    for number, name in enumerate(names):
        cell = cells[number if apart else draw(st.integers(0, len(cells) - 1))]
        if all(piece.name != name for piece in cell):
            cell.append(draw(pieces(name)))
    answer = draw(st.integers(0, len(cells)))
    return [*cells[:answer], [draw(pieces(ANSWER))], *cells[answer:]], answer


def text(cell: list[Piece], number: int) -> str:
    return "\n\n".join(piece.source(number) for piece in cell) or "print('no name at all')"


def cells_of(notebook: list[list[Piece]]) -> list[Cell]:
    return [Cell("05.ipynb", number, "code", text(cell, number)) for number, cell in enumerate(notebook)]


def ran(sources) -> list[str] | None:
    """What a call of the answer gives after these cells, None where a name is missing."""
    names: dict = {}
    for source in sources:
        exec(source, names)
    try:
        return names[ANSWER]()
    except NameError:
        return None


def program(notebook: list[list[Piece]], answer: int, course=None) -> Program:
    cells = cells_of(notebook)
    return program_of(cells, ANSWER, cells[answer], course or {})


@given(notebooks(once=True))
def test_alone_an_answer_gives_what_it_gives_in_its_notebook(made):
    in_its_notebook = ran(cell.source for cell in cells_of(made[0]))
    assert in_its_notebook is not None
    assert ran(program(*made).cells) == in_its_notebook


@given(notebooks(once=True, apart=True))
def test_without_any_of_its_helper_cells_an_answer_misses_a_name(made):
    cells = program(*made).cells
    for left_out in range(len(cells) - 1):
        assert ran(source for number, source in enumerate(cells) if number != left_out) is None


@given(notebooks())
@example(
    ([[Piece("part_0", ()), Piece("part_1", ())], [Piece("part_0", ())], [Piece(ANSWER, ("part_0", "part_1"))]], 2)
)
@example(
    ([[Piece(ANSWER, ("part_0",))], [Piece("part_0", ("part_1",))], [Piece("part_1", ())], [Piece("part_1", ())]], 0)
)
def test_what_an_answer_takes_is_closed_and_no_smaller_set_is(made):
    """Where a name is bound twice the nearest cell above counts, else the first below: worked out here over all sets
    of cells.
    """
    notebook, answer = made
    provider = {}
    for number in [*range(answer - 1, -1, -1), *range(answer + 1, len(notebook))]:
        for piece in notebook[number]:
            provider.setdefault(piece.name, number)

    def is_closed(chosen: frozenset[int]) -> bool:
        return all(
            provider[name] in chosen
            for number in chosen
            for piece in notebook[number]
            for name in piece.calls
            if name not in {own.name for own in notebook[number]}
        )

    sets = (
        frozenset(some)
        for size in range(len(notebook) + 1)
        for some in itertools.combinations(range(len(notebook)), size)
    )
    closed = [chosen for chosen in sets if answer in chosen and is_closed(chosen)]
    taken = frozenset(cell.number for cell in program(*made).helpers) | {answer}
    assert taken == closed[0]  # the smallest: sets come by their size
    assert all(taken <= cells for cells in closed)


@given(notebooks(once=True), st.lists(st.sampled_from(NAMES), unique=True, min_size=1))
def test_an_import_of_the_courses_stands_in_for_a_cell_and_brings_the_lines_that_it_needs(made, imported):
    """Such lines run before all cells, so none may need what a cell binds: each here calls the one before it at once."""
    course, before = {}, None
    for place, name in enumerate(imported):
        call = f" + {before}()" if before else ""
        source = f"{name} = (lambda came: lambda: came)(['{name} of the course']{call})"
        course[name] = CourseLine(place, source, True, frozenset({before} if before else ()))
        before = name
    alone = program(*made, course)
    assert ran([alone.given, *alone.cells]) is not None


def test_what_the_program_holds_is_what_is_recorded():
    cells = cells_of([[Piece("part_0", ())], [Piece(ANSWER, ("part_0",))]])
    program = program_of(cells, ANSWER, cells[1], {"part_0": CourseLine(0, "import part_0", False)})
    assert program.source(ANSWER) == f"{cells[0].source}\n\n{CELL}\n{cells[1].source}\n"
