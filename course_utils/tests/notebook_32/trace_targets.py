"""trace_targets: the outcome, without the blame for later exploration."""

import numpy as np
from hypothesis import strategies as st

from course_utils.tests.catalogue import Wrong
from course_utils.tests.returns import array
from course_utils.tests.scene import Scenes, pasted

VALUES = st.one_of(st.sampled_from([0.0, 1.0, -1.0, 0.5]), st.integers(-20, 20).map(lambda twentieths: twentieths / 20))
DRAWS = st.tuples(
    st.sampled_from([1, -1]),  # who begins
    st.lists(st.tuples(VALUES, st.sampled_from([False, False, True])), min_size=1, max_size=42),
    st.sampled_from([1, 0, -1]),  # who wins
)


def scene(draw) -> str:
    first, positions, winner = draw
    root_values, gave_away = (np.array(column) for column in zip(*positions, strict=True))
    players = np.array([first, -first] * len(positions))[: len(positions)]
    return (
        f"players = {pasted(players)}\nroot_values = {pasted(root_values)}\ngave_away = {pasted(gave_away)}\n"
        f"trace_targets(players, {winner}, root_values, gave_away)"
    )


BY_HAND = """
    nothing was given away: the outcome, seen by whoever moves
    >>> players, root_values = np.array([1, -1, 1, -1, 1]), np.array([0.1, 0.2, -0.3, -0.6, 0.9])
    >>> gave_away = np.array([False, False, False, False, False])
    >>> trace_targets(players, 1, root_values, gave_away)
    [1, -1, 1, -1, 1]
    ? Who has won, and for whom is each number?

    one move gives the game away: before it, the search's value of that position counts (3 points)
    >>> players, root_values = np.array([1, -1, 1, -1, 1, -1]), np.array([0.2, -0.1, 0.6, 0.8, -0.7, 0.9])
    >>> gave_away = np.array([False, False, True, False, False, False])
    >>> trace_targets(players, -1, root_values, gave_away)
    [0.6, -0.6, 0.6, 1, -1, 1]
    ? The first player stood well at position 2 and threw it away by a random move. What should positions 0 and 1 learn?

    the position itself, where the move was played, gets its own root value (2 points)
    >>> players, root_values = np.array([1, -1, 1]), np.array([0.3, -0.5, 0.4])
    >>> trace_targets(players, -1, root_values, np.array([False, False, True]))
    [0.4, -0.4, 0.4]
    ? Does a bad move make the position bad in which it was played?

    a move of the second player (2 points)
    >>> players, root_values = np.array([1, -1, 1, -1, 1]), np.array([-0.2, 0.3, -0.4, 0.5, 0.6])
    >>> gave_away = np.array([False, False, False, True, False])
    >>> trace_targets(players, 1, root_values, gave_away)
    [-0.5, 0.5, -0.5, 0.5, 1]
    ? root_values speak for the player to move at their position. Whose is number 3, and what is it for the other one?

    two such moves: each position looks no further than the next one (2 points)
    >>> players, root_values = np.array([1, -1, 1, -1, 1, -1, 1]), np.array([0.3, -0.2, 0.7, -0.5, 0.1, 0.8, -0.9])
    >>> gave_away = np.array([False, True, False, False, False, True, False])
    >>> trace_targets(players, -1, root_values, gave_away)
    [0.2, -0.2, -0.8, 0.8, -0.8, 0.8, -1]
    ? From position 0, which of the two moves comes first? From position 3?
"""

CARRIED = "carried = players[t] * root_values[t]"
WRITE = "targets[t] = players[t] * carried"
# fmt: off
WRONG = [
    Wrong("carried without turning", "the root value is carried as it is, though it speaks for the player to move there",
          "For whom is the number that you carry?", (CARRIED, "carried = root_values[t]")),
    Wrong("the bad move's position blamed", "the position in which the bad move was played still gets the outcome",
          "Is it the position that was bad, or the move?",
          (f"        if gave_away[t]:\n            {CARRIED}\n        {WRITE}\n",
           f"        {WRITE}\n        if gave_away[t]:\n            {CARRIED}\n")),
    Wrong("the outcome for everybody", "nothing is cut: every position gets the outcome", "What is `gave_away` for?",
          ("if gave_away[t]:", "if False:")),
    Wrong("zero taken for nothing", "a root value of 0 is passed over, as if nothing had been given away there",
          "How does your code know that something was given away?", ("if gave_away[t]:", "if gave_away[t] and root_values[t]:")),
    Wrong("written into the root values", "the targets are right, but they are written into root_values", "Which array do you fill?",
          ("targets = np.empty(len(players))", "targets = root_values")),
    Wrong("forwards", "the walk goes from the first position to the last: each carries what came before it",
          "Which positions can a later move teach something about: those before it, or those after it?",
          ("reversed(range(len(players)))", "range(len(players))")),
]
# fmt: on


def trace_by_looking_ahead(players, winner, root_values, gave_away):
    """From each position on, to the first move that gave something away."""
    targets = []
    for t, player in enumerate(players):
        cut = next((cut for cut in range(t, len(players)) if gave_away[cut]), None)
        targets.append(player * winner if cut is None else player * players[cut] * root_values[cut])
    return np.array(targets, dtype=float)


def trace_by_segments(players, winner, root_values, gave_away):
    for_first = np.full(len(players), float(winner))
    begin = 0
    for cut in np.flatnonzero(gave_away):
        for_first[begin : cut + 1] = players[cut] * root_values[cut]
        begin = cut + 1
    return for_first * players


CHECK = Scenes(
    draws=DRAWS,
    scene=scene,
    names=globals(),
    by_hand=BY_HAND,
    returns=array(),
    edges=[(1, [(value, True)] * 3, 1) for value in (1.0, -1.0)],
    examples=20,
    question="Begin at the end of the game and go back. What is carried from one position to the one before, and for whom?",
    wrong=WRONG,
    right=[trace_by_looking_ahead, trace_by_segments],
)
