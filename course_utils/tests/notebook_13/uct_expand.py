"""uct_expand: one untried action becomes a child."""

import numpy as np
from hypothesis import strategies as st

from course_utils.games import ConnectN, TicTacToe
from course_utils.search.uct import UctNode
from course_utils.tests.catalogue import Wrong
from course_utils.tests.notebook_13.trees import a_node, line, misplaced
from course_utils.tests.scene import Scenes
from course_utils.tests.world.chance import near
from course_utils.tests.world.games import TreeGame

REMEMBER = "What must the node remember, so that the same action is not tried twice?"
PLACES = [  # moves, game
    ("[]", "TicTacToe()"),
    ("[4, 0, 8]", "TicTacToe()"),
    ("[0, 0, 1]", "ConnectN(3, 4, 3)"),
    ("[2]", "TreeGame({2: {1: 0, 4: [1, 0], 5: 1, 9: -1}, 3: 1})"),
]
LAST = ("[0, 4, 2, 1, 7, 3, 5, 8]", "TicTacToe()")  # one action is left


def scene(draw) -> str:
    """Several expansions of a node, of which a search may look at some actions only."""
    (moves, game), fewer, times, visits, seed = draw
    some = [f"node.untried = node.untried[{fewer}:]"] * (fewer > 0)
    return "\n".join([
        f"game, rng = {game}, np.random.default_rng({seed})",
        f"node = line({moves}, game)[-1]",
        f"node.N, node.W, node.W2 = {visits}, {visits / 2}, {visits}",
        *some,
        f"children = [uct_expand(node, game, rng) for _ in node.untried[:{times}]]",
        "told(node, children, game)",
    ])  # fmt: skip


def told(node: UctNode, children: list, game) -> dict:
    """What is the same whichever actions were drawn: how many there are, and what is wrong with the nodes."""
    return {
        "children": len(node.children),
        "tried or untried": [int(action) for action in sorted([*node.children, *node.untried])],
        "node": (node.N, node.W, node.W2),
        "wrong": list(filter(None, (fault(child, game) for child in children))),
    }


def fault(child: UctNode, game) -> str:
    if complaint := misplaced(child, game):
        return complaint
    if (child.N, child.W, child.W2, child.children) != (0, 0, 0, {}) or child.untried != game.legal_actions(
        child.state
    ):
        return f"the child by action {child.parent_action} is no new node: no visits, no children, all legal actions untried"
    return ""


BY_HAND = """
    child and parent know each other (2 points)
    >>> node, rng = line([4, 0, 8])[-1], np.random.default_rng(SEED)
    >>> child = uct_expand(node, TicTacToe(), rng)
    >>> child.parent is node, node.children.get(child.parent_action) is child
    True, True
    ? How will selection find the child, and how will backup find the way up?

    one action leaves `untried`, and it is the one that was tried
    >>> node, rng = line([4, 0, 8])[-1], np.random.default_rng(SEED)
    >>> child = uct_expand(node, TicTacToe(), rng)
    >>> len(node.untried), child.parent_action in node.untried
    5, False
    ? What must the node remember, so that the same action is not tried twice?

    six expansions try all six actions, each once (2 points)
    >>> node, rng = line([4, 0, 8])[-1], np.random.default_rng(SEED)
    >>> for _ in range(6):
    ...     child = uct_expand(node, TicTacToe(), rng)
    >>> sorted(node.children), list(node.untried)
    [1, 2, 3, 5, 6, 7], []
    ? What must the node remember, so that the same action is not tried twice?

    each action is equally likely to be tried first
    X X .
    O O .
    . . .
    >>> counts, rng = np.zeros(9), np.random.default_rng(SEED)
    >>> for _ in range(2000):
    ...     counts[uct_expand(line([0, 3, 1, 4])[-1], TicTacToe(), rng).parent_action] += 1
    >>> counts[[2, 5, 6, 7, 8]] / 2000
    near([0.2] * 5, times=2000)
    ? If some came first more often, which openings would a short search always look at?

    and so are those that are left when one has been tried
    >>> counts, rng = np.zeros(9), np.random.default_rng(SEED)
    >>> for _ in range(900):
    ...     counts[uct_expand(line([0, 4, 2, 1, 7, 3])[-2], TicTacToe(), rng).parent_action] += 1
    >>> counts[[5, 6, 8]] / 900
    near([1 / 3] * 3, times=900)
    ? If some came first more often, which openings would a short search always look at?

    the same generator tries the same actions, each time at the node that is given
    >>> orders = []
    >>> for rng in (np.random.default_rng(SEED), np.random.default_rng(SEED)):
    ...     node = line([])[0]
    ...     children = [uct_expand(node, TicTacToe(), rng) for _ in range(9)]
    ...     orders.append([child.parent_action for child in children if child.parent is node])
    >>> len(orders[0]), orders[0] == orders[1]
    9, True
    ? Where does your chance come from?
"""

