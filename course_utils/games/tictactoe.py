"""Tic-tac-toe: the rules as functions of a state, and the class that the rest of the course plays by."""

from typing import NamedTuple

import numpy as np

from course_utils.exercise import exercise
from course_utils.games.batched import LineGame, LineRules


class State(NamedTuple):
    """A position. It never changes: a move makes a new one.

    Attributes:
        cells: nine cells, row by row, of +1 (X), -1 (O) and 0 (free).
        to_play: the player to move, +1 or -1. X, who begins, is +1.
    """

    cells: tuple[int, ...] = (0,) * 9
    to_play: int = 1

    def __str__(self) -> str:
        mark = {1: "X", -1: "O", 0: "."}
        rows = [self.cells[i : i + 3] for i in (0, 3, 6)]
        return "\n".join(" ".join(mark[cell] for cell in row) for row in rows)


@exercise("01")
def winner(state: State) -> int:
    """Who has three in a row, column or diagonal.

    Returns +1 if X has a line, -1 if O has one, 0 if nobody has.
    """
    rows = ((0, 1, 2), (3, 4, 5), (6, 7, 8))
    columns = ((0, 3, 6), (1, 4, 7), (2, 5, 8))
    diagonals = ((0, 4, 8), (2, 4, 6))
    for a, b, c in rows + columns + diagonals:
        if state.cells[a] != 0 and state.cells[a] == state.cells[b] == state.cells[c]:
            return state.cells[a]
    return 0


@exercise("01")
def is_terminal(state: State) -> bool:
    """Whether the game is over: somebody has a line, or no cell is free."""
    return winner(state) != 0 or 0 not in state.cells


@exercise("01")
def legal_actions(state: State) -> list[int]:
    """The cells (0 to 8) that the player to move may take, in ascending order.

    When the game is over it is [], even if cells are free.
    """
    if is_terminal(state):
        return []
    return [cell for cell in range(9) if state.cells[cell] == 0]


@exercise("01")
def play(state: State, action: int) -> State:
    """The position after the player to move takes cell `action`.

    Returns a new State with the other player to move; `state` itself does not change.
    Raises ValueError if the action is not legal, with the legal actions in its message.
    """
    legal = legal_actions(state)
    if action not in legal:
        raise ValueError(f"action {action} is not legal here; legal: {legal or 'none, the game is over'}")
    cells = list(state.cells)
    cells[action] = state.to_play
    return State(tuple(cells), -state.to_play)


@exercise("01")
def encode(state: State) -> np.ndarray:
    """The position as a network sees it: from the point of view of the player to move.

    Returns float32 [2, 3, 3]: plane 0 has a 1 where the player to move has a mark, plane 1
    where the opponent has one. Cell 1 is at [0, 1], cell 3 at [1, 0].
    """
    cells = np.array(state.cells).reshape(3, 3)
    return np.array([cells == state.to_play, cells == -state.to_play], dtype=np.float32)


@exercise("01")
def symmetries(planes: np.ndarray, policy: np.ndarray) -> list[tuple[np.ndarray, np.ndarray]]:
    """The eight ways to turn and mirror a position, each with its policy turned along.

    planes: [2, 3, 3], from `encode`. policy: [9], a number for each cell.
    Returns eight pairs (planes, policy) of the same shapes, in any order, the given one among
    them. Return copies: what numpy turns or mirrors is a view, so it would change whenever
    somebody changes `planes` or `policy`.
    """
    pairs = []
    for mirrored in (False, True):
        for turns in range(4):
            boards = [planes, policy.reshape(1, 3, 3)]
            if mirrored:
                boards = [board[:, :, ::-1] for board in boards]
            turned_planes, turned_policy = (np.rot90(board, turns, axes=(1, 2)) for board in boards)
            pairs.append((turned_planes.copy(), turned_policy.flatten()))
    return pairs


@exercise("12")
def count_games(state: State) -> int:
    """How many sequences of moves lead from `state` to the end of the game.

    A finished game counts as one: there is one way to add nothing.
    """
    if is_terminal(state):
        return 1
    return sum(count_games(play(state, action)) for action in legal_actions(state))


class TicTacToe(LineRules[State]):
    """The game behind the course's protocol (`course_utils.games.protocol.Game`). An action is a cell, row by row."""

    name = "tictactoe"
    rows = columns = n = 3
    num_actions = 9
    planes = 2
    lockstep_training = dict(  # beside the defaults of `TrainingConfig`, which are for this game
        iterations=60,
        games=512,
        simulations=32,
        noise_fraction=0.25,
        opening_share=0.9,
        opening_plies=8,  # so many random openings that every position of the game is learned from
        root_share=0.5,
        window=30,
        symmetries="random",
        policy_power=2.0,
        batch=512,
        last_learning_rate=3e-4,
        average=0.99,
    )

    def initial_state(self) -> State:
        return State()

    def legal_actions(self, state: State) -> list[int]:
        return legal_actions(state)

    def play(self, state: State, action: int) -> State:
        return play(state, action)

    def to_play(self, state: State) -> int:
        return state.to_play

    def is_terminal(self, state: State) -> bool:
        return is_terminal(state)

    def winner(self, state: State) -> int:
        return winner(state)

    def encode(self, state: State) -> np.ndarray:
        return encode(state)

    def symmetries(self, planes: np.ndarray, policy: np.ndarray) -> list[tuple[np.ndarray, np.ndarray]]:
        return symmetries(planes, policy)

    def cells(self, state: State) -> np.ndarray:
        return np.array(state.cells).reshape(3, 3)

    def action_at(self, row: int, column: int) -> int:
        return 3 * row + column

    def why_illegal(self, state: State, action: int) -> str:
        return f"Cell {action} is taken: choose a free one."

    def from_cells(self, cells: np.ndarray, to_play: int) -> State:
        return State(tuple(cells.ravel().tolist()), to_play)

    def batched(self) -> LineGame:
        return LineGame(self, n=3, gravity=False)
