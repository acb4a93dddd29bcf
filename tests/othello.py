"""Othello on a small board, a game from outside that the package does not know."""

from itertools import product
from typing import NamedTuple

import numpy as np

from course_utils.games import Game

DIRECTIONS = [step for step in product((-1, 0, 1), repeat=2) if step != (0, 0)]


class OthelloState(NamedTuple):
    cells: tuple[tuple[int, ...], ...]  # row by row: +1 (X), -1 (O), 0
    to_play: int = 1

    def __str__(self) -> str:
        return "\n".join(" ".join(".XO"[cell] for cell in row) for row in self.cells)


def turned(state: OthelloState, row: int, column: int) -> list[tuple[int, int]]:
    """The cells whose stones a stone of the player to move would turn over here; [] if it may not be put here."""
    stones = []
    if state.cells[row][column] == 0:
        size = len(state.cells)
        for down, right in DIRECTIONS:
            run, r, c = [], row + down, column + right
            while 0 <= r < size and 0 <= c < size and state.cells[r][c] == -state.to_play:
                run.append((r, c))
                r, c = r + down, c + right
            if 0 <= r < size and 0 <= c < size and state.cells[r][c] == state.to_play:
                stones += run
    return stones


class Othello(Game[OthelloState]):
    """An action is a cell, row by row; the last one passes, and is legal only for a player who can do nothing else."""

    training = dict(lockstep=True, promotion="average", iterations=3, games=6, simulations=6, steps=20, batch=64)

    def __init__(self, size: int = 6):
        self.name = "othello" if size == 6 else f"othello_{size}"
        self.rows = self.columns = size
        self.planes, self.num_actions = 2, size * size + 1
        self.nothing = size * size  # the action that passes

    def initial_state(self) -> OthelloState:
        cells = np.zeros((self.rows, self.columns), dtype=int)
        middle = self.rows // 2
        cells[middle - 1 : middle + 1, middle - 1 : middle + 1] = [[-1, 1], [1, -1]]
        return OthelloState(tuple(map(tuple, cells.tolist())))

    def stones_go(self, state: OthelloState) -> list[int]:
        return [action for action in range(self.nothing) if turned(state, *divmod(action, self.columns))]

    def legal_actions(self, state: OthelloState) -> list[int]:
        if actions := self.stones_go(state):
            return actions
        return [self.nothing] if self.stones_go(state._replace(to_play=-state.to_play)) else []

    def play(self, state: OthelloState, action: int) -> OthelloState:
        if action not in (legal := self.legal_actions(state)):
            raise ValueError(f"action {action} is not legal here; legal: {legal or 'none, the game is over'}")
        cells = [list(row) for row in state.cells]
        if action != self.nothing:
            row, column = divmod(action, self.columns)
            for r, c in [(row, column), *turned(state, row, column)]:
                cells[r][c] = state.to_play
        return OthelloState(tuple(map(tuple, cells)), -state.to_play)

    def to_play(self, state: OthelloState) -> int:
        return state.to_play

    def is_terminal(self, state: OthelloState) -> bool:
        return not self.legal_actions(state)

    def winner(self, state: OthelloState) -> int:
        return int(np.sign(np.sum(state.cells))) if self.is_terminal(state) else 0

    def encode(self, state: OthelloState) -> np.ndarray:
        cells = self.cells(state)
        return np.stack([cells == state.to_play, cells == -state.to_play]).astype(np.float32)

    def symmetries(self, planes: np.ndarray, policy: np.ndarray) -> list[tuple[np.ndarray, np.ndarray]]:
        pairs, board = [], policy[:-1].reshape(1, self.rows, self.columns)
        for turns, step in product(range(4), (1, -1)):
            places, moves = (np.rot90(form[:, ::step], turns, axes=(1, 2)) for form in (planes, board))
            pairs.append((places.copy(), np.append(moves, policy[-1])))
        return pairs

    def cells(self, state: OthelloState) -> np.ndarray:
        return np.array(state.cells, dtype=np.int8)

    def action_at(self, row: int, column: int) -> int:
        return row * self.columns + column

    def action_name(self, action: int) -> str:
        return "pass" if action == self.nothing else f"cell {action}"

    def why_illegal(self, state: OthelloState, action: int) -> str:
        if self.legal_actions(state) == [self.nothing]:
            return "You can turn no stone over: pass."
        if action == self.nothing:
            return "You can't pass: there is a stone to be turned over."
        return f"Cell {action} turns no stone over: choose another."
