"""The training loop that plays many games at once: it resumes exactly, and does the same whoever plays."""

import copy
import json
from dataclasses import asdict, replace

import numpy as np
import pytest
import torch

from course_utils.agents.search import SearchAgent
from course_utils.games import ConnectFour, TicTacToe
from course_utils.learning import batched_training
from course_utils.learning.arena import count_lines
from course_utils.learning.batched_self_play import Examples
from course_utils.learning.batched_training import (
    PRESETS,
    BatchedTraining,
    BatchedTrainingConfig,
    join,
    train_batched,
    update_average,
)
from course_utils.learning.run import train_in_folder
from course_utils.learning.training import Training, TrainingConfig
from course_utils.networks.checkpoint import CheckpointError, load_network
from course_utils.networks.policy_value import TorchNetwork
from course_utils.networks.resnet import make_resnet

TINY = dict(
    iterations=3, blocks=1, channels=4, policy_filters=1, value_filters=1,
    games=6, first_simulations=2, last_simulations=4, steps=2, batch=8,
)  # fmt: skip


def start(**changes) -> BatchedTraining:
    return BatchedTraining.start(ConnectFour(), BatchedTrainingConfig(**{**TINY, **changes}), seed=3)


def weights(training: BatchedTraining) -> list:
    return [tensor.clone() for net in (training.net, training.average) for tensor in net.state_dict().values()]


def same(ours: list, theirs: list) -> bool:
    return all(torch.equal(a, b) for a, b in zip(ours, theirs, strict=True))


def without_times(history: list[dict]) -> list[dict]:
    return [{key: value for key, value in entry.items() if "seconds" not in key} for entry in history]


@pytest.fixture(scope="module")
def whole() -> BatchedTraining:
    training = start()
    train_batched(training, workers=0)
    return training


def test_a_run_learns_and_writes_down_what_happened(whole):
    assert [entry["iteration"] for entry in whole.history] == [1, 2, 3]
    assert [entry["simulations"] for entry in whole.history] == [2, 3, 4]
    assert whole.history[0]["policy_loss"] is None  # nothing to learn from yet
    assert all(entry["policy_loss"] > 0 and entry["value_loss"] > 0 for entry in whole.history[1:])
    assert all(entry["games"] == 6 for entry in whole.history)
    assert all(
        entry["first_wins"] + entry["draws"] + entry["second_wins"] == entry["from_start"] for entry in whole.history
    )
    assert whole.steps == 4
    assert whole.cpu_seconds > 0
    json.dumps(whole.history)
    assert not same(weights(whole), weights(start()))


def test_self_play_gets_every_setting_that_it_knows():
    changed = dict(c_puct=9.0, exploratory_plies=1, noise_alpha=0.2, noise_fraction=0.3, opening_share=0.4)
    changed |= dict(opening_plies=5, blunder_margin=0.6)
    settings = asdict(start(**changed).self_play_config())
    assert {**settings, **changed, "batch": 6, "simulations": 2} == settings


def test_symmetries_can_be_switched_off(monkeypatch):
    asked = []
    monkeypatch.setattr(batched_training, "random_symmetries", lambda game, *arrays: asked.append(1) or arrays[:2])
    for symmetries, calls in ((False, 0), (True, 4)):
        train_batched(start(symmetries=symmetries), workers=0)
        assert len(asked) == calls


def test_it_resumes_exactly(whole, tmp_path):
    path = tmp_path / "state.pt"
    training = start()
    train_batched(training, lambda run: run.save(path) or len(run.history) == 2, workers=0)
    assert len(training.history) == 2
    resumed = BatchedTraining.resume(path)
    train_batched(resumed, workers=0)
    assert same(weights(resumed), weights(whole))
    assert without_times(resumed.history) == without_times(whole.history)


def test_another_process_plays_the_same_games(whole):
    training = start()
    train_batched(training, workers=1)
    assert same(weights(training), weights(whole))
    assert without_times(training.history) == without_times(whole.history)


