"""Openings that are won or drawn, and every reply, graded by a made-up solver in place of the optional real solver."""

import sys
from types import SimpleNamespace

import numpy as np
import pytest

from course_utils.games import after
from lab.connect_four import GAME, play_out
from lab.held_openings import all_lines, held_openings
from lab.solver import Solver


class OneColumn:
    """A player, and a network whose search plays the column as long as it has room."""

    def __init__(self, column: int):
        self.column = column

    def act(self, state) -> int:
        return self.column if self.column in GAME.legal_actions(state) else GAME.legal_actions(state)[0]

    def __call__(self, planes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        logits = np.zeros((len(planes), 7), dtype=np.float32)
        logits[:, self.column] = 30
        return np.zeros(len(planes), dtype=np.float32), logits


def made_up(scores):
    return SimpleNamespace(scores=scores)


def test_openings_are_as_many_won_as_drawn_on_the_side_of_the_winner_and_no_two_equal():
    solver = made_up(lambda state: [sum(len(column) for column in state.columns) % 3 - 1] * 7)  # -1, 0, 1 by ply
    openings = held_openings(solver, 20, np.random.default_rng(0))
    assert [opening.worth for opening in openings] == [1] * 20 + [0] * 20
    for moves, state, side, worth in openings:
        assert state == after(GAME, [int(move) for move in moves]) and 1 <= len(moves) <= 8
        value = len(moves) % 3 - 1  # for the player to move
        assert worth == abs(value)
        if value:
            assert side == (state.to_play if value > 0 else -state.to_play)
    boards = {min(opening.state.columns, opening.state.columns[::-1]) for opening in openings}
    assert len(boards) == 40
    assert {opening.side for opening in openings if opening.worth == 0} == {1, -1}
    assert openings == held_openings(solver, 20, np.random.default_rng(0))


def test_games_are_played_out_from_their_openings_each_on_its_side():
    openings = [(after(GAME, [0, 6, 0]), "060"), (after(GAME, [3, 3]), "33"), (GAME.initial_state(), "")]
    opponents = [OneColumn(6), OneColumn(6), OneColumn(3)]
    results, moves = play_out(OneColumn(0), 4, opponents, [1, 1, -1], openings)
    assert moves == ["0606060", "33060606" + "0", "3030303"]
    assert results == [1, 1, -1]


def test_every_reply_is_every_column_and_only_a_move_that_loses_value_is_wrong():
    def scores(state):
        return [1 if column == 3 else -1 for column in range(7)]

    right = all_lines(OneColumn(3), 4, made_up(scores), side=1, plies=2)
    assert right == dict(positions=1 + 7, matter=8, wrong=0, where="")
    wrong = all_lines(OneColumn(2), 4, made_up(scores), side=-1, plies=1)
    assert wrong == dict(positions=7, matter=7, wrong=7, where="0-2 1-2 2-2 3-2 4-2 5-2 6-2")
    lost = all_lines(OneColumn(2), 4, made_up(lambda state: [-1] * 7), side=1, plies=2)
    assert lost == dict(positions=8, matter=0, wrong=0, where="")  # nothing left to lose


def test_what_the_solver_said_is_not_asked_again_even_by_the_next_process(tmp_path, monkeypatch):
    asked = []

    def score_all_moves(board):
        asked.append(board)
        return {6: 2, 3: 0, 0: -4}  # columns 1, 2, 4 and 5 are full

    fake = SimpleNamespace(Board=lambda rows: rows, BitBully=lambda: SimpleNamespace(score_all_moves=score_all_moves))
    monkeypatch.setitem(sys.modules, "bitbully", fake)
    expected = [-4, None, None, 0, None, None, 2]
    first = Solver(tmp_path / "solved.npz")
    for moves in ([3], [3, 3], [3]):
        assert first.scores(after(GAME, moves)) == expected
    assert len(asked) == 2
    first.save()
    assert Solver(tmp_path / "solved.npz").scores(after(GAME, [3, 3])) == expected
    assert len(asked) == 2
    Solver(tmp_path / "solved.npz").scores(after(GAME, [2]))
    assert len(asked) == 3


def test_without_the_solver_one_sentence_says_how_to_get_it(monkeypatch):
    monkeypatch.setitem(sys.modules, "bitbully", None)
    with pytest.raises(SystemExit, match="needs the extra `solver`"):
        Solver()
