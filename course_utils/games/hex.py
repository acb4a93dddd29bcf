"""Hex, a game that the course does not play: the notebook 'Another game' adds it in sixty lines.

Piet Hein 1942, John Nash 1948.

Not registered by name: `make_game("course_utils.games.hex:Hex")`, and so `make train GAME=course_utils.games.hex:Hex`.
"""

from typing import NamedTuple

import numpy as np

from course_utils.exercise import exercise
from course_utils.games.protocol import Game


class HexState(NamedTuple):
    """A position, and who has won it. Each row is set half a cell to the right, so that a cell touches six others."""

    cells: tuple[tuple[int, ...], ...]  # row by row: +1 (X), -1 (O), 0
    to_play: int = 1
    winner: int = 0

    def __str__(self) -> str:
        return "\n".join(" " * row + " ".join(".XO"[cell] for cell in cells) for row, cells in enumerate(self.cells))


@exercise("33")
def hex_winner(cells: np.ndarray) -> int:
    """Find the player who has connected their two sides: X top and bottom, O left and right.

    Their cells must form a chain, each touching the next. Cell (r, c) touches (r, c - 1),
    (r, c + 1), (r - 1, c), (r - 1, c + 1), (r + 1, c) and (r + 1, c - 1).
    cells: int8 [n, n] of +1 (X), -1 (O) and 0 (free).
    Returns +1, -1, or 0 if neither has.
    """
    for player, board in ((1, cells), (-1, cells.T)):  # turned over, O's sides are the top and the bottom, too
        n = len(board)
        waiting = [(0, column) for column in range(n) if board[0, column] == player]
        reached = set(waiting)
        while waiting:
            row, column = waiting.pop()
            if row == n - 1:
                return player
            for down, right in ((0, -1), (0, 1), (-1, 0), (-1, 1), (1, 0), (1, -1)):
                cell = r, c = row + down, column + right
                if 0 <= r < n and 0 <= c < n and board[cell] == player and cell not in reached:
                    reached.add(cell)
                    waiting.append(cell)
    return 0


class Hex(Game[HexState]):
    """Hex: an action is a cell, counted row by row. Players can't pass, and no game is a draw."""

    hexagonal = True
    # for some seconds, in lock step without a gate; half of the games begin with random moves
    training = dict(lockstep=True, promotion="average", iterations=6, games=48, simulations=48, steps=80, average=0.9,
                    noise_fraction=0.25, exploratory_plies=8, opening_share=0.5, opening_plies=4, root_share=0.5)  # fmt: skip

    def __init__(self, size: int = 5):
        self.name = "hex" if size == 5 else f"hex_{size}"
        self.rows = self.columns = size
        self.num_actions, self.planes = size * size, 3

    def initial_state(self) -> HexState:
        return HexState(((0,) * self.columns,) * self.rows)

    def legal_actions(self, state: HexState) -> list[int]:
        return [] if state.winner else np.flatnonzero(self.cells(state) == 0).tolist()

    def play(self, state: HexState, action: int) -> HexState:
        if action not in (legal := self.legal_actions(state)):
            raise ValueError(f"action {action} is not legal here; legal: {legal or 'none, the game is over'}")
        cells = self.cells(state)
        cells.flat[action] = state.to_play
        return HexState(tuple(map(tuple, cells.tolist())), -state.to_play, int(hex_winner(cells)))

    def to_play(self, state: HexState) -> int:
        return state.to_play

    def is_terminal(self, state: HexState) -> bool:
        return state.winner != 0

    def winner(self, state: HexState) -> int:
        return state.winner

    def encode(self, state: HexState) -> np.ndarray:
        cells = self.cells(state)
        to_connect = np.full_like(cells, state.to_play == 1)  # are my sides the top and the bottom?
        return np.stack([cells == state.to_play, cells == -state.to_play, to_connect]).astype(np.float32)

    def symmetries(self, planes: np.ndarray, policy: np.ndarray) -> list[tuple[np.ndarray, np.ndarray]]:
        return [(planes.copy(), policy.copy()), (planes[:, ::-1, ::-1].copy(), policy[::-1].copy())]

    def cells(self, state: HexState) -> np.ndarray:
        return np.array(state.cells, dtype=np.int8)

    def action_at(self, row: int, column: int) -> int:
        return row * self.columns + column
