"""The command line: how it sets itself up on a bare machine, and the steps of `check`."""

import argparse
import importlib.util
import io
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import types
from datetime import datetime
from pathlib import Path

import pytest

from course_utils import __main__ as bootstrap
from course_utils import command_line, commands, paths, record
from course_utils.games import ConnectN, TicTacToe
from course_utils.learner import progress, travel
from course_utils.learning.folder import CannotGoOn
from course_utils.networks.checkpoint import load_network, save_network
from course_utils.networks.policy_value import make_network
from course_utils.networks.settings import SearchSettings
from course_utils.paths import COURSE, SOLUTIONS

TESTS = " ".join([" tests", *commands.LAB])  # the lab's where there is one
ROAD = " ".join([*commands.ROAD, *commands.NBVAL])


@pytest.fixture
def machine(tmp_path, monkeypatch):
    """A machine without `.venv`, where making one and installing into it are only written down.

    `broken` names what fails: "venv", "pip", or Ctrl-C in it ("venv!", "pip!"). `pip` says whether .venv has one.
    """
    machine = types.SimpleNamespace(did=[], broken="", pip=False)
    python = tmp_path / ".venv" / "bin" / "python"
    monkeypatch.setattr(bootstrap, "VENV", tmp_path / ".venv")
    monkeypatch.setattr(bootstrap, "PYTHON", python)
    monkeypatch.setattr(bootstrap, "STAMP", tmp_path / ".venv" / "course-stamp")
    monkeypatch.setattr(bootstrap, "runs", lambda name, code: machine.pip)
    monkeypatch.setattr(bootstrap, "needs_small_torch", lambda: False)
    monkeypatch.setattr(bootstrap, "uv_installs", lambda: [])
    monkeypatch.delenv(bootstrap.MARKER, raising=False)

    def run(command, **options):
        step = "course" if "course_utils" in command else "pip" if "pip" in command else "venv"
        machine.did.append(step)
        if step == "venv":
            assert "--clear" in command
            bootstrap.STAMP.unlink(missing_ok=True)
            python.parent.mkdir(parents=True, exist_ok=True)
            python.touch()
        if machine.broken == f"{step}!":
            raise KeyboardInterrupt
        machine.pip = machine.pip or step == "venv"
        return types.SimpleNamespace(returncode=int(machine.broken == step))

    monkeypatch.setattr(subprocess, "run", run)
    monkeypatch.setattr(os, "execv", lambda _, command: run(command).returncode)
    monkeypatch.setattr(sys, "argv", ["course_utils", "list"])
    monkeypatch.chdir(COURSE)
    return machine


def test_the_first_command_sets_up_and_the_next_ones_go_straight_on(machine):
    assert bootstrap.main() == 0
    assert machine.did == ["venv", "pip", "course"]
    machine.did.clear()
    assert bootstrap.main() == 0
    assert machine.did == ["course"]


@pytest.mark.parametrize(
    ("words", "status"),
    [("--help", 0), ("train --help", 0), ("lab -h", 0), ("", 2), ("trian", 2), ("train --iterations 0", 2)],
)
def test_who_asks_for_help_or_mistypes_is_answered_before_anything_is_installed(words, status):
    """By a Python that has no packages."""
    script = "import sys; from course_utils import __main__ as it; it.set_up = lambda: print('SET UP'); it.main()"
    environment = {name: value for name, value in os.environ.items() if name not in (bootstrap.MARKER, "PYTHONPATH")}
    command = [sys.executable, "-S", "-c", script, *words.split()]
    done = subprocess.run(command, cwd=COURSE, env=environment, capture_output=True, text=True)
    assert done.returncode == status, done.stderr
    assert "usage: python -m course_utils" in (done.stderr if status else done.stdout)
    assert "SET UP" not in done.stdout and "Traceback" not in done.stderr


