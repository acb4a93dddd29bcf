"""Gumbel search beside PUCT, from the same networks: strength by the number of simulations, and time per move."""

import time
from collections.abc import Callable, Iterator

import numpy as np
import torch

from course_utils.agents import CHECKPOINTS
from course_utils.games import ConnectFour, Game, TicTacToe
from course_utils.games.batched import make_batched
from course_utils.learning.config import config_for
from course_utils.learning.engine import train
from course_utils.learning.exam import exam
from course_utils.learning.run import Run
from course_utils.networks import settings_of
from course_utils.networks.checkpoint import load_network
from course_utils.networks.fast import FoldedNetwork
from course_utils.networks.policy_value import TorchNetwork
from course_utils.results import Row
from course_utils.search.batched import batched_search
from course_utils.search.gumbel import batched_gumbel_search, gumbel_search
from course_utils.search.puct import mcts_search
from lab.command import command

BUDGETS = {"puct": (4, 8, 16, 32, 64), "gumbel": (4, 8, 16, 32)}
TRAINED = {  # what the networks on their way come of, by self-play with PUCT
    "tictactoe": dict(lockstep=True, iterations=4, games=256, steps=100),
    "connect_four": dict(
        iterations=6, network="resnet", blocks=2, channels=32, games=256, parts=1, first_simulations=None, simulations=24, steps=60,
        batch=256,
    ),
}  # fmt: skip
STAGES = {"tictactoe": (0, 2, 4), "connect_four": (0, 3, 6)}  # iterations
TIMED = 12  # positions, for the time of a single move


def on_their_way(game: Game, seed: int) -> Iterator[tuple[int, torch.nn.Module]]:
    """(iterations, network) of position short training run."""
    run = Run.start(game, config_for(game, **TRAINED[game.name]), seed)
    for stage in STAGES[game.name]:
        if stage:
            train(run, lambda run, stage=stage: len(run.history) == stage, workers=0)
        yield stage, run.network


def seconds_of(work: Callable[[], object]) -> tuple[object, float]:
    """What it returns, and the processor time that it took."""
    began = time.process_time()
    return work(), time.process_time() - began


def compared(game: Game, net: torch.nn.Module, **head: object) -> Iterator[Row]:
    """Both searches with every budget, in all positions of the game's exam, and position game at a time in a few."""
    network = TorchNetwork(net) if game.name == "tictactoe" else FoldedNetwork(net)
    positions, batched, c_puct = exam(game.name), make_batched(game), settings_of(net).c_puct
    states, few = batched.from_states([position.state for position in positions]), positions[:: len(positions) // TIMED]
    for search, budgets in BUDGETS.items():
        for n in budgets:
            if search == "puct":
                many = lambda n=n: batched_search(batched, states, network, n, c_puct).argmax(axis=1)  # noqa: E731
                alone = lambda n=n: [mcts_search(game, position.state, network, n, c_puct) for position in few]  # noqa: E731
            else:
                many = lambda n=n: batched_gumbel_search(batched, states, network, n).actions  # noqa: E731
                alone = lambda n=n: [gumbel_search(game, position.state, network, n) for position in few]  # noqa: E731
            moves, seconds = seconds_of(many)
            _, seconds_alone = seconds_of(alone)
            kept = [position.keeps[move] for position, move in zip(positions, np.asarray(moves), strict=True)]
            yield dict(
                game=game.name,
                **head,
                search=search,
                simulations=n,
                kept=int(sum(kept)),
                of=len(kept),
                ms_in_batch=round(1000 * seconds / len(kept), 3),
                ms_alone=round(1000 * seconds_alone / len(few), 2),
            )


@command("gumbel_strength")
def gumbel_strength(games=("tictactoe", "connect_four"), seeds=(0, 1, 2)) -> Iterator[list[Row]]:
    """The share of right moves of Gumbel search and PUCT from the same networks: untrained, half-trained, shipped."""
    for game in (TicTacToe(), ConnectFour()):
        if game.name not in games:
            continue
        shipped = load_network(CHECKPOINTS / f"{game.name}.pt", game.name)
        yield list(compared(game, shipped, network="shipped", seed=0))
        for seed in seeds:
            for stage, net in on_their_way(game, seed):
                name = f"after {stage} iterations" if stage else "untrained"
                yield list(compared(game, net, network=name, seed=seed))
