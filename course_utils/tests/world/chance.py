"""Test random results: draw often, and allow 6.5 standard deviations.

A right answer fails one run in billions, and it may use its generator in any way.
"""

from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from course_utils.tests.case import Such, show
from course_utils.tests.watch import global_seeds

SIGMAS = 6.5  # one in 10 billion


def near(shares, times: int, deviation: float | None = None) -> Such:
    """Expect shares of `times` draws near these probabilities; or means near these, of numbers with this deviation."""
    shares = np.array(shares)
    margin = _margin(shares, times, deviation)

    def holds(got) -> bool:
        return np.shape(got) == shares.shape and bool((np.abs(got - shares) <= margin).all())

    return Such(f"near {show(shares)}", holds)


def unlikely(actions: Sequence[int], visits: Sequence[float], temperature: float) -> list[str]:
    """List actions drawn too often or too rarely for probabilities proportional to visits ** (1 / temperature)."""
    logs = np.log(visits, out=np.full(len(visits), -np.inf), where=np.array(visits) > 0) / temperature
    shares = np.exp(logs - logs.max())
    shares /= shares.sum()
    counts, times = Counter(map(int, actions)), len(actions)
    margins = _margin(shares, times)
    possible = range(len(visits))
    return [f"action {action}: there is none" for action in sorted(counts.keys() - set(possible))] + [
        f"action {action}: {counts[action]} of {times}, expected about {shares[action] * times:.0f}"
        for action in possible
        if abs(counts[action] / times - shares[action]) > margins[action]
    ]


def _margin(shares: np.ndarray, times: int, deviation: float | None = None) -> np.ndarray:
    """Return how far the shares of `times` draws may be from these probabilities."""
    deviations = np.sqrt(shares * (1 - shares)) if deviation is None else deviation
    return SIGMAS * deviations / np.sqrt(times) + SIGMAS / times * (shares > 0)


def follows_the_seed(drawn: Callable[[int], Any]) -> str:
    """Say whether `drawn(seed)` depends on the seed and on no other source of randomness."""
    runs = []
    for global_seed in (1, 2):
        with global_seeds(global_seed):
            runs.append(np.array([np.ravel(drawn(seed)) for seed in range(12)], dtype=float))
    if not np.array_equal(runs[0], runs[1]):
        return "another result at each run"
    return "the same result whatever the seed" if (runs[0] == runs[0][0]).all() else "same seed, same result"
