"""expand: one new node, tied to the tree in both directions."""

import inspect
from typing import NamedTuple

import numpy as np
from hypothesis import strategies as st

from course_utils.games import after
from course_utils.search import puct
from course_utils.search.puct import Node
from course_utils.tests.case import Case, Such, show
from course_utils.tests.catalogue import Wrong
from course_utils.tests.notebook_06 import trees
from course_utils.tests.notebook_06.trees import GAME, GAMES, Line, line
from course_utils.tests.specification import Specification, copies
from course_utils.tests.world.positions import other_order

AFTER = "Node works a new node's fields out from the state that it is given: is it the state after the move?"


# --- draws: some children of one node, each with a child of its own; and perhaps the same in a second tree ------------------


class Draw(NamedTuple):
    line: Line
    children: int
    trees: int


DRAWS = st.builds(Draw, trees.LINES, st.integers(1, 3), st.integers(1, 2))


@copies
def begin(draw: Draw) -> tuple[Node, list[int]]:
    """(the lowest node of the line at which something is left to expand, the actions to expand there).

    The tree knows some of the positions that they lead to, by another order of moves."""
    node = line(draw.line)[-1]
    while node.is_terminal or len(node.children) == node.legal.sum():
        if node.parent is None:  # everything has been expanded: a node's last child is taken away again
            node.children.popitem()
        else:
            node = node.parent
    free = [action for action in np.flatnonzero(node.legal).tolist() if action not in node.children]
    actions = np.random.default_rng(draw.line.seed).permutation(free).tolist()[: draw.children]
    game, root, way = GAMES[draw.line.game], trees.top(node), [below.parent_action for below in upwards(node)][::-1]
    for action in actions:
        known = root
        for step in other_order(game, root.state, [*way, action]):
            known = known.children.get(step) or trees.hang(known, step, game)
        if known is not root and not known.is_terminal:
            known.N[known.legal], known.W[known.legal], known.P[known.legal] = 4, -1.5, 1 / known.legal.sum()
    return node, actions


def run(expand, draw: Draw) -> list:
    """Whether each child is the node's and new, and each tree; a second is made after others have worked in the first."""
    game, found = GAMES[draw.line.game], []
    for _ in range(draw.trees):
        node, actions = begin(draw)
        for action in actions:
            child = expand(node, action, game)
            found.append([node.children.get(action) is child, float(child.N.sum()), len(child.children)])
            if not child.is_terminal:
                below = int(np.flatnonzero(child.legal)[-1])
                child.P[below], child.N[below], child.W[below] = 0.75, 1, -0.5
                expand(child, below, game)
        found.append(trees.told(trees.top(node)))
    return found


def judged(result, arguments) -> list:
    """Whether the new node is the child, and the whole tree."""
    node = arguments["node"]
    return [node.children.get(arguments["action"]) is result, trees.told(trees.top(node))]


def a_node(result) -> str:
    return "" if hasattr(result, "children") else f"expected the new node, got {show(result)}"


def shown(draw: Draw) -> str:
    node, actions = begin(draw)
    calls = [f"child = expand(node, {action}, game)" for action in actions]
    if not trees.hang(node, actions[0], GAMES[draw.line.game]).is_terminal:
        calls.insert(
            1, "child.P[a], child.N[a], child.W[a] = 0.75, 1, -0.5\nexpand(child, a, game)  # a: its last legal action"
        )
    again = "\n# and once more in a new tree" if draw.trees == 2 else ""
    return f"{trees.show_line(draw.line)}node = nodes[{len(upwards(node))}]\n" + "\n".join(calls) + again


def upwards(node: Node) -> list[Node]:
    return [] if node.parent is None else [node, *upwards(node.parent)]


# --- by hand -----------------------------------------------------------------------------------------------------------


def by_hand(rng):
    for name, actions, action, look, expected, call, question, points in [
        (
            "the child is the position after the action",
            [4],
            0,
            lambda node, child: trees.mover(child),
            "O . .\n. X .\n. . .\nX to move",
            "print(child.state)",
            "Which function of the game tells what a move leads to?",
            2,
        ),
        (
            "the child knows its parent and the action that led to it",
            [4],
            2,
            lambda node, child: [getattr(child, "parent", None) is node, getattr(child, "parent_action", None)],
            [True, 2],
            "child.parent is node, child.parent_action",
            "How will backup find its way up?",
            2,
        ),
        (
            "the parent knows its child, by the action",
            [4],
            2,
            lambda node, child: [sorted(node.children, key=str), node.children.get(2) is child],
            Such("[[2], True]", lambda value: value == [[2], True]),
            "list(node.children), node.children[2] is child",
            "How will the next walk find the child that you have made?",
            2,
        ),
        (
            "a winning move leads to a finished game that its player to move has lost",
            [0, 3, 1, 4],
            2,
            lambda node, child: [bool(child.is_terminal), float(child.terminal_value)],
            [True, -1.0],
            "child.is_terminal, child.terminal_value",
            AFTER,
            1,
        ),
    ]:

        def once(expand, at=(actions, action, look)):
            node = Node(GAME, after(GAME, at[0]))
            return at[2](node, expand(node, at[1], GAME))

        code = f"node = Node(game, after(game, {actions}))\nchild = expand(node, {action}, game)\n{call}"
        yield Case(name, once, expected, code, question, trees.mover(Node(GAME, after(GAME, actions))), points=points)

    def below(expand):
        root = trees.tree([], {(): {}, (4,): {}})
        child = expand(root.children[4], 0, GAME)
        return [trees.place(root, getattr(child, "parent", None)), list(root.children), list(root.children[4].children)]

    yield Case(
        "a child of a child",
        below,
        ["root/4", [4], [0]],
        "node = expand(root, 4, game)\nchild = expand(node, 0, game)\n"
        "which node child.parent is, list(root.children), list(node.children)",
        "Which node is the new one's parent: the one you were given, or the one above it?",
        "root --4--> node --0--> child",
    )

    def two(expand):
        node = Node(GAME, after(GAME, [4]))
        first, second = expand(node, 0, GAME), expand(node, 8, GAME)
        return [sorted(node.children, key=str), node.children.get(0) is first, node.children.get(8) is second]

    yield Case(
        "a second child leaves the first where it was",
        two,
        Such("[[0, 8], True, True]", lambda value: value == [[0, 8], True, True]),
        "first, second = expand(node, 0, game), expand(node, 8, game)\nlist(node.children), node.children[0] is first, ...",
        "Does your code add to the dictionary or put a new one in its place?",
    )


