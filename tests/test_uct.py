"""Tree search with rollouts, its agent, and tournaments."""

import math
import time

import numpy as np
import pytest

from course_utils.agents import MinimaxAgent, RandomAgent
from course_utils.agents.uct import UctAgent
from course_utils.games import TicTacToe, after
from course_utils.learning import tournament
from course_utils.learning.arena import Score
from course_utils.results import load_result
from course_utils.search.uct import (
    RULES,
    UctNode,
    child_visits,
    count_nodes,
    expand_all,
    fairness,
    final_action,
    omc_score,
    pbbm_score,
    spread,
    uct_score,
    uct_search,
    with_edges,
)
from course_utils.tests.notebook_13.uct_trees import tree

GAME = TicTacToe()


def searched(actions=(), simulations=300, seed=0, **options) -> UctNode:
    root = UctNode(GAME, after(GAME, list(actions)))
    uct_search(GAME, root, simulations, np.random.default_rng(seed), **options)
    return root


def nodes(root):
    return [root, *(node for child in root.children.values() for node in nodes(child))]


@pytest.mark.parametrize("score", [None, omc_score, pbbm_score])
@pytest.mark.parametrize("expand", [None, expand_all])
def test_every_visit_is_accounted_for(score, expand):
    root = searched(score=score, expand=expand)
    assert root.N == child_visits(root, GAME).sum() == 300
    for node in nodes(root):
        assert sum(child.N for child in node.children.values()) <= node.N
        assert abs(node.W) <= node.N
        assert node.W2 <= node.N


@pytest.mark.parametrize("score", [uct_score, omc_score, pbbm_score])
@pytest.mark.parametrize(("actions", "best"), [([0, 3, 1, 4], 2), ([0, 4, 1], 2), ([4, 1, 0, 2], 8)])
def test_wins_and_blocks(score, actions, best):
    assert all(final_action(searched(actions, 600, seed, score=score)) == best for seed in range(3))


def test_the_value_nears_that_of_perfect_play():
    lost, drawn = after(GAME, [4, 1, 0]), after(GAME, [0, 4])  # an edge against the center loses
    values = MinimaxAgent(GAME)
    for state in (lost, drawn):
        root = UctNode(GAME, state)
        uct_search(GAME, root, 3000, np.random.default_rng(0))
        assert abs(-root.Q - values.value(state)) < 0.35


def test_the_center_of_the_empty_board_gets_the_most_visits():
    visits = child_visits(searched(simulations=3000), GAME)
    assert visits.argmax() == 4
    assert visits[[0, 2, 6, 8]].sum() > visits[[1, 3, 5, 7]].sum()


def test_spread_and_urgency():
    root = UctNode(GAME, GAME.initial_state())
    for action, (N, W, W2) in {0: (1, 1, 1), 1: (4, 0, 4), 2: (4, 2, 2), 3: (2, -2, 2)}.items():
        child = root.children[action] = UctNode(GAME, GAME.play(root.state, action), root, action)
        child.N, child.W, child.W2 = N, W, W2
    root.N = 11
    first, *rest = root.children.values()
    assert spread(first) == math.inf
    assert [spread(child) ** 2 for child in rest] == pytest.approx([5 / 4, 2 / 4, 1 / 2])
    # first is the best with V = 1; erfc((1 - 0) / sqrt(2 * 5 / 4)) = 0.37109, erfc(0.5 / sqrt(2 / 2)) = 0.4795, erfc(2 /
    # sqrt(2 / 2)) = 0.00468
    urgencies = [1, 0.371093, 0.479500, 0.004678]
    expected = [
        11 * urgency / ((child.N + 1) * (sum(urgencies) - urgency))
        for urgency, child in zip(urgencies, root.children.values(), strict=True)
    ]
    assert [omc_score(child) for child in root.children.values()] == pytest.approx(expected, rel=1e-3)
    assert all(pbbm_score(child) > 0 for child in rest)
    assert fairness(first, lambda child, best: float(child is first)) == math.inf


def test_the_kept_tree_is_used():
    agent = UctAgent(GAME, 200, np.random.default_rng(0))
    state = GAME.play(GAME.initial_state(), agent.act(GAME.initial_state()))
    state = GAME.play(state, GAME.legal_actions(state)[0])
    known = agent.known(state).N
    agent.act(state)
    assert agent.root.N == known + 200 > 200
    assert agent.root.parent is None
    forgetful = UctAgent(GAME, 200, np.random.default_rng(0), keep_tree=False)
    forgetful.act(GAME.initial_state())
    forgetful.act(state)
    assert forgetful.root.N == 200


