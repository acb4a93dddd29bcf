"""heuristic: open runs and places for them, counted on drawings."""

import numpy as np
from hypothesis import strategies as st

from course_utils.games import ConnectFour, TicTacToe, after  # noqa: F401
from course_utils.tests.catalogue import Wrong
from course_utils.tests.returns import number
from course_utils.tests.scene import Scenes
from course_utils.tests.world.positions import windows


class Drawn:
    """What a heuristic may ask of a game: its size, the cells, whose turn it is."""

    def __init__(self, rows: tuple[str, ...], to_play: int):
        self.board, self.player = np.array([["O.X".index(cell) - 1 for cell in row] for row in rows]), to_play
        self.rows, self.columns = self.board.shape

    def cells(self, state) -> np.ndarray:
        return self.board.copy()

    def to_play(self, state) -> int:
        return self.player


def drawn(*rows: str, to_play: int = 1) -> tuple[Drawn, tuple]:
    """Game and state of a drawing: X, O and . for a free cell."""
    return Drawn(rows, to_play), rows


def scene(draw) -> str:
    """Times what it was divided by, so that one sees the runs."""
    rows, n, to_play = draw
    board = ",\n                    ".join(f'"{row}"' for row in rows)
    places = len(windows(len(rows), len(rows[0]), n))
    return f"game, state = drawn({board}, to_play={to_play})\nheuristic(game, state, {n}) * {1 + places}"


def drawings(size: tuple[int, int]) -> st.SearchStrategy:
    """Boards of this size, some of them full of X."""
    rows, columns = size
    return st.sampled_from([".XO", "..XO", ".XX", ".XXXO", "XO"]).flatmap(
        lambda marks: st.lists(st.text(marks, min_size=columns, max_size=columns), min_size=rows, max_size=rows)
    )


def striped(rows: int, columns: int, n: int) -> tuple:
    """n rows full of X, a free one, and so on: each diagonal that is long enough holds an open run, those in the corners, too."""
    return [("." if row % (n + 1) == n else "X") * columns for row in range(rows)], n, 1


BY_HAND = """
    one open pair
    >>> game, state = drawn(".......",
    ...                     "..XX...")
    >>> heuristic(game, state, 2) * 32
    1
    ? 31 runs of two fit on this board. What do you divide by?

    a pair of X's, O to move
    >>> game, state = drawn(".......",
    ...                     "..XX...", to_play=-1)
    >>> heuristic(game, state, 2) * 32
    -1
    ? Whose point of view is asked for?

    upright, and along both diagonals
    >>> game, state = drawn(".......",
    ...                     "X.X..O.",
    ...                     "X..XO..")
    >>> heuristic(game, state, 2) * 57
    1
    ? Which directions can a run take?

    blocked at both ends, by a stone or the edge
    >>> game, state = drawn("XXO.OXX",
    ...                     "...O...")
    >>> heuristic(game, state, 2) * 32
    0
    ? The edge of the board is no free cell. Which cell does `cells[-1]` give you in Python?

    one free end is enough, and two count no more
    >>> game, state = drawn("XX.OXX.",
    ...                     "...OO..")
    >>> heuristic(game, state, 2) * 32
    1
    ? How many free ends does a run need? Is it runs that you count, or free ends?

    four in a row hold three pairs, two of them open
    >>> game, state = drawn(".XXXX..")
    >>> heuristic(game, state, 2) * 7
    2
    ? The pair in the middle: what is at its ends?

    single stones, n = 1
    >>> game, state = drawn(".......",
    ...                     "..X.O..",
    ...                     "..X....")
    >>> heuristic(game, state, 1) * 85
    3
    ? In how many directions is a single stone a run of one, each with two ends of its own?

    the end of one row and the beginning of the next are not neighbors
    >>> game, state = drawn("O.....X",
    ...                     "X.....O")
    >>> heuristic(game, state, 2) * 32
    0
    ? What is to the right of the last column?

    works for Connect Four and for tic-tac-toe (2 points)
    >>> games, moves = [ConnectFour(), TicTacToe()], [[3, 2, 3, 3, 2, 4], [4, 0, 8]]
    >>> [heuristic(game, after(game, line), 2) for game, line in zip(games, moves)]
    [2 / 132, 0]
    ? What do `game.cells(state)` and `game.to_play(state)` give you?
"""

