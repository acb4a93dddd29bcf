"""Pictures of the notebook "What has it seen?": what a neuron answers to, what a layer tells, and what changes without
a direction.
"""

from collections.abc import Sequence

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from course_utils.games import Game
from course_utils.results import load_result
from course_utils.ui.figures import WIDTH, caption, tell
from course_utils.ui.palette import BLUE, CARD, COLOR, FAINT, GRAY, GRID, INK, ORANGE, SPARE, TEAL, mixed
from course_utils.ui.plots import draw_board, in_words

LINE_NAMES = (
    "top row",
    "middle row",
    "bottom row",
    "left column",
    "middle column",
    "right column",
    "diagonal ╲",
    "diagonal ╱",
)


def draw_neurons(game: Game, neurons: dict[str, tuple[np.ndarray, Sequence]]) -> Figure:
    """A row for each neuron: its weights on both planes, and positions that it answers to.

    Args:
        neurons: title -> (weights [2 * cells], four positions with X to move).
    """
    most = max(np.abs(weights).max() for weights, _ in neurons.values())
    figure, axes = plt.subplots(
        len(neurons), 6, figsize=(WIDTH, 1.9 * len(neurons)), layout="constrained", squeeze=False
    )
    for row, (title, (weights, states)) in zip(axes, neurons.items(), strict=True):
        planes = weights.reshape(2, game.rows, game.columns)
        for ax, plane, whose in zip(row, planes, ("my marks", "their marks"), strict=False):
            _draw_plane(ax, plane, most)
            ax.set_title(whose)
        row[0].text(-0.25, game.rows / 2, title, rotation=90, ha="center", va="center", fontsize=11, fontweight="bold")
        for ax, state in zip(row[2:], states, strict=True):
            draw_board(game, state, ax=ax)
    caption(
        "The weights of two neurons, and the four positions in which its activation is highest. X is to move: X's "
        "marks are mine."
    )
    return figure


def _draw_plane(ax: Axes, plane: np.ndarray, most: float) -> None:
    rows, columns = plane.shape
    for (row, column), weight in np.ndenumerate(plane):
        color = mixed(COLOR[1] if weight > 0 else COLOR[-1], 0.7 * abs(weight) / most)
        ax.add_patch(Rectangle((column, row), 1, 1, facecolor=color, edgecolor=GRID))
        text = f"{weight:.1f}".replace("-", "−")
        ax.text(column + 0.5, row + 0.5, text, ha="center", va="center", fontsize=10, color=INK)
    ax.set(xlim=(-0.45, columns + 0.05), ylim=(rows + 0.05, -0.05), aspect="equal", anchor="N")
    ax.axis("off")
    tell(ax, "; ".join(" ".join(f"{weight:.1f}" for weight in row) for row in plane))


def draw_best_neurons(names: Sequence[str], trained: Sequence[float], untrained: Sequence[Sequence[float]]) -> Figure:
    """For each concept how well the best single neuron tells it: of the trained network, and of untrained ones."""
    figure, ax = plt.subplots(figsize=(8, 3.6), layout="constrained")
    places = np.arange(len(names))
    ax.hlines(places, np.max(untrained, axis=0), trained, color=SPARE, linewidth=3, zorder=1)
    for number, values in enumerate(untrained):
        ax.plot(values, places, "o", color=GRAY, markersize=5, label="five untrained networks" if number == 0 else "")
    ax.plot(trained, places, "D", color=BLUE, markersize=7, label="the trained network")
    ax.set_yticks(places, names)
    ax.invert_yaxis()
    ax.set(xlim=(0.68, 1.01), xlabel="AUC of the best of 64 neurons")
    ax.annotate(
        "five untrained networks",
        (min(values[0] for values in untrained), -0.75),
        color=FAINT,
        ha="left",
        annotation_clip=False,
    )
    ax.annotate("trained", (trained[0], -0.75), color=BLUE, ha="center", annotation_clip=False)
    told = (
        f"{name} {value:.2f}, untrained {min(lucky):.2f} to {max(lucky):.2f}"
        for name, value, lucky in zip(names, trained, zip(*untrained, strict=True), strict=True)
    )
    tell(ax, f"AUC of the best of 64 neurons: {'; '.join(told)}.")
    caption("How well the best single neuron of the first layer tells that there is a threat in a line.")
    return figure


