"""Every figure of the course in one style, with a text for those who don't see it, and dark where the page is dark.

Where `course_utils.ui` is imported in a notebook, matplotlib takes the style of the palette, and a figure becomes HTML:
the picture with a text alternative, and the caption below it. The text is made from what is drawn, unless the figure
says one itself.
"""

import io
from base64 import b64encode
from html import escape

import matplotlib.pyplot as plt
import numpy as np
from IPython import get_ipython
from matplotlib.axes import Axes
from matplotlib.container import BarContainer, ErrorbarContainer
from matplotlib.figure import Figure

from course_utils.ui.palette import STYLE

MANY = 15  # bars without names are summed up
FINE = 2  # pixels of a picture to one of the page, for the screens of today
WIDTH = 9.5  # inches: the width of the text; a wider figure is shown smaller, and its letters with it
# On a dark page lightness is turned round and the hues stay: what was dark on light is light on dark.
DARK = (
    'body[data-jp-theme-light="false"] .course-figure img, body.vscode-dark .course-figure img, '
    'body[data-theme="dark"] .course-figure img'
)


def install() -> None:
    """Let figures of this notebook be shown like this. Does nothing outside of a notebook."""
    shell = get_ipython()
    if shell is None or not hasattr(shell, "kernel"):
        return
    import matplotlib_inline.backend_inline  # noqa: F401  # registers its own way first, once

    plt.rcParams.update(STYLE)
    formatters = shell.display_formatter.formatters
    for name, formatter in formatters.items():
        if name.startswith("image/"):
            formatter.for_type(Figure, lambda figure: None)
    formatters["text/html"].for_type(Figure, html)
    formatters["text/plain"].for_type(Figure, lambda figure, printer, cycle: printer.text(in_words(figure)))


def caption(text: str, *, alt: str = "") -> None:
    """What stands below the current figure.

    Args:
        alt: the text for those who don't see it, instead of the one that is made from its data.
    """
    figure = plt.gcf()
    figure.course_caption = text  # type: ignore[attr-defined]  # a note on matplotlib's object
    if alt:
        tell(figure, alt)


def tell(drawn: Figure | Axes, alt: str) -> None:
    """The text alternative of a figure, or of one of its axes."""
    drawn.course_alt = alt  # type: ignore[union-attr]  # as above


def html(figure: Figure) -> str:
    """The figure as an element of a page, its caption included."""
    buffer = io.BytesIO()
    figure.savefig(buffer, format="png", dpi=FINE * figure.dpi, bbox_inches="tight")
    picture, below = buffer.getvalue(), getattr(figure, "course_caption", "")
    source = f"data:image/png;base64,{b64encode(picture).decode()}"
    return framed(source, in_words(figure), page_width(picture), below)


def framed(source: str, alt: str, width: int, below: str = "") -> str:
    """A picture that is drawn in light colors as an element of a page, light or dark, with a caption below it."""
    caption = f'<figcaption style="max-width: 70ch">{escape(below)}</figcaption>' if below else ""
    return (
        f'<figure class="course-figure" style="margin: 0">'
        f"<style>{DARK} {{ filter: invert(1) hue-rotate(180deg) }}</style>"
        f'<img style="max-width: 100%" width="{width}" alt="{escape(alt)}" src="{source}">{caption}</figure>'
    )


def page_width(picture: bytes) -> int:
    """How wide this PNG is shown, in pixels of the page."""
    return int.from_bytes(picture[16:20]) // FINE


# --- what a figure shows, in words -----------------------------------------------------------------------------------


def in_words(figure: Figure) -> str:
    """What the figure was told to say; without that, what each of its axes shows."""
    told = getattr(figure, "course_alt", "")
    if told:
        return told
    heading = figure.get_suptitle()
    parts = [" ".join(text.get_text().split()) for text in figure.texts]
    parts += [axes_in_words(ax) for ax in figure.axes]
    return " ".join([f"{heading}." if heading else "", *filter(None, parts)]).strip() or "A drawing."


