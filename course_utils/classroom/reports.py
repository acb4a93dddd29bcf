"""What is left of a graded class: tables for programs, a page for each learner, a page for the class."""

import contextlib
import csv
import io
import json
import statistics
import subprocess
import zipfile
from collections import Counter
from collections.abc import Iterable
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import jinja2
from markupsafe import Markup

from course_utils import __version__
from course_utils.classroom.alike import alike
from course_utils.classroom.batch import page_of, safe
from course_utils.classroom.grading import CHANGED, STATUSES, Row
from course_utils.classroom.instructor_tables import CANVAS, DECIDED, MOODLE, Person, harmless
from course_utils.classroom.out import write
from course_utils.classroom.submission import Submission
from course_utils.exercise import EXERCISES
from course_utils.files import encoded, from_json
from course_utils.material.source_files import sources
from course_utils.paths import COURSE
from course_utils.tests.grade import CHECKS
from course_utils.tests.render import html_of, prose

ABSENT = "nothing was handed in"
COLUMNS = ("learner", "notebook", "exercise", "status", "points", "max_points", "reason")
SIGNS = dict(zip((*STATUSES, CHANGED), ("✓", "◐", "✗", "○", "⧖", "!", "?", "±"), strict=True))
CONTROLS = dict.fromkeys((*range(9), 11, 12, *range(14, 32), 127, 0xFFFE, 0xFFFF))  # which XML can't hold
PAGES = jinja2.Environment(
    loader=jinja2.FileSystemLoader(Path(__file__).with_name("pages")),
    autoescape=True,
    trim_blocks=True,
    lstrip_blocks=True,
)
PAGES.globals.update(signs=SIGNS, safe=safe)
PAGES.filters["prose"] = lambda text: Markup(prose(str(text)))


def write_reports(
    out: Path,
    learners: list[list[Row]],
    held: list[str],
    people: dict[str, Person] | None = None,
    notes: Iterable[str] = (),
    handed_in: Iterable[Submission] = (),
) -> list[str]:
    """All files of `out` but the rows themselves.

    Args:
        learners: the rows of each.
        held: what the sandbox did on this machine, in sentences.
        people: what is known of each learner, see `instructor_tables.people`.
        notes: what a person should look at besides the answers, in sentences.
        handed_in: by the names of whose files a platform knows whose feedback is whose.

    Returns:
        The notes, and what has changed since the last run.
    """
    people, notes = people or {}, [*notes, *_since_the_last_run(out, learners)]
    rows = [row for one in learners for row in one]
    pages = {page_of(one[0].learner): _page_or_why_not(one) for one in learners}
    files: dict[str, str | bytes] = {
        "grades.csv": _grades(rows),
        "totals.csv": _totals(learners, people),
        "canvas.csv": _canvas(learners, people),
        "grades.json": _json(rows, held),
        "junit.xml": _junit(learners),
        **pages,
        **_to_upload(pages, handed_in),
        "class.html": class_page(learners, held, notes),
    }
    write(out, files)
    return notes


def _page_or_why_not(rows: list[Row]) -> str:
    """A page that can't be drawn costs no other learner theirs."""
    try:
        return feedback_page(rows)
    except Exception as error:
        told = [replace(row, told={}, code="") for row in rows]
        told[0].reason += f"; the rest of this page could not be drawn ({type(error).__name__})"
        return feedback_page(told)


def _to_upload(pages: dict[str, str], handed_in: Iterable[Submission]) -> dict[str, bytes]:
    """An archive for each platform whose files were handed in, with the names under which it takes feedback for all at once."""
    archives: dict[str, io.BytesIO] = {}
    for one in handed_in:
        if one.packed and page_of(one.learner) in pages:
            archive = archives.setdefault(f"feedback_{one.platform.partition(',')[0].lower()}.zip", io.BytesIO())
            with zipfile.ZipFile(archive, "a", zipfile.ZIP_DEFLATED) as opened:
                opened.writestr(f"{one.packed}feedback.html", encoded(pages[page_of(one.learner)]))
    return {name: archive.getvalue() for name, archive in archives.items()}


