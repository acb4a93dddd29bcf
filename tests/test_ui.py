"""What a learner sees: the match behind the board, the board itself, pictures."""

import asyncio
import itertools
import threading
import time
from itertools import pairwise

import matplotlib.pyplot as plt
import numpy as np
import pytest
from IPython.core.interactiveshell import InteractiveShell

from course_utils import agents, mine, ui
from course_utils.agents import MinimaxAgent, RandomAgent, SearchAgent
from course_utils.games import ConnectFour, ConnectN, TicTacToe, after
from course_utils.learning.exam import load_positions
from course_utils.networks import UniformNetwork
from course_utils.networks.checkpoint import save_network
from course_utils.networks.policy_value import TorchNetwork, make_network
from course_utils.search.minimax import solve
from course_utils.search.proven import search_until_proven
from course_utils.search.puct import mcts_search
from course_utils.ui import board as board_module
from course_utils.ui import flood, thinking
from course_utils.ui.analysis import solved_connect_four
from course_utils.ui.figures import in_words
from course_utils.ui.game_in_progress import Match
from course_utils.ui.page import PERFECT, SHIPPED
from tests.board_table import BEGIN, TABLE, assert_shows

GAME = TicTacToe()


@pytest.fixture(autouse=True)
def _own_record_and_no_open_figures(tmp_path, monkeypatch):
    monkeypatch.setenv("COURSE_RECORD", str(tmp_path))
    yield
    plt.close("all")


class Scripted:
    """Plays given actions, one after the other."""

    def __init__(self, *actions):
        self.actions = list(actions)

    def act(self, state):
        return self.actions.pop(0)


class Broken:
    def act(self, state):
        raise KeyError("no such child")

    def policy(self, state):
        raise RuntimeError("nothing there")

    value = policy


class Patient:
    """Plays the first legal action when it is allowed to; says when it was asked."""

    def __init__(self, game=GAME):
        self.game, self.asked, self.allowed = game, threading.Event(), threading.Event()

    def act(self, state):
        self.asked.set()
        assert self.allowed.wait(10)
        return self.game.legal_actions(state)[0]


async def until(condition):
    while not condition():
        await asyncio.sleep(0.001)


def in_a_kernel(coroutine):
    """Run it in a loop, as a kernel does what is clicked."""
    return asyncio.run(asyncio.wait_for(coroutine, 20))


def search_agent(simulations=10, game=GAME):
    return SearchAgent(game, UniformNetwork(game.num_actions), simulations)


def new_match(x=None, o=None):
    return Match(GAME, {1: x, -1: o}, {1: "you" if x is None else "Ex", -1: "you" if o is None else "Oh"})


def texts(figure) -> list[str]:
    return [text.get_text() for ax in figure.axes for text in _texts(ax)]


def _texts(ax):
    nested = [text for child in ax.child_axes for text in child.texts]
    return [*ax.texts, *nested]


# --- the match -------------------------------------------------------------------------------------------------------


def test_a_taken_cell_is_refused_with_a_reason_and_changes_nothing():
    match = new_match()
    match.click(4)
    before = match.state
    assert "Cell 4 is taken" in match.click(4)
    assert match.state is before
    assert match.actions == [4]


def test_a_full_column_is_called_a_column():
    match = Match(ConnectFour(), {1: None, -1: None}, {1: "you", -1: "you"})
    for _ in range(6):
        match.click(3)
    assert "Column 3 is full" in match.click(3)


def test_nothing_is_played_after_the_end():
    match = new_match()
    for action in (0, 3, 1, 4, 2):
        match.click(action)
    assert match.turn() == "The game is over: X wins (you)."
    assert "The game is over" in match.click(8)
    assert "The game is over" in match.agent_move()
    assert len(match.actions) == 5


def test_a_click_out_of_turn_is_refused():
    match = new_match(x=Scripted(0))
    assert "not your turn" in match.click(4)
    assert match.actions == []


def test_undo_goes_back_to_the_humans_last_move():
    match = new_match(o=Scripted(0, 8))
    match.click(4)
    match.agent_move()
    match.click(1)
    match.agent_move()
    match.undo()
    assert match.actions == [4, 0]
    match.undo()
    assert match.state == GAME.initial_state()
    assert "nothing to undo" in match.undo()


def test_undo_leaves_the_agents_first_move_alone():
    match = new_match(x=Scripted(4))
    match.agent_move()
    assert "nothing to undo" in match.undo()
    assert match.actions == [4]


def test_undo_takes_back_one_move_where_nobody_is_human():
    match = new_match(Scripted(0), Scripted(1))
    match.agent_move()
    match.agent_move()
    match.undo()
    assert match.actions == [0]


@pytest.mark.parametrize(
    "agent", [Broken(), Scripted(4), Scripted(99), Scripted(None), Scripted(2.0)], ids=lambda a: str(vars(a))
)
def test_an_agent_that_fails_leaves_a_sentence_and_a_game_to_go_on_with(agent):
    match = new_match(o=agent)
    match.click(4)
    said = match.agent_move()
    assert said.startswith("Oh could not move (")
    assert "\n" not in said
    assert match.actions == [4]
    match.click(0)  # a human may move in its place
    assert match.actions == [4, 0]
    match.undo()
    assert match.actions == []


def test_a_numpy_integer_is_an_action():
    match = new_match(x=Scripted(np.int64(4)))
    match.agent_move()
    assert match.actions == [4]
    assert type(match.actions[0]) is int


# --- the board -------------------------------------------------------------------------------------------------------


