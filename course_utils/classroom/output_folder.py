"""OUT, the folder with the results.

It is tried before anything is graded, only its owner can read it, and a file that `make grade` did not write is not
overwritten.
"""

import hashlib
import secrets
import shutil
from collections.abc import Iterable, Mapping
from pathlib import Path

from course_utils.files import encoded, seal, unseal, write_atomically

FILES = (
    "grades.csv",
    "totals.csv",
    "canvas.csv",
    "grades.json",
    "class.html",
    "feedback_canvas.zip",
    "feedback_moodle.zip",
)
FOLDERS = ("feedback", "learners")
WRITTEN = ".written.json"  # file -> checksums of what was written there
ROOM = 2 << 20  # bytes that a submission's files may need


def make_ready(out: Path, names: Iterable[str], submissions: int) -> None:
    """Create the folder for its owner alone, if it does not exist, and try to write into it.

    Args:
        names: the files that will be written in the end.

    Raises:
        ValueError: it can't be written, has no room, or holds one of these files, not as `make grade` wrote it.
    """
    try:
        out.parent.mkdir(parents=True, exist_ok=True)
        for folder in (out, *(out / name for name in FOLDERS)):
            if not folder.is_dir():
                folder.mkdir(mode=0o700)
            trial = folder / f".trial-{secrets.token_hex(4)}"
            write_atomically(trial, "", private=True)
            trial.unlink()
        free, needed = shutil.disk_usage(out).free, ROOM * (10 + submissions)
    except OSError as error:
        raise ValueError(
            f"OUT={out} can't be written ({error.strerror or error}), so nothing was graded. Name another folder"
        ) from None
    if free < needed:
        raise ValueError(
            f"OUT={out} has {free >> 20} MB left and this class may need {needed >> 20}, so nothing was graded. "
            "Free some space, or name a folder elsewhere"
        )
    _refuse(out, names)


def write(out: Path, files: Mapping[str, str | bytes]) -> None:
    """Write these, and remove what an earlier run wrote and this one does not.

    Raises:
        ValueError: one of them exists and is not as `make grade` left it. Then nothing is written.
    """
    _refuse(out, files)
    before = _written(out)
    now = {name: [_checksum(content)] for name, content in files.items()}
    _keep(out, before | {name: before.get(name, []) + now[name] for name in now})
    for name, content in files.items():
        write_atomically(out / name, content, private=True)
    for name in before.keys() - now.keys():
        if _is_ours(out / name, before[name]):
            (out / name).unlink(missing_ok=True)
    _keep(out, now)


def _refuse(out: Path, names: Iterable[str]) -> None:
    written = _written(out)
    edited = [name for name in names if (out / name).exists() and not _is_ours(out / name, written.get(name, []))]
    if edited:
        more = f" and {len(edited) - 3} more" if len(edited) > 3 else ""
        raise ValueError(
            f"OUT={out} holds {', '.join(edited[:3])}{more}, which is not as `make grade` wrote it and stays as it is: "
            "move or rename it and give the same command again, or name another folder"
        )


def _is_ours(path: Path, checksums: list[str]) -> bool:
    try:
        return _checksum(path.read_bytes()) in checksums
    except OSError:
        return False


def _written(out: Path) -> dict[str, list[str]]:
    try:
        return unseal((out / WRITTEN).read_bytes())["files"]
    except (OSError, ValueError, KeyError):
        return {}


def _keep(out: Path, written: dict[str, list[str]]) -> None:
    write_atomically(out / WRITTEN, seal({"files": written}), private=True)


def _checksum(content: str | bytes) -> str:
    return hashlib.sha256(encoded(content)).hexdigest()[:16]
