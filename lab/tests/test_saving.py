"""One file format for all that is measured."""

import pytest

from course_utils.results import Result, load_result, names
from lab.saving import save_result, save_rows

ROWS = [
    dict(player="a", side="first", wins=1),
    dict(player="a", side="second", wins=2),
    dict(player="b", side="first", wins=3),
]


def result(**changes) -> Result:
    return Result(
        **dict(name="x", command="c", seeds=[0], code="", machine={}, seconds=1.0, date="", rows=ROWS) | changes
    )


def test_what_is_saved_can_be_loaded(tmp_path):
    saved = save_rows("x", "python -m lab x", range(2), iter(ROWS), folder=tmp_path)
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
