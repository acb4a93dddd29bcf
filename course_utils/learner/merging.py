"""The cells of a notebook, and which of them are the learner's. Plain dictionaries with attributes are enough; in a browser tab there is no nbformat."""

import copy
import difflib
import json
from collections.abc import Callable
from typing import Any

from course_utils.answers.marks import exercise_of, fingerprint, is_changed, stub
from course_utils.exercise import EXERCISES
from course_utils.names import assigns


def to_text(notebook) -> str:
    return json.dumps(notebook, indent=1, ensure_ascii=False, sort_keys=True) + "\n"


def is_generated(cell) -> bool:
    """Whether the builder made this cell and may replace it. Exercise cells, and what a learner changed, are the learner's."""
    return bool(cell.metadata.get("course")) and "exercise" not in cell.metadata and not is_changed(cell)


def recognize(fresh, old) -> dict[int, Any]:
    """Number of a cell of `old` -> the cell of `fresh` that it stands for, also where a program has taken ids or marks away.

    A cell is known by its exercise, its id, its mark, its text or the exercise's function that it defines. Where marks are lost, one that
    a learner has changed is the one that it is most like, of those that are left between its neighbours.
    """
    left, found = dict(enumerate(fresh.cells)), dict[int, int]()

    def match(same: Callable[[Any, Any], bool]) -> None:
        for number, cell in enumerate(old.cells):
            for place, one in left.items() if number not in found else ():
                if same(cell, one):
                    found[number] = place
                    del left[place]
                    break

    for filled in (True, False):  # of several cells of an exercise the first that is filled in
        match(lambda cell, one: _exercise(cell) == _exercise(one) != "" and _is_answer(cell) == filled)  # noqa: B023
    match(lambda cell, one: cell.get("id") == one.id and not _exercise(cell))
    match(lambda cell, one: _check(cell) == _check(one) != "" or _mark(cell) == _mark(one) != "")
    match(
        lambda cell, one: (
            (cell.cell_type, fingerprint(cell.source)) == (one.cell_type, _mark(one) or fingerprint(one.source))
        )
    )
    match(lambda cell, one: "course" not in cell.metadata and _exercise(one) in _defined(cell))
    if any(_mark(fresh.cells[place]) and "course" not in old.cells[number].metadata for number, place in found.items()):
        for number, cell in enumerate(old.cells):
            if number in found or "course" in cell.metadata:
                continue
            before = max((place for other, place in found.items() if other < number), default=-1)
            after = min(
                (place for other, place in found.items() if other > number and place > before), default=len(fresh.cells)
            )
            texts = {
                one.source: place
                for place, one in left.items()
                if before < place < after and one.cell_type == cell.cell_type
            }
            for text in difflib.get_close_matches(cell.source, texts, 1, ALIKE):
                found[number] = texts[text]
                del left[found[number]]
    return {number: fresh.cells[place] for number, place in found.items()}


ALIKE = 0.6  # of 1; two texts with nothing in common have 0


def _mark(cell) -> str:
    return str(cell.metadata.get("course", ""))


def _check(cell) -> str:
    return str(cell.metadata.get("check", ""))


def _defined(cell) -> frozenset[str]:
    return assigns(cell.source) if cell.cell_type == "code" else frozenset()


def merge(fresh, old):
    """`fresh` with what is the learner's in `old`: filled exercises and other changes in their places, added cells (each after the
    cell it followed), outputs. Where something else of the learner's stands in that place in `fresh`, it is kept below."""
    stands = recognize(fresh, old)
    added: dict[str | None, list] = {}
    anchor = None
    for number, cell in enumerate(old.cells):
        new = stands.get(number)
        if new is None:
            if is_learners(cell):
                added.setdefault(anchor, []).append(_own(cell) if is_changed(cell) else cell)
            continue
        anchor = new.id
        changed = not is_untouched_stub(cell) if _exercise(new) else is_changed(cell) or "course" not in cell.metadata
        in_place = _exercise(new) or cell.metadata.get("course", True) in (True, new.metadata.get("course"))
        if changed and fingerprint(cell.source) != fingerprint(new.source):
            if in_place and cell.cell_type == new.cell_type:
                if is_learners(new) and new.source.strip():
                    added.setdefault(anchor, []).append(_set_aside(new))
                new.source = cell.source
                if cell.cell_type == "code":
                    new.outputs = []
                if "attachments" in cell:  # pictures that the learner pasted
                    new.attachments = {**cell.attachments, **new.get("attachments", {})}
            else:  # both have changed: the learner's stands below
                added.setdefault(anchor, []).append(_own(cell))
        same_code = cell.cell_type == new.cell_type == "code" and fingerprint(cell.source) == fingerprint(new.source)
        if same_code and (cell.outputs or not new.outputs):
            new.outputs, new.execution_count = cell.outputs, cell.execution_count
    taken = {cell.id for cell in fresh.cells}
    for number, cell in enumerate(cell for cells in added.values() for cell in cells):
        if cell.get("id") in taken | {None}:
            cell.id = f"own-{fingerprint(cell.source)}-{number}"
        taken.add(cell.id)
    fresh.cells = [*added.get(None, []), *(c for cell in fresh.cells for c in (cell, *added.get(cell.id, [])))]
    return fresh


def _exercise(cell) -> str:
    return exercise_of(cell.metadata, cell.get("id", ""))


def _is_answer(cell) -> bool:
    return cell.cell_type == "code" and _exercise(cell) != "" and not is_untouched_stub(cell)


def is_untouched_stub(cell) -> bool:
    """Whether it is an exercise's that nobody has begun."""
    name = _exercise(cell)
    text = fingerprint(cell.source)
    return bool(name) and (
        text == cell.metadata.get("untouched") or (name in EXERCISES and text == fingerprint(stub(name)))
    )


def is_learners(cell) -> bool:
    """Whether a learner wrote it or changed it."""
    return not is_generated(cell) and not is_untouched_stub(cell)


def _own(cell):
    """A changed cell of the course as a cell of the learner's own."""
    own = copy.deepcopy(cell)
    own.id, own.metadata = f"own-{fingerprint(cell.source)}", {}
    return own


def _set_aside(cell):
    """A cell that gives way to another, as a text of the learner's own that is read and no longer run."""
    own = _own(cell)
    if cell.cell_type == "code":
        own.cell_type = "markdown"
        own.source = (
            f"<details><summary>What stood here before</summary>\n\n```python\n{cell.source}\n```\n\n</details>"
        )
        del own["outputs"], own["execution_count"]
    return own
