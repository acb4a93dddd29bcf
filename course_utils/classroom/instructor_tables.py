"""What an instructor gives in tables: who is who (ROSTER), and the points decided by hand (OUT/overrides.csv)."""

import csv
import io
import math
import re
import unicodedata
from collections.abc import Collection, Iterable, Iterator
from pathlib import Path

from course_utils.classroom.grading import CHANGED, Row
from course_utils.classroom.submission import Submission
from course_utils.material.selection import course

Person = dict[str, str]  # column -> value, for the columns below
CANVAS = ("Student", "ID", "SIS User ID", "SIS Login ID", "Section")  # by which Canvas' gradebook knows a learner
MOODLE = ("Full name", "Email address", "Username", "ID number", "Identifier")  # and Moodle
COLUMNS = {name.lower(): name for name in (*CANVAS, *MOODLE, "First name", "Last name")}
COLUMNS |= {"surname": "Last name", "email": "Email address", "e-mail": "Email address"}  # older or shorter names
COLUMNS |= {  # of a German Moodle
    "vollständiger name": "Full name",
    "e-mail-adresse": "Email address",
    "anmeldename": "Username",
    "id-nummer": "ID number",
    "vorname": "First name",
    "nachname": "Last name",
}
PARTICIPANT = re.compile(r"([^\W\d_][^\d@]*)\d+")  # "Participant 48211", "Teilnehmer/in48211"
ADDRESS = re.compile(r"\S+@\S+\.\S+")
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
    people, lines = [], [line for _, line in _lines(path)]
    meant = _columns(lines)
    for line in lines:
        one = {meant[key]: value for key, value in line.items() if key in meant and value}
        if "First name" in one or "Last name" in one:
            one.setdefault("Full name", f"{one.pop('First name', '')} {one.pop('Last name', '')}".strip())
        if one.keys() & {*UNIQUE, "Identifier", "Full name"}:  # and not the line of the points possible
            people.append(one)
    if not people:
        raise ValueError(f"{path} has no learners. It must have some of the columns {', '.join((*CANVAS, *MOODLE))}")
    return people


def _columns(lines: list[dict[str, str]]) -> dict[str, str]:
    """Header -> the column that is meant: by its name; else, in another language, by what its cells hold."""
    meant = {}
    for place, key in enumerate(lines[0] if lines else ()):
        cells = [value for line in lines if (value := line.get(key, ""))]
        words = {found[1] if (found := PARTICIPANT.fullmatch(value)) else "" for value in cells}
        if key.lower() in ("id", "identifier") or (place == 0 and key.lower() not in COLUMNS):
            [*one] = words  # the same word before each number: Moodle's grading worksheet begins so
            if len(one) == 1 and one[0][:1].isupper():
                meant[key] = "Identifier"
                continue
        if key.lower() in COLUMNS:
            meant[key] = COLUMNS[key.lower()]
        elif cells and all(ADDRESS.fullmatch(value) for value in cells):
            meant[key] = "Email address"
    return meant


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
    return [person for person in roster if column in person and re.sub(r".*\D", "", person[column]) == one.number]


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


Decisions = dict[tuple[str, str, str], tuple[int, str]]  # (learner, exercise or notebook, unit) -> (number, comment)
EVERYTHING = "everything"
CHANGE = re.compile(r"([+-]\d+) ?(%?)")  # of a notebook's points


def read_overrides(path: Path, learners: Iterable[str], notebooks: Collection[str]) -> Decisions:
    """What stands in a table with the columns learner, exercise, points and, if you like, comment; {} if there is none.

    The points of an exercise are a number; those of a notebook, or of everything, change by "+3", "-3" or "-20%".

    Args:
        notebooks: those that are graded.

    Raises:
        ValueError: it has no such columns, or a line names nobody, nothing that is graded, or points that can't be.
    """
    if not path.exists():
        return {}
    found: Decisions = {}
    names = {name: one for one in learners for name in (harmless(one), one)}  # as tables for spreadsheets write it, too
    head = path.read_text("utf-8", "replace").partition("\n")[0]
    if not all(column in head for column in ("learner", "exercise", "points")):
        raise ValueError(f"{path}: its first line must name the columns, learner,exercise,points")
    for number, line in _lines(path):
        if not any(line.values()):
            continue
        learner, what, points = (line.get(key, "") for key in ("learner", "exercise", "points"))
        try:
            if learner not in names:
                raise ValueError(f"no submission belongs to {learner!r}")
            for name, unit, value in _decision(what, points, notebooks):
                found[names[learner], name, unit] = value, line.get("comment", "")
        except ValueError as error:
            raise ValueError(f"{path}, line {number}: {error}") from None
    return found


def _decision(what: str, points: str, notebooks: Collection[str]) -> Iterator[tuple[str, str, int]]:
    """(exercise or notebook, "" or the unit of its change, number)."""
    most = {entry["id"]: entry["points"] for entry in course()}
    if what in most:
        if not points.isdecimal() or int(points) > most[what]:
            raise ValueError(f"{what} has 0 to {most[what]} points, not {points!r}")
        yield what, "", int(points)
        return
    named = [one for one in notebooks if what and (what == EVERYTHING or one.startswith(what))]
    if not named:
        graded = ", ".join(one[:2] for one in notebooks)
        raise ValueError(
            f"no exercise is called {what!r}, and no notebook that is graded ({graded}; or {EVERYTHING!r})"
        )
    change = CHANGE.fullmatch(points.removeprefix("'"))  # which may stand there to keep a spreadsheet from reckoning
    if not change or (change[2] and int(change[1]) < -100):
        raise ValueError(f"the points of {what} change by +3, -3 or -20%, not by {points!r}")
    if not change[2] and len(named) > 1:
        raise ValueError(f"{points} points belong to one notebook; name it, as in {named[0][:2]!r}")
    for one in named:
        yield one, change[2] or "points", int(change[1])


def override(rows: list[Row], decisions: Decisions) -> None:
    """Where a person has decided about one of this learner's exercises, that counts; what changes a notebook becomes a row behind its own."""
    for row in rows:
        if (row.learner, row.exercise, "") in decisions:
            points, comment = decisions[row.learner, row.exercise, ""]
            row.reason = f"{comment + '; ' if comment else ''}{DECIDED}{row.status}, {row.reason}"
            row.status = "passed" if points == row.max_points else "partial" if points else "failed"
            row.points = points
    for notebook in dict.fromkeys(row.notebook for row in rows):
        for unit in ("%", "points"):
            if (rows[0].learner, notebook, unit) in decisions:
                number, comment = decisions[rows[0].learner, notebook, unit]
                of_notebook = [row for row in rows if row.notebook == notebook]
                place = 1 + max(place for place, row in enumerate(rows) if row.notebook == notebook)
                rows.insert(place, _changed(of_notebook, number, unit, comment))


def _changed(rows: list[Row], number: int, unit: str, comment: str) -> Row:
    """By a share of the points so far, halves to the learner's good, or by points; never below 0."""
    points = sum(row.points for row in rows)
    change = max(-points, math.ceil(points * number / 100) if unit == "%" else number)
    what = f"{abs(number)} % of {points} points" if unit == "%" else f"{abs(number)} points"
    reason = f"{comment + '; ' if comment else ''}{what} {'added' if number > 0 else 'taken off'}"
    return Row(rows[0].learner, rows[0].notebook, "", CHANGED, change, 0, reason)
