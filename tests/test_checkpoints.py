"""Checkpoints: bad files end in one clear sentence, and a full disk costs nothing."""

import copy
import os
import pickle
import zipfile
from pathlib import Path

import pytest
import torch

from course_utils import agents, mine, ui
from course_utils.agents import SearchAgent
from course_utils.agents.classical import AlphaBetaAgent
from course_utils.agents.uct import UctAgent
from course_utils.games import ConnectFour, TicTacToe, after
from course_utils.learning.config import TrainingConfig
from course_utils.learning.run import Run
from course_utils.networks import SearchSettings, checkpoint, settings_of
from course_utils.networks.cache import CachedNetwork
from course_utils.networks.checkpoint import CheckpointError, load_network, read, save_network
from course_utils.networks.fast import FoldedNetwork, fast_inference
from course_utils.networks.policy_value import TorchNetwork, make_network
from course_utils.networks.resnet import make_resnet
from course_utils.ui.players import at_strength

NET = make_network(TicTacToe(), seed=0)


def refused(path, sentence, game_name="tictactoe"):
    with pytest.raises(CheckpointError, match=sentence) as refusal:
        load_network(path, game_name)
    assert "\n" not in str(refusal.value)


def test_a_network_comes_back_as_it_went(tmp_path):
    save_network(tmp_path / "net.pt", NET, "tictactoe")
    back = load_network(tmp_path / "net.pt", "tictactoe")
    assert not back.training
    assert all(torch.equal(NET.state_dict()[key], value) for key, value in back.state_dict().items())


def test_half_the_size_and_nearly_the_same_numbers(tmp_path):
    for half in (False, True):
        save_network(tmp_path / f"{half}.pt", make_resnet(ConnectFour(), seed=0), "connect_four", half=half)
    whole, rounded = (load_network(tmp_path / f"{half}.pt", "connect_four").state_dict() for half in (False, True))
    assert (tmp_path / "True.pt").stat().st_size < 0.6 * (tmp_path / "False.pt").stat().st_size
    for name, value in whole.items():
        assert rounded[name].dtype == value.dtype
        torch.testing.assert_close(rounded[name], value, rtol=1e-3, atol=1e-6)


