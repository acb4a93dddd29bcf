"""network_forward: one trunk, two heads, in torch."""

import contextlib
import math
from functools import lru_cache
from typing import NamedTuple

import numpy as np
import torch
from hypothesis import strategies as st

from course_utils.networks.policy_value import PolicyValueNet
from course_utils.tests.case import Case, Such
from course_utils.tests.catalogue import Wrong
from course_utils.tests.notebook_05.arrays import BATCHES, SEEDS
from course_utils.tests.specification import Specification

RUNS, MODE = "how often the trunk ran", "whether each layer was, and is, in the mode in which it was given"
LEARN = "How will the network learn if its outputs are cut off from its weights?"


class Draw(NamedTuple):
    board: tuple[int, int, int, int]  # planes, rows, columns, actions
    hidden: int
    batch: int
    training: bool  # the network's mode
    learning: bool  # whether torch computes gradients
    size: float  # of the weights
    seed: int
    trunk: tuple[str, ...] = ("ReLU", "ReLU")  # what follows each of its layers


BOARDS = [(2, 3, 3, 9), (2, 6, 7, 7), (3, 4, 5, 5), (1, 1, 1, 1)]
DRAWS = st.builds(
    Draw,
    st.sampled_from(BOARDS),
    st.sampled_from([8, 1, 3]),
    BATCHES,
    st.booleans(),
    st.sampled_from([True, True, False]),
    st.sampled_from([0.3, 0.05, 1.0]),
    SEEDS,
    st.sampled_from([("ReLU", "ReLU"), ("ReLU",), ("ReLU", "Tanh", "ReLU"), ("ReLU", "Tanh")]),
)
LIVELY = Draw(BOARDS[0], 8, 4, True, True, 0.6, 0)


def empty(draw: Draw) -> PolicyValueNet:
    with torch.random.fork_rng(devices=[]):
        net = PolicyValueNet(*draw.board, draw.hidden)
        if draw.trunk != ("ReLU", "ReLU"):  # the network of somebody else
            inputs = [math.prod(draw.board[:3]), *[draw.hidden] * len(draw.trunk)]
            layers = [
                [torch.nn.Linear(n, draw.hidden), getattr(torch.nn, kind)()]
                for n, kind in zip(inputs, draw.trunk, strict=False)
            ]
            net.trunk = torch.nn.Sequential(torch.nn.Flatten(), *sum(layers, []))
    net.train(draw.training)
    net.trunk.train(draw.training != (draw.seed % 3 == 2))  # somebody may have put a part into another mode
    return net


@lru_cache(64)
def numbers(draw: Draw) -> list[torch.Tensor]:
    """The planes, and the network's weights."""
    net, rng = empty(draw), np.random.default_rng(draw.seed)
    with torch.no_grad():
        for weights in net.parameters():
            weights.copy_(torch.from_numpy(rng.normal(scale=draw.size, size=tuple(weights.shape))))
        net.policy_head.bias[0] += 1e4 * (draw.seed % 4 == 1)
    for _ in range(20):
        planes = torch.from_numpy(rng.choice([0, 1, 0, 1, -0.5, 2], (draw.batch, *draw.board[:3])).astype(np.float32))
        if far_from_zero(net, planes, 5e-6 * draw.size):
            break
    return [planes, *net.parameters()]


def arguments(draw: Draw) -> dict:
    net, (planes, *weights) = empty(draw), numbers(draw)
    for one, known in zip(net.parameters(), weights, strict=True):
        one.data = known.detach().clone()
    return {"net": net, "planes": planes.clone()}


def far_from_zero(net: PolicyValueNet, planes: torch.Tensor, distance: float) -> bool:
    """Whether no sum before a ReLU is so near 0 that rounding decides which side it is on, and so its gradient."""
    x = planes
    with torch.no_grad():
        for layer in net.trunk:
            if isinstance(layer, torch.nn.ReLU) and bool((x.abs() < distance).any()):
                return False
            x = layer(x)
    return True


