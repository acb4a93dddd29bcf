"""Yours where it passes, ours where it doesn't."""

import inspect
import json
import re
import sys
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context

import numpy as np
import pytest
import torch

from course_utils import agents, mine, record
from course_utils.answers.stubs import reference
from course_utils.exercise import EXERCISES, LEARNERS, adopt, sources_in_force, using
from course_utils.games import ConnectFour, make_game
from course_utils.games.connect_n import ConnectN as OurConnectN
from course_utils.games.tictactoe import State
from course_utils.games.tictactoe import TicTacToe as OurTicTacToe
from course_utils.learning.config import TrainingConfig
from course_utils.learning.run import Run
from course_utils.networks import UniformNetwork
from course_utils.networks.checkpoint import load_network
from course_utils.networks.policy_value import TorchNetwork
from course_utils.search import puct
from course_utils.search.puct import Node, expand
from course_utils.tests.case import Outcome
from course_utils.tests.slips import by_error


@pytest.fixture(autouse=True)
def _own_record(tmp_path, monkeypatch):
    monkeypatch.setenv("COURSE_RECORD", str(tmp_path))


def _record(name, source, points=1):
    record.save(record.Answer(name, source, points, points, True))


COUNTING_BACKUP = "calls = []\n" + reference("backup").replace(
    "    node = leaf", "    calls.append(value)\n    node = leaf"
)


def _calls(name):
    """What a recorded answer wrote into its list `calls`."""
    return LEARNERS[name].__wrapped__.__globals__["calls"]


def _root():
    return puct.Node(OurTicTacToe(), State())


def _backups_of_a_search(simulations):
    game = OurTicTacToe()
    puct.mcts_search(game, game.initial_state(), UniformNetwork(9), simulations, 1.5)
    return len(_calls("backup"))


def test_ours_where_nothing_is_recorded():
    from course_utils.mine import select_child

    assert select_child is puct.select_child
    assert mine.yours() == {}


def test_yours_once_it_is_recorded_and_ours_again_when_forgotten():
    _record("backup", "def backup(leaf, value):\n    return 'mine'")
    assert mine.backup(None, 0) == "mine"
    assert set(mine.yours()) == {"backup"}
    mine.use_ours("backup")
    assert mine.yours() == {}
    assert mine.backup(_root(), 0) is None
    mine.use_yours("backup")
    assert mine.backup(None, 0) == "mine"
    record.forget("backup")
    assert mine.backup(_root(), 0) is None


def test_what_was_imported_before_runs_yours_from_the_next_call_on():
    from course_utils.mine import winner

    assert winner(State()) == 0
    _record("winner", "def winner(state):\n    return 'mine'")
    _ = mine.yours()  # as a check, `whose` or an import from `mine` does
    assert winner(State()) == "mine"
    assert OurTicTacToe().winner(State()) == "mine"


def test_our_functions_call_yours():
    _record("backup", COUNTING_BACKUP)
    game = OurTicTacToe()
    mine.mcts_search(game, game.initial_state(), UniformNetwork(9), 7, 1.5)
    assert len(_calls("backup")) == 7


def test_the_course_as_shipped_calls_none_of_yours():
    _record("backup", COUNTING_BACKUP)
    game = OurTicTacToe()
    with using({}):
        mine.mcts_search(game, game.initial_state(), UniformNetwork(9), 7, 1.5)
    shipped = agents.load("tictactoe", simulations=5)
    shipped.act(game.initial_state())
    assert "backup" not in LEARNERS
    _ = mine.yours()
    assert _calls("backup") == []


@pytest.mark.parametrize(("game", "own", "functions"), [("tictactoe", 2, 13), ("connect_four", 1, 8)])
def test_an_agent_counts_only_functions_that_choose_its_moves(game, own, functions, capsys):
    """In Connect Four the rules and the network are the course's; nothing that trains an agent chooses a move."""
    for name in ("backup", "winner", "self_play_game"):
        _record(name, reference(name))
    agent = mine.agent(game, simulations=4)
    assert f"; {own} of the {functions} functions that choose its moves are yours." in capsys.readouterr().out
    called, of_exercises = (
        set(),
        {inspect.unwrap(exercise.reference).__code__: name for name, exercise in EXERCISES.items()},
    )
    sys.setprofile(lambda frame, event, _: called.add(of_exercises.get(frame.f_code)))
    try:
        with using({}):
            agent.act(agent.game.initial_state())
    finally:
        sys.setprofile(None)
    assert called - {None} == mine.functions_of_a_move(agent.game, agent.network, 4)


def test_using_puts_things_back_after_an_exception():
    with pytest.raises(KeyError), using({"winner": lambda state: state["no"]}):
        puct_game = OurTicTacToe()
        puct_game.winner({})
    assert OurTicTacToe().winner(State()) == 0


