"""The methods of a game that search, learning, agents and the board use. `docs/design.md` says how to add a game."""

from abc import abstractmethod
from collections.abc import Hashable, Mapping
from typing import Any, Generic, Protocol, TypeVar

import numpy as np

S = TypeVar("S", bound=Hashable)  # the states of a game


class Game(Protocol[S]):
    """A two-player, zero-sum, deterministic, finite game of perfect information: `class Othello(Game[OthelloState])`.

    The first player is +1, the second -1, and they take turns without exception: a search changes the sign of a value
    at every move. A player who has nothing to do passes, which is an action like any other. States are immutable and
    hashable, and `str(state)` draws the board. A game that others shall play, too (worker processes), can be pickled.

    A method with a body is a default that a game may override; all others a game must have.
    `games.properties.check_game` puts any game to the test.
    """

    name: str
    rows: int
    columns: int
    num_actions: int
    planes: int  # how many [rows, columns] planes `encode` returns, 2 or more
    # whether boards are drawn as in Hex: cells touch along / too; X has top and bottom, O left and right
    hexagonal: bool = False

    # settings to train with that differ from the defaults of `learning`, and further ones for many games in lock step
    training: Mapping[str, Any] = {}
    lockstep_training: Mapping[str, Any] = {}

    # --- the rules

    @abstractmethod
    def initial_state(self) -> S:
        """The first player is to move."""

    @abstractmethod
    def legal_actions(self, state: S) -> list[int]:
        """Ascending; [] when the game is over, and only then."""

    @abstractmethod
    def play(self, state: S, action: int) -> S:
        """A new state, with the other player to move.

        Raises ValueError, which says what was legal, for any other action.
        """

    @abstractmethod
    def to_play(self, state: S) -> int:
        """+1 or -1."""

    @abstractmethod
    def is_terminal(self, state: S) -> bool: ...

    @abstractmethod
    def winner(self, state: S) -> int:
        """+1, -1, or 0 for a draw and for a game that is not over."""

    # --- for the network

    @abstractmethod
    def encode(self, state: S) -> np.ndarray:
        """float32 [planes, rows, columns] of zeros and ones, from the point of view of the player to move.

        The first two planes are the stones of the player to move and those of the opponent; further planes come after.
        """

    def symmetries(self, planes: np.ndarray, policy: np.ndarray) -> list[tuple[np.ndarray, np.ndarray]]:
        """Every equivalent (planes, policy), the given one among them; in any order.

        Args:
            planes: [any number, rows, columns]: cells only change their places.
            policy: [num_actions]: so do actions.
        """
        return [(planes.copy(), policy.copy())]

    # --- for the board

    @abstractmethod
    def cells(self, state: S) -> np.ndarray:
        """int [rows, columns] of +1, -1, 0: what a board draws.

        (Not int8, whose sums would overflow.)
        """

    @abstractmethod
    def action_at(self, row: int, column: int) -> int:
        """The action that a click on this cell means. An action that no cell means, such as a pass, gets a button."""

    def action_name(self, action: int) -> str:
        """What the action is called in sentences and in pictures."""
        return f"cell {action}"

    def why_illegal(self, state: S, action: int) -> str:
        """A sentence that explains why this action can't be played at `state`, where the game is not over."""
        return f"{self.action_name(action).capitalize()} can't be played here: choose another."

    # --- for many games at once

    def batched(self) -> "BatchedGame":
        """The same rules for many games at once."""
        return OneByOne(self)


class BatchedGame(Protocol):
    """The methods of a game that a batched search uses. `states` is an array whose first axis counts the games."""

    num_actions: int

    def initial(self, batch: int) -> np.ndarray:
        """The start position, `batch` times."""

    def play(self, states: np.ndarray, actions: np.ndarray) -> np.ndarray:
        """New states, one action [batch] in each. Raises ValueError if one is not legal."""

    def legal(self, states: np.ndarray) -> np.ndarray:
        """bool [batch, num_actions]; all False where a game is over."""

    def outcome(self, states: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Returns bool [batch], whether it is over; and float64 [batch], its value for the player to move, 0 before."""

    def encode(self, states: np.ndarray) -> np.ndarray:
        """float32 [batch, planes, rows, columns], from the point of view of the player to move."""

    def from_states(self, states: list) -> np.ndarray:
        """The same positions, given as states of the one-game rules."""

    def to_states(self, states: np.ndarray) -> list:
        """The same positions as states of the one-game rules."""


class OneByOne(Generic[S]):
    """A `BatchedGame` for any game: it asks the one-game rules, one state after the other.

    Slower than rules that are written for arrays, but nothing has to be written. `states` is an array of objects
    [batch].
    """

    def __init__(self, game: Game[S]):
        self.game, self.num_actions = game, game.num_actions

    def initial(self, batch: int) -> np.ndarray:
        return self.from_states([self.game.initial_state()] * batch)

    def play(self, states: np.ndarray, actions: np.ndarray) -> np.ndarray:
        moved = []
        for number, (state, action) in enumerate(zip(states, np.asarray(actions).tolist(), strict=True)):
            try:
                moved.append(self.game.play(state, action))
            except ValueError as error:
                raise ValueError(f"action {action} is not legal in game {number} of the batch: {error}") from None
        return self.from_states(moved)

    def legal(self, states: np.ndarray) -> np.ndarray:
        legal = np.zeros((len(states), self.num_actions), dtype=bool)
        for row, state in zip(legal, states, strict=True):
            row[self.game.legal_actions(state)] = True
        return legal

    def outcome(self, states: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        over = np.array([self.game.is_terminal(state) for state in states], dtype=bool)
        value = np.array([self.game.winner(state) * self.game.to_play(state) for state in states], dtype=np.float64)
        return over, value

    def encode(self, states: np.ndarray) -> np.ndarray:
        game = self.game
        planes = np.zeros((len(states), game.planes, game.rows, game.columns), dtype=np.float32)
        for i, state in enumerate(states):
            planes[i] = game.encode(state)
        return planes

    def from_states(self, states: list) -> np.ndarray:
        array = np.empty(len(states), dtype=object)
        for i, state in enumerate(states):  # one by one: a state may be a tuple, which NumPy would take for a row
            array[i] = state
        return array

    def to_states(self, states: np.ndarray) -> list:
        return list(states)


def after(game: Game[S], actions: list[int]) -> S:
    """The state reached from the start by `actions`, which is how positions travel: `[4, 0, 8]`."""
    state = game.initial_state()
    for action in actions:
        state = game.play(state, action)
    return state
