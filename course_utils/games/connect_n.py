"""Connect N: stones fall to the bottom of a column, N in a row win. Connect Four is Connect N on 6 rows and 7 columns.

As in `tictactoe`, the rules are functions of a state, and a class puts them behind the course's protocol.
"""

import re
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from course_utils.exercise import exercise
from course_utils.games.batched import LineGame, LineRules
from course_utils.games.protocol import BatchedGame


class ConnectState(NamedTuple):
    """A position, told column by column.

    It may be set up by hand, so it need not be one that a game can reach; but `winner` must name a player who has a
    line.

    Attributes:
        columns: for each column its stones from the bottom up, +1 or -1 each: `((), (1, -1), ...)`.
        to_play: the player to move, +1 or -1.
        winner: who has N in a row; 0 while nobody has. Found by the move that made the line, and kept.
        rows: how many stones a column holds.
        n: how many in a row win.
    """

    columns: tuple[tuple[int, ...], ...] = ((),) * 7
    to_play: int = 1
    winner: int = 0
    rows: int = 6
    n: int = 4

    def __str__(self) -> str:
        mark = {1: "X", -1: "O"}
        lines = [" ".join(str(column) for column in range(len(self.columns)))]
        for height in range(self.rows):
            row = [mark[stones[height]] if height < len(stones) else "." for stones in self.columns]
            lines.insert(0, " ".join(row))
        return "\n".join(lines)


@exercise("33")
def completes_line(state: ConnectState, column: int) -> bool:
    """Check whether the stone on top of `column` is part of a line of `state.n` or more.

    A line runs across, up, or along a diagonal. The stone has just fallen, so it is the other
    player's turn.
    """
    directions = ((1, 0), (0, 1), (1, 1), (1, -1))  # columns to the right, rows up
    height = len(state.columns[column]) - 1  # of the last stone; 0 is the bottom
    player = state.columns[column][height]
    for right, up in directions:
        length = 1
        for sign in (1, -1):  # to both sides of the stone
            x, y = column + sign * right, height + sign * up
            while 0 <= x < len(state.columns) and 0 <= y < len(state.columns[x]) and state.columns[x][y] == player:
                length += 1
                x, y = x + sign * right, y + sign * up
        if length >= state.n:
            return True
    return False


def connect_is_terminal(state: ConnectState) -> bool:
    """Whether the game is over: somebody has won, or every column is full."""
    return state.winner != 0 or all(len(column) == state.rows for column in state.columns)


def connect_legal_actions(state: ConnectState) -> list[int]:
    """The columns (0 is the leftmost) into which the player to move may drop a stone.

    Returns a list of ints in ascending order; [] once somebody has won (`state.winner`).
    """
    if state.winner != 0:
        return []
    return [column for column, stones in enumerate(state.columns) if len(stones) < state.rows]


def connect_play(state: ConnectState, action: int) -> ConnectState:
    """The position after a stone of the player to move falls into column `action`.

    Returns a new ConnectState with the other player to move; `winner` is the stone's player
    if it completes a line.
    Raises ValueError if the action is not legal; its message lists those that are.
    """
    legal = connect_legal_actions(state)
    if action not in legal:
        raise ValueError(f"action {action} is not legal here; legal: {legal or 'none, the game is over'}")
    columns = list(state.columns)
    columns[action] += (state.to_play,)
    child = state._replace(columns=tuple(columns), to_play=-state.to_play)
    return child._replace(winner=state.to_play) if completes_line(child, action) else child


def connect_cells(state: ConnectState) -> np.ndarray:
    """int [rows, columns] of +1, -1 and 0. Row 0 is the top row, as on a drawing."""
    filled = [stones + (0,) * (state.rows - len(stones)) for stones in state.columns]  # each from the bottom up
    return np.array(filled).T[::-1]


def connect_encode(state: ConnectState) -> np.ndarray:
    """The position as the player to move sees it.

    Returns float32 [2, rows, columns], row 0 at the top: a 1 in plane 0 for each stone of the
    player to move, in plane 1 for each of the opponent's.
    """
    planes = np.zeros((2, state.rows, len(state.columns)), dtype=np.float32)
    for column, stones in enumerate(state.columns):
        for height, player in enumerate(stones):
            plane = 0 if player == state.to_play else 1
            planes[plane, state.rows - 1 - height, column] = 1
    return planes


def connect_symmetries(planes: np.ndarray, policy: np.ndarray) -> list[tuple[np.ndarray, np.ndarray]]:
    """A position and its mirror image, left for right: gravity leaves no other symmetry.

    Args:
        planes: [2, rows, columns], as `connect_encode` returns it.
        policy: [columns].
    """
    return [(planes, policy), (planes[:, :, ::-1].copy(), policy[::-1].copy())]


CONNECT_FOUR_TRAINING = dict(  # in place of what `ConnectN.training` says: more iterations, and shorter ones
    iterations=160,  # three times as many bring little (lab/log.md)
    network="wide",
    lines=True,
    first_simulations=8,
    simulations=20,
    exploratory_plies=6,
    opening_share=0.9,
    root_share=0.0,
    value_weight=0.2,
    policy_power=1.0,
    window=40,
    steps=166,  # about two looks at each new example
    learning_rate=7e-3,
    last_learning_rate=4e-4,
    weight_decay=0.1,
)

