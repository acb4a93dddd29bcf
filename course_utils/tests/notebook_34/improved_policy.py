"""Check improved_policy: logits, values, and a softmax over both."""

import math

import numpy as np
from hypothesis import strategies as st

from course_utils.tests.catalogue import Wrong
from course_utils.tests.notebook_34.batches import SHAPES, parts
from course_utils.tests.returns import array
from course_utils.tests.scene import Scenes, pasted

HUNDREDTHS = st.integers(-8, 8).map(lambda hundredths: hundredths / 100)  # so close that the logits matter, too
# (logit, q, N, legal) of an action
ACTIONS = st.tuples(
    st.integers(-24, 24).map(lambda eighths: eighths / 8), HUNDREDTHS, st.integers(0, 5).map(float), st.booleans()
)


def scene(draw) -> str:
    """Use these actions in the first game of a batch; the others were searched longer, and are better or worse."""
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
    >>> improved_policy(np.log([0.5, 0.3, 0.2]), np.array([0.1, 0.1, 0.1]), np.array([2.0, 1.0, 0.0]),
    ...                 np.array([True, True, True]))
    [0.5, 0.3, 0.2]
    ? What does softmax return if the same number is added to all logits?

    before any visit, 0.04 of value are worth one unit of logit (2 points)
    >>> improved_policy(np.zeros(2), q=np.array([0.04, 0.0]), N=np.zeros(2), legal=np.array([True, True]))
    [math.e / (math.e + 1), 1 / (math.e + 1)]
    ? A value of 0.04 becomes 0.52 on the scale from 0 to 1, one of 0 becomes 0.5. What is 50 times the difference?

    the more visits, the more the values count
    >>> improved_policy(np.zeros(2), q=np.array([0.02, 0.0]), N=np.array([50.0, 3.0]), legal=np.array([True, True]))
    [math.e / (math.e + 1), 1 / (math.e + 1)]
    ? With 50 visits and c_visit 50, what is the scale now, and for which actions?

    illegal actions get 0, and the others sum to 1
    >>> improved_policy(np.zeros(3), q=np.array([0.3, 0.9, 0.3]), N=np.zeros(3), legal=np.array([True, False, True]))
    [0.5, 0, 0.5]
    ? When is an illegal action removed: before or after the division by the sum?

    nothing overflows in a long search of a won position
    >>> improved_policy(np.zeros(3), q=np.array([0.9, 0.9, -0.9]), N=np.array([800.0, 800.0, 0.0]),
    ...                 legal=np.array([True, True, True]))
    [0.5, 0.5, 0]
    ? exp(800) is infinite. Which number can you subtract from all scores so that none is above 0?

    nothing vanishes if only an illegal action would have saved a lost position
    >>> improved_policy(np.zeros(3), q=np.array([-0.9, 0.9, -0.9]), N=np.array([800.0, 0.0, 800.0]),
    ...                 legal=np.array([True, False, True]))
    [0.5, 0, 0.5]
    ? Over which actions is the largest score taken?

    each game of a batch is computed by itself (2 points)
    >>> q, N = np.array([[0.04, 0.0], [0.02, 0.0]]), np.array([[0.0, 0.0], [50.0, 0.0]])
    >>> improved_policy(np.zeros((2, 2)), q, N, legal=np.ones((2, 2), dtype=bool))
    [[math.e / (math.e + 1), 1 / (math.e + 1)]] * 2
    ? Do you take the largest number of visits, the maximum and the sum over each row, or over the whole batch?

    if the values are true, the policy is never worse than the prior
    >>> rng, gains = np.random.default_rng(SEED), []
    >>> for _ in range(40):
    ...     prior, q = rng.dirichlet(np.ones(7)), rng.uniform(-1, 1, 7)
    ...     policy = improved_policy(np.log(prior), q, N=rng.integers(0, 9, 7), legal=np.ones(7, dtype=bool))
    ...     gains.append(policy @ q - prior @ q)
    >>> bool(min(gains) > -1e-9)
    True
    ? A better action should get a larger share. Does a higher value raise or lower the share in yours?
