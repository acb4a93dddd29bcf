"""Define made-up games for the checks: small enough to solve by hand, and unlike tic-tac-toe in other ways."""

from typing import Any

import numpy as np

from course_utils.games import TicTacToe
from course_utils.games.batched import LineGame
from course_utils.games.protocol import OneByOne


class TreeGame:
    """A game given as a tree, with the winner at each leaf (+1, -1 or 0). A state is its path, a tuple of actions.

    [[1, -1], 0] is a game of two actions: after 0 the opponent chooses who wins, and 1 ends in a draw. A dictionary,
    {2: 1, 5: -1}, allows gaps between actions.
    """

    def __init__(self, tree: list | dict | int, first: int = 1):
        self.tree, self.first = tree, first
        self.num_actions = _actions(tree)

    def at(self, state: tuple) -> Any:
        node: Any = self.tree
        for action in state:
            node = node[action]
        return node

    def initial_state(self) -> tuple:
        return ()

    def legal_actions(self, state: tuple) -> list[int]:
        return [action for action, _ in _below(self.at(state))]

    def play(self, state: tuple, action: int) -> tuple:
        if action not in (legal := self.legal_actions(state)):
            raise ValueError(f"action {action} is not legal here; legal: {legal}")
        return (*state, int(action))

    def to_play(self, state: tuple) -> int:
        return self.first * (-1) ** len(state)

    def is_terminal(self, state: tuple) -> bool:
        return not isinstance(self.at(state), list | dict)

    def winner(self, state: tuple) -> int:
        return self.at(state) if self.is_terminal(state) else 0


def _below(tree: Any) -> list[tuple[int, Any]]:
    """List (action, subtree)."""
    return list(enumerate(tree)) if isinstance(tree, list) else list(tree.items()) if isinstance(tree, dict) else []


def _actions(tree: Any) -> int:
    """Count the actions: one more than the highest action in the tree."""
    return max((max(action + 1, _actions(below)) for action, below in _below(tree)), default=0)


class BatchedMisere(LineGame):
    def outcome(self, states):
        over, value = super().outcome(states)
        return over, -value


class Misere(TicTacToe):
    """Tic-tac-toe in which a line loses, so the player to move may have won a finished game."""

    name = "misere"

    def winner(self, state) -> int:
        return -super().winner(state)

    def batched(self) -> LineGame:
        return BatchedMisere(self, n=3, gravity=False)


class BatchedCells(OneByOne):
    """A batched game whose states are boards.

    A state is int8 [batch, rows, columns], with +1 for the player to move and -1 for the opponent.
    """

    def from_states(self, states):
        cells = [self.game.cells(state) * self.game.to_play(state) for state in states]
        return np.array(cells, dtype=np.int8).reshape(-1, self.game.rows, self.game.columns)

    def to_states(self, states):
        sides = [1 if cells.sum() == 0 else -1 for cells in states]  # the first player has as many stones, or one more
        return [self.game.from_cells(cells * side, side) for cells, side in zip(states, sides, strict=True)]

    def play(self, states, actions):
        return super().play(self.to_states(states), actions)

    def legal(self, states):
        return super().legal(self.to_states(states))

    def outcome(self, states):
        return super().outcome(self.to_states(states))

    def encode(self, states):
        return super().encode(self.to_states(states))


class Touching(TicTacToe):
    """Tic-tac-toe in which a stone must touch another, so a move can make other moves legal."""

    name = "touching"

    def legal_actions(self, state) -> list[int]:
        stones = [divmod(cell, 3) for cell, stone in enumerate(state.cells) if stone]
        touches = lambda row, column: any(abs(row - r) <= 1 and abs(column - c) <= 1 for r, c in stones)  # noqa: E731
        free = super().legal_actions(state)
        return [cell for cell in free if touches(*divmod(cell, 3))] if stones else free

    def batched(self) -> Any:
        return BatchedCells(self)
