"""Build positions, and facts about them, from the rules alone, without the code that is checked."""

import random
from collections.abc import Callable
from functools import cache
from itertools import product
from typing import Any

import numpy as np

from course_utils.games.tictactoe import State

# --- any game ---------------------------------------------------------------------------------------------------------


def drawing(state: Any) -> str:
    """Draw the board, and say whose turn it is."""
    return f"{state}\n{'X' if state.to_play == 1 else 'O'} to move"


def random_line(game, plies: int, seed: int) -> list[int]:
    """List the moves of a random game of `plies` moves; fewer if it is over before."""
    chance, state = random.Random(seed), game.initial_state()
    moves: list[int] = []
    while len(moves) < plies and not game.is_terminal(state):
        moves.append(chance.choice(game.legal_actions(state)))
        state = game.play(state, moves[-1])
    return moves


@cache
def windows(rows: int, columns: int, n: int) -> list[list[tuple[int, int]]]:
    """List every place for a line: n cells (row, column) across, down, or along a diagonal. Connect Four has 69."""
    lines = []
    for row, column in product(range(rows), range(columns)):
        for end_row, end_column in ((row, column + n - 1), (row + n - 1, column)):
            if end_row < rows and end_column < columns:
                steps = max(n - 1, 1)
                down, right = (end_row - row) // steps, (end_column - column) // steps
                lines.append([(row + k * down, column + k * right) for k in range(n)])
        if row + n <= rows and column + n <= columns:
            lines.append([(row + k, column + k) for k in range(n)])
            lines.append([(row + k, column + n - 1 - k) for k in range(n)])
    return lines


def a_state(kind: Any) -> Callable[[Any], str]:
    """Return a check that a result is a state of this kind, or has its fields, with tuples and ints in them."""

    def plain(value: Any) -> bool:
        return isinstance(value, int | np.integer) or (type(value) is tuple and all(map(plain, value)))

    def complaint(result: Any) -> str:
        if getattr(result, "_fields", ()) != kind._fields:
            return f"expected a {kind.__name__}, got {result!r} of type {type(result).__name__}"
        for field, value in zip(kind._fields, result, strict=True):
            if not plain(value):
                of_entry = "a tuple" if hasattr(value, "__len__") else "a whole number"
                wanted = "whole numbers" if type(value) is tuple else of_entry
                return f"expected {wanted} in `{field}`, got {value!r} of type {type(value).__name__}"
        return ""

    return complaint


# --- tic-tac-toe ------------------------------------------------------------------------------------------------------


def has_line(cells, player: int) -> bool:
    """Check for three of `player` in a row, from any cell in any direction."""
    grid = {(i // 3, i % 3): cell for i, cell in enumerate(cells)}
    return any(
        all(grid.get((row + step * down, column + step * right)) == player for step in range(3))
        for row, column in grid
        for down, right in ((0, 1), (1, 0), (1, 1), (1, -1))
    )


@cache
def reachable() -> list[State]:
    """List all 5,478 positions that a game can reach, those with few marks first."""
    level, positions = [State()], []
    while level:
        positions += level
        going_on = [state for state in level if not has_line(state.cells, -state.to_play)]
        level = list(
            dict.fromkeys(put(state, cell) for state in going_on for cell in range(9) if not state.cells[cell])
        )
    return positions


def put(state: State, cell: int) -> State:
    """Put a mark of the player to move on a free cell."""
    return State(state.cells[:cell] + (state.to_play,) + state.cells[cell + 1 :], -state.to_play)
