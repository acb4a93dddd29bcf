"""Pictures of positions and search trees, for any game behind `games.protocol`.

All of them stand on an opaque, light card, so that they look the same in a light and in a dark notebook.
"""


import matplotlib.pyplot as plt
import numpy as np
from matplotlib.colors import to_rgb
from matplotlib.patches import Circle, Rectangle

from course_utils.games import Game
from course_utils.search.puct import Node

# Okabe and Ito's blue and vermilion, darkened for contrast: told apart with any kind of color vision, and in gray.
PAPER, CARD, INK, FAINT, GRID = "#fbfaf7", "#ffffff", "#22303c", "#5d6b76", "#b9c1c7"
COLOR = {1: "#1f4e8c", -1: "#c2571a"}
TINT = "#2a8c82"
MARK = {1: "X", -1: "O"}

CELL_INCHES = 0.8  # of a board of three columns; larger boards have smaller cells


def player_name(player: int) -> str:
    """X or O."""
    return MARK[player]


def outcome(game: Game, state) -> str:
    """How a finished game ended, in words: 'X wins', 'O wins' or 'draw'."""
    winner = game.winner(state)
    return f"{MARK[winner]} wins" if winner else "draw"


def action_word(game: Game) -> str:
    """What an action of this game names: a cell, or, where several cells share an action, a column."""
    return "column" if shares_actions(game) else "cell"


def shares_actions(game: Game) -> bool:
    """Whether several cells mean the same action, as where stones fall."""
    return game.num_actions < game.rows * game.columns


def mix(color: str, share: float) -> tuple[float, float, float]:
    """`share` of the color, the rest white."""
    return tuple(share * np.array(to_rgb(color)) + (1 - share))


def percent(share: float) -> str:
    """'37', or '<1' for what would round to nothing."""
    return "<1%" if 0 < share < 0.005 else f"{share:.0%}"


def cell_inches(game: Game) -> float:
    return CELL_INCHES * min(1, 3.9 / game.columns)


def board_size(game: Game, policy=None, value=None, title: str = "") -> tuple[float, float]:
    """(width, height) in inches that a board wants, with what stands above and below it."""
    cell = cell_inches(game)
    above = 0.42 * cell if policy is not None and shares_actions(game) else 0
    return (
        game.columns * cell + 0.3,
        game.rows * cell
        + above
        + (0.55 if value is not None else 0)
        + (0.3 * (1 + title.count("\n")) if title else 0)
        + 0.2,
    )


def draw_board(game: Game, state, *, policy=None, value: float | None = None, title: str = "", ax=None):
    """Draw one position.

    Args:
        policy: [num_actions], non-negative; shades the free cells and prints percentages in them. Where several cells share
            an action, the percentages stand above the board.
        value: from -1 to 1, for the player to move; drawn as a bar under the board that says whose it is.
        ax: where to draw; a figure of its own if None.

    Returns:
        The matplotlib axes.

    Raises:
        ValueError: the policy has another number of actions than the game.
    """
    if policy is not None:
        policy = np.asarray(policy, dtype=float)
        if policy.shape != (game.num_actions,):
            raise ValueError(f"the policy has shape {policy.shape}; this game has {game.num_actions} actions")
    if ax is None:
        figure, ax = plt.subplots(figsize=board_size(game, policy, value, title), facecolor=PAPER, layout="constrained")
    cell = 72 * cell_inches(game)  # points
    ax.set(xlim=(-0.08, game.columns + 0.08), aspect="equal")
    ax.axis("off")
    top, bottom = -0.08, game.rows + 0.08
    ax.add_patch(Rectangle((0, 0), game.columns, game.rows, facecolor=CARD, edgecolor="none"))
    _draw_policy(game, state, policy, ax, cell)
    _draw_grid(game, ax)
    _draw_marks(game, state, ax)
    if policy is not None and shares_actions(game):
        top = -0.5
    if value is not None:
        _draw_value(game, state, value, ax, cell)
        bottom = game.rows + 52 / cell
    ax.set_ylim(bottom, top)
    if title:
        ax.set_title(title, color=INK, fontsize=11, pad=5)
    return ax


def _draw_grid(game: Game, ax) -> None:
    for row in range(1, game.rows):
        ax.plot([0, game.columns], [row, row], color=GRID, linewidth=1.2, zorder=2)
    for column in range(1, game.columns):
        ax.plot([column, column], [0, game.rows], color=GRID, linewidth=1.2, zorder=2)
    ax.add_patch(Rectangle((0, 0), game.columns, game.rows, facecolor="none", edgecolor=FAINT, linewidth=1.4, zorder=2))


