"""Connect N against an independent oracle: a plain two-dimensional array and every window of N cells."""

import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from course_utils.games import ConnectFour, ConnectN, after, make_game
from course_utils.games.connect_n import ConnectState, completes_line

SIZES = [(4, 4, 3), (5, 6, 4), (6, 7, 4), (3, 5, 3), (7, 4, 4), (8, 8, 5), (2, 9, 3), (1, 4, 2)]


class Oracle:
    """The board as an array, row 0 at the bottom; wins by looking at every window of N cells."""

    def __init__(self, rows, columns, n):
        self.grid = np.zeros((rows, columns), dtype=int)
        self.n, self.to_play = n, 1

    def drop(self, column):
        row = int(np.flatnonzero(self.grid[:, column] == 0)[0])
        self.grid[row, column] = self.to_play
        self.to_play = -self.to_play

    def winner(self):
        rows, columns = self.grid.shape
        for player in (1, -1):
            for row in range(rows):
                for column in range(columns):
                    for up, right in ((1, 0), (0, 1), (1, 1), (-1, 1)):
                        cells = [(row + k * up, column + k * right) for k in range(self.n)]
                        if all(0 <= r < rows and 0 <= c < columns and self.grid[r, c] == player for r, c in cells):
                            return player
        return 0

    def legal(self):
        return [] if self.winner() else [int(c) for c in np.flatnonzero(self.grid[-1] == 0)]


def agrees(game, state, oracle):
    assert game.legal_actions(state) == oracle.legal()
    assert game.winner(state) == oracle.winner()
    assert game.is_terminal(state) == (oracle.winner() != 0 or (oracle.grid != 0).all())
    assert game.to_play(state) == oracle.to_play
    drawn = oracle.grid[::-1]
    assert np.array_equal(game.cells(state), drawn)
    planes = game.encode(state)
    assert planes.dtype == np.float32
    assert np.array_equal(planes, np.stack([drawn == oracle.to_play, drawn == -oracle.to_play]))


@settings(max_examples=150)
@given(size=st.sampled_from(SIZES), choices=st.lists(st.integers(0, 10_000), max_size=64))
def test_random_games_agree_with_the_oracle(size, choices):
    game, oracle = ConnectN(*size), Oracle(*size)
    state = game.initial_state()
    agrees(game, state, oracle)
    for choice in choices:
        legal = game.legal_actions(state)
        if not legal:
            break
        before, action = state, legal[choice % len(legal)]
        state = game.play(state, action)
        oracle.drop(action)
        agrees(game, state, oracle)
        assert before != state
        assert hash(state) == hash(ConnectState(*state))


