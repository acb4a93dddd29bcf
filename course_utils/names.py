"""Which names a piece of Python binds, and which it takes from elsewhere. It reads and runs nothing."""

import ast
import builtins
import io
import re
import symtable
import warnings
from collections.abc import Callable, Iterator
from functools import lru_cache
from typing import Any

ALWAYS_THERE = {*dir(builtins), "get_ipython", "display", "__name__", "__file__"}


def parsed(source: str) -> ast.Module | None:
    """None where the source is not Python."""
    return _read(ast.parse, source)


@lru_cache(1000)
def _tables(source: str) -> list[symtable.SymbolTable]:
    """The source's own names, then those of its functions and classes; [] where it is not Python."""
    top = _read(lambda text: symtable.symtable(text, "cell", "exec"), source)
    return [] if top is None else list(_with_children(top))


def _with_children(table: symtable.SymbolTable) -> Iterator[symtable.SymbolTable]:
    yield table
    for child in table.get_children():
        yield from _with_children(child)


def _read(reader: Callable[[str], Any], source: str) -> Any:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return reader(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


@lru_cache(10_000)
def assigns(source: str) -> frozenset[str]:
    """The functions, classes and variables that a cell defines. Of what is not Python, the names after `def` and `class`."""
    if not (tables := _tables(source)):
        return frozenset(re.findall(r"^(?:async\s+)?(?:def|class)\s+(\w+)", source, re.MULTILINE))
    return frozenset(one.get_name() for one in tables[0].get_symbols() if one.is_assigned())


@lru_cache(10_000)
def sets_globally(source: str) -> frozenset[str]:
    """The names that its functions declare as global and assign."""
    inner = [one for table in _tables(source)[1:] for one in table.get_symbols()]
    return frozenset(one.get_name() for one in inner if one.is_declared_global() and one.is_assigned())


@lru_cache(10_000)
def makes(source: str) -> frozenset[str]:
    """Of the names that a cell assigns, those that may be functions or classes by the look of it: not `winner = "X"`."""
    tree = parsed(source)
    if tree is None:
        return assigns(source)
    found = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            found.add(node.name)
        elif isinstance(node, ast.Assign | ast.AnnAssign | ast.NamedExpr) and node.value is not None:
            for target in node.targets if isinstance(node, ast.Assign) else [node.target]:
                found |= {name for name, value in _paired(target, node.value) if _may_be_called(name, value)}
    return assigns(source) & found


def _paired(target: ast.expr, value: ast.expr) -> Iterator[tuple[str, ast.expr]]:
    """(name, what is assigned to it), of tuples part by part where they have as many."""
    if isinstance(target, ast.Name):
        yield target.id, value
    elif isinstance(target, ast.Tuple | ast.List):
        alike = isinstance(value, ast.Tuple | ast.List) and len(value.elts) == len(target.elts)
        for number, one in enumerate(target.elts):
            yield from _paired(one, value.elts[number] if alike else value)  # type: ignore[attr-defined]


NO_FUNCTION = (ast.Constant, ast.JoinedStr, ast.List, ast.Tuple, ast.Dict, ast.Set, ast.Compare, ast.BinOp, ast.UnaryOp)


def _may_be_called(name: str, value: ast.expr) -> bool:
    """Whether what is assigned may be a function: what a call, a condition or another name gives, unless it is made of what the name was."""
    reads_itself = any(isinstance(one, ast.Name) and one.id == name for one in ast.walk(value))
    return not isinstance(value, (*NO_FUNCTION, ast.ListComp, ast.GeneratorExp, ast.DictComp)) and not reads_itself


def lines_of(source: str) -> list[str]:
    """Its lines with their ends, as Python counts them: a form feed or one of Unicode's separators ends none."""
    return io.StringIO(source, newline=None).readlines()


@lru_cache(10_000)
def defines(source: str) -> frozenset[str]:
    """The names that a cell binds, imports included."""
    imported = {one.get_name() for table in _tables(source)[:1] for one in table.get_symbols() if one.is_imported()}
    return assigns(source) | imported


@lru_cache(10_000)
def reads(source: str) -> frozenset[str]:
    """The names that a cell looks up outside of its functions' own, builtins among them."""
    if not (tables := _tables(source)):
        return frozenset()
    read = {one.get_name() for one in tables[0].get_symbols() if one.is_referenced()}
    read |= {
        one.get_name() for table in tables[1:] for one in table.get_symbols() if one.is_global() and one.is_referenced()
    }
    changed = [
        node.target for node in ast.walk(parsed(source) or ast.Module([], [])) if isinstance(node, ast.AugAssign)
    ]
    return frozenset(read) | ({one.id for one in changed if isinstance(one, ast.Name)} & sets_globally(source))


def needs(source: str) -> frozenset[str]:
    """The names that a cell takes from elsewhere: what it reads, at its top level or inside its functions, and does not bind."""
    return reads(source) - defines(source) - ALWAYS_THERE
