"""Are the names true?

Answers that are almost right, or almost a known mistake, go through the checks, and false names are counted.

A neighbour of a source is the same with one small change: another constant, `max(1, x)` for `1 + x`, another sign,
the node for its parent. A name is false if the answer does something else than the named mistake on any of many
draws, which are not the check's own.
"""

import ast
import contextlib
import copy
import functools
import importlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

import numpy as np

from course_utils.deadline import TookTooLong, within
from course_utils.exercise import EXERCISES, using
from course_utils.tests.catalogue import Wrong
from course_utils.tests.grade import CHECKS, grade
from course_utils.tests.naming import verdicts_differ
from course_utils.tests.stage import LocalStage
from tests.quality.changes import changes_of

SEEDS = range(7_000, 7_010)  # of draws that no check uses
SEARCH_SECONDS = 5  # of the processor, for each name


def neighbours(source: str) -> list[str]:
    """The sources that differ from this one in one place."""
    tree = ast.parse(source)
    count = sum(1 for _ in ast.walk(tree))
    sources = (_with_change(tree, number, which) for number in range(count) for which in range(6))
    return [source for source in dict.fromkeys(sources) if source and source != ast.unparse(tree)]


def _with_change(tree: ast.Module, number: int, which: int) -> str:
    """The source in which the node with this number has its change number `which`; "" if it has none."""
    changed = copy.deepcopy(tree)
    target = list(ast.walk(changed))[number]
    changes = [*_close(target), *changes_of(target)] if not _is_text(target) else []
    if which >= len(changes):
        return ""

    class Replace(ast.NodeTransformer):
        def visit(self, node):
            return changes[which] if node is target else self.generic_visit(node)

    return ast.unparse(ast.fix_missing_locations(Replace().visit(changed)))


def _is_text(node: ast.AST) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)


def _close(node: ast.AST) -> Iterator[ast.AST]:
    """Changes of about two characters that keep the line's form."""
    match node:
        case ast.BinOp(ast.Constant(1) as one, ast.Add(), other) | ast.BinOp(other, ast.Add(), ast.Constant(1) as one):
            yield ast.Call(ast.parse("np.maximum", mode="eval").body, [one, other], [])
            yield ast.BinOp(ast.Constant(1e-8), ast.Add(), other)
        case ast.Attribute(attr="parent", ctx=ast.Load()):
            yield node.value
        case ast.Return(value=ast.expr() as value):
            yield ast.Return(ast.UnaryOp(ast.USub(), value))
        case ast.AugAssign(op=ast.Add()):
            yield ast.AugAssign(node.target, ast.Sub(), node.value)


def made(exercise: str, source: str) -> Callable:
    namespace = dict(vars(importlib.import_module(EXERCISES[exercise].module)))
    exec(compile(source, f"<neighbour in {exercise}>", "exec", dont_inherit=True), namespace)
    return namespace[exercise]


@dataclass
class Names:
    """What was counted: answers that a check refused, those that got a name, and which names are false."""

    refused: int = 0
    named: int = 0
    false: list[str] = field(default_factory=list)


def count(exercise: str, source: str, answer: Callable, names: Names, seed: int = 0) -> None:
    """Grade the answer, and put each of its names to the longer search."""
    report = grade(exercise, answer, seed)
    if report.passed or not report.outcomes:
        return
    names.refused += 1
    names.named += bool(report.matches)
    names.false += [f"{exercise}: {entry.name}\n{source}" for entry in report.matches if _differs(entry, answer)]


def _differs(entry: Wrong, answer: Callable) -> bool:
    check = CHECKS[entry.exercise]
    theirs, ours = LocalStage(check, entry.answer), LocalStage(check, answer)
    search = (functools.partial(verdicts_differ, check, theirs, ours, seed) for seed in SEEDS)
    with using({}), contextlib.suppress(TookTooLong):
        return any(within(SEARCH_SECONDS, differs) for differs in search)
    return False


def of_neighbours(exercise: str, each: int, seed: int = 0) -> Names:
    """Of the neighbours of the reference, and of `each` neighbours of every known mistake, drawn with this seed."""
    rng, names = np.random.default_rng(seed), Names()
    sources = neighbours(EXERCISES[exercise].source)
    for entry in CHECKS[exercise].wrong:
        near = neighbours(entry.source)
        sources += [near[place] for place in rng.permutation(len(near))[:each]]
    for source in dict.fromkeys(sources):
        with contextlib.suppress(Exception):  # no Python
            count(exercise, source, made(exercise, source), names, seed)
    return names
