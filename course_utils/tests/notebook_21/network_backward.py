"""Check network_backward: the gradients of all weights, from the two losses back to the board."""

import numpy as np
from hypothesis import strategies as st

from course_utils.networks.by_hand import mlp_forward, softmax  # noqa: F401
from course_utils.tests.catalogue import Wrong
from course_utils.tests.notebook_21.weights_by_name import NETWORKS, TWO_POSITIONS, some_weights  # noqa: F401
from course_utils.tests.scene import Scenes
from course_utils.tests.world.arrays import array_each

GATES = "The gradient goes through two ReLUs on its way. At which neurons does each of them stop the gradient?"
START = f"""{TWO_POSITIONS}
    >>> activations = mlp_forward(weights, x)
    >>> pi, z = np.array([[0.5, 0.5, 0.0], [0.0, 0.25, 0.75]]), np.array([-1.0, 1.0])"""
BY_HAND = f"""
    one gradient for each weight, with the same shape
{START}
    >>> gradients = network_backward(weights, activations, target_policy=pi, target_value=z)
    >>> {{name: gradient.shape for name, gradient in gradients.items()}}
    {{"W1": (2, 2), "b1": (2,), "W2": (2, 2), "b2": (2,), "Wp": (2, 3), "bp": (3,), "Wv": (2, 1), "bv": (1,)}}
    ? Does each name of `weights` have a gradient of the same shape?

    the policy head: softmax with cross-entropy (2 points)
{START}
    >>> gradients = network_backward(weights, activations, target_policy=pi, target_value=z)
    >>> gradients["Wp"], gradients["bp"]
    ? Is the gradient of softmax and cross-entropy together p - t or t - p, and what is it divided by?

    the value head: squared error through tanh (2 points)
{START}
    >>> gradients = network_backward(weights, activations, target_policy=pi, target_value=z)
    >>> gradients["Wv"], gradients["bv"]
    ? What is the derivative of (z - v)^2 with respect to v, and that of tanh with respect to its input?

    the trunk, when only the policy is wrong (2 points)
{START}
    >>> gradients = network_backward(weights, activations, target_policy=pi, target_value=activations.value)
    >>> gradients["W2"], gradients["b2"], gradients["W1"], gradients["b1"]
    ? The value is already right here, so all the gradient comes from the policy. Where does ReLU let it through?

    the trunk, when only the value is wrong (2 points)
{START}
    >>> gradients = network_backward(weights, activations, target_policy=softmax(activations.logits), target_value=z)
    >>> gradients["W2"], gradients["b2"], gradients["W1"], gradients["b1"]
    ? The policy is already right here, so all the gradient comes from the value.
    ? Does the value head pass its gradient to the trunk?

    the second layer, when both are wrong: the gradients of the two heads are added (2 points)
{START}
    >>> gradients = network_backward(weights, activations, target_policy=pi, target_value=z)
    >>> gradients["W2"], gradients["b2"]
    ? Two heads read the same features. How do you combine their gradients?
"""


def scene(draw) -> str:
    """Use binary fractions, whose sums are exact in any order: an input of a ReLU that is 0 is 0 in every answer."""
    (inputs, hidden, actions, batch, seed), scale = draw
    return f"""\
rng = np.random.default_rng({seed})
weights = some_weights({inputs=}, {hidden=}, {actions=}, {seed=})
activations = mlp_forward(weights, rng.integers(-16, 17, size=({batch}, {inputs})) * {scale} / 8)
target_policy = rng.multinomial(8, np.ones({actions}) / {actions}, size={batch}) / 8
target_value = rng.choice([-1.0, 0.0, 1.0], size={batch})
network_backward(weights, activations, target_policy, target_value)"""


def named_arrays(result) -> str:
    if not isinstance(result, dict):
        return f"expected a dictionary of gradients, got {type(result).__name__}"
    return array_each(result.items())


