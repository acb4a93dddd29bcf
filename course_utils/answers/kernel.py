"""Find the cells that this kernel has run and that an answer consists of."""

import builtins
import contextlib
import importlib
import inspect
import linecache
import math
import re
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

from course_utils.answers.cells import Cell, answer_of
from course_utils.answers.program import CourseLine, Program, program_of
from course_utils.exercise import EXERCISES, is_ours
from course_utils.paths import NOTEBOOKS


def program_run(exercise: str, answer: Any) -> Program | None:
    """The program of an answer, from the cells that this kernel has run; None if these can't be told."""
    cells, live = cells_run(), names_in_use(answer)
    text = cell_source(answer)
    binding = [cell for cell in cells if exercise in cell.binds]
    has_its_name = live.get(exercise) is answer
    if binding and has_its_name:
        cell = binding[-1]
    elif text:
        cell = next(
            (candidate for candidate in reversed(cells) if candidate.python == text), Cell("", len(cells), "code", text)
        )
    else:
        return None
    if cell not in cells:
        cells.append(cell)
    expression = exercise if has_its_name else answer_of(cells, exercise)
    if expression == exercise and not has_its_name:
        return None  # the answer has another name there, and no check cell mentions it
    return program_of(cells, exercise, cell, imports(exercise, live, cell.python), expression)


def cells_run() -> list[Cell]:
    """The cells that were run in this kernel, in the order of their last run; [] without a kernel."""
    shell = _shell()
    manager = getattr(shell, "history_manager", None)
    sources = getattr(manager, "input_hist_raw", None) or getattr(shell, "user_ns", {}).get("In", [])
    last = dict.fromkeys(reversed([source for source in sources if source.strip()]))
    return [Cell("", number, "code", source) for number, source in enumerate(reversed(last))]


def names_in_use(answer: Any) -> dict[str, Any]:
    """The namespace in which the answer was defined."""
    functions = (inspect.unwrap(answer) if callable(answer) else None, vars(type(answer)).get("__call__"))
    places = [getattr(_shell(), "user_ns", {}), *(getattr(function, "__globals__", {}) for function in functions)]
    return next(
        (namespace for namespace in places if any(value is answer for value in list(namespace.values()))),
        places[1] or places[0],
    )


def _shell() -> Any:
    module = sys.modules.get("IPython")
    return module.get_ipython() if module is not None else None


def cell_source(answer: Any) -> str:
    """The source of the notebook cell that defines a function; "" if unknown.

    A function from a file on disk has no cell. Files of ipykernel do hold cells, for JupyterLab's debugger.
    """
    code = getattr(inspect.unwrap(answer), "__code__", None) if callable(answer) else None
    filename = code.co_filename if code else ""
    on_disk = Path(filename).exists() and not Path(filename).parent.name.startswith("ipykernel_")
    return "" if on_disk or not filename else "".join(linecache.getlines(filename))


# --- what a notebook has imported ------------------------------------------------------------------------------------


def imports(exercise: str, live: dict[str, Any], source: str) -> dict[str, CourseLine]:
    """Name -> the import that binds it as in the notebook; an empty line if the exercise's module binds it in the
    same way.
    """
    module = {**vars(builtins), **vars(importlib.import_module(EXERCISES[exercise].module))}
    lines = {}
    for name, value in list(live.items()):
        with contextlib.suppress(Exception):  # a learner's object may raise anything
            line = "" if name in module and is_ours(value, module[name]) else _import_of(name, value, source)
            if line is not None and name not in EXERCISES:
                lines[name] = CourseLine(-1, line, True)
    return lines


def _import_of(name: str, value: Any, source: str) -> str | None:
    if isinstance(value, ModuleType):
        if _is_learners(value):
            return None
        return (
            f"import {value.__name__} as {name}"
            if name != value.__name__
            else "\n".join(_module_imports(value, source))
        )
    if home := _home(value):
        return f"from {home} import {value.__name__} as {name}"
    return f"from math import {name}" if isinstance(value, float) and value == getattr(math, name, None) else None


def _module_imports(module: ModuleType, source: str) -> list[str]:
    """Imports of a package, and of those of its modules that a cell uses as `package.module`."""
    used = re.findall(rf"\b({module.__name__}(?:\.\w+)+)", source)
    paths = {".".join(path.split(".")[:length]) for path in used for length in range(2, path.count(".") + 2)}
    return [f"import {path}" for path in sorted({module.__name__, *(paths & sys.modules.keys())})]


def _is_learners(module: ModuleType | None) -> bool:
    """Whether the module's file lies beside the notebooks. The cell that imports it is then a helper of the answer."""
    file = Path(getattr(module, "__file__", None) or "/")
    return file.is_relative_to(NOTEBOOKS) and not file.is_relative_to(sys.prefix)


def _home(value: Any) -> str:
    """The module that a function or class can be imported from; "" if the notebook defines it."""
    home, name = getattr(value, "__module__", None), getattr(value, "__name__", None)
    module = sys.modules.get(home) if isinstance(home, str) and home != "__main__" else None
    importable = module is not None and isinstance(name, str) and getattr(module, name, None) is value
    return str(home) if importable and not _is_learners(module) else ""
