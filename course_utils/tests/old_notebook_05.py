"""Checks of notebook 05: the network."""

import copy
import math

import numpy as np
import torch

from course_utils.networks.by_hand import Activations
from course_utils.networks.policy_value import PolicyValueNet
from course_utils.tests.framework import Case, Raises, Such, calls, check, leaves_alone, show, wrong

# --- relu ------------------------------------------------------------------------------------------------------------


@check
def relu(rng):
    yield calls(
        "relu", np.array([-2.0, -0.5, 0.0, 0.5, 3.0]), name="negative numbers become 0, the others stay", expected=[0, 0, 0, 0.5, 3.0],
        question="A neuron of this kind is silent, or says how strongly it agrees. What does it say below 0, what above?", points=2,
        call="relu(np.array([-2.0, -0.5, 0.0, 0.5, 3.0]))",
    )  # fmt: skip
    x = rng.normal(scale=3, size=(3, 4)).round(2)
    x[0, 0], x[1, 2] = -1.25, 4.5
    yield calls(
        "relu", x, name="a batch of layers: the shape stays", expected=[[max(0.0, number) for number in row] for row in x.tolist()],
        question="Does anything in your code depend on how many dimensions x has?", call=f"relu(np.array({show(x)}))",
    )  # fmt: skip
    yield Case(
        "any shape", lambda answer: [list(np.shape(answer(np.full(shape, -1.0)))) for shape in ((5,), (2, 1), (2, 3, 4))],
        [[5], [2, 1], [2, 3, 4]], "[relu(np.full(shape, -1.0)).shape for shape in ((5,), (2, 1), (2, 3, 4))]",
        "Does anything in your code depend on how many dimensions x has?",
    )  # fmt: skip
    yield leaves_alone(
        "relu", np.array([[-1.0, 2.0], [3.0, -4.0]]),
        question="The backward pass will want the numbers as they came in: does your function write into them?",
    )  # fmt: skip


_RELU = "return np.maximum(x, 0)"
wrong("relu", "absolute value", "negative numbers lose their sign instead of becoming 0",
      "What should -3 become?", (_RELU, "return np.abs(x)"))  # fmt: skip
wrong("relu", "minimum for maximum", "the negative numbers are kept and the positive ones become 0",
      "Of x and 0, which one is wanted: the larger or the smaller?", (_RELU, "return np.minimum(x, 0)"))  # fmt: skip
wrong("relu", "the derivative", "the result is 1 or 0: that is the slope of ReLU, which the backward pass needs",
      "What should 3 become?", (_RELU, "return (x > 0).astype(float)"))  # fmt: skip
wrong("relu", "one number", "np.max gives the single largest number instead of comparing each with 0",
      "Which numpy function compares two things element by element?", (_RELU, "return max(np.max(x), 0)"))  # fmt: skip
wrong("relu", "a leak", "negative numbers are made small instead of 0: a leaky ReLU",
      "What does the docstring say about negative numbers?", (_RELU, "return np.where(x > 0, x, 0.01 * x)"))  # fmt: skip
wrong("relu", "cut off at 1", "numbers above 1 become 1", "Is there a largest number that a ReLU can say?",
      (_RELU, "return np.clip(x, 0, 1)"))  # fmt: skip
wrong("relu", "sigmoid", "this is another activation: it squeezes every number between 0 and 1",
      "What should 3 become?", (_RELU, "return 1 / (1 + np.exp(-x))"))  # fmt: skip
wrong("relu", "in place", "the zeros are written into the array that was handed over",
      "Who else holds this array?", (_RELU, "x[x < 0] = 0\n    return x"))  # fmt: skip
wrong("relu", "negative numbers dropped", "the negative numbers are left out, so that places shift",
      "How many numbers come back?", (_RELU, "return x[x >= 0]"))  # fmt: skip


# --- dense_forward ---------------------------------------------------------------------------------------------------


def _neurons(x, W, b) -> list[list[float]]:
    """A dense layer by the definition: neuron by neuron, input by input, in plain Python."""
    return [
        [sum(row[i] * W[i][j] for i in range(len(row))) + b[j] for j in range(len(b))]
        for row in x.tolist()
    ]  # fmt: skip


def _dense_case(name: str, x, W, b, question: str, points: int = 1) -> Case:
    return calls(
        "dense_forward", x, W, b, name=name, expected=_neurons(x, W, b), question=question, points=points,
        call=f"x = np.array({show(x)})\nW = np.array({show(W)})\nb = np.array({show(b)})\ndense_forward(x, W, b)",
    )  # fmt: skip


@check
def dense_forward(rng):
    def numbers(*shape):
        return rng.choice([-2.5, -1.5, -1.0, -0.5, 0.5, 1.0, 1.5, 2.0, 3.0], size=shape)

    yield _dense_case(
        "the neuron of the text", np.array([[1.0, 0.0, 1.0]]), np.array([[0.5], [-1.0], [2.0]]), np.array([-0.7]),
        "Each input times its weight, all of it added up. And then?",
    )  # fmt: skip
    W = np.array([[1.0, 2.0], [-3.0, 4.0]])
    yield _dense_case(
        "two inputs, two neurons", np.array([[1.0, 10.0]]), W, np.array([0.5, -0.25]),
        "Which index of W says from which input a weight comes, and which to which neuron it goes?", points=2,
    )  # fmt: skip
    yield _dense_case(
        "four positions, three inputs, two neurons: [4, 2]", numbers(4, 3), numbers(3, 2), numbers(2),
        "[4, 3] times [3, 2] is [4, 2]. Which product of matrices is that?", points=2,
    )  # fmt: skip
    yield _dense_case(
        "no activation: a sum may be negative", np.array([[1.0, 1.0]]), np.array([[-2.0], [0.5]]), np.array([0.25]),
        "Whose business is it to cut off at 0: the layer's or relu's?",
    )  # fmt: skip
    yield _dense_case(
        "the empty board: only the biases speak", np.zeros((3, 4)), numbers(4, 3), np.array([1.0, -2.0, 3.0]),
        "Weights times 0 are 0. What is left?",
    )  # fmt: skip
    yield leaves_alone("dense_forward", numbers(2, 3), numbers(3, 2), numbers(2))


_DENSE = "return x @ W + b"
wrong("dense_forward", "bias forgotten", "the bias is not added", "What does a neuron say when all its inputs are 0?",
      (_DENSE, "return x @ W"))  # fmt: skip
wrong("dense_forward", "weights transposed", "W is turned round: inputs and neurons trade places",
      "W is [inputs, outputs], and x is [batch, inputs]. Which neighbors must be equal in a product of matrices?",
      (_DENSE, "return x @ W.T + b"))  # fmt: skip
wrong("dense_forward", "bias before the weights", "the bias is added to the inputs instead of the sums",
      "A bias belongs to a neuron, not to an input. Where does it come in?", (_DENSE, "return (x + b) @ W"))  # fmt: skip
wrong("dense_forward", "one bias for all", "every neuron gets the sum of all biases", "How many biases does one neuron have?",
      (_DENSE, "return x @ W + b.sum()"))  # fmt: skip
wrong("dense_forward", "bias subtracted", "the bias is subtracted", "Which sign has the bias in the formula?",
      (_DENSE, "return x @ W - b"))  # fmt: skip
wrong("dense_forward", "with ReLU", "negative sums are cut off: the activation is inside the layer",
      "How would a value head say that a position is lost?", (_DENSE, "return np.maximum(x @ W + b, 0)"))  # fmt: skip
wrong("dense_forward", "divided by the inputs", "the sum is divided by the number of inputs: a mean",
      "Is a neuron a sum or a mean?", (_DENSE, "return x @ W / len(W) + b"))  # fmt: skip
wrong("dense_forward", "element by element", "* multiplies numbers in the same place; a layer needs the product of matrices",
      "Which operator multiplies matrices?", (_DENSE, "return x * W + b"))  # fmt: skip
wrong("dense_forward", "first position only", "only the first row of the batch is answered",
      "How many rows does x have, and how many does your result?", (_DENSE, "return x[0] @ W + b"))  # fmt: skip
wrong("dense_forward", "in place", "x is overwritten", "Who else holds this array?",
      (_DENSE, "out = x @ W + b\n    x[:] = 0\n    return out"))  # fmt: skip


# --- a small network for the checks ----------------------------------------------------------------------------------


def _small_weights(rng, inputs=5, hidden=3, actions=3) -> dict:
    """The 46 numbers of a 5-3-3-{3, 1} network, none near 0, so that nothing that matters hides."""
    shapes = dict(W1=(inputs, hidden), b1=(hidden,), W2=(hidden, hidden), b2=(hidden,), Wp=(hidden, actions), bp=(actions,),
                  Wv=(hidden, 1), bv=(1,))  # fmt: skip
    return {name: rng.uniform(0.2, 0.9, shape) * rng.choice([-1.0, 1.0], shape) for name, shape in shapes.items()}


def _in_torch(weights: dict, x) -> tuple[dict, list[torch.Tensor]]:
    """The network in torch: leaf tensors by name, and [x, first, second, logits, value]."""
    leaves = {name: torch.tensor(array, dtype=torch.float64, requires_grad=True) for name, array in weights.items()}
    x = torch.tensor(x, dtype=torch.float64)
    first = torch.relu(x @ leaves["W1"] + leaves["b1"])
    second = torch.relu(first @ leaves["W2"] + leaves["b2"])
    logits = second @ leaves["Wp"] + leaves["bp"]
    value = torch.tanh(second @ leaves["Wv"] + leaves["bv"]).squeeze(-1)
    return leaves, [x, first, second, logits, value]


