"""Two mistakes at once: the messages name both, or the one that is seen in the first failing case, and never a third one."""

import importlib
from itertools import combinations

import pytest

from course_utils.exercise import EXERCISES
from course_utils.tests.case import Raises
from course_utils.tests.catalogue import Wrong, both
from course_utils.tests.grade import CHECKS, grade
from course_utils.tests.render import as_text
from course_utils.tests.slips import found

CASE = 'In the case "{}" this is what you get when '


def changed(exercise: str, *replace: tuple[str, str], code: str = "") -> Wrong:
    entry = Wrong("", "", "", *replace, code=code)
    entry.exercise = exercise
    return entry


@pytest.mark.parametrize(
    ("exercise", "replace", "said"),
    [
        ("play", [("tuple(cells)", "cells"), ("; legal: {", "{'' and ")],
         ["Two things are wrong at once. One is that the error does not say what was legal", "The other is that the cells of the new state are a list"]),
        ("symmetries", [("turned_policy.flatten()", "policy"), ("turned_planes.copy()", "turned_planes")],
         [CASE.format("each policy moves like its board") + "the boards are turned, but each keeps the policy"]),
        ("mcts_search", [("        if action != NO_ACTION:\n            node = expand(", "        expand(")],
         ["Two things are wrong at once. One is that expand makes a new node", "The other is that expand is called where the game is over"]),
        ("train_alphazero", [("run.champion.load_state_dict(run.candidate.state_dict())", "run.champion = run.candidate"), (" and callback(run):\n            return", ":\n            callback(run)")],
         ["an accepted candidate becomes the champion"]),
    ],
)  # fmt: skip
def test_two_mistakes_that_readers_made_together_are_told(exercise, replace, said):
    entry = changed(exercise, *replace)
    report = grade(exercise, entry.answer)
    report.source = entry.source
    text = as_text(report)
    assert all(words in text for words in said), text


def test_nan_that_was_given_is_not_taken_for_the_answers_own():
    entry = changed(
        "masked_policy",
        code="""
        def masked_policy(logits, legal):
            masked = logits * legal
            weights = np.exp(masked - masked.max())
            return weights / weights.sum()
        """,
    )
    report = grade("masked_policy", entry.answer)
    assert {part.name for _, part in report.parts} == {"logits multiplied by the mask", "nonsense let through"}
    assert any(isinstance(outcome.case.expected, Raises) for outcome in report.failures)
    assert not any("NaN" in words for words in found(entry.source, report.failures, "masked_policy"))


def pairs(exercise: str) -> list[tuple[Wrong, Wrong]]:
    """Some that go together, spread over the catalogue."""
    together = [two for two in combinations(CHECKS[exercise].wrong, 2) if both(*two)]
    return together[:: max(1, len(together) // 3)][:3]


@pytest.mark.slow
@pytest.mark.parametrize(
    "exercise", ["play", "encode", "winner", "legal_actions", "symmetries", "network_forward", "masked_policy", "select_child", "select", "evaluate", "expand", "backup", "sample_action", "value_targets"],
)  # fmt: skip
def test_of_two_mistakes_of_the_catalogue_none_is_named_that_was_not_made(exercise):
    named = 0
    for two in pairs(exercise):
        report = grade(exercise, both(*two).answer)
        said = [part for _, part in report.parts]
        # Nobody can tell these from them:
        alike = {match for one in two for match in grade(exercise, one.answer).matches}
        assert {*said} <= {*two, *alike}, [one.name for one in (*two, *said)]
        named += bool(said or report.matches)
    assert named


def test_a_mistake_is_not_told_by_one_case_if_it_would_fail_others_that_pass():
    [prints] = [entry for entry in CHECKS["play"].wrong if entry.name == "printed instead of raised"]
    right = EXERCISES["play"].reference

    def prints_for_taken_cells(state, action):
        return (prints.answer if 0 <= action < 9 and state.cells[action] else right)(state, action)

    report = grade("play", prints_for_taken_cells)
    assert report.failures
    assert not report.matches
    assert not report.parts


def test_texts_of_different_lengths_are_shown_from_the_first_line_that_differs():
    module = importlib.import_module("course_utils.tests.render")
    assert module._differing_lines("a\nb\nc", "a\nb") == (
        "(the first 2 lines agree)\nc",
        "(the first 2 lines agree)\nnothing more",
    )
