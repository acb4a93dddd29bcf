"""Write all notebooks, and keep what the learner has changed in them."""

from pathlib import Path

from nbclient.exceptions import CellExecutionError

from course_utils.answers.cells import cells_of
from course_utils.answers.notebook_file import read_notebook
from course_utils.answers.stubs import SourceError
from course_utils.authoring.execute import run
from course_utils.files import write_atomically
from course_utils.material.build import build
from course_utils.material.merging import merge, to_text
from course_utils.material.source_files import sources
from course_utils.paths import INSTALLED, NOTEBOOKS, SOLUTIONS


def changed_cells(notebook) -> list[str]:
    """The first line of each of the course's cells that the learner changed."""
    return [
        (cell.source.strip() or "(emptied)").splitlines()[0] for cell in cells_of("", notebook.cells) if cell.is_changed
    ]


def changed_in_all() -> dict[str, list[str]]:
    """Notebook -> the first lines of the course's cells that the learner changed."""
    paths = [path for path in (NOTEBOOKS / f"{source.name}.ipynb" for source in sources()) if path.exists()]
    return {path.name: changed for path in paths if (changed := changed_cells(read_notebook(path)))}


def build_all(folded_solutions: bool = True, execute: bool = False, only: str = "") -> list[Path]:
    """Write all notebooks whose names begin with `only`, and keep the learner's cells and answers.

    Args:
        execute: run the solutions, too, and save their outputs.
    """
    written = []
    # All notebooks are built before the first is written, so that an error in a source changes nothing.
    built = [
        (source, build(source, folded_solutions=folded_solutions), build(source, solution=True))
        for source in sources(only)
    ]
    for source, notebook, solution in built:
        places = [(NOTEBOOKS, notebook), *([] if INSTALLED else [(SOLUTIONS, solution)])]
        for folder, fresh in places:
            path = folder / f"{source.name}.ipynb"
            if path.exists():
                fresh = merge(fresh, read_notebook(path)) if folder == NOTEBOOKS else _keep_outputs(fresh, path)
            if execute and folder == SOLUTIONS:
                try:
                    fresh = run(fresh, folder)
                except CellExecutionError as error:
                    raise SourceError(f"{source.path}: the solution does not run:\n{error}") from None
            write_atomically(path, to_text(fresh))
            written.append(path)
    return written


def _keep_outputs(fresh, path: Path):
    old = {cell.get("id"): cell for cell in read_notebook(path).cells}
    for cell in fresh.cells:
        before = old.get(cell.id)
        if cell.cell_type == "code" and before is not None and before.source == cell.source:
            cell.outputs, cell.execution_count = before.outputs, before.execution_count
    return fresh
