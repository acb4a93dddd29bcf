"""Drawings that explain: boxes and arrows, and alpha-beta step by step."""

from dataclasses import dataclass, field

import matplotlib.pyplot as plt
from matplotlib.patches import FancyArrowPatch, FancyBboxPatch

from course_utils.ui.palette import BLUE, CARD, FAINT, GRID, INK, ORANGE, PAPER, TEAL

WIDTH, HEIGHT = 1.7, 0.8  # of a box


def boxes_and_arrows(boxes: dict, arrows: list, size: tuple[float, float]):
    """Draw labelled boxes and labelled arrows between them. All lengths are inches.

    Args:
        boxes: name -> (x, y, title, subtitle, color); x and y are the middle of the box.
        arrows: (from, to, label, x, y of the label), all bent the same way.
        size: of the figure.
    """
    figure, ax = plt.subplots(figsize=size, facecolor=PAPER)
    ax.set(xlim=(0, size[0]), ylim=(0, size[1]), position=(0, 0, 1, 1))
    ax.axis("off")
    patches = {}
    for name, (x, y, title, subtitle, color) in boxes.items():
        corner = (x - WIDTH / 2, y - HEIGHT / 2)
        style = "round,pad=0,rounding_size=0.12"
        patches[name] = FancyBboxPatch(corner, WIDTH, HEIGHT, boxstyle=style, facecolor=color, edgecolor="none")
        ax.add_patch(patches[name])
        ax.text(x, y + 0.14, title, ha="center", va="center", color=CARD, fontsize=13, fontweight="bold")
        ax.text(x, y - 0.18, subtitle, ha="center", va="center", color=CARD, fontsize=10)
    for start, end, label, x, y in arrows:
        ends: dict = {
            "posA": boxes[start][:2],
            "posB": boxes[end][:2],
            "patchA": patches[start],
            "patchB": patches[end],
        }
        look: dict = {"connectionstyle": "arc3,rad=-0.25", "arrowstyle": "-|>", "mutation_scale": 18}
        ax.add_patch(FancyArrowPatch(**ends, **look, linewidth=2, color=INK, shrinkA=4, shrinkB=4))
        ax.text(x, y, label, ha="center", va="center", color=INK, fontsize=11, linespacing=1.3)
    return figure


def draw_agent_and_environment():
    """The loop of reinforcement learning, with tic-tac-toe's words in it."""
    return boxes_and_arrows(
        {
            "agent": (1.3, 1.4, "agent", "a player", BLUE),
            "world": (6.7, 1.4, "environment", "the game", TEAL),
        },
        [
            ("agent", "world", "action: “the middle cell”", 4, 2.35),
            ("world", "agent", "the next state, and a reward:\n+1, 0 or -1 at the end, 0 before", 4, 0.35),
        ],
        (8, 2.8),
    )


# --- alpha-beta, step by step ----------------------------------------------------------------------------------------

Path = tuple[int, ...]  # the moves that lead to a node; () is the root


@dataclass(frozen=True)
class Step:
    """What alpha-beta knows at one moment. All numbers of a node belong to the player to move there."""

    said: str
    at: Path
    windows: dict[Path, tuple[float, float]] = field(default_factory=dict)  # (alpha, beta)
    best: dict[Path, float] = field(default_factory=dict)  # so far
    skipped: frozenset[Path] = frozenset()


