"""Learning from examples that are there already."""

import numpy as np
import pytest
import torch

from course_utils.games import TicTacToe
from course_utils.learning.fitting import (
    Apart,
    Shared,
    cross_entropy_loss,
    fit,
    one_number_per_cell,
    squared_error_loss,
)
from course_utils.learning.rollout_games import load_games
from course_utils.networks.by_hand import train_by_hand
from course_utils.networks.policy_value import make_network

GAME = TicTacToe()


@pytest.fixture(scope="module")
def examples():
    table = load_games("mcts_games_sampled").some(range(96))
    return table.planes, table.policies, table.values


def test_whole_batches_learn_what_the_network_by_hand_learns(examples):
    """With all examples in one batch there is no order to differ in."""
    planes, policies, values = examples
    net = make_network(GAME, seed=0)
    layers = {"1": net.trunk[1], "2": net.trunk[3], "p": net.policy_head, "v": net.value_head}
    weights = {f"W{name}": layer.weight.detach().numpy().T.astype(float) for name, layer in layers.items()}
    weights |= {f"b{name}": layer.bias.detach().numpy().astype(float) for name, layer in layers.items()}
    _, by_hand = train_by_hand(
        weights,
        planes.reshape(96, 18),
        policies,
        values,
        np.random.default_rng(0),
        epochs=5,
        learning_rate=0.3,
        batch=96,
    )
    learned = fit(net, examples, torch.optim.SGD(net.parameters(), 0.3), epochs=5, batch=96)
    assert np.allclose(learned, by_hand, atol=1e-4)


def test_the_same_seed_learns_the_same(examples):
    def history(seed):
        net = make_network(GAME, 0)
        return fit(net, examples, torch.optim.Adam(net.parameters(), 0.01), epochs=3, seed=seed)

    assert history(0) == history(0) != history(1)


@pytest.mark.parametrize("kind", [Shared, Apart])
def test_one_trunk_or_two_networks_learn_from_planes_or_one_number_per_cell(kind, examples):
    planes, policies, values = examples
    for inputs, width in ((planes, 18), (one_number_per_cell(planes), 9)):
        net = kind(width, seed=0)
        history = fit(net, (inputs, policies, values), torch.optim.SGD(net.parameters(), 0.3), epochs=10)
        assert sum(history[-1]) < sum(history[0])
    assert set(np.unique(one_number_per_cell(planes))) <= {-1, 0, 1}
    assert one_number_per_cell(planes).shape == (96, 1, 3, 3)


def test_losses_are_those_of_the_formula():
    logits, pi = torch.tensor([[0.0, 0.0], [1.0, 0.0]]), torch.tensor([[0.5, 0.5], [1.0, 0.0]])
    p = np.e / (1 + np.e)
    assert cross_entropy_loss(logits, pi).item() == pytest.approx((np.log(2) - np.log(p)) / 2)
    assert squared_error_loss(logits, pi).item() == pytest.approx((1 - p) ** 2)
