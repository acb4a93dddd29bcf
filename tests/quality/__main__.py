import argparse
import sys

from course_utils.exercise import EXERCISES
from course_utils.tests.grade import CHECKS, grade
from course_utils.tests.render import as_text
from tests.quality import mutants


def main() -> int:
    parser = argparse.ArgumentParser(
        prog="python -m course_utils mutants", description="Print the score of the checks."
    )
    parser.add_argument("--seeds", type=int, default=200, help="seeds for each right answer; 200 take most of an hour, 3 some minutes")  # fmt: skip
    parser.add_argument("--messages", action="store_true", help="instead what a learner reads after each wrong answer")
    parser.add_argument("--only", default="", help="only the exercises of this notebook, or one exercise")
    options = parser.parse_args()
    names = [name for name, exercise in EXERCISES.items() if options.only in ("", name, exercise.notebook)]
    if not names:
        parser.error(f"no notebook or exercise is called {options.only!r}")
    if options.messages:
        for entry in (entry for name in names for entry in CHECKS[name].wrong):
            print(f"\n{entry.name}\n{as_text(grade(entry.exercise, entry.answer))}")
        return 0
    return 0 if mutants.report(names, options.seeds) else 1


if __name__ == "__main__":
    sys.exit(main())
