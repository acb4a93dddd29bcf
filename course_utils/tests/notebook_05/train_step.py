"""Check train_step: one step down the gradient of both losses, taken by the optimizer, in training mode."""

import numpy as np
import torch
from hypothesis import strategies as st
from torch import nn

from course_utils.learning.training import alphazero_loss
from course_utils.tests.case import show
from course_utils.tests.catalogue import Wrong
from course_utils.tests.returns import number
from course_utils.tests.scene import Scenes
from course_utils.tests.world import first_optimizer  # noqa: F401 (a scene uses one)

BY_HAND = """
    the losses that are returned are those before the step
    The network has three weights, which are all 0 at first. For an example x it returns the value a * x and the
    logits b * x. So p is (1/2, 1/2), and -pi . log p is log 2 = 0.6931.
    >>> net = ThreeWeights()
    >>> optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    >>> train_step(net, optimizer, *batch(x=[1], policy=[(1, 0)], value=[1]))
    {"value": 1.0, "policy": 0.6931}
    ? Which loss belongs to the key 'value', which to 'policy', and at which weights?

    one step goes down the gradient of both losses (2 points)
    The gradient of the value loss is 2 (v - z) x = -2, and that of the policy loss is (p - pi) x = (-0.5, 0.5).
    >>> net = ThreeWeights()
    >>> optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    >>> losses = train_step(net, optimizer, *batch(x=[1], policy=[(1, 0)], value=[1]))
    >>> weights_of(net)
    0.2, [0.05, -0.05]
    ? Which gradient should the step follow, and has it been computed when the step is taken?

    two steps: each follows the gradient of its own batch (2 points)
    Before the second step v = 0.2, so that the gradient of its value loss is 2 (0.2 - 1) = -1.6.
    >>> net = ThreeWeights()
    >>> optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    >>> for value in [1, 1]:
    ...     losses = train_step(net, optimizer, *batch(x=[1], policy=[(0.5, 0.5)], value=[value]))
    >>> net.a
    0.2 + 0.16
    ? torch adds each new gradient to the one that is already there. Which gradient is there before your second step?

    gradients that are left from before don't count
    >>> net = ThreeWeights()
    >>> net.a.grad = torch.tensor(100.0)
    >>> optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    >>> losses = train_step(net, optimizer, *batch(x=[1], policy=[(0.5, 0.5)], value=[1]))
    >>> net.a
    0.2
    ? When must the gradients be zero: before the backward pass, or after the step?

    only the optimizer shrinks the weights, and this one does not
    An example x = 0 has no gradient.
    >>> net = ThreeWeights(a=1.0)
    >>> optimizer = torch.optim.SGD(net.parameters(), lr=100)
    >>> losses = train_step(net, optimizer, *batch(x=[0], policy=[(0.5, 0.5)], value=[1]))
    >>> net.a
    1.0
    ? Two parts of the loss are computed here. What takes care of the third?

    the network learns in training mode
    >>> net = ThreeWeights().eval()
    >>> optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    >>> losses = train_step(net, optimizer, *batch(x=[1], policy=[(0.5, 0.5)], value=[1]))
    >>> net.modes
    ["training"]
    ? Self-play has put the network into evaluation mode. Which layers behave differently in that mode?
"""


