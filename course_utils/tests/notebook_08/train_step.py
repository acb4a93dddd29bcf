"""train_step: one step down the gradient of both losses, taken by the optimizer, in training mode."""

from functools import lru_cache
from typing import NamedTuple

import numpy as np
import torch
from hypothesis import strategies as st
from torch import nn

from course_utils.learning.training import alphazero_loss
from course_utils.tests.case import Case
from course_utils.tests.catalogue import Wrong
from course_utils.tests.specification import Specification

CALL = "train_step(net, optimizer, planes, policy, value)"


class Draw(NamedTuple):
    sizes: tuple[int, ...]  # of the batches, one step after the other
    planes: tuple[int, int, int]
    num_actions: int
    optimizer: str
    training: bool  # how the network was left
    left_over: bool  # whether gradients of something else are still there
    loud: bool  # a steep loss: gradients far above 1
    seed: int


DRAWS = st.builds(
    Draw,
    st.one_of(st.sampled_from([(1,), (2, 1), (4, 4, 4)]), st.lists(st.integers(2, 12), min_size=1, max_size=4).map(tuple)),
    st.tuples(st.integers(1, 3), st.integers(1, 4), st.integers(1, 5)),
    st.integers(1, 7),
    st.sampled_from(["descent", "momentum", "adam", "two rates"]),
    st.booleans(),
    st.booleans(),
    st.booleans(),
    st.integers(0, 999),
)  # fmt: skip


