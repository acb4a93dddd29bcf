"""alpha_beta: the value, the positions that are looked at for it, and those that are skipped."""

import math
from typing import NamedTuple
from zlib import crc32

from hypothesis import strategies as st

from course_utils.games import TicTacToe, after
from course_utils.tests.case import Case, Such, show
from course_utils.tests.catalogue import Wrong
from course_utils.tests.notebook_03.trees import (
    POSITIONS,
    Board,
    Tree,
    TreeGame,
    drawing,
    grown,
    minimax,
    position,
    shown_position,
)
from course_utils.tests.returns import number
from course_utils.tests.specification import Specification

BOTH = "The child is the opponent's. What are your alpha and beta, seen from over there? And when may you stop?"


# --- what is handed to a search, and remembers what it was asked for -----------------------------------------------------


class Guess:
    """A heuristic that remembers the positions it was asked about."""

    def __init__(self, value):
        self.value, self.asked, self.told = value, [], {}

    def __call__(self, game, state) -> float:
        self.asked.append(named(state))
        self.told[named(state)] = self.value(game, state)
        return self.told[named(state)]


def backwards(game, state) -> list[int]:
    """An order, the highest action first."""
    return game.legal_actions(state)[::-1]


def named(state) -> str:
    """A path as its actions, a board as its rows."""
    return (
        ".".join(map(str, state)) or "root" if type(state) is tuple else str(state).replace(" ", "").replace("\n", "/")
    )


class Found(NamedTuple):
    """The value for the mover, how many positions were looked at, and where the heuristic was asked, in order."""

    value: float
    nodes: int
    asked: list[str]


def alpha_beta_by_hand(game, state, alpha=-1, beta=1, *, depth=None, guess=None, backwards=False) -> Found:
    """Alpha-beta as maximizer and minimizer, everything from the first player's point of view."""
    nodes, asked = 0, []

    def search(state, low, high, depth):
        nonlocal nodes
        nodes += 1
        if game.is_terminal(state):
            return game.winner(state)
        if depth == 0:
            if guess:
                asked.append(named(state))
            return guess(game, state) * game.to_play(state) if guess else 0
        first = game.to_play(state) == 1
        best = -math.inf if first else math.inf
        for action in game.legal_actions(state)[:: -1 if backwards else 1]:
            value = search(game.play(state, action), low, high, depth if depth is None else depth - 1)
            best = max(best, value) if first else min(best, value)
            low, high = (max(low, best), high) if first else (low, min(high, best))
            if low >= high:
                break
        return best

    low, high = (alpha, beta) if game.to_play(state) == 1 else (-beta, -alpha)
    return Found(search(state, low, high, depth) * game.to_play(state), nodes, asked)


# --- draws -------------------------------------------------------------------------------------------------------------


class Draw(NamedTuple):
    """A search.

    Attributes:
        scale: of the guesses, which depend on the position alone; 0: no heuristic.
        window: alpha and beta; None for those that are not given, or where they lie from the position's value.
    """

    where: Tree | Board
    depth: int | None = None
    scale: float = 0
    window: tuple[float, float] | str | None = None
    backwards: bool = False


FEW = 0.999
WINDOWS = [None, (-1, 1), (-1, 0), (0.1, 1), (-1, 0.2), (-0.2, 0.3), "around", "up to", "from"]
DRAWS = st.builds(
    Draw,
    POSITIONS,
    st.one_of(st.none(), st.integers(0, 5)),
    st.sampled_from([0, 1, 1, FEW]),
    st.one_of(st.none(), st.sampled_from(WINDOWS)),
    st.booleans(),
)
TALL = [Tree(grown(seed, 5, 3), first) for seed, first in [(9, 1), (13, -1), (34, 1), (30, -1)]]
WIDE = Tree([[[0]] * 12] * 12)
EDGES = [
    Draw(Tree(1), 0, FEW),
    Draw(Tree([-1, [1, 1]], -1), 0),
    Draw(Tree([[1, 1], [1, 1]])),
    Draw(Tree(grown(1, 9, 1)), 8, 1),
    Draw(WIDE, 1, FEW),
    Draw(WIDE, 2, 1, None, True),
    *(Draw(tree, 4, 1, window) for tree, window in zip(TALL, [(-1, 0.2), (-0.2, 0.3), "around", None], strict=True)),
    *(Draw(tree, 4, 1, window, True) for tree, window in zip(TALL, [(0.1, 1), "up to", "from", "around"], strict=True)),
    Draw(TALL[0], 3, FEW),
    Draw(Board("TicTacToe()", 6, 3), 3, 1),
]


