"""A class's copy of the course: chosen notebooks, without solutions and, on request, without their checks.

`authoring/site.py` makes a site from the same notebooks.
"""

import shutil
from pathlib import Path

from course_utils.files import write_atomically
from course_utils.material import merging
from course_utils.material.handout import Handout, must_be_empty
from course_utils.paths import COURSE, NOTEBOOKS

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
    "lab",  # notebooks tell how to measure again what they show
)
NOT_COPIED = ("blind", "log.md", "tests")  # of the lab
WORKFLOW = Path(".github", "workflows", "autograding.yml")


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
        write_atomically(out / "notebooks" / f"{source.name}.ipynb", merging.to_text(handout.notebook(source)))
        # `make progress` reads the sources, which name solutions and hold none
        if not handout.hidden:
            write_atomically(out / "notebooks" / "source" / source.path.name, source.path.read_bytes())
        for program in NOTEBOOKS.glob("*.py"):
            if program.name in source.path.read_text("utf-8"):
                shutil.copyfile(program, out / "notebooks" / program.name)
    write_atomically(out / "README.md", PAGES.get_template("assignment.md").render(handout.words))
    if not handout.hidden:
        write_atomically(out / WORKFLOW, Path(__file__).with_name("pages").joinpath(WORKFLOW.name).read_bytes())