def draw_layers(
    names: Sequence[str], groups: dict[str, Sequence[Sequence[float]]], *, low: float = 0.45, what: str = "AUC"
) -> Figure:
    """What a probe tells from each layer: a line for each network, every group with its name at its end."""
    figure, ax = plt.subplots(figsize=(7.5, 3.6), layout="constrained")
    looks = ((BLUE, "o-", 2.4), (GRAY, "s--", 1.2), (ORANGE, "^:", 1.2), (TEAL, "v-.", 1.2))
    for (group, networks), (color, style, width) in zip(groups.items(), looks, strict=False):
        for number, values in enumerate(networks):
            ax.plot(values, style, color=color, linewidth=width, markersize=5, label=group if number == 0 else "")
    ends = [float(np.mean([values[-1] for values in networks])) for networks in groups.values()]
    for (group, y), (color, _, _) in zip(zip(groups, _apart(ends, 0.05), strict=True), looks, strict=False):
        inked = FAINT if color == GRAY else color
        ax.annotate(group, (len(names) - 1, y), (10, 0), textcoords="offset points", va="center", color=inked)
    ax.axhline(0.5, color=GRID, linewidth=1, zorder=0)
    ax.set_xticks(range(len(names)), names)
    ax.set(ylim=(low, 1.02), xlim=(-0.15, len(names) - 1 + 0.35 * (len(names) - 1)), ylabel=what)
    ax.spines["bottom"].set_bounds(-0.15, len(names) - 1)
    return figure


def _apart(places: Sequence[float], gap: float) -> list[float]:
    """The places, from the lowest on moved up where two would be closer than the gap."""
    moved, last = list(places), -np.inf
    for number in np.argsort(places):
        moved[number] = last = max(places[number], last + gap)
    return moved


def print_others(what: str, layer: str, numbers: dict[str, str], **values) -> None:
    """Of the five networks in the result "knowledge", after training: the lowest and the highest of each number.

    Args:
        what: stands before them. numbers: name in the rows -> how it is formatted. values: which rows.
    """
    rows = load_result("knowledge").where(iteration=20, layer=layer, **values)
    ranges = (
        f"{name.replace('_', ' ').replace('auc', 'AUC')} {min(row[name] for row in rows):{form}} to "
        f"{max(row[name] for row in rows):{form}}"
        for name, form in numbers.items()
    )
    print(f"{what}: {'; '.join(ranges)}")


def draw_blind(removed: np.ndarray, whole: np.ndarray, positions: Sequence[int]) -> Figure:
    """How often a win is played, for each cell in which it lies, by the direction that was removed from a layer.

    Args:
        removed: [9, 9], a row for each direction "cell c wins". whole: [9], nothing removed. positions: how many there
            are, [9].
    """
    names = ["nothing", *(f"“{cell} wins”" for cell in range(9))]
    columns = [f"{cell}\nn = {count}" for cell, count in enumerate(positions)]
    figure, ax = plt.subplots(figsize=(7.5, 4.4), layout="constrained")
    _draw_shares(ax, np.concatenate([whole[None], removed]), names, columns)
    ax.set(xlabel="the cell that wins, and in how many positions")
    own, others = removed.diagonal(), removed[~np.eye(9, dtype=bool)]
    tell(
        ax,
        f"nothing removed: {whole.mean():.0%} of the wins are played; the direction of the cell that wins: "
        f"{own.mean():.0%}, "
        f"at most {own.max():.0%}; the direction of another cell: {others.mean():.0%}, at least {others.min():.0%}",
    )
    caption("How often the network plays a win, by the cell in which it lies (columns) and by what was removed (rows).")
    return figure