def test_a_recorded_cell_runs_once_a_session(capsys):
    _record("winner", "import builtins\nbuiltins.runs = getattr(builtins, 'runs', 0) + 1\ndef winner(state): return 0")
    from course_utils.mine import TicTacToe, is_terminal, legal_actions, winner

    for _ in range(3):
        assert winner(State()) == 0
        assert not is_terminal(State())
        assert legal_actions(State()) == TicTacToe().legal_actions(State())
        mine.whose()
    import builtins

    assert builtins.runs == 1
    del builtins.runs


def test_a_class_from_mine_is_the_same_at_each_import():
    assert mine.SearchAgent is mine.SearchAgent is agents.SearchAgent
    assert mine.TicTacToe is OurTicTacToe


def test_a_star_import_brings_every_exercise():
    namespace = {}
    exec("from course_utils.mine import *", namespace)
    assert EXERCISES.keys() <= namespace.keys()


def test_a_recorded_cell_that_calls_a_check_is_not_run():
    _record("winner", "def winner(state): return 7\ntests.test_winner(winner)")
    assert mine.winner(State()) == 0
    assert "also calls a check" in LEARNERS.broken["winner"]


def test_workers_play_yours():
    _record("backup", COUNTING_BACKUP)
    with ProcessPoolExecutor(1, get_context("spawn"), initializer=adopt, initargs=(sources_in_force(),)) as pool:
        assert pool.submit(_backups_of_a_search, 7).result() == 7
    assert _calls("backup") == []  # not in this process


def test_yours_call_yours_and_ours():
    _record("is_terminal", "def is_terminal(state):\n    return True")
    _record("legal_actions", "def legal_actions(state):\n    return [] if is_terminal(state) else [winner(state)]")
    assert mine.legal_actions(State()) == []
    record.forget("is_terminal")
    assert mine.legal_actions(State()) == [0]


def test_an_answer_may_call_an_exercise_of_another_module():
    _record("hex_winner", "def hex_winner(cells):\n    return softmax(cells[None])[0]")
    assert mine.hex_winner(np.zeros(4)).tolist() == [0.25] * 4
    _record("softmax", "def softmax(logits):\n    return logits + 7")
    assert mine.hex_winner(np.zeros(2)).tolist() == [7, 7]


def test_an_answer_may_import_from_mine():
    _record("softmax", "def softmax(logits):\n    return logits + 7")
    _record("relu", "from course_utils.mine import softmax\n\ndef relu(x):\n    return softmax(x)")
    assert mine.relu(1) == 8
    assert set(mine.yours()) == {"relu", "softmax"}


def test_a_helper_in_your_cell_keeps_its_name():
    _record(
        "legal_actions",
        "def winner(state):\n    return 'helper'\n\ndef legal_actions(state):\n    return winner(state)",
    )
    assert mine.legal_actions(State()) == "helper"


def test_classes_play_by_your_rules():
    _record("legal_actions", "def legal_actions(state):\n    return [8]")
    game = mine.TicTacToe()
    assert game.legal_actions(State()) == [8]
    with using({}):
        assert game.legal_actions(State()) == list(range(9))
    net = mine.make_network(game, 0)
    assert sum(parameter.numel() for parameter in net.parameters()) == 6026


def test_both_ways_to_make_connect_n_play_by_your_rules():
    _record("completes_line", "def completes_line(state, column):\n    return True")
    for game in (mine.ConnectFour(), mine.ConnectN(6, 7, 4)):
        assert isinstance(game, OurConnectN)
        assert game.winner(game.play(game.initial_state(), 3)) == 1  # our connect_play asks your function


def test_an_answer_that_raises_later_is_named_with_the_way_out():
    _record("select_child", "def select_child(node, c_puct):\n    return node.children[99]")
    game = OurTicTacToe()
    with pytest.raises(mine.YourAnswerFailed) as failure:
        mine.mcts_search(game, game.initial_state(), UniformNetwork(9), 5, 1.5)
    assert "your select_child passed its check but now raised KeyError" in str(failure.value)
    assert 'mine.use_ours("select_child")' in str(failure.value)


def test_who_calls_it_wrongly_is_to_blame():
    _record("relu", "def relu(x):\n    return abs(x) if x.shape else x[3]")
    for wrong_arguments in ((1, 2), ("a",)):  # ours fails with these, too
        with pytest.raises((TypeError, AttributeError)) as failure:
            mine.relu(*wrong_arguments)
        assert "own relu fails with these arguments, too" in failure.value.__notes__[0]
    with pytest.raises(mine.YourAnswerFailed, match="your relu"):  # ours doesn't
        mine.relu(np.float64(1))


