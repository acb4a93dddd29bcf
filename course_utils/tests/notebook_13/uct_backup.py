"""Check uct_backup: a result goes up from the leaf, and its sign flips at each step."""

from hypothesis import strategies as st

from course_utils.games import ConnectFour
from course_utils.tests.catalogue import Wrong
from course_utils.tests.notebook_13.uct_trees import line
from course_utils.tests.returns import nothing
from course_utils.tests.scene import Scenes

FLIP = "Who moved into the leaf? What is a win for the player to move there worth to that player?"
WON, DRAWN = "[0, 3, 1, 4, 2]", "[0, 1, 2, 4, 3, 5, 7, 6, 8]"  # finished games
LINES = ("[4]", "[0, 3, 1, 4]", WON, DRAWN, "[0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1], ConnectFour()")
BACKUPS = st.lists(st.tuples(st.integers(0, 9), st.sampled_from([1.0, -1.0, 0.0, 0.5, -0.25])), min_size=1, max_size=3)


def scene(draw) -> str:
    """Back up results from nodes of the line; some draws make a move and keep the tree below it."""
    moves, kept, backups = draw
    calls = [f"uct_backup(nodes[-{1 + up % (2 + moves.count(', '))}], {value})" for up, value in backups]
    root = ["nodes[1].parent = None"] * kept
    return "\n".join(
        [f"nodes = line({moves})", calls[0], *root, *calls[1:], "[(node.N, node.W, node.W2) for node in nodes]"]
    )


BY_HAND = """
    a leaf below the root: a win for the player to move there is a loss for the player who moved there (2 points)
    root --4--> leaf
    >>> root, leaf = line([4])
    >>> uct_backup(leaf, 1.0)
    >>> root.W, leaf.W
    1, -1
    ? Who moved into the leaf? What is a win for the player to move there worth to that player?

    three steps: the sign changes at each (2 points)
    root --4--> a --0--> b --8--> leaf
    >>> nodes = root, a, b, leaf = line([4, 0, 8])
    >>> uct_backup(leaf, -1.0)
    >>> [node.W for node in nodes]
    [-1, 1, -1, 1]
    ? Who moved into the leaf? What is a win for the player to move there worth to that player?

    every node on the way counts one visit, including the leaf and the root
    root --4--> a --0--> b --8--> leaf
    >>> nodes = root, a, b, leaf = line([4, 0, 8])
    >>> uct_backup(leaf, 1.0)
    >>> [node.N for node in nodes]
    [1, 1, 1, 1]
    ? Which nodes did this simulation pass through? What would ln N_parent be if the root did not count?

    several backups add up (2 points)
    root --4--> a --0--> leaf
    >>> nodes = root, a, leaf = line([4, 0])
    >>> for value in [1.0, -1.0, -1.0, 0.0]:
    ...     uct_backup(leaf, value)
    >>> [(node.N, node.W) for node in nodes]
    [(4, 1), (4, -1), (4, 1)]
    ? Should a second visit replace the numbers, or add to them?

    the squares add up, too
    root --4--> a --0--> leaf
    >>> nodes = root, a, leaf = line([4, 0])
    >>> for value in [1.0, -0.5, 0.5, 0.0]:
    ...     uct_backup(leaf, value)
    >>> [node.W2 for node in nodes]
    [1.5, 1.5, 1.5]
    ? What is the square of a loss?
"""

FLIP_LINE = "        value = -value\n"
# fmt: off
WRONG = [
    Wrong("leaf's value read from the wrong side",
          "the sign changes after the first addition instead of before: each W belongs to the player to move, but "
          "selection reads it as the other one's. With this slip a search with 500 simulations loses nearly "
          "every game against random moves",
          "The value belongs to the player to move at the leaf. Whose W does it go into first?",
          (FLIP_LINE, ""), ("        node = node.parent", "        value = -value\n        node = node.parent")),
    Wrong("sign flip forgotten",
          "the sign never changes: a value that is good for one player is added as good for the other",
          "The result is for the player to move at the leaf. For which player is W one step higher?", (FLIP_LINE, "")),
    Wrong("sign flipped once", "the sign changes once, at the leaf, and then stays the same all the way up",
          "At each step up, the other player chose the move. What does that do to the sign?",
          ("    node = leaf\n", "    node = leaf\n    value = -value\n"), (FLIP_LINE, "")),
    Wrong("root left out",
          "the loop ends below the root, so the root's N stays 0, and the score takes the logarithm of 0",
          "Which node's N is under the logarithm when the root's children are compared?",
          ("while node is not None:", "while node.parent is not None:")),
    Wrong("W replaced", "the last result replaces the sum",
          "Where are the results of the earlier simulations kept?", ("node.W += value", "node.W = value")),
    Wrong("the square of the sum", "W2 is the square of the sum of the results instead of the sum of their squares",
          "What are W and the sum of the squares after a win and a loss?",
          ("node.W2 += value**2", "node.W2 = node.W**2")),
    Wrong("squares not squared", "W2 gets the result itself instead of its square",
          "What is the square of a loss?", ("value**2", "value")),
    Wrong("value returned", "the value is returned, although the tree already holds it",
          "What does the docstring say to return?",
          ("        node = node.parent", "        node = node.parent\n    return value")),
]
# fmt: on


def right_backup_by_recursion(leaf, value):
    leaf.N += 1
    leaf.W -= value
    leaf.W2 += value * value
    if leaf.parent is not None:
        right_backup_by_recursion(leaf.parent, -value)


def right_backup_from_the_root(leaf, value):
    way = []
    while leaf:
        way.insert(0, leaf)
        leaf = leaf.parent
    sign = -1 if len(way) % 2 else 1
    for node in way:
        node.N, node.W, node.W2 = node.N + 1, node.W + sign * value, node.W2 + value**2
        sign = -sign


CHECK = Scenes(
    draws=st.tuples(st.sampled_from(LINES), st.booleans(), BACKUPS),
    returns=nothing,
    changes={"leaf"},
    edges=[(moves, True, [(0, 1.0), (0, -0.5)]) for moves in LINES[2:]],
    question=FLIP,
)
