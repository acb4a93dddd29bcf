"""The training dashboards: one picture that is redrawn in place while training runs."""

import math
import time
from collections.abc import Callable

import matplotlib.pyplot as plt
from IPython import get_ipython
from IPython.display import Image, display
from matplotlib.figure import Figure

from course_utils.learning.batched_training import BatchedTraining
from course_utils.learning.training import Training, TrainingConfig
from course_utils.ui.palette import CARD, COLOR, FAINT, GRAY, GRID, INK, ORANGE, PAPER, SPARE, TEAL
from course_utils.ui.plots import MARK, draw_board, png

AT_MOST = 0.1  # of the running time goes into drawing


class Dashboard:
    """A callback for `train_alphazero`: `train_alphazero(training, Dashboard(training))`.

    Shows how far the run is, the losses, how games of self-play end, what the gate says, and what the champion alone
    thinks of the start. To stop, interrupt the kernel: nothing is lost, and the same cell goes on.

    Args:
        training: the run, or its config.
        seconds: stop after so many seconds of training; None: when the iterations are done.
    """

    def __init__(self, training: Training | TrainingConfig, *, seconds: float | None = None):
        self.config = getattr(training, "config", training)
        self.seconds = seconds
        self.png = b""
        self._handle = None
        self._drawn = 0.0  # when, and how long it took
        self._cost = 0.0

    def __call__(self, training: Training) -> bool:
        """Redraw, unless that was done just before. Returns True when training should stop."""
        over_time = self.seconds is not None and training.seconds >= self.seconds
        last = over_time or len(training.history) >= self.config.iterations
        if last or time.perf_counter() - self._drawn > max(1.0, self._cost / AT_MOST):
            self.show(training)
        return over_time

    def show(self, training: Training) -> None:
        """Draw the run as it stands, in place of the picture before."""
        if not training.history:
            return
        began = time.perf_counter()
        self.png = png(self.draw(training))
        if get_ipython() is not None:
            picture = Image(self.png, alt=in_words(training, self.config.iterations))
            if self._handle is None:
                self._handle = display(picture, display_id=True)
            else:
                self._handle.update(picture)
        self._drawn = time.perf_counter()
        self._cost = self._drawn - began

    def draw(self, training: Training) -> Figure:
        return draw_dashboard(training, self.config.iterations)


class BatchedDashboard(Dashboard):
    """The same for `train_batched`, with a measured strength in place of the gate.

    Args:
        training: the run, or its config.
        strength: asked after every iteration; returns {name: share}, each a line of the picture, from 0 to 1. Its time is not counted
            as training.
        marks: {name: share}, gray lines to compare with.
        seconds: as for `Dashboard`.
    """

    def __init__(
        self,
        training: BatchedTraining,
        strength: Callable[[BatchedTraining], dict[str, float]],
        marks: dict[str, float] | None = None,
        *,
        seconds: float | None = None,
    ):
        super().__init__(training, seconds=seconds)
        self.strength, self.marks = strength, marks or {}
        self.measured: list[tuple[int, dict[str, float]]] = [(len(training.history), strength(training))]

    def __call__(self, training: BatchedTraining) -> bool:
        self.measured.append((len(training.history), self.strength(training)))
        return super().__call__(training)

    def draw(self, training: BatchedTraining) -> Figure:
        return draw_batched_dashboard(training, self.config.iterations, self.measured, self.marks)


def in_words(training: Training | BatchedTraining, iterations: int) -> str:
    """How far the run is, and how long the rest will take if the iterations to come are like those before."""
    done = len(training.history)
    words = f"iteration {done} of {iterations}, {training.seconds:.0f} s"
    if done < iterations:
        words += f", about {training.seconds / done * (iterations - done):.0f} s to go"
    return words


def draw_dashboard(training: Training, iterations: int) -> Figure:
    """The figure. Everything but the board comes from `training.history`."""
    history = training.history
    x = [entry["iteration"] for entry in history]
    figure, panels = _panels("gate")
    _progress(panels["bar"], training, iterations)
    _losses(panels["loss"], x, history)
    _ends(panels["ends"], x, history)
    _gate(panels["gate"], x, history, training.config.gate_threshold)
    for name in ("loss", "ends", "gate"):
        _style(panels[name], iterations)
    _start(panels["board"], training, "the champion, no search")
    return figure


def draw_batched_dashboard(
    training: BatchedTraining, iterations: int, measured: list[tuple[int, dict[str, float]]], marks: dict[str, float]
) -> Figure:
    """The figure of `BatchedDashboard`."""
    history = training.history
    x = [entry["iteration"] for entry in history]
    figure, panels = _panels("strength")
    _progress(panels["bar"], training, iterations)
    _losses(panels["loss"], x, history)
    _ends(panels["ends"], x, history)
    _strength(panels["strength"], measured, marks)
    for name in ("loss", "ends", "strength"):
        _style(panels[name], iterations)
    panels["strength"].set_xlim(-0.4, iterations + 0.6)
    _start(panels["board"], training, "the network, no search")
    return figure


def _panels(third: str) -> tuple[Figure, dict]:
    figure = plt.figure(figsize=(11, 4.2), facecolor=PAPER)
    return figure, figure.subplot_mosaic(
        [["bar"] * 4, ["loss", "ends", third, "board"]],
        height_ratios=[0.045, 1],
        width_ratios=[1, 1, 1, 0.95],
        gridspec_kw=dict(left=0.04, right=0.985, top=0.89, bottom=0.13, hspace=0.3, wspace=0.22),
    )


