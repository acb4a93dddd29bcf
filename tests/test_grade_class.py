"""`make grade` from end to end, on a class that is made up in tests/classroom.py.

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
import threading
import time
from dataclasses import replace
from pathlib import Path

import pytest
from jupyter_client.channels import HBChannel

from course_utils.answers.cells import Cell, cells_of, find
from course_utils.answers.program import Program, programs_of
from course_utils.classroom import batch, reports
from course_utils.classroom.grading import Row, _grade_version, run
from course_utils.classroom.sandbox import Sandbox, isolation
from course_utils.exercise import EXERCISES
from course_utils.limits import Limits
from course_utils.material.given_lines import given, given_to
from course_utils.paths import COURSE
from course_utils.tests.grade import max_points
from tests import classroom
from tests.classroom import Notebook, right

FEW = ["partly-right", "numpy-patched-under-another-name", "borrowed", "invalid-json", "empty"]
pytestmark = [pytest.mark.slow, pytest.mark.skipif(not hasattr(os, "fork"), reason="grading needs Linux or macOS")]


@pytest.fixture(scope="module")
def graded(request, tmp_path_factory):
    """(what was made, the rows, where the reports are, a folder that nobody may write into, whether anybody knocked at a port)."""
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
        learners = batch.grade_class(folder, out, "03", "7", progress=False)
        reports.write_reports(out, learners, isolation().sentences)
        try:
            server.accept()
            knocked = True
        except TimeoutError:
            knocked = False
    return made, [row for rows in learners for row in rows], out, outside, knocked


def test_every_submission_gets_its_rows_and_nobody_another(graded):
    made, rows, *_ = graded
    assert classroom.surprises(made, rows) == []
    assert len(rows) == len(made) * len(classroom.ALL)


def test_every_learner_gets_a_page_and_nobody_the_environment(graded):
    made, _, out, *_ = graded
    assert len(list((out / "feedback").glob("*.html"))) == len(made)
    for path in out.rglob("*.*"):
        assert b"xyzzy" not in path.read_bytes(), path


@pytest.mark.skipif(
    not isolation().bwrap, reason="no bwrap here: files and network are not isolated, which the report says"
)
def test_nothing_is_written_outside_and_nobody_reached_the_network(graded):
    *_, outside, knocked = graded
    assert not list(outside.iterdir()) and not knocked
    assert not [path for path in (COURSE, COURSE / "course_utils") if (path / "written-outside").exists()]


def test_what_was_graded_is_not_graded_again_and_the_marks_are_the_same(graded, tmp_path):
    _made, rows, _out, *_ = graded
    folder = tmp_path / "class"
    classroom.write_class(folder, ["partly-right"])
    again = batch.grade_class(folder, tmp_path / "out", "03", "7", progress=False)[0]
    before = [row for row in rows if row.learner == "partly-right"]
    assert [vars(row) for row in again] == [vars(row) for row in before]
    kept = tmp_path / "out" / "learners" / "partly-right.json"
    first = kept.stat().st_mtime_ns
    batch.grade_class(folder, tmp_path / "out", "03", "7", progress=False)
    assert kept.stat().st_mtime_ns == first


def command(folder: Path, out: Path) -> list[str]:
    return [
        sys.executable,
        "-m",
        "course_utils",
        "grade",
        "--submissions",
        str(folder),
        "--out",
        str(out),
        "--only",
        "03",
        "--seed",
        "7",
    ]


def test_a_kernel_shares_nothing_with_the_one_before_and_nothing_of_that_goes_on():
    """The first leaves a process behind and ends by itself, without having been told to."""
    notebook = Notebook(backup=right("backup"))
    cells = cells_of("06.ipynb", notebook.cells)
    [fresh] = programs_of(cells, "backup", find(cells)["backup"], given_to("backup"))
    tell = "import os, psutil\nleft = any('4217' in one.cmdline() for one in psutil.process_iter())\n"
    tell += (
        "raise RuntimeError((left, *(os.environ[name] for name in ('HOME', 'TMPDIR', 'IPYTHONDIR', 'MPLCONFIGDIR'))))"
    )
    leave = "import os, subprocess\nsubprocess.Popen(['sleep', '4217'], start_new_session=True)\nos._exit(0)"
    said = []
    with Sandbox() as sandbox:
        for cell in (tell, leave, tell):
            ran = run(sandbox, replace(fresh, cells=(cell,)), "backup", 1)
            said += [ast.literal_eval(one.text.partition(": ")[2]) for one in ran.raised]
            assert ran.end == ("crashed" if cell is leave else "")
    (left, *before), (left_now, *now) = said
    assert not left and not left_now
    assert not {*before} & {*now}


def one_fresh(name: str, source: str) -> Program:
    """What is run of this answer."""
    cell = Cell("06.ipynb", 0, "code", source, {"exercise": name})
    [fresh] = programs_of([cell], name, [cell], given_to(name))
    return fresh


def test_a_kernel_whose_heartbeat_would_never_end_is_not_waited_for(sandbox, monkeypatch):
    monkeypatch.setattr(HBChannel, "run", lambda self: threading.Event().wait())
    ran = run(sandbox, one_fresh("backup", right("backup")), "backup", 1)
    assert ran.end == "" and ran.report.passed


def test_an_answer_that_kills_its_parent_from_within_is_seen_at_once_and_grading_goes_on():
    kills = "def select_child(node, c_puct): import os; os.kill(os.getppid(), 9); return 0"
    began = time.monotonic()
    with Sandbox() as sandbox:
        ran = run(sandbox, one_fresh("select_child", kills), "select_child", 1)
        assert ran.end == "crashed" and time.monotonic() - began < 60, "it waited for a process that had ended"
        ran = run(sandbox, one_fresh("select_child", right("select_child")), "select_child", 1)
        assert ran.report.passed


USES = "import course_utils\n\ndef select_child(node, c_puct):\n    "
ROOT = "import course_utils, sys, os, gc, inspect, types, numpy as np\n\n"
BORROWED = {  # three lines each that took the whole of an exercise's points when check and answer shared a process
    "the course as shipped": USES
    + "with course_utils.exercise.using({}): return getattr(course_utils.search.puct, 'select_child')(node, c_puct)",
    "names put together": USES
    + "with getattr(course_utils.exercise, 'us' + 'ing')({}): return getattr(course_utils.search.puct, 'select' + '_child')(node, c_puct)",
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
    + "        if type(frame.f_locals.get('expected')) is int: return frame.f_locals['expected']\n        frame = frame.f_back",
    "every function in memory": ROOT
    + "def select_child(node, c_puct):\n    [one] = [f for f in gc.get_objects() if isinstance(f, types.FunctionType)\n"
    + "        and f.__name__ == 'select_child' and 'argmax' in f.__code__.co_names]\n    return one(node, c_puct)",
    "its source": ROOT
    + "def select_child(node, c_puct):\n    path = course_utils.__path__[0] + '/search/puct.py'\n"
    + "    names = {}\n    exec(open(path).read().replace('@exercise', '#'), names)\n    return names['select_child'](node, c_puct)",
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

    def row_of(name: str, source: str) -> Row:
        row = Row("anna", EXERCISES[name].notebook, name, "crashed", 0, max_points(name), "")
        _grade_version(row, one_fresh(name, source), sandbox, 7)
        return row

    return row_of


@pytest.mark.skipif(not isolation().bwrap, reason="no bwrap here: an answer can read the course's files")
@pytest.mark.parametrize("how", BORROWED)
def test_nothing_that_is_borrowed_earns_a_point(row_of, how):
    row = row_of("select_child", BORROWED[how])
    assert row.status != "passed" and row.points == 0, row.reason


PATCHED = {  # what plays the scenes, or looks at what comes of them: each was worth points without an answer
    "what a scene looks with": ("uct_search", """