def test_policy_and_value_are_those_of_the_search_that_chose():
    agent = UctAgent(GAME, 100, np.random.default_rng(0))
    state = after(GAME, [0, 3, 1, 4])
    action, policy = agent.act(state), agent.policy(state)
    assert policy.argmax() == action == 2
    assert policy.sum() == pytest.approx(1)
    assert agent.root.N == 100
    assert agent.value(state) > 0.6
    assert type(action) is int


@pytest.mark.parametrize("rule", RULES)
def test_every_rule_plays_on(rule):
    agent = UctAgent(GAME, 50, np.random.default_rng(0), rule=rule)
    score = tournament.play_series(GAME, agent, RandomAgent(GAME, np.random.default_rng(1)), range(20))
    assert sum(score) == 20
    assert score.wins >= 15


def test_the_rules_by_hand():
    """Lower bounds with caution 1: 0.5 - 0.13, 0.75 - 0.29, 1 - 0.71."""
    root = tree({2: (30, 60), 5: (9, 12), 7: (2, 2), 8: (-4, 9)})  # W and N
    assert [final_action(root, rule) for rule in ("robust", "max", "secure", "max-robust")] == [2, 7, 5, None]
    assert final_action(root, "secure", caution=0.3) == 7
    both = tree({3: (20, 40), 0: (30, 40), 4: (4, 10), 6: (0, 1)})
    assert final_action(both, "max-robust") == 0


def test_the_clock_ends_a_move():
    agent = UctAgent(GAME, 10**9, np.random.default_rng(0), seconds=0.05)
    began = time.perf_counter()
    agent.act(GAME.initial_state())
    assert time.perf_counter() - began < 2


def test_bad_arguments_end_in_a_clear_word():
    with pytest.raises(ValueError, match="simulations is a whole number of 1 or more, not 0"):
        UctAgent(GAME, 0, np.random.default_rng(0))
    with pytest.raises(ValueError, match="the game is over"):
        UctAgent(GAME, 10, np.random.default_rng(0)).act(after(GAME, [0, 3, 1, 4, 2]))
    with pytest.raises(ValueError, match="no rule"):
        final_action(searched(), "first")


def test_the_same_tree_with_its_numbers_on_the_edges():
    root = searched()
    node = with_edges(root, GAME)
    assert node.N.tolist() == child_visits(root, GAME).tolist()
    assert node.Q[4] == pytest.approx(root.children[4].Q)
    assert all(child.parent is node and node.children[child.parent_action] is child for child in node.children.values())


def test_count_nodes():
    assert count_nodes(UctNode(GAME, GAME.initial_state())) == 1
    assert count_nodes(searched(simulations=20)) == 21
    assert count_nodes(searched(simulations=20)) == len(nodes(searched(simulations=20)))


def test_a_single_player_has_the_rating_0():
    assert tournament.elo_ratings(np.zeros((1, 1))).tolist() == [0]


def test_wilson():
    assert tournament.wilson_interval(20, 20) == pytest.approx((0.8389, 1), abs=1e-4)
    assert tournament.wilson_interval(0, 20) == pytest.approx((0, 0.1611), abs=1e-4)
    assert tournament.wilson_interval(50, 100) == pytest.approx((0.4038, 0.5962), abs=1e-4)
    with pytest.raises(ValueError):
        tournament.wilson_interval(0, 0)
    rng = np.random.default_rng(0)
    covered = [
        low <= 0.9 <= high
        for low, high in (tournament.wilson_interval(int(k), 50) for k in rng.binomial(50, 0.9, 2000))
    ]
    assert 0.93 < np.mean(covered) < 0.98


def test_round_robin_plays_both_colors_and_both_orders():
    rng = np.random.default_rng(0)
    agents = {"a": RandomAgent(GAME, rng), "b": RandomAgent(GAME, rng), "perfect": MinimaxAgent(GAME)}
    table = tournament.round_robin(GAME, agents, [GAME.initial_state()] * 5)
    assert len(table) == 6
    assert all(sum(score) == 10 for score in table.values())
    assert table["a", "b"] == Score(*reversed(table["b", "a"]))
    assert table["perfect", "a"].losses == 0
    assert tournament.points(Score(1, 2, 1)) == 0.5


def test_the_recorded_comparisons_hold():
    """What the notebook says about the record."""
    opening = load_result("uct_opening")
    for seed in opening.seeds:
        assert sum(row["visits"] for row in opening.where(seed=seed)) == 10_000
        assert opening.one(seed=seed, action=4)["visits"] > 4000
    assert all(row["wins"] == 0 for row in load_result("uct_budgets").rows)  # perfect play is never beaten
    draws = {row["c_uct"]: row["draws"] for row in load_result("uct_constants").where(side="second")}
    assert draws.pop(0.0) < min(draws.values())
