"""A third game, added without a line changed in the package: its rules, the board, agents, and training."""

import argparse
import io
import pickle
import re
import sys

import numpy as np
import pytest

from course_utils import agents, command_line, mine, ui
from course_utils.agents import MinimaxAgent, RandomAgent, SearchAgent
from course_utils.agents.classical import GreedyAgent
from course_utils.agents.uct import UctAgent
from course_utils.games import GAMES, TicTacToe, address, after, make_game, register
from course_utils.games.properties import check_game, count_lines
from course_utils.games.registry import ADDRESSES
from course_utils.learning.arena import match, random_openings
from course_utils.learning.folder import train_in_folder
from course_utils.learning.self_play import self_play_game
from course_utils.networks import UniformNetwork, settings_of
from course_utils.networks.checkpoint import load_network, save_network
from course_utils.networks.policy_value import TorchNetwork, make_network
from course_utils.search.puct import mcts_search
from tests.othello import Othello

GAME = Othello()
PASS = 36


@pytest.fixture
def registered():
    register(Othello)
    yield GAME
    del GAMES["othello"]


# --- rules -----------------------------------------------------------------------------------------------------------


def lines_by_words(rows, mover, plies):
    """`count_lines` once more: the board as words, and a pattern looked for in each line of sight.

    The stones are "X" and "O", and "." is a free cell.

    A position is a tuple of strings, one a row.
    """
    other, size = "OX"[mover == "O"], len(rows)

    def moves(mover, other):
        found = []
        for r in range(size):
            for c in range(size):
                if rows[r][c] != ".":
                    continue
                board = [list(row) for row in rows]
                for down in (-1, 0, 1):
                    for right in (-1, 0, 1):
                        sight = [(r + k * down, c + k * right) for k in range(1, size)]
                        word = "".join(rows[y][x] if 0 <= y < size and 0 <= x < size else "#" for y, x in sight)
                        if hit := re.match(f"({other}+){mover}", word):
                            for y, x in sight[: len(hit[1])]:
                                board[y][x] = mover
                if any("".join(row) != old for row, old in zip(board, rows, strict=True)):
                    board[r][c] = mover
                    found.append(tuple("".join(row) for row in board))
        return found

    if plies == 0:
        return 1
    if mine := moves(mover, other):
        return sum(lines_by_words(position, other, plies - 1) for position in mine)
    return lines_by_words(rows, other, plies - 1) if moves(other, mover) else 1


def words(state):
    return tuple(str(state).replace(" ", "").split("\n"))


@pytest.mark.parametrize(
    ("size", "known"), [(8, [4, 12, 56, 244, 1396]), (6, [4, 12, 56, 244, 1364]), (4, [4, 12, 44, 128, 424, 1256])]
)
def test_the_number_of_games_is_the_known_one(size, known):
    """Compare with published numbers (perft) on the large board, and with an independent program on all boards."""
    game = Othello(size)
    start = game.initial_state()
    for plies, count in enumerate(known, start=1):
        assert count_lines(game, start, plies) == count
        if plies <= 3 or size < 8:
            assert lines_by_words(words(start), "X", plies) == count


@pytest.mark.parametrize("size", [4, 6])
def test_late_positions_where_players_must_pass_have_as_many_continuations_as_counted_in_another_way(size):
    game, rng, passes = Othello(size), np.random.default_rng(0), 0
    while passes < 5:
        state = game.initial_state()
        while not game.is_terminal(state):
            legal = game.legal_actions(state)
            if legal == [size * size]:
                passes += 1
                assert count_lines(game, state, 3) == lines_by_words(words(state), ".XO"[state.to_play], 3)
            state = game.play(state, int(rng.choice(legal)))
        assert lines_by_words(words(state), ".XO"[state.to_play], 3) == 1


@pytest.mark.parametrize("game", [GAME, Othello(4)], ids=lambda game: game.name)
def test_it_keeps_what_every_game_has_to_keep(game):
    check_game(game, games=3)


# --- by name ---------------------------------------------------------------------------------------------------------


def test_a_game_is_found_by_where_it_stands_and_from_then_on_by_its_name():
    with pytest.raises(ValueError, match="no game is called 'othello'"):
        make_game("othello")
    try:
        assert make_game("tests.othello:Othello").name == make_game("othello").name == "othello"
    finally:
        del GAMES["othello"]
    for wrong in ("tests.othello:Chess", "tests.nothing:Othello", ":", "nothing:"):
        with pytest.raises(ValueError, match="there is no game at"):
            make_game(wrong)


