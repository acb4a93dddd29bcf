"""completes_line: the four directions through the last stone."""

from course_utils.tests.case import Case
from course_utils.tests.catalogue import Wrong
from course_utils.tests.notebook_02 import positions
from course_utils.tests.notebook_09 import boards
from course_utils.tests.notebook_09.boards import CONNECT_FOUR, SMALL
from course_utils.tests.returns import true_or_false
from course_utils.tests.specification import Specification

WAYS = "In which directions can a line run through a stone?"
BOTH = "A line can go on to both sides of the last stone. Where do you look?"


def board(draw) -> str:
    return f"{draw[0]}\n(the last stone is on top of column {draw[1]}; {draw[0].n} in a row win)"


def every_line() -> list:
    """In every place; and longer ones, which the last stone makes of two parts that are none: up to 2n - 1 stones."""
    longer = [
        boards.heap(size, more, place, 0, last, 99, 1, 0)
        for size in boards.SIZES
        for more in range(2, size[2])
        for place in boards.each_way(size, more)
        for last in range(more, size[2])
    ]
    return [*boards.every_place(), *dict.fromkeys(longer)]


def by_hand(rng):
    def at(name: str, drawing: str, column: int, expected: bool, question: str, size=CONNECT_FOUR) -> Case:
        lines = [line.split() for line in drawing.splitlines()][::-1]
        marks = {(h, x): mark for h, line in enumerate(lines) for x, mark in enumerate(line) if mark != "."}
        stones = {cell: 1 if mark == "X" else -1 for cell, mark in marks.items()}
        state = boards.state_of(stones, 0, 0, size)
        state = state._replace(to_play=-state.columns[column][-1])
        call = f"completes_line({state!r}, {column})"
        return Case(name, lambda answer: answer(state, column), expected, call, question, board((state, column)))

    yield at("one stone is no line", ". . . X . . .", 3, False, "How many stones are there?")
    yield at("four across, the last one inside", "O . O O . . .\nX X X X . . .", 1, True, BOTH)
    rising = ". . . X . . .\n. . X O . . .\n. X O O . . .\nX O X O . . X"
    yield at("a diagonal that rises to the right", rising, 3, True, WAYS)
    stop = "Where does a line end: at the edge only?"
    yield at("a gap ends a line", "O O . . O . .\nX X . X X . .", 3, False, stop)
    across = ". . . O . . .\n. . . O . . .\nX X . O . X X"
    edge = "What is to the left of column 0? And what is columns[-1] in Python?"
    yield at("two at each edge are not four", across, 6, False, edge)
    corner = "X X X . . . .\nO O X O . . ."
    yield at(
        "three across and one below are not four", corner, 2, False, "Do all of these stones lie on the same line?"
    )
    yield at(
        "three in a row, where three win", "O O . .\nX X X .", 2, True, "How many in a row win on this board?", SMALL
    )

    missed = "Which lines does yours miss: those of one direction, of one player, at one edge?"
    yield positions.each_of(CHECK, every_line, "finds a line in every place", missed, seconds=2)
    yield positions.each_of(
        CHECK,
        boards.nearly,
        "takes nothing else for a line: neither across an edge, nor one that is too short",
        edge,
        seconds=2,
    )


DIRECTIONS = "directions = ((1, 0), (0, 1), (1, 1), (1, -1))"
WHILE = "while 0 <= x < len(state.columns) and 0 <= y < len(state.columns[x]) and state.columns[x][y] == player:"
SIDES = "        for sign in (1, -1):  # to both sides of the stone\n"
WRONG = [
    Wrong(
        "falling diagonal forgotten",
        "diagonals that fall to the right are not found",
        WAYS,
        (DIRECTIONS, "directions = ((1, 0), (0, 1), (1, 1))"),
    ),
    Wrong(
        "one side only",
        "each line is followed to one side of the last stone, and a stone inside a line has two",
        BOTH,
        ("for sign in (1, -1):", "for sign in (1,):"),
    ),
    Wrong(
        "each side by itself",
        "the two sides of the last stone are counted one by one, and never together",
        "A stone falls between two pairs. How long is the line?",
        (f"        length = 1\n{SIDES}", f"{SIDES}            length = 1\n"),
        (
            "        if length >= state.n:\n            return True",
            "            if length >= state.n:\n                return True",
        ),
    ),
    Wrong(
        "directions added up",
        "the stones of all four directions are added up: three across and one below count as four",
        "Where does counting begin anew?",
        (
            "    for right, up in directions:\n        length = 1\n",
            "    length = 1\n    for right, up in directions:\n",
        ),
    ),
    Wrong(
        "exactly N",
        "a line must have N stones exactly, so that a stone that joins two parts to more than N wins nothing",
        "What if the last stone falls between two and two?",
        (">= state.n", "== state.n"),
    ),
    Wrong(
        "always four",
        "four in a row win on every board, whatever state.n says",
        "How many in a row win on this board?",
        (">= state.n", ">= 4"),
    ),
    Wrong(
        "open at the left edge",
        "nothing stops at the left edge, and in Python columns[-1] is the last column",
        "What is columns[-1] in Python?",
        (WHILE, WHILE.replace("0 <= x <", "x <")),
    ),
    Wrong(
        "open at the bottom",
        "nothing stops at the bottom, and in Python column[-1] is the stone on top",
        "What is column[-1] in Python?",
        (WHILE, WHILE.replace("0 <= y <", "y <")),
    ),
    Wrong(
        "the wrong player's stones",
        "the stones of the player to move are looked for; but the last stone is the other player's",
        "Whose is the stone on top of the column, and who is to move now?",
        ("player = state.columns[column][height]", "player = state.to_play"),
    ),
]


def completes_line_strings(state, column):
    """Four strings through the stone, and a search for XXXX in each."""
    height, rows = len(state.columns[column]) - 1, state.rows
    grid = [["." if h >= len(pile) else "XO"[pile[h] < 0] for h in range(rows)] for pile in state.columns]
    wide = range(len(grid))
    wanted = grid[column][height] * state.n
    lines = [
        "".join(grid[column]),
        "".join(grid[x][height] for x in wide),
        "".join(grid[x][height + x - column] for x in wide if 0 <= height + x - column < rows),
        "".join(grid[x][height - x + column] for x in wide if 0 <= height - x + column < rows),
    ]
    return any(wanted in line for line in lines)


def completes_line_whole_board(state, column):
    """Looks for a line of the mover's anywhere: there was none before."""
    mine = {(x, y) for x, pile in enumerate(state.columns) for y, stone in enumerate(pile) if stone == -state.to_play}
    return any(
        all((x + k * dx, y + k * dy) in mine for k in range(state.n))
        for x, y in mine
        for dx, dy in ((0, 1), (1, 1), (1, 0), (1, -1))
    )


CHECK = Specification(
    draws=boards.HEAPS,
    arguments=lambda draw: {"state": positions.anew(draw[0]), "column": draw[1]},
    oracle=lambda draw: boards.has_line(*draw),
    returns=true_or_false,
    board=board,
    related=boards.related_heap,
    examples=30,
    question=WAYS,
    by_hand=by_hand,
    wrong=WRONG,
    right=[completes_line_strings, completes_line_whole_board],
)
