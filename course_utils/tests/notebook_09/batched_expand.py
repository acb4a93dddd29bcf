"""batched_expand: a new node in every tree that needs one."""

from random import Random

import numpy as np

from course_utils.search.batched import NO_ACTION, ROOT
from course_utils.tests.case import Case
from course_utils.tests.catalogue import Wrong
from course_utils.tests.notebook_09.forests import (
    BOARDS,
    DEEP,
    EDGES,
    FIELDS,
    FORESTS,
    ONE_CHILD,
    OVER,
    THREE_LEFT,
    TTT,
    WINS,
    Forest,
    Path,
    Spec,
    as_stored,
    changes,
    forest,
    forest_lines,
    in_words,
    legal_actions,
    numbers,
    picture,
    worth,
)
from course_utils.tests.specification import Specification, array

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
    last = [(path, action) for path, action in free if not legal_actions(board, (*moves, *path, action))]
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
    return {"leaves": leaves, "tree.nodes": tree.nodes, "written": changes(tree)}


def given(specs: list[Spec], where: list[Place]) -> dict[str, np.ndarray]:
    nodes = [numbers(b, spec)[path] for b, (spec, (path, _)) in enumerate(zip(specs, where, strict=True))]
    return {"nodes": np.array(nodes), "actions": np.array([action for _, action in where])}


def arguments(draw: Forest) -> dict:
    return {"tree": draw.tree, **given(draw.specs, places(draw)), "game": BOARDS[draw.board].batched()}


def call(board: str, nodes: np.ndarray, actions: np.ndarray) -> str:
    return (
        f"nodes, actions = np.array({nodes.tolist()}), np.array({actions.tolist()})\n"
        f"leaves = batched_expand(tree, nodes, actions, make_batched({board}))\n"
    )


def shown(draw: Forest) -> str:
    lines = call(draw.board, **given(draw.specs, places(draw)))
    return f"{draw.lines}{lines}leaves, tree.nodes, and every entry of the tree that was written"


# --- by hand -------------------------------------------------------------------------------------------------------------

FULL = ([4, 0, 2, 6, 3, 5, 1, 7], {(): {8: (0, 0, 1.0)}})  # X to move; 8 is free, and nobody wins
THERE = [(DEEP, ((0, 4, 8, 7), 3)), (WINS, ((5,), 7)), (ONE_CHILD, ((), 8))]


def expands(name: str, look, there: list[tuple[Spec, Place]], expected, question: str, what: str, **rest) -> Case:
    """A case that looks at something after one expansion: `look(tree, leaves)`."""
    specs, where = [spec for spec, _ in there], [place for _, place in there]

    def run(batched_expand):
        tree = forest(TTT, specs)
        return look(tree, batched_expand(tree, **given(specs, where), game=BOARDS[TTT].batched()))

    return Case(
        name,
        run,
        expected,
        f"{forest_lines(TTT, specs)}{call(TTT, **given(specs, where))}{what}",
        question,
        picture(TTT, specs),
        **rest,
    )


