"""The notebook 'Bandits': by simulation and by formulas written anew."""

import math

import numpy as np

from course_utils.search.bandits import Bandit, play_many, ucb_many


def darts_for_a_digit():
    """The spread of many estimates of pi, at each number of darts: a tenth of that with 100 darts at 100 times as many."""

    def spread(darts):
        hits = np.random.default_rng(0).binomial(darts, np.pi / 4, size=20_000)
        return (4 * hits / darts).std()

    return min((1, 2, 5, 10, 20, 50, 100, 200, 1000), key=lambda times: abs(spread(100 * times) - spread(100) / 10))


def greedy_share():
    rng = np.random.default_rng(0)
    steps = 4_000_000
    pulled = np.where(rng.random(steps) < 0.1, rng.integers(10, size=steps), 3)
    return (pulled == 3).mean()


def ucb_next_arm():
    scores = [q + 2 * math.sqrt(math.log(52) / n) for q, n in ((1.0, 10), (1.2, 40), (0.0, 2))]
    return scores.index(max(scores))


def ucb_in_cents():
    """The constant that makes the same choices on the same machines."""

    def arms(unit, C):
        machines = Bandit(unit * np.linspace(-1, 1, 10)[None], unit * np.ones((1, 10)))
        return play_many(machines, ucb_many(C), 500, np.random.default_rng(0)).arms

    return next(C for C in (0.02, 2, 20, 200, 2000) if (arms(100, C) == arms(1, 2)).all())


TRUTHS = {
    "darts-for-a-digit": darts_for_a_digit,
    "greedy-share": greedy_share,
    "ucb-next-arm": ucb_next_arm,
    "ucb-in-cents": ucb_in_cents,
}
