"""The bug clinic: every patient is ill, its check says so, and the reference is the cure."""

import contextlib

import pytest

from course_utils.exercise import EXERCISES, using
from course_utils.games import TicTacToe
from course_utils.learning.config import config_for
from course_utils.learning.run import Run
from course_utils.learning.training import train_alphazero
from course_utils.tests import clinic
from course_utils.tests.grade import CHECKS, grade

PATIENTS = clinic.patients()


@pytest.mark.parametrize("number", PATIENTS)
def test_the_check_of_its_exercise_catches_each_patient(number):
    """`test_checks.py` grades the patients whose mistake is in the catalogue of the check."""
    patient = PATIENTS[number]
    catalogue = {entry.source for entry in CHECKS[patient.exercise].wrong}
    assert patient.source in catalogue or not grade(patient.exercise, patient.wrong.answer).passed


@pytest.mark.parametrize("number", PATIENTS)
def test_each_patient_trains_without_an_error(number):
    config = config_for(TicTacToe(), **{**clinic.CONFIG, **dict(iterations=2, games=3, steps=3, simulations=10)})
    run = Run.start(TicTacToe(), config, seed=0)
    with using(PATIENTS[number].versions):
        train_alphazero(run)
    assert len(run.history) == 2


def test_diagnoses_are_told_apart_and_never_raise(capsys):
    assert clinic.DIAGNOSES.keys() == {patient.diagnosis for patient in PATIENTS.values()}
    for number, patient in PATIENTS.items():
        clinic.diagnose(number, patient.diagnosis.upper())
        assert capsys.readouterr().out.startswith("Yes")
        wrong = next(one for one in clinic.DIAGNOSES if one != patient.diagnosis)
        clinic.diagnose(int(number), wrong)
        assert capsys.readouterr().out.startswith("No.")
    for number, diagnosis in ((2, "unmasked priors"), (8, "noise at every node")):
        clinic.diagnose(number, diagnosis)
        assert "look like these" in capsys.readouterr().out
    for number, diagnosis in (("13", "x"), (1, ...), (1, "a cold"), (None, None)):
        clinic.diagnose(number, diagnosis)
        assert capsys.readouterr().out.count("\n") == 1


def test_a_fix_is_graded_and_the_reference_is_one(capsys):
    with contextlib.suppress(ImportError):
        clinic.fix(4, EXERCISES["backup"].reference)
        clinic.fix(4, PATIENTS["4"].wrong.answer)
        clinic.fix(4)
        clinic.fix(99)
    said = capsys.readouterr().out
    assert "passed" in said.lower() and "FAILED" in said
    assert "three dots" in said and "no patient 99" in said


def test_the_notebook_names_the_check_that_catches_each():
    from course_utils.paths import SOURCES

    text = (SOURCES / "41_laboratory.md").read_text("utf-8")
    for number, patient in PATIENTS.items():
        assert f"| {number} | {patient.diagnosis} | `{patient.exercise}` | `tests.test_{patient.exercise}`" in text


def test_each_patients_mistake_is_in_an_exercise():
    assert {one.exercise for one in clinic.patients().values()} <= EXERCISES.keys()
