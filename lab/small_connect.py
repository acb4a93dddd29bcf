"""Connect N on a small board, solved by layers; and a sample of its positions with what every column is worth.

All positions with the same number of stones are one layer, an array of integers. Forward, each layer is made from the
one before; backward, each is worth what its children say. Mirror images are one position.
"""

from pathlib import Path

import numpy as np

from course_utils.games import ConnectN
from course_utils.games.batched import LineGame, make_batched
from course_utils.learning.exam import tactics
from lab.command import command
from lab.positions import write_positions

GAME = ConnectN(rows=5, columns=5, n=4)
POSITIONS = Path(__file__).with_name("connect_4_on_5x5_positions.json")
SHARES = (1.0, 0.5, 0.25)  # of random moves in a game; the others are perfect
APART = 3  # positions of one game are at least so many plies apart


class Layers:
    """Every position of a small Connect N, and its value for the player to move.

    Attributes:
        keys: a layer per ply, uint64 [positions], sorted; finished positions are left out.
        values: int8 [positions], the same.

    Raises:
        ValueError: a position does not fit into one integer.
    """

    def __init__(self, game: LineGame):
        self.game, self.width = game, game.columns * (game.rows + 1)
        if 2 * self.width > 64:
            raise ValueError(f"two boards of {self.width} bits do not fit into 64")
        self.keys = [self.key(game.initial(1))]
        while len(self.keys[-1]) > 0:
            children = [self.key(moved[~game.outcome(moved)[0]]) for moved, _ in self.children(self.states(-1))]
            self.keys.append(np.unique(np.concatenate(children)))
        self.values = [np.zeros(0, np.int8)]
        for ply in reversed(range(len(self.keys) - 1)):
            self.values.insert(0, self.scores(self.states(ply), ply).max(axis=1))

    def key(self, states: np.ndarray) -> np.ndarray:
        """One integer for a position and its mirror image: the smaller of two. uint64 [batch]."""
        height = np.uint64(self.game.rows + 1)
        column = (np.uint64(1) << height) - np.uint64(1)
        mirrored = np.zeros_like(states)
        for x in range(self.game.columns):
            mirrored = mirrored << height | states >> np.uint64(x) * height & column
        both = [side[:, 0] << np.uint64(self.width) | side[:, 1] for side in (states, mirrored)]
        return np.minimum(*both)

    def states(self, ply: int) -> np.ndarray:
        """The layer as a batch of positions, uint64 [positions, 2]."""
        keys = self.keys[ply]
        return np.stack(
            [keys >> np.uint64(self.width), keys & (np.uint64(1) << np.uint64(self.width)) - np.uint64(1)], axis=1
        )

    def children(self, states: np.ndarray):
        """For each action: (the positions after it, where it is legal, and which rows these are)."""
        legal = self.game.legal(states)
        for action in range(self.game.num_actions):
            rows = np.flatnonzero(legal[:, action])
            yield self.game.play(states[rows], np.full(len(rows), action)), rows

    def scores(self, states: np.ndarray, ply: int) -> np.ndarray:
        """int8 [batch, num_actions]: what each action is worth to the player to move; -2 where it is illegal.

        None is finished.
        """
        scores = np.full((len(states), self.game.num_actions), -2, np.int8)
        for action, (moved, rows) in enumerate(self.children(states)):
            over, value = self.game.outcome(moved)
            worth = value.astype(np.int8)
            worth[~over] = self.values_of(moved[~over], ply + 1)
            scores[rows, action] = -worth
        return scores

    def values_of(self, states: np.ndarray, ply: int) -> np.ndarray:
        # while the layers are solved, those already solved stand at the front of `values`
        values = self.values[ply - len(self.keys) + len(self.values)]
        return values[np.searchsorted(self.keys[ply], self.key(states))]


@command("make_small_positions")
def make_small_positions(per_ply=50, batch=256, seed=0) -> None:
    """The recorded positions of the small game and what every column is worth; takes a minute or two."""
    game, rng = make_batched(GAME), np.random.default_rng(seed)
    layers = Layers(game)
    taken: dict = {}  # key -> entry
    count = np.zeros(len(layers.keys), int)
    for share in SHARES * 5:
        states, moves, last = game.initial(batch), np.full(batch, "", dtype=object), np.full(batch, -APART)
        ply = 0
        while len(states) > 0:
            scores = layers.scores(states, ply)
            best = scores.max(axis=1, keepdims=True)
            loses = ((scores < best) & (scores > -2)).any(axis=1)
            for i in rng.permutation(np.flatnonzero(loses & (ply - last >= APART) & (rng.random(len(states)) < 0.3))):
                key = int(layers.key(states[i : i + 1])[0])
                if key not in taken and count[ply] < per_ply:
                    entry = [None if score == -2 else int(score) for score in scores[i]]
                    taken[key] = dict(
                        moves=moves[i], scores=entry, tactics=tactics(GAME, *game.to_states(states[i : i + 1]))
                    )
                    count[ply], last[i] = count[ply] + 1, ply
            random = rng.random(len(states)) < share
            allowed = np.where(random[:, None], scores > -2, scores == best)
            played = np.where(allowed, rng.random(scores.shape), -1).argmax(axis=1)
            states, moves, ply = game.play(states, played), moves + played.astype(str).astype(object), ply + 1
            going = ~game.outcome(states)[0]
            states, moves, last = states[going], moves[going], last[going]

    head = dict(
        about="four in a row on 5 x 5: positions where some move loses value, "
        "with what every column is worth to the player to move",
        moves="columns 0 to 4 from the empty board",
        scores="0 draw, 1 win, -1 loss, null full",
        command=f"python -m lab make_small_positions --per-ply {per_ply} --seed {seed}",
        solved=f"all {sum(map(len, layers.keys)):,} positions that are not finished, mirror images counted once",
        start=int(layers.values[0][0]),
        positions=len(taken),
    )
    write_positions(POSITIONS, head, taken.values())
    print(head["solved"], count)
