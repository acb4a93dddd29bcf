"""Checks of notebook 08: the training loop.

The loop is watched from outside: a game in which the gate's verdict is known beforehand, networks that write down with
which weights they were asked, and an optimizer that writes down its steps. Nothing in an answer is replaced.
"""

import time
from collections import Counter
from itertools import pairwise
from typing import NamedTuple

import numpy as np
import torch
from torch import nn

from course_utils.learning.examples import ReplayBuffer
from course_utils.learning.training import Run, TrainingConfig
from course_utils.tests.framework import Case, Such, check, show, wrong

# --- alphazero_loss --------------------------------------------------------------------------------------------------


def _batch(rng, size: int = 4, num_actions: int = 5):
    """value, logits, target_value, target_policy as numpy float32; no value near its target."""
    value = rng.uniform(-0.9, 0.9, size)
    logits = 2 * rng.normal(size=(size, num_actions))
    target_value = np.resize([1.0, -1.0, 0.0], size)
    target_policy = rng.dirichlet(np.ones(num_actions), size)
    target_policy[0] = np.eye(num_actions)[1]
    return tuple(np.asarray(one, dtype=np.float32) for one in (value, logits, target_value, target_policy))


def _log_p(logits: np.ndarray) -> np.ndarray:
    logits = logits.astype(np.float64)
    shifted = logits - logits.max(axis=1, keepdims=True)
    return shifted - np.log(np.exp(shifted).sum(axis=1, keepdims=True))


def _losses(value, logits, target_value, target_policy) -> list[float]:
    """The definition, example by example."""
    squares = [(float(z) - float(v)) ** 2 for v, z in zip(value, target_value, strict=True)]
    entropies = [
        -sum(float(t) * float(lp) for t, lp in zip(*pair, strict=True))
        for pair in zip(target_policy, _log_p(logits), strict=True)
    ]
    return [sum(squares) / len(squares), sum(entropies) / len(entropies)]


def _tensors(arrays, gradients: bool = False) -> list[torch.Tensor]:
    tensors = [torch.from_numpy(array.copy()) for array in arrays]
    for tensor in tensors[:2]:
        tensor.requires_grad_(gradients)
    return tensors


def _pair(answer, arrays) -> list[float]:
    value_loss, policy_loss = answer(*_tensors(arrays))
    return [float(torch.as_tensor(loss).detach()) for loss in (value_loss, policy_loss)]


@check
def alphazero_loss(rng):
    arrays = _batch(rng)
    names = ("value", "logits", "target_value", "target_policy")
    given = "\n".join(f"{name} = torch.tensor({show(array)})" for name, array in zip(names, arrays, strict=True))
    call = "alphazero_loss(value, logits, target_value, target_policy)"

    def shapes(answer):
        return [type(loss).__name__ + str(list(loss.shape)) for loss in answer(*_tensors(arrays))]

    yield Case(
        "returns two scalars",
        shapes,
        Such("two tensors of shape []", lambda got: got == ["Tensor[]"] * 2),
        f"{given}\n[loss.shape for loss in {call}]",
        "A loss is one number for the whole batch: how many are yours?",
    )
    yield Case(
        "the value loss of one example",
        lambda answer: _pair(answer, [array[:1] for array in arrays])[0],
        _losses(*(array[:1] for array in arrays))[0],
        f"value, target_value = torch.tensor({show(arrays[0][:1])}), torch.tensor({show(arrays[2][:1])})",
        "(z - v) squared: what is it for these two numbers?",
        tolerance=1e-5,
    )
    uniform = [np.zeros(1), np.zeros((1, 5)), np.zeros(1), np.full((1, 5), 0.2)]
    uniform = [array.astype(np.float32) for array in uniform]
    yield Case(
        "a network that knows nothing, a search that found nothing: log 5",
        lambda answer: _pair(answer, uniform),
        [0, float(np.log(5))],
        "alphazero_loss(torch.zeros(1), torch.zeros(1, 5), torch.zeros(1), torch.full((1, 5), 0.2))",
        "-pi . log p is a sum over the actions: what is it when all five have pi = p = 1/5?",
        tolerance=1e-5,
    )
    yield Case(
        "values of a batch",
        lambda answer: _pair(answer, arrays)[0],
        _losses(*arrays)[0],
        f"{given}\n{call}[0]",
        "Each example has its own value and its own target: how many differences are there?",
        points=2,
        tolerance=1e-5,
    )
    yield Case(
        "policies of a batch",
        lambda answer: _pair(answer, arrays)[1],
        _losses(*arrays)[1],
        f"{given}\n{call}[1]",
        "Sum over what, mean over what? And which of the two, pi or p, is inside the logarithm?",
        points=2,
        tolerance=1e-5,
    )
    twice = [np.concatenate([array, array]) for array in arrays]
    yield Case(
        "the same examples twice: the same losses",
        lambda answer: _pair(answer, twice),
        _losses(*arrays),
        "the same tensors, each concatenated with itself",
        "Should the size of a step depend on the size of the batch?",
        tolerance=1e-5,
    )
    certain = [
        np.zeros(2),
        np.array([[200.0, 0.0, -200.0], [0.0, 0.0, 0.0]]),
        np.zeros(2),
        np.array([[0.0, 1.0, 0.0], [1.0, 0.0, 0.0]]),
    ]
    certain = [array.astype(np.float32) for array in certain]
    yield Case(
        "a network that is certain, and wrong, still has a finite loss",
        lambda answer: _pair(answer, certain)[1],
        _losses(*certain)[1],
        "logits = torch.tensor([[200., 0, -200], [0, 0, 0]])\ntarget_policy = torch.tensor([[0., 1, 0], [1, 0, 0]])\n"
        "alphazero_loss(torch.zeros(2), logits, torch.zeros(2), target_policy)[1]",
        "What is exp(-200) in float32, and its logarithm? Which function takes both at once?",
        tolerance=1e-5,
    )

    def gradients(answer):
        tensors = _tensors(arrays, gradients=True)
        value_loss, policy_loss = answer(*tensors)
        (value_loss + policy_loss).backward()
        return [np.zeros(1) if tensor.grad is None else tensor.grad.numpy() for tensor in tensors[:2]]

    value, logits, target_value, target_policy = (array.astype(np.float64) for array in arrays)
    size = len(value)
    yield Case(
        "its gradients are 2 (v - z) / B and (p - pi) / B",
        gradients,
        [2 * (value - target_value) / size, (np.exp(_log_p(logits)) - target_policy) / size],
        f"{given}\nvalue.requires_grad_(), logits.requires_grad_()\nsum({call}).backward()\nvalue.grad, logits.grad",
        "Can the gradient flow from both losses back to the network's outputs, and to them alone?",
        points=2,
        tolerance=1e-4,
    )

    def arguments_after(answer):
        tensors = _tensors(arrays)
        answer(*tensors)
        return [tensor.numpy() for tensor in tensors]

    yield Case(
        "leaves its arguments as they were",
        arguments_after,
        list(arrays),
        f"{given}\n{call}",
        "Who else needs these tensors?",
    )


_VALUE = "value_loss = F.mse_loss(value, target_value)"
_POLICY = "policy_loss = -(target_policy * F.log_softmax(logits, dim=1)).sum(dim=1).mean()"

