"""The notebook 'The game': by rules written anew, on strings of nine characters."""

from fractions import Fraction
from functools import cache

import numpy as np

LINES = [(0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6)]


def over(board):
    """Who has won, "" for a draw, None while the game goes on."""
    for a, b, c in LINES:
        if board[a] == board[b] == board[c] != ".":
            return board[a]
    return None if "." in board else ""


def children(board):
    mark = "XO"[board.count("X") > board.count("O")]
    return {i: board[:i] + mark + board[i + 1 :] for i in range(9) if board[i] == "."}


@cache
def games(board):
    return 1 if over(board) is not None else sum(map(games, children(board).values()))


@cache
def wins(board, player="X"):
    """(how many games `player` wins from here, the chance that it wins if both move at random)."""
    if over(board) is not None:
        return int(over(board) == player), Fraction(over(board) == player)
    below = [wins(child, player) for child in children(board).values()]
    return sum(count for count, _ in below), sum(chance for _, chance in below) / len(below)


def plane_0():
    board = "." * 9
    for cell in (4, 0, 8):
        board = children(board)[cell]
    to_play = "XO"[board.count("X") > board.count("O")]
    return [cell for cell in range(9) if board[cell] == to_play]


def policy_turned():
    """Cell (row, column) of a board turned counterclockwise shows what was at (column, 2 - row)."""
    return next(3 * row + column for row in range(3) for column in range(3) if (column, 2 - row) == (0, 1))


def pairs_of_the_empty_board():
    from course_utils.games import TicTacToe

    return len(TicTacToe().symmetries(np.zeros((2, 3, 3)), np.zeros(9)))


TRUTHS = {
    "plane-0": plane_0,
    "policy-turned": policy_turned,
    "pairs-of-the-empty-board": pairs_of_the_empty_board,
}
