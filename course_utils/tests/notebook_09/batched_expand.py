"""batched_expand: a new node in every tree that needs one."""

from random import Random

import numpy as np

from course_utils.search.batched import NO_ACTION
from course_utils.tests.case import Case
from course_utils.tests.catalogue import Wrong
from course_utils.tests.notebook_09 import forests
from course_utils.tests.notebook_09.forests import (
    DEEP,
    FIELDS,
    ONE_CHILD,
    OVER,
    THREE_LEFT,
    TTT,
    WINS,
    Forest,
    Path,
    Spec,
    as_stored,
    forest,
    in_words,
    legal_actions,
    worth,
)
from course_utils.tests.returns import array
from course_utils.tests.specification import Specification

Place = tuple[Path, int]  # the path of a node, and an action there that has no child, or NO_ACTION


def places(draw: Forest) -> list[Place]:
    """Somewhere in each tree; often just before the end of the game."""
    found = {}
    for plan, spec in zip(draw.plans * draw.size, draw.specs, strict=False):
        found[id(spec)] = found.get(id(spec)) or place(draw.board, spec, plan.seed)
    return [found[id(spec)] for spec in draw.specs]


def place(board: str, spec: Spec, seed: int) -> Place:
    rng, (moves, paths) = Random(seed), spec
    free = [
        (path, action)
        for path in paths
        for action in legal_actions(board, (*moves, *path))
        if (*path, action) not in paths
    ]
    over = [(path, NO_ACTION) for path in paths if not legal_actions(board, (*moves, *path))]
    last = [(path, action) for path, action in free[-200:] if not legal_actions(board, (*moves, *path, action))]
    return rng.choice(rng.choice([kind for kind in (free, over, last) if kind]))


def written(board: str, specs: list[Spec], where: list[Place], child: int) -> dict:
    """What becomes of the trees, and the leaves."""
    nodes, actions = given(specs, where).values()
    new = [b for b, action in enumerate(actions) if action != NO_ACTION]
    later = {b: (*specs[b][0], *where[b][0], int(actions[b])) for b in new}
    legal = {b: legal_actions(board, later[b]) for b in new}
    states = in_words(as_stored(board, later.values()))
    return {
        "leaves": np.array([child if b in later else node for b, node in enumerate(nodes)]),
        "tree.nodes": child + 1,
        "written": [f"states{[b, child]} = {words}" for b, words in zip(new, states, strict=True)]
        + [f"legal{[b, child]} = {legal[b]}" for b in new if legal[b]]
        + [f"children{[b, int(nodes[b]), int(actions[b])]} = {child}" for b in new]
        + [f"parent{[b, child]} = {nodes[b]}" for b in new]
        + [f"parent_action{[b, child]} = {actions[b]}" for b in new]
        + [f"is_terminal{[b, child]} = 1" for b in new if not legal[b]]
        + [f"terminal_value{[b, child]} = {worth(board, later[b]):g}" for b in new if worth(board, later[b])],
    }


def judged(leaves, tree, actions) -> dict:
    """As `written`; whatever stands at the new number of a game that has no new node is nobody's business."""
    child, idle = tree.nodes - 1, np.flatnonzero(np.asarray(actions) == NO_ACTION)
    if 0 <= child < tree.N.shape[1]:
        for name in FIELDS:
            getattr(tree, name)[idle, child] = tree.before[name][idle, child]
    return {"leaves": leaves, "tree.nodes": tree.nodes, "written": forests.changes(tree)}


def given(specs: list[Spec], where: list[Place]) -> dict[str, np.ndarray]:
    nodes = [forests.numbers(b, spec)[path] for b, (spec, (path, _)) in enumerate(zip(specs, where, strict=True))]
    return {"nodes": np.array(nodes), "actions": np.array([action for _, action in where])}


def arguments(draw: Forest) -> dict:
    return {"tree": draw.tree, **given(draw.specs, places(draw)), "game": forests.BOARDS[draw.board].batched()}


def call(board: str, nodes: np.ndarray, actions: np.ndarray) -> str:
    return (
        f"nodes, actions = np.array({nodes.tolist()}), np.array({actions.tolist()})\n"
        f"leaves = batched_expand(tree, nodes, actions, make_batched({board}))\n"
    )


SEEN = "leaves, tree.nodes  # and every entry of the tree that was written"


def shown(draw: Forest) -> str:
    lines = call(draw.board, **given(draw.specs, places(draw)))
    return f"{draw.lines}{lines}{SEEN}"