def tell(board, message: dict) -> None:
    """A message of a page that has seen the board as it is now."""
    board._receive(board, {"id": "page-1", "version": board.view["version"], **message})


def send(board, what, **more):
    tell(board, {"do": what, **more})


def shown(board) -> str:
    """The squares, row by row: "X.O......"."""
    return board.view["positions"][-1]


def said(board) -> str:
    return board.view["message"]


@pytest.mark.parametrize("script", TABLE)
def test_a_board_does_what_it_is_told(script):
    board = ui.play(opponents={SHIPPED: agents.load("tictactoe"), PERFECT: MinimaxAgent(GAME)}, simulations=50)
    for message in BEGIN:
        tell(board, message)
    for message, *expected in TABLE[script]:
        tell(board, message)
        assert_shows(board.view, *expected)


def test_the_agent_begins_where_the_human_is_second():
    board = ui.play(opponents={"scripted": Scripted(4, 0)}, human=-1)
    assert board.match.actions == [4]
    board.click(1)
    assert board.match.actions == [4, 1, 0]


def test_run_plays_to_the_end_and_leaves_the_loop_free_between_moves(monkeypatch):
    monkeypatch.setitem(board_module.SPEEDS, "fast", 0.001)
    board = ui.play(opponents={"perfect": MinimaxAgent(GAME)}, human=0)
    board.set_speed("fast")
    seen = []

    async def watch():
        board.run()
        assert board.view["running"]
        while board._playing is not None:
            seen.append(len(board.match.actions))
            await asyncio.sleep(0.0005)

    in_a_kernel(watch())
    assert board.match.over
    assert len(set(seen)) > 3
    assert not board.view["running"]


def test_pause_pauses():
    board = ui.play(opponents={"perfect": MinimaxAgent(GAME)}, human=0)

    async def start_and_pause():
        board.run()
        await until(lambda: board.match.actions)
        board.pause()
        await asyncio.sleep(0.05)

    in_a_kernel(start_and_pause())
    assert len(board.match.actions) == 1
    assert "Paused" in said(board)


def test_an_agent_whose_turn_it_is_in_a_position_that_was_set_up_waits_until_it_is_told_to_move():
    board = ui.play(opponents={"scripted": Scripted(8, 8)}, position=[4, 0, 1])
    for _ in range(2):
        assert board.match.actions == [4, 0, 1]
        assert said(board) == "O (scripted) to move. Click Next move."
        board.click(7)
        assert said(board) == "It is not your turn: O (scripted) to move. Click Next move."
        board.next_move()
        assert board.match.actions == [4, 0, 1, 8]
        assert board.view["yours"]
        board.set_up([4, 0, 1])


def test_a_game_from_a_position_that_was_set_up_is_not_counted_and_the_next_game_is():
    board = ui.play(opponents={"scripted": Scripted(7, 7, 3, 4, 5)}, human=-1, position=[0, 4, 8, 2, 6, 3])
    nothing = "You against scripted: 0 won, 0 drawn, 0 lost"
    board.next_move()
    assert (board.match.over, board.view["tally"]) == (True, nothing)
    board.undo()
    board.click(1)
    assert board.match.actions == [0, 4, 8, 2, 6, 1, 7]
    assert (board.match.over, board.view["tally"]) == (True, nothing)
    board.new_game()
    for action in (0, 1):
        board.click(action)
    assert board.view["tally"] == "You against scripted: 0 won, 0 drawn, 1 lost"


def test_a_human_goes_on_moving_for_an_agent_that_failed_when_the_strength_changes():
    board = ui.play("tictactoe", opponents={"broken": Broken()}, simulations=10)
    board.click(4)
    assert board.view["yours"]
    board.set_strength(50)
    board.set_up([0, 0])
    assert board.view["yours"]
    board.click(0)
    assert board.match.actions == [4, 0]


def test_an_agent_whose_turn_it_is_in_an_old_position_moves_when_it_is_told_to():
    board = ui.play(opponents={"scripted": Scripted(0, 1, 7, 8)})
    for action in (4, 5):
        board.click(action)
    assert not board.view["watching"]
    board.look(1)
    assert board.view["watching"]  # with the button
    assert said(board) == "After move 1 of 4: O (scripted) to move. Click Next move."
    board.next_move()
    assert board.match.actions == [4, 7]
    board.look(1)

    async def run():
        board.run()  # to where it is the human's turn
        await until(lambda: not board.view["running"])

    in_a_kernel(run())
    assert board.match.actions == [4, 8]
    assert board.view["yours"]


def test_agents_that_play_on_leave_the_position_that_is_looked_at_and_go_on_from_it_when_told_to():
    board = ui.play(opponents={"one": Scripted(0, 1, 2, 3), "two": Scripted(4, 5, 6)}, human=0)
    for _ in range(2):
        board.next_move()
    board.look(1)
    board.match.agent_move()  # as while they run
    board._say(board.match.turn())
    assert said(board) == "After move 1 of 3: O (two) to move. Click Next move or Run."
    board.next_move()
    assert board.match.actions == [0, 5]
    assert [line["actions"] for line in board.view["lines"]] == [[0, 4, 1]]


class Speaking:
    """An agent that says what it is told to."""

    def __init__(self, value=0.0, action: object = 0):
        self.says, self.plays = value, action

    def act(self, state):
        return self.plays

    def value(self, state):
        return self.says

    def statistics(self, state):
        return {"Q": np.full(9, self.says)}


