"""epsilon_greedy: how often each arm is chosen, by a generator that was given."""

import numpy as np
from hypothesis import strategies as st

from course_utils.tests.catalogue import Wrong
from course_utils.tests.returns import whole_number
from course_utils.tests.scene import Scenes
from course_utils.tests.world.chance import near


def scene(draw) -> str:
    """Which arms are ever chosen. The cases by hand check how often, which takes more calls."""
    Q, (epsilon, others_only), seed = draw
    options = ", others_only=True" if others_only else ""
    return (
        f"rng = np.random.default_rng({seed})\n"
        f"arms = [epsilon_greedy(np.array({Q}), {epsilon}, rng{options}) for _ in range(150)]\n"
        "sorted(set(arms))"
    )


BY_HAND = """
    epsilon 0 never explores, even where every mean is negative
    >>> rng = np.random.default_rng(SEED)
    >>> [epsilon_greedy(np.array([-3.0, -2.5, -1.0]), 0.0, rng) for _ in range(5)]
    [2, 2, 2, 2, 2]
    ? With no exploration at all, which arm is chosen every time? Does its sign matter?

    epsilon 1 explores always, all arms alike (2 points)
    >>> rng = np.random.default_rng(SEED)
    >>> arms = [epsilon_greedy(np.array([1.0, 4.0, -2.0, 3.0, 0.5]), 1.0, rng) for _ in range(3000)]
    >>> [arms.count(arm) / 3000 for arm in range(5)]
    near([0.2, 0.2, 0.2, 0.2, 0.2], 3000)
    ? Every arm should get its even share, the first, the last and the best one, too. Which doesn't?

    epsilon 0.4: the rest of the time the best arm (2 points)
    >>> rng = np.random.default_rng(SEED)
    >>> arms = [epsilon_greedy(np.array([1.0, 4.0, -2.0, 3.0, 0.5]), 0.4, rng) for _ in range(3000)]
    >>> [arms.count(arm) / 3000 for arm in range(5)]
    near([0.08, 0.68, 0.08, 0.08, 0.08], 3000)
    ? In what share of the steps do you explore? And may a random pick land on the best arm?

    others_only: epsilon 1 spares the best arm, the others alike (2 points)
    >>> rng = np.random.default_rng(SEED)
    >>> arms = [epsilon_greedy(np.array([1.0, 4.0, -2.0, 3.0, 0.5]), 1.0, rng, others_only=True) for _ in range(3000)]
    >>> [arms.count(arm) / 3000 for arm in range(5)]
    near([0.25, 0, 0.25, 0.25, 0.25], 3000)
    ? Four arms share the exploration. Can your random pick be the best arm, or miss the last one?

    others_only where three arms look equally good: all arms but one are the others
    >>> rng = np.random.default_rng(SEED)
    >>> arms = [epsilon_greedy(np.array([2.0, 2.0, 2.0, 1.0]), 1.0, rng, others_only=True) for _ in range(200)]
    >>> len(set(arms)) >= 3
    True
    ? Which arm did you take for the best, and which are the others then?

    two generators with the same seed choose the same arms
    >>> rngs = [np.random.default_rng(SEED), np.random.default_rng(SEED)]
    >>> first, second = [[epsilon_greedy(np.zeros(4), 0.5, rng) for _ in range(30)] for rng in rngs]
    >>> first == second
    True
    ? Which generator should all of the chance come from?

    epsilon 0.004: about 40 steps in 10,000 (2 points)
    >>> rng = np.random.default_rng(SEED)
    >>> arms = [epsilon_greedy(np.array([1.0, 4.0]), 0.004, rng, others_only=True) for _ in range(10_000)]
    >>> 10 <= arms.count(0) <= 80
    True
    ? How does your code decide whether to explore, and does it do so for every epsilon from 0 to 1?
"""

