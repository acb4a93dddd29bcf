"""The tables that an instructor gives: the roster (ROSTER), and points decided by hand (OUT/overrides.csv)."""

import csv
import io
import math
import re
import unicodedata
from collections.abc import Collection, Iterable, Iterator, Sequence
from pathlib import Path

from course_utils.classroom.grading import Row
from course_utils.classroom.submission import Submission
from course_utils.classroom.verdict import Status
from course_utils.material.selection import course

Person = dict[str, str]  # column -> value, for the columns below
CANVAS = ("Student", "ID", "SIS User ID", "SIS Login ID", "Section")  # by which Canvas' gradebook identifies a learner
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
NUMBERED = {"Canvas": "ID", "Moodle": "Identifier"}  # the column with each platform's number
UNIQUE = ("ID", "SIS User ID", "SIS Login ID", "Email address", "Username", "ID number")  # what a folder may be called
OVERRIDES = "overrides.csv"
DECIDED = "decided by hand; before: "  # in the reason of such a row
BEGINS_FORMULA = re.compile(r"""[\s"]*[=+\-@＝＋－＠\t\r]""")
FORMULA_WITHIN = re.compile(r"""([;,|\t\r\n][\s"]*)(?=[=+\-@＝＋－＠])""")


def harmless(text: str) -> str:
    """Put an apostrophe before everything that a spreadsheet may take for a formula, whatever its separator."""
    return "'" * bool(BEGINS_FORMULA.match(text)) + FORMULA_WITHIN.sub(r"\1'", text)


def _lines(path: Path) -> list[tuple[int, dict[str, str]]]:
    """The numbered lines of a CSV file with commas, semicolons or tabs, saved by any program.

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


# --- the roster -------------------------------------------------------------------------------------------------------


def read_roster(path: Path) -> list[Person]:
    """An exported gradebook of Canvas, or Moodle's participants, grades or grading worksheet.

    Raises:
        ValueError: it is neither.
    """
    people, lines = [], [line for _, line in _lines(path)]
    columns = _columns(lines)
    for line in lines:
        person = {columns[key]: value for key, value in line.items() if key in columns and value}
        if "First name" in person or "Last name" in person:
            person.setdefault("Full name", f"{person.pop('First name', '')} {person.pop('Last name', '')}".strip())
        if person.keys() & {*UNIQUE, "Identifier", "Full name"}:  # not so the line of the points possible
            people.append(person)
    if not people:
        raise ValueError(f"{path} has no learners. It must have some of the columns {', '.join((*CANVAS, *MOODLE))}")
    return people


def _columns(lines: list[dict[str, str]]) -> dict[str, str]:
    """Header -> one of our columns, by the header's name or, in another language, by the contents of its cells."""
    columns = {}
    for place, key in enumerate(lines[0] if lines else ()):
        cells = [value for line in lines if (value := line.get(key, ""))]
        may_be_number = key.lower() in ("id", "identifier") or (place == 0 and key.lower() not in COLUMNS)
        if may_be_number and _same_word_before_numbers(cells):  # Moodle's grading worksheet begins so
            columns[key] = "Identifier"
        elif key.lower() in COLUMNS:
            columns[key] = COLUMNS[key.lower()]
        elif cells and all(ADDRESS.fullmatch(value) for value in cells):
            columns[key] = "Email address"
    return columns


def _same_word_before_numbers(cells: list[str]) -> bool:
    """Whether all cells are like "Participant 48211"."""
    words = {match[1] if (match := PARTICIPANT.fullmatch(value)) else "" for value in cells}
    return len(words) == 1 and words.pop()[:1].isupper()


