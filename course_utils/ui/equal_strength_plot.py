"""Lines of equal strength: which agents, trained little or much and searching briefly or long, are equally good."""

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from course_utils.learning.pairs import percent_kept
from course_utils.results import Result
from course_utils.ui.figures import caption
from course_utils.ui.palette import BLUE, FAINT, GRAY, INK, ORANGE, TEAL

LOOKS = ((GRAY, "-"), (TEAL, "--"), (ORANGE, "-."), (BLUE, "-"))


def strengths(result: Result) -> tuple[list[int], list[int], np.ndarray]:
    """(iterations, simulations, right moves in percent [seeds, simulations, iterations])."""
    iterations, simulations = (sorted({row[name] for row in result.rows}) for name in ("iteration", "simulations"))
    seeds = sorted({row["seed"] for row in result.rows})
    percents = {(row["seed"], row["simulations"], row["iteration"]): percent_kept(row) for row in result.rows}
    return (
        iterations,
        simulations,
        np.array([[[percents[s, n, i] for i in iterations] for n in simulations] for s in seeds]),
    )


def draw_equal_strength(result: Result, levels: tuple[float, ...]) -> Figure:
    """Both axes double from step to step. A bold line is that of the mean over the seeds, the thin ones are those of
    the single seeds.

    Args:
        levels: in percent of right moves, up to four.
    """
    iterations, simulations, percent = strengths(result)
    across = _doublings(iterations, first=-1)
    up = _doublings(simulations, first=0)  # one simulation plays what the network likes best
    figure, ax = plt.subplots(figsize=(7.5, 4.4), layout="constrained")
    for level, (color, style) in zip(levels, LOOKS, strict=False):
        for row in percent:
            ax.contour(across, up, row, [level], colors=[color], linestyles=style, linewidths=0.7, alpha=0.5)
        ax.contour(across, up, percent.mean(axis=0), [level], colors=[color], linestyles=style, linewidths=2.5)
        ax.plot([], [], style, color=color, linewidth=2.5, label=f"{level:g} % right moves")
    _axes(ax, across, iterations, up, simulations)
    ax.legend(loc="center left", bbox_to_anchor=(1, 0.5))
    caption(
        "Hex on 4 x 4: agents that are equally strong lie on one line. Bold is the mean of five seeds, thin is each "
        "of them.",
        alt=_in_words(iterations, simulations, percent.mean(axis=0)),
    )
    return figure


def _doublings(counts: list[int], first: int) -> np.ndarray:
    """Where a count stands on an axis whose steps are doublings; 0 stands at `first`."""
    return np.array([np.log2(count) if count else first for count in counts])


def _axes(ax: Axes, across: np.ndarray, iterations: list[int], up: np.ndarray, simulations: list[int]) -> None:
    ax.set_xticks(across, [str(count) if count else "untrained" for count in iterations])
    ax.set_yticks(up, [str(count) if count else "alone" for count in simulations])
    ax.set(xlabel="training: iterations", ylabel="thinking: simulations per move")
    x, y = np.meshgrid(across, up)
    ax.plot(x.ravel(), y.ravel(), ".", color=FAINT, markersize=3, label="measured")
    ax.tick_params(colors=INK)


def _in_words(iterations: list[int], simulations: list[int], mean: np.ndarray) -> str:
    rows = [
        f"{f'{count} simulations' if count else 'alone'}: {', '.join(f'{share:.0f}' for share in row)}"
        for count, row in zip(simulations, mean, strict=True)
    ]
    return f"Right moves in percent after {', '.join(map(str, iterations))} iterations. {'; '.join(rows)}."
