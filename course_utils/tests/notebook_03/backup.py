"""Check backup: a value goes up from the leaf, and its sign flips at each step."""

from itertools import pairwise

from hypothesis import strategies as st

from course_utils.games import ConnectN, TicTacToe
from course_utils.search.puct import Node, expand
from course_utils.tests.catalogue import Wrong
from course_utils.tests.returns import nothing
from course_utils.tests.scene import Scenes
from course_utils.tests.world.games import Misere
from course_utils.tests.world.trees import TREES, longest, picture, planted, searched, told

FLIP = "The value is for the player to move at the leaf. What is it worth to the player to move one step higher?"
# (index of the node that the value goes up from, value)
BACKUPS = st.tuples(st.sampled_from([-1, -1, -2, 0]), st.sampled_from([1.0, -1.0, 0.0, 0.1, 0.25, -0.7]))


def scene(draw) -> str:
    """Back up several values, one after the other."""
    tree, backups = draw
    calls = "".join(f"backup(nodes[{node}], {value})\n" for node, value in backups)
    return f"{planted(tree)}nodes = longest(root)\n{calls}told(root)"


def chain(length: int) -> list[Node]:
    """Grow this many nodes in a row below a root: root --8--> a --7--> b --6--> ..."""
    game = TicTacToe()
    nodes = [Node(game, game.initial_state())]
    for action in range(8, 8 - length, -1):
        nodes.append(expand(nodes[-1], action, game))
    return nodes


def edges(nodes: list[Node]) -> list[tuple[float, float]]:
    """List N and W of each step, from the root down."""
    return [(above.N[below.parent_action], above.W[below.parent_action]) for above, below in pairwise(nodes)]


BY_HAND = """
    one step up: the parent sees the value with the other sign (2 points)
    root --8--> child (worth 0.5 to the player to move at child)
    >>> root, child = chain(1)
    >>> backup(child, 0.5)
    >>> root.N[8], root.W[8]
    1, -0.5

    three steps up: the sign changes at each (2 points)
    root --8--> a --7--> b --6--> leaf (worth 0.25 to the player to move at leaf)
    >>> nodes = root, a, b, leaf = chain(3)
    >>> backup(leaf, 0.25)
    >>> edges(nodes)
    [(1, -0.25), (1, 0.25), (1, -0.25)]

    several backups add up
    root --8--> a --7--> leaf
    >>> nodes = root, a, leaf = chain(2)
    >>> for value in [0.27, -0.46, 0.27]:
    ...     backup(leaf, value)
    >>> edges(nodes)
    [(3, 0.08), (3, -0.08)]
    ? What should a second visit do to N and W: replace them, or add to them?

    counts one visit per step, and none at the leaf itself
    root --8--> a --7--> leaf
    >>> root, a, leaf = chain(2)
    >>> backup(leaf, 1.0)
    >>> root.N.sum(), a.N.sum(), leaf.N.sum(), abs(leaf.W).sum()
    1, 1, 0, 0
    ? N[action] belongs to the node at which the action is taken. Which node is that for the last step?
"""

