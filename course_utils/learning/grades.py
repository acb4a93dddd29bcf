"""How strong a network is at this moment of its training: asked in a fraction of a second, and answered by a perfect player."""

from collections.abc import Callable, Iterator

import numpy as np
from torch import nn

from course_utils.exercise import using
from course_utils.games import Game, TicTacToe
from course_utils.games.batched import make_batched
from course_utils.learning.arena import Score, count_lines
from course_utils.learning.exam import load_positions, searched_moves
from course_utils.networks import settings_of
from course_utils.networks.fast import fast_inference
from course_utils.search.batched import batched_search
from course_utils.search.minimax import solve

Grades = dict[str, float]  # a name -> a share from 0 to 1; LOSING -> a count
LOSING = "losing lines"  # in how many games, out of all that can be played against it, the agent loses
POSITIONS = 500  # of tic-tac-toe, for the search


class TicTacToeJudge:
    """Knows every position at which the game goes on (`states`), and which moves keep its value (`optimal`: bool [4520, 9])."""

    def __init__(self) -> None:
        self.game = TicTacToe()
        self.batched = make_batched(self.game)
        values = solve(self.game, self.game.initial_state())  # for the player to move
        self.states = [state for state in values if not self.game.is_terminal(state)]
        self.index = {state: i for i, state in enumerate(self.states)}
        self.optimal = np.zeros((len(self.states), self.game.num_actions), dtype=bool)
        for i, state in enumerate(self.states):
            for action in self.game.legal_actions(state):
                self.optimal[i, action] = -values[self.game.play(state, action)] == values[state]
        self.batch = self.batched.from_states(self.states)
        self.legal = self.batched.legal(self.batch)

    def moves(self, net: nn.Module, simulations: int, chosen: np.ndarray | slice = slice(None)) -> np.ndarray:
        """int64 [chosen]: what the network plays, with so many simulations, at these positions or at all."""
        network, batch = fast_inference(net), self.batch[chosen]
        if simulations:
            return batched_search(self.batched, batch, network, simulations, settings_of(network).c_puct).argmax(axis=1)
        _, logits = network(self.batched.encode(batch))
        return np.where(self.legal[chosen], logits, -np.inf).argmax(axis=1)

    def losing_lines(self, moves: np.ndarray) -> tuple[int, int]:
        """How many lines of play an agent with these answers, int64 [4520], loses: as first and as second player."""
        scores: Iterator[Score] = (count_lines(self.game, Table(self.index, moves), side) for side in (1, -1))
        first, second = scores
        return first.losses, second.losses


class Table:
    """Plays what is written down."""

    def __init__(self, index: dict, moves: np.ndarray):
        self.index, self.moves = index, moves

    def act(self, state) -> int:
        return int(self.moves[self.index[state]])


def grader(game: Game) -> Callable[[nn.Module], Grades] | None:
    """What grades a network, alone and with search, over positions where some move loses value; None for a game that nobody has solved here."""
    make = {"tictactoe": _tictactoe, "connect_four": _connect_four}.get(game.name)
    return make(game) if make else None


def _tictactoe(game: Game) -> Callable[[nn.Module], Grades]:
    judge = TicTacToeJudge()
    matters = np.flatnonzero((judge.legal & ~judge.optimal).any(axis=1))
    some = np.random.default_rng(0).choice(matters, POSITIONS, replace=False)

    def grade(net: nn.Module) -> Grades:
        with using({}):
            alone, searched = judge.moves(net, 0), judge.moves(net, 25, some)
        kept = judge.optimal[matters, alone[matters]].mean(), judge.optimal[some, searched].mean()
        return {"alone": float(kept[0]), "with 25 simulations": float(kept[1]), LOSING: sum(judge.losing_lines(alone))}

    return grade


def _connect_four(game: Game) -> Callable[[nn.Module], Grades]:
    positions = [position for position in load_positions() if position.matters][::4]
    keeps = np.array([position.keeps for position in positions])

    def grade(net: nn.Module) -> Grades:
        network = fast_inference(net)
        with using({}):
            moves = {
                f"with {count} simulations" if count else "alone": searched_moves(game, network, positions, count)
                for count in (0, 50)
            }
        return {name: float(keeps[np.arange(len(keeps)), played].mean()) for name, played in moves.items()}

    return grade
