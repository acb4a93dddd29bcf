"""Lock-step self-play against self-play of one game, and the statistics of its random parts."""

import numpy as np
import pytest

from course_utils.exercise import EXERCISES, using
from course_utils.games import ConnectN, TicTacToe
from course_utils.games.batched import make_batched
from course_utils.learning.batched_self_play import (
    batched_openings,
    batched_root_noise,
    batched_sample,
    batched_self_play,
    completed_policy,
    trace_targets,
)
from course_utils.learning.self_play import self_play_game
from course_utils.search.puct import mcts_search
from course_utils.tests.world.networks import HashNetwork

PLAIN = dict(simulations=20, c_puct=1.5, exploratory_plies=0, noise_fraction=0.0)
both_games = pytest.mark.parametrize("game", [TicTacToe(), ConnectN(4, 4, 3)], ids=lambda game: game.name)


@both_games
@pytest.mark.parametrize("seed", range(5))
def test_without_chance_every_game_is_the_game_of_the_one_game_search(game, seed):
    network, rng = HashNetwork(game.num_actions, seed), np.random.default_rng(0)
    alone = self_play_game(game, network, rng, **PLAIN)
    many = batched_self_play(make_batched(game), network, 5, rng, lockstep=2, **PLAIN)
    assert (len(many), many.games) == (5 * len(alone), 5)
    for ply, example in enumerate(alone):
        rows = np.flatnonzero(many.ply == ply)
        assert len(rows) == 5
        for i in rows:
            assert np.array_equal(many.planes[i], example.planes)
            assert np.array_equal(many.policy[i], example.policy)
            assert many.outcome[i] == example.value


@both_games
def test_outcomes_and_root_values_are_the_movers_after_random_openings_too(game):
    """Play on from every example with the one-game search: the same end must come."""
    network, rng, batched = HashNetwork(game.num_actions), np.random.default_rng(1), make_batched(game)
    settings = dict(lockstep=8, opening_share=0.7, opening_plies=5, root_share=1.0, **PLAIN)
    examples = batched_self_play(batched, network, 30, rng, **settings)
    assert set(examples.outcome.tolist()) == {-1.0, 0.0, 1.0} or set(examples.outcome.tolist()) == {-1.0, 1.0}
    assert examples.ply.min() == 0 and len(set(examples.ply.tolist())) > 4
    bits = np.uint64(1) << batched.bits
    states = batched.to_states((examples.planes.astype(np.uint64) * bits).sum(axis=(2, 3), dtype=np.uint64))
    for i, state in enumerate(states):
        mover = game.to_play(state)
        assert mover == (1 if examples.ply[i] % 2 == 0 else -1)
        _, root = mcts_search(game, state, network, 20, 1.5, return_root=True)
        assert examples.value[i] == np.float32((root.W / np.maximum(root.N, 1))[root.N.argmax()])
        while not game.is_terminal(state):
            state = game.play(state, int(mcts_search(game, state, network, 20, 1.5).argmax()))
        assert examples.outcome[i] == game.winner(state) * mover


def test_policies_are_distributions_over_legal_actions_and_sampling_varies_the_games():
    game = make_batched(TicTacToe())
    settings = dict(lockstep=16, simulations=15, exploratory_plies=9)
    examples = batched_self_play(game, HashNetwork(9), 40, np.random.default_rng(2), **settings)
    assert np.allclose(examples.policy.sum(axis=1), 1)
    taken = examples.planes.sum(axis=1).reshape(-1, 9)
    assert (examples.policy[taken > 0] == 0).all()
    assert (examples.ply == 0).sum() == 40
    assert len(np.unique(examples.planes[examples.ply == 3], axis=0)) > 15
    assert np.array_equal(taken.sum(axis=1), examples.ply)


def test_the_same_seed_plays_the_same_games():
    game, settings = make_batched(TicTacToe()), dict(lockstep=4, simulations=10, opening_share=0.5, opening_plies=3)
    rngs = (np.random.default_rng(3) for _ in range(2))
    first, second = (batched_self_play(game, HashNetwork(9), 9, rng, **settings) for rng in rngs)
    assert np.array_equal(first.planes, second.planes) and np.array_equal(first.policy, second.policy)


