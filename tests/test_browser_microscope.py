"""The search microscope, the training dashboard and figures on the page, against what Python says of the same."""

import json
import re
import time

import nbformat
import numpy as np
import pytest
from playwright.sync_api import expect

from course_utils import agents
from course_utils.games import GAMES, TicTacToe, after
from course_utils.material import build, source_files
from course_utils.pictures import WIDGET
from course_utils.search.puct import NO_ACTION, Node, backup, evaluate, expand, mcts_search, select
from course_utils.search.uct import UctNode, uct_search, with_edges
from tests.browser import LAPTOPS, lab, until  # noqa: F401

GAME, POSITION, SIMULATIONS = TicTacToe(), [5, 1, 7, 6], 25
STATE, AGENT = after(GAME, POSITION), agents.load("tictactoe")


class Scope:
    """A microscope as it stands on the page."""

    def __init__(self, output):
        self.page, self.root = output.page, output.locator(".microscope")
        self.slider, self.said = self.root.get_by_label("moment of the search"), self.root.get_by_role("status")

    def press(self, name: str, times: int = 1) -> None:
        button = self.root.get_by_role("button", name=name, exact=True)
        for _ in range(times):
            button.click()

    def data(self) -> dict:
        return json.loads(self.root.evaluate("root => JSON.stringify(root.dataset)"))

    def moment(self) -> tuple[int, str, int]:
        """(simulation, phase, depth)."""
        data = self.data()
        return int(data["simulation"]), data["phase"], int(data["depth"])

    def table(self) -> dict[int, dict[str, str]]:
        """What is written in the table of the node in focus: action -> column -> text."""
        return {
            int(action): cells
            for action, cells in self.root.locator("tbody tr").evaluate_all(
                """rows => rows.map(row => [row.dataset.action, Object.fromEntries(
                     [...row.querySelectorAll("td")].map(cell => [cell.dataset.term, cell.firstChild.textContent]))])"""
            )
        }

    def walk(self) -> list[str]:
        return self.root.locator(".walk .stop").evaluate_all("stops => stops.map(stop => stop.ariaLabel)")


def number(text: str) -> float:
    return float(text.replace("−", "-"))


def written(node: Node, c_puct: float) -> dict[int, dict[str, float]]:
    """The same table from a node."""
    U = c_puct * node.P * np.sqrt(1 + node.N.sum()) / (1 + node.N)
    rows = {"N": node.N, "W": node.W, "Q": node.Q, "P": node.P, "U": U, "score": node.Q + U}
    return {int(a): {name: float(row[a]) for name, row in rows.items()} for a in np.flatnonzero(node.legal)}


def assert_shows(table: dict, node: Node, columns: str = "P N W Q U score") -> None:
    expected = written(node, AGENT.c_puct)
    assert table.keys() == expected.keys()
    for action, row in table.items():
        for column in columns.split():
            assert number(row[column]) == pytest.approx(
                expected[action][column], abs=0.0051 if column == "W" else 0.00051
            )


@pytest.fixture(scope="module")
def notebook(lab):  # noqa: F811
    return lab.open(f"from course_utils import ui\nui.microscope(simulations={SIMULATIONS})", width=1400, height=1200)


@pytest.fixture
def scope(notebook):
    found = Scope(notebook.output(0))
    found.root.get_by_label("search", exact=True).select_option("puct")
    found.root.get_by_label("root noise").uncheck()
    found.press("To the start")
    return found


def test_after_each_simulation_the_root_is_that_of_a_search_of_so_many_forwards_and_backwards(scope):
    scope.root.locator(".tree [data-node='0']").click()  # stay at the root
    order = [*range(1, SIMULATIONS + 1), *range(SIMULATIONS - 1, 0, -1)]
    for place, simulations in enumerate(order):
        scope.press("One simulation on" if place < SIMULATIONS else "One simulation back")
        assert scope.moment() == (simulations, "backup", 0)
        _, root = mcts_search(GAME, STATE, AGENT.network, simulations, AGENT.c_puct, return_root=True)
        assert_shows(scope.table(), root)
    scope.press("Follow the search")


