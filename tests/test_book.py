"""The web site's pages: what a reader finds on them, and that every link leads somewhere."""

import functools
import http.server
import re
import threading
import warnings
from html import unescape
from html.parser import HTMLParser
from importlib.util import find_spec
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest
import torch
from playwright.sync_api import expect

from course_utils import agents
from course_utils.agents import SearchAgent
from course_utils.answers.stubs import reference, stub
from course_utils.authoring import book
from course_utils.authoring.site import address
from course_utils.games import ConnectFour, TicTacToe, after
from course_utils.learning.proof import AnswerKey
from course_utils.material.build import build
from course_utils.material.handout import Handout
from course_utils.material.source_files import sources
from course_utils.networks.policy_value import TorchNetwork, make_network
from course_utils.paths import COURSE
from tests.browser import browser, violations  # noqa: F401
from tests.test_browser import Board
from tests.test_browser_microscope import Scope
from tests.test_page_engine import in_torchs_order

pytestmark = pytest.mark.slow

if not find_spec("sphinx_book_theme"):
    warnings.warn("SPHINX IS NOT INSTALLED: the web site is not built and not tested (pip install -e .[site])")
needs_sphinx = pytest.mark.skipif(not find_spec("sphinx_book_theme"), reason="Sphinx is not installed")


GAME = TicTacToe()


def words_of(page: str) -> str:
    """What stands on a page, without its tags."""
    return unescape(re.sub(r"<[^>]+>", "", page))


class Page(HTMLParser):
    """What a page asks for, where its links lead, and what can be linked on it."""

    def __init__(self, text: str):
        super().__init__()
        self.asked, self.links, self.ids = set(), set(), set()
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        found = dict(attributes)
        if found.get("id"):
            self.ids.add(found["id"])
        if tag == "a" and found.get("href"):
            self.links.add(found["href"])
        elif tag == "link" and found.get("rel") in ("stylesheet", "icon", "preload"):
            self.asked.add(found["href"])
        elif found.get("src"):
            self.asked.add(found["src"])


def faults(site) -> list[str]:
    """Links of a built site that lead nowhere, and what its pages would fetch from elsewhere."""
    pages = {
        path.resolve(): Page(path.read_text("utf-8")) for path in site.rglob("*.html") if "_static" not in path.parts
    }
    found = []
    for path, page in pages.items():
        found += [f"{path.name} fetches {one}" for one in page.asked if urlsplit(one).netloc]
        for link in {
            link for link in page.links | page.asked if not urlsplit(link).scheme and not urlsplit(link).netloc
        }:
            parts = urlsplit(link)
            target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            if not target.exists():
                found.append(f"{path.name}: {link} is no file")
            elif parts.fragment and target in pages and unquote(parts.fragment) not in pages[target].ids:
                found.append(f"{path.name}: {link} is no place on that page")
    return found


@pytest.fixture(scope="module")
def small(tmp_path_factory):
    """A site with one notebook, without what is recorded."""
    folder = tmp_path_factory.mktemp("site")
    there = folder / address("33_another_game").partition("?")[0]
    there.parent.mkdir(parents=True)
    there.touch()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(book, "alive", lambda: dict.fromkeys(("front", *book.ALIVE.values()), ""))
        patch.setattr(book, "sources", lambda: sources("33"))
        book.build_book(folder)
    return folder


@needs_sphinx
def test_a_page_asks_the_exercise_and_keeps_its_answer_folded(small):
    text = (small / "notebooks" / "33_another_game.html").read_text("utf-8")
    plain = words_of(re.sub(r"<details.*?</details>", "", text, flags=re.DOTALL))
    line = max(set(reference("hex_winner").splitlines()) - set(stub("hex_winner").splitlines()), key=len)
    assert "hex_winner is not written yet" in plain and line not in plain
    assert line in words_of(text)


@needs_sphinx
def test_a_small_site_has_its_links_its_search_and_its_way_into_the_tab(small):
    assert not faults(small)
    page = (small / "notebooks" / "33_another_game.html").read_text("utf-8")
    assert 'href="../lab/notebooks/index.html?path=33_another_game.ipynb"' in page
    assert (small / "searchindex.js").exists() and (small / "_static" / "mathjax" / "tex-chtml.js").exists()


