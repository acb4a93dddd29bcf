"""The thesis' final run on tic-tac-toe, 1,000 games: draws of the network alone and with search, during training and after; its loss."""

import numpy as np

from benchmarks.experiment import Experiment
from benchmarks.schedules import train_as_the_thesis
from course_utils.learning.proof import tictactoe_key
from course_utils.results import Row


def measure(seed: int, budgets: tuple[int, ...], at: tuple[int, ...], c_puct: float, **settings) -> list[Row]:
    """The network alone after each update, and with search where `at` says so."""
    key, rows = tictactoe_key(), []
    for update in train_as_the_thesis(seed, c_puct=c_puct, **settings):
        value, policy = (
            round(float(np.mean([loss[name] for loss in update.losses])), 4) for name in ("value", "policy")
        )
        for count in (0, *budgets) if update.games in at else (0,):
            moves = key.moves(update.net, count, c_puct, at=key.reached(key.perfect, -1))
            drawn = round(key.odds(key.plays(moves), key.perfect, -1).draws, 4)
            rows.append(
                dict(games=update.games, simulations=count, value_loss=value, policy_loss=policy, drawn_second=drawn)
            )
    return rows


SET_I: dict = dict(learning_rate=1e-3, l2=1e-4, filters=32, c_puct=1.0, alpha=0.5)

EXPERIMENT = Experiment(
    question="The thesis' final run of 1,000 games: how many of 100 games as second player against perfect play are drawn?",
    published="network alone 87; MCTS with 100 iterations 53; the network after 100 games of training 68; loss 0.36, value loss under 0.1, wavy",
    measure=measure,
    base=dict(games=1000, budgets=(1, 20, 100, 200), at=(100, 500, 1000), **SET_I),
    variants={"I": {}, "H": dict(learning_rate=1e-2)},
    seeds=range(2),
    quick=dict(games=100, budgets=(1, 20), self_play_simulations=10),
)
