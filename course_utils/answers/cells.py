"""Where a learner's answers stand in their notebooks: the one place that knows how an exercise cell is found.

A learner's notebook is a learner's: cells are split, merged, copied, moved, retyped and deleted. An answer is found by its cell's
mark, else by the function that a cell defines, in whatever notebook that is.
"""

import ast
import hashlib
import re
import warnings
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from typing import Any

from course_utils.answers.stubs import stub
from course_utils.exercise import EXERCISES, called, checks_called
from course_utils.names import assigns, defines, lines_of, makes, needs, parsed, reads

VERSIONS = 4  # of one exercise that are looked at: the likeliest first, and the best of them counts
PYTHON_MAGICS = ("%%time", "%%timeit", "%%capture", "%%prun")  # whose body is Python


@dataclass(frozen=True)
class Cell:
    """A cell of a notebook, of whatever version and origin: what it says it is, whose it is, and which names it binds and takes.

    What is worked out of the source is worked out once.
    """

    notebook: str  # the name of its file
    number: int  # counted from 0
    kind: str  # "code", "markdown" or "raw"
    source: str
    metadata: dict = field(default_factory=dict, hash=False, compare=False)
    id: str = ""
    version: str = ""  # of the Python that the notebook was saved with, if it says so

    @classmethod
    def of(cls, node: Any, notebook: str = "", number: int = 0, version: str = "") -> "Cell":
        """A cell as a notebook file has it."""
        return cls(notebook, number, node.cell_type, node.source, node.metadata, node.get("id", ""), version)

    @property
    def place(self) -> str:
        """How a person finds it."""
        return f"cell {self.number + 1} of {self.notebook}"

    # --- what it was built as

    @property
    def marked(self) -> str:
        """The name of the exercise whose stub it was built as, by its mark or, where a program has taken the marks away, by its id; "" if none."""
        name = self.metadata.get("exercise")
        return name if isinstance(name, str) else self.id.removeprefix("exercise-") * self.id.startswith("exercise-")

    @property
    def exercise(self) -> str:
        """The same, if there is such an exercise."""
        return self.marked if self.marked in EXERCISES else ""

    @property
    def check(self) -> str:
        """The exercise whose check it calls, by its mark; "" if none."""
        return str(self.metadata.get("check", ""))

    @property
    def mark(self) -> str:
        """The fingerprint of the text with which the course built it; "" if the course did not."""
        return str(self.metadata.get("course", ""))

    # --- whose it is

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
        """Whether the builder made it and may replace it: nothing in it is the learner's."""
        return bool(self.metadata.get("course")) and "exercise" not in self.metadata and not self.is_changed

    def untouched(self, exercise: str = "") -> bool:
        """Whether it is the stub of an exercise, by default its own, that nobody has begun."""
        name = exercise or self.marked
        stubs = [self.metadata.get("untouched"), *(fingerprint(stub(one)) for one in {name} & EXERCISES.keys())]
        return bool(name) and self.fingerprint in stubs

    @property
    def is_learners(self) -> bool:
        """Whether a learner wrote it or changed it."""
        return not self.of_the_course and not self.untouched()

    # --- its Python

    @cached_property
    def python(self) -> str:
        """As plain Python; "" where it is none."""
        return python_of(self.source) if self.kind == "code" else ""

    @cached_property
    def graded(self) -> str:
        """Its Python without calls of checks."""
        return without_checks(self.python)

    @property
    def has_lines(self) -> bool:
        """Besides comments."""
        tree = parsed(self.python)
        return bool(tree.body if tree else self.source.strip())

    @cached_property
    def binds(self) -> frozenset[str]:
        """The names that it binds, imports included."""
        return defines(self.python)

    @cached_property
    def functions(self) -> frozenset[str]:
        """What it imports, and what may be a function by the look of it."""
        return makes(self.python) | (self.binds - assigns(self.python))

    @cached_property
    def reads(self) -> frozenset[str]:
        """The names that it looks up outside of its functions' own."""
        return reads(self.graded)

    @cached_property
    def needs(self) -> frozenset[str]:
        """The names that it takes from elsewhere."""
        return needs(self.graded)

    @cached_property
    def answers(self) -> frozenset[str]:
        """The exercises that it may hold an answer of, by what it binds."""
        if self.kind != "code" or self.of_the_course:
            return frozenset()
        made = makes(self.python) | (assigns(self.python) & {self.exercise}) | own_imports(self.python)
        return made & EXERCISES.keys()


def fingerprint(text: str) -> str:
    """Of the text of a cell, however a program ends its lines: an exercise cell keeps that of its stub in its metadata."""
    lines = "\n".join(line.rstrip() for line in text.strip().splitlines())
    return hashlib.sha256(lines.encode()).hexdigest()[:12]


def cells_of(notebook: str, nodes: Iterable) -> list[Cell]:
    """The cells of a notebook file that was read."""
    return [Cell.of(node, notebook, number) for number, node in enumerate(nodes)]


def find(cells: list[Cell]) -> dict[str, list[Cell]]:
    """Exercise -> the cells that may hold its answer, the likeliest first: filled before untouched, marked before unmarked, late before
    early. A marked cell that defines something else counts where no cell defines the exercise's name."""
    ranks: dict[str, dict[Cell, tuple]] = {}
    for place, cell in enumerate(cells):
        for name in cell.answers | ({cell.exercise} - {""}):
            rank = (name in cell.answers, not cell.untouched(name), cell.exercise == name, place)
            ranks.setdefault(name, {})[cell] = rank
    best = {name: sorted(those, key=those.__getitem__, reverse=True)[:VERSIONS] for name, those in ranks.items()}
    return {name: [one for one in those if name in one.answers or one is those[0]] for name, those in best.items()}


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
    from IPython.core.inputtransformer2 import TransformerManager  # not above: to tell whose a cell is takes none of it

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
