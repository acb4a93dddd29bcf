"""Check completes_line: the four directions through the last stone."""

import functools

from hypothesis import strategies as st

from course_utils.games import ConnectFour, ConnectN, after
from course_utils.games.connect_n import ConnectState
from course_utils.tests.catalogue import Wrong
from course_utils.tests.notebook_33 import games_by_chance
from course_utils.tests.returns import true_or_false
from course_utils.tests.scene import Scenes

WAYS = "In which directions can a line run through a stone?"
BOTH = "A line can go on to both sides of the last stone. Does your code count both sides?"
EDGE = "What is to the left of column 0, and what is columns[-1] in Python?"

DRAWS = st.tuples(st.sampled_from(games_by_chance.SIZES), st.integers(3, 42), st.integers(0, 99), st.booleans())


def played(draw) -> list[int]:
    """Play a game without a line except through the last stone, which completes one or nearly does."""
    size, plies, seed, complete = draw
    line = games_by_chance.moves(size, plies, seed, careful=True)
    state, wins = after(ConnectN(*size), line), games_by_chance.winning(size, line)
    quiet = [column for column in ConnectN(*size).legal_actions(state) if column not in wins]
    choice = wins if wins and complete else quiet
    return [*line, max(choice, key=functools.partial(nearby, state))] if choice else line


def nearby(state: ConnectState, column: int) -> int:
    """Count the stones of the player to move in one direction, less than n cells away."""
    mine = {(x, y) for x, pile in enumerate(state.columns) for y, stone in enumerate(pile) if stone == state.to_play}
    height, steps = len(state.columns[column]), range(1 - state.n, state.n)
    ways = ((0, 1), (1, 1), (1, 0), (1, -1))
    return max(sum((column + k * dx, height + k * dy) in mine for k in steps) for dx, dy in ways)


def scene(draw) -> str:
    line = played(draw)
    return f"state = {games_by_chance.position(draw[0], line)}\ncompletes_line(state, {line[-1]})"


BY_HAND = f"""
    of the moves of a game only the seventh completes a line, between other stones (2 points)
    O O . O . . .
    X X X X . . .
    >>> moves = [0, 0, 1, 1, 3, 3, 2]
    >>> [completes_line(after(ConnectFour(), moves[:n]), moves[n - 1]) for n in range(1, 8)]
    [False, False, False, False, False, False, True]
    ? {BOTH}

    a diagonal that rises to the right (2 points)
    . . . X . . .
    . . X O . . .
    . X X O . . .
    X O O O X . .
    >>> moves = [0, 1, 1, 2, 2, 3, 2, 3, 4, 3, 3]
    >>> [completes_line(after(ConnectFour(), moves[:n]), moves[n - 1]) for n in (7, 11)]
    [False, True]
    ? {WAYS}

    a diagonal that falls to the right (2 points)
    X . . . . . .
    O X . . . . .
    O X X . . . .
    O O O X X . .
    >>> moves = [3, 2, 2, 1, 1, 0, 1, 0, 4, 0, 0]
    >>> [completes_line(after(ConnectFour(), moves[:n]), moves[n - 1]) for n in (7, 11)]
    [False, True]
    ? {WAYS}

    a gap ends a line
    O O . . O . .
    X X . X X . .
    >>> state = after(ConnectFour(), [0, 0, 1, 1, 4, 4, 3])
    >>> completes_line(state, 3)
    False
    ? Where does a line end, besides at the edge?

    a stone between two pairs: five in a row win, too
    O O . O O . .
    X X X X X . .
    >>> state = after(ConnectFour(), [0, 0, 1, 1, 3, 3, 4, 4, 2])
    >>> completes_line(state, 2)
    True
    ? {BOTH}

    two at each edge are not four
    . . . O . . .
    . . . O . . .
    X X . O . X X
    >>> state = after(ConnectFour(), [0, 3, 1, 3, 5, 3, 6])
    >>> completes_line(state, 6)
    False
    ? {EDGE}

    three across and one below are not four
    X X X . . . .
    O O X O . . .
    >>> state = after(ConnectFour(), [2, 0, 0, 1, 1, 3, 2])
    >>> completes_line(state, 2)
    False
    ? Are all of these stones on the same line?

    three in a row where three are enough to win
    O O . .
    X X X .
    >>> state = after(ConnectN(4, 4, 3), [0, 0, 1, 1, 2])
    >>> completes_line(state, 2)
    True
    ? How many in a row win on this board?
"""

