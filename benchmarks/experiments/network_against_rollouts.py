"""A network with few simulations against tree search with many rollouts, and the published validation against 10,000 of them."""

import numpy as np

from benchmarks.experiment import Experiment
from benchmarks.experiments.network_under_search import network
from course_utils.agents.uct import UctAgent
from course_utils.learning.proof import tictactoe_key
from course_utils.learning.tournament import play_series
from course_utils.results import Row


class Plays:
    """Moves worked out before, for all positions at once."""

    def __init__(self, moves: np.ndarray):
        self.moves = moves

    def act(self, state) -> int:
        return int(self.moves[tictactoe_key().index[state]])


def measure(seed: int, kind: str, simulations: int, rollouts: int, games: int) -> list[Row]:
    """So many games on each side; the tree of the opponent is kept between moves."""
    key = tictactoe_key()
    mine = Plays(key.moves(network(kind, seed), simulations, c_puct=1.5))
    theirs = UctAgent(key.game, rollouts, np.random.default_rng(seed))
    head = dict(network=kind, simulations=simulations, rollouts=rollouts)
    first = play_series(key.game, mine, theirs, range(games))
    second = play_series(key.game, theirs, mine, range(games))
    return [
        dict(head, side="first", wins=first.wins, draws=first.draws, losses=first.losses),
        dict(head, side="second", wins=second.losses, draws=second.draws, losses=second.wins),
    ]


PAIRS = [("trained", 200, 200), ("trained", 100, 500), ("trained", 200, 500)]
PAIRS += [("trained", n, 1000) for n in (50, 100, 200, 500)]
PAIRS += [("random", 200, 200), ("random", 100, 500), ("random", 100, 1000)]
PAIRS += [("uniform", 200, 200), ("uniform", 100, 500), ("uniform", 100, 1000)]

EXPERIMENT = Experiment(
    question="The network with 50 to 500 simulations against tree search with 200, 500 and 1,000 rollouts a move: who wins?",
    published="the network wins or draws with a fifth of the simulations (no numbers)",
    measure=measure,
    base=dict(games=10),
    variants={
        f"{kind}, {count} against {rollouts}": dict(kind=kind, simulations=count, rollouts=rollouts)
        for kind, count, rollouts in PAIRS
    },
    quick=dict(games=1),
    seeds=range(2),
)
