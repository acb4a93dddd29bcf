"""softmax: a policy for each row of logits."""

import math
from typing import NamedTuple

import numpy as np
from hypothesis import strategies as st

from course_utils.tests.catalogue import Wrong
from course_utils.tests.notebook_05.arrays import BATCHES, SEEDS, eighths, one_call
from course_utils.tests.returns import array
from course_utils.tests.specification import Specification

ROW = "Which sum does each number get divided by: its row's, its column's, or everything's?"
BIG = "exp(1000) is infinite. Adding one number to a whole row changes none of its probabilities: which number helps?"


class Draw(NamedTuple):
    batch: int
    actions: int
    kind: str
    seed: int


KINDS = {
    "near": lambda rng, *shape: eighths(rng, *shape, parts=2**40),
    "far": lambda rng, *shape: eighths(rng, *shape, power=8),
    "each row elsewhere": lambda rng, *shape: eighths(rng, *shape) + eighths(rng, shape[0], 1, power=10),
    "one far above": lambda rng, *shape: eighths(rng, *shape) + 2000 * (np.arange(shape[1]) == rng.integers(shape[1])),
    "equal": lambda rng, *shape: np.full(shape, rng.integers(-2000, 2000) / 2),
    "largest 0": lambda rng, *shape: (
        (rows := eighths(rng, *shape)) - rows.max(axis=1, keepdims=True)  # as if somebody had subtracted it already
    ),
}
DRAWS = st.builds(Draw, BATCHES, st.sampled_from([1, 2, 3, 9]), st.sampled_from(list(KINDS)), SEEDS)


def logits(draw: Draw) -> np.ndarray:
    return KINDS[draw.kind](np.random.default_rng(draw.seed), draw.batch, draw.actions)


def policy(row: list[float]) -> list[float]:
    """By logarithms of shares."""
    log = math.log(math.fsum(math.exp(one - max(row)) for one in row))
    return [math.exp(one - max(row) - log) for one in row]


def by_hand(rng):
    def case(name, rows, question, points=1):
        rows = np.array(rows, dtype=np.float64)
        return one_call("softmax", name, [policy(row) for row in rows.tolist()], question, rows, points=points)

    yield case("one position: 0, ln 2, ln 5 give 1/8, 2/8, 5/8", [[0, math.log(2), math.log(5)]],
               "What turns any number into a positive one, and what makes positive numbers sum to 1?")  # fmt: skip
    yield case("two positions, each with its own policy", eighths(rng, 2, 5) + [0, 0.5, 1, 2, 3], ROW, points=2)
    yield case("as many positions as actions", eighths(rng, 3, 3) + [[0, 0.5, 1], [1, 2, 4], [2, 0, 0]], ROW)
    yield case("large logits do not overflow", [[1000, 998, 990]], BIG, points=2)
    yield case("two positions of very different height", [[2000, 1999], [1, 2]],
               "Whose largest number do you subtract: the row's, or that of the whole batch?")  # fmt: skip


MAX, SUM = "logits.max(axis=1, keepdims=True)", "weights.sum(axis=1, keepdims=True)"
WEIGHTS, RETURN = f"np.exp(logits - {MAX})", f"return weights / {SUM}"
LINES_UP = "Which shape has `weights.sum(axis=1)`, and which do you want to divide by?"
# fmt: off
WRONG = [
    Wrong("overflow", "nothing is subtracted: exp(1000) is infinite", "Which number can you subtract from a row without changing its policy?",
          (WEIGHTS, "np.exp(logits)")),
    Wrong("one maximum for the whole batch", "the same number is subtracted from all rows: a row far below it becomes 0 / 0",
          "Whose largest number do you subtract?", (MAX, "logits.max()")),
    Wrong("the mean for the maximum", "the row's mean is subtracted: one logit far above the others still overflows",
          "Which number makes the largest weight exactly 1?", (MAX, "logits.mean(axis=1, keepdims=True)")),
    Wrong("over the batch", "the sum runs over the positions instead of the actions", "Which axis are the actions: 0 or 1?", ("axis=1", "axis=0")),
    Wrong("one sum for the whole batch", "all positions together sum to 1 instead of each", "What does each row have to sum to?", (SUM, "weights.sum()")),
    Wrong("keepdims forgotten", "without keepdims numpy lines the sums up with the columns", LINES_UP, (", keepdims=True", "")),
    Wrong("divided without exp", "the logits themselves are divided by their sum", "Which function makes any number positive?", (WEIGHTS, "logits")),
    Wrong("not divided", "the weights are not divided by their sum", "What do probabilities sum to?", (RETURN, "return weights")),
    Wrong("clipped", "logits beyond 100 count as 100: two of them that differ come out equal", "Which number can you subtract from a row without changing its policy?",
          (WEIGHTS, "np.exp(np.clip(logits, -100, 100))")),
    Wrong("in place", "the maximum is subtracted from the array that was handed over", "Who else holds this array?",
          (f"weights = {WEIGHTS}", f"logits -= {MAX}\n    weights = np.exp(logits)")),
]
# fmt: on


def by_rows(logits):
    rows = [np.exp(row - np.max(row)) for row in logits]
    return np.array([row / row.sum() for row in rows])


def by_logarithm(logits):
    shifted = logits.T - logits.max(axis=1)
    return np.exp(shifted - np.logaddexp.reduce(shifted)).T


CHECK = Specification(
    draws=DRAWS,
    arguments=lambda draw: {"logits": logits(draw)},
    oracle=lambda draw: [policy(row) for row in logits(draw).tolist()],
    returns=array("float"),
    edges=[Draw(3, 4, kind, 1) for kind in KINDS]
    + [
        Draw(2, 1, "largest 0", 1),
    ],
    question=f"{ROW} {BIG}",
    by_hand=by_hand,
    wrong=WRONG,
    right=[by_rows, by_logarithm],
)
