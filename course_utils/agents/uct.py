"""An agent that needs no network: tree search with rollouts."""

import math
from collections.abc import Callable

import numpy as np

from course_utils.agents.search import find_below
from course_utils.games import Game
from course_utils.limits import number, whole
from course_utils.search.uct import ChildScore, UctNode, child_visits, final_action, uct_search


class UctAgent:
    """Plays by rollouts. Its moves depend on chance: `rng` makes them repeatable.

    Args:
        simulations: how many a move; a tree kept from the last move does not count towards them.
        seconds: stop earlier, when this much time has gone by.
        score, expand: the selection policy and the way to expand; see `uct_search`.
        rule: the final-move policy; see `final_action`. "max-robust" searches on until it finds its child, up to four
            times `simulations`; then the most visited is played.
        keep_tree: begin each search with what the last one found out about the position reached.
        search: another search with the arguments of `uct_search`, to try one out.
    """

    def __init__(
        self,
        game: Game,
        simulations: int,
        rng: np.random.Generator,
        *,
        seconds: float = math.inf,
        score: ChildScore | None = None,
        expand: Callable | None = None,
        rule: str = "robust",
        keep_tree: bool = True,
        search: Callable | None = None,
    ):
        self.game, self.simulations, self.rng = game, whole("simulations", simulations, 1), rng
        self.limits: dict = {"seconds": number("seconds", seconds, endless=True), "score": score, "expand": expand}
        self.rule, self.keep_tree, self.search = rule, keep_tree, search
        self.root: UctNode | None = None  # the tree of the last search

    def act(self, state) -> int:
        """The action to play. Raises ValueError if the game is over."""
        root = self._think(state)
        for _ in range(3):
            action = final_action(root, self.rule)
            if action is not None:
                return int(action)
            self._search(root)
        return max(root.children, key=lambda action: root.children[action].N)

    def policy(self, state) -> np.ndarray:
        """[num_actions]: the share of visits. A position that it has just searched is not searched again."""
        visits = child_visits(self._think(state), self.game)
        return visits / visits.sum()

    def value(self, state) -> float:
        """From -1 to 1, for the player to move at `state`: the mean result of the simulations."""
        return -self._think(state).Q  # the root's W is for the player who moved into it

    def statistics(self, state) -> dict[str, np.ndarray]:
        """What the search counted at `state`: `visits` [num_actions], and `Q` for the player to move, NaN where
        nothing was tried.
        """
        children = self._think(state).children
        Q = np.full(self.game.num_actions, np.nan)
        for action, child in children.items():
            Q[action] = child.Q
        return {"visits": child_visits(self._think(state), self.game), "Q": Q}

    def at_strength(self, simulations: int) -> "UctAgent":
        """Another agent like this one, with so many simulations and the same generator."""
        limits = self.limits
        return UctAgent(
            self.game, simulations, self.rng, seconds=limits["seconds"], score=limits["score"], expand=limits["expand"],
            rule=self.rule, keep_tree=self.keep_tree, search=self.search,
        )  # fmt: skip

    def _think(self, state) -> UctNode:
        """The root of a searched tree, which is kept."""
        if self.root is not None and self.root.state == state:
            return self.root
        self.root = (self.known(state) if self.keep_tree else None) or UctNode(self.game, state)
        self.root.parent = None  # what lies above is history
        self._search(self.root)
        return self.root

    def _search(self, root: UctNode) -> None:
        search = self.search or uct_search
        search(self.game, root, self.simulations, self.rng, **self.limits)

    def known(self, state) -> UctNode | None:
        """The node of `state` in the last tree, if it lies at most two moves (ours and the reply) below its root."""
        return find_below(self.root, state)