@dataclass(frozen=True)
class Total:
    """What the rows of a learner come to: the points of those that have a mark, what all could bring, and how many have none yet."""

    points: int
    most: int
    waiting: int

    @classmethod
    def of(cls, rows: Iterable[Row]) -> "Total":
        rows = list(rows)
        waiting = sum(row.status == "needs a human" for row in rows)
        return cls(sum(mark(row) or 0 for row in rows), sum(row.max_points for row in rows), waiting)

    @property
    def mark(self) -> int | None:
        """None, an empty cell, which gradebooks leave as it is, while one of the rows has no mark."""
        return None if self.waiting else self.points


def mark(row: Row) -> int | None:
    """The points; None while the row needs a human."""
    return None if row.status == "needs a human" else row.points


def graded_now(rows: Iterable[Row]) -> dict[str, str]:
    """What stands at the head of a page: what was graded, when, and by which version of the course."""
    exercises: dict[str, set[str]] = {}
    for row in rows:
        exercises.setdefault(row.notebook, set()).update([row.exercise] if row.exercise else [])
    known, parts = {source.name: source for source in sources()}, []
    for notebook, names in exercises.items():
        all_of_it = len(known[notebook].exercises) if notebook in known else 0
        some = f" ({len(names)} of {all_of_it} exercises)" if len(names) < all_of_it else ""
        parts.append((known[notebook].title if notebook in known else notebook) + some)
    several = f"{len(parts)} notebooks, {min(exercises)[:2]} to {max(exercises)[:2]}"
    return {
        "title": ", ".join(parts) if len(parts) < 4 else several,
        "date": f"{datetime.now():%-d %B %Y}",
        "version": version(),
    }


def version() -> str:
    """Of the course: its number and, in a clone, what git calls it."""
    commit = ""
    if (COURSE / ".git").exists():
        with contextlib.suppress(OSError):  # without git
            ask = ["git", "describe", "--always", "--dirty"]
            commit = subprocess.run(ask, cwd=COURSE, capture_output=True, text=True).stdout.strip()
    return f"{__version__} ({commit})" if commit else __version__


def _since_the_last_run(out: Path, learners: list[list[Row]]) -> list[str]:
    """In sentences."""
    try:
        before = {
            (one["learner"], one["exercise"] or one["notebook"]): one
            for one in from_json((out / "grades.json").read_bytes())["rows"]
        }
    except (OSError, ValueError, KeyError, TypeError):
        return []
    rows = {(row.learner, row.exercise or row.notebook): row for one in learners for row in one}
    changed: dict[str, list[str]] = {}
    anew = []
    for (learner, exercise), row in rows.items():
        was = before.get((learner, exercise))
        if was and (was["status"], was["points"]) != (row.status, mark(row)):
            before_it, now = ("no mark" if one is None else one for one in (was["points"], mark(row)))
            changed.setdefault(learner, []).append(f"{exercise} {before_it} to {now}, {row.status}")
        if was and was["code"] != row.code and DECIDED in row.reason:
            anew.append(f"{learner}'s {exercise}")
    gone = sorted({learner for learner, _ in before} - {learner for learner, _ in rows})
    told = {
        "Changed since the last run": [f"{learner} ({'; '.join(what)})" for learner, what in changed.items()],
        "Decided by hand, though the answer has changed since": anew,
        "No longer handed in, so their page of feedback is removed": gone,
    }
    return [f"{what}: {', '.join(who)}." for what, who in told.items() if who]


# --- tables --------------------------------------------------------------------------------------------------------------


def _table(head: Iterable[str], rows: Iterable[Iterable[Any]]) -> str:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(head)
    writer.writerows([harmless(value) if isinstance(value, str) else value for value in row] for row in rows)
    return text.getvalue()


def _by_notebook(rows: list[Row]) -> dict[str, list[Row]]:
    return {name: [row for row in rows if row.notebook == name] for name in dict.fromkeys(row.notebook for row in rows)}


def _grades(rows: list[Row]) -> str:
    """A line for each row."""
    return _table(
        COLUMNS, ([mark(row) if name == "points" else getattr(row, name) for name in COLUMNS] for row in rows)
    )


def _totals(learners: list[list[Row]], people: dict[str, Person]) -> str:
    """A line for each learner, a column for each notebook: what a gradebook imports; and what Moodle knows them by."""
    notebooks = {name: sum(row.max_points for row in rows) for name, rows in _by_notebook(learners[0]).items()}
    known = [key for key in (*MOODLE, "Late") if any(key in person for person in people.values())]
    head = ["learner", *known, *(f"{name} ({most})" for name, most in notebooks.items()), "total", "needs a human"]

    def line(rows: list[Row]) -> list[Any]:
        who = people.get(rows[0].learner, {})
        points, total = [Total.of(of_one).mark for of_one in _by_notebook(rows).values()], Total.of(rows)
        return [rows[0].learner, *(who.get(key, "") for key in known), *points, total.mark, total.waiting]

    return _table(head, map(line, learners))


