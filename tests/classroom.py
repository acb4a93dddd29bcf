"""A made-up class for the tests of `make grade`: honest, unlucky and hostile submissions with their expected rows.

All are of the notebook "PUCT search". `python -m tests.classroom FOLDER` writes them, to be read or graded by hand.
The ways to write and place a right answer are a table of their own: WAYS in test_one_way.py.
"""

import json
import os
import random
import sys
import textwrap
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from types import SimpleNamespace

import nbformat

from course_utils.answers import stubs
from course_utils.answers.cells import Cell, find
from course_utils.answers.program import Program, programs_of
from course_utils.classroom.grading import Row, grade_exercise
from course_utils.classroom.sandbox import Sandbox
from course_utils.classroom.submission import Submission
from course_utils.classroom.verdict import Evidence
from course_utils.exercise import EXERCISES
from course_utils.material import build, merging, source_files
from course_utils.material.given_lines import given_to
from course_utils.paths import COURSE
from course_utils.tests.grade import CHECKS, max_points

ALL = ("select_child", "select", "expand", "evaluate", "backup", "mcts_search")
MINE = "# my own words\n"
LOST = "failed", "crashed", "timed out", "needs a human"


def right(name: str) -> str:
    return MINE + stubs.reference(name)


def code(text: str) -> str:
    return textwrap.dedent(text).strip("\n")


@cache
def _built() -> str:
    [source] = source_files.sources("03")
    return merging.to_text(build.build(source, folded_solutions=False))


@dataclass
class Made:
    """A submission.

    Attributes:
        expected: exercise -> its status, or several that are just as good; "missing" for the rest.
        files: name -> content.
        says: what the reason of some row must mention.
    """

    expected: dict[str, str | tuple[str, ...]] = field(default_factory=dict)
    files: dict[str, bytes] = field(default_factory=dict)
    says: str = ""


class Notebook:
    """The notebook 'PUCT search' in the hands of a learner."""

    def __init__(self, **answers: str):
        self.node = nbformat.reads(_built(), as_version=4)
        for name, source in answers.items():
            self.exercise(name).source = source

    @property
    def cells(self) -> list:
        return self.node.cells

    def exercise(self, name: str):
        return next(cell for cell in self.cells if cell.metadata.get("exercise") == name)

    def check(self, name: str):
        return next(cell for cell in self.cells if cell.metadata.get("check") == name)

    def add(self, source: str, after=None, kind: str = "code") -> None:
        make = nbformat.v4.new_code_cell if kind == "code" else nbformat.v4.new_markdown_cell
        at = len(self.cells) if after is None else self.cells.index(after) + 1
        self.cells.insert(at, make(source))

    def remove(self, *cells) -> None:
        self.node.cells = [cell for cell in self.cells if cell not in cells]

    def bytes(self) -> bytes:
        return json.dumps(self.node).encode()


NAME = "03_puct_search.ipynb"
CLASS: dict[str, Callable[[], Made]] = {}
KINDS: dict[str, str] = {}


def program(exercise: str, *sources: str) -> Program:
    """What is run of these cells, the last of which has the answer."""
    cells = [Cell("06.ipynb", number, "code", source) for number, source in enumerate(sources)]
    return programs_of(cells, exercise, find(cells)[exercise], given_to(exercise))[0]


def row_of(sandbox: Sandbox, exercise: str, *cells: str | Cell, unread: Sequence[str] = ()) -> Row:
    """The row that these cells get.

    Args:
        unread: files that were handed in with them.
    """
    read = [Cell("06.ipynb", n, "code", each) if isinstance(each, str) else each for n, each in enumerate(cells)]
    answers = find(read).get(exercise, [])
    entry = {"id": exercise, "notebook": EXERCISES[exercise].notebook, "points": max_points(exercise)}
    evidence = Evidence(exercise, entry["notebook"], Submission("anna", cells=read, unread=[*unread]), answers)
    versions = programs_of(read, exercise, answers, given_to(exercise))
    return grade_exercise(entry, evidence, versions, sandbox, 7)


def submission(kind: str) -> Callable[[Callable[[], Made]], Callable[[], Made]]:
    def keep(make: Callable[[], Made]) -> Callable[[], Made]:
        name = make.__name__.strip("_").replace("_", "-")
        CLASS[name], KINDS[name] = make, kind
        return make

    return keep


