"""Find games by name. `course_utils.games` registers the course's own, `register` or "module:Class" yours."""

import importlib
from collections.abc import Callable
from typing import TypeVar

from course_utils.games.protocol import Game
from course_utils.limits import shown

GAMES: dict[str, Callable[[], Game]] = {}  # name -> a function that makes the game
# a name as an example -> a function that makes a game of this kind from its name, or returns None for other names
FAMILIES: dict[str, Callable[[str], Game | None]] = {}
ADDRESSES: dict[str, str] = {}  # name -> the "module:Name" from which `make_game` made the game

Factory = TypeVar("Factory", bound=Callable[[], Game])


def register(factory: Factory) -> Factory:
    """Register a game under its `name`, for `make_game`, and so for the board, the agents and training.

    Args:
        factory: makes the game when called without arguments; its class, say. So this is a decorator, too. A game that
            had the name before is replaced.

    Returns:
        `factory`.
    """
    GAMES[factory().name] = factory
    return factory


def known_game(name: str) -> Game | None:
    """Return the game called `name` if it is registered or of a family, such as "connect_n:4x5x3"; else None.

    It imports nothing, so that the name may come from a file.

    Raises:
        ValueError: a family has no game of that size, or `name` is not a string.
    """
    if not isinstance(name, str):
        raise ValueError(f"a game is called by its name, such as 'tictactoe', not {shown(name)}")
    if name in GAMES:
        return GAMES[name]()
    return next((game for make in FAMILIES.values() if (game := make(name)) is not None), None)


def make_game(name: str) -> Game:
    """Return the game called `name`, as `known_game`; for "module:Name", import the module, make and register the game.

    So `name` must come from the user, never from a file.

    Raises:
        ValueError: no game is called that (the message lists those that are), or there is no such module or name in it.
    """
    if (game := known_game(name)) is not None:
        return game
    choices = f'known: {", ".join([*GAMES, *FAMILIES])}, and yours as "module:Class"'
    module, colon, factory = name.partition(":")
    if not colon:
        raise ValueError(f"no game is called {name!r}; {choices}")
    try:
        game = register(getattr(importlib.import_module(module), factory))()
    except Exception as error:  # a module may raise anything
        raise ValueError(f"there is no game at {name!r}: {error}; {choices}") from None
    ADDRESSES[game.name] = name
    return game


def address(game: Game) -> str:
    """Return what a command needs to find the game again: its name, or the "module:Name" that it was made from."""
    return ADDRESSES.get(game.name, game.name)
