"""Right answers to notebook 01's exercises, written differently from the reference."""

import math

import numpy as np


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
    "ucb_action": [ucb_with_a_loop, ucb_with_infinities, ucb_takes_the_last_untried],
}
