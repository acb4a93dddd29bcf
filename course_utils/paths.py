"""Where things lie. Only the standard library: the command line needs this before anything is installed."""

import os
import tempfile
from functools import lru_cache
from pathlib import Path

PACKAGE = Path(__file__).resolve().parent
ROOT = PACKAGE.parent
NOTEBOOKS = ROOT / "notebooks"
SOURCES = NOTEBOOKS / "source"
SOLUTIONS = NOTEBOOKS / "solutions"
LEARNER_RECORD = ROOT / ".course"


@lru_cache(maxsize=None)  # noqa: UP033 (a Python too old for the course gets this far, and has no `cache`)
def _temporary_record() -> Path:
    return Path(tempfile.mkdtemp(prefix="course-record-"))


def record_folder() -> Path:
    """Where this process keeps what is passed.

    The learner's record for a notebook opened from `notebooks/`; elsewhere (solutions, tests, grading) a temporary
    folder, so that nothing but the learner's own work is ever counted. COURSE_RECORD names another one.
    """
    if "COURSE_RECORD" in os.environ:
        return Path(os.environ["COURSE_RECORD"])
    return LEARNER_RECORD if Path.cwd() == NOTEBOOKS else _temporary_record()
