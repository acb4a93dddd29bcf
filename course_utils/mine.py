"""Yours where it passes, ours where it doesn't.

`from course_utils.mine import select_child` gives your own function if your answer passed its check, and the course's if
not, so that nobody is blocked by an exercise left open. Whatever you get calls the other exercises the same way:
our `mcts_search` runs your `backup`. Classes that use exercises (`TicTacToe`, `SearchAgent`, ...) come from here, too.

    mine.whose()              which are yours
    mine.use_ours("backup")   switch one off, for this session
    mine.agent("tictactoe")   plays by your functions, with the network you trained
"""

import functools
import importlib
import inspect
from collections.abc import Callable
from types import FunctionType

from course_utils.course import answers, record
from course_utils.course.catalogue import EXERCISES
from course_utils.course.paths import record_folder
from course_utils.games import GAMES, make_game

# Modules whose functions and classes call exercises, and so have a twin here that calls yours.
_MODULES = sorted(
    {exercise.module for exercise in EXERCISES.values()} | {"course_utils.agents.search", "course_utils.agents.uct"}
)

_switched_off: set[str] = set()
_building = False  # while a world is made, which runs the learner's cells


class YourAnswerFailed(Exception):
    """An answer of the learner's that passed its check raised later."""


def _accepts(function: Callable, args: tuple, kwargs: dict) -> bool:
    """Whether `function` can be called like this."""
    try:
        inspect.signature(function).bind(*args, **kwargs)
    except TypeError:
        return False
    return True


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
            if not _accepts(EXERCISES[name].reference, args, kwargs):
                raise  # the fault is the caller's: ours would not take these arguments, either
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
        for namespace in learners_namespaces:  # an answer may call an exercise of another module
            namespace.update({name: function for name, function in self.functions.items() if name not in namespace})
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
    global _building
    _building = True
    try:
        return World(frozenset(_switched_off))
    finally:
        _building = False


def whose() -> None:
    """Print which exercises are yours and which are ours, notebook by notebook."""
    now = world()
    for notebook in dict.fromkeys(exercise.notebook for exercise in EXERCISES.values()):
        names = [name for name, exercise in EXERCISES.items() if exercise.notebook == notebook]
        marked = [f"{name} ({'yours' if name in now.yours else 'ours'})" for name in names]
        print(f"notebook {notebook}: {', '.join(marked)}")
    for name, why in now.broken.items():
        print(f"{name} was recorded, but can't be used: {why}")


def _network_path(game_name: str):
    make_game(game_name)  # says which games there are
    return record_folder() / "agents" / f"{game_name}.pt"


def save_agent(net, game_name: str) -> None:
    """Keep the network that you trained (a torch module), so that `agent` plays with it from now on."""
    from course_utils.networks.checkpoint import save_network  # importing torch takes a second

    save_network(_network_path(game_name), net, game_name)


def has_agent(game_name: str) -> bool:
    """Whether anything in `agent(game_name)` would be yours: a function or the network."""
    return _network_path(game_name).exists() or bool(world().yours)


def agent(game_name: str, simulations: int = 50, *, quiet: bool = False):
    """Your agent: your search and rules as far as you have them, with the network you trained or, without one, the shipped.

    Args:
        simulations: the strength; 0 plays by the network alone.
        quiet: don't print whose parts it is made of.

    Raises:
        ValueError: there is no such game, or a network can't be read.
    """
    from course_utils.agents import CHECKPOINTS
    from course_utils.networks.checkpoint import load_network
    from course_utils.networks.policy_value import TorchNetwork

    now = world()
    saved = _network_path(game_name)
    net = load_network(saved if saved.exists() else CHECKPOINTS / f"{game_name}.pt", game_name)
    try:
        game = now.get(GAMES[game_name].__name__)()
    except AttributeError:  # no exercise is about this game's rules
        game = make_game(game_name)
    if not quiet:
        whose = (
            "the network that you trained" if saved.exists() else "the shipped network (you have not trained one yet)"
        )
        print(f"mine.agent: {whose}; {len(now.yours)} of {len(EXERCISES)} functions are yours.")
    return now.get("SearchAgent")(game, TorchNetwork(net), simulations)


def __getattr__(name: str):
    if name.startswith("__"):
        raise AttributeError(name)
    if _building and name in EXERCISES:  # an answer's cell imports from here: `point_to` will put the right one
        return EXERCISES[name].reference
    return world().get(name)
