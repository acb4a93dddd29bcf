"""Small networks of weights by name, as notebook 05 builds them, and what torch says of them."""

from typing import NamedTuple

import numpy as np
import torch
from hypothesis import strategies as st

from course_utils.networks.by_hand import Activations
from course_utils.tests.notebook_05.arrays import BATCHES, SEEDS, eighths
from course_utils.tests.specification import copies, pasted


class Draw(NamedTuple):
    inputs: int
    hidden: int
    actions: int
    batch: int
    power: int  # of 2: the size of the weights
    seed: int


WIDTHS = st.sampled_from([1, 2, 3, 8])
NETWORKS = st.builds(Draw, WIDTHS, WIDTHS, st.sampled_from([1, 2, 3, 7]), BATCHES, st.sampled_from([-2, -3, 0]), SEEDS)
LIVELY = Draw(
    5, 3, 3, 4, -2, 1951
)  # as large as the notebook's, with silent and loud neurons in both layers, values of both signs


@copies
def weights(draw: Draw) -> dict[str, np.ndarray]:
    """By name; in any order if the seed is even."""
    rng = np.random.default_rng(draw.seed)
    hidden, actions = draw.hidden, draw.actions
    shapes = dict(W1=(draw.inputs, hidden), b1=(hidden,), W2=(hidden, hidden), b2=(hidden,), Wp=(hidden, actions), bp=(actions,),
                  Wv=(hidden, 1), bv=(1,))  # fmt: skip
    arrays = {name: eighths(rng, *shapes[name], power=draw.power) for name in rng.permutation(list(shapes)).tolist()}
    return {name: arrays[name] for name in (shapes if draw.seed % 2 else arrays)}


def x(draw: Draw) -> np.ndarray:
    return eighths(np.random.default_rng([draw.seed, 1]), draw.batch, draw.inputs)


def in_torch(draw: Draw) -> tuple[dict[str, torch.Tensor], list[torch.Tensor]]:
    """The weights as leaves, and what the network computes: x, first, second, logits, value."""
    leaves = {name: torch.tensor(array, requires_grad=True) for name, array in weights(draw).items()}
    dense = lambda h, name: torch.nn.functional.linear(h, leaves["W" + name].T, leaves["b" + name])  # noqa: E731
    layers = [torch.tensor(x(draw))]
    for name in "12":
        layers.append(torch.relu(dense(layers[-1], name)))
    return leaves, [*layers, dense(layers[-1], "p"), torch.tanh(dense(layers[-1], "v")).squeeze(1)]


@copies
def activations(draw: Draw) -> Activations:
    return Activations(*(layer.detach().numpy() for layer in in_torch(draw)[1]))


def shown(draw: Draw) -> str:
    """Lines that make weights and x, or their sizes if they are long."""
    if draw.inputs * draw.hidden > 6 or draw.batch > 3:
        return f"weights: a {draw.inputs}-{draw.hidden}-{draw.hidden}-{{{draw.actions}, 1}} network;  x: [{draw.batch}, {draw.inputs}]"
    return f"weights = {pasted(weights(draw))}\nx = {pasted(x(draw))}"