def people(handed_in: Sequence[Submission], roster: list[Person]) -> tuple[dict[str, Person], list[str], list[Person]]:
    """Match submissions and roster.

    A number that the platform gave decides, if the name beside it is the same person's; else a login, e-mail address
    or number; else the name, its letters only.

    Returns:
        What is known about each learner; the learners without exactly one match of their own; the persons without a
        submission.
    """
    matches = {submission.learner: _matches(submission, roster) for submission in handed_in}
    matched = [person for persons in matches.values() for person in persons]
    known: dict[str, Person] = {}
    unmatched = []
    for submission in handed_in:
        name, number = submission.name, submission.number
        own = {
            "Canvas": {"Student": name, "ID": number},
            "Moodle": {"Full name": name, "Identifier": f"Participant {number}"},
        }.get(submission.platform, {"SIS Login ID": submission.learner})
        persons = matches[submission.learner]
        if len(persons) == 1 and sum(person is persons[0] for person in matched) == 1:
            own = persons[0] if not submission.platform else own | persons[0]
        elif roster:
            unmatched.append(submission.learner)
            if _by_number(submission, roster):  # it is another learner's number: no gradebook may take it for theirs
                own = {key: value for key, value in own.items() if value == name}
        known[submission.learner] = own | ({"Late": "LATE"} if submission.late else {})
    handed_in_nothing = [person for person in roster if not any(person is match for match in matched)]
    return known, unmatched, [person for person in handed_in_nothing if person.get("Student") != TEST_STUDENT]


def called(person: Person) -> str:
    """How the tables call a person who handed in nothing: as their folder would be called."""
    return next(person[key] for key in (*LOGINS, *person) if key in person)


def _matches(submission: Submission, roster: list[Person]) -> list[Person]:
    if numbered := _by_number(submission, roster):
        return [person for person in numbered if _same_name(submission.name, person)]
    if submission.platform in NUMBERED and any(NUMBERED[submission.platform] in person for person in roster):
        return []
    name, assignment_first = submission.name.lower(), submission.platform == "Blackboard"

    def has_login(person: Person) -> bool:
        logins = {login for key in UNIQUE if (login := person.get(key, "").lower())}
        return name in logins or (assignment_first and any(name.endswith(f"_{login}") for login in logins))

    letters = _letters(submission.name)
    return [person for person in roster if has_login(person)] or [
        person for person in roster if letters in {_letters(name) for name in _names(person)} - {""}
    ]


def _by_number(submission: Submission, roster: list[Person]) -> list[Person]:
    column = NUMBERED.get(submission.platform, "")
    numbered = [person for person in roster if column in person]
    return [person for person in numbered if re.sub(r".*\D", "", person[column]) == submission.number]


def _same_name(name: str, person: Person) -> bool:
    """Whether it may be that person's: the same words, some left out; or the same letters, as Canvas writes names.

    A roster without names is believed.
    """
    words, names = set(re.findall(r"\w+", _plain(name))), list(filter(None, _names(person)))
    for full_name in names:
        theirs = set(re.findall(r"\w+", _plain(full_name)))
        if words and theirs and (words <= theirs or theirs <= words):
            return True
        if sorted(_letters(_plain(name))) == sorted(_letters(_plain(full_name))):
            return True
    return not names


def _plain(text: str) -> str:
    """Without accents, in lower case."""
    letters = unicodedata.normalize("NFKD", text.lower())
    return "".join(letter for letter in letters if not unicodedata.combining(letter))


def _names(person: Person) -> list[str]:
    """As Canvas writes it, "Last, First", and as it is spoken."""
    student = person.get("Student", "")
    last, _, first = student.partition(",")
    return [student, first + last, person.get("Full name", "")]


def _letters(text: str) -> str:
    return "".join(letter for letter in text.lower() if letter.isalnum())


# --- decided by hand --------------------------------------------------------------------------------------------------


Decisions = dict[tuple[str, str, str], tuple[int, str]]  # (learner, exercise or notebook, unit) -> (number, comment)
EVERYTHING = "everything"
CHANGE = re.compile(r"([+-]\d+) ?(%?)")  # of a notebook's points


