"""PUCT over time: the score of each move before every simulation, as its average and its bonus."""

from collections.abc import Sequence

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from course_utils.search.puct import Node
from course_utils.ui.figures import caption
from course_utils.ui.palette import BLUE, FAINT, INK, mixed


def draw_scores(roots: Sequence[Node], chosen: Sequence[int], c_puct: float) -> Figure:
    """A row for each legal move, a bar for each simulation: Q is dark, U is pale and begins where Q ends, so the top is
    the score.

    Args:
        roots: the root before the first simulation, before the second, and so on.
        chosen: the move that each of these simulations begins with; it is marked.
    """
    moves = np.flatnonzero(roots[0].legal)
    Q = np.array([root.Q[moves] for root in roots])
    U = np.array([c_puct * root.P[moves] * np.sqrt(1 + root.N.sum()) / (1 + root.N[moves]) for root in roots])
    figure, axes = plt.subplots(
        len(moves), 1, figsize=(9.5, 1.5 * len(moves) + 0.6), sharex=True, sharey=True, layout="constrained"
    )
    simulations = np.arange(1, len(roots) + 1)
    for ax, move, q, u in zip(np.atleast_1d(axes), moves, Q.T, U.T, strict=True):
        ax.bar(simulations, u, bottom=q, width=0.8, color=mixed(BLUE, 0.3), edgecolor=BLUE, linewidth=0.6, label="U")
        ax.bar(simulations, q, width=0.4, color=BLUE, label="Q")
        ax.plot(simulations, (Q + U).max(axis=1), ":", color=FAINT, label="the highest score of all moves")
        mine = np.array(chosen) == move
        ax.plot(simulations[mine], (q + u)[mine] + 0.12, "v", color=INK, markersize=6, label="chosen")
        ax.axhline(0, color=FAINT, linewidth=0.8)
        ax.set(ylabel=f"move {move}", xticks=simulations, ylim=(min(0, Q.min()) - 0.1, (Q + U).max() + 0.35))
    _legend(figure, np.atleast_1d(axes)[-1])
    caption(
        "The scores of all moves before each simulation. The dark bar is Q, the pale one is U, and the triangle is "
        "the choice.",
        alt=_in_words(moves.tolist(), Q, U, list(chosen)),
    )
    return figure


def _legend(figure: Figure, last: Axes) -> None:
    last.set_xlabel("simulation")
    handles, labels = last.get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside upper center", ncols=len(labels))


def _in_words(moves: list[int], Q: np.ndarray, U: np.ndarray, chosen: list[int]) -> str:
    sums = [
        f"move {move}: at first Q {Q[0, i]:.2f} and U {U[0, i]:.2f}, at last Q {Q[-1, i]:.2f} and U {U[-1, i]:.2f}"
        for i, move in enumerate(moves)
    ]
    return (
        f"Bars of Q and U before each simulation. {'; '.join(sums)}. Chosen, from the first simulation on: "
        f"{', '.join(map(str, chosen))}."
    )
