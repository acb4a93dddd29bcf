"""Probes and what they rest on, against counting, torch's gradients and least squares."""

import itertools

import numpy as np
import pytest
import torch

from course_utils import agents
from course_utils.games import ConnectFour, TicTacToe, after
from course_utils.learning import knowledge
from course_utils.learning.proof import tictactoe_key
from course_utils.networks import probing
from course_utils.networks.policy_value import TorchNetwork, make_network
from course_utils.networks.wide import make_wide
from tests.tab_torch import run


@pytest.fixture(scope="module")
def ask():
    return knowledge.questions()


def layer(seed: int = 0, positions: int = 200, neurons: int = 7) -> np.ndarray:
    return np.random.default_rng(seed).normal(size=(positions, neurons))


def test_threats_are_the_moves_that_win_by_the_rules(ask):
    """A threat is there where its cell wins and its line is what is completed."""
    game, key = TicTacToe(), tictactoe_key()
    truth = probing.threats(ask.planes)
    for i, state in enumerate(key.states):
        expected = set()
        for action in game.legal_actions(state):
            cells = np.array(game.play(state, action).cells)
            for number, line in enumerate(probing.LINES):
                if action in line and all(cells[cell] == state.to_play for cell in line):
                    expected.add(3 * number + line.index(action))
        assert set(np.flatnonzero(truth[i])) == expected


def test_probe_is_where_the_slope_of_its_loss_is_zero():
    features, rng = layer(), np.random.default_rng(1)
    labels = features[:, 0] + rng.normal(size=len(features)) > 0.3
    for ridge in (0.01, 1.0):
        w = torch.tensor(probing.probe(features, labels, ridge), requires_grad=True)
        x = torch.tensor(features - features.mean(axis=0))
        y = torch.tensor(labels - labels.mean())
        loss = ((x @ w - y) ** 2).mean() + ridge * (w**2).sum()
        loss.backward()
        assert w.grad is not None and abs(w.grad).max() < 1e-12


def test_auc_counts_pairs():
    rng = np.random.default_rng(0)
    for _ in range(20):
        scores, labels = rng.integers(0, 5, size=12).astype(float), rng.random(12) < 0.5
        labels[:2] = True, False
        pairs = list(itertools.product(scores[labels], scores[~labels]))
        expected = np.mean([(one > other) + 0.5 * (one == other) for one, other in pairs])
        assert probing.auc(scores, labels) == pytest.approx(expected)


def test_a_probe_is_tested_on_positions_that_it_has_not_seen():
    """It learns 60 labels at random by heart with 80 features, and guesses the others."""
    rng = np.random.default_rng(0)
    features, labels = rng.normal(size=(1000, 80)), rng.random(1000) < 0.5
    held = np.arange(1000) >= 60
    assert 0.45 < probing.probe_auc(features, labels, held) < 0.55
    direction = probing.probe(features[~held], labels[~held])
    assert probing.auc(features[~held] @ direction, labels[~held]) > 0.99


def test_once_taken_away_a_concept_is_found_by_no_probe_and_nothing_else_moves():
    features = layer(positions=500)
    labels = features @ np.arange(7) > 1
    nobody = np.zeros(500, dtype=bool)
    blind = probing.without(features, labels, nobody)
    np.testing.assert_allclose(blind[labels].mean(axis=0), blind[~labels].mean(axis=0), atol=1e-12)
    assert abs(probing.probe(blind, labels)).max() < 1e-12
    moved = np.linalg.svd(features - blind, compute_uv=False)
    assert moved[0] > 1 and moved[1] < 1e-9  # along one direction
    again = probing.without(features, labels, np.arange(500) < 100)
    means = [again[100:][has].mean(axis=0) for has in (labels[100:], ~labels[100:])]
    np.testing.assert_allclose(*means, atol=1e-12)


@pytest.mark.parametrize("lines", [False, True])
@pytest.mark.parametrize("mirror", [False, True])
def test_a_wide_network_goes_on_from_each_of_its_layers(lines, mirror):
    game = ConnectFour()
    net = make_wide(game, seed=0, widths=(12, 10, 8), lines=lines, mirror=mirror).eval()
    _goes_on(net, np.array([game.encode(after(game, moves)) for moves in ([], [3, 3], [0, 1, 2, 6, 5])]))


def test_the_network_of_the_course_goes_on_from_each_of_its_layers(ask):
    net = make_network(TicTacToe(), seed=3)
    network = _goes_on(net, ask.planes[:50])
    inside = network.layers(ask.planes[:50])
    with torch.no_grad():
        np.testing.assert_allclose(inside[-1], net.trunk(torch.from_numpy(ask.planes[:50])), rtol=1e-6)
    np.testing.assert_array_equal(inside[0], ask.planes[:50].reshape(50, 18))


