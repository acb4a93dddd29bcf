"""`my_alphazero.py`: the learner's AlphaZero in one file, which trains and proves tic-tac-toe without the course.

Each exercise of the main road is the learner's version if it has passed, and the course's otherwise. The definitions
that these functions need are copied from the package by name, beginning with `train` and `prove` of `plain.py`.
"""

import ast
import importlib
import inspect
import sys
import traceback
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from types import ModuleType

from course_utils.answers.portable import COURSE, NotPortable, Portable, portable
from course_utils.answers.stubs import reference
from course_utils.exercise import EXERCISES, LEARNERS, yours
from course_utils.names import defines, needs

FILE = "my_alphazero.py"
PLAIN = "course_utils.learner.plain"
BEGIN = ("train", "prove")  # everything else in the file is what these need
LIBRARIES = ("numpy", "torch")
SECTIONS = {  # title -> the modules, and names of `plain.py`, from which its definitions come
    "the game": ("games.tictactoe", "games.protocol", "TicTacToe", "Game"),
    "the network": ("networks.protocol", "networks.policy_value"),
    "the search": ("search.puct", "SearchAgent"),
    "self-play": ("learning.examples", "learning.self_play"),
    "matches, and all games that can be played": ("learning.arena",),
    "training": ("learning.config", "Run", "learning.training"),
    "training and proving": ("losing_lines", "train", "prove"),
}
LEFT_OUT = {"TorchNetwork": ("settings",), "TrainingConfig": ("__post_init__", "__repr__")}  # methods
ROAD = [name for name, exercise in EXERCISES.items() if exercise.notebook < "10"]


@dataclass(frozen=True)
class Definition:
    """A function, class or constant of the package."""

    name: str
    module: str
    text: str


@dataclass
class File:
    """The file while it is being put together.

    Attributes:
        texts: name -> its text; for an exercise, the learner's version or the course's.
        imports: name -> the statement that imports it from a library.
        marks: exercise -> the comment above it.
    """

    texts: dict[str, str] = field(default_factory=dict)
    imports: dict[str, str] = field(default_factory=dict)
    marks: dict[str, str] = field(default_factory=dict)


def one_file(by: str = "you") -> str:
    """The file's text, with the answers that are in force.

    Args:
        by: the learner's name, for its first lines.
    """
    refused: dict[str, str] = {}
    while True:
        file = _put_together(refused)
        text, lines = _written(file, by)
        culprits = _fails_to_load(text, lines)
        if not culprits:
            return text
        refused |= culprits


def whose(by: str, own: int) -> str:
    """A sentence that says who wrote the functions."""
    if not own:
        return f"All {len(ROAD)} functions are the course's."
    others = "" if own == len(ROAD) else f"; the other{'s are' if len(ROAD) - own > 1 else ' is'} the course's"
    return f"{own} of the {len(ROAD)} functions {'is' if own == 1 else 'are'} by {by}{others}."


def _put_together(refused: dict[str, str]) -> File:
    """Collect all definitions.

    Args:
        refused: exercise -> why the learner's answer can't be in the file.
    """
    file, answers = File(), yours()
    for name in ROAD:
        file.marks[name] = "# the course's"
        if name not in answers:
            continue
        try:
            if name in refused:
                raise NotPortable(refused[name])
            _take(name, portable(name, LEARNERS.sources[name]), file)
            file.marks[name] = "# yours"
        except NotPortable as why:
            file.marks[name] = f"# the course's (yours has passed, but can't be in one file: {why})"
    for name in (*BEGIN, *ROAD):
        _add(_definitions()[name], file)
    return file


