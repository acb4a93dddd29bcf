"""Guesses: each in a source stands in a table and the other way round, every answer is worked out anew, and none ever blocks."""

import importlib
import re
import sys
from pathlib import Path

import numpy as np
import pytest

from course_utils import tests
from course_utils.material import source_files
from course_utils.tests.guess import TYPE_IT, guess, guesses, judge, same
from course_utils.tests.guesses import OUR_POSITION, Guess

TABLES = sorted(path.stem for path in (Path(tests.__file__).parent / "guesses").glob("notebook_*.py"))
DIFFICULT = 3


def _table(notebook):
    return importlib.import_module(f"course_utils.tests.guesses.{notebook}").GUESSES


def _truths(notebook):
    """name -> a function that works the answer out; they stand in tests/guesses/notebook_NN.py."""
    return importlib.import_module(f"tests.guesses.{notebook}").TRUTHS


def _asked(source):
    """The guesses in a source, in order, and what stands in place of the answers."""
    return re.findall(r'^tests\.guess\("([^"]+)", (.*)\)$', source.path.read_text("utf-8"), re.MULTILINE)


@pytest.mark.parametrize("source", source_files.sources(), ids=lambda source: source.name)
def test_every_guess_of_a_source_stands_in_its_table_and_the_other_way_round(source):
    table = _table(f"notebook_{source.name[:2]}") if f"notebook_{source.name[:2]}" in TABLES else {}
    assert sorted(name for name, _ in _asked(source)) == sorted(table)
    assert {given for _, given in _asked(source)} <= {"..."}, "nothing is answered in a source"


def test_names_are_unique_over_the_course():
    assert len(guesses()) == sum(len(_table(notebook)) for notebook in TABLES)


@pytest.mark.parametrize("notebook", TABLES)
def test_every_answer_has_an_independent_computation(notebook):
    assert sorted(_truths(notebook)) == sorted(_table(notebook))


@pytest.mark.parametrize(("notebook", "name"), [(notebook, name) for notebook in TABLES for name in _table(notebook)])
def test_the_answer_is_what_comes_out(notebook, name):
    asked, truth = _table(notebook)[name], _truths(notebook)[name]()
    assert same(asked.answer, truth, asked.within), truth
    assert judge(name, truth).right is True
    if isinstance(truth, float) and abs(truth) < 10:
        assert judge(name, float(f"{truth:.2g}")).right is True, "rounded to two digits"
    assert asked.why in repr(judge(name, asked.answer))
    for wrong, why in asked.wrong.items():
        assert not same(wrong, asked.answer, asked.within)
        assert judge(name, wrong).right is False
        assert why in repr(judge(name, wrong))


DRAWN = {name: asked for name, asked in guesses().items() if asked.on_board}


@pytest.mark.parametrize("name", DRAWN)
def test_a_picture_of_the_answer_has_the_numbers_of_its_reason_on_the_free_cells(name):
    asked, shown = DRAWN[name], judge(name, DRAWN[name].answer)._repr_html_()
    assert {cell for cell, mark in enumerate(OUR_POSITION) if mark == "."} == set(asked.on_board)
    numbers = [asked.on_board[cell] for cell in sorted(asked.on_board)]
    assert all(number in asked.why for number in numbers) or [float(number) for number in numbers] == asked.answer
    assert re.findall(r"<text[^>]*>([^<]*)<", shown) == numbers
    if not isinstance(asked.answer, list):  # the highest score is the answer
        assert max(asked.on_board, key=lambda cell: float(asked.on_board[cell])) == asked.answer
        assert re.search(r"class=mt>([^<]*)<", shown)[1] == asked.on_board[asked.answer]
    wrong = judge(name, next(iter(asked.wrong)))._repr_html_()
    assert wrong.index("<details>") < wrong.index("<svg")


@pytest.mark.parametrize(
    "source", [one for one in source_files.sources() if f"notebook_{one.name[:2]}" in TABLES], ids=lambda s: s.name
)
def test_a_guess_stands_in_front_of_each_difficult_exercise(source):
    """At least as many, counted from the start, as there are exercises of difficulty 3 and more."""
    guessed = difficult = 0
    for cell in source.cells:
        guessed += len(re.findall(r"^tests\.guess\(", cell.source, re.MULTILINE))
        if int(cell.metadata.get("difficulty", 0)) >= DIFFICULT:
            difficult += 1
            assert guessed >= difficult, f"no guess in front of {cell.metadata['exercise']}"


# --- whatever is typed -----------------------------------------------------------------------------------------------

