"""Build and check trees, for the checks of the notebook 'Tree search with rollouts'."""

from typing import Any

from course_utils.games import TicTacToe
from course_utils.search.uct import UctNode
from course_utils.tests.case import show

GAME = TicTacToe()


def tree(children: dict, N: int | None = None, node: UctNode | None = None) -> UctNode:
    """Build a tree from the empty board, with children {action: (W, N)} or {action: (W, N, their own children)}.

    A node with children has no untried action left. Its N is the sum of theirs if left out.
    """
    node = node or UctNode(GAME, GAME.initial_state())
    node.untried = [] if children else node.untried
    for action, (W, visits, *below) in children.items():
        child = node.children[action] = UctNode(GAME, GAME.play(node.state, action), node, action)
        tree(below[0] if below else {}, visits, child).W = W
    node.N = sum(child.N for child in node.children.values()) if N is None else N
    return node


def line(actions: list[int], game=GAME) -> list[UctNode]:
    """Build a root, and below it a node after each of the actions."""
    nodes = [UctNode(game, game.initial_state())]
    for action in actions:
        above = nodes[-1]
        above.untried.remove(action)
        nodes.append(UctNode(game, game.play(above.state, action), above, action))
        above.children[action] = nodes[-1]
    return nodes


def a_node(result: Any) -> str:
    """Check for a node: any object with a node's fields."""
    good = all(hasattr(result, field) for field in ("parent", "parent_action", "children", "untried", "state"))
    return "" if good else f"expected a node, got {show(result)} of type {type(result).__name__}"


def path(node: Any) -> list[int] | str:
    """List the actions from the top of the tree to `node`."""
    if complaint := a_node(node):
        return complaint
    return [] if node.parent is None else [*path(node.parent), node.parent_action]


def misplaced(node: UctNode, game) -> str:
    """Say what is wrong with a node's place in the tree or with its position; "" if nothing is."""
    if complaint := a_node(node):
        return complaint
    if node.parent is None or node.parent.children.get(node.parent_action) is not node:
        return f"its parent has no such child: parent_action is {show(node.parent_action)}"
    if node.state != game.play(node.parent.state, node.parent_action):
        return f"at {path(node)}: its state is not the one after action {node.parent_action}"
    return ""
