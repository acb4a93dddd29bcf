"""connect_encode: two planes, mine and theirs, the right way up."""

import numpy as np

from course_utils.games import ConnectFour, ConnectN, after
from course_utils.tests.catalogue import Wrong
from course_utils.tests.notebook_31 import boards
from course_utils.tests.returns import array
from course_utils.tests.scene import Scenes

WHOSE = "Which plane holds the stones of the player to move?"
PLACE = "Row 0 is at the top. In which row does the first stone of a column lie?"

BY_HAND = f"""
    X has moved: the stone is the opponent's, and lies at the bottom (2 points)
    >>> connect_encode(after(ConnectN(3, 3, 3), [1]))
    [[[0, 0, 0], [0, 0, 0], [0, 0, 0]], [[0, 0, 0], [0, 0, 0], [0, 1, 0]]]
    ? {PLACE}

    O is to move: O's stone is in plane 0, X's are in plane 1 (2 points)
    >>> connect_encode(after(ConnectN(3, 3, 3), [1, 1, 2]))
    [[[0, 0, 0], [0, 1, 0], [0, 0, 0]], [[0, 0, 0], [0, 0, 0], [0, 1, 1]]]
    ? {WHOSE}

    X is to move: X's stones are in plane 0, O's in plane 1 (2 points)
    >>> connect_encode(after(ConnectN(3, 3, 3), [0, 0, 2, 0]))
    [[[0, 0, 0], [0, 0, 0], [1, 0, 1]], [[1, 0, 0], [1, 0, 0], [0, 0, 0]]]
    ? {WHOSE}

    a board of six rows and seven columns
    >>> connect_encode(after(ConnectFour(), [3, 3, 2])).shape
    (2, 6, 7)
    ? What is the shape of this board?
"""

SHAPE = "(2, state.rows, len(state.columns))"
SET = "planes[plane, state.rows - 1 - height, column] = 1"
# fmt: off
WRONG = [
    Wrong("from X's point of view", "plane 0 is always X's, whoever is to move",
          "A network has to find the best move for whoever is to move. How does it know who that is?",
          ("player == state.to_play", "player == 1")),
    Wrong("planes swapped", "the opponent's stones come first", "Which of the two planes is `mine`?",
          ("plane = 0 if player == state.to_play else 1", "plane = 1 if player == state.to_play else 0")),
    Wrong("upside down", "row 0 is the bottom row", PLACE, ("state.rows - 1 - height", "height")),
    Wrong("stones below the board", "the row of the first stone is `rows`, which is one below the lowest",
          "A board has rows 0 to rows - 1. Which is the lowest?", ("state.rows - 1 - height", "state.rows - height")),
    Wrong("columns read from the top", "each column fills the right cells, but its stones are in reverse order",
          "Are the stones of a column told from the top or from the bottom?", ("enumerate(stones)", "enumerate(reversed(stones))")),
    Wrong("transposed", "rows and columns are exchanged", "Which axis is the row, which is the column?",
          (SHAPE, "(2, len(state.columns), state.rows)"), (SET, "planes[plane, column, state.rows - 1 - height] = 1")),
    Wrong("stones hang from the top", "the row is counted from the top of the pile, not of the board",
          "Where do stones come to lie: at the top of the board or at the bottom?", ("state.rows - 1 - height", "len(stones) - 1 - height")),
    Wrong("six rows and seven columns, always", "every board is taken to be that of Connect Four",
          "How many rows and columns does this board have?", (SHAPE, "(2, 6, 7)"), ("state.rows - 1 - height", "5 - height")),
    Wrong("float64", "the numbers are float64, which is numpy's default", "How do you ask numpy for another type?",
          (", dtype=np.float32", "")),
]
# fmt: on


def right_drawing(state):
    """Reads the drawing, which is the right way up."""
    lines = [line.split() for line in str(state).splitlines()[: state.rows]]
    marks = "XO" if state.to_play == 1 else "OX"
    return np.float32([[[cell == mark for cell in line] for line in lines] for mark in marks])


def right_flipped(state):
    planes = np.zeros((2, len(state.columns), state.rows), "f4")
    for mine, plane in zip((True, False), planes, strict=True):
        for x, stones in enumerate(state.columns):
            plane[x, : len(stones)] = [(stone == state.to_play) == mine for stone in stones]
    return planes.transpose(0, 2, 1)[:, ::-1]


def scene(draw) -> str:
    return f"connect_encode({boards.position(draw[0], boards.moves(*draw))})"


CHECK = Scenes(
    draws=boards.GAMES,
    board=lambda draw: boards.board(draw[0], boards.moves(*draw)),
    returns=array("float32"),
    examples=20,
    question=WHOSE,
)
