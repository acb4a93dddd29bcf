"""select_child: Q + U, term by term."""

from typing import NamedTuple

import numpy as np
from hypothesis import strategies as st

from course_utils.games import after
from course_utils.tests.case import Case, Such, show
from course_utils.tests.catalogue import Wrong
from course_utils.tests.notebook_06 import trees
from course_utils.tests.notebook_06.trees import GAMES, Node
from course_utils.tests.returns import whole_number
from course_utils.tests.specification import Specification, copies

THREE_LEFT = [0, 4, 8, 2, 6, 3]  # X to move; cells 1, 5 and 7 are free
SAME = 1e-9  # two ways to work out one score may differ by this part of it


# --- draws: a node with numbers of a certain kind -------------------------------------------------------------------------


class Draw(NamedTuple):
    game: str
    before: int  # moves before the node
    kind: str
    seed: int  # which moves, which numbers
    c_puct: float


KINDS = [
    "untried",
    "tried",
    "often tried",
    "one tried",
    "alike",
    "lost",
    "close",
    "no prior",
    "two ways to 0",
]
DRAWS = st.builds(
    Draw,
    trees.ANY_GAME,
    st.integers(0, 6),
    st.sampled_from(KINDS),
    st.integers(0, 999),
    st.one_of(st.sampled_from([1.5, 1.0]), st.floats(0.01, 5)),
)


