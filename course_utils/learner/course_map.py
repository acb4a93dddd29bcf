"""Show the learner's progress as a map of the exercises.

It needs no library, so that a browser tab can show it, too.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path

from course_utils import record
from course_utils.material.parts import MORE, part_of
from course_utils.paths import SOURCES

SIGNS = {"done": "✓", "broken": "!", "wrong": "✗", "to do": "○"}


@dataclass(frozen=True)
class Outline:
    """A notebook in the map: its front matter, and the names of its exercises and extras."""

    name: str
    title: str
    minutes: int
    main_road: bool
    exercises: list[str]
    extras: list[str]


def outline(path: Path) -> Outline:
    """Read the outline of a notebook's source without jupytext (`source_files.read_source` reads all of it)."""
    _, front, text = path.read_text("utf-8").split("---\n", 2)
    head = dict(line.split(": ", 1) for line in front.splitlines())
    exercises, extras = (
        re.findall(r'^```python exercise="(\w+)"', section, re.MULTILINE) for section in text.partition(MORE)[::2]
    )
    return Outline(path.stem, head["title"], int(head["minutes"]), "main_road" in head, exercises, extras)


class Map:
    """The notebooks and the recorded status of each exercise, displayed as HTML or text."""

    def __init__(self):
        self.notebooks = [outline(path) for path in sorted(SOURCES.glob("[0-9][0-9]_*.md"))]
        names = [name for notebook in self.notebooks for name in (*notebook.exercises, *notebook.extras)]
        self.status = {name: recorded_status(name) for name in names}

    def _share(self, names: list[str], *statuses: str) -> str:
        """The number of these exercises that are done or have one of the statuses, "6 of 7"; "" without exercises."""
        return f"{sum(self.status[name] in ('done', *statuses) for name in names)} of {len(names)}" if names else ""

    @property
    def main_road(self) -> str:
        """The progress on the main road, in one sentence."""
        road = [notebook for notebook in self.notebooks if notebook.main_road]
        names, extras = (
            [name for notebook in road for name in getattr(notebook, kind)] for kind in ("exercises", "extras")
        )
        earlier = [name for name in (*names, *extras) if self.status[name] == "broken"]
        yours = f"{self._share(names, 'broken')} functions are yours"
        if any(self.status[name] in ("done", "broken") for name in extras):
            yours += f", and {self._share(extras, 'broken')} extras"
        if earlier:
            yours += f" (of {', '.join(earlier)} the version that passed)"
        if all(self.status[name] == "done" for name in names):
            return f"The main road is done: {yours}."
        return f"On the main road {yours}."

    def _mark(self, name: str) -> str:
        status = self.status[name]
        return f"{SIGNS[status]} {name}{'' if status == 'to do' else f' ({status})'}"

    def _marks(self, notebook: Outline) -> list[str]:
        return [*map(self._mark, notebook.exercises), *(f"{self._mark(name)}, an extra" for name in notebook.extras)]

    def __repr__(self) -> str:
        lines = []
        for part, notebooks in self._parts():
            lines.append(part)
            for notebook in notebooks:
                lines.append(f"  {notebook.name[:2]}  {notebook.title} ({notebook.minutes} minutes)")
                lines += [f"      {mark}" for mark in self._marks(notebook)]
        return "\n".join([*lines, self.main_road])

    def _parts(self) -> Iterator[tuple[str, Iterator[Outline]]]:
        return groupby(self.notebooks, key=lambda notebook: part_of(notebook.name))

    def _repr_html_(self) -> str:
        colors = {"done": "var(--jp-success-color1, #2e7d32)", "to do": "inherit"}
        rows = []
        for part, notebooks in self._parts():
            rows.append(f"<tr><th colspan='3' style='text-align:left'>{part}</th></tr>")
            for notebook in notebooks:
                cells = ", ".join(
                    "<span "
                    f"style='white-space:nowrap;color:{colors.get(self.status[name], 'var(--jp-error-color1, #c62828)')}'>"
                    f"{mark}</span>"
                    for name, mark in zip((*notebook.exercises, *notebook.extras), self._marks(notebook), strict=True)
                )
                all_of_it = f"{notebook.minutes} min, {self._share(notebook.exercises) or 'nothing to write'}"
                rows.append(
                    f"<tr><td style='text-align:left'><a href='{notebook.name}.ipynb'>{notebook.name[:2]} "
                    f"{notebook.title}</a></td>"
                    f"<td style='white-space:nowrap;text-align:left'>{all_of_it}</td>"
                    f"<td style='text-align:left;white-space:normal'>{cells}</td></tr>"
                )
        return f"<table>{''.join(rows)}</table><p>{self.main_road}</p>"


def recorded_status(exercise: str) -> str:
    """The status of an exercise: "done", "to do", "wrong" (never passed) or "broken" (passed once, but not at the
    latest attempt).
    """
    answer = record.load(exercise)
    if answer is None:
        return "to do"
    if answer.passing:
        return "done"
    return "broken" if answer.source else "wrong"
