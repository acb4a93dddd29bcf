"""The recorded answers of the perfect solver, and the shares counted on them."""

import itertools

import numpy as np
import pytest

from course_utils import agents
from course_utils.agents import RandomAgent, SearchAgent
from course_utils.games import ConnectFour, TicTacToe, after
from course_utils.learning.config import TrainingConfig
from course_utils.learning.exam import (
    POSITIONS,
    Position,
    exam,
    load_positions,
    moves_of,
    searched_moves,
    share_kept,
    solved_positions,
)
from course_utils.learning.grades import grader
from course_utils.learning.run import Run
from course_utils.networks.checkpoint import load_network
from course_utils.networks.fast import FoldedNetwork
from course_utils.results import load_result
from course_utils.search.minimax import alpha_beta
from course_utils.tests.world.networks import HashNetwork

GAME = ConnectFour()


@pytest.fixture(scope="module")
def positions() -> list[Position]:
    return load_positions()


def test_the_sample_is_large_distinct_and_small_on_disk(positions):
    assert sum(position.matters for position in positions) >= 1000
    assert {position.ply for position in positions} == set(range(37))
    boards = [position.state.columns for position in positions]
    assert len({min(board, board[::-1]) for board in boards}) == len(boards)  # mirror images count as equal
    assert POSITIONS.stat().st_size <= 250_000


def test_no_position_is_finished_and_scores_stand_at_the_legal_columns(positions):
    for position in positions:
        legal = GAME.legal_actions(position.state)
        assert not GAME.is_terminal(position.state)
        assert np.flatnonzero(~np.isnan(position.scores)).tolist() == legal
        assert position.keeps.any()
        assert not position.keeps[np.isnan(position.scores)].any()


def test_the_empty_board(positions):
    empty = positions[0]
    assert (empty.moves, empty.value, np.flatnonzero(empty.keeps).tolist()) == ("", 1, [3])
    assert np.sign(empty.scores).tolist() == [-1, -1, 0, 1, 0, -1, -1]


def test_scores_agree_with_the_rules_one_move_ahead(positions):
    for position in positions:
        stones = position.ply + 1
        wins = [a for a in GAME.legal_actions(position.state) if GAME.winner(GAME.play(position.state, a)) != 0]
        winning_now = 22 - (stones + 1) // 2  # the mover's stones, the new one included
        assert np.flatnonzero(position.scores == winning_now).tolist() == wins
        assert (position.tactics == "win") == bool(wins)


def test_late_scores_agree_with_alpha_beta(positions):
    last = [position for position in positions if position.ply >= 34]
    assert len(last) >= 30
    for position in last:
        for action in GAME.legal_actions(position.state):
            value = -alpha_beta(GAME, GAME.play(position.state, action))[0]
            assert value == np.sign(position.scores[action])


def test_shares_are_counted_where_they_should_be():
    def position(moves: str, scores: list, tactics: str = "") -> Position:
        return Position(moves, after(GAME, [int(m) for m in moves]), np.array(scores, dtype=float), tactics)

    nan = np.nan
    positions = [
        position("", [-2, -1, 0, 1, 0, -1, -2]),  # early, quiet
        position("33", [5, 4, 3, 2, 1, 6, 7]),  # nothing can go wrong
        position("3333332", [-1, -1, -1, nan, 0, -3, -4], "block"),  # ply 7
    ]
    assert [p.matters for p in positions] == [True, False, True]
    assert [p.value for p in positions] == [1, 1, 0]
    shares = share_kept(positions, np.array([3, 0, 0]))
    counts = {name: (share.kept, share.of) for name, share in shares.items()}
    assert counts == {"all": (2, 3), "matters": (1, 2), "quiet": (1, 1), "plies 0-6": (1, 1), "plies 7-12": (0, 1)}
    low, high = shares["matters"].interval
    assert low < 0.5 < high
    assert str(shares["quiet"]).startswith("100.0 % (")


def test_a_small_game_is_solved_position_by_position():
    game, perfect = TicTacToe(), agents.MinimaxAgent(TicTacToe())
    solved = solved_positions(game)
    assert len(solved) == len({position.state for position in solved}) == 4520
    assert sum(position.matters for position in solved) == 3191
    for position in solved:
        assert after(game, [int(move) for move in position.moves]) == position.state
        assert np.flatnonzero(position.keeps).tolist() == perfect.best_actions(position.state)
        assert np.flatnonzero(~np.isnan(position.scores)).tolist() == game.legal_actions(position.state)
    assert [position.moves for position in exam("tictactoe")] == [p.moves for p in solved if p.matters]
    by_moves = {position.moves: position.tactics for position in solved}
    assert [by_moves[moves] for moves in ("0142", "047", "041", "")] == ["win", "", "block", ""]


@pytest.mark.parametrize("simulations", [0, 1, 30])
def test_searching_all_at_once_plays_what_the_agent_plays(positions, simulations):
    some = list(itertools.islice(positions, 0, None, 60))
    network = HashNetwork(GAME.num_actions, seed=1)
    agent = SearchAgent(GAME, network, simulations)
    assert searched_moves(GAME, network, some, simulations).tolist() == moves_of(agent, some).tolist()


def test_the_strength_of_a_run_is_that_of_its_agents():
    run = Run.start(TicTacToe(), TrainingConfig(), seed=0)
    some = exam("tictactoe")[::20]
    grades = grader(run.game)(run.network)
    for name, simulations in (("alone", 0), ("with 10 simulations", 10)):
        moves = moves_of(run.agent(run.network, simulations), some)
        right = np.mean([position.keeps[move] for position, move in zip(some, moves, strict=True)])
        assert abs(grades[name] - right) < 0.12


def test_random_play_keeps_the_value_as_often_as_chance_says(positions):
    some = [position for position in positions if position.matters]
    expected = np.mean([position.keeps.sum() / (~np.isnan(position.scores)).sum() for position in some])
    share = share_kept(some, moves_of(RandomAgent(GAME, np.random.default_rng(0)), some))["matters"]
    assert abs(share.kept / share.of - expected) < 0.08


def test_the_shipped_agent_plays_as_recorded(positions):
    net = load_network(agents.CHECKPOINTS / "connect_four.pt", "connect_four")
    card = agents.card("connect_four")
    alone = share_kept(positions, searched_moves(GAME, FoldedNetwork(net), positions, 0))
    recorded = load_result("connect_four_moves")
    for group, share in alone.items():
        row = recorded.one(network="trained", simulations=0, group=group)
        assert share.of == row["of"]
        assert abs(share.kept - row["kept"]) / share.of < 0.005
    assert (agents.CHECKPOINTS / "connect_four.pt").stat().st_size < 2_000_000  # in 16 bits
    assert card["parameters"] == sum(parameter.numel() for parameter in net.parameters())


def test_the_shipped_agent_begins_in_the_middle():
    agent = agents.load("connect_four", simulations=50)
    assert agent.act(GAME.initial_state()) == 3  # the only winning move
