"""Rollouts, a network's value in their place, its prior in front of them: from one search, with as many simulations or as much time (notebook 04)."""

from collections.abc import Callable, Iterator
from functools import partial

import numpy as np

from benchmarks.command import command
from benchmarks.gumbel import on_their_way
from course_utils import agents
from course_utils.games import ConnectFour, Game, TicTacToe
from course_utils.learning.exam import exam
from course_utils.networks import Network, settings_of
from course_utils.networks.policy_value import TorchNetwork
from course_utils.results import Row
from course_utils.search.hybrid import NetworkGuide, search_by_value
from course_utils.search.uct import UctNode, final_action, uct_search

STEP = {"tictactoe": 4, "connect_four": 4}  # every so many-th position of the exam


def searches(guide: NetworkGuide) -> dict[str, Callable]:
    prior = dict(score=guide.score, expand=guide.expand)
    return {
        "rollouts": uct_search,
        "value": partial(search_by_value, evaluate=guide.value),
        "prior and rollouts": partial(uct_search, **prior),
        "prior, value and rollouts": partial(search_by_value, evaluate=guide.mixed, **prior),
        "prior and value": partial(search_by_value, evaluate=guide.value, **prior),
    }


def networks(seed: int) -> Iterator[tuple[Game, str, Network]]:
    yield TicTacToe(), "after 2 iterations", TorchNetwork(dict(on_their_way(TicTacToe(), seed))[2])
    yield ConnectFour(), "shipped", agents.load("connect_four").network


def judged(seed: int, limits: list[dict]) -> Iterator[list[Row]]:
    for game, name, network in networks(seed):
        positions = exam(game.name)[:: STEP[game.name]]
        for limit in limits:
            for search in searches(NetworkGuide(network, 0)):
                kept = simulations = 0
                for number, position in enumerate(positions):
                    guide = NetworkGuide(network, settings_of(network).c_puct)  # which has asked nothing yet
                    root, rng = UctNode(game, position.state), np.random.default_rng([seed, number])
                    searches(guide)[search](
                        game, root, limit.get("simulations", 10**9), rng, seconds=limit.get("seconds", np.inf)
                    )
                    kept += bool(position.keeps[final_action(root)])
                    simulations += root.N
                counted = {} if "simulations" in limit else {"made": simulations}
                yield [
                    dict(
                        game=game.name,
                        network=name,
                        seed=seed,
                        search=search,
                        **limit,
                        kept=kept,
                        of=len(positions),
                        **counted,
                    )
                ]


@command("rollout_or_value")
def rollout_or_value(simulations=(10, 25, 50, 100), seeds=(0,)) -> Iterator[list[Row]]:
    """The share of right moves with as many simulations, of five searches that differ in what they ask about a position."""
    for seed in seeds:
        yield from judged(seed, [dict(simulations=count) for count in simulations])


@command("rollout_or_value_in_time")
def rollout_or_value_in_time(milliseconds=(5, 20, 80), seeds=(0,)) -> Iterator[list[Row]]:
    """The same with as much time for each move, on the clock of a machine that does nothing else."""
    for seed in seeds:
        yield from judged(seed, [dict(seconds=count / 1000) for count in milliseconds])
