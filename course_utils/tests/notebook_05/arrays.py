"""Arrays that the checks of notebook 05 draw, and a case made of one call."""

import copy
from typing import NamedTuple

import numpy as np
from hypothesis import strategies as st

from course_utils.tests.case import Case
from course_utils.tests.specification import pasted

BATCHES = st.sampled_from([1, 2, 3, 5, 300])
SEEDS = st.integers(0, 999)


def eighths(rng: np.random.Generator, *shape: int, power: int = 0, parts: int = 8) -> np.ndarray:
    """Multiples of 1/8 from -3 to 3, many zeros among them, times a power of 2: their products and sums are exact in any order."""
    return rng.integers(-3 * parts, 3 * parts + 1, shape) / parts * (rng.random(shape) < 0.8) * 2.0**power


def one_call(exercise: str, name: str, expected, question: str, *args, points: int = 1) -> Case:
    """A case that is one call on fresh copies of `args`."""
    return Case(
        name,
        lambda answer: answer(*copy.deepcopy(args)),
        expected,
        f"{exercise}({', '.join(map(pasted, args))})",
        question,
        points=points,
    )


class Layer(NamedTuple):
    """A dense layer, what goes in, and what comes back from behind."""

    batch: int
    inputs: int
    outputs: int
    x_type: str
    power: int  # of 2: the size of all numbers but x
    seed: int


WIDTHS = st.sampled_from([1, 2, 3, 9])
LAYERS = st.builds(
    Layer,
    BATCHES,
    WIDTHS,
    WIDTHS,
    st.sampled_from(["float64", "int64", "float32"]),
    st.sampled_from([0, -40, 40]),
    SEEDS,
)


def layer(draw: Layer) -> tuple[np.ndarray, ...]:
    """x, W, b, d_out."""
    rng = np.random.default_rng(draw.seed)
    whole = 8 * (33_333 if draw.seed % 2 else 1)  # the planes of a board, or what doesn't fit into 16 bits
    x = eighths(rng, draw.batch, draw.inputs) * (whole if draw.x_type == "int64" else 1)
    shapes = (draw.inputs, draw.outputs), (draw.outputs,), (draw.batch, draw.outputs)
    parts = 8 if draw.power >= 0 else 2**20  # more of them than float32 can add up
    return x.astype(draw.x_type), *(eighths(rng, *shape, power=draw.power, parts=parts) for shape in shapes)
