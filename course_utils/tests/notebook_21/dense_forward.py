"""Check dense_forward: each output is a weighted sum of all inputs, plus its bias."""

import numpy as np
from hypothesis import strategies as st

from course_utils.tests.catalogue import Wrong
from course_utils.tests.returns import array
from course_utils.tests.scene import Scenes, pasted
from course_utils.tests.world.arrays import SIZES, tables

BY_HAND = """
    a single neuron
    >>> dense_forward(np.array([[1, 0, 1]]), np.array([[0.5], [-1.0], [2.0]]), np.array([-0.7]))
    [[1.8]]
    ? Each input is multiplied by its weight, and the products are added up. What comes after that?

    two inputs, two neurons (2 points)
    >>> dense_forward(np.array([[1.0, 10.0]]), np.array([[1.0, 2.0], [-3.0, 4.0]]), np.array([0.5, -0.25]))
    [[-28.5, 41.75]]
    ? Which index of W is the input, and which one is the neuron?

    four positions, three inputs, two neurons: [4, 2] (2 points)
    >>> x = np.array([[1.0, 2.0, 0.5], [0.0, 1.0, 0.0], [-1.0, 0.5, 3.0], [2.0, 0.0, 1.0]])
    >>> W = np.array([[0.5, -1.0], [2.0, 1.5], [-0.5, 3.0]])
    >>> b = np.array([0.25, -2.0])
    >>> dense_forward(x, W, b)
    [[4.5, 1.5], [2.25, -0.5], [-0.75, 8.75], [0.75, -1.0]]
    ? [4, 3] times [3, 2] is [4, 2]. Which operator computes a matrix product?

    the empty board: only the biases are left
    >>> dense_forward(np.zeros((3, 2)), np.array([[1.0, 2.0, 3.0], [0.5, -1.0, 4.0]]), np.array([1.0, -2.0, 3.0]))
    [[1.0, -2.0, 3.0], [1.0, -2.0, 3.0], [1.0, -2.0, 3.0]]
    ? Weights times 0 are 0. What is left?
"""


def layer(batch: int, inputs: int, outputs: int) -> st.SearchStrategy[tuple]:
    """Draw x, W, b."""
    return st.tuples(tables(batch, inputs), tables(inputs, outputs), tables(outputs))


def scene(draw) -> str:
    x, W, b = map(pasted, draw)
    return f"x = {x}\nW = {W}\nb = {b}\ndense_forward(x, W, b)"


DENSE = "return x @ W + b"
# fmt: off
WRONG = [
    Wrong("bias forgotten", "the bias is not added", "What is a neuron's output when all its inputs are 0?",
          (DENSE, "return x @ W")),
    Wrong("weights transposed", "W is transposed, so inputs and neurons are exchanged",
          "x is [batch, inputs] and W is [inputs, outputs]. Which two of these must be equal in a matrix product?",
          (DENSE, "return x @ W.T + b")),
    Wrong("bias before the weights", "the bias is added to the inputs instead of the sums",
          "A bias belongs to a neuron, not to an input. When is it added?", (DENSE, "return (x + b) @ W")),
    Wrong("bias for each input", "the bias is added once for each input instead of once for each neuron",
          "How often does a neuron add its bias?",
          (DENSE, "return x @ W + b * x.shape[1]")),
    Wrong("with ReLU", "negative sums become 0, because the layer already contains the activation",
          "How could a value head say that a position is lost?",
          (DENSE, "return np.maximum(x @ W + b, 0)")),
    Wrong("element by element", "* multiplies entry by entry, but a layer needs the matrix product",
          "Which operator multiplies matrices?",
          (DENSE, "return x * W + b")),
    Wrong("first position only", "only the first row of the batch is computed",
          "How many rows does x have, and how many does your result have?",
          (DENSE, "return x[0] @ W + b")),
]
# fmt: on


def right_by_loops(x, W, b):
    """Add up neuron by neuron, input by input."""
    out = np.zeros((len(x), len(b)))
    for n in range(len(x)):
        for j in range(len(b)):
            out[n, j] = sum(x[n, i] * W[i, j] for i in range(x.shape[1])) + b[j]
    return out


def right_with_one_more_input(x, W, b):
    return np.einsum("bi,io->bo", np.c_[x, np.ones(len(x))], np.vstack([W, b]))


CHECK = Scenes(
    draws=st.tuples(SIZES, SIZES, SIZES).flatmap(lambda sizes: layer(*sizes)),
    returns=array(),
    tolerance=1e-5,
    question="Which inputs does one neuron read, with which weights, and what does it add at the end?",
)
