"""Check wilson_interval: the probabilities that are within z of their own standard errors of the observed share."""

import math

from hypothesis import strategies as st

from course_utils.tests.case import Raises, show  # noqa: F401
from course_utils.tests.catalogue import Wrong
from course_utils.tests.scene import Scenes

BY_HAND = """
    half of a hundred gives ten points to either side
    >>> wilson_interval(50, 100)
    0.4038298, 0.5961702
    ? By hand, the middle is 0.5192, the root times z is 0.0999, and the denominator is 1.0384.
    ? Which of these differs in yours?

    for all of twenty, the upper end is 1, but the lower end is not
    >>> wilson_interval(20, 20)
    0.8388699, 1
    ? Can you be sure that a player who won 20 games never loses?

    one game says nearly nothing
    >>> wilson_interval(1, 1)
    0.2065433, 1
    ? How much have you learned from one game?

    87 draws of 100
    >>> wilson_interval(87, 100)
    0.7901948, 0.9224291
    ? The interval is not even on both sides of 0.87. Which side should be longer?

    one standard error covers two thirds of the time
    >>> wilson_interval(50, 100, z=1.0)
    0.4502481, 0.5497519
    ? What does `z` stand for, and where is it used?

    no trials are refused
    >>> wilson_interval(0, 0)
    Raises(ValueError)
    ? What is 0 / 0?
"""


def scene(draw) -> str:
    trials, seen, z = draw
    return f"wilson_interval({seen % (trials + 1)}, {trials}{z})"


def two_numbers(result) -> str:
    if not isinstance(result, tuple | list) or len(result) != 2:
        return f"expected two numbers, low and high, got {show(result)}"
    odd = [end for end in result if isinstance(end, bool) or not hasattr(end, "__float__")]
    return f"expected two numbers, got {show(odd[0])} among them" if odd else ""


_HALF = "z * math.sqrt(share * (1 - share) / trials + z**2 / (4 * trials**2))"
_LAST = "return max(0.0, (center - half) / scale), min(1.0, (center + half) / scale)"
_WALD = "half = z * math.sqrt(share * (1 - share) / trials)\n    return share - half, share + half"
# fmt: off
WRONG = [
    Wrong("the share's own standard error",
          "the standard error is that of the observed share, which is 0 after 20 wins of 20",
          "What is the standard error of a share of exactly 1?",
          ("center = share + z**2 / (2 * trials)\n    half = " + _HALF
           + "\n    scale = 1 + z**2 / trials\n    " + _LAST,
           _WALD)),
    Wrong("the same, kept within 0 and 1",
          "the standard error is that of the observed share, and the interval is cut off at 0 and 1",
          "After 20 wins of 20 your interval is a single point. Can you be that sure?",
          (_LAST, "half = z * math.sqrt(share * (1 - share) / trials)\n"
                  "    return max(0.0, share - half), min(1.0, share + half)")),
    Wrong("the center not moved", "the interval is even on both sides of the share",
          "On which side of a share near 1 is there more room?",
          ("center = share + z**2 / (2 * trials)", "center = share * (1 + z**2 / trials)")),
    Wrong("not scaled", "the sum is not divided by 1 + z²/n, so the interval can go beyond 0 and 1",
          "Where should both ends lie for 0 of 1?", ("scale = 1 + z**2 / trials", "scale = 1")),
    Wrong("n where n² belongs", "the last term under the root is divided by n instead of n²",
          "The last term under the root is the square of z/(2n). What is n in it?",
          ("(4 * trials**2)", "(4 * trials)")),
    Wrong("n² above the line",
          "the last term under the root is multiplied by n², because Python evaluates / and * from left to right",
          "What needs brackets so that all of 4n² is in the denominator?", ("(4 * trials**2)", "4 * trials**2")),
    Wrong("n above the line",
          "z²/2 in the middle is multiplied by n, because Python evaluates / and * from left to right",
          "What needs brackets so that all of 2n is in the denominator?", ("(2 * trials)", "2 * trials")),
    Wrong("n and n² above the line",
          "both terms with z² are multiplied by n or n², because Python evaluates / and * from left to right",
          "What needs brackets so that all of 2n and 4n² is in the denominator?",
          ("(4 * trials**2)", "4 * trials**2"), ("(2 * trials)", "2 * trials")),
    Wrong("4 forgotten", "the last term under the root lacks its 4",
          "The term is the square of z/(2n). What is the square of the 2?",
          ("(4 * trials**2)", "trials**2")),
    Wrong("z not squared", "z is used instead of its square",
          "The result is right for z = 1 and wrong for z = 1.96. What differs from its square?", ("z**2", "z")),
    Wrong("in percent", "the interval is in percent", "Which numbers does the docstring ask for?",
          (_LAST, "return max(0.0, 100 * (center - half) / scale), min(100.0, 100 * (center + half) / scale)")),
    Wrong("high before low", "the two ends are exchanged", "Which end comes first in the docstring?",
          (_LAST, "return min(1.0, (center + half) / scale), max(0.0, (center - half) / scale)")),
    Wrong("z fixed", "1.96 is written into the function, so the argument changes nothing",
          "Where should the number come from?",
          ("    share = successes", "    z = 1.96\n    share = successes")),
    Wrong("no trials: all of it", "it returns (0, 1) without trials instead of raising an error",
          "What does the docstring say about no trials?",
          ('raise ValueError("an interval needs at least one trial")', "return 0.0, 1.0")),
    Wrong("no trials: division by zero",
          "it raises a ZeroDivisionError without trials instead of an error with a message",
          "Which error does the docstring ask for?", ("if trials < 1:", "if False:")),
    Wrong("half the interval", "the share and half the width are returned", "What does the docstring say to return?",
          (_LAST, "return center / scale, half / scale")),
]
# fmt: on


def right_by_halving(successes, trials, z=1.96):
    """Bisect for each end, where the share is exactly z standard errors of that probability away."""
    if trials < 1:
        raise ValueError("no trials")
    share, ends = successes / trials, []
    for outer in (0.0, 1.0):
        inner = share
        for _ in range(60):
            middle = (inner + outer) / 2
            far = abs(share - middle) > z * math.sqrt(middle * (1 - middle) / trials)
            inner, outer = (inner, middle) if far else (middle, outer)
        ends.append(inner)
    return tuple(ends)


def right_wilson_by_the_roots_of_the_quadratic(successes, trials, z=1.96):
    if trials <= 0:
        raise ValueError("no trials")
    a, b, c = trials + z**2, -(2 * successes + z**2), successes**2 / trials
    root = math.sqrt(max(0.0, b * b - 4 * a * c))
    return (-b - root) / (2 * a), (-b + root) / (2 * a)


def right_wilson_as_printed(successes: int, trials: int, z: float = 1.96):
    if not trials:
        raise ValueError("there were no trials")
    failures = trials - successes
    middle = (successes + z * z / 2) / (trials + z * z)
    reach = z / (trials + z * z) * math.sqrt(successes * failures / trials + z * z / 4)
    return [min(max(end, 0), 1) for end in (middle - reach, middle + reach)]


CHECK = Scenes(
    draws=st.tuples(
        st.one_of(st.integers(1, 5), st.integers(1, 400)),
        st.one_of(st.integers(-2, 2), st.integers(0, 400)),  # of the successes the rest when divided by trials + 1
        st.sampled_from(["", "", ", z=1.0", ", z=1.645", ", z=2.576"]),
    ),
    edges=[(0, 0, "")],
    returns=two_numbers,
    fresh=False,
    question="Test your two numbers: is the observed share z standard deviations away from each end, "
    "with the standard deviation of that end?",
)
