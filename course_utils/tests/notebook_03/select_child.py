"""Check select_child: Q + U, term by term."""

import numpy as np
from hypothesis import strategies as st

from course_utils.games import ConnectN, TicTacToe, after
from course_utils.search.puct import Node
from course_utils.tests.catalogue import Wrong
from course_utils.tests.returns import whole_number
from course_utils.tests.scene import Scenes
from course_utils.tests.world.games import Misere
from course_utils.tests.world.trees import GAMES, begun, mover

# of an action: N, and Q and P in hundredths
EDGES = st.tuples(
    st.sampled_from([0, 0, 1, 2, 3, 5, 9, 50, 1000]), st.integers(-100, 100), st.one_of(st.just(0), st.integers(1, 60))
)


def scene(draw) -> str:
    """Give the edges to the legal actions in turn, so that some are alike."""
    game, plies, seed, edges, c_puct = draw
    moves = begun(game, plies, seed)
    free = GAMES[game].legal_actions(after(GAMES[game], moves))
    N, Q, P = zip(*(edges[i % len(edges)] for i in range(len(free))), strict=True)
    W = [round(n * q / 100, 2) for n, q in zip(N, Q, strict=True)]
    return (
        f"game = {game}\nnode, free = Node(game, after(game, {moves})), {free}\n"
        f"node.N[free], node.W[free], node.P[free] = {[*N]}, {W}, {[p / 100 for p in P]}\nselect_child(node, {c_puct})"
    )


def board(draw) -> str:
    game, plies, seed, *_ = draw
    return mover(Node(GAMES[game], after(GAMES[game], begun(game, plies, seed))))


NODE = """X . O
    O O .   X to move
    X . X
    >>> game = TicTacToe()
    >>> node, free = Node(game, after(game, [0, 4, 8, 2, 6, 3])), [1, 5, 7]
    >>> node.N[free], node.W[free], node.P[free] ="""
BY_HAND = f"""
    before the first simulation the prior decides
    >>> game = TicTacToe()
    >>> node = Node(game, game.initial_state())
    >>> node.P[[0, 1, 2, 4, 8]] = [0.2, 0.05, 0.1, 0.4, 0.25]
    >>> select_child(node, 1.5)
    4
    ? All N are 0 here. What is under the square root, and what would every U be if that were 0?

    an action that was never tried can have the best score
    {NODE} [6, 3, 0], [3.0, 0.6, 0], [0.5, 0.3, 0.2]
    >>> select_child(node, 1.5)
    7
    ? Worked out by hand, the three scores are 0.839, 0.556 and 0.949. Which of them does your code get?

    an action that was never tried counts as 0, not as infinitely good
    {NODE} [4, 0, 1], [3.6, 0, 0.2], [0.9, 0.05, 0.05]
    >>> select_child(node, 1.0)
    1
    ? Which Q does the formula use for an action that was never tried?

    each 1 of the formula: with three visits sqrt(1 + 3) is 2, and 1 + N is 4 or 1 (2 points)
    {NODE} [3, 0, 0], [0.87, 0, 0], [0.6, 0.3, 0.1]
    >>> first = select_child(node, 1.0)
    >>> node.W[1] = 0.93
    >>> first, select_child(node, 1.0)
    5, 1
    ? U is 0.6 * 2 / 4 for action 1 and 0.3 * 2 / 1 for action 5. What are the two scores when Q is 0.29 for action 1,
    ? and when it is 0.31?

    a mean value, not a sum
    {NODE} [40, 2, 4], [10.0, 1.6, 0.4], [0.2, 0.4, 0.4]
    >>> select_child(node, 0.5)
    5
    ? W grows with every visit. What is it divided by?

    an illegal action is not taken even when all legal ones lose
    {NODE} [20, 20, 20], [-18, -10, -19], [0.3, 0.4, 0.3]
    >>> select_child(node, 1.5)
    5
    ? Every legal score is below 0 here. What does an illegal action score, and is that below them all?

    an illegal action is not taken when every legal one has lost each time
    {NODE} [3, 2, 2], [-3, -2, -2], [0.5, 0.3, 0.2]
    >>> select_child(node, 0.0), select_child(node, 0.01)
    1, 1
    ? At c_puct = 0 every legal score is -1, as low as a score can be. What does an illegal action score?

    the same node, after the action was tried and lost
    {NODE} [6, 3, 0], [3.0, 0.6, 0], [0.5, 0.3, 0.2]
    >>> first = select_child(node, 1.5)
    >>> node.N[7], node.W[7] = 1, -1.0
    >>> first, select_child(node, 1.5)
    7, 1
    ? N and W change between the two calls. Does your code read them at each call?

    ties go to the lowest action
    {NODE} [2, 3, 3], [0.5, 0.75, 0.75], [0.2, 0.4, 0.4]
    >>> select_child(node, 1.5)
    5
    ? When several scores are equally good, does your code keep the first or the last of them?

    c_puct weighs exploration against the mean value (2 points)
    {NODE} [6, 3, 0], [3.0, 0.6, 0], [0.5, 0.3, 0.2]
    >>> [select_child(node, c_puct) for c_puct in [0.0, 0.5, 1.0, 1.2, 1.26, 1.5, 20.0]]
    [1, 1, 1, 1, 7, 7, 7]
    ? Which part of the score does c_puct multiply, and what is left of the score when it is 0?
"""

