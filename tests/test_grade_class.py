"""`make grade` from end to end, on the class of tests/classroom.py.

`make check` grades a few of its submissions; with --full all of them, which takes minutes.
"""

import ast
import html
import json
import os
import socket
import subprocess
import sys
import textwrap
import time
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest

from course_utils.answers.cells import Cell
from course_utils.classroom import reports
from course_utils.classroom.answer_run import run
from course_utils.classroom.sandbox import Sandbox
from course_utils.classroom.walls import isolation
from course_utils.classroom.whole_class import grade_class, read_class
from course_utils.exercise import EXERCISES
from course_utils.limits import Limits
from course_utils.material.given_lines import given
from course_utils.paths import COURSE
from tests import classroom
from tests.classroom import program, right

FEW = ["partly-right", "numpy-patched-under-another-name", "borrowed", "invalid-json", "empty"]
pytestmark = [pytest.mark.slow, pytest.mark.skipif(not hasattr(os, "fork"), reason="grading needs Linux or macOS")]


@pytest.fixture(scope="module")
def graded(request, tmp_path_factory):
    """(submissions, rows, the folder of the reports, a folder that must stay empty, whether a port was reached)."""
    folder, out, outside = (tmp_path_factory.mktemp(name) for name in ("class", "out", "outside"))
    outside.chmod(0o755)
    with pytest.MonkeyPatch.context() as patch, socket.socket() as server:
        server.bind(("127.0.0.1", 0))
        server.listen()
        server.settimeout(0.1)
        patch.setenv("CLASSROOM_OUTSIDE", str(outside))
        patch.setenv("CLASSROOM_PORT", str(server.getsockname()[1]))
        patch.setenv("A_SECRET", "xyzzy")
        made = classroom.write_class(folder, None if request.config.option.full else FEW)
        grade = grade_class(read_class(folder), out, "03", "7")
        grade.write_reports(out)
        try:
            server.accept()
            connected = True
        except TimeoutError:
            connected = False
    return made, [row for rows in grade.learners for row in rows], out, outside, connected


def test_every_submission_gets_its_rows_and_no_others(graded):
    made, rows, *_ = graded
    assert classroom.surprises(made, rows) == []
    assert len(rows) == len(made) * len(classroom.ALL)


def test_every_learner_gets_a_page_and_none_shows_the_environment(graded):
    made, _, out, *_ = graded
    assert len(list((out / "feedback").glob("*.html"))) == len(made)
    for path in out.rglob("*.*"):
        assert b"xyzzy" not in path.read_bytes(), path


@pytest.mark.skipif(
    not isolation().bwrap, reason="no bwrap here: files and network are not isolated, which the report says"
)
def test_nothing_is_written_outside_and_the_network_is_not_reached(graded):
    *_, outside, connected = graded
    assert not list(outside.iterdir()) and not connected
    assert not [path for path in (COURSE, COURSE / "course_utils") if (path / "written-outside").exists()]


def test_what_was_graded_is_not_graded_again_and_the_marks_are_the_same(graded, tmp_path):
    _made, rows, _out, *_ = graded
    folder = tmp_path / "class"
    classroom.write_class(folder, ["partly-right"])
    [again] = grade_class(read_class(folder), tmp_path / "out", "03", "7").learners
    before = [row for row in rows if row.learner == "partly-right"]
    assert [vars(row) for row in again] == [vars(row) for row in before]
    kept = tmp_path / "out" / "learners" / "partly-right.json"
    first = kept.stat().st_mtime_ns
    grade_class(read_class(folder), tmp_path / "out", "03", "7")
    assert kept.stat().st_mtime_ns == first


def command(folder: Path, out: Path) -> list[str]:
    options = ["--submissions", str(folder), "--out", str(out), "--only", "03", "--seed", "7"]
    return [sys.executable, "-m", "course_utils", "grade", *options]


def test_an_answers_process_shares_nothing_with_the_one_before_and_nothing_goes_on_from_there():
    """The one before leaves a process behind and ends without having been told to."""
    backup = program("backup", right("backup"))
    tell = "import os, psutil\nalive = any('4217' in process.cmdline() for process in psutil.process_iter())\n"
    tell += "names = ('HOME', 'TMPDIR', 'IPYTHONDIR', 'MPLCONFIGDIR')\n"
    tell += "raise RuntimeError((alive, *(os.environ[name] for name in names)))"
    leave = "import os, subprocess\nsubprocess.Popen(['sleep', '4217'], start_new_session=True)\nos._exit(0)"
    told = []
    with Sandbox() as sandbox:
        for cell in (tell, leave, tell):
            result = run(sandbox, replace(backup, cells=(cell,)), "backup", 1)
            told += [ast.literal_eval(error.text.partition(": ")[2]) for error in result.raised]
            assert result.end == ("crashed" if cell is leave else None)
    (alive, *before), (alive_now, *now) = told
    assert not alive and not alive_now
    assert not {*before} & {*now}


