"""Extract a recorded answer for use without the course: its statements, and the names that it imports from libraries
and the course.
"""

import ast
import importlib
import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from course_utils.answers.cells import python_of
from course_utils.exercise import CELL
from course_utils.names import ALWAYS_THERE, defines, lines_of, needs, parsed, reads, sets_globally

COURSE = "course_utils"
LAZY = "from __future__ import annotations\n"  # makes Python ignore names in annotations
IN_NOTEBOOK = ("get_ipython", "display")


class NotPortable(Exception):
    """The answer can't be moved into a file of its own; the message says why."""


@dataclass
class Portable:
    """An answer as plain Python.

    Attributes:
        body: its statements: the one that binds the exercise's name, and the helpers that it needs.
        imports: name -> the statement that imports it from a library.
        course: names that it imports from the course, before any renaming.
        open: names that it reads and does not bind. They are the course's if the exercise's module has them.
        itself: names of the course's modules, such as `mine` in `mine.backup(...)`.
    """

    body: list[str]
    imports: dict[str, str] = field(default_factory=dict)
    course: set[str] = field(default_factory=set)
    open: set[str] = field(default_factory=set)
    itself: set[str] = field(default_factory=set)

    def function(self, exercise: str) -> str:
        """The answer as one statement.

        An answer with helpers is wrapped in a function, so that its names stay local.
        """
        if len(self.body) == 1:
            return self.body[0]
        own = frozenset[str]().union(*map(defines, self.body))
        outside = set().union(*map(sets_globally, self.body)) - own
        body = [
            *(f"{name} = None" for name in sorted(outside)),
            *(_as_local(statement, own | outside) for statement in self.body),
        ]
        spaced = [
            f"\n{statement}\n" if statement.startswith(("def ", "class ", "@", "async ", "#")) else statement
            for statement in body
        ]
        lines = re.sub(r"\n{3,}", "\n\n", "\n".join(spaced).strip())
        return f"def _{exercise}():\n{_indented(lines)}\n\n    return {exercise}\n\n\n{exercise} = _{exercise}()"


def portable(exercise: str, source: str) -> Portable:
    """Extract the answer from `source`, a recorded program.

    Raises NotPortable: something can't be moved, such as a cell that is not Python.
    """
    statements: list[tuple[str, ast.stmt]] = []
    for cell in re.split(rf"^{CELL}.*\n", source, flags=re.MULTILINE):
        python = python_of(cell)
        if parsed(python) is None:
            raise NotPortable("one of its cells is not plain Python")
        statements += _statements(python)
    answer = Portable([])
    for text, node in _needed(exercise, statements):
        if isinstance(node, ast.Import | ast.ImportFrom):
            answer.body += _moved(node, answer, needed_from=[text for text, _ in statements])
        else:
            answer.body.append(_without_imports(text, answer))
    for text in answer.body:
        for child in ast.walk(ast.parse(text)):
            if (
                isinstance(child, ast.Attribute)
                and isinstance(child.value, ast.Name)
                and child.value.id in answer.itself
            ):
                answer.course.add(child.attr)
            if isinstance(child, ast.Name) and child.id in (COURSE, *IN_NOTEBOOK):
                raise NotPortable(f"it uses {child.id}, which exists only in a notebook of the course")
    own = frozenset[str]().union(*map(defines, answer.body)) | answer.imports.keys() | answer.itself
    answer.open = set().union(*(needs(LAZY + text) for text in answer.body)) - own
    return answer


def _statements(python: str) -> Iterator[tuple[str, ast.stmt]]:
    """Yield each statement of a cell with the comments above it."""
    lines, tree, end = lines_of(python), ast.parse(python), 0
    for number, node in enumerate(tree.body):
        first = min([node.lineno, *(decorator.lineno for decorator in getattr(node, "decorator_list", []))]) - 1
        last = node.end_lineno or node.lineno
        shares = first < end or (number + 1 < len(tree.body) and tree.body[number + 1].lineno == last)
        above = [line for line in lines[end:first] if line.startswith("#")]
        text = ast.unparse(node) if shares else "".join([*above, *lines[first:last]]).strip("\n")
        yield text, node
        end = last


def _needed(exercise: str, statements: list[tuple[str, ast.stmt]]) -> list[tuple[str, ast.stmt]]:
    """The statements that define the answer, in order. Statements that print, draw or try it are left out."""
    made = frozenset[str]().union(
        *(defines(text) for text, node in statements if not isinstance(node, ast.Import | ast.ImportFrom))
    )
    touched = [_touches(text, node, made) for text, node in statements]
    wanted, kept = {exercise}, set[int]()
    while more := {number for number, names in enumerate(touched) if names & wanted} - kept:
        kept |= more
        for number in more:
            wanted |= reads(LAZY + statements[number][0]) - ALWAYS_THERE
    return [statements[number] for number in sorted(kept)]


