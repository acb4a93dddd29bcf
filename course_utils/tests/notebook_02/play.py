"""play: a mark, the turn passes, and whatever is not legal is refused."""

from typing import NamedTuple

from hypothesis import strategies as st

from course_utils.games.tictactoe import State, legal_actions
from course_utils.tests.case import Case
from course_utils.tests.catalogue import Wrong
from course_utils.tests.notebook_02 import positions
from course_utils.tests.notebook_02.positions import OPEN, ROW_X, THREE_FREE, after
from course_utils.tests.specification import Specification

PUT = "Whose mark goes where, and who is to move next?"
ANYBODY = "What do you do if the action is not among the legal ones?"


def chosen(state: State, number: int) -> tuple[State, int]:
    """A legal action as a rule, else a cell that may be taken or lies beyond the board."""
    legal = positions.legal(state)
    if number < 14 and legal:
        return state, legal[number % len(legal)]
    return state, number % 9 if number < 20 else positions.illegal(number, 9)


DRAWS = st.builds(chosen, positions.STATES, st.integers(0, 23))
EDGES = [chosen(state, number) for state in (State(), OPEN, ROW_X, THREE_FREE) for number in (0, *range(14, 24))]


def oracle(draw):
    state, action = draw
    if action in positions.legal(state):
        return [*positions.put(state, action)]
    return positions.refuses(positions.legal(state))


def by_hand(rng):
    def case(state: State, action: int, name: str, question: str, points: int = 1) -> Case:
        expected, call = oracle((state, action)), f"play({state!r}, {action})"
        return Case(name, lambda play: play(state, action), expected, call, question, positions.drawing(state), points)

    yield case(State(), 4, "X takes the center, then it is O's turn", PUT, 2)
    yield case(after(4), 0, "O takes a corner, then it is X's turn", PUT, 2)
    yield case(OPEN, 4, "refuses a cell that the opponent has", ANYBODY)
    yield case(OPEN, 0, "refuses a cell that the player already has", ANYBODY)
    yield case(ROW_X, 1, "refuses a free cell when the game is over", "X has won. May O still move?")
    yield case(OPEN, 9, "refuses a cell number beyond the board", "Which error does your code raise, and where?")
    yield case(after(4, 0), -1, "refuses -1", "Which cell is cells[-1] in Python?")
    help = "Somebody reads your message without the board. What would help?"
    yield case(THREE_FREE, 4, "the error says what was legal", help)


TEST = "if action not in legal:"
GUARD = "Which function already knows everything that makes an action illegal?"
WRONG = [
    Wrong(
        "writes into the given state",
        "the new mark is written into the cells of the state that was given, and a tuple does not let you",
        "How do you get a list of the same nine cells that you may change?",
        ("    cells = list(state.cells)\n    cells[action]", "    state.cells[action]"),
        ("tuple(cells)", "state.cells"),
    ),
    Wrong(
        "turn does not change",
        "the same player stays to move",
        "Who is to move in the position that you return?",
        ("-state.to_play)", "state.to_play)"),
    ),
    Wrong(
        "always X",
        "the mark is always X",
        "Whose mark is it when O is to move?",
        ("cells[action] = state.to_play", "cells[action] = 1"),
    ),
    Wrong(
        "X is to move next, always",
        "State(...) is made without the player to move, and so falls back to X",
        "What does State() fill in for a field that you leave out?",
        (", -state.to_play)", ")"),
    ),
    Wrong(
        "only taken cells are refused",
        "the test looks at the cell alone: a finished game goes on, and cells[9] ends in an IndexError",
        GUARD,
        (TEST, "if state.cells[action] != 0:"),
    ),
    Wrong(
        "finished games go on",
        "free cells may be taken after somebody has won",
        GUARD,
        ("legal_actions(state)", "[cell for cell in range(9) if state.cells[cell] == 0]"),
    ),
    Wrong(
        "minus one is the last cell",
        "a negative number gets through and counts cells from the end",
        "Which cell is cells[-1] in Python?",
        (TEST, "if not legal or action > 8 or state.cells[action] != 0:"),
    ),
    Wrong(
        "silent about what was legal",
        "the error does not say what was legal",
        "Somebody reads your message without the board. What would help?",
        ("; legal: {legal or 'none, the game is over'}", ""),
    ),
    Wrong(
        "a list of cells",
        "the cells of the new state are a list: it can change later, and no dict takes it as a key",
        "What type had the cells before the move?",
        ("tuple(cells)", "cells"),
    ),
]


def play_checks_in_turn(state, action):
    """Each reason by itself, and a board with the free cells numbered as the message."""
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
    """What a notebook's own cell defines: another class with the same fields."""

    cells: tuple[int, ...] = (0,) * 9
    to_play: int = 1


def play_own_state(state, action):
    if action not in (legal := legal_actions(state)):
        raise ValueError(f"legal: {legal}")
    cells = state.cells[:action] + (state.to_play,) + state.cells[action + 1 :]
    return NotebookState(cells, state.to_play * -1)


CHECK = Specification(
    draws=DRAWS,
    edges=EDGES,
    arguments=lambda draw: {"state": positions.anew(draw[0]), "action": draw[1]},
    oracle=oracle,
    returns=positions.a_state(State),
    board=lambda draw: positions.drawing(draw[0]),
    related=lambda draw, number: (positions.related(draw[0], number), draw[1]),
    tolerance=0,
    question=PUT,
    by_hand=by_hand,
    wrong=WRONG,
    right=[play_checks_in_turn, play_own_state],
)