# fmt: off
SCORE = "score = np.where(node.legal, node.Q + U, -np.inf)"

WRONG = [
    Wrong("sqrt of the sum of N, without the 1",
          "the 1 under the square root is missing, so before the first simulation every U is 0 "
          "and the prior has no effect",
          "What is the sum of N at a node that was just made, and what does that do to U?",
          ("np.sqrt(1 + node.N.sum())", "np.sqrt(node.N.sum())")),
    Wrong("ln for sqrt", "U grows with the logarithm of the visits instead of their square root",
          "Which function of the visits does the formula use?",
          ("np.sqrt(1 + node.N.sum())", "np.log(1 + node.N.sum())")),
    Wrong("no square root", "U grows with the visits themselves: the square root is missing, or only the 1 is under it",
          "What is under the square root?", ("np.sqrt(1 + node.N.sum())", "(1 + node.N.sum())")),
    Wrong("the 1 outside the square root", "1 is added to the square root instead of to the sum under it",
          "Where does the bracket of your square root open?",
          ("np.sqrt(1 + node.N.sum())", "(1 + np.sqrt(node.N.sum()))")),
    Wrong("c_puct on Q, too", "c_puct multiplies Q as well as U, so it can't weigh the one against the other",
          "c_puct sets how much U counts beside Q. Which of the two should it multiply?",
          ("node.Q + U", "c_puct * node.Q + U")),
    Wrong("children only",
          "only actions that already have a child are compared: a new node has no children, "
          "and its other actions would never be tried",
          "Which actions may be chosen: those that have a child, or all legal ones?",
          ("    return int(score.argmax())", "    return max(node.children, key=lambda action: score[action])")),
    Wrong("the child, not the action", "the best action's child is looked up, but there may be none yet",
          "What should select_child return: a node, or the number of an action?",
          ("int(score.argmax())", "node.children[int(score.argmax())]")),
    Wrong("the last of equals", "the last of several best actions is kept instead of the first",
          "When a score equals the best so far, does your code switch to it?",
          ("int(score.argmax())", "len(score) - 1 - int(score[::-1].argmax())")),
    Wrong("U not divided",
          "U is not divided by 1 + N, so an action never gets less attractive however often it is tried",
          "What should happen to an action's U each time it is tried?", (" / (1 + node.N)", "")),
    Wrong("U divided by N",
          "U is divided by N (at least 1) instead of 1 + N, so the first visit does not lower an action's U",
          "By how much does U fall from no visit to one?", ("(1 + node.N)", "np.maximum(node.N, 1)")),
    Wrong("1 + N under the square root, too", "the square root ends too late: U is divided by the root of 1 + N",
          "Where does the bracket of your square root close?",
          ("np.sqrt(1 + node.N.sum()) / (1 + node.N)", "np.sqrt((1 + node.N.sum()) / (1 + node.N))")),
    Wrong("1 + N without its brackets",
          "the brackets around 1 + N are missing, so U is divided by 1 and then N is added to it",
          "What does Python do first in a / 1 + b?", (" / (1 + node.N)", " / 1 + node.N")),
    Wrong("sqrt of the action's own visits",
          "the visits under the square root are the action's own instead of the sum over all actions",
          "An action that is never tried should become more attractive while others are tried. Which N grows then?",
          ("np.sqrt(1 + node.N.sum())", "np.sqrt(1 + node.N)")),
    Wrong("sqrt of the array, action by action",
          "the loop takes the square root of the whole array N, so each score is an array, too",
          "What is under the square root: one action's visits, the array of all visits, or their sum?", code="""
        def select_child(node, c_puct):
            best_action, best_score = None, -np.inf
            for action in np.flatnonzero(node.legal):
                score = node.Q[action] + c_puct * node.P[action] * np.sqrt(1 + node.N) / (1 + node.N[action])
                if score > best_score:
                    best_action, best_score = int(action), score
            return best_action
        """),
    Wrong("untried first",
          "an action without a visit counts as infinitely good, so every move is tried once, however low its prior is",
          "Which Q does the formula use for an action that was never tried?",
          ("node.Q + U", "np.where(node.N > 0, node.Q + U, np.inf)")),
    Wrong("illegal actions not masked",
          "an illegal action scores 0, which is better than the score of a legal action that loses",
          "Every legal score may be below 0. Which score must an illegal action have so that it never wins?",
          (SCORE, "score = (node.Q + U) * node.legal")),
    Wrong("illegal actions masked with -1",
          "an illegal action scores -1, like a legal one that has lost each time, "
          "and the lower of two equal actions is taken",
          "Which number is below every score that can occur, instead of equal to the lowest?",
          (SCORE, "score = np.where(node.legal, node.Q + U, -1)")),
    Wrong("the best so far begins at 0",
          "the best score so far begins at 0, so nothing is chosen where every score is below 0",
          "Which number is below every score that can occur?", code="""
        def select_child(node, c_puct):
            best_action, best_score = None, 0
            for action in np.flatnonzero(node.legal):
                U = c_puct * node.P[action] * np.sqrt(1 + node.N.sum()) / (1 + node.N[action])
                if node.Q[action] + U > best_score:
                    best_action, best_score = int(action), node.Q[action] + U
            return best_action
        """),
    Wrong("the highest action",
          "the highest legal action is taken, whatever its score: `max` of a dictionary compares its keys",
          "What does `max` compare when it gets a dictionary, and how does its argument `key` change that?",
          ("int(score.argmax())", "int(np.flatnonzero(node.legal).max())")),
    Wrong("sum instead of mean", "W is used instead of Q, so an action looks better the more often it was tried",
          "What is W divided by to become a mean?", ("node.Q + U", "node.W + U")),
    Wrong("the opponent's point of view",
          "Q gets a minus sign, so the player to move picks what is good for the opponent",
          "W and Q are for the player to move at this node. Does Q need another sign here?",
          ("node.Q + U", "-node.Q + U")),
    Wrong("the first answer kept",
          "the first result for a node is cached and returned again, however often the search has been there since",
          "A node's N and W change with each simulation. When does your code read them?",
          ("def select_child", "import functools\n\n@functools.lru_cache(maxsize=None)\ndef select_child")),
    Wrong("rounded",
          "scores are rounded before they are compared, so two close scores become equal and the lower action is taken",
          "Which number should decide: the rounded score, or the exact one?",
          ("score.argmax()", "score.round(2).argmax()")),
    Wrong("position among the legal actions",
          "the result is a position in the list of legal actions instead of the action",
          "Cells 1, 5 and 7 are free, and the last is best. What should the result be: 2 or 7?",
          ("int(score.argmax())", "int(score[node.legal].argmax())")),
]


