"""Check incremental_mean: one more reward, and every reward so far has the same weight."""

import math

from hypothesis import strategies as st

from course_utils.tests.catalogue import Wrong
from course_utils.tests.returns import number
from course_utils.tests.scene import Scenes

REWARDS = st.integers(-100, 100).map(lambda tenths: tenths / 10)


def scene(draw) -> str:
    mean, count, reward = draw
    return f"incremental_mean({mean}, {count}, {reward})"


BY_HAND = """
    the mean of one reward is that reward
    >>> incremental_mean(0.0, 1, 4.0)
    4.0
    ? What is `count` when the first reward has just come in?

    the second reward moves the mean halfway
    >>> incremental_mean(4.0, 2, 1.0)
    2.5
    ? The mean of 4 and 1 is 2.5. What share of the distance to the new reward did the mean move?

    six rewards give the same mean one by one as all at once (2 points)
    >>> mean = 0.0
    >>> for count, reward in enumerate([4.0, 1.0, 2.5, -3.0, 0.5, 7.0], 1):
    ...     mean = incremental_mean(mean, count, reward)
    >>> mean
    2.0

    fifty rewards of 1, then fifty of 0: early and late rewards have the same weight
    >>> mean = 0.0
    >>> for count in range(1, 101):
    ...     mean = incremental_mean(mean, count, 1.0 if count <= 50 else 0.0)
    >>> mean
    0.5
    ? Should the step toward a new reward stay the same size, however many rewards came before?
"""

# fmt: off
WRONG = [
    Wrong("the brackets left out",
          "the brackets around the distance are missing, so 1 / count multiplies only the reward, "
          "and the old mean is subtracted again",
          "What is divided by count: the reward, or the distance from the mean to the reward?",
          ("mean + (reward - mean) / count", "mean + 1 / count * reward - mean")),
    Wrong("count of the earlier ones", "the step is 1 / (count + 1), as if `count` did not include the new reward yet",
          "Does `count` already include the new reward?", ("/ count", "/ (count + 1)")),
    Wrong("constant step",
          "each reward moves the mean by the same share, which gives a running average that forgets early rewards",
          "How much should the hundredth reward move the mean?", ("/ count", "* 0.1")),
    Wrong("halfway each time",
          "the new mean is halfway between the old mean and the reward, however many rewards there were",
          "How much should the hundredth reward move the mean?",
          ("mean + (reward - mean) / count", "(mean + reward) / 2")),
    Wrong("reward added whole", "reward / count is added, but the old mean keeps its full weight",
          "What must happen to the weight of the old rewards when a new one is added?",
          ("(reward - mean) / count", "reward / count")),
    Wrong("parentheses forgotten", "only the reward is divided by count, and not the weighted mean in front of it",
          "Which does Python do first: + or /?",
          ("mean + (reward - mean) / count", "mean * (count - 1) + reward / count")),
    Wrong("wrong direction", "the mean moves away from the new reward",
          "If the reward is above the mean, where should the mean go?", ("(reward - mean)", "(mean - reward)")),
    Wrong("only the correction", "only the correction is returned, without the mean that it corrects",
          "Does your code return the new mean, or only the change?",
          ("mean + (reward - mean) / count", "(reward - mean) / count")),
    Wrong("a mean of zero taken for none",
          "a mean of 0 is taken for no mean at all, although rewards of 1 and -1 have that mean",
          "What says whether this is the first reward: `mean` or `count`?",
          ("return mean +", "return reward if not mean else mean +")),
]
# fmt: on


def right_mean_by_weights(mean, count, reward):
    return (mean * (count - 1) + reward) / count


def right_mean_by_step(mean, count, reward):
    step = 1.0 / count
    return (1 - step) * mean + step * reward


def right_mean_by_a_sum(mean, count, reward):
    return math.fsum([mean, reward / count, -mean / count])


CHECK = Scenes(
    draws=st.tuples(REWARDS, st.one_of(st.integers(2, 12), st.integers(2, 5000)), REWARDS),
    edges=[(0.0, 2, 1.0), (0.0, 1, -2.0), (2.0, 3, 0.0), (3.0, 10, 3.0)],
    returns=number,
    tolerance=1e-9,
    question="Does every reward so far have the same weight in the mean?",
)
