"""What a class gets: chosen notebooks, without solutions; on request without their checks, too."""

import shutil
from dataclasses import dataclass
from pathlib import Path

import nbformat

from course_utils.exercise import EXERCISES
from course_utils.material.build import build
from course_utils.material.selection import chosen
from course_utils.material.source_files import Source, sources
from course_utils.paths import PACKAGE

SHELF = "99"  # every notebook refers to it


@dataclass(frozen=True)
class Handout:
    """What a class gets.

    Attributes:
        chosen: its notebooks, which are handed out whole.
        exercises: those of them that count, entries of the manifest.
        hidden: whether the checks of these are kept back.
    """

    chosen: list[Source]
    exercises: list[dict]
    hidden: bool

    @classmethod
    def of(cls, only: str = "", road: str = "", hidden: bool = False) -> "Handout":
        """Raises ValueError: there is no such notebook or exercise."""
        return cls(*chosen(only, road), hidden)

    @property
    def notebooks(self) -> list[Source]:
        """The chosen ones, and the shelf, to which they all refer."""
        names = {source.name for source in self.chosen}
        return [*self.chosen, *(one for one in sources(SHELF) if one.name not in names)]

    @property
    def words(self) -> dict:
        """What a page says of it: `counts` names the exercises that count, by notebook, where not all of them do."""
        counts = {
            source.name: [entry["id"] for entry in self.exercises if entry["notebook"] == source.name]
            for source in self.chosen
        }
        of_these = chosen(" ".join(source.name for source in self.chosen))[1]  # extras are not
        whole = {one["id"] for one in of_these} == {one["id"] for one in self.exercises}
        return {"notebooks": self.chosen, "counts": {} if whole else counts, "hidden": self.hidden}

    def __str__(self) -> str:
        names = ", ".join(source.name for source in self.chosen)
        return f"{names}{', without their checks' if self.hidden else ''}"

    def notebook(self, source: Source) -> nbformat.NotebookNode:
        return build(source, folded_solutions=False)

    def write_package(self, folder: Path) -> None:
        """Without the checks that are kept back."""
        shutil.copytree(PACKAGE, folder / PACKAGE.name, ignore=shutil.ignore_patterns("__pycache__"))
        if self.hidden:
            for entry in self.exercises:
                home = f"notebook_{EXERCISES[entry['id']].notebook}"
                (folder / PACKAGE.name / "tests" / home / f"{entry['id']}.py").unlink()


def must_be_empty(out: Path) -> None:
    """Raises ValueError: the folder holds something already, which a class might get to see."""
    if out.exists() and any(out.iterdir()):
        raise ValueError(f"{out} is not empty. Name an empty or a new folder")
