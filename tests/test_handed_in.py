"""Answers that a person must look at: something is missing here, cells are not run, the course's functions are used."""

import ast
import csv
import subprocess
import sys

import pytest

from course_utils.answers.cells import Cell
from course_utils.answers.program import Program
from course_utils.answers.running import Raised
from course_utils.classroom.instructor_tables import read_overrides
from course_utils.classroom.machine_differences import machine_difference, newer_python
from course_utils.classroom.stripped_course import without_body
from course_utils.classroom.submission import Submission
from course_utils.classroom.verdict import Evidence, decide
from course_utils.exercise import EXERCISES
from course_utils.paths import COURSE
from course_utils.tests import reach
from course_utils.tests.grade import CHECKS, max_points

OS = "File <frozen os>:679, in _Environ.__getitem__(self, key)"


@pytest.mark.parametrize(
    ("text", "origin", "words"),
    [
        ("AssertionError: Torch not compiled with CUDA enabled", "", "no GPU"),
        ("RuntimeError: Found no NVIDIA driver on your system.", "", "no GPU"),
        ("FileNotFoundError: [Errno 2] No such file or directory: 'my/one.json'", "",
         "week/one.json, which was handed in"),
        ("FileNotFoundError: [Errno 2] No such file or directory: '/content/drive/MyDrive'", "",
         "file or folder /content/drive"),
        ("FileNotFoundError: sign.csv not found.", "", "sign.csv"),
        ("Exception: File `'one.json'` not found.", "", "week/one.json, which was handed in"),
        ("Exception: File `'helpers.py'` not found.", "", "file or folder helpers.py"),
        ("KeyError: 'COURSE_DATA'", OS, "environment has no 'COURSE_DATA'"),
        ("TypeError: int() argument must be a string, not 'NoneType'", "----> 1 int(os.getenv('X'))",
         "environment lacks"),
        ("ModuleNotFoundError: No module named 'pandas'", "", "this machine has no pandas, which its cells import"),
        ("ModuleNotFoundError: No module named 'google.colab'", "", "this machine has no google.colab"),
        ("ModuleNotFoundError: No module named 'one'", "",
         "its cells import one; week/one.py was handed in, and is not run"),
        ("ImportError: cannot import name 'later' from 'typing' (/x/typing.py)", "",
         "can't import what its cells import: cannot import name 'later'"),
        ("AttributeError: module 'numpy' has no attribute 'float_'", "", "this machine's numpy has no `float_`"),
        ("AttributeError: module 'course_utils.ui' has no attribute 'later'", "", "course_utils.ui has no `later`"),
        ("AttributeError: `np.float_` was removed in the NumPy 2.0 release. Use `np.float64` instead.", "",
         "another version of a library"),
        ("OSError: 'seaborn' is not a valid package style, path of style file", "", "no style seaborn"),
        ("OSError: [Errno 30] Read-only file system: '/data/x'", "", "may not write"),
        ("URLError: <urlopen error [Errno -3] Temporary failure in name resolution>", "", "network"),
        ("UsageError: Line magic function `%lprun` not found.", "", "has no %lprun"),
        ("KeyError: 'COURSE_DATA'", "06.ipynb", ""),
        ("AttributeError: 'Node' object has no attribute 'children'", "", ""),
        ("AssertionError: the weights do not sum to 1", "", ""),
        ("TypeError: unsupported operand type(s) for *: 'NoneType' and 'int'", "----> 1 x * 3", ""),
        ("NameError: name 'SIGN' is not defined", "", ""),
    ],
)  # fmt: skip
def test_an_error_tells_what_the_machine_lacks(text, origin, words):
    lack = machine_difference(
        [Raised("NameError: name 'x' is not defined"), Raised(text, "cell 3 of 06.ipynb", origin)],
        ["week/one.json", "week/one.py"],
    )
    assert words in lack and bool(lack) == bool(words)
    assert not lack or lack.endswith(f"; cell 3 of 06.ipynb raised {text}")


@pytest.mark.skipif(sys.version_info >= (3, 12), reason="this Python reads these lines")
@pytest.mark.parametrize(
    ("line", "newer"),
    [
        ("def backup[T](leaf, value): ...", True),
        ("type Pair = tuple", True),
        ("print(f'{a['b']}')", True),
        ("def backup(leaf, value)\n    ...", False),
        ("print(f'{a(')", False),
    ],
)
def test_lines_that_a_newer_python_reads_need_a_human_without_a_version_in_the_file_too(line, newer):
    answer = Cell("06.ipynb", 0, "code", f"def backup(leaf, value): ...\n{line}", {"exercise": "backup"})
    program = Program("", (answer.source,), "backup", answer, ())
    assert ("newer" in newer_python(program)) is newer


