"""The learner's notebooks: unfilled they fail at exactly their checks, which pass with the solutions.

(The solutions, whole, are run by nbval.)
"""

import ast
import inspect
import json
import re

import nbformat
import pytest
from jupyter_client.manager import AsyncKernelManager
from jupyter_core.utils import run_sync
from nbclient import NotebookClient

from course_utils import mine, names, record
from course_utils.answers import stubs
from course_utils.authoring import execute, pages
from course_utils.exercise import LEARNERS
from course_utils.games import TicTacToe
from course_utils.learner.course_map import Map
from course_utils.learning.config import TrainingConfig
from course_utils.learning.run import Run
from course_utils.learning.training import train_alphazero
from course_utils.material import build, source_files
from course_utils.paths import COURSE, SOLUTIONS
from course_utils.tests.notebook_03 import backup, expand, select_child

HALF = {  # of the notebook 'PUCT search', in the learner's own words
    "select_child": select_child.right_by_max,
    "expand": expand.right_step_by_step,
    "backup": backup.right_by_the_player,
}


BEGIN = f"""%reset -f
import os, sys
os.chdir({{folder!r}})
os.environ["COURSE_RECORD"] = {{record!r}}
sys.path.append({str(COURSE)!r})
from course_utils.exercise import LEARNERS
LEARNERS.restart()
"""  # a fresh start in a kernel that has all imported already, which takes seconds


def _record_half_of_puct_search():
    for name, function in HALF.items():
        source = re.sub(rf"def {function.__name__}\(", f"def {name}(", inspect.getsource(function))
        record.save(record.Answer(name, source, 1, 1, True))


def skeleton(source: source_files.Source):
    """Of the learner's notebook the exercises, their checks, and what these need: imports and what the course gives."""
    notebook = build.build(source)
    notebook.cells = [cell for cell in notebook.cells if cell.cell_type == "code" and _is_needed(cell)]
    return notebook


def _is_needed(cell) -> bool:
    only_imports = all(isinstance(node, ast.Import | ast.ImportFrom) for node in ast.parse(cell.source).body)
    return only_imports or not cell.metadata.keys().isdisjoint({"exercise", "check", "given"})


def with_solutions(notebook):
    """Behind each check, which fails at the stub: the solution, its check again, and the stub again, by whose name
    nothing below may call.
    """
    cells, open_cells = [], {}
    for cell in notebook.cells:
        cells.append(cell)
        open_cells.setdefault(cell.metadata.get("exercise"), cell.source)
        if name := cell.metadata.get("check"):
            cells += map(nbformat.v4.new_code_cell, (stubs.reference(name), cell.source, open_cells[name]))
    notebook.cells = cells
    return notebook


RUN = [source for source in source_files.sources() if source.exercises]


@pytest.fixture(scope="module")
def kernel():
    manager = AsyncKernelManager()
    yield manager
    run_sync(manager.shutdown_kernel)(now=True)


@pytest.mark.parametrize("source", RUN, ids=lambda source: source.name)
def test_a_notebook_fails_at_exactly_its_checks_which_pass_with_the_solutions(source, kernel, tmp_path, monkeypatch):
    notebook = with_solutions(skeleton(source))
    begin = BEGIN.format(folder=str(tmp_path), record=str(tmp_path / "record"))
    notebook.cells.insert(0, nbformat.v4.new_code_cell(begin))
    NotebookClient(notebook, km=kernel, timeout=600, allow_errors=True).execute()
    assert all(cell.execution_count for cell in notebook.cells)
    failed = {cell.id: error for cell in notebook.cells if (error := _error(cell))}
    checks = {
        cell.id: f"CheckFailed: {cell.metadata.check}: not written yet"
        for cell in notebook.cells
        if "check" in cell.metadata
    }
    assert failed == checks


@pytest.mark.parametrize("source", RUN, ids=lambda source: source.name)
def test_no_cell_calls_by_its_name_what_a_learner_may_not_have_written(source):
    """It takes it from `course_utils.mine`: yours where it passes, ours where it doesn't."""
    exercises: set[str] = set()
    for cell in build.build(source).cells:
        if cell.cell_type == "code" and cell.metadata.keys().isdisjoint({"exercise", "check"}):
            own = "\n".join(map(ast.unparse, _own_lines(cell.source)))
            assert not (names.reads(own) - names.defines(own)) & exercises, cell.source
            exercises -= names.defines(own)
        exercises |= {cell.metadata.get("exercise")} - {None}