@pytest.mark.parametrize("when", ["venv!", "pip!"])
def test_an_interrupted_setup_is_begun_anew(machine, when, capsys):
    machine.broken = when
    assert bootstrap.main() == 130
    assert capsys.readouterr().err.count("\n") == 1
    machine.broken = ""
    machine.did.clear()
    assert bootstrap.main() == 0
    assert machine.did == ["venv", "pip", "course"]


def test_an_environment_whose_python_or_pip_has_gone_is_made_anew(machine):
    bootstrap.main()
    machine.pip = False
    machine.did.clear()
    assert bootstrap.main() == 0
    assert machine.did == ["venv", "pip", "course"]


def test_other_requirements_are_installed_into_the_environment_that_stands(machine):
    bootstrap.main()
    bootstrap.STAMP.write_text("of an older version of the course")
    machine.did.clear()
    assert bootstrap.main() == 0
    assert machine.did == ["pip", "course"]


@pytest.mark.parametrize(("step", "hint"), [("venv", "disk"), ("pip", "network")])
def test_a_step_that_fails_is_named_and_can_be_run_again(machine, step, hint, capsys):
    machine.broken = step
    assert bootstrap.main() == 1
    assert hint in capsys.readouterr().err
    machine.broken = ""
    assert bootstrap.main() == 0


@pytest.mark.parametrize("missing", ["venv", "ensurepip"])
def test_a_python_that_cannot_make_environments_is_told_what_to_install(machine, missing, monkeypatch, capsys):
    monkeypatch.setitem(sys.modules, missing, None)  # as where the system's packages leave it out
    assert bootstrap.main() == 1
    complaint = capsys.readouterr().err
    assert complaint.count("\n") == 1
    assert f"sudo apt install python3.{sys.version_info[1]}-venv" in complaint
    assert machine.did == []


def test_a_python_that_is_too_old_is_told_so_in_one_sentence():
    script = "import sys, runpy; sys.version_info = (3, 9, 6); runpy.run_module('course_utils', run_name='__main__')"
    environment = {**os.environ, bootstrap.MARKER: "1"}
    done = subprocess.run([sys.executable, "-c", script], cwd=COURSE, env=environment, capture_output=True, text=True)
    assert done.returncode == 1
    assert done.stderr.startswith("The course needs Python 3.11 or later, and this is ")
    assert done.stderr.count("\n") == 1


def test_an_old_python_that_finds_a_newer_one_names_it(monkeypatch):
    monkeypatch.setattr(sys, "version_info", (3, 9, 6))
    monkeypatch.setattr(bootstrap.shutil, "which", lambda name: name == "python3.13")
    monkeypatch.setattr(bootstrap, "runs", lambda name, code: True)
    assert "`make lab PYTHON=python3.13`" in bootstrap.lacking()
    monkeypatch.setattr(bootstrap, "runs", lambda name, code: False)
    assert "install one from python.org" in bootstrap.lacking()


def test_a_reader_who_has_seen_enough_ends_a_list_in_silence():
    """As `head` does, here one that reads nothing at all."""
    reading, writing = os.pipe()
    os.close(reading)
    environment = {**os.environ, bootstrap.MARKER: "1", "PYTHONUNBUFFERED": "1"}
    program = (
        "import sys\n"
        "from course_utils import __main__\n"
        "from course_utils.material import manifest\n"
        "manifest.manifest = lambda: []  # counting the points of all exercises takes seconds\n"
        "sys.exit(__main__.main())"
    )
    command = [sys.executable, "-c", program, "list"]
    done = subprocess.run(command, cwd=COURSE, env=environment, stdout=writing, stderr=subprocess.PIPE, text=True)
    os.close(writing)
    assert (done.returncode, done.stderr) == (0, "")


# --- check -----------------------------------------------------------------------------------------------------------