def _take(name: str, answer: Portable, file: File) -> None:
    """Put a learner's answer and all that it needs into the file. Raises NotPortable, and leaves the file as it was."""
    trial = File(dict(file.texts), dict(file.imports))
    if answer.itself:
        answer.body[:0] = [f"{alias} = sys.modules[__name__]" for alias in sorted(answer.itself)]
        answer.imports["sys"] = "import sys"
    for imported, statement in answer.imports.items():
        library = statement.split()[1].split(".")[0]
        if library not in (*LIBRARIES, *sys.stdlib_module_names):
            raise NotPortable(f"it needs {library}")
        if imported == name or trial.imports.setdefault(imported, statement) != statement or imported in _definitions():
            answer.body.insert(0, statement)
    trial.texts[name] = answer.function(name)
    module = importlib.import_module(EXERCISES[name].module)
    for needed in sorted(answer.course | answer.open):
        if needed in _definitions():
            _add(_definitions()[needed], trial)
        elif needed in _imports(module.__name__):
            _add_import(needed, _imports(module.__name__)[needed], trial)
        elif needed in answer.course or hasattr(module, needed):
            raise NotPortable(f"it needs {needed} of the course")
    file.texts, file.imports = trial.texts, trial.imports


# --- what the package has --------------------------------------------------------------------------------------------


@cache
def _definitions() -> dict[str, Definition]:
    """Name -> definition, from all modules of the sections. `plain.py` takes precedence over the package."""
    modules = [f"{COURSE}.{place}" for places in SECTIONS.values() for place in places if "." in place]
    return {definition.name: definition for module in (*modules, PLAIN) for definition in _defined_in(module)}


def _defined_in(module: str) -> Iterator[Definition]:
    source = inspect.getsource(importlib.import_module(module))
    for node in ast.parse(source).body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef | ast.Assign | ast.AnnAssign):
            first = min([node.lineno, *(decorator.lineno for decorator in getattr(node, "decorator_list", []))])
            text = "\n".join(source.splitlines()[first - 1 : node.end_lineno])
            for name in defines(text):
                yield Definition(name, module, _shortened(name, reference(name) if name in EXERCISES else text))


def _shortened(name: str, text: str) -> str:
    """A class without the methods of `LEFT_OUT`, and with the first sentence of its docstring."""
    if name not in LEFT_OUT:
        return text
    lines, [kind] = text.splitlines(), ast.parse(text).body
    assert isinstance(kind, ast.ClassDef) and isinstance(kind.body[0], ast.Expr)
    for node in reversed(kind.body):
        if isinstance(node, ast.FunctionDef) and node.name in LEFT_OUT[name]:
            first = min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)])
            del lines[first - 1 : node.end_lineno]
    summary = (ast.get_docstring(kind) or "").split("\n\n")[0]
    lines[kind.body[0].lineno - 1 : kind.body[0].end_lineno] = [f'    """{summary}"""']
    return "\n".join(lines).rstrip()


