"""From the saved results to what is read: the pages of docs/ from their sources, and the picture on them.

Sources lie in lab/pages. The tables stand beside their measurements (`lab/shown.py`).
"""

import hashlib
import importlib
import json
import pkgutil
from pathlib import Path

import matplotlib.pyplot as plt

import lab
from course_utils.agents import card
from course_utils.authoring import pages as pages_of_docs
from course_utils.files import write_atomically
from course_utils.learning.exam import POSITIONS
from course_utils.ui.palette import STYLE
from lab import connect_four, search_speed, tictactoe
from lab.experiment import EXPERIMENTS, register_all
from lab.experiments import thesis_run
from lab.saving import load_result, names
from lab.shown import FIGURES, figure

for module in pkgutil.iter_modules(lab.__path__):
    if not module.ispkg and module.name not in ("__main__", "report"):
        importlib.import_module(f"lab.{module.name}")  # its tables
register_all()
DOCS, SOURCES = pages_of_docs.DOCS, Path(__file__).with_name("pages")
DRAWN = {"search_speed": search_speed.draw, "tictactoe_proof": tictactoe.draw, "connect_four_course": connect_four.draw}


@figure
def unmeasured() -> list[str]:
    """Experiments that have no result."""
    return sorted(set(EXPERIMENTS) - set(names()))


FIGURES.update(
    card=card("connect_four"),
    positions=json.loads(POSITIONS.read_text("utf-8"))["meta"],
)


def page(name: str) -> str:
    """The page docs/NAME, from its source. Raises jinja2.UndefinedError or ValueError: it asks for what there isn't."""
    return pages_of_docs.page(SOURCES / name, **FIGURES)


def pages() -> list[str]:
    return sorted(path.name for path in SOURCES.glob("*.md"))


def draw() -> plt.Figure:
    """Search speed, the way to a proven player, and strength over time, side by side."""
    figure, axes = plt.subplots(1, len(DRAWN), figsize=(11, 4.6), layout="constrained")
    for ax, (name, panel) in zip(axes, DRAWN.items(), strict=True):
        panel(ax, load_result(name))
        ax.grid(axis="y", linewidth=0.7)
        ax.set_axisbelow(True)
    return figure


PICTURES = {
    "performance.png": (draw, (*DRAWN, "connect_four_others")),
    "thesis_run.png": (thesis_run.draw, ("thesis_run",)),
}


def fingerprint(picture: str) -> str:
    """Of the rows that the picture shows; it is kept in the file."""
    shown = [load_result(name).rows for name in PICTURES[picture][1]]
    return hashlib.sha256(json.dumps(shown).encode()).hexdigest()


def report() -> None:
    """Make all of it anew."""
    for name in pages():
        write_atomically(DOCS / name, page(name))
    for name, (drawn, _) in PICTURES.items():
        with plt.rc_context(STYLE):
            drawn().savefig(DOCS / "images" / name, dpi=110, metadata={"Results": fingerprint(name)})
    print(f"made anew: {', '.join(pages())} and {', '.join(PICTURES)}, in docs/")
