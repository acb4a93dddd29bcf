"""What a class gets: chosen notebooks, without solutions; on request without their checks, too. As a copy of the course, or as a site (`authoring/site.py`)."""

import shutil
from dataclasses import dataclass
from pathlib import Path

import nbformat

from course_utils.authoring import build
from course_utils.classroom.selection import chosen
from course_utils.exercise import EXERCISES
from course_utils.files import write_atomically
from course_utils.paths import COURSE, NOTEBOOKS, PACKAGE

COPIED = (
    "Makefile",
    "pyproject.toml",
    "setup.py",
    "constraints.txt",
    "environment.yml",
    "LICENSE",
    "CITATION.cff",
    ".gitignore",
    ".devcontainer",
    "lab",  # notebooks say how to measure again what they show
)
NOT_COPIED = ("blind", "log.md", "tests")  # of the lab
SHELF = "99"  # every notebook refers to it
WORKFLOW = Path(".github", "workflows", "autograding.yml")


@dataclass(frozen=True)
class Handout:
    """What a class gets.

    Attributes:
        chosen: its notebooks, which are handed out whole.
        exercises: those of them that count, entries of the manifest.
        hidden: whether the checks of these are kept back.
    """

    chosen: list[build.Source]
    exercises: list[dict]
    hidden: bool

    @classmethod
    def of(cls, only: str = "", road: str = "", hidden: bool = False) -> "Handout":
        """Raises ValueError: there is no such notebook or exercise."""
        return cls(*chosen(only, road), hidden)

    @property
    def notebooks(self) -> list[build.Source]:
        """The chosen ones, and the shelf, to which they all refer."""
        names = {source.name for source in self.chosen}
        return [*self.chosen, *(one for one in build.sources(SHELF) if one.name not in names)]

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

    def notebook(self, source: build.Source) -> nbformat.NotebookNode:
        return build.build(source, folded_solutions=False)

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


def write_assignment(out: Path, handout: Handout) -> None:
    """Write the copy into `out`; its README says which exercises count.

    Raises:
        ValueError: the folder holds something already.
    """
    from course_utils.classroom.reports import PAGES  # not above: a site is made without the grader

    must_be_empty(out)
    for name in COPIED:
        if (COURSE / name).is_dir():
            shutil.copytree(COURSE / name, out / name, ignore=shutil.ignore_patterns("__pycache__", *NOT_COPIED))
        elif (COURSE / name).exists():
            out.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(COURSE / name, out / name)
    handout.write_package(out)
    for source in handout.notebooks:
        write_atomically(out / "notebooks" / f"{source.name}.ipynb", build.to_text(handout.notebook(source)))
        if not handout.hidden:  # what `make progress` reads; it names solutions and holds none
            write_atomically(out / "notebooks" / "source" / source.path.name, source.path.read_bytes())
        for program in NOTEBOOKS.glob("*.py"):
            if program.name in source.path.read_text("utf-8"):
                shutil.copyfile(program, out / "notebooks" / program.name)
    write_atomically(out / "README.md", PAGES.get_template("assignment.md").render(handout.words))
    if not handout.hidden:
        write_atomically(out / WORKFLOW, Path(__file__).with_name("pages").joinpath(WORKFLOW.name).read_bytes())