def _own_lines(source: str) -> list[ast.stmt]:
    """But for those of functions and classes, which run when they are called."""
    inner = (ast.FunctionDef, ast.ClassDef)
    return [node for node in ast.parse(source).body if not isinstance(node, inner)]


def test_all_that_trains_in_notebook_00_is_written_on_the_main_road():
    text = next(source for source in source_files.sources("00")).path.read_text("utf-8")
    config = re.search(r"TrainingConfig\((.+)\), seed=0", text)[1]
    small = TrainingConfig(**eval(f"dict({config})") | dict(iterations=1, games=3, steps=2))
    run = Run.start(TicTacToe(), small, seed=0)
    LEARNERS.restart()  # it looks a function up at its first call
    train_alphazero(run)
    assert set(LEARNERS) == {name for source in source_files.sources("0") for name in source.exercises}


def test_each_text_that_names_minutes_or_hours_names_those_of_the_front_matters():
    for source in source_files.sources():
        text = "\n".join(cell.source for cell in build.build(source).cells)
        assert int(re.search(r"\*\*Time\*\*: (?:about )?(\d+) minutes", text)[1]) == source.minutes, source.name
    road = sum(source.minutes for source in source_files.sources() if source.main_road)
    [evening] = source_files.sources("10")
    hours = {
        number + half: f"{word}{' and a half' * (half > 0)} hours"
        for number, word in WORDS.items()
        for half in (0, 0.5)
    }
    words, short = (hours[round(minutes / 30) / 2] for minutes in (road, evening.minutes))
    for path, times in ((source_files.sources("00")[0].path, 1), (pages.README, 2)):
        assert path.read_text("utf-8").count(f"about {words}") == times, path
    for path in (evening.path, pages.README):
        assert short in path.read_text("utf-8"), path


def test_the_map_in_the_executed_welcome_is_the_map_of_today(tmp_path, monkeypatch):
    monkeypatch.setenv("COURSE_RECORD", str(tmp_path))
    notebook = nbformat.read(SOLUTIONS / "00_welcome.ipynb", 4)
    [printed] = [
        output.data["text/plain"]
        for cell in notebook.cells
        if cell.source.endswith("\nMap()")
        for output in cell.outputs
    ]
    titles = r"^  \d\d  .+ \(\d+ minutes\)$"
    assert re.findall(titles, printed, re.MULTILINE) == re.findall(titles, repr(Map()), re.MULTILINE)


WORDS = {2: "two", 3: "three", 6: "six", 7: "seven", 8: "eight", 9: "nine"}


def test_half_of_puct_search_is_listed_as_yours(tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("COURSE_RECORD", str(tmp_path / "record"))
    _record_half_of_puct_search()
    assert set(mine.yours()) == set(HALF)
    mine.whose()
    printed = capsys.readouterr().out
    assert "select_child (yours), select (ours), expand (yours), evaluate (ours), backup (yours)" in printed


def _run_cells(tmp_path, *sources):
    import nbformat

    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(source) for source in sources])
    return execute.run(notebook, tmp_path, allow_errors=True)


def _error(cell):
    return next(("\n".join(output.traceback) for output in cell.outputs if output.output_type == "error"), "")


def test_a_passing_answer_is_recorded_and_used(tmp_path, monkeypatch):
    monkeypatch.setenv("COURSE_RECORD", str(tmp_path / "record"))
    notebook = _run_cells(
        tmp_path,
        "from course_utils import tests, mine",
        "import numpy as np\n" + stubs.reference("value_targets") + "\nvalue_targets.mark = 'mine'",
        "tests.test_value_targets(value_targets)",
        "print(set(mine.yours()), mine.yours()['value_targets'].mark, mine.value_targets([1, -1], 1))",
        "def value_targets(players, winner):\n    return [0.0 for _ in players]",
        "tests.test_value_targets(value_targets)",
        "print(set(mine.yours()), mine.yours()['value_targets'].mark, mine.value_targets([1, -1], 1))",
    )
    assert [_error(cell) for cell in notebook.cells[:4]] == [""] * 4
    assert notebook.cells[3].outputs[0].text == "{'value_targets'} mine [ 1. -1.]\n"
    assert "Your earlier answer, which passed, stays in use" in notebook.cells[5].outputs[0].data["text/plain"]
    assert notebook.cells[6].outputs[0].text == "{'value_targets'} mine [ 1. -1.]\n"


