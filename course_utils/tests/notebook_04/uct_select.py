"""uct_select: down to the child with the highest score, while everything has been tried."""

import math
from collections.abc import Callable
from typing import NamedTuple

from hypothesis import strategies as st

from course_utils.games import after
from course_utils.search.uct import UctNode
from course_utils.tests.case import Case, Such
from course_utils.tests.catalogue import Wrong
from course_utils.tests.notebook_04.trees import (
    DEEP_TREES,
    DEEPEST,
    GAME,
    TREES,
    Arms,
    Choices,
    Spot,
    Tree,
    a_node,
    ends,
    nodes_of,
    path,
)
from course_utils.tests.specification import Specification

# --- draws: a tree, and opinions about its nodes ---------------------------------------------------------------------------


class Draw(NamedTuple):
    tree: Tree
    opinions: list[str]  # one walk by each, down the same tree


def chance(node: UctNode) -> float:
    """From 0 to 1, by where it is."""
    return (hash((5, *path(node))) >> 5) % 1009 / 1008


def numbers(node: UctNode) -> float:
    """From 0 to 1, by what it counts, and what the nodes above it count."""
    told = []
    above: UctNode | None = node
    while above is not None:
        told += [above.N, above.W, above.W2]
        above = above.parent
    return (hash((node.parent_action, *told)) >> 5) % 1009 / 1008


def height(node: UctNode) -> int:
    return 1 + max(map(height, node.children.values()), default=0)


OPINIONS: dict[str, Callable[[UctNode], float]] = {
    "parent_action": lambda node: node.parent_action,
    "-parent_action": lambda node: -node.parent_action,
    "any number": lambda node: round(2 * chance(node) - 1, 4),
    "all far below zero": lambda node: -1000 * (1 + chance(node)),
    "all zero": lambda node: 0.0,
    "zero at best": lambda node: 0.0 if chance(node) > 0.6 else -chance(node) - 0.001,
    "-1, 0 or 1": lambda node: int(3 * chance(node)) - 1,
    "infinite for some": lambda node: math.inf if chance(node) > 0.6 else chance(node),
    "height of what is below": height,
    "any number, by N, W and W2 of the child and of all nodes above it": numbers,
}


class Score:
    """The `score` of a draw: an opinion that changes from walk to walk."""

    def __init__(self, opinion: str):
        self.opinion = opinion

    def __call__(self, child: UctNode) -> float:
        return OPINIONS[self.opinion](child)


DRAWS = st.one_of(
    st.builds(Draw, TREES, st.lists(st.sampled_from(list(OPINIONS)), min_size=1, max_size=3)),
    st.builds(Draw, DEEP_TREES, st.just(["height of what is below"])),
)


EDGES = [
    Draw(DEEPEST, ["parent_action"]),
    Draw(Tree(Spot(Choices(3, 4, 5)), 60, 3), list(OPINIONS)),
    Draw(Tree(Spot(Arms((0,) * 20, (1,) * 20)), 4, 1), list(OPINIONS)),
]


def oracle(draw: Draw) -> list | Such:
    """The path of each walk from the top of the tree; where several children are best, any of them may be on it."""
    root = draw.tree.root()
    allowed = [list(map(path, ends(root, OPINIONS[opinion]))) for opinion in draw.opinions]
    if all(len(paths) == 1 for paths in allowed):
        return [paths[0] for paths in allowed]
    text = ", ".join(" or ".join(map(str, paths)) for paths in allowed)
    return Such(f"[{text}]", lambda got: all(one in paths for one, paths in zip(got, allowed, strict=True)))


def run(uct_select, draw: Draw) -> list:
    root, score = draw.tree.root(), Score("")
    walks = []
    for score.opinion in draw.opinions:
        walks.append(where(uct_select(root, score), root))
    return walks


def where(result, root: UctNode) -> list[int] | str:
    """The path to the node that came back, or what it is instead."""
    if not any(result is node for node in nodes_of(root)):
        return a_node(result) or "a node that is not in the tree"
    return path(result)


def shown(draw: Draw) -> str:
    opened = [f"{path(node)} (untried: {node.untried})" for node in nodes_of(draw.tree.root())]
    calls = [f"uct_select(root, score)  # score(child): {opinion}" for opinion in draw.opinions]
    return "\n".join(
        [
            f"a tree of {len(opened)} nodes, each told by the actions that lead to it: {', '.join(opened[:12])}"
            + (" ..." if len(opened) > 12 else ""),
            *calls,
            "the path to the node that comes back",
        ]
    )


# --- by hand -----------------------------------------------------------------------------------------------------------


def grown(plan: dict, state=GAME.initial_state(), parent=None, action=None) -> UctNode:  # noqa: B008
    """A node with the children of `plan` (action -> plan of the child); where there are children, all has been tried."""
    node = UctNode(GAME, state, parent, action)
    node.untried = [] if plan else node.untried
    node.children = {action: grown(below, GAME.play(state, action), node, action) for action, below in plan.items()}
    return node


