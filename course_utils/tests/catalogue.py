"""Describe plausible wrong answers, each with a name, as edits to the reference's source."""

import importlib
import linecache
import textwrap
from collections.abc import Callable
from functools import cached_property

from course_utils.exercise import EXERCISES


class Wrong:
    """Describe a plausible wrong answer.

    Args:
        name: short, unique for its exercise: "sign flip forgotten".
        sentence: completes "This is what you get when ...".
        question: points the learner at the way to fix it.
        replace: pairs (old, new): the mistake as a change to the reference's source.
        code: the source of the whole wrong function, in place of `replace`.
    """

    exercise = ""  # set where the check is loaded

    def __init__(self, name: str, sentence: str, question: str, *replace: tuple[str, str], code: str = ""):
        self.name, self.sentence, self.question, self.replace, self.code = name, sentence, question, replace, code

    @property
    def source(self) -> str:
        """The source of the wrong function. Raises ValueError if an `old` is not in the reference."""
        source = textwrap.dedent(self.code) or EXERCISES[self.exercise].source
        for old, new in self.replace:
            if old not in source:
                raise ValueError(f"wrong answer {self.name!r} of {self.exercise}: {old!r} is not in the reference")
            source = source.replace(old, new)
        return source

    @cached_property
    def answer(self) -> Callable:
        """The wrong function, compiled on first use."""
        namespace = dict(vars(importlib.import_module(EXERCISES[self.exercise].module)))
        file, source = f"<{self.exercise}: {self.name}>", self.source
        linecache.cache[file] = len(source), None, source.splitlines(keepends=True), file  # for `stage.placed`
        exec(compile(source, file, "exec", dont_inherit=True), namespace)
        return namespace[self.exercise]
