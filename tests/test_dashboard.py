"""The dashboard's Python side; what stands on the page is in test_browser_microscope.py."""

import copy
import json
import threading
import time
from itertools import pairwise
from types import SimpleNamespace

import matplotlib.pyplot as plt
import nbformat
import numpy as np
import pytest
import torch
from matplotlib.text import Text
from nbclient import NotebookClient

from course_utils import platform
from course_utils.games import ConnectFour, TicTacToe
from course_utils.learning.arena import count_lines
from course_utils.learning.config import EngineConfig, TrainingConfig
from course_utils.learning.exam import searched_moves, solved_positions
from course_utils.learning.folder import train_in_folder
from course_utils.learning.grades import LOSING, grader
from course_utils.learning.run import Run
from course_utils.networks.policy_value import TorchNetwork, make_network
from course_utils.paths import COURSE
from course_utils.search.minimax import solve
from course_utils.ui import Dashboard, play
from course_utils.ui.dashboard import draw_story
from course_utils.ui.interrupted import sentence
from tests.figure_texts import noted, on_each_other

GAME = TicTacToe()


def entry(iteration, **changes):
    """One entry of a history, as `Run.log` writes it."""
    fixed = dict(games=50, examples=400, mean_length=8.0, first_wins=25, draws=15, second_wins=10)
    more = dict(
        policy_loss=1.5,
        value_loss=0.5,
        accepted=iteration % 2 == 0,
        gate=[12, 20, 8],
        start_policy=[1 / 9] * 9,
        start_value=0.1,
    )
    return dict(iteration=iteration, seconds=2.0 * iteration, **fixed, **{**more, **changes})


@pytest.fixture
def run():
    run = Run.start(GAME, TrainingConfig(iterations=8), seed=0)
    run.history, run.seconds = [entry(1), entry(2), entry(3, gate=[0, 40, 0])], 6.0
    return run


@pytest.fixture
def lockstep_run():
    run = Run.start(ConnectFour(), EngineConfig(iterations=8, lockstep=True, promotion="average"), seed=0)
    rest = dict(start_policy=[0.12, 0.13, 0.16, 0.22, 0.13, 0.12, 0.12], accepted=None, gate=None)
    run.history = [
        entry(1, policy_loss=None, value_loss=None, **rest),
        entry(2, **rest),
    ]  # nothing to learn from at first
    run.seconds = 6.0
    return run


def words_in(figure) -> list[str]:
    drawn = [text.get_text() for ax in figure.axes for text in ax.findobj(Text)]
    plt.close(figure)
    return drawn


def words_of(dashboard) -> list[str]:
    return [dashboard.shown["words"], *(panel["title"] for panel in dashboard.shown["panels"])]


def panel(dashboard, title: str) -> dict:
    return next(one for one in dashboard.shown["panels"] if one["title"].startswith(title))


def no_strength(run):
    return {"alone": 0.5}


def test_the_dashboard_tells_progress_in_words(run):
    dashboard = Dashboard(run, no_strength)
    dashboard(run)
    assert words_of(dashboard)[0] == "iteration 3 of 8 (50 games, 400 examples), 6 s, about 10 s to go"
    assert "how self-play ends, %: X wins 50, draw 30, O wins 20" in str(dashboard)


def test_the_dashboard_is_sent_at_most_each_second_but_always_at_the_end(run, monkeypatch):
    monkeypatch.setattr("course_utils.ui.dashboard.EVERY", float("inf"))  # no second goes by, on a busy machine either
    dashboard = Dashboard(run, no_strength)
    assert not dashboard(run)
    first = dashboard.shown
    run.history.append(entry(4))
    dashboard(run)
    assert dashboard.shown is first  # just sent
    run.history += [entry(number) for number in range(5, 9)]
    dashboard(run)
    assert dashboard.shown["done"] == 8
    assert len(json.dumps(dashboard.shown)) < 10_000


def test_the_dashboard_can_stop_a_run(run):
    assert Dashboard(run, no_strength, seconds=5)(run) is True
    assert not Dashboard(run, no_strength, seconds=7)(run)


def test_the_dashboard_changes_nothing_in_the_run(run):
    before = copy.deepcopy((run.history, run.rng.bit_generator.state))
    Dashboard(run)(run)
    assert before == (run.history, run.rng.bit_generator.state)


