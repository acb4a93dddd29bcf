"""What made the shipped Connect Four agent, beside the measurements of `benchmarks`: `python -m research -h`."""

import sys

from benchmarks.__main__ import main
from research import expert_iteration, openings_school  # noqa: F401 - their commands

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
