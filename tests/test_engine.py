"""The engine resumes exactly, does the same with all workers, and trains as `train_alphazero` does with its config."""

import copy
import json
from dataclasses import replace
from itertools import product

import numpy as np
import pytest
import torch

from course_utils.agents.search import SearchAgent
from course_utils.exercise import LEARNERS, adopt
from course_utils.games import ConnectFour, ConnectN, TicTacToe
from course_utils.learning import run as run_module
from course_utils.learning import workers
from course_utils.learning.arena import count_lines, gate, random_openings
from course_utils.learning.config import EngineConfig, TrainingConfig, config_for
from course_utils.learning.engine import train, update_average
from course_utils.learning.examples import COLUMNS, Examples
from course_utils.learning.folder import train_in_folder
from course_utils.learning.run import Run
from course_utils.learning.self_play import self_play_game
from course_utils.learning.training import train_alphazero, train_step
from course_utils.networks.checkpoint import CheckpointError, load_network
from course_utils.networks.policy_value import TorchNetwork
from course_utils.networks.resnet import make_resnet

TINY = dict(
    iterations=3, network="resnet", blocks=1, channels=4, policy_filters=1, value_filters=1,
    games=6, first_simulations=2, simulations=4, steps=2, batch=8,
)  # fmt: skip


def start(**changes) -> Run:
    game = ConnectFour()
    return Run.start(game, config_for(game, **{**TINY, **changes}), seed=3)


def weights(run: Run) -> list:
    return [tensor.clone() for net in (run.latest, run.network) for tensor in net.state_dict().values()]


def same(ours: list, theirs: list) -> bool:
    return all(torch.equal(a, b) for a, b in zip(ours, theirs, strict=True))


def without_times(history: list[dict]) -> list[dict]:
    return [{key: value for key, value in entry.items() if "seconds" not in key} for entry in history]


@pytest.fixture(scope="module")
def whole() -> Run:
    run = start()
    train(run, workers=0)
    return run


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


@pytest.mark.parametrize("game", [TicTacToe(), ConnectN(3, 4, 3)], ids=lambda game: game.name)
def test_with_the_default_player_and_promotion_the_engine_is_the_page(game):
    config = TrainingConfig(iterations=2, games=3, simulations=4, steps=3, batch=16)
    page, same_run = (Run.start(game, config, seed=1) for _ in range(2))
    train_alphazero(page)
    train(same_run)
    assert same(weights(same_run), weights(page))
    assert without_times(same_run.history) == without_times(page.history)
    assert same_run.rng.bit_generator.state == page.rng.bit_generator.state


def page_with_a_gate(run):
    """`train_alphazero`, and the match that AlphaGo Zero's latest network had to win."""
    config, rng = run.config, run.rng
    while len(run.history) < config.iterations:
        run.begin_iteration()
        games = [
            self_play_game(run.game, TorchNetwork(run.network), rng, **run.settings()) for _ in range(config.games)
        ]
        for examples in games:
            run.buffer.add(examples, run.game)
        batches = (run.buffer.sample(config.batch, rng) for _ in range(config.steps))
        losses = [train_step(run.latest, run.optimizer, *batch) for batch in batches]
        candidate, champion = (run.agent(net, config.gate_simulations) for net in (run.latest, run.network))
        openings = random_openings(run.game, config.gate_openings, config.gate_plies, rng)
        accepted, score = gate(run.game, candidate, champion, openings, config.gate_threshold)
        if accepted:
            run.network.load_state_dict(run.latest.state_dict())
        run.log(games, losses, accepted, score)


@pytest.mark.parametrize("threshold", [0, 0.5, 1])
def test_with_a_gate_the_engine_is_the_page_and_a_match_after_each_iteration(threshold):
    config = EngineConfig(
        iterations=3,
        games=3,
        simulations=4,
        steps=3,
        batch=16,
        promotion="gate",
        gate_openings=2,
        gate_threshold=threshold,
    )
    page, same_run = (Run.start(TicTacToe(), config, seed=1) for _ in range(2))
    page_with_a_gate(page)
    train(same_run)
    assert same(weights(same_run), weights(page))
    assert without_times(same_run.history) == without_times(page.history)
    assert same_run.rng.bit_generator.state == page.rng.bit_generator.state


