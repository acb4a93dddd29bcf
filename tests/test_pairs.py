"""Pairs of runs."""

import numpy as np
import pytest

from course_utils.learning.pairs import difference, mean_interval, points_kept


def test_the_interval_of_a_mean_is_that_of_a_table_of_students_t():
    # 4, 6, 8: standard deviation 2, and t = 4.303 for 2 degrees of freedom
    assert mean_interval([4, 6, 8]) == pytest.approx((6, 6 - 4.303 * 2 / 3**0.5, 6 + 4.303 * 2 / 3**0.5))


def test_about_95_of_100_intervals_hold_the_true_mean():
    rng = np.random.default_rng(0)
    held = [low <= 3 <= high for _, low, high in (mean_interval(list(rng.normal(3, 2, size=5))) for _ in range(4000))]
    assert np.mean(held) == pytest.approx(0.95, abs=0.012)


@pytest.mark.parametrize("count", [0, 1, 11])
def test_one_run_has_no_interval(count):
    with pytest.raises(ValueError, match="2 to 10 values"):
        mean_interval([1.0] * count)


def test_runs_with_the_same_seed_are_compared_at_their_ends():
    def row(variant, seed, iteration, kept, simulations=0):
        return dict(variant=variant, seed=seed, iteration=iteration, simulations=simulations, kept=kept, of=200)

    rows = [
        *(row("whole", seed, iteration, kept) for seed, iteration, kept in ((0, 0, 50), (0, 9, 100), (1, 9, 120), (2, 9, 0))),
        *(row("changed", seed, 9, kept) for seed, kept in ((1, 124), (0, 108))),
        row("changed", 0, 9, 200, simulations=50),
    ]  # fmt: skip
    assert points_kept(rows, "whole", 0) == {0: 50, 1: 60, 2: 0}
    mean, low, high = difference(rows, "changed", "whole", 0)  # 4 and 2 points
    assert (mean, high - mean) == pytest.approx((3, 12.706 * 1)) and mean - low == pytest.approx(high - mean)
