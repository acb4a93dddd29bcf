"""What the experiments measure, each beside something that needs no experiment."""

from types import SimpleNamespace

import numpy as np
import pytest

from course_utils.exercise import using
from course_utils.games import after
from course_utils.learning.proof import tictactoe_key
from course_utils.networks import UniformNetwork
from course_utils.networks.policy_value import TorchNetwork
from course_utils.networks.resnet import make_resnet
from course_utils.search.batched import batched_search
from course_utils.search.puct import mcts_search
from lab.experiments import (
    batch_norm_in_play,
    connect_four_opponents,
    eight_positions,
    metrics_along_a_run,
    settings_in_play,
    sign_at_the_leaf,
    stop_by_loss,
)


def test_branching_is_what_a_walk_through_the_trees_of_single_searches_counts():
    key, network = tictactoe_key(), UniformNetwork(9)
    places = np.arange(0, len(key.states), 500)
    some = SimpleNamespace(batched=key.batched, batch=key.batch[places], legal=key.legal[places])
    tried, counts = [], []
    for place in places.tolist():
        _, root = mcts_search(key.game, key.states[place], network, 20, 1.5, return_root=True)
        tried.append(len(root.children) / key.legal[place].sum())
        waiting = [root]
        while waiting:
            node = waiting.pop()
            waiting += node.children.values()
            counts += [len(node.children)] if node.children else []
    found = metrics_along_a_run.branching(some, network, 20, 1.5)
    assert found == dict(
        tried=pytest.approx(np.mean(tried), abs=1e-4), branching=pytest.approx(np.mean(counts), abs=1e-4)
    )


def test_a_tempered_player_draws_by_powers_of_the_visits_and_at_zero_takes_the_first_of_the_most_visited():
    visits = np.array([[4.0, 1.0, 0.0], [3.0, 5.0, 5.0]])
    half, zero = settings_in_play.tempered(visits, 0.5), settings_in_play.tempered(visits, 0.0)
    assert half[0] == pytest.approx([16 / 17, 1 / 17, 0]) and half[1] == pytest.approx([9 / 59, 25 / 59, 25 / 59])
    assert zero.tolist() == [[1, 0, 0], [0, 1, 0]]
    assert settings_in_play.tempered(visits, 0.01)[0] == pytest.approx([1, 0, 0])


def test_a_run_stops_at_the_first_iteration_with_a_low_loss_or_at_its_end():
    settings = {**stop_by_loss.EXPERIMENT.base, **stop_by_loss.EXPERIMENT.quick, "iterations": 3}
    [soon], [never] = (stop_by_loss.measure(0, limit, **settings) for limit in (1e9, 0.0))
    assert (soon["reached"], soon["iteration"]) == (True, 2)  # in the first one there is nothing to learn from
    assert (never["reached"], never["iteration"]) == (False, 3)


def test_the_eight_positions_are_what_their_names_say():
    key = tictactoe_key()
    places = {name: key.index[after(key.game, list(moves))] for name, moves in eight_positions.POSITIONS.items()}
    right = {name: set(np.flatnonzero(key.optimal[place]).tolist()) for name, place in places.items()}
    for name, place in places.items():
        winner = {"X wins": 1, "O wins": -1}.get(name.split(":")[0], 0)
        assert key.values[place] * key.to_play[place] == winner, name
    assert right["O: only 2 saves"] == {2} and right["O: only corners save"] == {0, 2, 6, 8}
    assert right["the start"] == set(range(9))


def test_company_changes_what_is_said_of_a_board_in_training_mode_only():
    net = make_resnet(tictactoe_key().game, 0, blocks=1, channels=8)
    planes = tictactoe_key().batched.encode(tictactoe_key().batch[:40])
    alone, together = (batch_norm_in_play.logits(net.eval(), planes, company) for company in (1, 40))
    assert np.allclose(alone, together, atol=1e-5)
    alone, together = (batch_norm_in_play.logits(net.train(), planes, company) for company in (1, 40))
    assert not np.allclose(alone, together, atol=0.1)


def test_both_sides_of_a_match_are_counted_and_the_control_once():
    settings = dict(first="", second="", openings=2, plies=30, simulations=2, rollouts=5)
    rows = connect_four_opponents.measure(0, "untrained", **settings)
    assert [(row["side"], row["wins"] + row["draws"] + row["losses"]) for row in rows] == [("first", 2), ("second", 2)]
    assert connect_four_opponents.measure(1, "untrained", **settings) == []


def visits_as_printed(state, network, iterations: int, c_puct: float, turned: bool) -> list[float]:
    """Search a tree whose nodes hold their own visits and total, as the course in Rust prints it.

    With `turned` a leaf's value changes its sign before it is added (its section 12), otherwise after (its listing).
    """
    game, root = tictactoe_key().game, SimpleNamespace(state=state, visits=0, total=0.0, prior=0.0, children={})
    for _ in range(iterations):
        path = [root]
        while path[-1].children:
            above = path[-1]

            def score(child, above=above):
                mean = child.total / child.visits if child.visits else 0.0
                return mean + c_puct * child.prior * above.visits**0.5 / (1 + child.visits)

            path.append(max(above.children.values(), key=score))
        leaf = path[-1]
        if game.is_terminal(leaf.state):
            value = -float(game.winner(leaf.state) != 0)  # nobody is to move who has won
        else:
            [value], [logits] = network(game.encode(leaf.state)[None])
            legal = game.legal_actions(leaf.state)
            weights = np.exp(logits[legal] - logits[legal].max())
            for action, prior in zip(legal, weights / weights.sum(), strict=True):
                after_it = game.play(leaf.state, action)
                leaf.children[action] = SimpleNamespace(state=after_it, visits=0, total=0.0, prior=prior, children={})
        value = -value if turned else value
        for node in reversed(path):
            node.visits, node.total, value = node.visits + 1, node.total + value, -value
    return [root.children[action].visits if action in root.children else 0 for action in range(game.num_actions)]


@pytest.mark.parametrize(("searched_by", "turned"), [("right", True), ("as listed", False)])
def test_the_two_printed_searches_are_ours_with_one_sign_changed(searched_by, turned):
    key = tictactoe_key()
    network = TorchNetwork(sign_at_the_leaf.SmallNet(key.game, seed=1))
    places = np.arange(0, len(key.states), 500)
    with using(sign_at_the_leaf.SEARCHES[searched_by]):
        found = batched_search(key.batched, key.batch[places], network, 59, 1.5)
    for place, visits in zip(places.tolist(), found.tolist(), strict=True):
        assert visits_as_printed(key.states[place], network, 60, 1.5, turned) == visits


def test_with_the_sign_of_the_listing_a_search_runs_from_every_win():
    key, network = tictactoe_key(), UniformNetwork(9)
    could_win = np.flatnonzero(key.winning.any(axis=1) & (key.legal.sum(axis=1) > key.winning.sum(axis=1)))
    for searched_by, versions in sign_at_the_leaf.SEARCHES.items():
        with using(versions):
            moves = key.moves(network, 200, 1.5)[could_win]
        assert key.winning[could_win, moves].mean() == (1 if searched_by == "right" else 0)
