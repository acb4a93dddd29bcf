"""legal_actions: the free cells, until the game is over."""

import numpy as np

from course_utils.games.tictactoe import State, is_terminal, winner
from course_utils.tests.catalogue import Wrong
from course_utils.tests.notebook_02 import positions
from course_utils.tests.notebook_02.positions import at
from course_utils.tests.returns import whole_numbers

OVER = "The game is over. May anybody move?"


def by_hand(rng):
    free = "Which cells are free?"
    for state, name, question in (
        (State(), "nine first moves", "Where does counting start?"),
        (positions.OPEN, "the free cells, when O is to move", free),
        (positions.THREE_FREE, "the free cells, when X is to move", free),
        (positions.ROW_X, "none after X has won, though cells are free", OVER),
        (positions.COLUMN_O, "none after O has won, though cells are free", OVER),
        (positions.DRAW, "none on a full board", OVER),
    ):
        yield at("legal_actions", state, name, positions.legal(state), question)
    yield positions.everywhere(CHECK, "When is there nothing to choose from?")


ALL = "[cell for cell in range(9) if state.cells[cell] == 0]"
END = "        return []\n"
LIST = "What does .tolist() do?"
WRONG = [
    Wrong(
        "goes on after the end",
        "the free cells are returned even when somebody has won",
        "What do you return when the game is over?",
        (f"    if is_terminal(state):\n{END}", ""),
    ),
    Wrong(
        "None at the end",
        "nothing is returned when the game is over, instead of an empty list",
        "How many legal actions are there, and how does a list say that?",
        (END, "        return None\n"),
    ),
    Wrong(
        "a mask",
        "one entry a cell is returned, saying whether it is free, instead of the numbers of the free cells",
        "How long is the list when three cells are free?",
        (ALL, "[cell == 0 for cell in state.cells]"),
    ),
    Wrong(
        "values, not numbers",
        "the values of the free cells are returned, which are all 0, instead of their numbers",
        "What tells one free cell from another?",
        (ALL, "[cell for cell in state.cells if cell == 0]"),
    ),
    Wrong(
        "the first free cell, again and again",
        "`state.cells.index(0)` is the first free cell, however often you ask",
        "What does .index look for, and from where on?",
        (ALL, "[state.cells.index(cell) for cell in state.cells if cell == 0]"),
    ),
    Wrong(
        "numpy integers",
        "the entries are numpy integers, not plain ints",
        LIST,
        (ALL, "list(np.flatnonzero(np.array(state.cells) == 0))"),
    ),
    Wrong(
        "an array",
        "a numpy array is returned, not a list",
        LIST,
        (ALL, "np.flatnonzero(np.array(state.cells) == 0)"),
        (END, "        return np.array([])\n"),
    ),
]


def legal_actions_numpy(state):
    if is_terminal(state):
        return []
    return np.flatnonzero(np.array(state.cells) == 0).tolist()


def legal_actions_loop(state):
    found = []
    for action, cell in enumerate(state.cells):
        if winner(state) == 0 and not cell:
            found.append(action)
    return found


CHECK = positions.about_states(
    oracle=positions.legal,
    returns=whole_numbers,
    question=OVER,
    by_hand=by_hand,
    wrong=WRONG,
    right=[legal_actions_numpy, legal_actions_loop],
)
