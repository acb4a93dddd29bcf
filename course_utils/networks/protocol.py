"""What a search asks of a network, what it makes of the answer, and a network that knows nothing."""

from typing import Protocol

import numpy as np

from course_utils.exercise import exercise


class Network(Protocol):
    def __call__(self, planes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Judge a batch of positions.

        Args:
            planes: float32 [batch, planes, rows, columns], each from the point of view of its player to move.

        Returns:
            value: [batch], from -1 to 1, from the point of view of the player to move.
            logits: [batch, num_actions], unmasked.
        """


class UniformNetwork:
    """Knows nothing: every action is as good as any other, and every position is worth 0."""

    def __init__(self, num_actions: int):
        self.num_actions = num_actions

    def __call__(self, planes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        return np.zeros(len(planes)), np.zeros((len(planes), self.num_actions))


@exercise("05")
def masked_policy(logits: np.ndarray, legal: np.ndarray) -> np.ndarray:
    """Softmax over the legal actions only.

    Args:
        logits: [num_actions], float32 or float64: any numbers, however large or far below 0.
        legal: bool [num_actions], at least one True.

    Returns:
        float64 [num_actions], a new array: 0 wherever an action is illegal; the rest sums to 1. Large logits must not overflow.

    Raises:
        ValueError: a legal logit is NaN or infinite. (What an illegal one is does not matter.)
    """
    # begin given
    if not np.isfinite(logits[legal]).all():
        raise ValueError("the network's logits are not finite: its weights have probably diverged")
    # end given
    logits = np.asarray(logits, dtype=np.float64)
    shifted = np.where(legal, logits - logits[legal].max(), -np.inf)
    weights = np.exp(shifted)
    return weights / weights.sum()