def related(draw: Draw, number: int) -> Draw:
    """The same position, searched otherwise."""
    other = {
        "depth": number % 5,
        "scale": [1, 0][number % 2],
        "window": WINDOWS[number % len(WINDOWS)],
        "backwards": not draw.backwards,
    }
    name = list(other)[number % 4]
    return draw._replace(**{name: other[name]})


def guess(draw: Draw):
    """(game, state) -> a number that follows from the position alone; with FEW there are but five, so that many tie."""

    def value(game, state) -> float:
        share = crc32(repr(state).encode()) / 2**31 - 1
        return (-1, -FEW, 0, FEW, 1)[round(2 * share) + 2] if draw.scale == FEW else draw.scale * share

    return value if draw.scale else None


def truth(draw: Draw) -> float:
    return minimax(*position(draw.where), draw.depth, guess(draw))


def window(draw: Draw) -> tuple[float, ...]:
    """() for one that is not given."""
    if not isinstance(draw.window, str):
        return draw.window or ()
    value = truth(draw)
    alpha, beta = max(-1, value - 0.01 * (draw.window != "from")), min(1, value + 0.01 * (draw.window != "up to"))
    return (alpha, beta) if alpha < beta else ()


def arguments(draw: Draw) -> dict:
    game, state = position(draw.where)
    given = {"game": game, "state": state, **dict(zip(["alpha", "beta"], window(draw), strict=False))}
    if draw.depth is not None:
        given["depth"] = draw.depth
    if draw.scale:
        given["heuristic"] = Guess(guess(draw))
    if draw.backwards:
        given["order"] = backwards
    return given


def judged(result, given: dict) -> dict:
    """What was found, and where the heuristic was asked."""
    found = {"value": float(result[0]), "nodes": result[1]}
    if "heuristic" in given:
        found["guesses asked for at"] = " ".join(given["heuristic"].asked)
    return found


def oracle(draw: Draw) -> Such:
    game, state = position(draw.where)
    value, (alpha, beta) = truth(draw), window(draw) or (-1, 1)
    options = dict(depth=draw.depth, guess=guess(draw), backwards=draw.backwards)
    wanted = alpha_beta_by_hand(game, state, alpha, beta, **options)
    low, high = min(value, beta), max(value, alpha)
    text = f"value {show(value)}" if low == high else f"a value from {show(low)} to {show(high)}"
    text += f", nodes {wanted.nodes}" + f", guesses asked for at {' '.join(wanted.asked)}" * bool(wanted.asked)

    def holds(found) -> bool | str:
        if not low - 1e-9 <= found["value"] <= high + 1e-9:
            return "the value is wrong"
        if found["nodes"] != wanted.nodes:
            return f"nodes are too {'many' if found['nodes'] > wanted.nodes else 'few'}"
        if found.get("guesses asked for at", "") != " ".join(wanted.asked):
            return "the heuristic was asked about other positions, or in another order"
        return True

    return Such(text, holds)


def pair(result) -> str:
    if not isinstance(result, tuple | list) or len(result) != 2:
        return f"expected a pair (value, nodes), got {show(result)}"
    return number(result[0]) or number(result[1])


