"""residual_forward: a block adds to its input what it has to say."""

import copy
from typing import NamedTuple

import numpy as np
import torch
from hypothesis import strategies as st
from torch import nn

from course_utils.networks.resnet import Residual
from course_utils.tests.case import Case
from course_utils.tests.catalogue import Wrong
from course_utils.tests.specification import Specification


class Draw(NamedTuple):
    shape: tuple[int, int, int, int]  # batch, channels, rows, columns
    training: bool
    seed: int


DRAWS = st.builds(
    Draw,
    st.tuples(st.integers(1, 5), st.integers(1, 5), st.integers(1, 5), st.integers(1, 5)),
    st.booleans(),
    st.integers(0, 999),
).filter(
    lambda draw: not draw.training or draw.shape[0] * draw.shape[2] * draw.shape[3] > 1
)  # batch norm wants more than one


def block_of(draw: Draw) -> Residual:
    """A block whose weights, shifts and running statistics are all random, and none of them small. In double precision: see `run`."""
    block, rng = Residual(draw.shape[1]).double(), np.random.default_rng(draw.seed)
    with torch.no_grad():
        for name, weights in block.state_dict().items():
            if weights.is_floating_point():
                low, high = (0.5, 1.5) if name.endswith(("1.weight", "running_var")) else (-0.5, 0.5)
                weights.copy_(torch.from_numpy(rng.uniform(low, high, size=tuple(weights.shape))))
    return block.train(draw.training)


def features_of(draw: Draw) -> torch.Tensor:
    return torch.from_numpy(np.random.default_rng(draw.seed + 1).normal(size=draw.shape))


def arguments(draw: Draw) -> dict:
    """As they are in training: in single precision."""
    return {"block": block_of(draw).float().eval(), "features": features_of(draw).float()}


def run(answer, draw: Draw) -> list:
    """Output, gradients of a random functional of it for the input and every weight, statistics and modes afterwards.

    In double precision, so that what differs in the fifth digit is wrong.
    """
    block, features = block_of(draw), features_of(draw).requires_grad_()
    given = features.detach().clone()
    for weights in block.parameters():  # to which more is added
        weights.grad = torch.ones_like(weights)
    out = answer(block, features * 1.0)
    direction = torch.from_numpy(np.random.default_rng(draw.seed + 2).normal(size=tuple(out.shape)))
    (out * direction).sum().backward()
    gradients = [None if one.grad is None else one.grad.numpy() for one in (features, *block.parameters())]
    state = [*(buffer.numpy() for buffer in block.buffers()), *(part.training for part in block.modules())]
    return [out.detach().numpy(), gradients, state, torch.equal(features, given), str(out.dtype)]


def by_definition(block: Residual, features: torch.Tensor) -> torch.Tensor:
    """The same with torch's functions for convolution and batch norm."""

    def layer(layers: nn.Sequential, x: torch.Tensor) -> torch.Tensor:
        norm = layers[1]
        if block.training:
            norm.num_batches_tracked += 1
        x = nn.functional.conv2d(x, layers[0].weight, padding=1)
        return nn.functional.batch_norm(x, norm.running_mean, norm.running_var, norm.weight, norm.bias, block.training)

    hidden = layer(block.first, features)
    total = features + layer(block.second, hidden * (hidden > 0))
    return total * (total > 0)


