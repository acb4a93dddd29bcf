"""A network, and Gumbel search on top of it: for few simulations."""

import numpy as np

from course_utils.agents.search import SearchAgent
from course_utils.games import Game
from course_utils.networks import Network
from course_utils.search.gumbel import gumbel_search


class GumbelAgent(SearchAgent):
    """Plays what `gumbel_search` chooses. Deterministic: no Gumbel draws, ties to the lowest action.

    Its policy is the improved one. What that likes best need not be what is played, which was tried as often as any.
    """

    def __init__(self, game: Game, network: Network, simulations: int):
        super().__init__(game, network, simulations)

    def act(self, state) -> int:
        self._think(state)
        return self._action

    def _search(self, state) -> tuple[np.ndarray, float, dict[str, np.ndarray]]:
        if self.simulations == 0:
            result = super()._search(state)
            self._action = int(np.argmax(result[0]))
            return result
        self._action, policy, root = gumbel_search(self.game, state, self.network, self.simulations)
        thoughts = {"prior": root.P, "visits": root.N, "Q": np.where(root.N > 0, root.Q, np.nan)}
        return policy, float(root.Q[self._action]), thoughts
