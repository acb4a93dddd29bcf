"""heuristic: open runs and places for them, counted on drawings."""

from typing import NamedTuple

import numpy as np
from hypothesis import strategies as st

from course_utils.games import ConnectN, TicTacToe, after
from course_utils.tests.case import Case, show
from course_utils.tests.catalogue import Wrong
from course_utils.tests.returns import number
from course_utils.tests.specification import Specification

BY_HAND = "Count by hand, direction by direction: which run do you count that should not be, or the other way round?"


class Painted(NamedTuple):
    """A position drawn as text, row by row from the top: X (+1), O (-1) and . (free)."""

    text: str
    to_play: int = 1

    def __str__(self) -> str:
        return self.text


class PaintedGame:
    """What a heuristic may ask of a game: its size, the cells, whose turn it is."""

    def __init__(self, text: str):
        lines = text.split("\n")
        self.rows, self.columns = len(lines), len(lines[0])
        self.num_actions, self.n = self.columns, 3

    def cells(self, state) -> np.ndarray:
        return np.array([["O.X".index(cell) - 1 for cell in line] for line in state.text.split("\n")])

    def to_play(self, state) -> int:
        return state.to_play

    def is_terminal(self, state) -> bool:
        return False


# --- draws: drawings of any size -----------------------------------------------------------------------------------------


class Draw(NamedTuple):
    text: str
    n: int
    to_play: int = 1


def drawings(rows: int, columns: int):
    """Boards of this size, some of them full of X."""
    cells = st.sampled_from([".XO", "..XO", ".XX", ".XXXO", "XO"]).flatmap(
        lambda marks: st.text(marks, min_size=rows * columns, max_size=rows * columns)
    )
    return cells.map(lambda cells: "\n".join(cells[row * columns : (row + 1) * columns] for row in range(rows)))


SIZES = st.one_of(
    st.tuples(st.integers(1, 5), st.integers(1, 5)),
    st.just((6, 7)),
)
DRAWS = st.builds(
    Draw,
    SIZES.flatmap(lambda size: drawings(*size)),
    st.integers(1, 4),
    st.sampled_from([1, -1]),
).filter(lambda draw: places(draw.text, draw.n) > 0)


def bottom(*lines: str) -> str:
    """Six rows of seven, the given ones at the bottom."""
    return "\n".join(["......."] * (6 - len(lines)) + list(lines))


def striped(rows: int, columns: int, n: int) -> Draw:
    """n rows full of X, a free one, and so on: each diagonal that is long enough holds an open run, those in the corners, too."""
    return Draw("\n".join(("." if row % (n + 1) == n else "X") * columns for row in range(rows)), n)


EDGES = [
    Draw(".", 1),
    Draw(".X.", 1),
    Draw("X.", 2),
    Draw("XX.", 2, -1),
    Draw("X\nX\n.", 2),
    Draw("....\n.XO.", 2),
    Draw(bottom("..X.O.."), 1),
    Draw(bottom("XXXXXX."), 6),
    Draw(bottom("O.....X", "X.....O"), 2),
    Draw("XXX.\nXX..", 3),
    Draw("X\nX\nX\n.", 3),
    *(striped(rows, columns, n) for rows, columns in ((3, 7), (7, 3)) for n in (1, 2, 3)),
]


def related(draw: Draw, number: int) -> Draw:
    """The same stones, with the other player to move or another n."""
    other = draw._replace(n=number)
    return other if number and places(draw.text, number) else draw._replace(to_play=-draw.to_play)


def lines_of(text: str) -> list[str]:
    """Every row, column and diagonal of a drawing, as strings."""
    grid = text.split("\n")
    falling, rising = {}, {}
    for row, line in enumerate(grid):
        for column, cell in enumerate(line):
            falling.setdefault(column - row, []).append(cell)
            rising.setdefault(column + row, []).append(cell)
    diagonals = ["".join(cells) for cells in [*falling.values(), *rising.values()]]
    return [*grid, *("".join(column) for column in zip(*grid, strict=True)), *diagonals]