def test_both_loops_have_their_panels(run, lockstep_run):
    common = {"loss", "moves that keep the value, %", "how self-play ends, %", "moves per game", "games per second"}
    for one, own in ((run, {"gate: wins of decisive games, %"}), (lockstep_run, set())):
        dashboard = Dashboard(one, no_strength)
        dashboard(one)
        assert set(words_of(dashboard)[1:]) == common | own
    gate = panel(dashboard := shown_by(run), "gate")
    accepted, rejected = gate["series"]
    assert accepted["points"] == [[2, 60]]
    assert rejected["points"] == [[1, 60], [3, 0]]  # the third was all draws
    assert panel(dashboard, "games per second")["series"][0]["points"] == [
        [1, 25],
        [2, 25],
        [3, 25],
    ]


def shown_by(run) -> Dashboard:
    dashboard = Dashboard(run, no_strength)
    dashboard(run)
    return dashboard


def test_the_dashboard_measures_a_strength_before_the_first_and_after_each_iteration(lockstep_run):
    run, asked = lockstep_run, []
    latest = run.history.pop()

    def strength(run):
        asked.append(len(run.history))
        return {"alone": 0.25 * len(asked), "searched": 0.6}

    dashboard = Dashboard(run, strength, {"random": 0.39}, seconds=7)
    run.history.append(latest)
    assert not dashboard(run)
    assert asked == [1, 2]
    assert dashboard.measured[-1] == (2, {"alone": 0.5, "searched": 0.6})
    shown = panel(dashboard, "moves that keep")
    assert shown["series"][0]["points"] == [[1, 25], [2, 50]]
    assert shown["marks"] == [["random", 39]]


@pytest.mark.parametrize("started", ["run", "lockstep_run"])
def test_no_text_of_the_picture_is_smaller_than_ten_points_or_on_another(started, request):
    run = request.getfixturevalue(started)
    figure = draw_story(shown_by(run).shown, run.game)
    assert not on_each_other(figure)
    texts = [text for ax in figure.axes for text in ax.findobj(Text) if text.get_text() and text.get_visible()]
    plt.close(figure)
    assert texts
    assert min(text.get_fontsize() for text in texts) >= 9.5


def test_the_shares_above_a_board_of_seven_columns_can_be_told_apart(lockstep_run):
    figure = draw_story(shown_by(lockstep_run).shown, lockstep_run.game)
    with noted() as drawn:
        figure.canvas.draw()
    said = [(text.get_text(), box) for text, box in drawn.items()]
    shares = sorted((box.x0, box.x1) for text, box in said if text.endswith("%") and len(text) < 4)
    assert len(shares) == 7
    gaps = [right[0] - left[1] for left, right in pairwise(shares)]
    plt.close(figure)
    assert min(gaps) > 3  # points


def test_it_grades_alone_and_with_search_and_counts_losing_lines_where_the_game_is_solved():
    net = make_network(GAME, seed=0).eval()
    grades = grader(GAME)(net)
    assert 0.3 < grades["alone"] < grades["with 10 simulations"] < 1
    positions = solved_positions(GAME)
    moves = searched_moves(GAME, TorchNetwork(net), positions, 0)
    answers = {position.state: move for position, move in zip(positions, moves.tolist(), strict=True)}
    player = SimpleNamespace(act=answers.get)
    assert grades[LOSING] == sum(count_lines(GAME, player, side).losses for side in (1, -1)) > 0
    assert len(positions) == 4520 == sum(not GAME.is_terminal(state) for state in solve(GAME, GAME.initial_state()))


def test_the_player_plays_the_agent_of_the_iteration_that_is_pointed_at(run):
    dashboard = Dashboard(run, no_strength)  # keeps the champion of iteration 3
    for parameter in run.network.parameters():
        torch.nn.init.normal_(parameter, std=0.3)
    run.history.append(entry(4))
    dashboard(run)
    player, start = dashboard.player(), GAME.initial_state()
    newest = player.policy(start)
    dashboard.at = 3
    older = player.policy(start)
    assert np.abs(newest - older).max() > 1e-3
    assert older == pytest.approx(dashboard.agent(3).policy(start))
    dashboard.at = 1  # none kept: the nearest
    assert player.policy(start) == pytest.approx(older)
    dashboard.at = -1
    assert player.act(start) == int(np.argmax(newest))


