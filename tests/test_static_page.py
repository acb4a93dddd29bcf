"""The static page, in a real browser: what a person sees who opens the file, and that it says what the board of Python says."""

import json
import os
import random
import subprocess
import sys

import pytest
from playwright.sync_api import expect

from course_utils import agents
from course_utils.agents import MinimaxAgent
from course_utils.games import TicTacToe, after
from course_utils.paths import COURSE
from course_utils.search.puct import mcts_search
from course_utils.ui import page as static
from course_utils.ui import play
from course_utils.ui.board import OVERLAYS
from tests.board_table import BEGIN, TABLE, assert_shows
from tests.browser import browser, violations  # noqa: F401
from tests.test_browser import Board
from tests.test_browser_microscope import Scope
from tests.test_browser_microscope import assert_shows as assert_scope_shows

pytestmark = pytest.mark.slow

GAME = TicTacToe()


@pytest.fixture(scope="module")
def file(tmp_path_factory):
    folder = tmp_path_factory.mktemp("a page") / "of mine"
    command = [sys.executable, "-m", "course_utils", "page", "--out", folder]
    subprocess.run(
        command,
        cwd=COURSE,
        env={**os.environ, "COURSE_READY": "1", "COURSE_RECORD": str(folder.parent / "record")},
        check=True,
    )
    return folder / "index.html"


@pytest.fixture
def opened(browser, file):  # noqa: F811
    """The page, from its file and without a net; nothing else may be asked for, and no script may fail."""
    context = browser.new_context(viewport={"width": 1400, "height": 1000}, offline=True)
    page = context.new_page()
    asked, failed = [], []
    page.on("request", lambda request: asked.append(request.url))
    page.on("pageerror", lambda error: failed.append(str(error)))
    page.on("console", lambda said: failed.append(said.text) if said.type == "error" else None)
    page.goto(file.as_uri())
    yield page
    assert [url for url in asked if not url.startswith("data:")] == [file.as_uri()]
    assert not failed
    context.close()


@pytest.fixture
def board(opened):
    found = Board(opened.locator("#board .board"), GAME)
    found.expect([], "X (you) to move")
    return found


# --- what a person sees --------------------------------------------------------------------------------------------------


def test_a_game_by_keyboard_alone(board, opened):
    opened.keyboard.press("Tab")
    opened.keyboard.press("Control+Home")
    moves = []
    while not GAME.is_terminal(after(GAME, moves)):
        moves = board.accepted()
        board.keys(str(min(GAME.legal_actions(after(GAME, moves)))), "Enter")
        expect(board.output.locator(".moves li")).not_to_have_count(len(moves) + 1)
        moves = board.accepted()
    board.expect(moves, "The game is over")


SEND = """async ([name, message]) => {
    const board = page[name];
    board.send({ ...message, version: board.get("view").version });
    do await new Promise((done) => setTimeout(done, 5)); while (board.get("view").heard.test !== Number(message.id.slice(5)) || board.playing || board.answers.looking);
    return board.get("view");
}"""  # and wait until no agent is to move, and nothing more is to be found out
MESSAGES = [
    *[{"do": "play"}] * 12,
    {"do": "hint"},
    {"do": "new"},
    {"do": "undo"},
    {"do": "undo"},
    {"do": "swap"},
    {"do": "step"},
    {"do": "run"},
    {"do": "pause"},
    *[{"do": "look"}] * 12,
    *[{"do": "take_up"}] * 6,
    {"do": "set_up", "text": "[4, 0, 8, 2]"},
    {"do": "set_up", "text": "0 4 0"},
    {"do": "set_up", "text": ""},
    {"do": "set_up", "text": "[]"},
    {"do": "set_up", "text": "0 3 1 4 2 5"},
    {"do": "set_up", "text": "0, 1, 4, 2, 6, 5, 3"},
    {"do": "set_up", "text": "0 1 2 3 5 4 6 8 7"},
    *[{"do": "overlay", "kind": kind} for kind in OVERLAYS],
    *[{"do": do, "on": on} for do in ("value", "mistakes") for on in (True, True, False)],
    *[{"do": "strength", "simulations": simulations} for simulations in (0, 10, 50)],
    *[{"do": "player", "side": side, "name": name} for side in (1, -1) for name in (static.SHIPPED, static.PERFECT)],
    *[{"do": "player", "side": side, "name": "you"} for side in (1, -1)] * 3,
]


