"""The notebook 'Tree search with rollouts': by formulas written anew, by fractions, and by searches of the course."""

import math

import numpy as np

from course_utils.games import TicTacToe
from course_utils.search.hybrid import leaf_value
from course_utils.search.uct import UctNode, count_nodes, uct_search
from course_utils.tests.world.games import TreeGame

GAME = TicTacToe()


def uct_next_child():
    children = {"A": (1, 2), "B": (0, 1), "C": (1, 1)}  # wins, visits
    scores = {name: wins / n + math.sqrt(2 * math.log(4) / n) for name, (wins, n) in children.items()}
    assert [round(score, 3) for score in scores.values()] == [1.677, 1.665, 2.665]
    return max(scores, key=scores.get)


def uct_twice_as_wide():
    """The constant with which results of -1 and 1 rank children as 0 and 1 do with √2, whatever their wins and visits."""
    rng = np.random.default_rng(0)
    fits = []
    for C in (math.sqrt(2) / 2, math.sqrt(2), 2, 2 * math.sqrt(2), 4):
        agree = True
        for _ in range(300):
            N = rng.integers(1, 60, size=9)
            wins = rng.binomial(N, 0.5)
            bonus = np.sqrt(np.log(N.sum()) / N)
            one, other = wins / N + math.sqrt(2) * bonus, (2 * wins - N) / N + C * bonus
            agree &= (np.argsort(one) == np.argsort(other)).all()
        fits += [C] if agree else []
    [C] = fits
    return C


def signs_on_the_way_up():
    owners = ["O", "X", "O"]  # who moved into the leaf, its parent, its grandparent; X is to move at the leaf
    return [1 if owner == "X" else -1 for owner in owners]  # X has won


def nodes_after_100():
    counts = set()
    for seed in range(20):
        root = UctNode(GAME, GAME.initial_state())
        uct_search(GAME, root, 100, np.random.default_rng(seed))
        counts.add(count_nodes(root))
    [count] = counts
    return count


def share_of_the_center():
    root, rng = UctNode(GAME, GAME.initial_state()), np.random.default_rng(0)
    shares = []
    for simulations in (8_000, 16_000):
        visits = uct_search(GAME, root, simulations, rng)
        shares.append(visits[4] / visits.sum())
    if abs(shares[0] - shares[1]) < 0.05:
        return "stays"
    return "falls" if shares[1] < shares[0] else "rises"


def half_judge_half_rollout():
    lost = TreeGame([[1, 1]])  # X wins, whatever O plays
    return leaf_value(lost, (0,), np.random.default_rng(0), lambda game, state: 0.4, 0.5)


TRUTHS = {
    "uct-next-child": uct_next_child,
    "uct-twice-as-wide": uct_twice_as_wide,
    "signs-on-the-way-up": signs_on_the_way_up,
    "nodes-after-100": nodes_after_100,
    "share-of-the-center": share_of_the_center,
    "half-judge-half-rollout": half_judge_half_rollout,
}
