"""The replay buffer: the latest examples, to draw mixed batches from."""

from collections import deque

import numpy as np

from course_utils.learning.self_play import Example


class ReplayBuffer:
    """Keeps the last `capacity` examples; older ones, made by weaker networks, drop out."""

    def __init__(self, capacity: int):
        self.examples: deque[Example] = deque(maxlen=capacity)

    def __len__(self) -> int:
        return len(self.examples)

    def add(self, examples: list[Example], game=None) -> None:
        """Append examples; with a game, each in all its symmetric forms."""
        for example in examples:
            if game is None:
                self.examples.append(example)
                continue
            for planes, policy in game.symmetries(example.planes, example.policy):
                self.examples.append(Example(planes, policy, example.value))

    def sample(self, batch: int, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Draw with replacement.

        Returns:
            planes [batch, planes, rows, columns], policy [batch, num_actions] and value [batch], all float32.

        Raises:
            ValueError: the buffer is empty.
        """
        if not self.examples:
            raise ValueError("the replay buffer is empty: add the examples of a game first")
        rows = [self.examples[i] for i in rng.integers(len(self.examples), size=batch)]
        planes, policy, value = (np.stack(column).astype(np.float32) for column in zip(*rows, strict=True))
        return planes, policy, value
