"""What a learner takes away: `make page` and the buttons in a notebook write the agent's page and the one file."""

import sys

import pytest
from playwright.sync_api import expect

from course_utils import agents, mine, record
from course_utils.answers.stubs import reference
from course_utils.exercise import LEARNERS
from course_utils.games import TicTacToe
from course_utils.learner import keepsake
from course_utils.learning import folder as training
from course_utils.networks.checkpoint import save_network
from course_utils.networks.policy_value import make_network
from course_utils.ui import film
from tests.browser import lab  # noqa: F401
from tests.tab_torch import run

GAME = TicTacToe()
BOB = make_network(GAME, 0)


def shipped():
    return agents.load("tictactoe").network.net


@pytest.fixture
def learner(tmp_path, monkeypatch):
    monkeypatch.setenv("COURSE_RECORD", str(tmp_path / "record"))
    LEARNERS.restart()
    yield tmp_path
    LEARNERS.restart()


def told(path) -> str:
    return path.read_text("utf-8")


def test_make_page_is_the_learners_once_there_is_an_agent_and_the_shipped_ones_before(learner, monkeypatch):
    monkeypatch.setattr("course_utils.ui.page.page", lambda: "the shipped agents")
    assert [path.name for path in keepsake.write(learner, None, "")] == ["index.html"]
    assert told(learner / "index.html") == "the shipped agents"
    mine.save_agent(shipped(), "tictactoe")
    record.save(record.Answer("backup", "# my own\n" + reference("backup"), 8, 8, True))
    film.keep_film({0: lambda: BOB, 20: shipped})
    page, code = keepsake.write(learner, None, "Ada")
    assert (page.name, code.name) == (keepsake.PAGE, keepsake.FILE)
    assert "This agent can&#x27;t" in told(page) and "1 of the 21 functions that made it" in told(page)
    assert "# my own" in told(page) and '"iteration":20' in told(page) and "Ada&#x27;s AlphaZero" in told(page)
    assert "1 of the 21 functions is by Ada" in told(code)
    page, _ = keepsake.write(learner, None, "Ada", functions=False)
    assert "# my own" not in told(page)


def test_a_film_of_another_training_is_not_shown(learner):
    mine.save_agent(BOB, "tictactoe")
    film.keep_film({0: lambda: BOB, 20: shipped})
    assert film.kept_film(BOB) is None
    assert film.kept_film(shipped()).frames[-1]["iteration"] == 20
    film._path().write_text("[")
    assert film.kept_film(shipped()) is None


def test_make_page_of_a_run_shows_its_training(learner):
    training.train_in_folder(learner / "run", GAME, 5, 0, lockstep=True, workers=0, iterations=4, games=8, steps=2)
    [page] = keepsake.write(learner, learner / "run" / "tictactoe.pt", "Ada & Bob")
    assert "Trained by Ada &amp; Bob, from nothing but its own games." in told(page)
    assert '"iteration":2' in told(page) and '"iteration":4' in told(page)


@pytest.mark.parametrize("name", ["missing.pt", "hex.pt", "file"])
def test_what_cannot_be_written_is_said_in_one_sentence(learner, monkeypatch, name):
    save_network(learner / "hex.pt", BOB, "hex")
    (learner / "file").touch()
    where = {"file": ["--out", learner / "file"]}.get(name, ["--agent", learner / name])
    monkeypatch.setattr("course_utils.ui.page.page", lambda: "a page")
    monkeypatch.setattr(sys, "argv", ["page", "--out", str(learner / "out"), *map(str, where)])
    with pytest.raises(SystemExit, match=rf"the page can't be written: .*{name}"):
        keepsake.main()


def test_both_files_can_be_written_in_a_browser_tab(tmp_path):
    said = run(
        "import os, subprocess\n"
        f"os.environ['COURSE_RECORD'] = {str(tmp_path)!r}\n"
        "def no_processes(*args, **kwargs): raise OSError('emscripten does not support processes')\n"
        "subprocess.run = no_processes\n"
        "from course_utils import agents, mine\n"
        "mine.save_agent(agents.load('tictactoe').network.net, 'tictactoe')\n"
        "from course_utils.learner.keepsake import agent_page, of_learner, one_file\n"
        "print(len(agent_page(of_learner('Ada'))) > 100_000, 'def train(' in one_file())\n"
    )
    assert said.splitlines()[-1] == "True True"


CELL = """from course_utils import agents, mine
from course_utils.learner import keepsake

mine.save_agent(agents.load("tictactoe").network.net, "tictactoe")
keepsake.buttons()"""


def test_buttons_in_a_notebook_save_both_files(lab, tmp_path):  # noqa: F811
    notebook = lab.open(CELL)
    notebook.output(0).get_by_label("Your name").fill("Ada")
    for name, button in ((keepsake.PAGE, "Save my agent's page"), (keepsake.FILE, "Save my AlphaZero in one file")):
        with notebook.page.expect_download() as download:
            notebook.output(0).get_by_role("button", name=button).click()
        assert download.value.suggested_filename == name
        download.value.save_as(tmp_path / name)
        expect(notebook.output(0).get_by_role("status")).to_contain_text(name)
    page = lab.browser.new_context(offline=True).new_page()
    page.goto((tmp_path / keepsake.PAGE).as_uri())
    expect(page.get_by_role("heading", name="Ada's AlphaZero")).to_be_visible()
    expect(page.locator(".board .status").first).to_contain_text("to move")
    compile(told(tmp_path / keepsake.FILE), keepsake.FILE, "exec")
    assert notebook.violations(".keepsake") == []
    page.context.close()
