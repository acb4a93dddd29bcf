"""From a learner's function to a graded, recorded result."""

import inspect

from course_utils.course import answers, record
from course_utils.course.catalogue import EXERCISES
from course_utils.tests.framework import CHECKS, CheckFailed, Report, grade
from course_utils.tests.render import as_html, as_text, diagnosis


def grade_answer(exercise: str, answer) -> tuple[Report, str]:
    """Grade a function as the learner's: its whole cell is run again, and its calls to other exercises go to yours or ours.

    Returns:
        (report, source): `source` is the cell to record, "" where there is none that would run on its own.
    """
    from course_utils import mine  # here, since mine imports every module that has an exercise

    if getattr(answer, "whose", "") == "ours":
        return Report(exercise, problem="this is the course's own version: run your exercise cell, then this one"), ""
    if getattr(answer, "whose", "") == "yours":
        source = record.load(exercise).source
        answer = inspect.unwrap(answer)
    else:
        source = answers.cell_source(answer) or ""
    if not source:
        report = grade(exercise, answer)
        if not report.problem and callable(answer):
            report.notes.append("Graded as it is, not recorded: the source of its cell can't be read.")
        return report, ""

    world = mine.world()
    others = {name: function for name, function in world.functions.items() if name != exercise}
    live = getattr(inspect.unwrap(answer), "__globals__", {})
    try:
        bound = answers.bind(exercise, source, {**live, **others})
    except answers.CannotBind:
        bound, source = answer, ""
    report = grade(exercise, bound)
    used = answers.names_used(source) if source else set()
    whose = [f"{name} ({'yours' if name in world.yours else 'ours'})" for name in others if name in used]
    if whose and report.outcomes:
        report.notes.append(f"It called {', '.join(whose)}.")
    missing = sorted(used - vars(inspect.getmodule(EXERCISES[exercise].reference)).keys() - EXERCISES.keys())
    if report.passed and (missing or not source):
        why = f"it uses {', '.join(missing)} from another cell" if missing else "its cell does not run on its own"
        report.notes.append(f"Not recorded: {why}. Move everything that the answer needs into its cell.")
        source = ""
    return report, source


def run_check(exercise: str, answer) -> None:
    """Grade, show, record. Raises CheckFailed, one line long, if any case failed."""
    report, source = grade_answer(exercise, answer)
    before = record.load(exercise)
    if not report.passed and before and before.source:
        report.notes.append("Your earlier answer, which passed, stays in use in all notebooks.")
    if source and report.outcomes:
        attempt = record.Answer(exercise, source, report.points, report.max_points, report.passed)
        try:
            record.save(attempt)
        except OSError as error:
            report.notes.append(f"Not recorded: {error.strerror or error}.")
    if report.problem:  # one line says it all
        raise CheckFailed(report.headline)
    _display(report)
    if not report.passed:
        sentences = " ".join(sentence for sentence, _ in diagnosis(report)[:1])
        raise CheckFailed(f"{report.headline}. {sentences}".strip())


def _display(report: Report) -> None:
    try:
        from IPython import get_ipython
        from IPython.display import display
    except ImportError:
        get_ipython = None
    if get_ipython is not None and get_ipython() is not None and hasattr(get_ipython(), "kernel"):
        display({"text/html": as_html(report), "text/plain": as_text(report)}, raw=True)
    else:
        print(as_text(report))


def make_test(exercise: str):
    def test(answer) -> None:
        run_check(exercise, answer)

    test.__name__ = test.__qualname__ = f"test_{exercise}"
    test.__doc__ = (
        f"Grade your `{exercise}` ({CHECKS[exercise].max_points} points). Raises CheckFailed if a case fails."
    )
    test.__test__ = False  # pytest, this is not one of yours
    return test
