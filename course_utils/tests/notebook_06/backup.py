"""backup: a value goes up from the leaf, and each step turns its sign."""

from itertools import pairwise
from typing import NamedTuple

import numpy as np
from hypothesis import strategies as st

from course_utils.tests.case import Case, show
from course_utils.tests.catalogue import Wrong
from course_utils.tests.notebook_06 import trees
from course_utils.tests.notebook_06.trees import GAME, Line, Node, hang, line
from course_utils.tests.specification import Specification, nothing

FLIP = "Who is to move one step above the leaf, and does that player like what the leaf's player likes?"


# --- draws: values that go up one after the other, from the end of a line or from further up ------------------------------


class Draw(NamedTuple):
    line: Line
    backups: list[tuple[int, float]]  # (how far above the line's end it begins, value)


VALUES = st.one_of(st.sampled_from([1.0, -1.0, 0.0, 0.1]), st.floats(-1, 1))
BACKUPS = st.lists(st.tuples(st.sampled_from([0, 1, 2]), VALUES), min_size=1, max_size=4)
DRAWS = st.builds(Draw, trees.LINES, st.one_of(BACKUPS, BACKUPS.map(lambda some: 2 * some)))


def beginnings(draw: Draw) -> list[Node]:
    """The nodes from which the values go up; the root where the line is too short."""
    nodes = line(draw.line)
    return [nodes[max(0, len(nodes) - 1 - up)] for up, _ in draw.backups]


def run(backup, draw: Draw) -> trees.Told:
    leaves = beginnings(draw)
    for leaf, (_, value) in zip(leaves, draw.backups, strict=True):
        backup(leaf, value)
    return trees.told(trees.top(leaves[0]))


def oracle(draw: Draw) -> trees.Told:
    """Who moves at a node decides the sign: the same player as at the leaf, or the other one."""

    def plainly(leaf, value):
        way = [leaf]
        while way[0].parent is not None:
            way.insert(0, way[0].parent)
        for above, below in pairwise(way):
            above.N[below.parent_action] += 1
            above.W[below.parent_action] += value * (1 if above.state.to_play == leaf.state.to_play else -1)

    return run(plainly, draw)


def shown(draw: Draw) -> str:
    last = len(line(draw.line)) - 1
    calls = [f"backup(nodes[{max(0, last - up)}], {show(value)})" for up, value in draw.backups]
    return trees.show_line(draw.line) + "\n".join(calls)


# --- by hand -----------------------------------------------------------------------------------------------------------


def chain(length: int) -> list[Node]:
    """root --8--> a --7--> b --6--> ..."""
    nodes = [Node(GAME, GAME.initial_state())]
    for action in range(8, 8 - length, -1):
        nodes.append(hang(nodes[-1], action, GAME))
    return nodes


def edges_after(length: int, values: list[float]):
    """A run: (N, W) of each edge of a chain, from the root down, after some backups from its end."""

    def run(backup):
        nodes = chain(length)
        for value in values:
            backup(nodes[-1], value)
        return [[above.N[below.parent_action], above.W[below.parent_action]] for above, below in pairwise(nodes)]

    return run


def by_hand(rng):
    edges = "[(node.N[child.parent_action], node.W[child.parent_action]) for each step, from the root down]"
    yield Case(
        "one step up: the parent sees the value with the other sign",
        edges_after(1, [0.5]),
        [[1, -0.5]],
        "child = expand(root, 8, game)\nbackup(child, 0.5)\nroot.N[8], root.W[8]",
        FLIP,
        "root --8--> child (worth 0.5 to the player to move at child)",
        points=2,
    )
    yield Case(
        "three steps up: the sign changes at each",
        edges_after(3, [0.25]),
        [[1, -0.25], [1, 0.25], [1, -0.25]],
        f"backup(leaf, 0.25)\n{edges}",
        FLIP,
        "root --8--> a --7--> b --6--> leaf (worth 0.25 to the player to move at leaf)",
        points=2,
    )
    yield Case(
        "several backups add up",
        edges_after(2, [0.27, -0.46, -0.92]),
        [[3, -1.11], [3, 1.11]],
        f"for value in [0.27, -0.46, -0.92]:\n    backup(leaf, value)\n{edges}",
        "What should a second visit do to N and W: replace them, or add to them?",
        "root --8--> a --7--> leaf",
    )

    def off_path(backup):
        nodes = chain(2)
        backup(nodes[-1], 1.0)
        return [nodes[0].N.sum(), nodes[1].N.sum(), nodes[2].N.sum(), np.abs(nodes[2].W).sum()]

    yield Case(
        "counts one visit a step, and none at the leaf itself",
        off_path,
        [1, 1, 0, 0],
        "backup(leaf, 1.0)\nroot.N.sum(), a.N.sum(), leaf.N.sum(), abs(leaf.W).sum()",
        "N[action] belongs to the node that the action leaves: which node is that, for the last step?",
        "root --8--> a --7--> leaf",
    )


