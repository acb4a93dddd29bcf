"""Grading a class: submissions, roster and overrides are read once; then come the grades and the reports."""

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from course_utils.classroom import instructor_tables, machine_faults, output_folder, reports
from course_utils.classroom.batch import class_seed, grade_submissions, page_of
from course_utils.classroom.grading import Row
from course_utils.classroom.instructor_tables import Person
from course_utils.classroom.submission import Submission, of_another_version, questions, submissions
from course_utils.classroom.verdict import Evidence, decide
from course_utils.classroom.walls import isolation
from course_utils.material.selection import cells_made, chosen, holding


@dataclass(frozen=True)
class Classroom:
    """What an instructor has.

    Attributes:
        people: learner -> what the roster and the platform say about them; those without a submission last.
        absent: the learners on the roster without a submission.
        unmatched: submissions that match no person on the roster, or several.
        notes: what a person should look at, in sentences.
    """

    submissions: list[Submission]
    people: dict[str, Person]
    absent: list[str]
    unmatched: list[str]
    notes: list[str]


@dataclass(frozen=True)
class GradedClass:
    """
    Attributes:
        learners: the rows of each; those without a submission last.
        faults: what is probably this machine's fault, in sentences.
    """

    classroom: Classroom
    learners: list[list[Row]]
    faults: list[str] = field(default_factory=list)

    @property
    def handed_in(self) -> list[list[Row]]:
        """The rows of those who did."""
        return self.learners[: len(self.classroom.submissions)]

    @property
    def waiting(self) -> list[int]:
        """How many marks each learner with a row that needs a human is waiting for."""
        return [total.waiting for rows in self.learners if (total := reports.Total.of(rows)).waiting]

    def write_reports(self, out: Path) -> list[str]:
        """Returns what a person should look at besides the answers, in sentences."""
        notes = [*self.faults, *self.classroom.notes]
        if self.classroom.absent:
            notes.append(f"On the roster, these handed in nothing: {', '.join(self.classroom.absent)}.")
        people, handed_in = self.classroom.people, self.classroom.submissions
        return reports.write_reports(out, self.learners, isolation().sentences, people, notes, handed_in)


def read_class(folder: Path, roster: Path | None = None) -> Classroom:
    """Raises ValueError: there are no submissions, or the roster can't be read."""
    rostered = instructor_tables.read_roster(roster) if roster else []
    handed_in = submissions(folder)
    people, unmatched, without = instructor_tables.people(handed_in, rostered)
    names = {instructor_tables.called(person): person for person in without}
    absent = {name: person for name, person in names.items() if name not in people}
    notes = questions(folder, handed_in) + of_another_version(handed_in, cells_made())
    if unmatched:
        learners = ", ".join(unmatched)
        notes.append(f"In {roster} these have no row, several rows, or more than one submission: {learners}.")
    return Classroom(handed_in, people | absent, [*absent], unmatched, notes)


def grade_class(
    classroom: Classroom,
    out: Path,
    only: str = "",
    seed: str = "",
    workers: int = 2,
    road: str = "",
    progress: Callable[[str], None] | None = None,
) -> GradedClass:
    """Grade each submission. What a person decided, in `out`/overrides.csv, counts.

    Args:
        progress: is told what is graded; with it, a bar is shown.

    Raises:
        ValueError: there is nothing to grade, an option makes no sense, `out` can't be written, or the course's own
            answers do not pass here.
    """
    number, handed_in = class_seed(seed), classroom.submissions
    entries = assigned(handed_in, only, road)
    notebooks = list(dict.fromkeys(entry["notebook"] for entry in entries))
    overrides = instructor_tables.read_overrides(out / instructor_tables.OVERRIDES, classroom.people, notebooks)
    pages = [page_of(learner) for learner in classroom.people]
    output_folder.make_ready(out, [*output_folder.FILES, *pages], len(handed_in))
    if progress:
        why = "" if only else ": the notebooks that were handed in; ONLY chooses others"
        progress(f"Grading {len(entries)} exercises of {', '.join(name[:2] for name in notebooks)}{why}.")
    learners = grade_submissions(handed_in, entries, out, number, workers, bool(progress))
    for name in classroom.absent:
        verdict = decide(Evidence("", strangers=classroom.unmatched))
        learners.append([Row.of(name, entry, verdict) for entry in entries])
    for rows in learners:
        instructor_tables.override(rows, overrides)
    return GradedClass(classroom, learners, machine_faults.faults(learners[: len(handed_in)]))


def assigned(handed_in: list[Submission], only: str = "", road: str = "") -> list[dict]:
    """The manifest's entries that are graded. Without a choice, those of the notebooks that were handed in.

    Raises:
        ValueError: there is no such notebook or exercise, or nothing to grade in it.
    """
    entries = chosen(only, road)[1]
    if not only:
        begun = set().union(*(submission.exercises() for submission in handed_in))
        chosen_ids = {entry["id"] for entry in entries}
        numbers = " ".join(source.name for source in holding(begun))
        entries = [entry for entry in chosen(numbers)[1] if begun and entry["id"] in chosen_ids] or entries
    if not entries:
        raise ValueError(f"{only} contains no exercise, so there is nothing to grade")
    return entries
