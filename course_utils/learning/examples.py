"""Examples from self-play, and the replay buffer, from which mixed batches are drawn."""

from collections.abc import Iterable
from dataclasses import dataclass, replace

import numpy as np

from course_utils.games import Game

COLUMNS = ("planes", "policy", "value", "outcome", "ply")


@dataclass(frozen=True, eq=False)
class Examples:
    """The training targets of E positions: arrays with a row for each.

    `examples[rows]` are some of them (rows: a slice, a mask, indices), and `examples[3]` is one, whose `planes`,
    `policy` and `value` have one axis less; so `for example in examples` goes through the positions.

    Attributes:
        planes: float32 or bool [E, planes, rows, columns], from the point of view of the player to move.
        policy: float32 [E, num_actions], the search's visits divided by their sum.
        value: float32 [E], the value to learn, for the player to move: the outcome, or a less noisy opinion of it.
        outcome: float32 [E], how the game ended for the player to move: +1, 0 or -1.
        ply: int64 [E], how many moves had been played.
        games: how many games the positions are from. (Of some of them: from which they were taken.)
    """

    planes: np.ndarray
    policy: np.ndarray
    value: np.ndarray
    outcome: np.ndarray
    ply: np.ndarray
    games: int = 1

    @classmethod
    def of_game(cls, planes: Iterable, policies: Iterable, values: Iterable) -> "Examples":
        """One game from its start, position by position.

        Raises ValueError: the lengths differ.
        """
        rows = list(zip(planes, policies, values, strict=True))
        planes, policy, value = (np.array(column, dtype=np.float32) for column in zip(*rows, strict=True))
        return cls(planes, policy, value, value, np.arange(len(rows)))

    def __len__(self) -> int:
        return len(self.value)

    def __getitem__(self, rows) -> "Examples":
        return replace(self, **{name: getattr(self, name)[rows] for name in COLUMNS})


def join(pieces: list[Examples]) -> Examples:
    """Concatenate examples."""
    joined = {name: np.concatenate([getattr(piece, name) for piece in pieces]) for name in COLUMNS}
    return Examples(**joined, games=sum(piece.games for piece in pieces))


def permutations(game: Game) -> tuple[np.ndarray, np.ndarray]:
    """Where each cell and each action comes from, in every symmetric form of a position.

    `game.symmetries` is called once, with a board that holds the *numbers* of its cells.

    Returns:
        int64 [forms, rows * columns] and int64 [forms, num_actions].
    """
    numbers = np.arange(game.rows * game.columns, dtype=np.float32).reshape(1, game.rows, game.columns)
    planes = np.repeat(numbers, game.planes, axis=0)
    forms = game.symmetries(planes, np.arange(game.num_actions, dtype=np.float64))
    cells, actions = (np.stack([np.ravel(array) for array in arrays]) for arrays in zip(*forms, strict=True))
    return cells[:, : numbers.size].astype(np.int64), actions.astype(np.int64)


def all_symmetries(game: Game, examples: Examples) -> Examples:
    """Each example in all its symmetric forms, one after the other."""
    cells, actions = permutations(game)
    flat = examples.planes.reshape(*examples.planes.shape[:2], -1)
    return replace(
        examples[np.repeat(np.arange(len(examples)), len(cells))],
        planes=flat[:, :, cells].swapaxes(1, 2).reshape(-1, *examples.planes.shape[1:]),
        policy=examples.policy[:, actions].reshape(-1, examples.policy.shape[1]),
    )


def random_symmetries(
    game: Game, planes: np.ndarray, policy: np.ndarray, rng: np.random.Generator
) -> tuple[np.ndarray, np.ndarray]:
    """Each example in one of its symmetric forms, drawn at random: new examples for nothing.

    Args:
        planes: [batch, planes, rows, columns].
        policy: [batch, num_actions].
    """
    cells, actions = permutations(game)
    drawn = rng.integers(len(cells), size=len(planes))
    flat = planes.reshape(*planes.shape[:2], -1)
    turned = np.take_along_axis(flat, cells[drawn][:, None], axis=2).reshape(planes.shape)
    return turned, np.take_along_axis(policy, actions[drawn], axis=1)


class ReplayBuffer:
    """Keeps the last `capacity` examples; older ones, made by weaker networks, drop out."""

    def __init__(self, capacity: int):
        self.capacity = capacity
        self.parts: list[Examples] = []  # from the oldest to the latest, as they were added

    def __len__(self) -> int:
        return min(self.capacity, sum(len(examples) for examples in self.parts))

    def add(self, examples: Examples, game: Game | None = None) -> None:
        """Append examples; with a game, each in all its symmetric forms."""
        self.parts.append(examples if game is None else all_symmetries(game, examples))

    @property
    def examples(self) -> Examples:
        """All that are kept, from the oldest to the latest. Raises ValueError: there are none."""
        if not self.parts:
            raise ValueError("the replay buffer is empty: add the examples of a game first")
        self.parts = [join(self.parts)[-self.capacity :]] if len(self.parts) > 1 else self.parts
        return self.parts[0][-self.capacity :]

    def sample(self, batch: int, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Draw with replacement.

        Returns:
            planes [batch, planes, rows, columns], policy [batch, num_actions] and value [batch], all float32.

        Raises:
            ValueError: the buffer is empty.
        """
        examples = self.examples
        drawn = examples[rng.integers(len(examples), size=batch)]
        return drawn.planes.astype(np.float32), drawn.policy, drawn.value