# --- wrong and right -----------------------------------------------------------------------------------------------------

WRONG = [
    Wrong(
        "sign flip forgotten",
        "backup forgets to change the sign (or changes it twice): what is good for one player is added as good for the other, too",
        "Whose gain is the leaf's value, and whose is it one step higher?",
        ("value = -value", "pass"),
    ),
    Wrong(
        "sign flipped too late",
        "the sign changes after the value was added instead of before: each level is right about the wrong player",
        "The value that arrives is the leaf's mover's. Whose W does it go into first?",
        ("        value = -value\n", ""),
        ("node.W[action] += value", "node.W[action] += value\n        value = -value"),
    ),
    Wrong(
        "sign flipped only once",
        "the sign changes once, at the leaf, and then stays: every second level above is wrong",
        "Does the player to move change at the first step only?",
        ("    node = leaf\n", "    node, value = leaf, -value\n"),
        ("        value = -value\n", ""),
    ),
    Wrong(
        "X's point of view",
        "the sign follows the color to move at each node instead of changing at each step: the leaf's value is taken for X's",
        "Is the value that arrives X's, or the player's who is to move at the leaf?",
        ("node.W[action] += value", "node.W[action] += value if node.state.to_play == 1 else -value"),
        ("        value = -value\n", ""),
    ),
    Wrong(
        "running mean in W",
        "W holds the mean instead of the sum; Q divides it by N once more",
        "Who divides by N: backup, or the property Q?",
        ("node.W[action] += value", "node.W[action] += (value - node.W[action]) / node.N[action]"),
    ),
    Wrong(
        "one step only",
        "only the leaf's parent learns of the value: the levels above know nothing of it",
        "Through which nodes did this simulation come?",
        ("while node.parent is not None:", "if node.parent is not None:"),
    ),
    Wrong(
        "nine steps at most",
        "the walk up ends after nine steps: enough for tic-tac-toe, too few for a longer game",
        "How deep can a tree of Connect Four be? Which kind of loop needs no number?",
        ("while node.parent is not None:", "for _ in range(9):\n        if node.parent is None:\n            break"),
    ),
    Wrong(
        "action read too late",
        "the action is read after stepping up: it is the one that led to the parent, not the one taken there",
        "Which node remembers the action from the parent to here?",
        (
            "        action = node.parent_action\n        node = node.parent\n",
            "        node = node.parent\n        action = node.parent_action\n",
        ),
    ),
    Wrong(
        "statistics on the child",
        "N and W are counted at the node that an action leads to, not at the one it leaves: the leaf is touched, the root is not",
        "N[a] of a node counts how often *that node's* action a was taken. So whose N is it?",
        code="""
        def backup(leaf, value):
            node = leaf
            while node.parent is not None:
                value = -value
                node.N[node.parent_action] += 1
                node.W[node.parent_action] += value
                node = node.parent
        """,
    ),
    Wrong(
        "a draw not counted",
        "a value of 0 is skipped: a draw is news, too, and its visit has to be counted",
        "What do N and Q say after a simulation that ended in a draw?",
        ("    node = leaf\n", "    node = leaf\n    if not value:\n        return\n"),
    ),
    Wrong(
        "a drawn game not counted",
        "a finished game that was drawn brings no visit: simulations that end there leave no trace",
        "What do N and Q say after a simulation that ended in a draw?",
        ("    node = leaf\n", "    node = leaf\n    if leaf.is_terminal and value == 0:\n        return\n"),
    ),
]


def backup_recursively(leaf, value):
    parent, action = leaf.parent, leaf.parent_action
    if parent is None:
        return
    parent.N[action] += 1
    parent.W[action] -= value
    backup_recursively(parent, -value)


def backup_by_the_player(leaf, value):
    player = leaf.state.to_play
    node = leaf
    while node.parent is not None:
        node, action = node.parent, node.parent_action
        node.N[action] += 1
        node.W[action] += value if node.state.to_play == player else -value


CHECK = Specification(
    draws=DRAWS,
    edges=[*(Draw(end, [(0, 0.5), (0, 0.1)]) for end in (trees.DEEP, trees.WON)), Draw(trees.DRAWN, [(0, 0.0)])],
    examples=20,
    arguments=lambda draw: {"leaf": beginnings(draw)[0], "value": draw.backups[0][1]},
    oracle=oracle,
    run=run,
    judged=lambda result, arguments: trees.told(trees.top(arguments["leaf"])),
    returns=nothing,
    changes={"leaf"},
    tolerance=1e-9,
    shown=shown,
    board=lambda draw: trees.draw_line(draw.line),
    question=FLIP,
    by_hand=by_hand,
    wrong=WRONG,
    right=[backup_recursively, backup_by_the_player],
)