def moments_of_a_search(simulations: int):
    """What the page should say at each step: (simulation, phase, depth), the node in focus, and the value where one arrives."""
    root = Node(GAME, STATE)
    evaluate(root, AGENT.network, GAME)
    for simulation in range(1, simulations + 1):
        node, action = select(root, AGENT.c_puct)
        leaf = expand(node, action, GAME) if action != NO_ACTION else node
        path = [leaf]
        while path[0].parent:
            path.insert(0, path[0].parent)
        for depth, here in enumerate(path[:-1]):
            yield (simulation, "select", depth), here, None
        yield (simulation, "expand", len(path) - 1), leaf, None
        value = evaluate(leaf, AGENT.network, GAME)
        yield (simulation, "evaluate", len(path) - 1), leaf, value
        backup(leaf, value)
        for depth in reversed(range(len(path) - 1)):
            value = -value
            yield (simulation, "backup", depth), path[depth], value


def signed(value: float) -> str:
    return f"{value:+.2f}".replace("-", "−") if abs(value) >= 0.005 else "0.00"


def test_inside_a_simulation_every_step_is_that_of_the_search_and_the_way_back_shows_the_same(scope):
    shown = []
    for moment, node, value in moments_of_a_search(6):
        scope.press("One step on")
        assert scope.moment() == moment
        assert len(scope.walk()) == moment[2] + 1 if moment[1] == "select" else len(scope.walk()) > moment[2]
        if not node.is_terminal and moment[1] != "expand":
            assert_shows(scope.table(), node)
        if value is not None:
            side = "X" if GAME.to_play(node.state) == 1 else "O"
            expect(scope.said).to_contain_text(f"{signed(value)} for {side}")
        if moment[1] == "backup":
            expect(scope.said).to_contain_text("the sign flips")
        shown.append((scope.moment(), scope.table(), scope.said.inner_text()))
    for before in reversed(shown[:-1]):
        scope.press("One step back")
        assert (scope.moment(), scope.table(), scope.said.inner_text()) == before


def test_dragging_goes_to_any_moment_and_keys_stay_inside(scope, notebook):
    scope.slider.fill("0")
    scope.slider.focus()
    scope.page.keyboard.press("PageDown")
    assert scope.moment()[0] == 0
    scope.page.keyboard.press("PageUp")
    assert scope.moment() == (1, "backup", 0)
    scope.page.keyboard.press("ArrowRight")
    assert scope.moment() == (2, "select", 0)
    scope.page.keyboard.press("x")  # JupyterLab would cut the cell
    scope.slider.fill(scope.slider.get_attribute("max"))
    assert scope.moment() == (SIMULATIONS, "backup", 0)
    expect(notebook.cell(0)).to_be_visible()


@pytest.mark.parametrize("place", [".said", ".where", ".legend", ".panel h4", ".phases", ".tree [data-node='0']"])
def test_arrow_keys_go_through_the_search_wherever_one_has_clicked(scope, notebook, place):
    cells = notebook.page.locator(".jp-CodeCell").count()
    scope.press("One simulation on", 2)
    scope.root.locator(place).first.click()
    scope.page.keyboard.press("ArrowRight")
    assert scope.moment() == (3, "select", 0)
    scope.page.keyboard.press("ArrowLeft")
    scope.page.keyboard.press("x")  # JupyterLab would cut the cell
    assert scope.moment() == (2, "backup", 0)
    scope.page.keyboard.press("End")
    assert scope.moment() == (SIMULATIONS, "backup", 0)
    scope.page.keyboard.press("Home")
    scope.root.get_by_label("speed").focus()
    scope.page.keyboard.press("ArrowDown")  # a list has its keys for itself
    assert scope.moment()[1] == "start"
    assert notebook.page.locator(".jp-CodeCell").count() == cells


def test_it_plays_and_pauses(scope):
    scope.press("Play")
    expect(scope.root.locator(".where")).to_contain_text("simulation")
    expect(scope.root.locator(".where")).not_to_contain_text("before")
    scope.press("Pause")
    moment = scope.moment()
    assert moment[0] < SIMULATIONS
    scope.page.wait_for_timeout(1500)
    assert scope.moment() == moment


