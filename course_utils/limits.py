"""Validate numbers (settings, an agent's strength, options of commands), and define the limits of a submission.

It uses only the standard library.
"""

import math
from dataclasses import dataclass
from numbers import Integral, Real
from typing import Any


def whole(name: str, value: Any, least: int = 0, most: float = math.inf) -> int:
    """Convert `value` to an int.

    Raises ValueError, which calls it `name`: it is not a whole number within these limits.
    """
    if is_a(value, Integral) and least <= value <= most:
        return int(value)
    raise ValueError(f"{name} is a whole number{within(least, most)}, not {shown(value)}")


def number(name: str, value: Any, least: float = 0, most: float = math.inf, *, endless: bool = False) -> float:
    """As `whole`, for any finite number; with `endless`, for infinity, too."""
    if is_a(value, Real) and least <= value <= most:
        if is_a(value, Integral):
            return int(value)
        if endless or math.isfinite(value):
            return float(value)
    raise ValueError(f"{name} is a number{within(least, most)}, not {shown(value)}")


def is_a(value: object, kind: type) -> bool:
    return isinstance(value, kind) and not isinstance(value, bool)


def within(least: float, most: float) -> str:
    return f" of {least:,} or more" if most == math.inf else f" from {least:,} to {most:,}"


def shown(value: object) -> str:
    try:
        return f"{value!r:.60}"
    except Exception:  # a class of the learner's, or an int with more digits than Python prints
        return f"this {type(value).__name__}"


@dataclass(frozen=True)
class Limits:
    """The resources that an exercise of a submission may use. (Its check has the same limits as in a notebook.)"""

    cell: float = 60  # seconds of a clock for each of the learner's cells
    cpu: int = 60  # seconds of the processor
    memory: int = 2 << 30  # bytes, of each process and of all of them together, besides what the course itself takes
    file: int = 32 << 20  # bytes of one file
    folder: int = 256 << 20  # bytes of all files
    processes: int = 48  # and threads


LIMITS = Limits()
