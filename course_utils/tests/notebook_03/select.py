"""Check select: the path down the tree, by the best action of each node."""

import numpy as np
from hypothesis import strategies as st

from course_utils.games import ConnectN, TicTacToe, after
from course_utils.search.puct import NO_ACTION, Node, expand, select_child
from course_utils.tests.catalogue import Wrong
from course_utils.tests.returns import whole_number
from course_utils.tests.scene import Scenes
from course_utils.tests.world.games import Misere
from course_utils.tests.world.trees import TREES, picture, planted, searched, way


def scene(draw) -> str:
    tree, c_puct = draw
    return f"{planted(tree)}node, action = select(root, {c_puct})\nway(node), action"


BY_HAND = """
    a root without children: the place to expand is the root itself
    >>> game = TicTacToe()
    >>> root = Node(game, game.initial_state())
    >>> root.P[[0, 4, 8]] = [0.2, 0.5, 0.3]
    >>> node, action = select(root, 1.5)
    >>> node is root, action
    (True, 4)
    ? The best action has no child yet. Which node will be the parent of that child?

    stops at the root when the best action has no child, though another has
    root --4--> child
    >>> game = TicTacToe()
    >>> root = Node(game, game.initial_state())
    >>> child = expand(root, 4, game)
    >>> root.N[4], root.W[4], root.P[[0, 4, 8]] = 1, -0.9, [0.5, 0.4, 0.1]
    >>> node, action = select(root, 1.5)
    >>> node is root, action
    (True, 0)
    ? Does your walk check whether there is any child, or whether the best action has one?

    goes on to a child that has no visits yet (2 points)
    root --4--> child
    >>> game = TicTacToe()
    >>> root = Node(game, game.initial_state())
    >>> child = expand(root, 4, game)
    >>> root.P[[0, 4, 8]] = [0.2, 0.5, 0.3]
    >>> child.P[[0, 1]] = [0.6, 0.4]
    >>> node, action = select(root, 1.5)
    >>> node is child, action
    (True, 0)
    ? The best action already has a child. Does your walk step to that child and choose again there?

    walks down several levels, by the best action of each (2 points)
    root --0--> first --8--> second --4--> third
    >>> game = TicTacToe()
    >>> root = Node(game, game.initial_state())
    >>> first = expand(root, 0, game)
    >>> second, sibling = expand(first, 8, game), expand(first, 4, game)
    >>> third = expand(second, 4, game)
    >>> root.N[0], root.W[0], root.P[[0, 4]] = 4, 1.6, [0.9, 0.1]
    >>> first.N[[4, 8]], first.W[[4, 8]], first.P[[4, 8]] = [1, 2], [-0.9, 0.4], [0.4, 0.6]
    >>> second.N[4], second.W[4], second.P[[2, 4]] = 1, 0.5, [0.2, 0.8]
    >>> third.P[[1, 3]] = [0.3, 0.7]
    >>> node, action = select(root, 1.5)
    >>> node is third, action
    (True, 3)
    ? The walk should end at `third`. At which node does yours stop, and why there?

    the same tree, after a simulation has changed its numbers
    root --4--> child
    >>> game = TicTacToe()
    >>> root = Node(game, game.initial_state())
    >>> child = expand(root, 4, game)
    >>> root.P[[0, 4, 8]], child.P[[0, 1]] = [0.2, 0.5, 0.3], [0.6, 0.4]
    >>> first, action = select(root, 1.5)
    >>> root.N[4], root.W[4] = 1, -0.9
    >>> node, action = select(root, 1.5)
    >>> first is child, node is root, action
    (True, True, 8)
    ? Each simulation changes the numbers in the tree. Does each walk read them again?

    a walk that ends at a finished game has nothing to expand (2 points)
    X . O
    O O .   X to move; 7 wins
    X . X
    >>> game = TicTacToe()
    >>> root = Node(game, after(game, [0, 4, 8, 2, 6, 3]))
    >>> won = expand(root, 7, game)
    >>> root.N[7], root.W[7], root.P[[1, 5, 7]] = 3, 3.0, [0.3, 0.3, 0.4]
    >>> node, action = select(root, 1.0)
    >>> node is won, action == NO_ACTION
    (True, True)
    ? The game is over there, so no action can be played. What does the docstring say to return instead of an action?

    the root itself is a finished game
    >>> game = TicTacToe()
    >>> root = Node(game, after(game, [0, 3, 1, 4, 2]))
    >>> node, action = select(root, 1.5)
    >>> node is root, action == NO_ACTION
    (True, True)
    ? Do you check whether the game is over before or after you choose an action?
"""


