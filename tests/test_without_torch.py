"""The course where PyTorch can't be imported: in a Python of its own, in which nobody finds it (`tests/without_torch`)."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import torch
import torch.nn.functional as F

from course_utils import agents
from course_utils.course import build, site
from course_utils.exercise import EXERCISES
from course_utils.games import ConnectFour, TicTacToe
from course_utils.learning import training
from course_utils.learning.arena import random_openings
from course_utils.networks import policy_value, without_torch
from course_utils.networks.checkpoint import load_network
from course_utils.networks.pytorch import NOT_HERE
from course_utils.networks.wide import WideInNumpy
from course_utils.paths import COURSE

torch.set_num_threads(1)
GAME = TicTacToe()


def run(code: str) -> str:
    """What this program prints in a Python without PyTorch."""
    path = f"{Path(__file__).parent / 'without_torch'}{os.pathsep}{COURSE}"
    environment = {**os.environ, "PYTHONPATH": path, "PYTHONUTF8": "1", "MPLBACKEND": "agg"}
    done = subprocess.run([sys.executable, "-c", code], cwd=COURSE, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


def in_numpy(seed: int) -> without_torch.PolicyValueNet:
    net = without_torch.PolicyValueNet(GAME.planes, GAME.rows, GAME.columns, GAME.num_actions)
    without_torch.draw_weights(net, seed)
    return net


def boards(count: int, seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).integers(0, 2, (count, 2, 3, 3)).astype(np.float32)


# --- the same network ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", [0, 1, 2, 12345])
def test_every_seed_draws_the_numbers_that_pytorch_draws(seed):
    theirs, ours = policy_value.make_network(GAME, seed), in_numpy(seed)
    for name, tensor in theirs.state_dict().items():
        np.testing.assert_allclose(ours.state_dict()[name], tensor, atol=1e-7)
    for asked, expected in zip(ours(boards(50)), policy_value.TorchNetwork(theirs)(boards(50)), strict=True):
        np.testing.assert_allclose(asked, expected, atol=1e-6)


def test_steps_of_training_are_those_of_autograd_and_pytorchs_adamw():
    theirs, ours = policy_value.make_network(GAME, 0), in_numpy(0)
    theirs.double()
    optimizer = torch.optim.AdamW(theirs.parameters(), lr=1e-2, weight_decay=1e-2)
    by_hand = without_torch.AdamW(ours.parameters(), lr=1e-2, weight_decay=1e-2)
    rng = np.random.default_rng(0)
    for step in range(30):
        planes, pi, z = boards(16, seed=step), rng.dirichlet([0.3] * 9, 16), rng.choice([-1.0, 0.0, 1.0], 16)
        value, logits = theirs(torch.from_numpy(planes.astype(np.float64)))
        squared = ((torch.from_numpy(z) - value) ** 2).mean()
        crossed = -(torch.from_numpy(pi) * F.log_softmax(logits, dim=1)).sum(dim=1).mean()
        optimizer.zero_grad()
        (squared + crossed).backward()
        optimizer.step()
        losses = without_torch.train_step(ours, by_hand, planes, pi, z)
        assert losses == pytest.approx({"value": squared.item(), "policy": crossed.item()})
    for name, tensor in theirs.state_dict().items():
        np.testing.assert_allclose(ours.state_dict()[name], tensor, atol=1e-8)


def test_weights_come_back_from_bytes_and_a_copy_of_a_network_is_its_own():
    net, other = in_numpy(0), in_numpy(1)
    other.load_state_dict(without_torch.from_bytes(without_torch.to_bytes(net.state_dict())))
    np.testing.assert_array_equal(net(boards(5))[1], other(boards(5))[1])
    other.weights["W1"] += 1
    assert abs(net.weights["W1"] - other.weights["W1"]).min() > 0.5


def test_the_average_of_two_networks():
    average, net = in_numpy(0), in_numpy(1)
    expected = 0.75 * average.weights["W2"] + 0.25 * net.weights["W2"]
    without_torch.update_average(average, net, 0.75)
    np.testing.assert_allclose(average.weights["W2"], expected)


@pytest.mark.parametrize("game", [GAME, ConnectFour()], ids=lambda game: game.name)
def test_a_checkpoint_is_read_to_the_last_number(game):
    path = agents.CHECKPOINTS / f"{game.name}.pt"
    read = without_torch.from_bytes(path.read_bytes())
    theirs = torch.load(path, weights_only=True)
    assert read.keys() == theirs.keys() and read["config"] == theirs["config"]
    for name, tensor in theirs["weights"].items():
        assert read["weights"][name].dtype == tensor.numpy().dtype
        np.testing.assert_array_equal(read["weights"][name], tensor)


def test_a_checkpoint_that_would_run_something_is_refused(tmp_path):
    class Bad:
        def __reduce__(self):
            return os.mkdir, (str(tmp_path / "made"),)

    torch.save({"version": 1, "game": Bad()}, tmp_path / "bad.pt")
    with pytest.raises(KeyError):
        without_torch.from_bytes((tmp_path / "bad.pt").read_bytes())
    assert not (tmp_path / "made").exists()


def test_the_shipped_network_of_connect_four_says_the_same():
    path, game = agents.CHECKPOINTS / "connect_four.pt", ConnectFour()
    saved = without_torch.from_bytes(path.read_bytes())
    ours = WideInNumpy(**saved["config"])
    ours.load_state_dict(saved["weights"])
    rng = np.random.default_rng(0)
    states = [state for plies in (0, 5, 20, 30) for state in random_openings(game, 20, plies, rng)]
    planes = np.stack([game.encode(state) for state in states])
    theirs = policy_value.TorchNetwork(load_network(path, game.name))(planes)
    for asked, expected in zip(ours(planes), theirs, strict=True):
        np.testing.assert_allclose(asked, expected, atol=1e-4)


# --- the course ------------------------------------------------------------------------------------------------------

RUNNING_EXAMPLE = """
import json, os, sys, tempfile

