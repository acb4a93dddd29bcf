"""Checks of notebook 05: the network."""

import copy

import numpy as np
import torch

from course_utils.networks.policy_value import PolicyValueNet
from course_utils.tests.framework import Case, Raises, Such, calls, check, leaves_alone, show, wrong

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
