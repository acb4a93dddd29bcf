"""gumbel_top_k: a draw without replacement, by one addition and a sort."""

import math
from typing import NamedTuple

import numpy as np
from hypothesis import strategies as st

from course_utils.tests.case import Case, Such, calls, show
from course_utils.tests.catalogue import Wrong
from course_utils.tests.notebook_07.chance import SIGMAS, seed_of
from course_utils.tests.returns import array
from course_utils.tests.specification import Specification


class Draw(NamedTuple):
    legal: list[bool]
    kind: str
    k: int
    seed: int


KINDS = ["noisy", "noisy", "without noise", "ties", "alike"]
DRAWS = st.builds(
    Draw,
    st.lists(st.booleans(), min_size=1, max_size=12).filter(any),
    st.sampled_from(KINDS),
    st.one_of(st.sampled_from([1, 2, 16]), st.integers(1, 14)),
    st.integers(0, 999),
)


def given(draw: Draw) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """(logits, legal, gumbel)."""
    rng, legal = np.random.default_rng(draw.seed), np.array(draw.legal)
    n = len(legal)
    logits, gumbel = rng.normal(size=n) * 2, rng.gumbel(size=n)
    match draw.kind:
        case "without noise":
            gumbel = np.zeros(n)
        case "ties":
            logits, gumbel = rng.integers(-1, 2, n) / 1.0, rng.integers(0, 2, n) / 1.0
        case "alike":
            logits, gumbel = np.full(n, -2.0), np.zeros(n)
    logits[~legal] = [9.0, -3.0, -math.inf][draw.seed % 3]
    return logits, legal, gumbel


def oracle(draw: Draw) -> list[int]:
    logits, legal, gumbel = given(draw)
    ranked = sorted((-(logits[action] + gumbel[action]), action) for action in range(len(legal)) if legal[action])
    return [action for _, action in ranked[: draw.k]]


def arguments(draw: Draw) -> dict:
    return {**dict(zip(("logits", "legal", "gumbel"), given(draw), strict=True)), "k": draw.k}


def pairs(prior: list[float], draws: int, seed: int):
    """A run: how often each pair of actions comes out, in this order. [num_actions, num_actions]."""

    def run(gumbel_top_k):
        rng, counts = np.random.default_rng(seed), np.zeros((len(prior), len(prior)))
        for _ in range(draws):
            first, second = gumbel_top_k(np.log(prior), np.ones(len(prior), bool), rng.gumbel(size=len(prior)), 2)
            counts[first, second] += 1
        return counts / draws

    return run


def by_hand(rng):
    yes = [True] * 4
    for name, logits, legal, gumbel, k, expected, question in (
        ("without noise the likeliest, the best first", [0.1, 1.5, -1.0, 0.7], yes, [0, 0, 0, 0], 2, [1, 3],
         "Which two logits are the highest, and which of them comes first?"),
        ("noise is added before the comparison", [0.1, 1.5, -1.0, 0.7], yes, [2.0, -0.5, 2.5, 0.1], 2, [0, 2],
         "Work out the four sums: 2.1, 1.0, 1.5 and 0.8. Which two are the highest?"),
        ("an illegal action is never drawn", [0.1, 9.0, -1.0, 0.7], [True, False, True, True], [0, 9, 0, 0], 2, [3, 0],
         "What must the score of an illegal action be, so that nothing can lie below it?"),
        ("actions, not positions among the legal ones", [5.0, 5.0, -7.0, -6.0], [False, False, True, True], [0, 0, 0, 0], 1, [3],
         "If actions 2 and 3 are legal and the last is best: what must come back, 1 or 3?"),
        ("no more than are legal", [-4.0, 2.0, -5.0, 1.0], [True, False, True, False], [0, 0, 0, 0], 3, [0, 2],
         "How many actions can you return if three are asked for and two are legal?"),
        ("ties go to the lowest action", [1.0, 1.0, 1.0, 1.0], yes, [0, 0, 0, 0], 3, [0, 1, 2],
         "Does your sort keep the order of equals?"),
    ):  # fmt: skip
        arrays = np.array(logits), np.array(legal), np.array(gumbel, dtype=float)
        yield calls("gumbel_top_k", *arrays, k, name=name, expected=np.array(expected), question=question)
    prior, draws = [0.5, 0.3, 0.15, 0.05], 700
    wanted = np.array(
        [[p * q / (1 - p) if i != j else 0 for j, q in enumerate(prior)] for i, p in enumerate(prior)]
    )  # the second is drawn from what the first has left
    margin = SIGMAS * np.sqrt(wanted * (1 - wanted) / draws) + SIGMAS / draws * (wanted > 0)
    yield Case(
        "with Gumbel noise it is a draw from the prior, without replacement",
        pairs(prior, draws, seed_of(rng)),
        Such(f"shares near {show(wanted.round(3))}", lambda got: bool((np.abs(got - wanted) <= margin).all())),
        f"prior = np.array({prior})\nlegal = np.ones(4, dtype=bool)\n"
        f"drawn = [gumbel_top_k(np.log(prior), legal, rng.gumbel(size=4), 2) for _ in range({draws})]\n"
        "# how often each pair comes out: row the first action, column the second",
        "Action 0 should come first in half of the draws. What do you add the noise to: the prior, or its logarithm?",
        points=2,
    )