honest, unlucky, hostile = map(submission, ("honest", "unlucky", "hostile"))


def handed_in(notebook: Notebook, name: str = NAME, says: str = "", **expected) -> Made:
    return Made(expected, {name: notebook.bytes()}, says)


def among_honest(answer: str, *statuses: str, name: str = "backup", says: str = "") -> Made:
    """A submission with this answer, and right answers before and after it."""
    others = {exercise: right(exercise) for exercise in ("select_child", "expand", "mcts_search") if exercise != name}
    notebook = Notebook(**others, **{name: code(answer)})
    return handed_in(notebook, says=says, **dict.fromkeys(others, "passed"), **{name: statuses})


# --- honest -----------------------------------------------------------------------------------------------------------


@honest
def all_right() -> Made:
    return handed_in(Notebook(**{name: right(name) for name in ALL}), **dict.fromkeys(ALL, "passed"))


@honest
def right_and_written_otherwise() -> Made:
    import inspect

    def source(name: str) -> str:
        answer = CHECKS[name].right[0]
        return (
            inspect.getsource(answer)
            .replace(f"def {answer.__name__}(", f"def {name}(")
            .replace(f" {answer.__name__}(", f" {name}(")
        )

    names = ("backup", "select_child", "select", "mcts_search")
    return handed_in(Notebook(**{name: source(name) for name in names}), **dict.fromkeys(names, "passed"))


@honest
def partly_right() -> Made:
    wrong = right("backup").replace("value = -value", "pass")
    return handed_in(
        Notebook(backup=wrong, select=right("select")),
        backup="partial",
        select="passed",
        says="forgets to change the sign",
    )


@honest
def empty() -> Made:
    return handed_in(Notebook(), says="not filled in")


@honest
def nothing_at_all() -> Made:
    return Made(says="nothing was handed in")


@honest
def half_filled() -> Made:
    return handed_in(
        Notebook(mcts_search=right("mcts_search"), select=right("select")), mcts_search="passed", select="passed"
    )


@honest
def cells_reordered() -> Made:
    notebook = Notebook(**{name: right(name) for name in ALL[:4]})
    random.Random(0).shuffle(notebook.node.cells)
    return handed_in(notebook, **dict.fromkeys(ALL[:4], "passed"))


@honest
def cells_deleted() -> Made:
    notebook = Notebook(backup=right("backup"), select=right("select"))
    notebook.remove(notebook.exercise("expand"), notebook.cells[2], notebook.check("select"))
    return handed_in(notebook, backup="passed", select="passed", says="no cell of the submission holds it")


@honest
def package_that_is_not_here() -> Made:
    return among_honest(
        "import no_such_package as pd\n" + right("backup"), "needs a human", says="has no no_such_package"
    )


@honest
def settings_of_figures_and_types() -> Made:
    lines = "%matplotlib widget\n%config InlineBackend.figure_format = 'retina'\nimport torch, os, inspect\n"
    lines += "torch.set_default_dtype(torch.float64)\n"
    return among_honest(lines + right("backup") + "\nbackup?", "passed")


@honest
def stub_line_left() -> Made:
    answer = right("backup") + '\n    raise NotImplementedError("backup is not written yet")'
    return handed_in(Notebook(backup=answer), backup=("failed", "partial"), says="delete it")


@honest
def answer_in_a_markdown_cell() -> Made:
    notebook = Notebook(backup=right("backup"))
    notebook.exercise("backup").cell_type = "markdown"
    return handed_in(notebook, backup="needs a human")


@honest
def much_is_printed() -> Made:
    answer = right("backup").replace("    node = leaf\n", "    node = leaf\n    print('x' * 10_000_000)\n")
    return handed_in(Notebook(backup=answer, expand=right("expand")), backup="passed", expand="passed")


@honest
def syntax_error() -> Made:
    return among_honest("def backup(leaf, value):\n    return (", "failed", says="SyntaxError")


@honest
def bad_magic() -> Made:
    return among_honest("%nonsense\ndef backup(leaf, value):\n    pass", "needs a human", says="has no %nonsense")


