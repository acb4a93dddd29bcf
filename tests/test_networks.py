"""The network and its adapter, against torch's own functions and arithmetic done here."""

import math

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from course_utils.games import ConnectFour, TicTacToe, after
from course_utils.networks import UniformNetwork, masked_policy
from course_utils.networks.fast import fast_inference
from course_utils.networks.policy_value import TorchNetwork, make_network
from course_utils.networks.resnet import make_resnet

torch.set_num_threads(1)
GAME = TicTacToe()


def _planes(*games_so_far):
    return np.stack([GAME.encode(after(GAME, actions)) for actions in games_so_far])


@given(
    logits=arrays.arrays(np.float64, st.integers(1, 12), elements=st.floats(-1e6, 1e6)),
    seed=st.integers(0, 1000),
)
def test_masked_policy_is_torchs_softmax_of_the_legal_logits(logits, seed):
    legal = np.random.default_rng(seed).random(len(logits)) < 0.5
    legal[seed % len(logits)] = True
    policy = masked_policy(logits, legal)
    assert policy.dtype == np.float64
    assert not policy[~legal].any()
    np.testing.assert_allclose(policy[legal], torch.softmax(torch.from_numpy(logits[legal]), dim=0), atol=1e-12)


@given(seed=st.integers(0, 1000), shift=st.floats(-1e5, 1e5))
def test_adding_a_number_to_all_logits_changes_no_probability(seed, shift):
    logits = np.random.default_rng(seed).normal(size=9)
    legal = np.arange(9) % 2 == 0
    np.testing.assert_allclose(masked_policy(logits + shift, legal), masked_policy(logits, legal), atol=1e-9)


@pytest.mark.parametrize("bad", [math.nan, math.inf, -math.inf])
def test_logits_that_are_not_finite_end_in_one_clear_sentence(bad):
    with pytest.raises(ValueError, match="not finite: its weights have probably diverged"):
        masked_policy(np.array([0.0, bad]), np.array([True, True]))
    assert masked_policy(np.array([0.0, bad]), np.array([True, False])).tolist() == [1, 0]  # illegal: of no account


def test_the_network_has_6026_parameters():
    net = make_network(GAME, seed=0)
    layers = [layer for layer in net.modules() if isinstance(layer, torch.nn.Linear)]
    assert [sum(w.numel() for w in layer.parameters()) for layer in layers] == [1216, 4160, 585, 65]
    assert sum(w.numel() for w in net.parameters()) == 6026
    assert sum(w.numel() for w in make_network(GAME, 0, hidden=16).parameters()) == 746


def test_weights_keep_to_xaviers_limits_and_fill_them():
    for layer in make_network(GAME, seed=5).modules():
        if isinstance(layer, torch.nn.Linear):
            limit = math.sqrt(6 / (layer.in_features + layer.out_features))
            assert 0.9 * limit < layer.weight.abs().max() <= limit
            assert not layer.bias.any()


def test_the_same_seed_gives_the_same_network_whatever_else_was_drawn():
    first = make_network(GAME, seed=1).state_dict()
    torch.rand(7)
    again, different = make_network(GAME, seed=1).state_dict(), make_network(GAME, seed=2).state_dict()
    assert all(torch.equal(first[name], again[name]) for name in first)
    assert not torch.equal(first["trunk.1.weight"], different["trunk.1.weight"])


@pytest.mark.parametrize("game", [TicTacToe(), ConnectFour()])
def test_outputs_have_the_promised_shapes_and_range(game):
    planes = torch.from_numpy(np.stack([game.encode(game.initial_state())] * 5))
    value, logits = make_network(game, seed=0)(planes)
    assert value.shape == (5,)
    assert logits.shape == (5, game.num_actions)
    assert (value.abs() < 1).all()
    (value.sum() + logits.sum()).backward()  # gradients flow


def test_the_adapter_evaluates_each_position_as_if_it_were_alone():
    network = TorchNetwork(make_network(GAME, seed=3))
    batch = _planes([], [4], [4, 0], [4, 0, 8])
    value, logits = network(batch)
    assert isinstance(value, np.ndarray)
    assert isinstance(logits, np.ndarray)
    for row in range(4):
        alone_value, alone_logits = network(batch[row : row + 1])
        np.testing.assert_allclose(alone_value, value[row : row + 1], atol=1e-6)
        np.testing.assert_allclose(alone_logits, logits[row : row + 1], atol=1e-6)


def test_the_adapter_evaluates_in_evaluation_mode_and_accepts_views_and_doubles():
    net = make_network(GAME, seed=0).train()
    network = TorchNetwork(net)
    board = _planes([4, 0])
    mirrored = board[:, :, :, ::-1]  # negative strides, which torch refuses
    network(mirrored.astype(np.float64))
    assert not net.training
    np.testing.assert_array_equal(network(mirrored)[0], network(mirrored.copy())[0])


@pytest.mark.parametrize("adapter", [TorchNetwork, fast_inference])
@pytest.mark.parametrize("make", [make_network, make_resnet])
def test_planes_of_any_kind_of_number_are_evaluated_alike(adapter, make):
    network, boards = adapter(make(GAME, seed=0).eval()), _planes([4, 0], [])
    for kind in (np.float64, np.int64, np.int8, bool):
        np.testing.assert_array_equal(network(boards.astype(kind))[1], network(boards)[1])


def test_a_network_that_has_diverged_says_so():
    net = make_network(GAME, seed=0)
    with torch.no_grad():
        net.value_head.bias.fill_(math.nan)
    with pytest.raises(ValueError, match="the network's value is NaN: its weights have probably diverged"):
        TorchNetwork(net)(_planes([4]))


def test_the_uniform_network_knows_nothing():
    value, logits = UniformNetwork(9)(_planes([], [4]))
    assert value.tolist() == [0, 0]
    assert not logits.any()
    assert logits.shape == (2, 9)