class ThreeWeights(nn.Module):
    """A network with value = a * x and logits = b * x, which records the mode of each call."""

    def __init__(self, a: float = 0.0):
        super().__init__()
        self.a, self.b = nn.Parameter(torch.tensor(a)), nn.Parameter(torch.zeros(2))
        self.modes: list[str] = []

    def forward(self, planes: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        self.modes.append("training" if self.training else "evaluation")
        x = planes.flatten(1)
        return (self.a * x).squeeze(1), self.b * x


def weights_of(net: ThreeWeights):
    """Return a and b, or the gradient of a if they have not moved"""
    if net.a or net.b.any():
        return net.a, net.b
    return f"a and b are 0 still, and the gradient of a is {show(net.a.grad)}"


def batch(x, policy, value) -> tuple[np.ndarray, ...]:
    """Make a batch: planes [batch, 1, 1, 1], policy and value, all float32."""
    return np.array(x, np.float32).reshape(-1, 1, 1, 1), np.array(policy, np.float32), np.array(value, np.float32)


class WithBatchNorm(nn.Module):
    """A network with batch norm: [batch, 1, 1, 2] -> value and two logits. `gain` makes it steep."""

    def __init__(self, seed: int, gain: int):
        super().__init__()
        self.trunk, self.norm, self.heads = nn.Linear(2, 2), nn.BatchNorm1d(2, eps=0.5), nn.Linear(2, 3)
        generator = torch.Generator().manual_seed(seed)
        with torch.no_grad():
            for weights in self.parameters():
                weights.normal_(generator=generator)
            self.heads.weight *= gain

    def forward(self, planes: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        outputs = self.heads(torch.tanh(self.norm(self.trunk(planes.flatten(1)))))
        return outputs[:, 0] / 3, outputs[:, 1:]


def random_batch(size: int, seed: int) -> tuple[np.ndarray, ...]:
    """Make a random batch: planes [batch, 1, 1, 2], policy and value, all float32."""
    rng = np.random.default_rng(seed)
    columns = rng.choice([0, 1], (size, 1, 1, 2)), rng.dirichlet([1, 1], size), rng.choice([-1, 0, 1], size)
    return tuple(column.astype(np.float32) for column in columns)


def scene(draw) -> str:
    sizes, optimizer, mode, left_over, gain, seed = draw
    stale = "\nfor weights in net.parameters():\n    weights.grad = torch.ones_like(weights)" * left_over
    return f"""\
net = WithBatchNorm({seed=}, {gain=}).{mode}(){stale}
optimizer = torch.optim.{optimizer}
losses = [train_step(net, optimizer, *random_batch(size, seed)) for seed, size in enumerate({sizes})]
losses, net.norm.running_mean, net.trunk.weight, net.heads.weight"""


def two_floats(result) -> str:
    if not isinstance(result, dict) or set(result) != {"value", "policy"}:
        return f'expected a dictionary with "value" and "policy", got {show(result)}'
    return next(filter(None, map(number, result.values())), "")


_TOTAL = "(value_loss + policy_loss).backward()"
_STEP = f"    optimizer.zero_grad()\n    {_TOTAL}\n    optimizer.step()\n"
_REPORT = 'return {"value": value_loss.item(), "policy": policy_loss.item()}'
_AFTER = """predicted_value, logits = net(torch.from_numpy(planes))
    value_loss, policy_loss = alphazero_loss(predicted_value, logits, torch.from_numpy(value), torch.from_numpy(policy))
    """
# fmt: off
WRONG = [
    Wrong("gradients pile up", "the gradients are never zeroed, so each step follows the sum over all batches so far",
          "What does backward() do with a gradient that is already there?", ("    optimizer.zero_grad()\n", "")),
    Wrong("no gradient to follow",
          "a step is taken without a gradient: none was computed, or it was zeroed before the step",
          "Which call computes the gradients, and what happens to them before the step?",
          (_STEP, f"    {_TOTAL}\n    optimizer.zero_grad()\n    optimizer.step()\n")),
    Wrong("gradients zeroed after the step",
          "the gradients are zeroed only after the step, so gradients that were there before still count",
          "Can you be sure that the gradients are zero when your function begins?",
          (_STEP, f"    {_TOTAL}\n    optimizer.step()\n    optimizer.zero_grad()\n")),
    Wrong("policy loss only", "the step follows only the policy loss, so the value head learns nothing",
          "Which weights does the policy loss depend on?", (_TOTAL, "policy_loss.backward()")),
    Wrong("value loss only", "the step follows only the value loss, so the policy head learns nothing",
          "Which weights does the value loss depend on?", (_TOTAL, "value_loss.backward()")),
    Wrong("step before backward", "the step is taken before the gradient is computed, so it is always one batch late",
          "Which gradient does the step follow: this batch's, or the last one's?",
          (_STEP, f"    optimizer.step()\n    optimizer.zero_grad()\n    {_TOTAL}\n")),
    Wrong("no step", "gradients are computed, but no step is taken", "Which call changes the weights?",
          ("    optimizer.step()\n", "")),
    Wrong("targets exchanged",
          "the loss gets the policies in place of the outcomes, and the outcomes in place of the policies",
          "In which order does alphazero_loss take its two targets?",
          ("torch.from_numpy(value), torch.from_numpy(policy)", "torch.from_numpy(policy), torch.from_numpy(value)")),
    Wrong("value and logits exchanged", "the network's first result is taken for the logits, but it is the value",
          "In which order does the network return its two results?",
          ("predicted_value, logits =", "logits, predicted_value =")),
    Wrong("arrays for the loss", "the loss gets numpy arrays, but torch computes only with tensors",
          "Which function turns a numpy array into a tensor?",
          ("torch.from_numpy(value), torch.from_numpy(policy)", "value, policy")),
    Wrong("two steps", "a step is taken after each of the two backward passes",
          "The two losses share a trunk. How many steps should one batch lead to?",
          (_TOTAL, "value_loss.backward(retain_graph=True)\n    optimizer.step()\n    policy_loss.backward()")),
    Wrong("tensors returned", "the losses are tensors that keep the whole computation alive, instead of plain floats",
          "What type does each loss have, and what does .item() turn it into?",
          (_REPORT, 'return {"value": value_loss, "policy": policy_loss}')),
    Wrong("mode left to chance", "the network is trained in the mode that it was left in",
          "In which mode did self-play leave the network?", ("    net.train()\n", "")),
    Wrong("evaluation mode", "the network is put into evaluation mode, in which batch norm learns nothing",
          "In which of its two modes does a network learn?", ("net.train()", "net.eval()")),
    Wrong("losses after the step", "the reported losses are those after the step",
          "At which weights does the docstring want the losses?", (_REPORT, _AFTER + _REPORT)),
    Wrong("the two reports swapped", "each loss is reported under the other's name", "Which loss belongs to which key?",
          (_REPORT, 'return {"value": policy_loss.item(), "policy": value_loss.item()}')),
    Wrong("weights shrunk twice",
          "the squares of the weights are added to the loss, although the optimizer already shrinks the weights",
          "Two parts of the loss are computed here. What takes care of the third?",
          (_TOTAL, "decay = sum((weights**2).sum() for weights in net.parameters())\n"
                   "    (value_loss + policy_loss + 1e-4 * decay).backward()")),
    Wrong("gradients clipped",
          "the gradient is clipped to a norm of 1 before the step, which the docstring does not ask for",
          "How large is the optimizer's step where the loss is steep, and how large is yours?",
          (_TOTAL, _TOTAL + "\n    nn.utils.clip_grad_norm_(net.parameters(), 1.0)")),
]
# fmt: on


def right_step_by_the_formulas(net, optimizer, planes, policy, value):
    net.train()
    v, logits = net(torch.tensor(planes))
    p = logits.exp() / logits.exp().sum(dim=1, keepdim=True)
    value_loss = ((torch.tensor(value) - v) ** 2).mean()
    policy_loss = -(torch.tensor(policy) * p.log()).sum(dim=1).mean()
    weights = list(net.parameters())
    for weight, gradient in zip(weights, torch.autograd.grad(value_loss + policy_loss, weights), strict=True):
        weight.grad = gradient
    optimizer.step()
    return {"value": value_loss.item(), "policy": policy_loss.item()}


def right_step_with_two_backward_passes(net, optimizer, planes, policy, value):
    if not net.training:
        net.train(True)
    for parameter in net.parameters():
        parameter.grad = None
    v, logits = net(torch.tensor(planes))
    value_loss, policy_loss = alphazero_loss(v, logits, torch.tensor(value), torch.tensor(policy))
    value_loss.backward(retain_graph=True)
    policy_loss.backward()
    optimizer.step()
    optimizer.zero_grad()
    return {"policy": policy_loss.item(), "value": value_loss.item()}


def right_step_by_closure(net, optimizer, planes, policy, value):
    losses, batch = [], [torch.from_numpy(array) for array in (planes, value, policy)]

    def closure():
        optimizer.zero_grad(set_to_none=False)
        losses.extend(alphazero_loss(*net(batch[0]), *batch[1:]))
        total = sum(losses)
        total.backward()
        return total

    net.train()
    optimizer.step(closure)
    return {"value": losses[0].item(), "policy": losses[1].item()}


CHECK = Scenes(
    draws=st.tuples(
        st.lists(st.integers(2, 8), min_size=1, max_size=3),
        st.sampled_from(
            [
                "SGD(net.parameters(), lr=0.1)",
                "SGD(net.parameters(), lr=0.1, momentum=0.9)",
                "AdamW(net.parameters(), lr=0.05, weight_decay=0.1, eps=0.1)",  # eps so that rounding does not show
            ]
        ),
        st.sampled_from(["train", "eval"]),
        st.booleans(),
        st.sampled_from([1, 10]),
        st.integers(0, 999),
    ),
    # the first input of this batch is 1 in both examples, and the steps are long: shrinking the weights by hand shows
    edges=[([2], "SGD(net.parameters(), lr=10.0)", "train", False, 1, 0)],
    returns=two_floats,
    changes={"net", "optimizer"},
    fresh=False,
    examples=14,
    tolerance=(1e-3, 1e-4),
    question="Does one call take one step, in training mode, from this batch's own gradient, by the optimizer?",
)
