"""Pairs of runs, and the small game that they are graded by."""

import numpy as np
import pytest

from benchmarks.small_connect import GAME, POSITIONS, Layers
from course_utils.games import ConnectN
from course_utils.games.batched import make_batched
from course_utils.learning.exam import load_positions
from course_utils.learning.pairs import difference, mean_interval, points_kept
from course_utils.search.minimax import alpha_beta, solve


def test_the_interval_of_a_mean_is_that_of_a_table_of_students_t():
    # 4, 6, 8: standard deviation 2, and t = 4.303 for 2 degrees of freedom
    assert mean_interval([4, 6, 8]) == pytest.approx((6, 6 - 4.303 * 2 / 3**0.5, 6 + 4.303 * 2 / 3**0.5))


def test_about_95_of_100_intervals_hold_the_true_mean():
    rng = np.random.default_rng(0)
    held = [low <= 3 <= high for _, low, high in (mean_interval(list(rng.normal(3, 2, size=5))) for _ in range(4000))]
    assert np.mean(held) == pytest.approx(0.95, abs=0.012)


@pytest.mark.parametrize("count", [0, 1, 11])
def test_one_run_has_no_interval(count):
    with pytest.raises(ValueError, match="2 to 10 values"):
        mean_interval([1.0] * count)


def test_runs_with_the_same_seed_are_compared_at_their_ends():
    def row(variant, seed, iteration, kept, simulations=0):
        return dict(variant=variant, seed=seed, iteration=iteration, simulations=simulations, kept=kept, of=200)

    rows = [
        *(row("whole", seed, iteration, kept) for seed, iteration, kept in ((0, 0, 50), (0, 9, 100), (1, 9, 120), (2, 9, 0))),
        *(row("changed", seed, 9, kept) for seed, kept in ((1, 124), (0, 108))),
        row("changed", 0, 9, 200, simulations=50),
    ]  # fmt: skip
    assert points_kept(rows, "whole", 0) == {0: 50, 1: 60, 2: 0}
    mean, low, high = difference(rows, "changed", "whole", 0)  # 4 and 2 points
    assert (mean, high - mean) == pytest.approx((3, 12.706 * 1)) and mean - low == pytest.approx(high - mean)


@pytest.mark.parametrize("size", [(3, 3, 3), (3, 4, 3), (4, 4, 3)])
def test_layers_know_what_negamax_knows(size):
    game = ConnectN(*size)
    layers, batched = Layers(make_batched(game)), make_batched(game)
    values = {state: value for state, value in solve(game, game.initial_state()).items() if not game.is_terminal(state)}
    forms = {min(state.columns, state.columns[::-1]) for state in values}
    assert sum(map(len, layers.keys)) == len(forms)  # a position and its mirror image count once
    states = list(values)[:: max(1, len(values) // 400)]
    found = [layers.values_of(batched.from_states([state]), sum(map(len, state.columns)))[0] for state in states]
    assert found == [values[state] for state in states]


def test_the_recorded_positions_of_the_small_game_agree_with_alpha_beta():
    positions = load_positions(GAME, POSITIONS)
    assert all(position.matters for position in positions) and len(positions) > 1000
    assert len({min(position.state.columns, position.state.columns[::-1]) for position in positions}) == len(positions)
    late = [position for position in positions if position.ply >= 15][::4]
    for position in late:
        for action in range(GAME.num_actions):
            if np.isnan(position.scores[action]):
                assert action not in GAME.legal_actions(position.state)
            else:
                assert -alpha_beta(GAME, GAME.play(position.state, action))[0] == position.scores[action]
