"""Recorded games of tree search with rollouts against itself: the first examples for a network."""

import io
from pathlib import Path
from typing import NamedTuple

import numpy as np

from course_utils.files import open_zip
from course_utils.games import Game
from course_utils.learning.self_play import value_targets
from course_utils.search.uct import UctNode, uct_search

DATA = Path(__file__).resolve().parents[1] / "data"
MOST = 2**30  # bytes of a file, unpacked


class RolloutGames(NamedTuple):
    """The positions of many games, in order of play."""

    planes: np.ndarray  # float64 [positions, planes, rows, columns], for the player to move
    policies: np.ndarray  # float64 [positions, num_actions]: the search's visits divided by their sum
    values: np.ndarray  # float64 [positions]: +1 the player to move went on to win, -1 to lose, 0 to draw
    games: np.ndarray  # int [positions]: which game each is from

    def some(self, rows) -> "RolloutGames":
        """Only these positions: a mask or a list of indices."""
        return RolloutGames(*(column[rows] for column in self))


def rollout_game(game: Game, simulations: int, rng: np.random.Generator, *, sampled: bool = False):
    """One game of `uct_search` against itself, each move searched from a fresh tree.

    Args:
        sampled: choose moves in proportion to their visits; otherwise the most visited is played.

    Returns:
        (planes [positions, planes, rows, columns], visits [positions, num_actions], values [positions]).
    """
    planes, visits, players = [], [], []
    state = game.initial_state()
    while not game.is_terminal(state):
        counts = uct_search(game, UctNode(game, state), simulations, rng)
        planes.append(game.encode(state))
        visits.append(counts)
        players.append(game.to_play(state))
        action = rng.choice(len(counts), p=counts / counts.sum()) if sampled else counts.argmax()
        state = game.play(state, int(action))
    return np.stack(planes), np.stack(visits), value_targets(players, game.winner(state))


def gather(games: list) -> RolloutGames:
    """What `rollout_game` returned for each of several games, as one table."""
    planes, visits, values = (np.concatenate(column).astype(np.float64) for column in zip(*games, strict=True))
    numbers = np.repeat(np.arange(len(games)), [len(values) for _, _, values in games])
    return RolloutGames(planes, visits / visits.sum(axis=1, keepdims=True), values + 0.0, numbers)  # no -0.0


def save_games(path: Path, games: list) -> None:
    """Small on disk: bits for the planes, 16-bit visits."""
    planes, visits, values = (np.concatenate(column) for column in zip(*games, strict=True))
    lengths = np.array([len(values) for _, _, values in games], dtype=np.int16)
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("wb") as file:
        np.savez_compressed(
            file, planes=planes != 0, visits=visits.astype(np.int16), values=values.astype(np.int8), lengths=lengths
        )


def load_games(name: str) -> RolloutGames:
    """What `lab/mcts_games.py` played.

    Raises ValueError: there is no such file (it says which there are), or it is damaged.
    """
    path = DATA / f"{name}.npz"
    if not path.exists():
        raise ValueError(f"no games are called {name!r}; there are: {sorted(p.stem for p in DATA.glob('*.npz'))}")
    try:
        open_zip(content := path.read_bytes(), MOST)
        with np.load(io.BytesIO(content), allow_pickle=False) as file:
            ends = file["lengths"].cumsum()[:-1]
            columns = [np.split(file[key], ends) for key in ("planes", "visits", "values")]
        return gather(list(zip(*columns, strict=True)))
    except Exception:  # what is no such file can fail in any way
        raise ValueError(
            f"{path} is damaged: play its games again, with `python -m lab mcts_games --name {name}`"
        ) from None
