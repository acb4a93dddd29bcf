"""The course with the small torch in PyTorch's place, as in a browser tab: in a Python of its own."""

import json
import re

import numpy as np
import pytest

from course_utils import agents
from course_utils.answers import stubs
from course_utils.authoring import site
from course_utils.exercise import EXERCISES
from course_utils.games import ConnectFour, TicTacToe, after
from course_utils.learning.config import TrainingConfig
from course_utils.learning.run import Run
from course_utils.learning.training import train_alphazero
from course_utils.material import build, source_files
from course_utils.networks import policy_value
from course_utils.networks.checkpoint import load_network
from tests.tab_torch import run, small

pytestmark = pytest.mark.slow

GAME = TicTacToe()

# --- the course ------------------------------------------------------------------------------------------------------

RUNNING_EXAMPLE = """
import json, os, tempfile

os.environ["COURSE_RECORD"] = tempfile.mkdtemp()
import torch
from course_utils import agents, mine, ui
from course_utils.games import ConnectFour, TicTacToe, after
from course_utils.learning.engine import train
from course_utils.learning.config import TrainingConfig, config_for
from course_utils.learning.run import Run
from course_utils.mine import mcts_search, train_alphazero
from course_utils.networks.policy_value import TorchNetwork, make_network

game = TicTacToe()
position = after(game, [0, 4, 8, 2, 6, 3])
network = TorchNetwork(make_network(game, seed=0))
untrained, shipped = agents.SearchAgent(game, network, 0), agents.load("tictactoe", 0)
run = Run.start(game, TrainingConfig(iterations=1), seed=0)
train_alphazero(run, ui.Dashboard(run))
path = os.environ["COURSE_RECORD"] + "/state.pt"
run.save(path)
again = Run.resume(path, game)
mine.save_agent(again.network, "tictactoe")
at_once = Run.start(game, config_for(game, lockstep=True, iterations=1, games=64, steps=5), seed=0)
train(at_once, workers=0)
four = agents.load("connect_four", 10)
boards = [ConnectFour().encode(after(ConnectFour(), [3, 3, 2, 4][:plies]))[None] for plies in range(5)]
print(json.dumps(dict(
    torch=torch.__version__,
    value=untrained.value(position),
    prior=untrained.policy(position).tolist(),
    visits=mcts_search(game, position, network, 32, 1.5).tolist(),
    shipped=shipped.policy(position).tolist(),
    four=[part.tolist() for board in boards for part in four.network(board)],
    first=four.act(ConnectFour().initial_state()),
    losses=[run.history[0][name] for name in ("policy_loss", "value_loss")],
    same=[run.agent(one.network, 0).policy(position).tolist() for one in (run, again)],
    yours=mine.agent("tictactoe", simulations=50, quiet=True).act(after(game, [0])),
    at_once=len(at_once.history),
)))
"""


@pytest.fixture(scope="module")
def in_the_tab() -> dict:
    return json.loads(run(RUNNING_EXAMPLE).splitlines()[-1])


def test_the_running_example_has_its_numbers(in_the_tab):
    assert in_the_tab["torch"] == small.__version__
    assert round(in_the_tab["value"], 3) == 0.166
    assert [round(in_the_tab["prior"][cell], 3) for cell in (1, 5, 7)] == [0.342, 0.360, 0.298]
    assert [in_the_tab["visits"][cell] for cell in (1, 5, 7)] == [2, 3, 27]


def test_the_shipped_agents_say_what_they_say_in_pytorch(in_the_tab):
    net = load_network(agents.CHECKPOINTS / "tictactoe.pt", "tictactoe")
    position = after(GAME, [0, 4, 8, 2, 6, 3])
    theirs = agents.SearchAgent(GAME, policy_value.TorchNetwork(net), 0).policy(position)
    np.testing.assert_allclose(in_the_tab["shipped"], theirs, atol=1e-6)
    game = ConnectFour()
    four = agents.load("connect_four", 10).network
    expected = [value for plies in range(5) for value in four(game.encode(after(game, [3, 3, 2, 4][:plies]))[None])]
    for ours, theirs in zip(in_the_tab["four"], expected, strict=True):
        np.testing.assert_allclose(ours, theirs, atol=1e-4)
    assert in_the_tab["first"] == 3  # the middle wins


