"""Grading a class, piece by piece: notebooks, verdicts, reports. (The whole class: test_grade_class.py.)"""

import argparse
import csv
import html
import inspect
import io
import itertools
import json
import linecache
import os
import shutil
import subprocess
import sys
import tempfile
import threading
from pathlib import Path

import nbformat
import numpy as np
import pytest

from course_utils import commands
from course_utils.answers import notebook_file, stubs
from course_utils.answers.cells import Cell, answer_of, cells_of, find, without_checks
from course_utils.answers.program import programs_of
from course_utils.answers.running import Raised
from course_utils.classroom import batch, fingerprints, instructor_tables, machine_faults, reports, sandbox, walls
from course_utils.classroom.assignment import write_assignment
from course_utils.classroom.grading import Row, rank
from course_utils.classroom.sample import write_sample
from course_utils.classroom.similar_answers import shape, similar_answers
from course_utils.classroom.submission import Submission, read_cells, submissions
from course_utils.classroom.verdict import AnswerRun, Evidence, Status, decide
from course_utils.classroom.whole_class import assigned, grade_class, read_class
from course_utils.exercise import CELL, EXERCISES, bind
from course_utils.files import Damaged
from course_utils.games.connect_n import ConnectState
from course_utils.material import build, manifest, merging, source_files
from course_utils.material.given_lines import given_to
from course_utils.material.handout import Handout
from course_utils.material.selection import chosen
from course_utils.paths import PACKAGE
from course_utils.tests import reach
from course_utils.tests.grade import CHECKS, grade
from course_utils.tests.learner import grade_answer
from course_utils.tests.render import as_data
from tests.classroom import Notebook, right


def code(*sources, **metadata):
    return [Cell("06.ipynb", number, "code", source, metadata) for number, source in enumerate(sources)]


def of(notebook):
    return cells_of("06.ipynb", notebook.cells)


# --- what is found in a notebook --------------------------------------------------------------------------------------


def test_an_answer_is_found_by_its_mark_else_by_the_function_that_a_cell_defines():
    notebook = Notebook(backup=right("backup"))
    notebook.add(right("expand"))
    notebook.remove(notebook.exercise("expand"))
    answers = find(of(notebook))
    assert answers["backup"][0].exercise == "backup"
    assert answers["expand"][0].source == right("expand")
    assert all(cell.untouched("select") for cell in answers["select"])


def test_of_several_versions_the_marked_one_comes_first_then_the_last():
    notebook = Notebook(backup=right("backup"))
    for number in range(3):
        notebook.add(f"def backup(leaf, value):\n    return {number}")
    notebook.add(stubs.stub("backup"))
    sources = [cell.source for cell in find(of(notebook))["backup"]]
    assert sources[0] == right("backup")
    assert sources[1].endswith("2")
    assert stubs.stub("backup") not in sources[:3]


def test_an_import_is_no_answer_and_neither_is_a_cell_of_the_course():
    cells = code("from course_utils.mine import backup")
    assert "backup" not in find(cells)
    assert all(cell.untouched("select") for cell in find(of(Notebook()))["select"])


def test_what_the_check_cell_was_given_is_the_answer_where_no_function_has_the_name():
    cells = code("class Rules:\n    def backup(leaf, value): ...", "tests.test_backup(Rules.backup)")
    assert answer_of(cells, "backup") == "Rules.backup"
    assert answer_of(cells, "expand") == "expand"


@pytest.mark.parametrize("scratch", ["winner = 'X'", "winner = winner(state)", "for winner in (1, 2): pass"])
def test_a_variable_called_like_an_exercise_is_no_answer(scratch):
    assert "winner" not in find([Cell("01", 0, "code", scratch)])


@pytest.mark.parametrize(
    "answer",
    [
        "winner = lambda state: 0",
        "winner = Rules.winner",
        "winner = functools.partial(won, line=3)",
        "winner = made(3)",
        "winner = fast if FAST else slow",
        "winner, other = by_lines, 3",
        "if FAST:\n    def winner(state): ...",
        "from helpers import winner",
    ],
)
def test_an_answer_is_found_whatever_makes_it(answer):
    assert "winner" in find([Cell("01", 0, "code", answer)])


def test_a_variable_that_may_be_an_answer_and_is_none_counts_as_not_filled_in(decided):
    row = decided(judged(0), "backup = count(game)")
    assert (row.status, row.reason) == ("missing", "not filled in")


def test_calls_of_checks_are_taken_out_and_nothing_else_moves():
    source = "x = 1\ntests.test_backup(\n    backup,\n); y = 'ä'; test_expand(expand)\nz = 2"
    assert without_checks(source).splitlines() == ["x = 1", "None; y = 'ä'; None", "", "", "z = 2"]


def test_magics_are_calls():
    assert code("%%time\n%matplotlib inline\n!ls\ndef f(): ...")[0].python.startswith("get_ipython()")


def test_calls_of_other_exercises_go_to_yours_or_ours():
    notebook = Notebook(select=right("select"))
    cells = of(notebook)
    [fresh] = programs_of(cells, "select", find(cells)["select"], given_to("select"))
    assert "from course_utils.mine import select_child" in fresh.given


def test_a_class_that_the_notebook_gives_is_the_packages_own_unless_it_is_changed():
    given = "from typing import NamedTuple\n" + inspect.getsource(ConnectState)
    answer = """
def completes_line(state, column):
    match state:
        case ConnectState(columns=columns, to_play=turn, n=n):
            mine = {(x, y) for x, pile in enumerate(columns) for y, stone in enumerate(pile) if stone == -turn}
            ways = ((0, 1), (1, 1), (1, 0), (1, -1))
            return any(all((x + k * dx, y + k * dy) in mine for k in range(n)) for x, y in mine for dx, dy in ways)
"""
    changed = given.replace("def __str__", "def other(self): ...\n\n    def __str__")
    for source, passes in ((given, True), (changed, False)):
        assert grade("completes_line", bind("completes_line", f"{source}\n{CELL}\n{answer}")).passed is passes


# --- what is read -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "content", [b"", b"{", b"\xff\xfe\x00", b"[1, 2]", b'"text"', b'{"cells": 3}', b"[" * 100_000, b'{"nbformat": 4}']
)
def test_what_is_no_notebook_is_refused_in_words(tmp_path, content):
    (tmp_path / "x.ipynb").write_bytes(content)
    with pytest.raises(ValueError, match="it is "):
        read_cells("x.ipynb", tmp_path / "x.ipynb")