# fmt: off
WRONG = [
    Wrong("sign flip forgotten",
          "backup forgets to change the sign (or changes it twice): "
          "a value that is good for one player is added as good for the other",
          "A positive value is good for the player to move at the leaf. Is it good for the player one step higher?",
          ("value = -value", "pass")),
    Wrong("sign flipped too late",
          "the value is added before its sign changes, so each level gets the value for the wrong player",
          "The first W that you add the value to belongs to the leaf's parent. Who is to move there?",
          ("        value = -value\n", ""),
          ("node.W[action] += value", "node.W[action] += value\n        value = -value")),
    Wrong("sign flipped only once",
          "the sign changes once, at the leaf, and then stays, so every second level above is wrong",
          "Does the player to move change at the first step only?",
          ("    node = leaf\n", "    node, value = leaf, -value\n"), ("        value = -value\n", "")),
    Wrong("X's point of view",
          "the sign depends on whether X or O is to move instead of changing at each step: "
          "the leaf's value is taken for X's",
          "For whom is the value that backup gets: for X, or for the player to move at the leaf?",
          ("node.W[action] += value", "node.W[action] += value if node.state.to_play == 1 else -value"),
          ("        value = -value\n", "")),
    Wrong("running mean in W", "W holds the mean instead of the sum, and Q divides it by N once more",
          "Where should the division by N happen: in backup, or in the property Q?",
          ("node.W[action] += value", "node.W[action] += (value - node.W[action]) / node.N[action]")),
    Wrong("past the root", "the walk goes on past the root, which has no parent, so there is nothing left to update",
          "What is the root's parent, and when should your loop end?",
          ("while node.parent is not None", "while node is not None")),
    Wrong("statistics on the child, the root's too",
          "N and W are counted at the node that an action leads to, up to the root; but no action leads to the root, "
          "and its parent_action is -100",
          "N[a] of a node counts how often that node's action a was taken. Which node's N is that: "
          "the child's, or the parent's?", code="""
        def backup(leaf, value):
            node = leaf
            while node is not None:
                value = -value
                node.N[node.parent_action] += 1
                node.W[node.parent_action] += value
                node = node.parent
        """),
    Wrong("N not counted", "W gets the value, but no visit is counted: N stays 0, and so does Q",
          "What is W divided by to become Q?", ("        node.N[action] += 1\n", "")),
    Wrong("W not added to", "the visit is counted, but the value goes nowhere: W stays 0",
          "Where does the search remember how good an action was?",
          ("        node.W[action] += value\n", "")),
    Wrong("written into Q",
          "the value is added to Q, but Q is computed from W and N each time it is read, so nothing is kept",
          "Q is W / N. Which of the two keeps the values?", ("node.W[action]", "node.Q[action]")),
    Wrong("replaced, not added", "each visit overwrites W with its own value: only the last simulation counts",
          "What should a second visit do to W: replace it, or add to it?", ("node.W[action] +=", "node.W[action] =")),
    Wrong("every action counted", "a visit is counted for every action of a node, not only for the one that was taken",
          "Which entry of N belongs to the action that was taken?", ("node.N[action] += 1", "node.N += 1"),
          ("node.W[action] += value", "node.W += value")),
    Wrong("the leaf's action at each level",
          "each node counts the action that led to the leaf instead of the action that was taken at that node",
          "Which node stores the action that leads from its parent to itself?",
          ("action = node.parent_action", "action = leaf.parent_action")),
    Wrong("two levels at a time",
          "each step goes two levels up, so it skips every second node and may run past the root",
          "How many edges are there between a node and its parent?",
          ("        node = node.parent\n", "        node = node.parent.parent\n")),
    Wrong("one step only", "only the leaf's parent gets the visit and the value: the levels above it get nothing",
          "Which nodes did this simulation pass through?",
          ("while node.parent is not None:", "if node.parent is not None:")),
    Wrong("one step, whether there is one or not",
          "there is no loop: only the last move of the walk is counted, and a leaf without a parent has no such move",
          "Which nodes did this simulation pass through?", code="""
        def backup(leaf, value):
            leaf.parent.N[leaf.parent_action] += 1
            leaf.parent.W[leaf.parent_action] -= value
        """),
    Wrong("the root left out", "the walk ends one step below the root, so the root's N and W never change",
          "Which node's N does the search return in the end?",
          ("while node.parent is not None", "while node.parent.parent is not None")),
    Wrong("nine steps at most",
          "the walk up ends after nine steps, which is enough for tic-tac-toe but too few for a longer game",
          "A tree of Connect Four can be 42 moves deep. Which kind of loop needs no fixed number of steps?",
          ("while node.parent is not None:", "for _ in range(9):\n        if node.parent is None:\n            break")),
    Wrong("action read too late",
          "the action is read after stepping up, so it is the action that led to the parent "
          "instead of the one taken there",
          "Which node stores the action that leads from its parent to itself?",
          ("        action = node.parent_action\n        node = node.parent\n",
           "        node = node.parent\n        action = node.parent_action\n")),
    Wrong("action read too late, past the root",
          "the action is read after stepping up, so it is -100 at the root, where no action leads; "
          "and the loop does not end at the root",
          "Which node stores the action that leads from its parent to itself, and which node has no parent?",
          ("while node.parent is not None", "while node is not None"),
          ("        action = node.parent_action\n        node = node.parent\n",
           "        node = node.parent\n        action = node.parent_action\n")),
    Wrong("statistics on the child",
          "N and W are counted at the node that an action leads to instead of the node where it is taken: the leaf "
          "changes, and the root does not",
          "N[a] of a node counts how often that node's action a was taken. "
          "Which node is that: the child, or its parent?", code="""
        def backup(leaf, value):
            node = leaf
            while node.parent is not None:
                value = -value
                node.N[node.parent_action] += 1
                node.W[node.parent_action] += value
                node = node.parent
        """),
    Wrong("statistics on the child, the sign too late",
          "N and W are counted at the node that an action leads to instead of the node where it is taken; and the "
          "value is added before its sign changes",
          "N[a] of a node counts how often that node's action a was taken. "
          "Which node is that, and who is to move there?", code="""
        def backup(leaf, value):
            node = leaf
            while node.parent is not None:
                node.N[node.parent_action] += 1
                node.W[node.parent_action] += value
                value = -value
                node = node.parent
        """),
    Wrong("a draw not counted", "a value of 0 is skipped, but the visit has to be counted after a draw, too",
          "How should N and Q change after a simulation that ended in a draw?",
          ("    node = leaf\n", "    node = leaf\n    if not value:\n        return\n")),
    Wrong("a drawn game not counted", "a drawn game counts no visit, so simulations that end there leave no trace",
          "How should N and Q change after a simulation that ended in a draw?",
          ("    node = leaf\n", "    node = leaf\n    if leaf.is_terminal and value == 0:\n        return\n")),
]
# fmt: on


def right_by_the_player(leaf, value):
    player = leaf.state.to_play
    node = leaf
    while node.parent is not None:
        node, action = node.parent, node.parent_action
        node.N[action] += 1
        node.W[action] += value if node.state.to_play == player else -value


def right_recursively(leaf, value):
    parent, action = leaf.parent, leaf.parent_action
    if parent is None:
        return
    parent.N[action] += 1
    parent.W[action] -= value
    right_recursively(parent, -value)


CHECK = Scenes(
    draws=st.tuples(TREES, st.lists(BACKUPS, min_size=1, max_size=4)),
    edges=[(("ConnectN(12, 1, 12)", 0, 12, 1), [(-1, 0.0), (-1, 0.5)])],
    examples=20,
    board=lambda draw: picture(draw[0]),
    returns=nothing,
    changes={"leaf"},
    question=FLIP,
)
