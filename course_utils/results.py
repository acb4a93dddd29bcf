"""What was measured, and how: rows in one file a measurement. Tables, figures and sentences are made from there.

    rows = load_result("uct_random").where(simulations=100)

A file has a head, which says how to measure it again, and rows: flat dictionaries, all of them counts, numbers and words that were
measured or varied. What follows from them (shares, intervals, means) is worked out where it is shown.
"""

import json
import os
import platform
import re
import subprocess
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, dataclass, replace
from datetime import date
from importlib.metadata import version
from operator import itemgetter
from pathlib import Path
from typing import Any

from course_utils.files import write_atomically

FOLDER = Path(__file__).parent / "data" / "results"
MATTERS_FOR_SPEED = {"avx2", "avx512f", "avx512_bf16", "amx_bf16"}

Row = dict[str, Any]  # what JSON knows: str, int, float, bool or None


@dataclass(frozen=True)
class Result:
    """Rows, and what it took to get them.

    Attributes:
        command: measures them again.
        seeds: where chance began.
        commit: the version of the code.
        machine: cores, what the processor can do, versions; nothing that names it.
        seconds: of the clock; None if they were not kept.
        date: year-month-day.
        note: what a reader should know besides.
    """

    name: str
    command: str
    seeds: list[int]
    commit: str
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
    """What was recorded under this name. Raises ValueError, which says what there is, if nothing was."""
    path = folder / f"{name}.json"
    if not path.exists():
        raise ValueError(f"no result is called {name!r}; there are: {', '.join(names(folder))}")
    return Result(**json.loads(path.read_text("utf-8")))


def names(folder: Path = FOLDER) -> list[str]:
    """Of all results, in order of the alphabet."""
    return sorted(path.stem for path in folder.glob("*.json"))


def save_result(result: Result, path: Path) -> None:
    """Raises ValueError: it can't be measured again, or a row is not flat."""
    if not result.command:
        raise ValueError(f"the result {result.name!r} has no command that measures it")
    for row in result.rows:
        if not all(value is None or isinstance(value, str | int | float) for value in row.values()):
            raise ValueError(f"a row holds numbers and words, not {row}")
    head = "".join(
        f"{json.dumps(key)}:{json.dumps(value)},\n" for key, value in asdict(result).items() if key != "rows"
    )
    rows = ",\n".join(json.dumps(row) for row in result.rows)
    write_atomically(path, f'{{\n{head}"rows":[\n{rows}\n]\n}}\n')


def record(
    name: str,
    command: str,
    seeds: Iterable[int],
    rows: Iterable[Row | list[Row]],
    folder: Path = FOLDER,
    begun: Result | None = None,
) -> Result:
    """Take the rows as they are measured, and keep each at once in `<name>.partial`; with the last one that becomes the result.

    Args:
        rows: one by one, or several at a time that belong together: these are kept together or not at all.
        begun: what was kept of a measurement that was interrupted; the rows come after its rows.
    """
    began, path = time.perf_counter(), folder / f"{name}.partial"
    start = begun or Result(name, command, [], commit(), machine(), 0.0, str(date.today()), [])
    versions = dict.fromkeys([*start.commit.split(", "), commit()])
    result = replace(start, seeds=list(seeds), commit=", ".join(versions))
    for some in rows:
        seconds = round((start.seconds or 0.0) + time.perf_counter() - began, 1)
        more = some if isinstance(some, list) else [some]
        result = replace(result, seconds=seconds, date=str(date.today()), rows=[*result.rows, *more])
        save_result(result, path)
    os.replace(path, folder / f"{name}.json")
    return result


def unfinished(name: str, command: str, folder: Path = FOLDER) -> Result | None:
    """What the same command has left that was interrupted; None if there is nothing."""
    path = folder / f"{name}.partial"
    if not path.exists():
        return None
    begun = Result(**json.loads(path.read_text("utf-8")))
    return begun if begun.command == command else None


def commit() -> str:
    """The version of the code, with "-dirty" if files are changed; "" outside a git clone."""
    describe = ["git", "describe", "--always", "--dirty", "--exclude=*", "--abbrev=10"]
    try:
        return subprocess.run(describe, cwd=FOLDER.parents[2], capture_output=True, text=True).stdout.strip()
    except OSError:  # no git
        return ""


def machine() -> dict:
    """What decides about speed."""
    try:
        found = re.search(r"^flags\s*:(.*)$", Path("/proc/cpuinfo").read_text(), re.MULTILINE)
    except OSError:
        found = None
    return dict(
        cores=os.cpu_count(),
        cpu=platform.machine(),
        flags=sorted(MATTERS_FOR_SPEED & set(found[1].split() if found else ())),
        python=platform.python_version(),
        torch=version("torch"),
    )


def table(rows: Iterable[Row], columns: Mapping[str, str | Callable[[Row], object]] | None = None) -> str:
    """Rows as Markdown.

    Args:
        columns: head -> what stands below it: a template for `str.format`, like "{search:,.0f}", or a function of the row. The
            cell is empty where the row lacks what a template asks for. Without it, all columns as they are.
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

    lines = [list(columns), *([cell(row, column) for column in columns.values()] for row in rows)]
    head, *body = (f"| {' | '.join(line)} |" for line in lines)
    return "\n".join([head, "|" + "---|" * len(columns), *body])
