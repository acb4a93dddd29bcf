"""A run in a folder goes on as if nothing had happened after SIGKILL, Ctrl-C, a full disk or a read-only folder."""

import argparse
import errno
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from concurrent.futures.process import BrokenProcessPool
from pathlib import Path

import numpy as np
import pytest
import torch

from course_utils import __main__ as bootstrap
from course_utils import command_line
from course_utils.agents import SearchAgent
from course_utils.commands import ENDING
from course_utils.files import write_atomically
from course_utils.games import ConnectN, TicTacToe
from course_utils.learning import engine, workers
from course_utils.learning.arena import count_lines
from course_utils.learning.folder import CannotGoOn, alone_in, train_in_folder
from course_utils.learning.run import Run
from course_utils.networks.checkpoint import CheckpointError, load_network
from course_utils.networks.policy_value import TorchNetwork
from course_utils.paths import COURSE

TINY = dict(iterations=6, games=8, simulations=4, steps=4, batch=32, first_window=6)
KILLS = 3


def train(out: Path, **changes) -> Run:
    return train_in_folder(out, TicTacToe(), 5, 3, lockstep=True, workers=0, **TINY | changes)


def lines_of(run: Run) -> list[dict]:
    return [{key: value for key, value in entry.items() if "seconds" not in key} for entry in run.history]


def same(ours: Run, theirs: Run) -> bool:
    """Whether two runs are equal, bit for bit: networks, optimizer, examples, generator, history."""
    parts = [
        (run.network.state_dict(), run.latest.state_dict(), run.optimizer.state_dict()["state"])
        for run in (ours, theirs)
    ]
    tensors = [leaves(value) for value in parts]
    return (
        all(torch.equal(*map(torch.as_tensor, pair)) for pair in zip(*tensors, strict=True))
        and np.array_equal(ours.buffer.examples.policy, theirs.buffer.examples.policy)
        and ours.rng.bit_generator.state == theirs.rng.bit_generator.state
        and lines_of(ours) == lines_of(theirs)
    )


def leaves(value) -> list:
    """What is neither a list nor a dictionary in it."""
    if not isinstance(value, dict | list | tuple):
        return [value]
    return [leaf for item in (value.values() if isinstance(value, dict) else value) for leaf in leaves(item)]


# --- a process that is killed ----------------------------------------------------------------------------------------


def in_a_child(out: Path, noted: Path, kill_at: float) -> tuple[int, int]:
    """Train in a fork, which is SIGKILLed at so many function calls. Returns (the signal, calls)."""
    if child := os.fork():
        _, status = os.waitpid(child, 0)
        return os.waitstatus_to_exitcode(status), int(Path(f"{noted}.calls").read_text() or 0) if not status else 0
    calls, log = 0, Run.log

    def count(*_):
        nonlocal calls
        calls += 1
        if calls >= kill_at:
            os.kill(os.getpid(), signal.SIGKILL)

    def noting(run, *given, **more):
        log(run, *given, **more)
        noted.write_text(str(len(run.history)))  # before it is saved

    Run.log = noting
    sys.setprofile(count)
    train(out)
    sys.setprofile(None)
    Path(f"{noted}.calls").write_text(str(calls))
    os._exit(0)


