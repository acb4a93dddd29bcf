"""What a learner's cell is told: its own line first, and nothing that does not follow from what failed."""

import builtins
import importlib
import inspect
import itertools
import sys
import types

import numpy as np
import pytest

from course_utils import mine, platform, record
from course_utils.answers import kernel
from course_utils.answers.cells import Cell
from course_utils.answers.stubs import reference
from course_utils.deadline import TookTooLong
from course_utils.exercise import EXERCISES, CannotBind, NoMagic, bind, run_cell, yours
from course_utils.networks import by_hand
from course_utils.paths import NOTEBOOKS
from course_utils.search import puct
from course_utils.tests import learner
from course_utils.tests.case import Case, Outcome
from course_utils.tests.grade import SECOND_TRY, CheckFailed, Report, grade
from course_utils.tests.learner import grade_answer, run_check
from course_utils.tests.render import as_text

RELU = "def relu(x):\n    return {}\n"
NUMBERS = itertools.count()
HISTORY: list[str] = []  # of the notebook's kernel


@pytest.fixture(autouse=True)
def a_kernel_that_has_run_these_cells(monkeypatch):
    monkeypatch.setattr(
        kernel, "cells_run", lambda: [Cell("", place, "code", text) for place, text in enumerate(HISTORY) if text]
    )


def defined_in_a_cell(exercise, source, expression="", before="", filename=""):
    """What `expression` (by default the exercise) stands for after a cell of this source, in a notebook with the
    module's names.
    """
    namespace = dict(vars(importlib.import_module(EXERCISES[exercise].module)))
    HISTORY[:] = [before, source]
    for cell, name in ((before, f"<cell {next(NUMBERS)}>"), (source, filename or f"<cell {next(NUMBERS)}>")):
        run_cell(cell, name, namespace)
    return eval(expression or exercise, namespace)


def told(exercise, source):
    return as_text(grade_answer(exercise, defined_in_a_cell(exercise, source))[0])


def test_where_every_case_raises_the_learners_own_line_comes_first_and_no_question():
    text = told("relu", "def relu(x):\n    y = x.clone()\n    return y\n")
    assert "in line 2 of your cell: `y = x.clone()`" in text.splitlines()[1]
    assert "Ask yourself" not in text


def test_a_mistake_is_not_named_after_another_that_raises_the_same_kind_of_exception():
    source = reference("train_step").replace('"value": value_loss.item()', '"value": float(value_loss.numpy())')
    text = told("train_step", source)
    assert "Can't call numpy() on Tensor that requires grad" in text.splitlines()[1]
    assert "This is what you get" not in text


def test_who_forgets_an_argument_of_a_part_sees_the_call():
    source = reference("self_play_game").replace(", noise=noise, rng=rng", ", noise=noise")
    assert "of your cell: `visits = mcts_search(game, state, network, simulations, c_puct, noise=noise)`" in told(
        "self_play_game", source
    )


@pytest.mark.parametrize("exercise", ["relu", "mcts_search"])
def test_a_stubs_raise_that_was_left_below_the_answer_is_named(exercise):
    head, _, last = reference(exercise).rstrip().rpartition("\n    return ")
    source = f'{head}\n    raise NotImplementedError("{exercise} is not written yet")\n    return {last}\n'
    assert "its line `raise NotImplementedError(...)` is still there: delete it" in told(exercise, source)


def test_the_object_that_was_handed_over_is_graded_not_another_of_its_name():
    method = reference("winner").rstrip().replace("\n", "\n    ")
    source = f"def winner(state):\n    return 7\n\n\nclass Rules:\n    @staticmethod\n    {method}\n"
    answer = defined_in_a_cell("winner", source, "Rules.winner")
    report, recorded = grade_answer("winner", answer)
    assert report.passed and not recorded  # nobody says what it is called there
    HISTORY.append("tests.test_winner(Rules.winner)")
    report, recorded = grade_answer("winner", answer)
    assert report.passed
    assert grade("winner", bind("winner", recorded)).passed


def test_where_run_all_would_stop_a_check_that_fails_prints_its_line(monkeypatch, capsys):
    wrong = defined_in_a_cell("relu", reference("relu").replace("0", "1"))
    with pytest.raises(CheckFailed) as failure:
        run_check("relu", wrong)
    monkeypatch.setattr(platform, "GOES_ON", False)
    run_check("relu", wrong)
    assert f"CheckFailed: {failure.value}" in capsys.readouterr().out


