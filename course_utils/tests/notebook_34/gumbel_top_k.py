"""Check gumbel_top_k: a draw without replacement, by one addition and a sort."""

import numpy as np
from hypothesis import strategies as st

from course_utils.tests.catalogue import Wrong
from course_utils.tests.returns import array
from course_utils.tests.scene import Scenes, pasted

HALVES = st.integers(-6, 6).map(lambda halves: halves / 2)  # so few that sums are often equal
ACTIONS = st.lists(st.tuples(HALVES, st.booleans(), HALVES), min_size=1, max_size=12)
ALIKE = [(-2.0, True, 0.0)] * 12


def scene(draw) -> str:
    actions, noisy, k = draw
    logits, legal, gumbel = map(np.array, zip(*actions, strict=True))
    return f"""logits = {pasted(logits)}
legal = {pasted(legal)}
gumbel_top_k(logits, legal, gumbel={pasted(gumbel) if noisy else f"np.zeros({len(gumbel)})"}, k={k})"""


BY_HAND = """
    without noise the likeliest actions come first
    >>> gumbel_top_k(np.array([0.1, 1.5, -1.0, 0.7]), legal=np.ones(4, dtype=bool), gumbel=np.zeros(4), k=2)
    [1, 3]
    ? Which two logits are the highest, and which of them comes first?

    noise is added before the comparison
    >>> gumbel_top_k(np.array([0.1, 1.5, -1.0, 0.7]), np.ones(4, dtype=bool),
    ...              gumbel=np.array([2.0, -0.5, 2.5, 0.1]), k=2)
    [0, 2]
    ? Work out the four sums: 2.1, 1.0, 1.5 and 0.8. Which two are the highest?

    the result holds actions instead of positions among the legal ones
    >>> gumbel_top_k(np.array([5.0, 5.0, -7.0, -6.0]), legal=np.array([False, False, True, True]),
    ...              gumbel=np.zeros(4), k=1)
    [3]
    ? Actions 2 and 3 are legal, and the last is best. What should the result be: 1 or 3?

    no more actions are returned than are legal
    >>> gumbel_top_k(np.array([-4.0, 2.0, -5.0, 1.0]), legal=np.array([True, False, True, False]),
    ...              gumbel=np.zeros(4), k=3)
    [0, 2]
    ? How many actions can you return if three are asked for and two are legal?

    ties go to the lowest action
    >>> gumbel_top_k(np.ones(4), legal=np.ones(4, dtype=bool), gumbel=np.zeros(4), k=3)
    [0, 1, 2]
    ? Does your sort keep the order of equal scores?

    how often each action comes first in 1000 draws (2 points)
    >>> prior, rng = np.array([0.5, 0.3, 0.15, 0.05]), np.random.default_rng(SEED)
    >>> firsts = [gumbel_top_k(np.log(prior), np.ones(4, dtype=bool), rng.gumbel(size=4), k=2)[0] for _ in range(1000)]
    >>> np.bincount(firsts, minlength=4)
    ? Action 0 should come first in half of the draws. Do you add the noise to the prior, or to its logarithm?
"""

_SCORE = "score = np.where(legal, logits + gumbel, -np.inf)"
_SORT = 'best_first = np.argsort(-score, kind="stable")'
_RETURN = "return best_first[: min(k, int(legal.sum()))]"

WRONG = [
    Wrong("noise forgotten", "the noise is left out, so every draw gives the same actions",
          "What should `gumbel` be added to?", ("logits + gumbel", "logits")),
    Wrong("logits forgotten", "only the noise decides, so all actions are equally likely",
          "What should the logits be added to?", ("logits + gumbel", "gumbel")),
    Wrong("noise on the prior", "the noise is added to probabilities instead of their logarithms",
          "Gumbel noise is between about -2 and 5. How much do probabilities between 0 and 1 change beside it?",
          ("logits + gumbel", "np.exp(logits) / np.exp(logits).sum() + gumbel")),
    Wrong("illegal actions not masked", "illegal actions are compared, too", "Which actions may be chosen here?",
          (_SCORE, "score = logits + gumbel")),
    Wrong("illegal actions masked with 0", "an illegal action scores 0, but a legal one may score less",
          "Which number is below every score that can occur?", ("-np.inf", "0")),
    Wrong("the worst first", "the order is reversed, so the lowest scores come first",
          "Which way does np.argsort sort?", ("np.argsort(-score", "np.argsort(score")),
    Wrong("the best last", "the right actions are returned, but the best of them comes last",
          "In which order should they come?", (_RETURN, "return best_first[: min(k, int(legal.sum()))][::-1].copy()")),
    Wrong("in order of the actions",
          "the right actions are returned, but in the order of their numbers instead of their scores",
          "In which order should they come?", (_RETURN, "return np.sort(best_first[: min(k, int(legal.sum()))])")),
    Wrong("ties to the highest", "of equal scores the highest action comes first",
          "In which order are equal scores when a sorted list is read backwards?",
          (_SORT, "best_first = np.argsort(score)[::-1]")),
    Wrong("k whatever is legal", "it always returns k actions, even illegal ones where too few are legal",
          "How many legal actions are there?", (_RETURN, "return best_first[:k]")),
    Wrong("the last k, read backwards",
          "it returns k actions of a list that is read backwards: the highest of equal actions comes first, and "
          "illegal ones are returned where too few are legal",
          "How many actions are legal, and which of two with equal scores should come first?",
          (_SORT, "best_first = np.argsort(score)[::-1]"), (_RETURN, "return best_first[:k]")),
    Wrong("positions among the legal actions", "the result holds positions among the legal actions instead of actions",
          "Actions 2 and 3 are legal. What is the number of the second one?",
          (_SORT, 'best_first = np.argsort(-score[legal], kind="stable")')),
    Wrong("one too few", "it returns one action fewer than asked for", "How long is a slice that ends at k?",
          (_RETURN, "return best_first[: min(k, int(legal.sum())) - 1]")),
    Wrong("noise of its own", "the noise is drawn again inside, and the given noise is not used",
          "Who else needs the same draws?", ("logits + gumbel", "logits + np.random.gumbel(size=len(logits))")),
    Wrong("a list", "it returns a list, but the caller needs an array to index with",
          "Which type does the docstring ask for?",
          (_RETURN, "return best_first[: min(k, int(legal.sum()))].tolist()")),
    Wrong("noise overwritten", "the sum is written into the caller's noise",
          "Who else uses this array?", (_SCORE, "gumbel += logits\n    score = np.where(legal, gumbel, -np.inf)")),
]  # fmt: skip


def right_top_k_by_taking_the_best_again_and_again(logits, legal, gumbel, k):
    score = np.where(legal, logits + gumbel, -np.inf)
    chosen = []
    while len(chosen) < k and score.max() > -np.inf:
        chosen.append(int(score.argmax()))
        score[chosen[-1]] = -np.inf
    return np.array(chosen)


def right_top_k_by_sorted(logits, legal, gumbel, k):
    # stable, reversed or not
    actions = sorted(np.flatnonzero(legal), key=lambda a: logits[a] + gumbel[a], reverse=True)
    return np.array(actions[:k])


CHECK = Scenes(
    draws=st.tuples(
        ACTIONS.filter(lambda actions: any(legal for _, legal, _ in actions)), st.booleans(), st.integers(1, 14)
    ),
    returns=array("int"),
    examples=40,
    edges=[(ALIKE, False, k) for k in (1, 5, 12)],
    question="Add the noise to the logits, put illegal actions below everything, and sort. Which action comes first?",
)
