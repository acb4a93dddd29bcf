"""Pictures for the notebook 'Perfect play': what an order of moves, depth and a heuristic are worth; solved boards."""

import matplotlib.pyplot as plt
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from course_utils.ui.diagrams import boxes_and_arrows
from course_utils.ui.figures import caption
from course_utils.ui.palette import BLUE, FAINT, INK, ORANGE, SPARE, TEAL, mixed


def draw_two_moves_ahead() -> Figure:
    """A root, two positions below it, and four finished games below these, with their values for X."""
    return boxes_and_arrows(
        {
            "root": (4, 4.1, "X to move", "V = ?", BLUE),
            "left": (1.9, 2.4, "O to move", "V = ?", ORANGE),
            "right": (6.1, 2.4, "O to move", "V = ?", ORANGE),
            "a": (0.9, 0.6, "O has won", "V = -1", INK),
            "b": (3, 0.6, "draw", "V = 0", INK),
            "c": (5.1, 0.6, "draw", "V = 0", INK),
            "d": (7.2, 0.6, "draw", "V = 0", INK),
        },
        [
            (node, below, "", 0, 0)
            for node, all_below in zip(("root", "left", "right"), (("left", "right"), "ab", "cd"), strict=True)
            for below in all_below
        ],
        (8.2, 4.8),
    )


def draw_positions_looked_at(counts: dict[str, int]) -> Figure:
    """How many positions each search looked at, as bars on a logarithmic scale; the first bar is gray."""
    figure, ax = plt.subplots(figsize=(7, 2.4), layout="constrained")
    bars = ax.barh(list(counts), list(counts.values()), color=[FAINT] + [BLUE] * (len(counts) - 1))
    ax.bar_label(bars, fmt="{:,.0f}", padding=4)
    ax.set_xscale("log")
    ax.set_xlim(1e3, 3e6)
    ax.invert_yaxis()
    ax.set_xlabel("positions looked at, empty board of tic-tac-toe (log scale)")
    caption("The same value, found by looking at fewer positions: negamax, and alpha-beta in four orders.")
    return figure


def draw_first_moves(solved: dict[str, list[int]]) -> Figure:
    """What each first column of some boards is worth to the player who takes it: win, draw or loss."""
    words = {1: ("win", mixed(TEAL, 0.35)), 0: ("draw", SPARE), -1: ("loss", mixed(ORANGE, 0.3))}
    figure, ax = plt.subplots(figsize=(8, 3))
    for y, (board, values) in enumerate(solved.items()):
        for column, value in enumerate(values):
            x = column - len(values) / 2
            ax.add_patch(Rectangle((x, y - 0.4), 0.94, 0.8, facecolor=words[value][1], edgecolor=FAINT))
            ax.text(x + 0.47, y, words[value][0], ha="center", va="center")
        ax.text(-3.8, y, board, ha="right", va="center")
    ax.set(xlim=(-8.5, 3.7), ylim=(len(solved) - 0.5, -0.6))
    ax.axis("off")
    caption("What each first column is worth, for the player who takes it.")
    return figure
