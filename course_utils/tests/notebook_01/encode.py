"""Check encode: two planes, mine and theirs."""

import numpy as np

from course_utils.games.tictactoe import State
from course_utils.tests.catalogue import Wrong
from course_utils.tests.returns import array
from course_utils.tests.scene import Scenes
from course_utils.tests.world.positions import drawing
from course_utils.tests.world.states import ENDS, STATES, by_hand


def scene(state) -> str:
    return f"encode({state!r})"


WHOSE = "Which plane holds the marks of the player to move?"
FREE = [[0, 0, 0], [0, 0, 0], [0, 0, 0]]
# fmt: off
BY_HAND = by_hand(
    "encode",
    ("the empty board: all zeros", "... ... ... X", [FREE, FREE], "Which number means that a cell is free?"),
    ("O is to move, so X's mark is the opponent's: it is in plane 1 (2 points)", "... ..X ... O",
     [FREE, [[0, 0, 0], [0, 0, 1], [0, 0, 0]]], WHOSE),
    ("X is to move: X's mark is in plane 0, O's in plane 1 (2 points)", ".X. ... O.. X",
     [[[0, 1, 0], [0, 0, 0], [0, 0, 0]], [[0, 0, 0], [0, 0, 0], [1, 0, 0]]], WHOSE),
    ("O is to move: O's mark is in plane 0, X's in plane 1 (2 points)", "O.. .X. ..X O",
     [[[1, 0, 0], [0, 0, 0], [0, 0, 0]], [[0, 0, 0], [0, 1, 0], [0, 0, 1]]], WHOSE),
)
# fmt: on

MINE = "cells == state.to_play"
THEIRS = "cells == -state.to_play"
STACK = f"np.array([{MINE}, {THEIRS}], dtype=np.float32)"
# fmt: off
WRONG = [
    Wrong("both players in the second plane",
          "plane 1 holds every mark on the board, including those of the player to move",
          "Plane 0 already holds the marks of the player to move. Whose marks are left for plane 1?",
          ("cells == -state.to_play", "cells != 0")),
    Wrong("free cells in the second plane",
          "plane 1 has a 1 wherever the player to move has no mark, so the free cells have a 1 as well",
          "Which number belongs in both planes where a cell is free?",
          ("cells == -state.to_play", "cells != state.to_play")),
    Wrong("-1 in the planes", "both players' marks are in both planes, one player's as -1",
          "What should plane 0 hold where the opponent has a mark: -1, or 0?",
          ("cells == state.to_play, cells == -state.to_play", "cells * state.to_play, cells * -state.to_play")),
    Wrong("planes last", "the planes are the last axis instead of the first: [3, 3, 2]",
          "Where does `np.stack` put the new axis, and which argument changes that?",
          ("np.array([cells == state.to_play, cells == -state.to_play], dtype=np.float32)",
           "np.stack([cells == state.to_play, cells == -state.to_play], axis=-1).astype(np.float32)")),
    Wrong("from X's point of view", "plane 0 always has X's marks, even when O is to move",
          "The planes are all that the network sees. How can it tell who is to move?",
          (f"{MINE}, {THEIRS}", "cells == 1, cells == -1")),
    Wrong("planes swapped", "the opponent's marks come first",
          "Whose marks come first: those of the player to move, or the opponent's?",
          (f"{MINE}, {THEIRS}", f"{THEIRS}, {MINE}")),
    Wrong("one plane of +1 and -1", "both players share one plane", "How many planes does the docstring ask for?",
          (STACK, "(cells * state.to_play)[None].astype(np.float32)")),
    Wrong("opponent negative", "the opponent's marks are -1 in their plane",
          "Each plane answers a yes-or-no question about each cell. Which number means yes?",
          (THEIRS, f"-1 * ({THEIRS})")),
    Wrong("bool", "the planes hold True and False", "Which argument of `np.array` sets the type?",
          (", dtype=np.float32", "")),
    Wrong("flat", "each plane is a row of nine numbers", "What is the shape of a board?", (".reshape(3, 3)", "")),
    Wrong("rows and columns exchanged", "the board is mirrored on its diagonal: rows have become columns",
          "Where is cell 1: to the right of cell 0, or below it?", (".reshape(3, 3)", ".reshape(3, 3).T")),
]
# fmt: on


def right_cell_by_cell(state):
    planes = np.zeros((2, 3, 3), dtype=np.float32)
    for cell, mark in enumerate(state.cells):
        if mark:
            planes[0 if mark == state.to_play else 1, cell // 3, cell % 3] = 1
    return planes


def right_in_numpys_own_type(state):
    cells = np.array(state.cells)
    return np.stack([cells == state.to_play, cells == -state.to_play]).reshape(2, 3, 3) * 1.0


def right_product(state):
    seen = np.array(state.cells, dtype=np.float32).reshape(3, 3) * state.to_play
    return np.maximum([seen, -seen], np.float32(0))


CHECK = Scenes(
    draws=STATES,
    board=drawing,
    edges=[State(), *ENDS[:2]],
    returns=array("numbers"),
    question=WHOSE,
)
