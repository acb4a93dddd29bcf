"""Texts of a figure that lie on each other, which nobody can read. In a notebook, `refuse()` makes an error of them."""

from collections.abc import Iterator
from contextlib import contextmanager
from itertools import combinations
from unittest.mock import patch

from IPython import get_ipython
from matplotlib.figure import Figure
from matplotlib.text import Text
from matplotlib.transforms import Bbox

from course_utils.ui import figures

TOUCH = 1.0  # so many points two texts may share, in each direction


def on_each_other(figure: Figure) -> list[str]:
    """Of any two texts that are drawn, and whose boxes overlap: what they say."""
    with noted() as drawn:
        figure.canvas.draw()
    return overlaps(drawn)


def overlaps(drawn: dict[Text, Bbox]) -> list[str]:
    pairs = []
    for (first, a), (second, b) in combinations(drawn.items(), 2):
        across = min(a.x1, b.x1) - max(a.x0, b.x0)
        up = min(a.y1, b.y1) - max(a.y0, b.y0)
        if min(across, up) > TOUCH:
            pairs.append(f"{first.get_text()!r} on {second.get_text()!r}")
    return pairs


@contextmanager
def noted() -> Iterator[dict[Text, Bbox]]:
    """Each text that is drawn inside, with its box in points as it was drawn last; without those that stand askew,
    whose boxes are too large.
    """
    drawn, draw = {}, Text.draw

    def note(text, renderer):
        if text.get_visible() and text.get_text().strip() and text.get_rotation() % 90 == 0:
            box = text.get_window_extent(renderer)
            drawn[text] = Bbox(box.get_points() * 72 / text.figure.dpi)
        draw(text, renderer)

    with patch.object(Text, "draw", note):
        yield drawn


def refuse() -> None:
    """Let every figure that this notebook shows fail where texts lie on each other."""

    def checked(figure: Figure) -> str:
        with noted() as drawn:
            html = figures.html(figure)
        pairs = overlaps(drawn)
        assert not pairs, "; ".join(pairs)
        return html

    get_ipython().display_formatter.formatters["text/html"].for_type(Figure, checked)
