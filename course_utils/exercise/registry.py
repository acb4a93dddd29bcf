"""The exercises: found by their decorator, known by their names."""

import importlib
import inspect
import re
import textwrap
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

from course_utils.paths import PACKAGE

BEGIN, END = "# begin given", "# end given"  # around lines of a reference that stay in the learner's stub


@dataclass(frozen=True)
class Exercise:
    """An exercise's id is its name, never a number: names are unique over the course."""

    name: str
    module: str
    notebook: str  # "01"

    @property
    def path(self) -> str:
        return f"{self.module}.{self.name}"

    @property
    def function(self) -> Callable:
        """What the package calls by this name: it runs the version in force."""
        return getattr(importlib.import_module(self.module), self.name)

    @cached_property
    def reference(self) -> Callable:
        """Ours, whatever is in force."""
        return self.function.__wrapped__  # type: ignore[attr-defined]  # functools.wraps put it there

    @cached_property
    def source(self) -> str:
        """The reference as a learner would write it: without its decorator."""
        return textwrap.dedent(inspect.getsource(self.reference)).partition("\n")[2]


def _find() -> dict[str, Exercise]:
    """Find every exercise by its decorator in the package's sources, without importing them."""
    exercises = []
    for path in sorted(PACKAGE.rglob("*.py")):
        module = ".".join((PACKAGE.name, *path.relative_to(PACKAGE).with_suffix("").parts))
        for match in re.finditer(
            r'^@exercise\("(\d\d)".*\)\n(?:@.*\n)*def (\w+)', path.read_text("utf-8"), re.MULTILINE
        ):
            exercises.append(Exercise(match[2], module, match[1]))
    return {exercise.name: exercise for exercise in sorted(exercises, key=lambda exercise: exercise.notebook)}


EXERCISES: dict[str, Exercise] = _find()
