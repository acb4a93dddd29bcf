"""Many games, and how sure one may be of their result. `arena` plays the single ones."""

import math
from collections.abc import Iterable
from itertools import combinations

from course_utils.games import Game
from course_utils.learning.arena import Player, Score, match, play_game


def wilson_interval(successes: int, trials: int, z: float = 1.96) -> tuple[float, float]:
    """The Wilson score interval of a proportion; with z = 1.96 it covers the true one about 95 times of 100.

    It stays between 0 and 1, and is honest near them: after 20 wins of 20 it says (0.84, 1), not (1, 1).

    Raises:
        ValueError: there were no trials.
    """
    if trials < 1:
        raise ValueError("an interval needs at least one trial")
    share = successes / trials
    center = share + z**2 / (2 * trials)
    half = z * math.sqrt(share * (1 - share) / trials + z**2 / (4 * trials**2))
    scale = 1 + z**2 / trials
    return max(0.0, (center - half) / scale), min(1.0, (center + half) / scale)


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
    for one, other in progress(pairs) if progress else pairs:
        score = match(game, agents[one], agents[other], openings)
        table[one, other] = score
        table[other, one] = Score(score.losses, score.draws, score.wins)
    return table


def points(score: Score) -> float:
    """The share of points, from 0 to 1: a win counts 1, a draw a half."""
    return (score.wins + score.draws / 2) / sum(score)
