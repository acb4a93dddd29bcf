"""Define positions of tic-tac-toe: a strategy to draw from, and edge cases (every kind of end, last moves)."""

from itertools import combinations

from hypothesis import strategies as st

from course_utils.games.tictactoe import State
from course_utils.tests.world.positions import reachable, windows

STATES = st.deferred(lambda: st.sampled_from(reachable()))


def won(line: list[int], player: int) -> State:
    """Return a position in which the player has this line, and the opponent a few marks elsewhere."""
    others = [cell for cell in range(9) if cell not in line]
    theirs = others[-2:] if player == 1 else [*others[:2], others[-1]]
    return State(tuple(player if cell in line else -player if cell in theirs else 0 for cell in range(9)), -player)


ENDS = [won([3 * row + column for row, column in line], player) for line in windows(3, 3, 3) for player in (1, -1)]
ENDS.append(State((1, -1, 1, -1, 1, -1, 1, -1, 1), -1))  # two lines at once, with the last mark of all
DRAW = State((1, -1, 1, 1, -1, -1, -1, 1, 1), -1)

_LINES = [{3 * row + column for row, column in line} for line in windows(3, 3, 3)]
_NO_LINE = [
    set(cells)
    for count in range(4, 7)
    for cells in combinations(range(9), count)
    if not any(line <= set(cells) for line in _LINES)
]
# Boards of X's without a line, to which no X can be added. Any three cells off a line are all X on one of these.
NO_LINE = [
    State(tuple(int(cell in cells) for cell in range(9)), -1)
    for cells in _NO_LINE
    if not any(cells < more for more in _NO_LINE)
]
LAST_MOVES = [State((*DRAW.cells[:cell], 0, *DRAW.cells[cell + 1 :]), 1) for cell in (0, 2, 3, 7, 8)]


def by_hand(exercise: str, *cases: tuple[str, str, object, str]) -> str:
    """Write blocks for BY_HAND with one call each, from (name, board and player to move, expected value, question)."""
    blocks = []
    for name, board, expected, question in cases:
        *marks, mover = ("O.X".index(mark) - 1 for mark in board.replace(" ", ""))
        state = State(tuple(marks), mover)
        blocks.append(f"{name}\n{state}\n>>> {exercise}({state!r})\n{expected}\n? {question}")
    return "\n\n".join(blocks)
