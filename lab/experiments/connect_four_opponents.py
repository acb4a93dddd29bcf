"""The shipped Connect Four agent against alpha-beta and rollouts, as a thesis played its own agent."""

from functools import partial

import numpy as np

from course_utils.agents.classical import AlphaBetaAgent
from course_utils.agents.uct import UctAgent
from course_utils.learning.arena import random_openings
from course_utils.results import Row
from course_utils.search.minimax import heuristic
from lab.connect_four import GAME, SHIPPED, play_out, with_control
from lab.experiment import Experiment

OPPONENTS = {  # published, wins-losses of 50 as first and as second player
    "alpha-beta, depth 5": (dict(depth=5), "45-5", "35-14"),
    "alpha-beta, depth 6": (dict(depth=6), "46-2", "38-10"),
    "rollouts, 400": (dict(rollouts=400), "30-19", "22-23"),
    "rollouts, 800": (dict(rollouts=800), "31-19", "29-17"),
}


def measure(
    seed: int,
    network: str,
    first: str,
    second: str,
    openings: int,
    plies: int,
    simulations: int,
    depth: int | None = None,
    rollouts: int = 0,
) -> list[Row]:
    """Two games from each opening, colors exchanged.

    Alpha-beta guesses by h_2; with rollouts the tree is kept between moves.

    The untrained control is measured with the first seed only.
    """
    if network == "untrained" and seed:
        return []
    starts = random_openings(GAME, openings, plies, np.random.default_rng(seed))
    opponents = [
        UctAgent(GAME, rollouts, np.random.default_rng((seed, game)))
        if rollouts
        else AlphaBetaAgent(GAME, depth, partial(heuristic, n=2))
        for game in range(2 * openings)
    ]
    sides = [1] * openings + [-1] * openings
    net = with_control(SHIPPED, 0)[network]
    results, _ = play_out(net, simulations, opponents, sides, [(state, "") for state in starts * 2])
    rows = []
    for side, some, published in (("first", results[:openings], first), ("second", results[openings:], second)):
        score = dict(wins=some.count(1), draws=some.count(0), losses=some.count(-1))
        rows.append(dict(side=side, **score, published=published if network == "trained" else ""))
    return rows


EXPERIMENT = Experiment(
    question="Connect Four, 400 simulations against alpha-beta of depth 5 and 6 and rollouts of 400 and 800: who wins?",
    published="with 800 simulations, wins-losses of 50 games a side, as first and as second player: "
    + "; ".join(f"{name}: {first} and {second}" for name, (_, first, second) in OPPONENTS.items()),
    measure=measure,
    base=dict(openings=8, plies=4, simulations=400),
    variants={
        f"{network}, against {name}": dict(network=network, first=first, second=second, **sizes, **changes)
        for network, sizes in (("trained", {}), ("untrained", dict(openings=4)))
        for name, (changes, first, second) in OPPONENTS.items()
    },
    quick=dict(openings=1, plies=24, simulations=50),
    seeds=range(2),
)
