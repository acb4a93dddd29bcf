"""The rules of tic-tac-toe against independent oracles, on every position that a game can reach."""

from collections import Counter
from functools import cache

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from course_utils.games import TicTacToe, after
from course_utils.games.tictactoe import (
    State,
    count_games,
    encode,
    is_terminal,
    legal_actions,
    play,
    symmetries,
    winner,
)
from course_utils.tests.world.positions import has_line, reachable

GAME = TicTacToe()
STATES = reachable()
EIGHT_PERMUTATIONS = [  # the cell that comes to stand at 0, 1, 2, ...
    [3 * r + c for r, c in map(look, ((r, c) for r in range(3) for c in range(3)))]
    for look in (
        lambda at: (at[0], at[1]),
        lambda at: (at[1], 2 - at[0]),
        lambda at: (2 - at[0], 2 - at[1]),
        lambda at: (2 - at[1], at[0]),
        lambda at: (at[0], 2 - at[1]),
        lambda at: (2 - at[0], at[1]),
        lambda at: (at[1], at[0]),
        lambda at: (2 - at[1], 2 - at[0]),
    )
]

states = st.sampled_from(STATES)
policies = st.permutations(range(1, 10)).map(lambda order: np.array(order) / 45)


# --- eight behaviors of a game engine --------------------------------------------------------------------------------


def test_a_new_game_is_empty_and_x_begins():
    assert GAME.initial_state() == State((0,) * 9, 1)
    assert not is_terminal(State())


def test_nine_first_moves():
    assert legal_actions(State()) == list(range(9))


def test_a_move_puts_a_mark_and_passes_the_turn():
    state = play(State(), 4)
    assert state == State((0, 0, 0, 0, 1, 0, 0, 0, 0), -1)
    assert play(state, 0) == State((-1, 0, 0, 0, 1, 0, 0, 0, 0), 1)


@pytest.mark.parametrize(
    ("actions", "who"),
    [
        ([0, 3, 1, 4, 2], 1),  # a row
        ([1, 0, 2, 3, 4, 6], -1),  # a column
        ([0, 1, 4, 2, 8], 1),  # the diagonal
        ([0, 2, 1, 4, 8, 6], -1),  # the other diagonal
        ([0, 4, 8, 1, 7, 6, 2, 5, 3], 0),  # a draw
        ([0, 1, 2, 3, 4, 5, 7, 6, 8], 1),  # won by the ninth mark
    ],
)
def test_ends(actions, who):
    state = after(GAME, actions)
    assert winner(state) == who
    assert is_terminal(state)
    assert legal_actions(state) == []


def test_no_moves_after_a_win_though_cells_are_free():
    state = after(GAME, [0, 3, 1, 4, 2])
    assert 0 in state.cells
    assert legal_actions(state) == []
    with pytest.raises(ValueError, match="the game is over"):
        play(state, 8)


# --- every position --------------------------------------------------------------------------------------------------


def test_the_published_number_of_positions():
    over = [state for state in STATES if is_terminal(state)]
    assert len(STATES) == 5478
    assert len(STATES) - len(over) == 4520
    assert Counter(winner(state) for state in over) == {1: 626, -1: 316, 0: 16}
    assert {winner(state) for state in STATES if not is_terminal(state)} == {0}


def test_765_positions_up_to_symmetry():
    classes = {min(tuple(state.cells[i] for i in order) for order in EIGHT_PERMUTATIONS) for state in STATES}
    assert len(classes) == 765


def test_playing_reaches_exactly_the_positions_of_the_oracle():
    seen, todo = {State()}, [State()]
    while todo:
        state = todo.pop()
        children = {play(state, action) for action in legal_actions(state)} - seen
        seen |= children
        todo += children
    assert seen == set(STATES)


def test_winner_by_definition():
    for state in STATES:
        by_definition = has_line(state.cells, 1) - has_line(state.cells, -1)
        assert winner(state) == by_definition
        assert type(winner(state)) is int


def test_the_end_and_what_is_legal():
    for state in STATES:
        free = [cell for cell in range(9) if state.cells[cell] == 0]
        over = any(has_line(state.cells, player) for player in (1, -1)) or not free
        assert is_terminal(state) is over
        assert legal_actions(state) == ([] if over else free)


def test_encode_is_seen_by_the_player_to_move():
    for state in STATES:
        planes = encode(state)
        assert (planes.dtype, planes.shape) == (np.float32, (2, 3, 3))
        for cell, mark in enumerate(state.cells):
            row, column = divmod(cell, 3)
            assert planes[0, row, column] == (mark == state.to_play)
            assert planes[1, row, column] == (mark == -state.to_play)


# --- playing ---------------------------------------------------------------------------------------------------------