def test_whatever_holds_cells_is_read(tmp_path):
    path = tmp_path / "x.ipynb"
    for content in (
        {"cells": [None, {"source": ["a", 1, "b"]}, {"cell_type": "odd", "source": 3, "metadata": 4, "id": 5}]},
        {"nbformat": 99, "cells": [{"cell_type": "code", "source": "ab"}]},
        {"nbformat": 3, "worksheets": [{"cells": [{"cell_type": "code", "input": "ab", "outputs": []}]}]},
    ):
        path.write_text(json.dumps(content))
        assert read_cells("x.ipynb", path)[0].source == "ab"


@pytest.mark.parametrize(
    "content",
    [
        {"nbformat": 3, "worksheets": [{"cells": [{"cell_type": "code", "input": "ab", "outputs": []}]}]},
        {"nbformat": 99, "cells": [{"cell_type": "code", "source": "ab", "metadata": {}}]},
        {"nbformat": 4, "cells": [None]},
        {"nbformat": 4, "cells": [{"cell_type": "code", "source": 3, "metadata": {}}]},
        {"nbformat": 4, "cells": [{"cell_type": "code", "source": "ab"}]},
    ],
)
def test_what_would_lose_something_is_refused_where_a_notebook_is_written_again(content, monkeypatch):
    monkeypatch.setitem(sys.modules, "nbformat", None)  # as in a browser tab
    with pytest.raises(Damaged):
        notebook_file.read(json.dumps(content).encode())
    assert all(isinstance(cell.source, str) for cell in notebook_file.cells_in("x.ipynb", json.dumps(content).encode()))


def test_a_folder_is_a_learner_and_a_loose_notebook_too(tmp_path):
    for name in (
        "anna/week 1/06.ipynb",
        "anna/.ipynb_checkpoints/06.ipynb",
        "doeben_LATE_123_456_06.ipynb",
        "anna/notebooks/solutions/06.ipynb",
    ):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_bytes(Notebook().bytes())
    (tmp_path / "eve").mkdir()
    (tmp_path / "eve" / "passwd.ipynb").symlink_to("/etc/passwd")
    (tmp_path / "eve" / "linked").symlink_to(tmp_path / "anna")
    files = {submission.learner: list(submission.files) for submission in submissions(tmp_path)}
    assert files == {"anna": ["week 1/06.ipynb"], "doeben-123": ["doeben_LATE_123_456_06.ipynb"], "eve": []}
    with pytest.raises(ValueError, match="is not a folder"):
        submissions(tmp_path / "nowhere")


def test_a_file_that_is_no_notebook_is_a_submission_that_cannot_be_read(tmp_path):
    names = (
        "anna/work.zip",
        "bauerben_12345_678901_work.zip",
        "cem/06.ipynb.txt",
        "cem/notes.pdf",
        "dora/solutions/06.IPYNB",
        "notes.txt",
    )
    for name in names:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_bytes(Notebook().bytes())
    files = {made.learner: (list(made.files), list(made.unreadable)) for made in submissions(tmp_path)}
    assert files == {
        "anna": ([], ["work.zip"]),
        "bauerben-12345": ([], ["bauerben_12345_678901_work.zip"]),
        "cem": (["06.ipynb.txt"], []),  # beside a notebook other files don't matter
        "dora": (["solutions/06.IPYNB"], []),
    }


@pytest.mark.skipif(sys.platform != "linux", reason="other systems take no such names")
def test_names_in_letters_that_nobody_can_write_are_told_apart(tmp_path):
    for name in (b"Zo\xeb", b"Zo\xea"):
        os.mkdir(os.fsencode(tmp_path) + b"/" + name)
        (Path(os.fsdecode(os.fsencode(tmp_path) + b"/" + name)) / "06.ipynb").write_bytes(Notebook().bytes())
    learners = [submission.learner for submission in submissions(tmp_path)]
    assert learners == ["Zo\\xea", "Zo\\xeb"]
    assert len({batch.safe(learner).encode() for learner in learners}) == 2


def test_loose_notebooks_with_numbers_in_their_names_are_not_taken_for_one_of_canvas(tmp_path):
    names = ("week_06_07_anna.ipynb", "week_06_07_ben.ipynb", "cem.ipynb", "cem/cem.ipynb", "d.a.ipynb", "d.b.ipynb")
    for name in names:
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_bytes(Notebook().bytes())
    counts = {submission.learner: len(submission.files) for submission in submissions(tmp_path)}
    assert counts == {"cem": 2, "d.a": 1, "d.b": 1, "week_06_07_anna": 1, "week_06_07_ben": 1}


@pytest.mark.parametrize(
    ("file", "status"),
    [
        ("week_03_anna.ipynb", "needs a human"),
        ("lab_2024_final.ipynb", "needs a human"),
        ("03_puct_search.ipynb", "needs a human"),
        ("04_self_play (1).ipynb", "missing"),  # another notebook
    ],
)
def test_a_notebook_that_cannot_be_read_needs_a_human_unless_it_is_another(file, status):
    submission = Submission("anna", unreadable={file: "it is not JSON"})
    assert decide(Evidence("backup", "03_puct_search", submission)).status == status


def test_what_a_platform_packed_is_told_apart_by_its_number(tmp_path):
    """Two users of Canvas with the same name, one with two files; two of Moodle, one of whom wrote a text, too."""
    for name in (
        "bauerben_12345_678901_06.ipynb",
        "bauerben_LATE_12345_678902_07.ipynb",
        "bauerben_54321_678903_06-1.ipynb",
        "Anna Example_48211_assignsubmission_file/06.ipynb",
        "Anna Example_48211_assignsubmission_onlinetext_/06.ipynb",
        "Anna Example_48212_assignsubmission_file_/06.ipynb",
        "Cem_Z/06.ipynb",
    ):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_bytes(b"{}")
    by_learner = {submission.learner: submission for submission in submissions(tmp_path)}
    assert {learner: len(submission.files) for learner, submission in by_learner.items()} == {
        "Anna Example-48211": 2,
        "Anna Example-48212": 1,
        "Cem_Z": 1,
        "bauerben-12345": 2,
        "bauerben-54321": 1,
    }
    ben = by_learner["bauerben-54321"]
    assert (ben.name, ben.number, ben.platform) == ("bauerben", "54321", "Canvas")


