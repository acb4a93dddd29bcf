"""The torch network of the main line: one trunk, a policy head and a value head."""

import numpy as np
import torch
from torch import nn

from course_utils.exercise import exercise
from course_utils.games import Game
from course_utils.networks.settings import SearchSettings, settings_of


class PolicyValueNet(nn.Module):
    """planes -> hidden -> hidden -> {num_actions logits, 1 value}.

    For tic-tac-toe 18-64-64-{9, 1}: 6,026 parameters.
    """

    def __init__(self, planes: int, rows: int, columns: int, num_actions: int, hidden: int = 64):
        super().__init__()
        self.config = dict(planes=planes, rows=rows, columns=columns, num_actions=num_actions, hidden=hidden)
        self.trunk = nn.Sequential(
            nn.Flatten(), nn.Linear(planes * rows * columns, hidden), nn.ReLU(), nn.Linear(hidden, hidden), nn.ReLU()
        )
        self.policy_head = nn.Linear(hidden, num_actions)
        self.value_head = nn.Linear(hidden, 1)

    def forward(self, planes: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        return network_forward(self, planes)


@exercise("02")
def network_forward(
    net: PolicyValueNet,
    planes: torch.Tensor,
) -> tuple[torch.Tensor, torch.Tensor]:
    """`net.trunk` runs once; `net.policy_head` and `net.value_head` read what it returns.

    planes: [batch, planes, rows, columns].
    Returns (value, logits): value [batch], squashed by tanh, for the player to move;
    logits [batch, num_actions], just as the policy head gives them.
    """
    features = net.trunk(planes)  # [batch, hidden]
    logits = net.policy_head(features)  # [batch, num_actions]
    value = torch.tanh(net.value_head(features)).squeeze(-1)  # [batch]
    return value, logits


def make_network(game: Game, seed: int, hidden: int = 64) -> PolicyValueNet:
    """A network with random weights, by `draw_weights`. The same seed gives the same weights."""
    net = PolicyValueNet(game.planes, game.rows, game.columns, game.num_actions, hidden)
    draw_weights(net, seed)
    return net


def draw_weights(net: nn.Module, seed: int) -> None:
    """New random weights for every linear layer of `net`: Glorot and Bengio 2010 ("Xavier"), biases 0."""
    generator = torch.Generator().manual_seed(seed)
    for layer in net.modules():
        if isinstance(layer, nn.Linear):
            nn.init.xavier_uniform_(layer.weight, generator=generator)
            nn.init.zeros_(layer.bias)


class TorchNetwork:
    """A torch network as a search sees it: numpy in, numpy out, no gradients, in evaluation mode."""

    def __init__(self, net: nn.Module):
        self.net = net

    @property
    def settings(self) -> SearchSettings:
        return settings_of(self.net)

    def __call__(self, planes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """As `Network`. Raises ValueError if the network's value is NaN."""
        self.net.eval()
        with torch.inference_mode():
            value, logits = self.net(torch.from_numpy(np.ascontiguousarray(planes, dtype=np.float32)))
        value = value.numpy()
        if np.isnan(value).any():
            raise ValueError("the network's value is NaN: its weights have probably diverged")
        return value, logits.numpy()
