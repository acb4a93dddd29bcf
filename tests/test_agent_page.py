"""An agent's page, opened from a disk without a net: it plays, thinks, shows how it learned, meets others, and runs nothing of theirs."""

import json
import random
import re
from xml.etree import ElementTree

import pytest
from playwright.sync_api import expect

from course_utils import agents
from course_utils.agents import SearchAgent
from course_utils.games import ConnectFour, TicTacToe, after
from course_utils.learning.arena import count_lines, match
from course_utils.networks.policy_value import TorchNetwork, make_network
from course_utils.search.minimax import solve
from course_utils.search.recording import watch_puct
from course_utils.ui.agent_page import Keepsake, agent_page
from course_utils.ui.certificate import Certificate
from course_utils.ui.film import film_of
from tests.browser import browser, lab, violations  # noqa: F401
from tests.test_browser import Board
from tests.test_browser_microscope import Scope

GAME = TicTacToe()
EVIL = 'Eve</script><img src=x onerror="window.hacked = 1"><b>\u202e'
BOB = make_network(GAME, 0)


def shipped(game_name: str = "tictactoe"):
    return agents.load(game_name).network.net


@pytest.fixture(scope="module")
def films():
    nets = {number: make_network(GAME, number) for number in range(3)} | {3: shipped()}
    return film_of({number: lambda net=net: net for number, net in nets.items()})


@pytest.fixture(scope="module")
def files(tmp_path_factory, films):
    folder = tmp_path_factory.mktemp("pages")
    words = ["Of all 581 games it loses none.", "Trained by Ada & Co."]
    proven = Certificate("This agent can't be beaten", words, 0, "X.OOO.XXX", "Ada", films.losing_lines)
    functions = [("backup", "def backup(leaf, value):\n    return '</script><script>window.hacked = 1</script>'")]
    keepsakes = {
        "ada": Keepsake({"tictactoe": shipped()}, "Ada", proven, films, functions),
        "bob": Keepsake({"tictactoe": BOB}, "Bob"),
        "eve": Keepsake({"tictactoe": BOB}, EVIL),
        "both": Keepsake({"tictactoe": BOB, "connect_four": shipped("connect_four")}),
        "four": Keepsake({"connect_four": shipped("connect_four")}, "Ada"),
    }
    for name, one in keepsakes.items():
        (folder / f"{name}.html").write_text(agent_page(one), "utf-8")
    return folder


@pytest.fixture
def opened(browser, files):  # noqa: F811
    """Opens a page by its name; nothing but the file may be asked for, no script may fail, and nobody's code has run."""
    contexts, asked, failed = [], [], []

    def open_page(name: str, address: str = "", **options):
        context = browser.new_context(**{"viewport": {"width": 1280, "height": 1000}, "offline": True, **options})
        page = context.new_page()
        page.on("request", lambda request: asked.append(request.url))
        page.on("pageerror", lambda error: failed.append(str(error)))
        page.on("console", lambda said: failed.append(said.text) if said.type == "error" else None)
        page.goto((files / f"{name}.html").as_uri() + address)
        expect(page.locator(".board .status").first).not_to_be_empty()
        contexts.append((context, page))
        return page

    yield open_page
    for context, page in contexts:
        assert page.evaluate("window.hacked") is None
        context.close()
    assert all(url.startswith(("data:", "file:", "blob:")) for url in asked) and not failed


def board_of(page) -> Board:
    return Board(page.locator("#board-tictactoe .board"), GAME)


# --- what is in the file -----------------------------------------------------------------------------------------------------


def test_a_page_of_tic_tac_toe_with_everything_is_small(files):
    assert (files / "ada.html").stat().st_size < 150_000


def test_a_film_has_the_losing_lines_and_the_thoughts_of_each_network(films):
    assert [frame["iteration"] for frame in films.frames] == [0, 1, 2, 3]
    for frame, net in zip(films.frames, (*(make_network(GAME, number) for number in range(3)), shipped()), strict=True):
        agent = SearchAgent(GAME, TorchNetwork(net), 0)
        assert frame["lost"] == [count_lines(GAME, agent, side).losses for side in (1, -1)]
        assert frame["seen"][0][0] == pytest.approx(agent.policy(GAME.initial_state()), abs=0.001)
    many = {number: lambda: BOB for number in range(100)}
    chosen = [frame["iteration"] for frame in film_of(many).frames]
    assert len(chosen) <= 24 and chosen[0] == 0 and chosen[-1] == 99


# --- play and think ------------------------------------------------------------------------------------------------------------


def test_one_plays_it_and_the_address_carries_the_position(opened, files):
    page = opened("ada")
    assert page.title() == "Ada's AlphaZero"
    board = board_of(page)
    board.expect([], "X (you) to move")
    board.click(0)
    moves = board.accepted()
    assert moves == [0, agents.load("tictactoe", 50).act(after(GAME, [0]))]
    assert page.url.endswith(f"#{moves[0]},{moves[1]}")
    again = opened("ada", "#0,4,8")
    board_of(again).expect([0, 4, 8], "O (Ada's agent, 50 simulations) to move")
    strange = opened("ada", "#0,0,99999999999999999999")
    expect(board_of(strange).status).to_contain_text("not a position")


