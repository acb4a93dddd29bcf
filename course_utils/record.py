"""Record the answers that a learner has passed: a small file for each exercise, outside git."""

from dataclasses import asdict, dataclass
from pathlib import Path

from course_utils.files import Damaged, read_whole, seal, unseal, write_atomically
from course_utils.paths import record_folder

MOST = 2**24  # bytes of a record's file


@dataclass(frozen=True)
class Answer:
    """The last answer that passed, and the result of the latest attempt."""

    exercise: str
    source: str  # the whole exercise cell that passed; "" if none has
    points: int  # of the latest attempt
    max_points: int
    passing: bool  # whether the latest attempt passed


def _path(exercise: str, folder: Path | None) -> Path:
    return (folder or record_folder()) / "answers" / f"{exercise}.json"


def parse(content: bytes) -> Answer:
    """Parse a record's file. Raises Damaged: it is another kind of file, or was changed."""
    data = unseal(content)
    kinds = dict(exercise=str, source=str, points=int, max_points=int, passing=bool)
    if data.keys() != kinds.keys() or not all(isinstance(data[name], kind) for name, kind in kinds.items()):
        raise Damaged("it is not a record of an answer")
    return Answer(**data)


def load(exercise: str, folder: Path | None = None) -> Answer | None:
    """Load a record; None if there is none, or if it is damaged (see `damaged`)."""
    try:
        return parse(read_whole(_path(exercise, folder), MOST))
    except (OSError, Damaged):
        return None


def damaged(folder: Path | None = None) -> list[str]:
    """The exercises whose record can't be read."""
    names = sorted(path.stem for path in ((folder or record_folder()) / "answers").glob("*.json"))
    return [exercise for exercise in names if load(exercise, folder) is None]


def said_of_damage(exercise: str) -> str:
    return f"The record of {exercise} is damaged, so it counts as not passed. Run its check again to record it."


def names() -> set[str]:
    """The exercises that were attempted."""
    return {path.stem for path in (record_folder() / "answers").glob("*.json")}


def latest(folder: Path | None = None) -> str:
    """The exercise that was attempted last; "" if there is none."""
    paths = ((folder or record_folder()) / "answers").glob("*.json")
    return max(paths, key=lambda path: path.stat().st_mtime, default=Path()).stem


def save(answer: Answer, folder: Path | None = None) -> None:
    """Save an attempt. A failed attempt never overwrites a source that passed."""
    if not answer.passing:
        before = load(answer.exercise, folder)
        answer = Answer(**{**asdict(answer), "source": before.source if before else ""})
    write_atomically(_path(answer.exercise, folder), seal(asdict(answer)))


def forget(exercise: str, folder: Path | None = None) -> None:
    _path(exercise, folder).unlink(missing_ok=True)
