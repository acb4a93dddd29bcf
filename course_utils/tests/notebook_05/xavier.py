"""xavier: random weights, uniform, and smaller the more neurons a layer has."""

import math
from typing import NamedTuple

import numpy as np
from hypothesis import strategies as st

from course_utils.tests.case import Case, Such
from course_utils.tests.catalogue import Wrong
from course_utils.tests.notebook_05.arrays import SEEDS
from course_utils.tests.specification import Specification, array

SIDES = (
    "Signals flow forward, gradients backward. Which sides of the layer count, and which numbers stand under the root?"
)
UNIFORM = "Uniform means: every number in the range is as likely as any other, and says nothing about the next."
CHANCE = "Where does your chance come from? Can somebody repeat your run, and does a second layer get its own weights?"
MANY = 600  # numbers, of as many calls as that takes


class Draw(NamedTuple):
    inputs: int
    outputs: int
    seed: int


SIZES = st.one_of(st.sampled_from([1, 2, 3, 100]), st.integers(1, 20))
DRAWS = st.builds(Draw, SIZES, SIZES, SEEDS)


def several(xavier, draw: Draw) -> list:
    """Weights of layers of one size, one half from one generator and one from another."""
    calls = math.ceil(MANY / draw.inputs / draw.outputs / 2)
    generators = [np.random.default_rng([draw.seed, number]) for number in range(2)]
    return [xavier(draw.inputs, draw.outputs, rng) for rng in generators for _ in range(calls)]


def complaint(layers, draw: Draw) -> bool | str:
    """True, or what is wrong; a right answer has no chance of a complaint (less than one in 10 ** 10)."""
    for W in layers:
        if problem := array("float64")(W):
            return problem
        if W.shape != (draw.inputs, draw.outputs):
            return f"expected the shape [{draw.inputs}, {draw.outputs}], got {list(W.shape)}"
    ratio = np.ravel(layers) / math.sqrt(6 / (draw.inputs + draw.outputs))
    spread, n = np.sort((ratio + 1) / 2), ratio.size
    if abs(ratio).max() > 1 + 1e-9:
        return f"a weight is {abs(ratio).max():.3g} times the limit"
    if abs(ratio).max() < 1 - 24 / n:
        return f"of {n} weights none is larger than {abs(ratio).max():.3g} times the limit"
    if len(np.unique(abs(ratio))) < n:
        return f"of {n} weights only {len(np.unique(abs(ratio)))} differ in size: the others repeat them"
    if abs(spread - (np.arange(n) + 0.5) / n).max() > 3.5 / math.sqrt(n):  # Kolmogorov and Smirnov
        return f"not uniform: {(abs(ratio) < 0.5).mean():.0%} of the weights lie in the middle half, {(ratio < 0).mean():.0%} are negative"
    return True


def oracle(draw: Draw) -> Such:
    return Such(
        "each weight uniform in ±sqrt(6 / (inputs + outputs)), drawn from rng", lambda layers: complaint(layers, draw)
    )


def shown(draw: Draw) -> str:
    return f"xavier({draw.inputs}, {draw.outputs}, rng), once and again, then with another generator"


def by_hand(rng):
    seed = int(rng.integers(2**31))
    yield Case(
        "shape [inputs, outputs]",
        lambda answer: [
            list(np.shape(answer(*size, np.random.default_rng(0)))) for size in ((18, 64), (64, 9), (64, 1))
        ],
        [[18, 64], [64, 9], [64, 1]],
        "[xavier(inputs, outputs, rng).shape for inputs, outputs in ((18, 64), (64, 9), (64, 1))]",
        "How does dense_forward want W to lie?",
    )
    for size in ((400, 100), (100, 400)):
        yield Case(
            f"{size[0]} inputs, {size[1]} outputs: the largest weight is at the limit",
            lambda answer, size=size: round(
                float(np.abs(answer(*size, np.random.default_rng(seed))).max() / math.sqrt(6 / 500)), 2
            ),
            Such("1.0", lambda ratio: abs(ratio - 1) < 0.011),
            f"abs(xavier({size[0]}, {size[1]}, rng)).max() / sqrt(6 / ({size[0]} + {size[1]}))",
            SIDES,
            points=2,
        )
    large = Draw(300, 200, seed)
    yield Case(
        "spread evenly from -limit to +limit",
        lambda answer: [answer(300, 200, np.random.default_rng(seed))],
        oracle(large),
        "xavier(300, 200, rng)",
        UNIFORM,
        points=2,
    )

    def sums(answer):
        """A sum of n independent weights has the variance n * limit ** 2 / 3, here 30 * 1 / 3 * 6 / 11."""
        generator = np.random.default_rng(seed)
        return round(float(np.var([np.sum(answer(6, 5, generator)) for _ in range(300)]) / (10 * 6 / 11)), 2)

    yield Case("no weight knows of the others", sums, Such("about 1", lambda ratio: 0.45 < ratio < 1.7),
               "the variance of xavier(6, 5, rng).sum() over 300 calls, divided by that of 30 independent weights", UNIFORM)  # fmt: skip

    def repeat(answer):
        one, same, other = (np.asarray(answer(6, 5, np.random.default_rng(seed + more))) for more in (0, 0, 1))
        generator = np.random.default_rng(seed)
        first, second = answer(6, 5, generator), answer(6, 5, generator)
        return [bool(np.array_equal(*pair)) for pair in ((one, same), (one, other), (first, second))]

    yield Case(
        "chance comes from rng: the same seed gives the same weights, another seed others, and a second layer its own", repeat, [True, False, False],
        "xavier(6, 5, default_rng(1)) twice, then with default_rng(2); then twice with one generator: which are equal?", CHANCE, points=2,
    )  # fmt: skip


