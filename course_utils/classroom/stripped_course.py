"""The course as an answer's process finds it: without the body of the exercise, and without the checks.

Of the checks' modules it holds those statements alone that the scenes need.
"""

import ast
import builtins
import copy
import inspect
import shutil
from collections.abc import Iterable, Iterator
from fnmatch import fnmatch
from functools import cache
from pathlib import Path

from course_utils.exercise import EXERCISES
from course_utils.names import defines
from course_utils.paths import PACKAGE
from course_utils.tests.grade import CHECKS
from course_utils.tests.reach import TWINS
from course_utils.tests.scene import home_of

CHECKS_LIE_IN = "notebook_*"  # folders of course_utils/tests: right and wrong answers are there, too
STUB = 'raise NotImplementedError("{name} is not here: it is what you write")'
ASKED = ("returns", "changes", "fresh")  # of a check: what is asked of each call, which is no secret
Statement = tuple[str, int]  # a module, and a place in its body


class StrippedCourse:
    """A copy of the package, prepared for one exercise after the other."""

    def __init__(self, folder: Path):
        """
        Args:
            folder: in which the package will lie.
        """
        self.folder, self.package = folder, folder / PACKAGE.name
        self.added: set[Path] = set()
        shutil.copytree(PACKAGE, self.package, ignore=shutil.ignore_patterns("__pycache__", CHECKS_LIE_IN))

    def prepare(self, exercise: str, scenes: Iterable[str]) -> dict[str, str]:
        """Take the exercise's body out, and add what its scenes name.

        Returns:
            name in a scene -> the module it comes from; "module numpy" if it is a module itself.
        """
        self._undo()
        modules = modules_of_names(exercise, scenes)
        files = {**check_files(exercise, modules), _file(EXERCISES[exercise].module): without_body(exercise)}
        for file, text in files.items():
            path = self.folder / file
            path.parent.mkdir(parents=True, exist_ok=True)
            path.parent.chmod(0o755)  # others read it, whatever the umask
            path.write_text(text, "utf-8")
            path.chmod(0o644)
        self.added = {self.folder / file for file in files}
        return modules

    def _undo(self) -> None:
        """Put back what the exercise before changed."""
        for path in self.added:
            path.unlink()
            original = PACKAGE.parent / path.relative_to(self.folder)
            if original.exists() and "tests" not in path.parts:
                shutil.copy(original, path)


def without_body(exercise: str) -> str:
    """The module of the reference, which keeps its docstring and loses its lines.

    So does a twin that does the same work.
    """
    text = _text(EXERCISES[exercise].module)
    lines, names = text.splitlines(keepends=True), {exercise, TWINS.get(exercise)}
    functions = [node for node in ast.parse(text).body if isinstance(node, ast.FunctionDef) and node.name in names]
    for function in reversed(functions):  # from below, so that the numbers of lines above stay right
        first, last = function.body[0], function.body[-1]
        documented = isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant) and len(function.body) > 1
        begin = (first.end_lineno or 0) if documented else first.lineno - 1
        lines[begin : last.end_lineno] = [f"    {STUB.format(name=exercise)}\n"]
    return "".join(lines)


def modules_of_names(exercise: str, scenes: Iterable[str]) -> dict[str, str]:
    """Name in a scene -> its module, see `StrippedCourse.prepare`."""
    check = CHECKS[exercise]
    used = {node.id for lines in scenes for node in ast.walk(ast.parse(lines)) if isinstance(node, ast.Name)}
    modules = {}
    for name in sorted((used & check.names.keys()) - vars(builtins).keys() - {"np", exercise}):
        value = check.names[name]
        is_module = inspect.ismodule(value)
        modules[name] = f"module {value.__name__}" if is_module else home_of(name, value, check.names["__name__"])
    return modules


# --- of the checks what the scenes need -------------------------------------------------------------------------------


