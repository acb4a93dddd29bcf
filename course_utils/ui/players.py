"""Who can play on the board, and how hard they think."""

from collections.abc import Mapping
from pathlib import Path

import numpy as np

from course_utils import agents, mine
from course_utils.agents import MinimaxAgent, RandomAgent, SearchAgent
from course_utils.agents.uct import UctAgent
from course_utils.games import GAMES, Game

LEVELS = {
    "first sight": 0,
    "novice": 1,
    "casual": 10,
    "club": 50,
    "strong": 200,
    "expert": 400,
}  # from so many simulations on
STEPS = (0, 1, 5, 10, 25, 50, 100, 200, 400, 800)  # of the slider


def level(simulations: int) -> str:
    """What a strength is called."""
    return [name for name, least in LEVELS.items() if simulations >= least][-1]


def counted(simulations: int) -> str:
    """ "1 simulation", "1,000 simulations"."""
    return f"{simulations:,} simulation{'' if simulations == 1 else 's'}"


def in_words(name: str, agent) -> str:
    """Who plays: "your network, iteration 12, 100 simulations"."""
    words = [name]
    iteration, simulations = getattr(agent, "iteration", None), getattr(agent, "simulations", None)
    if iteration is not None and f"iteration {iteration}" not in name:
        words.append(f"iteration {iteration}")
    if simulations is not None and "simulation" not in name:
        words.append(counted(simulations) if simulations else "without search")
    return ", ".join(words)


def is_small(game: Game) -> bool:
    """Whether every position can be looked at, so that there is perfect play."""
    return game.rows * game.columns <= 9


def default_opponents(game: Game, simulations: int, seed: int, checkpoints=None) -> tuple[dict, str]:
    """(label -> agent, a sentence about any that could not be had).

    Args:
        checkpoints: of your training; see `snapshots`.
    """
    found: dict = {}
    problems = []
    if game.name in GAMES:  # any other has no agents of its own
        try:
            found["the shipped network"] = agents.load(game.name, simulations)
        except ValueError as error:
            problems.append(f"The shipped agent is missing ({error}).")
        try:
            if mine.has_agent(game.name):
                found["your network"] = mine.agent(game.name, simulations, quiet=True)
        except ValueError as error:
            problems.append(f"Yours can't play ({error}).")
    for iteration, network in snapshots(game, checkpoints).items():
        found[f"your network, iteration {iteration}"] = SearchAgent(game, network, simulations)
    found["rollouts"] = UctAgent(game, max(simulations, 1), np.random.default_rng(seed))
    if is_small(game):
        found["perfect play"] = MinimaxAgent(game)
    found["random"] = RandomAgent(game, np.random.default_rng(seed))
    return found, " ".join(problems)


def snapshots(game: Game, checkpoints: Mapping | str | Path | None) -> dict:
    """Iteration -> network.

    Args:
        checkpoints: a training run's folder (its `snapshots/0002.pt` and so on are read), or iteration -> path or
            network.

    Raises:
        ValueError: a checkpoint can't be read, or there is none in the folder.
    """
    from course_utils.networks.checkpoint import load_network  # importing torch takes a second
    from course_utils.networks.policy_value import TorchNetwork

    if checkpoints is None:
        return {}
    if not isinstance(checkpoints, Mapping):
        folder = Path(checkpoints)
        checkpoints = {int(path.stem): path for path in sorted(folder.glob("snapshots/[0-9]*.pt"))}
        if not checkpoints:
            raise ValueError(f"{folder} holds no snapshots of a training run")
    return {
        iteration: TorchNetwork(load_network(Path(found), game.name)) if isinstance(found, str | Path) else found
        for iteration, found in checkpoints.items()
    }


def has_strength(agent) -> bool:
    """Whether `at_strength` changes anything."""
    return isinstance(agent, SearchAgent | UctAgent)


def at_strength(agent, simulations: int | None):
    """The same agent with another number of simulations, where it has any."""
    if simulations is None or not has_strength(agent):
        return agent
    return agent.at_strength(max(simulations, 1 if isinstance(agent, UctAgent) else 0))
