"""A tree kept from move to move, and a limit of time.

The oracle is a fresh search: PUCT's walk below a node depends on nothing above it, so a node that k simulations have
gone through holds what a search of its position finds in k - 1, and n more on top are a search of k - 1 + n.
"""

import copy
import pickle

import numpy as np
import pytest

from course_utils import agents
from course_utils.agents import SearchAgent
from course_utils.exercise import EXERCISES, wrapping
from course_utils.games import ConnectFour, TicTacToe, after
from course_utils.networks import UniformNetwork
from course_utils.search.puct import keep_subtree, mcts_search, search_on
from course_utils.tests.world.networks import HashNetwork
from course_utils.tests.world.plain_puct import puct_visits
from course_utils.ui.players import at_strength

GAME, FOUR = TicTacToe(), ConnectFour()


def network_of(game):
    return HashNetwork(game.num_actions)


def statistics(node) -> list:
    """A tree as plain data."""
    below = [(action, statistics(child)) for action, child in sorted(node.children.items())]
    return [node.N.tolist(), node.W.tolist(), node.P.tolist(), below]


def searched(game, state, simulations, **options):
    return mcts_search(game, state, network_of(game), simulations, 1.5, return_root=True, **options)[1]


def go_on(game, root, simulations):
    search_on(root, network_of(game), game, simulations, 1.5)


def keeping(game, simulations=60, **options) -> SearchAgent:
    return SearchAgent(game, network_of(game), simulations, keep_tree=True, **options)


def visits(agent, state) -> list[float]:
    return agent.statistics(state)["visits"].tolist()


@pytest.mark.parametrize("game", [GAME, FOUR], ids=["tictactoe", "connect_four"])
@pytest.mark.parametrize("steps", [[1] * 40, [0, 13, 27], [39, 1]])
def test_a_search_in_steps_is_the_search_in_one_go(game, steps):
    state = after(game, [3])
    root = searched(game, state, steps[0])
    for step in steps[1:]:
        go_on(game, root, step)
    assert statistics(root) == statistics(searched(game, state, sum(steps)))


def test_a_kept_subtree_is_what_hung_in_the_old_tree():
    root = searched(GAME, GAME.initial_state(), 300)
    for action, child in list(root.children.items()):
        before, W = statistics(child), root.W.copy()
        kept = keep_subtree(root, action, network_of(GAME), GAME)
        assert kept is child and statistics(kept) == before
        assert kept.parent is None
        assert kept.N.sum() == root.N[action] - 1  # the first visit made the node and went no further
        go_on(GAME, kept, 10)
        assert kept.N.sum() == root.N[action] + 9
        assert root.W.tolist() == W.tolist()  # what lies above hears of it no more


def test_a_kept_subtree_with_more_simulations_is_a_fresh_search_of_as_many():
    root = searched(FOUR, FOUR.initial_state(), 200)
    for action, child in list(root.children.items()):
        visits = int(child.N.sum())
        kept = keep_subtree(root, action, network_of(FOUR), FOUR)
        assert statistics(kept) == statistics(searched(FOUR, kept.state, visits))
        go_on(FOUR, kept, 25)
        assert kept.N.tolist() == puct_visits(FOUR, kept.state, network_of(FOUR), visits + 25, 1.5)


@pytest.mark.parametrize("game", [GAME, FOUR], ids=["tictactoe", "connect_four"])
def test_keep_subtree_of_a_move_that_was_never_tried_begins_as_a_fresh_search_does(game):
    root, network = searched(game, game.initial_state(), 1), network_of(game)
    kept = keep_subtree(root, 6, network, game)
    assert root.N[6] == 0 and len(network.asked) == 1
    go_on(game, kept, 20)
    assert statistics(kept) == statistics(searched(game, after(game, [6]), 20))


def test_keep_subtree_asks_no_network_about_what_it_knows_nor_about_a_finished_game():
    root, network = searched(GAME, after(GAME, [0, 4, 8, 2, 6, 3]), 40), network_of(GAME)
    for action in (1, 5, 7):
        keep_subtree(root, action, network, GAME)
    won = keep_subtree(searched(GAME, after(GAME, [0, 4, 8, 2, 6, 3]), 1), 7, network, GAME)
    assert won.is_terminal and network.asked == []


