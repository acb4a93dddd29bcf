"""Copies of the learner's notebooks, in numbered folders under `.course/backups`. Only the standard library."""

import os
import shutil
from collections.abc import Sequence
from pathlib import Path

from course_utils.files import UNFINISHED

BACKUPS = 10  # folders of copies that are kept, the newest


def put_back(copy: Path, path: Path) -> None:
    """With its date, by which it is told which notebook was saved last; whole, or what is there stays."""
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(f".{path.name}{UNFINISHED}")
    shutil.copy2(copy, temporary)
    os.replace(temporary, path)


def copy_notebooks(root: Path, changed: Sequence[str] = ()) -> Path:
    """Copy the learner's notebooks, and what else they have changed beside these, to a new numbered folder under `.course/backups`, and return it."""
    folder = new_backup(root / ".course")
    notebooks = root / "notebooks"
    for path in {*notebooks.glob("*.ipynb"), *(root / name for name in changed if (root / name).exists())}:
        copy = folder / path.relative_to(notebooks)
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(path, copy)
    return folder


def new_backup(record: Path) -> Path:
    """The next numbered folder for copies, made. Of the others the oldest go, so that `BACKUPS` are left."""
    backups = record / "backups"
    backups.mkdir(parents=True, exist_ok=True)
    before = sorted((path for path in backups.iterdir() if path.name.isdecimal()), key=lambda path: int(path.name))
    folder = backups / f"{int(before[-1].name) + 1 if before else 1:03}"
    folder.mkdir()
    for old in before[: -(BACKUPS - 1)]:
        shutil.rmtree(old, ignore_errors=True)
    return folder