def open_runs(text: str, mark: str, n: int) -> int:
    total = 0
    for line in lines_of(text):
        for start in range(len(line) - n + 1):
            ends = line[start - 1 : start] + line[start + n : start + n + 1]
            total += line[start : start + n] == mark * n and "." in ends
    return total


def places(text: str, n: int) -> int:
    return sum(max(0, len(line) - n + 1) for line in lines_of(text))


def h(draw: Draw) -> float:
    text, n, to_play = draw
    return to_play * (open_runs(text, "X", n) - open_runs(text, "O", n)) / (1 + places(text, n))


def arguments(draw: Draw) -> dict:
    return {"game": PaintedGame(draw.text), "state": Painted(draw.text, draw.to_play), "n": draw.n}


def shown(draw: Draw) -> str:
    return f"heuristic(game, state, {draw.n})  # times 1 + places, which are {places(draw.text, draw.n)}: {show(h(draw) * (1 + places(draw.text, draw.n)))}"


def board(draw: Draw) -> str:
    return f"{draw.text}\n{'X' if draw.to_play == 1 else 'O'} to move"


# --- by hand -----------------------------------------------------------------------------------------------------------

LADDER = [
    ("one open pair", Draw(bottom("..XX..."), 2), "131 runs of two fit on this board. What do you divide by?"),
    ("a pair of X's, O to move", Draw(bottom("..XX..."), 2, -1), "Whose point of view is asked for?"),
    ("upright, and along both diagonals", Draw(bottom(".......", "X.....X", "X.X.X..", "O..O..."), 2), "Which directions can a run take?"),
    ("blocked at both ends, by a stone or the edge", Draw(bottom("XXO.OXX", "...O..."), 2), "Neither end is free, and the edge is no free cell. Can these pairs ever grow?"),
    ("one free end is enough, and two count no more", Draw(bottom("XX.OXX.", "...OO.."), 2), "How many free ends does a run need? Is it runs that you count, or free ends?"),
    ("four in a row hold three pairs, two of them open", Draw(bottom(".XXXX.."), 2), "The pair in the middle: what stands at its ends?"),
    ("single stones, n = 1", Draw(bottom("..X.O.."), 1), "In how many directions is a single stone a run of one, each with two ends of its own?"),
    ("the end of one row and the beginning of the next are not neighbors", Draw(bottom("O.....X", "X.....O"), 2), "What is to the right of the last column?"),
]  # fmt: skip


def by_hand(rng):
    for name, draw, question in LADDER:

        def run(heuristic, draw=draw):
            return heuristic(**arguments(draw))

        yield Case(name, run, h(draw), shown(draw), question, board(draw), tolerance=1e-9)
    connect, middle = ConnectN(6, 7, 4), [3, 2, 3, 3, 2, 4]
    position, nine = after(connect, middle), after(TicTacToe(), [4, 0, 8])
    yield Case(
        "works for Connect Four and for tic-tac-toe",
        lambda heuristic: [heuristic(connect, position, 2), heuristic(TicTacToe(), nine, 2)],
        [2 / 132, h(Draw("O..\n.X.\n..X", 2, -1))],
        f"heuristic(connect4, after(connect4, {middle}), 2), heuristic(game, after(game, [4, 0, 8]), 2)",
        "What do `game.cells(state)` and `game.to_play(state)` give you?",
        f"{position}\n\n{nine}",
        tolerance=1e-9,
        points=2,
    )


# --- wrong and right -----------------------------------------------------------------------------------------------------

_ENDS = "0 in (before, behind)"
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
]  # fmt: skip


def heuristic_with_arrays(game, state, n):
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


def heuristic_with_lines(game, state, n):
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


CHECK = Specification(
    draws=DRAWS,
    arguments=arguments,
    oracle=h,
    returns=number,
    shown=shown,
    board=board,
    related=related,
    edges=EDGES,
    question=BY_HAND,
    by_hand=by_hand,
    examples=20,
    wrong=WRONG,
    right=[heuristic_with_arrays, heuristic_with_lines],
)
