"""A recorded search: put together again from what was written down, it is the search."""

import json
import subprocess
import sys
from dataclasses import asdict

import numpy as np
import pytest

from course_utils import exercise
from course_utils.exercise import using
from course_utils.games import ConnectFour, TicTacToe, after
from course_utils.learning.self_play import add_root_noise
from course_utils.networks.policy_value import TorchNetwork, make_network
from course_utils.search import recording
from course_utils.search.puct import mcts_search
from course_utils.search.uct import UctNode, uct_search, with_edges

GAMES = {game.name: game for game in (TicTacToe(), ConnectFour())}
NETWORKS = {name: TorchNetwork(make_network(game, seed=0)) for name, game in GAMES.items()}
POSITIONS = {"tictactoe": [4, 1], "connect_four": [3, 3, 2]}


def replay(recorded: recording.Recording, simulations: int) -> list[tuple[dict, dict]]:
    """For each node the edges' N and W after so many simulations: action -> number, where it is not 0."""
    tables: list[tuple[dict, dict]] = [({}, {}) for _ in recorded.nodes]
    for simulation in recorded.simulations[:simulations]:
        for node, action, visits, worth in simulation["up"]:
            N, W = tables[node]
            N[action] = N.get(action, 0) + visits
            W[action] = W.get(action, 0) + worth
    return tables


def assert_is_tree(recorded: recording.Recording, simulations: int, root) -> None:
    """The recording, up to there, against the tree of a search that was not watched."""
    tables = replay(recorded, simulations)

    def compare(number: int, node) -> None:
        N, W = tables[number]
        for action in range(len(node.N)):
            assert N.get(action, 0) == node.N[action]
            assert W.get(action, 0) == pytest.approx(node.W[action], abs=1e-4)
        for action, child in node.children.items():
            compare(numbers[number, action], child)

    numbers = {(node["parent"], node["action"]): number for number, node in enumerate(recorded.nodes)}
    compare(0, root)


@pytest.mark.parametrize("name", GAMES)
@pytest.mark.parametrize("record", [recording.watch_puct, recording.watch_batched])
@pytest.mark.parametrize("noise", [None, add_root_noise])
def test_puct_alone_and_in_a_batch_can_be_put_together_as_it_stood_after_any_simulation(name, record, noise):
    game = GAMES[name]
    state = after(game, POSITIONS[name])
    recorded = record(game, state, NETWORKS[name], 60, 1.5, noise=noise, rng=np.random.default_rng(3))
    assert len(recorded.simulations) == 60 and not recorded.remark
    for simulations in (1, 2, 17, 60):
        _, root = mcts_search(
            game, state, NETWORKS[name], simulations, 1.5, noise=noise, rng=np.random.default_rng(3), return_root=True
        )
        assert_is_tree(recorded, simulations, root)
    legal = recorded.nodes[0]["legal"]
    assert recorded.nodes[0]["P"] == pytest.approx(root.P[legal], abs=1e-5)
    assert (recorded.unperturbed is None) == (noise is None)
    if noise:
        assert np.abs(np.subtract(recorded.unperturbed, recorded.nodes[0]["P"])).max() > 0.02


@pytest.mark.parametrize("name", GAMES)
def test_rollouts_can_be_put_together_too(name):
    game = GAMES[name]
    state = after(game, POSITIONS[name])
    recorded = recording.watch_uct(game, state, 60, np.random.default_rng(1))
    for simulations in (1, 8, 60):
        root = UctNode(game, state)
        uct_search(game, root, simulations, np.random.default_rng(1))
        assert_is_tree(recorded, simulations, with_edges(root, game))
    assert {simulation["source"] for simulation in recorded.simulations} <= {"rollout", "rules"}


def test_each_value_changes_its_sign_at_every_step_up():
    game = GAMES["tictactoe"]
    recorded = recording.watch_puct(game, after(game, [0, 1, 4, 2]), NETWORKS["tictactoe"], 80, 1.5)
    finished = 0
    for simulation in recorded.simulations:
        value, node = simulation["value"], simulation["leaf"]
        for above, action, visits, worth in simulation["up"]:
            assert (above, action) == (recorded.nodes[node]["parent"], recorded.nodes[node]["action"])
            value, node = -value, above
            assert (visits, worth) == (1, pytest.approx(value, abs=1e-5))
        assert node == 0
        over = recorded.nodes[simulation["leaf"]]["over"]
        assert (simulation["source"] == "rules") == (over is not None)
        finished += over is not None and not simulation["new"]
    assert finished > 0  # finished games are reached again


def test_a_recording_is_json_and_small():
    game = GAMES["connect_four"]
    recorded = recording.watch_puct(game, game.initial_state(), NETWORKS["connect_four"], 100, 1.5)
    assert len(json.dumps(asdict(recorded))) < 50_000


def without_sign(leaf, value):
    node = leaf
    while node.parent is not None:
        node.parent.N[node.parent_action] += 1
        node.parent.W[node.parent_action] += value
        node = node.parent


def test_the_versions_in_force_are_what_is_recorded():
    game = GAMES["tictactoe"]
    with using({"backup": without_sign}):
        recorded = recording.watch_puct(game, after(game, [4, 1]), NETWORKS["tictactoe"], 20, 1.5)
    for simulation in recorded.simulations:
        assert [worth for *_, worth in simulation["up"]] == pytest.approx([simulation["value"]] * len(simulation["up"]))


def test_a_search_that_does_without_backup_is_said_to_be_ours():
    game = GAMES["tictactoe"]

    def in_one_piece(game, state, network, simulations, c_puct, *, noise=None, rng=None, return_root=False):
        return np.zeros(9)

    with using({"mcts_search": in_one_piece}):
        recorded = recording.watch_puct(game, after(game, [4, 1]), NETWORKS["tictactoe"], 20, 1.5)
    assert len(recorded.simulations) == 20
    assert "Your mcts_search does not call backup" in recorded.remark


def test_watching_leaves_nothing_behind():
    game = GAMES["tictactoe"]
    over = after(game, [0, 3, 1, 4, 2])
    recording.watch_puct(game, after(game, [4, 1]), NETWORKS["tictactoe"], 5, 1.5)
    for record in (recording.watch_puct, recording.watch_batched):
        with pytest.raises(ValueError, match="the game is over"):
            record(game, over, NETWORKS["tictactoe"], 5, 1.5)
    assert exercise.versions_in_force() is exercise.LEARNERS


COUNTED = """
import sys
from course_utils.games import TicTacToe
from course_utils.networks import UniformNetwork
from course_utils.search.puct import mcts_search
from course_utils.search.recording import watch_puct

game = TicTacToe()

def steps():
    count = 0
    def trace(frame, event, argument):
        nonlocal count
        frame.f_trace_opcodes, count = True, count + (event == "opcode")
        return trace
    sys.settrace(trace)
    mcts_search(game, game.initial_state(), UniformNetwork(9), 60, 1.5)
    sys.settrace(None)
    return count

steps()  # what is done once
before = steps()
watch_puct(game, game.initial_state(), UniformNetwork(9), 60, 1.5)
print(before, steps())
"""


def test_a_search_that_nobody_watches_takes_not_one_step_more_after_another_was_recorded():
    before, then = subprocess.run(
        [sys.executable, "-c", COUNTED], capture_output=True, text=True, check=True
    ).stdout.split()
    assert int(before) > 10_000
    assert before == then
