"""Record games of tree search with rollouts in course_utils/data, for the notebook 'The network by hand'."""

import numpy as np
from tqdm import tqdm

from course_utils.games import TicTacToe
from course_utils.learning.rollout_games import DATA, gather, rollout_game, save_games
from lab.command import command


@command("mcts_games")
def mcts_games(name="mcts_games", games=100, simulations=800, seed=0) -> None:
    """Play games and keep them as NAME.npz; with "sampled" in its name, moves are drawn in proportion to their visits.

    The same command gives the same file. Ten to thirty seconds, on one core.
    """
    rng = np.random.default_rng(seed)
    played = [rollout_game(TicTacToe(), simulations, rng, sampled="sampled" in name) for _ in tqdm(range(games))]
    path = DATA / f"{name}.npz"
    save_games(path, played)
    print(f"{len(gather(played).values)} positions, {path.stat().st_size / 1000:.0f} kB: {path}")
