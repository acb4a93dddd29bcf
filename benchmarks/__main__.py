"""What the course states about speed and strength, measured.

    python -m benchmarks [NAME ...] [--OPTION VALUE ...]

NAME is a command from the list below, or a part of a measurement's name (`uct` is all of notebook 04). Options go to all commands that
have them. Without a name, what docs/performance.md needs is measured, which takes about an hour.

Rows are kept in course_utils/data/results; afterwards all that is made from them is made anew (`report`).
"""

import sys
from inspect import getdoc, isgeneratorfunction, signature
from itertools import takewhile

import torch

from benchmarks import ablations, connect_four, grading, mcts_games, positions, search_speed, tictactoe, uct  # noqa: F401
from benchmarks.command import COMMANDS, USUAL, chosen, option, options_for, run
from benchmarks.report import report


def usage() -> None:
    print(__doc__)
    for measured in (True, False):
        print("Measurements (* if none is named):" if measured else "\nOther commands:")
        for name, function in COMMANDS.items():
            if isgeneratorfunction(function) == measured:
                options = " ".join(map(option, signature(function).parameters))
                print(f"  {name}{'*' if name in USUAL else ''}  [{options}]\n      {getdoc(function).splitlines()[0]}")
    print("  report\n      Tables, sentences and the picture of docs/ from what is recorded.")


def main(arguments: list[str]) -> int:
    words = list(takewhile(lambda word: not word.startswith("-"), arguments))
    given = arguments[len(words) :]
    if {"-h", "--help"} & set(given):
        usage()
        return 0
    try:
        names = chosen([word for word in words if word != "report"]) if words else USUAL
    except ValueError as error:
        print(error, file=sys.stderr)
        return 2
    parsed = {name: options_for(COMMANDS[name], given) for name in names}
    unknown = [word for word in given if word.startswith("--") and all(word in rest for _, rest in parsed.values())]
    if unknown:
        print(f"no option of {', '.join(names)}: {', '.join(unknown)}", file=sys.stderr)
        return 2
    torch.set_num_threads(1)
    for name, (options, _) in parsed.items():
        run(name, options)
    report()
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