@pytest.mark.parametrize("nothing", [float("nan"), float("inf"), "a lot", None])
def test_a_value_that_is_no_number_is_not_shown_and_the_reason_is(nothing):
    board = ui.play(opponents={"speaking": Speaking(nothing)})
    board.show("Q", value=True)
    assert board.view["values"] == [None]
    assert board.view["valued_why"]
    assert board.view["overlay"]["shares"] == {}
    board = ui.play(opponents={"random": RandomAgent(GAME, np.random.default_rng(0))})
    board.show(value=True)
    assert "has no value" in board.view["valued_why"]


@pytest.mark.parametrize("action", [None, "a", 99, 4.5, 4])
def test_a_hint_that_is_no_move_is_no_hint_and_says_why(action):
    board = ui.play(opponents={"speaking": Speaking(action=0)})
    board.click(4)
    board.opponents["speaking"].plays = action
    board.give_hint()
    assert board.view["hint"] is None
    assert "speaking has no hint (" in said(board)
    assert "taken" not in said(board) or action == 4


def test_a_strength_between_the_steps_can_be_chosen_again():
    board = ui.play(opponents={"search": search_agent()}, simulations=30)
    board.set_strength(50)
    assert 30 in [step["simulations"] for step in board.view["strength"]["steps"]]


def test_no_opponent_has_the_name_of_the_human():
    with pytest.raises(ValueError, match="no opponent can be called 'you'"):
        ui.play(opponents={"you": Scripted(0)})


class Moody(TicTacToe):
    """Rules of a learner's that raise what rules should not, in one of their methods."""

    broken = ""

    def is_terminal(self, state):
        if self.broken == "is_terminal":
            raise RecursionError("a deep mistake")
        return super().is_terminal(state)

    def play(self, state, action):
        if self.broken == "play":
            raise KeyError("a cell")
        return super().play(state, action)


def test_rules_that_raise_leave_the_game_as_it_was_and_say_why():
    game = Moody()
    board = ui.play(game=game, opponents={"scripted": Scripted(0)})
    board.click(4)
    for game.broken, message in itertools.product(
        ("play", "is_terminal"), ({"what": "play", "action": 1}, {"what": "new"})
    ):
        send(board, **message)
        assert "That could not be done (" in said(board)
        assert not board.view["thinking"]
    game.broken = "play"
    assert "That is not a position: 'a cell'" in board.match.set_up([4, 1])
    game.broken = ""
    send(board, "new")
    assert board.view["yours"]


def test_rules_that_raise_beside_a_thinking_agent_do_not_leave_it_thinking():
    game, agent = Moody(), Patient()
    board = ui.play(game=game, opponents={"patient": agent})

    async def play():
        board.click(4)
        await until(agent.asked.is_set)
        game.broken = "is_terminal"
        agent.allowed.set()
        await until(lambda: "That could not be done (RecursionError: a deep mistake)" in said(board))
        assert not board.view["thinking"]

    in_a_kernel(play())


class Changing:
    """Two networks in one, of which one fails at first."""

    iteration, fails = 1, True

    def act(self, state):
        return GAME.legal_actions(state)[0]

    def value(self, state):
        if self.fails:
            raise RuntimeError("not yet")
        return self.iteration / 10


def test_what_was_found_out_is_forgotten_when_another_iteration_plays_or_it_could_not_be_said():
    agent = Changing()
    board = ui.play(opponents={"changing": agent})
    board.show(value=True)
    assert board.view["values"] == [None]
    agent.fails = False
    board.show(value=True)
    assert board.view["values"] == [0.1]
    agent.iteration = 2
    board.show(value=True)
    assert board.view["values"] == [0.2]


def test_whoever_goes_back_and_forth_can_always_take_up_every_line():
    rng = np.random.default_rng(0)
    for _ in range(200):
        match, seen = new_match(), set()
        for _ in range(12):
            what = rng.integers(3)
            if what == 0 and match.actions:
                match.back_to(int(rng.integers(len(match.actions))))
            elif what == 1 and match.left:
                match.take_up(match.left[rng.integers(len(match.left))])
            elif not match.over:
                match.click(int(rng.choice(GAME.legal_actions(match.state))))
            seen.add(tuple(match.actions))
            assert match.states == [after(GAME, match.actions[:ply]) for ply in range(len(match.actions) + 1)]
        for line in seen:
            assert any(tuple(other[: len(line)]) == line for other in [match.actions, *match.left])


@pytest.mark.parametrize(
    ("name", "agent", "words"),
    [
        ("your network, iteration 12", search_agent(100), "your network, iteration 12, 100 simulations"),
        ("one look", search_agent(1), "one look, 1 simulation"),
        ("alone", search_agent(0), "alone, without search"),
        ("100 simulations", search_agent(100), "100 simulations"),
        ("random", RandomAgent(GAME, np.random.default_rng(0)), "random"),
        ("you", None, "you"),
    ],
)
def test_the_board_says_in_words_who_plays(name, agent, words):
    match = Match(GAME, {1: agent, -1: None}, {1: name, -1: "you"})
    assert match.turn() == f"X ({words}) to move."


def test_who_plays_is_said_with_the_iteration_that_plays_now():
    agent = Changing()
    board = ui.play(opponents={"yours": agent}, human=-1)
    board.look(0)
    assert "X (yours, iteration 1) to move" in said(board)
    agent.iteration = 2
    board.look(0)
    assert "X (yours, iteration 2) to move" in said(board)