CANVAS_EXPORT = """Student,ID,SIS User ID,SIS Login ID,Section,Homework (77)
    Points Possible,,,,,10
"Bauer, Ben",12345,S1,ben1,Monday,
"Bauer, Ben",54321,S2,ben2,Tuesday,
"Example, Anna",999,S3,anna@example.org,Monday,
"""
MOODLE_WORKSHEET = "Identifier;Full name;Email address\nParticipant 48211;Anna Example;anna@example.org\n"
MOODLE_GERMAN = """ID,Vollständiger Name,E-Mail-Adresse,Status,Bewertung
Teilnehmer/in48211,Anna Example,anna@example.org,,
Teilnehmer/in8211,Ben B,ben@example.org,,
"""
MOODLE_SPANISH = "Identificador,Nombre completo,Dirección de correo\nParticipante48211,Anna Example,anna@example.org\n"
MOODLE_PEOPLE = """First name,Last name,Email address
Anna,Example,a1@example.org
Anna,Example,a2@example.org
Cem,Z,c@example.org
"""


@pytest.mark.parametrize(
    ("table", "one", "column", "value"),
    [
        (CANVAS_EXPORT, Submission("bauerben-54321", "bauerben", "54321", "Canvas"), "SIS Login ID", "ben2"),
        (
            CANVAS_EXPORT,
            Submission("bauerben-7", "bauerben", "7", "Canvas"),
            "SIS Login ID",
            None,
        ),  # of no other number
        (CANVAS_EXPORT, Submission("Anna@example.org", "Anna@example.org"), "ID", "999"),
        (CANVAS_EXPORT, Submission("Anna Example", "Anna Example"), "SIS User ID", "S3"),
        (CANVAS_EXPORT, Submission("Ben Bauer", "Ben Bauer"), "ID", None),  # there are two
        (MOODLE_WORKSHEET, Submission("x", "Anna Example", "48211", "Moodle"), "Email address", "anna@example.org"),
        (MOODLE_GERMAN, Submission("x", "Anna Example", "48211", "Moodle"), "Email address", "anna@example.org"),
        (MOODLE_GERMAN, Submission("Ben B", "Ben B"), "Identifier", "Teilnehmer/in8211"),
        (MOODLE_GERMAN, Submission("x", "Anna Example", "7", "Moodle"), "Email address", None),
        (MOODLE_SPANISH, Submission("x", "Anna Example", "48211", "Moodle"), "Email address", "anna@example.org"),
        (MOODLE_PEOPLE, Submission("Cem Z-5", "Cem Z", "5", "Moodle"), "Email address", "c@example.org"),
        (MOODLE_PEOPLE, Submission("Anna Example-6", "Anna Example", "6", "Moodle"), "Email address", None),
    ],
)
def test_a_roster_names_a_learner_by_number_else_by_login_else_by_a_name_that_only_one_has(
    tmp_path, table, one, column, value
):
    (tmp_path / "roster.csv").write_text("\ufeff" + table)
    known, unknown, _ = instructor_tables.people([one], instructor_tables.read_roster(tmp_path / "roster.csv"))
    assert known[one.learner].get(column) == value
    assert unknown == ([] if value else [one.learner])


def test_two_submissions_of_one_person_are_not_both_theirs(tmp_path):
    (tmp_path / "roster.csv").write_text(CANVAS_EXPORT)
    both = [Submission("anna@example.org", "anna@example.org"), Submission("S3", "S3")]
    known, unknown, _ = instructor_tables.people(both, instructor_tables.read_roster(tmp_path / "roster.csv"))
    assert unknown == ["anna@example.org", "S3"] and not any("ID" in person for person in known.values())


def test_a_table_that_names_nobody_is_no_roster(tmp_path):
    (tmp_path / "roster.csv").write_text("a,b\n1,2\n")
    with pytest.raises(ValueError, match="has no learners"):
        instructor_tables.read_roster(tmp_path / "roster.csv")


# --- what an answer takes from the course -----------------------------------------------------------------------------


def test_no_reference_and_no_right_answer_takes_more_of_the_course_than_the_exercise_speaks_of():
    for exercise in EXERCISES:
        right = CHECKS[exercise].right
        assert reach.course_functions(exercise, stubs.reference(exercise), right) == []


@pytest.mark.parametrize(
    ("exercise", "source", "named"),
    [
        ("count_games", "def count_games(state):\n    return TicTacToe().is_terminal(state)", "TicTacToe"),
        ("negamax", "from course_utils.search import minimax\nnegamax = minimax.solve", "minimax.solve"),
        ("negamax", "from course_utils.search.minimax import solve as negamax", "minimax.solve"),
        ("select_child", "import course_utils\ndef select_child(n, c):\n    return helper(n)\ndef helper(n):\n"
         "    return course_utils.search.batched.batched_select(n)", "batched_select"),
        ("negamax", "def negamax(game, state):\n    return 0\nprint(solve(game, state))", ""),  # only tried out
        ("negamax", "from course_utils.search.minimax import solve\ndef negamax(game: Game, state):\n    return 0", ""),
    ],
)  # fmt: skip
def test_another_function_of_the_course_that_an_answer_calls_is_named(exercise, source, named):
    calls = reach.course_functions(exercise, source, CHECKS[exercise].right)
    assert all(call.endswith(named) for call in calls) and bool(calls) == bool(named)


@pytest.mark.parametrize(
    "source",
    [
        "from course_utils.search.puct import backup",
        "from course_utils.mine import backup as theirs\ndef backup(leaf, value):\n    return theirs(leaf, value)",
        "import course_utils.search.puct\ndef backup(leaf, value):\n"
        "    course_utils.search.puct.backup.__wrapped__(leaf, value)",
        "from course_utils.search import puct\ndef backup(leaf, value):\n    puct.backup(leaf, value)",
    ],
)
def test_the_courses_own_version_is_no_answer_and_is_named(source):
    assert reach.reference_taken("backup", source)
    namespace: dict = {}
    linecache.cache["<cell>"] = (len(source), None, source.splitlines(keepends=True), "<cell>")
    exec(compile(source, "<cell>", "exec"), namespace)
    report, kept = grade_answer("backup", namespace["backup"])
    assert not report.passed and "the course's own version" in report.problem and not kept
    assert reach.reference_taken("backup", right("backup")) == ""


BY_LUCK = {
    "True": lambda *args: True,
    "None": lambda *args: None,
    "0": lambda *args: 0,
    "the first argument": lambda first, *args, **kwargs: np.array(first) if isinstance(first, np.ndarray) else first,
}


@pytest.mark.parametrize("name", ["winner", "is_terminal", "select_child", "backup", "add_root_noise", "uct_backup"])
@pytest.mark.parametrize("body", BY_LUCK)
def test_luck_earns_nothing(name, body):
    report = grade(name, BY_LUCK[body], 7)
    assert report.points == 0 and not report.passed


