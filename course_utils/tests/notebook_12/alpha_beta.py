"""Check alpha_beta: the value, and the number of positions that are searched for it."""

import math

from hypothesis import strategies as st

from course_utils.games import ConnectN, TicTacToe, after  # noqa: F401
from course_utils.tests.case import show
from course_utils.tests.catalogue import Wrong
from course_utils.tests.notebook_12.game_trees import ENDS, TreeGame, backwards, grown, guess, trees  # noqa: F401
from course_utils.tests.returns import number
from course_utils.tests.scene import Scenes

GUESSES = [-1, -0.5, -0.1, 0.0, 0.3, 0.5, 1]  # so few that many tie; the whole numbers are ends
OPTIONS = st.tuples(
    st.sampled_from([None, None, (-1, 0), (0.1, 1), (-1, 0.2), (-0.2, 0.3), (0.3, 0.5)]),
    st.sampled_from([None, 0, 1, 2, 3, 4, 5]),
    st.booleans(),
)


def scene(draw) -> str:
    """Clip the value to the window, since outside it a value need only be on the right side."""
    (game, state), ((window, depth, in_order)) = draw
    options = [*map(str, window or ())] + ([f"depth={depth}"] if depth is not None else [])
    options += (["heuristic=guess"] if "Tree" in game else []) + ([] if in_order else ["order=backwards"])
    call = f"alpha_beta({', '.join(['game', state, *options])})"
    if window is None:
        return f"{game}\n{call}"
    return f"{game}\nvalue, nodes = {call}\nmin(max(value, {window[0]}), {window[1]}), nodes"


def pair(result) -> str:
    if not isinstance(result, tuple | list) or len(result) != 2:
        return f"expected a pair (value, nodes), got {show(result)}"
    return number(result[0]) or number(result[1])


BY_HAND = """
    one move deep: the guess there is for the opponent
    >>> game = TreeGame([0.3, -0.2, 0.1])
    >>> alpha_beta(game, (), depth=1, heuristic=guess)
    0.2, 4
    ? The heuristic's value is for the player to move at its position. Who is that after one move?

    two moves deep: one refutation is enough (2 points)
    >>> game = TreeGame([[0.3, 0.5, 0.6], [0.2, 0.9, 0.4], [0.1, 0.8, 0.7]])
    >>> alpha_beta(game, (), depth=2, heuristic=guess)
    0.3, 9
    ? The first move is worth 0.3, and the second is worth at most 0.2.
    ? Is there a reason to search the second one further?

    a move that reaches beta is enough
    >>> game = TreeGame([1, 0.2, 0.5])
    >>> alpha_beta(game, (), depth=1, heuristic=guess)
    1, 2
    ? The first move wins, which is worth exactly beta. Is there a reason to search another move?

    tries the moves in the given order at every level
    >>> game = TreeGame([[0.3, 0.5, 0.6], [0.9, 0.4, 0.2], [0.8, 0.7, 0.4]])
    >>> alpha_beta(game, (), depth=2, heuristic=guess, order=backwards)
    0.4, 11
    ? Does your code pass the order to the child?

    the heuristic is never used for a finished game
    X X .
    O O .
    . . .
    >>> game = TicTacToe()
    >>> alpha_beta(game, after(game, [0, 3, 1, 4]), depth=1, heuristic=lambda game, state: -0.5)[0]
    1
    ? The depth has run out and the game is over. Which of the two do you check first?

    without a heuristic, positions beyond the depth count 0
    X O .
    O . .
    X . .
    >>> game = TicTacToe()
    >>> [alpha_beta(game, after(game, [0, 1, 6, 3]), depth=depth)[0] for depth in (1, 2, 3, 4)]
    [0, 0, 1, 1]
    ? The win is three moves away. At which depth must the search find it?
"""