def with_gradients(value, logits, draw: Draw, leaves: dict) -> dict:
    """Both outputs, and the gradients of a random sum of them."""
    found = {"value": value, "logits": logits}
    if draw.learning:
        generator = torch.Generator().manual_seed(draw.seed)
        asks = [torch.randn(output.shape, generator=generator) / draw.batch for output in (value, logits)]
        total = sum((ask * output).sum() for ask, output in zip(asks, (value, logits), strict=True))
        gradients = torch.autograd.grad(total, list(leaves.values()), allow_unused=True)
        found |= {f"gradient of {name}": gradient for name, gradient in zip(leaves, gradients, strict=True)}
    return {name: None if output is None else output.detach().double().numpy() for name, output in found.items()}


def run(network_forward, draw: Draw) -> dict:
    net, planes = arguments(draw).values()
    planes.requires_grad_(draw.learning)
    calls: list = []
    modes = lambda: [layer.training for layer in net.modules()]  # noqa: E731
    given, seen = modes(), []
    for layer in net.trunk:
        layer.register_forward_hook(lambda layer, *_: calls.append(layer) or seen.append(modes()))
    with contextlib.nullcontext() if draw.learning else torch.inference_mode():
        value, logits = network_forward(net, planes)
    found = with_gradients(value, logits, draw, {"planes": planes, **dict(net.named_parameters())})
    return found | {RUNS: max([1, *map(calls.count, calls)]), MODE: all(one == given for one in [*seen, modes()])}


@lru_cache(64)
def oracle(draw: Draw) -> dict:
    """From the weights alone, in float64."""
    net, planes = arguments(draw).values()
    leaves = {"planes": planes, **dict(net.named_parameters())}
    leaves = {name: leaf.detach().double().requires_grad_() for name, leaf in leaves.items()}
    dense = lambda x, name: x @ leaves[f"{name}.weight"].T + leaves[f"{name}.bias"]  # noqa: E731
    tanh = lambda x: 2 * torch.sigmoid(2 * x) - 1  # noqa: E731
    features = leaves["planes"].reshape(draw.batch, -1)
    for number, kind in enumerate(draw.trunk):
        sums = dense(features, f"trunk.{2 * number + 1}")
        features = tanh(sums) if kind == "Tanh" else sums.clamp(min=0)
    value = tanh(dense(features, "value_head").sum(1))
    return with_gradients(value, dense(features, "policy_head"), draw, leaves) | {RUNS: 1, MODE: True}


def two_tensors(result) -> str:
    good = isinstance(result, list | tuple) and [isinstance(one, torch.Tensor) for one in result] == [True, True]
    return "" if good else f"expected two tensors, value and logits; got {type(result).__name__}"


def shown(draw: Draw) -> str:
    gradients = "the gradients of a weighted sum of value and logits" if draw.learning else "value, logits"
    trunk = f", with a trunk of linear layers, each followed by: {', '.join(draw.trunk)}" * (draw.trunk != LIVELY.trunk)
    return (
        f"net = PolicyValueNet{(*draw.board, draw.hidden)}  # random weights{trunk}\n"
        f"value, logits = network_forward(net, planes)  # planes: {[draw.batch, *draw.board[:3]]}\n{gradients}"
    )


def by_hand(rng):
    call = "net: a small PolicyValueNet;  planes: four positions, [4, 2, 3, 3]\nvalue, logits = network_forward(net, planes)\n"
    expected = oracle(LIVELY)
    for batch in (4, 1):
        yield Case(
            f"shapes [batch] and [batch, num_actions], batch {batch}",
            lambda answer, batch=batch: [
                list(output.shape) for output in answer(**arguments(LIVELY._replace(batch=batch)))
            ],
            [[batch], [batch, 9]],
            f"planes: [{batch}, 2, 3, 3]\n[output.shape for output in network_forward(net, planes)]",
            "A linear layer with one output returns [batch, 1]: which dimension do you want to drop, and which never?",
        )
    asks = {
        "logits": "Who turns the logits into probabilities: this function, or masked_policy, which knows what is legal?",
        "value": "Which function brings any number between -1 and 1, and keeps 0 at 0?",
        RUNS: "What is the point of a shared trunk?",
    }
    for name, question in asks.items():
        yield Case(f"{name}, for four positions", lambda answer, name=name: run(answer, LIVELY)[name], expected[name],
                   f"{call}{name}", question, points=2, tolerance=1e-4)  # fmt: skip

    def cut_off(network_forward):
        net, planes = arguments(LIVELY).values()
        value, logits = network_forward(net, planes)
        (value.sum() + (logits**2).sum()).backward()
        return sorted(name for name, weights in net.named_parameters() if weights.grad is None)

    yield Case(
        "gradients flow back to every weight",
        cut_off,
        Such("[] (no weight without a gradient)", lambda missing: missing == []),
        f"{call}(value.sum() + (logits ** 2).sum()).backward()\n[name for name, weights in net.named_parameters() if weights.grad is None]",
        LEARN,
    )