@honest
def asks_for_input() -> Made:
    return among_honest("def backup(leaf, value):\n    value = float(input('value?'))", "failed", "partial")


@honest
def renamed_notebook() -> Made:
    return handed_in(Notebook(backup=right("backup")), name="My homework (final) 2.ipynb", backup="passed")


@honest
def two_notebooks() -> Made:
    made = handed_in(Notebook(backup=right("backup")), backup="passed", expand="passed")
    made.files["week 2/copy.ipynb"] = Notebook(expand=right("expand")).bytes()
    return made


@honest
def older_version_of_the_course() -> Made:
    """Without marks and ids, and without the cells that were added since."""
    notebook = Notebook(backup=right("backup"), evaluate=right("evaluate"))
    for cell in notebook.cells:
        cell.metadata = nbformat.NotebookNode()
        cell.id = f"old{random.Random(cell.id).randrange(10**6)}"
    notebook.node.cells = [
        cell for cell in notebook.cells if not cell.source.startswith(("class Node", "import matplotlib"))
    ]
    return handed_in(notebook, backup="passed", evaluate="passed")


@honest
def wrong_nbformat() -> Made:
    made = handed_in(Notebook(backup=right("backup")), backup="passed")
    made.files = {NAME: json.dumps(json.loads(made.files[NAME]) | {"nbformat": 99, "nbformat_minor": -3}).encode()}
    return made


@honest
def version_3() -> Made:
    cells = [
        {
            "cell_type": "code",
            "language": "python",
            "input": [right("backup")],
            "outputs": [],
            "collapsed": False,
            "metadata": {},
        }
    ]
    content = {
        "nbformat": 3,
        "nbformat_minor": 0,
        "metadata": {"name": ""},
        "worksheets": [{"cells": cells, "metadata": {}}],
    }
    return Made({"backup": "passed"}, {NAME: json.dumps(content).encode()})


@honest
def Zoë_O_Neill_名前() -> Made:
    return handed_in(Notebook(backup=right("backup")), backup="passed")


# --- unlucky ----------------------------------------------------------------------------------------------------------


@unlucky
def invalid_json() -> Made:
    return Made(
        dict.fromkeys(ALL, "needs a human"), {NAME: Notebook(backup=right("backup")).bytes()[:-40]}, "is not JSON"
    )


@unlucky
def binary_junk() -> Made:
    return Made(
        dict.fromkeys(ALL, "needs a human"), {"homework.ipynb": random.Random(0).randbytes(50_000)}, "can't be read"
    )


@unlucky
def another_course() -> Made:
    cells = [
        nbformat.v4.new_markdown_cell("# Statistics"),
        nbformat.v4.new_code_cell("def mean(xs):\n    return sum(xs) / len(xs)"),
    ]
    return Made(
        {},
        {"stats.ipynb": json.dumps(nbformat.v4.new_notebook(cells=cells)).encode()},
        "no cell of the submission holds it",
    )


@unlucky
def a_strange_notebook() -> Made:
    cells = [
        None,
        3,
        {"cell_type": "code"},
        {"cell_type": "code", "source": 7, "metadata": []},
        {"source": ["def ", 4, "backup(leaf, value): return ("]},
    ]
    cells += [
        {"cell_type": "code", "source": "-" * 100_000 + "1"},
        {"cell_type": "code", "source": "(" * 5000 + ")" * 5000},
    ]
    return Made({"backup": "failed"}, {NAME: json.dumps({"cells": cells, "nbformat": "4", "metadata": None}).encode()})


# --- hostile ----------------------------------------------------------------------------------------------------------


@hostile
def check_cells_edited() -> Made:
    notebook = Notebook(
        backup=right("backup").replace("value = -value", "pass"),
        expand="def expand(node, action, game):\n    return node",
    )
    notebook.check("backup").source = "print('PASSED  backup: 7 of 7 cases, 11 of 11 points')"
    notebook.check(
        "expand"
    ).source = "from course_utils import tests\ntests.test_expand = lambda answer: None\ntests.test_expand(expand)"
    return handed_in(notebook, backup="partial", expand=("failed", "partial"))


