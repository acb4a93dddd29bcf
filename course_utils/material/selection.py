"""Choose notebooks and exercises to hand out or to grade, as ONLY and ROAD name them."""

from collections import Counter
from dataclasses import dataclass
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


@dataclass(frozen=True)
class Choice:
    """What ONLY names. An exercise counts in its home or, if that is not chosen, in another chosen notebook; an extra only if it is named.

    Attributes:
        numbers: how the names of the chosen notebooks begin.
        exercises: those named themselves.
    """

    numbers: tuple[str, ...]
    exercises: frozenset[str]

    @classmethod
    def of(cls, only: str) -> "Choice":
        """Raises ValueError: there is no such notebook or exercise."""
        words, exercises = only.replace(",", " ").split(), {entry["id"] for entry in course()}
        numbers = tuple(word for word in words if word not in exercises)
        for number in numbers:
            if not sources(number):
                names = ", ".join(source.name[:2] for source in sources())
                raise ValueError(
                    f"no notebook begins with {number!r}, and no exercise has this name. There are {names}, "
                    "and `make list` names the exercises"
                )
        return cls(numbers, frozenset(words) - {*numbers})

    def takes_all_of(self, source: Source) -> bool:
        return source.name.startswith(self.numbers) if self.numbers else not self.exercises

    def exercises_of(self, source: Source) -> list[str]:
        """Of a whole notebook all but the extras; of another one the named exercises whose home it is."""
        homes = {entry["id"]: entry["notebook"] for entry in course()}
        extras = {entry["id"] for entry in course() if entry["extra"]}
        whole = set(source.exercises) - extras if self.takes_all_of(source) else set()
        named = {name for name in self.exercises if homes[name] == source.name}
        return [name for name in source.exercises if name in whole | named]


def chosen(only: str = "", road: str = "") -> tuple[list[Source], list[dict]]:
    """The chosen notebooks and entries of the manifest.

    Args:
        only: numbers of notebooks and names of exercises, as in "04 backup mcts_search"; all if "".
        road: "main" leaves the deep dives out.

    Raises:
        ValueError: there is no such notebook, exercise or road, or nothing is left.
    """
    if road not in ("", "main"):
        raise ValueError(f"ROAD must be main or empty, not {road!r}")
    choice = Choice.of(only)
    on_road = [source for source in sources() if source.main_road or not road]
    notebooks = [source for source in on_road if choice.takes_all_of(source) or choice.exercises_of(source)]
    if not notebooks:
        raise ValueError(f"nothing of {only!r} is on the main road")
    counting = {source.name: choice.exercises_of(source) for source in notebooks}
    entries = []
    for entry in course():
        places = [name for name, exercises in counting.items() if entry["id"] in exercises]
        if places:
            entries.append(entry | {"notebook": entry["notebook"] if entry["notebook"] in places else places[0]})
    return notebooks, entries


def holding(exercises: set[str]) -> list[Source]:
    """The notebooks that must have been handed in to hold these exercises.

    An exercise of two notebooks counts for one that is certain, else for the first that holds all such exercises.
    """
    all_sources = sources()
    places = Counter(name for source in all_sources for name in source.exercises)
    certain = [source for source in all_sources if any(places[name] == 1 for name in exercises & {*source.exercises})]
    rest = exercises - {name for source in certain for name in source.exercises}
    candidates = [source for source in all_sources if rest & {*source.exercises} and rest <= {*source.exercises}]
    return certain + candidates[:1]
