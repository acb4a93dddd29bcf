"""The package as an answer's process gets it: the exercise's own module and what that imports, with stubs for the exercise itself and for later ones."""

import ast
from functools import cache
from pathlib import Path

from course_utils.exercise import EXERCISES
from course_utils.paths import PACKAGE

READ_BY_MINE = ("course_utils/agents/search.py", "course_utils/agents/uct.py")
ALWAYS = ("exercise", "mine", "record", "files", "names", "paths", "platform")  # what finds the learner's other answers
MACHINERY = ("course.classroom.nursery", "course.classroom.wire", "course.classroom.answerer")
GAMES = "course_utils.games."
STUB = 'raise NotImplementedError("{name} is not here: it is what you write")'


@cache
def modules(exercise: str) -> frozenset[str]:
    """Their names, packages included."""
    found = {f"course_utils.{name}" for name in ALWAYS}
    left = [EXERCISES[exercise].module]
    while left:
        name = left.pop()
        if name not in found and _path(name) is not None:
            found.add(name)
            left += _imports(name)
    return frozenset(found)


def package(exercise: str) -> dict[str, str]:
    """File -> its text, by its path from the package's parent."""
    files = {}
    for name in modules(exercise):
        path = _path(name)
        assert path is not None
        files[str(path.relative_to(PACKAGE.parent))] = _without(exercise, name, path.read_text("utf-8"))
    return _with_folders(dict.fromkeys(READ_BY_MINE, "") | files)


@cache
def machinery() -> dict[str, str]:
    """What the process itself runs on."""
    files = {f"course_utils/{name.replace('.', '/')}.py": "" for name in MACHINERY}
    return _with_folders({file: (PACKAGE.parent / file).read_text("utf-8") for file in files})


def _with_folders(files: dict[str, str]) -> dict[str, str]:
    """Each folder is a package, empty if nothing of it is asked for."""
    folders = {str(parent / "__init__.py") for file in files for parent in Path(file).parents if parent.name}
    init = {"course_utils/__init__.py": (PACKAGE / "__init__.py").read_text("utf-8")}
    return {**dict.fromkeys(folders, ""), **init, **files}


def _path(name: str) -> Path | None:
    place = PACKAGE.parent / name.replace(".", "/")
    return next((path for path in (place.with_suffix(".py"), place / "__init__.py") if path.exists()), None)


def _imports(name: str) -> set[str]:
    """The modules that it names in an import."""
    path, found = _path(name), set()
    assert path is not None
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            found |= {node.module, *(f"{node.module}.{alias.name}" for alias in node.names)}
    return {one for one in found if one.startswith("course_utils.")}


def _without(exercise: str, module: str, text: str) -> str:
    """Its source, the bodies of these exercises replaced: of a game's rules only where the rules are what is asked for."""
    asked = EXERCISES[exercise]
    rules = module.startswith(GAMES) and not asked.module.startswith(GAMES)
    gone = {
        one.name
        for one in EXERCISES.values()
        if one.module == module and (one.name == exercise or (one.notebook > asked.notebook and not rules))
    }
    lines = text.splitlines(keepends=True)
    for node in reversed(ast.parse(text).body):
        if isinstance(node, ast.FunctionDef) and node.name in gone:
            first, last = node.body[0].lineno, node.body[-1].end_lineno
            lines[first - 1 : last] = [f"    {STUB.format(name=node.name)}\n"]
    return "".join(lines)
