"""Check dense_backward: the three gradients of a layer."""

import numpy as np
from hypothesis import strategies as st

from course_utils.tests.catalogue import Wrong
from course_utils.tests.scene import Scenes, pasted
from course_utils.tests.world.arrays import SIZES, array_each, tables

SHAPES = "A gradient says for each number how the loss changes when it does. How many numbers do x, W and b have?"
TOGETHER = "All positions use the same weights, so their gradients are combined. Is that a mean or a sum?"
BY_HAND = f"""
    three gradients, each with the shape of its array
    >>> d_out, x, W = np.ones((4, 2)), np.ones((4, 3)), np.ones((3, 2))
    >>> [gradient.shape for gradient in dense_backward(d_out, x, W)]
    [(4, 3), (3, 2), (2,)]
    ? {SHAPES}

    one weight, one position (2 points)
    >>> dense_backward(d_out=np.array([[2.0]]), x=np.array([[3.0]]), W=np.array([[5.0]]))
    [[10.0]], [[6.0]], [2.0]
    ? By how much does the output grow if x grows by 1, and the loss if each 1 of output adds 2 to it?

    d_x through two inputs and two neurons (2 points)
    >>> d_out, x, W = np.array([[1.0, -2.0]]), np.array([[0.5, 3.0]]), np.array([[1.0, 2.0], [-3.0, 4.0]])
    >>> d_x, d_W, d_b = dense_backward(d_out, x, W)
    >>> d_x
    [[-3.0, -11.0]]
    ? x[i] reaches every neuron j through W[i, j]. Which products are added up?

    d_W and d_b of a batch: a sum over the positions (3 points)
    >>> d_out = np.array([[1.0, -2.0], [0.5, 0.0], [-1.0, 4.0]])
    >>> x = np.array([[1.0, 0.0], [2.0, -3.0], [0.5, 1.0]])
    >>> d_x, d_W, d_b = dense_backward(d_out, x, np.array([[1.0, 2.0], [-3.0, 4.0]]))
    >>> d_W, d_b
    [[1.5, 0.0], [-2.5, 4.0]], [0.5, 2.0]
    ? {TOGETHER}
"""


def layer(batch: int, inputs: int, outputs: int) -> st.SearchStrategy[tuple]:
    """Draw d_out, x, W."""
    return st.tuples(tables(batch, outputs), tables(batch, inputs), tables(inputs, outputs))


def scene(draw) -> str:
    d_out, x, W = map(pasted, draw)
    return f"d_out = {d_out}\nx = {x}\nW = {W}\ndense_backward(d_out, x, W)"


def three_arrays(result) -> str:
    if not isinstance(result, list | tuple) or len(result) != 3:
        return f"expected three arrays, d_x, d_W and d_b, got {type(result).__name__}"
    return array_each(zip(("d_x", "d_W", "d_b"), result, strict=True))


DX, DW, DB, RETURN = "d_out @ W.T", "x.T @ d_out", "d_out.sum(axis=0)", "return d_x, d_W, d_b"
# fmt: off
WRONG = [
    Wrong("W not transposed", "the gradient is multiplied by W as in the forward pass",
          "d_out is [batch, outputs] and d_x is [batch, inputs]. Which shape must the matrix between them have?",
          (DX, "d_out @ W")),
    Wrong("x and d_out exchanged in d_W", "d_W is transposed", "Which shape does W have?", (DW, "d_out.T @ x")),
    Wrong("means instead of sums", "d_W and d_b are divided by the batch size once more",
          "Where has the batch size already been divided out?",
          (DW, "x.T @ d_out / len(x)"), (DB, "d_out.mean(axis=0)")),
    Wrong("d_b as a mean", "d_b is a mean, although d_W is a sum", "Where has the batch size already been divided out?",
          (DB, "d_out.mean(axis=0)")),
    Wrong("d_b not summed", "d_b keeps one row for each position", "Which shape does b have?", (DB, "d_out.copy()")),
    Wrong("d_b keeps a dimension", "d_b has the shape [1, outputs]", "Which shape does b have?",
          (DB, "d_out.sum(axis=0, keepdims=True)")),
    Wrong("the gate of a ReLU",
          "d_x is 0 where x is not positive, but that is done by the backward pass of ReLU, where there is one",
          "Does a dense layer have an activation?", (DX, "d_out @ W.T * (x > 0)")),
    Wrong("another order", "d_W comes first", "In which order does the docstring name them?",
          (RETURN, "return d_W, d_b, d_x")),
    Wrong("sign turned", "all gradients have the wrong sign: sgd_step subtracts them, so it will go uphill",
          "Where is the minus sign: in the gradient, or in the step?",
          (RETURN, "return -d_x, -d_W, -d_b")),
]
# fmt: on


def right_position_by_position(d_out, x, W):
    d_x, d_W, d_b = np.zeros(x.shape), np.zeros(W.shape), np.zeros(W.shape[1])
    for n in range(len(x)):
        d_x[n] = W @ d_out[n]
        d_W += np.outer(x[n], d_out[n])
        d_b += d_out[n]
    return [d_x, d_W, d_b]


def right_by_autograd(d_out, x, W):
    import torch

    x, W, b = (torch.tensor(array, requires_grad=True) for array in (x, W, np.zeros(W.shape[1])))
    (x @ W + b).backward(torch.tensor(d_out))
    return x.grad.numpy(), W.grad.numpy(), b.grad.numpy()


CHECK = Scenes(
    draws=st.tuples(SIZES, SIZES, SIZES).flatmap(lambda sizes: layer(*sizes)),
    returns=three_arrays,
    tolerance=1e-5,
    question=f"{SHAPES} {TOGETHER}",
)