@needs_sphinx
def test_a_class_has_its_notebooks_without_solutions_and_hears_how_to_hand_in(tmp_path, monkeypatch):
    monkeypatch.setattr(book, "alive", lambda: dict.fromkeys(("front", *book.ALIVE.values()), ""))
    site = tmp_path / "site"
    (site / "lab").mkdir(parents=True)
    book.build_book(site, Handout.of("backup"))
    assert sorted(path.stem for path in (site / "notebooks").glob("*.html")) == ["03_puct_search", "99_shelf"]
    assert not [fault for fault in faults(site) if " lab/" not in fault and "../lab/" not in fault]
    line = max(set(reference("backup").splitlines()) - set(stub("backup").splitlines()), key=len)
    assert line not in words_of((site / "notebooks" / "03_puct_search.html").read_text("utf-8"))
    assert not [path for path in tmp_path.iterdir() if path != site], "nothing is left beside the site"
    landing = words_of((site / "index.html").read_text("utf-8"))
    assert "These exercises count" in landing and "hand that in" in landing and "Install" not in landing


@needs_sphinx
def test_the_landing_page_says_what_it_is_once_to_people_and_to_what_shows_links(small):
    page = (small / "index.html").read_text()
    title, description = "Build AlphaZero from nothing", "Write AlphaZero yourself"
    assert re.search(r"<title>(.*?)</title>", page, re.DOTALL)[1].strip() == title
    assert re.search(r'<meta content="(.*?)" name="description"', page)[1].startswith(description)
    assert re.search(r'<meta content="(.*?)" property="og:title"', page)[1] == title
    assert re.search(r'<meta content="(.*?)" property="og:description"', page)[1].startswith(description)


@needs_sphinx
def test_a_fold_is_called_what_stands_on_it(small):
    page = (small / "notebooks" / "33_another_game.html").read_text("utf-8")
    assert "Toggle hidden content" not in page and "The check of hex_winner" in page


@needs_sphinx
def test_the_first_button_of_the_landing_page_opens_the_evening_and_the_second_the_road(tmp_path, monkeypatch):
    monkeypatch.setattr(book, "alive", dict)
    monkeypatch.setattr(book, "sources", lambda: [*sources("00"), *sources("10")])
    book.lay_out(tmp_path / "site", tab=True)
    landing = (tmp_path / "site" / "index.md").read_text("utf-8")
    opened = re.findall(r'class="course-button" href="[^"]*path=(\w+)\.ipynb"', landing)
    assert opened == ["10_one_evening", "00_welcome"]


def test_the_picture_beside_a_link_has_its_whole_address_where_that_is_known(monkeypatch):
    assert (COURSE / "docs" / "images" / Path(book.picture()).name).exists()
    monkeypatch.setattr(book, "site_address", lambda: "https://example.org/")
    assert book.picture().startswith("https://example.org/_static/images/")


def test_a_page_asks_for_no_key_where_there_is_no_cell(tmp_path):
    (tmp_path / book.PICTURES).mkdir(parents=True)
    [welcome] = sources("00")
    asked = "\n".join(cell.source for cell in build(welcome).cells)
    shown = "\n".join(cell.source for cell in book.as_page(build(welcome), welcome.name, tmp_path, set(), False).cells)
    assert "Shift+Enter" in asked and "Shift+Enter" not in shown and "You are X, so click a square" in shown


def test_every_line_that_comes_alive_stands_in_a_notebook():
    last = {
        cell.source.strip().splitlines()[-1] for source in sources() for cell in source.cells if cell.source.strip()
    }
    assert set(book.ALIVE) <= last


def test_nothing_of_the_address_is_on_the_pages_where_none_is_set(monkeypatch):
    text = "See [how](../course_utils/search/puct.py), [PUCT search](03_puct_search.ipynb) and [results](../docs/results.md#a)."
    monkeypatch.setattr(book, "address", lambda: None)
    pages = {"03_puct_search", "results"}
    assert book.links_kept(text, "notebooks", pages) == text.replace("[how](../course_utils/search/puct.py)", "how")
    assert "git clone <this repository>" in book.install()
    monkeypatch.setattr(book, "address", lambda: "https://example.org/course")
    assert "[how](https://example.org/course/blob/main/course_utils/search/puct.py)" in book.links_kept(
        text, "notebooks", pages
    )
    assert "git clone https://example.org/course" in book.install()


# --- the whole site --------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    folder = tmp_path_factory.mktemp("a site") / "of mine"
    book.build_book(folder)
    return folder


