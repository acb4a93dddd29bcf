"""Pictures of positions and search trees, for any game behind `games.protocol`.

All of them stand on an opaque, light card, so that they look the same in a light and in a dark notebook.
"""

import io

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection
from matplotlib.figure import Figure
from matplotlib.patches import Annulus, PathPatch, Polygon, Rectangle
from matplotlib.path import Path

from course_utils.games import Game
from course_utils.games.tictactoe import State
from course_utils.learning.examples import Examples
from course_utils.search.puct import Node
from course_utils.ui.figures import FINE, WIDTH, tell
from course_utils.ui.palette import CARD, COLOR, FAINT, GRAY, GRID, INK, PAPER, SPARE, STYLE, TEAL, tint

MARK = {1: "X", -1: "O"}
CELL = 0.8  # inches, on a board of three columns; wider boards have smaller cells

SMALLEST = 0.84  # of their own size are boards that stand side by side

_BORDER = 0.08  # around the board, in cells
_LABELS_ABOVE = 0.5  # the percentages above a board, in cells
_VALUE_BELOW = 40  # the value bar below a board, in points


# --- words about a position ------------------------------------------------------------------------------------------


def outcome(game: Game, state) -> str:
    """How a finished game ended: 'X wins', 'O wins' or 'draw'."""
    winner = game.winner(state)
    return f"{MARK[winner]} wins" if winner else "draw"


def shares_actions(game: Game) -> bool:
    """Whether several cells mean the same action, as where stones fall down a column."""
    cells = [(row, column) for row in range(game.rows) for column in range(game.columns)]
    return len({game.action_at(*cell) for cell in cells}) < len(cells)


def actions_without_cell(game: Game) -> list[int]:
    """The actions that no cell means, such as a pass."""
    meant = {game.action_at(row, column) for row in range(game.rows) for column in range(game.columns)}
    return [action for action in range(game.num_actions) if action not in meant]


def percent(share: float) -> str:
    """'37%', or '<1%' for what would round to nothing."""
    return "<1%" if 0 < share < 0.005 else f"{share:.0%}"


def signed(value: float) -> str:
    """'+0.31' or '−0.31', with a true minus sign; '0.00' without any."""
    return f"{value:+.2f}".replace("-", "−") if abs(value) >= 0.005 else "0.00"


def changed_cells(game: Game, before, after) -> list[tuple[int, int]]:
    """(row, column) of each cell that differs between two states."""
    return [(int(row), int(column)) for row, column in np.argwhere(game.cells(before) != game.cells(after))]


def landing_cell(game: Game, state, action: int) -> tuple[int, int] | None:
    """(row, column) of the free cell that the stone of a legal action goes to; None for an action that places none."""
    free = game.cells(state) == 0
    changed = changed_cells(game, state, game.play(state, action))
    return next((cell for cell in changed if free[cell] and game.action_at(*cell) == action), None)


# --- one board -------------------------------------------------------------------------------------------------------


def cell_inches(game: Game) -> float:
    return CELL * min(1, 3.9 / game.columns)


def extent(game: Game, policy=None, value=None) -> tuple[float, float]:
    """(top, bottom) of a board with what stands above and below it, in cells; the board itself is from 0 to
    `game.rows`.
    """
    above = _LABELS_ABOVE if policy is not None and shares_actions(game) else _BORDER
    below = _VALUE_BELOW / (72 * cell_inches(game)) if value is not None else _BORDER
    return -above, game.rows + below