LIMIT, DRAWN = "np.sqrt(6 / (inputs + outputs))", "rng.uniform(-limit, limit, size=(inputs, outputs))"
DISTRIBUTION = "Which distribution does the docstring name?"
EVER = "If two neurons begin the same and get the same gradients, when will they ever differ?"
# fmt: off
WRONG = [
    Wrong("inputs only, 6", "only the inputs are counted (that is Kaiming's limit)", SIDES, (LIMIT, "np.sqrt(6 / inputs)")),
    Wrong("standard deviation for the limit", "sqrt(2 / (inputs + outputs)) is the standard deviation that comes out, not the limit",
          "A uniform distribution from -limit to +limit has the deviation limit / sqrt(3). Which of the two do you hand over?", ("6 / (", "2 / (")),
    Wrong("root forgotten", "the root is missing", "Which function is around 6 / (inputs + outputs)?", (LIMIT, "6 / (inputs + outputs)")),
    Wrong("root of the 6 only", "the root is taken of the 6, not of the fraction", "What stands under the root?", (LIMIT, "np.sqrt(6) / (inputs + outputs)")),
    Wrong("6 / inputs + outputs", "brackets are missing: 6 / inputs + outputs is (6 / inputs) + outputs", "Which comes first, / or +?", (LIMIT, "np.sqrt(6 / inputs + outputs)")),
    Wrong("normal for uniform", "the weights are normally distributed, with the same deviation", DISTRIBUTION,
          (DRAWN, "rng.normal(0, limit / np.sqrt(3), size=(inputs, outputs))")),
    Wrong("normal with the limit as deviation", "the weights are normally distributed, with the limit as their deviation", DISTRIBUTION,
          (DRAWN, "rng.normal(0, limit, size=(inputs, outputs))")),
    Wrong("positive only", "no weight is negative", "How would a neuron say that something speaks *against* a move?", ("-limit, limit", "0, limit")),
    Wrong("one number for all", "one number is drawn and used for all weights", EVER, (DRAWN, "np.full((inputs, outputs), rng.uniform(-limit, limit))")),
    Wrong("outputs first", "the matrix lies the other way", "How does dense_forward want W to lie?", ("(inputs, outputs))", "(outputs, inputs))")),
    Wrong("numpy's global chance", "chance comes from np.random, which nobody handed over: a run can't be repeated", CHANCE, ("rng.uniform", "np.random.uniform")),
    Wrong("a generator of its own", "a new generator is made inside, always with the same seed", "Two layers of the same size: what would they have in common?",
          ("rng.uniform", "np.random.default_rng(0).uniform")),
]
# fmt: on


def from_zero_one(inputs, outputs, rng):
    return (2 * rng.random((inputs, outputs)) - 1) * math.sqrt(6.0 / (inputs + outputs))


def by_deviation(inputs, outputs, rng):
    std = math.sqrt(2 / (inputs + outputs))
    return rng.uniform(-std * 3**0.5, std * 3**0.5, (inputs, outputs))


def row_by_row(inputs, outputs, rng):
    limit = (6 / (inputs + outputs)) ** 0.5
    return np.array([rng.uniform(-limit, limit, outputs) for _ in range(inputs)])


CHECK = Specification(
    draws=DRAWS,
    arguments=lambda draw: {"inputs": draw.inputs, "outputs": draw.outputs, "rng": np.random.default_rng(draw.seed)},
    oracle=oracle,
    run=several,
    shown=shown,
    examples=20,
    question=f"{SIDES} {UNIFORM}",
    by_hand=by_hand,
    wrong=WRONG,
    right=[from_zero_one, by_deviation, row_by_row],
)
