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
    seed: int


WIDTHS = st.sampled_from([1, 2, 3, 9])
LAYERS = st.builds(
    Layer,
    BATCHES,
    WIDTHS,
    WIDTHS,
    st.sampled_from(["float64", "float32"]),
    SEEDS,
)


@copies
def layer(draw: Layer) -> tuple[np.ndarray, ...]:
    """x, W, b, d_out."""
    rng = np.random.default_rng(draw.seed)
    shapes = (draw.batch, draw.inputs), (draw.inputs, draw.outputs), (draw.outputs,), (draw.batch, draw.outputs)
    x, W, b, d_out = (eighths(rng, *shape) for shape in shapes)
    return x.astype(draw.x_type), W, b, d_out