def test_one_iteration_of_training_has_pytorchs_losses_to_four_digits(in_the_tab):
    theirs = Run.start(GAME, TrainingConfig(iterations=1), seed=0)
    train_alphazero(theirs)
    expected = [theirs.history[0][name] for name in ("policy_loss", "value_loss")]
    assert in_the_tab["losses"] == pytest.approx(expected, rel=1e-4)


def test_a_run_and_an_agent_of_ones_own_are_kept_and_come_back(in_the_tab):
    before, after = in_the_tab["same"]
    assert before == after
    assert in_the_tab["yours"] in range(1, 9)
    assert in_the_tab["at_once"] == 1


# --- the checks ------------------------------------------------------------------------------------------------------

IN_A_TAB = [
    "01",
    "02",
    "03",
    "04",
    "05",
    "11",
    "12",
    "13",
    "14",
    "21",
    "22",
]  # notebooks with exercises that need no convolution
GRADE_ALL = """
from course_utils.answers import stubs
from course_utils.material import build
from course_utils.material import source_files
from course_utils.authoring import site
from course_utils.exercise import EXERCISES
from course_utils.tests import grade as grading
from course_utils.tests.grade import CHECKS, grade
from course_utils.tests.scene import SHRINKING

grading.TELLING_APART = 0.0
SHRINKING.set(False)
for name, exercise in EXERCISES.items():
    if exercise.notebook == {notebook!r}:
        right = [exercise.reference, *CHECKS[name].right]
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
    graded = run(GRADE_ALL.format(notebook=notebook, each=each)).split()
    assert graded == [name for name, exercise in EXERCISES.items() if exercise.notebook == notebook]


# --- what needs PyTorch itself ---------------------------------------------------------------------------------------


def test_a_notebook_with_convolutions_says_so_in_the_tab_with_the_way_on():
    texts = {
        source.name[:2]: site.with_convolutions(source, source_files.sources())
        for source in source_files.sources()[:-1]
    }
    ways_on = {
        number: re.search(r"with \[.+\]\((\d\d)_\w+.ipynb\)", texts[number])[1] for number in site.NEED_CONVOLUTIONS
    }
    assert ways_on == {"31": "33", "32": "33"}


def test_a_cell_that_needs_more_than_the_small_torch_has_ends_in_one_sentence():
    """Whether the notebook asks torch for it, imports it, or the course's own code needs it."""
    cells = [
        "from course_utils import ui\nimport torch",
        "torch.nn.functional.conv2d",
        "import torch.fft",
        "from course_utils.networks.resnet import ResNet\nResNet(2, 3, 3, 9)",
        "torch.ones(2).svd()",
    ]
    message = run(f"""
from IPython.core.interactiveshell import InteractiveShell

shell = InteractiveShell.instance()
for cell in {cells!r}:
    shell.run_cell(cell)
""")
    names = ["torch.nn.functional.conv2d", "torch.fft", "torch.nn.Conv2d", "Tensor.svd"]
    assert message.strip().splitlines() == [small.missing.sentence(name) for name in names]


NOTEBOOK = """
from IPython.core.interactiveshell import InteractiveShell

shell = InteractiveShell.instance()
for cell in {cells!r}:
    shell.run_cell(cell).raise_error()
print("the end")
"""


@pytest.mark.parametrize(
    "number",
    [
        pytest.param(number, marks=() if number in ("00", "02") else pytest.mark.full)
        for number in (source.name[:2] for source in source_files.sources())
        if number not in site.NEED_CONVOLUTIONS
    ],
)
def test_a_notebook_runs_from_top_to_bottom(number, tmp_path, monkeypatch):
    monkeypatch.setenv("COURSE_RECORD", str(tmp_path))
    (source,) = source_files.sources(number)
    cells = [
        stubs.reference(cell.metadata.exercise) if "exercise" in cell.metadata else cell.source
        for cell in build.build(source).cells
        if cell.cell_type == "code"
    ]
    assert run(NOTEBOOK.format(cells=cells)).endswith("the end\n")
