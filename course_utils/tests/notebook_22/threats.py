"""threats: two of my marks in a line whose third cell is free."""

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

    the third cell is theirs: no threat
    >>> planes = planes_of("XXO .O. ...")
    >>> np.flatnonzero(threats(planes)[0])
    []
    ? Can X still complete the top row?

    two of theirs are no threat of mine
    >>> planes = planes_of("OO. X.. ..X")
    >>> np.flatnonzero(threats(planes)[0])
    []
    ? Whose marks are on plane 0?

    only a line that is open counts (2 points)
    >>> planes = planes_of("X.X OO. X.O")
    >>> np.flatnonzero(threats(planes)[0])
    [1]
    ? Which lines have two X and a free cell? The left column and both diagonals have an O.

    a row for each position, and a column for each threat (2 points)
    >>> planes = planes_of("XX. .OO ...", "... ... ...", "X.. .X. OO.")
    >>> result = threats(planes)
    >>> result.shape, np.argwhere(result)
    (3, 24), [[0, 2], [2, 20]]
    ? Which axis are the positions, and which the threats?
"""

FREE = "free = (mine[:, cell] == 0) & (theirs[:, cell] == 0)"
OTHERS = "(mine[:, others] == 1).all(axis=1)"
# fmt: off
WRONG = [
    Wrong("their mark in the third cell", "a line counts although their mark is in its third cell: only my own was looked for",
          "A cell without my mark: is it free?", (FREE, "free = mine[:, cell] == 0")),
    Wrong("any cell without theirs", "a line that is already complete counts, too: only their mark was looked for in the third cell",
          "A cell without their mark: is it free?", (FREE, "free = theirs[:, cell] == 0")),
    Wrong("their threats", "it finds the opponent's threats: the two planes are exchanged",
          "Which plane holds the marks of the player to move?", ("mine, theirs = planes", "theirs, mine = planes")),
    Wrong("one mark is enough", "a line counts with one of my marks and two other cells that may hold anything",
          "How many of the other two cells must be mine?", (".all(axis=1)", ".any(axis=1)")),
    Wrong("no diagonals", "both diagonals are left out", "How many lines has a board?",
          ("for line in LINES:", "for line in LINES[:6]:"), ("return np.stack(columns, axis=1)", "return np.pad(np.stack(columns, axis=1), ((0, 0), (0, 6)))")),
    Wrong("a column for each position", "positions and threats are exchanged in the result", "Which axis does np.stack make for the list of columns?",
          ("np.stack(columns, axis=1)", "np.stack(columns)")),
    Wrong("numbers instead of bools", "it returns numbers: what a bool array picks, numbers look up", "Which type does the docstring ask for?",
          ("np.stack(columns, axis=1)", "np.stack(columns, axis=1).astype(int)")),
    Wrong("sorted by cell", "the threats come in the order of their free cells instead of line by line", "What do you loop over first: lines or cells?",
          ("return np.stack(columns, axis=1)", "order = np.argsort([cell for line in LINES for cell in line], kind='stable')\n    return np.stack(columns, axis=1)[:, order]")),
]
# fmt: on


def right_by_position(planes):
    found = np.zeros((len(planes), 24), dtype=bool)
    for number, (mine, theirs) in enumerate(planes):
        mine, theirs = mine.flatten(), theirs.flatten()
        for which, line in enumerate(LINES):
            for place, cell in enumerate(line):
                rest = sum(mine[other] for other in line) - mine[cell]
                found[number, 3 * which + place] = rest == 2 and mine[cell] + theirs[cell] == 0
    return found


def right_by_sums(planes):
    """In each line two of mine and none of theirs; then where the free cell is."""
    flat = planes.reshape(-1, 2, 9)
    lines = flat[:, :, np.array(LINES)]  # [batch, 2, 8, 3]
    open_line = (lines[:, 0].sum(-1) == 2) & (lines[:, 1].sum(-1) == 0)
    return (open_line[:, :, None] & (lines[:, 0] == 0)).reshape(-1, 24)


def right_by_neurons(planes):
    """24 neurons, as in the notebook 'The network'."""
    W, b = np.zeros((18, 24)), np.full(24, -1)
    for which, line in enumerate(LINES):
        for place, cell in enumerate(line):
            for other in line:
                W[other, 3 * which + place] = 1
            W[cell, 3 * which + place] = W[9 + cell, 3 * which + place] = -1
    return planes.reshape(-1, 18) @ W + b > 0


CHECK = Scenes(
    draws=st.lists(BOARDS, min_size=1, max_size=3),
    returns=array("bool"),
    edges=[["XXXOO...."], ["XXOOO.X..", "XOX......"]],
    question="Each pair is a position and a threat, 3 * line + place. Draw the position: which line is it, and which of its cells is free?",
)
