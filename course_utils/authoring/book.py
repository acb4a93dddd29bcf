"""Build the web site: notebooks as pages, made by Sphinx without executing a cell or fetching a file.

A page is the learner's notebook with the outputs of the solution; exercises are open, and answers are folded.
Sphinx's settings, the landing page and the style are in `docs/site`. This module lays out the folder that Sphinx
reads.
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
from course_utils.agents import SearchAgent
from course_utils.answers.notebook_file import read_notebook
from course_utils.authoring.site import CannotBuild
from course_utils.authoring.site import address as in_the_tab
from course_utils.exercise import using
from course_utils.files import write_atomically
from course_utils.games import TicTacToe
from course_utils.material.address import address
from course_utils.material.address import site as site_address
from course_utils.material.build import build
from course_utils.material.handout import Handout
from course_utils.material.source_files import Source, sources
from course_utils.networks.exported import exported
from course_utils.networks.policy_value import TorchNetwork, make_network
from course_utils.paths import COURSE, NOTEBOOKS, SOLUTIONS
from course_utils.tests.guess import Verdict, guesses
from course_utils.ui import microscope, page, play
from course_utils.ui.component import FOLDER, style

SITE = COURSE / "docs" / "site"
DOCS = ("results", "published", "performance", "instructor", "grading", "sessions")  # pages of `docs` for readers
FOLDERS = (NOTEBOOKS, COURSE / "docs")  # the folders whose files may become pages
PICTURES = Path("_static", "pictures")
GUESS = re.compile(r'tests\.guess\("([\w-]+)", \.\.\.\)')
ALIVE = {  # the line that shows a component in a notebook -> the name of its script in `_static/alive`
    'ui.play("tictactoe")': "play",
    'ui.play("tictactoe", opponents={"your agent": yours}, human=-1, simulations=50)': "yours",
    'ui.play("connect_four")': "connect_four",
    'ui.play("connect_four", opponents={"your agent": yours_four}, human=1, simulations=50)': "yours_four",
    'ui.microscope("tictactoe", [0, 4, 8, 2, 6, 3], agent=SearchAgent(game, network, simulations=3, c_puct=1.5), '
    "simulations=3)": "three",
    'ui.microscope("tictactoe", [0, 4, 8, 2, 6, 3], agent=mine.SearchAgent(game, untrained, 12), simulations=12)': "example",
}
IN_SHADOW = """function inShadow(name, bring) {
  for (const place of document.querySelectorAll(`[data-alive=${name}]`)) {
    const el = h("div");
    place.attachShadow({ mode: "open" }).append(h("style", {}, sheet), el);
    bring(el);
  }
}"""
LARGE = "connect_four_network"
# The components take the page's light or dark theme.
LOOKS = ".course-ui { color-scheme: inherit; } .microscope { background: var(--card); }"
WAYS = {  # a notebook that the front page opens in the tab -> its title and its description there
    "10_one_evening": ("One evening", "two and a half hours, for anyone who has written some Python"),
    "00_welcome": (
        "The whole road",
        "eight hours, with NumPy and PyTorch; deep dives for as long as you like",
    ),
}
HANDED_IN = (
    "You work in your browser, and it keeps what you write. A cell at the end of each notebook gives you a file with "
    "all of it: hand that in. "
    "An exercise that is open costs its own points only."
)
# A sentence that is removed on pages, where the board needs no cell.
PRESS = "Click into the cell below and press Shift+Enter.\n"
EMPTY = "<p>The board needs JavaScript.</p>"
LEARNER = "the network"  # the untrained network of the front page


def build_book(out: Path, handout: Handout | None = None) -> None:
    """Write the site's pages into `out`: all pages, or a class's pages without solutions.

    Other files in `out` stay. If `out/lab` holds the course for the browser, the pages link to it.

    Raises:
        CannotBuild: Sphinx found a fault.
    """
    with tempfile.TemporaryDirectory() as name:
        laid_out, made = Path(name, "sources"), Path(name, "pages")  # myst-nb writes unwanted notebooks beside these
        lay_out(laid_out, handout, tab=(out / "lab").is_dir())
        command = [sys.executable, "-m", "sphinx", "--quiet", "--fail-on-warning", "--keep-going"]
        doctrees = ["--doctree-dir", str(Path(name, "doctrees"))]
        if subprocess.run([*command, *doctrees, str(laid_out), str(made)]).returncode:
            raise CannotBuild("Sphinx reported the errors above")
        shutil.copytree(made, out, dirs_exist_ok=True)


def lay_out(folder: Path, handout: Handout | None = None, *, tab: bool = False) -> None:
    """Write the folder that Sphinx reads: settings, landing page, notebooks, the pages of `docs`, and the scripts of
    live components.
    """
    shutil.copytree(SITE, folder, dirs_exist_ok=True, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copytree(COURSE / "docs" / "images", folder / "docs" / "images")
    shutil.copytree(COURSE / "docs" / "images", folder / "_static" / "images")  # for the picture in link previews
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
    filled_in = {
        "ways": ways(notebooks, handout, tab),
        "class": for_a_class(handout) if handout else "",
        "contents": contents(notebooks, docs),
        "board": place("front", EMPTY, ""),
        "four": '<div data-alive="four"></div>',
    }
    landing = (folder / "index.md").read_text("utf-8")
    for name, text in filled_in.items():
        landing = landing.replace(f"<!-- {name} -->", text)
    (folder / "index.md").write_text(landing, "utf-8")
    if docs:
        (folder / "install.md").write_text(install(), "utf-8")
    for name, script in alive().items():
        write_atomically(folder / "_static" / "alive" / f"{name}.js", script)
    write_atomically(
        folder / "_static" / "scripts" / "fontawesome.js", "// Icons come from the font of the theme's style sheet."
    )
    copy_mathjax(folder / "_static" / "mathjax")


def ways(notebooks: list[Source], handout: Handout | None, tab: bool) -> str:
    """The ways into the course as a list of links: in the browser (if `tab`), to read, to install."""
    first = notebooks[0].name
    names = {source.name for source in notebooks}
    begin = {name: words for name, words in WAYS.items() if name in names}
    if handout or not begin:
        begin = {first: ("Start in your browser", "")}
    links = [
        f'<li><a class="course-button" href="{in_the_tab(name) if tab else f"notebooks/{name}.html"}">{title}</a> '
        f"<span>{hours}</span></li>"
        for name, (title, hours) in begin.items()
        if tab or not handout
    ]
    others = [
        f'<a href="notebooks/{first}.html">Read it first</a>',
        *([] if handout else ['<a href="install.html">Install it</a>']),
    ]
    return f'<ul class="ways">{"".join(links)}<li>{" · ".join(others)}</li></ul>'


def contents(of: list[Source], docs: tuple[str, ...]) -> str:
    """The table of contents: the parts of the course, then the pages of `docs`."""
    parts: dict[str, list[str]] = {}
    for source in of:
        parts.setdefault(source.part, []).append(f"notebooks/{source.name}")
    if docs:
        parts["About the course"] = ["install", *(f"docs/{name}" for name in docs)]
    return "\n\n".join(
        "\n".join(["```{toctree}", ":maxdepth: 1", f":caption: {caption}", "", *names, "```"])
        for caption, names in parts.items()
    )


def for_a_class(handout: Handout) -> str:
    """The landing page's section for a class: which exercises count, and how to hand them in."""
    counts = handout.words["counts"]
    lines = [
        f"* [{source.title}](notebooks/{source.name}.ipynb)"
        + (f": {', '.join(f'`{name}`' for name in counts[source.name])}" if counts else "")
        for source in handout.chosen
    ]
    which = "These exercises count:" if counts else "Your class does these notebooks:"
    return f"{which}\n\n" + "\n".join(lines) + f"\n\n{HANDED_IN}"