def _canvas(learners: list[list[Row]], people: dict[str, Person]) -> str:
    """As Canvas exports and imports its gradebook."""
    notebooks = {name: sum(row.max_points for row in rows) for name, rows in _by_notebook(learners[0]).items()}

    def line(rows: list[Row]) -> list[Any]:
        learner = rows[0].learner
        who = people.get(learner, {})
        named = {"Student": who.get("Full name", learner)} | who
        return [
            *(named.get(key, "") for key in CANVAS),
            *(Total.of(of_one).mark for of_one in _by_notebook(rows).values()),
        ]

    possible = ["    Points Possible", *[""] * (len(CANVAS) - 1), *notebooks.values()]
    return _table([*CANVAS, *notebooks], [possible, *map(line, learners)])


def _json(rows: list[Row], held: list[str]) -> str:
    content = {
        "made": datetime.now(UTC).isoformat(timespec="seconds"),
        "version": version(),
        "isolation": held,
        "rows": [asdict(row) | {"points": mark(row)} for row in rows],
    }
    return json.dumps(content, indent=1, ensure_ascii=False) + "\n"


def _junit(learners: list[list[Row]]) -> str:
    """A suite for each learner: a pass, or a failure with its reason; what was not handed in counts as skipped."""
    root = ElementTree.Element("testsuites")
    for rows in learners:
        count = Counter(row.status for row in rows)
        suite = ElementTree.SubElement(
            root, "testsuite", name=_clean(rows[0].learner), tests=str(sum(bool(row.exercise) for row in rows)), skipped=str(count["missing"]),
            errors=str(count["crashed"] + count["timed out"] + count["needs a human"]), failures=str(count["failed"] + count["partial"]),
        )  # fmt: skip
        for row in filter(lambda row: row.exercise, rows):
            case = ElementTree.SubElement(
                suite, "testcase", classname=f"{_clean(row.learner)}.{row.notebook}", name=row.exercise
            )
            kinds = {"passed": "", "missing": "skipped", "failed": "failure", "partial": "failure"}
            if kind := kinds.get(row.status, "error"):
                points = f"{row.points} of {row.max_points} points" if mark(row) is not None else "no mark yet"
                message = f"{row.status}, {points}: {row.reason}"
                ElementTree.SubElement(case, kind, message=_clean(message))
    ElementTree.indent(root)
    return ElementTree.tostring(root, encoding="unicode", xml_declaration=True) + "\n"


def _clean(text: str) -> str:
    return encoded(text.translate(CONTROLS)).decode()


# --- pages -----------------------------------------------------------------------------------------------------------------


def feedback_page(rows: list[Row]) -> str:
    """For one learner: what came of each exercise, their code, what the check says, what to look at next."""
    exercises = [row for row in rows if row.exercise]
    tried = [row for row in exercises if row.status != "missing"]
    said = {
        row.exercise: Markup(html_of(row.told, at_once=True))
        for row in tried
        if row.told.get("cases") and row.status in ("passed", "partial", "failed", "timed out")
    }
    shown = [row for row in tried if row.code or row.exercise in said]
    return PAGES.get_template("feedback.html").render(
        graded_now(rows), learner=rows[0].learner, rows=rows, exercises=exercises, tried=tried, shown=shown, total=Total.of(rows), said=said, next=_next(rows)
    )  # fmt: skip


def _next(rows: list[Row]) -> list[str]:
    """What to look at next, in at most three sentences: what is nearly right first, then what comes next in the course."""
    found = []
    for row in sorted(
        (row for row in rows if row.status == "partial"), key=lambda row: row.points / row.max_points, reverse=True
    ):
        questions = [question for _, question in row.told.get("diagnosis", []) if question]
        ask = next(iter(questions), "look at its first failing case below.")
        far = "is nearly there" if 2 * row.points >= row.max_points else "is begun"
        found.append(f"`{row.exercise}` {far} ({row.points} of {row.max_points} points): {ask}")
    for row in rows:
        if row.status in ("failed", "timed out", "crashed"):
            says = "look at its first failing case below" if row.told.get("cases") else row.reason.rstrip(".")
            found.append(
                f"`{row.exercise}`: {says}; the hints are folded below the check in notebook {row.notebook[:2]}."
            )
    for row in rows:
        if row.status == "missing":
            why = f": {row.reason}" if row.reason not in ("", "not filled in") else ""
            found.append(f"`{row.exercise}` in notebook {row.notebook[:2]} is the first that is open{why}.")
            break
    if not found and Total.of(rows).waiting:
        return ["Nothing until your instructor has looked at what has no mark yet."]
    return found[:3] or ["All of it is right."]


