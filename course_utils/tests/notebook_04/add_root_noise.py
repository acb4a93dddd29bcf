"""Check add_root_noise: a share of the prior, and a share of noise for each legal action."""

import numpy as np
from hypothesis import strategies as st

from course_utils.tests.catalogue import Wrong
from course_utils.tests.returns import array
from course_utils.tests.scene import Scenes
from course_utils.tests.world.chance import follows_the_seed, near

# of each action the weight of its prior, or None if it is illegal
WEIGHTS = st.lists(st.one_of(st.none(), st.integers(0, 9)), min_size=1, max_size=9).filter(lambda some: any(some))


def scene(draw) -> str:
    """Check what holds for any noise: 0 where illegal, a sum of 1, and the prior's share everywhere."""
    weights, alpha, fraction, seed = draw
    prior = [round((weight or 0) / sum(filter(None, weights)), 4) for weight in weights]
    prior[prior.index(max(prior))] += round(1 - sum(prior), 4)
    return (
        f"prior, legal = np.array({prior}), np.array({[weight is not None for weight in weights]})\n"
        f"noisy = add_root_noise(prior, legal, np.random.default_rng({seed}), alpha={alpha}, fraction={fraction})\n"
        f"noisy[~legal].sum(), noisy[legal].sum(), all(noisy > {1 - fraction} * prior - 1e-6)"
    )


BEGIN = """
    >>> prior = np.array([0.0, 0.7, 0.0, 0.2, 0.1, 0.0])
    >>> legal = np.array([False, True, False, True, True, False])
    >>> rng = np.random.default_rng(SEED)"""
MANY = ", fraction=1.0) for _ in range(4000)]"
BY_HAND = f"""
    returns one number for each action{BEGIN}
    >>> add_root_noise(prior, legal, rng).shape
    (6,)
    ? Does the number at index 4 of your result belong to action 4, or to the fifth legal action?

    fraction 0 leaves the prior as it is{BEGIN}
    >>> add_root_noise(prior, legal, rng, fraction=0.0)
    [0, 0.7, 0, 0.2, 0.1, 0]
    ? `fraction` is the share of the noise. What is the share of the prior?

    illegal actions stay at 0 (2 points){BEGIN}
    >>> add_root_noise(prior, legal, rng, fraction=0.4)[~legal]
    [0, 0, 0]
    ? What would the search do with an illegal action whose prior is above 0?

    still sums to 1{BEGIN}
    >>> add_root_noise(prior, legal, rng, fraction=0.4).sum()
    1
    ? What do the prior and the noise sum to, each by itself and weighted by its share?

    without the prior's share, what remains is noise that sums to 1 (2 points){BEGIN}
    >>> noise = (add_root_noise(prior, legal, rng, fraction=0.4) - 0.6 * prior) / 0.4
    >>> all(noise > -1e-6), noise.sum()
    True, 1
    ? How much of the prior must remain, whatever noise is drawn?

    the noise favors no action: on average it is even over the legal ones{BEGIN}
    >>> noisy = [add_root_noise(prior, legal, rng, alpha=0.3, fraction=0.25) for _ in range(4000)]
    >>> (np.mean(noisy, axis=0) - 0.75 * prior) / 0.25
    near([0, 1 / 3, 0, 1 / 3, 1 / 3, 0], 4000)
    ? Should the network's priors shape the noise?

    alpha = 0.1 puts nearly all of the noise on one action (1: all on one, 1/3: even over three){BEGIN}
    >>> noise = [add_root_noise(prior, legal, rng, alpha=0.1{MANY}
    >>> np.mean([(draw**2).sum() for draw in noise])
    near(1.1 / 1.3, 4000, deviation=0.186)
    ? What does alpha do to a Dirichlet distribution, and how many alphas does yours have?

    alpha = 10 makes the noise nearly even (1: all on one, 1/3: even over three){BEGIN}
    >>> noise = [add_root_noise(prior, legal, rng, alpha=10.0{MANY}
    >>> np.mean([(draw**2).sum() for draw in noise])
    near(11 / 31, 4000, deviation=0.021)
    ? What does alpha do to a Dirichlet distribution, and how many alphas does yours have?

    a legal action with prior 0 gets noise, too
    >>> prior, legal = np.array([0.0, 1.0, 0.0]), np.array([True, True, False])
    >>> add_root_noise(prior, legal, np.random.default_rng(SEED), alpha=5.0) > 0
    [True, True, False]
    ? Noise is meant for the actions that the network overlooks. Which priors do those have?

    uses the generator it is given, and no other
    >>> prior, legal = np.array([0.5, 0.3, 0.2]), np.array([True, True, True])
    >>> follows_the_seed(lambda seed: add_root_noise(prior, legal, np.random.default_rng(seed)))
    "same seed, same result"
    ? Which generator do your random numbers come from?
"""

_DRAW = "noise[legal] = rng.dirichlet([alpha] * int(legal.sum()))"
_MIX = "return (1 - fraction) * prior + fraction * noise"


