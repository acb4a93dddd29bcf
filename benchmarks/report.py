"""From the saved results to what is read: the pages of docs/ from their sources, and the picture on them.

A page is a Jinja template in docs/source; every measured figure in it is an expression, so none is typed. The tables stand beside their
measurements (`benchmarks/shown.py`).
"""

import hashlib
import importlib
import json
import pkgutil

import jinja2
import matplotlib.pyplot as plt

import benchmarks
from benchmarks import connect_four, search_speed, tictactoe
from benchmarks.experiment import EXPERIMENTS, register_all
from benchmarks.shown import FIGURES, figure
from course_utils.agents import card
from course_utils.course.classroom.sandbox import LIMITS
from course_utils.course.classroom.selection import chosen, course
from course_utils.files import write_atomically
from course_utils.learning.exam import POSITIONS
from course_utils.paths import COURSE
from course_utils.results import load_result, names
from course_utils.ui.palette import STYLE

for module in pkgutil.iter_modules(benchmarks.__path__):
    if module.name != "__main__":
        importlib.import_module(f"benchmarks.{module.name}")  # its tables
register_all()
DOCS = COURSE / "docs"
SOURCES, PICTURE = DOCS / "source", DOCS / "images" / "performance.png"
DRAWN = {"search_speed": search_speed.draw, "tictactoe_proof": tictactoe.draw, "connect_four_course": connect_four.draw}


@figure
def unmeasured() -> list[str]:
    """Experiments that have no result."""
    return sorted(set(EXPERIMENTS) - set(names()))


@figure
def minutes(only: str, road: str = "") -> int:
    """What a week takes, in fives: the minutes of its notebooks; of a notebook given in part, the share that its exercises have."""
    notebooks, exercises = chosen(only, road)
    takes = {entry["id"]: entry["minutes"] for entry in course()}
    found = 0.0
    for source in notebooks:
        whole = sum(takes[name] for name in source.exercises)
        part = sum(entry["minutes"] for entry in exercises if entry["notebook"] == source.name)
        found += source.minutes * (part / whole if whole else 1)
    return 5 * round(found / 5)


FIGURES.update(
    card=card("connect_four"),
    positions=json.loads(POSITIONS.read_text("utf-8"))["meta"],
    limits=LIMITS,
)


def page(name: str) -> str:
    """The page docs/NAME, from its source. Raises jinja2.UndefinedError or ValueError: it asks for what there isn't."""
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(SOURCES), undefined=jinja2.StrictUndefined, keep_trailing_newline=True
    )
    environment.filters |= FIGURES
    return environment.get_template(name).render(**FIGURES)


def pages() -> list[str]:
    return sorted(path.name for path in SOURCES.glob("*.md"))


def fingerprint() -> str:
    """Of the rows that the picture shows; it is kept in the file."""
    shown = [load_result(name).rows for name in (*DRAWN, "connect_four_others")]
    return hashlib.sha256(json.dumps(shown).encode()).hexdigest()


def draw() -> plt.Figure:
    """Search speed, the way to a proven player, and strength over time, side by side."""
    figure, axes = plt.subplots(1, len(DRAWN), figsize=(11, 4.6), layout="constrained")
    for ax, (name, panel) in zip(axes, DRAWN.items(), strict=True):
        panel(ax, load_result(name))
        ax.grid(axis="y", linewidth=0.7)
        ax.set_axisbelow(True)
    return figure


def report() -> None:
    """Make all of it anew."""
    for name in pages():
        write_atomically(DOCS / name, page(name))
    with plt.rc_context(STYLE):
        draw().savefig(PICTURE, dpi=110, metadata={"Results": fingerprint()})
    print(f"made anew: {', '.join(pages())} and {PICTURE.name}, in docs/")
