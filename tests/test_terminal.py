"""A game in the terminal: moves come from a pipe, the board and what happened are read from the output."""

import argparse
import io
import subprocess
import sys

import nbformat
import numpy as np
import pytest

from course_utils import command_line, commands, ui
from course_utils.games import ConnectFour, ConnectN, TicTacToe, after
from course_utils.games.hex import Hex
from course_utils.paths import COURSE
from course_utils.playing.terminal import drawing
from tests.othello import Othello
from tests.test_game_from_outside import a_pass


@pytest.fixture
def play(monkeypatch, capsys):
    """Plays with these lines typed. Returns (status, printed, said of errors)."""
    parser = argparse.ArgumentParser()
    command_line.add_to(parser)

    def play(typed, *words):
        monkeypatch.setattr(sys, "stdin", io.StringIO("".join(f"{line}\n" for line in typed)))
        options, rest = parser.parse_known_args(["play", "--terminal", *words])
        return options.run(options, rest), *capsys.readouterr()

    return play


def test_free_cells_have_their_numbers_and_columns_have_them_below():
    assert drawing(TicTacToe(), after(TicTacToe(), [4, 0])) == "O 1 2\n3 X 5\n6 7 8"
    assert drawing(ConnectN(2, 3, 2), after(ConnectN(2, 3, 2), [1])) == ". . .\n. X .\n0 1 2"
    wide = drawing(ConnectN(3, 12, 3), after(ConnectN(3, 12, 3), [11])).splitlines()
    assert wide[-1].split() == [str(column) for column in range(12)]
    assert wide[2].rindex("X") == wide[3].rindex("11") + 1  # the stone above the last digit of its column
    rows = drawing(Hex(), Hex().initial_state()).splitlines()
    assert [len(row) - len(row.lstrip()) for row in rows] == sorted(len(row) - len(row.lstrip()) for row in rows)
    passing = drawing(Othello(), after(Othello(), a_pass(Othello())))
    assert passing.splitlines()[-1] == "36: pass"


@pytest.mark.parametrize("game", [TicTacToe(), ConnectFour(), Hex(), Othello()], ids=lambda game: game.name)
def test_every_legal_move_can_be_read_off_the_board(game):
    rng, state = np.random.default_rng(0), game.initial_state()
    while not game.is_terminal(state):
        legal, shown = game.legal_actions(state), drawing(game, state).replace(":", "").split()
        assert {str(action) for action in legal} <= set(shown)
        state = game.play(state, int(rng.choice(legal)))


def test_the_shipped_agent_is_not_called_as_its_game_is(play):
    assert play(["quit"])[1].startswith("tictactoe: you are X, the course's agent is O.")
    assert "minimax:2 is O" in play(["quit"], "--against", "minimax:2")[1]


def test_a_whole_game_of_tic_tac_toe_with_every_kind_of_slip(play):
    status, printed, _ = play(
        ["", "nine", "9", "-1", "4", "4", "undo", "undo", "0"], "--against", "minimax:9", "--seed", "1"
    )
    assert status == 0
    assert printed.startswith("tictactoe: you are X, minimax:9 is O.")
    assert printed.count("Type one of 0, 1, 2, 3, 4, 5, 6, 7, 8, `undo` or `quit`, not") == 4
    assert "Cell 4 is taken: choose a free one." in printed
    assert "There is nothing to undo." in printed
    assert printed.endswith("You left the game.\n")


def test_whoever_wins_is_told_and_the_game_ends_there(play):
    """Against an agent that looks one move ahead and is beaten by a fork."""
    status, printed, _ = play(["3", "2", "4", "5", "1"] * 9, "--game", "connect_four", "--against", "random")
    assert status == 0 and printed.splitlines()[-1] in (
        "The game is over: X wins (you).",
        "The game is over: O wins (random).",
    )
    status, printed, _ = play(range(9), "--second", "--against", "minimax:9")
    assert printed.splitlines()[-1] in ("The game is over: X wins (minimax:9).", "The game is over: draw.")
    assert printed.splitlines()[4].startswith("minimax:9: cell ")


def test_quit_and_the_end_of_the_pipe_leave_the_game(play):
    for typed in (["quit"], ["QUIT"], []):
        status, printed, message = play(typed)
        assert (status, message) == (0, "") and printed.endswith("You left the game.\n")


def test_without_a_shipped_agent_rollouts_play(play):
    status, printed, _ = play(["quit"], "--game", "connect_n:4x5x3")
    assert status == 0 and "connect_3_on_4x5: you are X, uct is O." in printed


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["--against", "nobody"], "no agent is called 'nobody'"),
        (["--game", "chess"], "no game is called 'chess'"),
        (["--game", "connect_four", "--against", "tictactoe"], "expected connect_four"),
        (["--no-browser"], "unknown: --no-browser"),
    ],
)
def test_what_can_not_be_played_ends_in_one_sentence(words, sentence, play):
    status, printed, message = play(["quit"], *words)
    assert status == 1 and printed == "" and sentence in message and message.count("\n") == 1


def test_an_agent_that_fails_leaves_the_game_to_you(play, monkeypatch):
    def fails(*_):
        raise RuntimeError("out of ideas")

    monkeypatch.setattr("course_utils.agents.classical.GreedyAgent.act", fails)
    status, printed, _ = play(["4", "0", "quit"], "--against", "greedy")
    assert status == 0
    assert "greedy could not move (RuntimeError: out of ideas). Move for it, undo, or choose another player." in printed
    assert "O 1 2\n3 X 5" in printed


def test_it_works_through_a_real_pipe():
    command = [sys.executable, "-m", "course_utils", "play", "--terminal", "--against", "random", "--seed", "3"]
    done = subprocess.run(command, cwd=COURSE, input="4\nundo\n0\nquit\n", capture_output=True, text=True)
    assert done.returncode == 0 and "X 1 2" in done.stdout and done.stdout.endswith("You left the game.\n")
    assert done.stderr == ""


@pytest.mark.parametrize("game", ["chess", "connect_n:9x9x4"])
def test_no_page_is_opened_for_a_game_that_is_none(game, monkeypatch, capsys):
    monkeypatch.setattr(commands, "serve", lambda module: pytest.fail("opened"))
    parser = argparse.ArgumentParser()
    command_line.add_to(parser)
    options = parser.parse_args(["play", "--game", game])
    assert options.run(options, []) == 1 and game in capsys.readouterr().err


def test_a_page_for_a_size_of_connect_n_has_a_board_of_that_size(monkeypatch, tmp_path):
    served = []
    monkeypatch.setenv("COURSE_RECORD", str(tmp_path))
    monkeypatch.setattr("course_utils.paths.learners_record", lambda: tmp_path)
    monkeypatch.setattr(commands, "serve", lambda module: served.append(module) or 0)
    parser = argparse.ArgumentParser()
    command_line.add_to(parser)
    options = parser.parse_args(["play", "--game", "connect_n:4x5x3"])
    assert options.run(options, []) == 0 and served
    [cell] = nbformat.read(tmp_path / "play.ipynb", as_version=4).cells[1:]
    scope: dict = {"ui": ui}
    exec(f"board = {cell.source}", scope)
    assert (scope["board"].view["rows"], scope["board"].view["columns"]) == (4, 5)
