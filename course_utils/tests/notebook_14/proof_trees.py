"""Build trees of small games and list their proofs, for the checks of the notebook 'A search that knows'."""

from collections.abc import Iterator

import numpy as np

from course_utils.search.puct import Node
from course_utils.tests.world.games import TreeGame


def family(children: dict) -> Node:
    """Build a node with these moves: to a proven child (its value), "open", "closed" as lost, or never tried (None)."""
    game = TreeGame({action: [0, 0] for action in children})
    node = tree_of(game, *([action] for action, child in children.items() if child is not None))
    for action, child in children.items():
        if child == "closed":
            node.legal[action] = False
        if child not in ("open", None):
            mark(node, [action], 1 if child == "closed" else child)
    return node


def tree_of(game, *paths) -> Node:
    """Build a tree with a node for each of these paths of moves, and for those above."""
    root = Node(game, game.initial_state())
    for path in paths:
        node = root
        for action in path:
            if action not in node.children:
                node.children[action] = Node(game, game.play(node.state, action), node, action)
            node = node.children[action]
    return root


def at(root: Node, path) -> Node:
    """Return the node that these moves lead to."""
    for action in path:
        root = root.children[action]
    return root


def mark(root: Node, path, value: float) -> Node:
    """Mark the node that these moves lead to as proven, worth `value` to its player to move."""
    node = at(root, path)
    node.is_terminal, node.terminal_value = True, float(value)
    return node


def marks(root: Node, game) -> tuple[dict, dict]:
    """List the marks: (moves to a proven node -> its value, moves to a node -> its closed actions)."""
    proven: dict = {}
    closed: dict = {}
    for path, node in _nodes(root, ()):
        if node.is_terminal:
            proven[path] = node.terminal_value
        if shut := sorted(set(game.legal_actions(node.state)) - set(np.flatnonzero(node.legal).tolist())):
            closed[path] = shut
    return proven, closed


def finished(root: Node, game) -> Iterator[Node]:
    """Yield the finished games of a tree, without those below a node that is marked by then."""
    for path, node in list(_nodes(root, ())):
        above = [at(root, path[:depth]) for depth in range(len(path))]
        if game.is_terminal(node.state) and not any(ancestor.is_terminal for ancestor in above):
            yield node


def _nodes(node: Node, path: tuple) -> Iterator[tuple[tuple, Node]]:
    yield path, node
    for action, child in sorted(node.children.items()):
        yield from _nodes(child, (*path, action))