def install() -> str:
    """The page on how to install the course, copied from the README."""
    text = (COURSE / "README.md").read_text("utf-8").split("\n## Start\n")[1].split("\n## ")[0].strip()
    return f"# Install\n\n{text.replace('<this repository>', address() or '<this repository>')}\n"


def looks() -> str:
    """The style sheet that the landing page shares with the other pages of the course."""
    return "".join((FOLDER / f"{name}.css").read_text("utf-8") for name in ("course", "face"))


def picture() -> str:
    """The address of the picture in link previews: absolute if the site's address is known."""
    return f"{site_address() or ''}_static/images/microscope_select.png"


def place(name: str, shown: str, root: str = "../") -> str:
    """The HTML of a live component and of what is shown until it has loaded. A page has each component at most once."""
    return f'<div data-alive="{name}">{shown}</div><script src="{root}_static/alive/{name}.js" defer></script>'


# --- a notebook as a page --------------------------------------------------------------------------------------------


def as_page(notebook, name: str, folder: Path, names: set[str], tab: bool) -> nbformat.NotebookNode:
    """The learner's notebook with the solution's outputs. Its pictures are written into `folder`.

    Args:
        names: the names of all pages.
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
            for attachment, data in shown.items():
                image = re.search(rf"!\[([^\]]*)\]\(attachment:{re.escape(attachment)}\)", cell.source)
                assert image, attachment
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
    """The outputs of the solution's cell.

    A guess shows its folded answer, and a component of `ALIVE` its placeholder.
    """
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
    """Adapt the links of a page's text.

    Links to files that are not pages lead to the repository, or become plain words.

    Args:
        folder: the folder of the file that the text comes from.
        names: the names of all pages.
    """
    there = address()

    def kept(link: re.Match) -> str:
        path = (COURSE / folder / link[2]).resolve()
        if not path.is_relative_to(COURSE) or not path.exists() or (path.parent in FOLDERS and path.stem in names):
            return link[0]
        return f"[{link[1]}]({there}/blob/main/{path.relative_to(COURSE).as_posix()})" if there else link[1]

    return LINK.sub(kept, text)


def anchor(heading: str) -> str:
    """The anchor of a heading, as in JupyterLab."""
    return heading.replace(" ", "-")


def copy_mathjax(folder: Path) -> None:
    """Copy MathJax's TeX component and its fonts from the package that contains them."""
    spec = find_spec("sphinx-mathjax-offline")
    assert spec and spec.submodule_search_locations, "an extra of pyproject, as Sphinx is"
    package = Path(spec.submodule_search_locations[0], "static", "mathjax")
    fonts = Path("output", "chtml", "fonts", "woff-v2")
    shutil.copytree(package / fonts, folder / fonts)
    shutil.copy(package / "tex-chtml.js", folder)


