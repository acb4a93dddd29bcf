"""Check sgd_step: every weight moves against its gradient."""

import numpy as np
from hypothesis import strategies as st

from course_utils.tests.catalogue import Wrong
from course_utils.tests.scene import Scenes, pasted
from course_utils.tests.world import first_optimizer  # an answer may use one
from course_utils.tests.world.arrays import array_each, tables

HELD = "`a -= b` changes the array `a` itself. Who else uses this array?"
BY_HAND = f"""
    one step of 0.01 times the gradient (2 points)
    >>> sgd_step({{"W": np.array([[1.0, -2.0]])}}, {{"W": np.array([[10.0, -20.0]])}}, 0.01)
    {{"W": [[0.9, -1.8]]}}
    ? A gradient points uphill. Which way is down?

    every weight and every bias
    >>> weights = {{"W1": np.array([[1.0, 2.0]]), "b1": np.array([0.0, 3.0])}}
    >>> gradients = {{"W1": np.array([[2.0, -2.0]]), "b1": np.array([1.0, 4.0])}}
    >>> sgd_step(weights, gradients, 0.5)
    {{"W1": [[0.0, 3.0]], "b1": [-0.5, 1.0]}}
    ? Which entries of the dictionary should change, and by how much?

    no gradient, no step
    >>> sgd_step({{"W": np.array([[1.5]])}}, {{"W": np.array([[0.0]])}}, 0.1)
    {{"W": [[1.5]]}}
    ? At the lowest point of the loss the gradient is 0. How long should the step be there?

    the old weights stay as they were
    >>> array = np.array([[1.0, -2.0]])
    >>> weights = {{"W": array}}
    >>> new = sgd_step(weights, {{"W": np.array([[10.0, -20.0]])}}, 0.01)
    >>> array, weights["W"], new is weights
    [[1.0, -2.0]], [[1.0, -2.0]], False
    ? {HELD}
"""
SHAPES = {"W1": (2, 2), "b1": (2,), "W2": (2, 2), "b2": (2,), "Wv": (2, 1), "bv": (1,)}
ENTRIES = st.sampled_from(list(SHAPES)).flatmap(  # name, weights, gradient
    lambda name: st.tuples(st.just(name), tables(*SHAPES[name]), tables(*SHAPES[name]))
)


def scene(draw) -> str:
    entries, learning_rate, order = draw
    weights = ", ".join(f'"{name}": {pasted(array)}' for name, array, _ in entries)
    gradients = ", ".join(f'"{name}": {pasted(array)}' for name, _, array in entries[::order])
    return f"weights = {{{weights}}}\ngradients = {{{gradients}}}\nsgd_step(weights, gradients, {learning_rate})"


def named_arrays(result) -> str:
    if not isinstance(result, dict):
        return f"expected a dictionary of arrays, got {type(result).__name__}"
    return array_each(result.items())


STEP = "weights[name] - learning_rate * gradients[name]"
LOOP = "def sgd_step(weights, gradients, learning_rate):\n    for name in weights:\n        "
# fmt: off
WRONG = [
    Wrong("uphill", "the gradient is added instead of subtracted, so the loss grows",
          "A gradient points in the direction in which the loss grows. Which direction do you want?",
          ("[name] - ", "[name] + ")),
    Wrong("learning rate forgotten", "the whole gradient is subtracted", "What should the gradient be multiplied by?",
          ("learning_rate * ", "")),
    Wrong("the step instead of the weights", "only the step is returned instead of the new weights",
          "Which weights should the next batch use?",
          ("weights[name] - ", "-")),
    Wrong("shrunk weights", "the weights are multiplied by 1 - learning rate times gradient",
          "Should the step depend on the size of the weight?",
          (STEP, "weights[name] * (1 - learning_rate * gradients[name])")),
    Wrong("biases left out", "only the weight matrices learn", "Which entries of the dictionary should change?",
          ("for name in weights}", "if name.startswith('W') else weights[name].copy() for name in weights}")),
    Wrong("by order instead of by name",
          "weights and gradients are paired by their places in the dictionaries, not by their names",
          "Do both dictionaries name their arrays in the same order?",
          ("gradients[name] for name in weights}", "gradient for name, gradient in zip(weights, gradients.values())}")),
    Wrong("in place", "the step is written into the caller's arrays", HELD,
          code=LOOP + "weights[name] -= learning_rate * gradients[name]\n    return weights"),
    Wrong("a copy of the dictionary only",
          "the dictionary is new, but it holds the caller's arrays, and -= changes them", HELD,
          code=LOOP.replace("    for",
                            "    weights = weights.copy()\n    for") + "weights[name] -= learning_rate * "
                                                                       "gradients[name]\n    return weights"),
    Wrong("the given dictionary refilled", "the arrays are new, but they are put into the caller's dictionary",
          "Who else uses this dictionary?",
          code=LOOP + f"weights[name] = {STEP}\n    return weights"),
]
# fmt: on


def right_by_loop(weights, gradients, learning_rate):
    moved = {}
    for key in sorted(weights):
        moved[key] = weights[key] + (-learning_rate) * gradients[key]
    return moved


def right_on_copies(weights, gradients, learning_rate):
    new = {key: array.copy() for key, array in weights.items()}
    for key in new:
        new[key] -= learning_rate * gradients[key]
    return new


CHECK = Scenes(
    draws=st.tuples(
        st.lists(ENTRIES, min_size=1, max_size=6, unique_by=lambda entry: entry[0]),
        st.sampled_from([0.5, 0.01, 1.0]),
        st.sampled_from([1, -1]),
    ),
    returns=named_arrays,
    tolerance=1e-5,
    question="Which way is down, how far, and for which names?",
)
