"""Rules that a learner wrote with numpy give its integers: the checks take them, and so does all that plays by them."""

import json
from dataclasses import asdict

import numpy as np
import pytest

from course_utils import ui
from course_utils.agents import RandomAgent
from course_utils.exercise import using
from course_utils.games import TicTacToe, after
from course_utils.games.properties import check_game
from course_utils.games.tictactoe import State
from course_utils.learning.folder import train_in_folder
from course_utils.networks import UniformNetwork
from course_utils.search.recording import watch_puct
from course_utils.tests.grade import grade

GAME = TicTacToe()


def winner(state):
    board = np.array(state.cells).reshape(3, 3)
    sums = np.array([*board.sum(axis=0), *board.sum(axis=1), board.trace(), np.fliplr(board).trace()])
    return np.sign(sums[np.argmax(np.abs(sums))]) * (np.abs(sums).max() == 3)


def is_terminal(state):
    return np.all(np.array(state.cells) != 0) | (winner(state) != 0)


def legal_actions(state):
    return [] if is_terminal(state) else list(np.flatnonzero(np.array(state.cells) == 0))


def play(state, action):
    if action not in legal_actions(state):
        raise ValueError(f"action {action} is not legal; legal: {legal_actions(state)}")
    cells = np.array(state.cells)
    cells[action] = state.to_play
    return State(tuple(cells), np.int64(-state.to_play))


ANSWERS = {answer.__name__: answer for answer in (winner, is_terminal, legal_actions, play)}


@pytest.fixture(autouse=True)
def _numpys_integers():
    with using(ANSWERS):
        assert isinstance(GAME.winner(after(GAME, [0, 3, 1, 4, 2])), np.int64)
        yield


@pytest.mark.parametrize("name", ANSWERS)
def test_they_pass(name):
    assert grade(name, ANSWERS[name]).passed


def test_the_game_is_one_of_the_course():
    check_game(GAME, games=2)


def test_a_board_tells_the_page_about_a_game_played_by_them():
    board = ui.play("tictactoe", human=0, opponents={"random": RandomAgent(GAME, np.random.default_rng(0))})
    while not board.match.over:
        board.next_move()
        assert json.dumps(board.view)
    assert board.set_up([4, 0, 8]) is None
    assert json.loads(json.dumps(board.view))["actions"] == [4, 0, 8]


def test_a_search_is_recorded():
    assert json.dumps(asdict(watch_puct(GAME, after(GAME, [4, 0]), UniformNetwork(9), 30, 1.5)))


@pytest.mark.parametrize("lockstep", [False, True])
def test_a_run_is_saved_and_goes_on(tmp_path, lockstep):
    small = dict(iterations=2, games=2, simulations=2, steps=1, batch=8)
    for _ in ("trains", "reads what was saved"):
        run = train_in_folder(tmp_path, GAME, 1, 3, lockstep=lockstep, workers=0, **small)
        assert len(run.history) == 2
