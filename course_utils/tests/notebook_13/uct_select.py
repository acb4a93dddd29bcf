"""uct_select: down to the child with the highest score, while everything has been tried."""

from hypothesis import strategies as st

from course_utils.games import ConnectFour, TicTacToe, after
from course_utils.search.uct import UctNode
from course_utils.tests.catalogue import Wrong
from course_utils.tests.notebook_13.trees import a_node, line, path, tree
from course_utils.tests.returns import number
from course_utils.tests.scene import Scenes

SCORES = ("child.W - child.parent_action / 100", "child.parent_action / 100 - child.N", "child.Q - child.parent_action / 100",
          "len(child.children) + child.parent_action / 100", "child.W - child.parent.N - child.parent_action / 100")  # fmt: skip
NUMBERS = st.tuples(st.integers(-9, 9).map(lambda halves: halves / 2), st.integers(0, 40))  # W and N
LEAVES = st.lists(NUMBERS, min_size=1, max_size=3)
BRANCHES = st.lists(
    st.one_of(NUMBERS, st.builds(lambda node, below: (*node, below), NUMBERS, LEAVES)), min_size=1, max_size=3
)
TREES = st.lists(st.builds(lambda node, below: (*node, below), NUMBERS, BRANCHES), min_size=1, max_size=3)


def written(nodes: list[tuple], cells=(7, 1, 4, 8, 2)) -> dict:
    """The tree as `tree` takes it."""
    found = {}
    for cell, (W, N, *below) in zip(cells, nodes, strict=False):
        others = [other for other in cells if other != cell]
        found[cell] = (W, N, *[written(nodes, others) for nodes in below])
    return found


def scene(draw) -> str:
    """A walk down the tree; perhaps a child of the root still has an untried action."""
    nodes, score, half_tried = draw
    lines = [f"root = tree({written(nodes)})"]
    if half_tried is not None:
        lines.append(f"root.children[{list(written(nodes))[half_tried % len(nodes)]}].untried = [0]")
    return "\n".join([*lines, f"path(uct_select(root, lambda child: {score}))"])


BY_HAND = """
    a root with untried actions is where the walk ends
    >>> game = TicTacToe()
    >>> path(uct_select(UctNode(game, game.initial_state()), score=lambda child: child.W))
    []
    ? What does the search want to do at a node where not everything was tried yet?

    one step, to the child with the highest score
    >>> root = tree({0: (1.5, 9), 3: (4.0, 9), 4: (-2.0, 9), 8: (3.5, 9)})  # W and N of each child
    >>> path(uct_select(root, score=lambda child: child.W))
    [3]
    ? Which child does the player at the root want?

    down to the bottom, at each step the highest score (2 points)
    root -> 0 and 4; below 0: 1 and 2; below 4: 1, 3 and 7
    >>> root = tree({0: (2.0, 9, {1: (9.0, 9), 2: (0.0, 9)}), 4: (3.0, 9, {1: (-3.0, 9), 3: (0.5, 9), 7: (2.5, 9)})})
    >>> path(uct_select(root, score=lambda child: child.W))
    [4, 7]
    ? W of each child belongs to the player who chooses it. So what does the other player want: a high score, or a low one?

    scores may be negative
    >>> root = tree({0: (-0.9, 9, {1: (9.0, 9), 2: (8.0, 9)}), 1: (-0.2, 9, {0: (-3.0, 9), 2: (-2.5, 9)})})
    >>> path(uct_select(root, score=lambda child: child.W))
    [1, 2]
    ? Does your comparison begin with 0?

    the same tree, after a simulation has changed its numbers
    >>> root = tree({0: (1.5, 9), 3: (4.0, 9), 4: (-2.0, 9)})
    >>> score = lambda child: child.W
    >>> first = path(uct_select(root, score))
    >>> root.children[3].W = 1.0
    >>> first, path(uct_select(root, score))
    ([3], [0])
    ? After each simulation the tree has other numbers. Does each walk look at them anew?

    stops where one action is still untried, though there are children
    >>> root = tree({0: (2.0, 9), 4: (3.0, 9, {1: (-3.0, 9), 7: (2.5, 9)})})
    >>> root.children[4].untried = [3]
    >>> path(uct_select(root, score=lambda child: child.W))
    [4]
    ? May the search go past a node at which it has not tried everything?

    stops at a finished game: X wins with 2
    >>> nodes = line([0, 3, 1, 4, 2])
    >>> for node in nodes:
    ...     node.untried = []
    >>> path(uct_select(nodes[0], score=lambda child: child.W))
    [0, 3, 1, 4, 2]
    ? Which children does a finished game have?

    down a long line of moves
    >>> nodes = line([0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1], ConnectFour())
    >>> for node in nodes[:-1]:
    ...     node.untried = []
    >>> len(path(uct_select(nodes[0], score=lambda child: child.W)))
    12
    ? How deep may a tree be? Does your loop know?
"""

