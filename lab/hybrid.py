"""Rollouts beside a judge's value: one search, the same time for each (the notebook 'Tree search with rollouts')."""

from collections.abc import Callable, Iterator
from functools import partial

import numpy as np

from course_utils import agents
from course_utils.games import ConnectFour, Game, TicTacToe
from course_utils.learning.exam import exam
from course_utils.networks.fast import fast_inference
from course_utils.playing.compare import untrained
from course_utils.results import Row
from course_utils.search.hybrid import NetworkGuide, leaf_value, search_by_value
from course_utils.search.minimax import heuristic
from course_utils.search.uct import UctNode, final_action
from lab.command import command

MOVE_SECONDS = {"tictactoe": (0.001, 0.01), "connect_four": (0.001, 0.01, 0.1)}
EVERY = {"tictactoe": 4, "connect_four": 4}


def judges(game: Game, seed: int) -> dict[str, tuple[Callable[[], Callable], float]]:
    """What evaluates a leaf -> (makes a judge that remembers nothing yet, the rollout's share)."""
    net = agents.load(game.name).network.net
    trained, control = fast_inference(net), fast_inference(untrained(net, seed))
    return {
        "rollouts": (lambda: lambda game, state: 0.0, 1.0),
        "heuristic": (lambda: lambda game, state: heuristic(game, state, 2), 0.0),
        "untrained network": (lambda: NetworkGuide(control, 1.5).value, 0.0),
        "half network, half rollout": (lambda: NetworkGuide(trained, 1.5).value, 0.5),
        "network": (lambda: NetworkGuide(trained, 1.5).value, 0.0),
    }


@command("leaf_values")
def leaf_values(seeds=(0,), begun=()) -> Iterator[Row]:
    """The share of right moves in equal time, by what evaluates a leaf: rollouts, a heuristic, a network, or both."""
    for seed in seeds:
        for game in (TicTacToe(), ConnectFour()):
            positions = exam(game.name)[:: EVERY[game.name]]
            for name, (judge, share) in judges(game, seed).items():
                for seconds in MOVE_SECONDS[game.name]:
                    head = dict(game=game.name, leaf=name, seed=seed, seconds=seconds)
                    if any(head.items() <= row.items() for row in begun):
                        continue
                    kept = made = 0
                    for number, position in enumerate(positions):
                        evaluate = partial(leaf_value, judge=judge(), rollout_share=share)
                        root, rng = UctNode(game, position.state), np.random.default_rng([seed, number])
                        search_by_value(game, root, 10**9, rng, evaluate=evaluate, seconds=seconds)
                        kept, made = kept + bool(position.keeps[final_action(root)]), made + root.N
                    yield dict(head, kept=kept, of=len(positions), made=made)