def test_the_value_to_learn_is_a_mixture_of_trace_and_root_value():
    game = make_batched(TicTacToe())

    def value(root_share):
        settings = dict(lockstep=4, simulations=5, root_share=root_share)
        return batched_self_play(game, HashNetwork(9), 4, np.random.default_rng(3), **settings).value

    trace, root_value = value(0.0), value(1.0)
    assert np.isin(trace, [-1, 0, 1]).any() and not np.isin(root_value, [-1, 0, 1]).all()
    assert np.allclose(value(0.5), (trace + root_value) / 2)
    assert value(0.3).dtype == np.float32
    with pytest.raises(ValueError, match="at least one game"):
        batched_self_play(game, HashNetwork(9), 0, np.random.default_rng(3))


def test_an_outcome_is_carried_back_only_to_the_latest_move_that_gave_something_away():
    """Worked by hand: the first player throws the game away at ply 2."""
    players, root_values = np.array([1, -1, 1, -1]), np.array([0.1, -0.3, 0.5, 0.7])
    thrown = np.array([False, False, True, False])
    assert trace_targets(players, -1.0, root_values, thrown).tolist() == [0.5, -0.5, 0.5, 1.0]
    assert trace_targets(players, -1.0, root_values, np.zeros(4, dtype=bool)).tolist() == [-1, 1, -1, 1]


@both_games
def test_without_exploration_the_trace_is_the_outcome_and_with_it_the_two_differ(game):
    batched, network = make_batched(game), HashNetwork(game.num_actions)
    plain = batched_self_play(batched, network, 9, np.random.default_rng(0), lockstep=4, **PLAIN)
    assert np.array_equal(plain.value, plain.outcome)
    exploring = dict(lockstep=8, simulations=20, exploratory_plies=9)
    explored = batched_self_play(batched, network, 40, np.random.default_rng(0), **exploring)
    assert 0.1 < (explored.value != explored.outcome).mean() < 0.9
    forgiving = dict(exploring, blunder_margin=2.0)  # values differ by 2 at most
    forgiven = batched_self_play(batched, network, 40, np.random.default_rng(0), **forgiving)
    assert np.array_equal(forgiven.value, forgiven.outcome)


def test_the_games_are_played_by_the_loop_that_is_in_force():
    seen = []

    def watched(game, begin, think, games, places):
        turns, outcomes = EXERCISES["play_in_lockstep"].reference(game, begin, think, games, places)
        seen.append((games, places, sum(len(turn.number) for turn in turns)))
        return turns, outcomes

    with using({"play_in_lockstep": watched}):
        examples = batched_self_play(
            make_batched(TicTacToe()), HashNetwork(9), 7, np.random.default_rng(4), lockstep=3, simulations=4
        )
    assert seen == [(7, 3, len(examples))]


def test_actions_are_drawn_in_proportion_to_the_visits():
    visits = np.tile([0.0, 3, 0, 1, 0], (40_000, 1))
    drawn = batched_sample(visits, np.zeros(40_000, dtype=bool), np.random.default_rng(0))
    share = np.bincount(drawn, minlength=5) / 40_000
    assert np.allclose(share, [0, 0.75, 0, 0.25, 0], atol=0.02)
    assert (share[[0, 2, 4]] == 0).all()
    assert (batched_sample(visits[:9], np.ones(9, dtype=bool), np.random.default_rng(0)) == 1).all()
    assert batched_sample(np.array([[2.0, 2]]), np.array([True]), np.random.default_rng(0)) == 0  # ties: the lowest


