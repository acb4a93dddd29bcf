"""The reference search against independent answers: plain recursion, perfect play, numbers worked by hand."""

import numpy as np
import pytest

from course_utils.games import ConnectFour, TicTacToe, after
from course_utils.networks import UniformNetwork
from course_utils.search.minimax import solve
from course_utils.search.puct import NO_ACTION, Node, backup, evaluate, expand, mcts_search, select
from course_utils.tests.world.networks import HashNetwork, sizes
from course_utils.tests.world.plain_puct import puct_visits
from course_utils.tests.world.positions import has_line, reachable

GAME = TicTacToe()
OPEN = [state for state in reachable() if not has_line(state.cells, -state.to_play) and 0 in state.cells]


def test_visits_are_those_of_a_plain_recursion_on_hundreds_of_positions():
    rng = np.random.default_rng(0)
    for number in rng.choice(len(OPEN), size=300, replace=False):
        state = OPEN[number]
        simulations, c_puct, seed = int(rng.integers(1, 50)), float(rng.uniform(0.3, 4)), int(number)
        visits = mcts_search(GAME, state, HashNetwork(9, seed), simulations, c_puct)
        expected = puct_visits(GAME, state, HashNetwork(9, seed), simulations, c_puct)
        assert visits.tolist() == expected, (str(state), simulations, c_puct, seed)


def test_visits_are_those_of_a_plain_recursion_in_connect_four():
    rng = np.random.default_rng(1)
    game = ConnectFour()
    for seed in range(20):
        state = game.initial_state()
        for _ in range(int(rng.integers(0, 30))):
            following = game.play(state, int(rng.choice(game.legal_actions(state))))
            state = state if game.is_terminal(following) else following
        network = HashNetwork(7, seed)
        visits = mcts_search(game, state, network, 40, 1.7)
        assert visits.tolist() == puct_visits(game, state, network, 40, 1.7)


def _nodes(root):
    waiting = [root]
    while waiting:
        node = waiting.pop()
        yield node
        waiting += node.children.values()


@pytest.mark.parametrize("simulations", [0, 1, 2, 10, 100])
def test_every_node_of_a_tree_is_sound(simulations):
    network = HashNetwork(9)
    state = after(GAME, [4, 0])
    before = str(state)
    visits, root = mcts_search(GAME, state, network, simulations, 1.5, return_root=True)
    assert visits.sum() == simulations
    assert visits is root.N and visits.dtype == np.float64 and visits.shape == (9,)
    assert str(state) == before
    new = [node for node in _nodes(root) if not node.is_terminal]
    assert sizes(network) == [1] * len(new)
    for node in _nodes(root):
        assert (np.abs(node.W) <= node.N).all()
        assert (node.N[~node.legal] == 0).all() and (node.P[~node.legal] == 0).all()
        assert sorted(node.children) == np.flatnonzero(node.N).tolist()
        if node.is_terminal:
            assert not node.children and not node.legal.any()
        else:
            assert node.P.sum() == pytest.approx(1)
        for action, child in node.children.items():
            assert child.parent is node and child.parent_action == action
            assert child.state == GAME.play(node.state, action)
            if not child.is_terminal:  # the simulation that made it stopped there, all others went on
                assert child.N.sum() == node.N[action] - 1


@pytest.mark.parametrize(
    ("actions", "move"),
    [
        ([0, 3, 1, 4], 2),  # a row
        ([0, 1, 3, 2], 6),  # a column
        ([0, 1, 4, 2], 8),  # a diagonal
        ([2, 1, 4, 0], 6),  # the other diagonal
        ([0, 4, 8, 2, 5], 6),  # O, on a diagonal
        ([0, 4, 1], 2),  # a block: X would win on 2
        ([4, 0, 8, 2], 1),  # a block: O would win on 1
    ],
)
def test_a_network_that_knows_nothing_finds_a_win_in_one_and_a_block_within_32_simulations(actions, move):
    visits = mcts_search(GAME, after(GAME, actions), UniformNetwork(9), 32, 1.5)
    assert visits.argmax() == move
    assert visits[move] > visits.sum() / 2


def test_a_network_that_knows_nothing_finds_a_fork():
    state = after(GAME, [0, 1, 4, 8])
    values = solve(GAME, state)
    winning = [action for action in GAME.legal_actions(state) if -values[GAME.play(state, action)] == 1]
    assert winning == [3, 6]
    assert mcts_search(GAME, state, UniformNetwork(9), 100, 1.5).argmax() in winning


class Scripted:
    """Value and priors for chosen positions; 0 and uniform for all others."""

    def __init__(self, opinions: dict):
        self.opinions = {GAME.encode(state).tobytes(): opinion for state, opinion in opinions.items()}

    def __call__(self, planes):
        value, priors = self.opinions.get(planes[0].tobytes(), (0.0, {}))
        return np.array([value]), np.log([[priors.get(action, 1.0) for action in range(9)]])


