"""What was measured, and how: rows in one file a measurement. Tables, figures and sentences are made from there.

    rows = load_result("uct_random").where(simulations=100)

A file has a head, which says how to measure it again, and rows: flat dictionaries, all of them counts, numbers and words that were
measured or varied. What follows from them (shares, intervals, means) is worked out where it is shown.
"""

import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from operator import itemgetter
from pathlib import Path
from typing import Any

from course_utils.tables import Table

FOLDER = Path(__file__).parent / "data" / "results"

Row = dict[str, Any]  # what JSON knows: str, int, float, bool or None


@dataclass(frozen=True)
class Result:
    """Rows, and what it took to get them.

    Attributes:
        command: measures them again.
        seeds: where chance began.
        code: the file that measured them, and a hash of the code that it runs (`lab/provenance.py`); "" if they were measured before hashes were kept.
        machine: cores, what the processor can do, versions; nothing that names it.
        seconds: of the clock; None if they were not kept.
        date: year-month-day.
        note: what a reader should know besides.
    """

    name: str
    command: str
    seeds: list[int]
    code: str
    machine: dict
    seconds: float | None
    date: str
    rows: list[Row]
    note: str = ""

    def where(self, **values) -> list[Row]:
        """The rows with these values. Raises ValueError if there is none."""
        found = [row for row in self.rows if values.items() <= row.items()]
        if not found:
            raise ValueError(f"the result {self.name!r} has no row with {values}; its first is {self.rows[:1]}")
        return found

    def one(self, **values) -> Row:
        """The only row with these values. Raises ValueError if there is none, or another one."""
        found = self.where(**values)
        if len(found) > 1:
            raise ValueError(f"the result {self.name!r} has {len(found)} rows with {values}")
        return found[0]


def load_result(name: str, folder: Path = FOLDER) -> Result:
    """The result that was saved under this name. Raises ValueError, which says what there is, if nothing was."""
    path = folder / f"{name}.json"
    if not path.exists():
        raise ValueError(f"no result is called {name!r}; there are: {', '.join(names(folder))}")
    return Result(**json.loads(path.read_text("utf-8")))


def names(folder: Path = FOLDER) -> list[str]:
    """Of all results, in order of the alphabet."""
    return sorted(path.stem for path in folder.glob("*.json"))


Columns = Mapping[str, str | Callable[[Row], object]]


def tabulated(rows: Iterable[Row], columns: Columns | None = None) -> Table:
    """Rows as a table.

    Args:
        columns: head -> the contents of its cells: a template for `str.format`, like "{search:,.0f}", or a function of the row. The
            cell is empty where the row lacks a value that the template needs. Without it, all columns as they are.
    """
    rows = list(rows)
    if columns is None:
        columns = {head: itemgetter(head) for head in rows[0]}

    def cell(row: Row, column) -> str:
        if callable(column):
            return str(column(row))
        try:
            return column.format_map(row)
        except KeyError:
            return ""

    return Table(list(columns), [[cell(row, column) for column in columns.values()] for row in rows])


def table(rows: Iterable[Row], columns: Columns | None = None) -> str:
    """Rows as a table in Markdown, see `tabulated`."""
    return tabulated(rows, columns)._repr_markdown_()