wrong("alphazero_loss", "mean over the actions",
      "the policy loss is averaged over the actions too, where it should be summed: it is too small by their number",
      "pi . log p is a dot product: what does a dot product do with its terms?",
      (".sum(dim=1).mean()", ".mean()"))  # fmt: skip
wrong("alphazero_loss", "softmax of a softmax", "the logits go through a softmax and then through log_softmax as well",
      "What does log_softmax expect: logits or probabilities?",
      ("F.log_softmax(logits, dim=1)", "F.log_softmax(F.softmax(logits, dim=1), dim=1)"))  # fmt: skip
wrong("alphazero_loss", "minus sign forgotten",
      "the policy loss has no minus: descending it makes the search's moves less likely",
      "Log probabilities are negative: which sign makes a better policy a lower loss?",
      ("policy_loss = -(", "policy_loss = ("))  # fmt: skip
wrong("alphazero_loss", "squared error of the policy", "the policy is compared by squared error",
      "What does squared error charge for giving the best move 1 % instead of 30 %? And cross-entropy?",
      (_POLICY, "policy_loss = ((target_policy - F.softmax(logits, dim=1)) ** 2).sum(dim=1).mean()"))  # fmt: skip
wrong("alphazero_loss", "KL divergence",
      "the policy loss is the Kullback-Leibler divergence: its gradient is right, but it is lower by the targets' entropy",
      "Which term of the KL divergence does not depend on the network? The formula here does not have it.",
      (_POLICY, "policy_loss = F.kl_div(F.log_softmax(logits, dim=1), target_policy, reduction='batchmean')"))  # fmt: skip
wrong("alphazero_loss", "targets and predictions swapped",
      "the logarithm is taken of the search's policy, and weighted by the network's",
      "Whose probabilities weight the sum, and whose are inside the logarithm?",
      (_POLICY, "policy_loss = -(F.softmax(logits, dim=1) * torch.log(target_policy + 1e-8)).sum(dim=1).mean()"))  # fmt: skip
wrong("alphazero_loss", "value loss summed", "the value loss is summed over the batch",
      "What happens to your step when the batch is twice as large?",
      (_VALUE, "value_loss = F.mse_loss(value, target_value, reduction='sum')"))  # fmt: skip
wrong("alphazero_loss", "policy loss summed", "the policy loss is summed over the batch",
      "What happens to your step when the batch is twice as large?",
      (".sum(dim=1).mean()", ".sum()"))  # fmt: skip
wrong("alphazero_loss", "absolute error", "the value loss is the absolute error",
      "The formula squares the difference. What does that do to large and to small ones?",
      (_VALUE, "value_loss = F.l1_loss(value, target_value)"))  # fmt: skip
wrong("alphazero_loss", "half of the squared error", "the squared error is halved, as some texts do",
      "Is there a factor in front of (z - v)^2 here?",
      (_VALUE, "value_loss = F.mse_loss(value, target_value) / 2"))  # fmt: skip
wrong("alphazero_loss", "every value with every target",
      "shapes [batch, 1] and [batch] were subtracted: broadcasting makes that [batch, batch], every value with every target",
      "Print the shape of the difference. How many numbers should it hold?",
      (_VALUE, "value_loss = ((value.unsqueeze(1) - target_value) ** 2).mean()"))  # fmt: skip
wrong("alphazero_loss", "softmax over the batch", "the softmax runs down the batch instead of along the actions",
      "Which numbers of logits belong to one position, and which dimension is that?",
      ("F.log_softmax(logits, dim=1)", "F.log_softmax(logits, dim=0)"))  # fmt: skip
wrong("alphazero_loss", "log of a softmax", "softmax and logarithm are taken one after the other: log 0 is minus infinity",
      "What is exp(-200) in float32? Which function of torch takes both steps at once?",
      ("F.log_softmax(logits, dim=1)", "torch.log(F.softmax(logits, dim=1))"))  # fmt: skip
wrong("alphazero_loss", "no softmax", "the logits are used as if they were log probabilities",
      "What must exp of log probabilities sum to, and what does exp of your logits sum to?",
      ("F.log_softmax(logits, dim=1)", "logits"))  # fmt: skip
wrong("alphazero_loss", "hardest move only",
      "only the search's most visited move counts: the rest of the visits is thrown away",
      "The visits say how good the second best move is as well: where does that go in yours?",
      (_POLICY, "policy_loss = F.cross_entropy(logits, target_policy.argmax(dim=1))"))  # fmt: skip
wrong("alphazero_loss", "cut off from the network", "the losses have been detached: no gradient flows through them",
      "Which calls cut a tensor off from how it was made?",
      ("    return value_loss, policy_loss", "    return value_loss.detach().requires_grad_(), policy_loss.detach()"))  # fmt: skip
wrong("alphazero_loss", "policy before value", "the two losses come back in the other order",
      "Which comes first in the docstring?",
      ("    return value_loss, policy_loss", "    return policy_loss, value_loss"))  # fmt: skip
wrong("alphazero_loss", "one loss", "the two losses are added up instead of returned side by side",
      "The dashboard wants to draw two curves: what does it need?",
      ("    return value_loss, policy_loss", "    return value_loss + policy_loss"))  # fmt: skip

# --- train_step ------------------------------------------------------------------------------------------------------


