"""Checks of notebook 06: PUCT search.

Trees are made of real `Node`s, since an answer may use any of their fields; what an answer returns is judged by its fields alone,
since the notebook defines a `Node` of its own. Expected values are worked by hand or by plain loops below.
"""

from itertools import pairwise

import numpy as np

from course_utils.games import ConnectFour, TicTacToe, after
from course_utils.networks import UniformNetwork
from course_utils.search.puct import NO_ACTION, Node
from course_utils.tests.framework import Case, Raises, Such, check, wrong
from course_utils.tests.oracles import HashNetwork, WithPrior, puct_visits

GAME = TicTacToe()
THREE_LEFT = [0, 4, 8, 2, 6, 3]  # X to move; cells 1, 5 and 7 are free


# --- trees by hand ---------------------------------------------------------------------------------------------------

Tree = dict[tuple[int, ...], Node]  # the path of actions from the root -> the node there


def _tree(actions: list[int], statistics: dict, game=GAME) -> Tree:
    """A tree whose root is the position after `actions`.

    Args:
        statistics: for each path that has a node, parents first: {action: (N, W, P)}. A root that stands alone gets the
            children that its N speaks of.
    """
    nodes = {(): Node(game, after(game, actions))}
    for path, edges in statistics.items():
        if path:
            parent, action = nodes[path[:-1]], path[-1]
            nodes[path] = parent.children[action] = Node(game, game.play(parent.state, action), parent, action)
        for action, (visits, total, prior) in edges.items():
            nodes[path].N[action], nodes[path].W[action], nodes[path].P[action] = visits, total, prior
    if len(statistics) == 1:
        root = nodes[()]
        for action in np.flatnonzero(root.legal & (root.N > 0)).tolist():
            root.children[action] = Node(game, game.play(root.state, action), root, action)
    return nodes


def _node(actions: list[int], edges: dict, game=GAME) -> Node:
    return _tree(actions, {(): edges}, game)[()]


def _begin(game) -> tuple[str, str]:
    """(lines to paste first, the game's name in them): `game` is the notebook's own tic-tac-toe."""
    if isinstance(game, TicTacToe):
        return "", "game"
    return "from course_utils.games import ConnectFour\n\nconnect_four = ConnectFour()\n", "connect_four"


def _lines(actions: list[int], edges: dict, game=GAME) -> str:
    """A node by hand, as lines to paste."""
    first, name = _begin(game)
    visits, total, prior = (list(column) for column in zip(*edges.values(), strict=True))
    return (
        f"{first}node = Node({name}, after({name}, {actions}))\n"
        f"node.N[{list(edges)}] = {visits}\nnode.W[{list(edges)}] = {total}\nnode.P[{list(edges)}] = {prior}\n"
    )


def _name(path: tuple[int, ...]) -> str:
    return "/".join(["root", *map(str, path)])


def _picture(nodes: Tree) -> str:
    """The board of the root, and every node's statistics."""
    lines = [str(nodes[()].state), ""]
    for path, node in nodes.items():
        if node.is_terminal:
            lines.append(f"{_name(path)}: the game is over")
            continue
        known = (node.N > 0) | (node.P > 0)  # in a tree of several nodes, only what there is to say
        actions = np.flatnonzero(known if len(nodes) > 1 and known.any() else known | node.legal).tolist()
        rows = [("action", actions)]
        rows += [(key, [getattr(node, key)[action].item() for action in actions]) for key in ("N", "W", "P")]
        lines.append(f"{_name(path)}: children {list(node.children) or 'none'}")
        lines += [f"  {key:7}" + "".join(f"{value:8.4g}" for value in values) for key, values in rows]
    return "\n".join(lines)


def _statistics(nodes: Tree) -> list:
    """All that a tree remembers, as plain data."""
    return [
        [_name(path), node.N.tolist(), node.W.tolist(), node.P.tolist(), sorted(node.children), str(node.state)]
        for path, node in nodes.items()
    ]


def _scores(node: Node, c_puct: float) -> dict[int, float]:
    """Q + U of each legal action, in plain numbers."""
    legal = [action for action in range(len(node.N)) if node.legal[action]]
    simulations = sum(float(n) for n in node.N)
    scores = {}
    for action in legal:
        n, w, p = float(node.N[action]), float(node.W[action]), float(node.P[action])
        scores[action] = (w / n if n > 0 else 0.0) + c_puct * p * (1 + simulations) ** 0.5 / (1 + n)
    return scores


def _best(node: Node, c_puct: float) -> int:
    scores = _scores(node, c_puct)
    return min(scores, key=lambda action: (-scores[action], action))


def _clear(node: Node, c_puct: float) -> bool:
    """Whether the best action is ahead of the second by more than rounding can matter."""
    best, second = sorted(_scores(node, c_puct).values(), reverse=True)[:2]
    return best - second > 1e-6


def _is_number(value) -> bool:
    return isinstance(value, int | float | np.integer | np.floating) and not isinstance(value, bool)


# --- select_child ----------------------------------------------------------------------------------------------------


def _random_nodes(seed: int, count: int) -> list[Node]:
    rng = np.random.default_rng(seed)
    nodes = []
    while len(nodes) < count:
        actions: list[int] = []
        while len(actions) < rng.integers(0, 6):
            actions.append(int(rng.choice(GAME.legal_actions(after(GAME, actions)))))
            if GAME.is_terminal(after(GAME, actions)):
                actions = []
        legal = GAME.legal_actions(after(GAME, actions))
        visits = rng.integers(0, 9, size=len(legal))
        total = visits * rng.uniform(-1, 1, size=len(legal)).round(2)
        prior = rng.dirichlet(np.ones(len(legal)))
        edges = dict(zip(legal, zip(visits.tolist(), total.tolist(), prior.tolist(), strict=True), strict=True))
        node = _node(actions, edges)
        if _clear(node, 1.5):
            nodes.append(node)
    return nodes


def _one_child(
    name: str, edges: dict, c_puct: float, expected: int, question: str, actions=(), game=GAME, **rest
) -> Case:
    actions = list(actions)
    return Case(
        name,
        lambda select_child: select_child(_node(actions, edges, game), c_puct),
        expected,
        f"{_lines(actions, edges, game)}select_child(node, {c_puct})",
        question,
        _picture({(): _node(actions, edges, game)}),
        **rest,
    )


@check
def select_child(rng):
    yield _one_child(
        "before the first simulation the prior decides",
        {0: (0, 0, 0.2), 1: (0, 0, 0.05), 2: (0, 0, 0.1), 4: (0, 0, 0.4), 8: (0, 0, 0.25)},
        1.5,
        4,
        "All N are 0: what is under the square root then, and what would be left of U if it were 0?",
    )
    yield _one_child(
        "an action never tried may be worth a try",
        {1: (6, 3.0, 0.5), 5: (3, 0.6, 0.3), 7: (0, 0, 0.2)},
        1.5,
        7,
        "Work the three scores by hand: 0.839, 0.556 and 0.949. Which of them does your code give?",
        THREE_LEFT,
    )
    edges = {1: (6, 3.0, 0.5), 5: (3, 0.6, 0.3), 7: (0, 0, 0.2)}
    constants = [0.0, 0.5, 1.0, 1.2, 1.26, 1.5, 3.0]
    yield Case(
        "c_puct weighs exploration against the mean value",
        lambda select_child: [select_child(_node(THREE_LEFT, edges), c_puct) for c_puct in constants],
        [1, 1, 1, 1, 7, 7, 7],
        f"{_lines(THREE_LEFT, edges)}[select_child(node, c_puct) for c_puct in {constants}]",
        "Which part of the score does c_puct multiply? At 0, what is left?",
        _picture({(): _node(THREE_LEFT, edges)}),
        points=2,
    )
    yield _one_child(
        "an action that was never tried counts as 0, not as infinitely good",
        {1: (4, 3.6, 0.9), 5: (0, 0, 0.05), 7: (1, 0.2, 0.05)},
        1.0,
        1,
        "In notebook 04 every child had to be tried once before any was tried twice. What stands in that place here?",
        THREE_LEFT,
    )
    yield _one_child(
        "a mean value, not a sum",
        {1: (40, 10.0, 0.2), 5: (2, 1.6, 0.4), 7: (4, 0.4, 0.4)},
        0.5,
        5,
        "W grows with every visit. What is it divided by?",
        THREE_LEFT,
    )
    yield _one_child(
        "an illegal action is not taken even when all legal ones lose",
        {1: (20, -18, 0.3), 5: (20, -10, 0.4), 7: (20, -19, 0.3)},
        1.5,
        5,
        "Every legal score is below 0 here. What does an illegal action score, and is that below them all?",
        THREE_LEFT,
        points=2,
    )
    yield _one_child(
        "nor when no legal action has any hope left",
        {1: (3, -3, 0.5), 5: (2, -2, 0.3), 7: (2, -2, 0.2)},
        0.0,
        1,
        "Every legal score is -1 here, as low as a score can be. What does an illegal action score?",
        THREE_LEFT,
    )
    yield _one_child(
        "an illegal action is not taken whatever its prior",
        {1: (2, 0.2, 0.1), 4: (0, 0, 0.6), 5: (1, -0.5, 0.2), 7: (3, 0.3, 0.1)},
        1.5,
        1,
        "Which field of the node says what may be played?",
        THREE_LEFT,
    )
    yield _one_child(
        "a legal action with prior 0 may still be the best",
        {1: (5, -4, 1.0), 5: (0, 0, 0.0), 7: (3, -2, 0.0)},
        1.5,
        5,
        "A prior can be rounded down to 0. Is the action illegal then?",
        THREE_LEFT,
    )

    def ties(select_child):
        fresh = dict.fromkeys(range(1, 9), (0, 0, 0.125))
        visited = {1: (2, 0.5, 0.2), 5: (3, 0.75, 0.4), 7: (3, 0.75, 0.4)}
        return [select_child(_node([0], fresh), 1.5), select_child(_node(THREE_LEFT, visited), 1.5)]

    yield Case(
        "ties go to the lowest action",
        ties,
        [1, 5],
        "select_child(node, 1.5), with equal scores for actions 1 to 8; then with equal scores for 5 and 7, 1 being worse",
        "Of several best scores, which one does your code keep: the first or the last that it meets?",
    )
    seed = int(rng.integers(2**31))
    yield Case(
        "forty random nodes",
        lambda select_child: [select_child(node, 1.5) for node in _random_nodes(seed, 40)],
        [_best(node, 1.5) for node in _random_nodes(seed, 40)],
        "[select_child(node, 1.5) for node in forty nodes with random statistics]",
        "Write the formula down term by term: Q, c_puct, P, 1 + the sum of all N under the square root, 1 + N of the action.",
        points=2,
    )
    columns = {0: (3, -1, 0.1), 2: (1, 0.4, 0.2), 3: (7, 2.1, 0.3), 5: (2, 0.8, 0.25), 6: (0, 0, 0.15)}
    yield _one_child(
        "Connect Four, where an action is one of seven columns",
        columns,
        2.0,
        _best(_node([3, 3], columns, ConnectFour()), 2.0),
        "Did you write the number 9 anywhere?",
        [3, 3],
        ConnectFour(),
    )
    yield Case(
        "returns a plain int",
        lambda select_child: type(select_child(_node(THREE_LEFT, edges), 1.5)).__name__,
        "int",
        "type(select_child(node, 1.5))",
        "numpy answers with its own integers; they end up as keys, in files and in messages. How do you turn one into an int?",
    )

    def untouched(select_child):
        nodes = _tree(THREE_LEFT, {(): edges})
        select_child(nodes[()], 1.5)
        return _statistics(nodes)

    yield Case(
        "only looks: the node stays as it was",
        untouched,
        Such("N, W, P and children unchanged", lambda kept: kept == _statistics(_tree(THREE_LEFT, {(): edges}))),
        "select_child(node, 1.5), then looking at the node again",
        "Which step of the search counts visits?",
    )


