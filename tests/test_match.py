"""Matches by command: the games are those of the one-game arena, whoever plays them side by side, and the tally adds
up.
"""

import argparse
import re
import time
from itertools import combinations

import numpy as np
import pytest

from course_utils import agents, command_line, mine, record
from course_utils.agents import MinimaxAgent, SearchAgent
from course_utils.agents.classical import AlphaBetaAgent
from course_utils.exercise import using
from course_utils.games import ConnectFour, ConnectN, TicTacToe, after
from course_utils.learning import arena
from course_utils.learning.folder import train_in_folder
from course_utils.learning.side_by_side import Searcher, different_openings, play_out
from course_utils.learning.tournament import elo_ratings, wilson_interval
from course_utils.networks.policy_value import TorchNetwork, make_network
from course_utils.playing import match as command
from course_utils.playing.match import Match
from course_utils.playing.opponents import agent_maker, always
from course_utils.search.minimax import negamax


@pytest.fixture
def run(capsys):
    """Runs the command with these words. Returns (status, printed, said of errors)."""
    parser = argparse.ArgumentParser()
    command_line.add_to(parser)

    def run(*words):
        options = parser.parse_args(["match", *map(str, words)])
        return options.run(options, []), *capsys.readouterr()

    return run


def cells(printed):
    """The rows of the tables, each with the rule below its head."""
    return [
        [cell.strip() for cell in re.split("[│┼]", line)] for line in printed.splitlines() if re.search("[│┼]", line)
    ]


# --- games side by side ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("game", [TicTacToe(), ConnectN(4, 5, 3)], ids=lambda game: game.name)
@pytest.mark.parametrize("simulations", [0, 7])
def test_games_side_by_side_are_those_played_one_after_the_other(game, simulations):
    net = make_network(game, seed=0)
    many, single = Searcher(game, TorchNetwork(net), simulations), SearchAgent(game, TorchNetwork(net), simulations)
    opponent = AlphaBetaAgent(game, 2)
    openings, ended = different_openings(game, 12, np.random.default_rng(0)), []
    seats = [{1: many, -1: opponent}, {1: opponent, -1: many}, {1: many, -1: many}] * 4
    ends, actions = play_out(game, seats, openings, lambda: ended.append(1))
    for seat, opening, end, moves in zip(seats, openings, ends, actions, strict=True):
        alone = {side: single if who is many else who for side, who in seat.items()}
        assert game.winner(end) == arena.play_game(game, alone, opening)
        state = opening
        for move in moves:
            assert type(move) is int and move == alone[game.to_play(state)].act(state)
            state = game.play(state, move)
        assert state == end
    assert len(ended) == 12


@pytest.mark.parametrize(
    ("game", "count", "plies"), [(TicTacToe(), 50, 2), (TicTacToe(), 73, 3), (ConnectFour(), 60, 3)]
)
def test_openings_are_different_and_of_one_length(game, count, plies):
    openings = different_openings(game, count, np.random.default_rng(0))
    assert len(set(openings)) == count
    assert {int(np.abs(game.cells(state)).sum()) for state in openings} == {plies}
    assert not any(map(game.is_terminal, openings))
    assert openings != different_openings(game, count, np.random.default_rng(1))


def test_a_game_that_has_few_openings_gives_what_it_has():
    assert len(different_openings(ConnectN(1, 2, 2), 50, np.random.default_rng(0))) == 2  # after one stone
    assert len(different_openings(ConnectN(2, 2, 2), 50, np.random.default_rng(0))) == 4  # after two


# --- the tally -------------------------------------------------------------------------------------------------------


def test_the_tally_is_that_of_the_arena_and_elo_is_the_courses():
    game = TicTacToe()
    nets = {f"net {seed}": make_network(game, seed) for seed in range(3)}
    makers = {name: always(Searcher(game, TorchNetwork(net), 0)) for name, net in nets.items()}
    makers["looks ahead"] = always(AlphaBetaAgent(game, 2))
    pairs = list(combinations(makers, 2))
    match = Match(game, makers, pairs, games=60, seed=3)
    match.play()
    points = np.zeros((4, 4))
    for first, second in pairs:
        score = arena.match(game, makers[first](), makers[second](), match.openings)
        assert [match.share((first, second), result) for result in (1, 0, -1)] == [(count, 60) for count in score]
        i, j = list(makers).index(first), list(makers).index(second)
        points[i, j], points[j, i] = score.wins + score.draws / 2, score.losses + score.draws / 2
    elo = {row[0]: int(row[1]) for row in cells(str(match)) if len(row) == 3 and re.fullmatch(r"[+-]\d+", row[1])}
    assert elo == {name: round(rating) for name, rating in zip(makers, elo_ratings(points), strict=True)}
    assert list(elo.values()) == sorted(elo.values(), reverse=True)


