"""trace_targets: the outcome, without the blame for later exploration."""

from typing import NamedTuple

import numpy as np
from hypothesis import strategies as st

from course_utils.tests.case import calls, show
from course_utils.tests.catalogue import Wrong
from course_utils.tests.returns import array
from course_utils.tests.specification import Specification


class Draw(NamedTuple):
    """One game: (player, root value, whether something was given away) for each position."""

    positions: list[tuple[int, float, bool]]
    winner: float


VALUES = st.one_of(st.sampled_from([0.0, 1.0, -1.0, 0.5]), st.floats(-1, 1))
DRAWS = st.builds(
    lambda first, played, winner: Draw([(first * (-1) ** t, *one) for t, one in enumerate(played)], winner),
    st.sampled_from([1, -1]),
    st.lists(st.tuples(VALUES, st.sampled_from([False, False, True])), min_size=1, max_size=42),
    st.sampled_from([1, 0, -1]),
)


def arguments(draw: Draw) -> dict:
    players, values, thrown = zip(*draw.positions, strict=True)
    return {
        "players": np.array(players),
        "winner": draw.winner,
        "root_values": np.array(values),
        "gave_away": np.array(thrown),
    }


def oracle(draw: Draw) -> np.ndarray:
    """Each position looks ahead, to the first move that gave something away, itself included."""
    given, cuts = arguments(draw), [t for t, (_, _, thrown) in enumerate(draw.positions) if thrown]
    targets = []
    for t, player in enumerate(given["players"].tolist()):
        cut = next((cut for cut in cuts if cut >= t), None)
        mover, value = (1, draw.winner) if cut is None else (given["players"][cut], given["root_values"][cut])
        targets.append(float(player * mover) * float(value))
    return np.array(targets)


def game(name: str, players, winner, root_values, thrown, question: str, points: int = 1):
    positions = [
        (player, value, t in thrown) for t, (player, value) in enumerate(zip(players, root_values, strict=True))
    ]
    draw = Draw(positions, winner)
    given = arguments(draw)
    return calls(
        "trace_targets",
        *given.values(),
        name=name,
        expected=oracle(draw),
        call=f"players = np.array({show(players)})\nroot_values = np.array({show(root_values)})\n"
        f"gave_away = np.array({given['gave_away'].tolist()})\ntrace_targets(players, {winner}, root_values, gave_away)",
        question=question,
        points=points,
    )


def by_hand(rng):
    yield game("nothing was given away: the outcome, seen by whoever moves", [1, -1, 1, -1, 1], 1, [0.1, 0.2, -0.3, -0.6, 0.9], [],
               "Who has won, and for whom is each number?")  # fmt: skip
    yield game("one move gives the game away: before it, the search's value of that position counts",
               [1, -1, 1, -1, 1, -1], -1, [0.2, -0.1, 0.6, 0.8, -0.7, 0.9], [2],
               "The first player stood well at position 2 and threw it away by a random move. What should positions 0 and 1 learn?", 3)  # fmt: skip
    yield game("the position itself, where the move was played, gets its own root value", [1, -1, 1], -1, [0.3, -0.5, 0.4], [2],
               "Does a bad move make the position bad in which it was played?", 2)  # fmt: skip
    yield game("a move of the second player", [1, -1, 1, -1, 1], 1, [-0.2, 0.3, -0.4, 0.5, 0.6], [3],
               "root_values speak for the player to move at their position. Whose is number 3, and what is it for the other one?", 2)  # fmt: skip
    yield game("two such moves: each position looks no further than the next one",
               [1, -1, 1, -1, 1, -1, 1], -1, [0.3, -0.2, 0.7, -0.5, 0.1, 0.8, -0.9], [1, 5],
               "From position 0, which of the two moves comes first? From position 3?", 2)  # fmt: skip


_CARRIED = "carried = players[t] * root_values[t]"
_WRITE = "targets[t] = players[t] * carried"


def trace_by_segments(players, winner, root_values, gave_away):
    for_first = np.full(len(players), float(winner))
    begin = 0
    for cut in np.flatnonzero(gave_away):
        for_first[begin : cut + 1] = players[cut] * root_values[cut]
        begin = cut + 1
    return for_first * players


def trace_recursively(players, winner, root_values, gave_away):
    def says(t):
        if t == len(players):
            return winner
        return players[t] * root_values[t] if gave_away[t] else says(t + 1)

    return np.array([float(player * says(t)) for t, player in enumerate(players)])


CHECK = Specification(
    draws=DRAWS,
    arguments=arguments,
    oracle=oracle,
    returns=array("float"),
    edges=[Draw([(player, value, True) for player in (1, -1, 1)], 1) for value in (1.0, -1.0)],
    examples=20,
    question="Begin at the end of the game and go back. What is carried from one position to the one before, and for whom?",
    by_hand=by_hand,
    wrong=[
        Wrong("carried without turning", "the root value is carried as it is, though it speaks for the player to move there",
              "For whom is the number that you carry?", (_CARRIED, "carried = root_values[t]")),
        Wrong("the bad move's position blamed", "the position in which the bad move was played still gets the outcome",
              "Is it the position that was bad, or the move?",
              (f"        if gave_away[t]:\n            {_CARRIED}\n        {_WRITE}\n",
               f"        {_WRITE}\n        if gave_away[t]:\n            {_CARRIED}\n")),
        Wrong("the outcome for everybody", "nothing is cut: every position gets the outcome", "What is `gave_away` for?",
              ("if gave_away[t]:", "if False:")),
        Wrong("zero taken for nothing", "a root value of 0 is passed over, as if nothing had been given away there",
              "How does your code know that something was given away?", ("if gave_away[t]:", "if gave_away[t] and root_values[t]:")),
        Wrong("written into the root values", "the targets are right, but they are written into root_values",
              "Which array do you fill?", ("targets = np.empty(len(players))", "targets = root_values")),
        Wrong("forwards", "the walk goes from the first position to the last: each carries what came before it",
              "Which positions can a later move teach something about: those before it, or those after it?",
              ("reversed(range(len(players)))", "range(len(players))")),
    ],
    right=[trace_by_segments, trace_recursively],
)  # fmt: skip
