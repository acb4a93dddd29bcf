"""Agents from before the learning age: they look ahead, or just look."""

from collections.abc import Callable

import numpy as np

from course_utils.games import Game
from course_utils.limits import whole
from course_utils.search.minimax import best_action, center_first


class AlphaBetaAgent:
    """Alpha-beta to a fixed depth, the middle first. Deterministic: ties go to the first action tried.

    Args:
        depth: how many moves it looks ahead; None: to the end.
        heuristic: a function (game, state) -> value for the player to move, where the depth runs out; None: such
            positions count 0.
    """

    def __init__(
        self, game: Game, depth: int | None, heuristic: Callable | None = None, order: Callable = center_first
    ):
        self.game, self.heuristic, self.order = game, heuristic, order
        self.depth = None if depth is None else whole("depth", depth, 1)

    def act(self, state) -> int:
        return best_action(self.game, state, depth=self.depth, heuristic=self.heuristic, order=self.order)


class GreedyAgent:
    """Wins at once if it can; else stops the opponent from winning at once; else plays at random."""

    def __init__(self, game: Game, rng: np.random.Generator):
        self.game, self.rng = game, rng

    def act(self, state) -> int:
        game, me = self.game, self.game.to_play(state)
        replies = {action: game.play(state, action) for action in game.legal_actions(state)}
        wins = [action for action, after in replies.items() if game.winner(after) == me]
        safe = [action for action, after in replies.items() if not self._can_win(after)]
        return int(self.rng.choice(wins or safe or list(replies)))

    def _can_win(self, state) -> bool:
        """Whether the player to move can win with the next move."""
        game, player = self.game, self.game.to_play(state)
        return any(game.winner(game.play(state, action)) == player for action in game.legal_actions(state))
