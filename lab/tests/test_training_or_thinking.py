"""The exam of small Hex, and searches of several lengths in one."""

import numpy as np

from course_utils.agents import MinimaxAgent
from course_utils.games.batched import make_batched
from course_utils.learning.exam import best_moves
from course_utils.networks.fast import fast_inference
from course_utils.networks.policy_value import make_network
from lab.experiments.training_or_thinking import GAME, _moves, exam


def test_the_winning_moves_of_the_exam_are_those_of_a_search_of_all_games():
    states, wins = exam(40)
    late = [i for i, state in enumerate(states) if np.count_nonzero(GAME.cells(state)) >= 7]
    assert len(late) >= 5 and len(set(states)) == 40
    for i in late:
        for action in GAME.legal_actions(states[i]):
            child = GAME.play(states[i], action)
            value = -GAME.winner(child) * child.to_play if GAME.is_terminal(child) else -MinimaxAgent(GAME).value(child)
            assert wins[i, action] == (value == 1)
    assert wins.any(axis=1).all()


def test_a_short_search_is_the_beginning_of_a_longer_one():
    states, _ = exam(40)
    network, batched = fast_inference(make_network(GAME, seed=0)), make_batched(GAME)
    for count, moves in _moves(states, network, (0, 2, 8), 1.5):
        expected = best_moves(batched, batched.from_states(states), network, count, 1.5)
        np.testing.assert_array_equal(moves, expected)