def test_the_page_does_what_it_is_told(opened):
    number = 0

    def tell(message: dict) -> dict:
        nonlocal number
        number += 1
        return opened.evaluate(SEND, ["board", {**message, "id": f"test-{number}"}])

    for script in TABLE.values():
        for message in BEGIN:
            view = tell(message)
        for message, moves, said, more in script:
            why = view["refusals"].get(str(message.get("action")))
            if why:  # `board.js` says so, and sends nothing
                assert said == why
            else:
                view = tell(message)
                assert_shows(view, moves, said, more)


OPPONENTS = {
    "board": ("tictactoe", {static.SHIPPED: agents.load("tictactoe"), static.PERFECT: MinimaxAgent(GAME)}, 250),
    "connect_four": ("connect_four", {static.SHIPPED: agents.load("connect_four")}, 120),
}
WITHOUT_A_SOLVER = [  # of what Python tells of mistakes in Connect Four a part is a solver's, which the page has not
    *(message for message in MESSAGES if message.get("kind") != "perfect" and message["do"] != "mistakes"),
    *[{"do": "set_up", "text": text} for text in ("3 3 3 3 3 3", "0 1 0 1 0 1 0", "0 0 0 0 0 0 0", "7")],
]


@pytest.mark.parametrize("name", OPPONENTS)
def test_whatever_one_does_the_page_shows_what_the_board_of_python_would(opened, monkeypatch, name):
    monkeypatch.setattr(
        "course_utils.ui.board.running_loop", lambda: None
    )  # the browser's is not for agents: they answer at once
    rng = random.Random(1)
    game_name, opponents, count = OPPONENTS[name]
    board = play(game_name, opponents=opponents, simulations=50)
    messages = [
        one
        for one in (MESSAGES if name == "board" else WITHOUT_A_SOLVER)
        if one.get("name", "you") in ("you", *opponents)
    ]
    number = 0

    def told(message: dict) -> dict:
        nonlocal number
        number += 1
        board._receive(None, {**message, "version": board._version})
        return opened.evaluate(SEND, [name, {**message, "id": f"test-{number}"}])

    told({"do": "speed", "speed": "fast"})
    if name == "connect_four":
        told({"do": "strength", "simulations": 10})
    for _ in range(count):
        view, message = board.view, {**rng.choice(messages)}
        if message["do"] == "play":
            if not view["yours"]:
                message = {"do": "step"} if view["watching"] else {"do": "new"}
            else:
                message["action"] = int(rng.choice(list(view["landing"])))
        if message["do"] == "look":
            message["ply"] = rng.choice([None, *range(len(view["actions"]) + 1)])
        if message["do"] == "take_up":
            message["actions"] = rng.choice([line["actions"] for line in view["lines"]] or [[0]])
        shown = told(message)
        expected = json.loads(json.dumps(board.view))
        assert values_of(shown) == pytest.approx(values_of(expected), abs=0.02 if name == "connect_four" else 1e-4)
        assert words_of(shown) == words_of(expected), (number, message)


def test_overlays_are_shown_between_the_moves_of_agents(opened):
    for number, message in enumerate(
        [
            {"do": "new"},
            {"do": "player", "side": 1, "name": static.PERFECT},
            {"do": "player", "side": -1, "name": static.SHIPPED},
            {"do": "overlay", "kind": "Q"},
            {"do": "speed", "speed": "slow"},
        ],
        500,
    ):
        opened.evaluate(SEND, ["board", {**message, "id": f"test-{number}"}])
    opened.evaluate("page.board.send({ do: 'run', id: 'test-600' })")
    expect(opened.locator("#board .shares text").first).to_be_visible()
    opened.evaluate(SEND, ["board", {"do": "pause", "id": "test-601"}])


