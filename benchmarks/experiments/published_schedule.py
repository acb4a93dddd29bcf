"""The published schedules of 20 x 50 and 20 x 100 games, a step after every example as their code learns: what the panel shows after each iteration."""

import numpy as np

from benchmarks.experiment import Experiment
from benchmarks.schedules import train_with_a_gate
from course_utils.learning.proof import tictactoe_key
from course_utils.results import Row


def measure(seed: int, simulations: int, **settings) -> list[Row]:
    key, rows = tictactoe_key(), []
    center = 4
    for number, one in enumerate(train_with_a_gate(seed, simulations=simulations, **settings), start=1):
        ends = one.examples.outcome[one.examples.ply == 0]  # for the first player
        value, policy = key.judged(one.champion)
        epoch = len(one.losses) // settings["epochs"]  # steps
        rows.append(
            dict(
                iteration=number,
                simulations=0,
                games=len(ends),
                examples=len(one.examples),
                first_wins=int((ends > 0).sum()),
                draws=int((ends == 0).sum()),
                second_wins=int((ends < 0).sum()),
                policy_loss_first=round(float(np.mean([loss["policy"] for loss in one.losses[:epoch]])), 4),
                policy_loss=round(float(np.mean([loss["policy"] for loss in one.losses[-epoch:]])), 4),
                value_loss=round(float(np.mean([loss["value"] for loss in one.losses[-epoch:]])), 4),
                accepted=one.accepted,
                gate_wins=one.score.wins,
                gate_draws=one.score.draws,
                gate_losses=one.score.losses,
                center=round(float(policy[0, center]), 4),
                start_value=round(float(value[0]), 4),
                **key.report(key.moves(one.champion, 0)),
            )
        )
    moves = key.moves(one.champion, simulations, settings["c_puct"])
    last = dict(iteration=number, simulations=simulations, opening=int(moves[0]))
    return [*rows, {**last, **key.report(moves)}]


EXPERIMENT = Experiment(
    question="The published schedules: do draws reach 80-100 %, the losses their marks, are late candidates rejected, and does nothing lose at the end?",
    published="expected: 80-100 % draws by iteration 15-20; policy loss from 2.0-2.5 to 0.5-1.0; value loss under 0.3; most late candidates rejected",
    measure=measure,
    base=dict(
        iterations=20, games=50, simulations=200, c_puct=1.5, exploratory_plies=3,
        epochs=20, batch=1, learning_rate=0.01, threshold=0.55,
    ),
    variants={"20 x 50": {}, "20 x 100": dict(games=100), "20 x 100, batches of 32": dict(games=100, batch=32)},
    seeds=range(5),
    quick=dict(iterations=2, games=20, simulations=20, epochs=3),
)  # fmt: skip
