"""The training loop: a saved run goes on as if it had never stopped, and an interrupted one keeps its state."""

import inspect
import math
import re
from dataclasses import fields, replace
from pathlib import Path
from typing import get_args

import numpy as np
import pytest
import torch

from course_utils.agents import SearchAgent
from course_utils.games import ConnectFour, TicTacToe
from course_utils.learning.config import EngineConfig, TrainingConfig, config_for, engine_config
from course_utils.learning.engine import train
from course_utils.learning.examples import COLUMNS
from course_utils.learning.folder import train_in_folder
from course_utils.learning.run import Run
from course_utils.learning.training import train_alphazero, train_step
from course_utils.learning.workers import hire
from course_utils.networks.checkpoint import CheckpointError, load_network, save_network
from course_utils.networks.fast import fast_inference
from course_utils.paths import SOURCES

TINY = TrainingConfig(iterations=4, games=2, simulations=4, steps=3, batch=16)


def weights(run: Run) -> list[float]:
    nets = (run.network, run.latest)
    return torch.cat([parameter.detach().flatten() for net in nets for parameter in net.parameters()]).tolist()


def story(run: Run) -> list[dict]:
    """The history without the clock."""
    return [{key: value for key, value in entry.items() if "seconds" not in key} for entry in run.history]


def test_a_resumed_run_is_the_uninterrupted_one(tmp_path):
    whole = Run.start(TicTacToe(), TINY, seed=3)
    train_alphazero(whole)

    part = Run.start(TicTacToe(), TINY, seed=3)
    train_alphazero(part, lambda run: len(run.history) == 2)
    part.save(tmp_path / "state.pt")
    resumed = Run.resume(tmp_path / "state.pt", TicTacToe())
    assert resumed.config == engine_config(TINY)
    train_alphazero(resumed)

    assert story(resumed) == story(whole)
    assert weights(resumed) == weights(whole)
    assert resumed.rng.bit_generator.state == whole.rng.bit_generator.state
    for name in COLUMNS:
        assert np.array_equal(getattr(resumed.buffer.examples, name), getattr(whole.buffer.examples, name))


def test_a_run_can_be_saved_before_its_first_iteration(tmp_path):
    run = Run.start(TicTacToe(), TINY, seed=0)
    run.save(tmp_path / "state.pt")
    resumed = Run.resume(tmp_path / "state.pt", TicTacToe())
    train_alphazero(run)
    train_alphazero(resumed)
    assert weights(run) == weights(resumed)


def test_the_same_seed_gives_the_same_run_and_another_seed_another():
    runs = [Run.start(TicTacToe(), TINY, seed) for seed in (5, 5, 6)]
    for run in runs:
        train_alphazero(run)
    assert weights(runs[0]) == weights(runs[1]) != weights(runs[2])


def test_the_history_adds_up():
    run = Run.start(TicTacToe(), TINY, seed=0)
    train_alphazero(run)
    assert [entry["iteration"] for entry in run.history] == [1, 2, 3, 4]
    for entry in run.history:
        assert entry["first_wins"] + entry["draws"] + entry["second_wins"] == entry["games"] == 2
        assert entry["gate"] is None
        assert sum(entry["start_policy"]) == pytest.approx(1)


