"""The graded checks: `tests.test_<exercise>(your_function)`, one for each exercise of the course; and `tests.guess(name, answer)`.

Each is loaded when it is first asked for, so that a notebook waits for no other's.
"""

from course_utils.exercise import EXERCISES
from course_utils.tests import out_of_order
from course_utils.tests.guess import guess
from course_utils.tests.learner import CheckFailed, make_test

__all__ = ["CheckFailed", "guess", *(f"test_{name}" for name in EXERCISES)]


def __getattr__(name: str):
    if name not in __all__:
        raise AttributeError(f"course_utils.tests has no {name!r}")
    globals()[name] = make_test(name.removeprefix("test_"))
    return globals()[name]


out_of_order.install()
