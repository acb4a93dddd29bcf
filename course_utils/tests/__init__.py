"""Grade exercises with `tests.test_<exercise>(your_function)`, and judge guesses with `tests.guess(name, answer)`.

Each check is imported on first use, so a notebook does not load the checks of other notebooks.
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