def _lively(rng, batch: int, inputs=5, hidden=3, actions=3):
    """Weights and x with silent and loud neurons in both layers, each loud at least once, and values that are not extreme."""
    for _ in range(10_000):
        weights, x = _small_weights(rng, inputs, hidden, actions), rng.choice([-1.0, 0.5, 1.0], size=(batch, inputs))
        _, (_, first, second, logits, value) = _in_torch(weights, x)
        layers = [layer.detach().numpy() for layer in (first, second)]
        mixed = all((layer > 0.05).any() and (layer == 0).any() for layer in layers)
        if (
            mixed
            and abs(value).min() > 0.1
            and abs(value).max() < 0.9
            and (logits < 0).any()
            and (layers[1] > 0).sum() >= batch
        ):
            return weights, x
    raise RuntimeError("no such network was drawn")


def _plain_activations(weights, x) -> Activations:
    """What `mlp_forward` returns, computed by torch."""
    return Activations(*[layer.detach().numpy() for layer in _in_torch(weights, x)[1]])


# --- mlp_forward -----------------------------------------------------------------------------------------------------


@check
def mlp_forward(rng):
    weights, x = _lively(rng, 4)
    expected = _plain_activations(weights, x)
    call = "weights: a 5-3-3-{3, 1} network;  x: four positions, [4, 5]\nmlp_forward(weights, x)"

    def field(name):
        return lambda answer: getattr(answer(copy.deepcopy(weights), x.copy()), name)

    yield Case(
        "the shapes of all five: [4, 5], [4, 3], [4, 3], [4, 3], [4]",
        lambda answer: [list(np.shape(part)) for part in answer(copy.deepcopy(weights), x.copy())],
        [[4, 5], [4, 3], [4, 3], [4, 3], [4]], f"[part.shape for part in {call.splitlines()[1]}]",
        "A layer with one neuron returns [batch, 1]. How does one take its only column?",
    )  # fmt: skip
    questions = {
        "first": "What does each neuron of the first hidden layer do with its sum?",
        "second": "What does the second hidden layer read, with which weights, and what does it do with its sums?",
        "logits": "Which layer do the heads read? Does the policy head end in an activation?",
        "value": "Which layer do the heads read? What keeps the value between -1 and 1?",
    }
    for name, question in questions.items():
        points = 2 if name in ("logits", "value") else 1
        yield Case(
            f"{name}, of four positions",
            field(name),
            getattr(expected, name),
            f"{call}.{name}",
            question,
            points=points,
        )
    yield Case(
        "x is kept",
        field("x"),
        x,
        f"{call}.x",
        "The backward pass needs what went into the first layer. Is it in the result?",
    )
    one_weights, one_x = _lively(rng, 1, inputs=4, hidden=6, actions=2)
    one = _plain_activations(one_weights, one_x)
    yield Case(
        "another size, one position",
        lambda answer: [answer(copy.deepcopy(one_weights), one_x.copy()).logits, answer(copy.deepcopy(one_weights), one_x.copy()).value],
        [one.logits, one.value], "weights: a 4-6-6-{2, 1} network;  x: [1, 4]\nmlp_forward(weights, x).logits, mlp_forward(weights, x).value",
        "Does anything in your code know how wide a layer is, or how many positions there are?",
    )  # fmt: skip

    def untouched(answer):
        given, board = copy.deepcopy(weights), x.copy()
        answer(given, board)
        return all(np.array_equal(given[name], weights[name]) for name in weights) and bool(np.array_equal(board, x))

    yield Case(
        "leaves weights and x as they were", untouched, Such("unchanged", lambda kept: kept), call, "Who else holds these arrays?"
    )  # fmt: skip


_FIRST = 'first = relu(dense_forward(x, weights["W1"], weights["b1"]))'
_SECOND = 'second = relu(dense_forward(first, weights["W2"], weights["b2"]))'
_WP = 'logits = dense_forward(second, weights["Wp"], weights["bp"])'
_WV = 'value = np.tanh(dense_forward(second, weights["Wv"], weights["bv"]))[:, 0]'
_ACTS = "return Activations(x, first, second, logits, value)"
wrong("mlp_forward", "no ReLU in the first layer", "the first hidden layer has no activation",
      "What can two layers without anything in between do that one can't?", (_FIRST, 'first = dense_forward(x, weights["W1"], weights["b1"])'))  # fmt: skip
wrong("mlp_forward", "no ReLU in the second layer", "the second hidden layer has no activation",
      "Which layers end in ReLU?", (_SECOND, 'second = dense_forward(first, weights["W2"], weights["b2"])'))  # fmt: skip
wrong("mlp_forward", "no ReLU at all", "there is no activation in the trunk: the two layers are no more than one",
      "Which layers end in ReLU?", (_FIRST, 'first = dense_forward(x, weights["W1"], weights["b1"])'),
      (_SECOND, 'second = dense_forward(first, weights["W2"], weights["b2"])'))  # fmt: skip
wrong("mlp_forward", "ReLU on the logits", "the policy head ends in ReLU: no logit can be negative", "Which layers end in ReLU?",
      (_WP, 'logits = relu(dense_forward(second, weights["Wp"], weights["bp"]))'))  # fmt: skip
wrong("mlp_forward", "softmax on the logits", "the logits are already turned into probabilities",
      "Who will do the softmax, and what must that one know that the network does not?",
      (_WP, 'logits = softmax(dense_forward(second, weights["Wp"], weights["bp"]))'))  # fmt: skip
wrong("mlp_forward", "tanh forgotten", "the value is not squashed: it can be 7", "What is the largest value that a game can have?",
      (_WV, 'value = dense_forward(second, weights["Wv"], weights["bv"])[:, 0]'))  # fmt: skip
wrong("mlp_forward", "sigmoid for tanh", "the value lies between 0 and 1: it can never say that a position is lost",
      "Where should the value of a draw lie?",
      (_WV, 'value = 1 / (1 + np.exp(-dense_forward(second, weights["Wv"], weights["bv"])))[:, 0]'))  # fmt: skip
wrong("mlp_forward", "ReLU for tanh", "the value can't be negative: no position is ever lost",
      "What should the network say about a lost position?", ("np.tanh(", "relu("))  # fmt: skip
wrong("mlp_forward", "value of shape [batch, 1]", "the value keeps the dimension of the layer's one neuron",
      "What is [4, 1] minus [4] in numpy? (Not [4]!)", ("[:, 0]", ""))  # fmt: skip
wrong("mlp_forward", "squeezed too much", "all dimensions of size 1 go, the batch's included when it has one position",
      "Which dimension do you mean?", ("[:, 0]", ".squeeze()"))  # fmt: skip
wrong("mlp_forward", "value of the first position only", "the first row is taken instead of the first column",
      "Which index of [batch, 1] is the position?", ("[:, 0]", "[0]"))  # fmt: skip
wrong("mlp_forward", "value head on the first layer", "the value head reads the first hidden layer", "What do both heads read?",
      ("np.tanh(dense_forward(second", "np.tanh(dense_forward(first"))  # fmt: skip
wrong("mlp_forward", "policy head on the first layer", "the policy head reads the first hidden layer", "What do both heads read?",
      ("logits = dense_forward(second", "logits = dense_forward(first"))  # fmt: skip
wrong("mlp_forward", "first bias twice", "the second layer uses the first one's biases", "Which names belong to the second layer?",
      ('weights["b2"]', 'weights["b1"]'))  # fmt: skip
wrong("mlp_forward", "no hidden biases", "the hidden layers' biases are not added", "What does each layer add to its weighted sums?",
      ('weights["b1"]', '0 * weights["b1"]'), ('weights["b2"]', '0 * weights["b2"]'))  # fmt: skip
wrong("mlp_forward", "sums kept instead of activations", "first and second are returned as they were before ReLU",
      "Activations says of its fields: after ReLU. Which of the two did the next layer read?",
      (_ACTS, 'return Activations(x, dense_forward(x, weights["W1"], weights["b1"]), dense_forward(first, weights["W2"], weights["b2"]), logits, value)'))  # fmt: skip
wrong("mlp_forward", "answers swapped", "value and logits stand in each other's place", "In which order does Activations name them?",
      (_ACTS, "return Activations(x, first, second, value, logits)"))  # fmt: skip
wrong("mlp_forward", "layers swapped", "first and second stand in each other's place", "In which order does Activations name them?",
      (_ACTS, "return Activations(x, second, first, logits, value)"))  # fmt: skip


# --- softmax ---------------------------------------------------------------------------------------------------------


def _policies(logits) -> list[list[float]]:
    """Row by row, by the definition, with each row's largest number taken away."""
    rows = [[math.exp(number - max(row)) for number in row] for row in np.asarray(logits).tolist()]
    return [[weight / sum(row) for weight in row] for row in rows]


def _softmax_case(name: str, logits, question: str, points: int = 1) -> Case:
    logits = np.array(logits, dtype=np.float64)
    return calls(
        "softmax", logits, name=name, expected=_policies(logits), question=question, points=points,
        call=f"softmax(np.array({show(logits)}))",
    )  # fmt: skip