def read_overrides(path: Path, learners: Iterable[str], notebooks: Collection[str]) -> Decisions:
    """A table with the columns learner, exercise, points and, optionally, comment; {} if it does not exist.

    The points of an exercise are a number; those of a notebook, or of everything, change by "+3", "-3" or "-20%".

    Args:
        notebooks: those that are graded.

    Raises:
        ValueError: it lacks these columns, or a line has an unknown learner, something that is not graded, or
            impossible points.
    """
    if not path.exists():
        return {}
    decisions: Decisions = {}
    # tables for spreadsheets write a name in a harmless form
    names = {name: learner for learner in learners for name in (harmless(learner), learner)}
    head = path.read_text("utf-8", "replace").partition("\n")[0]
    if not all(column in head for column in ("learner", "exercise", "points")):
        raise ValueError(f"{path}: its first line must name the columns, learner,exercise,points")
    for number, line in _lines(path):
        if not any(line.values()):
            continue
        learner, subject, points = (line.get(key, "") for key in ("learner", "exercise", "points"))
        try:
            if learner not in names:
                raise ValueError(f"no submission belongs to {learner!r}")
            for name, unit, value in _decision(subject, points, notebooks):
                decisions[names[learner], name, unit] = value, line.get("comment", "")
        except ValueError as error:
            raise ValueError(f"{path}, line {number}: {error}") from None
    return decisions


def _decision(subject: str, points: str, notebooks: Collection[str]) -> Iterator[tuple[str, str, int]]:
    """(exercise or notebook, "" or the unit of its change, number)."""
    most = {entry["id"]: entry["points"] for entry in course()}
    if subject in most:
        if not points.isdecimal() or int(points) > most[subject]:
            raise ValueError(f"{subject} has 0 to {most[subject]} points, not {points!r}")
        yield subject, "", int(points)
        return
    named = [name for name in notebooks if subject and (subject == EVERYTHING or name.startswith(subject))]
    if not named:
        graded = f"{', '.join(name[:2] for name in notebooks)}; or {EVERYTHING!r}"
        raise ValueError(f"no exercise is called {subject!r}, and no notebook that is graded ({graded})")
    change = CHANGE.fullmatch(points.removeprefix("'"))  # which stops a spreadsheet from calculating
    if not change or (change[2] and int(change[1]) < -100):
        raise ValueError(f"the points of {subject} change by +3, -3 or -20%, not by {points!r}")
    if not change[2] and len(named) > 1:
        raise ValueError(f"{points} points belong to one notebook; name it, as in {named[0][:2]!r}")
    for name in named:
        yield name, change[2] or "points", int(change[1])


def override(rows: list[Row], decisions: Decisions) -> None:
    """Apply the decisions about this learner's exercises.

    A change of a notebook's points becomes a row after the notebook's others.
    """
    for row in rows:
        if (row.learner, row.exercise, "") in decisions:
            points, comment = decisions[row.learner, row.exercise, ""]
            row.reason = f"{comment + '; ' if comment else ''}{DECIDED}{row.status}, {row.reason}"
            row.status, row.points = Status.by_points(points, row.max_points), points
    for notebook in dict.fromkeys(row.notebook for row in rows):
        for unit in ("%", "points"):
            if (rows[0].learner, notebook, unit) in decisions:
                number, comment = decisions[rows[0].learner, notebook, unit]
                of_notebook = [row for row in rows if row.notebook == notebook]
                place = 1 + max(place for place, row in enumerate(rows) if row.notebook == notebook)
                rows.insert(place, _changed(of_notebook, number, unit, comment))


def _changed(rows: list[Row], number: int, unit: str, comment: str) -> Row:
    """Change by a share of the points so far, rounded in the learner's favor, or by points; never below 0."""
    points = sum(row.points for row in rows)
    change = max(-points, math.ceil(points * number / 100) if unit == "%" else number)
    amount = f"{abs(number)} % of {points} points" if unit == "%" else f"{abs(number)} points"
    reason = f"{comment + '; ' if comment else ''}{amount} {'added' if number > 0 else 'taken off'}"
    return Row(rows[0].learner, rows[0].notebook, "", Status.CHANGED, change, 0, reason)