@pytest.mark.parametrize("term", ["P", "Q", "N", "U", "score"])
def test_a_term_of_the_formula_lights_up_its_column_and_its_edge(scope, term):
    scope.press("One simulation on", 5)
    scope.press("One step on")
    taken = scope.root.locator("tr.taken")
    if term == "U":  # a group of terms has no place of its own to point at
        scope.root.locator(".formula .group").evaluate("one => one.firstElementChild.focus()")
        term = "c"
    else:
        scope.root.locator(f".formula .term[data-term={term}]").hover()
        lit = scope.root.locator("td.lit, thead th.lit")
        assert set(lit.evaluate_all("cells => cells.map(cell => cell.dataset.term)")) == {term}
        assert lit.count() == 1 + len(STATE_LEGAL)
        expect(scope.root.locator(".means")).to_contain_text(
            taken.locator(f"td[data-term={term}]").inner_text().strip()
        )
    edges = scope.root.locator(".edge")
    assert edges.evaluate_all("all => all.filter(one => one.classList.contains('lit')).length") <= 1
    assert scope.root.locator(".arrow.lit").count() == 1


STATE_LEGAL = GAME.legal_actions(STATE)


def test_the_term_of_a_move_that_has_a_node_lights_up_the_edge_in_the_tree(scope):
    scope.press("To the end")
    scope.press("One simulation back", 3)
    scope.press("One step on")
    assert scope.moment()[1:] == ("select", 0)
    scope.root.locator(".formula .term[data-term=Q]").hover()
    lit = scope.root.locator(".edge.lit")
    assert lit.count() == 1
    color = "one => getComputedStyle(one).stroke"
    assert lit.evaluate(color) != scope.root.locator(".edge:not(.lit)").first.evaluate(color)


def test_a_click_on_a_node_shows_its_board_and_the_search_can_begin_there(scope):
    scope.press("To the end")
    scope.root.locator(".walk .stop").nth(1).click()
    expect(scope.root.locator(".panel h4")).to_have_text("O to move")
    first = scope.root.locator(".panel .head p").first.inner_text()
    action = int(first.removeprefix("after cell "))
    scope.press("Search from here")
    expect(scope.root.locator(".panel .head p").first).to_have_text("the root")
    scope.press("To the end")
    scope.root.locator(".walk .stop").nth(0).click()
    state = GAME.play(STATE, action)
    _, root = mcts_search(GAME, state, AGENT.network, SIMULATIONS, AGENT.c_puct, return_root=True)
    assert_shows(scope.table(), root)
    scope.press("Back to the first position")
    expect(scope.root.locator(".tree text").last).to_have_text("X to move")


def test_a_search_from_a_node_is_asked_for_once_however_often_one_clicks(scope):
    scope.press("To the end")
    scope.root.locator(".walk .stop").nth(1).click()
    scope.root.get_by_role("button", name="Search from here", exact=True).evaluate(
        "one => { one.click(); one.click(); }"
    )
    expect(scope.root.locator(".panel .head p").first).to_have_text("the root")
    expect(scope.said).not_to_contain_text("can't be shown")
    scope.press("Back to the first position")
    expect(scope.root.locator(".tree text").last).to_have_text("X to move")


def test_who_goes_along_the_walk_by_keyboard_stays_there(scope):
    scope.press("To the end")
    stop = scope.root.locator(".walk .stop").nth(1)
    stop.focus()
    for _ in range(2):
        scope.page.keyboard.press("Enter")
        expect(stop).to_be_focused()
    scope.page.keyboard.press("Enter")
    scope.root.get_by_role("button", name="Follow the search").focus()
    scope.page.keyboard.press("Enter")
    assert scope.page.evaluate("document.activeElement !== document.body")


