"""alphazero_loss: squared error of the value, cross-entropy of the policy."""

from typing import NamedTuple

import numpy as np
import torch
from hypothesis import strategies as st
from torch import nn

from course_utils.tests.case import Case, show
from course_utils.tests.catalogue import Wrong
from course_utils.tests.specification import Specification

NAMES = ("value", "logits", "target_value", "target_policy")
CALL = "alphazero_loss(value, logits, target_value, target_policy)"


class Draw(NamedTuple):
    batch: int
    num_actions: int
    spread: float  # of the logits
    targets: str
    dtype: str
    seed: int


DRAWS = st.builds(
    Draw,
    st.one_of(st.sampled_from([1, 2]), st.integers(1, 30)),
    st.one_of(st.sampled_from([1, 9]), st.integers(1, 12)),
    st.sampled_from([2.0, 0.0, 200.0]),
    st.sampled_from(["soft", "even", "one move", "few moves"]),
    st.sampled_from(["float32", "float32", "float64"]),
    st.integers(0, 999),
)


def batch(draw: Draw) -> list[np.ndarray]:
    """value, logits, target_value, target_policy."""
    rng, shape = np.random.default_rng(draw.seed), (draw.batch, draw.num_actions)
    logits = draw.spread * rng.normal(size=shape)
    policy = rng.dirichlet(np.ones(draw.num_actions), draw.batch)
    if draw.targets == "even":
        policy = np.full(shape, 1 / draw.num_actions)
    elif draw.targets != "soft":
        kept = 1 if draw.targets == "one move" else 3
        policy[rng.random(shape).argsort(axis=1).argsort(axis=1) >= kept] = 0
        policy /= policy.sum(axis=1, keepdims=True)
    arrays = (
        rng.uniform(-1, 1, draw.batch),
        logits,
        rng.choice([-1.0, 0.0, 1.0, 0.3, -0.7], draw.batch),
        policy,
    )
    return [array.astype(draw.dtype) for array in arrays]


def tensors(arrays) -> dict[str, torch.Tensor]:
    given = {name: torch.from_numpy(array.copy()) for name, array in zip(NAMES, arrays, strict=True)}
    given["value"].requires_grad_()
    given["logits"].requires_grad_()
    return given


def log_p(logits: np.ndarray) -> np.ndarray:
    shifted = logits.astype(np.float64) - logits.max(axis=1, keepdims=True)
    return shifted - np.log(np.exp(shifted).sum(axis=1, keepdims=True))


def losses(value, logits, target_value, target_policy) -> list[float]:
    """The definition, example by example."""
    squares = [(float(z) - float(v)) ** 2 for v, z in zip(value, target_value, strict=True)]
    entropies = [-float(pi.astype(np.float64) @ one) for pi, one in zip(target_policy, log_p(logits), strict=True)]
    return [sum(squares) / len(squares), sum(entropies) / len(entropies)]


def oracle(arrays) -> list:
    """The losses, and the gradients of value loss + 3 policy loss, for each example by itself."""
    value, logits, target_value, target_policy = (array.astype(np.float64) for array in arrays)
    return [*losses(*arrays), 2 * (value - target_value),
            3 * (np.exp(log_p(logits)) * target_policy.sum(axis=1, keepdims=True) - target_policy)]  # fmt: skip


def judged(result, arguments) -> list:
    inputs = [arguments["value"], arguments["logits"]]
    total = result[0] + 3 * result[1]
    gradients = [None, None]
    if total.requires_grad:
        gradients = torch.autograd.grad(total, inputs, retain_graph=True, allow_unused=True)
    return [float(loss.detach()) for loss in result] + [
        None if one is None else one.numpy() * len(one) for one in gradients
    ]


def two_scalars(result) -> str:
    if not isinstance(result, tuple | list) or len(result) != 2:
        return f"expected two losses side by side, got one {type(result).__name__}"
    shapes = [list(loss.shape) if isinstance(loss, torch.Tensor) else type(loss).__name__ for loss in result]
    return "" if shapes == [[], []] else f"expected two tensors of shape [], got {shapes[0]} and {shapes[1]}"


