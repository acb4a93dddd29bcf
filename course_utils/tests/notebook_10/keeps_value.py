"""keeps_value: a win stays a win, a draw a draw."""

import math

import numpy as np
from hypothesis import strategies as st

from course_utils.tests.case import calls
from course_utils.tests.catalogue import Wrong
from course_utils.tests.returns import array
from course_utils.tests.specification import Specification

NO = math.nan
SCORES = st.one_of(st.sampled_from([0.0, 1.0, -1.0, NO]), st.integers(-20, 20).map(float))
ALIKE = st.one_of(st.floats(1, 20), st.floats(-20, -1), st.just(0.0)).flatmap(  # all won, all lost, all drawn
    lambda score: st.lists(st.sampled_from([score, 2 * score, NO]), min_size=1, max_size=7)
)
DRAWS = st.one_of(st.lists(SCORES, min_size=1, max_size=12), ALIKE).filter(lambda draw: not all(map(math.isnan, draw)))


def oracle(draw: list[float]) -> np.ndarray:
    kinds = [None if math.isnan(score) else (score > 0) - (score < 0) for score in draw]
    best = max(kind for kind in kinds if kind is not None)
    return np.array([kind == best for kind in kinds])


def by_hand(rng):
    fast = "What counts: how fast a win is, or that it is one?"
    for name, scores, expected, question in (
        ("a slower win is a win", [3, 1, 0, -2], [True, True, False, False], fast),
        ("a draw is the best there is: only draws keep it", [0, -1, 0, -3], [True, False, True, False], "What is the position worth here?"),
        ("a lost position: every legal move keeps it", [-4, -1, NO, -9], [True, True, False, True], "Can a move lose what is lost already?"),
        ("illegal moves are no moves", [NO, 2, NO, -1], [False, True, False, False], "What does the largest of some numbers become if one is NaN?"),
        ("one legal move", [NO, -7, NO], [False, True, False], "Is there anything to lose?"),
    ):  # fmt: skip
        yield calls("keeps_value", np.array(scores, dtype=float), name=name, expected=np.array(expected), question=question,
                    points=2 if "slower" in name or "lost" in name else 1)  # fmt: skip


_KEEPS = "np.sign(scores) == np.sign(np.nanmax(scores))"


def keeps_by_loop(scores):
    best = -math.inf
    for score in scores:
        if not math.isnan(score):
            best = max(best, score)
    kept = np.zeros(len(scores), dtype=bool)
    for action, score in enumerate(scores):
        if not math.isnan(score):
            kept[action] = (score > 0) == (best > 0) and (score < 0) == (best < 0)
    return kept


def keeps_by_cases(scores):
    if np.nanmax(scores) > 0:
        return scores > 0
    if np.nanmax(scores) == 0:
        return scores == 0
    return scores < 0


CHECK = Specification(
    draws=DRAWS,
    arguments=lambda draw: {"scores": np.array(draw)},
    oracle=oracle,
    returns=array("bool"),
    edges=[[NO, -3.0, -1.0, 0.0], [NO, -3.0, -1.0, 0.0, 2.0], [NO, -2.0]],  # the last one alone is good
    examples=20,
    question="A score has a sign and a size. Which of the two says what a position is worth?",
    by_hand=by_hand,
    wrong=[
        Wrong("fastest win only", "only the moves with the very best score count: a slower win is called a mistake",
              "Is a slower win a draw or a loss?", (_KEEPS, "scores == np.nanmax(scores)")),
        Wrong("NaN swallows the best", "the largest score is NaN as soon as one action is illegal, and nothing equals NaN",
              "What does `max` say of numbers among which one is NaN?", ("np.nanmax", "np.max")),
        Wrong("not losing is enough", "every move that does not lose counts, even where a win is there to be kept",
              "What becomes of a won position after a move that draws?", (_KEEPS, "scores >= 0")),
        Wrong("illegal moves kept", "in a lost position everything is true, illegal actions, too",
              "May an illegal action be played because all is lost?",
              (_KEEPS, "~(np.sign(scores) < np.sign(np.nanmax(scores)))")),
        Wrong("a list", "it returns a list: the caller wants to index with it", "Which type does the docstring promise?",
              (_KEEPS, "list(np.sign(scores) == np.sign(np.nanmax(scores)))")),
    ],
    right=[keeps_by_loop, keeps_by_cases],
)  # fmt: skip
