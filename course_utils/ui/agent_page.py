"""An agent's page: one file to send, in which one plays the agent, watches it think, sees how it learned and lets it
meet another.

All that is the agent's is data: its networks (`exported`), a name, what is proven, the film of its training, its
functions as text. The script is the same in every such page (`agent_page.js` and the components), compressed, so that a
page of tic-tac-toe stays below 150 kB.
"""

import base64
import gzip
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from html import escape
from string import Template

from torch import nn

from course_utils.agents import MinimaxAgent, SearchAgent
from course_utils.answers.portable import NotPortable, portable
from course_utils.exercise import EXERCISES, LEARNERS, yours
from course_utils.games import Game, make_game
from course_utils.networks.exported import exported
from course_utils.networks.policy_value import TorchNetwork
from course_utils.ui.board import play
from course_utils.ui.certificate import Certificate
from course_utils.ui.component import FOLDER
from course_utils.ui.document import document, links, with_zero
from course_utils.ui.film import Film
from course_utils.ui.microscope import CONTESTED
from course_utils.ui.page import PERFECT, as_json, components, links_of_the_page, on_the_board, sheet

SEARCHED = 50  # simulations, at first
GAMES = {"tictactoe": "Tic-tac-toe", "connect_four": "Connect Four"}
BODY = """<main class="course-ui face page agent-page">
<header>
<h1>$title</h1>
<p>$intro</p>
</header>
<noscript><p>The board needs JavaScript. Nothing is loaded: all of it is in this file.</p></noscript>
<p id="trouble" role="alert" hidden>This browser is too old for this page.</p>
$sections
<footer><p>$links</p></footer>
</main>
<script type="application/json" id="agent">$agent</script>
<script>
"use strict";
(async (packed, data) => {
  const bytes = Uint8Array.from(atob(packed), (letter) => letter.charCodeAt(0));
  const text = await new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"))).text();
  document.head.append(Object.assign(document.createElement("script"), { textContent: text }));
  window.page = openAgentPage(data);
})("$packed", $data).catch((error) => {
  document.getElementById("trouble").hidden = false;
  console.error(error);
});
</script>"""
BOARD = """<section aria-labelledby="play-$game">
<h2 id="play-$game">$heading</h2>
<p>$words Strength is the number of simulations before each move. <i>Show</i> writes on the squares what it thinks.</p>
<div id="board-$game"></div>
</section>"""
SCOPE = """<section aria-labelledby="scope-title-$game">
<h2 id="scope-title-$game">See it think$about</h2>
<p>Its search, one step at a time. The position is one where the first look is not the last word; any other will do.
<button type="button" id="think-$game">Search the position on the board</button></p>
<div id="scope-$game"></div>
</section>"""
CERTIFICATE = """<section aria-labelledby="proof" class="certificate">
<h2 id="proof">What is proven</h2>
$picture
<div class="words">$paragraphs</div>
<p><button type="button" id="save-certificate">Save the certificate</button></p>
</section>"""
FILM = """<section aria-labelledby="learned">
<h2 id="learned">How it learned</h2>
<p>Nobody showed it a game. It began with random weights and played against itself.</p>
<div id="film"></div>
</section>"""
MATCH = """<section aria-labelledby="match-title" id="match">
<h2 id="match-title">Let it meet another</h2>
<p>Drop the page of another agent anywhere here, or choose its file:
the two play a match, and you can play against both.</p>
<p class="row"><input type="file" id="match-file" accept=".html" aria-label="The page of another agent">
<label>each move: <select id="match-strength"><option value="0">without search</option>
<option value="10">10 simulations</option>
<option value="50" selected>50 simulations</option></select></label></p>
<p id="match-said" role="status"></p>
<div id="match-results"></div>
</section>"""
FUNCTIONS = """<section aria-labelledby="functions">
<h2 id="functions">Its functions</h2>
<p>$count by $by.</p>
$functions
</section>"""


@dataclass(frozen=True)
class Keepsake:
    """What a page is made of.

    Attributes:
        networks: game's name -> the network that plays it.
        by: who trained it; "" if that is not to be said.
        proven: what is known of its agent of tic-tac-toe, or None.
        film: its training, or None.
        functions: (name, source) of the functions that are to be read in it.
    """

    networks: Mapping[str, nn.Module]
    by: str = ""
    proven: Certificate | None = None
    film: Film | None = None
    functions: Sequence[tuple[str, str]] = field(default_factory=list)


