"""The agent that this course builds: a network, and PUCT search on top of it."""

import copy
import math
from typing import Any

import numpy as np

from course_utils.games import Game
from course_utils.limits import number, whole
from course_utils.networks import Network, masked_policy, settings_of
from course_utils.networks.board_size import check_board
from course_utils.search.proven import search_until_proven, visits_that_count
from course_utils.search.puct import Node, keep_subtree, mcts_search, refuse_nan, search_on


class SearchAgent:
    """Plays the most visited action of a search. Deterministic: no noise, greedy, ties to the lowest action.

    Args:
        simulations: how many a move, which is the strength; 0 plays by the network alone.
        c_puct: None: as the network's own settings say.
        seconds: stop a search earlier, when this much time has gone by, but not before its first simulation. (Then
            the clock decides, too.)
        keep_tree: begin each search with what the last one found out about the position reached; `simulations` come
            on top. A move then depends on what was searched before it, too, so `count_lines` proves nothing of such
            an agent.
        prove: mark what is proven in the tree, stop when the position is, and play by it (the notebook "A search that
            knows").

    Raises ValueError: the network is made for another game's board, or a number is none that a search can use.
    """

    def __init__(
        self,
        game: Game,
        network: Network,
        simulations: int,
        c_puct: float | None = None,
        *,
        seconds: float = math.inf,
        keep_tree: bool = False,
        prove: bool = False,
    ):
        check_board(network, game)
        self.game, self.network, self.simulations = game, network, whole("simulations", simulations)
        self.c_puct = settings_of(network).c_puct if c_puct is None else number("c_puct", c_puct)
        self.seconds, self.keep_tree, self.prove = number("seconds", seconds, endless=True), keep_tree, prove
        self._latest: tuple | None = (
            None  # (state, policy, value, statistics): what is asked of one state searches once
        )
        self._root: Node | None = None  # the tree of the last search

    def act(self, state) -> int:
        return int(np.argmax(self.policy(state)))

    def policy(self, state) -> np.ndarray:
        """[num_actions]: the share of visits; with 0 simulations the network's own.

        Raises ValueError if the game is over.
        """
        return self._think(state)[0]

    def value(self, state) -> float:
        """From -1 to 1, for the player to move at `state`: what is proven, else the search's mean value; with 0
        simulations the network's.
        """
        return self._think(state)[1]

    def statistics(self, state) -> dict[str, np.ndarray]:
        """What the search knows about each action at `state`: `prior`, `visits` and `Q`, each [num_actions]; of 0
        simulations only `prior`.

        Q is for the player to move, NaN where nothing was tried.
        """
        return self._think(state)[2]

    def at_strength(self, simulations: int) -> "SearchAgent":
        """A copy of this agent with another number of simulations and an empty tree."""
        agent = copy.copy(self)
        agent.simulations, agent._latest = whole("simulations", simulations), None
        return agent

    def __getstate__(self) -> dict:
        # a copy starts a new tree, since two searches in one tree would break it
        return {**self.__dict__, "_root": None}

    def _think(self, state) -> tuple[np.ndarray, float, dict[str, np.ndarray]]:
        latest = self._latest
        if latest is None or latest[0] != state:
            latest = self._latest = (state, *self._search(state))
        return latest[1], latest[2], latest[3]

    def _search(self, state) -> tuple[np.ndarray, float, dict[str, np.ndarray]]:
        game = self.game
        if self.simulations > 0:
            root = self._tree(state)
            thoughts = {"prior": root.P, "visits": root.N.copy(), "Q": np.where(root.N > 0, root.Q, np.nan)}
            visits = visits_that_count(root) if self.prove else root.N
            value = root.terminal_value if root.is_terminal else root.W.sum() / root.N.sum()
            return visits / visits.sum(), float(value), thoughts
        legal = np.zeros(game.num_actions, dtype=bool)
        legal[game.legal_actions(state)] = True
        if not legal.any():
            raise ValueError("the game is over at this state: there is nothing to play")
        value, logits = self.network(game.encode(state)[None])
        prior = masked_policy(logits[0], legal)
        return prior, float(value[0]), {"prior": prior}

    def _tree(self, state) -> Node:
        """The root of a searched tree."""
        node = find_below(self._root, state) if self.keep_tree else None
        root = keep_subtree(node.parent, node.parent_action, self.network, self.game) if node else None
        self._root = None  # until the search is over, because an error leaves an incomplete tree
        remaining = self.simulations
        if root is None or self.game.is_terminal(state):
            at_once = remaining if self.seconds == math.inf and not self.prove else 0
            _, root = mcts_search(self.game, state, self.network, at_once, self.c_puct, return_root=True)
            remaining -= at_once
        go_on = search_until_proven if self.prove else search_on
        go_on(root, self.network, self.game, remaining, self.c_puct, self.seconds)
        refuse_nan(root)
        self._root = root if self.keep_tree else None
        return root


def find_below(root: Any, state) -> Any:
    """The node of `state` at most two moves (ours and the reply) below `root`, a node of either search or None; None
    if there is none.
    """
    level = [root] if root else []
    for _ in range(2):
        level = [child for node in level for child in node.children.values()]
        for node in level:
            if node.state == state:
                return node
    return None
