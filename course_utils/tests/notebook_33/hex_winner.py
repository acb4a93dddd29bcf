"""Check hex_winner: six neighbors, two pairs of sides, and chains of any shape."""

import numpy as np
from hypothesis import strategies as st

from course_utils.tests.catalogue import Wrong
from course_utils.tests.returns import whole_number
from course_utils.tests.scene import Scenes

NEXT_TO = ((0, -1), (0, 1), (-1, 0), (-1, 1), (1, 0), (1, -1))
LABYRINTH = "OXOOOOO XOOXXXX XOXOOOX XOXXXOX XOOOXOX XXXXOOX OOOOOOX"  # X's only way to the last row


def board(rows: str) -> np.ndarray:
    """Parse int8 [n, n] from "..X .X. X..", row by row."""
    return np.array([["O.X".index(mark) - 1 for mark in row] for row in rows.split()], dtype=np.int8)


def turned(rows: str) -> str:
    """Swap rows with columns and X with O: a fact about X becomes a fact about O."""
    columns = ["".join(column) for column in zip(*rows.split(), strict=True)]
    return " ".join(columns).translate(str.maketrans("XO", "OX"))


def scene(rows) -> str:
    return f'hex_winner(board("{rows}"))'


BY_HAND = """
    an empty board
    >>> hex_winner(board("... ... ..."))
    0
    ? Is there a chain of stones?

    X from top to bottom
    >>> hex_winner(board(".X. .X. .X."))
    1
    ? Which two sides are X's, and which two are O's?

    O from left to right
    >>> hex_winner(board("... OOO ..."))
    -1
    ? Which two sides are X's, and which two are O's?

    X from left to right is no connection
    >>> hex_winner(board("... XXX ..."))
    0
    ? Which two sides are X's, and which two are O's?

    cells touch down and to the left (2 points)
    . . X
     . X .
      X . .
    >>> hex_winner(board("..X .X. X.."))
    1
    ? Draw the board. Does a cell touch the one below it to the left?

    cells don't touch down and to the right (2 points)
    X . .
     . X .
      . . X
    >>> hex_winner(board("X.. .X. ..X"))
    0
    ? Draw the board. Is there an edge between these cells?

    cells don't touch up and to the left
    . . . X
     . X . X
      X . X .
       X . . .
    >>> hex_winner(board("...X .X.X X.X. X..."))
    0
    ? Which cell above touches: the one to the left, or the one to the right?

    a chain that goes up before it reaches the other side (2 points)
    . X . . . .
     X . . X X X
      X . X . . X
       X . X . . X
        X X . X X .
         . . X . . .
    >>> hex_winner(board(".X.... X..XXX X.X..X X.X..X XX.XX. ..X..."))
    1
    ? May your chain go up again after it has gone down?

    a chain of O that goes back before it reaches the other side (2 points)
    . O O O O .
     O . . . O .
      . . O O . O
       . O . . O .
        . O . . O .
         . O O O . .
    >>> hex_winner(board(".OOOO. O...O. ..OO.O .O..O. .O..O. .OOO.."))
    -1
    ? May your chain go back again after it has gone right?

    the chain does not begin at the first stone of its side
    >>> hex_winner(board("X.X ..X .X."))
    1
    ? At which stones of the top row may a chain begin?
"""

SIX = "((0, -1), (0, 1), (-1, 0), (-1, 1), (1, 0), (1, -1))"
BOARDS = "((1, cells), (-1, cells.T))"
SIDES = "Which two sides does O connect?"

