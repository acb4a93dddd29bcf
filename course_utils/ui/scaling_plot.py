"""The picture of "Scaling out": games per second by the number of workers."""

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.figure import Figure

from course_utils.learning.scaling import Measured
from course_utils.ui.figures import caption
from course_utils.ui.palette import BLUE, INK, ORANGE, TEAL


def draw_workers(measured: Measured) -> Figure:
    """Games per second from 1 to 1,000 workers: measured, by the model, and what the learner can take."""
    many = np.unique(np.geomspace(1, 1000, 80).astype(int)).tolist()
    dots = {count: rate for count, rate in measured.speed.items() if count}
    figure, ax = plt.subplots(figsize=(8, 4), layout="constrained")
    ax.axhline(measured.learner, color=INK, linestyle="--", linewidth=1, label="all that the learner can learn from")
    ax.plot(many, [measured.grown(count) for count in many], color=ORANGE, label="64 games each")
    ax.plot(many, [measured.shared(count) for count in many], color=TEAL, label=f"{measured.games} games, shared")
    ax.plot(list(dots), list(dots.values()), "o", color=BLUE, label=f"measured: {measured.games} games, shared")
    limits = (0.7 * measured.grown(1), 1.5 * measured.learner)
    ax.set(xscale="log", yscale="log", xlabel="workers", ylabel="games per second", ylim=limits)
    ax.set_yticks((100, 200, 400))
    ax.yaxis.set_minor_formatter("")
    for axis in (ax.xaxis, ax.yaxis):
        axis.set_major_formatter("{x:g}")
    ax.legend(loc="lower right")
    caption("Games per second from 1 to 1,000 workers: an iteration that is shared, and iterations that grow.")
    return figure
