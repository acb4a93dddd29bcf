"""The course in a browser tab: the folder that `make site` writes, served from here and opened in Chromium without a net."""

import functools
import http.server
import importlib.metadata
import json
import math
import os
import re
import threading
import time
import warnings
import zipfile
from pathlib import Path

import pytest
from playwright.sync_api import expect

from course_utils import record
from course_utils.answers import stubs
from course_utils.authoring.site import CannotBuild, address, write_lab
from course_utils.games import TicTacToe
from course_utils.learner import environment, travel
from course_utils.material import build, first_cell, merging, source_files
from course_utils.material.handout import Handout
from course_utils.paths import COURSE
from tests.browser import Notebook, browser  # noqa: F401
from tests.test_browser import Board
from tests.test_browser_checks import SIGN
from tests.test_browser_microscope import Scope

pytestmark = pytest.mark.slow

PLACES = [os.environ.get("PYODIDE"), *(folder / "shared/data/pyodide" for folder in (COURSE, COURSE.parent))]
PYODIDE = next((Path(place) for place in PLACES if place and Path(place, "pyodide.js").exists()), None)
SECONDS = 240  # for a kernel to start and the course to be imported, on a busy machine
RIGHT = """def legal_actions(state):
    lines = [(0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6)]
    won = any(abs(sum(state.cells[k] for k in line)) == 3 for line in lines)
    return [] if won else [k for k in range(9) if state.cells[k] == 0]"""


class Server(http.server.ThreadingHTTPServer):
    """Serves a folder, counts the bytes, and sends so many bits a second at most."""

    def __init__(self, folder: Path, bits_a_second: float = math.inf):
        self.bits_a_second, self.sent, self.line = bits_a_second, 0, threading.Lock()
        super().__init__(("127.0.0.1", 0), functools.partial(Files, directory=folder))
        self.address = f"http://127.0.0.1:{self.server_port}"
        threading.Thread(target=self.serve_forever, daemon=True).start()


