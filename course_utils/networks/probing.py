"""Looking inside a network: what its layers hold (probes), and whether it uses that (taking a direction away).

A *concept* is a bool for each position, such as "I can win at once". A *layer* is an array [positions, neurons]: what
each neuron outputs for each position.
"""

import numpy as np
import torch
from torch import nn

from course_utils.exercise import exercise
from course_utils.games import Game
from course_utils.networks.policy_value import PolicyValueNet
from course_utils.networks.protocol import Network
from course_utils.networks.wide import WideNet

LINES = ((0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6))  # of tic-tac-toe


@exercise("22")
def threats(planes: np.ndarray) -> np.ndarray:
    """The 24 threats of the player to move: one cell of a line is free, and both others are mine.

    planes: [batch, 2, 3, 3], my marks and theirs, 0 or 1. `LINES` has the eight lines.
    Returns bool [batch, 24]. Column 3 * line + place is the threat whose free cell is
        LINES[line][place].
    """
    mine, theirs = planes.reshape(len(planes), 2, 9).transpose(1, 0, 2)  # [batch, 9] each
    columns = []
    for line in LINES:
        for cell in line:
            others = [other for other in line if other != cell]
            free = (mine[:, cell] == 0) & (theirs[:, cell] == 0)
            columns.append(free & (mine[:, others] == 1).all(axis=1))
    return np.stack(columns, axis=1)


@exercise("22")
def probe(features: np.ndarray, labels: np.ndarray, ridge: float = 0.01) -> np.ndarray:
    """Ridge regression: how much of each feature to add up, so that the sum tells the labels.

    features: float [positions, features]. labels: bool [positions].
    With x and y for the features and labels, each minus its mean over the positions, it is
    the w for which the mean of (x w - y)^2, plus ridge times the sum of w^2, is smallest:
    (x' x / n + ridge I) w = x' y / n, where x' is x transposed and n counts the positions.
    Returns w, float [features].
    """
    x = features - features.mean(axis=0)
    y = labels - labels.mean()
    spread = x.T @ x / len(x) + ridge * np.eye(x.shape[1])
    return np.linalg.solve(spread, x.T @ y / len(x))


def ranks(scores: np.ndarray) -> np.ndarray:
    """From 1 for the lowest on; those who tie share the mean of their ranks."""
    _, place, count = np.unique(scores, return_inverse=True, return_counts=True)
    return (np.cumsum(count) - (count - 1) / 2)[place]


def auc(scores: np.ndarray, labels: np.ndarray) -> float:
    """Of all pairs of a position with the concept and one without: in how many the one with it has the higher score.

    A tie counts half.
    """
    has = int(labels.sum())
    return float((ranks(scores)[labels].sum() - has * (has + 1) / 2) / (has * (len(labels) - has)))


def probe_auc(layer: np.ndarray, labels: np.ndarray, held_out: np.ndarray, ridge: float = 0.01) -> float:
    """How well a probe tells the labels of positions that it has not seen: it learns from all that are not held out.

    Every neuron is scaled to the same spread first, so that `ridge` means the same for all of them.
    """
    seen = layer[~held_out]
    scaled = (layer - seen.mean(axis=0)) / (seen.std(axis=0) + 1e-9)
    direction = probe(scaled[~held_out], labels[~held_out], ridge)
    return auc(scaled[held_out] @ direction, labels[held_out])


def without(layer: np.ndarray, labels: np.ndarray, compared: np.ndarray) -> np.ndarray:
    """The layer without the direction that leads from positions without the concept to those with it.

    compared: bool [positions], which of them to compare. The direction is the difference of two
        means, with the concept minus without it. Every position moves to where the compared
        ones lie on average. Afterwards both means are equal, and no linear probe tells the
        concept among the compared positions.
    Returns a new array.
    """
    has, has_not = layer[compared & labels], layer[compared & ~labels]
    return flattened(layer, has.mean(axis=0) - has_not.mean(axis=0), center=layer[compared].mean(axis=0))


def flattened(layer: np.ndarray, direction: np.ndarray, center: np.ndarray | None = None) -> np.ndarray:
    """The layer with the differences along this direction [neurons] taken out: all positions lie where the center does.

    The default center is their mean.
    """
    unit = direction / np.linalg.norm(direction)
    center = layer.mean(axis=0) if center is None else center
    return layer - np.outer((layer - center) @ unit, unit)


def principal_component(layer: np.ndarray) -> np.ndarray:
    """[neurons]: the direction along which the positions differ most."""
    return np.linalg.eigh(np.cov(layer.T))[1][:, -1]