def draw_board(game: Game, state, *, policy=None, value: float | None = None, title: str = "", ax: Axes | None = None):
    """Draw one position.

    Args:
        policy: [num_actions], not negative; shades the cells that can be played and prints percentages in them. Where
            stones fall down a column, the percentages stand above the columns. An action without a cell is not shown.
        value: from -1 to 1, for the player to move at `state`; a bar under the board, which says whose it is.
        ax: where to draw; None: a figure of its own.

    Returns:
        The matplotlib axes.

    Raises:
        ValueError: the policy is not [num_actions].
    """
    if policy is not None:
        policy = np.asarray(policy, dtype=float)
        if policy.shape != (game.num_actions,):
            raise ValueError(f"the policy has shape {policy.shape}; this game has {game.num_actions} actions")
    top, bottom = extent(game, policy, value)
    if ax is None:
        _, ax = plt.subplots(figsize=_inches(game, top, bottom, title), facecolor=PAPER, layout="constrained")
    available = ax.get_window_extent().width / ax.figure.dpi / (game.columns + 2 * _BORDER)
    points = 72 * min(cell_inches(game), available)  # a cell's
    ax.set(xlim=(-_BORDER, game.columns + _BORDER), ylim=(bottom, top), aspect="equal", anchor="N")
    ax.axis("off")
    ax.add_patch(Rectangle((0, 0), game.columns, game.rows, facecolor=CARD, edgecolor="none", zorder=0))
    if policy is not None:
        _draw_policy(ax, game, state, policy, points)
    _draw_grid(ax, game, points)
    _draw_marks(ax, game.cells(state))
    if value is not None:
        _draw_value(ax, game, state, float(value), points)
    if title:
        ax.set_title(title, color=INK, fontsize=11, pad=5)
    tell(ax, in_words(game, state, policy, value))
    return ax


def in_words(game: Game, state, policy=None, value: float | None = None) -> str:
    """A position for those who don't see it."""
    cells = game.cells(state)
    rows = "; ".join(" ".join({1: "X", -1: "O", 0: "."}[int(cell)] for cell in row) for row in cells)
    over = game.is_terminal(state)
    parts = [f"rows {rows}", outcome(game, state) if over else f"{MARK[game.to_play(state)]} to move"]
    if policy is not None:
        parts.append(", ".join(f"{game.action_name(a)} {percent(policy[a])}" for a in game.legal_actions(state)))
    if value is not None:
        parts.append(f"value {signed(value)} for {MARK[game.to_play(state)]}")
    return "; ".join(words for words in parts if words) + "."


def _inches(game: Game, top: float, bottom: float, title: str) -> tuple[float, float]:
    """(width, height) of a board with its title."""
    cell = cell_inches(game)
    lines = title.count("\n") + 1 if title else 0
    return (game.columns + 2 * _BORDER) * cell + 0.1, (bottom - top) * cell + 0.2 * lines + 0.15


def _draw_grid(ax: Axes, game: Game, points: float) -> None:
    width = np.clip(points / 45, 0.5, 1.3)
    ax.vlines(range(1, game.columns), 0, game.rows, color=GRID, linewidth=width, zorder=2)
    ax.hlines(range(1, game.rows), 0, game.columns, color=GRID, linewidth=width, zorder=2)
    frame = Rectangle((0, 0), game.columns, game.rows, facecolor="none", edgecolor=FAINT, linewidth=width, zorder=2)
    ax.add_patch(frame)
    if game.hexagonal:
        right, down = game.columns, game.rows
        corners = [(x, y) for x in range(1, right) for y in range(1, down)]
        bridges = [[(x + 0.15, y - 0.15), (x - 0.15, y + 0.15)] for x, y in corners]
        ax.add_collection(LineCollection(bridges, color=FAINT, linewidth=2 * width, zorder=2))
        sides = {
            1: [[(0, 0), (right, 0)], [(0, down), (right, down)]],
            -1: [[(0, 0), (0, down)], [(right, 0), (right, down)]],
        }
        for player, lines in sides.items():
            ax.add_collection(LineCollection(lines, color=COLOR[player], linewidth=3 * width, zorder=2))


def _draw_marks(ax: Axes, cells: np.ndarray) -> None:
    """Crosses and rings: told apart by shape as well as by color. They grow with the cells."""
    for (row, column), player in np.ndenumerate(cells):
        x, y = column + 0.5, row + 0.5
        if player == 1:
            long, thin = 0.27, 0.055
            stroke = np.array([(-thin, thin), (thin, -thin)]) + np.array([[(-long, -long)], [(long, long)]])
            corners = np.array([stroke[0, 0], stroke[0, 1], stroke[1, 1], stroke[1, 0]])
            for mirror in ((1, 1), (1, -1)):
                ax.add_patch(Polygon(corners * mirror + (x, y), color=COLOR[1], linewidth=0, zorder=3))
        elif player == -1:
            ax.add_patch(Annulus((x, y), 0.32, 0.11, color=COLOR[-1], linewidth=0, zorder=3))


