"""Check ucb_action: the mean, and a bonus for what was rarely tried."""

import math

import numpy as np
from hypothesis import strategies as st

from course_utils.tests.catalogue import Wrong
from course_utils.tests.returns import whole_number
from course_utils.tests.scene import Scenes


def arms(pulls, leads=st.integers(-10, 10), most=10):
    """Draw (number of pulls, lead over the others in hundredths) of each arm, no two equally good."""
    return st.lists(st.tuples(pulls, leads), min_size=1, max_size=most, unique_by=lambda arm: arm[1])


ARMS = st.one_of(
    arms(st.integers(1, 4), most=4),
    arms(st.integers(1, 60)),
    arms(st.integers(1, 5000), most=4),
    arms(st.integers(1, 60), leads=st.integers(-500, 500)),
)


def scene(draw) -> str:
    """Choose means that the bonuses almost make up for, so that a slightly different bonus changes the choice."""
    arms, C, untried = draw
    N = [n for n, _ in arms]
    t = sum(N) + 1
    Q = [round(lead / 100 - C * math.sqrt(math.log(t) / n), 4) for n, lead in arms]
    if untried is not None:
        at = untried % (len(arms) + 1)
        N, Q = [*N[:at], 0, *N[at:]], [*Q[:at], 0.0, *Q[at:]]
    return f"ucb_action(np.array({Q}), np.array({N}), {t}, {C})"


BY_HAND = """
    all pulled equally often: the best mean
    >>> ucb_action(Q=np.array([1.0, 2.0, 0.5]), N=np.array([5, 5, 5]), t=16, C=1.0)
    1
    ? What decides if all bonuses are equal?

    the arm that was rarely pulled gets the larger bonus
    >>> ucb_action(Q=np.array([1.0, 1.2]), N=np.array([2, 50]), t=53, C=2.0)
    0
    ? Which of the two arms do you know less about?

    a good arm stays ahead of a poor arm that is pulled less often
    >>> ucb_action(Q=np.array([3.0, -1.0]), N=np.array([60, 12]), t=73, C=2.0)
    0
    ? How much bonus does the second arm get, and is it enough?

    a larger C explores more
    >>> ucb_action(Q=np.array([1.0, 1.8]), N=np.array([5, 25]), t=31, C=3.0)
    0
    ? Does C multiply the whole bonus?

    the square root keeps the bonus small
    >>> ucb_action(Q=np.array([0.0, 2.6]), N=np.array([1, 30]), t=32, C=1.0)
    1
    ? What is under the square root?

    every number of the formula: ln 4 is 1.386, so the bonuses are 1.177 and 0.833 (2 points)
    >>> N = np.array([1, 2])
    >>> [ucb_action(Q=np.array([1.0, 1.33]), N=N, t=4, C=1.0), ucb_action(Q=np.array([1.0, 1.36]), N=N, t=4, C=1.0)]
    [0, 1]
    ? The bonuses are the roots of 1.386 / 1 and 1.386 / 2.
    ? What are the scores of the two arms at each of the two calls?

    an arm that was never pulled comes first, even with C = 0 (2 points)
    >>> Q, N = np.array([5.0, 9.0, 0.0, 7.0]), np.array([3, 4, 0, 2])
    >>> [ucb_action(Q, N, 10, C=2.0), ucb_action(Q, N, 10, C=0.0)]
    [2, 2]
    ? What is the bonus of an arm that was pulled 0 times?

    the very first step: nothing was pulled, so any arm will do
    >>> ucb_action(np.zeros(3), np.zeros(3), 1, 2.0) in (0, 1, 2)
    True
    ? What is ln 1, and what do you divide it by?
"""

