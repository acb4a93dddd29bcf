"""The network by hand, beside torch's autograd in float64 and finite differences; and the games it learns from."""

import math

import numpy as np
import pytest
import torch

from course_utils.agents import SearchAgent
from course_utils.exercise import using
from course_utils.games import ConnectFour, TicTacToe, after
from course_utils.learning.arena import count_lines
from course_utils.learning.by_hand import alphazero_by_hand
from course_utils.learning.proof import tictactoe_key
from course_utils.learning.rollout_games import DATA, gather, load_games, rollout_game, save_games
from course_utils.networks import by_hand
from course_utils.networks.policy_value import make_network
from course_utils.networks.size import count_numbers
from course_utils.search.minimax import solve

torch.set_num_threads(1)
GAME = TicTacToe()
SIZES = [(5, 3, 3, 4), (18, 64, 9, 32), (18, 64, 9, 1)]  # inputs, hidden, actions, batch


def a_case(inputs, hidden, actions, batch, seed=0):
    """Random weights, biases included, and a batch of examples."""
    rng = np.random.default_rng(seed)
    weights = by_hand.random_weights(inputs, hidden, actions, rng)
    weights |= {name: rng.normal(scale=0.3, size=array.shape) for name, array in weights.items() if array.ndim == 1}
    x = rng.normal(size=(batch, inputs))
    return weights, x, rng.dirichlet(np.ones(actions), size=batch), rng.uniform(-1, 1, size=batch)


def in_torch(weights, x):
    t = {name: torch.tensor(array, requires_grad=True) for name, array in weights.items()}
    h = torch.relu(torch.relu(torch.tensor(x) @ t["W1"] + t["b1"]) @ t["W2"] + t["b2"])
    return t, torch.tanh(h @ t["Wv"] + t["bv"])[:, 0], h @ t["Wp"] + t["bp"]


def test_with_a_torch_networks_weights_the_answers_are_the_same():
    net = make_network(GAME, seed=0)
    for moves in ([4, 0, 8, 2], [0, 4, 8, 2, 6, 3]):
        planes = GAME.encode(after(GAME, moves))[None]
        value, logits = by_hand.Mlp(by_hand.weights_of(net))(planes)
        with torch.no_grad():
            torch_net = net.double()(torch.from_numpy(planes).double())
        assert np.allclose(value, torch_net[0], atol=1e-12) and np.allclose(logits, torch_net[1], atol=1e-12)


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("seed", range(3))
def test_forward_losses_and_gradients_agree_with_torch(size, seed):
    weights, x, policy, value = a_case(*size, seed)
    t, torch_value, torch_logits = in_torch(weights, x)
    activations = by_hand.mlp_forward(weights, x)
    np.testing.assert_allclose(activations.value, torch_value.detach(), atol=1e-12)
    np.testing.assert_allclose(activations.logits, torch_logits.detach(), atol=1e-12)
    value_loss = torch.nn.functional.mse_loss(torch_value, torch.tensor(value))
    policy_loss = torch.nn.functional.cross_entropy(torch_logits, torch.tensor(policy))
    np.testing.assert_allclose(
        by_hand.network_losses(activations, policy, value), (value_loss.item(), policy_loss.item()), atol=1e-12
    )
    (value_loss + policy_loss).backward()
    gradients = by_hand.network_backward(weights, activations, policy, value)
    assert gradients.keys() == weights.keys()
    for name, gradient in gradients.items():
        assert gradient.dtype == np.float64
        np.testing.assert_allclose(gradient, t[name].grad, atol=1e-9)


def test_gradients_agree_with_finite_differences():
    weights, x, policy, value = a_case(5, 3, 3, 4)

    def loss(some_weights):
        return sum(by_hand.network_losses(by_hand.mlp_forward(some_weights, x), policy, value))

    tried = by_hand.numerical_gradient(loss, weights)
    gradients = by_hand.network_backward(weights, by_hand.mlp_forward(weights, x), policy, value)
    for name in weights:
        np.testing.assert_allclose(gradients[name], tried[name], atol=1e-6)


def test_one_dense_layer_agrees_with_finite_differences():
    rng = np.random.default_rng(0)
    x, W, b, d_out = rng.normal(size=(4, 3)), rng.normal(size=(3, 2)), rng.normal(size=2), rng.normal(size=(4, 2))
    gradients = by_hand.dense_backward(d_out, x, W)
    tried = by_hand.numerical_gradient(
        lambda parts: (by_hand.dense_forward(parts["x"], parts["W"], parts["b"]) * d_out).sum(), dict(x=x, W=W, b=b)
    )
    for gradient, name in zip(gradients, ("x", "W", "b"), strict=True):
        np.testing.assert_allclose(gradient, tried[name], atol=1e-8)


def test_a_step_downhill_lowers_the_loss():
    weights, x, policy, value = a_case(18, 64, 9, 32)
    before = sum(by_hand.network_losses(by_hand.mlp_forward(weights, x), policy, value))
    gradients = by_hand.network_backward(weights, by_hand.mlp_forward(weights, x), policy, value)
    after = by_hand.sgd_step(weights, gradients, 0.01)
    squares = sum((gradient**2).sum() for gradient in gradients.values())
    fall = before - sum(by_hand.network_losses(by_hand.mlp_forward(after, x), policy, value))
    assert fall == pytest.approx(0.01 * squares, rel=0.05)  # as the gradient promises


