"""Progress, read from notebooks and from the record; resetting one exercise."""

import argparse
import copy
import os
import re
import shutil
import subprocess
import sys

import nbformat
import numpy as np
import pytest

from course_utils import commands, record
from course_utils.answers import notebook_file, stubs
from course_utils.answers.cells import Cell
from course_utils.answers.program import Program
from course_utils.answers.running import run
from course_utils.exercise import EXERCISES, LEARNERS, bind, yours
from course_utils.learner import course_map, environment, progress
from course_utils.material import build, manifest, merging, source_files
from course_utils.networks import by_hand
from course_utils.paths import COURSE
from course_utils.tests.grade import CHECKS
from course_utils.tests.learner import STUB_LEFT, left_open, run_check


@pytest.fixture(scope="module")
def unfilled():
    """File name -> text of every notebook as it is built."""
    return {f"{source.name}.ipynb": merging.to_text(build.build(source)) for source in source_files.sources()}


class InThisProcess:
    """Grades without the subprocess of `progress.Grader`, which takes seconds to start."""

    def __enter__(self):
        return self

    def __exit__(self, *_):
        pass

    def state(self, name, program):
        return progress._graded(name, program, run(program, name))


@pytest.fixture
def notebooks(copies, monkeypatch):
    """A learner's copy of the notebooks, which are graded in this process."""
    monkeypatch.setattr(progress, "Grader", InThisProcess)
    return copies


@pytest.fixture
def copies(unfilled, tmp_path, monkeypatch):
    """A learner's copy of the notebooks, all unfilled."""
    folder = tmp_path / "notebooks"
    folder.mkdir()
    for name, text in unfilled.items():
        (folder / name).write_text(text)
    monkeypatch.setattr(progress, "NOTEBOOKS", folder)
    monkeypatch.setenv("COURSE_RECORD", str(tmp_path / "record"))
    return folder


def _path(folder, exercise):
    return next(folder.glob(f"{EXERCISES[exercise].notebook}_*.ipynb"))


def _fill(folder, exercise, source):
    path = _path(folder, exercise)
    notebook = notebook_file.read_notebook(path)
    next(cell for cell in notebook.cells if cell.metadata.get("exercise") == exercise).source = source
    path.write_text(merging.to_text(notebook))


def _insert(folder, exercise, source):
    """A cell of the learner's own near the top of the exercise's notebook."""
    path = _path(folder, exercise)
    notebook = notebook_file.read_notebook(path)
    notebook.cells.insert(2, nbformat.v4.new_code_cell(source))
    path.write_text(merging.to_text(notebook))


def _states(folder):
    return {state.exercise: state for state in progress.exercise_states(folder)}


def test_nothing_is_done_in_a_fresh_copy(notebooks):
    states = list(progress.exercise_states(notebooks))
    assert {state.exercise for state in states} == set(EXERCISES)
    assert {state.status for state in states} == {"to do"}


def test_done_wrong_and_broken_cells_are_told_apart(copies):
    _fill(copies, "backup", "# my own words\n" + stubs.reference("backup"))
    _fill(copies, "value_targets", "def value_targets(players, winner):\n    return [0.0 for _ in players]")
    _fill(copies, "winner", "def winner(state):\n    return (")
    states = _states(copies)
    assert states["backup"].status == "done"
    assert states["value_targets"].status == "wrong"
    assert "points" in states["value_targets"].detail
    assert states["winner"].status == "wrong"
    assert "SyntaxError" in states["winner"].detail
    assert states["play"].status == "to do"


def test_a_damaged_notebook_is_named_and_the_others_still_count(notebooks):
    _path(notebooks, "backup").write_text("{")
    (notebooks / "deep.ipynb").write_text("[" * 100_000)
    _fill(notebooks, "winner", "# mine\n" + stubs.reference("winner"))
    states = list(progress.exercise_states(notebooks))
    wrong = [state.detail for state in states if state.status == "wrong"]
    assert [detail.partition(" can't be read")[0] for detail in wrong] == [
        _path(notebooks, "backup").name,
        "deep.ipynb",
    ]
    assert [state.exercise for state in states if state.status == "done"] == ["winner"]


