"""From a click to the stone, and to the agent's answer, as a page in a real browser shows them.

Every click is on a new board, so that its agent remembers nothing; one click on each comes before, unmeasured.
"""

import os
import tempfile
from collections.abc import Iterator
from pathlib import Path
from statistics import median

from course_utils import THREADS
from course_utils.games import make_game
from course_utils.results import Result, Row, table
from lab.command import command
from lab.shown import table_of

SETTLED = 400  # ms after a board has been drawn
SLOWEST = 300_000  # ms for an answer: two threads on a busy machine
WATCH = """(number) => {
    const output = document.querySelectorAll(".jp-CodeCell .jp-OutputArea")[number];
    let clicked = null;
    const seen = (window.seen = {});  // how many stones -> ms from the click until they stood in the document
    output.addEventListener("click", (event) => (clicked ??= event.timeStamp), { capture: true });
    const look = () => {
        let stones = output.querySelectorAll(".stones > g").length;
        for (; clicked !== null && stones > 0; stones--) seen[stones] ??= performance.now() - clicked;
    };
    window.watching?.disconnect();
    window.watching = new MutationObserver(look);
    window.watching.observe(output, { subtree: true, childList: true, attributes: true, characterData: true });
}"""


@command("click_times")
def click_times(repeats=7, simulations=(50, 100, 400), seeds=(0,)) -> Iterator[list[Row]]:
    """Milliseconds from a click to the stone and to the answer, by game and simulations."""
    from playwright.sync_api import sync_playwright

    from tests.browser import Lab

    for name in THREADS:
        os.environ.pop(name, None)  # the course is to set them itself
    tried = [(game, count) for game in ("tictactoe", "connect_four") for count in simulations]
    cells = [f"from course_utils import ui\nui.play({game!r}, simulations={count})" for game, count in tried]
    with sync_playwright() as playwright, tempfile.TemporaryDirectory() as folder:
        lab = Lab(playwright, Path(folder))
        try:
            notebook = lab.open(*cells)
            for number, (game, count) in enumerate(tried):
                rows = []
                for repeat in range(-1, repeats):
                    action = repeat % make_game(game).num_actions
                    stone, reply = clicked(notebook, number, action)
                    rows.append(dict(game=game, simulations=count, action=action, stone=stone, reply=reply))
                yield rows[1:]
        finally:
            lab.close()


def clicked(notebook, number: int, action: int) -> tuple[float, float]:
    """Milliseconds until the stone and until the answer, after a click on a new board in the cell of this number."""
    notebook.run(number)
    square = notebook.output(number).locator("[role=gridcell]").nth(action)
    square.scroll_into_view_if_needed()
    notebook.page.wait_for_timeout(SETTLED)
    notebook.page.evaluate(WATCH, number)
    square.click()
    notebook.page.wait_for_function("window.seen[2] !== undefined", timeout=SLOWEST)
    seen = notebook.page.evaluate("window.seen")
    return round(seen["1"], 1), round(seen["2"], 1)


@table_of("click_times")
def milliseconds(result: Result) -> str:
    """The median over all clicks, in brackets the longest."""
    lines = []
    for game, count in dict.fromkeys((row["game"], row["simulations"]) for row in result.rows):
        line: Row = {"game": game, "simulations": count}
        for what in ("stone", "reply"):
            times = [row[what] for row in result.where(game=game, simulations=count)]
            line[what] = f"{median(times):.0f} ({max(times):.0f})"
        lines.append(line)
    return table(lines)
