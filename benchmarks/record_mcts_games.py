"""The games that notebook 05 learns from: tree search with rollouts against itself, recorded in course_utils/data.

    python benchmarks/record_mcts_games.py                      mcts_games: 100 games, 800 simulations a move
    python benchmarks/record_mcts_games.py mcts_games_sampled   the same, moves drawn in proportion to their visits
    python benchmarks/record_mcts_games.py my_games --games 50 --simulations 200

The same command gives the same file. Ten to thirty seconds each, on one core.
"""

import argparse
import time

import numpy as np
from tqdm import tqdm

from course_utils.games import TicTacToe
from course_utils.learning.rollout_games import DATA, gather, rollout_game, save_games


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        "name", nargs="?", default="mcts_games", help="of the file; with 'sampled' in it, moves are sampled"
    )
    parser.add_argument("--games", type=int, default=100)
    parser.add_argument("--simulations", type=int, default=800)
    parser.add_argument("--seed", type=int, default=0)
    chosen = parser.parse_args()
    game, rng, began = TicTacToe(), np.random.default_rng(chosen.seed), time.perf_counter()
    sampled = "sampled" in chosen.name
    games = [rollout_game(game, chosen.simulations, rng, sampled=sampled) for _ in tqdm(range(chosen.games))]
    path = DATA / f"{chosen.name}.npz"
    save_games(path, games)
    table = gather(games)
    print(
        f"{len(table.values)} positions, {path.stat().st_size / 1000:.0f} kB, {time.perf_counter() - began:.0f} s: {path}"
    )


if __name__ == "__main__":
    main()
