"""Check alphazero_loss: squared error of the value, cross-entropy of the policy."""

import torch
from hypothesis import strategies as st
from torch import nn

from course_utils.tests.catalogue import Wrong
from course_utils.tests.scene import Scenes

BY_HAND = """
    the value loss of one example
    >>> pi = torch.tensor([[0.2, 0.3, 0.5]])
    >>> value_loss, policy_loss = alphazero_loss(torch.tensor([0.5]), torch.zeros(1, 3), torch.tensor([1.0]), pi)
    >>> value_loss
    0.25
    ? What is (z - v) squared for these two numbers?

    with even priors and even visits the policy loss is log 5
    >>> pi = torch.full((1, 5), 0.2)
    >>> value_loss, policy_loss = alphazero_loss(torch.zeros(1), torch.zeros(1, 5), torch.zeros(1), pi)
    >>> policy_loss
    np.log(5)
    ? -pi . log p is a sum over the actions. What is it when all five have pi = p = 1/5?

    values of a batch (2 points)
    >>> value, target_value = torch.tensor([0.5, -0.5, 0.0]), torch.tensor([1.0, 1.0, -1.0])
    >>> value_loss, policy_loss = alphazero_loss(value, torch.zeros(3, 2), target_value, torch.full((3, 2), 0.5))
    >>> value_loss
    (0.25 + 2.25 + 1) / 3
    ? Each example has a value and a target of its own. How many differences are there?

    policies of a batch: p is (1/8, 2/8, 5/8) and (1/4, 1/4, 2/4) (2 points)
    >>> logits = torch.tensor([[1.0, 2.0, 5.0], [1.0, 1.0, 2.0]]).log()
    >>> target_policy = torch.tensor([[0.5, 0.5, 0.0], [0.0, 0.0, 1.0]])
    >>> value_loss, policy_loss = alphazero_loss(torch.zeros(2), logits, torch.zeros(2), target_policy)
    >>> policy_loss
    (0.5 * np.log(8) + 0.5 * np.log(4) + np.log(2)) / 2
    ? Over which axis is the sum, over which one the mean, and is pi or p inside the logarithm?

    a network that is certain and wrong still has a finite loss
    >>> logits = torch.tensor([[200.0, 0.0, -200.0], [0.0, 0.0, 0.0]])
    >>> target_policy = torch.tensor([[0.0, 1.0, 0.0], [1.0, 0.0, 0.0]])
    >>> value_loss, policy_loss = alphazero_loss(torch.zeros(2), logits, torch.zeros(2), target_policy)
    >>> policy_loss
    (200 + np.log(3)) / 2
    ? exp(-200) is 0 in float32. Which function takes the softmax and its logarithm at once?
"""


@st.composite
def batches(draw) -> list[tuple]:
    """Draw (value, target value, logits, visits) of each example."""
    actions, apart = draw(st.integers(1, 4)), draw(st.sampled_from([1, 1, 400]))
    logits = st.lists(st.integers(-24, 24).map(lambda eighths: eighths * apart / 8), min_size=actions, max_size=actions)
    visits = st.lists(st.sampled_from([0.0, 0.0, 1.0, 3.0]), min_size=actions, max_size=actions).filter(any)
    example = st.tuples(
        st.integers(-8, 8).map(lambda eighths: eighths / 8), st.sampled_from([0.0, 1.0, -1.0]), logits, visits
    )
    return draw(st.lists(example, min_size=1, max_size=4))


def scene(draw) -> str:
    value, target_value, logits, visits = (list(column) for column in zip(*draw, strict=True))
    return f"""\
value = torch.tensor({value}, requires_grad=True)
logits = torch.tensor({logits}, requires_grad=True)
visits = torch.tensor({visits})
policy = visits / visits.sum(dim=1, keepdim=True)
value_loss, policy_loss = alphazero_loss(value, logits, torch.tensor({target_value}), policy)
(value_loss + 3 * policy_loss).backward()
value_loss, policy_loss, value.grad, logits.grad"""


def two_scalars(result) -> str:
    if not isinstance(result, tuple | list) or len(result) != 2:
        return f"expected two losses side by side, got one {type(result).__name__}"
    shapes = [list(loss.shape) if isinstance(loss, torch.Tensor) else type(loss).__name__ for loss in result]
    return (
        ""
        if shapes == [[], []]
        else f"expected two scalars, tensors of a single number each; got shapes {shapes[0]} and {shapes[1]}"
    )