def class_page(learners: list[list[Row]], held: list[str], notes: Iterable[str] = ()) -> str:
    """For the instructor: how each exercise went, the misconceptions of this class, what to look at, answers that are alike."""
    rows = [row for one in learners for row in one if row.exercise]
    exercises = dict.fromkeys(row.exercise for row in rows)
    counts = {name: Counter(row.status for row in rows if row.exercise == name) for name in exercises}
    return PAGES.get_template("class.html").render(
        learners=learners,
        statuses=STATUSES,
        exercises=[
            (name, next(row.notebook for row in rows if row.exercise == name), counts[name]) for name in exercises
        ],
        misconceptions=_misconceptions(rows),
        slips=Counter(_slip(slip) for row in rows for slip in row.slips).most_common(10),
        look=_grouped(row for row in rows if row.status == "needs a human"),
        ended=_grouped(row for row in rows if row.status in ("timed out", "crashed")),
        alike=alike(rows)[:30],
        held=held,
        notes=list(notes),
        totals={one[0].learner: Total.of(one) for one in learners},
        spread=_spread(learners),
        most=max(len(learners), 1),
        **graded_now(rows),
    )


@dataclass(frozen=True)
class Spread:
    """The totals of those who handed something in and have no row without a mark.

    Attributes:
        bars: tenths of all points -> learners, the last one full marks and beyond included.
        waiting, absent: how many are not counted, since a mark is missing or they handed in nothing.
    """

    bars: list[tuple[str, int]]
    mean: float
    median: float
    counted: int
    waiting: int
    absent: int
    most: int


def _spread(learners: list[list[Row]]) -> Spread | None:
    """None if nobody has a total."""
    there = [Total.of(rows) for rows in learners if any(row.reason != ABSENT for row in rows)]
    counted = [total for total in there if not total.waiting]
    if not counted:
        return None
    tenths = Counter(min(9, 10 * total.points // max(total.most, 1)) for total in counted)
    names = [f"{10 * tenth}–{10 * tenth + 9}" for tenth in range(9)] + ["90–100"]
    points = [total.points for total in counted]
    return Spread(
        [(name, tenths[tenth]) for tenth, name in enumerate(names)],
        statistics.mean(points),
        statistics.median(points),
        len(counted),
        len(there) - len(counted),
        len(learners) - len(there),
        counted[0].most,
    )


def _grouped(rows: Iterable[Row]) -> list[tuple[str, str, dict[str, list[str]]]]:
    """(status, reason, learner -> exercises), what is said most often first."""
    found: dict[tuple[str, str], dict[str, list[str]]] = {}
    for row in rows:
        found.setdefault((row.status, row.reason), {}).setdefault(row.learner, []).append(row.exercise)
    ranked = sorted(found.items(), key=lambda item: -sum(map(len, item[1].values())))
    return [(status, reason, who) for (status, reason), who in ranked]


def _slip(sentence: str) -> str:
    """Without the line in which it stands."""
    return sentence.partition(": ")[2] if sentence.startswith("Line ") else sentence


def _misconceptions(rows: list[Row]) -> list[tuple[str, str, str, list[str]]]:
    """(exercise, name, sentence, learners), the commonest first."""
    found: dict[tuple[str, str], list[str]] = {}
    for row in rows:
        for name in row.misconceptions:
            found.setdefault((row.exercise, name), []).append(row.learner)
    sentences = {
        (exercise, name): next((one.sentence for one in CHECKS[exercise].wrong if one.name == name), "")
        for exercise, name in found
        if exercise in EXERCISES
    }
    ranked = sorted(found.items(), key=lambda item: (-len(item[1]), item[0]))
    return [(exercise, name, sentences.get((exercise, name), ""), who) for (exercise, name), who in ranked]
