"""Minimax and alpha-beta agree, everywhere; the heuristic keeps its promises; the agents play by them."""

from functools import partial

import numpy as np
import pytest

from course_utils.agents import MinimaxAgent
from course_utils.agents.classical import AlphaBetaAgent, GreedyAgent
from course_utils.games import ConnectN, TicTacToe, after
from course_utils.learning.arena import count_lines
from course_utils.search.minimax import alpha_beta, best_action, center_first, heuristic, negamax, solve
from course_utils.ui.diagrams import alpha_beta_steps

GAME = TicTacToe()
VALUES = solve(GAME, GAME.initial_state())
UNFINISHED = [state for state in VALUES if not GAME.is_terminal(state)]


def random_positions(game, count, rng):
    positions = []
    while len(positions) < count:
        state = game.initial_state()
        for _ in range(rng.integers(1, game.rows * game.columns)):
            if game.is_terminal(state):
                break
            state = game.play(state, int(rng.choice(game.legal_actions(state))))
        positions.append(state)
    return positions


def test_the_answer_key():
    assert len(VALUES) == 5478 and len(UNFINISHED) == 4520
    values = [VALUES[state] for state in UNFINISHED]
    assert (values.count(1), values.count(0), values.count(-1)) == (2836, 1052, 632)
    assert VALUES[GAME.initial_state()] == 0


def test_alpha_beta_and_minimax_agree_on_every_position_of_tic_tac_toe():
    for state, value in VALUES.items():
        assert alpha_beta(GAME, state)[0] == value
    for state in UNFINISHED:
        assert alpha_beta(GAME, state, order=center_first)[0] == VALUES[state]


def test_negamax_is_the_answer_key():
    few_free = [state for state in VALUES if state.cells.count(0) <= 5]
    assert all(negamax(GAME, state) == VALUES[state] for state in few_free)
    assert negamax(GAME, after(GAME, [4])) == VALUES[after(GAME, [4])]


@pytest.mark.parametrize(("rows", "columns", "n"), [(3, 3, 3), (3, 4, 3), (4, 3, 3), (3, 4, 4), (2, 5, 2)])
def test_they_agree_on_connect_n(rows, columns, n):
    game = ConnectN(rows, columns, n)
    values = solve(game, game.initial_state())
    for state in random_positions(game, 60, np.random.default_rng(0)):
        assert alpha_beta(game, state)[0] == alpha_beta(game, state, order=center_first)[0] == values[state]
    assert alpha_beta(game, game.initial_state(), order=center_first)[0] == values[game.initial_state()]


def test_they_agree_at_every_depth_with_a_heuristic():
    game = ConnectN(4, 5, 3)

    def plain(state, depth):
        if game.is_terminal(state):
            return game.winner(state) * game.to_play(state)
        if depth == 0:
            return heuristic(game, state, 2)
        return max(-plain(game.play(state, action), depth - 1) for action in game.legal_actions(state))

    for state in random_positions(game, 25, np.random.default_rng(1)):
        for depth in range(4):
            value, _ = alpha_beta(game, state, depth=depth, heuristic=partial(heuristic, n=2))
            assert value == pytest.approx(plain(state, depth))


def test_it_looks_at_far_fewer_positions():
    full = 549_946
    _, nodes = alpha_beta(GAME, GAME.initial_state())
    _, middle_first = alpha_beta(GAME, GAME.initial_state(), order=center_first)
    _, best_first = alpha_beta(
        GAME,
        GAME.initial_state(),
        order=lambda game, state: sorted(
            game.legal_actions(state), key=lambda action: VALUES[game.play(state, action)]
        ),
    )
    assert full > 30 * nodes and nodes > middle_first > best_first


def test_known_first_moves():
    for rows, columns, n, values in [(4, 4, 3, [1, 1, 1, 1]), (3, 5, 3, [-1, 1, 1, 1, -1])]:
        game = ConnectN(rows, columns, n)
        start = game.initial_state()
        values = [-alpha_beta(game, game.play(start, action), order=center_first)[0] for action in range(columns)]
        assert values == values


def test_the_heuristic_is_antisymmetric_mirrored_and_inside_one():
    game = ConnectN(6, 7, 4)
    for state in random_positions(game, 40, np.random.default_rng(2)):
        for n in (1, 2, 3):
            value = heuristic(game, state, n)
            assert -1 < value < 1
            assert heuristic(game, state._replace(to_play=-state.to_play), n) == -value
            assert heuristic(game, state._replace(columns=state.columns[::-1]), n) == value


def test_center_first_is_a_permutation_that_begins_in_the_middle():
    assert center_first(GAME, GAME.initial_state())[0] == 4
    game = ConnectN(6, 7, 4)
    assert center_first(game, game.initial_state())[0] == 3
    for state in random_positions(game, 20, np.random.default_rng(3)):
        assert sorted(center_first(game, state)) == game.legal_actions(state)


def test_best_action_keeps_the_value_and_ties_go_to_the_first():
    for state in UNFINISHED[::7]:
        best = MinimaxAgent(GAME).best_actions(state)
        assert best_action(GAME, state) == best[0]
    with pytest.raises(ValueError, match="no action"):
        best_action(GAME, after(GAME, [0, 3, 1, 4, 2]))


def test_alpha_beta_agent_never_loses_at_tic_tac_toe():
    for side in (1, -1):
        assert count_lines(GAME, AlphaBetaAgent(GAME, None), side).losses == 0


def test_greedy_wins_blocks_and_else_plays_at_random():
    greedy = GreedyAgent(GAME, np.random.default_rng(4))
    assert greedy.act(after(GAME, [0, 3, 1, 4])) == 2  # wins, though it could block
    assert greedy.act(after(GAME, [0, 4, 1])) == 2  # blocks
    assert len({greedy.act(GAME.initial_state()) for _ in range(80)}) == 9


def _minimax(tree, sign=1):
    """Of nested tuples, from the root's side throughout."""
    if not isinstance(tree, tuple):
        return tree
    values = [_minimax(child, -sign) for child in tree]
    return max(values) if sign == 1 else min(values)


def test_the_drawn_steps_of_alpha_beta_find_the_value_and_skip_only_what_cannot_change_it():
    rng = np.random.default_rng(0)
    cut = 0
    for _ in range(200):
        leaves = [[round(float(value), 1) for value in rng.uniform(-1, 1, size=3)] for _ in range(3)]
        last = alpha_beta_steps(tuple(map(tuple, leaves)))[-1]
        assert last.best[()] == _minimax(tuple(map(tuple, leaves)))
        for move, reply in last.skipped:
            cut += 1
            for other in (-1.0, 1.0):
                changed = [list(replies) for replies in leaves]
                changed[move][reply] = other
                assert _minimax(tuple(map(tuple, changed))) == last.best[()]
        assert len(last.windows) + len(last.skipped) == 1 + 3 + 9
    assert cut > 100
