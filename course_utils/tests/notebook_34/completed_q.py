"""Check completed_q: a value for every action, tried or not."""

import numpy as np
from hypothesis import strategies as st

from course_utils.tests.catalogue import Wrong
from course_utils.tests.notebook_34.batches import SHAPES, parts
from course_utils.tests.returns import array
from course_utils.tests.scene import Scenes, pasted

EIGHTHS = st.integers(-8, 8).map(lambda eighths: eighths / 8)
ACTIONS = st.tuples(EIGHTHS, st.sampled_from([0.0, 0.0, 1.0, 2.0, 40.0]), st.integers(1, 9))  # Q, N, weight


def scene(draw) -> str:
    actions, value, shape = draw
    Q, N, weights = parts(actions, shape)
    return f"""weights = {pasted(weights)}
prior = weights / weights.sum(axis=-1, keepdims=True)
Q = {pasted(Q)}
N = {pasted(N)}
completed_q(Q, N, prior, {pasted(value - np.arange(shape[0]) / 4) if shape[1:] else value})"""


BY_HAND = """
    if nothing was tried, all actions get the network's value
    >>> completed_q(Q=np.zeros(3), N=np.zeros(3), prior=np.array([0.5, 0.3, 0.2]), value=0.4)
    [0.4, 0.4, 0.4]
    ? What is left of the formula without any visits?

    if all actions were tried, every Q stays
    >>> completed_q(Q=np.array([0.5, -0.2]), N=np.array([1.0, 4.0]), prior=np.array([0.9, 0.1]), value=0.3)
    [0.5, -0.2]
    ? Which actions already have a value from the search?

    if one was tried, the others get half of its value and half of the network's
    >>> completed_q(Q=np.array([0.8, 0.0, 0.0]), N=np.array([1.0, 0.0, 0.0]), prior=np.array([0.2, 0.5, 0.3]),
    ...             value=0.2)
    [0.8, 0.5, 0.5]
    ? n is 1. How much do the network's value and the mean count?

    the mean is weighted by the prior instead of the visits (2 points)
    >>> completed_q(Q=np.array([0.6, -0.6, 0.0]), N=np.array([3.0, 1.0, 0.0]),
    ...             prior=np.array([0.5, 0.25, 0.25]), value=-0.3)
    [0.6, -0.6, 0.1]
    ? With weights 0.5 and 0.25 the mean of 0.6 and -0.6 is 0.2. What do you get if you mix it with -0.3, four to one?

    each game of a batch is computed by itself (2 points)
    >>> Q = np.array([[0.8, 0.0, 0.0], [0.0, 0.0, -0.5]])
    >>> N = np.array([[1.0, 0.0, 0.0], [0.0, 0.0, 3.0]])
    >>> prior = np.array([[0.2, 0.5, 0.3], [0.2, 0.5, 0.3]])
    >>> completed_q(Q, N, prior, value=np.array([0.2, 0.7]))
    [[0.8, 0.5, 0.5], [-0.2, -0.2, -0.5]]
    ? Over which axis do you sum, and what shape does `value` need beside Q?
"""

_MIXED = "mixed = (value + n * mean) / (1 + n)"
_RETURN = "return np.where(tried, Q, mixed[..., None])"

