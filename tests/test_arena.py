"""Matches, lines of play and agents, against minimax and brute force."""

import numpy as np
import pytest

from course_utils import agents
from course_utils.agents import MinimaxAgent, SearchAgent
from course_utils.games import TicTacToe, after
from course_utils.learning.arena import count_lines, gate, lines, match, play_game, random_openings
from course_utils.networks import UniformNetwork
from course_utils.results import load_result

GAME = TicTacToe()
START = GAME.initial_state()


class Lowest:
    """Plays the lowest free cell: loses often, and always the same way."""

    def act(self, state) -> int:
        return GAME.legal_actions(state)[0]


def brute_force(agent, side, state=START) -> np.ndarray:
    """[wins, draws, losses] over all the opponent's moves, by recursion."""
    if GAME.is_terminal(state):
        return np.eye(3, dtype=int)[1 - GAME.winner(state) * side]
    actions = [agent.act(state)] if GAME.to_play(state) == side else GAME.legal_actions(state)
    return sum(brute_force(agent, side, GAME.play(state, action)) for action in actions)


@pytest.mark.parametrize("side", [1, -1])
def test_minimax_loses_no_line(side):
    score = count_lines(GAME, MinimaxAgent(GAME), side)
    assert score.losses == 0
    assert score.wins > 0


@pytest.mark.parametrize("side", [1, -1])
def test_a_blunderer_loses_as_many_lines_as_brute_force_finds(side):
    score = count_lines(GAME, Lowest(), side)
    assert tuple(score) == tuple(brute_force(Lowest(), side))
    assert score.losses > 0


def test_a_line_is_a_whole_game_in_which_the_agent_played_its_moves():
    games = list(lines(GAME, Lowest(), -1))
    assert len({tuple(actions) for actions, _ in games}) == len(games)
    for actions, outcome in games:
        assert outcome == -GAME.winner(after(GAME, actions))
        for ply in range(1, len(actions), 2):
            assert actions[ply] == Lowest().act(after(GAME, actions[:ply]))


def test_a_match_plays_each_opening_with_both_colors():
    class Recorder(Lowest):
        def __init__(self):
            self.sides = []

        def act(self, state):
            self.sides.append(GAME.to_play(state))
            return super().act(state)

    first, second = Recorder(), Recorder()
    score = match(GAME, first, second, [START])
    assert tuple(score) == (1, 0, 1)  # the lowest cell wins for the first player, whoever that is
    assert set(first.sides) == set(second.sides) == {1, -1}
    assert sorted(first.sides) == sorted(second.sides)
    assert (
        tuple(match(GAME, MinimaxAgent(GAME), Lowest(), random_openings(GAME, 5, 1, np.random.default_rng(0))))[2] == 0
    )


def test_random_openings_have_their_length_and_are_not_over():
    for plies in (0, 1, 5, 8):
        openings = random_openings(GAME, 20, plies, np.random.default_rng(1))
        assert len(openings) == 20
        assert all(
            sum(cell != 0 for cell in state.cells) == plies and not GAME.is_terminal(state) for state in openings
        )
    assert len(set(random_openings(GAME, 100, 1, np.random.default_rng(0)))) == 9


def test_the_gate_lets_the_better_one_in_and_keeps_the_worse_and_the_equal_out():
    openings = random_openings(GAME, 10, 1, np.random.default_rng(0))
    perfect = MinimaxAgent(GAME)
    assert gate(GAME, perfect, Lowest(), openings)[0] is True
    assert gate(GAME, Lowest(), perfect, openings)[0] is False
    assert gate(GAME, perfect, perfect, [START])[0] is False
    assert play_game(GAME, {1: perfect, -1: perfect}) == 0


# --- agents ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("simulations", [0, 50])
@pytest.mark.parametrize("side", [1, -1])
def test_the_shipped_agent_never_loses_with_search_nor_by_its_network_alone(simulations, side):
    score = count_lines(GAME, agents.load("tictactoe", simulations), side)
    assert score.losses == 0
    recorded = load_result("tictactoe_shipped").one(network="trained", simulations=simulations)
    assert score.losses == recorded["first" if side == 1 else "second"]


def test_the_card_says_how_the_agent_was_made_and_the_record_has_its_control():
    assert {"command", "seed", "configuration", "games", "seconds", "machine", "torch"} <= agents.card(
        "tictactoe"
    ).keys()
    assert load_result("tictactoe_shipped").one(network="untrained", simulations=50)["second"] > 0


@pytest.mark.parametrize("simulations", [0, 30])
def test_an_agent_repeats_itself_and_plays_what_it_prefers(simulations):
    for moves in ([], [4], [0, 4, 8]):
        state = after(GAME, moves)
        first, second = agents.load("tictactoe", simulations), agents.load("tictactoe", simulations)
        assert first.act(state) == second.act(state) == int(np.argmax(first.policy(state)))
        assert type(first.act(state)) is int
        assert np.array_equal(first.policy(state), second.policy(state))
        assert first.policy(state).sum() == pytest.approx(1)
        assert all(first.policy(state)[action] == 0 for action in range(9) if action not in GAME.legal_actions(state))


@pytest.mark.parametrize("simulations", [0, 50])
def test_a_value_is_for_the_player_to_move(simulations):
    agent = agents.load("tictactoe", simulations)
    assert agent.value(after(GAME, [0, 3, 1, 4])) > 0.5  # wins at once
    assert agent.value(after(GAME, [0, 8, 6, 3, 2])) < -0.5  # two threats: can't stop both


def test_what_an_agent_is_asked_amiss_it_says_in_one_sentence():
    over = after(GAME, [0, 3, 1, 4, 2])
    for simulations in (0, 10):
        with pytest.raises(ValueError, match="over"):
            SearchAgent(GAME, UniformNetwork(9), simulations).act(over)
    with pytest.raises(ValueError, match="tictactoe"):
        agents.load("chess")
    with pytest.raises(ValueError, match="0 or more"):
        SearchAgent(GAME, UniformNetwork(9), -1)
