"""What of a learner's machine this one lacks: without it a right answer fails here, so a person has to look."""

import ast
import importlib.util
import re
import sys
from collections.abc import Iterable, Iterator
from importlib.machinery import PathFinder

from course_utils.answers.alone import Fresh
from course_utils.names import parsed

NEWER = re.compile(  # lines that Python reads since 3.12: type parameters, and quotes within the same quotes of an f-string
    r"""^\s*(?:def|class)\s+\w+\[|^\s*type\s+\w+(?:\[[^]]*])?\s*=|\bf(["'])[^"'{}\n]*\{[^{}"'\n]*\1[^"'\n]*\1[^}"'\n]*\}""",
    re.MULTILINE,
)
NO_FILE = re.compile(r"No such file or directory: '([^']+)'")
NO_GPU = re.compile(r"not compiled with CUDA|No CUDA GPUs|no NVIDIA driver|not linked with support for mps")
CANNOT_IMPORT = re.compile(r"(?:Import|ModuleNotFound)Error: ([^;]*)")


def lacking(versions: Iterable[Fresh], files: Iterable[str], reason: str = "") -> str:
    """The first thing that an answer asks for and this machine has not, in words; "" if there is none.

    Args:
        versions: of the answer.
        files: what was handed in and is not run.
        reason: why the answer failed here.
    """
    for fresh in versions:
        for cell in (*fresh.helpers, fresh.answer):
            where = f"cell {cell.number + 1} of {cell.notebook}"
            for name in _imports(cell.python):
                if not _is_here(name):
                    beside = [file for file in files if _last(file) == f"{name.partition('.')[0]}.py"]
                    handed_in = f"; {beside[0]} was handed in, and is not run" if beside else ""
                    return f"this machine has no {name}, which {where} imports{handed_in}"
            here = "{}.{}".format(*sys.version_info)
            if parsed(cell.python) is None and _numbers(cell.version) > sys.version_info[:2]:
                return f"this machine's Python {here} can't read {where}, which was saved by Python {cell.version}"
            if parsed(cell.python) is None and sys.version_info < (3, 12) and NEWER.search(cell.python):
                return f"this machine's Python {here} can't read {where}, which a newer one may"
    if NO_GPU.search(reason):
        return "this machine has no GPU, on which its cells compute"
    if (asked := NO_FILE.search(reason)) and (beside := [one for one in files if _last(one) == _last(asked[1])]):
        return f"its cells read {beside[0]}, which was handed in and does not lie where they run"
    return (
        f"this machine can't import what its cells import: {found[1]}"
        if (found := CANNOT_IMPORT.search(reason))
        else ""
    )


def _last(path: str) -> str:
    return path.replace("\\", "/").rpartition("/")[2]


def _imports(source: str) -> Iterator[str]:
    """The modules that are imported, but for those of a `try`, which goes on without them."""
    waiting: list[ast.AST] = [parsed(source) or ast.Module([], [])]
    while waiting:
        node = waiting.pop(0)
        match node:
            case ast.Import(names=aliases):
                yield from (alias.name for alias in aliases)
            case ast.ImportFrom(module=str(module), level=0):
                yield module
            case ast.Try():
                continue
        waiting += ast.iter_child_nodes(node)


def _is_here(module: str) -> bool:
    """Whether it is installed, as the files say: nothing is imported."""
    first, *others = module.split(".")
    try:
        spec = importlib.util.find_spec(first)
    except ValueError:  # what runs this process has none
        return True
    name = first
    for part in others:
        if spec is None or spec.submodule_search_locations is None:
            break
        name = f"{name}.{part}"
        spec = PathFinder.find_spec(name, spec.submodule_search_locations)
    return spec is not None


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in re.findall(r"\d+", version)[:2])