def _draw_marks(game: Game, state, ax) -> None:
    """A cross or a ring; both are shapes as well as colors. They scale with the axes."""
    for row, line in enumerate(game.cells(state).tolist()):
        for column, player in enumerate(line):
            x, y = column + 0.5, row + 0.5
            if player == 1:
                for slope in (1, -1):
                    ax.add_patch(_bar(x, y, slope, COLOR[1]))
            elif player == -1:
                ax.add_patch(Circle((x, y), 0.26, facecolor="none", edgecolor="none"))
                ax.add_patch(_ring(x, y, COLOR[-1]))


def _bar(x: float, y: float, slope: int, color: str):
    """One of the two strokes of a cross."""
    from matplotlib.patches import Polygon

    long, thin = 0.27, 0.055
    corners = [
        (-long - thin, -long + thin),
        (-long + thin, -long - thin),
        (long + thin, long - thin),
        (long - thin, long + thin),
    ]
    return Polygon([(x + a, y + slope * b) for a, b in corners], closed=True, color=color, linewidth=0, zorder=3)


def _ring(x: float, y: float, color: str):
    from matplotlib.patches import Annulus

    return Annulus((x, y), 0.32, 0.11, color=color, linewidth=0, zorder=3)


def _draw_policy(game: Game, state, policy, ax, cell: float) -> None:
    if policy is None:
        return
    size = max(7.5, 0.24 * cell)
    legal = game.legal_actions(state)
    strongest = max(policy.max(), 1e-9)
    cells = game.cells(state)
    for row in range(game.rows):
        for column in range(game.columns):
            action = game.action_at(row, column)
            if cells[row, column] != 0 or action not in legal:
                continue
            shade = mix(TINT, 0.55 * policy[action] / strongest)
            ax.add_patch(Rectangle((column, row), 1, 1, facecolor=shade, edgecolor="none", zorder=1))
            if not shares_actions(game):
                weight = "bold" if policy[action] == strongest else "normal"
                ax.text(
                    column + 0.5,
                    row + 0.5,
                    percent(policy[action]),
                    ha="center",
                    va="center",
                    color=INK,
                    fontsize=size,
                    fontweight=weight,
                    zorder=4,
                )
    if shares_actions(game):
        for action in legal:
            weight = "bold" if policy[action] == strongest else "normal"
            ax.text(
                _column_of(game, action) + 0.5,
                -0.08,
                percent(policy[action]),
                ha="center",
                va="bottom",
                color=INK,
                fontsize=size,
                fontweight=weight,
            )


def _column_of(game: Game, action: int) -> int:
    return next(column for column in range(game.columns) if game.action_at(0, column) == action)


def _draw_value(game: Game, state, value: float, ax, cell: float) -> None:
    """A bar from -1 to +1 with 0 in the middle, under the board."""
    value = float(value)
    player = game.to_play(state)
    left, width, y, height = 0.0, game.columns, game.rows + 8 / cell, 11 / cell
    middle = left + width / 2
    ax.add_patch(Rectangle((left, y), width, height, facecolor="#e6e8ea", edgecolor="none"))
    end = middle + np.clip(value, -1, 1) * width / 2
    leader = player if value >= 0 else -player
    ax.add_patch(Rectangle((min(middle, end), y), abs(end - middle), height, facecolor=COLOR[leader], edgecolor="none"))
    ax.plot([middle, middle], [y - 2 / cell, y + height + 2 / cell], color=INK, linewidth=1.2)
    ax.text(
        middle,
        y + height + 4 / cell,
        f"value for {MARK[player]}, to move: {value:+.2f}",
        ha="center",
        va="top",
        color=INK,
        fontsize=9.5,
    )


def draw_boards(game: Game, boards: list[dict], *, columns: int | None = None):
    """Draw several positions side by side.

    Args:
        boards: each a dict of `draw_board`'s arguments: state, and where wanted policy, value, title.
        columns: boards in a row; None: up to five.

    Returns:
        The matplotlib figure.
    """
    columns = min(columns or 5, len(boards))
    rows = -(-len(boards) // columns)
    sizes = [board_size(game, board.get("policy"), board.get("value"), board.get("title", "")) for board in boards]
    width, height = (max(side) for side in zip(*sizes, strict=True))
    figure, axes = plt.subplots(
        rows,
        columns,
        figsize=((width + 0.2) * columns, (height + 0.1) * rows),
        facecolor=PAPER,
        layout="constrained",
        squeeze=False,
    )
    for ax, board in zip(axes.flat, boards, strict=False):
        draw_board(game, ax=ax, **board)
    for ax in axes.flat[len(boards) :]:
        ax.axis("off")
    return figure


def draw_tree(game: Game, root: Node, *, depth: int = 2, most: int = 3):
    """Draw the top of a search tree: edges as thick as their visits, finished games marked.

    Args:
        root: N, W, P and `children` as `search.puct` fills them.
        depth: how many moves below the root to show.
        most: at most this many children of a node, the most visited; the others are counted under it.

    Returns:
        The matplotlib figure.
    """
    figure, ax = plt.subplots(facecolor=PAPER)
    return figure
