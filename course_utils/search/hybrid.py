"""Rollout search with parts exchanged: a value in place of the rollout, a prior that says where to look, or both.

`uct_search` leaves open how to select and how to expand; `search_by_value` leaves open the value of a leaf, too, which
`leaf_value` takes from a judge, a rollout or both. `NetworkGuide` has a method for each of the three. AlphaGo searched
by a prior and the mean of value and rollout (Silver et al. 2016); the search of the notebook 'PUCT search' uses prior
and value.
"""

import math
import time
from collections.abc import Callable

import numpy as np

from course_utils.exercise import exercise
from course_utils.games import Game
from course_utils.networks import Network, masked_policy
from course_utils.search.uct import (
    UctNode,
    child_visits,
    expand_all,
    rollout,
    uct_backup,
    uct_expand,
    uct_score,
    uct_select,
)


def search_by_value(
    game: Game,
    root: UctNode,
    simulations: int,
    rng: np.random.Generator,
    *,
    evaluate: Callable,
    seconds: float = math.inf,
    score: Callable | None = None,
    expand: Callable | None = None,
) -> np.ndarray:
    """`uct_search` with `evaluate` (game, state, rng) -> value in place of `rollout`: arguments and visits as there.

    For an agent: `UctAgent(game, 100, rng, search=partial(search_by_value, evaluate=...))`.
    """
    if root.is_terminal:
        raise ValueError("the game is over at this state: there is nothing to search for")
    deadline = time.perf_counter() + seconds
    for _ in range(simulations):
        node = uct_select(root, score or uct_score)
        if not node.is_terminal:
            node = (expand or uct_expand)(node, game, rng)
        uct_backup(node, evaluate(game, node.state, rng))
        if time.perf_counter() >= deadline:
            break
    return child_visits(root, game)


@exercise("13")
def leaf_value(
    game: Game,
    state,
    rng: np.random.Generator,
    judge: Callable,
    rollout_share: float,
) -> float:
    """What a leaf is worth to the player to move there: by a judge, by a rollout, or by both.

    judge: (game, state) -> value for the player to move at `state`.
    rollout_share: how much the rollout counts. 0: the judge alone. 1: the rollout alone. In
        between: (1 - rollout_share) * the judge's value + rollout_share * the rollout's.
    A finished game is worth its result; no judge is asked.
    What counts nothing is left out: it would only take time.
    """
    if game.is_terminal(state):
        return float(game.winner(state) * game.to_play(state))
    value = 0.0
    if rollout_share < 1:
        value += (1 - rollout_share) * judge(game, state)
    if rollout_share > 0:
        value += rollout_share * rollout(game, state, rng)
    return value


class NetworkGuide:
    """A network's answers as the functions that `uct_search` and `search_by_value` take.

    The network evaluates each position once.
    """

    def __init__(self, network: Network, c_puct: float):
        self.network, self.c_puct = network, c_puct
        self.cache: dict = {}  # state -> (value, prior)

    def look(self, game: Game, state) -> tuple[float, np.ndarray]:
        """Evaluate a state whose game is not over. Returns (value for the player to move, prior [num_actions])."""
        if state not in self.cache:
            value, logits = self.network(game.encode(state)[None])
            legal = np.zeros(game.num_actions, dtype=bool)
            legal[game.legal_actions(state)] = True
            self.cache[state] = float(value[0]), masked_policy(logits[0], legal)
        return self.cache[state]

    def value(self, game: Game, state) -> float:
        """The judge for `leaf_value`: the network's value of a state whose game is not over."""
        return self.look(game, state)[0]

    def expand(self, node: UctNode, game: Game, rng: np.random.Generator) -> UctNode:
        """For `expand`, with `score`: make all children at once, unvisited.

        The node that is evaluated and counted next is `node` itself.
        """
        self.look(game, node.state)
        expand_all(node, game, rng)
        return node

    def score(self, child: UctNode) -> float:
        """For `score`: Q + U of the notebook 'PUCT search'.

        A node's N is 1 (when it was evaluated) + the sum over its children.
        """
        node = child.parent
        _, prior = self.cache[node.state]
        return child.Q + self.c_puct * prior[child.parent_action] * math.sqrt(node.N) / (1 + child.N)
