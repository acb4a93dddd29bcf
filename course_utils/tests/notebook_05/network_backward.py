"""network_backward: the gradients of all weights, from the two losses back to the board."""

from functools import lru_cache
from typing import NamedTuple

import numpy as np
import torch
from hypothesis import strategies as st

from course_utils.tests.case import Case
from course_utils.tests.catalogue import Wrong
from course_utils.tests.notebook_05 import networks
from course_utils.tests.notebook_05.networks import LIVELY, NETWORKS, Draw, activations, in_torch, weights
from course_utils.tests.returns import array
from course_utils.tests.specification import Specification, pasted

NAMES = ["W1", "b1", "W2", "b2", "Wp", "bp", "Wv", "bv"]
GATES = "The gradient goes through two ReLUs on its way. At which neurons does each stop it?"


class Example(NamedTuple):
    """A network, positions, and what it should have said."""

    network: Draw
    policy: str
    value: str


EXAMPLES = st.builds(
    Example,
    NETWORKS,
    st.sampled_from(["visits", "one action", "its own"]),
    st.sampled_from(["results", "any", "its own"]),
)


def targets(draw: Example) -> tuple[np.ndarray, np.ndarray]:
    actions, batch, rng = draw.network.actions, draw.network.batch, np.random.default_rng([draw.network.seed, 2])
    said = activations(draw.network) if "its own" in draw else None
    policy = {
        "visits": lambda: rng.multinomial(8, np.ones(actions) / actions, batch) / 8,
        "one action": lambda: np.eye(actions)[rng.integers(actions, size=batch)],
        "its own": lambda: torch.softmax(torch.tensor(said.logits), 1).numpy(),
    }
    value = {
        "results": lambda: rng.integers(-1, 2, batch) * 1.0,
        "any": lambda: rng.integers(-8, 9, batch) / 8,
        "its own": lambda: said.value.copy(),
    }
    return policy[draw.policy](), value[draw.value]()


def arguments(draw: Example) -> dict:
    policy, value = targets(draw)
    given = weights(draw.network), activations(draw.network), policy, value
    return dict(zip(("weights", "activations", "target_policy", "target_value"), given, strict=True))


@lru_cache(64)
def autograd(draw: Example) -> dict[str, np.ndarray]:
    """torch's gradients of the sum of the two losses."""
    policy, value = map(torch.tensor, targets(draw))
    leaves, (*_, logits, said) = in_torch(draw.network)
    (((value - said) ** 2).mean() - (policy * torch.log_softmax(logits, 1)).sum(1).mean()).backward()
    return {name: leaf.grad.numpy() for name, leaf in leaves.items()}


def shown(draw: Example) -> str:
    policy, value = targets(draw)
    return (
        f"{networks.shown(draw.network)}\nactivations = mlp_forward(weights, x)\n"
        f"target_policy = {pasted(policy)}\ntarget_value = {pasted(value)}\n"
        "gradients = network_backward(weights, activations, target_policy, target_value)"
    )


def named_arrays(result) -> str:
    if not isinstance(result, dict):
        return f"expected a dictionary of gradients, got {type(result).__name__}"
    complaints = {name: array("float")(gradient) for name, gradient in result.items()}
    return next((f"{name}: {complaint}" for name, complaint in complaints.items() if complaint), "")


def by_hand(rng):
    def case(title, names, question, points=1, draw=Example(LIVELY, "visits", "results")):  # noqa: B008
        def run(answer):
            gradients = answer(**arguments(draw))
            return [gradients[name] for name in names]

        expected = autograd(draw)
        call = f"{shown(draw)}\n" + ", ".join(f'gradients["{name}"]' for name in names)
        return Case(title, run, [expected[name] for name in names], call, question, points=points)

    lively = Example(LIVELY, "visits", "results")
    yield Case(
        "one gradient for each weight, in its shape",
        lambda answer: {name: list(np.shape(part)) for name, part in answer(**arguments(lively)).items()},
        {name: list(array.shape) for name, array in weights(LIVELY).items()},
        f"{shown(lively)}\n{{name: gradient.shape for name, gradient in gradients.items()}}",
        "Does each name of `weights` have a gradient of the same shape?",
    )
    yield case("the policy head: softmax with cross-entropy", ["Wp", "bp"],
               "What is left of softmax and cross-entropy together, p - t or t - p? And by what is a mean divided?", 2)  # fmt: skip
    yield case("the value head: squared error through tanh", ["Wv", "bv"],
               "(z - v)^2 has a derivative with respect to v, and v one with respect to what went into tanh.", 2)  # fmt: skip
    trunk = ["W2", "b2", "W1", "b1"]
    yield case("the trunk, when only the policy is wrong", trunk, draw=lively._replace(value="its own"),
               question="Here the value is right already, so all the gradient comes from the policy. Where does ReLU let it through?")  # fmt: skip
    yield case("the trunk, when only the value is wrong", trunk, draw=lively._replace(policy="its own"),
               question="Here the policy is right already, so all the gradient comes from the value. Does the value head send any to the trunk?")  # fmt: skip
    yield case("the second layer, when both are wrong: what the heads ask for adds up", ["W2", "b2"],
               "Two heads read the same features. If both want one to grow, by how much?", 2)  # fmt: skip
    yield case("the first layer", ["W1", "b1"], GATES, 2)


