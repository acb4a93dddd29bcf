"""What a learner has passed: one small file an exercise, written atomically, outside git."""

import json
from dataclasses import asdict, dataclass
from pathlib import Path

from course_utils.files import write_atomically
from course_utils.paths import record_folder


@dataclass(frozen=True)
class Answer:
    """The last answer that passed, and how the latest attempt did."""

    exercise: str
    source: str  # the whole exercise cell that passed; "" if none has
    points: int  # of the latest attempt
    max_points: int
    passing: bool  # whether the latest attempt passed


def _path(exercise: str, folder: Path | None) -> Path:
    return (folder or record_folder()) / "answers" / f"{exercise}.json"


def load(exercise: str, folder: Path | None = None) -> Answer | None:
    """None where there is no record, or where the file can't be read: a damaged record counts as none."""
    try:
        return Answer(**json.loads(_path(exercise, folder).read_text("utf-8")))
    except (OSError, ValueError, TypeError):
        return None


def names() -> set[str]:
    """The exercises that were attempted."""
    return {path.stem for path in (record_folder() / "answers").glob("*.json")}


def latest(folder: Path | None = None) -> str:
    """The exercise that was attempted last; "" if none was."""
    paths = ((folder or record_folder()) / "answers").glob("*.json")
    return max(paths, key=lambda path: path.stat().st_mtime, default=Path()).stem


def save(answer: Answer, folder: Path | None = None) -> None:
    """Keep an attempt. One that fails never overwrites the source that passed before it."""
    if not answer.passing:
        before = load(answer.exercise, folder)
        answer = Answer(**{**asdict(answer), "source": before.source if before else ""})
    write_atomically(_path(answer.exercise, folder), json.dumps(asdict(answer), indent=1) + "\n")


def forget(exercise: str, folder: Path | None = None) -> None:
    _path(exercise, folder).unlink(missing_ok=True)
