"""uct_backup: a result goes up from the leaf, and each step turns its sign."""

from typing import NamedTuple

from hypothesis import strategies as st

from course_utils.search.uct import UctNode
from course_utils.tests.case import Case, show
from course_utils.tests.catalogue import Wrong
from course_utils.tests.notebook_04.trees import DEEP_TREES, DEEPEST, TREES, Tree, chain, nodes_of, path
from course_utils.tests.returns import nothing
from course_utils.tests.specification import Specification

FLIP = "Who moved into the leaf, and does that player like what the player to move there likes?"
ADD = "What should a second visit do: replace the numbers, or add to them?"


class Draw(NamedTuple):
    tree: Tree
    backups: list[tuple[int, float]]  # a leaf, counted among the nodes from the last one, and a value
    cut: int  # after the first backup, this node, counted from the first one, becomes the root: the next move of a game


VALUES = st.one_of(st.sampled_from([1.0, -1.0, 0.0]), st.floats(-1, 1))
BACKUPS = st.lists(st.tuples(st.sampled_from([0, 0, 0, 1, 5, 20]), VALUES), min_size=1, max_size=3)
DRAWS = st.builds(Draw, st.one_of(TREES, TREES, DEEP_TREES), BACKUPS, st.integers(0, 9))


EDGES = [Draw(DEEPEST, [(0, -1.0), (0, 0.5)], 0)]


def leaf_of(nodes: list[UctNode], number: int) -> UctNode:
    return nodes[-1 - number % len(nodes)]


def statistics(nodes: list[UctNode]) -> list:
    return [[node.N, node.W, node.W2] for node in nodes]


def shape(nodes: list[UctNode]) -> list[tuple]:
    """What no backup changes."""
    return [(list(node.children.items()), list(node.untried), node.is_terminal) for node in nodes]


def run(uct_backup, draw: Draw) -> list | str:
    nodes = nodes_of(draw.tree.root())
    before = shape(nodes)
    for number, value in draw.backups:
        uct_backup(leaf_of(nodes, number), value)
        if shape(nodes) != before:
            return "the nodes have other children or untried actions than before"
        nodes[draw.cut % len(nodes)].parent = None
    return statistics(nodes)


def oracle(draw: Draw) -> list:
    """A node is on the way if its path begins the leaf's. Whoever moved into it is the leaf's mover, or the other one."""
    game, nodes = draw.tree.spot.game, nodes_of(draw.tree.root())
    paths = [path(node) for node in nodes]
    top: list[int] = []
    for number, value in draw.backups:
        way, mover = paths[-1 - number % len(nodes)], game.to_play(leaf_of(nodes, number).state)
        begins = len(top) if way[: len(top)] == top else 0
        for node, its in zip(nodes, paths, strict=True):
            if len(its) >= begins and its == way[: len(its)]:
                node.N, node.W2 = node.N + 1, node.W2 + value * value
                node.W += -value if game.to_play(node.state) == mover else value
        top = paths[draw.cut % len(nodes)]
    return statistics(nodes)


def shown(draw: Draw) -> str:
    nodes = nodes_of(draw.tree.root())
    calls = [f"uct_backup(the node after {path(leaf_of(nodes, n))}, {show(value)})" for n, value in draw.backups]
    tree = ", ".join(str(path(node)) for node in nodes[:15])
    head = f"a tree of {len(nodes)} nodes, told by the actions that lead to them: {tree}{' ...' if nodes[15:] else ''}"
    cut = f"the node after {path(nodes[draw.cut % len(nodes)])}.parent = None  # a new root"
    return "\n".join([head, calls[0], *([cut, *calls[1:]] if calls[1:] else []), "N, W and W2 of each node"])


