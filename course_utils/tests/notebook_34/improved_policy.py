"""improved_policy: logits, values, and a softmax over both."""

import math

import numpy as np
from hypothesis import strategies as st

from course_utils.tests.catalogue import Wrong
from course_utils.tests.notebook_34.batches import SHAPES, parts
from course_utils.tests.returns import array
from course_utils.tests.scene import Scenes, pasted

HUNDREDTHS = st.integers(-8, 8).map(lambda hundredths: hundredths / 100)  # so close that the logits have a say
ACTIONS = st.tuples(
    st.integers(-24, 24).map(lambda eighths: eighths / 8), HUNDREDTHS, st.integers(0, 5).map(float), st.booleans()
)  # logit, q, N, legal


def scene(draw) -> str:
    """In the first game of a batch; the others were searched longer, and are better or worse."""
    actions, base, longer, shape = draw
    logits, q, N, legal = parts(actions, shape)
    legal[~legal.any(axis=-1)] = True
    if shape[1:]:
        q[1:], N[1:] = q[1:] + base, N[1:] * longer
    return f"""logits = {pasted(logits)}
q = {pasted(q.round(2))}
N = {pasted(N)}
legal = {pasted(legal)}
improved_policy(logits, q, N, legal)"""


BY_HAND = """
    equal values change nothing
    >>> improved_policy(np.log([0.5, 0.3, 0.2]), np.array([0.1, 0.1, 0.1]), np.array([2.0, 1.0, 0.0]), np.array([True, True, True]))
    [0.5, 0.3, 0.2]
    ? Adding the same number to all logits: what does softmax make of it?

    0.04 of value are one unit of logit, before any visit (2 points)
    >>> improved_policy(np.zeros(2), q=np.array([0.04, 0.0]), N=np.zeros(2), legal=np.array([True, True]))
    [math.e / (math.e + 1), 1 / (math.e + 1)]
    ? A value of 0.04 becomes 0.52 on the scale from 0 to 1, one of 0 becomes 0.5. What is 50 times the difference?

    the more visits, the more the values count
    >>> improved_policy(np.zeros(2), q=np.array([0.02, 0.0]), N=np.array([50.0, 3.0]), legal=np.array([True, True]))
    [math.e / (math.e + 1), 1 / (math.e + 1)]
    ? 50 visits and c_visit 50: what is the scale now, and for which actions?

    illegal actions get nothing, and the others all
    >>> improved_policy(np.zeros(3), q=np.array([0.3, 0.9, 0.3]), N=np.zeros(3), legal=np.array([True, False, True]))
    [0.5, 0, 0.5]
    ? When is an action taken out: before or after the division by the sum?

    nothing overflows in a long search of a won position
    >>> improved_policy(np.zeros(3), q=np.array([0.9, 0.9, -0.9]), N=np.array([800.0, 800.0, 0.0]), legal=np.array([True, True, True]))
    [0.5, 0.5, 0]
    ? What is exp(800)? Which number can you take from all scores, so that none is above 0?

    nothing vanishes, if only an illegal action would have saved a lost position
    >>> improved_policy(np.zeros(3), q=np.array([-0.9, 0.9, -0.9]), N=np.array([800.0, 0.0, 800.0]), legal=np.array([True, False, True]))
    [0.5, 0, 0.5]
    ? Of which actions is the largest score taken?

    in a batch each game by itself (2 points)
    >>> q, N = np.array([[0.04, 0.0], [0.02, 0.0]]), np.array([[0.0, 0.0], [50.0, 0.0]])
    >>> improved_policy(np.zeros((2, 2)), q, N, legal=np.ones((2, 2), dtype=bool))
    [[math.e / (math.e + 1), 1 / (math.e + 1)]] * 2
    ? Of what do you take the largest number of visits, the maximum and the sum: of each row, or of the whole batch?

    if the values are true, it is never worse than the prior
    >>> rng, gains = np.random.default_rng(SEED), []
    >>> for _ in range(40):
    ...     prior, q = rng.dirichlet(np.ones(7)), rng.uniform(-1, 1, 7)
    ...     policy = improved_policy(np.log(prior), q, N=rng.integers(0, 9, 7), legal=np.ones(7, dtype=bool))
    ...     gains.append(policy @ q - prior @ q)
    >>> bool(min(gains) > -1e-9)
    True
    ? A better action gets a higher factor. Which sign has the value's influence in yours?
"""

_SCORE = "np.where(legal, logits + sigma(q, N), -np.inf)"
_EXP = "np.exp(score - score.max(axis=-1, keepdims=True))"
_SUM = "weights.sum(axis=-1, keepdims=True)"