def test_a_game_counts_once_for_the_two_who_played_it():
    board = ui.play(opponents={"scripted": Scripted(3, 4, 0, 1, 2, 0, 1), "idle": Scripted()})
    assert board.view["tally"] == "You against scripted: 0 won, 0 drawn, 0 lost"
    for action in (0, 1, 2):
        board.click(action)
    assert board.view["tally"] == "You against scripted: 1 won, 0 drawn, 0 lost"
    board.undo()
    board.click(2)  # the same game
    board.set_up([0, 3, 1, 4, 2])  # nobody played it
    assert board.view["tally"] == "You against scripted: 1 won, 0 drawn, 0 lost"
    board.set_up([])
    board.swap()
    for action in (3, 4, 8):
        if board.view["yours"]:
            board.click(action)
    assert board.match.over and GAME.winner(board.match.state) == 1
    assert board.view["tally"] == "You against scripted: 1 won, 0 drawn, 1 lost"
    board.set_player(1, "idle")
    assert board.view["tally"] == "You against idle: 0 won, 0 drawn, 0 lost"


@pytest.mark.parametrize("game", [GAME, ConnectFour(), ConnectN(4, 4, 3)])
def test_the_position_that_is_given_as_an_example_is_legal(game):
    board = ui.play(game=game, opponents={"scripted": Scripted()})
    send(board, "set_up", text="corner")
    assert board.view["example"] in said(board)
    assert after(game, [int(action) for action in board.view["example"].split(", ")])


# --- what a page sends -----------------------------------------------------------------------------------------------


def test_a_click_counts_in_the_position_that_it_was_made_in_and_in_no_other():
    board = ui.play(opponents={"scripted": Scripted(0, 1)})
    early = board.view["version"]
    send(board, "play", action=4)
    assert board.match.actions == [4, 0]
    send(board, "play", action=8, version=early)
    assert board.match.actions == [4, 0]
    send(board, "play", action=8)
    assert board.match.actions == [4, 0, 8, 1]


def test_each_message_is_answered_even_if_nothing_comes_of_it():
    board = ui.play(opponents={"scripted": Scripted()})
    for number, message in enumerate(({"do": "play", "action": 4, "version": -1}, {"do": "nonsense"}, {}), 1):
        board._receive(board, {"id": f"abc-{number}", **message})
        assert board.view["heard"] == {"abc": number}
    assert board.match.actions == []


# --- while an agent thinks -------------------------------------------------------------------------------------------


@pytest.fixture
def thoughtful():
    """(board of Connect Four, its patient agent): the human begins."""
    game = ConnectFour()
    agent = Patient(game)
    yield ui.play("connect_four", opponents={"patient": agent, "scripted": Scripted(6, 6)}), agent
    agent.allowed.set()  # the thread is shared


def test_a_click_while_the_agent_thinks_is_dropped_and_the_page_says_who_thinks(thoughtful):
    board, agent = thoughtful

    async def play():
        send(board, "play", action=3)
        await until(agent.asked.is_set)
        assert shown(board)[5 * 7 + 3] == "X"  # shown before the answer
        assert "O (patient) is thinking" in said(board)
        assert not board.view["yours"]
        for column in (3, 4, 5):
            send(board, "play", action=column)
        agent.allowed.set()
        await until(lambda: len(board.match.actions) > 1)
        assert board.match.actions == [3, 0]
        assert "X (you) to move" in said(board)
        send(board, "play", action=5)
        assert board.match.actions == [3, 0, 5]

    in_a_kernel(play())


@pytest.mark.parametrize("end", ["new", "undo"])
def test_new_game_and_undo_are_done_at_once_and_the_answer_is_never_heard(thoughtful, end):
    board, agent = thoughtful

    async def play():
        send(board, "play", action=3)
        await until(agent.asked.is_set)
        send(board, end)
        assert board.match.actions == []
        assert "X (you) to move" in said(board)
        agent.allowed.set()
        await asyncio.sleep(0.05)
        assert board.match.actions == []
        send(board, "play", action=2)
        await until(lambda: len(board.match.actions) == 2)

    in_a_kernel(play())
    assert board.match.actions == [2, 0]


@pytest.mark.parametrize("act", [{"what": "undo"}, {"what": "set_up", "text": "9"}])
def test_an_agent_that_thinks_about_the_first_move_is_asked_again_after_what_can_not_be_done(thoughtful, act):
    board, agent = thoughtful

    async def play():
        send(board, "swap")
        await until(agent.asked.is_set)
        send(board, **act)
        agent.allowed.set()
        await until(lambda: board.view["yours"])

    in_a_kernel(play())
    assert board.match.actions == [0]


def test_a_hint_is_not_asked_for_while_an_agent_thinks(thoughtful):
    board, agent = thoughtful

    async def play():
        send(board, "play", action=3)
        await until(agent.asked.is_set)
        send(board, "hint")
        assert "O (patient) is thinking" in said(board)

    in_a_kernel(play())


def test_what_a_page_says_in_another_thread_is_heard_when_the_cell_is_over():
    """As a JupyterLab with subshells brings it, beside a running cell."""

    async def kernel():
        board = ui.play(opponents={"you too": None})
        page = {
            "content": {"data": {"method": "custom", "content": {"do": "play", "action": 4, "version": 1}}},
            "buffers": [],
        }
        heard = []
        board.observe(lambda change: heard.append(threading.current_thread()), "view")
        click = threading.Thread(target=board._handle_msg, args=[page])
        click.start()
        click.join()  # the cell goes on
        assert not board.match.actions
        await until(lambda: board.match.actions)
        assert board.match.actions == [4]
        assert {*heard} == {threading.main_thread()}

    in_a_kernel(kernel())