SCORE = "score = np.where(node.legal, node.Q + U, -np.inf)"
EXPLORATION = "U = c_puct * node.P * np.sqrt(1 + node.N.sum()) / (1 + node.N)"

wrong(
    "select_child",
    "sqrt of the sum of N, without the 1",
    "the 1 under the square root is missing: before the first simulation every U is 0 and the prior has no say",
    "What is the sum of N at a node that was just made, and what does that do to U?",
    ("np.sqrt(1 + node.N.sum())", "np.sqrt(node.N.sum())"),
)
wrong(
    "select_child",
    "ln for sqrt",
    "U grows with the logarithm of the visits, as in UCT, instead of their square root",
    "Which function of the visits does PUCT take?",
    ("np.sqrt(1 + node.N.sum())", "np.log(1 + node.N.sum())"),
)
wrong(
    "select_child",
    "the formula of notebook 04",
    "this is UCT with its square root of ln N_parent / N: the prior is not used at all",
    "Where does the network's opinion enter the score?",
    (
        EXPLORATION,
        "U = np.where(node.N > 0, c_puct * np.sqrt(np.log(max(node.N.sum(), 1)) / np.maximum(node.N, 1)), np.inf)",
    ),
)
wrong(
    "select_child",
    "U not divided",
    "U is not divided by 1 + N: trying an action over and over never makes it less attractive",
    "What should happen to an action's U each time it is tried?",
    (" / (1 + node.N)", ""),
)
wrong(
    "select_child",
    "U divided by N",
    "U is divided by N (at least 1) instead of 1 + N: the first visit costs an action nothing",
    "By how much does U fall from no visit to one?",
    ("(1 + node.N)", "np.maximum(node.N, 1)"),
)
wrong(
    "select_child",
    "sqrt of the action's own visits",
    "the visits under the square root are the action's own instead of all actions' together",
    "An action that is never tried should become more attractive while others are tried. Which N grows then?",
    ("np.sqrt(1 + node.N.sum())", "np.sqrt(1 + node.N)"),
)
wrong(
    "select_child",
    "c_puct under the square root",
    "c_puct stands under the square root",
    "Double c_puct: should U double?",
    (EXPLORATION, "U = node.P * np.sqrt(c_puct * (1 + node.N.sum())) / (1 + node.N)"),
)
wrong(
    "select_child",
    "untried first",
    "an action without a visit counts as infinitely good, as in notebook 04: the prior can't hold anything back",
    "With 7 columns that is bearable, with 19 x 19 points it is not. What does PUCT assume of an untried action?",
    ("node.Q + U", "np.where(node.N > 0, node.Q + U, np.inf)"),
)
wrong(
    "select_child",
    "illegal actions not masked",
    "illegal actions take part in the comparison",
    "What may the player to move play here?",
    (SCORE, "score = node.Q + U"),
)
wrong(
    "select_child",
    "illegal actions masked with 0",
    "an illegal action scores 0: it wins as soon as all legal ones are below 0",
    "Which number is below every score that can occur?",
    (SCORE, "score = np.where(node.legal, node.Q + U, 0)"),
)
wrong(
    "select_child",
    "illegal actions masked with -1",
    "an illegal action scores -1: so does a legal one that has only lost, and of two equals the lower is taken",
    "Which number is below every score that can occur, and not only equal to the lowest?",
    (SCORE, "score = np.where(node.legal, node.Q + U, -1)"),
)
wrong(
    "select_child",
    "masked by prior",
    "an action with prior 0 is taken for illegal",
    "Which field says what is legal?",
    ("np.where(node.legal,", "np.where(node.P > 0,"),
)
wrong(
    "select_child",
    "the opponent's point of view",
    "the mean value enters with a minus: the player to move picks what is good for the opponent",
    "W is in the perspective of the node's own player. Does it need another sign here?",
    ("node.Q + U", "-node.Q + U"),
)
wrong(
    "select_child",
    "sum instead of mean",
    "W is used where Q belongs: an action looks better the more often it was tried",
    "What is W divided by to become a mean?",
    ("node.Q + U", "node.W + U"),
)
wrong(
    "select_child",
    "Q forgotten",
    "only U is compared: what the simulations brought back is not used",
    "Which term remembers how good an action turned out to be?",
    ("node.Q + U", "U"),
)
wrong(
    "select_child",
    "c_puct forgotten",
    "c_puct is not used",
    "What should happen at c_puct = 0?",
    ("c_puct * node.P", "node.P"),
)
wrong(
    "select_child",
    "prior forgotten",
    "the prior is not used: the network's hint about good moves is lost",
    "What would change in your code if the network preferred another action?",
    ("c_puct * node.P", "c_puct"),
)
wrong(
    "select_child",
    "most visited",
    "the most visited action is taken: that is how a move is chosen *after* the search",
    "If the most visited action is visited again, when does any other get its turn?",
    (SCORE, "score = np.where(node.legal, node.N, -np.inf)"),
)
wrong(
    "select_child",
    "highest on ties",
    "of several equal scores the last is taken",
    "Does your comparison replace the best so far when a new one only equals it?",
    ("int(np.argmax(score))", "int(len(score) - 1 - np.argmax(score[::-1]))"),
)
wrong(
    "select_child",
    "position among the legal actions",
    "the result is the position in the list of legal actions, not the action",
    "If cells 1, 5 and 7 are free and the last is best: what must come back, 2 or 7?",
    ("int(np.argmax(score))", "int(np.argmax(score[node.legal]))"),
)
wrong(
    "select_child",
    "numpy integer",
    "the result is numpy's own integer",
    "What does `type(...)` say of your result?",
    ("int(np.argmax(score))", "np.argmax(score)"),
)
wrong(
    "select_child",
    "the score instead of the action",
    "the best score is returned, not the action that has it",
    "The caller wants to play something: is your result a move?",
    ("int(np.argmax(score))", "float(np.max(score))"),
)
wrong(
    "select_child",
    "counts the visit",
    "select_child counts a visit itself: backup will count it again",
    "Which of the four steps writes to N?",
    ("return int(np.argmax(score))", "action = int(np.argmax(score))\n    node.N[action] += 1\n    return action"),
)


# --- select ----------------------------------------------------------------------------------------------------------


def _grown(seed: int, simulations: int, c_puct: float) -> Tree:
    """A tree grown by a plain loop, with random priors and values."""
    rng = np.random.default_rng(seed)
    nodes = _tree([int(rng.integers(9))], {(): {}})

    def look(node):
        if node.is_terminal:
            return node.terminal_value
        actions = np.flatnonzero(node.legal)
        node.P[actions] = rng.dirichlet(np.ones(len(actions)))
        return rng.uniform(-0.9, 0.9)

    look(nodes[()])
    for _ in range(simulations):
        path = _walk(nodes, c_puct)
        if path not in nodes:
            parent = nodes[path[:-1]]
            nodes[path] = parent.children[path[-1]] = Node(GAME, GAME.play(parent.state, path[-1]), parent, path[-1])
        value = look(nodes[path])
        for depth in range(len(path)):
            sign = 1 if (len(path) - depth) % 2 == 0 else -1  # whose turn it is above, seen from the leaf
            nodes[path[:depth]].N[path[depth]] += 1
            nodes[path[:depth]].W[path[depth]] += sign * value
    return nodes


def _walk(nodes: Tree, c_puct: float) -> tuple[int, ...]:
    """The path of a simulation: to a place without a node, or to a finished game."""
    path: tuple[int, ...] = ()
    while path in nodes and not nodes[path].is_terminal:
        path = (*path, _best(nodes[path], c_puct))
    return path


def _found(nodes: Tree, result):
    """What `select` returned, in words: where its node stands, and the action."""
    if not isinstance(result, tuple | list) or len(result) != 2:
        return f"not a pair, but {type(result).__name__}"
    node, action = result
    where = next((_name(path) for path, known in nodes.items() if known is node), "")
    if not where and hasattr(node, "parent_action"):
        where = "a node that was not in the tree"
    if not _is_number(action):
        action = "a node" if hasattr(action, "parent_action") else str(action)
    return (where or f"not a node, but {type(node).__name__}", action)