@hostile
def check_cells_deleted() -> Made:
    notebook = Notebook(backup=right("backup"), expand="def expand(node, action, game):\n    return node")
    notebook.remove(*[cell for cell in notebook.cells if "check" in cell.metadata])
    return handed_in(notebook, backup="passed", expand=("failed", "partial"))


@hostile
def leaves_by_sys_exit() -> Made:
    return among_honest("import sys\n\ndef backup(leaf, value):\n    sys.exit(0)", "failed", "partial")


@hostile
def leaves_by_os_exit() -> Made:
    return among_honest("import os\n\ndef backup(leaf, value):\n    os._exit(0)", "crashed")


@hostile
def endless_and_catches_everything() -> Made:
    return among_honest(
        """
        def backup(leaf, value):
            while True:
                try:
                    while True:
                        pass
                except BaseException:
                    pass
        """,
        "timed out",
    )


@hostile
def endless_cell() -> Made:
    return among_honest(
        "while True:\n    try:\n        while True:\n            pass\n    except BaseException:\n        pass\n\n"
        "def backup(leaf, value): ...",
        "timed out",
    )


@hostile
def timers_canceled() -> Made:
    return among_honest(
        """
        import signal

        def backup(leaf, value):
            signal.alarm(0)
            signal.setitimer(signal.ITIMER_REAL, 0)
            for number in (signal.SIGALRM, signal.SIGINT, signal.SIGTERM):
                signal.signal(number, signal.SIG_IGN)
            while True:
                pass
        """,
        "timed out",
    )


@hostile
def threads_that_outlive_it() -> Made:
    source = "import threading\nimport time\n\n" + right("backup").replace(
        "    node = leaf\n",
        "    node = leaf\n    def forever():\n        while True:\n            time.sleep(0.01)\n"
        "    threading.Thread(target=forever, daemon=True).start()\n",
    )
    return among_honest(
        source, "passed", "partial", "needs a human", "timed out"
    )  # partial: no more threads are allowed


@hostile
def memory_hog() -> Made:
    return among_honest(
        "def backup(leaf, value):\n    held = []\n    while True:\n        held.append(bytearray(100_000_000))",
        "failed",
        "crashed",
        "partial",
        "timed out",  # a busy machine hands out memory slowly
    )


@hostile
def fork_bomb() -> Made:
    return among_honest(
        "import os\n\nwhile True:\n    try:\n        os.fork()\n    except OSError:\n        pass\n\n"
        "def backup(leaf, value): ...",
        "crashed",
        "timed out",
    )


@hostile
def a_hundred_megabytes_of_output() -> Made:
    return among_honest("for _ in range(1000):\n    print('x' * 100_000)\n\ndef backup(leaf, value): ...", "failed")


@hostile
def kills_its_parent() -> Made:
    return among_honest(
        "import os, signal\n\nos.kill(os.getppid(), signal.SIGKILL)\nos.kill(-1, signal.SIGKILL)\n\n"
        "def backup(leaf, value): ...",
        "crashed",
    )


@hostile
def checks_patched() -> Made:
    return among_honest(
        """
        import course_utils.tests.grade as grading
        import course_utils.tests.scene as scene

        grading.run_case = lambda case, stage, seconds=None: grading.Outcome(case)
        scene.Scenes.agreement = lambda self, stage, seed: None

        def backup(leaf, value):
            pass
        """,
        "failed",
        "partial",
    )


@hostile
def builtins_patched() -> Made:
    return among_honest(
        """
        import builtins

        builtins.all = lambda values: True
        builtins.isinstance = lambda value, kind: True

        def backup(leaf, value):
            pass
        """,
        *LOST,
    )


@hostile
def numpy_patched() -> Made:
    return among_honest(
        """
        import numpy as np

        np.allclose = lambda *args, **kwargs: True
        np.array_equal = lambda *args, **kwargs: True

        def select_child(node, c_puct):
            return int(np.flatnonzero(node.legal)[0])
        """,
        "failed", "partial",
        name="select_child",
    )  # fmt: skip


@hostile
def numpy_patched_under_another_name() -> Made:
    """Without an assignment that a reader of the source would see."""
    return among_honest(
        """
        import numpy as np

        def backup(leaf, value):
            getattr(np, "__dict__")["allclose"] = lambda *args, **kwargs: True
            vars(np)["array_equal"] = lambda *args, **kwargs: True
        """,
        "failed", "partial",
    )  # fmt: skip


