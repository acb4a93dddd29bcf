"""What a learner is worth in the measurement of tables: beside counts of other kinds."""

import numpy as np

from course_utils.learning.arena import count_lines
from course_utils.learning.proof import tictactoe_key
from course_utils.learning.q_table import best_in_table, learn_in_table
from lab.q_table import by_chance, worth


class InTable:
    def __init__(self, Q, game):
        self.Q, self.game = Q, game

    def act(self, state) -> int:
        return best_in_table(self.Q, self.game, state)


def test_worth_counts_the_lines_that_a_walk_through_all_games_counts():
    key = tictactoe_key()
    Q = learn_in_table(key.game, 500, 1.0, np.random.default_rng(0))
    row = worth(key, np.array([best_in_table(Q, key.game, state) for state in key.states]))
    first, second = (count_lines(key.game, InTable(Q, key.game), side) for side in (1, -1))
    assert (row["first"], row["second"]) == (first.losses, second.losses)
    assert (row["not_won_first"], row["of_first"]) == (first.draws + first.losses, sum(first))


def test_a_random_move_keeps_the_value_as_often_as_random_moves_do():
    key, rng = tictactoe_key(), np.random.default_rng(0)
    row = by_chance(key)
    draws = [
        key.optimal[i, rng.choice(np.flatnonzero(key.legal[i]))] for i in np.flatnonzero(key.matters) for _ in range(5)
    ]
    assert row["of"] == 3191 and abs(row["kept"] / row["of"] - np.mean(draws)) < 0.02
