"""xavier: random weights, uniform, and smaller the more neurons a layer has."""

import math
from typing import NamedTuple

import numpy as np
from hypothesis import strategies as st

from course_utils.tests.case import Case, Such
from course_utils.tests.catalogue import Wrong
from course_utils.tests.notebook_05.arrays import SEEDS
from course_utils.tests.returns import array
from course_utils.tests.specification import Specification

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


def oracle(draw: Draw) -> Such:
    """A right answer has a chance of less than one in 10 ** 10 to be refused."""
    limit = math.sqrt(6 / (draw.inputs + draw.outputs))

    def holds(layers) -> bool | str:
        odd = [list(W.shape) for W in layers if W.shape != (draw.inputs, draw.outputs)]
        if odd:
            return f"expected the shape [{draw.inputs}, {draw.outputs}], got {odd[0]}"
        ratio = np.ravel(layers) / limit
        n, largest, different = ratio.size, abs(ratio).max(), len(np.unique(abs(ratio)))
        if not 1 - 24 / n < largest < 1 + 1e-9:
            return f"the largest of {n} weights is {largest:.3g} times the limit"
        if different < n:
            return f"of {n} weights only {different} differ in size: the others repeat them"
        off = abs((np.sort(ratio) + 1) / 2 - (np.arange(n) + 0.5) / n).max() * math.sqrt(n)  # Kolmogorov and Smirnov
        if off < 0.2:
            return "more even than chance: the weights know of each other"
        if off > 3.5:
            return f"not uniform: {(abs(ratio) < 0.5).mean():.0%} lie in the middle half, {(ratio < 0).mean():.0%} are negative"
        return n < 10_000 or hang_together(layers[0] * math.sqrt(3) / limit)

    return Such("each weight uniform in ±sqrt(6 / (inputs + outputs)), drawn from rng", holds)


def hang_together(W: np.ndarray) -> bool | str:
    """True, or that weights of mean 0 and deviation 1 are not independent of those beside them."""
    for name, lines in (("rows", W), ("columns", W.T)):
        sums = lines.sum(axis=1) / math.sqrt(lines.shape[1])
        alike = np.abs(lines @ lines.T / lines.shape[1] - np.diag((lines**2).mean(axis=1))).max()
        if not 0.5 < sums.std() < 1.6 or alike > 10 / math.sqrt(lines.shape[1]):
            return f"{name} know of each other"
    return True


def shown(draw: Draw) -> str:
    return f"xavier({draw.inputs}, {draw.outputs}, rng), once and again, then with another generator"


def by_hand(rng):
    seed = int(rng.integers(2**31))
    sizes = ((18, 64), (64, 9), (64, 1))
    yield Case("shape [inputs, outputs]", lambda answer: [list(np.shape(answer(*size, np.random.default_rng(0)))) for size in sizes],
               [[18, 64], [64, 9], [64, 1]], f"[xavier(inputs, outputs, rng).shape for inputs, outputs in {sizes}]",
               "How does dense_forward want W to lie?")  # fmt: skip
    for size in ((300, 200), (100, 400)):
        yield Case(
            f"{size[0]} inputs, {size[1]} outputs: spread evenly from -limit to +limit",
            lambda answer, size=size: [answer(*size, np.random.default_rng(seed))],
            oracle(Draw(*size, seed)),
            f"xavier({size[0]}, {size[1]}, rng)",
            f"{SIDES} {UNIFORM}",
            points=2,
        )

    def moves_on(answer) -> int:
        moved, follows = np.random.default_rng(seed), np.random.default_rng(seed)
        answer(6, 5, moved)
        drawn = 0
        while drawn < 60 and follows.bit_generator.state["state"] != moved.bit_generator.state["state"]:
            follows.random()
            drawn += 1
        return drawn

    yield Case("rng moves on", moves_on, Such("about 30, one for each weight", lambda drawn: drawn >= 15),
               "how many numbers xavier(6, 5, rng) draws from rng", CHANCE)  # fmt: skip

    def sums(answer):
        """300 sums of 30 weights each, and 30 sums, one a place, of 300; in their standard deviations: each is about 1 in size."""
        generator = np.random.default_rng(seed)
        ratio = np.array([np.ravel(answer(6, 5, generator)) for _ in range(300)]) / math.sqrt(6 / 11) * math.sqrt(3)
        return [round(float(np.std(ratio.sum(axis=axis) / math.sqrt(ratio.shape[axis]))), 2) for axis in (1, 0)]

    yield Case("no weight knows of the others, nor of its place", sums, Such("[about 1, about 1]", lambda got: 0.7 < got[0] < 1.3 and 0.2 < got[1] < 2),
               "the standard deviations of xavier(6, 5, rng)'s sums over 300 calls, and of each place's, in those of independent weights", UNIFORM)  # fmt: skip


LIMIT, DRAWN = "np.sqrt(6 / (inputs + outputs))", "rng.uniform(-limit, limit, size=(inputs, outputs))"
DISTRIBUTION = "Which distribution does the docstring name?"
# fmt: off
WRONG = [
    Wrong("inputs only, 6", "only the inputs are counted (that is Kaiming's limit)", SIDES, (LIMIT, "np.sqrt(6 / inputs)")),
    Wrong("standard deviation for the limit", "sqrt(2 / (inputs + outputs)) is the standard deviation that comes out, not the limit",
          "A uniform distribution from -limit to +limit has the deviation limit / sqrt(3). Which of the two do you hand over?", ("6 / (", "2 / (")),
    Wrong("root forgotten", "the root is missing", "Which function is around 6 / (inputs + outputs)?", (LIMIT, "6 / (inputs + outputs)")),
    Wrong("6 / inputs + outputs", "brackets are missing: 6 / inputs + outputs is (6 / inputs) + outputs", "Which comes first, / or +?", (LIMIT, "np.sqrt(6 / inputs + outputs)")),
    Wrong("normal for uniform", "the weights are normally distributed, with the same deviation", DISTRIBUTION,
          (DRAWN, "rng.normal(0, limit / np.sqrt(3), size=(inputs, outputs))")),
    Wrong("outputs first", "the matrix lies the other way", "How does dense_forward want W to lie?", ("(inputs, outputs))", "(outputs, inputs))")),
    Wrong("numpy's global chance", "chance comes from np.random, which nobody handed over: a run can't be repeated", CHANCE, ("rng.uniform", "np.random.uniform")),
    Wrong("a generator of its own", "a new generator is made inside, always with the same seed", "Two layers of the same size: what would they have in common?",
          ("rng.uniform", "np.random.default_rng(0).uniform")),
]
# fmt: on


def from_zero_one(inputs, outputs, rng):
    return (2 * rng.random((inputs, outputs)) - 1) * math.sqrt(6.0 / (inputs + outputs))


def row_by_row(inputs, outputs, rng):
    limit = (6 / (inputs + outputs)) ** 0.5
    return np.array([rng.uniform(-limit, limit, outputs) for _ in range(inputs)])


CHECK = Specification(
    draws=DRAWS,
    arguments=lambda draw: {"inputs": draw.inputs, "outputs": draw.outputs, "rng": np.random.default_rng(draw.seed)},
    oracle=oracle,
    run=several,
    returns=array("float"),
    shown=shown,
    examples=20,
    question=f"{SIDES} {UNIFORM}",
    by_hand=by_hand,
    wrong=WRONG,
    right=[from_zero_one, row_by_row],
)
