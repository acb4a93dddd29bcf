"""Notebook 05's comparisons with several seeds: how the network of tic-tac-toe learns from recorded games of tree search.

What counts is the share of the network's favorite moves that keep the value, where some move loses it. A few minutes on one core.
"""

from collections.abc import Iterator

import numpy as np
import torch

from benchmarks.command import command
from course_utils.games import TicTacToe
from course_utils.learning.fitting import (
    Apart,
    Shared,
    cross_entropy_loss,
    fit,
    one_number_per_cell,
    squared_error_loss,
)
from course_utils.learning.rollout_games import RolloutGames, gather, load_games, rollout_game
from course_utils.networks.policy_value import make_network
from course_utils.results import Row
from course_utils.search.minimax import solve

GAME = TicTacToe()


class Exam:
    """All positions of the game, and which moves keep their value."""

    def __init__(self) -> None:
        values = solve(GAME, GAME.initial_state())
        states = [state for state in values if not GAME.is_terminal(state)]
        self.planes = np.stack([GAME.encode(state) for state in states])
        self.legal, self.good = np.zeros((2, len(states), GAME.num_actions), dtype=bool)
        for row, state in enumerate(states):
            for action in GAME.legal_actions(state):
                self.legal[row, action] = True
                self.good[row, action] = -values[GAME.play(state, action)] == values[state]
        self.matters = (self.legal & ~self.good).any(axis=1)

    def share(self, network, inputs=lambda planes: planes) -> float:
        """Of favorite legal moves that keep the value, where some move does not."""
        with torch.no_grad():
            logits = network(torch.tensor(inputs(self.planes), dtype=torch.float32))[1].numpy()
        favorite = np.where(self.legal, logits, -np.inf).argmax(axis=1)
        return float(self.good[self.matters, favorite[self.matters]].mean())


def turned(table: RolloutGames) -> RolloutGames:
    """Each position in its eight forms, with its policy."""
    forms = [
        [*GAME.symmetries(planes, policy)] for planes, policy in zip(table.planes, table.policies, strict=True)
    ]
    planes, policies = (np.stack([form[part] for several in forms for form in several]) for part in (0, 1))
    repeats = len(planes) // len(table.planes)
    return RolloutGames(planes, policies, np.repeat(table.values, repeats), np.repeat(table.games, repeats))


def trained(exam: Exam, network, table: RolloutGames, seed: int, inputs=lambda planes: planes, rate=0.3, **options) -> Row:
    examples = (inputs(table.planes), table.policies, table.values)
    losses = fit(network, examples, torch.optim.SGD(network.parameters(), rate), seed=seed, **options)[-1]
    return dict(
        seed=seed, value_loss=round(losses[0], 4), policy_loss=round(losses[1], 4), good=round(exam.share(network, inputs), 4)
    )


@command("network_training")
def network_training(seeds=range(5)) -> Iterator[Row]:
    """Losses, rates, trunks, inputs, symmetries and amounts of data, one at a time."""
    exam, sampled = Exam(), load_games("mcts_games_sampled")

    def positions(table: RolloutGames) -> int:
        return len(np.unique(table.planes.reshape(len(table.values), -1), axis=0))

    for seed in seeds:
        for name, loss, rate in (
            ("cross-entropy, rate 0.3", cross_entropy_loss, 0.3),
            ("squared error, rate 0.3", squared_error_loss, 0.3),
            ("squared error, rate 1.5", squared_error_loss, 1.5),
        ):
            row = trained(exam, make_network(GAME, seed), sampled, seed, rate=rate, policy_loss=loss)
            yield dict(part="loss", variant=name, **row)
        for width, inputs in ((18, lambda planes: planes), (9, one_number_per_cell)):
            for kind in (Shared, Apart):
                name = f"{kind.__name__.lower()}, {width} inputs"
                yield dict(part="trunk", variant=name, **trained(exam, kind(width, seed), sampled, seed, inputs))
        yield dict(part="patience", variant="100 epochs", **trained(exam, make_network(GAME, seed), sampled, seed, epochs=100))
        yield dict(part="symmetry", variant="eight forms", **trained(exam, make_network(GAME, seed), turned(sampled), seed))
        for games, simulations in ((100, 200), (100, 2000), (500, 200)):
            rng = np.random.default_rng(seed)
            table = gather([rollout_game(GAME, simulations, rng, sampled=True) for _ in range(games)])
            row = trained(exam, make_network(GAME, seed), table, seed)
            yield dict(part="data", variant=f"{games} games, {simulations} simulations", positions=positions(table), **row)
