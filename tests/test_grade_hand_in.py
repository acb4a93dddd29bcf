"""Submissions: every file counts or is named, learners are told apart, and a machine's differences cost no points."""

import argparse
import csv
import json
import os
import zipfile

import pytest

from course_utils import commands, record
from course_utils.answers.cells import Cell, cells_of, find
from course_utils.answers.program import programs_of
from course_utils.answers.running import raised_by, run
from course_utils.authoring.site import in_the_tab
from course_utils.classroom import batch, instructor_tables, output_folder, reports, sandbox, whole_class
from course_utils.classroom.assignment import write_assignment
from course_utils.classroom.grading import Row
from course_utils.classroom.machine_differences import newer_python
from course_utils.classroom.submission import (
    Submission,
    of_another_version,
    questions,
    read_cells,
    submissions,
)
from course_utils.classroom.verdict import Evidence, decide
from course_utils.classroom.whole_class import grade_class, read_class
from course_utils.exercise import Made
from course_utils.files import write_atomically
from course_utils.learner import travel
from course_utils.material import source_files
from course_utils.material.given_lines import given_to
from course_utils.material.handout import Handout
from course_utils.material.selection import cells_made, course
from course_utils.paths import NOTEBOOKS, SOLUTIONS
from course_utils.tests import reach
from course_utils.tests.grade import CHECKS, grade
from tests.browser import browser  # noqa: F401
from tests.classroom import Notebook, right

NB = Notebook().bytes()


def handed_in(folder, *names):
    for name in names:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(NB if name.endswith(".ipynb") else b"something else")
    return submissions(folder)


# --- every file has a row, or is named --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "learner", "why"),
    [
        ("chocara_12346_link.html", "chocara-12346", "not a notebook"),
        ("diazdora_LATE_12347_text.html", "diazdora-12347", "not a notebook"),
        ("bauerben_12345_678901_work.pdf", "bauerben-12345", "not a notebook"),
        ("anna.zip", "anna", "is an archive"),
        ("ben.tar.gz", "ben.tar", "is an archive"),
        ("cem/all of it.7z", "cem", "is an archive"),
        ("dora/.ipynb_checkpoints/06-checkpoint.ipynb", "dora", "a copy that Jupyter keeps"),
        ("eve/work.py", "eve", "not a notebook"),
        ("Week 3_flo_attempt_2026-11-02-10-11-12.txt", "Week 3_flo", "not a notebook"),
        ("Gil Z_48212_assignsubmission_onlinetext_onlinetext.html", "Gil Z-48212", "not a notebook"),
    ],
)
def test_what_is_no_notebook_is_a_row_that_needs_a_human(tmp_path, name, learner, why):
    [submission] = handed_in(tmp_path, name)
    submission.read()
    verdict = decide(Evidence("backup", "03_puct_search", submission))
    assert submission.learner == learner and verdict.status == "needs a human" and why in verdict.reason


def test_an_archive_beside_a_notebook_may_hold_what_is_missing_and_other_files_are_named(tmp_path):
    names = ("anna/06.ipynb", "anna/part 2.zip", "ben/06.ipynb", "ben/helpers.py", "notes.txt", ".DS_Store")
    anna, ben = handed_in(tmp_path, *names, "ben/.ipynb_checkpoints/06-checkpoint.ipynb")
    statuses = [decide(Evidence("value_targets", "04_self_play", submission)).status for submission in (anna, ben)]
    assert statuses == ["needs a human", "missing"] and "part 2.zip" in anna.unreadable
    [sentence] = questions(tmp_path, [anna, ben])
    assert sentence == "Handed in, and not read: notes.txt; anna: part 2.zip; ben: helpers.py."
    key = anna.key()
    (tmp_path / "anna" / "part 3.zip").write_bytes(b"")
    assert submissions(tmp_path)[0].key() != key, "what its rows say may be another"


def test_a_link_is_named(tmp_path):
    (tmp_path / "eve").mkdir()
    (tmp_path / "eve" / "06.ipynb").symlink_to("/etc/passwd")
    [eve] = submissions(tmp_path)
    assert not eve.files and "a link" in eve.unreadable["06.ipynb"]


