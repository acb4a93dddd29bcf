"""A result knows the code that measured it, and the course says which results are older than theirs."""

import subprocess
import sys

import pytest

from course_utils import results
from course_utils.paths import COURSE
from lab import provenance
from lab.command import COMMANDS, file_of
from lab.saving import save_rows

MEASURES = '''"""Counts."""
from course_utils import games  # the rules


def measure():
    """Count once."""
    from lab.helper import twice

    return twice(1)
'''
FILES = {
    "lab/counting.py": MEASURES,
    "lab/helper.py": "from course_utils.games import rules\nfrom course_utils.ui import board\ntwice = rules.twice\n",
    "lab/other.py": "",
    "course_utils/games/__init__.py": "",
    "course_utils/games/rules.py": "def twice(n):\n    return 2 * n\n",
    "course_utils/ui/board.py": "",
}


@pytest.fixture
def root(tmp_path):
    for name, text in FILES.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text, "utf-8")
    return tmp_path


@pytest.mark.parametrize(
    ("name", "changes"),
    [
        ("lab/counting.py", {"twice(1)": "twice(2)"}),
        ("lab/helper.py", {"rules.twice": "rules.twice and rules.twice"}),
        ("course_utils/games/rules.py", {"2 * n": "n + n"}),
    ],
)
def test_a_hash_changes_with_the_code_that_runs_at_any_depth(name, changes, root):
    before = provenance.code_of(root / "lab" / "counting.py", root)
    [(old, new)] = changes.items()
    (root / name).write_text(FILES[name].replace(old, new), "utf-8")
    assert provenance.code_of(root / "lab" / "counting.py", root) != before


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("lab/counting.py", MEASURES.replace("Counts.", "Counts\nall.").replace("# the rules", "# of games").replace("Count once", "Once")),
        ("lab/other.py", "n = 1\n"),
        ("course_utils/ui/board.py", "n = 1\n"),
    ],
)  # fmt: skip
def test_a_hash_stays_where_only_words_change_or_what_does_not_measure(name, text, root):
    before = provenance.code_of(root / "lab" / "counting.py", root)
    (root / name).write_text(text, "utf-8")
    assert provenance.code_of(root / "lab" / "counting.py", root) == before


def test_results_older_than_their_code_are_named(tmp_path, monkeypatch):
    code = provenance.code_of(COURSE / "lab" / "uct.py")
    for name, told in (("today", code), ("older", f"{code[:-1]}{'0' if code[-1] != '0' else '1'}"), ("before", "")):
        save_rows(name, "python -m lab uct_equal", [0], [dict(n=1)], tmp_path, code=told)
    assert results.load_result("today", tmp_path).code == code
    monkeypatch.setattr(provenance, "RESULTS", (tmp_path,))
    assert provenance.standing() == (["older"], ["before"])
    assert (
        provenance.in_a_line()
        == "Older than the code that measured them: older; measured before hashes were kept: 1 results."
    )


def test_a_result_that_names_no_file_that_is_here_is_older_than_its_code(tmp_path, monkeypatch):
    save_rows("moved", "python -m lab moved", [0], [dict(n=1)], tmp_path, code="lab/moved.py 0123456789")
    monkeypatch.setattr(provenance, "RESULTS", (tmp_path,))
    assert provenance.standing() == (["moved"], [])


def test_every_command_has_a_file_whose_hash_is_told_in_one_line_whatever_it_is():
    assert all(file_of(name).is_relative_to(COURSE / "lab") for name in COMMANDS)
    done = subprocess.run([sys.executable, "-m", "lab.provenance"], cwd=COURSE, capture_output=True, text=True)
    assert done.returncode == 0 and done.stdout.count("\n") == 1
