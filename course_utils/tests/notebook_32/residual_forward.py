"""Check residual_forward: a block adds its output to its input."""

import numpy as np
import torch
from hypothesis import strategies as st
from torch import nn

from course_utils.networks.resnet import Residual
from course_utils.tests.case import show
from course_utils.tests.catalogue import Wrong
from course_utils.tests.scene import Scenes

LOOKS = ["out.detach()", "gradients(out, features, block)", "statistics(block)"]
DRAWS = st.tuples(
    st.tuples(st.integers(1, 3), st.integers(1, 4), st.integers(2, 5), st.integers(2, 5)),  # of the features
    st.booleans(),  # whether the block is in training mode
    st.integers(0, 99),
    st.sampled_from(LOOKS),
)


def scene(draw) -> str:
    shape, training, seed, look = draw
    return (
        f"block = random_block({shape[1]}, {seed}).train({training})\nfeatures = random_features({shape}, {seed + 1})\n"
        f"out = residual_forward(block, 1.0 * features)\n{look}"
    )


def random_block(channels: int, seed: int) -> Residual:
    """Make a block with random weights, shifts and running statistics, none of them small."""
    block, rng = Residual(channels), np.random.default_rng(seed)
    for name, tensor in block.state_dict().items():
        if tensor.is_floating_point():
            low, high = (0.5, 1.5) if name.endswith(("1.weight", "running_var")) else (-0.5, 0.5)
            tensor.copy_(torch.from_numpy(rng.uniform(low, high, tuple(tensor.shape))))
    return block


def random_features(shape: tuple[int, ...], seed: int) -> torch.Tensor:
    """Draw random numbers of this shape that require a gradient."""
    return torch.from_numpy(np.random.default_rng(seed).normal(size=shape).astype(np.float32)).requires_grad_()


def gradients(out: torch.Tensor, features: torch.Tensor, block: nn.Module) -> list:
    """Return the gradients of the output in some direction, for the features and every weight."""
    direction = torch.from_numpy(np.random.default_rng(0).normal(size=tuple(out.shape)))
    (out * direction).sum().backward()
    return [tensor.grad for tensor in (features, *block.parameters())]


def statistics(block: nn.Module) -> list:
    """Return batch norm's statistics, and the modes."""
    return [*block.buffers(), *(module.training for module in block.modules())]


def layer(weight: float, bias: float) -> nn.Module:
    """Make a layer that turns x into weight * x + bias."""
    made = nn.Sequential(nn.Conv2d(1, 1, 1))
    for tensor, number in zip(made.state_dict().values(), (weight, bias), strict=True):
        tensor.fill_(number)
    return made


BY_HAND = """
    ReLU of the input plus the change (3 points)
    >>> block = Residual(1)
    >>> block.first, block.second = layer(1.0, -1.0), layer(-0.5, 0.0)  # x - 1 and -x / 2 in place of convolutions
    >>> features = torch.tensor([5.0, 2.0, 0.5, -1.0]).reshape(1, 1, 2, 2)
    >>> residual_forward(block, features).flatten().tolist()
    [3.0, 1.5, 0.5, 0.0]
    ? There are three steps: the first layer and a ReLU, the second layer, the sum and a ReLU. Which of them differs?

    a block whose change is 0 lets the positive part of its input through (2 points)
    >>> block = Residual(1)
    >>> block.first, block.second = layer(1.0, 0.0), layer(0.0, 0.0)  # x and 0
    >>> features = torch.tensor([5.0, 2.0, 0.5, -1.0]).reshape(1, 1, 2, 2)
    >>> residual_forward(block, features).flatten().tolist()
    [5.0, 2.0, 0.5, 0.0]
    ? The change is 0. What is left of the sum, and what does the last ReLU do to it?

    negative outputs of the first layer don't reach the second (2 points)
    >>> block = Residual(1)
    >>> block.first, block.second = layer(0.0, -1.0), layer(1.0, 2.0)  # -1 and x + 2
    >>> features = torch.tensor([5.0, 2.0, 0.5, -1.0]).reshape(1, 1, 2, 2)
    >>> residual_forward(block, features).flatten().tolist()
    [7.0, 4.0, 2.5, 1.0]
    ? Two convolutions in a row would be one linear step. What comes between them?
"""

SUM = "F.relu(features + change)"
# fmt: off
WRONG = [
    Wrong("no skip", "the input is not added, so the block has to compute everything again",
          "What should the block's change be added to?",
          (SUM, "F.relu(change)")),
    Wrong("no ReLU in between", "there is no ReLU between the two layers", "What do two linear steps in a row give?",
          ("F.relu(block.first(features))", "block.first(features)")),
    Wrong("no ReLU at the end", "the sum is returned as it is", "Which function comes after the sum?",
          (SUM, "features + change")),
    Wrong("ReLU before the sum",
          "the change goes through a ReLU before it is added, so a block can only add and never subtract",
          "Can your block make a feature smaller?", (SUM, "F.relu(features + F.relu(change))")),
    Wrong("one layer twice", "the first layer is used twice", "How many layers does a block have?",
          ("block.second(", "block.first(")),
    Wrong("skip without a gradient",
          "the skip is detached: the numbers are right, but no gradient flows past the block",
          "Why can residual networks with a hundred layers still learn?", (SUM, "F.relu(features.detach() + change)")),
    Wrong("input overwritten", "the sum is written into the input", "Who else uses `features`?",
          (SUM, "F.relu(features.add_(change))")),
]
# fmt: on


def right_block_layer_by_layer(block, features):
    """Use masks in place of ReLUs."""
    out = features
    for number, layers in enumerate((block.first, block.second)):
        for layer in layers:
            out = layer(out)
        out = out * (out > 0) if number == 0 else out
    total = features + out
    return total * (total > 0)


def right_block_by_methods(block, features):
    hidden = block.first(features).clamp(min=0)
    return (block.second(hidden) + features).relu()


CHECK = Scenes(
    draws=DRAWS,
    returns=lambda result: "" if isinstance(result, torch.Tensor) else f"expected a tensor, got {show(result)}",
    changes={"block"},
    examples=15,
    edges=[((2, 3, 4, 5), training, 1, look) for training in (False, True) for look in LOOKS],
    tolerance=1e-4,
    question="Along which two paths do gradients go through a block, and does your code leave its mode alone?",
)
