"""Series of games, and how certain their results are. `arena` plays single games."""

import math
from collections.abc import Iterable
from itertools import combinations

import numpy as np

from course_utils.exercise import exercise
from course_utils.games import Game
from course_utils.learning.arena import Player, Score, match, play_game


@exercise("41")
def wilson_interval(successes: int, trials: int, z: float = 1.96) -> tuple[float, float]:
    """Compute the Wilson score interval of a share (Wilson 1927), about 95 % with z = 1.96.

    It holds every p that lies within z * sqrt(p (1 - p) / trials) of the share that was seen.
    Returns (low, high). Raises ValueError if there were no trials.
    """
    if trials < 1:
        raise ValueError("an interval needs at least one trial")
    share = successes / trials
    center = share + z**2 / (2 * trials)
    half = z * math.sqrt(share * (1 - share) / trials + z**2 / (4 * trials**2))
    scale = 1 + z**2 / trials
    return max(0.0, (center - half) / scale), min(1.0, (center + half) / scale)


def elo_ratings(points: np.ndarray) -> np.ndarray:
    """Compute ratings under which every player's expected points are the points that it made.

    Player i should take 1 / (1 + 10^((R_j - R_i) / 400)) of the points from j.
    For each pair that met, one draw is added first, so that no rating is infinite.
    points: [players, players]; points[i, j] are those that i took from j.
    Returns [players] with a mean of 0, right to within a tenth. (Bradley and Terry 1952.)
    """
    met = points + points.T > 0
    points = points + 0.5 * met
    games = points + points.T
    strength = np.ones(len(points))  # 10^(R / 400)
    made = points.sum(axis=1)
    # A player's expected points are strength * sum of games / (strength + the opponent's): scale until they match.
    while True:
        expected = strength * (games / (strength[:, None] + strength)).sum(axis=1)
        if not np.abs(made - expected).max() >= 1e-5:  # at once for a single player, and where a number is NaN
            break
        strength = strength * made / expected
        strength /= np.exp(np.log(strength).mean())
    return 400 * np.log10(strength)


def play_series(game: Game, first: Player, second: Player, games: Iterable) -> Score:
    """One game for each item of `games`, all from the start, `first` always moving first.

    Args:
        games: only counted: `range(100)`, or `tqdm(range(100))` for a progress bar.

    Returns:
        Score from the point of view of `first`.
    """
    results = [play_game(game, {1: first, -1: second}) for _ in games]
    return Score(results.count(1), results.count(0), results.count(-1))


def round_robin(game: Game, agents: dict[str, Player], openings: list, progress=None) -> dict[tuple[str, str], Score]:
    """A match of each two agents: two games from each opening, with colors exchanged.

    Args:
        progress: wraps the list of pairs; `tqdm` for a progress bar.

    Returns:
        (name, name) -> Score from the point of view of the first. Both orders of each pair are there.
    """
    pairs = list(combinations(agents, 2))
    table = {}
    for first, second in progress(pairs) if progress else pairs:
        score = match(game, agents[first], agents[second], openings)
        table[first, second] = score
        table[second, first] = Score(score.losses, score.draws, score.wins)
    return table


def points(score: Score) -> float:
    """The share of points, from 0 to 1: a win counts 1, a draw a half."""
    return (score.wins + score.draws / 2) / sum(score)
