"""Check relu: a negative number becomes 0, and all others stay."""

import numpy as np
from hypothesis import strategies as st

from course_utils.tests.catalogue import Wrong
from course_utils.tests.returns import array
from course_utils.tests.scene import Scenes, pasted
from course_utils.tests.world.arrays import tables

QUESTION = "What does ReLU return below 0, and what does it return above 0?"
SHAPES = st.sampled_from([(1,), (5,), (2, 3), (3, 1), (2, 3, 2)])


def scene(x) -> str:
    return f"relu({pasted(x)})"


BY_HAND = """
    negative numbers become 0, and the others stay (2 points)
    >>> relu(np.array([-2.0, -0.5, 0.0, 0.5, 3.0]))
    [0, 0, 0, 0.5, 3.0]

    a batch of layers keeps its shape
    >>> relu(np.array([[0.5, -1.0, 2.0], [-3.0, 0.25, -0.125]]))
    [[0.5, 0, 2.0], [0, 0.25, 0]]
    ? Does anything in your code depend on how many dimensions x has?

    very large and very small positive numbers stay as they are
    >>> relu(np.array([1e-5, 12345.678, -1e-5, -12345.678]))
    [1e-5, 12345.678, 0, 0]
    ? Is there a largest number that ReLU can return, or a smallest one above 0?
"""

RELU = "return np.maximum(x, 0)"
# fmt: off
WRONG = [
    Wrong("absolute value", "negative numbers lose their sign instead of becoming 0", "What should -3 become?",
          (RELU, "return np.abs(x)")),
    Wrong("the derivative", "the result is 1 or 0, which is the slope of ReLU instead of its value",
          "What should 3 become?",
          (RELU, "return (x > 0).astype(float)")),
    Wrong("one number", "np.max gives the single largest number instead of comparing each with 0",
          "Which numpy function compares two things element by element?", (RELU, "return max(np.max(x), 0)")),
    Wrong("the largest of each column",
          "np.max(x, 0) is the maximum along axis 0, because its second argument is an axis",
          "Which numpy function compares two things element by element?", (RELU, "return np.max(x, 0)")),
    Wrong("a leak", "negative numbers become small instead of 0, as in a leaky ReLU",
          "What does the docstring say about negative numbers?",
          (RELU, "return np.where(x > 0, x, 0.01 * x)")),
    Wrong("cut off at 1", "numbers above 1 become 1", "Is there a largest number that ReLU can return?",
          (RELU, "return np.clip(x, 0, 1)")),
    Wrong("in place", "the zeros are written into the caller's array", "Who else uses this array?",
          (RELU, "x[x < 0] = 0\n    return x")),
]
# fmt: on


def right_by_where(x):
    return np.where(x > 0, x, 0.0)


def right_by_copy(x):
    out = np.array(x, dtype=float)
    out[out < 0] = 0
    return out


def right_by_half(x):
    return (x + np.abs(x)) / 2


CHECK = Scenes(
    draws=SHAPES.flatmap(lambda shape: tables(*shape)),
    returns=array(),
    question=QUESTION,
)
