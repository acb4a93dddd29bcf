"""Who plays, by name, for `match`, `compare` and `play --terminal`: "uct:100", "mine", "runs/x/tictactoe.pt:50"."""

from collections.abc import Callable, Iterable
from itertools import count
from pathlib import Path

import numpy as np
from torch import nn

from course_utils import mine
from course_utils.agents import CHECKPOINTS, MinimaxAgent, RandomAgent, SearchAgent
from course_utils.agents.classical import AlphaBetaAgent, GreedyAgent
from course_utils.agents.uct import UctAgent
from course_utils.deadline import TookTooLong, within
from course_utils.exercise import LEARNERS, using
from course_utils.games import Game, known_game, make_game
from course_utils.games.properties import Broken, check_game
from course_utils.learning.arena import Player
from course_utils.learning.side_by_side import Searcher
from course_utils.limits import whole
from course_utils.networks.cache import CachedNetwork
from course_utils.networks.checkpoint import load_network, read
from course_utils.networks.fast import fast_inference
from course_utils.ui.players import is_small

KNOWN = (
    'random, greedy, minimax (or minimax:DEPTH), uct:SIMULATIONS, mine, a shipped agent ("tictactoe", '
    '"connect_four") or a checkpoint file; of the last two, NAME+prove proves what it can'
)

PROVES = "+prove"  # behind the name of an agent with a network

STRONGEST = 1_000_000  # simulations of a move, or its depth

PATIENCE = 20.0  # seconds for a game to be tried; half of it, and no further random game is begun


def checked_game(wanted: str | Game) -> Game:
    """The game, or the one that the user calls so, after a few games of random play.

    Raises ValueError: there is none, or it breaks the protocol or never ends.
    """
    game, name = (make_game(wanted), wanted) if isinstance(wanted, str) else (wanted, wanted.name)
    try:
        within(PATIENCE, lambda: check_game(game, games=2, seconds=PATIENCE / 2))
    except Broken as error:
        raise ValueError(f"{name} breaks a rule that every game must keep: {error}") from None
    except TookTooLong:
        raise ValueError(f"{name} can't be played: one of its rules gives no answer within {PATIENCE:g} s") from None
    except Exception as error:  # the rules are somebody's own
        raise ValueError(f"{name} can't be played: its rules raised {type(error).__name__}: {error}") from error
    return game


def game_for(names: Iterable[str]) -> Game:
    """The game that these agents play: that of the first shipped agent or checkpoint among them; of the others
    tic-tac-toe.

    Raises ValueError: a checkpoint says that it plays a game which the course does not know. Nothing that it says is
    imported.
    """
    for word, _ in map(parts, names):
        word = word.removesuffix(PROVES)
        if is_shipped(word):
            return make_game(word)
        if Path(word).is_file():
            return game_in(word)
    return make_game("tictactoe")


def game_in(path: Path | str) -> Game:
    """The game that a checkpoint plays; see `game_for`."""
    name = read(path)["game"]
    game = known_game(name)
    if game is None:
        raise ValueError(
            f"{path} plays {name!r}, which is not a game of the course. Name its rules with --game module:Class"
        )
    return game


def parts(name: str) -> tuple[str, int | None]:
    """("uct", 100) of "uct:100"; the number is None where there is none.

    Raises ValueError: it is larger than any strength.
    """
    word, colon, number = name.rpartition(":")
    if not (colon and number.isdecimal()):
        return name, None
    least = 1 if word in ("uct", "minimax") else 0
    return word, whole(f"the number of {word}", int(number[:20]), least, STRONGEST)


def is_shipped(word: str) -> bool:
    return word.isidentifier() and (CHECKPOINTS / f"{word}.pt").exists()


class Mine:
    """The learner's agent: their functions are in force while it thinks, whatever is in force around it."""

    def __init__(self, game: Game, simulations: int):
        with using(LEARNERS):
            self.agent = mine.agent(game.name, simulations, quiet=True)

    def act(self, state) -> int:
        with using(LEARNERS):
            return self.agent.act(state)


def agent_maker(game: Game, name: str, simulations: int, seed: int) -> Callable[[], Player]:
    """What makes the agent of this name, asked once for each game: one that keeps a tree needs its own, the others
    are the same each time.

    Args:
        simulations: of a search whose name doesn't end in a number.

    Raises:
        ValueError: no agent is called that, or it doesn't play this game.
    """
    word, number = parts(name)
    strength, rng = simulations if number is None else number, np.random.default_rng(seed)
    agent: Player
    match word:
        case "random" | "greedy" if number is not None:
            raise ValueError(f"{word} has no strength to set. Leave the number out of {name}")
        case "random":
            agent = RandomAgent(game, rng)
        case "greedy":
            agent = GreedyAgent(game, rng)
        case "minimax" if number is not None:
            agent = AlphaBetaAgent(game, number)
        case "minimax" if is_small(game):
            agent = MinimaxAgent(game, rng)
        case "minimax":
            raise ValueError(f"{game.name} is too large to be solved completely. Give a depth, as in minimax:4")
        case "uct":
            numbers = count()
            return lambda: UctAgent(game, max(strength, 1), np.random.default_rng([seed, next(numbers)]))
        case "mine":
            agent = Mine(game, strength)
        case _ if word.endswith(PROVES):
            network = CachedNetwork(fast_inference(network_called(word.removesuffix(PROVES), game)))
            agent = SearchAgent(game, network, strength, prove=True)
        case _:
            agent = searcher(game, network_called(word, game), strength)
    return always(agent)


def always(agent: Player) -> Callable[[], Player]:
    return lambda: agent


def searcher(game: Game, net: nn.Module, simulations: int) -> Searcher:
    return Searcher(game, CachedNetwork(fast_inference(net)), simulations)


def network_called(word: str, game: Game) -> nn.Module:
    """The network of a shipped agent or of a checkpoint. Raises ValueError: there is none, or it plays another game."""
    if is_shipped(word):
        return load_network(CHECKPOINTS / f"{word}.pt", game.name)
    path = Path(word)
    if not path.exists() and path.suffix != ".pt":
        raise ValueError(f"no agent is called {word!r}. Agents are {KNOWN}")
    if "training" in (content := read(path)):
        raise ValueError(f"{path} is a training run. Name its network, which is beside it: {content.get('game')}.pt")
    return load_network(path, game.name)
