"""Checks of notebook 02: the rules of tic-tac-toe, its symmetries, how many games there are; the rules of Connect N."""

import inspect
from collections.abc import Iterator
from functools import cache
from unittest import mock

import numpy as np

from course_utils.games.connect_n import ConnectState
from course_utils.games.tictactoe import State
from course_utils.tests import oracles
from course_utils.tests.framework import Case, Raises, Such, calls, check, leaves_alone, same, show, wrong

# --- positions and what is true of them ------------------------------------------------------------------------------


@cache
def _positions() -> list[State]:
    """All 5,478 that can be reached."""
    return [State(cells, player) for cells, player in oracles.reachable().items()]


@cache
def _has_line(cells: tuple, player: int) -> bool:
    return oracles.has_line(cells, player)


def _winner(state: State) -> int:
    return int(_has_line(state.cells, 1)) - int(_has_line(state.cells, -1))


def _over(state: State) -> bool:
    return _winner(state) != 0 or all(state.cells)


def _free(state: State) -> list[int]:
    return [] if _over(state) else [cell for cell, mark in enumerate(state.cells) if not mark]


def _put(state: State, cell: int) -> State:
    return State(state.cells[:cell] + (state.to_play,) + state.cells[cell + 1 :], -state.to_play)


def _after(*actions: int) -> State:
    state = State()
    for action in actions:
        state = _put(state, action)
    return state


@cache
def _games(state: State) -> int:
    return sum(_games(_put(state, cell)) for cell in _free(state)) or 1


# X moves first, so the 1st, 3rd, 5th ... cells are X's
START = _after()
ROW_X = _after(3, 0, 4, 8, 5)
COLUMN_O = _after(0, 2, 1, 5, 6, 8)
DIAGONAL_X = _after(0, 1, 4, 2, 8)
ANTI_DIAGONAL_O = _after(0, 2, 1, 4, 8, 6)
NOT_A_ROW = _after(2, 0, 3, 8, 4)  # X holds cells 2, 3 and 4, which follow one another but bend
OPEN = _after(4, 0, 8)
DRAW = _after(0, 4, 8, 1, 7, 6, 2, 5, 3)
LAST_MOVE_WINS = _after(0, 1, 2, 3, 4, 5, 7, 6, 8)
ONE_FREE = _after(0, 4, 8, 1, 7, 6, 2, 5)
THREE_FREE = _after(0, 4, 8, 1, 7, 6)
THREATS = _after(0, 3, 1, 4)  # X wins on 2, and O, if X lets it, on 5


def _one_line(state: State) -> str:
    return f"{str(state).replace(chr(10), ' / ')}, {'X' if state.to_play == 1 else 'O'} to move"


def _equal(got, wanted) -> bool:
    if isinstance(wanted, np.ndarray):
        return np.shape(got) == wanted.shape and bool(np.array_equal(got, wanted))
    return (type(got) is type(wanted) and got == wanted) or same(got, wanted)


def _mistakes(answer, truth) -> list[str]:
    """In how many of all positions the answer is wrong, and the first three of them; [] if in none."""
    bad = [(state, got) for state in _positions() if not _equal(got := answer(state), truth(state))]
    shown = [f"{_one_line(state)}: {show(got)}" if np.size(got) < 10 else _one_line(state) for state, got in bad[:3]]
    return [f"{len(bad)} wrong", *shown] if bad else []


def _types(value) -> str:
    """'int', 'list of int', 'list' if it is empty."""
    if not isinstance(value, list | tuple | np.ndarray):
        return type(value).__name__
    inner = " or ".join(dict.fromkeys(type(entry).__name__ for entry in value))
    return f"{type(value).__name__} of {inner}" if inner else type(value).__name__


def _everywhere(exercise: str, truth, question: str, look=lambda value: value) -> Case:
    """The same, for every position that can be reached: nothing is left to luck. `look` is what is judged of a result."""
    return Case(
        "is right for each of the 5,478 positions that a game can reach",
        lambda answer: _mistakes(lambda state: look(answer(state)), truth),
        Such("none wrong", lambda mistakes: not mistakes),
        f"{exercise}(state) for every state",
        question,
        points=2,
    )


def _at(exercise: str, state: State, name: str, expected, question: str, points: int = 1, look=lambda value: value):
    """A case that is one call on one position. `look` is what is judged of its result."""
    case = calls(exercise, state, name=name, expected=expected, question=question, board=str(state), points=points)
    case.run = lambda answer: look(answer(state))
    return case


# --- winner ----------------------------------------------------------------------------------------------------------


@check
def winner(rng):
    lines = "Which cells make up this line? How many lines are there in all?"
    nobody = "What should come back when no line is complete?"
    yield _at("winner", START, "nobody has won on the empty board", 0, "Are three free cells in a row a line?")
    yield _at("winner", ROW_X, "a row", 1, lines)
    yield _at("winner", COLUMN_O, "a column, this time O's", -1, lines)
    yield _at("winner", DIAGONAL_X, "the diagonal", 1, lines)
    yield _at("winner", ANTI_DIAGONAL_O, "the other diagonal", -1, lines)
    bend = "Cells 2, 3 and 4 follow one another. Do they lie on a line?"
    yield _at("winner", NOT_A_ROW, "three cell numbers in sequence that are not a line", 0, bend)
    yield _at("winner", OPEN, "a game that goes on", 0, nobody)
    yield _at("winner", DRAW, "a draw", 0, nobody)
    yield _at(
        "winner", LAST_MOVE_WINS, "a line made by the last mark of a full board", 1, "Is every full board a draw?"
    )
    yield Case(
        "returns a plain int",
        lambda winner: [_types(winner(state)) for state in (START, ROW_X, COLUMN_O)],
        ["int", "int", "int"],
        "[type(winner(state)) for state in (nobody won, X won, O won)]",
        "Is what you return an int, or something that only prints like one?",
    )
    yield _everywhere("winner", _winner, lines)


_DIAGONALS = "diagonals = ((0, 4, 8), (2, 4, 6))"
wrong(
    "winner",
    "anti-diagonal forgotten",
    "the line 2, 4, 6 is missing",
    "How many diagonals does a square have?",
    (_DIAGONALS, "diagonals = ((0, 4, 8),)"),
)
wrong(
    "winner",
    "main diagonal forgotten",
    "the line 0, 4, 8 is missing",
    "How many diagonals does a square have?",
    (_DIAGONALS, "diagonals = ((2, 4, 6),)"),
)
wrong(
    "winner",
    "diagonals forgotten",
    "only rows and columns count as lines",
    "In which directions can three marks stand in line?",
    (_DIAGONALS, "diagonals = ()"),
)
wrong(
    "winner",
    "rows only",
    "only rows count as lines",
    "In which directions can three marks stand in line?",
    ("rows + columns + diagonals", "rows"),
)
wrong(
    "winner",
    "columns only",
    "only columns count as lines",
    "In which directions can three marks stand in line?",
    ("rows + columns + diagonals", "columns"),
)
wrong(
    "winner",
    "wrap-around",
    "any three cells that follow one another count as a row, across the edge of the board, too",
    "At which cells may a row begin?",
    ("rows = ((0, 1, 2), (3, 4, 5), (6, 7, 8))", "rows = tuple((i, i + 1, i + 2) for i in range(7))"),
)
wrong(
    "winner",
    "three free cells are a line",
    "the first line of three equal cells decides, even if all three are free",
    "Three free cells are equal, too. Has somebody won?",
    ("state.cells[a] != 0 and ", ""),
)
wrong(
    "winner",
    "gives up after one line",
    "0 is returned as soon as one line is not complete",
    "When do you know that nobody has won: after the first line, or after the last?",
    ("            return state.cells[a]\n    return 0", "            return state.cells[a]\n        return 0"),
)
wrong(
    "winner",
    "None instead of 0",
    "nothing is returned when nobody has won",
    "What does a function return when it reaches its end?",
    ("    return 0\n", "    return None\n"),
)
wrong(
    "winner",
    "from the mover's point of view",
    "the winner is told from the point of view of the player to move, who has always just lost",
    "Does +1 mean X here, or the player to move?",
    ("            return state.cells[a]", "            return state.cells[a] * state.to_play"),
)
wrong(
    "winner",
    "looks at the player to move",
    "only the player to move is looked at; but a line is always made by the player who moved before",
    "Who put down the last mark?",
    ("state.cells[a] != 0 and", "state.cells[a] == state.to_play and"),
)
wrong(
    "winner",
    "the loser wins",
    "the loser is returned: the signs are swapped, or the player to move is taken for the owner of the line",
    "Which number stands for X? And who put down the last mark?",
    ("            return state.cells[a]", "            return -state.cells[a]"),
)
wrong(
    "winner",
    "whether, not who",
    "1 is returned whoever has won",
    "What comes back when the line is O's?",
    ("            return state.cells[a]", "            return 1"),
)
wrong(
    "winner",
    "only X can win",
    "only lines of X count",
    "What comes back when the line is O's?",
    ("state.cells[a] != 0 and", "state.cells[a] == 1 and"),
)
wrong(
    "winner",
    "True and False",
    "a bool is returned: it says that somebody has won, not who",
    "What comes back when the line is O's?",
    ("            return state.cells[a]", "            return True"),
    ("    return 0\n", "    return False\n"),
)
wrong(
    "winner",
    "a draw is a win",
    "a full board without a line is given to the player of the last mark",
    "Who has won a game in which nobody has a line?",
    ("    return 0\n", "    return 0 if 0 in state.cells else -state.to_play\n"),
)
wrong(
    "winner",
    "the mark as a letter",
    "the winner is named by letter",
    "Which number stands for X, and which for O?",
    ("            return state.cells[a]", '            return "X" if state.cells[a] == 1 else "O"'),
)
wrong(
    "winner",
    "two of three is enough",
    "a line with two marks of one player and a free cell counts as complete",
    "Which sums can a line with a free cell have?",
    code="""
    def winner(state):
        cells = state.cells
        for a, b, c in ((0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6)):
            total = cells[a] + cells[b] + cells[c]
            if abs(total) >= 2:
                return 1 if total > 0 else -1
        return 0
    """,
)
wrong(
    "winner",
    "a numpy integer",
    "the result is a numpy integer (or a float) and not a plain int",
    "What does int(...) make of your result?",
    ("            return state.cells[a]", "            return np.int64(state.cells[a])"),
    ("    return 0\n", "    return np.int64(0)\n"),
)


# --- is_terminal -----------------------------------------------------------------------------------------------------


@check
def is_terminal(rng):
    won = "In which two ways can a game end?"
    for state, name, expected, question in (
        (START, "the empty board is not the end", False, "What has to happen before a game is over?"),
        (OPEN, "a game that goes on", False, "What has to happen before a game is over?"),
        (ROW_X, "X has won, cells are free", True, won),
        (ANTI_DIAGONAL_O, "O has won, cells are free", True, "Is the game over only when X has won?"),
        (DRAW, "a draw", True, won),
        (LAST_MOVE_WINS, "a full board with a line", True, won),
        (ONE_FREE, "a single free cell", False, "Can the player to move still do something?"),
    ):
        yield _at("is_terminal", state, name, expected, question, look=bool)
    yield Case(
        "returns True or False",
        lambda is_terminal: [_types(is_terminal(state)).rstrip("_") for state in (START, ROW_X, COLUMN_O, DRAW)],
        ["bool", "bool", "bool", "bool"],  # numpy's bool will do
        "[type(is_terminal(state)) for state in (nobody won, X won, O won, draw)]",
        "`a or b` returns one of the two, not True or False. What is yours?",
    )

    def while_legal_actions_asks(is_terminal):
        def asks(state):
            return [] if is_terminal(state) else _free(state)

        names = getattr(inspect.unwrap(is_terminal), "__globals__", {})
        with mock.patch.dict(names, {"legal_actions": asks}):
            return [bool(is_terminal(state)) for state in (START, ROW_X)]

    yield Case(
        "can be asked by legal_actions",
        while_legal_actions_asks,
        [False, True],
        "is_terminal(state), where legal_actions begins with: if is_terminal(state): return []",
        "legal_actions has to ask whether the game is over. Can you tell without asking it?",
    )
    yield _everywhere("is_terminal", _over, "In which two ways can a game end?", look=bool)


