"""Check threats: two of my marks in a line whose third cell is free."""

import numpy as np
from hypothesis import strategies as st

from course_utils.networks.probing import LINES
from course_utils.tests.catalogue import Wrong
from course_utils.tests.notebook_22.boards import planes_of
from course_utils.tests.returns import array
from course_utils.tests.scene import Scenes

BOARDS = st.lists(st.sampled_from("XXXO.."), min_size=9, max_size=9).map("".join)


def scene(draw) -> str:
    boards = ", ".join(f'"{board[:3]} {board[3:6]} {board[6:]}"' for board in draw)
    return f"""planes = planes_of({boards})
np.argwhere(threats(planes))"""


BY_HAND = """
    one threat, at the end of the top row: its number is 3 * 0 + 2
    >>> planes = planes_of("XX. .OO ...")
    >>> np.flatnonzero(threats(planes)[0])
    [2]
    ? Which line is it, and which of its three cells is free?

    the free cell in the middle: 3 * 0 + 1
    >>> planes = planes_of("X.X .OO ...")
    >>> np.flatnonzero(threats(planes)[0])
    [1]
    ? Which of the line's three cells is the free one: the first, the second or the third?

    there is no threat if the third cell is theirs
    >>> planes = planes_of("XXO .O. ...")
    >>> np.flatnonzero(threats(planes)[0])
    []
    ? Can X still complete the top row?

    two marks of theirs are not my threat
    >>> planes = planes_of("OO. X.. ..X")
    >>> np.flatnonzero(threats(planes)[0])
    []
    ? Which player's marks are on plane 0?

    only an open line counts (2 points)
    >>> planes = planes_of("X.X OO. X.O")
    >>> np.flatnonzero(threats(planes)[0])
    [1]
    ? Which lines have two X and a free cell? The left column and both diagonals have an O.

    a row for each position, and a column for each threat (2 points)
    >>> planes = planes_of("XX. .OO ...", "... ... ...", "X.. .X. OO.")
    >>> result = threats(planes)
    >>> result.shape, np.argwhere(result)
    (3, 24), [[0, 2], [2, 20]]
    ? Which axis is the positions, and which axis is the threats?
"""

FREE = "free = (mine[:, cell] == 0) & (theirs[:, cell] == 0)"
OTHERS = "(mine[:, others] == 1).all(axis=1)"
# fmt: off
WRONG = [
    Wrong("their mark in the third cell",
          "a line counts although their mark is in its third cell, because only my marks are checked there",
          "Is every cell without my mark free?", (FREE, "free = mine[:, cell] == 0")),
    Wrong("any cell without theirs",
          "a line that is already complete counts, too, because only their marks are checked in the third cell",
          "Is every cell without their mark free?", (FREE, "free = theirs[:, cell] == 0")),
    Wrong("their threats", "it finds the opponent's threats, because the two planes are exchanged",
          "Which plane holds the marks of the player to move?", ("mine, theirs = planes", "theirs, mine = planes")),
    Wrong("one mark is enough", "a line counts with a single mark of mine, whatever the other cells hold",
          "How many of the other two cells must be mine?", (".all(axis=1)", ".any(axis=1)")),
    Wrong("no diagonals", "both diagonals are left out", "How many lines does a board have?",
          ("for line in LINES:", "for line in LINES[:6]:"),
          ("return np.stack(columns, axis=1)", "return np.pad(np.stack(columns, axis=1), ((0, 0), (0, 6)))")),
    Wrong("a column for each position", "positions and threats are exchanged in the result",
          "Where does np.stack put the new axis for the list of columns?",
          ("np.stack(columns, axis=1)", "np.stack(columns)")),
    Wrong("numbers instead of bools", "it returns numbers, which select by index where bools select by True and False",
          "Which type does the docstring ask for?",
          ("np.stack(columns, axis=1)", "np.stack(columns, axis=1).astype(int)")),
    Wrong("sorted by cell", "the threats come in the order of their free cells instead of line by line",
          "Over what does your outer loop run: lines or cells?",
          ("return np.stack(columns, axis=1)",
           "order = np.argsort([cell for line in LINES for cell in line], kind='stable')\n"
           "    return np.stack(columns, axis=1)[:, order]")),
]
# fmt: on


def right_by_position(planes):
    threatened = np.zeros((len(planes), 24), dtype=bool)
    for number, (mine, theirs) in enumerate(planes):
        mine, theirs = mine.flatten(), theirs.flatten()
        for which, line in enumerate(LINES):
            for place, cell in enumerate(line):
                rest = sum(mine[i] for i in line) - mine[cell]
                threatened[number, 3 * which + place] = rest == 2 and mine[cell] + theirs[cell] == 0
    return threatened


def right_by_sums(planes):
    """Look for lines with two of my marks and none of theirs; then for their free cell."""
    flat = planes.reshape(-1, 2, 9)
    lines = flat[:, :, np.array(LINES)]  # [batch, 2, 8, 3]
    open_line = (lines[:, 0].sum(-1) == 2) & (lines[:, 1].sum(-1) == 0)
    return (open_line[:, :, None] & (lines[:, 0] == 0)).reshape(-1, 24)


def right_by_neurons(planes):
    """Use 24 neurons, as in the notebook 'The network'."""
    W, b = np.zeros((18, 24)), np.full(24, -1)
    for which, line in enumerate(LINES):
        for place, cell in enumerate(line):
            for i in line:
                W[i, 3 * which + place] = 1
            W[cell, 3 * which + place] = W[9 + cell, 3 * which + place] = -1
    return planes.reshape(-1, 18) @ W + b > 0


CHECK = Scenes(
    draws=st.lists(BOARDS, min_size=1, max_size=3),
    returns=array("bool"),
    edges=[["XXXOO...."], ["XXOOO.X..", "XOX......"]],
    question="Each pair is a position and a threat, 3 * line + place. Draw the position. Which line is it, "
    "and which of its cells is free?",
)
