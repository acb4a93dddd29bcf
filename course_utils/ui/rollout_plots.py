"""Pictures for the notebook 'Tree search with rollouts': its four phases, and shares of games won or drawn."""

from collections.abc import Sequence

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from course_utils.learning.tournament import wilson_interval
from course_utils.results import Row
from course_utils.ui.diagrams import boxes_and_arrows
from course_utils.ui.figures import caption
from course_utils.ui.palette import BLUE, GRAY, INK, ORANGE, TEAL

GAMES = {"tictactoe": "tic-tac-toe", "connect_four": "Connect Four"}


def draw_four_phases() -> Figure:
    """The loop of a simulation: select, expand, rollout, backup."""
    return boxes_and_arrows(
        {
            "select": (1.2, 2.2, "select", "walk down", BLUE),
            "expand": (4, 3.7, "expand", "add one node", TEAL),
            "rollout": (6.8, 2.2, "rollout", "play it out", ORANGE),
            "backup": (4, 0.7, "backup", "tell the path", INK),
        },
        [
            ("select", "expand", "a node where something\nis still untried", 1.35, 3.6),
            ("expand", "rollout", "the new node", 6.5, 3.5),
            ("rollout", "backup", "the result, for the player\nto move at the new node", 6.7, 0.85),
            ("backup", "select", "N and W of each\nnode on the way", 1.3, 0.85),
        ],
        (8, 4.4),
    )


def _shares(
    ax: Axes, rows: Sequence[Row], varied: str, outcome: str, label: str, color: str, style: str = "o-"
) -> None:
    """The share of one outcome over what was varied from row to row, each with its Wilson interval."""
    games = [row["wins"] + row["draws"] + row["losses"] for row in rows]
    shares = np.array([row[outcome] / count for row, count in zip(rows, games, strict=True)])
    bounds = np.array([wilson_interval(row[outcome], count) for row, count in zip(rows, games, strict=True)])
    ax.errorbar(np.arange(len(rows)), shares, abs(bounds.T - shares), fmt=style, color=color, capsize=3, label=label)
    ax.set_xticks(
        range(len(rows)), [f"{row[varied]:g}" if isinstance(row[varied], float) else row[varied] for row in rows]
    )
    ax.yaxis.set_major_formatter("{x:.0%}")
    ax.grid(axis="y")


def draw_wins_against_random(rows: Sequence[Row]) -> Figure:
    """How often the search wins as X against random moves, by simulations."""
    figure, ax = plt.subplots(figsize=(6.5, 3), layout="constrained")
    _shares(ax, rows, "simulations", "wins", "measured, 500 games each", BLUE)
    ax.axhline(0.585, color=INK, linewidth=1, linestyle=":")
    ax.text(-0.1, 0.545, "random against random: 58.5 %", color=INK)
    ax.set(xlabel="simulations per move", ylabel="won as X", ylim=(0.5, 1.02))
    ax.legend(loc="lower right", bbox_to_anchor=(1, 0.2))
    caption("How often the search wins as X against random moves, by simulations, with 95 % intervals.")
    return figure


def draw_draws_against_perfect_play(budgets: dict[str, Sequence[Row]], constants: dict[str, Sequence[Row]]) -> Figure:
    """The share of draws against perfect play, by simulations and by the exploration constant; side -> rows."""
    figure, axes = plt.subplots(1, 2, figsize=(9.5, 3.4), layout="constrained", sharey=True)
    labels = ("simulations per move", "exploration constant C, with 500 simulations per move")
    for ax, sides, varied, label in zip(axes, (budgets, constants), ("simulations", "c_uct"), labels, strict=True):
        for (side, rows), color in zip(sides.items(), (TEAL, BLUE), strict=True):
            _shares(ax, rows, varied, "draws", f"moving {side}", color)
        [games] = {row["wins"] + row["draws"] + row["losses"] for rows in sides.values() for row in rows}
        ax.set(title=f"{games} games for each point", xlabel=label, ylim=(0, 1.05))
    axes[0].set_ylabel("drawn")
    axes[1].legend(loc="lower right")
    caption("How often the search draws against perfect play, with 95 % intervals.")
    return figure


def draw_values_in_time(rows: Sequence[Row]) -> Figure:
    """Draw the share of right moves by time: a line for each way to evaluate a leaf, a panel for each game."""
    figure, axes = plt.subplots(1, len(GAMES), figsize=(9.5, 3.4), layout="constrained", sharey=True)
    styles = zip((ORANGE, GRAY, GRAY, TEAL, BLUE), ("o-", "s--", "v:", "D-.", "^-"), strict=True)
    looks = dict(zip(dict.fromkeys(row["leaf"] for row in rows), styles, strict=True))
    for ax, (game, title) in zip(axes, GAMES.items(), strict=True):
        for leaf, (color, style) in looks.items():
            mine = [row for row in rows if (row["game"], row["leaf"]) == (game, leaf)]
            shares = np.array([row["kept"] / row["of"] for row in mine])
            bounds = np.array([wilson_interval(row["kept"], row["of"]) for row in mine])
            times = [1000 * row["seconds"] for row in mine]
            ax.errorbar(times, shares, abs(bounds.T - shares), fmt=style, color=color, capsize=3, label=leaf)
        ax.set(title=title, xlabel="milliseconds for each move", xscale="log")
        ax.set_xticks(times, [f"{time:g}" for time in times], minor=False)
        ax.minorticks_off()
        ax.yaxis.set_major_formatter("{x:.0%}")
        ax.grid(axis="y")
    axes[0].set_ylabel("moves that keep the value")
    axes[1].legend(loc="center left", bbox_to_anchor=(1, 0.5))
    caption("Right moves with the same time for each, by what evaluates a leaf, with 95 % intervals.")
    return figure