@check
def softmax(rng):
    yield _softmax_case(
        "one position: 0, ln 2, ln 5 give 1/8, 2/8, 5/8", [[0.0, math.log(2), math.log(5)]],
        "What turns any number into a positive one, and what makes positive numbers sum to 1?",
    )  # fmt: skip
    row = "Which sum does each number get divided by: its row's, its column's, or everything's?"
    yield _softmax_case("two positions, each with its own policy", rng.normal(size=(2, 5)).round(1), row, points=2)
    yield _softmax_case(
        "as many positions as actions", rng.normal(size=(3, 3)).round(1) + np.array([[0.0], [1.0], [2.0]]), row
    )
    big = (
        "exp(1000) is infinite. Adding one number to a whole row changes none of its probabilities: which number helps?"
    )
    yield _softmax_case("large logits do not overflow", [[1000.0, 998.0, 990.0]], big, points=2)
    yield _softmax_case("very negative ones do not vanish in 0 / 0", [[-2000.0, -2001.0, -2002.0]], big)
    yield _softmax_case(
        "two positions of very different height", [[2000.0, 1999.0], [1.0, 2.0]],
        "Whose largest number do you subtract: the row's, or that of the whole batch?",
    )  # fmt: skip
    yield leaves_alone("softmax", np.array([[0.5, 2.0, 0.1]]))


_WEIGHTS = "weights = np.exp(logits - logits.max(axis=1, keepdims=True))"
_SOFT = "return weights / weights.sum(axis=1, keepdims=True)"
wrong("softmax", "overflow", "nothing is subtracted: exp(1000) is infinite", "Which number can you subtract from a row without changing its policy?",
      (_WEIGHTS, "weights = np.exp(logits)"))  # fmt: skip
wrong("softmax", "one maximum for the whole batch", "the same number is subtracted from all rows: a row far below it becomes 0 / 0",
      "Whose largest number do you subtract?", (_WEIGHTS, "weights = np.exp(logits - logits.max())"))  # fmt: skip
wrong("softmax", "over the batch", "the sum runs over the positions instead of the actions", "Which axis are the actions: 0 or 1?",
      ("weights.sum(axis=1, keepdims=True)", "weights.sum(axis=0, keepdims=True)"),
      ("logits.max(axis=1, keepdims=True)", "logits.max(axis=0, keepdims=True)"))  # fmt: skip
wrong("softmax", "one sum for the whole batch", "all positions together sum to 1 instead of each", "What does each row have to sum to?",
      (_SOFT, "return weights / weights.sum()"))  # fmt: skip
wrong("softmax", "keepdims forgotten", "without keepdims numpy lines the sums up with the columns",
      "Which shape has `weights.sum(axis=1)`, and which do you want to divide by?",
      ("logits.max(axis=1, keepdims=True)", "logits.max(axis=1)"), ("weights.sum(axis=1, keepdims=True)", "weights.sum(axis=1)"))  # fmt: skip
wrong("softmax", "keepdims forgotten in the sum", "without keepdims numpy lines the sums up with the columns",
      "Which shape has `weights.sum(axis=1)`, and which do you want to divide by?",
      ("weights.sum(axis=1, keepdims=True)", "weights.sum(axis=1)"))  # fmt: skip
wrong("softmax", "the sign turned", "the largest logit gets the smallest probability", "Which logit should get the most?",
      (_WEIGHTS, "weights = np.exp(logits.min(axis=1, keepdims=True) - logits)"))  # fmt: skip
wrong("softmax", "divided without exp", "the logits themselves are divided by their sum", "Which function makes any number positive?",
      ("np.exp(logits - logits.max(axis=1, keepdims=True))", "logits"))  # fmt: skip
wrong("softmax", "powers of 2", "2 ** logit is used for e ** logit", "Which base does the docstring name?", ("np.exp(", "np.exp2("))  # fmt: skip
wrong("softmax", "log-probabilities", "the result is the logarithm of the policy", "What do probabilities sum to?",
      (_SOFT, f"return np.log({_SOFT[7:]})"))  # fmt: skip
wrong("softmax", "not divided", "the weights are not divided by their sum", "What do probabilities sum to?", (_SOFT, "return weights"))  # fmt: skip
wrong("softmax", "best action only", "everything goes to the largest logit", "How much is a second best action worth?",
      (_SOFT, "return (weights == 1).astype(float)"))  # fmt: skip
wrong("softmax", "in place", "the maximum is subtracted from the array that was handed over", "Who else holds this array?",
      (_WEIGHTS, "logits -= logits.max(axis=1, keepdims=True)\n    weights = np.exp(logits)"))  # fmt: skip


# --- cross_entropy ---------------------------------------------------------------------------------------------------


def _entropy_case(name: str, policy, target, expected: float, question: str, points: int = 1) -> Case:
    policy, target = np.array(policy, dtype=np.float64), np.array(target, dtype=np.float64)
    return calls(
        "cross_entropy", policy, target, name=name, expected=expected, question=question, points=points,
        call=f"cross_entropy(np.array({show(policy)}), np.array({show(target)}))",
    )  # fmt: skip


def _mean_surprise(policy, target) -> float:
    rows = zip(np.asarray(policy).tolist(), np.asarray(target).tolist(), strict=True)
    return sum(-t * math.log(p) for row, wanted in rows for p, t in zip(row, wanted, strict=True) if t > 0) / len(
        policy
    )


@check
def cross_entropy(rng):
    p, t = [[0.5, 0.3, 0.2]], [[0.7, 0.2, 0.1]]
    yield _entropy_case(
        "the example of the text", p, t, _mean_surprise(p, t), "Each action's target times the logarithm of what the network gave it. And the sign?",
        points=2,
    )  # fmt: skip
    yield _entropy_case("a target that is certain: -ln of what the network gave it", [[0.25, 0.75]], [[1.0, 0.0]], math.log(4),
                        "Which of the two is under the logarithm: what the network says, or what it should say?")  # fmt: skip
    yield _entropy_case("a uniform policy over nine actions: ln 9", [[1 / 9] * 9], [rng.dirichlet(np.ones(9))], math.log(9),
                        "If the network gives every action 1/9, does it matter what the target is?")  # fmt: skip
    policy, target = rng.dirichlet(np.ones(4), size=3), rng.dirichlet(np.ones(4), size=3)
    yield _entropy_case("three positions: a mean over the positions, a sum over the actions", policy, target, _mean_surprise(policy, target),
                        "Over what is the sum, over what the mean?", points=2)  # fmt: skip
    zero = "0 times the logarithm of 0 should be 0. What does numpy make of it?"
    yield _entropy_case(
        "an illegal action: target 0, policy 0", [[0.5, 0.0, 0.5]], [[0.25, 0.0, 0.75]], math.log(2), zero, points=2
    )
    policy, target = [[0.2, 0.8, 0.0], [0.1, 0.3, 0.6]], [[1.0, 0.0, 0.0], [0.0, 0.5, 0.5]]
    yield _entropy_case("zeros in one of two positions", policy, target, _mean_surprise(policy, target), zero)
    yield _entropy_case("policy and target the same: the entropy, not 0", t, t, _mean_surprise(t, t),
                        "Why is the result not 0 when the network says just what it should?")  # fmt: skip
    yield leaves_alone("cross_entropy", np.array([[0.5, 0.0, 0.5]]), np.array([[0.25, 0.0, 0.75]]))


_CE = "return -(target[wanted] * np.log(policy[wanted])).sum() / len(target)"
wrong("cross_entropy", "sign forgotten", "the logarithm of a probability is negative, and so is your result",
      "A loss should be large when the network is wrong: which sign does that take?", (_CE, _CE.replace("-(", "(")))  # fmt: skip
wrong("cross_entropy", "sum over the batch", "the positions are added up instead of averaged",
      "Should the loss double when the batch does?", (" / len(target)", ""))  # fmt: skip
wrong("cross_entropy", "mean over the actions, too", "the sum over the actions is a mean: the result is too small by the number of actions",
      "How many numbers does your mean run over?", ("/ len(target)", "/ target.size"))  # fmt: skip
wrong("cross_entropy", "0 log 0 is NaN", "an action with target 0 and policy 0 makes the result NaN: numpy's 0 * -infinity",
      "For which actions need you take the logarithm at all?", (_CE, "return -(target * np.log(policy)).sum() / len(target)"))  # fmt: skip
wrong("cross_entropy", "policy and target exchanged", "the logarithm is taken of the target", "Which of the two can the network change?",
      (_CE, "return -(policy[wanted] * np.log(target[wanted])).sum() / len(target)"))  # fmt: skip
wrong("cross_entropy", "squared error", "this is the squared error", "Where is the logarithm?",
      (_CE, "return ((policy - target) ** 2).sum() / len(target)"))  # fmt: skip
wrong("cross_entropy", "Kullback-Leibler divergence", "the target's own entropy is subtracted: 0 where the two are the same",
      "The formula has one logarithm. How many has yours?",
      (_CE, "return (target[wanted] * (np.log(target[wanted]) - np.log(policy[wanted]))).sum() / len(target)"))  # fmt: skip