def test_files_that_belong_to_no_learner_are_named(tmp_path):
    """A batch must not stop at a pipe without a writer, or at folders too deep to be opened."""
    names = (
        "anna/03.ipynb",
        "ben/a.zip",
        "cem/.work/03.ipynb",
        "dora/._03.ipynb",
        "dora/__MACOSX/._03.ipynb",
        "eve/03.ipynb/x.txt",
    )
    names += (".bob/03.ipynb", ".flo.ipynb", "__MACOSX/anna/._03.ipynb", "._anna.ipynb", ".DS_Store", "Thumbs.db")
    names += ("anna/.git/03.ipynb", "anna/.hidden.ipynb", f"{'g' * 255}/{'n' * 249}.ipynb")
    handed_in(tmp_path, *names)
    for pipe in ("pipe", "hal.ipynb", "ben/03.ipynb"):
        os.mkfifo(tmp_path / pipe)
    (tmp_path / "gone.ipynb").symlink_to(tmp_path / "nowhere")
    (tmp_path / "ida").symlink_to("/etc")
    (tmp_path / "anna" / ".ipynb_checkpoints").symlink_to(tmp_path / "ben")
    (tmp_path / "deep").mkdir()
    folder = os.getcwd()
    try:
        os.chdir(tmp_path / "deep")
        for _ in range(2500):
            os.mkdir("d")
            os.chdir("d")
    finally:
        os.chdir(folder)
    (tmp_path / "deep" / "03.ipynb").write_bytes(NB)
    handed = submissions(tmp_path)
    try:
        assert {submission.learner: len(submission.files) for submission in handed} == {
            **{"anna": 1, "ben": 0, "cem": 0, "deep": 1, "dora": 0, "eve": 0, "gone": 0, "g" * 255: 1},
        }
        why = {submission.learner: [*submission.unreadable.values()] for submission in handed}
        assert "is an archive" in why["ben"][1] and "a pipe" in why["ben"][0]
        assert "is hidden" in why["cem"][0] and "is a link" in why["gone"][0] and not why["anna"]
        said, empty = questions(tmp_path, handed)
        for name in ("._anna.ipynb, __MACOSX", "hal.ipynb, pipe (a pipe", "ida (a link", ".bob, .flo.ipynb (hidden"):
            assert name in said
        assert ".git" not in said and empty == "No notebook is in: dora."
        assert all(submission.key() for submission in handed)
        assert {name for submission in handed for name in submission.exercises()}
    finally:
        sandbox.remove(tmp_path / "deep")  # too deep for pytest


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-8-sig", "utf-32"])
def test_a_notebook_is_read_whatever_its_letters_are_coded_in(tmp_path, encoding):
    path = tmp_path / "06.ipynb"
    path.write_text(json.dumps(Notebook(backup=right("backup") + "\n# Zoë").node), encoding)
    [cell] = [cell for cell in read_cells("06.ipynb", path) if cell.exercise == "backup"]
    assert cell.source.endswith("Zoë")
    assert "backup" in Submission("anna", files={"06.ipynb": path}).exercises()


@pytest.mark.filterwarnings("error")
def test_ids_that_are_there_twice_are_nothing_to_warn_of(tmp_path):
    notebook = Notebook()
    notebook.cells[3].id = notebook.cells[4].id
    (tmp_path / "06.ipynb").write_bytes(notebook.bytes())
    assert len(read_cells("06.ipynb", tmp_path / "06.ipynb")) == len(notebook.cells)


def test_a_file_of_an_older_version_of_the_course_is_named_and_one_that_was_only_filled_in_is_not(tmp_path):
    older, own = Notebook(backup=right("backup")), Notebook(backup=right("backup"))
    older.cells[3].metadata["course"] = "0123456789ab"  # of a text that was another then
    own.cells[3].source += "a remark of the learner's"
    own.add("x = 1")
    own.cells.insert(0, {**own.cells[4], "id": "install", "metadata": {"course": "ba9876543210", "jupyter": {}}})
    for name, notebook in (("anna", older), ("ben", own), ("cem", Notebook())):
        (tmp_path / name).mkdir()
        (tmp_path / name / "03.ipynb").write_bytes(notebook.bytes())
    (tmp_path / "cem" / "mine.ipynb").write_text('{"cells": []}')
    [sentence] = of_another_version(submissions(tmp_path), cells_made())
    assert sentence.startswith(
        "Of an older version of the course, unless yours is the older one: anna (03.ipynb). These"
    )
    assert of_another_version(submissions(tmp_path)[1:], cells_made()) == []


def test_the_notebooks_of_a_clone_a_class_and_the_solutions_are_of_this_version(tmp_path):
    write_assignment(tmp_path / "copy", Handout.of("03"))
    for folder in (tmp_path / "copy" / "notebooks", NOTEBOOKS, SOLUTIONS):
        [path] = folder.glob("03*.ipynb")
        assert Submission("anna", files={path.name: path}).of_another_version(cells_made()) == []


# --- one learner is one learner ---------------------------------------------------------------------------------------


