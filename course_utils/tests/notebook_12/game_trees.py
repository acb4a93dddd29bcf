"""Define games to search in: trees of nested lists, and the ends of games on small boards."""

import random

from hypothesis import strategies as st

from course_utils.games import ConnectN, TicTacToe
from course_utils.tests.world.positions import random_line


class TreeGame:
    """A game given as a tree of nested lists. A state is the path to it, from `()`.

    An int at a leaf says who wins there: +1, -1 or 0. A float is a guess (see `guess`) at a position where the game
    goes on.
    """

    def __init__(self, tree: list | float, first: int = 1):
        self.tree, self.first = tree, first

    def at(self, state):
        node = self.tree
        for action in state:
            node = node[action] if isinstance(node, list) else 0
        return node

    def legal_actions(self, state) -> list[int]:
        node = self.at(state)
        return list(range(len(node))) if isinstance(node, list) else [] if self.is_terminal(state) else [0]

    def play(self, state, action: int):
        if action not in self.legal_actions(state):
            raise ValueError(f"action {action} is not legal here; legal: {self.legal_actions(state)}")
        return (*state, action)

    def to_play(self, state) -> int:
        return self.first * (-1) ** len(state)

    def is_terminal(self, state) -> bool:
        return isinstance(self.at(state), int)

    def winner(self, state) -> int:
        return self.at(state) if self.is_terminal(state) else 0


def guess(game: TreeGame, state) -> float:
    """Guess the value for the player to move: the number in the tree, or above a leaf the average of those below."""

    def average(node) -> float:
        return sum(map(average, node)) / len(node) if isinstance(node, list) else node

    return average(game.at(state))


def backwards(game, state) -> list[int]:
    """Order the actions, the highest first."""
    return game.legal_actions(state)[::-1]


def grown(seed: int, depth: int, width: int, leaves: list) -> list | float:
    """Grow a random tree. With one action in each position it is a line, which ends at its depth only."""
    chance = random.Random(seed)

    def grow(height: int) -> list | float:
        if height == 0 or (width > 1 and height < depth and chance.random() < 0.1):
            return chance.choice(leaves)
        return [grow(height - 1) for _ in range(chance.randint(min(2, width), width))]

    return grow(depth)


def trees(leaves: list) -> st.SearchStrategy:
    """Write the lines that define a game of nested lists and the position at its root."""
    chosen = st.just(leaves)
    tree = st.one_of(
        st.recursive(st.sampled_from(leaves), lambda below: st.lists(below, min_size=1, max_size=4), max_leaves=12),
        st.builds(grown, st.integers(0, 999), st.integers(1, 5), st.integers(2, 3), chosen),
        st.builds(grown, st.integers(0, 999), st.integers(1, 2), st.integers(2, 12), chosen),
    )
    return st.tuples(tree, st.sampled_from(["", ", first=-1"])).map(
        lambda draw: (f"game = TreeGame({draw[0]}{draw[1]})", "()")
    )


BOARDS = {"TicTacToe()": TicTacToe()} | {
    f"ConnectN{size}": ConnectN(*size) for size in [(3, 4, 3), (2, 2, 2), (3, 1, 3), (5, 3, 4)]
}


def near_its_end(board: str, free: int, seed: int) -> tuple[str, str]:
    """Write a line that defines a game on a board, and a position with this many free cells or an earlier end."""
    game = BOARDS[board]
    return f"game = {board}", f"after(game, {random_line(game, game.rows * game.columns - free, seed)})"


ENDS = st.builds(near_its_end, st.sampled_from(list(BOARDS)), st.integers(0, 5), st.integers(0, 999))
