"""What a kept tree saves, and whether it plays better with as many simulations (the notebook 'A search that knows')."""

from collections.abc import Iterator

import numpy as np

from course_utils import agents
from course_utils.agents import SearchAgent
from course_utils.games import ConnectFour, Game, TicTacToe
from course_utils.learning.arena import match, play_game, random_openings
from course_utils.networks import Network, UniformNetwork
from course_utils.networks.policy_value import TorchNetwork
from course_utils.results import Row
from lab.command import command
from lab.gumbel import on_their_way

OPENINGS = {"tictactoe": (600, 2), "connect_four": (100, 4)}  # (how many, of how many random moves)


class Counting:
    """An agent whose moves are counted, and the visits that they find in the tree."""

    def __init__(self, agent: SearchAgent):
        self.agent = agent
        self.moves = self.kept = 0

    def act(self, state) -> int:
        visits = int(self.agent.statistics(state)["visits"].sum())
        self.moves, self.kept = self.moves + 1, self.kept + visits - self.agent.simulations
        return self.agent.act(state)


def networks(seed: int) -> Iterator[tuple[Game, str, Network, tuple[int, ...]]]:
    """(game, name, network, simulations)."""
    game, four = TicTacToe(), ConnectFour()
    half = next(net for stage, net in on_their_way(game, seed) if stage == 2)
    yield game, "uniform", UniformNetwork(9), (25, 100)
    yield game, "after 2 iterations", TorchNetwork(half), (25, 100)
    yield four, "uniform", UniformNetwork(7), (25, 100)
    yield four, "shipped", agents.load("connect_four").network, (25,)  # each call takes long


@command("kept_tree")
def kept_tree(seeds=(0,), begun=()) -> Iterator[list[Row]]:
    """The visits that a kept tree brings to a move, against an opponent and itself; and a match against new trees."""
    for seed in seeds:
        for game, name, network, budgets in networks(seed):
            openings = list(dict.fromkeys(random_openings(game, *OPENINGS[game.name], np.random.default_rng(seed))))
            for count in budgets:
                head = dict(game=game.name, network=name, seed=seed, simulations=count)
                if any(head.items() <= row.items() for row in begun):
                    continue
                keeping = Counting(SearchAgent(game, network, count, keep_tree=True))
                score = match(game, keeping, SearchAgent(game, network, count), openings)
                alone = Counting(SearchAgent(game, network, count, keep_tree=True))
                for opening in openings:
                    play_game(game, {1: alone, -1: alone}, opening)
                yield [
                    dict(head, played="an opponent", moves=keeping.moves, kept=keeping.kept, **score._asdict()),
                    dict(head, played="itself", moves=alone.moves, kept=alone.kept),
                ]
