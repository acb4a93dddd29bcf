"""select: the way down, by the best action of each node."""

from typing import NamedTuple

import numpy as np
from hypothesis import strategies as st

from course_utils.search.puct import NO_ACTION, select_child
from course_utils.tests.case import Case, unchanged
from course_utils.tests.catalogue import Wrong
from course_utils.tests.notebook_06 import trees
from course_utils.tests.notebook_06.trees import GAMES, Line, line
from course_utils.tests.specification import Specification

THREE_LEFT = [0, 4, 8, 2, 6, 3]  # X to move; cells 1, 5 and 7 are free


# --- draws: the same tree, walked again after others have changed it ------------------------------------------------------


class Draw(NamedTuple):
    line: Line
    c_pucts: list[float]  # each for a walk
    later: list[str]  # what happens to the tree before it is walked again


LADDER = [2 ** (k / 2) for k in range(-6, 7)]
DRAWS = st.builds(
    Draw,
    trees.LINES,
    st.lists(
        st.one_of(st.just(1.5), st.floats(0.01, 6), st.sampled_from(LADDER)),
        min_size=1,
        max_size=4,
    ),
    st.lists(st.sampled_from(["expanded", "new numbers"]), max_size=2),
)

FINE = [  # at each step of the ladder one of these is walked another way
    *(Line("TicTacToe()", 0, depth, seed, 1.0) for depth, seed in ((1, 5), (1, 22), (1, 41), (1, 51), (3, 4), (3, 94))),
    *(Line("ConnectN(6, 7, 4)", 0, 3, seed, 1.0) for seed in (61, 84)),
]


def start(draw: Draw):
    return line(draw.line)[0]


def run(select, draw: Draw) -> list:
    root, rng, found = start(draw), np.random.default_rng(draw.line.seed), []
    for change in ("", *draw.later):
        nodes, action = trees.way_down(root, draw.c_pucts[0])
        if change == "expanded" and action != NO_ACTION:
            nodes = [trees.hang(nodes[-1], action, GAMES[draw.line.game])]  # no visit is counted yet
        for node in nodes if change else ():
            if not node.is_terminal:
                trees.mark(node, rng)
        found += [judged(select(root, c_puct), {"root": root}) for c_puct in draw.c_pucts]
    return found


def oracle(draw: Draw) -> list:
    def plainly(root, c_puct):
        nodes, action = trees.way_down(root, c_puct)
        return nodes[-1], action

    return run(plainly, draw)


def judged(result, arguments) -> list:
    """Where in the tree, and the action."""
    if not isinstance(result, tuple | list) or len(result) != 2:
        return ["not a pair", type(result).__name__]
    node, action = result
    good = isinstance(action, int | np.integer) and not isinstance(action, bool)
    return [
        trees.place(trees.top(arguments["root"]), node),
        action if good else f"{action} of type {type(action).__name__}",
    ]


def shown(draw: Draw) -> str:
    then = f"\n# then once more after each of: {', '.join(draw.later)}" if draw.later else ""
    calls = ", ".join(f"select(nodes[0], {c_puct!r})" for c_puct in draw.c_pucts)
    return f"{trees.show_line(draw.line)}{calls}{then}"


# --- by hand -----------------------------------------------------------------------------------------------------------


