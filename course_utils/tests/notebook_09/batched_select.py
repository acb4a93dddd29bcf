"""batched_select: a walk down every tree, by the highest Q + U."""

import math

import numpy as np

from course_utils.search.batched import NO_ACTION, ROOT, UNVISITED
from course_utils.tests.case import Case
from course_utils.tests.catalogue import Wrong
from course_utils.tests.notebook_09.forests import (
    DEEP,
    EDGES,
    FORESTS,
    FRESH,
    ONE_CHILD,
    OVER,
    THREE_LEFT,
    TTT,
    WINS,
    Forest,
    Spec,
    forest,
    forest_lines,
    numbers,
    picture,
    walk,
)
from course_utils.tests.specification import Specification, array


def places(board: str, specs: list[Spec], c_puct: float) -> list[np.ndarray]:
    """[nodes, actions], by a walk in one game after the other."""
    known = {id(spec): walk(board, spec, c_puct) for spec in specs}
    ends = [known[id(spec)] for spec in specs]
    return [
        np.array([numbers(b, spec)[path] for b, (spec, (path, _)) in enumerate(zip(specs, ends, strict=True))]),
        np.array([action for _, action in ends]),
    ]


def pair(result) -> str:
    if not isinstance(result, tuple | list) or len(result) != 2:
        return f"expected a pair, got {type(result).__name__}"
    return next(filter(None, map(array("int64"), result)), "")


def lists(result) -> list[list[int]]:
    return [np.asarray(part).tolist() for part in result]


# --- by hand -------------------------------------------------------------------------------------------------------------

ALL_LOSE = (
    THREE_LEFT,
    {
        (): {1: (20, -18, 0.3), 5: (20, -10, 0.4), 7: (20, -19, 0.3)},
        (1,): {5: (19, 17.0, 1.0)},
        (5,): {1: (1, -0.2, 0.2), 7: (0, 0, 0.8)},
        (7,): {},
    },
)
FEW_VISITS = (
    THREE_LEFT,
    {(): {1: (1, 0.55, 0.3), 5: (0, 0, 0.4), 7: (0, 0, 0.3)}, (1,): {5: (0, 0, 0.7), 7: (0, 0, 0.3)}},
)
MANY_VISITS = (
    [],
    {(): {0: (40, 20.0, 0.5), 8: (40, 18.0, 0.5)}, (0,): {4: (39, -9, 1.0)}, (8,): {4: (39, -9, 1.0)}},
)
TIES = ([0], {(): dict.fromkeys(range(1, 9), (0, 0, 0.125))})


def selects(name: str, specs: list[Spec], question: str, c_puct: float = 1.5, **rest) -> Case:
    return Case(
        name,
        lambda batched_select: lists(batched_select(forest(TTT, specs), c_puct)),
        lists(places(TTT, specs, c_puct)),
        f"{forest_lines(TTT, specs)}nodes, actions = batched_select(tree, {c_puct})",
        question,
        picture(TTT, specs),
        **rest,
    )


