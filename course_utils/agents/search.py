"""The agent that this course builds: a network, and PUCT search on top of it."""

import numpy as np

from course_utils.games import Game
from course_utils.networks import Network, masked_policy, settings_of
from course_utils.search.puct import mcts_search


class SearchAgent:
    """Plays the most visited action of a search. Deterministic: no noise, greedy, ties to the lowest action.

    Args:
        simulations: the strength; 0 plays by the network alone.
        c_puct: None: as the network's own settings say.
    """

    def __init__(self, game: Game, network: Network, simulations: int, c_puct: float | None = None):
        if simulations < 0:
            raise ValueError(f"simulations must be 0 or more, not {simulations}")
        self.game, self.network, self.simulations = game, network, simulations
        self.c_puct = settings_of(network).c_puct if c_puct is None else c_puct
        self._latest: tuple | None = (
            None  # (state, policy, value, statistics): what is asked of one state searches once
        )

    def act(self, state) -> int:
        return int(np.argmax(self.policy(state)))

    def policy(self, state) -> np.ndarray:
        """[num_actions]: the share of visits; with 0 simulations the network's own. Raises ValueError if the game is over."""
        return self._think(state)[0]

    def value(self, state) -> float:
        """From -1 to 1, for the player to move at `state`: the search's mean value; with 0 simulations the network's."""
        return self._think(state)[1]

    def statistics(self, state) -> dict[str, np.ndarray]:
        """What the search knows about each action at `state`: `prior`, `visits` and `Q`, each [num_actions]; of 0 simulations only `prior`.

        Q is for the player to move, NaN where nothing was tried.
        """
        return self._think(state)[2]

    def _think(self, state) -> tuple[np.ndarray, float, dict[str, np.ndarray]]:
        latest = self._latest
        if latest is None or latest[0] != state:
            latest = self._latest = (state, *self._search(state))
        return latest[1], latest[2], latest[3]

    def _search(self, state) -> tuple[np.ndarray, float, dict[str, np.ndarray]]:
        game = self.game
        if self.simulations > 0:
            visits, root = mcts_search(game, state, self.network, self.simulations, self.c_puct, return_root=True)
            known = {"prior": root.P, "visits": root.N, "Q": np.where(root.N > 0, root.Q, np.nan)}
            return visits / visits.sum(), float(root.W.sum() / root.N.sum()), known
        legal = np.zeros(game.num_actions, dtype=bool)
        legal[game.legal_actions(state)] = True
        if not legal.any():
            raise ValueError("the game is over at this state: there is nothing to play")
        value, logits = self.network(game.encode(state)[None])
        prior = masked_policy(logits[0], legal)
        return prior, float(value[0]), {"prior": prior}
