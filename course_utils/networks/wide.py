"""A wide fully connected network: for a small board on a processor, most learned for the time.

A convolution looks at every cell with the same weights, 42 times on Connect Four's board, and each layer sees one cell further. Here one
product of matrices sees the whole board, and a position costs an eighth of what four residual blocks of 32 channels take. It must learn a
line anew at every place, so it needs more games; and has them in the same time.
"""

from collections.abc import Sequence

import torch
from torch import nn

from course_utils.games import Game


class WideNet(nn.Module):
    """planes -> hidden layers with batch norm and ReLU -> {num_actions logits, 1 value}.

    Args:
        planes, rows, columns, num_actions: the game's.
        widths: the units of each hidden layer, from the first to the last.
    """

    def __init__(
        self, planes: int, rows: int, columns: int, num_actions: int, widths: Sequence[int] = (1024, 256, 128)
    ):
        super().__init__()
        self.config = dict(planes=planes, rows=rows, columns=columns, num_actions=num_actions, widths=list(widths))
        sizes = [planes * rows * columns, *widths]
        self.trunk = nn.Sequential(nn.Flatten(), *map(hidden_layer, sizes, widths))
        self.policy_head = nn.Sequential(nn.Linear(sizes[-1], num_actions))
        self.value_head = nn.Sequential(nn.Linear(sizes[-1], 1))

    def forward(self, planes: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """As `network_forward`: [batch, planes, rows, columns] -> (value [batch], logits [batch, num_actions])."""
        features = self.trunk(planes)  # [batch, widths[-1]]
        logits = self.policy_head(features)  # [batch, num_actions]
        value = torch.tanh(self.value_head(features)).squeeze(-1)  # [batch]
        return value, logits


def hidden_layer(inputs: int, units: int) -> nn.Sequential:
    """A linear layer and its batch norm, which makes a bias of its own needless; then ReLU."""
    linear = nn.Sequential(nn.Linear(inputs, units, bias=False), nn.BatchNorm1d(units))
    return nn.Sequential(linear, nn.ReLU(inplace=True))


def make_wide(game: Game, seed: int, widths: Sequence[int] = (1024, 256, 128)) -> WideNet:
    """A network with random weights for `game`. The same seed gives the same weights."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        return WideNet(game.planes, game.rows, game.columns, game.num_actions, widths)
