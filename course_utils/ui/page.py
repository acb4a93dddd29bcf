"""The static page: tic-tac-toe against the shipped agent, and searches to step through, in one file that opens without a server.

`page.js` is the model that the components ask in place of Python: the rules, the agents' answers to every position as they were asked here, and
recorded searches. The components themselves are those of the notebooks.
"""

import argparse
import json
import re
import subprocess
import sys
from collections.abc import Collection
from html import escape
from pathlib import Path
from string import Template
from typing import Any

import numpy as np

from course_utils import agents
from course_utils.agents import MinimaxAgent, SearchAgent
from course_utils.exercise import using
from course_utils.files import trouble, write_atomically
from course_utils.games import Game, TicTacToe
from course_utils.networks.cache import CachedNetwork
from course_utils.paths import COURSE
from course_utils.search.minimax import solve
from course_utils.ui.analysis import Analysis
from course_utils.ui.board import OVERLAYS, PERFECTLY, Board, overlay_of, play
from course_utils.ui.component import FOLDER, style
from course_utils.ui.microscope import CONTESTED, SEARCHES, Microscope
from course_utils.ui.players import level

STRENGTHS = (0, 10, 50)  # simulations of the agent that is recorded
SHIPPED, PERFECT = "the shipped network", "perfect play"
SEARCHED = 50  # simulations of the searches in the microscope
DIGITS = 1000  # policies and values are kept in thousandths
TEMPLATE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data:">
<title>AlphaZero from nothing: play it, and see it think</title>
<link rel="icon" href="data:,">
<style>$style</style>
</head>
<body>
<main class="course-ui page">
<header>
<h1>AlphaZero from nothing</h1>
<p>The agent that the course trains, in one file. Nothing runs behind this page and nothing is loaded: what the agent thinks of all $count positions of
tic-tac-toe is recorded in it.</p>
</header>
<noscript><p>The board and the microscope need JavaScript.</p></noscript>
<section aria-labelledby="play">
<h2 id="play">Play it</h2>
<p>Choose a square. On the squares the page can show the agent's prior, where its search looked, what it found, and how each move ends with perfect play.
<span class="keys">With a keyboard, press Tab until you are on the board: the arrows walk over its squares, and Enter plays.</span></p>
<div id="board"></div>
</section>
<section aria-labelledby="think">
<h2 id="think">See it think</h2>
<p>A search of $searched simulations from a position where the network's first look is wrong: step through it, also inside a simulation. Choose a node to look at it, and
a term of the formula to see where it counts. <span class="keys">The arrow keys step, too.</span></p>
<div id="microscope"></div>
</section>
<footer><p>$links</p></footer>
</main>
<script>
"use strict";
$script
</script>
</body>
</html>
"""


def page() -> str:
    """The page, whole. Takes some seconds: every position is searched at every strength. The course's own functions search, whatever is in force."""
    game = TicTacToe()
    with using({}):
        shipped = agents.load(game.name)
        network = CachedNetwork(shipped.network)
        stored = all_answers(game, network)
        scope = Microscope(game, {SHIPPED: SearchAgent(game, network, SEARCHED)})
        for search in reversed(SEARCHES):  # the last one is shown
            for noise in (False,) if search == "uct" else (True, False):
                scope.look(CONTESTED[game.name], simulations=SEARCHED, search=search, noise=noise)
        board = play(game.name, opponents={SHIPPED: shipped, PERFECT: MinimaxAgent(game)}, simulations=SEARCHED)
    data = {"board": {**on_the_board(board), **stored}, "microscope": in_the_microscope(scope)}
    words = as_json(data)
    script = f"{components()}\nconst page = openPage({words});"
    sheet = style("board") + "".join((FOLDER / f"{name}.css").read_text("utf-8") for name in ("microscope", "page"))
    count = f"{len(stored['positions']):,}"
    links = " · ".join(
        f'<a href="{escape(address)}">{escape(words)}</a>' for words, address in links_of_the_page().items()
    )
    return Template(TEMPLATE).substitute(style=sheet, script=script, count=count, searched=SEARCHED, links=links)


def on_the_board(board: Board) -> dict:
    """What the page knows of a board, but for the answers of its agents (`all_answers`)."""
    view = board.view
    view["strength"] = {**view["strength"], "steps": [{"simulations": one, "name": level(one)} for one in STRENGTHS]}
    return {"view": view, "analyzed": board._analysis.who, "perfectly": PERFECTLY, "names": names_of(board.game)}


