"""Define made-up networks, which answer for every position and record their inputs."""

import zlib

import numpy as np


class ConstantNetwork:
    """A network that returns the same value and logits for every position.

    Attributes:
        asked: the inputs of each call, [batch, planes, rows, columns].
    """

    def __init__(self, value: float, logits):
        self.value, self.logits = value, np.array(logits, dtype=np.float32)
        self.asked: list[np.ndarray] = []

    def __call__(self, planes):
        note(self.asked, planes)
        return np.full(len(planes), self.value, dtype=np.float32), np.tile(self.logits, (len(planes), 1))


class HashNetwork:
    """A made-up network whose value and logits are hashes of the position and the seed. It answers in float64.

    Attributes:
        asked: the inputs of each call, [batch, planes, rows, columns].
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
    """Record the input of a call. Raises ValueError if its shape is wrong."""
    if np.ndim(planes) != 4:
        raise ValueError(f"a network takes [batch, planes, rows, columns], not an array of shape {np.shape(planes)}")
    asked.append(np.array(planes))


def sizes(network) -> list[int]:
    """List the batch size of each call of the network."""
    return [len(planes) for planes in network.asked]
