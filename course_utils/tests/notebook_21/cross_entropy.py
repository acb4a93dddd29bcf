"""Check cross_entropy: the policy loss."""

import math

import numpy as np
from hypothesis import strategies as st

from course_utils.tests.catalogue import Wrong
from course_utils.tests.returns import number
from course_utils.tests.scene import Scenes, pasted

ZERO = "0 times the logarithm of 0 should be 0. What does numpy return for it?"
OVER_WHAT = "Over which axis is the sum, and over which one is the mean?"
BY_HAND = f"""
    the example of the text (2 points)
    >>> cross_entropy(policy=np.array([[0.5, 0.3, 0.2]]), target=np.array([[0.7, 0.2, 0.1]]))
    0.886941
    ? Each action's target is multiplied by the logarithm of its policy. Which sign does the sum get?

    a target that is certain gives -ln of that action's policy
    >>> cross_entropy(policy=np.array([[0.25, 0.75]]), target=np.array([[1.0, 0.0]]))
    np.log(4)
    ? Which of the two is under the logarithm: the network's policy, or the target?

    three positions: a mean over the positions, a sum over the actions (2 points)
    >>> policy = np.array([[0.5, 0.25, 0.25], [0.25, 0.5, 0.25], [0.25, 0.25, 0.5]])
    >>> target = np.array([[0.5, 0.5, 0.0], [0.0, 1.0, 0.0], [0.5, 0.25, 0.25]])
    >>> cross_entropy(policy, target) / np.log(2)
    (1.5 + 1 + 1.75) / 3
    ? {OVER_WHAT}

    the right move had a policy of one in a million
    >>> cross_entropy(policy=np.array([[0.999999, 0.000001]]), target=np.array([[0.0, 1.0]]))
    6 * np.log(10)
    ? A network that is nearly sure and wrong must get the full loss.
    ? Is anything besides the policy under the logarithm?

    an illegal action: target 0, policy 0 (2 points)
    >>> cross_entropy(policy=np.array([[0.5, 0.0, 0.5]]), target=np.array([[0.25, 0.0, 0.75]]))
    np.log(2)
    ? {ZERO}

    an equal policy and target give the entropy instead of 0
    >>> cross_entropy(policy=np.array([[0.5, 0.25, 0.25]]), target=np.array([[0.5, 0.25, 0.25]]))
    1.5 * np.log(2)
    ? What is the formula's value when the policy equals the target?
"""

ACTIONS = st.one_of(  # visits of the search, and a number that grows with the network's share
    st.tuples(st.integers(1, 8), st.sampled_from([1.0, 2.0, 5.0, 1e-5])),
    st.tuples(st.just(0), st.sampled_from([0.0, 1.0, 3.0])),
)


def rows(actions: int) -> st.SearchStrategy[list]:
    row = st.lists(ACTIONS, min_size=actions, max_size=actions)
    return st.lists(row.filter(lambda row: any(visits for visits, _ in row)), min_size=1, max_size=5)


def scene(draw) -> str:
    visits, weights = np.moveaxis(np.array(draw), 2, 0)
    return f"""\
visits = {pasted(visits)}
weights = {pasted(weights)}
policy, target = (some / some.sum(axis=1, keepdims=True) for some in (weights, visits))
cross_entropy(policy, target)"""


RETURN = "return -(target[wanted] * np.log(policy[wanted])).sum() / len(target)"
# fmt: off
WRONG = [
    Wrong("sign forgotten", "the minus sign is missing, so the result is negative like the logarithm of a probability",
          "A loss should be large when the network is wrong. Which sign does that need?", ("return -(", "return (")),
    Wrong("sum over the batch", "the positions are added up instead of averaged",
          "Should the loss double when the batch does?", (" / len(target)", "")),
    Wrong("mean over the actions, too",
          "the actions are averaged instead of summed, so the result is too small by the number of actions",
          "Over how many numbers does your mean run?", ("len(target)", "target.size")),
    Wrong("0 log 0 is NaN",
          "an action with target 0 and policy 0 makes the result NaN, because 0 * -infinity is NaN in numpy",
          "For which actions do you need the logarithm?", ("[wanted]", "")),
    Wrong("policy and target exchanged", "the logarithm of the target is taken",
          "Which of the two can the network change?",
          (RETURN, "return -(policy[wanted] * np.log(target[wanted])).sum() / len(target)")),
    Wrong("Kullback-Leibler divergence",
          "the target's own entropy is subtracted, so the result is 0 where policy and target are equal",
          "The formula has one logarithm. How many does your code have?",
          ("np.log(policy[wanted])", "np.log(policy[wanted] / target[wanted])")),
    Wrong("best action only", "only the target's largest action counts",
          "What happens to the other actions that the search visited?",
          (RETURN, "return -np.log(policy[np.arange(len(target)), target.argmax(axis=1)]).mean()")),
    Wrong("one number for each position", "the mean over the batch is missing",
          "How many numbers should the function return?",
          (RETURN, "return -(target * np.log(np.where(wanted, policy, 1))).sum(axis=1)")),
    Wrong("something added under the logarithm",
          "a small number is added to every probability to avoid log 0, "
          "so the loss is too small where the network gave 1e-6",
          "For which actions do you need the logarithm?",
          (RETURN, "return -(target * np.log(policy + 1e-8)).sum() / len(target)")),
]
# fmt: on


def right_by_loops(policy, target):
    """Add up action by action; those without a target are left out."""
    rows = [zip(*row, strict=True) for row in zip(policy, target, strict=True)]
    return sum(t * -math.log(p) for row in rows for p, t in row if t) / len(rows)


def right_by_where(policy, target):
    logs = np.log(np.where(target > 0, policy, 1.0))
    return float(np.mean(-np.sum(target * logs, axis=1)))


def right_with_a_little_added(policy, target):
    return float(-(target * np.log(policy + 1e-12)).sum(axis=1).mean())


CHECK = Scenes(
    draws=st.sampled_from([1, 2, 3, 9]).flatmap(rows),
    returns=number,
    tolerance=1e-5,
    question=f"{OVER_WHAT} {ZERO}",
)