def by_hand(rng):
    def case(name, root, expected, call, question, points=1, board="", score=lambda child: child.parent_action):
        walk = lambda answer: where(answer(root, score), root)  # noqa: E731
        return Case(
            name, walk, expected, f"{call}\nuct_select(root, score): the path to the node", question, board, points
        )

    by_action = "score = lambda child: child.parent_action"
    yield case(
        "a root with untried actions is where the walk ends",
        grown({}),
        [],
        f"root = UctNode(game, game.initial_state())\n{by_action}",
        "What does the search want to do at a node where not everything was tried yet?",
    )
    scores = rng.permutation(9).tolist()
    yield case(
        "one step, to the child with the highest score",
        grown({action: {} for action in range(9)}),
        [scores.index(8)],
        f"root with nine children that score {scores}",
        "Which child does the player at the root want?",
        score=lambda child: scores[child.parent_action],
    )
    two = {0: {1: {}, 2: {3: {}, 5: {}}}, 4: {0: {}, 1: {2: {}, 8: {}}, 7: {}}}
    yield case(
        "down to the bottom, at each step the highest score",
        grown(two),
        [4, 7],
        f"root -> 0, 4; below 4: 0, 1, 7\n{by_action}",
        "W of each child belongs to the player who chooses it. So what does the other player want: a high score, or a low one?",
        points=2,
    )
    values = {(0,): -0.9, (1,): -0.2, (1, 0): -3.0, (1, 2): -2.5, (0, 1): 9.0, (0, 2): 8.0}
    yield case(
        "scores may be negative",
        grown({0: {1: {}, 2: {}}, 1: {0: {}, 2: {}}}),
        [1, 2],
        "root's children score -0.9 and -0.2, those of the second -3.0 and -2.5",
        "Does your comparison begin with 0?",
        score=lambda child: values[tuple(path(child))],
    )
    half_tried = grown(two)
    half_tried.children[4].untried = [3]
    yield case(
        "stops where one action is still untried, though there are children",
        half_tried,
        [4],
        f"root -> 4 -> 0, 1, 7, and action 3 not yet tried at 4\n{by_action}",
        "May the search go past a node at which it has not tried everything?",
    )
    wins = after(GAME, [0, 3, 1, 4])
    yield case(
        "stops at a finished game",
        grown({2: {}, 5: {}}, wins),
        [2],
        "root: X wins with 2, and 2 has the highest score\nscore = lambda child: -child.parent_action",
        "Which children does a finished game have?",
        board=str(wins),
        score=lambda child: -child.parent_action,
    )


# --- wrong and right -----------------------------------------------------------------------------------------------------

STEP = "node = max(node.children.values(), key=score)"
WHILE = "while not node.untried and not node.is_terminal:"
WRONG = [
    Wrong(
        "one step only",
        "the walk ends after one step: the tree never gets deeper than that",
        "Where does the next simulation continue, once all the children of the root are known?",
        (WHILE, "if not node.untried and not node.is_terminal:"),
    ),
    Wrong(
        "lowest score",
        "the child with the lowest score is taken",
        "What does a high score say about a child?",
        (STEP, "node = min(node.children.values(), key=score)"),
    ),
    Wrong(
        "opponent takes the lowest",
        "the second player takes the lowest score: but a child's W belongs to whoever chooses it already",
        "For whom does W of a child sum up the results, at the second level?",
        (STEP, "node = (max if level % 2 == 0 else min)(node.children.values(), key=score)\n        level += 1"),
        ("    node = root\n", "    node = root\n    level = 0\n"),
    ),
    Wrong(
        "untried actions passed by",
        "the walk goes on wherever there are children, and passes by what was not tried yet",
        "When has the search the right to compare children?",
        (WHILE, "while node.children:"),
    ),
    Wrong(
        "finished games forgotten",
        "the walk wants to go on from a finished game, which has no children",
        "What comes after the end of the game?",
        (WHILE, "while not node.untried:"),
    ),
    Wrong(
        "by the mean",
        "the child with the best mean is taken, whatever its score: nothing is ever explored",
        "Which function did the caller hand you, and what is it for?",
        (STEP, "node = max(node.children.values(), key=lambda child: child.Q)"),
    ),
    Wrong(
        "compared with zero",
        "the best score so far begins with 0, so negative scores never win",
        "What is the highest of -3 and -2.5?",
        (
            STEP,
            "best, best_score = None, 0.0\n"
            "        for child in node.children.values():\n"
            "            if score(child) > best_score:\n"
            "                best, best_score = child, score(child)\n"
            "        node = best",
        ),
    ),
]


def select_by_recursion(root, score):
    if root.untried or root.is_terminal:
        return root
    return select_by_recursion(sorted(root.children.values(), key=score)[-1], score)


def select_by_loop(root, score):
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


CHECK = Specification(
    draws=DRAWS,
    arguments=lambda draw: {"root": draw.tree.root(), "score": Score(draw.opinions[0])},
    oracle=oracle,
    judged=lambda result, arguments: where(result, arguments["root"]),
    run=run,
    edges=EDGES,
    examples=20,
    shown=shown,
    question="Which child does the player at a node want, and when is there nothing left to choose?",
    by_hand=by_hand,
    wrong=WRONG,
    right=[select_by_recursion, select_by_loop],
)
