"""The microscope's Python side; what stands on the page is in test_browser_microscope.py."""

import pytest

from course_utils import ui
from course_utils.agents import SearchAgent
from course_utils.games import TicTacToe, after
from course_utils.networks import UniformNetwork
from course_utils.search.puct import mcts_search
from course_utils.ui.microscope import tree_of

GAME = TicTacToe()


def search_agent():
    return SearchAgent(GAME, UniformNetwork(9), 10)


def test_the_microscope_records_what_is_asked_for_and_keeps_it():
    scope = ui.microscope("tictactoe", [4, 1], agent=search_agent(), simulations=30)
    assert "visits after 30 simulations" in scope._repr_mimebundle_()[0]["text/plain"]
    scope.choice = scope.choice | {"simulations": 5, "search": "uct"}  # as the page does
    assert sum(visits for _, _, visits, _ in top(scope)) == 5
    assert len(scope.recordings) == 2 and not scope.said
    scope.choice = scope.choice | {"simulations": 30, "search": "puct"}
    assert len(scope.recordings) == 2


def top(scope) -> list:
    """What came up to the root, an entry a simulation."""
    return [entry for simulation in scope.shown().simulations for entry in simulation["up"] if entry[0] == 0]


def test_the_tree_of_a_recording_is_that_of_the_search():
    scope = ui.microscope("tictactoe", [4, 1], agent=search_agent(), simulations=40)
    root = tree_of(scope.shown(), GAME, after(GAME, [4, 1]))
    _, expected = mcts_search(GAME, after(GAME, [4, 1]), UniformNetwork(9), 40, 1.5, return_root=True)
    assert root.N.tolist() == expected.N.tolist()
    assert root.children.keys() == expected.children.keys()


def test_the_microscope_says_in_a_sentence_what_it_cannot_show():
    scope = ui.microscope("tictactoe", [4, 1], agent=search_agent(), simulations=5)
    scope.choice = scope.choice | {"position": [4, 4]}
    assert scope.said.startswith("This search can't be shown: ValueError")
    assert scope.choice["position"] == [4, 1]  # as it is still shown
    assert "visits after 5 simulations" in str(scope)
    assert scope.picture()
    for wrong in (dict(search="minimax"), dict(simulations=0), dict(position=[0, 3, 1, 4, 2])):
        with pytest.raises(ValueError):
            ui.microscope("tictactoe", **{"agent": search_agent(), "position": [], **wrong})


def test_a_network_that_failed_can_be_chosen_again():
    class Failing(UniformNetwork):
        fails = True

        def __call__(self, planes):
            if self.fails:
                raise RuntimeError("my network broke")
            return super().__call__(planes)

    bad = SearchAgent(GAME, Failing(9), 10)
    scope = ui.microscope("tictactoe", [4, 1], agent={"good": search_agent(), "bad": bad}, simulations=5)
    for _ in range(2):
        scope.choice = scope.choice | {"agent": "bad"}
        assert "my network broke" in scope.said
        assert scope.choice["agent"] == "good"
    bad.network.fails = False
    scope.choice = scope.choice | {"agent": "bad"}
    assert not scope.said
    assert scope.choice["agent"] == "bad"
