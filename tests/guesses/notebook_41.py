"""The notebook 'The laboratory': by halving and by the binomial distribution, and from what was recorded."""

import math
from fractions import Fraction

import numpy as np

from course_utils import agents
from course_utils.games import ConnectFour
from course_utils.networks.fast import fast_inference
from course_utils.results import load_result


def twenty_of_twenty():
    """The share whose 20 of 20 lies 1.96 of its own standard deviations above it."""
    low, high = 0.0, 1.0
    for _ in range(60):
        p = (low + high) / 2
        low, high = (p, high) if 1 - p > 1.96 * math.sqrt(p * (1 - p) / 20) else (low, p)
    assert 0.02 < p**20 < 0.04
    return round(100 * p)


def three_wins_two_losses():
    return Fraction(3, 3 + 2) >= Fraction(55, 100)


def ninety_one_of_a_hundred():
    """By trying: the difference at which 91 of 100 points are expected."""
    return min(range(1000), key=lambda difference: abs(1 / (1 + 10 ** (-difference / 400)) - 0.91))


def seeds_or_sets():
    record = load_result("thesis_sets")
    drawn = {
        name: [row["drawn_second"] for row in record.where(variant=name) if row["simulations"]]
        for name in {row["variant"] for row in record.rows}
    }
    within = np.mean([np.std(shares, ddof=1) for shares in drawn.values()])
    return "smaller" if within < np.std([np.mean(shares) for shares in drawn.values()], ddof=1) else "larger"


def what_does_not_stand_out():
    record = load_result("parts_of_training")

    def lost(name):
        return [row["first"] + row["second"] for row in record.where(variant=name, iteration=12, simulations=0)]

    names = ("no root noise", "no symmetries", "8 simulations", "greedy from the start")
    [found] = [name for name in names if min(lost(name)) <= max(lost("plain"))]
    return found


def weak_spots_by_chance():
    """By a walk of its own: at each turn of the agent, 64 positions drawn from all that the opponent's replies lead to."""
    game = ConnectFour()
    network, batched = fast_inference(agents.load("connect_four").network.net), game.batched()
    ended = not_won = 0
    for seed in range(10):
        rng, level = np.random.default_rng([seed, 1]), [game.initial_state()]
        while level:
            _, logits = network(batched.encode(batched.from_states(level)))
            following: set = set()
            for i in rng.permutation(len(level))[:64]:
                best = max((logits[i, action], action) for action in game.legal_actions(level[i]))[1]
                state = game.play(level[i], best)
                for child in [game.play(state, reply) for reply in game.legal_actions(state)] or [state]:
                    if game.is_terminal(child):
                        ended, not_won = ended + 1, not_won + (game.winner(child) != 1)
                    else:
                        following.add(child)
            level = sorted(following)
    assert 3_000 < ended < 6_000
    return "none" if not_won == 0 else "a handful" if not_won < 10 else "dozens" if not_won < 100 else "hundreds"


def an_untried_reply():
    replies = [-0.8, -0.9, 0.0]  # two that were tried, and one that was not
    return 0.2 + 0.5 * (min(-worth for worth in replies) - 0.2)


TRUTHS = {
    "weak-spots-by-chance": weak_spots_by_chance,
    "an-untried-reply": an_untried_reply,
    "three-wins-two-losses": three_wins_two_losses,
    "twenty-of-twenty": twenty_of_twenty,
    "ninety-one-of-a-hundred": ninety_one_of_a_hundred,
    "seeds-or-sets": seeds_or_sets,
    "what-does-not-stand-out": what_does_not_stand_out,
}
