"""A network with two heads in numpy, forward and backward, exactly as the notebook 'The network by hand' teaches it.

Weights and gradients are dictionaries with the same eight names: W1, b1 and W2, b2 (the trunk), Wp, bp (the policy
head) and Wv, bv (the value head). A weight matrix is [inputs, outputs], a bias [outputs]. All are float64.
"""

from typing import NamedTuple

import numpy as np
from torch import nn

from course_utils.exercise import exercise
from course_utils.games import Game

Weights = dict[str, np.ndarray]
LAYERS = {"1": "trunk.1", "2": "trunk.3", "p": "policy_head", "v": "value_head"}  # our name -> PyTorch's


class Activations(NamedTuple):
    """What a network computed on the way from x to its two answers: the backward pass needs all of it."""

    x: np.ndarray  # [batch, inputs]
    first: np.ndarray  # [batch, hidden], after ReLU
    second: np.ndarray  # [batch, hidden], after ReLU: the features that both heads read
    logits: np.ndarray  # [batch, num_actions]
    value: np.ndarray  # [batch], after tanh


# --- forward ---------------------------------------------------------------------------------------------------------


@exercise("21")
def relu(x: np.ndarray) -> np.ndarray:
    """Every negative number becomes 0, every other one stays. Returns a new array."""
    return np.maximum(x, 0)


@exercise("21")
def dense_forward(x: np.ndarray, W: np.ndarray, b: np.ndarray) -> np.ndarray:
    """A layer of neurons, for a whole batch: weighted sums of the inputs, plus a bias.

    x: [batch, inputs].
    W: [inputs, outputs]; column j holds the weights of neuron j.
    b: [outputs].
    Returns [batch, outputs], without an activation.
    """
    return x @ W + b


@exercise("21")
def softmax(logits: np.ndarray) -> np.ndarray:
    """A policy for each row: e ** logit, divided by the sum of its row.

    logits: [batch, num_actions]. Large ones must not overflow.
    Returns [batch, num_actions]; each row sums to 1.
    """
    weights = np.exp(logits - logits.max(axis=1, keepdims=True))
    return weights / weights.sum(axis=1, keepdims=True)


@exercise("21")
def cross_entropy(policy: np.ndarray, target: np.ndarray) -> float:
    """-sum over actions of target * ln policy, as a mean over the batch.

    policy: [batch, num_actions], the network's.
    target: [batch, num_actions]. Where it is 0, the action adds nothing, whatever its policy.
    Returns one number.
    """
    wanted = target > 0
    return -(target[wanted] * np.log(policy[wanted])).sum() / len(target)


def xavier(inputs: int, outputs: int, rng: np.random.Generator) -> np.ndarray:
    """Random weights from -limit to +limit, evenly, with limit = sqrt(6 / (inputs + outputs)).

    rng: draw with this generator.
    Returns [inputs, outputs]. (Glorot and Bengio 2010.)
    """
    limit = np.sqrt(6 / (inputs + outputs))
    return rng.uniform(-limit, limit, size=(inputs, outputs))


@exercise("21")
def mlp_forward(weights: Weights, x: np.ndarray) -> Activations:
    """x -> first hidden layer -> second hidden layer -> {logits, value}.

    Both hidden layers end in ReLU, the policy head in nothing, the value head in tanh.
    weights: W1, b1, W2, b2, Wp, bp, Wv, bv by name.
    x: [batch, inputs].
    Returns Activations; its value is [batch], though Wv is [hidden, 1].
    """
    first = relu(dense_forward(x, weights["W1"], weights["b1"]))
    second = relu(dense_forward(first, weights["W2"], weights["b2"]))
    logits = dense_forward(second, weights["Wp"], weights["bp"])
    value = np.tanh(dense_forward(second, weights["Wv"], weights["bv"]))[:, 0]
    return Activations(x, first, second, logits, value)


def random_weights(inputs: int, hidden: int, num_actions: int, rng: np.random.Generator) -> Weights:
    """Weights by `xavier`, biases 0."""
    layers = {"1": (inputs, hidden), "2": (hidden, hidden), "p": (hidden, num_actions), "v": (hidden, 1)}
    weights = {}
    for name, (before, after) in layers.items():
        weights[f"W{name}"] = xavier(before, after, rng)
        weights[f"b{name}"] = np.zeros(after)
    return weights


def weights_of(net: nn.Module) -> Weights:
    """The parameters of a PyTorch network under our eight names, in float64.

    (PyTorch keeps a layer's weights as [outputs, inputs], so they are turned.)
    """
    numbers = {name: np.array(tensor, dtype=np.float64) for name, tensor in net.state_dict().items()}
    weights = {}
    for name, layer in LAYERS.items():
        weights[f"W{name}"] = numbers[f"{layer}.weight"].T
        weights[f"b{name}"] = numbers[f"{layer}.bias"]
    return weights


