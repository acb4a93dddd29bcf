"""What an answer's source reaches for that no answer needs: the course's own version, the checks, Python's frames and modules.

It reads the source and runs nothing. Somebody who means to hide finds a way past it; a person looks at what it names, nobody loses a mark by it
alone. In a notebook only the course's own version is named, since who studies alone may look anywhere.
"""

import ast
import sys
from collections.abc import Iterator

MODULES = {  # that an answer has no use for, by what they give access to
    **dict.fromkeys(("inspect", "gc", "traceback", "dis", "code", "codeop", "faulthandler", "tracemalloc"), "Python's frames"),
    **dict.fromkeys(("pdb", "bdb", "trace", "cProfile", "profile", "timeit", "doctest", "linecache"), "Python's frames"),
    **dict.fromkeys(("sys.modules", "importlib", "imp", "runpy", "pkgutil", "builtins", "marshal", "ctypes", "_ctypes", "cffi"), "Python's modules"),
    **dict.fromkeys(("os", "posix", "shutil", "pathlib", "tempfile", "glob", "io", "fileinput", "mmap", "fcntl"), "files"),
    **dict.fromkeys(("subprocess", "multiprocessing", "concurrent", "signal", "pty", "resource", "atexit"), "other processes"),
    **dict.fromkeys(("threading", "_thread", "asyncio"), "threads"),
    **dict.fromkeys(("socket", "ssl", "urllib", "http", "requests", "httpx", "ftplib", "smtplib", "zmq"), "the network"),
    **dict.fromkeys(("IPython", "ipykernel", "jupyter_client", "nbclient", "traitlets"), "the notebook's machinery"),
    **dict.fromkeys(("hypothesis", "pytest", "unittest", "mock", "course_utils.tests"), "the checks"),
    **dict.fromkeys(("course_utils.exercise", "course_utils.record", "course_utils.course"), "the references"),
    **dict.fromkeys(("pickle", "dill", "cloudpickle", "shelve"), "code that is stored as data"),
}  # fmt: skip
ATTRIBUTES = {
    *("_getframe", "_current_frames", "settrace", "setprofile", "f_back", "f_locals", "f_globals", "f_code", "f_builtins", "tb_frame"),
    *("gi_frame", "cr_frame", "ag_frame", "meta_path", "path_hooks", "displayhook", "excepthook"),
    *("__globals__", "__code__", "__closure__", "__wrapped__", "__subclasses__", "__builtins__", "__import__", "__loader__"),
    *("__spec__", "__getattribute__", "__reduce__", "__reduce_ex__", "__mro__", "__base__", "__bases__", "cell_contents"),
    *("__setattr__", "__delattr__"),
    *("EXERCISES", "CHECKS", "LEARNERS", "run_case", "ctypeslib", "f2py", "sys", "os", "builtins"),
}  # fmt: skip
NAMES = {
    "exec",
    "eval",
    "compile",
    "__import__",
    "globals",
    "open",
    "breakpoint",
    "delattr",
    "__builtins__",
    "__loader__",
}
NAMES |= {"In", "Out", "_ih", "_oh", "EXERCISES", "CHECKS", "LEARNERS", "get_ipython"}
CHANGED_BY = {
    "setattr": 1,
    "getattr": 1,
    "attrgetter": 0,
    "methodcaller": 0,
}  # which argument is a name; one that is put together is odd


def found(source: str) -> list[str]:
    """A sentence's end for each thing: "it reaches for Python's frames: `sys._getframe` (line 3)"."""
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return []
    imported = _imported(tree)
    sentences = [f"{what} (line {node.lineno})" for node, what in _reaches(tree, imported)]  # type: ignore[attr-defined]  # only of nodes that have a line
    return list(dict.fromkeys(sentences))


def _imported(tree: ast.Module) -> set[str]:
    """The names that stand for modules or for what was imported from one."""
    names = {"np", "torch", "math"}
    for node in ast.walk(tree):
        if isinstance(node, ast.Import | ast.ImportFrom):
            names |= {(alias.asname or alias.name).split(".")[0] for alias in node.names}
    return names


def _reaches(tree: ast.Module, imported: set[str]) -> Iterator[tuple[ast.AST, str]]:
    for node in ast.walk(tree):
        match node:
            case ast.Import(names=aliases):
                for alias in aliases:
                    if _idle(tree, alias, alias.name):
                        continue
                    if what := _module(alias.name) or ("the references" if alias.name == "course_utils" else ""):
                        yield node, f"it reaches for {what}: `import {alias.name}`"
            case ast.ImportFrom(module=module, names=aliases) if module:
                for alias in aliases:
                    if (module, alias.name) == ("course_utils", "tests") and not _reads(tree, alias.asname or "tests"):
                        continue  # the line that every check cell begins with
                    if module == "IPython.display" or _idle(tree, alias, module):
                        continue
                    if what := _module(module) or _module(f"{module}.{alias.name}"):
                        yield node, f"it reaches for {what}: `from {module} import {alias.name}`"
            case ast.Attribute(value=ast.Name("sys"), attr="modules"):
                yield node, "it reaches for Python's modules: `sys.modules`"
            case ast.Attribute(attr="__dict__") if _root(node) in imported | {""}:
                yield node, f"it changes what belongs to everybody: `{ast.unparse(node)}`"
            case ast.Attribute(attr=attr) if attr in ATTRIBUTES:
                yield node, f"it reaches for what is behind Python's objects: `.{attr}`"
            case ast.Name(id=name) if name in NAMES:
                yield node, f"it reaches for Python itself: `{name}`"
            case ast.Call(args=args) if (place := CHANGED_BY.get(_called(node), 9)) < len(args) and not _plain(
                args[place]
            ):
                yield node, f"it looks an attribute up by a name that it puts together: `{_called(node)}`"
            case ast.BinOp() if (text := _text(node)) in ATTRIBUTES | NAMES and text.startswith("_"):
                yield node, f"it names what is behind Python's objects: {text!r}, put together"
            case ast.Constant(value=str(text)) if text in ATTRIBUTES | NAMES and text.startswith("_"):
                yield node, f"it names what is behind Python's objects: {text!r}"
            case ast.ClassDef(bases=bases, body=body):
                rigged = [one.name for one in body if isinstance(one, ast.FunctionDef) and one.name in COMPARISONS]
                if bases and rigged:
                    yield node, f"it makes objects that say themselves what they equal: `{node.name}.{rigged[0]}`"
        for target in _targets(node):
            root = _root(target)
            if isinstance(target, ast.Subscript) and ast.unparse(target.value).endswith("rcParams"):
                continue  # how figures look
            attribute = isinstance(target, ast.Attribute) and (root in imported or root == "")
            entry = isinstance(target, ast.Subscript) and (root in imported or root == "")
            if attribute or entry:
                yield node, f"it changes what belongs to everybody: `{ast.unparse(target)}`"


