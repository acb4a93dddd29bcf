"""What the checks of the notebook 'A search that knows' share: trees of small games, and what is marked in a tree."""

import numpy as np
from hypothesis import strategies as st

from course_utils.games import Game
from course_utils.search.puct import Node

ENDS = st.sampled_from([1, 0, -1])  # who has won there
MOVES = st.lists(st.one_of(ENDS, st.lists(st.one_of(ENDS, st.lists(ENDS, min_size=1, max_size=2)), min_size=1, max_size=3)), min_size=2, max_size=3)  # fmt: skip


def tree_of(game, *paths) -> Node:
    """A tree with a node for each of these paths of moves, and for those above."""
    root = Node(game, game.initial_state())
    for path in paths:
        node = root
        for action in path:
            if action not in node.children:
                node.children[action] = Node(game, game.play(node.state, action), node, action)
            node = node.children[action]
    return root


def at(root: Node, path) -> Node:
    """The node that these moves lead to."""
    for action in path:
        root = root.children[action]
    return root


def mark(root: Node, path, value: float) -> Node:
    """Mark this node as proven, worth `value` to its player to move."""
    node = at(root, path)
    node.is_terminal, node.terminal_value = True, float(value)
    return node


def marks(root: Node, game: Game) -> tuple[dict, dict]:
    """What is marked: (path of a proven node -> its value, path -> its closed moves)."""
    proven: dict = {}
    closed: dict = {}
    _look(root, (), game, proven, closed)
    return proven, closed


def _look(node: Node, path: tuple, game: Game, proven: dict, closed: dict) -> None:
    if node.is_terminal:
        proven[path] = float(node.terminal_value)
    if shut := sorted(set(game.legal_actions(node.state)) - set(np.flatnonzero(node.legal).tolist())):
        closed[path] = shut
    for action, child in sorted(node.children.items()):
        _look(child, (*path, action), game, proven, closed)
