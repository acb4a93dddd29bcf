"""The training dashboard: one picture that is redrawn in place while training runs."""

import math
import time
from collections.abc import Callable

import matplotlib.pyplot as plt
from IPython import get_ipython
from IPython.display import DisplayHandle, Image, display
from matplotlib.figure import Figure

from course_utils.learning.training import Run
from course_utils.ui.palette import CARD, COLOR, FAINT, GRAY, GRID, INK, ORANGE, PAPER, SPARE, TEAL
from course_utils.ui.plots import MARK, draw_board, png

AT_MOST = 0.1  # of the running time goes into drawing


class Dashboard:
    """A callback for `train_alphazero` and `train`: `train_alphazero(run, Dashboard(run))`.

    Shows how far the run is, the losses, how games of self-play end, what the gate says (or a strength that is measured), and what the
    champion alone thinks of the start. To stop, interrupt the kernel: nothing is lost, and the same cell goes on.

    Args:
        run: as it stands before training.
        strength: asked now and after every iteration; returns {name: share}, each a line of the picture, from 0 to 1. Its time is
            not counted as training.
        marks: {name: share}, gray lines to compare with.
        seconds: stop after so many seconds of training; None: when the iterations are done.
    """

    def __init__(
        self,
        run: Run,
        strength: Callable[[Run], dict[str, float]] | None = None,
        marks: dict[str, float] | None = None,
        *,
        seconds: float | None = None,
    ):
        self.strength, self.marks, self.seconds = strength, marks or {}, seconds
        self.measured: list[tuple[int, dict[str, float]]] = []  # (iteration, strength)
        self.png = b""
        self._handle: DisplayHandle | None = None
        self._drawn = 0.0  # when, and how long it took
        self._cost = 0.0
        self._measure(run)

    def __call__(self, run: Run) -> bool:
        """Redraw, unless that was done just before. Returns True when training should stop."""
        self._measure(run)
        over_time = self.seconds is not None and run.seconds >= self.seconds
        last = over_time or len(run.history) >= run.config.iterations
        if last or time.perf_counter() - self._drawn > max(1.0, self._cost / AT_MOST):
            self.show(run)
        return over_time

    def show(self, run: Run) -> None:
        """Draw the run as it stands, in place of the picture before."""
        if not run.history:
            return
        began = time.perf_counter()
        self.png = png(draw_dashboard(run, self.measured, self.marks))
        if get_ipython() is not None:
            picture = Image(self.png, alt=in_words(run))
            if self._handle is None:
                self._handle = display(picture, display_id=True)
            else:
                self._handle.update(picture)
        self._drawn = time.perf_counter()
        self._cost = self._drawn - began

    def _measure(self, run: Run) -> None:
        if self.strength is not None:
            self.measured.append((len(run.history), self.strength(run)))


def in_words(run: Run) -> str:
    """How far the run is, and how long the rest will take if the iterations to come are like those before."""
    done, iterations = len(run.history), run.config.iterations
    words = f"iteration {done} of {iterations}, {run.seconds:.0f} s"
    if done < iterations:
        words += f", about {run.seconds / done * (iterations - done):.0f} s to go"
    return words


def draw_dashboard(
    run: Run, measured: list[tuple[int, dict[str, float]]] | None = None, marks: dict[str, float] | None = None
) -> Figure:
    """The figure. `measured` is what `Dashboard.strength` said after so many iterations; without it the gate is shown, or length."""
    history, iterations = run.history, run.config.iterations
    x = [entry["iteration"] for entry in history]
    figure, panels = _panels()
    _progress(panels["bar"], run)
    _losses(panels["loss"], x, history)
    _ends(panels["ends"], x, history)
    for name in ("loss", "ends", "third"):
        _style(panels[name], iterations)
    if measured:
        _strength(panels["third"], measured, marks or {})
        panels["third"].set_xlim(-0.4, iterations + 0.6)
    elif history[-1]["gate"] is not None:
        _gate(panels["third"], x, history, run.config.gate_threshold)
    else:
        _length(panels["third"], x, history)
    _start(panels["board"], run)
    return figure


def _panels() -> tuple[Figure, dict]:
    figure = plt.figure(figsize=(11, 4.2), facecolor=PAPER)
    return figure, figure.subplot_mosaic(
        [["bar"] * 4, ["loss", "ends", "third", "board"]],
        height_ratios=[0.045, 1],
        width_ratios=[1, 1, 1, 0.95],
        gridspec_kw=dict(left=0.04, right=0.985, top=0.89, bottom=0.13, hspace=0.3, wspace=0.22),
    )


def _start(ax, run: Run) -> None:
    """What the champion thinks of the start position."""
    latest, start = run.history[-1], run.game.initial_state()
    policy, value = latest["start_policy"], latest["start_value"]
    draw_board(run.game, start, policy=policy, value=value, title="the champion, no search", ax=ax)


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


def _progress(ax, run: Run) -> None:
    iterations = run.config.iterations
    ax.barh(0, iterations, color=SPARE, height=1)
    ax.barh(0, len(run.history), color=TEAL, height=1)
    ax.set(xlim=(0, iterations), ylim=(-0.5, 0.5))
    ax.axis("off")
    ax.set_title(in_words(run), loc="left", fontsize=11.5, color=INK, fontweight="bold")


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


def _length(ax, x: list[int], history: list[dict]) -> None:
    ax.plot(x, [entry["mean_length"] for entry in history], color=TEAL, linewidth=2, marker="o", markersize=3)
    ax.set_title("moves in a game of self-play", color=INK, fontsize=10.5)
    ax.set_ylim(bottom=0)


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
