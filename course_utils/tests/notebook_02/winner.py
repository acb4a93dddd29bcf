"""winner: eight lines, two players, and nobody."""

import itertools

import numpy as np

from course_utils.games.tictactoe import State
from course_utils.tests.catalogue import Wrong
from course_utils.tests.notebook_02 import positions
from course_utils.tests.notebook_02.positions import at
from course_utils.tests.returns import whole_number

LINES = "Which cells make up this line? How many lines are there in all?"


def by_hand(rng):
    yield at("winner", State(), "nobody has won on the empty board", 0, "Are three free cells in a row a line?")
    yield at("winner", positions.ROW_X, "a row", 1, LINES)
    yield at("winner", positions.COLUMN_O, "a column, this time O's", -1, LINES)
    yield at("winner", positions.DIAGONAL_X, "the diagonal", 1, LINES)
    yield at("winner", positions.ANTI_DIAGONAL_O, "the other diagonal", -1, LINES)
    bend = "Cells 2, 3 and 4 follow one another. Do they lie on a line?"
    yield at("winner", positions.NOT_A_ROW, "three cell numbers in sequence that are not a line", 0, bend)
    yield at("winner", positions.DRAW, "a draw", 0, "What should come back when no line is complete?")
    yield positions.everywhere(CHECK, LINES)


FOUND = "            return state.cells[a]"
NOBODY = "    return 0\n"
DIAGONALS = "diagonals = ((0, 4, 8), (2, 4, 6))"
SQUARE = "How many diagonals does a square have?"
IF_O = "What comes back when the line is O's?"
WRONG = [
    Wrong("anti-diagonal forgotten", "the line 2, 4, 6 is missing", SQUARE, (DIAGONALS, "diagonals = ((0, 4, 8),)")),
    Wrong(
        "wrap-around",
        "any three cells that follow one another count as a row, across the edge of the board, too",
        "At which cells may a row begin?",
        ("rows = ((0, 1, 2), (3, 4, 5), (6, 7, 8))", "rows = tuple((i, i + 1, i + 2) for i in range(7))"),
    ),
    Wrong(
        "three free cells are a line",
        "the first line of three equal cells decides, even if all three are free",
        "Three free cells are equal, too. Has somebody won?",
        ("state.cells[a] != 0 and ", ""),
    ),
    Wrong(
        "gives up after one line",
        "0 is returned as soon as one line is not complete",
        "When do you know that nobody has won: after the first line, or after the last?",
        (f"{FOUND}\n    return 0", f"{FOUND}\n        return 0"),
    ),
    Wrong(
        "the third cell is anybody's",
        "`a == b and c` asks only whether the third cell is taken, not by whom",
        "What does `x == y and z` compare?",
        ("state.cells[a] == state.cells[b] == state.cells[c]", "state.cells[a] == state.cells[b] and state.cells[c]"),
    ),
    Wrong(
        "from the mover's point of view",
        "the winner is told from the point of view of the player to move, who has always just lost",
        "Does +1 mean X here, or the player to move?",
        (FOUND, f"{FOUND} * state.to_play"),
    ),
    Wrong(
        "the loser wins",
        "the loser is returned: the signs are swapped, or the player to move is taken for the owner of the line",
        "Which number stands for X? And who put down the last mark?",
        (FOUND, "            return -state.cells[a]"),
    ),
    Wrong("whether, not who", "1 is returned whoever has won", IF_O, (FOUND, "            return 1")),
    Wrong(
        "a numpy integer",
        "the result is a numpy integer (or a float) and not a plain int",
        "What does int(...) make of your result?",
        (FOUND, "            return np.int64(state.cells[a])"),
        (NOBODY, "    return np.int64(0)\n"),
    ),
]


def winner_sums(state):
    board = np.array(state.cells).reshape(3, 3)
    sums = [*board.sum(axis=0), *board.sum(axis=1), board.trace(), np.fliplr(board).trace()]
    return 1 if 3 in sums else -1 if -3 in sums else 0


def winner_magic_square(state):
    magic = (2, 7, 6, 9, 5, 1, 4, 3, 8)
    for player in (1, -1):
        mine = [magic[i] for i, mark in enumerate(state.cells) if mark == player]
        if any(sum(three) == 15 for three in itertools.combinations(mine, 3)):
            return player
    return 0


CHECK = positions.about_states(
    oracle=positions.winner,
    returns=whole_number,
    question=LINES,
    by_hand=by_hand,
    wrong=WRONG,
    right=[winner_sums, winner_magic_square],
)
