"""Texts of a figure that lie on each other, which nobody can read. In a notebook, `refuse()` makes an error of them."""

from itertools import combinations
from unittest.mock import patch

from IPython import get_ipython
from matplotlib.figure import Figure
from matplotlib.text import Text

from course_utils.ui import figures

TOUCH = 1.0  # so many points two texts may share, in each direction


def on_each_other(figure: Figure) -> list[str]:
    """Of any two texts that are drawn, and whose boxes overlap: what they say."""
    points = 72 / figure.dpi
    found = []
    for (one, a), (other, b) in combinations(boxes(figure), 2):
        across = min(a.x1, b.x1) - max(a.x0, b.x0)
        up = min(a.y1, b.y1) - max(a.y0, b.y0)
        if min(across, up) * points > TOUCH:
            found.append(f"{one!r} on {other!r}")
    return found


def boxes(figure: Figure) -> list[tuple]:
    """(text, box in pixels) of all texts, as they are drawn; without those that stand askew, whose boxes are too large."""
    drawn, draw = [], Text.draw

    def noted(text, renderer):
        if text.get_visible() and text.get_text().strip() and text.get_rotation() % 90 == 0:
            drawn.append((text.get_text(), text.get_window_extent(renderer)))
        draw(text, renderer)

    figure.canvas.draw()  # a first time, for the layout
    with patch.object(Text, "draw", noted):
        figure.canvas.draw()
    return drawn


def refuse() -> None:
    """Let every figure that this notebook shows fail where texts lie on each other."""

    def checked(figure: Figure) -> str:
        found = on_each_other(figure)
        assert not found, "; ".join(found)
        return figures.html(figure)

    get_ipython().display_formatter.formatters["text/html"].for_type(Figure, checked)
