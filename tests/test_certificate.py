"""The certificate says what is proven of an agent, who made it, and nothing that is somebody else's."""

import pytest

from course_utils import agents, mine, record
from course_utils.answers import stubs
from course_utils.exercise import LEARNERS
from course_utils.games import TicTacToe
from course_utils.learning.arena import count_lines
from course_utils.networks.policy_value import make_network
from course_utils.ui.certificate import certificate
from course_utils.ui.figures import in_words


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
    said = in_words(certificate(mine.agent("tictactoe", 50, quiet=True), by="Ada"))
    counts = [count_lines(TicTacToe(), agents.load("tictactoe", 50), side) for side in (1, -1)]
    assert said.startswith(f"This agent can't be beaten. Of all {sum(map(sum, counts))} games")
    assert "it loses none, with 50 simulations" in said
    assert "Trained by Ada" in said and "2 of the 21 functions that made it are by Ada, too, and the others" in said


def test_without_a_network_of_ones_own_nothing_is_said_to_be_the_learners():
    said = in_words(certificate(mine.agent("tictactoe", 50, quiet=True), by="Ada"))
    assert "The course trained it." in said and "Ada" not in said


def test_an_agent_that_loses_a_game_is_not_said_to_be_proven():
    mine.save_agent(make_network(TicTacToe(), seed=0), "tictactoe")
    said = in_words(certificate(mine.agent("tictactoe", 0, quiet=True)))
    assert said.startswith("This agent can still be beaten.") and "loses none" not in said
