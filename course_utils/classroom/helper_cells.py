"""Decide whether an answer fails only because one of its helper cells raised here: then a person has to look.

The text of the error decides nothing, since no list of what a learner's machine may have is ever complete. What
counts is whether every failing case lacks something that the helper cell would have made. An error in a cell that the
answer does not need changes nothing.
"""

import ast
import re
from collections.abc import Iterator

from course_utils.answers.cells import python_of
from course_utils.answers.program import BRINGS_ANY, Program
from course_utils.answers.running import Raised
from course_utils.names import assigns, defines, parsed, reads, sets_globally
from course_utils.tests.grade import Report
from course_utils.tests.reach import reached

LINE = re.compile(r"Cell In\[\d+\], line (\d+)")  # the first of a traceback is the cell's own
CAUSE = re.compile(r"^(?:During handling of the above|The above exception was the direct cause)", re.MULTILINE)
UNDEFINED = re.compile(r"^NameError: name '(\w+)' is not defined")
NOT_PYTHON = re.compile(r"^(?:SyntaxError|IndentationError|TabError): ")


def blamed(program: Program, raised: list[Raised], report: Report | None, exercise: str) -> Raised | None:
    """The error of a helper cell, if the answer fails because it lacks what that cell would have made; else None.

    Args:
        raised: what the cells raised, in their order.
    """
    if report is None:
        return None
    missing = _missing(program, raised)
    if report.problem:
        return missing.get(exercise) or next(
            (missing[name] for name in reads(program.expression) & missing.keys()), None
        )
    stale = _stale(program, raised, exercise)
    causes = [missing.get(_undefined(outcome.error)) or stale for outcome in report.failures]
    return causes[0] if causes and all(causes) else None


def _undefined(error: BaseException | None) -> str:
    """The name that a NameError misses; "" for any other error."""
    match = UNDEFINED.match(f"{type(error).__name__}: {error}")
    return match[1] if match else ""


def _missing(program: Program, raised: list[Raised]) -> dict[str, Raised]:
    """Name -> the error that kept a cell from binding it.

    An error that follows from an earlier error has the same cause.
    """
    missing: dict[str, Raised] = {}
    defined = {name for text in program.cells for name in defines(python_of(text))}
    for error, source, is_helper in _with_cells(program, raised):
        undefined = UNDEFINED.match(error.text)
        cause = missing.get(undefined[1]) if undefined else error if is_helper else None
        if cause is not None:
            names = {name for statement in _rest(error, source) for name in defines(statement)} | sets_globally(source)
            missing |= {name: cause for name in names if name not in missing}
        if is_helper and not undefined and BRINGS_ANY.search(source):  # reading the cell does not tell which names
            missing |= {name: error for name in reads(program.learners) - defined if name not in missing}
    return missing


def _stale(program: Program, raised: list[Raised], exercise: str) -> Raised | None:
    """The error that kept a helper cell from filling, or binding again, something that the answer reads."""
    tree = parsed(program.learners)
    read = {name for node in reached(tree, exercise) for name in reads(ast.unparse(node))} if tree else set()
    for error, source, is_helper in _with_cells(program, raised):
        if is_helper and not UNDEFINED.match(error.text):
            statements, rest = _statements(source), _rest(error, source)
            before = assigns("\n".join(statements[: len(statements) - len(rest)]))
            if {name for statement in rest for name in (assigns(statement) | _changes(statement)) & before} & read:
                return error
    return None


def _with_cells(program: Program, raised: list[Raised]) -> Iterator[tuple[Raised, str, bool]]:
    """(error, the Python of its cell, whether that is a helper cell), without syntax errors."""
    places = [*((cell.place, True) for cell in program.helpers), (program.answer.place, False)]
    cells = {place: (python_of(text), helper) for (place, helper), text in zip(places, program.cells, strict=True)}
    for error in raised:
        if error.where in cells and not NOT_PYTHON.match(error.text):
            yield error, *cells[error.where]


def _statements(source: str) -> list[str]:
    return [ast.unparse(node) for node in (parsed(source) or ast.Module([], [])).body]


def _rest(raised: Raised, source: str) -> list[str]:
    """The statements of a cell that did not run to their end: all of them where the traceback names no line."""
    line = LINE.search(CAUSE.split(raised.origin)[-1])
    tree = parsed(source) or ast.Module([], [])
    return [ast.unparse(node) for node in tree.body if not line or (node.end_lineno or 0) >= int(line[1])]


def _changes(source: str) -> set[str]:
    """The names whose objects a statement may change: `table[0] = 1`, `weights.update(...)`."""
    nodes = list(ast.walk(parsed(source) or ast.Module([], [])))
    targets: list[ast.expr] = [
        node.func for node in nodes if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)
    ]
    targets += [node for node in nodes if isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Store)]
    return {root.id for root in map(_root, targets) if isinstance(root, ast.Name)}


def _root(node: ast.expr) -> ast.expr:
    while isinstance(node, ast.Attribute | ast.Subscript):
        node = node.value
    return node
