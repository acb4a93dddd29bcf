"""The supervised stage of a published course, on recorded games of tree search: rates, epochs, games.

Its code takes a step after every example. Here a batch has 32, and the rate is 32 times as large, which comes to about
the same.
"""

import torch

from course_utils.games import TicTacToe
from course_utils.learning.exam import exam, right_moves
from course_utils.learning.fitting import fit
from course_utils.learning.rollout_games import load_games
from course_utils.networks.policy_value import TorchNetwork, make_network
from course_utils.results import Result, Row, table
from lab.experiment import Experiment
from lab.shown import each, mean, spread, table_of

BATCH = 32


def measure(seed: int, rate: float, games: int, epochs: tuple[int, ...]) -> list[Row]:
    """After so many epochs over the first recorded games: both losses, and the network's share of right moves."""
    game, table = TicTacToe(), load_games("mcts_games_sampled")
    mine = table.games < games
    examples = table.planes[mine], table.policies[mine], table.values[mine]
    net = make_network(game, seed)
    optimizer = torch.optim.SGD(net.parameters(), BATCH * rate)
    rows: list[Row] = []
    for before, after in zip((0, *epochs), epochs, strict=False):
        value_loss, policy_loss = fit(net, examples, optimizer, epochs=after - before, batch=BATCH, seed=seed + before)[
            -1
        ]
        right = right_moves(game, TorchNetwork(net), exam(game.name), 0)
        losses = dict(value_loss=round(value_loss, 4), policy_loss=round(policy_loss, 4))
        rows.append(dict(epochs=after, examples=int(mine.sum()), **losses, right=round(right, 4)))
    return rows


EXPERIMENT = Experiment(
    question="Learning from recorded games: what do the learning rate, the epochs and the number of games change?",
    published="rates of 0.001 to 0.05, 50 to 100 epochs and 50 to 500 games are to be tried; "
    "the loss of one run falls from 2.38 to 0.89",
    measure=measure,
    base=dict(rate=0.01, games=100, epochs=(30, 50, 100)),
    variants={
        "rate 0.01": {},
        "rate 0.001": dict(rate=0.001),
        "rate 0.05": dict(rate=0.05),
        "rate 0.01, 50 games": dict(games=50),
    },
    quick=dict(epochs=(1, 2)),
    seeds=range(5),
)


@table_of("supervised_stage")
def by_epochs(result: Result) -> str:
    """Right moves of the network alone and the policy's loss."""
    lines = []
    for name in each(result.rows, "variant"):
        line: Row = {"varied": name}
        for epochs in each(result.rows, "epochs"):
            rows = result.where(variant=name, epochs=epochs)
            loss = mean(row["policy_loss"] for row in rows)
            right = spread(100 * row["right"] for row in rows)
            line[f"{epochs} epochs: right moves, %; cross-entropy"] = f"{right}; {loss:.2f}"
        lines.append(line)
    return table(lines)
