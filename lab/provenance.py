"""Which code measured a result: a hash of its file and of all that it imports of the lab and the course, at any depth.

    python -m lab.provenance    says which results are older than their code

Comments, docstrings and empty lines don't count, nor does what only draws (`course_utils.ui`) or makes pages.
"""

import ast
import hashlib
import io
import tokenize
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from course_utils import results
from course_utils.paths import COURSE

RESULTS = (results.FOLDER, Path(__file__).with_name("results"))
PACKAGES = ("course_utils", "lab")
MEASURES_NOTHING = ("course_utils/ui", "course_utils/authoring", "lab/shown.py", "lab/report.py", "lab/command.py")
BEFORE = ""  # the code of a result that was measured before hashes were kept


def code_of(path: Path, root: Path = COURSE) -> str:
    """ "lab/uct.py 0123456789": the file that measures, and the hash of the code that it runs."""
    digest = hashlib.sha256()
    for file in sorted(reached(path, root)):
        digest.update(f"{file.relative_to(root).as_posix()}\n{_bare(file.read_text('utf-8'))}\n".encode())
    return f"{path.relative_to(root).as_posix()} {digest.hexdigest()[:10]}"


def reached(path: Path, root: Path = COURSE) -> set[Path]:
    """The file, and those of the course and the lab that it imports, at any depth."""
    files: set[Path] = set()
    waiting = [path]
    while waiting:
        file = waiting.pop()
        if file not in files and file.is_file():
            files.add(file)
            imported = _imports(file.read_text("utf-8"), root)
            waiting += (path for path in imported if not _measures_nothing(path, root))
    return files


def _measures_nothing(path: Path, root: Path) -> bool:
    return any(path.is_relative_to(root / place) for place in MEASURES_NOTHING)


def _imports(text: str, root: Path) -> Iterator[Path]:
    """The files that each imported name may mean, whether or not they exist."""
    for node in ast.walk(ast.parse(text)):
        names: list[str] = []
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            names = [node.module, *(f"{node.module}.{alias.name}" for alias in node.names)]
        for name in names:
            parts = name.split(".")
            if parts[0] in PACKAGES:
                for end in range(1, len(parts) + 1):
                    place = root.joinpath(*parts[:end])
                    yield from (place.with_suffix(".py"), place / "__init__.py")


@cache
def _bare(text: str) -> str:
    """The code without comments, docstrings and empty lines; the same whatever Python reads it."""
    lines = text.splitlines()
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.COMMENT:
            row, column = token.start
            lines[row - 1] = lines[row - 1][:column]
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            match node.body[:1]:
                case [ast.Expr(value=ast.Constant(value=str())) as docstring]:
                    for row in range(docstring.lineno, (docstring.end_lineno or docstring.lineno) + 1):
                        lines[row - 1] = ""
    return "\n".join(line.rstrip() for line in lines if line.strip())


def standing() -> tuple[list[str], list[str]]:
    """(the results whose code has changed since they were measured, the results without a hash)."""
    older, before = [], []
    for name, result in (
        (name, results.load_result(name, folder)) for folder in RESULTS for name in results.names(folder)
    ):
        if result.code == BEFORE:
            before.append(name)
        elif result.code != code_of(COURSE / result.code.split()[0]):
            older.append(name)
    return older, before


def in_a_line() -> str:
    older, before = standing()
    words = f"Older than the code that measured them: {', '.join(older) or 'no result'}"
    return f"{words}; measured before hashes were kept: {len(before)} results." if before else f"{words}."


if __name__ == "__main__":
    print(in_a_line())
