"""The results of a class as files: tables for programs, a page for each learner, a page for the class."""

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

import jinja2
from markupsafe import Markup

from course_utils import __version__
from course_utils.classroom.batch import page_of, safe
from course_utils.classroom.grading import Row
from course_utils.classroom.instructor_tables import CANVAS, DECIDED, MOODLE, Person, harmless
from course_utils.classroom.output_folder import write
from course_utils.classroom.similar_answers import similar_answers
from course_utils.classroom.submission import Submission
from course_utils.classroom.verdict import ABSENT, NOT_FILLED_IN, STATUSES, Status
from course_utils.exercise import EXERCISES
from course_utils.files import encoded, from_json
from course_utils.material.source_files import sources
from course_utils.paths import COURSE
from course_utils.tests.grade import CHECKS
from course_utils.tests.render import html_of, prose

COLUMNS = ("learner", "notebook", "exercise", "status", "points", "max_points", "reason")
SIGNS = dict(zip(Status, "✓◐✗○⧖!?±", strict=True))
CHECKED = (Status.PASSED, Status.PARTIAL, Status.FAILED, Status.TIMED_OUT)  # by the exercise's check
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
    """Write all files of `out` but the rows themselves.

    Args:
        learners: the rows of each.
        held: how this machine isolated the answers, in sentences.
        people: what is known about each learner, see `instructor_tables.people`.
        notes: what a person should look at besides the answers, in sentences.
        handed_in: the submissions, whose files' names tell a platform whose feedback is whose.

    Returns:
        The notes, and what has changed since the last run.
    """
    people, notes = people or {}, [*notes, *_since_the_last_run(out, learners)]
    all_rows = [row for rows in learners for row in rows]
    pages = {page_of(rows[0].learner): _page_or_why_not(rows) for rows in learners}
    files: dict[str, str | bytes] = {
        "grades.csv": _grades(all_rows),
        "totals.csv": _totals(learners, people),
        "canvas.csv": _canvas(learners, people),
        "grades.json": _json(all_rows, held),
        **pages,
        **_to_upload(pages, handed_in),
        "class.html": class_page(learners, held, notes),
    }
    write(out, files)
    return notes


def _page_or_why_not(rows: list[Row]) -> str:
    """If a page can't be drawn, only this learner's page is shortened."""
    try:
        return feedback_page(rows)
    except Exception as error:
        told = [replace(row, told={}, code="") for row in rows]
        told[0].reason += f"; the rest of this page could not be drawn ({type(error).__name__})"
        return feedback_page(told)


def _to_upload(pages: dict[str, str], handed_in: Iterable[Submission]) -> dict[str, bytes]:
    """An archive of feedback for each platform whose files were handed in, with the file names that it expects."""
    archives: dict[str, io.BytesIO] = {}
    for submission in handed_in:
        page = page_of(submission.learner)
        if submission.feedback_prefix and page in pages:
            platform = submission.platform.partition(",")[0].lower()
            archive = archives.setdefault(f"feedback_{platform}.zip", io.BytesIO())
            with zipfile.ZipFile(archive, "a", zipfile.ZIP_DEFLATED) as opened:
                opened.writestr(f"{submission.feedback_prefix}feedback.html", encoded(pages[page]))
    return {name: archive.getvalue() for name, archive in archives.items()}


@dataclass(frozen=True)
class Total:
    """The sum of a learner's rows: points so far, the maximum, and how many rows have no mark yet."""

    points: int
    most: int
    waiting: int

    @classmethod
    def of(cls, rows: Iterable[Row]) -> "Total":
        rows = list(rows)
        waiting = sum(row.status == Status.NEEDS_A_HUMAN for row in rows)
        return cls(sum(mark(row) or 0 for row in rows), sum(row.max_points for row in rows), waiting)

    @property
    def mark(self) -> int | None:
        """None while a row has no mark: an empty cell, which gradebooks leave as it is."""
        return None if self.waiting else self.points


def mark(row: Row) -> int | None:
    """The points; None while the row needs a human."""
    return None if row.status == Status.NEEDS_A_HUMAN else row.points


