"""Answers that others wrote: the second score of the checks.

Readers who saw nothing but the notebooks wrote, for every exercise, wrong answers as honest beginners write them
("honest"), wrong answers meant to slip through ("meant"), and right ones in an unusual form ("right"). `round_*.json`
keeps them: the checks were mended in general ways where one passed, so each round is a fair measure of the checks as
they stood before it, and a test of them from then on. There are none to `train_alphazero`, whose loop had a gate then.
"""

import json
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from course_utils.exercise import CELL, EXERCISES, CannotBind, bind
from course_utils.tests.grade import grade
from tests.quality.false_names import Names, count

IMPORTED = """import copy
import math
import torch
import torch.nn as nn
import torch.nn.functional as F
from functools import partial"""  # what the notebooks' setup cells import, besides numpy
FOLDER = Path(__file__).parent


@dataclass(frozen=True)
class Blind:
    """An answer of a reader. `disputed` says why it is not what its author took it for, if it isn't."""

    exercise: str
    name: str  # "meant_2"
    source: str
    disputed: str = ""

    @property
    def kind(self) -> str:
        return self.name.partition("_")[0]

    @property
    def note(self) -> str:
        """What is wrong with it, or unusual, in the words of its author."""
        return self.source.partition("\n")[0].removeprefix("# note:").strip()

    def answer(self) -> Callable | None:
        """The function; None if its source makes none."""
        try:
            return bind(self.exercise, f"import numpy as np\n{IMPORTED}\n{CELL}\n{self.source}")
        except CannotBind:
            return None

    def passes(self) -> bool:
        answer = self.answer()
        return answer is not None and grade(self.exercise, answer).passed


def rounds() -> Iterator[tuple[str, list[Blind]]]:
    """Of each round the answers to what is an exercise today."""
    for path in sorted(FOLDER.glob("round_*.json")):
        entries = json.loads(path.read_text("utf-8"))
        yield path.stem, [Blind(**entry) for entry in entries if entry["exercise"] in EXERCISES]


def report(names: list[str]) -> bool:
    """Print, for each round, which answers come out otherwise than their kind says, and how many pass.

    Returns whether every honest mistake is rejected, every right answer passes, and no name is false.
    """
    good, names_given = True, Names()
    for name, answers in rounds():
        passed, total = Counter[str](), Counter[str]()
        for answer in answers:
            if answer.exercise not in names or answer.disputed:
                continue
            passes = answer.passes()
            if not passes and answer.kind != "right" and (function := answer.answer()) is not None:
                count(answer.exercise, answer.source, function, names_given)
            passed[answer.kind] += passes
            total[answer.kind] += 1
            if passes != (answer.kind == "right"):
                print(f"{'passes' if passes else 'is refused'}: {answer.exercise} {answer.name}: {answer.note}")
                good = good and answer.kind == "meant"
        print(f"{name}: " + ", ".join(f"{kind} {passed[kind]} of {total[kind]} pass" for kind in sorted(total)))
    for false in names_given.false:
        print(f"has a false name: {false}")
    print(f"false names: {len(names_given.false)} of {names_given.refused} refused ({names_given.named} have a name)")
    return good and not names_given.false
