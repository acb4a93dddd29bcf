"""Positions of Connect N to ask about, on boards of many sizes, and what is true of them.

A stone is a pair (height, column) -> player; a line is looked for among all places where one can lie.
"""

import random
from collections.abc import Callable
from functools import cache
from itertools import product
from typing import Any

import numpy as np
from hypothesis import strategies as st

from course_utils.games.connect_n import ConnectState
from course_utils.tests.notebook_02.positions import about_states
from course_utils.tests.world import positions

SMALL, CONNECT_FOUR = (4, 4, 3), (6, 7, 4)  # rows, columns, n
SIZES = ((2, 3, 3), (3, 3, 3), SMALL, (3, 4, 3), (4, 4, 4), (5, 6, 4), CONNECT_FOUR, (3, 9, 3), (7, 4, 3), (7, 8, 5))

# --- what is true -------------------------------------------------------------------------------------------------------


@cache
def through(rows: int, columns: int, n: int) -> dict[tuple[int, int], list]:
    """The places for a line, by the stones in them."""
    found: dict[tuple[int, int], list] = {(height, column): [] for height in range(rows) for column in range(columns)}
    for window in positions.windows(rows, columns, n):
        for cell in window:
            found[cell].append(window)
    return found


def makes_line(stones: dict, cell: tuple[int, int], size: tuple[int, int, int]) -> bool:
    """Whether the stone in this cell is part of a line."""
    return any(all(stones.get(other) == stones[cell] for other in window) for window in through(*size)[cell])


def stones_of(state: ConnectState) -> dict[tuple[int, int], int]:
    return {(height, x): stone for x, pile in enumerate(state.columns) for height, stone in enumerate(pile)}


def state_of(stones: dict, to_play: int, winner: int, size: tuple[int, int, int]) -> ConnectState:
    rows, columns, n = size
    piles = tuple(tuple(stones[h, x] for h in range(rows) if (h, x) in stones) for x in range(columns))
    return ConnectState(piles, to_play, winner, rows, n)


def size_of(state: ConnectState) -> tuple[int, int, int]:
    return state.rows, len(state.columns), state.n


def has_line(state: ConnectState, column: int) -> bool:
    return makes_line(stones_of(state), (len(state.columns[column]) - 1, column), size_of(state))


def legal(state: ConnectState) -> list[int]:
    stones = stones_of(state)
    return [] if state.winner else [x for x in range(len(state.columns)) if (state.rows - 1, x) not in stones]


def drop(state: ConnectState, column: int) -> ConnectState:
    stones, cell = stones_of(state), (len(state.columns[column]), column)
    stones[cell] = state.to_play
    won = makes_line(stones, cell, size_of(state))
    return state_of(stones, -state.to_play, state.to_play if won else 0, size_of(state))


def planes(state: ConnectState) -> np.ndarray:
    stones, heights = stones_of(state), reversed(range(state.rows))
    rows = [[stones.get((height, x), 0) for x in range(len(state.columns))] for height in heights]
    return np.array(
        [[[float(cell == side) for cell in row] for row in rows] for side in (state.to_play, -state.to_play)]
    )


# --- positions to ask about ---------------------------------------------------------------------------------------------


def after(*actions: int, size: tuple[int, int, int] = CONNECT_FOUR) -> ConnectState:
    state = state_of({}, 1, 0, size)
    for action in actions:
        state = drop(state, action)
    return state


