"""Checks of notebook 03: a heuristic."""

from typing import NamedTuple

import numpy as np

from course_utils.games import TicTacToe, after
from course_utils.games.tictactoe import State
from course_utils.tests.framework import Case, check, wrong


def _position(actions: list[int]) -> State:
    return after(TicTacToe(), actions)


def _drawing(state: State) -> str:
    return f"{state}\n{'X' if state.to_play == 1 else 'O'} to move"


# --- heuristic -------------------------------------------------------------------------------------------------------


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
        self.num_actions, self.n = self.columns, 4

    def cells(self, state) -> np.ndarray:
        return np.array([["O.X".index(cell) - 1 for cell in line] for line in state.text.split("\n")], dtype=np.int8)

    def to_play(self, state) -> int:
        return state.to_play

    def is_terminal(self, state) -> bool:
        return False

    def winner(self, state) -> int:
        return 0


def _lines(text: str) -> list[str]:
    """Every row, column and diagonal of a drawing, as strings."""
    grid = text.split("\n")
    rows, columns = len(grid), len(grid[0])
    falling, rising = {}, {}
    for row in range(rows):
        for column in range(columns):
            falling.setdefault(column - row, []).append(grid[row][column])
            rising.setdefault(column + row, []).append(grid[row][column])
    diagonals = ["".join(cells) for cells in [*falling.values(), *rising.values()]]
    return [*grid, *("".join(line[column] for line in grid) for column in range(columns)), *diagonals]


def count_open_runs(text: str, mark: str, n: int) -> int:
    total = 0
    for line in _lines(text):
        for start in range(len(line) - n + 1):
            ends = line[start - 1 : start] + line[start + n : start + n + 1]
            total += line[start : start + n] == mark * n and "." in ends
    return total


def count_places(text: str, n: int) -> int:
    return sum(max(0, len(line) - n + 1) for line in _lines(text))


def h(text: str, to_play: int, n: int) -> float:
    return to_play * (count_open_runs(text, "X", n) - count_open_runs(text, "O", n)) / (1 + count_places(text, n))


EMPTY_ROW = "......."


def _board(*lines: str) -> str:
    """Six rows of seven, the given ones at the bottom."""
    return "\n".join([EMPTY_ROW] * (6 - len(lines)) + list(lines))