def test_other_searches_are_asked_of_the_kernel(scope):
    agent = scope.root.get_by_role("combobox", name="agent", include_hidden=True)
    expect(agent).to_be_enabled()
    scope.root.get_by_label("search", exact=True).select_option("uct")
    expect(scope.root.locator("thead")).not_to_contain_text("P")
    expect(agent).to_be_disabled()  # UCT asks no network
    scope.press("To the end")
    scope.root.locator(".walk .stop").nth(0).click()
    root = UctNode(GAME, STATE)
    uct_search(GAME, root, SIMULATIONS, np.random.default_rng(0))
    assert_shows(scope.table(), with_edges(root, GAME), "N W Q")
    scope.root.get_by_label("search", exact=True).select_option("batched")
    expect(scope.root.locator("thead")).to_contain_text("P")
    scope.press("To the end")
    scope.root.locator(".walk .stop").nth(0).click()
    _, root = mcts_search(GAME, STATE, AGENT.network, SIMULATIONS, AGENT.c_puct, return_root=True)
    assert_shows(scope.table(), root)
    scope.root.get_by_label("root noise").check()
    scope.press("To the start")
    expect(scope.root.locator("tbody")).to_contain_text("was ")


@pytest.mark.parametrize("name", GAMES)
def test_it_begins_where_the_first_look_is_wrong_and_every_stone_can_be_seen(lab, name):  # noqa: F811
    page = lab.open(f"from course_utils import ui\nui.microscope('{name}')", width=1400, height=1200)
    scope = Scope(page.output(0))
    scope.press("To the end")
    scope.root.locator(".walk .stop").first.click()
    rows = scope.table()
    liked, taken = (max(rows, key=lambda action: number(rows[action][column])) for column in "PN")
    assert liked != taken
    for place, least in ((".walk", 7), (".panel", 14)):
        for stone in scope.root.locator(f"{place} svg").first.locator(".cross, .ring").all():
            assert stone.bounding_box()["width"] >= least
    page.close()


def test_no_serious_obstacle_for_anybody(scope, notebook):
    scope.press("One simulation on", 4)
    assert not notebook.violations(".microscope")


# --- the dashboard ---------------------------------------------------------------------------------------------------

TRAINING = """
from course_utils import ui
from course_utils.games import TicTacToe
from course_utils.learning.config import TrainingConfig
from course_utils.learning.run import Run
from course_utils.learning.training import train_alphazero
run = Run.start(TicTacToe(), TrainingConfig(iterations=5, games=6, steps=10), seed=0)
dashboard = ui.Dashboard(run)
train_alphazero(run, dashboard)
"""
FACTS = "import json; print(json.dumps([run.history, dashboard.measured]))"


@pytest.fixture(scope="module")
def training(lab):  # noqa: F811
    return lab.open(TRAINING, FACTS, "print(dashboard.at)", width=1400, height=1200)


def test_a_short_training_stands_on_the_dashboard_as_it_was(training):
    root = training.output(0).locator(".dashboard")
    assert root.count() == 1  # redrawn in place
    expect(root.get_by_role("status")).to_contain_text("iteration 5 of 5")
    history, measured = json.loads(training.output(1).inner_text())
    training.page.set_viewport_size(dict(width=1280, height=800))  # a laptop, with the list of files open
    assert root.bounding_box()["width"] == 848
    assert root.bounding_box()["height"] <= 600
    training.page.set_viewport_size(dict(width=1400, height=1200))
    root.locator("summary").click()
    for iteration in (5, 2, 1):
        root.get_by_label("iteration", exact=True).fill(str(iteration))
        entry = history[iteration - 1]
        loss = root.locator("[data-panel=loss] figcaption")
        expect(loss).to_contain_text(f"policy {entry['policy_loss']:.2f}")
        expect(loss).to_contain_text(f"value {entry['value_loss']:.2f}")
        strength = root.locator("[data-panel^='moves that keep'] figcaption")
        expect(strength).to_contain_text(f"alone {100 * measured[iteration][1]['alone']:.0f}")
        lines = root.locator("[data-panel^='losing lines'] figcaption")
        expect(lines).to_have_text(f"{measured[iteration][1]['losing lines']}")
        shares = [f"{100 * entry[key] / entry['from_start']:.0f}" for key in ("first_wins", "draws", "second_wins")]
        ends = root.locator("[data-panel^='how self-play'] figcaption b")
        expect(ends).to_have_text([f" {share}" for share in shares])
        expect(root.locator(".start h5")).to_have_text(f"iteration {iteration}, no search")
        expect(root.locator(".start figcaption")).to_have_text(f"it expects {signed(entry['start_value'])} for X")
    root.get_by_label("iteration", exact=True).press("Home")
    expect(root.locator(".start h5")).to_have_text("iteration 0, no search")
    expect(root.locator(".start figcaption")).to_have_text("it expects 0.00 for X")
    expect(root.locator("[data-panel^='moves that keep'] figcaption")).to_contain_text(
        f"alone {100 * measured[0][1]['alone']:.0f}"
    )


