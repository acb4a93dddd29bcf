"""The learner's answers: which of them are in force, in this process and in others."""

from collections.abc import Callable, Mapping

from course_utils import record
from course_utils.exercise.binding import CannotBind, bind
from course_utils.exercise.guarding import guarded
from course_utils.exercise.registry import EXERCISES
from course_utils.exercise.versions import Versions, put_in_force, versions_in_force


class Recorded(Versions):
    """The learner's answers where they are recorded, ours elsewhere; each is looked up once, when it is first called.

    Attributes:
        sources: exercise -> the learner's exercise cell, for those that are the learner's.
        broken: exercise -> why a recorded answer could not be used.
    """

    def __init__(self) -> None:
        super().__init__()
        self.learners = True  # whether what is not given is looked up in the learner's record
        self.sources: dict[str, str] = {}
        self.broken: dict[str, str] = {}
        self.off: set[str] = set()  # switched off by the learner, for this session

    def __missing__(self, name: str) -> Callable:
        source = recorded_source(name) if self.learners and name not in self.off else ""
        if not source:
            return super().__missing__(name)
        self.take(name, source)
        return self[name]

    def take(self, name: str, source: str) -> None:
        """Put a cell of the learner's in force; ours where it can't be used."""
        super().__missing__(name)  # before the cell is run: one that asks for its own name gets ours
        self.sources[name] = source
        try:
            self[name] = guarded(name, bind(name, source))
        except CannotBind as error:
            self.broken[name] = str(error)

    def hold(self, name: str, source: str, function: Callable) -> None:
        """Put the function in force that was made of these cells and graded, if they are what is recorded: they need
        not run once more.
        """
        if self.learners and name not in self.off and recorded_source(name) == source:
            self.sources[name], self[name] = source, guarded(name, function)
            self.broken.pop(name, None)

    def restart(self) -> None:
        """Forget everything that was looked up or switched off."""
        for collection in (self, self.sources, self.broken, self.off):
            collection.clear()

    def refresh(self) -> None:
        """Look those exercises up again, at their next call, of which the record says something else than before."""
        for name in list(self) if self.learners else ():
            if self.sources.get(name, "") != ("" if name in self.off else recorded_source(name)):
                for collection in (self, self.sources, self.broken):
                    collection.pop(name, None)


LEARNERS = Recorded()
put_in_force(LEARNERS)


def recorded_source(name: str) -> str:
    """The exercise cell that passed, or "" where none has."""
    answer = record.load(name)
    return answer.source if answer else ""


def yours() -> dict[str, Callable]:
    """The learner's exercises that are in force as of now: an answer that has just passed is one of them."""
    LEARNERS.refresh()
    for name in record.names() & EXERCISES.keys():
        _ = LEARNERS[name]
    return {name: LEARNERS[name] for name in EXERCISES if name in LEARNERS.sources and name not in LEARNERS.broken}


def sources_in_force() -> dict[str, str]:
    """The cells of the learner's answers in force, for another process to `adopt`."""
    return {} if versions_in_force() is not LEARNERS else {name: LEARNERS.sources[name] for name in yours()}


def adopt(sources: Mapping[str, str]) -> None:
    """Let the learner's answers of another process, and no others, be in force in this one."""
    LEARNERS.restart()
    LEARNERS.learners = False
    for name, source in sources.items():
        LEARNERS.take(name, source)