def test_another_player_answers_in_place_of_the_one_that_thinks(thoughtful):
    board, agent = thoughtful

    async def play():
        send(board, "play", action=3)
        await until(agent.asked.is_set)
        send(board, "player", side=-1, name="scripted")
        agent.allowed.set()
        await until(lambda: len(board.match.actions) == 2)
        await asyncio.sleep(0.05)

    in_a_kernel(play())
    assert board.match.actions == [3, 6]


def test_one_agent_thinks_at_a_time_whatever_the_number_of_boards(thoughtful):
    board, agent = thoughtful
    other = ui.play(opponents={"scripted": Scripted(8)})

    async def play():
        board.click(3)
        other.click(0)
        await until(agent.asked.is_set)
        await asyncio.sleep(0.05)
        assert other.match.actions == [0]
        assert "scripted) is thinking" in said(other)
        agent.allowed.set()
        await until(lambda: other.match.actions == [0, 8])

    in_a_kernel(play())


def test_what_computes_elsewhere_waits_for_who_thinks():
    thinking.start(time.sleep, 0.2)
    began = time.monotonic()
    thinking.wait()
    assert time.monotonic() - began > 0.15


@pytest.fixture
def without_threads(monkeypatch):
    monkeypatch.setattr(thinking, "THREADS", False)
    monkeypatch.setattr(thinking, "_jobs", None)


def test_without_threads_the_page_says_who_thinks_before_the_agent_does(without_threads):
    board, seen, asked_in = ui.play(opponents={"scripted": Scripted(8)}), [], []
    board.observe(lambda change: seen.append(change["new"]["thinking"]), "view")
    agent = board.match.players[-1]
    act = agent.act
    agent.act = lambda state: asked_in.append((threading.current_thread(), seen[-1])) or act(state)

    async def play():
        board.click(0)
        await until(lambda: board.match.actions == [0, 8])

    in_a_kernel(play())
    assert asked_in == [(threading.main_thread(), board.match.names[-1])]


def test_without_threads_what_computes_elsewhere_lets_those_who_wait_think_first(without_threads):
    async def play():
        future = thinking.start(lambda: 7)
        assert not future.done()
        thinking.wait()
        assert future.result() == 7

    in_a_kernel(play())


def test_an_overlay_switched_on_while_the_agent_thinks_comes_with_its_answer():
    board = ui.play(opponents={"search": search_agent(20)})

    async def play():
        board.click(4)
        board.show("visits")
        await until(lambda: board.view["overlay"])
        assert len(board.match.actions) == 2

    in_a_kernel(play())


def test_an_agent_that_fails_in_its_thread_leaves_the_board_playable():
    board = ui.play(opponents={"broken": Broken()})

    async def play():
        board.click(4)
        await until(lambda: "broken could not move (KeyError" in said(board))
        await until(lambda: board._playing is None)
        send(board, "play", action=0)  # a human may move in its place

    in_a_kernel(play())
    assert board.match.actions == [4, 0]


def test_two_boards_do_not_interfere():
    first, second = (ui.play(opponents={"scripted": Scripted(8, 7)}) for _ in range(2))
    first.click(0)
    assert first.match.actions == [0, 8]
    assert second.match.actions == []
    second.click(4)
    assert first.match.actions == [0, 8]
    assert second.match.actions == [4, 8]
    assert shown(first) == "X.......O"


# --- what an agent thinks --------------------------------------------------------------------------------------------


def test_a_broken_agent_leaves_the_board_playable():
    board = ui.play(opponents={"broken": Broken(), "fine": Scripted(0)})
    board.click(4)
    assert "broken could not move (KeyError" in said(board)
    board.show("visits", value=True)
    assert "could not say what it thinks" in board.view["overlay"]["said"]
    assert board.view["values"] == [None, None]
    board.set_player(-1, "fine")
    assert board.match.actions == [4, 0]


def test_visits_Q_and_value_are_shown_on_request():
    board = ui.play(opponents={"perfect": MinimaxAgent(GAME)}, position=[0, 1, 4])
    assert board.view["overlay"] is None and board.view["values"] == []
    board.show("visits", value=True)
    best = [action for action, share in board.view["overlay"]["shares"].items() if share]
    assert best == [str(action) for action in MinimaxAgent(GAME).best_actions(board.match.state)]
    board.show("nothing", value=False)
    assert board.view["overlay"] is None and board.view["values"] == []


def test_numbers_on_the_squares_are_those_of_the_search():
    game = ConnectFour()
    agent = search_agent(30, game)
    board = ui.play("connect_four", opponents={"search": agent})
    state = after(game, [3, 3])
    board.set_up([3, 3])
    visits, root = mcts_search(game, state, agent.network, 30, agent.c_puct, return_root=True)
    for kind, numbers in (("visits", visits / visits.sum()), ("prior", root.P), ("Q", root.Q)):
        board.show(kind)
        shares = board.view["overlay"]["shares"]
        assert shares == {str(a): pytest.approx(numbers[a]) for a in range(7) if kind != "Q" or visits[a]}


def test_numbers_on_the_squares_of_an_earlier_position_are_those_of_its_search():
    game = ConnectFour()
    agent = search_agent(30, game)
    board = ui.play("connect_four", opponents={"search": agent})
    board.set_player(-1, "you")
    board.set_up([3, 3, 2, 4, 1])
    board.show("visits")
    board.look(2)
    visits = mcts_search(game, after(game, [3, 3]), agent.network, 30, agent.c_puct)
    assert board.view["overlay"]["shares"] == {str(a): pytest.approx(visits[a] / visits.sum()) for a in range(7)}


