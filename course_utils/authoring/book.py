"""The web site: the notebooks as pages to read, made by Sphinx from what is there. Nothing is executed, nothing is fetched.

A page is the learner's notebook with the outputs of the solution: exercises stand as they are asked, answers stay folded. Sphinx's settings, the
landing page and the looks lie in `docs/site`; this module lays out the folder that Sphinx reads.
"""

import base64
import json
import re
import shutil
import subprocess
import sys
import tempfile
from html import escape
from importlib.util import find_spec
from pathlib import Path

import nbformat

from course_utils import agents
from course_utils.agents import MinimaxAgent, SearchAgent
from course_utils.authoring.address import address
from course_utils.authoring.build import Source, build, read_notebook, sources
from course_utils.authoring.site import CannotBuild
from course_utils.authoring.site import address as in_the_tab
from course_utils.exercise import using
from course_utils.games import TicTacToe
from course_utils.networks.cache import CachedNetwork
from course_utils.networks.policy_value import TorchNetwork, make_network
from course_utils.paths import COURSE, NOTEBOOKS, SOLUTIONS
from course_utils.tests.guess import Verdict, guesses
from course_utils.ui import microscope, page, play
from course_utils.ui.component import FOLDER, style

SITE = COURSE / "docs" / "site"
DOCS = ("results", "performance", "instructor")  # pages of `docs` for readers
PICTURES = Path("_static", "pictures")
GUESS = re.compile(r'tests\.guess\("([\w-]+)", \.\.\.\)')
ALIVE = {  # the line that shows a component in a notebook -> its name in `alive.js`
    'ui.play("tictactoe")': "play",
    'ui.play("tictactoe", opponents={"your agent": yours}, human=-1, simulations=50)': "yours",
    'ui.microscope("tictactoe", [0, 4, 8, 2, 6, 3], agent=SearchAgent(game, network, simulations=12, c_puct=1.5), simulations=12)': "example",
}
LOOKS = ".course-ui { color-scheme: inherit; } .microscope { background: var(--card); }"  # light or dark as the page is
EMPTY = "<p>The board needs JavaScript.</p>"


def build_book(out: Path, only: str = "") -> None:
    """Write the site's pages into `out`, those of notebooks whose name begins with `only`. What else lies there stays; where the course for the browser
    lies in `out/lab`, pages link to it.

    Raises:
        CannotBuild: Sphinx found a fault.
    """
    with tempfile.TemporaryDirectory() as folder:
        laid_out = Path(folder)
        lay_out(laid_out, only, tab=(out / "lab").is_dir())
        partial = ["--define", "suppress_warnings=myst.xref_missing"] if only else []
        command = [sys.executable, "-m", "sphinx", "--quiet", "--fail-on-warning", "--keep-going", *partial]
        doctrees = ["--doctree-dir", str(laid_out / "_doctrees")]
        if subprocess.run([*command, *doctrees, folder, str(out)]).returncode:
            raise CannotBuild("Sphinx found the faults above")