def test_files_of_a_platform_without_folders_are_grouped_by_learner(tmp_path):
    handed = handed_in(
        tmp_path,
        "Anna Example_48211_assignsubmission_file_06.ipynb",
        "Anna Example_48211_assignsubmission_file_07.ipynb",
        "Anna Example_48212_assignsubmission_file_06.ipynb",
        "anon_aB3dE_678901_06.ipynb",
        "anon_aB3dE_LATE_678902_07.ipynb",
        "anon_Zz9yX_678903_06.ipynb",
        "Week 3_flo_attempt_2026-11-02-10-11-12_06.ipynb",
        "Week 3_flo_attempt_2026-11-02-10-11-12_07.ipynb",
        "Week 3_a_flo_attempt_2026-11-02-10-11-12_06.ipynb",
        "Week 3_flo_attempt_2026-11-02-10-11-12.txt",
    )
    assert {submission.learner: len(submission.files) for submission in handed} == {
        "Anna Example-48211": 2,
        "Anna Example-48212": 1,
        "Week 3_a_flo": 1,
        "Week 3_flo": 2,
        "anon_aB3dE": 2,
        "anon_Zz9yX": 1,
    }
    assert [submission.learner for submission in handed if submission.late] == ["anon_aB3dE"]


def test_learners_who_may_be_confused_are_asked_about(tmp_path):
    loose, level = tmp_path / "loose", tmp_path / "level"
    handed = handed_in(loose, "anna_06.ipynb", "anna_07.ipynb", "bauerben_12345_678901_06.ipynb")
    [sentence] = questions(loose, handed)
    assert "2 loose files count as one learner each: anna_06, anna_07" in sentence
    handed = handed_in(level, "class/anna/06.ipynb", "class/ben/06.ipynb")
    [sentence] = questions(level, handed)
    assert "counts as one learner's" in sentence and f"SUBMISSIONS={level / 'class'}" in sentence
    handed = handed_in(tmp_path / "packed", "x/bauerben_1_678901_06.ipynb", "x/chocara_2_678902_06.ipynb")
    assert "one learner's" in questions(tmp_path / "packed", handed)[0]
    assert (
        questions(tmp_path / "own", handed_in(tmp_path / "own", "anna/week 1/06.ipynb", "anna/week 2/07.ipynb")) == []
    )


def test_archives_of_feedback_have_the_file_names_that_a_platform_expects(tmp_path):
    """As Canvas' and Moodle's sources parse them."""
    handed = handed_in(
        tmp_path / "in",
        "bauerben_LATE_12345_678901_06.ipynb",
        "bauerben_LATE_12345_678902_07.ipynb",
        "chocara_12346_link.html",
        "anon_aB3dE_678903_06.ipynb",
        "Anna Example_48211_assignsubmission_file/06.ipynb",
        "Zoë_48212_assignsubmission_onlinetext_onlinetext.html",
        "dora/06.ipynb",
    )
    reports.write_reports(tmp_path / "out", [rows(submission.learner) for submission in handed], [], handed_in=handed)
    names = {}
    for path in (tmp_path / "out").glob("*.zip"):
        with zipfile.ZipFile(path) as archive:
            names[path.name] = archive.namelist()
            assert all(archive.read(name).startswith(b"<!doctype html>") for name in names[path.name])
    assert {name: sorted(handed) for name, handed in names.items()} == {
        "feedback_canvas.zip": ["anon_aB3dE_678903_feedback.html", "bauerben_LATE_12345_678901_feedback.html"],
        "feedback_moodle.zip": [
            "Anna Example_48211_assignsubmission_file_feedback.html",
            "Zoë_48212_assignsubmission_file_feedback.html",
        ],
    }
    for name in names["feedback_moodle.zip"]:  # the participant and the plugin
        assert name.split("_", 4)[1].isdigit() and name.split("_", 4)[2:4] == ["assignsubmission", "file"]
    words = names["feedback_canvas.zip"][0].split("_")
    numbers = [word for word in words if word.isdigit()]
    assert numbers == (["678903"] if "anon" in names["feedback_canvas.zip"][0] else ["12345", "678901"])


ROSTER = [
    {"Full name": "Ben Beispiel", "Email address": "ben@example.org", "Identifier": "Participant 17"},
    {"Full name": "Zoë Anna Müller", "Email address": "zoe@example.org", "Identifier": "Participant 18"},
    {"Student": "Bauer, Ben", "ID": "12345", "SIS Login ID": "ben1"},
    {"Student": "Flores, Flo", "ID": "777", "SIS Login ID": "flo"},
]


