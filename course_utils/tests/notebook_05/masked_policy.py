"""masked_policy: softmax over the legal actions only."""

import math
from typing import NamedTuple

import numpy as np
from hypothesis import strategies as st

from course_utils.tests.case import Raises, Such
from course_utils.tests.catalogue import Wrong
from course_utils.tests.notebook_05.arrays import SEEDS, eighths, one_call
from course_utils.tests.returns import array
from course_utils.tests.specification import Specification

MASK = "Which numbers may go into the sum that you divide by?"
BIG = "What is exp(1000)? Adding the same number to all logits changes no probability: which one helps?"


class Draw(NamedTuple):
    legal: list[bool]
    kind: str
    illegal: float  # added to the logits of illegal actions
    dtype: str
    seed: int


KINDS = {
    "near": lambda rng, n: eighths(rng, n),
    "far": lambda rng, n: eighths(rng, n, power=6),
    "high": lambda rng, n: eighths(rng, n) + 2000,
    "low": lambda rng, n: eighths(rng, n) - 2000,
    "not a number": lambda rng, n: np.where(rng.random(n) < 0.5, np.nan, 1.0),
    "infinite": lambda rng, n: rng.choice([np.inf, 0.0], n),
}
DRAWS = st.builds(
    Draw,
    st.lists(st.booleans(), min_size=1, max_size=9).filter(any),
    st.sampled_from(list(KINDS)),
    st.sampled_from([0.0, 3000.0, -3000.0]),
    st.sampled_from(["float64", "float32"]),
    SEEDS,
)


def arguments(draw: Draw) -> dict:
    legal = np.array(draw.legal)
    logits = KINDS[draw.kind](np.random.default_rng(draw.seed), len(legal))
    return {"logits": np.where(legal, logits, logits + draw.illegal).astype(draw.dtype), "legal": legal}


def oracle(draw: Draw) -> list[float] | Raises:
    """1 divided by how much larger all legal weights together are than one's own; 0 elsewhere."""
    logits, legal = (values.tolist() for values in arguments(draw).values())
    said = [logit for logit, may in zip(logits, legal, strict=True) if may]
    if not all(map(math.isfinite, said)):
        return Raises(ValueError)
    share = lambda one: 1 / math.fsum(math.exp(min(other - one, 700)) for other in said)  # noqa: E731
    return [share(logit) if may else 0.0 for logit, may in zip(logits, legal, strict=True)]


def by_hand(rng):
    def case(name, logits, legal, question, points=1):
        logits, legal = np.array(logits, dtype=np.float64), np.array(legal, dtype=bool)
        weights = np.exp(logits[legal] - max(logits[legal]))
        expected = np.zeros(len(legal))
        expected[legal] = weights / weights.sum()
        return one_call("masked_policy", name, expected, question, logits, legal, points=points)

    logits = eighths(rng, 9) + 0.0625
    yield case("all actions legal: an ordinary softmax", logits, [True] * 9,
               "What turns any numbers into positive ones, and positive ones into numbers that sum to 1?")  # fmt: skip
    yield case(
        "four illegal actions: 0 there, and the others share 1",
        logits,
        rng.permutation([True] * 5 + [False] * 4),
        MASK,
        points=2,
    )
    yield one_call("masked_policy", "illegal actions get 0 exactly, not almost", Such("0.0, four times", lambda policy: list(policy[:4]) == [0.0] * 4),
                   "An illegal action with a probability of one in a billion is drawn one day: what happens then?",
                   np.array([20.0, 0.0, -20.0, 3.0, 1.0]), np.array([False] * 4 + [True]))  # fmt: skip
    yield case("large logits do not overflow", [1000.0, 998.0, -1000.0], [True] * 3, BIG, points=2)
    yield case("a huge logit on an illegal action does no harm", [2000.0, 1.0, 2.0], [False, True, True],
               "Whose maximum do you subtract: that of all logits, or of the legal ones?", points=2)  # fmt: skip
    yield one_call("masked_policy", "a legal logit that is not a number is refused", Raises(ValueError),
                   "What would a search do with priors that are NaN? Keep the given lines, and let nothing return before them.", np.array([0.5, np.nan, 0.1]), np.array([True, True, False]))  # fmt: skip


