"""Notebook 08: by Gibbs' inequality tried out, by fractions, by a run that is watched, and from what was recorded."""

from fractions import Fraction

import numpy as np
import torch

from course_utils.games import TicTacToe
from course_utils.learning.training import Run, TrainingConfig, train_alphazero
from course_utils.results import load_result


def policy_loss_and_entropy():
    rng = np.random.default_rng(0)
    pi, p = rng.dirichlet(np.ones(9), size=(2, 1000))
    near = 0.99 * pi + 0.01 * p
    entropy = -(pi * np.log(pi)).sum(axis=1)
    for policy in (p, near):
        assert (-(pi * np.log(policy)).sum(axis=1) > entropy).all()
    return "above"


def three_wins_two_losses():
    return Fraction(3, 3 + 2) >= Fraction(55, 100)


def after_a_rejection():
    """Nobody passes this gate, and learning rates of 0 show where the candidate stands."""
    config = TrainingConfig(iterations=2, games=2, steps=3, simulations=4, gate_openings=1, gate_threshold=2)
    run, seen = Run.start(TicTacToe(), config, seed=0), []

    def look(run):
        seen.append([weights.clone() for weights in run.candidate.parameters()])
        run.set_learning_rate = lambda: [group.update(lr=0.0) for group in run.optimizer.param_groups]

    train_alphazero(run, look)
    assert not any(entry["accepted"] for entry in run.history)
    same = all(torch.equal(one, other) for one, other in zip(*seen, strict=True))
    back = all(torch.equal(one, other) for one, other in zip(seen[1], run.champion.parameters(), strict=True))
    return {(True, False): "candidate", (False, True): "champion"}[same, back]


def learning_against_searching():
    recorded = load_result("tictactoe_loop")
    for seed in recorded.seeds:
        rows = {
            (row["iteration"], row["simulations"]): 100 * row["kept"] / row["of"]
            for row in recorded.where(schedule="as it is", seed=seed)
        }
        assert all(rows[iteration, 0] > rows[0, 10] for iteration in range(2, 21))
    first = recorded.where(schedule="as it is", seed=0, iteration=0)
    assert [round(100 * row["kept"] / row["of"]) for row in first][:2] == [44, 84]
    return "trained"


TRUTHS = {
    "policy-loss-and-entropy": policy_loss_and_entropy,
    "three-wins-two-losses": three_wins_two_losses,
    "after-a-rejection": after_a_rejection,
    "learning-against-searching": learning_against_searching,
}