@pytest.mark.parametrize(
    ("one", "person"),
    [
        (Submission("Team A-17", "Team A", "17", "Moodle"), None),
        (Submission("Team Ben-17", "Team Ben", "17", "Moodle"), None),
        (Submission("Ben Beispiel-17", "Ben Beispiel", "17", "Moodle"), 0),
        (Submission("Zoe Muller-18", "Zoe Muller", "18", "Moodle"), 1),
        (Submission("bauerben-12345", "bauerben", "12345", "Canvas"), 2),
        (Submission("team7-12345", "team7", "12345", "Canvas"), None),
        (Submission("Week 3_flo", "Week 3_flo", "", "Blackboard"), 3),
        (Submission("Week 3_aflo", "Week 3_aflo", "", "Blackboard"), None),
    ],
)
def test_a_number_is_not_believed_against_the_name_beside_it(one, person):
    known, unknown, absent = instructor_tables.people([one], ROSTER)
    assert unknown == ([one.learner] if person is None else [])
    assert absent == [each for number, each in enumerate(ROSTER) if number != person]
    if person is None:
        assert not {"ID", "Identifier", "Email address"} & known[one.learner].keys()
    else:
        assert ROSTER[person].items() <= known[one.learner].items()


# --- the learner's machine, and this one ------------------------------------------------------------------------------


def versions(*sources, name="backup", notebook="06.ipynb", version=""):
    cells = [Cell(notebook, number, "code", source, {}, "", version) for number, source in enumerate(sources)]
    return programs_of(cells, name, find(cells)[name], given_to(name))


ANSWER = right("backup")


def test_syntax_of_a_newer_python_is_this_machines_lack():
    newer = "def backup(leaf, value):\n    this is syntax of a later Python"
    assert "was saved by Python 99.1.2" in newer_python(*versions(newer, version="99.1.2"))
    assert newer_python(*versions(newer, version="3.9.1")) == newer_python(*versions(newer)) == ""


LINES = [
    "%matplotlib widget",
    "%config InlineBackend.figure_format = 'retina'",
    "%load_ext no_such_extension",
    "%pip install no_such_package",
    "!echo hello",
    "backup?",
    "?backup",
    "import os, inspect, gc, pdb, pickle",
    "from IPython.display import clear_output\nclear_output()",
    "import matplotlib.pyplot as plt\nplt.rcParams['figure.dpi'] = 120",
    "import matplotlib as mpl\nmpl.rcParams['font.size'] = 9",
]


@pytest.mark.parametrize("line", LINES)
def test_a_line_that_no_answer_needs_costs_no_points_and_no_human(line):
    [fresh] = versions("from course_utils.search.puct import Node", f"{line}\n{ANSWER}")
    assert reach.course_functions("backup", fresh.learners, CHECKS["backup"].right) == []
    made = run(fresh, "backup")
    assert raised_by(fresh, made) == [] and grade("backup", made.function).passed
    assert line.startswith(("import", "from")) or line not in fresh.cells[-1]


@pytest.mark.parametrize("emptied", ["", "\n\n", "# I give up\n# for today"])
def test_an_emptied_cell_is_not_filled_in(emptied):
    cells = cells_of("06.ipynb", Notebook(backup=emptied).cells)
    assert programs_of(cells, "backup", find(cells)["backup"], given_to("backup")) == []


def test_a_renamed_function_is_none_and_not_the_courses_own():
    cells = cells_of("06.ipynb", Notebook(backup=ANSWER.replace("def backup", "def my_backup")).cells)
    [fresh] = programs_of(cells, "backup", find(cells)["backup"], given_to("backup"))
    assert run(fresh, "backup") == Made(None)


# --- the answer's own notebook comes first ----------------------------------------------------------------------------


def test_a_helper_is_taken_from_the_answers_own_notebook_though_an_older_copy_has_one_above():
    copied, own = Notebook(), Notebook(backup=ANSWER.replace("-value", "flip(value)"))
    copied.add("def flip(value):\n    return value  # first try", copied.cells[2])
    own.add("def flip(value):\n    return -value", own.exercise("backup"))
    cells = cells_of("06-Copy1.ipynb", copied.cells) + cells_of("06.ipynb", own.cells)
    for order in (cells, cells[::-1]):
        [fresh] = programs_of(order, "backup", find(order)["backup"], given_to("backup"))
        assert [cell.notebook for cell in fresh.helpers] == ["06.ipynb"]


def test_a_helper_that_only_another_notebook_has_is_still_found():
    cells = [Cell("05.ipynb", 0, "code", "def flip(value):\n    return -value")]
    cells += [Cell("06.ipynb", 0, "code", ANSWER.replace("-value", "flip(value)"))]
    [fresh] = programs_of(cells, "backup", find(cells)["backup"], given_to("backup"))
    assert grade("backup", run(fresh, "backup").function).passed