def _touches(text: str, node: ast.stmt, made: frozenset[str]) -> frozenset[str]:
    """The names that a statement binds, and the names of `made` that it may change: `rows.append(...)`, `table[0] =
    ...`.
    """
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        return frozenset({node.name})
    if isinstance(node, ast.ImportFrom) and node.names[0].name == "*":
        return frozenset(reads(text)) | _of_star(node)
    changed = set()
    for child in ast.walk(node):
        base = None
        if isinstance(child, ast.Call) and isinstance(child.func, ast.Attribute):
            base = child.func.value
        elif isinstance(child, ast.Attribute | ast.Subscript) and isinstance(child.ctx, ast.Store | ast.Del):
            base = child.value
        while isinstance(base, ast.Attribute | ast.Subscript):
            base = base.value
        if isinstance(base, ast.Name):
            changed.add(base.id)
    return defines(text) | (changed & made)


def _of_star(node: ast.ImportFrom) -> frozenset[str]:
    """The names that `from math import *` binds."""
    try:
        module = importlib.import_module(node.module or "")
    except Exception:
        return frozenset()
    return frozenset(getattr(module, "__all__", [name for name in vars(module) if not name.startswith("_")]))


def _moved(node: ast.Import | ast.ImportFrom, answer: Portable, needed_from: list[str]) -> list[str]:
    """Convert an import for a file without the course.

    Imports from libraries are added to `answer`; assignments are returned.
    """
    assignments = []
    for alias in node.names:
        name = alias.asname or alias.name
        if isinstance(node, ast.ImportFrom) and alias.name == "*":
            wanted = _of_star(node) & frozenset[str]().union(*(needs(LAZY + text) for text in needed_from))
            if (node.module or "").split(".")[0] != COURSE:
                answer.imports |= {imported: f"from {node.module} import {imported}" for imported in wanted}
        elif not _is_courses(node, alias):
            answer.imports[name.split(".")[0]] = ast.unparse(_with_one(node, alias))
        elif isinstance(node, ast.ImportFrom) and not _is_module(f"{node.module}.{alias.name}"):
            answer.course.add(alias.name)
            assignments += [f"{name} = {alias.name}"] * (name != alias.name)
        elif alias.asname or isinstance(node, ast.ImportFrom):
            answer.itself.add(name)
        else:
            raise NotPortable(f"it imports {alias.name} by its full name")
    return assignments


def _is_courses(node: ast.Import | ast.ImportFrom, alias: ast.alias) -> bool:
    module = node.module or "" if isinstance(node, ast.ImportFrom) else alias.name
    return module.split(".")[0] == COURSE


def _is_module(path: str) -> bool:
    try:
        importlib.import_module(path)
    except ImportError:
        return False
    return True


def _with_one(node: ast.Import | ast.ImportFrom, alias: ast.alias) -> ast.stmt:
    if isinstance(node, ast.Import):
        return ast.Import([alias])
    return ast.ImportFrom(node.module, [alias], node.level)


def _without_imports(text: str, answer: Portable) -> str:
    """Replace imports from the course inside a statement's functions."""
    lines = lines_of(text)
    inner = [
        node
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.Import | ast.ImportFrom) and any(_is_courses(node, alias) for alias in node.names)
    ]
    for node in sorted(inner, key=lambda statement: statement.lineno, reverse=True):
        replacement = "; ".join(_moved(node, answer, [text])) or "pass"
        first, last = node.lineno - 1, (node.end_lineno or node.lineno) - 1
        before, after = lines[first].encode()[: node.col_offset], lines[last].encode()[node.end_col_offset :]
        lines[first : last + 1] = [(before + replacement.encode() + after).decode()]
    return "".join(lines)


def _as_local(text: str, own: frozenset[str]) -> str:
    """Rewrite a statement for use inside a function: `global` becomes `nonlocal` for the names in `own`."""
    lines = lines_of(text)
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Global) and own.issuperset(node.names):
            line = lines[node.lineno - 1].encode()
            place = node.col_offset
            lines[node.lineno - 1] = (line[:place] + b"nonlocal" + line[place + len("global") :]).decode()
    return "".join(lines)


def _indented(text: str) -> str:
    """Indent by one level, except for lines inside strings, whose spaces matter."""
    inside = set[int]()
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Constant | ast.JoinedStr) and node.end_lineno and node.end_lineno > node.lineno:
            inside |= set(range(node.lineno + 1, node.end_lineno + 1))
    documentation = {
        line
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
        for line in range(node.lineno, (node.end_lineno or 0) + 1)
    }
    inside -= documentation
    return "".join(
        f"    {line}" if line.strip() and number not in inside else line
        for number, line in enumerate(lines_of(text), 1)
    )