DIRECTIONS = "directions = ((1, 0), (0, 1), (1, 1), (1, -1))"
WHILE = "while 0 <= x < len(state.columns) and 0 <= y < len(state.columns[x]) and state.columns[x][y] == player:"
SIDES = "        for sign in (1, -1):  # to both sides of the stone\n"
# fmt: off
WRONG = [
    Wrong("one stone too few", "a line of n - 1 stones counts as a line of n",
          "How many stones does a line need, including the last one?", ("length >= state.n", "length >= state.n - 1")),
    Wrong("stones of both players", "stones of both players count for the line", "Whose stones make up a line?",
          (" and state.columns[x][y] == player", "")),
    Wrong("falling diagonal forgotten", "diagonals that fall to the right are not found", WAYS,
          (DIRECTIONS, "directions = ((1, 0), (0, 1), (1, 1))")),
    Wrong("one side only", "each line is followed to one side of the last stone only", BOTH,
          ("for sign in (1, -1):", "for sign in (1,):")),
    Wrong("each side by itself", "the two sides of the last stone are counted separately and never added",
          "The last stone falls between two pairs. How long is the line?",
          (f"        length = 1\n{SIDES}", f"{SIDES}            length = 1\n"),
          ("        if length >= state.n:\n            return True",
           "            if length >= state.n:\n                return True")),
    Wrong("directions added up",
          "the stones of all four directions are added up, so three across and one below count as four",
          "When must the count start again?",
          ("    for right, up in directions:\n        length = 1\n",
           "    length = 1\n    for right, up in directions:\n")),
    Wrong("exactly N",
          "a line must have exactly N stones, so a stone that joins two parts to a longer line does not win",
          "How long is the line if the last stone falls between two pairs?", (">= state.n", "== state.n")),
    Wrong("always four", "four in a row win on every board, whatever state.n says",
          "How many in a row win on this board?",
          (">= state.n", ">= 4")),
    Wrong("open at the left edge",
          "the count does not stop at the left edge, and in Python columns[-1] is the last column",
          "What is columns[-1] in Python?", (WHILE, WHILE.replace("0 <= x <", "x <"))),
    Wrong("open at the bottom", "the count does not stop at the bottom, and in Python column[-1] is the stone on top",
          "What is column[-1] in Python?", (WHILE, WHILE.replace("0 <= y <", "y <"))),
    Wrong("waits for an IndexError",
          "only an IndexError ends a line at the edge, but an index of -1 raises none: it counts from the end, so a "
          "line goes on at the other side of the board",
          EDGE, code="""
        def completes_line(state, column):
            height = len(state.columns[column]) - 1
            player = state.columns[column][height]
            for right, up in ((1, 0), (0, 1), (1, 1), (1, -1)):
                length = 1
                for sign in (1, -1):
                    for k in range(1, state.n):
                        try:
                            if state.columns[column + sign * k * right][height + sign * k * up] != player:
                                break
                        except IndexError:
                            break
                        length += 1
                if length >= state.n:
                    return True
            return False
        """),
    Wrong("the wrong player's stones",
          "the stones of the player to move are counted, but the last stone is the other player's",
          "Whose is the stone on top of the column, and who is to move now?",
          ("player = state.columns[column][height]", "player = state.to_play")),
]
# fmt: on


def right_whole_board(state, column):
    """Look for a line of the mover's anywhere: there was none before."""
    mine = {(x, y) for x, pile in enumerate(state.columns) for y, stone in enumerate(pile) if stone == -state.to_play}
    return any(
        all((x + k * dx, y + k * dy) in mine for k in range(state.n))
        for x, y in mine
        for dx, dy in ((0, 1), (1, 1), (1, 0), (1, -1))
    )


def right_strings(state, column):
    """Cut four strings through the stone, and search for XXXX in each."""
    height, rows = len(state.columns[column]) - 1, state.rows
    grid = [["." if h >= len(pile) else "XO"[pile[h] < 0] for h in range(rows)] for pile in state.columns]
    wide = range(len(grid))
    wanted = grid[column][height] * state.n
    lines = [
        "".join(grid[column]),
        "".join(grid[x][height] for x in wide),
        "".join(grid[x][height + x - column] for x in wide if 0 <= height + x - column < rows),
        "".join(grid[x][height - x + column] for x in wide if 0 <= height - x + column < rows),
    ]
    return any(wanted in line for line in lines)


CHECK = Scenes(
    draws=DRAWS,
    board=lambda draw: games_by_chance.board(draw[0], played(draw)),
    edges=[((7, 4, 3), 39, 65, False)],  # the last stone makes a line of four, where three win
    returns=true_or_false,
    examples=60,
    question=WAYS,
)
