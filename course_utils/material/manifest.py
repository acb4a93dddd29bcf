"""Every exercise of the course: where it counts, how many points and minutes it has."""

from course_utils.exercise import EXERCISES
from course_utils.material.source_files import Source, sources
from course_utils.tests.grade import max_points


def homes() -> dict[str, Source]:
    """Each exercise once, in order -> the notebook it counts in: its home or, in a copy that lacks this, the first in which it stands."""
    everything = sources()
    there = {source.name[:2] for source in everything}
    found: dict[str, Source] = {}
    for source in everything:
        for name in source.exercises:
            home = EXERCISES[name].notebook
            if home == source.name[:2] or home not in there:
                found.setdefault(name, source)
    return found


def manifest() -> list[dict]:
    """Every exercise of the sources, in order: what `python -m course_utils list --json` prints."""
    entries = []
    for name, source in homes().items():
        cell = next(cell for cell in source.cells if cell.metadata.get("exercise") == name)
        entries.append(
            dict(
                id=name,
                name=name,
                notebook=source.name,
                check=f"course_utils.tests.test_{name}",
                reference=EXERCISES[name].path,
                points=max_points(name),
                minutes=cell.metadata["minutes"],
                extra=name in source.extras,
            )
        )
    return entries
