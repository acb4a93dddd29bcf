"""The network as a search sees it, the policy over legal actions, and a network that knows nothing."""

from typing import Protocol

import numpy as np

from course_utils.exercise import exercise


class Network(Protocol):
    def __call__(self, planes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Evaluate a batch of positions.

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


@exercise("02")
def masked_policy(logits: np.ndarray, legal: np.ndarray) -> np.ndarray:
    """Softmax over the legal actions only.

    logits: [num_actions]; large ones must not overflow.
    legal: bool [num_actions], at least one True.
    Returns [num_actions]: 0 where illegal; the others sum to 1.
    Raises ValueError if a legal logit is NaN or infinite.
    """
    # begin given
    if not np.isfinite(logits[legal]).all():
        diverged = "the network's logits are not finite: its weights have probably diverged"
        raise ValueError(diverged)
    # end given
    logits = np.asarray(logits, dtype=np.float64)
    shifted = np.where(legal, logits - logits[legal].max(), -np.inf)
    weights = np.exp(shifted)
    return weights / weights.sum()