def _selects(
    name: str, actions: list[int], statistics: dict, expected: tuple, question: str, c_puct=1.5, **rest
) -> Case:
    def run(select):
        nodes = _tree(actions, statistics)
        if len(statistics) == 1:
            nodes[()].children.clear()
        return _found(nodes, select(nodes[()], c_puct))

    nodes = _tree(actions, statistics)
    return Case(name, run, expected, f"node, action = select(root, {c_puct})", question, _picture(nodes), **rest)


@check
def select(rng):
    yield _selects(
        "a root without children: the place to expand is the root itself",
        [],
        {(): {0: (0, 0, 0.2), 4: (0, 0, 0.5), 8: (0, 0, 0.3)}},
        ("root", 4),
        "The best action has no child yet. At which node will that child be hung?",
    )
    one_child = {
        (): {0: (0, 0, 0.2), 4: (1, 0.3, 0.5), 8: (0, 0, 0.3)},
        (4,): {0: (0, 0, 0.6), 1: (0, 0, 0.4)},
    }
    yield _selects(
        "goes on to a child that was made but never gone through",
        [],
        one_child,
        ("root/4", 0),
        "The child has been evaluated, so its priors are known. What does the next simulation do when it comes to it?",
        points=2,
    )
    yield _selects(
        "stops at the root when the best action has no child, though another has",
        [],
        {(): {0: (0, 0, 0.5), 4: (1, -0.9, 0.4), 8: (0, 0, 0.1)}, (4,): {0: (0, 0, 0.6), 1: (0, 0, 0.4)}},
        ("root", 0),
        "Does your walk ask for *a* child or for the child of the best action?",
    )
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
    yield _selects(
        "walks down several levels, by the best action of each",
        [],
        deep,
        ("root/0/4/8/7", 3),
        "At each level it is somebody else's turn, and each node keeps its own statistics. Which node does each step ask?",
        points=2,
    )
    wins = {
        (): {1: (1, 0.0, 0.3), 5: (1, -0.2, 0.3), 7: (3, 3.0, 0.4)},
        (1,): {5: (0, 0, 0.5), 7: (0, 0, 0.5)},
        (5,): {1: (0, 0, 0.5), 7: (0, 0, 0.5)},
        (7,): {},
    }
    yield _selects(
        "a walk that ends at a finished game has nothing to expand",
        THREE_LEFT,
        wins,
        ("root/7", NO_ACTION),
        "The game is over there: nothing can be played. What does the docstring say comes back in place of an action?",
        points=2,
    )
    yield _selects(
        "a root that is a finished game",
        [0, 3, 1, 4, 2],
        {(): {}},
        ("root", NO_ACTION),
        "When do you ask whether the game is over: before or after choosing an action?",
    )
    choice = {
        (): {0: (3, 1.5, 0.1), 4: (1, 0.0, 0.9)},
        (0,): {4: (2, -0.2, 0.1), 8: (0, 0, 0.9)},
        (4,): {0: (0, 0, 1.0)},
        (0, 4): {8: (1, 0.2, 0.1), 2: (0, 0, 0.9)},
        (0, 4, 8): {2: (0, 0, 1.0)},
    }

    def constants(select):
        found = []
        for c_puct in (0.0, 0.1, 0.6, 3.0):
            nodes = _tree([], choice)
            found.append(_found(nodes, select(nodes[()], c_puct)))
        return found

    yield Case(
        "c_puct changes the way down",
        constants,
        [_expected_place(_tree([], choice), c_puct) for c_puct in (0.0, 0.1, 0.6, 3.0)],
        "[select(root, c_puct) for c_puct in (0.0, 0.1, 0.6, 3.0)]",
        "Is the c_puct that you were given the one that you hand on?",
        _picture(_tree([], choice)),
    )
    seed = int(rng.integers(2**31))

    def many(select):
        found = []
        for simulations in range(1, 60, 2):
            nodes = _grown(seed, simulations, 1.4)
            found.append(_found(nodes, select(nodes[()], 1.4)))
        return found

    yield Case(
        "a growing tree, looked at thirty times",
        many,
        [_expected_place(_grown(seed, simulations, 1.4), 1.4) for simulations in range(1, 60, 2)],
        "select(root, 1.4), for trees of 1, 3, 5 ... 59 simulations",
        "Draw the first tree for which the place is wrong, and walk it with a finger.",
        points=2,
    )

    def untouched(select):
        nodes = _tree([], deep)
        select(nodes[()], 1.5)
        return _statistics(nodes)

    yield Case(
        "only walks: the tree stays as it was",
        untouched,
        Such("no child added, N, W and P unchanged", lambda kept: kept == _statistics(_tree([], deep))),
        "select(root, 1.5), then looking at the tree again",
        "Select finds the place. Who makes the child, and who counts the visit?",
        _picture(_tree([], deep)),
    )


def _expected_place(nodes: Tree, c_puct: float) -> tuple[str, int]:
    path = _walk(nodes, c_puct)
    return (_name(path), NO_ACTION) if path in nodes else (_name(path[:-1]), path[-1])


wrong(
    "select",
    "no walk",
    "select looks at the root only: nothing below its children is ever searched",
    "The best action has a child already. What now?",
    code="""
    def select(root, c_puct):
        if root.is_terminal:
            return root, NO_ACTION
        return root, select_child(root, c_puct)
    """,
)
wrong(
    "select",
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
)
wrong(
    "select",
    "stops at an unvisited child",
    "the walk stops at a child that exists but was never gone through, with nothing to expand: it would be evaluated twice",
    "That child was evaluated when it was made. What is new about stopping there again?",
    (
        "node = node.children[action]",
        "node = node.children[action]\n        if node.N.sum() == 0:\n            return node, NO_ACTION",
    ),
)
wrong(
    "select",
    "does not stop at a finished game",
    "0, a cell, comes back at a finished game: an action is chosen although none is legal",
    "All scores are minus infinity there: what does argmax make of that?",
    ("while not node.is_terminal:", "while True:"),
)
for nothing in ("-1", "None"):
    wrong(
        "select",
        f"{nothing} for no action",
        f"{nothing} is returned at a finished game instead of NO_ACTION",
        "A list has an element -1, and cell 0 exists. Which value was agreed on, and why such an odd one?",
        ("return node, NO_ACTION", f"return node, {nothing}"),
    )
wrong(
    "select",
    "c_puct ignored",
    "the walk uses a c_puct of its own instead of the one it is given",
    "What does your call of select_child hand on?",
    ("select_child(node, c_puct)", "select_child(node, 1.0)"),
)
wrong(
    "select",
    "the child instead of the node",
    "the child is made and returned: that is the work of expand, and then mcts_search would expand a second time",
    "Which node will get a new child: the one you return, or its parent?",
    (
        "            return node, action\n",
        "            game = _TicTacToe()\n"
        "            return Node(game, game.play(node.state, action), node, action), action\n",
    ),
    ("def select(", "from course_utils.games import TicTacToe as _TicTacToe\n\n\ndef select("),
)
wrong(
    "select",
    "select that expands",
    "select hangs the new child into the tree itself",
    "Which of the four verbs makes nodes?",
    (
        "            return node, action\n",
        "            expand(node, action, _TicTacToe())\n            return node, action\n",
    ),
    ("def select(", "from course_utils.games import TicTacToe as _TicTacToe\n\n\ndef select("),
)
wrong(
    "select",
    "nothing to expand",
    "NO_ACTION comes back although there is something to expand",
    "What should the caller expand if you don't say which action?",
    ("return node, action", "return node, NO_ACTION"),
)
wrong(
    "select",
    "action first",
    "the pair comes in the order (action, node)",
    "What does the docstring return first?",
    ("return node, action", "return action, node"),
    ("return node, NO_ACTION", "return NO_ACTION, node"),
)
wrong(
    "select",
    "only the node",
    "the node is returned without the action",
    "How will the caller know what to expand?",
    ("return node, action", "return node"),
    ("return node, NO_ACTION", "return node"),
)
wrong(
    "select",
    "the way that led there",
    "the action that led to the node is returned instead of the one to take next",
    "Are you telling where you came from or where to go on?",
    ("return node, action", "return node, node.parent_action"),
)
wrong(
    "select",
    "always the root",
    "every level asks the root again instead of the node that the walk has come to",
    "Whose statistics decide on the second level?",
    ("select_child(node, c_puct)", "select_child(root, c_puct)"),
)
wrong(
    "select",
    "most visited on the way",
    "the walk follows the most visited action: it never leaves the beaten path",
    "What lets a simulation try something else?",
    ("select_child(node, c_puct)", "int(np.argmax(node.N))"),
)
wrong(
    "select",
    "best prior on the way",
    "the walk follows the prior alone: what the simulations found out is never used",
    "Which function weighs value and prior against each other?",
    ("select_child(node, c_puct)", "int(np.argmax(node.P))"),
)
wrong(
    "select",
    "best mean on the way",
    "the walk follows the best mean value alone: it explores nothing",
    "What is the U in Q + U for?",
    ("select_child(node, c_puct)", "int(np.argmax(np.where(node.legal, node.Q, -np.inf)))"),
)
wrong(
    "select",
    "counts visits on the way",
    "visits are counted on the way down: backup will count them again on the way up",
    "Which of the four verbs writes to N?",
    ("node = node.children[action]", "node.N[action] += 1\n        node = node.children[action]"),
)
wrong(
    "select",
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
)


# --- expand ----------------------------------------------------------------------------------------------------------


def _position(node) -> str:
    """A node's position and whose turn it is there."""
    state = getattr(node, "state", None)
    if not hasattr(state, "to_play"):
        return f"no node with a state, but {type(node).__name__}"
    return f"{state}\n{'X' if state.to_play == 1 else 'O'} to move"


