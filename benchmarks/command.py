"""A function becomes a command: its parameters are the options. One that yields rows is a measurement, and its rows are recorded."""

import argparse
import shlex
from collections.abc import Callable
from inspect import isgeneratorfunction, signature

from tqdm import tqdm

from course_utils.results import record

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
    found = []
    for word in words:
        fitting = [name for name, function in COMMANDS.items() if word in name and isgeneratorfunction(function)]
        found += [word] if word in COMMANDS else fitting
        if word not in COMMANDS and not fitting:
            raise ValueError(f"nothing is called {word!r}; there are: {', '.join(COMMANDS)}")
    return list(dict.fromkeys(found))


def option(parameter: str) -> str:
    return "--" + parameter.replace("_", "-")


def options_for(function: Callable, arguments: list[str]) -> tuple[dict, list[str]]:
    """What `arguments` say about the function's parameters, and the arguments that say nothing about them."""
    parser = argparse.ArgumentParser(add_help=False, allow_abbrev=False, argument_default=argparse.SUPPRESS)
    for name, parameter in signature(function).parameters.items():
        several = isinstance(parameter.default, tuple | range)
        kind = type(parameter.default[0] if several else parameter.default)
        parser.add_argument(option(name), type=kind, nargs="+" if several else None)
    options, rest = parser.parse_known_args(arguments)
    return vars(options), rest


def run(name: str, options: dict) -> None:
    """Call the command; record what it measures."""
    function = COMMANDS[name]
    if not isgeneratorfunction(function):
        return function(**options)
    words = ["python", "-m", "benchmarks", name]
    for parameter, value in options.items():
        words += [option(parameter), *map(str, value if isinstance(value, list) else [value])]
    seeds = options.get("seeds", signature(function).parameters["seeds"].default)
    record(name, shlex.join(words), seeds, tqdm(function(**options), desc=name, unit=" rows"))
