"""hex_winner: six neighbors, two pairs of sides, and chains that go where they like."""

from typing import NamedTuple

import numpy as np
from hypothesis import strategies as st

from course_utils.tests.case import Case
from course_utils.tests.catalogue import Wrong
from course_utils.tests.returns import whole_number
from course_utils.tests.specification import Specification


class Draw(NamedTuple):
    """How a board is made: stones at random, or a chain from side to side that wanders, with a stone missing or not."""

    size: int
    kind: str
    player: int
    seed: int


def board(draw: Draw) -> np.ndarray:
    size, kind, player, seed = draw
    rng = np.random.default_rng(seed)
    shares = {"sparse": (0.6, 0.2, 0.2), "dense": (0.1, 0.45, 0.45), "mostly mine": (0.1, 0.6, 0.3)}
    cells = rng.choice([0, player, -player], p=shares.get(kind, (0.2, 0.0, 0.8)), size=(size, size)).astype(np.int8)
    if kind not in shares:
        chain = wandering(size, rng)
        for cell in chain:
            cells[cell] = player
        if kind == "broken chain" and len(chain) > 1:
            cells[chain[int(rng.integers(len(chain)))]] = -player
    return (cells if player == 1 else cells.T).copy()


SIX_STEPS = ((0, -1), (0, 1), (-1, 0), (-1, 1), (1, 0), (1, -1))


def touching(cell: tuple[int, int]) -> list[tuple[int, int]]:
    return [(cell[0] + down, cell[1] + right) for down, right in SIX_STEPS]


def wandering(size: int, rng: np.random.Generator) -> list[tuple[int, int]]:
    """Cells from the first row to the last, in a chain that touches itself nowhere: there is no way round any of its steps."""
    chain, tried = [(0, int(rng.integers(size)))], set()
    while chain[-1][0] < size - 1:
        free = [
            cell
            for cell in touching(chain[-1])
            if 0 < cell[0] < size
            and 0 <= cell[1] < size
            and cell not in tried
            and not set(touching(cell)) & set(chain[:-1])
        ]
        if free:
            chain.append(free[int(rng.integers(len(free)))])
            tried.add(chain[-1])
        else:
            chain.pop()
        if not chain:  # a dead end everywhere
            return [(row, 0) for row in range(size)]
    return chain


DRAWS = st.builds(
    Draw,
    st.integers(1, 8),
    st.sampled_from(["sparse", "dense", "mostly mine", "chain", "broken chain"]),
    st.sampled_from([1, -1]),
    st.integers(0, 10_000),
)


def who(cells: np.ndarray) -> int:
    """Every two cells that touch and are one player's get one name; so do the sides. Then: have two sides the same name?"""
    n = len(cells)
    names = list(range(n * n + 4))
    top, bottom, left, right = range(n * n, n * n + 4)

    def name(i: int) -> int:
        while names[i] != i:
            i = names[i]
        return i

    for r in range(n):
        for c in range(n):
            here, stone = r * n + c, int(cells[r, c])
            sides = {1: ((top, r == 0), (bottom, r == n - 1)), -1: ((left, c == 0), (right, c == n - 1)), 0: ()}
            touching = [side for side, there in sides[stone] if there]
            for r2, c2 in ((r, c + 1), (r + 1, c), (r + 1, c - 1)):
                if stone and r2 < n and 0 <= c2 < n and cells[r2, c2] == stone:
                    touching.append(r2 * n + c2)
            for other in touching:
                names[name(here)] = name(other)
    return 1 if name(top) == name(bottom) else -1 if name(left) == name(right) else 0


def drawn(cells: np.ndarray) -> str:
    return "\n".join(" " * r + " ".join(".XO"[cell] for cell in row) for r, row in enumerate(cells.tolist()))


def pasted(cells: np.ndarray) -> str:
    return f"hex_winner(np.array({cells.tolist()}, dtype=np.int8))"


