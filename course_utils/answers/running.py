"""Running an answer alone: as in a kernel, with the names of the module that its reference stands in."""

import contextlib
import importlib
import os
from dataclasses import dataclass
from typing import Any

from course_utils.answers.alone import Fresh
from course_utils.exercise import EXERCISES, settle


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


def begin(namespace: dict[str, Any], exercise: str) -> None:
    """Before the first cell: an answer finds what its reference finds."""
    module = vars(importlib.import_module(EXERCISES[exercise].module))
    namespace |= {name: one for name, one in module.items() if not name.startswith("__") and name != exercise}


def answer_in(namespace: dict[str, Any], exercise: str, expression: str) -> Any:
    """The answer that the cells have made; None if they made none."""
    settle(namespace, exercise)
    if expression.isidentifier():
        return namespace.get(expression)
    try:
        return eval(expression, namespace)
    except Exception:
        return None


def run_cells(fresh: Fresh, exercise: str) -> tuple[Any, list[Raised]]:
    """Run the cells as a kernel does (top-level `await`, magics, processes of their own), each to where it raises. Replaces `__main__`.

    Returns:
        (the answer, None if nothing of its name came of them; what the cells raised).
    """
    from IPython.core.interactiveshell import InteractiveShell
    from traitlets.config import Config

    InteractiveShell.clear_instance()
    shell = InteractiveShell.instance(config=Config(HistoryManager={"enabled": False}))
    begin(shell.user_ns, exercise)
    raised = []
    with open(os.devnull, "w") as nothing, contextlib.redirect_stdout(nothing), contextlib.redirect_stderr(nothing):
        places = ("", *(cell.place for cell in (*fresh.helpers, fresh.answer)))
        for source, place in zip((fresh.given, *fresh.cells), places, strict=True):
            result = shell.run_cell(source, store_history=False)
            if error := result.error_before_exec or result.error_in_exec:
                raised.append(Raised(f"{type(error).__name__}: {error}".removesuffix(": "), place))
    return answer_in(shell.user_ns, exercise, fresh.expression), raised
