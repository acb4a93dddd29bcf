"""What stands on the page, and what clicks and keys do to it: the board in JupyterLab, in a real browser.

After whatever a test does, `Board.shown` is what the page shows, read from its squares, and must equal a replay of the moves that were accepted.
"""

import os
import random
import re
import signal
import subprocess
import sys

import nbformat
import numpy as np
import pytest
from playwright.sync_api import expect

from course_utils import agents
from course_utils.agents import SearchAgent
from course_utils.games import ConnectFour, TicTacToe, after
from course_utils.games.hex import Hex
from course_utils.learner import travel
from course_utils.material import build, source_files
from course_utils.networks.policy_value import TorchNetwork, make_network
from course_utils.paths import COURSE
from course_utils.pictures import WIDGET
from course_utils.ui.page import PERFECT
from tests.board_table import BEGIN, GIVEN, TABLE
from tests.browser import LAPTOPS, answers, free_port, lab, until  # noqa: F401

AGENTS = """
import time
from course_utils import agents, ui
from course_utils.agents import MinimaxAgent
from course_utils.material import build
from course_utils.material import source_files
from course_utils.games import ConnectFour, TicTacToe
from course_utils.networks.policy_value import TorchNetwork, make_network

class LastColumn:
    def __init__(self, seconds): self.seconds = seconds
    def act(self, state):
        time.sleep(self.seconds)
        return max(ConnectFour().legal_actions(state))

perfect = MinimaxAgent(TicTacToe())
boards = {
    "perfect": ui.play("tictactoe", opponents={"perfect": perfect, "also perfect": perfect}),
    "quick": ui.play("connect_four", opponents={"quick": LastColumn(0)}),
    "slow": ui.play("connect_four", opponents={"slow": LastColumn(1.2), "quick": LastColumn(0)}),
    "as in the table": ui.play("tictactoe", opponents=GIVEN),
    "your network, iteration 0": ui.play("tictactoe", checkpoints={
        0: TorchNetwork(make_network(TicTacToe(), 0)), 12: agents.load("tictactoe").network}),
}
""".replace("GIVEN", GIVEN)
NAMES = ("perfect", "quick", "slow", "as in the table", "your network, iteration 0")
GAMES = {
    "perfect": TicTacToe(),
    "quick": ConnectFour(),
    "slow": ConnectFour(),
    "as in the table": TicTacToe(),
    "your network, iteration 0": TicTacToe(),
}
MARKS = {"X": 1, "O": -1, "free": 0}


