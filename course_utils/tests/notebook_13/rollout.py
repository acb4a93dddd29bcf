"""Check rollout: a random game, and the value of its end for the player to move at its beginning."""

import numpy as np
from hypothesis import strategies as st

from course_utils.games import TicTacToe, after
from course_utils.tests.catalogue import Wrong
from course_utils.tests.returns import number
from course_utils.tests.scene import Scenes
from course_utils.tests.world.chance import near
from course_utils.tests.world.games import TreeGame

WHOSE = "Who is to move at the state where the rollout began, and is this result good for that player?"
ENDS = st.sampled_from([1, 0, -1])  # who wins there
TREES = st.one_of(ENDS, st.lists(ENDS, min_size=2, max_size=2))


def scene(draw) -> str:
    """Lead by forced moves to one of the ends, all of which must occur in so many games, and no other."""
    ends, forced, first, begun, seed = draw
    for _ in range(forced):
        ends = [ends]
    return f"""game, rng = TreeGame({ends}, first={first}), np.random.default_rng({seed})
sorted({{rollout(game, {(0,) * min(begun, forced)}, rng) for _ in range(40)}})"""


BY_HAND = """
    a finished game that X has won is worth -1 to O, who would be to move
    X X X
    O O .
    . . .
    >>> rollout(TicTacToe(), after(TicTacToe(), [0, 3, 1, 4, 2]), np.random.default_rng(SEED))
    -1
    ? Who is to move at the state where the rollout began, and is this result good for that player?

    X fills the last cell and wins (2 points)
    X X O
    O X X
    O O .
    >>> rollout(TicTacToe(), after(TicTacToe(), [0, 2, 1, 3, 4, 6, 5, 7]), np.random.default_rng(SEED))
    1
    ? Who is to move at the state where the rollout began, and is this result good for that player?

    a draw is worth 0
    >>> rollout(TicTacToe(), after(TicTacToe(), [0, 1, 2, 4, 3, 5, 7, 6, 8]), np.random.default_rng(SEED))
    0
    ? What is a draw worth?

    one choice: win, draw or lose
    >>> game, rng = TreeGame({1: 1, 2: 0, 4: -1}), np.random.default_rng(SEED)
    >>> results = [rollout(game, (), rng) for _ in range(900)]
    >>> [results.count(result) / 900 for result in (1, 0, -1)]
    near([1 / 3, 1 / 3, 1 / 3], times=900)
    ? Is every legal action equally likely, at every move?

    the first of eight actions wins, the last loses
    >>> game, rng = TreeGame([1, 0, 0, 0, 0, 0, 0, -1]), np.random.default_rng(SEED)
    >>> results = [rollout(game, (), rng) for _ in range(1500)]
    >>> [results.count(result) / 1500 for result in (1, 0, -1)]
    near([1 / 8, 6 / 8, 1 / 8], times=1500)
    ? Is every legal action equally likely, at every move?

    two choices one after the other, where the second does not depend on the first
    >>> game, rng = TreeGame([[1, 0], [-1, 0]]), np.random.default_rng(SEED)
    >>> results = [rollout(game, (), rng) for _ in range(900)]
    >>> [results.count(result) / 900 for result in (1, 0, -1)]
    near([1 / 4, 1 / 2, 1 / 4], times=900)
    ? Is every legal action equally likely, at every move?

    the same generator plays the same games
    >>> game, first, second = TreeGame([1, 0, -1]), np.random.default_rng(SEED), np.random.default_rng(SEED)
    >>> [rollout(game, (), first) for _ in range(50)] == [rollout(game, (), second) for _ in range(50)]
    True
    ? Which generator do your random numbers come from?
"""

END = "    return float(game.winner(state) * player)"
MOVE = "        state = game.play(state, legal[int(rng.integers(len(legal)))])"
# fmt: off
WRONG = [
    Wrong("for the player to move at the end",
          "the result is for the player who would be to move when the game is over, instead of the player to move "
          "where the rollout began",
          "Another player may be to move at the end. For which player does the caller want the result?",
          (END, "    return float(game.winner(state) * game.to_play(state))")),
    Wrong("always for X", "the winner is returned as it is, so X's win is +1 even where O is to move at the beginning",
          "What should +1 mean when O is to move at the beginning?", (END, "    return float(game.winner(state))")),
    Wrong("a draw counts as a loss", "a player who does not win counts as the loser, so draws come back as -1",
          "What is a draw worth?", (END, "    return 1.0 if game.winner(state) == player else -1.0")),
    Wrong("always the first legal action",
          "the lowest legal action is always played, so every rollout from a position is the same game",
          "How much does a second rollout tell you if it repeats the first?",
          (MOVE, "        state = game.play(state, legal[0])")),
    Wrong("the last action is never played",
          "the range of the random index is one too short: the highest legal action is never played, and a single "
          "legal action raises an error",
          "Does the upper end of `rng.integers` belong to the range?",
          ("rng.integers(len(legal))", "rng.integers(0, len(legal) - 1)")),
    Wrong("rounded to the ends",
          "a random number is rounded to an index, so the first and the last action are played "
          "half as often as the others",
          "Which random numbers are rounded to 0, and which to 1?",
          ("legal[int(rng.integers(len(legal)))]", "legal[round(rng.random() * (len(legal) - 1))]")),
    Wrong("one move only", "only one random move is made, and the game counts as a draw if it is not over then",
          "When do you know who has won?",
          ("    while not game.is_terminal(state):", "    if not game.is_terminal(state):")),
    Wrong("own source of chance",
          "the random numbers come from a new generator instead of the given one, so no search can be repeated",
          "What is the argument `rng` for?", ("rng.integers(", "np.random.default_rng().integers(")),
]
# fmt: on


def right_by_recursion(game, state, rng):
    if game.is_terminal(state):
        return game.winner(state) * game.to_play(state)
    return -right_by_recursion(game, game.play(state, int(rng.choice(game.legal_actions(state)))), rng)


def right_by_cases(game, state, rng):
    me = game.to_play(state)
    while legal := game.legal_actions(state):
        state = game.play(state, legal[int(rng.random() * len(legal))])
    winner = game.winner(state)
    if winner == 0:
        return 0.0
    return 1.0 if winner == me else -1.0


CHECK = Scenes(
    draws=st.tuples(
        TREES, st.sampled_from([0, 1, 2, 3, 12]), st.sampled_from([1, -1]), st.integers(0, 5), st.integers(0, 99)
    ),
    returns=number,
    asks="reaches each end that can be reached, and no other, in many small trees",
    examples=15,
    question=WHOSE,
)
