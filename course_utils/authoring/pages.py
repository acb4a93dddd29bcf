"""Generate the README's table and the pages of docs/ from Jinja templates, in which every measured figure is an
expression.
"""

from pathlib import Path

import jinja2

from course_utils.files import replace_between, write_atomically
from course_utils.limits import LIMITS
from course_utils.material.address import badges
from course_utils.material.selection import chosen, course
from course_utils.material.source_files import sources
from course_utils.paths import COURSE
from course_utils.results import load_result
from course_utils.tests.grade import WHOLE_CHECK

DOCS, README = COURSE / "docs", COURSE / "README.md"
TEACHING = ("instructor.md", "grading.md", "sessions.md")


def write(commands_page: str) -> None:
    """Write all generated pages. A class's copy has its own README and no docs, so there nothing is written."""
    if DOCS.is_dir():
        write_atomically(README, readme_with_table(README.read_text("utf-8")))
        write_atomically(DOCS / "commands.md", commands_page)
        for name in TEACHING:
            write_atomically(DOCS / name, teaching_page(name))


def readme_with_table(text: str) -> str:
    """The README with new badges and a new table of notebooks between their markers."""
    rows = ["| notebook | minutes | what you write |", "|---|---|---|"]
    for source in sources():
        names = ", ".join(f"`{name}`{' (extra)' * (name in source.extras)}" for name in source.exercises)
        link = f"[{source.name[:2]} {source.title}](notebooks/solutions/{source.name}.ipynb)"
        rows.append(f"| {link} | {source.minutes} | {names or '-'} |")
    return replace_between(replace_between(text, "badges", badges()), "notebooks", rows)


def page(source: Path, **figures) -> str:
    """Render a template. Raises jinja2.UndefinedError or ValueError: the template uses a missing name or result."""
    environment = jinja2.Environment(undefined=jinja2.StrictUndefined, keep_trailing_newline=True)
    environment.filters |= figures
    return environment.from_string(source.read_text("utf-8")).render(**figures)


def teaching_page(name: str) -> str:
    """Render a page for instructors."""
    made = page(DOCS / "source" / name, result=load_result, limits=LIMITS, minutes=minutes, whole_check=WHOLE_CHECK)
    return f"<!-- Made from docs/source/{name} by `make notebooks`; edit that. -->\n{made}"


def minutes(only: str, road: str = "") -> int:
    """The minutes that a selection takes, rounded to 5.

    If only some exercises of a notebook are selected, its minutes count in proportion.
    """
    notebooks, exercises = chosen(only, road)
    takes = {entry["id"]: entry["minutes"] for entry in course()}
    total, given = 0.0, {entry["id"] for entry in exercises}
    for source in notebooks:
        whole = [name for name in source.exercises if name not in source.extras]
        given_minutes = sum(takes[name] for name in given.intersection(whole))
        total += source.minutes * (given_minutes / sum(takes[name] for name in whole) if whole else 1)
        total += sum(takes[name] for name in given.intersection(source.extras))
    return 5 * round(total / 5)
