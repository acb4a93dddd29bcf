"""Check batched_backup: every value goes up to its root, and its sign flips at each step."""

import copy

import numpy as np
from hypothesis import strategies as st

from course_utils.games import ConnectFour, ConnectN, TicTacToe
from course_utils.search.batched import NO_PARENT, ROOT
from course_utils.tests.catalogue import Wrong
from course_utils.tests.notebook_31 import batched_trees
from course_utils.tests.notebook_31.batched_trees import grow, planted, searched, written
from course_utils.tests.returns import nothing
from course_utils.tests.scene import Scenes
from course_utils.tests.world.games import Touching
from course_utils.tests.world.networks import ConstantNetwork, HashNetwork

VALUES = st.one_of(st.sampled_from([0.5, 0.0, -1.0, 1.0]), st.integers(-16, 16).map(lambda sixteenths: sixteenths / 16))


def scene(draw) -> str:
    """Back up from each tree's last node, or from one further up."""
    forest, values = draw
    games = len(forest[1])
    values = [values[b % len(values)] for b in range(games)]
    ups = [int(16 * abs(value)) % 3 for value in values]
    return (
        f"{batched_trees.grown(forest)}\nbefore, leaves = copy.deepcopy(tree), last_nodes(tree, {ups})\n"
        f"batched_backup(tree, leaves, np.array({values}))\nwritten(before, tree)"
    )


def last_nodes(tree, ups: list[int]) -> np.ndarray:
    """Choose the last connected node of each tree, or an earlier one."""
    nodes = [[ROOT, *np.flatnonzero(parents != NO_PARENT)] for parents in tree.parent]
    return np.array([some[max(0, len(some) - 1 - up)] for some, up in zip(nodes, ups, strict=True)])


BY_HAND = """
    one step up: the value changes its sign
    >>> tree = planted([])
    >>> tree.children[0, 0, 4], tree.parent[0, 1], tree.parent_action[0, 1] = 1, 0, 4  # root --4--> node 1
    >>> batched_backup(tree, np.array([1]), np.array([0.5]))
    >>> tree.N[0, 0, 4], tree.W[0, 0, 4]
    1, -0.5
    ? The leaf is worth 0.5 to the player to move there.
    ? What is it worth to the player who chose the action that leads there?

    three steps up, added to the earlier numbers (2 points)
    >>> tree = planted([])
    >>> grow(tree, [0])
    >>> grow(tree, [0, 4])
    >>> grow(tree, [0, 4, 8])  # root --0--> node 1 --4--> node 2 --8--> node 3
    >>> batched_backup(tree, np.array([3]), np.array([-0.4]))
    >>> tree.N[0, [0, 1, 2], [0, 4, 8]], tree.W[0, [0, 1, 2], [0, 4, 8]]
    [4, 3, 2], [0.4, -0.4, 0.4]
    ? The sign changes at each step. Whose turn is it at each of the nodes on the way?

    three games whose leaves are one, three and two steps deep (2 points)
    >>> tree = planted([], [], [])
    >>> grow(tree, [4], [0], [4])
    >>> grow(tree, [], [0, 4], [4, 2])
    >>> grow(tree, [], [0, 4, 8], [])
    >>> before = copy.deepcopy(tree)
    >>> batched_backup(tree, np.array([1, 3, 2]), np.array([0.3, -0.6, 0.9]))
    >>> np.argwhere(tree.N > before.N).tolist(), (tree.W - before.W)[tree.N > before.N]
    [[0, 0, 4], [1, 0, 0], [1, 1, 4], [1, 2, 8], [2, 0, 4], [2, 1, 2]], [-0.3, 0.6, -0.6, 0.6, 0.9, -0.9]
    ? A game that has reached its root is done. Do the others go on, each with its own number, nodes and value?

    a leaf that is the root changes nothing (2 points)
    >>> tree = planted([0, 3, 1, 4, 2], [], [0, 3, 1, 4, 2])  # games 0 and 2 are over
    >>> grow(tree, [], [4], [])
    >>> batched_backup(tree, np.array([0, 1, 0]), np.array([-1.0, 0.5, -1.0]))
    >>> tree.N.sum(axis=(1, 2)), tree.W.sum(axis=(1, 2))
    [0, 2, 0], [0, -0.5, 0]
    ? No action led to the root. In which games is there a step up?

    a lost finished game counts as a win one step up, and a draw counts a visit, too
    >>> tree = planted([0, 4, 8, 2, 6, 3], [4, 0, 2, 6, 3, 5, 1, 7])
    >>> grow(tree, [7], [8])  # 7 wins game 0, 8 ends game 1 in a draw
    >>> batched_backup(tree, np.array([1, 1]), np.array([-1.0, 0.0]))
    >>> tree.N[[0, 1], 0, [7, 8]], tree.W[[0, 1], 0, [7, 8]]
    [2, 2], [1, 0]
    ? A value of 0 adds nothing to W. What does it add to N?
"""

