"""sample_action: visits, tempered, and a die."""

import math

import numpy as np
from hypothesis import strategies as st

from course_utils.tests.case import Case, Such, show
from course_utils.tests.catalogue import Wrong
from course_utils.tests.notebook_07.chance import SIGMAS, from_the_generator_alone, seed_of, tempered
from course_utils.tests.returns import whole_number
from course_utils.tests.specification import Specification

VISITS = st.one_of(st.sampled_from([0.0, 1.0, 5.0, 800.0, 0.5]), st.integers(0, 400).map(float))
DRAWS = st.tuples(
    st.lists(VISITS, min_size=1, max_size=12).filter(any),
    st.one_of(st.sampled_from([0.0, 1e-9, 1e-3, 0.5, 1.0, 2.0]), st.floats(0.01, 5)),
    st.integers(0, 999),
)


def arguments(draw) -> dict:
    """Now and then the visits are whole numbers."""
    whole = draw[2] % 3 == 2 and all(count.is_integer() for count in draw[0])
    visits = np.array(draw[0], dtype=np.int64 if whole else np.float64)
    return {"visits": visits, "temperature": draw[1], "rng": np.random.default_rng(draw[2])}


def oracle(draw):
    """The most visited where that is meant or sure, else any action that was tried."""
    visits, temperature, _ = draw
    best = visits.index(max(visits))
    tried = [action for action, count in enumerate(visits) if count > 0]
    sure = len(tried) == 1 or (temperature <= 1e-6 and sorted(visits)[-2:][0] < 0.999 * max(visits))
    if temperature < 1e-8 or sure:
        return best
    return Such(f"one of {tried}, which were tried", lambda action: action in tried)


def _shares(visits, temperature: float, draws: int, seed: int):
    """A run: how often each action is chosen."""

    def run(sample_action):
        rng = np.random.default_rng(seed)
        chosen = [sample_action(np.array(visits, dtype=float), temperature, rng) for _ in range(draws)]
        return np.bincount(chosen, minlength=len(visits)) / draws

    return run


def _near(expected, draws: int) -> Such:
    """Shares of `draws` draws that these probabilities may give."""
    expected = np.array(expected)
    margin = SIGMAS * np.sqrt(expected * (1 - expected) / draws) + SIGMAS / draws * (expected > 0)

    def holds(shares):
        return np.shape(shares) == expected.shape and bool((np.abs(shares - expected) <= margin).all())

    return Such(f"shares near {show(expected)}", holds)


def _many(visits, temperature: float, draws: int, rng, name: str, question: str, points: int = 1) -> Case:
    return Case(
        name,
        _shares(visits, temperature, draws, seed_of(rng)),
        _near(tempered(visits, temperature), draws),
        f"visits = np.array({show(visits)})\n"
        f"chosen = [sample_action(visits, {temperature:g}, rng) for _ in range({draws})]\n"
        f"np.bincount(chosen, minlength={len(visits)}) / {draws}",
        question,
        points=points,
    )


ODD, OTHERS, TIMES = (0.4, 1.0, 6.6), 250, 500
RARE, FEW_TIMES = 4000, 45  # as many as show that they come up at all


def _favorite(seed: int, temperatures=ODD, others: int = OTHERS, times: int = TIMES):
    """A run: the share of an action that ought to have half of all, at each of these temperatures."""

    def run(sample_action):
        rng, shares = np.random.default_rng(seed), []
        for temperature in temperatures:
            visits = np.full(others + 1, 10.0)
            visits[77] = 10 * others**temperature
            shares.append([sample_action(visits, temperature, rng) for _ in range(times)].count(77) / times)
        return shares

    return run