def test_the_window_grows_and_then_moves():
    training = start(first_window=2, window=4)
    part = Examples(
        np.ones((5, 2, 6, 7), np.float32), np.ones((5, 7), np.float32) / 7, *np.zeros((3, 5)), np.arange(5), 1
    )
    widths = []
    for number in range(10):
        training.history = [{}] * number
        training.keep(part)
        widths.append(len(training.window))
    assert widths == [1, 2, 3, 3, 4, 4, 4, 4, 4, 4]
    assert training.window[0].planes.dtype == bool
    assert (len(join(training.window)), join(training.window).games) == (20, 4)


def test_the_schedules_are_straight_lines():
    training = start(iterations=11)
    seen = []
    for number in (0, 5, 10, 20):
        training.history = [{}] * number
        seen.append(training.between(3.0, 1.0))
    assert seen == [3.0, 2.0, 1.0, 1.0]


def test_the_average_follows_the_network():
    net = make_resnet(ConnectFour(), seed=0, blocks=1, channels=4)
    average, before = copy.deepcopy(net), copy.deepcopy(net)
    with torch.no_grad():
        for parameter in net.parameters():
            parameter.add_(1.0)
    net.stem[0][1].running_mean.fill_(2.0)
    update_average(average, net, keep=0.75)
    for ours, old in zip(average.parameters(), before.parameters(), strict=True):
        assert torch.allclose(ours, old + 0.25, atol=1e-6)
    assert torch.allclose(average.stem[0][1].running_mean, torch.full((4,), 0.5))


def test_a_folder_holds_the_agent_and_the_run_goes_on_there(tmp_path):
    first = train_in_folder(tmp_path, "connect_four", 0.0, 3, workers=0, **TINY)  # time is up after one iteration
    assert len(first.history) == 1
    longer = train_in_folder(tmp_path, "connect_four", 10.0, 3, workers=0, iterations=4)
    assert (len(longer.history), longer.config.iterations) == (4, 4)
    assert len(json.loads((tmp_path / "metrics.json").read_text())) == 4
    agent = load_network(tmp_path / "connect_four.pt", "connect_four")
    snapshot = load_network(tmp_path / "snapshots" / "0004.pt", "connect_four")
    assert same(list(agent.state_dict().values()), list(longer.average.state_dict().values()))
    assert same(list(agent.state_dict().values()), list(snapshot.state_dict().values()))


def test_states_of_other_kinds_are_refused(tmp_path):
    start().save(tmp_path / "batched.pt")
    Training.start(TicTacToe(), TrainingConfig(), 0).save(tmp_path / "single.pt")
    with pytest.raises(CheckpointError):
        BatchedTraining.resume(tmp_path / "single.pt")
    with pytest.raises(CheckpointError):
        Training.resume(tmp_path / "batched.pt")
    (tmp_path / "broken.pt").write_bytes(b"broken")
    with pytest.raises(CheckpointError):
        BatchedTraining.resume(tmp_path / "broken.pt")


def test_a_folder_goes_on_only_with_the_kind_of_run_that_it_holds(tmp_path):
    train_in_folder(tmp_path / "batched", "connect_four", 0.0, 3, workers=0, **TINY)
    train_in_folder(tmp_path / "single", "tictactoe", 0.0, 3, iterations=1, games=1, simulations=2, steps=1)
    with pytest.raises(ValueError, match="is a training run of connect_four in batches: choose another folder"):
        train_in_folder(tmp_path / "batched", "tictactoe", 0.0, 3)
    with pytest.raises(ValueError, match="is a training run of tictactoe: choose another folder"):
        train_in_folder(tmp_path / "single", "connect_four", 0.0, 3)
    with pytest.raises(ValueError, match="is a training run of tictactoe: choose another folder"):
        train_in_folder(tmp_path / "single", "tictactoe", 0.0, 3, batched=True)


def test_the_small_network_learns_tictactoe_in_seconds_and_then_never_loses():
    """The preset, cut short: one seed, a tenth of the run."""
    game = TicTacToe()
    training = BatchedTraining.start(game, replace(PRESETS["tictactoe"], iterations=14), seed=0)
    untrained = SearchAgent(game, TorchNetwork(copy.deepcopy(training.average)), simulations=0)
    assert sum(count_lines(game, untrained, side).losses for side in (1, -1)) > 100
    train_batched(training, workers=0)
    trained = SearchAgent(game, TorchNetwork(training.average), simulations=0)
    assert sum(count_lines(game, trained, side).losses for side in (1, -1)) == 0