def test_a_damaged_file_is_refused(tmp_path):
    path = tmp_path / "net.pt"
    refused(path, "there is no checkpoint")
    save_network(path, NET, "tictactoe")
    whole = path.read_bytes()
    for content in (b"", b"hello", b"PK\x03\x04", whole[:100], whole[: len(whole) // 2], whole[:-10]):
        path.write_bytes(content)
        refused(path, "damaged or not a checkpoint")
    path.write_bytes(pickle.dumps(Path("net.pt"), protocol=2))  # not torch's
    refused(path, "damaged or not a checkpoint")


def test_what_the_system_does_not_let_us_read_is_not_called_damaged(tmp_path):
    refused(tmp_path, "can't be read: Is a directory$")
    if hasattr(os, "mkfifo"):
        os.mkfifo(tmp_path / "pipe")
        refused(tmp_path / "pipe", "can't be read: it is not a file$")


def nested():
    inner = []
    for _ in range(100_000):
        inner = [inner]
    return inner


ABSURD = {
    "one number that looks like a billion": {"weights": {"trunk.1.weight": torch.zeros(1).expand(10**9)}},
    "no plain array": {"weights": torch.zeros(3, 3).to_sparse()},
    "a billion units": {"config": {**NET.config, "hidden": 10**9}},
    "a board without an end": {"config": {**NET.config, "rows": 10**9, "columns": 10**9}},
    "many wide layers": {"architecture": "wide", "config": {**NET.config, "widths": [9_999] * 3}},
    "more blocks than weights": {"architecture": "resnet", "config": {**NET.config, "blocks": 9_000}},
    "a text for a number": {"settings": {"c_puct": "1.5"}},
    "no number": {"settings": {"c_puct": float("nan")}},
    "less than nothing": {"settings": {"c_puct": -1.0}},
    "a list for settings": {"settings": [1.5]},
    "a list for a name": {"architecture": ["wide"]},
    "an even kernel": {"architecture": "resnet", "config": {**NET.config, "kernel": 2}},
}
del ABSURD["many wide layers"]["config"]["hidden"], ABSURD["more blocks than weights"]["config"]["hidden"]


@pytest.mark.parametrize("change", ABSURD.values(), ids=ABSURD)
def test_what_is_absurd_in_a_checkpoint_is_refused_before_it_takes_memory(change, tmp_path):
    save_network(tmp_path / "net.pt", NET, "tictactoe")
    torch.save({**read(tmp_path / "net.pt"), **change}, tmp_path / "net.pt")
    refused(tmp_path / "net.pt", "does not fit|damaged or not a checkpoint")


def test_what_a_file_would_grow_to_or_how_large_it_is_is_asked_before_it_is_read(tmp_path):
    path = tmp_path / "net.pt"
    save_network(path, NET, "tictactoe")
    with zipfile.ZipFile(path, "a", zipfile.ZIP_DEFLATED) as file:
        file.writestr("archive/data/99", bytes(10**6))
    refused(path, "damaged or not a checkpoint")
    os.truncate(path, checkpoint.LARGEST + 1)
    refused(path, "is no checkpoint: it is larger than 4096 MB")


def test_a_checkpoint_that_is_nested_deeply_is_refused():
    with pytest.raises(RecursionError):  # which `read` takes for damage
        checkpoint.check_plain(nested(), set())


def test_what_is_no_checkpoint_of_this_course_is_refused(tmp_path):
    path = tmp_path / "net.pt"
    for other in ([1, 2], {"weights": {}}, {"version": 99}):
        torch.save(other, path)
        refused(path, "version")
    save_network(path, NET, "tictactoe")
    refused(path, "plays tictactoe; expected connect_four", "connect_four")
    data = read(path)
    changes = ({"architecture": "transformer"}, {"weights": {}}, {"config": {"hidden": 3}}, {"config": {"nonsense": 1}})
    for change in changes:
        torch.save({**data, **change}, path)
        refused(path, "does not fit")


def test_a_network_is_no_training_run_and_a_training_run_no_network(tmp_path):
    path = tmp_path / "net.pt"
    save_network(path, NET, "tictactoe")
    with pytest.raises(CheckpointError, match="no training run to resume"):
        Run.resume(path, ConnectFour())
    Run.start(ConnectFour(), TrainingConfig(), seed=0).save(path)
    refused(path, "plays connect_four; expected tictactoe")


class Trap:
    def __reduce__(self):
        return (os.mkdir, ("/tmp/should-never-be-made-by-a-checkpoint",))


def test_nothing_in_a_file_is_executed(tmp_path):
    torch.save({"version": checkpoint.VERSION, "game": Trap()}, tmp_path / "net.pt")
    refused(tmp_path / "net.pt", "damaged or not a checkpoint")
    assert not os.path.exists("/tmp/should-never-be-made-by-a-checkpoint")


def test_a_full_disk_leaves_the_old_file_as_it_was(tmp_path, monkeypatch):
    path = tmp_path / "net.pt"
    save_network(path, NET, "tictactoe")
    before = path.read_bytes()

    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "replace", full)
    with pytest.raises(OSError, match="No space left"):
        save_network(path, make_network(TicTacToe(), seed=1), "tictactoe")
    assert path.read_bytes() == before
    assert [path.name for path in tmp_path.iterdir()] == ["net.pt"]


# --- search settings -------------------------------------------------------------------------------------------------


def test_search_settings_travel_with_the_network(tmp_path):
    net = make_resnet(ConnectFour(), seed=0, blocks=1, channels=8)
    assert settings_of(net) == SearchSettings()
    net.settings = SearchSettings(c_puct=2.25)
    save_network(tmp_path / "net.pt", net, "connect_four")
    back = load_network(tmp_path / "net.pt", "connect_four")
    for network in (
        back,
        copy.deepcopy(back),
        TorchNetwork(back),
        FoldedNetwork(back),
        fast_inference(back),
        CachedNetwork(FoldedNetwork(back)),
    ):
        assert settings_of(network).c_puct == SearchAgent(ConnectFour(), network, 10).c_puct == 2.25
    assert SearchAgent(ConnectFour(), TorchNetwork(back), 10, 0.5).c_puct == 0.5, "what the caller says goes first"
    small = make_network(TicTacToe(), seed=0)
    small.settings = back.settings
    assert settings_of(fast_inference(small)).c_puct == 2.25
    assert settings_of(lambda planes: None) == SearchSettings()


def test_a_file_from_before_there_were_settings_gets_the_default(tmp_path):
    save_network(tmp_path / "net.pt", NET, "tictactoe")
    data = read(tmp_path / "net.pt")
    del data["settings"]
    torch.save(data, tmp_path / "net.pt")
    assert settings_of(load_network(tmp_path / "net.pt", "tictactoe")) == SearchSettings()
    torch.save({**data, "settings": {"depth": 3}}, tmp_path / "net.pt")
    refused(tmp_path / "net.pt", "does not fit")


def test_a_network_of_another_board_is_refused_by_files_and_agents_in_one_sentence(tmp_path):
    net = make_network(ConnectFour(), 0)
    sentence = (
        r"not made for the board of tictactoe \(it has rows=6, columns=7, num_actions=7 instead of rows=3, columns=3, "
        r"num_actions=9\): give a network and a game that belong together"
    )
    save_network(tmp_path / "net.pt", net, "tictactoe")  # what a file calls its game is but a word
    refused(tmp_path / "net.pt", sentence)
    for network in (TorchNetwork(net), CachedNetwork(TorchNetwork(net))):
        with pytest.raises(ValueError, match=sentence):
            agents.SearchAgent(TicTacToe(), network, 5)
        agents.SearchAgent(ConnectFour(), network, 5)
    agents.SearchAgent(TicTacToe(), lambda planes: None, 5)  # one that does not say for which board it is


@pytest.mark.parametrize(
    ("make", "sentence"),
    [
        (lambda: agents.load("tictactoe", simulations="x"), "simulations is a whole number of 0 or more, not 'x'"),
        (lambda: agents.load("tictactoe", simulations=-1), "simulations is a whole number of 0 or more, not -1"),
        (lambda: agents.load("tictactoe", c_puct=float("nan")), "c_puct is a number of 0 or more, not nan"),
        (lambda: agents.load("tictactoe", seconds="soon"), "seconds is a number of 0 or more, not 'soon'"),
        (lambda: agents.load("tictactoe").at_strength(2.5), "simulations is a whole number of 0 or more, not 2.5"),
        (lambda: agents.load(3), "a game is called by its name, such as 'tictactoe', not 3"),
        (lambda: mine.agent("tictactoe", "x", quiet=True), "simulations is a whole number of 0 or more, not 'x'"),
        (lambda: UctAgent(TicTacToe(), "x", None), "simulations is a whole number of 1 or more, not 'x'"),
        (lambda: AlphaBetaAgent(TicTacToe(), 2.5), "depth is a whole number of 1 or more, not 2.5"),
        (lambda: ui.play("tictactoe", simulations="x"), "simulations is a whole number of 0 or more, not 'x'"),
        (lambda: ui.microscope("tictactoe", simulations=0), "simulations is a whole number of 1 or more, not 0"),
    ],
)
def test_a_strength_that_no_agent_can_have_is_refused_in_one_sentence(make, sentence, tmp_path, monkeypatch):
    monkeypatch.setenv("COURSE_RECORD", str(tmp_path))  # without answers
    with pytest.raises(ValueError, match=f"^{sentence}$"):
        make()


@pytest.mark.parametrize(("name", "c_puct"), [("tictactoe", 1.5), ("connect_four", 1.25)])
def test_the_shipped_network_is_searched_with_its_own_settings_whoever_searches(name, c_puct, monkeypatch, tmp_path):
    monkeypatch.setenv("COURSE_RECORD", str(tmp_path))  # without answers
    ours, yours = agents.load(name), mine.agent(name, quiet=True)
    assert ours.c_puct == yours.c_puct == at_strength(ours, 7).c_puct == agents.card(name)["c_puct"] == c_puct
    state = after(ours.game, [3, 2, 4])
    assert ours.policy(state).tolist() == yours.policy(state).tolist()
