"""The picture of the notebook 'A better lesson': what lessons of few simulations are worth."""

from collections.abc import Sequence

import matplotlib.pyplot as plt
from matplotlib.figure import Figure

from course_utils.ui.figures import caption
from course_utils.ui.palette import BLUE, ORANGE, TEAL

LOOKS = ((ORANGE, "s--"), (TEAL, "^-."), (BLUE, "o-"))


def draw_lessons(budgets: Sequence[int], lessons: dict[str, list[tuple[float, float]]]) -> Figure:
    """How often a policy to learn is a step back, and how much it is worth above the prior on average.

    Args:
        lessons: name -> for each budget (share of steps back, mean gain).
    """
    figure, axes = plt.subplots(1, 2, figsize=(9.5, 3), layout="constrained")
    for (name, pairs), (color, style) in zip(lessons.items(), LOOKS, strict=False):
        axes[0].plot(budgets, [100 * worse for worse, _ in pairs], style, color=color, label=name)
        axes[1].plot(budgets, [gain for _, gain in pairs], style, color=color, label=name)
    for ax, title in zip(axes, ("worse than the prior, %", "worth above the prior"), strict=True):
        ax.set_xscale("log", base=2)
        ax.xaxis.set_major_formatter("{x:g}")
        ax.set(xlabel="simulations", ylabel=title)
    axes[0].legend(loc="upper right")
    axes[1].set_ylim(bottom=0)
    caption("Policies to learn, if the search sees true values: random decisions among nine moves.")
    return figure