class Mlp:
    """A network made of `weights`, as a search sees it: planes in, (value, logits) out."""

    def __init__(self, weights: Weights):
        self.weights = weights

    def __call__(self, planes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """As `Network`, in float64. Raises ValueError if the network's value is NaN."""
        activations = mlp_forward(self.weights, np.asarray(planes, dtype=np.float64).reshape(len(planes), -1))
        if np.isnan(activations.value).any():
            raise ValueError("the network's value is NaN: its weights have probably diverged")
        return activations.value, activations.logits


def make_mlp(game: Game, seed: int, hidden: int = 64) -> Mlp:
    """A network with random weights for `game`. For tic-tac-toe 18-64-64-{9, 1}: 6,026 parameters."""
    inputs = game.planes * game.rows * game.columns
    return Mlp(random_weights(inputs, hidden, game.num_actions, np.random.default_rng(seed)))


# --- losses and backward ---------------------------------------------------------------------------------------------


def network_losses(
    activations: Activations, target_policy: np.ndarray, target_value: np.ndarray
) -> tuple[float, float]:
    """(value loss, policy loss), means over the batch: (z - v)^2 and the cross-entropy. What is minimized is their sum.

    Args:
        target_policy: [batch, num_actions], each row sums to 1.
        target_value: [batch], for the player to move.
    """
    value_loss = np.mean((target_value - activations.value) ** 2)
    return value_loss, cross_entropy(softmax(activations.logits), target_policy)


@exercise("21")
def dense_backward(
    d_out: np.ndarray,
    x: np.ndarray,
    W: np.ndarray,
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The gradients of a loss with respect to what went into `dense_forward(x, W, b)`.

    d_out: [batch, outputs], the gradient with respect to what came out.
    x: [batch, inputs]. W: [inputs, outputs].
    Returns d_x, d_W, d_b, in the shapes of x, W and b; d_W and d_b are sums over the batch.
    """
    d_x = d_out @ W.T
    d_W = x.T @ d_out
    d_b = d_out.sum(axis=0)
    return d_x, d_W, d_b


@exercise("21")
def network_backward(
    weights: Weights,
    activations: Activations,
    target_policy: np.ndarray,
    target_value: np.ndarray,
) -> Weights:
    """The gradient of (z - v)^2 plus the cross-entropy, both means over the batch.

    activations: what `mlp_forward` made of `weights` and some positions.
    target_policy: [batch, num_actions], each row sums to 1.
    target_value: [batch], for the player to move.
    Returns a new dictionary: for each name in `weights` a gradient of the same shape.
    """
    x, first, second, logits, value = activations
    d_logits = (softmax(logits) - target_policy) / len(x)
    d_before_tanh = 2 * (value - target_value) / len(x) * (1 - value**2)
    d_second_p, d_Wp, d_bp = dense_backward(d_logits, second, weights["Wp"])
    d_second_v, d_Wv, d_bv = dense_backward(d_before_tanh[:, None], second, weights["Wv"])
    d_second = d_second_p + d_second_v  # both heads read the trunk: what they ask of it adds up
    d_first, d_W2, d_b2 = dense_backward(d_second * (second > 0), first, weights["W2"])
    _, d_W1, d_b1 = dense_backward(d_first * (first > 0), x, weights["W1"])
    return dict(W1=d_W1, b1=d_b1, W2=d_W2, b2=d_b2, Wp=d_Wp, bp=d_bp, Wv=d_Wv, bv=d_bv)


@exercise("21")
def sgd_step(weights: Weights, gradients: Weights, learning_rate: float) -> Weights:
    """One step downhill: each weight minus `learning_rate` times its gradient.

    weights, gradients: arrays by name, with the same names and shapes.
    Returns a new dictionary of new arrays; the given ones stay as they were.
    """
    return {name: weights[name] - learning_rate * gradients[name] for name in weights}


def numerical_gradient(loss, weights: Weights, step: float = 1e-5) -> Weights:
    """The gradient of `loss(weights)` by finite differences: each number is moved a little up and a little down.

    It is slow, and hard to get wrong.
    """
    gradients = {name: np.zeros_like(array) for name, array in weights.items()}
    for name, array in weights.items():
        for place in np.ndindex(array.shape):
            moved = array.copy()
            moved[place] += step
            up = loss({**weights, name: moved})
            moved[place] -= 2 * step
            gradients[name][place] = (up - loss({**weights, name: moved})) / (2 * step)
    return gradients


def train_by_hand(
    weights: Weights,
    x: np.ndarray,
    policies: np.ndarray,
    values: np.ndarray,
    rng: np.random.Generator,
    *,
    epochs: int = 30,
    learning_rate: float = 0.01,
    batch: int = 32,
) -> tuple[Weights, list[tuple[float, float]]]:
    """Stochastic gradient descent.

    An epoch goes once through all examples, in a new random order, `batch` of them a step.

    Returns:
        The new weights, and (value loss, policy loss) over all examples: before the first epoch and after each.
    """
    history = [network_losses(mlp_forward(weights, x), policies, values)]
    for _ in range(epochs):
        order = rng.permutation(len(x))
        for start in range(0, len(x), batch):
            rows = order[start : start + batch]
            gradients = network_backward(weights, mlp_forward(weights, x[rows]), policies[rows], values[rows])
            weights = sgd_step(weights, gradients, learning_rate)
        history.append(network_losses(mlp_forward(weights, x), policies, values))
    return weights, history