import course_utils.tests.notebook_13.uct_search as check
check.faults = lambda root, game: []

def uct_search(*everything): ...
"""),
    "what several scenes look with": ("add_root_noise", """
import course_utils.tests.world.chance as chance
chance.follows_the_seed = lambda drawn: "same seed, same result"

def add_root_noise(prior, legal, rng, alpha=1.0, fraction=0.25):
    return np.where(legal, prior, 0.0)
"""),
    "what is asked beside the scenes": ("backup", """
from course_utils.tests import stage
stage.LocalStage.memory = lambda self, scenes: ("", "")
stage.LocalStage.signature = lambda self, scenes: ""

def backup(*everything): ...
"""),
    "what comes back, in too many brackets": ("select_child", """
import course_utils.classroom.answering as answering
deep = b"[" * 100_000 + b"]" * 100_000 + b"\\n"
answering.Answering._say = lambda self, reply: (self.replies.write(deep), self.replies.flush())

def select_child(node, c_puct): return 0
"""),
    "what comes back, equal to nothing": ("select_child", """
import json
as_it_is = json.dumps
json.dumps = lambda what, **more: as_it_is(what if "value" not in what else {"value": float("nan")}, **more)

def select_child(node, c_puct): return 0
"""),
    "the modules themselves": ("select_child", """
import sys, types
for one in ("values", "stage", "watch"):
    sys.modules[f"course_utils.tests.{one}"] = types.ModuleType(one)

