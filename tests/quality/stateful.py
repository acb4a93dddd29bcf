"""Mutants that no change to a syntax tree makes: they remember, they know one size, one name, one game.

Each is a reference with a few lines around it. Which of them an exercise can have is told by one call of it: an
answer that returns a number may remember it, for instance, since nobody can tell.
"""

import ast
import inspect
import pickle
from collections.abc import Iterator
from typing import Any

import numpy as np

from course_utils.exercise import EXERCISES, using
from course_utils.tests.grade import CHECKS
from course_utils.tests.scene import Scenes

AROUND = """

import functools as _functools, pickle as _pickle
import numpy as np
_reference, _memory = {name}, {{}}

@_functools.wraps(_reference)
def {name}(*args, **kwargs):
{body}
"""

MEMOIZED = """\
    try:
        key = _pickle.dumps((args, kwargs))
    except Exception:
        return _reference(*args, **kwargs)
    if key not in _memory:
        _memory[key] = _reference(*args, **kwargs)
    return _memory[key]"""

ONE_BUFFER = """\
    def kept(value, place):
        if not isinstance(value, np.ndarray):
            return value
        buffer = _memory.setdefault((place, value.shape, value.dtype.str), np.empty_like(value))
        buffer[...] = value
        return buffer
    result = _reference(*args, **kwargs)
    if isinstance(result, tuple) and not hasattr(result, "_fields"):
        return tuple(kept(one, place) for place, one in enumerate(result))
    return kept(result, 0)"""

DETACHED = """\
    result = _reference(*args, **kwargs)
    return tuple(one.detach() for one in result) if isinstance(result, tuple) else result.detach()"""

KEPT_FOR_A_NODE = """\
    if "cached" not in _memory:
        _memory["cached"] = _functools.lru_cache(maxsize=None)(_reference)
    return _memory["cached"](*args, **kwargs)"""

ARGUMENT_CHANGED = """\
    result = _reference(*args, **kwargs)
    value = kwargs.get({parameter!r}, args[{place}] if len(args) > {place} else None)
    value[...] = value + 1 if value.dtype != bool else ~value
    return result"""

ONE_GAME = """\
    from course_utils.games import TicTacToe
    bound = inspect.signature(_reference).bind(*args, **kwargs)
    bound.arguments["game"] = {game}
    return _reference(*bound.args, **bound.kwargs)"""

OWN_CHANCE = """\
    bound = inspect.signature(_reference).bind(*args, **kwargs)
    bound.arguments["rng"] = np.random.default_rng({seed})
    return _reference(*bound.args, **bound.kwargs)"""


def stateful(exercise: str) -> Iterator[tuple[str, str]]:
    """(name, source) of each such mutant of an exercise."""
    source, check = EXERCISES[exercise].source, CHECKS[exercise]
    above = docstring_end(source)
    yield from ((f"loop at line {line - above} ends after nine rounds", text) for line, text in _capped(source))
    yield from ((f"parameter {name} renamed", text) for name, text in _renamed(source))
    arguments, result = next(_calls(check))

    def around(body: str, **parts) -> str:
        return (
            source + AROUND.format(name=exercise, body=body.format(**parts) if parts else body) + "\nimport inspect\n"
        )

    results = result if isinstance(result, tuple) and not hasattr(result, "_fields") else (result,)
    mutable = any(isinstance(value, np.ndarray | list | dict) or _is_tensor(value) for value in results)
    if (result is None or (check.fresh and mutable)) and _are_known_again(check):
        yield "memoized", around(MEMOIZED)
    if any(hasattr(value, "children") and value.__hash__ for value in arguments.values()):
        yield "what it first returned is kept for each node", around(KEPT_FOR_A_NODE)
    if check.fresh and any(isinstance(value, np.ndarray) for value in results):
        yield "one buffer handed out again", around(ONE_BUFFER)
    if all(_is_tensor(value) and value.requires_grad for value in results):
        yield "gradient stopped", around(DETACHED)
    for place, (name, value) in enumerate(arguments.items()):
        if isinstance(value, np.ndarray) and value.size and value.flags.writeable and name not in check.changes:
            yield f"argument {name} changed", around(ARGUMENT_CHANGED, parameter=name, place=place)
    if "game" in arguments:
        batched = hasattr(arguments["game"], "initial")
        yield (
            "tic-tac-toe whatever the game",
            around(ONE_GAME, game="TicTacToe().batched()" if batched else "TicTacToe()"),
        )
    if isinstance(arguments.get("rng"), np.random.Generator):
        yield "a generator of its own", around(OWN_CHANCE, seed=0)
        yield "a generator from nowhere", around(OWN_CHANCE, seed="")


def docstring_end(source: str) -> int:
    """The line on which the docstring of a reference ends."""
    function = next(node for node in ast.parse(source).body if isinstance(node, ast.FunctionDef))
    return function.body[0].end_lineno or 0


def _calls(check: Scenes) -> Iterator[tuple[dict[str, Any], Any]]:
    """(arguments, result) of the reference's calls in a few scenes."""
    reference, made = EXERCISES[check.exercise].reference, []

    def recorded(*args, **kwargs):
        result = reference(*args, **kwargs)
        made.append((dict(check.parameters.bind(*args, **kwargs).arguments), result))
        return result

    with using({}):
        for lines in check.some_scenes(0):
            check.play(lines, recorded)
            yield from made
            made.clear()


def _are_known_again(check: Scenes) -> bool:
    """Whether the same arguments, made twice, are the same to `pickle`: torch's modules are not."""
    try:
        first, second = (pickle.dumps(list(next(_calls(check))[0].values())) for _ in range(2))
    except Exception:
        return False
    return first == second


def _is_tensor(value: Any) -> bool:
    return hasattr(value, "detach") and hasattr(value, "requires_grad")


def _capped(source: str) -> Iterator[tuple[int, str]]:
    """Each loop, ended after nine rounds."""
    for number, loop in enumerate(_loops(ast.parse(source))):
        tree = ast.parse(source)
        node = list(_loops(tree))[number]
        if isinstance(node, ast.For):
            node.iter = ast.parse(f"__import__('itertools').islice({ast.unparse(node.iter)}, 9)", mode="eval").body
        else:
            stop = ast.parse(f"if not ({ast.unparse(node.test)}):\n    break").body
            loop_over = ast.For(
                ast.Name("_round", ast.Store()),
                ast.parse("range(9)", mode="eval").body,
                [*stop, *node.body],
                node.orelse,
            )
            _replace(tree, node, loop_over)
        yield loop.lineno, ast.unparse(ast.fix_missing_locations(tree))


def _loops(tree: ast.AST) -> list[ast.For | ast.While]:
    return [node for node in ast.walk(tree) if isinstance(node, ast.For | ast.While)]


def _replace(tree: ast.AST, old: ast.AST, new: ast.AST) -> None:
    for parent in ast.walk(tree):
        for _, value in ast.iter_fields(parent):
            if isinstance(value, list) and old in value:
                value[value.index(old)] = new


def _renamed(source: str) -> Iterator[tuple[str, str]]:
    """Each parameter, called otherwise."""
    function = next(node for node in ast.parse(source).body if isinstance(node, ast.FunctionDef))
    for name in inspect.signature(EXERCISES[function.name].reference).parameters:
        tree = ast.parse(source)
        for node in ast.walk(tree):
            if isinstance(node, ast.arg) and node.arg == name:
                node.arg = f"{name}_"
            elif isinstance(node, ast.Name) and node.id == name:
                node.id = f"{name}_"
        yield name, ast.unparse(tree)