@copies
def node_of(draw: Draw) -> Node:
    game, rng = GAMES[draw.game], np.random.default_rng(draw.seed)
    actions = trees.position(game, draw.before, rng)
    node = Node(game, after(game, actions))
    if actions:  # a child, and the edge to it has been counted more often or less often than its own
        above = Node(game, after(game, actions[:-1]))
        node = trees.hang(above, actions[-1], game)
        above.N[above.legal] = draw.seed % 40
    legal = np.flatnonzero(node.legal)
    n = len(legal)
    N, P = rng.integers(0, 9, n), rng.dirichlet(np.ones(n)) * rng.choice([1, 1, 0.3])  # noise need not sum to 1
    Q = rng.uniform(-1, 1, n)
    match draw.kind:
        case "untried":
            N[:] = 0
        case "often tried":
            many = 10 ** int(rng.integers(1, 4))
            N, Q = rng.integers(many // 2, many, n), Q * min(1, draw.c_puct / (n * many) ** 0.5)  # as much as U, about
        case "one tried":
            N[np.arange(n) != rng.integers(n)] = 0
        case "alike":
            two = rng.integers(0, 2, n)
            N, Q, P = N[two * (n - 1)], Q[two * (n - 1)], P[two * (n - 1)]
        case "lost":
            N, Q, P = N + 1, np.full(n, -1.0), 0 * P
        case "close":  # one is ahead, by little
            N += 1
            U = draw.c_puct * P * np.sqrt(1 + N.sum()) / (1 + N)
            Q = 0.25 + 1e-4 * rng.permutation(n) - U
        case "no prior":  # such an action may have most of the visits
            P *= rng.integers(0, 2, n)
            N[P == 0] *= 1000
        case "two ways to 0":  # never tried, or a draw each time
            N, Q, P = N * rng.integers(0, 2, n), np.zeros(n), P * rng.integers(0, 2)
    node.N[legal], node.W[legal], node.P[legal] = N, N * Q, P
    for action in legal[N > 0][:2].tolist():
        trees.hang(node, action, game)
    return node


def oracle(draw: Draw) -> Such:
    """The lowest of the best; one that is as good as they are except for rounding will do, unless it is the same through and through."""
    node = node_of(draw)
    score = trees.scores(node, draw.c_puct)
    best = max(score.values())
    alike = {}  # the terms of a score -> the lowest action that has them
    for action in score:
        exploration = (node.P[action], node.N[action]) if draw.c_puct and node.P[action] else 0
        alike.setdefault((node.Q[action], exploration), action)
    good = [action for action in alike.values() if score[action] >= best - SAME * max(1, abs(best))]
    first = f"{good[0]}, the scores being " + ", ".join(f"{action}: {show(value)}" for action, value in score.items())
    return Such(first, lambda got: got in good)


def lines(actions: list[int], edges: dict) -> str:
    """A node by hand, as lines to paste."""
    visits, total, prior = (list(column) for column in zip(*edges.values(), strict=True))
    return (
        f"node = Node(game, after(game, {actions}))\n"
        f"node.N[{list(edges)}] = {visits}\nnode.W[{list(edges)}] = {total}\nnode.P[{list(edges)}] = {prior}\n"
    )


def shown(draw: Draw) -> str:
    node, game, rng = node_of(draw), GAMES[draw.game], np.random.default_rng(draw.seed)
    known = np.flatnonzero(node.legal | (node.P > 0)).tolist()
    edges = {action: tuple(float(field[action]) for field in (node.N, node.W, node.P)) for action in known}
    begin = "from course_utils.games import ConnectN, TicTacToe\nfrom course_utils.tests.notebook_06.trees import Misere\n\n"
    code = lines(trees.position(game, draw.before, rng), edges)
    if node.parent is not None:
        count, action = int(node.parent.N[node.parent_action]), node.parent_action
        code += f"# node is the child of a node `above` by action {action}, and above.N[{action}] = {count}\n"
    return f"{begin}game = {draw.game}\n{code}select_child(node, {draw.c_puct!r})"


# --- by hand -----------------------------------------------------------------------------------------------------------


def by_hand(rng):
    due = {1: (6, 3.0, 0.5), 5: (3, 0.6, 0.3), 7: (0, 0, 0.2)}
    for name, actions, edges, c_puct, expected, question in [
        (
            "before the first simulation the prior decides",
            [],
            {0: (0, 0, 0.2), 1: (0, 0, 0.05), 2: (0, 0, 0.1), 4: (0, 0, 0.4), 8: (0, 0, 0.25)},
            1.5,
            4,
            "All N are 0: what is under the square root then, and what would be left of U if it were 0?",
        ),
        (
            "an action never tried may be worth a try",
            THREE_LEFT,
            due,
            1.5,
            7,
            "Work the three scores by hand: 0.839, 0.556 and 0.949. Which of them does your code give?",
        ),
        (
            "an action that was never tried counts as 0, not as infinitely good",
            THREE_LEFT,
            {1: (4, 3.6, 0.9), 5: (0, 0, 0.05), 7: (1, 0.2, 0.05)},
            1.0,
            1,
            "In notebook 04 every child had to be tried once before any was tried twice. What stands in that place here?",
        ),
        (
            "a mean value, not a sum",
            THREE_LEFT,
            {1: (40, 10.0, 0.2), 5: (2, 1.6, 0.4), 7: (4, 0.4, 0.4)},
            0.5,
            5,
            "W grows with every visit. What is it divided by?",
        ),
        (
            "an illegal action is not taken even when all legal ones lose",
            THREE_LEFT,
            {1: (20, -18, 0.3), 5: (20, -10, 0.4), 7: (20, -19, 0.3)},
            1.5,
            5,
            "Every legal score is below 0 here. What does an illegal action score, and is that below them all?",
        ),
        (
            "nor when no legal action has any hope left",
            THREE_LEFT,
            {1: (3, -3, 0.5), 5: (2, -2, 0.3), 7: (2, -2, 0.2)},
            0.0,
            1,
            "Every legal score is -1 here, as low as a score can be. What does an illegal action score?",
        ),
        (
            "a legal action with prior 0 may still be the best",
            THREE_LEFT,
            {1: (5, -4, 1.0), 5: (0, 0, 0.0), 7: (3, -2, 0.0)},
            1.5,
            5,
            "A prior can be rounded down to 0. Is the action illegal then?",
        ),
        (
            "ties go to the lowest action",
            THREE_LEFT,
            {1: (2, 0.5, 0.2), 5: (3, 0.75, 0.4), 7: (3, 0.75, 0.4)},
            1.5,
            5,
            "Of several best scores, which one does your code keep: the first or the last that it meets?",
        ),
    ]:
        yield Case(
            name,
            lambda select_child, at=(actions, edges, c_puct): select_child(trees.tree(at[0], {(): at[1]}), at[2]),
            expected,
            f"{lines(actions, edges)}select_child(node, {c_puct})",
            question,
            trees.picture(trees.tree(actions, {(): edges})),
        )
    constants = [0.0, 0.5, 1.0, 1.2, 1.26, 1.5, 20.0]
    yield Case(
        "c_puct weighs exploration against the mean value",
        lambda select_child: [select_child(trees.tree(THREE_LEFT, {(): due}), c_puct) for c_puct in constants],
        [1, 1, 1, 1, 7, 7, 7],
        f"{lines(THREE_LEFT, due)}[select_child(node, c_puct) for c_puct in {constants}]",
        "Which part of the score does c_puct multiply? At 0, what is left?",
        trees.picture(trees.tree(THREE_LEFT, {(): due})),
        points=2,
    )


# --- wrong and right -----------------------------------------------------------------------------------------------------

SCORE = "score = np.where(node.legal, node.Q + U, -np.inf)"

WRONG = [
    Wrong(
        "sqrt of the sum of N, without the 1",
        "the 1 under the square root is missing: before the first simulation every U is 0 and the prior has no say",
        "What is the sum of N at a node that was just made, and what does that do to U?",
        ("np.sqrt(1 + node.N.sum())", "np.sqrt(node.N.sum())"),
    ),
    Wrong(
        "ln for sqrt",
        "U grows with the logarithm of the visits, as in UCT, instead of their square root",
        "Which function of the visits does PUCT take?",
        ("np.sqrt(1 + node.N.sum())", "np.log(1 + node.N.sum())"),
    ),
    Wrong(
        "U not divided",
        "U is not divided by 1 + N: trying an action over and over never makes it less attractive",
        "What should happen to an action's U each time it is tried?",
        (" / (1 + node.N)", ""),
    ),
    Wrong(
        "U divided by N",
        "U is divided by N (at least 1) instead of 1 + N: the first visit costs an action nothing",
        "By how much does U fall from no visit to one?",
        ("(1 + node.N)", "np.maximum(node.N, 1)"),
    ),
    Wrong(
        "1 + N under the square root, too",
        "the square root ends too late: U is divided by the root of 1 + N",
        "Where does the bracket of your square root close?",
        ("np.sqrt(1 + node.N.sum()) / (1 + node.N)", "np.sqrt((1 + node.N.sum()) / (1 + node.N))"),
    ),
    Wrong(
        "sqrt of the action's own visits",
        "the visits under the square root are the action's own instead of all actions' together",
        "An action that is never tried should become more attractive while others are tried. Which N grows then?",
        ("np.sqrt(1 + node.N.sum())", "np.sqrt(1 + node.N)"),
    ),
    Wrong(
        "untried first",
        "an action without a visit counts as infinitely good, as in notebook 04: the prior can't hold anything back",
        "With 7 columns that is bearable, with 19 x 19 points it is not. What does PUCT assume of an untried action?",
        ("node.Q + U", "np.where(node.N > 0, node.Q + U, np.inf)"),
    ),
    Wrong(
        "illegal actions not masked",
        "illegal actions take part in the comparison",
        "What may the player to move play here?",
        (SCORE, "score = node.Q + U"),
    ),
    Wrong(
        "illegal actions masked with -1",
        "an illegal action scores -1: so does a legal one that has only lost, and of two equals the lower is taken",
        "Which number is below every score that can occur, and not only equal to the lowest?",
        (SCORE, "score = np.where(node.legal, node.Q + U, -1)"),
    ),
    Wrong(
        "sum instead of mean",
        "W is used where Q belongs: an action looks better the more often it was tried",
        "What is W divided by to become a mean?",
        ("node.Q + U", "node.W + U"),
    ),
    Wrong(
        "the opponent's point of view",
        "the mean value enters with a minus: the player to move picks what is good for the opponent",
        "W is in the perspective of the node's own player. Does it need another sign here?",
        ("node.Q + U", "-node.Q + U"),
    ),
    Wrong(
        "position among the legal actions",
        "the result is the position in the list of legal actions, not the action",
        "If cells 1, 5 and 7 are free and the last is best: what must come back, 2 or 7?",
        ("int(score.argmax())", "int(score[node.legal].argmax())"),
    ),
    Wrong(
        "numpy integer",
        "the result is numpy's own integer",
        "What does `type(...)` say of your result?",
        ("int(score.argmax())", "score.argmax()"),
    ),
]


def select_child_by_a_loop(node, c_puct):
    best_action, best_score = None, -np.inf
    total = sum(node.N)
    for action, allowed in enumerate(node.legal):
        if not allowed:
            continue
        q = node.W[action] / node.N[action] if node.N[action] else 0.0
        score = q + c_puct * node.P[action] * np.sqrt(total + 1) / (node.N[action] + 1)
        if score > best_score:
            best_action, best_score = action, score
    return best_action


def select_child_by_max(node, c_puct):
    def score(a):
        return node.Q[a] + c_puct * node.P[a] * (1 + node.N.sum()) ** 0.5 / (1 + node.N[a])

    return max(np.flatnonzero(node.legal).tolist(), key=score)  # max keeps the first of equals


def select_child_with_a_large_penalty(node, c_puct):
    scale = c_puct * (1 + np.sum(node.N)) ** 0.5
    exploration = scale * (node.P / (node.N + 1))
    return (node.W / np.where(node.N == 0, 1, node.N) + exploration - 1e9 * ~node.legal).argmax().item()


CHECK = Specification(
    draws=DRAWS,
    arguments=lambda draw: {"node": node_of(draw), "c_puct": draw.c_puct},
    oracle=oracle,
    returns=whole_number,
    shown=shown,
    board=lambda draw: trees.mover(node_of(draw)),
    question="Write the formula down term by term: Q, c_puct, P, 1 + the sum of all N under the square root, 1 + N of the action.",
    edges=[
        *(
            Draw("TicTacToe()", 0, kind, seed, c)
            for seed in range(5)
            for kind, c in (("close", 1.5), ("often tried", 1e3), ("no prior", 0.3), ("one tried", 0.0))
        ),
        Draw("TicTacToe()", 0, "untried", 0, 0.0),
        # a child is won, or lost
        *(Draw(game, 6, "tried", seed, 1.5) for game, seed in (("TicTacToe()", 7), ("Misere()", 3))),
    ],
    by_hand=by_hand,
    wrong=WRONG,
    right=[select_child_by_a_loop, select_child_by_max, select_child_with_a_large_penalty],
)