@check
def heuristic(rng):
    def on(name, text, n, question, to_play=1, points=1):
        game, state = PaintedGame(text), Painted(text, to_play)
        return Case(
            name,
            lambda heuristic: float(heuristic(game, state, n)),
            h(text, to_play, n),
            f"heuristic(game, state, {n})  # times 1 + places: {h(text, to_play, n) * (1 + count_places(text, n)):g}",
            question,
            f"{text}\n{'X' if to_play == 1 else 'O'} to move",
            points,
            tolerance=1e-9,
        )

    yield on("an empty board promises nothing", _board(), 2, "How many runs are there?")
    yield on(
        "one open pair", _board("..XX..."), 2, "131 runs of two fit on this board. What do you divide by?", points=2
    )
    yield on("the same pair with O to move", _board("..XX..."), 2, "Whose point of view is asked for?", to_play=-1)
    yield on("a pair of O's, O to move", _board("..OO..."), 2, "Whose point of view is asked for?", to_play=-1)
    yield on(
        "upright", "\n".join(["......."] * 3 + ["...X...", "...X...", "...O..."]), 2, "Which directions can a run take?"
    )
    yield on("a falling diagonal", _board("..X....", "..OX...", "..OO..."), 2, "Which directions can a run take?")
    yield on("a rising diagonal", _board("...X...", "..XO...", "..OO..."), 2, "Which directions can a run take?")
    yield on("blocked at both ends", _board(".OXXO.."), 2, "Neither end is free. Can this pair ever grow?")
    yield on(
        "blocked by the edge on one side, by a stone on the other", _board("XXO...."), 2, "Is the edge a free cell?"
    )
    yield on("blocked at one end only: still open", _board(".OXX..."), 2, "How many free ends does a run need?")
    yield on("at the edge, the other end free: still open", _board("XX....."), 2, "How many free ends does a run need?")
    yield on(
        "three in a row hold two pairs",
        _board("..XXX.."),
        2,
        "Which pairs of neighbors are there, and which has a free end?",
    )
    yield on(
        "four in a row hold three pairs, two of them open",
        _board(".XXXX.."),
        2,
        "The pair in the middle: what stands at its ends?",
    )
    yield on("three in a row are one run of three", _board("..XXX.O"), 3, "Do you count runs of n stones, or of two?")
    yield on("a gap is no run", _board(".X.X.X."), 2, "Are the stones of a run neighbors?")
    yield on(
        "single stones, n = 1",
        _board("..X.O.."),
        1,
        "In how many directions is a single stone a run of one, each with two ends of its own?",
    )
    yield on(
        "the end of one row and the beginning of the next are not neighbors",
        _board("O.....X", "X.....O"),
        2,
        "What is to the right of the last column?",
        points=2,
    )
    yield on("a small, wide board", "....\n.XO.", 2, "Does it work for any rows and columns?")
    yield on(
        "both sides have runs",
        _board("...X...", "..XXO..", ".XOOO.."),
        2,
        "Count them by hand, direction by direction.",
        points=2,
    )
    yield on(
        "both sides have runs, O to move",
        _board("...X...", "..XXO..", ".XOOO.."),
        2,
        "Count them by hand, direction by direction.",
        to_play=-1,
    )
    boards = []
    for _ in range(40):
        rows, columns = int(rng.integers(3, 8)), int(rng.integers(3, 9))
        cells = rng.choice(list("...XO"), size=(rows, columns))
        boards.append(("\n".join("".join(line) for line in cells), int(rng.choice([-1, 1])), int(rng.integers(1, 4))))
    yield Case(
        "40 random boards of random sizes",
        lambda heuristic: [
            float(heuristic(PaintedGame(text), Painted(text, to_play), n)) for text, to_play, n in boards
        ],
        [h(*board) for board in boards],
        "[heuristic(game, state, n) for game, state, n in random_boards]",
        "Draw a small board and count by hand: which run do you count that should not be, or the other way round?",
        points=2,
        tolerance=1e-9,
    )
    game, middle = TicTacToe(), _position([4, 0, 8])
    yield Case(
        "works for tic-tac-toe, through the protocol",
        lambda heuristic: float(heuristic(game, middle, 2)),
        h("O..\n.X.\n..X", -1, 2),
        "heuristic(game, after(game, [4, 0, 8]), 2)",
        "What do `game.cells(state)` and `game.to_play(state)` give you?",
        _drawing(middle),
        tolerance=1e-9,
    )