def select_child(node, c_puct): return 0
"""),
}  # fmt: skip


@pytest.mark.parametrize("what", PATCHED)
def test_nothing_that_is_patched_in_the_kernel_earns_a_point(row_of, what):
    row = row_of(*PATCHED[what])
    assert row.status != "passed" and row.points == 0, row.reason


@pytest.mark.parametrize("name", SAME_WORK)
def test_a_function_of_the_course_that_does_the_same_work_needs_a_human(row_of, name):
    row = row_of(name, SAME_WORK[name])
    assert row.status == "needs a human" and "`course_utils." in row.reason


LACKING = {  # a cell above the answer, or the answer's first line -> what its row says
    "import os\nSIGN = float(os.environ['SIGN'])": "environment has no 'SIGN'",
    "%run signs.py\nSIGN = -one": "signs.py, which was handed in",
    "SIGN = np.no_such_number(-1)": "numpy has no `no_such_number`",
    "import os\nos.chdir('/content/drive/MyDrive')\nSIGN = -1": "file or folder /content/drive/MyDrive",
    "SIGN = float(np.load('sign.npy')[0])": "file or folder sign.npy",
    "from google.colab import drive\ndrive.mount('/content/drive')\nSIGN = -1": "no google.colab",
    "import torch\nSIGN = torch.tensor(-1.0, device='cuda')": "has no GPU",
    "SIGN = float(open('/data/sign').read())": "file or folder /data/sign",
    "%lprun -f print print(1)\nSIGN = -1": "has no %lprun",
    "import urllib.request\nSIGN = float(urllib.request.urlopen('http://example.org').read())": "network",
}


def lacking_lines():
    """(line, whether it stands in the answer's function): a few of them each time."""
    for number, line in enumerate(LACKING):
        for within in (False, True):
            if not (within and line.startswith("%")):  # no magic stands in a function
                marks = [pytest.mark.full] * (number > 2 * (not within))
                yield pytest.param(line, within, marks=marks, id=f"{LACKING[line]}, {'within' if within else 'above'}")


@pytest.mark.parametrize(("line", "within"), lacking_lines())
def test_what_only_the_learners_machine_has_needs_a_human_in_helpers_as_in_the_answer(sandbox, line, within):
    said, answer = LACKING[line], right("backup").replace("-value", "SIGN * value")
    inside = answer.replace("    node = leaf\n", textwrap.indent(line, "    ") + "\n    node = leaf\n")
    if "%run" in line:  # nothing in the cell says which names that brings
        line, answer = line.partition("\n")[0], answer.replace("SIGN", "sign")
    sources = [inside] if within else [line, answer]
    cells = [Cell("06.ipynb", number, "code", source) for number, source in enumerate(sources)]
    [fresh] = programs_of(cells, "backup", find(cells)["backup"], given_to("backup"))
    row = Row("anna", "03", "backup", "crashed", 0, 11, "")
    _grade_version(row, fresh, sandbox, 7, ["signs.py"])
    assert row.status == "needs a human" and row.points == 0 and said in row.reason, row.reason
    assert within or "cell 1 of 06.ipynb" in row.reason


@pytest.mark.parametrize(("first", "status"), [("value = -value", "passed"), ("pass", "partial")])
def test_what_a_cell_raised_is_told_to_the_learner_and_to_the_instructor(row_of, first, status):
    row = row_of("backup", right("backup").replace("value = -value", first) + "\n\nno_such_name")
    said = "ell 1 of 06.ipynb raised NameError: name 'no_such_name' is not defined"
    assert row.status == status and said in row.reason
    assert said in html.unescape(reports.feedback_page([row]))


QUICK = ["encode", "uct_backup", "sgd_step", "backup", "train_alphazero", "network_forward"]


@pytest.mark.parametrize(
    "name", [pytest.param(one, marks=[pytest.mark.full] * (one not in QUICK)) for one in EXERCISES]
)
def test_what_is_right_is_right_when_it_is_judged_from_outside(row_of, name):
    row = row_of(name, right(name))
    assert row.status == "passed", row.reason


def imports_of(notebook: str) -> str:
    """All import lines of the course's notebook."""
    lines = (one for one in given(notebook).values() if one.is_import)
    return "\n".join(dict.fromkeys(one.source for one in sorted(lines, key=lambda one: one.place)))


SOME = ["backup", "masked_policy", "value_targets", "train_step"]  # of notebooks that import most


@pytest.mark.parametrize("name", [pytest.param(one, marks=[pytest.mark.full] * (one not in SOME)) for one in EXERCISES])
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
        ran = run(sandbox, one_fresh("select_child", MANY_PROCESSES), "select_child", 1)
        assert ran.end == "crashed" and "in all its processes" in ran.why
        ran = run(sandbox, one_fresh("select_child", right("select_child")), "select_child", 1)
        assert ran.report.passed


@pytest.mark.full
def test_a_batch_that_was_killed_goes_on_and_ends_the_same(tmp_path):
    folder, out = tmp_path / "class", tmp_path / "out"
    names = ["empty", "invalid-json", "timed-cell"]
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
    assert "3 submissions:" in done.stdout
    rows = [classroom.as_row(row) for row in json.loads((out / "grades.json").read_text())["rows"]]
    assert classroom.surprises({name: classroom.CLASS[name]() for name in names}, rows) == []
