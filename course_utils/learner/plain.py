"""Small replacements for the course's classes in `my_alphazero.py`: tic-tac-toe only, and only what the main road's
functions use.

Only `one_file.py` imports this module, and copies its source text.
"""

# mypy: disable-error-code="arg-type"
# (the package's functions are annotated for every `Game`, and this class has only what tic-tac-toe needs)

import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
import torch
from torch import nn

from course_utils.games.tictactoe import State, encode, is_terminal, legal_actions, play, symmetries, winner
from course_utils.learning.arena import count_lines
from course_utils.learning.config import TrainingConfig
from course_utils.learning.examples import Examples, ReplayBuffer
from course_utils.learning.training import train_alphazero
from course_utils.networks.policy_value import TorchNetwork, make_network
from course_utils.networks.protocol import Network, masked_policy
from course_utils.search.puct import mcts_search


class TicTacToe:
    """The rules as search, learning and agents ask for them. An action is a cell, row by row."""

    name = "tictactoe"
    rows = columns = 3
    num_actions = 9
    planes = 2

    def initial_state(self) -> State:
        return State()

    def legal_actions(self, state: State) -> list[int]:
        return legal_actions(state)

    def play(self, state: State, action: int) -> State:
        return play(state, action)

    def to_play(self, state: State) -> int:
        return state.to_play

    def is_terminal(self, state: State) -> bool:
        return is_terminal(state)

    def winner(self, state: State) -> int:
        return winner(state)

    def encode(self, state: State) -> np.ndarray:
        return encode(state)

    def symmetries(self, planes: np.ndarray, policy: np.ndarray) -> list[tuple[np.ndarray, np.ndarray]]:
        return symmetries(planes, policy)


Game = TicTacToe  # the only game in this file


class SearchAgent:
    """Plays the most visited action of a search, or with 0 simulations the network's favorite.

    No chance is involved.
    """

    def __init__(self, game: Game, network: Network, simulations: int, c_puct: float = 1.5):
        self.game, self.network, self.simulations, self.c_puct = game, network, simulations, c_puct

    def policy(self, state) -> np.ndarray:
        """[num_actions]: the share of visits, or the network's policy."""
        if self.simulations > 0:
            visits = mcts_search(self.game, state, self.network, self.simulations, self.c_puct)
            return visits / visits.sum()
        legal = np.zeros(self.game.num_actions, dtype=bool)
        legal[self.game.legal_actions(state)] = True
        _, logits = self.network(self.game.encode(state)[None])
        return masked_policy(logits[0], legal)

    def act(self, state) -> int:
        return int(np.argmax(self.policy(state)))


@dataclass
class Run:
    """A training run between two iterations."""

    game: Game
    config: TrainingConfig
    network: nn.Module  # plays the games and learns from them
    optimizer: torch.optim.Optimizer
    buffer: ReplayBuffer
    rng: np.random.Generator
    seed: int = 0
    history: list[dict] = field(default_factory=list)  # one entry per iteration
    began: float = field(default_factory=time.perf_counter)  # the iteration under way

    @classmethod
    def start(cls, game: Game, config: TrainingConfig, seed: int) -> "Run":
        """Random weights and an empty buffer."""
        network = make_network(game, seed)
        optimizer = torch.optim.AdamW(network.parameters(), lr=config.learning_rate, weight_decay=config.weight_decay)
        return cls(game, config, network, optimizer, ReplayBuffer(config.buffer), np.random.default_rng(seed), seed)

    def begin_iteration(self) -> None:
        """Set the learning rate, and start the clock."""
        self.began = time.perf_counter()
        self.set_learning_rate()

    def set_learning_rate(self) -> None:
        """A straight line from `learning_rate` towards a tenth of it."""
        for group in self.optimizer.param_groups:
            group["lr"] = self.config.learning_rate * (1 - 0.9 * len(self.history) / self.config.iterations)

    def settings(self) -> dict:
        """The keyword arguments of `self_play_game`."""
        names = ("simulations", "c_puct", "exploratory_plies", "noise_alpha", "noise_fraction")
        return {name: getattr(self.config, name) for name in names}

    def agent(self, net: nn.Module, simulations: int) -> SearchAgent:
        return SearchAgent(self.game, TorchNetwork(net), simulations, self.config.c_puct)

    def log(self, games: list[Examples], losses: list[dict], **more: object) -> None:
        """Close an iteration."""
        loss = {f"{name}_loss": float(np.mean([step[name] for step in losses])) for name in ("policy", "value")}
        entry = dict(iteration=len(self.history) + 1, games=len(games), seconds=time.perf_counter() - self.began)
        self.history.append({**entry, **loss})


def losing_lines(game: Game, agent: SearchAgent) -> tuple[int, int]:
    """How many of the games that can be played against the agent it loses, moving first and moving second."""
    first, second = (count_lines(game, agent, side).losses for side in (1, -1))
    return first, second


def train(seed: int = 0, iterations: int = 40, say: Callable = print) -> Run:
    """From random weights, until the network alone never loses or `iterations` are done."""
    run, began = Run.start(TicTacToe(), TrainingConfig(iterations=iterations), seed), time.perf_counter()

    def report(run: Run) -> bool:
        latest, (first, second) = run.history[-1], losing_lines(run.game, run.agent(run.network, 0))
        losses = f"policy loss {latest['policy_loss']:.2f}, value loss {latest['value_loss']:.2f}"
        spent = time.perf_counter() - began
        say(
            f"{latest['iteration']:3}  {spent:5.1f} s  {losses}, lines that the network alone loses: {first} + {second}"
        )
        return first + second == 0

    train_alphazero(run, report)
    return run


def prove(run: Run, simulations: int = 50, say: Callable = print) -> int:
    """Play every game that can be played against the trained agent. Returns how many it loses."""
    lost = 0
    for count in (0, simulations):
        lost = sum(losing_lines(run.game, run.agent(run.network, count)))
        say(
            f"With {count} simulations for each move it loses {lost or 'none'} of all games that can be played "
            "against it."
        )
    return lost


if __name__ == "__main__":
    torch.set_num_threads(1)  # networks this small are no faster on two
    prove(train(int(sys.argv[1]) if len(sys.argv) > 1 else 0))