# fmt: on


def right_by_a_loop(node, c_puct):
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


def right_by_max(node, c_puct):
    def score(a):
        return node.Q[a] + c_puct * node.P[a] * (1 + node.N.sum()) ** 0.5 / (1 + node.N[a])

    return max(np.flatnonzero(node.legal).tolist(), key=score)  # max keeps the first of equals


def right_with_a_large_penalty(node, c_puct):
    scale = c_puct * (1 + np.sum(node.N)) ** 0.5
    exploration = scale * (node.P / (node.N + 1))
    return (node.W / np.where(node.N == 0, 1, node.N) + exploration - 1e9 * ~node.legal).argmax()


CHECK = Scenes(
    draws=st.tuples(
        st.sampled_from(["TicTacToe()", "ConnectN(6, 7, 4)", "Misere()"]),
        st.integers(0, 6),
        st.integers(0, 99),
        st.lists(EDGES, min_size=1, max_size=9),
        st.sampled_from([1.5, 1.0, 0.3, 5.0]),
    ),
    board=board,
    edges=[
        ("TicTacToe()", 0, 0, [(0, 0, 10), (0, 0, 10.2)], 1.5),  # scores of 0.150 and 0.153
        ("TicTacToe()", 4, 4, [(3, -100, 50), (2, -100, 30)], 0.0),  # every legal score is -1
        ("TicTacToe()", 0, 0, [(6, 90, 50), (0, 0, 20)], 5.0),  # an untried action, if c_puct weighs U alone
        # 9 visits, so U is 0.474 and 0.949: any other place for a 1 of the formula changes one of the two choices
        ("TicTacToe()", 0, 0, [(3, 46, 60), (0, 0, 30), (0, 0, 10)], 1.0),
        ("TicTacToe()", 0, 0, [(3, 49, 60), (0, 0, 30), (0, 0, 10)], 1.0),
    ],
    returns=whole_number,
    question="Write the formula down term by term: Q, c_puct, P, 1 + the sum of all N under the square "
    "root, 1 + N of the action.",
)
