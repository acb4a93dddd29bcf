"""A class's copy of the course: chosen notebooks, without solutions; on request without their checks, too."""

import shutil
from pathlib import Path

from course_utils.authoring import build
from course_utils.classroom.reports import PAGES
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


def write_assignment(out: Path, only: str = "", hidden: bool = False, road: str = "") -> list[str]:
    """Write the copy into `out`: the notebooks of what is chosen, whole, and the shelf; its README says which of their exercises count.

    Returns:
        The notebooks that were chosen.

    Raises:
        ValueError: there is no such notebook or exercise, or the folder holds something already.
    """
    notebooks, exercises = chosen(only, road)
    if out.exists() and any(out.iterdir()):
        raise ValueError(f"{out} is not empty: give a folder that is, or that is not there yet")
    for name in COPIED:
        if (COURSE / name).is_dir():
            shutil.copytree(COURSE / name, out / name, ignore=shutil.ignore_patterns("__pycache__", *NOT_COPIED))
        elif (COURSE / name).exists():
            out.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(COURSE / name, out / name)
    shutil.copytree(PACKAGE, out / PACKAGE.name, ignore=shutil.ignore_patterns("__pycache__"))
    shelf = [one for one in build.sources(SHELF) if one.name not in {source.name for source in notebooks}]
    for source in [*notebooks, *shelf]:
        write_atomically(
            out / "notebooks" / f"{source.name}.ipynb", build.to_text(build.build(source, folded_solutions=False))
        )
        if not hidden:  # what `make progress` reads; it names solutions and holds none
            write_atomically(out / "notebooks" / "source" / source.path.name, source.path.read_bytes())
        for program in NOTEBOOKS.glob("*.py"):
            if program.name in source.path.read_text("utf-8"):
                shutil.copyfile(program, out / "notebooks" / program.name)
    if hidden:
        for entry in exercises:
            home = f"notebook_{EXERCISES[entry['id']].notebook}"
            (out / PACKAGE.name / "tests" / home / f"{entry['id']}.py").unlink()
    counts = {
        source.name: [entry["id"] for entry in exercises if entry["notebook"] == source.name] for source in notebooks
    }
    all_of_it = {entry["id"] for entry in chosen(" ".join(source.name for source in notebooks))[1]}
    whole = all_of_it == {entry["id"] for entry in exercises}
    words = {"notebooks": notebooks, "counts": {} if whole else counts, "hidden": hidden}
    write_atomically(out / "README.md", PAGES.get_template("assignment.md").render(words))
    if not hidden:
        write_atomically(out / WORKFLOW, Path(__file__).with_name("pages").joinpath(WORKFLOW.name).read_bytes())
    return [source.name for source in notebooks]
