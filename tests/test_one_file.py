"""`my_alphazero.py` holds the learner's own functions, runs without the course, and trains as the course does."""

import ast
import importlib
import inspect
import subprocess
import sys
from types import ModuleType

import numpy as np
import pytest

from course_utils import agents, record
from course_utils.answers.stubs import reference
from course_utils.exercise import CELL, LEARNERS, using
from course_utils.games import TicTacToe
from course_utils.learner.one_file import FILE, ROAD, one_file
from course_utils.learning.config import TrainingConfig
from course_utils.learning.proof import tictactoe_key
from course_utils.learning.run import Run
from course_utils.learning.training import train_alphazero
from course_utils.names import defines, needs, parsed
from course_utils.networks.policy_value import TorchNetwork
from course_utils.paths import NOTEBOOKS
from course_utils.tests.grade import CHECKS

RIGHT = [(name, answer) for name in ROAD for answer in CHECKS[name].right]
SMALL = dict(games=2, simulations=5, steps=4, batch=16)


@pytest.fixture(autouse=True)
def learner(tmp_path, monkeypatch):
    monkeypatch.setenv("COURSE_RECORD", str(tmp_path / "record"))
    LEARNERS.restart()
    yield
    LEARNERS.restart()


def passed(name: str, *cells: str) -> None:
    """Record an answer."""
    record.save(record.Answer(name, f"\n{CELL}\n".join(cells), 8, 8, True))


def as_recorded(name: str, answer) -> str:
    """A right answer of a check as a learner's cell: with what it needs of the check's file."""
    source = inspect.getsource(answer)
    lines = [line for name in sorted(needs(source)) for line in bound_in(inspect.getmodule(answer), name)]
    return "\n".join([*dict.fromkeys(lines), source, f"{name} = {answer.__name__}"])


def bound_in(module: ModuleType, name: str) -> list[str]:
    """The lines of a module that bind this name, after those that they need; a check's own helpers are written out."""
    for node in parsed(inspect.getsource(module)).body:
        text = ast.unparse(node)
        if name not in defines(text):
            continue
        if isinstance(node, ast.ImportFrom) and node.module.startswith("course_utils.tests"):
            return bound_in(importlib.import_module(node.module), name)
        needed = [] if isinstance(node, ast.Import | ast.ImportFrom) else sorted(needs(text))
        return [*(line for name in needed for line in bound_in(module, name)), text]
    return []


def loaded(text: str, monkeypatch) -> ModuleType:
    """The file as a module, where no module of the course can be imported."""
    module = ModuleType("my_alphazero")
    monkeypatch.setitem(sys.modules, "my_alphazero", module)
    exec(compile(text, FILE, "exec", dont_inherit=True), vars(module))
    return module


def after_an_iteration(run, train) -> list[np.ndarray]:
    train(run)
    return [weight.numpy() for weight in run.network.state_dict().values()]


def an_iteration_of(text: str, monkeypatch) -> list[np.ndarray]:
    file = loaded(text, monkeypatch)
    return after_an_iteration(
        file.Run.start(file.TicTacToe(), file.TrainingConfig(iterations=1, **SMALL), 3), file.train_alphazero
    )


def an_iteration_of_the_course() -> list[np.ndarray]:
    return after_an_iteration(Run.start(TicTacToe(), TrainingConfig(iterations=1, **SMALL), 3), train_alphazero)


def modules_of(text: str) -> set[str]:
    nodes = list(ast.walk(ast.parse(text)))
    named = {alias.name for node in nodes if isinstance(node, ast.Import) for alias in node.names}
    return {name.split(".")[0] for name in named | {node.module for node in nodes if isinstance(node, ast.ImportFrom)}}


# --- with the course's functions -------------------------------------------------------------------------------------


def test_it_has_all_functions_of_the_main_road_and_needs_numpy_and_torch_only(monkeypatch):
    text = one_file("Ada")
    assert "course_utils" not in text
    assert modules_of(text) - sys.stdlib_module_names == {"numpy", "torch"}
    assert text.count("# the course's\n") == len(ROAD) == 21
    file = loaded(text, monkeypatch)
    assert all(callable(getattr(file, name)) for name in ROAD)
    assert needs(text) == set()