_MOVED = "arm = int(rng.integers(len(Q) - 1))\n    return arm if arm < best else arm + 1  # the arms above the best move up by one"
# fmt: off
WRONG = [
    Wrong("epsilon the wrong way round", "epsilon is taken as the probability of being greedy",
          "With epsilon = 0.1, how often should it explore?", ("rng.random() >= epsilon", "rng.random() < epsilon")),
    Wrong("others_only ignored", "the random pick is among all arms even where others_only asks for the others",
          "Which arms may be explored if others_only is True?", ("if not others_only:", "if True:")),
    Wrong("others_only always on", "the random pick always spares the best arm",
          "Which arms may be explored if others_only is False?", ("if not others_only:", "if False:")),
    Wrong("last arm never explored", "the random pick stops one short: the last arm never comes up",
          "rng.integers(n) gives numbers below n: what is the highest of them?",
          ("rng.integers(len(Q)))", "rng.integers(len(Q) - 1))")),
    Wrong("best arm not skipped over", "of the others, one is drawn from 0 to arms - 2 and not moved past the best arm: the best can be drawn, the last cannot",
          "If arm 1 is the best of five, which arms should your four numbers 0, 1, 2, 3 mean?",
          ("return arm if arm < best else arm + 1", "return arm")),
    Wrong("arms as good as the best left out", "the others are told by their value, so that an arm that ties with the best is never explored, and none is left where all are equal",
          "At the first step every Q is 0. Which arms are the others then?",
          (_MOVED, "return int(rng.choice(np.flatnonzero(Q != Q[best])))")),
    Wrong("one number for two purposes", "the number that was below epsilon also picks the arm, so only the first arms are ever explored",
          "If rng.random() was below 0.1, which arms can 5 times that number mean?",
          ("if rng.random() >= epsilon:", "if (u := rng.random()) >= epsilon:"), ("int(rng.integers(len(Q)))", "int(u * len(Q))")),
    Wrong("biggest by size", "the arms are compared by size without their sign, so that a very bad arm looks good",
          "Which is the better reward, -3 or 1?", ("np.argmax(Q)", "np.argmax(np.abs(Q))")),
    Wrong("its own randomness", "chance comes from elsewhere than the generator it was given, so that a run can't be repeated",
          "Which generator should the randomness come from?", ("best = int", "rng = np.random.default_rng()\n    best = int")),
    Wrong("the value, not the arm", "the best mean comes back instead of the arm that has it",
          "Which arm has that mean?", ("best = int(np.argmax(Q))", "best = float(np.max(Q))")),
    Wrong("whole percent", "the chance is rounded to whole percent, so that an epsilon below 0.01 is something else",
          "With epsilon = 0.005, in how many of 1000 steps do you explore?",
          ("rng.random() >= epsilon", "rng.integers(100) >= 100 * epsilon")),
    Wrong("never explores", "it is greedy whatever epsilon says",
          "What happens in the share epsilon of the steps?", ("if rng.random() >= epsilon:", "if True:")),
]
# fmt: on


def right_greedy_by_probabilities(Q, epsilon, rng, *, others_only=False):
    arms = len(Q)
    best = int(np.argmax(Q))
    p = np.full(arms, epsilon / (arms - 1 if others_only else arms))
    p[best] = 1 - epsilon if others_only else p[best] + 1 - epsilon
    return int(rng.choice(arms, p=p / p.sum()))


def right_greedy_with_lists(Q, epsilon, rng, others_only=False):
    """Breaks ties at random; `others_only` also by position."""
    values = [float(q) for q in Q]
    best = int(rng.choice([arm for arm, value in enumerate(values) if value == max(values)]))
    if rng.uniform() < epsilon:
        candidates = [arm for arm in range(len(values)) if arm != best or not others_only]
        return candidates[rng.integers(0, len(candidates))]
    return best


def right_greedy_by_a_step_around_the_circle(Q, epsilon, rng, *, others_only=False):
    explore = rng.random() < epsilon
    step = int(rng.integers(1 if others_only else 0, len(Q)))
    best = int(np.asarray(Q).argmax())
    return (best + step) % len(Q) if explore else best


CHECK = Scenes(
    draws=st.tuples(
        st.lists(st.integers(-50, 50).map(lambda tenths: tenths / 10), min_size=2, max_size=3, unique=True),
        st.sampled_from([(1.0, True), (0.5, True), (1.0, False), (0.5, False), (0.0, False)]),
        st.integers(0, 99),
    ),
    edges=[([1.0, 4.0], (1.0, True), 0), ([4.0, -2.0, 1.0], (1.0, True), 0)],
    returns=whole_number,
    asks="chooses each arm that may come up, and no other, for many means",
    examples=12,
    question="How often should the best arm be chosen, and how often each other one?",
)
