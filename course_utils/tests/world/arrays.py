"""Define strategies for arrays, for the checks of the notebook 'The network by hand'."""

from collections.abc import Iterable
from typing import Any

import numpy as np
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from hypothesis.strategies import SearchStrategy

from course_utils.tests.returns import array

EIGHTHS = st.integers(-24, 24).map(lambda eighths: eighths / 8)  # their products and sums are exact
SEEDS = st.integers(0, 999)
SIZES = st.sampled_from([1, 2, 3, 4])
SPREADS = st.sampled_from([(1, 0), (1, 0), (512, 0), (1, 1000), (1, -1000)])  # of logits: times, plus


def tables(*shape: int) -> SearchStrategy[np.ndarray]:
    return hnp.arrays(float, shape, elements=EIGHTHS, fill=st.nothing())


def array_each(parts: Iterable[tuple[str, Any]]) -> str:
    """Say which of the named results is not an array; "" if all are."""
    return next((f"{name}: {complaint}" for name, result in parts if (complaint := array()(result))), "")
