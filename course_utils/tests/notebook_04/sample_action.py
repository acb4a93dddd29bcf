"""sample_action: visits, tempered, and a die."""

import math

import numpy as np
from hypothesis import strategies as st

from course_utils.tests.catalogue import Wrong
from course_utils.tests.returns import whole_number
from course_utils.tests.scene import Scenes
from course_utils.tests.world.chance import follows_the_seed, near, unlikely

VISITS = st.lists(st.one_of(st.sampled_from([0.0, 1.0, 5.0, 800.0]), st.integers(0, 400).map(float)), min_size=1, max_size=12)  # fmt: skip


def scene(draw) -> str:
    """At temperature 0 one action is right; above, each comes up as often as its power of the visits says."""
    visits, temperature, seed = draw
    begin = f"visits, rng = np.array({visits}), np.random.default_rng({seed})\n"
    if temperature == 0:
        return f"{begin}sample_action(visits, 0.0, rng)"
    return f"{begin}chosen = [sample_action(visits, {temperature}, rng) for _ in range(200)]\nunlikely(chosen, visits, {temperature})"


BY_HAND = """
    temperature 0 plays the most visited; of two, the lower action
    >>> visits = np.array([3.0, 9.0, 0.0, 9.0, 4.0])
    >>> [sample_action(visits, 0.0, np.random.default_rng(seed)) for seed in range(10)]
    [1] * 10
    ? What is 1 / temperature when the temperature is 0, and which case needs no dice at all?

    temperature 1 follows the visits
    >>> rng, visits = np.random.default_rng(SEED), np.array([60.0, 0.0, 30.0, 10.0])
    >>> chosen = [sample_action(visits, 1.0, rng) for _ in range(2000)]
    >>> np.bincount(chosen, minlength=4) / 2000
    near([0.6, 0, 0.3, 0.1], 2000)
    ? How likely is an action with half the visits?

    temperature 2 evens the visits out: 64, 16 and 4 count as 8, 4 and 2 (2 points)
    >>> rng, visits = np.random.default_rng(SEED), np.array([4.0, 0.0, 64.0, 16.0])
    >>> chosen = [sample_action(visits, 2.0, rng) for _ in range(2000)]
    >>> np.bincount(chosen, minlength=4) / 2000
    near([2 / 14, 0, 8 / 14, 4 / 14], 2000)
    ? Above 1 the choices come closer to each other, below 1 the favorite gains: which exponent does that?

    temperature 0.5 sharpens them: 6, 3 and 1 count as 36, 9 and 1 (2 points)
    >>> rng, visits = np.random.default_rng(SEED), np.array([0.0, 3.0, 1.0, 6.0])
    >>> chosen = [sample_action(visits, 0.5, rng) for _ in range(2000)]
    >>> np.bincount(chosen, minlength=4) / 2000
    near([0, 9 / 46, 1 / 46, 36 / 46], 2000)
    ? Above 1 the choices come closer to each other, below 1 the favorite gains: which exponent does that?

    an action that was never tried is never played, even at temperature 10
    >>> rng, visits = np.random.default_rng(SEED), np.array([1.0, 0.0, 1.0, 0.0])
    >>> chosen = [sample_action(visits, 10.0, rng) for _ in range(1000)]
    >>> np.bincount(chosen, minlength=4) / 1000
    near([0.5, 0, 0.5, 0], 1000)
    ? 1 to the power of 1/10 is 1. What is 0 to the power of 1/10, and 0.0000000001?

    a small temperature neither overflows nor makes every power 0 (2 points)
    >>> rng, visits = np.random.default_rng(SEED), np.array([999.0, 1000.0, 500.0])
    >>> chosen = [sample_action(visits, 0.001, rng) for _ in range(1000)]
    >>> np.bincount(chosen, minlength=3) / 1000
    near([0.26884, 0.73116, 0], 1000)
    ? How large is 1000.0 ** 1000, and how small 0.4 ** 1000? Which numbers have the same ratios, but none above 1?

    uses the generator it is given, and no other
    >>> def eight_choices(seed):
    ...     rng = np.random.default_rng(seed)
    ...     return [sample_action(np.full(9, 5.0), 1.0, rng) for _ in range(8)]
    >>> follows_the_seed(eight_choices)
    "same seed, same result"
    ? Where does your chance come from?
"""

_GREEDY = """    if temperature == 0:
        return int(np.argmax(visits))
"""
_WEIGHTS = "weights = (np.asarray(visits) / np.max(visits)) ** (1 / temperature)"
_CHOICE = "return int(rng.choice(len(weights), p=weights / weights.sum()))"


