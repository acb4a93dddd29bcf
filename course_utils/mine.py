"""Use your functions where they pass, and the course's elsewhere.

Every exercise of the package runs your function if your answer passed its check, and the course's version if not, so
that an open
exercise never blocks you (`course_utils.exercise`). An import from here gives the same as one from the function's own
module:

    from course_utils.mine import select_child, TicTacToe
    mine.whose()              shows which functions are yours
    mine.use_ours("backup")   uses the course's version for this session
    mine.agent("tictactoe")   plays with your functions and the network that you trained
"""

import functools
import importlib
import re
from collections.abc import Callable
from datetime import datetime
from functools import cache
from pathlib import Path

from course_utils import record
from course_utils.exercise import EXERCISES, LEARNERS, YourAnswerFailed, using, wrapping, yours
from course_utils.files import write_atomically
from course_utils.paths import PACKAGE, record_folder
from course_utils.tables import Table

__all__ = [
    "YourAnswerFailed",
    "agent",
    "has_agent",
    "has_network",
    "save_agent",
    "use_ours",
    "use_yours",
    "whose",
    "yours",
    *EXERCISES,
]


def use_ours(*names: str) -> None:
    """Use the course's version of these exercises from now on, for this session."""
    _check_names(names)
    LEARNERS.off.update(names)
    LEARNERS.refresh()


def use_yours(*names: str) -> None:
    """Use your versions of these exercises again, after `use_ours`."""
    _check_names(names)
    LEARNERS.off.difference_update(names)
    LEARNERS.refresh()


def _check_names(names: tuple[str, ...]) -> None:
    for name in names:
        if name not in EXERCISES:
            raise ValueError(f"no exercise is called {name!r}; there are {', '.join(EXERCISES)}")


def whose() -> None:
    """Show which exercises are yours and which are the course's, by notebook."""
    from IPython.display import display  # prints in a terminal

    now = yours()
    names: dict[str, list[str]] = {}
    for name, exercise in EXERCISES.items():
        names.setdefault(exercise.notebook, []).append(f"{name} ({whose_is(name, now)})")
    display(Table(("notebook", "functions"), [(notebook, ", ".join(those)) for notebook, those in names.items()]))
    for name, why in LEARNERS.broken.items():
        print(f"{name} was recorded, but can't be used: {why}")
    for name in record.damaged():
        print(record.said_of_damage(name))


def whose_is(name: str, now: dict | None = None) -> str:
    """ "yours" or "ours"."""
    return "yours" if name in (yours() if now is None else now) else "ours"


def network_path(game_name: str) -> Path:
    """The path of the network that you keep for this game."""
    from course_utils.games import make_game

    return record_folder() / "agents" / f"{make_game(game_name).name}.pt"  # raises an error that lists the games


def save_agent(net, game_name: str) -> None:
    """Keep the network that you trained (a torch module), so that `agent` plays with it from now on.

    A network that you kept before is put aside, and a message says where it is.

    Raises ValueError: the network is of your own class, which `agent` could not build again, or for another game.
    """
    from course_utils.games import make_game
    from course_utils.networks.board_size import check_board
    from course_utils.networks.checkpoint import save_network  # imports torch, which takes a second

    game, path = make_game(game_name), network_path(game_name)
    check_board(net, game)
    before = path.read_bytes() if path.exists() else b""
    kept = datetime.fromtimestamp(path.stat().st_mtime) if before else None
    save_network(path, net, game.name)
    if kept is not None and before != path.read_bytes():
        aside = path.with_name(f"{game.name}, kept {kept:%Y-%m-%d at %H.%M.%S}.pt")
        write_atomically(aside, before)
        print(f"mine.save_agent: this network plays from now on. The network that you kept before is now {aside}.")


def has_network(game_name: str) -> bool:
    """Whether you have kept a network that you trained."""
    return network_path(game_name).exists()


def has_agent(game_name: str) -> bool:
    """Whether anything in `agent(game_name)` would be yours: a function or the network."""
    return has_network(game_name) or bool(yours())


def share_of_functions() -> tuple[int, int]:
    """(the number of functions of the main road, including extras; how many of them are yours)."""
    road = {name for name, exercise in EXERCISES.items() if exercise.notebook < "10"}
    return len(road), len(road & yours().keys())


def functions_of_a_move(game, network, simulations: int) -> set[str]:
    """The exercises that a search agent of the course runs to choose a move."""
    from course_utils.agents import SearchAgent

    called = set()

    def noting(name: str, function: Callable) -> Callable:
        @functools.wraps(function)
        def noted(*args, **kwargs):
            called.add(name)
            return function(*args, **kwargs)

        return noted

    with using({}), wrapping({name: functools.partial(noting, name) for name in EXERCISES}):
        SearchAgent(game, network, simulations).act(game.initial_state())
    return called


def agent(game_name: str, simulations: int = 50, *, quiet: bool = False):
    """Your agent: your search and rules where they have passed, with the network that you trained, or else the
    shipped network.

    Args:
        simulations: the simulations a move; 0 plays by the network alone.
        quiet: don't print which functions are yours.

    Raises:
        ValueError: there is no such game, or a network can't be read.
    """
    from course_utils.agents import CHECKPOINTS, SearchAgent
    from course_utils.games import make_game
    from course_utils.networks.checkpoint import load_network
    from course_utils.networks.policy_value import TorchNetwork

    saved, game = network_path(game_name), make_game(game_name)
    shipped = CHECKPOINTS / f"{game.name}.pt"
    if not saved.exists() and not shipped.exists():
        raise ValueError(f"no agent of {game_name} is shipped, and you have kept none: train one, then mine.save_agent")
    net = load_network(saved if saved.exists() else shipped, game.name)
    if not quiet:
        whose = (
            "the network that you trained" if saved.exists() else "the shipped network (you have not trained one yet)"
        )
        functions = functions_of_a_move(game, TorchNetwork(net), simulations)
        own = len(functions & yours().keys())
        print(
            f"mine.agent of {game_name}: {whose}; {own} of the {len(functions)} functions that choose its moves are "
            "yours."
        )
    return SearchAgent(game, TorchNetwork(net), simulations)


@cache
def _homes() -> dict[str, str]:
    """Public function or class -> its module, for the modules with exercises and with agents that use them."""
    modules = [
        *{exercise.module for exercise in EXERCISES.values()},
        "course_utils.agents.search",
        "course_utils.agents.uct",
    ]
    homes = {}
    for module in modules:
        text = (PACKAGE.parent / f"{module.replace('.', '/')}.py").read_text("utf-8")
        homes.update(dict.fromkeys(re.findall(r"^(?:class|def) ([A-Za-z]\w*)", text, re.MULTILINE), module))
    return homes


def __getattr__(name: str):
    if name not in _homes():
        raise AttributeError(f"course_utils.mine has no {name!r}: it is neither an exercise nor a class that uses one")
    LEARNERS.refresh()
    return getattr(importlib.import_module(_homes()[name]), name)
