"""What the performance page and the card say is what was measured."""

import sys

from course_utils.agents import card
from course_utils.files import replace_between
from course_utils.learning.tournament import load_results
from course_utils.paths import ROOT

sys.path.insert(0, str(ROOT / "benchmarks"))

import bench


def test_the_tables_of_the_page_are_made_from_the_results():
    page, tables = bench.PAGE.read_text("utf-8"), bench.tables()
    assert {"search", "tictactoe", "course", "moves", "others", "rollouts", "solver"} <= tables.keys()
    for name, table in tables.items():
        assert replace_between(page, name, table.splitlines()) == page, f"`python benchmarks/bench.py report` ({name})"


def test_the_card_of_the_connect_four_agent_is_made_from_the_results():
    assert bench.card_with_strength(card("connect_four"), load_results("connect_four")) == card("connect_four")


def test_every_table_has_its_control():
    found = load_results("connect_four")
    assert found["course"][0]["iteration"] == 0
    for part in ("moves", "rollouts", "solver"):
        assert any(name.startswith("untrained") for name in found[part])
