"""Check legal_actions: the free cells, until the game is over."""

import numpy as np

from course_utils.games.tictactoe import State, is_terminal, winner
from course_utils.tests.catalogue import Wrong
from course_utils.tests.returns import whole_numbers
from course_utils.tests.scene import Scenes
from course_utils.tests.world.positions import drawing
from course_utils.tests.world.states import DRAW, ENDS, LAST_MOVES, STATES, by_hand


def scene(state) -> str:
    return f"legal_actions({state!r})"


OVER = "The game is over. May a player still move?"
# fmt: off
BY_HAND = by_hand(
    "legal_actions",
    ("nine first moves", "... ... ... X", [0, 1, 2, 3, 4, 5, 6, 7, 8], "Which number does the first cell have?"),
    ("the free cells, when O is to move", "O.. .X. ..X O", [1, 2, 3, 5, 6, 7], "Which cells are free?"),
    ("the free cells, when X is to move", "XO. .O. OXX X", [2, 3, 5], "Which cells are free?"),
    ("a single free cell", "XOX .OO OXX X", [3], "Do you return a list however many cells are free?"),
    ("none after X has won, though cells are free", "O.. XXX ..O O", [], OVER),
    ("none after O has won, though cells are free", "XXO ..O X.O X", [], OVER),
    ("none on a full board", "XOX XOO OXX O", [], OVER),
)
# fmt: on

ALL = "[cell for cell in range(9) if state.cells[cell] == 0]"
END = "        return []\n"
# fmt: off
WRONG = [
    Wrong("goes on after the end", "the free cells are returned even after a player has won",
          "What do you return when the game is over?",
          (f"    if is_terminal(state):\n{END}", "")),
    Wrong("the taken cells", "the taken cells are returned instead of the free ones", "Which number means a free cell?",
          ("== 0]", "!= 0]")),
    Wrong("counted from 1", "the cells are counted from 1, so every move is one cell too far",
          "Which number does the first cell have?", (ALL, ALL.replace("[cell for", "[cell + 1 for"))),
    Wrong("the state instead of its cells",
          "the state itself is indexed: `state[0]` is the tuple of all nine cells, "
          "and `state[1]` is the player to move",
          "Which field of the state holds the nine cells?", ("state.cells[cell]", "state[cell]")),
    Wrong("None at the end", "None is returned when the game is over, instead of an empty list",
          "No action is legal then. Which list says that?", (END, "        return None\n")),
    Wrong("a mask",
          "the list says for each of the nine cells whether it is free, "
          "instead of holding the numbers of the free cells",
          "How long is the list when three cells are free?", (ALL, "[cell == 0 for cell in state.cells]")),
    Wrong("values, not numbers",
          "the list holds the values of the free cells, which are all 0, instead of their numbers",
          "What tells one free cell from another?", (ALL, "[cell for cell in state.cells if cell == 0]")),
    Wrong("the first free cell, again and again",
          "`state.cells.index(0)` returns the first free cell each time it is called",
          "Where does `.index` start to search each time?",
          (ALL, "[state.cells.index(cell) for cell in state.cells if cell == 0]")),
    Wrong("an array", "a numpy array is returned, not a list", "What does .tolist() do?",
          (ALL, "np.flatnonzero(np.array(state.cells) == 0)"), (END, "        return np.array([])\n")),
]
# fmt: on


def right_loop(state):
    legal = []
    for action, cell in enumerate(state.cells):
        if winner(state) == 0 and not cell:
            legal.append(action)
    return legal


def right_numpy(state):
    if is_terminal(state):
        return []
    return np.flatnonzero(np.array(state.cells) == 0).tolist()


CHECK = Scenes(
    draws=STATES,
    board=drawing,
    edges=[*ENDS, DRAW, *LAST_MOVES],
    returns=whole_numbers,
    question=OVER,
)