def test_an_iteration_ends_with_the_weights_of_the_courses_own_loop(monkeypatch):
    expected, got = an_iteration_of_the_course(), an_iteration_of(one_file(), monkeypatch)
    assert all(np.array_equal(a, b) for a, b in zip(expected, got, strict=True))


def test_its_losing_lines_are_those_of_the_walk_over_all_positions(monkeypatch):
    file, key = loaded(one_file(), monkeypatch), tictactoe_key()
    for seed in (0, 1):
        net = file.make_network(file.TicTacToe(), seed)
        moves = key.moves(TorchNetwork(net), 0)
        assert file.losing_lines(file.TicTacToe(), file.SearchAgent(file.TicTacToe(), file.TorchNetwork(net), 0)) == (
            key.losing_lines(moves)
        )


def test_alphazero_on_one_page_proves_the_same_of_its_networks(monkeypatch):
    file, one_page = loaded(one_file(), monkeypatch), ModuleType("one_page")
    exec(compile((NOTEBOOKS / "alphazero_on_one_page.py").read_text("utf-8"), "one_page", "exec"), vars(one_page))
    for learned in (False, True):
        net, same = file.make_network(file.TicTacToe(), 1), one_page.Net()
        if learned:
            net.load_state_dict(agents.load("tictactoe").network.net.state_dict())
        layers = zip(
            (net.trunk[1], net.trunk[3], net.policy_head, net.value_head),
            (same.trunk[0], same.trunk[2], same.policy, same.value),
            strict=True,
        )
        for ours, theirs in layers:
            theirs.load_state_dict(ours.state_dict())
        lost = file.losing_lines(file.TicTacToe(), file.SearchAgent(file.TicTacToe(), file.TorchNetwork(net), 0))
        assert [count > 0 for count in lost] == [one_page.losing_positions(same, first) > 0 for first in (True, False)]
        assert (sum(lost) == 0) == learned


@pytest.mark.slow
def test_it_trains_a_player_that_never_loses(tmp_path):
    path = tmp_path / FILE
    path.write_text(one_file(), "utf-8")
    done = subprocess.run([sys.executable, "-I", path], cwd=tmp_path, capture_output=True, text=True, check=True)
    *_, alone, searched = done.stdout.splitlines()
    assert alone.startswith("With 0 simulations for each move it loses none")
    assert searched.startswith("With 50 simulations for each move it loses none")


# --- with the learner's ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("name", "answer"), RIGHT, ids=[f"{name}-{answer.__name__}" for name, answer in RIGHT])
def test_a_right_answer_written_differently_is_in_it_and_runs(name, answer, monkeypatch):
    passed(name, as_recorded(name, answer))
    text = one_file()
    assert text.count("# yours\n") == 1, [line for line in text.splitlines() if line.startswith("# the course's (")]
    assert "course_utils" not in text
    with using({name: answer}):
        expected = an_iteration_of_the_course()
    got = an_iteration_of(text, monkeypatch)
    assert all(np.allclose(a, b, atol=1e-5) for a, b in zip(expected, got, strict=True))


def test_all_right_answers_together_train(monkeypatch):
    for name in ROAD:
        passed(name, as_recorded(name, dict(RIGHT)[name]))
    text = one_file("Ada")
    assert text.count("# yours\n") == 21 and "21 of the 21 functions are by Ada." in text
    with using(dict(RIGHT)):
        expected = an_iteration_of_the_course()
    assert all(np.allclose(*pair, atol=1e-5) for pair in zip(expected, an_iteration_of(text, monkeypatch), strict=True))