WRONG = [
    Wrong("how often instead of which", "at temperature 0 the largest number of visits comes back, not the action that has it",
          "np.max or np.argmax: which one tells where the largest is?", ("np.argmax(visits)", "np.max(visits)")),
    Wrong("visits drawn instead of actions", "one of the visit counts is drawn, and a count is no action",
          "What should be drawn: a number of visits, or an action from 0 to len(visits) - 1?", ("rng.choice(len(weights)", "rng.choice(np.asarray(visits, dtype=int)")),
    Wrong("a power after the division", "the visits are divided by their sum before the power is taken: after it they no longer sum to 1",
          "Shares of 0.9 and 0.1, each squared: what do they sum to?",
          ("p=weights / weights.sum()", "p=(visits / visits.sum()) ** (1 / temperature)")),
    Wrong("not divided by the sum", "the weights are taken for probabilities, but they don't sum to 1",
          "Four visits and one: how likely is the first?", ("p=weights / weights.sum()", "p=weights")),
    Wrong("temperature ignored",
          "the temperature decides only about the greedy case: all others follow the visits as they are",
          "What should temperature 2 do to visits of 60, 30 and 10?",
          (_WEIGHTS, "weights = np.asarray(visits) / np.max(visits)")),
    Wrong("exponent upside down",
          "the exponent is the temperature instead of 1 / temperature: a high temperature makes the choice sharper instead of more even",
          "Which exponent makes the visits more alike, one above 1 or one below?",
          (_WEIGHTS, "weights = (np.asarray(visits) / np.max(visits)) ** temperature")),
    Wrong("overflow",
          "visits are raised to a large power before anything keeps them small: the result is infinite",
          "Only the ratios matter: by which number can you divide the visits first, so that no power is above 1?",
          (_WEIGHTS, "weights = np.asarray(visits) ** (1 / temperature)")),
    Wrong("underflow",
          "the visits are divided by their sum instead of their maximum: at small temperatures every power vanishes",
          "Which number must the favorite be, so that any power of it stays what it is?",
          (_WEIGHTS, "weights = (np.asarray(visits) / np.sum(visits)) ** (1 / temperature)")),
    Wrong("no greedy case", "the code divides by the temperature, which may be 0", "What is 1 / 0?", (_GREEDY, "")),
    Wrong("greedy too early",
          "temperatures that are small, but not tiny, are treated as greedy",
          "How small is 1e-8, and how small is the temperature at which yours stops sampling?",
          ("temperature == 0", "temperature < 1e-2")),
    Wrong("ties by lot",
          "at temperature 0 one of the most visited actions is drawn at random",
          "Two runs of a greedy player should be the same game: which of two equal actions is meant?",
          (_GREEDY, _GREEDY.replace("int(np.argmax(visits))", "int(rng.choice(np.flatnonzero(visits == visits.max())))"))),
    Wrong("ties to the highest",
          "the greedy case takes the last of equally visited actions",
          "Which of several equal maxima does np.argmax return, and which does yours?",
          ("int(np.argmax(visits))", "len(visits) - 1 - int(np.argmax(visits[::-1]))")),
    Wrong("always greedy", "the most visited action is played at every temperature",
          "What would a hundred games of this player look like, side by side?",
          ("temperature == 0", "True")),
    Wrong("uniform over the tried", "every action that was tried at all is equally likely",
          "What do the visits say that your choice ignores?",
          (_WEIGHTS, "weights = 1.0 * (np.asarray(visits) > 0)")),
    Wrong("softmax of the visits",
          "the visits go through a softmax: ten visits more make an action exp(10) times as likely",
          "If one action has twice the visits of another, how much likelier is it at temperature 1?",
          (_WEIGHTS, "weights = np.exp((np.asarray(visits) - np.max(visits)) / temperature)")),
    Wrong("visits overwritten", "the division is done in place, in the array that the caller still needs",
          "Who else holds this array?",
          (_WEIGHTS, "visits /= np.max(visits)\n    weights = visits ** (1 / temperature)")),
    Wrong("numpy's global chance", "the draw comes from numpy's global generator instead of `rng`",
          "Why is the generator an argument?",
          ("rng.choice", "np.random.choice")),
    Wrong("a generator of its own", "a new generator with a fixed seed is made at each call",
          "How different can the draws of generators be that all start from the same seed?",
          ("rng.choice", "np.random.default_rng(0).choice")),
]  # fmt: skip


def right_sample_by_logarithms(visits, temperature, rng):
    if temperature == 0:
        return list(visits).index(max(visits))
    logs = [math.log(count) / temperature if count > 0 else -math.inf for count in visits]
    top = max(logs)
    weights = np.array([math.exp(one - top) for one in logs])
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
    examples=20,
    asks="draws in proportion to visits ** (1 / temperature), for many visits and temperatures",
    returns=whole_number,
    question="How often should each action come out at this temperature?",
)
