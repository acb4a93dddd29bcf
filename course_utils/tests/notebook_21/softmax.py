"""Check softmax: a policy for each row of logits."""

import numpy as np
from hypothesis import strategies as st

from course_utils.tests.catalogue import Wrong
from course_utils.tests.returns import array
from course_utils.tests.scene import Scenes, pasted
from course_utils.tests.world.arrays import EIGHTHS, SIZES, SPREADS

ROW = "By which sum is each number divided: that of its row, of its column, or of the whole array?"
BIG = "exp(1000) is infinite. Adding one number to a whole row changes none of its probabilities: which number helps?"
BY_HAND = f"""
    one position: 0, ln 2, ln 5 give 1/8, 2/8, 5/8
    >>> softmax(np.log([[1, 2, 5]]))
    [[0.125, 0.25, 0.625]]
    ? Which function turns any number into a positive one, and what makes positive numbers sum to 1?

    two positions, each with its own policy (2 points)
    >>> softmax(np.log([[1, 1, 2], [3, 1, 4]]))
    [[0.25, 0.25, 0.5], [0.375, 0.125, 0.5]]
    ? {ROW}

    large logits do not overflow (2 points)
    >>> softmax(np.array([[1000.0, 998.0, 990.0]]))
    [[0.88076, 0.1192, 0.00004]]
    ? {BIG}

    two positions of very different height
    >>> softmax(np.array([[2000.0, 2000.0], [1.0, 1.0]]))
    [[0.5, 0.5], [0.5, 0.5]]
    ? Which largest number do you subtract: that of the row, or that of the whole batch?
"""


def scene(draw) -> str:
    rows = [np.array(numbers) * times + plus for numbers, (times, plus) in draw]
    return f"softmax({pasted(np.array(rows))})"


MAX, SUM = "logits.max(axis=1, keepdims=True)", "weights.sum(axis=1, keepdims=True)"
WEIGHTS, RETURN = f"np.exp(logits - {MAX})", f"return weights / {SUM}"
LINES_UP = "Which shape does `weights.sum(axis=1)` have, and which shape do you need?"
# fmt: off
WRONG = [
    Wrong("overflow", "nothing is subtracted, so exp(1000) is infinite",
          "Which number can you subtract from a row without changing its policy?",
          (WEIGHTS, "np.exp(logits)")),
    Wrong("one maximum for the whole batch",
          "the same number is subtracted from all rows, so a row far below it becomes 0 / 0",
          "Which row's largest number do you subtract from each row?", (MAX, "logits.max()")),
    Wrong("the mean for the maximum", "the row's mean is subtracted, so a logit far above the others still overflows",
          "Which number makes the largest weight exactly 1?", (MAX, "logits.mean(axis=1, keepdims=True)")),
    Wrong("over the batch", "the sum runs over the positions instead of the actions",
          "Which axis is the actions: 0 or 1?", ("axis=1", "axis=0")),
    Wrong("one sum for the whole batch", "all positions together sum to 1 instead of each by itself",
          "What must each row sum to?", (SUM, "weights.sum()")),
    Wrong("keepdims forgotten", "without keepdims numpy lines the sums up with the columns", LINES_UP,
          (", keepdims=True", "")),
    Wrong("divided without exp", "the logits themselves are divided by their sum",
          "Which function makes any number positive?", (WEIGHTS, "logits")),
    Wrong("not divided", "the weights are not divided by their sum", "What do probabilities sum to?",
          (RETURN, "return weights")),
    Wrong("clipped", "logits above 100 count as 100, so two different logits above it become equal",
          "Which number can you subtract from a row without changing its policy?",
          (WEIGHTS, "np.exp(np.clip(logits, -100, 100))")),
    Wrong("in place", "the maximum is subtracted from the caller's array", "Who else uses this array?",
          (f"weights = {WEIGHTS}", f"logits -= {MAX}\n    weights = np.exp(logits)")),
]
# fmt: on


def right_by_differences(logits):
    """Divide 1 by the ratio of all weights to a weight."""
    return np.array([[1 / sum(np.exp(logit - own) for logit in row) for own in row] for row in logits])


def right_by_logarithm(logits):
    return np.exp(logits - np.logaddexp.reduce(logits, axis=1, keepdims=True))


CHECK = Scenes(
    draws=SIZES.flatmap(
        lambda n: st.lists(st.tuples(st.lists(EIGHTHS, min_size=n, max_size=n), SPREADS), min_size=1, max_size=4)
    ),
    returns=array(),
    tolerance=1e-5,
    question=f"{ROW} {BIG}",
)
