"""A recorded answer without the course: the statements that it needs, and which names it takes from libraries and from the course."""

import ast
import importlib
import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from course_utils.answers.cells import python_of
from course_utils.exercise import CELL
from course_utils.names import ALWAYS_THERE, defines, lines_of, needs, parsed, reads, sets_globally

COURSE = "course_utils"
LAZY = "from __future__ import annotations\n"  # with it a name in an annotation is not needed
IN_NOTEBOOK = ("get_ipython", "display")


class NotPortable(Exception):
    """The answer can't stand in a file of its own; the message says why."""


@dataclass
class Portable:
    """An answer as plain Python.

    Attributes:
        body: its statements, the one that binds the exercise's name among them; helpers as far as they are needed.
        imports: name -> the statement that imports it from a library.
        course: names that it takes from the course, under the course's own names.
        open: names that nothing in it binds: the course's, where the exercise's module has them.
        itself: names by which it calls modules of the course, `mine` in `mine.backup(...)`.
    """

    body: list[str]
    imports: dict[str, str] = field(default_factory=dict)
    course: set[str] = field(default_factory=set)
    open: set[str] = field(default_factory=set)
    itself: set[str] = field(default_factory=set)

    def function(self, exercise: str) -> str:
        """The answer as a statement of a file. One with helpers stands in a function, so that its names are its own."""
        if len(self.body) == 1:
            return self.body[0]
        own = frozenset[str]().union(*map(defines, self.body))
        outside = set().union(*map(sets_globally, self.body)) - own
        body = [*(f"{name} = None" for name in sorted(outside)), *(_as_local(one, own | outside) for one in self.body)]
        spaced = [f"\n{one}\n" if one.startswith(("def ", "class ", "@", "async ", "#")) else one for one in body]
        lines = re.sub(r"\n{3,}", "\n\n", "\n".join(spaced).strip())
        return f"def _{exercise}():\n{_indented(lines)}\n\n    return {exercise}\n\n\n{exercise} = _{exercise}()"


def portable(exercise: str, source: str) -> Portable:
    """The answer that `source`, a recorded one, holds.

    Raises NotPortable: it is made of something that can't be moved, such as a cell that is no Python.
    """
    statements: list[tuple[str, ast.stmt]] = []
    for cell in re.split(rf"^{CELL}.*\n", source, flags=re.MULTILINE):
        python = python_of(cell)
        if parsed(python) is None:
            raise NotPortable("one of its cells is not plain Python")
        statements += _statements(python)
    found = Portable([])
    for text, node in _needed(exercise, statements):
        if isinstance(node, ast.Import | ast.ImportFrom):
            found.body += _moved(node, found, needed_from=[one for one, _ in statements])
        else:
            found.body.append(_without_imports(text, found))
    for text in found.body:
        for part in ast.walk(ast.parse(text)):
            if isinstance(part, ast.Attribute) and isinstance(part.value, ast.Name) and part.value.id in found.itself:
                found.course.add(part.attr)
            if isinstance(part, ast.Name) and part.id in (COURSE, *IN_NOTEBOOK):
                raise NotPortable(f"it says {part.id}, which only a notebook of the course has")
    own = frozenset[str]().union(*map(defines, found.body)) | found.imports.keys() | found.itself
    found.open = set().union(*(needs(LAZY + text) for text in found.body)) - own
    return found


def _statements(python: str) -> Iterator[tuple[str, ast.stmt]]:
    """Each statement of a cell with the comments above it."""
    lines, tree, end = lines_of(python), ast.parse(python), 0
    for number, node in enumerate(tree.body):
        first = min([node.lineno, *(one.lineno for one in getattr(node, "decorator_list", []))]) - 1
        last = node.end_lineno or node.lineno
        shares = first < end or (number + 1 < len(tree.body) and tree.body[number + 1].lineno == last)
        above = [line for line in lines[end:first] if line.startswith("#")]
        text = ast.unparse(node) if shares else "".join([*above, *lines[first:last]]).strip("\n")
        yield text, node
        end = last


def _needed(exercise: str, statements: list[tuple[str, ast.stmt]]) -> list[tuple[str, ast.stmt]]:
    """Those that make the answer, in their order: not what prints, draws or tries it."""
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
    """The names that a statement binds, and those of `made` whose values it may change: `known.append(...)`, `table[0] = ...`."""
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        return frozenset({node.name})
    if isinstance(node, ast.ImportFrom) and node.names[0].name == "*":
        return frozenset(reads(text)) | _of_star(node)
    changed = set()
    for one in ast.walk(node):
        base = None
        if isinstance(one, ast.Call) and isinstance(one.func, ast.Attribute):
            base = one.func.value
        elif isinstance(one, ast.Attribute | ast.Subscript) and isinstance(one.ctx, ast.Store | ast.Del):
            base = one.value
        while isinstance(base, ast.Attribute | ast.Subscript):
            base = base.value
        if isinstance(base, ast.Name):
            changed.add(base.id)
    return defines(text) | (changed & made)


def _of_star(node: ast.ImportFrom) -> frozenset[str]:
    """The names that `from math import *` brings."""
    try:
        module = importlib.import_module(node.module or "")
    except Exception:
        return frozenset()
    return frozenset(getattr(module, "__all__", [name for name in vars(module) if not name.startswith("_")]))


def _moved(node: ast.Import | ast.ImportFrom, found: Portable, needed_from: list[str]) -> list[str]:
    """What is left of an import in a file without the course. Imports from libraries are noted in `found`."""
    left = []
    for alias in node.names:
        name = alias.asname or alias.name
        if isinstance(node, ast.ImportFrom) and alias.name == "*":
            wanted = _of_star(node) & frozenset[str]().union(*(needs(LAZY + text) for text in needed_from))
            if (node.module or "").split(".")[0] != COURSE:
                found.imports |= {one: f"from {node.module} import {one}" for one in wanted}
        elif not _is_courses(node, alias):
            found.imports[name.split(".")[0]] = ast.unparse(_with_one(node, alias))
        elif isinstance(node, ast.ImportFrom) and not _is_module(f"{node.module}.{alias.name}"):
            found.course.add(alias.name)
            left += [f"{name} = {alias.name}"] * (name != alias.name)
        elif alias.asname or isinstance(node, ast.ImportFrom):
            found.itself.add(name)
        else:
            raise NotPortable(f"it imports {alias.name} by its whole name")
    return left


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


def _without_imports(text: str, found: Portable) -> str:
    """A statement in whose functions nothing is imported from the course any more."""
    lines = lines_of(text)
    inner = [
        node
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.Import | ast.ImportFrom) and any(_is_courses(node, alias) for alias in node.names)
    ]
    for node in sorted(inner, key=lambda one: one.lineno, reverse=True):
        left = "; ".join(_moved(node, found, [text])) or "pass"
        first, last = node.lineno - 1, (node.end_lineno or node.lineno) - 1
        before, after = lines[first].encode()[: node.col_offset], lines[last].encode()[node.end_col_offset :]
        lines[first : last + 1] = [(before + left.encode() + after).decode()]
    return "".join(lines)


def _as_local(text: str, own: frozenset[str]) -> str:
    """A statement as it reads inside a function: what its functions called global is the function's."""
    lines = lines_of(text)
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Global) and own.issuperset(node.names):
            line = lines[node.lineno - 1].encode()
            place = node.col_offset
            lines[node.lineno - 1] = (line[:place] + b"nonlocal" + line[place + len("global") :]).decode()
    return "".join(lines)


def _indented(text: str) -> str:
    """One level deeper, but for the lines inside of strings, whose spaces count."""
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
