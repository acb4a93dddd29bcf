"""A search for games that an agent does not win, beside a walk through all games."""

import numpy as np

from course_utils.agents import SearchAgent
from course_utils.games import TicTacToe, after
from course_utils.learning.arena import lines
from course_utils.learning.weak_spots import answers_of, weak_spots
from course_utils.networks.policy_value import TorchNetwork, make_network
from course_utils.tests.world.games import TreeGame

GAME = TicTacToe()


class Untrained:
    """An agent, and its answers to many positions at once."""

    def __init__(self, seed: int):
        self.agent = SearchAgent(GAME, TorchNetwork(make_network(GAME, seed)), simulations=0)

    def __call__(self, positions):
        return [self.agent.act(position) for position in positions], [
            self.agent.value(position) for position in positions
        ]


def test_weak_spots_wide_enough_ends_where_all_games_that_are_not_won_end():
    for seed in (0, 1):
        answers = Untrained(seed)
        found = weak_spots(GAME, answers, 10_000)
        ends = {after(GAME, actions) for actions, outcome in lines(GAME, answers.agent, 1) if outcome < 1}
        assert ends and {after(GAME, line) for line in found} == ends


def test_weak_spots_are_games_in_which_the_agent_made_its_own_moves():
    answers = Untrained(2)
    for line in weak_spots(GAME, answers, 3):
        assert GAME.winner(after(GAME, line)) < 1
        for ply in range(0, len(line), 2):
            assert line[ply] == answers.agent.act(after(GAME, line[:ply]))


def test_weak_spots_go_on_only_where_the_values_are_lowest_of_all_after_as_many_moves():
    game = TreeGame(
        [[[[[[-1]]] * 3], [[[[-1]]] * 3]]]
    )  # two replies, one move, three replies to each, and then one line
    worth = {
        (0, 0, 0, 0): 0.5,
        (0, 0, 0, 1): -0.5,
        (0, 0, 0, 2): 0.9,
        (0, 1, 0, 0): -0.7,
        (0, 1, 0, 1): 0.8,
        (0, 1, 0, 2): 0.7,
    }
    asked = []

    def answers(positions):
        asked.append(len(positions))
        return [0] * len(positions), [worth.get(position, 0.0) for position in positions]

    assert sorted(weak_spots(game, answers, 2)) == [[0, 0, 0, 1, 0, 0], [0, 1, 0, 0, 0, 0]]
    assert asked == [1, 2, 6]


def test_answers_are_those_of_the_agent_that_plays():
    network = TorchNetwork(make_network(GAME, 5))
    positions = [after(GAME, moves) for moves in ([], [4], [0, 4, 8], [0, 4, 8, 2, 6, 3])]
    alone = [SearchAgent(GAME, network, 0).value(position) for position in positions]
    for simulations in (0, 8):
        agent = SearchAgent(GAME, network, simulations)
        moves, values = answers_of(GAME, network, simulations)(positions)
        assert moves == [agent.act(position) for position in positions]
        np.testing.assert_allclose(values, alone, atol=1e-6)
