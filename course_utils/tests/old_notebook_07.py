"""Checks of notebook 07: self-play.

Where chance decides, a case draws often and allows six and a half standard deviations: a right answer fails one run in
billions, and it may use the generator in any way it likes.
"""

import itertools
from functools import cache

import numpy as np

from course_utils.games import ConnectN, TicTacToe, after
from course_utils.networks import UniformNetwork
from course_utils.tests.framework import Case, Such, calls, check, leaves_alone, show, wrong
from course_utils.tests.oracles import HashNetwork, puct_visits

SIGMAS = 6.5  # one in 10 billion


def _seed(rng) -> int:
    return int(rng.integers(2**31))


def _from_the_generator_alone(draw):
    """A run: whether `draw(answer, rng)` depends on the generator handed over, and on no other source of chance."""

    def run(answer):
        before = np.random.get_state()  # noqa: NPY002 - the legacy generator is what this looks for
        try:
            drawn = []
            for global_seed in (1, 2):
                np.random.seed(global_seed)  # noqa: NPY002
                drawn.append([draw(answer, np.random.default_rng(seed)) for seed in range(12)])
        finally:
            np.random.set_state(before)  # noqa: NPY002
        first, second = (np.array([np.ravel(one) for one in draws], dtype=float) for draws in drawn)
        if not np.array_equal(first, second):
            return "another result at each run"
        return "the same result whatever the seed" if (first == first[0]).all() else "same seed, same result"

    return run


# --- sample_action ---------------------------------------------------------------------------------------------------


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


def _tempered(visits, temperature: float) -> list[float]:
    """The definition, through logarithms: p proportional to N ** (1 / temperature)."""
    logs = {action: np.log(count) / temperature for action, count in enumerate(visits) if count > 0}
    top = max(logs.values())
    total = sum(np.exp(one - top) for one in logs.values())
    return [float(np.exp(logs[action] - top) / total) if action in logs else 0.0 for action in range(len(visits))]


def _many(visits, temperature: float, draws: int, rng, name: str, question: str, points: int = 1) -> Case:
    return Case(
        name,
        _shares(visits, temperature, draws, _seed(rng)),
        _near(_tempered(visits, temperature), draws),
        f"visits = np.array({show(visits)})\n"
        f"chosen = [sample_action(visits, {temperature:g}, rng) for _ in range({draws})]\n"
        f"np.bincount(chosen, minlength={len(visits)}) / {draws}",
        question,
        points=points,
    )