_ENDS = "0 in (before, behind)"
# fmt: off
WRONG = [
    Wrong("always for X", "the runs of X count for, those of O against, whoever is to move",
          "Whose point of view is asked for?", ("run[0] * me", "run[0]")),
    Wrong("blocked runs counted", "a run counts even if neither end is free",
          "Can a run with a stone or the edge at both ends ever grow?", (f" and {_ENDS}", "")),
    Wrong("both ends must be free", "a run counts only if both ends are free",
          "How many free ends does a run need to grow?", (_ENDS, "before == behind == 0")),
    Wrong("counted once for each free end", "a run with two free ends counts twice",
          "Is it runs that you count, or free ends?", ("difference += run[0] * me", "difference += run[0] * me * (before, behind).count(0)")),
    Wrong("the edge counts as free", "a cell off the board is taken for a free one",
          "Can a stone be put beyond the edge?", (_ENDS, "(0 in (before, behind) or None in (before, behind))")),
    Wrong("one diagonal forgotten", "of the diagonals only one is looked at",
          "How many diagonal directions are there?", (", (1, -1)", "")),
    Wrong("every direction twice", "each run is seen from both of its ends and counts twice",
          "If you look to the left and to the right from every cell, how often do you meet a run?",
          ("(1, -1))", "(1, -1), (0, -1), (-1, 0), (-1, -1), (-1, 1))"), ("(1 + places)", "(1 + places // 2)")),
    Wrong("the last row before the first", "an index of -1 is taken for the cell before the first: it is the last one of its row or column",
          "What is board[-1]?",
          ("            if run[-1] is None:",
           "            rows, columns = game.cells(state).shape\n"
           "            ends = [(row - down, column - right), (row + n * down, column + n * right)]\n"
           "            before, behind = (cells.get((r % rows if r < 0 else r, c % columns if c < 0 else c)) for r, c in ends)\n"
           "            if run[-1] is None:")),
    Wrong("not divided", "the difference itself comes back, which soon outgrows a win",
          "What is a certain win worth? May a guess be worth more?", ("difference / (1 + places)", "difference")),
    Wrong("divided by the places alone", "the 1 is missing from what the difference is divided by",
          "Could the difference ever equal what you divide by?", ("(1 + places)", "max(places, 1)")),
    Wrong("divided by the runs found", "it divides by the number of open runs that there are, not by how many would fit",
          "Is one open pair as good on a large board as on a small one?", ("                difference +=", "                found += 1\n                difference +="),
          ("difference = places", "found = difference = places"), ("(1 + places)", "(1 + found)")),
    Wrong("longer lines left out", "a run counts only if no stone of the same color stands next to it",
          "Does a line of three hold pairs?", (_ENDS, "0 in (before, behind) and run[0] not in (before, behind)")),
]
# fmt: on


def right_with_lines(game, state, n):
    """Rows, columns and diagonals as lists; then one dimension only."""
    board = game.cells(state)
    lines = [*board, *board.T]
    for turned in (board, board[:, ::-1]):
        lines += [turned.diagonal(offset) for offset in range(-turned.shape[0] + 1, turned.shape[1])]

    def runs(line, player):
        count = 0
        for i in range(len(line) - n + 1):
            if all(cell == player for cell in line[i : i + n]):
                left_free = i > 0 and line[i - 1] == 0
                right_free = i + n < len(line) and line[i + n] == 0
                count += left_free or right_free
        return count

    me = game.to_play(state)
    mine, theirs = (sum(runs(line, player) for line in lines) for player in (me, -me))
    return (mine - theirs) / (1 + sum(max(0, len(line) - n + 1) for line in lines))


def right_with_arrays(game, state, n):
    board = game.cells(state).astype(int) * game.to_play(state)
    rows, columns = board.shape
    padded = np.full((rows + 2, columns + 2), 7)  # 7: no cell
    padded[1:-1, 1:-1] = board
    total = places = 0
    for down, right in ((0, 1), (1, 0), (1, 1), (-1, 1)):
        for row in range(1, rows + 1):
            for column in range(1, columns + 1):
                last_row, last_column = row + (n - 1) * down, column + (n - 1) * right
                if not (1 <= last_row <= rows and 1 <= last_column <= columns):
                    continue
                places += 1
                stones = sum(padded[row + i * down, column + i * right] for i in range(n))
                free = padded[row - down, column - right] == 0 or padded[last_row + down, last_column + right] == 0
                if free and abs(stones) == n:
                    total += np.sign(stones)
    return total / (places + 1)


CHECK = Scenes(
    draws=st.tuples(
        st.one_of(st.tuples(st.integers(1, 5), st.integers(1, 5)), st.just((6, 7))).flatmap(drawings),
        st.integers(1, 4),
        st.sampled_from([1, -1]),
    ).filter(lambda draw: max(len(draw[0]), len(draw[0][0])) >= draw[1]),
    edges=[striped(rows, columns, n) for rows, columns in ((3, 7), (7, 3)) for n in (1, 2, 3)],
    examples=25,
    returns=number,
    tolerance=1e-9,
    question="Count by hand, direction by direction: which run do you count that should not be, or the other way round?",
)
