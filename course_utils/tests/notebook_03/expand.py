"""Check expand: one new node, tied to the tree in both directions."""

import inspect
from functools import cache

import numpy as np
from hypothesis import strategies as st

from course_utils.games import ConnectN, TicTacToe, after
from course_utils.search import puct
from course_utils.search.puct import Node
from course_utils.tests.case import show
from course_utils.tests.catalogue import Wrong
from course_utils.tests.scene import Scenes
from course_utils.tests.world.games import Misere
from course_utils.tests.world.trees import GAMES, begun, longest, picture, planted, searched, told


@cache
def scene(draw) -> str:
    """Add a child to the lowest node on the longest path that lacks one."""
    game, plies, simulations, seed = draw
    nodes = longest(searched(GAMES[game], begun(game, plies, seed), simulations, seed))
    free = [
        (depth, action)
        for depth, node in enumerate(nodes)
        for action in np.flatnonzero(node.legal)
        if action not in node.children
    ]
    return (
        f"{planted(draw)}node = longest(root)[{free[-1][0]}]\nchild = expand(node, {free[-1][1]}, game)\n"
        f"told(root, child)"
    )


def a_node(result) -> str:
    return "" if hasattr(result, "children") else f"expected the new node, got {show(result)}"


START = """
    >>> game = TicTacToe()
    >>> node = Node(game, after(game, [4]))"""
AFTER = "`Node(...)` computes its fields from the state that you give it. Is that the state after the move?"
BY_HAND = f"""
    the child is the position after the action (2 points){START}
    >>> child = expand(node, 0, game)
    >>> str(child.state)
    ? Which function of the game returns the position after a move?

    the child knows its parent and the action that led to it (2 points){START}
    >>> child = expand(node, 2, game)
    >>> child.parent is node, child.parent_action
    (True, 2)
    ? How will backup find its way up?

    the parent finds its child by the action (2 points){START}
    >>> child = expand(node, 2, game)
    >>> list(node.children), node.children.get(2) is child
    ([2], True)
    ? How will the next walk find the child that you have made?

    a winning move leads to a finished game that its player to move has lost
    X X .
    O O .   X to move takes 2
    . . .
    >>> game = TicTacToe()
    >>> node = Node(game, after(game, [0, 3, 1, 4]))
    >>> child = expand(node, 2, game)
    >>> child.is_terminal, child.terminal_value
    (True, -1.0)
    ? {AFTER}

    a child of a child
    root --4--> node --0--> child
    >>> game = TicTacToe()
    >>> root = Node(game, game.initial_state())
    >>> node = expand(root, 4, game)
    >>> child = expand(node, 0, game)
    >>> child.parent is node, child.parent_action, list(root.children), list(node.children)
    (True, 0, [4], [0])
    ? Which node is the new one's parent: the one you were given, or the one above it?

    a second child leaves the first where it was{START}
    >>> first, second = expand(node, 0, game), expand(node, 8, game)
    >>> sorted(node.children), node.children.get(0) is first, node.children.get(8) is second
    ([0, 8], True, True)
    ? Does your code add to the dictionary or put a new one in its place?
"""

# fmt: off
WRONG = [
    Wrong("children dictionary forgotten",
          "the child is made but not stored in the tree, so the next simulation makes it "
          "again and nothing is remembered",
          "How will the next walk find this child?", ("    node.children[action] = child\n", "")),
    Wrong("parent forgotten", "the child does not know its parent, so backup stops before its first step",
          "How does backup climb up from here?", ("parent=node, parent_action=action", "parent_action=action")),
    Wrong("action forgotten",
          "the child does not know which action led to it, so backup can't tell which entry of N to count",
          "Which entry of the parent's N belongs to this child?", ("parent=node, parent_action=action", "parent=node")),
    Wrong("the parent's parent",
          "the child's parent is set to the node one level too high: backup skips a level, "
          "and every sign above is wrong",
          "Which node is the parent of a child of `node`?",
          ("parent=node, parent_action", "parent=node.parent, parent_action")),
    Wrong("position before the move", "the child has its parent's position: the move was never made",
          "`game.play` leaves the given state as it is. What does it return?",
          ("child = Node(game, game.play(node.state, action),",
           "game.play(node.state, action)\n    child = Node(game, node.state,")),
    Wrong("parent's position overwritten",
          "the parent's own position is overwritten, so its other children will start from the wrong board",
          "From which position do the other actions of `node` start?",
          ("child = Node(game, game.play(node.state, action),",
           "node.state = game.play(node.state, action)\n    child = Node(game, node.state,")),
    Wrong("all children at once",
          "all children are made at once, as some rollout searches do; here a simulation adds one node",
          "How many children does the docstring ask for?",
          ("    return child",
           "    for other in game.legal_actions(node.state):\n        if other not in node.children:\n"
           "            node.children[other] = Node(game, game.play(node.state, other), node, other)\n"
           "    return child")),
    Wrong("other children lost", "the dictionary is replaced, so the children made earlier are lost",
          "What else was in `node.children`?", ("node.children[action] = child", "node.children = {action: child}")),
    Wrong("the parent comes back",
          "the node that was expanded is returned instead of the new one, "
          "so the same position would be evaluated again",
          "Which node has not been evaluated yet?", ("return child", "return node")),
    Wrong("the dictionary turned round",
          "the child is the key and the action is the value, so the child can't be looked up by its action",
          "What will select look up: the child of an action, or the action of a child?",
          ("node.children[action] = child", "node.children[child] = action")),
    Wrong("hung below itself", "the entry goes into the new node's dictionary instead of its parent's",
          "Whose dictionary will select look into?",
          ("node.children[action] = child", "child.children[action] = node")),
    Wrong("an action for a state",
          "the new node is made from the number of the action, but it needs the position after the move",
          "Which function of the game takes a position and an action, and returns the next position?",
          ("game.play(node.state, action)", "action")),
    Wrong("a node for its position",
          "`game.play` is called with the node, but it needs the position that the node holds",
          "Which field of a node holds its position?", ("game.play(node.state, action)", "game.play(node, action)")),
    Wrong("returns nothing", "nothing is returned, so the caller has no node to evaluate",
          "What will mcts_search do with the result?", ("return child", "return None")),
    Wrong("counts the visit", "expand counts a visit, and backup will count it again",
          "Which of the four steps writes to N?", ("return child", "node.N[action] += 1\n    return child")),
    Wrong("a copy of the parent",
          "the child is a shallow copy of its parent, so the two share their statistics and children",
          "Which fields of the copy are the same objects as the parent's?", code="""
        def expand(node, action, game):
            import copy

            child = copy.copy(node)
            child.state = game.play(node.state, action)
            child.parent, child.parent_action = node, action
            node.children[action] = child
            return child
        """),
]

# fmt: on

_space = dict(vars(puct))
exec(inspect.getsource(Node), _space)
OwnNode = _space["Node"]  # the same class made anew, as in the notebook


def right_step_by_step(node, action, game):
    next_state = game.play(node.state, action)
    child = Node(game, next_state)
    child.parent = node
    child.parent_action = action
    node.children.update({action: child})
    return child


def right_in_one_line(node, action, game):
    return node.children.setdefault(action, OwnNode(game, game.play(node.state, action), node, action))


CHECK = Scenes(
    draws=st.tuples(st.sampled_from([*GAMES]), st.integers(0, 3), st.integers(1, 7), st.integers(0, 99)),
    edges=[("TicTacToe()", 3, 4, 7)],  # the node has a child already
    examples=20,
    board=picture,
    returns=a_node,
    fresh=False,
    changes={"node"},
    question=AFTER,
)
