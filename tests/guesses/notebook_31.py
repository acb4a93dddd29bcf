"""The notebook 'Batched search': by asking Python and numpy, by bookkeeping on paper, and by searches of the course."""

import numpy as np

from course_utils.games import TicTacToe
from course_utils.games.batched import make_batched
from course_utils.learning.batched_self_play import batched_openings
from course_utils.networks import UniformNetwork
from course_utils.search.batched import batched_search
from course_utils.tests.world.networks import HashNetwork


def shape_with_a_colon():
    game = make_batched(TicTacToe())
    states = game.from_states([TicTacToe().initial_state()] * 2)
    _, tree = batched_search(game, states, UniformNetwork(9), 5, 1.5, return_tree=True)
    return list(tree.N[:, np.array([0, 1])].shape)


def two_steps_up():
    value, written = 0.5, []
    for _ in ("node 2", "root"):
        value = -value
        written.append(value)
    return written[-1]


def full_column():
    """The carry by arithmetic on the drawn board: rows 3, so 4 bits per column, and column 1 holds bits 4 to 6."""
    after_sum = 0b0111 + 0b0001
    return [4 + after_sum.bit_length() - 1, bin(after_sum & 0b0111).count("1")]


def rounds_of_select():
    walking, last, rounds = [0, 0, 2, 3], [], 0  # levels still to go, one number per game
    while walking:
        rounds, last = rounds + 1, walking
        walking = [level - 1 for level in walking if level > 0]
    return [rounds, len(last)]


def calls_in_lock_step():
    game, network = make_batched(TicTacToe()), HashNetwork(9, seed=1)
    states, _ = batched_openings(game, 300, share=1.0, plies=5, rng=np.random.default_rng(0))
    batched_search(game, states, network, 30, 1.5)
    return len(network.asked)


TRUTHS = {
    "full-column": full_column,
    "rounds-of-select": rounds_of_select,
    "calls-in-lock-step": calls_in_lock_step,
    "shape-with-a-colon": shape_with_a_colon,
    "two-steps-up": two_steps_up,
}
