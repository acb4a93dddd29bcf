"""Drawings that explain: boxes and arrows."""

import matplotlib.pyplot as plt
from matplotlib.patches import FancyArrowPatch, FancyBboxPatch

from course_utils.ui.palette import BLUE, CARD, INK, ORANGE, PAPER, TEAL

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


def draw_alphazero_loop():
    """Search makes better moves than the network; the network learns to make them at once."""
    return boxes_and_arrows(
        {
            "network": (1.2, 2.2, "network", "intuition", BLUE),
            "search": (4, 3.7, "search", "calculation", TEAL),
            "play": (6.8, 2.2, "self-play", "experience", ORANGE),
            "learn": (4, 0.7, "learning", "practice", INK),
        },
        [
            ("network", "search", "prior and value", 1.5, 3.5),
            ("search", "play", "better moves", 6.5, 3.5),
            ("play", "learn", "positions, visits\nand results", 6.6, 0.9),
            ("learn", "network", "better weights", 1.5, 0.9),
        ],
        (8, 4.4),
    )
