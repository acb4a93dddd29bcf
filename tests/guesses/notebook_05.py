"""The notebook 'The training loop': by self-play, by fractions, by a run that is watched, and from what was recorded."""

from fractions import Fraction

import numpy as np
import torch

from course_utils.games import TicTacToe
from course_utils.learning.config import TrainingConfig
from course_utils.learning.run import Run
from course_utils.learning.self_play import self_play_game
from course_utils.learning.training import train_alphazero
from course_utils.networks.policy_value import TorchNetwork, make_network
from course_utils.results import load_result


def value_loss_of_five_games():
    """It can, if all examples of one position have one value."""
    game, rng = TicTacToe(), np.random.default_rng(0)
    network = TorchNetwork(make_network(game, seed=0))
    games = [self_play_game(game, network, rng, simulations=25) for _ in range(5)]
    values: dict[bytes, set[float]] = {}
    for examples in games:
        for planes, value in zip(examples.planes, examples.value, strict=True):
            values.setdefault(planes.tobytes(), set()).add(float(value))
    return all(len(one) == 1 for one in values.values())


def three_wins_two_losses():
    return Fraction(3, 3 + 2) >= Fraction(55, 100)


def after_a_rejection():
    """Nobody passes a gate without games, and learning rates of 0 show where the candidate stands."""
    config = TrainingConfig(iterations=2, games=2, steps=3, simulations=4, gate_openings=0)
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
    "value-loss-of-five-games": value_loss_of_five_games,
    "three-wins-two-losses": three_wins_two_losses,
    "after-a-rejection": after_a_rejection,
    "learning-against-searching": learning_against_searching,
}