def test_the_check_says_what_an_answer_called_and_records_it_with_its_helper(tmp_path, monkeypatch):
    monkeypatch.setenv("COURSE_RECORD", str(tmp_path / "record"))
    notebook = _run_cells(
        tmp_path,
        "from course_utils import tests\nfrom course_utils.search.puct import NO_ACTION",
        "def helper(node): return node.is_terminal",
        "def select_child(node, c_puct):\n    raise NotImplementedError('select_child is not written yet')",
        "def select(root, c_puct):\n    node = root\n    while not helper(node):\n        action = select_child(node, "
        "c_puct)\n"
        "        if action not in node.children:\n            return node, action\n        node = "
        "node.children[action]\n"
        "    return node, NO_ACTION",
        "tests.test_select(select)",
    )
    assert _error(notebook.cells[4]) == ""
    text = notebook.cells[4].outputs[0].data["text/plain"]
    assert "It called select_child (ours)." in text  # the stub above is never in the way
    assert "recorded" not in text
    kept = json.loads((tmp_path / "record" / "answers" / "select.json").read_text("utf-8"))["source"]
    assert "def helper(node)" in kept and "def select(root, c_puct)" in kept


def test_a_wrong_answer_shows_a_report_and_one_line_of_error(tmp_path, monkeypatch):
    monkeypatch.setenv("COURSE_RECORD", str(tmp_path / "record"))
    notebook = _run_cells(
        tmp_path,
        "from course_utils import tests",
        stubs.reference("backup")
        .replace("        value = -value\n", "")
        .replace("(leaf: Node, value: float)", "(leaf, value)"),
        "tests.test_backup(backup)",
    )
    assert _error(notebook.cells[2]) == "CheckFailed: backup: see above"
    data = notebook.cells[2].outputs[0].data
    assert "<section" in data["text/html"]
    assert "FAILED" in data["text/plain"]
    for text in data.values():
        assert "forgets to change the sign" in text


def test_cells_out_of_order_end_in_one_sentence(tmp_path, monkeypatch):
    monkeypatch.setenv("COURSE_RECORD", str(tmp_path / "record"))
    notebook = _run_cells(tmp_path, "from course_utils import tests\n\ntests.test_backup(backup)")
    assert _error(notebook.cells[0]) == (
        "NameError: backup is not defined yet: run the cells above this one first (menu Run > Run All Above Selected "
        "Cell)."
    )


def test_a_guess_without_its_quotes_is_told_so(tmp_path, monkeypatch):
    monkeypatch.setenv("COURSE_RECORD", str(tmp_path / "record"))
    notebook = _run_cells(
        tmp_path, "from course_utils import tests", 'tests.guess("learning-against-searching", trained)'
    )
    assert _error(notebook.cells[1]) == 'NameError: a word that you guess needs quotes: "trained".'


def test_the_courses_own_version_is_not_taken_for_an_answer(tmp_path, monkeypatch):
    monkeypatch.setenv("COURSE_RECORD", str(tmp_path / "record"))
    notebook = _run_cells(
        tmp_path, "from course_utils import tests\nfrom course_utils.mine import backup\n\ntests.test_backup(backup)"
    )
    assert "this is the course's own version" in _error(notebook.cells[0])


def test_a_cell_that_calls_its_check_is_graded_once_and_recorded_without_that_call(tmp_path, monkeypatch):
    monkeypatch.setenv("COURSE_RECORD", str(tmp_path / "record"))
    notebook = _run_cells(
        tmp_path,
        "from course_utils import mine, tests",
        "print('once')\n" + stubs.reference("value_targets").replace("def ", "import numpy as np\ndef ", 1) + "\n"
        "tests.test_value_targets(value_targets)",
        "print(set(mine.yours()))",
    )
    assert [_error(cell) for cell in notebook.cells] == ["", "", ""]
    outputs = notebook.cells[1].outputs
    assert [output.text for output in outputs if output.output_type == "stream"] == ["once\n"]
    [report] = [output.data["text/plain"] for output in outputs if output.output_type == "display_data"]
    assert "PASSED" in report
    assert "recorded" not in report
    assert notebook.cells[2].outputs[0].text == "{'value_targets'}\n"


def test_a_check_inside_a_check_does_nothing(tmp_path, monkeypatch):
    monkeypatch.setenv("COURSE_RECORD", str(tmp_path / "record"))
    notebook = _run_cells(
        tmp_path,
        "from course_utils import tests\nfrom functools import partial\nimport numpy as np",
        "def targets(players, winner):\n    tests.test_value_targets(targets)\n"
        "    return np.array(players, dtype=np.float32) * winner",
        "tests.test_value_targets(targets)",
    )
    assert _error(notebook.cells[2]) == ""
