"""Load the results of measurements, from which tables, figures and sentences are made.

    rows = load_result("uct_random").where(simulations=100)

A result's file has a head, which says how to measure it again, and rows: flat dictionaries of counts, numbers and
words that were measured or varied. Shares, intervals and means are computed where they are shown.
"""

import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from operator import itemgetter
from pathlib import Path
from typing import Any

from course_utils.tables import Table

FOLDER = Path(__file__).parent / "data" / "results"

Row = dict[str, Any]  # JSON values: str, int, float, bool or None


@dataclass(frozen=True)
class Result:
    """The rows of a measurement, and how they were measured.

    Attributes:
        command: the command that measures them again.
        seeds: the seeds of the random generators.
        code: the file that measured them, and a hash of the code that it runs (`lab/provenance.py`); "" if they were
            measured before hashes were kept.
        machine: cores, the processor's features, versions; nothing that identifies the machine.
        seconds: wall-clock time; None if it was not recorded.
        date: year-month-day.
        note: further remarks for readers.
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
        """The rows with these values. Raises ValueError if there are none."""
        rows = [row for row in self.rows if values.items() <= row.items()]
        if not rows:
            raise ValueError(f"the result {self.name!r} has no row with {values}; its first is {self.rows[:1]}")
        return rows

    def one(self, **values) -> Row:
        """The only row with these values. Raises ValueError if there are none, or several."""
        rows = self.where(**values)
        if len(rows) > 1:
            raise ValueError(f"the result {self.name!r} has {len(rows)} rows with {values}")
        return rows[0]


def load_result(name: str, folder: Path = FOLDER) -> Result:
    """Load the result with this name. Raises ValueError, which lists the names, if there is none."""
    path = folder / f"{name}.json"
    if not path.exists():
        raise ValueError(f"no result is called {name!r}; there are: {', '.join(names(folder))}")
    return Result(**json.loads(path.read_text("utf-8")))


def names(folder: Path = FOLDER) -> list[str]:
    """The names of all results in alphabetical order."""
    return sorted(path.stem for path in folder.glob("*.json"))


Columns = Mapping[str, str | Callable[[Row], object]]


def tabulated(rows: Iterable[Row], columns: Columns | None = None) -> Table:
    """Convert rows to a table.

    Args:
        columns: head -> a template for `str.format`, like "{search:,.0f}", or a function of the row. A cell is empty
            if its row lacks a value that the template needs. None: all columns unchanged.
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
    """Convert rows to a Markdown table, see `tabulated`."""
    return tabulated(rows, columns)._repr_markdown_()
