"""Arrays that the checks of notebook 05 draw, and a case made of one call."""

import copy
from typing import NamedTuple

import numpy as np
from hypothesis import strategies as st

from course_utils.tests.case import Case
from course_utils.tests.specification import copies, pasted

BATCHES = st.sampled_from([1, 2, 3, 5, 17])
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
    power: int  # of 2: the size of all numbers but x, which has its own
    seed: int


WIDTHS = st.sampled_from([1, 2, 3, 9])
LAYERS = st.builds(
    Layer,
    BATCHES,
    WIDTHS,
    WIDTHS,
    st.sampled_from(["float64", "int64", "float32", "int8", "uint8"]),
    st.sampled_from([0, -40, 40]),
    SEEDS,
)


@copies
def layer(draw: Layer) -> tuple[np.ndarray, ...]:
    """x, W, b, d_out."""
    rng = np.random.default_rng(draw.seed)
    size = 2.0 ** rng.choice([0, 0, 40, -40])
    whole = 8 * rng.choice([1, 33_333])  # the planes of a board, or what doesn't fit into 16 bits
    x = eighths(rng, draw.batch, draw.inputs) * {"int64": whole, "int8": 40, "uint8": 40}.get(draw.x_type, size)
    parts = 8 if draw.power >= 0 else 2**20  # more of them than float32 can add up
    shapes = (draw.inputs, draw.outputs), (draw.outputs,), (draw.batch, draw.outputs)
    W, b, d_out = (eighths(rng, *shape, power=draw.power, parts=parts) for shape in shapes)
    neurons = 2.0 ** rng.choice([0, 0, 0, 40], draw.outputs)  # what is added up is of one size all the same
    x = abs(x) if draw.x_type == "uint8" else x
    return (
        x.astype(draw.x_type),
        W * neurons,
        b * neurons * (size if draw.x_type[0] == "f" else 1),
        d_out / neurons * (rng.random() < 0.9),
    )
