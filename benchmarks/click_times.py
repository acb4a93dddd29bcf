"""From a click to the stone, and to the agent's answer, as a page in a real browser shows them: the board of now and one of before.

Both JupyterLabs run at once, each on its own version of the course; the boards are clicked in turns. Every click is on a new board, so that
its agent remembers nothing; one click on each comes before, unmeasured.
"""

import os
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from statistics import median

from benchmarks.command import command
from benchmarks.shown import table_of
from course_utils import THREADS
from course_utils.games import make_game
from course_utils.paths import COURSE
from course_utils.results import Result, Row, table

SETTLED = 400  # ms after a board has been drawn
SLOWEST = 300_000  # ms for an answer: two threads on a busy machine
STONES = {  # what to count in a cell's output
    "now": "output => output.querySelectorAll('.stones > g').length",
    "before": "output => [...output.querySelectorAll('button')].filter(one => /^[XO]$/.test(one.textContent.trim())).length",
}
SQUARES = {"now": "[role=gridcell]", "before": ".widget-gridbox button"}
WATCH = """([number, stones]) => {
    const output = document.querySelectorAll(".jp-CodeCell .jp-OutputArea")[number];
    const count = eval(stones);
    let clicked = null;
    const seen = (window.seen = {});  // how many stones -> ms from the click until they stood in the document
    output.addEventListener("click", (event) => (clicked ??= event.timeStamp), { capture: true });
    const look = () => {
        for (let stones = count(output); clicked !== null && stones > 0; stones--) seen[stones] ??= performance.now() - clicked;
    };
    window.watching?.disconnect();
    window.watching = new MutationObserver(look);
    window.watching.observe(output, { subtree: true, childList: true, attributes: true, characterData: true });
}"""


@command("click_times")
def click_times(
    before="bae1db4", repeats=7, simulations=(50, 100, 400), quick=False, seeds=(0,)
) -> Iterator[list[Row]]:
    """Milliseconds from a click to the stone and to the answer: the board of now, and that of the commit `before`, by game and simulations."""
    from playwright.sync_api import sync_playwright

    from tests.browser import Lab

    for name in THREADS:
        os.environ.pop(name, None)  # the course is to set them itself
    tried = [(game, count) for game in ("tictactoe", "connect_four") for count in simulations]
    cells = [f"from course_utils import ui\nui.play({game!r}, simulations={count})" for game, count in tried]
    with sync_playwright() as playwright, checked_out(before) as course, tempfile.TemporaryDirectory() as folder:
        labs: dict[str, Lab] = {}
        try:
            for board, where in (("before", course), ("now", COURSE)):
                place = Path(folder, board)
                place.mkdir()
                labs[board] = Lab(playwright, place, course=where)
            notebooks = {board: lab.open(*cells) for board, lab in labs.items()}
            for number, (game, count) in enumerate(tried):
                rows = []
                for repeat in range(-1, repeats):
                    action = repeat % make_game(game).num_actions
                    for board, notebook in notebooks.items():
                        stone, reply = clicked(notebook, board, number, action)
                        rows.append(
                            dict(board=board, game=game, simulations=count, action=action, stone=stone, reply=reply)
                        )
                yield rows[len(notebooks) :]
        finally:
            for lab in labs.values():
                lab.close()


def clicked(notebook, board: str, number: int, action: int) -> tuple[float, float]:
    """Milliseconds until the stone and until the answer, after a click on a new board in the cell of this number."""
    notebook.run(number)
    square = notebook.output(number).locator(SQUARES[board]).nth(action)
    square.scroll_into_view_if_needed()
    notebook.page.wait_for_timeout(SETTLED)
    notebook.page.evaluate(WATCH, [number, STONES[board]])
    square.click()
    notebook.page.wait_for_function("window.seen[2] !== undefined", timeout=SLOWEST)
    seen = notebook.page.evaluate("window.seen")
    return round(seen["1"], 1), round(seen["2"], 1)


@contextmanager
def checked_out(commit: str) -> Iterator[Path]:
    """The course as it was, in a folder that ends with the block. Raises ValueError: there is no such commit here."""
    git = ["git", "-C", str(COURSE), "worktree"]
    with tempfile.TemporaryDirectory() as folder:
        course = Path(folder, "course")
        made = subprocess.run([*git, "add", "--detach", course, commit], capture_output=True, text=True)
        if made.returncode:
            raise ValueError(f"the commit {commit} can't be checked out: {made.stderr.strip().splitlines()[-1]}")
        try:
            yield course
        finally:
            subprocess.run([*git, "remove", "--force", course], check=True)


@table_of("click_times")
def milliseconds(result: Result) -> str:
    """The median over all clicks, in brackets the longest."""
    lines = []
    for game, count in dict.fromkeys((row["game"], row["simulations"]) for row in result.rows):
        line: Row = {"game": game, "simulations": count}
        for what in ("stone", "reply"):
            for board in ("before", "now"):
                times = [row[what] for row in result.where(board=board, game=game, simulations=count)]
                line[f"{what}, {board}"] = f"{median(times):.0f} ({max(times):.0f})"
        lines.append(line)
    return table(lines)