def test_a_renamed_notebook_is_found_by_its_exercises(notebooks):
    _fill(notebooks, "backup", "# mine\n" + stubs.reference("backup"))
    _path(notebooks, "backup").rename(notebooks / "my homework (2).ipynb")
    states = _states(notebooks)
    assert states["backup"].status == "done"
    assert {state.status for name, state in states.items() if name != "backup"} == {"to do"}


def test_reset_puts_one_exercise_back(notebooks):
    _fill(notebooks, "backup", "def backup(leaf, value): ...")
    _fill(notebooks, "select", "def select(root, c_puct): ...")
    record.save(record.Answer("backup", "...", 1, 1, True))
    progress.reset("backup")
    states = _states(notebooks)
    assert states["backup"].status == "to do"
    assert states["select"].status == "wrong"
    assert record.load("backup") is None
    with pytest.raises(ValueError, match="no exercise is called 'bakcup'"):
        progress.reset("bakcup")


EVENING = ("select_child", "backup", "sample_action", "value_targets", "train_alphazero")
LINES = {  # of train_alphazero in the notebook "One evening": the open line, as a learner writes it
    1: "games = [self_play_game(game, network, rng, **settings) for _ in range(config.games)]",
    2: "buffer.add(examples, game)",
    3: "losses = [train_step(run.network, run.optimizer, *one) for one in batches]",
}


def _fill_evening(folder, exercise, change):
    """Change the text of this exercise's cell in the notebook "One evening"; its path."""
    [path] = folder.glob("10_*.ipynb")
    notebook = notebook_file.read_notebook(path)
    cell = next(cell for cell in notebook.cells if cell.metadata.get("exercise") == exercise)
    cell.source = change(cell.source)
    path.write_text(merging.to_text(notebook))
    return path


def _with_lines(*numbers):
    def write(text):
        for number in numbers:
            hole = rf"# your line {number} here\n +raise NotImplementedError\(.+\)"
            text, count = re.subn(hole, LINES[number], text)
            assert count == 1
        return text

    return write


def test_what_passes_in_one_evening_has_passed_on_the_main_road(notebooks):
    _fill_evening(notebooks, "backup", lambda _: "# mine\n" + stubs.reference("backup"))
    _fill_evening(notebooks, "train_alphazero", _with_lines(1, 2, 3))
    states = _states(notebooks)
    assert [name for name, state in states.items() if state.status == "done"] == ["backup", "train_alphazero"]
    assert {states[name].status for name in states.keys() - {"backup", "train_alphazero"}} == {"to do"}
    assert "# mine" in record.load("backup").source
    assert [
        notebook.exercises.count("backup") for notebook in course_map.Map().notebooks if "backup" in notebook.exercises
    ] == [1, 1]
    assert course_map.Map().main_road == "On the main road 2 of 19 functions are yours."


@pytest.mark.parametrize(
    ("written", "says"),
    [((1,), "line 2 of 3 is not written yet"), ((2, 3), "line 1 of 3 is not written yet")],
)
def test_of_a_template_the_first_line_that_is_open_is_named(notebooks, written, says):
    text = stubs.template("train_alphazero", ["games = ", "buffer.add", "losses = "])
    assert left_open("train_alphazero", text) == ""
    assert left_open("train_alphazero", _with_lines(*written)(text)) == says


@pytest.mark.parametrize("number", [1, 2, 3])
@pytest.mark.parametrize("others_written", [True, False])
@pytest.mark.parametrize("below", [True, False])
@pytest.mark.parametrize("own", [False, True])
def test_a_line_of_a_template_whose_raise_is_still_there_is_not_called_unwritten(number, others_written, below, own):
    text = stubs.template("train_alphazero", ["games = ", "buffer.add", "losses = "])
    earlier = [line_number for line_number in LINES if line_number < number]
    text = _with_lines(*earlier, *(line_number for line_number in LINES if line_number > number and others_written))(
        text
    )
    line = "for one in [1]:\n            mine = one" if own and number != 2 else LINES[number]
    hole = re.search(rf"# your line {number} here\n( +)(raise NotImplementedError\(.+\))", text)
    lines = [hole[2], line] if below else [line, hole[2]]
    text = text.replace(hole[0], f"\n{hole[1]}".join(lines))
    assert left_open("train_alphazero", text) == STUB_LEFT


