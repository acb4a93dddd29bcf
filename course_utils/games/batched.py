"""The rules for many games at once: numpy arrays of bitboards instead of one state after the other.

A bitboard is an integer whose bits are the cells of a board. A batch of positions is a uint64 array [batch, 2]: the
stones of the player to move, and the stones of the opponent. With every move the two change places, so a position does
not say which player is the first: the player to move sees the board as "mine" and "theirs", just as a network does.

Bits run up the columns, and above each column one bit stays empty, so that no line leaves the board on one side and
comes back on the other. For Connect Four:

     6 13 20 27 34 41 48   <- always 0
     5 12 19 26 33 40 47
     4 11 18 25 32 39 46
     3 10 17 24 31 38 45
     2  9 16 23 30 37 44
     1  8 15 22 29 36 43
     0  7 14 21 28 35 42
"""

from abc import abstractmethod
from typing import Protocol

import numpy as np

from course_utils.exercise import exercise
from course_utils.games.protocol import BatchedGame, Game, S


class LineRules(Game[S], Protocol[S]):
    """The one-game rules behind a `LineGame`: they can read a position off a board."""

    @abstractmethod
    def from_cells(self, cells: np.ndarray, to_play: int) -> S:
        """The state with these cells, int [rows, columns] of +1, -1, 0, and this player to move."""


class LineGame:
    """A `BatchedGame` in which `n` in a row win, with or without gravity: tic-tac-toe and Connect N.

    An action puts a stone into the lowest free cell of a *slot*: a whole column in Connect N, a single cell in
    tic-tac-toe.

    Attributes:
        bottoms, tops, slots: uint64 [num_actions]: the lowest cell of each action's slot, its highest, and all of it.
        board: uint64, all cells.
        shifts: uint64 [4], the distance in bits between neighbors of a line in each of the four directions.
        bits: uint64 [rows, columns], the bit of each cell, row 0 at the top.

    Raises:
        ValueError: the board does not fit into 64 bits.
    """

    planes = 2

    def __init__(self, game: LineRules, n: int, gravity: bool):
        rows, columns = game.rows, game.columns
        if not self.fits(game):
            raise ValueError(f"a board of {rows} rows and {columns} columns does not fit into 64 bits")
        self.game, self.rows, self.columns, self.n = game, rows, columns, n
        self.num_actions = game.num_actions
        height = rows + 1  # with the bit that stays empty
        self.bits = np.array(
            [[column * height + row for column in range(columns)] for row in reversed(range(rows))], dtype=np.uint64
        )
        cells = np.uint64(1) << self.bits  # [rows, columns]
        self.board = np.bitwise_or.reduce(cells, axis=None)
        self.shifts = np.array([1, height, height + 1, height - 1], dtype=np.uint64)
        slots = cells.T if gravity else cells.reshape(-1, 1)  # [num_actions, cells from the top down]
        self.bottoms, self.tops = slots[:, -1].copy(), slots[:, 0].copy()
        self.slots = np.bitwise_or.reduce(slots, axis=1)

    @staticmethod
    def fits(game: LineRules) -> bool:
        """Whether the board fits into 64 bits."""
        return (game.rows + 1) * game.columns <= 64

    def initial(self, batch: int) -> np.ndarray:
        return np.zeros((batch, 2), dtype=np.uint64)

    def play(self, states: np.ndarray, actions: np.ndarray) -> np.ndarray:
        return batched_play(self, states, actions)

    def legal(self, states: np.ndarray) -> np.ndarray:
        stones = states[:, 0] | states[:, 1]
        free = (stones[:, None] & self.tops) == 0
        return free & ~has_line(self, states[:, 1])[:, None]

    def outcome(self, states: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        lost = has_line(self, states[:, 1])  # only the player who has just moved can have a new line
        full = (states[:, 0] | states[:, 1]) == self.board
        return lost | full, np.where(lost, -1.0, 0.0)

    def encode(self, states: np.ndarray) -> np.ndarray:
        return ((states[:, :, None, None] >> self.bits) & np.uint64(1)).astype(np.float32)

    def from_states(self, states: list) -> np.ndarray:
        cells = np.array([self.game.cells(state) * self.game.to_play(state) for state in states])
        cells = cells.reshape(-1, 1, self.rows, self.columns)
        sides = cells == np.array([1, -1]).reshape(2, 1, 1)  # [batch, 2, rows, columns]
        return (sides.astype(np.uint64) << self.bits).sum(axis=(2, 3), dtype=np.uint64)

    def to_states(self, states: np.ndarray) -> list:
        stones = self.encode(states).astype(np.int8)
        mine, theirs = stones[:, 0], stones[:, 1]
        to_play = np.where(mine.sum(axis=(1, 2)) == theirs.sum(axis=(1, 2)), 1, -1)  # the first player never has fewer
        cells = to_play[:, None, None] * (mine - theirs)
        return [self.game.from_cells(*position) for position in zip(cells, to_play.tolist(), strict=True)]


@exercise("31")
def batched_play(game: LineGame, states: np.ndarray, actions: np.ndarray) -> np.ndarray:
    """Play one move per game: a stone falls into the lowest free cell of each action's slot.

    game: has `bottoms` and `slots`, uint64 [num_actions].
    states: uint64 [batch, 2], the stones of the player to move and of the opponent.
    actions: int [batch].
    Returns uint64 [batch, 2], for the player who moves next.
    """
    mine, theirs = states[:, 0], states[:, 1]
    stone = ((mine | theirs) + game.bottoms[actions]) & game.slots[actions]
    # begin given
    if not stone.all():
        first = int(np.argmin(stone != 0))
        raise ValueError(f"action {actions[first]} is not legal in game {first} of the batch")
    # end given
    return np.stack([theirs, mine | stone], axis=1)


def has_line(game: LineGame, stones: np.ndarray) -> np.ndarray:
    """Whether `stones`, uint64 [batch], hold a line of `game.n`. Returns bool [batch].

    `game.shifts`: uint64 [4], how many bits apart neighbors are: up, to the right, and along the two diagonals.
    """
    runs = np.repeat(stones[:, None], 4, axis=1)  # [batch, direction]
    for _ in range(game.n - 1):
        runs &= runs >> game.shifts
    return runs.any(axis=1)


def make_batched(game: Game) -> BatchedGame:
    """The batched rules of `game`."""
    return game.batched()