wrong(
    "is_terminal",
    "full board forgotten",
    "only a line ends the game, so that a draw never ends",
    "What happens after the ninth move if nobody has a line?",
    ("winner(state) != 0 or 0 not in state.cells", "winner(state) != 0"),
)
wrong(
    "is_terminal",
    "line forgotten",
    "only a full board ends the game, so that it goes on after a win",
    "Does anybody move after a line is complete?",
    ("winner(state) != 0 or 0 not in state.cells", "0 not in state.cells"),
)
wrong(
    "is_terminal",
    "O's win goes on",
    "the game ends when X wins and goes on when O does",
    "Which values can winner return, and which of them end the game?",
    ("winner(state) != 0", "winner(state) > 0"),
)
wrong(
    "is_terminal",
    "X's win goes on",
    "the game ends when O wins and goes on when X does",
    "Which values can winner return, and which of them end the game?",
    ("winner(state) != 0", "winner(state) < 0"),
)
wrong(
    "is_terminal",
    "both at once",
    "a line and a full board are asked for together",
    "Is it `and` or `or`?",
    ("winner(state) != 0 or 0 not in state.cells", "winner(state) != 0 and 0 not in state.cells"),
)
wrong(
    "is_terminal",
    "upside down",
    "the answer is turned around: True while the game goes on",
    "What does the name of the function say when it is True?",
    ("winner(state) != 0 or 0 not in state.cells", "winner(state) == 0 and 0 in state.cells"),
)
wrong(
    "is_terminal",
    "nobody has won means over",
    "winner's 0 is taken for a draw; but it also means that the game goes on",
    "What are the two meanings of 0?",
    ("winner(state) != 0 or 0 not in state.cells", "winner(state) == 0 or 0 not in state.cells"),
)
wrong(
    "is_terminal",
    "the winner, not whether",
    "`winner(state) or ...` gives the winner itself back, a number",
    "What does `-1 or True` give?",
    ("winner(state) != 0 or", "winner(state) or"),
)
wrong(
    "is_terminal",
    "asks legal_actions",
    "legal_actions is asked, which in turn has to ask is_terminal: the two ask each other without end",
    "Which other function tells that somebody has won, and how do you see that the board is full?",
    code="""
    def is_terminal(state):
        return not legal_actions(state)
    """,
)
wrong(
    "is_terminal",
    "one cell too early",
    "the game is called over while one cell is still free",
    "How many marks lie on the board when the last one has been put down?",
    ("0 not in state.cells", "state.cells.count(0) <= 1"),
)


# --- legal_actions ---------------------------------------------------------------------------------------------------


@check
def legal_actions(rng):
    over = "The game is over. May anybody move?"
    free = "Which cells are free?"
    middle = _after(4, 0, 8, 2)
    for state, name, question in (
        (START, "nine first moves", "Where does counting start?"),
        (OPEN, "the free cells, when O is to move", free),
        (middle, "the free cells, when X is to move", free),
        (ONE_FREE, "the last cell", free),
        (ROW_X, "none after X has won, though cells are free", over),
        (COLUMN_O, "none after O has won, though cells are free", over),
        (DRAW, "none on a full board", over),
    ):
        yield _at("legal_actions", state, name, _free(state), question, look=_not_lazy)
    yield Case(
        "returns a list of plain ints",
        lambda legal_actions: [_types(legal_actions(state)) for state in (OPEN, ROW_X)],
        ["list of int", "list"],  # numpy takes a tuple for the index of one cell, a list for those of several
        "legal_actions(state), for a game that goes on and for one that is over",
        "Search and learning will use this list as an index. What is the type of the whole, and of each entry?",
    )
    yield _everywhere("legal_actions", _free, "When is there nothing to choose from?", look=_not_lazy)


def _not_lazy(value):
    return f"a {type(value).__name__}" if isinstance(value, Iterator) else value


_LEGAL = "[cell for cell in range(9) if state.cells[cell] == 0]"
wrong(
    "legal_actions",
    "goes on after the end",
    "the free cells are returned even when somebody has won",
    "What do you return when the game is over?",
    ("    if is_terminal(state):\n        return []\n", ""),
)
wrong(
    "legal_actions",
    "goes on after O's win",
    "the game is taken to end when X wins, and to go on when O does",
    "Which values can winner return?",
    ("if is_terminal(state):", "if winner(state) == 1:"),
)
wrong(
    "legal_actions",
    "goes on after X's win",
    "the game is taken to end when O wins, and to go on when X does",
    "Which values can winner return?",
    ("if is_terminal(state):", "if winner(state) == -1:"),
)
wrong(
    "legal_actions",
    "None at the end",
    "nothing is returned when the game is over, instead of an empty list",
    "How many legal actions are there, and how does a list say that?",
    ("        return []\n", "        return None\n"),
)
wrong(
    "legal_actions",
    "taken cells",
    "the taken cells are returned instead of the free ones",
    "Which value has a free cell?",
    ("state.cells[cell] == 0", "state.cells[cell] != 0"),
)
wrong(
    "legal_actions",
    "own cells too",
    "a cell counts as free unless the opponent has it",
    "May you put a second mark on your own?",
    ("state.cells[cell] == 0", "state.cells[cell] != -state.to_play"),
)
wrong(
    "legal_actions",
    "counting from one",
    "cells are numbered from 1",
    "What is the number of the first cell?",
    (_LEGAL, "[cell + 1 for cell in range(9) if state.cells[cell] == 0]"),
)
wrong(
    "legal_actions",
    "last cell forgotten",
    "cell 8 is never looked at",
    "Which numbers does range(8) give?",
    ("range(9)", "range(8)"),
)
wrong(
    "legal_actions",
    "descending",
    "the cells come in descending order",
    "Ties will go to the lowest action: which one should come first?",
    ("range(9)", "reversed(range(9))"),
)
wrong(
    "legal_actions",
    "a mask",
    "one entry a cell is returned, saying whether it is free, instead of the numbers of the free cells",
    "How long is the list when three cells are free?",
    (_LEGAL, "[cell == 0 for cell in state.cells]"),
)
wrong(
    "legal_actions",
    "values, not numbers",
    "the values of the free cells are returned, which are all 0, instead of their numbers",
    "What tells one free cell from another?",
    (_LEGAL, "[cell for cell in state.cells if cell == 0]"),
)
wrong(
    "legal_actions",
    "rows and columns",
    "each cell is a pair (row, column) instead of a number from 0 to 8",
    "How do nine numbers name the cells of three rows?",
    (_LEGAL, "[divmod(cell, 3) for cell in range(9) if state.cells[cell] == 0]"),
)
wrong(
    "legal_actions",
    "numpy integers",
    "the entries are numpy integers, not plain ints",
    "What does .tolist() do?",
    (_LEGAL, "list(np.flatnonzero(np.array(state.cells) == 0))"),
)
wrong(
    "legal_actions",
    "an array",
    "a numpy array is returned, not a list",
    "What does .tolist() do?",
    (_LEGAL, "np.flatnonzero(np.array(state.cells) == 0)"),
    ("        return []\n", "        return np.array([])\n"),
)
wrong(
    "legal_actions",
    "a tuple",
    "a tuple is returned, not a list",
    "What is the type of what you return?",
    (_LEGAL, "tuple(cell for cell in range(9) if state.cells[cell] == 0)"),
    ("        return []\n", "        return ()\n"),
)
wrong(
    "legal_actions",
    "a set",
    "a set is returned, which has no order",
    "Which is the first action of a set?",
    (_LEGAL, "{cell for cell in range(9) if state.cells[cell] == 0}"),
    ("        return []\n", "        return set()\n"),
)
wrong(
    "legal_actions",
    "a generator",
    "something that makes the list later is returned, not the list",
    "How often can you loop over what you return?",
    (_LEGAL, "(cell for cell in range(9) if state.cells[cell] == 0)"),
)


# --- play ------------------------------------------------------------------------------------------------------------


def _moves(state: State, action: int):
    """The position after one move, as plain data."""

    def run(play):
        child = play(state, action)
        return [tuple(child.cells), child.to_play]

    return run


def _move_case(state: State, action: int, name: str, question: str, points: int = 1) -> Case:
    child = _put(state, action)
    call = f"child = play({state!r}, {action})\nchild.cells, child.to_play"
    return Case(name, _moves(state, action), [child.cells, child.to_play], call, question, str(state), points)


def _refuses(state: State, action: int, name: str, question: str, mentions: tuple[str, ...] = ()) -> Case:
    return Case(
        name,
        lambda play: play(state, action),
        Raises(ValueError, mentions),
        f"play({state!r}, {action})",
        question,
        str(state),
    )


@check
def play(rng):
    put = "Whose mark goes where, and who is to move next?"
    yield _move_case(START, 4, "X takes the center, then it is O's turn", put, 2)
    yield _move_case(_after(4), 0, "O takes a corner, then it is X's turn", put, 2)
    yield _move_case(ONE_FREE, _free(ONE_FREE)[0], "the ninth move", put)

    def what_it_is(play):
        child = play(OPEN, 2)
        types = {"cells": _types(child.cells), "to_play": _types(child.to_play)}
        return {**types, "equals the State expected": bool(child == _put(OPEN, 2))}

    yield Case(
        "returns a State, its cells a tuple of plain ints",
        what_it_is,
        {"cells": "tuple of int", "to_play": "int", "equals the State expected": True},
        f"child = play({OPEN!r}, 2)\ntype(child.cells), type(child.cells[0]), type(child.to_play)",
        "What is cells before the move, and what is it after? Can it still be the key of a dict?",
        str(OPEN),
    )
    anybody = "What do you do if the action is not among the legal ones?"
    yield _refuses(OPEN, 4, "refuses a cell that the opponent has", anybody)
    yield _refuses(OPEN, 0, "refuses a cell that the player already has", anybody)
    yield _refuses(ROW_X, 1, "refuses a free cell when the game is over", "X has won. May O still move?")
    yield _refuses(OPEN, 9, "refuses a cell number beyond the board", "Which error does your code raise, and where?")
    yield _refuses(_after(4, 0), -1, "refuses -1", "Which cell is cells[-1] in Python?")
    yield _refuses(
        THREE_FREE,
        4,
        "the error says what was legal",
        "Somebody reads your message without the board. What would help?",
        tuple(str(cell) for cell in _free(THREE_FREE)),
    )
    games = [rng.permutation(9).tolist() for _ in range(20)]

    def replay(play):
        mistakes = []
        for game in games:
            state = State()
            for action in game:
                if _over(state):
                    break
                child = play(state, action)
                if [*child.cells, child.to_play] != [*_put(state, action).cells, -state.to_play]:
                    mistakes.append(f"{_one_line(state)}, action {action}: {tuple(child.cells)}, {child.to_play}")
                state = _put(state, action)
        return [f"{len(mistakes)} wrong", *mistakes[:3]] if mistakes else []

    yield Case(
        "every move of twenty random games",
        replay,
        Such("none wrong", lambda mistakes: not mistakes),
        "play(state, action), move by move",
        put,
        points=2,
    )