def _goes_on(net, planes) -> probing.OpenNetwork:
    network = probing.OpenNetwork(net)
    with torch.no_grad():
        value, logits = net(torch.from_numpy(planes))
    inside = network.layers(planes)
    assert len(inside) == len(network.names)
    for name, numbers in zip(network.names, inside, strict=True):
        if name.startswith("layer"):
            for mine, theirs in zip(network.answers(name, numbers), (value, logits), strict=True):
                np.testing.assert_allclose(mine, theirs, atol=1e-6)
    return network


def test_what_looks_alike_is_held_out_together(ask):
    game, key = TicTacToe(), tictactoe_key()
    alike = probing.look_alikes(game, ask.planes)
    held = probing.held_out(alike, np.random.default_rng(0))
    assert alike.max() + 1 == 627  # of 765, 138 are over
    assert 0.25 < held.mean() < 0.35
    place = {planes.tobytes(): i for i, planes in enumerate(ask.planes)}
    for i in range(0, len(key.states), 50):
        for turned, _ in game.symmetries(ask.planes[i], np.zeros(9)):
            assert held[place[np.ascontiguousarray(turned).tobytes()]] == held[i]


def test_importance_is_what_the_logarithm_loses_without_the_mark():
    game = TicTacToe()
    network, state = TorchNetwork(make_network(game, seed=0)), after(game, [0, 4, 8, 2, 6, 3])
    legal, planes = np.array(state.cells) == 0, game.encode(state)

    def log_policy(board):
        with torch.no_grad():
            _, logits = network.net(torch.from_numpy(board[None]))
        return torch.log_softmax(logits[0][torch.from_numpy(legal)], dim=0)[2].item()  # of 1, 5 and 7

    lost = probing.importance(network, planes, legal, 7)
    for place in np.ndindex(planes.shape):
        without = planes.copy()
        without[place] = 0
        assert lost[place] == pytest.approx(log_policy(planes) - log_policy(without), abs=1e-5)


def test_the_best_neuron_is_the_one_with_the_highest_auc():
    features, rng = layer(neurons=5), np.random.default_rng(2)
    labels = rng.random((200, 3)) < 0.3
    labels[:, 1] = features[:, 4] > 0.5
    chosen, best = knowledge.best_neurons(features, labels)
    for concept in range(3):
        values = [probing.auc(features[:, neuron], labels[:, concept]) for neuron in range(5)]
        assert chosen[concept] == np.argmax(values) and best[concept] == pytest.approx(max(values))
    assert chosen[1] == 4 and best[1] == 1


def test_what_is_said_of_the_shipped_network_holds(ask):
    """That it tells a win from layer to layer, plays by where it is, and not by that it is there."""
    network = probing.OpenNetwork(agents.load("tictactoe").network.net)
    board, first, second = knowledge.aucs(ask, network, knowledge.WIN)
    assert board < 0.82 and 0.92 < first < second and second > 0.98
    removed = np.array(
        [knowledge.wins_seen(ask, played) for played in knowledge.played_without(ask, network, "layer 1")]
    )
    assert removed.diagonal().max() < 0.2 and removed[~np.eye(9, dtype=bool)].mean() > 0.9
    features = network.layers(ask.planes)[-1]
    blind = probing.without(features, ask.concepts[knowledge.WIN], ask.held_out)
    before, after_it = (knowledge.opinion(ask, network, "layer 2", one, knowledge.WIN) for one in (features, blind))
    assert before.with_it - before.without_it > 0.9 and abs(after_it.with_it - after_it.without_it) < 0.2
    assert before.right - after_it.right < 0.01


def test_networks_open_in_a_browser_tab_too():
    """With the small torch in PyTorch's place: the same numbers from both shipped networks."""
    code = """
import numpy as np
from course_utils import agents
from course_utils.networks.probing import OpenNetwork
for name in ("tictactoe", "connect_four"):
    agent = agents.load(name)
    network = OpenNetwork(agent.network.net)
    layers = network.layers(agent.game.encode(agent.game.play(agent.game.initial_state(), 3))[None])
    value, logits = network.answers("layer 1", layers[network.names.index("layer 1")])
    print(float(value[0]), *logits[0].tolist())
"""
    shown = [np.array(line.split(), dtype=float) for line in run(code).splitlines()]
    for name, numbers in zip(("tictactoe", "connect_four"), shown, strict=True):
        agent = agents.load(name)
        value, logits = agent.network(agent.game.encode(after(agent.game, [3]))[None])
        np.testing.assert_allclose(numbers, [value[0], *logits[0]], atol=1e-4)
