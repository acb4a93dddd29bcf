"""What is run inside the sandbox besides the learner's cells: the check, known wrong answers through the same check, and whether all is as it was."""

import builtins
import sys
from collections.abc import Callable
from types import ModuleType
from typing import Any

import numpy as np

from course_utils.exercise import others_called, using, yours
from course_utils.tests import case, grade, specification
from course_utils.tests.case import run_case
from course_utils.tests.deadline import TookTooLong
from course_utils.tests.grade import CHECKS, NOT_WRITTEN, among
from course_utils.tests.learner import grade_answer, has_own_lines
from course_utils.tests.render import slips_of, tell
from course_utils.tests.settings import clean_room
from course_utils.tests.specification import MAKES_SMALLER

MIME = "application/x-course-grade+json"
IMPOSTORS = 2  # known wrong answers of the catalogue that are sent through a check, besides one that does nothing
NAMED = (
    "builtins",
    "math",
    "random",
    "numpy",
    "torch",
    "hypothesis",
    "course_utils",
)  # whose functions must stay what they are
OF_THE_KERNEL = {
    "builtins.input",
    "builtins.exit",
    "builtins.quit",
    "builtins.get_ipython",
    "builtins.display",
    "torch.Storage",
}  # which it sets itself, or torch where a default type is set
TOP = ("torch.", "hypothesis.")  # of these packages only what stands at the top


# --- as it was ---------------------------------------------------------------------------------------------------------


def snapshot() -> dict[str, tuple]:
    """What everybody relies on: the functions, classes and modules of these packages, with the code of each."""
    found: dict[str, tuple] = {}
    for name, module in list(sys.modules.items()):
        if name.partition(".")[0] not in NAMED or (name.startswith(TOP) and name != "torch.nn.functional"):
            continue
        for key, value in list(vars(module).items()):
            if not (callable(value) or isinstance(value, ModuleType)) or f"{name}.{key}" in OF_THE_KERNEL:
                continue
            found[f"{name}.{key}"] = (value, *_code(value))
            if isinstance(value, type) and value.__module__.startswith("course_utils"):
                found[f"{name}.{key}, of its own"] = (
                    tuple(sorted(one for one in vars(value) if one in case.LIES)),
                    None,
                    None,
                    None,
                )
                hooked = any(
                    base.__module__.startswith("torch.optim") for base in value.__mro__
                )  # torch wraps `step` itself
                for inner, method in list(vars(value).items()):
                    if hooked and inner == "step":
                        continue
                    if callable(method) or isinstance(method, staticmethod | classmethod | property):
                        found[f"{name}.{key}.{inner}"] = (method, *_code(method))
    return found


def _code(value: Any) -> tuple:
    return (
        getattr(value, "__code__", None),
        getattr(value, "__defaults__", None),
        getattr(value, "__kwdefaults__", None),
    )


def watch(seen: set[str]) -> Callable[[], None]:
    """Looks for what a call has changed and a later one may put back: in the modules by which results are compared."""
    modules = (builtins, np, case, specification, grade)
    before = [(module, {key: one for key, one in vars(module).items() if callable(one)}) for module in modules]

    def look() -> None:
        for module, was in before:
            now = vars(module)
            for key, one in was.items():
                if now.get(key) is not one:
                    seen.add(f"{module.__name__}.{key}")

    return look


def changed(before: dict[str, tuple]) -> list[str]:
    """What is no longer what it was."""
    now = snapshot()
    return [
        name
        for name, was in before.items()
        if not all(
            a is b or (type(a) is tuple and a == b) for a, b in zip(was, now.get(name, (None,) * 4), strict=True)
        )
    ]


# --- known wrong answers ------------------------------------------------------------------------------------------------


def does_nothing(*args, **kwargs) -> None:
    """The first impostor."""


def impostors(exercise: str) -> list[tuple[str, Callable]]:
    return [("does nothing", does_nothing), *((one.name, one.answer) for one in CHECKS[exercise].wrong[:IMPOSTORS])]


def verdicts(exercise: str, answer: Callable, seed: int) -> str:
    """How each case of the check judges an answer, a letter each: "+" passed, "-" failed. (One that takes too long ends it.)"""
    letters = ""
    answer = among({}, exercise, answer)
    shrinking = MAKES_SMALLER.set(False)  # a failing draw need not be small: nobody reads it
    with using({}):
        for one in CHECKS[exercise].cases(np.random.default_rng(seed)):
            with clean_room():
                outcome = run_case(one, answer)
            letters += "+" if outcome.passed else "-"
            if isinstance(outcome.error, TookTooLong):
                break
    MAKES_SMALLER.reset(shrinking)
    return letters


def verdicts_on_impostors(exercise: str, seed: int) -> dict[str, str]:
    """Name -> verdicts, the same wherever nobody has tampered with anything."""
    return {name: verdicts(exercise, answer, seed) for name, answer in impostors(exercise)}


# --- what the check cell calls --------------------------------------------------------------------------------------------

PRISTINE: dict[str, tuple] = {}  # filled before any learner's cell has run


def judge(exercise: str, answer: Any, seed: int, token: str) -> None:
    """Grade `answer`, and hand what came of it to whoever reads this kernel's output. The token says that it was this call."""
    from IPython.display import display

    seen: set[str] = set()
    case.AFTER_EACH_CALL[:] = [watch(seen)]
    report, source = grade_answer(exercise, answer, seed)
    case.AFTER_EACH_CALL.clear()
    late = any(isinstance(outcome.error, TookTooLong) for outcome in report.outcomes)
    now = set(yours())
    others = sorted(others_called(exercise, report.source))
    unwritten = report.problem == NOT_WRITTEN and not (report.source and has_own_lines(exercise, report.source))
    grades = {
        "token": token,
        "exercise": exercise,
        "told": tell(report),
        "problem": report.problem,
        "unwritten": unwritten,
        "late": late,
        "passed": report.passed,
        "points": report.points if not report.problem else 0,
        "max_points": report.max_points,
        "misconceptions": [match.name for match in report.matches[:1]],
        "slips": slips_of(report)[:2] if not report.matches else [],
        "others": {name: "yours" if name in now else "ours" for name in others},
        "source": source if report.passed else "",
        "impostors": verdicts_on_impostors(exercise, seed) if report.outcomes and not late else {},
        "changed": [*changed(PRISTINE), *sorted(seen - OF_THE_KERNEL)][:2],
    }
    display({MIME: grades}, raw=True)
