"""batched_select: a walk down every tree, by the highest Q + U."""

import math

import numpy as np

from course_utils.search.batched import NO_ACTION, ROOT, UNVISITED
from course_utils.tests.case import Case
from course_utils.tests.catalogue import Wrong
from course_utils.tests.notebook_09 import forests
from course_utils.tests.notebook_09.forests import (
    DEEP,
    FRESH,
    ONE_CHILD,
    OVER,
    THREE_LEFT,
    TTT,
    WINS,
    Forest,
    Spec,
    forest,
)
from course_utils.tests.returns import array
from course_utils.tests.specification import Specification


def places(board: str, specs: list[Spec], c_puct: float) -> list[np.ndarray]:
    """[nodes, actions], by a walk in one game after the other."""
    known = {id(spec): forests.walk(board, spec, c_puct) for spec in specs}
    ends = [known[id(spec)] for spec in specs]
    return [
        np.array([forests.numbers(b, spec)[path] for b, (spec, (path, _)) in enumerate(zip(specs, ends, strict=True))]),
        np.array([action for _, action in ends]),
    ]


def pair(result) -> str:
    if not isinstance(result, tuple | list) or len(result) != 2:
        return f"expected a pair, got {type(result).__name__}"
    return next(filter(None, map(array("int64"), result)), "")


def lists(result) -> list[list[int]]:
    return [np.asarray(part).tolist() for part in result]


# --- by hand -------------------------------------------------------------------------------------------------------------

FEW_VISITS = {(): {1: (1, 0.55, 0.3), 5: (0, 0, 0.4), 7: (0, 0, 0.3)}, (1,): {5: (0, 0, 0.7), 7: (0, 0, 0.3)}}
MANY_VISITS = {(): {0: (40, 20.0, 0.5), 8: (40, 18.0, 0.5)}, (0,): {4: (39, -9, 1.0)}, (8,): {4: (39, -9, 1.0)}}
ALL_LOSE = {(): {1: (20, -18, 0.3), 5: (20, -10, 0.4), 7: (20, -19, 0.3)}, (5,): {1: (1, -0.2, 0.2), 7: (0, 0, 0.8)}}
ALL_LOSE |= {(1,): {5: (19, 17.0, 1.0)}, (7,): {}}
UNCOUNTED = ([], {(): {0: (2, 0.2, 0.3), 4: (0, 0, 0.7)}, (4,): {0: (0, 0, 0.6), 1: (0, 0, 0.4)}})
TIES = ([0], {(): dict.fromkeys(range(1, 9), (0, 0, 0.125))})


def by_hand(rng):
    def case(name: str, specs: list[Spec], question: str, points: int = 1) -> Case:
        def run(batched_select):
            return lists(batched_select(forest(TTT, specs), 1.2))

        call = f"{forests.forest_lines(TTT, specs)}nodes, actions = batched_select(tree, 1.2)"
        return Case(name, run, lists(places(TTT, specs, 1.2)), call, question, forests.picture(TTT, specs), points)

    alone = (
        "At each root the prior decides alone, and ties go to the lowest action. Is each game's best action its own?"
    )
    yield case("two roots without children", [FRESH, TIES], alone)
    waits = "What becomes of a game that has arrived while another walks on?"
    yield case("one game goes down a level, the other stops at its root", [ONE_CHILD, FRESH], waits, 2)
    own = "After the first step two games are walking, after the second one. Does each of their numbers still belong to its game?"
    yield case("walks of four, none and one step", [DEEP, FRESH, ONE_CHILD], own, 2)
    over = "Nothing can be played in a finished game. What does the docstring say comes back in place of an action?"
    yield case("a walk that ends at a finished game, and one that does not", [ONE_CHILD, WINS], over, 2)
    made = "A child is there, though no visit of it has been counted yet. Which array says that it is there?"
    yield case("goes on to a child that was made but never gone through", [ONE_CHILD, UNCOUNTED], made)
    first = "Which games may not even take their first step?"
    yield case("a root that is a finished game, beside one that is not", [OVER, ONE_CHILD], first, 2)
    axis = "N is [walking, actions] here. Over which axis does the sum of the formula run?"
    visits = [(THREE_LEFT, FEW_VISITS), ([], MANY_VISITS)]
    yield case("each game counts its own visits under the square root", visits, axis, 2)
    below = "Every legal score is below 0. What does an illegal action score, and is that below them all?"
    yield case("an illegal action is not taken even when all legal ones lose", [(THREE_LEFT, ALL_LOSE)], below)

    def meanwhile(batched_select):
        tree = forest(TTT, [FRESH, ONE_CHILD])
        found = [lists(batched_select(tree, 1.5))]
        tree.N[0, ROOT, 5], tree.W[0, ROOT, 5] = 4, -3.6
        return [*found, lists(batched_select(tree, 1.5)), lists(batched_select(tree, 40.0))]

    visited = (THREE_LEFT, {(): {**FRESH[1][()], 5: (4, -3.6, 0.5)}})
    yield Case(
        "the same tree after four more visits, and with another c_puct",
        meanwhile,
        [
            lists(places(TTT, [one, ONE_CHILD], c_puct))
            for one, c_puct in ((FRESH, 1.5), (visited, 1.5), (visited, 40.0))
        ],
        f"{forests.forest_lines(TTT, [FRESH, ONE_CHILD])}first = batched_select(tree, 1.5)\n"
        "tree.N[0, ROOT, 5], tree.W[0, ROOT, 5] = 4, -3.6\n[first, batched_select(tree, 1.5), batched_select(tree, 40.0)]",
        "A tree changes from walk to walk. Do you look at it each time, and at c_puct?",
        forests.picture(TTT, [FRESH, ONE_CHILD]),
    )