def test_an_interrupted_run_keeps_what_it_has_and_goes_on(tmp_path, monkeypatch, capsys):
    settings = dict(iterations=3, games=2, simulations=4, steps=3, batch=16)
    log = Run.log

    def interrupted(self, *args, **kwargs):
        if len(self.history) == 1:
            raise KeyboardInterrupt
        log(self, *args, **kwargs)

    with monkeypatch.context() as patch:
        patch.setattr(Run, "log", interrupted)
        train_in_folder(tmp_path, TicTacToe(), 5, 0, **settings)
    assert "goes on from iteration 2" in capsys.readouterr().out
    assert len(Run.resume(tmp_path / "state.pt", TicTacToe()).history) == 1

    assert len(train_in_folder(tmp_path, TicTacToe(), 5, 0).history) == 3
    assert {path.name for path in tmp_path.iterdir()} == {
        "state.pt",
        "metrics.json",
        "tictactoe.pt",
        "snapshots",
        "run.lock",
    }
    with pytest.raises(ValueError, match=r"state\.pt"):
        train_in_folder(tmp_path, ConnectFour(), 5, 0)


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (dict(promotion="averaged"), "promotion is one of latest, average, gate, not averaged"),
        (dict(network="resnt"), "network is one of mlp, resnet, wide, not resnt"),
        (dict(symmetries="al"), "symmetries is one of all, random, none, not al"),
        (dict(search="gumble", lockstep=True), "search is one of puct, gumbel, not gumble"),
        (dict(optimizer="adagrad"), "optimizer is one of adamw, adam, sgd, not adagrad"),
        (dict(network="resnet", kernel=2), "kernel is 1, 3, 5 or another odd number"),
        *((dict(kernel=kernel), f"kernel is a whole number from 1 to 19, not {kernel!r}") for kernel in (0, -1, "3")),
        (dict(games=1, parts=2), "games=1 is less than parts=2: a part is a game at least"),
    ],
)
def test_a_setting_that_is_none_is_refused_before_anything_is_trained(change, sentence):
    with pytest.raises(ValueError, match=sentence):
        Run.start(TicTacToe(), EngineConfig(**change), seed=0)


class Unspeakable:
    def __repr__(self):
        raise RuntimeError


NUMBERS = [
    one for one in fields(EngineConfig) if {int, float} & {one.type, *get_args(one.type)} and one.name != "widths"
]


@pytest.mark.parametrize("setting", NUMBERS, ids=lambda setting: setting.name)
def test_what_is_no_number_that_a_setting_can_have_is_refused_by_its_name(setting):
    for value in ("x", math.nan, math.inf, -1, True, [1], 1 + 1j, np.zeros(2), Unspeakable()):
        with pytest.raises(ValueError, match=f"^{setting.name} is a (whole )?number (of|from) "):
            EngineConfig(**{setting.name: value})
    for kind in (TrainingConfig, EngineConfig) if setting.name in TrainingConfig.__annotations__ else [EngineConfig]:
        assert getattr(kind(**{setting.name: setting.default}), setting.name) == setting.default


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (dict(games=2.5), "games is a whole number of 1 or more, not 2.5"),
        (dict(noise_fraction=1.5), "noise_fraction is a number from 0 to 1, not 1.5"),
        (dict(lockstep="yes"), "lockstep is True or False, not 'yes'"),
        (dict(widths=()), "widths are whole numbers"),
        (dict(widths=(8, 0)), "each of widths is a whole number from 1 to 10,000, not 0"),
        (dict(network=[]), r"network is one of mlp, resnet, wide, not \[\]"),
        (dict(noise_fraction=10**5000), "noise_fraction is a number from 0 to 1, not this int"),
    ],
)
def test_a_setting_of_another_kind_is_refused_with_what_it_may_be(change, sentence):
    with pytest.raises(ValueError, match=sentence):
        EngineConfig(**change)


def test_numbers_of_numpy_are_settings_and_come_back_from_the_disk(tmp_path):
    config = EngineConfig(games=np.int64(2), c_puct=np.float32(0.5), widths=[np.int32(4)], iterations=np.uint8(1))
    assert [type(value) for value in (config.games, config.c_puct, *config.widths)] == [int, float, int]
    Run.start(TicTacToe(), config, seed=np.int64(3)).save(tmp_path / "state.pt")
    assert Run.resume(tmp_path / "state.pt", TicTacToe()).config == config


@pytest.mark.parametrize("seed", [-1, "x", 1.5, 2**63])
def test_a_seed_that_is_none_is_refused(seed):
    with pytest.raises(ValueError, match=r"^seed is a whole number from 0 to"):
        Run.start(TicTacToe(), TINY, seed=seed)


@pytest.mark.parametrize(
    ("make", "sentence"),
    [
        (lambda: Run.start("tictactoe", TINY, 0), r"game is an object, such as make_game\('tictactoe'\) makes"),
        (lambda: Run.start(TicTacToe(), dict(games=2), 0), r"config is a TrainingConfig, such as .*, not {'games': 2}"),
        (lambda: SearchAgent("tictactoe", None, 5), "game is an object, such as .*, not 'tictactoe'"),
        (lambda: train_in_folder(Path("/nowhere"), TicTacToe(), "5", 0), "minutes is a number of 0 or more, not '5'"),
        (lambda: train_in_folder(Path("/nowhere"), TicTacToe(), math.nan, 0), "minutes is a number .*, not nan"),
        (lambda: hire(2.5), "workers are a number of processes or ray, not 2.5"),
        (lambda: hire(True), "workers are a number of processes or ray, not True"),
    ],
)
def test_what_is_of_another_type_is_refused_before_anything_is_trained(make, sentence):
    with pytest.raises(ValueError, match=f"^{sentence}"):
        make()


