"""The small game that pairs of runs are graded by."""

import numpy as np
import pytest

from course_utils.games import ConnectN
from course_utils.games.batched import make_batched
from course_utils.learning.exam import load_positions
from course_utils.search.minimax import alpha_beta, solve
from lab.small_connect import GAME, POSITIONS, Layers


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