def _start(ax, training: Training | BatchedTraining, title: str) -> None:
    """What the network thinks of the start position."""
    latest = training.history[-1]
    draw_board(
        training.game,
        training.game.initial_state(),
        policy=latest["start_policy"],
        value=latest["start_value"],
        title=title,
        ax=ax,
    )


def _strength(ax, measured: list[tuple[int, dict[str, float]]], marks: dict[str, float]) -> None:
    """Lines of shares over the iterations, from the untrained network on."""
    styles = ((TEAL, "-"), (INK, "--"), (ORANGE, "-."))
    for name, (color, style) in zip(measured[0][1], styles, strict=False):
        shares = [100 * shares[name] for _, shares in measured]
        label = f"{name} {shares[-1]:.0f}"
        ax.plot([number for number, _ in measured], shares, style, color=color, linewidth=2, label=label)
    for name, share in marks.items():
        ax.axhline(100 * share, color=FAINT, linewidth=1, linestyle=":")
        ax.text(
            0, 100 * share, f"{name} {100 * share:.0f}", fontsize=7.5, color=INK, va="center",
            bbox=dict(facecolor=CARD, edgecolor="none", alpha=0.85, pad=0.8),
        )  # fmt: skip
    ax.set_title("moves that keep the value, %", color=INK, fontsize=10.5)
    ax.set_ylim(30, 112)
    ax.set_yticks([40, 60, 80, 100])
    _legend(ax)


def _progress(ax, training: Training, iterations: int) -> None:
    ax.barh(0, iterations, color=SPARE, height=1)
    ax.barh(0, len(training.history), color=TEAL, height=1)
    ax.set(xlim=(0, iterations), ylim=(-0.5, 0.5))
    ax.axis("off")
    ax.set_title(in_words(training, iterations), loc="left", fontsize=11.5, color=INK, fontweight="bold")


def _losses(ax, x: list[int], history: list[dict]) -> None:
    for key, color, style in (("policy_loss", TEAL, "-"), ("value_loss", INK, "--")):
        values = [
            math.nan if entry[key] is None else entry[key] for entry in history
        ]  # None: nothing to learn from yet
        label = f"{key.partition('_')[0]} {values[-1]:.2f}"
        ax.plot(x, values, style, color=color, linewidth=2, marker="o", markersize=3, label=label)
    ax.set_title("loss", color=INK, fontsize=10.5)
    highest = max(max(entry["policy_loss"] or 0, entry["value_loss"] or 0) for entry in history)
    ax.set_ylim(0, 1.25 * highest or 1)
    _legend(ax)


def _ends(ax, x: list[int], history: list[dict]) -> None:
    """Shares of the games of each iteration, stacked."""
    floor = [0.0] * len(x)
    kinds = (
        ("first_wins", COLOR[1], f"{MARK[1]} wins"),
        ("draws", GRAY, "draw"),
        ("second_wins", COLOR[-1], f"{MARK[-1]} wins"),
    )
    for key, color, label in kinds:
        shares = [100 * entry[key] / sum(entry[kind] for kind, _, _ in kinds) for entry in history]
        ax.bar(x, shares, bottom=floor, color=color, width=1, edgecolor=PAPER, linewidth=0.6, label=label)
        floor = [low + share for low, share in zip(floor, shares, strict=True)]
    ax.set_title("how self-play ends, %", color=INK, fontsize=10.5)
    ax.set_ylim(0, 118)
    ax.set_yticks([0, 25, 50, 75, 100])
    _legend(ax)


def _gate(ax, x: list[int], history: list[dict], threshold: float) -> None:
    """The candidate's share of the decisive games; a filled circle where it took the champion's place."""
    for accepted, marker, label in ((True, "o", "accepted"), (False, "X", "rejected")):
        points = [(number, entry) for number, entry in zip(x, history, strict=True) if entry["accepted"] == accepted]
        xs = [number for number, entry in points if _decisive(entry)]
        ys = [100 * entry["gate"][0] / _decisive(entry) for _, entry in points if _decisive(entry)]
        color = TEAL if accepted else COLOR[-1]
        ax.scatter(xs, ys, s=38, marker=marker, color=color, label=f"{label} {len(points)}", zorder=3, clip_on=False)
    only_draws = [number for number, entry in zip(x, history, strict=True) if not _decisive(entry)]
    if only_draws:
        ax.scatter(only_draws, [0] * len(only_draws), s=26, marker="|", color=FAINT, label="all drawn", zorder=3)
    ax.axhline(100 * threshold, color=INK, linewidth=1, linestyle=":")
    ax.set_title("gate: candidate's share of wins, %", color=INK, fontsize=10.5)
    ax.set_ylim(-4, 128)
    ax.set_yticks([0, 25, 50, 75, 100])
    _legend(ax)


def _legend(ax) -> None:
    ax.legend(
        ncols=3, loc="upper center", fontsize=8, frameon=False, borderpad=0.2,
        handlelength=1, handletextpad=0.4, columnspacing=0.7, labelcolor=INK,
    )  # fmt: skip


def _decisive(entry: dict) -> int:
    wins, _, losses = entry["gate"]
    return wins + losses


def _style(ax, iterations: int) -> None:
    ax.set_facecolor(CARD)
    ax.set_xlim(0.4, iterations + 0.6)
    ax.xaxis.get_major_locator().set_params(integer=True)
    ax.set_xlabel("iteration", color=INK, fontsize=9.5)
    ax.tick_params(colors=INK, labelsize=8.5, length=3)
    ax.grid(axis="y", color=GRID, linewidth=0.5, alpha=0.7)
    ax.set_axisbelow(True)
    for side, spine in ax.spines.items():
        spine.set_visible(side in ("left", "bottom"))
        spine.set_color(FAINT)