def test_cases_that_luck_passes_count_together_with_one_that_it_does_not():
    """A sign forgotten: a leaf below the root is right, and so is whatever is passed by doing nothing."""
    [wrong] = [mistake for mistake in CHECKS["backup"].wrong if mistake.name == "sign flip forgotten"]
    report = grade("backup", wrong.answer, 7)
    passed = sum(outcome.case.points for outcome in report.outcomes if outcome.passed)
    assert 0 < report.points == passed < report.max_points


# --- what is decided --------------------------------------------------------------------------------------------------


@pytest.fixture
def decided():
    """(a run, the answer's source) -> the verdict."""

    def verdict(result, source=""):
        [answer] = cells = code(source or right("backup"))
        [program] = programs_of(cells, "backup", find(cells)["backup"], given_to("backup"))
        if result.report:
            result.report.source = answer.python
        return decide(Evidence("backup", "03_puct_search", Submission("anna"), cells, program, result))

    return verdict


def judged(answer=EXERCISES["backup"].reference, raised=(), **changes):
    """As if it had been run in a process of its own."""
    report = grade("backup", answer)
    for name, value in changes.items():
        setattr(report, name, value)
    return AnswerRun(report=report, raised=[Raised(error, "cell 1 of 06.ipynb") for error in raised])


def test_a_verdict_is_what_the_check_says(decided):
    row = decided(judged())
    assert (row.status, row.points, row.reason) == ("passed", 11, "7 of 7 cases, 11 of 11 points")
    [wrong] = [mistake for mistake in CHECKS["backup"].wrong if mistake.name == "sign flip forgotten"]
    row = decided(judged(wrong.answer), wrong.source)
    assert row.status == "partial" and "forgets to change the sign" in row.reason
    assert decided(judged(lambda leaf, value: None)).status == "failed"
    assert decided(AnswerRun()).status == "needs a human"
    assert decided(AnswerRun(Status.TIMED_OUT, "too long")).status == "timed out"
    lost = decided(AnswerRun(Status.NEEDS_A_HUMAN, "its sandbox ended", lost=True))
    assert lost.status == "needs a human" and lost.lost


def test_a_right_answer_that_calls_another_function_of_the_course_needs_a_human_who_is_told_which(decided):
    row = decided(judged(), right("backup") + "\n    search_on(leaf)")
    assert (row.status, row.points) == ("needs a human", 0)
    assert "`course_utils.search.puct.search_on`" in row.reason and "11 of 11 points" in row.reason


def test_of_two_versions_one_that_a_human_must_look_at_outranks_one_that_is_partly_right():
    partial, human = rows("anna", backup="partial", expand="needs a human")
    assert sorted([human, partial, *rows("anna", select="failed", mcts_search="passed")], key=rank)[-2:][0] is human


def test_what_the_machine_has_lost_is_tried_again_and_nothing_else(tmp_path):
    done, lost = rows("anna", backup="crashed"), rows("ben", backup="needs a human")
    lost[0].lost = True
    key = {"backup": "key"}
    for made in (done, lost):
        batch.save(tmp_path, made[0].learner, key, made)
    assert batch.load(tmp_path, "anna", key) == {"backup": done[0]}
    assert batch.load(tmp_path, "ben", key) == {} and batch.load(tmp_path, "ben", key, lost=True) == {"backup": lost[0]}
    assert (tmp_path / "learners" / "anna.json").stat().st_mode & 0o077 == 0


def test_what_is_not_python_is_said_with_its_line(decided):
    for raised, said in (
        ("SyntaxError: '(' was never closed (line 2)", "SyntaxError in line 2: '(' was never closed"),
        ("IndentationError: unexpected indent", "IndentationError: unexpected indent"),
    ):
        verdict = decided(judged(None, [raised]))
        assert (verdict.status, verdict.points) == ("failed", 0) and verdict.reason.endswith(said)
        row = Row.of("anna", {"id": "backup", "notebook": "03_puct_search", "points": 11}, verdict)
        assert said in html.unescape(reports.feedback_page([row]))


def test_a_page_says_whether_the_cell_of_an_open_exercise_is_there():
    made = rows("anna", backup="missing")
    made[0].reason = "no cell of the submission holds it: deleted, or renamed?"
    assert "that is open: no cell of the submission holds it" in reports.feedback_page(made)


def test_a_cell_without_the_function_is_missing_without_an_accusation(decided):
    row = decided(judged(None))
    assert row.status == "missing" and "emptied, or renamed" in row.reason


def test_an_error_of_the_machine_is_no_misconception():
    def backup(leaf, value):
        raise RuntimeError("can't start new thread")

    report = grade("backup", backup)
    assert not report.matches and any("says nothing about your answer" in note for note in report.notes)


