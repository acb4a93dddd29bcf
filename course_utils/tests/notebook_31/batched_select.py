"""Check batched_select: a walk down every tree, by the highest Q + U."""

import math

import numpy as np
from hypothesis import strategies as st

from course_utils.games import ConnectFour, ConnectN, TicTacToe
from course_utils.search.batched import NO_ACTION, ROOT, UNVISITED
from course_utils.tests.catalogue import Wrong
from course_utils.tests.notebook_31 import batched_trees
from course_utils.tests.notebook_31.batched_trees import grow, planted, searched
from course_utils.tests.returns import array
from course_utils.tests.scene import Scenes
from course_utils.tests.world.games import Touching
from course_utils.tests.world.networks import ConstantNetwork, HashNetwork


def scene(draw) -> str:
    tree, c_puct = draw
    return f"{batched_trees.grown(tree)}\nbatched_select(tree, {c_puct})"


def pair(result) -> str:
    if not isinstance(result, tuple | list) or len(result) != 2:
        return f"expected a pair, got {type(result).__name__}"
    return next(filter(None, map(array("int"), result)), "")


BY_HAND = """
    two roots without children: only the prior decides, and ties go to the lowest action
    >>> tree = planted([0, 4, 8, 2, 6, 3], [0])
    >>> tree.P[0, ROOT, [1, 5, 7]] = 0.3, 0.5, 0.2
    >>> batched_select(tree, 1.2)
    [[0, 0], [5, 1]]
    ? Does each game get the best action of its own root?

    one game goes down a level, the other stops at its root (2 points)
    >>> tree = planted([], [0, 4, 8, 2, 6, 3])
    >>> # game 0 has a node for the action 4, good for the player to move at its root
    >>> grow(tree, [4], [], values=[-0.12, 0.0])
    >>> batched_select(tree, 1.2)
    [[1, 0], [0, 1]]
    ? What happens to a game whose walk has ended while another walks on?

    walks of four, none and one step (2 points)
    >>> tree = planted([], [0, 4, 8, 2, 6, 3], [])
    >>> grow(tree, [0], [], [4])
    >>> grow(tree, [0, 4], [], [])
    >>> grow(tree, [0, 4, 8], [], [])
    >>> grow(tree, [0, 4, 8, 7], [], [])
    >>> tree.P[0, [0, 1, 2, 3], [0, 4, 8, 7]], tree.P[2, ROOT, 4] = 1.0, 1.0  # the prior points the way
    >>> batched_select(tree, 1.2)
    [[4, 0, 1], [1, 1, 0]]
    ? Two games are walking after the first step, and one after the second. Does each number still belong to its game?

    a walk that ends at a finished game, and one that does not (2 points)
    >>> tree = planted([0, 4, 8, 2, 6, 3], [])
    >>> grow(tree, [7], [4], values=[-1.0, -0.5])  # in game 0 the action 7 wins
    >>> batched_select(tree, 1.2)
    [[1, 1], [NO_ACTION, 0]]
    ? Nothing can be played in a finished game. What does the docstring say to return instead of an action?

    one root is a finished game, and the other is not (2 points)
    >>> tree = planted([0, 3, 1, 4, 2], [])
    >>> grow(tree, [], [4], values=[0.0, -0.5])
    >>> batched_select(tree, 1.2)
    [[0, 1], [NO_ACTION, 0]]
    ? Which games may not take even their first step?

    each game counts its own visits under the square root (2 points)
    >>> tree = planted([0, 4, 8, 2, 6, 3], [])
    >>> grow(tree, [1], [0], values=[-0.47, 0.0])
    >>> tree.P[0, ROOT, [1, 5, 7]] = 0.3, 0.4, 0.3
    >>> tree.N[1, ROOT, 0], tree.W[1, ROOT, 0] = 40, 39.0
    >>> batched_select(tree, 1.2)
    [[1, 1], [5, 1]]
    ? N is [walking, actions] here. Over which axis does the sum of the formula run?

    each 1 of the formula: with three visits sqrt(1 + 3) is 2, and 1 + N is 4 or 1 (2 points)
    >>> tree = planted([0, 4, 8, 2, 6, 3], [0, 4, 8, 2, 6, 3])
    >>> tree.P[:, ROOT, [1, 5, 7]] = 0.6, 0.3, 0.1
    >>> tree.N[:, ROOT, 1], tree.W[:, ROOT, 1] = 3, [0.87, 0.93]
    >>> batched_select(tree, 1.0)
    [[0, 0], [5, 1]]
    ? U is 0.6 * 2 / 4 for action 1 and 0.3 * 2 / 1 for action 5. What are the two scores when Q is 0.29 for action 1,
    ? and when it is 0.31?

    an illegal action is not taken even when all legal ones lose
    >>> tree = planted([0, 4, 8, 2, 6, 3])
    >>> tree.N[0, ROOT, [1, 5, 7]], tree.W[0, ROOT, [1, 5, 7]] = 20, [-18.0, -10.0, -19.0]
    >>> batched_select(tree, 1.2)
    [[0], [5]]
    ? Every legal score is below 0. What does an illegal action score, and is that below them all?

    the same tree after more visits, and with another c_puct
    >>> tree = planted([0, 4, 8, 2, 6, 3])
    >>> grow(tree, [5])
    >>> first = batched_select(tree, 0.5)
    >>> tree.N[0, ROOT, 5], tree.W[0, ROOT, 5] = 20, 18.0
    >>> [first, batched_select(tree, 0.5), batched_select(tree, 40.0)]
    [[[0], [1]], [[1], [1]], [[0], [1]]]
    ? The tree changes from walk to walk. Does your code read the tree and c_puct each time?
"""

