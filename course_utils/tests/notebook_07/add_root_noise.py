"""add_root_noise: a share of the prior, and a share of noise for each legal action."""

import numpy as np
from hypothesis import strategies as st

from course_utils.tests.case import Case, Such, show
from course_utils.tests.catalogue import Wrong
from course_utils.tests.notebook_07.chance import SIGMAS, from_the_generator_alone, seed_of
from course_utils.tests.returns import array
from course_utils.tests.specification import Specification

DRAWS = st.tuples(
    st.lists(st.sampled_from(["illegal", "legal", "legal", "prior 0"]), min_size=1, max_size=12).filter(
        lambda kinds: "legal" in kinds
    ),
    st.sampled_from([0.3, 0.5, 1.0, 10.0]),
    st.one_of(st.sampled_from([0.0, 1.0, 0.25]), st.floats(0.01, 1)),
    st.integers(0, 999),
    st.sampled_from(["float64", "float64", "float32"]),
)


def given(draw) -> tuple[np.ndarray, np.ndarray]:
    """(prior, legal): some legal actions have a prior of 0."""
    legal = np.array([kind != "illegal" for kind in draw[0]])
    weights = np.random.default_rng(draw[3] + 1).uniform(0.1, 1, len(legal)) * [kind == "legal" for kind in draw[0]]
    return (weights / weights.sum()).astype(draw[4]), legal


def oracle(draw):
    (prior, legal), fraction = given(draw), draw[2]
    if fraction == 0 or legal.sum() == 1:
        return prior

    def holds(noisy) -> bool | str:
        if np.shape(noisy) != prior.shape:
            return f"expected {len(prior)} numbers"
        rest = noisy - (1 - fraction) * prior
        good = (
            (rest >= -1e-7).all()
            and not noisy[~legal].any()
            and abs(noisy.sum() - 1) < 1e-6
            and (legal.sum() < 2 or rest.any())
        )
        return bool(good)

    return Such(f"{1 - fraction:.4g} of the prior, and the rest noise over the legal actions", holds)


PRIOR, LEGAL = [0.0, 0.7, 0.0, 0.2, 0.1, 0.0], [False, True, False, True, True, False]


def _noisy(draws: int, seed: int, prior=PRIOR, legal=LEGAL, **settings):
    """`draws` noisy priors of one answer. [draws, num_actions]."""

    def run(add_root_noise):
        rng = np.random.default_rng(seed)
        given = [(np.array(prior), np.array(legal)) for _ in range(draws)]
        return np.stack([add_root_noise(*one, rng, **settings) for one in given])

    return run


def _share_of(prior, fraction: float, run):
    """What is left of the noisy priors when the prior's share is taken out: the noise itself."""
    return lambda answer: (run(answer) - (1 - fraction) * np.array(prior)) / fraction


def _concentration(run):
    """Mean of the sum of squares: 1 if all noise goes to one action at a time, 1 / 3 if it is even over three."""
    return lambda answer: round(float((run(answer) ** 2).sum(axis=1).mean()), 2)


