"""What is the learner's in notebooks whose names are from before they were numbered anew, brought to where it stands now."""

from pathlib import Path

import nbformat

from course_utils.answers.cells import Cell
from course_utils.answers.notebook_file import read_notebook
from course_utils.files import write_atomically
from course_utils.material.backups import copy_notebooks
from course_utils.material.build import build
from course_utils.material.merging import merge, recognize, to_text
from course_utils.material.source_files import sources
from course_utils.paths import NOTEBOOKS

MOVED = {  # a notebook's name before they were numbered anew -> where its parts stand
    "01_bandits": ("11_bandits",),
    "02_the_game": ("01_the_game", "12_perfect_play"),
    "03_perfect_play": ("12_perfect_play",),
    "04_tree_search": ("13_tree_search",),
    "05_the_network": ("02_the_network", "21_network_by_hand", "32_connect_four"),
    "06_puct_search": ("03_puct_search",),
    "07_self_play": ("04_self_play",),
    "08_training_loop": ("05_training_loop",),
    "09_batched_search": ("31_batched_search",),
    "10_connect_four": ("32_connect_four",),
    "11_play": ("06_play",),
    "12_laboratory": ("41_laboratory",),
    "13_scaling_out": ("35_scaling_out", "33_another_game", "34_gumbel_search"),
    "22_deeper_networks": ("32_connect_four",),
    "42_published_results": ("41_laboratory",),
}


def carry_over() -> dict[str, list[str]]:
    """Bring what is the learner's in notebooks with old names to where it stands now. The old notebooks are kept in a backup.

    Returns:
        The name of each old notebook -> the new ones in which its parts stand.
    """
    old = [path for name in MOVED if (path := NOTEBOOKS / f"{name}.ipynb").exists()]
    parts = {path: found for path in old if (found := _parts(path))}
    if parts:
        copy_notebooks(NOTEBOOKS.parent)
    for name in dict.fromkeys(name for found in parts.values() for name in found):
        cells = [cell for found in parts.values() for cell in found.get(name, [])]
        [source], there = sources(name), NOTEBOOKS / f"{name}.ipynb"
        begun = read_notebook(there).cells if there.exists() else []
        if any(cell.get("outputs") or Cell.of(cell).is_learners for cell in begun):
            known = {cell.source for cell in begun}
            cells = [*begun, *(cell for cell in cells if cell.source not in known)]
        theirs = nbformat.v4.new_notebook()
        theirs.cells = cells
        write_atomically(there, to_text(merge(build(source), theirs)))
    for path in parts:
        path.unlink()
    return {path.name: list(found) for path, found in parts.items()}


def _parts(path: Path) -> dict[str, list]:
    """New notebook -> the cells of an old one that belong there; a cell that is in none follows the one above it."""
    old = read_notebook(path)
    stands = {one.name: recognize(build(one), old) for name in MOVED[path.stem] for one in sources(name)}
    parts: dict[str, list] = {name: [] for name in stands}
    home = next(iter(stands), "")
    for number, cell in enumerate(old.cells):
        homes = [name for name in stands if number in stands[name]]
        home = home if home in homes or not homes else homes[0]
        if home:
            parts[home].append(cell)
    return parts
