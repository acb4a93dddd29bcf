"""Games to search in: trees of nested lists, and the ends of games on small boards; and what each position is worth."""

import random
from functools import cache
from typing import Any, NamedTuple

from hypothesis import strategies as st

from course_utils.games import ConnectN, TicTacToe
from course_utils.tests.world.games import TreeGame

# --- draws -------------------------------------------------------------------------------------------------------------


class Tree(NamedTuple):
    """A game of nested lists, and who begins."""

    tree: list | int
    first: int = 1


class Board(NamedTuple):
    """A game played at random until at most `free` cells are free."""

    board: str
    free: int
    seed: int = 0


BOARDS = {
    "TicTacToe()": TicTacToe(),
    **{
        f"ConnectN{size}": ConnectN(*size)
        for size in [(3, 4, 3), (2, 2, 2), (1, 5, 2), (3, 1, 3), (5, 3, 4), (6, 7, 7)]
    },
}


def grown(seed: int, depth: int, width: int) -> list | int:
    """A tree at random; with one action in each position it is a line, which ends at its depth only."""
    chance = random.Random(seed)

    def grow(left: int) -> list | int:
        if left == 0 or (width > 1 and left < depth and chance.random() < 0.1):
            return chance.choice([-1, 0, 1])
        return [grow(left - 1) for _ in range(chance.randint(min(2, width), width))]

    return grow(depth)


leaves = st.sampled_from([0, 1, -1])
TREES = st.one_of(
    st.recursive(leaves, lambda below: st.lists(below, min_size=1, max_size=4), max_leaves=12),
    st.builds(grown, st.integers(0, 999), st.integers(1, 5), st.integers(2, 3)),
    st.builds(grown, st.integers(0, 999), st.integers(1, 2), st.integers(2, 12)),
    st.builds(grown, st.integers(0, 999), st.integers(1, 42), st.just(1)),
)
POSITIONS = st.one_of(
    st.builds(Tree, TREES, st.sampled_from([1, -1])),
    st.builds(Board, st.sampled_from(list(BOARDS)), st.integers(0, 5), st.integers(0, 999)),
)


def position(draw: Tree | Board) -> tuple:
    """(game, state)."""
    if isinstance(draw, Tree):
        return TreeGame(draw.tree, draw.first), ()
    state = played(draw)[1]
    return BOARDS[draw.board], type(state)(*state)


@cache
def played(draw: Board) -> tuple[list[int], Any]:
    """(the moves, where they lead)."""
    game, chance, moves = BOARDS[draw.board], random.Random(draw.seed), []
    state = game.initial_state()
    while game.rows * game.columns - len(moves) > draw.free and not game.is_terminal(state):
        moves.append(chance.choice(game.legal_actions(state)))
        state = game.play(state, moves[-1])
    return moves, state


def shown_position(draw: Tree | Board) -> tuple[str, str]:
    """(a line that makes the game, the state) as they are written."""
    if isinstance(draw, Tree):
        return "", "()"
    return f"game = {draw.board}\n", f"after(game, {played(draw)[0]})"


def drawing(draw: Tree | Board) -> str:
    if isinstance(draw, Tree):
        return f"a game of nested lists; a number says who wins there:\n{draw.tree}\nplayer {draw.first:+d} is to move"
    state = position(draw)[1]
    return f"{state}\n{'X' if state.to_play == 1 else 'O'} to move"


# --- what they are worth -----------------------------------------------------------------------------------------------


def minimax(game, state, depth=None, guess=None) -> float:
    """The textbook's other form: everything from the first player's point of view, one side maximizes, the other minimizes.

    Args:
        guess: (game, state) -> value for the player to move there, asked where `depth` runs out.

    Returns:
        The value for the player to move at `state`.
    """

    def for_first_player(state, depth):
        if game.is_terminal(state):
            return game.winner(state)
        if depth == 0:
            return guess(game, state) * game.to_play(state) if guess else 0
        best = max if game.to_play(state) == 1 else min
        return best(
            for_first_player(game.play(state, action), depth if depth is None else depth - 1)
            for action in game.legal_actions(state)
        )

    return for_first_player(state, depth) * game.to_play(state)