def test_a_state_that_does_not_fit_is_refused_in_one_sentence(tmp_path):
    path = tmp_path / "state.pt"
    Run.start(TicTacToe(), TINY, seed=0).save(path)
    data = torch.load(path, weights_only=True)
    for change in ({"training": {"lerning_rate": 1}}, {"network": {}}, {"buffer": {"planes": 1}}, {"rng": {}}):
        torch.save({**data, **change}, path)
        with pytest.raises(CheckpointError, match="does not fit"):
            Run.resume(path, TicTacToe())


@pytest.mark.parametrize("optimizer", ["adamw", "adam", "sgd"])
def test_each_optimizer_learns_and_a_resumed_run_goes_on_with_its_momentum(optimizer, tmp_path):
    config = replace(engine_config(TINY), optimizer=optimizer, iterations=2, learning_rate=1e-2)
    whole, halved = (Run.start(TicTacToe(), config, seed=0) for _ in range(2))
    train_alphazero(whole)
    train_alphazero(halved, lambda run: True)
    halved.save(tmp_path / "state.pt")
    resumed = Run.resume(tmp_path / "state.pt", TicTacToe())
    train_alphazero(resumed)
    assert type(resumed.optimizer).__name__.lower() == optimizer
    for name, tensor in whole.latest.state_dict().items():
        assert torch.equal(tensor, resumed.latest.state_dict()[name])
    batch = whole.sample()
    losses = [train_step(whole.latest, whole.optimizer, *batch)["policy"] for _ in range(30)]
    assert losses[-1] < losses[0]


def test_gradient_descent_with_momentum_is_the_textbooks():
    """v <- 0.9 v + gradient + weight_decay * w; w <- w - lr * v, by hand."""
    config = replace(engine_config(TINY), optimizer="sgd", learning_rate=0.1, weight_decay=0.01)
    run = Run.start(TicTacToe(), config, seed=0)
    weight = run.latest.value_head.weight
    w, v = weight.detach().clone(), 0.0
    for gradient in (1.0, -0.5, 0.25):
        run.optimizer.zero_grad()
        weight.grad = torch.full_like(weight, gradient)
        run.optimizer.step()
        v = 0.9 * v + gradient + 0.01 * w
        w = w - 0.1 * v
        torch.testing.assert_close(weight.detach(), w)


def test_a_run_from_before_there_was_a_choice_goes_on_as_it_began(tmp_path):
    path, game = tmp_path / "state.pt", ConnectFour()
    config = EngineConfig(network="resnet", blocks=1, channels=4, lockstep=True, promotion="average")
    run = Run.start(game, config, seed=0)
    run.save(path)
    data = torch.load(path, weights_only=True)
    for name in ("optimizer", "kernel"):
        del data["training"][name]
    torch.save(data, path)
    again = Run.resume(path, game)
    assert again.config == config and isinstance(again.optimizer, torch.optim.AdamW)
    save_network(tmp_path / "net.pt", run.network, game.name)
    old = torch.load(tmp_path / "net.pt", weights_only=True)
    del old["config"]["kernel"]
    torch.save(old, tmp_path / "net.pt")
    assert load_network(tmp_path / "net.pt", game.name).config == run.network.config


