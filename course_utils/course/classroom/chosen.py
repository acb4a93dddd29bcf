"""What is handed out or graded: notebooks and exercises, as ONLY and ROAD name them."""

from functools import cache

from course_utils.course.build import MAIN_ROAD, Source, manifest, sources


@cache
def course() -> list[dict]:
    """The manifest, read once."""
    return manifest()


def chosen(only: str = "", road: str = "") -> tuple[list[Source], list[dict]]:
    """The notebooks and the entries of the manifest that are meant.

    Args:
        only: numbers of notebooks and names of exercises, as in "07 backup mcts_search"; all if "".
        road: "main" leaves the exercises and notebooks of the deep dives out.

    Raises:
        ValueError: there is no such notebook, exercise or road, or nothing is left.
    """
    words, everything, entries = only.replace(",", " ").split(), sources(), course()
    if road not in ("", "main"):
        raise ValueError(f"ROAD is main or not given, and is {road!r}")
    named = {entry["id"] for entry in entries}
    numbers = tuple(word for word in words if word not in named)
    for number in numbers:
        if not any(source.name.startswith(number) for source in everything):
            there = ", ".join(source.name[:2] for source in everything)
            raise ValueError(
                f"no notebook begins with {number!r}, and no exercise is called so; there are {there}, and `make list` names the exercises"
            )
    left = [
        entry
        for entry in entries
        if (not words or entry["id"] in words or (numbers and entry["notebook"].startswith(numbers)))
        and road in ("", entry["road"])
    ]
    with_exercises, of_these = {entry["notebook"] for entry in entries}, {entry["notebook"] for entry in left}
    notebooks = [
        source
        for source in everything
        if source.name in of_these
        or (
            source.name not in with_exercises
            and (not words or (numbers and source.name.startswith(numbers)))
            and (not road or source.name[:2] in MAIN_ROAD)
        )
    ]
    if not notebooks:
        raise ValueError(f"nothing of {only!r} is on the main road")
    return notebooks, left