class Board:
    """A board as it stands on the page."""

    def __init__(self, output, game):
        self.output, self.game, self.page = output, game, output.page
        self.squares, self.status = output.get_by_role("gridcell"), output.get_by_role("status")

    # --- what is seen

    @property
    def labels(self) -> list[str]:
        return self.squares.evaluate_all("squares => squares.map(square => square.getAttribute('aria-label'))")

    @property
    def shown(self) -> np.ndarray:
        """[rows, columns] of +1, -1, 0, by the squares' names; the stones that are drawn must be the same."""
        cells = np.array([MARKS[label.split(", ")[2]] for label in self.labels]).reshape(self.game.rows, -1)
        drawn = np.zeros_like(cells)
        for side, where in self.output.locator(".stones > g").evaluate_all(
            "stones => stones.map(stone => [stone.firstChild.classList.contains('x') ? 1 : -1, stone.getAttribute('transform')])"
        ):
            column, row = (int(float(number) // 100) for number in re.findall(r"[\d.]+", where))
            assert drawn[row, column] == 0, "two stones on a square"
            drawn[row, column] = side
        assert (drawn == cells).all()
        return cells

    @property
    def moves(self) -> list[int]:
        """The list of moves on the page."""
        buttons = self.output.locator(".moves button").all_inner_texts()
        assert buttons[0] == "start"
        return [int(text.split()[1]) for text in buttons[1:]]

    def expect(self, moves: list[int], *words: str, at: int | None = None) -> None:
        """Wait until these are the moves and these words are said; then the squares must be a replay of the moves, of the first `at` if one
        looks back."""
        buttons = self.output.locator(".moves button")
        expect(buttons).to_have_text(["start", *(re.compile(rf" {move}\b") for move in moves)])
        for expected in words:
            expect(self.status).to_contain_text(expected)
        until(lambda: self.moves == moves, f"the moves {moves}")
        assert (self.shown == self.game.cells(after(self.game, moves[:at]))).all()

    def accepted(self) -> list[int]:
        """When nothing happens any more: the moves, of which the squares must be a replay."""
        before = None
        while before != (before := (self.moves, self.status.inner_text())) or "thinking" in before[1]:
            self.page.wait_for_timeout(400)
        self.expect(before[0])
        return before[0]

    # --- what a person does

    def click(self, action: int, after: float = 0.18, **how) -> None:
        """A click some seconds after what was seen last, as long as a hand takes, and after the answer to what was pressed before."""
        expect(
            self.output.and_(self.page.locator("[aria-busy=true]")).or_(self.output.locator("[aria-busy=true]"))
        ).to_have_count(0)
        self.page.wait_for_timeout(1000 * after)
        self.squares.nth(action).click(**how)

    def boxes(self) -> list[dict]:
        """Where the squares are, for `hit`."""
        return [square.bounding_box() for square in self.squares.all()]

    def hit(self, box: dict, after: float) -> None:
        """A click that waits for nothing but the seconds after the one before."""
        self.page.wait_for_timeout(1000 * after)
        self.page.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)

    def press(self, button: str) -> None:
        self.output.get_by_role("button", name=button, exact=True).click()

    def keys(self, *keys: str) -> None:
        self.page.wait_for_timeout(180)
        for key in keys:
            self.page.keyboard.press(key)

    def choose(self, what: str, option: str) -> None:
        self.output.get_by_label(what).select_option(option)


@pytest.fixture(scope="module")
def notebook(lab):  # noqa: F811
    return lab.open(AGENTS, *(f'boards["{name}"]' for name in NAMES), height=3000)


@pytest.fixture
def board(notebook, request):
    """The board of that name, at the start of a game between you and its first agent."""
    number = NAMES.index(request.param)
    found = Board(notebook.output(1 + number), GAMES[request.param])
    found.choose("X is", "you")
    found.choose("O is", PERFECT if request.param == "as in the table" else request.param)
    found.press("New game")
    found.expect([], "X (you) to move")
    return found


def on(*names: str):
    return pytest.mark.parametrize("board", names, indirect=True)


# --- the table -----------------------------------------------------------------------------------------------------------

BUTTONS = {"new": "New game", "undo": "Undo", "swap": "Switch sides", "step": "Next move", "hint": "Hint", "run": "Run"}


def do(board, message: dict) -> None:
    """By mouse, and by typing, what a row of the table tells."""
    match message:
        case {"do": "play", "action": action}:
            board.click(action)
        case {"do": "look", "ply": ply}:
            board.output.locator(".moves button").nth(ply).click()
        case {"do": "take_up"}:
            board.output.locator(".kept button").first.click()
        case {"do": "set_up", "text": text}:
            field = board.output.get_by_label("Position, as a list of actions")
            field.fill(text)
            field.press("Enter")
        case {"do": "overlay", "kind": kind}:
            board.press(kind)
        case {"do": "value" | "mistakes" as what, "on": checked}:
            board.output.get_by_label(what, exact=True).set_checked(checked)
        case {"do": "speed", "speed": speed}:
            board.choose("Speed", speed)
        case {"do": "player", "side": side, "name": name}:
            board.choose(f"{'X' if side == 1 else 'O'} is", name)
        case _:
            board.press(BUTTONS[message["do"]])


def assert_page_shows(board, moves: list[int], said: str, more: dict) -> None:
    """What a row of the table says."""
    board.expect(moves, said, at=more.get("at"))
    output, bar = board.output, board.output.get_by_role("img", name=re.compile("value for X: "))
    for square, words in more.get("squares", {}).items():
        label = re.compile(f", free, {re.escape(words)}$" if words else ", free$")
        expect(board.squares.nth(square)).to_have_attribute("aria-label", label)
    if "lines" in more:
        expect(output.locator(".kept button")).to_have_text([f"↶ {line}" for line in more["lines"]])
    if more.get("value"):
        expect(bar).to_have_attribute("aria-label", re.compile(f"^value for X: {re.escape(more['value'])}"))
    elif "value" in more:
        expect(bar).to_be_hidden()
    if "mistake" in more:
        expect(output.get_by_role("button", name=re.compile(more["mistake"]))).to_contain_text("?")
    if more.get("hint") is not None:
        places = [str(100 * place + 50) for place in (more["hint"] % 3, more["hint"] // 3)]
        assert [output.locator(".hint").get_attribute(name) for name in ("cx", "cy")] == places
    elif "hint" in more:
        expect(output.locator(".hint")).to_have_count(0)
    if "tally" in more:
        expect(output.locator(".tally")).to_have_text(more["tally"])
    if " wins" in said:
        expect(output.locator(".line")).to_have_count(1)
        below = "root => root.querySelector('.line').compareDocumentPosition(root.querySelector('.stones'))"
        assert output.evaluate(below) == 4  # it does not hide the stones


@on("as in the table")
@pytest.mark.parametrize("script", TABLE)
def test_a_board_on_the_page_does_what_it_is_told(board, script):
    for message in BEGIN:
        do(board, message)
    for message, *expected in TABLE[script]:
        do(board, message)
        assert_page_shows(board, *expected)


# --- whole games ---------------------------------------------------------------------------------------------------------


@on("quick")
def test_a_game_of_connect_four_by_mouse_ends_with_its_line(board):
    moves = []
    for _ in range(4):
        board.click(3)
        moves += [3, 6]
        board.expect(moves[:7])
    board.expect([3, 6, 3, 6, 3, 6, 3], "X wins (you)")
    assert [label for label in board.labels if "winning line" in label] == [
        f"column 3, row {row}, X, {'the latest move, ' if row == 3 else ''}part of the winning line"
        for row in (3, 4, 5, 6)
    ]


@on("perfect")
def test_a_game_of_tic_tac_toe_by_keyboard_alone(board):
    board.click(4)  # to get there
    board.expect([4, 0])
    board.keys("2", "Enter")
    board.expect([4, 0, 2, 6])
    board.keys("Home", "ArrowDown", "Enter")
    board.expect([4, 0, 2, 6, 3, 5])
    board.keys("1", " ")
    board.expect([4, 0, 2, 6, 3, 5, 1, 7])
    board.keys("End", "ArrowDown", "ArrowDown", "Enter")
    board.expect([4, 0, 2, 6, 3, 5, 1, 7, 8], "draw")


@on("quick")
def test_a_game_of_connect_four_by_keyboard_alone_and_no_key_reaches_jupyterlab(board, notebook):
    cells = notebook.page.locator(".jp-CodeCell").count()
    board.squares.nth(38).focus()
    moves: list[int] = []
    for key in "2345":
        board.keys("x", "a", "d", "d", key, "Enter")  # JupyterLab would cut, insert and delete cells
        moves += [int(key), 6] if key != "5" else [5]
        board.expect(moves)
    board.expect(moves, "X wins")
    assert notebook.page.locator(".jp-CodeCell").count() == cells


RUN = """
from course_utils import ui
from course_utils.agents import MinimaxAgent
from course_utils.games import TicTacToe
from course_utils.learning.config import TrainingConfig
from course_utils.learning.run import Run
from course_utils.learning.training import train_alphazero
board = ui.play(opponents={"perfect": MinimaxAgent(TicTacToe())})
scope = ui.microscope(simulations=5)
run = Run.start(TicTacToe(), TrainingConfig(iterations=1, games=2, steps=1), seed=0)
train_alphazero(run)
dashboard = ui.Dashboard(run, lambda run: {"strength": 1.0}, panels=["loss"])
"""
CLICKED = [  # cell, what in its output, key, how much farther the active cell is then
    (1, "[role=gridcell] >> nth=4", "Shift+Enter", 1),
    (1, "button >> nth=0", "Control+Enter", 0),
    (2, ".said", "Shift+Enter", 1),
    (3, "[data-panel=loss] > svg", "Shift+Enter", 1),
    (1, "[role=gridcell] >> nth=4", "Alt+Enter", 1),
]


def test_what_a_notebook_has_beyond_its_road_is_folded_and_run_all_runs_it(lab):  # noqa: F811
    notebook = build.build(source_files.sources("01")[0])
    [fold] = [cell for cell in notebook.cells if cell.source.startswith("## If you want more")]
    notebook.cells = [nbformat.v4.new_code_cell("print('road')"), fold, nbformat.v4.new_code_cell("print('more')")]
    (lab.notebooks / "folded.ipynb").write_text(nbformat.writes(notebook))
    opened = lab.visit("folded.ipynb")
    expect(opened.cell(0)).to_be_visible()
    expect(opened.cell(1)).to_be_hidden()
    opened.command("Run", "Run All Cells")
    expect(opened.output(1)).to_have_text("more")


def test_after_a_click_on_a_component_the_keys_that_run_a_cell_run_its_cell(lab):  # noqa: F811
    notebook = lab.open(RUN, "board", "scope", "dashboard", "0")
    active = notebook.page.locator(".jp-CodeCell.jp-mod-active .jp-InputPrompt")
    for runs, (cell, what, key, on) in enumerate(CLICKED, 6):
        notebook.cell(0).locator(".cm-content").click()  # the cell that the key would run otherwise
        expect(active).to_have_text("[1]:")
        notebook.output(cell).locator(what).click()
        notebook.page.keyboard.press(key)
        expect(notebook.cell(cell).locator(".jp-InputPrompt")).to_have_text(f"[{runs}]:")
        expect(notebook.cell(cell + on)).to_have_class(re.compile("jp-mod-active"))
    expect(notebook.page.locator(".jp-CodeCell")).to_have_count(6)  # Alt+Enter has added one
    notebook.close()


@on("quick")
def test_the_board_is_one_tab_stop(board):
    board.squares.nth(24).focus()
    inside = "document.activeElement.getAttribute('role') === 'gridcell'"
    assert board.page.evaluate(inside)
    board.keys("Tab")
    assert not board.page.evaluate(inside)
    board.keys("Shift+Tab")
    assert board.page.evaluate(inside)
    assert board.output.locator("[role=gridcell][tabindex='0']").count() == 1


# --- what is taken back, switched, set up --------------------------------------------------------------------------------


@on("your network, iteration 0")
def test_the_networks_of_a_training_play_at_strengths_that_have_a_name(board):
    untrained = TorchNetwork(make_network(TicTacToe(), 0))
    networks = {"your network, iteration 0": untrained, "your network, iteration 12": agents.load("tictactoe").network}
    strength = board.output.get_by_role("slider", name="Strength")
    for step, words, simulations in ((0, "first sight: the network alone", 0), (4, "casual: 25 simulations", 25)):
        strength.fill(str(step))
        expect(board.output.locator(".words")).to_have_text(words)
        expect(strength).to_have_attribute("aria-valuetext", words)
        for name, network in networks.items():
            board.choose("O is", name)
            board.press("New game")
            board.expect([])
            board.click(1)
            answer = SearchAgent(board.game, network, simulations).act(after(board.game, [1]))
            board.expect([1, answer], "X (you) to move")


@on("perfect")
def test_buttons_and_arrow_keys_go_through_the_game(board):
    moves = [4, 0, 2, 6, 3, 5]
    for ply in (0, 2, 4):
        board.click(moves[ply])
        board.expect(moves[: ply + 2])

    def shows(ply: int) -> None:
        words = "X (you) to move." if ply == 6 else f"After move {ply} of 6" if ply else "The start: X (you)"
        expect(board.status).to_contain_text(words)
        assert (board.shown == board.game.cells(after(board.game, moves[:ply]))).all()
        assert board.moves == moves
        expect(board.output.get_by_label("Position, as a list of actions")).to_have_value(f"{moves[:ply]}")

    ways = {"One move back": -1, "One move on": 1, "To the start": -9, "To the last move": 9}
    keys = {"ArrowLeft": -1, "ArrowRight": 1, "Home": -9, "End": 9}
    for press, steps in ((board.press, ways), (board.keys, keys)):
        ply = 6
        back, on, first, last = steps
        for step in (back, back, first, on, on, back, last):
            press(step)
            ply = min(6, max(0, ply + steps[step]))
            shows(ply)
        board.squares.nth(4).click()  # taken; from now on the focus is there
    board.keys("ArrowLeft")
    shows(5)
    board.keys("ArrowRight", "7", "ArrowLeft")  # a digit goes to a square, and from there the arrows do
    assert board.page.evaluate("document.activeElement.getAttribute('aria-label')").startswith("cell 6: ")
    shows(6)


@on("perfect")
def test_the_position_on_show_is_copied_as_the_list_of_its_actions(board):
    board.click(4)
    board.expect([4, 0])
    board.click(2)
    board.expect([4, 0, 2, 6])
    board.press("One move back")
    board.press("Copy")
    expect(board.status).to_have_text("Copied: [4, 0, 2]")
    field = board.output.get_by_label("Position, as a list of actions")
    board.press("New game")
    board.expect([])
    field.fill("")
    field.press("Control+v")
    expect(field).to_have_value("[4, 0, 2]")
    field.press("Enter")
    board.expect([4, 0, 2], "O (perfect) to move. Click Next move.")


@on("perfect")
def test_buttons_that_are_held_down_while_agents_play_are_heard(board):
    board.choose("X is", "also perfect")
    board.choose("Speed", "fast")
    board.press("Run")
    board.expect([0, 4, 1, 2, 6, 3, 5, 7, 8])
    board.press("New game")
    board.expect([])
    board.choose("Speed", "normal")
    board.press("Run")
    expect(board.output.locator(".moves li")).to_have_count(4)
    board.output.get_by_role("button", name="X 0", exact=True).click(delay=900)  # longer than a move takes
    expect(board.status).to_contain_text("After move 1 of")
    board.output.get_by_role("button", name="To the last move").click(delay=900)
    expect(board.status).to_contain_text("The game is over")
    board.accepted()
    board.press("New game")
    board.expect([])  # no X 0 of the game before
    board.choose("Speed", "fast")
    board.press("Run")
    expect(board.output.locator(".moves li").nth(2)).to_be_visible()  # X 0 is not the latest move
    board.output.get_by_role("button", name="X 0", exact=True).click(delay=120)
    expect(board.status).to_contain_text("After move 1 of")
    board.output.get_by_role("button", name="Next move").click(delay=120)
    board.expect([0, 4], "X (also perfect) to move. Click Next move or Run.")


@on("perfect")
def test_the_keyboards_focus_stays_when_its_button_goes(board):
    board.click(4)
    board.expect([4, 0])
    board.press("X 4")
    board.output.get_by_role("button", name="Next move").focus()
    board.page.keyboard.press("Enter")
    board.expect([4, 0], "X (you) to move")
    assert board.page.evaluate("document.activeElement.getAttribute('role')") == "gridcell"


@on("perfect")
def test_agents_play_each_other_with_pauses(board):
    board.choose("X is", "also perfect")
    board.expect([], "X (also perfect) to move. Click Next move or Run.")
    board.choose("Speed", "slow")
    board.press("Run")
    expect(board.output.get_by_role("button", name="Pause")).to_be_visible()
    board.press("Pause")
    moves = board.accepted()
    assert 0 < len(moves) < 9
    board.press("Next move")
    assert len(board.accepted()) == len(moves) + 1
    board.choose("Speed", "fast")
    board.press("Run")
    expect(board.status).to_contain_text("The game is over")
    assert len(board.accepted()) == 9


# --- clicks that are no moves --------------------------------------------------------------------------------------------


@on("quick")
def test_a_double_click_plays_once(board):
    board.click(38, click_count=2, delay=40)
    assert board.accepted() == [3, 6]
    board.click(38)  # the same square again, later: a move
    board.expect([3, 6, 3, 6])


@on("slow")
def test_clicks_made_while_the_agent_thinks_are_no_moves(board):
    boxes = board.boxes()
    board.click(38)
    expect(board.status).to_contain_text("O (slow) is thinking")
    for action in (35, 36, 37, 38, 39, 40):
        board.hit(boxes[action], after=0.03)
    in_time = board.moves == [3]  # shown before the answer; on a very busy machine the last clicks come after it
    assert board.accepted() == [3, 6] or not in_time
    board.press("New game")
    board.click(38)
    board.expect([3, 6])


@on("slow")
@pytest.mark.parametrize("button", ["New game", "Undo"])
def test_new_game_and_undo_do_not_wait_for_the_agent_and_its_answer_is_not_played(board, button):
    board.click(38)
    board.expect([3], "O (slow) is thinking")
    board.press(button)
    expect(board.status).to_contain_text("X (you) to move", timeout=700)
    board.page.wait_for_timeout(1400)
    assert board.accepted() == []


@on("slow")
def test_players_change_while_one_thinks(board):
    board.click(38)
    board.expect([3], "O (slow) is thinking")
    board.choose("O is", "quick")
    assert board.accepted() == [3, 6]
    board.click(38)
    board.expect([3, 6, 3, 6])
    board.choose("O is", "slow")
    board.click(38)
    board.press("Switch sides")  # now the agent's own answer is yours to give
    assert board.accepted() == [3, 6, 3, 6, 3]


@on("slow", "quick")
def test_a_hundred_random_clicks_fifteen_milliseconds_apart(board):
    rng = random.Random(1)
    boxes = board.boxes()
    for _ in range(100):
        board.hit(rng.choice(boxes), after=0.015)
    moves = board.accepted()
    assert moves
    assert (
        len(moves) % 2 == 0 or "wins" in board.status.inner_text()
    )  # each of yours was answered before the next counted


# --- for everybody -------------------------------------------------------------------------------------------------------


@on("perfect")
def test_a_reader_of_the_page_aloud_hears_what_is_where_and_every_control_has_a_name(board, notebook):
    board.click(4)
    board.expect([4, 0])
    tree = board.page.context.new_cdp_session(board.page).send("Accessibility.getFullAXTree")["nodes"]
    named = [(node["role"]["value"], node["name"]["value"]) for node in tree if "role" in node and "name" in node]
    for heard in (
        "cell 1: row 1, column 2, free",
        "cell 4: row 2, column 2, X",
        "cell 0: row 1, column 1, O, the latest move",
    ):
        assert ("gridcell", heard) in named
    inside = board.output.locator("button, select, input").evaluate_all(
        "all => all.filter(one => one.offsetParent).length"
    )
    assert inside > 10
    assert notebook.violations(".board") == []


NARROW = (
    'from course_utils import tests, ui\nui.play("connect_four", position=[3, 3], simulations=0)',
    "ui.microscope(simulations=5)",
    """
def backup(leaf, value):
    while leaf.parent is not None:
        leaf.parent.N[leaf.parent_action] += 1
        leaf.parent.W[leaf.parent_action] += value
        leaf = leaf.parent
""",
    "tests.test_backup(backup)",
)
PARTS = {0: ".board", 1: ".microscope", 3: ".jp-RenderedHTMLCommon.jp-OutputArea-output"}


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_at_700_pixels_board_microscope_and_check_message_fit_and_nobody_meets_a_serious_obstacle(lab, theme):  # noqa: F811
    notebook = lab.open(*NARROW, theme=theme, width=700)
    expect(notebook.output(3)).to_contain_text("Ask yourself")
    for number, selector in PARTS.items():
        part = notebook.output(number).locator(selector).first
        wide, room = part.evaluate("one => [one.scrollWidth, one.clientWidth]")
        assert wide <= room, selector
        box = part.bounding_box()
        assert box["x"] + box["width"] <= 700, selector
        assert notebook.violations(selector) == []
    last = Board(notebook.output(0), ConnectFour()).squares.last
    last.scroll_into_view_if_needed()
    box = last.bounding_box()
    assert box["width"] > 30 and box["x"] + box["width"] <= 700
    notebook.close()


# --- on a laptop, with the list of files beside the notebook ----------------------------------------------------------------

LAPTOP = (
    "from course_utils import ui",
    'ui.play("tictactoe", simulations=10)',
    'ui.play("connect_four", simulations=10)',
    "ui.microscope()",
    'ui.microscope("connect_four")',
)
STILL = {  # what must not move while one plays
    "squares": "[role=grid]",
    "buttons": ".panel > .row >> nth=0",
    "ways": ".ways",
    "moves": ".moves",
    "lines": ".kept",
    "settings": ".settings",
    "curve": ".curve",
}
BARS = """root => {
  const fill = root.querySelector(".fill");
  root.bars = [];
  new MutationObserver(() => root.bars.push(parseFloat(fill.style.height))).observe(fill, { attributes: true });
}"""


@pytest.fixture(scope="module", params=LAPTOPS, ids=lambda one: "-".join(map(str, one)))
def laptop(lab, request):  # noqa: F811
    if lab.front != "lab":
        pytest.skip("there is no list of files beside a notebook")
    width, height, theme = request.param
    notebook = lab.open(*LAPTOP, theme=theme, width=width, height=height)
    expect(notebook.page.locator(".jp-FileBrowser").first).to_be_visible()
    yield notebook
    notebook.close()


def on_top(laptop, number: int):
    """(a component, scrolled to the top; how high the room is in which a notebook is seen)."""
    found = laptop.output(number).locator(".course-ui")
    found.evaluate("one => one.scrollIntoView({ block: 'start' })")
    room = laptop.page.locator(".jp-NotebookPanel-notebook").bounding_box()
    box = found.bounding_box()
    assert 800 < box["width"] < 940
    return found, room["y"] + room["height"] - box["y"]


@pytest.mark.parametrize(("number", "game", "actions"), [(1, TicTacToe(), (4, 2, 3)), (2, ConnectFour(), (38, 37, 36))])
def test_on_a_laptop_a_board_is_seen_whole_and_nothing_moves_in_a_game(laptop, number, game, actions):
    root, room = on_top(laptop, number)
    board = Board(root, game)

    def places() -> dict:
        boxes = {name: root.locator(where).bounding_box() for name, where in STILL.items()}
        return {name: [round(box[side]) for side in ("x", "y", "width", "height")] for name, box in boxes.items()}

    squares = root.locator("[role=grid]").bounding_box()
    for name in ("value", "mistakes"):
        root.get_by_label(name, exact=True).check()
    assert root.locator("[role=grid]").bounding_box() == squares  # the value takes no room from it
    board.press("visits")
    expect(root.locator(".bar")).to_have_attribute("aria-label", re.compile("says"))
    root.evaluate(BARS)
    before, moves = places(), []
    for action in actions:
        moves = board.accepted()
        board.click(action)
        assert places() == before
        expect(root.locator(".moves li")).to_have_count(len(moves) + 3)
        assert places() == before
        expect(root.locator(".bar")).to_have_attribute("aria-label", re.compile("says"))
    assert 50 not in root.evaluate("root => root.bars")  # as if the game were even, until its value is known
    expect(root.locator(".note")).to_contain_text("On the squares: the share of visits")
    board.press("One move back")
    board.press("One move back")
    expect(board.status).to_contain_text("After move 4 of 6")
    expect(root.locator(".shares text")).to_have_count(5 if number == 1 else 7)  # of this position
    assert places() == before
    board.click(next(place for place, label in enumerate(board.labels) if "free" in label and place not in actions))
    expect(root.locator(".kept button")).to_have_count(1)
    board.accepted()
    assert places() == before
    assert root.bounding_box()["height"] <= room
    assert laptop.violations(f".jp-Cell:nth-child({number + 1}) .board") == []


@pytest.mark.parametrize("number", [3, 4])
def test_on_a_laptop_the_microscope_has_two_columns_and_its_buttons_beside_the_formula(laptop, number):
    root, room = on_top(laptop, number)
    top = root.bounding_box()["y"]
    still = {".narration": None, ".tree": None, ".panel": None}
    for _ in range(20):
        root.get_by_role("button", name="One step on", exact=True).click()
        for where, before in still.items():
            box = root.locator(where).bounding_box()
            place = [round(box["x"]), round(box["y"]), round(box["width"])]
            assert before in (None, place), where
            still[where] = place
        tree, panel = (root.locator(where).bounding_box() for where in (".left", ".panel"))
        assert tree["x"] + tree["width"] <= panel["x"] and abs(tree["y"] - panel["y"]) < 2
        assert max(tree["y"] + tree["height"], panel["y"] + panel["height"]) - top <= (room if number == 3 else 680)
        formula = root.locator(".formula").first
        if formula.count():
            box, play = formula.bounding_box(), root.get_by_role("button", name="Play", exact=True).bounding_box()
            assert top <= play["y"] and box["y"] + box["height"] - top <= room
            wide, seen = root.locator(".scroll").evaluate("one => [one.scrollWidth, one.clientWidth]")
            assert wide <= seen


# --- without the kernel --------------------------------------------------------------------------------------------------

MINUTE = """
from course_utils import ui
from course_utils.agents import MinimaxAgent
from course_utils.games import TicTacToe
ui.play("tictactoe", opponents={"perfect": MinimaxAgent(TicTacToe())})
"""


def _wait_for_the_picture(lab, notebook, moves: list[int]) -> None:  # noqa: F811
    """Until JupyterLab would be given a picture of the board after these moves: it is drawn a moment after the move."""

    def drawn() -> bool:
        kept = lab.outputs(notebook.name, 0)
        return any("image/png" in data and f"moves {moves}" in data["text/plain"] for data in kept)

    until(drawn, f"a picture of the board after {moves}")


def test_without_its_kernel_a_board_is_a_picture_and_says_how_to_wake_it(lab):  # noqa: F811
    notebook = lab.open(MINUTE)
    board = Board(notebook.output(0), TicTacToe())
    board.click(4)
    board.expect([4, 0])
    notebook.save()
    _wait_for_the_picture(lab, notebook, [4, 0])
    notebook.save()
    file = lab.notebooks / notebook.name  # what is pushed to the web
    until(lambda: "moves [4, 0]" in file.read_text(), "the picture in the file")
    [output] = nbformat.read(file, 4).cells[0].outputs
    assert output.data["text/plain"].startswith("O . .\n. X .\n. . .\nX (you) to move.\nmoves [4, 0]\n")
    assert "image/png" in output.data

    notebook.reload()  # with the kernel
    board.expect([4, 0], "X (you) to move")
    board.click(2)
    board.expect([4, 0, 2, 6])
    _wait_for_the_picture(lab, notebook, [4, 0, 2, 6])

    board.output.get_by_role("button", name="New game").focus()
    notebook.restart_kernel()
    expect(board.status).to_contain_text("Run the cell again to bring the board to life")
    board.click(8)
    assert (board.shown == board.game.cells(after(board.game, [4, 0, 2, 6]))).all()
    # what was played can still be looked at, and nothing else is offered
    board.output.locator(".moves button").nth(1).click()
    expect(board.output.locator(".stones > g")).to_have_count(1)
    board.keys("ArrowRight")
    expect(board.output.locator(".stones > g")).to_have_count(2)
    offered = board.output.get_by_role("button").or_(board.output.get_by_role("combobox")).all_inner_texts()
    assert offered == ["|◀", "◀", "▶", "▶|", "start", "X 4", "O 0", "X 2", "O 6"]

    until(lambda: all(WIDGET not in data for data in lab.outputs(notebook.name, 0)), "the old kernel's end")
    notebook.reload()  # with another kernel, that never heard of the board
    expect(notebook.output(0).locator("img")).to_be_visible()
    assert "moves [4, 0, 2, 6]" in lab.read(notebook.name).cells[0].outputs[0].data["text/plain"]
    assert "not found" not in notebook.output(0).inner_text()
    notebook.run(0)
    board.expect([], "X (you) to move")
    notebook.close()


AGAIN = """
from course_utils import ui
from course_utils.agents import MinimaxAgent
from course_utils.games import TicTacToe
boards = [*globals().get("boards", []), ui.play("tictactoe", human=0, opponents={"perfect": MinimaxAgent(TicTacToe())})]
boards[-1]
"""


def test_a_board_whose_cell_runs_again_does_not_play_on_unseen_and_leaves_nothing_behind(lab):  # noqa: F811
    kept = "[len(one.match.actions) for one in boards], len(get_ipython().kernel.comm_manager.comms)"
    notebook = lab.open(AGAIN, kept)
    comms = re.search(r"\[0\], (\d+)", notebook.output(1).inner_text())[1]
    board = Board(notebook.output(0), TicTacToe())
    board.choose("Speed", "slow")
    board.press("Run")
    expect(board.output.locator(".moves li")).not_to_have_count(1)
    for _ in range(2):
        notebook.run(0)
        board.expect([], "Click Next move or Run")
    assert notebook.page.locator(".board").count() == 1
    notebook.run(1)
    expect(notebook.output(1)).to_contain_text(re.compile(rf"\[\d, 0, 0\], {comms}\b"))
    left = int(re.search(r"\[(\d), 0, 0\]", notebook.output(1).inner_text())[1])
    assert left < 7
    notebook.page.wait_for_timeout(2500)  # two moves
    board.press("Next move")
    expect(board.output.locator(".moves li")).to_have_count(2)
    notebook.run(1)
    expect(notebook.output(1)).to_contain_text(f"[{left}, 0, 1], {comms}")
    notebook.close()


JOINED = """path => path.getAttribute("d").split("M").slice(1).map(bridge => {
  const ends = bridge.split("L").map(end => new DOMPoint(...end.split(" ").map(Number)).matrixTransform(path.getScreenCTM()));
  const squares = [...path.closest("svg").querySelectorAll("[role=gridcell]")].map(square => square.getBoundingClientRect());
  const holds = (box, end) => box.left < end.x && end.x < box.right && box.top < end.y && end.y < box.bottom;
  return ends.map(end => squares.findIndex(box => holds(box, end)));
})"""


def test_a_board_of_hex_shows_which_cells_touch_and_whose_sides_are_whose(lab):  # noqa: F811
    notebook = lab.open("from course_utils import ui\nfrom course_utils.games.hex import Hex", "ui.play(game=Hex(3))")
    board = Board(notebook.output(1), Hex(3))
    board.choose("O is", "you")
    board.click(4)
    board.expect([4], "O (you) to move")
    joined = board.output.locator(".bridges").evaluate(JOINED)
    assert sorted(map(tuple, map(sorted, joined))) == [(1, 3), (2, 4), (4, 6), (5, 7)]
    across, down = board.output.locator(".side.x"), board.output.locator(".side.o")
    assert re.fullmatch(r"M0 0H300M0 300H300", across.get_attribute("d"))
    assert re.fullmatch(r"M0 0V300M300 0V300", down.get_attribute("d"))
    stroke = "part => getComputedStyle(part).stroke"
    assert across.evaluate(stroke) != down.evaluate(stroke)
    notebook.close()


# --- the first minute, and a page of its own -----------------------------------------------------------------------------


def test_the_first_notebook_opens_tidily_and_leads_to_the_next(lab):  # noqa: F811
    if lab.front != "lab":
        pytest.skip("files are listed on a page of their own")
    [welcome] = source_files.sources("00")
    nbformat.write(build.build(welcome), lab.notebooks / "00_welcome.ipynb")
    for folder in ("source", "solutions"):
        (lab.notebooks / folder).mkdir()
    notebook = lab.visit("00_welcome.ipynb", height=6000, fresh=True)
    notebook.page.wait_for_timeout(1500)
    assert notebook.page.locator(".jp-mod-dirty").count() == 0
    assert notebook.page.locator(".Toastify__toast").count() == 0
    listed = notebook.page.locator(".jp-DirListing-itemText").all_inner_texts()
    assert "00_welcome.ipynb" in listed and not {"source", "solutions"} & set(listed)
    expect(notebook.page.get_by_role("link", name="The game").last).to_be_visible()
    notebook.close()


def test_no_line_of_an_exercise_goes_off_the_page(lab):  # noqa: F811
    [source] = source_files.sources("34")
    exercises = [cell.source for cell in build.build(source).cells if "exercise" in cell.metadata]
    exercises.append("total = " + " + ".join(map(str, range(60))))  # a line of a learner's
    notebook = lab.open(*exercises, width=1000)
    for scroller in notebook.page.locator(".jp-CodeCell .cm-scroller").all():
        wide, seen = scroller.evaluate("e => [e.scrollWidth, e.clientWidth]")
        assert wide <= seen
    notebook.close()


@pytest.mark.parametrize(("name", "games"), [("00_welcome", [TicTacToe] * 2), ("06_play", [TicTacToe, ConnectFour])])
def test_the_first_and_the_last_notebook_run_from_top_to_bottom_and_their_boards_are_played_on(lab, name, games):  # noqa: F811
    [source] = source_files.sources(name[:2])
    nbformat.write(build.build(source), lab.notebooks / f"{name}.ipynb")
    notebook = lab.visit(f"{name}.ipynb")
    notebook.command("Run", "Run All Cells")
    expect(notebook.page.locator(".jp-CodeCell .jp-InputPrompt").last).to_have_text(re.compile(r"\d"), timeout=600_000)
    assert notebook.page.locator("[data-mime-type='application/vnd.jupyter.error']").count() == 0
    assert "not found" not in notebook.page.locator(".jp-Notebook").inner_text()
    assert notebook.page.locator(".board").count() == len(games)
    for number, game in enumerate(one() for one in games):
        board = Board(notebook.page.locator(".board").nth(number), game)
        before = board.accepted()
        board.click(next(action for action in game.legal_actions(after(game, before)) if action >= 3))
        expect(board.status).to_contain_text("to move", timeout=60_000)
        assert len(board.accepted()) == len(before) + 2
    assert_is_pictures_without_a_kernel(lab, notebook)
    notebook.close()


def assert_is_pictures_without_a_kernel(lab, notebook) -> None:  # noqa: F811
    """What is saved now and opened again, when its kernel has ended, has a picture with a text in place of each component."""
    alive = notebook.page.locator(
        ".jp-Notebook .course-ui:not(.travel, .keepsake, .course-case)"
    )  # buttons need a kernel, and a check is plain HTML
    components = alive.count()
    notebook.save()
    notebook.command("Kernel", "Shut Down Kernel")
    codes = range(notebook.page.locator(".jp-CodeCell").count())
    until(lambda: all(WIDGET not in data for number in codes for data in lab.outputs(notebook.name, number)), "its end")
    notebook.load_again()
    given = [data for number in codes for data in lab.outputs(notebook.name, number)]
    pictures = [
        data for data in given if "image/png" in data and "run this cell to bring it to life" in data["text/plain"]
    ]
    assert len(pictures) == components  # (JupyterLab attaches only those near the screen)
    expect(alive).to_have_count(0)
    assert "not found" not in notebook.page.locator(".jp-Notebook").inner_text()


def test_run_all_goes_on_below_a_check_that_fails(lab):  # noqa: F811
    [source] = source_files.sources("04")
    built = build.build(source)
    wanted = ("exercise-sample_action", "check-sample_action")
    built.cells = [cell for cell in built.cells if cell.id in wanted]
    built.cells.insert(0, nbformat.v4.new_code_cell("import numpy as np"))
    built.cells.append(nbformat.v4.new_code_cell("print('went on')"))
    nbformat.write(built, lab.notebooks / "unfilled.ipynb")
    notebook = lab.visit("unfilled.ipynb", height=2000)
    notebook.command("Run", "Run All Cells")
    expect(notebook.output(3)).to_contain_text("went on", timeout=60_000)
    expect(notebook.output(2)).to_contain_text("not written yet")
    assert notebook.violations(".jp-Cell:nth-child(3) .jp-OutputArea-output") == []
    notebook.close()


def test_the_boards_have_a_page_of_their_own_for_who_has_its_address_on_this_computer_alone(lab, tmp_path):  # noqa: F811
    opened, browser, log = tmp_path / "opened", tmp_path / "browser", tmp_path / "log"
    browser.write_text(f'#!/bin/sh\necho "$1" > {opened}\n')
    browser.chmod(0o700)
    command = [sys.executable, "-m", "course_utils", "play", "--game", "tictactoe", f"--port={free_port()}"]
    environment = {
        "COURSE_RECORD": str(tmp_path),
        "PYTHONPATH": str(COURSE),
        "COURSE_READY": "1",
        "BROWSER": str(browser),
    }
    with subprocess.Popen(
        command,
        env={**os.environ, **environment},
        stdout=log.open("w"),
        stderr=subprocess.STDOUT,
        start_new_session=True,
    ) as voila:
        try:
            until(lambda: opened.exists() and opened.read_text().endswith("\n"), "Voila")
            address = opened.read_text().strip()
            assert f"\n{address}\n" in log.read_text()  # to be clicked where no browser opens
            stranger = lab.browser.new_context().request
            assert stranger.get(address, headers={"Host": "elsewhere.example"}).status == 403
            assert "/login?" in stranger.get(address.partition("?")[0]).url  # where the token is asked for
            page = lab.browser.new_page()
            page.goto(address, timeout=60_000)
            board = Board(page.locator(".board"), TicTacToe())
            expect(board.status).to_contain_text("X (you) to move", timeout=60_000)
            board.click(4)
            assert len(board.accepted()) == 2
            page.close()
        finally:
            os.killpg(voila.pid, signal.SIGTERM)


# --- answers that travel ------------------------------------------------------------------------------------------------

TRAVEL = """
import pathlib
from course_utils.learner import travel, travel_buttons
travel_buttons.NOTEBOOKS = pathlib.Path.cwd()
travel.buttons()
"""


def test_one_click_takes_what_was_typed_last_and_the_file_comes_back_in(lab, tmp_path):  # noqa: F811
    notebook = lab.open(TRAVEL, "mine = 1")
    notebook.cell(1).locator(".cm-content").click()
    notebook.page.keyboard.press("End")
    notebook.page.keyboard.type("23")  # not saved
    with notebook.page.expect_download() as download:
        notebook.output(0).get_by_role("button", name="Take my answers along").click()
    assert download.value.suggested_filename == travel.file_name()
    file = tmp_path / "taken"
    download.value.save_as(file)
    taken = travel.read(travel.zipfile.ZipFile(file).read(f"notebooks/{notebook.name}"))
    assert taken.cells[1].source == "mine = 123"

    path = lab.notebooks / notebook.name
    before = nbformat.read(path, 4)
    before.cells[1].source = "mine = 'at home'"
    other = tmp_path / "home"
    other.mkdir()
    nbformat.write(before, other / notebook.name)
    file.write_bytes(travel.pack(other, tmp_path / "record"))
    with notebook.page.expect_file_chooser() as chooser:
        notebook.output(0).get_by_role("button", name="Bring answers in").click()
    chooser.value.set_files(file)
    expect(notebook.output(0)).to_contain_text("taken, of ")  # whose it is
    expect(notebook.output(0)).to_contain_text(travel.RUNS)
    expect(notebook.output(0).get_by_role("button", name="Leave it")).to_be_focused()
    notebook.page.keyboard.press("Enter")
    expect(notebook.output(0)).not_to_contain_text(travel.RUNS)
    assert nbformat.read(path, 4).cells[1].source == "mine = 123"
    with notebook.page.expect_file_chooser() as chooser:
        notebook.output(0).get_by_role("button", name="Bring answers in").click()
    chooser.value.set_files(file)
    notebook.output(0).get_by_role("button", name="Take it in").click()
    expect(notebook.output(0)).to_contain_text("Taken in: 1 notebook")
    notebook.command("File", "Reload Notebook from Disk")
    expect(notebook.cell(1).locator(".cm-content")).to_have_text("mine = 'at home'")
    expect(notebook.page.locator(".jp-Notebook")).to_contain_text("What stood here before")

    notebook.run(0)  # a notebook that Python has written is not trusted, and shows no buttons
    file.write_bytes(file.read_bytes()[:100])
    with notebook.page.expect_file_chooser() as chooser:
        notebook.output(0).get_by_role("button", name="Bring answers in").click()
    chooser.value.set_files(file)
    notebook.output(0).get_by_role("button", name="Take it in").click()
    expect(notebook.output(0)).to_contain_text("Nothing is changed. This file is damaged")