def test_an_import_of_the_learners_own_does_not_keep_the_courses_lines_from_theirs():
    notebook = Notebook(backup="import numpy as np\nfrom course_utils.games import Game\n" + ANSWER)
    cells = cells_of("06.ipynb", notebook.cells)
    made = run(programs_of(cells, "backup", find(cells)["backup"], given_to("backup"))[0], "backup")
    assert made.raised == () and grade("backup", made.function).passed


# --- two runs ---------------------------------------------------------------------------------------------------------


def rows(learner, points=10, code="def backup(): ...", name="backup"):
    status = "passed" if points == 10 else "failed"
    return [Row(learner, "03_puct_search", name, status, points, 10, "because", code)]


def test_a_second_run_names_what_has_changed_and_removes_the_pages_of_those_who_withdrew(tmp_path):
    decided = rows("cem", 4)
    decided[0].reason = instructor_tables.DECIDED + "failed"
    assert reports.write_reports(tmp_path, [rows("anna"), rows("ben", 0), decided, rows("dora")], []) == []
    again = rows("cem", 4, "def backup(): return 1")
    again[0].reason = instructor_tables.DECIDED + "failed"
    notes = reports.write_reports(tmp_path, [rows("anna"), rows("ben"), again], [])
    assert notes == [
        "Changed since the last run: ben (backup 0 to 10, passed).",
        "Decided by hand, though the answer has changed since: cem's backup.",
        "No longer handed in, so their page of feedback is removed: dora.",
    ]
    assert sorted(path.stem for path in (tmp_path / "feedback").iterdir()) == ["anna", "ben", "cem"]
    assert all(note in (tmp_path / "class.html").read_text().replace("&#39;", "'") for note in notes)


def test_the_pages_fit_on_a_phone(tmp_path, browser):  # noqa: F811
    made = rows("anna", 4, "x = " + "1 + " * 100 + "1") + rows("anna", name="value_targets_in_long")
    made[0].reason = (
        "a_name_without_any_space_that_is_longer_than_the_line_of_a_phone_can_be; and " + "more words " * 20
    )
    reports.write_reports(
        tmp_path, [made], ["Each exercise ran apart."], notes=["Handed in, and not read: " + "x" * 60]
    )
    page = browser.new_page(viewport={"width": 360, "height": 640})
    for name in ("feedback/anna.html", "class.html"):
        page.goto((tmp_path / name).as_uri())
        assert page.evaluate("document.documentElement.scrollWidth") <= 360, name
    page.close()


def test_decisions_without_a_header_are_refused_and_a_comment_is_read_by_the_learner(tmp_path):
    path = tmp_path / "overrides.csv"
    for text in ("anna,backup,3\n", "anna,backup,3\nben,backup,4\n", "learner,points\nanna,3\n"):
        path.write_text(text)
        with pytest.raises(ValueError, match="its first line must name the columns"):
            instructor_tables.read_overrides(path, ["anna", "ben"], [])
    path.write_text('learner,exercise,points,comment\nanna,backup,3,"We spoke about it, well done"\n')
    [row] = made = rows("anna", 0)
    instructor_tables.override(made, instructor_tables.read_overrides(path, ["anna"], []))
    assert row.reason.startswith("We spoke about it, well done; decided by hand")
    assert "We spoke about it" in reports.feedback_page([row])


@pytest.fixture
def command(tmp_path, monkeypatch):
    """`make grade` without the grading: what it returns, and what it writes."""

    def graded(handed_in, *_, **__):
        return [rows(submission.learner) for submission in handed_in]

    monkeypatch.setattr(whole_class, "grade_submissions", graded)
    monkeypatch.setattr(batch, "CLASS_SEED", tmp_path / "seed")

    def run(out, **options):
        defaults = dict(submissions=tmp_path / "in", out=out, only="", road="", roster=None, seed="", workers=1)
        return commands.grade_class(argparse.Namespace(**defaults | options), [])

    return run


def test_a_folder_of_grades_among_the_submissions_is_refused(tmp_path, command, capsys):
    handed_in(tmp_path / "in", "anna/06.ipynb")
    assert command(tmp_path / "in" / "grades") == 1
    assert "is inside SUBMISSIONS" in capsys.readouterr().err
    assert command(tmp_path / "in") == 1
    assert command(tmp_path / "in-grades") == 0