def test_the_microscope_searches_any_position_as_python_does(opened):
    page = opened("ada", "#4,0,8")
    page.get_by_role("button", name="Search the position on the board").click()
    scope = Scope(page.locator("#scope-tictactoe"))
    scope.press("To the start")
    expect(scope.root.locator(".walk .stop").first).to_be_visible()
    network = agents.load("tictactoe").network
    states = random.Random(0).sample(sorted(solve(GAME, GAME.initial_state()), key=str), 400)
    lines = [[4, 0, 8], *(line for state in states if (line := line_to(state)) is not None)][:40]
    for line in lines:
        ours = json.loads(json.dumps(vars(watch_puct(GAME, after(GAME, line), network, 30, 1.5))))
        theirs = page.evaluate(
            """line => { const table = page.tables[0];
                return recordSearch(table.rules, table.live.networks["Ada's agent"], { position: line, simulations: 30, noise: false }); }""",
            line,
        )
        assert same(ours, {name: theirs[name] for name in ours}), line
    scope.root.get_by_label("root noise").check()
    expect(scope.root.locator("tbody")).to_contain_text("was ")
    assert scope.root.get_by_label("search", exact=True).locator("option:not([disabled])").all_inner_texts() == ["PUCT"]


def line_to(state) -> list[int] | None:
    """Moves that lead to a position where the game goes on: the stones of each side in the order of the board."""
    if GAME.is_terminal(state):
        return None
    stones = [[cell for cell in range(9) if state.cells[cell] == side] for side in (1, -1)]
    line = [cell for pair in zip(stones[0], [*stones[1], None], strict=False) for cell in pair if cell is not None]
    try:
        return line if after(GAME, line) == state else None
    except ValueError:  # the game was over before
        return None


def same(one, other) -> bool:
    """Numbers in single precision may differ in their last digit."""
    if isinstance(one, float) or isinstance(other, float):
        return one == pytest.approx(other, abs=3e-5)
    if isinstance(one, dict):
        return one.keys() == other.keys() and all(same(one[name], other[name]) for name in one)
    if isinstance(one, list):
        return len(one) == len(other) and all(map(same, one, other))
    return one == other


def test_the_film_shows_the_iteration_of_its_slider(opened, films):
    page = opened("ada")
    for number, frame in enumerate(films.frames):
        page.get_by_label("Iteration").fill(str(number))
        first, second = frame["lost"]
        words = f"{first + second} game{'s' * (first + second != 1)}: {first} moving first, {second} moving second"
        expect(page.locator("#film .said")).to_contain_text(words if first + second else "it loses none")
        expect(page.locator("#film figcaption").first).to_contain_text("for X, to move")


def test_what_is_proven_is_a_picture_with_its_text_to_save_and_the_functions_are_text(opened, films):
    page = opened("ada")
    [first, *_, last] = films.losing_lines
    picture = page.get_by_role(
        "img", name="This agent can't be beaten. Of all 581 games it loses none. Trained by Ada & Co."
    )
    expect(picture).to_contain_text("This agent can't")
    expect(picture).to_contain_text(f"{first} losing lines of its network before training, {last or 'none'} after it")
    with page.expect_download() as download:
        page.get_by_role("button", name="Save the certificate").click()
    saved = download.value.path().read_text("utf-8")
    assert download.value.suggested_filename == "certificate.svg" and ElementTree.fromstring(saved).tag.endswith("svg")
    expect(page.get_by_role("heading", name="Ada's AlphaZero", exact=True)).to_be_visible()
    page.locator("summary", has_text="backup").click()
    expect(page.locator("details pre")).to_have_text(
        "def backup(leaf, value):\n    return '</script><script>window.hacked = 1</script>'"
    )


def test_connect_four_has_a_board_and_a_microscope_too(opened):
    page = opened("both")
    assert page.title() == "An AlphaZero, from nothing"
    board = Board(page.locator("#board-connect_four .board"), ConnectFour())
    board.squares.nth(38).scroll_into_view_if_needed()
    board.click(38)  # the column in the middle
    assert len(board.accepted()) == 2
    page.locator("#think-connect_four").click()
    expect(page.locator("#scope-connect_four .walk .stop").first).to_be_visible()


# --- a match -------------------------------------------------------------------------------------------------------------------


def test_two_files_play_the_match_that_they_play_in_python(opened, files):
    page = opened("ada")
    page.set_input_files("#match-file", files / "bob.html")
    expect(page.locator("#match-said")).to_contain_text("The match is over", timeout=60_000)
    openings = [after(GAME, [one, other]) for one in range(9) for other in range(9) if one != other]
    ada, bob = (SearchAgent(GAME, TorchNetwork(net), 50) for net in (shipped(), BOB))
    won, drawn, lost = match(GAME, ada, bob, openings)
    score = f"Ada's agent won {won}, drew {drawn} and lost {lost} against Bob's agent"
    expect(page.locator("#match-results")).to_contain_text(f"144 games, 50 simulations for each move: {score}")
    replay = page.locator("#match-results button").first
    moves = [int(action) for action in re.findall(r"\d+", replay.inner_text())]
    replay.click()
    board_of(page).expect(moves, "The game is over")
    board_of(page).output.get_by_label("X is").select_option("Bob's agent")


