"""Check epsilon_greedy: how often each arm is chosen, with a given generator."""

import numpy as np
from hypothesis import strategies as st

from course_utils.tests.catalogue import Wrong
from course_utils.tests.returns import whole_number
from course_utils.tests.scene import Scenes
from course_utils.tests.world.chance import near


def scene(draw) -> str:
    """List the arms that are ever chosen. The cases by hand check how often, which takes more calls."""
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
    ? Which arm should be chosen every time if there is no exploration?

    epsilon 1 always explores, and every arm is equally likely (2 points)
    >>> rng = np.random.default_rng(SEED)
    >>> arms = [epsilon_greedy(np.array([1.0, 4.0, -2.0, 3.0, 0.5]), 1.0, rng) for _ in range(3000)]
    >>> [arms.count(arm) / 3000 for arm in range(5)]
    near([0.2, 0.2, 0.2, 0.2, 0.2], 3000)
    ? Every arm should get the same share, even the first, the last and the best one. Which arm doesn't in yours?

    epsilon 0.4: in the other steps the best arm is chosen (2 points)
    >>> rng = np.random.default_rng(SEED)
    >>> arms = [epsilon_greedy(np.array([1.0, 4.0, -2.0, 3.0, 0.5]), 0.4, rng) for _ in range(3000)]
    >>> [arms.count(arm) / 3000 for arm in range(5)]
    near([0.08, 0.68, 0.08, 0.08, 0.08], 3000)
    ? In what share of the steps does your code explore, and may the random pick be the best arm?

    others_only: epsilon 1 never picks the best arm, and the others are equally likely (2 points)
    >>> rng = np.random.default_rng(SEED)
    >>> arms = [epsilon_greedy(np.array([1.0, 4.0, -2.0, 3.0, 0.5]), 1.0, rng, others_only=True) for _ in range(3000)]
    >>> [arms.count(arm) / 3000 for arm in range(5)]
    near([0.25, 0, 0.25, 0.25, 0.25], 3000)
    ? Four arms share the exploration. Can your random pick be the best arm, and can it be the last one?

    others_only where three arms look equally good: only one of them counts as the best
    >>> rng = np.random.default_rng(SEED)
    >>> arms = [epsilon_greedy(np.array([2.0, 2.0, 2.0, 1.0]), 1.0, rng, others_only=True) for _ in range(200)]
    >>> len(set(arms)) >= 3
    True
    ? Which single arm is the best in your code, and which arms are the others?

    two generators with the same seed choose the same arms
    >>> rngs = [np.random.default_rng(SEED), np.random.default_rng(SEED)]
    >>> first, second = [[epsilon_greedy(np.zeros(4), 0.5, rng) for _ in range(30)] for rng in rngs]
    >>> first == second
    True
    ? Which generator should all random numbers come from?

    epsilon 0.004: about 40 steps in 10,000 (2 points)
    >>> rng = np.random.default_rng(SEED)
    >>> arms = [epsilon_greedy(np.array([1.0, 4.0]), 0.004, rng, others_only=True) for _ in range(10_000)]
    >>> 10 <= arms.count(0) <= 80
    True
    ? How does your code decide whether to explore, and does it do so for every epsilon from 0 to 1?
"""

_MOVED = (
    "arm = int(rng.integers(len(Q) - 1))\n    return arm if arm < best else arm + 1  # the arms "
    "above the best move up by one"
)
# fmt: off
WRONG = [
    Wrong("epsilon the wrong way round", "epsilon is used as the probability of being greedy",
          "How often should it explore when epsilon is 0.1?", ("rng.random() >= epsilon", "rng.random() < epsilon")),
    Wrong("others_only ignored", "the random pick may be any arm, even where others_only asks for the other arms",
          "Which arms may be explored if others_only is True?", ("if not others_only:", "if True:")),
    Wrong("others_only always on", "the random pick is never the best arm, even without others_only",
          "Which arms may be explored if others_only is False?", ("if not others_only:", "if False:")),
    Wrong("last arm never explored", "the range of the random pick is one too short, so the last arm is never picked",
          "rng.integers(n) gives numbers below n. What is the highest of them?",
          ("rng.integers(len(Q)))", "rng.integers(len(Q) - 1))")),
    Wrong("best arm not skipped over",
          "the other arms are numbered from 0 to arms - 2 without skipping the best arm, "
          "so the best arm can be drawn and the last one can't",
          "Arm 1 is the best of five. Which arms should your four numbers 0, 1, 2, 3 stand for?",
          ("return arm if arm < best else arm + 1", "return arm")),
    Wrong("arms as good as the best left out",
          "the other arms are found by their values, so an arm that ties with the best is never explored, and none is "
          "left where all are equal",
          "At the first step every Q is 0. Which arms are the others then?",
          (_MOVED, "return int(rng.choice(np.flatnonzero(Q != Q[best])))")),
    Wrong("one number for two purposes",
          "the random number that was below epsilon also picks the arm, so only the first arms are ever explored",
          "If rng.random() was below 0.1, which arms can 5 times that number stand for?",
          ("if rng.random() >= epsilon:", "if (u := rng.random()) >= epsilon:"),
          ("int(rng.integers(len(Q)))", "int(u * len(Q))")),
    Wrong("biggest by size", "the means are compared without their sign, so a very bad arm looks good",
          "Which is the better reward, -3 or 1?", ("np.argmax(Q)", "np.argmax(np.abs(Q))")),
    Wrong("its own randomness", "the random numbers don't come from the given generator, so a run can't be repeated",
          "Which generator should the randomness come from?",
          ("best = int", "rng = np.random.default_rng()\n    best = int")),
    Wrong("the value, not the arm", "the best mean is returned instead of the arm that has it",
          "Which arm has that mean?", ("best = int(np.argmax(Q))", "best = float(np.max(Q))")),
    Wrong("whole percent", "the probability is rounded to whole percent, so an epsilon below 0.01 does not work",
          "In how many of 1000 steps does your code explore when epsilon is 0.005?",
          ("rng.random() >= epsilon", "rng.integers(100) >= 100 * epsilon")),
    Wrong("never explores", "the choice is always greedy, whatever epsilon is",
          "What should happen in a share of epsilon of the steps?", ("if rng.random() >= epsilon:", "if True:")),
]
# fmt: on


def right_greedy_by_probabilities(Q, epsilon, rng, *, others_only=False):
    arms = len(Q)
    best = int(np.argmax(Q))
    p = np.full(arms, epsilon / (arms - 1 if others_only else arms))
    p[best] = 1 - epsilon if others_only else p[best] + 1 - epsilon
    return int(rng.choice(arms, p=p / p.sum()))


def right_greedy_with_lists(Q, epsilon, rng, others_only=False):
    """Break ties at random; `others_only` can be passed by position, too."""
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
    asks="chooses every arm that may be chosen, and no other, for many means",
    examples=12,
    question="How often should the best arm be chosen, and how often each of the others?",
)