def test_agents_that_the_course_does_not_have_for_it_are_not_promised(registered):
    for what in (agents.load, agents.card):
        with pytest.raises(ValueError, match=r"othello"):
            what("othello")


@pytest.fixture
def command(monkeypatch, capsys):
    """Run a command. Returns (status, its error messages)."""
    monkeypatch.setattr(sys, "stdin", io.StringIO("quit\n"))
    parser = argparse.ArgumentParser()
    command_line.add_to(parser)

    def command(*words):
        options = parser.parse_args([*map(str, words)])
        return options.run(options, []), capsys.readouterr().err

    return command


@pytest.fixture
def run_of(tmp_path, monkeypatch):
    """Makes the folder of a training run whose files call their game so."""
    (tmp_path / "trap.py").write_text("raise SystemExit('a file was imported')")
    monkeypatch.syspath_prepend(tmp_path)

    def run_of(name):
        for path in (tmp_path / "agent.pt", tmp_path / "snapshots" / "0002.pt"):
            save_network(path, make_network(GAME, seed=0), name)
        (tmp_path / "metrics.json").write_text("[]")
        return tmp_path

    return run_of


NOT_HERE = "which is not a game of the course. Name its rules with --game module:Class"


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("othello", f"plays 'othello', {NOT_HERE}"),
        ("trap:sprung", f"plays 'trap:sprung', {NOT_HERE}"),
        ("two\nlines", "does not say which game it plays"),
        (3, "does not say which game it plays"),
    ],
)
def test_what_a_file_calls_its_game_is_looked_up_and_never_imported(name, said, run_of, command):
    run = run_of(name)
    agent = run / "agent.pt"
    for words in (
        ["compare", agent],
        ["match", "random", agent],
        ["match", "--run", run],
        ["play", "--terminal", "--against", agent],
    ):
        status, error = command(*words)
        assert (status, error.count("\n"), said in error) == (1, 1, True), error


def test_nor_is_the_name_of_the_file_in_a_folder_of_a_run(run_of):
    run = run_of("othello")
    (run / "agent.pt").rename(run / "trap:sprung.pt")
    with pytest.raises(ValueError, match=r"trap:sprung\.pt is no agent of a game that is known here"):
        ui.Dashboard.of(run)


def test_an_agent_of_your_own_game_plays_where_you_say_which_game_it_is_or_have_registered_it(run_of, command):
    words = ["play", "--terminal", "--against", run_of("othello") / "agent.pt", "--simulations", 0]
    try:
        assert command(*words, "--game", "tests.othello:Othello") == (0, "")
        assert command(*words) == (0, "")
    finally:
        del GAMES["othello"]


# --- play ------------------------------------------------------------------------------------------------------------


def a_pass(game):
    """The moves to the first position of a random game in which a player must pass and the other can go on."""
    rng = np.random.default_rng(0)
    while True:
        state, actions = game.initial_state(), []
        while not game.is_terminal(state):
            legal = game.legal_actions(state)
            if legal == [game.nothing]:
                return actions
            actions.append(int(rng.choice(legal)))
            state = game.play(state, actions[-1])


class Follows:
    """Plays the given moves, one after the other."""

    def __init__(self, *actions):
        self.left = list(actions)

    def act(self, state):
        return self.left.pop(0)


def test_it_is_played_on_the_board_and_a_pass_has_a_button(registered):
    moves = a_pass(GAME)
    side = GAME.to_play(after(GAME, moves))
    mine_, theirs = (moves[0::2], moves[1::2]) if side == 1 else (moves[1::2], moves[0::2])
    board = ui.play("othello", opponents={"scripted": Follows(*theirs), "random": RandomAgent(GAME, None)}, human=side)
    for action in mine_:
        board.click(action)
    assert board.match.actions == moves
    assert board.view["places"][-1] == divmod(moves[-1], 6)  # and not those that it turned over
    free = board.view["positions"][-1].index(".")
    board.click(free)
    assert "You can turn no stone over: pass." in board.view["message"]
    assert board.view["refusals"][str(free)] == "You can turn no stone over: pass."  # the page says so itself
    assert board.view["extra"] == [{"action": PASS, "name": "pass"}]
    assert board.view["landing"] == {str(PASS): None}
    board.match.set_player(-side, None, "you")
    board.click(PASS)
    assert board.match.actions == [*moves, PASS] and board.match.to_play == -side
    board.click(PASS)
    assert "You can't pass" in board.view["message"]


