"""Which moves of a game were mistakes, and who says so."""

from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

from course_utils.games import Game
from course_utils.learning.exam import load_positions
from course_utils.ui.players import at_strength, has_strength, is_small

TIMES = 10  # as strong as the board's agents is the search that analyzes them
LEAST = 100  # simulations of it, however weak they are
SERIOUS = 0.5  # of value, which a search must see lost


@dataclass(frozen=True)
class Verdict:
    """What is wrong with a move: a mark ("?" or "??"; "" for nothing) and the words."""

    mark: str = ""
    words: str = ""


NOTHING_WRONG = Verdict()
ENDS = {1: "a win", 0: "a draw", -1: "a loss"}


class Analysis:
    """Says which moves were mistakes: exactly on a small game and where a perfect solver's answers are stored,
    elsewhere by a stronger search.

    `plies(state)` is what perfect play says of each move: 5, the player to move wins with the fifth move from here; -4,
    loses with the fourth; 0, a draw.

    Args:
        agent: whose search is made `TIMES` as strong; None, or one without a strength: only exact verdicts.
        simulations: how strong it is now; None: as it is.
    """

    def __init__(self, game: Game, agent, simulations: int | None):
        self.game = game
        self.exact, self.solved = is_small(game), game.name == "connect_four"
        self._known: dict = {}  # of a small game: state -> (+1, 0 or -1 for the player to move, plies to the end)
        self.simulations = max(
            LEAST, TIMES * (getattr(agent, "simulations", 0) if simulations is None else simulations)
        )
        self.search: Any = at_strength(agent, self.simulations) if has_strength(agent) else None

    @property
    def knows(self) -> bool:
        """Whether there are exact verdicts, at least of some positions."""
        return self.exact or self.solved

    @property
    def who(self) -> str:
        """By whom, in words."""
        if self.exact:
            return "by perfect play"
        solved = ["perfect play"] if self.solved else []
        searched = [f"{self.simulations:,} simulations"] if self.search else []
        return "by " + (", else ".join(solved + searched) or "nobody")

    def verdict(self, before, action: int, after) -> Verdict:
        """Of one move, from `before` to `after`."""
        if plies := self.plies(before):
            return self._exactly({player: int(np.sign(count)) for player, count in plies.items()}, action)
        return self._by_search(before, action, after) if self.search is not None else NOTHING_WRONG

    def plies(self, state) -> dict[int, int]:
        """Action -> in how many plies the game is won (+) or lost (-), or 0 for a draw; {} where that is not known."""
        if self.solved:
            return solved_connect_four().get(state, {})
        if not self.exact:
            return {}
        ends = {action: self._end(self.game.play(state, action)) for action in self.game.legal_actions(state)}
        return {action: -value * (plies + 1) for action, (value, plies) in ends.items()}

    def _end(self, state) -> tuple[int, int]:
        """Who wins soon wins fast, and who loses loses late."""
        if state not in self._known:
            if self.game.is_terminal(state):
                end = int(self.game.winner(state) * self.game.to_play(state)), 0
            else:
                replies = (self._end(self.game.play(state, action)) for action in self.game.legal_actions(state))
                outcomes = [(-value, plies + 1) for value, plies in replies]
                end = max(outcomes, key=lambda outcome: (outcome[0], -outcome[0] * outcome[1]))
            self._known[state] = end
        return self._known[state]

    def statistics(self, state) -> dict[str, np.ndarray]:
        """`perfect`: the same as [num_actions], NaN where it is not known; as an agent says what it knows."""
        perfect = np.full(self.game.num_actions, np.nan)
        for action, plies in self.plies(state).items():
            perfect[action] = plies
        return {"perfect": perfect}

    def _exactly(self, scores: dict[int, int], action: int) -> Verdict:
        best = max(scores.values())
        lost = best - scores[action]
        if lost == 0:
            return NOTHING_WRONG
        better = self.game.action_name(next(candidate for candidate, score in scores.items() if score == best))
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
        words = f"a mistake: from {best:+.2f} to {got:+.2f} for the player who made it; {name} is better".replace(
            "-", "−"
        )
        return Verdict("??" if lost > 2 * SERIOUS else "?", words)


@cache
def solved_connect_four() -> dict:
    """State of Connect Four -> `Analysis.plies`, by a perfect solver; mirror images, too."""
    moves = {}
    for position in load_positions():
        state: Any = position.state
        plies = {a: in_plies(int(score), position.ply) for a, score in enumerate(position.scores) if score == score}
        moves[state] = plies
        mirrored = {len(state.columns) - 1 - a: count for a, count in sorted(plies.items(), reverse=True)}
        moves[state._replace(columns=state.columns[::-1])] = mirrored
    return moves


def in_plies(score: int, ply: int) -> int:
    """The solver scores a win by the stones that the winner has left: 1, with the last of 21."""
    if score == 0:
        return 0
    winners = ply // 2 if score > 0 else (ply + 1) // 2  # stones that are there
    moves = 22 - abs(score) - winners
    return 2 * moves - 1 if score > 0 else -2 * moves
