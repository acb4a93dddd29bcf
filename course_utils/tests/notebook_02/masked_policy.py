"""Check masked_policy: softmax over the legal actions only."""

import math

import numpy as np
from hypothesis import strategies as st

from course_utils.tests.case import Raises  # noqa: F401  # in a case by hand
from course_utils.tests.catalogue import Wrong
from course_utils.tests.returns import array
from course_utils.tests.scene import Scenes, pasted
from course_utils.tests.world.arrays import EIGHTHS, SPREADS

MASK = "Which numbers may go into the sum that you divide by?"
BIG = "exp(1000) is infinite. Adding the same number to all logits changes no probability: which number helps here?"
BY_HAND = f"""
    all actions legal: an ordinary softmax
    >>> masked_policy(np.log([1, 2, 5]), np.array([True, True, True]))
    [0.125, 0.25, 0.625]
    ? Which function turns any number into a positive one, and what then makes them sum to 1?

    two illegal actions get 0, and the others sum to 1 (2 points)
    >>> masked_policy(np.log([1, 2, 5, 3, 4]), np.array([True, False, False, True, True]))
    [0.125, 0, 0, 0.375, 0.5]
    ? {MASK}

    illegal actions get exactly 0
    >>> policy = masked_policy(np.array([20.0, 0.0, -20.0, 3.0, 1.0]), np.array([False, False, False, False, True]))
    >>> policy[:4] == 0
    [True, True, True, True]
    ? An illegal action with a probability of one in a billion will be drawn some day. What happens then?

    large logits do not overflow (2 points)
    >>> masked_policy(np.array([1000.0, 998.0, -1000.0]), np.array([True, True, True]))
    [0.880797, 0.119203, 0]
    ? {BIG}

    a huge logit on an illegal action does no harm (2 points)
    >>> masked_policy(np.array([2000.0, 1.0, 1.0]), np.array([False, True, True]))
    [0, 0.5, 0.5]
    ? Which maximum do you subtract: that of all logits, or that of the legal ones?

    a legal logit that is not a number is refused
    >>> masked_policy(np.array([0.5, np.nan, 0.1]), np.array([True, True, False]))
    Raises(ValueError)
    ? What would a search do with priors that are NaN? Keep the given lines, and let nothing return before them.
"""


def scene(draw) -> str:
    actions, (times, plus), illegal = draw
    logits = np.array([logit * times + plus + illegal * (not legal) for logit, legal in actions])
    return f"masked_policy({pasted(logits)}, {pasted(np.array([legal for _, legal in actions]))})"