def shown(draw: Draw) -> str:
    game, state = shown_position(draw.where)
    options = [f"{name}={show(value)}" for name, value in zip(["alpha", "beta"], window(draw), strict=False)]
    options += [f"depth={draw.depth}"] * (draw.depth is not None) + ["heuristic=guess"] * bool(draw.scale)
    return f"{game}alpha_beta({', '.join(['game', state, *options, *['order=backwards'] * draw.backwards])})"


def board(draw: Draw) -> str:
    """With the guesses, if they are few."""
    drawn = drawing(draw.where)
    if not draw.scale:
        return drawn
    everywhere = Guess(guess(draw))
    minimax(*position(draw.where), draw.depth, everywhere)
    told = [f"guess at {name}, for the player to move there: {show(value)}" for name, value in everywhere.told.items()]
    return "\n".join([drawn, *(told if len(told) <= 12 else ["guess: a number of its own for each position"])])


# --- by hand -----------------------------------------------------------------------------------------------------------


def guessed(tree) -> tuple[TreeGame, dict]:
    """From a tree whose leaves are guesses: a game that goes on there, and path -> guess."""
    at = {}

    def shape(node, path):
        if isinstance(node, list):
            return [shape(child, (*path, action)) for action, child in enumerate(node)]
        at[path] = node
        return [0]

    return TreeGame(shape(tree, ())), at


def by_hand(rng):
    game = TicTacToe()

    def on_board(name, actions, run, expected, call, question):
        state = after(game, actions)
        board = f"{state}\n{'X' if state.to_play == 1 else 'O'} to move"
        return Case(
            name,
            lambda answer: run(answer, state),
            expected,
            f"state = after(game, {actions})\n{call}",
            question,
            board,
        )

    def on_guesses(name, tree, depth, question, points=1, **options):
        tree_game, at = guessed(tree)

        def run(alpha_beta):
            heuristic = Guess(lambda game, state: at[state])
            order = {"order": backwards} if options else {}
            value, nodes = alpha_beta(tree_game, (), depth=depth, heuristic=heuristic, **order)
            return [value, nodes, " ".join(heuristic.asked)]

        found = alpha_beta_by_hand(tree_game, (), depth=depth, guess=lambda game, state: at[state], **options)
        call = f"alpha_beta(game, (), depth={depth}, heuristic=guess{', order=backwards' if options else ''})"
        expected = [found.value, found.nodes, " ".join(found.asked)]
        drawn = f"guesses, for the player to move at each leaf: {tree}"
        return Case(
            name, run, expected, f"{call}  # and the leaves that guess was asked about", question, drawn, points
        )

    yield on_guesses(
        "one move deep: a guess is the opponent's there",
        [0.3, -0.2, 0.1],
        1,
        "The heuristic speaks for the player to move where it is asked. Who is that, one move on?",
    )
    shallow = [[0.3, 0.5, 0.6], [0.2, 0.9, 0.4], [0.1, 0.8, 0.7]]
    yield on_guesses(
        "two moves deep: one refutation is enough",
        shallow,
        2,
        "The first move is worth 0.3. The second turns out to be worth 0.2 at most: is there a reason to look on?",
        points=2,
    )
    yield on_guesses(
        "tries the moves in the order it is given, at every level",
        shallow,
        2,
        "Does the child know the order, too?",
        backwards=True,
    )
    yield on_board(
        "a finished game is never guessed at",
        [0, 3, 1, 4],
        lambda alpha_beta, state: alpha_beta(game, state, depth=1, heuristic=lambda game, state: -0.5)[0],
        1,
        "alpha_beta(game, state, depth=1, heuristic=lambda game, state: -0.5)[0]",
        "The depth has run out and the game is over: which of the two do you ask about first?",
    )
    yield on_board(
        "without a heuristic, what lies beyond the depth counts 0",
        [0, 1, 6, 3],
        lambda alpha_beta, state: [alpha_beta(game, state, depth=depth)[0] for depth in (1, 2, 3, 4)],
        [0, 0, 1, 1],
        "[alpha_beta(game, state, depth=depth)[0] for depth in (1, 2, 3, 4)]",
        "The win is three moves away. At which depth must it show?",
    )


