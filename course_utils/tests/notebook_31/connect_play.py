"""connect_play: a stone falls, the turn passes, a line wins, and whatever is not legal is refused."""

from typing import NamedTuple

from hypothesis import strategies as st

from course_utils.games import ConnectFour, ConnectN, after
from course_utils.games.connect_n import ConnectState, completes_line, connect_legal_actions
from course_utils.tests.case import Raises
from course_utils.tests.catalogue import Wrong
from course_utils.tests.notebook_31 import boards
from course_utils.tests.notebook_31.boards import CONNECT_FOUR, SMALL
from course_utils.tests.scene import Scenes
from course_utils.tests.world.positions import a_state

DRAWS = st.tuples(boards.GAMES, st.one_of(st.integers(0, 9), st.sampled_from([-1, 9])))
EDGES = [((size, 12, seed, True), number) for size in (CONNECT_FOUR, SMALL) for seed in range(4) for number in (0, 10)]


def scene(draw) -> str:
    """The next move is column number % columns, from 10 on one that wins, or no column at all."""
    (size, *chance), number = draw
    played = boards.moves(size, *chance)
    wins = boards.winning(size, played) if number == 10 else []
    action = wins[0] if wins else number if number in (-1, 9) else number % size[1]
    return f"connect_play({boards.position(size, played)}, {action})"


BY_HAND = """
    X drops the first stone, then it is O's turn (2 points)
    >>> connect_play(after(ConnectN(3, 3, 3), []), 1)
    ConnectState(columns=((), (1,), ()), to_play=-1, winner=0, rows=3, n=3)
    ? Whose stone falls into which column, and who is to move next?

    O's stone comes to lie on X's, then it is X's turn (2 points)
    >>> connect_play(after(ConnectFour(), [3]), 3)
    ConnectState(columns=((), (), (), (1, -1), (), (), ()), to_play=1, winner=0, rows=6, n=4)
    ? Columns are told from the bottom up. At which end does a new stone belong?

    X wins with four up
    >>> connect_play(after(ConnectFour(), [0, 1, 0, 1, 0, 1]), 0)
    ConnectState(columns=((1, 1, 1, 1), (-1, -1, -1), (), (), (), (), ()), to_play=-1, winner=1, rows=6, n=4)
    ? The player of this stone has a line now. Where does the new state say so?

    O wins with a diagonal
    >>> connect_play(after(ConnectFour(), [0, 1, 2, 2, 3, 3, 6, 4, 4, 3, 4]), 4).winner
    -1
    ? The player of this stone has a line now. Where does the new state say so?

    X wins with the last stone of all
    >>> connect_play(after(ConnectN(3, 3, 3), [1, 1, 0, 1, 0, 2, 2, 2]), 0).winner
    1
    ? Which of the two is asked first: whether the board is full, or whether there is a line?

    refuses a column with room when the game is over
    >>> connect_play(after(ConnectFour(), [0, 1, 0, 1, 0, 1, 0]), 3)
    Raises(ValueError)
    ? X has won. May O still move?

    refuses -1
    >>> connect_play(after(ConnectFour(), [3, 3, 2]), -1)
    Raises(ValueError)
    ? Which column is columns[-1] in Python?

    refuses a full column, and says what was legal
    >>> connect_play(after(ConnectFour(), [3, 3, 3, 3, 3, 3]), 3)
    Raises(ValueError, ("0", "1", "2", "4", "5", "6"))
    ? What do you do if the action is not among the legal ones?
"""

TEST = "if action not in legal:"
STONE = "    columns[action] += (state.to_play,)\n"
CHILD = "state._replace(columns=tuple(columns), to_play=-state.to_play)"
RETURN = "child._replace(winner=state.to_play) if completes_line(child, action) else child"
# fmt: off
WRONG = [
    Wrong("stone slipped in at the bottom", "the new stone is put below the others: columns are told from the bottom up",
          "At which end of the tuple does a new stone belong?", (STONE, "    columns[action] = (state.to_play, *columns[action])\n")),
    Wrong("winner not kept", "nobody is told that the stone completes a line: the new state says that nobody has won",
          "Which field of the new state should change when a line is complete?", (RETURN, "child")),
    Wrong("the loser wins", "the player who is to move next is called the winner", "Whose stone completed the line?",
          ("winner=state.to_play)", "winner=child.to_play)")),
    Wrong("asks before the stone falls",
          "completes_line is asked about the position before the move: it finds the stone below, or none at all",
          "In which of the two positions is the stone on the board?", ("completes_line(child, action)", "completes_line(state, action)")),
    Wrong("another board", "the new state is made without rows and n: it falls back to six rows and four in a row",
          "Which fields does a ConnectState have, and which of them have you passed on?",
          (CHILD, "ConnectState(tuple(columns), -state.to_play)")),
    Wrong("finished games go on", "columns with room may be played after somebody has won",
          "Which function already knows everything that makes an action illegal?",
          ("connect_legal_actions(state)", "[column for column, stones in enumerate(state.columns) if len(stones) < state.rows]")),
    Wrong("minus one is the last column", "a negative number gets through and counts columns from the end",
          "Which column is columns[-1] in Python?",
          (TEST, "if not legal or action >= len(state.columns) or len(state.columns[action]) >= state.rows:")),
    Wrong("silent about what was legal", "the error does not say what was legal",
          "Somebody reads your message without the board. What would help?", ("; legal: {legal or 'none, the game is over'}", "")),
    Wrong("columns that are lists", "each column of the new state is a list: it can change later, and no dict takes it as a key",
          "What type had each column before the move?", ("columns=tuple(columns)", "columns=tuple(map(list, columns))")),
]
# fmt: on


def right_lists(state, action):
    """Each reason by itself; the line is looked for before the turn passes."""
    free = [x for x in range(len(state.columns)) if len(state.columns[x]) < state.rows]
    if state.winner:
        raise ValueError("the game is over: nothing is legal")
    if action not in range(len(state.columns)):
        raise ValueError(f"no such column; legal are {free}")
    if action not in free:
        raise ValueError(f"this column is full; legal are {free}")
    piles = [list(pile) for pile in state.columns]
    piles[action].append(state.to_play)
    child = state._replace(columns=tuple(tuple(pile) for pile in piles))
    if completes_line(child, action):
        child = child._replace(winner=child.to_play)
    return child._replace(to_play=-child.to_play)


class NotebookConnectState(NamedTuple):
    """What a notebook's own cell defines: another class with the same fields."""

    columns: tuple[tuple[int, ...], ...] = ((),) * 7
    to_play: int = 1
    winner: int = 0
    rows: int = 6
    n: int = 4


def right_own_state(state, action):
    legal = connect_legal_actions(state)
    if legal.count(action) == 0:
        raise ValueError(f"legal: {legal}")
    stones = {**dict(enumerate(state.columns)), action: (*state.columns[action], state.to_play)}
    child = NotebookConnectState(tuple(stones.values()), -state.to_play, rows=state.rows, n=state.n)
    return child._replace(winner=-child.to_play if completes_line(child, action) else 0)


CHECK = Scenes(
    draws=DRAWS,
    board=lambda draw: boards.board(draw[0][0], boards.moves(*draw[0])),
    edges=EDGES,
    returns=a_state(ConnectState),
    examples=20,
    tolerance=0,
    question="What is different after a move, and what stays?",
)