def _expands(name: str, actions: list[int], action: int, look, expected, call: str, question: str, **rest) -> Case:
    """A case that expands once from the position after `actions`; `look(node, child)` is what is judged."""

    def run(expand):
        node = _node(actions, {})
        return look(node, expand(node, action, GAME))

    code = f"node = Node(game, after(game, {actions}))\nchild = expand(node, {action}, game)\n{call}"
    return Case(name, run, expected, code, question, _position(_node(actions, {})), **rest)


@check
def expand(rng):
    yield _expands(
        "the child is the position after the action",
        [4],
        0,
        lambda node, child: _position(child),
        "O . .\n. X .\n. . .\nX to move",
        "print(child.state)",
        "Which function of the game tells what a move leads to?",
        points=2,
    )
    yield _expands(
        "the child knows its parent and the action that led to it",
        [4],
        2,
        lambda node, child: [getattr(child, "parent", None) is node, getattr(child, "parent_action", None)],
        [True, 2],
        "child.parent is node, child.parent_action",
        "How will backup find its way up?",
        points=2,
    )
    yield _expands(
        "the parent knows its child, by the action",
        [4],
        2,
        lambda node, child: [sorted(node.children, key=str), node.children.get(2) is child],
        Such("[[2], True]", lambda value: value == [[2], True]),
        "list(node.children), node.children[2] is child",
        "How will the next walk find the child that you have made?",
        points=2,
    )

    def two(expand):
        node = _node([4], {})
        first = expand(node, 0, GAME)
        second = expand(node, 8, GAME)
        return [sorted(node.children, key=str), node.children.get(0) is first, node.children.get(8) is second]

    yield Case(
        "a second child leaves the first where it was",
        two,
        Such("[[0, 8], True, True]", lambda value: value == [[0, 8], True, True]),
        "first, second = expand(node, 0, game), expand(node, 8, game)\nlist(node.children), node.children[0] is first, ...",
        "Does your code add to the dictionary or put a new one in its place?",
    )
    yield _expands(
        "the child starts with empty statistics of its own",
        [4],
        2,
        lambda node, child: [child.N.tolist(), child.W.tolist(), child.legal.tolist(), len(child.children)],
        [[0] * 9, [0] * 9, [i not in (2, 4) for i in range(9)], 0],
        "child.N, child.W, child.legal, len(child.children)",
        "The class Node fills in a new node's fields. Do you make a new one?",
    )
    yield _expands(
        "a winning move leads to a finished game that its player to move has lost",
        [0, 3, 1, 4],
        2,
        lambda node, child: [bool(child.is_terminal), float(child.terminal_value)],
        [True, -1.0],
        "child.is_terminal, child.terminal_value",
        "Node works this out from the state that it is given: is it the state after the move?",
    )
    draw = [0, 1, 2, 4, 3, 5, 7, 6]
    yield _expands(
        "the last free cell leads to a draw",
        draw,
        8,
        lambda node, child: [bool(child.is_terminal), float(child.terminal_value), int(np.sum(child.legal))],
        [True, 0.0, 0],
        "child.is_terminal, child.terminal_value, child.legal.sum()",
        "Node works this out from the state that it is given: is it the state after the move?",
    )

    def below(expand):
        nodes = _tree([], {(): {}, (4,): {}})
        child = expand(nodes[(4,)], 0, GAME)
        whose = next((_name(path) for path, node in nodes.items() if node is getattr(child, "parent", None)), "nobody")
        children = [sorted(nodes[path].children, key=str) for path in ((4,), ())]
        return f"{_position(child)}; its parent is {whose}; children of root/4: {children[0]}; children of root: {children[1]}"

    yield Case(
        "a child of a child",
        below,
        "O . .\n. X .\n. . .\nX to move; its parent is root/4; children of root/4: [0]; children of root: [4]",
        "root = Node(game, game.initial_state())\nroot.children[4] = Node(game, game.play(root.state, 4), root, 4)\n"
        "child = expand(root.children[4], 0, game)\n"
        "child.state, child.parent, list(root.children[4].children), list(root.children)",
        "Which node is the new one's parent: the one you were given, or the one above it?",
    )

    def untouched(expand):
        edges = {0: (1, 0.5, 0.5), 8: (0, 0, 0.5)}
        parent = _tree([], {(): {4: (1, 0, 1)}, (4,): edges})[(4,)]
        grandparent = parent.parent
        expand(parent, 8, GAME)
        return [
            parent.N.tolist(),
            parent.W.tolist(),
            parent.P.tolist(),
            _position(parent),
            parent.parent is grandparent,
            parent.parent_action,
        ]

    before = _tree([], {(): {4: (1, 0, 1)}, (4,): {0: (1, 0.5, 0.5), 8: (0, 0, 0.5)}})[(4,)]
    yield Case(
        "the parent's position and statistics stay as they were",
        untouched,
        [before.N.tolist(), before.W.tolist(), before.P.tolist(), _position(before), True, 4],
        "expand(node, 8, game), then looking at node's N, W, P, state, parent and parent_action",
        "Counting visits is the work of another verb. Which one?",
    )

    def connect_four(expand):
        game = ConnectFour()
        node = _node([3, 3], {}, game)
        child = expand(node, 0, game)
        return [str(child.state), len(child.N)]

    yield Case(
        "Connect Four",
        connect_four,
        [str(after(ConnectFour(), [3, 3, 0])), 7],
        _begin(ConnectFour())[0]
        + "child = expand(Node(connect_four, after(connect_four, [3, 3])), 0, connect_four)\nprint(child.state)",
        "Does your code ask the game that it is given, or know the rules of tic-tac-toe itself?",
    )


wrong(
    "expand",
    "children dictionary forgotten",
    "the child is made but not hung into the tree: the next simulation makes it again, and nothing is remembered",
    "How will the next walk find this child?",
    ("    node.children[action] = child\n", ""),
)
wrong(
    "expand",
    "parent forgotten",
    "the child does not know its parent: backup stops before it has begun",
    "How does backup climb up from here?",
    ("parent=node, parent_action=action", "parent_action=action"),
)
wrong(
    "expand",
    "action forgotten",
    "the child does not know which action led to it: backup can't tell whose N to count",
    "Which entry of the parent's N belongs to this child?",
    ("parent=node, parent_action=action", "parent=node"),
)
wrong(
    "expand",
    "parent and action forgotten",
    "the child knows neither its parent nor the action that led to it",
    "What does backup need to climb up?",
    (", parent=node, parent_action=action", ""),
)
wrong(
    "expand",
    "the parent's parent",
    "the child is given its parent's parent: backup skips a level and every sign above is wrong",
    "Who is the parent of a child of `node`?",
    ("parent=node, parent_action", "parent=node.parent, parent_action"),
)
wrong(
    "expand",
    "position before the move",
    "the child has its parent's position: the move was never made",
    "States don't change: what does `game.play` give back?",
    (
        "child = Node(game, game.play(node.state, action),",
        "game.play(node.state, action)\n    child = Node(game, node.state,",
    ),
)
wrong(
    "expand",
    "parent's position overwritten",
    "the parent's own position is moved along: its other children will start from the wrong board",
    "Where do the other actions of `node` start from?",
    (
        "child = Node(game, game.play(node.state, action),",
        "node.state = game.play(node.state, action)\n    child = Node(game, node.state,",
    ),
)
wrong(
    "expand",
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
)
wrong(
    "expand",
    "other children lost",
    "the dictionary is replaced: children made earlier are lost",
    "What else was in `node.children`?",
    ("node.children[action] = child", "node.children = {action: child}"),
)
wrong(
    "expand",
    "numbered in order of making",
    "children are numbered in the order in which they were made, not by action",
    "With which key will select look for the child?",
    ("node.children[action] = child", "node.children[len(node.children)] = child"),
)
wrong(
    "expand",
    "found by state",
    "children are kept by their state, not by action",
    "With which key will select look for the child?",
    ("node.children[action] = child", "node.children[child.state] = child"),
)
wrong(
    "expand",
    "hung the wrong way round",
    "the parent is hung below the child",
    "Whose child is whose?",
    ("node.children[action] = child", "child.children[action] = node"),
)
wrong(
    "expand",
    "returns nothing",
    "nothing is returned: the caller has no node to evaluate",
    "What will mcts_search do with the result?",
    ("return child", "return None"),
)
wrong(
    "expand",
    "returns the parent",
    "the parent is returned instead of the new node",
    "Which node has to be evaluated next?",
    ("return child", "return node"),
)
wrong(
    "expand",
    "counts the visit",
    "expand counts a visit: backup will count it again",
    "Which of the four verbs writes to N?",
    ("return child", "node.N[action] += 1\n    return child"),
)
wrong(
    "expand",
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
)
wrong(
    "expand",
    "player not changed",
    "the mark is put on the board but the turn does not change",
    "Who is to move after a move?",
    code="""
    def expand(node, action, game):
        state = game.play(node.state, action)._replace(to_play=node.state.to_play)
        child = Node(game, state, parent=node, parent_action=action)
        node.children[action] = child
        return child
    """,
)


# --- evaluate --------------------------------------------------------------------------------------------------------


class _Scripted:
    """A network that says what it is told to, and remembers what it was asked."""

    def __init__(self, value: float, logits):
        self.value, self.logits = value, logits
        self.asked: list = []

    def __call__(self, planes):
        self.asked.append(planes)
        if np.ndim(planes) != 4:
            raise ValueError(
                f"the network takes [batch, planes, rows, columns], not an array of shape {np.shape(planes)}"
            )
        batch = len(planes)
        return np.full(batch, self.value, dtype=np.float32), np.tile(np.float32(self.logits), (batch, 1))


LOGITS = [1.0, 0.0, -1.0, 2.0, 3.0, 0.5, 0.0, 1.5, -0.5]


def _softmax(logits, actions) -> list[float]:
    """Over the given actions, 0 elsewhere."""
    weights = {action: 2.718281828459045 ** logits[action] for action in actions}
    return [weights.get(action, 0.0) / sum(weights.values()) for action in range(len(logits))]


