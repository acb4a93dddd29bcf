"""Source (Markdown) + package -> notebooks.

A source is Markdown as jupytext reads it, with code fences that name what belongs there:

    ```python exercise="select_child" difficulty=2 importance=5 minutes=10
    course_utils.search.puct.select_child
    ```                                        the stub (in a solution: the reference), under a line with its rating
    ```python exercise="backup" home="03" ...  the same exercise once more, in another notebook than its own
    ```python exercise="train_alphazero" home="05" open="games =, losses =" ...    with all lines given but these
    ```python check="select_child"             the cell that grades it; empty, or lines to run after the check
    ```python solution="select_child"          the reference, folded away; empty
    ```python given="course_utils.search.puct.Node"    code that is given, from the package; empty
    ```python hidden=true                      a cell that JupyterLab shows folded: imports that nobody has to read

What stands below the heading `## If you want more` is folded at the notebook's end, and an exercise there is an *extra*: the road does without it.

`![Map: select](map:select)` in a text is the map of AlphaZero with this part lit, one of `course_utils.ui.map.NAMES`.
Everything else is copied. In the package, lines between `# begin given` and `# end given` inside an exercise stay in the
stub. A front matter gives title and minutes (a text writes these as `{minutes}`), and says `main_road: 1` where the notebook lies on it, or `evening: 1` on the road of one evening.
"""

import base64
import copy
import importlib
import inspect
import io
import re
from dataclasses import dataclass, replace
from functools import lru_cache
from html import unescape
from pathlib import Path
from typing import Any

import jupytext
import nbformat
import yaml
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError
from PIL import Image

from course_utils.answers.cells import Cell, cells_of, fingerprint
from course_utils.answers.notebook_file import read_notebook
from course_utils.answers.stubs import SourceError, reference, stub, template
from course_utils.exercise import EXERCISES
from course_utils.files import write_atomically
from course_utils.learner.environment import first_cell
from course_utils.learner.merging import merge, recognize, to_text
from course_utils.learner.standing import MORE, part_of
from course_utils.learner.update import copy_notebooks
from course_utils.paths import INSTALLED, NOTEBOOKS, SOLUTIONS, SOURCES
from course_utils.pictures import WIDGET
from course_utils.tests.grade import CHECKS, max_points

FOLDED: dict[str, Any] = {"jupyter": {"source_hidden": True}}
COLLAPSED = "jp-MarkdownHeadingCollapsed"  # what JupyterLab reads: all below the heading is folded
KINDS = ("exercise", "check", "solution", "given")
RATINGS = ("difficulty", "importance", "minutes")
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


@dataclass(frozen=True)
class Source:
    """One source file, read: its front matter and its cells."""

    path: Path
    title: str
    minutes: int
    cells: list
    main_road: bool = False
    evening: bool = False

    @property
    def name(self) -> str:
        return self.path.stem

    @property
    def road(self) -> str:
        return "main" if self.main_road else "evening" if self.evening else "deep dive"

    @property
    def exercises(self) -> list[str]:
        """All that stand in it, also those whose home is another notebook, and its extras."""
        return _exercises(self.cells)

    @property
    def extras(self) -> list[str]:
        """Of these, those that the road does without."""
        more = next((place for place, cell in enumerate(self.cells) if _begins_more(cell)), len(self.cells))
        return _exercises(self.cells[more:])

    @property
    def part(self) -> str:
        return part_of(self.name)

    def line_of(self, text: str) -> int:
        """The first line that contains `text`; 1 if none does."""
        lines = self.path.read_text("utf-8").splitlines()
        return next((number for number, line in enumerate(lines, 1) if text in line), 1)

    def error(self, text: str, what: str) -> SourceError:
        return SourceError(f"{self.path}:{self.line_of(text)}: {what}")


def _exercises(cells: list) -> list[str]:
    return [cell.metadata["exercise"] for cell in cells if "exercise" in cell.metadata]


def _begins_more(cell) -> bool:
    return cell.cell_type == "markdown" and cell.source.startswith(MORE)


def read_source(path: Path) -> Source:
    """Raises SourceError: no front matter, or a code fence that is never closed. What its cells name is looked up by `build`."""
    source = _read(path, path.read_text("utf-8"))
    return replace(source, cells=copy.deepcopy(source.cells))


@lru_cache(maxsize=32)
def _read(path: Path, text: str) -> Source:
    """Each text once: jupytext takes a while."""
    front, *cells = jupytext.reads(text, fmt="md").cells
    try:
        head = yaml.safe_load(front.source.strip().strip("-"))
        title, minutes = str(head["title"]), int(head["minutes"])
        source = Source(path, title, minutes, cells, bool(head.get("main_road")), bool(head.get("evening")))
    except (KeyError, TypeError, ValueError, yaml.YAMLError):
        raise SourceError(f"{path}:1: a source begins with a front matter that gives title and minutes") from None
    fences = [number for number, line in enumerate(text.splitlines(), 1) if line.startswith("```")]
    if len(fences) % 2:
        raise SourceError(f"{path}:{fences[-1]}: a code fence is opened but never closed")
    return source


