"""batched_backup: every value goes up to its root, and each step turns its sign."""

from random import Random
from typing import NamedTuple

import numpy as np
from hypothesis import strategies as st

from course_utils.search.batched import NO_PARENT
from course_utils.tests.case import Case
from course_utils.tests.catalogue import Wrong
from course_utils.tests.notebook_09 import forests
from course_utils.tests.notebook_09.forests import DEEP, FIELDS, ONE_CHILD, OVER, TTT, WINS, Forest, Path, Spec, forest
from course_utils.tests.returns import nothing
from course_utils.tests.specification import Specification


class Draw(NamedTuple):
    forest: Forest
    some: tuple[float, ...]  # the values, over and over

    @property
    def paths(self) -> list[Path]:
        """To each leaf: often the end of the trunk."""
        kinds = [leaf(spec, plan.seed) for plan, spec in zip(self.forest.plans, self.forest.specs, strict=False)]
        return [kinds[b % len(kinds)] for b in range(self.forest.size)]

    @property
    def leaves(self) -> np.ndarray:
        specs = enumerate(self.forest.specs)
        return np.array([forests.numbers(b, spec)[path] for (b, spec), path in zip(specs, self.paths, strict=True)])

    @property
    def values(self) -> np.ndarray:
        return np.array([self.some[b % len(self.some)] for b in range(self.forest.size)])


def leaf(spec: Spec, seed: int) -> Path:
    paths = list(spec[1])
    return Random(seed).choice([max(paths, key=len), Random(seed).choice(paths)])


VALUES = st.one_of(st.sampled_from([0.5, 0.0, -1.0, 1.0]), st.floats(-1, 1))
DRAWS = st.builds(Draw, forests.FORESTS, st.lists(VALUES, min_size=1, max_size=5).map(tuple))
EDGES = [Draw(one, (0.25, -1.0, 0.75, 0.0, -0.5)) for one in forests.EDGES]


def gained(specs: list[Spec], paths: list[Path], values) -> dict:
    """What one backup from the nodes at these paths adds: game, node, action, N, W of every edge."""
    rows = []
    for b, (spec, path, value) in enumerate(zip(specs, paths, values, strict=True)):
        number = forests.numbers(b, spec)
        for depth, action in enumerate(path):
            mine = (len(path) - depth) % 2 == 0  # whoever moves there is to move at the leaf, too
            rows.append([b, number[path[:depth]], action, 1, value if mine else -value])
    return {"added": np.array(sorted(rows), dtype=float).reshape(-1, 5), "other changes": []}


def judged(tree) -> dict:
    N, W = tree.N - tree.before["N"], tree.W - tree.before["W"]
    where = np.argwhere((tree.before["N"] != tree.N) | (tree.before["W"] != tree.W))
    added = np.column_stack([where, N[tuple(where.T)], W[tuple(where.T)]])
    return {"added": added, "other changes": forests.changes(tree, [name for name in FIELDS if name not in "NW"])}


SEEN = "# every edge that changed: [game, node, action, what was added to N, what to W]"


def call(leaves, values) -> str:
    return f"batched_backup(tree, np.array({list(leaves)}), np.array({list(values)}))  {SEEN}"


# --- by hand -------------------------------------------------------------------------------------------------------------


FULL = ([4, 0, 2, 6, 3, 5, 1, 7], {(): {8: (0, 0, 1.0)}, (8,): {}})  # a draw below


def by_hand(rng):
    def case(name: str, there: list[tuple[Spec, Path, float]], question: str, points: int = 1) -> Case:
        specs, paths, values = zip(*there, strict=True)
        leaves = [forests.numbers(b, spec)[path] for b, (spec, path) in enumerate(zip(specs, paths, strict=True))]

        def run(batched_backup):
            tree = forest(TTT, specs)
            batched_backup(tree, np.array(leaves), np.array(values))
            return judged(tree)["added"]

        lines, expected = forests.forest_lines(TTT, specs) + call(leaves, values), gained(*zip(*there, strict=True))
        return Case(name, run, expected["added"], lines, question, forests.picture(TTT, specs), points)

    chose = "The leaf is worth 0.5 to its player. What is that to the player who chose the action leading there?"
    yield case("one step up: the value changes its sign", [(ONE_CHILD, (4,), 0.5)], chose)
    turns = "Whose turn is it at each of the nodes on the way? The sign changes at each step."
    yield case("four steps up", [(DEEP, (0, 4, 8, 7), -0.4)], turns, 2)
    done = "A game that has come to its root is done. Do the others go on, each with its own value?"
    depths = [(ONE_CHILD, (4,), 0.3), (DEEP, (0, 8), -0.6), (DEEP, (0, 4, 8, 7), 0.9)]
    yield case("three games, whose leaves lie one, two and four steps deep", depths, done, 2)
    own = "When game 1 is done, do games 0 and 2 keep their own numbers?"
    depths = [(DEEP, (0, 4, 8, 7), 0.7), (ONE_CHILD, (4,), -0.2), (DEEP, (0, 4, 2), 0.1)]
    yield case("the deepest leaf comes first", depths, own, 2)
    climb = "No action led to the root. Which games climb at all?"
    roots = [(OVER, (), -1.0), (ONE_CHILD, (4,), 0.5), (OVER, (), -1.0)]
    yield case("a leaf that is the root changes nothing", roots, climb, 2)
    draw = "A value of 0 adds nothing to W. What does it add to N?"
    ends = [(WINS, (7,), -1.0), (FULL, (8,), 0.0)]
    yield case("a finished game's loss is the winner's gain; a draw is a visit, too", ends, draw)