def graded_now(rows: Iterable[Row]) -> dict[str, str]:
    """The head of a page: what was graded, when, and by which version of the course."""
    exercises: dict[str, set[str]] = {}
    for row in rows:
        exercises.setdefault(row.notebook, set()).update([row.exercise] if row.exercise else [])
    by_name, titles = {source.name: source for source in sources()}, []
    for notebook, names in exercises.items():
        count = len(by_name[notebook].exercises) if notebook in by_name else 0
        share = f" ({len(names)} of {count} exercises)" if len(names) < count else ""
        titles.append((by_name[notebook].title if notebook in by_name else notebook) + share)
    several = f"{len(titles)} notebooks, {min(exercises)[:2]} to {max(exercises)[:2]}"
    return {
        "title": ", ".join(titles) if len(titles) < 4 else several,
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
    """What has changed, in sentences."""
    try:
        rows_before = from_json((out / "grades.json").read_bytes())["rows"]
        before = {(row["learner"], row["exercise"] or row["notebook"]): row for row in rows_before}
    except (OSError, ValueError, KeyError, TypeError):
        return []
    now = {(row.learner, row.exercise or row.notebook): row for rows in learners for row in rows}
    changed: dict[str, list[str]] = {}
    replaced = []
    for (learner, exercise), row in now.items():
        if not (old := before.get((learner, exercise))):
            continue
        if (old["status"], old["points"]) != (row.status, mark(row)):
            old_mark, new_mark = ("no mark" if points is None else points for points in (old["points"], mark(row)))
            changed.setdefault(learner, []).append(f"{exercise} {old_mark} to {new_mark}, {row.status}")
        if old["code"] != row.code and DECIDED in row.reason:
            replaced.append(f"{learner}'s {exercise}")
    gone = sorted({learner for learner, _ in before} - {learner for learner, _ in now})
    sentences = {
        "Changed since the last run": [f"{learner} ({'; '.join(changes)})" for learner, changes in changed.items()],
        "Decided by hand, though the answer has changed since": replaced,
        "No longer handed in, so their page of feedback is removed": gone,
    }
    return [f"{head}: {', '.join(items)}." for head, items in sentences.items() if items]


# --- tables -----------------------------------------------------------------------------------------------------------


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
    """A line for each learner, a column for each notebook, as gradebooks import it."""
    notebooks = {name: sum(row.max_points for row in rows) for name, rows in _by_notebook(learners[0]).items()}
    columns = [key for key in (*MOODLE, "Late") if any(key in person for person in people.values())]
    head = ["learner", *columns, *(f"{name} ({most})" for name, most in notebooks.items()), "total", "needs a human"]

    def line(rows: list[Row]) -> list[Any]:
        person, total = people.get(rows[0].learner, {}), Total.of(rows)
        marks = [Total.of(of_notebook).mark for of_notebook in _by_notebook(rows).values()]
        return [rows[0].learner, *(person.get(key, "") for key in columns), *marks, total.mark, total.waiting]

    return _table(head, map(line, learners))


def _canvas(learners: list[list[Row]], people: dict[str, Person]) -> str:
    """As Canvas exports and imports its gradebook."""
    notebooks = {name: sum(row.max_points for row in rows) for name, rows in _by_notebook(learners[0]).items()}

    def line(rows: list[Row]) -> list[Any]:
        learner = rows[0].learner
        person = people.get(learner, {})
        person = {"Student": person.get("Full name", learner)} | person
        marks = [Total.of(of_notebook).mark for of_notebook in _by_notebook(rows).values()]
        return [*(person.get(key, "") for key in CANVAS), *marks]

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


# --- pages ------------------------------------------------------------------------------------------------------------


def feedback_page(rows: list[Row]) -> str:
    """For one learner: the result of each exercise, their code, what the check says, what to look at next."""
    exercises = [row for row in rows if row.exercise]
    tried = [row for row in exercises if row.status != Status.MISSING]
    reports = {
        row.exercise: Markup(html_of(row.told, at_once=True))
        for row in tried
        if row.told.get("cases") and row.status in CHECKED
    }
    shown = [row for row in tried if row.code or row.exercise in reports]
    return PAGES.get_template("feedback.html").render(
        graded_now(rows), learner=rows[0].learner, rows=rows, exercises=exercises, tried=tried, shown=shown,
        total=Total.of(rows), reports=reports, next=_next(rows),
    )  # fmt: skip


def _next(rows: list[Row]) -> list[str]:
    """What to look at next, in at most three sentences, what is nearly right first."""
    sentences = []
    for row in sorted(
        (row for row in rows if row.status == Status.PARTIAL), key=lambda row: row.points / row.max_points, reverse=True
    ):
        questions = [question for _, question in row.told.get("diagnosis", []) if question]
        ask = next(iter(questions), "look at its first failing case below.")
        far = "is nearly there" if 2 * row.points >= row.max_points else "is begun"
        sentences.append(f"`{row.exercise}` {far} ({row.points} of {row.max_points} points): {ask}")
    for row in rows:
        if row.status in (Status.FAILED, Status.TIMED_OUT, Status.CRASHED):
            advice = "look at its first failing case below" if row.told.get("cases") else row.reason.rstrip(".")
            sentences.append(
                f"`{row.exercise}`: {advice}; the hints are folded below the check in notebook {row.notebook[:2]}."
            )
    for row in rows:
        if row.status == Status.MISSING:
            why = f": {row.reason}" if row.reason not in ("", NOT_FILLED_IN) else ""
            sentences.append(f"`{row.exercise}` in notebook {row.notebook[:2]} is the first that is open{why}.")
            break
    if not sentences and Total.of(rows).waiting:
        return ["Nothing until your instructor has looked at what has no mark yet."]
    return sentences[:3] or ["All of it is right."]


def class_page(learners: list[list[Row]], held: list[str], notes: Iterable[str] = ()) -> str:
    """For the instructor: how each exercise went, this class's misconceptions, what to look at, similar answers."""
    rows = [row for of_learner in learners for row in of_learner if row.exercise]
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
        look=_grouped(row for row in rows if row.status == Status.NEEDS_A_HUMAN),
        ended=_grouped(row for row in rows if row.status in (Status.TIMED_OUT, Status.CRASHED)),
        similar=similar_answers(rows)[:30],
        held=held,
        notes=list(notes),
        totals={of_learner[0].learner: Total.of(of_learner) for of_learner in learners},
        spread=_spread(learners),
        most=max(len(learners), 1),
        **graded_now(rows),
    )


