"""The convolutional residual network of AlphaZero, small enough to be trained on a laptop."""

import torch
import torch.nn.functional as F
from torch import nn

from course_utils.exercise import exercise
from course_utils.games import Game


class Residual(nn.Module):
    """Two 3x3 convolutions whose result is *added* to what came in: `channels` planes in, `channels` planes out."""

    def __init__(self, channels: int):
        super().__init__()
        self.first = convolution(channels, channels, 3)
        self.second = convolution(channels, channels, 3)

    def forward(self, features: torch.Tensor) -> torch.Tensor:
        return residual_forward(self, features)


@exercise("32")
def residual_forward(block: Residual, features: torch.Tensor) -> torch.Tensor:
    """Compute the output of a residual block: its two layers compute a change, which is added.

    block: `first` and `second` are 3x3 convolutions with batch norm. A ReLU follows the
        first, and another one follows the sum.
    features: [batch, channels, rows, columns], not to be changed.
    Returns a tensor of the same shape.
    """
    change = block.second(F.relu(block.first(features)))
    return F.relu(features + change)  # the skip


class ResNet(nn.Module):
    """A stem, a tower of residual blocks, a policy head and a value head. Silver et al. 2017.

    Args:
        planes, rows, columns, num_actions: the game's.
        blocks, channels: the size of the tower.
        policy_filters, value_filters: how many planes each head squeezes the tower's `channels` into.
        value_hidden: the width of the value head's hidden layer.
        kernel: how many cells a side the tower's convolutions look at, an odd number.
        bias: whether the linear layers have biases. (No convolution has: batch norm follows, and would take it away.)
    """

    def __init__(
        self,
        planes: int,
        rows: int,
        columns: int,
        num_actions: int,
        blocks: int = 4,
        channels: int = 64,
        policy_filters: int = 2,
        value_filters: int = 1,
        value_hidden: int = 64,
        bias: bool = True,
        kernel: int = 3,
    ):
        super().__init__()
        if kernel not in range(1, 20, 2):
            raise ValueError(
                f"kernel is 1, 3, 5 or another odd number, so that a cell is looked at from all sides, not {kernel}"
            )
        self.config = dict(
            planes=planes,
            rows=rows,
            columns=columns,
            num_actions=num_actions,
            blocks=blocks,
            channels=channels,
            policy_filters=policy_filters,
            value_filters=value_filters,
            value_hidden=value_hidden,
            bias=bias,
            kernel=kernel,
        )
        cells = rows * columns
        self.stem = nn.Sequential(convolution(planes, channels, kernel), nn.ReLU())
        self.tower = nn.Sequential(*[residual_block(channels, kernel) for _ in range(blocks)])
        self.policy_head = nn.Sequential(
            convolution(channels, policy_filters, 1),
            nn.ReLU(),
            nn.Flatten(),
            nn.Linear(policy_filters * cells, num_actions, bias=bias),
        )
        self.value_head = nn.Sequential(
            convolution(channels, value_filters, 1),
            nn.ReLU(),
            nn.Flatten(),
            nn.Linear(value_filters * cells, value_hidden, bias=bias),
            nn.ReLU(),
            nn.Linear(value_hidden, 1, bias=bias),
        )
        # faster, and the same layout for new and loaded networks
        self.to(memory_format=torch.channels_last)  # type: ignore[call-overload]

    def forward(self, planes: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """As `network_forward`: [batch, planes, rows, columns] -> (value [batch], logits [batch, num_actions])."""
        features = self.tower(self.stem(planes))  # [batch, channels, rows, columns]
        logits = self.policy_head(features)  # [batch, num_actions]
        value = torch.tanh(self.value_head(features)).squeeze(-1)  # [batch]
        return value, logits


def residual_block(channels: int, kernel: int) -> Residual:
    block = Residual(channels)
    if kernel != 3:
        block.first, block.second = (convolution(channels, channels, kernel) for _ in range(2))
    return block


def convolution(inputs: int, outputs: int, size: int) -> nn.Sequential:
    """A convolution that keeps rows and columns, and the batch norm that follows it."""
    return nn.Sequential(
        nn.Conv2d(inputs, outputs, size, padding=size // 2, bias=False),
        nn.BatchNorm2d(outputs),
    )


def make_resnet(game: Game, seed: int, **config) -> ResNet:
    """A network with random weights for `game`. The same seed gives the same weights; `config` as for `ResNet`."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        return ResNet(game.planes, game.rows, game.columns, game.num_actions, **config)