def by_hand(rng):
    deep = {
        (): {0: (6, 2.4, 0.7), 4: (1, -0.3, 0.3)},
        (0,): {4: (4, -0.8, 0.6), 8: (1, -0.9, 0.4)},
        (4,): {0: (0, 0, 1.0)},
        (0, 4): {2: (1, 0.1, 0.2), 8: (2, 1.2, 0.8)},
        (0, 8): {1: (0, 0, 1.0)},
        (0, 4, 2): {1: (0, 0, 1.0)},
        (0, 4, 8): {2: (0, 0, 0.1), 6: (0, 0, 0.1), 7: (1, 0.5, 0.8)},
        (0, 4, 8, 7): {1: (0, 0, 0.3), 3: (0, 0, 0.7)},
    }
    wins = {
        (): {1: (1, 0.0, 0.3), 5: (1, -0.2, 0.3), 7: (3, 3.0, 0.4)},
        (1,): {5: (0, 0, 0.5), 7: (0, 0, 0.5)},
        (5,): {1: (0, 0, 0.5), 7: (0, 0, 0.5)},
        (7,): {},
    }
    for name, actions, statistics, expected, question, points in [
        (
            "a root without children: the place to expand is the root itself",
            [],
            {(): {0: (0, 0, 0.2), 4: (0, 0, 0.5), 8: (0, 0, 0.3)}},
            ["root", 4],
            "The best action has no child yet. At which node will that child be hung?",
            1,
        ),
        (
            "goes on to a child that was made but never gone through",
            [],
            {(): {0: (0, 0, 0.2), 4: (1, 0.3, 0.5), 8: (0, 0, 0.3)}, (4,): {0: (0, 0, 0.6), 1: (0, 0, 0.4)}},
            ["root/4", 0],
            "The child has been evaluated, so its priors are known. What does the next simulation do when it comes to it?",
            2,
        ),
        (
            "stops at the root when the best action has no child, though another has",
            [],
            {(): {0: (0, 0, 0.5), 4: (1, -0.9, 0.4), 8: (0, 0, 0.1)}, (4,): {0: (0, 0, 0.6), 1: (0, 0, 0.4)}},
            ["root", 0],
            "Does your walk ask for *a* child or for the child of the best action?",
            1,
        ),
        (
            "walks down several levels, by the best action of each",
            [],
            deep,
            ["root/0/4/8/7", 3],
            "At each level it is somebody else's turn, and each node keeps its own statistics. Which node does each step ask?",
            2,
        ),
        (
            "a walk that ends at a finished game has nothing to expand",
            THREE_LEFT,
            wins,
            ["root/7", NO_ACTION],
            "The game is over there: nothing can be played. What does the docstring say comes back in place of an action?",
            2,
        ),
        (
            "a root that is a finished game",
            [0, 3, 1, 4, 2],
            {(): {}},
            ["root", NO_ACTION],
            "When do you ask whether the game is over: before or after choosing an action?",
            1,
        ),
    ]:

        def once(select, at=(actions, statistics)):
            root = trees.tree(*at)
            return judged(select(root, 1.5), {"root": root})

        call, root = "node, action = select(root, 1.5)", trees.tree(actions, statistics)
        yield Case(name, once, expected, call, question, trees.picture(root), points=points)

    faint = {(0, 4, 8)[:depth]: {(0, 4, 8, 2)[depth]: (1, W, 1.0)} for depth, W in enumerate([0.1, -0.1, 1e-9, 0.3])}

    def untouched(select):
        root = trees.tree([], faint)
        before = trees.told(root)
        select(root, 1.5)
        return unchanged(trees.told(root), before)

    yield Case(
        "leaves every number of the tree as it is, to the last digit",
        untouched,
        True,
        "select(root, 1.5)\n# whether N, W and P of all nodes are what they were",
        "What does 0.1 - 1 + 1 give in Python? Which of the four verbs writes to W?",
        trees.picture(trees.tree([], faint)),
    )


# --- wrong and right -----------------------------------------------------------------------------------------------------

