"""Locate the course's folders, using only the standard library, because the command line needs this before the
installation.
"""

import os
import sys
import tempfile
from functools import lru_cache
from pathlib import Path

PACKAGE = Path(__file__).resolve().parent
INSTALLED = PACKAGE.parent.name in ("site-packages", "dist-packages")  # then the course's folder is elsewhere


def _learners_folder() -> Path:
    """The folder of an installed course: the nearest parent folder with a record, else the current folder."""
    current = Path.cwd()
    return next((folder for folder in (current, *current.parents) if (folder / ".course").is_dir()), current)


COURSE = _learners_folder() if INSTALLED else PACKAGE.parent
NOTEBOOKS = COURSE / "notebooks"
if INSTALLED and not NOTEBOOKS.is_dir():  # a notebook was opened by itself
    NOTEBOOKS = COURSE
SOURCES = (PACKAGE if INSTALLED else COURSE) / "notebooks" / "source"
SOLUTIONS = NOTEBOOKS / "solutions"
LEARNER_RECORD = COURSE / ".course"


@lru_cache(maxsize=None)  # noqa: UP033 (a Python too old for the course gets this far, and has no `cache`)
def _temporary_record() -> tempfile.TemporaryDirectory:
    """A folder that is deleted when this process ends."""
    return tempfile.TemporaryDirectory(prefix="course-record-")


def learners_record() -> Path:
    """The learner's record, or the one that COURSE_RECORD names."""
    return Path(os.environ.get("COURSE_RECORD", LEARNER_RECORD))


def record_folder() -> Path:
    """The folder of this process's record.

    For a notebook in the course's folder this is the learner's record. Elsewhere (solutions, tests, grading) it is a
    temporary folder, so that only the learner's own work is recorded.
    """
    own = "COURSE_RECORD" in os.environ or in_learners_notebook()
    return learners_record() if own else Path(_temporary_record().name)


def command(name: str, **options: object) -> str:
    """Write a command for the learner: "make train OUT=x" in a clone, "alphazero-course train --out x" if installed.

    On Windows, which has no make, it is "python -m course_utils ...". An option that is True is a flag: "TERMINAL=1",
    "--terminal".
    """
    if INSTALLED or os.name == "nt":
        program = "alphazero-course" if INSTALLED else "python -m course_utils"
        words = (f"--{option}" if value is True else f"--{option} {value}" for option, value in options.items())
        return " ".join([program, name, *words])
    return " ".join(
        [
            "make",
            name,
            *(
                f"{option.upper()}={value:d}" if value is True else f"{option.upper()}={value}"
                for option, value in options.items()
            ),
        ]
    )


def in_learners_notebook() -> bool:
    """Whether this is the kernel of a notebook in the course's folder, but not of a solution."""
    current = Path.cwd()
    return "ipykernel" in sys.modules and current.is_relative_to(COURSE) and not current.is_relative_to(SOLUTIONS)


def is_lost() -> bool:
    """Whether the record is lost when this kernel ends, because the notebook is outside the course's folder."""
    current = Path.cwd()
    return "ipykernel" in sys.modules and "COURSE_RECORD" not in os.environ and not current.is_relative_to(COURSE)