def test_a_network_alone_has_a_prior_and_no_visits():
    board = ui.play(opponents={"alone": search_agent(0)})
    board.show("visits")
    assert board.view["overlay"]["shares"] == {}
    assert board.view["overlay"]["said"] == "No visits to show: alone, without search."
    board.show("prior")
    assert board.view["overlay"]["shares"] == {str(a): pytest.approx(1 / 9) for a in range(9)}


def plies_by_trying(game, state, depth: int) -> dict[int, int | None]:
    """Action -> 1, -2, 3 ...: the first depth at which a plain search sees the win or the loss; 0: none so far."""

    def forced(state, left: int) -> int:
        """+1 or -1 for the player to move, if that is certain within so many plies; else 0."""
        if game.is_terminal(state):
            return game.winner(state) * game.to_play(state)
        if not left:
            return 0
        return max(-forced(game.play(state, action), left - 1) for action in game.legal_actions(state))

    found = {}
    for action in game.legal_actions(state):
        seen = ((plies, -forced(game.play(state, action), plies - 1)) for plies in range(1, depth + 1))
        found[action] = next((sign * plies for plies, sign in seen if sign), 0)
    return found


def test_what_perfect_play_says_of_each_move_is_what_trying_everything_says():
    board = ui.play(opponents={"scripted": Scripted()})
    board.set_player(-1, "you")
    board.show("perfect")
    rng = np.random.default_rng(0)
    for _ in range(60):
        state, moves = GAME.initial_state(), []
        for _ in range(rng.integers(2, 8)):
            if not GAME.is_terminal(state):
                moves.append(int(rng.choice(GAME.legal_actions(state))))
                state = GAME.play(state, moves[-1])
        board.set_up(moves)
        overlay = board.view["overlay"]
        if not GAME.is_terminal(state):
            assert overlay["shares"] == {str(a): n for a, n in plies_by_trying(GAME, state, 9 - len(moves)).items()}
        else:
            assert overlay is None


def test_what_a_solver_recorded_of_connect_four_is_shown_in_plies_and_nothing_where_nothing_is():
    game, checked = ConnectFour(), 0
    for position in load_positions()[::9]:
        tried = plies_by_trying(game, position.state, 4)
        plies = solved_connect_four()[position.state]
        assert tried == {action: count if abs(count) <= 4 else 0 for action, count in plies.items()}
        checked += sum(map(bool, tried.values()))
    assert checked > 200
    board = ui.play("connect_four", opponents={"scripted": Scripted()})
    board.set_player(-1, "you")
    board.show("perfect")
    assert board.view["overlay"]["shares"]["3"] == 41  # the center wins with the last stone but one
    board.set_up([0] * 6 + [6] * 6)
    assert board.view["overlay"]["said"] == "Perfect play is not recorded for this position."
    assert "perfect" not in ui.play(game=ConnectN(4, 4, 3), opponents={"scripted": Scripted()}).view["overlays"]


def test_the_value_belongs_to_the_first_player_whoever_moves():
    board = ui.play(opponents={"perfect": MinimaxAgent(GAME)})
    board.set_player(-1, "you")
    board.set_up([0, 1, 4, 8, 3, 5, 6])  # O errs with cell 1; X wins
    board.show(value=True)
    values = solve(GAME, GAME.initial_state())
    states = [after(GAME, [0, 1, 4, 8, 3, 5, 6][:ply]) for ply in range(8)]
    assert board.view["values"] == [values[state] * GAME.to_play(state) for state in states]
    assert board.view["values"][-1] == 1


def test_mistakes_of_tic_tac_toe_are_those_of_perfect_play():
    moves = [0, 1, 4, 8, 2, 6, 3, 5, 7]
    board = ui.play(opponents={"perfect": MinimaxAgent(GAME)}, human=1)
    board.set_player(-1, "you")
    board.set_up(moves)
    board.show(mistakes=True)
    values = solve(GAME, GAME.initial_state())
    states = [after(GAME, moves[:ply]) for ply in range(10)]
    lost = [values[before] + values[next] for before, next in pairwise(states)]
    assert [len(verdict["mark"]) for verdict in board.view["verdicts"]] == lost
    assert sum(lost) > 2
    assert "perfect play" in board.view["analyzed"]


def test_mistakes_of_connect_four_are_recorded_for_the_first_moves_and_searched_for_ten_times_as_hard_later():
    board = ui.play("connect_four", opponents={"search": search_agent(20, ConnectFour())})
    board.set_player(-1, "you")
    board.set_up([3, 0, 3, 0, 3, 1])  # the center wins; who does not answer three in a column loses
    board.show(mistakes=True)
    marks = [verdict["mark"] for verdict in board.view["verdicts"]]
    assert marks[0] == "" and marks[-1] != ""
    assert "200 simulations" in board.view["analyzed"]
    board.set_up([0])
    assert board.view["verdicts"] == [{"mark": "??", "words": board.view["verdicts"][0]["words"]}]
    assert "it turns a win into a loss; column 3 keeps it" in board.view["verdicts"][0]["words"]


def test_recorded_verdicts_hold_for_the_mirror_image():
    scores = solved_connect_four()
    game = ConnectFour()
    for moves in ([3], [2], [0], [0, 1], [6, 5], [5, 3]):
        mirror = [6 - move for move in moves]
        assert scores[after(game, moves)] == {6 - a: v for a, v in scores[after(game, mirror)].items()}