"""

_SCORE = "np.where(legal, logits + sigma(q, N), -np.inf)"
_EXP = "np.exp(score - score.max(axis=-1, keepdims=True))"
_SUM = "weights.sum(axis=-1, keepdims=True)"

WRONG = [
    Wrong("values alone", "the prior has no effect any more", "What counts for an action besides its value?",
          ("logits + sigma(q, N)", "sigma(q, N)")),
    Wrong("prior alone", "the values have no effect, so the result is the network's policy again",
          "What did the search find?",
          ("logits + sigma(q, N)", "logits")),
    Wrong("values not scaled", "the values are added without scaling, so they hardly count beside the logits",
          "By how much do the logits of a good move and a bad one differ, and by how much their values?",
          ("sigma(q, N)", "q")),
    Wrong("c_visit forgotten",
          "the scale is only the largest number of visits, so the values hardly count after few simulations",
          "What is the scale after four visits?", ("sigma(q, N)", "sigma(q, N, c_visit=0)")),
    Wrong("the sum of the visits", "the scale uses the sum of all visits instead of the largest number",
          "Which number of visits is in the formula?",
          ("sigma(q, N)", "sigma(q, N.sum(axis=-1, keepdims=True))[..., :]"),
          ("N.sum(axis=-1, keepdims=True)", "np.broadcast_to(N.sum(axis=-1, keepdims=True), N.shape)")),
    Wrong("each action's own visits",
          "each action's value is scaled by its own visits, so an action that was tried more often looks better",
          "Two actions have equal values, and one was tried more often. Should their scores differ?",
          ("sigma(q, N)", "(50 + N) * (1 + q) / 2")),
    Wrong("not brought to 0..1",
          "values from -1 to 1 are not brought to the range from 0 to 1, so they count twice as much",
          "How far apart are a win and a loss on the scale from 0 to 1?", ("sigma(q, N)", "2 * sigma(q, N)")),
    Wrong("the opponent's point of view", "a high value lowers the score of an action", "For which player is q?",
          ("sigma(q, N)", "sigma(-q, N)")),
    Wrong("illegal actions not masked", "illegal actions get a share, too", "Which actions may be chosen here?",
          (_SCORE, "logits + sigma(q, N)")),
    Wrong("masked too late", "illegal actions are removed after the division, so the rest sums to less than 1",
          "When is an illegal action removed: before or after the division by the sum?",
          (_SCORE, "np.nan_to_num(logits) + sigma(q, N)"),
          ("return weights / weights.sum(axis=-1, keepdims=True)",
           "return legal * weights / weights.sum(axis=-1, keepdims=True)")),
    Wrong("masked with 0", "an illegal action scores 0 instead of minus infinity", "What is exp(0)?",
          ("-np.inf", "0.0")),
    Wrong("overflow", "nothing is subtracted from the scores before exp, so large ones become infinite",
          "What is exp(10000)?", (_EXP, "np.exp(score)")),
    Wrong("the maximum of all actions",
          "the maximum is taken over illegal actions, too, so where one of them is far ahead, "
          "all legal ones vanish and 0 / 0 is left",
          "Over which actions must the maximum be taken so that one of the legal ones gets exp(0)?",
          (_EXP, "np.exp(score - (logits + sigma(q, N)).max(axis=-1, keepdims=True))")),
    Wrong("one sum for the batch", "the whole batch is divided by one sum, so its rows don't sum to 1",
          "What must each row sum to?", (_SUM, "weights.sum()")),
    Wrong("one scale for the batch", "the largest number of visits is that of the whole batch",
          "Which game's search made these visits?", ("sigma(q, N)", "(50 + N.max()) * (1 + q) / 2")),
    Wrong("one maximum for the batch", "one maximum is subtracted from all rows, so a row far below it becomes 0 / 0",
          "Which score must the best action of each row have so that its exp is 1?",
          ("score.max(axis=-1, keepdims=True)", "score.max()")),
    Wrong("no axis at all", "the maximum and the sum run over the whole batch instead of each row",
          "What must each row sum to?", (_EXP, "np.exp(score - score.max())"), (_SUM, "weights.sum()")),
    Wrong("along the batch",
          "the maximum and the sum run along the batch, one for each action instead of one for each row",
          "Which axis is the actions of one position?", (_EXP, "np.exp(score - score.max(axis=0))"),
          (_SUM, "weights.sum(axis=0)")),
    Wrong("no keepdims", "the rows' maxima and sums lack an axis of length 1, so NumPy lines them up with the columns",
          "Which shapes do the scores of a batch and their maxima have?", ("axis=-1, keepdims=True", "axis=-1")),
    Wrong("no keepdims in the sum", "the rows' sums lack an axis of length 1, so NumPy lines them up with the columns",
          "Which shapes do the weights of a batch and their sums have?", (_SUM, "weights.sum(axis=-1)")),
    Wrong("the best action alone", "the best action gets everything",
          "How sure can a search of sixteen simulations be?",
          (_EXP, "(score == score.max(axis=-1, keepdims=True)) * 1.0")),
    Wrong("prior times value", "the prior is multiplied by the value instead of by its exp",
          "What happens to an action whose value is 0?",
          (_EXP, "np.where(legal, np.exp(np.where(legal, logits, -np.inf) - np.where(legal, logits, "
                 "-np.inf).max(axis=-1, keepdims=True)) * (1 + q) / 2, 0)")),
]  # fmt: skip


def right_improved_action_by_action(logits, q, N, legal):
    if logits.ndim == 2:
        return np.array([right_improved_action_by_action(*game) for game in zip(logits, q, N, legal, strict=True)])
    scale = 50 + max(N)
    score = {a: logits[a] + scale * (1 + q[a]) / 2 for a in range(len(N)) if legal[a]}
    weights = {a: math.exp(logit - max(score.values())) for a, logit in score.items()}
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
    ]
    + [
        ([(0.5, 0.01, 1.0, True), (0.0, 0.02, 4.0, True), (2000.0, 0.04, 2.0, False)], 0.9, 1, (3,)),
        ([(-9.0, -1.0, 1.0, True), (-8.0, -1.0, 4.0, True), (0.0, -1.0, 2.0, False)], 0.9, 1, (3,)),  # scores below 0
    ],
    question="Work out score, mask, exp and sum of one row by hand. Which of the four differs?",
)