def check_files(exercise: str, modules: dict[str, str]) -> dict[str, str]:
    """File -> its text: of the checks' modules, the statements that these names need.

    The exercise's own file ends in `ASKED = dict(returns=..., changes=..., fresh=...)`.
    """
    own = CHECKS[exercise].names["__name__"]
    asked = _asked(own)
    wanted = {(own, name) for value in asked.values() for name in _names(value)}
    wanted = _with_all_they_need(wanted | {(module, name) for name, module in modules.items()})
    statements = {place for module, name in wanted if (place := _statement(module, name)) is not None}
    files = {
        _file(module): _kept(module, statements, wanted) for module in {own, *(module for module, _ in statements)}
    }
    files[_file(own)] += f"\nASKED = dict({', '.join(f'{key}={ast.unparse(value)}' for key, value in asked.items())})\n"
    folders = {parent for file in files for parent in Path(file).parents if "tests" in parent.parts[1:]}
    packages = {str(folder / "__init__.py") for folder in folders} - {"course_utils/tests/__init__.py"}
    return dict.fromkeys(packages, "") | files


def _asked(module: str) -> dict[str, ast.expr]:
    """The arguments of `CHECK = Scenes(...)` that say what is asked of each call."""
    for node in _body(module):
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Call) and "CHECK" in defines(ast.unparse(node)):
            return {keyword.arg: keyword.value for keyword in node.value.keywords if keyword.arg in ASKED}
    raise ValueError(f"{module} has no CHECK")


def _with_all_they_need(names: set[tuple[str, str]]) -> set[tuple[str, str]]:
    """These (module, name) of the checks, and those that their statements need, at any depth."""
    reached: set[tuple[str, str]] = set()
    waiting = [*names]
    while waiting:
        module, name = waiting.pop()
        if (module, name) not in reached and _is_of_a_check(module):
            reached.add((module, name))
            waiting += _needed_by(module, name)
    return reached


def _needed_by(module: str, name: str) -> Iterator[tuple[str, str]]:
    """The (module, name) that the statement needs which binds this name."""
    if (statement := _statement(module, name)) is None:
        return
    match _body(module)[statement[1]]:
        case ast.Import():
            return
        case ast.ImportFrom(source, aliases) if source:
            original = next(alias.name for alias in aliases if (alias.asname or alias.name) == name)
            yield source, original
            whole = f"{source}.{original}"  # a module itself: all that it defines
            if _is_of_a_check(whole) and _exists(whole):
                yield from ((whole, defined) for defined in defines(_text(whole)))
        case node:
            yield from ((module, used) for used in _names(node))


def _statement(module: str, name: str) -> Statement | None:
    """The one that binds the name; None for Python's own names, and for a module in a package."""
    return next(((module, place) for place, names in enumerate(_bound(module)) if name in names), None)


def _kept(module: str, statements: set[Statement], wanted: set[tuple[str, str]]) -> str:
    """The module's text, reduced to these statements; imports, to the wanted names."""
    lines = []
    for _, place in sorted(statement for statement in statements if statement[0] == module):
        node = copy.deepcopy(_body(module)[place])
        if isinstance(node, ast.Import | ast.ImportFrom):
            bound = [(alias, alias.asname or alias.name.partition(".")[0]) for alias in node.names]
            node.names = [alias for alias, name in bound if (module, name) in wanted]
        lines.append(ast.unparse(node))
    return "\n".join(lines) + "\n"


def _is_of_a_check(module: str) -> bool:
    """Whether its file is not in the package that is copied."""
    return any(fnmatch(folder, CHECKS_LIE_IN) for folder in module.split("."))


def _names(node: ast.AST) -> set[str]:
    return {name.id for name in ast.walk(node) if isinstance(name, ast.Name)}


@cache
def _body(module: str) -> list[ast.stmt]:
    return ast.parse(_text(module)).body


@cache
def _bound(module: str) -> list[set[str]]:
    """The names that each statement binds."""
    return [set(defines(ast.unparse(node))) for node in _body(module)]


def _exists(module: str) -> bool:
    path = PACKAGE.parent / module.replace(".", "/")
    return path.is_dir() or path.with_suffix(".py").exists()


def _text(module: str) -> str:
    return (PACKAGE.parent / _file(module)).read_text("utf-8")


def _file(module: str) -> str:
    path = PACKAGE.parent / module.replace(".", "/")
    file = path / "__init__.py" if path.is_dir() else path.with_suffix(".py")
    return str(file.relative_to(PACKAGE.parent))
