"""The map of AlphaZero that stands at the head of each section of the main road, with the part lit that the section is
about.
"""

import io
from functools import lru_cache
from itertools import pairwise

from matplotlib import style
from matplotlib.figure import Figure
from matplotlib.patches import FancyBboxPatch
from PIL import Image

from course_utils.ui.palette import BLUE, CARD, FAINT, GRID, INK, PAPER, SPARE

WIDTH, HEIGHT = 760, 150  # of the picture on the page, in pixels; all lengths here are
FINE = 1.5  # pixels of the picture to one of these: a page shows it as wide as it is, or as wide as its text
MIDDLE = 84  # of the boxes, from below
PARTS = {  # name -> (left, width)
    "rules": (14, 62),
    "network": (98, 92),
    "search": (212, 314),
    "self-play": (548, 92),
    "learning": (662, 84),
}
VERBS = {"select": (222, 62), "expand": (290, 72), "evaluate": (368, 76), "backup": (450, 66)}  # of the search
NAMES = (*PARTS, *VERBS)


def map_in_words(lit: str) -> str:
    """The text for those who don't see it."""
    words = f"{lit}, in the search" if lit in VERBS else {"": "nothing", "all": "everything"}.get(lit, lit)
    return f"The map of AlphaZero, lit: {words}"


@lru_cache
@style.context("default")  # the same picture whatever a notebook has set
def draw_map(lit: str) -> bytes:
    """A PNG: rules, network, search, self-play, learning, and back to the network.

    Args:
        lit: one of NAMES, "all", or "" for none. A verb also lights the frame of the search.

    Raises:
        ValueError: it is no such name.
    """
    if lit not in (*NAMES, "all", ""):
        raise ValueError(f"the map has no {lit!r}; it has {', '.join(NAMES)} and all")
    figure = Figure(figsize=(WIDTH / 100, HEIGHT / 100), dpi=100 * FINE, facecolor="none")
    ax = figure.add_axes((0, 0, 1, 1), xlim=(0, WIDTH), ylim=(0, HEIGHT))
    ax.axis("off")

    def box(left: float, bottom: float, width: float, height: float, fill: str, edge: str, line: float = 1) -> None:
        shape = f"round,pad=0,rounding_size={min(10, height / 4)}"
        ax.add_patch(FancyBboxPatch((left, bottom), width, height, boxstyle=shape, fc=fill, ec=edge, lw=0.72 * line))

    def text(x: float, y: float, words: str, size: float, color: str = INK, bold: bool = False, **more) -> None:
        weight = "bold" if bold else "normal"
        ax.text(x, y, words, size=0.72 * size, color=color, weight=weight, ha="center", va="center_baseline", **more)

    def arrow(*path: tuple[float, float]) -> None:
        *before, last, end = path
        ax.plot(*zip(*before, last, strict=False), color=FAINT, lw=1.2, solid_joinstyle="round")
        ax.annotate("", end, last, arrowprops=dict(arrowstyle="-|>", color=FAINT, lw=1.2, shrinkA=0, shrinkB=1))

    box(1, 1, WIDTH - 2, HEIGHT - 2, PAPER, GRID)
    for name, (left, width) in PARTS.items():
        on, framed = lit in (name, "all"), name == "search" and lit in (*VERBS, "all")
        height, top = (88, 30) if name == "search" else (52, 0)
        filled = on and not framed
        box(
            left,
            MIDDLE - height / 2,
            width,
            height,
            BLUE if filled else SPARE,
            BLUE if on or framed else GRID,
            3 if framed else 1,
        )
        text(left + width / 2, MIDDLE + top, name, 15, CARD if filled else BLUE if framed else INK, on or framed)
    for name, (left, width) in VERBS.items():
        on = lit in (name, "all")
        box(left, MIDDLE - 34, width, 42, BLUE if on else CARD, BLUE if on else GRID)
        text(left + width / 2, MIDDLE - 13, name, 13.5, CARD if on else INK, on)
    for (left, width), (to, _) in pairwise(PARTS.values()):
        arrow((left + width, MIDDLE), (to, MIDDLE))
    start, end = (PARTS[name][0] + PARTS[name][1] / 2 for name in ("learning", "network"))
    arrow((start, MIDDLE - 26), (start, 20), (end, 20), (end, MIDDLE - 26))
    text((start + end) / 2, 20, "better weights", 13.5, bbox=dict(fc=PAPER, ec="none", pad=3))
    png, small = io.BytesIO(), io.BytesIO()
    figure.savefig(png, format="png")
    with Image.open(png) as picture:
        picture.quantize(32, Image.Quantize.FASTOCTREE).save(small, "PNG", optimize=True)
    return small.getvalue()
