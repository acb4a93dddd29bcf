"""Check count_games: the number of ways to the end."""

import functools

from hypothesis import strategies as st

from course_utils.games.tictactoe import State, is_terminal, legal_actions, play
from course_utils.tests.catalogue import Wrong
from course_utils.tests.returns import whole_number
from course_utils.tests.scene import Scenes
from course_utils.tests.world.positions import drawing, reachable
from course_utils.tests.world.states import DRAW, ENDS, by_hand

NEAR_THE_END = st.deferred(
    lambda: st.sampled_from([state for state in reversed(reachable()) if state.cells.count(0) <= 5])
)


def scene(state) -> str:
    return f"count_games({state!r})"


DEEPER = "Each first move leads to a smaller problem of the same kind. How do you combine their numbers?"
LEFT = "A finished game has one way to go on, which is to stop. What should the function return for it?"
# fmt: off
BY_HAND = by_hand(
    "count_games",
    ("a game that X has won counts as one game", "O.. XXX ..O O", 1, LEFT),
    ("a draw counts as one game", "XOX XOO OXX O", 1, LEFT),
    ("one free cell: one game", "XOX .OO OXX X", 1, DEEPER),
    ("three free cells", "XO. .O. OXX X", 6, DEEPER),
    ("five free cells, and games that end early (2 points)", "XX. OO. ... X", 73,
     "Does the game go on after a line is complete?"),
)
# fmt: on

ONE = "        return 1\n"
SUM = "sum(count_games(play(state, action)) for action in legal_actions(state))"
# fmt: off
WRONG = [
    Wrong("goes on after a line",
          "all ways to fill the board are counted, because the games go on after a player has won",
          "When does a game end?", code="""
        def count_games(state):
            ways = 1
            for free in range(1, state.cells.count(0) + 1):
                ways *= free
            return ways
        """),
    Wrong("counts positions on the way, too", "every position on the way is counted instead of only the finished games",
          "Should a position where the game is not over add 1 to the number of games below it?", (SUM, f"1 + {SUM}")),
    Wrong("counts moves", "the moves are counted instead of the games",
          "If there are two legal moves and each ends the game, how many games are there?", (ONE, "        return 0\n"),
          ("sum(count_games", "sum(1 + count_games")),
    Wrong("counts different final positions",
          "each final position is counted only once, although its marks can be put down in different orders",
          "Are X 0, O 1, X 2 and X 2, O 1, X 0 one game or two?", code="""
        def count_games(state):
            finals, todo = set(), [state]
            while todo:
                position = todo.pop()
                todo += [play(position, action) for action in legal_actions(position)]
                if is_terminal(position):
                    finals.add(position)
            return len(finals)
        """),
    Wrong("a finished game counts nothing", "a finished game counts 0, so every sum is 0",
          "How many games end in this finished position: none, or one?", (ONE, "        return 0\n")),
    Wrong("draws are not counted", "only games with a winner are counted", "Is a draw a game?",
          (ONE, "        return abs(winner(state))\n")),
    Wrong("first move only", "only one of the legal moves is followed", "When does your code leave the loop?",
          (SUM, "count_games(play(state, legal_actions(state)[0]))")),
]
# fmt: on


def right_by_levels(state):
    finished, level = 0, [state]
    while level:
        finished += sum(is_terminal(position) for position in level)
        level = [play(position, action) for position in level for action in legal_actions(position)]
    return finished


def right_memory(state):
    @functools.cache
    def count(position):
        return 1 if is_terminal(position) else sum(count(play(position, a)) for a in legal_actions(position))

    return count(state)


CHECK = Scenes(
    draws=NEAR_THE_END,
    board=drawing,
    edges=[*ENDS, DRAW],
    returns=whole_number,
    examples=20,
    question=DEEPER,
)
