"""The course in a browser tab: from a click to the first check that passes, and the speed of a search there."""

import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from course_utils.results import Result, Row, table
from lab.command import command
from lab.shown import table_of

SEARCH = """
import time
import numpy as np
from course_utils.games import TicTacToe
from course_utils.search.puct import mcts_search
game = TicTacToe()
uniform = lambda planes: (np.zeros(len(planes)), np.zeros((len(planes), game.num_actions)))
began = time.perf_counter()
mcts_search(game, game.initial_state(), uniform, {simulations}, 1.5)
rate = round({simulations} / (time.perf_counter() - began))
print(rate)
"""


@command("tab")
def tab(megabits=20.0, simulations=2000, seeds=(0,)) -> Iterator[list[Row]]:
    """Seconds and megabytes to the first passed check on a line of so many Mbit/s, cold and warm; and search speed."""
    from playwright.sync_api import expect, sync_playwright

    from course_utils.authoring.site import write_lab
    from tests.browser import launched
    from tests.test_site import PYODIDE, RIGHT, Server, Tab, for_tests

    with tempfile.TemporaryDirectory() as temporary, sync_playwright() as playwright:
        folder = Path(temporary)
        began = time.perf_counter()
        write_lab(folder / "lab", PYODIDE)
        built = time.perf_counter() - began
        size = sum(path.stat().st_size for path in (folder / "lab").rglob("*") if path.is_file())
        beside = sum(path.stat().st_size for path in (folder / "lab/pyodide").rglob("*"))
        yield [
            dict(what="the site without Pyodide", seconds=round(built, 1), megabytes=round((size - beside) / 1e6, 1))
        ]
        for_tests(folder)
        server, browser = Server(folder, 1e6 * megabits), launched(playwright, folder / "profile")
        page = browser.new_page()
        for what in ("to the first passed check, cold", "to the first passed check, warm"):
            server.sent, began = 0, time.perf_counter()
            notebook = Tab(page, server.address, "01_the_game")
            notebook.run(notebook.cell(0))
            expect(notebook.answer("legal_actions", RIGHT)).to_contain_text("12 of 12 points")
            seconds = time.perf_counter() - began
            yield [dict(what=what, seconds=round(seconds, 1), megabytes=round(server.sent / 1e6, 1))]
        search = SEARCH.format(simulations=simulations)
        notebook.write(notebook.cell(0), search)
        there = int(notebook.run(notebook.cell(0)).inner_text())
        browser.close()
        here: dict = {}
        exec(search, here)
        yield [dict(what="simulations a second in the tab", rate=there), dict(what="natively", rate=here["rate"])]


@table_of("tab")
def what_was_seen(result: Result) -> str:
    return table(
        result.rows,
        {
            "": "{what}",
            "seconds": lambda row: f"{row['seconds']:.0f}" if "seconds" in row else "",
            "megabytes": lambda row: f"{row['megabytes']:.0f}" if "megabytes" in row else "",
            "simulations a second": lambda row: f"{row['rate']:,}" if "rate" in row else "",
        },
    )
