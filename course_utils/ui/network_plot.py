"""Pictures of networks: their layers, the numbers that flow through them, policies and losses."""

import copy
from collections.abc import Callable

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection
from matplotlib.figure import Figure
from matplotlib.patches import FancyArrowPatch, FancyBboxPatch, Rectangle

from course_utils.ui.figures import caption
from course_utils.ui.palette import CARD, COLOR, FAINT, GRID, INK, PAPER, SPARE, TEAL, mixed

_DOTS = 6  # units drawn in a layer that has ten or more


def _layer(ax: Axes, x: float, units: int, middle: float, height: float, color: str) -> list[tuple[float, float]]:
    """Draw one layer as a column of dots, with a gap in the middle if some are left out. Returns the dots' places."""
    shown = units if units < 10 else _DOTS
    places = np.linspace(middle + height / 2, middle - height / 2, shown) if shown > 1 else np.array([middle])
    if units > shown:
        places[: shown // 2] += height / shown / 3
        places[shown // 2 :] -= height / shown / 3
        ax.text(x, middle, "⋮", ha="center", va="center", fontsize=15, color=INK, zorder=3)
    ax.scatter([x] * shown, places, s=90, color=color, edgecolors=PAPER, linewidths=1, zorder=3)
    return [(x, y) for y in places]


def _connect(ax: Axes, left, right, color: str) -> None:
    ax.add_collection(LineCollection([(a, b) for a in left for b in right], colors=color, linewidths=0.5, alpha=0.22))


def draw_network(inputs: int = 18, hidden: int = 64, actions: int = 9) -> Figure:
    """The network of the course: planes, two hidden layers (the trunk), a policy head and a value head.

    Each layer is a column of units; of a wide layer only six are drawn. Returns the figure.
    """
    figure, ax = plt.subplots(figsize=(8.4, 4.0), facecolor=PAPER)
    ax.set(xlim=(-0.9, 9.6), ylim=(-0.6, 10.6))
    ax.axis("off")
    planes = _layer(ax, 0.3, inputs, 5, 7.0, INK)
    first = _layer(ax, 2.8, hidden, 5, 7.6, TEAL)
    second = _layer(ax, 5.3, hidden, 5, 7.6, TEAL)
    policy = _layer(ax, 7.8, actions, 6.7, 4.2, COLOR[1])
    value = _layer(ax, 7.8, 1, 1.9, 0, COLOR[-1])
    for left, right, color in (
        (planes, first, INK),
        (first, second, TEAL),
        (second, policy, COLOR[1]),
        (second, value, COLOR[-1]),
    ):
        _connect(ax, left, right, color)
    label: dict = dict(ha="center", va="center", color=INK, fontsize=10, linespacing=1.35)
    for x, text in ((0.3, f"planes\n{inputs}"), (2.8, f"hidden, ReLU\n{hidden}"), (5.3, f"hidden, ReLU\n{hidden}")):
        ax.text(x, 10.1, text, **label)
    ax.text(4.05, 0.15, "one trunk: features of the position", **(label | {"color": FAINT}))
    beside: dict = dict(ha="left", va="center", fontsize=10, linespacing=1.35)
    ax.text(8.15, 6.7, f"policy head\n{actions} logits", color=COLOR[1], **beside)
    ax.text(8.15, 1.9, "value head\ntanh, 1 number", color=COLOR[-1], **beside)
    figure.tight_layout()
    return figure


def draw_tower(net) -> Figure:
    """A `ResNet`, part by part, with the shape of what each part hands on, taken from the network itself. Returns the
    figure.
    """
    import torch

    shapes: dict[str, str] = {}

    def watch(name: str, layer) -> None:
        layer.register_forward_hook(
            lambda _part, _given, out: shapes.update({name: " x ".join(map(str, out.shape[1:]))})
        )

    net = copy.deepcopy(net).eval()
    policy, hidden, value = net.policy_head, net.value_head[4], net.value_head
    for name, part in dict(
        stem=net.stem, tower=net.tower, policy_planes=policy[1], logits=policy, value_planes=value[1], hidden=hidden
    ).items():
        watch(name, part)
    config = net.config
    with torch.no_grad():
        net(torch.zeros(1, config["planes"], config["rows"], config["columns"]))

    figure, ax = plt.subplots(figsize=(9.5, 4.2), facecolor=PAPER)
    ax.set(xlim=(0, 11.6), ylim=(0, 4.2), position=(0, 0, 1, 1))
    ax.axis("off")

    def text(x: float, y: float, words: str, color: str = INK, size: float = 10) -> None:
        ax.text(x, y, words, ha="center", va="center", color=color, fontsize=size, linespacing=1.35)

    def box(x: float, y: float, words: str, color: str) -> None:
        """`x`, `y` is the middle of its left side; it is 1.3 wide."""
        style = "round,pad=0,rounding_size=0.08"
        ax.add_patch(FancyBboxPatch((x, y - 0.36), 1.3, 0.72, boxstyle=style, facecolor=color, edgecolor="none"))
        text(x + 0.65, y, words, CARD)

    def arrow(start: tuple[float, float], end: tuple[float, float], shape: str = "", bend: float = 0.0) -> None:
        look: dict = dict(arrowstyle="-|>", mutation_scale=12, linewidth=1.6, color=INK, shrinkA=0, shrinkB=0)
        ax.add_patch(FancyArrowPatch(start, end, connectionstyle=f"arc3,rad={bend}", **look))
        text((start[0] + end[0]) / 2, start[1] + 0.2, shape, FAINT)

    middle = 2.2
    text(0.6, middle, f"planes\n{config['planes']} x {config['rows']} x {config['columns']}")
    arrow((1.05, middle), (1.5, middle))
    box(1.5, middle, "stem\n3x3, norm,\nReLU", INK)
    arrow((2.8, middle), (4.1, middle))
    text(3.3, middle + 0.2, shapes["stem"], FAINT)
    frame: dict = dict(boxstyle="round,pad=0,rounding_size=0.1", facecolor="none", edgecolor=TEAL, linestyle="--")
    ax.add_patch(FancyBboxPatch((3.75, 1.3), 3.85, 2.0, **frame))
    box(4.1, middle, "first\n3x3, norm,\nReLU", TEAL)
    arrow((5.4, middle), (5.65, middle))
    box(5.65, middle, "second\n3x3, norm", TEAL)
    arrow((6.95, middle), (7.12, middle))
    arrow((3.9, middle), (7.2, middle + 0.12), bend=-0.4)
    text(5.6, 3.1, "skip: what came in, unchanged")
    text(7.28, middle - 0.42, "ReLU")
    ax.text(
        7.28,
        middle,
        "+",
        ha="center",
        va="center",
        color=INK,
        fontsize=11,
        fontweight="bold",
        bbox=dict(boxstyle="circle,pad=0.12", facecolor=CARD, edgecolor=INK),
    )
    text(5.67, 1.0, f"a block, {config['blocks']} times in a row\n{shapes['tower']} in, {shapes['tower']} out", TEAL)
    for y, color, head, planes, last, said in (
        (3.5, COLOR[1], "policy head", shapes["policy_planes"], "linear", f"{shapes['logits']} logits"),
        (
            0.9,
            COLOR[-1],
            "value head",
            shapes["value_planes"],
            f"linear to {shapes['hidden']},\nReLU,\nlinear, tanh",
            "1 value",
        ),
    ):
        arrow((7.6, middle), (8.15, y))
        box(8.15, y, f"{head}\n1x1, norm,\nReLU", color)
        arrow((9.45, y), (10.15, y))
        text(9.8, y + 0.52, planes, FAINT)
        box(10.15, y, last, color)
        text(10.8, y - 0.55, said, color)
    return figure


def draw_policies(policies: dict[str, np.ndarray], columns: int = 4) -> Figure:
    """Bar charts of policies over the actions, on one scale, each under its name. Returns the figure."""
    rows = -(-len(policies) // columns)
    figure, axes = plt.subplots(
        rows, columns, figsize=(2.35 * columns, 2.1 * rows), sharey=True, squeeze=False, facecolor=PAPER
    )
    for ax in axes.flat[len(policies) :]:
        ax.axis("off")
    top = max(float(np.max(policy)) for policy in policies.values())
    for ax, (name, policy) in zip(axes.flat, policies.items(), strict=False):
        ax.bar(range(len(policy)), policy, color=COLOR[1], width=0.75)
        ax.set_facecolor(PAPER)
        ax.set_title(name, fontsize=10, color=INK)
        ax.set(ylim=(0, 1.08 * top), xticks=range(len(policy)))
        ax.tick_params(colors=INK, labelsize=10)
        ax.spines[["top", "right"]].set_visible(False)
        ax.yaxis.set_major_formatter(lambda share, _: f"{share:.0%}")
    for ax in axes[-1]:
        ax.set_xlabel("action", color=INK)
    figure.tight_layout()
    return figure


# --- a small network with its numbers ---------------------------------------------------------------------------------

_LAYERS = ("x", "first", "second", "logits", "value")
_EDGES = (("x", "first", "1"), ("first", "second", "2"), ("second", "logits", "p"), ("second", "value", "v"))


def draw_flow(weights: dict, activations, gradients: dict | None = None, title: str = "") -> Figure:
    """A small network with a number in each unit, for one position. Returns the figure.

    Without gradients: what each unit said; edges as thick as their weights, blue above 0 and orange below. With
        gradients:
    what a bit more in each unit (before its activation) does to the loss, which is the gradient of its bias; edges as
    thick as the gradients of their weights. Units that said 0 are grey: no gradient passes.

    Args:
        weights, gradients: dictionaries as in `networks.by_hand`.
        activations: what `mlp_forward` returned for a batch of one.
    """
    shown = {name: np.ravel(getattr(activations, name)) for name in _LAYERS}
    numbers = dict(shown)
    if gradients is not None:
        numbers |= {after: gradients[f"b{key}"] for _, after, key in _EDGES}
    columns = {"x": 0.6, "first": 3.2, "second": 5.8, "logits": 8.4, "value": 8.4}
    place = {name: [(columns[name], y) for y in _heights(name, len(units))] for name, units in shown.items()}
    figure, ax = plt.subplots(figsize=(8.0, 3.9), facecolor=PAPER)
    ax.set(xlim=(-0.2, 10.1), ylim=(-0.3, 6.3), position=(0, 0, 1, 0.92 if title else 1))
    ax.axis("off")
    if title:
        figure.text(0.5, 0.95, title, ha="center", va="center", color=INK, fontsize=11.5)
    for before, after, key in _EDGES:
        matrix = (weights if gradients is None else gradients)[f"W{key}"]
        most = max(float(np.abs(matrix).max()), 1e-9)
        for (i, j), number in np.ndenumerate(matrix):
            if abs(number) > 0.01 * most:
                (x1, y1), (x2, y2) = place[before][i], place[after][j]
                color = COLOR[1] if number > 0 else COLOR[-1]
                ax.plot([x1, x2], [y1, y2], color=color, linewidth=0.3 + 3 * abs(number) / most, alpha=0.55, zorder=1)
    for name in _LAYERS:
        for (x, y), number, words in zip(place[name], numbers[name], shown[name], strict=True):
            silent = name in ("first", "second") and words == 0
            plain = gradients is not None and name == "x"
            ax.scatter(x, y, s=1050, color=SPARE if silent else CARD, edgecolors=INK, linewidths=1.1, zorder=3)
            ax.text(
                x,
                y,
                f"{number:.2f}".replace("-", "−"),
                ha="center",
                va="center",
                fontsize=10,
                color=FAINT if plain else INK,
                zorder=4,
            )
    for x, text in ((0.6, "x"), (3.2, "first, ReLU"), (5.8, "second, ReLU")):
        ax.text(x, 5.98, text, ha="center", color=INK, fontsize=10)
    ax.text(8.95, 4.1, "logits", va="center", color=INK, fontsize=10)
    ax.text(8.95, 0.7, "value", va="center", color=INK, fontsize=10)
    return figure


def _heights(name: str, units: int) -> np.ndarray:
    if name == "value":
        return np.array([0.7])
    top, bottom = (5.5, 2.7) if name == "logits" else (5.3, 0.5)
    return np.linspace(top, bottom, units)


def draw_layer(x, W, b, d_out) -> Figure:
    """A linear layer of a few neurons, on one position: forward on the left, its gradients on the right. Returns the
    figure.

    Args:
        x: [inputs]. W: [inputs, outputs]. b: [outputs].
        d_out: [outputs], the gradient of the loss with respect to what the layer says.
    """
    x, W, b, d_out = (np.asarray(array, dtype=float) for array in (x, W, b, d_out))
    panels = (
        ("forward: x, W, x W + b", x, W, x @ W + b, "b"),
        ("backward: d_x, d_W, d_out", W @ d_out, np.outer(x, d_out), d_out, "d_b"),
    )
    figure, axes = plt.subplots(1, 2, figsize=(9.5, 2.9), facecolor=PAPER, layout="constrained")
    for ax, (title, left, edges, right, under) in zip(axes, panels, strict=True):
        ax.set(xlim=(-0.8, 4.8), ylim=(-0.75, 2.4))
        ax.axis("off")
        ax.set_title(title, color=INK, fontsize=10.5)
        ends = [
            [(side, height) for height in np.linspace(1.9, 0, len(numbers))]
            for side, numbers in ((0, left), (4, right))
        ]
        for (i, j), number in np.ndenumerate(edges):
            (x1, y1), (x2, y2) = ends[0][i], ends[1][j]
            color = COLOR[1] if number > 0 else COLOR[-1]
            ax.plot(
                [x1, x2], [y1, y2], color=color, linewidth=0.6 + 2 * abs(number) / abs(edges).max(), alpha=0.6, zorder=1
            )
            share = 0.3 if i != j else 0.5
            ax.text(
                x1 + share * (x2 - x1),
                y1 + share * (y2 - y1),
                signed(number),
                ha="center",
                va="center",
                fontsize=10,
                color=INK,
                bbox=dict(boxstyle="round,pad=0.15", facecolor=PAPER, edgecolor="none"),
            )
        for places, numbers in zip(ends, (left, right), strict=True):
            for place, number in zip(places, numbers, strict=True):
                ax.scatter(*place, s=900, color=CARD, edgecolors=INK, linewidths=1.1, zorder=3)
                ax.text(*place, signed(number), ha="center", va="center", fontsize=10, color=INK, zorder=4)
        for (right_x, right_y), number in zip(ends[1], b if under == "b" else d_out, strict=True):
            ax.text(
                right_x, right_y - 0.58, f"{under} {signed(number)}", ha="center", va="center", fontsize=10, color=FAINT
            )
    return figure


def signed(number: float) -> str:
    """As short as it can be said, with a true minus."""
    return f"{round(float(number), 3) + 0.0:g}".replace("-", "−")


def draw_functions(functions: dict, low: float = -3, high: float = 3) -> Figure:
    """Functions of one number, side by side, each under its name. Returns the figure."""
    x = np.linspace(low, high, 300)
    figure, axes = plt.subplots(1, len(functions), figsize=(3.0 * len(functions), 2.3), squeeze=False, facecolor=PAPER)
    for ax, (name, function) in zip(axes.flat, functions.items(), strict=True):
        ax.axhline(0, color=GRID, linewidth=0.8)
        ax.axvline(0, color=GRID, linewidth=0.8)
        ax.plot(x, function(x), color=COLOR[1], linewidth=2.2)
        ax.set_title(name, fontsize=10.5, color=INK)
        _quiet(ax)
    figure.tight_layout()
    return figure


def draw_descent(loss: Callable[[np.ndarray], np.ndarray], start: float, rate: float, steps: int) -> Figure:
    """A loss as a curve over one parameter, the slope at `start`, and where `steps` steps of gradient descent lead.
    Returns the figure.
    """

    def slope(x: float) -> float:
        return float(loss(np.array(x + 1e-5)) - loss(np.array(x - 1e-5))) / 2e-5

    places = [start]
    for _ in range(steps):
        places.append(places[-1] - rate * slope(places[-1]))
    reach = max(places) - min(places)
    x = np.linspace(min(places) - 0.6 * reach, max(places) + 0.4 * reach, 200)
    figure, ax = plt.subplots(figsize=(6.5, 3.4), facecolor=PAPER, layout="constrained")
    ax.plot(x, loss(x), color=COLOR[1], linewidth=2.2)
    near = np.array([start - 0.25 * reach, start + 0.25 * reach])
    ax.plot(near, loss(np.array(start)) + slope(start) * (near - start), color=COLOR[-1], linewidth=2, linestyle="--")
    ax.annotate(
        f"slope {signed(slope(start))}",
        (near[0], loss(np.array(start)) + slope(start) * (near[0] - start)),
        (-8, -16),
        textcoords="offset points",
        color=COLOR[-1],
        fontsize=11,
        ha="right",
    )
    for number, place in enumerate(places):
        ax.plot(place, loss(np.array(place)), "o", color=INK)
        ax.annotate(
            str(number),
            (place, float(loss(np.array(place)))),
            (5, 7),
            textcoords="offset points",
            color=INK,
            fontsize=11,
        )
    ax.set(xlabel="the parameter", ylabel="loss", ylim=(0, None))
    _quiet(ax)
    return figure


def draw_grids(grids: dict[str, np.ndarray], digits: int = 0) -> Figure:
    """Draw tables of numbers side by side: blue above 0, orange below, each under its name. Returns the figure."""
    widest = [np.shape(grid)[1] for grid in grids.values()]
    highest = max(np.shape(grid)[0] for grid in grids.values())
    size = (0.45 * sum(widest) + 0.7 * len(grids), 0.45 * highest + 0.6)
    figure, axes = plt.subplots(1, len(grids), figsize=size, width_ratios=widest, squeeze=False, facecolor=PAPER)
    for ax, (name, grid) in zip(axes.flat, grids.items(), strict=True):
        grid = np.asarray(grid, dtype=float)
        most = max(np.abs(grid).max(), 1e-9)
        for (row, column), number in np.ndenumerate(grid):
            color = mixed(COLOR[1] if number > 0 else COLOR[-1], 0.6 * abs(number) / most)
            ax.add_patch(Rectangle((column, row), 1, 1, facecolor=color, edgecolor=GRID))
            text = f"{number:.{digits}f}".replace("-", "−")
            ax.text(column + 0.5, row + 0.5, text, ha="center", va="center", color=INK, fontsize=10)
        ax.set(xlim=(0, grid.shape[1]), ylim=(grid.shape[0], 0), aspect="equal", anchor="N")
        ax.axis("off")
        ax.set_title(name, fontsize=10, color=INK)
    figure.tight_layout()
    return figure


def draw_losses(histories: dict[str, list[tuple[float, float]]], floors: dict[str, float] | None = None) -> Figure:
    """Value loss and policy loss over the epochs, one line a run. Returns the figure.

    Args:
        histories: name -> (value loss, policy loss) before the first epoch and after each.
        floors: name -> what the policy loss can't go below; a dotted line.
    """
    colors, floors = [COLOR[1], COLOR[-1], TEAL, INK], floors or {}
    figure, axes = plt.subplots(1, 2, figsize=(9, 3.1), facecolor=PAPER)
    for number, (ax, title) in enumerate(zip(axes, ("value loss", "policy loss"), strict=True)):
        for (name, history), color, look in zip(
            histories.items(), colors, ("-", "--", "-.", (0, (4, 1))), strict=False
        ):
            ax.plot([losses[number] for losses in history], color=color, linestyle=look, label=name, linewidth=1.8)
            if number == 1 and name in floors:
                ax.axhline(floors[name], color=color, linestyle=":", label=f"{name}: entropy of the targets")
        ax.set_title(title, fontsize=11, color=INK)
        ax.set_xlabel("epoch", color=INK)
        ax.set_ylim(bottom=0)
        _quiet(ax)
    axes[1].legend(frameon=False, labelcolor=INK)
    figure.tight_layout()
    return figure


def draw_learning_rates(histories: dict[float, list[float]], floor: float) -> Figure:
    """The loss over the steps of gradient descent, one line for each learning rate. Returns the figure.

    `floor` is drawn dotted: the entropy of the target, below which the loss can't go.
    """
    figure, ax = plt.subplots(figsize=(7, 3), layout="constrained")
    for rate, history in histories.items():
        ax.plot(history, label=f"learning rate {rate}")
    ax.axhline(floor, color=FAINT, linestyle=":", label="entropy of the target")
    ax.set(xlabel="step", ylabel="loss", ylim=(0, 5))
    ax.legend()
    caption("The loss of the small network on one position, by learning rate. Dotted: below this it cannot go.")
    return figure


def _quiet(ax: Axes) -> None:
    ax.set_facecolor(PAPER)
    ax.tick_params(colors=INK, labelsize=10)
    ax.spines[["top", "right"]].set_visible(False)
