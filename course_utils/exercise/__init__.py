"""An exercise is a decorated function of the package: its reference. A call to it runs the version in force.

    @exercise("03")
    def backup(leaf, value): ...

The learner's answer is in force where one is recorded, ours elsewhere; which of the two is decided at each call. So our
`mcts_search` runs a learner's `backup`, and a learner's `select` runs our `select_child`. `with using({}):` is the
course as shipped.
"""

from course_utils.exercise.binding import (
    CELL,
    CannotBind,
    Made,
    NoMagic,
    begin,
    bind,
    called,
    checks_called,
    is_other,
    is_ours,
    make,
    others_called,
    run_cell,
    settle,
    split_cells,
)
from course_utils.exercise.guarding import YourAnswerFailed
from course_utils.exercise.learners import LEARNERS, adopt, recorded_source, sources_in_force, yours
from course_utils.exercise.registry import BEGIN, END, EXERCISES, Exercise
from course_utils.exercise.versions import WATCHING, Versions, exercise, using, versions_in_force, watching, wrapping

__all__ = [
    "BEGIN",
    "CELL",
    "END",
    "EXERCISES",
    "LEARNERS",
    "WATCHING",
    "CannotBind",
    "Exercise",
    "Made",
    "NoMagic",
    "Versions",
    "YourAnswerFailed",
    "adopt",
    "begin",
    "bind",
    "called",
    "checks_called",
    "exercise",
    "is_other",
    "is_ours",
    "make",
    "others_called",
    "recorded_source",
    "run_cell",
    "settle",
    "sources_in_force",
    "split_cells",
    "using",
    "versions_in_force",
    "watching",
    "wrapping",
    "yours",
]
