"""The notebook 'The training loop': by self-play, and from what was recorded."""

import numpy as np

from course_utils.games import TicTacToe
from course_utils.learning.self_play import self_play_game
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


def learning_against_searching():
    recorded = load_result("tictactoe_loop")
    for seed in range(5):  # those of which every iteration is recorded
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
    "learning-against-searching": learning_against_searching,
}
