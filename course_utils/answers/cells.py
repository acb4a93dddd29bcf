"""Where a learner's answers stand in their notebooks: the one place that knows how an exercise cell is found.

A learner's notebook is a learner's: cells are split, merged, copied, moved, retyped and deleted. An answer is found by its cell's
mark, else by the function that a cell defines, in whatever notebook that is.
"""

import ast
import warnings
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import lru_cache

from IPython.core.inputtransformer2 import TransformerManager

from course_utils.answers.marks import exercise_of, fingerprint, is_changed, stub
from course_utils.exercise import EXERCISES, called, checks_called
from course_utils.names import assigns, lines_of, makes, parsed

VERSIONS = 4  # of one exercise that are looked at: the likeliest first, and the best of them counts
PYTHON_MAGICS = ("%%time", "%%timeit", "%%capture", "%%prun")  # whose body is Python


@dataclass(frozen=True)
class Cell:
    """A cell of a learner's notebook, of whatever version and origin."""

    notebook: str  # the name of its file
    number: int  # counted from 0
    kind: str  # "code", "markdown" or "raw"
    source: str
    metadata: dict = field(default_factory=dict, hash=False, compare=False)
    id: str = ""
    version: str = ""  # of the Python that the notebook was saved with, if it says so

    @property
    def place(self) -> str:
        """How a person finds it."""
        return f"cell {self.number + 1} of {self.notebook}"

    @property
    def exercise(self) -> str:
        """The exercise whose stub this cell was built as; "" if none."""
        named = exercise_of(self.metadata, self.id)
        return named if named in EXERCISES else ""

    @property
    def of_the_course(self) -> bool:
        """Whether it is a cell of the course's that the learner left as it was: nothing in it is the learner's."""
        return bool(self.metadata.get("course")) and "exercise" not in self.metadata and not is_changed(self)

    @property
    def python(self) -> str:
        return python_of(self.source) if self.kind == "code" else ""

    def untouched(self, name: str) -> bool:
        return fingerprint(self.source) in (self.metadata.get("untouched"), fingerprint(stub(name)))


def cells_of(notebook: str, cells: Iterable) -> list[Cell]:
    """The cells of a notebook that nbformat has read."""
    return [
        Cell(notebook, number, cell.cell_type, cell.source, cell.metadata, cell.get("id", ""))
        for number, cell in enumerate(cells)
    ]


def find(cells: list[Cell]) -> dict[str, list[Cell]]:
    """Exercise -> the cells that may hold its answer, the likeliest first: filled before untouched, marked before unmarked, late before
    early. A marked cell that defines something else counts where no cell defines the exercise's name."""
    found: dict[str, dict[Cell, tuple]] = {}
    for place, cell in enumerate(cells):
        defined: frozenset[str] = frozenset()
        if cell.kind == "code" and not cell.of_the_course:
            defined = (makes(cell.python) & EXERCISES.keys()) | (assigns(cell.python) & {cell.exercise})
            defined |= own_imports(cell.python) & EXERCISES.keys()
        for name in defined | ({cell.exercise} - {""}):
            rank = (name in defined, not cell.untouched(name), cell.exercise == name, place)
            found.setdefault(name, {})[cell] = rank
    best = {name: sorted(ranks, key=ranks.__getitem__, reverse=True)[:VERSIONS] for name, ranks in found.items()}
    return {name: [one for one in ranked if found[name][one][0] or one is ranked[0]] for name, ranked in best.items()}


def own_imports(source: str) -> frozenset[str]:
    """The names that a cell imports from elsewhere than the course: from a file of the learner's, perhaps."""
    nodes = (node for node in ast.walk(parsed(source) or ast.Module([], [])) if isinstance(node, ast.ImportFrom))
    return frozenset(
        alias.asname or alias.name
        for node in nodes
        if (node.module or "").split(".")[0] != "course_utils"
        for alias in node.names
    )


def answer_of(cells: list[Cell], name: str) -> str:
    """What a learner's check cell says is the answer, where no cell defines a function of that name: "Rules.winner"; else the name."""
    for cell in reversed(cells):
        for call in checks_called(cell.python):
            if called(call) == f"test_{name}" and len(call.args) == 1 and not call.keywords:
                return ast.unparse(call.args[0])
    return name


# --- a cell as Python ------------------------------------------------------------------------------------------------


@lru_cache(10_000)
def python_of(source: str) -> str:
    """A cell as plain Python: magics and shell commands as calls, without the first line of a cell magic."""
    text = source.lstrip("\n")
    if text.startswith("%%"):
        first, _, text = text.partition("\n")
        if first.split()[0] not in PYTHON_MAGICS:
            return ""
    try:
        with warnings.catch_warnings(action="ignore"):  # of odd separators of lines
            return TransformerManager().transform_cell(text)
    except Exception:  # what is no Python at all
        return text


def without_checks(source: str) -> str:
    """The cell with `None` in place of each call of a check: what is graded is not who says how."""
    calls = checks_called(source)
    lines = [line.encode() for line in lines_of(source)]
    for call in sorted(calls, key=lambda call: (call.lineno, call.col_offset), reverse=True):
        first, last = call.lineno - 1, (call.end_lineno or call.lineno) - 1
        after = lines[last][call.end_col_offset :]
        lines[first : last + 1] = [lines[first][: call.col_offset] + b"None" + after] + [b"\n"] * (last - first)
    return b"".join(lines).decode()
