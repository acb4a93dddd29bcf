"""The testbed and its two ways of playing: one run by the exercises, many runs side by side."""

import numpy as np
import pytest

from course_utils.search.bandits import (
    Bandit,
    epsilon_greedy,
    epsilon_greedy_many,
    play_bandit,
    play_many,
    ten_armed,
    ucb_action,
    ucb_many,
)


def certain(rows):
    """Bandits whose arms always pay their mean."""
    means = np.array(rows, dtype=float)
    return Bandit(means, np.zeros_like(means))


def test_the_testbed_is_the_published_one():
    bandits = ten_armed(np.random.default_rng(0), runs=2000)
    assert bandits.means.shape == bandits.deviations.shape == (2000, 10)
    assert -5 <= bandits.means.min() < -4.9 < 4.9 < bandits.means.max() <= 5
    assert 1 <= bandits.deviations.min() < 1.01 < 1.99 < bandits.deviations.max() <= 2
    assert abs(bandits.means.mean()) < 0.1 and abs(bandits.deviations.mean() - 1.5) < 0.01
    assert ten_armed(np.random.default_rng(0)).means.shape == (10,)


def test_pulls_follow_mean_and_deviation():
    bandit = Bandit(np.array([0.0, 3.0]), np.array([1.0, 2.0]))
    rng = np.random.default_rng(1)
    rewards = [bandit.pull(1, rng) for _ in range(4000)]
    assert abs(np.mean(rewards) - 3) < 0.15 and abs(np.std(rewards) - 2) < 0.1


def test_a_run_keeps_means_and_counts():
    run = play_bandit(ten_armed(np.random.default_rng(2)), lambda Q, N, t: t % 10, 200, np.random.default_rng(3))
    assert run.N.tolist() == [20] * 10
    for arm in range(10):
        assert run.Q[arm] == pytest.approx(run.rewards[run.arms == arm].mean())


def test_the_same_seed_gives_the_same_run():
    bandit = ten_armed(np.random.default_rng(4))
    first, second = (
        play_bandit(bandit, lambda Q, N, t, rng=rng: epsilon_greedy(Q, 0.2, rng), 100, rng)
        for rng in (np.random.default_rng(5), np.random.default_rng(5))
    )
    assert np.array_equal(first.rewards, second.rewards)


def test_ucb_side_by_side_is_ucb_one_by_one():
    rows = np.random.default_rng(6).uniform(-5, 5, size=(20, 10))
    many = play_many(certain(rows), ucb_many(2.0), 150, np.random.default_rng(0))
    for row, arms in zip(rows, many.arms, strict=True):
        run = play_bandit(certain(row), lambda Q, N, t: ucb_action(Q, N, t, 2.0), 150, np.random.default_rng(0))
        assert run.arms.tolist() == arms.tolist()


@pytest.mark.parametrize("others_only", [False, True])
def test_epsilon_greedy_side_by_side_explores_as_one_by_one(others_only):
    Q = np.tile([1.0, 4.0, -2.0, 3.0], (40_000, 1))
    choose = epsilon_greedy_many(0.4, np.random.default_rng(7), others_only=others_only)
    many = np.bincount(choose(Q, None, 1), minlength=4) / len(Q)
    rng = np.random.default_rng(8)
    counts = np.bincount([epsilon_greedy(Q[0], 0.4, rng, others_only=others_only) for _ in range(40_000)], minlength=4)
    expected = [0.4 / 3, 0.6, 0.4 / 3, 0.4 / 3] if others_only else [0.1, 0.7, 0.1, 0.1]
    assert np.allclose(many, expected, atol=0.015) and np.allclose(counts / len(Q), expected, atol=0.015)


def test_ucb_beats_epsilon_greedy_on_the_testbed_and_finds_the_best_arm():
    bandits = ten_armed(np.random.default_rng(9), runs=300)
    ucb = play_many(bandits, ucb_many(2.0), 1000, np.random.default_rng(10))
    greedy = play_many(bandits, epsilon_greedy_many(0.1, np.random.default_rng(11)), 1000, np.random.default_rng(12))
    assert ucb.rewards.sum(axis=1).mean() > greedy.rewards.sum(axis=1).mean() + 300
    best_pulls = ucb.N[np.arange(300), bandits.means.argmax(axis=1)]
    assert np.median(best_pulls) > 900
