"""encode: two planes, mine and theirs."""

import numpy as np

from course_utils.games.tictactoe import State
from course_utils.tests.catalogue import Wrong
from course_utils.tests.notebook_02 import positions
from course_utils.tests.notebook_02.positions import OPEN, after, at
from course_utils.tests.returns import array

WHOSE = "Which plane holds the marks of the player to move?"


def planes(state: State) -> np.ndarray:
    rows = [state.cells[0:3], state.cells[3:6], state.cells[6:9]]
    return np.array([[[float(cell == who) for cell in row] for row in rows] for who in (state.to_play, -state.to_play)])


def by_hand(rng):
    for state, name, question, points in (
        (State(), "the empty board: all zeros", "What stands for a free cell?", 1),
        (after(5), "X has moved: the mark is the opponent's, for O is to move", WHOSE, 2),
        (after(1, 6), "X is to move: X's mark is in plane 0, O's in plane 1", WHOSE, 2),
        (OPEN, "O is to move: O's mark is in plane 0, X's in plane 1", WHOSE, 2),
    ):
        yield at("encode", state, name, planes(state), question, points)


MINE = "cells == state.to_play"
THEIRS = "cells == -state.to_play"
STACK = f"np.array([{MINE}, {THEIRS}], dtype=np.float32)"
TYPE = "How do you ask numpy for another type?"
WRONG = [
    Wrong(
        "from X's point of view",
        "plane 0 is always X's, whoever is to move",
        "A network has to find the best move for whoever is to move. How does it know who that is?",
        (f"{MINE}, {THEIRS}", "cells == 1, cells == -1"),
    ),
    Wrong(
        "planes swapped",
        "the opponent's marks come first",
        "Which of the two planes is `mine`?",
        (f"{MINE}, {THEIRS}", f"{THEIRS}, {MINE}"),
    ),
    Wrong(
        "one plane of +1 and -1",
        "both players share one plane",
        "How many planes does the docstring ask for?",
        (STACK, "(cells * state.to_play)[None].astype(np.float32)"),
    ),
    Wrong(
        "opponent negative",
        "the opponent's marks are -1 in their plane",
        "Each plane answers a question with yes or no. Which number is yes?",
        (THEIRS, f"-1 * ({THEIRS})"),
    ),
    Wrong("float64", "the numbers are float64, which is numpy's default", TYPE, ("np.float32", "np.float64")),
    Wrong("bool", "the planes hold True and False", TYPE, (", dtype=np.float32", "")),
    Wrong("flat", "each plane is a row of nine numbers", "What is the shape of a board?", (".reshape(3, 3)", "")),
    Wrong(
        "rows and columns exchanged",
        "the board is mirrored on its diagonal: rows have become columns",
        "Where is cell 1: to the right of cell 0, or below it?",
        (".reshape(3, 3)", ".reshape(3, 3).T"),
    ),
]


def encode_product(state):
    seen = np.array(state.cells, dtype=np.float32).reshape(3, 3) * state.to_play
    return np.maximum([seen, -seen], np.float32(0))


def encode_where(state):
    board = np.asarray(state.cells)
    mine, theirs = (np.where(board == player, 1.0, 0.0) for player in (state.to_play, -state.to_play))
    return np.concatenate([mine, theirs]).astype("float32").reshape(2, 3, 3)


CHECK = positions.about_states(
    oracle=planes,
    returns=array("float32"),
    question=WHOSE,
    by_hand=by_hand,
    wrong=WRONG,
    right=[encode_product, encode_where],
)