def _check_cells(source: Source) -> None:
    """Raises SourceError: an unknown exercise, an exercise without its check, and the like."""
    seen: dict[str, list[str]] = {kind: [] for kind in KINDS}
    for cell in source.cells:
        for kind in KINDS:
            name = cell.metadata.get(kind)
            if name is None:
                continue
            where = f'{kind}="{name}"'
            if kind == "given":
                given_code(name, source)
                continue
            if name not in EXERCISES:
                raise source.error(where, f"no exercise is called {name!r}")
            if name in seen[kind]:
                raise source.error(where, f"{kind} of {name!r} stands here twice")
            if kind != "exercise" and name not in seen["exercise"]:
                raise source.error(where, f"the {kind} of {name!r} stands before its exercise")
            seen[kind].append(name)
            if kind == "exercise":
                try:
                    CHECKS[name]
                except KeyError:
                    raise source.error(where, f"the package has no check for {name!r}") from None
                if cell.source.strip() != EXERCISES[name].path:
                    raise source.error(where, f"the cell of {name!r} must hold {EXERCISES[name].path}")
                if EXERCISES[name].notebook != cell.metadata.get("home", source.name[:2]):
                    raise source.error(where, f"{name!r} belongs to notebook {EXERCISES[name].notebook}")
                missing = [rating for rating in RATINGS if rating not in cell.metadata]
                if missing:
                    raise source.error(where, f"{name!r} has no {', '.join(missing)}")
                _stub(source, cell)  # says where a marker is unmatched
    for kind in ("check", "solution"):
        for name in seen["exercise"]:
            if name not in seen[kind]:
                raise source.error(f'exercise="{name}"', f"the exercise {name!r} has no {kind} cell")


def _stub(source: Source, cell) -> str:
    """Of an exercise cell: with `open`, all lines are given but those that begin like this."""
    name, begins = cell.metadata["exercise"], cell.metadata.get("open")
    if begins is None:
        return stub(name)
    try:
        return template(name, [one.strip() for one in begins.split(",")])
    except SourceError as error:
        raise source.error(f'open="{begins}"', str(error)) from None


# --- code from the package -------------------------------------------------------------------------------------------


def given_code(paths: str, source: Source) -> str:
    """The source of one or more objects of the package, named by comma-separated paths."""
    parts = []
    for path in paths.split(","):
        module, _, name = path.strip().rpartition(".")
        try:
            parts.append(inspect.getsource(getattr(importlib.import_module(module), name)).rstrip())
        except (ImportError, AttributeError, TypeError, ValueError):
            raise source.error(f'given="{paths}"', f"the package has no {path.strip()}") from None
    return "\n\n\n".join(parts)


# --- notebooks -------------------------------------------------------------------------------------------------------


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
    """To the next notebook of the same road; after one evening, to the main road; after this, to all deep dives; "" after the last."""
    everything = [_read(path, path.read_text("utf-8")) for path in sorted(source.path.parent.glob("[0-9][0-9]_*.md"))]
    if source.evening:
        return next((f"**The main road** begins with {_link(one)}" for one in everything if one.main_road), "")
    later = [one for one in everything if one.name > source.name and not one.evening]
    on_the_road = [one for one in later if one.road == source.road]
    if on_the_road:
        return f"**Next{'' if source.main_road else ' deep dive'}**: {_link(on_the_road[0])}"
    parts: dict[str, list[str]] = {}
    for one in later:
        parts.setdefault(one.part, []).append(_link(one))
    return "**Deep dives, in any order**: " * bool(parts) + "; ".join(
        f"{part.lower()} ({', '.join(links)})" for part, links in parts.items()
    )


def _link(source: Source) -> str:
    return f"[{source.title}]({source.name}.ipynb)"


MINUTES = "{minutes}"  # stands in a text for those of the front matter
MAP = re.compile(r"!\[[^\]]*\]\(map:([^)]*)\)")


def _with_maps(text: str, source: Source) -> tuple[str, dict]:
    """The text with its maps as attachments, and these. (PNG, since JupyterLab shows no attached SVG.)"""
    attachments: dict[str, dict[str, str]] = {}

    def attach(found: re.Match) -> str:
        from course_utils.ui.map import draw_map, map_in_words  # seconds, which a build without a map needn't wait

        try:
            png = draw_map(found[1])
        except ValueError as error:
            raise source.error(found[0], str(error)) from None
        name = f"map-{found[1] or 'none'}.png"
        attachments[name] = {"image/png": base64.b64encode(png).decode()}
        return f"![{map_in_words(found[1])}](attachment:{name})"

    return MAP.sub(attach, text), attachments


def build(source: Source, solution: bool = False, folded_solutions: bool = True) -> nbformat.NotebookNode:
    """The learner's notebook, or the completed one; without outputs. The same source gives the same bytes.

    Raises:
        SourceError: an unknown exercise, an exercise without its check, and the like.
    """
    _check_cells(source)
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
            text = reference(name) if solution else _stub(source, cell)
            add("code", text, f"exercise-{name}", exercise=name, untouched=fingerprint(text))
        elif kind == "check":
            lines = ["from course_utils import tests", "", f"tests.test_{name}({name})", cell.source]
            # JupyterLab's Run All goes on below a check that fails; what must notice a failure reads the cell's output
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
            if _begins_more(cell):
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
    """Where the extras begin, which are folded at a notebook's end; its end, if there are none."""
    return next((place for place, cell in enumerate(cells) if COLLAPSED in cell.metadata), len(cells))