def by_hand(rng):
    for name, temperature in (("temperature 0 plays the most visited", 0.0), ("so does temperature 1e-9", 1e-9)):
        visits = np.array([3.0, 9.0, 0.0, 9.0, 4.0])
        yield Case(
            f"{name}; of two, the lower action",
            lambda answer, t=temperature, v=visits: [
                answer(v.copy(), t, np.random.default_rng(seed)) for seed in range(20)
            ],
            [1] * 20,
            f"visits = np.array([3.0, 9.0, 0.0, 9.0, 4.0])\n"
            f"[sample_action(visits, {temperature:g}, np.random.default_rng(seed)) for seed in range(20)]",
            "What is 1 / temperature when the temperature is 0, and which case needs no dice at all?",
        )
    for temperature in (0.0, 1.0):
        yield Case(
            f"returns a plain int at temperature {temperature:g}",
            lambda answer, t=temperature: answer(np.array([0.0, 8.0, 0.0]), t, np.random.default_rng(0)),
            Such("the int 1", lambda action: type(action) is int and action == 1),
            f"sample_action(np.array([0.0, 8.0, 0.0]), {temperature:g}, rng)",
            "What type do numpy's functions return, and what turns it into an int?",
        )
    mix = rng.permutation([60.0, 30.0, 10.0, 0.0]).tolist()
    yield _many(mix, 1.0, 500, rng, "temperature 1 follows the visits", "How likely is an action with half the visits?")
    up_down = "Above 1 the choices come closer to each other, below 1 the favorite gains: which exponent does that?"
    parts = rng.permutation([0.6, 0.3, 0.1, 0.0]).tolist()
    yield _many(parts, 1.0, 300, rng, "visits need not be whole numbers: only ratios matter",
                "What becomes of 0.6 in your code?")  # fmt: skip
    far = rng.permutation([100.0, 10.0, 1.0, 0.0]).tolist()
    yield _many(far, 2.0, 400, rng, "temperature 2 evens the visits out", up_down, points=2)
    yield _many(far, 0.5, 400, rng, "temperature 0.5 sharpens them", up_down, points=2)
    yield Case(
        "at other temperatures, too, the exponent is 1 / temperature",
        _favorite(seed_of(rng)),
        Such("each near 0.5", lambda shares: all(abs(share - 0.5) <= SIGMAS * 0.5 / TIMES**0.5 for share in shares)),
        f"visits = np.full({OTHERS + 1}, 10.0)\n"
        f"for temperature in {ODD}:\n"
        f"    visits[77] = 10 * {OTHERS}**temperature  # as likely as the {OTHERS} others together\n"
        f"    chosen = [sample_action(visits, temperature, rng) for _ in range({TIMES})]\n"
        f"    print(chosen.count(77) / {TIMES})",
        up_down,
    )
    yield Case(
        "an action with few visits is rare, but comes up",
        _favorite(seed_of(rng), (1.0,), RARE, FEW_TIMES),
        Such("near 0.5", lambda shares: abs(shares[0] - 0.5) <= SIGMAS * 0.5 / FEW_TIMES**0.5),
        f"visits = np.full({RARE + 1}, 10.0)\n"
        f"visits[77] = {10 * RARE}  # as likely as the {RARE} others together\n"
        f"[sample_action(visits, 1.0, rng) for _ in range({FEW_TIMES})].count(77) / {FEW_TIMES}",
        f"Each of the others is chosen once in {2 * RARE} draws. And any of them all?",
    )
    yield _many([200, 199, 100], 0.005, 200, rng, "a small temperature does not overflow",
                "How large is 200.0 ** 200? Which numbers have the same ratios, but none above 1?", points=2)  # fmt: skip
    yield Case(
        "uses the generator it is given, and no other",
        from_the_generator_alone(lambda answer, rng: [answer(np.full(9, 5.0), 1.0, rng) for _ in range(8)]),
        "same seed, same result",
        "[sample_action(np.full(9, 5.0), 1.0, np.random.default_rng(seed)) for seed in range(12)], twice",
        "Where does your chance come from?",
    )
    yield Case(
        "leaves the visits as they were",
        lambda answer: (lambda visits: (answer(visits, 0.5, np.random.default_rng(0)), visits)[1])(
            np.array([6.0, 2.0, 0.0])
        ),
        [6, 2, 0],
        "visits = np.array([6.0, 2.0, 0.0])\nsample_action(visits, 0.5, rng)\nvisits",
        "The visits become the policy target: who may write into them?",
    )


_GREEDY = """    if temperature < 1e-8:
        return int(np.argmax(visits))
"""
_WEIGHTS = "weights = (np.asarray(visits) / np.max(visits)) ** (1 / temperature)"
_CHOICE = "return int(rng.choice(len(weights), p=weights / weights.sum()))"


