"""Arrays that the checks of notebook 05 draw, and a case made of one call."""

import copy

import numpy as np
from hypothesis import strategies as st

from course_utils.tests.case import Case
from course_utils.tests.specification import pasted

BATCHES = st.sampled_from([1, 2, 3, 5, 300])
SEEDS = st.integers(0, 999)


def eighths(rng: np.random.Generator, *shape: int, power: int = 0) -> np.ndarray:
    """Multiples of 1/8 from -3 to 3, many zeros among them, times a power of 2: their products and sums are exact in any order."""
    return rng.integers(-24, 25, shape) / 8 * (rng.random(shape) < 0.8) * 2.0**power


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
