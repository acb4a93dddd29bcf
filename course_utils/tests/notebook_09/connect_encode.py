"""connect_encode: two planes, mine and theirs, the right way up."""

import numpy as np

from course_utils.tests.catalogue import Wrong
from course_utils.tests.notebook_02.positions import at
from course_utils.tests.notebook_09 import boards
from course_utils.tests.notebook_09.boards import SMALL, after
from course_utils.tests.returns import array

WHOSE = "Which plane holds the stones of the player to move?"
PLACE = "Row 0 is at the top. In which row does the first stone of a column lie?"


def by_hand(rng):
    for state, name, question, points in (
        (after(size=SMALL), "the empty board: all zeros", "What stands for a free cell?", 1),
        (after(1, size=SMALL), "X has moved: the stone is the opponent's, and lies at the bottom", PLACE, 2),
        (after(1, 1, 3, size=SMALL), "O is to move: O's stone is in plane 0, X's are in plane 1", WHOSE, 2),
        (after(0, 0, 3, 0, size=SMALL), "X is to move: X's stones are in plane 0, O's in plane 1", WHOSE, 2),
        (after(1, 1, 2, 1, 1, size=SMALL), "a full column", PLACE, 1),
        (after(3, 3, 2), "a board of six rows and seven columns", "What is the shape of this board?", 1),
    ):
        yield at("connect_encode", state, name, boards.planes(state), question, points)


SHAPE = "(2, state.rows, len(state.columns))"
SET = "planes[plane, state.rows - 1 - height, column] = 1"
TYPE = "How do you ask numpy for another type?"
AXES = "Which axis is the row, which is the column?"
LOWEST = "A board has rows 0 to rows - 1. Which is the lowest?"
WRONG = [
    Wrong(
        "from X's point of view",
        "plane 0 is always X's, whoever is to move",
        "A network has to find the best move for whoever is to move. How does it know who that is?",
        ("player == state.to_play", "player == 1"),
    ),
    Wrong(
        "planes swapped",
        "the opponent's stones come first",
        "Which of the two planes is `mine`?",
        ("plane = 0 if player == state.to_play else 1", "plane = 1 if player == state.to_play else 0"),
    ),
    Wrong("upside down", "row 0 is the bottom row", PLACE, ("state.rows - 1 - height", "height")),
    Wrong(
        "stones below the board",
        "the row of the first stone is `rows`, which is one below the lowest",
        LOWEST,
        ("state.rows - 1 - height", "state.rows - height"),
    ),
    Wrong(
        "columns read from the top",
        "each column fills the right cells, but its stones are in reverse order",
        "Are the stones of a column told from the top or from the bottom?",
        ("enumerate(stones)", "enumerate(reversed(stones))"),
    ),
    Wrong(
        "transposed",
        "rows and columns are exchanged",
        AXES,
        (SHAPE, "(2, len(state.columns), state.rows)"),
        (SET, "planes[plane, column, state.rows - 1 - height] = 1"),
    ),
    Wrong(
        "stones hang from the top",
        "the row is counted from the top of the pile, not of the board",
        "Where do stones come to lie: at the top of the board or at the bottom?",
        ("state.rows - 1 - height", "len(stones) - 1 - height"),
    ),
    Wrong(
        "six rows and seven columns, always",
        "every board is taken to be that of Connect Four",
        "How many rows and columns does this board have?",
        (SHAPE, "(2, 6, 7)"),
        ("state.rows - 1 - height", "5 - height"),
    ),
    Wrong("float64", "the numbers are float64, which is numpy's default", TYPE, (", dtype=np.float32", "")),
]


def connect_encode_flipped(state):
    planes = np.zeros((2, len(state.columns), state.rows), "f4")
    for mine, plane in zip((True, False), planes, strict=True):
        for x, stones in enumerate(state.columns):
            plane[x, : len(stones)] = [(stone == state.to_play) == mine for stone in stones]
    return planes.transpose(0, 2, 1)[:, ::-1]


def connect_encode_drawing(state):
    """Reads the drawing, which is the right way up."""
    lines = [line.split() for line in str(state).splitlines()[: state.rows]]
    marks = "XO" if state.to_play == 1 else "OX"
    return np.float32([[[cell == mark for cell in line] for line in lines] for mark in marks])


CHECK = boards.about_boards(
    oracle=boards.planes,
    examples=20,
    returns=array("float32"),
    question=WHOSE,
    by_hand=by_hand,
    wrong=WRONG,
    right=[connect_encode_flipped, connect_encode_drawing],
)
