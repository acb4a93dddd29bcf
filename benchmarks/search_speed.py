"""Simulations a second: search in one game, in many games at once, and the limit that the network sets.

    python benchmarks/search_speed.py [--simulations 100] [--rounds 5] [--json out.json]

One process, one thread. All figures are per second of processor time, so other programs on the machine disturb them little;
limit and search take turns, and the best of the rounds counts, so that fractions of the limit hold on a noisy machine, too.

A network's limit is how many boards it judges when it does nothing else, in batches of the same size. A simulation that ends at a
finished game, or (cached) at a position seen before, does not ask it: so a search may go past the limit.
"""

import argparse
import json
import os
import time
from pathlib import Path

os.environ.setdefault("OMP_NUM_THREADS", "1")

import numpy as np
import torch

from course_utils.files import write_atomically
from course_utils.games import ConnectFour, TicTacToe
from course_utils.games.batched import make_batched
from course_utils.learning.batched_self_play import SelfPlayConfig, random_openings
from course_utils.networks.cache import CachedNetwork
from course_utils.networks.fast import FoldedNetwork, bfloat16_pays, fast_inference
from course_utils.networks.policy_value import TorchNetwork, make_network
from course_utils.networks.resnet import make_resnet
from course_utils.search.batched import batched_search
from course_utils.search.puct import mcts_search

BATCHES = (64, 256, 1024)
C_PUCT = 1.5


class Counted:
    """A network that counts the boards it was asked about."""

    def __init__(self, network):
        self.network, self.boards = network, 0

    def __call__(self, planes):
        self.boards += len(planes)
        return self.network(planes)


def rate(work, count: int, repeat: int = 1) -> float:
    """`count` things a call, per second of processor time."""
    began = time.process_time()
    for _ in range(repeat):
        work()
    return count * repeat / (time.process_time() - began)


def measure(game, name: str, single_network, network, plies: int, simulations: int, rounds: int) -> list[dict]:
    """One row for the search of one game, and one for each batch size."""
    batched = make_batched(game)
    config = SelfPlayConfig(opening_share=1.0, opening_plies=plies)
    states, _ = random_openings(batched, max(BATCHES), config, np.random.default_rng(0))
    planes = batched.encode(states)
    one_game = batched.to_states(states[:1])[0]

    def alone():
        mcts_search(game, one_game, single_network, simulations, C_PUCT)

    alone()  # warm
    single = max(rate(alone, simulations) for _ in range(rounds))
    limit = max(rate(lambda: single_network(planes[:1]), 1, repeat=50) for _ in range(rounds))
    rows = [dict(game=game.name, network=name, games=1, search=single, limit=limit, ratio=1.0)]
    for batch in BATCHES:
        counted = Counted(network)
        batched_search(batched, states[:batch], counted, simulations, C_PUCT)  # warm
        asked = counted.boards / (batch * (simulations + 1))
        limits, searches, cached = [], [], []
        for _ in range(rounds):
            calls = max(1, 2048 // batch)
            limits.append(rate(lambda: network(planes[:batch]), batch, repeat=calls))  # noqa: B023
            searches.append(
                rate(lambda: batched_search(batched, states[:batch], network, simulations, C_PUCT), batch * simulations)  # noqa: B023
            )
        memory = CachedNetwork(network)
        moved = states[:batch]
        batched_search(batched, moved, memory, simulations, C_PUCT)
        visits = batched_search(batched, moved, memory, simulations, C_PUCT)
        moved = batched.play(moved, visits.argmax(axis=1))  # the next move of every game: what the memory is for
        cached = rate(lambda: batched_search(batched, moved, memory, simulations, C_PUCT), batch * simulations)  # noqa: B023
        rows.append(
            dict(
                game=game.name,
                network=name,
                games=batch,
                search=max(searches),
                limit=max(limits),
                asked=asked,
                cached=cached,
                ratio=max(searches) / single,
            )
        )
    return rows


def table(rows: list[dict]) -> str:
    """The rows as a Markdown table."""
    lines = [
        "| game, network | games at once | simulations/s | network's limit, boards/s | fraction | simulations that asked the network | next move, with memory | times one game |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for row in rows:
        asked = f"{row['asked']:.2f}" if "asked" in row else ""
        cached = f"{row['cached']:,.0f}" if "cached" in row else ""
        lines.append(
            f"| {row['game']}, {row['network']} | {row['games']} | {row['search']:,.0f} | {row['limit']:,.0f} | "
            f"{row['search'] / row['limit']:.2f} | {asked} | {cached} | {row['ratio']:.1f} |"
        )
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--simulations", type=int, default=100)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--blocks", type=int, default=4)
    parser.add_argument("--channels", type=int, default=64)
    parser.add_argument("--json", help="write the rows here, too")
    options = parser.parse_args()
    torch.set_num_threads(1)

    small = make_network(TicTacToe(), seed=0)
    rows = measure(
        TicTacToe(), "18-64-64", TorchNetwork(small), fast_inference(small), 2, options.simulations, options.rounds
    )
    tower = make_resnet(ConnectFour(), seed=0, blocks=options.blocks, channels=options.channels).eval()
    kinds = {"float32": FoldedNetwork(tower)}
    if bfloat16_pays():
        kinds["bfloat16"] = fast_inference(tower)
    for kind, network in kinds.items():
        name = f"{options.blocks} x {options.channels} {kind}"
        simulations = options.simulations if kind == "bfloat16" else max(1, options.simulations // 4)
        rows += measure(
            ConnectFour(), name, FoldedNetwork(tower), network, 14, simulations, max(1, options.rounds // 2)
        )
    print(table(rows))
    if options.json:
        write_atomically(Path(options.json), json.dumps(rows, indent=1))


if __name__ == "__main__":
    main()
