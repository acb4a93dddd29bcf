"""Tic-tac-toe trained with the thesis' schedule, as far as it is printed."""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import torch
from torch import nn

from course_utils.games import TicTacToe
from course_utils.games.batched import make_batched
from course_utils.learning.batched_self_play import batched_self_play
from course_utils.learning.training import train_step
from course_utils.networks.policy_value import TorchNetwork
from course_utils.networks.resnet import make_resnet


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
    """One residual block, Adam with L2, 25 % noise, temperature 1 throughout; after every 50 games, five epochs over 384 boards of them.

    Not printed, and chosen here: batches of 32 in an epoch, no symmetries, and that the boards are drawn from the latest games.
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
            for part in np.array_split(rng.permutation(chosen), max(1, len(chosen) // batch)):
                some = examples[part]
                losses.append(train_step(net, optimizer, some.planes.astype(np.float32), some.policy, some.value))
        yield Update(played, net.eval(), losses)
