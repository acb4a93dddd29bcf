"""What each part of the Connect Four training is worth: the same short run with one thing changed.

Every run has the same number of games, and is graded at its end by the perfect player's answers (the share of value-keeping moves
where some move loses value). Two runs at a time, each in one process; minutes are of processor time.
"""

from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from itertools import product
from multiprocessing import get_context

import torch

from benchmarks.command import command
from course_utils.games import ConnectFour
from course_utils.learning.engine import train
from course_utils.learning.exam import load_positions, searched_moves, share_kept
from course_utils.learning.training import Run, config_for
from course_utils.networks.fast import FoldedNetwork
from course_utils.results import Row

BASE = dict(channels=32, games=1024, parts=1, simulations=48, steps=100)
VARIANTS = {
    "as it is": {},
    "outcome carried back to the start": dict(blunder_margin=3.0),
    "no root value in the target": dict(root_share=0.0),
    "root value only": dict(root_share=1.0),
    "no symmetries": dict(symmetries="none"),
    "the latest network plays, no average": dict(average=0.0),
    "no random openings": dict(opening_share=0.0),
    "visits as they are, policy_power 1": dict(policy_power=1.0),
    "c_puct 2": dict(c_puct=2.0),
    "no noise at the root": dict(noise_fraction=0.0),
    "twice the simulations, half the games": dict(first_simulations=48, simulations=96, games=512),
    "half the simulations, twice the games": dict(first_simulations=12, simulations=24, games=2048),
}


def measure(variant: str, seed: int, iterations: int) -> list[Row]:
    """One training run: what its network is worth at the end, alone and with search."""
    torch.set_num_threads(1)
    game, positions = ConnectFour(), load_positions()
    run = Run.start(game, config_for(game, **{**BASE, **VARIANTS[variant]}, iterations=iterations), seed)
    train(run, workers=0)
    network, rows = FoldedNetwork(run.champion), []
    for simulations in (0, 100):
        moves = searched_moves(game, network, positions, simulations, c_puct=1.5)  # the same search for all
        share = share_kept(positions, moves)["matters"]
        head = dict(variant=variant, seed=seed, minutes=round(run.cpu_seconds / 60, 3), simulations=simulations)
        rows.append(dict(head, **share._asdict()))
    return rows


@command("connect_four_ablations")
def ablations(variants=tuple(VARIANTS), iterations=12, seeds=(0, 1)) -> Iterator[Row]:
    """Short training runs of Connect Four with one thing changed; VARIANTS as they are named in the file."""
    if unknown := set(variants) - set(VARIANTS):
        raise SystemExit(f"there is no variant {', '.join(unknown)}; there are: {'; '.join(VARIANTS)}")
    with ProcessPoolExecutor(2, get_context("spawn")) as pool:
        runs = [pool.submit(measure, variant, seed, iterations) for seed, variant in product(seeds, variants)]
        for future in runs:
            yield from future.result()
