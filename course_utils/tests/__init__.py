"""The graded checks: `tests.test_<exercise>(your_function)`, one for each exercise of the course."""

import importlib

from course_utils.course.catalogue import EXERCISES
from course_utils.tests import out_of_order
from course_utils.tests.framework import CHECKS, CheckFailed
from course_utils.tests.learner import make_test

__all__ = ["CheckFailed", *(f"test_{name}" for name in EXERCISES)]

for _notebook in sorted({exercise.notebook for exercise in EXERCISES.values()}):
    importlib.import_module(f"course_utils.tests.notebook_{_notebook}")

for _name in CHECKS:
    globals()[f"test_{_name}"] = make_test(_name)

out_of_order.install()