def by_hand(rng):
    def after_backups(length: int, values: list[float], field: str):
        """What backups from the end of a chain leave in one field of its nodes, from the root down."""

        def run(answer):
            nodes = chain(length)
            for value in values:
                answer(nodes[-1], value)
            return [getattr(node, field) for node in nodes]

        return run

    yield Case(
        "a leaf below the root: the win of the player to move there is the loss of the one who moved there",
        after_backups(1, [1.0], "W"),
        [1, -1],
        "uct_backup(leaf, 1.0)\n[root.W, leaf.W]",
        FLIP,
        "root -> leaf",
        points=2,
    )
    yield Case(
        "three steps: the sign changes at each",
        after_backups(3, [-1.0], "W"),
        [-1, 1, -1, 1],
        "uct_backup(leaf, -1.0)\n[node.W for node in (root, a, b, leaf)]",
        FLIP,
        "root -> a -> b -> leaf",
        points=2,
    )
    yield Case(
        "every node on the way counts one visit, leaf and root too",
        after_backups(3, [1.0], "N"),
        [1, 1, 1, 1],
        "uct_backup(leaf, 1.0)\n[node.N for node in (root, a, b, leaf)]",
        "Through which nodes did this simulation go? What would ln N_parent be, if the root did not count?",
        "root -> a -> b -> leaf",
    )
    values = [1.0, -0.5, 0.5, 0.0]
    for field, expected, question in (
        ("N", [4, 4, 4], ADD),
        ("W", [-1, 1, -1], ADD),
        ("W2", [1.5, 1.5, 1.5], "What is the square of a loss?"),
    ):
        yield Case(
            f"several backups: {field} adds up{' the squares' if field == 'W2' else ''}",
            after_backups(2, values, field),
            expected,
            f"for value in {values}:\n    uct_backup(leaf, value)\n[node.{field} for node in (root, a, leaf)]",
            question,
            "root -> a -> leaf",
        )


FLIP_LINE = "        value = -value\n"
WRONG = [
    Wrong(
        "leaf's value read from the wrong side",
        "the sign changes after the first addition instead of before: each W belongs to the player to move, but selection reads "
        "it as the other one's. With this slip a search with 500 simulations loses nearly every game against random moves",
        "The value belongs to the player to move at the leaf. Whose W does it go into first?",
        (FLIP_LINE, ""),
        ("        node = node.parent", "        value = -value\n        node = node.parent"),
    ),
    Wrong(
        "sign flip forgotten",
        "the sign never changes: what is good for one player is added as good for the other, too",
        "Whose gain is the result, and whose is it one step higher?",
        (FLIP_LINE, ""),
    ),
    Wrong(
        "sign flipped once",
        "the sign changes once, at the leaf, and stays the same all the way up",
        "At each step up another player chose. What does that do to the sign?",
        ("    node = leaf\n", "    node = leaf\n    value = -value\n"),
        (FLIP_LINE, ""),
    ),
    Wrong(
        "root left out",
        "the loop ends below the root: its N stays 0, and the logarithm of 0 is waiting",
        "Whose N stands under the logarithm, when the root's children are compared?",
        ("while node is not None:", "while node.parent is not None:"),
    ),
    Wrong(
        "W replaced",
        "the last result takes the place of the sum",
        "What did the simulations before this one find out, and where is it kept?",
        ("node.W += value", "node.W = value"),
    ),
    Wrong(
        "squares not squared",
        "W2 gets the result itself, not its square",
        "What is the square of a loss?",
        ("value**2", "value"),
    ),
    Wrong(
        "value returned",
        "the value comes back although the tree already holds it",
        "Does anybody need what you return?",
        ("        node = node.parent", "        node = node.parent\n    return value"),
    ),
]


def backup_by_recursion(leaf, value):
    leaf.N += 1
    leaf.W -= value
    leaf.W2 += value * value
    if leaf.parent is not None:
        backup_by_recursion(leaf.parent, -value)


def backup_from_the_root(leaf, value):
    way = []
    while leaf:
        way.insert(0, leaf)
        leaf = leaf.parent
    sign = -1 if len(way) % 2 else 1
    for node in way:
        node.N, node.W, node.W2 = node.N + 1, node.W + sign * value, node.W2 + value**2
        sign = -sign


def upwards(node):
    return [] if node is None else [node, *upwards(node.parent)]


def arguments(draw: Draw) -> dict:
    (number, value), *_ = draw.backups
    return {"leaf": leaf_of(nodes_of(draw.tree.root()), number), "value": value}


CHECK = Specification(
    draws=DRAWS,
    arguments=arguments,
    oracle=oracle,
    judged=lambda result, arguments: [statistics([node]) for node in upwards(arguments["leaf"])],
    run=run,
    returns=nothing,
    changes={"leaf"},
    edges=EDGES,
    examples=20,
    tolerance=1e-12,
    shown=shown,
    question=FLIP,
    by_hand=by_hand,
    wrong=WRONG,
    right=[backup_by_recursion, backup_from_the_root],
)