def hears(training, at: str) -> None:
    """The kernel says so, when asked again and again: the page holds a change back until the kernel has answered to the one before."""
    asked = time.monotonic()
    while training.output(2).inner_text().strip() != at:
        assert time.monotonic() < asked + 60, f"{training.output(2).inner_text()} instead of {at}"
        training.run(2)
        training.page.wait_for_timeout(500)


def test_dragging_along_the_run_tells_the_kernel_whom_to_play(training):
    root = training.output(0).locator(".dashboard")
    training.wait_until_idle()
    loss = root.locator("[data-panel=loss] > svg")
    loss.hover()  # on the page, and still
    picture = loss.bounding_box()
    mouse, height = training.page.mouse, picture["y"] + 60
    mouse.move(picture["x"] + picture["width"] - 12, height)
    mouse.down()
    mouse.move(picture["x"] + picture["width"] / 2, height, steps=4)
    mouse.up()
    expect(root).to_have_attribute("data-at", re.compile("^[1-4]$"))
    training.run(2)  # by now the page has followed the mouse to its end
    hears(training, root.get_attribute("data-at"))
    root.get_by_role("button", name="Latest").click()
    hears(training, "-1")


def test_no_serious_obstacle_on_the_dashboard(training):
    assert not training.violations(".dashboard")


@pytest.mark.parametrize("laptop", LAPTOPS, ids=lambda one: "-".join(map(str, one)))
def test_while_00_trains_a_laptop_shows_the_whole_dashboard_which_pauses_steps_and_is_interrupted(lab, laptop):  # noqa: F811
    """With the list of files open, and cell after cell run by Shift+Enter, as a learner does."""
    [source] = source_files.sources("00")
    built = build.build(source)
    trains = next(place for place, cell in enumerate(built.cells) if "ui.Dashboard" in cell.source)
    built.cells = built.cells[: trains + 2]
    nbformat.write(built, lab.notebooks / "00_welcome.ipynb")
    width, height, theme = laptop
    notebook = lab.visit("00_welcome.ipynb", theme=theme, width=width, height=height)
    notebook.page.locator(".jp-Cell").first.click()
    for _ in built.cells[: trains + 1]:
        notebook.page.keyboard.press("Shift+Enter")
    number = sum(cell.cell_type == "code" for cell in built.cells) - 1
    root = notebook.output(number).locator(".dashboard")
    iteration = root.get_by_label("iteration", exact=True)

    def paused_after() -> int:
        expect(root.get_by_role("button", name="Go on")).to_be_enabled(timeout=60_000)
        return int(iteration.input_value())

    root.get_by_role("button", name="Pause").click()
    done = paused_after()
    expect(root.get_by_role("status")).to_contain_text(f"iteration {done} of 12")
    assert root.bounding_box()["height"] <= 600
    view = notebook.page.locator(".jp-WindowedPanel-outer").first.bounding_box()
    panels = root.locator(".views .panels > figure")
    assert panels.count() == 2
    for part in (
        root.get_by_role("status"),
        root.locator(".progress"),
        *panels.all(),
        root.locator(".start"),
        iteration,
    ):
        box = part.bounding_box()
        assert view["y"] <= box["y"] and box["y"] + box["height"] <= view["y"] + view["height"]
        assert view["x"] <= box["x"] and box["x"] + box["width"] <= view["x"] + view["width"]
    root.get_by_role("button", name="One iteration").click()
    expect(root.get_by_role("status")).to_contain_text(f"iteration {done + 1} of 12")
    assert paused_after() == done + 1
    notebook.command("Kernel", "Interrupt Kernel")
    error = notebook.output(number).locator("[data-mime-type='application/vnd.jupyter.stderr'], .jp-RenderedText").last
    expect(error).to_have_text(
        f"Interrupted in iteration {done + 2} of 12: the {done + 1} before it are kept. "
        "Train `run` again to go on from there."
    )
    assert error.bounding_box()["height"] < 60
    expect(root.get_by_role("button", name="Go on")).to_be_hidden()
    assert not notebook.violations(".dashboard")
    notebook.close()


