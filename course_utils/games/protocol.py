"""What search, learning, agents and the board ask of a game, and nothing more."""

from collections.abc import Hashable
from typing import Protocol

import numpy as np


class Game(Protocol):
    """A two-player, zero-sum, deterministic, finite game of perfect information.

    The first player is +1, the second -1. States are immutable and hashable, `str(state)` draws the board.
    """

    name: str
    rows: int
    columns: int
    num_actions: int
    planes: int  # how many [rows, columns] planes `encode` returns

    def initial_state(self) -> Hashable: ...

    def legal_actions(self, state) -> list[int]:
        """Ascending; [] when the game is over."""

    def play(self, state, action: int):
        """A new state. Raises ValueError, which says what was legal, for any other action."""

    def to_play(self, state) -> int:
        """+1 or -1."""

    def is_terminal(self, state) -> bool: ...

    def winner(self, state) -> int:
        """+1, -1, or 0 for a draw and for a game that is not over."""

    def encode(self, state) -> np.ndarray:
        """float32 [planes, rows, columns], from the point of view of the player to move."""

    def cells(self, state) -> np.ndarray:
        """int8 [rows, columns] of +1, -1, 0: what a board draws."""

    def action_at(self, row: int, column: int) -> int:
        """The action that a click on this cell means."""

    def symmetries(self, planes: np.ndarray, policy: np.ndarray) -> list[tuple[np.ndarray, np.ndarray]]:
        """Every equivalent (planes, policy), the given one among them; in any order."""


def after(game: Game, actions: list[int]):
    """The state reached from the start by `actions`, which is how positions travel: `[4, 0, 8]`."""
    state = game.initial_state()
    for action in actions:
        state = game.play(state, action)
    return state
