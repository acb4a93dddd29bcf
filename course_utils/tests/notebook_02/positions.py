"""Positions of tic-tac-toe to ask about, and what is true of them."""

import math
import random
import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
from hypothesis import strategies as st

from course_utils.games.tictactoe import State
from course_utils.tests import oracles
from course_utils.tests.case import TIME_LIMIT, Case, Raises
from course_utils.tests.specification import Specification

LINES = [[3 * row + column for row, column in window] for window in oracles.windows(3, 3, 3)]

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


def put(state: State, cell: int) -> State:
    return State(state.cells[:cell] + (state.to_play,) + state.cells[cell + 1 :], -state.to_play)


def after(*actions: int) -> State:
    """X moves first, so the 1st, 3rd, 5th ... cells are X's."""
    state = State()
    for action in actions:
        state = put(state, action)
    return state


@cache
def games(state: State) -> int:
    return sum(games(put(state, cell)) for cell in legal(state)) or 1


@cache
def reachable() -> list[State]:
    """All 5,478 that can be reached, those with few marks first."""
    level, found = [State()], []
    while level:
        found += level
        level = list(dict.fromkeys(put(state, cell) for state in level for cell in legal(state)))
    return found


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
    State(to_play=-1),
    ROW_X,
    COLUMN_O,
    ANTI_DIAGONAL_O,
    DRAW,
    ONE_FREE,
    after(0, 1, 2, 3, 4, 5, 7, 6, 8),  # a line made by the last mark of a full board
    State((-1, -1, -1, 1, 1, -1, 1, -1, 1), 1),  # ... by O, who began
    after(0, 1, 2, 3, 6, 5, 8, 7, 4),  # two lines at once
    State((1, 1, 1, 0, 0, 0, 0, 0, 0), -1),  # set up by hand: few marks
    State((0, 0, -1, 0, 0, -1, 0, 0, -1), -1),  # ... and the line is that of the player to move
    State((0, 0, 0, 0, 1, 0, 0, 0, 0), 1),
    State((0, 1, 1, 1, 0, 1, 1, 1, 0), -1),  # ... six marks of one player, and no line
    State((0, -1, -1, -1, 0, -1, -1, -1, 0), -1),
    State((-1, 1, 1, 1, 0, 1, 1, 1, -1), 1),
    State((1,) * 9, -1),
]


def possible(state: State) -> bool:
    """Whether not both have a line."""
    sums = [sum(state.cells[cell] for cell in line) for line in LINES]
    return 3 not in sums or -3 not in sums


def set_up(number: int, to_play: int) -> State:
    """Any nine cells, told by a number of nine digits."""
    return State(tuple((0, 1, -1)[number // 3**cell % 3] for cell in range(9)), to_play)


def of_one(cells: int, player: int, to_play: int) -> State:
    """Marks of one player alone, in cells that are told by a number of nine binary digits."""
    return State(tuple(player * (cells >> cell & 1) for cell in range(9)), to_play)


SIDES = st.sampled_from((1, -1))
SET_UP = st.builds(set_up, st.integers(0, 3**9 - 1), SIDES).filter(possible)
SET_UP = st.one_of(SET_UP, SET_UP, st.builds(of_one, st.integers(0, 511), SIDES, SIDES))
STATES = st.deferred(lambda: st.sampled_from(reachable()))


def related(state: State, number: int) -> State:
    """The other player is to move, or the colors are exchanged, or the same cells are taken by others."""
    marks = [mark for mark in state.cells if mark]
    if number < 2:
        return state._replace(to_play=-state.to_play)
    if number < 4:
        return state._replace(cells=tuple(-mark for mark in state.cells))
    random.Random(number).shuffle(marks)
    other = state._replace(cells=tuple(marks.pop() if mark else 0 for mark in state.cells))
    return other if possible(other) else state


def anew(state: Any) -> Any:
    """The same State or ConnectState, as another object."""
    return type(state)((*state[0],), *state[1:])


@cache
def many() -> list[State]:
    """A third of those that a game can reach, as many that are set up by hand."""
    by_hand = (set_up(number, 1 - 2 * (number % 2)) for number in range(0, 3**9, 10))
    return [*random.Random(0).sample(reachable(), 1826), *filter(possible, by_hand)]


def drawing(state: Any) -> str:
    return f"{state}\n{'X' if state.to_play == 1 else 'O'} to move"


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
    return each_of(check, many, "is right for 3,700 positions, from games and set up by hand", question)


# --- refusing a move ----------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Refuses(Raises):
    """A ValueError whose message lists what is legal, and not what somebody might take for legal."""

    tempting: tuple[int, ...] = ()

    def complaint(self, error: BaseException) -> str:
        named = re.findall(r"\d+", str(error))
        if isinstance(error, ValueError) and not set(self.mentions) <= set(named):
            return f"the message does not list what is legal: {', '.join(self.mentions)}"
        if (
            isinstance(error, ValueError)
            and len(self.tempting) > 1
            and {str(one) for one in self.tempting} <= set(named)
        ):
            return "the message lists actions that are not legal"
        return "" if isinstance(error, ValueError) else "an exception"


def refuses(legal: list[int], action: Any, tempting: Any) -> Refuses:
    """`tempting` are actions that a careless message would list; what it may name for other reasons counts for nothing."""
    digits = map(int, re.findall(r"\d+", str(action)))  # a message that names 2.3 names neither 2 nor 3
    return Refuses(ValueError, tuple(map(str, legal)), tuple({*tempting} - {*legal, action, 0, 1, *digits}))


def illegal(number: int, actions: int) -> Any:
    """An action that is hardly ever legal: beyond the board, negative, or between two numbers."""
    tried = (-1, actions, 0.5, -actions, 2**40, actions - 1.5, -(10**12), -0.25, 2.3, -4, 3.999999, np.float32(2.5))
    return tried[number % len(tried)]


def no_action(number: int, action: int) -> float:
    """What is never legal: infinite, or a hair beside this action."""
    tried = (math.inf, -math.inf, math.nan, *(action + hair for hair in (1e-7, -1e-7, 1e-12, -1e-12)))
    return tried[number % len(tried)]


def called(name: str, state: Any, action: float) -> str:
    """The call, with all digits of an action that is nearly legal."""
    return f"{name}({state!r}, {action!r})" if math.isfinite(action) else f"{name}({state!r}, float({str(action)!r}))"


def a_state(kind: type) -> Callable[[Any], str]:
    """A complaint about what is no state of this kind with tuples and plain ints in it. A class with the same fields will do."""

    def plain(value: Any) -> bool:
        return type(value) is int or (type(value) is tuple and all(map(plain, value)))

    def complaint(result: Any) -> str:
        if getattr(result, "_fields", ()) != kind._fields:
            return f"expected a {kind.__name__}, got {result!r} of type {type(result).__name__}"
        odd = [field for field, value in zip(kind._fields, result, strict=True) if not plain(value)]
        return (
            f"`{odd[0]}` must hold nothing but tuples and plain ints: it is {getattr(result, odd[0])!r}" if odd else ""
        )

    return complaint