_SCORE = "score = np.where(legal, logits + gumbel, -np.inf)"
_SORT = 'best_first = np.argsort(-score, kind="stable")'
_RETURN = "return best_first[: min(k, int(legal.sum()))]"

WRONG = [
    Wrong("noise forgotten", "the noise is left out: the same actions at every draw",
          "Where does the argument `gumbel` enter?", ("logits + gumbel", "logits")),
    Wrong("logits forgotten", "only the noise decides: every action is as likely as any other",
          "Where do the logits enter?", ("logits + gumbel", "gumbel")),
    Wrong("noise on the prior", "the noise is added to probabilities instead of their logarithms",
          "Gumbel noise lies between about -2 and 5. How much do probabilities between 0 and 1 count beside it?",
          ("logits + gumbel", "np.exp(logits) / np.exp(logits).sum() + gumbel")),
    Wrong("illegal actions not masked", "illegal actions take part", "What may the player to move play here?",
          (_SCORE, "score = logits + gumbel")),
    Wrong("illegal actions masked with 0", "an illegal action scores 0, and a legal one may score less",
          "Which number is below every score that can occur?", ("-np.inf", "0")),
    Wrong("the worst first", "the order is turned round: the lowest scores come first",
          "Which way does np.argsort sort?", ("np.argsort(-score", "np.argsort(score")),
    Wrong("the best last", "the right actions, but the best of them comes last",
          "In which order do they have to come?", (_RETURN, "return best_first[: min(k, int(legal.sum()))][::-1].copy()")),
    Wrong("in order of the actions", "the right actions, in the order of their numbers instead of their scores",
          "In which order do they have to come?", (_RETURN, "return np.sort(best_first[: min(k, int(legal.sum()))])")),
    Wrong("ties to the highest", "of equal scores the highest action comes first",
          "What becomes of equals when a sorted list is read backwards?",
          (_SORT, 'best_first = np.argsort(score, kind="stable")[::-1]')),
    Wrong("k whatever is legal", "it always returns k actions: illegal ones, where too few are legal",
          "How many legal actions are there?", (_RETURN, "return best_first[:k]")),
    Wrong("positions among the legal actions", "the result counts legal actions only: it holds positions, not actions",
          "If actions 2 and 3 are legal, which number has the second of them?",
          (_SORT, 'best_first = np.argsort(-score[legal], kind="stable")')),
    Wrong("one too few", "it returns one action less than asked for", "How long is a slice that ends at k?",
          (_RETURN, "return best_first[: min(k, int(legal.sum())) - 1]")),
    Wrong("noise of its own", "the noise is drawn anew inside, and what was handed over is not used",
          "Who else needs the very same draws?", ("logits + gumbel", "logits + np.random.gumbel(size=len(logits))")),
    Wrong("a list", "it returns a list: the caller wants to index with it", "Which type does the docstring promise?",
          (_RETURN, "return best_first[: min(k, int(legal.sum()))].tolist()")),
    Wrong("noise overwritten", "the sum is written into the noise that was handed over",
          "Who else holds this array?", (_SCORE, "gumbel += logits\n    score = np.where(legal, gumbel, -np.inf)")),
]  # fmt: skip


def top_k_by_taking_the_best_again_and_again(logits, legal, gumbel, k):
    score = np.where(legal, logits + gumbel, -np.inf)
    chosen = []
    while len(chosen) < k and score.max() > -np.inf:
        chosen.append(int(score.argmax()))
        score[chosen[-1]] = -np.inf
    return np.array(chosen)


def top_k_by_sorted(logits, legal, gumbel, k):
    actions = sorted(
        np.flatnonzero(legal), key=lambda a: logits[a] + gumbel[a], reverse=True
    )  # stable, reversed or not
    return np.array(actions[:k])


def top_k_by_lexsort(logits, legal, gumbel, k):
    legal_actions = np.flatnonzero(legal)
    score = (gumbel + logits)[legal_actions]
    return legal_actions[np.lexsort((legal_actions, -score))[:k]]


CHECK = Specification(
    draws=DRAWS,
    arguments=arguments,
    oracle=oracle,
    returns=array("int64"),
    examples=40,
    edges=[Draw([True] * 12, kind, k, 0) for kind in ("ties", "alike") for k in (1, 5, 12)],
    question="Add the noise to the logits, put illegal actions below everything, and sort. What comes first?",
    by_hand=by_hand,
    wrong=WRONG,
    right=[top_k_by_taking_the_best_again_and_again, top_k_by_sorted, top_k_by_lexsort],
)
