"""What the check cell calls in the learner's kernel: the check as in a notebook, for the words that it has. Points need an examination from outside, too."""

from typing import Any

from course_utils.exercise import others_called, yours
from course_utils.tests.deadline import TookTooLong
from course_utils.tests.grade import NOT_WRITTEN
from course_utils.tests.learner import grade_answer, has_own_lines
from course_utils.tests.render import slips_of, tell

MIME = "application/x-course-grade+json"


def grade(exercise: str, answer: Any, seed: int, token: str) -> None:
    """Grade `answer`, and hand what came of it to whoever reads this kernel's output. The token says that it was this call."""
    from IPython.display import display

    report, source = grade_answer(exercise, answer, seed)
    now = set(yours())
    others = sorted(others_called(exercise, report.source))
    unwritten = report.problem == NOT_WRITTEN and not (report.source and has_own_lines(exercise, report.source))
    grades = {
        "token": token,
        "exercise": exercise,
        "told": tell(report),
        "problem": report.problem,
        "unwritten": unwritten,
        "late": any(isinstance(outcome.error, TookTooLong) for outcome in report.outcomes),
        "passed": report.passed,
        "cases": [outcome.passed for outcome in report.outcomes],
        "points": report.points if not report.problem else 0,
        "max_points": report.max_points,
        "misconceptions": [match.name for match in report.matches[:1]],
        "slips": slips_of(report)[:2] if not report.matches else [],
        "others": {name: "yours" if name in now else "ours" for name in others},
        "source": source if report.passed else "",
    }
    display({MIME: grades}, raw=True)