_ENDS = "0 in (before, behind)"
for _name_, _sentence, _question, _replaces in (
    (
        "always for X",
        "the runs of X count for, those of O against, whoever is to move",
        "Whose point of view is asked for?",
        [("run[0] * me", "run[0]")],
    ),
    (
        "for the other side",
        "the difference is taken the wrong way round: the opponent's runs minus yours",
        "Whose runs should count in favor?",
        [("run[0] * me", "-run[0] * me")],
    ),
    (
        "blocked runs counted",
        "a run counts even if neither end is free",
        "Can a run with a stone or the edge at both ends ever grow?",
        [(f" and {_ENDS}", "")],
    ),
    (
        "both ends must be free",
        "a run counts only if both ends are free",
        "How many free ends does a run need to grow?",
        [(_ENDS, "before == behind == 0")],
    ),
    (
        "only the end behind",
        "a run counts only if the cell behind it is free; the one before it is not looked at",
        "At which ends can a run grow?",
        [(_ENDS, "behind == 0")],
    ),
    (
        "counted once for each free end",
        "a run with two free ends counts twice",
        "Is it runs that you count, or free ends?",
        [("difference += run[0] * me", "difference += run[0] * me * (before, behind).count(0)")],
    ),
    (
        "the edge counts as free",
        "a cell off the board is taken for a free one",
        "Can a stone be put beyond the edge?",
        [(_ENDS, "(0 in (before, behind) or None in (before, behind))")],
    ),
    (
        "diagonals forgotten",
        "only rows and columns are looked at",
        "Which directions can a run take?",
        [("((0, 1), (1, 0), (1, 1), (1, -1))", "((0, 1), (1, 0))")],
    ),
    (
        "one diagonal forgotten",
        "of the diagonals only one is looked at",
        "How many diagonal directions are there?",
        [(", (1, -1)", "")],
    ),
    (
        "columns forgotten",
        "upright runs are not looked at",
        "Which directions can a run take?",
        [("(1, 0), ", "")],
    ),
    (
        "every direction twice",
        "each run is seen from both of its ends and counts twice",
        "If you look to the left and to the right from every cell, how often do you meet a run?",
        [("(1, -1))", "(1, -1), (0, -1), (-1, 0), (-1, -1), (-1, 1))"), ("(1 + places)", "(1 + places // 2)")],
    ),
    (
        "every direction twice, places too",
        "each run and each place is seen from both of its ends and counts twice: then the 1 weighs half",
        "If you look to the left and to the right from every cell, how often do you meet a run?",
        [("(1, -1))", "(1, -1), (0, -1), (-1, 0), (-1, -1), (-1, 1))")],
    ),
    (
        "the last row before the first",
        "an index of -1 is taken for the cell before the first: it is the last one of its row or column",
        "What is board[-1]?",
        [
            (
                "            if run[-1] is None:",
                "            rows, columns = game.cells(state).shape\n"
                "            ends = [(row - down, column - right), (row + n * down, column + n * right)]\n"
                "            before, behind = (cells.get((r % rows if r < 0 else r, c % columns if c < 0 else c)) for r, c in ends)\n"
                "            if run[-1] is None:",
            )
        ],
    ),
    (
        "all runs counted for me",
        "the opponent's runs count in your favor, too",
        "Whose runs should count in favor, and whose against?",
        [("run[0] * me", "1")],
    ),
    (
        "wraps around",
        "the cells are numbered row by row and the next number counts as the next neighbor, across the edge",
        "What is to the right of the last column?",
        [("cells.get((row + i * down, column + i * right))", "flat.get((row + i * down) * game.columns + column + i * right)"),
         ("difference = places = 0", "flat = {row * game.columns + column: cell for (row, column), cell in cells.items()}\n    difference = places = 0")],
    ),
    (
        "not divided",
        "the difference itself comes back, which soon outgrows a win",
        "What is a certain win worth? May a guess be worth more?",
        [("difference / (1 + places)", "difference")],
    ),
    (
        "divided by the places alone",
        "the 1 is missing from what the difference is divided by",
        "Could the difference ever equal what you divide by?",
        [("(1 + places)", "max(places, 1)")],
    ),
    (
        "divided by the cells",
        "it divides by the number of cells, which is not how many runs fit",
        "How many places are there for a run of n, counting all directions?",
        [("(1 + places)", "(1 + len(cells))")],
    ),
    (
        "runs of two, whatever n",
        "n is not used",
        "What should n = 3 count?",
        [("range(-1, n + 1)", "range(-1, 3)")],
    ),
    (
        "one too long",
        "it looks for runs of n + 1 stones",
        "How many stones has the run that you test?",
        [("range(-1, n + 1)", "range(-1, n + 2)")],
    ),
    (
        "longer lines left out",
        "a run counts only if no stone of the same color stands next to it",
        "Does a line of three hold pairs?",
        [(_ENDS, "0 in (before, behind) and run[0] not in (before, behind)")],
    ),
    (
        "my runs only",
        "only the runs of the player to move are counted",
        "Is a position good in which you have two runs and the opponent has five?",
        [("run[0] != 0", "run[0] == me")],
    ),
    (
        "gaps allowed",
        "it counts places that hold stones of one player and free cells: those are chances, not runs",
        "Are the stones of a run neighbors?",
        [("run[0] != 0 and len(set(run)) == 1", "any(run) and not {1, -1} <= set(run)"), ("difference += run[0] * me", "difference += (1 if 1 in run else -1) * me")],
    ),
):  # fmt: skip
    wrong("heuristic", _name_, _sentence, _question, *_replaces)
