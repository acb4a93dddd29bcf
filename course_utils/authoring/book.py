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
from PIL import Image

from course_utils import agents
from course_utils.agents import MinimaxAgent, SearchAgent
from course_utils.authoring.address import address
from course_utils.authoring.address import site as site_address
from course_utils.authoring.build import Source, build, read_notebook, sources
from course_utils.authoring.site import CannotBuild
from course_utils.authoring.site import address as in_the_tab
from course_utils.classroom.assignment import Handout
from course_utils.exercise import using
from course_utils.files import write_atomically
from course_utils.games import TicTacToe
from course_utils.networks.cache import CachedNetwork
from course_utils.networks.policy_value import TorchNetwork, make_network
from course_utils.paths import COURSE, NOTEBOOKS, SOLUTIONS
from course_utils.tests.guess import Verdict, guesses
from course_utils.ui import microscope, page, play
from course_utils.ui.component import FOLDER, style

SITE = COURSE / "docs" / "site"
DOCS = ("results", "performance", "instructor")  # pages of `docs` for readers
FOLDERS = (NOTEBOOKS, COURSE / "docs")  # of what can be a page
PICTURES = Path("_static", "pictures")
SHOWN = re.compile(r"<!-- picture (\w+): (.*?) -->")
GUESS = re.compile(r'tests\.guess\("([\w-]+)", \.\.\.\)')
ALIVE = {  # the line that shows a component in a notebook -> the name of its script in `_static/alive`
    'ui.play("tictactoe")': "play",
    'ui.play("tictactoe", opponents={"your agent": yours}, human=-1, simulations=50)': "yours",
    'ui.microscope("tictactoe", [0, 4, 8, 2, 6, 3], agent=SearchAgent(game, network, simulations=12, c_puct=1.5), simulations=12)': "example",
}
LOOKS = ".course-ui { color-scheme: inherit; } .microscope { background: var(--card); }"  # light or dark as the page is
BARE = (  # the board of the landing page: nothing to set, and buttons for a finger
    ".settings, .row:has(.ways), .moves, .note, .curve, .bar { display: none !important } .left, .panel { flex-basis: 100%; max-width: none }"
    " .board { padding: 0 } .row button { min-height: 44px; min-width: 44px; padding: 6px 14px; font-size: 16px }"
)
ROAD = (
    "Begin with Welcome. The main road takes about eight and a half hours, and it ends with your own agent. If you have only one evening, do One evening instead. "
    "Everything else is a deep dive: do the ones that you like, when you like."
)
STARTS = {  # what the buttons of the landing page open in the tab
    "10_one_evening": "One evening, in your browser",
    "00_welcome": "The whole road, in your browser",
}
HANDED_IN = (
    "You work in your browser, and it keeps what you write. A cell at the end of each notebook gives you a file with all of it: hand that in. "
    "An exercise that is open costs its own points only."
)
PRESS = (
    "Click into the cell below and press Shift+Enter.\n"  # on a page there is no cell, and the board is there already
)
EMPTY = "<p>The board needs JavaScript.</p>"


def build_book(out: Path, handout: Handout | None = None) -> None:
    """Write the site's pages into `out`: all of them, or what a class gets, without solutions. What else lies there stays; where the course for
    the browser lies in `out/lab`, pages link to it.

    Raises:
        CannotBuild: Sphinx found a fault.
    """
    with tempfile.TemporaryDirectory() as name:
        laid_out, made = (
            Path(name, "sources"),
            Path(name, "pages"),
        )  # beside which myst-nb writes notebooks that nobody needs
        lay_out(laid_out, handout, tab=(out / "lab").is_dir())
        command = [sys.executable, "-m", "sphinx", "--quiet", "--fail-on-warning", "--keep-going"]
        doctrees = ["--doctree-dir", str(Path(name, "doctrees"))]
        if subprocess.run([*command, *doctrees, str(laid_out), str(made)]).returncode:
            raise CannotBuild("Sphinx found the faults above")
        shutil.copytree(made, out, dirs_exist_ok=True)


