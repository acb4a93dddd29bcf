"""A published capstone whose listing has the wrong sign at a leaf: the same networks under its search and ours."""

import numpy as np
import torch
from torch import nn

from course_utils.exercise import EXERCISES, using
from course_utils.games import TicTacToe
from course_utils.learning.proof import tictactoe_key
from course_utils.networks.policy_value import TorchNetwork
from course_utils.results import Result, Row, table
from course_utils.search.batched import Tree
from lab.experiment import Experiment
from lab.experiments.published_schedule import EXPERIMENT as SCHEDULE
from lab.schedules import train_with_a_gate
from lab.shown import each, over_seeds, table_of


class SmallNet(nn.Module):
    """9-64-{9, 1}: one plane of +1 for the mover's stones and -1 for the opponent's; weights from -0.5 to 0.5."""

    def __init__(self, game: TicTacToe, seed: int):
        super().__init__()
        self.hidden, self.policy, self.value = nn.Linear(9, 64), nn.Linear(64, game.num_actions), nn.Linear(64, 1)
        generator = torch.Generator().manual_seed(seed)
        for layer in (self.hidden, self.policy, self.value):
            nn.init.uniform_(layer.weight, -0.5, 0.5, generator=generator)
            nn.init.zeros_(layer.bias)

    def forward(self, planes: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        features = torch.relu(self.hidden((planes[:, 0] - planes[:, 1]).flatten(1)))
        return torch.tanh(self.value(features)).squeeze(-1), self.policy(features)


def too_late(tree: Tree, leaves: np.ndarray, values: np.ndarray) -> None:
    """The sign changes after a value was added, not before: so each W gets the other player's gain."""
    EXERCISES["batched_backup"].reference(tree, leaves, -values)


SEARCHES = {"right": {}, "as listed": {"batched_backup": too_late}}


def measure(seed: int, trained_by: str, simulations: int, **settings) -> list[Row]:
    """The untrained and the trained network by either search: exact shares against random moves."""
    key, c_puct = tictactoe_key(), settings["c_puct"]
    with using(SEARCHES[trained_by]):
        *_, last = train_with_a_gate(seed, simulations=simulations, network=SmallNet, **settings)
    rows = []
    for iteration, net in ((0, SmallNet(key.game, seed)), (settings["iterations"], last.champion)):
        for searched_by, versions in SEARCHES.items():
            with using(versions):
                moves = key.moves(TorchNetwork(net), simulations, c_puct)
            odds = np.mean([key.odds(key.plays(moves), key.random, side) for side in (1, -1)], axis=0)
            shares = dict(zip(("won", "drawn", "lost"), np.round(odds, 4).tolist(), strict=True))
            rows.append(dict(iteration=iteration, searched_by=searched_by, **shares, **key.report(moves)))
    return rows


EXPERIMENT = Experiment(
    question="The same networks under two searches that differ in one sign: how do they fare against random moves?",
    published="a trained network that cannot be beaten",
    measure=measure,
    base=dict(SCHEDULE.base, trained_by="as listed"),
    variants={"trained by the listed search": {}, "trained by the right search": dict(trained_by="right")},
    seeds=range(5),
    quick=SCHEDULE.quick,
)


@table_of("sign_at_the_leaf")
def against_random(result: Result) -> str:
    """By the search that trained and the search that plays: the mean of the seeds, with the lowest and the highest."""
    variants = each(result.rows, "variant")
    networks = [("untrained", variants[0], 0), *((variant, variant, 20) for variant in variants)]
    return table(
        {"network": name, "search": search}
        | {
            what: over_seeds(
                result, lambda row, what=what: 100 * row[what], variant=variant, iteration=iteration, searched_by=search
            )
            for what in ("won", "drawn", "lost")
        }
        for name, variant, iteration in networks
        for search in SEARCHES
    )
