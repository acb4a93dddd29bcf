"""The files that an exercise's rows depend on: if one of them changes, that exercise is graded again, and no other."""

import ast
import hashlib
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path

from course_utils.exercise import EXERCISES
from course_utils.material.given_lines import given_to
from course_utils.paths import PACKAGE

# of this folder: these judge nothing
WRITERS = (
    "assignment", "fingerprints", "instructor_tables", "output_folder", "reports", "sample", "similar_answers",
    "whole_class",
)  # fmt: skip
# no check and no reference needs these, though notebooks and the grader import them
ELSEWHERE = ("authoring", "classroom", "command_line.py", "commands.py", "learner", "material", "playing", "ui")


@cache
def fingerprint(exercise: str) -> str:
    """A hash of the notebook's cells, the exercise's check, the references, the grader, and their imports."""
    notebook = EXERCISES[exercise].notebook
    given = {name: statement.source for name, statement in given_to(exercise).items()}
    roots = {
        PACKAGE / "tests" / f"notebook_{notebook}" / f"{exercise}.py",
        *(_module(entry.module) for entry in EXERCISES.values() if entry.notebook == notebook),
        *(path for path in Path(__file__).parent.glob("*.py") if path.stem not in WRITERS),
    }
    digest = hashlib.sha256(repr(sorted(given.items())).encode())
    for path in sorted(_reached(roots) | {PACKAGE / "mine.py"}):  # by which an answer calls other exercises
        digest.update(str(path.relative_to(PACKAGE)).encode() + path.read_bytes())
    return digest.hexdigest()[:16]


def _reached(roots: Iterable[Path]) -> set[Path]:
    """These files of the package, and those that they import, at any depth."""
    reached: set[Path] = set()
    waiting = list(roots)
    while waiting:
        path = waiting.pop()
        if path not in reached and path.exists():
            reached.add(path)
            waiting += (file for file in _imports(path) if file.relative_to(PACKAGE).parts[0] not in ELSEWHERE)
    return reached


@cache
def _imports(path: Path) -> frozenset[Path]:
    return frozenset(_imported(path.read_text("utf-8")))


def _imported(text: str) -> Iterator[Path]:
    """The package's files that the text imports, at any place: modules, and those in which its names are."""
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            names = [node.module, *(f"{node.module}.{alias.name}" for alias in node.names)]
        else:
            continue
        for name in names:
            if name.partition(".")[0] == PACKAGE.name:
                parts = name.split(".")
                yield from (_module(".".join(parts[:end])) for end in range(1, len(parts) + 1))


def _module(name: str) -> Path:
    """Its file, which may not exist: the name may be something within a module."""
    path = PACKAGE.parent.joinpath(*name.split("."))
    return path / "__init__.py" if path.is_dir() else path.with_suffix(".py")
