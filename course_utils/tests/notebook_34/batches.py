"""One game, or a batch of games: for functions that take both."""

import numpy as np
from hypothesis import strategies as st

SHAPES = st.one_of(st.tuples(st.integers(1, 5)), st.tuples(st.integers(1, 3), st.integers(1, 5)))


def parts(actions: list[tuple], shape: tuple[int, ...]) -> list[np.ndarray]:
    """What is said of each action, as arrays of this shape: the actions one after the other, and again from the first."""
    return [np.resize(part, shape) for part in zip(*actions, strict=True)]