@pytest.fixture
def check(monkeypatch):
    """Runs `check` with the given arguments, no step in truth; returns (status, what would have been run)."""
    did, told = [], []

    def run(command, **options):
        line = " ".join(command[2:])  # without the interpreter and `-m` or `-c`
        (told if line == "lab.provenance" else did).append(line)
        return types.SimpleNamespace(returncode=int("ruff check" in line or line in told))

    monkeypatch.setattr(subprocess, "run", run)
    parser = argparse.ArgumentParser()
    command_line.add_to(parser)

    def check(*arguments):
        did.clear(), told.clear()
        options = parser.parse_args(["check", *arguments])
        status = options.run(options, [])
        assert len(told) == bool(
            commands.LAB and any(" tests" in line and "pytest" in line and "-m slow" not in line for line in did)
        )
        return status, list(did)

    return check


def test_check_runs_every_step_though_one_fails(check, capsys):
    status, did = check()
    assert status == 1
    assert [line.split()[0] for line in did] == ["ruff", "ruff", "from", "mypy", "pytest", "course_utils"]
    assert did[4].endswith(f"{TESTS} {ROAD}")
    assert capsys.readouterr().out.endswith("check: failed: lint\n")


def test_check_runs_only_the_steps_asked_for(check, capsys):
    assert check("--only", "learner") == (0, ["course_utils progress"])
    assert capsys.readouterr().out.endswith("check: no step failed\n")
    assert check("--only", "slow") == (0, [" ".join(commands.SLOW[1:])])
    assert "Not tested" not in capsys.readouterr().out
    types, tests = check("--only", "tests", "types")[1]
    assert "Not tested: the slow tests, which include the pages. Run make check ONLY=slow" in capsys.readouterr().out
    assert types == "mypy" and tests.endswith(f"{TESTS} {ROAD}")


@pytest.mark.parametrize(("step", "tool"), [("lint", "ruff"), ("types", "mypy"), ("layers", "importlinter")])
def test_a_step_whose_tool_is_not_there_says_so_and_is_not_green(step, tool, check, monkeypatch, capsys):
    find_spec = importlib.util.find_spec
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None if name == tool else find_spec(name))
    assert check("--only", step, "learner") == (1, ["course_utils progress"])
    printed = capsys.readouterr()
    assert printed.err == f"{step} needs {tool}: install it with `{commands.INSTALL}`\n"
    assert printed.out.endswith(f"check: failed: {step}\n")


def test_the_full_check_runs_all_tests_the_solution_notebooks_and_the_score_of_the_checks_too(check):
    *_, tests, _learner, slow, dives, mutants = [line for line in check("--full")[1] if line != "lab.blind"]
    assert f"{TESTS} " in tests and tests.endswith(" --full")
    assert " -m slow tests" in slow and slow.endswith(" --full")
    read = re.findall(r"notebooks/solutions/(\d\d)", tests + dives)
    assert read == [path.name[:2] for path in sorted(SOLUTIONS.glob("*.ipynb"))]
    assert mutants.startswith("tests.quality")


def test_a_step_that_does_not_exist_is_refused_with_those_that_do(check, capsys):
    with pytest.raises(SystemExit):
        check("--only", "lerner")
    assert "learner" in capsys.readouterr().err


@pytest.mark.parametrize("count", ["0", "-3", "many"])
def test_a_run_has_an_iteration_at_least(count, capsys):
    parser = argparse.ArgumentParser()
    command_line.add_to(parser)
    with pytest.raises(SystemExit):
        parser.parse_args(["train", "--out", "runs/never", "--iterations", count])
    assert count in capsys.readouterr().err


@pytest.mark.skipif(not shutil.which("make"), reason="there is no make here")
def test_the_makefile_passes_the_steps_on():
    done = subprocess.run(
        ["make", "--no-print-directory", "-n", "check", "ONLY=format learner"],
        cwd=COURSE,
        capture_output=True,
        text=True,
    )
    assert done.stdout.strip().endswith("-m course_utils check --only format learner")


MAKEFILE = command_line.variables((COURSE / "Makefile").read_text())