def by_hand(rng):
    shown = f"prior = np.array({PRIOR})\nlegal = np.array({LEGAL})\n"
    yield Case(
        "returns an array of the same length",
        lambda answer: answer(np.array(PRIOR), np.array(LEGAL), np.random.default_rng(0)),
        Such("array of shape (6,)", lambda noisy: isinstance(noisy, np.ndarray) and noisy.shape == (6,)),
        shown + "add_root_noise(prior, legal, rng)",
        "Where does each number belong: to the third legal action, or to action 4?",
    )
    yield Case(
        "fraction 0 leaves the prior as it is",
        lambda answer: answer(np.array(PRIOR), np.array(LEGAL), np.random.default_rng(0), alpha=0.5, fraction=0.0),
        PRIOR,
        shown + "add_root_noise(prior, legal, rng, fraction=0.0)",
        "fraction is the share of the noise: what is the share of the prior?",
    )
    draws = _noisy(40, seed_of(rng), fraction=0.4)
    yield Case(
        "illegal actions stay at 0",
        lambda answer: draws(answer)[:, ~np.array(LEGAL)].any(),
        False,
        shown + "add_root_noise(prior, legal, rng, fraction=0.4)[~legal].any()   # of 40 draws",
        "An illegal action with a prior above 0: what would the search do with it?",
        points=2,
    )
    yield Case(
        "still sums to 1",
        lambda answer: draws(answer).sum(axis=1),
        [1.0] * 40,
        shown + "add_root_noise(prior, legal, rng, fraction=0.4).sum()   # of 40 draws",
        "The prior's share and the noise's share: what do they sum to, and does each sum to 1 itself?",
    )
    yield Case(
        "one share is the prior, and what is left is noise of its own",
        lambda answer: bool(
            (_share_of(PRIOR, 0.4, draws)(answer) >= -1e-9).all()
            and np.allclose(_share_of(PRIOR, 0.4, draws)(answer).sum(axis=1), 1)
        ),
        True,
        shown + "noise = (add_root_noise(prior, legal, rng, fraction=0.4) - 0.6 * prior) / 0.4\n"
        "(noise >= 0).all(), noise.sum()   # expected: True, 1",
        "How much of the prior must be left, whatever the dice say?",
        points=2,
    )
    even = [1 / 3 if legal else 0.0 for legal in LEGAL]
    pure = _noisy(400, seed_of(rng), alpha=0.3, fraction=1.0)
    yield Case(
        "the noise favors no action: on average it is even over the legal ones",
        lambda answer: pure(answer).mean(axis=0).round(2),
        Such(
            f"near {show(even)}",
            lambda mean: np.shape(mean) == (6,) and bool((np.abs(mean - even) <= SIGMAS * 0.342 / 400**0.5).all()),
        ),  # a component of Dirichlet(0.3, 0.3, 0.3) has a standard deviation of 0.342
        shown + "noise = [add_root_noise(prior, legal, rng, alpha=0.3, fraction=1.0) for _ in range(400)]\n"
        "np.mean(noise, axis=0)",
        "Does the network's opinion shape the noise? Should it?",
    )
    for alpha, spread in ((0.1, 0.22), (1.0, 0.22), (10.0, 0.022)):
        wanted = (alpha + 1) / (3 * alpha + 1)
        margin = SIGMAS * spread / 300**0.5 + 0.005
        kind = {0.1: "nearly all on one action", 1.0: "uneven", 10.0: "nearly even"}[alpha]
        yield Case(
            f"alpha = {alpha:g} makes it {kind}",
            _concentration(_noisy(300, seed_of(rng), alpha=alpha, fraction=1.0)),
            Such(f"near {wanted:.2f}", lambda got, wanted=wanted, margin=margin: abs(got - wanted) <= margin),
            shown + f"noise = np.stack([add_root_noise(prior, legal, rng, alpha={alpha:g}, fraction=1.0) "
            "for _ in range(300)])\n(noise ** 2).sum(axis=1).mean()   # 1: all on one action; 1/3: even over three",
            "What does alpha do to a Dirichlet distribution, and how many alphas does yours have?",
        )
    yield Case(
        "a legal action with prior 0 gets noise, too",
        lambda answer: bool((_noisy(10, 1, [0.0, 1.0, 0.0], [True, True, False], alpha=5.0)(answer)[:, 0] > 0).all()),
        True,
        "prior = np.array([0.0, 1.0, 0.0])\nlegal = np.array([True, True, False])\n"
        "add_root_noise(prior, legal, rng, alpha=5.0)[0] > 0   # of 10 draws",
        "The noise is there for the actions that the network overlooks: which are those?",
    )
    yield Case(
        "with a single legal action there is nothing to add",
        lambda answer: answer(np.array([0.0, 0.0, 1.0]), np.array([False, False, True]), np.random.default_rng(0)),
        [0, 0, 1],
        "add_root_noise(np.array([0.0, 0.0, 1.0]), np.array([False, False, True]), rng)",
        "What is a Dirichlet draw with one component?",
    )
    yield Case(
        "uses the generator it is given, and no other",
        from_the_generator_alone(lambda answer, rng: answer(np.array(PRIOR), np.array(LEGAL), rng)),
        "same seed, same result",
        "[add_root_noise(prior, legal, np.random.default_rng(seed)) for seed in range(12)], twice",
        "Where does your chance come from?",
    )

    def arguments_after(add_root_noise):
        prior, legal = np.array(PRIOR), np.array(LEGAL)
        add_root_noise(prior, legal, np.random.default_rng(0))
        return [prior, 1.0 * legal]

    yield Case(
        "leaves prior and legal as they were",
        arguments_after,
        [PRIOR, [1.0 * one for one in LEGAL]],
        shown + "add_root_noise(prior, legal, rng)\nprior, legal",
        "Who else holds these arrays?",
    )


_DRAW = "noise[legal] = rng.dirichlet([alpha] * int(legal.sum()))"
_MIX = "return (1 - fraction) * prior + fraction * noise"


