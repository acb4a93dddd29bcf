"""Pictures of the network: its layers, and policies side by side."""

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.collections import LineCollection

from course_utils.ui.plots import COLOR, FAINT, INK, PAPER, TINT

_DOTS = 6  # units drawn in a layer that has ten or more


def _layer(ax, x: float, units: int, middle: float, height: float, color: str) -> list[tuple[float, float]]:
    """Draw one layer as a column of dots, with a gap in the middle if some are left out. Returns the dots' places."""
    shown = units if units < 10 else _DOTS
    places = np.linspace(middle + height / 2, middle - height / 2, shown) if shown > 1 else np.array([middle])
    if units > shown:
        places[: shown // 2] += height / shown / 3
        places[shown // 2 :] -= height / shown / 3
        ax.text(x, middle, "⋮", ha="center", va="center", fontsize=15, color=INK, zorder=3)
    ax.scatter([x] * shown, places, s=90, color=color, edgecolors=PAPER, linewidths=1, zorder=3)
    return [(x, y) for y in places]


def _connect(ax, left, right, color: str) -> None:
    ax.add_collection(LineCollection([(a, b) for a in left for b in right], colors=color, linewidths=0.5, alpha=0.22))


def draw_network(inputs: int = 18, hidden: int = 64, actions: int = 9):
    """The network of the course: planes, two hidden layers (the trunk), a policy head and a value head.

    Each layer is a column of units; of a wide layer only six are drawn. Returns the figure.
    """
    figure, ax = plt.subplots(figsize=(8.4, 4.0), facecolor=PAPER)
    ax.set(xlim=(-0.9, 9.6), ylim=(-0.6, 10.6))
    ax.axis("off")
    planes = _layer(ax, 0.3, inputs, 5, 7.0, INK)
    first = _layer(ax, 2.8, hidden, 5, 7.6, TINT)
    second = _layer(ax, 5.3, hidden, 5, 7.6, TINT)
    policy = _layer(ax, 7.8, actions, 6.7, 4.2, COLOR[1])
    value = _layer(ax, 7.8, 1, 1.9, 0, COLOR[-1])
    for left, right, color in (
        (planes, first, INK),
        (first, second, TINT),
        (second, policy, COLOR[1]),
        (second, value, COLOR[-1]),
    ):
        _connect(ax, left, right, color)
    label = dict(ha="center", va="center", color=INK, fontsize=10, linespacing=1.35)
    for x, text in ((0.3, f"planes\n{inputs}"), (2.8, f"hidden, ReLU\n{hidden}"), (5.3, f"hidden, ReLU\n{hidden}")):
        ax.text(x, 10.1, text, **label)
    ax.text(4.05, 0.15, "one trunk: features of the position", **(label | {"color": FAINT}))
    beside = dict(ha="left", va="center", fontsize=10, linespacing=1.35)
    ax.text(8.15, 6.7, f"policy head\n{actions} logits", color=COLOR[1], **beside)
    ax.text(8.15, 1.9, "value head\ntanh, 1 number", color=COLOR[-1], **beside)
    figure.tight_layout()
    return figure


def draw_policies(policies: dict[str, np.ndarray], columns: int = 4):
    """Bar charts of policies over the actions, on one scale, each under its name. Returns the figure."""
    rows = -(-len(policies) // columns)
    figure, axes = plt.subplots(
        rows, columns, figsize=(2.45 * columns, 2.1 * rows), sharey=True, squeeze=False, facecolor=PAPER
    )
    for ax in axes.flat[len(policies) :]:
        ax.axis("off")
    top = max(float(np.max(policy)) for policy in policies.values())
    for ax, (name, policy) in zip(axes.flat, policies.items(), strict=False):
        ax.bar(range(len(policy)), policy, color=COLOR[1], width=0.75)
        ax.set_facecolor(PAPER)
        ax.set_title(name, fontsize=10, color=INK)
        ax.set(ylim=(0, 1.08 * top), xticks=range(len(policy)))
        ax.tick_params(colors=INK, labelsize=8)
        ax.spines[["top", "right"]].set_visible(False)
        ax.yaxis.set_major_formatter(lambda share, _: f"{share:.0%}")
    for ax in axes[-1]:
        ax.set_xlabel("action", color=INK, fontsize=9)
    figure.tight_layout()
    return figure
