"""sgd_step: every weight moves against its gradient."""

from typing import NamedTuple

import numpy as np
from hypothesis import strategies as st

import course_utils.tests.notebook_08  # noqa: F401  # the first optimizer of torch takes seconds: an answer may use one
from course_utils.tests.case import Case
from course_utils.tests.catalogue import Wrong
from course_utils.tests.notebook_05.arrays import SEEDS, eighths, one_call
from course_utils.tests.returns import array
from course_utils.tests.specification import Specification

HELD = "`a -= b` changes the array `a` itself. Who else holds it?"


class Draw(NamedTuple):
    names: list[str]
    learning_rate: float
    seed: int


NAMES = ["W1", "b1", "W2", "b2", "Wp", "bp", "Wv", "bv", "kernel", "tail.0.weight", "0"]
DRAWS = st.builds(
    Draw,
    st.lists(st.sampled_from(NAMES), min_size=1, max_size=11, unique=True),
    st.sampled_from([0.5, 0.0, 0.01, 1.0, 2]),
    SEEDS,
)


def arguments(draw: Draw) -> dict:
    rng = np.random.default_rng(draw.seed)
    shapes = {name: rng.integers(1, 4, {"b": 1, "k": 4, "t": 3}.get(name[0], 2)) for name in draw.names}
    shapes["0"] = (40, 30)
    weights, gradients = ({name: eighths(rng, *shapes[name]) for name in draw.names} for _ in range(2))
    for name in draw.names:
        gradients[name] *= rng.random() < 0.7  # nothing to learn: still a new array
    order = rng.permutation(draw.names).tolist()
    return {
        "weights": weights,
        "gradients": {name: gradients[name] for name in order},
        "learning_rate": draw.learning_rate,
    }


def moved(weights, gradients, learning_rate) -> dict:
    """Number by number."""
    step = np.frompyfunc(lambda weight, gradient: weight - gradient * learning_rate, 2, 1)
    return {name: step(weights[name], gradients[name]).astype(float) for name in weights}


def named_arrays(result) -> str:
    if not isinstance(result, dict):
        return f"expected a dictionary of arrays, got {type(result).__name__}"
    return next((complaint for complaint in map(array("float"), result.values()) if complaint), "")


def by_hand(rng):
    def case(name, weights, gradients, learning_rate, question, points=1):
        given = {"weights": weights, "gradients": gradients, "learning_rate": learning_rate}
        return one_call("sgd_step", name, moved(**given), question, *given.values(), points=points)

    one = {"W": np.array([[1.0, -2.0]])}, {"W": np.array([[10.0, -20.0]])}
    yield case(
        "one step of 0.01 times the gradient", *one, 0.01, "A gradient points uphill. Which way is down?", points=2
    )
    yield case("every weight and every bias", *arguments(Draw(NAMES[:4], 0.5, 3)).values(),
               "Which entries of the dictionary learn? Where does the learning rate come in?")  # fmt: skip
    yield case("no gradient, no step", {"W": np.array([[1.5]])}, {"W": np.array([[0.0]])}, 0.1,
               "At the bottom of the valley the gradient is 0. Where should the step go?")  # fmt: skip

    def held(sgd_step):
        array = np.array([[1.0, -2.0]])
        weights = {"W": array}
        new = sgd_step(weights, {"W": np.array([[10.0, -20.0]])}, 0.01)
        return [array, weights["W"], new is weights]

    lines = 'array = np.array([[1.0, -2.0]])\nweights = {"W": array}\nnew = sgd_step(weights, {"W": np.array([[10.0, -20.0]])}, 0.01)'
    yield Case("the old weights stay as they were", held, [[[1.0, -2.0]], [[1.0, -2.0]], False],
               f'{lines}\narray, weights["W"], new is weights', HELD)  # fmt: skip


STEP = "weights[name] - learning_rate * gradients[name]"
LOOP = "def sgd_step(weights, gradients, learning_rate):\n    for name in weights:\n        "
# fmt: off
WRONG = [
    Wrong("uphill", "the weights follow the gradient: the loss grows", "A gradient points to where the loss grows. Where do you want to go?",
          ("[name] - ", "[name] + ")),
    Wrong("learning rate forgotten", "the whole gradient is subtracted", "Where does the learning rate come in?", ("learning_rate * ", "")),
    Wrong("the step instead of the weights", "only the step comes back, not the weights after it", "What will the next batch be judged with?",
          ("weights[name] - ", "-")),
    Wrong("shrunk weights", "the weights are multiplied by 1 - learning rate times gradient", "Is the step added to the weight, or does the weight scale it?",
          (STEP, "weights[name] * (1 - learning_rate * gradients[name])")),
    Wrong("biases left out", "only the weight matrices learn", "Which entries of the dictionary learn?",
          ("for name in weights}", "if name.startswith('W') else weights[name].copy() for name in weights}")),
    Wrong("by order instead of by name", "weights and gradients are paired by their places in the dictionaries, not by their names",
          "Do both dictionaries name their arrays in the same order?",
          ("gradients[name] for name in weights}", "gradient for name, gradient in zip(weights, gradients.values())}")),
    Wrong("in place", "the step is written into the arrays that were handed over", HELD, code=LOOP + "weights[name] -= learning_rate * gradients[name]\n    return weights"),
    Wrong("a copy of the dictionary only", "the dictionary is new, its arrays are those that were handed over: -= changes them", HELD,
          code=LOOP.replace("    for", "    weights = weights.copy()\n    for") + "weights[name] -= learning_rate * gradients[name]\n    return weights"),
    Wrong("the given dictionary refilled", "the arrays are new, but they are put into the dictionary that was handed over", "Who else holds this dictionary?",
          code=LOOP + f"weights[name] = {STEP}\n    return weights"),
]
# fmt: on


def by_loop(weights, gradients, learning_rate):
    moved = {}
    for key in sorted(weights):
        moved[key] = weights[key] + (-learning_rate) * gradients[key]
    return moved


def on_copies(weights, gradients, learning_rate):
    new = {key: array.copy() for key, array in weights.items()}
    for key in new:
        new[key] -= learning_rate * gradients[key]
    return new


CHECK = Specification(
    draws=DRAWS,
    arguments=arguments,
    oracle=lambda draw: moved(**arguments(draw)),
    returns=named_arrays,
    edges=[Draw(NAMES, rate, 1) for rate in (0.0, 0.01)],
    question="Which way is down, how far, and for which names?",
    by_hand=by_hand,
    wrong=WRONG,
    right=[by_loop, on_copies],
)
