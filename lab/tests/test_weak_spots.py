"""Which move of a game was the first mistake, by a made-up solver, and what leads a search."""

from types import SimpleNamespace

import numpy as np
import pytest

from course_utils.games import after
from lab.weak_spots import CHANCE, GAME, OWN, UNTRAINED, counting, first_blunder, guided


def made_up(scores):
    return SimpleNamespace(scores=scores)


def test_the_first_mistake_is_the_first_of_the_first_players_moves_that_loses_value():
    solver = made_up(lambda state: [1 if column == 3 else -1 for column in range(7)])  # column 3 alone keeps the value
    assert first_blunder(solver, [3, 0, 3, 6, 2, 1, 5]) == "3036-2"  # columns 0, 6 and 1 are the second player's
    with pytest.raises(AssertionError, match="made no mistake"):
        first_blunder(solver, [3, 0, 3, 6])


def test_each_guide_leaves_the_moves_alone_and_leads_by_its_own_values():
    positions = [after(GAME, [column]) for column in range(7)]
    own, other = np.linspace(-1, 1, 7), np.linspace(1, -1, 7)
    asked: list[int] = []
    answers = counting(lambda positions: ([4] * len(positions), own[: len(positions)]), asked)

    def untrained(planes):
        return other[: len(planes)], np.zeros((len(planes), 7))

    found = {}
    for name in (OWN, UNTRAINED, CHANCE):
        moves, found[name] = guided(name, answers, untrained, np.random.default_rng(0))(positions)
        assert moves == [4] * 7
    assert asked == [7, 7, 7]
    assert np.abs(found[OWN] - own).max() < 0.1 and np.abs(found[UNTRAINED] - other).max() < 0.1
    assert sorted(found[CHANCE].tolist()) != found[CHANCE].tolist() and found[CHANCE].min() >= 0
