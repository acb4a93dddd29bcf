"""The colors of the course. Figures, widgets and notebooks take them from here and define none of their own.

BLUE, ORANGE, TEAL, INK and GRAY are told apart with any kind of color vision (a test computes it), and none of them
alone says
anything: marks have shapes, lines styles, and legends words.
"""

from typing import Any

PAPER, CARD = "#fbfaf7", "#ffffff"  # behind a figure, and behind what is drawn on it
INK, FAINT, GRID, SPARE = "#22303c", "#5d6b76", "#b9c1c7", "#e3e6e8"  # text; small text, frames; lines; what is empty
BLUE, ORANGE, TEAL, GRAY = "#1f4e8c", "#bf5518", "#2a8c82", "#9aa7b0"
COLOR = {1: BLUE, -1: ORANGE}  # X, who moves first, and O
LATEST = "#fdf1cf"  # behind the latest stone
WRONG = "#b3261e"  # what a check refused

STYLE: dict[Any, Any] = {  # of matplotlib, in every notebook that imports `course_utils.ui`
    "figure.dpi": 80,  # small pictures keep a notebook small
    "font.size": 11,  # nothing is smaller than 10 (a test looks)
    "axes.titlesize": 12,
    "axes.labelsize": 11,
    **dict.fromkeys(("xtick.labelsize", "ytick.labelsize", "legend.fontsize"), 10),
    "figure.facecolor": PAPER,
    "savefig.facecolor": PAPER,
    "axes.facecolor": CARD,
    "axes.edgecolor": FAINT,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.prop_cycle": f"cycler('color', {[BLUE, ORANGE, TEAL, INK, GRAY]})",
    "grid.color": SPARE,
    "legend.frameon": False,
    **dict.fromkeys(("text.color", "axes.labelcolor", "xtick.color", "ytick.color"), INK),
}


def mixed(color: str, share: float) -> str:
    """So much of the color, from 0 to 1, and white for the rest."""
    parts = (int(color[place : place + 2], 16) for place in (1, 3, 5))
    return "#" + "".join(f"{round(share * channel + 255 * (1 - share)):02x}" for channel in parts)


def tint(share: float) -> str:
    """White at 0; at 1 teal that dark text is still easy to read on."""
    return mixed(TEAL, 0.55 * share)
