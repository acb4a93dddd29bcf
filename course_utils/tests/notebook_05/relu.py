"""relu: a negative number becomes 0, any other stays."""

from typing import NamedTuple

import numpy as np
from hypothesis import strategies as st

from course_utils.tests.catalogue import Wrong
from course_utils.tests.notebook_05.arrays import one_call
from course_utils.tests.specification import Specification, array

QUESTION = "A neuron of this kind is silent, or says how strongly it agrees. What does it say below 0, what above?"


class Draw(NamedTuple):
    numbers: list[float]  # repeated until they fill the shape
    shape: tuple[int, ...]
    dtype: str


EDGES = [0.0, -0.0, 1e-6, -1e-6, 1e6, -1e6]
SHAPES = [(1,), (5,), (2, 3), (1, 1), (3, 1), (2, 3, 4), (2, 1, 2, 2), (20, 64)]
DRAWS = st.builds(
    Draw,
    st.lists(st.one_of(st.sampled_from(EDGES), st.floats(-1e4, 1e4)), min_size=1, max_size=7),
    st.sampled_from(SHAPES),
    st.sampled_from(["float64", "float32"]),
)


def x(draw: Draw) -> np.ndarray:
    return np.resize(draw.numbers, draw.shape).astype(draw.dtype)


def oracle(draw: Draw) -> np.ndarray:
    return np.array([0.0 if number < 0 else number for number in x(draw).ravel().tolist()]).reshape(draw.shape)


def by_hand(rng):
    x = np.array([-2.0, -0.5, 0.0, 0.5, 3.0])
    yield one_call("relu", "negative numbers become 0, the others stay", [0, 0, 0, 0.5, 3.0], QUESTION, x, points=2)
    x = rng.integers(-30, 30, (3, 4)) / 8
    yield one_call(
        "relu",
        "a batch of layers: the shape stays",
        [[max(0.0, number) for number in row] for row in x.tolist()],
        "Does anything in your code depend on how many dimensions x has?",
        x,
    )
    yield one_call(
        "relu",
        "no number is too large or too small to stay as it is",
        [1e-5, 12345.678, 0, 0],
        "Is there a largest number that a ReLU can say? A smallest?",
        np.array([1e-5, 12345.678, -1e-5, -12345.678]),
    )


RELU = "return np.maximum(x, 0)"
# fmt: off
WRONG = [
    Wrong("absolute value", "negative numbers lose their sign instead of becoming 0", "What should -3 become?",
          (RELU, "return np.abs(x)")),
    Wrong("the derivative", "the result is 1 or 0: that is the slope of ReLU, which the backward pass needs", "What should 3 become?",
          (RELU, "return (x > 0).astype(float)")),
    Wrong("one number", "np.max gives the single largest number instead of comparing each with 0",
          "Which numpy function compares two things element by element?", (RELU, "return max(np.max(x), 0)")),
    Wrong("the largest of each column", "np.max(x, 0) is the largest along axis 0: its second argument is no number to compare with",
          "Which numpy function compares two things element by element?", (RELU, "return np.max(x, 0)")),
    Wrong("a leak", "negative numbers are made small instead of 0: a leaky ReLU", "What does the docstring say about negative numbers?",
          (RELU, "return np.where(x > 0, x, 0.01 * x)")),
    Wrong("cut off at 1", "numbers above 1 become 1", "Is there a largest number that a ReLU can say?", (RELU, "return np.clip(x, 0, 1)")),
    Wrong("in place", "the zeros are written into the array that was handed over", "Who else holds this array?",
          (RELU, "x[x < 0] = 0\n    return x")),
]
# fmt: on


def by_where(x):
    return np.where(x > 0, x, 0.0)


def by_copy(x):
    out = np.array(x, dtype=float)
    out[out < 0] = 0
    return out


def by_product(x):
    return x * (x > 0)


def by_half(x):
    return (x + np.abs(x)) / 2


CHECK = Specification(
    draws=DRAWS,
    arguments=lambda draw: {"x": x(draw)},
    oracle=oracle,
    returns=array(),
    edges=[Draw(EDGES, (6,), "float64")],
    question=QUESTION,
    by_hand=by_hand,
    wrong=WRONG,
    right=[by_where, by_copy, by_product, by_half],
)
