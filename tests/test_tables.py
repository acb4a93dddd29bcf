import io
import sys

from course_utils.tables import Table

TABLE = Table(("game", "lost"), {"tic-tac-toe": 0, "go": 12}.items())


def test_a_table_is_aligned_as_text_and_drawn_in_a_notebook():
    assert repr(TABLE) == "game         lost\ntic-tac-toe  0\ngo           12"
    assert TABLE._repr_markdown_() == "| game | lost |\n|---|---|\n| tic-tac-toe | 0 |\n| go | 12 |"


def test_a_table_is_drawn_in_a_terminal_with_its_cells_as_they_are(monkeypatch):
    head, rule, *rows = str(TABLE).splitlines()
    assert [cell.strip() for cell in head.split("│")] == ["game", "lost"] and set(rule) == set("─┼")
    assert [[cell.strip() for cell in row.split("│")] for row in rows] == [["tic-tac-toe", "0"], ["go", "12"]]
    assert "[b]x[/b] :go: [1]" in str(Table(("a",), [["[b]x[/b] :go: [1]"]])), "no markup"
    long = str(Table(("a", "b"), [["word " * 100, "word " * 100]]))
    assert len(long.splitlines()) == 3, "in a pipe nothing is broken"
    ascii_only = io.TextIOWrapper(io.BytesIO(), encoding="ascii")
    monkeypatch.setattr(sys, "stdout", ascii_only)
    assert str(TABLE).isascii()