wrong("cross_entropy", "logarithm to base 2", "the logarithm has the base 2", "Which logarithm is ln?", ("np.log(", "np.log2("))  # fmt: skip
wrong("cross_entropy", "best action only", "only the target's largest action counts", "What becomes of the other actions that the search visited?",
      (_CE, "rows = np.arange(len(target))\n    return -np.log(policy[rows, target.argmax(axis=1)]).mean()"))  # fmt: skip
wrong("cross_entropy", "the target as a mask", "each action with a target counts the same, whatever its target",
      "Where does the size of the target come in?", ("target[wanted] * ", ""))  # fmt: skip
wrong("cross_entropy", "one number for each position", "the mean over the batch is missing", "How many numbers come back?",
      (_CE, "return -(target * np.log(np.where(wanted, policy, 1))).sum(axis=1)"))  # fmt: skip
wrong("cross_entropy", "both sides", "a term for everything that is *not* chosen is added, as where each action is a yes or no of its own",
      "The nine actions share one probability of 1. How many terms does the sum have?",
      (_CE, "rest = policy < 1\n    return -((target[wanted] * np.log(policy[wanted])).sum() + ((1 - target)[rest] * np.log(1 - policy[rest])).sum()) / len(target)"))  # fmt: skip
wrong("cross_entropy", "a softmax too many", "a softmax is taken of what is a policy already", "What do the rows of `policy` sum to?",
      (_CE, "policy = softmax(policy)\n    return -(target[wanted] * np.log(policy[wanted])).sum() / len(target)"))  # fmt: skip


# --- dense_backward --------------------------------------------------------------------------------------------------


def _gradients_by_loops(d_out, x, W) -> list:
    """Every partial derivative on its own, in plain Python: sums over all ways from a number to the loss."""
    batch, inputs, outputs = len(x), len(W), len(W[0])
    d_x = [[sum(d_out[n][j] * W[i][j] for j in range(outputs)) for i in range(inputs)] for n in range(batch)]
    d_W = [[sum(x[n][i] * d_out[n][j] for n in range(batch)) for j in range(outputs)] for i in range(inputs)]
    d_b = [sum(d_out[n][j] for n in range(batch)) for j in range(outputs)]
    return [d_x, d_W, d_b]


@check
def dense_backward(rng):
    def numbers(*shape):
        return rng.choice([-2.5, -1.5, -1.0, -0.5, 0.5, 1.0, 1.5, 2.0, 3.0], size=shape)

    def case(part: int, name: str, d_out, x, W, question: str, points: int = 1) -> Case:
        call = f"d_out = np.array({show(d_out)})\nx = np.array({show(x)})\nW = np.array({show(W)})\ndense_backward(d_out, x, W)[{part}]"
        expected = _gradients_by_loops(d_out.tolist(), x.tolist(), W.tolist())[part]
        return Case(
            name, lambda answer: answer(d_out.copy(), x.copy(), W.copy())[part], expected, call, question, points=points
        )

    shape = numbers(4, 2), numbers(4, 3), numbers(3, 2)
    yield Case(
        "three gradients, each in the shape of what it belongs to",
        lambda answer: [list(np.shape(part)) for part in answer(*copy.deepcopy(shape))], [[4, 3], [3, 2], [2]],
        "d_out: [4, 2];  x: [4, 3];  W: [3, 2]\n[part.shape for part in dense_backward(d_out, x, W)]",
        "A gradient says for each number how the loss changes when it does. How many numbers has x, how many W, how many b?",
    )  # fmt: skip
    one = np.array([[2.0]]), np.array([[3.0]]), np.array([[5.0]])
    words = ("d_x", "d_W", "d_b")
    asks = (
        "If x grows by 1, by how much does the output grow? And the loss, if each 1 of output costs it 2?",
        "If W grows by 1, by how much does the output grow? It depends on x.",
        "If b grows by 1, by how much does the output grow?",
    )
    for part in range(3):
        yield case(part, f"{words[part]} of one weight, one position", *one, asks[part])
    squares = numbers(1, 2), numbers(1, 2), np.array([[1.0, 2.0], [-3.0, 4.0]])
    yield case(
        0,
        "d_x through two inputs and two neurons",
        *squares,
        "x[i] reaches every neuron j, through W[i, j]. What adds up?",
        points=2,
    )
    batch = numbers(3, 2), numbers(3, 4), numbers(4, 2)
    yield case(
        0,
        "d_x of a batch: each position for itself",
        *batch,
        "x[i] reaches every neuron j, through W[i, j]. What adds up?",
    )
    for part in (1, 2):
        yield case(part, f"{words[part]} of a batch: a sum over the positions", *batch,
                   "All positions use the same weights: what each of them asks for must come together. As a mean or as a sum?", points=2)  # fmt: skip
    yield leaves_alone("dense_backward", *batch)


_DX, _DW, _DB = "d_x = d_out @ W.T", "d_W = x.T @ d_out", "d_b = d_out.sum(axis=0)"
_DRETURN = "return d_x, d_W, d_b"
wrong("dense_backward", "W not transposed", "the gradient goes back through W as if it went forward", "d_out is [batch, outputs] and d_x [batch, inputs]: which way must W lie?",
      (_DX, "d_x = d_out @ W"))  # fmt: skip
wrong("dense_backward", "x and d_out exchanged in d_W", "d_W is turned round", "Which shape has W?", (_DW, "d_W = d_out.T @ x"))  # fmt: skip
wrong("dense_backward", "means instead of sums", "d_W and d_b are divided by the batch once more", "Who divided by the batch already?",
      (_DW, "d_W = x.T @ d_out / len(x)"), (_DB, "d_b = d_out.mean(axis=0)"))  # fmt: skip
wrong("dense_backward", "d_b as a mean", "d_b is a mean, though d_W is a sum", "Who divided by the batch already?", (_DB, "d_b = d_out.mean(axis=0)"))  # fmt: skip
wrong("dense_backward", "d_W as a mean", "d_W is a mean, though d_b is a sum", "Who divided by the batch already?", (_DW, "d_W = x.T @ d_out / len(x)"))  # fmt: skip
wrong("dense_backward", "d_b not summed", "d_b keeps one row for each position", "Which shape has b?", (_DB, "d_b = d_out.copy()"))  # fmt: skip
wrong("dense_backward", "d_b summed over the neurons", "d_b is summed over the wrong axis", "There is one bias for each neuron. Over what is the sum?",
      (_DB, "d_b = d_out.sum(axis=1)"))  # fmt: skip
wrong("dense_backward", "d_b keeps a dimension", "d_b is [1, outputs]", "Which shape has b?", (_DB, "d_b = d_out.sum(axis=0, keepdims=True)"))  # fmt: skip
wrong("dense_backward", "d_b all together", "d_b is one number for all neurons", "There is one bias for each neuron. Over what is the sum?", (_DB, "d_b = d_out.sum()"))  # fmt: skip
wrong("dense_backward", "another order", "d_W comes first", "In which order does the docstring name them?", (_DRETURN, "return d_W, d_b, d_x"))  # fmt: skip
wrong("dense_backward", "d_b forgotten", "the biases get no gradient: they will never learn", "If b grows by 1, by how much does the output grow?",
      (_DB, "d_b = np.zeros(d_out.shape[1])"))  # fmt: skip
wrong("dense_backward", "d_W without d_out", "d_W does not depend on what the loss asks for", "The chain rule multiplies two things. Which is missing?",
      (_DW, "d_W = x.T @ np.ones_like(d_out)"))  # fmt: skip
wrong("dense_backward", "d_W multiplied by W", "d_W contains W itself", "The output is x W + b. What is its derivative with respect to W?", (_DW, "d_W = (x.T @ d_out) * W"))  # fmt: skip
wrong("dense_backward", "first position only", "only the first position's gradient reaches the weights", "What of the other positions?",
      (_DW, "d_W = x[:1].T @ d_out[:1]"), (_DB, "d_b = d_out[0]"))  # fmt: skip
wrong("dense_backward", "sign turned", "all gradients point downhill: sgd_step will turn them again", "Who subtracts: the gradient, or the step?",
      (_DRETURN, "return -d_x, -d_W, -d_b"))  # fmt: skip


# --- network_backward ------------------------------------------------------------------------------------------------

_NAMES = ("W1", "b1", "W2", "b2", "Wp", "bp", "Wv", "bv")


def _autograd(weights, x, policy, value) -> dict:
    """torch's gradients of the two losses' sum, in float64."""
    leaves, (_, _, _, logits, answer) = _in_torch(weights, x)
    loss = ((torch.tensor(value) - answer) ** 2).mean() - (torch.tensor(policy) * torch.log_softmax(logits, 1)).sum(
        1
    ).mean()
    loss.backward()
    return {name: leaf.grad.numpy() for name, leaf in leaves.items()}