# --- wrong and right -----------------------------------------------------------------------------------------------------

_CUT = "        if alpha >= beta:\n            break\n"
WRONG = [
    Wrong("bounds neither swapped nor negated", "the child is given alpha and beta as they are",
          "The child is the opponent's. What are your alpha and beta, seen from over there?", ("-beta, -alpha", "alpha, beta")),
    Wrong("bounds swapped or negated, not both", "the bounds are negated but not swapped, or swapped but not negated: the child's window is inside out, and it stops at once",
          "Which of your two bounds is the opponent's lower one, and how much is it worth over there?", ("-beta, -alpha", "beta, alpha")),
    Wrong("sign flip forgotten", "a child's value is taken over without the minus sign",
          "Whose value does the child return?", ("best = max(best, -value)", "best = max(best, value)")),
    Wrong("never cuts", "it hands the bounds around but never stops early: that is negamax",
          "What follows once alpha has reached beta?", (_CUT, "")),
    Wrong("stops only beyond beta", "it stops only when alpha has passed beta, not when it has reached it",
          "A value of exactly beta: does the opponent let it come to that?", ("alpha >= beta", "alpha > beta")),
    Wrong("alpha never raised", "the second move is searched with the same alpha as the first, whatever the first was worth",
          "You have one move worth 0.3. What must the next one beat?", ("        alpha = max(alpha, best)\n        if alpha >= beta", "        if best >= beta")),
    Wrong("no bounds handed down", "each child starts with the widest window",
          "What does the child need to know to stop early?", ("-beta, -alpha, ", "")),
    Wrong("cut before the value is kept", "it stops before the value that made it stop is recorded", "What is the position worth if you stop here?",
          ("        best = max(best, -value)\n", "        if -value >= beta:\n            break\n        best = max(best, -value)\n")),
    Wrong("best begins at 0", "the best value so far begins at 0, so that a lost position looks drawn",
          "What is the best of three losses?", ('float("-inf"), 1', "0, 1")),
    Wrong("children's counts dropped", "each child counts as one position, whatever lies below it",
          "What does the second part of the child's answer say?", ("nodes += below", "nodes += 1")),
    Wrong("itself not counted", "the count leaves out the position itself, unless the search ends there",
          "How many positions have you looked at before you try the first move?", ('float("-inf"), 1', 'float("-inf"), 0')),
    Wrong("options not handed down", "the child knows neither depth nor heuristic nor order, and searches to the end",
          "What must the child be told?", (", **options", "")),
]  # fmt: skip


def fail_hard(game, state, alpha=-1, beta=1, *, depth=None, heuristic=None, order=None):
    if game.is_terminal(state):
        return game.winner(state) * game.to_play(state), 1
    if depth is not None and depth <= 0:
        return (0 if heuristic is None else heuristic(game, state)), 1
    nodes = 1
    deeper = None if depth is None else depth - 1
    for action in game.legal_actions(state) if order is None else order(game, state):
        child = game.play(state, action)
        value, below = fail_hard(game, child, -beta, -alpha, depth=deeper, heuristic=heuristic, order=order)
        nodes += below
        if -value >= beta:
            return beta, nodes
        if -value > alpha:
            alpha = -value
    return alpha, nodes


def maximizer_and_minimizer(game, state, alpha=-1, beta=1, *, depth=None, heuristic=None, order=None):
    """From the first player's point of view inside."""
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


CHECK = Specification(
    draws=DRAWS,
    arguments=arguments,
    oracle=oracle,
    judged=judged,
    returns=pair,
    changes={"heuristic"},
    shown=shown,
    board=board,
    related=related,
    edges=EDGES,
    examples=20,
    question=BOTH,
    by_hand=by_hand,
    wrong=WRONG,
    right=[fail_hard, maximizer_and_minimizer],
)
