"""dense_backward: the three gradients of a layer."""

import math

import numpy as np
import torch

from course_utils.tests.case import Case
from course_utils.tests.catalogue import Wrong
from course_utils.tests.notebook_05.arrays import LAYERS, Layer, eighths, layer
from course_utils.tests.returns import array
from course_utils.tests.specification import Specification, pasted

SHAPES = (
    "A gradient says for each number how the loss changes when it does. How many numbers has x, how many W, how many b?"
)
TOGETHER = "All positions use the same weights: what each of them asks for must come together. As a mean or as a sum?"


def gradients(d_out, x, W) -> list[list]:
    """Every partial derivative on its own: the sum over all ways from a number to the loss."""
    columns, inputs = d_out.T.tolist(), x.T.tolist()
    dot = lambda one, other: math.fsum(a * b for a, b in zip(one, other, strict=True))  # noqa: E731
    d_x = [[dot(row, weights) for weights in W.tolist()] for row in d_out.tolist()]
    return [
        d_x,
        [[dot(one, column) for column in columns] for one in inputs],
        [math.fsum(column) for column in columns],
    ]


def three_arrays(result) -> str:
    if not isinstance(result, list | tuple) or len(result) != 3:
        return f"expected three arrays, d_x, d_W and d_b, got {type(result).__name__}"
    return next((complaint for complaint in map(array("float"), result) if complaint), "")


def by_hand(rng):
    def case(part, name, d_out, x, W, question, points=1):
        lines = [f"{key} = {pasted(value)}" for key, value in (("d_out", d_out), ("x", x), ("W", W))]
        return Case(
            name,
            lambda answer: answer(d_out.copy(), x.copy(), W.copy())[part],
            gradients(d_out, x, W)[part],
            "\n".join([*lines, f"dense_backward(d_out, x, W)[{part}]"]),
            question,
            points=points,
        )

    batch = [eighths(rng, *shape) + 0.0625 for shape in ((4, 2), (4, 3), (3, 2))]
    yield Case(
        "three gradients, each in the shape of what it belongs to",
        lambda answer: [list(np.shape(part)) for part in answer(*(part.copy() for part in batch))],
        [[4, 3], [3, 2], [2]],
        "d_out: [4, 2];  x: [4, 3];  W: [3, 2]\n[part.shape for part in dense_backward(d_out, x, W)]",
        SHAPES,
    )
    one = np.array([[2.0]]), np.array([[3.0]]), np.array([[5.0]])
    grows = "by how much does the output grow?"
    asks = [f"If x grows by 1, {grows} And the loss, if each 1 of output costs it 2?", f"If W grows by 1, {grows} It depends on x.",
            f"If b grows by 1, {grows}"]  # fmt: skip
    for part, name in enumerate(("d_x", "d_W", "d_b")):
        yield case(part, f"{name} of one weight, one position", *one, asks[part])
    square = np.array([[1.0, -2.0]]), np.array([[0.5, 3.0]]), np.array([[1.0, 2.0], [-3.0, 4.0]])
    reaches = "x[i] reaches every neuron j, through W[i, j]. What adds up?"
    yield case(0, "d_x through two inputs and two neurons", *square, reaches, points=2)
    for part, name in ((1, "d_W"), (2, "d_b")):
        yield case(part, f"{name} of a batch: a sum over the positions", *batch, TOGETHER, points=2)


DX, DW, DB, RETURN = "d_out @ W.T", "x.T @ d_out", "d_out.sum(axis=0)", "return d_x, d_W, d_b"
# fmt: off
WRONG = [
    Wrong("W not transposed", "the gradient goes back through W as if it went forward",
          "d_out is [batch, outputs] and d_x [batch, inputs]: which way must W lie?", (DX, "d_out @ W")),
    Wrong("x and d_out exchanged in d_W", "d_W is turned round", "Which shape has W?", (DW, "d_out.T @ x")),
    Wrong("means instead of sums", "d_W and d_b are divided by the batch once more", "Who divided by the batch already?",
          (DW, "x.T @ d_out / len(x)"), (DB, "d_out.mean(axis=0)")),
    Wrong("d_b as a mean", "d_b is a mean, though d_W is a sum", "Who divided by the batch already?", (DB, "d_out.mean(axis=0)")),
    Wrong("d_b not summed", "d_b keeps one row for each position", "Which shape has b?", (DB, "d_out.copy()")),
    Wrong("d_b keeps a dimension", "d_b is [1, outputs]", "Which shape has b?", (DB, "d_out.sum(axis=0, keepdims=True)")),
    Wrong("the gate of a ReLU", "d_x is 0 where x is not positive: that is the business of the ReLU in front, if there is one",
          "Does a dense layer have an activation?", (DX, "d_out @ W.T * (x > 0)")),
    Wrong("another order", "d_W comes first", "In which order does the docstring name them?", (RETURN, "return d_W, d_b, d_x")),
    Wrong("sign turned", "all gradients point downhill: sgd_step will turn them again", "Who subtracts: the gradient, or the step?",
          (RETURN, "return -d_x, -d_W, -d_b")),
]
# fmt: on


def by_einsum(d_out, x, W):
    return np.einsum("bo,io->bi", d_out, W), np.einsum("bi,bo->io", x, d_out), np.einsum("bo->o", d_out)


def position_by_position(d_out, x, W):
    d_x, d_W, d_b = np.zeros(x.shape), np.zeros(W.shape), np.zeros(W.shape[1])
    for n in range(len(x)):
        d_x[n] = W @ d_out[n]
        d_W += np.outer(x[n], d_out[n])
        d_b += d_out[n]
    return [d_x, d_W, d_b]


def by_autograd(d_out, x, W):
    leaves = [torch.tensor(array, dtype=torch.float64, requires_grad=True) for array in (x, W, np.zeros(W.shape[1]))]
    (leaves[0] @ leaves[1] + leaves[2]).backward(torch.tensor(d_out))
    return tuple(leaf.grad.numpy() for leaf in leaves)


def arguments(draw):
    x, W, _, d_out = layer(draw)
    return {"d_out": d_out, "x": x, "W": W}


CHECK = Specification(
    draws=LAYERS,
    arguments=arguments,
    oracle=lambda draw: gradients(**arguments(draw)),
    returns=three_arrays,
    tolerance=1e-5,
    edges=[Layer(1, 130, 33, "float64", 2)],
    question=f"{SHAPES} {TOGETHER}",
    by_hand=by_hand,
    wrong=WRONG,
    right=[by_einsum, position_by_position, by_autograd],
)
