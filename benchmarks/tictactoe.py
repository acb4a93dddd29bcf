"""How long training takes until tic-tac-toe is never lost, and what the network and search alone are worth.

The network that plays is asked for a move in all 4,520 positions, alone and with search; then every line of play is walked in both
colors. The seconds are those of training; judging is not timed.
"""

from collections.abc import Iterator
from itertools import product

import numpy as np
from torch import nn

from benchmarks.command import command
from course_utils.agents import CHECKPOINTS
from course_utils.games import TicTacToe
from course_utils.games.batched import make_batched
from course_utils.learning.arena import count_lines
from course_utils.learning.engine import train
from course_utils.learning.training import Run, config_for
from course_utils.networks.checkpoint import load_network
from course_utils.networks.fast import fast_inference
from course_utils.networks.policy_value import make_network
from course_utils.results import Row
from course_utils.search.batched import batched_search
from course_utils.search.minimax import solve

GAME, BATCHED = TicTacToe(), make_batched(TicTacToe())


class TablePlayer:
    def __init__(self, index: dict, moves: np.ndarray):
        self.index, self.moves = index, moves

    def act(self, state) -> int:
        return int(self.moves[self.index[state]])


class Judge:
    """Knows every position at which the game goes on, and which moves keep its value."""

    def __init__(self):
        values = solve(GAME, GAME.initial_state())  # for the player to move
        self.states = [state for state in values if not GAME.is_terminal(state)]
        self.index = {state: i for i, state in enumerate(self.states)}
        self.optimal = np.zeros((len(self.states), GAME.num_actions), dtype=bool)
        for i, state in enumerate(self.states):
            for action in GAME.legal_actions(state):
                self.optimal[i, action] = -values[GAME.play(state, action)] == values[state]
        self.batch = BATCHED.from_states(self.states)

    def moves(self, net: nn.Module, simulations: int) -> np.ndarray:
        """int64 [4520], what the network plays at each position, with so many simulations."""
        network = fast_inference(net)
        if simulations:
            return batched_search(BATCHED, self.batch, network, simulations, network.settings.c_puct).argmax(axis=1)
        _, logits = network(BATCHED.encode(self.batch))
        return np.where(BATCHED.legal(self.batch), logits, -np.inf).argmax(axis=1)

    def __call__(self, net: nn.Module, simulations: int) -> Row:
        """Losing lines as first and as second player, and in how many of all positions the move keeps the value."""
        moves = self.moves(net, simulations)
        player = TablePlayer(self.index, moves)
        first, second = (count_lines(GAME, player, side).losses for side in (1, -1))
        kept = int(self.optimal[np.arange(len(moves)), moves].sum())
        return dict(simulations=simulations, first=first, second=second, kept=kept, of=len(moves))


WAYS = {"one-game": config_for(GAME), "batched": config_for(GAME, lockstep=True)}


@command("tictactoe_proof", usual=True)
def proof(ways=("batched",), seeds=range(5)) -> Iterator[Row]:
    """Losing lines along a training run, from random weights; ways: one-game (notebook 08), batched (many games at once)."""
    judge = Judge()
    for way, seed in product(ways, seeds):
        rows: list[Row] = []

        def look(run: Run, budgets=(0, 50)) -> None:
            head = dict(way=way, seed=seed, iteration=len(run.history), seconds=round(run.cpu_seconds, 3))  # noqa: B023
            rows.extend(dict(head, **judge(run.champion, simulations)) for simulations in budgets)  # noqa: B023

        run = Run.start(GAME, WAYS[way], seed)
        look(run, (0, 50, 100))
        train(run, look, workers=0)
        look(run, (100,))
        yield from rows


@command("tictactoe_shipped")
def shipped(simulations=(0, 50, 100), seeds=(0,)) -> Iterator[Row]:
    """Losing lines of the agent that comes with the course, and of a network with random weights."""
    judge = Judge()
    trained = load_network(CHECKPOINTS / "tictactoe.pt", GAME.name)
    for network, net in (("untrained", make_network(GAME, seed=seeds[0])), ("trained", trained)):
        for count in simulations:
            yield dict(network=network, **judge(net, count))