LEGAL = "[action for action in game.legal_actions(node.state) if action not in node.children]"
POP = "node.untried.pop(int(rng.integers(len(node.untried))))"
# fmt: off
WRONG = [
    Wrong("action stays untried", "the action stays in `untried`: it is tried again and again, and its first child is lost each time",
          "What must change at the node, so that the next expansion tries something else?", (POP, "node.untried[int(rng.integers(len(node.untried)))]")),
    Wrong("node.untried ignored", "it asks the game which actions are left, not the node: a search that looks at some moves only can't tell it so",
          "Which list says what is still to be tried at this node?", (POP, f"int(rng.choice({LEGAL}))\n    node.untried = [one for one in node.untried if one != action]")),
    Wrong("child not hung into the tree", "the child is made, but the node doesn't know it: a root that never gets its children",
          "After the call, what does node.children hold?", ("    node.children[action] = child\n", "")),
    Wrong("no parent", "the child does not know its parent, so the backup ends where it begins",
          "How does the result get from the child back to the root?", ("parent=node, parent_action=action", "parent=None, parent_action=action")),
    Wrong("always the lowest action", "the untried actions are taken in ascending order, not by chance",
          "Which cells would a short search see first, every time?", (POP, "node.untried.pop(0)")),
    Wrong("the last action is never tried", "the range of the random index is one too short: the last untried action is never tried, and a single one is an error",
          "Does the upper end of `rng.integers` belong to the range?", ("rng.integers(len(node.untried))", "rng.integers(0, len(node.untried) - 1)")),
    Wrong("all children at once", "every untried action gets its child at once: that is the other variant of the algorithm",
          "How many nodes does one simulation add?", code="""
        def uct_expand(node, game, rng):
            for action in node.untried:
                node.children[action] = UctNode(game, game.play(node.state, action), node, action)
            node.untried = []
            return node.children[int(rng.choice(list(node.children)))]
        """),
    Wrong("visit counted already", "expanding counts the visit, and the backup counts it once more",
          "How often does one simulation come through the child?", ("    return child", "    child.N += 1\n    return child")),
    Wrong("own source of chance", "chance comes from a new generator, not from the one that was handed in: no search can be repeated",
          "What is the argument `rng` for?", ("int(rng.integers(len(node.untried)))", "int(np.random.default_rng().integers(len(node.untried)))")),
]
# fmt: on


def right_expand_with_choice(node, game, rng):
    action = rng.choice(node.untried)
    node.untried.remove(action)
    child = UctNode(game, game.play(node.state, action), node, action)
    node.children[action] = child
    return child


def right_expand_with_new_list(node, game, rng):
    order = rng.permutation(node.untried).tolist()
    action, node.untried = order[0], order[1:]
    return node.children.setdefault(action, UctNode(game, game.play(node.state, action), node, action))


CHECK = Scenes(
    draws=st.tuples(
        st.sampled_from(PLACES), st.sampled_from([0, 0, 1, 2]), st.integers(1, 9), st.integers(0, 9), st.integers(0, 99)
    ),
    returns=a_node,
    changes={"node"},
    fresh=False,
    edges=[(LAST, 0, 1, 3, 1)],
    question=REMEMBER,
)