def _draw_policy(ax: Axes, game: Game, state, policy: np.ndarray, points: float) -> None:
    size = np.clip(0.24 * points, 10, 15)
    most = max(policy.max(), 1e-9)
    for action in game.legal_actions(state):
        cell = landing_cell(game, state, action)
        if cell is None:
            continue
        row, column = cell
        ax.add_patch(Rectangle((column, row), 1, 1, facecolor=tint(policy[action] / most), edgecolor="none", zorder=1))
        y, align = (-0.1, "bottom") if shares_actions(game) else (row + 0.5, "center")
        weight = "bold" if policy[action] == most else "normal"
        text = percent(policy[action])
        ax.text(column + 0.5, y, text, ha="center", va=align, color=INK, fontsize=size, fontweight=weight, zorder=4)


def _draw_value(ax: Axes, game: Game, state, value: float, points: float) -> None:
    """A bar from -1 to +1, 0 in the middle, in the color of whom it favors."""
    player = game.to_play(state)
    y, height, middle = game.rows + 8 / points, 11 / points, game.columns / 2
    end = middle + np.clip(value, -1, 1) * middle
    favored = player if value > 0 else -player
    ax.add_patch(Rectangle((0, y), game.columns, height, facecolor=SPARE, edgecolor="none"))
    ax.add_patch(
        Rectangle((min(middle, end), y), abs(end - middle), height, facecolor=COLOR[favored], edgecolor="none")
    )
    ax.vlines(middle, y - 2 / points, y + height + 2 / points, color=INK, linewidth=1.2)
    text = f"value {signed(value)} for {MARK[player]}" + ("" if game.is_terminal(state) else ", to move")
    ax.text(middle, y + height + 4 / points, text, ha="center", va="top", color=INK, fontsize=10)


def png(figure: Figure, dpi: int = 90, caption: str = "") -> bytes:
    """The figure as a picture, with a caption below, to be shown at its `figures.page_width`; closes it."""
    buffer = io.BytesIO()
    if caption:
        figure.supxlabel(caption, fontsize=10, color=FAINT)
    around: dict = dict(bbox_inches="tight", pad_inches=0.1) if caption else {}  # wider than the figure, if it must be
    figure.savefig(buffer, format="png", dpi=FINE * dpi, facecolor=PAPER, **around)
    plt.close(figure)
    return buffer.getvalue()


# --- several boards --------------------------------------------------------------------------------------------------