def alpha_beta_steps(tree, alpha: float = -1, beta: float = 1) -> list[Step]:
    """Alpha-beta on a tree of nested tuples, whose leaves are values for the player to move at the leaf."""
    steps: list[Step] = []
    windows: dict[Path, tuple[float, float]] = {}
    best: dict[Path, float] = {}
    skipped: set[Path] = set()

    def note(words: str, at: Path) -> None:
        steps.append(Step(words, at, dict(windows), dict(best), frozenset(skipped)))

    def search(tree, path: Path, alpha: float, beta: float) -> float:
        windows[path] = alpha, beta
        if not path:
            note("begin with the widest window", path)
        elif isinstance(tree, tuple):
            note("go down: swap and negate", path)
        if not isinstance(tree, tuple):
            best[path] = tree
            return tree
        best[path] = float("-inf")
        for number, child in enumerate(tree):
            below = search(child, (*path, number), -beta, -alpha)
            better = -below > best[path]
            best[path] = max(best[path], -below)
            raised, alpha = best[path] > alpha, max(alpha, best[path])
            windows[path] = alpha, beta
            if alpha >= beta:
                skipped.update((*path, later) for later in range(number + 1, len(tree)))
                note(f"{-below:g} reaches beta: stop", path)
                break
            note(
                f"{-below:g}: alpha rises"
                if raised
                else f"{-below:g}: {'better, below alpha' if better else 'no better'}",
                path,
            )
        return best[path]

    search(tree, (), alpha, beta)
    return steps


def draw_alpha_beta(tree: tuple[tuple[float, ...], ...]):
    """One small tree a step, for a tree of two moves. Boxes are filled where the search has been; the thick frame is
    where it is.
    """
    steps = alpha_beta_steps(tree)
    columns = 3
    rows = -(-len(steps) // columns)
    figure, axes = plt.subplots(rows, columns, figsize=(2.9 * columns, 2.5 * rows), facecolor=PAPER, squeeze=False)
    figure.subplots_adjust(left=0.01, right=0.99, top=0.95, bottom=0.01, wspace=0.06, hspace=0.16)
    leaves = [(move, reply) for move, replies in enumerate(tree) for reply in range(len(replies))]
    place: dict[Path, tuple[float, float]] = {leaf: (x + 0.5, 0.3) for x, leaf in enumerate(leaves)}
    for move in range(len(tree)):
        below = [place[leaf][0] for leaf in leaves if leaf[0] == move]
        place[(move,)] = (sum(below) / len(below), 1.3)
    place[()] = (len(leaves) / 2, 2.3)
    for ax in axes.flat:
        ax.axis("off")
    for number, (step, ax) in enumerate(zip(steps, axes.flat, strict=False), 1):
        ax.set(xlim=(0, len(leaves)), ylim=(0, 2.75))
        ax.set_title(f"{number}. {step.said}", fontsize=11, color=INK)
        for path, (x, y) in place.items():
            _draw_node(ax, step, path, x, y)
            if path:
                up = place[path[:-1]]
                seen = path in step.windows
                ax.plot(
                    (x, up[0]), (y, up[1]), color=INK if seen else GRID, linewidth=1.2, zorder=0,
                    linestyle=":" if path in step.skipped else "-",
                )  # fmt: skip
    return figure


def _draw_node(ax, step: Step, path: Path, x: float, y: float) -> None:
    """A box with the node's window and best value; pale where the search has not been."""
    color = (BLUE, ORANGE)[len(path) % 2]  # the player to move: X at the root
    seen = path in step.windows
    inner = len(path) < 2
    width, height = (1.75, 0.62) if inner else (0.86, 0.42)
    ax.add_patch(
        FancyBboxPatch(
            (x - width / 2, y - height / 2), width, height, boxstyle="round,pad=0,rounding_size=0.08",
            facecolor=color if seen else CARD, edgecolor=INK if path == step.at else color if seen else GRID,
            linewidth=3 if path == step.at else 1, linestyle=":" if path in step.skipped else "-",
        )
    )  # fmt: skip
    text = ""
    if seen and inner:
        alpha, beta = step.windows[path]
        best = step.best.get(path, float("-inf"))
        text = f"α {alpha:g}   β {beta:g}\nbest {'?' if best == float('-inf') else f'{best:g}'}"
    elif seen:
        text = f"{step.best[path]:g}"
    elif path in step.skipped:
        text = "skipped"
    ax.text(x, y, text, ha="center", va="center", fontsize=10, color=CARD if seen else FAINT, linespacing=1.25)
