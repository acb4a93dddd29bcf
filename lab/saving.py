"""Rows are kept as they are measured, with what it took to get them."""

import json
import os
import platform
import re
import time
from collections.abc import Iterable
from dataclasses import asdict, replace
from datetime import date
from importlib.metadata import version
from pathlib import Path

from course_utils import results
from course_utils.files import write_atomically
from course_utils.results import Result, Row

OURS = Path(__file__).with_name("results")  # what no notebook reads; the others lie in the package
MATTERS_FOR_SPEED = {"avx2", "avx512f", "avx512_bf16", "amx_bf16"}


def folder_of(name: str) -> Path:
    """Where this result lies, or would lie."""
    return results.FOLDER if name in results.names() else OURS


def load_result(name: str) -> Result:
    """As that of `course_utils.results`, which does not know those of the lab."""
    return results.load_result(name, folder_of(name))


def names() -> list[str]:
    return sorted(results.names() + results.names(OURS))


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


def save_rows(
    name: str,
    command: str,
    seeds: Iterable[int],
    rows: Iterable[Row | list[Row]],
    folder: Path | None = None,
    begun: Result | None = None,
    code: str = "",
) -> Result:
    """Keep each row in `<name>.partial` as it is measured; with the last row the file becomes the result.

    Args:
        rows: one by one, or several at a time that belong together: these are kept together or not at all.
        begun: what was kept of a measurement that was interrupted; the rows come after its rows.
        code: the code that measures them (`provenance.code_of`).
    """
    folder = folder or folder_of(name)
    began, path = time.perf_counter(), folder / f"{name}.partial"
    start = begun or Result(name, command, [], code, machine(), 0.0, str(date.today()), [])
    result = replace(start, seeds=list(seeds))
    for some in rows:
        seconds = round((start.seconds or 0.0) + time.perf_counter() - began, 1)
        more = some if isinstance(some, list) else [some]
        result = replace(result, seconds=seconds, date=str(date.today()), rows=[*result.rows, *more])
        save_result(result, path)
    os.replace(path, folder / f"{name}.json")
    return result


def unfinished(name: str, command: str, folder: Path) -> Result | None:
    """What the same command has left that was interrupted; None if there is nothing."""
    path = folder / f"{name}.partial"
    if not path.exists():
        return None
    begun = Result(**json.loads(path.read_text("utf-8")))
    return begun if begun.command == command else None


def machine() -> dict:
    """The properties of this machine that decide its speed."""
    try:
        flags = re.search(r"^flags\s*:(.*)$", Path("/proc/cpuinfo").read_text(), re.MULTILINE)
    except OSError:
        flags = None
    return dict(
        cores=os.cpu_count(),
        cpu=platform.machine(),
        flags=sorted(MATTERS_FOR_SPEED & set(flags[1].split() if flags else ())),
        python=platform.python_version(),
        torch=version("torch"),
    )