class Net(nn.Module):
    """One hidden layer, and batch norm where more than one row comes; writes down in which mode it was asked."""

    def __init__(self, draw: Draw):
        super().__init__()
        rng, inputs = np.random.default_rng(draw.seed), int(np.prod(draw.planes))
        self.trunk, self.norm = nn.Linear(inputs, 4), nn.BatchNorm1d(4, eps=0.5)
        self.heads = nn.Linear(4, draw.num_actions + 1)
        self.spare = nn.Parameter(torch.ones(2))  # whatever it is, the loss is the same
        self.modes: list[bool] = []
        with torch.no_grad():
            for weights in self.parameters():
                weights.copy_(torch.from_numpy(0.7 * rng.normal(size=tuple(weights.shape))))
                if draw.left_over:
                    weights.grad = torch.full_like(weights, 1.0)
            if draw.loud:
                self.heads.weight *= 30

    def forward(self, planes: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        self.modes.append(self.training)
        features = self.trunk(planes.flatten(1))
        norm = self.norm if len(planes) > 1 else lambda features: features * self.norm.weight + self.norm.bias
        outputs = self.heads(torch.tanh(norm(features))) + 0 * self.spare.sum()
        return outputs[:, -1] / 3, outputs[:, :-1]


def optimizer_for(net: Net, kind: str) -> torch.optim.Optimizer:
    if kind == "adam":
        return torch.optim.AdamW(
            net.parameters(), 0.05, weight_decay=0.1, eps=0.1
        )  # eps so that rounding does not show
    groups = [{"params": [*net.trunk.parameters(), *net.norm.parameters()]}, {"params": net.heads.parameters()}]
    groups.append({"params": [net.spare], "lr": 1e3})
    if kind == "two rates":
        groups[0]["lr"] = 0.02
    return torch.optim.SGD(groups, 0.1, momentum=0.9 if kind == "momentum" else 0.0)


def batches(draw: Draw) -> list[tuple[np.ndarray, np.ndarray, np.ndarray]]:
    rng = np.random.default_rng(draw.seed + 1)
    return [
        (
            rng.choice([0, 1, 0.5, -1], (size, *draw.planes)).astype(np.float32),
            rng.dirichlet(np.ones(draw.num_actions), size).astype(np.float32),
            rng.choice([-1.0, 0.0, 1.0], size).astype(np.float32),
        )
        for size in draw.sizes[: 1 if draw.loud else None]
    ]


def arguments(draw: Draw) -> dict:
    net = Net(draw).train(draw.training)
    return {"net": net, "optimizer": optimizer_for(net, draw.optimizer),
            **dict(zip(("planes", "policy", "value"), batches(draw)[0], strict=True))}  # fmt: skip


def numbers(net: nn.Module) -> dict[str, np.ndarray]:
    return {name: tensor.detach().numpy().copy() for name, tensor in net.state_dict().items()}


def run(answer, draw: Draw) -> list:
    """The reports, and after the last step: the network's numbers, how many steps there were, whether the batches are as given,
    whether the network was in training mode whenever it was asked, and the learning rates."""
    given, taken = arguments(draw), []
    net, optimizer = given["net"], given["optimizer"]
    optimizer.register_step_post_hook(lambda *_: taken.append(1))
    theirs, ours = batches(draw), batches(draw)
    reports = [answer(net, optimizer, *batch) for batch in theirs]
    same = all(
        np.array_equal(a, b) for one, other in zip(theirs, ours, strict=True) for a, b in zip(one, other, strict=True)
    )
    return [reports, numbers(net), len(taken), same, all(net.modes), [group["lr"] for group in optimizer.param_groups]]


@lru_cache(64)
def oracle(draw: Draw) -> list:
    """By the formula, with torch for the chain rule and the optimizer's own arithmetic only."""
    net = Net(draw).train()
    optimizer, reports = optimizer_for(net, draw.optimizer), []
    for planes, policy, value in batches(draw):
        v, logits = net(torch.tensor(planes))
        shifted = logits - logits.max(dim=1, keepdim=True).values
        log_p = shifted - shifted.exp().sum(dim=1, keepdim=True).log()
        losses = ((v - torch.tensor(value)) ** 2).mean(), -(torch.tensor(policy) * log_p).sum() / len(value)
        weights = [one for one in net.parameters() if one.requires_grad]
        optimizer.zero_grad()
        for weight, gradient in zip(weights, torch.autograd.grad(losses[0] + losses[1], weights), strict=True):
            weight.grad = gradient
        optimizer.step()
        reports.append(dict(zip(("value", "policy"), (loss.item() for loss in losses), strict=True)))
    return [reports, numbers(net), len(reports), True, True, [group["lr"] for group in optimizer.param_groups]]


def two_floats(result) -> str:
    if not isinstance(result, dict) or set(result) != {"value", "policy"}:
        return f'expected a dictionary with "value" and "policy", got {result!r}'
    odd = [type(one).__name__ for one in result.values() if type(one) is not float]
    return f"expected plain floats, got a {odd[0]}" if odd else ""


def by_hand(rng):
    plain = Draw((5,), (2, 1, 3), 3, "descent", True, False, False, 2 * int(rng.integers(500)))

    def case(name, draw, part, call, question, points=1):
        return Case(
            name,
            lambda answer: part(run(answer, draw)),
            part(oracle(draw)),
            call,
            question,
            points=points,
            tolerance=1e-4,
        )

    def heads(got):
        return got[1]["heads.weight"]

    yield case("it reports the losses before the step", plain, lambda got: got[0][0], CALL,
               "Which loss belongs to the key 'value', which to 'policy', and at which weights?")  # fmt: skip
    yield case("one step goes down the gradient of both losses", plain, heads, f"{CALL}\nnet.heads.weight   # SGD with learning rate 0.1",
               "What is the sum whose gradient the step follows, and has that gradient been computed when the step is taken?", 2)  # fmt: skip
    yield case("the optimizer takes one step", plain, lambda got: got[2], CALL + "\nhow many steps the optimizer took",
               "Who changes the weights, and how often for one batch?")  # fmt: skip
    yield case("three steps: each follows its own batch", plain._replace(sizes=(5, 5, 5)), heads,
               f"for planes, policy, value in batches:\n    {CALL}\nnet.heads.weight",
               "torch adds each new gradient to what is already there: what is there at your second step?", 2)  # fmt: skip
    yield case("old gradients don't count", plain._replace(left_over=True), heads,
               f"net.heads.weight.grad = torch.ones(4, 4)   # left over from something else\n{CALL}\nnet.heads.weight",
               "When must the gradients be zero: before the backward pass, or after the step?")  # fmt: skip

    def modes(answer):
        seen = []
        for training in (False, True):
            given = arguments(plain._replace(training=training))
            answer(*given.values())
            seen.append(all(given["net"].modes))
        return seen

    yield Case("the network learns in training mode", modes, [True, True],
               f"net.eval()\n{CALL}\nnet.training when it was asked, and the same after net.train()",
               "Self-play has put the network into evaluation mode: which layers behave differently there?")  # fmt: skip


def step_in_another_order(net, optimizer, planes, policy, value):
    optimizer.zero_grad()
    net.train()
    planes, policy, value = map(torch.as_tensor, (planes, policy, value))
    v, logits = net(planes)
    losses = alphazero_loss(v, logits, value, policy)
    sum(losses).backward()
    optimizer.step()
    return dict(zip(("value", "policy"), (float(loss.detach()) for loss in losses), strict=True))


def step_with_two_backward_passes(net, optimizer, planes, policy, value):
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


def step_by_closure(net, optimizer, planes, policy, value):
    losses, batch = [], [torch.from_numpy(one) for one in (planes, value, policy)]

    def closure():
        optimizer.zero_grad(set_to_none=False)
        losses.extend(alphazero_loss(*net(batch[0]), *batch[1:]))
        total = sum(losses)
        total.backward()
        return total

    net.train()
    optimizer.step(closure)
    return {"value": losses[0].item(), "policy": losses[1].item()}


_TOTAL = "(value_loss + policy_loss).backward()"
_STEP = f"    optimizer.zero_grad()\n    {_TOTAL}\n    optimizer.step()\n"
_REPORT = 'return {"value": value_loss.item(), "policy": policy_loss.item()}'
_AFTER = """predicted_value, logits = net(torch.from_numpy(planes))
    value_loss, policy_loss = alphazero_loss(predicted_value, logits, torch.from_numpy(value), torch.from_numpy(policy))
    """

CHECK = Specification(
    draws=DRAWS,
    arguments=arguments,
    oracle=oracle,
    judged=lambda result, arguments: [result, numbers(arguments["net"])],
    run=run,
    returns=two_floats,
    changes={"net", "optimizer"},
    fresh=False,
    examples=14,
    edges=[Draw((7, 6), (1, 2, 2), 3, "descent", False, True, False, 2)],
    tolerance=(1e-3, 1e-4),
    shown=lambda draw: f"net, optimizer, batches = ...   # {draw}\nfor planes, policy, value in batches:\n    {CALL}\n"
    "the losses, the network's numbers, how many steps were taken, whether the batches are as they were, and training mode was on, the learning rates",
    question="One step for one batch: in training mode, from its own gradient only, by the optimizer.",
    by_hand=by_hand,
    wrong=[
        Wrong("gradients pile up", "nothing zeroes the gradients: each step follows the sum of all batches so far",
              "What does backward() do with a gradient that is already there?", ("    optimizer.zero_grad()\n", "")),
        Wrong("no gradient to follow", "a step is taken without a gradient: none was computed, or it was zeroed before the step",
              "Where do gradients come from, and what does the optimizer find when it takes its step?",
              (_STEP, f"    {_TOTAL}\n    optimizer.zero_grad()\n    optimizer.step()\n")),
        Wrong("gradients zeroed after the step",
              "the gradients are zeroed after the step only: what somebody else left there before still counts",
              "Can you be sure that the gradients are zero when your function begins?",
              (_STEP, f"    {_TOTAL}\n    optimizer.step()\n    optimizer.zero_grad()\n")),
        Wrong("policy loss only", "only the policy loss is followed: the value head learns nothing",
              "Which weights does the policy loss depend on?", (_TOTAL, "policy_loss.backward()")),
        Wrong("value loss only", "only the value loss is followed: the policy head learns nothing",
              "Which weights does the value loss depend on?", (_TOTAL, "value_loss.backward()")),
        Wrong("step before backward", "the step is taken before the gradient is computed: it is always one batch late",
              "Which gradient does the step follow, this batch's or the last one's?",
              (_STEP, f"    optimizer.step()\n    optimizer.zero_grad()\n    {_TOTAL}\n")),
        Wrong("no step", "gradients are computed, but no step is taken", "Who changes the weights?", ("    optimizer.step()\n", "")),
        Wrong("two steps", "a step is taken after each of the two backward passes",
              "The two losses share a trunk: how many steps does one batch ask for?",
              (_TOTAL, "value_loss.backward(retain_graph=True)\n    optimizer.step()\n    policy_loss.backward()")),
        Wrong("tensors returned", "the losses are tensors that keep the whole computation alive, instead of plain floats",
              "What type has each loss, and what does .item() make of it?", (_REPORT, 'return {"value": value_loss, "policy": policy_loss}')),
        Wrong("mode left to chance", "the network is trained in whatever mode it was left in",
              "In which mode did self-play leave the network?", ("    net.train()\n", "")),
        Wrong("evaluation mode", "the network is put into evaluation mode, in which batch norm learns nothing",
              "In which of its two modes does a network learn?", ("net.train()", "net.eval()")),
        Wrong("losses after the step", "the reported losses are those after the step",
              "At which weights does the docstring want the losses?", (_REPORT, _AFTER + _REPORT)),
        Wrong("the two reports swapped", "each loss is reported under the other's name", "Which is which?",
              (_REPORT, 'return {"value": policy_loss.item(), "policy": value_loss.item()}')),
        Wrong("gradients clipped", "the gradient is cut down to a norm of 1 before the step: the docstring knows nothing of that",
              "By how much does the optimizer go down if the loss is steep, and by how much in yours?",
              (_TOTAL, _TOTAL + "\n    nn.utils.clip_grad_norm_(net.parameters(), 1.0)")),
    ],
    right=[step_in_another_order, step_with_two_backward_passes, step_by_closure],
)  # fmt: skip
