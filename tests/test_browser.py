"""What stands on the page, and what clicks do to it: the board in JupyterLab, in a real browser."""

import re

import pytest
from playwright.sync_api import expect

from tests.browser import lab  # noqa: F401

AGENTS = """
import time
from course_utils import ui
from course_utils.agents import MinimaxAgent
from course_utils.games import ConnectFour, TicTacToe

class LastColumn:
    def __init__(self, seconds): self.seconds = seconds
    def act(self, state):
        time.sleep(self.seconds)
        return 6
"""
BOARDS = {
    "perfect": 'ui.play("tictactoe", opponents={"perfect": MinimaxAgent(TicTacToe())})',
    "quick": 'ui.play("connect_four", opponents={"quick": LastColumn(0)})',
    "slow": 'ui.play("connect_four", opponents={"slow": LastColumn(1.5)})',
}


class Board:
    """A board as it stands on the page."""

    def __init__(self, output, columns: int):
        self.output, self.columns = output, columns
        self.squares, self.status = output.locator(".widget-gridbox button"), output.get_by_role("status")

    def expect_squares(self, *texts: str) -> None:
        """Wait until this stands on the squares, row by row; they change one after the other."""
        expect(self.squares).to_have_text(list(texts))

    def click(self, column: int, row: int = 0, after: float = 0.25, **how) -> None:
        """A click some seconds after what was seen last: as long as a hand takes."""
        self.output.page.wait_for_timeout(1000 * after)
        self.squares.nth(row * self.columns + column).click(**how)

    def press(self, button: str) -> None:
        self.output.get_by_role("button", name=button).click()

    def expect(self, moves: list[int], *words: str) -> None:
        """Wait until these moves and words stand below the board."""
        for expected in (f"moves {moves}", *words):
            expect(self.status).to_contain_text(expected)

    def moves_after(self, seconds: float) -> list[int]:
        self.output.page.wait_for_timeout(1000 * seconds)
        return [int(number) for number in re.findall(r"\d+", self.status.inner_text().rpartition("moves")[2])]


@pytest.fixture(scope="module")
def page(lab):  # noqa: F811
    return lab.open(AGENTS, *BOARDS.values(), height=2200)


@pytest.fixture
def board(page, request):
    """The board of that name, at the start of a game."""
    number = list(BOARDS).index(request.param)
    found = Board(page.output(1 + number), 3 if request.param == "perfect" else 7)
    found.press("New game")
    found.expect([], "X (you) to move")
    return found


def on(name: str):
    return pytest.mark.parametrize("board", [name], indirect=True)


@on("perfect")
def test_moves_appear_and_new_game_empties_every_square(board):
    board.click(1, row=1)
    board.expect([4, 0], "X (you) to move")
    board.expect_squares("O", "", "", "", "X", "", "", "", "")
    board.press("New game")
    board.expect([])
    board.expect_squares(*9 * [""])


@on("perfect")
def test_undo_empties_the_squares_of_what_is_taken_back(board):
    board.click(1, row=1)
    board.expect([4, 0])
    board.click(2)
    board.expect([4, 0, 2, 6])
    board.press("Undo")
    board.expect([4, 0])
    board.expect_squares("O", "", "", "", "X", "", "", "", "")


@on("perfect")
def test_an_overlay_comes_and_goes(board):
    policy = board.output.get_by_label("agent's policy")
    policy.check()
    board.expect_squares(*9 * ["11%"])
    policy.uncheck()
    board.expect_squares(*9 * [""])


@on("perfect")
def test_a_reader_of_the_page_aloud_hears_where_a_square_is_and_what_is_on_it(board):
    board.click(1, row=1)
    board.expect_squares("O", "", "", "", "X", "", "", "", "")
    heard = [(button["name"], button["description"]) for button in _buttons(board.output.page)]
    assert ("row 1, column 2, free", None) in heard
    assert ("X", "row 2, column 2, X") in heard
    assert ("O", "row 1, column 1, O, the latest move") in heard


def _buttons(page) -> list[dict]:
    """Name and description of each button, as the browser hands them to a screen reader."""
    tree = page.context.new_cdp_session(page).send("Accessibility.getFullAXTree")["nodes"]
    buttons = [node for node in tree if node.get("role", {}).get("value") == "button"]
    return [{key: node.get(key, {}).get("value") for key in ("name", "description")} for node in buttons]


@on("quick")
def test_a_double_click_plays_once(board):
    board.click(3, click_count=2, delay=40)
    assert board.moves_after(1) == [3, 6]
    board.click(3)  # the same square again, later: a move
    board.expect([3, 6, 3, 6])


@on("slow")
def test_clicks_made_while_the_agent_thinks_are_no_moves(board):
    board.click(3)
    board.expect([3], "O (slow) is thinking")
    expect(board.squares.nth(5 * 7 + 3)).to_have_text("X")  # shown before the answer
    for column in (0, 1, 2, 3, 4, 5, 4, 3, 2, 1):
        board.click(column, after=0.05)
    board.expect([3, 6], "X (you) to move")
    assert board.moves_after(2) == [3, 6]
    board.click(2)
    board.expect([3, 6, 2, 6])
    board.expect_squares(*34 * [""], "O", "", "", "X", "X", "", "", "O")


@on("slow")
def test_new_game_does_not_wait_for_the_agent_and_its_answer_is_not_played(board):
    board.click(3)
    board.expect([3], "O (slow) is thinking")
    board.press("New game")
    expect(board.status).to_contain_text("moves []", timeout=1000)
    assert board.moves_after(2) == []
    board.expect_squares(*42 * [""])