def kill_and_resume(folder: Path) -> None:
    """For a process that has not learned anything itself, so that its forks can."""
    torch.set_num_threads(1)
    _, calls = in_a_child(folder / "whole", folder / "noted", float("inf"))
    (folder / "noted").write_text("0")
    rng, seen = np.random.default_rng(0), []
    for _ in range(KILLS):
        ended, _ = in_a_child(folder / "killed", folder / "noted", rng.integers(calls // 3))
        seen.append([ended, int((folder / "noted").read_text())])
        saved = folder / "killed" / "state.pt"
        seen[-1].append(len(Run.resume(saved, TicTacToe()).history) if saved.exists() else 0)
        (folder / "noted").write_text(str(seen[-1][-1]))
    seen.append(
        [*in_a_child(folder / "killed", folder / "noted", float("inf"))[:1], TINY["iterations"], TINY["iterations"]]
    )
    (folder / "seen.json").write_text(json.dumps(seen))


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_a_run_killed_at_any_moment_loses_no_more_than_the_iteration_under_way(tmp_path):
    """Moments are drawn by function calls, not by a clock: in the middle of a game, of a step, of writing a file."""
    script = f"from pathlib import Path; from tests.test_resume import kill_and_resume; kill_and_resume(Path({str(tmp_path)!r}))"
    done = subprocess.run([sys.executable, "-c", script], cwd=COURSE, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    seen = json.loads((tmp_path / "seen.json").read_text())
    assert [ended for ended, *_ in seen] == [-signal.SIGKILL] * KILLS + [0]
    assert all(saved >= logged - 1 for _, logged, saved in seen)
    assert [saved for *_, saved in seen] == sorted(saved for *_, saved in seen)
    whole, killed = (Run.resume(tmp_path / name / "state.pt", TicTacToe()) for name in ("whole", "killed"))
    assert same(whole, killed)
    assert [entry["batches"] for entry in killed.history] == [[number] for number in range(6)]
    assert sum(entry["games"] for entry in killed.history) == 6 * 8
    assert sum(entry["examples"] for entry in killed.history) == len(killed.buffer)
    files = [
        {path.relative_to(folder) for path in folder.rglob("*")} for folder in (tmp_path / "whole", tmp_path / "killed")
    ]
    assert files[0] == files[1], "nothing half written is left, and no snapshot is missing"
    assert json.loads((tmp_path / "killed" / "metrics.json").read_text()) == killed.history


def test_what_is_made_from_the_state_is_made_again_where_a_run_was_killed_before_it_could(tmp_path):
    run = train(tmp_path)
    for name in ("metrics.json", "tictactoe.pt", "snapshots/0006.pt"):
        (tmp_path / name).unlink()
    (tmp_path / ".state.pt.x1y2.part").write_bytes(b"half of it")
    train(tmp_path)
    assert json.loads((tmp_path / "metrics.json").read_text()) == run.history
    assert not list(tmp_path.glob(".*"))
    for name in ("tictactoe.pt", "snapshots/0006.pt"):
        agent = load_network(tmp_path / name, "tictactoe").state_dict()
        assert all(torch.equal(agent[key], value) for key, value in run.network.state_dict().items())


def test_a_long_run_keeps_a_bounded_number_of_snapshots_that_lie_evenly_along_its_way(tmp_path, monkeypatch):
    monkeypatch.setattr("course_utils.learning.folder.SNAPSHOTS", 3)
    kept = {}
    for iterations in (1, 6, 7, 8, 13, 26):
        train(tmp_path, iterations=iterations, games=2, simulations=2, steps=0)
        kept[iterations] = [int(path.stem) for path in sorted(tmp_path.glob("snapshots/*.pt"))]
    assert kept == {1: [], 6: [2, 4, 6], 7: [2, 4, 6], 8: [4, 8], 13: [4, 8, 12], 26: [8, 16, 24]}


def test_processes_that_play_end_with_the_one_that_learns(monkeypatch):
    ended = []
    monkeypatch.setattr(os, "_exit", ended.append)

    class Parent:
        def join(self):
            ended.append("the parent")

    workers.end_with(Parent())
    assert ended == ["the parent", 1]


# --- Ctrl-C ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("minutes", "done"), [("0.0001", 1), ("60", 2)])
def test_a_run_says_what_ends_it_and_then_where_its_agent_is_how_strong_and_how_to_play_it(
    minutes, done, tmp_path, monkeypatch, capsys
):
    words = ["train", "--game", "tictactoe", "--out", str(tmp_path), "--iterations", "2", "--minutes", minutes]
    monkeypatch.setattr("course_utils.commands.ENDING", [])
    parser = argparse.ArgumentParser()
    command_line.add_to(parser)
    options = parser.parse_args(words)
    assert options.run(options, []) == 0
    printed, bar = capsys.readouterr()
    assert ("when the minutes are over" in bar) == (done == 1)
    net = load_network(tmp_path / "tictactoe.pt", "tictactoe")
    alone = SearchAgent(TicTacToe(), TorchNetwork(net), 0)
    lost = sum(count_lines(TicTacToe(), alone, side).losses for side in (1, -1))
    assert f"{tmp_path / 'tictactoe.pt'} is the agent after {done} iterations and {60 * done} games." in printed
    assert f"Alone it loses {lost} of all games" in printed
    assert f"AGAINST={tmp_path / 'tictactoe.pt'}" in printed or f"--against {tmp_path / 'tictactoe.pt'}" in printed


@pytest.mark.parametrize("where", ["learn", "log", "save"])
def test_ctrl_c_ends_in_a_sentence_and_hands_back_the_run_as_it_was_saved(where, tmp_path, monkeypatch, capsys):
    whole = train(tmp_path / "whole")
    home = engine if where == "learn" else Run
    before, calls = getattr(home, where), []

    def interrupted(*given, **more):
        calls.append(1)
        if len(calls) == 4:
            raise KeyboardInterrupt
        return before(*given, **more)

    monkeypatch.setattr(home, where, interrupted)
    stopped = train(tmp_path / "part")
    [sentence] = [line for line in capsys.readouterr().out.splitlines() if "Stopped" in line]
    assert f"goes on from iteration {len(stopped.history) + 1}." in sentence
    assert len(stopped.history) in (2, 3)
    assert same(stopped, Run.resume(tmp_path / "part" / "state.pt", TicTacToe()))
    assert same(train(tmp_path / "part"), whole)


@pytest.mark.slow
@pytest.mark.skipif(os.name != "posix", reason="elsewhere a process can't become another")
@pytest.mark.parametrize("sent", ENDING)
def test_who_runs_the_command_outside_of_the_environment_signals_the_training_itself(sent, tmp_path):
    """As `make train` is run; a signal to a process that only waits for another would leave that one training."""
    words = ["train", "--out", str(tmp_path), "--minutes", "60", "--iterations", "1000000"]
    script = (
        "import signal, sys; from pathlib import Path; from course_utils import __main__ as bootstrap\n"
        "signal.signal(signal.SIGINT, signal.default_int_handler)  # tests in the background ignore it\n"
        f"bootstrap.PYTHON, sys.argv = Path(sys.executable), ['', *{words}]; sys.exit(bootstrap.rerun_in_environment())"
    )
    environment = {**os.environ, bootstrap.MARKER: "1"}
    with subprocess.Popen(
        [sys.executable, "-c", script], cwd=COURSE, env=environment, stdout=subprocess.PIPE, text=True
    ) as training:
        try:
            while not (tmp_path / "metrics.json").exists():
                assert training.poll() is None
                time.sleep(0.1)
            training.send_signal(sent)
            said, _ = training.communicate(timeout=60)
            assert training.returncode == 128 + sent and "goes on from iteration" in said
        finally:
            training.kill()  # what does not hear a signal would train for an hour
    with alone_in(tmp_path):
        pass  # the training there has ended


def test_ctrl_c_between_the_rename_and_its_return_is_no_error_of_the_disk(tmp_path, monkeypatch):
    rename = os.replace

    def interrupted(*paths):
        rename(*paths)
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "replace", interrupted)
    with pytest.raises(KeyboardInterrupt):
        write_atomically(tmp_path / "state", "new")
    assert (tmp_path / "state").read_text() == "new"


def test_two_processes_do_not_train_in_one_folder(tmp_path):
    with (
        alone_in(tmp_path),
        pytest.raises(ValueError, match=r"^another process trains in .*: wait for it, or choose another folder$"),
    ):
        train(tmp_path)
    train(tmp_path, iterations=1)


def test_a_run_with_another_seed_is_another_run(tmp_path):
    train(tmp_path, iterations=1)  # its seed is 3
    with pytest.raises(ValueError, match="is a run with seed 3, not 4: choose another folder"):
        train_in_folder(tmp_path, TicTacToe(), 5, 4, workers=0)
    assert train_in_folder(tmp_path, TicTacToe(), 5, workers=0, iterations=2).seed == 3


# --- a folder that can't be written, a state that does not fit -------------------------------------------------------


def test_a_full_disk_stops_a_run_in_a_sentence_and_what_was_saved_stands(tmp_path):
    resource = pytest.importorskip("resource")
    train(tmp_path, iterations=2)
    before = (tmp_path / "state.pt").read_bytes()
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (len(before) // 2, limits[1]))  # the system refuses to write more
    try:
        with pytest.raises(CannotGoOn, match=r"can't write into .*: File too large\. .* goes on from iteration 3$"):
            train(tmp_path, iterations=4)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert (tmp_path / "state.pt").read_bytes() == before
    assert not list(tmp_path.glob(".*"))
    assert len(train(tmp_path, iterations=4).history) == 4


@pytest.mark.skipif(not hasattr(os, "seteuid"), reason="needs users")
def test_a_folder_that_can_not_be_written_is_refused_before_anything_is_played(monkeypatch):
    monkeypatch.setattr(Run, "log", lambda *_, **__: pytest.fail("it has played"))
    with tempfile.TemporaryDirectory() as folder:
        os.chmod(folder, 0o555)
        user = os.geteuid()
        if user == 0:
            os.seteuid(65534)  # the superuser may write everywhere
        try:
            for out in (Path(folder), Path(folder) / "new"):
                with pytest.raises(CannotGoOn, match=r"can't write into .*: Permission denied"):
                    train(out)
        finally:
            os.seteuid(user)
            os.chmod(folder, 0o755)


def test_a_process_that_plays_and_is_killed_ends_the_run_in_a_sentence(tmp_path, monkeypatch):
    class Killed(workers.Workers):
        def begin(self, *_):
            raise BrokenProcessPool("A process in the process pool was terminated abruptly")

    with pytest.raises(CannotGoOn, match="was killed, perhaps because the memory ran out"):
        train_in_folder(tmp_path, TicTacToe(), 5, 3, lockstep=True, workers=Killed(), **TINY)


def test_what_the_system_refuses_to_those_who_play_is_not_said_of_the_folder(tmp_path):
    class Limited(workers.Workers):
        def begin(self, *_):
            raise OSError(errno.EMFILE, "Too many open files")

    with pytest.raises(CannotGoOn, match="Too many open files") as refusal:
        train_in_folder(tmp_path, TicTacToe(), 5, 3, lockstep=True, workers=Limited(), **TINY)
    assert "write" not in str(refusal.value)


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"version": 2}, "has version 2; this course reads version 1"),
        ({"history": [{"iteration": 2}]}, "its history has gaps"),
        ({"buffer": ("planes", (3, 2, 3, 4))}, r"planes have the shape \[3, 2, 3, 4\] instead of \[\d+, 2, 3, 3\]"),
        ({"buffer": ("value", (1,))}, "the examples' planes have the shape"),
        ({"buffer": ("planes", (4, 1), torch.uint8)}, "cannot reshape array of size 32 into shape"),
        ({"optimizer": {}}, "does not fit"),
        ({"rng": {"bit_generator": "MT19937"}}, "does not fit"),
        ({"seconds": "long"}, "seconds is a number of 0 or more, not 'long'"),
        ({"steps": None}, "steps is a whole number of 0 or more, not None"),
        ({"history": {}}, "history is a list of dictionaries, not {}"),
        ({"history": [{"iteration": 1}, 2]}, "history is a list of dictionaries"),
        (
            {"history": [{"iteration": 1, "examples": "x"}]},
            "history's examples is a whole number of 0 or more, not 'x'",
        ),
        ({"history": [{"iteration": 1, "examples": 9, "batches": [[]]}]}, r"history's batches is a whole .* not \[\]"),
        ({"seconds": float("nan")}, "seconds is a number of 0 or more, not nan"),
        ({"seed": -1}, "does not fit"),
        ({"training": {"iterations": "six"}}, "iterations is a whole number of 1 or more, not 'six'"),
        ({"training": {"network": "resnet", "blocks": 9_999}}, "its network would be larger than any"),
        ({"training": {"network": "resnet", "channels": 9_999}}, "does not fit"),
        ({"moments": (2, 2)}, r"the optimizer's \w+ has the shape \[2, 2\] instead of"),
    ],
)
def test_a_state_of_another_version_or_shape_is_refused_in_one_sentence(change, sentence, tmp_path, monkeypatch):
    path = tmp_path / "state.pt"
    train(tmp_path, iterations=1)
    data = torch.load(path, weights_only=True)
    if "buffer" in change:
        name, shape, *dtype = change["buffer"]
        change = {"buffer": {**data["buffer"], name: torch.zeros(shape, dtype=dtype[0] if dtype else torch.float32)}}
    if "training" in change:
        change = {"training": {**data["training"], **change["training"]}}
    if "moments" in change:
        data["optimizer"]["state"] = {0: {"step": torch.tensor(1.0), "exp_avg": torch.zeros(change["moments"])}}
    torch.save({**data, **change}, path)
    with pytest.raises(CheckpointError, match=sentence) as refusal:
        train(tmp_path)
    assert "\n" not in str(refusal.value)


def test_a_game_of_the_same_name_on_another_board_is_refused(tmp_path, monkeypatch):
    train_in_folder(
        tmp_path, ConnectN(3, 4, 3), 5, 0, workers=0, iterations=1, games=2, simulations=2, steps=1, network="mlp"
    )
    other = ConnectN(3, 5, 3)
    monkeypatch.setattr(other, "name", ConnectN(3, 4, 3).name)
    with pytest.raises(CheckpointError, match=r"does not fit this course's training .*size mismatch for") as refusal:
        train_in_folder(tmp_path, other, 5, 0, workers=0)
    assert "\n" not in str(refusal.value)
