"""Pictures for the notebook 'Batched search': the bits of a board, many trees and one call, and search trees as rows of
arrays.
"""

from collections.abc import Sequence

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.patches import Rectangle

from course_utils.games.batched import LineGame
from course_utils.search.batched import NO_PARENT, ROOT, UNVISITED, Tree
from course_utils.ui.figures import caption, tell
from course_utils.ui.palette import BLUE, CARD, COLOR, FAINT, GRID, INK, ORANGE, PAPER, SPARE, TEAL, mixed


def draw_bits(game: LineGame, numbers: dict[str, int], *, columns: int = 4):
    """Each number as the board whose bits it holds: a set bit is a filled cell, and every cell shows which bit it is.

    Args:
        numbers: title -> the number. A title that begins with "mine" is drawn blue, with "theirs" orange, others green.

    Returns:
        The figure. The gray row above each board are the bits that stay empty.
    """
    shape = (-(-len(numbers) // columns), min(columns, len(numbers)))
    cell = min(0.5, 2.2 / game.columns)
    size = ((game.columns + 0.8) * cell * shape[1], ((game.rows + 1.3) * cell + 0.5) * shape[0])
    figure, axes = plt.subplots(*shape, figsize=size, facecolor=PAPER, layout="constrained", squeeze=False)
    for ax in axes.flat[len(numbers) :]:
        ax.axis("off")
    for ax, (title, number) in zip(axes.flat, numbers.items(), strict=False):
        side = 1 if title.startswith("mine") else -1 if title.startswith("theirs") else 0
        color = COLOR.get(side, TEAL)
        ax.set(xlim=(-0.05, game.columns + 0.05), ylim=(-0.05, game.rows + 1.05), aspect="equal")
        ax.axis("off")
        ax.set_title(title, fontsize=10, color=INK)
        full_bits = [bit for bit in range((game.rows + 1) * game.columns) if int(number) >> bit & 1]
        tell(ax, f"bits {', '.join(map(str, full_bits)) or 'none'}.")
        for bit in range((game.rows + 1) * game.columns):
            x, y = divmod(bit, game.rows + 1)
            full = int(number) >> bit & 1
            ground = SPARE if y == game.rows else CARD
            ax.add_patch(Rectangle((x, y), 1, 1, facecolor=color if full else ground, edgecolor=GRID, linewidth=1))
            ink = CARD if full else FAINT
            ax.text(x + 0.5, y + 0.47, str(bit), ha="center", va="center", fontsize=20 * cell, color=ink)
    return figure


def draw_tree_arrays(tree: Tree, games: list[int]):
    """The trees of some games as circles and arrows, and beside each the rows of its arrays.

    A circle bears the node's number, an arrow the action and its visits; a finished game has a square. A gray row is a
    number that the game has no node for.

    Returns:
        The figure.
    """
    height = 0.34 * tree.nodes + 1.0
    figure, axes = plt.subplots(
        len(games),
        2,
        figsize=(9.4, height * len(games)),
        facecolor=PAPER,
        layout="constrained",
        squeeze=False,
        width_ratios=[0.9, 1.4],
    )
    for (left, right), b in zip(axes, games, strict=True):
        tell(left, f"game {b}, a tree of {1 + (tree.parent[b] != NO_PARENT).sum()} nodes; beside it its rows:")
        _circles(left, tree, b)
        _rows(right, tree, b)
    return figure


def _children(tree: Tree, b: int, m: int) -> list[tuple[int, int]]:
    """(action, child) of node m."""
    return [(int(a), int(tree.children[b, m, a])) for a in np.flatnonzero(tree.children[b, m] != UNVISITED)]


def _circles(ax, tree: Tree, b: int) -> None:
    places, leaves = {}, 0

    def put(m: int, level: int) -> float:
        nonlocal leaves
        below = [put(child, level + 1) for _, child in _children(tree, b, m)]
        if not below:
            leaves += 1
        x = float(np.mean(below)) if below else float(leaves)
        places[m] = (x, -level)
        return x

    put(ROOT, 0)
    deepest = min(y for _, y in places.values())
    ax.set(xlim=(0.3, max(leaves, 3) + 0.7), ylim=(min(deepest, -2) - 0.4, 0.4))
    ax.axis("off")
    ax.set_title(f"game {b}", fontsize=11, color=INK, loc="left")
    for m, (x, y) in places.items():
        for action, child in _children(tree, b, m):
            to = places[child]
            ax.plot([x, to[0]], [y, to[1]], color=INK, linewidth=0.8 + 0.5 * tree.N[b, m, action], zorder=1)
            middle = (0.45 * x + 0.55 * to[0], 0.45 * y + 0.55 * to[1])
            box = dict(facecolor=PAPER, edgecolor="none", pad=0.8)
            ax.text(*middle, f"{action}", ha="center", va="center", fontsize=10, color=FAINT, bbox=box, zorder=2)
        over = tree.is_terminal[b, m]
        marker = dict(s=330, color=COLOR[-1] if over else COLOR[1], marker="s" if over else "o", zorder=3)
        ax.scatter([x], [y], **marker)
        ax.text(x, y, str(m), ha="center", va="center", color=CARD, fontsize=10, fontweight="bold", zorder=4)


def _rows(ax, tree: Tree, b: int) -> None:
    """A row of text for each node number."""

    def by_action(values, m: int) -> str:
        return "  ".join(f"{a}→{values[a]:g}" for a, _ in _children(tree, b, m)) or "-"

    heads = ("node", "parent", "parent_action", "children", "N")
    x = (0.033, 0.125, 0.225, 0.43, 0.715)
    ax.set(xlim=(0, 1), ylim=(-tree.nodes - 0.2, 0.6))
    ax.axis("off")
    for place, head in zip(x, heads, strict=True):
        ax.text(place - 0.01, 0.34, head, fontsize=10, color=INK, fontweight="bold", va="center", ha="left")
    for m in range(tree.nodes):
        used = m == ROOT or tree.parent[b, m] != NO_PARENT
        ax.add_patch(
            Rectangle((0.02, -m - 1.0), 0.97, 0.96, facecolor=CARD if used else SPARE, edgecolor=GRID, linewidth=0.6)
        )
        if not used:
            ax.text(x[0], -m - 0.52, f"{m}", fontsize=10, color=FAINT, va="center")
            ax.text(x[1], -m - 0.52, "not used by this game", fontsize=10, color=FAINT, va="center")
            continue
        cells = (
            str(m),
            str(tree.parent[b, m]),
            "NO_ACTION" if m == ROOT else str(tree.parent_action[b, m]),
            "the game is over" if tree.is_terminal[b, m] else by_action(tree.children[b, m], m),
            by_action(tree.N[b, m], m),
        )
        for place, cell in zip(x, cells, strict=True):
            ax.text(place, -m - 0.52, cell, fontsize=10, color=INK, va="center", ha="left")


TREES = (  # child -> parent of four small trees, the leaf of this simulation, and whether the game is over there
    ({1: 0, 2: 0, 3: 0, 4: 2}, 4, False),
    ({1: 0, 2: 1, 3: 1, 4: 2}, 4, False),
    ({1: 0, 2: 0, 3: 1}, 3, True),
    ({1: 0, 2: 0, 3: 0}, 3, False),
)


def draw_lock_step():
    """Draw one simulation of four games: four trees, one call of the network, and the same four trees."""
    figure, ax = plt.subplots(figsize=(9.4, 5), facecolor=PAPER, layout="constrained")
    ax.set(xlim=(-0.3, 13.3), ylim=(0.1, 9.3), aspect="equal")
    ax.axis("off")
    ax.add_patch(Rectangle((5.1, 3.1), 2.8, 2.8, facecolor=mixed(TEAL, 0.25), edgecolor=TEAL, linewidth=1.5))
    ax.text(6.5, 4.5, "one call of\nthe network", ha="center", va="center", color=INK, fontsize=12)
    asking = sum(not over for _, _, over in TREES)
    ax.text(6.5, 6.15, f"[{asking}, planes, rows, columns]", ha="center", color=FAINT, fontsize=10)
    ax.text(6.5, 2.6, f"value [{asking}], logits [{asking}, A]", ha="center", color=FAINT, fontsize=10)
    ax.text(1.2, 9.0, "select, expand", ha="center", color=INK, fontsize=12)
    ax.text(11.8, 9.0, "backup", ha="center", color=INK, fontsize=12)
    for game, (parents, leaf, over) in enumerate(TREES):
        top = 8.4 - 2.15 * game
        ax.text(-0.2, top - 0.05, f"game {game}", color=FAINT, fontsize=10)
        x, y = _small_tree(ax, parents, leaf, over, (0.6, top), down=True)
        _small_tree(ax, parents, leaf, over, (11.2, top), down=False)
        arrow = dict(arrowstyle="->", linewidth=1.3)
        if over:
            path = dict(arrow, color=FAINT, linestyle=":", connectionstyle="arc3,rad=0.28")
            ax.annotate("", (11.0, y), (x + 0.25, y), arrowprops=path)
            ax.text(6.5, 0.75, "the game is over: the rules say its value", ha="center", color=FAINT, fontsize=10)
        else:
            port = 5.4 - 0.6 * game
            ax.annotate("", (5.05, port), (x + 0.25, y), arrowprops=dict(arrow, color=BLUE))
            ax.annotate("", (11.0, y), (7.95, port), arrowprops=dict(arrow, color=ORANGE))
    return figure


def _small_tree(ax, parents: dict[int, int], leaf: int, over: bool, corner: tuple[float, float], down: bool):
    """A tree with the way to its leaf (blue, down) or from it (orange, up). Returns where the leaf stands."""
    path = [leaf]
    while path[-1] in parents:
        path.append(parents[path[-1]])
    level = {0: 0} | dict.fromkeys(parents, 0)
    for child, parent in parents.items():
        level[child] = level[parent] + 1
    places = {}
    for node, depth in level.items():
        row = [other for other in level if level[other] == depth]
        places[node] = (corner[0] + 0.75 + 0.55 * (row.index(node) - (len(row) - 1) / 2), corner[1] - 0.5 * depth)
    for child, parent in parents.items():
        (x, y), (to_x, to_y) = places[parent], places[child]
        walked = child in path
        ax.plot(
            [x, to_x],
            [y, to_y],
            color=(BLUE if down else ORANGE) if walked else GRID,
            linewidth=3 if walked else 1,
            zorder=1,
        )
    for node, place in places.items():
        at_leaf = node == leaf
        color = (ORANGE if over else TEAL) if at_leaf else INK
        ax.scatter(*place, s=75 if at_leaf else 40, marker="s" if over and at_leaf else "o", color=color, zorder=2)
    return places[leaf]


def _by_boards(count: int, sizes: Sequence[int], height: float):
    """Panels with both axes logarithmic, marked at these numbers of boards. Returns figure and axes."""
    figure, axes = plt.subplots(1, count, figsize=(9.5, height), layout="constrained")
    for ax in axes:
        ax.set(xscale="log", yscale="log", xticks=sizes, xticklabels=[f"{size:,}" for size in sizes])
        ax.minorticks_off()
        ax.grid()
    return figure, axes


def draw_price_of_a_call(sizes: Sequence[int], limits: dict[str, list[float]]):
    """Draw the price of a call by the number of boards in it: boards per second, and the time of a call.

    Returns the figure.

    `limits` has boards per second for each network, one number for each of `sizes`.
    """
    figure, axes = _by_boards(2, sizes, 3.4)
    for name, rates in limits.items():
        axes[0].plot(sizes, rates, "o-", linewidth=2, label=name)
        axes[1].plot(sizes, [1e6 * size / rate for size, rate in zip(sizes, rates, strict=True)], "o-", linewidth=2)
    axes[0].set(title="boards per second", xlabel="boards in one call")
    axes[1].set(title="microseconds per call", xlabel="boards in one call")
    axes[0].legend()
    caption(
        "The price of a call, by the number of boards in it: boards per second on the left, the time of one call on "
        "the right."
    )
    return figure


def draw_search_speeds(
    sizes: Sequence[int], limits: dict[str, list[float]], speeds: dict[str, tuple[float, list[float]]]
):
    """Simulations per second by games at once, between the search of one game and the network's limit. Returns the
    figure.

    `speeds` has for each network the rate of one game at a time, and the rates of batched search, one for each of
    `sizes`.
    """
    figure, axes = _by_boards(len(speeds), sizes, 3.8)
    for ax, (name, (alone, rates)) in zip(axes, speeds.items(), strict=True):
        ax.plot(sizes, limits[name], "--", color=ORANGE, linewidth=2, label="the network's limit (boards/s)")
        ax.plot(sizes, rates, "o-", color=BLUE, linewidth=2, label="batched search (simulations/s)")
        ax.axhline(alone, color=FAINT, linewidth=2, label="one game at a time (simulations/s)")
        ax.set(title=name, xlabel="games at once", ylim=(min(alone, *rates) / 2, max(limits[name]) * 3))
    figure.legend(*axes[0].get_legend_handles_labels(), loc="outside lower center", ncols=3)
    return figure
