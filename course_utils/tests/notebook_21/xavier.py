"""xavier: random weights, uniform, and smaller the more neurons a layer has."""

import math

import numpy as np
from hypothesis import strategies as st

from course_utils.tests.catalogue import Wrong
from course_utils.tests.returns import array
from course_utils.tests.scene import Scenes
from course_utils.tests.world.arrays import SEEDS

SIDES = (
    "Signals flow forward, gradients backward. Which sides of the layer count, and which numbers stand under the root?"
)
UNIFORM = "Uniform means: every number in the range is as likely as any other, and says nothing about the next."
CHANCE = "Where does your chance come from? Can somebody repeat your run, and does a second layer get its own weights?"
EVENLY = "evenly from -limit to +limit"
BY_HAND = f"""
    shape [inputs, outputs]
    >>> rng = np.random.default_rng(0)
    >>> xavier(18, 64, rng).shape, xavier(64, 9, rng).shape, xavier(64, 1, rng).shape
    (18, 64), (64, 9), (64, 1)
    ? How does dense_forward want W to lie?

    300 inputs, 200 outputs: spread evenly from -limit to +limit (2 points)
    >>> W = xavier(300, 200, np.random.default_rng(SEED))
    >>> spread([W], limit=np.sqrt(6 / 500))
    {EVENLY!r}
    ? {SIDES} {UNIFORM}

    the same seed gives the same weights
    >>> np.array_equal(xavier(6, 5, np.random.default_rng(SEED)), xavier(6, 5, np.random.default_rng(SEED)))
    True
    ? {CHANCE}

    a second layer gets weights of its own
    >>> rng = np.random.default_rng(SEED)
    >>> np.array_equal(xavier(6, 5, rng), xavier(6, 5, rng))
    False
    ? {CHANCE}
"""
MANY = 600  # numbers, of as many calls as that takes


def spread(layers: list[np.ndarray], limit: float) -> str:
    """In words, how the weights of some layers lie.

    A right answer has a chance of less than one in 10 ** 10 to be refused.
    """
    ratio = np.ravel(layers) / limit
    n, largest, different = ratio.size, abs(ratio).max(), len(np.unique(abs(ratio)))
    if not 1 - 24 / n < largest < 1 + 1e-6:
        return f"the largest of {n} weights is {largest:.3g} times the limit"
    if different < 0.99 * n:
        return f"of {n} weights only {different} differ in size: the others repeat them"
    off = abs((np.sort(ratio) + 1) / 2 - (np.arange(n) + 0.5) / n).max() * math.sqrt(n)  # Kolmogorov and Smirnov
    middle, negative = (abs(ratio) < 0.5).mean(), (ratio < 0).mean()
    return EVENLY if off < 3.5 else f"not evenly: {middle:.0%} lie in the middle half, {negative:.0%} are negative"


def scene(draw) -> str:
    inputs, outputs, seed = draw
    return f"""\
rng = np.random.default_rng({seed})
layers = [xavier({inputs}, {outputs}, rng) for _ in range({math.ceil(MANY / inputs / outputs)})]
layers[0].shape, spread(layers, limit=np.sqrt(6 / ({inputs} + {outputs})))"""


LIMIT, DRAWN = "np.sqrt(6 / (inputs + outputs))", "rng.uniform(-limit, limit, size=(inputs, outputs))"
DISTRIBUTION = "Which distribution does the docstring name?"
# fmt: off
WRONG = [
    Wrong("inputs only, 6", "only the inputs are counted (that is Kaiming's limit)", SIDES, (LIMIT, "np.sqrt(6 / inputs)")),
    Wrong("standard deviation for the limit", "sqrt(2 / (inputs + outputs)) is the standard deviation that comes out, not the limit",
          "A uniform distribution from -limit to +limit has the deviation limit / sqrt(3). Which of the two do you hand over?", ("6 / (", "2 / (")),
    Wrong("root forgotten", "the root is missing", "Which function is around 6 / (inputs + outputs)?", (LIMIT, "6 / (inputs + outputs)")),
    Wrong("6 / inputs + outputs", "brackets are missing: 6 / inputs + outputs is (6 / inputs) + outputs", "Which comes first, / or +?", (LIMIT, "np.sqrt(6 / inputs + outputs)")),
    Wrong("normal for uniform", "the weights are normally distributed, with the same deviation", DISTRIBUTION,
          (DRAWN, "rng.normal(0, limit / np.sqrt(3), size=(inputs, outputs))")),
    Wrong("outputs first", "the matrix lies the other way", "How does dense_forward want W to lie?", ("(inputs, outputs))", "(outputs, inputs))")),
    Wrong("numpy's global chance", "chance comes from np.random, which nobody handed over: a run can't be repeated", CHANCE, ("rng.uniform", "np.random.uniform")),
    Wrong("a generator of its own", "a new generator is made inside, always with the same seed", "Two layers of the same size: what would they have in common?",
          ("rng.uniform", "np.random.default_rng(0).uniform")),
]
# fmt: on


def right_from_zero_one(inputs, outputs, rng):
    return (2 * rng.random((inputs, outputs)) - 1) * math.sqrt(6.0 / (inputs + outputs))


def right_row_by_row(inputs, outputs, rng):
    limit = (6 / (inputs + outputs)) ** 0.5
    return np.array([rng.uniform(-limit, limit, outputs) for _ in range(inputs)])


CHECK = Scenes(
    draws=st.tuples(st.integers(2, 20), st.integers(2, 20), SEEDS),
    returns=array(),
    examples=20,
    question=f"{SIDES} {UNIFORM}",
)