FLIP = "        values = -values\n"
# fmt: off
WRONG = [
    Wrong("the root left out", "each walk ends one step below the root, so the root's N and W never change",
          "Which node's N does the search return in the end?",
          ("        tree.N[games",
           "        climbing = parents != ROOT\n        games, parents, actions, values = games[climbing], "
           "parents[climbing], actions[climbing], values[climbing]\n        tree.N[games"),
          ("        climbing = parents != ROOT\n        games, nodes, values = games[climbing], "
           "parents[climbing], values[climbing]\n", "        nodes = parents\n")),
    Wrong("a leaf that is the root climbs",
          "a game that was over before the search takes a step up, too, but its leaf is the root, "
          "whose action is NO_ACTION, -100",
          "No action led to the root. In which games is there a step up?",
          ("games = np.flatnonzero(leaves != ROOT)", "games = np.arange(len(leaves))")),
    Wrong("sign flip forgotten",
          "backup forgets to change the sign: a value that is good for one player counts as good for the other",
          "Who is to move at the parent, and is a value that is good at the child good for that player?", (FLIP, "")),
    Wrong("sign changed too late",
          "the value is added before its sign changes, so each level gets the value for the wrong player",
          "The first W that changes is the parent's. For which player is that W?", (FLIP, ""),
          ("        climbing = parents", "        values = -values\n        climbing = parents")),
    Wrong("added to every game", "the visit is counted at the same place in the trees of all games",
          "Which games does a `:` in the first place of an index select?",
          ("tree.N[games, parents, actions] += 1", "tree.N[:, parents, actions] += 1")),
    Wrong("written to the first games",
          "once a game has reached its root, the others write into the first games' trees",
          "`parents` has one entry for each game that is still climbing. Which games are these?",
          ("        tree.N[games,", "        games_ = np.arange(len(games))\n        tree.N[games_,"),
          ("        tree.W[games,", "        tree.W[games_,")),
    Wrong("the values of the first games",
          "once a game has reached its root, the others go on with the first games' values",
          "`games`, `nodes` and `values` belong together. Do you shorten all three in the same way?",
          ("games, nodes, values = games[climbing], parents[climbing], values[climbing]",
           "games, nodes = games[climbing], parents[climbing]\n        values = values[: len(games)]")),
    Wrong("W replaced", "W becomes the last value instead of the sum of all values", "What was in W before?",
          ("tree.W[games, parents, actions] += values", "tree.W[games, parents, actions] = values")),
    Wrong("the parent's own action", "the action is read one node too high, so it is the action that led to the parent",
          "Which node stores the action that leads from the parent to the child?",
          ("tree.parent[games, nodes], tree.parent_action[games, nodes]",
           "tree.parent[games, nodes], tree.parent_action[games, tree.parent[games, nodes]]")),
    Wrong("draws not counted", "a simulation that brings back 0 leaves no visit", "How should N change after a draw?",
          ("np.flatnonzero(leaves != ROOT)", "np.flatnonzero((leaves != ROOT) & (values != 0))")),
    Wrong("values changed in place", "the signs of the caller's values are changed",
          "`values *= -1` works on the given array. Who else uses it?",
          code="""
        def batched_backup(tree, leaves, values):
            nodes = leaves.copy()
            while (nodes != ROOT).any():
                values *= -1
                games = np.flatnonzero(nodes != ROOT)
                parents, actions = tree.parent[games, nodes[games]], tree.parent_action[games, nodes[games]]
                tree.N[games, parents, actions] += 1
                tree.W[games, parents, actions] += values[games]
                nodes[games] = parents
        """),
]
# fmt: on


def right_game_by_game(tree, leaves, values):
    for b, (leaf, value) in enumerate(zip(leaves.tolist(), values.tolist(), strict=True)):
        node = leaf
        while tree.parent[b, node] != NO_PARENT:
            value = -value
            action, node = tree.parent_action[b, node], tree.parent[b, node]
            tree.N[b, node, action] += 1
            tree.W[b, node, action] += value


def right_with_a_mask(tree, leaves, values):
    """Update all games in every round; those at the root add nothing."""
    everyone, nodes, values = np.arange(len(leaves)), leaves.copy(), np.array(values, dtype=float)
    while np.any(nodes > 0):
        values = -values
        up = nodes > 0
        parents = np.where(up, tree.parent[everyone, nodes], 0)
        actions = np.where(up, tree.parent_action[everyone, nodes], 0)
        tree.N[everyone, parents, actions] += up
        tree.W[everyone, parents, actions] += np.where(up, values, 0)
        nodes = parents


CHECK = Scenes(
    draws=st.tuples(batched_trees.TREES, st.lists(VALUES, min_size=1, max_size=4)),
    board=lambda draw: batched_trees.boards(draw[0]),
    edges=[(tree, [0.25, -1.0, 0.75, 0.0]) for tree in batched_trees.EDGES],
    examples=20,
    returns=nothing,
    changes={"tree"},
    tolerance=1e-9,
    question="Find the first edge that is wrong. How deep is that game's leaf, and how deep are the others'?",
)
