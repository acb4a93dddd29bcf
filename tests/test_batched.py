"""Many games at once must be the same games: the batched rules and search against the one-game rules and search."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from course_utils.games import ConnectFour, ConnectN, TicTacToe, after
from course_utils.games.batched import LineGame, make_batched
from course_utils.games.properties import check_batched
from course_utils.games.protocol import OneByOne
from course_utils.networks import UniformNetwork
from course_utils.search import puct
from course_utils.search.batched import NO_ACTION, NO_PARENT, ROOT, UNVISITED, Tree, batched_search
from course_utils.tests.world.networks import HashNetwork, sizes
from course_utils.tests.world.plain_puct import puct_visits

GAMES = [TicTacToe(), ConnectFour(), ConnectN(4, 4, 3), ConnectN(5, 6, 4), ConnectN(7, 8, 5), ConnectN(3, 3, 2)]
by_name = pytest.mark.parametrize("game", GAMES, ids=lambda game: game.name)


def random_states(game, count, rng):
    """Positions of random play at random plies; about a tenth of them finished."""
    states = []
    while len(states) < count:
        state, plies = game.initial_state(), int(rng.integers(game.rows * game.columns))
        for _ in range(plies):
            if game.is_terminal(state):
                break
            state = game.play(state, int(rng.choice(game.legal_actions(state))))
        if not game.is_terminal(state) or rng.random() < 0.2:
            states.append(state)
    return states


def visits_one_by_one(game, states, network, simulations, c_puct, noise=None):
    """[batch, num_actions], by `puct.mcts_search`; zeros where the game is over."""
    return np.array(
        [
            np.zeros(game.num_actions)
            if game.is_terminal(state)
            else puct.mcts_search(game, state, network, simulations, c_puct, noise=noise)
            for state in states
        ]
    )


# --- rules -----------------------------------------------------------------------------------------------------------


@by_name
@settings(max_examples=25)
@given(seed=st.integers(0, 2**32 - 1))
def test_random_games_in_lock_step_agree_with_the_rules_of_one_game(game, seed):
    check_batched(game, np.random.default_rng(seed), batch=12)


@by_name
def test_a_full_slot_is_refused_and_the_game_named(game):
    batched = make_batched(game)
    some = random_states(game, 300, np.random.default_rng(0))
    state = next(state for state in some if 0 < len(game.legal_actions(state)) < game.num_actions)
    bad = next(a for a in range(game.num_actions) if a not in game.legal_actions(state))
    good = game.legal_actions(state)[0]
    with pytest.raises(ValueError, match=f"action {bad} is not legal in game 1 "):
        batched.play(batched.from_states([state, state]), np.array([good, bad]))


def test_lines_do_not_wrap_around():
    """Four stones, evenly spaced in the list of cells by rows or columns, are a line only if they are straight."""
    batched = make_batched(ConnectFour())
    for bits in (batched.bits, batched.bits.T):
        rows, columns = bits.shape
        for step in (1, columns - 1, columns, columns + 1):
            for start in range(rows * columns - 3 * step):
                cells = [divmod(start + k * step, columns) for k in range(4)]
                steps = {(b[0] - a[0], b[1] - a[1]) for a, b in pairwise(cells)}
                straight = len(steps) == 1 and all(abs(step) <= 1 for step in steps.pop())
                stones = sum(1 << int(bits[cell]) for cell in cells)
                over, _ = batched.outcome(np.array([[0, stones]], dtype=np.uint64))
                assert over[0] == straight, cells


def test_boards_of_more_than_64_bits_are_played_one_by_one():
    game = ConnectN(8, 8, 4)
    with pytest.raises(ValueError, match="64 bits"):
        LineGame(game, n=4, gravity=True)
    assert isinstance(make_batched(game), OneByOne)


@pytest.mark.parametrize("game", GAMES[:3], ids=lambda game: game.name)
def test_a_search_by_slow_rules_finds_what_a_search_by_fast_ones_finds(game):
    states = random_states(game, 20, np.random.default_rng(1))
    found = []
    for batched in (make_batched(game), OneByOne(game)):
        visits = batched_search(batched, batched.from_states(states), HashNetwork(game.num_actions), 30, 1.5)
        found.append(visits.tolist())
    assert found[0] == found[1]


def test_no_games_at_all_are_fine_for_slow_rules():
    slow = OneByOne(GAMES[0])
    none = slow.initial(0)
    over, value = slow.outcome(none)
    assert slow.encode(none).shape == (0, 2, 3, 3) and slow.legal(none).shape == (0, 9)
    assert over.dtype == bool and len(over) == len(value) == len(slow.play(none, np.array([], dtype=int))) == 0


# --- search ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("c_puct", [0.5, 2.0])
@pytest.mark.parametrize("game", GAMES[:3], ids=lambda game: game.name)
def test_visits_equal_the_search_of_one_game_exactly(game, c_puct):
    rng, network = np.random.default_rng(7), HashNetwork(game.num_actions, seed=3)
    states = random_states(game, 150, rng)
    assert any(game.is_terminal(state) for state in states)
    batched = make_batched(game)
    visits = batched_search(batched, batched.from_states(states), network, 40, c_puct)
    assert np.array_equal(visits, visits_one_by_one(game, states, network, 40, c_puct))


@pytest.mark.parametrize("game", GAMES[:2], ids=lambda game: game.name)
def test_ties_go_to_the_lowest_action(game):
    """The uniform network makes nothing but ties."""
    states = random_states(game, 100, np.random.default_rng(1))
    batched, network = make_batched(game), UniformNetwork(game.num_actions)
    visits = batched_search(batched, batched.from_states(states), network, 60, 1.5)
    assert np.array_equal(visits, visits_one_by_one(game, states, network, 60, 1.5))


def test_visits_equal_an_independent_oracle():
    game = ConnectN(4, 4, 3)
    states = [s for s in random_states(game, 30, np.random.default_rng(2)) if not game.is_terminal(s)]
    batched, network = make_batched(game), HashNetwork(game.num_actions)
    visits = batched_search(batched, batched.from_states(states), network, 50, 1.0)
    assert visits.tolist() == [puct_visits(game, state, network, 50, 1.0) for state in states]


def test_the_trees_are_the_same_to_the_last_bit():
    """Not only the visits: W, P and the shape of every tree."""
    game = ConnectFour()
    states = [s for s in random_states(game, 20, np.random.default_rng(3)) if not game.is_terminal(s)]
    batched, network = make_batched(game), HashNetwork(game.num_actions)
    _, tree = batched_search(batched, batched.from_states(states), network, 80, 1.5, return_tree=True)

    def compare(b, m, node):
        assert np.array_equal(tree.N[b, m], node.N)
        assert np.array_equal(tree.W[b, m], node.W)
        assert np.array_equal(tree.P[b, m], node.P)
        assert np.array_equal(tree.legal[b, m], node.legal)
        assert (tree.is_terminal[b, m], tree.terminal_value[b, m]) == (node.is_terminal, node.terminal_value)
        assert {int(a) for a in np.flatnonzero(tree.children[b, m] != UNVISITED)} == set(node.children)
        for action, child in node.children.items():
            c = tree.children[b, m, action]
            assert (tree.parent[b, c], tree.parent_action[b, c]) == (m, action)
            compare(b, c, child)

    for b, state in enumerate(states):
        _, root = puct.mcts_search(game, state, network, 80, 1.5, return_root=True)
        assert (tree.parent[b, ROOT], tree.parent_action[b, ROOT]) == (NO_PARENT, NO_ACTION)
        compare(b, ROOT, root)


def test_noise_perturbs_the_roots_only():
    game = TicTacToe()
    states = [s for s in random_states(game, 30, np.random.default_rng(4)) if not game.is_terminal(s)]
    batched, network = make_batched(game), HashNetwork(9)

    def upside_down(prior, legal, rng):
        """The likelier, the less likely."""
        weights = np.where(legal, 1.01 - prior, 0)
        return weights / weights.sum(axis=-1, keepdims=True)

    visits = batched_search(batched, batched.from_states(states), network, 50, 1.0, noise=upside_down)
    assert np.array_equal(visits, visits_one_by_one(game, states, network, 50, 1.0, noise=upside_down))


def test_one_call_of_the_network_a_simulation_and_none_for_finished_games():
    game = TicTacToe()
    batched, network = make_batched(game), HashNetwork(9)
    won = after(game, [0, 3, 1, 4, 2])
    states = batched.from_states([game.initial_state(), won, game.initial_state()])
    visits = batched_search(batched, states, network, 5, 1.0)
    assert sizes(network) == [2] * 6
    assert visits.sum(axis=1).tolist() == [5, 0, 5]
    network.asked.clear()
    assert batched_search(batched, batched.from_states([won, won]), network, 5, 1.0).sum() == 0
    assert network.asked == []


def test_no_simulations_and_no_games():
    game = TicTacToe()
    batched, network = make_batched(game), HashNetwork(9)
    assert batched_search(batched, batched.initial(3), network, 0, 1.0).tolist() == [[0] * 9] * 3
    assert batched_search(batched, batched.initial(0), network, 3, 1.0).shape == (0, 9)


def test_a_network_that_diverged_is_named():
    game = TicTacToe()
    batched = make_batched(game)

    def broken(planes):
        return np.zeros(len(planes)), np.full((len(planes), 9), np.nan)

    with pytest.raises(ValueError, match="not finite"):
        batched_search(batched, batched.initial(2), broken, 3, 1.0)

    def without_value(planes):
        return np.full(len(planes), np.nan), np.zeros((len(planes), 9))

    with pytest.raises(ValueError, match="value is NaN"):
        batched_search(batched, batched.initial(2), without_value, 3, 1.0)


def test_planting_reserves_a_node_a_simulation():
    tree = Tree.plant(make_batched(ConnectFour()), make_batched(ConnectFour()).initial(4), simulations=10)
    assert tree.N.shape == (4, 11, 7)
    assert tree.nodes == 1
