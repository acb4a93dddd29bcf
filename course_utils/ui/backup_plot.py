"""The way of a value from a leaf up to the root, drawn: at each step it changes its owner, and so its sign."""

import matplotlib.pyplot as plt
from matplotlib.figure import Figure
from matplotlib.patches import ConnectionPatch

from course_utils.games import Game, after
from course_utils.ui.palette import COLOR, FAINT, INK, PAPER
from course_utils.ui.plots import MARK, draw_board


def draw_backup(game: Game, actions: list[int], path: list[int], value: float) -> Figure:
    """The positions from a root to a leaf, side by side, and what `backup(leaf, value)` writes on its way back.

    Args:
        actions: from the start to the root.
        path: from the root to the leaf.
        value: of the leaf, for the player to move there.
    """
    states = [after(game, [*actions, *path[:depth]]) for depth in range(len(path) + 1)]
    figure, axes = plt.subplots(1, len(states), figsize=(2.9 * len(states), 3.3), facecolor=PAPER)
    figure.subplots_adjust(left=0.01, right=0.99, top=0.86, bottom=0.34, wspace=0.75)
    for depth, (ax, state) in enumerate(zip(axes, states, strict=True)):
        player, its_value = game.to_play(state), value * (-1) ** (len(path) - depth)
        name = "leaf" if depth == len(path) else ("root", "child", "grandchild")[depth]
        moves = "would move" if game.is_terminal(state) else "moves"
        draw_board(game, state, title=f"{name}: {MARK[player]} {moves}", ax=ax)
        written = "nothing is written" if name == "leaf" else _written(name, path[depth], its_value)
        ax.text(
            0.5,
            -0.12,
            f"{its_value:+g} for {MARK[player]}".replace("-", "−"),
            transform=ax.transAxes,
            ha="center",
            va="top",
            fontsize=14,
            fontweight="bold",
            color=COLOR[player],
        )
        ax.text(
            0.5, -0.32, written, transform=ax.transAxes, ha="center", va="top", fontsize=11, color=INK, linespacing=1.4
        )
    for depth, (right, left) in enumerate(zip(axes[1:], axes, strict=False)):
        _arrow(figure, left, right, f"{MARK[game.to_play(states[depth])]} plays {path[depth]}", height=0.72, up=False)
        _arrow(figure, left, right, "change\nthe sign", height=0.3, up=True)
    return figure


def _written(name: str, action: int, value: float) -> str:
    return f"{name}.N[{action}] += 1\n{name}.W[{action}] += {value:g}"


def _arrow(figure: Figure, left, right, label: str, *, height: float, up: bool) -> None:
    """Between two boards: down the tree to the right, up the tree to the left."""
    ends = {"xyA": (1.04, height), "xyB": (-0.04, height), "axesA": left, "axesB": right}
    if up:
        ends = {"xyA": ends["xyB"], "xyB": ends["xyA"], "axesA": right, "axesB": left}
    figure.add_artist(
        ConnectionPatch(
            **ends,
            coordsA="axes fraction",
            coordsB="axes fraction",
            arrowstyle="-|>",
            mutation_scale=16,
            linewidth=2 if up else 1.2,
            color=INK if up else FAINT,
        )
    )
    start, end = left.get_position(), right.get_position()
    x, y = (start.x1 + end.x0) / 2, start.y0 + height * start.height
    above = 0.02
    figure.text(
        x,
        y + above,
        label,
        ha="center",
        va="bottom",
        fontsize=10.5 if up else 10,
        fontweight="bold" if up else "normal",
        color=INK if up else FAINT,
        linespacing=1.2,
    )
