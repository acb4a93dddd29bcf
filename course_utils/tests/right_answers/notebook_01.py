"""Right answers to notebook 01's exercises, written differently from the reference."""

import math

import numpy as np


def mean_by_weights(mean, count, reward):
    return (mean * (count - 1) + reward) / count


def mean_by_step(mean, count, reward):
    step = 1.0 / count
    return (1 - step) * mean + step * reward


def mean_float32(mean, count, reward):
    return np.float64(mean) + np.float64(reward - mean) / np.float64(count)


def greedy_by_probabilities(Q, epsilon, rng, *, others_only=False):
    arms = len(Q)
    best = int(np.argmax(Q))
    p = np.full(arms, epsilon / (arms - 1 if others_only else arms))
    if others_only:
        p[best] = 1 - epsilon
    else:
        p[best] += 1 - epsilon
    return int(rng.choice(arms, p=p / p.sum()))


def greedy_with_lists(Q, epsilon, rng, others_only=False):
    """Explores if the draw is below epsilon; breaks ties at random; `others_only` also by position."""
    values = [float(q) for q in Q]
    best = int(rng.choice([arm for arm, value in enumerate(values) if value == max(values)]))
    if rng.uniform() < epsilon:
        candidates = [arm for arm in range(len(values)) if arm != best or not others_only]
        return candidates[rng.integers(0, len(candidates))]
    return best


def greedy_by_a_step_around_the_circle(Q, epsilon, rng, *, others_only=False):
    explore = rng.random() < epsilon
    step = int(rng.integers(1 if others_only else 0, len(Q)))
    best = int(np.asarray(Q).argmax())
    return (best + step) % len(Q) if explore else best


def ucb_with_a_loop(Q, N, t, C):
    best_arm, best_score = 0, -math.inf
    for arm in range(len(Q)):
        score = math.inf if N[arm] == 0 else Q[arm] + C * (math.log(t) / N[arm]) ** 0.5
        if score > best_score:
            best_arm, best_score = arm, score
    return best_arm


def ucb_with_infinities(Q, N, t, C):
    with np.errstate(divide="ignore", invalid="ignore"):
        bonus = C * np.sqrt(np.log(t) / np.asarray(N, dtype=float))
    return int(np.argmax(np.where(np.asarray(N) == 0, np.inf, Q + bonus)))


def ucb_takes_the_last_untried(Q, N, t, C):
    if 0 in list(N):
        return max(arm for arm, n in enumerate(N) if n == 0)
    return max(range(len(Q)), key=lambda arm: Q[arm] + C * math.sqrt(math.log(t)) / math.sqrt(N[arm]))


RIGHT = {
    "incremental_mean": [mean_by_weights, mean_by_step, mean_float32],
    "epsilon_greedy": [greedy_by_probabilities, greedy_with_lists, greedy_by_a_step_around_the_circle],
    "ucb_action": [ucb_with_a_loop, ucb_with_infinities, ucb_takes_the_last_untried],
}
