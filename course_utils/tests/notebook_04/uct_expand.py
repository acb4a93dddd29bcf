"""uct_expand: one untried action becomes a child."""

from collections import Counter
from itertools import permutations
from typing import NamedTuple

import numpy as np
from hypothesis import strategies as st

from course_utils.games import after
from course_utils.search.uct import UctNode
from course_utils.tests.case import Case, Such, show
from course_utils.tests.catalogue import Wrong
from course_utils.tests.notebook_04.trees import GAME, SEEDS, SPOTS, WIDE, Choices, Spot, a_node, hang, nodes_of
from course_utils.tests.specification import Specification
from course_utils.tests.world.positions import other_order

REMEMBER = "What must the node remember, so that the same action is not tried twice?"


class Draw(NamedTuple):
    spot: Spot
    visits: int  # what other simulations have left at the node
    times: int  # expansions of the same node, as far as it has untried actions
    seed: int
    fewer: int = 0  # if not 0, the search looks at so many actions only


def with_choices(draw: Draw) -> UctNode:
    """A new node in its tree, which knows some of the positions that follow already, by another order of moves."""
    game, actions = draw.spot.game, draw.spot.reach(finished=False)[0]
    root = UctNode(game, game.initial_state())
    node = way(root, actions, game)
    for action in node.untried[:3]:
        if other := other_order(game, root.state, [*actions, action]):
            known = way(root, other, game) if other[:-1] != actions else node
            known.N, known.W, known.W2 = 9, 3.5, 8.0
    node.N, node.W, node.W2 = draw.visits, draw.visits / 2, draw.visits / 3
    if draw.fewer:
        node.untried = node.untried[: draw.fewer]
    return node


def way(node: UctNode, actions: list[int], game) -> UctNode:
    """The node that these actions lead to; those that are missing are hung into the tree."""
    for action in actions:
        node = node.children.get(action) or hang(node, action, game)
    return node


def expansion(uct_expand, node: UctNode, game, rng) -> str:
    """Expand once; a sentence about what is wrong then, or ""."""
    untried, children, before = list(node.untried), dict(node.children), others(node)
    child = uct_expand(node, game, rng)
    if complaint := a_node(child):
        return complaint
    action = child.parent_action
    if action not in untried:
        return f"child.parent_action is {show(action)}; untried were {untried}"
    if child.parent is not node:
        return "child.parent is not the node"
    if node.children != {**children, action: child}:
        return f"node.children has the keys {show(list(node.children))} and not just one child more, the one that was returned"
    if not isinstance(node.untried, list) or sorted([*node.untried, action]) != sorted(untried):
        return f"action {action} was tried, and node.untried is {show(node.untried)}; before, it was {untried}"
    if others(node, child) != before:
        return "something else in the tree has changed: the node's own numbers, or another node"
    if child.state != game.play(node.state, action):
        return f"child.state is not the position after action {action}"
    new = UctNode(game, child.state, node, action)
    if _rest(child) != _rest(new) or child.children or sorted(child.untried) != new.untried:
        return "the child is not like a new UctNode: no visits, no children, all its legal actions untried"
    return ""


def others(node: UctNode, child: UctNode | None = None) -> list[tuple]:
    """All nodes of the tree but for the child, and what a node holds; of this node only what no expansion changes."""
    top = node
    while top.parent is not None:
        top = top.parent
    return [
        (one, *_rest(one), *([] if one is node else [list(one.untried), list(one.children)]))
        for one in nodes_of(top)
        if one is not child
    ]


def _rest(node: UctNode) -> tuple:
    return node.state, node.N, node.W, node.W2, node.is_terminal, node.parent, node.parent_action


def run(uct_expand, draw: Draw) -> str:
    """Some expansions of a node, and then of another one that has the same position: it may be reached by another way."""
    for which in ("the node", "another node with the same state"):
        node, rng = with_choices(draw), np.random.default_rng(draw.seed)
        for number in range(min(draw.times, len(node.untried))):
            if complaint := expansion(uct_expand, node, draw.spot.game, rng):
                return f"call {number + 1} for {which}: {complaint}"
            for child in node.children.values():
                child.N, child.W, child.untried = 5, 2.5, []
    return "as it should be"


def shown(draw: Draw) -> str:
    fewer = f"node.untried = node.untried[:{draw.fewer}]\n" if draw.fewer else ""
    return (
        f"{draw.spot.text(finished=False)}node = UctNode(game, state)  # and node.N = {draw.visits}\n"
        f"{fewer}{draw.times} times: child = uct_expand(node, game, rng)\nthe same again for another such node"
    )


