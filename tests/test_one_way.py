"""However a right answer is written and wherever it stands: the notebook, `make check ONLY=learner` and `make grade`
say the same of it.

One table of ways. Each is a list of cells, as a learner leaves them: run in a kernel, read from the file by `make
check`, and graded as handed in.
"""

import json
import os
import textwrap
from collections.abc import Callable

import nbformat
import pytest
from nbclient import NotebookClient

from course_utils.answers.cells import cells_of, find
from course_utils.answers.program import Program, programs_of
from course_utils.answers.running import run
from course_utils.classroom.grading import Row
from course_utils.classroom.sandbox import Sandbox
from course_utils.exercise import bind
from course_utils.learner.progress import Grader, Status, _state
from course_utils.material.given_lines import given_to
from course_utils.tests.grade import grade
from tests.classroom import right, row_of

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="grading needs Linux or macOS")

SETUP = "import numpy as np\n\nfrom course_utils import tests\nfrom course_utils.games import Game\nfrom course_utils.search.puct import NO_ACTION, Node"
ANSWER = "# my own words\n" + right("backup").partition("\n")[2].replace("leaf: Node, value: float", "leaf, value")
FLIPPED = ANSWER.replace("value = -value", "value = flip(value)")
FLIP = "def flip(value):\n    return -value"
CHECK = "from course_utils import tests\n\ntests.test_backup(backup)"
BODY = textwrap.indent(ANSWER.partition("\n")[2].partition("\n")[2], "")


def marked(source: str) -> tuple[str, dict]:
    return source, {"exercise": "backup"}


def checked(source: str = CHECK) -> tuple[str, dict]:
    return source, {"check": "backup"}