def a_node_and_an_action(result) -> str:
    if not isinstance(result, tuple | list) or len(result) != 2 or not hasattr(result[0], "children"):
        kinds = [type(entry).__name__ for entry in (result if isinstance(result, tuple | list) else [result])]
        return f"expected a node and an action, in this order; got {' and '.join(kinds)}"
    return whole_number(result[1])


# fmt: off
WRONG = [
    Wrong("one choice and no walk",
          "select chooses once, at the root, and never steps down, "
          "so nothing below the root's children is ever searched",
          "The best action already has a child. Where should the walk go now?", code="""
        def select(root, c_puct):
            return root, select_child(root, c_puct)
        """),
    Wrong("no walk", "select looks at the root only, so nothing below the root's children is ever searched",
          "The best action already has a child. Where should the walk go now?", ("while not", "if not"),
          ("        node = node.children[action]\n    return node, NO_ACTION", "    return node, NO_ACTION"),
          ("        if action not in node.children:\n            return node, action\n",
           "        return node, action\n")),
    Wrong("one level only", "select goes down one level and stops there",
          "A tree can have any number of levels. Which statement repeats something until a condition holds?", code="""
        def select(root, c_puct):
            node = root
            if node.is_terminal:
                return node, NO_ACTION
            action = select_child(node, c_puct)
            if action in node.children:
                node = node.children[action]
                action = NO_ACTION if node.is_terminal else select_child(node, c_puct)
            return node, action
        """),
    Wrong("the child and the action that led to it",
          "select returns the child together with the action that led to it, but that action has already been played",
          "The walk has reached the child. Which of the child's actions comes next?", code="""
        def select(root, c_puct):
            if root.is_terminal:
                return root, NO_ACTION
            action = select_child(root, c_puct)
            return root.children.get(action, root), action
        """),
    Wrong("one level, then nothing",
          "select steps down one level and returns NO_ACTION, as if there were nothing to expand",
          "NO_ACTION is for a finished game. Is the game over at that child?", ("while not", "if not")),
    Wrong("two levels only", "select goes down two levels and stops there",
          "A tree can have any number of levels. Which kind of loop needs no fixed number of steps?", code="""
        def select(root, c_puct):
            node = root
            for _ in range(2):
                if node.is_terminal:
                    return node, NO_ACTION
                action = select_child(node, c_puct)
                if action not in node.children:
                    return node, action
                node = node.children[action]
            return node, NO_ACTION if node.is_terminal else select_child(node, c_puct)
        """),
    Wrong("nine levels at most",
          "the walk ends after nine moves, which is enough for tic-tac-toe but too few for a longer game",
          "A tree of Connect Four can be 42 moves deep. Which kind of loop needs no fixed number of steps?",
          ("while not node.is_terminal:", "for _ in range(9):\n        if node.is_terminal:\n            break")),
    Wrong("stops at an unvisited child",
          "the walk stops with NO_ACTION at a child that has no visits yet, so that child would be evaluated twice",
          "That child was evaluated when it was made. Which action should the walk choose there?",
          ("node = node.children[action]",
           "node = node.children[action]\n        if node.N.sum() == 0:\n            return node, NO_ACTION")),
    Wrong("asks whether there are children at all",
          "the walk goes on as long as a node has any child, so a node without children is taken for a finished game",
          "A new node has no children, but its game goes on. Which field of a node says that the game is over?",
          ("while not node.is_terminal:", "while node.children:")),
    Wrong("never asks whether the child is there",
          "the walk steps to the best action's child without checking that there is one",
          "What does the dictionary `node.children` hold for an action that was never expanded?",
          ("        if action not in node.children:\n            return node, action\n", "")),
    Wrong("a child is taken for granted",
          "the walk steps on as soon as a node has any child, but the best action may have none",
          "Some action has a child. Is it the best action?", code="""
        def select(root, c_puct):
            node = root
            while node.children:
                node = node.children[select_child(node, c_puct)]
            return node, select_child(node, c_puct)
        """),
    Wrong("the last action at a finished game",
          "at a finished game the action that led there is returned instead of NO_ACTION",
          "Can that action be played once more, now that the game is over?",
          ("return node, NO_ACTION", "return node, node.parent_action if node.parent is not None else action")),
    Wrong("does not stop at a finished game",
          "an action is chosen at a finished game, although none is legal: the result is 0, which is a cell",
          "All scores are minus infinity there. What does argmax return then?",
          ("while not node.is_terminal:", "while True:")),
    *(
        Wrong(f"{nothing} for no action", f"{nothing} is returned at a finished game instead of NO_ACTION",
              "Which value does the docstring name for a walk that has nothing to expand?",
              ("return node, NO_ACTION", f"return node, {nothing}"))
        for nothing in ("-1", "None")
    ),
    Wrong("c_puct ignored", "the walk uses a c_puct of its own instead of the one it is given",
          "Which c_puct does your call of select_child pass on?",
          ("select_child(node, c_puct)", "select_child(node, 1.0)")),
    Wrong("c_puct not handed down", "below the root the walk goes on with another c_puct than the one it is given",
          "Which arguments does your own call of select need?", code="""
        def select(root, c_puct=1.5):
            if root.is_terminal:
                return root, NO_ACTION
            action = select_child(root, c_puct)
            return select(root.children[action]) if action in root.children else (root, action)
        """),
    Wrong("the way that led there", "the action that led to the node is returned instead of the one to take next",
          "Which action should be expanded next: the one that led here, or one of this node's own?",
          ("return node, action", "return node, node.parent_action")),
    Wrong("always the root",
          "every level uses the root's scores instead of those of the node that the walk has reached",
          "Which node's statistics decide on the second level?",
          ("select_child(node, c_puct)", "select_child(root, c_puct)")),
    Wrong("the first walk kept",
          "the result of the first walk is cached and returned again, however much the tree has grown since",
          "What has changed in the tree when select is called again?",
          ("def select", "import functools\n\n@functools.lru_cache(maxsize=None)\ndef select")),
    Wrong("counts visits on the way",
          "visits are counted on the way down, and backup will count them again on the way up",
          "Which of the four steps writes to N?",
          ("node = node.children[action]", "node.N[action] += 1\n        node = node.children[action]")),
    Wrong("recursion without return", "the recursive call's result is not returned",
          "What does a Python function return if it ends without a `return`?", code="""
        def select(root, c_puct):
            if root.is_terminal:
                return root, NO_ACTION
            action = select_child(root, c_puct)
            if action not in root.children:
                return root, action
            select(root.children[action], c_puct)
        """),
]


