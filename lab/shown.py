"""What the pages of docs/ show: which function makes the table of a result, and the words that several of them share.

A table stands beside its measurement, below `@table_of("NAME")`; it is made from the `Result`. What else a page asks
for by its name is a `@figure`.
"""

import shlex
from collections.abc import Callable, Iterable
from inspect import signature
from typing import Any

from course_utils.learning.exam import Share
from course_utils.learning.pairs import mean_interval
from course_utils.learning.tournament import wilson_interval
from course_utils.results import Result, Row, table
from lab.command import COMMANDS, options_for
from lab.saving import load_result

TABLES: dict[str, Callable[..., str]] = {}
FIGURES: dict[str, Callable] = {"result": load_result}


def table_of(name: str):
    def register(function: Callable[..., str]) -> Callable[..., str]:
        TABLES[name] = function
        return function

    return register


def figure(function: Callable) -> Callable:
    FIGURES[function.__name__] = function
    return function


def made_table(name: str, *which: str) -> str:
    return TABLES[name](load_result(name), *which)


FIGURES["table"] = made_table


@figure
def measured(name: str) -> str:
    """The table of a result, and below it how to measure it again."""
    return f"{made_table(name)}\n\n{origin(name)}"


INSTRUCTIONS = dict(amx_bf16="AMX and AVX-512", avx512f="AVX-512", avx2="AVX2")  # the fastest first


@figure
def origin(name: str) -> str:
    """How a result was measured, and by what kind of processor."""
    result = load_result(name)
    seconds = "" if result.seconds is None else f" in {result.seconds:.0f} s"
    flags = set(result.machine["flags"])
    best = next((name for flag, name in INSTRUCTIONS.items() if flag in flags), "neither AVX2 nor AVX-512")
    return f"*Measured by `{result.command}`{seconds}, {result.date}, with {best}.*"


@figure
def setting(name: str, parameter: str) -> Any:
    """The value of a parameter when a result was recorded: that of its command, or the default."""
    options, _ = options_for(COMMANDS[name], shlex.split(load_result(name).command)[4:])
    return options.get(parameter, signature(COMMANDS[name]).parameters[parameter].default)


# --- rows ------------------------------------------------------------------------------------------------------------


@figure
def each(rows: Iterable[Row], column: str) -> list:
    """The values of a column, each once, in their order."""
    return list(dict.fromkeys(row[column] for row in rows))


def chosen(rows: Iterable[Row], **values: object) -> list[Row]:
    return [row for row in rows if values.items() <= row.items()]


@figure
def lost(row: Row) -> int:
    """Losing lines on both sides."""
    return row["first"] + row["second"]


@figure
def games_of(row: Row) -> int:
    return row["wins"] + row["draws"] + row["losses"]


@figure
def points(row: Row) -> float:
    """Of a hundred moves, how many are right."""
    return 100 * row["kept"] / row["of"]


def total_loss(row: Row) -> float:
    return row["policy_loss"] + row["value_loss"]


def share(row: Row) -> Share:
    return Share(row["kept"], row["of"])


# --- words -----------------------------------------------------------------------------------------------------------


def alone_or(simulations: int) -> str:
    return f"{simulations or 'no'} simulations"


@figure
def mean(values: Iterable[float]) -> float:
    values = list(values)
    return sum(values) / len(values)


def spread(values: Iterable[float]) -> str:
    """The mean, and where there are several the lowest and the highest."""
    values = list(values)
    return f"{mean(values):.0f}" + (f" ({min(values):.0f}-{max(values):.0f})" if len(values) > 1 else "")


@figure
def mean_with_interval(values: Iterable[float], form: str = "{:.1f} ({:.1f} to {:.1f})") -> str:
    """The 95 % interval is that of Student's t."""
    return form.format(*mean_interval(list(values)))


def of(count: int, games: int) -> str:
    """A count of games with the interval of its share."""
    low, high = wilson_interval(count, games)
    return f"{count} of {games} ({100 * low:.0f}-{100 * high:.0f} %)"


@figure
def interval(row: Row, outcome: str) -> str:
    """Of the share of games with this outcome, in percent."""
    low, high = wilson_interval(row[outcome], games_of(row))
    return f"{100 * low:.0f}-{100 * high:.0f}"


@figure
def counted(name: str, outcome: str, **values) -> str:
    """Games with this outcome in all rows together, with the interval."""
    rows = load_result(name).where(**values)
    return of(sum(row[outcome] for row in rows), sum(map(games_of, rows)))


def over_seeds(result: Result, value: str | Callable[[Row], float], form: str = "{:.0f}", **values: Any) -> str:
    """The mean over the seeds of an experiment, with the lowest and the highest."""
    numbers = [float(row[value] if isinstance(value, str) else value(row)) for row in result.where(**values)]
    if len(numbers) == 1:
        return form.format(numbers[0])
    low, high = form.format(min(numbers)), form.format(max(numbers))
    return f"{form.format(mean(numbers))} ({low} to {high}, {len(numbers)} seeds)"


def quoted(lines: list[tuple[str, str, str, str]]) -> str:
    """Published figures beside ours: what, where it is printed, the printed figure, and ours with interval or range."""
    return table([dict(zip(("figure", "printed in", "published", "here"), line, strict=True)) for line in lines])