SHIFTED, RETURN = "np.where(legal, logits - logits[legal].max(), -np.inf)", "return weights / weights.sum()"
GIVEN = """    if not np.isfinite(logits[legal]).all():
        diverged = "the network's logits are not finite: its weights have probably diverged"
        raise ValueError(diverged)
"""
# fmt: off
WRONG = [
    Wrong("masked, not renormalized",
          "the mask is applied after the softmax, and the result is not divided by its sum again: the sum is below 1",
          "What do the legal probabilities sum to, once the illegal ones are gone?", (SHIFTED, "logits - logits.max()"),
          (RETURN, f"{RETURN} * legal")),
    Wrong("logits multiplied by the mask", "the illegal logits become 0 before the softmax, and exp(0) is 1, not 0",
          "Which logit has a probability of 0?",
          (SHIFTED, "logits * legal - (logits * legal).max()")),
    Wrong("logits multiplied by the mask, nothing subtracted",
          "the illegal logits become 0 before the softmax, and exp(0) is 1, not 0; and since nothing is subtracted "
          "from the legal logits, their exp may be infinite",
          "Which logit has a probability of 0?", (SHIFTED, "logits * legal")),
    *(
        Wrong(f"logits multiplied by the mask, {most} subtracted before",
              "the illegal logits become 0 before exp, and exp(0) is 1, not 0", "Which logit has a probability of 0?",
              (SHIFTED, f"(logits - {highest}.max()) * legal"))
        for most, highest in (("the highest of all", "logits"), ("the highest legal one", "logits[legal]"))
    ),
    Wrong("overflow", "nothing is subtracted from the logits: exp(1000) is infinite",
          "Which number can you subtract from all logits without changing the policy?",
          (SHIFTED, "np.where(legal, logits, -np.inf)")),
    Wrong("multiplied by the mask after exp",
          "the mask is applied after `exp`: where exp of an illegal logit is infinite, infinity times 0 is NaN, not 0",
          "How can an illegal action get its 0 without its own logit going through exp?",
          (SHIFTED, "logits - logits[legal].max()"), ("np.exp(shifted)", "np.exp(shifted) * legal")),
    Wrong("multiplied by the mask after exp, nothing subtracted",
          "nothing is subtracted from the logits, so exp(1000) is infinite, "
          "and infinity divided by infinity or times a 0 of the mask is NaN",
          "Which number can you subtract from all logits without changing the policy?",
          (SHIFTED, "logits"), ("np.exp(shifted)", "np.exp(shifted) * legal")),
    Wrong("maximum of all",
          "the maximum that is subtracted may be an illegal action's, and then all legal weights vanish",
          "Which weight must be exp(0) = 1 so that the sum can't be 0?", ("logits[legal].max()", "logits.max()")),
    Wrong("softmax first, mask and renormalize after",
          "the softmax runs over all actions first: where an illegal logit is huge, nothing is left for the legal ones",
          "What is left of the legal probabilities when an illegal logit is 2000 larger?",
          (SHIFTED, "logits - logits.max()"),
          (RETURN, "policy = weights / weights.sum() * legal\n    return policy / policy.sum()")),
    Wrong("legal actions only", "the answer has one number for each legal action, not for each action",
          "At which index of your result is the number for action 4?", (RETURN, f"return ({RETURN[7:]})[legal]")),
    Wrong("nonsense let through", "logits that are NaN or infinite are let through, and NaN comes out",
          "Where should the run stop when the network has diverged: here, or a thousand games later?", (GIVEN, "")),
    Wrong("logits overwritten", "the mask is written into the caller's logits", "Who else uses this array?",
          (SHIFTED, "logits - logits[legal].max()\n    logits[~legal] = -np.inf\n    shifted[~legal] = -np.inf")),
]
# fmt: on


def right_by_floats(logits, legal):
    by_action = {action: float(logits[action]) for action in np.flatnonzero(legal)}
    if not all(math.isfinite(logit) for logit in by_action.values()):
        raise ValueError("the logits are not finite")
    weights = {action: math.exp(logit - max(by_action.values())) for action, logit in by_action.items()}
    return np.array([weights.get(action, 0.0) / sum(weights.values()) for action in range(len(legal))])


def right_by_logarithm(logits, legal):
    chosen = logits[legal]
    if not np.isfinite(chosen).all():
        raise ValueError("logits are not finite")
    policy = np.zeros(len(logits))
    policy[legal] = np.exp(chosen - np.logaddexp.reduce(chosen))
    return policy


def right_in_float32(logits, legal):
    if not np.isfinite(logits[legal]).all():
        raise ValueError("the logits are not finite")
    policy = np.zeros(len(legal), dtype=np.float32)
    policy[legal] = np.exp(logits[legal] - logits[legal].max())
    return policy / policy.sum()  # sums to 1 only within 1e-7


CHECK = Scenes(
    draws=st.tuples(
        st.lists(st.tuples(EIGHTHS, st.booleans()), min_size=1, max_size=9).filter(
            lambda all: any(legal for _, legal in all)
        ),
        SPREADS,
        st.sampled_from([0, 3000, -3000]),  # added to the illegal actions' logits
    ),
    edges=[
        ([(0.0, True), (0.0, True), (0.0, False)], (1, 0), 720),  # exp(720) is infinite, and exp(-720) is not yet 0
        ([(0.5, True), (math.nan, True), (0.0, False)], (1, 0), 0),
    ],
    returns=array(),
    tolerance=1e-5,
    question=f"{MASK} {BIG}",
)