WRONG = [
    Wrong("noise on illegal actions", "the noise is spread over all actions, the illegal ones included",
          "How many components must the noise have?",
          (_DRAW, "noise = rng.dirichlet([alpha] * len(prior))")),
    Wrong("masked but not renormalized",
          "the noise is drawn for all actions, and what fell on illegal ones is thrown away: the sum is below 1",
          "What does the noise sum to once the illegal actions are masked?",
          (_DRAW, "noise = rng.dirichlet([alpha] * len(prior)) * legal")),
    Wrong("fraction swapped", "`fraction` weighs the prior, and the noise gets the rest",
          "At fraction 0, how much noise should there be?",
          (_MIX, "return fraction * prior + (1 - fraction) * noise")),
    Wrong("added on top", "the noise is added to the whole prior: the sum is above 1",
          "What share of the prior makes room for the noise?",
          (_MIX, "return prior + fraction * noise")),
    Wrong("added on top and divided",
          "the noise is added to the whole prior, and the sum is divided out afterwards: the noise gets less than its share",
          "After your division, which share has the noise?",
          (_MIX, "mixed = prior + fraction * noise\n    return mixed / mixed.sum()")),
    Wrong("fraction ignored", "a quarter is noise whatever `fraction` says",
          "Where do you use the argument?",
          (_MIX, "return 0.75 * prior + 0.25 * noise")),
    Wrong("alpha ignored", "alpha is a constant", "Where do you use the argument?",
          ("[alpha]", "[0.5]")),
    Wrong("alpha upside down", "alpha is used as 1 / alpha: small values even the noise out",
          "What should a small alpha do?",
          ("[alpha]", "[1 / alpha]")),
    Wrong("alpha shared out",
          "alpha is divided by the number of legal actions: each component gets less than it should",
          "Is alpha one component's, or the total?",
          ("[alpha]", "[alpha / legal.sum()]")),
    Wrong("uniform numbers instead of Dirichlet",
          "the noise is made of uniform random numbers, divided by their sum: there is no alpha in it",
          "Which distribution has numbers that sum to 1, and a knob for how uneven they are?",
          (_DRAW, "noise[legal] = rng.random(int(legal.sum()))\n    noise /= noise.sum()")),
    Wrong("noise shaped by the prior",
          "the Dirichlet's parameters follow the prior: the noise repeats the network's opinion",
          "The noise should find what the network overlooks: whom should it favor?",
          (_DRAW, "noise[legal] = rng.dirichlet(alpha * legal.sum() * np.maximum(prior[legal], 1e-9))")),
    Wrong("noise only where the prior is above 0",
          "actions to which the network gives 0 get no noise",
          "Which array says what may be played: the prior, or `legal`?",
          ("    noise[legal]", "    legal = prior > 0\n    noise[legal]")),
    Wrong("multiplied instead of mixed", "prior and noise are multiplied, so that a prior of 0 stays 0",
          "Can your noise lift an action that the network rules out?",
          (_MIX, "mixed = prior * noise ** fraction\n    return mixed / mixed.sum()")),
    Wrong("prior overwritten", "the mix is written into the prior that the caller handed over",
          "Who else holds this array?",
          (_MIX, "prior *= 1 - fraction\n    prior += fraction * noise\n    return prior")),
    Wrong("numpy's global chance", "the noise comes from numpy's global generator instead of `rng`",
          "Why is the generator an argument?",
          ("rng.dirichlet", "np.random.dirichlet")),
    Wrong("the same noise each time", "a new generator with a fixed seed is made at each call",
          "How different can the draws of generators be that all start from the same seed?",
          ("rng.dirichlet", "np.random.default_rng(0).dirichlet")),
    Wrong("legal actions only", "the answer has one number for each legal action, not for each action",
          "Which index does action 4 have in what you return?",
          (_MIX, "return ((1 - fraction) * prior + fraction * noise)[legal]")),
]  # fmt: skip


def noise_from_gammas(prior, legal, rng, *, alpha=0.5, fraction=0.25):
    drawn = rng.gamma(alpha, size=len(prior)) * legal
    return prior * (1 - fraction) + fraction * drawn / drawn.sum()


def noise_over_all_then_masked(prior, legal, rng, *, alpha=0.5, fraction=0.25):
    noise = np.where(legal, rng.dirichlet(np.full(len(prior), alpha)), 0)
    return (1 - fraction) * prior + fraction * noise / noise.sum()


def noise_by_index(prior, legal, rng, *, alpha=0.5, fraction=0.25):
    actions = [action for action, may in enumerate(legal) if may]
    mixed = prior.astype(np.float64)
    for action, noise in zip(actions, rng.dirichlet(np.ones(len(actions)) * alpha), strict=True):
        mixed[action] = mixed[action] * (1 - fraction) + noise * fraction
    return mixed


CHECK = Specification(
    draws=DRAWS,
    arguments=lambda draw: {
        **dict(zip(("prior", "legal"), given(draw), strict=True)),
        "rng": np.random.default_rng(draw[3]),
        "alpha": draw[1],
        "fraction": draw[2],
    },
    oracle=oracle,
    returns=array("float"),
    examples=20,
    question="Two shares: how much of the prior must be left, and where may the rest go?",
    by_hand=by_hand,
    wrong=WRONG,
    right=[noise_from_gammas, noise_over_all_then_masked, noise_by_index],
)