@check
def network_backward(rng):
    weights, x = _lively(rng, 4)
    policy, value = rng.dirichlet(np.ones(3), size=4), np.array([1.0, -1.0, 0.0, 1.0])
    activations = _plain_activations(weights, x)
    own = activations._replace(value=activations.value.copy())
    only_value = policy_of(activations.logits)  # the policy is right already
    call = "weights: a 5-3-3-{3, 1} network;  four positions\ngradients = network_backward(weights, activations, target_policy, target_value)\n"

    def gradients(names, target_policy=policy, target_value=value, given=weights, board=x):
        def run(answer):
            found = answer(
                copy.deepcopy(given), _plain_activations(given, board), target_policy.copy(), target_value.copy()
            )
            return [found[name] for name in names]

        expected = _autograd(given, board, target_policy, target_value)
        return run, [expected[name] for name in names]

    def case(title, names, question, points=1, call=call, **targets):
        run, expected = gradients(names, **targets)
        return Case(
            title, run, expected, call + ", ".join(f'gradients["{name}"]' for name in names), question, points=points
        )

    yield Case(
        "one gradient for each weight, in its shape",
        lambda answer: {name: list(np.shape(part)) for name, part in answer(copy.deepcopy(weights), activations, policy, value).items()},
        {name: list(array.shape) for name, array in weights.items()},
        call + "{name: gradient.shape for name, gradient in gradients.items()}",
        "Does each name of `weights` have a gradient of the same shape?",
    )  # fmt: skip
    yield case("the policy head: softmax with cross-entropy", ["Wp", "bp"],
               "What is left of softmax and cross-entropy together, p - t or t - p? And by what is a mean divided?", 2)  # fmt: skip
    yield case("the value head: squared error through tanh", ["Wv", "bv"],
               "(z - v)^2 has a derivative with respect to v, and v one with respect to what went into tanh.", 2)  # fmt: skip
    quiet = (
        "Here the value is right already, so all the gradient comes from the policy. Where does ReLU let it through?"
    )
    yield case("the trunk, when only the policy is wrong", ["W2", "b2", "W1", "b1"], quiet, target_value=own.value,
               call="target_value = activations.value\n" + call)  # fmt: skip
    yield case("the trunk, when only the value is wrong", ["W2", "b2", "W1", "b1"],
               "Here the policy is right already, so all the gradient comes from the value. Does the value head send any to the trunk?",
               target_policy=only_value, call="target_policy = softmax(activations.logits)\n" + call)  # fmt: skip
    yield case("the second layer, when both are wrong: what the heads ask for adds up", ["W2", "b2"],
               "Two heads read the same features. If both want one to grow, by how much?", 2)  # fmt: skip
    yield case(
        "the first layer",
        ["W1", "b1"],
        "The gradient goes through two ReLUs on its way. At which neurons does each stop it?",
        2,
    )
    wide, board = _lively(rng, 2, inputs=6, hidden=5, actions=4)
    yield case("another size, two positions", list(_NAMES), "Does anything in your code know how wide a layer is, or how many positions there are?",
               given=wide, board=board, target_policy=rng.dirichlet(np.ones(4), size=2), target_value=np.array([0.0, -1.0]),
               call=call.replace("5-3-3-{3, 1} network;  four", "6-5-5-{4, 1} network;  two"))  # fmt: skip

    def untouched(answer):
        given = copy.deepcopy((weights, activations, policy, value))
        answer(*given)
        kept = [np.array_equal(given[0][name], weights[name]) for name in weights]
        kept += [np.array_equal(one, other) for one, other in zip(given[1], activations, strict=True)]
        return all(kept) and bool(np.array_equal(given[2], policy) and np.array_equal(given[3], value))

    yield Case(
        "leaves weights, activations and targets as they were", untouched, Such("unchanged", lambda kept: kept), call.strip(),
        "Which line writes into an array that somebody else holds?",
    )  # fmt: skip


def policy_of(logits) -> np.ndarray:
    return torch.softmax(torch.tensor(logits), dim=1).numpy()


_DL = "d_logits = (softmax(logits) - target_policy) / len(x)"
_DV = "d_before_tanh = 2 * (value - target_value) / len(x) * (1 - value**2)"
_BOTH_HEADS = "d_second = d_second_p + d_second_v"
wrong("network_backward", "t - p", "the policy's gradient has the wrong sign: each step makes the policy worse",
      "Where p is too large, should the gradient be positive or negative?", (_DL, "d_logits = (target_policy - softmax(logits)) / len(x)"))  # fmt: skip
wrong("network_backward", "z - v", "the value's gradient has the wrong sign", "Where v is too large, should the gradient be positive or negative?",
      (_DV, _DV.replace("value - target_value", "target_value - value")))  # fmt: skip
wrong("network_backward", "tanh forgotten", "the slope of tanh is missing", "v = tanh(u). If u grows by a little, by how much does v?",
      (" * (1 - value**2)", ""))  # fmt: skip
wrong("network_backward", "tanh of the value again", "the slope is taken at tanh(v), but v has been through tanh already",
      "The derivative of tanh is 1 - tanh^2. What is tanh(u) here?", ("(1 - value**2)", "(1 - np.tanh(value)**2)"))  # fmt: skip
wrong("network_backward", "1 - v", "the slope of tanh is 1 - v^2, not 1 - v", "What is the derivative of tanh?", ("(1 - value**2)", "(1 - value)"))  # fmt: skip
wrong("network_backward", "2 forgotten", "the 2 from the square is missing", "What is the derivative of a square?", ("= 2 * (value", "= (value"))  # fmt: skip
wrong("network_backward", "sums instead of means", "nothing is divided by the batch", "The losses are means. Should the gradient double when the batch does?",
      (_DL, _DL.replace(" / len(x)", "")), (_DV, _DV.replace(" / len(x)", "")))  # fmt: skip
wrong("network_backward", "policy not divided", "the policy's gradient is a sum over the batch, the value's a mean", "Is the cross-entropy a mean or a sum?",
      (_DL, _DL.replace(" / len(x)", "")))  # fmt: skip
wrong("network_backward", "value not divided", "the value's gradient is a sum over the batch, the policy's a mean", "Is the squared error a mean or a sum?",
      (_DV, _DV.replace(" / len(x)", "")))  # fmt: skip
wrong("network_backward", "policy's gradient divided by the actions, too", "the policy's gradient is divided by batch times actions",
      "Cross-entropy sums over the actions. What is its mean over?", (_DL, _DL.replace("len(x)", "logits.size")))  # fmt: skip
wrong("network_backward", "no softmax", "the target is subtracted from the logits instead of the probabilities", "Which two things should be equal in the end?",
      ("softmax(logits) - ", "logits - "))  # fmt: skip
wrong("network_backward", "policy head only", "the trunk hears nothing from the value head", "Two heads read the same features. Who tells the trunk?",
      (_BOTH_HEADS, "d_second = d_second_p"))  # fmt: skip
wrong("network_backward", "value head only", "the trunk hears nothing from the policy head", "Two heads read the same features. Who tells the trunk?",
      (_BOTH_HEADS, "d_second = d_second_v"))  # fmt: skip
wrong("network_backward", "heads averaged", "the trunk gets the mean of the two heads' gradients", "The loss is the sum of two losses. What is the gradient of a sum?",
      (_BOTH_HEADS, "d_second = (d_second_p + d_second_v) / 2"))  # fmt: skip
wrong("network_backward", "no ReLU in the second layer", "the gradient passes through neurons of the second layer that were silent",
      "If a silent neuron's sum changes by a little, what changes in the output?", ("d_second * (second > 0)", "d_second"))  # fmt: skip
wrong("network_backward", "no ReLU in the first layer", "the gradient passes through neurons of the first layer that were silent",
      "If a silent neuron's sum changes by a little, what changes in the output?", ("d_first * (first > 0)", "d_first"))  # fmt: skip
wrong("network_backward", "no ReLU at all", "the gradient passes through neurons that were silent",
      "If a silent neuron's sum changes by a little, what changes in the output?", ("d_second * (second > 0)", "d_second"), ("d_first * (first > 0)", "d_first"))  # fmt: skip
wrong("network_backward", "ReLU of the gradient", "negative gradients are cut off, instead of those of silent neurons",
      "What decides whether a ReLU lets the gradient through: the gradient, or what went forward?",
      ("d_second * (second > 0)", "relu(d_second)"), ("d_first * (first > 0)", "relu(d_first)"))  # fmt: skip
wrong("network_backward", "multiplied by the activation", "the gradient is multiplied by what the neuron said, not by the slope of ReLU",
      "What is the slope of ReLU at 3: 3 or 1?", ("(second > 0)", "second"), ("(first > 0)", "first"))  # fmt: skip
wrong("network_backward", "masks exchanged", "each hidden layer uses the other one's silent neurons", "Whose sums did each ReLU see?",
      ("d_second * (second > 0)", "d_second * (first > 0)"), ("d_first * (first > 0)", "d_first * (second > 0)"))  # fmt: skip
wrong("network_backward", "first layer's input", "the gradient of W2 is worked out with the layer's output", "What went *into* the second layer?",
      ("* (second > 0), first, ", "* (second > 0), second, "))  # fmt: skip
wrong("network_backward", "trunk never learns", "the gradients stop at the heads", "How should the first layer learn?",
      (_BOTH_HEADS, "d_second = 0 * d_second_p"))  # fmt: skip
wrong("network_backward", "loss of the value halved and squared", "this is the gradient of |z - v|, not of its square", "What is the derivative of a square?",
      (_DV, "d_before_tanh = np.sign(value - target_value) / len(x) * (1 - value**2)"))  # fmt: skip


# --- sgd_step --------------------------------------------------------------------------------------------------------


