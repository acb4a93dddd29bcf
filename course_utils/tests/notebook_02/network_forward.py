"""Check network_forward: one trunk, two heads, in torch."""

import torch
from hypothesis import strategies as st

from course_utils.games import ConnectN, TicTacToe  # noqa: F401
from course_utils.networks.policy_value import make_network  # noqa: F401
from course_utils.tests.catalogue import Wrong
from course_utils.tests.scene import Scenes
from course_utils.tests.world.arrays import SEEDS, SIZES

LEARN = "How will the network learn if its outputs are cut off from its weights?"
FOUR = """
    >>> net = make_network(TicTacToe(), seed=0, hidden=4)
    >>> planes = torch.arange(4 * 2 * 3 * 3).reshape(4, 2, 3, 3) / 72
    >>> value, logits = network_forward(net, planes)
""".strip("\n")
BY_HAND = f"""
    shapes [batch] and [batch, num_actions], for a batch of four and of one (2 points)
    >>> net = make_network(TicTacToe(), seed=0)
    >>> [output.shape for batch in (4, 1) for output in network_forward(net, torch.zeros(batch, 2, 3, 3))]
    [(4,), (4, 9), (1,), (1, 9)]
    ? A linear layer with one output returns [batch, 1]: which dimension do you want to drop, and which must stay?

    logits, for four positions (2 points)
{FOUR}
    >>> logits
    ? Which function turns the logits into probabilities: this one, or masked_policy, which knows what is legal?

    value, for four positions (2 points)
{FOUR}
    >>> value
    ? Which function squeezes any number into the range from -1 to 1, and leaves 0 at 0?

    the trunk runs once for both heads (2 points)
    >>> net = make_network(TicTacToe(), seed=0)
    >>> runs = []
    >>> net.trunk[1].register_forward_hook(lambda *_: runs.append("its first layer"))
    >>> value, logits = network_forward(net, torch.zeros(4, 2, 3, 3))
    >>> runs
    ["its first layer"]
    ? What is the point of a shared trunk?

    gradients flow back to every weight
{FOUR}
    >>> (value.sum() + (logits**2).sum()).backward()
    >>> [name for name, weights in net.named_parameters() if weights.grad is None]
    []
    ? {LEARN}
"""

GAMES = {"TicTacToe()": "2, 3, 3", "ConnectN(rows=1, columns=2, n=2)": "2, 1, 2"}
ASKED = [
    "value, logits",
    *(f"torch.autograd.grad({output}, net.trunk.parameters())" for output in ("value.sum()", "logits.square().sum()")),
]


def scene(draw) -> str:
    game, hidden, batch, seed, asked = draw
    return f"""\
net = make_network({game}, {seed=}, {hidden=})
planes = torch.rand({batch}, {GAMES[game]}, generator=torch.Generator().manual_seed({seed}))
value, logits = network_forward(net, planes)
{asked}"""


def two_tensors(result) -> str:
    good = isinstance(result, list | tuple) and [isinstance(entry, torch.Tensor) for entry in result] == [True, True]
    if not good:
        return f"expected two tensors, value and logits; got {type(result).__name__}"
    first, second = (list(tensor.shape) for tensor in result)
    swapped = first[1:] not in ([], [1]) and second[1:] in ([], [1])
    return f"expected the value first and the logits second; got shapes {first} and {second}" if swapped else ""


LOGITS, RETURN = "net.policy_head(features)", "return value, logits"
SOFTMAX = "Which function does the softmax, and why not this one?"
# fmt: off
WRONG = [
    Wrong("value of shape [batch, 1]", "the value keeps the dimension of the layer's one output",
          "The loss subtracts targets of shape [batch]. What is the shape of [batch, 1] minus [batch]?",
          (".squeeze(-1)", "")),
    Wrong("squeezed too much",
          "every dimension of size 1 is dropped, and the batch has size 1 when it holds one position",
          "Which dimension should `squeeze` drop?",
          (".squeeze(-1)", ".squeeze()")),
    Wrong("the first position's value", "`[0]` takes the first position of the batch instead of the layer's one output",
          "Which of the two dimensions of [batch, 1] does `[0]` remove?", (".squeeze(-1)", "[0]")),
    Wrong("tanh forgotten", "the value is not squashed: it may be 7", "What is the largest value a game can have?",
          ("torch.tanh(", "(")),
    Wrong("sigmoid instead of tanh", "the value lies between 0 and 1: it can never say that a position is lost",
          "Where should the value of a drawn game lie in the range?", ("torch.tanh", "torch.sigmoid")),
    Wrong("softmax on the logits", "the logits are turned into probabilities before illegal actions can be masked",
          SOFTMAX, (LOGITS, f"{LOGITS}.softmax(dim=1)")),
    Wrong("tanh on the logits, too",
          "the logits go through tanh, too: no logit is above 1, so no move can get much more than the others",
          "Which of the two outputs must stay between -1 and 1?", (LOGITS, f"torch.tanh({LOGITS})")),
    Wrong("the network calls itself", "the whole network is called, which calls this function again, without end",
          "Which of the network's three parts reads the planes?", ("net.trunk(planes)", "net(planes)")),
    Wrong("outputs swapped", "the logits come first and the value second",
          "In which order does the docstring name them?", (RETURN, "return logits, value")),
    Wrong("outputs swapped, and the value of shape [batch, 1]",
          "the logits come first and the value second, and the value keeps the dimension of the layer's one output",
          "In which order does the docstring name them, and with which shapes?", (".squeeze(-1)", ""),
          (RETURN, "return logits, value")),
    Wrong("no gradients", "the outputs are computed without gradients: nothing can be learned from them",
          "Training calls this function, too. Where should gradients be switched off for playing: "
          "here, or where it is called?", (RETURN, "return value.detach(), logits.detach()")),
    Wrong("the value does not teach the trunk",
          "the value head reads detached features, so the trunk learns from the policy alone", LEARN,
          ("value_head(features)", "value_head(features.detach())")),
    Wrong("trunk run twice", "each head runs the trunk again: the numbers are right, but they take twice the work",
          "What do both heads read?",
          ("value_head(features)", "value_head(net.trunk(planes))")),
    Wrong("evaluation mode", "the network is put into evaluation mode and stays there",
          "Which code should decide whether the network trains or plays: this function, or its caller?",
          ("    features =", "    net.eval()\n    features =")),
]
# fmt: on


def right_layer_by_layer(net, planes):
    hidden = planes
    for layer in net.trunk:
        hidden = layer(hidden)
    policy, value = net.policy_head(hidden), torch.tanh(net.value_head(hidden)[:, 0])
    return [value, policy]


def right_flattened(net, planes):
    shared = net.trunk(planes)
    return net.value_head(shared).flatten().tanh(), net.policy_head(shared)


CHECK = Scenes(
    draws=st.tuples(st.sampled_from(list(GAMES)), SIZES, SIZES, SEEDS, st.sampled_from(ASKED)),
    returns=two_tensors,
    tolerance=1e-5,
    question=LEARN,
)