class TinyNet(nn.Module):
    """One layer for both heads, small enough to differentiate by hand; writes down in which mode it was asked."""

    def __init__(self, weights: np.ndarray):
        super().__init__()
        self.weights = nn.Parameter(torch.from_numpy(weights.astype(np.float32)))  # [inputs, num_actions + 1]
        self.modes: list[bool] = []

    def forward(self, planes: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        self.modes.append(self.training)
        outputs = planes.flatten(1) @ self.weights
        return torch.tanh(outputs[:, -1]), outputs[:, :-1]


def _tiny_losses(weights, planes, policy, value) -> list[float]:
    outputs = planes.reshape(len(planes), -1).astype(np.float64) @ weights
    return _losses(np.tanh(outputs[:, -1]), outputs[:, :-1], value, policy)


def _tiny_gradient(weights, planes, policy, value) -> np.ndarray:
    """By hand: through the tanh, the softmax and the one layer."""
    inputs = planes.reshape(len(planes), -1).astype(np.float64)
    outputs = inputs @ weights
    v = np.tanh(outputs[:, -1])
    back = np.empty_like(outputs)
    back[:, :-1] = np.exp(_log_p(outputs[:, :-1])) - policy
    back[:, -1] = 2 * (v - value) * (1 - v**2)
    return inputs.T @ back / len(planes)


RATE = 0.5


def _steps(answer, weights, batches, before=None, momentum: float = 0.0, train: bool = True):
    """A net after `train_step` on each batch, and what was returned."""
    net = TinyNet(weights)
    net.train(train)
    optimizer = torch.optim.SGD(net.parameters(), RATE, momentum=momentum)
    if before is not None:
        net.weights.grad = torch.from_numpy(before.astype(np.float32))
    reports = [answer(net, optimizer, *(array.copy() for array in batch)) for batch in batches]
    return net, reports


@check
def train_step(rng):
    weights = 0.5 * rng.normal(size=(6, 4))
    batches = []
    for _ in range(3):
        planes = rng.integers(0, 2, size=(5, 2, 1, 3)).astype(np.float32) + 0.1
        policy = rng.dirichlet(np.ones(3), 5).astype(np.float32)
        batches.append((planes, policy, rng.choice([-1.0, 0.0, 1.0], 5).astype(np.float32)))
    made = [weights]
    for batch in batches:
        made.append(made[-1] - RATE * _tiny_gradient(made[-1], *batch))
    call = "train_step(net, optimizer, planes, policy, value)"
    losses = [
        dict(zip(("value", "policy"), _tiny_losses(w, *b), strict=True)) for w, b in zip(made, batches, strict=False)
    ]

    yield Case(
        "returns the two losses as plain floats",
        lambda answer: {key: type(one).__name__ for key, one in _steps(answer, weights, batches[:1])[1][0].items()},
        {"value": "float", "policy": "float"},
        call,
        "What does .item() do, and what would a thousand kept tensors hold on to?",
    )
    yield Case(
        "they are the losses before the step",
        lambda answer: _steps(answer, weights, batches[:1])[1][0],
        losses[0],
        call,
        "Which loss belongs to the key 'value', which to 'policy', and at which weights?",
        tolerance=1e-4,
    )
    yield Case(
        "one step goes down the gradient of both losses",
        lambda answer: _steps(answer, weights, batches[:1])[0].weights.detach().numpy(),
        made[1],
        f"{call}\nnet.weights   # SGD with learning rate {RATE}",
        "What is the sum whose gradient the step follows, and has that gradient been computed when the step is taken?",
        points=2,
        tolerance=1e-4,
    )

    def steps_taken(answer):
        net, taken = TinyNet(weights), []
        optimizer = torch.optim.SGD(net.parameters(), RATE)
        optimizer.register_step_post_hook(lambda *_: taken.append(1))
        answer(net, optimizer, *(array.copy() for array in batches[0]))
        return len(taken)

    yield Case(
        "the optimizer takes one step",
        steps_taken,
        1,
        call + "\nhow many steps the optimizer took",
        "Who changes the weights, and how often for one batch?",
    )
    yield Case(
        "three steps: each follows its own batch",
        lambda answer: _steps(answer, weights, batches)[0].weights.detach().numpy(),
        made[3],
        "for planes, policy, value in batches:\n    " + call + "\nnet.weights",
        "torch adds each new gradient to what is already there: what is there at your second step?",
        points=2,
        tolerance=1e-3,
    )
    yield Case(
        "old gradients don't count",
        lambda answer: _steps(answer, weights, batches[:1], before=np.ones((6, 4)))[0].weights.detach().numpy(),
        made[1],
        f"net.weights.grad = torch.ones(6, 4)   # left over from something else\n{call}\nnet.weights",
        "When must the gradients be zero: before the backward pass, or after the step?",
        tolerance=1e-4,
    )
    second = made[1] - RATE * (
        _tiny_gradient(made[1], *batches[1]) + 0.9 * _tiny_gradient(weights, *batches[0])
    )  # momentum remembers the first gradient
    yield Case(
        "the step is the optimizer's: momentum works",
        lambda answer: _steps(answer, weights, batches[:2], momentum=0.9)[0].weights.detach().numpy(),
        second,
        "optimizer = torch.optim.SGD(net.parameters(), 0.5, momentum=0.9)\n"
        "for planes, policy, value in batches[:2]:\n    " + call + "\nnet.weights",
        "Who knows how to turn a gradient into a step?",
        tolerance=1e-3,
    )
    yield Case(
        "the network learns in training mode",
        lambda answer: [all(_steps(answer, weights, batches[:1], train=train)[0].modes) for train in (False, True)],
        [True, True],
        f"net.eval()\n{call}\nnet.training when it was asked, and the same after net.train()",
        "Self-play has put the network into evaluation mode: which layers behave differently there?",
    )

    def arguments_after(answer):
        net = TinyNet(weights)
        batch = [array.copy() for array in batches[0]]
        answer(net, torch.optim.SGD(net.parameters(), RATE), *batch)
        return batch

    yield Case(
        "leaves the batch as it was",
        arguments_after,
        list(batches[0]),
        call,
        "torch.from_numpy shares its memory with the array: who writes into it?",
    )


_STEP = """    optimizer.zero_grad()
    (value_loss + policy_loss).backward()
    optimizer.step()
"""
_TOTAL = "(value_loss + policy_loss).backward()"
_REPORT = 'return {"value": value_loss.item(), "policy": policy_loss.item()}'

wrong("train_step", "gradients pile up",
      "nothing zeroes the gradients: each step follows the sum of all batches so far",
      "What does backward() do with a gradient that is already there?",
      ("    optimizer.zero_grad()\n", ""))  # fmt: skip
wrong("train_step", "no gradient to follow",
      "a step is taken without a gradient: none was computed, or it was zeroed before the step",
      "Where do gradients come from, and what does the optimizer find when it takes its step?",
      (_STEP, f"    {_TOTAL}\n    optimizer.zero_grad()\n    optimizer.step()\n"))  # fmt: skip
wrong("train_step", "gradients zeroed after the step",
      "the gradients are zeroed after the step only: what somebody else left there before still counts",
      "Can you be sure that the gradients are zero when your function begins?",
      (_STEP, f"    {_TOTAL}\n    optimizer.step()\n    optimizer.zero_grad()\n"))  # fmt: skip
wrong("train_step", "policy loss only", "only the policy loss is followed: the value head learns nothing",
      "Which weights does the policy loss depend on?",
      (_TOTAL, "policy_loss.backward()"))  # fmt: skip
wrong("train_step", "value loss only", "only the value loss is followed: the policy head learns nothing",
      "Which weights does the value loss depend on?",
      (_TOTAL, "value_loss.backward()"))  # fmt: skip
wrong("train_step", "step before backward", "the step is taken before the gradient is computed: it is always one batch late",
      "Which gradient does the step follow, this batch's or the last one's?",
      (_STEP, f"    optimizer.step()\n    optimizer.zero_grad()\n    {_TOTAL}\n"))  # fmt: skip
wrong("train_step", "no step", "gradients are computed, but no step is taken",
      "Who changes the weights?",
      ("    optimizer.step()\n", ""))  # fmt: skip
wrong("train_step", "uphill", "the sign of the total is turned: the step goes up the loss",
      "In which direction does an optimizer change the weights?",
      (_TOTAL, "(-(value_loss + policy_loss)).backward()"))  # fmt: skip
wrong("train_step", "two steps", "a step is taken after each of the two backward passes",
      "The two losses share a trunk: how many steps does one batch ask for?",
      (_TOTAL, "value_loss.backward(retain_graph=True)\n    optimizer.step()\n    policy_loss.backward()"))  # fmt: skip
wrong("train_step", "value loss counted half", "the value loss has a weight of one half in the total",
      "What stands in front of (z - v)^2 in the loss?",
      (_TOTAL, "(0.5 * value_loss + policy_loss).backward()"))  # fmt: skip
wrong("train_step", "tensors returned",
      "the losses are tensors that keep the whole computation alive, instead of plain floats",
      "What type has each loss, and what does .item() make of it?",
      (_REPORT, 'return {"value": value_loss, "policy": policy_loss}'))  # fmt: skip
wrong("train_step", "evaluation mode", "the network is trained in evaluation mode: batch norm and dropout would stand still",
      "What does net.train() change?",
      ("    net.train()\n", "    net.eval()\n"))  # fmt: skip
wrong("train_step", "mode left to chance", "the network is trained in whatever mode it was left in",
      "In which mode did self-play leave the network?",
      ("    net.train()\n", ""))  # fmt: skip
wrong("train_step", "losses after the step", "the reported losses are those after the step",
      "At which weights does the docstring want the losses?",
      (f"    {_REPORT}", f"""    predicted_value, logits = net(torch.from_numpy(planes))
    value_loss, policy_loss = alphazero_loss(predicted_value, logits, torch.from_numpy(value), torch.from_numpy(policy))
    {_REPORT}"""))  # fmt: skip
wrong("train_step", "the two reports swapped", "each loss is reported under the other's name",
      "Which is which?",
      (_REPORT, 'return {"value": policy_loss.item(), "policy": value_loss.item()}'))  # fmt: skip
wrong("train_step", "the total reported", "one number, the total, is returned",
      "The dashboard draws two curves: what does it need?",
      (_REPORT, "return (value_loss + policy_loss).item()"))  # fmt: skip

# --- gate ------------------------------------------------------------------------------------------------------------


class Table(NamedTuple):
    """A position of a made-up game: which opening it is, who is to move, and who has moved: 0 the champion, 1 the candidate."""

    opening: int
    to_play: int
    moved: tuple = ()


class TableGame:
    """Two plies. What happens stands in a table beforehand, so that any match can be staged.

    Args:
        table: for each opening (result where the candidate moves first, where the champion does), each +1, 0 or -1 for
            the candidate.
    """

    name, num_actions = "table", 2

    def __init__(self, table: list[tuple[int, int]]):
        self.table = table

    def initial_state(self):
        return Table(0, 1)

    def openings(self) -> list[Table]:
        """Every third begins with the second player to move."""
        return [Table(number, -1 if number % 3 == 2 else 1) for number in range(len(self.table))]

    def legal_actions(self, state):
        return [] if self.is_terminal(state) else [0, 1]

    def play(self, state, action):
        return Table(state.opening, -state.to_play, (*state.moved, action))

    def to_play(self, state):
        return state.to_play

    def is_terminal(self, state):
        return len(state.moved) == 2

    def winner(self, state):
        if len(state.moved) < 2 or state.moved[0] == state.moved[1]:
            return 0  # both moves by one agent: nobody's game
        candidate_first = state.moved[0] == 1
        for_candidate = self.table[state.opening][0 if candidate_first else 1]
        return for_candidate * (state.to_play if candidate_first else -state.to_play)  # to_play moved first


class Scripted:
    """Plays its own number, and writes down where it was asked."""

    def __init__(self, number: int):
        self.number, self.asked = number, []

    def act(self, state) -> int:
        self.asked.append((state.opening, len(state.moved)))
        return self.number


def _table(wins: int, draws: int, losses: int, rng) -> list[tuple[int, int]]:
    """A match with these results for the candidate, in any order. The three must sum to an even number."""
    results = rng.permutation([1] * wins + [0] * draws + [-1] * losses).tolist()
    return list(zip(results[::2], results[1::2], strict=True))


def _meet(gate, table, *threshold):
    game, candidate, champion = TableGame(table), Scripted(1), Scripted(0)
    accepted, score = gate(game, candidate, champion, game.openings(), *threshold)
    return accepted, tuple(score), candidate.asked, champion.asked


@check
def gate(rng):
    setting = "candidate and champion play from every opening; the results for the candidate, as first and as second player:\n"
    call = "accepted, score = gate(game, candidate, champion, openings)"

    def verdict(name, wins, draws, losses, accepted, question, *threshold, points=1):
        table = _table(wins, draws, losses, rng)
        shown = call.replace(")", f", {threshold[0]})") if threshold else call
        return Case(
            name,
            lambda answer: bool(_meet(answer, table, *threshold)[0]),
            accepted,
            f"{setting}{table}\n{shown}\naccepted   # the score is {(wins, draws, losses)}",
            question,
            points=points,
        )

    def parts(answer):
        game = TableGame([(1, 0)])
        got = answer(game, Scripted(1), Scripted(0), game.openings())
        if not isinstance(got, tuple | list) or len(got) != 2:
            return f"one {type(got).__name__}"  # so that one thing alone is not mistaken for a crash
        return [isinstance(got[0], bool | np.bool_), len(got[1])]

    yield Case(
        "returns a yes or no, and a score",
        parts,
        [True, 3],
        call,
        "Two things are asked for: the verdict, and wins, draws and losses.",
    )
    table = _table(5, 4, 3, rng)
    yield Case(
        "the score is the candidate's: wins, draws, losses",
        lambda answer: _meet(answer, table)[1],
        (5, 4, 3),
        f"{setting}{table}\n{call}\nscore",
        "Whose wins are counted, and in which order?",
        points=2,
    )
    yield Case(
        "first player or second, a win is a win",
        lambda answer: _meet(answer, [(1, 1), (1, 0), (1, -1), (1, 1)])[1],
        (6, 1, 1),
        f"{setting}[(1, 1), (1, 0), (1, -1), (1, 1)]\n{call}\nscore",
        "`winner` returns +1 if the *first player* won: which agent was that?",
    )

    def colors(answer):
        _, _, candidate, champion = _meet(answer, [(0, 0)] * 4)
        return [sorted(candidate), sorted(champion)]

    yield Case(
        "two games from each opening, one with each color",
        colors,
        [sorted((opening, ply) for opening in range(4) for ply in (0, 1))] * 2,
        "(opening, moves played since) wherever the candidate is asked, and wherever the champion is",
        "Moving first is an advantage: how do you make it fair, opening by opening?",
        points=2,
    )
    yield verdict("draws don't count: one win and 19 draws are enough", 1, 19, 0, True,
                  "How many games of this match were decided, and how many of those did the candidate win?", points=2)  # fmt: skip
    yield verdict("a few wins among many draws are enough", 3, 16, 1, True,
                  "The threshold is a share of which games?")  # fmt: skip
    yield verdict("all drawn: the champion stays", 0, 20, 0, False,
                  "No game was decided. Which of the two has shown that it is better?", points=2)  # fmt: skip
    yield verdict("all lost: the champion stays", 0, 0, 6, False, "Who lost?")
    yield verdict(
        "6 of 11 is 54.5 %: not enough", 6, 9, 5, False, "What share of the decisive games is that, and is it 55 %?"
    )
    yield verdict(
        "5 of 9 is 55.6 %: enough", 5, 11, 4, True, "What share of the decisive games is that, and is it 55 %?"
    )
    yield verdict(
        "exactly the threshold is enough", 3, 0, 1, True, "What do the words *at least* say about equality?", 0.75
    )
    yield verdict("the threshold is an argument", 2, 0, 2, True, "Where does the threshold come from?", 0.5)
    yield verdict(
        "and a high one keeps a good candidate out", 8, 2, 2, False, "Where does the threshold come from?", 0.9
    )
    yield verdict(
        "more losses than wins: the champion stays", 2, 0, 4, False, "Who is the better player here?", points=2
    )


_SCORE = "score = match(game, candidate, champion, openings)"
_ACCEPTED = "accepted = decisive > 0 and score.wins / decisive >= threshold"
_ONE_COLOR = """    results = [play_game(game, {1: candidate, -1: champion}, opening) for opening in openings for _ in range(2)]
    score = Score(results.count(1), results.count(0), results.count(-1))"""

wrong("gate", "draws count half", "a draw counts as half a win, and the share is taken of all games",
      "Two good players draw nearly always: how many wins would a slightly better one need in your count?",
      (_ACCEPTED, "accepted = (score.wins + score.draws / 2) / sum(score) >= threshold"))  # fmt: skip
wrong("gate", "draws count as losses", "the share of wins is taken of all games, so that a draw counts like a loss",
      "Of which games is the threshold a share?",
      (_ACCEPTED, "accepted = score.wins / sum(score) >= threshold"))  # fmt: skip
wrong("gate", "draws count as wins", "every game that is not lost counts as won",
      "Has a candidate that only draws shown that it is better?",
      (_ACCEPTED, "accepted = (score.wins + score.draws) / sum(score) >= threshold"))  # fmt: skip
wrong("gate", "always the same color", "the candidate moves first in both games",
      "Whom would you expect to win if two equal players met in your match?",
      ("    " + _SCORE, _ONE_COLOR))  # fmt: skip
wrong("gate", "winner taken for candidate",
      "colors alternate, but the first player's result is counted as the candidate's in both games",
      "`winner` returns +1 for the first player: which agent is that in the second game?",
      ("    " + _SCORE, """    pairs = ({1: candidate, -1: champion}, {1: champion, -1: candidate})
    results = [play_game(game, players, opening) for opening in openings for players in pairs]
    score = Score(results.count(1), results.count(0), results.count(-1))"""))  # fmt: skip
wrong("gate", "one game an opening", "only one game is played from each opening",
      "What if an opening is good for whoever moves first?",
      ("    " + _SCORE, """    results = [play_game(game, {1: candidate, -1: champion}, opening) for opening in openings]
    score = Score(results.count(1), results.count(0), results.count(-1))"""))  # fmt: skip
wrong("gate", "colors alternate from opening to opening",
      "one game is played from each opening, with the colors changing from one opening to the next",
      "Each opening should be played by both: how many games is that?",
      ("    " + _SCORE, """    results = []
    for number, opening in enumerate(openings):
        side = 1 if number % 2 == 0 else -1
        results.append(side * play_game(game, {side: candidate, -side: champion}, opening))
    score = Score(results.count(1), results.count(0), results.count(-1))"""))  # fmt: skip
wrong("gate", "more than the threshold", "the share must exceed the threshold, not reach it",
      "Is a share of exactly the threshold enough?",
      (">= threshold", "> threshold"))  # fmt: skip
wrong("gate", "all drawn: accepted", "a match without a decided game lets the candidate through",
      "Nobody has won. Why should anything change?",
      (_ACCEPTED, "accepted = decisive == 0 or score.wins / decisive >= threshold"))  # fmt: skip
wrong("gate", "all drawn: division by zero", "nothing is decided, and the share is taken of no games at all",
      "What is the share of wins when no game was decided?",
      (_ACCEPTED, "accepted = score.wins / decisive >= threshold"))  # fmt: skip
wrong("gate", "the champion's score", "the score is the champion's: a candidate that loses is let through",
      "From whose point of view does `match` count?",
      (_SCORE, "score = match(game, champion, candidate, openings)"))  # fmt: skip
wrong("gate", "the verdict turned around", "the champion's share of wins is held against the threshold",
      "Whose wins must reach the threshold?",
      ("score.wins / decisive", "score.losses / decisive"))  # fmt: skip
wrong("gate", "threshold fixed", "55 % is written into the function: the argument changes nothing",
      "Where should the number come from?",
      (">= threshold", ">= 0.55"))  # fmt: skip
wrong("gate", "any lead is enough", "more wins than losses are enough, whatever the threshold says",
      "What is the threshold for?",
      (_ACCEPTED, "accepted = score.wins > score.losses"))  # fmt: skip
wrong("gate", "openings ignored", "every game begins at the start",
      "Two players without chance, one start: how many different games can they play?",
      (_SCORE, "score = match(game, candidate, champion, [game.initial_state()] * len(openings))"))  # fmt: skip
wrong("gate", "verdict only", "only the verdict is returned", "What will the dashboard draw?",
      ("return accepted, score", "return accepted"))  # fmt: skip

# --- train_alphazero -------------------------------------------------------------------------------------------------


class Sums(NamedTuple):
    """A position of a made-up game: the numbers chosen so far, first and second player in turn."""

    chosen: tuple = ()


class SumGame:
    """Each player chooses 0, 1 or 2, twice; the higher sum wins, and equal sums are the second player's win: no draws."""

    name, rows, columns, num_actions, planes = "sums", 1, 3, 3, 2

    def initial_state(self):
        return Sums()

    def legal_actions(self, state):
        return [] if self.is_terminal(state) else [0, 1, 2]

    def play(self, state, action):
        if action not in self.legal_actions(state):
            raise ValueError(f"{action} is not legal here")
        return Sums((*state.chosen, int(action)))

    def to_play(self, state):
        return 1 if len(state.chosen) % 2 == 0 else -1

    def is_terminal(self, state):
        return len(state.chosen) == 4

    def winner(self, state):
        if not self.is_terminal(state):
            return 0
        return 1 if sum(state.chosen[::2]) > sum(state.chosen[1::2]) else -1

    def encode(self, state):
        mine = len(state.chosen) % 2
        counts = [[state.chosen[side::2].count(number) for number in range(3)] for side in (mine, 1 - mine)]
        return np.array(counts, dtype=np.float32).reshape(2, 1, 3)

    def symmetries(self, planes, policy):
        """A made-up second form, which shows whether they were asked for."""
        return [(planes, policy), (planes[:, :, ::-1], policy[::-1])]


def _print(net: nn.Module) -> tuple:
    """What tells one set of weights from another."""
    return tuple(np.round(np.concatenate([one.detach().numpy().ravel() for one in net.parameters()]), 9).tolist())


class Watched(nn.Module):
    """A network that prefers one number and writes down each question: (weights, whether to learn from it, batch size)."""

    def __init__(self, favorite: int, diary: list):
        super().__init__()
        self.heads = nn.Linear(6, 4)
        generator = torch.Generator().manual_seed(favorite)
        nn.init.normal_(self.heads.weight, std=0.01, generator=generator)
        nn.init.zeros_(self.heads.bias)
        with torch.no_grad():
            self.heads.bias[favorite] = 2.0
        self.diary = diary

    def __deepcopy__(self, memo):
        twin = Watched(0, self.diary)  # a copy writes into the same diary
        twin.load_state_dict(self.state_dict())
        return twin

    def forward(self, planes):
        self.diary.append(("learns" if torch.is_grad_enabled() else "plays", _print(self), len(planes)))
        outputs = self.heads(planes.flatten(1))
        return torch.tanh(outputs[:, -1]), outputs[:, :-1]


class WatchedOptimizer(torch.optim.SGD):
    """Writes down each step: the learning rate, and the weights before it and after it."""

    def watch(self, run: Run) -> None:
        self.run, self.steps = run, []

    def step(self, closure=None):
        run = self.run
        if len(self.steps) > 60:
            raise RuntimeError("more steps than the whole run has: does the loop end after config.iterations?")
        champion, before = _print(run.champion), _print(run.candidate)
        super().step(closure)
        self.steps.append((self.param_groups[0]["lr"], champion, before, _print(run.candidate)))
        run.diary.append(("step", None, 0))


class WatchedRun(Run):
    """A tiny run with a diary. `log` keeps what it was given."""

    @classmethod
    def begin(cls, candidate: int = 2, champion: int = 0, done: int = 0, seed: int = 0, **config) -> "WatchedRun":
        """Favorites 2 against 0: the candidate wins every game at the gate; 0 against 2: none."""
        config = {**SMALL, **config}
        diary: list = []
        nets = Watched(champion, diary), Watched(candidate, diary)
        optimizer = WatchedOptimizer(nets[1].parameters(), config["learning_rate"])
        config = TrainingConfig(**config)
        run = cls(SumGame(), config, *nets, optimizer, ReplayBuffer(config.buffer), np.random.default_rng(seed))
        run.history = [{}] * done
        optimizer.watch(run)
        run.diary, run.logged, run.snapshots = diary, [], []
        return run

    def log(self, games, losses, accepted, score, seconds):
        self.logged.append((games, losses, accepted, score, seconds))
        self.history.append({"iteration": len(self.history) + 1, "accepted": bool(accepted), "gate": list(score)})
        self.diary.append(("log", None, 0))
        if len(self.logged) > 20:
            raise RuntimeError("the loop goes on after config.iterations")

    def look(self, _=None) -> None:
        """As a callback: how things stand after an iteration."""
        kept = self.buffer.examples if len(self.buffer) else ()
        forms = Counter((one.planes.tobytes(), np.round(one.policy, 6).tobytes()) for one in kept)
        self.snapshots.append(
            (_print(self.champion), _print(self.candidate), len(self.buffer), forms, len(self.history))
        )


SMALL = dict(
    iterations=3, games=3, simulations=4, exploratory_plies=4, buffer=1000, steps=3, batch=5, learning_rate=0.02,
    gate_openings=3, gate_plies=1, gate_simulations=0,
)  # fmt: skip


def _watched(train_alphazero, **settings) -> WatchedRun:
    run = WatchedRun.begin(**settings)
    train_alphazero(run, run.look)
    return run


def _accepted(run) -> list[bool]:
    return [entry["accepted"] for entry in run.history]


@check
def train_alphazero(rng):
    seed = int(rng.integers(2**31))
    setting = "run = ...   # 3 iterations of 3 games with 4 simulations, 3 steps on batches of 5\n"
    call = "train_alphazero(run, callback)"
    start = WatchedRun.begin()
    weak, strong = (
        _print(start.champion),
        _print(start.candidate),
    )  # weights at the start, where the candidate is the better

    def case(name, run_, expected, shown, question, points=1, **rest):
        return Case(name, run_, expected, f"{setting}{call}\n{shown}", question, points=points, **rest)

    yield case(
        "three iterations, each logged and then shown to the callback",
        lambda answer: [one[-1] for one in _watched(answer, seed=seed).snapshots],
        [1, 2, 3],
        "len(run.history)   # at each call of the callback",
        "When does an iteration end, and who is told?",
        points=2,
    )

    def goes_on(answer):
        runs = [_watched(answer, done=done, seed=seed) for done in (2, 3)]
        return [len(run.logged) for run in runs]

    yield case(
        "goes on where the run stands: with two iterations done, one is left; with three, none",
        goes_on,
        [1, 0],
        "how many iterations are logged   # when 2, then 3, stood in the history already",
        "A run that was saved after two iterations: how many should still be done?",
        points=2,
    )

    def stops(answer):
        counts = []
        for verdicts in ([False, True, False], [None, None, None]):
            run = WatchedRun.begin(seed=seed)
            answer(run, lambda run, verdicts=verdicts: verdicts[len(run.history) - 1])
            counts.append(len(run.history))
        return counts

    yield case(
        "stops when the callback returns True, and goes on when it returns False or nothing",
        stops,
        [2, 3],
        "len(run.history)   # the callback returns False, True; then a run in which it returns None",
        "How does the dashboard say that it has seen enough?",
    )

    def without_callback(answer):
        run = WatchedRun.begin(seed=seed)
        answer(run)
        return len(run.history)

    yield Case(
        "needs no callback",
        without_callback,
        3,
        f"{setting}train_alphazero(run)\nlen(run.history)",
        "What is `callback` if nobody gives one?",
    )
    yield case(
        "config.games games an iteration",
        lambda answer: [len(one[0]) for one in _watched(answer, seed=seed).logged],
        [3, 3, 3],
        "how many games `log` is given, iteration by iteration",
        "How many games does the config ask for?",
    )

    def simulations(answer):
        games = [game for one in _watched(answer, seed=seed).logged for game in one[0]]
        quarters = 4 * np.concatenate([game.policy for game in games])
        return bool(np.allclose(quarters, quarters.round(), atol=1e-5))

    yield case(
        "with the settings of the config",
        simulations,
        True,
        "whether every policy target is a multiple of 1/4, as 4 simulations give",
        "Which settings does the given part prepare?",
    )

    def settings(answer):
        """Settings that show: c_puct so large that only the prior counts, and the prior all noise, which is even."""
        even = dict(c_puct=1000.0, noise_alpha=1e6, noise_fraction=1.0, simulations=30)
        run = _watched(answer, seed=seed, iterations=1, games=4, exploratory_plies=0, **even)
        examples = [example for game in run.logged[0][0] for example in game]
        policies_even = all(np.allclose(example.policy, 1 / 3, atol=0.05) for example in examples)
        return [policies_even, len({example.planes.tobytes() for example in examples}) == 4]

    yield case(
        "c_puct, noise and exploratory plies, too",
        settings,
        [True, True],
        "whether all visits are even, and all games the same\n"
        "# with c_puct=1000, noise_fraction=1, noise_alpha=1e6, and exploratory_plies=0",
        "How many settings stand in the given dictionary, and where should they arrive?",
    )

    def players(answer):
        """With which weights self-play asked, iteration by iteration: the champion's, the candidate's, or others."""
        run = _watched(answer, candidate=0, champion=2, seed=seed)  # never accepted, so the two stay apart
        snapshots = [(_print(WatchedRun.begin(0, 2).champion), _print(WatchedRun.begin(0, 2).candidate))]
        snapshots += [one[:2] for one in run.snapshots]
        seen, who = [], {}
        for kind, weights, _ in run.diary:
            if kind == "plays" and who is not None:
                champion, candidate = snapshots[min(len(seen), len(snapshots) - 1)]
                who["champion" if weights == champion else "candidate" if weights == candidate else "other"] = True
            elif kind in ("learns", "step") and who is not None:
                seen.append(sorted(who))
                who = None  # what is asked from now to the end of the iteration is the gate
            elif kind == "log":
                who = {}
        return seen

    yield case(
        "the champion plays the games of self-play",
        players,
        [["champion"]] * 3,
        "which network is asked before the first step of each iteration   # in a run that accepts no candidate",
        "Whose games should the candidate learn from, before it has passed the gate?",
        points=2,
    )

    def buffer(answer):
        run = _watched(answer, seed=seed)
        expected, agrees = Counter(), []
        for (games, *_), snapshot in zip(run.logged, run.snapshots, strict=True):
            for example in (example for game in games for example in game):
                for planes, policy in run.game.symmetries(example.planes, example.policy):
                    expected[np.ascontiguousarray(planes).tobytes(), np.round(policy, 6).tobytes()] += 1
            agrees.append([snapshot[2], snapshot[3] == expected])
        return agrees

    yield case(
        "the buffer keeps the examples of all iterations, in all their forms",
        buffer,
        [[24, True], [48, True], [72, True]],  # 3 games of 4 positions in 2 forms
        "len(run.buffer), and whether its content is right   # 3 games of 4 positions, each in 2 forms",
        "What does `buffer.add` do when it is given the game, and when is anything taken out again?",
        points=2,
    )

    def batches(answer):
        run = _watched(answer, seed=seed)
        sizes = [size for kind, _, size in run.diary if kind == "learns"]
        return [len(run.optimizer.steps), sizes]

    yield case(
        "config.steps steps an iteration, each on a batch of config.batch",
        batches,
        [9, [5] * 9],
        "how many steps run.optimizer took in all, and the sizes of the batches",
        "Which numbers of the config say how much is learned?",
    )

    def learning(answer):
        run = _watched(answer, candidate=0, champion=2, seed=seed)
        steps = run.optimizer.steps
        return [all(before != after for _, _, before, after in steps), len({champion for _, champion, _, _ in steps})]

    yield case(
        "the steps change the candidate, and not the champion",
        learning,
        [True, 1],
        "whether each step changed the candidate; how many different champions there were   # none was accepted",
        "Which of the two networks does run.optimizer belong to, and which one has to stay as it is?",
        points=2,
    )
    yield case(
        "the learning rate falls",
        lambda answer: [step[0] for step in _watched(answer, seed=seed).optimizer.steps[::3]],
        [0.02, 0.02 * 0.7, 0.02 * 0.4],
        'run.optimizer.param_groups[0]["lr"]   # at the first step of each iteration',
        "Which method of `run` does that, and when?",
    )
    yield case(
        "the gate: two games from each of config.gate_openings openings",
        lambda answer: [sum(one[3]) for one in _watched(answer, seed=seed).logged],
        [6, 6, 6],
        "sum(score)   # of each iteration; 3 openings",
        "What does `random_openings` need to know, and who plays from them?",
    )

    def questions(answer):
        """How often a network is asked at the first gate: after the last step, before the log."""
        counts = []
        for gate_simulations in (0, 2):
            run = _watched(answer, seed=seed, iterations=1, gate_simulations=gate_simulations)
            kinds = [kind for kind, _, _ in run.diary]
            last_step = len(kinds) - 1 - kinds[::-1].index("step")
            counts.append(kinds[last_step : kinds.index("log")].count("plays"))
        return [counts[0], counts[1] > counts[0]]

    yield case(
        "the gate: agents with config.gate_simulations",
        questions,
        [18, True],  # six games of three moves each: the opening is the first
        "how often the networks are asked at the gate, without simulations: once a move;\n"
        "and whether they are asked more often with two",
        "How much does an agent search at the gate: as much as in self-play?",
    )
    yield case(
        "a candidate that wins every game is accepted",
        lambda answer: (lambda t: [t.logged[0][3][0], bool(t.logged[0][2]), t.snapshots[0][0] == t.snapshots[0][1]])(
            _watched(answer, seed=seed)
        ),
        [6, True, True],
        "score.wins, accepted, and whether the champion has the candidate's weights   # after the first iteration",
        "What should happen to the champion's weights when the gate says yes?",
        points=2,
    )
    yield case(
        "one that loses every game is not",
        lambda answer: (lambda t: [t.logged[0][3][2], bool(t.logged[0][2]), t.snapshots[-1][0] == strong])(
            _watched(answer, candidate=0, champion=2, seed=seed)
        ),
        [6, False, True],
        "score.losses, accepted, and whether the champion is what it was   # the other way around",
        "What should happen to the champion when the gate says no?",
        points=2,
    )
    yield case(
        "the threshold is the config's",
        lambda answer: (lambda t: [_accepted(t), t.snapshots[-1][0] == weak])(
            _watched(answer, seed=seed, gate_threshold=1.5)
        ),
        [[False, False, False], True],
        "run.history[i]['accepted']   # with a threshold that no candidate can reach",
        "Which threshold does the gate use if you don't name one?",
    )

    def keeps_learning(answer):
        kept = []
        for candidate, champion in ((0, 2), (2, 0)):
            run = _watched(answer, candidate=candidate, champion=champion, seed=seed)
            steps = run.optimizer.steps
            kept.append([one[3] == other[2] for one, other in pairwise(steps)])
        return [len(one) == 8 and all(one) for one in kept]

    yield case(
        "accepted or not, the candidate goes on from where it was",
        keeps_learning,
        [True, True],
        "whether each step began at the weights where the one before it ended   # nobody, then somebody, accepted",
        "A candidate that just failed has learned something all the same: what becomes of it?",
        points=2,
    )

    def copies(answer):
        run = _watched(answer, seed=seed, iterations=1)
        before = _print(run.champion)
        with torch.no_grad():
            for weight in run.candidate.parameters():
                weight += 1.0
        return _print(run.champion) == before

    yield case(
        "an accepted candidate is copied: what it learns later does not reach the champion",
        copies,
        True,
        "whether the champion stays the same when 1 is added to each weight of the candidate",
        "Two names, one network: what does a step on one of them do to the other?",
        points=2,
    )

    def losses(answer):
        run = _watched(answer, seed=seed)
        return [[sorted(loss) for loss in one[1]] for one in run.logged]

    yield case(
        "every step's losses are logged",
        losses,
        [[["policy", "value"]] * 3] * 3,
        "the losses that `log` is given",
        "What does `train_step` return, and how often is it called?",
    )

    def seconds(answer):
        run, began = WatchedRun.begin(seed=seed), time.perf_counter()
        answer(run, lambda run: time.sleep(0.1 if len(run.history) < 3 else 0))
        took, logged = time.perf_counter() - began, [one[4] for one in run.logged]
        return [min(logged) > 0, sum(logged) <= 1.2 * took]

    yield case(
        "each iteration is logged with its own seconds",
        seconds,
        [True, True],
        "whether every iteration took some time, and all together no more than the run\n# (the callback waits for 0.1 s)",
        "When does the clock of an iteration start, and what is subtracted from what?",
    )

    def repeats(answer):
        before = np.random.get_state()  # noqa: NPY002 - the legacy generator is what this looks for
        try:
            ends = []
            for global_seed in (1, 2):
                np.random.seed(global_seed)  # noqa: NPY002
                ends.append(_watched(answer, seed=seed).snapshots[-1][:2])
        finally:
            np.random.set_state(before)  # noqa: NPY002
        return ends[0] == ends[1]

    yield case(
        "the same seed gives the same run",
        repeats,
        True,
        "twice, and whether the weights are the same at the end",
        "Where does all chance of a run come from?",
    )


_COPY = "run.champion.load_state_dict(run.candidate.state_dict())"
_CALL = "callback is not None and callback(run)"
_WHILE = "while len(run.history) < config.iterations:"
_ADD = "buffer.add(examples, game)"
_TRAIN = "losses = [train_step(run.candidate, run.optimizer, *batch) for batch in batches]"
_GATE = "gate(game, candidate, champion, openings, config.gate_threshold)"

wrong("train_alphazero", "the champion is trained", "the champion's losses are computed: the candidate learns nothing",
      "Which network does run.optimizer step, and which one must compute the loss?",
      ("train_step(run.candidate,", "train_step(run.champion,"))  # fmt: skip
wrong("train_alphazero", "one network with two names",
      "an accepted candidate *becomes* the champion instead of being copied: from then on both learn",
      "After `a = b`, how many networks are there?",
      (_COPY, "run.champion = run.candidate"))  # fmt: skip
wrong("train_alphazero", "seconds of the whole run", "an iteration is logged with the seconds since the run began, not with its own",
      "When does the clock of an iteration start?",
      ("        began = time.perf_counter()\n", ""), (f"    {_WHILE}", f"    began = time.perf_counter()\n    {_WHILE}"))  # fmt: skip
wrong("train_alphazero", "symmetries forgotten", "only the position as it was played goes into the buffer",
      "What second argument does `buffer.add` take?",
      (_ADD, "buffer.add(examples)"))  # fmt: skip
wrong("train_alphazero", "buffer emptied", "the buffer is emptied at each iteration: the network forgets what it knew",
      "Why does the buffer have a capacity, instead of being emptied?",
      ("        run.set_learning_rate()\n", "        run.set_learning_rate()\n        buffer.parts.clear()\n"))  # fmt: skip
wrong("train_alphazero", "latest game only", "only the last game of each iteration reaches the buffer",
      "For how many of the games is `buffer.add` called?",
      (f"            {_ADD}", f"            pass\n        {_ADD}"))  # fmt: skip
wrong("train_alphazero", "everybody is accepted", "the gate is asked, but the candidate takes the champion's place anyway",
      "What depends on `accepted`?",
      ("        if accepted:\n            " + _COPY, "        " + _COPY))  # fmt: skip
wrong("train_alphazero", "nobody is accepted", "the gate is asked, but the champion never changes",
      "What should an accepted candidate do?",
      ("        if accepted:\n            " + _COPY + "\n", ""))  # fmt: skip
wrong("train_alphazero", "verdict turned around", "the candidate is taken when the gate says no",
      "What does True mean here?",
      ("if accepted:", "if not accepted:"))  # fmt: skip
wrong("train_alphazero", "the candidate plays", "the candidate plays the games of self-play",
      "Who has proved to be the better player so far?",
      ("TorchNetwork(run.champion)", "TorchNetwork(run.candidate)"))  # fmt: skip
wrong("train_alphazero", "candidate reset on rejection", "a rejected candidate is set back to the champion's weights",
      "Late in training most candidates are rejected: what would the run learn from those iterations?",
      (_COPY, _COPY + "\n        else:\n            run.candidate.load_state_dict(run.champion.state_dict())"))  # fmt: skip
wrong("train_alphazero", "candidate made anew", "each iteration begins with a fresh copy, which the optimizer does not know",
      "Whose weights does run.optimizer hold?",
      ("        batches =", "        run.candidate = type(run).__dataclass_fields__ and __import__('copy').deepcopy(run.champion)\n        batches ="))  # fmt: skip
wrong("train_alphazero", "callback not called", "the callback is never called", "Who draws the dashboard?",
      (f"        if {_CALL}:\n            return", "        # done"))  # fmt: skip
wrong("train_alphazero", "callback's True ignored", "the callback is called, but its answer changes nothing",
      "How would you stop a run that is good enough?",
      (f"        if {_CALL}:\n            return", "        if callback is not None:\n            callback(run)"))  # fmt: skip
wrong("train_alphazero", "callback's answer turned around", "the run goes on only if the callback returns True",
      "What does a function return that returns nothing, and what should happen then?",
      ("callback(run):", "not callback(run):"))  # fmt: skip
wrong("train_alphazero", "a callback is needed", "None is called", "What is `callback` if nobody gives one?",
      (_CALL, "callback(run)"))  # fmt: skip
wrong("train_alphazero", "callback before the log", "the callback is called before the iteration stands in the history",
      "Which entry would the dashboard draw?",
      ("        run.log(games, losses, accepted, score, time.perf_counter() - began)\n", ""),
      (f"        if {_CALL}:\n            return",
       f"""        stop = {_CALL}
        run.log(games, losses, accepted, score, time.perf_counter() - began)
        if stop:
            return"""))  # fmt: skip
wrong("train_alphazero", "learning rate never set", "the learning rate stays what it was at the start",
      "Which method of `run` lowers it?",
      ("        run.set_learning_rate()\n", ""))  # fmt: skip
wrong("train_alphazero", "one iteration too many", "the loop runs once more than the config says",
      "How many entries does the history have after the last iteration?",
      (_WHILE, "while len(run.history) <= config.iterations:"))  # fmt: skip
wrong("train_alphazero", "never logged", "iterations are not logged: the history stays empty, and the loop never ends",
      "What does the loop's condition count?",
      ("        run.log(games, losses, accepted, score, time.perf_counter() - began)\n", ""))  # fmt: skip
wrong("train_alphazero", "begins anew", "config.iterations iterations are done, whatever was done before",
      "How many are left for a run that was saved after two of three?",
      (_WHILE, "for _ in range(config.iterations):"))  # fmt: skip
wrong("train_alphazero", "gate the wrong way round", "candidate and champion have changed places at the gate",
      "Who asks to be let in?",
      (_GATE, "gate(game, champion, candidate, openings, config.gate_threshold)"))  # fmt: skip
wrong("train_alphazero", "threshold forgotten", "the gate uses its default threshold instead of the config's",
      "Which arguments does `gate` take?",
      (_GATE, "gate(game, candidate, champion, openings)"))  # fmt: skip
wrong("train_alphazero", "gate from the start only", "the match begins at the start, so there are only two different games",
      "Two players without chance: how many different games can they play from one position?",
      (_GATE, "gate(game, candidate, champion, [game.initial_state()], config.gate_threshold)"))  # fmt: skip
wrong("train_alphazero", "one game", "one game an iteration is played",
      "Which number of the config says how many?",
      ("range(config.games)", "range(1)"))  # fmt: skip
wrong("train_alphazero", "one step", "one step an iteration is taken",
      "Which number of the config says how many?",
      ("range(config.steps)", "range(1)"))  # fmt: skip
wrong("train_alphazero", "settings forgotten", "self-play uses its defaults instead of the config's settings",
      "What is the given dictionary for?",
      (", **settings", ""))  # fmt: skip
wrong("train_alphazero", "some settings forgotten",
      "of the config's settings only the number of simulations reaches self-play",
      "What else stands in the given dictionary?",
      ("**settings", "simulations=config.simulations"))  # fmt: skip
wrong("train_alphazero", "self-play's simulations at the gate",
      "the agents search as much at the gate as in self-play: the config has a number of its own for the gate",
      "Which numbers of the config begin with gate_, and why would much search hide a difference?",
      ("config.gate_simulations", "config.simulations"))  # fmt: skip
wrong("train_alphazero", "batch size forgotten", "batches have the size of the number of steps",
      "Which number of the config is the size of a batch?",
      ("buffer.sample(config.batch, rng)", "buffer.sample(config.steps, rng)"))  # fmt: skip
wrong("train_alphazero", "chance of its own", "games are played with a generator of their own, seeded from nowhere",
      "Which generator makes a run repeatable?",
      ("self_play_game(game, network, rng,", "self_play_game(game, network, np.random.default_rng(),"))  # fmt: skip
wrong("train_alphazero", "last loss only", "only the last step's losses are logged",
      "What will the dashboard average?",
      ("run.log(games, losses,", "run.log(games, losses[-1:],"))  # fmt: skip