def test_a_board_beside_the_dashboard_shows_the_value_of_the_iteration_that_is_pointed_at(run):
    dashboard = Dashboard(run, no_strength)
    for parameter in run.network.parameters():
        torch.nn.init.normal_(parameter, std=0.3)
    run.history.append(entry(4))
    dashboard(run)
    board = play(opponents={"pointed at": dashboard.player()})
    board.show(value=True)
    shown = []
    for at in (3, 4):
        dashboard.at = at
        shown += board.view["values"]
        assert shown[-1] == pytest.approx(dashboard.agent(at).value(GAME.initial_state()))
    assert shown[0] != pytest.approx(shown[1])


def test_a_dashboard_of_a_run_that_had_one_knows_what_that_knew(run):
    first = Dashboard(run)
    run.history.append(entry(4))
    first(run)
    again = Dashboard(run)
    assert again.networks.keys() == {3, 4}
    assert [number for number, _ in again.measured] == [3, 4]
    assert [number for number, _ in Dashboard(run, no_strength).measured] == [4]  # a strength of its own


def test_a_board_hears_of_a_newer_champion_as_long_as_it_is_there(run):
    dashboard = Dashboard(run, no_strength)
    heard = []

    class Listener:
        def listen(self):
            heard.append(dashboard.player().iteration)

    listener = Listener()
    dashboard.player().when_another_plays(listener.listen)
    run.history += [entry(number) for number in range(4, 9)]
    dashboard(run)
    assert heard == [8]
    del listener
    dashboard.at = 3
    assert heard == [8]


@pytest.fixture
def shell(monkeypatch):
    """IPython as the dashboard meets it. `shell.end()` ends the cell, `shell.displayed` are the cells that showed it."""
    endings, displayed = [], []
    events = SimpleNamespace(
        register=lambda _, do: endings.append(do),
        unregister=lambda _, do: endings.remove(do),
    )
    shell = SimpleNamespace(execution_count=5, events=events, displayed=displayed)
    shell.end = lambda: [do(None) for do in [*endings]]
    monkeypatch.setattr("course_utils.ui.dashboard.get_ipython", lambda: shell)
    monkeypatch.setattr(
        "course_utils.ui.dashboard.display", lambda *_, **__: displayed.append(shell.execution_count) or "a handle"
    )
    return shell


def test_an_interrupted_run_is_shown_as_it_stands_and_one_that_is_over_at_once(run, shell):
    dashboard = Dashboard(run, no_strength)
    dashboard(run)
    run.history.append(entry(4))
    dashboard(run)  # too soon after the last, and then the cell is interrupted
    assert (dashboard.shown["done"], dashboard.training) == (3, "on")
    shell.end()
    assert (dashboard.shown["done"], dashboard.training) == (4, "")
    run.history += [entry(number) for number in range(5, 9)]
    assert Dashboard(run, no_strength).shown["done"] == 8


def test_the_page_holds_the_training_lets_it_take_one_iteration_and_go_on(run):
    dashboard, shown = Dashboard(run, no_strength), []

    def page():
        """Waits for each pause, and then says the next thing."""
        for wish in ("step", "step", "go on"):
            while dashboard.training != "paused":
                time.sleep(0.01)
            shown.append(dashboard.shown["done"])
            dashboard.training, dashboard._wish = "on", wish

    dashboard._wish = "pause"
    hand = threading.Thread(target=page)
    hand.start()
    for number in range(4, 8):
        dashboard(run)
        run.history.append(entry(number))
    hand.join()
    assert shown == [3, 4, 5]  # and no pause after the sixth


def test_in_a_tab_a_file_stops_the_training_after_its_iteration(run, monkeypatch, tmp_path):
    """tab/course.js writes the file when the square button is pressed."""
    monkeypatch.setenv("COURSE_RECORD", str(tmp_path / ".course"))
    dashboard = Dashboard(run, no_strength)
    (tmp_path / ".stop").touch()
    dashboard(run)
    monkeypatch.setattr(platform, "INTERRUPTS", False)
    with pytest.raises(KeyboardInterrupt):
        dashboard(run)
    (tmp_path / ".stop").unlink()
    dashboard(run)


