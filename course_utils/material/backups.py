"""Back up the learner's notebooks in numbered folders under `.course/backups`, using only the standard library."""

import os
import shutil
from collections.abc import Sequence
from pathlib import Path

from course_utils.files import UNFINISHED

BACKUPS = 10  # the newest backups, which are kept


def put_back(copy: Path, path: Path) -> None:
    """Restore a file from its copy, atomically and with its date, by which we tell which notebook was saved last."""
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(f".{path.name}{UNFINISHED}")
    shutil.copy2(copy, temporary)
    os.replace(temporary, path)


def copy_notebooks(root: Path, changed: Sequence[str] = ()) -> Path:
    """Copy the learner's notebooks and other changed files to a new folder under `.course/backups`, and return the
    folder.
    """
    folder = new_backup(root / ".course")
    notebooks = root / "notebooks"
    for path in {*notebooks.glob("*.ipynb"), *(root / name for name in changed if (root / name).exists())}:
        copy = folder / path.relative_to(notebooks)
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(path, copy)
    return folder


def new_backup(record: Path) -> Path:
    """Create the next numbered backup folder, and delete the oldest ones, so that `BACKUPS` are left."""
    backups = record / "backups"
    backups.mkdir(parents=True, exist_ok=True)
    before = sorted((path for path in backups.iterdir() if path.name.isdecimal()), key=lambda path: int(path.name))
    folder = backups / f"{int(before[-1].name) + 1 if before else 1:03}"
    folder.mkdir()
    for old in before[: -(BACKUPS - 1)]:
        shutil.rmtree(old, ignore_errors=True)
    return folder
