"""A network with few simulations against rollouts, untrained, and trained as in the course that publishes the match."""

import numpy as np
import torch

from course_utils.agents.uct import UctAgent
from course_utils.learning.fitting import fit
from course_utils.learning.proof import tictactoe_key
from course_utils.learning.rollout_games import load_games
from course_utils.learning.tournament import play_series
from course_utils.networks import Network
from course_utils.networks.fast import fast_inference
from course_utils.networks.policy_value import make_network
from course_utils.results import Row
from lab.experiment import Experiment
from lab.experiments.network_under_search import network


class Plays:
    """Moves worked out before, for all positions at once."""

    def __init__(self, moves: np.ndarray):
        self.moves = moves

    def act(self, state) -> int:
        return int(self.moves[tictactoe_key().index[state]])


def taught(seed: int, epochs: int) -> Network:
    """Learn from 100 recorded games of rollouts by plain gradient descent, rate 0.01, a step after every example."""
    net, games = make_network(tictactoe_key().game, seed), load_games("mcts_games")
    optimizer = torch.optim.SGD(net.parameters(), 0.01)
    fit(net, (games.planes, games.policies, games.values), optimizer, epochs=epochs, batch=1, seed=seed)
    return fast_inference(net)


def against(net: Network, seed: int, simulations: int, rollouts: int, games: int) -> list[Row]:
    """So many games on each side; the tree of the opponent is kept between moves."""
    key = tictactoe_key()
    mine = Plays(key.moves(net, simulations, c_puct=1.5))
    opponent = UctAgent(key.game, rollouts, np.random.default_rng(seed))
    head = dict(simulations=simulations, rollouts=rollouts)
    first = play_series(key.game, mine, opponent, range(games))
    second = play_series(key.game, opponent, mine, range(games))
    return [
        dict(head, side="first", wins=first.wins, draws=first.draws, losses=first.losses),
        dict(head, side="second", wins=second.losses, draws=second.draws, losses=second.wins),
    ]


def measure(seed: int, kind: str, pairs: tuple[tuple[int, int], ...], games: int, epochs: int) -> list[Row]:
    net = taught(seed, epochs) if kind == "taught" else network(kind, seed)
    return [row for pair in pairs for row in against(net, seed, *pair, games)]


EXPERIMENT = Experiment(
    question="The network with 50 to 500 simulations against tree search with 200 to 1,000 rollouts a move: who wins?",
    published="a network taught by 100 games wins most games at 200 against 200 and is comparable at 100 against 500; "
    "an untrained one does worse than rollouts",
    measure=measure,
    base=dict(pairs=((200, 200), (100, 500), *((count, 1000) for count in (50, 100, 200, 500))), games=10, epochs=30),
    variants={
        "taught by 100 games of rollouts": dict(kind="taught"),
        "untrained": dict(kind="random"),
        "shipped with the course": dict(kind="trained"),
    },
    quick=dict(pairs=((20, 20),), games=1, epochs=1),
    seeds=range(10),
)
