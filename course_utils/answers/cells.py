"""Find a learner's answers in their notebooks. No other module decides which cell answers an exercise.

Learners split, merge, copy, move, retype and delete cells. We find an answer by its cell's mark, or else by the
function that a cell defines, in any notebook.
"""

import ast
import hashlib
import warnings
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from typing import Any

from course_utils.answers.stubs import stub
from course_utils.exercise import EXERCISES, called, checks_called
from course_utils.names import assigns, defines, lines_of, makes, needs, parsed, reads

# Versions of one answer that are graded, the likeliest first. The best of them counts.
VERSIONS = 4
PYTHON_MAGICS = ("%%time", "%%timeit", "%%capture", "%%prun")  # cell magics whose body is Python


@dataclass(frozen=True)
class Cell:
    """A notebook cell of any version and origin: which exercise it was built for, who wrote it, which names it binds
    and needs.

    Everything that is computed from the source is cached.
    """

    notebook: str  # the name of its file
    number: int  # counted from 0
    kind: str  # "code", "markdown" or "raw"
    source: str
    metadata: dict = field(default_factory=dict, hash=False, compare=False)
    id: str = ""
    version: str = ""  # the Python version that the notebook was saved with, if the file names one

    @classmethod
    def of(cls, node: Any, notebook: str = "", number: int = 0, version: str = "") -> "Cell":
        """Convert a cell node of a notebook file."""
        return cls(notebook, number, node.cell_type, node.source, node.metadata, node.get("id", ""), version)

    @property
    def place(self) -> str:
        """The cell's position in words, "cell 3 of 06"."""
        return f"cell {self.number + 1} of {self.notebook}"

    # --- what it was built as

    @property
    def marked(self) -> str:
        """The exercise whose stub the course built here: by its mark or, if a program has removed that, by its id.

        "" if none.
        """
        name = self.metadata.get("exercise")
        return name if isinstance(name, str) else self.id.removeprefix("exercise-") * self.id.startswith("exercise-")

    @property
    def exercise(self) -> str:
        """As `marked`, or "" if no exercise has that name."""
        return self.marked if self.marked in EXERCISES else ""

    @property
    def check(self) -> str:
        """The exercise whose check the cell calls, by its mark; "" if none."""
        return str(self.metadata.get("check", ""))

    @property
    def mark(self) -> str:
        """The fingerprint of the text that the course built; "" if the cell is not the course's."""
        return str(self.metadata.get("course", ""))

    # --- who wrote it

    @cached_property
    def fingerprint(self) -> str:
        return fingerprint(self.source)

    @cached_property
    def is_changed(self) -> bool:
        """Whether a learner changed this cell of the course's."""
        built = self.metadata.get("course")  # True in a cell that only the browser tab has
        return isinstance(built, str) and built not in ("", self.fingerprint) and "exercise" not in self.metadata

    @property
    def of_the_course(self) -> bool:
        """Whether the builder made the cell and may replace it, because the learner has not changed it."""
        return bool(self.metadata.get("course")) and "exercise" not in self.metadata and not self.is_changed

    def untouched(self, exercise: str = "") -> bool:
        """Whether the cell is the unchanged stub of an exercise, by default the one that it is marked with."""
        name = exercise or self.marked
        if not name:
            return False
        stubs = [self.metadata.get("untouched"), fingerprint(stub(name)) if name in EXERCISES else None]
        return self.fingerprint in stubs

    @property
    def is_learners(self) -> bool:
        """Whether a learner wrote or changed the cell."""
        return not self.of_the_course and not self.untouched()

    # --- its Python

    @cached_property
    def python(self) -> str:
        """The source as plain Python; "" if it is not a code cell."""
        return python_of(self.source) if self.kind == "code" else ""

    @cached_property
    def graded(self) -> str:
        """The source as plain Python, without calls of checks."""
        return without_checks(self.python)

    @property
    def has_lines(self) -> bool:
        """Whether the cell holds anything besides comments."""
        tree = parsed(self.python)
        return bool(tree.body if tree else self.source.strip())

    @cached_property
    def binds(self) -> frozenset[str]:
        """The names that the cell binds, including imports."""
        return defines(self.python)

    @cached_property
    def functions(self) -> frozenset[str]:
        """The names that the cell imports, and the names that it binds to what may be a function."""
        return makes(self.python) | (self.binds - assigns(self.python))

    @cached_property
    def reads(self) -> frozenset[str]:
        """The global names that the cell reads."""
        return reads(self.graded)

    @cached_property
    def needs(self) -> frozenset[str]:
        """The names that the cell reads and does not bind."""
        return needs(self.graded)

    @cached_property
    def answers(self) -> frozenset[str]:
        """The exercises that the cell may answer, judged by the names that it binds."""
        if self.kind != "code" or self.of_the_course:
            return frozenset()
        made = makes(self.python) | (assigns(self.python) & {self.exercise}) | own_imports(self.python)
        return made & EXERCISES.keys()