def lay_out(folder: Path, handout: Handout | None = None, *, tab: bool = False) -> None:
    """What Sphinx reads: its settings, the landing page, the notebooks as pages, the pages of `docs`, and what makes boards come alive."""
    shutil.copytree(SITE, folder, dirs_exist_ok=True, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copytree(COURSE / "docs" / "images", folder / "docs" / "images")
    shutil.copytree(COURSE / "docs" / "images", folder / "_static" / "images")  # of the landing page
    (folder / PICTURES).mkdir(parents=True)
    (folder / "notebooks").mkdir()
    notebooks = handout.notebooks if handout else sources()
    docs = () if handout else DOCS
    names = {*docs, *(source.name for source in notebooks)}
    for source in notebooks:
        notebook = handout.notebook(source) if handout else build(source)
        text = nbformat.writes(as_page(notebook, source.name, folder, names, tab))
        (folder / "notebooks" / f"{source.name}.ipynb").write_text(text, "utf-8")
    for name in docs:
        text = (COURSE / "docs" / f"{name}.md").read_text("utf-8")
        (folder / "docs" / f"{name}.md").write_text(links_kept(text, "docs", names), "utf-8")
    of_both = {} if handout else {name: text for name, text in STARTS.items() if name in names}
    begin = (of_both or {notebooks[0].name: "Start in your browser"}) if tab else {}
    start = "".join(f'<a class="course-button" href="{in_the_tab(name)}">{text}</a> ' for name, text in begin.items())
    installing = "" if handout else '<a class="course-button" href="install.html">Install</a> or '
    note = (
        "<p>In the browser you can do the whole main road. Install the course later, and your answers come along.</p>"
    )
    filled_in = {
        "ways": f'{start}{installing}<a href="notebooks/{notebooks[0].name}.html">read first</a>',
        "tab": note if tab and not handout else "",
        "road": for_a_class(handout) if handout else ROAD,
        "contents": contents(notebooks, docs),
        "board": place("landing", EMPTY, ""),
    }
    landing = (folder / "index.md").read_text("utf-8")
    for name, text in filled_in.items():
        landing = landing.replace(f"<!-- {name} -->", text)
    landing = SHOWN.sub(lambda asked: pictured(asked[1], asked[2]), landing)
    (folder / "index.md").write_text(landing, "utf-8")
    if docs:
        (folder / "install.md").write_text(install(), "utf-8")
    for name, script in alive().items():
        write_atomically(folder / "_static" / "alive" / f"{name}.js", script)
    write_atomically(
        folder / "_static" / "scripts" / "fontawesome.js", "// Icons come from the font of the theme's style sheet."
    )
    copy_mathjax(folder / "_static" / "mathjax")


def pictured(name: str, alt: str) -> str:
    """A picture of the landing page, as it is on a phone; light or dark as the system is."""
    there = f"_static/images/{name}_phone"
    width, height = Image.open(COURSE / "docs" / "images" / f"{name}_phone.png").size
    dark = f'<source media="(prefers-color-scheme: dark)" srcset="{there}_dark.png">'
    light = f'<img src="{there}.png" alt="{escape(alt)}" width="{width}" height="{height}" loading="lazy">'
    return f"<picture>{dark}{light}</picture>"


def contents(of: list[Source], docs: tuple[str, ...]) -> str:
    """The table of contents: a part of the course after the other, then the pages of `docs`."""
    parts: dict[str, list[str]] = {}
    for source in of:
        parts.setdefault(source.part, []).append(f"notebooks/{source.name}")
    if docs:
        parts["About the course"] = ["install", *(f"docs/{name}" for name in docs)]
    return "\n\n".join(
        "\n".join(["```{toctree}", ":maxdepth: 1", f":caption: {part}", "", *names, "```"])
        for part, names in parts.items()
    )


def for_a_class(handout: Handout) -> str:
    """What counts, and how it is handed in."""
    counts = handout.words["counts"]
    lines = [
        f"* [{source.title}](notebooks/{source.name}.ipynb)"
        + (f": {', '.join(f'`{name}`' for name in counts[source.name])}" if counts else "")
        for source in handout.chosen
    ]
    which = "These exercises count:" if counts else "Your class does these notebooks:"
    return f"{which}\n\n" + "\n".join(lines) + f"\n\n{HANDED_IN}"


def install() -> str:
    """The page that says how: what the README says."""
    text = (COURSE / "README.md").read_text("utf-8").split("\n## Start\n")[1].split("\n## ")[0].strip()
    return f"# Install\n\n{text.replace('<this repository>', address() or '<this repository>')}\n"


def colors() -> str:
    return (FOLDER / "course.css").read_text("utf-8")


def picture() -> str:
    """Where what shows a link finds the picture beside it: by its whole address, where that is known."""
    return f"{site_address() or ''}_static/images/microscope_select.png"


def place(name: str, shown: str, root: str = "../") -> str:
    """Where a component of `alive` comes to life, and what is shown until then. A page has at most one."""
    return f'<div data-alive="{name}">{shown}</div><script src="{root}_static/alive/{name}.js" defer></script>'


# --- a notebook as a page --------------------------------------------------------------------------------------------


def as_page(notebook, name: str, folder: Path, names: set[str], tab: bool) -> nbformat.NotebookNode:
    """The learner's notebook with the solution's outputs, for `folder / "notebooks"`; its pictures are written beside it.

    Args:
        names: of the pages that there are.
    """
    done = {cell.id: cell for cell in read_notebook(SOLUTIONS / f"{name}.ipynb").cells}
    number = 0

    def picture(png: str, alt: str, width: int | None = None) -> str:
        nonlocal number
        number += 1
        path = PICTURES / f"{name}-{number}.png"
        (folder / path).write_bytes(base64.b64decode(png))
        size = f' width="{width}"' if width else ""
        return f'<img class="course-picture" src="../{path.as_posix()}" alt="{escape(alt)}"{size} loading="lazy">'

    for cell in notebook.cells:
        if cell.cell_type == "markdown":
            shown = cell.pop("attachments", {})
            for one, data in shown.items():
                image = re.search(rf"!\[([^\]]*)\]\(attachment:{re.escape(one)}\)", cell.source)
                assert image, one
                cell.source = cell.source.replace(image[0], picture(data["image/png"], image[1]))
            cell.source = links_kept(cell.source.replace(PRESS, ""), "notebooks", names)
        elif "check" in cell.metadata:
            folded(cell, f"The check of {cell.metadata.check}")
        elif cell.metadata.get("jupyter", {}).get("source_hidden"):
            folded(cell, "Code that you need not read")
            cell.outputs = outputs_of(cell, done, picture, names)
        elif "exercise" not in cell.metadata:
            cell.outputs = outputs_of(cell, done, picture, names)
    if tab:
        first = notebook.cells[0]
        title, _, rest = first.source.partition("\n")
        button = f'<p><a class="course-button" href="../{in_the_tab(name)}">Open in your browser</a></p>'
        first.source = f"{title}\n\n{button}\n{rest}"
    return notebook


def folded(cell, words: str) -> None:
    cell.metadata["tags"] = ["hide-input"]
    cell.metadata["mystnb"] = {"code_prompt_show": words, "code_prompt_hide": words}


def outputs_of(cell, done: dict, picture, names: set[str]) -> list:
    """What the solution's cell of this name shows; a guess offers its answer, a component that is recorded its place."""
    if asked := GUESS.findall(cell.source):
        return [as_html(answer_to(name)) for name in asked]
    outputs = []
    for output in done[cell.id].get("outputs", []) if cell.id in done else []:
        data = output.get("data", {})
        if "image/png" in data:
            about = output.metadata.get("image/png", {})
            drawn = picture(data["image/png"], about.get("alt", data.get("text/plain", "")), about.get("width"))
            alive_as = ALIVE.get(cell.source.strip().splitlines()[-1])
            output = as_html(place(alive_as, drawn) if alive_as else drawn)
        elif "text/html" in data:  # links of the progress map
            data["text/html"] = MAPPED.sub(
                lambda link: f"<a href='{link[1]}.html'>{link[2]}</a>" if link[1] in names else link[2],
                data["text/html"],
            )
        outputs.append(output)
    return outputs


def as_html(text: str):
    return nbformat.v4.new_output("display_data", {"text/html": text})


def answer_to(name: str) -> str:
    asked = guesses()[name]
    answer = ", ".join(map(str, asked.answer)) if isinstance(asked.answer, list | tuple) else str(asked.answer)
    return Verdict(name, None, "Guess first, then open the answer.", f"{answer}. {asked.why}")._repr_html_()


MAPPED = re.compile(r"<a href='(\d\d_\w+)\.ipynb'>(.*?)</a>")  # a link of the progress map
LINK = re.compile(r"(?<!!)\[([^\[\]]+)\]\(([^()\s#]+)(#[^()\s]*)?\)")


def links_kept(text: str, folder: str, names: set[str]) -> str:
    """The text of a file in this folder of the course. Links to files that are none of the pages with these names lead to the repository where its
    address is known, else stay as words."""
    there = address()

    def kept(link: re.Match) -> str:
        path = (COURSE / folder / link[2]).resolve()
        if not path.is_relative_to(COURSE) or not path.exists() or (path.parent in FOLDERS and path.stem in names):
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


def alive() -> dict[str, str]:
    """Name -> a script that brings the elements with this `data-alive` to life, from what is recorded here. Takes some seconds.

    Each stands in a shadow tree, where the theme's style sheets do not reach.
    """
    game = TicTacToe()
    with using({}):
        shipped = agents.load(game.name)
        stored = page.all_answers(game, CachedNetwork(shipped.network))
        perfect = {page.SHIPPED: shipped, page.PERFECT: MinimaxAgent(game)}
        untrained = SearchAgent(game, TorchNetwork(make_network(game, seed=0)), simulations=12, c_puct=1.5)
        boards = {
            "play": play(game.name, opponents=perfect, simulations=page.SEARCHED),
            "yours": play(game.name, opponents={"your agent": shipped}, human=-1, simulations=page.SEARCHED),
            "landing": play(game.name, opponents={page.SHIPPED: shipped}, simulations=page.SEARCHED),
        }
        example = microscope(game.name, [0, 4, 8, 2, 6, 3], agent=untrained, simulations=12)
    recorded = stored["answers"]
    only = {
        page.SEARCHED: {"act": recorded[page.SHIPPED][page.SEARCHED]["act"]}
    }  # what is played, and not what was thought
    answers = {
        "play": recorded,
        "yours": {"your agent": recorded[page.SHIPPED], page.PERFECT: recorded[page.PERFECT]},
        "landing": {page.SHIPPED: only},
    }
    scripts = {
        name: brought(
            "board", name, {**page.on_the_board(board), **stored, "answers": answers[name]}, BARE * (name == "landing")
        )
        for name, board in boards.items()
    }
    return {**scripts, "example": brought("microscope", "example", page.in_the_microscope(example))}


def brought(component: str, name: str, data: dict, looks: str = "") -> str:
    """The script for this name; `looks` is style that comes last."""
    sheet = style(component) + LOOKS + looks
    return "\n".join(
        [
            "(() => {",
            page.components([component]),
            f"const sheet = {json.dumps(sheet)};",
            f"for (const place of document.querySelectorAll('[data-alive={name}]')) {{",
            "  const el = h('div');",
            "  place.attachShadow({ mode: 'open' }).append(h('style', {}, sheet), el);",
            f"  bring('{component}', {page.as_json(data)}, el);",
            "}",
            "})();",
        ]
    )
