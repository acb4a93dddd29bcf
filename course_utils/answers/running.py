"""Running an answer's program, in a notebook's check, in `make check` and in `make grade`."""

import re
from dataclasses import dataclass
from typing import Any

from course_utils.answers.cells import python_of
from course_utils.answers.program import Program
from course_utils.exercise import Made, cells_of, make, settle

WANTS_A_SHELL = re.compile(  # what may do something else where no shell of IPython's runs it
    r"\bget_ipython\(\)|\bmultiprocessing\b|\bProcessPoolExecutor\b|__main__"
)


@dataclass(frozen=True)
class Raised:
    """What a cell raised, or a call of the answer.

    Attributes:
        text: as Python says it, "KeyError: 'DATA'".
        where: "cell 3 of 06.ipynb"; "" in a call.
        origin: the traceback, or the file and the function of its last line.
    """

    text: str
    where: str = ""
    origin: str = ""

    @property
    def sentence(self) -> str:
        return f"{self.where or 'it'} raised {self.text[:300]}"


def run(program: Program, exercise: str) -> Made:
    """The answer as it will be made when it is recorded."""
    return make(exercise, program.source(exercise))


def run_in_a_shell(program: Program, exercise: str) -> Made:
    """The same with IPython's magics, and as the program `__main__`, which processes of its own look for. Replaces that of this process."""
    return make(exercise, program.source(exercise), _shell)


def _shell(namespace: dict[str, Any]) -> None:
    """A shell whose names these are."""
    from IPython.core.interactiveshell import InteractiveShell
    from traitlets.config import Config

    namespace["__name__"] = "__main__"
    InteractiveShell.clear_instance()
    shell = InteractiveShell.instance(config=Config(HistoryManager={"enabled": False}), user_ns=namespace)
    namespace["get_ipython"] = shell.get_ipython


def raised_by(program: Program, made: Made) -> list[Raised]:
    """What its cells raised, with their places."""
    places = [""] * bool(program.given.strip())
    for cell, text in zip((*program.helpers, program.answer), program.cells, strict=True):
        places += [cell.place] * len(cells_of(python_of(text)))
    return [
        Raised(re.sub(r"\(<[^>]*>, line (\d+)\)", r"(line \1)", text), places[number]) for number, text in made.raised
    ]


def answer_in(namespace: dict[str, Any], exercise: str, expression: str) -> Any:
    """The answer that cells have made in a kernel; None if they made none."""
    settle(namespace, exercise)
    if expression.isidentifier():
        return namespace.get(expression)
    try:
        return eval(expression, namespace)
    except Exception:
        return None
