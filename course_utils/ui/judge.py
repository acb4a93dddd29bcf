"""Which moves of a game were mistakes, and who says so."""

from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

from course_utils.agents import MinimaxAgent
from course_utils.games import Game
from course_utils.learning.exam import load_positions
from course_utils.ui.players import at_strength, has_strength, is_small

TIMES = 10  # as strong as the board's agents is the search that judges them
LEAST = 100  # simulations of it, however weak they are
SERIOUS = 0.5  # of value, which a search must see lost


@dataclass(frozen=True)
class Verdict:
    """What is wrong with a move: a mark ("?" or "??"; "" for nothing) and the words."""

    mark: str = ""
    words: str = ""


NOTHING_WRONG = Verdict()
ENDS = {1: "a win", 0: "a draw", -1: "a loss"}


class Judge:
    """Judges moves: exactly on a small game and where a perfect solver's answers are recorded, elsewhere by a stronger search.

    Args:
        agent: whose search is made `TIMES` as strong; None, or one without a strength: only exact verdicts.
        simulations: how strong it is now; None: as it is.
    """

    def __init__(self, game: Game, agent, simulations: int | None):
        self.game = game
        self.exact = MinimaxAgent(game) if is_small(game) else None
        self.simulations = max(
            LEAST, TIMES * (getattr(agent, "simulations", 0) if simulations is None else simulations)
        )
        self.search: Any = at_strength(agent, self.simulations) if has_strength(agent) else None

    @property
    def who(self) -> str:
        """Who judges, in a sentence."""
        if self.exact is not None:
            return "Mistakes by perfect play."
        recorded = "recorded perfect play where there is some, else by " if self.game.name == "connect_four" else ""
        search = (
            f"a search of {self.simulations} simulations, ten times the strength or more" if self.search else "nobody"
        )
        return f"Mistakes by {recorded}{search}."

    def verdict(self, before, action: int, after) -> Verdict:
        """Of one move, from `before` to `after`."""
        scores = self._scores(before)
        if scores is not None:
            return self._exactly(scores, action)
        return self._by_search(before, action, after) if self.search is not None else NOTHING_WRONG

    def _scores(self, state) -> dict[int, int] | None:
        """Action -> +1, 0, -1 for the player to move, where that is known for certain."""
        if self.exact is not None:
            play, value = self.game.play, self.exact.value
            return {action: -int(value(play(state, action))) for action in self.game.legal_actions(state)}
        return recorded().get(state) if self.game.name == "connect_four" else None

    def _exactly(self, scores: dict[int, int], action: int) -> Verdict:
        best = max(scores.values())
        lost = best - scores[action]
        if lost == 0:
            return NOTHING_WRONG
        better = self.game.action_name(next(other for other, score in scores.items() if score == best))
        words = f"a mistake: it turns {ENDS[best]} into {ENDS[scores[action]]}; {better} keeps it"
        return Verdict("?" * lost, words)

    def _by_search(self, before, action: int, after) -> Verdict:
        game, mover = self.game, self.game.to_play(before)
        better = self.search.act(before)
        if better == action:
            return NOTHING_WRONG
        best = self.search.value(before)
        over = game.is_terminal(after)
        got = mover * game.winner(after) if over else -self.search.value(after)
        lost = best - got
        if lost < SERIOUS:
            return NOTHING_WRONG
        name = game.action_name(better)
        words = f"a mistake: from {best:+.2f} to {got:+.2f} for who made it; {name} is better".replace("-", "−")
        return Verdict("??" if lost > 2 * SERIOUS else "?", words)


@cache
def recorded() -> dict:
    """State of Connect Four -> {action: +1, 0, -1 for the player to move}, by a perfect solver; mirror images, too."""
    found = {}
    for position in load_positions():
        scores = {a: int(np.sign(score)) for a, score in enumerate(position.scores) if not np.isnan(score)}
        state: Any = position.state
        mirrored = state._replace(columns=state.columns[::-1])
        found[state] = scores
        found[mirrored] = {len(state.columns) - 1 - a: score for a, score in sorted(scores.items(), reverse=True)}
    return found