def test_a_learner_on_the_roster_without_a_submission_has_a_row_and_a_late_submission_is_marked(
    tmp_path, command, capsys
):
    handed_in(tmp_path / "in", "bauerben_LATE_12345_678901_06.ipynb", "chocara_1_link.html")
    (tmp_path / "roster.csv").write_text(
        "Student,ID,SIS Login ID\n"
        '    Points Possible,,\n"Bauer, Ben",12345,ben1\n"Cho, Cara",1,cara\n"Doe, Dora",2,dora\n"Student, Test",3,x1\n'
    )
    assert command(tmp_path / "out", roster=tmp_path / "roster.csv") == 0
    told = capsys.readouterr().out
    assert "2 submissions" in told and "On the roster, these handed in nothing: dora." in told
    assert "Handed in, and not read: chocara-1: chocara_1_link.html." in told
    with (tmp_path / "out" / "grades.csv").open() as file:
        lines = {line["learner"]: (line["status"], line["reason"]) for line in csv.DictReader(file)}
    assert lines["dora"] == ("missing", "nothing was handed in") and len(lines) == 3
    with (tmp_path / "out" / "totals.csv").open() as file:
        assert {line["learner"]: line["Late"] for line in csv.DictReader(file)} == {
            "bauerben-12345": "LATE",
            "chocara-1": "",
            "dora": "",
        }
    with (tmp_path / "out" / "canvas.csv").open() as file:
        assert [line["ID"] for line in csv.DictReader(file)] == ["", "12345", "1", "2"]


def test_while_a_submission_matches_no_learner_no_absence_is_a_zero(tmp_path, command):
    handed_in(tmp_path / "in", "team7/06.ipynb")
    (tmp_path / "roster.csv").write_text('Student,ID,SIS Login ID\n"Bauer, Ben",12345,ben1\n')
    assert command(tmp_path / "out", roster=tmp_path / "roster.csv") == 0
    with (tmp_path / "out" / "grades.csv").open() as file:
        lines = {line["learner"]: (line["status"], line["reason"]) for line in csv.DictReader(file)}
    assert lines["ben1"] == ("needs a human", "nothing was handed in under this name; is one of these theirs: team7?")
    with (tmp_path / "out" / "canvas.csv").open() as file:
        assert [(line["ID"], line["03_puct_search"]) for line in csv.DictReader(file)][-1] == ("12345", "")


# --- OUT --------------------------------------------------------------------------------------------------------------


@pytest.fixture
def ungraded(tmp_path, monkeypatch):
    """Grades a class of one submission into a folder, and fails when it gets to that submission."""

    def grades_it(*_, **__):
        raise AssertionError("a submission was graded")

    monkeypatch.setattr(batch, "_in_processes", grades_it)
    monkeypatch.setattr(batch, "CLASS_SEED", tmp_path / "seed")
    handed_in(tmp_path / "in", "anna/06.ipynb")
    return lambda out: grade_class(read_class(tmp_path / "in"), out, "backup")


def test_a_folder_that_cannot_be_written_or_is_full_is_refused_before_anything_is_graded(
    tmp_path, ungraded, monkeypatch
):
    (tmp_path / "file").write_text("mine")
    for name in ("file", "file/out"):
        with pytest.raises(ValueError, match=r"can't be written .*, so nothing was graded"):
            ungraded(tmp_path / name)
    monkeypatch.setattr(output_folder.shutil, "disk_usage", lambda path: argparse.Namespace(free=5 << 20))
    with pytest.raises(ValueError, match="has 5 MB left and this class may need 22, so nothing was graded"):
        ungraded(tmp_path / "out")


def test_what_make_grade_did_not_write_is_left_alone_and_named_before_anything_is_graded(tmp_path, ungraded):
    folder = tmp_path / "out"
    (folder / "feedback").mkdir(parents=True)
    for name in ("totals.csv", "feedback/anna.html"):
        (folder / name).write_text("mine")
        with pytest.raises(ValueError, match=f"holds {name}, which is not as `make grade` wrote it"):
            ungraded(folder)
        with pytest.raises(ValueError, match=f"holds {name}"):
            reports.write_reports(folder, [rows("anna")], [])
        assert (folder / name).read_text() == "mine" and not (folder / "grades.csv").exists()
        (folder / name).unlink()
    (folder / "feedback" / "ben.html").write_text("mine")
    for _ in range(2):  # what it wrote itself it writes again
        reports.write_reports(folder, [rows("anna")], [])
    assert (folder / "feedback" / "ben.html").read_text() == "mine"
    (folder / "class.html").write_text((folder / "class.html").read_text() + "a remark")
    with pytest.raises(ValueError, match=r"holds class\.html"):
        ungraded(folder)


