"""Check mlp_forward: two hidden layers, two heads, and all activations are returned."""

import numpy as np

from course_utils.networks.by_hand import Activations
from course_utils.tests.catalogue import Wrong
from course_utils.tests.notebook_21.weights_by_name import NETWORKS, TWO_POSITIONS, some_weights  # noqa: F401
from course_utils.tests.scene import Scenes
from course_utils.tests.world.arrays import array_each

ANSWERS = ("first", "second", "logits", "value")
BY_HAND = f"""
    the shapes of all five
{TWO_POSITIONS}
    >>> [array.shape for array in mlp_forward(weights, x)]
    [(2, 2), (2, 2), (2, 2), (2, 3), (2,)]
    ? A layer with one neuron returns [batch, 1]. How do you take its only column?

    first: after ReLU
{TWO_POSITIONS}
    >>> mlp_forward(weights, x).first
    [[1.5, 0], [2.5, 0.5]]
    ? What does each neuron of the first hidden layer do with its sum?

    second: the second layer reads first
{TWO_POSITIONS}
    >>> mlp_forward(weights, x).second
    [[1.5, 0.5], [4.0, 0]]
    ? What does the second hidden layer read, with which weights, and what does it do with its sums?

    logits: the policy head reads second, without an activation (2 points)
{TWO_POSITIONS}
    >>> mlp_forward(weights, x).logits
    [[1.75, 1.0, -1.0], [4.0, 0.0, -3.5]]
    ? Which layer do the heads read? Does the policy head end in an activation?

    value: the value head reads second, with a tanh (2 points)
{TWO_POSITIONS}
    >>> mlp_forward(weights, x).value
    np.tanh([1.0, 2.5])
    ? Which layer do the heads read? What keeps the value between -1 and 1?
"""


def scene(draw) -> str:
    inputs, hidden, actions, batch, seed = draw
    return f"""\
weights = some_weights({inputs=}, {hidden=}, {actions=}, {seed=})
x = np.random.default_rng({seed}).normal(size=({batch}, {inputs})).round(1)
mlp_forward(weights, x)._asdict()"""


def five_fields(result) -> str:
    if not isinstance(result, tuple) or getattr(result, "_fields", ()) != Activations._fields:
        return f"expected Activations, with the fields {', '.join(Activations._fields)}; got {type(result).__name__}"
    return array_each(zip(Activations._fields, result, strict=True))


FIRST, SECOND = (
    'relu(dense_forward(x, weights["W1"], weights["b1"]))',
    'relu(dense_forward(first, weights["W2"], weights["b2"]))',
)
LOGITS = 'dense_forward(second, weights["Wp"], weights["bp"])'
RETURN = "return Activations(x, first, second, logits, value)"
ONE_COLUMN = "A layer with one neuron returns [batch, 1]. Which dimension should be dropped?"
# fmt: off
WRONG = [
    Wrong("no ReLU at all", "there is no activation in the trunk, so the two layers can do no more than one",
          "Which layers end in ReLU?",
          (FIRST, FIRST[5:-1]), (SECOND, SECOND[5:-1])),
    Wrong("ReLU on the logits", "the policy head ends in ReLU, so no logit can be negative",
          "Which layers end in ReLU?", (LOGITS, f"relu({LOGITS})")),
    Wrong("softmax on the logits", "the logits are already turned into probabilities",
          "Which function does the softmax, and what does it know that the network does not?",
          (LOGITS, f"softmax({LOGITS})")),
    Wrong("tanh forgotten", "the value does not go through tanh, so it can be 7",
          "What is the largest value that a game can have?", ("np.tanh(", "(")),
    Wrong("value of shape [batch, 1]", "the value keeps the dimension of the layer's one neuron",
          "What is the shape of [4, 1] minus [4] in numpy?", ("[:, 0]", "")),
    Wrong("squeezed too much",
          "every dimension of size 1 is dropped, and the batch has size 1 when it holds one position", ONE_COLUMN,
          ("[:, 0]", ".squeeze()")),
    Wrong("value of the first position only", "the first row is taken instead of the first column", ONE_COLUMN,
          ("[:, 0]", "[0]")),
    Wrong("value head on the first layer", "the value head reads the first hidden layer", "What do both heads read?",
          ('(second, weights["Wv"]', '(first, weights["Wv"]')),
    Wrong("sums kept instead of activations", "first and second are returned as they were before ReLU",
          "The docstring of Activations says `after ReLU`. Which of the two does the next layer read?",
          (RETURN, f"return Activations(x, {FIRST[5:-1]}, {SECOND[5:-1]}, logits, value)")),
    Wrong("by order instead of by name",
          "the arrays are taken in the order of the dictionary, so a dictionary in another order is read wrongly",
          "Do the names in the dictionary always come in the same order?",
          ("    first = relu",
           "    weights = dict(zip(['W1', 'b1', 'W2', 'b2', 'Wp', 'bp', 'Wv', 'bv'], weights.values()))\n"
           "    first = relu")),
]
# fmt: on


def right_with_layers_in_a_list(weights, x):
    h, kept = x, [x]
    for layer in "12":
        h = np.maximum(h @ weights["W" + layer] + weights["b" + layer], 0)
        kept.append(h)
    return Activations(*kept, h @ weights["Wp"] + weights["bp"], np.tanh(h @ weights["Wv"] + weights["bv"]).ravel())


def right_with_one_head_matrix(weights, x):
    a = (x.dot(weights["W1"]) + weights["b1"]).clip(0)
    b = (a.dot(weights["W2"]) + weights["b2"]).clip(0)
    heads = b @ np.hstack([weights["Wp"], weights["Wv"]]) + np.append(weights["bp"], weights["bv"])
    return Activations(x=x, first=a, second=b, logits=heads[:, :-1], value=np.tanh(heads[:, -1]))


CHECK = Scenes(
    draws=NETWORKS,
    returns=five_fields,
    fresh=lambda result: [getattr(result, name) for name in ANSWERS],
    tolerance=1e-5,
    question="What does each layer read, with which weights, and what happens to its sums?",
)