def axes_in_words(ax: Axes) -> str:
    """Title, axes, and every line and group of bars with its numbers."""
    told = getattr(ax, "course_alt", "")
    title = " ".join((ax.get_title() or ax.get_title("left")).split())
    if told:
        return f"{title}: {told}" if title else told
    shown = [*_lines(ax), *_bars(ax), *_points(ax)]
    if not shown and not ax.axison:
        shown = [" ".join(text.get_text().split()) for text in ax.texts if text.get_text().strip(" ⋮")]
        return ": ".join(filter(None, (title, ", ".join(shown)))) + "." if shown else ""
    across, up = ax.get_xlabel(), ax.get_ylabel()
    named = f"{up} by {across}" if up and across else up or across
    head = ": ".join(filter(None, (title, named)))
    return f"{head}{': ' if head and shown else ''}{'; '.join(shown)}." if head or shown else ""


def _lines(ax: Axes) -> list[str]:
    groups = [group for group in ax.containers if isinstance(group, ErrorbarContainer)]
    names = {group.lines[0]: _name(group) for group in groups}
    whiskers = {cap for group in groups for cap in group.lines[1]}
    named, unnamed = [], []
    for line in ax.get_lines():
        x, y = (np.asarray(data, dtype=float) for data in line.get_data(orig=False))
        name, finite = names.get(line) or _name(line), np.isfinite(y)
        across = line.get_transform() != ax.transData and len(y) == 2  # of axhline, axvline
        if line in whiskers or not finite.any():
            continue
        x, y = x[finite], y[finite]
        way = f"from {y[0]:.3g} at {_at(ax, x[0])} to {y[-1]:.3g} at {_at(ax, x[-1])}{_extremes(y)}"
        if name:
            named.append(f"{name} at {y[0] if y[0] == y[1] else x[0]:.3g}" if across else f"{name} {way}")
        elif not across and len(y) > 2:
            unnamed.append(way)
    return named or unnamed[:4]


def _at(ax: Axes, x: float) -> str:
    """What stands at this place of the axis, or the number."""
    written = {
        place: label.get_text() for place, label in zip(ax.get_xticks(), ax.get_xticklabels(), strict=False)
    }  # none below a shared axis
    text = written.get(x, "")
    return text if text and "$" not in text and text != f"{x:.1f}" else f"{x:.4g}"


def _extremes(y: np.ndarray) -> str:
    low, high = np.nanmin(y), np.nanmax(y)
    between = [f"lowest {low:.3g}"] if low < min(y[0], y[-1]) else []
    between += [f"highest {high:.3g}"] if high > max(y[0], y[-1]) else []
    return f" ({', '.join(between)})" if between else ""


def _bars(ax: Axes) -> list[str]:
    words = []
    for group in ax.containers:
        if isinstance(group, BarContainer):
            flat = group.orientation == "horizontal"
            sizes = [bar.get_width() if flat else bar.get_height() for bar in group]
            ticks = [label.get_text() for label in (ax.get_yticklabels() if flat else ax.get_xticklabels())]
            places = [f"{bar.get_x() + bar.get_width() / 2:.3g}" for bar in group]
            names = ticks if len(ticks) == len(sizes) and all(ticks) else places
            numbers = ", ".join(f"{name} {size:.3g}" for name, size in zip(names, sizes, strict=True))
            if names is places and len(sizes) > MANY:
                numbers = f"{len(sizes)} bars, the highest {max(sizes):.3g} at {places[int(np.argmax(sizes))]}"
            words.append(": ".join(filter(None, (_name(group), numbers))))
    return words


def _points(ax: Axes) -> list[str]:
    return [
        f"{np.shape(group.get_offsets())[0]} points: {_name(group)}"
        for group in ax.collections
        if _name(group) and np.size(group.get_offsets())
    ]


def _name(artist) -> str:
    """Its label in the legend, if it has one."""
    label = artist.get_label()
    return "" if not isinstance(label, str) or label.startswith("_") else " ".join(label.split())
