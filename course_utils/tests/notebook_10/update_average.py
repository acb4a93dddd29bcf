"""update_average: the network that plays follows the network that learns."""

from typing import NamedTuple

import numpy as np
import torch
from hypothesis import strategies as st
from torch import nn

from course_utils.networks.resnet import Residual
from course_utils.tests.case import Case
from course_utils.tests.catalogue import Wrong
from course_utils.tests.returns import nothing
from course_utils.tests.specification import Specification


class Draw(NamedTuple):
    kind: str  # "block" has statistics and counters, "linear" has neither
    seed: int
    keeps: list[float]  # of one update after the other; between them the network learns


KEEPS = st.one_of(st.sampled_from([0.5, 0.75, 0.999]), st.floats(0, 1))
DRAWS = st.builds(
    Draw, st.sampled_from(["block", "linear"]), st.integers(0, 999), st.lists(KEEPS, min_size=1, max_size=4)
)


def network(kind: str, rng: np.random.Generator, times: float) -> nn.Module:
    """A tiny network with random numbers everywhere, batch norm's statistics and counters included."""
    net: nn.Module = Residual(2) if kind == "block" else nn.Sequential(nn.Linear(2, 3), nn.Linear(3, 1))
    with torch.no_grad():
        for tensor in net.state_dict().values():
            size = tuple(tensor.shape)
            whole = not tensor.is_floating_point()
            tensor.copy_(
                torch.as_tensor(rng.integers(1000, size=size) if whole else times * rng.uniform(0.5, 2.0, size))
            )
    return net


def pair(draw: Draw) -> tuple[nn.Module, nn.Module]:
    """The average, and a network whose weights are larger."""
    rng = np.random.default_rng(draw.seed)
    return network(draw.kind, rng, 1), network(draw.kind, rng, 100)


def learned(tensor):
    """What a weight of the network is after a step of learning."""
    return tensor * 0.75 if tensor.dtype in (torch.float32, np.float32) else tensor


def numbers(net: nn.Module) -> dict[str, np.ndarray]:
    return {name: tensor.detach().numpy().copy() for name, tensor in net.state_dict().items()}


def oracle(draw: Draw) -> list:
    average, net = map(numbers, pair(draw))
    for keep in draw.keeps:
        for name, new in net.items():
            mixed = keep * average[name].astype(float) + (1 - keep) * new.astype(float)
            average[name] = new if new.dtype.kind != "f" else mixed.astype(new.dtype)
            net[name] = learned(new)
    return [average, net, [True] * len(average)]


def run(update_average, draw: Draw) -> list:
    """The average and the network afterwards, and whether the average's tensors are numbers without a history."""
    average, net = pair(draw)
    for keep in draw.keeps:
        update_average(average, net, keep)
        with torch.no_grad():
            for tensor in net.state_dict().values():
                tensor.copy_(learned(tensor))
    return [
        numbers(average),
        numbers(net),
        [one.grad_fn is None for one in average.state_dict(keep_vars=True).values()],
    ]


def by_hand(rng):
    setting = "average, net: two residual blocks of two channels, with different numbers\n"
    draw = Draw("block", 5, [0.75])
    for name, tensor, question, points in (
        ("a weight: three quarters stay, a quarter is new", "first.0.weight", "Which of the two gets the large share?", 2),
        ("batch norm's running mean follows, too", "first.1.running_mean",
         "parameters() are what is learned. What else does a network store? Where do you find all of it?", 3),
        ("a counter of whole numbers is copied", "first.1.num_batches_tracked",
         "An average of counts is no count. Which numbers can be averaged, and which can only be taken over?", 1),
    ):  # fmt: skip
        yield Case(
            name,
            lambda answer, tensor=tensor: run(answer, draw)[0][tensor],
            oracle(draw)[0][tensor],
            f'{setting}update_average(average, net, 0.75)\naverage.state_dict()["{tensor}"]',
            question,
            points=points,
            tolerance=1e-5,
        )


def average_in_double(average, net, keep):
    latest, mixed = net.state_dict(), {}
    for name, old in average.state_dict().items():
        if old.dtype.is_floating_point:
            mixed[name] = (keep * old.double() + (1 - keep) * latest[name].double()).to(old.dtype)
        else:
            mixed[name] = latest[name].clone()
    average.load_state_dict(mixed)


def average_parameters_then_buffers(average, net, keep):
    with torch.no_grad():
        for old, new in zip(average.parameters(), net.parameters(), strict=True):
            old.mul_(keep)
            old.add_((1 - keep) * new)
        for old, new in zip(average.buffers(), net.buffers(), strict=True):
            old.copy_(keep * old + (1 - keep) * new if old.is_floating_point() else new)


_LERP = "mean.lerp_(latest, 1 - keep)"

CHECK = Specification(
    draws=DRAWS,
    arguments=lambda draw: {**dict(zip(("average", "net"), pair(draw), strict=True)), "keep": draw.keeps[0]},
    oracle=oracle,
    judged=lambda result, arguments: numbers(arguments["average"]),
    run=run,
    returns=nothing,
    changes={"average"},
    fresh=False,
    examples=12,
    edges=[Draw("block", 1, [0.75, 0.5])],
    tolerance=1e-5,
    shown=lambda draw: f"two {draw.kind} networks with random numbers (seed {draw.seed})\n"
    f"for keep in {draw.keeps}:\n    update_average(average, net, keep)\n    # the network learns\nthe numbers of average, the numbers of net",
    question="Each update starts from what the one before has left, and writes to one of the two networks only.",
    by_hand=by_hand,
    wrong=[
        Wrong("statistics left behind", "only the parameters are averaged: batch norm's running statistics stay those of the start",
              "What else than parameters does state_dict hold?",
              ("average.state_dict().values(), net.state_dict().values()", "average.parameters(), net.parameters()")),
        Wrong("shares exchanged", "the average takes the large share from the network that learns", "Which share is `keep`?",
              (_LERP, "mean.lerp_(latest, keep)")),
        Wrong("nothing is written", "the new average gets a name and is forgotten", "What does `=` do to a name, and what to a tensor?",
              (_LERP, "mean = mean.lerp(latest, 1 - keep)")),
        Wrong("not even a counter is written", "what is new gets a name and is forgotten: nothing in the average changes",
              "What does `=` do to a name, and what to a tensor?",
              (_LERP, "mean = mean.lerp(latest, 1 - keep)"), ("mean.copy_(latest)", "mean = latest")),
        Wrong("the learner is averaged", "the network that learns is written to, too", "Which of the two must stay as it is?",
              (_LERP, "mean.lerp_(latest, 1 - keep)\n            latest.copy_(mean)")),
        Wrong("counters left", "the counters of the average stay what they were",
              "What would batch norm's counter be after a thousand updates?", ("mean.copy_(latest)", "pass")),
        Wrong("taken over", "the average becomes the network: nothing is kept", "What is `keep` for?",
              (_LERP, "mean.copy_(latest)")),
    ],
    right=[average_in_double, average_parameters_then_buffers],
)  # fmt: skip