LOGITS, VALUE, RETURN = (
    "net.policy_head(features)",
    "torch.tanh(net.value_head(features)).squeeze(-1)",
    "return value, logits",
)
SOFTMAX = "Who does the softmax, and why not here?"
# fmt: off
WRONG = [
    Wrong("value of shape [batch, 1]", "the value keeps the dimension of the layer's one output", "What does [batch, 1] minus [batch] give in the loss? (Not [batch]!)",
          (".squeeze(-1)", "")),
    Wrong("squeezed too much", "all dimensions of size 1 go, the batch's included when it has one position", "Which dimension do you mean?",
          (".squeeze(-1)", ".squeeze()")),
    Wrong("tanh forgotten", "the value is not squashed: it may be 7", "What is the largest value a game can have?", ("torch.tanh(", "(")),
    Wrong("sigmoid instead of tanh", "the value lies between 0 and 1: it can never say that a position is lost",
          "Where should the value of a drawn game lie in the range?", ("torch.tanh", "torch.sigmoid")),
    Wrong("softmax on the logits", "the logits are turned into probabilities before illegal actions can be masked", SOFTMAX, (LOGITS, f"{LOGITS}.softmax(dim=1)")),
    Wrong("outputs swapped", "the logits come first and the value second", "In which order does the docstring name them?", (RETURN, "return logits, value")),
    Wrong("no gradients", "the outputs are computed without gradients: nothing can be learned from them",
          "This function is called in training, too: who switches gradients off when only playing?", (RETURN, "return value.detach(), logits.detach()")),
    Wrong("the value does not teach the trunk", "the value head reads features that are cut off: the trunk learns from the policy alone", LEARN,
          ("value_head(features)", "value_head(features.detach())")),
    Wrong("trunk run twice", "each head runs the trunk again: the right numbers, for twice the work", "What do both heads read?",
          ("value_head(features)", "value_head(net.trunk(planes))")),
    Wrong("evaluation mode", "the network is put into evaluation mode and stays there", "Who decides whether the network trains or plays?",
          ("    features =", "    net.eval()\n    features =")),
]
# fmt: on


def flattened(net, planes):
    shared = net.trunk(planes)
    return net.value_head(shared).flatten().tanh(), net.policy_head(shared)


def layer_by_layer(net, planes):
    hidden = planes
    for layer in net.trunk:
        hidden = layer(hidden)
    policy, value = net.policy_head(hidden), torch.tanh(net.value_head(hidden)[:, 0])
    return [value, policy]


CHECK = Specification(
    draws=DRAWS,
    arguments=arguments,
    oracle=oracle,
    run=run,
    returns=two_tensors,
    examples=20,
    tolerance=(3e-5, 3e-5),
    edges=[
        Draw(BOARDS[0], 64, 40, True, True, 0.2, 1),
        Draw(BOARDS[0], 64, 7, True, True, 0.9, 1),  # logits near 0, and near 100
        Draw(BOARDS[3], 3, 1030, True, True, 0.2, 1),
    ],
    shown=shown,
    question=LEARN,
    by_hand=by_hand,
    wrong=WRONG,
    right=[flattened, layer_by_layer],
)