STUB = marked(
    'def backup(leaf, value):\n    # your code here\n    raise NotImplementedError("backup is not written yet")'
)
named = ANSWER.replace("def backup", "def {}").format
MADE = f"def made(sign):\n    def walk(leaf, value):\n{textwrap.indent(BODY.replace('-value', 'sign * value'), '    ')}\n    return walk"
CLASS = "class Up:\n    def __call__(self, leaf, value):\n" + textwrap.indent(BODY, "    ")
RULES = "class Rules:\n    @staticmethod\n" + textwrap.indent(ANSWER.partition("\n")[2], "    ")
WAYS: dict[str, list] = {
    "as it was meant": [SETUP, marked(ANSWER), checked()],
    "imports in its cell": [SETUP, marked(f"{SETUP}\n\n{ANSWER}"), checked()],
    "imports in its cell and nowhere else": [marked(f"{SETUP}\n\n{ANSWER}"), checked()],
    "without a setup cell": [marked(ANSWER), checked()],
    "a helper in its cell": [SETUP, marked(f"{FLIP}\n\n\n{FLIPPED}"), checked()],
    "a helper above": [SETUP, FLIP, marked(FLIPPED), checked()],
    "a helper below": [SETUP, marked(FLIPPED), FLIP, checked()],
    "a helper above, written twice": [SETUP, "def flip(value):\n    return value", FLIP, marked(FLIPPED), checked()],
    "a helper of a helper": [SETUP, "SIGN = -1", FLIP.replace("-value", "SIGN * value"), marked(FLIPPED), checked()],
    "a helper called like one of Python's functions": [SETUP, "def abs(value):\n    return -value", marked(FLIPPED.replace("flip", "abs")), checked()],
    "a variable called like one of Python's functions": [SETUP, marked(ANSWER.replace("-value", "-max(value, value)")), checked(), "max = 3"],
    "a helper called like a later exercise": [SETUP, FLIP.replace("flip", "gate"), marked(FLIPPED.replace("flip", "gate")), checked()],
    "a helper that is imported": [SETUP, "from operator import neg as flip", marked(FLIPPED), checked()],
    "a module imported in another cell": [SETUP, "import operator", marked(FLIPPED.replace("flip", "operator.neg")), checked()],
    "a module imported twice": [SETUP, "import operator as o", "import operator as o", marked(FLIPPED.replace("flip", "o.neg")), checked()],
    "a helper in the check's cell": [SETUP, marked(FLIPPED), checked(f"{FLIP}\n\n{CHECK}")],
    "a helper made by a loop": [SETUP, "SIGNS = []\nfor one in (1, -1):\n    SIGNS.append(one)", marked(ANSWER.replace("-value", "SIGNS[1] * value")), checked()],
    "a helper in a cell with prints": [SETUP, f"print('hello')\n{FLIP}\nprint(flip(3))", marked(FLIPPED), checked()],
    "prints below it": [SETUP, marked(f"{ANSWER}\n\nprint(backup)"), checked()],
    "a test of one's own below it": [SETUP, marked(f"{ANSWER}\n\ndef test_mine():\n    assert backup\n\ntest_mine()"), checked()],
    "a last line that uses another cell": [SETUP, "game = 3", marked(f"{ANSWER}\n\nprint(game)"), checked()],
    "the check in its cell": [SETUP, marked(f"{ANSWER}\n\n{CHECK}")],
    "the check in its cell, spread out": [SETUP, marked(f"{ANSWER}\n\nfrom course_utils import tests\ntests.test_backup(\n    backup,\n)")],
    "the check in its cell, and odd separators": [SETUP, marked(f"# a \u2028 b \x85 c\n{ANSWER}\n\n{CHECK}")],
    "a form feed and a vertical tab in a docstring": [SETUP, marked(ANSWER.replace('"""Carry', '"""\f \v Carry') + f"\n\n{CHECK}")],
    "lines that end as on Windows": [SETUP, marked(ANSWER.replace("\n", "\r\n")), checked()],
    "tabs": [SETUP, marked(ANSWER.replace("    ", "\t")), checked()],
    "split in two cells": [SETUP, marked(FLIP), FLIPPED, checked()],
    "merged with another exercise": [SETUP, marked(f"{right('expand')}\n\n{ANSWER}"), checked()],
    "retyped in a cell of one's own, the stub left": [SETUP, STUB, ANSWER, checked()],
    "retyped above the stub": [SETUP, ANSWER, checked(), STUB],
    "retyped, the stub deleted": [SETUP, ANSWER, checked()],
    "a copy of the stub below": [SETUP, marked(ANSWER), checked(), STUB[0]],
    "a wrong first try above": [SETUP, "def backup(leaf, value):\n    return None", marked(ANSWER), checked()],
    "a wrong first try that failed its check": [SETUP, marked(ANSWER), "x = 1", checked()],
    "a lambda": [SETUP, STUB, "backup = lambda leaf, value: walk(leaf, value)", named("walk"), checked()],
    "another name": [SETUP, STUB, f"{named('walk')}\n\nbackup = walk", checked()],
    "another name in another cell": [SETUP, STUB, named("walk"), "backup = walk", checked()],
    "made by a call": [SETUP, STUB, f"{MADE}\n\nbackup = made(-1)", checked()],
    "made by a call in another cell": [SETUP, STUB, MADE, "backup = made(-1)", checked()],
    "made by a condition": [SETUP, STUB, named("walk"), "FAST = True\nbackup = walk if FAST else None", checked()],
    "defined under a condition": [SETUP, marked(f"if True:\n{textwrap.indent(ANSWER, '    ')}"), checked()],
    "one of a tuple": [SETUP, STUB, f"{named('walk')}\n\nbackup, other = walk, 3", checked()],
    "an object that can be called": [SETUP, STUB, f"{CLASS}\n\nbackup = Up()", checked()],
    "a part of functools": [SETUP, STUB, f"import functools\n\n{named('walk')}\n\nbackup = functools.partial(walk)", checked()],
    "with a decorator": [SETUP, FLIP, "def same(function):\n    return function", marked(ANSWER.replace("def backup", "@same\ndef backup")), checked()],
    "with a wrapper": [SETUP, marked("import functools\n\ndef noted(function):\n    @functools.wraps(function)\n    def called(*args, **kwargs):\n        return function(*args, **kwargs)\n    return called\n\n" + ANSWER.replace("def backup", "@noted\ndef backup")), checked()],
    "a method": [SETUP, marked(RULES), checked(CHECK.replace("(backup)", "(Rules.backup)"))],
    "recursive": [SETUP, marked("def backup(leaf, value):\n    if leaf.parent is not None:\n        leaf.parent.N[leaf.parent_action] += 1\n        leaf.parent.W[leaf.parent_action] -= value\n        backup(leaf.parent, -value)"), checked()],
    "annotated with the class of the notebook": [SETUP, marked(ANSWER.replace("(leaf, value)", "(leaf: Node, value: float)")), checked()],
    "timed": [SETUP, marked(f"%%time\n{ANSWER}"), checked()],
    "with magics and a command": [SETUP, marked(f"%matplotlib inline\n!echo hello\n{ANSWER}"), checked()],
    "with await at the top": [SETUP, marked(f"import asyncio\nawait asyncio.sleep(0)\n{ANSWER}"), checked()],
    "await in a helper cell": [SETUP, f"import asyncio\nawait asyncio.sleep(0)\n{FLIP}", marked(FLIPPED), checked()],
    "a pool in a helper cell": [SETUP, f"from multiprocessing import get_context\n\n{FLIP}\n\nwith get_context('fork').Pool(1) as pool:\n    SIGN = pool.map(abs, [-1])[0]", marked(ANSWER.replace("-value", "-SIGN * value")), checked()],
    "threads": [SETUP, marked(f"from concurrent.futures import ThreadPoolExecutor\n\n{FLIP}\n\n" + ANSWER.replace("value = -value", "with ThreadPoolExecutor(1) as pool:\n            value = pool.submit(flip, value).result()")), checked()],
    "__future__": [SETUP, marked(f"from __future__ import annotations\n\n{ANSWER}"), checked()],
    "an error below it": [SETUP, marked(f"{ANSWER}\n\n1 / 0"), checked()],
    "a cell that nobody needs fails": [SETUP, "1 / 0", marked(ANSWER), checked()],
    "everything of a module imported": [SETUP, "from operator import *", marked(FLIPPED.replace("flip", "neg")), checked()],
    "a helper with a form feed, and odd separators": [SETUP, "def flip(value):\n    '\f'\n    return -value", marked(f"# \x85 \u2028\n{FLIPPED}"), checked()],
    "global state": [SETUP, "CALLS = 0", marked(ANSWER.replace("    node = leaf\n", "    global CALLS\n    CALLS += 1\n    node = leaf\n")), checked()],
}  # fmt: skip
QUICK = [
    "a helper above",
    "made by a call in another cell",
    "await in a helper cell",
    "the check in its cell, and odd separators",
]


