"""The comparisons of the notebook 'The network by hand', with several seeds: learning from recorded games.

`right` is the share of the network's favorite moves that keep the value, where some move loses it. A few minutes on one
core.
"""

from collections.abc import Iterator

import numpy as np
import torch

from course_utils.games import TicTacToe
from course_utils.learning.exam import Position, right_moves, solved_positions
from course_utils.learning.fitting import (
    Apart,
    Shared,
    cross_entropy_loss,
    fit,
    one_number_per_cell,
    squared_error_loss,
)
from course_utils.learning.rollout_games import RolloutGames, gather, load_games, rollout_game
from course_utils.networks.policy_value import TorchNetwork, make_network
from course_utils.results import Result, Row, table
from lab.command import command
from lab.shown import table_of

GAME = TicTacToe()


def turned(table: RolloutGames) -> RolloutGames:
    """Each position in its eight forms, with its policy."""
    forms = [[*GAME.symmetries(planes, policy)] for planes, policy in zip(table.planes, table.policies, strict=True)]
    planes, policies = (np.stack([form[part] for several in forms for form in several]) for part in (0, 1))
    repeats = len(planes) // len(table.planes)
    return RolloutGames(planes, policies, np.repeat(table.values, repeats), np.repeat(table.games, repeats))


def trained(exam: list[Position], network, table: RolloutGames, seed: int, inputs=None, rate=0.3, **options) -> Row:
    """Train, and grade the favorite legal moves. `inputs` makes of planes what the network is given."""
    planes = table.planes if inputs is None else inputs(table.planes)
    examples = (planes, table.policies, table.values)
    losses = fit(network, examples, torch.optim.SGD(network.parameters(), rate), seed=seed, **options)[-1]

    def asked(planes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        return TorchNetwork(network)(planes if inputs is None else inputs(planes))

    right = right_moves(GAME, asked, exam, 0)
    return dict(seed=seed, value_loss=round(losses[0], 4), policy_loss=round(losses[1], 4), right=round(right, 4))


@command("network_training")
def network_training(seeds=range(5)) -> Iterator[Row]:
    """Losses, rates, trunks, inputs, symmetries and amounts of data, one at a time."""
    exam = [position for position in solved_positions(GAME) if position.matters]
    sampled = load_games("mcts_games_sampled")

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
        for width, inputs in ((18, None), (9, one_number_per_cell)):
            for kind in (Shared, Apart):
                name = f"{kind.__name__.lower()}, {width} inputs"
                yield dict(part="trunk", variant=name, **trained(exam, kind(width, seed), sampled, seed, inputs))
        yield dict(
            part="patience", variant="100 epochs", **trained(exam, make_network(GAME, seed), sampled, seed, epochs=100)
        )
        yield dict(
            part="symmetry", variant="eight forms", **trained(exam, make_network(GAME, seed), turned(sampled), seed)
        )
        for games, simulations in ((100, 200), (100, 2000), (500, 200)):
            rng = np.random.default_rng(seed)
            table = gather([rollout_game(GAME, simulations, rng, sampled=True) for _ in range(games)])
            row = trained(exam, make_network(GAME, seed), table, seed)
            yield dict(
                part="data", variant=f"{games} games, {simulations} simulations", positions=positions(table), **row
            )


@table_of("network_training")
def ranges(result: Result) -> str:
    """Over the seeds."""
    heads = {
        "right moves, %": ("right", 100, ".0f"),
        "value loss": ("value_loss", 1, ".2f"),
        "cross-entropy": ("policy_loss", 1, ".2f"),
        "different positions": ("positions", 1, ".0f"),
    }
    lines = []
    for part, variant in dict.fromkeys((row["part"], row["variant"]) for row in result.rows):
        found = result.where(part=part, variant=variant)
        line: Row = {"what": f"{part}: {variant}", "seeds": len(found)}
        for head, (key, scale, form) in heads.items():
            numbers = [scale * row[key] for row in found if key in row]
            line[head] = f"{min(numbers):{form}} to {max(numbers):{form}}" if numbers else ""
        lines.append(line)
    return table(lines)