SHIFTED, RETURN = "np.where(legal, logits - logits[legal].max(), -np.inf)", "return weights / weights.sum()"
GIVEN = """    if not np.isfinite(logits[legal]).all():
        diverged = "the network's logits are not finite: its weights have probably diverged"
        raise ValueError(diverged)
"""
# fmt: off
WRONG = [
    Wrong("masked, not renormalized", "the mask comes after the softmax, and nobody divides again: the sum is below 1",
          "What do the legal probabilities sum to, once the illegal ones are gone?", (SHIFTED, "logits - logits.max()"), (RETURN, f"{RETURN} * legal")),
    Wrong("logits multiplied by the mask", "the illegal logits become 0 before the softmax, and exp(0) is 1, not 0", "Which logit has a probability of 0?",
          (SHIFTED, "logits * legal - (logits * legal).max()")),
    Wrong("overflow", "nothing is subtracted from the logits: exp(1000) is infinite", "Which number can you subtract from all logits without changing the policy?",
          (SHIFTED, "np.where(legal, logits, -np.inf)")),
    Wrong("maximum of all", "the maximum that is subtracted may be an illegal action's: then all legal weights vanish",
          "Which of the weights must be exp(0) = 1, so that the sum can't be 0?", ("logits[legal].max()", "logits.max()")),
    Wrong("softmax first, mask and renormalize after",
          "the softmax runs over all actions first: where an illegal logit is huge, nothing is left for the legal ones",
          "What is left of the legal probabilities when an illegal logit is 2000 larger?", (SHIFTED, "logits - logits.max()"),
          (RETURN, "policy = weights / weights.sum() * legal\n    return policy / policy.sum()")),
    Wrong("legal actions only", "the answer has one number for each legal action, not for each action",
          "Which index does action 4 have in what you return?", (RETURN, f"return ({RETURN[7:]})[legal]")),
    Wrong("nonsense let through", "logits that are NaN or infinite go in, and NaN comes out",
          "Where should the run stop when the network has diverged: here, or a thousand games later?", (GIVEN, "")),
    Wrong("logits overwritten", "the mask is written into the logits that the caller handed over", "Who else holds this array?",
          (SHIFTED, "logits - logits[legal].max()\n    logits[~legal] = -np.inf\n    shifted[~legal] = -np.inf")),
]
# fmt: on


def put_in_place(logits, legal):
    chosen = np.asarray(logits, dtype=np.float64)[legal]
    if not np.isfinite(chosen).all():
        raise ValueError("logits are not finite")
    policy = np.zeros(len(logits))
    weights = np.exp(chosen - np.max(chosen))
    policy[legal] = weights / np.sum(weights)
    return policy


def by_floats(logits, legal):
    said = {action: float(logits[action]) for action in np.flatnonzero(legal)}
    if not all(math.isfinite(logit) for logit in said.values()):
        raise ValueError("the logits are not finite")
    weights = {action: math.exp(logit - max(said.values())) for action, logit in said.items()}
    return np.array([weights.get(action, 0.0) / sum(weights.values()) for action in range(len(legal))])


def in_float32(logits, legal):
    said = np.asarray(logits, dtype=np.float64)[legal]
    if not np.isfinite(said).all():
        raise ValueError("the logits are not finite")
    policy = np.zeros(len(legal), dtype=np.float32)
    policy[legal] = np.exp(said - said.max())
    return (policy / policy.sum()).astype(np.float64)  # sums to 1 only within 1e-7


CHECK = Specification(
    draws=DRAWS,
    arguments=arguments,
    oracle=oracle,
    returns=array("float64"),
    edges=[Draw([True, True, False, True], kind, 0.0, "float64", 1) for kind in KINDS],
    question=f"{MASK} {BIG}",
    by_hand=by_hand,
    wrong=WRONG,
    right=[put_in_place, by_floats, in_float32],
)
