"""Read the sources of the notebooks.

A source is Markdown in jupytext's format. Its code fences name the contents of cells:

    ```python exercise="select_child" difficulty=2 importance=5 minutes=10
    course_utils.search.puct.select_child
    ```                                        the stub (in a solution: the reference), under a line with its rating
    ```python exercise="backup" home="03" ...  the same exercise, in a second notebook
    ```python exercise="train_alphazero" home="05" open="games =, losses =" ...    with all other lines given
    ```python check="select_child"             the cell that grades it; empty, or lines to run after the check
    ```python solution="select_child"          the reference, folded away; empty
    ```python given="course_utils.search.puct.Node"    code that is given, from the package; empty
    ```python hidden=true                      a cell that JupyterLab shows folded: imports that nobody has to read

The section below the heading `## If you want more` is folded at the notebook's end. An exercise there is an *extra*,
which no other cell needs.

`![Map: select](map:select)` in a text is the map of AlphaZero with one part highlighted, one of
`course_utils.ui.map.NAMES`. Everything else is copied. In the package, lines between `# begin given` and `# end
given` inside an exercise stay in the stub. The front matter has the title and the minutes (`{minutes}` in a text),
and `main_road: 1` or `evening: 1` for notebooks on these roads.
"""

import copy
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path

import jupytext
import yaml

from course_utils.answers.stubs import SourceError
from course_utils.material.parts import MORE, part_of
from course_utils.paths import SOURCES

NAMED = "[0-9][0-9]_*.md"  # the file names of sources


@dataclass(frozen=True)
class Source:
    """The front matter and the cells of a source file."""

    path: Path
    title: str
    minutes: int
    cells: list
    main_road: bool = False
    evening: bool = False

    @property
    def name(self) -> str:
        return self.path.stem

    @property
    def road(self) -> str:
        return "main" if self.main_road else "evening" if self.evening else "deep dive"

    @property
    def exercises(self) -> list[str]:
        """All its exercises, including extras, and exercises whose home is another notebook."""
        return _exercises(self.cells)

    @property
    def extras(self) -> list[str]:
        """Its exercises below the heading of `MORE`."""
        more = next((place for place, cell in enumerate(self.cells) if begins_more(cell)), len(self.cells))
        return _exercises(self.cells[more:])

    @property
    def part(self) -> str:
        return part_of(self.name)

    def line_of(self, text: str) -> int:
        """The first line that contains `text`; 1 if none does."""
        lines = self.path.read_text("utf-8").splitlines()
        return next((number for number, line in enumerate(lines, 1) if text in line), 1)

    def error(self, text: str, message: str) -> SourceError:
        return SourceError(f"{self.path}:{self.line_of(text)}: {message}")


def _exercises(cells: list) -> list[str]:
    return [cell.metadata["exercise"] for cell in cells if "exercise" in cell.metadata]


def begins_more(cell) -> bool:
    return cell.cell_type == "markdown" and cell.source.startswith(MORE)


def read_source(path: Path) -> Source:
    """Read a source. Raises SourceError: there is no front matter, or a code fence is never closed."""
    source = _read(path, path.read_text("utf-8"))
    return replace(source, cells=copy.deepcopy(source.cells))


@lru_cache(maxsize=32)
def _read(path: Path, text: str) -> Source:
    """Parse a source, with a cache, because jupytext is slow."""
    front, *cells = jupytext.reads(text, fmt="md").cells
    try:
        head = yaml.safe_load(front.source.strip().strip("-"))
        title, minutes = str(head["title"]), int(head["minutes"])
        source = Source(path, title, minutes, cells, bool(head.get("main_road")), bool(head.get("evening")))
    except (KeyError, TypeError, ValueError, yaml.YAMLError):
        raise SourceError(f"{path}:1: a source begins with a front matter that gives title and minutes") from None
    fences = [number for number, line in enumerate(text.splitlines(), 1) if line.startswith("```")]
    if len(fences) % 2:
        raise SourceError(f"{path}:{fences[-1]}: a code fence is opened but never closed")
    return source


def sources(only: str = "") -> list[Source]:
    """The sources whose names begin with `only`."""
    return [read_source(path) for path in sorted(SOURCES.glob(NAMED)) if path.name.startswith(only)]


def in_folder(folder: Path) -> list[Source]:
    """The sources of a folder, which must not be modified."""
    return [_read(path, path.read_text("utf-8")) for path in sorted(folder.glob(NAMED))]
