"""Self-play: its parts against definitions and statistics, its games against the rules."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from course_utils.agents import SearchAgent
from course_utils.exercise import using
from course_utils.games import ConnectN, TicTacToe
from course_utils.learning.examples import Examples
from course_utils.learning.self_play import add_root_noise, sample_action, self_play_game, value_targets
from course_utils.networks import UniformNetwork
from course_utils.tests.notebook_02.masked_policy import right_in_float32
from course_utils.tests.world.networks import HashNetwork
from course_utils.tests.world.plain_puct import puct_visits

GAMES = [TicTacToe(), ConnectN(rows=3, columns=4, n=3), ConnectN(rows=1, columns=3, n=3)]


@given(
    visits=st.lists(st.integers(0, 1000), min_size=1, max_size=9).filter(any),
    temperature=st.one_of(st.just(0.0), st.floats(1e-12, 10)),
    seed=st.integers(0, 1000),
)
def test_only_tried_actions_are_sampled_at_any_temperature(visits, temperature, seed):
    action = sample_action(np.array(visits, dtype=float), temperature, np.random.default_rng(seed))
    assert type(action) is int
    assert visits[action] > 0
    if temperature < 1e-8:
        assert action == visits.index(max(visits))


@pytest.mark.parametrize("temperature", [0.3, 1.0, 3.0])
def test_actions_come_as_often_as_the_definition_says(temperature):
    visits, draws = [50, 20, 0, 5], 4000
    rng = np.random.default_rng(0)
    drawn = [sample_action(np.array(visits), temperature, rng) for _ in range(draws)]
    powers = [count ** (1 / temperature) for count in visits]
    for action, power in enumerate(powers):
        p = power / sum(powers)
        assert abs(drawn.count(action) / draws - p) <= 5 * (p * (1 - p) / draws) ** 0.5


@given(seed=st.integers(0, 1000), alpha=st.floats(0.05, 20), fraction=st.floats(0, 1))
def test_noise_leaves_a_policy_over_the_legal_actions(seed, alpha, fraction):
    rng = np.random.default_rng(seed)
    legal = rng.random(9) < 0.6
    legal[seed % 9] = True
    prior = legal / legal.sum()
    noisy = add_root_noise(prior, legal, rng, alpha=alpha, fraction=fraction)
    assert not noisy[~legal].any()
    assert noisy.sum() == pytest.approx(1)
    assert (noisy >= (1 - fraction) * prior - 1e-12).all()


def test_the_noise_has_a_dirichlets_mean_and_variance():
    legal, alpha = np.array([True, True, False, True, True]), 0.4
    rng = np.random.default_rng(0)
    prior = legal / 4
    noise = np.stack([add_root_noise(prior, legal, rng, alpha=alpha, fraction=1.0) for _ in range(4000)])[:, legal]
    np.testing.assert_allclose(noise.mean(axis=0), 1 / 4, atol=0.03)
    np.testing.assert_allclose(noise.var(axis=0), (1 / 4) * (3 / 4) / (4 * alpha + 1), atol=0.01)


@given(players=st.lists(st.sampled_from([1, -1]), max_size=9), winner=st.sampled_from([1, 0, -1]))
def test_each_player_gets_its_own_result(players, winner):
    values = value_targets(players, winner)
    assert values.dtype == np.float32
    assert values.shape == (len(players),)
    for player, value in zip(players, values, strict=True):
        assert value == (0 if winner == 0 else 1 if player == winner else -1)


def replay(game, examples: Examples):
    """The states of a game, found again from the planes alone; the last one is the end, if only one move leads there."""
    states = [game.initial_state()]
    for example in examples[1:]:
        children = [game.play(states[-1], action) for action in game.legal_actions(states[-1])]
        matching = [child for child in children if np.array_equal(game.encode(child), example.planes)]
        assert len(matching) == 1
        states += matching
    return states


@pytest.mark.parametrize("game", GAMES, ids=lambda game: game.name)
def test_a_game_follows_the_rules_and_its_examples_tell_it(game):
    rng = np.random.default_rng(0)
    for seed in range(10):
        network = HashNetwork(game.num_actions, seed)
        settings = dict(simulations=10, c_puct=1.2, exploratory_plies=2, noise_fraction=0.0)
        examples = self_play_game(game, network, rng, **settings)
        states = replay(game, examples)
        for state, example in zip(states, examples, strict=True):
            assert not game.is_terminal(state)
            np.testing.assert_allclose(example.policy * 10, puct_visits(game, state, network, 10, 1.2), atol=1e-9)
            assert (
                example.value == example.outcome == examples.value[-1] * game.to_play(state) * game.to_play(states[-1])
            )
        ends = [game.play(states[-1], action) for action in game.legal_actions(states[-1])]
        assert any(
            game.is_terminal(end) and game.winner(end) * game.to_play(states[-1]) == examples.value[-1] for end in ends
        )


def test_the_same_seed_plays_the_same_game_and_noise_makes_others():
    game, network = TicTacToe(), UniformNetwork(9)
    one, same, different = (self_play_game(game, network, np.random.default_rng(seed)) for seed in (1, 1, 2))
    assert one.policy.tolist() == same.policy.tolist()
    assert one.policy.tolist() != different.policy.tolist()


def test_greedy_play_without_noise_is_one_game_over_and_over():
    rng, network = np.random.default_rng(0), HashNetwork(9, 0)
    games = {
        b"".join(
            example.planes.tobytes()
            for example in self_play_game(
                TicTacToe(), network, rng, simulations=8, exploratory_plies=0, noise_fraction=0.0
            )
        )
        for _ in range(5)
    }
    assert len(games) == 1


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_priors_that_sum_to_one_only_in_float32_do_no_harm(dtype):
    def masked_policy(logits, legal):
        return right_in_float32(logits, legal).astype(dtype)

    network = HashNetwork(9)
    for seed in range(5):
        with using({"masked_policy": masked_policy}):
            examples = self_play_game(TicTacToe(), network, simulations=10, c_puct=1.5, rng=np.random.default_rng(seed))
            agent = SearchAgent(TicTacToe(), network, simulations=0)
            agent.act(TicTacToe().initial_state())
        assert len(examples.value) >= 5