def _evaluates(name: str, actions: list[int], look, expected, call: str, question: str, value=0.25, **rest) -> Case:
    """A case that evaluates once; `look(node, network, returned)` is what is judged."""

    def run(evaluate):
        node, network = _node(actions, {}), _Scripted(value, LOGITS)
        return look(node, network, evaluate(node, network, GAME))

    code = (
        f"def network(planes):\n    return np.array([{value}]), np.array([{LOGITS}])\n\n"
        f"node = Node(game, after(game, {actions}))\nvalue = evaluate(node, network, game)\n{call}"
    )
    return Case(name, run, expected, code, question, _position(_node(actions, {})), tolerance=1e-5, **rest)


def _plain_value(value):
    """The returned value if it is one number, else what it is."""
    if _is_number(value):
        return float(value)
    shape = tuple(getattr(value, "shape", ()))
    return f"not a number, but {type(value).__name__}" + (f" of shape {shape}" if shape else "")


def _first(network: _Scripted):
    return np.asarray(network.asked[0], dtype=np.float64) if network.asked else "was not asked"


@check
def evaluate(rng):
    whose = "The network judges from the point of view of the player to move. Whose value must come back?"
    value = round(float(rng.uniform(0.1, 0.9)), 3)
    yield _evaluates(
        "X to move: the network's value comes back as it is",
        [4, 0],
        lambda node, network, returned: _plain_value(returned),
        value,
        "value",
        whose,
        value,
    )
    yield _evaluates(
        "O to move: the network's value comes back as it is",
        [4],
        lambda node, network, returned: _plain_value(returned),
        -value,
        "value",
        whose,
        -value,
        points=2,
    )
    yield _evaluates(
        "returns one number, not an array",
        [4],
        lambda node, network, returned: _is_number(returned),
        True,
        "isinstance(value, float)",
        "The network answers a batch with a batch. How do you get the one number out?",
    )
    yield _evaluates(
        "the priors are filled in",
        [],
        lambda node, network, returned: np.array(node.P),
        np.array(_softmax(LOGITS, range(9))),
        "node.P",
        "What will select_child read at this node, and who writes it?",
        points=2,
    )
    yield _evaluates(
        "priors of legal actions only, adding up to 1",
        [4, 0, 3],
        lambda node, network, returned: np.array(node.P),
        np.array(_softmax(LOGITS, [1, 2, 5, 6, 7, 8])),
        "node.P  # 0, 3 and 4 are taken",
        "The network gives every cell a logit, taken or free. What do the priors of the free ones add up to?",
        points=2,
    )

    def finished(node, network, returned):
        return [_plain_value(returned), len(network.asked)]

    yield _evaluates(
        "X has won, O would have to move: -1, and the network is not asked",
        [0, 3, 1, 4, 2],
        finished,
        [-1.0, 0],
        "value, how often the network was asked",
        "The rules know what a finished game is worth. To whom: the winner, or the player who would have to move?",
        points=2,
    )
    yield _evaluates(
        "O has won, X would have to move: -1, and the network is not asked",
        [0, 2, 1, 4, 8, 6],
        finished,
        [-1.0, 0],
        "value, how often the network was asked",
        "The rules know what a finished game is worth. To whom: to X, or to the player who would have to move?",
        points=2,
    )
    yield _evaluates(
        "a draw is worth 0, and the network is not asked",
        [0, 1, 2, 4, 3, 5, 7, 6, 8],
        finished,
        [0.0, 0],
        "value, how often the network was asked",
        "The game is over: is there anything left to guess?",
    )
    planes = np.zeros((1, 2, 3, 3))
    planes[0, 0, 0, 0] = planes[0, 1, 1, 1] = 1  # O, who is to move, on 0; X on 4
    planes[0, 1, 0, 1] = 1  # X on 1
    yield _evaluates(
        "the network sees a batch of one position, from its mover's point of view",
        [4, 0, 1],
        lambda node, network, returned: _first(network),
        planes,
        "what the network was given",
        "A network takes [batch, planes, rows, columns]. How do you make a batch of one?",
    )
    yield _evaluates(
        "the network is asked once",
        [4],
        lambda node, network, returned: len(network.asked),
        1,
        "how often the network was asked",
        "The network is what a simulation costs. It gives value and logits together: why ask twice?",
    )

    def untouched(evaluate):
        nodes = _tree([], {(): {4: (2, 0.5, 1)}, (4,): {0: (1, 0.5, 0.0)}, (4, 0): {}})
        before = [entry[:3] + entry[4:] for entry in _statistics(nodes)]  # all but P
        evaluate(nodes[(4,)], _Scripted(0.5, LOGITS), GAME)
        return [entry[:3] + entry[4:] for entry in _statistics(nodes)] == before

    yield Case(
        "N, W and the tree stay as they were",
        untouched,
        True,
        "evaluate(node, network, game), then looking at N, W and children of the whole tree",
        "Evaluating says what a position is worth. Who carries that to the other nodes?",
    )

    def connect_four(evaluate):
        game = ConnectFour()
        node, network = _node([3] * 6, {}, game), _Scripted(-0.5, [0.0, 1.0, 2.0, 3.0, 2.0, 1.0, 0.0])
        value = evaluate(node, network, game)
        return [_plain_value(value), np.array(node.P), list(_first(network).shape)]

    yield Case(
        "Connect Four, with a full column",
        connect_four,
        [-0.5, np.array(_softmax([0.0, 1.0, 2.0, 3.0, 2.0, 1.0, 0.0], [0, 1, 2, 4, 5, 6])), [1, 2, 6, 7]],
        _begin(ConnectFour())[0] + "node = Node(connect_four, after(connect_four, [3, 3, 3, 3, 3, 3]))\n"
        "value = evaluate(node, network, connect_four)\nvalue, node.P, shape of what the network was given",
        "Does your code ask the game and the node, or know the size of the board itself?",
        tolerance=1e-5,
    )


PRIOR = "node.P = masked_policy(logits[0], node.legal)"
SOFTMAX = "weights = np.exp(logits[0] - logits[0].max())"

wrong(
    "evaluate",
    "network asked about a finished game",
    "the network is asked about a finished game: it guesses where the rules know",
    "Who has won is no matter of opinion. Where does the node keep it?",
    ("    if node.is_terminal:\n        return node.terminal_value\n", ""),
    (PRIOR, "node.P = masked_policy(logits[0], node.legal) if node.legal.any() else node.P"),
)
wrong(
    "evaluate",
    "the winner's point of view",
    "a finished game counts for the winner, but the player to move there is the loser",
    "Who would have to move after a winning move, and what is the position worth to that player?",
    ("return node.terminal_value", "return -node.terminal_value"),
)
wrong(
    "evaluate",
    "X's point of view at the end",
    "a finished game counts for X whoever would have to move",
    "The network's values are the mover's. What happens when a tree mixes them with X's?",
    ("return node.terminal_value", "return float(game.winner(node.state))"),
)
wrong(
    "evaluate",
    "a finished game is worth nothing",
    "every finished game is worth 0: winning and losing look like a draw",
    "Which field of the node remembers how the game ended?",
    ("return node.terminal_value", "return 0.0"),
)
wrong(
    "evaluate",
    "sign flipped",
    "the network's value comes back with the other sign: backup changes it once more, and the search prefers losing",
    "Backup changes the sign at each step up. Has the first step been made already?",
    ("return float(value[0])", "return -float(value[0])"),
)
wrong(
    "evaluate",
    "X's point of view",
    "the network's value is turned to X's point of view",
    "The network sees `my stones, your stones` and never X and O. Whose value is it?",
    ("return float(value[0])", "return float(value[0]) * game.to_play(node.state)"),
)
wrong(
    "evaluate",
    "priors not masked",
    "illegal actions keep a share of the prior",
    "What should the priors of the legal actions add up to?",
    (PRIOR, SOFTMAX + "\n    node.P = weights / weights.sum()"),
)
wrong(
    "evaluate",
    "priors not renormalized",
    "illegal actions are set to 0 after the softmax and the rest no longer adds up to 1",
    "What do the legal priors add up to after you took the illegal ones away?",
    (PRIOR, SOFTMAX + "\n    node.P = weights / weights.sum() * node.legal"),
)
wrong(
    "evaluate",
    "illegal logits set to 0",
    "illegal logits are set to 0 before the softmax: exp(0) is 1, not 0",
    "Which logit makes a probability of 0?",
    (PRIOR, "masked = logits[0] * node.legal\n    node.P = np.exp(masked) / np.exp(masked).sum()"),
)
wrong(
    "evaluate",
    "raw logits",
    "the logits are stored as they are: they may be negative and add up to anything",
    "What turns logits into probabilities?",
    (PRIOR, "node.P = np.where(node.legal, logits[0], 0)"),
)
wrong(
    "evaluate",
    "logits divided by their sum",
    "the logits are divided by their sum, without an exponential",
    "Can a logit be negative? What would its probability be?",
    (PRIOR, "masked = np.where(node.legal, logits[0], 0)\n    node.P = masked / masked.sum()"),
)
wrong(
    "evaluate",
    "priors forgotten",
    "the priors are not stored: P stays 0, every U is 0 and the search looks nowhere new",
    "Who fills in node.P, if not evaluate?",
    ("    " + PRIOR + "\n", ""),
)
wrong(
    "evaluate",
    "all actions equal",
    "every legal action gets the same prior: half of what the network knows is thrown away",
    "What are the logits for?",
    (PRIOR, "node.P = node.legal / node.legal.sum()"),
)
wrong(
    "evaluate",
    "priors without gaps",
    "the priors have one entry for each legal action instead of one for each action",
    "At which index will select_child look for the prior of action 7?",
    (PRIOR, "weights = np.exp(logits[0][node.legal])\n    node.P = weights / weights.sum()"),
)
wrong(
    "evaluate",
    "a batch of logits",
    "the priors have the shape of a batch, [1, num_actions]",
    "What is `logits[0]`, and what is `logits`?",
    (PRIOR, "node.P = masked_policy(logits[0], node.legal)[None]"),
)
wrong(
    "evaluate",
    "an array of one value",
    "the value comes back as an array of one",
    "A batch goes in, a batch comes out. Which entry of it is yours?",
    ("return float(value[0])", "return value"),
)
wrong(
    "evaluate",
    "no batch",
    "the network gets a bare position [planes, rows, columns] instead of a batch of one",
    "What shape does a network take?",
    ("game.encode(node.state)[None]", "game.encode(node.state)"),
)
wrong(
    "evaluate",
    "the batch handed on",
    "the whole batch of logits, [1, num_actions], is masked instead of its one row",
    "A batch of one comes back as a batch of one. Which part of it fits `node.legal`?",
    ("masked_policy(logits[0], node.legal)", "masked_policy(logits, node.legal)"),
)
wrong(
    "evaluate",
    "value and logits swapped",
    "value and logits are taken in the wrong order",
    "What does a network return first?",
    ("value, logits = network", "logits, value = network"),
)
wrong(
    "evaluate",
    "the parent's position",
    "the network is shown the parent's position instead of the node's own",
    "Which position do you want to know the worth of?",
    ("game.encode(node.state)", "game.encode(node.parent.state if node.parent else game.initial_state())"),
)
wrong(
    "evaluate",
    "asked twice",
    "the network is asked once for the value and once more for the logits: each simulation takes twice as long",
    "What does one call of the network return?",
    (PRIOR, "node.P = masked_policy(network(game.encode(node.state)[None])[1][0], node.legal)"),
)
wrong(
    "evaluate",
    "the seat's planes",
    "the network is shown X's marks first, whoever is to move",
    "Who is `mine` in the first plane when O is to move?",
    ("game.encode(node.state)[None]", "game.encode(node.state)[None][:, :: game.to_play(node.state)]"),
)


