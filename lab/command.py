"""A function becomes a command: its parameters are the options.

One that yields rows is a measurement, and its rows are saved.
"""

import argparse
import shlex
from collections.abc import Callable
from inspect import getfile, isgeneratorfunction, signature
from pathlib import Path

from tqdm import tqdm

from course_utils.paths import COURSE
from course_utils.results import table
from lab.provenance import code_of
from lab.saving import folder_of, save_rows, unfinished

COMMANDS: dict[str, Callable] = {}
USUAL: list[str] = []  # what is measured if nothing is named


def command(name: str, usual: bool = False):
    """Register a function whose parameters all have defaults; that of a measurement has `seeds`."""

    def register(function: Callable) -> Callable:
        COMMANDS[name] = function
        if usual:
            USUAL.append(name)
        return function

    return register


def chosen(words: list[str]) -> list[str]:
    """The commands with these names, or the measurements with a part of one. Raises ValueError: a word fits none."""
    names: list[str] = []
    for word in words:
        fitting = [name for name, function in COMMANDS.items() if word in name and isgeneratorfunction(function)]
        names += [word] if word in COMMANDS else fitting
        if word not in COMMANDS and not fitting:
            raise ValueError(f"nothing is called {word!r}; there are: {', '.join(COMMANDS)}")
    return list(dict.fromkeys(names))


def option(parameter: str) -> str:
    return "--" + parameter.replace("_", "-")


def options_for(function: Callable, arguments: list[str]) -> tuple[dict, list[str]]:
    """What `arguments` say about the function's parameters, and the arguments that say nothing about them."""
    parser = argparse.ArgumentParser(add_help=False, allow_abbrev=False, argument_default=argparse.SUPPRESS)
    for name, parameter in signature(function).parameters.items():
        if name == "begun":
            continue  # no option: what is left of a measurement that was interrupted
        if isinstance(parameter.default, bool):
            parser.add_argument(option(name), action="store_true")
            continue
        several = isinstance(parameter.default, tuple | range)
        kind = type(parameter.default[0] if several else parameter.default)
        parser.add_argument(option(name), type=kind, nargs="+" if several else None)
    options, rest = parser.parse_known_args(arguments)
    return vars(options), rest


def file_of(name: str) -> Path:
    """The file that says what is measured: that of the experiment, or of the command."""
    experiment = Path(__file__).parent / "experiments" / f"{name}.py"
    return experiment if experiment.exists() else Path(getfile(COMMANDS[name]))


def run(name: str, options: dict) -> None:
    """Call the command; save what it measures. One that has a parameter `begun` goes on where it was interrupted.

    With the option `quick` nothing is saved: the rows lie in runs/quick.
    """
    function = COMMANDS[name]
    if not isgeneratorfunction(function):
        return function(**options)
    words = ["python", "-m", function.__module__.partition(".")[0], name]
    for parameter, value in options.items():
        if parameter == "workers":
            continue  # who measures makes no difference
        words += [
            option(parameter),
            *([] if value is True else map(str, value if isinstance(value, list) else [value])),
        ]
    folder = COURSE / "runs" / "quick" if options.get("quick") else folder_of(name)
    text = shlex.join(words)
    begun = unfinished(name, text, folder) if "begun" in signature(function).parameters else None
    seeds = options.get("seeds", signature(function).parameters["seeds"].default)
    measured = function(**options, **({"begun": tuple(begun.rows)} if begun else {}))
    bar = tqdm(measured, desc=name, unit=" rows")
    result = save_rows(name, text, seeds, bar, folder, begun, code_of(file_of(name)))
    if options.get("quick"):
        print(table(result.rows, {column: f"{{{column}}}" for column in result.rows[0]}))
