"""connect_play: a stone falls, the turn passes, a line wins, and whatever is not legal is refused."""

from typing import NamedTuple

from hypothesis import strategies as st

from course_utils.games.connect_n import ConnectState, completes_line, connect_legal_actions
from course_utils.tests.case import Case
from course_utils.tests.catalogue import Wrong
from course_utils.tests.notebook_02 import positions
from course_utils.tests.notebook_09 import boards
from course_utils.tests.notebook_09.boards import SMALL, after
from course_utils.tests.specification import Specification

DROP = "Whose stone falls into which column, and who is to move next?"
ANYBODY = "What do you do if the action is not among the legal ones?"


def chosen(state: ConnectState, number: int) -> tuple[ConnectState, int]:
    """A legal action as a rule, often one that wins; else a column that may be full or lie beyond the board."""
    legal, columns = boards.legal(state), len(state.columns)
    wins = [column for column in legal if boards.drop(state, column).winner] if 8 <= number < 16 else []
    if number < 16 and legal:
        return state, (wins or legal)[number % len(wins or legal)]
    return state, number % columns if number < 22 else positions.illegal(number, columns)


DRAWS = st.builds(chosen, boards.STATES, st.integers(0, 25))
EDGES = [chosen(state, number) for number in (0, *range(16, 26)) for state in boards.EDGES[1:7:2]]
EDGES += [chosen(state, 8) for state in boards.EDGES]


def oracle(draw):
    state, action = draw
    legal = boards.legal(state)
    if action in legal:
        return [*boards.drop(state, action)]
    return positions.refuses(legal)


def by_hand(rng):
    def case(state: ConnectState, action: int, name: str, question: str, points: int = 1) -> Case:
        call = f"connect_play({state!r}, {action})"
        board = positions.drawing(state)
        return Case(name, lambda answer: answer(state, action), oracle((state, action)), call, question, board, points)

    top = "Columns are told from the bottom up. At which end does a new stone belong?"
    won = "The player of this stone has a line now. Where does the new state say so?"
    size = "The board of the new position is the same. Which fields say how large it is, and how many win?"
    full = after(3, 3, 3, 3, 3, 3)
    yield case(after(), 3, "X drops the first stone, then it is O's turn", DROP, 2)
    yield case(after(3), 3, "O's stone comes to lie on X's, then it is X's turn", top, 2)
    yield case(after(0, 1, 0, 1, 0, 1), 0, "X wins with four up", won)
    yield case(after(0, 1, 2, 2, 3, 3, 6, 4, 4, 3, 4), 4, "O wins with a diagonal", won)
    yield case(after(1, 1, size=SMALL), 2, "a board of four rows and four columns", size)
    over = "X has won. May O still move?"
    yield case(after(0, 1, 0, 1, 0, 1, 0), 3, "refuses a column with room when the game is over", over)
    yield case(after(3, 3, 2), -1, "refuses -1", "Which column is columns[-1] in Python?")
    yield case(full, 3, "refuses a full column, and says what was legal", ANYBODY)


TEST = "if action not in legal:"
STONE = "    columns[action] += (state.to_play,)\n"
CHILD = "state._replace(columns=tuple(columns), to_play=-state.to_play)"
RETURN = "child._replace(winner=state.to_play) if completes_line(child, action) else child"
WRONG = [
    Wrong(
        "stone slipped in at the bottom",
        "the new stone is put below the others: columns are told from the bottom up",
        "At which end of the tuple does a new stone belong?",
        (STONE, "    columns[action] = (state.to_play, *columns[action])\n"),
    ),
    Wrong(
        "winner not kept",
        "nobody is told that the stone completes a line: the new state says that nobody has won",
        "Which field of the new state should change when a line is complete?",
        (RETURN, "child"),
    ),
    Wrong(
        "the loser wins",
        "the player who is to move next is called the winner",
        "Whose stone completed the line?",
        ("winner=state.to_play)", "winner=child.to_play)"),
    ),
    Wrong(
        "asks before the stone falls",
        "completes_line is asked about the position before the move: it finds the stone below, or none at all",
        "In which of the two positions is the stone on the board?",
        ("completes_line(child, action)", "completes_line(state, action)"),
    ),
    Wrong(
        "another board",
        "the new state is made without rows and n: it falls back to six rows and four in a row",
        "Which fields does a ConnectState have, and which of them have you passed on?",
        (CHILD, "ConnectState(tuple(columns), -state.to_play)"),
    ),
    Wrong(
        "finished games go on",
        "columns with room may be played after somebody has won",
        "Which function already knows everything that makes an action illegal?",
        (
            "connect_legal_actions(state)",
            "[column for column, stones in enumerate(state.columns) if len(stones) < state.rows]",
        ),
    ),
    Wrong(
        "minus one is the last column",
        "a negative number gets through and counts columns from the end",
        "Which column is columns[-1] in Python?",
        (TEST, "if not legal or action >= len(state.columns) or len(state.columns[action]) >= state.rows:"),
    ),
    Wrong(
        "silent about what was legal",
        "the error does not say what was legal",
        "Somebody reads your message without the board. What would help?",
        ("; legal: {legal or 'none, the game is over'}", ""),
    ),
    Wrong(
        "columns that are lists",
        "each column of the new state is a list: it can change later, and no dict takes it as a key",
        "What type had each column before the move?",
        ("columns=tuple(columns)", "columns=tuple(map(list, columns))"),
    ),
]


def connect_play_lists(state, action):
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


def connect_play_own_state(state, action):
    legal = connect_legal_actions(state)
    if legal.count(action) == 0:
        raise ValueError(f"legal: {legal}")
    stones = {**dict(enumerate(state.columns)), action: (*state.columns[action], state.to_play)}
    child = NotebookConnectState(tuple(stones.values()), -state.to_play, rows=state.rows, n=state.n)
    return child._replace(winner=-child.to_play if completes_line(child, action) else 0)


CHECK = Specification(
    draws=DRAWS,
    edges=EDGES,
    arguments=lambda draw: {"state": positions.anew(draw[0]), "action": draw[1]},
    oracle=oracle,
    returns=positions.a_state(ConnectState),
    board=lambda draw: positions.drawing(draw[0]),
    related=lambda draw, number: (boards.related(draw[0], number), draw[1]),
    tolerance=0,
    examples=20,
    question="What is different after a move, and what stays?",
    by_hand=by_hand,
    wrong=WRONG,
    right=[connect_play_lists, connect_play_own_state],
)