def fingerprint(text: str) -> str:
    """A hash of a cell's text that ignores line endings.

    An exercise cell keeps its stub's fingerprint in its metadata.
    """
    lines = "\n".join(line.rstrip() for line in text.strip().splitlines())
    return hashlib.sha256(lines.encode()).hexdigest()[:12]


def cells_of(notebook: str, nodes: Iterable) -> list[Cell]:
    """Convert the cell nodes of a notebook file."""
    return [Cell.of(node, notebook, number) for number, node in enumerate(nodes)]


def find(cells: list[Cell]) -> dict[str, list[Cell]]:
    """Exercise -> the cells that may hold its answer, the likeliest first.

    Filled cells come before untouched cells, marked before unmarked, and later before earlier. A marked cell that
    defines another name counts if no cell defines the exercise's name.
    """
    ranks: dict[str, dict[Cell, tuple]] = {}
    for place, cell in enumerate(cells):
        for name in cell.answers | ({cell.exercise} - {""}):
            rank = (name in cell.answers, not cell.untouched(name), cell.exercise == name, place)
            ranks.setdefault(name, {})[cell] = rank
    likeliest = {
        name: sorted(candidates, key=candidates.__getitem__, reverse=True)[:VERSIONS]
        for name, candidates in ranks.items()
    }
    return {
        name: [cell for cell in candidates if name in cell.answers or cell is candidates[0]]
        for name, candidates in likeliest.items()
    }


def own_imports(source: str) -> frozenset[str]:
    """The names that a cell imports from modules outside the course, such as the learner's own files."""
    nodes = (node for node in ast.walk(parsed(source) or ast.Module([], [])) if isinstance(node, ast.ImportFrom))
    return frozenset(
        alias.asname or alias.name
        for node in nodes
        if (node.module or "").split(".")[0] != "course_utils"
        for alias in node.names
    )


def answer_of(cells: list[Cell], name: str) -> str:
    """The expression that a check is called with ("Rules.winner"), for answers under another name; by default the
    exercise's name.
    """
    for cell in reversed(cells):
        for call in checks_called(cell.python):
            if called(call) == f"test_{name}" and len(call.args) == 1 and not call.keywords:
                return ast.unparse(call.args[0])
    return name


# --- a cell as Python ------------------------------------------------------------------------------------------------


@lru_cache(10_000)
def python_of(source: str) -> str:
    """Convert a cell to plain Python: magics and shell commands become calls, and a cell magic loses its first line."""
    # imported here, because most functions of this module do without IPython
    from IPython.core.inputtransformer2 import TransformerManager

    text = source.lstrip("\n")
    if text.startswith("%%"):
        first, _, text = text.partition("\n")
        if first.split()[0] not in PYTHON_MAGICS:
            return ""
    try:
        with warnings.catch_warnings(action="ignore"):  # about unusual line separators
            return TransformerManager().transform_cell(text)
    except Exception:  # the text is not Python
        return text


def without_checks(source: str) -> str:
    """The cell with `None` in place of each call of a check, because an answer must not choose how it is graded."""
    calls = checks_called(source)
    lines = [line.encode() for line in lines_of(source)]
    for call in sorted(calls, key=lambda call: (call.lineno, call.col_offset), reverse=True):
        first, last = call.lineno - 1, (call.end_lineno or call.lineno) - 1
        after = lines[last][call.end_col_offset :]
        lines[first : last + 1] = [lines[first][: call.col_offset] + b"None" + after] + [b"\n"] * (last - first)
    return b"".join(lines).decode()