@hostile
def numpy_patched_and_put_back() -> Made:
    """Only while its own results are compared, and without an assignment that a reader of the source would see."""
    return among_honest(
        """
        import numpy as np

        ALIKE = np.allclose

        def select_child(node, c_puct):
            for module in [np]:
                def agreeable(*args, **kwargs):
                    module.allclose = ALIKE
                    return True

                module.allclose = agreeable
            return int(np.flatnonzero(node.legal)[-1])
        """,
        "failed",
        "partial",
        name="select_child",
    )


@hostile
def a_class_patched() -> Made:
    return among_honest(
        """
        def expand(node, action, game):
            kind = node.__class__
            kind.__eq__ = lambda self, other: True
            kind.__hash__ = lambda self: 0
            return node
        """,
        "partial", "failed",
        name="expand",
    )  # fmt: skip


@hostile
def rigged_number() -> Made:
    return among_honest(
        """
        class Agreeable(float):
            def __eq__(self, other): return True
            def __ne__(self, other): return False
            def __sub__(self, other): return 0.0
            def __rsub__(self, other): return 0.0
            def __abs__(self): return 0.0
            __hash__ = float.__hash__

        def evaluate(node, network, game):
            if node.is_terminal:
                return node.terminal_value
            value, logits = network(game.encode(node.state)[None])
            node.P = np.where(node.legal, 1.0, 0.0) / node.legal.sum()
            return Agreeable(0)
        """,
        "failed", "partial", "needs a human",
        name="evaluate",
    )  # fmt: skip


@hostile
def memorized_table() -> Made:
    """Meant to hold the answers of the notebook's own check, seed 0."""
    return among_honest(
        """
        SEEN = {}

        def select_child(node, c_puct):
            key = (node.N.tobytes(), node.W.tobytes(), node.P.tobytes(), c_puct)
            return SEEN.get(hash(key), int(np.flatnonzero(node.legal)[0]))
        """,
        "failed", "partial", "needs a human",
        name="select_child",
    )  # fmt: skip


@hostile
def reference_imported() -> Made:
    return among_honest("from course_utils.search.puct import backup", "missing")


@hostile
def reference_wrapped() -> Made:
    return among_honest(
        "import course_utils.search.puct as puct\n\ndef backup(leaf, value):\n"
        "    return puct.backup.__wrapped__(leaf, value)",
        "failed", "missing",
    )  # fmt: skip


@hostile
def reference_through_the_registry() -> Made:
    return among_honest(
        "from course_utils import exercise\n\ndef backup(leaf, value):\n"
        "    return getattr(exercise, 'EXER' + 'CISES')['back' + 'up'].reference(leaf, value)",
        "failed", "missing",
    )  # fmt: skip


@hostile
def borrowed() -> Made:
    """Three lines that would solve any exercise."""
    return among_honest(
        """
        import course_utils

        def select_child(node, c_puct):
            with course_utils.exercise.using({}):
                return getattr(course_utils.search.puct, "select_child")(node, c_puct)
        """,
        "missing",
        "failed",
        name="select_child",
    )


@hostile
def kills_its_parent_from_within() -> Made:
    return among_honest(
        "def select_child(node, c_puct): import os; os.kill(os.getppid(), 9); return 0", "crashed", name="select_child"
    )


@hostile
def six_processes_of_much_memory() -> Made:
    return among_honest(
        """
        import os, time

        def backup(leaf, value):
            for _ in range(6):
                if os.fork() == 0:
                    held = bytearray(600_000_000)
                    for place in range(0, len(held), 4096):
                        held[place] = 1
                    time.sleep(60)
            time.sleep(60)
        """,
        "crashed",
        says="in all its processes",
    )


@honest
def unused_imports() -> Made:
    lines = (
        "import os\nimport inspect\nimport gc\nimport pdb\nimport pickle\nfrom IPython.display import clear_output\n"
    )
    answer = lines + "clear_output()\n!echo done\nplt_like = inspect.signature\n\n" + right("backup")
    return among_honest(answer, "passed")


