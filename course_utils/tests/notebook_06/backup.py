"""backup: a value goes up from the leaf, and each step turns its sign."""

from itertools import pairwise
from typing import NamedTuple

import numpy as np
from hypothesis import strategies as st

from course_utils.games import ConnectN, TicTacToe
from course_utils.search.puct import Node
from course_utils.tests.case import Case, show
from course_utils.tests.catalogue import Wrong
from course_utils.tests.specification import Specification, nothing

FLIP = "Who is to move one step above the leaf, and does that player like what the leaf's player likes?"
BOARDS = {
    "tic-tac-toe": TicTacToe(),
    "3x4": ConnectN(3, 4, 3),
    "6x7": ConnectN(6, 7, 4),
    "no winner": ConnectN(6, 7, 7),
}


# --- draws: a walk down a tree in which other simulations have left their marks --------------------------------------


class Draw(NamedTuple):
    board: str
    choices: list[int]  # of the walk down, each among the legal actions
    value: float
    marks: int  # seed of what other simulations left on the way; 0 for an empty tree


DRAWS = st.builds(
    Draw,
    st.sampled_from(list(BOARDS)),
    st.lists(st.integers(0, 6), max_size=42),
    st.one_of(st.sampled_from([1.0, -1.0, 0.0, 0.5]), st.floats(-1, 1)),
    st.integers(0, 99),
)


def walk(draw: Draw) -> list[Node]:
    """The nodes from the root to the leaf."""
    game, rng = BOARDS[draw.board], np.random.default_rng(draw.marks)
    nodes = [Node(game, game.initial_state())]
    for choice in draw.choices:
        if nodes[-1].is_terminal:
            break
        legal = game.legal_actions(nodes[-1].state)
        nodes.append(child(nodes[-1], legal[choice % len(legal)], game))
    for node in nodes if draw.marks else ():
        node.N[:] = rng.integers(0, 50, len(node.N)) * node.legal
        node.W[:] = node.N * rng.uniform(-1, 1, len(node.N))
    return nodes


def child(node: Node, action: int, game) -> Node:
    node.children[action] = Node(game, game.play(node.state, action), node, action)
    return node.children[action]


def statistics(leaf: Node) -> list:
    """N and W of every node from the leaf up."""
    nodes = [leaf]
    while nodes[-1].parent is not None:
        nodes.append(nodes[-1].parent)
    return [[node.N, node.W] for node in nodes]


def oracle(draw: Draw) -> list:
    """Who moves at a node decides the sign: the same player as at the leaf, or the other one."""
    nodes = walk(draw)
    mover = nodes[-1].state.to_play
    for above, below in pairwise(nodes):
        above.N[below.parent_action] += 1
        above.W[below.parent_action] += draw.value * (1 if above.state.to_play == mover else -1)
    return statistics(nodes[-1])


def shown(draw: Draw) -> str:
    path = [node.parent_action for node in walk(draw)[1:]]
    return f"leaf = the node after {path} on the board {draw.board!r}\nbackup(leaf, {show(draw.value)})\nN and W from the leaf up"


# --- by hand -----------------------------------------------------------------------------------------------------------


def chain(length: int) -> list[Node]:
    """root --8--> a --7--> b --6--> ..."""
    return walk(Draw("tic-tac-toe", [-1] * length, 0.0, 0))


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
    arguments=lambda draw: {"leaf": walk(draw)[-1], "value": draw.value},
    oracle=oracle,
    judged=lambda result, arguments: statistics(arguments["leaf"]),
    returns=nothing,
    changes={"leaf"},
    tolerance=1e-12,
    shown=shown,
    question=FLIP,
    by_hand=by_hand,
    wrong=WRONG,
    right=[backup_recursively, backup_by_the_player],
)
