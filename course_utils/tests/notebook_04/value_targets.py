"""Check value_targets: how the game ended, as seen by the player to move."""

import numpy as np
from hypothesis import strategies as st

from course_utils.tests.catalogue import Wrong
from course_utils.tests.returns import array
from course_utils.tests.scene import Scenes


def scene(draw) -> str:
    length, first, winner = draw
    return f"value_targets({[first * (-1) ** turn for turn in range(length)]}, {winner})"


BY_HAND = """
    X won: +1 at X's positions, -1 at O's (2 points)
    >>> value_targets([1, -1, 1, -1, 1], 1)
    [1, -1, 1, -1, 1]
    ? Take the side of the player to move at that position. Did you win in the end?

    O won: -1 at X's positions, +1 at O's (2 points)
    >>> value_targets([1, -1, 1, -1, 1, -1], -1)
    [-1, 1, -1, 1, -1, 1]
    ? Take the side of the player to move at that position. Did you win in the end?

    a draw is worth 0 to both
    >>> value_targets([1, -1, 1, -1, 1, -1, 1, -1, 1], 0)
    [0, 0, 0, 0, 0, 0, 0, 0, 0]
    ? Has a player who drew won, lost, or neither?

    O begins the game
    >>> value_targets([-1, 1, -1], -1)
    [1, -1, 1]
    ? What says whose turn it was: the position's number, or `players`?

    the loser moved last
    >>> value_targets([1, -1, 1], -1)
    [-1, 1, -1]
    ? Must the player who moved last be the winner?
"""

_VALUES = "np.array(players, dtype=np.float32) * winner"


WRONG = [
    Wrong("from the winner's side", "every position of a won game is labeled +1, even the loser's positions",
          "Which value should a position of the losing player have?",
          (_VALUES, "np.full(len(players), abs(winner), dtype=np.float32)")),
    Wrong("a list times a number", "the list of players is repeated `winner` times, as * does with a list",
          "What is [1, -1] * 2 in Python, and which type multiplies entry by entry?",
          (_VALUES, "np.array(players * winner, dtype=np.float32)")),
    Wrong("a list times a number, left a list",
          "the list of players is repeated `winner` times, as * does with a list, "
          "and repeated -1 or 0 times it is empty",
          "What is [1, -1] * 2 in Python, and which type multiplies entry by entry?", (_VALUES, "players * winner")),
    Wrong("from X's side", "every position is labeled from X's point of view",
          "The network sees each position as the player to move sees it. What should it learn at O's positions?",
          (_VALUES, "np.full(len(players), winner, dtype=np.float32)")),
    Wrong("sign flipped", "wins are labeled -1 and losses +1",
          "Which value should a position have whose player goes on to win?", (_VALUES, f"-{_VALUES}")),
    Wrong("draws lost", "a draw counts as a loss for both",
          "What is halfway between a win and a loss?",
          (_VALUES, "np.array([1 if player == winner else -1 for player in players], dtype=np.float32)")),
    Wrong("losses worth 0", "losing is worth 0, like a draw",
          "Can the network then tell a lost position from a drawn one?",
          (_VALUES, "np.array([1 if player == winner else 0 for player in players], dtype=np.float32)")),
    Wrong("turns counted from X", "the signs alternate from the first position on, as if X always began",
          "Which argument says who was to move?",
          (_VALUES, "np.array([winner * (-1) ** i for i in range(len(players))], dtype=np.float32)")),
    Wrong("turns counted back from the end",
          "the signs alternate back from the last position, as if the last player to move always won",
          "Which argument says who won?",
          (_VALUES, "np.array([abs(winner) * (-1) ** i for i in range(len(players))][::-1], dtype=np.float32)")),
    Wrong("only the end is labeled", "only the last position gets a value, and the others are 0",
          "How should the network learn which openings lead to a win?",
          (_VALUES, "np.array([0] * (len(players) - 1) + [p * winner for p in players[-1:]], dtype=np.float32)")),
    Wrong("fading", "the values shrink with the distance to the end of the game",
          "Should the target shrink with distance, or does each position get the result itself?",
          (_VALUES, f"{_VALUES} * 0.9 ** np.arange(len(players))[::-1]")),
    Wrong("one position short", "the last position gets no value",
          "In how many positions was a player to move?",
          (_VALUES, "np.array(players[:-1], dtype=np.float32) * winner")),
]  # fmt: skip


def right_values_by_comparison(players, winner):
    values = np.zeros(len(players), dtype=np.float32)
    for place, player in enumerate(players):
        if winner:
            values[place] = 1 if player == winner else -1
    return values


def right_values_in_whole_numbers(players, winner):
    return np.array([1 if player == winner else -1 if winner else 0 for player in players])


def right_values_by_table(players, winner):
    return np.fromiter((player * winner for player in players), dtype=np.float32, count=len(players))


CHECK = Scenes(
    draws=st.tuples(st.integers(1, 42), st.sampled_from([1, -1]), st.sampled_from([1, -1, 0])),
    examples=20,
    returns=array("numbers"),
    question="Whose turn was it at each position, and did that player win?",
)