def test_a_folder_that_a_killed_process_left_behind_is_removed(tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    done = subprocess.Popen([sys.executable, "-c", ""])
    done.wait()
    for number in (done.pid, os.getpid()):
        (tmp_path / f"grade-of-{number}-x" / "s").mkdir(parents=True)
    sandbox.remove_orphans()
    assert [path.name for path in tmp_path.iterdir()] == [f"grade-of-{os.getpid()}-x"]


# --- what is written --------------------------------------------------------------------------------------------------

TOLD = as_data(grade("backup", EXERCISES["backup"].reference))


def rows(learner, **statuses):
    made = []
    for name, status in statuses.items():
        points = {"passed": 10, "partial": 5}.get(status, 0)
        details = (stubs.reference(name), dict(TOLD), [], [])
        made.append(Row(learner, "03_puct_search", name, status, points, 10, "because <b>", *details))
    return made


@pytest.fixture
def class_of_three(tmp_path):
    learners = [
        rows("=anna", backup="passed", expand="needs a human"),
        rows("ben <script>", backup="partial", expand="timed out"),
        rows("cem", backup="missing", expand="failed"),
    ]
    learners[1][0].misconceptions = learners[2][1].misconceptions = [CHECKS["backup"].wrong[0].name]
    learners[1][0].code = "<script>alert(1)</script>"
    learners[2][1].exercise = "backup"
    reports.write_reports(tmp_path, learners, ["NOT isolated: `bwrap` is missing."])
    return tmp_path


def test_the_tables_have_a_line_for_every_exercise(class_of_three):
    with (class_of_three / "grades.csv").open() as file:
        lines = list(csv.DictReader(file))
    assert list(lines[0]) == ["learner", "notebook", "exercise", "status", "points", "max_points", "reason"]
    statuses = ["passed", "needs a human", "partial", "timed out", "missing", "failed"]
    assert [line["status"] for line in lines] == statuses
    assert lines[0]["learner"] == "'=anna", "a spreadsheet would take it for a formula"
    assert len(json.loads((class_of_three / "grades.json").read_text())["rows"]) == 6
    with (class_of_three / "totals.csv").open() as file:
        assert [line["total"] for line in csv.DictReader(file)] == ["", "5", "0"], "one of anna's rows needs a human"
    with (class_of_three / "canvas.csv").open() as file:
        possible, *students = csv.DictReader(file)
    assert possible["03_puct_search"] == "20" and [student["03_puct_search"] for student in students] == ["", "5", "0"]


@pytest.mark.parametrize(
    "text",
    ["=1+1", "x;=1+1", 'x; "=1+1"', "a\t+1", "a|-1", "a\r\n@SUM(1)", "\t=1", "it raised: ,=cmd|' /C x'!A0", "＝1"],
)
def test_no_table_holds_a_formula_whatever_separates_its_cells(tmp_path, text):
    made = rows(text, backup="failed")
    made[0].reason = text
    reports.write_reports(tmp_path, [made], [])
    for name, separator in itertools.product(("grades.csv", "totals.csv", "canvas.csv"), ",;|\t"):
        cells = itertools.chain(*csv.reader(io.StringIO((tmp_path / name).read_text()), delimiter=separator))
        begins = ("=", "+", "-", "@", "\t", "\r", "＝")
        assert not [cell for cell in cells if cell.strip(' "').startswith(begins)], name


@pytest.mark.parametrize("name", ["=anna", "anna;=1", "-a, -b"])
def test_a_decision_names_a_learner_as_the_tables_do(tmp_path, name):
    path = tmp_path / "overrides.csv"
    with path.open("w") as file:
        csv.writer(file).writerows([("learner", "exercise", "points"), (instructor_tables.harmless(name), "backup", 3)])
    assert list(instructor_tables.read_overrides(path, ["ben", name], [])) == [(name, "backup", "")]


def test_gradebooks_get_what_they_know_a_learner_by(tmp_path):
    made = [
        Submission("bauerben-12345", "bauerben", "12345", "Canvas"),
        Submission("Anna Example-7", "Anna Example", "7", "Moodle"),
        Submission("cem@example.org", "cem@example.org"),
    ]
    who, _, _ = instructor_tables.people(made, [{"Full name": "Anna Example", "Email address": "anna@example.org"}])
    reports.write_reports(tmp_path, [rows(submission.learner, backup="passed") for submission in made], [], who)
    _, *canvas = list(csv.reader((tmp_path / "canvas.csv").open()))[1:]
    assert canvas == [
        ["bauerben", "12345", "", "", "", "10"],
        ["Anna Example", "", "", "", "", "10"],
        ["cem@example.org", "", "", "cem@example.org", "", "10"],
    ]
    with (tmp_path / "totals.csv").open() as file:
        assert [line["Email address"] for line in csv.DictReader(file)] == ["", "anna@example.org", ""]


def test_what_is_decided_by_hand_counts(tmp_path):
    path = tmp_path / "overrides.csv"
    assert instructor_tables.read_overrides(path, ["anna"], []) == {}
    path.write_text("learner,exercise,points\n'=anna,backup,3\nben,expand,0\n")
    decisions = instructor_tables.read_overrides(path, ["=anna", "ben"], [])
    learners = [
        rows("=anna", backup="needs a human", expand="failed"),
        rows("ben", backup="passed", expand="needs a human"),
    ]
    for of_learner in learners:
        instructor_tables.override(of_learner, decisions)
    made = [row for of_learner in learners for row in of_learner]
    assert [(row.status, row.points) for row in made] == [("partial", 3), ("failed", 0), ("passed", 10), ("failed", 0)]
    assert made[0].reason == "decided by hand; before: needs a human, because <b>"


@pytest.mark.parametrize("ends", ["\n", "\r\n", "\r"])
def test_tables_are_read_as_any_program_saves_them(tmp_path, ends):
    lines = ["learner;exercise;points", "Zoe\u0308;backup;3", ";;", "ben;expand;0", ""]
    (tmp_path / "overrides.csv").write_bytes(ends.join(lines).encode("utf-8-sig"))
    decisions = instructor_tables.read_overrides(tmp_path / "overrides.csv", ["Zo\u00eb", "ben"], [])
    assert decisions == {("Zo\u00eb", "backup", ""): (3, ""), ("ben", "expand", ""): (0, "")}


@pytest.mark.parametrize(
    "line",
    [
        "cem,backup,1",
        "anna,bakup,1",
        "anna,backup,1000",
        "anna,backup,",
        "anna,backup,-1",
        "anna,,-5",
        "anna,05,-5",
        "anna,03,5",
        "anna,03,-120%",
        "anna,03,-2.5",
        "anna,everything,+2",
        "cem,everything,-20%",
    ],
)
def test_a_decision_that_makes_no_sense_is_refused_with_its_line(tmp_path, line):
    (tmp_path / "overrides.csv").write_text(f"learner,exercise,points\n\nanna,backup,1\n{line}\n")
    with pytest.raises(ValueError, match="line 4"):
        instructor_tables.read_overrides(tmp_path / "overrides.csv", ["anna"], ["03_puct_search", "04_self_play"])


def test_a_line_for_a_notebook_or_for_everything_changes_its_sum_and_stands_in_all_tables(tmp_path):
    lines = "anna,everything,-20%,two days late", "anna,04,+3,a good question", "ben,03,-99,", "cem,03,'+5,"
    (tmp_path / "overrides.csv").write_text("\n".join(["learner,exercise,points,comment", *lines]))
    learners = [rows(who, backup="passed", expand="partial", value_targets="partial") for who in ("anna", "ben", "cem")]
    learners[2][0].status = "needs a human"
    for of_learner in learners:
        of_learner[2].notebook = "04_self_play"
    decisions = instructor_tables.read_overrides(
        tmp_path / "overrides.csv", ["anna", "ben", "cem"], ["03_puct_search", "04_self_play"]
    )
    for of_learner in learners:
        instructor_tables.override(of_learner, decisions)
    changed = [row for of_learner in learners for row in of_learner if not row.exercise]
    changes = [(row.learner, row.notebook[:2], row.points, row.reason) for row in changed]
    assert changes == [
        ("anna", "03", -3, "two days late; 20 % of 15 points taken off"),
        ("anna", "04", -1, "two days late; 20 % of 5 points taken off"),
        ("anna", "04", 3, "a good question; 3 points added"),
        ("ben", "03", -15, "99 points taken off"),
        ("cem", "03", 5, "5 points added"),
    ]
    reports.write_reports(tmp_path / "out", learners, [])
    text = {path.name: path.read_text() for path in (tmp_path / "out").rglob("*.*")}
    assert text["totals.csv"].splitlines()[1:] == ["anna,12,7,19,0", "ben,0,5,5,0", "cem,,5,,1"]
    assert text["totals.csv"].startswith("learner,03_puct_search (20),04_self_play (10),total")
    assert [line.rpartition(",,")[2] for line in text["canvas.csv"].splitlines()[2:4]] == ["12,7", "0,5"]
    assert "anna,03_puct_search,,changed,-3,0,two days late" in text["grades.csv"]
    assert (
        "anna: 19 of 30 points" in text["anna.html"]
        and "two days late; 20 % of 15 points taken off" in text["anna.html"]
    )
    assert "3 of 3 exercises handed in" in text["anna.html"]
    assert "19 / 30" in text["class.html"] and "3 exercises each" in text["class.html"]


def test_no_text_of_a_learner_becomes_html(class_of_three):
    pages = [path.read_text() for path in [*class_of_three.glob("feedback/*.html"), class_of_three / "class.html"]]
    assert len(pages) == 4
    for page in pages:
        assert "<script" not in page and "default-src 'none'" in page and "because <b>" not in page


def test_the_class_page_counts_misconceptions_and_says_what_is_not_isolated(class_of_three):
    page = (class_of_three / "class.html").read_text()
    assert CHECKS["backup"].wrong[0].name in page and "ben &lt;script&gt;, cem" in page
    assert "NOT isolated" in page and "This proves nothing" in page


def test_answers_of_the_same_structure_are_grouped_whatever_their_names():
    mine = stubs.reference("mcts_search")
    copied = "# mine!\n" + mine.replace("leaf", "blatt").replace("simulations", "n_sims")
    made = [
        Row(who, "03", "mcts_search", "passed", 1, 1, "", source)
        for who, source in (("a", copied), ("b", mine), ("c", mine.replace("    return ", "    x = 1\n    return ")))
    ]
    deep = "def mcts_search(x):\n    if x == 0:\n        return 0\n" + "".join(
        f"    elif x == {n}:\n        return {n}\n" for n in range(1200)
    )
    made += [
        Row(who, "03", "mcts_search", "failed", 0, 1, "", source)
        for who in "de"
        for source in (deep[:19_000], "x" * 10**6)
    ]
    [group] = similar_answers(made)
    assert group.learners == ("a", "b") and group.like_ours
    assert shape(deep[: deep.index("1100")], "mcts_search") == ("", 0)


def test_without_isolation_nothing_is_graded_unless_unprotected_is_chosen(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(walls, "isolation", lambda: walls.Isolation("", False, "`bwrap` is not installed."))
    options = argparse.Namespace(unprotected=False, submissions=tmp_path, out=tmp_path / "out", roster=None)
    assert commands.grade_class(options, []) == 1
    said = capsys.readouterr().err
    assert "Nothing was graded" in said and "AppArmor" in said and "UNPROTECTED=yes" in said
    assert not (tmp_path / "out").exists()


# --- a batch ----------------------------------------------------------------------------------------------------------


def test_the_seed_is_hidden_kept_and_can_be_given(tmp_path, monkeypatch):
    monkeypatch.setattr(batch, "CLASS_SEED", tmp_path / "class_seed")
    assert batch.class_seed() == batch.class_seed() == int((tmp_path / "class_seed").read_text())
    assert batch.class_seed("5") == 5
    with pytest.raises(ValueError, match="must be a number"):
        batch.class_seed("five")


def test_each_submission_has_a_seed_of_its_own_and_the_same_in_each_run(tmp_path):
    path = tmp_path / "06.ipynb"
    path.write_bytes(b"{}")
    anna, ben = (Submission(name, files={"06.ipynb": path}) for name in ("anna", "ben"))
    first = batch.seed_of(anna, 5)
    assert first == batch.seed_of(anna, 5)
    path.write_bytes(b"[]")  # handed in again
    assert len({first, batch.seed_of(anna, 5), batch.seed_of(ben, 5), batch.seed_of(anna, 6)}) == 4


def test_chosen_notebooks_and_no_others_are_graded():
    assert {entry["notebook"][:2] for entry in assigned([], "03, 04")} == {"03", "04"}
    assert [entry["id"] for entry in assigned([], "value_targets backup")] == ["backup", "value_targets"]
    assert [entry["id"] for entry in assigned([], "00 02", "main")] == ["network_forward", "masked_policy"]
    extras = [entry["id"] for entry in manifest.manifest() if entry["extra"]]
    two = ["symmetries", "add_root_noise"]
    assert [name for name in extras if name in two] == two
    assert len(assigned([])) == len(manifest.manifest()) - len(extras)
    assert [entry["id"] for entry in assigned([], "02 symmetries")] == [
        "symmetries",
        "network_forward",
        "masked_policy",
    ]
    with pytest.raises(ValueError, match="no notebook begins with '77'"):
        assigned([], "77")
    with pytest.raises(ValueError, match="nothing to grade"):
        assigned([], "99")


def test_without_a_choice_the_notebooks_that_were_handed_in_are_graded(tmp_path):
    other, old = tmp_path / "06_puct_search.ipynb", tmp_path / "old.ipynb"  # the name before notebooks were renumbered
    other.write_bytes(Notebook().bytes()[:-40])  # cut off, and marked all the same
    old.write_text(
        json.dumps({"cells": [{"cell_type": "code", "source": "x = 1\ndef value_targets(game):\n    pass"}]})
    )
    made = [Submission(path.stem, files={path.name: path}) for path in (other, old)]
    assert {entry["notebook"][:2] for entry in assigned(made)} == {"03", "04"}
    assert {entry["notebook"][:2] for entry in assigned(made, "01")} == {"01"}


@pytest.fixture(scope="module")
def copy(tmp_path_factory):
    """A copy of the package's programs."""
    copy = tmp_path_factory.mktemp("copy") / PACKAGE.name
    shutil.copytree(
        PACKAGE, copy, ignore=lambda folder, names: [name for name in names if "." in name and name[-3:] != ".py"]
    )
    return copy


@pytest.fixture
def changed(copy, monkeypatch):
    """Which of three exercises have another fingerprint after a line was added to a file of the package."""
    monkeypatch.setattr(fingerprints, "PACKAGE", copy)
    monkeypatch.setattr(fingerprints, "__file__", str(copy / "classroom" / "fingerprints.py"))
    names = ("backup", "expand", "relu")

    def now():
        fingerprints.fingerprint.cache_clear()
        return {name: fingerprints.fingerprint(name) for name in names}

    def after(path):
        before, text = now(), (copy / path).read_text()
        (copy / path).write_text(f"{text}\n# another line\n")
        different = [name for name, fingerprint in now().items() if fingerprint != before[name]]
        (copy / path).write_text(text)
        return different

    yield after
    fingerprints.fingerprint.cache_clear()


@pytest.mark.parametrize(
    ("path", "graded_again"),
    [
        ("tests/notebook_03/backup.py", ["backup"]),
        ("search/puct.py", ["backup", "expand"]),  # where their references are
        ("games/tictactoe.py", ["backup", "expand", "relu"]),  # of the checks' world
        ("networks/by_hand.py", ["relu"]),
        ("tests/scene.py", ["backup", "expand", "relu"]),
        ("classroom/verdict.py", ["backup", "expand", "relu"]),
        ("classroom/remote_stage.py", ["backup", "expand", "relu"]),
        ("exercise/binding.py", ["backup", "expand", "relu"]),
        ("mine.py", ["backup", "expand", "relu"]),
        ("classroom/reports.py", []),
        ("classroom/whole_class.py", []),
        ("commands.py", []),
        ("ui/board.py", []),
        ("tests/notebook_41/gate.py", []),
    ],
)
def test_a_change_of_the_course_grades_again_only_what_it_touches(changed, path, graded_again):
    assert changed(path) == graded_again


def test_only_the_exercises_of_which_something_has_changed_are_graded_again(tmp_path, monkeypatch):
    """And the rows of the others stay, whichever are asked for."""
    (tmp_path / "in" / "anna").mkdir(parents=True)
    (tmp_path / "in" / "anna" / "06.ipynb").write_bytes(Notebook().bytes())
    monkeypatch.setattr(batch, "CLASS_SEED", tmp_path / "seed")
    monkeypatch.setattr(batch, "remove_orphans", lambda: None)
    monkeypatch.setattr(batch, "_fault", lambda entries, seed: "")
    graded, prints = [], {}

    def grading(queue, out, keys, entries, seed, workers):
        for learner in (submission.learner for submission in queue):
            graded.append([entry["id"] for entry in entries[learner]])
            made = [Row(learner, e["notebook"], e["id"], "passed", 1, e["points"], "") for e in entries[learner]]
            batch.save(out, learner, keys[learner], made)
            yield learner

    monkeypatch.setattr(batch, "_in_processes", grading)
    monkeypatch.setattr(batch, "fingerprint", lambda name: prints.get(name, "as before"))

    def run(only):
        [graded_rows] = grade_class(read_class(tmp_path / "in"), tmp_path / "out", only).learners
        return [row.exercise for row in graded_rows]

    assert run("backup expand") == ["expand", "backup"]
    prints["backup"] = "another"
    assert run("backup expand") == ["expand", "backup"] and run("03")[-1] == "mcts_search"
    assert run("expand") == ["expand"] and len(run("03")) == 6
    assert graded == [["expand", "backup"], ["backup"], ["select_child", "select", "evaluate", "mcts_search"]]


def test_an_exercise_that_two_notebooks_ask_for_counts_in_its_home_or_in_the_one_that_is_chosen():
    five = ["select_child", "backup", "sample_action", "value_targets", "train_alphazero"]
    notebooks, entries = chosen("10")
    assert [source.name for source in notebooks] == ["10_one_evening"]
    assert [(entry["id"], entry["notebook"]) for entry in entries] == [(name, "10_one_evening") for name in five]
    both = {entry["id"]: entry["notebook"][:2] for entry in chosen("03 10")[1]}
    assert both["backup"] == both["select"] == "03" and both["value_targets"] == "10"
    assert [source.name[:2] for source in chosen("backup")[0]] == ["03"]


def test_a_submission_of_one_evening_is_graded_for_it_alone(tmp_path):
    path = tmp_path / "10_one_evening.ipynb"
    path.write_text(merging.to_text(build.build(source_files.sources("10")[0])))
    evening = Submission("eve", files={path.name: path})
    assert {entry["notebook"] for entry in assigned([evening])} == {"10_one_evening"}
    home = tmp_path / "03_puct_search.ipynb"
    home.write_bytes(Notebook().bytes())
    both = assigned([evening, Submission("tom", files={home.name: home})])
    assert {entry["notebook"][:2] for entry in both if entry["id"] in ("backup", "select")} == {"03"}
    assert {entry["notebook"][:2] for entry in both} == {"03", "10"}


def test_a_copy_with_one_evening_alone_has_its_exercises(tmp_path, monkeypatch):
    write_assignment(tmp_path / "copy", handout := Handout.of("10"))
    assert [source.name for source in handout.chosen] == ["10_one_evening"]
    assert "These exercises count" not in (tmp_path / "copy" / "README.md").read_text()
    monkeypatch.setattr(source_files, "SOURCES", tmp_path / "copy" / "notebooks" / "source")
    assert {name: source.name for name, source in manifest.homes().items()} == dict.fromkeys(
        source_files.sources("10")[0].exercises, "10_one_evening"
    )


def test_the_main_road_is_what_the_sources_say():
    notebooks, entries = chosen("", "main")
    assert [source.name[:2] for source in notebooks] == ["00", "01", "02", "03", "04", "05", "06"]
    assert {"winner", "masked_policy", "backup", "train_alphazero"} <= {entry["id"] for entry in entries}
    assert len(entries) == 19
    assert not {"count_games", "relu", "negamax", "gate"} & {entry["id"] for entry in entries}
    for only, road in (("03", "deep"), ("11", "main"), ("bakup", "")):
        with pytest.raises(ValueError, match=r"ROAD must be main|on the main road|no exercise has this name"):
            chosen(only, road)


def test_any_name_becomes_a_file_of_its_own():
    assert batch.safe("anna@example.org") == "anna@example.org" and batch.safe("Anna Example-7") == "Anna Example-7"
    names = ["anna", "anna ", "Zoë", "a/../b", "..", "a b", "a_b", "x" * 300, "", "名前"]
    files = [batch.safe(name) for name in names]
    assert len(set(files)) == len(names)
    assert not any("/" in file or file.startswith(".") or len(file) > 100 for file in files)


ENTRIES = [{"id": name, "notebook": "x", "points": 1} for name in ("select_child", "alphazero_loss", "backup")]


def test_the_courses_own_answers_are_the_canary_one_of_them_with_torch():
    canary, entries = machine_faults.canary(ENTRIES)
    assert [entry["id"] for entry in entries] == ["select_child", "alphazero_loss"]
    answers = find(canary.cells)
    for entry in entries:
        [fresh] = programs_of(canary.cells, entry["id"], answers[entry["id"]], given_to(entry["id"]))
        assert not fresh.is_guess(entry["id"])
    assert machine_faults.canary(ENTRIES[:1])[1] == ENTRIES[:1]


@pytest.mark.parametrize("ends", ["crashed", "nothing is kept"])
def test_nothing_is_graded_where_the_courses_own_answer_does_not_pass(tmp_path, monkeypatch, ends):
    (tmp_path / "in" / "anna").mkdir(parents=True)
    (tmp_path / "in" / "anna" / "03.ipynb").write_bytes(Notebook(backup=right("backup")).bytes())

    def graded(one, entries, seed):
        if ends != "crashed":
            os._exit(1)
        return [Row(one.learner, "03", entry["id"], ends, 0, 11, "no memory") for entry in entries]

    monkeypatch.setattr(batch, "graded", graded)
    with pytest.raises(ValueError, match=r"Nothing was graded.*the course's own answer to backup"):
        grade_class(read_class(tmp_path / "in"), tmp_path / "out", "backup", "7")
    assert not [path for path in (tmp_path / "out").rglob("*") if path.is_file()]


def test_a_grader_that_never_ends_prints_where_it_was_and_is_tried_once_more(tmp_path, monkeypatch, capfd):
    begun = tmp_path / "begun"

    def graded(one, entries, seed):
        if not begun.exists():
            begun.touch()
            threading.Event().wait()
        return [Row(one.learner, "03", entry["id"], "passed", 11, 11, "") for entry in entries]

    monkeypatch.setattr(batch, "graded", graded)
    monkeypatch.setattr(batch, "CANARY_TIMEOUT", 5)  # and it is looked at every five seconds
    assert batch._fault(ENTRIES[:1], 7) == ""
    assert " in graded" in capfd.readouterr().err


def test_the_machine_is_blamed_for_what_nearly_every_answer_ran_into():
    lacks = "this machine has no pandas, which cell {} of 03.ipynb imports (without it: failed, 0 points)"
    learners = [
        rows(f"{n}", backup="needs a human", expand="timed out", select="failed", evaluate="missing") for n in range(9)
    ]
    for number, [backup, *_] in enumerate(learners):
        backup.reason = lacks.format(number)
    learners.append(rows("z", backup="passed", expand="timed out", select="timed out", evaluate="crashed"))
    pandas, timeouts = machine_faults.faults(learners)
    assert "this machine has no pandas, in backup (9 of 10 answers)" in pandas
    assert "takes too long, in expand (10 of 10 answers)" in timeouts
    assert machine_faults.faults(learners[:2]) == machine_faults.faults([rows("y", backup="passed")] * 9) == []


# --- an assignment ----------------------------------------------------------------------------------------------------


def test_an_assignment_has_the_chosen_notebooks_without_solutions(tmp_path):
    write_assignment(tmp_path / "copy", handout := Handout.of("03 04"))
    assert [source.name for source in handout.chosen] == ["03_puct_search", "04_self_play"]
    notebooks = sorted((tmp_path / "copy" / "notebooks").glob("*.ipynb"))
    assert [path.name for path in notebooks] == ["03_puct_search.ipynb", "04_self_play.ipynb", "99_shelf.ipynb"]
    text = notebooks[0].read_text()
    assert "<summary>Solution" not in text and "tests.test_backup(backup)" in text
    assert not list((tmp_path / "copy").rglob("solutions"))
    assert (tmp_path / "copy" / ".github" / "workflows" / "autograding.yml").exists()
    with pytest.raises(ValueError, match="is not empty"):
        write_assignment(tmp_path / "copy", Handout.of())
    with pytest.raises(ValueError, match="no notebook begins with '77'"):
        write_assignment(tmp_path / "other", Handout.of("77"))


def test_an_assignment_of_exercises_holds_their_notebooks_and_says_which_count(tmp_path):
    write_assignment(tmp_path / "copy", handout := Handout.of("backup value_targets"))
    assert [source.name for source in handout.chosen] == ["03_puct_search", "04_self_play"]
    readme = (tmp_path / "copy" / "README.md").read_text()
    assert "(notebooks/03_puct_search.ipynb): `backup`\n" in readme and "These exercises count" in readme


def test_an_assignment_holds_what_its_notebooks_run(tmp_path):
    write_assignment(tmp_path, Handout.of("41"))
    assert (tmp_path / "notebooks" / "alphazero_on_one_page.py").exists()


def test_a_sample_class_has_three_submissions_to_grade(tmp_path):
    assert write_sample(tmp_path / "in") == ["anna", "ben", "cem"]
    handed_in = submissions(tmp_path / "in")
    cells = {submission.learner: read_cells("03", *submission.files.values()) for submission in handed_in}
    filled = {
        who: {cell.exercise for cell in of if cell.exercise and not cell.untouched(cell.exercise)}
        for who, of in cells.items()
    }
    assert len(filled["anna"]) == 6 and filled["ben"] == {"select_child", "backup"} and filled["cem"] == {"expand"}
    with pytest.raises(ValueError, match="is not empty"):
        write_sample(tmp_path / "in")


def test_hidden_checks_are_not_in_the_copy(tmp_path):
    write_assignment(tmp_path / "copy", Handout.of("03", hidden=True))
    checks = tmp_path / "copy" / "course_utils" / "tests"
    assert (
        not (checks / "notebook_03" / "backup.py").exists() and (checks / "notebook_04" / "sample_action.py").exists()
    )


def test_a_check_that_is_kept_back_says_so_and_passes_nobody(monkeypatch):
    monkeypatch.delitem(CHECKS, "backup", raising=False)
    monkeypatch.setattr(type(CHECKS), "__missing__", lambda self, name: {}[name])
    report = grade("backup", lambda leaf, value: None)
    assert not report.passed and "your instructor has kept its check back" in report.headline


def test_notebooks_that_are_handed_in_are_valid():
    assert nbformat.reads(Notebook(backup=right("backup")).bytes().decode(), as_version=4).cells
