"""Training runs in pairs: two variants with the same seed, and what their differences show."""

import math
import statistics
from collections.abc import Mapping, Sequence
from typing import Any

T_95 = {
    2: 12.706,
    3: 4.303,
    4: 3.182,
    5: 2.776,
    6: 2.571,
    7: 2.447,
    8: 2.365,
    9: 2.306,
    10: 2.262,
}  # Student's t, by count


def mean_interval(values: Sequence[float]) -> tuple[float, float, float]:
    """(mean, lower, upper): the 95 % interval of a mean of 2 to 10 independent measurements, by Student's t.

    Raises:
        ValueError: fewer than 2 values, or more than 10.
    """
    if len(values) not in T_95:
        raise ValueError(f"the interval of a mean needs 2 to 10 values, not {len(values)}")
    mean = statistics.fmean(values)
    half = T_95[len(values)] * statistics.stdev(values) / math.sqrt(len(values))
    return mean, mean - half, mean + half


def percent_kept(row: Mapping[str, Any]) -> float:
    """The share of moves that keep the value, in %, of a row that says how many did, `kept`, and of how many, `of`."""
    return 100 * row["kept"] / row["of"]


def at_the_end(rows: list[dict], variant: str, simulations: int) -> dict[int, dict]:
    """seed -> the last row of the variant's run with that seed, graded with so many simulations."""
    return {row["seed"]: row for row in rows if row["variant"] == variant and row["simulations"] == simulations}


def points_kept(rows: list[dict], variant: str, simulations: int) -> dict[int, float]:
    """seed -> the share of moves that keep the value at the end of the run, in %."""
    return {seed: percent_kept(row) for seed, row in at_the_end(rows, variant, simulations).items()}


def difference(rows: list[dict], variant: str, control: str, simulations: int) -> tuple[float, float, float]:
    """The points by which `variant` ends above `control`: the mean over the seeds of both, and its 95 % interval."""
    changed, plain = (points_kept(rows, name, simulations) for name in (variant, control))
    return mean_interval([changed[seed] - plain[seed] for seed in changed if seed in plain])
