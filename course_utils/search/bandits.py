"""Explore or exploit, in its purest form: slot machines, and rules for choosing the next arm.

The rules (`epsilon_greedy`, `ucb_action`) look only at what was seen so far: `Q`, the mean reward of each arm, and `N`,
how often each was pulled. `play_bandit` plays one run with any rule. `play_many` plays thousands side by side, for the
curves; its rules are the same ones over arrays with a row a run.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from course_utils.exercise import exercise


class Bandit(NamedTuple):
    """Slot machines with normal rewards.

    means and deviations are float64 [arms]; in a batch of bandits [runs, arms].
    """

    means: np.ndarray
    deviations: np.ndarray

    def pull(self, arm: int, rng: np.random.Generator) -> float:
        """One reward of one arm (of one bandit, not of a batch)."""
        return float(rng.normal(self.means[arm], self.deviations[arm]))


def ten_armed(rng: np.random.Generator, runs: int | None = None) -> Bandit:
    """The testbed: ten arms, means uniform in [-5, 5], standard deviations uniform in [1, 2].

    Args:
        runs: None for one bandit, or how many to draw as a batch.
    """
    shape = 10 if runs is None else (runs, 10)
    return Bandit(rng.uniform(-5, 5, size=shape), rng.uniform(1, 2, size=shape))


@exercise("11")
def incremental_mean(mean: float, count: int, reward: float) -> float:
    """Update a mean with one more reward, without keeping the earlier rewards.

    mean: of the earlier rewards (0 if there were none).
    count: how many rewards there are now, the new one included.
    Returns the mean of all rewards.
    """
    return mean + (reward - mean) / count


@exercise("11")
def epsilon_greedy(
    Q: np.ndarray,
    epsilon: float,
    rng: np.random.Generator,
    *,
    others_only: bool = False,
) -> int:
    """Choose the arm that looks best, or, with probability `epsilon`, a random arm.

    Q: [arms], the mean reward of each.
    rng: draw with this generator.
    others_only: if True, the random arm is never the best one.
    Returns the number of the arm.
    """
    best = int(np.argmax(Q))
    if rng.random() >= epsilon:
        return best
    if not others_only:
        return int(rng.integers(len(Q)))
    arm = int(rng.integers(len(Q) - 1))
    return arm if arm < best else arm + 1  # the arms above the best move up by one


@exercise("11")
def ucb_action(Q: np.ndarray, N: np.ndarray, t: int, C: float) -> int:
    """Choose the arm with the highest Q + C * sqrt(ln t / N).

    Q: [arms], the mean reward of each so far.
    N: [arms], how often each was pulled; an arm that was never pulled comes first.
    t: the number of this step, from 1.
    C: how much to explore.
    Returns the number of the arm.
    """
    untried = np.flatnonzero(np.asarray(N) == 0)
    if len(untried):
        return int(untried[0])
    return int(np.argmax(Q + C * np.sqrt(np.log(t) / N)))


class Run(NamedTuple):
    """What happened.

    arms and rewards are [steps], Q (final estimates) and N (pulls) [arms]; in a batch each has [runs] in front.
    """

    arms: np.ndarray
    rewards: np.ndarray
    Q: np.ndarray
    N: np.ndarray


def play_bandit(bandit: Bandit, choose: Callable, steps: int, rng: np.random.Generator) -> Run:
    """Play one run: choose an arm, pull it, and update its mean, `steps` times.

    Args:
        choose: a function (Q [arms], N [arms], t) -> arm; t counts from 1.
    """
    Q, N = np.zeros(len(bandit.means)), np.zeros(len(bandit.means))
    arms, rewards = np.zeros(steps, dtype=int), np.zeros(steps)
    for t in range(1, steps + 1):
        arm = choose(Q, N, t)
        reward = bandit.pull(arm, rng)
        N[arm] += 1
        Q[arm] = incremental_mean(Q[arm], int(N[arm]), reward)
        arms[t - 1], rewards[t - 1] = arm, reward
    return Run(arms, rewards, Q, N)


# --- many runs side by side ------------------------------------------------------------------------------------------


def play_many(bandits: Bandit, choose: Callable, steps: int, rng: np.random.Generator) -> Run:
    """As `play_bandit`, for a batch of bandits at once.

    Args:
        choose: a function (Q [runs, arms], N [runs, arms], t) -> arms [runs].
    """
    runs, arms = bandits.means.shape
    every_run = np.arange(runs)
    Q, N = np.zeros((runs, arms)), np.zeros((runs, arms))
    chosen, rewards = np.zeros((runs, steps), dtype=int), np.zeros((runs, steps))
    for t in range(1, steps + 1):
        arm = choose(Q, N, t)  # [runs]
        reward = rng.normal(bandits.means[every_run, arm], bandits.deviations[every_run, arm])
        N[every_run, arm] += 1
        Q[every_run, arm] += (reward - Q[every_run, arm]) / N[every_run, arm]
        chosen[:, t - 1], rewards[:, t - 1] = arm, reward
    return Run(chosen, rewards, Q, N)


def epsilon_greedy_many(epsilon: float, rng: np.random.Generator, *, others_only: bool = False) -> Callable:
    """`epsilon_greedy` as `play_many` wants it."""

    def choose(Q: np.ndarray, N: np.ndarray, t: int) -> np.ndarray:
        runs, arms = Q.shape
        best = np.argmax(Q, axis=1)
        if others_only:  # a step of 1 to arms - 1 around the circle never lands on the best arm again
            explore = (best + rng.integers(1, arms, size=runs)) % arms
        else:
            explore = rng.integers(arms, size=runs)
        return np.where(rng.random(runs) < epsilon, explore, best)

    return choose


def ucb_many(C: float) -> Callable:
    """`ucb_action` as `play_many` wants it."""

    def choose(Q: np.ndarray, N: np.ndarray, t: int) -> np.ndarray:
        bonus = C * np.sqrt(np.log(t) / np.maximum(N, 1))
        return np.argmax(np.where(N == 0, np.inf, Q + bonus), axis=1)

    return choose