os.environ["COURSE_RECORD"] = tempfile.mkdtemp()
from course_utils import agents, record, tests, ui
from course_utils.games import ConnectFour, TicTacToe, after
from course_utils.learning.engine import train
from course_utils.learning.grades import grader
from course_utils.learning.training import Run, TrainingConfig, config_for
from course_utils.mine import mcts_search, train_alphazero
from course_utils.networks.policy_value import TorchNetwork, make_network

at_home = "import torch\\n\\n\\ndef train_step(net, optimizer, planes, policy, value):\\n    raise RuntimeError"
record.save(record.Answer("train_step", at_home, 1, 1, True))  # brought into the tab
game = TicTacToe()
position = after(game, [0, 4, 8, 2, 6, 3])
network = TorchNetwork(make_network(game, seed=0))
untrained, shipped = agents.SearchAgent(game, network, 0), agents.load("tictactoe", 0)
run = Run.start(game, TrainingConfig(iterations=2, games=20, steps=50, gate_openings=5, gate_threshold=0), seed=0)
train_alphazero(run, ui.Dashboard(run))
at_once = Run.start(game, config_for(game, lockstep=True, iterations=5, games=64, steps=40), seed=0)
train(at_once, workers=0)
print(json.dumps(dict(
    torch="torch" in sys.modules,
    value=untrained.value(position),
    prior=untrained.policy(position).tolist(),
    visits=mcts_search(game, position, network, 32, 1.5).tolist(),
    shipped=shipped.policy(position).tolist(),
    four=agents.load("connect_four", 10).act(ConnectFour().initial_state()),
    losses=[entry["policy_loss"] for entry in run.history],
    losing=[grader(game)(one.champion)["losing lines"] for one in (run, at_once)],
)))
"""


@pytest.fixture(scope="module")
def without() -> dict:
    return json.loads(run(RUNNING_EXAMPLE))


def test_the_running_example_has_its_numbers(without):
    assert not without["torch"]
    assert round(without["value"], 3) == 0.166
    assert [round(without["prior"][cell], 3) for cell in (1, 5, 7)] == [0.342, 0.360, 0.298]
    assert [without["visits"][cell] for cell in (1, 5, 7)] == [2, 3, 27]


def test_the_shipped_agent_says_what_it_says_in_pytorch(without):
    state = GAME.initial_state()
    for cell in (0, 4, 8, 2, 6, 3):
        state = GAME.play(state, cell)
    net = load_network(agents.CHECKPOINTS / "tictactoe.pt", "tictactoe")
    theirs = agents.SearchAgent(GAME, policy_value.TorchNetwork(net), 0).policy(state)
    np.testing.assert_allclose(without["shipped"], theirs, atol=1e-6)
    assert without["four"] == 3  # the middle wins


def test_a_training_run_learns_what_it_learns_in_pytorch(without):
    config = training.TrainingConfig(iterations=1, games=20, steps=50, gate_openings=5, gate_threshold=0)
    theirs = training.Run.start(GAME, config, seed=0)
    training.train_alphazero(theirs)
    assert without["losses"][0] == pytest.approx(theirs.history[0]["policy_loss"], abs=0.01)
    assert max(without["losing"]) < 500  # the untrained network has 533


# --- the checks ------------------------------------------------------------------------------------------------------

IN_A_TAB = ["01", "03", "04", "11", "12", "13", "21"]  # notebooks with exercises that need no PyTorch
GRADE_ALL = """
from course_utils.course import build, site
from course_utils.exercise import EXERCISES
from course_utils.tests import grade as grading
from course_utils.tests.grade import CHECKS, grade
from course_utils.tests.scene import MAKES_SMALLER

