"""count_games: ways to the end, added up."""

import functools
import itertools
import math
from dataclasses import replace

from hypothesis import strategies as st

from course_utils.exercise import watching
from course_utils.games.tictactoe import is_terminal, legal_actions, play
from course_utils.tests.catalogue import Wrong
from course_utils.tests.notebook_02 import positions
from course_utils.tests.notebook_02.positions import DRAW, EDGES, ONE_FREE, ROW_X, THREE_FREE, after, at
from course_utils.tests.returns import whole_number

DEEPER = "Each first move leads to a smaller problem of the same kind. How do their numbers combine?"


def small(state) -> bool:
    """Whether it is quickly counted."""
    return state.cells.count(0) <= 5 or positions.over(state)


DRAWS = st.deferred(lambda: st.sampled_from([state for state in reversed(positions.reachable()) if small(state)]))


def by_hand(rng):
    end = "How many ways are there to go on when nothing is left to do?"
    yield at("count_games", ROW_X, "a game that X has won: one way, to add nothing", 1, end)
    yield at("count_games", DRAW, "a draw: one way, to add nothing", 1, end)
    yield at("count_games", ONE_FREE, "one free cell: one way", 1, end)
    yield at("count_games", THREE_FREE, "three free cells", positions.games(THREE_FREE), DEEPER)
    early = "Does the game go on after a line is complete?"
    threats = after(0, 3, 1, 4)  # X wins on 2, and O, if X lets it, on 5
    yield at("count_games", threats, "five free cells, and games that end early", positions.games(threats), early, 2)
    opening = at("count_games", after(4), "all games after a first move", positions.games(after(4)), DEEPER)
    yield replace(opening, run=lambda count_games: quickly(opening.run, count_games))


def quickly(run, count_games):
    """With rules that remember what they said: nearly all of the time is theirs."""

    def remembering(rule):
        known = functools.cache(rule)

        def remembered(*position):
            try:
                found = known(*position)
            except TypeError:  # cells in a list
                found = rule(*position)
            return found[:] if type(found) is list else found

        return remembered

    remembering.remembers = True  # type: ignore[attr-defined]  # it looks at nothing
    with watching(dict.fromkeys(("play", "legal_actions", "is_terminal", "winner"), remembering)):
        return run(count_games)


ONE = "        return 1\n"
SUM = "sum(count_games(play(state, action)) for action in legal_actions(state))"
WRONG = [
    Wrong(
        "goes on after a line",
        "all ways to fill the board are counted: the games go on after somebody has won",
        "When does a game end?",
        code="""
        def count_games(state):
            ways = 1
            for free in range(1, state.cells.count(0) + 1):
                ways *= free
            return ways
        """,
    ),
    Wrong(
        "counts positions on the way, too",
        "every position on the way is counted, not only finished games",
        "How many games pass through a position that is not over: one more than go on from it?",
        (SUM, f"1 + {SUM}"),
    ),
    Wrong(
        "counts moves",
        "the moves are counted, not the games",
        "If there are two legal moves and each ends the game, how many games are there?",
        (ONE, "        return 0\n"),
        ("sum(count_games", "sum(1 + count_games"),
    ),
    Wrong(
        "counts different final positions",
        "each final position is counted once, in however many orders its marks were put down",
        "Are X 0, O 1, X 2 and X 2, O 1, X 0 one game or two?",
        code="""
        def count_games(state):
            finals, todo = set(), [state]
            while todo:
                position = todo.pop()
                todo += [play(position, action) for action in legal_actions(position)]
                if is_terminal(position):
                    finals.add(position)
            return len(finals)
        """,
    ),
    Wrong(
        "a finished game counts nothing",
        "a finished game counts 0, and sums of zeros stay 0",
        "How many ways are there to go on when nothing is left to do: none, or one?",
        (ONE, "        return 0\n"),
    ),
    Wrong(
        "draws are not counted",
        "only games that somebody wins are counted",
        "Is a draw a game?",
        (ONE, "        return abs(winner(state))\n"),
    ),
    Wrong(
        "first move only",
        "only one of the legal moves is followed",
        "When do you leave the loop?",
        (SUM, "count_games(play(state, legal_actions(state)[0]))"),
    ),
]


def count_games_memory(state):
    @functools.cache
    def count(position):
        return 1 if is_terminal(position) else sum(count(play(position, a)) for a in legal_actions(position))

    return count(state)


def count_games_own_rules(state):
    """Orders of filling all free cells, each weighed by how many share the same shortened game."""
    free = [i for i, cell in enumerate(state.cells) if cell == 0]
    if is_terminal(state):
        return 1
    if len(free) > 6:
        return sum(count_games_own_rules(play(state, action)) for action in free)
    total = 0.0
    for order in itertools.permutations(free):
        position, left = state, len(free)
        for action in order:
            position, left = play(position, action), left - 1
            if is_terminal(position):
                break
        total += 1 / math.factorial(left)
    return round(total)


CHECK = positions.about_states(
    draws=DRAWS,
    edges=[
        *(state for state in EDGES if small(state)),
        after(3, 5, 4, 1),  # X faces O in the mirror
    ],
    oracle=positions.games,
    returns=whole_number,
    question=DEEPER,
    examples=20,
    by_hand=by_hand,
    wrong=WRONG,
    right=[count_games_memory, count_games_own_rules],
)