CONNECT_FOUR_MINUTE = dict(  # in place of that, for a minute: a small tower that is told no lines, and few games
    iterations=8,
    games=512,
    parts=1,
    network="resnet",
    blocks=3,
    channels=32,
    lines=False,
    first_simulations=16,
    simulations=24,
    steps=240,
    batch=128,
    opening_plies=20,
    root_share=0.5,
    weight_decay=1e-4,
)


class ConnectN(LineRules[ConnectState]):
    """The game behind the course's protocol (`course_utils.games.protocol.Game`). An action is a column, from 0.

    Raises:
        ValueError: no line of `n` fits on this board.
    """

    planes = 2
    training: Mapping[str, Any] = dict(
        iterations=84,
        network="resnet",
        lockstep=True,
        games=2048,
        parts=2,
        first_simulations=24,
        simulations=100,
        c_puct=1.25,
        exploratory_plies=14,
        noise_fraction=0.25,
        opening_share=0.7,
        opening_plies=16,
        root_share=0.5,
        window=24,
        symmetries="random",
        policy_power=1.25,
        batch=512,
        learning_rate=3e-3,
        last_learning_rate=3e-4,
        promotion="average",
    )

    def __init__(self, rows: int, columns: int, n: int):
        if rows < 1 or columns < 1 or not 1 <= n <= max(rows, columns):
            raise ValueError(f"no line of {n} fits on a board of {rows} rows and {columns} columns")
        self.rows, self.columns, self.n = rows, columns, n
        self.num_actions = columns
        self.name = "connect_four" if (rows, columns, n) == (6, 7, 4) else f"connect_{n}_on_{rows}x{columns}"
        if self.name == "connect_four":
            self.training = {**ConnectN.training, **CONNECT_FOUR_TRAINING}

    def initial_state(self) -> ConnectState:
        return ConnectState(columns=((),) * self.columns, rows=self.rows, n=self.n)

    def legal_actions(self, state: ConnectState) -> list[int]:
        return connect_legal_actions(state)

    def play(self, state: ConnectState, action: int) -> ConnectState:
        return connect_play(state, action)

    def to_play(self, state: ConnectState) -> int:
        return state.to_play

    def is_terminal(self, state: ConnectState) -> bool:
        return connect_is_terminal(state)

    def winner(self, state: ConnectState) -> int:
        return state.winner

    def encode(self, state: ConnectState) -> np.ndarray:
        return connect_encode(state)

    def symmetries(self, planes: np.ndarray, policy: np.ndarray) -> list[tuple[np.ndarray, np.ndarray]]:
        return connect_symmetries(planes, policy)

    def cells(self, state: ConnectState) -> np.ndarray:
        return connect_cells(state)

    def action_at(self, row: int, column: int) -> int:
        return column

    def action_name(self, action: int) -> str:
        return f"column {action}"

    def why_illegal(self, state: ConnectState, action: int) -> str:
        return f"Column {action} is full: choose another."

    def from_cells(self, cells: np.ndarray, to_play: int) -> ConnectState:
        columns = tuple(tuple(column[column != 0][::-1].tolist()) for column in cells.T)
        state = ConnectState(columns, to_play, 0, self.rows, self.n)
        tops = [column for column, stones in enumerate(columns) if stones and stones[-1] == -to_play]
        won = any(completes_line(state, column) for column in tops)  # by the last stone, which lies on top
        return state._replace(winner=-to_play) if won else state

    def batched(self) -> BatchedGame:
        return LineGame(self, n=self.n, gravity=True) if LineGame.fits(self) else super().batched()


def ConnectFour() -> ConnectN:
    """Four in a row on 6 rows and 7 columns."""
    return ConnectN(rows=6, columns=7, n=4)


def connect_n(name: str) -> ConnectN | None:
    """Make the game of a name: "connect_n:4x5x3" has 4 rows and 5 columns, and 3 in a row win.

    The game's own name, "connect_3_on_4x5", works, too.

    Returns:
        The game, or None for the name of another kind of game.

    Raises:
        ValueError: not a size, no line of `n` fits on the board, or the board does not fit into 64 bits.
    """
    size = re.fullmatch(r"connect_n:(?P<rows>\d+)x(?P<columns>\d+)x(?P<n>\d+)", name)
    size = size or re.fullmatch(r"connect_(?P<n>\d+)_on_(?P<rows>\d+)x(?P<columns>\d+)", name)
    if size is None and name.startswith("connect_n"):
        raise ValueError(
            f"{name!r} names no size: connect_n:4x5x3, for example, has 4 rows and 5 columns, and 3 in a row win"
        )
    if size is None:
        return None
    rows, columns, n = (int(size[group]) for group in ("rows", "columns", "n"))
    if n < 2:
        raise ValueError(f"{name} would be over after the first stone: let at least 2 in a row win")
    game = ConnectN(rows, columns, n)
    if not LineGame.fits(game):
        raise ValueError(
            f"{name} is too large: with one spare row the board may have 64 cells, "
            f"and this one has {(rows + 1) * columns}"
        )
    return game
