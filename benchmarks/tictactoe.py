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
from course_utils.learning.engine import train
from course_utils.learning.grades import TicTacToeJudge
from course_utils.learning.training import Run, config_for
from course_utils.networks.checkpoint import load_network
from course_utils.networks.policy_value import make_network
from course_utils.results import Row

GAME = TicTacToe()


def graded(judge: TicTacToeJudge, net: nn.Module, simulations: int) -> Row:
    """Losing lines as first and as second player, and in how many of all positions the move keeps the value."""
    moves = judge.moves(net, simulations)
    first, second = judge.losing_lines(moves)
    kept = int(judge.optimal[np.arange(len(moves)), moves].sum())
    return dict(simulations=simulations, first=first, second=second, kept=kept, of=len(moves))


WAYS = {"one-game": config_for(GAME), "batched": config_for(GAME, lockstep=True)}


@command("tictactoe_proof", usual=True)
def proof(ways=("batched",), seeds=range(5)) -> Iterator[Row]:
    """Losing lines along a training run, from random weights; ways: one-game (notebook 08), batched (many games at once)."""
    judge = TicTacToeJudge()
    for way, seed in product(ways, seeds):
        rows: list[Row] = []

        def look(run: Run, budgets=(0, 50)) -> None:
            head = dict(way=way, seed=seed, iteration=len(run.history), seconds=round(run.cpu_seconds, 3))  # noqa: B023
            rows.extend(dict(head, **graded(judge, run.champion, simulations)) for simulations in budgets)  # noqa: B023

        run = Run.start(GAME, WAYS[way], seed)
        look(run, (0, 50, 100))
        train(run, look, workers=0)
        look(run, (100,))
        yield from rows


@command("tictactoe_shipped")
def shipped(simulations=(0, 50, 100), seeds=(0,)) -> Iterator[Row]:
    """Losing lines of the agent that comes with the course, and of a network with random weights."""
    judge = TicTacToeJudge()
    trained = load_network(CHECKPOINTS / "tictactoe.pt", GAME.name)
    for network, net in (("untrained", make_network(GAME, seed=seeds[0])), ("trained", trained)):
        for count in simulations:
            yield dict(network=network, **graded(judge, net, count))