# --- by hand -------------------------------------------------------------------------------------------------------------

FULL = ([4, 0, 2, 6, 3, 5, 1, 7], {(): {8: (0, 0, 1.0)}})  # X to move; 8 is free, and nobody wins
THERE = [(DEEP, ((0, 4, 8, 7), 3)), (WINS, ((5,), 7)), (ONE_CHILD, ((), 8))]
ENDS = [((THREE_LEFT, {(): {}}), ((), 7)), (FULL, ((), 8))]
WAITING = [(ONE_CHILD, ((4,), 0)), (WINS, ((7,), NO_ACTION)), (OVER, ((), NO_ACTION))]


def by_hand(rng):
    def case(name: str, there: list[tuple[Spec, Place]], look, expected, seen: str, question: str) -> Case:
        """A look at something after one expansion: `look(tree, leaves)`."""
        specs, where = [spec for spec, _ in there], [place for _, place in there]

        def run(batched_expand):
            tree = forest(TTT, specs)
            return look(tree, batched_expand(tree, **given(specs, where), game=forests.BOARDS[TTT].batched()))

        lines = f"{forests.forest_lines(TTT, specs)}{call(TTT, **given(specs, where))}{seen}"
        return Case(name, run, expected, lines, question, forests.picture(TTT, specs), points=2)

    new = forest(TTT, [spec for spec, _ in THERE]).nodes
    nodes, actions = given(*zip(*THERE, strict=True)).values()
    yield case(
        "returns the new node of every game: the same number in all",
        THERE,
        lambda tree, leaves: [leaves, tree.nodes],
        [[new] * 3, new + 1],
        "leaves, tree.nodes",
        "Which number is the next one that no tree uses yet? By how much does `tree.nodes` grow?",
    )
    yield case(
        "the parent knows its child, the child its parent and the action that led to it",
        THERE,
        lambda tree, leaves: [tree.children[range(3), nodes, actions], tree.parent[:, new], tree.parent_action[:, new]],
        [[new] * 3, nodes, actions],
        f"tree.children[[0, 1, 2], nodes, actions], tree.parent[:, {new}], tree.parent_action[:, {new}]",
        "How will the next walk find the new node? How will the value find its way home?",
    )
    later = [(*moves, *path, action) for (moves, _), (path, action) in THERE]
    yield case(
        "the child's position is the one after the action, with the legal actions of that",
        THERE,
        lambda tree, leaves: [in_words(tree.states[:, new]), [np.flatnonzero(row) for row in tree.legal[:, new]]],
        [in_words(as_stored(TTT, later)), [np.array(legal_actions(TTT, moves)) for moves in later]],
        f"tree.states[:, {new}], tree.legal[:, {new}]",
        "From which position is the action played, in each game? Of which position should `game.legal` be asked?",
    )
    yield case(
        "a win is worth -1 to the player who would be to move, a draw 0",
        ENDS,
        lambda tree, leaves: [tree.is_terminal[:, tree.nodes - 1].tolist(), tree.terminal_value[:, tree.nodes - 1]],
        [[True, True], [-1.0, 0.0]],
        "tree.is_terminal[:, tree.nodes - 1], tree.terminal_value[:, tree.nodes - 1]",
        "Whose point of view does `game.outcome` have, and whose does `terminal_value`?",
    )
    specs, where = zip(*WAITING, strict=True)
    yield case(
        "where there is nothing to expand, the node itself comes back, and nothing else changes",
        WAITING,
        lambda tree, leaves: list(judged(leaves, tree, given(specs, where)["actions"]).values()),
        list(written(TTT, specs, where, forest(TTT, specs).nodes).values()),
        SEEN,
        "A walk that ended at a finished game has no new node. Which node should its value be carried up from?",
    )
    nobody = WAITING[1:]
    yield case(
        "where no game has anything to expand, the number is used up all the same",
        nobody,
        lambda tree, leaves: [leaves, tree.nodes],
        [given(*zip(*nobody, strict=True))["nodes"], forest(TTT, [spec for spec, _ in nobody]).nodes + 1],
        "leaves, tree.nodes",
        "May the number of nodes depend on how many games have something to expand?",
    )


# --- wrong and right -------------------------------------------------------------------------------------------------------