@cache
def _imports(module: str) -> dict[str, ast.Import | ast.ImportFrom]:
    """Name -> the statement with which a module imports it from a library."""
    statements: dict[str, ast.Import | ast.ImportFrom] = {}
    for node in ast.parse(inspect.getsource(importlib.import_module(module))).body:
        if isinstance(node, ast.Import):
            statements |= {(alias.asname or alias.name).split(".")[0]: ast.Import([alias]) for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and not (node.module or "").startswith(COURSE):
            statements |= {alias.asname or alias.name: ast.ImportFrom(node.module, [alias], 0) for alias in node.names}
    return statements


def _add(definition: Definition, file: File) -> None:
    """Add a definition and all that it needs. Raises NotPortable: something is not in these modules."""
    if definition.name in file.texts:
        return
    file.texts[definition.name] = definition.text
    for name in sorted(needs(definition.text)):
        if name in _definitions():
            _add(_definitions()[name], file)
        elif name in _imports(definition.module):
            _add_import(name, _imports(definition.module)[name], file)
        else:
            raise NotPortable(f"it needs {name} of the course")


def _add_import(name: str, node: ast.stmt, file: File) -> None:
    file.imports[name] = ast.unparse(node)


# --- the text --------------------------------------------------------------------------------------------------------


def _written(file: File, by: str) -> tuple[str, dict[str, range]]:
    """The whole text, and exercise -> its line numbers."""
    own = sum(mark == "# yours" for mark in file.marks.values())
    name = "".join(letter for letter in by if letter.isprintable() and letter not in '"\\')[:60] or "you"
    head = f'''"""AlphaZero: tic-tac-toe, from random weights to a player that is proven never to lose. NumPy and PyTorch, nothing else.

    python {FILE} [SEED]

{whose(name, own)} The comment above each says whose it is.
All that has no such comment is the course's (MIT License).
"""

from __future__ import annotations
'''
    parts = [head + "\n" + _import_lines(file.imports)]
    places: dict[str, range] = {}
    for title, names in _in_sections(file):
        parts.append(f"# --- {title} {'-' * (112 - len(title))}")
        for symbol in names:
            mark = f"{file.marks[symbol]}\n" if symbol in file.marks else ""
            first = "\n\n\n".join(parts).count("\n") + 4
            parts.append(f"{mark}{file.texts[symbol].strip()}")
            places[symbol] = range(first, first + parts[-1].count("\n") + 1)
    main = inspect.getsource(importlib.import_module(PLAIN)).partition('if __name__ == "__main__":')
    return "\n\n\n".join([*parts, "".join(main[1:])]), {name: places[name] for name in file.marks}


def _in_sections(file: File) -> Iterator[tuple[str, list[str]]]:
    """Yield (title, names) in the order of the modules and of their lines, so that constants and classes come before
    their uses.
    """
    for title, places in SECTIONS.items():
        names = []
        for place in places:
            defined = [
                definition.name for definition in _definitions().values() if definition.module == f"{COURSE}.{place}"
            ]
            names += [name for name in (defined if "." in place else [place]) if name in file.texts]
        yield title, names


def _import_lines(imports: dict[str, str]) -> str:
    """The import lines: the standard library first, then the libraries."""
    groups: list[list[str]] = [[], []]
    from_modules: dict[str, list[str]] = {}
    for statement in {**imports, "sys": "import sys", "torch": "import torch"}.values():
        [node] = ast.parse(statement).body
        if isinstance(node, ast.ImportFrom):
            from_modules.setdefault(node.module or "", []).extend(map(ast.unparse, node.names))
        else:
            groups[statement.split()[1].split(".")[0] in LIBRARIES].append(statement)
    for group in groups:
        group.sort()
    for module, names in sorted(from_modules.items()):
        groups[module.split(".")[0] in LIBRARIES].append(f"from {module} import {', '.join(sorted(set(names)))}")
    return "\n\n".join("\n".join(dict.fromkeys(group)) for group in groups)


def _fails_to_load(text: str, lines: dict[str, range]) -> dict[str, str]:
    """Import the text, and return {exercise: reason} if an answer makes the import fail; {} if it succeeds.

    Errors from lines that belong to no answer are raised.
    """
    module = ModuleType("my_alphazero")
    sys.modules[module.__name__] = module  # dataclasses look for their module there
    try:
        exec(compile(text, FILE, "exec", dont_inherit=True), vars(module))
    except (Exception, SystemExit) as error:
        frames = [frame.lineno for frame in traceback.extract_tb(error.__traceback__) if frame.filename == FILE]
        number = (
            error.lineno if isinstance(error, SyntaxError) else frames[0]
        )  # of the file's own line, not of what it calls
        for name, those in lines.items():
            if number in those:
                return {name: f"there it raises {type(error).__name__}"}
        raise
    finally:
        del sys.modules[module.__name__]
    return {name: "there it is no function" for name in lines if not callable(getattr(module, name, None))}


def write(path: Path, by: str = "you") -> None:
    """Write the file. Raises OSError: it can't be written."""
    from course_utils.files import write_atomically

    write_atomically(path, one_file(by))
