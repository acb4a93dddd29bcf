"""Run an answer's program: in a notebook's check, in `make check` and in `make grade`."""

import re
from dataclasses import dataclass
from typing import Any

from course_utils.answers.cells import python_of
from course_utils.answers.program import Program
from course_utils.exercise import Made, make, settle, split_cells

# Code that may behave differently without an IPython shell.
WANTS_A_SHELL = re.compile(r"\bget_ipython\(\)|\bmultiprocessing\b|\bProcessPoolExecutor\b|__main__")


@dataclass(frozen=True)
class Raised:
    """An error that a cell or a call of the answer raised.

    Attributes:
        text: Python's message, "KeyError: 'DATA'".
        where: "cell 3 of 06.ipynb"; "" for a call.
        origin: the traceback, or the file and function of its last line.
    """

    text: str
    where: str = ""
    origin: str = ""

    @property
    def sentence(self) -> str:
        return f"{self.where or 'it'} raised {self.text[:300]}"


def run(program: Program, exercise: str) -> Made:
    """Make the answer from its program, as a recorded answer is made."""
    return make(exercise, program.source(exercise))


def run_in_a_shell(program: Program, exercise: str) -> Made:
    """As `run`, with IPython's magics and as the module `__main__`, which child processes import.

    Replaces this process's `__main__`.
    """
    return make(exercise, program.source(exercise), _shell)


def _shell(namespace: dict[str, Any]) -> None:
    """Start an IPython shell in this namespace."""
    from IPython.core.interactiveshell import InteractiveShell
    from traitlets.config import Config

    namespace["__name__"] = "__main__"
    InteractiveShell.clear_instance()
    shell = InteractiveShell.instance(config=Config(HistoryManager={"enabled": False}), user_ns=namespace)
    namespace["get_ipython"] = shell.get_ipython


def raised_by(program: Program, made: Made) -> list[Raised]:
    """The errors that the program's cells raised, with the cells' positions."""
    places = [""] * bool(program.given.strip())
    for cell, text in zip((*program.helpers, program.answer), program.cells, strict=True):
        places += [cell.place] * len(split_cells(python_of(text)))
    return [
        Raised(re.sub(r"\(<[^>]*>, line (\d+)\)", r"(line \1)", text), places[number]) for number, text in made.raised
    ]


def answer_in(namespace: dict[str, Any], exercise: str, expression: str) -> Any:
    """The answer that cells have defined in a kernel; None if there is none."""
    settle(namespace, exercise)
    if expression.isidentifier():
        return namespace.get(expression)
    try:
        return eval(expression, namespace)
    except Exception:
        return None