WRONG = [
    Wrong(
        "counter not advanced",
        "`tree.nodes` stays as it is: the next simulation overwrites this one's nodes",
        "Which number will the next new node get?",
        ("    tree.nodes += 1\n", ""),
    ),
    Wrong(
        "no number where nobody expands",
        "where no game has anything to expand, `tree.nodes` stays as it is: numbers and simulations get out of step",
        "May the number of nodes depend on how many games have something to expand?",
        ("    tree.nodes += 1\n", "    tree.nodes += len(games) > 0\n"),
    ),
    Wrong(
        "finished games expanded",
        "NO_ACTION is played as if it were a move",
        "Which games have something to expand?",
        ("np.flatnonzero(actions != NO_ACTION)", "np.arange(len(actions))"),
    ),
    Wrong(
        "parent forgotten",
        "the child does not know its parent: backup takes it for a root's neighbor and gets lost",
        "Which two fields lead from a child back to where it came from?",
        ("    tree.parent[games, child] = parents\n", ""),
    ),
    Wrong(
        "child not hung in",
        "the parent does not know its child: every simulation makes it anew",
        "How will the next walk find the new node?",
        ("    tree.children[games, parents, taken] = child\n", ""),
    ),
    Wrong(
        "hung into every tree",
        "the child is hung into the trees of all games, at the same place",
        "What does a `:` in the first place of an index name?",
        ("tree.children[games, parents, taken] = child", "tree.children[:, parents, taken] = child"),
    ),
    Wrong(
        "the parent's legal actions",
        "the child gets its parent's legal actions, the one just played among them",
        "Of which position should `game.legal` be asked?",
        ("game.legal(states)", "tree.legal[games, parents]"),
    ),
    Wrong(
        "no new legal actions",
        "the child's legal actions are taken from among its parent's: in a game whose moves open others, those are missing",
        "Of which position should `game.legal` be asked? Can its answer hold an action that the parent's did not?",
        ("game.legal(states)", "game.legal(states) & tree.legal[games, parents]"),
    ),
    Wrong(
        "the winner's point of view",
        "a finished game is worth +1: that is what it is worth to the winner, who is not to move",
        "Who would be to move after a winning move?",
        (
            "    tree.children[games, parents",
            "    tree.terminal_value[games, child] *= -1\n    tree.children[games, parents",
        ),
    ),
    Wrong(
        "nodes changed in place",
        "the caller's `nodes` are overwritten",
        "Is `leaves = nodes` a second array or a second name?",
        ("nodes.copy()", "nodes"),
        ("leaves[games] = child = tree.nodes", "parents = nodes[games]\n    leaves[games] = child = tree.nodes"),
        ("parents, taken = nodes[games], actions[games]", "taken = actions[games]"),
    ),
]


def batched_expand_game_by_game(tree, nodes, actions, game):
    child = tree.nodes
    tree.nodes = child + 1
    leaves = np.array(nodes)
    for b in range(len(nodes)):
        if actions[b] == NO_ACTION:
            continue
        state = game.play(tree.states[b : b + 1, nodes[b]], actions[b : b + 1])
        over, value = game.outcome(state)
        tree.states[b, child] = state[0]
        tree.legal[b, child] = game.legal(state)[0]
        tree.is_terminal[b, child] = over[0]
        tree.terminal_value[b, child] = value[0]
        tree.children[b, nodes[b], actions[b]] = child
        tree.parent[b, child] = nodes[b]
        tree.parent_action[b, child] = actions[b]
        leaves[b] = child
    return leaves


def batched_expand_with_where(tree, nodes, actions, game):
    new = actions != NO_ACTION
    child = tree.nodes
    (games,) = np.nonzero(new)
    states = game.play(tree.states[games, nodes[new]], actions[new])
    over, value = game.outcome(states)
    for field, row in (
        (tree.states, states),
        (tree.legal, game.legal(states)),
        (tree.is_terminal, over),
        (tree.terminal_value, value),
        (tree.parent, nodes[new]),
        (tree.parent_action, actions[new]),
    ):
        field[games, child] = row
    tree.children[games, nodes[new], actions[new]] = child
    tree.nodes = child + 1
    return np.where(new, child, nodes)


CHECK = Specification(
    draws=forests.FORESTS,
    examples=20,
    edges=forests.EDGES,
    arguments=arguments,
    oracle=lambda draw: written(draw.board, draw.specs, places(draw), draw.tree.nodes),
    judged=lambda result, arguments: judged(result, arguments["tree"], arguments["actions"]),
    returns=array("int64"),
    changes={"tree"},
    shown=shown,
    board=lambda draw: draw.picture,
    question="Find the first game that is wrong. Is it right if that game is expanded alone?",
    by_hand=by_hand,
    wrong=WRONG,
    right=[batched_expand_game_by_game, batched_expand_with_where],
)
