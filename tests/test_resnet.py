"""The residual network: published sizes, faster copies that say the same, the memory of positions."""

import numpy as np
import pytest
import torch
from torch import nn

from course_utils.games import ConnectFour, TicTacToe
from course_utils.games.batched import make_batched
from course_utils.learning.batched_self_play import batched_openings
from course_utils.networks.cache import CachedNetwork
from course_utils.networks.checkpoint import load_network, save_network
from course_utils.networks.fast import FoldedNetwork, NumpyNetwork, bfloat16_pays, fast_inference
from course_utils.networks.policy_value import TorchNetwork, make_network
from course_utils.networks.resnet import ResNet, make_resnet
from course_utils.networks.size import count_numbers
from course_utils.search.batched import batched_search
from course_utils.tests.world.networks import HashNetwork


def positions(game, count, plies=8, seed=0):
    batched = make_batched(game)
    return batched_openings(batched, count, share=1.0, plies=plies, rng=np.random.default_rng(seed))[0]


def a_used_resnet(game, **config) -> ResNet:
    """With running statistics as if it had learned."""
    net = make_resnet(game, seed=0, **config)
    generator = torch.Generator().manual_seed(1)
    for layer in net.modules():
        if isinstance(layer, nn.BatchNorm2d):
            layer.running_mean.normal_(0, 0.1, generator=generator)
            layer.running_var.uniform_(0.5, 2, generator=generator)
    return net.eval()


@pytest.mark.parametrize(("blocks", "channels", "numbers"), [(1, 32, 23_780), (19, 256, 22_550_276)])
def test_published_sizes(blocks, channels, numbers):
    """Tic-tac-toe with a third plane for the player to move, no biases, policy and hidden layer as wide as the tower."""
    with torch.device("meta"):  # nothing is allocated
        net = ResNet(3, 3, 3, 9, blocks, channels, policy_filters=channels, value_hidden=channels, bias=False)
    assert count_numbers(net.state_dict()) == numbers


@pytest.mark.parametrize("game", [TicTacToe(), ConnectFour()], ids=lambda game: game.name)
def test_shapes_seeds_and_checkpoints(game, tmp_path):
    net = make_resnet(game, seed=3, blocks=1, channels=8)
    state = torch.get_rng_state()
    same = make_resnet(game, seed=3, blocks=1, channels=8)
    assert torch.equal(state, torch.get_rng_state())
    planes = make_batched(game).encode(positions(game, 5))
    value, logits = TorchNetwork(net)(planes)
    assert value.shape == (5,) and logits.shape == (5, game.num_actions) and (np.abs(value) < 1).all()
    assert np.array_equal(logits, TorchNetwork(same)(planes)[1])
    save_network(tmp_path / "net.pt", net, game.name)
    loaded = load_network(tmp_path / "net.pt", game.name)
    assert isinstance(loaded, ResNet) and np.array_equal(logits, TorchNetwork(loaded)(planes)[1])


@pytest.mark.parametrize("boards", [1, 5, 33, 64])
def test_folded_networks_say_the_same(boards):
    game = ConnectFour()
    net = a_used_resnet(game, blocks=2, channels=16)
    weights = {name: tensor.clone() for name, tensor in net.state_dict().items()}
    planes = make_batched(game).encode(positions(game, boards, plies=20))
    expected = TorchNetwork(net)(planes)
    for answer, tolerance in ((FoldedNetwork(net), 1e-5), (FoldedNetwork(net, torch.bfloat16), 0.02)):
        for got, wanted in zip(answer(planes), expected, strict=True):
            assert got.dtype == np.float32 and got.shape == wanted.shape
            assert np.allclose(got, wanted, atol=tolerance)
    assert all(torch.equal(weights[name], tensor) for name, tensor in net.state_dict().items())


def test_the_fast_copy_suits_the_network():
    game = TicTacToe()
    net = make_network(game, seed=0)
    planes = make_batched(game).encode(positions(game, 50, plies=6))
    fast = fast_inference(net)
    assert isinstance(fast, NumpyNetwork)
    for got, wanted in zip(fast(planes), TorchNetwork(net)(planes), strict=True):
        assert got.dtype == np.float32 and np.allclose(got, wanted, atol=1e-5)
    wanted = torch.bfloat16 if bfloat16_pays() else torch.float32
    assert fast_inference(make_resnet(game, seed=0, blocks=1, channels=8)).dtype == wanted


@pytest.mark.parametrize("kind", [make_network, a_used_resnet])
def test_a_network_that_diverged_is_named(kind):
    game = TicTacToe()
    net = make_network(game, 0) if kind is make_network else a_used_resnet(game, blocks=1, channels=8)
    for parameter in net.parameters():
        parameter.data.fill_(float("nan"))
    with pytest.raises(ValueError, match="NaN"):
        fast_inference(net)(np.zeros((2, 2, 3, 3), dtype=np.float32))


@pytest.mark.parametrize("slots", [2**16, 7])
def test_the_cache_changes_no_output_and_evaluates_once(slots):
    game = ConnectFour()
    batched, network = make_batched(game), HashNetwork(7)
    states = positions(game, 60, plies=12)
    cached = CachedNetwork(network, slots)
    for _ in range(3):
        assert np.array_equal(
            batched_search(batched, states, cached, 20, 1.5), batched_search(batched, states, HashNetwork(7), 20, 1.5)
        )
    assert cached.requested > cached.evaluated
    if slots > 1000:
        assert cached.evaluated < cached.requested / 2.9  # two of three times all is cached
        planes = batched.encode(states)
        before = cached.evaluated
        cached(planes)
        assert cached.evaluated - before < 5  # two positions may share a row of the table
    twice = CachedNetwork(HashNetwork(7))
    twice(np.zeros((9, 2, 6, 7), dtype=np.float32))
    assert (twice.requested, twice.evaluated) == (9, 1)
