"""What is handed out or graded: notebooks and exercises, as ONLY and ROAD name them."""

from functools import cache

from course_utils.course.build import Source, build, manifest, sources


@cache
def course() -> list[dict]:
    """The manifest, read once."""
    return manifest()


@cache
def cells_made() -> frozenset[str]:
    """The marks of all cells that this version of the course makes, in a clone, a class's copy or the solutions."""
    kinds: list[dict[str, bool]] = [{}, {"folded_solutions": False}, {"solution": True}]
    return frozenset(
        cell.metadata["course"] for source in sources() for kind in kinds for cell in build(source, **kind).cells
    )


def chosen(only: str = "", road: str = "") -> tuple[list[Source], list[dict]]:
    """The notebooks and the entries of the manifest that are meant.

    Args:
        only: numbers of notebooks and names of exercises, as in "04 backup mcts_search"; all if "".
        road: "main" leaves the deep dives out.

    Raises:
        ValueError: there is no such notebook, exercise or road, or nothing is left.
    """
    if road not in ("", "main"):
        raise ValueError(f"ROAD is main or not given, and is {road!r}")
    words, everything = only.replace(",", " ").split(), sources()
    named = {entry["id"] for entry in course()}
    numbers = tuple(word for word in words if word not in named)
    for number in numbers:
        if not any(source.name.startswith(number) for source in everything):
            there = ", ".join(source.name[:2] for source in everything)
            raise ValueError(
                f"no notebook begins with {number!r}, and no exercise is called so; there are {there}, and `make list` names the exercises"
            )
    notebooks, left = [], set[str]()
    for source in everything:
        if road and not source.main_road:
            continue
        whole = not words or (numbers != () and source.name.startswith(numbers))
        exercises = [name for name in source.exercises if whole or name in words]
        if whole or exercises:
            notebooks.append(source)
            left.update(exercises)
    if not notebooks:
        raise ValueError(f"nothing of {only!r} is on the main road")
    return notebooks, [entry for entry in course() if entry["id"] in left]