@given(states, st.integers(-20, 20))
def test_a_legal_action_changes_one_cell_and_any_other_says_what_was_legal(state, action):
    before = (tuple(state.cells), state.to_play)
    legal = legal_actions(state)
    if action in legal:
        child = play(state, action)
        assert child.to_play == -state.to_play
        assert child.cells[action] == state.to_play
        assert [i for i in range(9) if child.cells[i] != state.cells[i]] == [action]
        assert hash(child) == hash(State(child.cells, child.to_play))
        assert all(type(cell) is int for cell in child.cells)
    else:
        with pytest.raises(ValueError) as refusal:
            play(state, action)
        assert str(legal or "none, the game is over") in str(refusal.value)
    assert (state.cells, state.to_play) == before


def test_a_state_cannot_be_changed():
    with pytest.raises(TypeError):
        State().cells[0] = 1
    with pytest.raises(AttributeError):
        State().to_play = -1


def test_a_state_draws_itself():
    assert str(after(GAME, [4, 0, 8])) == "O . .\n. X .\n. . X"


# --- symmetries ------------------------------------------------------------------------------------------------------


def cell_orders(pairs):
    """Which cell each pair's policy shows at 0, 1, 2, ... if the given policy was 0, 1, 2, ..."""
    return [tuple(int(cell) for cell in policy) for _, policy in pairs]


def test_the_eight_symmetries_are_a_group():
    orders = cell_orders(symmetries(encode(State()), np.arange(9)))
    assert set(orders) == {tuple(order) for order in EIGHT_PERMUTATIONS}
    assert len(orders) == 8
    assert tuple(range(9)) in orders
    for first in orders:
        for second in orders:
            assert tuple(first[cell] for cell in second) in orders


@given(states, policies)
def test_boards_and_policies_move_together(state, policy):
    planes = encode(state)
    orders = cell_orders(symmetries(planes, np.arange(9)))
    for (board, moves), order in zip(symmetries(planes, policy), orders, strict=True):
        assert np.array_equal(board.reshape(2, 9), planes.reshape(2, 9)[:, list(order)])
        assert np.array_equal(moves, policy[list(order)])
        assert (board.dtype, board.shape, moves.shape) == (np.float32, (2, 3, 3), (9,))


@given(states)
def test_the_rules_do_not_care_how_the_board_lies(state):
    for order in cell_orders(symmetries(encode(state), np.arange(9))):
        turned = State(tuple(state.cells[cell] for cell in order), state.to_play)
        assert winner(turned) == winner(state)
        assert is_terminal(turned) == is_terminal(state)
        assert {order[action] for action in legal_actions(turned)} == set(legal_actions(state))
        for action in legal_actions(turned):
            moved_then_turned = tuple(play(state, order[action]).cells[cell] for cell in order)
            assert play(turned, action).cells == moved_then_turned


@given(states, policies)
def test_symmetries_are_new_arrays(state, policy):
    planes = encode(state)
    kept = planes.copy(), policy.copy()
    for board, moves in symmetries(planes, policy):
        board[...] = 7
        moves[...] = 7
    assert np.array_equal(planes, kept[0])
    assert np.array_equal(policy, kept[1])


# --- counting --------------------------------------------------------------------------------------------------------


@cache
def games_by_result(cells, player) -> dict[int, int]:
    """How many games end in +1, -1, 0 from here: by the oracle's rules alone."""
    for who in (1, -1):
        if has_line(cells, who):
            return {who: 1}
    total = Counter()
    for i in range(9):
        if cells[i] == 0:
            total.update(games_by_result(cells[:i] + (player,) + cells[i + 1 :], -player))
    return total or {0: 1}


def test_255168_games():
    assert games_by_result((0,) * 9, 1) == {1: 131_184, -1: 77_904, 0: 46_080}
    assert count_games(State()) == 255_168


@given(st.sampled_from([state for state in STATES if state.cells.count(0) <= 6]))
def test_count_games_from_anywhere(state):
    assert count_games(state) == sum(games_by_result(state.cells, state.to_play).values())


# --- the class -------------------------------------------------------------------------------------------------------


@given(states)
def test_the_class_says_what_the_functions_say(state):
    assert GAME.legal_actions(state) == legal_actions(state)
    assert GAME.is_terminal(state) == is_terminal(state)
    assert GAME.winner(state) == winner(state)
    assert GAME.to_play(state) == state.to_play
    assert np.array_equal(GAME.encode(state), encode(state))
    assert GAME.encode(state).shape == (GAME.planes, GAME.rows, GAME.columns)
    assert GAME.cells(state).ravel().tolist() == list(state.cells)
    assert GAME.cells(state).dtype == int  # a learner may add up many of them
    assert [GAME.action_at(row, column) for row in range(3) for column in range(3)] == list(range(GAME.num_actions))


def test_positions_travel_as_lists_of_actions():
    assert after(GAME, [4, 0, 8]) == State((-1, 0, 0, 0, 1, 0, 0, 0, 1), -1)
    with pytest.raises(ValueError, match=r"legal: \[1, 2, 3, 5, 6, 7, 8\]"):
        after(GAME, [4, 0, 4])
