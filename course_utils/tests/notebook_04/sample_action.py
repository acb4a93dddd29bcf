"""Check sample_action: the visits, with a temperature, as probabilities of a random action."""

import math

import numpy as np
from hypothesis import strategies as st

from course_utils.tests.catalogue import Wrong
from course_utils.tests.returns import whole_number
from course_utils.tests.scene import Scenes
from course_utils.tests.world.chance import follows_the_seed, near, unlikely

VISITS = st.lists(st.one_of(st.sampled_from([0.0, 1.0, 5.0, 800.0]), st.integers(0, 400).map(float)), min_size=1,
                  max_size=12)  # fmt: skip


def scene(draw) -> str:
    """Expect one action at temperature 0; above it, frequencies proportional to a power of the visits."""
    visits, temperature, seed = draw
    begin = f"visits, rng = np.array({visits}), np.random.default_rng({seed})\n"
    if temperature == 0:
        return f"{begin}sample_action(visits, 0.0, rng)"
    return (
        f"{begin}chosen = [sample_action(visits, {temperature}, rng) for _ in range(200)]\n"
        f"unlikely(chosen, visits, {temperature})"
    )


BY_HAND = """
    temperature 0 plays the most visited action, and the lower one of two equals
    >>> visits = np.array([3.0, 9.0, 0.0, 9.0, 4.0])
    >>> [sample_action(visits, 0.0, np.random.default_rng(seed)) for seed in range(10)]
    [1] * 10
    ? 1 / temperature has no value at temperature 0. Which action should come back there?

    temperature 1 follows the visits
    >>> rng, visits = np.random.default_rng(SEED), np.array([60.0, 0.0, 30.0, 10.0])
    >>> chosen = [sample_action(visits, 1.0, rng) for _ in range(2000)]
    >>> np.bincount(chosen, minlength=4) / 2000
    near([0.6, 0, 0.3, 0.1], 2000)
    ? How likely is an action that has half the visits of another?

    temperature 2 evens the visits out: 64, 16 and 4 count as 8, 4 and 2 (2 points)
    >>> rng, visits = np.random.default_rng(SEED), np.array([4.0, 0.0, 64.0, 16.0])
    >>> chosen = [sample_action(visits, 2.0, rng) for _ in range(2000)]
    >>> np.bincount(chosen, minlength=4) / 2000
    near([2 / 14, 0, 8 / 14, 4 / 14], 2000)
    ? A temperature above 1 makes the choices more even, and one below 1 favors the most visited action.
    ? Which exponent does that?

    temperature 0.5 sharpens them: 6, 3 and 1 count as 36, 9 and 1 (2 points)
    >>> rng, visits = np.random.default_rng(SEED), np.array([0.0, 3.0, 1.0, 6.0])
    >>> chosen = [sample_action(visits, 0.5, rng) for _ in range(2000)]
    >>> np.bincount(chosen, minlength=4) / 2000
    near([0, 9 / 46, 1 / 46, 36 / 46], 2000)
    ? A temperature above 1 makes the choices more even, and one below 1 favors the most visited action.
    ? Which exponent does that?

    an action that was never tried is never played, even at temperature 10
    >>> rng, visits = np.random.default_rng(SEED), np.array([1.0, 0.0, 1.0, 0.0])
    >>> chosen = [sample_action(visits, 10.0, rng) for _ in range(1000)]
    >>> np.bincount(chosen, minlength=4) / 1000
    near([0.5, 0, 0.5, 0], 1000)
    ? What is 0 to the power of 1/10, and what is a tiny number such as 0.0000000001 to that power?

    a small temperature neither overflows nor makes every power 0 (2 points)
    >>> rng, visits = np.random.default_rng(SEED), np.array([999.0, 1000.0, 500.0])
    >>> chosen = [sample_action(visits, 0.001, rng) for _ in range(1000)]
    >>> np.bincount(chosen, minlength=3) / 1000
    near([0.26884, 0.73116, 0], 1000)
    ? 1000.0 ** 1000 is infinite, and 0.4 ** 1000 is 0. Which numbers have the same ratios as the visits,
    ? and 1 as their largest?

    uses the generator it is given, and no other
    >>> def eight_choices(seed):
    ...     rng = np.random.default_rng(seed)
    ...     return [sample_action(np.full(9, 5.0), 1.0, rng) for _ in range(8)]
    >>> follows_the_seed(eight_choices)
    "same seed, same result"
    ? Which generator do your random numbers come from?
"""

_GREEDY = """    if temperature == 0:
        return int(np.argmax(visits))
"""
_WEIGHTS = "weights = (np.asarray(visits) / np.max(visits)) ** (1 / temperature)"
_CHOICE = "return int(rng.choice(len(weights), p=weights / weights.sum()))"