@check
def sample_action(rng):
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
    yield _many(
        mix, 1.0, 1500, rng, "temperature 1 follows the visits", "How likely is an action with half the visits?"
    )
    up_down = "Above 1 the choices come closer to each other, below 1 the favorite gains: which exponent does that?"
    yield _many(mix, 2.0, 1500, rng, "temperature 2 evens the visits out", up_down, points=2)
    yield _many(mix, 0.5, 1500, rng, "temperature 0.5 sharpens them", up_down, points=2)
    yield _many([200, 199, 100], 0.005, 400, rng, "a small temperature does not overflow",
                "How large is 200.0 ** 200? Which numbers have the same ratios, but none above 1?", points=2)  # fmt: skip
    yield _many([300, 200, 100], 1e-7, 20, rng, "nor does one just above the greedy ones vanish in 0 / 0",
                "How large is 0.5 ** 10_000_000? Divide by a number that leaves the favorite at exactly 1.")  # fmt: skip
    yield Case(
        "uses the generator it is given, and no other",
        _from_the_generator_alone(lambda answer, rng: [answer(np.full(9, 5.0), 1.0, rng) for _ in range(8)]),
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

wrong("sample_action", "temperature ignored",
      "the temperature decides only about the greedy case: all others follow the visits as they are",
      "What should temperature 2 do to visits of 60, 30 and 10?",
      (_WEIGHTS, "weights = np.asarray(visits) / np.max(visits)"))  # fmt: skip
wrong("sample_action", "exponent upside down",
      "the exponent is the temperature instead of 1 / temperature: heat makes the choice sharper instead of more even",
      "Which exponent makes the visits more alike, one above 1 or one below?",
      (_WEIGHTS, "weights = (np.asarray(visits) / np.max(visits)) ** temperature"))  # fmt: skip
wrong("sample_action", "overflow",
      "visits are raised to a large power before anything keeps them small: the result is infinite",
      "Only the ratios matter: by which number can you divide the visits first, so that no power is above 1?",
      (_WEIGHTS, "weights = np.asarray(visits) ** (1 / temperature)"))  # fmt: skip
wrong("sample_action", "underflow",
      "the visits are divided by their sum instead of their maximum: at small temperatures every power vanishes",
      "Which number must the favorite be, so that any power of it stays what it is?",
      (_WEIGHTS, "weights = (np.asarray(visits) / np.sum(visits)) ** (1 / temperature)"))  # fmt: skip
wrong("sample_action", "no greedy case", "temperature 0 is divided by", "What is 1 / 0?", (_GREEDY, ""))
wrong("sample_action", "greedy at 0 only",
      "only temperature 0 itself is greedy: just above it, equally visited actions are still drawn by lot",
      "From which temperature on should the most visited action be chosen outright?",
      ("temperature < 1e-8", "temperature == 0"))  # fmt: skip
wrong("sample_action", "greedy too early",
      "temperatures that are small, but not tiny, are treated as greedy",
      "How small is 1e-8, and how small is the temperature at which yours stops sampling?",
      ("temperature < 1e-8", "temperature < 1e-2"))  # fmt: skip
wrong("sample_action", "ties by lot",
      "the greedy case draws lots among equally visited actions",
      "Two runs of a greedy player should be the same game: which of two equal actions is meant?",
      (_GREEDY, _GREEDY.replace("int(np.argmax(visits))", "int(rng.choice(np.flatnonzero(visits == visits.max())))")))  # fmt: skip
wrong("sample_action", "ties to the highest",
      "the greedy case takes the last of equally visited actions",
      "Which of several equal maxima does np.argmax return, and which does yours?",
      ("int(np.argmax(visits))", "len(visits) - 1 - int(np.argmax(visits[::-1]))"))  # fmt: skip
wrong("sample_action", "numpy integer at temperature 0",
      "the greedy case returns numpy's integer instead of Python's",
      "What is type(np.argmax([1, 2]))?",
      ("int(np.argmax(visits))", "np.argmax(visits)"))  # fmt: skip
wrong("sample_action", "numpy integer when sampling",
      "the sampled action is numpy's integer instead of Python's",
      "What is type(rng.choice(np.arange(9)))?",
      (_CHOICE, "return rng.choice(np.arange(len(weights)), p=weights / weights.sum())"))  # fmt: skip
wrong("sample_action", "always greedy", "the most visited action is played at every temperature",
      "What would a hundred games of this player look like, side by side?",
      ("temperature < 1e-8", "True"))  # fmt: skip
wrong("sample_action", "uniform over the tried", "every action that was tried at all is equally likely",
      "What did the search learn that its visits say, and your choice forgets?",
      (_WEIGHTS, "weights = 1.0 * (np.asarray(visits) > 0)"))  # fmt: skip
wrong("sample_action", "softmax of the visits",
      "the visits go through a softmax: ten visits more make an action exp(10) times as likely",
      "If one action has twice the visits of another, how much likelier is it at temperature 1?",
      (_WEIGHTS, "weights = np.exp((np.asarray(visits) - np.max(visits)) / temperature)"))  # fmt: skip
wrong("sample_action", "visits overwritten", "the division is done in place, in the array that the caller still needs",
      "Who else holds this array?",
      (_WEIGHTS, "visits /= np.max(visits)\n    weights = visits ** (1 / temperature)"))  # fmt: skip
wrong("sample_action", "numpy's global chance", "the draw comes from numpy's global generator instead of `rng`",
      "Why is the generator an argument?",
      ("rng.choice", "np.random.choice"))  # fmt: skip
wrong("sample_action", "a generator of its own", "a new generator with a fixed seed is made at each call",
      "How different can the draws of generators be that all start from the same seed?",
      ("rng.choice", "np.random.default_rng(0).choice"))  # fmt: skip


# --- add_root_noise --------------------------------------------------------------------------------------------------

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


@check
def add_root_noise(rng):
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
    draws = _noisy(40, _seed(rng), fraction=0.4)
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
    pure = _noisy(600, _seed(rng), alpha=1.0, fraction=1.0)
    yield Case(
        "the noise favors no action: on average it is even over the legal ones",
        lambda answer: pure(answer).mean(axis=0).round(2),
        Such(
            f"near {show(even)}",
            lambda mean: np.shape(mean) == (6,) and bool((np.abs(mean - even) <= SIGMAS * 0.236 / 600**0.5).all()),
        ),  # a component of Dirichlet(1, 1, 1) has a standard deviation of 0.236
        shown + "noise = [add_root_noise(prior, legal, rng, alpha=1.0, fraction=1.0) for _ in range(600)]\n"
        "np.mean(noise, axis=0)",
        "Does the network's opinion shape the noise? Should it?",
    )
    for alpha, spread in ((0.1, 0.22), (0.5, 0.22), (10.0, 0.022)):
        wanted = (alpha + 1) / (3 * alpha + 1)
        margin = SIGMAS * spread / 400**0.5 + 0.005
        kind = {0.1: "nearly all on one action", 0.5: "uneven", 10.0: "nearly even"}[alpha]
        yield Case(
            f"alpha = {alpha:g} makes it {kind}",
            _concentration(_noisy(400, _seed(rng), alpha=alpha, fraction=1.0)),
            Such(f"near {wanted:.2f}", lambda got, wanted=wanted, margin=margin: abs(got - wanted) <= margin),
            shown + f"noise = np.stack([add_root_noise(prior, legal, rng, alpha={alpha:g}, fraction=1.0) "
            "for _ in range(400)])\n(noise ** 2).sum(axis=1).mean()   # 1: all on one action; 1/3: even over three",
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
        _from_the_generator_alone(lambda answer, rng: answer(np.array(PRIOR), np.array(LEGAL), rng)),
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

wrong("add_root_noise", "noise on illegal actions", "the noise is spread over all actions, the illegal ones included",
      "How many components must the noise have?",
      (_DRAW, "noise = rng.dirichlet([alpha] * len(prior))"))  # fmt: skip
wrong("add_root_noise", "masked but not renormalized",
      "the noise is drawn for all actions, and what fell on illegal ones is thrown away: the sum is below 1",
      "What does the noise sum to once the illegal actions are masked?",
      (_DRAW, "noise = rng.dirichlet([alpha] * len(prior)) * legal"))  # fmt: skip
wrong("add_root_noise", "fraction swapped", "`fraction` weighs the prior, and the noise gets the rest",
      "At fraction 0, how much noise should there be?",
      (_MIX, "return fraction * prior + (1 - fraction) * noise"))  # fmt: skip
wrong("add_root_noise", "added on top", "the noise is added to the whole prior: the sum is above 1",
      "What share of the prior makes room for the noise?",
      (_MIX, "return prior + fraction * noise"))  # fmt: skip
wrong("add_root_noise", "added on top and divided",
      "the noise is added to the whole prior, and the sum is divided out afterwards: the noise gets less than its share",
      "After your division, which share has the noise?",
      (_MIX, "mixed = prior + fraction * noise\n    return mixed / mixed.sum()"))  # fmt: skip
wrong("add_root_noise", "fraction ignored", "a quarter is noise whatever `fraction` says",
      "Where do you use the argument?",
      (_MIX, "return 0.75 * prior + 0.25 * noise"))  # fmt: skip
wrong("add_root_noise", "alpha ignored", "alpha is a constant", "Where do you use the argument?",
      ("[alpha]", "[0.5]"))  # fmt: skip
wrong("add_root_noise", "alpha upside down", "alpha is used as 1 / alpha: small values even the noise out",
      "What should a small alpha do?",
      ("[alpha]", "[1 / alpha]"))  # fmt: skip
wrong("add_root_noise", "alpha shared out",
      "alpha is divided by the number of legal actions: each component gets less than it should",
      "Is alpha one component's, or the total?",
      ("[alpha]", "[alpha / legal.sum()]"))  # fmt: skip
wrong("add_root_noise", "uniform numbers instead of Dirichlet",
      "the noise is made of uniform random numbers, divided by their sum: there is no alpha in it",
      "Which distribution has numbers that sum to 1, and a knob for how uneven they are?",
      (_DRAW, "noise[legal] = rng.random(int(legal.sum()))\n    noise /= noise.sum()"))  # fmt: skip
wrong("add_root_noise", "noise shaped by the prior",
      "the Dirichlet's parameters follow the prior: the noise repeats the network's opinion",
      "The noise should find what the network overlooks: whom should it favor?",
      (_DRAW, "noise[legal] = rng.dirichlet(alpha * legal.sum() * np.maximum(prior[legal], 1e-9))"))  # fmt: skip
wrong("add_root_noise", "noise only where the prior is above 0",
      "actions to which the network gives 0 get no noise",
      "Which array says what may be played: the prior, or `legal`?",
      ("    noise[legal]", "    legal = prior > 0\n    noise[legal]"))  # fmt: skip
wrong("add_root_noise", "multiplied instead of mixed", "prior and noise are multiplied, so that a prior of 0 stays 0",
      "Can your noise lift an action that the network rules out?",
      (_MIX, "mixed = prior * noise ** fraction\n    return mixed / mixed.sum()"))  # fmt: skip
wrong("add_root_noise", "prior overwritten", "the mix is written into the prior that the caller handed over",
      "Who else holds this array?",
      (_MIX, "prior *= 1 - fraction\n    prior += fraction * noise\n    return prior"))  # fmt: skip
wrong("add_root_noise", "numpy's global chance", "the noise comes from numpy's global generator instead of `rng`",
      "Why is the generator an argument?",
      ("rng.dirichlet", "np.random.dirichlet"))  # fmt: skip
wrong("add_root_noise", "the same noise each time", "a new generator with a fixed seed is made at each call",
      "How different can the draws of generators be that all start from the same seed?",
      ("rng.dirichlet", "np.random.default_rng(0).dirichlet"))  # fmt: skip
wrong("add_root_noise", "legal actions only", "the answer has one number for each legal action, not for each action",
      "Which index does action 4 have in what you return?",
      (_MIX, "return ((1 - fraction) * prior + fraction * noise)[legal]"))  # fmt: skip


# --- value_targets ---------------------------------------------------------------------------------------------------


@check
def value_targets(rng):
    mover = "Put yourself on the chair of the player to move at that position: did that player win in the end?"
    yield calls(
        "value_targets", [1, -1, 1, -1, 1], 1, name="X won: +1 at X's positions, -1 at O's",
        expected=[1, -1, 1, -1, 1], question=mover, points=2,
    )  # fmt: skip
    yield calls(
        "value_targets", [1, -1, 1, -1, 1, -1], -1, name="O won: the other way round",
        expected=[-1, 1, -1, 1, -1, 1], question=mover, points=2,
    )  # fmt: skip
    yield calls(
        "value_targets", [1, -1] * 4 + [1], 0, name="a draw is worth 0 to both",
        expected=[0] * 9, question="Has a player who drew won, lost, or neither?",
    )  # fmt: skip
    yield calls(
        "value_targets", [-1, 1, -1], -1, name="a game that O begins",
        expected=[1, -1, 1], question="Where does it say whose turn it was: in the position's number, or in `players`?",
    )  # fmt: skip
    yield calls(
        "value_targets", [1, -1, 1], -1, name="a game whose loser moved last",
        expected=[-1, 1, -1], question="Who moved last, and who won: must it be the same player?",
    )  # fmt: skip
    players = [1, *rng.choice([1, -1], size=6).tolist(), -1]
    yield calls(
        "value_targets", players, -1, name="a game in which players may move twice",
        expected=[-player for player in players], question="Does anything say that the turns alternate?",
    )  # fmt: skip
    yield Case(
        "one number for each position: none for no positions",
        lambda answer: [len(answer([], 1)), len(answer([1], 1)), len(answer([1, -1], 0))],
        [0, 1, 2],
        "len(value_targets([], 1)), len(value_targets([1], 1)), len(value_targets([1, -1], 0))",
        "How many positions are there, and how many answers?",
    )
    yield leaves_alone("value_targets", [1, -1, 1], -1)


_VALUES = "np.array(players, dtype=np.float32) * winner"

wrong("value_targets", "from the winner's side", "every position of a won game is labeled +1, whoever was to move",
      "What should the loser's positions teach?", (_VALUES, "np.full(len(players), abs(winner), dtype=np.float32)"))  # fmt: skip
wrong("value_targets", "from X's side", "every position is labeled from X's point of view",
      "The network always looks with the eyes of the player to move: what should it learn at O's positions?",
      (_VALUES, "np.full(len(players), winner, dtype=np.float32)"))  # fmt: skip
wrong("value_targets", "sign flipped", "wins are labeled -1 and losses +1",
      "Is it good or bad to be the player who went on to win?", (_VALUES, f"-{_VALUES}"))  # fmt: skip
wrong("value_targets", "draws lost", "a draw counts as a loss for both",
      "What is halfway between a win and a loss?",
      (_VALUES, "np.array([1 if player == winner else -1 for player in players], dtype=np.float32)"))  # fmt: skip
wrong("value_targets", "losses worth 0", "losing is worth 0, like a draw",
      "Can the network then tell a lost position from a drawn one?",
      (_VALUES, "np.array([1 if player == winner else 0 for player in players], dtype=np.float32)"))  # fmt: skip
wrong("value_targets", "turns counted from X", "the signs alternate from the first position on, as if X always began",
      "Which argument says who was to move?",
      (_VALUES, "np.array([winner * (-1) ** i for i in range(len(players))], dtype=np.float32)"))  # fmt: skip
wrong("value_targets", "turns counted from the first player", "the signs alternate, starting from whoever moved first",
      "Which argument says who was to move at the *third* position?",
      (_VALUES, "np.array([players[0] * winner * (-1) ** i for i in range(len(players))], dtype=np.float32)"))  # fmt: skip
wrong("value_targets", "turns counted back from the end",
      "the signs alternate back from the last position, as if the last player to move always won",
      "Who won, according to `winner`?",
      (_VALUES, "np.array([abs(winner) * (-1) ** i for i in range(len(players))][::-1], dtype=np.float32)"))  # fmt: skip
wrong("value_targets", "only the end is labeled", "only the last position gets a value: the others are 0",
      "How should the opening learn what it led to?",
      (_VALUES, "np.array([0] * (len(players) - 1) + [p * winner for p in players[-1:]], dtype=np.float32)"))  # fmt: skip
wrong("value_targets", "fading", "values fade the further the end is away",
      "Does the course's target shrink with distance, or is the result simply copied to each position?",
      (_VALUES, f"{_VALUES} * 0.9 ** np.arange(len(players))[::-1]"))  # fmt: skip
wrong("value_targets", "one position short", "the last position has no label",
      "How many positions did somebody move in?", (_VALUES, "np.array(players[:-1], dtype=np.float32) * winner"))  # fmt: skip


# --- self_play_game --------------------------------------------------------------------------------------------------

GAME, WIDER = TicTacToe(), ConnectN(rows=3, columns=4, n=3)
LINE = ConnectN(rows=1, columns=5, n=5)  # five columns of one cell: nobody ever wins, so only chance and search decide
QUIET = dict(noise_alpha=0.5, noise_fraction=0.0)  # the prior as it is: visits can be worked out in advance
MOVES = ["first", "second", "third", "fourth"]


class _Prior:
    """A network with one opinion for all positions."""

    def __init__(self, logits):
        self.logits = np.array(logits, dtype=np.float64)

    def __call__(self, planes):
        return np.zeros(len(planes)), np.tile(self.logits, (len(planes), 1))


def _greedy_game(game, network, simulations: int, c_puct: float):
    """The one game that a greedy player without noise plays: [(planes, policy, player)], and who won it."""
    state, rows = game.initial_state(), []
    while not game.is_terminal(state):
        visits = puct_visits(game, state, network, simulations, c_puct)
        rows.append((game.encode(state), [count / simulations for count in visits], game.to_play(state)))
        state = game.play(state, visits.index(max(visits)))
    return rows, game.winner(state)


@cache
def _game_won_by(winner: int, first_seed: int, game, simulations: int, c_puct: float):
    """(network, rows) of a greedy game with this result."""
    for seed in itertools.count(first_seed):
        network = HashNetwork(game.num_actions, seed)
        rows, result = _greedy_game(game, network, simulations, c_puct)
        if result == winner:
            return network, rows


def _moves_of(game, examples) -> list[int]:
    """The actions played, all but the last, read from how one position differs from the next."""
    state, actions = game.initial_state(), []
    for example in examples[1:]:
        after = {action: game.play(state, action) for action in game.legal_actions(state)}
        action = next(a for a, child in after.items() if np.array_equal(game.encode(child), example.planes))
        actions.append(action)
        state = after[action]
    return actions


def _how_chosen(policies: np.ndarray, chosen: np.ndarray) -> str:
    """Judges one ply of many games: policies [games, num_actions], the visits' shares; chosen [games]."""
    share = policies[np.arange(len(chosen)), chosen]
    if (chosen == policies.argmax(axis=1)).all():
        return "greedy"
    squares = (policies**2).sum(axis=1)  # what the share of a sampled action is on average
    spread = np.sqrt(((policies**3).sum(axis=1) - squares**2).sum())
    off = (share - squares).sum()
    if abs(off) <= SIGMAS * spread:
        return "sampled"
    return "between greedy and sampled" if off > 0 else "more even than the visits"


OPINION = _Prior([1.6, 0.8, 2.4, 0.0, -0.8])
PAIR, FIRST = ConnectN(rows=1, columns=2, n=2), _Prior([2.1, 0.0])  # a game of two moves; FIRST gets 9 visits of 10


@cache
def _line_policy(game, network, simulations: int, actions: tuple[int, ...]) -> np.ndarray:
    """The visits' shares after `actions`, without noise."""
    return np.array(puct_visits(game, after(game, actions), network, simulations, 1.0)) / simulations


def _choices(seed: int, exploratory_plies: int, games: int, game=LINE, network=OPINION, simulations=12):
    """A run: how each of the first moves of many games was chosen. The last move has no choice."""

    def run(self_play_game):
        rng = np.random.default_rng(seed)
        settings = dict(simulations=simulations, c_puct=1.0, exploratory_plies=exploratory_plies, **QUIET)
        lines = [_moves_of(game, self_play_game(game, network, rng, **settings)) for _ in range(games)]
        verdicts = {}
        for ply, name in enumerate(MOVES[: game.num_actions - 1]):
            policies = [_line_policy(game, network, simulations, tuple(line[:ply])) for line in lines]
            verdicts[name] = _how_chosen(np.stack(policies), np.array(lines)[:, ply])
        return verdicts

    return run


def _noise_at_each_ply(seed: int):
    """A run: whether noise alone decided where the search went, at each of the first four moves on LINE."""

    def run(self_play_game):
        rng = np.random.default_rng(seed)
        shares = {}
        for alpha in (0.03, 1000.0):
            settings = dict(simulations=10, c_puct=1.0, exploratory_plies=0, noise_alpha=alpha, noise_fraction=1.0)
            games = [self_play_game(LINE, _Prior([1, 2, 3, 2, 1]), rng, **settings) for _ in range(24)]
            # [games, plies, actions]; the fifth move has no choice
            policies = np.stack([examples.policy[:4] for examples in games])
            free = np.array([5, 4, 3, 2])
            shares[alpha] = (policies.max(axis=2).mean(axis=0), free)
        peaked, free = shares[0.03]
        even, _ = shares[1000.0]
        return {
            name: "noise"
            if peaked[ply] > 0.75 and even[ply] < 1 / free[ply] + 0.17
            else "no noise, or not as asked for"
            for ply, name in enumerate(MOVES)
        }

    return run


def _self_play(game, network, **settings):
    """A run: the examples of one game."""
    return lambda answer: answer(game, network, np.random.default_rng(0), **settings)


@check
def self_play_game(rng):
    settings = dict(simulations=14, c_puct=1.25, exploratory_plies=0, **QUIET)
    call = (
        "examples = self_play_game(game, network, rng, simulations=14, c_puct=1.25, exploratory_plies=0, "
        "noise_fraction=0.0)\n"
    )
    won_by_x, rows = _game_won_by(1, _seed(rng), GAME, 14, 1.25)
    play = _self_play(GAME, won_by_x, **settings)
    yield Case(
        "returns Examples",
        lambda answer: type(play(answer)).__name__,
        "Examples",
        call + "type(examples)",
        "What does the docstring promise?",
    )
    yield Case(
        "one example for each position in which somebody had to move",
        lambda answer: len(play(answer)),
        len(rows),
        call + "len(examples)",
        "Is there anything to learn about the choice of a move when the game is over? And before the first move?",
    )
    yield Case(
        "the positions, each as its mover saw it *before* moving",
        lambda answer: play(answer).planes,
        [planes for planes, _, _ in rows],
        call + "examples.planes",
        "Which position was searched: the one before the move, or the one after it?",
        points=2,
    )
    yield Case(
        "the policy to learn is the visits divided by their sum, even where the move was greedy",
        lambda answer: play(answer).policy,
        [policy for _, policy, _ in rows],
        call + "examples.policy",
        "What did the search find out about the moves that it did *not* play?",
        points=2,
    )
    view = "Whose turn was it at this position, and did that player win?"
    yield Case(
        "X won: each value as the player to move saw it",
        lambda answer: play(answer).value,
        [float(player) for _, _, player in rows],
        call + "examples.value",
        view,
        points=2,
    )
    won_by_o, wide = _game_won_by(-1, _seed(rng), WIDER, 9, 2.0)
    other = _self_play(WIDER, won_by_o, simulations=9, c_puct=2.0, exploratory_plies=0, **QUIET)
    yield Case(
        "another game, other settings, won by O",
        lambda answer: [[example.planes, example.policy, float(example.value)] for example in other(answer)],
        [[planes, policy, float(-player)] for planes, policy, player in wide],
        "game = ConnectN(rows=3, columns=4, n=3)\nexamples = self_play_game(game, network, rng, simulations=9, "
        "c_puct=2.0, exploratory_plies=0, noise_fraction=0.0)\nexamples",
        "Do you use everything that you are given: the game, simulations, c_puct?",
        points=2,
    )
    yield Case(
        "a drawn game is worth 0 at every position",
        lambda answer: _self_play(LINE, UniformNetwork(5), simulations=6)(answer).value,
        [0.0] * 5,
        "game = ConnectN(rows=1, columns=5, n=5)   # nobody can win\n"
        "self_play_game(game, network, rng, simulations=6).value",
        view,
    )
    line = "game = ConnectN(rows=1, columns=5, n=5)   # five moves\n"
    plies = "Count on your fingers: how many moves have been sampled when the first greedy one is due?"
    yield Case(
        "exploratory_plies=2: two moves are sampled from the visits, the others greedy",
        _choices(_seed(rng), 2, games=50),
        dict(zip(MOVES, ["sampled", "sampled", "greedy", "greedy"], strict=True)),
        line + "50 games of self_play_game(game, network, rng, exploratory_plies=2, noise_fraction=0.0)",
        plies,
        points=2,
    )
    yield Case(
        "a sampled move follows the visits just as they are",
        _choices(_seed(rng), 1, 350, PAIR, FIRST, 10),
        {"first": "sampled"},
        "game = ConnectN(rows=1, columns=2, n=2)   # two moves\n"
        "350 games of self_play_game(game, network, rng, exploratory_plies=1, noise_fraction=0.0)",
        "Which temperature leaves the shares of the visits as they are?",
    )
    yield Case(
        "exploratory_plies=0: every move is greedy",
        _choices(_seed(rng), 0, games=10),
        dict.fromkeys(MOVES, "greedy"),
        line + "10 games of self_play_game(game, network, rng, exploratory_plies=0, noise_fraction=0.0)",
        plies,
    )
    yield Case(
        "each search starts with root noise, as strong as asked for",
        _noise_at_each_ply(_seed(rng)),
        dict.fromkeys(MOVES, "noise"),
        line
        + "games of self_play_game(game, network, rng, exploratory_plies=0, noise_fraction=1.0, noise_alpha=0.03), "
        "then noise_alpha=1000.0:\nfirst nearly all visits should go to one move, then they should be even",
        "Which arguments of mcts_search let it perturb the root's prior? At which moves of the game is there a root?",
        points=2,
    )

    def two_games(answer, rng):
        examples = answer(LINE, UniformNetwork(5), rng, simulations=6, exploratory_plies=5)
        return [*_moves_of(LINE, examples), *examples.policy.ravel()]

    yield Case(
        "uses the generator it is given, and no other",
        _from_the_generator_alone(two_games),
        "same seed, same result",
        "[self_play_game(game, network, np.random.default_rng(seed)) for seed in range(12)], twice",
        "Where does your chance come from: the search's, and the choice's?",
    )


_SEARCH = "visits = mcts_search(game, state, network, simulations, c_puct, noise=noise, rng=rng)"
_POSITION = "        positions.append(game.encode(state))\n"
_POLICY = "policies.append(visits / visits.sum())"
_PLAYER = "        players.append(game.to_play(state))\n"
_TEMPERATURE = "temperature = 1.0 if len(players) <= exploratory_plies else 0.0"
_PLAY = "state = game.play(state, sample_action(visits, temperature, rng))"
_RESULT = "values = value_targets(players, game.winner(state))"

wrong("self_play_game", "values from the winner's side", "every position of a won game is worth +1, whoever was to move",
      "What should the loser's positions teach?",
      (_RESULT, "values = np.full(len(players), abs(game.winner(state)), dtype=np.float32)"))  # fmt: skip
wrong("self_play_game", "values from X's side", "every value is X's, whoever was to move",
      "The network looks with the eyes of the player to move: whose value must it learn at O's positions?",
      (_RESULT, "values = np.full(len(players), game.winner(state), dtype=np.float32)"))  # fmt: skip
wrong("self_play_game", "values of the next player", "the player is noted after the move: each value is the opponent's",
      "When you ask whose turn it is, has the move been made?",
      (_PLAYER, ""), ("<=", "<"), (_PLAY, f"{_PLAY}\n{_PLAYER.rstrip()}"))  # fmt: skip
wrong("self_play_game", "draws lost", "a draw counts as a loss for both",
      "What does game.winner return for a draw?",
      (_RESULT, "values = [1.0 if player == game.winner(state) else -1.0 for player in players]"))  # fmt: skip
wrong("self_play_game", "target is the move played", "the policy to learn is the move that was played, and nothing else",
      "What did the search find out about the other moves?",
      (_POLICY, "pass"),
      (_PLAY, "action = sample_action(visits, temperature, rng)\n        policies.append(np.eye(game.num_actions)[action])"
              "\n        state = game.play(state, action)"))  # fmt: skip
wrong("self_play_game", "target tempered", "the policy to learn is tempered like the choice: where that is greedy, all on one move",
      "Should what the network learns depend on the ply at which we stop exploring?",
      (_POLICY, "pass"),
      (_PLAY, "policies.append(visits / visits.sum() if temperature else 1.0 * (visits == visits.max()) / "
              f"(visits == visits.max()).sum())\n        {_PLAY}"))  # fmt: skip
wrong("self_play_game", "target is the network's prior",
      "the policy to learn is what the network already thinks: the search teaches it nothing",
      "Which of the two knows more, the network or the search?",
      (_POLICY, "legal = np.isin(np.arange(game.num_actions), game.legal_actions(state))\n        "
                "weights = np.exp(network(game.encode(state)[None])[1][0]) * legal\n        "
                "policies.append(weights / weights.sum())"))  # fmt: skip
wrong("self_play_game", "visits not divided", "the policy to learn is the bare visit counts, which do not sum to 1",
      "What must a policy sum to?", (_POLICY, "policies.append(visits)"))  # fmt: skip
wrong("self_play_game", "position after the move", "each policy is stored with the position *after* the move",
      "Which position was searched?",
      (_POSITION, ""), (_PLAY, f"{_PLAY}\n{_POSITION.rstrip()}"))  # fmt: skip
wrong("self_play_game", "finished position recorded", "the finished position becomes an example, too",
      "Is there a move to learn once the game is over?",
      (_RESULT, "positions.append(game.encode(state))\n    policies.append(np.zeros(game.num_actions))\n    "
                f"players.append(game.to_play(state))\n    {_RESULT}"))  # fmt: skip
wrong("self_play_game", "last move forgotten", "the position of the last move is missing",
      "Which move decided the game, and where does the network learn it?",
      (_RESULT, f"positions, policies, players = positions[:-1], policies[:-1], players[:-1]\n    {_RESULT}"))  # fmt: skip
wrong("self_play_game", "one ply too few", "one move less than `exploratory_plies` is sampled",
      "When the comparison is made, is the present move counted already?", ("<=", "<"))  # fmt: skip
wrong("self_play_game", "one ply too many", "one move more than `exploratory_plies` is sampled",
      "When the comparison is made, is the present move counted already?",
      ("len(players) <=", "len(players) - 1 <="))  # fmt: skip
wrong("self_play_game", "greedy from the start", "every move is greedy: without noise, the same game over and over",
      "What happens in the first `exploratory_plies` moves?", (_TEMPERATURE, "temperature = 0.0"))  # fmt: skip
wrong("self_play_game", "never greedy", "every move is sampled, to the end",
      "What changes after `exploratory_plies` moves?", (_TEMPERATURE, "temperature = 1.0"))  # fmt: skip
wrong("self_play_game", "temperatures swapped", "the first moves are greedy and the later ones sampled",
      "Where do you want variety: in openings, or in endings?",
      (_TEMPERATURE, "temperature = 0.0 if len(players) <= exploratory_plies else 1.0"))  # fmt: skip
wrong("self_play_game", "no noise", "the search is never told about the noise",
      "Which arguments of mcts_search perturb the root?", (_SEARCH, _SEARCH.replace(", noise=noise, rng=rng", "")))  # fmt: skip
wrong("self_play_game", "noise at the first move only", "only the first search of the game gets noise",
      "How many roots are there in a game?", ("noise=noise", "noise=noise if not players else None"))  # fmt: skip
wrong("self_play_game", "noise of the default strength", "noise_alpha and noise_fraction never reach the noise",
      "What does `noise`, which is given, have that `add_root_noise` alone has not?",
      ("noise=noise", "noise=add_root_noise"))  # fmt: skip
wrong("self_play_game", "simulations ignored", "each search has 50 simulations, whatever was asked for",
      "Where do you use the argument?", (_SEARCH, _SEARCH.replace("simulations", "50")))  # fmt: skip
wrong("self_play_game", "c_puct ignored", "each search explores with 1.5, whatever was asked for",
      "Where do you use the argument?", (_SEARCH, _SEARCH.replace("c_puct", "1.5")))  # fmt: skip
wrong("self_play_game", "random moves", "moves are drawn from the legal ones, whatever the search found",
      "Which function turns visits into a move?", (_PLAY, "state = game.play(state, rng.choice(game.legal_actions(state)))"))  # fmt: skip
wrong("self_play_game", "a generator of its own", "moves and noise are drawn from a fresh generator each time",
      "Why is the generator an argument?", ("    state = game.initial_state()\n", "    state = game.initial_state()\n    rng = np.random.default_rng()\n"))  # fmt: skip
wrong("self_play_game", "three lists", "positions, policies and values are handed out as three lists instead of as Examples",
      "What does the last given line make of the three?",
      ("return Examples.of_game(positions, policies, values)", "return positions, policies, values"))  # fmt: skip
