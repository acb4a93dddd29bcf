"""Made-up networks: they have an opinion of every position, and remember what they were asked."""

import zlib

import numpy as np


class ConstantNetwork:
    """A network that says the same of every position.

    Attributes:
        asked: the positions of each call, [batch, planes, rows, columns].
    """

    def __init__(self, value: float, logits):
        self.value, self.logits = value, np.array(logits, dtype=np.float32)
        self.asked: list[np.ndarray] = []

    def __call__(self, planes):
        note(self.asked, planes)
        return np.full(len(planes), self.value, dtype=np.float32), np.tile(self.logits, (len(planes), 1))


class HashNetwork:
    """A made-up network with an opinion of its own about each position; another seed, other opinions. It answers in float64.

    Attributes:
        asked: the positions of each call, [batch, planes, rows, columns].
    """

    def __init__(self, num_actions: int, seed: int = 0):
        self.num_actions, self.seed = num_actions, seed
        self.asked: list[np.ndarray] = []

    def __call__(self, planes):
        note(self.asked, planes)
        answers = [self._one(board) for board in planes]
        return np.array([value for value, _ in answers]), np.array([logits for _, logits in answers])

    def _one(self, board):
        rng = np.random.default_rng([self.seed, zlib.crc32(np.asarray(board, dtype=np.float32).tobytes())])
        return rng.uniform(-0.9, 0.9), rng.normal(size=self.num_actions)


def note(asked: list[np.ndarray], planes) -> None:
    if np.ndim(planes) != 4:
        raise ValueError(f"a network takes [batch, planes, rows, columns], not an array of shape {np.shape(planes)}")
    asked.append(np.array(planes))


def sizes(network) -> list[int]:
    """About how many positions the network was asked, call by call."""
    return [len(planes) for planes in network.asked]
