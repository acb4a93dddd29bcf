"""Merge the learner's work into a newer version of a notebook.

It works on dictionaries with attributes and without nbformat, which a browser tab lacks.
"""

import copy
import difflib
import json
from collections.abc import Callable, Iterator
from typing import Any

from course_utils.answers.cells import Cell, cells_of, fingerprint

ALIKE = 0.6  # the least similarity; equal texts have 1, and texts with nothing in common 0


def to_text(notebook) -> str:
    return json.dumps(notebook, indent=1, ensure_ascii=False, sort_keys=True) + "\n"


def _same_exercise_filled_in(old: Cell, new: Cell) -> bool:
    return _same_exercise(old, new) and old.kind == "code" and not old.untouched()


def _same_exercise(old: Cell, new: Cell) -> bool:
    return old.marked == new.marked != ""


def _same_id(old: Cell, new: Cell) -> bool:
    return old.id == new.id and not old.marked


def _same_mark(old: Cell, new: Cell) -> bool:
    return old.check == new.check != "" or old.mark == new.mark != ""


def _same_text(old: Cell, new: Cell) -> bool:
    return (old.kind, old.fingerprint) == (new.kind, new.mark or new.fingerprint)


def _defines_its_exercise(old: Cell, new: Cell) -> bool:
    return not old.mark and new.marked in old.answers


RULES: tuple[Callable[[Cell, Cell], bool], ...] = (  # for recognizing a cell, the most reliable first
    _same_exercise_filled_in,
    _same_exercise,
    _same_id,
    _same_mark,
    _same_text,
    _defines_its_exercise,
)


def recognize(fresh, old) -> dict[int, Any]:
    """Match the cells of two versions of a notebook, even if a program has removed ids or marks.

    Each of `RULES` matches cells from the top that no earlier rule has matched. If marks are missing, a changed cell
    is matched with the most similar unmatched cell between its neighbors' matches.

    Returns:
        number of a cell of `old` -> its cell of `fresh`.
    """
    before, after = cells_of("", old.cells), cells_of("", fresh.cells)
    matched: dict[int, int] = {}
    open_cells = dict(enumerate(after))
    for rule in RULES:
        for cell in before:
            place = next((place for place, new in open_cells.items() if rule(cell, new)), None)
            if cell.number not in matched and place is not None:
                matched[cell.number] = place
                del open_cells[place]
    if any(after[place].mark and not before[number].mark for number, place in matched.items()):
        for cell in before:
            if (
                cell.number not in matched
                and not cell.mark
                and (place := _most_alike(cell, matched, open_cells)) is not None
            ):
                matched[cell.number] = place
                del open_cells[place]
    return {number: fresh.cells[place] for number, place in matched.items()}


def _most_alike(cell: Cell, matched: dict[int, int], open_cells: dict[int, Cell]) -> int | None:
    """The index of the most similar unmatched cell between the matches of this cell's neighbors; None if none is
    similar.
    """
    first = max((place for number, place in matched.items() if number < cell.number), default=-1)
    below = (place for number, place in matched.items() if number > cell.number and place > first)
    last = min(below, default=len(open_cells) + len(matched))
    texts = {new.source: place for place, new in open_cells.items() if first < place < last and new.kind == cell.kind}
    return next((texts[text] for text in difflib.get_close_matches(cell.source, texts, 1, ALIKE)), None)


def merge(fresh, old):
    """Merge the learner's work from `old` into `fresh`: answers, changed cells, added cells and outputs.

    An added cell follows the same cell as before. If `fresh` has other work of the learner's in the same cell, that
    is kept below.
    """
    stands = recognize(fresh, old)
    added: dict[str | None, list] = {}
    anchor = None
    for node, cell in zip(old.cells, cells_of("", old.cells), strict=True):
        new = stands.get(cell.number)
        if new is None:
            if cell.is_learners:
                added.setdefault(anchor, []).append(_own(node) if cell.is_changed else node)
            continue
        anchor = new.id
        added.setdefault(anchor, []).extend(_take(new, node, cell))
    _give_ids([cell for cells in added.values() for cell in cells], {cell.id for cell in fresh.cells})
    fresh.cells = [*added.get(None, []), *(c for cell in fresh.cells for c in (cell, *added.get(cell.id, [])))]
    return fresh


def _take(new, node, cell: Cell) -> Iterator:
    """Copy the learner's work from `node` to `new`, its cell in the newer notebook, and yield cells to insert below
    that.
    """
    built = Cell.of(new)
    changed = not cell.untouched() if built.marked else cell.is_changed or not cell.mark
    if changed and cell.fingerprint != built.fingerprint:
        in_place = built.marked or cell.metadata.get("course", True) in (True, built.metadata.get("course"))
        if not in_place or cell.kind != built.kind:  # both have changed, so the learner's cell goes below
            yield _own(node)
        else:
            if built.is_learners and built.source.strip():
                yield _set_aside(new)
            new.source = cell.source
            if cell.kind == "code":
                new.outputs = []
            if "attachments" in node:  # pictures that the learner pasted
                new.attachments = {**node.attachments, **new.get("attachments", {})}
    same_code = cell.kind == built.kind == "code" and cell.fingerprint == fingerprint(new.source)
    if same_code and (node.outputs or not new.outputs):
        new.outputs, new.execution_count = node.outputs, node.execution_count


def _give_ids(cells: list, taken: set[str]) -> None:
    """Give a new id to each cell whose id is missing or taken."""
    for number, cell in enumerate(cells):
        if cell.get("id") in taken | {None}:
            cell.id = f"own-{fingerprint(cell.source)}-{number}"
        taken.add(cell.id)


def _own(node):
    """Copy a changed cell of the course as a cell of the learner's own."""
    own = copy.deepcopy(node)
    own.id, own.metadata = f"own-{fingerprint(node.source)}", {}
    return own


def _set_aside(node):
    """Copy a cell that is being replaced, as folded text that is no longer run."""
    own = _own(node)
    if node.cell_type == "code":
        own.cell_type = "markdown"
        own.source = (
            f"<details><summary>What stood here before</summary>\n\n```python\n{node.source}\n```\n\n</details>"
        )
        del own["outputs"], own["execution_count"]
    return own
