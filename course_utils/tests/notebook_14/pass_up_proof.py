"""Check pass_up_proof: the proof goes up, closes lost moves, marks proven nodes, and stops where nothing is proven."""

from hypothesis import strategies as st

from course_utils.search.proven import proven_by_children
from course_utils.tests.catalogue import Wrong
from course_utils.tests.notebook_14.proof_trees import at, finished, marks, tree_of
from course_utils.tests.returns import nothing
from course_utils.tests.scene import Scenes
from course_utils.tests.world.games import TreeGame

ENDS = st.sampled_from([1, 0, -1])  # who has won there
BELOW = st.one_of(ENDS, st.lists(ENDS, min_size=1, max_size=3))
TREES = st.lists(st.one_of(BELOW, st.lists(BELOW, min_size=1, max_size=3)), min_size=1, max_size=3)
LOST = "A child's value of +1 is a win for one player. Is it the player who chooses the move, or the opponent?"
FAR = "A proven node may prove its parent as well. When is there nothing more to prove?"


def paths_of(tree, path=()) -> list[tuple]:
    """List the paths to all ends of a tree of lists."""
    if not isinstance(tree, list):
        return [path]
    return [end for action, below in enumerate(tree) for end in paths_of(below, (*path, action))]


def scene(draw) -> str:
    """Pass up all ends of a tree, or all but some, one after the other."""
    tree, left_out, first = draw
    paths = [path for i, path in enumerate(paths_of(tree)) if i not in left_out] or [(0,)]
    return f"""game = TreeGame({tree}, first={first})
root = tree_of(game, *{[list(path) for path in paths]})
for leaf in finished(root, game):
    pass_up_proof(leaf)
marks(root, game)"""


BY_HAND = f"""
    the root's only move so far wins, so the root is proven (2 points)
    >>> game = TreeGame([1, 0])  # X to move wins with 0, and draws with 1
    >>> root = tree_of(game, [0])
    >>> pass_up_proof(at(root, [0]))
    >>> root.is_terminal, root.terminal_value
    (True, 1)
    ? What do the children prove now, and which fields of the root must be set?

    a move that loses is closed, but does not prove the root alone (2 points)
    >>> game = TreeGame([[-1, -1], 0])  # after 0 it is O's move, and O wins with 0
    >>> root = tree_of(game, [0, 0])
    >>> pass_up_proof(at(root, [0, 0]))
    >>> root.children[0].is_terminal, root.children[0].terminal_value, root.legal, root.is_terminal
    (True, 1, [False, True], False)
    ? {LOST}

    when the other move draws as well, the root is a draw
    >>> game = TreeGame([[-1, -1], 0])
    >>> root = tree_of(game, [0, 0])
    >>> pass_up_proof(at(root, [0, 0]))
    >>> root = tree_of(game, [0, 0], [1])
    >>> for leaf in finished(root, game):
    ...     pass_up_proof(leaf)
    >>> root.is_terminal, root.terminal_value, root.legal
    (True, 0, [False, True])
    ? {FAR}

    a drawn move stays open, and the root is not proven while another move may win
    >>> game = TreeGame([0, 1])
    >>> root = tree_of(game, [0])
    >>> pass_up_proof(at(root, [0]))
    >>> root.legal, root.is_terminal
    ([True, True], False)
    ? Which proven moves will a player never choose, whatever the others are worth?

    a proof goes up three steps at once (2 points)
    >>> game = TreeGame([[[[-1]]]])  # one move each: X, O, X, and then O has won
    >>> root = tree_of(game, [0, 0, 0, 0])
    >>> pass_up_proof(at(root, [0, 0, 0, 0]))
    >>> marks(root, game)
    ({{(): -1, (0,): 1, (0, 0): -1, (0, 0, 0): 1, (0, 0, 0, 0): -1}}, {{(): [0], (0, 0): [0]}})
    ? {FAR}

    the visits do not change
    >>> game = TreeGame([1, 0])
    >>> root = tree_of(game, [0])
    >>> pass_up_proof(at(root, [0]))
    >>> root.N, root.W
    ([0, 0], [0, 0])
    ? Which function counts visits?
"""