def sources(only: str = "") -> list[Source]:
    """All sources, or those whose name begins with `only`."""
    return [read_source(path) for path in sorted(SOURCES.glob("[0-9][0-9]_*.md")) if path.name.startswith(only)]


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


def changed_cells(notebook) -> list[str]:
    """The first line of each of the course's cells that the learner changed."""
    return [
        (cell.source.strip() or "(emptied)").splitlines()[0] for cell in cells_of("", notebook.cells) if cell.is_changed
    ]


def changed_in_all() -> dict[str, list[str]]:
    """Notebook -> what the learner changed in it besides the exercises."""
    paths = [path for path in (NOTEBOOKS / f"{source.name}.ipynb" for source in sources()) if path.exists()]
    return {path.name: changed for path in paths if (changed := changed_cells(read_notebook(path)))}


def build_all(folded_solutions: bool = True, execute: bool = False, only: str = "") -> list[Path]:
    """Write every notebook, or those whose name begins with `only`.

    What is the learner's in them stays; `execute` also runs the solutions and keeps the outputs.
    """
    written = []
    built = [
        (source, build(source, folded_solutions=folded_solutions), build(source, solution=True))
        for source in sources(only)
    ]  # all of them, before the first is written
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


def run(notebook, folder: Path, allow_errors: bool = False, timeout: int = 600):
    """Execute a notebook in `folder` and keep its outputs, without times."""
    client = NotebookClient(
        notebook,
        timeout=timeout,
        allow_errors=allow_errors,
        resources={"metadata": {"path": str(folder)}},
        store_widget_state=False,
        record_timing=False,
    )
    client.execute()
    _make_static(notebook)
    notebook.metadata = {
        "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
        "language_info": {"name": "python"},
    }
    return notebook


FIGURE = re.compile(
    r'<figure class="course-figure".*?<img style="max-width: 100%" width="(\d+)" alt="(.*?)" src="data:image/png;base64,(.*?)">(?:<figcaption.*?>(.*?)</figcaption>)?</figure>',
    re.DOTALL,
)


def few_colors(png: bytes) -> bytes:
    """The same picture with a palette of 64 colors, which takes less than a third of the room and looks the same."""
    small = io.BytesIO()
    with Image.open(io.BytesIO(png)) as picture:
        quantized = picture.convert("RGB").quantize(64, Image.Quantize.MAXCOVERAGE, kmeans=1, dither=Image.Dither.NONE)
    quantized.save(small, "PNG", optimize=True)
    return small.getvalue()


def _make_static(notebook) -> None:
    """Make outputs fit to be kept: a widget stays as its picture or text, since its kernel is gone; a figure as its picture, whose
    text is in the metadata, where nbconvert looks for it, and its caption; a picture has `few_colors`."""
    for cell in notebook.cells:
        kept = []
        for output in cell.get("outputs", []):
            data = output.get("data", {})
            kept.append(output)
            if data.pop(WIDGET, None) and "image/png" not in data:
                data["text/plain"] = "(An interactive control: it needs a running notebook.)"
            figure = FIGURE.fullmatch(data.get("text/html", ""))
            if figure:
                width, alt, data["image/png"], below = figure.groups()
                del data["text/html"]
                output.metadata = {"image/png": {"alt": unescape(alt), "width": int(width)}}
                if below:
                    kept.append(nbformat.v4.new_output("display_data", {"text/markdown": f"*{unescape(below)}*"}))
            if "image/png" in data:
                if data.get("text/plain") and "image/png" not in output.get("metadata", {}):
                    output.metadata = {"image/png": {"alt": data["text/plain"]}}
                data["image/png"] = base64.b64encode(few_colors(base64.b64decode(data["image/png"]))).decode()
        if "outputs" in cell:
            cell.outputs = kept


def homes() -> dict[str, Source]:
    """Each exercise once, in order -> the notebook it counts in: its home or, in a copy that lacks this, the first in which it stands."""
    everything = sources()
    there = {source.name[:2] for source in everything}
    found: dict[str, Source] = {}
    for source in everything:
        for name in source.exercises:
            home = EXERCISES[name].notebook
            if home == source.name[:2] or home not in there:
                found.setdefault(name, source)
    return found


def manifest() -> list[dict]:
    """Every exercise of the sources, in order: what `python -m course_utils list --json` prints."""
    entries = []
    for name, source in homes().items():
        cell = next(cell for cell in source.cells if cell.metadata.get("exercise") == name)
        entries.append(
            dict(
                id=name,
                name=name,
                notebook=source.name,
                check=f"course_utils.tests.test_{name}",
                reference=EXERCISES[name].path,
                points=max_points(name),
                minutes=cell.metadata["minutes"],
                extra=name in source.extras,
            )
        )
    return entries