def test_two_agents_are_counted_by_side_with_wilsons_interval(run):
    status, printed, _ = run("tictactoe:0", "random", "--games", 40)
    head, _, both, first, second = cells(printed)
    assert status == 0 and head == ["player", "against", "won", "drawn", "lost", command.FORCED]
    assert [row[0] for row in (both, first, second)] == ["tictactoe:0", "tictactoe:0 as X", "tictactoe:0 as O"]
    counts = np.array([[int(cell.split(":")[0]) for cell in row[2:5]] for row in (both, first, second)])
    assert counts.sum(axis=1).tolist() == [40, 20, 20] and (counts[0] == counts[1] + counts[2]).all()
    low, high = wilson_interval(int(counts[0, 0]), 40)
    assert f"({100 * low:.0f} to {100 * high:.0f})" in both[2]
    assert counts[0, 0] > 25, "the shipped agent beats a random one"


@pytest.mark.parametrize("first", ["minimax", "tictactoe:50"])
def test_an_agent_that_never_loses_loses_only_what_was_lost_before_it_began(first, run):
    """By an independent count: perfect play for both sides, from each opening."""
    _, printed, _ = run(first, "uct:100", "--games", 20)
    game = TicTacToe()
    openings = different_openings(game, 10, np.random.default_rng(0))
    lost = {
        side: sum(negamax(game, opening) * game.to_play(opening) == -side for opening in openings) for side in (1, -1)
    }
    assert f"In {lost[1] + lost[-1]} of the 10 openings, one side already loses" in printed
    for _, _, _, _, lose, before in cells(printed)[2:]:
        assert lose.split(":")[0] == before
    _, printed, _ = run("random", "minimax", "--games", 100)
    both = cells(printed)[2]
    assert int(both[4].split(":")[0]) > int(both[5]) > 0, "a random player loses more than what was lost already"
    assert command.FORCED not in run("random", "greedy", "--games", 2, "--game", "connect_n:4x4x3")[1]


def test_the_same_seed_gives_the_same_match_and_another_seed_another(run):
    words = ("random", "uct:5", "greedy", "--games", 10)
    first, again, different = run(*words)[1], run(*words)[1], run(*words, "--seed", 1)[1]
    assert first == again != different


def test_whoever_can_be_named_plays(run, tmp_path, monkeypatch):
    monkeypatch.setenv("COURSE_RECORD", str(tmp_path))
    mine.save_agent(make_network(TicTacToe(), 0), "tictactoe")
    path = mine.network_path("tictactoe")
    names = ["random", "greedy", "minimax", "minimax:2", "uct:5", "mine:4", "tictactoe", path, f"{path}:3", "random"]
    status, printed, _ = run(*names, "--games", 2)
    assert status == 0
    shown = [row[0] for row in cells(printed)[-len(names) :]]
    assert sorted(shown) == sorted([*map(str, names[1:-1]), "random (1)", "random (10)"])


def test_an_agent_whose_name_ends_in_prove_stops_where_the_position_is_proven(run):
    game = TicTacToe()
    agent = agent_maker(game, "tictactoe+prove:500", 50, 0)()
    state = after(game, [0, 4, 8, 2, 6, 3])
    assert agent.act(state) == 7 and agent.statistics(state)["visits"].sum() < 20
    status, printed, _ = run("tictactoe+prove:20", "tictactoe:20", "--games", 4)
    assert status == 0 and "tictactoe+prove:20" in printed


def test_your_functions_play_for_mine_and_for_nobody_else(tmp_path, monkeypatch):
    """The learner's search takes the highest legal action; the shipped agent's does not."""
    monkeypatch.setenv("COURSE_RECORD", str(tmp_path))
    source = """import numpy as np
def mcts_search(game, state, network, simulations, c_puct, *, noise=None, rng=None, return_root=False):
    root = Node(game, state)
    root.N[game.legal_actions(state)[-1]] = root.W[0] = simulations
    return (root.N.copy(), root) if return_root else root.N.copy()"""
    record.save(record.Answer("mcts_search", source, 1, 1, True))
    game = TicTacToe()
    with using({}):
        assert agent_maker(game, "mine", 5, 0)().act(game.initial_state()) == 8
        shipped = agent_maker(game, "tictactoe", 50, 0)().act(game.initial_state())
        assert shipped == agents.load("tictactoe", 50).act(game.initial_state()) != 8


