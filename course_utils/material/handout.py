"""Select the notebooks that a class gets, without solutions and, if wanted, without their checks."""

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
    """A class's selection of the course.

    Attributes:
        chosen: the notebooks, which are handed out whole.
        exercises: the exercises that count, as entries of the manifest.
        hidden: whether the checks of these exercises are left out.
    """

    chosen: list[Source]
    exercises: list[dict]
    hidden: bool

    @classmethod
    def of(cls, only: str = "", road: str = "", hidden: bool = False) -> "Handout":
        """Select by ONLY and ROAD, see `selection.chosen`. Raises ValueError: there is no such notebook or exercise."""
        return cls(*chosen(only, road), hidden)

    @property
    def notebooks(self) -> list[Source]:
        """The chosen notebooks, and the reference notebook that they all link to."""
        names = {source.name for source in self.chosen}
        return [*self.chosen, *(source for source in sources(SHELF) if source.name not in names)]

    @property
    def words(self) -> dict:
        """The variables of a page about it.

        `counts` has the exercises that count, by notebook, unless all of them do.
        """
        counts = {
            source.name: [entry["id"] for entry in self.exercises if entry["notebook"] == source.name]
            for source in self.chosen
        }
        without_extras = chosen(" ".join(source.name for source in self.chosen))[1]
        whole = {entry["id"] for entry in without_extras} == {entry["id"] for entry in self.exercises}
        return {"notebooks": self.chosen, "counts": {} if whole else counts, "hidden": self.hidden}

    def __str__(self) -> str:
        names = ", ".join(source.name for source in self.chosen)
        return f"{names}{', without their checks' if self.hidden else ''}"

    def notebook(self, source: Source) -> nbformat.NotebookNode:
        return build(source, folded_solutions=False)

    def write_package(self, folder: Path) -> None:
        """Copy the package, without the checks that are left out."""
        shutil.copytree(PACKAGE, folder / PACKAGE.name, ignore=shutil.ignore_patterns("__pycache__"))
        if self.hidden:
            for entry in self.exercises:
                home = f"notebook_{EXERCISES[entry['id']].notebook}"
                (folder / PACKAGE.name / "tests" / home / f"{entry['id']}.py").unlink()


def must_be_empty(out: Path) -> None:
    """Raises ValueError: the folder already contains files, which the class might see."""
    if out.exists() and any(out.iterdir()):
        raise ValueError(f"{out} is not empty. Name an empty or a new folder")
