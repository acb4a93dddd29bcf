"""What an instructor gives in tables: who is who (ROSTER), and the points decided by hand (OUT/overrides.csv)."""

import csv
import io
import unicodedata
from collections.abc import Iterable
from pathlib import Path

from course_utils.course.classroom.chosen import course
from course_utils.course.classroom.judge import Row
from course_utils.course.classroom.submission import Submission

Person = dict[str, str]  # column -> value, for the columns below
CANVAS = ("Student", "ID", "SIS User ID", "SIS Login ID", "Section")  # by which Canvas' gradebook knows a learner
MOODLE = ("Full name", "Email address", "Username", "ID number", "Identifier")  # and Moodle
COLUMNS = {name.lower(): name for name in (*CANVAS, *MOODLE, "First name", "Last name")}
COLUMNS |= {"surname": "Last name", "email": "Email address", "e-mail": "Email address"}  # older or shorter names
UNIQUE = ("ID", "SIS User ID", "SIS Login ID", "Email address", "Username", "ID number")  # what a folder may be called
OVERRIDES = "overrides.csv"


def _lines(path: Path) -> list[tuple[int, dict[str, str]]]:
    """The numbered lines of a CSV file with commas, semicolons or tabs, whatever program has saved it.

    Raises:
        ValueError: it can't be read.
    """
    try:
        text = path.read_bytes().decode("utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise ValueError(f"{path} can't be read as a table, CSV in UTF-8: {error}") from None
    text = unicodedata.normalize("NFC", text.replace("\r\n", "\n").replace("\r", "\n"))
    head = text.partition("\n")[0]
    reader = csv.DictReader(io.StringIO(text), delimiter=max(",;\t", key=head.count))
    try:
        lines = [(reader.line_num, line) for line in reader]
    except csv.Error as error:
        raise ValueError(f"{path} can't be read as a table, CSV in UTF-8: {error}") from None
    return [
        (number, {key.strip(): (value or "").strip() for key, value in line.items() if key}) for number, line in lines
    ]


# --- who is who --------------------------------------------------------------------------------------------------------


def read_roster(path: Path) -> list[Person]:
    """An exported gradebook of Canvas, or Moodle's participants, grades or grading worksheet.

    Raises:
        ValueError: it is no such table.
    """
    people = []
    for _, line in _lines(path):
        one = {COLUMNS[key.lower()]: value for key, value in line.items() if key.lower() in COLUMNS and value}
        if "First name" in one or "Last name" in one:
            one.setdefault("Full name", f"{one.pop('First name', '')} {one.pop('Last name', '')}".strip())
        if one.keys() & {*UNIQUE, "Identifier", "Full name"}:  # and not the line of the points possible
            people.append(one)
    if not people:
        raise ValueError(f"{path} names nobody: it must have some of the columns {', '.join((*CANVAS, *MOODLE))}")
    return people


def people(handed_in: Iterable[Submission], roster: list[Person]) -> tuple[dict[str, Person], list[str]]:
    """What is known of each learner, and those whom the roster does not name, or more than once, or as somebody else, too.

    A number that the platform gave decides alone; else a login, e-mail address or number; else the name, its letters only.
    """
    known: dict[str, Person] = {}
    unknown = []
    handed_in = list(handed_in)
    all_found = [person for one in handed_in for person in _found(one, roster)]
    for one in handed_in:
        own = {
            "Canvas": {"Student": one.name, "ID": one.number},
            "Moodle": {"Full name": one.name, "Identifier": f"Participant {one.number}"},
        }.get(one.platform, {"SIS Login ID": one.learner})
        found = _found(one, roster)
        if len(found) == 1 and sum(person is found[0] for person in all_found) == 1:
            own = found[0] if not one.platform else own | found[0]
        elif roster:
            unknown.append(one.learner)
        known[one.learner] = own
    return known, unknown


def _found(one: Submission, roster: list[Person]) -> list[Person]:
    column = {"Canvas": "ID", "Moodle": "Identifier"}.get(one.platform, "")
    if column and any(column in person for person in roster):
        return [person for person in roster if person.get(column, "").rpartition(" ")[2] == one.number]
    logins = [person for person in roster if any(person.get(key, "").lower() == one.name.lower() for key in UNIQUE)]
    names = [person for person in roster if _letters(one.name) in {_letters(name) for name in _names(person)} - {""}]
    return logins or names


def _names(person: Person) -> list[str]:
    """As Canvas says it, "Last, First", and as it is spoken."""
    student = person.get("Student", "")
    last, _, first = student.partition(",")
    return [student, first + last, person.get("Full name", "")]


def _letters(text: str) -> str:
    return "".join(letter for letter in text.lower() if letter.isalnum())


# --- decided by hand -----------------------------------------------------------------------------------------------------


def read_overrides(path: Path, learners: Iterable[str]) -> dict[tuple[str, str], int]:
    """(learner, exercise) -> points, of a table with the columns learner, exercise, points; {} if there is none.

    Raises:
        ValueError: a line names nobody, no exercise, or points that the exercise has not.
    """
    if not path.exists():
        return {}
    most, names, found = {entry["id"]: entry["points"] for entry in course()}, set(learners), {}
    for number, line in _lines(path):
        if not any(line.values()):
            continue
        learner, exercise, points = (line.get(key, "") for key in ("learner", "exercise", "points"))
        learner = learner if learner in names else learner.removeprefix("'")  # as tables for spreadsheets write it
        if learner not in names:
            raise ValueError(f"{path}, line {number}: no submission is of {learner!r}")
        if exercise not in most:
            raise ValueError(f"{path}, line {number}: no exercise is called {exercise!r}")
        if not points.isdecimal() or int(points) > most[exercise]:
            raise ValueError(f"{path}, line {number}: {exercise} has 0 to {most[exercise]} points, not {points!r}")
        found[learner, exercise] = int(points)
    return found


def override(row: Row, overrides: dict[tuple[str, str], int]) -> None:
    """Where a person has decided, that counts."""
    points = overrides.get((row.learner, row.exercise))
    if points is not None:
        row.reason = f"decided by hand; before: {row.status}, {row.reason}"
        row.status = "passed" if points == row.max_points else "partial" if points else "failed"
        row.points = points
