"""What plays. `load` gives the shipped agents, which work before anything is learned."""

import json
from pathlib import Path

from course_utils.agents.basic import MinimaxAgent, RandomAgent
from course_utils.agents.gumbel import GumbelAgent
from course_utils.agents.search import SearchAgent
from course_utils.agents.shipped import ShippedAgent
from course_utils.games import make_game

__all__ = ["GumbelAgent", "MinimaxAgent", "RandomAgent", "SearchAgent", "card", "load"]

CHECKPOINTS = Path(__file__).parent / "checkpoints"


def load(game_name: str, simulations: int = 50, **options) -> SearchAgent:
    """The agent shipped with the course; `simulations=0` plays by the network alone. `options`: those of `SearchAgent`.

    Raises:
        ValueError: there is no such game (the message names those there are), or the checkpoint is damaged.
    """
    from course_utils.networks.checkpoint import load_network  # importing torch takes a second
    from course_utils.networks.policy_value import TorchNetwork

    game = make_game(game_name)
    network = TorchNetwork(load_network(CHECKPOINTS / f"{game.name}.pt", game.name))
    return ShippedAgent(game, network, simulations, **options)


def card(game_name: str) -> dict:
    """How the shipped agent was trained; how strong it is stands in the results.

    Raises ValueError: none is shipped for this game.
    """
    path = CHECKPOINTS / f"{make_game(game_name).name}.json"
    if not path.exists():
        raise ValueError(f"no agent for {game_name} is shipped with the course")
    return json.loads(path.read_text("utf-8"))