def test_where_stones_fall_any_cell_of_the_column_will_do():
    board = ui.play("connect_four", opponents={"scripted": Scripted(6)})
    assert [board.view["action_at"][row * 7 + 3] for row in range(6)] == [3] * 6
    assert board.view["landing"]["3"] == (5, 3)
    assert board.view["falls"]


@pytest.mark.parametrize(
    ("game", "moves", "line"),
    [
        (GAME, [0, 3, 1, 4, 2], [(0, 0), (0, 1), (0, 2)]),
        (GAME, [2, 0, 4, 1, 6], [(0, 2), (1, 1), (2, 0)]),
        (ConnectFour(), [0, 1, 0, 1, 0, 1, 0], [(2, 0), (3, 0), (4, 0), (5, 0)]),
        (ConnectFour(), [0, 1, 1, 2, 2, 3, 2, 3, 3, 6, 3], [(2, 3), (3, 2), (4, 1), (5, 0)]),
    ],
)
def test_the_winning_line_is_shown(game, moves, line):
    assert board_module.winning_lines(game, after(game, moves)) == [line]
    assert board_module.winning_lines(game, after(game, moves[:-1])) == []


def test_the_board_can_play_by_other_rules():
    game = ConnectN(4, 4, 3)
    board = ui.play("connect_four", game=game, opponents={"scripted": Scripted(0, 0)})
    board.click(1)
    assert board.match.game is game and game.winner(board.match.state) == 0
    board.click(2)
    board.click(3)
    assert game.winner(board.match.state) == 1
    assert board.view["line"] == [[(3, 1), (3, 2), (3, 3)]]


def test_the_slider_sets_the_strength_and_leaves_the_given_agent_alone():
    agent = search_agent(10)
    board = ui.play(opponents={"search": agent}, simulations=20)
    assert board.match.players[-1].simulations == 20
    assert {"simulations": 20, "name": "casual"} in board.view["strength"]["steps"]
    board.set_strength(0)
    assert board.match.players[-1].simulations == 0
    assert agent.simulations == 10
    as_it_is = ui.play(opponents={"search": agent})
    assert as_it_is.match.players[-1] is agent
    assert as_it_is.view["strength"] is None


def test_rollouts_have_a_strength_too():
    board = ui.play(simulations=20)
    board.set_player(-1, "rollouts")
    board.set_strength(30)
    assert board.match.players[-1].simulations == 30
    board.show("Q")
    assert set(board.view["overlay"]["shares"]) == {str(a) for a in range(9)}


def test_without_widgets_there_is_a_picture_and_a_text():
    board = ui.play(opponents={"scripted": Scripted(8)})
    board.click(4)
    bundle, about = board._repr_mimebundle_()
    assert bundle["text/plain"].startswith(". . .\n. X .\n. . O\n")
    assert "run this cell" in bundle["text/plain"]
    assert about["image/png"]["alt"] == str(board)
    assert "application/vnd.jupyter.widget-view+json" in bundle
    assert "image/png" in bundle


def test_bad_arguments_are_refused():
    with pytest.raises(ValueError, match="no game is called"):
        ui.play("chess")
    with pytest.raises(ValueError, match="at least one opponent"):
        ui.play(opponents={})
    with pytest.raises(ValueError, match="human is"):
        ui.play(opponents={"random": RandomAgent(GAME, np.random.default_rng(0))}, human=2)
    with pytest.raises(ValueError, match="not legal"):
        ui.play(position=[4, 4])
    with pytest.raises(ValueError, match="overlay is one of"):
        ui.play(opponents={"scripted": Scripted()}).show("policy")


def test_the_board_works_without_the_shipped_agent(monkeypatch, tmp_path):
    monkeypatch.setattr(agents, "CHECKPOINTS", tmp_path)
    board = ui.play()
    assert "The shipped agent is missing" in said(board)
    assert list(board.opponents) == ["rollouts", "perfect play", "random"]


def test_your_trained_network_plays(monkeypatch, tmp_path, capsys):
    monkeypatch.setattr(agents, "CHECKPOINTS", tmp_path)
    assert not mine.has_agent("tictactoe")
    mine.save_agent(make_network(GAME, 0), "tictactoe")
    assert mine.has_agent("tictactoe")
    agent = mine.agent("tictactoe", simulations=5)
    assert "the network that you trained" in capsys.readouterr().out
    assert agent.policy(GAME.initial_state()).sum() == pytest.approx(1)
    assert "your network" in ui.play().opponents


def test_the_iterations_of_a_training_run_are_opponents(tmp_path):
    for iteration in (2, 14):
        save_network(tmp_path / "snapshots" / f"{iteration:04}.pt", make_network(GAME, iteration), "tictactoe")
    for checkpoints in (tmp_path, {2: tmp_path / "snapshots/0002.pt", 14: UniformNetwork(9)}):
        board = ui.play(checkpoints=checkpoints, simulations=5)
        assert {"your network, iteration 2", "your network, iteration 14"} < set(board.opponents)
        board.set_player(-1, "your network, iteration 14")
        board.click(4)
        assert len(board.match.actions) == 2
    with pytest.raises(ValueError, match="no snapshots"):
        ui.play(checkpoints=tmp_path / "snapshots")


# --- pictures --------------------------------------------------------------------------------------------------------


