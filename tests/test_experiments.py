"""What the experiments measure, each beside something that needs no experiment."""

from types import SimpleNamespace

import numpy as np
import pytest

from benchmarks.experiments import (
    batch_norm_in_play,
    connect_four_opponents,
    eight_positions,
    metrics_along_a_run,
    settings_in_play,
    stop_by_loss,
)
from course_utils.games import after
from course_utils.learning.proof import tictactoe_key
from course_utils.networks import UniformNetwork
from course_utils.networks.resnet import make_resnet
from course_utils.search.puct import mcts_search


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
