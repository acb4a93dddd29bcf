"""Show a table: drawn in notebooks and terminals, and as aligned text elsewhere."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass


@dataclass(frozen=True, repr=False)
class Table:
    """A table with a header row. `print` draws it for a terminal."""

    head: Sequence[str]
    rows: Iterable[Sequence]

    def __post_init__(self) -> None:
        object.__setattr__(self, "rows", [[str(cell) for cell in row] for row in self.rows])

    def __str__(self) -> str:
        """Draw the table within the terminal's width, wrapping cells; without a terminal, as wide as its cells need."""
        from rich import box
        from rich.console import Console
        from rich.table import Table as Drawing

        console = Console(markup=False, highlight=False, emoji=False)
        if not console.is_terminal:
            console.width = 10_000
        drawing = Drawing(*self.head, box=box.MINIMAL, show_edge=False, pad_edge=False)
        for row in self.rows:
            drawing.add_row(*row)
        with console.capture() as capture:
            console.print(drawing)
        return "\n".join(line.rstrip() for line in capture.get().strip("\n").splitlines() if line.strip())

    def __repr__(self) -> str:
        rows = [self.head, *self.rows]
        widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
        return "\n".join(
            "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows
        )

    def _repr_markdown_(self) -> str:
        head, *body = (f"| {' | '.join(row)} |" for row in [self.head, *self.rows])
        return "\n".join([head, "|" + "---|" * len(self.head), *body])
