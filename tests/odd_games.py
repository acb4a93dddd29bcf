"""Games that are none: each breaks what every game promises, in a way of its own."""

from typing import NamedTuple

import numpy as np

from course_utils.games import Game, TicTacToe


class Row(NamedTuple):
    cells: tuple = (0,) * 6
    player: int = 1
    ply: int = 0

    def __str__(self):
        return "".join(".XO"[cell] for cell in self.cells)


class Chain(Game[Row]):
    """Six cells in a row; X moves twice, then O twice."""

    name, rows, columns, num_actions, planes = "chain", 1, 6, 6, 2

    def initial_state(self):
        return Row()

    def legal_actions(self, state):
        return [cell for cell in range(6) if state.cells[cell] == 0]

    def play(self, state, action):
        if action not in self.legal_actions(state):
            raise ValueError(f"legal: {self.legal_actions(state)}")
        cells = tuple(state.player if cell == action else old for cell, old in enumerate(state.cells))
        return Row(cells, 1 if (state.ply + 1) // 2 % 2 == 0 else -1, state.ply + 1)

    def to_play(self, state):
        return state.player

    def winner(self, state):
        return 0

    def is_terminal(self, state):
        return all(state.cells)

    def encode(self, state):
        cells = self.cells(state)
        return np.stack([cells == state.player, cells == -state.player]).astype(np.float32)

    def cells(self, state):
        return np.array(state.cells, dtype=np.int8).reshape(1, 6)

    def action_at(self, row, column):
        return column


class Endless(Chain):
    """When the row is full, all stones are taken off."""

    name = "endless"

    def play(self, state, action):
        after = super().play(state, action)
        return Row((0,) * 6 if all(after.cells) else after.cells, -state.player)

    def is_terminal(self, state):
        return False


class Faulty(TicTacToe):
    name = "faulty"

    def encode(self, state):
        return 1 / 0


class Unfinished(Game[Row]):
    """A game that is only begun."""

    name = "unfinished"


class Silent(TicTacToe):
    """Thinks about its first board for ever."""

    name = "silent"

    def encode(self, state):
        while True:
            pass