_FORMULA = "C * np.sqrt(np.log(t) / N)"
# fmt: off
WRONG = [
    Wrong("logarithm to base 10", "the logarithm is to base 10", "Which base does ln t have?",
          ("np.log(t)", "np.log10(t)")),
    Wrong("square root forgotten", "the bonus is C ln t / N, without the square root",
          "What is under the square root?", (_FORMULA, "C * np.log(t) / N")),
    Wrong("root over the logarithm only", "only ln t is under the square root, and N is not",
          "Which terms does the root cover?", (_FORMULA, "C * np.sqrt(np.log(t)) / N")),
    Wrong("logarithm forgotten", "the bonus has t instead of ln t",
          "How fast should the bonus of an arm grow while other arms are pulled?", ("np.log(t)", "t")),
    Wrong("C under the root", "C is under the square root", "Should C be inside the square root, or in front of it?",
          (_FORMULA, "np.sqrt(C * np.log(t) / N)")),
    Wrong("lower bound", "the bonus is subtracted, so an arm that began badly is never tried again",
          "Should an arm that is not well known score higher, or lower?", ("Q + C", "Q - C")),
    Wrong("greedy", "the bonus is left out", "Which part of the score leads to exploration?", (f"Q + {_FORMULA}", "Q")),
    Wrong("N + 1", "the bonus divides by N + 1", "How often was the arm pulled?",
          ("np.log(t) / N", "np.log(t) / (N + 1)")),
    Wrong("pulls before this one",
          "the logarithm is taken of the pulls so far instead of t, which counts this step, too",
          "What is t at the very first step, before anything was pulled?", ("np.log(t)", "np.log(np.sum(N))")),
    Wrong("untried arms not first", "1 is put in place of N = 0, so an arm that was never tried has a finite bonus",
          "What can be said about an arm that was never pulled?",
          ("if len(untried):", "if False:"), ("np.log(t) / N", "np.log(t) / np.maximum(N, 1)")),
    Wrong("almost zero for zero",
          "a tiny number is added to N, so with C = 0 an arm that was never pulled gets no bonus at all",
          "What is the bonus when C is 0, and should that arm wait?",
          ("if len(untried):", "if False:"), ("np.log(t) / N", "np.log(t) / (N + 1e-9)")),
    Wrong("rounded",
          "scores are rounded before they are compared, so two close scores become equal and the first arm is taken",
          "Which number should decide: the rounded score, or the exact one?",
          (f"Q + {_FORMULA}", f"np.round(Q + {_FORMULA}, 2)")),
    Wrong("a mean of zero taken for untried", "an arm whose mean is 0 counts as never pulled",
          "Which of Q and N says how often an arm was pulled?", ("np.asarray(N) == 0", "np.asarray(Q) == 0")),
]
# fmt: on


def right_ucb_with_a_loop(Q, N, t, C):
    best_arm, best_score = 0, -math.inf
    for arm in range(len(Q)):
        score = math.inf if N[arm] == 0 else Q[arm] + C * (math.log(t) / N[arm]) ** 0.5
        if score > best_score:
            best_arm, best_score = arm, score
    return best_arm


def right_ucb_with_infinities(Q, N, t, C):
    with np.errstate(divide="ignore", invalid="ignore"):
        bonus = C * np.sqrt(np.log(t) / np.asarray(N, dtype=float))
    return int(np.argmax(np.where(np.asarray(N) == 0, np.inf, Q + bonus)))


def right_ucb_takes_the_last_untried(Q, N, t, C):
    if 0 in list(N):
        return max(arm for arm, n in enumerate(N) if n == 0)
    return max(range(len(Q)), key=lambda arm: Q[arm] + C * math.sqrt(math.log(t)) / math.sqrt(N[arm]))


CHECK = Scenes(
    draws=st.tuples(ARMS, st.sampled_from([0.5, 1.0, 2.0, 3.0]), st.sampled_from([None, None, None, 0, 1, 2])),
    edges=[
        ([(1, 2), (2, 0)], 1.0, None),
        ([(1, -2), (2, 0)], 1.0, None),
        ([(5, 0), (7, 0.3)], 1.0, None),  # scores that differ in the third place
        ([(1, 100), (40, 110), (1, 0)], 0.0, None),
        ([(3, 0)], 1.0, None),
        ([(5, 10), (3, 5)], 0.0, 2),  # an arm that was never pulled comes first, even without a bonus
        ([(1, 900)], 1.0, 0),  # the second step, after arm 1 was the first
    ],
    returns=whole_number,
    question="Work out the bonus of each arm by hand. Where does your score differ?",
)