@dataclass(frozen=True)
class Spread:
    """The totals of the learners who handed something in and whose rows all have marks.

    Attributes:
        bars: tenths of all points -> learners, the last one full marks and beyond included.
        waiting, absent: how many learners are not counted, since a mark is missing or they handed in nothing.
    """

    bars: list[tuple[str, int]]
    mean: float
    median: float
    counted: int
    waiting: int
    absent: int
    most: int


def _spread(learners: list[list[Row]]) -> Spread | None:
    """None if no learner has a total."""
    handed_in = [Total.of(rows) for rows in learners if any(row.reason != ABSENT for row in rows)]
    counted = [total for total in handed_in if not total.waiting]
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
        len(handed_in) - len(counted),
        len(learners) - len(handed_in),
        counted[0].most,
    )


def _grouped(rows: Iterable[Row]) -> list[tuple[str, str, dict[str, list[str]]]]:
    """(status, reason, learner -> exercises), the commonest first."""
    groups: dict[tuple[str, str], dict[str, list[str]]] = {}
    for row in rows:
        groups.setdefault((row.status, row.reason), {}).setdefault(row.learner, []).append(row.exercise)
    ranked = sorted(groups.items(), key=lambda item: -sum(map(len, item[1].values())))
    return [(status, reason, learners) for (status, reason), learners in ranked]


def _slip(sentence: str) -> str:
    """Without the number of its line."""
    return sentence.partition(": ")[2] if sentence.startswith("Line ") else sentence


def _misconceptions(rows: list[Row]) -> list[tuple[str, str, str, list[str]]]:
    """(exercise, name, sentence, learners), the commonest first."""
    learners: dict[tuple[str, str], list[str]] = {}
    for row in rows:
        for name in row.misconceptions:
            learners.setdefault((row.exercise, name), []).append(row.learner)
    ranked = sorted(learners.items(), key=lambda item: (-len(item[1]), item[0]))
    return [(exercise, name, _sentence(exercise, name), names) for (exercise, name), names in ranked]


def _sentence(exercise: str, misconception: str) -> str:
    wrong = CHECKS[exercise].wrong if exercise in EXERCISES else ()
    return next((mistake.sentence for mistake in wrong if mistake.name == misconception), "")
