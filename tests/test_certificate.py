"""The certificate says what is proven of an agent, who made it, and nothing that is somebody else's."""

import re
from dataclasses import replace
from xml.etree import ElementTree

import pytest

from course_utils import agents, mine, record
from course_utils.agents import SearchAgent
from course_utils.answers import stubs
from course_utils.exercise import LEARNERS
from course_utils.games import TicTacToe
from course_utils.learning.arena import count_lines
from course_utils.networks.policy_value import TorchNetwork, make_network
from course_utils.ui.certificate import Certificate, certificate
from course_utils.ui.film import keep_film


@pytest.fixture(autouse=True)
def learner(tmp_path, monkeypatch):
    monkeypatch.setenv("COURSE_RECORD", str(tmp_path / "record"))
    LEARNERS.restart()
    yield
    LEARNERS.restart()


def test_a_proven_agent_of_the_learners_names_them_and_counts_their_functions():
    mine.save_agent(agents.load("tictactoe").network.net, "tictactoe")
    for name in ("winner", "backup", "relu"):  # the last is not on the main road
        record.save(record.Answer(name, stubs.reference(name), 8, 8, True))
    said = str(certificate(mine.agent("tictactoe", 50, quiet=True), by="Ada"))
    counts = [count_lines(TicTacToe(), agents.load("tictactoe", 50), side) for side in (1, -1)]
    assert said.startswith(f"Ada's AlphaZero. This agent can't be beaten. Of all {sum(map(sum, counts))} games")
    assert "it loses none, with 50 simulations" in said
    assert "Trained by Ada" in said and "2 of the 21 functions that made it are by Ada, too, and the others" in said


def test_without_a_network_of_ones_own_nothing_is_said_to_be_the_learners():
    said = str(certificate(mine.agent("tictactoe", 50, quiet=True), by="Ada"))
    assert "The course trained it." in said and "Ada" not in said


def test_an_agent_that_loses_a_game_is_not_said_to_be_proven():
    mine.save_agent(make_network(TicTacToe(), seed=0), "tictactoe")
    said = str(certificate(mine.agent("tictactoe", 0, quiet=True)))
    assert said.startswith("An AlphaZero, from nothing. This agent can still be beaten.") and "loses none" not in said


def test_the_picture_is_a_file_that_says_all_of_it_and_shows_how_the_losing_lines_fell(tmp_path):
    net, untrained = agents.load("tictactoe").network.net, make_network(TicTacToe(), seed=0)
    mine.save_agent(net, "tictactoe")
    keep_film({0: lambda: untrained, 1: lambda: net})
    shown = certificate(mine.agent("tictactoe", 50, quiet=True), by="Ada & <Bob>")
    shown.save(tmp_path / "certificate.svg")
    picture = ElementTree.parse(tmp_path / "certificate.svg").getroot()
    words = " ".join("".join(text.itertext()) for text in picture.iter("{http://www.w3.org/2000/svg}text"))
    assert picture.get("aria-label") == str(shown)
    assert all(" ".join(paragraph.split()) in words for paragraph in shown.paragraphs)
    assert "Ada & <Bob>'s AlphaZero" in words
    before, after = (sum(count_lines(TicTacToe(), SearchAgent(TicTacToe(), TorchNetwork(one), 0), side).losses for side in (1, -1)) for one in (untrained, net))  # fmt: skip
    assert shown.losing_lines == [before, after] and f"{before} losing lines" in words
    assert "losing lines" not in str(replace(shown, losing_lines=[]))


def test_the_ring_is_closed_for_an_agent_that_loses_no_game_only():
    proven = Certificate("This agent can't be beaten", [], 0, "X.OOO.XXX")
    beaten = replace(proven, lost=1)
    widths = [re.search(r'<circle cx="780".*?stroke-width="(\d+)"', one.svg())[1] for one in (proven, beaten)]
    assert widths == ["36", "4"]
