"""How good are the checks? Wrong answers, right answers and machine-made mutants of every reference, sent through them.

`make mutants` prints the table that docs/checks.md keeps. A mutant is the reference with one small change to its syntax tree;
the graded check must reject it, or EQUIVALENT must say why it is not wrong.
"""

import ast
import importlib
import json
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

import numpy as np

from course_utils.exercise import BEGIN, END, EXERCISES, using
from course_utils.tests.case import run_case
from course_utils.tests.grade import CHECKS, grade
from course_utils.tests.stage import Here
from tests.quality.changes import changes_of
from tests.quality.false_names import of_neighbours
from tests.quality.stateful import docstring_end, stateful

EQUIVALENT_FILE = Path(__file__).with_name("equivalent_mutants.json")  # exercise -> {mutant: why it is right}
MUTANT_SECONDS = 2.0  # a case; a mutant that takes longer counts as killed


@dataclass(frozen=True)
class Mutant:
    exercise: str
    name: str  # "2: value = -value -> pass", the line counted from the first after the docstring
    source: str


def mutants(exercise: str) -> list[Mutant]:
    """Every mutant of the exercise's reference: of its syntax tree, but for signature, docstring and given lines, and stateful ones."""
    source = EXERCISES[exercise].source
    given = _given_lines(source)
    tree = ast.parse(source)
    function = next(node for node in tree.body if isinstance(node, ast.FunctionDef))
    del function.body[0]  # the docstring
    statements = [node for statement in function.body for node in ast.walk(statement)]
    made = []
    for parent in [function, *statements]:
        for name, value in [("body", function.body)] if parent is function else ast.iter_fields(parent):
            for index, node in enumerate(value if isinstance(value, list) else [value]):
                if not isinstance(node, ast.AST) or getattr(node, "lineno", 0) in given:
                    continue
                for change in changes_of(node):
                    made.append(_mutant(exercise, tree, parent, name, index, value, node, change))
    made = [mutant for mutant in made if mutant.source != ast.unparse(tree)]
    return [*made, *(Mutant(exercise, name, source) for name, source in stateful(exercise))]


def _given_lines(source: str) -> set[int]:
    lines, inside = set(), False
    for number, line in enumerate(source.splitlines(), 1):
        inside = (inside or line.strip() == BEGIN) and line.strip() != END
        if inside:
            lines.add(number)
    return lines


def _mutant(exercise, tree, parent, field_name, index, value, node, change) -> Mutant:
    before = ast.unparse(node).splitlines()[0]
    container = value if isinstance(value, list) else None
    if container is None:
        setattr(parent, field_name, change)
    else:
        container[index] = change
    ast.fix_missing_locations(tree)
    source = ast.unparse(tree)
    after = ast.unparse(change).splitlines()[0]
    if container is None:
        setattr(parent, field_name, node)
    else:
        container[index] = node
    line = node.lineno - docstring_end(EXERCISES[exercise].source)
    return Mutant(exercise, f"{line}: {before} -> {after}", source)


def killed(mutant: Mutant, seed: int = 0) -> bool:
    """Whether the exercise's check rejects the mutant."""
    namespace = dict(vars(importlib.import_module(EXERCISES[mutant.exercise].module)))
    exec(compile(mutant.source, f"<mutant of {mutant.exercise}>", "exec", dont_inherit=True), namespace)
    stage = Here(CHECKS[mutant.exercise], namespace[mutant.exercise])
    with using({}):
        for case in CHECKS[mutant.exercise].cases(np.random.default_rng(seed)):
            case.seconds = min(case.seconds, MUTANT_SECONDS)
            if not run_case(case, stage).passed:
                return True
    return False


def equivalent() -> dict[str, dict[str, str]]:
    return json.loads(EQUIVALENT_FILE.read_text("utf-8"))


@dataclass
class Score:
    """What one exercise's check did."""

    exercise: str
    wrong: int = 0
    rejected: int = 0
    named: int = 0
    right_runs: int = 0
    right_rejected: int = 0
    mutants: int = 0
    equivalent: int = 0
    survivors: list[str] = field(default_factory=list)
    almost: int = 0  # answers that are almost a known mistake, and refused
    almost_named: int = 0
    false_names: list[str] = field(default_factory=list)


def score(exercise: str, seeds: int, neighbours: int = 2) -> Score:
    """Args: neighbours: how many of each wrong answer are graded, to see whether they get a false name."""
    result = Score(exercise)
    for entry in CHECKS[exercise].wrong:
        report = grade(exercise, entry.answer)
        result.wrong += 1
        result.rejected += not report.passed
        result.named += entry.name in [match.name for match in report.matches]
    for answer in CHECKS[exercise].right:
        for seed in range(seeds):
            result.right_runs += 1
            result.right_rejected += not grade(exercise, answer, seed).passed
    listed = equivalent().get(exercise, {})
    for mutant in mutants(exercise):
        result.mutants += 1
        if mutant.name in listed:
            result.equivalent += 1
        elif not killed(mutant):
            result.survivors.append(mutant.name)
    names = of_neighbours(exercise, neighbours)
    result.almost, result.almost_named, result.false_names = names.refused, names.named, names.false
    return result


def report(names: list[str], seeds: int, workers: int = 2) -> bool:
    """Print the table; the score is the last line. Returns whether the checks are as good as they must be."""
    from tqdm import tqdm

    with ProcessPoolExecutor(workers) as pool:
        scores = list(tqdm(pool.map(partial(score, seeds=seeds), names), total=len(names), unit="exercise"))
    print("| notebook | wrong answers | rejected | named | right runs | rejected | mutants | equivalent | killed |")
    print("|---|---|---|---|---|---|---|---|---|")
    for notebook in dict.fromkeys(EXERCISES[name].notebook for name in names):
        _row(notebook, [one for one in scores if EXERCISES[one.exercise].notebook == notebook])
    _row("all", scores)
    for one in scores:
        for survivor in one.survivors:
            print(f"survives: {one.exercise} {survivor}")
    for one in scores:
        for answer in one.false_names:
            print(f"has a false name: {answer}")
    almost, almost_named = (sum(getattr(one, key) for one in scores) for key in ("almost", "almost_named"))
    false = sum(len(one.false_names) for one in scores)
    print(f"false names: {false} of {almost} answers that are almost a known mistake ({almost_named} have a name)")
    wrong, rejected, named = (sum(getattr(one, key) for one in scores) for key in ("wrong", "rejected", "named"))
    bad = sum(one.right_rejected for one in scores)
    alive = sum(len(one.survivors) for one in scores)
    real = sum(one.mutants - one.equivalent for one in scores)
    print(
        f"score: {rejected}/{wrong} wrong answers rejected, {named}/{wrong} named, {bad} right answers rejected, "
        f"{real - alive}/{real} mutants killed ({(real - alive) / max(real, 1):.1%})"
    )
    return (
        rejected == wrong
        and named >= 0.8 * wrong
        and bad == 0
        and real - alive >= 0.98 * real
        and false <= almost / 1000
    )


def _row(label: str, scores: list[Score]) -> None:
    total = {
        key: sum(getattr(one, key) for one in scores)
        for key in vars(scores[0])
        if key not in ("exercise", "survivors", "false_names")
    }
    alive = sum(len(one.survivors) for one in scores)
    real = total["mutants"] - total["equivalent"]
    print(
        f"| {label} | {total['wrong']} | {total['rejected']} | {total['named']} | {total['right_runs']} | "
        f"{total['right_rejected']} | {total['mutants']} | {total['equivalent']} | {real - alive} of {real} |"
    )
