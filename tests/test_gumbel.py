"""Gumbel search against the published schedule, a search written by recursion, and what the paper proves."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from course_utils.agents import GumbelAgent
from course_utils.games import ConnectFour, ConnectN, TicTacToe, after
from course_utils.games.batched import make_batched
from course_utils.learning.batched_self_play import batched_self_play
from course_utils.learning.config import EngineConfig
from course_utils.learning.exam import exam
from course_utils.networks import UniformNetwork
from course_utils.search.batched import ROOT
from course_utils.search.gumbel import (
    batched_gumbel_search,
    completed_q,
    gumbel_search,
    gumbel_top_k,
    improved_policy,
    sequential_halving,
    sigma,
)
from course_utils.search.puct import NO_ACTION
from course_utils.tests.world.networks import HashNetwork
from tests.test_batched import random_states

GAMES = [TicTacToe(), ConnectFour(), ConnectN(4, 4, 3)]
by_name = pytest.mark.parametrize("game", GAMES, ids=lambda game: game.name)


# --- the schedule ----------------------------------------------------------------------------------------------------

PUBLISHED = {  # (simulations, considered) -> (visits, how often in a row): as mctx gives it, written down
    (200, 16): [(0, 16), (1, 16), (2, 16), (3, 8), (4, 8), (5, 8), (6, 8), (7, 8), (8, 8)]
    + [(visits, 4) for visits in range(9, 21)]
    + [(visits, 2) for visits in range(21, 49)],
    (50, 16): [(0, 16), (1, 8), (2, 4), (3, 4), (4, 4), (5, 2), (6, 2), (7, 2), (8, 2), (9, 2), (10, 2), (11, 2)],
    (32, 9): [(0, 9), (1, 4), (2, 4), (3, 2), (4, 2), (5, 2), (6, 2), (7, 2), (8, 2), (9, 2), (10, 1)],
    (16, 7): [(0, 7), (1, 3), (2, 2), (3, 2), (4, 2)],
}


@pytest.mark.parametrize(("simulations", "considered"), PUBLISHED)
def test_the_schedule_is_the_published_one(simulations, considered):
    expected = [visits for visits, times in PUBLISHED[simulations, considered] for _ in range(times)]
    assert sequential_halving(simulations, considered) == expected


@given(st.integers(0, 400), st.integers(1, 30))
def test_there_is_always_an_action_with_as_many_visits_as_the_schedule_wants(simulations, considered):
    visits = [0] * considered
    for wanted in sequential_halving(simulations, considered):
        visits[visits.index(wanted)] += 1
    assert sum(visits) == simulations
    assert sum(count > 0 for count in visits) == min(simulations, considered)


# --- what the paper proves -------------------------------------------------------------------------------------------

numbers = st.lists(st.floats(-1, 1), min_size=2, max_size=9)


@settings(max_examples=200)
@given(numbers, st.integers(0, 2**32 - 1))
def test_with_true_values_the_improved_policy_is_worth_no_less_than_the_prior(values, seed):
    """All true, and where some are missing the true value of the prior stands for them."""
    rng, q = np.random.default_rng(seed), np.array(values)
    prior, tried = rng.dirichlet(np.ones(len(q))), rng.random(len(q)) < 0.5
    N, legal = np.where(tried, rng.integers(1, 20, len(q)), 0), np.ones(len(q), dtype=bool)
    for known in (q, np.where(tried, q, prior @ q)):
        policy = improved_policy(np.log(prior), known, N, legal)
        assert policy @ q >= prior @ q - 1e-9


@pytest.mark.parametrize("k", [1, 2, 4])
def test_with_true_values_the_action_chosen_among_k_drawn_is_worth_no_less_than_the_prior(k):
    rng = np.random.default_rng(k)
    for _ in range(4):
        prior, q = rng.dirichlet(np.ones(6)), rng.uniform(-1, 1, 6)
        logits, legal, gains = np.log(prior), np.ones(6, dtype=bool), []
        for _ in range(1500):
            gumbel = rng.gumbel(size=6)
            drawn = gumbel_top_k(logits, legal, gumbel, k)
            best = drawn[np.argmax((gumbel + logits + sigma(q, np.ones(6)))[drawn])]
            gains.append(q[best] - prior @ q)
        spread = np.std(gains) / 1500**0.5
        assert np.mean(gains) > -5 * spread  # with k = 1 it is a draw from the prior
        if k > 1:
            assert np.mean(gains) > 5 * spread


def test_a_network_that_is_certain_leaves_values_that_are_numbers():
    N, prior = np.array([1.0, 0, 0]), np.array([1e-30, 1, 0])
    assert np.allclose(completed_q(np.array([0.4, 0, 0]), N, prior, 0.2), [0.4, 0.3, 0.3])


# --- the search ------------------------------------------------------------------------------------------------------


def by_recursion(game, state, network, simulations, gumbel, considered=16):
    """Gumbel search over plain dictionaries keyed by the path of actions. Returns (root visits, action, policy)."""
    logit, said, count, total = {}, {}, {}, {}

    def look(path, position):
        if game.is_terminal(position):
            return float(game.winner(position) * game.to_play(position))
        value, logits = network(game.encode(position)[None])
        legal = game.legal_actions(position)
        norm = np.logaddexp.reduce([float(logits[0][a]) for a in legal])
        logit[path] = {a: float(logits[0][a]) - norm for a in legal}
        said[path] = float(value[0])
        return said[path]

    def q(path):
        legal = list(logit[path])
        n = {a: count.get((path, a), 0) for a in legal}
        mean = {a: total[path, a] / n[a] for a in legal if n[a]}
        mass = sum(np.exp(logit[path][a]) for a in mean)
        mixed = said[path]
        if mean:
            average = sum(np.exp(logit[path][a]) * mean[a] for a in mean) / mass
            mixed = (said[path] + sum(n.values()) * average) / (1 + sum(n.values()))
        return n, {a: logit[path][a] + (50 + max(n.values())) * (mean.get(a, mixed) + 1) / 2 for a in legal}

    def policy(path):
        n, score = q(path)
        top = max(score.values())
        weights = {a: np.exp(score[a] - top) for a in score}
        return n, {a: weights[a] / sum(weights.values()) for a in score}

    def follow(path):
        n, improved = policy(path)
        return max(improved, key=lambda a: improved[a] - n[a] / (1 + sum(n.values())))

    def simulate(path, position, action=None):
        if path not in logit:
            return look(path, position)
        action = follow(path) if action is None else action
        reply = game.play(position, action)
        value = -(look((*path, action), reply) if game.is_terminal(reply) else simulate((*path, action), reply))
        count[path, action] = count.get((path, action), 0) + 1
        total[path, action] = total.get((path, action), 0.0) + value
        return value

    look((), state)
    root = logit[()]
    drawn = sorted(root, key=lambda a: -(root[a] + gumbel[a]))[:considered]

    def best(candidates):
        _, score = q(())
        return max(sorted(candidates), key=lambda a: score[a] + gumbel[a])

    for wanted in sequential_halving(simulations, len(drawn)):
        simulate((), state, best([a for a in drawn if count.get(((), a), 0) == wanted]))
    n, improved = policy(())
    visits = [n.get(a, 0) for a in range(game.num_actions)]
    return (
        visits,
        best([a for a in drawn if n[a] == max(n.values())]),
        [improved.get(a, 0.0) for a in range(game.num_actions)],
    )


@by_name
@pytest.mark.parametrize(("simulations", "considered"), [(3, 16), (16, 4), (40, 16)])
def test_the_search_is_that_of_the_definition_by_recursion(game, simulations, considered):
    rng, network = np.random.default_rng(5), HashNetwork(game.num_actions, seed=2)
    for state in [state for state in random_states(game, 12, rng) if not game.is_terminal(state)]:
        gumbel = rng.gumbel(size=game.num_actions) * rng.integers(0, 2)
        decision = gumbel_search(game, state, network, simulations, considered=considered, gumbel=gumbel)
        visits, action, policy = by_recursion(game, state, network, simulations, gumbel, considered)
        assert decision.root.N.tolist() == visits
        assert decision.action == action
        assert np.allclose(decision.policy, policy, atol=1e-9)


@by_name
def test_many_games_at_once_are_the_same_searches_to_the_last_bit(game):
    rng, network = np.random.default_rng(1), HashNetwork(game.num_actions, seed=4)
    states = random_states(game, 40, rng)
    while not game.is_terminal(states[-1]):  # one that is over
        states.append(game.play(states[-1], game.legal_actions(states[-1])[0]))
    batched = make_batched(game)
    for simulations in (1, 5, 33):
        gumbel = rng.gumbel(size=(len(states), game.num_actions))
        many = batched_gumbel_search(batched, batched.from_states(states), network, simulations, gumbel=gumbel)
        for b, state in enumerate(states):
            if game.is_terminal(state):
                assert many.actions[b] == NO_ACTION and not many.policy[b].any() and not many.tree.N[b].any()
                continue
            one = gumbel_search(game, state, network, simulations, gumbel=gumbel[b])
            assert many.actions[b] == one.action
            assert np.array_equal(many.policy[b], one.policy)
            waiting = [(ROOT, one.root)]
            while waiting:
                number, node = waiting.pop()
                assert np.array_equal(many.tree.N[b, number], node.N)
                assert np.array_equal(many.tree.W[b, number], node.W)
                waiting += [(many.tree.children[b, number, action], child) for action, child in node.children.items()]


def test_it_plays_the_winning_move_and_with_enough_simulations_blocks_without_a_network_that_knows_anything():
    for game in GAMES[:2]:
        network, batched = UniformNetwork(game.num_actions), make_batched(game)
        positions = [position for position in exam(game.name) if position.tactics][::20]
        states = batched.from_states([position.state for position in positions])
        few, many = (batched_gumbel_search(batched, states, network, n).actions for n in (16, 200))
        for position, first, last in zip(positions, few, many, strict=True):
            if position.tactics == "win":
                assert game.winner(game.play(position.state, int(first))) != 0
            reply = game.play(position.state, int(last))
            if position.tactics == "block" and position.value >= 0:
                assert all(game.winner(game.play(reply, action)) == 0 for action in game.legal_actions(reply))


def test_without_draws_there_is_no_chance_and_with_them_the_games_differ():
    game, network = TicTacToe(), HashNetwork(9)
    decisions = [gumbel_search(game, game.initial_state(), network, 8) for _ in range(2)]
    assert decisions[0].action == decisions[1].action and np.array_equal(decisions[0].policy, decisions[1].policy)
    rng = np.random.default_rng(0)
    drawn = [
        gumbel_search(game, game.initial_state(), UniformNetwork(9), 8, gumbel=rng.gumbel(size=9)) for _ in range(30)
    ]
    assert len({decision.action for decision in drawn}) > 4


def test_what_cannot_be_searched_is_refused_in_a_sentence():
    game = TicTacToe()
    with pytest.raises(ValueError, match="the game is over"):
        gumbel_search(game, after(game, [0, 3, 1, 4, 2]), UniformNetwork(9), 8)
    batched = make_batched(game)
    for search in (
        lambda: gumbel_search(game, game.initial_state(), UniformNetwork(9), 0),
        lambda: batched_gumbel_search(batched, batched.initial(2), UniformNetwork(9), 0),
    ):
        with pytest.raises(ValueError, match="at least one simulation, not 0"):
            search()
    for search in (
        lambda: gumbel_search(game, game.initial_state(), UniformNetwork(9), 8, considered=0),
        lambda: batched_gumbel_search(batched, batched.initial(2), UniformNetwork(9), 8, considered=0),
    ):
        with pytest.raises(ValueError, match="considers at least one action, not 0"):
            search()

    def diverged(planes):
        return np.full(len(planes), np.nan), np.zeros((len(planes), 9))

    for search in (
        lambda: gumbel_search(game, game.initial_state(), diverged, 8),
        lambda: batched_gumbel_search(batched, batched.initial(2), diverged, 8),
    ):
        with pytest.raises(ValueError, match="NaN"):
            search()


def test_where_all_games_are_over_the_network_is_not_asked():
    game = make_batched(TicTacToe())
    over = game.from_states([after(TicTacToe(), [0, 3, 1, 4, 2])] * 3)
    network = HashNetwork(9)
    decisions = batched_gumbel_search(game, over, network, 4)
    assert network.asked == [] and decisions.actions.tolist() == [NO_ACTION] * 3


# --- who uses it -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("game", GAMES[::2], ids=lambda game: game.name)
def test_self_play_without_chance_is_the_game_of_the_one_game_search_and_learns_its_policy(game):
    network, state, expected = HashNetwork(game.num_actions, 3), game.initial_state(), []
    while not game.is_terminal(state):
        decision = gumbel_search(game, state, network, 12)
        liked = max(np.flatnonzero(decision.root.N), key=lambda action: decision.policy[action])
        expected.append((game.encode(state), decision.policy, decision.root.Q[liked]))
        state = game.play(state, decision.action)
    settings = dict(search="gumbel", simulations=12, exploratory_plies=0, root_share=1.0, lockstep=2)
    many = batched_self_play(make_batched(game), network, 3, np.random.default_rng(0), **settings)
    assert len(many) == 3 * len(expected)
    for ply, (planes, policy, value) in enumerate(expected):
        for i in np.flatnonzero(many.ply == ply):
            assert np.array_equal(many.planes[i], planes)
            assert np.array_equal(many.policy[i], policy.astype(np.float32))
            assert many.value[i] == np.float32(value)


def test_exploring_games_differ_and_come_again_from_the_same_seed():
    game, settings = make_batched(TicTacToe()), dict(search="gumbel", simulations=4)
    first, again, different = (
        batched_self_play(game, UniformNetwork(9), 20, np.random.default_rng(seed), **settings) for seed in (0, 0, 1)
    )
    assert np.array_equal(first.planes, again.planes) and not np.array_equal(first.planes[:99], different.planes[:99])
    assert len(np.unique(first.planes[first.ply == 3].reshape(20, -1), axis=0)) > 15


def test_a_search_that_is_not_there_is_refused():
    with pytest.raises(ValueError, match="no search is called 'gumble'"):
        batched_self_play(make_batched(TicTacToe()), UniformNetwork(9), 1, np.random.default_rng(0), search="gumble")
    with pytest.raises(ValueError, match="lockstep=True"):
        EngineConfig(search="gumbel")


def test_the_agent_plays_what_the_search_chooses_and_alone_what_the_network_likes():
    game, network = ConnectFour(), HashNetwork(7, 1)
    for state in [s for s in random_states(game, 10, np.random.default_rng(0)) if not game.is_terminal(s)]:
        agent, decision = GumbelAgent(game, network, 6), gumbel_search(game, state, network, 6)
        assert agent.act(state) == decision.action
        assert np.array_equal(agent.policy(state), decision.policy)
        assert agent.value(state) == decision.root.Q[decision.action]
        assert agent.statistics(state)["visits"].sum() == 6
        alone = GumbelAgent(game, network, 0)
        assert alone.act(state) == alone.policy(state).argmax()
