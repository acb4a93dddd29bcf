"""Ray: a real cluster of two nodes on this machine, one of which is killed half-way.

Skipped, with a warning, where Ray is not installed: it is an extra (`scale`), and `make check` does without.
"""

import importlib.util
import os
import subprocess
import sys
import warnings

import pytest
import torch

from course_utils.exercise import adopt
from course_utils.games import ConnectN, TicTacToe
from course_utils.learning import cluster
from course_utils.learning.config import config_for
from course_utils.learning.engine import STALEST, train
from course_utils.learning.folder import train_in_folder
from course_utils.learning.run import Run
from course_utils.learning.workers import Workers, hire
from course_utils.paths import COURSE


def test_without_ray_the_sentence_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(
        ValueError, match=r'^WORKERS=ray needs Ray, .* pip install -c constraints\.txt -e "\.\[scale\]"'
    ):
        hire("ray")


@pytest.fixture(scope="module")
def nodes():
    """A cluster with a head and one further node, each with one processor."""
    if importlib.util.find_spec("ray") is None:
        message = "*** Ray is not installed: nothing is tested on a cluster (pip install -e '.[scale]' to test it). ***"
        warnings.warn(message)
        pytest.skip(message)
    with cluster.cluster_of(1, 1) as made:
        yield made


def test_in_step_the_run_is_the_one_of_a_single_process_by_the_learners_functions(nodes, monkeypatch):
    lazy = "def batched_backup(tree, leaves, values):\n    tree.N[:, 0] += tree.legal[:, 0] / len(tree.legal[0])\n"
    game = ConnectN(3, 4, 3)
    config = config_for(game, network="mlp", iterations=2, games=6, parts=2, simulations=3, steps=2, batch=8)
    adopt({"batched_backup": lazy})
    monkeypatch.setattr(cluster, "sources_in_force", lambda: {"batched_backup": lazy})
    runs = [Run.start(game, config, seed=0) for _ in range(2)]
    for run, workers in zip(runs, (cluster.RayCluster(nodes.address, ahead=False), 0), strict=True):
        train(run, workers=workers)
    assert [entry["batches"] for entry in runs[0].history] == [[0, 1], [2, 3]]
    weights = [list(run.network.state_dict().values()) for run in runs]
    assert all(torch.equal(*pair) for pair in zip(*weights, strict=True))
    assert (runs[0].buffer.examples.policy == runs[1].buffer.examples.policy).all()


def test_a_node_killed_half_way_costs_no_game_and_none_counts_twice(nodes, tmp_path, monkeypatch):
    """The batches are so large that Ray keeps them on the node where they were played."""
    monkeypatch.setenv("RAY_ADDRESS", nodes.address)
    game, log = TicTacToe(), Run.log

    def killing(run, *given, **more):
        log(run, *given, **more)
        if len(run.history) == 4:
            nodes.remove_node(nodes.others[0], allow_graceful=False)

    monkeypatch.setattr(Run, "log", killing)
    settings = dict(iterations=8, games=1200, simulations=4, steps=2, batch=32, window=8, first_window=8)
    run = train_in_folder(tmp_path, game, 10, 0, lockstep=True, workers="ray", **settings)
    assert run.config.parts == 2, "one for each processor of the cluster"
    assert sorted(number for entry in run.history for number in entry["batches"]) == list(range(16))
    assert [entry["games"] for entry in run.history] == [1200] * 8
    assert sum(entry["examples"] for entry in run.history) == len(run.buffer)
    assert max(max(entry["staleness"]) for entry in run.history) <= STALEST
    assert max(len(part) for part in run.buffer.parts) * game.num_actions * 4 > 100_000


def test_an_error_of_the_learners_comes_back_as_itself(nodes, monkeypatch):
    monkeypatch.setattr(
        cluster,
        "sources_in_force",
        lambda: {"batched_backup": "def batched_backup(*_):\n    raise ValueError('mine')\n"},
    )
    with cluster.RayCluster(nodes.address) as workers:
        future = workers.begin(broken)
        with pytest.raises(ValueError, match=r"^mine"):
            future.result(timeout=120)
    assert isinstance(workers, Workers)


def broken():
    from course_utils.search.batched import batched_backup

    batched_backup(None, None, None)


def test_a_batch_that_kills_every_process_ends_with_a_sentence(nodes, monkeypatch):
    monkeypatch.setattr(cluster, "RETRIES", 1)
    with cluster.RayCluster(nodes.address) as workers:
        future = workers.begin(os._exit, 1)
        with pytest.raises(ConnectionError, match=r"^the Ray cluster has failed: .*\w"):
            future.result(timeout=120)


def test_kill_goes_on_to_mean_what_it_meant(nodes, monkeypatch):
    """Ray puts a handler of its own in place when it is imported or begun, so that happens in a process of its own."""
    monkeypatch.setenv("RAY_ADDRESS", nodes.address)
    script = (
        "import signal; signal.signal(signal.SIGTERM, signal.default_int_handler)\n"
        "from course_utils.learning.workers import hire\n"
        "with hire('ray'): print(signal.getsignal(signal.SIGTERM) is signal.default_int_handler)"
    )
    done = subprocess.run([sys.executable, "-c", script], cwd=COURSE, capture_output=True, text=True)
    assert done.stdout.splitlines()[-1:] == ["True"], done.stderr