def test_parameters_and_the_network_protocol():
    assert count_numbers(by_hand.make_mlp(GAME, 0).weights) == 6026
    assert count_numbers(by_hand.random_weights(5, 3, 3, np.random.default_rng(0))) == 46
    for game in (GAME, ConnectFour()):
        value, logits = by_hand.make_mlp(game, 0)(np.stack([game.encode(game.initial_state())] * 3))
        assert value.shape == (3,) and logits.shape == (3, game.num_actions) and value.dtype == np.float64
    network = by_hand.make_mlp(GAME, 0)
    network.weights["bv"][:] = math.nan
    with pytest.raises(ValueError, match="the network's value is NaN"):
        network(np.zeros((1, 2, 3, 3)))


def test_the_same_weights_in_torch_say_the_same():
    net, network = make_network(GAME, seed=0), by_hand.make_mlp(GAME, seed=4)
    layers = {"1": net.trunk[1], "2": net.trunk[3], "p": net.policy_head, "v": net.value_head}
    with torch.no_grad():
        for name, layer in layers.items():
            layer.weight.copy_(torch.tensor(network.weights[f"W{name}"].T))
            layer.bias.copy_(torch.tensor(network.weights[f"b{name}"]))
    planes = np.stack([GAME.encode(state) for state in list(solve(GAME, GAME.initial_state()))[:200]])
    value, logits = net(torch.from_numpy(planes))
    np.testing.assert_allclose(network(planes)[0], value.detach(), atol=1e-5)
    np.testing.assert_allclose(network(planes)[1], logits.detach(), atol=1e-5)


def test_softmax_and_cross_entropy_at_their_limits():
    logits = np.array([[1e4, -1e4, 0.0], [-3.0, -3.0, -3.0]])
    np.testing.assert_allclose(by_hand.softmax(logits), torch.softmax(torch.tensor(logits), 1), atol=1e-15)
    assert by_hand.cross_entropy(np.array([[1.0, 0.0]]), np.array([[1.0, 0.0]])) == 0


@pytest.mark.parametrize(("name", "positions", "decided"), [("mcts_games", 896, 2), ("mcts_games_sampled", 762, 51)])
def test_recorded_games(name, positions, decided):
    table = load_games(name)
    assert table.games.max() == 99 and len(table.values) == positions
    assert len(set(table.games[table.values != 0])) == decided
    np.testing.assert_allclose(table.policies.sum(axis=1), 1)
    taken = table.planes.sum(axis=1).reshape(-1, 9)
    assert not table.policies[taken > 0].any()
    assert (DATA / f"{name}.npz").stat().st_size < 150_000


def test_games_are_recorded_as_played_and_repeat_with_the_seed(tmp_path):
    games = [rollout_game(GAME, 30, np.random.default_rng(seed), sampled=True) for seed in range(3)]
    path = tmp_path / "games.npz"
    save_games(path, games)
    first = path.read_bytes()
    save_games(path, [rollout_game(GAME, 30, np.random.default_rng(seed), sampled=True) for seed in range(3)])
    assert path.read_bytes() == first
    table = gather(games)
    assert len(table.some(table.games == 1).values) == len(games[1][2])
    with pytest.raises(ValueError, match=r"there are: \['mcts_games'"):
        load_games("none")


def test_training_lowers_the_policy_loss_to_its_floor_and_not_below():
    table = load_games("mcts_games")
    x = table.planes.reshape(len(table.values), -1)
    weights = by_hand.make_mlp(GAME, 0).weights
    copies = {name: array.copy() for name, array in weights.items()}
    rng = np.random.default_rng(0)
    _, history = by_hand.train_by_hand(
        weights, x, table.policies, table.values, rng, epochs=5, learning_rate=0.05, batch=8
    )
    assert all(np.array_equal(copies[name], weights[name]) for name in weights)
    floor = by_hand.cross_entropy(table.policies, table.policies)
    assert history[0][1] > 2.1 and floor < history[-1][1] < 1.4


# --- AlphaZero by hand -----------------------------------------------------------------------------------------------


def test_alphazero_by_hand_learns_until_it_can_lose_no_game():
    """Counted by the rules of the game, one game after the other."""
    game, rng = TicTacToe(), np.random.default_rng(0)
    first, key = by_hand.random_weights(18, 64, 9, rng), tictactoe_key()

    def losing(weights):
        return sum(key.losing_lines(key.moves(by_hand.Mlp(weights), 0)))

    last = next(weights for weights in alphazero_by_hand(game, first, rng) if losing(weights) == 0)
    agents = [SearchAgent(game, by_hand.Mlp(weights), 0) for weights in (first, last)]
    lost = [sum(count_lines(game, agent, side).losses for side in (1, -1)) for agent in agents]
    assert lost == [losing(first), 0]
    assert lost[0] > 300


def test_alphazero_by_hand_learns_by_the_learners_functions():
    game, rng = TicTacToe(), np.random.default_rng(0)
    first = by_hand.random_weights(18, 64, 9, rng)
    with using({"sgd_step": lambda weights, gradients, learning_rate: weights}):
        [last] = alphazero_by_hand(game, first, rng, iterations=1, games=2, steps=3)
    assert last is first