def at(rows: str) -> np.ndarray:
    return np.array([[{"X": 1, "O": -1, ".": 0}[mark] for mark in row] for row in rows.split()], dtype=np.int8)


def by_hand(rng):
    def case(name, rows, expected, question, points=1):
        cells = at(rows)
        return Case(name, lambda answer: answer(cells.copy()), expected, pasted(cells), question, drawn(cells), points)

    sides = "Which two sides are X's, which two O's?"
    yield case("an empty board", "... ... ...", 0, "Is there a chain of stones?")
    yield case("X from top to bottom", ".X. .X. .X.", 1, sides)
    yield case("O from left to right", "... OOO ...", -1, sides)
    yield case("X from left to right is no connection", "... XXX ...", 0, sides)
    yield case(
        "down and to the left: cells that touch",
        "..X .X. X..",
        1,
        "Look at the board as it is drawn: does the cell below, to the left, touch?",
        2,
    )
    yield case(
        "down and to the right: cells that don't",
        "X.. .X. ..X",
        0,
        "Look at the board as it is drawn: is there an edge between these cells?",
        2,
    )
    for name, rows in (
        ("up and to the left: cells that don't", "...X .X.X X.X. X..."),
        ("nor does O's chain go there", "..OO .O.. ..O. OO.."),
    ):
        question = "Which cell above touches, the one to the left or to the right?"
        yield case(name, rows, 0, question)
    yield case(
        "a chain that climbs before it gets there",
        ".X.... X..XXX X.X..X X.X..X XX.XX. ..X...",
        1,
        "Where does the chain go after it has gone down? May it go up?",
        2,
    )
    yield case(
        "so does O's, on its way to the right",
        ".OOOO. O...O. ..OO.O .O..O. .O..O. .OOO..",
        -1,
        "Where does the chain go after it has gone right? May it go back?",
        2,
    )
    yield case(
        "the first stone of a side is not the one that counts",
        "X.X ..X .X. ",
        1,
        "Which stones of the top row may a chain begin with?",
    )
    yield case("one cell is a board", "O", -1, "Which sides does the only cell lie on?")


SIX = "((0, -1), (0, 1), (-1, 0), (-1, 1), (1, 0), (1, -1))"
BOARDS = "((1, cells), (-1, cells.T))"
SIDES = "Which two sides does O connect?"


def by_recursion(cells):
    n = len(cells)

    def reaches(player, row, column, seen):
        if not (0 <= row < n and 0 <= column < n) or cells[row][column] != player or (row, column) in seen:
            return False
        seen.add((row, column))
        if (row if player == 1 else column) == n - 1:
            return True
        steps = [(-1, 0), (-1, 1), (0, -1), (0, 1), (1, -1), (1, 0)]
        return any([reaches(player, row + down, column + right, seen) for down, right in steps])

    seen = set()
    for k in range(n):
        if reaches(1, 0, k, seen):
            return 1
        if reaches(-1, k, 0, seen):
            return -1
    return 0


def by_growing(cells: np.ndarray) -> int:
    n = cells.shape[0]
    for player in (1, -1):
        mine = np.zeros((n + 2, n + 2), dtype=bool)  # with a border, which belongs to nobody
        mine[1:-1, 1:-1] = cells == player
        flooded = np.zeros_like(mine)
        if player == 1:
            flooded[1] = mine[1]
        else:
            flooded[:, 1] = mine[:, 1]
        for _ in range(n * n):
            grown = flooded.copy()
            for down, right in ((0, 1), (0, -1), (1, 0), (-1, 0), (1, -1), (-1, 1)):
                grown |= np.roll(flooded, (down, right), axis=(0, 1))
            flooded = grown & mine
        if (flooded[n] if player == 1 else flooded[:, n]).any():
            return player
    return 0


