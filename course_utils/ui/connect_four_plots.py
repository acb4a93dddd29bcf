"""Pictures and tables for the notebook 'Connect Four': its exam, the reach of a tower, the ablation, and grades."""

from collections.abc import Sequence

import matplotlib.pyplot as plt
import numpy as np
import torch
from matplotlib.figure import Figure

from course_utils.learning.exam import Position, Share
from course_utils.learning.pairs import difference
from course_utils.networks.resnet import ResNet
from course_utils.results import load_result
from course_utils.ui.figures import caption
from course_utils.ui.palette import BLUE, FAINT, GRAY, INK, ORANGE, SPARE, mixed

WHOLE = "the whole training"  # what the ablation's other variants are compared with
STAGES = ((0, 6), (7, 12), (13, 18), (19, 24), (25, 30), (31, 36))  # stones on the board


def draw_exam_positions(positions: Sequence[Position]) -> Figure:
    """How many positions have so many stones, and in how many of them some move loses value.

    Args:
        positions: those that were judged.
    """
    ply = np.array([position.ply for position in positions])
    matters = np.array([position.matters for position in positions])
    figure, ax = plt.subplots(figsize=(8, 2.8), layout="constrained")
    plies = np.arange(37)
    ax.bar(plies, [(ply == p).sum() for p in plies], color=SPARE, label="no move loses value")
    ax.bar(plies, [(matters & (ply == p)).sum() for p in plies], color=BLUE, label="some move does")
    ax.set(xlabel="stones on the board", ylabel="positions", xlim=(-0.8, 36.8))
    ax.legend(ncols=2, loc="lower right", bbox_to_anchor=(1, 1))
    caption("How many positions were judged after so many stones; the blue ones are the exam.")
    return figure


def draw_reach(towers: dict[str, ResNet]) -> Figure:
    """Which cells of a 6 x 7 board can change what a tower says of its corner: those with a gradient.

    Args:
        towers: title -> network.
    """
    figure, axes = plt.subplots(1, len(towers), figsize=(9, 2.1))
    for ax, (name, net) in zip(axes, towers.items(), strict=True):
        planes = torch.rand(1, 2, 6, 7, requires_grad=True)
        net.eval().tower(net.stem(planes))[0, :, 0, 0].sum().backward()
        seen = planes.grad[0].abs().sum(dim=0) > 0  # type: ignore[index]  # written by `backward`
        ax.imshow(seen, cmap="Blues", vmin=0, vmax=1.6)
        ax.plot(0, 0, "o", color=ORANGE)
        ax.set(xticks=[], yticks=[])
        ax.set_title(f"{name}: {seen.sum()} of 42 cells", fontsize=10)
    caption("The cells that can change the output at the corner (the dot), by the number of residual blocks.")
    return figure


def draw_ablation() -> Figure:
    """By how many points each recorded training on 5 x 5 ends above the whole one, with 95 % intervals.

    An interval that contains 0 is gray.
    """
    rows = load_result("ablations").rows
    others = [variant for variant in dict.fromkeys(row["variant"] for row in rows) if variant != WHOLE]
    figure, axes = plt.subplots(1, 2, figsize=(9.5, 3.4), sharey=True, layout="constrained")
    for ax, simulations, title in zip(axes, (0, 50), ("alone", "with 50 simulations"), strict=True):
        for place, variant in enumerate(reversed(others)):
            mean, low, high = difference(rows, variant, WHOLE, simulations)
            sure = low > 0 or high < 0
            ax.plot([low, high], [place, place], color=INK if sure else GRAY, linewidth=2)
            ax.plot(mean, place, "o", color=BLUE if sure else GRAY)
            ax.text(
                1.02, place, f"{mean:+.1f}", va="center", fontsize=10, transform=ax.get_yaxis_transform()
            )  # right of the axes
        ax.axvline(0, color=FAINT, linewidth=1)
        ax.set(title=title, xlabel="points more or less")
    axes[0].set(yticks=range(len(others)), yticklabels=reversed(others))
    caption("What a training loses or gains with one thing changed: the mean of the pairs, and its 95 % interval.")
    return figure


def draw_grades(measured: dict[str, Share]) -> Figure:
    """The grades of these players, marked with a star, among those on record.

    Args:
        measured: name -> how many of the exam's moves kept the value.
    """
    shares = {}
    for row in load_result("connect_four_moves").where(group="matters") + load_result("connect_four_others").where(
        group="matters"
    ):
        name = row["player"] if "player" in row else f"{row['network']}, {row['simulations'] or 'no'} simulations"
        shares[name] = Share(row["kept"], row["of"])
    shares = {name: share for name, share in shares.items() if name not in measured}
    shares |= {f"{name} *": share for name, share in measured.items()}
    shares = dict(sorted(shares.items(), key=lambda item: item[1].kept / item[1].of))
    figure, ax = plt.subplots(figsize=(8.5, 4.4), layout="constrained")
    colors = [
        BLUE if name.startswith("trained") else ORANGE if name.startswith("untrained") else GRAY for name in shares
    ]
    ax.barh(list(shares), [100 * share.kept / share.of for share in shares.values()], color=colors)
    for place, share in enumerate(shares.values()):
        low, high = share.interval
        ax.plot([100 * low, 100 * high], [place, place], color=INK, linewidth=1)
        ax.text(100 * high + 0.7, place, f"{100 * share.kept / share.of:.1f}", va="center", fontsize=10)
    ax.set(xlabel="moves that keep the value, % (where some move loses it; 95 % interval)", xlim=(0, 110))
    caption(
        "Players from chance to the trained agent (blue; orange: the same network untrained), graded by a perfect "
        "solver."
    )
    return figure


def draw_grades_by_stage(positions: Sequence[Position], moves: dict[str, np.ndarray]) -> Figure:
    """The share of moves that keep the value, by the stones on the board.

    Args:
        moves: three players, name -> int64 [positions].
    """
    ply = np.array([position.ply for position in positions])
    figure, ax = plt.subplots(figsize=(8, 3), layout="constrained")
    looks = ((ORANGE, "s--"), (mixed(BLUE, 0.55), "^:"), (BLUE, "o-"))
    for (name, played), (color, style) in zip(moves.items(), looks, strict=True):
        right = np.array([position.keeps[move] for position, move in zip(positions, played, strict=True)])
        shares = [100 * right[(ply >= low) & (ply <= high)].mean() for low, high in STAGES]
        ax.plot([f"{low}-{high}" for low, high in STAGES], shares, style, color=color, linewidth=2, label=name)
    ax.set(xlabel="stones on the board", ylabel="value kept, %", ylim=(20, 102))
    ax.legend(loc="lower right")
    caption("The same grades by the stage of the game.")
    return figure