def test_noise_at_the_old_root_is_not_in_the_kept_tree():
    root = searched(GAME, GAME.initial_state(), 50, noise=lambda prior, legal, rng: np.where(legal, 1 / 9, 0))
    kept = keep_subtree(root, 4, network_of(GAME), GAME)
    assert statistics(kept) == statistics(searched(GAME, kept.state, int(root.N[4]) - 1))


@pytest.mark.parametrize("both_sides", [True, False], ids=["plays both sides", "answers an opponent"])
@pytest.mark.parametrize("game", [GAME, FOUR], ids=["tictactoe", "connect_four"])
def test_an_agent_goes_on_from_the_position_reached(game, both_sides):
    agent, rng = keeping(game), np.random.default_rng(4)
    state, tree, reused = game.initial_state(), {}, 0
    while not game.is_terminal(state):
        known = tree.get(state, 0)
        counts = visits(agent, state)
        assert counts == puct_visits(game, state, network_of(game), known + 60, agent.c_puct)
        assert agent.act(state) == np.argmax(counts) and sum(counts) == known + 60
        reused += known
        children = agent._root.children.values()
        tree = {node.state: int(node.N.sum()) for child in children for node in (child, *child.children.values())}
        state = game.play(state, agent.act(state))
        if not both_sides and not game.is_terminal(state):
            state = game.play(state, int(rng.choice(game.legal_actions(state))))
    assert reused > 5


@pytest.mark.parametrize(
    ("before", "now"),
    [([], []), ([4, 0], []), ([4, 0, 8], [4]), ([4], [0]), ([4], [4, 0, 8, 2, 6]), ([0, 1], [1, 0])],
    ids=["asked again", "a new game", "undone", "another line", "too far ahead", "elsewhere"],
)
def test_where_nothing_is_kept_the_search_is_a_fresh_one(before, now):
    agent, state = keeping(GAME), after(GAME, now)
    agent.act(after(GAME, before))
    assert visits(agent, state) == puct_visits(GAME, state, network_of(GAME), 60, 1.5)


def test_policy_and_value_in_between_change_no_answer_and_search_once():
    calls = network_of(GAME)
    agent = SearchAgent(GAME, calls, 60, keep_tree=True)
    state = GAME.initial_state()
    action, asked = agent.act(state), len(calls.asked)
    before = agent.policy(state).tolist(), agent.value(state), visits(agent, state)
    assert len(calls.asked) == asked
    counts = agent.statistics(state)["visits"]
    after_mine = GAME.play(state, action)
    agent.policy(after_mine)  # as a board does that shows what the agent would do in the opponent's place
    assert counts.tolist() == before[2], "what was handed out stays as it was"
    reply = GAME.play(after_mine, int(agent.policy(after_mine).argmax()))
    assert sum(visits(agent, reply)) > 60
    assert agent.act(reply) == agent.policy(reply).argmax()


def test_the_same_game_again_is_the_same():
    games = []
    for _ in range(2):
        agent, state, moves = keeping(FOUR, 30), FOUR.initial_state(), []
        while not FOUR.is_terminal(state):
            moves.append(agent.act(state))
            state = FOUR.play(state, moves[-1])
        games.append(moves)
    assert games[0] == games[1]


@pytest.mark.parametrize(
    "copied", [copy.copy, copy.deepcopy, lambda a: pickle.loads(pickle.dumps(a)), lambda a: at_strength(a, 60)]
)
def test_a_copy_has_a_tree_of_its_own(copied):
    agent = keeping(GAME)
    action = agent.act(GAME.initial_state())
    state = GAME.play(GAME.initial_state(), action)
    expected = int(agent._root.children[action].N.sum()) + 60
    other = copied(agent)
    assert other.keep_tree and other.simulations == 60
    reply = GAME.play(state, GAME.legal_actions(state)[0])
    other.act(reply)
    other.act(GAME.play(reply, GAME.legal_actions(reply)[0]))
    assert sum(visits(agent, state)) == expected