WRONG = [
    Wrong("values alone", "the prior has no say any more", "What else speaks for an action, beside its value?",
          ("logits + sigma(q, N)", "sigma(q, N)")),
    Wrong("prior alone", "the values have no say: it is the network's policy again", "What did the search find?",
          ("logits + sigma(q, N)", "logits")),
    Wrong("values not scaled", "the values are added as they are: beside logits they hardly count",
          "By how much do the logits of a good move and a bad one differ, and by how much their values?",
          ("sigma(q, N)", "q")),
    Wrong("c_visit forgotten", "the scale is the largest number of visits alone: with few simulations the values hardly count",
          "What is the scale after four visits?", ("sigma(q, N)", "sigma(q, N, c_visit=0)")),
    Wrong("the sum of the visits", "the scale has the sum of all visits instead of the largest number",
          "Which number of visits is in the formula?", ("sigma(q, N)", "sigma(q, N.sum(axis=-1, keepdims=True))[..., :]"),
          ("N.sum(axis=-1, keepdims=True)", "np.broadcast_to(N.sum(axis=-1, keepdims=True), N.shape)")),
    Wrong("each action's own visits", "each action's value is scaled by its own visits: what was tried more looks better for that alone",
          "Two actions of equal value, one of them tried more often: should the values tell them apart?",
          ("sigma(q, N)", "(50 + N) * (1 + q) / 2")),
    Wrong("not brought to 0..1", "values from -1 to 1 are multiplied as they are: they count twice as much",
          "How large is the difference of a win and a loss on the scale from 0 to 1?", ("sigma(q, N)", "2 * sigma(q, N)")),
    Wrong("the opponent's point of view", "a high value counts against an action", "Whose value is q?",
          ("sigma(q, N)", "sigma(-q, N)")),
    Wrong("illegal actions not masked", "illegal actions take part", "What may the player to move play here?",
          (_SCORE, "logits + sigma(q, N)")),
    Wrong("masked too late", "illegal actions are taken out after the division: what is left sums to less than 1",
          "When is an action taken out: before or after the division by the sum?",
          (_SCORE, "np.nan_to_num(logits) + sigma(q, N)"),
          ("return weights / weights.sum(axis=-1, keepdims=True)", "return legal * weights / weights.sum(axis=-1, keepdims=True)")),
    Wrong("masked with 0", "an illegal action scores 0 instead of minus infinity", "What is exp(0)?", ("-np.inf", "0.0")),
    Wrong("overflow", "nothing is taken from the scores before exp: large ones become infinite",
          "What is exp(10000)?", (_EXP, "np.exp(score)")),
    Wrong("the maximum of all actions", "the maximum is taken over illegal actions, too: where one of them is far ahead, all legal ones vanish, and 0 / 0 is left",
          "Over which actions must the maximum be taken, so that one of the legal ones gets exp(0)?",
          (_EXP, "np.exp(score - (logits + sigma(q, N)).max(axis=-1, keepdims=True))")),
    Wrong("one sum for the batch", "a batch is divided by one sum: its rows do not sum to 1",
          "What must each row sum to?", (_SUM, "weights.sum()")),
    Wrong("one scale for the batch", "the largest number of visits is that of the whole batch",
          "Whose search was it that made these visits?", ("sigma(q, N)", "(50 + N.max()) * (1 + q) / 2")),
    Wrong("one maximum for the batch", "one maximum is taken from all rows: a row far below it vanishes in 0 / 0",
          "Which number must the best action of each row have, so that its exp is 1?",
          ("score.max(axis=-1, keepdims=True)", "score.max()")),
    Wrong("no axis at all", "maximum and sum are those of the whole batch, not of each row",
          "What must each row sum to?", (_EXP, "np.exp(score - score.max())"), (_SUM, "weights.sum()")),
    Wrong("along the batch", "maximum and sum are taken along the batch, one for each action, not one for each row",
          "Along which axis do the actions of one position lie?", (_EXP, "np.exp(score - score.max(axis=0))"), (_SUM, "weights.sum(axis=0)")),
    Wrong("no keepdims", "the rows' maxima and sums lack an axis of length 1, so that NumPy lays them beside the columns",
          "Which shapes have the scores of a batch, and their maxima?", ("axis=-1, keepdims=True", "axis=-1")),
    Wrong("no keepdims in the sum", "the rows' sums lack an axis of length 1, so that NumPy lays them beside the columns",
          "Which shapes have the weights of a batch, and their sums?", (_SUM, "weights.sum(axis=-1)")),
    Wrong("the best action alone", "everything goes to the best action", "How sure can a search of sixteen simulations be?",
          (_EXP, "(score == score.max(axis=-1, keepdims=True)) * 1.0")),
    Wrong("prior times value", "the prior is multiplied by the value instead of by exp of it",
          "What happens to an action of value 0?",
          (_EXP, "np.where(legal, np.exp(np.where(legal, logits, -np.inf) - np.where(legal, logits, -np.inf).max(axis=-1, keepdims=True)) * (1 + q) / 2, 0)")),
]  # fmt: skip


def right_improved_action_by_action(logits, q, N, legal):
    if logits.ndim == 2:
        return np.array([right_improved_action_by_action(*game) for game in zip(logits, q, N, legal, strict=True)])
    scale = 50 + max(N)
    score = {a: logits[a] + scale * (1 + q[a]) / 2 for a in range(len(N)) if legal[a]}
    weights = {a: math.exp(one - max(score.values())) for a, one in score.items()}
    return np.array([weights.get(a, 0.0) / sum(weights.values()) for a in range(len(N))])


def right_improved_by_logarithms(logits, q, N, legal):
    score = np.where(legal, logits, 0) + (50 + N.max(-1)[..., None]) * (0.5 * q + 0.5) + np.where(legal, 0, -np.inf)
    return np.exp(score - np.logaddexp.reduce(score, axis=-1, keepdims=True))


CHECK = Scenes(
    draws=st.tuples(
        st.lists(ACTIONS, min_size=1, max_size=9), st.sampled_from([0.9, -0.9]), st.sampled_from([1, 300]), SHAPES
    ),
    returns=array(),
    tolerance=1e-5,
    edges=[
        ([(0.5, 0.01, 1.0, True), (0.0, 0.02, 4.0, True), (9.0, 0.04, 2.0, False)], 0.9, 300, shape)
        for shape in ((3,), (3, 3))
    ],
    question="Score, mask, exp, sum: work out one row by hand. Which of the four differs?",
)