@pytest.mark.skipif(not shutil.which("make"), reason="there is no make here")
def test_make_alone_lists_every_command_and_changes_nothing():
    alone, helped = (
        subprocess.run(["make", "--no-print-directory", *words], cwd=COURSE, capture_output=True, text=True)
        for words in ([], ["help"])
    )
    assert alone.stdout == helped.stdout and alone.returncode == 0
    subparsers = command_line.commands_of(command_line.parser())
    assert re.findall(r"^  make (\w+)  ", alone.stdout, re.MULTILINE) == [
        name for names in command_line.GROUPS.values() for name in names
    ]
    assert (
        sorted(subparsers)
        == sorted(name for names in command_line.GROUPS.values() for name in names)
        == sorted(MAKEFILE)
    )


@pytest.mark.parametrize("name", MAKEFILE)
def test_each_option_of_a_command_has_a_variable_and_help_and_each_example_is_a_command(name):
    parser = command_line.parser()
    sub = command_line.commands_of(parser)[name]
    options = [action for action in sub.arguments if action.dest != "help"]
    assert {(action.option_strings or [action.dest])[0] for action in options} == {*MAKEFILE[name]} - {"..."}
    assert all(action.help for action in options)
    for example in sub.get_default("examples"):
        given, rest = parser.parse_known_args(shlex.split(example))
        assert given.command == name and (not rest or name in command_line.PASS_ON), example


@pytest.mark.skipif(not shutil.which("make"), reason="there is no make here")
@pytest.mark.parametrize("name", MAKEFILE)
def test_an_example_means_the_same_with_make_and_without(name):
    outside_make = {
        key: value for key, value in os.environ.items() if key not in ("MAKEFLAGS", "MAKEOVERRIDES", "ONLY")
    }
    for example in command_line.commands_of(command_line.parser())[name].get_default("examples"):
        words = shlex.split(command_line.with_make(example, MAKEFILE[name]))
        done = subprocess.run(
            [*words, "--no-print-directory", "-n"], cwd=COURSE, env=outside_make, capture_output=True, text=True
        )
        with_make = shlex.split(done.stdout)[3:]
        assert (
            vars(command_line.parser().parse_known_args(with_make)[0]).items()
            >= {
                key: value
                for key, value in vars(command_line.parser().parse_known_args(shlex.split(example))[0]).items()
                if key not in ("parser", "run")
            }.items()
        ), example


@pytest.mark.skipif(not shutil.which("make"), reason="there is no make here")
@pytest.mark.parametrize("word", ["my runs/x", "it's", 'a "b" c', "a;b", "$$HOME", "*"])
def test_what_a_variable_of_the_makefile_says_is_one_word_of_the_command(word):
    """Outside of the two functions that quote there are only switches and lists of words."""
    wanted = word.replace("$$", "$")
    lists = {"check": {"ONLY"}, "compare": {"SIMULATIONS"}, "match": {"AGENTS"}}
    for target, recipe in re.findall(r"^(\w+):\n\t@(.*)$", (COURSE / "Makefile").read_text(), re.MULTILINE):
        quoted = {
            *re.findall(r"call option,\w+,([A-Z]+)", recipe),
            *re.findall(r"call one,(?:\$\(or )?\$\(([A-Z]+)", recipe),
        }
        assert {*re.findall(r"call list,\w+,([A-Z]+)", recipe)} <= lists.get(target, set()), target
        rest = re.sub(r"call one,(\$\(or )?\$\([A-Z]+\)", "", recipe)
        bare = {name for name in re.findall(r"\$\(([A-Z_]+)\)", rest) if not name.endswith("_ARGS")}
        assert bare <= lists.get(target, set()) | {"COURSE"}, target
        command = ["make", "--no-print-directory", "-n", target, *(f"{name}={word}" for name in quoted)]
        done = subprocess.run(command, cwd=COURSE, capture_output=True, text=True)
        assert done.returncode == 0 and shlex.split(done.stdout).count(wanted) == len(quoted), (target, done.stdout)


