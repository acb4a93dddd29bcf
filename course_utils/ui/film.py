"""The training of an agent of tic-tac-toe as a film: what its network knew in each iteration. It is kept for pages that
are written later.
"""

import hashlib
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from torch import nn

from course_utils.agents import SearchAgent
from course_utils.files import Damaged, from_json, write_atomically
from course_utils.games import after
from course_utils.learning.proof import tictactoe_key
from course_utils.networks.policy_value import TorchNetwork
from course_utils.paths import record_folder

FRAMES = 24  # at most
OUR_POSITION = [0, 4, 8, 2, 6, 3]
Networks = Mapping[int, Callable[[], nn.Module]]  # iteration -> what gives its network


@dataclass(frozen=True)
class Film:
    """A training, frame by frame: see `film_of`."""

    positions: list[str]
    frames: list[dict]

    @property
    def losing_lines(self) -> list[int]:
        """In each frame the lines of play that the network alone loses."""
        return [sum(frame["lost"]) for frame in self.frames]


def film_of(networks: Networks) -> Film:
    """The training of tic-tac-toe: at each iteration the lines of play that the network alone loses, and what it thinks
    of two positions.
    """
    key = tictactoe_key()
    states = [after(key.game, line) for line in ([], OUR_POSITION)]
    numbers = sorted(networks)
    chosen = (
        {numbers[round(place * (len(numbers) - 1) / max(FRAMES - 1, 1))] for place in range(FRAMES)}
        if len(numbers) > FRAMES
        else numbers
    )
    frames = []
    for iteration in sorted(chosen):
        net = networks[iteration]()
        agent = SearchAgent(key.game, TorchNetwork(net), 0)
        seen = [
            [[round(float(share), 3) for share in agent.policy(state)], round(agent.value(state), 3)]
            for state in states
        ]
        frames.append(dict(iteration=iteration, lost=list(key.losing_lines(key.moves(net, 0))), seen=seen))
    return Film(["".join(".XO"[cell] for cell in state.cells) for state in states], frames)


def keep_film(networks: Networks) -> None:
    """Keep the training of the agent of tic-tac-toe, unless it is kept already."""
    net = networks[max(networks)]()
    if kept_film(net) is None:
        write_atomically(_path(), json.dumps({"network": fingerprint(net), **vars(film_of(networks))}))


def kept_film(net: nn.Module) -> Film | None:
    """The training of this network; None where none is kept, or another's."""
    try:
        film: Any = from_json(_path().read_bytes())
        return Film(film["positions"], film["frames"]) if film["network"] == fingerprint(net) else None
    except (OSError, Damaged, KeyError, TypeError):
        return None


def fingerprint(net: nn.Module) -> str:
    """A hash of the network's weights."""
    digest = hashlib.sha256()
    for name, weights in net.state_dict().items():
        digest.update(name.encode() + weights.detach().cpu().numpy().tobytes())
    return digest.hexdigest()


def _path() -> Path:
    return record_folder() / "agents" / "tictactoe.film.json"
