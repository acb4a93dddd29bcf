"""Where chance decides, a scene draws often and allows six and a half standard deviations: a right answer fails one run in
billions, and it may use its generator in any way it likes."""

from collections.abc import Callable
from typing import Any

import numpy as np

from course_utils.tests.case import Such, show
from course_utils.tests.watch import global_seeds

SIGMAS = 6.5  # one in 10 billion


def near(shares, times: int) -> Such:
    """Whether these shares may come of so many draws with these probabilities."""
    shares = np.array(shares)
    margin = SIGMAS * np.sqrt(shares * (1 - shares) / times) + SIGMAS / times * (shares > 0)

    def holds(got) -> bool:
        return np.shape(got) == shares.shape and bool((np.abs(got - shares) <= margin).all())

    return Such(f"near {show(shares)}", holds)


def follows_the_seed(drawn: Callable[[int], Any]) -> str:
    """Whether what is `drawn` with a seed depends on it, and on no other source of chance."""
    runs = []
    for global_seed in (1, 2):
        with global_seeds(global_seed):
            runs.append(np.array([np.ravel(drawn(seed)) for seed in range(12)], dtype=float))
    if not np.array_equal(runs[0], runs[1]):
        return "another result at each run"
    return "the same result whatever the seed" if (runs[0] == runs[0][0]).all() else "same seed, same result"