# fmt: on


def right_forever(root, c_puct):
    node = root
    while True:
        if node.is_terminal:
            return node, -100
        try:
            node = node.children[select_child(node, c_puct)]
        except KeyError as missing:
            return node, missing.args[0]


def right_recursively(root, c_puct):
    if root.is_terminal:
        return (root, NO_ACTION)
    action = select_child(root, c_puct)
    return right_recursively(root.children[action], c_puct) if action in root.children else (root, action)


def right_with_two_variables(root, c_puct):
    node, child = None, root
    action = NO_ACTION
    while child is not None:
        node = child
        if not node.legal.any():
            return [node, NO_ACTION]
        action = select_child(node, c_puct)
        child = node.children.get(action)
    return [node, action]


CHECK = Scenes(
    draws=st.tuples(TREES, st.sampled_from([1.5, 1.5, 0.2, 0.5, 1.0, 5.0])),
    edges=[
        (("ConnectN(12, 1, 12)", 1, 14, 0), 1.5),
        (("TicTacToe()", 0, 12, 0), 0.2),
        (("TicTacToe()", 2, 16, 0), 0.2),  # any other c_puct ends elsewhere
    ],
    examples=20,
    board=lambda draw: picture(draw[0]),
    returns=a_node_and_an_action,
    fresh=False,
    question="Draw the tree, write Q + U at each action, and follow the best actions with a finger. "
    "Where does your code leave that path?",
)
