"""What was measured, row by row, and tables from it."""

import pytest

from course_utils.results import Result, load_result, table

ROWS = [
    dict(player="a", side="first", wins=1),
    dict(player="a", side="second", wins=2),
    dict(player="b", side="first", wins=3),
]


def result(**changes) -> Result:
    return Result(
        **dict(name="x", command="c", seeds=[0], code="", machine={}, seconds=1.0, date="", rows=ROWS) | changes
    )


def test_rows_are_found_by_their_values():
    assert result().where(player="a") == ROWS[:2]
    assert result().one(player="a", side="second")["wins"] == 2
    with pytest.raises(ValueError, match="no row"):
        result().where(player="c")
    with pytest.raises(ValueError, match="2 rows"):
        result().one(player="a")
    with pytest.raises(ValueError, match="uct_random"):
        load_result("x")


def test_a_table_has_an_empty_cell_where_a_row_lacks_the_value():
    made = table(ROWS[:1], {"who": "{player}", "won": lambda row: row["wins"] + 0.5, "lost": "{losses:.1f}"})
    assert made.splitlines() == ["| who | won | lost |", "|---|---|---|", "| a | 1.5 |  |"]
    assert table([{"who": "a", "won": 2}]).splitlines() == ["| who | won |", "|---|---|", "| a | 2 |"]
