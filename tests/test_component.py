"""What becomes of a component when its cell runs again."""

import asyncio

import pytest
from comm import get_comm_manager
from IPython.core.events import EventManager, available_events

from course_utils import ui
from course_utils.agents import MinimaxAgent
from course_utils.games import TicTacToe
from course_utils.learning.config import TrainingConfig
from course_utils.learning.run import Run
from course_utils.pictures import WIDGET
from course_utils.ui import component

GAME = TicTacToe()
PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="


class Shell:
    """IPython as a component meets it."""

    def __init__(self):
        self.events, self.runs, self.cell = EventManager(self, available_events), 0, ""

    def get_parent(self) -> dict:
        return {"metadata": {"cellId": self.cell}, "header": {"msg_id": str(self.runs)}}

    def run(self, cell: str, *shown) -> dict:
        """A cell that shows these; returns the first one's bundle."""
        self.cell, self.runs = cell, self.runs + 1
        bundles = [one._repr_mimebundle_()[0] for one in shown]
        self.events.trigger("post_run_cell", None)
        return bundles[0] if bundles else {}


@pytest.fixture
def shell(monkeypatch):
    shell = Shell()
    monkeypatch.setattr(component, "get_ipython", lambda: shell)
    monkeypatch.setattr(component, "_SHOWN", {})
    monkeypatch.setattr(
        component.Component, "_bundle", lambda _: {"image/png": PIXEL, "text/plain": ""}
    )  # pictures take time
    return shell


def a_board(human: int = 1):
    return ui.play(opponents={"perfect": MinimaxAgent(GAME)}, human=human)


def a_microscope():
    return ui.microscope(simulations=2)


def a_dashboard():
    return ui.Dashboard(Run.start(GAME, TrainingConfig(), seed=0), lambda run: {"strength": 1.0})


def comms() -> set[str]:
    return {*get_comm_manager().comms}


@pytest.mark.parametrize("make", [a_board, a_microscope, a_dashboard])
def test_a_cell_that_runs_again_has_no_more_comms_than_before(shell, make):
    before = comms()
    shell.run("a", make())
    first = comms() - before
    for _ in range(2):
        shell.run("a", make())
        assert len(comms() - before) == len(first)
        assert not first & comms()
    shell.run("a")  # it shows none any more
    assert comms() == before


def test_what_is_shown_again_or_elsewhere_too_stays(shell):
    board, scope = a_board(), a_microscope()
    shell.run("a", board, scope)
    shell.run("b", board)
    opened = comms()
    shell.run("a", scope, board)
    shell.run("a", scope)
    assert comms() == opened
    shell.run("b")
    assert board.comm is None and scope.comm is not None


def test_one_that_was_left_comes_back_as_it_was_when_it_is_shown_again(shell):
    board = a_board()
    shell.run("a", board)
    board.click(4)
    shell.run("a")
    before = comms()
    shown = shell.run("a", board)
    assert shown[WIDGET]["model_id"] in comms() - before
    assert board.view["actions"] == [4, 0]
    board.click(1)
    assert board.view["actions"] == [4, 0, 1, 7]


def test_a_board_that_is_left_plays_no_more_moves_and_asks_nobody(shell, monkeypatch):
    pictures: list = []
    monkeypatch.setattr(component, "keep_picture", lambda *picture: pictures.append(picture))
    monkeypatch.setattr(component, "QUIET", 0.01)

    async def play() -> int:
        board = a_board(human=0)
        shell.run("a", board)
        board.set_speed("fast")
        board.run()
        board.show(value=True)
        while not board.match.actions:
            await asyncio.sleep(0.001)
        pictures.clear()
        shell.run("a")
        played = len(board.match.actions)
        board.show(value=False, mistakes=True)
        assert board._playing is board._looking is None and not board.view["running"]
        await asyncio.sleep(0.2)  # two moves
        return len(board.match.actions) - played

    assert asyncio.run(play()) == 0
    assert not pictures