def test_a_click_where_no_stone_turns_is_answered_in_the_words_of_the_game():
    board = ui.play(game=GAME, opponents={"greedy": GreedyAgent(GAME, np.random.default_rng(0))})
    board.click(0)
    assert "Cell 0 turns no stone over: choose another." in board.view["message"]
    assert board.match.actions == []


def test_without_agents_of_its_own_it_is_played_against_rollouts_and_a_random_one():
    assert list(ui.play(game=GAME).opponents) == ["rollouts", "random"]


def test_the_board_shows_what_a_search_thinks_of_each_cell():
    agent = SearchAgent(GAME, UniformNetwork(37), 14)
    board = ui.play(game=GAME, opponents={"search": agent})
    board.show("visits")
    assert set(board.view["overlay"]["shares"]) == set(map(str, GAME.legal_actions(GAME.initial_state())))
    passing = after(GAME, a_pass(GAME))
    ui.draw_board(GAME, passing, policy=agent.policy(passing), value=agent.value(passing))
    _, root = mcts_search(GAME, passing, UniformNetwork(37), 20, 1.5, return_root=True)
    labels = [text.get_text() for text in ui.draw_tree(GAME, root).axes[0].texts]
    assert any(label.startswith("pass: N=20") for label in labels)


def test_the_agents_of_the_course_play_it_and_searching_beats_chance():
    game, rng = Othello(4), np.random.default_rng(0)
    opponents = {"uct": UctAgent(game, 40, rng), "greedy": GreedyAgent(game, rng), "random": RandomAgent(game, rng)}
    openings = random_openings(game, 6, plies=2, rng=rng)
    for opponent in opponents.values():
        assert sum(match(game, SearchAgent(game, UniformNetwork(17), 4), opponent, openings)) == 12
    score = match(game, opponents["uct"], opponents["random"], openings)
    assert score.wins > 2 * score.losses


def test_on_the_smallest_board_perfect_play_wins_for_whoever_moves_second():
    game = Othello(4)  # known: 4 x 4 Othello is won by the second player
    assert MinimaxAgent(game).value(game.initial_state()) == -1


# --- training --------------------------------------------------------------------------------------------------------


def test_self_play_one_game_at_a_time_says_who_won_in_a_game_whose_last_mover_may_lose():
    examples = self_play_game(GAME, UniformNetwork(37), np.random.default_rng(0), simulations=2)
    values = [example.value * (-1) ** ply for ply, example in enumerate(examples)]  # for the first player
    assert len(set(values)) == 1


@pytest.mark.parametrize("workers", [0, 1])
def test_many_games_in_lock_step_train_it_and_its_network_comes_back(workers, tmp_path):
    """With a worker, too: another process, which has never heard of the game."""
    run = train_in_folder(tmp_path, GAME, minutes=60, seed=0, workers=workers, c_puct=2.25)
    assert run.config.lockstep and run.config.steps == 20, "its own settings are those of the run"
    assert [entry["games"] for entry in run.history] == [6, 6, 6]
    assert run.history[-1]["policy_loss"] < run.history[1]["policy_loss"]
    assert len(run.history[-1]["start_policy"]) == 37
    for entry in run.history:
        assert entry["first_wins"] + entry["draws"] + entry["second_wins"] == entry["from_start"]
    net = load_network(tmp_path / "othello.pt", "othello")
    assert settings_of(net).c_puct == run.config.c_puct == 2.25
    agent = SearchAgent(GAME, TorchNetwork(net), 4)
    assert sum(match(GAME, agent, RandomAgent(GAME, np.random.default_rng(0)), [GAME.initial_state()])) == 2


def test_other_processes_can_be_given_the_game():
    copy = pickle.loads(pickle.dumps(GAME))
    assert copy.legal_actions(copy.initial_state()) == GAME.legal_actions(GAME.initial_state())


def test_your_network_for_it_becomes_your_agent(registered, monkeypatch, tmp_path):
    monkeypatch.setenv("COURSE_RECORD", str(tmp_path))
    mine.save_agent(make_network(GAME, seed=0), "othello")
    assert "your network" in ui.play("othello", simulations=4).opponents


def test_a_command_names_the_game_so_that_it_is_found_again(registered, monkeypatch):
    name = "tests.othello:Othello"
    monkeypatch.setitem(ADDRESSES, "othello", "")  # and removed again afterwards
    assert address(make_game(name)) == name
    assert address(TicTacToe()) == "tictactoe"