def by_hand(rng):
    draw = Draw((2, 3, 4, 5), False, 7)
    setting = "block: a Residual of 3 channels in evaluation mode;  features: [2, 3, 4, 5]\n"

    def output(answer, block):
        return answer(copy.deepcopy(block), features_of(draw).float()).detach().numpy()

    def case(name, block, question, said="", points=2):
        expected = output(by_definition, block)
        call = f"{setting}{said}residual_forward(block, features)"
        return Case(name, lambda answer: output(answer, block), expected, call, question, points=points, tolerance=1e-4)

    yield case("ReLU of the input plus the change", block_of(draw).float(),
               "Three steps: the first layer and a ReLU, the second layer, the sum and a ReLU. Which of them differs?", points=3)  # fmt: skip
    quiet, silent = block_of(draw).float(), block_of(draw).float()
    with torch.no_grad():
        quiet.second[1].weight.zero_()
        quiet.second[1].bias.zero_()
        silent.first[1].weight.zero_()
        silent.first[1].bias.fill_(-1.0)
    yield case("a block that has nothing to say lets the positive part of its input through", quiet,
               "If the change is 0, what is left of the sum? And what does the last ReLU do to it?", "block.second now returns zeros everywhere\n")  # fmt: skip
    yield case("what the first layer says below zero does not reach the second", silent,
               "What stands between the two convolutions? Without it, they would be one linear step.", "block.first now returns -1 everywhere\n")  # fmt: skip

    def in_half_precision(answer):
        out = answer(copy.deepcopy(block_of(draw)).bfloat16(), features_of(draw).bfloat16())
        return [str(out.dtype), out.detach().float().numpy()]

    yield Case(
        "computes in the precision of the block and its input, whichever it is",
        in_half_precision,
        ["torch.bfloat16", output(by_definition, block_of(draw).float())],
        f"{setting}residual_forward(block.bfloat16(), features.bfloat16())   # half precision, as a GPU likes it",
        "Which tensors do you make yourself? Of what type are they, and on which device?",
        tolerance=0.1,
    )


def is_tensor(result) -> str:
    return "" if isinstance(result, torch.Tensor) else f"expected a tensor, got {type(result).__name__}"


def block_by_methods(block, features):
    hidden = block.first(features).clamp(min=0)
    return (block.second(hidden) + features).relu()


def block_layer_by_layer(block, features):
    out = features
    for number, layers in enumerate((block.first, block.second)):
        for layer in layers:
            out = layer(out)
        out = torch.where(out > 0, out, torch.zeros_like(out)) if number == 0 else out
    return nn.functional.threshold(features + out, 0.0, 0.0)


_CHANGE, _SUM = "change = block.second(F.relu(block.first(features)))", "F.relu(features + change)"

CHECK = Specification(
    draws=DRAWS,
    arguments=arguments,
    oracle=lambda draw: run(by_definition, draw),
    run=run,
    returns=is_tensor,
    examples=10,
    tolerance=1e-7,
    shown=lambda draw: f"block = Residual({draw.shape[1]}).{'train' if draw.training else 'eval'}()   # random weights, seed {draw.seed}\n"
    f"features: {list(draw.shape)}\nresidual_forward(block, features), its gradients, the block's statistics and mode afterwards",
    question="Which way do gradients take through a block? And what is the block's own business: its mode, its statistics?",
    by_hand=by_hand,
    wrong=[
        Wrong("no skip", "the input is not added: the block has to say everything anew", "What does 'residual' mean: the rest of what?",
              (_SUM, "F.relu(change)")),
        Wrong("no ReLU in between", "there is no ReLU between the two layers", "What do two linear steps in a row make?",
              ("F.relu(block.first(features))", "block.first(features)")),
        Wrong("no ReLU at the end", "the sum is returned as it is", "What stands behind the sum?", (_SUM, "features + change")),
        Wrong("ReLU before the sum", "the change goes through a ReLU before it is added: a block can only add, never take away",
              "Can a block say 'less of this'?", (_SUM, "F.relu(features + F.relu(change))")),
        Wrong("one layer twice", "the first layer is used twice", "How many layers has a block?", ("block.second(", "block.first(")),
        Wrong("skip without a gradient", "the skip is cut off from the gradient: right numbers, but nothing flows past the block",
              "Why do residual networks learn at a hundred layers?", (_SUM, "F.relu(features.detach() + change)")),
        Wrong("input overwritten", "the sum is written into the input", "Who else holds `features`?",
              (_SUM, "F.relu(features.add_(change))")),
    ],
    right=[block_by_methods, block_layer_by_layer],
)  # fmt: skip