def by_hand(rng):
    yield selects(
        "two roots without children",
        [FRESH, TIES],
        "At each root the prior decides alone, and ties go to the lowest action. Is each game's best action its own?",
    )
    yield selects(
        "one game goes down a level, the other stops at its root",
        [ONE_CHILD, FRESH],
        "What becomes of a game that has arrived while another walks on?",
        points=2,
    )
    yield selects(
        "walks of four, none and one step",
        [DEEP, FRESH, ONE_CHILD],
        "After the first step two games are walking, after the second one. Does each of their numbers still belong to its game?",
        points=2,
    )
    yield selects(
        "a walk that ends at a finished game, and one that does not",
        [ONE_CHILD, WINS],
        "Nothing can be played in a finished game. What does the docstring say comes back in place of an action?",
        points=2,
    )
    yield selects(
        "a root that is a finished game, beside one that is not",
        [OVER, ONE_CHILD],
        "Which games may not even take their first step?",
        points=2,
    )
    yield selects(
        "each game counts its own visits under the square root",
        [FEW_VISITS, MANY_VISITS],
        "N is [walking, actions] here. Over which axis does the sum of the formula run?",
        c_puct=1.2,
        points=2,
    )
    yield selects(
        "an illegal action is not taken even when all legal ones lose",
        [ALL_LOSE],
        "Every legal score is below 0. What does an illegal action score, and is that below them all?",
    )

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
        f"{forest_lines(TTT, [FRESH, ONE_CHILD])}first = batched_select(tree, 1.5)\n"
        "tree.N[0, ROOT, 5], tree.W[0, ROOT, 5] = 4, -3.6\n"
        "[first, batched_select(tree, 1.5), batched_select(tree, 40.0)]",
        "A tree changes from walk to walk. Do you look at it each time, and at c_puct?",
        picture(TTT, [FRESH, ONE_CHILD]),
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
        "the statistics of game 0",
        "all games read the statistics of the first one's tree",
        "`tree.N[games, here]` pairs each game with its own node. What does `tree.N[0, here]` do?",
        ("N = tree.N[games, here]", "N = tree.N[0, here]"),
        ("tree.W[games, here]", "tree.W[0, here]"),
    ),
    Wrong(
        "always the root",
        "every level asks the root again instead of the node that the walk has come to",
        "Whose statistics decide on the second level?",
        ("        N = tree.N[games, here]", "        N = tree.N[games, ROOT]"),
        ("tree.W[games, here]", "tree.W[games, ROOT]"),
        ("tree.P[games, here]", "tree.P[games, ROOT]"),
    ),
    Wrong(
        "summed over the games",
        "the visits are summed over the games, action by action, instead of over the actions of each game",
        "Which axis of [walking, actions] counts the actions?",
        ("N.sum(axis=1, keepdims=True)", "N.sum(axis=0, keepdims=True)"),
    ),
    Wrong(
        "sqrt of the sum of N, without the 1",
        "the 1 under the square root is missing: before the first simulation every U is 0 and the prior has no say",
        "What is the sum of N at a node that was just made?",
        ("np.sqrt(1 + N.sum", "np.sqrt(N.sum"),
    ),
    Wrong(
        "U divided by N",
        "U is divided by N (at least 1) instead of 1 + N",
        "By how much does U fall from no visit to one?",
        ("/ (1 + N)", "/ np.maximum(N, 1)"),
    ),
    Wrong(
        "illegal actions not masked",
        "illegal actions take part in the comparison",
        "What may the player to move play here?",
        (MASK, "(Q + U)"),
    ),
    Wrong(
        "highest on ties",
        "of several equal scores the last is taken",
        "argmax keeps the first of equals. Have you turned anything round?",
        (f"{MASK}.argmax(axis=1)", f"tree.N.shape[2] - 1 - {MASK}[:, ::-1].argmax(axis=1)"),
    ),
    Wrong(
        "sum instead of mean",
        "W is used where Q belongs: an action looks better the more often it was tried",
        "What is W divided by to become a mean?",
        (" / np.maximum(N, 1)", ""),
    ),
    Wrong(
        "Q forgotten",
        "only U is compared: what the simulations brought back is not used",
        "Which term remembers how good an action turned out to be?",
        ("Q + U, -np.inf", "U, -np.inf"),
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


def batched_select_level_by_level(tree, c_puct):
    nodes = np.zeros(len(tree.N), dtype=int)
    actions = np.full(len(tree.N), NO_ACTION)
    for _ in range(tree.N.shape[1]):  # no walk is longer than the tree has nodes
        for b, node in enumerate(nodes):
            if actions[b] == NO_ACTION and not tree.is_terminal[b, node]:
                n = tree.N[b, node]
                u = c_puct * tree.P[b, node] * (1 + n.sum()) ** 0.5 / (1 + n)
                q = tree.W[b, node] / np.where(n == 0, 1, n)
                action = int(np.ma.array(q + u, mask=~tree.legal[b, node]).argmax())
                if tree.children[b, node, action] == UNVISITED:
                    actions[b] = action
                else:
                    nodes[b] = tree.children[b, node, action]
    return [nodes, actions]


def shown(draw: Forest) -> str:
    return f"{draw.lines}nodes, actions = batched_select(tree, {draw.c_puct})"


CHECK = Specification(
    draws=FORESTS,
    edges=EDGES,
    arguments=lambda draw: {"tree": draw.tree, "c_puct": draw.c_puct},
    oracle=lambda draw: places(draw.board, draw.specs, draw.c_puct),
    judged=lambda result, arguments: list(result),
    returns=pair,
    shown=shown,
    board=lambda draw: draw.picture,
    question="Find the first game whose node or action is wrong. Is it right if that game is searched alone?",
    by_hand=by_hand,
    wrong=WRONG,
    right=[batched_select_game_by_game, batched_select_with_a_mask, batched_select_level_by_level],
)
