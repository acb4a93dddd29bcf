"""The score of the checks by answers that others wrote: `python -m lab.blind [NOTEBOOK or EXERCISE]`."""

import sys

from course_utils.exercise import EXERCISES
from lab.blind import report

if __name__ == "__main__":
    only = sys.argv[1] if sys.argv[1:] else ""
    names = [name for name, exercise in EXERCISES.items() if only in ("", name, exercise.notebook)]
    sys.exit(f"no notebook or exercise is called {only!r}" if not names else not report(names))