def draw_played(shares: dict[str, dict[str, float]], positions: dict[str, int]) -> Figure:
    """How often a cell is played, by what it is in a position (columns) and by what was removed from a layer (rows).

    Args:
        shares: what was removed -> situation -> share, as `shares_played` returns it. positions: situation -> how many
            there are.
    """
    names = [taken if taken == "nothing" else f"“{taken}”" for taken in shares]
    table = np.array([[each[situation] for situation in positions] for each in shares.values()])
    columns = [f"{situation}\nn = {count}" for situation, count in positions.items()]
    figure, ax = plt.subplots(figsize=(7.5, 0.9 + 0.45 * len(shares)), layout="constrained")
    _draw_shares(ax, table, names, columns)
    caption(
        "How often the network plays c, and in the last column the winning move, by what was removed: the mean over "
        "the nine cells c."
    )
    told = (", ".join(f"{situation} {each[situation]:.0%}" for situation in positions) for each in shares.values())
    tell(ax, "; ".join(f"{name} removed: {row}" for name, row in zip(names, told, strict=True)))
    return figure


def _draw_shares(ax: Axes, table: np.ndarray, rows: Sequence[str], columns: Sequence[str]) -> None:
    """A table of shares, shaded by their size; the first row, with nothing removed, lies a little apart."""
    places = [row + 0.25 * (row > 0) for row in range(len(rows))]
    for (row, column), share in np.ndenumerate(table):
        ax.add_patch(Rectangle((column, places[row]), 1, 1, facecolor=mixed(BLUE, 0.55 * share), edgecolor=CARD))
        ax.text(column + 0.5, places[row] + 0.5, f"{share:.0%}", ha="center", va="center", fontsize=10, color=INK)
    ax.set(xlim=(0, len(columns)), ylim=(len(rows) + 0.25, 0), ylabel="what is removed")
    ax.set_xticks(np.arange(len(columns)) + 0.5, columns)
    ax.set_yticks([place + 0.5 for place in places], rows)
    ax.xaxis.tick_top()
    ax.xaxis.set_label_position("top")
    ax.tick_params(length=0)
    ax.spines[["left", "bottom"]].set_visible(False)


def draw_importance(game: Game, boards: Sequence[tuple[object, np.ndarray, int, str]]) -> Figure:
    """Positions whose marks are shaded by how much they speak for a move, which is marked by a frame.

    Args:
        boards: (state, `importance` of each plane, the move, title).
    """
    most = max(np.abs(lost).max() for _, lost, _, _ in boards)
    figure, axes = plt.subplots(1, len(boards), figsize=(2.3 * len(boards), 2.8), layout="constrained", squeeze=False)
    for ax, (state, lost, move, title) in zip(axes.flat, boards, strict=True):
        draw_board(game, state, title=title, ax=ax)
        for (row, column), number in np.ndenumerate(lost.sum(axis=0)):
            if lost[:, row, column].any():
                color = mixed(TEAL if number > 0 else ORANGE, 0.75 * abs(number) / most)
                ax.add_patch(Rectangle((column, row), 1, 1, facecolor=color, edgecolor="none", zorder=1))
        row, column = divmod(move, game.columns)
        ax.add_patch(
            Rectangle((column + 0.06, row + 0.06), 0.88, 0.88, facecolor="none", edgecolor=INK, linewidth=2, zorder=5)
        )
        words = ", ".join(
            f"{number:+.2f} in cell {cell}" for cell, number in enumerate(lost.sum(axis=0).ravel()) if number
        )
        tell(ax, f"{in_words(game, state)} For the move {move} speak the marks: {words or 'none'}.")
    caption(
        "What the logarithm of the framed move's probability loses without a mark: teal if the mark speaks for the "
        "move, orange if against it."
    )
    return figure
