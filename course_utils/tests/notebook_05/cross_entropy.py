"""cross_entropy: the policy loss."""

import math
from typing import NamedTuple

import numpy as np
from hypothesis import strategies as st

from course_utils.tests.case import Such
from course_utils.tests.catalogue import Wrong
from course_utils.tests.notebook_05.arrays import BATCHES, SEEDS, one_call
from course_utils.tests.returns import number
from course_utils.tests.specification import Specification

ZERO = "0 times the logarithm of 0 should be 0. What does numpy make of it?"
OVER_WHAT = "Over what is the sum, over what the mean?"


class Draw(NamedTuple):
    batch: int
    actions: int
    policy: str
    target: str
    seed: int


POLICIES = ["any", "zeros", "tiny", "sure", "nearly sure"]
TARGETS = ["visits", "one action", "faint", "tiny", "any sum", "none", "counts"]
DRAWS = st.builds(
    Draw, BATCHES, st.sampled_from([1, 2, 3, 9]), st.sampled_from(POLICIES), st.sampled_from(TARGETS), SEEDS
)


def both(draw: Draw) -> tuple[np.ndarray, np.ndarray]:
    rng, shape = np.random.default_rng(draw.seed), (draw.batch, draw.actions)
    target = rng.multinomial(8, np.ones(draw.actions) / draw.actions, draw.batch) / 8
    if draw.target in ("one action", "faint"):
        target = np.eye(draw.actions)[rng.integers(draw.actions, size=draw.batch)] + 1e-9 * (draw.target == "faint")
    target *= {"any sum": rng.choice([1.75, 0, 0.5], (draw.batch, 1)), "tiny": 2.0**-50, "none": 0, "counts": 8000}.get(
        draw.target, 1
    )
    policy = rng.integers(1, 9, shape) / 8
    if draw.policy == "tiny":
        policy *= 10.0 ** rng.choice([0, -3, -6], shape)
    elif draw.policy == "nearly sure":
        policy *= np.where(target == target.max(axis=1, keepdims=True), 1, np.where(target > 0, 1e-6, 1e-9))
    elif draw.policy != "any":
        policy *= (target > 0) | (rng.random(shape) < (0.5 if draw.policy == "zeros" else 0))
    policy[:, 0] += policy.sum(axis=1) == 0
    return policy / policy.sum(axis=1, keepdims=True), target


def surprise(policy, target) -> float:
    rows = [zip(*row, strict=True) for row in zip(policy.tolist(), target.tolist(), strict=True)]
    return math.fsum(t * -math.log(p) for row in rows for p, t in row if t) / len(rows)


def oracle(draw: Draw) -> Such:
    policy, target = both(draw)
    exact, all_there_is = surprise(policy, target), target.sum() / len(target)
    off = 1e-6 * exact + 1e-8 * all_there_is
    return Such(f"{exact:.6g}", lambda got: bool(abs(got - exact) <= off))


def by_hand(rng):
    def case(name, policy, target, question, points=1):
        policy, target = np.array(policy), np.array(target)
        return one_call("cross_entropy", name, surprise(policy, target), question, policy, target, points=points)

    p, t = [[0.5, 0.3, 0.2]], [[0.7, 0.2, 0.1]]
    yield case("the example of the text", p, t, "Each action's target times the logarithm of what the network gave it. And the sign?", points=2)  # fmt: skip
    yield case("a target that is certain: -ln of what the network gave it", [[0.25, 0.75]], [[1.0, 0.0]],
               "Which of the two is under the logarithm: what the network says, or what it should say?")  # fmt: skip
    yield case("three positions: a mean over the positions, a sum over the actions", *both(Draw(3, 4, "any", "visits", 4)), OVER_WHAT, points=2)  # fmt: skip
    yield case("an illegal action: target 0, policy 0", [[0.5, 0.0, 0.5]], [[0.25, 0.0, 0.75]], ZERO, points=2)
    yield case("policy and target the same: the entropy, not 0", t, t, "Why is the result not 0 when the network says just what it should?")  # fmt: skip


RETURN = "return -(target[wanted] * np.log(policy[wanted])).sum() / len(target)"
# fmt: off
WRONG = [
    Wrong("sign forgotten", "the logarithm of a probability is negative, and so is your result",
          "A loss should be large when the network is wrong: which sign does that take?", ("return -(", "return (")),
    Wrong("sum over the batch", "the positions are added up instead of averaged", "Should the loss double when the batch does?", (" / len(target)", "")),
    Wrong("mean over the actions, too", "the sum over the actions is a mean: the result is too small by the number of actions",
          "How many numbers does your mean run over?", ("len(target)", "target.size")),
    Wrong("0 log 0 is NaN", "an action with target 0 and policy 0 makes the result NaN: numpy's 0 * -infinity",
          "For which actions need you take the logarithm at all?", ("[wanted]", "")),
    Wrong("policy and target exchanged", "the logarithm is taken of the target", "Which of the two can the network change?",
          (RETURN, "return -(policy[wanted] * np.log(target[wanted])).sum() / len(target)")),
    Wrong("Kullback-Leibler divergence", "the target's own entropy is subtracted: 0 where the two are the same",
          "The formula has one logarithm. How many has yours?", ("np.log(policy[wanted])", "np.log(policy[wanted] / target[wanted])")),
    Wrong("best action only", "only the target's largest action counts", "What becomes of the other actions that the search visited?",
          (RETURN, "return -np.log(policy[np.arange(len(target)), target.argmax(axis=1)]).mean()")),
    Wrong("one number for each position", "the mean over the batch is missing", "How many numbers come back?",
          (RETURN, "return -(target * np.log(np.where(wanted, policy, 1))).sum(axis=1)")),
    Wrong("something added under the logarithm", "a small number is added to every probability against log 0: where the network gave 1e-15, the loss looks smaller than it is",
          "For which actions need you take the logarithm at all?", (RETURN, "return -(target * np.log(policy + 1e-8)).sum() / len(target)")),
]
# fmt: on


def by_where(policy, target):
    logs = np.log(np.where(target > 0, policy, 1.0))
    return float(np.mean(-np.sum(target * logs, axis=1)))


def with_a_little_added(policy, target):
    return float(-(target * np.log(policy + 1e-12)).sum(axis=1).mean())


def clipped(policy, target):
    return np.mean([-np.dot(t, np.log(np.maximum(p, 1e-12))) for p, t in zip(policy, target, strict=True)])


CHECK = Specification(
    draws=DRAWS,
    arguments=lambda draw: dict(zip(("policy", "target"), both(draw), strict=True)),
    oracle=oracle,
    returns=number,
    edges=[Draw(3, 4, policy, target, 5) for policy in POLICIES for target in TARGETS],
    question=f"{OVER_WHAT} {ZERO}",
    by_hand=by_hand,
    wrong=WRONG,
    right=[by_where, with_a_little_added, clipped],
)