STEP = "node = max(node.children.values(), key=score)"
WHILE = "while not node.untried and not node.is_terminal:"
# fmt: off
WRONG = [
    Wrong("one step only", "the walk ends after one step: the tree never gets deeper than that",
          "Where does the next simulation continue, once all the children of the root are known?", (WHILE, "if not node.untried and not node.is_terminal:")),
    Wrong("actions compared", "the score is asked of the actions, which are the keys of `children`, not of the nodes",
          "What does a loop over a dictionary give: its keys, or its values?", (STEP, "node = node.children[max(node.children, key=score)]")),
    Wrong("lowest score", "the child with the lowest score is taken",
          "What does a high score say about a child?", (STEP, "node = min(node.children.values(), key=score)")),
    Wrong("opponent takes the lowest", "the second player takes the lowest score: but a child's W belongs to whoever chooses it already",
          "For whom does W of a child sum up the results, at the second level?",
          (STEP, "node = (max if level % 2 == 0 else min)(node.children.values(), key=score)\n        level += 1"), ("    node = root\n", "    node = root\n    level = 0\n")),
    Wrong("untried actions passed by", "the walk goes on wherever there are children, and passes by what was not tried yet",
          "When has the search the right to compare children?", (WHILE, "while node.children:")),
    Wrong("finished games forgotten", "the walk wants to go on from a finished game, which has no children",
          "What comes after the end of the game?", (WHILE, "while not node.untried:")),
    Wrong("the first walk kept", "the node that was found first is kept, and comes back however much the tree has grown since",
          "What has changed in the tree when uct_select is called again?",
          ("def uct_select", "import functools\n\n@functools.lru_cache(maxsize=None)\ndef uct_select")),
    Wrong("by the mean", "the child with the best mean is taken, whatever its score: nothing is ever explored",
          "Which function did the caller hand you, and what is it for?", (STEP, "node = max(node.children.values(), key=lambda child: child.Q)")),
    Wrong("compared with zero", "the best score so far begins with 0, so negative scores never win",
          "What is the highest of -3 and -2.5?",
          (STEP, "best, best_score = None, 0.0\n        for child in node.children.values():\n            if score(child) > best_score:\n                best, best_score = child, score(child)\n        node = best")),
]
# fmt: on


def right_select_by_recursion(root, score):
    if root.untried or root.is_terminal:
        return root
    return right_select_by_recursion(sorted(root.children.values(), key=score)[-1], score)


def right_select_by_loop(root, score):
    node = root
    while len(node.untried) == 0:
        best, best_score = None, -float("inf")
        for child in node.children.values():
            value = score(child)
            if best is None or value > best_score:
                best, best_score = child, value
        if best is None:
            break
        node = best
    return node


CHECK = Scenes(
    draws=st.tuples(TREES, st.sampled_from(SCORES), st.sampled_from([None, None, 0, 1, 2])),
    returns=a_node,
    fresh=False,
    question="Which child does the player at a node want, and when is there nothing left to choose?",
)