def lay_out(folder: Path, only: str = "", *, tab: bool = False) -> None:
    """What Sphinx reads: its settings, the landing page, the notebooks as pages, the pages of `docs`, and what makes boards come alive."""
    shutil.copytree(SITE, folder, dirs_exist_ok=True, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copytree(COURSE / "docs" / "images", folder / "docs" / "images")
    (folder / PICTURES).mkdir(parents=True)
    (folder / "notebooks").mkdir()
    for source in sources(only):
        text = nbformat.writes(as_page(source, folder, tab))
        (folder / "notebooks" / f"{source.name}.ipynb").write_text(text, "utf-8")
    for name in DOCS:
        text = (COURSE / "docs" / f"{name}.md").read_text("utf-8")
        (folder / "docs" / f"{name}.md").write_text(links_kept(text, "docs"), "utf-8")
    start = f'<a class="course-button" href="{in_the_tab("00_welcome")}">Start in your browser</a> ' if tab else ""
    note = (
        "<p>In the browser you can do the whole main road. Install the course later, and your answers come along.</p>"
    )
    filled_in = {
        "tab": note if tab else "",
        "contents": contents(sources(only)),
        "start": start,
        "board": place("play", EMPTY, "", ".settings, .row:has(.ways), .moves { display: none !important }"),
    }
    landing = (folder / "index.md").read_text("utf-8")
    for name, text in filled_in.items():
        landing = landing.replace(f"<!-- {name} -->", text)
    (folder / "index.md").write_text(landing, "utf-8")
    (folder / "install.md").write_text(install(), "utf-8")
    (folder / "_static" / "alive.js").write_text(alive(), "utf-8")
    copy_mathjax(folder / "_static" / "mathjax")


def contents(of: list[Source]) -> str:
    """The table of contents: a part of the course after the other, then the pages of `docs`."""
    parts: dict[str, list[str]] = {}
    for source in of:
        parts.setdefault(source.part, []).append(f"notebooks/{source.name}")
    parts["About the course"] = ["install", *(f"docs/{name}" for name in DOCS)]
    return "\n\n".join(
        "\n".join(["```{toctree}", ":maxdepth: 1", f":caption: {part}", "", *names, "```"])
        for part, names in parts.items()
    )


def install() -> str:
    """The page that says how: what the README says."""
    text = (COURSE / "README.md").read_text("utf-8").split("\n## Start\n")[1].split("\n## ")[0].strip()
    return f"# Install\n\n{text.replace('<this repository>', address() or '<this repository>')}\n"


def place(name: str, shown: str, root: str = "../", style: str = "") -> str:
    """Where a component of `alive` comes to life, in its own style and this, and what is shown until then. A page has at most one."""
    return f'<div data-alive="{name}" data-style="{style}">{shown}</div><script src="{root}_static/alive.js" defer></script>'


# --- a notebook as a page --------------------------------------------------------------------------------------------


def as_page(source: Source, folder: Path, tab: bool) -> nbformat.NotebookNode:
    """The learner's notebook with the solution's outputs, for `folder / "notebooks"`; its pictures are written beside it."""
    notebook = build(source)
    done = {cell.id: cell for cell in read_notebook(SOLUTIONS / f"{source.name}.ipynb").cells}
    number = 0

    def picture(png: str, alt: str, width: int | None = None) -> str:
        nonlocal number
        number += 1
        path = PICTURES / f"{source.name}-{number}.png"
        (folder / path).write_bytes(base64.b64decode(png))
        size = f' width="{width}"' if width else ""
        return f'<img class="course-picture" src="../{path.as_posix()}" alt="{escape(alt)}"{size} loading="lazy">'

    for cell in notebook.cells:
        if cell.cell_type == "markdown":
            shown = cell.pop("attachments", {})
            for name, data in shown.items():
                image = re.search(rf"!\[([^\]]*)\]\(attachment:{re.escape(name)}\)", cell.source)
                assert image, name
                cell.source = cell.source.replace(image[0], picture(data["image/png"], image[1]))
            cell.source = links_kept(cell.source, "notebooks")
        elif "check" in cell.metadata:
            folded(cell, "The check")
        elif cell.metadata.get("jupyter", {}).get("source_hidden"):
            folded(cell, "Code that you need not read")
            cell.outputs = outputs_of(cell, done, picture)
        elif "exercise" not in cell.metadata:
            cell.outputs = outputs_of(cell, done, picture)
    if tab:
        first = notebook.cells[0]
        title, _, rest = first.source.partition("\n")
        button = f'<p><a class="course-button" href="../{in_the_tab(source.name)}">Open in your browser</a></p>'
        first.source = f"{title}\n\n{button}\n{rest}"
    return notebook


def folded(cell, words: str) -> None:
    cell.metadata["tags"] = ["hide-input"]
    cell.metadata["mystnb"] = {"code_prompt_show": words, "code_prompt_hide": words}


def outputs_of(cell, done: dict, picture) -> list:
    """What the solution's cell of this name shows; a guess offers its answer, a component that is recorded its place."""
    if asked := GUESS.findall(cell.source):
        return [as_html(answer_to(name)) for name in asked]
    outputs = []
    for output in done[cell.id].get("outputs", []) if cell.id in done else []:
        data = output.get("data", {})
        if "image/png" in data:
            about = output.metadata.get("image/png", {})
            drawn = picture(data["image/png"], about.get("alt", data.get("text/plain", "")), about.get("width"))
            name = ALIVE.get(cell.source.strip().splitlines()[-1])
            output = as_html(place(name, drawn) if name else drawn)
        elif "text/html" in data:  # links of the progress map
            data["text/html"] = re.sub(r"(href='\d\d_\w+)\.ipynb", r"\1.html", data["text/html"])
        outputs.append(output)
    return outputs


def as_html(text: str):
    return nbformat.v4.new_output("display_data", {"text/html": text})


def answer_to(name: str) -> str:
    asked = guesses()[name]
    answer = ", ".join(map(str, asked.answer)) if isinstance(asked.answer, list | tuple) else str(asked.answer)
    return Verdict(name, None, "Guess first, then open the answer.", f"{answer}. {asked.why}")._repr_html_()


LINK = re.compile(r"(?<!!)\[([^\[\]]+)\]\(([^()\s#]+)(#[^()\s]*)?\)")


def links_kept(text: str, folder: str) -> str:
    """The text of a file in this folder of the course. Links to files that are no pages lead to the repository where its address is known, else stay as words."""
    there = address()

    def kept(link: re.Match) -> str:
        path = (COURSE / folder / link[2]).resolve()
        if not path.is_relative_to(COURSE) or not path.exists() or path.parent == NOTEBOOKS or path.stem in DOCS:
            return link[0]
        return f"[{link[1]}]({there}/blob/main/{path.relative_to(COURSE).as_posix()})" if there else link[1]

    return LINK.sub(kept, text)


def anchor(heading: str) -> str:
    """What a link to a heading says, as in JupyterLab."""
    return heading.replace(" ", "-")


def copy_mathjax(folder: Path) -> None:
    """The part of MathJax that sets TeX, and its fonts, out of the package that brings it."""
    found = find_spec("sphinx-mathjax-offline")
    assert found and found.submodule_search_locations, "an extra of pyproject, as Sphinx is"
    package = Path(found.submodule_search_locations[0], "static", "mathjax")
    fonts = Path("output", "chtml", "fonts", "woff-v2")
    shutil.copytree(package / fonts, folder / fonts)
    shutil.copy(package / "tex-chtml.js", folder)


# --- what is alive ---------------------------------------------------------------------------------------------------


def alive() -> str:
    """A script that brings every element with `data-alive` to life, from what is recorded here. Takes some seconds.

    Each stands in a shadow tree, where the theme's style sheets do not reach.
    """
    game = TicTacToe()
    with using({}):
        shipped = agents.load(game.name)
        answers = page.all_answers(game, CachedNetwork(shipped.network))
        boards = {
            "play": play(
                game.name, opponents={page.SHIPPED: shipped, page.PERFECT: MinimaxAgent(game)}, simulations=50
            ),
            "yours": play(game.name, opponents={"your agent": shipped}, human=-1, simulations=50),
        }
        untrained = SearchAgent(game, TorchNetwork(make_network(game, seed=0)), simulations=12, c_puct=1.5)
        example = microscope(game.name, [0, 4, 8, 2, 6, 3], agent=untrained, simulations=12)
    views = {name: page.on_the_board(board) for name, board in boards.items()}
    return "\n".join(
        [
            "(() => {",
            page.components(),
            f"const stored = {page.as_json(answers)};",
            f'stored.answers["your agent"] = stored.answers["{page.SHIPPED}"];',
            f"const boards = {page.as_json(views)};",
            f"const microscopes = {page.as_json({'example': page.in_the_microscope(example)})};",
            f"const sheet = {json.dumps(style('board') + (FOLDER / 'microscope.css').read_text('utf-8') + LOOKS)};",
            "for (const place of document.querySelectorAll('[data-alive]')) {",
            "  const name = place.dataset.alive;",
            "  const el = h('div');",
            "  place.attachShadow({ mode: 'open' }).append(h('style', {}, sheet + (place.dataset.style ?? '')), el);",
            "  if (name in boards) bring('board', { ...boards[name], ...stored }, el);",
            "  else bring('microscope', microscopes[name], el);",
            "}",
            "})();",
        ]
    )