grading.TELLING_APART = 0.0
MAKES_SMALLER.set(False)
for name, exercise in EXERCISES.items():
    if exercise.notebook == {notebook!r}:
        right = [exercise.reference, *(one for one in CHECKS[name].right if "import torch" not in source(one))]
        for answer in right[:{each}]:
            report = grade(name, answer)
            assert report.passed, (name, report)
        for entry in CHECKS[name].wrong[:{each}]:
            report = grade(name, entry.answer)
            assert not report.passed and not report.problem, (name, entry.name)
            assert entry.name in [match.name for match in report.matches], (name, entry.name)
        print(name)
"""


@pytest.mark.parametrize("each", [1, pytest.param(100, marks=pytest.mark.full)])
@pytest.mark.parametrize("notebook", IN_A_TAB)
def test_right_answers_pass_and_wrong_ones_are_named(notebook, each):
    graded = run("from inspect import getsource as source\n" + GRADE_ALL.format(notebook=notebook, each=each)).split()
    assert graded == [name for name, exercise in EXERCISES.items() if exercise.notebook == notebook]


# --- what needs it ---------------------------------------------------------------------------------------------------


def test_a_notebook_that_needs_pytorch_says_so_in_the_tab_with_the_way_on():
    texts = {source.name[:2]: site.without_torch(source) for source in build.sources()[:-1]}
    ways_on = {number: re.search(r"with \[.+\]\((\d\d)_\w+.ipynb\)", texts[number])[1] for number in site.NEED_TORCH}
    assert ways_on == {"02": "03", "05": "06", "22": "33", "31": "33", "32": "33", "35": "42", "41": "42"}


def test_a_cell_that_needs_pytorch_ends_in_one_sentence():
    """Whether the notebook imports PyTorch or the course's own code needs it."""
    cells = [
        "from course_utils import ui",
        "import torch.nn.functional as F",
        "from course_utils.networks.resnet import ResNet\nResNet(2, 3, 3, 9)",
    ]
    said = run(f"""
from IPython.core.interactiveshell import InteractiveShell

shell = InteractiveShell.instance()
for cell in {cells!r}:
    shell.run_cell(cell)
""")
    assert said.strip().splitlines() == [NOT_HERE] * 2


NOTEBOOK = """
from IPython.core.interactiveshell import InteractiveShell
from course_utils.course import build
from tests.test_notebooks import shortened

shell = InteractiveShell.instance()
for source in build.sources({number!r}):
    for cell in shortened(source).cells:
        if cell.cell_type == "code":
            code = build.reference(cell.metadata.exercise) if "exercise" in cell.metadata else cell.source
            shell.run_cell(code).raise_error()
print("the end")
"""


EVERY = [source.name[:2] for source in build.sources()]


@pytest.mark.parametrize(
    "number",
    [
        pytest.param(number, marks=() if number in ("00", "21") else pytest.mark.full)
        for number in EVERY
        if number not in site.NEED_TORCH
    ],
)
def test_a_notebook_runs_from_top_to_bottom(number, tmp_path, monkeypatch):
    monkeypatch.setenv("COURSE_RECORD", str(tmp_path))
    assert run(NOTEBOOK.format(number=number)).endswith("the end\n")
