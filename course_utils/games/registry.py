"""Games by name. The course's own are registered by `course_utils.games`; yours are by `register`, or by where they stand."""

import importlib
from collections.abc import Callable
from typing import TypeVar

from course_utils.games.protocol import Game
from course_utils.limits import shown

GAMES: dict[str, Callable[[], Game]] = {}  # name -> what makes the game
FAMILIES: dict[
    str, Callable[[str], Game | None]
] = {}  # a name as an example -> what makes a game of its kind, None of another's name

Factory = TypeVar("Factory", bound=Callable[[], Game])


def register(factory: Factory) -> Factory:
    """Make a game known under its `name`: to `make_game`, and so to the board, the agents and training.

    Args:
        factory: makes the game when called without arguments; its class, say. So this is a decorator, too. A name that is
            taken is given to the new one.

    Returns:
        `factory`.
    """
    GAMES[factory().name] = factory
    return factory


def known_game(name: str) -> Game | None:
    """The game called `name`, if it is registered or one of a family, such as "connect_n:4x5x3"; else None. Nothing is imported, so a file may say it.

    Raises:
        ValueError: a family has no game of that size, or `name` is no text.
    """
    if not isinstance(name, str):
        raise ValueError(f"a game is called by its name, such as 'tictactoe', not {shown(name)}")
    if name in GAMES:
        return GAMES[name]()
    return next((game for make in FAMILIES.values() if (game := make(name)) is not None), None)


def make_game(name: str) -> Game:
    """The game called `name`, as `known_game`; or, for "module:Name", what `Name` of that module makes, which is registered on the way.

    So `name` is for the user to say, never for a file.

    Raises:
        ValueError: no game is called that (the message lists those that are), or there is no such module or name in it.
    """
    if (game := known_game(name)) is not None:
        return game
    known = f'known: {", ".join([*GAMES, *FAMILIES])}, and yours as "module:Class"'
    module, colon, factory = name.partition(":")
    if not colon:
        raise ValueError(f"no game is called {name!r}; {known}")
    try:
        return register(getattr(importlib.import_module(module), factory))()
    except Exception as error:  # a module may raise anything
        raise ValueError(f"there is no game at {name!r}: {error}; {known}") from None
