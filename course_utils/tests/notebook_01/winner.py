"""Check winner: eight lines, two players, and 0 if no player has a line."""

import itertools

import numpy as np

from course_utils.games.tictactoe import State
from course_utils.tests.catalogue import Wrong
from course_utils.tests.returns import whole_number
from course_utils.tests.scene import Scenes
from course_utils.tests.world.positions import drawing
from course_utils.tests.world.states import DRAW, ENDS, NO_LINE, STATES, by_hand


def scene(state) -> str:
    return f"winner({state!r})"


LINES = "Which cells make up this line? How many lines are there in all?"
# fmt: off
BY_HAND = by_hand(
    "winner",
    ("no player has won on the empty board", "... ... ... X", 0, "Are three free cells in a row a line?"),
    ("a row", "... XXX O.O O", 1, LINES),
    ("a column, this time O's", "XXO ..O X.O X", -1, LINES),
    ("the diagonal", "XOO .X. ..X O", 1, LINES),
    ("the other diagonal", "XXO .O. O.X X", -1, LINES),
    ("a row set up by hand, and X to move", "XXX OO. ... X", 1, "Whose marks are on the line?"),
    ("a column set up by hand, and O to move", "OX. OX. O.X O", -1, "Whose marks are on the line?"),
    ("three cell numbers in sequence that are not a line", "O.X XX. ..O O", 0,
     "Cells 2, 3 and 4 are consecutive numbers. Do the cells lie on a line?"),
    ("a draw", "XOX XOO OXX O", 0, "What should the result be when no line is complete?"),
)
# fmt: on

FOUND = "            return state.cells[a]"
DIAGONALS = "diagonals = ((0, 4, 8), (2, 4, 6))"
# fmt: off
WRONG = [
    Wrong("anti-diagonal forgotten", "the line 2, 4, 6 is missing", "How many diagonals does a square have?",
          (DIAGONALS, "diagonals = ((0, 4, 8),)")),
    Wrong("no diagonals", "the two diagonals are missing", "How many diagonals does a square have?",
          ("rows + columns + diagonals", "rows + columns")),
    Wrong("only the player to move",
          "the code looks only for a line of the player to move, but the line belongs to the player who moved last",
          "Who put down the mark that completed the line?",
          ("if state.cells[a] != 0 and", "if state.cells[a] == state.to_play and")),
    Wrong("wrap-around", "any three consecutive cells count as a row, even across the edge of the board",
          "At which cells may a row begin?",
          ("rows = ((0, 1, 2), (3, 4, 5), (6, 7, 8))", "rows = tuple((i, i + 1, i + 2) for i in range(7))")),
    Wrong("three free cells are a line",
          "the first line of three equal cells decides the game, even if all three are free",
          "Three free cells are equal, too. Has a player won?", ("state.cells[a] != 0 and ", "")),
    Wrong("gives up after one line", "0 is returned as soon as one line is not complete",
          "When do you know that no player has won: after the first line, or after the last?",
          (f"{FOUND}\n    return 0", f"{FOUND}\n        return 0")),
    Wrong("the third cell is any player's",
          "`a == b and c` checks only that the third cell is taken, not whose mark it holds",
          "What does `x == y and z` compare?",
          ("state.cells[a] == state.cells[b] == state.cells[c]",
           "state.cells[a] == state.cells[b] and state.cells[c]")),
    Wrong("from the mover's point of view",
          "the result is given from the point of view of the player to move, who has always just lost",
          "Does +1 mean X here, or the player to move?", (FOUND, f"{FOUND} * state.to_play")),
    Wrong("three taken cells are a line",
          "the code checks that a line's cells are taken, but not that one player took all three",
          "Do X, O and X next to each other make a line?",
          ("state.cells[a] == state.cells[b] == state.cells[c]", "state.cells[b] != 0 and state.cells[c] != 0")),
    Wrong("no line is O's", "-1 is returned whenever X has no line, even if O has none either",
          "The function has three possible results. Which one is for a board without a line?",
          ("    return 0\n", "    return -1\n"),
          (f"{FOUND}\n", "            if state.cells[a] == 1:\n                return 1\n")),
    Wrong("the player to move wins",
          "the player to move is returned as the winner, but the last mark was the opponent's",
          "Who put down the mark that completed the line?", (FOUND, "            return state.to_play")),
    Wrong("who moved last wins",
          "the player who moved last is returned as the winner without checking the marks, which may be wrong on a "
          "board that was set up by hand",
          "Whose marks are on the line?", (FOUND, "            return -state.to_play")),
    Wrong("the loser wins", "the loser is returned: the two signs are swapped", "Which number means X?",
          (FOUND, "            return -state.cells[a]")),
    Wrong("whether, not who", "1 is returned for every line, even for O's",
          "What should the result be when the line is O's?", (FOUND, "            return 1")),
]
# fmt: on


def right_sums(state):
    board = np.array(state.cells).reshape(3, 3)
    sums = [*board.sum(axis=0), *board.sum(axis=1), board.trace(), np.fliplr(board).trace()]
    return 1 if 3 in sums else -1 if -3 in sums else 0


def right_magic_square(state):
    magic = (2, 7, 6, 9, 5, 1, 4, 3, 8)
    for player in (1, -1):
        mine = [magic[i] for i, mark in enumerate(state.cells) if mark == player]
        if any(sum(three) == 15 for three in itertools.combinations(mine, 3)):
            return player
    return 0


CHECK = Scenes(
    draws=STATES,
    board=drawing,
    edges=[
        *ENDS,
        DRAW,
        *NO_LINE,
        State((1, 1, 1, -1, -1, 0, 0, 0, 0), 1),  # set up by hand: X has a line and is to move
    ],
    examples=60,
    returns=whole_number,
    question=LINES,
)
