"""Draw small networks of weights by name, as the notebook 'The network by hand' builds them."""

import numpy as np
from hypothesis import strategies as st

from course_utils.tests.world.arrays import SEEDS, SIZES

NETWORKS = st.tuples(SIZES, SIZES, SIZES, SIZES, SEEDS)  # inputs, hidden, actions, batch, seed

# Two positions on which one neuron or the other is silent, in both layers.
TWO_POSITIONS = """
    >>> weights = {
    ...     "W1": np.array([[1.0, -1.0], [2.0, 0.5]]), "b1": np.array([0.5, 0.0]),
    ...     "W2": np.array([[1.0, -1.0], [3.0, 0.5]]), "b2": np.array([0.0, 2.0]),
    ...     "Wp": np.array([[1.0, 0.0, -1.0], [0.5, 2.0, 0.0]]), "bp": np.array([0.0, 0.0, 0.5]),
    ...     "Wv": np.array([[0.5], [-0.5]]), "bv": np.array([0.5]),
    ... }
    >>> x = np.array([[1.0, 0.0], [0.0, 1.0]])
""".strip("\n")


def some_weights(inputs: int, hidden: int, actions: int, seed: int) -> dict[str, np.ndarray]:
    """Draw random weights of a small network, by name."""
    rng = np.random.default_rng(seed)
    layers = {"1": (inputs, hidden), "2": (hidden, hidden), "p": (hidden, actions), "v": (hidden, 1)}
    shapes = {f"W{name}": shape for name, shape in layers.items()} | {
        f"b{name}": shape[1:] for name, shape in layers.items()
    }
    return {name: rng.integers(-24, 25, shapes[name]) / 32 for name in rng.permutation(sorted(shapes)).tolist()}