@pytest.mark.parametrize("kernel", [1, 3, 5])
def test_the_kernel_is_how_far_a_convolution_looks_and_travels_with_the_network(kernel, tmp_path):
    """Without blocks the stem alone looks: what a cell says depends on the cells of its window, and on no other."""
    game = ConnectFour()
    run = Run.start(game, config_for(game, network="resnet", blocks=0, channels=3, kernel=kernel), seed=0)
    net = run.network
    planes = torch.zeros(1, 2, 6, 7, requires_grad=True)
    net.stem[0](planes)[0, :, 2, 3].sum().backward()
    seen = planes.grad.abs().sum(dim=(0, 1)) > 0
    window = torch.zeros(6, 7, dtype=bool)
    window[max(0, 2 - kernel // 2) : 3 + kernel // 2, 3 - kernel // 2 : 4 + kernel // 2] = True
    assert torch.equal(seen, window)
    assert net.stem[0][0].weight.shape[-2:] == (kernel, kernel)
    save_network(tmp_path / "net.pt", net, game.name)
    back, random = load_network(tmp_path / "net.pt", game.name), torch.rand(4, 2, 6, 7)
    for one, other in zip(net(random), back(random), strict=True):
        assert torch.equal(one, other)
    value, _ = fast_inference(back)(random.numpy())
    assert np.allclose(value, back(random)[0].detach().numpy(), atol=0.05)  # bfloat16, on some machines


def test_a_config_shows_one_setting_a_line_and_of_the_engines_what_differs_from_the_default():
    assert repr(TrainingConfig()).count("\n") == 1 + len(fields(TrainingConfig)) == 13
    config = EngineConfig(iterations=8, lockstep=True, value_weight=2.0)
    assert eval(repr(config)) == config
    assert repr(config).endswith("    weight_decay=0.0001,\n    lockstep=True,\n    value_weight=2.0,\n)")


def test_the_training_loop_explains_every_setting_of_its_config():
    text, names = next(SOURCES.glob("05_*.md")).read_text("utf-8"), [one.name for one in fields(TrainingConfig)]
    table = re.findall(r"^\| .*`.* \|$", text, re.MULTILINE)
    first_cells = " ".join(row.split("|")[1] for row in table)
    assert [name for name in re.findall(r"`(\w+)`", first_cells) if name in names] == names


def test_the_code_explains_every_setting_that_the_engine_adds():
    added = [one.name for one in fields(EngineConfig) if one.name not in TrainingConfig.__annotations__]
    assert re.findall(r"^    (\w+): .* = .*  # \w", inspect.getsource(EngineConfig), re.MULTILINE) == added


# What `state.pt` holds of a config in version 1.
VERSION_1 = dict(
    iterations=2, games=8, simulations=4, c_puct=1.25, exploratory_plies=6, noise_alpha=1.0, noise_fraction=0.25,
    buffer=40000, steps=3, batch=512, learning_rate=0.007, weight_decay=0.1, gate_openings=40, gate_plies=2,
    gate_simulations=0, gate_threshold=0.5, network="wide", blocks=3, channels=64, policy_filters=8, value_filters=4,
    kernel=3, widths=(16, 16, 8), lines=True, mirror=False, lockstep=True, parts=2, search="puct", first_simulations=4,
    opening_share=0.9, opening_plies=16, blunder_margin=0.1, root_share=0.0, window=40, first_window=3,
    symmetries="random", policy_power=1.0, value_weight=0.2, optimizer="adamw", last_learning_rate=0.0004,
    promotion="average", average=0.999,
)  # fmt: skip


def test_a_run_saved_by_version_1_goes_on(tmp_path):
    settings = VERSION_1
    run = Run.start(ConnectFour(), EngineConfig(**settings), seed=0)
    run.save(tmp_path / "state.pt")
    data = torch.load(tmp_path / "state.pt", weights_only=True)
    torch.save({**data, "training": settings}, tmp_path / "state.pt")
    again = Run.resume(tmp_path / "state.pt", ConnectFour())
    assert {name: getattr(again.config, name) for name in settings} == settings
    again.config, run.config = (replace(one.config, iterations=1, games=2) for one in (again, run))
    for one in (again, run):
        train(one, workers=0)
    assert len(again.history) == 1 and weights(again) == weights(run)


def test_a_config_of_the_main_road_is_converted_where_a_run_gets_it(tmp_path):
    run = Run.start(TicTacToe(), TINY, seed=0)
    assert type(run.config) is EngineConfig and run.config == engine_config(TINY)
    run.config = TrainingConfig(iterations=30)
    assert run.config == EngineConfig(iterations=30)
    run.save(tmp_path / "state.pt")
    assert Run.resume(tmp_path / "state.pt", TicTacToe()).config == run.config