def in_the_microscope(scope: Microscope) -> dict:
    return {name: getattr(scope, name) for name in ("recordings", "choice", "agents", "said")}


def as_json(data: dict) -> str:
    return json.dumps(data, separators=(",", ":")).replace("<", "\\u003c")  # no tag of the page's ends in them


def components(names: Collection[str] = ("board", "microscope")) -> str:
    """These components and the models that they ask, as a script."""
    parts = [f"const {name} = {as_script(name) if name in names else 'null'};" for name in ("board", "microscope")]
    return "\n".join([_script("course"), *parts, _script("page")])


def links_of_the_page() -> dict[str, str]:
    """Words -> address: the course, if this is a clone that knows where it comes from, and the article."""
    links = {"The article on AlphaZero (Silver and others, 2018)": "https://doi.org/10.1126/science.aar6404"}
    asked = subprocess.run(
        ["git", "config", "remote.origin.url"], cwd=COURSE, capture_output=True, text=True, check=False
    )
    address = re.sub(r"^git@([^:]+):", r"https://\1/", asked.stdout.strip()).removesuffix(".git")
    address = re.sub(r"//[^/@]*@", "//", address)  # no name and no password
    return ({"The course: build it yourself": address} if address.startswith("https://") else {}) | links


def as_script(name: str) -> str:
    """A component's module as an expression, behind `course.js`: no browser imports a module from a file that no server sends."""
    body = _script(name).replace("export default ", "const component = ")
    return f"(() => {{\n{body}\nreturn component;\n}})()"


def _script(name: str) -> str:
    return (FOLDER / f"{name}.js").read_text("utf-8")


def names_of(game: Game) -> list[str]:
    return [game.action_name(action) for action in range(game.num_actions)]


def all_answers(game: TicTacToe, network: CachedNetwork) -> dict:
    """Every position that is not over, and what the agents say of it.

    Returns:
        `positions`: a text for each, "X.O......". `answers`: name -> simulations (of one that has no strength: 0) -> `act`, a digit for each position;
        `value`, a number for each, for the player to move; `prior`, `visits`, `Q`: a number for each legal action of each, null where the agent has
        none. Numbers in thousandths. What an agent never has is left out. Perfect play has `perfect`, too: `Analysis.plies`.
    """
    states = [state for state in solve(game, game.initial_state()) if not game.is_terminal(state)]
    thinkers: dict[str, dict[int, Any]] = {
        SHIPPED: {count: SearchAgent(game, network, count) for count in STRENGTHS},
        PERFECT: {0: MinimaxAgent(game)},
    }
    answers = {
        name: {count: answers_of(game, agent, states) for count, agent in by_strength.items()}
        for name, by_strength in thinkers.items()
    }
    analysis = Analysis(game, None, None)
    answers[PERFECT][0]["perfect"] = [plies for state in states for plies in analysis.plies(state).values()]
    return {
        "positions": ["".join(".XO"[cell] for cell in state.cells) for state in states],
        "answers": answers,
    }


def answers_of(game: TicTacToe, agent, states: list) -> dict[str, Any]:
    act, value = [], []
    shown: dict[str, list[int | None]] = {kind: [] for kind in OVERLAYS[1:-1]}
    for state in states:
        act.append(str(agent.act(state)))
        value.append(rounded(agent.value(state)))
        for kind, numbers in shown.items():
            known = overlay_of(agent, state, kind)
            numbers += [rounded(known.get(action)) for action in game.legal_actions(state)]
    ever = {kind: numbers for kind, numbers in shown.items() if any(number is not None for number in numbers)}
    return {"act": "".join(act), "value": value, **ever}


def rounded(number: float | None) -> int | None:
    return None if number is None else int(np.rint(DIGITS * number))


def main() -> None:
    parser = argparse.ArgumentParser(description="write the static page")
    parser.add_argument("--out", type=Path, default=Path("page"), help="its folder")
    path = parser.parse_args().out / "index.html"
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        write_atomically(path, page())
    except OSError as error:
        sys.exit(f"the page can't be written: {trouble(error)}")
    print(f"{path} is the page: {path.stat().st_size / 1e6:.1f} MB, to be opened in a browser")


if __name__ == "__main__":
    main()
