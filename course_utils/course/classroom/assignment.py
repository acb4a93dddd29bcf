"""A class's copy of the course: chosen notebooks, without solutions; on request without their checks, too."""

import shutil
from pathlib import Path

from course_utils.course import build
from course_utils.course.classroom.reports import PAGES
from course_utils.course.classroom.submission import course
from course_utils.files import write_atomically
from course_utils.paths import COURSE, PACKAGE

COPIED = (
    "Makefile",
    "pyproject.toml",
    "constraints.txt",
    "environment.yml",
    "LICENSE",
    "CITATION.cff",
    ".gitignore",
    ".devcontainer",
)
LEFT_OUT = ("__pycache__", "blind_*.json")  # the second: answers, some of them right
WORKFLOW = Path(".github", "workflows", "autograding.yml")


def write_assignment(out: Path, only: str = "", hidden: bool = False) -> list[str]:
    """Write the copy into `out`. Returns the notebooks in it.

    Raises:
        ValueError: there is no such notebook, or the folder holds something already.
    """
    numbers = only.replace(",", " ").split()
    everything = build.sources()
    for number in numbers:
        if not any(source.name.startswith(number) for source in everything):
            raise ValueError(
                f"no notebook begins with {number!r}; there are {', '.join(source.name[:2] for source in everything)}"
            )
    if out.exists() and any(out.iterdir()):
        raise ValueError(f"{out} is not empty: give a folder that is, or that is not there yet")
    chosen = [source for source in everything if not numbers or source.name.startswith(tuple(numbers))]
    for name in COPIED:
        if (COURSE / name).is_dir():
            shutil.copytree(COURSE / name, out / name)
        elif (COURSE / name).exists():
            out.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(COURSE / name, out / name)
    shutil.copytree(PACKAGE, out / PACKAGE.name, ignore=shutil.ignore_patterns(*LEFT_OUT))
    exercises = [entry for entry in course() if entry["notebook"] in {source.name for source in chosen}]
    for source in chosen:
        write_atomically(
            out / "notebooks" / f"{source.name}.ipynb", build.to_text(build.build(source, folded_solutions=False))
        )
        if not hidden:  # what `make progress` reads; it names solutions and holds none
            write_atomically(out / "notebooks" / "source" / source.path.name, source.path.read_bytes())
    if hidden:
        for entry in exercises:
            (out / PACKAGE.name / "tests" / f"notebook_{entry['notebook'][:2]}" / f"{entry['id']}.py").unlink()
    words = {"notebooks": [(source.name, source.title, source.minutes) for source in chosen], "hidden": hidden}
    write_atomically(out / "README.md", PAGES.get_template("assignment.md").render(words))
    if not hidden:
        write_atomically(out / WORKFLOW, Path(__file__).with_name("pages").joinpath(WORKFLOW.name).read_bytes())
    return [source.name for source in chosen]