_RAISE = """    if action not in legal:
        raise ValueError(f"action {action} is not legal here; legal: {legal or 'none, the game is over'}")
"""
wrong(
    "play",
    "writes into the given state",
    "the new mark is written into the cells of the state that was given, and a tuple does not let you",
    "How do you get a list of the same nine cells that you may change?",
    ("    cells = list(state.cells)\n    cells[action] = state.to_play\n", "    state.cells[action] = state.to_play\n"),
    ("State(tuple(cells), -state.to_play)", "State(state.cells, -state.to_play)"),
)
wrong(
    "play",
    "turn does not change",
    "the same player stays to move",
    "Who is to move in the position that you return?",
    ("-state.to_play)", "state.to_play)"),
)
wrong(
    "play",
    "always X",
    "the mark is always X",
    "Whose mark is it when O is to move?",
    ("cells[action] = state.to_play", "cells[action] = 1"),
)
wrong(
    "play",
    "the other player's mark",
    "the opponent's mark is put down",
    "Do you change the player before or after you put down the mark?",
    ("cells[action] = state.to_play", "cells[action] = -state.to_play"),
)
wrong(
    "play",
    "O is to move next, always",
    "the next player is always O",
    "Who is to move after O?",
    ("-state.to_play)", "-1)"),
)
wrong(
    "play",
    "mark forgotten",
    "only the turn changes, and no mark is put down",
    "What is different on the board after a move?",
    ("    cells[action] = state.to_play\n", ""),
)
wrong(
    "play",
    "nothing is refused",
    "any action is played, whether it is legal or not",
    "What happens if somebody plays a cell that is taken?",
    (_RAISE, ""),
)
wrong(
    "play",
    "only taken cells are refused",
    "the test looks at the cell alone: a finished game goes on, and cells[9] ends in an IndexError",
    "Which function already knows everything that makes an action illegal?",
    ("if action not in legal:", "if state.cells[action] != 0:"),
)
wrong(
    "play",
    "finished games go on",
    "free cells may be taken after somebody has won",
    "Which function already knows everything that makes an action illegal?",
    ("    legal = legal_actions(state)\n", "    legal = [cell for cell in range(9) if state.cells[cell] == 0]\n"),
)
wrong(
    "play",
    "taken cells are accepted",
    "the test asks whether the game is over and whether the cell exists, but not whether it is free",
    "What happens if somebody plays a cell that is taken?",
    ("if action not in legal:", "if is_terminal(state) or not 0 <= action <= 8:"),
)
wrong(
    "play",
    "own cells are accepted",
    "a player may put a mark on one of their own",
    "When is a cell free?",
    (
        "if action not in legal:",
        "if action not in legal and (not legal or not 0 <= action <= 8 or state.cells[action] != state.to_play):",
    ),
)
wrong(
    "play",
    "minus one is the last cell",
    "a negative number gets through and counts cells from the end",
    "Which cell is cells[-1] in Python?",
    ("if action not in legal:", "if not legal or action > 8 or state.cells[action] != 0:"),
)
wrong(
    "play",
    "silent about what was legal",
    "the error does not say what was legal",
    "Somebody reads your message without the board. What would help?",
    ("; legal: {legal or 'none, the game is over'}", ""),
)
wrong(
    "play",
    "another kind of error",
    "illegal actions raise another error than ValueError",
    "Which error does the docstring promise?",
    ("raise ValueError(", "raise IndexError("),
)
wrong(
    "play",
    "an assertion",
    "illegal actions raise an AssertionError, which a caller who expects ValueError misses",
    "Which error does the docstring promise?",
    ("raise ValueError(", "raise AssertionError("),
)
wrong(
    "play",
    "ignores illegal actions",
    "an illegal action gives the same state back, and nobody hears of it",
    "How does the caller learn that the move was not made?",
    (_RAISE, "    if action not in legal:\n        return state\n"),
)
wrong(
    "play",
    "returns the error",
    "the error is made, but never raised",
    "What is the difference between `return` and `raise`?",
    ("        raise ValueError(", "        return ValueError("),
)
wrong(
    "play",
    "a list of cells",
    "the cells of the new state are a list: it can change later, and no dict takes it as a key",
    "What type had the cells before the move?",
    ("State(tuple(cells), -state.to_play)", "State(cells, -state.to_play)"),
)
wrong(
    "play",
    "not a State",
    "what comes back has no .cells and no .to_play: a bare tuple, or the cells alone",
    "How is a State made?",
    ("return State(tuple(cells), -state.to_play)", "return tuple(cells), -state.to_play"),
)
wrong(
    "play",
    "numpy cells",
    "the cells are numpy integers",
    "What does .tolist() do?",
    ("State(tuple(cells), -state.to_play)", "State(tuple(np.array(cells)), -state.to_play)"),
)


# --- encode ----------------------------------------------------------------------------------------------------------


@cache
def _planes(state: State) -> np.ndarray:
    grid = [state.cells[0:3], state.cells[3:6], state.cells[6:9]]
    return np.array([[[float(cell == who) for cell in row] for row in grid] for who in (state.to_play, -state.to_play)])


@check
def encode(rng):
    whose = "Which plane holds the marks of the player to move?"
    yield Case(
        "returns a float32 array of shape (2, 3, 3)",
        lambda encode: _array_type(encode(OPEN)),
        "a float32 array of shape (2, 3, 3)",
        f"planes = encode({OPEN!r})\nplanes.dtype, planes.shape",
        "A network multiplies these numbers, and wants one plane a player. What are the type and the shape of yours?",
    )
    yield _at("encode", START, "the empty board: all zeros", _planes(START), "What stands for a free cell?")
    one_mark = _after(5)
    yield _at(
        "encode", one_mark, "X has moved: the mark is the opponent's, for O is to move", _planes(one_mark), whose, 2
    )
    two_marks = _after(1, 6)
    yield _at("encode", two_marks, "X is to move: X's mark is in plane 0, O's in plane 1", _planes(two_marks), whose)
    yield _at("encode", OPEN, "O is to move: O's mark is in plane 0, X's in plane 1", _planes(OPEN), whose)
    yield _everywhere("encode", _planes, whose)


def _array_type(value) -> str:
    if not isinstance(value, np.ndarray):
        return f"a {type(value).__name__}"
    return f"a {value.dtype} array of shape {value.shape}"


_STACK = "np.stack([cells == state.to_play, cells == -state.to_play]).astype(np.float32)"
wrong(
    "encode",
    "from X's point of view",
    "plane 0 is always X's, whoever is to move",
    "A network has to find the best move for whoever is to move. How does it know who that is?",
    ("cells == state.to_play, cells == -state.to_play", "cells == 1, cells == -1"),
)
wrong(
    "encode",
    "planes swapped",
    "the opponent's marks come first",
    "Which of the two planes is `mine`?",
    ("cells == state.to_play, cells == -state.to_play", "cells == -state.to_play, cells == state.to_play"),
)
wrong(
    "encode",
    "one plane of +1 and -1",
    "both players share one plane",
    "How many planes does the docstring ask for?",
    (_STACK, "(cells * state.to_play)[None].astype(np.float32)"),
)
wrong(
    "encode",
    "the board as it is",
    "the board itself is returned, a single plane of +1 and -1 from X's point of view",
    "How many planes does the docstring ask for, and from whose point of view?",
    (_STACK, "cells.astype(np.float32)"),
)
wrong(
    "encode",
    "opponent negative",
    "the opponent's marks are -1 in their plane",
    "Each plane answers a question with yes or no. Which number is yes?",
    (_STACK, "np.stack([cells == state.to_play, -1 * (cells == -state.to_play)]).astype(np.float32)"),
)
wrong(
    "encode",
    "the same plane twice",
    "both planes hold the marks of the player to move",
    "Where are the opponent's marks?",
    ("cells == -state.to_play", "cells == state.to_play"),
)
wrong(
    "encode",
    "free cells instead of the opponent's",
    "plane 1 holds the free cells",
    "What does plane 1 tell?",
    ("cells == -state.to_play", "cells == 0"),
)
wrong(
    "encode",
    "a third plane",
    "a plane of free cells is added",
    "Does a third plane say anything that the first two don't?",
    ("cells == -state.to_play]", "cells == -state.to_play, cells == 0]"),
)
wrong(
    "encode",
    "float64",
    "the numbers are float64, which is numpy's default",
    "How do you ask numpy for another type?",
    ("np.float32", "np.float64"),
)
wrong(
    "encode",
    "bool",
    "the planes hold True and False",
    "How do you turn booleans into numbers?",
    (".astype(np.float32)", ""),
)
wrong(
    "encode",
    "integers",
    "the planes hold integers",
    "How do you ask numpy for another type?",
    ("np.float32", "int"),
)
wrong(
    "encode",
    "flat",
    "each plane is a row of nine numbers",
    "What is the shape of a board?",
    ("np.array(state.cells).reshape(3, 3)", "np.array(state.cells)"),
)
wrong(
    "encode",
    "rows and columns exchanged",
    "the board is mirrored on its diagonal: rows have become columns",
    "Where is cell 1: to the right of cell 0, or below it?",
    ("reshape(3, 3)", "reshape(3, 3).T"),
)
wrong(
    "encode",
    "planes last",
    "the planes are the last axis, not the first",
    "Along which axis does np.stack stack?",
    ("cells == -state.to_play])", "cells == -state.to_play], axis=-1)"),
)
wrong(
    "encode",
    "a list",
    "nested lists are returned, not an array",
    "What does np.array do?",
    (".astype(np.float32)", ".astype(np.float32).tolist()"),
)


# --- symmetries ------------------------------------------------------------------------------------------------------

# What stands at (row, column) afterwards stood here before.
SYMMETRIES = {
    "as given": lambda row, column: (row, column),
    "quarter turn left": lambda row, column: (column, 2 - row),
    "half turn": lambda row, column: (2 - row, 2 - column),
    "quarter turn right": lambda row, column: (2 - column, row),
    "mirrored left-right": lambda row, column: (row, 2 - column),
    "mirrored top-bottom": lambda row, column: (2 - row, column),
    "mirrored on the diagonal": lambda row, column: (column, row),
    "mirrored on the other diagonal": lambda row, column: (2 - column, 2 - row),
}
NAMES = list(SYMMETRIES)


def _moved(values: np.ndarray, name: str) -> list[float]:
    """The entries of one or more boards, flat, after the symmetry of this name."""
    boards = np.asarray(values, dtype=float).reshape(-1, 3, 3)
    before = SYMMETRIES[name]
    return [board[before(row, column)] for board in boards for row in range(3) for column in range(3)]


def _recognize(got, original: np.ndarray) -> str:
    """Which symmetry makes `got` of `original`."""
    flat = np.ravel(got)
    for name in NAMES:
        if flat.size == original.size and np.allclose(flat, _moved(original, name)):
            return name
    return "something else"


def _in_order(names: list[str]) -> list[str]:
    return sorted(names, key=[*NAMES, "something else"].index)


LOPSIDED = _planes(_after(0, 1)).astype(np.float32)  # looks different from each of the eight sides
COUNTING = np.arange(1, 10) / 45