WRONG = [
    Wrong("how often instead of which",
          "at temperature 0 the largest number of visits is returned instead of the action that has it",
          "Which of the two says where the largest number is: np.max, or np.argmax?",
          ("np.argmax(visits)", "np.max(visits)")),
    Wrong("visits drawn instead of actions", "one of the visit counts is drawn, but a count is not an action",
          "What should be drawn: a number of visits, or an action from 0 to len(visits) - 1?",
          ("rng.choice(len(weights)", "rng.choice(np.asarray(visits, dtype=int)")),
    Wrong("a power after the division",
          "the visits are divided by their sum before the power is taken, so the powers no longer sum to 1",
          "The shares 0.9 and 0.1 sum to 1. What do their squares sum to?",
          ("p=weights / weights.sum()", "p=(visits / visits.sum()) ** (1 / temperature)")),
    Wrong("not divided by the sum", "the weights are used as probabilities, but they don't sum to 1",
          "Two actions have four visits and one. How likely is the first at temperature 1?",
          ("p=weights / weights.sum()", "p=weights")),
    Wrong("temperature ignored",
          "the temperature only decides whether the choice is greedy: "
          "every other choice follows the visits as they are",
          "What should temperature 2 do to visits of 60, 30 and 10?",
          (_WEIGHTS, "weights = np.asarray(visits) / np.max(visits)")),
    Wrong("exponent upside down",
          "the exponent is the temperature instead of 1 / temperature: "
          "a high temperature makes the choice sharper instead of more even",
          "Which exponent makes the visits more alike: one above 1, or one below 1?",
          (_WEIGHTS, "weights = (np.asarray(visits) / np.max(visits)) ** temperature")),
    Wrong("overflow",
          "the visits themselves are raised to a large power, and the result is infinite",
          "Only the ratios matter. By which number can you divide the visits first so that no power is above 1?",
          (_WEIGHTS, "weights = np.asarray(visits) ** (1 / temperature)")),
    Wrong("underflow",
          "the visits are divided by their sum instead of their maximum: at small temperatures every power vanishes",
          "Which number stays the same under any power, and how can the largest count become that number?",
          (_WEIGHTS, "weights = (np.asarray(visits) / np.sum(visits)) ** (1 / temperature)")),
    Wrong("no greedy case", "the temperature may be 0, and the code divides by it", "What is 1 / 0?", (_GREEDY, "")),
    Wrong("greedy too early",
          "small temperatures are treated as if they were 0",
          "At which temperatures does your code stop sampling, and at which should it?",
          ("temperature == 0", "temperature < 1e-2")),
    Wrong("ties by lot",
          "at temperature 0 one of the most visited actions is drawn at random",
          "Two games of a greedy player should be the same. Which of two equal actions does the docstring ask for?",
          (_GREEDY, _GREEDY.replace("int(np.argmax(visits))",
                                    "int(rng.choice(np.flatnonzero(visits == visits.max())))"))),
    Wrong("ties to the highest",
          "the greedy case takes the last of several equally visited actions",
          "Which of several equal maxima does np.argmax return, and which does yours?",
          ("int(np.argmax(visits))", "len(visits) - 1 - int(np.argmax(visits[::-1]))")),
    Wrong("always greedy", "the most visited action is played at every temperature",
          "How much would a hundred games of this player differ?",
          ("temperature == 0", "True")),
    Wrong("uniform over the tried", "every action that was tried at all is equally likely",
          "What do the visits say about these actions that your choice ignores?",
          (_WEIGHTS, "weights = 1.0 * (np.asarray(visits) > 0)")),
    Wrong("softmax of the visits",
          "the visits go through a softmax, so ten more visits make an action exp(10) times as likely",
          "If one action has twice the visits of another, how much likelier is it at temperature 1?",
          (_WEIGHTS, "weights = np.exp((np.asarray(visits) - np.max(visits)) / temperature)")),
    Wrong("visits overwritten", "the division is done in place, so it changes the caller's array",
          "Who else uses this array?",
          (_WEIGHTS, "visits /= np.max(visits)\n    weights = visits ** (1 / temperature)")),
    Wrong("numpy's global chance", "the draw comes from numpy's global generator instead of `rng`",
          "Why is the generator an argument?",
          ("rng.choice", "np.random.choice")),
    Wrong("a generator of its own", "a new generator with a fixed seed is made at each call",
          "Each call starts from the same seed. How much can the draws differ?",
          ("rng.choice", "np.random.default_rng(0).choice")),
]  # fmt: skip


def right_sample_by_logarithms(visits, temperature, rng):
    if temperature == 0:
        return list(visits).index(max(visits))
    logs = [math.log(count) / temperature if count > 0 else -math.inf for count in visits]
    top = max(logs)
    weights = np.array([math.exp(log - top) for log in logs])
    return int(np.argmax(rng.multinomial(1, weights / weights.sum())))


def right_sample_by_one_uniform_number(visits, temperature, rng):
    if temperature == 0:
        return visits.argmax()
    powers = (visits / visits.max()) ** (1.0 / temperature)
    cumulated = np.cumsum(powers)
    return np.searchsorted(cumulated, rng.random() * cumulated[-1], side="right")


def right_sample_by_gumbel_noise(visits, temperature, rng):
    if temperature == 0:
        return int(np.flatnonzero(visits == visits.max())[0])
    tried = np.flatnonzero(visits)
    return int(tried[np.argmax(np.log(visits[tried]) / temperature + rng.gumbel(size=len(tried)))])


CHECK = Scenes(
    draws=st.tuples(VISITS.filter(any), st.sampled_from([0.0, 0.001, 0.5, 1.0, 2.0]), st.integers(0, 999)),
    edges=[([999.0, 1000.0, 500.0], 0.001, 0), *(([3.0, 9.0, 0.0, 9.0, 9.0], 0.0, seed) for seed in range(4))],
    examples=20,
    asks="draws in proportion to visits ** (1 / temperature), for many visits and temperatures",
    returns=whole_number,
    question="How often should each action be drawn at this temperature?",
)