@pytest.mark.parametrize(
    ("game", "sentence"),
    [
        ("connect_n:2x2x9", "no line of 9 fits"),
        ("course_utils.games.connect_n:ConnectN", "missing 3 required positional arguments"),
        ("tests.odd_games:Chain", "the same player's turn"),
        ("tests.odd_games:Endless", "has not ended after"),
        ("tests.odd_games:Faulty", "its rules raised ZeroDivisionError"),
        ("tests.odd_games:Silent", "gives no answer within 0.5 s"),
        ("tests.odd_games:Unfinished", "abstract"),
    ],
)
def test_every_command_that_plays_refuses_a_game_that_is_none_before_it_begins(
    game, sentence, capsys, tmp_path, monkeypatch
):
    if game.endswith("Silent"):
        monkeypatch.setattr("course_utils.playing.opponents.PATIENCE", 0.5)
    save_network(tmp_path / "net.pt", make_network(TicTacToe(), 0), "tictactoe")
    parser = argparse.ArgumentParser()
    command_line.add_to(parser)
    for words in (
        ["train", "--out", str(tmp_path / "run")],
        ["match", "random", "greedy"],
        ["play", "--terminal"],
        ["compare", str(tmp_path / "net.pt")],
    ):
        options = parser.parse_args([*words, "--game", game])
        assert options.run(options, []) == 1
        message = capsys.readouterr().err
        assert sentence in message and "Traceback" not in message
    assert not (tmp_path / "run").exists()