WRONG = [
    Wrong("0 for the untried", "an untried action counts as 0, like a draw, even in a won or lost position",
          "Is an untried move in a won position only as good as a draw?", (_RETURN, "return np.where(tried, Q, 0.0)")),
    Wrong("the network's value alone", "untried actions get only the network's value, without the search's values",
          "If all tried moves turned out to lose, is the network's value still the best estimate?",
          (_MIXED, "mixed = value + 0 * n")),
    Wrong("the mean alone", "untried actions get only the mean of the tried ones, without the network's value",
          "How far can you trust the mean after a single simulation?",
          (_MIXED, "mixed = np.where(n > 0, mean, value)")),
    Wrong("half and half", "the network's value and the mean have equal weight, however many simulations there were",
          "How much weight should the network's value have after a hundred simulations?",
          (_MIXED, "mixed = np.where(n > 0, (value + mean) / 2, value)")),
    Wrong("actions counted instead of visits", "n is the number of tried actions instead of their visits",
          "What is n?", ("n = N.sum(axis=-1)", "n = tried.sum(axis=-1)")),
    Wrong("divided by n", "the sum is divided by n instead of 1 + n", "How many values are averaged: n, or n + 1?",
          (_MIXED, "mixed = (value + n * mean) / np.maximum(n, 1)")),
    Wrong("weighted by visits", "the mean is weighted by visits, like the root's value in AlphaZero",
          "A search visits bad moves, too. Do visits say how often the network's policy would play a move?",
          ("np.where(tried, prior, 0)", "np.where(tried, N, 0)")),
    Wrong("not weighted", "all tried actions have the same weight in the mean",
          "How much weight should a move have that the policy would hardly ever play?",
          ("np.where(tried, prior, 0)", "np.where(tried, 1.0, 0)")),
    Wrong("weights not divided by their sum", "the weights sum to less than 1, so the mean is too close to 0",
          "What do the tried actions' priors sum to?", ("np.where(n > 0, weights.sum(axis=-1), 1)", "1")),
    Wrong("0 / 0 where nothing was tried", "where nothing was tried, it divides by 0 and gives NaN",
          "What is the sum of the weights if no action was tried?",
          ("np.where(n > 0, weights.sum(axis=-1), 1)", "weights.sum(axis=-1)")),
    Wrong("all replaced", "tried actions get the mixed value, too",
          "Which actions already have a value from the search?",
          (_RETURN, "return np.where(tried, 0, 0) + mixed[..., None]")),
    Wrong("summed over the batch", "the sums run over all games of a batch together",
          "Over which axis does each sum run?",
          ("N.sum(axis=-1)", "N.sum()"), ("weights.sum(axis=-1)", "weights.sum()"),
          (".sum(axis=-1) / total", ".sum() / total")),
    Wrong("the opponent's value", "the network's value gets a minus sign", "For which player is `value`?",
          ("(value + n", "(-value + n")),
    Wrong("Q overwritten", "the values are written into the caller's Q", "Who else uses this array?",
          (_RETURN, "Q[~tried] = np.broadcast_to(mixed[..., None], Q.shape)[~tried]\n    return Q")),
]  # fmt: skip


def right_completed_action_by_action(Q, N, prior, value):
    if Q.ndim == 2:
        return np.array([right_completed_action_by_action(*game) for game in zip(Q, N, prior, value, strict=True)])
    tried = [action for action in range(len(N)) if N[action] > 0]
    mixed = value
    if tried:
        mean = sum(prior[a] * Q[a] for a in tried) / sum(prior[a] for a in tried)
        mixed = (value + sum(N) * mean) / (1 + sum(N))
    return np.array([Q[a] if a in tried else mixed for a in range(len(N))])


def right_completed_with_keepdims(Q, N, prior, value):
    n = N.sum(-1, keepdims=True)
    tried = np.where(N == 0, 0.0, Q)
    p = prior * (N != 0)
    average = (p * tried).sum(-1, keepdims=True) / np.maximum(p.sum(-1, keepdims=True), 1e-9)
    v = np.asarray(value, dtype=float).reshape(n.shape)
    return tried + (N == 0) * (v + n * average) / (n + 1)


CHECK = Scenes(
    draws=st.tuples(st.lists(ACTIONS, min_size=1, max_size=9), EIGHTHS, SHAPES),
    returns=array(),
    edges=[
        ([(0.5, 1.0, 1), (-0.5, 0.0, 2)], 0.25, (3, 3)),
        ([(0.5, 0.0, 1), (0.0, 3.0, 2), (0.5, 0.0, 3)], 0.5, (2, 2)),
    ],
    question="Compute the weights, their sum, the mean and the mix by hand. "
    "Which of the four differs, and in which game?",
)
