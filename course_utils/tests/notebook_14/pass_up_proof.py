"""pass_up_proof: the way up for what is proven. It closes lost moves, marks what is proven, and ends where nothing more is."""

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
LOST = "To whom is a child's value of +1 good news: to the player who chooses the move, or to the opponent?"
FAR = "What has just been proven may prove something one step higher. When is there nothing more to prove?"


def paths_of(tree, path=()) -> list[tuple]:
    """The ways to all ends of a tree of lists."""
    if not isinstance(tree, list):
        return [path]
    return [one for action, below in enumerate(tree) for one in paths_of(below, (*path, action))]


def scene(draw) -> str:
    """All ends of a tree, or all but some, one after the other."""
    tree, left_out, first = draw
    paths = [path for i, path in enumerate(paths_of(tree)) if i not in left_out] or [(0,)]
    return f"""game = TreeGame({tree}, first={first})
root = tree_of(game, *{[list(path) for path in paths]})
for leaf in finished(root, game):
    pass_up_proof(leaf)
marks(root, game)"""


BY_HAND = f"""
    the root's only move so far wins: the root is proven (2 points)
    >>> game = TreeGame([1, 0])  # X to move wins with 0, and draws with 1
    >>> root = tree_of(game, [0])
    >>> pass_up_proof(at(root, [0]))
    >>> root.is_terminal, root.terminal_value
    (True, 1)
    ? What do the children prove now, and what has to be marked?

    a move that loses is closed, and proves nothing alone (2 points)
    >>> game = TreeGame([[-1, -1], 0])  # after 0 it is O's move, and O wins with 0
    >>> root = tree_of(game, [0, 0])
    >>> pass_up_proof(at(root, [0, 0]))
    >>> root.children[0].is_terminal, root.children[0].terminal_value, root.legal, root.is_terminal
    (True, 1, [False, True], False)
    ? {LOST}

    then the other move draws: so does the root
    >>> game = TreeGame([[-1, -1], 0])
    >>> root = tree_of(game, [0, 0])
    >>> pass_up_proof(at(root, [0, 0]))
    >>> root = tree_of(game, [0, 0], [1])
    >>> for leaf in finished(root, game):
    ...     pass_up_proof(leaf)
    >>> root.is_terminal, root.terminal_value, root.legal
    (True, 0, [False, True])
    ? {FAR}

    a drawn move stays open, and so does a root that another move may win
    >>> game = TreeGame([0, 1])
    >>> root = tree_of(game, [0])
    >>> pass_up_proof(at(root, [0]))
    >>> root.legal, root.is_terminal
    ([True, True], False)
    ? Which moves will a player never choose, whatever the others are worth?

    up three steps at once (2 points)
    >>> game = TreeGame([[[[-1]]]])  # one move each: X, O, X, and then O has won
    >>> root = tree_of(game, [0, 0, 0, 0])
    >>> pass_up_proof(at(root, [0, 0, 0, 0]))
    >>> marks(root, game)
    ({{(): -1, (0,): 1, (0, 0): -1, (0, 0, 0): 1, (0, 0, 0, 0): -1}}, {{(): [0], (0, 0): [0]}})
    ? {FAR}

    the visits are left alone
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
    Wrong("one step only", "the proof is carried up one step, and never further",
          FAR, (MARK, MARK + "\n        return")),
    Wrong("lost moves stay open", "a move that is proven lost stays open: later walks still go there",
          "How will a later walk know that this move is lost?", (CLOSE, "")),
    Wrong("winning moves closed", "the moves that win are closed, and those that lose stay open",
          LOST, ("node.terminal_value == 1", "node.terminal_value == -1")),
    Wrong("drawn moves closed, too", "moves that draw are closed, although a draw may be the best there is",
          "Which moves will a player never choose, whatever the others are worth?", ("node.terminal_value == 1", "node.terminal_value >= 0")),
    Wrong("every proven move closed", "every proven move is closed, even one that wins",
          "Which moves will a player never choose, whatever the others are worth?", ("        if won_by_opponent:\n    ", "")),
    Wrong("closed only below an open node", "a lost move is closed only where its parent is not proven by it",
          "Is the last move that loses any better than the ones before?",
          (CLOSE + "        value = proven_by_children(node)\n        if value is None:\n            return\n", "        value = proven_by_children(node)\n        if value is None:\n            if won_by_opponent:\n                node.legal[action] = False\n            return\n")),
    Wrong("closed one level too low", "the entry is closed at the child, not at the parent, where the move is chosen",
          "At which node does a walk choose this move?", ("        node = node.parent\n" + CLOSE, "        if won_by_opponent:\n            node.legal[action] = False\n        node = node.parent\n")),
    Wrong("value not marked", "the parent is marked as proven, but not with what it is worth: it counts as a draw",
          "A proven node has two marks. What does each of them say?", (MARK, "        node.is_terminal = True")),
    Wrong("not marked as proven", "the parent's value is written, but not that it is proven: no walk will stop there",
          "A proven node has two marks. What does each of them say?", (MARK, "        node.terminal_value = value")),
    Wrong("a draw counts as not proven", "0, which says that a draw is proven, is taken for None, and the proof goes no further",
          "What comes back for a draw, what where nothing is proven, and can `not` tell the two apart?", ("if value is None:", "if not value:")),
    Wrong("sign changed once more", "the value is flipped once more, although it is the parent's already",
          "For which player is the value that `proven_by_children` gives?", (MARK, "        node.is_terminal, node.terminal_value = True, -value")),
    Wrong("begins at the leaf", "the children of the leaf are asked, and it has none: what the leaf proves is known, and the question is what it proves of its parent",
          "The leaf is proven already. Which node comes first?",
          ("    node = leaf\n", "    node = leaf\n    value = proven_by_children(node)\n    if value is None:\n        return\n    node.is_terminal, node.terminal_value = True, value\n")),
    Wrong("the leaf's value", "the value of the leaf is passed up with changing signs, as in backup, instead of what all children prove",
          "Does the last move that was proven decide, or the best?", (MARK, "        node.is_terminal, node.terminal_value = True, -at_child"), ("        node = node.parent\n", "        at_child = node.terminal_value\n        node = node.parent\n")),
    Wrong("the root is left out", "the root is never marked, so a search that waits for it never ends",
          "When is the search over?", ("while node.parent is not None", "while node.parent is not None and node.parent.parent is not None")),
    Wrong("the root takes all marks", "nothing between the leaf and the root is marked",
          "Which nodes should later walks stop at?", (MARK, "        if node.parent is None:\n    " + MARK)),
    Wrong("the lost child is removed", "the node behind a lost move is thrown away, and with it the proof",
          "What will `proven_by_children` look at next time?", ("            node.legal[action] = False", "            node.legal[action] = False\n            del node.children[action]")),
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
    question="Follow the proof with a finger, from the leaf upwards: what is proven at each step, and where does it end?",
)
