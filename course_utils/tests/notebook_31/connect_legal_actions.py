"""connect_legal_actions: the columns with room, until somebody has won."""

import numpy as np

from course_utils.games import ConnectFour, ConnectN, after
from course_utils.tests.catalogue import Wrong
from course_utils.tests.notebook_31 import boards
from course_utils.tests.returns import whole_numbers
from course_utils.tests.scene import Scenes

ROOM = "How many stones does a column hold?"

BY_HAND = f"""
    seven first moves
    >>> connect_legal_actions(after(ConnectFour(), []))
    [0, 1, 2, 3, 4, 5, 6]
    ? Where does counting start?

    columns with stones in them have room
    >>> connect_legal_actions(after(ConnectFour(), [3, 3, 2]))
    [0, 1, 2, 3, 4, 5, 6]
    ? {ROOM}

    a full column is not legal
    >>> connect_legal_actions(after(ConnectFour(), [3, 3, 3, 3, 3, 3]))
    [0, 1, 2, 4, 5, 6]
    ? {ROOM}

    none after X has won, though columns have room
    >>> connect_legal_actions(after(ConnectFour(), [0, 1, 0, 1, 0, 1, 0]))
    []
    ? The game is over. May anybody move?

    none after O has won, though columns have room
    >>> connect_legal_actions(after(ConnectFour(), [0, 1, 2, 1, 0, 1, 2, 1]))
    []
    ? The game is over. May anybody move?

    full columns of a board of three rows and nine columns
    >>> connect_legal_actions(after(ConnectN(3, 9, 3), [0, 8, 0, 8, 8]))
    [0, 1, 2, 3, 4, 5, 6, 7]
    ? How many rows and columns does this board have?

    a column with room for a fifth stone, on a board of five rows and four columns
    >>> connect_legal_actions(after(ConnectN(5, 4, 4), [0, 0, 0, 0]))
    [0, 1, 2, 3]
    ? How many rows and columns does this board have?
"""

ALL = "[column for column, stones in enumerate(state.columns) if len(stones) < state.rows]"
END = "    if state.winner != 0:\n        return []\n"
# fmt: off
WRONG = [
    Wrong("goes on after a win",
          "the columns with room are returned even when somebody has won, or the winner is compared with the wrong player",
          "What do you return when the game is over?", (END, "")),
    Wrong("None at the end", "nothing is returned when somebody has won, instead of an empty list",
          "How many legal actions are there, and how does a list say that?", ("        return []\n", "        return None\n")),
    Wrong("full columns too", "a full column counts as having room", ROOM, (ALL, "list(range(len(state.columns)))")),
    Wrong("six rows, always", "a column is taken to hold six stones on every board", "How many rows does this board have?",
          ("state.rows", "6")),
    Wrong("rows and columns exchanged", "a column is taken to hold as many stones as there are columns",
          "Which of the two tells how tall a column can be?", ("state.rows", "len(state.columns)")),
    Wrong("the first column like this",
          "`columns.index(stones)` finds the first column with the same stones, so that equal columns get one number",
          "What does .index look for, and from where on?", ("[column for", "[state.columns.index(stones) for")),
    Wrong("a mask", "one entry a column is returned, saying whether it has room, instead of the numbers of those that have",
          "How long is the list when one column is full?", (ALL, "[len(stones) < state.rows for stones in state.columns]")),
]
# fmt: on


def right_loop(state):
    found = []
    for column in range(len(state.columns)):
        if state.winner == 0 and len(state.columns[column]) != state.rows:
            found += [column]
    return found


def right_numpy(state):
    heights = np.array([len(stones) for stones in state.columns])
    return [] if state.winner else np.flatnonzero(heights != state.rows).tolist()


def scene(draw) -> str:
    return f"connect_legal_actions({boards.position(draw[0], boards.moves(*draw))})"


CHECK = Scenes(
    draws=boards.GAMES,
    board=lambda draw: boards.board(draw[0], boards.moves(*draw)),
    returns=whole_numbers,
    examples=20,
    question="When is there nothing to choose from?",
)
