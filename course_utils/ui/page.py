"""The static page: both games against the shipped agents, and searches to step through, in one file that opens without
a server.

The components are those of the notebooks. In place of Python, the board asks a `Session` (`session.js`), which asks the
engine (`engine/`, by way of `oracle.js`); the microscope shows recorded searches.
"""

import json
import re
import subprocess
from collections.abc import Collection
from string import Template

from course_utils import agents
from course_utils.agents import MinimaxAgent, SearchAgent
from course_utils.exercise import using
from course_utils.games import TicTacToe
from course_utils.networks.exported import exported, game_in_numbers
from course_utils.paths import COURSE
from course_utils.ui.board import PERFECTLY, Board, play
from course_utils.ui.component import FOLDER, style
from course_utils.ui.document import document, links, with_zero
from course_utils.ui.engine_script import engine_script
from course_utils.ui.microscope import CONTESTED, SEARCHES, Microscope

TITLE = "AlphaZero from nothing"
SHIPPED, PERFECT = "the shipped network", "perfect play"
SEARCHED = 50  # simulations of the searches in the microscope
SESSION = ("game_in_progress", "answers", "shown", "session", "oracle")  # scripts, of which none imports another
SMALL = 9  # cells of a board on which the page plays perfectly
BODY = """<main class="course-ui face page">
<header>
<h1>$title</h1>
<p>The agents that the course trains, in one file. Nothing is loaded and no server is asked:
the networks are in this page, and your browser searches.</p>
</header>
<noscript><p>The boards and the microscope need JavaScript.</p></noscript>
<section aria-labelledby="play">
<h2 id="play">Play it</h2>
<p>Choose a square. On the squares the page can show the agent's prior, where its search looked, what it found,
and how each move ends with perfect play.
<span class="keys">With a keyboard, press Tab until you are on the board: the arrows walk over its squares,
and Enter plays.</span></p>
<div id="board"></div>
</section>
<section aria-labelledby="four">
<h2 id="four">Play Connect Four</h2>
<p>Choose a column. Strength is the number of simulations before each move,
so a stronger agent takes longer to answer.</p>
<div id="connect_four"></div>
</section>
<section aria-labelledby="think">
<h2 id="think">See it think</h2>
<p>A search of $searched simulations from a position where the network's first look is wrong:
step through it, also inside a simulation. Choose a node to look at it, and
a term of the formula to see where it counts. <span class="keys">The arrow keys step, too.</span></p>
<div id="microscope"></div>
</section>
<footer><p>$links</p></footer>
</main>
<script>
"use strict";
$script
</script>"""


def page() -> str:
    """The page, whole. Takes some seconds, for the microscope's searches: the course's own functions search, whatever
    is in force.
    """
    with using({}):
        scope = recorded_searches()
        data = {"board": on_the_board(board_of("tictactoe")), "connect_four": on_the_board(board_of("connect_four"))}
    script = f"{components()}\nconst page = openPage({as_json({**data, 'microscope': in_the_microscope(scope)})});"
    body = Template(BODY).substitute(
        script=script, searched=SEARCHED, title=with_zero(TITLE), links=links(links_of_the_page())
    )
    return document(f"{TITLE}: play it, and see it think", sheet("microscope", "page", "face"), body)


def board_of(game_name: str) -> Board:
    """The shipped agent's board; in tic-tac-toe perfect play can be chosen, too."""
    shipped = agents.load(game_name)
    perfect = {PERFECT: MinimaxAgent(shipped.game)} if game_name == TicTacToe.name else {}
    return play(game_name, opponents={SHIPPED: shipped, **perfect}, simulations=SEARCHED)


def recorded_searches() -> Microscope:
    """The microscope with a search of each kind, from a position that is not easy."""
    shipped = agents.load(TicTacToe.name)
    scope = Microscope(shipped.game, {SHIPPED: SearchAgent(shipped.game, shipped.network, SEARCHED)})
    for search in reversed(SEARCHES):  # the last one is shown
        for noise in (False,) if search == "uct" else (True, False):
            scope.look(CONTESTED[TicTacToe.name], simulations=SEARCHED, search=search, noise=noise)
    return scope


def on_the_board(board: Board) -> dict:
    """What a page knows of a board: its first `view`, the game, and the networks of its agents, or null for perfect
    play.

    Raises ValueError: an agent has no network, or one that a page can't compute.
    """
    game = board.game
    networks = {
        name: None if isinstance(agent, MinimaxAgent) else exported(agent.network, game)
        for name, agent in board.opponents.items()
    }
    view = board.view
    if game.rows * game.columns > SMALL:  # what a solver says of some positions is not on the page
        view = {**view, "overlays": [kind for kind in view["overlays"] if kind != "perfect"]}
    return {"view": view, "game": game_in_numbers(game), "agents": networks, "perfectly": PERFECTLY}


def in_the_microscope(scope: Microscope) -> dict:
    return {name: getattr(scope, name) for name in ("recordings", "choice", "agents", "said")}


def sheet(*names: str) -> str:
    """The board's style sheet, and these."""
    return style("board") + "".join((FOLDER / f"{name}.css").read_text("utf-8") for name in names)


def as_json(data: dict) -> str:
    return json.dumps(data, separators=(",", ":")).replace("<", "\\u003c")  # no tag of the page's ends in them


def components(names: Collection[str] = ("board", "microscope")) -> str:
    """These components and the models that they ask, as a script."""
    parts = [f"const {name} = {as_script(name) if name in names else 'null'};" for name in ("board", "microscope")]
    asked = [engine_script(), *map(_script, SESSION)] if "board" in names else []
    return "\n".join([_script("course"), *parts, _script("page"), *asked])


def links_of_the_page() -> dict[str, str]:
    """Words -> address: the course, if this is a clone that knows where it comes from, and the article."""
    addresses = {"The article on AlphaZero (Silver and others, 2018)": "https://doi.org/10.1126/science.aar6404"}
    try:
        command = ["git", "config", "remote.origin.url"]
        origin = subprocess.run(command, cwd=COURSE, capture_output=True, text=True, check=False).stdout
    except OSError:  # there is no git; and in a browser tab there are no processes
        origin = ""
    address = re.sub(r"^git@([^:]+):", r"https://\1/", origin.strip()).removesuffix(".git")
    address = re.sub(r"//[^/@]*@", "//", address)  # no name and no password
    return ({"The course: build it yourself": address} if address.startswith("https://") else {}) | addresses


def as_script(name: str) -> str:
    """A component's module as an expression, behind `course.js`: no browser imports a module from a file that no server
    sends.
    """
    body = _script(name).replace("export default ", "const component = ")
    return f"(() => {{\n{body}\nreturn component;\n}})()"


def _script(name: str) -> str:
    return (FOLDER / f"{name}.js").read_text("utf-8")