def draw_boards(game: Game, boards: list[dict], *, columns: int | None = None) -> Figure:
    """Draw several positions side by side, all on the same scale.

    Args:
        boards: `draw_board`'s arguments for each: state and, where wanted, policy, value, title.
        columns: how many boards in a row, if so many fit into the width of the text; None: as many as fit.

    Returns:
        The matplotlib figure.
    """
    extents = [extent(game, board.get("policy"), board.get("value")) for board in boards]
    top, bottom = min(top for top, _ in extents), max(bottom for _, bottom in extents)
    longest = max((board.get("title", "") for board in boards), key=lambda title: title.count("\n") + bool(title))
    width, height = _inches(game, top, bottom, longest)
    fit = int(WIDTH / (SMALLEST * width))
    rows = -(-len(boards) // min(columns or fit, fit))
    columns = min(columns or fit, -(-len(boards) // rows))
    smaller = min(1.0, WIDTH / ((width + 0.15) * columns))
    size = ((width + 0.15) * columns * smaller, (height + 0.1) * rows * smaller)
    figure, axes = plt.subplots(rows, columns, figsize=size, facecolor=PAPER, layout="constrained", squeeze=False)
    if rows > 1:
        # titles keep a distance from what is above them
        figure.get_layout_engine().set(hspace=0.1)  # type: ignore[union-attr, call-arg]
    for ax, board in zip(axes.flat, boards, strict=False):
        draw_board(game, ax=ax, **board).set_ylim(bottom, top)
    for ax in axes.flat[len(boards) :]:
        ax.axis("off")
    return figure


def draw_examples(game: Game, examples: Examples, *, columns: int = 4, as_played: bool = False) -> Figure:
    """The examples of a game from the start position: the percentages are pi, the title has z. As a network sees them X
    is always the player to move.

    Args:
        as_played: draw each mark as it stood on the board, and say whose move it is.
    """
    boards = []
    for number in range(len(examples)):
        example = examples[number]
        player = (-1) ** number if as_played else 1
        mine, theirs = example.planes.reshape(2, -1)
        state = State(tuple(int(cell) for cell in player * (mine - theirs)), player)
        turn = f"{MARK[player]} to move" if as_played else f"move {number + 1}"
        boards.append(dict(state=state, policy=example.policy, title=f"{turn}, z = {example.value:+.0f}"))
    return draw_boards(game, boards, columns=columns)


# --- a search tree ---------------------------------------------------------------------------------------------------


def draw_tree(game: Game, root: Node, *, depth: int = 2, most: int = 3) -> Figure:
    """Draw the top of a search tree: small boards, edges as thick as their visits, finished games marked in words.

    Args:
        root: the root, as `search.puct.mcts_search(..., return_root=True)` gives it.
        depth: how many moves below the root to show.
        most: at most so many children of a node, those with the most visits; how many are left out stands below the
            node.

    Returns:
        The matplotlib figure.
    """
    nodes = _shown(root, depth, most)
    place = _places(root, nodes)
    side = 0.72 * (1 if game.columns == game.rows else game.columns / game.rows)
    width, height = side, side * game.rows / game.columns
    across, down = max(width + 0.3, 1.14), height + 0.95  # from board to board, inches
    span = max(x for x, _ in place.values()) + 1
    levels = max(level for _, level in place.values()) + 1
    size = (max(span * across + 0.1, 6.2), levels * down - 0.1)
    larger = max(1, min(1.3, WIDTH / size[0]))  # a small tree has room for letters as large as the text's
    figure = plt.figure(figsize=size, dpi=larger * STYLE["figure.dpi"], facecolor=PAPER)
    ax = figure.add_axes((0, 0, 1, 1))
    ax.set(xlim=(0, size[0]), ylim=(0, size[1]))
    ax.axis("off")

    margin = (size[0] - span * across) / 2
    center = {node: margin + (x + 0.5) * across for node, (x, _) in place.items()}
    upper = {node: size[1] - 0.35 - level * down for node, (_, level) in place.items()}  # edge of its board
    visits = max(root.N.sum(), 1)

    ax.text(
        center[root], upper[root] + 0.09, _root_caption(game, root), ha="center", va="bottom", color=INK, fontsize=10
    )
    for node in nodes:
        x, y = center[node], upper[node]
        frame = _caption_below(ax, game, node, nodes[node], x, y - height)
        board = ax.inset_axes((x - width / 2, y - height, width, height), transform=ax.transData, zorder=3)
        draw_board(game, node.state, ax=board)
        board.set(xlim=(0, game.columns), ylim=(game.rows, 0))
        if node.parent in nodes:
            for row, column in changed_cells(game, node.parent.state, node.state):
                board.add_patch(Rectangle((column, row), 1, 1, facecolor=tint(0.5), edgecolor="none", zorder=1))
        outline = Rectangle((x - width / 2, y - height), width, height, facecolor="none", zorder=4)
        outline.set(edgecolor=frame or FAINT, linewidth=2.4 if frame else 1)
        ax.add_patch(outline)
        below = y - height - (0.24 if node.is_terminal else 0.2 if _left_out(node, nodes[node]) else 0)
        for child in nodes[node]:
            N, Q = node.N[child.parent_action], node.Q[child.parent_action]
            to_x, to_y = center[child], upper[child] + 0.38
            bend = (below + to_y) / 2
            curve = Path([(x, below), (x, bend), (to_x, bend), (to_x, to_y)], [1, 4, 4, 4])
            color = TEAL if child is nodes[node][0] else GRAY
            edge = PathPatch(curve, facecolor="none", edgecolor=color, linewidth=0.8 + 8 * N / visits, zorder=1)
            ax.add_patch(edge)
            mover = MARK[game.to_play(node.state)]
            label = f"{game.action_name(child.parent_action)}: N={N:.0f}\nQ={signed(Q)} for {mover}"
            ax.text(to_x, to_y - 0.03, label, ha="center", va="top", color=INK, fontsize=10, linespacing=1.15)
    text = "N: visits (thick: many). Q: average value for X or for O. Teal: the most visited move."
    ax.text(size[0] / 2, 0.06, text, ha="center", va="bottom", color=FAINT, fontsize=10)
    tell(figure, f"A search tree. {_root_caption(game, root)}. {_in_outline(game, root, nodes)}")
    return figure


def _in_outline(game: Game, node: Node, nodes: dict[Node, list[Node]]) -> str:
    """The moves that are drawn, in brackets what stands below each."""
    parts = []
    for child in nodes[node]:
        action = child.parent_action
        end = f", {_settled(game, child)[1]}" if child.is_terminal else ""
        below = _in_outline(game, child, nodes)
        numbers = (
            f"{game.action_name(action)}: N={node.N[action]:.0f}, Q={signed(node.Q[action])} for "
            f"{MARK[game.to_play(node.state)]}{end}"
        )
        parts.append(f"{numbers} ({below})" if below else numbers)
    return "; ".join(parts)


def _root_caption(game: Game, root: Node) -> str:
    if game.is_terminal(root.state):
        return "the game is over"
    settled = f", {_settled(game, root)[1]}" if root.is_terminal else ""
    return f"{MARK[game.to_play(root.state)]} to move, {root.N.sum():.0f} simulations{settled}"


def _settled(game: Game, node: Node) -> tuple[int, str]:
    """(the winner or 0, in words) of a finished game, or of one whose end is proven."""
    winner = round(node.terminal_value) * game.to_play(node.state)
    words = f"{MARK[winner]} wins" if winner else "draw"
    return winner, words if game.is_terminal(node.state) else f"proven: {words}"


def _shown(root: Node, depth: int, most: int) -> dict[Node, list[Node]]:
    """node -> its children to draw, the most visited first, for every node to draw."""
    nodes: dict[Node, list[Node]] = {}
    level = [root]
    for left in range(depth, -1, -1):
        for node in level:
            nodes[node] = _most_visited(node)[:most] if left else []
        level = [child for node in level for child in nodes[node]]
    return nodes


def _most_visited(node: Node) -> list[Node]:
    """Its children, the most visited first, equals by their action, as a search chooses."""
    return sorted(node.children.values(), key=lambda child: (-node.N[child.parent_action], child.parent_action))


def _places(root: Node, nodes: dict[Node, list[Node]]) -> dict[Node, tuple[float, int]]:
    """node -> (x, level): leaves stand side by side, a parent above the middle of its children, actions in order."""
    place: dict[Node, tuple[float, int]] = {}
    leaves = 0

    def put(node: Node, level: int) -> float:
        nonlocal leaves
        children = sorted(nodes[node], key=lambda child: child.parent_action)
        if children:
            xs = [put(child, level + 1) for child in children]
            x = (xs[0] + xs[-1]) / 2
        else:
            x, leaves = float(leaves), leaves + 1
        place[node] = (x, level)
        return x

    put(root, 0)
    return place


def _left_out(node: Node, shown: list[Node]) -> str:
    """'+ 4 more (N=9)' where children of a node with children on the picture are not drawn."""
    hidden = [child for child in node.children.values() if child not in shown] if shown else []
    return f"+ {len(hidden)} more (N={sum(node.N[child.parent_action] for child in hidden):.0f})" if hidden else ""


def _caption_below(ax: Axes, game: Game, node: Node, shown: list[Node], x: float, y: float) -> str | None:
    """Write what stands under a node's board; returns the color of the frame of a game that is over, or proven."""
    if node.is_terminal:
        winner, words = _settled(game, node)
        color = COLOR.get(winner, INK)
        ax.text(x, y - 0.06, words, ha="center", va="top", color=color, fontsize=10, fontweight="bold")
        return color
    text = _left_out(node, shown)
    ax.text(x, y - 0.05, text, ha="center", va="top", color=FAINT, fontsize=10)
    return None