WRONG = [
    Wrong("temperature ignored",
          "the temperature decides only about the greedy case: all others follow the visits as they are",
          "What should temperature 2 do to visits of 60, 30 and 10?",
          (_WEIGHTS, "weights = np.asarray(visits) / np.max(visits)")),
    Wrong("exponent upside down",
          "the exponent is the temperature instead of 1 / temperature: heat makes the choice sharper instead of more even",
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
    Wrong("no greedy case", "temperature 0 is divided by", "What is 1 / 0?", (_GREEDY, "")),
    Wrong("greedy at 0 only",
          "only temperature 0 itself is greedy: just above it, equally visited actions are still drawn by lot",
          "From which temperature on should the most visited action be chosen outright?",
          ("temperature < 1e-8", "temperature == 0")),
    Wrong("greedy too early",
          "temperatures that are small, but not tiny, are treated as greedy",
          "How small is 1e-8, and how small is the temperature at which yours stops sampling?",
          ("temperature < 1e-8", "temperature < 1e-2")),
    Wrong("ties by lot",
          "the greedy case draws lots among equally visited actions",
          "Two runs of a greedy player should be the same game: which of two equal actions is meant?",
          (_GREEDY, _GREEDY.replace("int(np.argmax(visits))", "int(rng.choice(np.flatnonzero(visits == visits.max())))"))),
    Wrong("ties to the highest",
          "the greedy case takes the last of equally visited actions",
          "Which of several equal maxima does np.argmax return, and which does yours?",
          ("int(np.argmax(visits))", "len(visits) - 1 - int(np.argmax(visits[::-1]))")),
    Wrong("numpy integer at temperature 0",
          "the greedy case returns numpy's integer instead of Python's",
          "What is type(np.argmax([1, 2]))?",
          ("int(np.argmax(visits))", "np.argmax(visits)")),
    Wrong("numpy integer when sampling",
          "the sampled action is numpy's integer instead of Python's",
          "What is type(rng.choice(np.arange(9)))?",
          (_CHOICE, "return rng.choice(np.arange(len(weights)), p=weights / weights.sum())")),
    Wrong("always greedy", "the most visited action is played at every temperature",
          "What would a hundred games of this player look like, side by side?",
          ("temperature < 1e-8", "True")),
    Wrong("uniform over the tried", "every action that was tried at all is equally likely",
          "What did the search learn that its visits say, and your choice forgets?",
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


def sample_by_one_uniform_number(visits, temperature, rng):
    if temperature < 1e-8:
        return visits.argmax().item()
    powers = (visits / visits.max()) ** (1.0 / temperature)
    cumulated = np.cumsum(powers)
    return int(np.searchsorted(cumulated, rng.random() * cumulated[-1], side="right"))


def sample_by_logarithms(visits, temperature, rng):
    if temperature < 1e-8:
        return list(visits).index(max(visits))
    logs = [math.log(count) / temperature if count > 0 else -math.inf for count in visits]
    top = max(logs)
    weights = np.array([math.exp(one - top) for one in logs])
    return int(np.argmax(rng.multinomial(1, weights / weights.sum())))


def sample_by_gumbel_noise(visits, temperature, rng):
    if temperature < 1e-8:
        return int(np.flatnonzero(visits == visits.max())[0])
    tried = np.flatnonzero(visits)
    return int(tried[np.argmax(np.log(visits[tried]) / temperature + rng.gumbel(size=len(tried)))])


CHECK = Specification(
    draws=DRAWS,
    arguments=arguments,
    oracle=oracle,
    returns=whole_number,
    examples=20,
    edges=[([0.0, 5.0, 2.0], t, 2) for t in (0.0, 1e-3, 2.0)]
    + [([2.0, 2.0, 2.0], 1e-3, 1), ([0.25, 0.5, 0.0], 0.01, 1), ([3.0], 1.0, 0)],
    question="Which actions may come out at this temperature?",
    by_hand=by_hand,
    wrong=WRONG,
    right=[sample_by_one_uniform_number, sample_by_logarithms, sample_by_gumbel_noise],
)
