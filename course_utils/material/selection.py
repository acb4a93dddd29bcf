"""What is handed out or graded: notebooks and exercises, as ONLY and ROAD name them."""

from collections import Counter
from functools import cache

from course_utils.material.build import build
from course_utils.material.manifest import manifest
from course_utils.material.source_files import Source, sources


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
    """The notebooks and the entries of the manifest that are meant. An exercise counts in its home or, where that is not chosen, in the notebook that is;
    an extra only where it is named.

    Args:
        only: numbers of notebooks and names of exercises, as in "04 backup mcts_search"; all if "".
        road: "main" leaves the deep dives out.

    Raises:
        ValueError: there is no such notebook, exercise or road, or nothing is left.
    """
    if road not in ("", "main"):
        raise ValueError(f"ROAD must be main or empty, not {road!r}")
    words, everything = only.replace(",", " ").split(), sources()
    named = {entry["id"] for entry in course()}
    numbers = tuple(word for word in words if word not in named)
    for number in numbers:
        if not any(source.name.startswith(number) for source in everything):
            there = ", ".join(source.name[:2] for source in everything)
            raise ValueError(
                f"no notebook begins with {number!r}, and no exercise has this name. There are {there}, and `make list` names the exercises"
            )
    notebooks, counts_in = [], dict[str, str]()
    homes = {entry["id"]: entry["notebook"] for entry in course()}
    extras = {entry["id"] for entry in course() if entry["extra"]}
    for source in everything:
        if road and not source.main_road:
            continue
        whole = not words or (numbers != () and source.name.startswith(numbers))
        exercises = [
            name
            for name in source.exercises
            if (whole and name not in extras) or (name in words and homes[name] == source.name)
        ]
        if whole or exercises:
            notebooks.append(source)
            counts_in |= {
                name: source.name for name in exercises if name not in counts_in or homes[name] == source.name
            }
    if not notebooks:
        raise ValueError(f"nothing of {only!r} is on the main road")
    return notebooks, [entry | {"notebook": counts_in[entry["id"]]} for entry in course() if entry["id"] in counts_in]


def holding(exercises: set[str]) -> list[Source]:
    """The notebooks that somebody must have who has these exercises. Those that stand in two are of a notebook that is sure, else of the first that has them all."""
    everything = sources()
    places = Counter(name for source in everything for name in source.exercises)
    sure = [source for source in everything if any(places[name] == 1 for name in exercises & {*source.exercises})]
    left = exercises - {name for source in sure for name in source.exercises}
    others = [source for source in everything if left & {*source.exercises}]
    return sure + [source for source in others if left <= {*source.exercises}][:1]