def by_hand(rng):
    arrays = batch(Draw(4, 5, 2.0, "soft", "float32", 1))
    given = "\n".join(f"{name} = torch.tensor({show(array)})" for name, array in zip(NAMES, arrays, strict=True))

    def case(name, arrays, part, call, question, points=1):
        def run(answer):
            result = answer(*tensors(arrays).values())
            return two_scalars(result) or [float(loss.detach()) for loss in result][part]

        return Case(name, run, losses(*arrays)[part], call, question, points=points, tolerance=1e-5)

    yield case("the value loss of one example", [array[:1] for array in arrays], 0,
               f"value, target_value = torch.tensor({show(arrays[0][:1])}), torch.tensor({show(arrays[2][:1])})",
               "(z - v) squared: what is it for these two numbers?")  # fmt: skip
    even = [np.zeros(1), np.zeros((1, 5)), np.zeros(1), np.full((1, 5), 0.2)]
    yield case("a network that knows nothing, a search that found nothing: log 5", [one.astype(np.float32) for one in even], slice(2),
               "alphazero_loss(torch.zeros(1), torch.zeros(1, 5), torch.zeros(1), torch.full((1, 5), 0.2))",
               "-pi . log p is a sum over the actions: what is it when all five have pi = p = 1/5?")  # fmt: skip
    yield case("values of a batch", arrays, 0, f"{given}\n{CALL}[0]",
               "Each example has its own value and its own target: how many differences are there?", 2)  # fmt: skip
    yield case("policies of a batch", arrays, 1, f"{given}\n{CALL}[1]",
               "Sum over what, mean over what? And which of the two, pi or p, is inside the logarithm?", 2)  # fmt: skip
    certain = [np.zeros(2), np.array([[200.0, 0.0, -200.0], [0.0, 0.0, 0.0]]), np.zeros(2), np.array([[0.0, 1.0, 0.0], [1.0, 0.0, 0.0]])]  # fmt: skip
    yield case("a network that is certain, and wrong, still has a finite loss", [one.astype(np.float32) for one in certain], 1,
               "logits = torch.tensor([[200., 0, -200], [0, 0, 0]])\ntarget_policy = torch.tensor([[0., 1, 0], [1, 0, 0]])\n"
               "alphazero_loss(torch.zeros(2), logits, torch.zeros(2), target_policy)[1]",
               "What is exp(-200) in float32, and its logarithm? Which function takes both at once?")  # fmt: skip


def loss_by_cross_entropy(value, logits, target_value, target_policy):
    return nn.MSELoss()(value, target_value), nn.CrossEntropyLoss()(logits, target_policy)


def loss_by_logsumexp(value, logits, target_value, target_policy):
    size = value.shape[0]
    difference = target_value.reshape(-1, 1) - value.reshape(-1, 1)
    log_probabilities = logits - torch.logsumexp(logits, dim=-1, keepdim=True)
    return (difference**2).sum() / size, -torch.einsum("ba,ba->", target_policy, log_probabilities) / size


def loss_by_a_loop(value, logits, target_value, target_policy):
    value_losses, policy_losses = [], []
    for v, row, z, pi in zip(value, logits, target_value, target_policy, strict=True):
        value_losses.append((z - v) ** 2)
        policy_losses.append(-torch.dot(pi, torch.log_softmax(row, dim=0)))
    return torch.stack(value_losses).mean(), torch.stack(policy_losses).mean()


_VALUE = "value_loss = F.mse_loss(value, target_value)"
_POLICY = "policy_loss = -(target_policy * F.log_softmax(logits, dim=1)).sum(dim=1).mean()"
_LOG = "F.log_softmax(logits, dim=1)"
_RETURN = "    return value_loss, policy_loss"