def by_hand(rng):
    new = forest(TTT, [spec for spec, _ in THERE]).nodes
    nodes, actions = given(*zip(*THERE, strict=True)).values()
    yield expands(
        "returns the new node of every game: the same number in all",
        lambda tree, leaves: leaves,
        THERE,
        [new] * 3,
        "Which number is the next one that no tree uses yet?",
        "leaves",
    )
    yield expands(
        "uses one more node, however many games there are",
        lambda tree, leaves: tree.nodes,
        THERE,
        new + 1,
        "All new children have the same number. By how much does `tree.nodes` grow?",
        "tree.nodes",
        points=2,
    )
    yield expands(
        "the parent knows its child, the child its parent and the action that led to it",
        lambda tree, leaves: [tree.children[range(3), nodes, actions], tree.parent[:, new], tree.parent_action[:, new]],
        THERE,
        [[new] * 3, nodes, actions],
        "How will the next walk find the new node? How will the value find its way home?",
        f"tree.children[[0, 1, 2], nodes, actions], tree.parent[:, {new}], tree.parent_action[:, {new}]",
        points=2,
    )
    yield expands(
        "the child's position is the one after the action, with the legal actions of that",
        lambda tree, leaves: [in_words(tree.states[:, new]), [np.flatnonzero(row) for row in tree.legal[:, new]]],
        THERE,
        [
            in_words(as_stored(TTT, [(*moves, *path, action) for (moves, _), (path, action) in THERE])),
            [np.array(legal_actions(TTT, (*moves, *path, action))) for (moves, _), (path, action) in THERE],
        ],
        "From which position is the action played, in each game? Of which position should `game.legal` be asked?",
        f"tree.states[:, {new}], tree.legal[:, {new}]",
        points=2,
    )
    yield expands(
        "a win is worth -1 to the player who would be to move, a draw 0",
        lambda tree, leaves: [
            getattr(tree, name)[:, tree.nodes - 1].tolist() for name in ("is_terminal", "terminal_value")
        ],
        [((THREE_LEFT, {(): {}}), ((), 7)), (FULL, ((), 8))],
        [[True, True], [-1.0, 0.0]],
        "Whose point of view does `game.outcome` have, and whose does `terminal_value`?",
        "tree.is_terminal[:, tree.nodes - 1], tree.terminal_value[:, tree.nodes - 1]",
    )
    waiting = [(ONE_CHILD, ((4,), 0)), (WINS, ((7,), NO_ACTION)), (OVER, ((), NO_ACTION))]
    yield expands(
        "where there is nothing to expand, the node itself comes back, and nothing else changes",
        lambda tree, leaves: list(judged(leaves, tree, given(*zip(*waiting, strict=True))["actions"]).values()),
        waiting,
        list(written(TTT, *zip(*waiting, strict=True), forest(TTT, [spec for spec, _ in waiting]).nodes).values()),
        "A walk that ended at a finished game has no new node. Which node should its value be carried up from?",
        "leaves, tree.nodes, and every entry of the tree that was written",
        points=2,
    )

    def twice(batched_expand):
        tree, game = forest(TTT, [ONE_CHILD, ONE_CHILD]), BOARDS[TTT].batched()
        roots = np.array([ROOT, ROOT])
        found = [batched_expand(tree, roots, np.array(actions), game).tolist() for actions in ([0, 8], [8, 1])]
        return [found, tree.children[:, ROOT, [0, 1, 4, 8]].tolist()]

    first = forest(TTT, [ONE_CHILD, ONE_CHILD]).nodes
    yield Case(
        "the next expansion uses the next number",
        twice,
        [[[first] * 2, [first + 1] * 2], [[first, -1, 1, first + 1], [-1, first + 1, 2, first]]],
        f"{forest_lines(TTT, [ONE_CHILD, ONE_CHILD])}game, roots = make_batched({TTT}), np.array([ROOT, ROOT])\n"
        "first = batched_expand(tree, roots, np.array([0, 8]), game)\n"
        "second = batched_expand(tree, roots, np.array([8, 1]), game)\n"
        "first, second, tree.children[:, ROOT, [0, 1, 4, 8]]",
        "If the counter stands still, what happens to the node that was made before?",
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
        "counter advanced by the number of games",
        "`tree.nodes` grows by the number of games: the room for the nodes is soon used up",
        "All trees use the same number. How many numbers are gone?",
        ("tree.nodes += 1", "tree.nodes += len(games)"),
    ),
    Wrong(
        "a number of its own for each game",
        "every game's new node gets another number, though each tree has numbers of its own",
        "Can node 5 of one game get in the way of node 5 of another?",
        (
            "leaves[games] = child = tree.nodes\n    tree.nodes += 1",
            "leaves[games] = child = (tree.nodes + np.arange(len(games))) % tree.N.shape[1]\n    tree.nodes += 1",
        ),
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
        "the winner's point of view",
        "a finished game is worth +1: that is what it is worth to the winner, who is not to move",
        "Who would be to move after a winning move?",
        (
            "    tree.children[games, parents",
            "    tree.terminal_value[games, child] *= -1\n    tree.children[games, parents",
        ),
    ),
    Wrong(
        "played from the root",
        "the action is played in the root's position instead of the node's",
        "Where did the walk end?",
        ("tree.states[games, parents]", "tree.states[games, ROOT]"),
    ),
    Wrong(
        "counts the visit",
        "expand counts a visit itself: backup will count it again",
        "Which of the four steps writes to N?",
        ("    return leaves", "    tree.N[games, parents, taken] += 1\n    return leaves"),
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
    draws=FORESTS,
    edges=EDGES,
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