def test_root_noise_has_the_mean_and_spread_of_a_dirichlet():
    legal = np.tile([True, False, True, True], (40_000, 1))
    prior = np.tile([0.5, 0, 0.25, 0.25], (40_000, 1))
    noisy = batched_root_noise(prior, legal, np.random.default_rng(0), alpha=0.5, fraction=0.4)
    assert np.allclose(noisy.sum(axis=1), 1) and (noisy[:, 1] == 0).all()
    noise = (noisy - 0.6 * prior) / 0.4
    assert np.allclose(noise.mean(axis=0), [1 / 3, 0, 1 / 3, 1 / 3], atol=0.01)
    # variance of a component of Dirichlet(a, a, a): (1/3)(2/3) / (3a + 1)
    assert np.allclose(noise[:, [0, 2, 3]].var(axis=0), (2 / 9) / 2.5, atol=0.005)
    finished = np.zeros((1, 4))
    assert np.array_equal(
        batched_root_noise(finished, finished > 0, np.random.default_rng(0), alpha=1.0, fraction=0.5), finished
    )


def test_openings_are_not_over_and_as_long_as_they_say():
    game = make_batched(TicTacToe())
    states, plies = batched_openings(game, 2_000, share=0.5, plies=8, rng=np.random.default_rng(0))
    assert not game.outcome(states)[0].any()
    assert np.array_equal(game.encode(states).sum(axis=(1, 2, 3)), plies)
    assert abs((plies == 0).mean() - 0.5) < 0.04 and plies.max() == 8


@both_games
def test_the_values_of_a_search_make_the_policy_to_learn(game):
    """Without noise against the one-game search and the paper's formula, action by action."""
    weight, network, batched = 0.7, HashNetwork(game.num_actions), make_batched(game)
    examples = batched_self_play(batched, network, 3, np.random.default_rng(1), value_weight=weight, **PLAIN)
    bits = np.uint64(1) << batched.bits
    states = batched.to_states((examples.planes.astype(np.uint64) * bits).sum(axis=(2, 3), dtype=np.uint64))
    for state, policy in zip(states, examples.policy, strict=True):
        _, root = mcts_search(game, state, network, PLAIN["simulations"], PLAIN["c_puct"], return_root=True)
        legal = game.legal_actions(state)
        tried = [a for a in legal if root.N[a] > 0]
        mean = sum(root.P[a] * root.W[a] / root.N[a] for a in tried) / sum(root.P[a] for a in tried)
        n, everything = sum(root.N), sum(root.W)
        mixed = (everything / n + n * mean) / (1 + n)
        q = {a: root.W[a] / root.N[a] if a in tried else mixed for a in legal}
        score = {a: root.P[a] * np.exp((50 + max(root.N)) * weight * (1 + q[a]) / 2) for a in legal}
        expected = [score.get(a, 0.0) / sum(score.values()) for a in range(game.num_actions)]
        assert np.allclose(policy, expected, atol=1e-6)


def test_values_that_weigh_nothing_leave_the_networks_policy_without_the_noise():
    game, network = TicTacToe(), HashNetwork(9)
    settings = PLAIN | dict(noise_fraction=0.9, exploratory_plies=9, value_weight=0.0)
    examples = batched_self_play(make_batched(game), network, 5, np.random.default_rng(1), **settings)
    _, logits = network(examples.planes)
    legal = examples.planes.sum(axis=1).reshape(-1, 9) == 0
    weights = np.where(legal, np.exp(logits), 0)
    assert np.allclose(examples.policy, weights / weights.sum(axis=1, keepdims=True), atol=1e-6)


def test_a_move_never_searched_counts_about_as_much_as_those_that_were():
    """Worked by hand: Q of 1/2, -1 and 0 after 2, 1 and 1 visits, 0 on average; equal priors.

    The last action is illegal.
    """
    N, W = np.array([[2.0, 1.0, 1.0, 0.0, 0.0]]), np.array([[1.0, -1.0, 0.0, 0.0, 0.0]])
    legal = np.array([[True, True, True, True, False]])
    policy = completed_policy(N, W, np.array([[0.25, 0.25, 0.25, 0.25, 0.0]]), legal, 0.1)[0]
    untried = (0 + 4 * (-0.5 / 3)) / 5
    expected = np.exp(52 * 0.1 * np.array([0.5, -1.0, 0.0, untried]) / 2)
    assert np.allclose(policy, [*(expected / expected.sum()), 0.0])
