"""update_average: the network that plays follows the network that learns."""

import numpy as np
import torch
from hypothesis import strategies as st
from torch import nn

from course_utils.networks.resnet import Residual
from course_utils.tests.catalogue import Wrong
from course_utils.tests.returns import nothing
from course_utils.tests.scene import Scenes

KEEPS = st.one_of(st.sampled_from([0.5, 0.75, 0.999]), st.integers(0, 10).map(lambda tenths: tenths / 10))
DRAWS = st.tuples(st.booleans(), st.integers(0, 99), st.lists(KEEPS, min_size=1, max_size=4))


def scene(draw) -> str:
    """One update after the other; after each the network learns."""
    with_norm, seed, keeps = draw
    make = "Residual(2)" if with_norm else "nn.Linear(2, 3)"
    updates = [f"update_average(average, net, {keep})\nlearn(net, {seed + 2 + t})" for t, keep in enumerate(keeps)]
    learned = [f"average = learn({make}, {seed})", f"net = learn({make}, {seed + 1})"]
    return "\n".join([*learned, *updates, "weights(average)"])


def learn(net: nn.Module, seed: int) -> nn.Module:
    """The same network with other numbers everywhere, batch norm's statistics and counters included."""
    rng = np.random.default_rng(seed)
    for tensor in net.state_dict().values():
        tensor.copy_(
            torch.tensor(rng.integers(1, 1000, tuple(tensor.shape))) / (8 if tensor.is_floating_point() else 1)
        )
    return net


def weights(net: nn.Module) -> dict[str, np.ndarray]:
    return {name: tensor.numpy().copy() for name, tensor in net.state_dict().items()}


BY_HAND = """
    a weight: three quarters stay, a quarter is new (2 points)
    >>> average, net = nn.Linear(1, 1), nn.Linear(1, 1)
    >>> average.state_dict()["weight"].fill_(4.0), net.state_dict()["weight"].fill_(8.0)
    >>> update_average(average, net, 0.75)
    >>> average.weight.item()
    5.0
    ? Which of the two gets the large share?

    batch norm's running mean follows, too (3 points)
    >>> average, net = nn.BatchNorm2d(1), nn.BatchNorm2d(1)
    >>> average.running_mean.fill_(4.0), net.running_mean.fill_(8.0)
    >>> update_average(average, net, 0.75)
    >>> average.running_mean.item()
    5.0
    ? parameters() are what is learned. What else does a network store? Where do you find all of it?

    a counter of whole numbers is copied
    >>> average, net = nn.BatchNorm2d(1), nn.BatchNorm2d(1)
    >>> average.num_batches_tracked.fill_(4), net.num_batches_tracked.fill_(9)
    >>> update_average(average, net, 0.75)
    >>> average.num_batches_tracked.item()
    9
    ? An average of counts is no count. Which numbers can be averaged, and which can only be taken over?

    the network learns on, and the average stays as it is
    >>> average, net = nn.BatchNorm2d(1), nn.BatchNorm2d(1)
    >>> update_average(average, net, 0.0)
    >>> before = weights(average)
    >>> for tensor in net.state_dict().values():
    ...     tensor.fill_(9)
    >>> [(before[name] == after).all() for name, after in weights(average).items()]
    [True, True, True, True, True]
    ? Does the average have numbers of its own now, or does it hold the network's tensors?
"""

LERP = "mean.lerp_(latest, 1 - keep)"
# fmt: off
WRONG = [
    Wrong("statistics left behind", "only the parameters are averaged: batch norm's running statistics stay those of the start",
          "What else than parameters does state_dict hold?",
          ("average.state_dict().values(), net.state_dict().values()", "average.parameters(), net.parameters()")),
    Wrong("shares exchanged", "the average takes the large share from the network that learns", "Which share is `keep`?",
          (LERP, "mean.lerp_(latest, keep)")),
    Wrong("nothing is written", "the new average gets a name and is forgotten", "What does `=` do to a name, and what to a tensor?",
          (LERP, "mean = mean.lerp(latest, 1 - keep)")),
    Wrong("not even a counter is written", "what is new gets a name and is forgotten: nothing in the average changes",
          "What does `=` do to a name, and what to a tensor?", (LERP, "mean = mean.lerp(latest, 1 - keep)"),
          ("mean.copy_(latest)", "mean = latest")),
    Wrong("the learner is averaged", "the network that learns is written to, too", "Which of the two must stay as it is?",
          (LERP, "mean.lerp_(latest, 1 - keep)\n            latest.copy_(mean)")),
    Wrong("counters left", "the counters of the average stay what they were",
          "What would batch norm's counter be after a thousand updates?", ("mean.copy_(latest)", "pass")),
    Wrong("taken over", "the average becomes the network: nothing is kept", "What is `keep` for?", (LERP, "mean.copy_(latest)")),
    Wrong("the same tensors", "from then on both networks hold the same tensors: when one learns, the other changes, too",
          "Does the average have numbers of its own afterwards?",
          code="""
          def update_average(average, net, keep):
              old, new = average.state_dict(), net.state_dict()
              for name in old:
                  if new[name].is_floating_point():
                      new[name] = keep * old[name] + (1 - keep) * new[name]
              average.load_state_dict(new, assign=True)
          """),
]
# fmt: on


def average_by_name(average, net, keep):
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


CHECK = Scenes(
    draws=DRAWS,
    scene=scene,
    names=globals(),
    by_hand=BY_HAND,
    returns=nothing,
    changes={"average"},
    examples=12,
    edges=[(True, 1, [0.75, 0.5])],
    tolerance=1e-5,
    question="Each update starts from what the one before has left, and writes to one of the two networks only.",
    wrong=WRONG,
    right=[average_by_name, average_parameters_then_buffers],
)