# fmt: off
WRONG = [
    Wrong("four neighbors", "a cell touches only four others, as on a square board",
          "How many neighbors does a cell with six sides have?",
          (SIX, "((0, -1), (0, 1), (-1, 0), (1, 0))")),
    Wrong("the other diagonal", "cells touch above left and below right, not above right and below left",
          "Each row is set half a cell to the right. Which cell below touches: "
          "the one to the left, or the one to the right?",
          (SIX, "((0, -1), (0, 1), (-1, 0), (-1, -1), (1, 0), (1, 1))")),
    Wrong("eight neighbors", "a cell touches eight others, as a king of chess does",
          "How many neighbors does a cell with six sides have?",
          (SIX, "((0, -1), (0, 1), (-1, 0), (-1, 1), (1, 0), (1, -1), (-1, -1), (1, 1))")),
    Wrong("seven neighbors", "a cell touches the one above left, too",
          "Which cells above touch: the one to the left, or the one to the right?",
          (SIX, "((0, -1), (0, 1), (-1, 0), (-1, 1), (1, 0), (1, -1), (-1, -1))")),
    Wrong("never back", "a chain may only go toward the other side and never back",
          "May a chain go away from the other side for a while?",
          (SIX, "((0, -1), (0, 1), (1, 0), (1, -1))")),
    Wrong("sides exchanged", "the sides are exchanged: X connects left and right, and O connects top and bottom",
          "Which two sides are X's?",
          (BOARDS, "((1, cells.T), (-1, cells))")),
    Wrong("both players from top to bottom", "O has to connect top and bottom, too", SIDES,
          (BOARDS, "((1, cells), (-1, cells))")),
    Wrong("X only", "only X's connection is looked for", "What should the result be when O has connected its sides?",
          (BOARDS, "((1, cells),)")),
    Wrong("one stone to begin with", "only one stone of the first side is followed",
          "At which stones of the top row may a chain begin?",
          ("        reached = set(waiting)", "        waiting = waiting[:1]\n        reached = set(waiting)")),
    Wrong("free cells carry",
          "a chain may go over free cells, so the result says who can still connect instead of who has",
          "May a chain contain a free cell?",
          ("board[cell] == player", "board[cell] != -player")),
    Wrong("any stone carries", "a chain may go over the opponent's stones", "Whose stones may a chain contain?",
          ("board[cell] == player", "board[cell] != 0")),
    Wrong("a stone on each side", "a stone in the first row and a stone in the last row count as a connection",
          "Are the two stones connected?",
          ("            if row == n - 1:", "            if player in board[n - 1]:")),
    Wrong("around the edge", "chains go on at the other end of the board, because an index of -1 counts from the end",
          "What is `cells[-1]` in Python?",
          ("if 0 <= r < n and 0 <= c < n and", "if r < n and c < n and")),
    Wrong("no edge at all", "the code does not stop at the edge and looks up neighbors off the board",
          "Which neighbors does the cell in the upper left corner have on the board?",
          ("if 0 <= r < n and 0 <= c < n and", "if")),
    Wrong("the board not turned over",
          "the neighbors' stones are read from `cells`, although the board is transposed for O",
          "From which array is the first row read: `cells`, or the transposed one?",
          ("board[cell] == player", "cells[cell] == player")),
    Wrong("waits for an IndexError",
          "only an IndexError ends a chain at the edge, but an index of -1 raises none: it counts from the end, so a "
          "chain goes on at the other side of the board",
          "What is `cells[-1]` in Python?", code="""
        def hex_winner(cells):
            n = len(cells)
            for player, board in ((1, cells), (-1, cells.T)):
                waiting = [(0, column) for column in range(n) if board[0, column] == player]
                reached = set(waiting)
                while waiting:
                    row, column = waiting.pop()
                    if row == n - 1:
                        return player
                    for down, right in ((0, -1), (0, 1), (-1, 0), (-1, 1), (1, 0), (1, -1)):
                        cell = row + down, column + right
                        try:
                            if board[cell] == player and cell not in reached:
                                reached.add(cell)
                                waiting.append(cell)
                        except IndexError:
                            pass
            return 0
        """),
    Wrong("full boards only", "a winner is returned only when no cell is free", "When is a game of Hex over?",
          ("            if row == n - 1:", "            if row == n - 1 and 0 not in cells:")),
    Wrong("whether, not who", "1 is returned whichever player has connected",
          "What should the result be when O has connected its sides?", ("return player", "return 1")),
    Wrong("None for no winner", "None is returned while no player has connected",
          "What does the docstring say to return while no player has?", ("    return 0", "    return None")),
    Wrong("stones taken off", "stones are removed from the caller's board as they are visited",
          "Who else uses `cells`?",
          ("                    reached.add(cell)",
           "                    reached.add(cell)\n                    board[cell] = 0")),
]
# fmt: on


def right_by_recursion(cells):
    n = len(cells)

    def reaches(player, row, column, seen):
        if not (0 <= row < n and 0 <= column < n) or cells[row][column] != player or (row, column) in seen:
            return False
        seen.add((row, column))
        if (row if player == 1 else column) == n - 1:
            return True
        return any([reaches(player, row + down, column + right, seen) for down, right in NEXT_TO])

    seen = set()
    for k in range(n):
        if reaches(1, 0, k, seen):
            return 1
        if reaches(-1, k, 0, seen):
            return -1
    return 0


def right_by_growing(cells):
    n = len(cells)
    for player, mine in ((1, cells == 1), (-1, cells.T == -1)):
        mine = np.pad(mine, 1)  # with a border of free cells
        flooded, before = np.zeros_like(mine), None
        flooded[1] = mine[1]
        while before is None or (flooded != before).any():
            before = flooded.copy()
            for step in NEXT_TO:
                flooded |= np.roll(before, step, axis=(0, 1)) & mine
        if flooded[n].any():
            return player
    return 0


CHECK = Scenes(
    draws=st.sampled_from([1, 2, 3, 4, 4, 5, 5, 6]).flatmap(
        lambda size: st.lists(st.text("XO.", min_size=size, max_size=size), min_size=size, max_size=size).map(" ".join)
    ),
    board=lambda rows: "\n".join(" " * r + " ".join(row) for r, row in enumerate(rows.split())),
    returns=whole_number,
    examples=50,
    edges=[
        LABYRINTH,
        turned(LABYRINTH),
        LABYRINTH.replace("XOXXXOX", "XOXXOOX"),
        turned(LABYRINTH.replace("XOOOXOX", "XOOOOOX")),
    ],
    question="Put a finger on a side and follow the stones. Where may the finger go from a cell, and when has it "
    "reached the other side?",
)