def test_reset_empties_an_exercise_wherever_it_stands(notebooks):
    _fill(notebooks, "backup", "# at home\ndef backup(leaf, value): ...")
    evening = _fill_evening(notebooks, "backup", lambda _: "# in the evening\ndef backup(leaf, value): ...")
    assert progress.reset("backup")[0] == [_path(notebooks, "backup"), evening]
    assert _states(notebooks)["backup"].status == "to do"
    assert "# in the evening" not in evening.read_text()


def test_who_works_in_one_evening_comes_back_to_it(notebooks, monkeypatch):
    monkeypatch.setattr(commands, "NOTEBOOKS", notebooks)
    record.save(record.Answer("backup", "...", 8, 8, True))
    home = _path(notebooks, "backup").name
    assert commands.notebook_to_open() == home  # begun in neither
    evening = _fill_evening(notebooks, "backup", lambda _: stubs.reference("backup"))
    assert commands.notebook_to_open() == evening.name
    _fill(notebooks, "backup", stubs.reference("backup"))
    os.utime(evening, (1, 1))
    assert commands.notebook_to_open() == home  # saved last


def test_cells_run_once_for_make_check_and_all_later_calls(tmp_path, monkeypatch):
    monkeypatch.setenv("COURSE_RECORD", str(tmp_path))
    letters = tmp_path / "letters"
    source = f"# mine\nopen({str(letters)!r}, 'a').write('x')\n\ndef relu(x):\n    return np.maximum(x, 0)\n"
    cell = Cell("21.ipynb", 3, "code", source, {"exercise": "relu"})
    program = Program("import numpy as np", (cell.source,), "relu", cell, ())
    assert progress._graded("relu", program, run(program, "relu")).status == "done"
    assert "relu" in yours() and by_hand.relu(np.array([-1.0, 2.0])).tolist() == [0, 2]
    assert letters.read_text() == "x"
    LEARNERS.restart()  # as in another process
    assert by_hand.relu(np.array([-1.0, 2.0])).tolist() == [0, 2]
    assert letters.read_text() == "xx"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("helper", "below", "status", "says"),
    [
        ("sys.exit()", "", "done", ""),
        ("raise SystemExit(3)", "", "wrong", "raised SystemExit: 3"),  # the helper's name is not there yet
        ("", "who = input('who plays? ')", "done", ""),
        ("", "import os; os._exit(0)", "wrong", "ended Python"),
        ("while True: pass", "", "wrong", "is there a loop that never ends?"),
    ],
)
def test_what_ends_python_or_never_ends_is_a_row_and_the_next_exercise_is_graded(
    copies, monkeypatch, capsys, helper, below, status, says
):
    """As in a class that is graded: what a cell has defined before it ended counts."""
    monkeypatch.setattr(progress.Grader, "limits", {"a cell": 8 if "while" in helper else 60, "its check": 300})
    answer = "# mine\ndef relu(x):\n    return clipped(x)\n"
    defined = "def clipped(x):\n    return x * (x > 0)"
    lines = ["import sys", helper, defined] if helper.startswith("raise") else ["import sys", defined, helper]
    _fill(copies, "relu", answer + below)
    _insert(copies, "relu", "\n".join(lines))
    _fill(copies, "backup", "# mine\n" + stubs.reference("backup"))
    monkeypatch.setattr(progress.exercise_states, "__defaults__", (copies,))
    assert commands.progress(argparse.Namespace(), []) == int(status == "wrong")
    printed = capsys.readouterr().out
    [row] = [line for line in printed.splitlines() if " relu " in line]
    assert f" {status} " in row and says in row
    [row] = [line for line in printed.splitlines() if " backup " in line]
    assert " done " in row
    assert "nothing was graded" not in printed


@pytest.mark.parametrize(
    ("body", "says"),
    [
        ("while True: pass", "took longer than"),
        ("return input('x? ')", "in line 3 of your cell: `return input('x? ')`"),
        ("raise SystemExit(3)", "It raised SystemExit: 3, in line 3 of your cell"),
        ("return np.max(x, 0)", "This is what you get when"),
        ("return x.clone()", "It raised AttributeError: 'numpy.ndarray' object has no attribute 'clone'"),
        ("return np.maximum(x, 1)", 'The case "'),
    ],
)  # fmt: skip
def test_make_check_says_why_an_answer_is_wrong(body, says, monkeypatch):
    cases = CHECKS["relu"].cases

    def short_cases(rng):
        for case in cases(rng):
            case.seconds = 0.2
            yield case

    if body == "while True: pass":
        monkeypatch.setattr(CHECKS["relu"], "cases", short_cases)
    cell = Cell("21.ipynb", 3, "code", f"# mine\ndef relu(x):\n    {body}\n", {"exercise": "relu"})
    fresh = Program("", (cell.source,), "relu", cell, ())
    detail = progress._graded("relu", fresh, run(fresh, "relu")).detail
    assert says in detail and " cases, 0 of 9 points. " in detail, detail