def test_a_size_of_connect_n_is_trained_by_its_name(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(ConnectN, "training", dict(games=2, simulations=2, steps=1, batch=4))
    parser = argparse.ArgumentParser()
    command_line.add_to(parser)
    options = parser.parse_args(["train", "--game", "connect_n:3x4x3", "--iterations", "1"])
    assert options.run(options, []) == 0
    path = tmp_path / "runs" / "connect_3_on_3x4" / "connect_3_on_3x4.pt"
    assert load_network(path, "connect_3_on_3x4")
    options = parser.parse_args(["compare", str(path), "--simulations", "0"])
    monkeypatch.setattr("course_utils.playing.compare.GAMES_EACH", 4)
    assert options.run(options, []) == 0


@pytest.mark.parametrize(("answer", "taken"), [("y", True), ("Yes", True), ("n", False), ("", False), (None, False)])
def test_lab_asks_once_about_a_file_of_answers(answer, taken, tmp_path, monkeypatch, capsys):
    """`None`: nobody is there to be asked."""
    notebooks, folder = tmp_path / "notebooks", tmp_path / ".course"
    notebooks.mkdir()
    monkeypatch.setattr(commands, "NOTEBOOKS", notebooks)
    monkeypatch.setenv("COURSE_RECORD", str(folder))
    monkeypatch.setattr(sys.stdin, "isatty", lambda: answer is not None, raising=False)
    asked = []
    monkeypatch.setattr("builtins.input", lambda question: asked.append(question) or answer)
    elsewhere = tmp_path / "tab"
    record.save(record.Answer("backup", "def backup(leaf, value): ...", 10, 10, True), elsewhere)
    archive = tmp_path / travel.file_name()
    archive.write_bytes(travel.pack(elsewhere, elsewhere))
    commands.offer_answers([tmp_path, tmp_path / "nowhere"])
    message = capsys.readouterr().out
    assert f"{archive}, saved on {datetime.now():%d %B %Y}" in message and travel.RUNS in message
    assert asked == ([] if answer is None else ["Take it in? Copies of what it replaces are kept. [y/N] "])
    assert (record.load("backup", folder) is not None) == taken
    commands.offer_answers([tmp_path])
    assert (capsys.readouterr().out == "") == (answer is not None)


def test_lab_says_what_is_wrong_with_a_damaged_file_and_goes_on(tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("COURSE_RECORD", str(tmp_path / ".course"))
    monkeypatch.setattr(sys.stdin, "isatty", lambda: True, raising=False)
    monkeypatch.setattr("builtins.input", lambda question: "y")
    (tmp_path / "x.answers").write_bytes(b"half a file")
    commands.offer_answers([tmp_path])
    assert "Nothing is changed. This file is damaged" in capsys.readouterr().err
    os.truncate(tmp_path / "x.answers", travel.MOST + 1)
    commands.offer_answers([tmp_path])
    assert "Nothing is changed: it is larger than 256 MB." in capsys.readouterr().err


WINDOWS = """
import os, signal, subprocess, sys
for name in ("fcntl", "grp", "pwd", "resource", "syslog", "termios", "readline"):
    sys.modules[name] = None
for name in ("execv", "fork", "forkpty", "geteuid", "getpgid", "getuid", "killpg", "setsid", "statvfs", "uname", "sched_getaffinity"):
    delattr(os, name)
for name in ("SIGALRM", "SIGHUP", "SIGKILL", "alarm", "pthread_kill", "setitimer"):
    delattr(signal, name)
subprocess.run = lambda command, **options: print([*map(str, command)]) or subprocess.CompletedProcess(command, 0)
from course_utils import __main__ as bootstrap
sys.exit(bootstrap.main())
"""


@pytest.mark.parametrize(
    ("arguments", "runs"),
    [
        (["lab", "--no-browser"], ["jupyterlab"]),
        (["check"], [*commands.STEPS, *["lab.provenance"][: len(commands.LAB)]]),
        (["check", "--only", "learner"], ["progress"]),
    ],
)
def test_lab_and_check_need_nothing_of_python_that_windows_lacks(arguments, runs, tmp_path):
    """As far as this can be seen from Linux: what they would start is written down."""
    environment = {
        **os.environ,
        bootstrap.MARKER: "1",
        "COURSE_RECORD": str(tmp_path / "my record"),
        "HOME": str(tmp_path),
    }
    command = [sys.executable, "-c", WINDOWS, *arguments]
    done = subprocess.run(
        command, cwd=COURSE, env=environment, capture_output=True, text=True, stdin=subprocess.DEVNULL
    )
    assert done.returncode == 0, done.stderr
    started = [line for line in done.stdout.splitlines() if line.startswith("[")]
    assert len(started) == len(runs)
    assert runs[-1] in started[-1] or runs[-1] == "learner"


def test_on_windows_the_command_goes_on_in_the_environment_by_a_process_of_its_own(monkeypatch, tmp_path):
    python = tmp_path / "a course" / ".venv" / "Scripts" / "python.exe"
    windows = types.SimpleNamespace(name="nt", chdir=lambda folder: None)  # as `os`, where there is no execv that waits
    monkeypatch.setattr(bootstrap, "os", windows)
    monkeypatch.setattr(bootstrap, "PYTHON", python)
    monkeypatch.setattr(sys, "argv", ["course_utils", "lab", "--no-browser"])
    started = []
    monkeypatch.setattr(
        subprocess, "run", lambda command: started.append(command) or types.SimpleNamespace(returncode=3)
    )
    before = signal.getsignal(signal.SIGINT)
    try:
        assert bootstrap.rerun_in_environment() == 3
    finally:
        signal.signal(signal.SIGINT, before)
    assert started == [[str(python), "-m", "course_utils", "lab", "--no-browser"]]  # a space in a path splits nothing


@pytest.mark.parametrize(
    "words",
    [
        ["match", "--simulations", "999999999999"],
        ["match", "--games", "3"],
        ["match", "--seed", "-1"],
        ["train", "--minutes", "nan"],
        ["train", "--minutes", "-1"],
        ["train", "--minutes", "soon"],
        ["train", "--workers", "99999999999"],
        ["train", "--workers", "some"],
        ["train", "--iterations", "0"],
        ["train", "--out", ""],
        ["page", "--out", " "],
        ["grade", "--submissions", "x", "--out", ""],
        ["grade", "--submissions", "x", "--out", "y", "--workers", "0"],
    ],
)
def test_a_number_or_a_place_that_makes_no_sense_is_refused_in_one_sentence(words, capsys):
    parser = argparse.ArgumentParser()
    command_line.add_to(parser)
    with pytest.raises(SystemExit) as exit_info:
        parser.parse_args(words)
    assert exit_info.value.code == 2
    assert capsys.readouterr().err.splitlines()[-1].count("error: argument") == 1


def test_a_step_that_only_the_full_check_has_is_not_said_to_have_passed(check, capsys):
    assert check("--only", "mutants") == (2, [])
    assert "run only with FULL=1" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("error", "status", "message"),
    [
        (OSError(30, "Read-only file system", "notebooks/03.ipynb"), 1, "list stopped: can't write or read notebooks/03.ipynb (Read-only"),
        (OSError(28, "No space left on device"), 1, "list stopped: No space left on device. What was saved before"),
        (CannotGoOn("a process was killed"), 1, "list stopped: a process was killed"),
        (MemoryError(), 1, "list stopped: it needs more memory than is free. Ask for fewer simulations"),
        (KeyboardInterrupt(), 130, "Stopped."),
    ],
)  # fmt: skip
def test_what_a_disk_refuses_ends_in_one_sentence(error, status, message, monkeypatch, capsys):
    def fails(options, rest):
        raise error

    monkeypatch.setenv(bootstrap.MARKER, "1")
    monkeypatch.setattr(sys, "argv", ["course", "list"])
    monkeypatch.setattr(commands, "list_exercises", fails)
    assert bootstrap.main() == status
    said_of_it = capsys.readouterr().err.strip()
    assert message in said_of_it and "Errno" not in said_of_it and "\n" not in said_of_it


def test_an_output_that_takes_nothing_is_not_blamed_on_a_file(monkeypatch, capsys):
    class Full(io.StringIO):
        def write(self, text):
            raise OSError(28, "No space left on device")

    closed = []
    monkeypatch.setenv(bootstrap.MARKER, "1")
    monkeypatch.setattr(sys, "argv", ["course", "list"])
    monkeypatch.setattr(commands, "list_exercises", lambda *_: print("backup"))
    monkeypatch.setattr(bootstrap, "print_nowhere", lambda: closed.append(1))
    monkeypatch.setattr(sys, "stdout", Full())
    assert bootstrap.main() == 1 and closed == [1]
    assert "list stopped: can't write its output (No space left on device)" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("installed", "message"),
    [
        (False, ["make notebooks", "make train OUT=runs/x"]),
        (True, ["alphazero-course notebooks", "alphazero-course train --out runs/x"]),
    ],
)
def test_a_sentence_names_a_command_as_its_reader_can_give_it(installed, message, monkeypatch):
    monkeypatch.setattr(paths, "INSTALLED", installed)
    assert [paths.command("notebooks"), paths.command("train", out=Path("runs/x"))] == message