def variance_removed(before: np.ndarray, after: np.ndarray) -> float:
    """The share of a layer's variance, from 0 to 1, that the layer after has lost."""
    return float(1 - after.var(axis=0).sum() / before.var(axis=0).sum())


class OpenNetwork:
    """A fully connected network that can be read behind each layer, and sent on from there with other numbers.

    Attributes:
        names: of the layers, from the board on. The last one is what both heads read.
    """

    def __init__(self, net: PolicyValueNet | WideNet):
        self.net = net.eval()
        hidden: list[list[nn.Module]]
        if isinstance(net, WideNet):
            hidden = [[layer] for layer in net.trunk]
            self.names = ["board", "told"]
        else:
            _, first, *rest = net.trunk
            hidden = [[first, rest[0]], rest[1:]]
            self.names = ["board"]
        self.names += [f"layer {number + 1}" for number in range(len(hidden))]
        self._hidden = hidden

    @property
    def _mirrored(self) -> bool:
        return isinstance(self.net, WideNet) and self.net.mirror is not None

    def layers(self, planes: np.ndarray) -> list[np.ndarray]:
        """float64 [positions, neurons] for each of the names.

        A network that looks at the mirror image, too, has the neurons of both.
        """
        with torch.no_grad():
            inputs = torch.from_numpy(np.ascontiguousarray(planes, dtype=np.float32))
            stages = [inputs.flatten(1)]
            features = stages[0]
            if isinstance(self.net, WideNet):
                features = self.net.eyes(torch.cat([inputs, inputs.flip(-1)]) if self._mirrored else inputs)
                stages.append(self._side_by_side(features))
            for layer in self._hidden:
                for module in layer:
                    features = module(features)
                stages.append(self._side_by_side(features))
            return [stage.numpy().astype(np.float64) for stage in stages]

    def answers(self, name: str, layer: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """(value [positions], logits [positions, actions]), computed from these numbers of the layer."""
        with torch.no_grad():
            features = torch.from_numpy(layer.astype(np.float32))
            if self._mirrored:
                features = torch.cat(features.chunk(2, 1))
            for rest in self._hidden[self.names.index(name) - len(self.names) + len(self._hidden) + 1 :]:
                for module in rest:
                    features = module(features)
            logits, value = self.net.policy_head(features), self.net.value_head(features)[:, 0]
            if self._mirrored:
                (logits, mirrored), (value, mirrored_value) = logits.chunk(2), value.chunk(2)
                logits, value = logits + mirrored[:, self.net.mirror], value + mirrored_value
            return torch.tanh(value).numpy(), logits.numpy()

    def _side_by_side(self, features: torch.Tensor) -> torch.Tensor:
        """[2 * positions, neurons], positions and then their mirror images -> [positions, 2 * neurons]."""
        return torch.cat(features.chunk(2), 1) if self._mirrored else features


def look_alikes(game: Game, planes: np.ndarray) -> np.ndarray:
    """int [positions]: a number for each group of positions that are each other's mirror images or turns."""
    numbers: dict[bytes, int] = {}
    nothing = np.zeros(game.num_actions)
    smallest = (min(turned.tobytes() for turned, _ in game.symmetries(position, nothing)) for position in planes)
    return np.array([numbers.setdefault(name, len(numbers)) for name in smallest])


def held_out(alike: np.ndarray, rng: np.random.Generator, share: float = 0.3) -> np.ndarray:
    """bool [positions]: about this share of them, and with each all that look alike."""
    groups = int(alike.max()) + 1
    return (rng.permutation(groups) < share * groups)[alike]


def importance(network: Network, planes: np.ndarray, legal: np.ndarray, action: int) -> np.ndarray:
    """How much each mark speaks for an action: what its log-probability loses without the mark.

    planes: [planes, rows, columns]. legal: bool [num_actions], which stays as it is.
    Returns [planes, rows, columns], 0 where there is no mark.
    """
    places = np.argwhere(planes)
    boards = np.repeat(planes[None], len(places) + 1, axis=0)
    boards[(np.arange(len(places)) + 1, *places.T)] = 0  # the first board stays whole
    _, logits = network(boards)
    powers = np.where(legal, np.exp(logits - logits.max(axis=1, keepdims=True)), 0)
    likes = np.log(powers[:, action] / powers.sum(axis=1))
    lost = np.zeros(planes.shape)
    lost[tuple(places.T)] = likes[0] - likes[1:]
    return lost
