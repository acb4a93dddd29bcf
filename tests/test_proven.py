"""A search that proves.

The oracle is perfect play: minimax on every position of tic-tac-toe, and small trees worked out by hand.
"""

import numpy as np
import pytest

from course_utils.agents import SearchAgent
from course_utils.games import TicTacToe, after
from course_utils.learning.exam import solved_positions
from course_utils.networks import UniformNetwork
from course_utils.search.proven import pass_up_proof, proven_by_children, search_until_proven, visits_that_count
from course_utils.search.puct import Node, mcts_search
from course_utils.tests.notebook_14.proof_trees import at, mark, marks, tree_of
from course_utils.tests.world.games import TreeGame
from course_utils.tests.world.networks import HashNetwork
from course_utils.tests.world.plain_puct import puct_visits

GAME = TicTacToe()
POSITIONS = solved_positions(GAME)


def proving(game, state, simulations=10_000, network=None, **options) -> tuple[Node, int]:
    """The root of a search that proves, and how many simulations it made."""
    network = network or HashNetwork(game.num_actions)
    _, root = mcts_search(game, state, network, 0, 1.5, return_root=True)
    return root, search_until_proven(root, network, game, simulations, 1.5, **options)


def nodes(root):
    yield root
    for child in root.children.values():
        yield from nodes(child)


def test_search_until_proven_proves_what_perfect_play_says_of_every_position():
    for position in POSITIONS[300::29]:
        root, _ = proving(GAME, position.state, network=UniformNetwork(9))
        assert root.is_terminal and root.terminal_value == position.value, position
        assert position.keeps[visits_that_count(root).argmax()]


@pytest.mark.parametrize("simulations", [5, 25])
def test_whatever_is_marked_below_the_root_is_true_however_early_the_search_ends(simulations):
    values = {position.state: position.value for position in POSITIONS}
    for position in POSITIONS[::61]:
        root, made = proving(GAME, position.state, simulations)
        assert made <= simulations and root.N.sum() == made
        for node in nodes(root):
            if node.is_terminal and not GAME.is_terminal(node.state):
                assert node.terminal_value == values[node.state]
            for action in set(GAME.legal_actions(node.state)) - set(np.flatnonzero(node.legal).tolist()):
                assert values.get(node.children[action].state, 1) == 1  # a closed move is lost: the opponent wins


def test_until_something_is_proven_search_until_proven_is_puct():
    state, network = GAME.initial_state(), HashNetwork(9)
    root, made = proving(GAME, state, 20, network)
    assert made == 20 and not any(node.is_terminal for node in nodes(root))
    assert root.N.tolist() == puct_visits(GAME, state, network, 20, 1.5)


def test_proven_by_children_takes_one_win_and_otherwise_waits_for_every_move():
    root = tree_of(TreeGame([[1, 1], -1, 0]), [0], [1])
    assert proven_by_children(root) is None, "the first move is not proven, the third was never tried"
    mark(root, [0], -1)
    assert proven_by_children(root) == 1, "one win is enough"
    mark(root, [0], 1)
    assert proven_by_children(root) is None
    root = tree_of(TreeGame([[1, 1], -1, 0]), [0], [1], [2])
    mark(root, [0], 1)
    assert proven_by_children(root) == 0, "the best of a loss, a loss and a draw"
    root.legal[0] = False
    assert proven_by_children(root) == 0
    root = tree_of(TreeGame([-1, -1]), [0], [1])
    root.legal[:] = False
    assert proven_by_children(root) == -1, "every move is closed"


def test_pass_up_proof_closes_lost_moves_and_stops_where_the_proof_ends():
    game = TreeGame([[-1, 0], 0, [0, 0]])  # after 0 the opponent wins with 0, or draws
    root = tree_of(game, [0, 0], [1], [2])
    pass_up_proof(at(root, [0, 0]))
    assert marks(root, game) == ({(0,): 1, (0, 0): -1, (1,): 0}, {(): [0]})
    mark(root, [2], 0)
    pass_up_proof(at(root, [2]))
    assert marks(root, game) == ({(): 0, (0,): 1, (0, 0): -1, (1,): 0, (2,): 0}, {(): [0]})


def test_visits_that_count_leaves_out_what_is_proven_worse():
    root = Node(GAME, GAME.initial_state())
    root.N[[0, 4]], root.P[:] = (30, 20), 1 / 9
    root.legal[0] = False  # proven lost, after many visits
    assert visits_that_count(root).argmax() == 4
    root.legal[4] = False
    assert visits_that_count(root).tolist() == np.where(root.legal, 1 / 9, 0).tolist(), "none of the others was tried"


def test_an_agent_that_proves_never_plays_a_move_that_it_knows_is_worse():
    for position in POSITIONS[::43]:
        agent = SearchAgent(GAME, UniformNetwork(9), 25, prove=True)
        policy, value = agent.policy(position.state), agent.value(position.state)
        assert policy.sum() == pytest.approx(1)
        root = agent._tree(position.state)
        assert set(np.flatnonzero(policy)) <= set(GAME.legal_actions(position.state))
        if root.is_terminal:
            assert value == position.value and position.keeps[policy > 0].all()


def test_an_agent_that_proves_stops_when_it_knows():
    agent = SearchAgent(GAME, UniformNetwork(9), 10_000, prove=True)
    state = after(GAME, [0, 4, 8, 2, 6, 3])  # X to move; 7 wins
    assert agent.act(state) == 7 and agent.value(state) == 1
    assert agent.statistics(state)["visits"].sum() < 10


@pytest.mark.parametrize("seconds", [np.inf, 0.0])
def test_an_agent_that_proves_and_keeps_its_tree_plays_perfectly_from_a_proven_root(seconds):
    agent = SearchAgent(GAME, UniformNetwork(9), 10_000, keep_tree=True, prove=True, seconds=seconds)
    state = after(GAME, [4, 0])
    values = {position.state: position for position in POSITIONS}
    while not GAME.is_terminal(state):
        action = agent.act(state)
        if seconds:
            assert values[state].keeps[action] and agent.value(state) == values[state].value
        state = GAME.play(state, action)
    with pytest.raises(ValueError, match="the game is over"):
        agent.act(state)


class Clock:
    """A clock that goes on by a second at each call."""

    now = 0

    def perf_counter(self):
        self.now += 1
        return self.now


@pytest.mark.parametrize(("seconds", "made"), [(0, 1), (1, 1), (7, 7)])
def test_search_until_proven_ends_when_the_time_is_up(monkeypatch, seconds, made):
    monkeypatch.setattr("course_utils.search.proven.time", Clock())
    assert proving(GAME, GAME.initial_state(), seconds=seconds)[1] == made


def test_a_root_that_is_proven_is_not_searched_again():
    root, _ = proving(GAME, after(GAME, [0, 4, 8, 2, 6, 3]))
    assert search_until_proven(root, None, GAME, 100, 1.5) == 0


def test_a_network_that_diverges_is_named_by_an_agent_that_proves():
    agent = SearchAgent(
        GAME, lambda planes: (np.full(len(planes), np.nan), np.zeros((len(planes), 9))), 5, 1.5, prove=True
    )
    with pytest.raises(ValueError, match="its weights have probably diverged"):
        agent.act(GAME.initial_state())
