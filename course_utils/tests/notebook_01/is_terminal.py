"""Check is_terminal: a line, or a full board."""

import itertools

import numpy as np

from course_utils.games.tictactoe import State, winner
from course_utils.tests.catalogue import Wrong
from course_utils.tests.returns import true_or_false
from course_utils.tests.scene import Scenes
from course_utils.tests.world.positions import drawing
from course_utils.tests.world.states import DRAW, ENDS, LAST_MOVES, STATES, by_hand


def scene(state) -> str:
    return f"is_terminal({state!r})"


ENDING = "In which two ways can a game end?"
# fmt: off
BY_HAND = by_hand(
    "is_terminal",
    ("the empty board is not the end", "... ... ... X", False, "What has to happen before a game is over?"),
    ("a game that is not over yet", "O.. .X. ..X O", False, "What has to happen before a game is over?"),
    ("X has won, cells are free", "O.. XXX ..O O", True, ENDING),
    ("O has won, cells are free", "XXO .O. O.X X", True, "Is the game over only when X has won?"),
    ("a draw", "XOX XOO OXX O", True, ENDING),
    ("a single free cell", "XOX .OO OXX X", False, "Can the player to move still make a move?"),
)
# fmt: on

BODY = "winner(state) != 0 or 0 not in state.cells"
# fmt: off
WRONG = [
    Wrong("full board forgotten", "only a line ends the game, so a drawn game never ends",
          "What happens after the ninth move if no player has a line?", (BODY, "winner(state) != 0")),
    Wrong("line forgotten", "only a full board ends the game, so the game goes on after a win",
          "May a player still move once a line is complete?", (BODY, "0 not in state.cells")),
    Wrong("O's win goes on", "the game ends when X wins and goes on when O does",
          "Which values can winner return, and which of them end the game?",
          ("winner(state) != 0", "winner(state) > 0")),
    Wrong("both at once", "the game ends only when there is a line and the board is full",
          "Does it take both to end a game, or is either of them enough?", (" or ", " and ")),
    Wrong("the winner, not whether", "`winner(state) or ...` returns the winner, which is a number, instead of True",
          "What does `-1 or True` give?",
          ("winner(state) != 0 or", "winner(state) or")),
    Wrong("any for all", "the test for a full board is `not any(cells)`, which is True only for the empty board",
          "Which of the two, `any` or `all`, is True only for a full board?",
          ("0 not in state.cells", "not any(state.cells)")),
    Wrong("the first cell decides",
          "the loop returns at its first cell, so this cell alone decides whether the board is full",
          "A `return` inside a loop ends it. After which cell do you know that no cell is free?",
          (BODY, "winner(state) != 0 or state.cells[0] != 0")),
    Wrong("one taken cell is a full board", "a single taken cell counts as a full board",
          "When is the board full: when one cell is taken, or when none is free?",
          (BODY, "winner(state) != 0 or any(state.cells)")),
    Wrong("asks legal_actions",
          "is_terminal calls legal_actions, which calls is_terminal in turn: the two call each other without end",
          "How can you tell from `winner` and the cells alone that the game is over?", code="""
        def is_terminal(state):
            return not legal_actions(state)
        """),
]
# fmt: on


def right_without_winner(state):
    taken = [{i for i, cell in enumerate(state.cells) if cell == player} for player in (1, -1)]
    lines = [{0, 1, 2}, {3, 4, 5}, {6, 7, 8}, {0, 3, 6}, {1, 4, 7}, {2, 5, 8}, {0, 4, 8}, {2, 4, 6}]
    return len(taken[0] | taken[1]) == 9 or any(line <= mine for line, mine in itertools.product(lines, taken))


def right_numpy(state):
    return np.all(np.array(state.cells) != 0) | (abs(winner(state)) == 1)  # np.bool_


CHECK = Scenes(
    draws=STATES,
    board=drawing,
    edges=[*ENDS, DRAW, *LAST_MOVES],
    examples=60,
    returns=true_or_false,
    question=ENDING,
)
