"""Yours where it passes, ours where it doesn't.

`from course_utils.mine import select_child` gives your own function if your answer passed its check, and the course's if
not, so that nobody is blocked by an exercise left open. Whatever you get calls the other exercises the same way:
our `mcts_search` runs your `backup`. Classes that use exercises (`TicTacToe`, `SearchAgent`, ...) come from here, too.

    mine.whose()              which are yours
    mine.use_ours("backup")   switch one off, for this session
"""

import functools
import importlib
from collections.abc import Callable
from types import FunctionType

from course_utils.course import answers, record
from course_utils.course.catalogue import EXERCISES

# Modules whose functions and classes call exercises, and so have a twin here that calls yours.
_MODULES = sorted({exercise.module for exercise in EXERCISES.values()} | {"course_utils.agents.search"})

_switched_off: set[str] = set()


class YourAnswerFailed(Exception):
    """An answer of the learner's that passed its check raised later."""


def _guarded(name: str, function: Callable) -> Callable:
    """The learner's function; an error in it ends in one sentence that names it."""

    @functools.wraps(function)
    def guarded(*args, **kwargs):
        way_out = f'to go on with ours: from course_utils import mine; mine.use_ours("{name}"), then import again.'
        try:
            return function(*args, **kwargs)
        except (YourAnswerFailed, NotImplementedError):
            raise
        except ValueError as error:  # may be part of the contract, as it is for `play`: keep its type
            if not getattr(error, "__notes__", None):
                error.add_note(f"(raised inside your {name}; {way_out})")
            raise
        except Exception as error:
            sentence = f"your {name} passed its check but now raised {type(error).__name__}: {error}; {way_out}"
            raise YourAnswerFailed(sentence) from error

    guarded.whose = "yours"
    return guarded


class World:
    """All exercises, each yours or ours, bound to one another.

    Attributes:
        functions: by exercise name.
        yours: the names of those that are the learner's.
        broken: name -> why a recorded answer could not be used.
    """

    def __init__(self, switched_off: frozenset[str] = frozenset()):
        self.functions: dict[str, Callable] = {}
        self.broken: dict[str, str] = {}
        self._namespaces = {name: dict(vars(importlib.import_module(name))) for name in _MODULES}
        learners_namespaces = []
        for name, exercise in EXERCISES.items():
            answer = record.load(name)
            if answer and answer.source and name not in switched_off:
                namespace = dict(vars(importlib.import_module(exercise.module)))
                try:
                    self.functions[name] = _guarded(name, answers.bind(name, answer.source, namespace))
                    learners_namespaces.append(namespace)
                    continue
                except answers.CannotBind as error:
                    self.broken[name] = str(error)
            ours = answers.rebind(exercise.reference, self._namespaces[exercise.module])
            ours.whose = "ours"
            self.functions[name] = ours
        self.yours = {name for name, function in self.functions.items() if function.whose == "yours"}
        for module, namespace in self._namespaces.items():
            _rebind_helpers(module, namespace)
        twins = {
            twin.__mro__[1]: twin for space in self._namespaces.values() for twin in space.values() if _is_twin(twin)
        }
        for namespace in [*self._namespaces.values(), *learners_namespaces]:
            answers.point_to(namespace, self.functions)
            for key, value in namespace.items():
                if isinstance(value, type) and value in twins:
                    namespace[key] = twins[value]

    def get(self, name: str):
        """An exercise's function, or any other name of the modules that use exercises. Raises AttributeError."""
        if name in self.functions:
            return self.functions[name]
        for module, namespace in self._namespaces.items():
            value = namespace.get(name)
            if getattr(value, "__module__", None) == module and not name.startswith("_"):
                return value
        raise AttributeError(f"course_utils.mine has no {name!r}: it is neither an exercise nor a class that uses one")


def _is_twin(value) -> bool:
    return isinstance(value, type) and "_twin" in vars(value)


def _rebind_helpers(module: str, namespace: dict) -> None:
    """Let the module's other functions, and its classes' methods, read their globals from `namespace`."""
    for key, value in list(namespace.items()):
        if getattr(value, "__module__", None) != module:
            continue
        if isinstance(value, FunctionType) and key not in EXERCISES:
            namespace[key] = answers.rebind(value, namespace)
        elif isinstance(value, type):
            methods = {
                name: answers.rebind(method, namespace)
                for name, method in vars(value).items()
                if isinstance(method, FunctionType)
                and set(method.__code__.co_names) & EXERCISES.keys() & namespace.keys()
            }
            if methods:
                # a subclass, so that isinstance still holds and `super()` still works
                twin = type(value.__name__, (value,), {**methods, "__module__": module, "_twin": True})
                twin.__doc__ = value.__doc__
                namespace[key] = twin


def use_ours(*names: str) -> None:
    """Use the course's version of these exercises from the next import on, for this session."""
    _check_names(names)
    _switched_off.update(names)


def use_yours(*names: str) -> None:
    """Take `use_ours` back."""
    _check_names(names)
    _switched_off.difference_update(names)


def _check_names(names: tuple[str, ...]) -> None:
    for name in names:
        if name not in EXERCISES:
            raise ValueError(f"no exercise is called {name!r}; there are {', '.join(EXERCISES)}")


def world() -> World:
    """The learner's world as of now: an answer that has just passed is in it."""
    return World(frozenset(_switched_off))


def whose() -> None:
    """Print which exercises are yours and which are ours, notebook by notebook."""
    now = world()
    for notebook in dict.fromkeys(exercise.notebook for exercise in EXERCISES.values()):
        names = [name for name, exercise in EXERCISES.items() if exercise.notebook == notebook]
        marked = [f"{name} ({'yours' if name in now.yours else 'ours'})" for name in names]
        print(f"notebook {notebook}: {', '.join(marked)}")
    for name, why in now.broken.items():
        print(f"{name} was recorded, but can't be used: {why}")


def __getattr__(name: str):
    if name.startswith("__"):
        raise AttributeError(name)
    return world().get(name)
