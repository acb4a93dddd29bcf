"""Checks of notebook 06: PUCT search."""

from itertools import pairwise

import numpy as np

from course_utils.games import TicTacToe
from course_utils.search.puct import Node
from course_utils.tests.framework import Case, Such, check, wrong


def _chain(length: int) -> list[Node]:
    """A root and `length` descendants, each by the lowest legal action."""
    game = TicTacToe()
    nodes = [Node(game, game.initial_state())]
    for _ in range(length):
        parent = nodes[-1]
        action = game.legal_actions(parent.state)[0]
        child = Node(game, game.play(parent.state, action), parent, action)
        parent.children[action] = child
        nodes.append(child)
    return nodes


def _after_backups(length: int, values: list[float]):
    """What a sequence of backups from the end of a chain leaves on it: (N, W) of each edge from the root down."""

    def run(backup):
        nodes = _chain(length)
        for value in values:
            backup(nodes[-1], value)
        return [[node.N[child.parent_action], node.W[child.parent_action]] for node, child in pairwise(nodes)]

    return run


@check
def backup(rng):
    flip = "Who is to move one step above the leaf, and does that player like what the leaf's player likes?"
    yield Case(
        "one step up: the parent sees the value with the other sign",
        _after_backups(1, [0.5]),
        [[1, -0.5]],
        "child = expand(root, 0, game)\nbackup(child, 0.5)\nroot.N[0], root.W[0]",
        flip,
        "root --0--> child (worth 0.5 to the player to move at child)",
        points=2,
    )
    yield Case(
        "three steps up: the sign changes at each",
        _after_backups(3, [0.25]),
        [[1, -0.25], [1, 0.25], [1, -0.25]],
        "root -> a -> b -> leaf, then\nbackup(leaf, 0.25)\n[(node.N[action], node.W[action]) for each step, from the root down]",
        flip,
        points=2,
    )
    values = rng.uniform(-1, 1, size=3).round(2).tolist()
    yield Case(
        "several backups add up",
        _after_backups(2, values),
        [[3, sum(values)], [3, -sum(values)]],
        f"for value in {values}:\n    backup(leaf, value)",
        "What should a second visit do to N and W: replace them, or add to them?",
    )

    def off_path(backup):
        nodes = _chain(2)
        backup(nodes[-1], 1.0)
        return [nodes[0].N.sum(), nodes[1].N.sum(), nodes[2].N.sum(), np.abs(nodes[2].W).sum()]

    yield Case(
        "counts one visit a step, and none at the leaf itself",
        off_path,
        [1, 1, 0, 0],
        "root -> a -> leaf, then\nbackup(leaf, 1.0)\nroot.N.sum(), a.N.sum(), leaf.N.sum(), abs(leaf.W).sum()",
        "N[action] belongs to the node that the action leaves: which node is that, for the last step?",
    )
    yield Case(
        "a backup from the root itself changes nothing",
        lambda backup: (lambda root: (backup(root, 1.0), root.N.sum(), root.W.sum())[1:])(_chain(0)[0]),
        (0, 0),
        "backup(root, 1.0)\nroot.N.sum(), root.W.sum()",
        "How many steps are there from the root to the root?",
    )
    yield Case(
        "returns nothing",
        lambda backup: backup(_chain(1)[1], 0.5),
        Such("None", lambda value: value is None),
        "backup(leaf, 0.5)",
        "The tree itself remembers: is there anything left to return?",
        points=1,
    )


wrong(
    "backup",
    "sign flip forgotten",
    "backup forgets to change the sign: what is good for one player is added as good for the other, too",
    "Whose gain is the leaf's value, and whose is it one step higher?",
    ("value = -value", "pass"),
)
wrong(
    "backup",
    "sign flipped too late",
    "the sign changes after the value was added instead of before: each level is right about the wrong player",
    "The value that arrives is the leaf's mover's. Whose W does it go into first?",
    ("        value = -value\n", ""),
    ("node.W[action] += value", "node.W[action] += value\n        value = -value"),
)