@pytest.mark.parametrize(("magic", "status"), [("%%cython -a\n", "needs a human"), ("", "missing")])
def test_an_answer_below_a_magic_that_is_not_python_needs_a_human(magic, status):
    cell = Cell("06.ipynb", 3, "code", magic + EXERCISES["backup"].source, {"exercise": "backup"})
    verdict = decide(Evidence("backup", "03_puct_search", Submission("anna", cells=[cell]), [cell]))
    assert verdict.status == status and (not magic or ("%%cython" in verdict.reason and verdict.code == cell.source))


def test_the_courses_own_work_under_another_name_is_no_answer():
    def answer(line: str) -> str:
        return f"{line}\ndef mcts_search(root):\n    search_on(root)"

    assert reach.reference_taken("mcts_search", answer("")) == "search_on"
    assert reach.reference_taken("mcts_search", answer("from course_utils.search.puct import search_on")) != ""
    assert reach.reference_taken("mcts_search", answer("def search_on(root): pass")) == ""


def test_points_can_be_decided_for_a_learner_who_handed_in_nothing(tmp_path):
    handed_in, out = tmp_path / "in", tmp_path / "out"
    (handed_in / "anna").mkdir(parents=True)
    (handed_in / "anna" / "06.ipynb").write_text('{"cells": [], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}')
    roster = tmp_path / "roster.csv"
    roster.write_text("Full name,Username\nAnna,anna\nZoe,zoe\n")
    out.mkdir()
    (out / "overrides.csv").write_text("learner,exercise,points,comment\nzoe,backup,5,oral exam\n")
    command = ["grade", "--submissions", handed_in, "--out", out, "--only", "backup", "--roster", roster]
    subprocess.run([sys.executable, "-m", "course_utils", *map(str, command)], check=True)
    lines = list(csv.DictReader((out / "grades.csv").read_text("utf-8-sig").splitlines()))
    assert [(line["learner"], line["points"]) for line in lines] == [("anna", "0"), ("zoe", "5")]


def test_the_line_of_overrides_in_the_docs_is_one_that_counts(tmp_path):
    lines = (COURSE / "docs" / "instructor.md").read_text("utf-8").splitlines()
    [head] = [number for number, line in enumerate(lines) if line.strip() == "learner,exercise,points,comment"]
    (tmp_path / "overrides.csv").write_text("\n".join(line.strip() for line in lines[head : head + 2]))
    [decided] = read_overrides(tmp_path / "overrides.csv", ["bauerben-12345"], ["03_puct_search"]).items()
    assert decided[1][0] == max_points(decided[0][1])  # "with it this is right"


HIDDEN = {  # a line that takes a function of the course without its name -> the name that a person reads
    "p = puct\n\n\ndef select_child(node, c):\n    return p.other(node)": "puct",
    "def select_child(node, c, p=puct):\n    return p.other(node)": "puct",
    "def select_child(node, c):\n    return vars(puct)['search_' + 'on'](node)": "puct",
    "def select_child(node, c):\n    return Node.__init__.__globals__['search_on'](node)": "Node.__init__.__globals__",
    "import sys\n\n\ndef select_child(node, c):\n    return sys.modules['x'].other(node)": "sys.modules",
    "def select_child(node, c):\n    return puct.Node(node)": "",
}


@pytest.mark.parametrize("source", HIDDEN)
def test_a_module_under_another_name_is_shown_to_a_person(source):
    source = f"from course_utils.search import puct\nfrom course_utils.search.puct import Node\n{source}"
    named = HIDDEN[source.split("Node\n", 1)[1]]
    assert reach.course_functions("select_child", source, CHECKS["select_child"].right) == [named] * bool(named)


@pytest.mark.parametrize(("exercise", "twin"), reach.TWINS.items())
def test_a_twin_is_taken_out_with_the_body_of_its_exercise(exercise, twin):
    tree = ast.parse(without_body(exercise))
    functions = {node.name: node for node in tree.body if isinstance(node, ast.FunctionDef)}
    assert {exercise, twin} <= functions.keys()
    for name in (exercise, twin):
        assert "NotImplementedError" in ast.unparse(functions[name].body[-1]) and len(functions[name].body) <= 2