CLOSE = "        if won_by_opponent:\n            node.legal[action] = False\n"
MARK = "        node.is_terminal, node.terminal_value = True, value"
# fmt: off
WRONG = [
    Wrong("one step only", "the proof goes up one step and never further",
          FAR, (MARK, MARK + "\n        return")),
    Wrong("lost moves stay open", "a move that is proven lost stays open, so later walks still go there",
          "How will a later walk know that this move is lost?", (CLOSE, "")),
    Wrong("winning moves closed", "the moves that win are closed, and the moves that lose stay open",
          LOST, ("node.terminal_value == 1", "node.terminal_value == -1")),
    Wrong("drawn moves closed, too", "moves that draw are closed, although a draw may be the best there is",
          "Which proven moves will a player never choose, whatever the others are worth?",
          ("node.terminal_value == 1", "node.terminal_value >= 0")),
    Wrong("every proven move closed", "every proven move is closed, even one that wins",
          "Which proven moves will a player never choose, whatever the others are worth?",
          ("        if won_by_opponent:\n    ", "")),
    Wrong("closed only below an open node", "a lost move is closed only where its parent is not proven by it",
          "Should the last losing move be treated differently from the earlier ones?",
          (CLOSE + "        value = proven_by_children(node)\n        if value is None:\n            return\n",
           "        value = proven_by_children(node)\n        if value is None:\n            if won_by_opponent:\n"
           "                node.legal[action] = False\n            return\n")),
    Wrong("closed one level too low",
          "the entry is closed at the child instead of the parent, where the move is chosen",
          "At which node does a walk choose this move?",
          ("        node = node.parent\n" + CLOSE,
           "        if won_by_opponent:\n            node.legal[action] = False\n        node = node.parent\n")),
    Wrong("value not marked", "the parent is marked as proven, but its value is not set, so it counts as a draw",
          "Which two fields of a proven node have to be set?", (MARK, "        node.is_terminal = True")),
    Wrong("not marked as proven",
          "the parent's value is set, but the node is not marked as proven, so no walk will stop there",
          "Which two fields of a proven node have to be set?", (MARK, "        node.terminal_value = value")),
    Wrong("a draw counts as not proven",
          "0, which means a proven draw, is taken for None, so the proof goes no further",
          "What is returned for a draw and where nothing is proven, and can `not` tell the two apart?",
          ("if value is None:", "if not value:")),
    Wrong("sign changed once more",
          "the sign of the value is changed again, although the value is already the parent's",
          "For which player is the value that `proven_by_children` returns?",
          (MARK, "        node.is_terminal, node.terminal_value = True, -value")),
    Wrong("begins at the leaf",
          "the first step looks at the children of the leaf, which has none: the leaf is already proven, "
          "and its parent comes first",
          "The leaf is already proven. Which node should be checked first?",
          ("    node = leaf\n",
           "    node = leaf\n    value = proven_by_children(node)\n    if value is None:\n        return\n"
           "    node.is_terminal, node.terminal_value = True, value\n")),
    Wrong("the leaf's value",
          "the leaf's value is passed up with changing signs, as in backup, "
          "instead of the value that all children prove",
          "Which move decides a node's value: the one that was proven last, or the best one?",
          (MARK, "        node.is_terminal, node.terminal_value = True, -at_child"),
          ("        node = node.parent\n", "        at_child = node.terminal_value\n        node = node.parent\n")),
    Wrong("the root is left out", "the root is never marked, so a search that stops at a proven root goes on",
          "Which node has to be proven for the search to end?",
          ("while node.parent is not None", "while node.parent is not None and node.parent.parent is not None")),
    Wrong("the root takes all marks", "nothing between the leaf and the root is marked",
          "At which nodes should later walks stop?", (MARK, "        if node.parent is None:\n    " + MARK)),
    Wrong("the lost child is removed", "the node of a lost move is deleted, and the proof with it",
          "Which nodes will `proven_by_children` read next time?",
          ("            node.legal[action] = False",
           "            node.legal[action] = False\n            del node.children[action]")),
]
# fmt: on


def right_recursively(leaf):
    above = leaf.parent
    if above is None:
        return
    if leaf.terminal_value > 0:
        above.legal[leaf.parent_action] = False
    value = proven_by_children(above)
    if value is not None:
        above.is_terminal = True
        above.terminal_value = float(value)
        right_recursively(above)


def right_with_two_variables(leaf):
    child, parent = leaf, leaf.parent
    while parent:
        parent.legal[child.parent_action] = parent.legal[child.parent_action] and child.terminal_value != 1
        proven = proven_by_children(parent)
        if proven is None:
            break
        parent.terminal_value, parent.is_terminal = proven, True
        child, parent = parent, parent.parent


def right_until_nothing_changes(leaf):
    node = leaf
    while node.is_terminal and node.parent is not None:
        if node.terminal_value == 1.0:
            node.parent.legal[node.parent_action] = False
        node = node.parent
        worth = proven_by_children(node)
        if worth is not None:
            node.is_terminal, node.terminal_value = True, worth


CHECK = Scenes(
    draws=st.tuples(TREES, st.sets(st.integers(0, 8), max_size=3), st.sampled_from([1, -1])),
    edges=[([[[[[[[[[[[[-1]]]]]]]]]]]], set(), 1)],  # a proof of twelve steps
    examples=40,
    returns=nothing,
    changes={"leaf"},
    question="Follow the proof with a finger, from the leaf upwards: what is proven at each step, "
    "and where does the proof end?",
)