def test_an_error_in_a_network_that_was_handed_over_blames_no_answer():
    for name in ("evaluate", "mcts_search"):
        _record(name, reference(name))
    game = OurTicTacToe()
    bare = mine.make_network(game, 0)  # a search wants a TorchNetwork
    with pytest.raises(TypeError) as failure:
        mine.mcts_search(game, game.initial_state(), bare, 5, 1.5)
    assert not getattr(failure.value, "__notes__", [])
    assert "takes `TorchNetwork(net)`" in "".join(by_error([Outcome(None, error=failure.value)]))


def test_a_value_error_stays_one_and_says_whose_it_is():
    _record("play", "def play(state, action):\n    raise ValueError('legal: none')")
    with pytest.raises(ValueError, match="legal: none") as failure:
        mine.play(State(), 0)
    assert "inside your play" in failure.value.__notes__[0]


def test_an_error_in_a_callback_blames_no_answer_and_nothing_runs_in_its_place():
    _record("train_alphazero", reference("train_alphazero"))
    run = Run.start(OurTicTacToe(), TrainingConfig(iterations=4, games=1, simulations=2, steps=1), 0)

    def plot(run):
        if len(run.history) == 2:
            raise ZeroDivisionError("in my plot")

    with pytest.raises(ZeroDivisionError) as failure:
        mine.train_alphazero(run, plot)
    assert len(run.history) == 2 and not getattr(failure.value, "__notes__", [])


def test_an_answer_that_raises_has_written_once_and_not_twice():
    source = reference("backup") + "\n    if leaf.parent.N.sum() > 3:\n        raise {}('mine')\n"
    for kind in (ValueError, KeyError):
        _record("backup", source.format(kind.__name__))
        root = Node(OurTicTacToe(), State())
        leaf = expand(root, 4, OurTicTacToe())
        for _ in range(3):
            mine.backup(leaf, 0.5)
        with pytest.raises((ValueError, mine.YourAnswerFailed), match="mine"):
            mine.backup(leaf, 0.5)
        assert root.N[4] == 4


class Panel:
    def update(self, run):
        raise IndexError("no such panel")


@pytest.mark.parametrize("callback", [Panel().update, lambda run: mine.relu("of another kind")])
def test_an_error_in_a_callback_that_is_a_method_or_calls_the_course_blames_no_answer(callback):
    _record("train_alphazero", reference("train_alphazero"))
    run = Run.start(OurTicTacToe(), TrainingConfig(iterations=1, games=1, simulations=2, steps=1), 0)
    with pytest.raises((IndexError, TypeError, np.exceptions.DTypePromotionError)) as failure:
        mine.train_alphazero(run, callback)
    assert "train_alphazero" not in str(failure.value)


@pytest.mark.parametrize("line", ["np.ones(2) @ np.ones(3)", "helper(x)", "[][1]", "int('x')"])
def test_an_error_of_a_line_of_its_own_of_its_helper_or_of_a_library_that_it_calls_is_the_answers(line):
    _record("relu", f"def helper(x):\n    return [][1]\n\ndef relu(x):\n    return {line}")
    x = np.array([-1.0, 2.0])
    with pytest.raises((mine.YourAnswerFailed, ValueError)) as failure:
        mine.relu(x)
    assert "your relu" in f"{failure.value} {getattr(failure.value, '__notes__', '')}"
    assert x.tolist() == [-1.0, 2.0]


def test_ctrl_c_in_an_answer_is_ctrl_c():
    _record("relu", "def relu(x):\n    raise KeyboardInterrupt")
    with pytest.raises(KeyboardInterrupt):
        mine.relu(np.zeros(2))


class Odd(OurTicTacToe):
    def play(self, state, action):
        raise KeyError("a game of my own")


def test_an_error_in_a_game_or_a_network_of_ones_own_is_no_answers():
    _record("expand", reference("expand"))
    with pytest.raises(KeyError, match="a game of my own"):
        mine.expand(Node(OurTicTacToe(), State()), 4, Odd())


def test_an_answer_that_no_longer_runs_gives_way_to_ours():
    _record("winner", "raise RuntimeError('no')")
    assert mine.winner(State()) == 0
    assert mine.yours() == {}
    assert "RuntimeError" in LEARNERS.broken["winner"]


def test_a_damaged_record_counts_as_none_and_whose_says_so(tmp_path, capsys):
    _record("winner", "def winner(state):\n    return 0")
    path = tmp_path / "answers" / "winner.json"
    whole = path.read_text()
    for damaged in (whole[:20], whole.replace("return 0", "return 1"), "[]", "[" * 100_000, "{}"):
        path.write_text(damaged)
        assert mine.winner(State()) == 0
        mine.whose()
        assert capsys.readouterr().out.endswith(
            "The record of winner is damaged, so it counts as not passed. Run its check again to record it.\n"
        )


def test_a_failed_attempt_keeps_the_answer_that_passed():
    _record("winner", "def winner(state):\n    return 'passed'")
    record.save(record.Answer("winner", "def winner(state):\n    return 'failed'", 0, 3, False))
    assert mine.winner(State()) == "passed"
    assert not record.load("winner").passing