def test_a_stub_whose_exercise_passed_elsewhere_does_not_fail(tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("COURSE_RECORD", str(tmp_path))
    stub = 'def relu(x):\n    raise NotImplementedError("relu is not written yet")\n'
    with pytest.raises(CheckFailed, match="relu: not written yet"):
        run_check("relu", defined_in_a_cell("relu", stub))
    run_check("relu", defined_in_a_cell("relu", reference("relu")))
    capsys.readouterr()
    run_check("relu", defined_in_a_cell("relu", stub))
    assert capsys.readouterr().out == f"relu: {learner.STILL_YOURS}\n"
    assert record.load("relu").passing


def test_a_pass_in_a_notebook_outside_of_the_course_says_that_it_is_not_recorded(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("COURSE_RECORD", raising=False)
    monkeypatch.setitem(sys.modules, "ipykernel", sys)
    run_check("relu", defined_in_a_cell("relu", reference("relu")))
    text = capsys.readouterr().out
    assert "PASSED" in text
    assert "Not recorded: this notebook lies outside the course's folder" in text


def test_cells_run_once_more_for_a_check_and_then_no_more(tmp_path, monkeypatch):
    """Once more than the learner has run them, alone: that is how it is known that what is recorded works in another
    kernel.
    """
    monkeypatch.setenv("COURSE_RECORD", str(tmp_path))
    letters = tmp_path / "letters"
    source = f"open({str(letters)!r}, 'a').write('x')\n{RELU.format('np.maximum(x, 0)')}"
    run_check("relu", defined_in_a_cell("relu", source))
    assert "relu" in yours() and by_hand.relu(np.array([-1.0, 2.0])).tolist() == [0, 2]
    assert letters.read_text() == "xx"
    with pytest.raises(CheckFailed):
        run_check("relu", defined_in_a_cell("relu", source.replace("0)", "1)")))
    assert by_hand.relu(np.array([-1.0, 2.0])).tolist() == [0, 2]  # what has passed stays in use
    assert letters.read_text() == "xxxx"


def test_what_was_switched_off_stays_off_when_it_passes_again(tmp_path, monkeypatch):
    monkeypatch.setenv("COURSE_RECORD", str(tmp_path))
    mine.use_ours("relu")
    run_check("relu", defined_in_a_cell("relu", RELU.format("np.maximum(x, 0)")))
    assert "relu" not in yours()
    mine.use_yours("relu")
    assert "relu" in yours()


def test_a_helper_that_has_the_name_of_something_of_the_modules_is_recorded_with_the_answer():
    answer = defined_in_a_cell("relu", RELU.format("exercise(x)"), before="def exercise(x): return x * (x > 0)")
    report, kept = grade_answer("relu", answer)
    assert report.passed
    assert bind("relu", kept)(np.array([-1.0, 2.0])).tolist() == [0, 2]


def test_what_passes_only_where_it_was_made_passes_and_is_not_recorded():
    answer = defined_in_a_cell("relu", f"K = K * 1\n{RELU.format('np.maximum(x, K)')}", before="K = 0")
    report, kept = grade_answer("relu", answer)
    assert report.passed and not kept
    assert any("Graded as it is, not recorded" in note for note in report.notes)


@pytest.mark.parametrize(
    ("before", "source"),
    [
        ("axis = None", "def relu(x):\n    axis = None\n    return np.maximum(x, 0)\n"),
        ("import functools", RELU.format("functools.reduce(np.maximum, [0 * x, x])")),
        ("import builtins as np", RELU.format("np.max([x], key=lambda one: 0) * (x > 0)")),
        ("from math import inf", RELU.format("np.clip(x, 0, inf)")),
        ("from numpy import maximum", RELU.format("maximum(x, 0)")),
        ("from numpy import maximum as max", RELU.format("max(x, 0)")),
        ("import concurrent.futures", RELU.format("np.maximum(x, 0 if concurrent.futures.Future else 1)")),
        (
            "from typing import Any",
            "from __future__ import annotations\ndef relu(x: Any) -> Any:\n    return np.maximum(x, 0)\n",
        ),
        ("", RELU.format("np.maximum(x, 0)") + "display(relu(np.zeros(2)))\n"),
        ("", RELU.format("np.maximum(x, 0)") + "def test_relu():\n    assert relu(np.ones(1)) == 1\ntest_relu()\n"),
        ("", "def relu(x):\n    match x.ndim:\n        case rows if rows: return np.maximum(x, 0)\n    return x\n"),
        ("", "relu = lambda x: x * (x > 0)\n"),
        ("", "get_ipython().run_line_magic('matplotlib', 'inline')\n" + RELU.format("np.maximum(x, 0)")),
        ("def exercise(x): return 3", RELU.format("np.maximum(x, 0)") + "exercise(3) if False else None\n"),
    ],
)
def test_what_runs_on_its_own_is_recorded_with_what_it_needs(before, source, monkeypatch):
    monkeypatch.setattr(builtins, "display", print, raising=False)  # a notebook's
    monkeypatch.setattr(builtins, "get_ipython", NoMagic, raising=False)
    report, kept = grade_answer("relu", defined_in_a_cell("relu", source, before=before))
    assert report.passed
    monkeypatch.undo()  # another process
    assert bind("relu", kept)(np.array([-1.0, 2.0])).tolist() == [0, 2]


def test_a_class_that_the_notebook_gives_may_be_changed_where_the_answer_does_not_mind():
    changed = inspect.getsource(puct.Node) + '\n    def __repr__(self):\n        return "a node"\n'
    source = "# mine\n" + reference("backup")
    report, kept = grade_answer("backup", defined_in_a_cell("backup", source, before=changed))
    assert report.passed
    assert grade("backup", bind("backup", kept)).passed


def test_what_is_none_in_the_notebook_is_none_in_the_answer():
    source = "def relu(x):\n    return np.maximum(x, 0) if axis is None else x\n"
    report, _ = grade_answer("relu", defined_in_a_cell("relu", source, before="axis = None"))
    assert report.passed


def test_a_module_beside_the_notebooks_is_recorded_as_an_import(monkeypatch):
    mine = types.ModuleType("mine_alone")
    mine.__file__, mine.clip = str(NOTEBOOKS / "mine_alone.py"), lambda x: x * (x > 0)
    monkeypatch.setitem(sys.modules, "mine_alone", mine)
    answer = defined_in_a_cell("relu", RELU.format("mine_alone.clip(x)"), before="import mine_alone")
    report, kept = grade_answer("relu", answer)
    assert report.passed
    assert kept.startswith("import mine_alone\n")


def test_a_cell_that_jupyterlabs_debugger_has_put_on_disk_is_a_cell(tmp_path):
    path = tmp_path / "ipykernel_4217" / "1234.py"
    path.parent.mkdir()
    path.write_text(reference("relu"))
    report, kept = grade_answer("relu", defined_in_a_cell("relu", reference("relu"), filename=str(path)))
    assert report.passed
    assert kept.strip() == reference("relu").strip()


def test_a_wrong_answer_is_graded_once(monkeypatch):
    """Whatever its cell and its notebook hold besides."""
    grades = []
    monkeypatch.setattr(learner, "yours", dict)  # no other answer is in force, whatever an earlier test has recorded
    monkeypatch.setattr(learner, "grade", lambda *args, **kwargs: grades.append(1) or grade(*args, **kwargs))
    wrong = reference("backup").replace("value = -value", "value = value * ONE")
    cell = f"import math\nONE = 1\n{wrong}\nrng = math.pi\nprint(rng)\n"
    report, _ = grade_answer(
        "backup", defined_in_a_cell("backup", cell, before=f"rng = 3\n{inspect.getsource(puct.Node)}")
    )
    assert not report.passed
    assert len(grades) == 1


def test_a_variable_that_has_the_name_of_one_of_pythons_functions_breaks_no_answer():
    source = "# mine\n" + reference("backup")
    report, kept = grade_answer("backup", defined_in_a_cell("backup", source, before="NO_ACTION = 99\nnp = None"))
    assert report.passed
    assert kept
    assert not report.notes
    report, kept = grade_answer(
        "relu", defined_in_a_cell("relu", RELU.format("x * (x > 0) + 0 * sum([1])"), before="sum = 3")
    )
    assert report.passed
    assert kept


def test_a_last_line_that_uses_the_notebook_is_no_hindrance():
    source = RELU.format("np.maximum(x, 0)") + "print(relu(inputs))\n"
    report, kept = grade_answer("relu", defined_in_a_cell("relu", source, before="inputs = np.ones(3)"))
    assert report.passed
    assert bind("relu", kept)(np.array([-1.0, 2.0])).tolist() == [0, 2]


def test_what_a_notebook_holds_can_not_break_the_check():
    class Lazy:
        def __getattr__(self, name):
            raise ImportError("lazy")

    nameless = types.ModuleType("nameless")
    del nameless.__name__
    source = RELU.format("np.maximum(x, 0) if True else lazy.x + nameless.y")
    answer = defined_in_a_cell("relu", source)
    answer.__globals__.update(lazy=Lazy(), nameless=nameless)
    assert grade_answer("relu", answer)[0].passed
    bind("relu", f"{source}raise SystemExit('stop')")  # each cell to where it raises
    with pytest.raises(CannotBind, match="SystemExit"):
        bind("relu", f"raise SystemExit('stop')\n{source}")


def test_an_answer_that_ran_out_of_time_is_tried_with_ours_for_a_second_a_case_only(monkeypatch):
    limits = []

    def late(exercise, answer, seed, others=None, seconds=None):
        limits.append(seconds)
        return Report(exercise, [Outcome(Case("one", answer, 0), error=TookTooLong(), complaint="took longer")])

    monkeypatch.setattr(learner, "grade", late)
    learner._with_yours_or_ours("backup", print, 0, {"expand": print})
    assert limits == [None, SECOND_TRY]