@check
def symmetries(rng):
    def fresh():
        return LOPSIDED.copy(), COUNTING.copy()

    call = f"planes = encode({_after(0, 1)!r})\npolicy = np.arange(1, 10) / 45\n"
    board = str(_after(0, 1))
    yield Case(
        "returns a list of eight pairs, planes (2, 3, 3) and policy (9,)",
        lambda symmetries: symmetries(*fresh()),
        Such("a list of eight pairs", _eight_pairs),
        f"{call}symmetries(planes, policy)",
        "What comes first in a pair, what second, and what are their shapes?",
    )
    yield Case(
        "each of the eight boards once",
        lambda symmetries: _in_order([_recognize(planes, LOPSIDED) for planes, _ in symmetries(*fresh())]),
        NAMES,
        f"{call}[board for board, _ in symmetries(planes, policy)], put into words",
        "Four turns; and what do you get if you look at the board in a mirror?",
        board,
        points=2,
    )
    for name, moves in (("each policy moves like its board", (0, 1)), ("the same for a random position", None)):
        planes, policy = LOPSIDED, COUNTING
        if moves is None:
            planes = _planes(_lopsided(rng)).astype(np.float32)
            policy = rng.dirichlet(np.ones(9))
        yield Case(
            name,
            _policies_follow(planes, policy),
            Such("every policy moved as its board was", lambda v: bool(v["moved along"]) and not v["left behind"]),
            "for board, moves in symmetries(planes, policy): is the same mark beside each move as before?",
            "If a board is turned, where is the move that was best before?",
            _drawn(planes),
            points=2,
        )
    yield Case(
        "the empty board gives eight pairs, too",
        lambda symmetries: _in_order(
            [_recognize(policy, COUNTING) for _, policy in symmetries(np.zeros((2, 3, 3), np.float32), COUNTING.copy())]
        ),
        NAMES,
        "planes = encode(State())\npolicy = np.arange(1, 10) / 45\n"
        "[moves for _, moves in symmetries(planes, policy)], put into words",
        "Two boards may look the same. Are their policies the same, too?",
        str(START),
    )
    yield leaves_alone("symmetries", LOPSIDED, COUNTING)

    def write_into_results(symmetries):
        planes, policy = fresh()
        for board, moves in symmetries(planes, policy):
            board[...] = 7
            moves[...] = 7
        return [planes, policy]

    yield Case(
        "writing into the results does not change what was given",
        write_into_results,
        [LOPSIDED, COUNTING],
        f"{call}for board, moves in symmetries(planes, policy):\n    board[...] = 7\n    moves[...] = 7\nplanes, policy",
        "np.rot90, flips and reshape give another view of the same numbers. What makes them new ones?",
    )


def _eight_pairs(pairs) -> bool | str:
    if not isinstance(pairs, list | tuple):
        return f"a {type(pairs).__name__}, not a list"
    if len(pairs) != 8:
        return f"{len(pairs)} entries, not 8"
    if any(not isinstance(pair, list | tuple) or len(pair) != 2 for pair in pairs):
        return "entries that are not pairs"
    shapes = [(np.shape(planes), np.shape(policy)) for planes, policy in pairs]
    odd = [shape for shape in shapes if shape != ((2, 3, 3), (9,))]
    return f"shapes {odd[0][0]} and {odd[0][1]}" if odd else True


def _lopsided(rng) -> State:
    """A random position that looks different from each of its eight sides."""
    while True:
        state = _after(*rng.permutation(9)[: rng.integers(2, 6)].tolist())
        if len({tuple(_moved(state.cells, name)) for name in NAMES}) == 8:
            return state


def _policies_follow(planes: np.ndarray, policy: np.ndarray):
    def run(symmetries):
        along, behind = [], []
        for board, moves in symmetries(planes.copy(), policy.copy()):
            name = _recognize(board, planes)
            follows = name in NAMES and np.size(moves) == 9 and np.allclose(np.ravel(moves), _moved(policy, name))
            (along if follows else behind).append(name)
        return {"moved along": _in_order(along), "left behind": _in_order(behind)}

    return run


def _drawn(planes: np.ndarray) -> str:
    return str(State(tuple(int(cell) for cell in (planes[0] - planes[1]).ravel())))


_APPEND = "pairs.append((turned_planes.copy(), turned_policy.flatten()))"
_TURN = "turned_planes, turned_policy = (np.rot90(board, turns, axes=(1, 2)) for board in boards)"
wrong(
    "symmetries",
    "policy left behind",
    "the boards are turned, but each keeps the policy of the given one",
    "If a board is turned, where is the move that was best before?",
    (_APPEND, "pairs.append((turned_planes.copy(), policy.copy()))"),
)
wrong(
    "symmetries",
    "policy turned the other way",
    "boards turn one way and policies the other",
    "After a quarter turn, are the mark and the move beside it still neighbors?",
    (_TURN, f"{_TURN}\n            turned_policy = np.rot90(boards[1], -turns, axes=(1, 2))"),
)
wrong(
    "symmetries",
    "policy not mirrored",
    "policies are turned with their boards, but not mirrored with them",
    "What happens to the policy when the board is looked at in a mirror?",
    ("boards = [board[:, :, ::-1] for board in boards]", "boards = [boards[0][:, :, ::-1], boards[1]]"),
)
wrong(
    "symmetries",
    "mirrored along different axes",
    "boards are mirrored left to right and policies top to bottom",
    "Which axis is which, in a board with planes and in one without?",
    (
        "boards = [board[:, :, ::-1] for board in boards]",
        "boards = [boards[0][:, :, ::-1], boards[1][:, ::-1, :]]",
    ),
)
wrong(
    "symmetries",
    "turned and mirrored in another order",
    "boards are mirrored and then turned, policies turned and then mirrored",
    "Does it matter whether you turn first or mirror first? Try it with a sheet of paper.",
    (
        _TURN,
        f"{_TURN}\n            turned_policy = np.rot90(policy.reshape(1, 3, 3), turns, axes=(1, 2))"
        "[:, :, :: -1 if mirrored else 1]",
    ),
)
wrong(
    "symmetries",
    "turns only",
    "only the four turns are returned, without their mirror images",
    "Four turns; and what do you get if you look at the board in a mirror?",
    ("(False, True)", "(False,)"),
)
wrong(
    "symmetries",
    "mirrors only",
    "only the board, its two mirror images and the half turn are returned",
    "How many ways are there to turn the board?",
    ("range(4)", "(0, 2)"),
)
wrong(
    "symmetries",
    "each turn twice",
    "the four turns are returned twice, and no mirror image at all",
    "Are your eight boards all different?",
    ("            if mirrored:\n                boards = [board[:, :, ::-1] for board in boards]\n", ""),
)
wrong(
    "symmetries",
    "both mirrors and all turns, with repeats",
    "some of the eight come twice and others never: a half turn, for one, is the same as both mirrors at once",
    "Are your eight boards all different?",
    code="""
    def symmetries(planes, policy):
        def look(turn, flip_rows, flip_columns):
            boards = [np.rot90(board, turn, axes=(1, 2)) for board in (planes, policy.reshape(1, 3, 3))]
            boards = [board[:, ::-1] if flip_rows else board for board in boards]
            boards = [board[:, :, ::-1] if flip_columns else board for board in boards]
            return boards[0].copy(), boards[1].flatten()

        return [look(turn, rows, columns) for turn in (0, 2) for rows in (0, 1) for columns in (0, 1)]
    """,
)
wrong(
    "symmetries",
    "given pair left out",
    "the given pair itself is missing",
    "Is leaving everything as it is one of the eight?",
    ("    return pairs", "    return pairs[1:]"),
)
wrong(
    "symmetries",
    "boards that look alike dropped",
    "pairs whose boards look the same are thrown away, though their policies differ",
    "Two boards may look the same. Are their policies the same, too?",
    (
        "    return pairs",
        "    return list({planes.tobytes(): (planes, policy) for planes, policy in pairs}.values())",
    ),
)
wrong(
    "symmetries",
    "turned across the planes",
    "np.rot90 turns the first two axes, and the first is the planes",
    "Which two of the three axes are the board?",
    (", axes=(1, 2)", ""),
)
wrong(
    "symmetries",
    "policies stay square",
    "the policies come back as boards of three rows",
    "What was the shape of the policy that you were given?",
    ("turned_policy.flatten()", "turned_policy[0].copy()"),
)
wrong(
    "symmetries",
    "boards without their policies",
    "the eight boards are returned without their policies",
    "What is a pair made of?",
    (_APPEND, "pairs.append(turned_planes.copy())"),
)
wrong(
    "symmetries",
    "views of what was given",
    "some results are views: they share their numbers with the arguments",
    "np.rot90, flips and reshape give another view of the same numbers. What makes them new ones?",
    (_APPEND, "pairs.append((turned_planes, turned_policy.reshape(9)))"),
)
wrong(
    "symmetries",
    "turns what was given",
    "the arguments themselves are turned in place",
    "Who else holds the arrays that you were given?",
    code="""
    def symmetries(planes, policy):
        pairs = []
        for _ in range(2):
            for _ in range(4):
                planes[:] = np.rot90(planes, axes=(1, 2)).copy()
                policy[:] = np.rot90(policy.reshape(3, 3)).flatten()
                pairs.append((planes.copy(), policy.copy()))
            planes[:] = planes[:, :, ::-1].copy()
            policy[:] = policy.reshape(3, 3)[:, ::-1].flatten()
        planes[:] = np.rot90(planes, axes=(1, 2)).copy()
        return pairs
    """,
)


# --- count_games -----------------------------------------------------------------------------------------------------


@check
def count_games(rng):
    end = "How many ways are there to go on when nothing is left to do?"
    deeper = "Each first move leads to a smaller problem of the same kind. How do their numbers combine?"
    yield _at("count_games", ROW_X, "a game that X has won: one way, to add nothing", 1, end)
    yield _at("count_games", DRAW, "a draw: one way, to add nothing", 1, end)
    yield _at("count_games", ONE_FREE, "one free cell: one way", 1, end)
    yield _at("count_games", THREE_FREE, "three free cells", _games(THREE_FREE), deeper)
    early = "Does the game go on after a line is complete?"
    yield _at("count_games", THREATS, "five free cells, and games that end early", _games(THREATS), early, 2)
    for moves in (5, 4, 3, 2):
        state = _random_position(rng, moves)
        yield _at("count_games", state, f"a random position after {moves} moves", _games(state), deeper)


def _random_position(rng, moves: int) -> State:
    """Not over, and after this many moves."""
    while True:
        state = _after(*rng.permutation(9)[:moves].tolist())
        if not _over(state):
            return state


_COUNT = "sum(count_games(play(state, action)) for action in legal_actions(state))"
wrong(
    "count_games",
    "goes on after a line",
    "all ways to fill the board are counted: the games go on after somebody has won",
    "When does a game end?",
    code="""
    def count_games(state):
        ways = 1
        for free in range(1, state.cells.count(0) + 1):
            ways *= free
        return ways
    """,
)
wrong(
    "count_games",
    "counts positions on the way, too",
    "every position on the way is counted, not only finished games",
    "How many games pass through a position that is not over: one more than go on from it?",
    (f"return {_COUNT}", f"return 1 + {_COUNT}"),
)
wrong(
    "count_games",
    "counts moves",
    "the moves are counted, not the games",
    "If there are two legal moves and each ends the game, how many games are there?",
    ("        return 1\n", "        return 0\n"),
    (_COUNT, "sum(1 + count_games(play(state, action)) for action in legal_actions(state))"),
)
wrong(
    "count_games",
    "counts different final positions",
    "each final position is counted once, in however many orders its marks were put down",
    "Are X 0, O 1, X 2 and X 2, O 1, X 0 one game or two?",
    code="""
    def count_games(state):
        finals, todo = set(), [state]
        while todo:
            position = todo.pop()
            todo += [play(position, action) for action in legal_actions(position)]
            if is_terminal(position):
                finals.add(position)
        return len(finals)
    """,
)
wrong(
    "count_games",
    "counts different positions",
    "each position is counted once, finished or not",
    "Is a game a position, or a way through positions?",
    code="""
    def count_games(state):
        seen, todo = set(), [state]
        while todo:
            position = todo.pop()
            if position not in seen:
                seen.add(position)
                todo += [play(position, action) for action in legal_actions(position)]
        return len(seen)
    """,
)
wrong(
    "count_games",
    "a finished game counts nothing",
    "a finished game counts 0, and sums of zeros stay 0",
    "How many ways are there to go on when nothing is left to do: none, or one?",
    ("        return 1\n", "        return 0\n"),
)
wrong(
    "count_games",
    "draws are not counted",
    "only games that somebody wins are counted",
    "Is a draw a game?",
    ("        return 1\n", "        return abs(winner(state))\n"),
)
wrong(
    "count_games",
    "only X's wins are counted",
    "only games that X wins are counted",
    "Are a draw and a loss games, too?",
    ("        return 1\n", "        return int(winner(state) == 1)\n"),
)
wrong(
    "count_games",
    "wins minus losses",
    "winners are added up: X's games minus O's",
    "What does a finished game add to the count, whoever won?",
    ("        return 1\n", "        return winner(state)\n"),
)
wrong(
    "count_games",
    "length of the longest game",
    "the moves of the longest game are counted, not the games",
    "How do the counts of two different first moves combine?",
    ("        return 1\n", "        return 0\n"),
    (_COUNT, "1 + max(count_games(play(state, action)) for action in legal_actions(state))"),
)
wrong(
    "count_games",
    "one move deep",
    "the legal moves of this position are counted, and what follows is not",
    "What can happen after the first move?",
    (_COUNT, "len(legal_actions(state))"),
)
wrong(
    "count_games",
    "first move only",
    "only one of the legal moves is followed",
    "When do you leave the loop?",
    (_COUNT, "count_games(play(state, legal_actions(state)[0]))"),
)