DL = "(softmax(logits) - target_policy) / len(x)"
HEADS, G2, G1 = "d_second = d_second_p + d_second_v", "d_second * (second > 0)", "d_first * (first > 0)"
SILENT = "If a silent neuron's sum changes by a little, what changes in the output?"
# fmt: off
WRONG = [
    Wrong("t - p", "the policy's gradient has the wrong sign, so each step makes the policy worse",
          "Where p is too large, should the gradient be positive or negative?",
          (DL, "(target_policy - softmax(logits)) / len(x)")),
    Wrong("z - v", "the value's gradient has the wrong sign",
          "Where v is too large, should the gradient be positive or negative?",
          ("value - target_value", "target_value - value")),
    Wrong("tanh forgotten", "the slope of tanh is missing",
          "v = tanh(u). By how much does v grow if u grows by a little?", (" * (1 - value**2)", "")),
    Wrong("2 forgotten", "the 2 from the square is missing", "What is the derivative of a square?",
          ("= 2 * (value", "= (value")),
    Wrong("sums instead of means", "nothing is divided by the batch size",
          "The losses are means. Should the gradient double when the batch does?",
          (" / len(x)", "")),
    Wrong("policy not divided", "the policy's gradient is a sum over the batch, but the value's is a mean",
          "Is the cross-entropy a mean or a sum?",
          (DL, DL[:-9])),
    Wrong("only actions with a target",
          "the policy's gradient is 0 where the target is 0, so the probabilities of these actions never fall",
          "An action has 0.3 and should have 0. Which way should its logit go?", (DL, DL + " * (target_policy > 0)")),
    Wrong("policy head only", "the trunk gets no gradient from the value head",
          "Two heads read the same features. Which of them should pass a gradient to the trunk?",
          (HEADS, "d_second = d_second_p")),
    Wrong("no ReLU at all", "the gradient passes through neurons that were silent", SILENT, (G2, "d_second"),
          (G1, "d_first")),
    Wrong("one ReLU only", "the gate of the first layer is missing", SILENT, (G1, "d_first")),
    Wrong("the other ReLU only", "the gate of the second layer is missing", SILENT, (G2, "d_second")),
    Wrong("ReLU of the gradient", "negative gradients are set to 0 instead of the gradients of silent neurons",
          "What decides whether a ReLU lets the gradient through: the gradient, or the forward value?",
          (G2, "relu(d_second)"), (G1, "relu(d_first)")),
    Wrong("multiplied by the activation",
          "the gradient is multiplied by the neuron's value instead of the slope of ReLU",
          "What is the slope of ReLU at 3: 3 or 1?", ("(second > 0)", "second"), ("(first > 0)", "first")),
]
# fmt: on


def right_with_one_head_matrix(weights, activations, target_policy, target_value):
    x, first, second, logits, value = activations
    p = np.exp(logits - logits.max(1)[:, None])
    p /= p.sum(1)[:, None]
    heads = np.hstack([weights["Wp"], weights["Wv"]])
    d = np.column_stack([p - target_policy, 2 * (value - target_value) * (1 - value) * (1 + value)]) / x.shape[0]
    g = {"Wp": (second.T @ d)[:, :-1], "bp": d.sum(0)[:-1], "Wv": (second.T @ d)[:, -1:], "bv": d.sum(0)[-1:]}
    d = d @ heads.T
    d[second <= 0] = 0
    g["W2"], g["b2"] = first.T @ d, d.sum(0)
    d = d @ weights["W2"].T
    d[first == 0] = 0
    return g | {"W1": x.T @ d, "b1": d.sum(axis=0)}


def right_by_torch(weights, activations, target_policy, target_value):
    import torch

    t = {name: torch.tensor(array, requires_grad=True) for name, array in weights.items()}
    h = torch.relu(torch.tensor(activations.x) @ t["W1"] + t["b1"])
    h = torch.relu(h @ t["W2"] + t["b2"])
    policy = torch.nn.functional.cross_entropy(h @ t["Wp"] + t["bp"], torch.tensor(target_policy))
    value = torch.nn.functional.mse_loss(torch.tanh(h @ t["Wv"] + t["bv"])[:, 0], torch.tensor(target_value))
    (policy + value).backward()
    return {name: tensor.grad.numpy() for name, tensor in t.items()}


CHECK = Scenes(
    draws=st.tuples(NETWORKS, st.sampled_from([1, 1, 30000])),  # 30000: logits far apart
    returns=named_arrays,
    tolerance=1e-5,
    question=f"Which head or layer is wrong? {GATES}",
)
