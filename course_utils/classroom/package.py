"""The course as an answer's process finds it: the whole package, but for the body of what is asked for, and for all checks. Of these it gets
what the scenes name.
"""

import ast
import builtins
import copy
import inspect
import shutil
from collections.abc import Iterable
from fnmatch import fnmatch
from functools import cache
from pathlib import Path

from course_utils.exercise import EXERCISES
from course_utils.names import defines
from course_utils.paths import PACKAGE
from course_utils.tests.grade import CHECKS
from course_utils.tests.reach import TWINS
from course_utils.tests.scene import home_of

CHECKS_LIE_IN = "notebook_*"  # folders of course_utils/tests: right and wrong answers stand there, too
STUB = 'raise NotImplementedError("{name} is not here: it is what you write")'
ASKED = ("returns", "changes", "fresh")  # of a check: what is asked of each call, which is no secret


class Package:
    """One folder that holds it, for one exercise after the other."""

    def __init__(self, folder: Path):
        self.folder = folder
        self.added: set[Path] = set()
        without = shutil.ignore_patterns("__pycache__", CHECKS_LIE_IN)
        shutil.copytree(PACKAGE, folder / PACKAGE.name, ignore=without)

    def prepare(self, exercise: str, scenes: Iterable[str]) -> dict[str, str]:
        """Take the exercise's body out, and bring what its scenes name.

        Returns:
            name in a scene -> the module it comes from; "module numpy" where it is a module itself.
        """
        for path in self.added:  # the exercise before
            path.unlink()
            if (ours := PACKAGE.parent / path.relative_to(self.folder)).exists() and "tests" not in path.parts:
                shutil.copy(ours, path)
        homes = homes_of_names(exercise, scenes)
        files = {**helpers(exercise, homes), _file(EXERCISES[exercise].module): without_body(exercise)}
        for file, text in files.items():
            path = self.folder / file
            path.parent.mkdir(parents=True, exist_ok=True)
            path.parent.chmod(0o755)  # others read it, whatever the umask
            path.write_text(text, "utf-8")
            path.chmod(0o644)
        self.added = {self.folder / file for file in files}
        return homes


def _file(module: str) -> str:
    path = PACKAGE.parent / module.replace(".", "/")
    found = path / "__init__.py" if path.is_dir() else path.with_suffix(".py")
    return str(found.relative_to(PACKAGE.parent))


def _text(module: str) -> str:
    return (PACKAGE.parent / _file(module)).read_text("utf-8")


@cache
def _body(module: str) -> list[ast.stmt]:
    return ast.parse(_text(module)).body


def without_body(exercise: str) -> str:
    """The module of the reference, which keeps its docstring and loses its lines; and a twin that does the same work loses its own."""
    text = _text(EXERCISES[exercise].module)
    lines, names = text.splitlines(keepends=True), {exercise, TWINS.get(exercise)}
    functions = [one for one in ast.parse(text).body if isinstance(one, ast.FunctionDef) and one.name in names]
    for function in reversed(functions):  # from below, so that the numbers of lines above stay right
        first, last = function.body[0], function.body[-1]
        documented = isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant) and len(function.body) > 1
        begin = (first.end_lineno or 0) if documented else first.lineno - 1
        lines[begin : last.end_lineno] = [f"    {STUB.format(name=exercise)}\n"]
    return "".join(lines)


def homes_of_names(exercise: str, scenes: Iterable[str]) -> dict[str, str]:
    check = CHECKS[exercise]
    used = {node.id for lines in scenes for node in ast.walk(ast.parse(lines)) if isinstance(node, ast.Name)}
    homes = {}
    for name in sorted((used & check.names.keys()) - vars(builtins).keys() - {"np", exercise}):
        value = check.names[name]
        is_module = inspect.ismodule(value)
        homes[name] = f"module {value.__name__}" if is_module else home_of(name, value, check.names["__name__"])
    return homes


# --- of the checks what the scenes name ----------------------------------------------------------------------------------


def helpers(exercise: str, homes: dict[str, str]) -> dict[str, str]:
    """File -> its text: of the modules of checks the statements that these names need, and nothing else.

    The exercise's own file ends in `ASKED = dict(returns=..., changes=..., fresh=...)`.
    """
    own = CHECKS[exercise].names["__name__"]
    asked = _asked(own)
    kept: dict[str, set[int]] = {own: set()}
    wanted = [(own, one.id) for node in asked.values() for one in ast.walk(node) if isinstance(one, ast.Name)]
    wanted += [(home, name) for name, home in homes.items()]
    done = set()
    while wanted:
        module, name = wanted.pop()
        if (module, name) in done or not _is_of_a_check(module):
            continue
        done.add((module, name))
        body = _body(module)
        place = next((number for number, node in enumerate(body) if name in defines(ast.unparse(node))), None)
        if place is None:  # one of Python's own names, or a part of a package
            continue
        kept.setdefault(module, set()).add(place)
        node = body[place]
        if isinstance(node, ast.ImportFrom) and node.module:
            original = next(one.name for one in node.names if (one.asname or one.name) == name)
            wanted.append((node.module, original))
            whole = f"{node.module}.{original}"
            wanted += (
                [(whole, each) for each in defines(_text(whole))] if _is_of_a_check(whole) and _exists(whole) else []
            )
        elif not isinstance(node, ast.Import):
            wanted += [(module, one.id) for one in ast.walk(node) if isinstance(one, ast.Name)]
    files = {_file(module): _statements(module, places, done) for module, places in kept.items()}
    calls = ", ".join(f"{key}={ast.unparse(node)}" for key, node in asked.items())
    files[_file(own)] += f"\nASKED = dict({calls})\n"
    folders = {
        str(parent / "__init__.py") for file in files for parent in Path(file).parents if "tests" in parent.parts[1:]
    }
    return dict.fromkeys(folders - {"course_utils/tests/__init__.py"}, "") | files


def _asked(module: str) -> dict[str, ast.expr]:
    """The arguments of `CHECK = Scenes(...)` that say what is asked of each call."""
    for node in _body(module):
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Call) and "CHECK" in defines(ast.unparse(node)):
            return {one.arg: one.value for one in node.value.keywords if one.arg in ASKED}
    raise ValueError(f"{module} has no CHECK")


def _is_of_a_check(module: str) -> bool:
    """Whether its file is not in the package as it is laid out."""
    return any(fnmatch(part, CHECKS_LIE_IN) for part in module.split("."))


def _exists(module: str) -> bool:
    path = PACKAGE.parent / module.replace(".", "/")
    return path.is_dir() or path.with_suffix(".py").exists()


def _statements(module: str, places: set[int], wanted: set[tuple[str, str]]) -> str:
    """Those of the module at these places; of imports the names that are wanted."""
    lines = []
    for place in sorted(places):
        node = copy.deepcopy(_body(module)[place])
        if isinstance(node, ast.Import | ast.ImportFrom):
            node.names = [one for one in node.names if (module, one.asname or one.name.partition(".")[0]) in wanted]
        lines.append(ast.unparse(node))
    return "\n".join(lines) + "\n"