def agent_page(keepsake: Keepsake) -> str:
    """The page, whole. Raises ValueError: a network is none that a page can compute."""
    games = {name: make_game(name) for name in GAMES if name in keepsake.networks}
    number = {"tictactoe": "float32"}  # exact, as what is proven of it; larger networks are rounded
    agent = {
        "kind": "alphazero-agent",
        "version": 1,
        "name": keepsake.by,
        "games": {
            name: exported(keepsake.networks[name], game, number.get(name, "float16")) for name, game in games.items()
        },
    }
    title = f"{keepsake.by}'s AlphaZero" if keepsake.by else "An AlphaZero, from nothing"
    data = {"tables": {name: _table(game, keepsake) for name, game in games.items()}}
    if keepsake.film:
        data["film"] = vars(keepsake.film)
    body = Template(BODY).substitute(
        title=with_zero(escape(title)),
        intro="An agent that taught itself to play, from the rules alone. It is all in this file, which loads "
        "nothing: your browser does the thinking.",
        sections="\n".join(_sections(keepsake, games)),
        links=links(links_of_the_page()),
        agent=as_json(agent),
        packed=packed_script(),
        data=as_json(data),
    )
    return document(title, sheet("microscope", "page", "face", "agent_page"), body)


def packed_script() -> str:
    """What all such pages run: gzip, as base64."""
    own = [(FOLDER / f"{name}.js").read_text("utf-8") for name in ("recorder", "agent_page")]
    script = "\n".join(['"use strict";', components(), *own])
    return base64.b64encode(gzip.compress(script.encode(), 9, mtime=0)).decode()


def _table(game: Game, keepsake: Keepsake) -> dict:
    """What the page knows of a board, but for the weights, and where the microscope begins."""
    label = f"{keepsake.by}'s agent" if keepsake.by else "this agent"
    agent = SearchAgent(game, TorchNetwork(keepsake.networks[game.name]), SEARCHED)
    perfect = {PERFECT: MinimaxAgent(game)} if game.rows * game.columns <= 9 else {}
    board = on_the_board(play(game.name, opponents={label: agent, **perfect}, simulations=SEARCHED))
    board["perfect"] = bool(perfect)
    del board["agents"]
    scope = dict(position=CONTESTED[game.name], simulations=SEARCHED, search="puct", noise=False)
    return {"board": board, "scope": scope}


def _sections(keepsake: Keepsake, games: Mapping[str, Game]) -> list[str]:
    several = len(games) > 1
    sections = []
    for name in games:
        heading = f"Beat me at {GAMES[name]}" if several else "Beat me"
        words = "Choose a column." if name == "connect_four" else "Choose a square."
        sections.append(Template(BOARD).substitute(game=name, heading=heading, words=words))
    if keepsake.proven:
        told = "\n".join(f"<p>{escape(paragraph)}</p>" for paragraph in keepsake.proven.paragraphs)
        sections.append(Template(CERTIFICATE).substitute(picture=keepsake.proven.svg(), paragraphs=told))
    for name in games:
        about = f": {GAMES[name]}" if several else ""
        sections.append(Template(SCOPE).substitute(game=name, about=about))
    sections += [FILM] if keepsake.film else []
    sections.append(MATCH)
    if keepsake.functions:
        shown = [
            f'<details><summary><code>{escape(name)}</code></summary><pre tabindex="0" aria-label="{escape(name)}" '
            f'role="region">{escape(source)}</pre></details>'
            for name, source in keepsake.functions
        ]
        count = f"{len(shown)} function{'s' * (len(shown) != 1)}"
        sections.append(
            Template(FUNCTIONS).substitute(
                count=count, by=escape(keepsake.by or "its learner"), functions="\n".join(shown)
            )
        )
    return sections


# --- what is told of it -----------------------------------------------------------------------------------------------


def functions_to_read() -> list[tuple[str, str]]:
    """(name, source) of the learner's functions of the main road, as far as they need nothing that can't be shown."""
    functions = []
    for name in yours():
        if EXERCISES[name].notebook < "10":
            try:
                source = portable(name, LEARNERS.sources[name]).function(name)
            except NotPortable:
                source = LEARNERS.sources[name]
            functions.append((name, source.strip()))
    return functions