def test_whoever_has_the_course_from_a_wheel_is_not_sent_to_make(tmp_path, monkeypatch):
    monkeypatch.setattr(paths, "INSTALLED", True)
    monkeypatch.setattr(progress, "NOTEBOOKS", tmp_path)
    with pytest.raises(ValueError, match="`alphazero-course notebooks` makes it"):
        progress.reset("backup")


@pytest.mark.parametrize("number", commands.ENDING)
def test_a_stopped_run_says_so_in_its_exit_status(number, tmp_path, monkeypatch):
    def train_in_folder(*args, **kwargs):
        try:
            os.kill(os.getpid(), number)
            signal.pause()
        except KeyboardInterrupt:
            return None

    import course_utils.learning.folder

    monkeypatch.setattr(course_utils.learning.folder, "train_in_folder", train_in_folder)
    parser = argparse.ArgumentParser()
    command_line.add_to(parser)
    before = [signal.signal(ending, signal.SIG_DFL) for ending in commands.ENDING]
    try:
        assert commands.train_agent(parser.parse_args(["train", "--out", str(tmp_path)]), []) == 128 + number
    finally:
        for ending, handler in zip(commands.ENDING, before, strict=True):
            signal.signal(ending, handler)


@pytest.mark.parametrize("c_puct", [float("nan"), -1, float("inf"), "1.5"])
def test_a_c_puct_that_no_search_can_use_is_refused(c_puct):
    with pytest.raises(ValueError, match="c_puct is a number of 0 or more"):
        SearchSettings(c_puct)