def test_iteration_0_is_the_untrained_network():
    run = Run.start(GAME, TrainingConfig(iterations=8), seed=0)
    untrained = run.agent(copy.deepcopy(run.network), 0)
    dashboard = Dashboard(run, no_strength)
    for parameter in run.network.parameters():
        torch.nn.init.normal_(parameter, std=0.3)
    run.history.append(entry(1))
    dashboard(run)
    assert [board[0] for board in dashboard.shown["boards"]] == [0, 1]
    assert dashboard.shown["boards"][0][1] == pytest.approx(untrained.policy(GAME.initial_state()))
    dashboard.at = 0
    assert dashboard.player().value(GAME.initial_state()) == pytest.approx(untrained.value(GAME.initial_state()))


def test_only_the_panels_that_are_asked_for_are_shown_on_the_page_and_in_the_picture(run):
    dashboard = Dashboard(run, panels=["losing lines"])
    dashboard(run)
    assert [panel["title"] for panel in dashboard.shown["panels"]] == ["losing lines left, alone"]
    figure = draw_story(dashboard.shown, GAME)
    assert {ax.get_title(loc="left") for ax in figure.axes} - {""} == {"losing lines left, alone"}
    plt.close(figure)


def test_strength_comes_first_and_the_network_alone_is_the_solid_line(run):
    dashboard = Dashboard(run, lambda _: {"with 10 simulations": 0.9, "alone": 0.5})
    dashboard(run)
    first, second, *_ = dashboard.shown["panels"]
    assert (first["title"], second["title"]) == ("moves that keep the value, %", "loss")
    assert [(line["name"], line["style"]) for line in first["series"]] == [
        ("alone", "solid"),
        ("with 10 simulations", "dashed"),
    ]


CELL = """
from course_utils.games import TicTacToe
from course_utils.learning.config import TrainingConfig
from course_utils.learning.run import Run

run = Run.start(TicTacToe(), TrainingConfig(iterations=3, games=1, steps=1), seed=0)

def mine(run):
    if len(run.history) == {after}:
        raise KeyboardInterrupt

def train(run):
    while True:
        run.history.append({{}})
        mine(run)
"""


def tracebacks(setup: str, *cells: str) -> list[list[str]]:
    """The traceback that a notebook shows below each of these cells."""
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell) for cell in (setup, *cells)])
    NotebookClient(notebook, resources={"metadata": {"path": COURSE}}, allow_errors=True).execute()
    return [cell.outputs[-1].traceback for cell in notebook.cells[1:]]


def test_an_interrupted_training_ends_in_one_sentence_that_says_what_is_kept_and_the_cell_still_fails():
    setup = "from course_utils import ui\n" + CELL.format(after=2)
    no_training, training = tracebacks(setup, "raise KeyboardInterrupt", "train(run)")
    assert len(no_training) > 1  # IPython's own traceback
    assert training == [
        "Interrupted in iteration 3 of 3: the 2 before it are kept. Train `run` again to go on from there."
    ]
    assert sentence(Run.start(GAME, TrainingConfig(iterations=5), seed=0), {}) == (
        "Interrupted in iteration 1 of 5: none was finished."
    )


def test_a_training_that_is_run_again_in_its_cell_is_shown_there_again(run, shell):
    """JupyterLab empties what stands below a cell that is run again."""
    dashboard = Dashboard(run, no_strength)
    for shell.execution_count in (5, 6, 6):
        dashboard.show(run)
    assert shell.displayed == [5, 6]


def test_a_finished_run_is_read_from_its_folder(tmp_path):
    changes = dict(iterations=4, games=4, steps=2)
    train_in_folder(tmp_path, GAME, 5, 0, **changes)
    dashboard = Dashboard.of(tmp_path)
    assert dashboard.shown["words"].startswith("iteration 4 of 4")
    assert [number for number, _ in dashboard.measured] == [2, 4]
    assert dashboard.agent(3).policy(GAME.initial_state()) == pytest.approx(dashboard.shown["boards"][1][1], abs=1e-6)
    assert "image/png" in dashboard._repr_mimebundle_()[0]
    with pytest.raises(ValueError, match="holds no training run"):
        Dashboard.of(tmp_path / "snapshots")
    metrics = (tmp_path / "metrics.json").read_text()
    for damaged in (metrics[:50], "{}", "[1]", "[" * 100_000, '[{"iteration": 1}]', metrics.replace("games", "game")):
        (tmp_path / "metrics.json").write_text(damaged)
        with pytest.raises(ValueError, match=r"metrics\.json is damaged: the training that began"):
            Dashboard.of(tmp_path, measure=False)
    train_in_folder(tmp_path, GAME, 5, 0, **changes)
    assert (tmp_path / "metrics.json").read_text() == metrics
