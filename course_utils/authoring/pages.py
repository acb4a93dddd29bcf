"""The README's table, and the pages of docs/ that are made: Jinja templates in which every measured figure is an expression, so none is typed."""

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
    """Write all of them, except in a class's copy, which has a README of its own and no docs."""
    if DOCS.is_dir():
        write_atomically(README, readme_with_table(README.read_text("utf-8")))
        write_atomically(DOCS / "commands.md", commands_page)
        for name in TEACHING:
            write_atomically(DOCS / name, teaching_page(name))


def readme_with_table(text: str) -> str:
    """The README, with its badges and the table of notebooks between their markers made anew."""
    rows = ["| notebook | minutes | what you write |", "|---|---|---|"]
    for source in sources():
        names = ", ".join(f"`{name}`{' (extra)' * (name in source.extras)}" for name in source.exercises)
        link = f"[{source.name[:2]} {source.title}](notebooks/solutions/{source.name}.ipynb)"
        rows.append(f"| {link} | {source.minutes} | {names or '-'} |")
    return replace_between(replace_between(text, "badges", badges()), "notebooks", rows)


def page(source: Path, **figures) -> str:
    """The page of this source. Raises jinja2.UndefinedError or ValueError: it asks for what there isn't."""
    environment = jinja2.Environment(undefined=jinja2.StrictUndefined, keep_trailing_newline=True)
    environment.filters |= figures
    return environment.from_string(source.read_text("utf-8")).render(**figures)


def teaching_page(name: str) -> str:
    """A page for instructors."""
    made = page(DOCS / "source" / name, result=load_result, limits=LIMITS, minutes=minutes, whole_check=WHOLE_CHECK)
    return f"<!-- Made from docs/source/{name} by `make notebooks`; edit that. -->\n{made}"


def minutes(only: str, road: str = "") -> int:
    """What a week takes, in fives: the minutes of its notebooks; of a notebook given in part, the share that its exercises have; and its extras."""
    notebooks, exercises = chosen(only, road)
    takes = {entry["id"]: entry["minutes"] for entry in course()}
    found, given = 0.0, {entry["id"] for entry in exercises}
    for source in notebooks:
        whole = [name for name in source.exercises if name not in source.extras]
        part, all_of_it = (sum(takes[name] for name in names) for names in ([*given.intersection(whole)], whole))
        found += source.minutes * (part / all_of_it if whole else 1)
        found += sum(takes[name] for name in given.intersection(source.extras))
    return 5 * round(found / 5)
