"""The training loop with the network by hand: the end of the notebook 'The network by hand'."""

from collections.abc import Iterator

import numpy as np

from course_utils.games import Game
from course_utils.games.batched import make_batched
from course_utils.learning.batched_self_play import batched_self_play
from course_utils.learning.examples import ReplayBuffer
from course_utils.networks.by_hand import Mlp, Weights, mlp_forward, network_backward, sgd_step


def alphazero_by_hand(
    game: Game,
    weights: Weights,
    rng: np.random.Generator,
    *,
    iterations: int = 40,
    games: int = 100,
    steps: int = 300,
    batch: int = 64,
    learning_rate: float = 0.3,
) -> Iterator[Weights]:
    """Self-play, then steps downhill, over and over. Yields the weights after each iteration."""
    buffer = ReplayBuffer(40_000)
    for _ in range(iterations):
        played = batched_self_play(make_batched(game), Mlp(weights), games, rng, simulations=25, noise_fraction=0.75)
        buffer.add(played, game)  # in all symmetric forms
        for _ in range(steps):
            planes, policies, values = buffer.sample(batch, rng)
            activations = mlp_forward(weights, planes.reshape(batch, -1))
            gradients = network_backward(weights, activations, policies, values)
            weights = sgd_step(weights, gradients, learning_rate)
        yield weights