# --- Connect N: positions and what is true of them -------------------------------------------------------------------

CONNECT_FOUR = (6, 7, 4)  # rows, columns, n
SIZES = ((4, 4, 3), (5, 6, 4), CONNECT_FOUR, (3, 9, 3), (7, 8, 5))


def _connect_state(board: oracles.PlainConnectN, winner: int | None = None) -> ConnectState:
    """A plain board as a state."""
    columns = tuple(tuple(row[column] for row in board.grid[::-1] if row[column]) for column in range(board.columns))
    return ConnectState(columns, board.to_play, board.winner if winner is None else winner, board.rows, board.n)


def _dropped(*actions: int, size: tuple[int, int, int] = CONNECT_FOUR) -> ConnectState:
    """The position after these moves."""
    board = oracles.PlainConnectN(*size)
    for action in actions:
        board.drop(action)
    return _connect_state(board)


def _from_drawing(drawing: str, column: int, size: tuple[int, int, int] = CONNECT_FOUR) -> tuple[ConnectState, int]:
    """What `completes_line` is called with, from a drawing of the lowest rows. The last stone is on top of `column`."""
    rows, columns, n = size
    lines = [line.split() for line in drawing.strip().splitlines()]
    board = oracles.PlainConnectN(rows, columns, n)
    board.grid[rows - len(lines) :] = [[{"X": 1, "O": -1, ".": 0}[mark] for mark in line] for line in lines]
    board.to_play = -next(row[column] for row in board.grid if row[column])
    return _connect_state(board, winner=0), column


def _grid(state: ConnectState) -> list[list[int]]:
    """Rows of +1, -1 and 0, row 0 at the top."""
    heights = reversed(range(state.rows))
    return [[stones[height] if height < len(stones) else 0 for stones in state.columns] for height in heights]


def _connect_legal(state: ConnectState) -> list[int]:
    return [] if state.winner else [column for column, cell in enumerate(_grid(state)[0]) if not cell]


def _connect_planes(state: ConnectState) -> np.ndarray:
    sides = (state.to_play, -state.to_play)
    return np.array([[[float(cell == side) for cell in row] for row in _grid(state)] for side in sides])


@cache
def _games_of_connect_n(seed: int, number: int = 5) -> list[tuple[ConnectState, int, ConnectState]]:
    """(state, action, next state) for each move of some random games on each of the boards."""
    rng = np.random.default_rng(seed)
    moves = []
    for size in SIZES * number:
        board = oracles.PlainConnectN(*size)
        while legal := board.legal():
            before, action = _connect_state(board), int(rng.choice(legal))
            board.drop(action)
            moves.append((before, action, _connect_state(board)))
    return moves