def walk(size: tuple[int, int, int], first: int, twentieths: int, seed: int, careful: bool) -> ConnectState:
    """A game to which chance has played until a part of the board was full, or somebody had won (the careful avoid it)."""
    rows, columns, _ = size
    chance, stones, heights, player = random.Random(seed), {}, [0] * columns, first
    for _ in range(rows * columns * twentieths // 20):
        tops = [(height, x) for x, height in enumerate(heights) if height < rows]
        chance.shuffle(tops)
        for cell in tops:
            stones[cell] = player
            won = makes_line(stones, cell, size)
            if not (won and careful) or cell == tops[-1]:
                break
            del stones[cell]
        if won:
            return state_of(stones, -player, player, size)
        heights[cell[1]] += 1
        player = -player
    return state_of(stones, player, 0, size)


EDGES = [
    after(),
    after(3, 3, 3, 3, 3, 3),  # a full column
    after(0, 1, 0, 1, 0, 1, 0),  # X has won
    after(0, 1, 2, 2, 3, 3, 6, 4, 4, 3, 4, 4),  # O has won: a rising diagonal
    after(0, 1, 2, 0, 1, 2, size=(2, 3, 3)),  # a draw
    after(1, 1, 2, 1, 1, size=SMALL),
    after(0, 8, 0, 8, 8, size=(3, 9, 3)),
    after(1, 1, 0, 1, 0, 2, 2, 2, size=(3, 3, 3)),  # the last stone of all makes a line
    *(walk(size, -1, 18, 0, True) for size in SIZES),  # O began
]
STATES = st.builds(
    walk,
    st.sampled_from(SIZES),
    st.sampled_from((1, -1)),
    st.integers(0, 20),
    st.integers(0, 999),
    st.booleans(),
)


def related(state: ConnectState, number: int) -> ConnectState:
    """Nearly the same: another size of the board, another n, or the colors exchanged."""
    if number < 4:
        return state._replace(rows=state.rows + 1)
    if number < 6:  # a longer line is needed
        other = state._replace(n=state.n + 1)
        lines = [makes_line(stones_of(other), cell, size_of(other)) for cell in stones_of(other)]
        return other._replace(winner=state.winner if any(lines) else 0)
    if number < 8:
        return state._replace(columns=(*state.columns, ()))
    piles = tuple(tuple(-stone for stone in pile) for pile in state.columns)
    return state._replace(columns=piles, to_play=-state.to_play, winner=-state.winner)


def about_boards(**rest) -> Any:
    """The specification of a function of one ConnectState."""
    return about_states(**{"draws": STATES, "edges": EDGES, "related": related, **rest})


# --- last stones --------------------------------------------------------------------------------------------------------


def wrapped(size: tuple[int, int, int], length: int, place: int, way: int) -> list[tuple[int, int]]:
    """Cells (height, column) that look like a line to somebody who goes on across the edge of the board."""
    rows, columns, _ = size
    up, right = ((0, 1), (1, 0), (1, 1), (-1, 1))[place % 4]
    height, column = place // 4 % rows, place // 4 // rows % columns
    steps: Callable[[int], tuple[int, int]] = [
        lambda k: ((height + k * up) % rows, (column + k * right) % columns),
        lambda k: divmod((height * columns + column + k * (up * columns + right)) % (rows * columns), columns),
        lambda k: divmod((column * rows + height + k * (right * rows + up)) % (rows * columns), rows)[::-1],
    ][way % 3]
    return list(dict.fromkeys(steps(k) for k in range(length)))


@cache
def heap(
    size: tuple[int, int, int], more: int, place: int, way: int, last: int, gap: int, player: int, seed: int
) -> tuple[ConnectState, int]:
    """A board without a line, into which `player` has dropped the last stone, and its column.

    Args:
        more: how much longer than a line the row of stones is that is laid out for the player (or shorter).
        place: where it lies; `way`: 0 on the board, else across its edge.
        last: which of them is the last stone; gap: which is left out, if there is such a one.
    """
    rows, columns, n = size
    on_board = positions.windows(rows, columns, n + more) if n + more > 0 else []
    plan = on_board[place % len(on_board)] if on_board and not way else wrapped(size, max(n + more, 1), place, way)
    end = max(cell for cell in plan if cell[1] == plan[last % len(plan)][1])  # nothing lies on the last stone
    plan = [cell for number, cell in enumerate(plan) if number != gap and cell != end]
    chance = random.Random(seed)
    tops = [max((cell[0] + 1 for cell in plan if cell[1] == x), default=0) for x in range(columns)]
    tops = [min(rows, top + chance.choice((0, 0, 1, 2))) for top in tops]
    tops[end[1]] = end[0]
    others = [(height, x) for x in range(columns) for height in range(tops[x]) if (height, x) not in plan]
    stones: dict[tuple[int, int], int] = {}
    for cell in [*plan, *others]:
        stones[cell] = player if cell in plan else chance.choice((player, -player, -player))
        if makes_line(stones, cell, size):
            stones[cell] = -stones[cell]
            if makes_line(stones, cell, size):  # no way to lay it without a line: the stone lies there alone
                stones, end = {}, (0, end[1])
                break
    stones[end] = player
    return state_of(stones, -player, 0, size), end[1]


HEAPS = st.builds(
    heap,
    st.sampled_from(SIZES),
    st.sampled_from((0, 0, 1, -1, 2)),
    st.integers(0, 999),
    st.sampled_from((0, 0, 0, 1, 2, 3)),
    st.integers(0, 9),
    st.integers(0, 12),
    st.sampled_from((1, -1)),
    st.integers(0, 99),
)


def each_way(size: tuple[int, int, int], more: int) -> list[int]:
    """One place in each direction for a row that is so much longer than a line."""
    windows = positions.windows(size[0], size[1], size[2] + more) if size[2] + more > 1 else []
    return list({(w[1][0] - w[0][0], w[1][1] - w[0][1]): place for place, w in enumerate(windows)}.values())


@cache
def every_place() -> list[tuple[ConnectState, int]]:
    """Each place for a line on two boards; in each direction the last stone in each place of a line, on all boards."""
    return [
        *(heap(SMALL, 0, place, 0, last, 99, 1, place) for place in range(24) for last in range(3)),
        *(heap(CONNECT_FOUR, 0, place, 0, place, 99, -1, place) for place in range(69)),
        *(heap(size, 0, w, 0, last, 99, 1, 0) for size in SIZES for w in each_way(size, 0) for last in range(size[2])),
    ]


@cache
def nearly() -> list[tuple[ConnectState, int]]:
    """What goes on across an edge, to somebody who numbers all cells in one row or round the board; and rows that are too short."""
    found = [heap(size, -1, w, 0, last, 99, 1, 0) for size in SIZES for w in each_way(size, -1) for last in range(2)]
    for size in (SMALL, CONNECT_FOUR, (7, 4, 3)):
        for way, place in product((1, 2, 3), range(0, 4 * size[0] * size[1], 1 if size == SMALL else 3)):
            state, column = heap(size, 0, place, way, place, 99, 1, place)
            laid = [cell for cell in wrapped(size, size[2], place, way) if stones_of(state).get(cell) == 1]
            if len(laid) == size[2] and not has_line(state, column):
                found.append((state, column))
    return found


def related_heap(draw: tuple[ConnectState, int], number: int) -> tuple[ConnectState, int]:
    state, column = draw
    return related(state, 2 + number % 8), column
