"""A helper cell that raises needs a human if and only if the answer fails for lack of what it would have made."""

from functools import partial

import pytest

from course_utils.classroom.sandbox import Sandbox
from tests import classroom
from tests.classroom import right

NEEDS = right("backup").replace("-value", "SIGN * value")
WRONG = "def backup(leaf, value):\n    node = leaf\n    while node.parent is not None:\n        node = node.parent\n"
MACHINES = {  # helper cells that run on the learner's machine and raise here
    "a keyboard": "simulations = int(input('How many?') or 50)\nSIGN = -1",
    "Apple's GPU": "import torch\nSCALE = torch.ones(1, device='mps')\nSIGN = -1",
    "a user": "import getpass\nprint(getpass.getuser())\nSIGN = -1",
    "a language": "import locale\nlocale.setlocale(locale.LC_ALL, 'tlh_KX.UTF-8')\nSIGN = -1",
    "a browser": "import webbrowser\nwebbrowser.get('a-browser-of-theirs')\nSIGN = -1",
    "many processors": "import os\nassert os.cpu_count() > 100_000\nSIGN = -1",
    "a file, into a table": "weights = {}\nweights['sign'] = float(open('/their/sign').read())",
    "a file, over a default": "SIGN = 0\nSIGN = float(open('/their/sign').read())",
    "Python itself": "import os, signal\nos.kill(os.getpid(), signal.SIGABRT)\nSIGN = -1",
}
QUICK = ("a keyboard", "a language", "a file, into a table", "Python itself")


@pytest.fixture(scope="module")
def row_of():
    """(sources of cells) -> the row that the last cell gets."""
    with Sandbox() as sandbox:
        yield partial(classroom.row_of, sandbox, "backup")


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=[pytest.mark.full] * (name not in QUICK)) for name in MACHINES]
)
def test_an_answer_that_needs_what_the_cell_would_have_made_needs_a_human(row_of, name):
    helper = MACHINES[name]
    answer = NEEDS.replace("SIGN", "weights['sign']") if "weights" in helper else NEEDS
    row = row_of(helper, answer)
    assert row.status == "needs a human" and row.points == 0, row.reason
    assert "cell 1 of 06.ipynb" in row.reason


def test_the_error_is_the_first_of_a_chain_of_cells(row_of):
    row = row_of("import locale\nlocale.setlocale(locale.LC_ALL, 'tlh_KX.UTF-8')\nDOWN = -1", "SIGN = DOWN", NEEDS)
    assert row.status == "needs a human"
    assert "cell 1 of 06.ipynb raised Error: unsupported locale" in row.reason


HELPER = "import numpy as np\nSTEP = 1\n\n\ndef up(node):\n    return node.parent\n\n\n"
USES = WRONG.replace("node = node.parent\n", "node = up(node)\n        _ = np, STEP\n")


@pytest.mark.parametrize(
    ("sources", "why"),
    [
        ([HELPER + "raise RuntimeError('needs my GPU')", USES], "what the answer reads was made before"),
        ([HELPER + "LATER = input()", USES], "what the answer reads was made before"),
        (["raise OSError('no tty')\nOTHER = 1", "STEP = 1", WRONG], "the answer does not need the cell"),
        ([HELPER + "raise OSError('no tty')\nimport numpy as np", USES], "an import that is there anyway"),
        (["SIGN = -no_such_name", NEEDS], "a NameError of the learner's own"),
        (["SIGN = (-1", NEEDS], "not Python"),
        (["raise OSError\nSIGN = -1", right("backup").replace("value = -value", "SIGN if leaf is None else 0")],
         "fails by itself"),
        ([HELPER + "import os\nos._exit(0)", WRONG], "does not need"),
    ],
)  # fmt: skip
def test_a_wrong_answer_stays_wrong_beside_a_cell_that_raises(row_of, sources, why):
    row = row_of(*sources)
    assert row.status in ("failed", "partial", "crashed"), (why, row.reason)


def test_a_right_answer_passes_beside_a_cell_that_raises(row_of):
    assert row_of(HELPER + "LATER = input()", NEEDS.replace("SIGN", "-STEP")).status == "passed"