def test_a_full_disk_loses_nothing(tmp_path, monkeypatch):
    _record("winner", "old")

    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("course_utils.files.os.replace", full)
    with pytest.raises(OSError, match="No space left"):
        _record("winner", "new")
    assert json.loads((tmp_path / "answers" / "winner.json").read_text())["source"] == "old"
    assert [path.name for path in (tmp_path / "answers").iterdir()] == ["winner.json"]


def test_unknown_names_are_refused():
    with pytest.raises(ValueError, match="no exercise is called 'bakcup'"):
        mine.use_ours("bakcup")
    with pytest.raises(AttributeError, match="neither an exercise nor a class"):
        _ = mine.nothing_like_this


def test_whose_lists_every_exercise(capsys):
    _record("backup", "def backup(leaf, value): ...")
    mine.whose()
    printed = capsys.readouterr().out
    assert "backup (yours)" in printed
    assert "select (ours)" in printed


def test_an_answer_that_does_not_run_in_another_process_is_ours_there_and_named():
    try:
        adopt({"backup": "x = nowhere\ndef backup(leaf, value): ...", "relu": "def relu(x):\n    return 'mine'"})
        assert "nowhere" in LEARNERS.broken["backup"]
        assert LEARNERS["backup"] is EXERCISES["backup"].reference
        assert LEARNERS["relu"](None) == "mine"
    finally:
        LEARNERS.learners = True
        LEARNERS.restart()


def test_a_network_that_was_kept_is_put_aside_when_another_is_and_only_then(tmp_path, capsys):
    first, second = (mine.make_network(OurTicTacToe(), seed) for seed in (0, 1))
    mine.save_agent(first, "tictactoe")
    mine.save_agent(first, "tictactoe")
    assert capsys.readouterr().out == ""
    mine.save_agent(second, "tictactoe")
    [aside] = re.findall(r"is now (.*)\.\n", capsys.readouterr().out)
    for path, net in ((aside, first), (mine.network_path("tictactoe"), second)):
        kept = load_network(path, "tictactoe").state_dict()
        assert all(torch.equal(kept[name], tensor) for name, tensor in net.state_dict().items())


class OfTheirOwn(torch.nn.Module):
    """A network as a learner writes one: not a class of the course."""

    def forward(self, planes):
        return planes.flatten(1).sum(1), planes.flatten(1)[:, :9]


@pytest.mark.parametrize(
    ("net", "sentence"),
    [
        (OfTheirOwn(), "this is a OfTheirOwn: keep yours with torch.save"),
        (TorchNetwork(mine.make_network(OurTicTacToe(), 0)), "this is a TorchNetwork"),
        (mine.make_network(ConnectFour(), 0), "not made for the board of tictactoe"),
    ],
)
def test_a_network_that_could_not_be_loaded_again_is_refused_in_a_sentence_and_the_kept_one_stands(net, sentence):
    mine.save_agent(mine.make_network(OurTicTacToe(), 0), "tictactoe")
    kept = mine.network_path("tictactoe").read_bytes()
    with pytest.raises(ValueError, match=sentence) as refusal:
        mine.save_agent(net, "tictactoe")
    assert "\n" not in str(refusal.value)
    assert mine.network_path("tictactoe").read_bytes() == kept


def test_an_agent_of_a_size_of_connect_n_is_kept_under_either_of_its_names():
    game = make_game("connect_n:4x5x3")
    with pytest.raises(ValueError, match="no agent of connect_n:4x5x3 is shipped, and you have kept none"):
        mine.agent("connect_n:4x5x3")
    mine.save_agent(mine.make_network(game, 0), "connect_n:4x5x3")
    agents = [mine.agent(name, 3, quiet=True) for name in ("connect_n:4x5x3", game.name)]
    assert len({agent.act(game.initial_state()) for agent in agents}) == 1


GONE = ("final_action", "trace_targets")  # an exercise that a newer version of the course no longer has


def test_an_answer_to_what_is_an_exercise_no_more_is_kept_and_disturbs_nothing(capsys):
    for name in GONE:
        _record(name, f"def {name}(*args):\n    return 'mine'")
    _record("uct_search", reference("uct_search") + "\n\ndef helper(root):\n    return final_action(root)")
    from course_utils.mine import UctAgent, final_action, trace_targets

    game = OurTicTacToe()
    agent = UctAgent(game, 20, np.random.default_rng(0))
    action = agent.act(game.initial_state())
    assert action == final_action(agent.root) and set(mine.yours()) == {"uct_search"}
    assert trace_targets.__module__.startswith("course_utils.")
    mine.whose()
    assert "can't be used" not in capsys.readouterr().out
    assert all("mine" in record.load(name).source for name in GONE)