_VALUE = "value_loss = F.mse_loss(value, target_value)"
_POLICY = "policy_loss = -(target_policy * F.log_softmax(logits, dim=1)).sum(dim=1).mean()"
_LOG = "F.log_softmax(logits, dim=1)"
_RETURN = "    return value_loss, policy_loss"
# fmt: off
WRONG = [
    Wrong("mean over the actions",
          "the policy loss is averaged over the actions instead of summed, so it is too small by their number",
          "pi . log p is a dot product. What does a dot product do with its terms?", (".sum(dim=1).mean()", ".mean()")),
    Wrong("no softmax", "the logits are used instead of the logarithm of their softmax",
          "What turns logits into probabilities before their logarithm is taken?", (_LOG, "logits")),
    Wrong("logarithm of the logits", "the logarithm of the logits themselves is taken, and these may be 0 or less",
          "What turns logits into probabilities before their logarithm is taken?", (_LOG, "torch.log(logits)")),
    Wrong("not squared",
          "the differences are averaged without being squared, "
          "so a value that is too high and one that is too low cancel out",
          "One value is 1 too high and another 1 too low. Should their loss be 0?",
          (_VALUE, "value_loss = (value - target_value).mean()")),
    Wrong("numbers instead of tensors",
          "the losses are returned as plain numbers, so `backward` has no graph to go through",
          "What does `.item()` do to the graph behind a tensor?",
          (_RETURN, "    return value_loss.item(), policy_loss.item()")),
    Wrong("softmax of a softmax", "the logits go through a softmax and then through log_softmax, too",
          "What does log_softmax expect: logits or probabilities?",
          (_LOG, "F.log_softmax(F.softmax(logits, dim=1), dim=1)")),
    Wrong("minus sign forgotten",
          "the policy loss has no minus sign, so going down its gradient makes the search's moves less likely",
          "Log probabilities are negative. Which sign gives a better policy a lower loss?",
          ("policy_loss = -(", "policy_loss = (")),
    Wrong("KL divergence",
          "the policy loss is the Kullback-Leibler divergence: its gradient is right, "
          "but its value is lower by the targets' entropy",
          "The formula here lacks one term of the KL divergence, which does not depend on the network. Which one?",
          (_POLICY, f"policy_loss = F.kl_div({_LOG}, target_policy, reduction='batchmean')")),
    Wrong("targets and predictions swapped",
          "the logarithm of the search's policy is taken and weighted with the network's policy",
          "Whose probabilities weight the sum, and whose are inside the logarithm?",
          (_POLICY, "policy_loss = -(F.softmax(logits, dim=1) * torch.log(target_policy + 1e-8)).sum(dim=1).mean()")),
    Wrong("value loss summed", "the value loss is summed over the batch",
          "What happens to the size of a step when the batch is twice as large?",
          (_VALUE, "value_loss = F.mse_loss(value, target_value, reduction='sum')")),
    Wrong("policy loss summed", "the policy loss is summed over the batch",
          "What happens to the size of a step when the batch is twice as large?", (".sum(dim=1).mean()", ".sum()")),
    Wrong("half of the squared error", "the squared error is halved, as in some texts",
          "Is there a factor in front of (z - v)^2 here?", (_VALUE, _VALUE + " / 2")),
    Wrong("every value with every target",
          "shapes [batch, 1] and [batch] are subtracted, and broadcasting pairs every value with "
          "every target: [batch, batch]",
          "Print the shape of the difference. How many numbers should it hold?",
          (_VALUE, "value_loss = ((value.unsqueeze(1) - target_value) ** 2).mean()")),
    Wrong("softmax over the batch", "the softmax runs over the batch instead of over the actions",
          "Which logits belong to one position, and which dimension is that?", (_LOG, "F.log_softmax(logits, dim=0)")),
    Wrong("log of a softmax",
          "the softmax and the logarithm are taken one after the other, so log 0 can be minus infinity",
          "exp(-200) is 0 in float32. Which function of torch takes both steps at once?",
          (_LOG, "torch.log(F.softmax(logits, dim=1))")),
    Wrong("hardest move only", "only the search's most visited move counts, and the other visits are thrown away",
          "The visits also say how good the second best move is. Where does your loss use that?",
          (_POLICY, "policy_loss = F.cross_entropy(logits, target_policy.argmax(dim=1))")),
    Wrong("cut off from the network", "the losses are detached, so no gradient flows through them",
          "Which calls cut a tensor off from the graph behind it?",
          (_RETURN, "    return value_loss.detach().requires_grad_(), policy_loss.detach()")),
    Wrong("policy before value", "the two losses are returned in the other order",
          "Which comes first in the docstring?",
          (_RETURN, "    return policy_loss, value_loss")),
    Wrong("one loss", "the two losses are added up instead of returned side by side",
          "The dashboard draws two curves. What does it need?", (_RETURN, "    return value_loss + policy_loss")),
]
# fmt: on


def right_loss_by_a_loop(value, logits, target_value, target_policy):
    value_losses, policy_losses = [], []
    for v, row, z, pi in zip(value, logits, target_value, target_policy, strict=True):
        value_losses.append((z - v) ** 2)
        policy_losses.append(-torch.dot(pi, torch.log_softmax(row, dim=0)))
    return torch.stack(value_losses).mean(), torch.stack(policy_losses).mean()


def right_loss_by_cross_entropy(value, logits, target_value, target_policy):
    return nn.MSELoss()(value, target_value), nn.CrossEntropyLoss()(logits, target_policy)


def right_loss_by_logsumexp(value, logits, target_value, target_policy):
    size = value.shape[0]
    difference = target_value.reshape(-1, 1) - value.reshape(-1, 1)
    log_probabilities = logits - torch.logsumexp(logits, dim=-1, keepdim=True)
    return (difference**2).sum() / size, -torch.einsum("ba,ba->", target_policy, log_probabilities) / size


CHECK = Scenes(
    draws=batches(),
    returns=two_scalars,
    tolerance=1e-4,  # float32, logits of a thousand
    question="The two losses have gradients with respect to the network's outputs: 2 (v - z) / B and (p - pi) / B. "
    "Does yours give both numbers and both gradients?",
)