# --- without the kernel ------------------------------------------------------------------------------------------------


def test_without_their_kernel_search_and_run_are_still_looked_at_and_are_pictures_when_opened_again(lab):  # noqa: F811
    short = TRAINING.replace("iterations=5", "iterations=2")
    notebook = lab.open("from course_utils import ui\nui.microscope(simulations=10)", short, width=1400, height=2600)
    scope, run = Scope(notebook.output(0)), notebook.output(1).locator(".dashboard")
    notebook.save()
    notebook.restart_kernel()
    expect(scope.said).to_contain_text("The kernel has stopped: what is recorded can still be looked at")
    searches = scope.root.get_by_label("search", exact=True).locator("option:enabled")
    expect(searches).to_have_text(["PUCT"])
    scope.press("To the end")
    for simulations in (10, 9):
        assert scope.moment() == (simulations, "backup", 0)
        scope.root.locator(".walk .stop").first.click()
        _, root = mcts_search(GAME, STATE, AGENT.network, simulations, AGENT.c_puct, return_root=True)
        assert_shows(scope.table(), root)
        scope.press("Follow the search")
        scope.press("One simulation back")
    expect(run.get_by_role("status").last).to_contain_text("The kernel has stopped")
    run.get_by_label("iteration", exact=True).fill("1")
    expect(run.locator(".start h5")).to_contain_text("iteration 1,")

    until(lambda: not any(WIDGET in data for n in (0, 1) for data in lab.outputs(notebook.name, n)), "the kernel's end")
    notebook.reload()
    for number in (0, 1):
        expect(notebook.output(number).get_by_role("img")).to_be_visible()
        assert "not found" not in notebook.output(number).inner_text()
    notebook.run(0)
    scope.press("One simulation on")
    assert scope.moment()[0] == 1
    notebook.close()


# --- figures ---------------------------------------------------------------------------------------------------------

FIGURE = """
import matplotlib.pyplot as plt
from course_utils import ui
figure, ax = plt.subplots(figsize=(4, 2))
ax.plot([0, 10], [1, 0.5], label="loss")
ui.caption("It falls.")
"""


@pytest.mark.parametrize(("theme", "filter"), [("light", "none"), ("dark", "invert(1) hue-rotate(180deg)")])
def test_a_figure_has_a_text_a_caption_and_the_lightness_of_its_page(lab, theme, filter):  # noqa: F811
    notebook = lab.open(FIGURE, theme=theme)
    output = notebook.output(0)
    picture = output.get_by_role("img", name="loss from 1 at 0 to 0.5 at 10.")
    expect(picture).to_be_visible()
    expect(output.locator("figcaption")).to_have_text("It falls.")
    assert output.locator("img").count() == 1
    assert picture.evaluate("one => getComputedStyle(one).filter") == filter
    natural, shown = picture.evaluate("one => [one.naturalWidth, one.width]")
    assert natural == pytest.approx(2 * shown, abs=1) and shown > 200
    assert notebook.violations(".course-figure") == []
    color = "one => getComputedStyle(one).color"  # the theme's own for text, which is far from its paper
    assert output.locator("figcaption").evaluate(color) == output.locator(".jp-RenderedHTMLCommon").evaluate(color)
    notebook.close()