class Files(http.server.SimpleHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def end_headers(self):
        self.send_header("Cache-Control", "max-age=600")  # as hosts of static files say
        super().end_headers()

    def copyfile(self, source, outputfile):
        while chunk := source.read(2**16):
            with self.server.line:
                self.server.sent += len(chunk)
                time.sleep(8 * len(chunk) / self.server.bits_a_second)
            outputfile.write(chunk)


def for_tests(folder: Path) -> None:
    """Let all cells of a notebook be on the page, seen or not."""
    file = folder / "lab/jupyter-lite.json"
    settings = json.loads(file.read_text())
    overrides = settings["jupyter-config-data"]["settingsOverrides"]
    overrides["@jupyterlab/notebook-extension:tracker"]["windowingMode"] = "none"
    file.write_text(json.dumps(settings))


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """Its address. Skips, and says so, without Pyodide's files or what builds the site."""
    folder = tmp_path_factory.mktemp("site")
    try:
        if PYODIDE is None:
            raise CannotBuild("give a folder with Pyodide's files as PYODIDE")
        write_lab(folder / "lab", PYODIDE)
    except CannotBuild as error:
        message = f"NO SITE: the course in a browser tab was not tested: {error}"
        warnings.warn(message)
        pytest.skip(message)
    for_tests(folder)
    server = Server(folder)
    yield server.address
    server.shutdown()


class Tab(Notebook):
    """A notebook of the site, open."""

    def __init__(self, page, site: str, name: str):
        self.page = page
        self.page.set_default_timeout(1000 * SECONDS)
        self.page.goto(f"{site}/{address(name)}")
        self.wait_until_idle()

    def with_text(self, text: str):
        """The code cell in which this stands."""
        return self.page.locator(".jp-CodeCell").filter(has=self.page.locator(".jp-InputArea", has_text=text)).first

    def run(self, cell, seconds: int = SECONDS):
        """Run it, wait until its number stands beside it, and return its output."""
        if (folded := cell.locator(".jp-InputPlaceholder .jp-Placeholder-content")).count():
            folded.click()
        prompt = cell.locator(".jp-InputPrompt")
        before = prompt.inner_text()
        cell.locator(".cm-content").click()
        while prompt.inner_text() == before:  # until the kernel is there, nothing runs
            self.page.keyboard.press("Control+Enter")
            self.page.wait_for_timeout(1000)
        expect(prompt).to_have_text(re.compile(r"\d"), timeout=1000 * seconds)
        return cell.locator(".jp-OutputArea").first

    def write(self, cell, code: str) -> None:
        cell.locator(".cm-content").click()
        self.page.keyboard.press("Control+A")
        self.page.keyboard.insert_text(code)

    def answer(self, name: str, code: str):
        """Fill an exercise in, run it and its check, and return what the check says."""
        cell = self.with_text(f"def {name}(")
        self.write(cell, code)
        self.run(cell)
        return self.run(self.with_text(f"tests.test_{name}({name})"))


@pytest.fixture
def page(browser):  # noqa: F811
    """A page of a browser of its own, which keeps what is stored until the test ends; nothing but the site is asked for anything."""
    context = browser.new_context(viewport={"width": 1280, "height": 800})
    asked = []
    context.on("request", lambda request: asked.append(request.url))
    yield context.new_page()
    context.close()
    assert not [url for url in asked if url.startswith("http") and "//127.0.0.1:" not in url]


def test_a_check_passes_in_the_tab_and_fails_with_its_message(site, page):
    tab = Tab(page, site, "01_the_game")
    expect(page.get_by_role("status").filter(has_text="Python is ready")).to_be_visible(timeout=1000 * SECONDS)
    expect(page.get_by_role("link", name="Back to the course's pages")).to_have_attribute("href", f"{site}/index.html")
    tab.run(tab.cell(0))
    expect(tab.answer("legal_actions", RIGHT)).to_contain_text("10 of 10 cases, 12 of 12 points")
    wrong = RIGHT.replace("[] if won else ", "")
    expect(tab.answer("legal_actions", wrong)).to_contain_text("even after a player has won")


@pytest.mark.full
def test_a_check_that_fails_draws_asks_and_is_watched_in_the_tab(site, page):
    tab = Tab(page, site, "03_puct_search")
    tab.run(tab.cell(0))
    said = tab.answer("backup", SIGN)
    expect(said.locator("figure.yours rect.mk + text").first).to_have_text("W 0.5")
    expect(
        said.get_by_text("Ask yourself: A positive value is good for the player to move at the leaf")
    ).to_be_visible()
    expect(said.get_by_text("forgets to change the sign")).to_be_hidden()
    said.get_by_role("button", name="Watch it").click()
    expect(said.locator(".parting")).to_contain_text("They part in simulation 3, backup: W of cell 7")
    expect(said.locator(".parted")).to_have_count(4)


@pytest.mark.full
def test_a_class_finds_its_notebooks_in_the_tab_with_the_button_to_hand_in_and_without_hidden_checks(tmp_path):
    try:
        write_lab(tmp_path, None, Handout.of("backup train_alphazero", hidden=True))
    except CannotBuild as error:
        pytest.skip(str(error))
    assert sorted(path.name for path in (tmp_path / "files").glob("*.ipynb")) == [
        "03_puct_search.ipynb",
        "05_training_loop.ipynb",
        "99_shelf.ipynb",
    ]
    notebook = (tmp_path / "files" / "03_puct_search.ipynb").read_text("utf-8")
    assert "<summary>Solution" not in notebook and "travel.buttons()" in notebook and "## Hand in" in notebook
    extras = (tmp_path / "files" / "05_training_loop.ipynb").read_text("utf-8")
    assert extras.index("travel.buttons()") < extras.index("## If you want more"), "not in the fold"
    [wheel] = (tmp_path / "wheels").glob("alphazero_course*.whl")
    names = zipfile.ZipFile(wheel).namelist()
    assert not [name for name in names if name.endswith("tests/notebook_03/backup.py")]
    assert [name for name in names if name.endswith("tests/notebook_03/select.py")]
    assert [name for name in names if name.endswith("source/03_puct_search.md")]


@pytest.mark.full
def test_what_was_written_and_passed_is_still_there_when_the_page_is_loaded_again(site, page):
    tab = Tab(page, site, "01_the_game")
    tab.run(tab.cell(0))
    expect(tab.answer("legal_actions", RIGHT)).to_contain_text("12 of 12 points")
    tab.save()
    page.reload()
    tab.wait_until_idle()
    expect(tab.with_text("def legal_actions(")).to_contain_text("[] if won else")
    tab.write(tab.cell(0), "from course_utils import record\nprint(record.load('legal_actions').source)")
    expect(tab.run(tab.cell(0))).to_contain_text("[] if won else")
    tab.write(tab.cell(0), "from course_utils.learner.course_map import Map\n\nMap()")
    expect(tab.run(tab.cell(0))).to_contain_text("On the main road 1 of 19 functions are yours.")


@pytest.mark.full
def test_answers_are_taken_home_and_back(site, page, tmp_path):
    tab = Tab(page, site, "01_the_game")
    tab.run(tab.cell(0))
    expect(tab.answer("legal_actions", RIGHT)).to_contain_text("12 of 12 points")
    tab.write(tab.cell(0), "from course_utils.learner import travel\n\ntravel.buttons()")
    buttons = tab.run(tab.cell(0))
    with page.expect_download() as download:
        buttons.get_by_role("button", name="Take my answers along").click()
    home, folder = tmp_path / "notebooks", tmp_path / ".course"
    home.mkdir()
    notebook = merging.to_text(build.build(source_files.sources("01")[0]))
    (home / "01_the_game.ipynb").write_text(notebook, "utf-8")
    travel.take_in(download.value.path().read_bytes(), home, folder)
    assert record.load("legal_actions", folder).source.strip() == RIGHT
    assert "[] if won else" in (home / "01_the_game.ipynb").read_text("utf-8")
    later = "# written at home\n" + stubs.reference("winner")
    record.save(record.Answer("winner", later, 10, 10, True), folder)
    file = tmp_path / "from-home.answers"
    file.write_bytes(travel.pack(home, folder))
    buttons.locator("input[type=file]").set_input_files(file)
    buttons.get_by_role("button", name="Take it in").click()
    expect(buttons.get_by_role("status")).to_contain_text("2 answers that passed")
    tab.write(tab.cell(0), "from course_utils import record\nprint(record.load('winner').source)")
    expect(tab.run(tab.cell(0))).to_contain_text("written at home")


@pytest.mark.full
def test_an_agent_leaves_the_tab_as_a_page_that_opens_from_a_disk_without_a_net(site, page, browser, tmp_path):  # noqa: F811
    tab = Tab(page, site, "10_one_evening")
    keep = 'from course_utils import agents, mine\nmine.save_agent(agents.load("tictactoe").network.net, "tictactoe")\n'
    tab.write(tab.cell(0), f"{keep}from course_utils.learner import keepsake\n\nkeepsake.buttons()")
    buttons = tab.run(tab.cell(0))
    buttons.get_by_label("Your name").fill("Ada")
    with page.expect_download(timeout=1000 * SECONDS) as download:
        buttons.get_by_role("button", name="Save my agent's page").click()
    download.value.save_as(tmp_path / "agent.html")
    context = browser.new_context(offline=True)
    agents_page = context.new_page()
    agents_page.goto((tmp_path / "agent.html").as_uri())
    expect(agents_page.get_by_role("img", name="This agent can't be beaten")).to_be_visible()
    board = Board(agents_page.locator(".board"), TicTacToe())
    board.click(4)
    assert len(board.accepted()) == 2
    context.close()


@pytest.mark.full
def test_a_phone_shows_a_board_to_play_on(site, browser):  # noqa: F811
    game = TicTacToe()
    context = browser.new_context(viewport={"width": 390, "height": 844}, has_touch=True, is_mobile=True)
    tab = Tab(context.new_page(), site, "00_welcome")
    board = Board(tab.run(tab.with_text('ui.play("tictactoe")')), game)
    boxes = [board.squares.nth(action).bounding_box() for action in range(9)]
    assert all(box["x"] >= 0 and box["x"] + box["width"] <= 390 and box["width"] >= 40 for box in boxes)
    board.click(0)
    board.expect([0, 4], "X (you) to move")
    context.close()


@pytest.mark.full
def test_a_board_is_played_by_mouse_and_the_microscope_steps(site, page):
    game = TicTacToe()
    tab = Tab(page, site, "01_the_game")
    tab.write(tab.cell(0), 'from course_utils import ui\nui.play("tictactoe")')
    board = Board(tab.run(tab.cell(0)), game)
    board.expect([], "X (you) to move")
    board.click(0)
    board.expect([0, 4], "X (you) to move")
    board.press("Undo")
    board.expect([])
    tab.write(tab.cell(0), 'ui.microscope("tictactoe", simulations=8)')
    scope = Scope(tab.run(tab.cell(0)))
    scope.press("To the start")
    for simulations in (1, 2, 3):
        scope.press("One simulation on")
        expect(scope.root).to_have_attribute("data-simulation", str(simulations))


@pytest.mark.full
def test_a_cell_that_runs_again_in_the_tab_has_one_board(site, page):
    tab = Tab(page, site, "01_the_game")
    tab.write(tab.cell(0), "from course_utils import ui\nui.play()")
    tab.write(tab.cell(1), "len(get_ipython().kernel.comm_manager.comms)")
    counted = []
    for _ in range(3):
        output = tab.run(tab.cell(0))
        Board(output, TicTacToe()).expect([])
        counted.append(tab.run(tab.cell(1)).inner_text().split()[-1])
    assert output.locator(".board").count() == 1
    assert len({*counted}) == 1, counted


def run_whole(tab: Tab, number: str, seconds: int = 900) -> list[str]:
    """Run every cell of the notebook from top to bottom, exercises with ours, and return what each shows; none shows an error."""
    (source,) = source_files.sources(number)
    texts = []
    tab.page.evaluate("jupyterapp.commands.execute('notebook:expand-all-headings')")  # extras are folded
    codes = [cell for cell in build.build(source).cells if cell.cell_type == "code"]
    for place, cell in enumerate(codes):
        there = tab.page.locator(".jp-CodeCell").nth(place)
        if "exercise" in cell.metadata:
            tab.write(there, stubs.reference(cell.metadata.exercise))
        output = tab.run(there, seconds)
        expect(there.locator("[data-mime-type='application/vnd.jupyter.stderr']")).to_have_count(0)
        texts.append(output.inner_text() if output.count() else "")
    return texts


CALLS_ITSELF = "def network_forward(net, planes):\n    return net(planes)"


@pytest.mark.full
def test_the_network_is_written_and_learns_in_the_tab(site, page):
    tab = Tab(page, site, "02_the_network")
    for number in range(4):
        tab.run(tab.cell(number))
    expect(tab.answer("network_forward", CALLS_ITSELF)).to_contain_text("which calls this function again")
    shown = run_whole(tab, "02")
    assert sum("points" in text for text in shown) == 2
    assert any("step 5: value 0." in text for text in shown)


DASHBOARD_SEEN = "window.seen = new Set(); setInterval(() => document.querySelectorAll('.dashboard .head').forEach((one) => seen.add(one.textContent)), 300)"


@pytest.mark.full
def test_alphazero_is_trained_proven_and_kept_in_the_tab_and_plays_in_the_next_notebook(site, page):
    tab = Tab(page, site, "05_training_loop")
    page.evaluate(DASHBOARD_SEEN)
    shown = run_whole(tab, "05")
    assert page.evaluate("seen.size") > 5, "the dashboard goes along while it trains"
    assert sum("points" in text for text in shown) == 3
    assert any("Proven: " in text or "Not there yet" in text for text in shown)
    tab = Tab(page, site, "06_play")
    tab.run(tab.cell(0))
    expect(tab.run(tab.with_text('yours = mine.agent("tictactoe"'))).to_contain_text("the network that you trained")
    expect(tab.run(tab.with_text('{"your agent": yours}'))).to_contain_text("O (you) to move")  # it has moved first


def test_a_tab_has_a_small_torch_and_misses_nothing(monkeypatch, tmp_path, capsys):
    monkeypatch.setattr(first_cell, "COURSE", tmp_path)  # no pyproject.toml there
    monkeypatch.setattr(environment, "INSTALLED", True)
    monkeypatch.setattr(importlib.metadata, "version", {"torch": "0.0"}.get)
    environment.report()
    assert "Everything is here" in (said := capsys.readouterr().out) and "a small torch" in said


@pytest.mark.full
def test_run_all_goes_through_open_exercises_and_a_thousand_lines_are_soon_there(site, page):
    tab = Tab(page, site, "01_the_game")
    last = page.locator(".jp-CodeCell").count() - 1
    tab.write(tab.cell(last), "for number in range(1000):\n    print('line', number)")
    tab.command("Run", "Run All Cells")
    expect(page.locator(".jp-CodeCell").nth(last).locator(".jp-OutputArea")).to_contain_text("line 999")
    expect(tab.with_text("tests.test_legal_actions(").locator(".jp-OutputArea").first).to_contain_text("CheckFailed")


@pytest.mark.full
def test_the_tab_is_dark_where_the_system_is(site, browser):  # noqa: F811
    context = browser.new_context(color_scheme="dark")
    tab = Tab(context.new_page(), site, "01_the_game")
    expect(tab.page.locator("body")).to_have_attribute("data-jp-theme-light", "false")
    context.close()


SLOW_ITERATIONS = """from course_utils import ui
from course_utils.games import TicTacToe
from course_utils.learning.config import TrainingConfig
from course_utils.learning.run import Run
from course_utils.learning.training import train_alphazero

run = Run.start(TicTacToe(), TrainingConfig(iterations=500, games=2, simulations=2, steps=1), seed=0)"""

GOES_ON = """from dataclasses import replace

before = len(run.history)
run.config = replace(run.config, iterations=before + 2)
train_alphazero(run, ui.Dashboard(run))
print(len(run.history) - before, "more")"""


@pytest.mark.full
def test_the_square_button_stops_a_training_in_the_tab_and_it_goes_on(site, page):
    tab = Tab(page, site, "01_the_game")
    tab.run(tab.cell(0))
    first, second, third = (tab.cell(number) for number in (1, 2, 3))
    tab.write(first, SLOW_ITERATIONS)
    tab.run(first)
    tab.write(second, "train_alphazero(run, ui.Dashboard(run))")
    second.locator(".cm-content").click()
    page.keyboard.press("Control+Enter")
    expect(second.locator(".dashboard")).to_be_visible(timeout=1000 * SECONDS)
    page.locator("[data-command='notebook:interrupt-kernel']").first.click()
    notice = page.locator("#course-notice")
    expect(notice).to_contain_text("stops after this iteration")
    expect(second.locator(".jp-OutputArea").first).to_contain_text("Interrupted in iteration", timeout=1000 * SECONDS)
    tab.write(third, GOES_ON)
    expect(tab.run(third)).to_contain_text("2 more")


@pytest.mark.full
def test_an_endless_loop_is_ended_in_the_tab(site, page):
    tab = Tab(page, site, "01_the_game")
    tab.run(tab.cell(0))
    endless = "def legal_actions(state):\n    while True:\n        pass"
    expect(tab.answer("legal_actions", endless)).to_contain_text("does your loop end?")


TRAINING = """import numpy as np
from course_utils.games import TicTacToe
from course_utils.learning.by_hand import alphazero_by_hand
from course_utils.learning.proof import tictactoe_key
from course_utils.networks.by_hand import Mlp, random_weights

rng, key = np.random.default_rng(0), tictactoe_key()
for weights in alphazero_by_hand(TicTacToe(), random_weights(18, 64, 9, rng), rng):
    lost = sum(key.losing_lines(key.moves(Mlp(weights), 0)))
    if lost == 0:
        break
print("lost", lost)"""


@pytest.mark.full
def test_alphazero_with_the_network_by_hand_is_trained_in_the_tab_until_nobody_can_beat_it(site, page):
    tab = Tab(page, site, "01_the_game")
    tab.write(tab.cell(0), TRAINING)
    expect(tab.run(tab.cell(0))).to_contain_text("lost 0")