@hostile
def looks_at_frames() -> Made:
    return among_honest(
        """
        import sys

        def select_child(node, c_puct):
            frame = sys._getframe()
            while frame is not None:
                if "expected" in frame.f_locals and type(frame.f_locals["expected"]) is int:
                    return frame.f_locals["expected"]
                if "case" in frame.f_locals and type(getattr(frame.f_locals["case"], "expected", None)) is int:
                    return frame.f_locals["case"].expected
                frame = frame.f_back
            return 0
        """,
        "failed",
        "partial",
        name="select_child",
    )


@hostile
def writes_a_result_itself() -> Made:
    return among_honest(
        """
        from IPython.display import display

        RESULT = {"exercise": "backup", "passed": True, "points": 11, "max_points": 11, "told": {}}
        display({"application/x-course-grade+json": RESULT}, raw=True)

        def backup(leaf, value):
            display({"application/x-course-grade+json": RESULT}, raw=True)
        """,
        "failed",
    )  # fmt: skip


@hostile
def reads_the_environment() -> Made:
    return among_honest(
        "import os\n\ndef backup(leaf, value):\n"
        "    raise ValueError(repr(dict(os.environ)) + repr(os.listdir('/')) + open('/proc/1/environ').read())",
        *LOST, "partial",
    )  # fmt: skip


@hostile
def writes_outside() -> Made:
    """The tests name a folder in the environment."""
    place = os.environ.get("CLASSROOM_OUTSIDE", "/tmp/classroom-outside")
    folders = [place, str(COURSE / "course_utils"), str(COURSE), "/usr", "/etc", "/var/tmp", "/dev/shm/.."]
    source = (
        "import pathlib\n\n"
        f"for folder in {folders!r}:\n    try:\n"
        f"        (pathlib.Path(folder) / 'written-outside').write_text('here')\n    except OSError:\n        pass\n\n"
    )
    return among_honest(source + right("backup"), "passed")


@hostile
def opens_a_socket() -> Made:
    port = int(os.environ.get("CLASSROOM_PORT", "9"))
    return among_honest(
        f"import socket\n\nwith __import__('contextlib').suppress(OSError):\n"
        f"    socket.create_connection(('127.0.0.1', {port}), 2).send(b'here')\n\n" + right("backup"),
        "passed",
    )


@hostile
def fills_the_disk() -> Made:
    return among_honest(
        """
        import os

        for number in range(10_000):
            try:
                with open(f"{os.environ.get('TMPDIR', '/tmp')}/{number}", "wb") as file:
                    file.write(b"x" * 20_000_000)
            except OSError:
                break

        def backup(leaf, value): ...
        """,
        *LOST, "partial",
    )  # fmt: skip


def write_class(folder: Path, names: list[str] | None = None) -> dict[str, Made]:
    """Write the submissions, a folder each. Returns what was made."""
    made = {name: CLASS[name]() for name in names or CLASS}
    for name, submission in made.items():
        (folder / name).mkdir(parents=True)
        for file, content in submission.files.items():
            path = folder / name / file
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)
    return made


def as_row(row: dict) -> SimpleNamespace:
    """A row of grades.json."""
    return SimpleNamespace(**row)


def surprises(made: dict[str, Made], rows: list) -> list[str]:
    """Rows that are not as expected, in sentences."""
    sentences = []
    for row in rows:
        expected = made[row.learner].expected.get(row.exercise, "missing")
        statuses = (expected,) if isinstance(expected, str) else expected
        whole = row.points == (row.max_points if row.status == "passed" else row.points) and (
            row.status == "passed"
        ) <= ("passed" in statuses)
        if row.status not in statuses or not whole:
            sentences.append(
                f"{row.learner} {row.exercise}: {row.status}, expected {' or '.join(statuses)} ({row.reason})"
            )
    for name, submission in made.items():
        if submission.says and not any(submission.says in row.reason for row in rows if row.learner == name):
            sentences.append(f"{name}: no reason mentions {submission.says!r}")
    return sentences


assert set(ALL) == {name for name, exercise in EXERCISES.items() if exercise.notebook == "03"}

if __name__ == "__main__":
    write_class(Path(sys.argv[1]), sys.argv[2:])
    print(f"{len(sys.argv[2:] or CLASS)} submissions are in {sys.argv[1]}")