def notebook_of(cells: list) -> nbformat.NotebookNode:
    made = []
    for cell in cells:
        source, metadata = cell if isinstance(cell, tuple) else (cell, {})
        made.append(nbformat.v4.new_code_cell(source, metadata={**metadata, "tags": ["raises-exception"]}))
    return nbformat.v4.new_notebook(cells=made)


def versions_of(notebook: nbformat.NotebookNode) -> list[Program]:
    cells = cells_of("03.ipynb", notebook.cells)
    return programs_of(cells, "backup", find(cells).get("backup", []), given_to("backup"))


@pytest.fixture(scope="module")
def in_make_check(tmp_path_factory) -> Callable:
    """What `make check ONLY=learner` says of it."""
    with pytest.MonkeyPatch.context() as patch, Grader() as grader:
        patch.setenv("COURSE_RECORD", str(tmp_path_factory.mktemp("record")))
        yield lambda notebook: _state(Status("03", "backup", "to do"), versions_of(notebook), grader)


@pytest.fixture(scope="module")
def in_grade() -> Callable:
    """The row of `make grade`."""
    with Sandbox() as sandbox:

        def graded(notebook) -> Row:
            return row_of(sandbox, "backup", *cells_of("03.ipynb", notebook.cells))

        yield graded


def in_a_kernel(notebook, tmp_path) -> tuple[str, str]:
    """(what its check says, the source that is recorded), of a real kernel."""
    environment = {**os.environ, "COURSE_RECORD": str(tmp_path)}
    client = NotebookClient(notebook, allow_errors=True, timeout=120, resources={"metadata": {"path": str(tmp_path)}})
    with client.setup_kernel(env=environment):
        for number, cell in enumerate(notebook.cells):
            client.execute_cell(cell, number)
    printed = [
        str(output.get("data", {}).get("text/plain", output)) for cell in notebook.cells for output in cell.outputs
    ]
    try:
        kept = json.loads((tmp_path / "answers" / "backup.json").read_text("utf-8"))["source"]
    except OSError:
        kept = ""
    return "\n".join(text for text in printed if "backup:" in text), kept


THIRD = [
    pytest.param(way, marks=[pytest.mark.full] * (place % 3 > 0 and way not in QUICK)) for place, way in enumerate(WAYS)
]
EACH = [pytest.param(way, marks=[pytest.mark.full] * (way not in QUICK)) for way in WAYS]


@pytest.mark.parametrize("way", WAYS)
def test_what_is_right_passes_cut_out_of_its_notebook(way):
    """As `make check` and the record run it."""
    programs = versions_of(notebook_of(WAYS[way]))
    assert any(grade("backup", run(program, "backup").function).passed for program in programs)


@pytest.mark.slow
@pytest.mark.parametrize("way", THIRD)
def test_what_is_right_passes_in_make_check_and_in_grade_however_it_is_written(way, in_make_check, in_grade):
    notebook = notebook_of(WAYS[way])
    state, row = in_make_check(notebook), in_grade(notebook)
    assert (state.status, state.detail) == ("done", f"{row.reason}".partition(" (")[0]), (state, row.reason)
    assert (row.status, row.points) == ("passed", row.max_points), row.reason


@pytest.mark.parametrize("way", EACH)
def test_what_is_right_passes_in_a_kernel_too_and_is_recorded_with_all_that_it_needs(way, tmp_path):
    message, kept = in_a_kernel(notebook_of(WAYS[way]), tmp_path)
    assert "PASSED  backup: 7 of 7 cases, 11 of 11 points" in message
    assert "recorded" not in message
    assert grade("backup", bind("backup", kept)).passed


def test_a_helper_whose_cell_was_deleted_passes_in_the_kernel_and_is_recorded_and_in_a_file_it_is_missed(
    tmp_path, in_make_check, in_grade
):
    cells = [SETUP, FLIP, marked(FLIPPED), checked()]
    message, kept = in_a_kernel(notebook_of(cells), tmp_path)
    assert "PASSED" in message and grade("backup", bind("backup", kept)).passed
    notebook = notebook_of([cell for cell in cells if cell is not FLIP])
    state, row = in_make_check(notebook), in_grade(notebook)
    assert state.status == "wrong" and row.status == "failed"
    assert "name 'flip' is not defined" in row.reason


assert len(WAYS) >= 50
