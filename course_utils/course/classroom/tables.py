"""What an instructor gives in tables: who is who (ROSTER), and the points decided by hand (OUT/overrides.csv)."""

import csv
import io
import re
import unicodedata
from collections.abc import Iterable
from pathlib import Path

from course_utils.course.classroom.grading import Row
from course_utils.course.classroom.selection import course
from course_utils.course.classroom.submission import Submission

Person = dict[str, str]  # column -> value, for the columns below
CANVAS = ("Student", "ID", "SIS User ID", "SIS Login ID", "Section")  # by which Canvas' gradebook knows a learner
MOODLE = ("Full name", "Email address", "Username", "ID number", "Identifier")  # and Moodle
COLUMNS = {name.lower(): name for name in (*CANVAS, *MOODLE, "First name", "Last name")}
COLUMNS |= {"surname": "Last name", "email": "Email address", "e-mail": "Email address"}  # older or shorter names
LOGINS = ("SIS Login ID", "Username", "Email address")
TEST_STUDENT = "Student, Test"  # Canvas' own
NUMBERED = {"Canvas": "ID", "Moodle": "Identifier"}  # where each platform's number stands
UNIQUE = ("ID", "SIS User ID", "SIS Login ID", "Email address", "Username", "ID number")  # what a folder may be called
OVERRIDES = "overrides.csv"
DECIDED = "decided by hand; before: "  # stands in the reason of such a row
BEGINS_FORMULA = re.compile(r"""[\s"]*[=+\-@＝＋－＠\t\r]""")
FORMULA_WITHIN = re.compile(r"""([;,|\t\r\n][\s"]*)(?=[=+\-@＝＋－＠])""")


def harmless(text: str) -> str:
    """The same text, of which no spreadsheet makes a formula, whatever it takes for a separator: an apostrophe stands before each."""
    return "'" * bool(BEGINS_FORMULA.match(text)) + FORMULA_WITHIN.sub(r"\1'", text)


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


def people(handed_in: Iterable[Submission], roster: list[Person]) -> tuple[dict[str, Person], list[str], list[Person]]:
    """What is known of each learner; those whom the roster does not name, or more than once, or as somebody else, too; and who of the
    roster handed in nothing.

    A number that the platform gave decides, if the name beside it is the same person's; else a login, e-mail address or number; else the
    name, its letters only.
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
            if _by_number(one, roster):  # the number is somebody else's: no gradebook may take it for theirs
                own = {key: value for key, value in own.items() if value == one.name}
        known[one.learner] = own | ({"Late": "LATE"} if one.late else {})
    absent = [
        person
        for person in roster
        if not any(person is one for one in all_found) and person.get("Student") != TEST_STUDENT
    ]
    return known, unknown, absent


def called(person: Person) -> str:
    """How the tables call somebody of a roster who handed in nothing: as their folder would be called."""
    return next(person[key] for key in (*LOGINS, *person) if key in person)


def _found(one: Submission, roster: list[Person]) -> list[Person]:
    if numbered := _by_number(one, roster):
        return [person for person in numbered if _same_name(one.name, person)]
    if one.platform in NUMBERED and any(NUMBERED[one.platform] in person for person in roster):
        return []
    packed = one.platform == "Blackboard"  # which puts the assignment's name before the login
    logins = [
        person
        for person in roster
        if any(
            one.name.lower() == login or (packed and one.name.lower().endswith(f"_{login}"))
            for key in UNIQUE
            if (login := person.get(key, "").lower())
        )
    ]
    return logins or [
        person for person in roster if _letters(one.name) in {_letters(name) for name in _names(person)} - {""}
    ]


def _by_number(one: Submission, roster: list[Person]) -> list[Person]:
    column = NUMBERED.get(one.platform, "")
    return [person for person in roster if column in person and person[column].rpartition(" ")[2] == one.number]


def _same_name(name: str, person: Person) -> bool:
    """Whether it may be that person's: the same words, some left out; or the same letters, as Canvas writes names. A roster without names is
    believed."""
    own, names = set(re.findall(r"\w+", _plain(name))), list(filter(None, _names(person)))
    for other in names:
        words = set(re.findall(r"\w+", _plain(other)))
        if (own and words and (own <= words or words <= own)) or sorted(_letters(_plain(name))) == sorted(
            _letters(_plain(other))
        ):
            return True
    return not names


def _plain(text: str) -> str:
    """Without accents, in small letters."""
    return "".join(one for one in unicodedata.normalize("NFKD", text.lower()) if not unicodedata.combining(one))


def _names(person: Person) -> list[str]:
    """As Canvas says it, "Last, First", and as it is spoken."""
    student = person.get("Student", "")
    last, _, first = student.partition(",")
    return [student, first + last, person.get("Full name", "")]


def _letters(text: str) -> str:
    return "".join(letter for letter in text.lower() if letter.isalnum())


# --- decided by hand -----------------------------------------------------------------------------------------------------


def read_overrides(path: Path, learners: Iterable[str]) -> dict[tuple[str, str], tuple[int, str]]:
    """(learner, exercise) -> (points, comment), of a table with the columns learner, exercise, points and, if you like, comment; {} if there is
    none.

    Raises:
        ValueError: it has no such columns, or a line names nobody, no exercise, or points that the exercise has not.
    """
    if not path.exists():
        return {}
    most, found = {entry["id"]: entry["points"] for entry in course()}, {}
    names = {name: one for one in learners for name in (harmless(one), one)}  # as tables for spreadsheets write it, too
    head = path.read_text("utf-8", "replace").partition("\n")[0]
    if not all(column in head for column in ("learner", "exercise", "points")):
        raise ValueError(f"{path}: its first line must name the columns, learner,exercise,points")
    for number, line in _lines(path):
        if not any(line.values()):
            continue
        learner, exercise, points = (line.get(key, "") for key in ("learner", "exercise", "points"))
        if learner not in names:
            raise ValueError(f"{path}, line {number}: no submission is of {learner!r}")
        if exercise not in most:
            raise ValueError(f"{path}, line {number}: no exercise is called {exercise!r}")
        if not points.isdecimal() or int(points) > most[exercise]:
            raise ValueError(f"{path}, line {number}: {exercise} has 0 to {most[exercise]} points, not {points!r}")
        found[names[learner], exercise] = int(points), line.get("comment", "")
    return found


def override(row: Row, overrides: dict[tuple[str, str], tuple[int, str]]) -> None:
    """Where a person has decided, that counts."""
    if (row.learner, row.exercise) in overrides:
        points, comment = overrides[row.learner, row.exercise]
        row.reason = f"{comment + '; ' if comment else ''}{DECIDED}{row.status}, {row.reason}"
        row.status = "passed" if points == row.max_points else "partial" if points else "failed"
        row.points = points