@check
def sgd_step(rng):
    yield calls(
        "sgd_step", {"W": np.array([[1.0, -2.0]])}, {"W": np.array([[10.0, -20.0]])}, 0.01, name="one step of 0.01 times the gradient",
        expected={"W": [[0.9, -1.8]]}, question="A gradient points uphill. Which way is down?", points=2,
        call='sgd_step({"W": np.array([[1.0, -2.0]])}, {"W": np.array([[10.0, -20.0]])}, 0.01)',
    )  # fmt: skip
    weights = {name: array.round(2) for name, array in _small_weights(rng).items()}
    slopes = {name: rng.normal(scale=3, size=array.shape).round(2) for name, array in weights.items()}
    call = "weights, gradients: of a 5-3-3-{3, 1} network\nsgd_step(weights, gradients, %s)"
    for rate, points in ((0.5, 1), (0.001, 1)):
        moved = {name: [a - rate * g for a, g in zip(array.ravel().tolist(), slopes[name].ravel().tolist(), strict=True)]
                 for name, array in weights.items()}  # fmt: skip
        yield calls(
            "sgd_step", weights, slopes, rate, name=f"every weight and every bias, learning rate {rate}",
            expected={name: np.reshape(moved[name], weights[name].shape) for name in weights}, points=points,
            question="Which entries of the dictionary learn? Where does the learning rate come in?", call=call % rate,
        )  # fmt: skip
    yield calls(
        "sgd_step", weights, {name: 0 * array for name, array in weights.items()}, 0.1, name="no gradient, no step", expected=weights,
        question="At the bottom of the valley the gradient is 0. Where should the step go?", call="gradients: all 0\nsgd_step(weights, gradients, 0.1)",
    )  # fmt: skip

    def untouched(answer):
        given, steps = copy.deepcopy(weights), copy.deepcopy(slopes)
        arrays = list(given.values())
        answer(given, steps, 0.1)
        return (
            all(array is kept and np.array_equal(kept, weights[name]) for array, (name, kept) in zip(arrays, given.items(), strict=True))
            and all(np.array_equal(steps[name], slopes[name]) for name in slopes)
        )  # fmt: skip

    yield Case(
        "the old weights stay as they were", untouched, Such("unchanged", lambda kept: kept), call % 0.1 + ", then looking at weights and gradients again",
        "`a -= b` changes the array `a` itself. Who else holds it?",
    )  # fmt: skip


_STEP = "weights[name] - learning_rate * gradients[name]"
wrong("sgd_step", "uphill", "the weights follow the gradient: the loss grows", "A gradient points to where the loss grows. Where do you want to go?",
      (_STEP, "weights[name] + learning_rate * gradients[name]"))  # fmt: skip
wrong("sgd_step", "learning rate forgotten", "the whole gradient is subtracted", "Where does the learning rate come in?", (_STEP, "weights[name] - gradients[name]"))  # fmt: skip
wrong("sgd_step", "divided by the learning rate", "the smaller the learning rate, the larger the step", "What should happen at learning rate 0?",
      (_STEP, "weights[name] - gradients[name] / learning_rate"))  # fmt: skip
wrong("sgd_step", "the step instead of the weights", "only the step comes back, not the weights after it", "What will the next batch be judged with?",
      (_STEP, "-learning_rate * gradients[name]"))  # fmt: skip
wrong("sgd_step", "shrunk weights", "the weights are multiplied by 1 - learning rate times gradient", "Is the step added to the weight, or does the weight scale it?",
      (_STEP, "weights[name] * (1 - learning_rate * gradients[name])"))  # fmt: skip
wrong("sgd_step", "only the sign", "every number moves by the same amount, whatever its gradient", "Should a steep direction get a larger step?",
      (_STEP, "weights[name] - learning_rate * np.sign(gradients[name])"))  # fmt: skip
wrong("sgd_step", "gradient of length 1", "each gradient is scaled to length 1 first", "What should happen as the gradient gets smaller and smaller?",
      (_STEP, "weights[name] - learning_rate * gradients[name] / (np.linalg.norm(gradients[name]) + 1e-12)"))  # fmt: skip
wrong("sgd_step", "biases left out", "only the weight matrices learn", "Which entries of the dictionary learn?",
      ("for name in weights}", "if name.startswith('W') else weights[name] for name in weights}"))  # fmt: skip
wrong("sgd_step", "in place", "the step is written into the arrays that were handed over", "Who else holds these arrays?",
      code="""
    def sgd_step(weights, gradients, learning_rate):
        for name in weights:
            weights[name] -= learning_rate * gradients[name]
        return weights
    """)  # fmt: skip
wrong("sgd_step", "in place, nothing returned", "the arrays that were handed over are changed, and nothing comes back", "What does the docstring say about the given dictionaries?",
      code="""
    def sgd_step(weights, gradients, learning_rate):
        for name in weights:
            weights[name] -= learning_rate * gradients[name]
    """)  # fmt: skip
wrong("sgd_step", "the given dictionary refilled", "the arrays are new, but they are put into the dictionary that was handed over", "Who else holds this dictionary?",
      code="""
    def sgd_step(weights, gradients, learning_rate):
        for name in weights:
            weights[name] = weights[name] - learning_rate * gradients[name]
        return weights
    """)  # fmt: skip


# --- xavier ----------------------------------------------------------------------------------------------------------


@check
def xavier(rng):
    seed = int(rng.integers(2**31))

    def look(inputs, outputs, what):
        def run(answer):
            return what(
                np.asarray(answer(inputs, outputs, np.random.default_rng(seed))), math.sqrt(6 / (inputs + outputs))
            )

        return run

    yield Case(
        "shape [inputs, outputs]", lambda answer: [list(np.shape(answer(*size, np.random.default_rng(0)))) for size in ((18, 64), (64, 9), (64, 1))],
        [[18, 64], [64, 9], [64, 1]], "[xavier(inputs, outputs, rng).shape for inputs, outputs in ((18, 64), (64, 9), (64, 1))]",
        "How does dense_forward want W to lie?",
    )  # fmt: skip
    for inputs, outputs in ((400, 100), (100, 400)):
        call = f"abs(xavier({inputs}, {outputs}, rng)).max() / sqrt(6 / ({inputs} + {outputs}))"
        yield Case(
            f"{inputs} inputs, {outputs} outputs: the largest weight is at the limit",
            look(inputs, outputs, lambda W, limit: round(float(np.abs(W).max() / limit), 2)), Such("1.0", lambda ratio: abs(ratio - 1) < 0.011),
            call, "Which numbers stand under the root, and which of the layer's two sides count?", points=2,
        )  # fmt: skip
    yield Case(
        "spread evenly from -limit to +limit: each quarter of the way gets a quarter of the weights",
        look(300, 200, lambda W, limit: [round(float(share), 1) for share in np.histogram(W, bins=[-9, -limit, -limit / 2, 0, limit / 2, limit, 9])[0] / max(W.size, 1) * 4]),
        [0.0, 1.0, 1.0, 1.0, 1.0, 0.0],
        "W = xavier(300, 200, rng)\nshares of weights below -limit, in the four quarters from -limit to limit, and above, times 4",
        "Uniform means: every number in the range is as likely as any other.", points=2, tolerance=0.051,
    )  # fmt: skip
    yield Case(
        "all weights differ", look(20, 30, lambda W, limit: len(np.unique(W))), 600, "len(np.unique(xavier(20, 30, rng)))",
        "If two neurons begin the same and get the same gradients, when will they ever differ?",
    )  # fmt: skip

    def repeat(answer):
        one, same, other = (
            np.asarray(answer(6, 5, np.random.default_rng(number))) for number in (seed, seed, seed + 1)
        )
        generator = np.random.default_rng(seed)
        first, second = answer(6, 5, generator), answer(6, 5, generator)
        return [bool(np.array_equal(one, same)), bool(np.array_equal(one, other)), bool(np.array_equal(first, second))]

    yield Case(
        "chance comes from rng: the same seed gives the same weights, another seed others, and a second layer its own", repeat, [True, False, False],
        "xavier(6, 5, default_rng(1)) twice, then with default_rng(2); then twice with one generator: which are equal?",
        "Where does your chance come from? Can somebody repeat your run?", points=2,
    )  # fmt: skip


_LIMIT = "limit = np.sqrt(6 / (inputs + outputs))"
_DRAW = "return rng.uniform(-limit, limit, size=(inputs, outputs))"
wrong("xavier", "inputs only, 6", "only the inputs are counted (that is Kaiming's limit)", "Signals flow forward, gradients backward. Which sides of the layer count?",
      (_LIMIT, "limit = np.sqrt(6 / inputs)"))  # fmt: skip
wrong("xavier", "inputs only, 3", "the limit is sqrt(3 / inputs)", "Signals flow forward, gradients backward. Which sides of the layer count?",
      (_LIMIT, "limit = np.sqrt(3 / inputs)"))  # fmt: skip
wrong("xavier", "inputs only, 1", "the limit is sqrt(1 / inputs)", "Which number is above, which below the line?", (_LIMIT, "limit = np.sqrt(1 / inputs)"))  # fmt: skip
wrong("xavier", "outputs only", "only the outputs are counted", "Signals flow forward, gradients backward. Which sides of the layer count?", (_LIMIT, "limit = np.sqrt(6 / outputs)"))  # fmt: skip
wrong("xavier", "3 for 6", "the limit is sqrt(3 / (inputs + outputs))", "Which number is above the line?", ("6 / (", "3 / ("))  # fmt: skip
wrong("xavier", "standard deviation for the limit", "sqrt(2 / (inputs + outputs)) is the standard deviation that comes out, not the limit",
      "A uniform distribution from -limit to +limit has the deviation limit / sqrt(3). Which of the two do you hand over?", ("6 / (", "2 / ("))  # fmt: skip