def test_a_board_shows_a_percentage_for_each_free_cell():
    state = after(GAME, [4, 0, 8])
    policy = np.zeros(9)
    policy[[1, 2, 3]] = 0.5, 0.496, 0.004
    ax = ui.draw_board(GAME, state, policy=policy, value=-0.42, title="a title")
    labels = [text.get_text() for text in ax.texts]
    assert sorted(label for label in labels if "%" in label) == ["0%", "0%", "0%", "50%", "50%", "<1%"]
    assert "value −0.42 for O, to move" in labels
    assert ax.get_title() == "a title"


def test_columns_have_one_percentage_each():
    game = ConnectFour()
    state = after(game, [3] * 6)
    labels = [text.get_text() for text in ui.draw_board(game, state, policy=np.full(7, 1 / 7)).texts]
    assert labels == ["14%"] * 6  # the full column has none


def test_a_policy_of_the_wrong_size_is_refused():
    with pytest.raises(ValueError, match="9 actions"):
        ui.draw_board(GAME, GAME.initial_state(), policy=np.ones(7))


def test_boards_stand_side_by_side_on_one_scale():
    start = GAME.initial_state()
    figure = ui.draw_boards(GAME, [dict(state=start), dict(state=start, value=0.5)], columns=2)
    assert len(figure.axes) == 2
    assert figure.axes[0].get_ylim() == figure.axes[1].get_ylim()


def test_a_tree_marks_finished_games_and_counts_what_it_leaves_out():
    state = after(GAME, [0, 1, 4, 8, 2, 6])  # free: 3, 5, 7
    _, root = mcts_search(GAME, state, UniformNetwork(9), 60, 1.5, return_root=True)
    labels = texts(ui.draw_tree(GAME, root, depth=3))
    assert labels.count("O wins") == 2  # after 3-7 and 5-7
    assert labels.count("draw") >= 2
    assert "X to move, 60 simulations" in labels
    for action in (3, 5, 7):
        assert any(label.startswith(f"cell {action}: N={root.N[action]:.0f}\nQ=") for label in labels)
    fewer = texts(ui.draw_tree(GAME, root, depth=1, most=1))
    hidden = 60 - root.N.max()
    assert f"+ 2 more (N={hidden:.0f})" in fewer
    assert not any("wins" in label for label in fewer)


def test_a_tree_marks_what_is_proven():
    network = UniformNetwork(9)
    _, root = mcts_search(GAME, after(GAME, [0, 1, 4, 8, 2, 6]), network, 0, 1.5, return_root=True)  # free: 3, 5, 7
    search_until_proven(root, network, GAME, 100, 1.5)
    figure = ui.draw_tree(GAME, root, depth=3)
    captions = texts(figure)
    assert f"X to move, {root.N.sum():.0f} simulations, proven: draw" in captions
    assert captions.count("proven: O wins") == 2  # after 3 and 5
    assert captions.count("O wins") == 2
    assert "proven: O wins" in in_words(figure)


def test_a_tree_says_whose_every_Q_is_and_cuts_no_text():
    """X at the root, O one move below. Of two equals the lower action is the teal one, as a search would choose it."""
    network = TorchNetwork(make_network(GAME, seed=0))
    _, root = mcts_search(GAME, after(GAME, [0, 4, 8, 2, 6, 3]), network, 32, 1.5, return_root=True)
    figure = ui.draw_tree(GAME, root)
    assert sorted(label for label in texts(figure) if label.startswith("cell")) == [
        "cell 1: N=1\nQ=−0.04 for O",
        "cell 1: N=2\nQ=−0.50 for X",
        "cell 5: N=1\nQ=+1.00 for O",
        "cell 5: N=3\nQ=+0.11 for X",
        "cell 7: N=1\nQ=−0.24 for O",
        "cell 7: N=27\nQ=+1.00 for X",
    ]
    assert "cell 5: N=3, Q=+0.11 for X (cell 1: N=1" in in_words(figure)
    figure.canvas.draw()
    for text in figure.axes[0].texts:
        box = text.get_window_extent()
        assert figure.bbox.x0 <= box.x0 and box.x1 <= figure.bbox.x1, text.get_text()


def test_a_tree_of_a_root_alone():
    _, root = mcts_search(GAME, GAME.initial_state(), UniformNetwork(9), 0, 1.5, return_root=True)
    assert "X to move, 0 simulations" in texts(ui.draw_tree(GAME, root))


def test_a_tree_of_a_game_with_columns():
    game = ConnectFour()
    _, root = mcts_search(game, game.initial_state(), UniformNetwork(7), 20, 1.5, return_root=True)
    assert any(label.startswith("column 0: N=") for label in texts(ui.draw_tree(game, root)))


class Stream:
    """As a tab's: each piece of text is a message."""

    publish_stream_callback = None

    def __init__(self):
        self.messages = []

    def write(self, text):
        self.messages.append(text)


def test_a_thousand_printed_lines_are_few_messages_in_a_tab_and_stay_in_order(monkeypatch):
    class Fresh(Stream):
        pass

    stream, clock = Fresh(), [0.0]
    shell = InteractiveShell()
    monkeypatch.setattr("sys.stdout", stream)
    monkeypatch.setattr(shell.display_pub, "publish", lambda *_, **__: stream.messages.append("a picture"))
    monkeypatch.setattr(flood.time, "monotonic", lambda: clock[0])
    joined = flood.Joined(shell)
    joined.begin()
    print("first")
    assert "".join(stream.messages) == "first\n"  # at once
    for number in range(1000):
        print(number)
        clock[0] += 0.001
    assert len(stream.messages) < 70
    shell.display_pub.publish({})
    print("last")
    joined.flush()
    lines = "\n".join(["first", *map(str, range(1000)), "a picturelast", ""])
    assert "".join(stream.messages) == lines
