"""Does it harm if the games that are learned from were played by the network of some iterations ago? Tic-tac-toe."""

import copy
from collections import deque

import numpy as np

from course_utils.games.batched import make_batched
from course_utils.learning.batched_self_play import batched_self_play
from course_utils.learning.config import config_for
from course_utils.learning.engine import learn
from course_utils.learning.proof import tictactoe_key
from course_utils.learning.run import Run
from course_utils.networks.fast import fast_inference
from course_utils.results import Result, Row, table
from lab.experiment import Experiment
from lab.shown import each, lost, over_seeds, table_of


def measure(seed: int, late: int, **changes) -> list[Row]:
    """The network alone every other iteration. Games are played by the champion of `late` iterations before."""
    key, rows = tictactoe_key(), []
    run = Run.start(key.game, config_for(key.game, lockstep=True, **changes), seed)
    champions = deque([copy.deepcopy(run.network)], maxlen=late + 1)  # the oldest plays
    settings = run.lockstep_settings()
    while len(run.history) < run.config.iterations:
        run.set_learning_rate()
        rng = np.random.default_rng((seed, len(run.history)))
        games = batched_self_play(
            make_batched(run.game), fast_inference(champions[0]), run.config.games, rng,
            lockstep=run.config.games, **settings,
        )  # fmt: skip
        run.keep([games])
        run.log([games], learn(run), None, None, 0.0)
        champions.append(copy.deepcopy(run.network))
        if len(run.history) % 2 == 0:
            rows.append(dict(late=late, iteration=len(run.history), **key.report(key.moves(run.network, 0))))
    return rows


EXPERIMENT = Experiment(
    question="What does it cost to learn from games that a network of some iterations ago has played?",
    published="AlphaZero's workers play with the latest network, whatever iteration it is; their delay is not printed",
    measure=measure,
    # as in `parts_of_training`: from the start position, with little noise, so that games depend on the network
    base=dict(
        iterations=20,
        games=128,
        simulations=32,
        opening_share=0.0,
        root_share=0.0,
        blunder_margin=3.0,
        policy_power=1.0,
        window=4,
        steps=60,
        average=0.9,
    ),
    variants={f"{late} iterations late": dict(late=late) for late in (0, 1, 2, 4, 8, 16)},
    quick=dict(iterations=6, games=32, steps=20),
)


@table_of("staleness")
def by_age(result: Result) -> str:
    """Losing lines of the network alone, by how late its games were: the mean, lowest and highest seed."""
    return table(
        {"games are": name}
        | {
            f"after {number} iterations": over_seeds(result, lost, variant=name, iteration=number)
            for number in (4, 6, 8, 12, 20)
        }
        for name in each(result.rows, "variant")
    )
