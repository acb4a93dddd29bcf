"""Update the course without losing an answer, using only the standard library and git.

`git pull` refuses to touch tracked files that have changed, as the learner's notebooks have. So we copy the notebooks
to a safe place, restore git's versions, merge, and copy the notebooks back. Then `notebooks` rebuilds them around the
learner's cells.
"""

import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from course_utils.files import trouble
from course_utils.material.backups import copy_notebooks, put_back
from course_utils.paths import COURSE


class CannotUpdate(Exception):
    """Nothing was changed; the message says why, in a sentence."""


def git(*arguments: str, root: Path = COURSE) -> str:
    """Run git, and return what it prints. Raises CannotUpdate with git's message."""
    done = subprocess.run(["git", *arguments], cwd=root, capture_output=True, text=True)
    if done.returncode:
        lines = [
            line.strip() for line in done.stderr.splitlines() if not line.startswith(("Aborting", "Please", "hint:"))
        ]
        complaint = " ".join(filter(None, lines)) or (done.stdout.strip() or "no reason given").splitlines()[-1]
        raise CannotUpdate(f"git {arguments[0]} failed: {complaint}")
    return done.stdout


def changed_files(root: Path) -> list[str]:
    """Tracked files that differ from the last commit, as paths from the root."""
    return [path for path in git("diff", "--name-only", "--no-renames", "-z", "HEAD", root=root).split("\0") if path]


def update(root: Path = COURSE) -> tuple[str, str, Path]:
    """Fetch and merge the newest version, while the learner's notebooks are set aside. They must be rebuilt afterwards.

    If learners have committed their notebooks and both sides changed a line, git takes the course's line, and the
    notebook is restored from the copy.

    Returns:
        (the version before, the version now, the folder with the copy of the notebooks).

    Raises:
        CannotUpdate: there is no git repository or remote, files of the course were changed, the network can't be
            reached, and the like. Nothing was changed.
    """
    if not shutil.which("git"):
        raise CannotUpdate("updating needs git, which can't be found")
    before = git("describe", "--always", "HEAD", root=root).strip()
    if (root / git("rev-parse", "--git-path", "MERGE_HEAD", root=root).strip()).exists():
        raise CannotUpdate("a merge is in progress. End it with `git commit` or `git merge --abort`")
    changed = changed_files(root)
    others = [path for path in changed if not path.startswith("notebooks/") or path.endswith(".md")]
    if others:
        raise CannotUpdate(
            f"you have changed these files of the course: {', '.join(others)}. Commit them, or undo them with `git "
            "restore`"
        )
    git("fetch", "--quiet", root=root)
    try:
        git("rev-parse", "@{upstream}", root=root)
    except CannotUpdate:
        raise CannotUpdate("the current branch has no upstream branch. Go back with `git switch main`") from None
    try:
        backup = copy_notebooks(root, changed)
    except OSError as error:
        raise CannotUpdate(f"your notebooks can't be copied first: {trouble(error)}") from None
    try:
        merge(root, changed, backup)
    except CannotUpdate as error:
        raise CannotUpdate(f"{error} (copies of your notebooks are in {backup.relative_to(root)})") from None
    for copy in backup.glob("*.ipynb"):
        put_back(copy, root / "notebooks" / copy.name)
    return before, git("describe", "--always", "HEAD", root=root).strip(), backup


def merge(root: Path, changed: Sequence[str], backup: Path) -> None:
    """Restore git's versions of the notebooks, and merge.

    If anything fails, restore everything, including the index.
    """
    index = root / git("rev-parse", "--git-path", "index", root=root).strip()
    staged = index.read_bytes()
    try:
        git("checkout", "--quiet", "HEAD", "--", "notebooks", root=root)
        git("merge", "--quiet", "--no-edit", "--strategy-option=theirs", "@{upstream}", root=root)
    except BaseException:
        subprocess.run(["git", "merge", "--abort"], cwd=root, capture_output=True)
        for path in map(root.joinpath, changed):
            if (copy := backup / path.relative_to(root / "notebooks")).exists():
                put_back(copy, path)
            else:  # the learner had deleted the file
                path.unlink(missing_ok=True)
        index.write_bytes(staged)
        raise


def main(options: object = None, rest: object = ()) -> int:
    """The command `update`."""
    try:
        before, now, backup = update()
    except CannotUpdate as error:
        print(f"Not updated: {error}. Nothing has changed.", file=sys.stderr)
        return 1
    except OSError as error:  # a full disk
        print(
            f"Stopped: {trouble(error)}. Copies of your notebooks as they were are in .course/backups.", file=sys.stderr
        )
        return 1
    print(f"{now} is already the newest version." if now == before else f"Updated from {before} to {now}.")
    print(f"Copies of your notebooks as they were are in {backup.relative_to(COURSE)}.", flush=True)
    others = sorted(
        path for path in backup.rglob("*") if (path.is_file() and path.parent != backup) or path.suffix == ".py"
    )
    if others:
        print(
            "These of your changes are only there, and no longer in the notebooks folder: "
            f"{', '.join(str(path.relative_to(backup)) for path in others)}.",
            flush=True,
        )
    # in a new process, since this one has loaded the old code, and the requirements may have changed
    return subprocess.run([sys.executable, "-m", "course_utils", "notebooks"], cwd=COURSE).returncode