def test_a_search_that_failed_leaves_no_tree():
    class Failing(HashNetwork):
        left = 30

        def __call__(self, planes):
            self.left -= 1
            if self.left == 0:
                raise RuntimeError("no answer")
            return super().__call__(planes)

    agent = SearchAgent(GAME, Failing(9), 20, keep_tree=True)
    state = GAME.play(GAME.initial_state(), agent.act(GAME.initial_state()))
    with pytest.raises(RuntimeError):
        agent.act(state)
    assert visits(agent, state) == puct_visits(GAME, state, network_of(GAME), 20, 1.5)


class Clock:
    """A clock that goes on by a second at each call."""

    def __init__(self):
        self.now = 0

    def perf_counter(self):
        self.now += 1
        return self.now


@pytest.mark.parametrize(
    ("seconds", "simulations", "made"), [(0, 50, 1), (1, 50, 1), (7, 50, 7), (7, 3, 3), (1000, 50, 50)]
)
@pytest.mark.parametrize("keep_tree", [False, True])
def test_time_ends_a_search_or_the_simulations_do(monkeypatch, seconds, simulations, made, keep_tree):
    monkeypatch.setattr("course_utils.search.puct.time", Clock())
    agent = SearchAgent(FOUR, network_of(FOUR), simulations, 1.5, seconds=seconds, keep_tree=keep_tree)
    state, known = FOUR.initial_state(), 0
    for _ in range(2):
        counts = visits(agent, state)
        assert counts == puct_visits(FOUR, state, network_of(FOUR), known + made, 1.5)
        action = agent.act(state)
        state, known = FOUR.play(state, action), int(counts[action]) - 1 if keep_tree else 0


def test_the_network_alone_keeps_no_tree_and_takes_no_time():
    alone = SearchAgent(GAME, network_of(GAME), 0)
    both = SearchAgent(GAME, network_of(GAME), 0, seconds=0, keep_tree=True)
    state = after(GAME, [4])
    assert both.policy(state).tolist() == alone.policy(state).tolist()
    with pytest.raises(ValueError, match="the game is over"):
        both.act(after(GAME, [0, 3, 1, 4, 2]))


def test_a_finished_game_is_refused_also_where_the_tree_holds_it():
    agent = SearchAgent(GAME, UniformNetwork(9), 100, keep_tree=True)
    state = after(GAME, [0, 3, 1, 4])
    assert agent.act(state) == 2
    with pytest.raises(ValueError, match="the game is over"):
        agent.act(GAME.play(state, 2))


@pytest.mark.parametrize("options", [{}, {"keep_tree": True}, {"seconds": 10}])
def test_the_functions_in_force_do_the_search(options):
    names = ("mcts_search", "select", "select_child", "expand", "evaluate", "backup")
    called = dict.fromkeys(names, 0)

    def counting(name):
        def wrapper(in_force):
            def counted(*args, **kwargs):
                called[name] += 1
                return in_force(*args, **kwargs)

            return counted

        return wrapper

    agent = SearchAgent(GAME, network_of(GAME), 20, **options)
    with wrapping({name: counting(name) for name in names}):
        state = GAME.play(GAME.initial_state(), agent.act(GAME.initial_state()))
        agent.act(GAME.play(state, 0 if state.cells[0] == 0 else 1))
    assert set(names) <= EXERCISES.keys() and called["backup"] == 40
    assert all(called.values())


def test_the_shipped_agent_takes_both():
    agent = agents.load("connect_four", 10, keep_tree=True, seconds=60)
    state = FOUR.initial_state()
    state = FOUR.play(state, agent.act(state))
    assert agent.statistics(state)["visits"].sum() > 10


def test_a_network_that_diverges_is_named_while_a_search_goes_on():
    root = searched(GAME, GAME.initial_state(), 1)
    with pytest.raises(ValueError, match="its weights have probably diverged"):
        search_on(root, lambda planes: (np.full(len(planes), np.nan), np.zeros((len(planes), 9))), GAME, 5, 1.5)