# --- backup ----------------------------------------------------------------------------------------------------------


def _chain(length: int) -> list[Node]:
    """A root and `length` descendants, each by the highest legal action: 8, 7, 6 ..."""
    nodes = [Node(GAME, GAME.initial_state())]
    for _ in range(length):
        parent = nodes[-1]
        action = GAME.legal_actions(parent.state)[-1]
        child = Node(GAME, GAME.play(parent.state, action), parent, action)
        parent.children[action] = child
        nodes.append(child)
    return nodes


def _after_backups(length: int, values: list[float]):
    """What a sequence of backups from the end of a chain leaves on it: (N, W) of each edge from the root down."""

    def run(backup):
        nodes = _chain(length)
        for value in values:
            backup(nodes[-1], value)
        return [[node.N[child.parent_action], node.W[child.parent_action]] for node, child in pairwise(nodes)]

    return run


@check
def backup(rng):
    flip = "Who is to move one step above the leaf, and does that player like what the leaf's player likes?"
    edges = "[(node.N[child.parent_action], node.W[child.parent_action]) for each step, from the root down]"
    yield Case(
        "one step up: the parent sees the value with the other sign",
        _after_backups(1, [0.5]),
        [[1, -0.5]],
        "child = expand(root, 8, game)\nbackup(child, 0.5)\nroot.N[8], root.W[8]",
        flip,
        "root --8--> child (worth 0.5 to the player to move at child)",
        points=2,
    )
    yield Case(
        "three steps up: the sign changes at each",
        _after_backups(3, [0.25]),
        [[1, -0.25], [1, 0.25], [1, -0.25]],
        f"backup(leaf, 0.25)\n{edges}",
        flip,
        "root --8--> a --7--> b --6--> leaf (worth 0.25 to the player to move at leaf)",
        points=2,
    )
    values = rng.uniform(-1, 1, size=3).round(2).tolist()
    yield Case(
        "several backups add up",
        _after_backups(2, values),
        [[3, sum(values)], [3, -sum(values)]],
        f"for value in {values}:\n    backup(leaf, value)\n{edges}",
        "What should a second visit do to N and W: replace them, or add to them?",
        "root --8--> a --7--> leaf",
    )

    def off_path(backup):
        nodes = _chain(2)
        backup(nodes[-1], 1.0)
        return [nodes[0].N.sum(), nodes[1].N.sum(), nodes[2].N.sum(), np.abs(nodes[2].W).sum()]

    yield Case(
        "counts one visit a step, and none at the leaf itself",
        off_path,
        [1, 1, 0, 0],
        "backup(leaf, 1.0)\nroot.N.sum(), a.N.sum(), leaf.N.sum(), abs(leaf.W).sum()",
        "N[action] belongs to the node that the action leaves: which node is that, for the last step?",
        "root --8--> a --7--> leaf",
    )

    def two_branches(backup):
        nodes = _tree([], {(): {}, (4,): {}, (0,): {}, (4, 0): {}, (4, 8): {}, (4, 0, 8): {}})
        backup(nodes[(4, 0)], 0.5)
        backup(nodes[(4, 8)], -1.0)
        backup(nodes[(0,)], 0.25)
        backup(nodes[(4, 0, 8)], 0.0)
        return [nodes[()].N, nodes[()].W, nodes[(4,)].N, nodes[(4,)].W, nodes[(4, 0)].N, nodes[(4, 0)].W, nodes[(0,)].N]

    zeros = np.zeros(9)

    def at(**entries):
        array = np.zeros(9)
        for key, number in entries.items():
            array[int(key[1:])] = number
        return array

    yield Case(
        "two branches, one of them searched twice: each visit lands on its own edges",
        two_branches,
        [at(a4=3, a0=1), at(a4=-0.5, a0=-0.25), at(a0=2, a8=1), at(a0=-0.5, a8=1.0), at(a8=1), zeros, zeros],
        "backup(a0, 0.5)\nbackup(a8, -1.0)\nbackup(b, 0.25)\nbackup(leaf, 0.0)\n"
        "root.N, root.W, a.N, a.W, a0.N, a0.W, b.N",
        "Follow one backup with a finger: which entry of which node's N and W does each step touch? Is 0 a value, too?",
        "root --4--> a --0--> a0 --8--> leaf\n            a --8--> a8\nroot --0--> b",
        points=2,
    )

    def inner(backup):
        nodes = _chain(3)
        nodes[2].N[6], nodes[2].W[6] = 5, 2.5
        backup(nodes[2], -0.75)
        return [[node.N[child.parent_action], node.W[child.parent_action]] for node, child in pairwise(nodes)]

    yield Case(
        "from a node with children of its own: nothing below it changes",
        inner,
        [[1, -0.75], [1, 0.75], [5, 2.5]],
        f"backup(b, -0.75)\n{edges}",
        "Which way does a value travel: up, down, or both?",
        "root --8--> a --7--> b --6--> c (through which 5 simulations have gone)",
    )
    yield Case(
        "a backup from the root itself changes nothing",
        lambda backup: (lambda root: (backup(root, 1.0), root.N.sum(), root.W.sum())[1:])(_chain(0)[0]),
        (0, 0),
        "backup(root, 1.0)\nroot.N.sum(), root.W.sum()",
        "How many steps are there from the root to the root?",
    )
    yield Case(
        "returns nothing",
        lambda backup: backup(_chain(1)[1], 0.5),
        Such("None", lambda value: value is None),
        "backup(leaf, 0.5)",
        "The tree itself remembers: is there anything left to return?",
    )


wrong(
    "backup",
    "sign flip forgotten",
    "backup forgets to change the sign (or changes it twice): what is good for one player is added as good for the other, too",
    "Whose gain is the leaf's value, and whose is it one step higher?",
    ("value = -value", "pass"),
)
wrong(
    "backup",
    "sign flipped too late",
    "the sign changes after the value was added instead of before: each level is right about the wrong player",
    "The value that arrives is the leaf's mover's. Whose W does it go into first?",
    ("        value = -value\n", ""),
    ("node.W[action] += value", "node.W[action] += value\n        value = -value"),
)
wrong(
    "backup",
    "sign flipped only once",
    "the sign changes once, at the leaf, and then stays: every second level above is wrong",
    "Does the player to move change at the first step only?",
    ("    node = leaf\n", "    node, value = leaf, -value\n"),
    ("        value = -value\n", ""),
)
wrong(
    "backup",
    "X's point of view",
    "the sign follows the color to move at each node instead of changing at each step: the leaf's value is taken for X's",
    "Is the value that arrives X's, or the player's who is to move at the leaf?",
    ("node.W[action] += value", "node.W[action] += value if node.state.to_play == 1 else -value"),
    ("        value = -value\n", ""),
)
wrong(
    "backup",
    "statistics on the child",
    "N and W are counted at the node that an action leads to, not at the one it leaves: the leaf is touched, the root is not",
    "N[a] of a node counts how often *that node's* action a was taken. So whose N is it?",
    code="""
    def backup(leaf, value):
        node = leaf
        while node.parent is not None:
            value = -value
            node.N[node.parent_action] += 1
            node.W[node.parent_action] += value
            node = node.parent
    """,
)
wrong(
    "backup",
    "leaf touched, too",
    "the leaf itself gets a visit and a value before the walk up begins",
    "Which action of the leaf has been taken?",
    (
        "    node = leaf\n",
        "    node = leaf\n    if leaf.parent is not None:\n"
        "        leaf.N[leaf.parent_action] += 1\n        leaf.W[leaf.parent_action] += value\n",
    ),
)
wrong(
    "backup",
    "root not updated",
    "the walk stops one step below the root: the root's N, the result of the search, stays 0",
    "At which node must the loop have done its last update?",
    ("while node.parent is not None:", "while node.parent is not None and node.parent.parent is not None:"),
)
wrong(
    "backup",
    "visits not counted",
    "N is never increased",
    "How often was each edge on the way taken now?",
    ("        node.N[action] += 1\n", ""),
)
wrong(
    "backup",
    "values not added",
    "W is never changed: the search forgets what it saw",
    "What is Q worked out from?",
    ("        node.W[action] += value\n", ""),
)
wrong(
    "backup",
    "value replaced",
    "the newest value replaces the sum of the earlier ones",
    "W is divided by N later. Then what must W be?",
    ("node.W[action] += value", "node.W[action] = value"),
)
wrong(
    "backup",
    "visit count replaced",
    "N is set to 1 instead of increased by 1",
    "How often was this edge taken after the second backup?",
    ("node.N[action] += 1", "node.N[action] = 1"),
)
wrong(
    "backup",
    "running mean in W",
    "W holds the mean instead of the sum; Q divides it by N once more",
    "Who divides by N: backup, or the property Q?",
    ("node.W[action] += value", "node.W[action] += (value - node.W[action]) / node.N[action]"),
)
wrong(
    "backup",
    "one step only",
    "only the leaf's parent learns of the value: the levels above know nothing of it",
    "Through which nodes did this simulation come?",
    ("while node.parent is not None:", "if node.parent is not None:"),
)
wrong(
    "backup",
    "action read too late",
    "the action is read after stepping up: it is the one that led to the parent, not the one taken there",
    "Which node remembers the action from the parent to here?",
    (
        "        action = node.parent_action\n        node = node.parent\n",
        "        node = node.parent\n        action = node.parent_action\n",
    ),
)
wrong(
    "backup",
    "every action counted",
    "the visit and the value go to all actions of a node instead of the one that was taken",
    "Which of the node's actions did this simulation take?",
    ("node.N[action] += 1", "node.N += 1"),
    ("node.W[action] += value", "node.W += value"),
)
wrong(
    "backup",
    "a draw not counted",
    "a value of 0 is skipped: a draw is news, too, and its visit has to be counted",
    "What do N and Q say after a simulation that ended in a draw?",
    ("    node = leaf\n", "    node = leaf\n    if not value:\n        return\n"),
)
wrong(
    "backup",
    "discounted",
    "the value shrinks at each step, as in problems with a discount; a board game's result does not",
    "Is a win in five moves worth less than a win in three, by the rules?",
    ("value = -value", "value = -0.99 * value"),
)
wrong(
    "backup",
    "returns the value",
    "something is returned: the tree has all that is needed",
    "What would mcts_search do with it?",
    ("        node.W[action] += value", "        node.W[action] += value\n    return value"),
)