MASK = "np.where(tree.legal[games, here], Q + U, -np.inf)"
# fmt: off
WRONG = [
    Wrong("stops with the first", "all walks stop as soon as one of them has ended",
          "Which games are done after a step: all of them, or only those without a child to walk to?",
          ("        games, child = games[found], child[found]\n",
           "        if not found.all():\n            break\n        games, child = games[found], child[found]\n")),
    Wrong("every game with every node",
          "`[:, here]` takes the nodes of all walks in every game, so the result is [B, B, A] instead of [B, A]",
          "Which nodes does `[games, here]` select, and which does `[:, here]`?",
          *((f"tree.{name}[games, here]", f"tree.{name}[:, here]") for name in ("N", "W", "P", "legal"))),
    Wrong("an action for every pair",
          "`[:, here]` takes the nodes of all walks in every game, so the scores are [B, B, A], and an action is "
          "chosen for each pair of games",
          "Which nodes does `[games, here]` select, and which does `[:, here]`?",
          *((f"tree.{name}[games, here]", f"tree.{name}[:, here]") for name in ("N", "W", "P", "legal")),
          ("axis=1", "axis=-1")),
    Wrong("finished games walk on", "at a finished game an action is chosen although none is legal",
          "All scores are minus infinity there. What does argmax return then?", ("        games = games[~over]\n", "")),
    Wrong("the way that led there", "at a finished game the action that led there is returned instead of NO_ACTION",
          "What is left in `actions` from the step before?", ("        actions[games[over]] = NO_ACTION\n", "")),
    Wrong("numbers slip into other games",
          "once a walk has ended, the other games' nodes are written to the first places instead of their own",
          "`child` has one entry for each game that is still walking. Which games are these?",
          ("        nodes[games] = child\n", "        nodes[: len(games)] = child\n"),
          ("while len(games) > 0:", "for _ in range(tree.N.shape[1]):")),
    Wrong("visits of all games together",
          "the sum under the square root runs over all games instead of one game's actions",
          "What shape should the sum have?", ("N.sum(axis=1, keepdims=True)", "N.sum()")),
    Wrong("sqrt of the sum of N, without the 1",
          "the 1 under the square root is missing, so before the first simulation every U is 0 "
          "and the prior has no effect",
          "What is the sum of N at a node that was just made?", ("np.sqrt(1 + N.sum", "np.sqrt(N.sum")),
    Wrong("illegal actions not masked", "illegal actions take part in the comparison",
          "Which actions may be chosen here?",
          (MASK, "(Q + U)")),
    Wrong("sum instead of mean", "W is used instead of Q, so an action looks better the more often it was tried",
          "What is W divided by to become a mean?", (" / np.maximum(N, 1)", "")),
    Wrong("c_puct forgotten", "c_puct is not used", "What should be left of the score when c_puct is 0?",
          ("c_puct * tree.P", "tree.P")),
]
# fmt: on


def right_game_by_game(tree, c_puct):
    nodes, actions = [], []
    for b in range(tree.N.shape[0]):
        node, action = ROOT, NO_ACTION
        while not tree.is_terminal[b, node]:
            legal = np.flatnonzero(tree.legal[b, node])
            total = tree.N[b, node].sum()

            def score(a, b=b, node=node, total=total):
                n = tree.N[b, node, a]
                q = tree.W[b, node, a] / n if n else 0.0
                return q + c_puct * tree.P[b, node, a] * math.sqrt(1 + total) / (1 + n)

            action = max(legal.tolist(), key=score)
            if tree.children[b, node, action] == UNVISITED:
                break
            node, action = int(tree.children[b, node, action]), NO_ACTION
        nodes.append(node)
        actions.append(action)
    return np.array(nodes), np.array(actions)


def right_with_a_mask(tree, c_puct):
    """Walk in all games in every round, with a mask of those still walking."""
    everyone = np.arange(len(tree.N))
    nodes = np.zeros(len(tree.N), dtype=np.int64)
    actions = np.full(len(tree.N), NO_ACTION)
    walking = ~tree.is_terminal[everyone, nodes]
    while walking.any():
        N, W, P = tree.N[everyone, nodes], tree.W[everyone, nodes], tree.P[everyone, nodes]
        Q = np.divide(W, N, out=np.zeros_like(W), where=N > 0)
        scores = Q + c_puct * P * np.sqrt(1 + N.sum(axis=-1))[:, None] / (N + 1)
        scores[~tree.legal[everyone, nodes]] = -np.inf
        best = scores.argmax(-1)
        child = tree.children[everyone, nodes, best]
        arrived = walking & (child == UNVISITED)
        actions[arrived] = best[arrived]
        walking &= ~arrived
        nodes = np.where(walking, child, nodes)
        walking &= ~tree.is_terminal[everyone, nodes]
    return nodes, actions


CHECK = Scenes(
    draws=st.tuples(batched_trees.TREES, st.sampled_from([1.5, 0.4, 4.0, 0.0])),
    board=lambda draw: batched_trees.boards(draw[0]),
    edges=[(tree, 1.5) for tree in batched_trees.EDGES],
    examples=20,
    returns=pair,
    question="Find the first game whose node or action is wrong. Is it right if that game is searched alone?",
)