def test_where_the_record_cannot_be_written_a_right_answer_passes_and_that_is_said(tmp_path, monkeypatch, capsys):
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("COURSE_RECORD", str(tmp_path / "file" / "record"))
    source = "def relu(x):\n    return np.maximum(x, 0)\n"
    cell = Cell("21.ipynb", 0, "code", source, {"exercise": "relu"})
    program = Program("import numpy as np", (source,), "relu", cell, ())
    status = progress._graded("relu", program, run(program, "relu"))
    assert status.status == "done"
    assert "; not recorded: Not a directory" in status.detail
    run_check("relu", bind("relu", f"import numpy as np\n{source}"))
    assert "PASSED" in (text := capsys.readouterr().out) and "Not recorded: Not a directory." in text
    [sentence] = environment.problems()
    assert sentence.startswith("Your progress can't be recorded (Not a directory")


def test_make_check_names_each_cell_that_raised_and_what():
    helper, own = Cell("21.ipynb", 0, "code", "1 / 0"), Cell("21.ipynb", 1, "code", "no_such", {"exercise": "relu"})
    fresh = Program("", (helper.source, own.source), "relu", own, (helper,))
    detail = progress._graded("relu", fresh, run(fresh, "relu")).detail
    assert (
        "cell 1 of 21.ipynb raised ZeroDivisionError: division by zero; cell 2 of 21.ipynb raised NameError" in detail
    )


def test_where_nothing_is_filled_in_nothing_is_said_to_have_passed(notebooks, monkeypatch, capsys):
    monkeypatch.setattr(progress.exercise_states, "__defaults__", (notebooks,))
    assert commands.progress(argparse.Namespace(), []) == 0
    *lines, last = capsys.readouterr().out.splitlines()
    assert len(lines) == len({source.name for source in manifest.homes().values()}), "a line for each notebook"
    assert all(re.fullmatch(r"\w+ +\d+ to do", line) for line in lines)
    assert last == f"{len(EXERCISES)} exercises to do. Nothing was graded, because none is filled in yet."


def test_a_notebook_that_is_begun_has_a_line_for_each_graded_exercise_and_one_for_the_others(
    notebooks, monkeypatch, capsys
):
    _fill(notebooks, "winner", "# mine\n" + build.reference("winner"))
    _fill(notebooks, "play", "def play(state, action):\n    return state")
    monkeypatch.setattr(progress.exercise_states, "__defaults__", (notebooks,))
    assert commands.progress(argparse.Namespace(), []) == 1
    begun, done, wrong, open_line, *others, last = capsys.readouterr().out.splitlines()
    assert begun == "01_the_game"
    assert done.split()[:2] == ["done", "winner"] and wrong.split()[:2] == ["wrong", "play"]
    assert open_line == "  to do  is_terminal, legal_actions, encode, symmetries (an extra)"
    assert all(line.endswith(" to do") for line in others)
    assert last == f"1 done, 1 wrong, {len(EXERCISES) - 2} to do"


def test_reset_says_what_it_can_not_find(notebooks, capsys):
    path = _path(notebooks, "relu")
    path.write_text("{")
    assert commands.reset_exercise(argparse.Namespace(exercise="relu"), []) == 1
    path.unlink()
    assert commands.reset_exercise(argparse.Namespace(exercise="relu"), []) == 1
    first, second = capsys.readouterr().err.splitlines()
    assert "the notebook can't be read" in first
    assert second == f"there is no {path.name}: `make notebooks` makes it"