CHECK = Specification(
    draws=DRAWS,
    arguments=lambda draw: tensors(batch(draw)),
    oracle=lambda draw: oracle(batch(draw)),
    judged=judged,
    returns=two_scalars,
    tolerance=1e-4,  # float32, logits of hundreds
    shown=lambda draw: f"value, logits, target_value, target_policy = ...   # {draw}\n"
    f"value_loss, policy_loss = {CALL}\n(value_loss + 3 * policy_loss).backward()\n"
    "value_loss, policy_loss, batch * value.grad, batch * logits.grad",
    question="Two numbers come out, and gradients flow from both back to the network's outputs: 2 (v - z) / B and (p - pi) / B.",
    by_hand=by_hand,
    wrong=[
        Wrong("mean over the actions",
              "the policy loss is averaged over the actions too, where it should be summed: it is too small by their number",
              "pi . log p is a dot product: what does a dot product do with its terms?", (".sum(dim=1).mean()", ".mean()")),
        Wrong("softmax of a softmax", "the logits go through a softmax and then through log_softmax as well",
              "What does log_softmax expect: logits or probabilities?", (_LOG, "F.log_softmax(F.softmax(logits, dim=1), dim=1)")),
        Wrong("minus sign forgotten", "the policy loss has no minus: descending it makes the search's moves less likely",
              "Log probabilities are negative: which sign makes a better policy a lower loss?", ("policy_loss = -(", "policy_loss = (")),
        Wrong("KL divergence",
              "the policy loss is the Kullback-Leibler divergence: its gradient is right, but it is lower by the targets' entropy",
              "Which term of the KL divergence does not depend on the network? The formula here does not have it.",
              (_POLICY, f"policy_loss = F.kl_div({_LOG}, target_policy, reduction='batchmean')")),
        Wrong("targets and predictions swapped", "the logarithm is taken of the search's policy, and weighted by the network's",
              "Whose probabilities weight the sum, and whose are inside the logarithm?",
              (_POLICY, "policy_loss = -(F.softmax(logits, dim=1) * torch.log(target_policy + 1e-8)).sum(dim=1).mean()")),
        Wrong("value loss summed", "the value loss is summed over the batch", "What happens to your step when the batch is twice as large?",
              (_VALUE, "value_loss = F.mse_loss(value, target_value, reduction='sum')")),
        Wrong("policy loss summed", "the policy loss is summed over the batch",
              "What happens to your step when the batch is twice as large?", (".sum(dim=1).mean()", ".sum()")),
        Wrong("half of the squared error", "the squared error is halved, as some texts do",
              "Is there a factor in front of (z - v)^2 here?", (_VALUE, _VALUE + " / 2")),
        Wrong("every value with every target",
              "shapes [batch, 1] and [batch] were subtracted: broadcasting makes that [batch, batch], every value with every target",
              "Print the shape of the difference. How many numbers should it hold?",
              (_VALUE, "value_loss = ((value.unsqueeze(1) - target_value) ** 2).mean()")),
        Wrong("softmax over the batch", "the softmax runs down the batch instead of along the actions",
              "Which numbers of logits belong to one position, and which dimension is that?", (_LOG, "F.log_softmax(logits, dim=0)")),
        Wrong("log of a softmax", "softmax and logarithm are taken one after the other: log 0 is minus infinity",
              "What is exp(-200) in float32? Which function of torch takes both steps at once?",
              (_LOG, "torch.log(F.softmax(logits, dim=1))")),
        Wrong("hardest move only", "only the search's most visited move counts: the rest of the visits is thrown away",
              "The visits say how good the second best move is as well: where does that go in yours?",
              (_POLICY, "policy_loss = F.cross_entropy(logits, target_policy.argmax(dim=1))")),
        Wrong("cut off from the network", "the losses have been detached: no gradient flows through them",
              "Which calls cut a tensor off from how it was made?",
              (_RETURN, "    return value_loss.detach().requires_grad_(), policy_loss.detach()")),
        Wrong("policy before value", "the two losses come back in the other order", "Which comes first in the docstring?",
              (_RETURN, "    return policy_loss, value_loss")),
        Wrong("one loss", "the two losses are added up instead of returned side by side",
              "The dashboard wants to draw two curves: what does it need?", (_RETURN, "    return value_loss + policy_loss")),
    ],
    right=[loss_by_cross_entropy, loss_by_logsumexp, loss_by_a_loop],
)  # fmt: skip