# --- wrong and right -------------------------------------------------------------------------------------------------------

MASK = "np.where(tree.legal[games, here], Q + U, -np.inf)"

WRONG = [
    Wrong(
        "stops with the first",
        "all walks stop as soon as one of them has arrived",
        "Which games are done after a step: all, or those without a child to walk on to?",
        (
            "        games, child = games[found], child[found]\n",
            "        if not found.all():\n            break\n        games, child = games[found], child[found]\n",
        ),
    ),
    Wrong(
        "finished games walk on",
        "at a finished game an action is chosen although none is legal",
        "All scores are minus infinity there: what does argmax make of that?",
        ("        games = games[~over]\n", ""),
    ),
    Wrong(
        "the way that led there",
        "at a finished game the action that led there comes back instead of NO_ACTION",
        "What is left in `actions` from the step before?",
        ("        actions[games[over]] = NO_ACTION\n", ""),
    ),
    Wrong(
        "numbers slip into other games",
        "once a game has arrived, the others' nodes are written to the first places instead of their own",
        "`child` has one entry for each game that is still walking. Which games are these?",
        ("        nodes[games] = child\n", "        nodes[: len(games)] = child\n"),
        ("while len(games) > 0:", "for _ in range(tree.N.shape[1]):"),
    ),
    Wrong(
        "visits of all games together",
        "the sum under the square root runs over all games instead of one game's actions",
        "What shape should the sum have?",
        ("N.sum(axis=1, keepdims=True)", "N.sum()"),
    ),
    Wrong(
        "sqrt of the sum of N, without the 1",
        "the 1 under the square root is missing: before the first simulation every U is 0 and the prior has no say",
        "What is the sum of N at a node that was just made?",
        ("np.sqrt(1 + N.sum", "np.sqrt(N.sum"),
    ),
    Wrong(
        "illegal actions not masked",
        "illegal actions take part in the comparison",
        "What may the player to move play here?",
        (MASK, "(Q + U)"),
    ),
    Wrong(
        "sum instead of mean",
        "W is used where Q belongs: an action looks better the more often it was tried",
        "What is W divided by to become a mean?",
        (" / np.maximum(N, 1)", ""),
    ),
    Wrong(
        "c_puct forgotten",
        "c_puct is not used",
        "What should happen at c_puct = 0?",
        ("c_puct * tree.P", "tree.P"),
    ),
]


def batched_select_game_by_game(tree, c_puct):
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


def batched_select_with_a_mask(tree, c_puct):
    """All games in every round; a mask says which of them still walk."""
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


def shown(draw: Forest) -> str:
    return f"{draw.lines}nodes, actions = batched_select(tree, {draw.c_puct})"


CHECK = Specification(
    draws=forests.FORESTS,
    examples=20,
    edges=forests.EDGES,
    arguments=lambda draw: {"tree": draw.tree, "c_puct": draw.c_puct},
    oracle=lambda draw: places(draw.board, draw.specs, draw.c_puct),
    judged=lambda result, arguments: list(result),
    returns=pair,
    shown=shown,
    board=lambda draw: draw.picture,
    question="Find the first game whose node or action is wrong. Is it right if that game is searched alone?",
    by_hand=by_hand,
    wrong=WRONG,
    right=[batched_select_game_by_game, batched_select_with_a_mask],
)