# --- wrong and right -----------------------------------------------------------------------------------------------------

WRONG = [
    Wrong(
        "children dictionary forgotten",
        "the child is made but not hung into the tree: the next simulation makes it again, and nothing is remembered",
        "How will the next walk find this child?",
        ("    node.children[action] = child\n", ""),
    ),
    Wrong(
        "parent forgotten",
        "the child does not know its parent: backup stops before it has begun",
        "How does backup climb up from here?",
        ("parent=node, parent_action=action", "parent_action=action"),
    ),
    Wrong(
        "action forgotten",
        "the child does not know which action led to it: backup can't tell whose N to count",
        "Which entry of the parent's N belongs to this child?",
        ("parent=node, parent_action=action", "parent=node"),
    ),
    Wrong(
        "the parent's parent",
        "the child is given its parent's parent: backup skips a level and every sign above is wrong",
        "Who is the parent of a child of `node`?",
        ("parent=node, parent_action", "parent=node.parent, parent_action"),
    ),
    Wrong(
        "position before the move",
        "the child has its parent's position: the move was never made",
        "States don't change: what does `game.play` give back?",
        (
            "child = Node(game, game.play(node.state, action),",
            "game.play(node.state, action)\n    child = Node(game, node.state,",
        ),
    ),
    Wrong(
        "parent's position overwritten",
        "the parent's own position is moved along: its other children will start from the wrong board",
        "Where do the other actions of `node` start from?",
        (
            "child = Node(game, game.play(node.state, action),",
            "node.state = game.play(node.state, action)\n    child = Node(game, node.state,",
        ),
    ),
    Wrong(
        "all children at once",
        "all children are made at once, as some rollout searches do; here a simulation adds one node",
        "How many children does the docstring speak of?",
        (
            "    return child",
            "    for other in game.legal_actions(node.state):\n"
            "        if other not in node.children:\n"
            "            node.children[other] = Node(game, game.play(node.state, other), node, other)\n"
            "    return child",
        ),
    ),
    Wrong(
        "other children lost",
        "the dictionary is replaced: children made earlier are lost",
        "What else was in `node.children`?",
        ("node.children[action] = child", "node.children = {action: child}"),
    ),
    Wrong(
        "returns nothing",
        "nothing is returned: the caller has no node to evaluate",
        "What will mcts_search do with the result?",
        ("return child", "return None"),
    ),
    Wrong(
        "counts the visit",
        "expand counts a visit: backup will count it again",
        "Which of the four verbs writes to N?",
        ("return child", "node.N[action] += 1\n    return child"),
    ),
    Wrong(
        "a copy of the parent",
        "the child is a shallow copy of its parent: it shares the parent's statistics and children",
        "Which fields of the copy are the very same objects as the parent's?",
        code="""
        def expand(node, action, game):
            import copy

            child = copy.copy(node)
            child.state = game.play(node.state, action)
            child.parent, child.parent_action = node, action
            node.children[action] = child
            return child
        """,
    ),
]

_space = dict(vars(puct))
exec(inspect.getsource(Node), _space)
OwnNode = _space["Node"]  # the same class made anew, as in the notebook


def expand_in_one_line(node, action, game):
    return node.children.setdefault(action, OwnNode(game, game.play(node.state, action), node, action))


def expand_step_by_step(node, action, game):
    next_state = game.play(node.state, action)
    child = Node(game, next_state)
    child.parent = node
    child.parent_action = action
    node.children.update({action: child})
    return child


def arguments(draw: Draw) -> dict:
    node, actions = begin(draw)
    return {"node": node, "action": actions[0], "game": GAMES[draw.line.game]}


CHECK = Specification(
    draws=DRAWS,
    edges=[
        # one after another ends the game
        *(Draw(Line(game, 5, 0, 1), 9, 1) for game in ("TicTacToe()", "Misere()")),
    ],
    examples=20,
    arguments=arguments,
    oracle=lambda draw: run(trees.hang, draw),
    run=run,
    judged=judged,
    returns=a_node,
    changes={"node"},
    shown=shown,
    board=lambda draw: trees.mover(begin(draw)[0]),
    question=AFTER,
    by_hand=by_hand,
    wrong=WRONG,
    right=[expand_in_one_line, expand_step_by_step],
)
