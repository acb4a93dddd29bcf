"""What a learner's cell is told: its own line first, and nothing that does not follow from what failed."""

import importlib
import inspect
import itertools
import sys

import pytest

from course_utils.course.build import reference
from course_utils.exercise import EXERCISES, bind, from_elsewhere, run_cell
from course_utils.search import gumbel
from course_utils.tests.learner import grade_answer, run_check
from course_utils.tests.render import as_text

NUMBERS = itertools.count()


def defined_in_a_cell(exercise, source, expression="", before="", filename=""):
    """What `expression` (by default the exercise) stands for after a cell of this source, in a notebook with the module's names."""
    namespace = dict(vars(importlib.import_module(EXERCISES[exercise].module)))
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


@pytest.mark.parametrize(
    ("before", "elsewhere"),
    [
        ("from course_utils.search.gumbel import C_VISIT, sigma", ""),
        ("C_VISIT = 50", ""),
        (inspect.getsource(gumbel.sigma), ""),  # a copy that says the same
        ("def sigma(q, N):\n    return N.max() * q", "sigma"),
        ("sigma = functools.partial(lambda q, N: q)", "sigma"),
    ],
)
def test_what_a_learner_has_changed_in_another_cell_is_not_the_packages_own(before, elsewhere):
    source = reference("improved_policy")
    live = defined_in_a_cell("improved_policy", source, "improved_policy", f"import functools\n{before}").__globals__
    assert from_elsewhere("improved_policy", source, live) == set(elsewhere.split())


def test_an_answer_that_uses_what_the_learner_has_changed_in_another_cell_is_not_recorded():
    source = "def relu(x):\n    return exercise(x)\n"  # the module has such a name
    before = "def exercise(x):\n    return x * (x > 0)\n"
    report, kept = grade_answer("relu", defined_in_a_cell("relu", source, before=before))
    assert report.passed
    assert not kept
    assert any("it uses exercise from another cell" in note for note in report.notes)


def test_a_helper_that_is_imported_under_a_name_of_the_module_is_recorded_with_its_import():
    source = "def relu(x):\n    return (x + np.abs(x)) / 2\n"
    before = "import builtins as np"
    _, kept = grade_answer("relu", defined_in_a_cell("relu", source, before=before))
    assert kept.startswith("import builtins as np\n")


def test_a_lambda_is_recorded_under_its_name():
    source = "relu = lambda x: x * (x > 0)\n"
    report, kept = grade_answer("relu", defined_in_a_cell("relu", source))
    assert report.passed
    assert kept == source


def test_a_cell_that_jupyterlabs_debugger_has_put_on_disk_is_a_cell(tmp_path):
    path = tmp_path / "ipykernel_4217" / "1234.py"
    path.parent.mkdir()
    path.write_text(reference("relu"))
    report, kept = grade_answer("relu", defined_in_a_cell("relu", reference("relu"), filename=str(path)))
    assert report.passed
    assert kept == reference("relu")


def test_a_magic_in_a_recorded_cell_does_nothing_in_another_process():
    source = "get_ipython().run_line_magic('matplotlib', 'inline')\n" + reference("relu")
    assert bind("relu", source)