ODD = {
    "helpers of one name in two answers": {
        "backup": ["def step(value):\n    return -value", reference("backup").replace("value = -value", "value = step(value)")],
        "value_targets": [
            "def step(players, winner):\n    return [p * winner for p in players]",
            "def value_targets(p, w):\n    return np.array(step(p, w), dtype=np.float32)",
        ],
    },
    "a method": {
        "winner": ["class Rules:\n    LINES = ((0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6))\n\n"
                   "    @staticmethod\n    def winner(state):\n        sums = [sum(state.cells[c] for c in line) for line in Rules.LINES]\n"
                   "        return (3 in sums) - (-3 in sums)\n\nwinner = Rules.winner"],
    },
    "a class with state, which is called": {
        "sample_action": ["class Sampler:\n    def __init__(self):\n        self.count = 0\n    def __call__(self, visits, temperature, rng):\n"
                          "        self.count += 1\n        if not temperature:\n            return int(np.argmax(visits))\n"
                          "        weights = (visits / visits.max()) ** (1 / temperature)\n        return int(rng.choice(len(weights), p=weights / weights.sum()))\n",
                          "sample_action = Sampler()"],
    },
    "a global, imports of its own, and lines that only try it": {
        "select_child": ["import math\nfrom math import *\ncalls = 0",
                         "None\nimport matplotlib.pyplot as plt\nfrom course_utils import mine, ui\nfrom course_utils.search.puct import Node as Knot\n"
                         "# how curious\ndef bonus(node: Knot, c):\n    global calls\n    calls += 1\n    return c * node.P * sqrt(1 + math.fsum(node.N)) / (1 + node.N)\n\n"
                         "def select_child(knot, c):\n    return int(np.where(knot.legal, knot.Q + bonus(knot, c), -np.inf).argmax())\n\n"
                         "ui.play('tictactoe')\nprint(select_child(None, 1))\nplt.plot([1])"],
    },
    "names of the course from `mine`, and imports within": {
        "expand": ["from course_utils import mine\n",
                   "def expand(node, action, game):\n    from course_utils.search.puct import Node, backup as other\n    assert callable(other) and callable(mine.backup)\n"
                   "    node.children[action] = Node(game, game.play(node.state, action), node, action)\n    return node.children[action]"],
    },
    "a table that a loop fills, and a text over some lines": {
        "winner": ['TEXT = """\n  012 345\n 678"""\nlines = [[int(c) for c in part] for part in TEXT.split()]',
                   "for c in range(3):\n    lines.append([c, c + 3, c + 6])\nlines += [[0, 4, 8], [2, 4, 6]]",
                   "def winner(s):\n    return next((s.cells[a] for a, b, c in lines if s.cells[a] and s.cells[a] == s.cells[b] == s.cells[c]), 0)"],
    },
}  # fmt: skip


@pytest.mark.parametrize("answers", ODD.values(), ids=ODD)
def test_an_odd_answer_runs_as_it_does_in_the_course(answers, monkeypatch):
    for name, cells in answers.items():
        passed(name, *cells)
    text = one_file()
    assert text.count("# yours\n") == len(answers), [
        line for line in text.splitlines() if line.startswith("# the course's (")
    ]
    assert "course_utils" not in text and "matplotlib" not in text
    expected = an_iteration_of_the_course()
    assert not LEARNERS.broken and set(LEARNERS.sources) == set(answers)
    assert all(np.array_equal(*pair) for pair in zip(expected, an_iteration_of(text, monkeypatch), strict=True))


@pytest.mark.parametrize(
    ("cells", "why"),
    [
        (["from course_utils.learning.exam import exam", "def backup(leaf, value):\n    exam('tictactoe')"], "it needs exam of the course"),
        (["import scipy.special", "def backup(leaf, value):\n    return scipy.special.softmax(value)"], "it needs scipy"),
        (["def backup(leaf, value):\n    display(leaf)"], "it uses display"),
        (["SCALE = winner(TicTacToe)\n\ndef backup(leaf, value):\n    return SCALE"], "there it raises AttributeError"),
    ],
)  # fmt: skip
def test_where_an_answer_cannot_be_in_one_file_the_courses_is_and_the_comment_says_why(cells, why, monkeypatch):
    passed("backup", *cells)
    monkeypatch.setattr(
        "course_utils.learner.one_file.yours", lambda: {"backup": None}
    )  # whatever a check would say of it
    LEARNERS.sources["backup"] = f"\n{CELL}\n".join(cells)
    text = one_file()
    assert f"# the course's (yours has passed, but can't be in one file: {why}" in text
    with using({}):
        expected = an_iteration_of_the_course()
    assert all(np.array_equal(*pair) for pair in zip(expected, an_iteration_of(text, monkeypatch), strict=True))


def test_a_name_is_only_text(monkeypatch):
    text = one_file('Ada"""\nimport os\n\\')
    assert "os" not in modules_of(text)
    loaded(text, monkeypatch)


def test_what_is_switched_off_is_the_courses():
    passed("backup", reference("backup"))
    assert one_file().count("# yours\n") == 1
    LEARNERS.off.add("backup")
    LEARNERS.refresh()
    assert one_file().count("# yours\n") == 0