DL = "(softmax(logits) - target_policy) / len(x)"
HEADS, G2, G1 = "d_second = d_second_p + d_second_v", "d_second * (second > 0)", "d_first * (first > 0)"
SILENT = "If a silent neuron's sum changes by a little, what changes in the output?"
# fmt: off
WRONG = [
    Wrong("t - p", "the policy's gradient has the wrong sign: each step makes the policy worse",
          "Where p is too large, should the gradient be positive or negative?", (DL, "(target_policy - softmax(logits)) / len(x)")),
    Wrong("z - v", "the value's gradient has the wrong sign", "Where v is too large, should the gradient be positive or negative?",
          ("value - target_value", "target_value - value")),
    Wrong("tanh forgotten", "the slope of tanh is missing", "v = tanh(u). If u grows by a little, by how much does v?", (" * (1 - value**2)", "")),
    Wrong("2 forgotten", "the 2 from the square is missing", "What is the derivative of a square?", ("= 2 * (value", "= (value")),
    Wrong("sums instead of means", "nothing is divided by the batch", "The losses are means. Should the gradient double when the batch does?",
          (" / len(x)", "")),
    Wrong("policy not divided", "the policy's gradient is a sum over the batch, the value's a mean", "Is the cross-entropy a mean or a sum?",
          (DL, DL[:-9])),
    Wrong("only actions with a target", "the policy's gradient is 0 where the target is 0: what the network gives these actions is never taken away",
          "An action that should have 0 has 0.3. Which way should its logit go?", (DL, DL + " * (target_policy > 0)")),
    Wrong("policy head only", "the trunk hears nothing from the value head", "Two heads read the same features. Who tells the trunk?",
          (HEADS, "d_second = d_second_p")),
    Wrong("no ReLU at all", "the gradient passes through neurons that were silent", SILENT, (G2, "d_second"), (G1, "d_first")),
    Wrong("one ReLU only", "the first layer hears what its silent neurons passed on: one of the two ReLUs is left out", SILENT, (G1, "d_first")),
    Wrong("the other ReLU only", "the second layer hears what its silent neurons passed on: one of the two ReLUs is left out", SILENT, (G2, "d_second")),
    Wrong("ReLU of the gradient", "negative gradients are cut off, instead of those of silent neurons",
          "What decides whether a ReLU lets the gradient through: the gradient, or what went forward?", (G2, "relu(d_second)"), (G1, "relu(d_first)")),
    Wrong("multiplied by the activation", "the gradient is multiplied by what the neuron said, not by the slope of ReLU",
          "What is the slope of ReLU at 3: 3 or 1?", ("(second > 0)", "second"), ("(first > 0)", "first")),
]
# fmt: on


def with_one_head_matrix(weights, activations, target_policy, target_value):
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


def by_torch(weights, activations, target_policy, target_value):
    t = {name: torch.tensor(array, requires_grad=True) for name, array in weights.items()}
    h = torch.relu(torch.tensor(activations.x) @ t["W1"] + t["b1"])
    h = torch.relu(h @ t["W2"] + t["b2"])
    policy = torch.nn.functional.cross_entropy(h @ t["Wp"] + t["bp"], torch.tensor(target_policy))
    value = torch.nn.functional.mse_loss(torch.tanh(h @ t["Wv"] + t["bv"])[:, 0], torch.tensor(target_value))
    (policy + value).backward()
    return {name: tensor.grad.numpy() for name, tensor in t.items()}


CHECK = Specification(
    draws=EXAMPLES,
    arguments=arguments,
    oracle=autograd,
    returns=named_arrays,
    examples=20,
    tolerance=1e-5,
    edges=[
        Example(Draw(18, 20, 12, 2, -3, 6), "visits", "results"),
    ],
    shown=shown,
    question=f"Which head, which layer? {GATES}",
    by_hand=by_hand,
    wrong=WRONG,
    right=[with_one_head_matrix, by_torch],
)
