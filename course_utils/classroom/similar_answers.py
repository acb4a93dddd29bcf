"""Answers of the same structure: the same program but for names, comments and spaces. A reason to look, never proof."""

import ast
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache

from course_utils.answers.cells import python_of
from course_utils.classroom.grading import Row
from course_utils.exercise import EXERCISES
from course_utils.names import parsed

LARGEST = 20_000  # characters of an answer that is compared
LEAST = 60  # nodes of a syntax tree: shorter answers come out the same by chance
USUAL = 0.25  # of the answers to an exercise: a shape that so many have is the usual way to write it
FEW = 4  # answers, too few to call a shape usual


@dataclass(frozen=True)
class SimilarAnswers:
    exercise: str
    learners: tuple[str, ...]
    code: tuple[str, ...]  # of the first two
    like_ours: bool  # and like the course's solution, which lies folded in the notebook


def shape(source: str, exercise: str) -> tuple[str, int]:
    """(the exercise's function without names, annotations, texts; its number of nodes); ("", 0) if unknown."""
    if len(source) > LARGEST:
        return "", 0
    try:
        return _shape(source, exercise)
    except (RecursionError, MemoryError):
        return "", 0


def _shape(source: str, exercise: str) -> tuple[str, int]:
    tree = parsed(python_of(source))
    function = next(
        (n for n in ast.walk(tree or ast.Module([], [])) if isinstance(n, ast.FunctionDef) and n.name == exercise), None
    )
    if function is None:
        return "", 0
    names: dict[str, str] = {}
    nodes: list[str] = []

    def visit(node: ast.AST) -> None:
        match node:
            case ast.Expr(ast.Constant(str())):  # a docstring
                return
            case ast.Name(id=name) | ast.arg(arg=name):
                nodes.append(names.setdefault(name, f"v{len(names)}"))
                return
            case ast.Constant(value=value):
                nodes.append(repr(value))
                return
        nodes.append(type(node).__name__ + getattr(node, "attr", ""))
        for field, value in ast.iter_fields(node):
            if field in ("annotation", "returns", "decorator_list", "type_comment", "ctx"):
                continue
            for child in value if isinstance(value, list) else [value]:
                if isinstance(child, ast.AST):
                    visit(child)

    for statement in (function.args, *function.body):
        visit(statement)
    return " ".join(nodes), len(nodes)


@cache
def _ours(exercise: str) -> str:
    return shape(EXERCISES[exercise].source, exercise)[0]


def similar_answers(rows: Iterable[Row]) -> list[SimilarAnswers]:
    """Groups of answers of the same shape, the rarest shapes first."""
    by_shape: dict[tuple[str, str], list[Row]] = defaultdict(list)
    answers: dict[str, int] = defaultdict(int)
    for row in rows:
        form, size = shape(row.code, row.exercise) if row.code else ("", 0)
        answers[row.exercise] += bool(row.code)
        if size >= LEAST:
            by_shape[row.exercise, form].append(row)
    groups = [
        SimilarAnswers(
            exercise, tuple(row.learner for row in group), tuple(row.code for row in group[:2]), form == _ours(exercise)
        )
        for (exercise, form), group in by_shape.items()
        if len(group) > 1 and (len(group) <= max(FEW, USUAL * answers[exercise]))
    ]
    return sorted(groups, key=lambda group: (group.like_ours, len(group.learners), group.exercise))
