"""Where the learner stands, by the record. It needs no library, so that a browser tab can show it, too."""

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
    """Of a notebook's source, which `source_files.read_source` reads as a whole."""
    _, front, text = path.read_text("utf-8").split("---\n", 2)
    head = dict(line.split(": ", 1) for line in front.splitlines())
    exercises, extras = (
        re.findall(r'^```python exercise="(\w+)"', part, re.MULTILINE) for part in text.partition(MORE)[::2]
    )
    return Outline(path.stem, head["title"], int(head["minutes"]), "main_road" in head, exercises, extras)


class Map:
    """The notebooks, their exercises and what the record says of each, and of the main road. Shows itself as HTML or text."""

    def __init__(self):
        self.notebooks = [outline(path) for path in sorted(SOURCES.glob("[0-9][0-9]_*.md"))]
        names = [name for one in self.notebooks for name in (*one.exercises, *one.extras)]
        self.status = {name: recorded_status(name) for name in names}

    def _share(self, names: list[str], *statuses: str) -> str:
        """How many of these have one of the statuses, or are done: "6 of 7", or "" of none."""
        return f"{sum(self.status[name] in ('done', *statuses) for name in names)} of {len(names)}" if names else ""

    @property
    def main_road(self) -> str:
        """How far it is done, in one sentence."""
        road = [one for one in self.notebooks if one.main_road]
        names, extras = ([name for one in road for name in getattr(one, kind)] for kind in ("exercises", "extras"))
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

    def _marks(self, one: Outline) -> list[str]:
        return [*map(self._mark, one.exercises), *(f"{self._mark(name)}, an extra" for name in one.extras)]

    def __repr__(self) -> str:
        lines = []
        for part, notebooks in self._parts():
            lines.append(part)
            for one in notebooks:
                lines.append(f"  {one.name[:2]}  {one.title} ({one.minutes} minutes)")
                lines += [f"      {mark}" for mark in self._marks(one)]
        return "\n".join([*lines, self.main_road])

    def _parts(self) -> Iterator[tuple[str, Iterator[Outline]]]:
        return groupby(self.notebooks, key=lambda one: part_of(one.name))

    def _repr_html_(self) -> str:
        colors = {"done": "var(--jp-success-color1, #2e7d32)", "to do": "inherit"}
        rows = []
        for part, notebooks in self._parts():
            rows.append(f"<tr><th colspan='3' style='text-align:left'>{part}</th></tr>")
            for one in notebooks:
                cells = ", ".join(
                    f"<span style='white-space:nowrap;color:{colors.get(self.status[name], 'var(--jp-error-color1, #c62828)')}'>"
                    f"{mark}</span>"
                    for name, mark in zip((*one.exercises, *one.extras), self._marks(one), strict=True)
                )
                all_of_it = f"{one.minutes} min, {self._share(one.exercises) or 'nothing to write'}"
                rows.append(
                    f"<tr><td style='text-align:left'><a href='{one.name}.ipynb'>{one.name[:2]} {one.title}</a></td>"
                    f"<td style='white-space:nowrap;text-align:left'>{all_of_it}</td>"
                    f"<td style='text-align:left;white-space:normal'>{cells}</td></tr>"
                )
        return f"<table>{''.join(rows)}</table><p>{self.main_road}</p>"


def recorded_status(exercise: str) -> str:
    """One of "done", "to do", "wrong" (tried, never passed) or "broken" (passed once; the latest attempt failed)."""
    answer = record.load(exercise)
    if answer is None:
        return "to do"
    if answer.passing:
        return "done"
    return "broken" if answer.source else "wrong"
