"""connect_legal_actions: the columns with room, until somebody has won."""

import numpy as np

from course_utils.tests.catalogue import Wrong
from course_utils.tests.notebook_02.positions import at
from course_utils.tests.notebook_09 import boards
from course_utils.tests.notebook_09.boards import after
from course_utils.tests.returns import whole_numbers

ROOM = "How many stones does a column hold?"
OVER = "The game is over. May anybody move?"


def by_hand(rng):
    small = "How many rows and columns does this board have?"
    for state, name, question in (
        (after(), "seven first moves", "Where does counting start?"),
        (after(3, 3, 2), "columns with stones in them have room", ROOM),
        (after(3, 3, 3, 3, 3, 3), "a full column is not legal", ROOM),
        (after(0, 1, 0, 1, 0, 1, 0), "none after X has won, though columns have room", OVER),
        (after(0, 1, 2, 2, 3, 3, 6, 4, 4, 3, 4, 4), "none after O has won, though columns have room", OVER),
        (after(1, 1, 2, 1, 1, size=boards.SMALL), "a full column of a board of four rows", small),
        (after(0, 8, 0, 8, 8, size=(3, 9, 3)), "full columns of a board of three rows and nine columns", small),
    ):
        yield at("connect_legal_actions", state, name, boards.legal(state), question)


ALL = "[column for column, stones in enumerate(state.columns) if len(stones) < state.rows]"
END = "    if state.winner != 0:\n        return []\n"
WRONG = [
    Wrong(
        "goes on after a win",
        "the columns with room are returned even when somebody has won, or the winner is compared with the wrong player",
        "What do you return when the game is over?",
        (END, ""),
    ),
    Wrong(
        "None at the end",
        "nothing is returned when somebody has won, instead of an empty list",
        "How many legal actions are there, and how does a list say that?",
        ("        return []\n", "        return None\n"),
    ),
    Wrong("full columns too", "a full column counts as having room", ROOM, (ALL, "list(range(len(state.columns)))")),
    Wrong(
        "six rows, always",
        "a column is taken to hold six stones on every board",
        "How many rows does this board have?",
        ("state.rows", "6"),
    ),
    Wrong(
        "rows and columns exchanged",
        "a column is taken to hold as many stones as there are columns",
        "Which of the two tells how tall a column can be?",
        ("state.rows", "len(state.columns)"),
    ),
    Wrong(
        "the first column like this",
        "`columns.index(stones)` finds the first column with the same stones, so that equal columns get one number",
        "What does .index look for, and from where on?",
        ("[column for", "[state.columns.index(stones) for"),
    ),
    Wrong(
        "a mask",
        "one entry a column is returned, saying whether it has room, instead of the numbers of those that have",
        "How long is the list when one column is full?",
        (ALL, "[len(stones) < state.rows for stones in state.columns]"),
    ),
    Wrong(
        "numpy integers",
        "the entries are numpy integers, not plain ints",
        "What does .tolist() do?",
        (ALL, "list(np.flatnonzero([len(stones) < state.rows for stones in state.columns]))"),
    ),
]


def connect_legal_actions_numpy(state):
    heights = np.array([len(stones) for stones in state.columns])
    return [] if state.winner else np.flatnonzero(heights != state.rows).tolist()


def connect_legal_actions_loop(state):
    found = []
    for column in range(len(state.columns)):
        if not abs(state.winner) and state.rows - len(state.columns[column]) > 0:
            found += [column]
    return found


CHECK = boards.about_boards(
    examples=20,
    oracle=boards.legal,
    returns=whole_numbers,
    question="When is there nothing to choose from?",
    by_hand=by_hand,
    wrong=WRONG,
    right=[connect_legal_actions_numpy, connect_legal_actions_loop],
)
