"""Train a torch network on recorded examples: the experiments of "The network by hand"."""

import numpy as np
import torch
from torch import nn

from course_utils.networks.policy_value import draw_weights


def cross_entropy_loss(logits: torch.Tensor, pi: torch.Tensor) -> torch.Tensor:
    """Mean over the batch; `logits` and `pi` are [batch, num_actions]."""
    return -(pi * torch.log_softmax(logits, dim=1)).sum(dim=1).mean()


def squared_error_loss(logits: torch.Tensor, pi: torch.Tensor) -> torch.Tensor:
    """The other loss that texts use for a policy; shapes as above."""
    return ((torch.softmax(logits, dim=1) - pi) ** 2).sum(dim=1).mean()


def fit(
    network: nn.Module,
    examples: tuple[np.ndarray, np.ndarray, np.ndarray],
    optimizer: torch.optim.Optimizer,
    *,
    epochs: int = 30,
    batch: int = 32,
    seed: int = 0,
    policy_loss=cross_entropy_loss,
) -> list[tuple[float, float]]:
    """Train `network` on (planes, pi, z), `batch` positions a step. Each epoch goes once through all, in a new order.

    Returns:
        (value loss, cross-entropy of the policy) over all examples: before the first epoch and after each.
    """
    planes, pi, z = (torch.tensor(array, dtype=torch.float32) for array in examples)
    generator = torch.Generator().manual_seed(seed)

    def losses() -> tuple[float, float]:
        with torch.no_grad():
            value, logits = network(planes)
            return ((z - value) ** 2).mean().item(), cross_entropy_loss(logits, pi).item()

    history = [losses()]
    for _ in range(epochs):
        for rows in torch.randperm(len(planes), generator=generator).split(batch):
            value, logits = network(planes[rows])  # [batch], [batch, num_actions]
            loss = ((z[rows] - value) ** 2).mean() + policy_loss(logits, pi[rows])
            optimizer.zero_grad()  # forget the gradients of the step before
            loss.backward()  # the gradient of the loss, for every weight
            optimizer.step()  # every weight a little downhill
        history.append(losses())
    return history


# --- one trunk or two networks ---------------------------------------------------------------------------------------


class Shared(nn.Module):
    """inputs-64-{9, 1}: both heads read one layer."""

    def __init__(self, inputs: int, seed: int):
        super().__init__()
        self.trunk, self.policy_head, self.value_head = nn.Linear(inputs, 64), nn.Linear(64, 9), nn.Linear(64, 1)
        draw_weights(self, seed)

    def forward(self, x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        features = torch.relu(self.trunk(x.flatten(1)))
        return torch.tanh(self.value_head(features))[:, 0], self.policy_head(features)


class Apart(nn.Module):
    """inputs-64-9 and inputs-64-1: two networks that share nothing."""

    def __init__(self, inputs: int, seed: int):
        super().__init__()
        self.policy_net = nn.Sequential(nn.Linear(inputs, 64), nn.ReLU(), nn.Linear(64, 9))
        self.value_net = nn.Sequential(nn.Linear(inputs, 64), nn.ReLU(), nn.Linear(64, 1))
        draw_weights(self, seed)

    def forward(self, x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        return torch.tanh(self.value_net(x.flatten(1)))[:, 0], self.policy_net(x.flatten(1))


def one_number_per_cell(planes: np.ndarray) -> np.ndarray:
    """[positions, 1, rows, columns]: +1 mine, -1 theirs, 0 free, from the two planes."""
    return planes[:, :1] - planes[:, 1:]