COMPARING = {f"__{name}__" for name in ("eq", "ne", "lt", "le", "gt", "ge", "sub", "rsub", "abs", "float")}
COMPARING |= {
    "__array__",
    "__array_function__",
    "__array_ufunc__",
    "__class__",
    "__getattribute__",
}  # what says how it compares
COMPARISONS = COMPARING | {"__instancecheck__", "__hash__"}


def _idle(tree: ast.Module, alias: ast.alias, module: str) -> bool:
    """Whether a module of Python's is imported and never used: a habit, and no reach."""
    name = (alias.asname or alias.name).partition(".")[0]
    return module.partition(".")[0] in sys.stdlib_module_names and name != "*" and not _reads(tree, name)


def _module(name: str) -> str:
    parts = name.split(".")
    return next((MODULES[".".join(parts[:n])] for n in range(1, len(parts) + 1) if ".".join(parts[:n]) in MODULES), "")


def _reads(tree: ast.Module, name: str) -> bool:
    return any(isinstance(node, ast.Name) and node.id == name for node in ast.walk(tree))


def _plain(key: ast.expr) -> bool:
    """A name that is written down, or kept in a variable: whoever goes through a few attributes does that. Not one put together."""
    if isinstance(key, ast.Constant):
        return isinstance(key.value, str) and not key.value.startswith("__")
    return isinstance(key, ast.Name | ast.Attribute)


def _called(call: ast.Call) -> str:
    return getattr(call.func, "attr", getattr(call.func, "id", ""))


def _text(node: ast.expr) -> str:
    """The text that a sum of texts comes to; "" for others."""
    match node:
        case ast.Constant(value=str(text)):
            return text
        case ast.BinOp(left, ast.Add(), right):
            one, other = _text(left), _text(right)
            return one + other if one and other else ""
    return ""


def _targets(node: ast.AST) -> list[ast.expr]:
    match node:
        case ast.Assign(targets=targets) | ast.Delete(targets=targets):
            return targets
        case ast.AugAssign(target=target) | ast.AnnAssign(target=target):
            return [target]
        case ast.Call(func=ast.Name(id="setattr"), args=[owner, ast.Constant(value=str(name)), _]) if (
            name.isidentifier()
        ):
            return [ast.Attribute(owner, name, ast.Store())]
    return []


def _root(target: ast.expr) -> str:
    """The name that `a.b[c].d` begins with; "" for a class or a module's dictionary, as in `type(x).y`; "?" for others."""
    while isinstance(target, ast.Attribute | ast.Subscript):
        target = target.value
    if isinstance(target, ast.Call):
        return "" if isinstance(target.func, ast.Name) and target.func.id in ("type", "super", "vars") else "?"
    return target.id if isinstance(target, ast.Name) else "?"


# --- the course's own version ------------------------------------------------------------------------------------------

TWINS = {"mcts_search": "search_on"}  # what else of the course does the work of an exercise, and goes by another name


def ours(exercise: str, source: str) -> str:
    """How the source takes the course's own version of the exercise, as a piece of code; "" if it does not."""
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return ""
    own = {node.name for node in tree.body if isinstance(node, ast.FunctionDef | ast.ClassDef)}
    twin = {TWINS[exercise]} if exercise in TWINS else set()
    modules: set[str] = set()
    for node in ast.walk(tree):
        match node:
            case ast.ImportFrom(module=str(module), names=aliases) if module.split(".")[0] == "course_utils":
                for alias in aliases:
                    name = alias.asname or alias.name
                    if alias.name in {exercise} | twin and not (name == alias.name and name in own):
                        return f"from {module} import {alias.name}"
                    modules.add(name)
            case ast.Import(names=aliases):
                modules |= {
                    (a.asname or a.name).split(".")[0] for a in aliases if a.name.split(".")[0] == "course_utils"
                }
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and node.attr in {exercise} | twin and _root(node) in modules:
            return ast.unparse(node)
        if isinstance(node, ast.Name) and node.id in twin - own:
            return node.id
        if isinstance(node, ast.Subscript) and ast.unparse(node) == f"EXERCISES['{exercise}']":
            return ast.unparse(node)
    return ""
