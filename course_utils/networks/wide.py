"""A wide fully connected network, and a look at the lines of a board.

A convolution looks at every cell with the same weights, 42 times on Connect Four's board, and each layer sees one cell
further. Here one product of matrices sees the whole board, with far fewer multiplications. It must learn a line anew at
every place, so it needs more games, and gets them in the same time; or it gets features of each line of the board
(`Lines`), and treats a position and its mirror image alike.
"""

from collections.abc import Iterator, Sequence

import numpy as np
import torch
from torch import nn

from course_utils.games import Game

WIDTHS = (512, 256, 128)


class WideNet(nn.Module):
    """planes -> hidden layers with batch norm and ReLU -> {num_actions logits, 1 value}.

    Args:
        planes, rows, columns, num_actions: the game's.
        widths: the units of each hidden layer, from the first to the last.
        line: n, of a game in which n in a row win: the first layer sees the features of `Lines`. None: it sees the
            planes only.
        mirror: where each action of the mirror image comes from, for a game with left-right symmetry. A position and
            its mirror image then always have the same value and mirrored logits, and each has `widths` units of its
            own. None: the network has to learn the symmetry.
    """

    mirror: torch.Tensor | None

    def __init__(
        self,
        planes: int,
        rows: int,
        columns: int,
        num_actions: int,
        widths: Sequence[int] = WIDTHS,
        line: int | None = None,
        mirror: Sequence[int] | None = None,
    ):
        super().__init__()
        self.config = dict(
            planes=planes, rows=rows, columns=columns, num_actions=num_actions, widths=list(widths), line=line
        )
        self.config |= {} if mirror is None else dict(mirror=list(mirror))
        self.register_buffer("mirror", None if mirror is None else torch.tensor(mirror), persistent=False)
        self.eyes = nn.Flatten() if line is None else Lines(rows, columns, line)
        told = planes * rows * columns + (self.eyes.features if isinstance(self.eyes, Lines) else 0)
        sizes = [told, *widths]
        further = hidden_layer if mirror is None else MirrorLayer
        self.trunk = nn.Sequential(hidden_layer(told, widths[0]), *map(further, widths, widths[1:]))
        self.policy_head = nn.Sequential(nn.Linear(sizes[-1], num_actions))
        self.value_head = nn.Sequential(nn.Linear(sizes[-1], 1))

    def forward(self, planes: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """As `network_forward`: [batch, planes, rows, columns] -> (value [batch], logits [batch, num_actions])."""
        if self.mirror is not None:
            planes = torch.cat([planes, planes.flip(-1)])
        features = self.trunk(self.eyes(planes))  # [batch, widths[-1]]; [2 * batch, widths[-1]] with mirror images
        logits, value = self.policy_head(features), self.value_head(features).squeeze(-1)  # [..., num_actions], [...]
        if self.mirror is not None:
            (logits, mirrored), (value, mirrored_value) = logits.chunk(2), value.chunk(2)
            logits, value = logits + mirrored[:, self.mirror], value + mirrored_value
        return torch.tanh(value), logits


class Lines(nn.Module):
    """Add features of each line of `n` cells to the planes: how many stones either side has in it.

    Nothing is learned here: it follows from what a line is. Each feature is 0 or 1, for each side:

    * for each cell: it is free, and a stone of that side would complete a line there, whether or not it can be played
      yet;
    * for each line, and 1, 2, ... n - 1: the side has so many stones in it, and the other side has none.

    Attributes:
        features: how many features it adds to the planes.
    """

    lines: torch.Tensor  # [rows * columns, lines], 1 where the cell lies in the line

    def __init__(self, rows: int, columns: int, n: int):
        super().__init__()
        cells = list(lines_of(rows, columns, n))
        lines = torch.zeros(rows * columns, len(cells))
        for number, line in enumerate(cells):
            lines[line, number] = 1
        self.n, self.features = n, 2 * (rows * columns + (n - 1) * len(cells))
        self.register_buffer("lines", lines, persistent=False)

    def forward(self, planes: torch.Tensor) -> torch.Tensor:
        """[batch, planes, rows, columns] -> [batch, planes * rows * columns + features].

        The first two planes are the stones.
        """
        stones = planes[:, :2].flatten(2)  # [batch, 2, cells]
        held = stones @ self.lines  # [batch, 2, lines], how many stones each side has in each line
        alone = held.flip(1) == 0  # where the other side has none
        short = alone & (held == self.n - 1)  # by one stone, and the cell for it is free
        completing = (short.to(self.lines.dtype) @ self.lines.T > 0) & (stones.sum(dim=1, keepdim=True) == 0)
        counts = [alone & (held == count) for count in range(1, self.n)]
        features = (feature.flatten(1).to(planes.dtype) for feature in (completing, *counts))
        return torch.cat([planes.flatten(1), *features], dim=1)


def lines_of(rows: int, columns: int, n: int) -> Iterator[list[int]]:
    """The numbers of the cells (row by row) of each line of `n`: across, down, and along both diagonals."""
    for down, right in ((0, 1), (1, 0), (1, 1), (1, -1)):
        for row in range(rows):
            for column in range(columns):
                last_row, last_column = row + (n - 1) * down, column + (n - 1) * right
                if last_row < rows and 0 <= last_column < columns:
                    yield [(row + step * down) * columns + column + step * right for step in range(n)]


def hidden_layer(inputs: int, units: int) -> nn.Sequential:
    """A linear layer and its batch norm, which makes a bias of its own needless; then ReLU."""
    linear = nn.Sequential(nn.Linear(inputs, units, bias=False), nn.BatchNorm1d(units))
    return nn.Sequential(linear, nn.ReLU(inplace=True))


class MirrorLayer(nn.Module):
    """A layer with batch norm and ReLU that is equivariant under mirroring: mirrored inputs give mirrored outputs.

    (Cohen and Welling 2016.) A matrix from each half to itself and one to the other half would do. Their sum and
    difference, applied to the sum and the difference of the halves, take half the multiplications.
    """

    def __init__(self, inputs: int, units: int):
        super().__init__()
        self.sum, self.difference = (nn.Linear(inputs, units, bias=False) for _ in range(2))
        self.norm = nn.BatchNorm1d(units)
        for layer in (self.sum, self.difference):
            nn.init.uniform_(layer.weight, -0.5 * inputs**-0.5, 0.5 * inputs**-0.5)

    def forward(self, features: torch.Tensor) -> torch.Tensor:
        """[2 * batch, inputs], the positions and then their mirror images -> [2 * batch, units]."""
        own, mirrored = features.chunk(2)
        same, opposite = self.sum(own + mirrored), self.difference(own - mirrored)
        return torch.relu(self.norm(torch.cat([same + opposite, same - opposite])))


def mirror_of(game: Game) -> list[int] | None:
    """Where each action of the mirrored board comes from; None if `game.symmetries` have no left-right mirror image."""
    numbers = np.arange(game.rows * game.columns, dtype=np.float32).reshape(game.rows, game.columns)
    planes = np.repeat(numbers[None], game.planes, axis=0)
    for turned, actions in game.symmetries(planes, np.arange(game.num_actions, dtype=np.float64)):
        if np.array_equal(turned, planes[..., ::-1]):
            return [int(action) for action in actions]
    return None


def make_wide(
    game: Game, seed: int, widths: Sequence[int] = WIDTHS, lines: bool = False, mirror: bool = False
) -> WideNet:
    """A network with random weights for `game`. The same seed gives the same weights.

    Args:
        lines: whether its input has the features of `Lines`, too.
        mirror: whether it is made so that a position and its mirror image get the same value, and mirrored policies.

    Raises:
        ValueError: lines, and the game does not say how many in a row win (`game.n`); mirror, and its boards have no
            left-right symmetry.
    """
    turned = mirror_of(game) if mirror else None
    if mirror and turned is None:
        raise ValueError(f"{game.name} has other positions left for right: mirror images cannot get the same value")
    line = getattr(game, "n", None) if lines else None
    if lines and line is None:
        raise ValueError(f"{game.name} has no lines of n (`game.n`), which a network could have as features")
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        return WideNet(game.planes, game.rows, game.columns, game.num_actions, widths, line, turned)
