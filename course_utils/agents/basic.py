"""Agents that need no learning: yardsticks."""

import numpy as np

from course_utils.games import Game
from course_utils.search.minimax import solve


class RandomAgent:
    """Any legal action, all equally likely."""

    def __init__(self, game: Game, rng: np.random.Generator):
        self.game, self.rng = game, rng

    def act(self, state) -> int:
        return int(self.rng.choice(self.game.legal_actions(state)))


class MinimaxAgent:
    """Perfect play, for games small enough to enumerate.

    Among equally good actions the lowest, or with `rng` any of them.
    """

    def __init__(self, game: Game, rng: np.random.Generator | None = None):
        self.game, self.rng = game, rng
        self.values: dict = {}

    def value(self, state) -> float:
        """The game-theoretic value, from the point of view of the player to move."""
        return float(solve(self.game, state, self.values)[state])

    def best_actions(self, state) -> list[int]:
        """Every action that keeps the value of `state`."""
        legal = self.game.legal_actions(state)
        return [action for action in legal if -self.value(self.game.play(state, action)) == self.value(state)]

    def policy(self, state) -> np.ndarray:
        """[num_actions]: even over `best_actions`."""
        best = self.best_actions(state)
        policy = np.zeros(self.game.num_actions)
        policy[best] = 1 / len(best)
        return policy

    def statistics(self, state) -> dict[str, np.ndarray]:
        """`Q` [num_actions]: the value of each action for the player to move, NaN where it is not legal."""
        Q = np.full(self.game.num_actions, np.nan)
        for action in self.game.legal_actions(state):
            Q[action] = -self.value(self.game.play(state, action))
        return {"Q": Q}

    def act(self, state) -> int:
        best = self.best_actions(state)
        return best[0] if self.rng is None else int(self.rng.choice(best))
