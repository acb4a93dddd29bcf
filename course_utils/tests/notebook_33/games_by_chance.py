"""Draw positions of Connect N: random games on boards of several sizes."""

import random
from functools import cache

from hypothesis import strategies as st

from course_utils.games import ConnectN, after
from course_utils.tests.world.positions import drawing

Size = tuple[int, int, int]  # rows, columns, n
CONNECT_FOUR, SMALL = (6, 7, 4), (4, 4, 3)
SIZES: list[Size] = [CONNECT_FOUR, SMALL, (3, 4, 3), (5, 6, 4), (3, 9, 3), (7, 4, 3)]
GAMES = st.tuples(st.sampled_from(SIZES), st.integers(0, 42), st.integers(0, 99), st.booleans())  # see `moves`


@cache
def moves(size: Size, plies: int, seed: int, careful: bool) -> list[int]:
    """List the moves of a random game, this many or until it is over. Careful players avoid completing a line."""
    game, rng, state, played = ConnectN(*size), random.Random(seed), ConnectN(*size).initial_state(), []
    for _ in range(plies):
        legal = game.legal_actions(state)
        quiet = [column for column in legal if careful and not game.winner(game.play(state, column))]
        if not legal:
            break
        played.append(rng.choice(quiet or legal))
        state = game.play(state, played[-1])
    return played


def position(size: Size, played: list[int]) -> str:
    """Write the line that defines the position."""
    return f"after(ConnectN{size}, {played})" if size != CONNECT_FOUR else f"after(ConnectFour(), {played})"


def winning(size: Size, played: list[int]) -> list[int]:
    """List the columns in which the next stone completes a line."""
    game, state = ConnectN(*size), after(ConnectN(*size), played)
    return [column for column in game.legal_actions(state) if game.winner(game.play(state, column))]


def board(size: Size, played: list[int]) -> str:
    return drawing(after(ConnectN(*size), played))
