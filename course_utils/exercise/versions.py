"""Which version of an exercise is in force, and blocks in which it is another."""

import contextlib
import functools
from collections import ChainMap
from collections.abc import Callable, Iterator, Mapping, MutableMapping
from contextvars import ContextVar

from course_utils.exercise.registry import EXERCISES


class Versions(dict):
    """Exercise -> the function that a call to it runs; ours where none is given."""

    def __missing__(self, name: str) -> Callable:
        self[name] = EXERCISES[name].reference
        return self[name]


_in_force: MutableMapping[str, Callable] = Versions()


def versions_in_force() -> Mapping[str, Callable]:
    return _in_force


def put_in_force(versions: MutableMapping[str, Callable]) -> None:
    """From now on, outside of all blocks."""
    global _in_force
    _in_force = versions


def exercise(notebook: str) -> Callable[[Callable], Callable]:
    """Make a reference an exercise of `notebook`, such as "03". Decorator."""

    def decorate(reference: Callable) -> Callable:
        name = reference.__name__

        @functools.wraps(reference)
        def in_force(*args, **kwargs):
            return _in_force[name](*args, **kwargs)

        return in_force

    return decorate


@contextlib.contextmanager
def using(versions: Mapping[str, Callable]) -> Iterator[None]:
    """Within this block these versions are in force, and ours for every other exercise: `using({})` is the course as
    shipped.
    """
    global _in_force
    before, _in_force = _in_force, versions if isinstance(versions, Versions) else Versions(versions)
    try:
        yield
    finally:
        _in_force = before


@contextlib.contextmanager
def wrapping(wrappers: Mapping[str, Callable[[Callable], Callable]]) -> Iterator[None]:
    """Within this block each of these exercises is wrapper(the version in force), and all others are as before: to
    watch them at work.
    """
    global _in_force
    before = _in_force
    _in_force = ChainMap({name: wrapper(before[name]) for name, wrapper in wrappers.items()}, before)
    try:
        yield
    finally:
        _in_force = before


WATCHING: ContextVar[Mapping[str, Callable[[Callable], Callable]]] = ContextVar("watching", default={})  # noqa: B039 (never changed)


@contextlib.contextmanager
def watching(wrappers: Mapping[str, Callable[[Callable], Callable]]) -> Iterator[None]:
    """Within this block what a graded answer asks of these exercises goes through wrapper(the version that it would
    call).
    """
    token = WATCHING.set(wrappers)
    try:
        yield
    finally:
        WATCHING.reset(token)