@pytest.mark.parametrize(("lockstep", "promotion"), product((False, True), ("latest", "average", "gate")))
def test_every_player_goes_with_every_promotion_and_resumes_exactly(lockstep, promotion, tmp_path):
    ways = dict(lockstep=lockstep, promotion=promotion, network="mlp", gate_openings=3)
    runs = [start(**ways) for _ in range(2)]
    train(runs[0], workers=0)
    train(runs[1], lambda run: run.save(tmp_path / "state.pt") or len(run.history) == 2, workers=0)
    resumed = Run.resume(tmp_path / "state.pt", ConnectFour())
    train(resumed, workers=0)
    assert same(weights(resumed), weights(runs[0]))
    assert without_times(resumed.history) == without_times(runs[0].history)
    assert all((entry["gate"] is None) == (promotion != "gate") for entry in resumed.history)
    assert not same(weights(resumed), weights(start(**ways)))


def test_self_play_gets_every_setting_that_it_knows(monkeypatch):
    changed = dict(c_puct=9.0, exploratory_plies=1, noise_alpha=0.2, noise_fraction=0.3, opening_share=0.4)
    changed |= dict(opening_plies=5, blunder_margin=0.6, root_share=0.7, search="gumbel", value_weight=0.8)
    seen, play = [], workers.batched_self_play
    monkeypatch.setattr(workers, "batched_self_play", lambda *args, **given: seen.append(given) or play(*args, **given))
    run = start(parts=2, iterations=1, **changed)
    train(run, workers=0)
    assert seen == [{**changed, "simulations": 2, "lockstep": 3}] * 2
    for name in ("c_puct", "exploratory_plies", "noise_alpha", "noise_fraction"):
        assert run.settings()[name] == changed[name]


def test_symmetries_are_drawn_for_each_batch_or_stored_or_neither(monkeypatch):
    asked, draw = [], run_module.random_symmetries
    monkeypatch.setattr(run_module, "random_symmetries", lambda *args: asked.append(1) or draw(*args))
    for symmetries, calls, forms in (("none", 0, 1), ("random", 4, 1), ("all", 4, 2)):
        run = start(symmetries=symmetries)
        train(run, workers=0)
        assert len(asked) == calls
        assert len(run.buffer) == forms * sum(entry["examples"] for entry in run.history)


def test_it_resumes_exactly(whole, tmp_path):
    path = tmp_path / "state.pt"
    run = start()
    train(run, lambda run: run.save(path) or len(run.history) == 2, workers=0)
    assert len(run.history) == 2
    resumed = Run.resume(path, ConnectFour())
    for name in COLUMNS:
        ours, theirs = (getattr(one.buffer.examples, name) for one in (resumed, run))
        assert ours.dtype == theirs.dtype and np.array_equal(ours, theirs)
    train(resumed, workers=0)
    assert same(weights(resumed), weights(whole))
    assert without_times(resumed.history) == without_times(whole.history)


def test_another_process_plays_the_same_games(whole):
    run = start()
    train(run, workers=1)
    assert same(weights(run), weights(whole))
    assert without_times(run.history) == without_times(whole.history)


def test_another_process_plays_by_the_learners_functions(monkeypatch):
    """An answer that carries no value up: the searches differ from ours, and in the same way with all workers."""
    lazy = "def batched_backup(tree, leaves, values):\n    tree.N[:, 0] += tree.legal[:, 0] / len(tree.legal[0])\n"
    monkeypatch.setattr(LEARNERS, "learners", False)
    ours = start(iterations=1)
    train(ours, workers=0)
    adopt({"batched_backup": lazy})
    runs = [start(iterations=1) for _ in range(2)]
    for count, run in enumerate(runs):
        monkeypatch.setattr("course_utils.learning.workers.sources_in_force", lambda: {"batched_backup": lazy})
        train(run, workers=count)
    policies = [run.buffer.examples.policy for run in (*runs, ours)]
    assert np.array_equal(policies[0], policies[1])
    assert not np.array_equal(policies[0], policies[2])


