"""Build a notebook from its source: the learner's version or the solution."""

import base64
import re
from typing import Any

import nbformat

from course_utils.answers.cells import fingerprint
from course_utils.answers.stubs import reference
from course_utils.material.first_cell import first_cell
from course_utils.material.source_checks import KINDS, check_cells, given_code, stub_of
from course_utils.material.source_files import Source, begins_more, in_folder
from course_utils.tests.grade import max_points

FOLDED: dict[str, Any] = {"jupyter": {"source_hidden": True}}
COLLAPSED = "jp-MarkdownHeadingCollapsed"  # tells JupyterLab to fold everything below the heading


def _dots(rating: int) -> str:
    return "●" * rating + "○" * (5 - rating)


def _rating(name: str, metadata: dict) -> str:
    points = max_points(name)
    return (
        f"### Exercise: `{name}`\n\n"
        f"difficulty {_dots(metadata['difficulty'])} · importance {_dots(metadata['importance'])} · "
        f"about {metadata['minutes']} minutes · {points} points"
    )


def link_to_next(source: Source) -> str:
    """A link to the next notebook of the same road; "" after the last.

    One evening leads to the main road, and that to all deep dives.
    """
    everything = in_folder(source.path.parent)
    if source.evening:
        return next(
            (f"**The main road** begins with {_link(notebook)}" for notebook in everything if notebook.main_road), ""
        )
    later = [notebook for notebook in everything if notebook.name > source.name and not notebook.evening]
    on_the_road = [notebook for notebook in later if notebook.road == source.road]
    if on_the_road:
        return f"**Next{'' if source.main_road else ' deep dive'}**: {_link(on_the_road[0])}"
    parts: dict[str, list[str]] = {}
    for notebook in later:
        parts.setdefault(notebook.part, []).append(_link(notebook))
    return "**Deep dives, in any order**: " * bool(parts) + "; ".join(
        f"{part_name.lower()} ({', '.join(links)})" for part_name, links in parts.items()
    )


def _link(source: Source) -> str:
    return f"[{source.title}]({source.name}.ipynb)"


MINUTES = "{minutes}"  # replaced by the minutes of the front matter
MAP = re.compile(r"!\[[^\]]*\]\(map:([^)]*)\)")


def _with_maps(text: str, source: Source) -> tuple[str, dict]:
    """(The text with its maps as attachments, the attachments), in PNG, since JupyterLab shows no attached SVG."""
    attachments: dict[str, dict[str, str]] = {}

    def attach(match: re.Match) -> str:
        from course_utils.ui.map import draw_map, map_in_words  # takes seconds

        try:
            png = draw_map(match[1])
        except ValueError as error:
            raise source.error(match[0], str(error)) from None
        name = f"map-{match[1] or 'none'}.png"
        attachments[name] = {"image/png": base64.b64encode(png).decode()}
        return f"![{map_in_words(match[1])}](attachment:{name})"

    return MAP.sub(attach, text), attachments


def build(source: Source, solution: bool = False, folded_solutions: bool = True) -> nbformat.NotebookNode:
    """Build the learner's notebook or the solution, without outputs. The same source gives the same bytes.

    Raises:
        SourceError: an unknown exercise, an exercise without its check, and the like.
    """
    check_cells(source)
    cells = []
    taken: set[str] = set()

    def add(kind: str, text: str, cell_id: str = "", **metadata) -> None:
        text = text.rstrip()
        base = cell_id or fingerprint(text)
        cell_id, number = base, 2
        while cell_id in taken:
            cell_id, number = f"{base}-{number}", number + 1
        taken.add(cell_id)
        make = nbformat.v4.new_code_cell if kind == "code" else nbformat.v4.new_markdown_cell
        cells.append(make(text, id=cell_id, metadata={"course": fingerprint(text), **metadata}))

    if install := first_cell():
        add("code", install, "install", **FOLDED)
    for cell in source.cells:
        kind = next((kind for kind in KINDS if kind in cell.metadata), None)
        name = cell.metadata[kind] if kind else ""
        if kind == "exercise":
            add("markdown", _rating(name, cell.metadata), f"rating-{name}")
            text = reference(name) if solution else stub_of(source, cell)
            add("code", text, f"exercise-{name}", exercise=name, untouched=fingerprint(text))
        elif kind == "check":
            lines = ["from course_utils import tests", "", f"tests.test_{name}({name})", cell.source]
            # With this tag, JupyterLab's Run All continues below a failed check. Tests must read the cell's output.
            add(
                "code",
                "\n".join(lines),
                f"check-{name}",
                check=name,
                **({} if solution else {"tags": ["raises-exception"]}),
            )
        elif kind == "solution":
            if folded_solutions and not solution:
                text = f"<details><summary>Solution</summary>\n\n```python\n{reference(name)}\n```\n\n</details>"
                add("markdown", text, f"solution-{name}")
        elif kind == "given":
            add("code", given_code(name, source), given=name)
        elif cell.cell_type == "markdown":
            text, attachments = _with_maps(cell.source.replace(MINUTES, str(source.minutes)), source)
            add("markdown", text)
            if begins_more(cell):
                cells[-1].metadata[COLLAPSED] = True
            if attachments:
                cells[-1].attachments = attachments
        else:
            add(cell.cell_type, cell.source, **(FOLDED if cell.metadata.get("hidden") else {}))
    if link := link_to_next(source):
        add("markdown", link, "next")
        last = cells.pop()
        cells.insert(place_of_fold(cells), last)
    notebook = nbformat.v4.new_notebook(cells=cells)
    notebook.metadata = {
        "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
        "language_info": {"name": "python"},
    }
    nbformat.validate(notebook)
    return notebook


def place_of_fold(cells: list) -> int:
    """The index of the first cell of the folded extras at a notebook's end; the number of cells if there are none."""
    return next((place for place, cell in enumerate(cells) if COLLAPSED in cell.metadata), len(cells))
