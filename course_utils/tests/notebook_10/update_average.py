"""update_average: the network that plays follows the network that learns."""

from typing import NamedTuple

import numpy as np
import torch
from hypothesis import strategies as st
from torch import nn

from course_utils.networks.policy_value import PolicyValueNet
from course_utils.networks.resnet import ResNet
from course_utils.tests.case import Case
from course_utils.tests.catalogue import Wrong
from course_utils.tests.specification import Specification, nothing


class Draw(NamedTuple):
    kind: str  # "resnet" has statistics and counters, "mlp" has neither, "other" weights of two types, large ones, and tables
    seed: int
    keeps: list[float]  # of one update after the other; between them the network learns
    frozen: str = ""  # whose weights want no gradients: "average", "net", "both"


KEEPS = st.one_of(st.sampled_from([0.0, 1.0, 0.5, 0.75, 0.999]), st.floats(0, 1))
DRAWS = st.builds(
    Draw,
    st.sampled_from(["resnet", "mlp", "other"]),
    st.integers(0, 999),
    st.lists(KEEPS, min_size=1, max_size=4),
    st.sampled_from(["", "", "average", "net", "both"]),
)


def network(kind: str, rng: np.random.Generator) -> nn.Module:
    """A tiny network with random numbers everywhere, batch norm's statistics and counters included."""
    net: nn.Module = PolicyValueNet(2, 3, 3, 9, hidden=4)
    if kind == "resnet":
        net = ResNet(2, 3, 3, 9, blocks=1, channels=2, policy_filters=1, value_filters=1, value_hidden=3)
    elif kind == "other":
        net = nn.Linear(2, 3)
        net.fine = nn.Parameter(torch.zeros(3, dtype=torch.float64))
        net.register_buffer("table", torch.zeros(2, 2, dtype=torch.int64))
        net.register_buffer("mask", torch.zeros(4, dtype=torch.bool))
    large = 1e8 if kind == "other" else 1
    with torch.no_grad():
        for tensor in net.state_dict().values():
            numbers = (
                large * rng.uniform(0.5, 2.0, size=tuple(tensor.shape))
                if tensor.is_floating_point()
                else rng.integers(0, 2 if tensor.dtype == torch.bool else 10**6, size=tuple(tensor.shape))
            )
            tensor.copy_(torch.as_tensor(numbers))
    return net


def pair(draw: Draw) -> tuple[nn.Module, nn.Module]:
    rng = np.random.default_rng(draw.seed)
    average, net = network(draw.kind, rng), network(draw.kind, rng)
    average.requires_grad_(draw.frozen not in ("average", "both"))
    return average, net.requires_grad_(draw.frozen not in ("net", "both"))


def learned(old):
    """What a weight of the network is after a step of learning."""
    return old * 0.75 + 0.25


def numbers(net: nn.Module) -> dict[str, np.ndarray]:
    return {name: tensor.detach().numpy().astype(np.float64) for name, tensor in net.state_dict().items()}


def oracle(draw: Draw) -> list:
    two = pair(draw)
    average, net = map(numbers, two)
    whole = {name for name, tensor in two[0].state_dict().items() if not tensor.is_floating_point()}
    for keep in draw.keeps:
        average = {
            name: net[name] if name in whole else keep * old + (1 - keep) * net[name] for name, old in average.items()
        }
        net = {name: old if name in whole else learned(old) for name, old in net.items()}
    fine_print = [True, *(one.requires_grad for one in two[0].parameters())]
    return [average, net, [True] * len(average), fine_print]


def run(update_average, draw: Draw) -> list:
    """The average and the network afterwards, and whether the average's tensors are still the ones that it had."""
    average, net = pair(draw)
    held = dict(average.named_parameters()) | dict(average.named_buffers())
    for keep in draw.keeps:
        update_average(average, net, keep)
        with torch.no_grad():
            for tensor in filter(torch.is_floating_point, net.state_dict().values()):
                tensor.copy_(learned(tensor))
    fine_print = [average.training, *(one.requires_grad for one in average.parameters())]
    now = dict(average.named_parameters()) | dict(average.named_buffers())
    fine = [
        not tensor.is_floating_point() or (tensor.grad_fn is None and bool(torch.isfinite(tensor).all()))
        for tensor in now.values()
    ]
    return [numbers(average), numbers(net), fine if held.keys() == now.keys() else [], fine_print]


def by_hand(rng):
    setting = "average, net: two small ResNets of the same size, with different numbers\n"
    for name, tensor, question, points in (
        ("a weight: three quarters stay, a quarter is new", "stem.0.0.weight", "Which of the two gets the large share?", 2),
        ("batch norm's running mean follows, too", "stem.0.1.running_mean",
         "parameters() are what is learned. What else does a network store? Where do you find all of it?", 3),
        ("a counter of whole numbers is copied", "stem.0.1.num_batches_tracked",
         "An average of counts is no count. Which numbers can be averaged, and which can only be taken over?", 1),
    ):  # fmt: skip
        draw = Draw("resnet", 5, [0.75])
        yield Case(
            name,
            lambda answer, draw=draw, tensor=tensor: run(answer, draw)[0][tensor],
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
    edges=[Draw("other", seed, [0.75, 0.5]) for seed in range(2)],
    tolerance=(1e-6, 1e-6),
    shown=lambda draw: f"two {draw.kind} networks with random numbers (seed {draw.seed}); frozen: {draw.frozen or 'none'}\n"
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
        Wrong("the learner is averaged", "the network that learns is written to, too", "Which of the two must stay as it is?",
              (_LERP, "mean.lerp_(latest, 1 - keep)\n            latest.copy_(mean)")),
        Wrong("counters left", "the counters of the average stay what they were",
              "What would batch norm's counter be after a thousand updates?", ("mean.copy_(latest)", "pass")),
        Wrong("taken over", "the average becomes the network: nothing is kept", "What is `keep` for?",
              (_LERP, "mean.copy_(latest)")),
    ],
    right=[average_in_double, average_parameters_then_buffers],
)  # fmt: skip