wrong("xavier", "root forgotten", "the root is missing", "Which function is around 6 / (inputs + outputs)?", (_LIMIT, "limit = 6 / (inputs + outputs)"))  # fmt: skip
wrong("xavier", "product for sum", "inputs are multiplied by outputs", "Does the number of weights count, or the number of neurons on either side?",
      ("inputs + outputs))", "inputs * outputs))"))  # fmt: skip
wrong("xavier", "normal for uniform", "the weights are normally distributed, with the same deviation", "Which distribution does the docstring name?",
      (_DRAW, "return rng.normal(0, limit / np.sqrt(3), size=(inputs, outputs))"))  # fmt: skip
wrong("xavier", "normal with the limit as deviation", "the weights are normally distributed, with the limit as their deviation", "Which distribution does the docstring name?",
      (_DRAW, "return rng.normal(0, limit, size=(inputs, outputs))"))  # fmt: skip
wrong("xavier", "positive only", "no weight is negative", "How would a neuron say that something speaks *against* a move?", ("rng.uniform(-limit, limit", "rng.uniform(0, limit"))  # fmt: skip
wrong("xavier", "one number for all", "one number is drawn and used for all weights", "If two neurons begin the same, when will they ever differ?",
      (_DRAW, "return np.full((inputs, outputs), rng.uniform(-limit, limit))"))  # fmt: skip
wrong("xavier", "zeros", "all weights are 0", "If two neurons begin the same, when will they ever differ?", (_DRAW, "return np.zeros((inputs, outputs))"))  # fmt: skip
wrong("xavier", "outputs first", "the matrix lies the other way", "How does dense_forward want W to lie?", ("size=(inputs, outputs)", "size=(outputs, inputs)"))  # fmt: skip
wrong("xavier", "numpy's global chance", "chance comes from np.random, which nobody handed over: a run can't be repeated", "Where does your chance come from?",
      (_DRAW, "return np.random.uniform(-limit, limit, size=(inputs, outputs))"))  # fmt: skip
wrong("xavier", "a generator of its own", "a new generator is made inside, always with the same seed", "Two layers of the same size: what would they have in common?",
      (_DRAW, "return np.random.default_rng(0).uniform(-limit, limit, size=(inputs, outputs))"))  # fmt: skip
wrong("xavier", "not scaled", "the weights lie between -1 and 1, whatever the size of the layer", "What does the sum of 1,000 such inputs look like?",
      (_LIMIT, "limit = 1.0"))  # fmt: skip


# --- masked_policy ---------------------------------------------------------------------------------------------------


def _softmax_of_legal(logits, legal) -> list[float]:
    """The definition, with exact sums of plain floats: e ** logit over the legal ones, 0 elsewhere."""
    top = max(x for x, may in zip(logits, legal, strict=True) if may)
    weights = [float(np.exp(float(x) - float(top))) if may else 0.0 for x, may in zip(logits, legal, strict=True)]
    return [weight / sum(weights) for weight in weights]


def _masked(name: str, logits, legal, question: str, points: int = 1) -> Case:
    logits, legal = np.array(logits, dtype=np.float32), np.array(legal, dtype=bool)
    return calls(
        "masked_policy", logits, legal, name=name, expected=_softmax_of_legal(logits, legal), question=question,
        points=points,
        call=f"logits = np.array({show(logits)})\nlegal = np.array({show(legal)})\nmasked_policy(logits, legal)",
    )  # fmt: skip


@check
def masked_policy(rng):
    logits = rng.normal(size=9).round(1)
    yield _masked(
        "all actions legal: an ordinary softmax", logits, [True] * 9,
        "What turns any numbers into positive ones, and positive ones into numbers that sum to 1?",
    )  # fmt: skip
    legal = rng.permutation([True] * 5 + [False] * 4)
    mask = "Which numbers may go into the sum that you divide by?"
    yield _masked("four illegal actions: 0 there, and the others share 1", logits, legal, mask, points=2)
    yield Case(
        "illegal actions get 0 exactly, not almost",
        lambda answer: [float(p) for p in np.asarray(answer(np.array([20.0, 0, -20, 3]), np.array([0, 1, 0, 1]) > 0))[[0, 2]]],
        Such("[0.0, 0.0]", lambda got: got == [0.0, 0.0]),
        "policy = masked_policy(np.array([20.0, 0.0, -20.0, 3.0]), np.array([False, True, False, True]))\npolicy[[0, 2]]",
        "An illegal action with a probability of one in a billion is drawn one day: what happens then?",
    )  # fmt: skip
    yield _masked("one legal action gets everything", [1.0, -2.0, 3.0], [False, True, False], mask)
    big = "What is exp(1000)? Adding the same number to all logits changes no probability: which one helps?"
    yield _masked("large logits do not overflow", [1000.0, 998.0, -1000.0], [True] * 3, big, points=2)
    yield _masked("very negative ones do not vanish in 0 / 0", [-2000.0, -2001.0, 0.0], [True, True, False], big)
    yield _masked(
        "a huge logit on an illegal action does no harm", [2000.0, 1.0, 2.0], [False, True, True],
        "Whose maximum do you subtract: that of all logits, or of the legal ones?", points=2,
    )  # fmt: skip
    for name, bad in (("NaN", np.nan), ("infinite", np.inf)):
        yield calls(
            "masked_policy", np.array([0.5, bad, 0.1]), np.array([True, True, False]), name=f"a logit that is {name} is refused",
            expected=Raises(ValueError), question="What would a search do with priors that are NaN? Keep the given lines.",
            call=f"masked_policy(np.array([0.5, {bad}, 0.1]), np.array([True, True, False]))",
        )  # fmt: skip
    yield Case(
        "returns an array, one number for each action",
        lambda answer: answer(np.zeros(7), np.array([True, False] * 3 + [True])),
        Such("array of shape (7,)", lambda policy: isinstance(policy, np.ndarray) and policy.shape == (7,)),
        "masked_policy(np.zeros(7), np.array([True, False, True, False, True, False, True]))",
        "Where does each number belong: to the third legal action, or to action 4?",
    )
    yield leaves_alone("masked_policy", np.array([0.5, 2.0, 0.1]), np.array([True, False, True]))


_SHIFT = "shifted = np.where(legal, logits - logits[legal].max(), -np.inf)"
_RETURN = "return weights / weights.sum()"
_GIVEN = """    if not np.isfinite(logits[legal]).all():
        raise ValueError("the network's logits are not finite: its weights have probably diverged")
"""

wrong("masked_policy", "not masked", "illegal actions keep their share", "What do you do with `legal`?",
      (_SHIFT, "shifted = logits - logits.max()"))  # fmt: skip
wrong("masked_policy", "masked, not renormalized", "the mask comes after the softmax, and nobody divides again: the sum is below 1",
      "What do the legal probabilities sum to, once the illegal ones are gone?",
      (_SHIFT, "shifted = logits - logits.max()"), (_RETURN, f"{_RETURN} * legal"))  # fmt: skip
wrong("masked_policy", "logits multiplied by the mask",
      "the illegal logits become 0 before the softmax, and exp(0) is 1, not 0",
      "Which logit has a probability of 0?",
      (_SHIFT, "shifted = logits * legal - (logits * legal).max()"))  # fmt: skip
wrong("masked_policy", "overflow", "nothing is subtracted from the logits: exp(1000) is infinite",
      "Which number can you subtract from all logits without changing the policy?",
      (_SHIFT, "shifted = np.where(legal, logits, -np.inf)"))  # fmt: skip
wrong("masked_policy", "maximum of all", "the maximum that is subtracted may be an illegal action's: then all legal weights vanish",
      "Which of the weights must be exp(0) = 1, so that the sum can't be 0?",
      (_SHIFT, "shifted = np.where(legal, logits - logits.max(), -np.inf)"))  # fmt: skip
wrong("masked_policy", "softmax first, mask and renormalize after",
      "the softmax runs over all actions first: where an illegal logit is huge, nothing is left for the legal ones",
      "What is left of the legal probabilities when an illegal logit is 2000 larger?",
      (_SHIFT, "shifted = logits - logits.max()"),
      (_RETURN, "policy = weights / weights.sum() * legal\n    return policy / policy.sum()"))  # fmt: skip
wrong("masked_policy", "illegal logits only lowered", "illegal logits are lowered by some amount, which leaves a little probability",
      "How far down must a logit go for a probability of exactly 0?",
      (_SHIFT, "shifted = logits - logits[legal].max() - 20.0 * ~legal"))  # fmt: skip
wrong("masked_policy", "logits ignored", "all legal actions get the same",
      "What does the network think? It is in the logits.", (_SHIFT, "shifted = np.where(legal, 0.0, -np.inf)"))  # fmt: skip
wrong("masked_policy", "divided without exp", "the logits themselves are divided by their sum: negative ones make nonsense of it",
      "Which function makes any number positive?", ("np.exp(shifted)", "np.where(legal, logits, 0.0)"))  # fmt: skip
