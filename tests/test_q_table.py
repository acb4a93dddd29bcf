"""Q-learning in a table: by arithmetic, and in small games, where every entry reaches the value of perfect play."""

from collections import defaultdict

import numpy as np
import pytest

from course_utils.games import ConnectN, TicTacToe, after
from course_utils.learning.q_table import best_in_table, learn_in_table, q_update

GAME = TicTacToe()


def value(game, state) -> int:
    """For the player to move, by looking at everything."""
    if game.is_terminal(state):
        return game.winner(state) * game.to_play(state)
    return max(-value(game, game.play(state, action)) for action in game.legal_actions(state))


@pytest.mark.parametrize(
    ("moves", "action", "worth"),
    [([0, 1, 3, 4], 6, 1), ([0, 1, 2, 4, 6], 7, 1), ([0, 1, 2, 4, 3, 5, 7, 6], 8, 0)],
    ids=["X wins", "O wins", "a draw"],
)
def test_q_update_of_a_last_move_goes_towards_the_outcome_for_its_player(moves, action, worth):
    state, Q = after(GAME, moves), defaultdict(float)
    Q[state, action] = -0.5
    assert q_update(Q, GAME, state, action, 0.25) is None
    assert dict(Q) == {(state, action): -0.5 + 0.25 * (worth + 0.5)}


def test_q_update_takes_the_opponents_best_reply_as_the_players_worst():
    state, Q = after(GAME, [4]), defaultdict(float)
    child = GAME.play(state, 0)
    Q.update({(child, 8): 0.75, (child, 1): -1.0, (state, 0): 0.25, (child, 4): 1.0})  # 4 is taken
    q_update(Q, GAME, state, 0, 0.5)
    assert Q[state, 0] == 0.25 + 0.5 * (-0.75 - 0.25)


@pytest.mark.parametrize("game", [ConnectN(2, 3, 2), ConnectN(3, 2, 2), ConnectN(2, 2, 2)], ids=lambda game: game.name)
def test_after_enough_random_games_every_entry_is_what_perfect_play_makes_of_it(game):
    Q = learn_in_table(game, 600, 1.0, np.random.default_rng(0), alpha=1.0)
    tried = {key: worth for key, worth in Q.items() if key[1] in game.legal_actions(key[0])}
    assert len({state for state, _ in tried}) > 4
    for (state, action), worth in tried.items():
        assert worth == -value(game, game.play(state, action))
    assert value(game, game.play(game.initial_state(), best_in_table(Q, game, game.initial_state()))) == -1


def test_learning_goes_on_in_a_table_that_is_handed_over_and_without_exploring_the_best_is_played():
    rng = np.random.default_rng(0)
    Q = learn_in_table(GAME, 3, 0.0, rng)
    first = GAME.initial_state()
    assert [action for action in range(9) if (first, action) in Q and Q[first, action] != 0] == []
    assert learn_in_table(GAME, 2, 1.0, rng, Q) is Q
    assert best_in_table({(first, 5): 0.5, (first, 7): 0.5}, GAME, first) == 5
    assert best_in_table({(first, 0): -0.5}, GAME, first) == 1  # one that was never tried is worth 0


def test_the_same_seed_gives_the_same_table():
    tables = [learn_in_table(GAME, 50, 0.3, np.random.default_rng(3)) for _ in range(2)]
    assert tables[0] == tables[1]
