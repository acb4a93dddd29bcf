"""`my_alphazero.py`: the learner's AlphaZero in one file, which trains and proves tic-tac-toe without the course.

The 21 functions of the main road are the learner's where they have passed, and the course's elsewhere. What they need beside it is
copied from the package as far as they need it: each definition is found by name, beginning with `train` and `prove` of `plain.py`.
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
BEGIN = ("train", "prove")  # what else is in the file, they need
LIBRARIES = ("numpy", "torch")
SECTIONS = {  # title -> where its definitions come from: modules, and names of `plain.py`
    "the game": ("games.tictactoe", "games.protocol", "TicTacToe", "Game"),
    "the network": ("networks.protocol", "networks.policy_value"),
    "the search": ("search.puct", "SearchAgent"),
    "self-play": ("learning.examples", "learning.self_play"),
    "matches, and all games that can be played": ("learning.arena",),
    "training": ("learning.config", "Run", "learning.training"),
    "training and proving": ("losing_lines", "train", "prove"),
}
LEFT_OUT = {"TorchNetwork": ("settings",), "TrainingConfig": ("__post_init__", "__repr__")}  # methods
ROAD = [name for name, one in EXERCISES.items() if one.notebook < "10"]


@dataclass(frozen=True)
class Definition:
    """A function, class or constant of the package."""

    name: str
    module: str
    text: str


@dataclass
class File:
    """The file as it grows.

    Attributes:
        texts: name -> its text; of an exercise the version that is in the file.
        imports: name -> the statement that imports it from a library.
        marks: exercise -> the comment above it.
    """

    texts: dict[str, str] = field(default_factory=dict)
    imports: dict[str, str] = field(default_factory=dict)
    marks: dict[str, str] = field(default_factory=dict)


def one_file(by: str = "you") -> str:
    """The file's text, with the answers that are in force now.

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
    """A sentence on who wrote the functions."""
    if not own:
        return f"All {len(ROAD)} functions are the course's."
    others = "" if own == len(ROAD) else f"; the other{'s are' if len(ROAD) - own > 1 else ' is'} the course's"
    return f"{own} of the {len(ROAD)} functions {'is' if own == 1 else 'are'} by {by}{others}."


def _put_together(refused: dict[str, str]) -> File:
    """Args: refused: exercise -> why the learner's answer can't be in the file."""
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
        answer.body[:0] = [f"{one} = sys.modules[__name__]" for one in sorted(answer.itself)]
        answer.imports["sys"] = "import sys"
    for imported, statement in answer.imports.items():
        library = statement.split()[1].split(".")[0]
        if library not in (*LIBRARIES, *sys.stdlib_module_names):
            raise NotPortable(f"it needs {library}")
        if imported == name or trial.imports.setdefault(imported, statement) != statement or imported in _definitions():
            answer.body.insert(0, statement)
    trial.texts[name] = answer.function(name)
    module = importlib.import_module(EXERCISES[name].module)
    for one in sorted(answer.course | answer.open):
        if one in _definitions():
            _add(_definitions()[one], trial)
        elif one in _imports(module.__name__):
            _add_import(one, _imports(module.__name__)[one], trial)
        elif one in answer.course or hasattr(module, one):
            raise NotPortable(f"it needs {one} of the course")
    file.texts, file.imports = trial.texts, trial.imports


# --- what the package has ----------------------------------------------------------------------------------------------


@cache
def _definitions() -> dict[str, Definition]:
    """Name -> what it is, of all modules of the sections; what `plain.py` has comes before the package's own."""
    modules = [f"{COURSE}.{place}" for places in SECTIONS.values() for place in places if "." in place]
    return {one.name: one for module in (*modules, PLAIN) for one in _defined_in(module)}


def _defined_in(module: str) -> Iterator[Definition]:
    source = inspect.getsource(importlib.import_module(module))
    for node in ast.parse(source).body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef | ast.Assign | ast.AnnAssign):
            first = min([node.lineno, *(one.lineno for one in getattr(node, "decorator_list", []))])
            text = "\n".join(source.splitlines()[first - 1 : node.end_lineno])
            for name in defines(text):
                yield Definition(name, module, _shortened(name, reference(name) if name in EXERCISES else text))


def _shortened(name: str, text: str) -> str:
    """Without methods that are left out; then only the first sentence of the docstring is true."""
    if name not in LEFT_OUT:
        return text
    lines, [kind] = text.splitlines(), ast.parse(text).body
    assert isinstance(kind, ast.ClassDef) and isinstance(kind.body[0], ast.Expr)
    for node in reversed(kind.body):
        if isinstance(node, ast.FunctionDef) and node.name in LEFT_OUT[name]:
            first = min([node.lineno, *(one.lineno for one in node.decorator_list)])
            del lines[first - 1 : node.end_lineno]
    said = (ast.get_docstring(kind) or "").split("\n\n")[0]
    lines[kind.body[0].lineno - 1 : kind.body[0].end_lineno] = [f'    """{said}"""']
    return "\n".join(lines).rstrip()


@cache
def _imports(module: str) -> dict[str, ast.Import | ast.ImportFrom]:
    """Name -> the statement of a module that imports it from a library."""
    found: dict[str, ast.Import | ast.ImportFrom] = {}
    for node in ast.parse(inspect.getsource(importlib.import_module(module))).body:
        if isinstance(node, ast.Import):
            found |= {(one.asname or one.name).split(".")[0]: ast.Import([one]) for one in node.names}
        elif isinstance(node, ast.ImportFrom) and not (node.module or "").startswith(COURSE):
            found |= {one.asname or one.name: ast.ImportFrom(node.module, [one], 0) for one in node.names}
    return found


def _add(definition: Definition, file: File) -> None:
    """With all that it needs. Raises NotPortable: that is not in these modules."""
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


# --- the text ----------------------------------------------------------------------------------------------------------


def _written(file: File, by: str) -> tuple[str, dict[str, range]]:
    """The whole text, and exercise -> its lines."""
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
        for one in names:
            mark = f"{file.marks[one]}\n" if one in file.marks else ""
            first = "\n\n\n".join(parts).count("\n") + 4
            parts.append(f"{mark}{file.texts[one].strip()}")
            places[one] = range(first, first + parts[-1].count("\n") + 1)
    main = inspect.getsource(importlib.import_module(PLAIN)).partition('if __name__ == "__main__":')
    return "\n\n\n".join([*parts, "".join(main[1:])]), {name: places[name] for name in file.marks}


def _in_sections(file: File) -> Iterator[tuple[str, list[str]]]:
    """(title, names), in the order of the modules and, within one, of its lines; constants and classes before functions need them."""
    for title, places in SECTIONS.items():
        found = []
        for place in places:
            here = [one.name for one in _definitions().values() if one.module == f"{COURSE}.{place}"]
            found += [name for name in (here if "." in place else [place]) if name in file.texts]
        yield title, found


def _import_lines(imports: dict[str, str]) -> str:
    """Python's own first, then the others."""
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
    """{exercise: why} of an answer with which the file can't be imported; {} where it can.

    Raises whatever is raised by lines that are not an answer.
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
    """Raises OSError: it can't be written."""
    from course_utils.files import write_atomically

    write_atomically(path, one_file(by))
