"""The batched search on a torch device: visit for visit the one on NumPy.

Tested on the processor, and on a GPU where there is one.
"""

import numpy as np
import pytest
import torch

from course_utils.games import ConnectFour, ConnectN, TicTacToe
from course_utils.games.batched import make_batched
from course_utils.learning.batched_self_play import batched_openings, batched_root_noise, batched_self_play
from course_utils.networks.fast import FoldedNetwork, NumpyNetwork
from course_utils.networks.policy_value import make_network
from course_utils.networks.resnet import make_resnet
from course_utils.search.batched import ROOT, batched_search
from course_utils.search.on_device import DeviceGame, DeviceSearch, network_on_device
from tests.othello import Othello

DEVICES = ["cpu"] + ["cuda"] * torch.cuda.is_available()
GAMES = [TicTacToe(), ConnectFour(), ConnectN(5, 4, 3), ConnectN(7, 8, 4)]  # the last fills all 64 bits


def positions(game, count=40, plies=12) -> np.ndarray:
    """From the start to games that are over."""
    batched, rng = make_batched(game), np.random.default_rng(0)
    states, _ = batched_openings(batched, count, share=0.9, plies=plies, rng=rng)
    moved = batched.play(
        states, np.where(batched.legal(states), rng.random((count, game.num_actions)), -1).argmax(axis=1)
    )
    return np.concatenate([states, moved])


def table(game, device=None):
    """A network that looks its outputs up, so that they are exact on every device, and differ between positions."""
    cells = game.planes * game.rows * game.columns
    draw = np.random.default_rng(1)
    weights = draw.integers(-8, 9, size=(cells, game.num_actions + 1)).astype(np.float64) / 16
    on_device = torch.from_numpy(weights).to(device) if device else None

    def ask(planes):
        if device is None:
            heads = planes.reshape(len(planes), -1).astype(np.float64) @ weights
            return np.clip(heads[:, -1], -1, 1), heads[:, :-1]
        heads = planes.reshape(len(planes), -1).double() @ on_device
        return heads[:, -1].clamp(-1, 1), heads[:, :-1]

    return ask


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("game", GAMES, ids=lambda game: game.name)
def test_the_rules_are_the_ones_on_numpy(game, device):
    batched, states = make_batched(game), positions(game)
    rules, tensors = DeviceGame(batched, device), torch.from_numpy(states.astype(np.int64)).to(device)
    legal, (over, value) = batched.legal(states), batched.outcome(states)
    assert over.any() and not over.all()
    assert np.array_equal(rules.legal(tensors).cpu(), legal)
    for ours, theirs in zip(rules.outcome(tensors), (over, value), strict=True):
        assert np.array_equal(ours.cpu(), theirs)
    assert np.array_equal(rules.encode(tensors).cpu(), batched.encode(states))
    going = ~over
    actions = legal[going].argmax(axis=1)
    played = rules.play(tensors[torch.from_numpy(going)], torch.from_numpy(actions).to(device))
    assert np.array_equal(played.cpu().numpy().astype(np.uint64), batched.play(states[going], actions))


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("game", GAMES, ids=lambda game: game.name)
def test_with_a_table_for_a_network_every_visit_is_the_one_on_numpy(game, device):
    batched, states = make_batched(game), positions(game)
    for simulations, c_puct in ((1, 1.5), (60, 1.25)):
        ours, tree = DeviceSearch(device)(batched, states, table(game, device), simulations, c_puct, return_tree=True)
        theirs, there = batched_search(batched, states, table(game), simulations, c_puct, return_tree=True)
        assert ours.dtype == theirs.dtype and np.array_equal(ours, theirs)
        np.testing.assert_allclose(tree.W[:, ROOT], there.W[:, ROOT], atol=1e-12)
        np.testing.assert_allclose(tree.P[:, ROOT], there.P[:, ROOT], atol=1e-12)
    over, _ = batched.outcome(states)
    assert (ours.sum(axis=1) == np.where(over, 0, 60)).all()


def test_root_noise_is_drawn_once_as_on_numpy():
    game = ConnectFour()
    batched, states = make_batched(game), positions(game)

    def noise(prior, legal, rng):
        return batched_root_noise(prior, legal, rng, alpha=1.0, fraction=0.25)

    searches = ((DeviceSearch("cpu"), table(game, "cpu")), (batched_search, table(game)))
    visits = [
        search(batched, states, network, 40, 1.25, noise=noise, rng=np.random.default_rng(5))
        for search, network in searches
    ]
    assert np.array_equal(*visits)
    assert not np.array_equal(visits[0], batched_search(batched, states, table(game), 40, 1.25))


def test_self_play_on_a_device_is_self_play():
    game = ConnectN(3, 4, 3)
    batched, net = make_batched(game), make_network(game, seed=0)
    ways = ((DeviceSearch("cpu"), network_on_device(net, "cpu")), (batched_search, NumpyNetwork(net)))
    ours, theirs = (
        batched_self_play(batched, network, 20, np.random.default_rng(2), simulations=8, puct=search)
        for search, network in ways
    )
    assert ours.games == theirs.games == 20
    np.testing.assert_array_equal(ours.policy, theirs.policy)
    np.testing.assert_allclose(ours.value, theirs.value, atol=1e-6)


def test_a_tower_on_a_device_evaluates_as_it_does_elsewhere():
    game = ConnectFour()
    net = make_resnet(game, seed=0, blocks=1, channels=8).eval()
    planes = make_batched(game).encode(positions(game))
    with torch.inference_mode():
        value, logits = network_on_device(net, "cpu")(torch.from_numpy(planes))
    expected = FoldedNetwork(net, torch.float32)(planes)
    for ours, theirs in zip((value, logits), expected, strict=True):
        np.testing.assert_allclose(ours, theirs, atol=0.05)


def test_a_network_that_has_diverged_and_a_game_without_bitboards_end_in_a_sentence():
    game = TicTacToe()
    batched = make_batched(game)

    def diverged(planes):
        return torch.full((len(planes),), torch.nan), torch.zeros(len(planes), 9)

    with pytest.raises(ValueError, match="its weights have probably diverged"):
        DeviceSearch("cpu")(batched, batched.initial(2), diverged, 4, 1.5)
    other = make_batched(Othello())
    with pytest.raises(ValueError, match="leave DEVICE out"):
        DeviceSearch("cpu")(other, other.initial(1), diverged, 4, 1.5)
