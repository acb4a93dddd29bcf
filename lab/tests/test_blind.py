"""Answers that others wrote."""

from course_utils.tests import reach
from course_utils.tests.grade import CHECKS
from lab.blind import rounds


def test_no_right_answer_of_others_takes_more_of_the_course_than_the_exercise_speaks_of():
    for _, answers in rounds():
        for answer in answers:
            right = CHECKS[answer.exercise].right
            assert answer.kind != "right" or reach.course_functions(answer.exercise, answer.source, right) == [], answer
