"""Build one game or a batch of games, for functions that take both."""

import numpy as np
from hypothesis import strategies as st

SHAPES = st.one_of(st.tuples(st.integers(1, 5)), st.tuples(st.integers(1, 3), st.integers(1, 5)))


def parts(actions: list[tuple], shape: tuple[int, ...]) -> list[np.ndarray]:
    """Fill arrays of this shape with the values of the actions, one after the other, and again from the first."""
    return [np.resize(column, shape) for column in zip(*actions, strict=True)]
