"""Hex, the game that the notebook 'Another game' adds, and what is known of it."""

import numpy as np
import pytest

from course_utils import ui
from course_utils.agents import MinimaxAgent
from course_utils.games import GAMES, after, make_game
from course_utils.games.hex import Hex, hex_winner
from course_utils.games.properties import Broken, check_game
from course_utils.learning.config import config_for
from course_utils.learning.engine import train
from course_utils.learning.run import Run


def full_board(seed: int) -> np.ndarray:
    rng = np.random.default_rng(seed)
    size = int(rng.integers(1, 9))
    return rng.choice(np.array([1, -1], dtype=np.int8), size=(size, size))


def test_a_full_board_has_exactly_one_winner_and_that_of_the_board_with_players_and_sides_exchanged_is_the_other():
    """Nash's theorem. The exchange is a symmetry of the rules, which look at X and O one after the other."""
    for seed in range(300):
        cells = full_board(seed)
        assert hex_winner(cells) in (1, -1)
        assert hex_winner(-cells.T) == -hex_winner(cells)
        assert hex_winner(cells[::-1, ::-1]) == hex_winner(cells)


def test_a_stone_more_of_ones_own_never_harms():
    for seed in range(100):
        cells = full_board(seed)
        cells.flat[np.random.default_rng(seed).integers(cells.size)] = hex_winner(cells)
        assert hex_winner(cells) in (1, -1)
        better = np.where(np.random.default_rng(seed).random(cells.shape) < 0.2, 1, cells)
        assert hex_winner(better) >= hex_winner(cells)


@pytest.mark.parametrize("size", [1, 2, 3])
def test_whoever_begins_wins_on_a_small_board(size):
    """Nash's argument holds on every board; a search of all games needs none."""
    game = Hex(size)
    assert MinimaxAgent(game).value(game.initial_state()) == 1


@pytest.mark.parametrize("size", [3, 5])
def test_it_keeps_what_every_game_has_to_keep(size):
    check_game(Hex(size), games=2)


def test_a_property_test_cannot_know_the_rules_but_knows_when_nobody_has_won(monkeypatch):
    """Cells that touch across the other two corners do as well; cells that touch at sides only leave full boards open."""
    monkeypatch.setattr("course_utils.games.hex.hex_winner", lambda cells: hex_winner(cells[:, ::-1]))
    check_game(Hex(5), games=2)

    def joined_at_sides(cells):
        for player, board in ((1, cells), (-1, cells.T)):
            reached = (board == player) & (np.arange(len(board)) == 0)[:, None]
            for _ in range(cells.size):
                near = np.pad(reached, 1)
                near = near[:-2, 1:-1] | near[2:, 1:-1] | near[1:-1, :-2] | near[1:-1, 2:] | reached
                reached = near & (board == player)
            if reached[-1].any():
                return player
        return 0

    monkeypatch.setattr("course_utils.games.hex.hex_winner", joined_at_sides)
    with pytest.raises(Broken, match="no legal action"):
        check_game(Hex(5))


def test_a_mirror_image_is_no_symmetry_and_the_property_tests_say_so():
    class Mirrored(Hex):
        def symmetries(self, planes, policy):
            mirrored = policy.reshape(self.rows, -1)[:, ::-1].flatten()
            return [(planes.copy(), policy.copy()), (planes[:, :, ::-1].copy(), mirrored)]

    Mirrored.__qualname__, globals()["Mirrored"] = "Mirrored", Mirrored  # so that it can be pickled
    with pytest.raises(Broken, match="over in only one of the two forms of a position that `symmetries`"):
        check_game(Mirrored())


def test_it_is_found_by_where_it_stands_and_drawn_row_beside_row():
    try:
        game = make_game("course_utils.games.hex:Hex")
    finally:
        GAMES.pop("hex", None)
    assert str(after(game, [0, 6])).split("\n")[:2] == ["X . . . .", " . O . . ."]


def test_it_is_played_on_the_board_and_trained_with_nothing_else_changed():
    board = ui.play(game=Hex(3))
    assert len(board.view["positions"][-1]) == 9
    run = Run.start(Hex(3), config_for(Hex(3), iterations=2, games=6, simulations=4, steps=5, batch=16), seed=0)
    train(run, workers=0)
    assert len(run.history) == 2 and len(run.history[-1]["start_policy"]) == 9
    assert all(entry["draws"] == 0 for entry in run.history)