def test_four_in_a_row_in_every_place_and_direction_of_the_board():
    """`completes_line` is asked about the top stone of a column; here each window of four ends at some top stone."""
    count = 0
    for column in range(7):
        for height in range(6):
            for right, up in ((1, 0), (0, 1), (1, 1), (-1, 1)):
                cells = [(column + k * right, height + k * up) for k in range(4)]
                if not all(0 <= c < 7 and 0 <= h < 6 for c, h in cells):
                    continue
                count += 1
                # the line's stones are +1, all below and beside them -1 and 1 in turn by twos, so that nothing else is
                # a line
                tops = dict(cells)
                columns = []
                for c in range(7):
                    filling = [1 if ((h // 2) + c) % 2 == 0 else -1 for h in range(tops.get(c, -1) + 1)]
                    columns.append([1 if (c, h) in cells else filling[h] for h in range(len(filling))])
                state = ConnectState(tuple(map(tuple, columns)))
                assert completes_line(state, cells[-1][0]), f"{cells}\n{state}"
    assert count == 69  # the number of lines on a board of 6 rows and 7 columns


@pytest.mark.parametrize(
    "columns",
    [
        # top of column 0 and bottom of column 1: neighbors in a list of cells, not on the board
        ((-1, -1, 1, -1, 1, 1), (1, 1, -1)),
        # the right edge of one row and the left edge of the next
        ((-1, 1), (-1,), (), (), (1,), (1,), (1,)),
        # a diagonal that leaves at the right and would come back at the left
        ((-1, 1, -1), (), (), (), (), (-1, 1), (1, -1, 1)),
    ],
)
def test_lines_do_not_wrap_around(columns):
    columns = (columns + ((),) * 7)[:7]
    state = ConnectState(columns)
    assert not any(completes_line(state, column) for column in range(7) if columns[column])


def test_illegal_actions_say_what_was_legal():
    game = ConnectFour()
    full = after(game, [0, 0, 0, 0, 0, 0])
    for action in (0, 7, -1):
        with pytest.raises(ValueError, match=r"legal: \[1, 2, 3, 4, 5, 6\]"):
            game.play(full, action)
    won = after(game, [0, 1, 0, 1, 0, 1, 0])
    assert (game.winner(won), game.legal_actions(won)) == (1, [])
    with pytest.raises(ValueError, match="the game is over"):
        game.play(won, 3)


def test_a_full_board_without_a_line_is_a_draw():
    game = ConnectN(2, 2, 2)  # any two stones of a player touch, so there are no draws
    assert game.winner(after(game, [0, 1, 0])) == 1
    game = ConnectN(1, 4, 3)
    draw = after(game, [0, 1, 2, 3])
    assert game.is_terminal(draw) and game.winner(draw) == 0 and game.legal_actions(draw) == []


def test_boards_too_small_for_a_line_are_refused():
    for size in ((3, 3, 4), (0, 7, 4), (6, 7, 0)):
        with pytest.raises(ValueError, match="no line of"):
            ConnectN(*size)


def test_names_drawing_and_clicks():
    game = make_game("connect_four")
    assert game.name == "connect_four" and ConnectN(4, 4, 3).name != "connect_four"
    state = after(game, [3, 3, 2])
    assert str(state).splitlines()[-3:] == [". . . O . . .", ". . X X . . .", "0 1 2 3 4 5 6"]
    assert game.action_at(0, 4) == game.action_at(5, 4) == 4


@settings(max_examples=30)
@given(choices=st.lists(st.integers(0, 10_000), max_size=30))
def test_the_mirror_image_of_a_game_is_the_game_of_the_mirror_image(choices):
    game = ConnectFour()
    state = mirrored = game.initial_state()
    for choice in choices:
        legal = game.legal_actions(state)
        if not legal:
            break
        state, mirrored = (
            game.play(state, legal[choice % len(legal)]),
            game.play(mirrored, 6 - legal[choice % len(legal)]),
        )
    policy = np.arange(7.0)
    (same_planes, same_policy), (planes, flipped) = game.symmetries(game.encode(state), policy)
    assert np.array_equal(same_planes, game.encode(state)) and np.array_equal(same_policy, policy)
    assert np.array_equal(planes, game.encode(mirrored)) and np.array_equal(flipped, policy[::-1])


def test_recorded_positions_can_be_reached_and_have_the_legal_moves_that_a_solver_scored():
    game = ConnectFour()
    for position in json.loads((Path(__file__).parent / "data" / "connect_four_legal_moves.json").read_text()):
        state = after(game, [int(column) for column in position["moves"]])
        assert not game.is_terminal(state)
        assert game.legal_actions(state) == position["legal"]
        wins = [a for a in game.legal_actions(state) if game.winner(game.play(state, a)) == game.to_play(state)]
        assert bool(wins) == position["wins_at_once"]


def test_a_size_is_a_name_and_so_is_what_the_game_calls_itself():
    game = make_game("connect_n:4x5x3")
    assert (game.rows, game.columns, game.n, game.name) == (4, 5, 3, "connect_3_on_4x5")
    again = make_game(game.name)
    assert (again.rows, again.columns, again.n) == (4, 5, 3)
    assert make_game("connect_n:6x7x4").name == "connect_four"


@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        *[(f"connect_n{size}", "names no size: connect_n:4x5x3, for example") for size in ("", ":", ":4x5", ":4x5x3x2", ":axbxc", ":4 x 5 x 3", ":-4x5x3", ":4.0x5x3")],
        ("connect_n:0x4x3", "no line of 3 fits on a board of 0 rows"),
        ("connect_n:2x2x3", "no line of 3 fits on a board of 2 rows and 2 columns"),
        ("connect_n:4x4x1", "over after the first stone"),
        ("connect_n:8x8x4", "is too large: .* this one has 72"),
        ("connect_n:99999999x9x3", "is too large"),
        ("connect_4_on_8x8", "is too large"),
        ("course_utils.games.connect_n:ConnectN", "missing 3 required positional arguments.*known: .*connect_n:4x5x3"),
    ],
)  # fmt: skip
def test_what_is_no_size_is_refused_in_a_sentence(name, sentence):
    with pytest.raises(ValueError, match=sentence) as refusal:
        make_game(name)
    assert "\n" not in str(refusal.value)
