"""Rollout search with its parts exchanged, beside perfect play and the search of the notebook 'PUCT search'."""

from functools import partial

import numpy as np
import pytest

from course_utils.agents import MinimaxAgent
from course_utils.agents.uct import UctAgent
from course_utils.games import ConnectFour, TicTacToe, after
from course_utils.learning.exam import exam
from course_utils.networks import UniformNetwork
from course_utils.search.hybrid import NetworkGuide, leaf_value, search_by_value
from course_utils.search.puct import mcts_search
from course_utils.search.uct import UctNode, final_action, rollout, uct_search
from course_utils.tests.world.networks import HashNetwork, sizes

GAME, FOUR = TicTacToe(), ConnectFour()
PERFECT = MinimaxAgent(GAME)


def exact(game, state, rng) -> float:
    return PERFECT.value(state)


def rng(seed: int = 0):
    return np.random.default_rng(seed)


def share_kept(search, simulations: int) -> float:
    kept = []
    for number, position in enumerate(exam("tictactoe")[::8]):
        root = UctNode(GAME, position.state)
        search(GAME, root, simulations, rng(number))
        kept.append(position.keeps[final_action(root)])
    return float(np.mean(kept))


def test_by_the_exact_value_one_look_at_each_move_is_perfect_play():
    for position in exam("tictactoe"):
        root = UctNode(GAME, position.state)
        search_by_value(GAME, root, len(root.untried), rng(), evaluate=exact)
        values = {action: child.Q for action, child in root.children.items()}
        assert values == {action: -PERFECT.value(GAME.play(root.state, action)) for action in values}
        assert position.keeps[final_action(root, "max")]


def test_by_the_exact_value_few_simulations_find_what_rollouts_miss():
    assert share_kept(partial(search_by_value, evaluate=exact), 10) > 0.98
    assert share_kept(uct_search, 10) < 0.9


def test_by_the_rollout_itself_it_is_the_search_with_rollouts():
    for seed in range(10):
        plain, by_value = UctNode(FOUR, after(FOUR, [3])), UctNode(FOUR, after(FOUR, [3]))
        visits = uct_search(FOUR, plain, 60, rng(seed))
        assert search_by_value(FOUR, by_value, 60, rng(seed), evaluate=rollout).tolist() == visits.tolist()


@pytest.mark.parametrize("game", [GAME, FOUR], ids=["tictactoe", "connect_four"])
def test_with_prior_and_value_it_is_puct_search(game):
    for seed in range(20):
        network, state = HashNetwork(game.num_actions, seed), game.initial_state()
        for _ in range(seed % 5):
            state = game.play(state, int(rng(seed).choice(game.legal_actions(state))))
        guide, root = NetworkGuide(network, 1.5), UctNode(game, state)
        by_value = partial(leaf_value, judge=guide.value, rollout_share=0)
        by_parts = partial(search_by_value, evaluate=by_value, score=guide.score, expand=guide.expand)
        visits = by_parts(game, root, 1 + 80, rng())  # the first one evaluates the root
        assert visits.tolist() == mcts_search(game, state, network, 80, 1.5).tolist()
        assert set(sizes(network)) == {1}


def test_with_a_uniform_prior_and_rollouts_it_is_puct_whose_network_evaluates_by_rollouts():
    for actions in ([], [4], [0, 4, 8]):
        results: dict = {}  # planes -> how the one game went that was played out from there

        def play_out(game, state, rng, results=results) -> float:
            if game.is_terminal(state):
                return game.winner(state) * game.to_play(state)
            return results.setdefault(game.encode(state).tobytes(), float(rng.integers(-1, 2)))

        def network(planes, results=results):
            return np.array([results[planes[0].tobytes()]]), np.zeros((1, 9))

        guide, root = NetworkGuide(UniformNetwork(9), 1.5), UctNode(GAME, after(GAME, actions))
        options = dict(score=guide.score, expand=guide.expand)
        visits = search_by_value(GAME, root, 101, rng(), evaluate=play_out, **options)
        assert visits.tolist() == mcts_search(GAME, root.state, network, 100, 1.5).tolist()


@pytest.mark.parametrize("share", [0.5, 0.25])
def test_leaf_value_mixes_judge_and_rollout(share):
    guide, state = NetworkGuide(HashNetwork(7), 1.5), after(FOUR, [3, 3])
    value = guide.value(FOUR, state)
    assert value == HashNetwork(7)(FOUR.encode(state)[None])[0][0]
    for seed in range(20):
        mixed = leaf_value(FOUR, state, rng(seed), guide.value, share)
        assert mixed == pytest.approx(value + share * (rollout(FOUR, state, rng(seed)) - value))


def test_leaf_value_of_a_finished_game_is_its_result_and_what_counts_nothing_is_not_asked():
    network, over, begun = HashNetwork(9), after(GAME, [0, 3, 1, 4, 2]), after(GAME, [4])
    judge, unused = NetworkGuide(network, 1.5).value, None
    assert [leaf_value(GAME, over, unused, unused, share) for share in (0, 0.5, 1)] == [-1, -1, -1]
    assert leaf_value(GAME, begun, rng(3), unused, 1) == rollout(GAME, begun, rng(3))
    assert leaf_value(GAME, begun, unused, judge, 0) == network(GAME.encode(begun)[None])[0][0]


def test_an_agent_plays_by_a_value():
    agent = UctAgent(GAME, 10, rng(), search=partial(search_by_value, evaluate=exact))
    positions = exam("tictactoe")[::40]
    assert np.mean([position.keeps[agent.act(position.state)] for position in positions]) > 0.95


def test_the_time_ends_it_after_one_simulation_or_more_and_a_finished_game_is_refused():
    root = UctNode(GAME, GAME.initial_state())
    search_by_value(GAME, root, 50, rng(), evaluate=exact, seconds=0)
    assert root.N == 1
    with pytest.raises(ValueError, match="the game is over"):
        search_by_value(GAME, UctNode(GAME, after(GAME, [0, 3, 1, 4, 2])), 5, rng(), evaluate=exact)
