"""List every exercise with the notebook that it counts in, its points and its minutes."""

from course_utils.exercise import EXERCISES
from course_utils.material.source_files import Source, sources
from course_utils.tests.grade import max_points


def homes() -> dict[str, Source]:
    """Exercise -> the notebook that it counts in: its home or, in a copy without that, the first notebook that
    contains it.
    """
    everything = sources()
    there = {source.name[:2] for source in everything}
    counts_in: dict[str, Source] = {}
    for source in everything:
        for name in source.exercises:
            home = EXERCISES[name].notebook
            if home == source.name[:2] or home not in there:
                counts_in.setdefault(name, source)
    return counts_in


def manifest() -> list[dict]:
    """The data of every exercise in order, as `python -m course_utils list --json` prints it."""
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