CHECK = Specification(
    draws=DRAWS,
    arguments=lambda draw: {"cells": board(draw)},
    oracle=lambda draw: who(board(draw)),
    returns=whole_number,
    shown=lambda draw: pasted(board(draw)),
    board=lambda draw: drawn(board(draw)),
    fresh=False,
    examples=50,
    edges=[Draw(size, "broken chain", player, seed) for size in (2, 3, 6) for player in (1, -1) for seed in (0, 1)]
    + [Draw(9, "chain", player, 1) for player in (1, -1)],
    question="Put a finger on a side and follow the stones. Where may it go from a cell, and when has it arrived?",
    by_hand=by_hand,
    wrong=[
        Wrong("four neighbors", "a cell touches only four others: those of a square board", "How many edges has a cell of six sides?",
              (SIX, "((0, -1), (0, 1), (-1, 0), (1, 0))")),
        Wrong("the other diagonal", "cells touch above left and below right, not above right and below left",
              "Each row is set half a cell to the *right*: which of the cells below touches, the one to the left or to the right?",
              (SIX, "((0, -1), (0, 1), (-1, 0), (-1, -1), (1, 0), (1, 1))")),
        Wrong("eight neighbors", "a cell touches eight others, as a king of chess does", "How many edges has a cell of six sides?",
              (SIX, "((0, -1), (0, 1), (-1, 0), (-1, 1), (1, 0), (1, -1), (-1, -1), (1, 1))")),
        Wrong("seven neighbors", "a cell touches the one above left, too", "Which of the cells above touch, the one to the left or to the right?",
              (SIX, "((0, -1), (0, 1), (-1, 0), (-1, 1), (1, 0), (1, -1), (-1, -1))")),
        Wrong("never back", "a chain may only go on towards the other side, never back", "Does a chain have to be short?",
              (SIX, "((0, -1), (0, 1), (1, 0), (1, -1))")),
        Wrong("sides exchanged", "X connects left and right, O top and bottom: the sides are exchanged", "Which two sides are X's?",
              (BOARDS, "((1, cells.T), (-1, cells))")),
        Wrong("everybody from top to bottom", "O, too, is to connect top and bottom", SIDES, (BOARDS, "((1, cells), (-1, cells))")),
        Wrong("X only", "nobody looks for a connection of O's", "What comes back when O has connected?", (BOARDS, "((1, cells),)")),
        Wrong("one stone to begin with", "only one stone of the first side is followed", "Which stones of the top row may a chain begin with?",
              ("        reached = set(waiting)", "        waiting = waiting[:1]\n        reached = set(waiting)")),
        Wrong("free cells carry", "a chain may go over free cells: it is asked who can still connect, not who has", "Are free cells stones?",
              ("board[cell] == player", "board[cell] != -player")),
        Wrong("any stone carries", "a chain may go over the opponent's stones", "Whose stones is a chain made of?", ("board[cell] == player", "board[cell] != 0")),
        Wrong("a stone on each side", "a stone in the first row and one in the last are taken for a connection", "Must the two stones have to do with each other?",
              ("            if row == n - 1:", "            if player in board[n - 1]:")),
        Wrong("around the edge", "chains go on at the other end of the board: an index of -1 counts from the end", "What is `cells[-1]` in Python?",
              ("if 0 <= r < n and 0 <= c < n and", "if r < n and c < n and")),
        Wrong("full boards only", "a winner is named only when no cell is free", "When is a game of Hex over?",
              ("            if row == n - 1:", "            if row == n - 1 and 0 not in cells:")),
        Wrong("whether, not who", "1 is returned whoever has connected", "What comes back when O has connected?", ("return player", "return 1")),
        Wrong("a numpy integer", "the result is a numpy integer and not a plain int", "What does int(...) make of your result?",
              ("return player", "return board[row, column]")),
        Wrong("nobody is None", "None is returned while nobody has connected", "What does the docstring promise while nobody has?", ("    return 0", "    return None")),
        Wrong("stones taken off", "stones are taken off the board as they are visited: the caller's own board", "Who else may be looking at `cells`?",
              ("                    reached.add(cell)", "                    reached.add(cell)\n                    board[cell] = 0")),
    ],
    right=[by_recursion, by_growing],
)  # fmt: skip