def test_a_run_that_was_killed_while_it_wrote_is_still_the_owner_of_its_files(tmp_path, monkeypatch):
    output_folder.write(tmp_path, {"grades.csv": "1", "class.html": "1"})
    whole = output_folder.write_atomically

    def killed(path, *arguments, **options):
        if path.name == "class.html":
            raise KeyboardInterrupt
        whole(path, *arguments, **options)

    with monkeypatch.context() as patch, pytest.raises(KeyboardInterrupt):
        patch.setattr(output_folder, "write_atomically", killed)
        output_folder.write(tmp_path, {"grades.csv": "2", "class.html": "2"})
    assert [(tmp_path / name).read_text() for name in ("grades.csv", "class.html")] == ["2", "1"]
    output_folder.write(tmp_path, {"grades.csv": "3", "class.html": "3"})
    assert [(tmp_path / name).read_text() for name in ("grades.csv", "class.html")] == ["3", "3"]


def test_only_the_owner_can_read_grades(tmp_path):
    output_folder.make_ready(tmp_path / "class 1" / "out", [], 1)
    reports.write_reports(tmp_path / "class 1" / "out", [rows("anna")], [])
    made = [tmp_path / "class 1" / "out", *(tmp_path / "class 1" / "out").rglob("*")]
    assert len(made) > 9 and not [path for path in made if path.stat().st_mode & 0o077]


# --- a mark that is missing, and what many have in common -------------------------------------------------------------


def waiting(learner, name="backup", why="it can't be read"):
    return Row(learner, "03_puct_search", name, "needs a human", 0, 10, why)


def test_what_needs_a_human_has_no_mark_anywhere_and_a_total_without_it_says_so(tmp_path, command, monkeypatch, capsys):
    made = [[*rows("anna"), waiting("anna", "expand")], [*rows("ben"), *rows("ben", 0, name="expand")]]
    monkeypatch.setattr(whole_class, "grade_submissions", lambda *_, **__: made)
    handed_in(tmp_path / "in", "anna/06.ipynb", "ben/06.ipynb")
    assert command(tmp_path / "out") == 0
    assert "1 mark of 1 learner and their totals stay empty until you decide." in capsys.readouterr().out
    text = {path.name: path.read_text() for path in (tmp_path / "out").rglob("*.*")}
    assert "anna,03_puct_search,expand,needs a human,,10,it can't be read" in text["grades.csv"]
    assert text["totals.csv"].splitlines()[1:] == ["anna,,,1", "ben,10,10,0"]
    assert text["canvas.csv"].splitlines()[2:] == ["anna,,,anna,,", "ben,,,ben,,10"]
    assert [row["points"] for row in json.loads(text["grades.json"])["rows"]] == [10, None, 10, 0]
    assert "anna: 10 of 20 points so far" in text["anna.html"] and "1 exercise has no mark yet" in text["anna.html"]
    assert "– / 10" in text["anna.html"] and "0 / 10" not in text["anna.html"].replace("10 / 10", "")
    assert "ben: 10 of 20 points</h1>" in text["ben.html"]
    assert "1 needs a human;</span> 10 so far / 20" in text["class.html"]
    assert "Mean 10.0, median 10 of 20 points, of 1 learner." in text["class.html"]
    assert "1 without a total not counted" in text["class.html"]


def test_mean_median_and_histogram_count_those_who_handed_something_in(tmp_path):
    made = [rows("a"), rows("b", 0), rows("c"), rows("d", 4), [waiting("e")], rows("f", 0)]
    made[-1][0].status, made[-1][0].reason = "missing", reports.ABSENT
    spread = reports._spread(made)
    assert (spread.mean, spread.median, spread.counted, spread.waiting, spread.absent) == (6, 7, 4, 1, 1)
    assert [number for _, number in spread.bars] == [1, 0, 0, 0, 1, 0, 0, 0, 0, 2]
    assert reports._spread([[waiting("e")]]) is None
    assert "Nobody has one yet" in reports.class_page([[waiting("e")]], [])


def test_a_sentence_that_many_rows_share_is_on_a_page_once():
    why = "a sentence that all share"
    made = [[waiting(who, f"exercise_{n}", why) for n in range(29)] for who in ("anna", "ben")]
    page = reports.class_page(made, [])
    assert page.count(why) == 1 and '<td class="number">58</td>' in page and "2 learners</summary>" in page
    assert reports.feedback_page(made[0]).count(why) == 1


