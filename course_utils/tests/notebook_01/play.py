"""Check play: a mark is put down, the turn passes, and an illegal action raises."""

from typing import NamedTuple

from hypothesis import strategies as st

from course_utils.games.tictactoe import State, legal_actions
from course_utils.tests.case import Raises, Such
from course_utils.tests.catalogue import Wrong
from course_utils.tests.scene import Scenes
from course_utils.tests.world.positions import a_state, drawing
from course_utils.tests.world.states import ENDS, STATES


def scene(draw) -> str:
    state, action = draw
    return f"play({state!r}, {action})"


BY_HAND = """
    X takes the center, then it is O's turn (2 points)
    >>> play(State(), 4)
    State((0, 0, 0, 0, 1, 0, 0, 0, 0), -1)

    O takes a corner, then it is X's turn (2 points)
    . . .
    . X .
    . . .
    >>> play(State((0, 0, 0, 0, 1, 0, 0, 0, 0), -1), 0)
    State((-1, 0, 0, 0, 1, 0, 0, 0, 0), 1)

    refuses a cell that is taken, and says what is legal
    X O .
    . O .
    O X X
    >>> play(State((1, -1, 0, 0, -1, 0, -1, 1, 1), 1), 4)
    Raises(ValueError, ("2", "3", "5"))
    ? A player who can't see the board reads your message. What would help them?

    refuses a free cell when the game is over
    O . .
    X X X
    . . O
    >>> play(State((-1, 0, 0, 1, 1, 1, 0, 0, -1), -1), 1)
    Raises(ValueError)
    ? X has won. May O still move?

    its message names no cell as legal once the game is over
    O . .
    X X X
    . . O
    >>> try:
    ...     play(State((-1, 0, 0, 1, 1, 1, 0, 0, -1), -1), 1)
    ...     message = "nothing was raised"
    ... except ValueError as error:
    ...     message = str(error)
    >>> message
    NO_CELL_IS_LEGAL
    ? Which actions are legal after a player has won?

    refuses a cell number beyond the board
    >>> play(State((-1, 0, 0, 0, 1, 0, 0, 0, 1), -1), 9)
    Raises(ValueError)
    ? Which error does your code raise, and where?

    refuses -1
    >>> play(State((-1, 0, 0, 0, 1, 0, 0, 0, 0), 1), -1)
    Raises(ValueError)
    ? Which cell is cells[-1] in Python?
"""


def names_no_free_cell(message: str) -> bool | str:
    return message if message == "nothing was raised" else not {"6", "7"} & {*message}


NO_CELL_IS_LEGAL = Such("a message that does not name cells 6 and 7", names_no_free_cell)
TEST = "if action not in legal:"
# fmt: off
WRONG = [
    Wrong("writes into the given state",
          "the new mark is written into the given state's cells, but they are a tuple, which can't be changed",
          "How do you get a list of the same nine cells that you may change?",
          ("    cells = list(state.cells)\n    cells[action]", "    state.cells[action]"),
          ("tuple(cells)", "state.cells")),
    Wrong("printed instead of raised", "the message is only printed, so the illegal move is made all the same",
          "After `print` the next line runs. What happens after `raise`?", ("raise ValueError(", "print(")),
    Wrong("turn does not change", "the same player stays to move", "Who is to move in the position that you return?",
          ("-state.to_play)", "state.to_play)")),
    Wrong("always X", "the mark is always X", "Whose mark is it when O is to move?",
          ("cells[action] = state.to_play", "cells[action] = 1")),
    Wrong("X is to move next, always", "`State(...)` is made without the player to move, so it falls back to X",
          "What does State() fill in for a field that you leave out?", (", -state.to_play)", ")")),
    Wrong("only taken cells are refused",
          "only the cell is tested: a finished game goes on, and `cells[9]` raises an IndexError",
          "Which function already knows everything that makes an action illegal?",
          (TEST, "if state.cells[action] != 0:")),
    Wrong("finished games go on", "free cells may be taken after a player has won",
          "Which function already knows everything that makes an action illegal?",
          ("legal_actions(state)", "[cell for cell in range(9) if state.cells[cell] == 0]")),
    Wrong("minus one is the last cell",
          "a negative number gets through, and Python counts it from the end of the cells",
          "Which cell is cells[-1] in Python?", (TEST, "if not legal or action > 8 or state.cells[action] != 0:")),
    Wrong("silent about what was legal", "the error does not say what was legal",
          "A player who can't see the board reads your message. What would help them?",
          ("; legal: {legal or 'none, the game is over'}", "")),
    Wrong("a list of cells",
          "the new state's cells are a list, which can change later and can't be the key of a dictionary",
          "What type did the cells have before the move?", ("tuple(cells)", "cells")),
]
# fmt: on


def right_checks_in_turn(state, action):
    """Check each reason by itself. The message is the board with its free cells numbered."""
    marks = {1: "X", -1: "O"}
    board = "".join(marks.get(cell, str(i)) for i, cell in enumerate(state.cells))
    numbers = " ".join(board)
    if not legal_actions(state):
        raise ValueError("the game is over")
    if action not in range(9):
        raise ValueError(f"no such cell; pick a number from {numbers}")
    if state.cells[action]:
        raise ValueError(f"cell taken; pick a number from {numbers}")
    return state._replace(
        cells=tuple(state.to_play if i == action else cell for i, cell in enumerate(state.cells)),
        to_play=1 if state.to_play == -1 else -1,
    )


class NotebookState(NamedTuple):
    """A state class as a notebook's cell defines it: another class with the same fields."""

    cells: tuple[int, ...] = (0,) * 9
    to_play: int = 1


def right_own_state(state, action):
    if action not in (legal := legal_actions(state)):
        raise ValueError(f"legal: {legal}")
    cells = state.cells[:action] + (state.to_play,) + state.cells[action + 1 :]
    return NotebookState(cells, state.to_play * -1)


CHECK = Scenes(
    draws=st.tuples(STATES, st.one_of(st.integers(0, 8), st.sampled_from([-1, 9]))),
    board=lambda draw: drawing(draw[0]),
    edges=[(ENDS[0], 5), (ENDS[1], 5)],  # a free cell, after the game is over
    returns=a_state(State),
    question="Whose mark goes where, and who is to move next?",
)
