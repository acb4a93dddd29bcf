"""incremental_mean: one more reward, and every reward so far has the same weight."""

import math
from fractions import Fraction
from typing import NamedTuple

from hypothesis import strategies as st

from course_utils.tests.case import Case, Such, show
from course_utils.tests.catalogue import Wrong
from course_utils.tests.returns import number
from course_utils.tests.specification import Specification

WEIGHT = "Has every reward so far the same weight in the mean?"


class Draw(NamedTuple):
    mean: float
    count: int
    reward: float


EDGES = [
    Draw(0.0, 2, 1.0),
    Draw(0.0, 1, -2.0),
    Draw(2.0, 3, 0.0),
    Draw(3.0, 10, 3.0),
    Draw(1.0, 5000, -1.0),
]
REWARDS = st.floats(-10, 10)
DRAWS = st.one_of(
    st.builds(Draw, REWARDS, st.integers(2, 12), REWARDS), st.builds(Draw, REWARDS, st.integers(2, 5000), REWARDS)
)


def oracle(draw: Draw) -> Such:
    """From the sum of all rewards, in fractions; a float may be off by rounding."""
    exact = float((Fraction(draw.mean) * (draw.count - 1) + Fraction(draw.reward)) / draw.count)
    return Such(show(exact), lambda got: bool(abs(float(got) - exact) <= 1e-9))


# --- by hand -----------------------------------------------------------------------------------------------------------


def one_by_one(*arms: list[float]):
    """A run: the mean of each arm, after its rewards came in one by one, the arms in turn."""

    def run(incremental_mean):
        means = [0.0] * len(arms)
        for count, rewards in enumerate(zip(*arms, strict=True), 1):
            for arm, reward in enumerate(rewards):
                means[arm] = incremental_mean(means[arm], count, reward)
        return means if len(arms) > 1 else means[0]

    return run


def by_hand(rng):
    def one_call(name, draw, expected, question):
        call = f"incremental_mean({draw.mean}, {draw.count}, {draw.reward})"
        return Case(name, lambda answer: answer(*draw), expected, call, question)

    yield one_call(
        "the mean of one reward is that reward",
        Draw(0.0, 1, 4.0),
        4.0,
        "How many rewards does `count` count when the first one has just come in?",
    )
    yield one_call(
        "the second reward pulls it halfway",
        Draw(4.0, 2, 1.0),
        2.5,
        "The mean of 4 and 1: how far did it move, as a share of the distance to the new reward?",
    )
    rewards = rng.normal(2, 3, size=6).round(1).tolist()
    yield Case(
        "one by one, six rewards give the same mean as all at once",
        one_by_one(rewards),
        math.fsum(rewards) / 6,
        f"mean = 0.0\nfor count, reward in enumerate({rewards}, 1):\n    mean = incremental_mean(mean, count, reward)\nmean",
        WEIGHT,
        points=2,
    )
    yield Case(
        "two arms that take turns, a hundred rewards each: early and late ones weigh the same",
        one_by_one([1.0] * 50 + [0.0] * 50, [0.0] * 90 + [10.0] * 10),
        [0.5, 1.0],
        "the means of [1.0] * 50 + [0.0] * 50 and of [0.0] * 90 + [10.0] * 10, updated in turn",
        "Should the step towards a new reward stay the same size, however many have come before?",
    )


# --- wrong and right -----------------------------------------------------------------------------------------------------

WRONG = [
    Wrong("count of the earlier ones", "the step is 1 / (count + 1), as if the new reward were not in `count` yet",
          "Which rewards does `count` count?", ("/ count", "/ (count + 1)")),
    Wrong("constant step",
          "each reward moves the mean by the same share: that is a running average that forgets early rewards",
          "After 99 rewards, how much should the hundredth move the mean?", ("/ count", "* 0.1")),
    Wrong("halfway each time",
          "the new mean is halfway between the old mean and the reward, however many rewards there were",
          "After 99 rewards, how much should the hundredth move the mean?",
          ("mean + (reward - mean) / count", "(mean + reward) / 2")),
    Wrong("reward added whole", "reward / count is added, without taking off the share that the old mean loses",
          "What must happen to the weight of the old rewards when a new one joins them?",
          ("(reward - mean) / count", "reward / count")),
    Wrong("parentheses forgotten", "only the reward is divided by count, and the weighted mean in front of it is not",
          "Which is done first, + or /?", ("mean + (reward - mean) / count", "mean * (count - 1) + reward / count")),
    Wrong("wrong direction", "the mean moves away from the new reward",
          "If the reward is above the mean, where should the mean go?", ("(reward - mean)", "(mean - reward)")),
    Wrong("only the correction", "the correction to the mean comes back, without the mean that it corrects",
          "Is what you return the new mean, or the change?",
          ("mean + (reward - mean) / count", "(reward - mean) / count")),
    Wrong("a mean of zero taken for none",
          "a mean of 0 is taken for no mean at all, though rewards of 1 and -1 have it",
          "What says whether this is the first reward: `mean` or `count`?",
          ("return mean +", "return reward if not mean else mean +")),
]  # fmt: skip


def mean_by_weights(mean, count, reward):
    return (mean * (count - 1) + reward) / count


def mean_by_step(mean, count, reward):
    step = 1.0 / count
    return (1 - step) * mean + step * reward


def mean_by_a_sum(mean, count, reward):
    return math.fsum([mean, reward / count, -mean / count])


CHECK = Specification(
    draws=DRAWS,
    arguments=Draw._asdict,
    oracle=oracle,
    returns=number,
    edges=EDGES,
    question=WEIGHT,
    by_hand=by_hand,
    wrong=WRONG,
    right=[mean_by_weights, mean_by_step, mean_by_a_sum],
)