def test_perfect_play_is_perfect():
    game = TicTacToe()
    with using({}):
        agent = agent_maker(game, "minimax", 0, 0)()
    assert arena.count_lines(game, MinimaxAgent(game), 1).losses == 0
    for state in different_openings(game, 20, np.random.default_rng(0), plies=4):
        assert agent.act(state) in MinimaxAgent(game).best_actions(state)


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["random"], "needs two agents or more"),
        (["random", "nobody"], "no agent is called 'nobody'. Agents are random, greedy"),
        (["random", "nowhere.pt"], "there is no checkpoint at nowhere.pt"),
        (["random", "."], "can't be read"),
        (["tictactoe", "connect_four"], "plays connect_four; expected tictactoe"),
        (["random:3", "greedy"], "random has no strength to set"),
        (
            ["tictactoe:999999999999", "random"],
            "the number of tictactoe is a whole number from 0 to 1,000,000, not 9999",
        ),
        (["random", "uct:" + "9" * 5000], "the number of uct is a whole number from 1 to 1,000,000, not 9999"),
        (["uct:0", "random"], "the number of uct is a whole number from 1 to 1,000,000, not 0"),
        (["minimax:0", "random"], "the number of minimax is a whole number from 1 to 1,000,000, not 0"),
        (["minimax", "random", "--game", "connect_four"], "as in minimax:4"),
        (["mine", "random", "--game", "connect_n:3x3x3"], "you have kept none"),
        (["random", "greedy", "--out", "x.png"], "so it needs --run"),
        (["--run", "."], "contains no snapshots"),
        (["--run", ".", "--out", "x.doc"], "--out is a picture"),
    ],
)
def test_what_can_not_be_played_ends_in_one_sentence(words, sentence, run, tmp_path, monkeypatch):
    monkeypatch.setenv("COURSE_RECORD", str(tmp_path))
    monkeypatch.chdir(tmp_path)
    status, printed, message = run(*words)
    assert status == 1 and printed == "" and sentence in message and message.count("\n") == 1


@pytest.mark.parametrize("words", [["--games", "3"], ["--games", "0"], ["--simulations", "-1"], ["--seed", "x"]])
def test_numbers_that_are_none_are_refused(words, run, capsys):
    with pytest.raises(SystemExit):
        run("random", "greedy", *words)
    assert words[1] in capsys.readouterr().err


def test_ctrl_c_ends_in_one_sentence_with_the_tally_so_far(run, monkeypatch):
    class Impatient:
        asked = 0

        def act(self, state):
            Impatient.asked += 1
            if Impatient.asked > 20:
                raise KeyboardInterrupt
            return TicTacToe().legal_actions(state)[0]

    original = command.agent_maker
    monkeypatch.setattr(
        command,
        "agent_maker",
        lambda game, name, *more: always(Impatient()) if name == "greedy" else original(game, name, *more),
    )
    status, printed, message = run("greedy", "random", "uct:2", "--games", 20)
    assert status == 130
    [(played, of)] = re.findall(r"Stopped: the tally counts (\d+) of (\d+) games", message)
    assert of == "60" and 2 <= int(played) < 20 and int(played) % 2 == 0
    [row] = cells(printed)[2:]
    assert sum(int(cell.split(":")[0]) for cell in row[2:5]) == int(played)


# --- along a run -----------------------------------------------------------------------------------------------------


def test_the_checkpoints_of_a_run_beside_the_weights_it_began_with(run, tmp_path):
    folder = tmp_path / "my runs" / "x"
    train_in_folder(
        folder,
        TicTacToe(),
        5,
        seed=2,
        lockstep=True,
        workers=0,
        iterations=24,
        games=2,
        simulations=2,
        steps=1,
        batch=8,
    )
    status, printed, _ = run("--run", folder, "--games", 4, "--simulations", 0, "--out", tmp_path / "new" / "curve.svg")
    assert status == 0
    rows = cells(printed)[2:]
    iterations = list(dict.fromkeys(int(row[0].split()[1]) for row in rows))
    assert iterations[0] == 0 and iterations[1] == 2 and iterations[-1] == 24 and len(iterations) == 1 + command.MOST
    assert {row[1] for row in rows} == {"random", "uct:100"} and len(rows) == 2 * len(iterations)
    game = TicTacToe()
    begun = SearchAgent(game, TorchNetwork(make_network(game, 2)), 0)
    status, printed, _ = run("--run", folder, "minimax:2", "--games", 4, "--simulations", 0)
    score = arena.match(game, begun, AlphaBetaAgent(game, 2), different_openings(game, 2, np.random.default_rng(0)))
    assert [int(cell.split(":")[0]) for cell in cells(printed)[2][2:5]] == list(score)
    assert "<svg" in (tmp_path / "new" / "curve.svg").read_text()


def test_many_games_take_no_longer_than_they_need():
    """Side by side a network is asked once a move for all games that wait for it, not once a game."""
    game, calls = ConnectFour(), []
    network = TorchNetwork(make_network(game, 0))

    def counted(planes):
        calls.append(len(planes))
        return network(planes)

    searcher = Searcher(game, counted, 0)
    began = time.monotonic()
    play_out(game, [{1: searcher, -1: searcher}] * 40, different_openings(game, 40, np.random.default_rng(0)))
    assert len(calls) <= 42 < sum(calls) and time.monotonic() - began < 60