EXAMPLES = {
    "number": Guess(3, "because of two and one", {4: "that is one too many"}),
    "third": Guess(0.731, "powers of e", {0.667: "2 of 3", 66.7: "in percent", (1, 2): "a list"}, within=0.002),
    "rounded": Guess(1.677, "by the formula", within=0.01),
    "percent": Guess(90, "nine of ten", within=6, percent=True),
    "share": Guess(0.9, "nine of ten", share=True),
    "word": Guess("left", "O chooses", {"right": "X does not choose here"}),
    "truth": Guess(True, "it always is", {False: "not even once"}),
    "list": Guess([0, 2], "the free ones", {(0, 1): "1 is taken"}),
}


@pytest.fixture
def examples(monkeypatch):
    monkeypatch.setattr(importlib.import_module("course_utils.tests.guess"), "guesses", lambda: EXAMPLES)


@pytest.mark.parametrize(
    ("name", "answer"),
    [
        ("number", 3), ("number", 3.0), ("number", "3"), ("number", np.int64(3)), ("rounded", 1.68), ("rounded", 1.7), ("third", "0.73"), ("word", "Left "),
        ("truth", "yes"), ("truth", np.True_), ("list", (0, 2)), ("list", np.array([0.0, 2.0])),
    ],
)  # fmt: skip
def test_a_right_guess_is_right_however_it_is_written(examples, name, answer):
    assert judge(name, answer).right is True
    assert EXAMPLES[name].why in judge(name, answer)._repr_html_()


@pytest.mark.parametrize(
    ("name", "answer", "said"),
    [
        ("third", 2 / 3, "2 of 3"), ("third", 0.667, "2 of 3"), ("third", 0.67, "2 of 3"), ("third", "0.67", "2 of 3"), ("third", 67, "in percent"),
        ("third", 0.7, "a higher number"), ("third", 0.66, "a higher number"), ("third", 0.6, "a higher number"), ("third", 70, "a lower number"),
        ("number", 4, "one too many"), ("number", 5, "a lower number"), ("number", 2, "a higher number"),
        ("rounded", 1.6, "a higher number"), ("rounded", 2, "a lower number"), ("number", float("nan"), "something else"),
        ("word", "right", "does not choose"), ("truth", False, "not even once"), ("list", [0, 1], "1 is taken"),
        ("list", [0], "something else"),
    ],
)  # fmt: skip
def test_a_wrong_guess_says_why_and_folds_the_answer(examples, name, answer, said):
    verdict = judge(name, answer)
    assert verdict.right is False
    assert said in verdict.message
    assert (said in repr(verdict)) == (said not in ("a higher number", "a lower number", "something else"))
    assert EXAMPLES[name].why in verdict.answer
    assert "<details>" in verdict._repr_html_()


@pytest.mark.parametrize(
    ("name", "answer", "said"),
    [
        ("number", "many", "a number"), ("number", True, "a number"), ("number", None, "a number"), ("number", print, "a number"),
        ("word", "up", '"left"`, `"right"'), ("word", 3, "choose one"), ("truth", 1, "True or False"), ("list", 0, "a list in brackets"),
        ("percent", 0.9, "in percent"), ("share", "90 %", "between 0 and 1"), ("share", 91, "between 0 and 1"),
        ("number", {1: 2}, "a number"), ("number", np.ndarray, "a number"), ("numbr", 3, "did you mean `number`"),
    ],
)  # fmt: skip
def test_what_is_no_answer_to_the_question_is_not_judged(examples, name, answer, said):
    verdict = judge(name, answer)
    assert verdict.right is None
    assert said in verdict.message
    assert verdict.answer == ""  # nothing is given away


@pytest.mark.parametrize("name", guesses())
def test_a_guess_that_is_not_made_yet_asks_for_one_and_goes_on(name, capsys):
    assert tests.guess(name, ...) is None
    assert tests.guess(name) is None
    assert capsys.readouterr().out.strip() == f"{TYPE_IT}\n{TYPE_IT}"


def test_guessing_needs_no_torch():
    import subprocess

    code = "from course_utils import tests; tests.guess('x', 1); import sys; assert 'torch' not in sys.modules"
    subprocess.run([sys.executable, "-c", code], check=True)


def test_several_answers_are_a_list(examples, capsys):
    guess("list", 0, 2)
    guess("number", 1, 2)
    guess("number")
    said = capsys.readouterr().out
    assert EXAMPLES["list"].why in said
    assert "type a number" in said
    assert TYPE_IT in said