def test_reset_keeps_a_copy_and_leaves_one_stub(notebooks):
    path = _path(notebooks, "backup")
    _fill(notebooks, "backup", "# mine\n" + stubs.reference("backup"))
    notebook = notebook_file.read_notebook(path)
    place, cell = next((n, c) for n, c in enumerate(notebook.cells) if c.metadata.get("exercise") == "backup")
    pasted = {**copy.deepcopy(cell), "id": "pasted", "source": "# a copy\n" + stubs.reference("backup")}
    note = nbformat.v4.new_markdown_cell("on backup", metadata=dict(cell.metadata))
    notebook.cells[place:place] = [note, nbformat.from_dict(pasted)]
    path.write_text(merging.to_text(notebook))
    before = path.read_bytes()
    assert path in progress.reset("backup")[0]
    cells = [cell for cell in notebook_file.read_notebook(path).cells if cell.metadata.get("exercise") == "backup"]
    assert [cell.cell_type for cell in cells] == ["markdown", "code"]
    assert _states(notebooks)["backup"].status == "to do"
    nbformat.validate(notebook_file.read_notebook(path))
    assert (notebooks.parent / ".course" / "backups" / "001" / path.name).read_bytes() == before

    notebook.cells = [cell for cell in notebook.cells if cell.metadata.get("exercise") != "backup"]  # deleted
    path.write_text(merging.to_text(notebook))
    progress.reset("backup")
    cells = notebook_file.read_notebook(path).cells
    [place] = [n for n, cell in enumerate(cells) if cell.metadata.get("exercise") == "backup"]
    assert cells[place + 1].metadata["check"] == "backup"


def test_reset_finds_the_exercise_in_a_notebook_without_ids_and_marks(notebooks):
    _fill(notebooks, "backup", "# mine\n" + stubs.reference("backup"))
    path = _path(notebooks, "backup")
    notebook = notebook_file.read_notebook(path)
    for cell in notebook.cells:
        cell.metadata = {}
        del cell["id"]
    path.write_text(merging.to_text(notebook))
    length = len(notebook.cells)
    assert progress.reset("backup")[2] == []
    cells = notebook_file.read_notebook(path).cells
    assert len(cells) == length and "# mine" not in path.read_text()
    assert next(n for n, cell in enumerate(cells) if cell.metadata.get("exercise")) == next(
        n for n, cell in enumerate(notebook.cells) if cell.source.startswith("# mine")
    )
    cells.append(nbformat.v4.new_code_cell("# a try\ndef backup(leaf, value): ..."))
    path.write_text(merging.to_text(nbformat.v4.new_notebook(cells=cells)))
    assert progress.reset("backup")[2] == ["# a try"]


def test_the_map_tells_done_wrong_broken_and_to_do(notebooks, tmp_path):
    record.save(record.Answer("backup", "def backup(): ...", 8, 8, True))
    record.save(record.Answer("select", "...", 1, 8, False))
    record.save(record.Answer("expand", "def expand(): ...", 8, 8, True))
    record.save(record.Answer("expand", "def expand(): wrong", 1, 8, False))
    for text in (repr(course_map.Map()), course_map.Map()._repr_html_()):
        assert "✓ backup (done)" in text
        assert "✗ select (wrong)" in text
        assert "! expand (broken)" in text
        assert "○ evaluate" in text
    shutil.rmtree(tmp_path / "record")
    assert "✓" not in repr(course_map.Map())


def test_the_map_has_every_notebook_and_its_exercises_and_needs_no_library():
    told = [
        (notebook.name, notebook.title, notebook.minutes, notebook.main_road) for notebook in course_map.Map().notebooks
    ]
    assert told == [
        (notebook.name, notebook.title, notebook.minutes, notebook.main_road) for notebook in source_files.sources()
    ]
    told = [(notebook.exercises + notebook.extras, notebook.extras) for notebook in course_map.Map().notebooks]
    assert told == [(notebook.exercises, notebook.extras) for notebook in source_files.sources()]
    missing = ("jupytext", "nbformat", "yaml", "nbclient", "PIL", "torch")
    program = f"import sys\nsys.modules.update(dict.fromkeys({missing}))\nfrom course_utils.learner.course_map import Map\nprint(Map())"
    assert (
        "The main road"
        in subprocess.run(
            [sys.executable, "-c", program], cwd=COURSE, capture_output=True, text=True, check=True
        ).stdout
    )


