"""Select the notebooks and exercises that ONLY and ROAD name, for handing out or grading."""

from collections import Counter
from functools import cache

from course_utils.material.build import build
from course_utils.material.manifest import manifest
from course_utils.material.source_files import Source, sources


@cache
def course() -> list[dict]:
    """The manifest, cached."""
    return manifest()


@cache
def cells_made() -> frozenset[str]:
    """The marks of all cells that this version of the course builds, in a clone, a class's copy or the solutions."""
    kinds: list[dict[str, bool]] = [{}, {"folded_solutions": False}, {"solution": True}]
    return frozenset(
        cell.metadata["course"] for source in sources() for kind in kinds for cell in build(source, **kind).cells
    )


def chosen(only: str = "", road: str = "") -> tuple[list[Source], list[dict]]:
    """The selected notebooks, and the manifest's entries of the selected exercises.

    An exercise counts in its home if that is selected, or else in another selected notebook that contains it. Extras
    count only if named.

    Args:
        only: numbers of notebooks and names of exercises, such as "04 backup mcts_search"; "" selects all.
        road: "main" leaves the deep dives out.

    Raises:
        ValueError: there is no such notebook, exercise or road, or the selection is empty.
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
                f"no notebook begins with {number!r}, and no exercise has this name. There are {there}, and `make "
                "list` names the exercises"
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
    """The notebooks that a learner with answers to these exercises must have.

    If two notebooks contain an exercise, we take one that is certain because of another exercise, or else the first
    that contains all exercises in doubt.
    """
    everything = sources()
    places = Counter(name for source in everything for name in source.exercises)
    sure = [source for source in everything if any(places[name] == 1 for name in exercises & {*source.exercises})]
    unplaced = exercises - {name for source in sure for name in source.exercises}
    others = [source for source in everything if unplaced & {*source.exercises}]
    return sure + [source for source in others if unplaced <= {*source.exercises}][:1]