def test_a_game_that_has_no_name_in_the_package_is_played_by_other_processes_too(tmp_path):
    game = ConnectN(3, 4, 3)
    config = EngineConfig(iterations=2, games=4, simulations=3, lockstep=True, promotion="average", steps=2, batch=8)
    runs = [Run.start(game, config, seed=0) for _ in range(2)]
    for count, run in enumerate(runs):
        train(run, lambda run: run.save(tmp_path / "state.pt"), workers=count)
    assert same(weights(runs[0]), weights(runs[1]))
    assert same(weights(Run.resume(tmp_path / "state.pt", game)), weights(runs[1]))


def test_the_window_grows_and_then_moves():
    run = start(first_window=2, window=4)
    widths = []
    for number in range(10):
        planes, policy = np.ones((number + 1, 2, 6, 7), bool), np.ones((number + 1, 7), np.float32) / 7
        run.keep([Examples(planes, policy, *np.full((2, number + 1), number), np.arange(number + 1))])
        run.history.append(dict(examples=number + 1))
        widths.append(len(np.unique(run.buffer.examples.value)))
    assert widths == [1, 2, 3, 3, 4, 4, 4, 4, 4, 4]
    assert len(run.buffer) == 7 + 8 + 9 + 10
    assert run.buffer.examples.planes.dtype == bool


def test_the_schedules_are_straight_lines():
    run = start(iterations=11)
    seen = []
    for number in (0, 5, 10, 20):
        run.history = [{}] * number
        seen.append(run.between(3.0, 1.0))
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
    game = ConnectFour()
    first = train_in_folder(tmp_path, game, 0.0, 3, workers=0, **TINY)  # time is up after one iteration
    assert len(first.history) == 1
    longer = train_in_folder(tmp_path, game, 10.0, 3, workers=0, iterations=4)
    assert (len(longer.history), longer.config.iterations) == (4, 4)
    assert len(json.loads((tmp_path / "metrics.json").read_text())) == 4
    agent = load_network(tmp_path / "connect_four.pt", "connect_four")
    snapshot = load_network(tmp_path / "snapshots" / "0004.pt", "connect_four")
    assert same(list(agent.state_dict().values()), list(longer.network.state_dict().values()))
    assert same(list(agent.state_dict().values()), list(snapshot.state_dict().values()))
    assert agent.settings.c_puct == longer.config.c_puct == 1.25


def test_a_folder_goes_on_only_with_the_run_that_it_holds(tmp_path):
    train_in_folder(tmp_path / "four", ConnectFour(), 0.0, 3, workers=0, **TINY)
    train_in_folder(tmp_path / "single", TicTacToe(), 0.0, 3, iterations=1, games=1, simulations=2, steps=1)
    with pytest.raises(CheckpointError, match=r"state\.pt is a training run of connect_four; expected tictactoe"):
        train_in_folder(tmp_path / "four", TicTacToe(), 0.0, 3)
    with pytest.raises(ValueError, match="is a training run of tictactoe, one game at a time: choose another folder"):
        train_in_folder(tmp_path / "single", TicTacToe(), 0.0, 3, lockstep=True)
    (tmp_path / "broken").mkdir()
    (tmp_path / "broken" / "state.pt").write_bytes(b"broken")
    with pytest.raises(CheckpointError):
        train_in_folder(tmp_path / "broken", TicTacToe(), 0.0, 3)


def test_a_games_own_settings_are_the_configs_and_may_be_changed():
    assert config_for(TicTacToe()) == EngineConfig()
    for game in (TicTacToe(), ConnectFour()):
        config = config_for(game, lockstep=True, iterations=7)
        assert (config.lockstep, config.promotion, config.iterations) == (True, "average", 7)
        assert replace(config, iterations=60).opening_share > 0.5


def test_the_small_network_learns_tictactoe_in_seconds_and_then_never_loses():
    """The game's own settings, cut short: one seed, a tenth of the run."""
    game = TicTacToe()
    run = Run.start(game, config_for(game, lockstep=True, iterations=14), seed=0)
    untrained = SearchAgent(game, TorchNetwork(copy.deepcopy(run.network)), simulations=0)
    assert sum(count_lines(game, untrained, side).losses for side in (1, -1)) > 100
    train(run, workers=0)
    trained = SearchAgent(game, TorchNetwork(run.network), simulations=0)
    assert sum(count_lines(game, trained, side).losses for side in (1, -1)) == 0