@cache
def _every_line() -> list[tuple[tuple[ConnectState, int], bool]]:
    """Each place for a line on some boards, with the last stone in each of its cells that can be on top: all are lines."""
    found = []
    for number, (rows, columns, n) in enumerate(((4, 4, 3), CONNECT_FOUR, (5, 9, 5))):
        for window in oracles.windows(rows, columns, n):
            board = oracles.PlainConnectN(rows, columns, n)
            player = 1 if len(found) % 2 else -1
            for row, column in window:
                board.grid[row][column] = player
                for below in range(row + 1, rows):
                    if (below, column) not in window:
                        board.grid[below][column] = 1 if (below // 2 + column + number) % 2 else -1
                        if (below - 1, column) in window:
                            board.grid[below][column] = -player
            board.to_play = -player
            state = _connect_state(board, winner=0)
            tops = [(row, column) for row, column in window if row == 0 or not board.grid[row - 1][column]]
            found += [((state, column), True) for _, column in tops]
    return found


@cache
def _heaps(seed: int) -> list[tuple[tuple[ConnectState, int], bool]]:
    """Stones dropped anyhow, and whether the last of them is part of a line; no line lies elsewhere."""
    rng = np.random.default_rng(seed)
    found = []
    for rows, columns, n in ((4, 4, 3), CONNECT_FOUR, (5, 6, 4)) * 50:
        board = oracles.PlainConnectN(rows, columns, n)
        heights = rng.integers(0, rows + 1, size=columns)
        column = int(rng.integers(columns))
        heights[column] = max(heights[column], 1)
        for place, height in enumerate(heights):
            for row in range(rows - height, rows):
                board.grid[row][place] = int(rng.choice((1, -1)))
        last = (rows - int(heights[column]), column)
        board.to_play = -board.grid[last[0]][column]
        lines = board.lines()
        if all(last in line for line in lines):
            found.append(((_connect_state(board, winner=0), column), bool(lines)))
    return found


def _wrong_ones(answer, pairs) -> list[str]:
    """In how many of (arguments, expected) the answer is wrong, and the first two as calls to paste; [] if in none."""
    bad = []
    for args, expected in pairs:
        try:
            got = answer(*args)
        except Exception as error:
            bad.append((args, f"raised {type(error).__name__}: {error}"))
            continue
        if not _equal(got, expected):
            bad.append((args, show(got) if np.size(got) < 30 else "see for yourself"))
    shown = [f"for {', '.join(map(repr, args))}: {got}" for args, got in bad[:2]]
    return [f"{len(bad)} wrong", *shown] if bad else []


def _all_right(name: str, pairs, call: str, question: str, look=lambda value: value) -> Case:
    """A case that is many calls; `pairs` gives (arguments, expected) when it runs. `look` is what is judged of each result."""
    return Case(
        name,
        lambda answer: _wrong_ones(lambda *args: look(answer(*args)), pairs()),
        Such("none wrong", lambda mistakes: not mistakes),
        call,
        question,
        points=2,
    )


C_START = _dropped()
C_OPEN = _dropped(3, 3, 2)
C_FULL_COLUMN = _dropped(3, 3, 3, 3, 3, 3)
C_WON_X = _dropped(0, 1, 0, 1, 0, 1, 0)
C_WON_O = _dropped(0, 1, 2, 2, 3, 3, 6, 4, 4, 3, 4, 4)  # a rising diagonal
C_DRAW = _dropped(0, 1, 2, 0, 1, 2, size=(2, 3, 3))
C_SMALL = _dropped(1, 1, 2, 1, 1, size=(4, 4, 3))
C_WIDE = _dropped(0, 8, 0, 8, 8, size=(3, 9, 3))


# --- completes_line --------------------------------------------------------------------------------------------------


@check
def completes_line(rng):
    def at(name: str, drawing: str, column: int, expected: bool, question: str, size=CONNECT_FOUR) -> Case:
        state, column = _from_drawing(drawing, column, size)
        shown = f"completes_line({state!r}, {column})"
        board = f"{state}\n(the last stone is on top of column {column}; {state.n} in a row win)"
        return Case(name, lambda answer: bool(answer(state, column)), expected, shown, question, board)

    ways = "In how many directions can a line run through a stone?"
    both = "A line can go on to both sides of the last stone. What do you do with the two parts?"
    stop = "Where does a line end: at the edge only?"
    yield at("one stone is no line", ". . . X . . .", 3, False, "How many stones are there?")
    yield at("four across, the last one at the right", "O O O . . . .\nX X X X . . .", 3, True, ways)
    yield at("four across, the last one inside", "O . O O . . .\nX X X X . . .", 1, True, both)
    yield at("four up", "O . . . . . .\nO X . . . . .\nO X . . . . .\nO X . . X . .", 0, True, ways)
    rising = ". . . X . . .\n. . X O . . .\n. X O O . . .\nX O X O . . X"
    yield at("a diagonal that rises to the right", rising, 3, True, ways)
    yield at("the same, the last stone inside", rising, 1, True, both)
    falling = "O . . . . . .\nX O . . . . .\nX X O . . . .\nX O X O . . ."
    yield at("a diagonal that falls to the right, O's", falling, 0, True, ways)
    yield at("the same, the last stone inside", falling, 2, True, both)
    yield at("three across are not enough", "O O . . . . .\nX X X . . . .", 2, False, "How many in a row win?")
    yield at("more than four are a line, too", "O O . O O . .\nX X X X X . .", 2, True, "What if two parts meet?")
    yield at("a gap ends a line", "O O . . O . .\nX X . X X . .", 3, False, stop)
    yield at("an opponent's stone ends a line", "O X O . O . .\nX X O X X . .", 3, False, stop)
    short = "X X . X . . .\nO O X O . . ."
    yield at("a neighbor that is not tall enough ends a line", short, 3, False, "How tall is the next column?")
    bend = ". . . X . . .\n. X X O . . .\nX O O O X . ."
    yield at("four columns with the same player on top", bend, 3, False, "Do these stones lie on one line?")
    across = ". . . O . . .\n. . . O . . .\nX X . O . X X"
    edge = "What is to the left of column 0? And what is columns[-1] in Python?"
    yield at("two at each edge are not four", across, 6, False, edge)
    yield at("the same, seen from the left edge", across, 0, False, edge)
    around = ". . X . . . .\n. X O . . . .\nX O X . . . .\nO O X . . O X"
    yield at("a diagonal ends at the edge, too", around, 0, False, edge)
    below = "X . . X . . .\nO X O O . . X\nO O X O . X X"
    yield at(
        "a line ends at the bottom", below, 0, False, "What is below the bottom, and what is column[-1] in Python?"
    )
    corner = "X X X . . . .\nO O X O . . ."
    bends = "Do all of these stones lie on the same line?"
    yield at("three across and one below are not four", corner, 2, False, bends)
    smaller = "How many in a row win on this board?"
    yield at("three in a row, where three win", "O O . .\nX X X .", 2, True, smaller, (4, 4, 3))
    yield at("a diagonal of three, where three win", ". . X .\n. X O .\nX O O X", 2, True, smaller, (4, 4, 3))
    five = "O O O O . . . .\nX X X X . . . ."
    yield at("four in a row, where five win", five, 3, False, smaller, (7, 8, 5))
    wide = ". . . . . O O O .\n. . . . . X X X X"
    tall = "\n".join(["X . . ."] * 4 + ["O . . ."] * 3 + ["X O . ."])
    yield at("a line at the top of a tall board", tall, 0, True, "How many rows has this board?", (8, 4, 4))
    yield at("a line at the right edge of a wide board", wide, 8, True, "How many columns has this board?", (4, 9, 4))

    def types(completes_line):
        kinds = [
            _types(completes_line(*_from_drawing(drawing, 3)))
            for drawing in ("O O O . . . .\nX X X X . . .", ". . . X . . .")
        ]
        return [kind.rstrip("_") for kind in kinds]

    yield Case(
        "returns True or False",
        types,
        ["bool", "bool"],  # numpy's bool will do
        "[type(completes_line(state, 3)) for state in (a line, no line)]",
        "Does every way through your function end in a return?",
    )
    yield _all_right(
        "finds a line in every place of three boards",
        _every_line,
        "completes_line(state, column)",
        "Which lines does yours miss: those of one direction, of one player, at one edge?",
        bool,
    )
    games, heaps = (int(seed) for seed in rng.integers(1_000_000, size=2))
    yield _all_right(
        "is right after every move of some random games",
        lambda: [((new._replace(winner=0), action), new.winner != 0) for _, action, new in _games_of_connect_n(games)],
        "completes_line(state, column)",
        ways,
        bool,
    )
    yield _all_right(
        "is right for stones dropped anyhow",
        lambda: _heaps(heaps),
        "completes_line(state, column)",
        stop,
        bool,
    )


_DIRECTIONS = "directions = ((1, 0), (0, 1), (1, 1), (1, -1))"
_WHILE = "while 0 <= x < len(state.columns) and 0 <= y < len(state.columns[x]) and state.columns[x][y] == player:"
_WAYS = "In which directions can a line run through a stone?"
for _name, _sentence, _kept in (
    ("only up", "only lines that run up a column are found", "((0, 1),)"),
    (
        "only across",
        "only lines that run across are found: other directions are not looked at, or a return in the loop comes too soon",
        "((1, 0),)",
    ),
    ("diagonals forgotten", "only lines that run across or up are found", "((1, 0), (0, 1))"),
    ("across forgotten", "lines that run across are not found", "((0, 1), (1, 1), (1, -1))"),
    ("up forgotten", "lines that run up a column are not found", "((1, 0), (1, 1), (1, -1))"),
    ("falling diagonal forgotten", "diagonals that fall to the right are not found", "((1, 0), (0, 1), (1, 1))"),
    ("rising diagonal forgotten", "diagonals that rise to the right are not found", "((1, 0), (0, 1), (1, -1))"),
    ("only diagonals", "only diagonals are found", "((1, 1), (1, -1))"),
):
    wrong("completes_line", _name, _sentence, _WAYS, (_DIRECTIONS, f"directions = {_kept}"))
_BOTH = "A line can go on to both sides of the last stone. Where do you look?"
wrong(
    "completes_line",
    "one side only",
    "each line is followed to one side of the last stone, and a stone inside a line has two",
    _BOTH,
    ("for sign in (1, -1):", "for sign in (1,):"),
)
wrong(
    "completes_line",
    "the other side only",
    "each line is followed to one side of the last stone (left, or down), and a stone inside a line has two",
    _BOTH,
    ("for sign in (1, -1):", "for sign in (-1,):"),
)
wrong(
    "completes_line",
    "each side by itself",
    "the two sides of the last stone are counted one by one, and never together",
    "A stone falls between two pairs. How long is the line?",
    (
        "        length = 1\n        for sign in (1, -1):  # to both sides of the stone\n",
        "        for sign in (1, -1):\n            length = 1\n",
    ),
    (
        "        if length >= state.n:\n            return True",
        "            if length >= state.n:\n                return True",
    ),
)
wrong(
    "completes_line",
    "directions added up",
    "the stones of all four directions are added up: three across and one below count as four",
    "Where does counting begin anew?",
    ("    for right, up in directions:\n        length = 1\n", "    length = 1\n    for right, up in directions:\n"),
)
wrong(
    "completes_line",
    "exactly N",
    "a line must have N stones exactly, so that a stone that joins two parts to more than N wins nothing",
    "What if the last stone falls between two and two?",
    (">= state.n", "== state.n"),
)
wrong(
    "completes_line",
    "one too few",
    "one stone less than N is enough; perhaps the last stone is counted for each of its sides",
    "Which stones do you count on the way to the right, and which on the way to the left?",
    (">= state.n", ">= state.n - 1"),
)
wrong(
    "completes_line",
    "one too many",
    "one stone more than N is needed; perhaps the last stone itself is not counted",
    "Is the last stone part of the line, and how many in a row win?",
    (">= state.n", "> state.n"),
)
wrong(
    "completes_line",
    "always four",
    "four in a row win on every board, whatever state.n says",
    "How many in a row win on this board?",
    (">= state.n", ">= 4"),
)
wrong(
    "completes_line",
    "always three",
    "three in a row win, as in tic-tac-toe, whatever state.n says",
    "How many in a row win on this board?",
    (">= state.n", ">= 3"),
)
wrong(
    "completes_line",
    "wrap-around",
    "a line that leaves the board on one side comes back on the other",
    "What is to the left of column 0, and to the right of the last column?",
    (
        _WHILE,
        "while length < 9 and 0 <= y < len(state.columns[x % len(state.columns)]) "
        "and state.columns[x % len(state.columns)][y] == player:",
    ),
)
wrong(
    "completes_line",
    "open at the left edge",
    "nothing stops at the left edge, and in Python columns[-1] is the last column",
    "What is columns[-1] in Python?",
    (_WHILE, _WHILE.replace("0 <= x <", "x <")),
)
wrong(
    "completes_line",
    "open at the right edge",
    "nothing stops at the right edge, where the columns end",
    "Which column is to the right of the last one?",
    (_WHILE, _WHILE.replace("0 <= x < len(state.columns)", "0 <= x")),
)
wrong(
    "completes_line",
    "open at the bottom",
    "nothing stops at the bottom, and in Python column[-1] is the stone on top",
    "What is column[-1] in Python?",
    (_WHILE, _WHILE.replace("0 <= y <", "y <")),
)
wrong(
    "completes_line",
    "open at the top",
    "a neighbor is looked at up to the top of the board, though it may hold fewer stones",
    "How many stones does the next column hold?",
    (_WHILE, _WHILE.replace("0 <= y < len(state.columns[x])", "0 <= y < state.rows")),
)
wrong(
    "completes_line",
    "seven columns, always",
    "the board is taken to have seven columns",
    "How many columns does this board have?",
    (_WHILE, _WHILE.replace("x < len(state.columns)", "x < 7")),
)
wrong(
    "completes_line",
    "six rows, always",
    "the board is taken to have six rows: stones above are not seen",
    "How many rows does this board have?",
    (_WHILE, _WHILE.replace("0 <= y < len", "0 <= y < 6 and y < len")),
)
_BEYOND = """
    def completes_line(state, column):
        height = len(state.columns[column]) - 1
        player = state.columns[column][height]
        for right, up in ((1, 0), (0, 1), (1, 1), (1, -1)):
            length = 0
            for step in range(1 - state.n, state.n):
                x, y = column + step * right, height + step * up
                if 0 <= x < len(state.columns) and 0 <= y < len(state.columns[x]):
                    length += state.columns[x][y] == player
            if length >= state.n:
                return True
        return False
    """
wrong(
    "completes_line",
    "looks through gaps",
    "all stones of the player along a line are counted, whatever lies between them",
    "Where does a line end: at the edge only?",
    code=_BEYOND,
)
wrong(
    "completes_line",
    "looks through free cells",
    "a free cell is skipped, and counting goes on behind it",
    "Is a row with a hole in it a line?",
    code=_BEYOND.replace(
        "            length = 0\n",
        "            length, best = 0, 0\n",
    )
    .replace("length += state.columns[x][y] == player", "length = length + 1 if state.columns[x][y] == player else 0")
    .replace(
        "            if length >= state.n:", "                best = max(best, length)\n            if best >= state.n:"
    ),
)
wrong(
    "completes_line",
    "tops of the columns",
    "the stones on top of the neighboring columns are looked at, however tall they are",
    "Do stones at different heights lie on one line?",
    code="""
    def completes_line(state, column):
        stones = state.columns[column]
        player = stones[-1]
        if len(stones) >= state.n and all(stone == player for stone in stones[-state.n:]):
            return True
        length = 1
        for sign in (1, -1):
            x = column + sign
            while 0 <= x < len(state.columns) and state.columns[x] and state.columns[x][-1] == player:
                length += 1
                x += sign
        return length >= state.n
    """,
)
wrong(
    "completes_line",
    "the wrong player's stones",
    "the stones of the player to move are looked for; but the last stone is the other player's",
    "Whose is the stone on top of the column, and who is to move now?",
    ("player = state.columns[column][height]", "player = state.to_play"),
)
wrong(
    "completes_line",
    "stones of both players",
    "the stones of both players count",
    "Whose stones make a line?",
    (" and state.columns[x][y] == player:", ":"),
)
wrong(
    "completes_line",
    "only X can win",
    "only lines of X count",
    "What if the last stone is O's?",
    (">= state.n:", ">= state.n and player == 1:"),
)
wrong(
    "completes_line",
    "one above the stone",
    "the search begins at the free cell above the last stone",
    "Which height has the top stone of a column that holds three?",
    ("height = len(state.columns[column]) - 1", "height = len(state.columns[column])"),
    ("player = state.columns[column][height]", "player = state.columns[column][-1]"),
)
wrong(
    "completes_line",
    "bottom stone instead of top stone",
    "the stone at the bottom of the column is taken for the last one",
    "Where in its column is the stone that fell last?",
    ("height = len(state.columns[column]) - 1", "height = 0"),
)
wrong(
    "completes_line",
    "None instead of False",
    "nothing is returned when there is no line",
    "What does a function return when it reaches its end?",
    ("    return False\n", "    return None\n"),
)
wrong(
    "completes_line",
    "who, not whether",
    "the player is returned, not True",
    "What does the docstring ask for: who, or whether?",
    ("            return True", "            return player"),
    ("    return False\n", "    return 0\n"),
)


# --- connect_legal_actions -------------------------------------------------------------------------------------------


@check
def connect_legal_actions(rng):
    room = "How many stones does a column hold?"
    over = "The game is over. May anybody move?"
    for state, name, question in (
        (C_START, "seven first moves", "Where does counting start?"),
        (C_OPEN, "columns with stones in them have room", room),
        (C_FULL_COLUMN, "a full column is not legal", room),
        (C_WON_X, "none after X has won, though columns have room", over),
        (C_WON_O, "none after O has won, though columns have room", over),
        (C_DRAW, "none on a full board", over),
        (C_SMALL, "a full column of a board of four rows", room),
        (C_WIDE, "full columns of a board of three rows and nine columns", "How many columns does this board have?"),
    ):
        yield _at("connect_legal_actions", state, name, _connect_legal(state), question, look=_not_lazy)
    yield Case(
        "returns a list of plain ints",
        lambda legal_actions: [_types(legal_actions(state)) for state in (C_OPEN, C_WON_X)],
        ["list of int", "list"],
        "connect_legal_actions(state), for a game that goes on and for one that is over",
        "Search and learning will use this list as an index. What is the type of the whole, and of each entry?",
    )
    seed = int(rng.integers(1_000_000))
    yield _all_right(
        "is right in every position of some random games",
        lambda: [((state,), _connect_legal(state)) for _, _, state in _games_of_connect_n(seed)],
        "connect_legal_actions(state)",
        "When is there nothing to choose from?",
        _not_lazy,
    )


_ROOM = "[column for column, stones in enumerate(state.columns) if len(stones) < state.rows]"
_OVER = "    if state.winner != 0:\n        return []\n"
wrong(
    "connect_legal_actions",
    "goes on after a win",
    "the columns with room are returned even when somebody has won, or the winner is compared with the wrong player",
    "What do you return when the game is over?",
    (_OVER, ""),
)
wrong(
    "connect_legal_actions",
    "goes on after O's win",
    "the game is taken to end when X wins, and to go on when O does",
    "Which values can state.winner have?",
    ("state.winner != 0", "state.winner == 1"),
)
wrong(
    "connect_legal_actions",
    "goes on after X's win",
    "the game is taken to end when O wins, and to go on when X does",
    "Which values can state.winner have?",
    ("state.winner != 0", "state.winner == -1"),
)
wrong(
    "connect_legal_actions",
    "None at the end",
    "nothing is returned when somebody has won, instead of an empty list",
    "How many legal actions are there, and how does a list say that?",
    ("        return []\n", "        return None\n"),
)
wrong(
    "connect_legal_actions",
    "full columns too",
    "a full column counts as having room, for one more stone or for any number",
    "How many stones does a column hold?",
    (_ROOM, "list(range(len(state.columns)))"),
)
wrong(
    "connect_legal_actions",
    "one stone too few",
    "a column counts as full while one cell is still free",
    "How many stones does a column hold, and how many are in a full one?",
    ("len(stones) < state.rows", "len(stones) < state.rows - 1"),
)
wrong(
    "connect_legal_actions",
    "empty columns only",
    "only columns without any stone are returned",
    "Is a column full after one stone?",
    ("len(stones) < state.rows", "not stones"),
)
wrong(
    "connect_legal_actions",
    "six rows, always",
    "a column is taken to hold six stones on every board",
    "How many rows does this board have?",
    ("state.rows", "6"),
)
wrong(
    "connect_legal_actions",
    "rows and columns exchanged",
    "a column is taken to hold as many stones as there are columns",
    "Which of the two tells how tall a column can be?",
    ("state.rows", "len(state.columns)"),
)
wrong(
    "connect_legal_actions",
    "seven columns, always",
    "every board is taken to have seven columns",
    "How many columns does this board have?",
    (_ROOM, "[column for column in range(7) if len(state.columns[column]) < state.rows]"),
)
wrong(
    "connect_legal_actions",
    "counting from one",
    "columns are numbered from 1",
    "What is the number of the leftmost column?",
    ("[column for", "[column + 1 for"),
)
wrong(
    "connect_legal_actions",
    "descending",
    "the columns come in descending order",
    "Ties will go to the lowest action: which one should come first?",
    (_ROOM, f"{_ROOM}[::-1]"),
)
wrong(
    "connect_legal_actions",
    "a mask",
    "one entry a column is returned, saying whether it has room, instead of the numbers of those that have",
    "How long is the list when one column is full?",
    (_ROOM, "[len(stones) < state.rows for stones in state.columns]"),
)
wrong(
    "connect_legal_actions",
    "the columns themselves",
    "the stones of the columns with room are returned, not the numbers of the columns",
    "What tells one empty column from another?",
    ("[column for", "[stones for"),
)
wrong(
    "connect_legal_actions",
    "heights, too",
    "each action is a pair: a column, and the height at which the stone will lie",
    "Who decides how far a stone falls: the player, or gravity?",
    ("[column for", "[(column, len(stones)) for"),
)
wrong(
    "connect_legal_actions",
    "numpy integers",
    "the entries are numpy integers, not plain ints",
    "What does .tolist() do?",
    (_ROOM, "list(np.flatnonzero([len(stones) < state.rows for stones in state.columns]))"),
)
wrong(
    "connect_legal_actions",
    "an array",
    "a numpy array is returned, not a list",
    "What does .tolist() do?",
    (_ROOM, "np.flatnonzero([len(stones) < state.rows for stones in state.columns])"),
    ("        return []\n", "        return np.array([])\n"),
)
wrong(
    "connect_legal_actions",
    "a tuple",
    "a tuple is returned, not a list",
    "What is the type of what you return?",
    (_ROOM, f"tuple({_ROOM})"),
    ("        return []\n", "        return ()\n"),
)
wrong(
    "connect_legal_actions",
    "a generator",
    "something that makes the list later is returned, not the list",
    "How often can you loop over what you return?",
    (_ROOM, f"({_ROOM[1:-1]})"),
)


# --- connect_play ----------------------------------------------------------------------------------------------------


def _fields(child) -> dict:
    """A ConnectState as plain data."""
    return {name: getattr(child, name) for name in ConnectState._fields}


def _drop(state: ConnectState, action: int) -> ConnectState:
    """The position after one move, worked out on a plain board."""
    board = oracles.PlainConnectN(state.rows, len(state.columns), state.n)
    board.grid, board.to_play = _grid(state), state.to_play
    board.drop(action)
    return _connect_state(board)


@check
def connect_play(rng):
    def moves(state: ConnectState, action: int, name: str, question: str, points: int = 1) -> Case:
        call = f"connect_play({state!r}, {action})"
        expected = _fields(_drop(state, action))
        return Case(name, lambda answer: _fields(answer(state, action)), expected, call, question, str(state), points)

    def refuses(state: ConnectState, action: int, name: str, question: str, mentions: tuple[str, ...] = ()) -> Case:
        call = f"connect_play({state!r}, {action})"
        return Case(
            name, lambda answer: answer(state, action), Raises(ValueError, mentions), call, question, str(state)
        )

    drop = "Whose stone falls into which column, and who is to move next?"
    top = "Columns are told from the bottom up. At which end does a new stone belong?"
    won = "The player of this stone has a line now. Where does the new state say so?"
    size = "The board of the new position is the same. Which fields say how large it is, and how many win?"
    yield moves(C_START, 3, "X drops the first stone, then it is O's turn", drop, 2)
    yield moves(_dropped(3), 3, "O's stone comes to lie on X's, then it is X's turn", top, 2)
    yield moves(_dropped(0, 0, 0, 0, 0), 0, "the last stone of a column", top)
    yield moves(_dropped(0, 1, 0, 1, 0, 1), 0, "X wins with four up", won)
    yield moves(_dropped(0, 1, 2, 2, 3, 3, 6, 4, 4, 3, 4), 4, "O wins with a diagonal", won)
    yield moves(_dropped(0, 6, 1, 6, 2, 6), 5, "X could win, but plays elsewhere", "Does this stone complete a line?")
    yield moves(_dropped(1, 1, size=(4, 4, 3)), 2, "a board of four rows and four columns", size)
    yield moves(_dropped(1, 1, 2, 1, size=(4, 4, 3)), 3, "X wins with three in a row, where three win", won)
    yield moves(_dropped(0, 1, 2, 0, 1, size=(2, 3, 3)), 2, "the last stone of a drawn game", "Who has won a draw?")

    def what_it_is(connect_play):
        result = []
        for state, action in ((C_OPEN, 4), (_dropped(0, 1, 0, 1, 0, 1), 0)):
            child = connect_play(state, action)
            columns = {type(child.columns).__name__} | {_types(stones) for stones in child.columns if len(stones)}
            numbers = {_types(child.to_play), _types(child.winner)}
            result.append([", ".join(sorted(columns)), ", ".join(sorted(numbers)), bool(child == _drop(state, action))])
        return result

    yield Case(
        "returns a ConnectState, its columns tuples of plain ints",
        what_it_is,
        [["tuple, tuple of int", "int", True]] * 2,
        "child = connect_play(state, action)\n"
        "type(child.columns), type(child.columns[3]), type(child.columns[3][0]), type(child.winner)",
        "What are the columns before the move, and what are they after? Can the state still be the key of a dict?",
    )
    anybody = "What do you do if the action is not among the legal ones?"
    yield refuses(C_FULL_COLUMN, 3, "refuses a full column", anybody)
    yield refuses(C_WON_X, 3, "refuses a column with room when the game is over", "X has won. May O still move?")
    yield refuses(C_WON_O, 0, "the same when O has won", "Which values can state.winner have?")
    yield refuses(C_OPEN, 7, "refuses a column beyond the board", "Which error does your code raise, and where?")
    yield refuses(C_OPEN, -1, "refuses -1", "Which column is columns[-1] in Python?")
    yield refuses(C_SMALL, 1, "refuses a full column of a board of four rows", "How many rows does this board have?")
    yield refuses(
        C_FULL_COLUMN,
        3,
        "the error says what was legal",
        "Somebody reads your message without the board. What would help?",
        ("0", "1", "2", "4", "5", "6"),
    )
    seed = int(rng.integers(1_000_000))
    yield _all_right(
        "every move of some random games",
        lambda: [((state, action), tuple(child)) for state, action, child in _games_of_connect_n(seed)],
        "connect_play(state, action), move by move",
        "What is different after a move, and what stays?",
        lambda child: tuple(_fields(child).values()),
    )


_REFUSE = """    if action not in legal:
        raise ValueError(f"action {action} is not legal here; legal: {legal or 'none, the game is over'}")
"""
_STONE = "    columns[action] += (state.to_play,)\n"
_CHILD = "state._replace(columns=tuple(columns), to_play=-state.to_play)"
_RETURN = "child._replace(winner=state.to_play) if completes_line(child, action) else child"
wrong(
    "connect_play",
    "stone slipped in at the bottom",
    "the new stone is put below the others: columns are told from the bottom up",
    "At which end of the tuple does a new stone belong?",
    (_STONE, "    columns[action] = (state.to_play, *columns[action])\n"),
)
wrong(
    "connect_play",
    "one stone a column",
    "the new stone replaces those that were in the column",
    "What was in the column before, and where is it now?",
    (_STONE, "    columns[action] = (state.to_play,)\n"),
)
wrong(
    "connect_play",
    "stone forgotten",
    "only the turn changes, and no stone is dropped",
    "What is different on the board after a move?",
    (_STONE, ""),
    (
        "if completes_line(child, action) else child",
        "if child.columns[action] and completes_line(child, action) else child",
    ),
)
wrong(
    "connect_play",
    "writes into the given state",
    "the new column is written into the state that was given, and a tuple does not let you",
    "How do you get a list of the same columns that you may change?",
    ("    columns = list(state.columns)\n", "    columns = state.columns\n"),
)
wrong(
    "connect_play",
    "turn does not change",
    "the same player stays to move",
    "Who is to move in the position that you return?",
    ("to_play=-state.to_play", "to_play=state.to_play"),
)
wrong(
    "connect_play",
    "O is to move next, always",
    "the next player is always O",
    "Who is to move after O?",
    ("to_play=-state.to_play", "to_play=-1"),
)
wrong(
    "connect_play",
    "always X",
    "the stone is always X's",
    "Whose stone is it when O is to move?",
    ("+= (state.to_play,)", "+= (1,)"),
)
wrong(
    "connect_play",
    "the other player's stone",
    "the opponent's stone is dropped",
    "Do you change the player before or after you drop the stone?",
    ("+= (state.to_play,)", "+= (-state.to_play,)"),
)
wrong(
    "connect_play",
    "winner not kept",
    "nobody is told that the stone completes a line: the new state says that nobody has won",
    "Which field of the new state should change when a line is complete?",
    (_RETURN, "child"),
)
wrong(
    "connect_play",
    "the loser wins",
    "the player who is to move next is called the winner",
    "Whose stone completed the line?",
    ("winner=state.to_play)", "winner=child.to_play)"),
)
wrong(
    "connect_play",
    "X wins, always",
    "the winner is X, whoever completed the line",
    "Whose stone completed the line?",
    ("winner=state.to_play)", "winner=1)"),
)
wrong(
    "connect_play",
    "True as the winner",
    "the winner is True: it says that somebody has won, not who",
    "Which number stands for X, and which for O?",
    (_RETURN, "child._replace(winner=completes_line(child, action))"),
)
wrong(
    "connect_play",
    "every move wins",
    "the player is called the winner without a look at the board",
    "What has to be asked before somebody has won?",
    (_RETURN, "child._replace(winner=state.to_play)"),
)
wrong(
    "connect_play",
    "asks before the stone falls",
    "completes_line is asked about the position before the move: it finds the stone below, or none at all",
    "In which of the two positions is the stone on the board?",
    ("completes_line(child, action)", "completes_line(state, action)"),
)
wrong(
    "connect_play",
    "another board",
    "the new state is made without rows and n: it falls back to six rows and four in a row",
    "Which fields does a ConnectState have, and which of them have you passed on?",
    (_CHILD, "ConnectState(tuple(columns), -state.to_play)"),
)
wrong(
    "connect_play",
    "n not passed on",
    "the new state is made without n: it falls back to four in a row",
    "Which fields does a ConnectState have, and which of them have you passed on?",
    (_CHILD, "ConnectState(tuple(columns), -state.to_play, 0, state.rows)"),
)
wrong(
    "connect_play",
    "rows not passed on",
    "the new state is made without rows: it falls back to six",
    "Which fields does a ConnectState have, and which of them have you passed on?",
    (_CHILD, "ConnectState(tuple(columns), -state.to_play, n=state.n)"),
)
wrong(
    "connect_play",
    "nothing is refused",
    "any action is played, whether it is legal or not",
    "What happens if somebody plays a column that is full?",
    (_REFUSE, ""),
)
wrong(
    "connect_play",
    "finished games go on",
    "columns with room may be played after somebody has won",
    "Which function already knows everything that makes an action illegal?",
    (
        "connect_legal_actions(state)",
        "[column for column, stones in enumerate(state.columns) if len(stones) < state.rows]",
    ),
)
wrong(
    "connect_play",
    "full columns are accepted",
    "the test asks whether the game is over and whether the column exists, but not whether it has room",
    "What happens if somebody plays a column that is full?",
    ("if action not in legal:", "if not legal or not 0 <= action < len(state.columns):"),
)
wrong(
    "connect_play",
    "only full columns are refused",
    "the test looks at the column alone: a finished game goes on, and a column beyond the board ends in an IndexError",
    "Which function already knows everything that makes an action illegal?",
    ("if action not in legal:", "if len(state.columns[action]) >= state.rows:"),
)
wrong(
    "connect_play",
    "minus one is the last column",
    "a negative number gets through and counts columns from the end",
    "Which column is columns[-1] in Python?",
    (
        "if action not in legal:",
        "if not legal or action >= len(state.columns) or len(state.columns[action]) >= state.rows:",
    ),
)
wrong(
    "connect_play",
    "silent about what was legal",
    "the error does not say what was legal",
    "Somebody reads your message without the board. What would help?",
    ("; legal: {legal or 'none, the game is over'}", ""),
)
wrong(
    "connect_play",
    "another kind of error",
    "illegal actions raise another error than ValueError",
    "Which error does the docstring promise?",
    ("raise ValueError(", "raise IndexError("),
)
wrong(
    "connect_play",
    "an assertion",
    "illegal actions raise an AssertionError, which a caller who expects ValueError misses",
    "Which error does the docstring promise?",
    ("raise ValueError(", "raise AssertionError("),
)
wrong(
    "connect_play",
    "ignores illegal actions",
    "an illegal action gives the same state back, and nobody hears of it",
    "How does the caller learn that the move was not made?",
    (_REFUSE, "    if action not in legal:\n        return state\n"),
)
wrong(
    "connect_play",
    "a list of columns",
    "the columns of the new state are a list: it can change later, and no dict takes it as a key",
    "What type had the columns before the move?",
    ("columns=tuple(columns)", "columns=columns"),
)
wrong(
    "connect_play",
    "columns that are lists",
    "each column of the new state is a list: it can change later, and no dict takes it as a key",
    "What type had each column before the move?",
    ("columns=tuple(columns)", "columns=tuple(map(list, columns))"),
)
wrong(
    "connect_play",
    "not a ConnectState",
    "what comes back has no .columns and no .to_play: a bare tuple",
    "How is a ConnectState made?",
    (f"return {_RETURN}", f"return tuple({_RETURN})"),
)
wrong(
    "connect_play",
    "numpy stones",
    "the stones are numpy integers",
    "What does .tolist() do?",
    ("columns=tuple(columns)", "columns=tuple(tuple(np.array(stones, dtype=int)) for stones in columns)"),
)


# --- connect_encode --------------------------------------------------------------------------------------------------


@check
def connect_encode(rng):
    whose = "Which plane holds the stones of the player to move?"
    place = "Row 0 is at the top. In which row does the first stone of a column lie?"

    def array_types(connect_encode):
        return [_array_type(connect_encode(state)) for state in (C_OPEN, C_WIDE)]

    yield Case(
        "returns a float32 array of shape (2, rows, columns)",
        array_types,
        ["a float32 array of shape (2, 6, 7)", "a float32 array of shape (2, 3, 9)"],
        f"planes = connect_encode({C_OPEN!r})\nplanes.dtype, planes.shape",
        "A network multiplies these numbers, and wants one plane a player. What are the type and the shape of yours?",
    )

    def at(state: ConnectState, name: str, question: str, points: int = 1) -> Case:
        return _at("connect_encode", state, name, _connect_planes(state), question, points)

    small = (4, 4, 3)
    yield at(_dropped(size=small), "the empty board: all zeros", "What stands for a free cell?")
    one = _dropped(1, size=small)
    yield at(one, "X has moved: the stone is the opponent's, and lies at the bottom", place, 2)
    yield at(_dropped(1, 1, 3, size=small), "O is to move: O's stone is in plane 0, X's are in plane 1", whose)
    yield at(_dropped(0, 0, 3, 0, size=small), "X is to move: X's stones are in plane 0, O's in plane 1", whose)
    yield at(C_SMALL, "a full column", place)
    yield at(C_WON_X, "a finished game", whose)
    seed = int(rng.integers(1_000_000))
    yield _all_right(
        "is right in every position of some random games",
        lambda: [((state,), _connect_planes(state)) for _, _, state in _games_of_connect_n(seed)],
        "connect_encode(state)",
        whose,
    )


_PLANES = "np.zeros((2, state.rows, len(state.columns)), dtype=np.float32)"
_PLACE = "planes[plane, state.rows - 1 - height, column] = 1"
wrong(
    "connect_encode",
    "from X's point of view",
    "plane 0 is always X's, whoever is to move",
    "A network has to find the best move for whoever is to move. How does it know who that is?",
    ("player == state.to_play", "player == 1"),
)
wrong(
    "connect_encode",
    "planes swapped",
    "the opponent's stones come first",
    "Which of the two planes is `mine`?",
    ("plane = 0 if player == state.to_play else 1", "plane = 1 if player == state.to_play else 0"),
)
wrong(
    "connect_encode",
    "upside down",
    "row 0 is the bottom row",
    "Row 0 is at the top. In which row does the first stone of a column lie?",
    ("state.rows - 1 - height", "height"),
)
wrong(
    "connect_encode",
    "one row too low",
    "every stone lies one row too low, and row -1 is the top in Python's eyes",
    "A board has rows 0 to rows - 1. Which is the lowest?",
    ("state.rows - 1 - height", "(state.rows - height) % state.rows"),
)
wrong(
    "connect_encode",
    "stones below the board",
    "the row of the first stone is `rows`, which is one below the lowest",
    "A board has rows 0 to rows - 1. Which is the lowest?",
    ("state.rows - 1 - height", "state.rows - height"),
)
wrong(
    "connect_encode",
    "columns read from the top",
    "each column fills the right cells, but its stones are in reverse order",
    "Are the stones of a column told from the top or from the bottom?",
    ("enumerate(stones)", "enumerate(reversed(stones))"),
)
wrong(
    "connect_encode",
    "transposed",
    "rows and columns are exchanged",
    "Which axis is the row, which is the column?",
    ("(2, state.rows, len(state.columns))", "(2, len(state.columns), state.rows)"),
    (_PLACE, "planes[plane, column, state.rows - 1 - height] = 1"),
)
wrong(
    "connect_encode",
    "lying on its side",
    "each column has become a row, read from the bottom of the board",
    "The state lists columns, the planes list rows. What lies between the two?",
    ("(2, state.rows, len(state.columns))", "(2, len(state.columns), state.rows)"),
    (_PLACE, "planes[plane, column, height] = 1"),
)
wrong(
    "connect_encode",
    "mirrored",
    "left and right are exchanged",
    "Is column 0 at the left or at the right?",
    (_PLACE, "planes[plane, state.rows - 1 - height, -1 - column] = 1"),
)
wrong(
    "connect_encode",
    "six rows and seven columns, always",
    "every board is taken to be that of Connect Four",
    "How many rows and columns does this board have?",
    ("(2, state.rows, len(state.columns))", "(2, 6, 7)"),
    ("state.rows - 1 - height", "5 - height"),
)
wrong(
    "connect_encode",
    "one plane of +1 and -1",
    "both players share one plane",
    "How many planes does the docstring ask for?",
    ("(2, state.rows,", "(1, state.rows,"),
    (_PLACE, "planes[0, state.rows - 1 - height, column] = player * state.to_play"),
)
wrong(
    "connect_encode",
    "opponent negative",
    "the opponent's stones are -1 in their plane",
    "Each plane answers a question with yes or no. Which number is yes?",
    (_PLACE, "planes[plane, state.rows - 1 - height, column] = player * state.to_play"),
)
wrong(
    "connect_encode",
    "the opponent's stones left out",
    "plane 1 stays empty",
    "Where are the opponent's stones?",
    (_PLACE, "planes[0, state.rows - 1 - height, column] = plane == 0"),
)
wrong(
    "connect_encode",
    "all stones in plane 0",
    "the stones of both players are in the same plane",
    "Which plane holds the opponent's stones?",
    (_PLACE, "planes[0, state.rows - 1 - height, column] = 1"),
)
wrong(
    "connect_encode",
    "free cells instead of the opponent's",
    "plane 1 holds the free cells",
    "What does plane 1 tell?",
    ("    return planes", "    return np.stack([planes[0], 1 - planes[0] - planes[1]])"),
)
wrong(
    "connect_encode",
    "a third plane",
    "a plane is added, for the free cells",
    "Does a third plane say anything that the first two don't?",
    ("    return planes", "    return np.stack([planes[0], planes[1], 1 - planes[0] - planes[1]])"),
)
wrong(
    "connect_encode",
    "float64",
    "the numbers are float64, which is numpy's default",
    "How do you ask numpy for another type?",
    (", dtype=np.float32", ""),
)
wrong(
    "connect_encode",
    "integers",
    "the planes hold integers",
    "How do you ask numpy for another type?",
    ("dtype=np.float32", "dtype=int"),
)
wrong(
    "connect_encode",
    "bool",
    "the planes hold True and False",
    "How do you turn booleans into numbers?",
    ("dtype=np.float32", "dtype=bool"),
)
wrong(
    "connect_encode",
    "planes last",
    "the planes are the last axis, not the first",
    "Which axis counts the planes?",
    ("    return planes", "    return np.moveaxis(planes, 0, -1)"),
)
wrong(
    "connect_encode",
    "flat",
    "each plane is one long row",
    "What is the shape of a board?",
    ("    return planes", "    return planes.reshape(2, -1)"),
)
wrong(
    "connect_encode",
    "a list",
    "nested lists are returned, not an array",
    "What does np.array do?",
    ("    return planes", "    return planes.tolist()"),
)