# --- mcts_search -----------------------------------------------------------------------------------------------------

WIN_IN_ONE = [0, 3, 1, 4]  # X to move wins on 2
BLOCK = [0, 4, 1]  # O to move must take 2
ALMOST_FULL = [4, 0, 2, 6, 3, 5]  # X to move; 1, 7 and 8 are free


def _tilt(prior, legal, rng):
    """A noise that tests can foresee: half the prior, half the second lowest legal action."""
    tilted = np.asarray(prior, dtype=np.float64) / 2
    tilted[np.flatnonzero(legal)[1]] += 0.5
    return tilted


def _randomly(rng, game, plies: int) -> list[int]:
    """The actions of a random beginning that does not end the game."""
    while True:
        actions: list[int] = []
        for _ in range(plies):
            if game.is_terminal(after(game, actions)):
                break
            actions.append(int(rng.choice(game.legal_actions(after(game, actions)))))
        if not game.is_terminal(after(game, actions)):
            return actions


def _searches(
    name: str, game, actions: list[int], make_network, simulations: int, question: str, c_puct=1.4, **rest
) -> Case:
    """A case that judges the visits of one search by those of `puct_visits`."""
    state = after(game, actions)
    first, game_name = _begin(game)
    return Case(
        name,
        lambda mcts_search: mcts_search(game, after(game, actions), make_network(), simulations, c_puct),
        np.array(puct_visits(game, state, make_network(), simulations, c_puct), dtype=np.float64),
        f"{_network_line(make_network())}{first}state = after({game_name}, {actions})\n"
        f"mcts_search({game_name}, state, network, {simulations}, {c_puct})",
        question,
        _position(Node(game, state)),
        **rest,
    )


def _network_line(network: HashNetwork) -> str:
    return (
        "from course_utils.tests.oracles import HashNetwork  # made-up opinions\n\n"
        f"network = HashNetwork({network.num_actions}, {network.seed})\n"
    )


def _tree_of(root) -> list:
    """A searched tree in plain numbers: (path, N, W) of each node that was gone through, in order of path."""
    found, waiting = [], [((), root)]
    while waiting:
        path, node = waiting.pop()
        if np.sum(node.N) > 0:
            found.append([_name(path), np.array(node.N, dtype=float).tolist(), np.round(node.W, 6).tolist()])
        waiting += [((*path, action), child) for action, child in node.children.items()]
    return sorted(found, key=lambda entry: entry[0])


@check
def mcts_search(rng):
    seed = int(rng.integers(2**31))

    def network():
        return HashNetwork(9, seed)

    yield _searches(
        "one simulation tries the action with the best prior",
        GAME,
        [],
        network,
        1,
        "The root has been evaluated before the first simulation. Has every simulation of yours left one visit?",
    )
    yield _searches(
        "two simulations",
        GAME,
        [],
        network,
        2,
        "Work the second one by hand: what did the first change at the root?",
    )
    yield _searches(
        "fifty simulations from the start",
        GAME,
        [],
        network,
        50,
        "Select, expand, evaluate, back up: which node does each of them get from the one before?",
        points=2,
    )
    yield _searches(
        "near the end of a game, where simulations end at finished games again and again",
        GAME,
        ALMOST_FULL,
        network,
        60,
        "A simulation that comes to a finished game makes no node. What does it still do?",
        points=2,
    )
    actions = _randomly(rng, GAME, int(rng.integers(2, 5)))
    yield _searches(
        "a random position and another c_puct",
        GAME,
        actions,
        network,
        80,
        "Is the c_puct that you were given the one that you hand on?",
        c_puct=2.6,
    )
    yield _searches(
        "Connect Four",
        ConnectFour(),
        _randomly(rng, ConnectFour(), 8),
        lambda: HashNetwork(7, seed),
        40,
        "Does your code ask the game that it is given?",
    )

    def best(mcts_search):
        found = []
        for position in (WIN_IN_ONE, BLOCK):
            visits = mcts_search(GAME, after(GAME, position), UniformNetwork(9), 100, 1.5)
            found.append(int(np.argmax(visits)))
        return found

    yield Case(
        "with a network that knows nothing, finds a win in one and a block",
        best,
        [2, 2],
        f"for actions in ({WIN_IN_ONE}, {BLOCK}):\n"
        "    visits = mcts_search(game, after(game, actions), UniformNetwork(9), 100, 1.5)\n    print(visits.argmax())",
        "Where do you get the value of a finished game from, and does it reach the root with the right sign?",
        f"{_position(_node(WIN_IN_ONE, {}))}\n\n{_position(_node(BLOCK, {}))}",
        points=2,
    )

    def count(mcts_search):
        visits = mcts_search(GAME, after(GAME, [4]), network(), 33, 1.4)
        return [type(visits).__name__, list(np.shape(visits)), float(np.sum(visits))]

    yield Case(
        "returns visits [num_actions] that add up to the number of simulations",
        count,
        Such("['ndarray', [9], 33.0]", lambda value: value == ["ndarray", [9], 33.0]),
        _network_line(network())
        + "visits = mcts_search(game, after(game, [4]), network, 33, 1.4)\ntype(visits), visits.shape, visits.sum()",
        "How many visits does one simulation leave at the root? And does evaluating the root count as one?",
    )

    def with_root(mcts_search):
        visits, root = mcts_search(GAME, after(GAME, [4, 0]), network(), 40, 1.4, return_root=True)
        return [np.array_equal(visits, root.N), root.parent is None, _position(root), _tree_of(root)]

    yield Case(
        "return_root: the tree comes back, too, and every node in it has the right N and W",
        with_root,
        [True, True, _position(_node([4, 0], {})), _tree_by_hand([4, 0], network(), 40, 1.4)],
        _network_line(network())
        + "visits, root = mcts_search(game, after(game, [4, 0]), network, 40, 1.4, return_root=True)\n"
        "(visits == root.N).all(), root.parent is None, root.state, N and W of every node",
        "Is there one tree that lives through all simulations? At which node does the backup begin?",
        points=2,
    )

    def asked(mcts_search):
        asks = network()
        mcts_search(GAME, after(GAME, ALMOST_FULL), asks, 60, 1.4)
        return asks.calls

    yield Case(
        "asks the network once for each new position, one position a call",
        asked,
        _asked(ALMOST_FULL, network(), 60, 1.4),
        _network_line(network())
        + f"mcts_search(game, after(game, {ALMOST_FULL}), network, 60, 1.4)\nthe batch size of each call of the network",
        "The network is what a search costs. For which nodes is it needed?",
    )

    def noisy(mcts_search):
        given = []

        def noise(prior, legal, generator):
            given.append([np.array(prior).round(6).tolist(), np.array(legal).tolist(), generator is rng])
            return _tilt(prior, legal, generator)

        visits = mcts_search(GAME, after(GAME, [4]), network(), 45, 1.4, noise=noise, rng=rng)
        return [visits, len(given), given[0] if given else "was not called"]

    state = after(GAME, [4])
    legal = np.array([action != 4 for action in range(9)])
    _, logits = network()(GAME.encode(state)[None])
    prior = np.array(_softmax(logits[0].tolist(), np.flatnonzero(legal).tolist()))
    tilted = WithPrior(network(), GAME.encode(state)[None][0], _tilt(prior, legal, rng))
    yield Case(
        "noise perturbs the root's priors, once, and no other node's",
        noisy,
        [
            np.array(puct_visits(GAME, state, tilted, 45, 1.4), dtype=float),
            1,
            [prior.round(6).tolist(), legal.tolist(), True],
        ],
        _network_line(network()) + "mcts_search(game, after(game, [4]), network, 45, 1.4, noise=noise, rng=rng)\n"
        "visits, how often noise was called, what it was given the first time (prior, legal, whether it was that rng)",
        "Noise makes self-play try other moves. In how many positions of one search is a move chosen to be played?",
        points=2,
        tolerance=2e-6,
    )

    def twice(mcts_search):
        return [mcts_search(GAME, after(GAME, [4]), network(), 25, 1.4) for _ in range(2)]

    wanted = np.array(puct_visits(GAME, after(GAME, [4]), network(), 25, 1.4), dtype=float)
    yield Case(
        "two searches give the same: nothing is left over from the first",
        twice,
        [wanted, wanted],
        _network_line(network()) + "[mcts_search(game, after(game, [4]), network, 25, 1.4) for _ in range(2)]",
        "Where does your tree live? Does anything outlive the call, or happen at random?",
    )
    yield Case(
        "a finished game is refused",
        lambda mcts_search: mcts_search(GAME, after(GAME, [0, 3, 1, 4, 2]), UniformNetwork(9), 10, 1.5),
        Raises(ValueError, ("over",)),
        "mcts_search(game, after(game, [0, 3, 1, 4, 2]), UniformNetwork(9), 10, 1.5)",
        "There is no move to search for. What should a caller hear?",
        _position(_node([0, 3, 1, 4, 2], {})),
    )