def by_hand(rng):
    seed = int(rng.integers(1000))
    position = after(GAME, [4, 0, 8])
    call = "node = UctNode(game, state)\nchild = uct_expand(node, game, rng)\n"

    def expanded(facts, times=1):
        def run(answer):
            node, generator = UctNode(GAME, position), np.random.default_rng(seed)
            for _ in range(times):
                child = answer(node, GAME, generator)
            return facts(node, child)

        return run

    yield Case(
        "child and parent know each other",
        expanded(lambda node, child: [child.parent is node, node.children.get(child.parent_action) is child]),
        [True, True],
        call + "child.parent is node, node.children[child.parent_action] is child",
        "How will selection find the child, and how will backup find the way up?",
        str(position),
        points=2,
    )
    yield Case(
        "one action leaves `untried`, and it is the one that was tried",
        expanded(lambda node, child: [len(node.untried), child.parent_action in node.untried]),
        [5, False],
        call + "len(node.untried), child.parent_action in node.untried",
        REMEMBER,
        str(position),
    )
    yield Case(
        "six expansions try all six actions, each once",
        expanded(lambda node, child: [sorted(node.children), list(node.untried)], times=6),
        [[1, 2, 3, 5, 6, 7], []],
        "6 times: uct_expand(node, game, rng)\nsorted(node.children), node.untried",
        REMEMBER,
        str(position),
        points=2,
    )
    for branching, picks, runs, known in ((3, 2, 700, 0), (8, 1, 800, 0), (173, 1, 700, 3)):
        game = Choices(1, branching, 1)
        legal = game.legal_actions(())[known:]

        def orders(answer, game=game, picks=picks, runs=runs, known=known):
            generator, counts = np.random.default_rng(seed), Counter()
            node = UctNode(game, ())
            for action in node.untried[:known]:
                hang(node, action, game)
            children, untried = node.children, node.untried
            for _ in range(runs):
                node.children, node.untried = dict(children), list(untried)
                counts[tuple([int(answer(node, game, generator).parent_action) for _ in range(picks)])] += 1
            return dict(counts)

        possible = list(permutations(legal, picks))
        share = 1 / len(possible)

        def even(counts, possible=possible, legal=legal, runs=runs) -> bool:
            groups = [[order] for order in possible] + [[o for o in possible if o[0] == action] for action in legal[:8]]
            groups.append(possible[: len(possible) // 2])  # together: each of many is rare
            seen = [(sum(counts.get(order, 0) for order in group), len(group) / len(possible)) for group in groups]
            return all(abs(times - p * runs) < 6 * (p * (1 - p) * runs) ** 0.5 for times, p in seen)

        yield Case(
            f"each of {len(legal)} untried actions is equally likely to be next" + " to three children" * (known > 0),
            orders,
            Such(f"each of {show(possible)} about {share * runs:.0f} times", even),
            f"{runs} times from a new node with {known} children and node.untried == {legal}: which {'two were' if picks == 2 else 'was'} tried first",
            "If some came first more often, which openings would a short search always look at?",
        )


LEGAL = "[action for action in game.legal_actions(node.state) if action not in node.children]"
POP = "node.untried.pop(int(rng.integers(len(node.untried))))"
WRONG = [
    Wrong(
        "action stays untried",
        "the action stays in `untried`: it is tried again and again, and its first child is lost each time",
        "What must change at the node, so that the next expansion tries something else?",
        (POP, "node.untried[int(rng.integers(len(node.untried)))]"),
    ),
    Wrong(
        "node.untried ignored",
        "it asks the game which actions are left, not the node: a search that looks at some moves only can't tell it so",
        "Which list says what is still to be tried at this node?",
        (POP, f"int(rng.choice({LEGAL}))\n    node.untried = [one for one in node.untried if one != action]"),
    ),
    Wrong(
        "child not hung into the tree",
        "the child is made, but the node doesn't know it: a root that never gets its children",
        "After the call, what does node.children hold?",
        ("    node.children[action] = child\n", ""),
    ),
    Wrong(
        "no parent",
        "the child does not know its parent, so the backup ends where it begins",
        "How does the result get from the child back to the root?",
        ("parent=node, parent_action=action", "parent=None, parent_action=action"),
    ),
    Wrong(
        "always the lowest action",
        "the untried actions are taken in ascending order, not by chance",
        "Which cells would a short search see first, every time?",
        (POP, "node.untried.pop(0)"),
    ),
    Wrong(
        "all children at once",
        "every untried action gets its child at once: that is the other variant of the algorithm",
        "How many nodes does one simulation add?",
        code="""
        def uct_expand(node, game, rng):
            for action in node.untried:
                node.children[action] = UctNode(game, game.play(node.state, action), node, action)
            node.untried = []
            return node.children[int(rng.choice(list(node.children)))]
        """,
    ),
    Wrong(
        "visit counted already",
        "expanding counts the visit, and the backup counts it once more",
        "How often does one simulation come through the child?",
        ("    return child", "    child.N += 1\n    return child"),
    ),
    Wrong(
        "own source of chance",
        "chance comes from a new generator, not from the one that was handed in: no search can be repeated",
        "What is the argument `rng` for?",
        ("int(rng.integers(len(node.untried)))", "int(np.random.default_rng().integers(len(node.untried)))"),
    ),
]


def expand_with_choice(node, game, rng):
    action = rng.choice(node.untried)
    node.untried.remove(action)
    child = UctNode(game, game.play(node.state, action), node, action)
    node.children[action] = child
    return child


def expand_with_new_list(node, game, rng):
    order = rng.permutation(node.untried).tolist()
    action, node.untried = order[0], order[1:]
    return node.children.setdefault(action, UctNode(game, game.play(node.state, action), node, action))


CHECK = Specification(
    draws=st.builds(
        Draw, st.one_of(SPOTS, SPOTS, WIDE), st.integers(0, 9), st.integers(1, 12), SEEDS, st.sampled_from([0, 1, 2])
    ),
    arguments=lambda draw: {
        "node": with_choices(draw),
        "game": draw.spot.game,
        "rng": np.random.default_rng(draw.seed),
    },
    oracle=lambda draw: "as it should be",
    judged=lambda child, arguments: [child.parent_action, sorted(arguments["node"].untried)],
    run=run,
    changes={"node"},
    shown=shown,
    board=lambda draw: draw.spot.drawn(finished=False),
    question=REMEMBER,
    by_hand=by_hand,
    wrong=WRONG,
    right=[expand_with_choice, expand_with_new_list],
)