_CUT = "        if alpha >= beta:\n            break\n"
# fmt: off
WRONG = [
    Wrong("bounds neither swapped nor negated", "the child gets alpha and beta as they are",
          "The opponent is to move at the child. What are your alpha and beta from the opponent's point of view?",
          ("-beta, -alpha", "alpha, beta")),
    Wrong("bounds swapped or negated, not both",
          "the bounds are negated but not swapped, or swapped but not negated: "
          "the child's alpha is above its beta, so it stops at once",
          "Which of your two bounds is the opponent's lower bound, and what is its value for the opponent?",
          ("-beta, -alpha", "beta, alpha")),
    Wrong("sign flip forgotten", "a child's value is used without the minus sign",
          "For which player is the value that the child returns?",
          ("best = max(best, -value)", "best = max(best, value)")),
    Wrong("never cuts", "it passes the bounds on but never stops early, so it is plain negamax",
          "What should the search do once alpha has reached beta?", (_CUT, "")),
    Wrong("stops only beyond beta", "it stops only when alpha is above beta instead of when it reaches beta",
          "Would the opponent allow a position whose value is exactly beta?", ("alpha >= beta", "alpha > beta")),
    Wrong("alpha never raised",
          "the second move is searched with the same alpha as the first, whatever the first was worth",
          "One move is worth 0.3. What must the next move beat?",
          ("        alpha = max(alpha, best)\n        if alpha >= beta", "        if best >= beta")),
    Wrong("no bounds handed down", "each child starts with the full window",
          "What does the child need to know to stop early?", ("-beta, -alpha, ", "")),
    Wrong("cut before the value is kept", "it stops before the value that made it stop is stored",
          "What is the position worth if the search stops here?",
          ("        best = max(best, -value)\n",
           "        if -value >= beta:\n            break\n        best = max(best, -value)\n")),
    Wrong("best begins at 0", "the best value so far begins at 0, so a lost position looks drawn",
          "What is the best of three losses?", ('float("-inf"), 1', "0, 1")),
    Wrong("children's counts dropped", "each child counts as one position, however many positions are below it",
          "What does the second number say that the child returns?", ("nodes += below", "nodes += 1")),
    Wrong("itself not counted", "the count leaves out the position itself, unless the search ends there",
          "How many positions has the search visited before it tries the first move?",
          ('float("-inf"), 1', 'float("-inf"), 0')),
    Wrong("options not handed down",
          "the child gets neither depth nor heuristic nor order, so it searches to the end of the game",
          "Which settings does the child need?", (", **options", "")),
    Wrong("heuristic not handed down",
          "the child gets the depth but not the heuristic (and perhaps not the order), "
          "so positions beyond the depth count 0",
          "Which three settings are in `options`, and which of them does the child need?",
          (", **options", ", depth=deeper")),
    Wrong("order not handed down",
          "the child does not get the order, so only the first position tries its moves in that order",
          "At which levels does a good order save work?", (", **options", ", depth=deeper, heuristic=heuristic")),
    Wrong("depth never less",
          "the child gets the same depth, which never runs out, so the search goes on to the end of the game",
          "How many moves of depth are left after one move has been made?",
          (", **options", ", depth=depth, heuristic=heuristic, order=order")),
]
# fmt: on


def right_maximizer_and_minimizer(game, state, alpha=-1, beta=1, *, depth=None, heuristic=None, order=None):
    """Use the first player's point of view inside."""
    sign = game.to_play(state)
    looked = [0]

    def search(position, low, high, left):
        looked[0] += 1
        if game.is_terminal(position):
            return game.winner(position)
        if left == 0:
            return heuristic(game, position) * game.to_play(position) if heuristic else 0
        first = game.to_play(position) == 1
        best = -math.inf if first else math.inf
        for action in order(game, position) if order else game.legal_actions(position):
            value = search(game.play(position, action), low, high, left - 1)
            if first:
                best = max(best, value)
                low = max(low, value)
            else:
                best = min(best, value)
                high = min(high, value)
            if low >= high:
                break
        return best

    low, high = (alpha, beta) if sign == 1 else (-beta, -alpha)
    return sign * search(state, low, high, math.inf if depth is None else depth), looked[0]


def right_fail_hard(game, state, alpha=-1, beta=1, *, depth=None, heuristic=None, order=None):
    if game.is_terminal(state):
        return game.winner(state) * game.to_play(state), 1
    if depth is not None and depth <= 0:
        return (0 if heuristic is None else heuristic(game, state)), 1
    nodes = 1
    deeper = None if depth is None else depth - 1
    for action in game.legal_actions(state) if order is None else order(game, state):
        child = game.play(state, action)
        value, below = right_fail_hard(game, child, -beta, -alpha, depth=deeper, heuristic=heuristic, order=order)
        nodes += below
        if -value >= beta:
            return beta, nodes
        if -value > alpha:
            alpha = -value
    return alpha, nodes


TALL = [(f"game = TreeGame({grown(seed, 5, 3, GUESSES)})", "()") for seed in (9, 13, 30)]
CHECK = Scenes(
    draws=st.tuples(st.one_of(trees(GUESSES), ENDS), OPTIONS),
    edges=[
        *((tree, (window, 4, True)) for tree, window in zip(TALL, [None, (-0.2, 0.3), (-1, 0.2)], strict=True)),
        (("game = TreeGame([0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1])", "()"), (None, None, True)),  # twelve moves
    ],
    returns=pair,
    question="The opponent is to move at the child. What are your alpha and beta from the opponent's point of "
    "view? And when may you stop?",
)