DROP = """text => {
    const data = new DataTransfer();
    data.items.add(new File([text], "agent.html"));
    document.body.dispatchEvent(new DragEvent("drop", { bubbles: true, cancelable: true, dataTransfer: data }));
}"""


def changed(text: str, change) -> str:
    """A page whose data somebody has changed."""
    start, data, end = re.fullmatch(r'(.*id="agent">)([^<]*)(</script>.*)', text, re.DOTALL).groups()
    agent = json.loads(data)
    change(agent)
    return start + json.dumps(agent).replace("<", "\\u003c") + end


def layer(agent) -> dict:
    return agent["games"]["tictactoe"]["layers"]["trunk_1"]


HOSTILE = {
    "another file": (lambda _: "<script>window.hacked = 1</script>", "not the page of an agent"),
    "damaged": (lambda text: text.replace('id="agent">{', 'id="agent">{,'), "damaged"),
    "no agent": (lambda text: changed(text, lambda agent: agent.update(games={})), "no agent in this file"),
    "games that are none": (lambda text: changed(text, lambda agent: agent.update(games={"__proto__": 1, "chess": {}})), "no agent in this file"),
    "a network that is none": (lambda text: changed(text, lambda agent: agent["games"].update(tictactoe=7)), "can't be used: this is not a network"),
    "a kind from the prototype": (
        lambda text: changed(text, lambda agent: agent["games"]["tictactoe"].update(architecture="constructor")), "no such kind of network"),
    "weights too short": (lambda text: changed(text, lambda agent: layer(agent).update(W=layer(agent)["W"][:-8])), "another size than its network"),
    "weights that are no base64": (
        lambda text: changed(text, lambda agent: layer(agent).update(W="*" * len(layer(agent)["W"]))), "no base64"),
    "weights that are not finite": (
        lambda text: changed(text, lambda agent: layer(agent).update(W="AADAfwAA" * (len(layer(agent)["W"]) // 8))), "not finite"),
    "a huge network": (lambda text: changed(text, lambda agent: agent["games"]["tictactoe"]["config"].update(hidden=10_000)), "larger than any"),
    "a board of another size": (
        lambda text: changed(text, lambda agent: agent["games"]["tictactoe"]["game"].update(rows=1e9)), "no such board"),
    "version 2": (lambda text: changed(text, lambda agent: agent.update(version=2)), "not the page of an agent"),
    "a large file": (lambda text: text + " " * 16_000_001, "larger than any agent's page"),
}  # fmt: skip


def test_a_hostile_file_is_refused_in_one_sentence_and_nothing_else_happens(opened, files):
    page, text = opened("ada"), (files / "bob.html").read_text("utf-8")
    for name, (make, sentence) in HOSTILE.items():
        page.evaluate(DROP, make(text))
        said = page.locator("#match-said")
        expect(said).to_contain_text(sentence)
        assert said.inner_text().count(". ") == 0 and said.inner_text().endswith("."), name
        expect(page.locator("#match-results > *")).to_have_count(0)
    board = board_of(page)
    board.click(0)
    assert len(board.accepted()) == 2


def test_a_name_is_only_text_on_its_own_page_and_on_anothers(opened, files):
    page = opened("eve")
    assert "<img src=x" in page.title()
    assert page.locator("img, h1 *:not(.zero, .zero *), h2 *").count() == 0
    page.set_input_files("#match-file", files / "bob.html")
    expect(page.locator("#match-said")).to_contain_text("over", timeout=60_000)
    page = opened("bob")
    page.select_option("#match-strength", "0")
    page.set_input_files("#match-file", files / "eve.html")
    expect(page.locator("#match-results")).to_contain_text(
        'against Eve</script><img src=x onerror="window.hacked = 1"><b>'
    )
    assert page.locator("img, #match-results b, #match-results script, option *").count() == 0
    assert "\u202e" not in page.locator("main").inner_text()  # which would turn the text around


def test_agents_without_a_common_game_do_not_play(opened, files):
    page = opened("four")
    page.set_input_files("#match-file", files / "bob.html")
    expect(page.locator("#match-said")).to_have_text("These two agents have no game in common.")


def test_an_agent_meets_itself(opened, files):
    page = opened("ada")
    page.select_option("#match-strength", "0")
    page.set_input_files("#match-file", files / "ada.html")
    expect(page.locator("#match-results")).to_contain_text("against the other Ada's agent", timeout=60_000)


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1280, 390])
def test_it_fits_its_window_and_nobody_meets_a_serious_obstacle(opened, scheme, width):
    page = opened("ada", color_scheme=scheme, viewport={"width": width, "height": 900})
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    page.locator("summary").first.click()
    assert violations(page, "body") == []