WRONG = [
    Wrong("noise on illegal actions", "the noise is spread over all actions, the illegal ones included",
          "For how many actions should noise be drawn?",
          (_DRAW, "noise = rng.dirichlet([alpha] * len(prior))")),
    Wrong("masked but not renormalized",
          "the noise is drawn for all actions, and the share of the illegal ones is thrown away: the sum is below 1",
          "What does the noise sum to once the illegal actions are masked?",
          (_DRAW, "noise = rng.dirichlet([alpha] * len(prior)) * legal")),
    Wrong("masked and divided after mixing",
          "noise for all actions is mixed in, and the mix is masked and divided by its sum afterwards: the noise on "
          "illegal actions is lost, so the fewer actions are legal, the less noise is left",
          "Three of six actions are legal, so half of the noise is masked away. "
          "Is the share of the noise still `fraction`?",
          (_DRAW, "noise = rng.dirichlet([alpha] * len(prior))"),
          (_MIX, "mixed = ((1 - fraction) * prior + fraction * noise) * legal\n    return mixed / mixed.sum()")),
    Wrong("fraction swapped", "`fraction` weighs the prior, and the noise gets the rest",
          "At fraction 0, how much noise should there be?",
          (_MIX, "return fraction * prior + (1 - fraction) * noise")),
    Wrong("added on top", "the noise is added to the whole prior: the sum is above 1",
          "By how much must the prior shrink to make room for the noise?",
          (_MIX, "return prior + fraction * noise")),
    Wrong("added on top and divided",
          "the noise is added to the whole prior, and the result is divided by its sum: "
          "the noise gets less than its share",
          "After your division, what is the share of the noise?",
          (_MIX, "mixed = prior + fraction * noise\n    return mixed / mixed.sum()")),
    Wrong("fraction ignored", "a quarter is noise whatever `fraction` says",
          "Where do you use the argument?",
          (_MIX, "return 0.75 * prior + 0.25 * noise")),
    Wrong("alpha ignored", "alpha is a constant", "Where do you use the argument?",
          ("[alpha]", "[0.5]")),
    Wrong("alpha upside down", "alpha is used as 1 / alpha, so small values even the noise out",
          "What should a small alpha do?",
          ("[alpha]", "[1 / alpha]")),
    Wrong("alpha shared out",
          "alpha is divided by the number of legal actions: each component gets less than it should",
          "Is alpha the parameter of each action, or the total over all of them?",
          ("[alpha]", "[alpha / legal.sum()]")),
    Wrong("numbers between 0 and 1 for noise",
          "each legal action gets a random number of its own: the numbers don't sum to 1, "
          "and alpha has no effect on them",
          "Which distribution draws numbers that sum to 1, and has a parameter for how uneven they are?",
          (_DRAW, "noise[legal] = rng.random(int(legal.sum()))")),
    Wrong("too many components",
          "the noise has a number for every action, but there are places for the legal ones only",
          "How many legal actions are there?", ("int(legal.sum())", "len(legal)")),
    Wrong("uniform numbers instead of Dirichlet",
          "the noise is made of uniform random numbers, divided by their sum, so alpha has no effect",
          "Which distribution draws numbers that sum to 1, and has a parameter for how uneven they are?",
          (_DRAW, "noise[legal] = rng.random(int(legal.sum()))\n    noise /= noise.sum()")),
    Wrong("noise shaped by the prior",
          "the Dirichlet's parameters follow the prior, so the noise favors the moves that the network already likes",
          "Noise should help to find moves that the network overlooks. Should it favor any action?",
          (_DRAW, "noise[legal] = rng.dirichlet(alpha * legal.sum() * np.maximum(prior[legal], 1e-9))")),
    Wrong("noise only where the prior is above 0",
          "actions to which the network gives 0 get no noise",
          "Which array says what may be played: the prior, or `legal`?",
          ("    noise[legal]", "    legal = prior > 0\n    noise[legal]")),
    Wrong("multiplied instead of mixed", "prior and noise are multiplied, so that a prior of 0 stays 0",
          "Can your noise raise the prior of an action to which the network gives 0?",
          (_MIX, "mixed = prior * noise ** fraction\n    return mixed / mixed.sum()")),
    Wrong("prior overwritten", "the mix is written into the caller's prior",
          "Who else uses this array?",
          (_MIX, "prior *= 1 - fraction\n    prior += fraction * noise\n    return prior")),
    Wrong("numpy's global chance", "the noise comes from numpy's global generator instead of `rng`",
          "Why is the generator an argument?",
          ("rng.dirichlet", "np.random.dirichlet")),
    Wrong("the same noise each time", "a new generator with a fixed seed is made at each call",
          "Each call starts from the same seed. How much can the draws differ?",
          ("rng.dirichlet", "np.random.default_rng(0).dirichlet")),
    Wrong("legal actions only", "the answer has one number for each legal action, not for each action",
          "At which index of your result is the number for action 4?",
          (_MIX, "return ((1 - fraction) * prior + fraction * noise)[legal]")),
]  # fmt: skip


def right_noise_by_index(prior, legal, rng, *, alpha=0.5, fraction=0.25):
    actions = [action for action, may in enumerate(legal) if may]
    mixed = prior.astype(np.float64)
    for action, noise in zip(actions, rng.dirichlet(np.ones(len(actions)) * alpha), strict=True):
        mixed[action] = mixed[action] * (1 - fraction) + noise * fraction
    return mixed


def right_noise_from_gammas(prior, legal, rng, *, alpha=0.5, fraction=0.25):
    drawn = rng.gamma(alpha, size=len(prior)) * legal
    return prior * (1 - fraction) + fraction * drawn / drawn.sum()


def right_noise_over_all_then_masked(prior, legal, rng, *, alpha=0.5, fraction=0.25):
    noise = np.where(legal, rng.dirichlet(np.full(len(prior), alpha)), 0)
    return (1 - fraction) * prior + fraction * noise / noise.sum()


CHECK = Scenes(
    draws=st.tuples(
        WEIGHTS, st.sampled_from([0.3, 0.5, 1.0, 10.0]), st.sampled_from([0.0, 0.25, 0.5, 1.0]), st.integers(0, 999)
    ),
    asks="on many random priors: nothing is added to illegal actions, the sum is 1, and the prior keeps its share",
    examples=20,
    returns=array(),
    question="How much of the prior must remain, and where may the rest go?",
)