def test_the_worked_example():
    """O to move must take 5 (else X does, and wins); the network prefers 1, which loses."""
    state = after(GAME, [3, 0, 4, 6, 8])
    assert str(state) == "O . .\nX X .\nO . X"
    network = Scripted(
        {
            state: (0.0, {1: 0.45, 2: 0.15, 5: 0.25, 7: 0.15}),
            GAME.play(state, 1): (-0.2, {2: 0.2, 5: 0.6, 7: 0.2}),
        }
    )
    visits, root = mcts_search(GAME, state, network, 1, 5, return_root=True)
    assert visits.tolist() == [0, 1, 0, 0, 0, 0, 0, 0, 0]
    assert root.Q[1] == pytest.approx(0.2)
    scores = root.Q + 5 * root.P * np.sqrt(1 + root.N.sum()) / (1 + root.N)
    assert np.round(scores, 3)[[1, 2, 5, 7]].tolist() == [1.791, 1.061, 1.768, 1.061]
    visits, root = mcts_search(GAME, state, network, 2, 5, return_root=True)
    assert visits[1] == 2
    reply = root.children[1].children[5]
    assert reply.is_terminal and reply.terminal_value == -1 and GAME.winner(reply.state) == 1
    assert root.Q[1] == pytest.approx((0.2 - 1) / 2)
    assert mcts_search(GAME, state, network, 100, 5).argmax() == 5


def test_noise_perturbs_the_root_only_and_gets_the_generator():
    rng = np.random.default_rng(0)
    given = []

    def noise(prior, legal, generator):
        given.append((prior.copy(), legal.copy(), generator))
        return np.where(legal, 0.125, 0)

    state = after(GAME, [4])
    network = HashNetwork(9)
    _, plain = mcts_search(GAME, state, network, 60, 1.5, return_root=True)
    _, noisy = mcts_search(GAME, state, network, 60, 1.5, noise=noise, rng=rng, return_root=True)
    [(prior, legal, generator)] = given
    assert prior.tolist() == plain.P.tolist() and legal.tolist() == plain.legal.tolist() and generator is rng
    assert noisy.P.tolist() == np.where(legal, 0.125, 0).tolist()
    for action in plain.children.keys() & noisy.children.keys():
        assert noisy.children[action].P.tolist() == plain.children[action].P.tolist()


def test_the_same_search_twice_gives_the_same():
    searches = [mcts_search(GAME, GAME.initial_state(), HashNetwork(9), 200, 1.5) for _ in range(2)]
    assert searches[0].tolist() == searches[1].tolist()


@pytest.mark.parametrize("actions", [[0, 3, 1, 4, 2], [0, 1, 2, 4, 3, 5, 7, 6, 8]])
def test_a_finished_game_is_refused(actions):
    with pytest.raises(ValueError, match="the game is over"):
        mcts_search(GAME, after(GAME, actions), UniformNetwork(9), 10, 1.5)


@pytest.mark.parametrize(("value", "logit"), [(np.nan, 0.0), (0.0, np.nan), (0.0, np.inf)])
def test_a_network_that_diverged_is_named_in_one_sentence(value, logit):
    def network(planes):
        return np.full(len(planes), value), np.full((len(planes), 9), logit)

    with pytest.raises(ValueError, match=r"^the network's .* its weights have probably diverged$"):
        mcts_search(GAME, GAME.initial_state(), network, 10, 1.5)


def test_a_new_node():
    node = Node(GAME, after(GAME, [4]))
    assert node.parent is None and node.parent_action == NO_ACTION and node.children == {}
    assert node.legal.tolist() == [True] * 4 + [False] + [True] * 4 and node.legal.dtype == bool
    for array in (node.N, node.W, node.P, node.Q):
        assert array.dtype == np.float64 and array.tolist() == [0] * 9
    assert not node.is_terminal
    node.N[0], node.W[0] = 4, -1
    assert node.Q[0] == -0.25


@pytest.mark.parametrize(
    ("actions", "value"),
    [([0, 3, 1, 4, 2], -1), ([0, 2, 1, 4, 8, 6], -1), ([0, 1, 2, 4, 3, 5, 7, 6, 8], 0)],
)
def test_a_finished_game_is_worth_minus_what_its_last_move_earned(actions, value):
    node = Node(GAME, after(GAME, actions))
    assert node.is_terminal and node.terminal_value == value
    network = HashNetwork(9)
    assert evaluate(node, network, GAME) == value and network.asked == []
    assert select(node, 1.5) == (node, NO_ACTION)


def test_no_action_is_no_index_of_any_list_of_actions():
    with pytest.raises(IndexError):
        Node(ConnectFour(), ConnectFour().initial_state()).N[NO_ACTION]


def test_a_value_changes_its_sign_at_each_step_up():
    root = Node(GAME, GAME.initial_state())
    child = expand(root, 0, GAME)
    leaf = expand(child, 4, GAME)
    backup(leaf, 0.5)
    assert (child.W[4], root.W[0]) == (-0.5, 0.5)
    assert (child.N[4], root.N[0]) == (1, 1)


def test_perfect_play_is_a_draw_and_a_finished_game_is_lost_for_the_player_to_move():
    values = solve(GAME, GAME.initial_state())
    assert len(values) == 5478
    assert values[GAME.initial_state()] == 0
    for state, value in values.items():
        if GAME.is_terminal(state):
            assert value == (-1 if GAME.winner(state) else 0)
