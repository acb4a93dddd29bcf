"""Pictures and a table for the notebook 'A better lesson': lessons of few simulations, and what the search is worth."""

from collections.abc import Sequence

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.figure import Figure

from course_utils.learning.pairs import percent_kept
from course_utils.results import load_result
from course_utils.ui.figures import caption
from course_utils.ui.laboratory import curve
from course_utils.ui.palette import BLUE, ORANGE, TEAL

LOOKS = ((ORANGE, "s--"), (TEAL, "^-."), (BLUE, "o-"))
STAGES = {  # the networks of the picture, from the weakest on
    "tictactoe": ("untrained", "after 4 iterations", "shipped"),
    "connect_four": ("untrained", "after 6 iterations", "shipped"),
}


def draw_lessons(budgets: Sequence[int], lessons: dict[str, list[tuple[float, float]]]) -> Figure:
    """How often a policy to learn is a step back, and how much it is worth above the prior on average.

    Args:
        lessons: name -> for each budget (share of steps back, mean gain).
    """
    figure, axes = plt.subplots(1, 2, figsize=(9.5, 3), layout="constrained")
    for (name, pairs), (color, style) in zip(lessons.items(), LOOKS, strict=False):
        axes[0].plot(budgets, [100 * worse for worse, _ in pairs], style, color=color, label=name)
        axes[1].plot(budgets, [gain for _, gain in pairs], style, color=color, label=name)
    for ax, what in zip(axes, ("worse than the prior, %", "worth above the prior"), strict=True):
        ax.set_xscale("log", base=2)
        ax.xaxis.set_major_formatter("{x:g}")
        ax.set(xlabel="simulations", ylabel=what)
    axes[0].legend(loc="upper right")
    axes[1].set_ylim(bottom=0)
    caption("Policies to learn, if the search sees true values: random decisions among nine moves.")
    return figure


def draw_strength() -> Figure:
    """Right moves in the exam by simulations, with PUCT and with Gumbel search, for three networks of each game.

    A band goes from the lowest seed to the highest.
    """
    strength = load_result("gumbel_strength")
    figure, axes = plt.subplots(1, 2, figsize=(9, 3.8), layout="constrained")
    for ax, (game, networks) in zip(axes, STAGES.items(), strict=True):
        for network in networks:
            for search, label, color, style in (("puct", "PUCT", ORANGE, "s--"), ("gumbel", "Gumbel", BLUE, "o-")):
                rows = strength.where(game=game, network=network, search=search)
                curve(ax, rows, "simulations", percent_kept, label if network == "shipped" else "", color, style)
            best = np.mean([percent_kept(row) for row in strength.where(game=game, network=network, search="puct", simulations=64)])  # fmt: skip
            shift = {"shipped": 7, "untrained": -7}.get(network, 0)
            ax.annotate(network, (64, best), xytext=(6, shift), textcoords="offset points", va="center", fontsize=10)
        ax.set_xscale("log", base=2)
        ax.xaxis.set_major_formatter("{x:g}")
        title = game.replace("_", " ")
        ax.set(title=title, xlabel="simulations", xlim=(3.5, 350), xticks=(4, 8, 16, 32, 64))
    axes[0].set_ylabel("right moves in the exam, %")
    axes[0].legend(loc="lower right")
    caption("Right moves in the exam by simulations, PUCT and Gumbel search with the same networks.")
    return figure
