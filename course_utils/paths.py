"""Where things lie. Only the standard library: the command line needs this before anything is installed."""

import os
import sys
import tempfile
from functools import lru_cache
from pathlib import Path

PACKAGE = Path(__file__).resolve().parent
INSTALLED = PACKAGE.parent.name in ("site-packages", "dist-packages")  # then the course's folder lies elsewhere


def _learners_folder() -> Path:
    """Where an installed course lies: in the nearest folder above that has a record, else here."""
    here = Path.cwd()
    return next((folder for folder in (here, *here.parents) if (folder / ".course").is_dir()), here)


COURSE = _learners_folder() if INSTALLED else PACKAGE.parent
NOTEBOOKS = COURSE / "notebooks"
if INSTALLED and not NOTEBOOKS.is_dir():  # a notebook that was opened by itself
    NOTEBOOKS = COURSE
SOURCES = (PACKAGE if INSTALLED else COURSE) / "notebooks" / "source"
SOLUTIONS = NOTEBOOKS / "solutions"
LEARNER_RECORD = COURSE / ".course"


@lru_cache(maxsize=None)  # noqa: UP033 (a Python too old for the course gets this far, and has no `cache`)
def _temporary_record() -> tempfile.TemporaryDirectory:
    """A folder that goes when this process ends."""
    return tempfile.TemporaryDirectory(prefix="course-record-")


def learners_record() -> Path:
    """The learner's record, or the one that COURSE_RECORD names."""
    return Path(os.environ.get("COURSE_RECORD", LEARNER_RECORD))


def record_folder() -> Path:
    """Where this process keeps what is passed.

    The learner's record for a notebook anywhere in the course's folder; elsewhere (solutions, tests, grading) a temporary
    folder, so that nothing but the learner's own work is ever counted.
    """
    own = "COURSE_RECORD" in os.environ or in_learners_notebook()
    return learners_record() if own else Path(_temporary_record().name)


def command(name: str, **options: object) -> str:
    """How the learner gives this command: "make train OUT=x" in a clone, "alphazero-course train --out x" where the course is installed.

    Windows has no make. An option that is True is a flag: "TERMINAL=1", "--terminal".
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
    """Whether this is the kernel of a notebook in the course's folder that is not one of the solutions."""
    here = Path.cwd()
    return "ipykernel" in sys.modules and here.is_relative_to(COURSE) and not here.is_relative_to(SOLUTIONS)


def is_lost() -> bool:
    """Whether what a notebook passes here is forgotten when its kernel ends, though nobody asked for that."""
    here = Path.cwd()
    return "ipykernel" in sys.modules and "COURSE_RECORD" not in os.environ and not here.is_relative_to(COURSE)