@pytest.fixture(scope="module")
def server(whole):
    """The address of the site, on a server of this machine."""

    class Files(http.server.SimpleHTTPRequestHandler):
        def log_message(self, *_):
            pass

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Files, directory=whole)) as running:
        threading.Thread(target=running.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{running.server_port}/"
        running.shutdown()


@pytest.fixture
def opened(browser, server):  # noqa: F811
    """Opens a page of the site in a theme; no script may fail, and nothing may be asked for from elsewhere."""
    contexts, failed, asked = [], [], []

    def open_page(name: str, theme: str = "light", width: int = 1280):
        contexts.append(browser.new_context(viewport={"width": width, "height": 800}, color_scheme=theme))
        page = contexts[-1].new_page()
        page.on("pageerror", lambda error: failed.append(str(error)))
        page.on("console", lambda said: failed.append(said.text) if said.type == "error" else None)
        page.on("request", lambda request: asked.append(request.url))
        page.goto(server + name)
        return page

    yield open_page
    for context in contexts:
        context.close()
    assert not failed
    assert not [url for url in asked if not url.startswith((server, "data:", "blob:"))]


@needs_sphinx
@pytest.mark.full
def test_no_link_of_the_site_is_broken_and_nothing_is_fetched_from_elsewhere(whole):
    assert not faults(whole)
    pages = [path.stem for path in (whole / "notebooks").glob("*.html")]
    assert sorted(pages) == [source.name for source in sources()]


@needs_sphinx
@pytest.mark.full
@pytest.mark.parametrize("source", sources(), ids=lambda source: source.name)
def test_on_a_page_no_solution_and_no_guess_is_answered_in_plain_view(whole, source):
    page = (whole / "notebooks" / f"{source.name}.html").read_text("utf-8")
    plain = words_of(re.sub(r"<details.*?</details>", "", page, flags=re.DOTALL))
    for name in source.exercises:
        assert f"{name} is not written yet" in plain
        assert reference(name) in words_of(page) and reference(name) not in plain
    asked = re.findall(r'tests\.guess\("([\w-]+)"', "\n".join(cell.source for cell in source.cells))
    boxes = dict(re.findall(r"<section aria-label='guess: ([\w-]+)'.*?>(.*?)</section>", page, re.DOTALL))
    assert sorted(asked) == sorted(boxes)
    for box in boxes.values():
        assert (
            words_of(re.sub(r"<details.*?</details>", "", box, flags=re.DOTALL)) == "Guess first, then open the answer."
        )


@needs_sphinx
@pytest.mark.full
@pytest.mark.parametrize(("name", "moves"), [("notebooks/00_welcome.html", []), ("notebooks/06_play.html", [4])])
def test_a_game_is_played_on_the_page_against_the_shipped_agent(opened, name, moves):
    board = Board(opened(name).locator(".board").first, GAME)
    agent = agents.load("tictactoe", 50)
    if moves:
        moves = [agent.act(GAME.initial_state())]
    board.expect(moves)
    while not GAME.is_terminal(state := after(GAME, moves)):
        moves += [GAME.legal_actions(state)[0]]
        board.click(moves[-1])
        if not GAME.is_terminal(state := after(GAME, moves)):
            moves += [agent.act(state)]
        board.expect(moves)
    board.expect(moves, "The game is over")


@needs_sphinx
@pytest.mark.full
@pytest.mark.parametrize("name", ["06_play", "32_connect_four"])
def test_connect_four_is_played_on_its_page_when_it_is_seen(opened, name):
    page = opened(f"notebooks/{name}.html")
    place = page.locator("[data-alive$=four]")
    assert place.locator("img").count() == 1 and place.locator(".board").count() == 0
    place.scroll_into_view_if_needed()
    board = Board(place.locator(".board"), ConnectFour())
    board.expect([])
    board.click(3)
    state = after(ConnectFour(), [3])
    board.expect([3, agents.load("connect_four", 50).act(state)])


@needs_sphinx
@pytest.mark.full
def test_the_microscope_of_puct_search_goes_through_the_example(opened):
    scope = Scope(opened("notebooks/03_puct_search.html").locator("[data-alive]"))
    assert scope.table()[7]["P"] == "0.298"
    scope.press("One simulation on", 3)
    assert [scope.table()[move]["N"] for move in (1, 5, 7)] == ["1", "1", "1"]


@needs_sphinx
@pytest.mark.full
@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("name", ["index.html", "notebooks/03_puct_search.html"])
def test_a_page_can_be_read_by_everybody_on_a_laptop_and_on_a_phone(opened, name, theme):
    for width in (1280, 390):
        page = opened(name, theme, width)
        page.locator(".board, .microscope").first.wait_for()
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        assert not violations(page, "main")


@needs_sphinx
@pytest.mark.full
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_a_phone_gets_the_landing_page_in_little_with_a_board_for_a_finger(opened, server, theme):
    page = opened("search.html", theme, 390)
    responses = []
    page.on("response", lambda response: responses.append(response))
    page.goto(server)
    page.get_by_role("button", name="New game").wait_for()
    page.locator("footer").scroll_into_view_if_needed()
    page.wait_for_load_state("networkidle")
    of_the_server = [response for response in responses if response.url.startswith(server)]  # not the worker's
    sizes = {response.url: int(response.headers["content-length"]) for response in of_the_server}
    assert sum(size for name, size in sizes.items() if not name.endswith(".js")) < 30_000, "before it is drawn"
    assert sum(sizes.values()) < 200_000
    drawn = page.locator(".board .stage svg").bounding_box()
    assert abs(drawn["x"] - (390 - drawn["x"] - drawn["width"])) < 2, "in the middle"
    buttons = [one.bounding_box() for one in page.locator("main button:visible, a.course-button").all()]
    assert len(buttons) >= 8 and all(box["height"] >= 44 and box["width"] >= 44 for box in buttons)


@needs_sphinx
@pytest.mark.full
def test_the_network_of_the_front_page_learns_until_nobody_beats_it_and_plays_as_it_says(opened):
    page = opened("index.html")
    count, status = page.locator(".count strong"), page.locator(".lesson").get_by_role("status")
    board = Board(page.locator(".learner .board"), GAME)
    expect(count).to_have_text(re.compile(r"^\d{2,}$"))
    assert page.evaluate("learner.history.length") == 1 and "11%" in board.output.inner_text()
    page.get_by_role("button", name="Let it learn").click()
    expect(page.get_by_role("button", name="Pause")).to_be_visible()
    board.click(4)  # while it learns
    expect(board.output.locator(".stones > g")).to_have_count(2)
    expect(status).to_contain_text("Nobody can beat it any more", timeout=120_000)
    expect(count).to_have_text("0")
    numbers = page.evaluate(
        """() => Object.fromEntries(Object.entries(learner.oracle.networks['the network'].network.layers)
            .flatMap(([name, { W, b }]) => [[`${name}.W`, [...W]], [`${name}.b`, [...b]]]))"""
    )
    net = make_network(GAME, seed=0)
    net.load_state_dict({name: torch.tensor(array) for name, array in in_torchs_order(numbers, net).items()})
    key = AnswerKey(GAME)
    assert sum(key.losing_lines(key.moves(TorchNetwork(net), 0))) == 0, "counted by Python"
    board.press("New game")
    board.click(0)
    reply = SearchAgent(GAME, TorchNetwork(net), 0).act(after(GAME, [0]))
    board.expect([0, reply])
    page.get_by_role("button", name="Forget", exact=True).click()
    expect(count).to_have_text(re.compile(r"^\d{2,}$"))


@needs_sphinx
@pytest.mark.full
def test_it_can_be_paused_and_forgotten_at_any_moment(opened):
    page = opened("index.html")
    page.locator(".learner .count strong").wait_for()
    for _ in range(3):
        page.get_by_role("button", name="Let it learn").click()
        page.wait_for_function("learner.history.length > 2")
        page.get_by_role("button", name="Pause").click()
        length = page.evaluate("learner.history.length")
        page.wait_for_timeout(2000)
        assert page.evaluate("learner.history.length") <= length + 1, "the iteration under way is finished"
        page.get_by_role("button", name="Learn on").click()
        page.get_by_role("button", name="Forget", exact=True).click()
        page.wait_for_timeout(2500)
        assert page.evaluate("[learner.history.length, learner.running]") == [1, False]


@needs_sphinx
@pytest.mark.full
def test_it_can_learn_one_lesson_at_a_time_and_says_which_game_it_plays(opened):
    page = opened("index.html")
    page.locator(".learner .count strong").wait_for()
    for length in (2, 3):
        page.get_by_role("button", name="One lesson").click()
        expect(page.locator(".learner .count")).to_contain_text("it plays game")
        page.wait_for_function("learner.waits === false")
        assert page.evaluate("[learner.history.length, learner.running]") == [length, False]


@needs_sphinx
@pytest.mark.full
def test_connect_four_is_loaded_when_it_is_asked_for_and_its_search_is_seen(opened):
    page = opened("index.html")
    loaded = []
    page.on("request", lambda request: loaded.append(request.url.rpartition("/")[2]))
    page.wait_for_load_state("networkidle")
    assert not [name for name in loaded if name.startswith("connect_four")]
    page.get_by_role("button", name="Play Connect Four").click()
    board = Board(page.locator(".four .board"), ConnectFour())
    board.expect([])
    board.click(3)
    state = after(ConnectFour(), [3])
    board.expect([3, agents.load("connect_four", 400).act(state)])
    expect(page.locator(".tree p")).to_contain_text("400 simulations; column 3")
    assert page.locator(".tree rect").count() > 20


@needs_sphinx
@pytest.mark.full
def test_formulas_are_set_and_words_are_found_without_a_net(opened):
    page = opened("notebooks/03_puct_search.html")
    page.locator("mjx-container").first.wait_for()
    assert page.locator("mjx-merror").count() == 0
    found = opened("search.html?q=dirichlet")
    found.get_by_role("link", name="Self-play").first.wait_for()