def test_every_page_says_what_was_graded_when_and_by_which_version():
    some = rows("anna")
    for page in (reports.class_page([some], []), reports.feedback_page(some)):
        assert "<title>PUCT search (1 of 6 exercises)" in page
        assert f"on {reports.datetime.now():%-d %B %Y} by version {reports.version()} of the course" in page
    whole = [Row("anna", e["notebook"], e["id"], "passed", e["points"], e["points"], "") for e in course()]
    assert " notebooks, 0" in reports.graded_now(whole)["title"]
    assert reports.version().startswith(reports.__version__)


# --- the files of a browser tab ---------------------------------------------------------------------------------------


def from_the_tab(folder, **answers) -> bytes:
    """The file that the button in the tab saves, with these answers."""
    [source] = source_files.sources("03")
    notebook = in_the_tab(source, Handout.of("03"))
    for cell in notebook.cells:
        cell.source = answers.get(cell.metadata.get("exercise"), cell.source)
    write_atomically(folder / "notebooks" / "03_puct_search.ipynb", json.dumps(notebook))
    return travel.pack(folder / "notebooks", folder / "record")


def test_a_file_of_answers_is_read_as_the_notebooks_in_it(tmp_path):
    class_, answers = tmp_path / "class", from_the_tab(tmp_path / "tab", backup=right("backup"))
    for name in ("anna/alphazero (1).answers", "bauerben_12345_678901_alphazero.answers", "cem.ANSWERS"):
        write_atomically(class_ / name, answers)
    write_atomically(class_ / "dora" / "cut.answers", answers[:-9])
    record.save(record.Answer("backup", right("backup"), 9, 9, True), tmp_path / "record")
    write_atomically(class_ / "eve" / "from-colab.answers", travel.pack(tmp_path / "none", tmp_path / "record"))
    by_learner = {submission.learner: submission for submission in submissions(class_)}
    assert sorted(by_learner) == ["anna", "bauerben-12345", "cem", "dora", "eve"]
    assert [*by_learner["anna"].files] == ["alphazero (1).answers/03_puct_search.ipynb"]
    assert "it is damaged" in by_learner["dora"].unreadable["cut.answers"]
    assert "holds no notebook" in by_learner["eve"].unreadable["from-colab.answers"]
    for name in ("anna", "bauerben-12345", "cem"):
        by_learner[name].read()
        [backup] = [cell for cell in by_learner[name].cells if cell.exercise == "backup"]
        assert backup.source == right("backup") and "backup" in by_learner[name].exercises()
    assert of_another_version([*by_learner.values()], cells_made()) == [], "the tab's own cells are of this version"


@pytest.mark.slow
def test_five_files_of_the_tab_and_three_notebooks_are_graded_together(tmp_path):
    class_, wrong = tmp_path / "class", right("backup").replace("value = -value", "pass")
    tab = [right("backup"), right("backup"), wrong, "def backup(leaf, value):\n    pass", None]
    names = ["anna/a.answers", "bauerben_12345_678901_b.answers", "cem/c.answers", "dora/d.answers", "eve/e.answers"]
    for number, (name, answer) in enumerate(zip(names, tab, strict=True)):
        file = from_the_tab(tmp_path / str(number), **({"backup": answer} if answer else {}))
        write_atomically(class_ / name, file or b"")
    for name, answer in {"flo": right("backup"), "gil": wrong}.items():
        write_atomically(class_ / name / "03.ipynb", Notebook(backup=answer).bytes())
    write_atomically(class_ / "hal" / "03.ipynb", Notebook().bytes())
    graded = grade_class(read_class(class_), tmp_path / "out", "backup", "7")
    graded.write_reports(tmp_path / "out")
    learners = graded.learners
    statuses = {row.learner: row.status for [row] in learners}
    assert statuses.pop("dora") in ("failed", "partial") and statuses == {
        **{"anna": "passed", "bauerben-12345": "passed", "cem": "partial", "eve": "missing"},
        **{"flo": "passed", "gil": "partial", "hal": "missing"},
    }
    totals = (tmp_path / "out" / "totals.csv").read_text().splitlines()
    assert len(totals) == 1 + len(learners)
    with zipfile.ZipFile(tmp_path / "out" / "feedback_canvas.zip") as feedback:
        assert feedback.namelist() == ["bauerben_12345_678901_feedback.html"]


def test_the_site_of_a_class_is_not_written_over_another(tmp_path, capsys):
    (tmp_path / "index.html").touch()
    options = argparse.Namespace(out=tmp_path, only="03", road="", hidden=False, pyodide=None)
    assert commands.write_site(options, []) == 1 and "is not empty" in capsys.readouterr().err
    assert commands.write_site(argparse.Namespace(**{**vars(options), "only": "77"}), []) == 1
    assert "no notebook begins with '77'" in capsys.readouterr().err
