"""Find the names that a piece of Python binds and needs, by parsing it without running it."""

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
    """Parse the source; None if it is not Python."""
    return _read(ast.parse, source)


@lru_cache(1000)
def _tables(source: str) -> list[symtable.SymbolTable]:
    """The symbol tables of the source and of its functions and classes; [] if it is not Python."""
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
    """The functions, classes and variables that a cell defines.

    In a text that is not Python, the names after `def` and `class`.
    """
    if not (tables := _tables(source)):
        return frozenset(re.findall(r"^(?:async\s+)?(?:def|class)\s+(\w+)", source, re.MULTILINE))
    return frozenset(symbol.get_name() for symbol in tables[0].get_symbols() if symbol.is_assigned())


@lru_cache(10_000)
def sets_globally(source: str) -> frozenset[str]:
    """The names that functions of the source declare as global and assign."""
    inner = [symbol for table in _tables(source)[1:] for symbol in table.get_symbols()]
    return frozenset(symbol.get_name() for symbol in inner if symbol.is_declared_global() and symbol.is_assigned())


@lru_cache(10_000)
def makes(source: str) -> frozenset[str]:
    """The names that a cell assigns and that may be functions or classes, judged by the syntax: not `winner = "X"`."""
    tree = parsed(source)
    if tree is None:
        return assigns(source)
    names = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            names.add(node.name)
        elif isinstance(node, ast.Assign | ast.AnnAssign | ast.NamedExpr) and node.value is not None:
            for target in node.targets if isinstance(node, ast.Assign) else [node.target]:
                names |= {name for name, value in _paired(target, node.value) if _may_be_called(name, value)}
    return assigns(source) & names


def _paired(target: ast.expr, value: ast.expr) -> Iterator[tuple[str, ast.expr]]:
    """Yield (name, assigned value), element by element for tuples of the same length."""
    if isinstance(target, ast.Name):
        yield target.id, value
    elif isinstance(target, ast.Tuple | ast.List):
        alike = isinstance(value, ast.Tuple | ast.List) and len(value.elts) == len(target.elts)
        for number, element in enumerate(target.elts):
            yield from _paired(element, value.elts[number] if alike else value)  # type: ignore[attr-defined]


NO_FUNCTION = (ast.Constant, ast.JoinedStr, ast.List, ast.Tuple, ast.Dict, ast.Set, ast.Compare, ast.BinOp, ast.UnaryOp)


def _may_be_called(name: str, value: ast.expr) -> bool:
    """Whether the assigned value may be a function: a call, a condition or another name, unless it reads the name
    itself.
    """
    reads_itself = any(isinstance(node, ast.Name) and node.id == name for node in ast.walk(value))
    return not isinstance(value, (*NO_FUNCTION, ast.ListComp, ast.GeneratorExp, ast.DictComp)) and not reads_itself


def lines_of(source: str) -> list[str]:
    """Split a source into lines as Python does: a form feed or a Unicode separator does not end a line."""
    return io.StringIO(source, newline=None).readlines()


@lru_cache(10_000)
def defines(source: str) -> frozenset[str]:
    """The names that a cell binds, imports included."""
    imported = {
        symbol.get_name() for table in _tables(source)[:1] for symbol in table.get_symbols() if symbol.is_imported()
    }
    return assigns(source) | imported


@lru_cache(10_000)
def reads(source: str) -> frozenset[str]:
    """The global names that a cell reads, including builtins."""
    if not (tables := _tables(source)):
        return frozenset()
    read = {symbol.get_name() for symbol in tables[0].get_symbols() if symbol.is_referenced()}
    read |= {
        symbol.get_name()
        for table in tables[1:]
        for symbol in table.get_symbols()
        if symbol.is_global() and symbol.is_referenced()
    }
    changed = [
        node.target for node in ast.walk(parsed(source) or ast.Module([], [])) if isinstance(node, ast.AugAssign)
    ]
    return frozenset(read) | ({node.id for node in changed if isinstance(node, ast.Name)} & sets_globally(source))


def needs(source: str) -> frozenset[str]:
    """The global names that a cell reads and does not bind, without builtins."""
    return reads(source) - defines(source) - ALWAYS_THERE