wrong("masked_policy", "log-probabilities", "the result is the logarithm of the policy",
      "What do probabilities sum to?", (_RETURN, f"return np.log({_RETURN[7:]})"))  # fmt: skip
wrong("masked_policy", "best action only", "everything goes to the best legal action",
      "What would a search explore with a prior that is all on one action?", (_RETURN, "return np.eye(len(logits))[np.argmax(weights)]"))  # fmt: skip
wrong("masked_policy", "legal actions only", "the answer has one number for each legal action, not for each action",
      "Which index does action 4 have in what you return?", (_RETURN, f"return ({_RETURN[7:]})[legal]"))  # fmt: skip
wrong("masked_policy", "nonsense let through", "logits that are NaN or infinite go in, and NaN comes out",
      "Where should the run stop when the network has diverged: here, or a thousand games later?", (_GIVEN, ""))  # fmt: skip
wrong("masked_policy", "logits overwritten", "the mask is written into the logits that the caller handed over",
      "Who else holds this array?",
      (_SHIFT, "logits[~legal] = -np.inf\n    shifted = logits - logits[legal].max()"))  # fmt: skip


# --- network_forward -------------------------------------------------------------------------------------------------


def _network(rng, planes=2, rows=3, columns=3, actions=9, hidden=8) -> PolicyValueNet:
    """Random weights and biases, not small, so that nothing that matters hides near 0."""
    net = PolicyValueNet(planes, rows, columns, actions, hidden)
    with torch.no_grad():
        for weights in net.parameters():
            weights.copy_(torch.from_numpy(rng.normal(scale=0.6, size=tuple(weights.shape))))
    return net


def _by_hand(net: PolicyValueNet, planes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The two outputs in numpy, from the weights alone: value [batch], logits [batch, actions]."""
    weights = {name: array.detach().numpy().astype(np.float64) for name, array in net.named_parameters()}
    x = planes.reshape(len(planes), -1).astype(np.float64)
    for layer in ("trunk.1", "trunk.3"):
        x = np.maximum(0, x @ weights[f"{layer}.weight"].T + weights[f"{layer}.bias"])
    logits = x @ weights["policy_head.weight"].T + weights["policy_head.bias"]
    value = np.tanh(x @ weights["value_head.weight"].T + weights["value_head.bias"])
    return value[:, 0], logits


def _output(index: int, net, planes):
    """A run: one of the two outputs, as an array."""

    def run(network_forward):
        return network_forward(copy.deepcopy(net), torch.from_numpy(planes))[index].detach().numpy()

    return run


@check
def network_forward(rng):
    value = np.zeros(4)
    while value.min() > -0.4 or value.max() < 0.4 or np.abs(value).max() > 0.95:  # good and bad positions, none extreme
        net = _network(rng)
        planes = rng.integers(0, 2, size=(4, 2, 3, 3)).astype(np.float32)
        value, logits = _by_hand(net, planes)
    call = "net: a small PolicyValueNet;  planes: four positions, [4, 2, 3, 3]\nvalue, logits = network_forward(net, planes)\n"
    near = dict(tolerance=1e-4)

    def shapes(network_forward):
        return [list(output.shape) for output in network_forward(copy.deepcopy(net), torch.from_numpy(planes))]

    yield Case(
        "value first, then logits: shapes [batch] and [batch, num_actions]",
        shapes,
        [[4], [4, 9]],
        call + "value.shape, logits.shape",
        "A linear layer with one output returns [batch, 1]: how does the last dimension go away?",
    )
    yield Case(
        "the logits are the policy head's, as they are",
        _output(1, net, planes),
        logits,
        call + "logits",
        "Who turns the logits into probabilities: this function, or masked_policy, which knows what is legal?",
        points=2,
        **near,
    )
    yield Case(
        "the value is the value head's, through tanh",
        _output(0, net, planes),
        value,
        call + "value",
        "Which function brings any number between -1 and 1, and keeps 0 at 0?",
        points=2,
        **near,
    )
    one = planes[:1]
    yield Case(
        "a batch of one position keeps its batch dimension",
        lambda answer: [list(output.shape) for output in answer(copy.deepcopy(net), torch.from_numpy(one))],
        [[1], [1, 9]],
        "value, logits = network_forward(net, planes[:1])\nvalue.shape, logits.shape",
        "Which dimension do you want to drop, and which do you never?",
    )
    board = _network(rng, planes=3, rows=4, columns=5, actions=5, hidden=6)
    position = rng.integers(0, 2, size=(2, 3, 4, 5)).astype(np.float32)
    wide_value, wide_logits = _by_hand(board, position)
    yield Case(
        "another game, another size",
        lambda answer: [output.detach().numpy() for output in answer(copy.deepcopy(board), torch.from_numpy(position))],
        [wide_value, wide_logits],
        "net = PolicyValueNet(planes=3, rows=4, columns=5, num_actions=5, hidden=6)\nnetwork_forward(net, planes)",
        "Does anything in your code know about tic-tac-toe?",
        **near,
    )

    def gradients(network_forward):
        fresh = copy.deepcopy(net)
        value, logits = network_forward(fresh, torch.from_numpy(planes))
        (value.sum() + (logits**2).sum()).backward()
        return sorted(name for name, weights in fresh.named_parameters() if weights.grad is None)

    yield Case(
        "gradients flow back to every weight",
        gradients,
        Such("[] (no weight without a gradient)", lambda missing: missing == []),
        call
        + "(value.sum() + (logits ** 2).sum()).backward()\n[name for name, weights in net.named_parameters() if weights.grad is None]",
        "How will the network learn if its outputs are cut off from its weights?",
    )

    def passes(network_forward):
        fresh = copy.deepcopy(net)
        count = []
        fresh.trunk.register_forward_hook(lambda *_: count.append(1))
        network_forward(fresh, torch.from_numpy(planes))
        return len(count)

    yield Case(
        "the trunk runs once, for both heads",
        passes,
        1,
        call + "how often was net.trunk called?",
        "What is the point of a shared trunk?",
    )


_VALUE = "value = torch.tanh(net.value_head(features)).squeeze(-1)"
_LOGITS = "logits = net.policy_head(features)"
_BOTH = "return value, logits"

wrong("network_forward", "value of shape [batch, 1]", "the value keeps the dimension of the layer's one output",
      "What does [batch, 1] minus [batch] give in the loss? (Not [batch]!)", (".squeeze(-1)", ""))  # fmt: skip
wrong("network_forward", "squeezed too much", "all dimensions of size 1 go, the batch's included when it has one position",
      "Which dimension do you mean?", (".squeeze(-1)", ".squeeze()"))  # fmt: skip
wrong("network_forward", "tanh forgotten", "the value is not squashed: it may be 7",
      "What is the largest value a game can have?", (_VALUE, "value = net.value_head(features).squeeze(-1)"))  # fmt: skip
wrong("network_forward", "sigmoid instead of tanh", "the value lies between 0 and 1: it can never say that a position is lost",
      "Where should the value of a drawn game lie in the range?", ("torch.tanh", "torch.sigmoid"))  # fmt: skip
wrong("network_forward", "value clipped", "the value is cut off at -1 and 1: beyond them, no gradient flows",
      "Which smooth function stays between -1 and 1?", (_VALUE, "value = net.value_head(features).clamp(-1, 1).squeeze(-1)"))  # fmt: skip
wrong("network_forward", "softmax on the logits", "the logits are turned into probabilities before illegal actions can be masked",
      "Who does the softmax, and why not here?", (_LOGITS, f"{_LOGITS}.softmax(dim=1)"))  # fmt: skip
wrong("network_forward", "log-softmax on the logits", "the logits are turned into log-probabilities",
      "Who does the softmax, and why not here?", (_LOGITS, f"{_LOGITS}.log_softmax(dim=1)"))  # fmt: skip
wrong("network_forward", "outputs swapped", "the logits come first and the value second",
      "In which order does the docstring name them?", (_BOTH, "return logits, value"))  # fmt: skip
wrong("network_forward", "ReLU on the logits", "the logits can't be negative", "Does a head end in an activation?",
      (_LOGITS, f"{_LOGITS}.relu()"))  # fmt: skip
wrong("network_forward", "tanh on the logits", "the logits are squashed between -1 and 1: no action can be far better than another",
      "Which of the two outputs has to stay in a range?", (_LOGITS, "logits = torch.tanh(net.policy_head(features))"))  # fmt: skip
wrong("network_forward", "no gradients", "the outputs are computed without gradients: nothing can be learned from them",
      "This function is called in training, too: who switches gradients off when only playing?",
      (_BOTH, "return value.detach(), logits.detach()"))  # fmt: skip
wrong("network_forward", "gradients only for the policy", "the value is cut off from the weights",
      "How should the value head learn?", (_BOTH, "return value.detach(), logits"))  # fmt: skip
wrong("network_forward", "trunk run twice", "each head runs the trunk again: the right numbers, for twice the work",
      "What do both heads read?",
      (_VALUE, "value = torch.tanh(net.value_head(net.trunk(planes))).squeeze(-1)"))  # fmt: skip
wrong("network_forward", "ReLU on the value", "the value can't be negative: no position is ever lost",
      "What should the network say about a lost position?", (_VALUE, "value = torch.tanh(net.value_head(features).relu()).squeeze(-1)"))  # fmt: skip
