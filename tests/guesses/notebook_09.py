"""Notebook 09: by asking Python and numpy."""

import numpy as np

from course_utils.games import TicTacToe
from course_utils.games.batched import make_batched
from course_utils.networks import UniformNetwork
from course_utils.search.batched import batched_search


def columns_minus_one():
    columns = ((1,), (-1,), (1, 1))
    try:
        return "the last column" if columns[-1] is columns[2] else "nothing"
    except IndexError:
        return "an error"


def shape_with_a_colon():
    game = make_batched(TicTacToe())
    states = game.from_states([TicTacToe().initial_state()] * 2)
    _, tree = batched_search(game, states, UniformNetwork(9), 5, 1.5, return_tree=True)
    return list(tree.N[:, np.array([0, 1])].shape)


def added_twice():
    a = np.zeros(3)
    a[[1, 1]] += 1
    return a[1]


def two_steps_up():
    value, written = 0.5, []
    for _ in ("node 2", "root"):
        value = -value
        written.append(value)
    return written[-1]


TRUTHS = {
    "columns-minus-one": columns_minus_one,
    "shape-with-a-colon": shape_with_a_colon,
    "added-twice": added_twice,
    "two-steps-up": two_steps_up,
}
