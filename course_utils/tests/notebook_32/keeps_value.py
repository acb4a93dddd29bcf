"""Check keeps_value: a win stays a win, a draw a draw."""

import math

import numpy as np
from hypothesis import strategies as st

from course_utils.tests.catalogue import Wrong
from course_utils.tests.returns import array
from course_utils.tests.scene import Scenes, pasted

NAN = math.nan
SCORES = st.one_of(st.sampled_from([0, 1, -1, NAN]), st.integers(-20, 20))
ALIKE = st.one_of(st.integers(1, 20), st.integers(-20, -1), st.just(0)).flatmap(  # all won, all lost, all drawn
    lambda score: st.lists(st.sampled_from([score, 2 * score, NAN]), min_size=1, max_size=7)
)
DRAWS = st.one_of(st.lists(SCORES, min_size=1, max_size=9), ALIKE).filter(lambda draw: not all(map(math.isnan, draw)))


def scene(draw) -> str:
    return f"nan = np.nan\nkeeps_value({pasted(np.array(draw, dtype=float))})"


BY_HAND = """
    a slower win is still a win (2 points)
    >>> keeps_value(np.array([3.0, 1.0, 0.0, -2.0]))
    [True, True, False, False]
    ? Does it matter how fast a win is?

    a draw is the best result, so only draws keep the value
    >>> keeps_value(np.array([0.0, -1.0, 0.0, -3.0]))
    [True, False, True, False]
    ? What is the position worth here?

    illegal moves don't count
    >>> nan = np.nan
    >>> keeps_value(np.array([nan, 2.0, nan, -1.0]))
    [False, True, False, False]
    ? What is the largest of several numbers if one of them is NaN?

    in a lost position every legal move keeps the value (2 points)
    >>> nan = np.nan
    >>> keeps_value(np.array([-4.0, -1.0, nan, -9.0]))
    [True, True, False, True]
    ? Every legal move keeps a loss. Is column 2, whose score is NaN, legal?
"""

KEEPS = "np.sign(scores) == np.sign(np.nanmax(scores))"
# fmt: off
WRONG = [
    Wrong("fastest win only", "only the moves with the very best score count, so a slower win counts as a mistake",
          "Is a slower win a draw or a loss?", (KEEPS, "scores == np.nanmax(scores)")),
    Wrong("NaN swallows the best", "the largest score is NaN as soon as one action is illegal, and nothing equals NaN",
          "What does `np.max` return if one of the numbers is NaN?", ("np.nanmax", "np.max")),
    Wrong("not losing is enough", "every move that does not lose counts, even where a win is possible",
          "Does a drawing move keep the value of a won position?", (KEEPS, "scores >= 0")),
    Wrong("illegal moves kept", "in a lost position every action is True, even an illegal one",
          "May an illegal action be played in a lost position?",
          (KEEPS, "~(np.sign(scores) < np.sign(np.nanmax(scores)))")),
    Wrong("a list", "it returns a list, but the caller needs an array to index with",
          "Which type does the docstring ask for?",
          (KEEPS, "list(np.sign(scores) == np.sign(np.nanmax(scores)))")),
]
# fmt: on


def right_keeps_by_loop(scores):
    best = max(score for score in scores if not math.isnan(score))
    kept = np.zeros(len(scores), dtype=bool)
    for action, score in enumerate(scores):
        if not math.isnan(score):
            kept[action] = (score > 0) == (best > 0) and (score < 0) == (best < 0)
    return kept


def right_keeps_by_cases(scores):
    if np.nanmax(scores) > 0:
        return scores > 0
    if np.nanmax(scores) == 0:
        return scores == 0
    return scores < 0


CHECK = Scenes(
    draws=DRAWS,
    returns=array("bool"),
    examples=20,
    edges=[[NAN, -3, -1, 0], [NAN, -3, -1, 0, 2], [NAN, -2]],  # the last one alone is good
    question="A score has a sign and a size. Which of the two says what a position is worth?",
)