# --- wrong and right -------------------------------------------------------------------------------------------------------

FLIP = "        values = -values\n"

WRONG = [
    Wrong(
        "sign flip forgotten",
        "backup forgets to change the sign: what is good for one player counts as good for the other",
        "Who chooses at the parent, and is a good value for the child good news there?",
        (FLIP, ""),
    ),
    Wrong(
        "sign changed too late",
        "the sign changes after the value was added instead of before",
        "Whose W is written first, and is that player glad of the value?",
        (FLIP, ""),
        ("        climbing = parents", "        values = -values\n        climbing = parents"),
    ),
    Wrong(
        "added to every game",
        "the visit is counted in the trees of all games, at the same place",
        "What does a `:` in the first place of an index name?",
        ("tree.N[games, parents, actions] += 1", "tree.N[:, parents, actions] += 1"),
    ),
    Wrong(
        "written to the first games",
        "once a game has come to its root, the others write into the first games' trees",
        "`parents` has one entry for each game that is still climbing. Which games are these?",
        ("        tree.N[games,", "        games_ = np.arange(len(games))\n        tree.N[games_,"),
        ("        tree.W[games,", "        tree.W[games_,"),
    ),
    Wrong(
        "the values of the first games",
        "once a game has come to its root, the others go on with the first games' values",
        "`games`, `nodes` and `values` belong together. Do you shorten all three in the same way?",
        (
            "games, nodes, values = games[climbing], parents[climbing], values[climbing]",
            "games, nodes = games[climbing], parents[climbing]\n        values = values[: len(games)]",
        ),
    ),
    Wrong(
        "W replaced",
        "W becomes the last value instead of the sum of all",
        "What was in W before?",
        ("tree.W[games, parents, actions] += values", "tree.W[games, parents, actions] = values"),
    ),
    Wrong(
        "the parent's own action",
        "the action is read one node too high: it is the one that led to the parent",
        "Which node knows the action that led from the parent to the child?",
        (
            "tree.parent[games, nodes], tree.parent_action[games, nodes]",
            "tree.parent[games, nodes], tree.parent_action[games, tree.parent[games, nodes]]",
        ),
    ),
    Wrong(
        "draws not counted",
        "a simulation that brings back 0 leaves no visit",
        "Is a draw news?",
        ("np.flatnonzero(leaves != ROOT)", "np.flatnonzero((leaves != ROOT) & (values != 0))"),
    ),
    Wrong(
        "values changed in place",
        "the caller's values come back with other signs",
        "`values *= -1` works on the array that you were given. Who else holds it?",
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
        """,
    ),
]


def batched_backup_game_by_game(tree, leaves, values):
    for b, (leaf, value) in enumerate(zip(leaves.tolist(), values.tolist(), strict=True)):
        node = leaf
        while tree.parent[b, node] != NO_PARENT:
            value = -value
            action, node = tree.parent_action[b, node], tree.parent[b, node]
            tree.N[b, node, action] += 1
            tree.W[b, node, action] += value


def batched_backup_with_a_mask(tree, leaves, values):
    """All games in every round; those at the root add nothing."""
    everyone, nodes, values = np.arange(len(leaves)), leaves.copy(), np.array(values, dtype=float)
    while np.any(nodes > 0):
        values = -values
        up = nodes > 0
        parents = np.where(up, tree.parent[everyone, nodes], 0)
        actions = np.where(up, tree.parent_action[everyone, nodes], 0)
        tree.N[everyone, parents, actions] += up
        tree.W[everyone, parents, actions] += np.where(up, values, 0)
        nodes = parents


CHECK = Specification(
    draws=DRAWS,
    examples=20,
    edges=EDGES,
    arguments=lambda draw: {"tree": draw.forest.tree, "leaves": draw.leaves, "values": draw.values},
    oracle=lambda draw: gained(draw.forest.specs, draw.paths, draw.values.tolist()),
    judged=lambda result, arguments: judged(arguments["tree"]),
    returns=nothing,
    changes={"tree"},
    tolerance=1e-9,
    shown=lambda draw: draw.forest.lines + call(draw.leaves.tolist(), draw.values.tolist()),
    board=lambda draw: draw.forest.picture,
    question="Find the first edge that is wrong. How deep is that game's leaf, and how deep are the others'?",
    by_hand=by_hand,
    wrong=WRONG,
    right=[batched_backup_game_by_game, batched_backup_with_a_mask],
)