def _searched(actions: list[int], network, simulations: int, c_puct: float) -> Tree:
    """A search by plain loops over a dictionary of paths."""
    nodes = _tree(actions, {(): {}})

    def look(node):
        if node.is_terminal:
            return node.terminal_value
        value, logits = network(GAME.encode(node.state)[None])
        node.P[:] = _softmax(logits[0].tolist(), np.flatnonzero(node.legal).tolist())
        return float(value[0])

    look(nodes[()])
    for _ in range(simulations):
        path = _walk(nodes, c_puct)
        if path not in nodes:
            parent = nodes[path[:-1]]
            nodes[path] = parent.children[path[-1]] = Node(GAME, GAME.play(parent.state, path[-1]), parent, path[-1])
        value = look(nodes[path])
        for depth, action in enumerate(path):
            nodes[path[:depth]].N[action] += 1
            nodes[path[:depth]].W[action] += value * (-1) ** (len(path) - depth)
    return nodes


def _tree_by_hand(actions: list[int], network, simulations: int, c_puct: float) -> list:
    return _tree_of(_searched(actions, network, simulations, c_puct)[()])


def _asked(actions: list[int], network, simulations: int, c_puct: float) -> list[int]:
    _searched(actions, network, simulations, c_puct)
    return network.calls


LOOP = """    for _ in range(simulations):
        node, action = select(root, c_puct)
        if action != NO_ACTION:
            node = expand(node, action, game)
        value = evaluate(node, network, game)
        backup(node, value)
"""

wrong(
    "mcts_search",
    "backup from the parent",
    "backup begins at the node that was expanded instead of at the new one: the last step is never counted",
    "Which node's value do you hold in your hand when backup begins?",
    (
        "            node = expand(node, action, game)\n        value = evaluate(node,",
        "            child = expand(node, action, game)\n        else:\n            child = node\n        value = evaluate(child,",
    ),
)
wrong(
    "mcts_search",
    "parent evaluated again",
    "the parent is evaluated once more instead of the new child",
    "Which position has nobody judged yet?",
    (
        "            node = expand(node, action, game)\n        value = evaluate(node, network, game)\n        backup(node, value)",
        "            child = expand(node, action, game)\n        else:\n            child = node\n"
        "        value = evaluate(node, network, game)\n        evaluate(child, network, game)\n        backup(child, value)",
    ),
)
wrong(
    "mcts_search",
    "action 0 taken for none",
    "action 0 is taken for no action, since Python counts 0 as false",
    "Which actions are true in an `if`, and which one is not? What does select say when there is nothing to expand?",
    ("if action != NO_ACTION:", "if action:"),
)
wrong(
    "mcts_search",
    "expands finished games",
    "expand is called where the game is over, too: NO_ACTION is no move",
    "What does select say when there is nothing to expand?",
    ("        if action != NO_ACTION:\n            node = expand", "        node = expand"),
)
wrong(
    "mcts_search",
    "one simulation too few",
    "there is one simulation too few: evaluating the root was counted as one",
    "How many times has the loop to run for the visits to add up to `simulations`?",
    ("range(simulations)", "range(simulations - 1)"),
)
wrong(
    "mcts_search",
    "one simulation too many",
    "there is one simulation too many",
    "How many times does `range(n)` go round?",
    ("range(simulations)", "range(simulations + 1)"),
)
wrong(
    "mcts_search",
    "finished games skipped",
    "a simulation that ends at a finished game is thrown away, or ends the search: wins and losses never reach the root again",
    "A finished game is the surest news there is. What should become of it?",
    (
        "        if action != NO_ACTION:\n            node = expand(node, action, game)\n",
        "        if action == NO_ACTION:\n            continue\n        node = expand(node, action, game)\n",
    ),
)
wrong(
    "mcts_search",
    "sign changed once more",
    "the value changes its sign before backup, which changes it again: the search looks for the worst move",
    "Whose point of view does evaluate speak from, and whose does backup expect?",
    ("backup(node, value)", "backup(node, -value)"),
)
wrong(
    "mcts_search",
    "value ignored",
    "the value never reaches backup: the search knows priors and nothing else",
    "What did you ask the network for?",
    ("backup(node, value)", "backup(node, 0.0)"),
)
wrong(
    "mcts_search",
    "a new tree each time",
    "every simulation begins with a new root: the visits of the ones before are lost",
    "What must be remembered from one simulation to the next?",
    (
        "    for _ in range(simulations):\n",
        "    for _ in range(simulations):\n        root = Node(game, state)\n        evaluate(root, network, game)\n",
    ),
)
wrong(
    "mcts_search",
    "root not evaluated",
    "the root is never evaluated: all its priors are 0, and the first action wins every tie",
    "Where does the first simulation take the root's priors from?",
    ("    evaluate(root, network, game)\n    if", "    if"),
)
wrong(
    "mcts_search",
    "one level deep",
    "every simulation expands at the root, so that children are made again and the tree never grows below them",
    "What happens to the subtree of a child that is made a second time?",
    (
        LOOP,
        "    for _ in range(simulations):\n        node = expand(root, select_child(root, c_puct), game)\n"
        "        value = evaluate(node, network, game)\n        backup(node, value)\n",
    ),
)
wrong(
    "mcts_search",
    "network asked past evaluate",
    "the network's value is used without evaluate: finished games are guessed, and new nodes get no priors",
    "Which two things does evaluate do besides asking the network?",
    ("value = evaluate(node, network, game)", "value = float(network(game.encode(node.state)[None])[0][0])"),
)
wrong(
    "mcts_search",
    "c_puct not handed on",
    "select is given another c_puct than the caller's",
    "Where does the caller's c_puct have to go?",
    ("select(root, c_puct)", "select(root, 1.0)"),
)
wrong(
    "mcts_search",
    "noise at every node",
    "every new node gets noise: the search below the root looks at moves that nobody would play",
    "What is noise for, and at which node does that help?",
    (
        "        backup(node, value)\n",
        "        if noise is not None and not node.is_terminal:\n            node.P = noise(node.P, node.legal, rng)\n"
        "        backup(node, value)\n",
    ),
)
wrong(
    "mcts_search",
    "noise in every simulation",
    "the root gets new noise in every simulation: after a few it is noise and nothing else",
    "How often should the root's priors change during a search?",
    (
        "        node, action = select(root, c_puct)\n",
        "        if noise is not None:\n            root.P = noise(root.P, root.legal, rng)\n        node, action = select(root, c_puct)\n",
    ),
)
wrong(
    "mcts_search",
    "noise forgotten",
    "the noise is not used",
    "What changes in your search when `noise` is given?",
    ("        root.P = noise(root.P, root.legal, rng)\n", "        pass\n"),
)
wrong(
    "mcts_search",
    "W returned",
    "the sums of values are returned instead of the visits",
    "What does the docstring return?",
    ("return (root.N, root) if return_root else root.N", "return (root.W, root) if return_root else root.W"),
)
wrong(
    "mcts_search",
    "Q returned",
    "the mean values are returned instead of the visits: an action tried once may have the best of them by luck",
    "Which is the steadier judgement: a mean over one simulation, or the number of times that the search came back?",
    ("return (root.N, root) if return_root else root.N", "return (root.Q, root) if return_root else root.Q"),
)
wrong(
    "mcts_search",
    "probabilities returned",
    "the visits are divided by their sum: the caller wants the counts",
    "What should the result add up to?",
    (
        "return (root.N, root) if return_root else root.N",
        "policy = root.N / root.N.sum()\n    return (policy, root) if return_root else policy",
    ),
)
wrong(
    "mcts_search",
    "the action returned",
    "the best action is returned instead of the visits of all",
    "What would self-play sample from, and what would the network learn?",
    (
        "return (root.N, root) if return_root else root.N",
        "action = int(np.argmax(root.N))\n    return (action, root) if return_root else action",
    ),
)
wrong(
    "mcts_search",
    "root forgotten",
    "return_root has no effect",
    "What comes back if the caller asks for the root?",
    ("return (root.N, root) if return_root else root.N", "return root.N"),
)
wrong(
    "mcts_search",
    "finished game not refused",
    "a finished game is searched as if there were a move to find",
    "What is there to find when the game is over?",
    ("    if game.is_terminal(state):\n", "    if False:\n"),
)
wrong(
    "mcts_search",
    "each new node counted twice",
    "a new node is backed up twice, once by expand's side and once by evaluate's: N grows by 2 a simulation",
    "How many visits should one simulation leave?",
    ("        backup(node, value)\n", "        backup(node, value)\n        backup(node, value)\n"),
)
wrong(
    "evaluate",
    "finished games not told apart",
    "the network is asked about every node, even where the game is over and nothing is legal",
    "What is there to choose from when the game is over, and who knows what it is worth?",
    ("    if node.is_terminal:\n        return node.terminal_value\n", ""),
)
