"""What a message shows can be pasted into a notebook, and does there what the message says."""

import ast
import inspect
import re
import sys

import numpy as np
import pytest

from course_utils.exercise import EXERCISES, using
from course_utils.tests.case import Raises, complaint_about
from course_utils.tests.grade import CHECKS
from course_utils.tests.scene import HELPERS
from course_utils.tests.stage import LocalStage

DRAWS = 10  # of each exercise


def pasted_into_a_notebook(exercise: str, lines: str):
    """What comes of the last line there: numpy is imported, and the exercise is written."""
    notebook = {"np": np, exercise: EXERCISES[exercise].reference}
    *before, last = ast.parse(lines).body
    assert isinstance(last, ast.Expr), lines
    with np.errstate(all="ignore"):
        exec(compile(ast.Module(before, []), "<pasted>", "exec"), notebook)
        return eval(compile(ast.Expression(last.value), "<pasted>", "eval"), notebook)


def complaint(exercise: str, lines: str, expected, tolerance) -> str:
    try:
        return complaint_about(pasted_into_a_notebook(exercise, lines), expected, tolerance)
    except Exception as error:
        if not isinstance(expected, Raises):
            raise
        return expected.complaint(error)


@pytest.mark.parametrize("exercise", EXERCISES)
def test_the_lines_that_are_shown_give_what_is_expected(exercise):
    check = CHECKS[exercise]
    with using({}):
        for case in check.by_hand_cases(np.random.default_rng(0)):
            assert complaint(exercise, case.call, case.expected, case.tolerance) == "", case.call
        for draw in [*(draw for _, _, draw in check.drawn(0)[:DRAWS]), *check.edges]:
            lines = check.scene(draw)
            assert complaint(exercise, check.shown(lines), check.expected(lines), check.tolerance) == "", lines


@pytest.mark.parametrize("exercise", EXERCISES)
def test_behind_each_helper_of_the_checks_that_is_imported_stands_what_it_is(exercise):
    """And what belongs to the course is imported from where the course has it."""
    check = CHECKS[exercise]
    with using({}):
        shown = [case.call for case in check.by_hand_cases(np.random.default_rng(0))]
        shown += [check.shown(check.scene(draw)) for _, _, draw in check.drawn(0)[:DRAWS]]
    for line in {line for lines in shown for line in lines.splitlines() if line.startswith(f"from {HELPERS}")}:
        helper = re.fullmatch(r"from (\S+) import (\w+)  # (.+)", line)
        assert helper, line
        assert inspect.getattr_static(sys.modules[helper[1]], helper[2]).__module__ == helper[1]


@pytest.mark.parametrize("exercise", EXERCISES)
def test_a_message_shows_the_lines_of_the_scene_that_failed(exercise):
    """And what the message says was expected is what the first right answer gives in these lines."""
    check = CHECKS[exercise]
    with using({}):
        for draw in check.edges or [check.drawn(0)[0][2]]:
            lines = check.scene(draw)
            verdict = check.verdict(LocalStage(check, lambda *args, **kwargs: undefined), draw)  # noqa: F821
            assert verdict.call.endswith(lines)
            assert verdict.expected is check.expected(lines)


def test_an_error_in_the_lines_of_a_scene_is_no_expectation():
    with pytest.raises(NameError):
        CHECKS["relu"].expected("relu(missing)")
    assert CHECKS["relu"].expected("relu(None)").kind is TypeError