# --- live components -------------------------------------------------------------------------------------------------


def alive() -> dict[str, str]:
    """Name -> a script for `_static/alive`: one for each live component, and `LARGE`, the network that some of them
    load on demand.

    Each component is in a shadow tree, so that the theme's style sheets do not affect it.
    """
    game = TicTacToe()
    with using({}):
        shipped, four = agents.load(game.name), agents.load("connect_four")
        untrained = TorchNetwork(make_network(game, seed=0))
        searches = {
            name: microscope(
                game.name, [0, 4, 8, 2, 6, 3], agent=SearchAgent(game, untrained, count, c_puct=1.5), simulations=count
            )
            for name, count in (("three", 3), ("example", 12))
        }
        yours = {"your agent": shipped}
        boards = {
            "play": page.board_of(game.name),
            "yours": play(game.name, opponents=yours, human=-1, simulations=page.SEARCHED),
            "connect_four": page.board_of("connect_four"),
            "yours_four": play("connect_four", opponents={"your agent": four}, simulations=page.SEARCHED),
        }
    data = {name: page.on_the_board(board) for name, board in boards.items()}
    large = page.as_json(exported(four.network, four.game))
    for name in ("connect_four", "yours_four"):
        data[name]["agents"] = dict.fromkeys(data[name]["agents"])
    scripts = {name: brought("board", name, its) for name, its in data.items()}
    return {
        **scripts,
        "front": front(shipped, four),
        LARGE: f"window.courseNetwork = {large};",
        **{name: brought("microscope", name, page.in_the_microscope(search)) for name, search in searches.items()},
    }


def front(shipped: SearchAgent, four: SearchAgent) -> str:
    """The front page's script: a network that learns, and Connect Four."""
    learning = play(shipped.game.name, opponents={LEARNER: shipped}, simulations=0)
    learning.show("prior")
    against = play(four.game.name, opponents={page.SHIPPED: four}, simulations=400)
    data = {name: page.on_the_board(board) for name, board in (("front", learning), ("four", against))}
    for its in data.values():
        its["agents"] = dict.fromkeys(its["agents"])
    data["front"]["agents"] = {}  # the page creates its network
    sheet = style("board") + (FOLDER / "front.css").read_text("utf-8") + LOOKS
    return "\n".join(
        [
            "(() => {",
            page.components(["board"]),
            (FOLDER / "front.js").read_text("utf-8"),
            f"const [sheet, data] = [{json.dumps(sheet)}, {page.as_json(data)}];",
            f"const large = new URL('{LARGE}.js', document.currentScript.src).href;",
            IN_SHADOW,
            "inShadow('front', (el) => (window.learner = new Learner(data.front, el)));",
            "inShadow('four', (el) => inviteToConnectFour(data.four, large, el));",
            "})();",
        ]
    )


def brought(component: str, name: str, data: dict) -> str:
    """The script of a component.

    A board whose agents have no network yet loads `LARGE` shortly before it becomes visible.
    """
    sheet = style(component) + LOOKS
    waits = "game" in data and not any(data["agents"].values())
    return "\n".join(
        [
            "(() => {",
            page.components([component]),
            f"const [sheet, data] = [{json.dumps(sheet)}, {page.as_json(data)}];",
            f"const large = new URL('{LARGE}.js', document.currentScript.src).href;",
            IN_SHADOW,
            f"const come = () => inShadow('{name}', (el) => bring(data, el));",
            f"whenNearlySeen('[data-alive={name}]', large, data, come);" if waits else "come();",
            "})();",
        ]
    )
