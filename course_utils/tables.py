"""A table: drawn in a notebook, aligned text in a terminal."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass


@dataclass(frozen=True, repr=False)
class Table:
    """Rows below a head, shown as `str` says."""

    head: Sequence[str]
    rows: Iterable[Sequence]

    def __post_init__(self) -> None:
        object.__setattr__(self, "rows", [[str(cell) for cell in row] for row in self.rows])

    def __repr__(self) -> str:
        rows = [self.head, *self.rows]
        widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
        return "\n".join(
            "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows
        )

    def _repr_markdown_(self) -> str:
        rows = [self.head, ["---"] * len(self.head), *self.rows]
        return "\n".join(f"| {' | '.join(row)} |" for row in rows)
