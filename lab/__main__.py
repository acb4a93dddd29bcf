"""What the course states about speed and strength, measured.

    python -m lab [NAME ...] [--OPTION VALUE ...]

    python -m lab experiments [--only WORD] [--quick]

NAME is a command from the list below, or a part of a measurement's name (`uct` is all of the notebook 'Tree search with
rollouts'). Options go to all commands that have them; `experiments` are those of the notebook 'The laboratory', in
`lab/experiments`. Without a name, those with a * are measured.

Rows are kept in course_utils/data/results where a notebook reads them, else in lab/results; afterwards all that is made
from them is made anew (`report`).
"""

import sys
from inspect import getdoc, isgeneratorfunction, signature
from itertools import takewhile

import torch

from lab import experiment
from lab.command import COMMANDS, USUAL, chosen, option, options_for, run
from lab.report import report


def usage() -> None:
    print(__doc__)
    for measured in (True, False):
        print("Measurements (* if none is named):" if measured else "\nOther commands:")
        for name, function in COMMANDS.items():
            if isgeneratorfunction(function) == measured:
                options = " ".join(option(word) for word in signature(function).parameters if word != "begun")
                print(f"  {name}{'*' if name in USUAL else ''}  [{options}]\n      {getdoc(function).splitlines()[0]}")
    print("  report\n      Tables, sentences and the picture of docs/ from the saved results.")


def main(arguments: list[str]) -> int:
    words = list(takewhile(lambda word: not word.startswith("-"), arguments))
    given = arguments[len(words) :]
    if words == ["experiments"]:  # all, or --only those with a word in their names
        only, given = (given[1], given[2:]) if given[:1] == ["--only"] else ("", given)
        try:
            words = experiment.names(only)
        except ValueError as error:
            print(error, file=sys.stderr)
            return 2
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
    if not parsed or not all(options.get("quick") for options, _ in parsed.values()):
        report()
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