def values_of(view: dict) -> dict:
    """The numbers."""
    shares = view["overlay"]["shares"] if view["overlay"] else {}
    return {**dict(enumerate(view["values"])), **shares}


def words_of(view: dict) -> dict:
    """All else that has to be the same."""
    overlay = view["overlay"] and {**view["overlay"], "shares": None}
    rest = {
        name: value
        for name, value in view.items()
        if name not in ("version", "heard", "strength", "values", "overlays")
    }
    return {**rest, "overlay": overlay, "strength": view["strength"]["simulations"]}


def test_the_microscope_steps_through_the_recorded_searches_and_offers_no_other(opened):
    scope, shipped, state = (
        Scope(opened.locator("main")),
        agents.load("tictactoe"),
        after(GAME, static.CONTESTED["tictactoe"]),
    )
    for count in (7, 8, 7):  # forwards and backwards
        while scope.data()["simulation"] != str(count):
            scope.press("One simulation on" if int(scope.data()["simulation"]) < count else "One simulation back")
        scope.root.locator(".walk .stop").first.click()
        _, root = mcts_search(GAME, state, shipped.network, count, shipped.c_puct, return_root=True)
        assert_scope_shows(scope.table(), root)
    scope.press("To the end")
    for name in ("uct", "batched", "puct"):
        scope.root.get_by_label("search", exact=True).select_option(name)
        expect(scope.root.locator(".where")).to_contain_text(f"of {static.SEARCHED}")
        assert scope.root.get_by_label("root noise").is_disabled() == (name == "uct")
    scope.root.get_by_label("root noise").check()
    scope.press("To the start")
    expect(scope.root.locator("tbody")).to_contain_text("was ")
    assert scope.root.get_by_label("simulations", exact=True).locator("option").all_inner_texts() == ["50"]
    assert scope.root.get_by_role("button", name="Search from here").count() == 0


def test_the_page_links_to_where_it_comes_from_and_speaks_of_keys_only_where_there_are_some(opened, browser, file):  # noqa: F811
    assert (
        opened.get_by_role("link", name="The article on AlphaZero").get_attribute("href")
        == "https://doi.org/10.1126/science.aar6404"
    )
    expect(opened.locator(".keys").first).to_be_visible()
    phone = browser.new_context(viewport={"width": 390, "height": 800}, has_touch=True, is_mobile=True).new_page()
    phone.goto(file.as_uri())
    expect(phone.locator("#board .status")).to_be_visible()
    for keys in phone.locator(".keys").all():
        expect(keys).to_be_hidden()
    phone.context.close()


@pytest.mark.parametrize(
    ("origin", "address"),
    [
        ("git@example.org:ann/alphazero.git", "https://example.org/ann/alphazero"),
        ("https://example.org/ann/alphazero.git", "https://example.org/ann/alphazero"),
        ("https://ann:secret@example.org/ann/alphazero", "https://example.org/ann/alphazero"),
        ("/srv/a clone", None),
        (None, None),
    ],
)
def test_the_page_links_to_the_course_of_which_this_is_a_clone(tmp_path, monkeypatch, origin, address):
    subprocess.run(["git", "init", "-q", tmp_path], check=True)
    if origin:
        subprocess.run(["git", "remote", "add", "origin", origin], cwd=tmp_path, check=True)
    monkeypatch.setattr(static, "COURSE", tmp_path)
    assert static.links_of_the_page().get("The course: build it yourself") == address


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1400, 700, 390])
def test_it_fits_its_window_and_nobody_meets_a_serious_obstacle(opened, scheme, width):
    opened.emulate_media(color_scheme=scheme)
    opened.set_viewport_size({"width": width, "height": 1000})
    assert opened.evaluate("document.documentElement.scrollWidth") <= width
    assert violations(opened, "body") == []