def test_a_cell_that_closes_all_its_files_ends_its_own_row_alone(sandbox):
    closes = "import os\nos.closerange(0, 1000)\n" + right("backup")
    result = run(sandbox, program("backup", closes), "backup", 1)
    assert result.end == "crashed" and result.report is None
    assert run(sandbox, program("backup", right("backup")), "backup", 1).report.passed


def test_an_answer_that_kills_its_parent_from_within_is_seen_at_once_and_grading_goes_on():
    kills = "def select_child(node, c_puct): import os; os.kill(os.getppid(), 9); return 0"
    began = time.monotonic()
    with Sandbox() as sandbox:
        result = run(sandbox, program("select_child", kills), "select_child", 1)
        assert result.end == "crashed" and time.monotonic() - began < 60, "it waited for a process that had ended"
        result = run(sandbox, program("select_child", right("select_child")), "select_child", 1)
        assert result.report.passed


USES = "import course_utils\n\ndef select_child(node, c_puct):\n    "
ROOT = "import course_utils, sys, os, gc, inspect, types, numpy as np\n\n"
BORROWED = {  # three lines each that took the whole of an exercise's points when check and answer shared a process
    "the course as shipped": USES
    + "with course_utils.exercise.using({}): return getattr(course_utils.search.puct, 'select_child')(node, c_puct)",
    "names put together": USES
    + "with getattr(course_utils.exercise, 'us' + 'ing')({}): "
    + "return getattr(course_utils.search.puct, 'select' + '_child')(node, c_puct)",
    "__wrapped__": USES + "return vars(course_utils.search.puct.select_child)['__wrap' + 'ped__'](node, c_puct)",
    "the registry": USES + "return vars(course_utils.exercise)['EXERCISES']['select_child'].reference(node, c_puct)",
    "right answers of the check": USES
    + "return course_utils.tests.grade.CHECKS['select_child'].right[0](node, c_puct)",
    "the check's oracle": USES + "return course_utils.tests.notebook_03.select_child.oracle(node)",
    "another function": ROOT
    + "def select_child(node, c_puct):\n    from course_utils.search.batched import Tree, batched_select\n"
    + "    return int(batched_select(Tree.of(node), c_puct)[1][0])",
    "frames": ROOT
    + "def select_child(node, c_puct):\n    frame = sys._getframe()\n    while frame:\n"
    + "        if type(frame.f_locals.get('expected')) is int: return frame.f_locals['expected']\n"
    "        frame = frame.f_back",
    "every function in memory": ROOT
    + "def select_child(node, c_puct):\n    [one] = [f for f in gc.get_objects() if isinstance(f, types.FunctionType)\n"
    + "        and f.__name__ == 'select_child' and 'argmax' in f.__code__.co_names]\n    return one(node, c_puct)",
    "its source": ROOT
    + "def select_child(node, c_puct):\n    path = course_utils.__path__[0] + '/search/puct.py'\n"
    + "    names = {}\n    exec(open(path).read().replace('@exercise', '#'), names)\n"
    "    return names['select_child'](node, c_puct)",
    "the course's folder": ROOT
    + f"def select_child(node, c_puct):\n    sys.path.insert(0, {str(COURSE)!r})\n    names = {{}}\n"
    + f"    exec(open({str(COURSE / 'course_utils/search/puct.py')!r}).read().replace('@exercise', '#'), names)\n"
    + "    return names['select_child'](node, c_puct)",
    "the check's cases": ROOT
    + "check = course_utils.tests.grade.CHECKS['select_child']\ncheck.cases = lambda rng: iter(())\n\n"
    + "def select_child(node, c_puct):\n    return 0",
    "numbers that equal all": ROOT
    + "class Any(int):\n    __eq__ = lambda self, other: True\n    __hash__ = int.__hash__\n\n"
    + "def select_child(node, c_puct):\n    return Any(-5)",
    "comparisons patched": ROOT
    + "np.allclose = np.array_equal = lambda *a, **k: True\n\ndef select_child(node, c_puct):\n    return -5",
}
SAME_WORK = {  # functions of the course that do the same
    "masked_policy": "from course_utils.search.batched import batched_masked_policy as masked_policy",
    "softmax": "from course_utils.search.batched import batched_masked_policy\n\ndef softmax(logits):\n"
    "    return batched_masked_policy(logits, np.ones(logits.shape, bool))",
}


