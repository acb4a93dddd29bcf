"""Tic-tac-toe trained as the course does, and with the schedules of two published texts, as far as they are printed."""

import copy
from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np
import torch
from torch import nn

from course_utils.games import TicTacToe
from course_utils.games.batched import make_batched
from course_utils.learning.arena import Score
from course_utils.learning.batched_self_play import batched_self_play
from course_utils.learning.config import config_for
from course_utils.learning.engine import train
from course_utils.learning.examples import Examples
from course_utils.learning.run import Run
from course_utils.learning.training import train_step
from course_utils.networks import Network
from course_utils.networks.policy_value import TorchNetwork, make_network
from course_utils.networks.resnet import make_resnet
from course_utils.search.batched import batched_search


def train_in_lockstep(seed: int, look: Callable[[Run], object] = lambda run: None, **changes) -> Run:
    """The course's training with these changes.

    `look` sees the run before the first iteration and after each, and ends it with True.
    """
    run = Run.start(TicTacToe(), config_for(TicTacToe(), lockstep=True, **changes), seed)
    look(run)
    train(run, look, workers=0)
    return run


class Update(NamedTuple):
    games: int  # played so far
    net: nn.Module
    losses: list[dict[str, float]]  # of each step of this update: "value" and "policy"


def train_as_the_thesis(
    seed: int,
    *,
    games: int,
    learning_rate: float,
    l2: float,
    filters: int,
    c_puct: float,
    alpha: float,
    self_play_simulations: int = 100,
    games_an_update: int = 50,
    boards: int = 384,
    epochs: int = 5,
    batch: int = 32,
) -> Iterator[Update]:
    """The thesis' training: one residual block, Adam with L2, 25 % noise, temperature 1 throughout.

    After every 50 games it learns for five epochs from 384 boards (its "batch size") drawn from a buffer. There are no
    symmetries (its section 3.3).

    Not printed, and chosen here: in how many steps an epoch goes through the 384 boards (`batch` a step, 32 as Keras
    has it by default), that the buffer holds the latest 50 games, and that the run of 1,000 games,
    too, learns after every 50. Its "temperature of 100" is read as: greedy after 100 moves.
    """
    game = TicTacToe()
    net = make_resnet(game, seed, blocks=1, channels=filters)
    optimizer = torch.optim.Adam(net.parameters(), learning_rate, weight_decay=l2)
    rng = np.random.default_rng(seed)
    for played in range(games_an_update, games + 1, games_an_update):
        examples = batched_self_play(
            make_batched(game), TorchNetwork(net), games_an_update, rng, lockstep=games_an_update,
            simulations=self_play_simulations, c_puct=c_puct, noise_alpha=alpha, noise_fraction=0.25, blunder_margin=3.0,
        )  # fmt: skip
        chosen = rng.permutation(len(examples))[:boards]
        losses = []
        for _ in range(epochs):
            for rows in np.array_split(rng.permutation(chosen), max(1, len(chosen) // batch)):
                some = examples[rows]
                losses.append(train_step(net, optimizer, some.planes.astype(np.float32), some.policy, some.value))
        yield Update(played, net.eval(), losses)


class Iteration(NamedTuple):
    """Of the loop with a gate: what was played, the losses of each step, the gate, and the champion after it."""

    examples: Examples
    losses: list[dict[str, float]]
    accepted: bool
    score: Score
    champion: nn.Module


def train_with_a_gate(
    seed: int,
    *,
    iterations: int,
    games: int,
    simulations: int,
    c_puct: float,
    exploratory_plies: int,
    epochs: int,
    batch: int,
    learning_rate: float,
    threshold: float,
    network: Callable[[TicTacToe, int], nn.Module] = make_network,
) -> Iterator[Iteration]:
    """Self-play without noise, a copy that learns from it by plain gradient descent, and a gate, over and over.

    The gate's games begin at the empty board, and both players are deterministic: however many are played, they are
    two, one for each color.
    """
    game = TicTacToe()
    batched, rng, champion = make_batched(game), np.random.default_rng(seed), network(game, seed)
    for _ in range(iterations):
        examples = batched_self_play(
            batched, TorchNetwork(champion), games, rng, lockstep=games, simulations=simulations, c_puct=c_puct,
            exploratory_plies=exploratory_plies, noise_fraction=0.0, blunder_margin=3.0,
        )  # fmt: skip
        candidate, losses = copy.deepcopy(champion), []
        optimizer = torch.optim.SGD(candidate.parameters(), learning_rate)
        for _ in range(epochs):
            for rows in np.array_split(rng.permutation(len(examples)), max(1, len(examples) // batch)):
                some = examples[rows]
                losses.append(train_step(candidate, optimizer, some.planes.astype(np.float32), some.policy, some.value))
        score = both_colors(TorchNetwork(candidate), TorchNetwork(champion), simulations, c_puct)
        decisive = score.wins + score.losses
        accepted = decisive > 0 and score.wins / decisive >= threshold
        if accepted:
            champion = candidate
        yield Iteration(examples, losses, accepted, score, champion)


def both_colors(one: Network, other: Network, simulations: int, c_puct: float) -> Score:
    """A game from the empty board with each color; the score of `one`."""
    game, results = TicTacToe(), []
    batched = make_batched(game)
    for color in (1, -1):
        state = game.initial_state()
        while not game.is_terminal(state):
            network = one if game.to_play(state) == color else other
            visits = batched_search(batched, batched.from_states([state]), network, simulations, c_puct)
            state = game.play(state, int(visits[0].argmax()))
        results.append(game.winner(state) * color)
    return Score(results.count(1), results.count(0), results.count(-1))
