"""The solver for small Hex, and what the notebook 'Another game' says of the openings."""

import re

import pytest

from course_utils.agents import MinimaxAgent
from course_utils.games import after
from course_utils.games.hex import Hex
from course_utils.material import source_files
from lab.hex_solver import Solver


def test_the_solver_says_what_a_search_of_all_games_says():
    game, solver = Hex(3), Solver(3)
    for cell in range(9):
        assert solver.first_player_wins(cell) == (MinimaxAgent(game).value(after(game, [cell])) == -1)


@pytest.mark.parametrize("size", [4, pytest.param(5, marks=pytest.mark.full)])
def test_the_openings_that_win_are_those_of_the_notebook(size):
    """'Another game' holds the policy of its trained network against them. Turned half round the board is the same."""
    solver, text = Solver(size), next(iter(source_files.sources("33"))).path.read_text("utf-8")
    row = f"[LW]{{{size}}}"
    said = re.search(rf"{row}(?: {row}){{{size - 1}}}", text)[0].replace(" ", "")
    half = "".join("LW"[solver.first_player_wins(cell)] for cell in range((size**2 + 1) // 2))
    assert said == half + half[size**2 // 2 - 1 :: -1]
