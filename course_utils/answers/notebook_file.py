"""Read notebook files as learners' programs leave them.

A file of version 4 is read without nbformat, so this works in a browser tab, too.
"""

import contextlib
import json
import re
import warnings
from pathlib import Path
from typing import Any

from course_utils.answers.cells import Cell, fingerprint
from course_utils.answers.stubs import SourceError
from course_utils.files import Damaged, from_json
from course_utils.paths import command

LARGEST = 30 << 20  # bytes of a notebook
LONGEST = 200_000  # characters of a cell that is graded
HALF = re.compile("[\ud800-\udfff]")  # half of a surrogate pair: valid JSON, but UTF-8 can't encode it
KINDS = ("code", "markdown", "raw")


class Node(dict):
    """A dictionary of a notebook file whose keys are attributes, as in nbformat."""

    def __getattr__(self, name: str) -> Any:
        try:
            return self[name]
        except KeyError:
            raise AttributeError(name) from None

    def __setattr__(self, name: str, value: Any) -> None:
        self[name] = value


def read(content: bytes, lenient: bool = False) -> Node:
    """Read a notebook of any version of the format, in UTF-8 or UTF-16, and normalize its line endings.

    Args:
        lenient: drop entries that are not cells, and invalid fields of cells. Use it only if the notebook is not
            written back.

    Raises:
        Damaged: the content is not a notebook or, unless `lenient`, a cell is invalid. The message is a clause: "it
            is empty".
    """
    if not content.strip():
        raise Damaged("it is empty")
    try:
        notebook = _of_version_4(from_json(content, object_hook=Node))
    except Damaged:
        raise Damaged("it is not JSON, so it is not a notebook") from None
    if not isinstance(notebook, Node):
        raise Damaged("it is JSON, but not a notebook")
    if not isinstance(notebook.get("cells"), list):
        raise Damaged("it is JSON, but has no cells")
    if not lenient and notebook.get("nbformat") != 4:
        raise Damaged("it has a format version that can't be converted to version 4")
    if lenient:
        notebook.cells = [_repaired(cell) for cell in notebook.cells if isinstance(cell, Node)]
    for number, cell in enumerate(notebook.cells):
        _complete(cell, number)
    if not isinstance(notebook.get("metadata"), Node):
        notebook.metadata = Node()
    notebook.nbformat, minor = 4, notebook.get("nbformat_minor")
    notebook.nbformat_minor = max(5, minor if isinstance(minor, int) else 5)  # cells have ids since 4.5
    return notebook


def _of_version_4(content: Any) -> Any:
    """The notebook converted to version 4, as far as possible."""
    if not isinstance(content, Node) or content.get("nbformat") == 4:
        return content
    with contextlib.suppress(Exception), warnings.catch_warnings():
        import nbformat  # missing in a browser tab

        warnings.simplefilter("ignore")
        return json.loads(json.dumps(nbformat.reads(json.dumps(content), as_version=4)), object_hook=Node)
    sheets = content.get("worksheets")
    if (
        not isinstance(content.get("cells"), list)
        and isinstance(sheets, list)
        and sheets
        and isinstance(sheets[0], Node)
    ):
        content.cells = sheets[0].get("cells")
    return content


def _repaired(cell: Node) -> Node:
    """The valid fields of a cell, for grading."""
    source = cell.get("source", cell.get("input", ""))
    text = "".join(line for line in source if isinstance(line, str)) if isinstance(source, list) else source
    kind, metadata, id = cell.get("cell_type", "code"), cell.get("metadata"), cell.get("id")
    return Node(
        cell_type=kind if kind in KINDS else "raw",
        source=text[:LONGEST].encode("utf-8", "replace").decode() if isinstance(text, str) else "",
        metadata=metadata if isinstance(metadata, Node) else Node(),
        **({"id": id} if isinstance(id, str) else {}),
    )


def _complete(cell: Any, number: int) -> None:
    """Add the fields that a cell must have. Raises Damaged: it is not a cell."""
    source: Any = cell.get("source", "") if isinstance(cell, Node) else None
    lines = source if isinstance(source, list) else [source]
    if not all(isinstance(line, str) and not HALF.search(line) for line in lines) or not _is_cell(cell):
        raise Damaged("one of its cells is not a cell")
    cell["source"] = "".join(lines).replace("\r\n", "\n")
    if "id" not in cell:
        cell.id = f"own-{fingerprint(cell.source)}-{number}"
    if cell.cell_type == "code":
        cell.setdefault("outputs", [])
        cell.setdefault("execution_count", None)


def _is_cell(cell: Node) -> bool:
    """Whether the fields that the course reads, besides the source, have the right types."""
    metadata, outputs = cell.get("metadata"), cell.get("outputs", [])
    return (
        cell.get("cell_type") in KINDS
        and isinstance(cell.get("id", ""), str)
        and isinstance(cell.get("attachments", Node()), Node)
        and isinstance(outputs, list)
        and all(isinstance(output, Node) for output in outputs)
        and isinstance(metadata, Node)
        and all(isinstance(metadata.get(name, ""), str) for name in ("exercise", "check", "untouched"))
        and isinstance(metadata.get("course", ""), str | bool)
    )


def read_notebook(path: Path) -> Node:
    """Read a notebook file. Raises SourceError: the file is not a notebook."""
    try:
        return read(path.read_bytes())
    except Damaged as error:
        raise SourceError(
            f"{path}: the notebook can't be read ({error}). Move it away, and `{command('notebooks')}` makes a new one"
        ) from None


def cells_in(name: str, content: bytes) -> list[Cell]:
    """The readable cells of a notebook that was handed in. Raises Damaged: see `read`."""
    notebook = read(content, lenient=True)
    language = notebook.metadata.get("language_info")
    version = str(language.get("version", "")) if isinstance(language, Node) else ""
    return [Cell.of(cell, name, number, version) for number, cell in enumerate(notebook.cells)]
