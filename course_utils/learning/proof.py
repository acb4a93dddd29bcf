"""A game that is small enough to walk through, as arrays: a player's strength is counted, never sampled.

Tic-tac-toe has 4,520 positions at which the game goes on. A deterministic player is a move for each of them; so its
losing lines, and its chances against any opponent that plays at random in any way, come from one walk from the last
positions to the first.
"""

from functools import cache
from typing import NamedTuple

import numpy as np
from torch import nn

from course_utils.games import Game, TicTacToe
from course_utils.games.batched import make_batched
from course_utils.learning.exam import best_moves
from course_utils.networks import Network
from course_utils.networks.fast import fast_inference
from course_utils.search.batched import batched_masked_policy
from course_utils.search.minimax import solve

WON, DRAWN, LOST = range(3)


class Odds(NamedTuple):
    """The chances of a player in a game, or numbers of lines of play."""

    wins: float
    draws: float
    losses: float


class AnswerKey:
    """Every position at which the game goes on, and the positions that its moves lead to.

    A *player* is a float array [positions, actions]: how likely it plays each action; 0 where an action is illegal.

    Attributes:
        states: [positions], the start first, then by the number of moves played.
        index: state -> its place in `states`.
        to_play: int64 [positions], +1 or -1.
        values: float64 [positions], if both play perfectly, for the player to move.
        legal, optimal, winning: bool [positions, actions]: may be played; keeps the value; wins at once.
        matters: bool [positions]: some legal action loses value. These are the exam.
        kinds: name -> bool [positions]: the exam's positions where the player to move can win at once; where instead
            the opponent would win at once, so that the move must block; and the quiet ones, where neither can.
        fatal: bool [positions, actions], legal, does not end the game, and lets the opponent win at once.
        forks: bool [positions, actions], legal, does not end the game, and leaves two or more ways to win at once, were
            it one's turn again, while the opponent has none.
        child: int64 [positions, actions], the place of the position it leads to; `len(states)` and the two behind it
            mean games that the first player has won, drawn, lost.
    """

    def __init__(self, game: Game):
        self.game, self.batched = game, make_batched(game)
        values = solve(game, game.initial_state())
        going = [state for state in values if not game.is_terminal(state)]
        self.states = sorted(going, key=lambda state: np.count_nonzero(game.encode(state)))
        self.plies = np.array([np.count_nonzero(game.encode(state)) for state in self.states])
        self.index = {state: i for i, state in enumerate(self.states)}
        self.to_play = np.array([game.to_play(state) for state in self.states])
        self.values = np.array([float(values[state]) for state in self.states])
        shape = (len(self.states), game.num_actions)
        self.legal, self.optimal, self.winning = (np.zeros(shape, dtype=bool) for _ in range(3))
        self.child = np.full(shape, len(self.states) + DRAWN)
        for i, state in enumerate(self.states):
            for action in game.legal_actions(state):
                after = game.play(state, action)
                self.legal[i, action] = True
                self.optimal[i, action] = -values[after] == values[state]
                self.winning[i, action] = game.winner(after) == self.to_play[i]
                self.child[i, action] = self.index.get(after, len(self.states) + 1 - game.winner(after))
        self.matters: np.ndarray = np.any(self.legal & ~self.optimal, axis=1)
        goes_on = self.legal & (self.child < len(self.states))
        reply = np.where(goes_on, self.child, 0)
        self.fatal = goes_on & np.any(self.winning, axis=1)[reply]
        threats = self._threats()
        self.forks = goes_on & ~self.fatal & (threats[reply] >= 2)
        wins = np.any(self.winning, axis=1)
        kinds = {"win at once": wins, "block at once": ~wins & (threats > 0), "quiet": ~wins & (threats == 0)}
        self.kinds = {name: self.matters & kind for name, kind in kinds.items()}
        self.batch = self.batched.from_states(self.states)

    def _threats(self) -> np.ndarray:
        """int64 [positions]: how many free cells would win for the player who has just moved."""
        game, threats = self.game, np.zeros(len(self.states), dtype=np.int64)
        for i, state in enumerate(self.states):
            turned = state._replace(to_play=-state.to_play)  # as if the other passed
            threats[i] = sum(
                game.winner(game.play(turned, action)) == turned.to_play for action in game.legal_actions(state)
            )
        return threats

    # --- players

    def plays(self, moves: np.ndarray) -> np.ndarray:
        """The player who makes these moves, int64 [positions], one for each position."""
        player = np.zeros(self.legal.shape)
        player[np.arange(len(moves)), moves] = 1
        return player

    @staticmethod
    def any_of(actions: np.ndarray) -> np.ndarray:
        """The player who takes any of these actions, bool [positions, actions], all equally likely."""
        return actions / actions.sum(axis=1, keepdims=True)

    @property
    def perfect(self) -> np.ndarray:
        """Any move that keeps the value."""
        return self.any_of(self.optimal)

    @property
    def random(self) -> np.ndarray:
        return self.any_of(self.legal)

    @property
    def greedy(self) -> np.ndarray:
        """Wins at once if it can; else keeps the opponent from winning at once; else plays at random."""
        safe = self.legal & ~self.fatal
        chosen = np.where(self.winning.any(axis=1, keepdims=True), self.winning, safe)
        return self.any_of(np.where(chosen.any(axis=1, keepdims=True), chosen, self.legal))

    def moves(
        self, network: Network | nn.Module, simulations: int, c_puct: float | None = None, at: np.ndarray | None = None
    ) -> np.ndarray:
        """int64 [positions], the moves of `SearchAgent`; with 0 simulations, of the network alone.

        Args:
            at: bool [positions], where it is asked; elsewhere it plays the first move that keeps the value.
        """
        if isinstance(network, nn.Module):
            network = fast_inference(network)
        at = np.ones(len(self.states), dtype=bool) if at is None else at
        chosen = self.optimal.argmax(axis=1)
        chosen[at] = best_moves(self.batched, self.batch[at], network, simulations, c_puct)
        return chosen

    def reached(self, opponent: np.ndarray, side: int) -> np.ndarray:
        """bool [positions]: those that the player on this side can reach against this opponent, where it is to move."""
        there = np.zeros(len(self.states) + 3, dtype=bool)
        there[0] = True
        for i in range(len(self.states)):  # by the number of moves
            if there[i]:
                there[self.child[i][self.legal[i] if self.to_play[i] == side else opponent[i] > 0]] = True
        return there[:-3] & (self.to_play == side)

    def evaluated(self, network: Network | nn.Module) -> tuple[np.ndarray, np.ndarray]:
        """(value [positions], policy [positions, actions]) of the network alone; illegal actions have no policy."""
        if isinstance(network, nn.Module):
            network = fast_inference(network)
        value, logits = network(self.batched.encode(self.batch))
        return value, batched_masked_policy(logits, self.legal)

    # --- what they are worth

    def odds(self, player: np.ndarray, opponent: np.ndarray, side: int) -> Odds:
        """The exact odds of a game from the start for `player`, who is first (side +1) or second (-1)."""
        weights = np.where((self.to_play == side)[:, None], player, opponent)
        ends = np.concatenate([np.zeros((len(self.states), 3)), np.eye(3)])  # for the first player
        for ply in np.unique(self.plies)[::-1]:
            rows = np.flatnonzero(self.plies == ply)
            ends[rows] = np.einsum("sa,sak->sk", weights[rows], ends[self.child[rows]])
        return Odds(*ends[0][::side].tolist())

    def lines(self, moves: np.ndarray, side: int) -> Odds:
        """Every game that can be played against these moves: the numbers that are won, drawn and lost."""
        return Odds(*map(round, self.odds(self.plays(moves), self.legal.astype(float), side)))

    def losing_lines(self, moves: np.ndarray) -> tuple[int, int]:
        """How many games that can be played against these moves are lost: as first and as second player."""
        return int(self.lines(moves, 1).losses), int(self.lines(moves, -1).losses)

    def kept(self, moves: np.ndarray, positions: np.ndarray) -> int:
        """In how many of these positions (bool [positions]) the move keeps the value."""
        return int(self.optimal[positions, moves[positions]].sum())

    def report(self, moves: np.ndarray) -> dict[str, int | float]:
        """Count what a player does.

        Returns a dictionary:

        * kept, of: in how many positions the move keeps the value.
        * first, second: losing lines on either side.
        * fatal, could_be: moves that let the opponent win at once, of the positions with both fatal and other moves.
        * forked, could_fork: forks made, of the positions with a fork and no win at once.
        * drawn_...: the odds against perfect play. won_random, won_greedy: means of both sides.
        """
        everyone = np.arange(len(moves))
        could_be = self.fatal.any(axis=1) & (self.legal & ~self.fatal).any(axis=1)
        could_fork = self.forks.any(axis=1) & ~self.winning.any(axis=1)
        me = self.plays(moves)
        lost_first, lost_second = self.losing_lines(moves)
        first, second = (self.odds(me, self.perfect, side) for side in (1, -1))
        against = {
            name: np.mean([self.odds(me, opponent, side).wins for side in (1, -1)])
            for name, opponent in (("random", self.random), ("greedy", self.greedy))
        }
        return dict(
            kept=int(self.optimal[everyone, moves].sum()),
            of=len(moves),
            first=lost_first,
            second=lost_second,
            fatal=int(self.fatal[everyone, moves][could_be].sum()),
            could_be=int(could_be.sum()),
            forked=int(self.forks[everyone, moves][could_fork].sum()),
            could_fork=int(could_fork.sum()),
            drawn_first=round(first.draws, 4),
            drawn_second=round(second.draws, 4),
            won_random=round(float(against["random"]), 4),
            won_greedy=round(float(against["greedy"]), 4),
        )

    def errors(self, network: Network | nn.Module) -> dict[str, float]:
        """Over all positions, the square error of a network's value and its policy's cross-entropy to perfect play."""
        value, policy = self.evaluated(network)
        entropy = -(self.perfect * np.log(np.maximum(policy, 1e-12))).sum(axis=1)
        return dict(
            value_error=round(float(((value - self.values) ** 2).mean()), 4),
            cross_entropy=round(float(entropy.mean()), 4),
        )


@cache
def tictactoe_key() -> AnswerKey:
    """Tic-tac-toe's. Made once: half a second."""
    return AnswerKey(TicTacToe())