@pytest.fixture(scope="module")
def sandbox():
    with Sandbox() as sandbox:
        yield sandbox


@pytest.fixture
def row_of(sandbox):
    """(exercise, source) -> the row that it gets."""
    return partial(classroom.row_of, sandbox)


@pytest.mark.skipif(not isolation().bwrap, reason="no bwrap here: an answer can read the course's files")
@pytest.mark.parametrize("how", BORROWED)
def test_nothing_that_is_borrowed_earns_a_point(row_of, how):
    row = row_of("select_child", BORROWED[how])
    assert row.status != "passed" and row.points == 0, row.reason


PATCHED = {  # the modules that play the scenes or look at the results: each patch was worth points without an answer
    "a function that a scene calls": ("uct_search", """
import course_utils.tests.notebook_13.uct_search as check
check.faults = lambda root, game: []

def uct_search(*everything): ...
"""),
    "a function that several scenes call": ("add_root_noise", """
import course_utils.tests.world.chance as chance
chance.follows_the_seed = lambda drawn: "same seed, same result"

def add_root_noise(prior, legal, rng, alpha=1.0, fraction=0.25):
    return np.where(legal, prior, 0.0)
"""),
    "the questions beside the scenes": ("backup", """
from course_utils.tests import stage
stage.LocalStage.memory = lambda self, scenes: ("", "")
stage.LocalStage.signature = lambda self, scenes: ""

def backup(*everything): ...
"""),
    "the replies, in too many brackets": ("select_child", """
import json
json.dumps = lambda *what, **more: "[" * 100_000 + "]" * 100_000

def select_child(node, c_puct): return 0
"""),
    "the replies, equal to nothing": ("select_child", """
import json
as_it_is = json.dumps
json.dumps = lambda what, **more: as_it_is(what if "value" not in what else {"value": float("nan")}, **more)

def select_child(node, c_puct): return 0
"""),
    "the modules themselves": ("select_child", """
import sys, types
for name in ("values", "stage", "watch"):
    sys.modules[f"course_utils.tests.{name}"] = types.ModuleType(name)

def select_child(node, c_puct): return 0
"""),
    "the replies, by hand": ("select_child", """
import os
os.write(3, b'{"raised": []}\\n' + b'{"begun": true}\\n' + b'{"value": ""}\\n' * 500)

def select_child(node, c_puct): return 0
"""),
}  # fmt: skip


@pytest.mark.parametrize("patch", PATCHED)
def test_patches_in_the_answers_process_earn_no_points(row_of, patch):
    row = row_of(*PATCHED[patch])
    assert row.status != "passed" and row.points == 0, row.reason


@pytest.mark.parametrize("name", SAME_WORK)
def test_a_function_of_the_course_that_does_the_same_work_needs_a_human(row_of, name):
    row = row_of(name, Cell("06.ipynb", 0, "code", SAME_WORK[name], {"exercise": name}))
    assert row.status == "needs a human" and "`course_utils." in row.reason


LACKING = {  # a cell above the answer, or the answer's first line -> what the reason of its row mentions
    "import os\nSIGN = float(os.environ['SIGN'])": "environment has no 'SIGN'",
    "%run signs.py\nSIGN = -sign": "signs.py, which was handed in",
    "SIGN = np.no_such_number(-1)": "numpy has no `no_such_number`",
    "import os\nos.chdir('/content/drive/MyDrive')\nSIGN = -1": "file or folder /content/drive/MyDrive",
    "SIGN = float(np.load('sign.npy')[0])": "file or folder sign.npy",
    "from google.colab import drive\ndrive.mount('/content/drive')\nSIGN = -1": "has no google",  # "google.colab" where another package of google is installed
    "import torch\nSIGN = torch.tensor(-1.0, device='cuda')": "has no GPU",
    "SIGN = float(open('/data/sign').read())": "file or folder /data/sign",
    "%lprun -f print print(1)\nSIGN = -1": "has no %lprun",
    "import urllib.request\nSIGN = float(urllib.request.urlopen('http://example.org').read())": "network",
}


