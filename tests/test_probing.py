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
    for compared in (np.ones(500, dtype=bool), np.arange(500) >= 100, features[:, 0] > 0):
        blind = probing.without(features, labels, compared)
        means = [blind[compared & has].mean(axis=0) for has in (labels, ~labels)]
        np.testing.assert_allclose(*means, atol=1e-12)
        assert abs(probing.probe(blind[compared], labels[compared])).max() < 1e-12
        moved = np.linalg.svd(features - blind)
        assert moved.S[0] > 1 and moved.S[1] < 1e-9  # along one direction
        places = blind @ moved.Vh[0]
        np.testing.assert_allclose(places, (features[compared] @ moved.Vh[0]).mean(), atol=1e-12)


def test_the_principal_component_carries_the_largest_share_of_the_variance():
    features = layer(neurons=5) * [1, 2, 0.5, 3, 1]
    shares = np.linalg.svd(features - features.mean(axis=0), compute_uv=False) ** 2
    blind = probing.flattened(features, probing.principal_component(features))
    assert probing.variance_removed(features, blind) == pytest.approx(shares[0] / shares.sum())
    assert probing.variance_removed(features, features) == 0


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


def test_situations_are_those_of_the_rules(ask):
    """By playing c, for both sides, in every 20th held-out position."""
    game, key = TicTacToe(), tictactoe_key()
    each_cell = [knowledge.situations(ask, cell) for cell in range(9)]
    for i in np.flatnonzero(ask.held_out)[::20]:
        state = key.states[i]
        legal = game.legal_actions(state)
        other = state._replace(to_play=-state.to_play)
        wins, blocks = ({c for c in legal if _completes(game, side, c)} for side in (state, other))
        for cell in range(9):
            expected = set()
            if len(legal) > 1 and len(wins) == 1:
                expected.add("c wins" if cell in wins else "another cell wins")
            if len(legal) > 1 and not wins and blocks == {cell}:
                expected.add("c must be blocked")
            if cell in legal and not wins and not blocks:
                expected.add("no threat")
            assert {name for name, positions in each_cell[cell].items() if positions[i]} == expected


def _completes(game, state, cell) -> bool:
    cells = np.array(game.play(state, cell).cells)
    return any(cell in line and (cells[list(line)] == state.to_play).all() for line in probing.LINES)


def test_shares_played_of_players_that_are_known(ask):
    """One that always plays c, one that never does, and one that wins where it can."""
    always = knowledge.shares_played(ask, [np.full(len(ask.planes), cell) for cell in range(9)])
    assert always == {"c wins": 1, "c must be blocked": 1, "no threat": 1, "another cell wins": 0}
    never = knowledge.shares_played(ask, [np.full(len(ask.planes), (cell + 1) % 9) for cell in range(9)])
    assert never["c wins"] == never["c must be blocked"] == never["no threat"] == 0
    winner = knowledge.shares_played(ask, [ask.winning.argmax(axis=1)] * 9)
    assert winner["c wins"] == winner["another cell wins"] == 1


def test_a_control_task_is_told_by_a_layer_that_keeps_the_patterns_and_by_no_other(ask):
    rng = np.random.default_rng(0)
    top_row = (ask.planes[:, 0] - ask.planes[:, 1])[:, 0]
    labels = knowledge.control_labels(top_row, rng)
    told = dict(zip(map(tuple, top_row.tolist()), labels.tolist(), strict=True))
    assert len(told) == 25 and [told[tuple(row)] for row in top_row.tolist()] == labels.tolist()
    _, pattern = np.unique(top_row, axis=0, return_inverse=True)
    by_heart, noise = np.eye(25)[pattern.ravel()], rng.normal(size=(len(labels), 25))
    kept, lost = knowledge.control_auc([by_heart, noise], top_row, ask.held_out)
    assert kept > 0.999 and 0.45 < lost < 0.55


def test_paired_counts_what_changes_in_either_direction():
    before, after_it = np.array([1, 1, 1, 0, 0], dtype=bool), np.array([1, 0, 0, 1, 0], dtype=bool)
    assert knowledge.paired(before, after_it) == (2, 1, 5)


def test_what_is_said_of_the_shipped_network_holds(ask):
    """That it tells a win from layer to layer; that "c is free" empties the diagonal; that moves and value come apart."""
    network = probing.OpenNetwork(agents.load("tictactoe").network.net)
    board, first, second = knowledge.aucs(ask, network, knowledge.WIN)
    assert board < 0.82 and 0.92 < first < second and second > 0.98
    removed = np.array(
        [knowledge.wins_seen(ask, played) for played in knowledge.played_without(ask, network, "layer 1", "c wins")]
    )
    assert removed.diagonal().max() < 0.2 and removed[~np.eye(9, dtype=bool)].mean() > 0.9
    played = knowledge.played_by_direction(ask, network, "layer 1")
    assert max(played["c is free"][name] for name in ("c wins", "c must be blocked", "no threat")) < 0.05
    fair, control = played["c wins, if c is free"], played["c must be blocked, if c is free"]
    assert abs(fair["c wins"] - fair["no threat"]) < 0.1 and fair["c must be blocked"] > 0.95
    assert control["c wins"] > 0.85 and control["c must be blocked"] < 0.65
    features = network.layers(ask.planes)[-1]
    lessons = ~ask.held_out

    def blind_to(concept):
        return knowledge.opinion(
            ask, network, "layer 2", probing.without(features, ask.concepts[concept], lessons), knowledge.WIN
        )

    before = knowledge.opinion(ask, network, "layer 2", features, knowledge.WIN)
    after_it, other = blind_to(knowledge.WIN), blind_to(knowledge.DANGER)
    assert before.with_it - before.without_it > 0.9 and abs(after_it.with_it - after_it.without_it) < 0.2
    assert knowledge.paired(before.right, after_it.right).lost < 10
    assert knowledge.paired(before.right, other.right).lost > 40


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