def test_the_map_says_how_far_the_main_road_is_done(notebooks):
    road = [entry for entry in manifest.manifest() if entry["notebook"].startswith("0")]
    *names, last = [entry["id"] for entry in road if not entry["extra"]]
    extras = sum(entry["extra"] for entry in road)
    for name in names:
        record.save(record.Answer(name, f"def {name}(): ...", 8, 8, True))
    assert course_map.Map().main_road == "On the main road 18 of 19 functions are yours."
    record.save(record.Answer("add_root_noise", "def add_root_noise(): ...", 8, 8, True))
    assert course_map.Map().main_road == f"On the main road 18 of 19 functions are yours, and 1 of {extras} extras."
    record.save(record.Answer(names[0], "", 1, 8, False))
    told = f"On the main road 18 of 19 functions are yours, and 1 of {extras} extras (of {names[0]} the version that passed)."
    assert course_map.Map().main_road == told  # the version that passed still runs
    for name in (names[0], last):
        record.save(record.Answer(name, f"def {name}(): ...", 8, 8, True))
    for text in (repr(course_map.Map()), course_map.Map()._repr_html_()):
        assert "The main road is done" in text and "symmetries, an extra" in text


def test_the_second_day_opens_where_the_first_ended(notebooks, monkeypatch, tmp_path):
    monkeypatch.setattr(commands, "NOTEBOOKS", notebooks)
    assert commands.notebook_to_open().startswith("00_")
    for number, (name, passing) in enumerate({"backup": True, "winner": False, "value_targets": True}.items()):
        record.save(record.Answer(name, "...", 8, 8, passing))
        os.utime(tmp_path / "record" / "answers" / f"{name}.json", (number, number))
    assert commands.notebook_to_open() == _path(notebooks, "value_targets").name
    os.utime(tmp_path / "record" / "answers" / "winner.json", (9, 9))  # tried last, though not passed
    assert commands.notebook_to_open() == _path(notebooks, "winner").name
    _path(notebooks, "winner").unlink()
    assert commands.notebook_to_open().startswith("00_")


def test_a_damaged_record_is_named_unless_its_check_passes_and_writes_it_anew(notebooks, tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(progress.exercise_states, "__defaults__", (notebooks,))
    for name in ("masked_policy", "value_targets"):
        record.save(record.Answer(name, stubs.reference(name), 8, 8, True))
        path = tmp_path / "record" / "answers" / f"{name}.json"
        path.write_text(path.read_text()[:40])
    _fill(notebooks, "value_targets", stubs.reference("value_targets"))
    assert commands.progress(argparse.Namespace(), []) == 0
    assert [line for line in capsys.readouterr().out.splitlines() if "damaged" in line] == [
        record.said_of_damage("masked_policy")
    ]
    assert record.load("value_targets").passing


def test_a_requirement_with_an_upper_bound_is_told_by_its_lowest_version(monkeypatch, tmp_path):
    monkeypatch.setenv("COURSE_RECORD", str(tmp_path))
    monkeypatch.setattr(environment, "requirements", lambda: ["ipywidgets>=8.1,<9", "numpy>=999.5,<1000"])
    [problem] = environment.problems()
    assert "The package numpy is version" in problem and "needs 999.5 or later" in problem


def test_the_environment_check_says_what_is_missing(monkeypatch):
    assert environment.problems() == []
    real = environment.importlib.metadata.version

    def old(name):
        if name == "torch":
            raise environment.importlib.metadata.PackageNotFoundError
        return "1.0" if name == "numpy" else real(name)

    monkeypatch.setattr(environment.importlib.metadata, "version", old)
    sentences = environment.problems()
    assert any("torch is missing" in sentence and "make lab" in sentence for sentence in sentences)
    assert any("numpy is version 1.0" in sentence for sentence in sentences)


def test_a_process_that_is_no_learners_keeps_its_record_for_itself_and_takes_it_along(tmp_path):
    script = (
        "from course_utils import record\n"
        "record.save(record.Answer('backup', 'def backup(): ...', 1, 1, True))\n"
        "print(record.record_folder(), record.names())"
    )
    environment = {name: value for name, value in os.environ.items() if name != "COURSE_RECORD"}
    environment |= {"TMPDIR": str(tmp_path), "PYTHONPATH": str(COURSE)}
    done = subprocess.run([sys.executable, "-c", script], env=environment, capture_output=True, text=True, check=True)
    assert done.stdout.startswith(f"{tmp_path / 'course-record-'}") and "{'backup'}" in done.stdout
    assert list(tmp_path.iterdir()) == [] and done.stderr == ""