def lacking_lines():
    """(line, whether it is a line of the answer's function). Without --full, a few of them."""
    for number, line in enumerate(LACKING):
        for within in (False, True):
            if not (within and line.startswith("%")):  # a function holds no magic
                marks = [pytest.mark.full] * (number > 2 * (not within))
                yield pytest.param(line, within, marks=marks, id=f"{LACKING[line]}, {'within' if within else 'above'}")


@pytest.mark.parametrize(("line", "within"), lacking_lines())
def test_an_answer_that_needs_what_only_the_learners_machine_has_needs_a_human(sandbox, line, within):
    reason, answer = LACKING[line], right("backup").replace("-value", "SIGN * value")
    inside = answer.replace("    node = leaf\n", textwrap.indent(line, "    ") + "\n    node = leaf\n")
    if "%run" in line:  # nothing in the cell says which names that brings
        line, answer = line.partition("\n")[0], answer.replace("SIGN", "sign")
    sources = [inside] if within else [line, answer]
    row = classroom.row_of(sandbox, "backup", *sources, unread=["signs.py"])
    assert row.status == "needs a human" and row.points == 0 and reason in row.reason, row.reason
    assert within or "cell 1 of 06.ipynb" in row.reason


@pytest.mark.parametrize(("first", "status"), [("value = -value", "passed"), ("pass", "partial")])
def test_the_learner_and_the_instructor_read_what_a_cell_raised(row_of, first, status):
    row = row_of("backup", right("backup").replace("value = -value", first) + "\n\nno_such_name")
    error = "ell 1 of 06.ipynb raised NameError: name 'no_such_name' is not defined"
    assert row.status == status and error in row.reason
    assert error in html.unescape(reports.feedback_page([row]))


QUICK = ["encode", "uct_backup", "sgd_step", "backup", "train_alphazero", "network_forward"]


def exercises(quick: list[str]) -> list:
    """The others need --full."""
    return [pytest.param(name, marks=[pytest.mark.full] * (name not in quick)) for name in EXERCISES]


@pytest.mark.parametrize("name", exercises(QUICK))
def test_a_right_answer_passes_when_it_is_judged_from_outside(row_of, name):
    row = row_of(name, right(name))
    assert row.status == "passed", row.reason


def imports_of(notebook: str) -> str:
    """All import lines of the course's notebook."""
    lines = (line for line in given(notebook).values() if line.is_import)
    return "\n".join(dict.fromkeys(line.source for line in sorted(lines, key=lambda line: line.place)))


SOME = ["backup", "masked_policy", "value_targets", "train_step"]  # of notebooks that import most


@pytest.mark.parametrize("name", exercises(SOME))
def test_every_import_line_of_its_notebook_may_stand_above_a_right_answer(row_of, name):
    row = row_of(name, f"import math\n{imports_of(EXERCISES[name].notebook)}\n\n{right(name)}")
    assert row.status == "passed", row.reason


MANY_PROCESSES = """
import subprocess, sys, time

HOLD = "import time; held = b'1' * 200_000_000; time.sleep(60)"

def select_child(node, c_puct):
    for _ in range(6):
        subprocess.Popen([sys.executable, "-c", HOLD])
    time.sleep(60)
"""


def test_memory_is_counted_for_all_that_an_answer_has_started_together():
    with Sandbox(limits=Limits(memory=700_000_000)) as sandbox:
        result = run(sandbox, program("select_child", MANY_PROCESSES), "select_child", 1)
        assert result.end == "crashed" and "in all its processes" in result.why
        result = run(sandbox, program("select_child", right("select_child")), "select_child", 1)
        assert result.report.passed


@pytest.mark.full
def test_a_batch_that_was_killed_goes_on_and_ends_the_same(tmp_path):
    folder, out = tmp_path / "class", tmp_path / "out"
    names = ["empty", "invalid-json", "renamed-notebook"]
    classroom.write_class(folder, names)
    environment = {**os.environ, "COURSE_READY": "1"}
    killed = subprocess.Popen(
        command(folder, out), cwd=COURSE, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    ends = time.monotonic() + 300
    while not list(out.glob("learners/*.json")) and killed.poll() is None and time.monotonic() < ends:
        time.sleep(0.02)
    killed.kill()
    killed.wait()
    assert not (out / "grades.csv").exists()
    done = subprocess.run(command(folder, out), cwd=COURSE, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert "3 submissions, 6 exercises each" in done.stdout
    rows = [classroom.as_row(row) for row in json.loads((out / "grades.json").read_text())["rows"]]
    assert classroom.surprises({name: classroom.CLASS[name]() for name in names}, rows) == []
