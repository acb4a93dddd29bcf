"""The answer key of tic-tac-toe agrees with games that are really played."""

import numpy as np
import pytest

from course_utils.agents import MinimaxAgent, RandomAgent
from course_utils.agents.classical import GreedyAgent
from course_utils.games import after
from course_utils.learning.arena import count_lines
from course_utils.learning.proof import tictactoe_key
from course_utils.learning.tournament import play_series
from course_utils.networks import UniformNetwork

KEY = tictactoe_key()


class Plays:
    def __init__(self, moves):
        self.moves = moves

    def act(self, state):
        return int(self.moves[KEY.index[state]])


def test_it_knows_every_position_and_the_number_of_games():
    assert len(KEY.states) == 4520
    everything = KEY.legal.astype(float)
    assert KEY.odds(everything, everything, 1) == (131_184, 46_080, 77_904)
    assert KEY.odds(KEY.random, KEY.random, 1) == pytest.approx((0.5849, 0.1270, 0.2881), abs=1e-4)
    assert KEY.odds(KEY.random, KEY.random, -1) == pytest.approx((0.2881, 0.1270, 0.5849), abs=1e-4)
    assert KEY.odds(KEY.perfect, KEY.perfect, 1) == pytest.approx((0, 1, 0))


@pytest.mark.parametrize("simulations", [0, 30])
def test_losing_lines_are_those_of_the_walk_over_games(simulations):
    moves = KEY.moves(UniformNetwork(9), simulations)
    for side in (1, -1):
        assert KEY.lines(moves, side) == count_lines(KEY.game, Plays(moves), side)


def test_chances_are_those_of_many_games():
    moves = KEY.moves(UniformNetwork(9), 10)
    rng = np.random.default_rng(0)
    for other, agent in (
        (KEY.random, RandomAgent(KEY.game, rng)),
        (KEY.greedy, GreedyAgent(KEY.game, rng)),
        (KEY.perfect, MinimaxAgent(KEY.game, rng)),
    ):
        exact = KEY.odds(KEY.plays(moves), other, 1)
        played = np.array(play_series(KEY.game, Plays(moves), agent, range(400))) / 400
        assert played == pytest.approx(exact, abs=0.1)


def test_a_fatal_move_and_a_fork_are_what_the_words_say():
    threatened = KEY.index[after(KEY.game, [0, 4, 1])]  # X has 0 and 1: all of O's moves but 2 are fatal
    assert np.flatnonzero(KEY.fatal[threatened]).tolist() == [3, 5, 6, 7, 8]
    corners = KEY.index[
        after(KEY.game, [0, 4, 8, 1])
    ]  # O threatens 7, and 7 makes no fork; whatever else X does is fatal
    assert np.flatnonzero(KEY.fatal[corners]).tolist() == [2, 3, 5, 6]
    fork = KEY.index[after(KEY.game, [0, 1, 4, 8])]  # X: 3 threatens 5 and 6, 6 threatens 2 and 3
    assert np.flatnonzero(KEY.forks[fork]).tolist() == [3, 6]


def test_a_perfect_player_has_nothing_to_be_ashamed_of():
    report = KEY.report(KEY.optimal.argmax(axis=1))
    assert report["kept"] == report["of"] == 4520
    assert report["first"] == report["second"] == 0
    assert report["drawn_first"] == report["drawn_second"] == 1


def test_a_player_asked_only_where_it_may_have_to_move_fares_the_same():
    at = KEY.reached(KEY.perfect, -1)
    assert 0 < at.sum() < len(KEY.states) / 4
    everywhere, there = (KEY.moves(UniformNetwork(9), 10, at=where) for where in (None, at))
    assert (everywhere != there).any()
    odds = [KEY.odds(KEY.plays(moves), KEY.perfect, -1) for moves in (everywhere, there)]
    assert odds[0] == odds[1]
