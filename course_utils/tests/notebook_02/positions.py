"""Positions of tic-tac-toe to ask about, and what is true of them."""

import random
import re
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
from hypothesis import strategies as st

from course_utils.games.tictactoe import State
from course_utils.tests.case import TIME_LIMIT, Case, Raises
from course_utils.tests.specification import Specification
from course_utils.tests.world.positions import a_state, drawing, put, reachable, windows  # noqa: F401

LINES = [[3 * row + column for row, column in window] for window in windows(3, 3, 3)]

# --- what is true -------------------------------------------------------------------------------------------------------


def winner(state: State) -> int:
    sums = [sum(state.cells[cell] for cell in line) for line in LINES]
    return (3 in sums) - (-3 in sums)


def over(state: State) -> bool:
    return winner(state) != 0 or all(state.cells)


def free(state: State) -> list[int]:
    return [cell for cell, mark in enumerate(state.cells) if not mark]


def legal(state: State) -> list[int]:
    return [] if over(state) else free(state)


def after(*actions: int) -> State:
    """X moves first, so the 1st, 3rd, 5th ... cells are X's."""
    state = State()
    for action in actions:
        state = put(state, action)
    return state


@cache
def games(state: State) -> int:
    return sum(games(put(state, cell)) for cell in legal(state)) or 1


# --- positions to ask about ---------------------------------------------------------------------------------------------

ROW_X = after(3, 0, 4, 8, 5)
COLUMN_O = after(0, 2, 1, 5, 6, 8)
DIAGONAL_X = after(0, 1, 4, 2, 8)
ANTI_DIAGONAL_O = after(0, 2, 1, 4, 8, 6)
NOT_A_ROW = after(2, 0, 3, 8, 4)  # X holds cells 2, 3 and 4, which follow one another but bend
OPEN = after(4, 0, 8)
DRAW = after(0, 4, 8, 1, 7, 6, 2, 5, 3)
ONE_FREE = after(0, 4, 8, 1, 7, 6, 2, 5)
THREE_FREE = after(0, 4, 8, 1, 7, 6)
EDGES = [
    State(),
    ROW_X,
    COLUMN_O,
    ANTI_DIAGONAL_O,
    DRAW,
    ONE_FREE,
    after(0, 1, 2, 3, 4, 5, 7, 6, 8),  # a line made by the last mark of a full board
    after(0, 1, 2, 3, 6, 5, 8, 7, 4),  # two lines at once
]


STATES = st.deferred(lambda: st.sampled_from(reachable()))


def related(state: State, number: int) -> State:
    """The same cells are taken, by others."""
    marks = [mark for mark in state.cells if mark]
    random.Random(number).shuffle(marks)
    other = state._replace(cells=tuple(marks.pop() if mark else 0 for mark in state.cells))
    return other if other in reachable() else state


def anew(state: Any) -> Any:
    """The same State or ConnectState, as another object."""
    return type(state)((*state[0],), *state[1:])


def about_states(**rest) -> Specification:
    """The specification of a function of one State."""
    return Specification(
        **{
            "draws": STATES,
            "edges": EDGES,
            "arguments": lambda state: {"state": anew(state)},
            "board": drawing,
            "related": related,
            "tolerance": 0,
            **rest,
        }
    )


def at(exercise: str, state: Any, name: str, expected: Any, question: str, points: int = 1) -> Case:
    """A case that is one call on one position."""
    call = f"{exercise}({state!r})"
    return Case(name, lambda answer: answer(anew(state)), expected, call, question, drawing(state), points)


@cache
def asked(arguments: Callable[[Any], dict], oracle: Callable[[Any], Any], draws: Callable[[], list]) -> list[tuple]:
    """(draw, arguments, what must come of them), of each."""
    return [(draw, tuple(arguments(draw).values()), oracle(draw)) for draw in draws()]


def each_of(
    check: Specification, draws: Callable[[], list], name: str, question: str, seconds: float = TIME_LIMIT
) -> Case:
    """A case that is all of these draws, whose arguments nobody can change."""

    def run(answer):
        for draw, arguments, expected in asked(check.arguments, check.oracle, draws):
            got = answer(*arguments)
            if type(got) is not type(expected) or got != expected:
                verdict = check.verdict(answer, draw)
                if verdict is not None:
                    raise verdict

    return Case(name, run, None, question=question, points=2, seconds=seconds)


def everywhere(check: Specification, question: str) -> Case:
    return each_of(check, reachable, "is right for all 5,478 positions that a game can reach", question)


# --- refusing a move ----------------------------------------------------------------------------------------------------


class Refuses(Raises):
    """A ValueError whose message lists what is legal."""

    def complaint(self, error: BaseException) -> str:
        if isinstance(error, ValueError) and not set(self.mentions) <= set(re.findall(r"\d+", str(error))):
            return f"the message does not list what is legal: {', '.join(self.mentions)}"
        return "" if isinstance(error, ValueError) else "an exception"


def refuses(legal: list[int]) -> Refuses:
    return Refuses(ValueError, tuple(map(str, legal)))


def illegal(number: int, actions: int) -> int:
    """An action that is never legal: beyond the board, or negative."""
    return (-1, actions, -actions, -4)[number % 4]
