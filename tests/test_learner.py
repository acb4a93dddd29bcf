"""What a learner's cell is told: its own line first, and nothing that does not follow from what failed."""

import importlib
import itertools
import linecache
import sys

import pytest

from course_utils.course.build import reference
from course_utils.exercise import EXERCISES
from course_utils.tests.learner import grade_answer, run_check
from course_utils.tests.render import as_text

NUMBERS = itertools.count()


def defined_in_a_cell(exercise, source, expression=""):
    """What `expression` (by default the exercise) stands for after a cell of this source, in a notebook with the module's names."""
    filename = f"<cell {next(NUMBERS)}>"
    linecache.cache[filename] = (len(source), None, source.splitlines(keepends=True), filename)
    namespace = dict(vars(importlib.import_module(EXERCISES[exercise].module)))
    exec(compile(source, filename, "exec", dont_inherit=True), namespace)
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
    report, recorded = grade_answer("winner", defined_in_a_cell("winner", source, "Rules.winner"))
    assert report.passed
    assert not recorded
    assert any("not recorded: it is not a function that its cell calls winner" in note for note in report.notes)


def test_a_pass_in_a_notebook_outside_of_the_course_says_that_it_is_not_recorded(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("COURSE_RECORD", raising=False)
    monkeypatch.setitem(sys.modules, "ipykernel", sys)
    run_check("relu", defined_in_a_cell("relu", reference("relu")))
    text = capsys.readouterr().out
    assert "PASSED" in text
    assert "Not recorded: this notebook lies outside the course's folder" in text
