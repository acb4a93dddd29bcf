"""What each part of the Connect Four training is worth: the same short run with one thing changed.

    python benchmarks/ablations.py [NAME ...] [--seeds 0 1] [--iterations 12] [--json FILE]

Every run has the same number of games, and is graded at its end by the perfect player's answers (the share of value-keeping moves
where some move loses value). Two runs at a time, each in one process; minutes are of processor time.
"""

import argparse
import json
import os
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from itertools import product
from multiprocessing import get_context
from pathlib import Path

os.environ.setdefault("OMP_NUM_THREADS", "1")

import torch
from tqdm import tqdm

from course_utils.files import write_atomically
from course_utils.games import ConnectFour
from course_utils.learning.batched_training import BatchedTraining, BatchedTrainingConfig, train_batched
from course_utils.learning.exam import load_positions, searched_moves, share_kept
from course_utils.networks.fast import FoldedNetwork

BASE = BatchedTrainingConfig(channels=32, games=1024, parts=1, last_simulations=48, steps=100)
VARIANTS = {
    "as it is": {},
    "outcome carried back to the start": dict(blunder_margin=3.0),
    "no root value in the target": dict(root_share=0.0),
    "root value only": dict(root_share=1.0),
    "no symmetries": dict(symmetries=False),
    "the latest network plays, no average": dict(average=0.0),
    "no random openings": dict(opening_share=0.0),
    "visits as they are, policy_power 1": dict(policy_power=1.0),
    "c_puct 2": dict(c_puct=2.0),
    "no noise at the root": dict(noise_fraction=0.0),
    "twice the simulations, half the games": dict(first_simulations=48, last_simulations=96, games=512),
    "half the simulations, twice the games": dict(first_simulations=12, last_simulations=24, games=2048),
}


def run(name: str, seed: int, iterations: int) -> dict:
    """One training run: what its network is worth at the end."""
    torch.set_num_threads(1)
    game, positions = ConnectFour(), load_positions()
    training = BatchedTraining.start(game, replace(BASE, iterations=iterations, **VARIANTS[name]), seed)
    train_batched(training, workers=0)
    network, found = FoldedNetwork(training.average), dict(minutes=training.cpu_seconds / 60)
    for simulations in (0, 100):
        found[str(simulations)] = share_kept(positions, searched_moves(game, network, positions, simulations))[
            "matters"
        ]
    return found


def table(results: dict[str, dict]) -> str:
    """Means over the seeds; the lowest and the highest in brackets, if there are several. `results`: name -> seed -> what `run` found."""

    def mean(shares: list) -> str:
        percents = [100 * share[0] / share[1] for share in shares]
        spread = f" ({min(percents):.1f} to {max(percents):.1f})" if len(percents) > 1 else ""
        return f"{sum(percents) / len(percents):.1f}{spread}"

    lines = ["| run | seeds | minutes | network alone, % | 100 simulations, % |", "|---|---|---|---|---|"]
    for name, seeds in results.items():
        runs = list(seeds.values())
        minutes = sum(found["minutes"] for found in runs) / len(runs)
        cells = [name, len(runs), f"{minutes:.1f}", *(mean([found[key] for found in runs]) for key in ("0", "100"))]
        lines.append("| " + " | ".join(map(str, cells)) + " |")
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("names", nargs="*", help=f"{'; '.join(VARIANTS)}. All if none is named")
    parser.add_argument("--seeds", type=int, nargs="+", default=[0, 1])
    parser.add_argument("--iterations", type=int, default=12)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    unknown = [name for name in options.names if name not in VARIANTS]
    if unknown:
        parser.error(f"there is no variant {', '.join(unknown)}")
    jobs = list(product(options.seeds, options.names or VARIANTS))
    results: dict[str, dict] = {name: {} for _, name in jobs}
    with ProcessPoolExecutor(2, get_context("spawn")) as pool:
        futures = [pool.submit(run, name, seed, options.iterations) for seed, name in jobs]
        for (seed, name), future in zip(jobs, tqdm(futures), strict=True):
            results[name][seed] = future.result()
            if options.json:  # what is done is kept
                write_atomically(options.json, json.dumps(results, indent=1))
    print(table(results))


if __name__ == "__main__":
    main()