WRONG = [
    Wrong(
        "no walk",
        "select looks at the root only: nothing below its children is ever searched",
        "The best action has a child already. What now?",
        ("while not", "if not"),
        ("        node = node.children[action]\n    return node, NO_ACTION", "    return node, NO_ACTION"),
        ("        if action not in node.children:\n            return node, action\n", "        return node, action\n"),
    ),
    Wrong(
        "one level only",
        "select goes down one level and stops there",
        "How many levels does a tree have? What kind of statement does a thing an unknown number of times?",
        code="""
        def select(root, c_puct):
            node = root
            if node.is_terminal:
                return node, NO_ACTION
            action = select_child(node, c_puct)
            if action in node.children:
                node = node.children[action]
                action = NO_ACTION if node.is_terminal else select_child(node, c_puct)
            return node, action
        """,
    ),
    Wrong(
        "nine levels at most",
        "the walk ends after nine moves: enough for tic-tac-toe, too few for a longer game",
        "How deep can a tree of Connect Four be? Which kind of loop needs no number?",
        ("while not node.is_terminal:", "for _ in range(9):\n        if node.is_terminal:\n            break"),
    ),
    Wrong(
        "stops at an unvisited child",
        "the walk stops at a child that exists but was never gone through, with nothing to expand: it would be evaluated twice",
        "That child was evaluated when it was made. What is new about stopping there again?",
        (
            "node = node.children[action]",
            "node = node.children[action]\n        if node.N.sum() == 0:\n            return node, NO_ACTION",
        ),
    ),
    Wrong(
        "asks whether there are children at all",
        "the walk goes on as long as a node has any child: a node without children is taken for a finished game",
        "A new node has no children, and the game goes on. What ends a walk with nothing to expand?",
        ("while not node.is_terminal:", "while node.children:"),
    ),
    Wrong(
        "does not stop at a finished game",
        "0, a cell, comes back at a finished game: an action is chosen although none is legal",
        "All scores are minus infinity there: what does argmax make of that?",
        ("while not node.is_terminal:", "while True:"),
    ),
    *(
        Wrong(
            f"{nothing} for no action",
            f"{nothing} is returned at a finished game instead of NO_ACTION",
            "A list has an element -1, and cell 0 exists. Which value was agreed on, and why such an odd one?",
            ("return node, NO_ACTION", f"return node, {nothing}"),
        )
        for nothing in ("-1", "None")
    ),
    Wrong(
        "c_puct ignored",
        "the walk uses a c_puct of its own instead of the one it is given",
        "What does your call of select_child hand on?",
        ("select_child(node, c_puct)", "select_child(node, 1.0)"),
    ),
    Wrong(
        "the way that led there",
        "the action that led to the node is returned instead of the one to take next",
        "Are you telling where you came from or where to go on?",
        ("return node, action", "return node, node.parent_action"),
    ),
    Wrong(
        "always the root",
        "every level asks the root again instead of the node that the walk has come to",
        "Whose statistics decide on the second level?",
        ("select_child(node, c_puct)", "select_child(root, c_puct)"),
    ),
    Wrong(
        "counts visits on the way",
        "visits are counted on the way down: backup will count them again on the way up",
        "Which of the four verbs writes to N?",
        ("node = node.children[action]", "node.N[action] += 1\n        node = node.children[action]"),
    ),
    Wrong(
        "recursion without return",
        "the recursive call's result is not returned",
        "What does a Python function return that has no return statement on its way?",
        code="""
        def select(root, c_puct):
            if root.is_terminal:
                return root, NO_ACTION
            action = select_child(root, c_puct)
            if action not in root.children:
                return root, action
            select(root.children[action], c_puct)
        """,
    ),
]


def select_recursively(root, c_puct):
    if root.is_terminal:
        return (root, NO_ACTION)
    action = select_child(root, c_puct)
    return select_recursively(root.children[action], c_puct) if action in root.children else (root, action)


def select_with_two_variables(root, c_puct):
    node, child = None, root
    action = NO_ACTION
    while child is not None:
        node = child
        if not node.legal.any():
            return [node, NO_ACTION]
        action = select_child(node, c_puct)
        child = node.children.get(action)
    return [node, action]


def select_forever(root, c_puct):
    here = root
    while True:
        if here.is_terminal:
            return here, -100
        try:
            here = here.children[select_child(here, c_puct)]
        except KeyError as missing:
            return here, missing.args[0]


CHECK = Specification(
    draws=DRAWS,
    edges=[
        Draw(trees.DEEP, [1.5], []),
        # a child is won, another is better
        *(Draw(Line("TicTacToe()", 5, 1, seed, 0.9), [1.5], []) for seed in (5, 11)),
        *(Draw(tree, [c_puct], []) for tree in FINE for c_puct in LADDER),
    ],
    examples=20,
    arguments=lambda draw: {"root": start(draw), "c_puct": draw.c_pucts[0]},
    oracle=oracle,
    run=run,
    judged=judged,
    shown=shown,
    board=lambda draw: trees.draw_line(draw.line),
    question="Draw the tree, write Q + U at each action, and walk it with a finger: where does your code turn off?",
    by_hand=by_hand,
    wrong=WRONG,
    right=[select_recursively, select_with_two_variables, select_forever],
)
