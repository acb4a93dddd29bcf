"""One file format for all that is measured, and tables from it."""

import pytest

from benchmarks.saving import save_result, save_rows
from course_utils.results import Result, load_result, names, table

ROWS = [
    dict(player="a", side="first", wins=1),
    dict(player="a", side="second", wins=2),
    dict(player="b", side="first", wins=3),
]


def result(**changes) -> Result:
    return Result(
        **dict(name="x", command="c", seeds=[0], commit="", machine={}, seconds=1.0, date="", rows=ROWS) | changes
    )


def test_what_is_saved_can_be_loaded(tmp_path):
    saved = save_rows("x", "python -m benchmarks x", range(2), iter(ROWS), folder=tmp_path)
    assert load_result("x", tmp_path) == saved
    assert (saved.rows, saved.seeds, names(tmp_path)) == (ROWS, [0, 1], ["x"])
    assert {"cores", "cpu", "torch"} <= saved.machine.keys()


def test_rows_survive_a_measurement_that_breaks_off_and_the_older_result_stands(tmp_path):
    older = save_rows("x", "c", [0], ROWS[:1], folder=tmp_path)

    def breaks_off():
        yield from ROWS[:2]
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        save_rows("x", "c", [0], breaks_off(), folder=tmp_path)
    assert load_result("x", tmp_path) == older
    assert '"wins": 2' in (tmp_path / "x.partial").read_text()


def test_a_row_has_a_command_and_is_flat(tmp_path):
    with pytest.raises(ValueError, match="no command"):
        save_result(result(command=""), tmp_path / "x.json")
    with pytest.raises(ValueError, match="numbers and words"):
        save_result(result(rows=[dict(score=[1, 2, 3])]), tmp_path / "x.json")
    assert names(tmp_path) == []


def test_rows_are_found_by_their_values():
    assert result().where(player="a") == ROWS[:2]
    assert result().one(player="a", side="second")["wins"] == 2
    with pytest.raises(ValueError, match="no row"):
        result().where(player="c")
    with pytest.raises(ValueError, match="2 rows"):
        result().one(player="a")
    with pytest.raises(ValueError, match="search_speed"):
        load_result("x")


def test_a_table_has_an_empty_cell_where_a_row_lacks_the_value():
    made = table(ROWS[:1], {"who": "{player}", "won": lambda row: row["wins"] + 0.5, "lost": "{losses:.1f}"})
    assert made.splitlines() == ["| who | won | lost |", "|---|---|---|", "| a | 1.5 |  |"]
    assert table([{"who": "a", "won": 2}]).splitlines() == ["| who | won |", "|---|---|", "| a | 2 |"]
