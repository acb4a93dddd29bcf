"""Check broken_promise, a test that a learner writes, with right games and with games that break a promise each."""

from dataclasses import dataclass

import numpy as np
from hypothesis import strategies as st

from course_utils.games import ConnectN, TicTacToe
from course_utils.games.hex import Hex
from course_utils.games.tictactoe import State
from course_utils.tests.catalogue import Wrong
from course_utils.tests.scene import Scenes


def text(result) -> str:
    return "" if isinstance(result, str) else f'expected a text ("end", "turns", "changed" or ""), got {result!r}'


class GoesOn(TicTacToe):
    """tic-tac-toe that lists free cells after a win, too: the game is over, and there are legal actions"""

    def legal_actions(self, state):
        return [cell for cell in range(9) if state.cells[cell] == 0]


class ForgetsTheFullBoard(TicTacToe):
    """tic-tac-toe on five cells that only a line ends: on a full board nothing is legal, and the game is not over"""

    def is_terminal(self, state):
        return self.winner(state) != 0

    def legal_actions(self, state):
        return [] if self.is_terminal(state) else [cell for cell in (0, 1, 3, 4, 8) if state.cells[cell] == 0]


class Again(TicTacToe):
    """tic-tac-toe in which the player of the fourth stone moves again"""

    def play(self, state, action):
        after = super().play(state, action)
        return after._replace(to_play=state.to_play) if after.cells.count(0) == 5 else after


class SometimesAgain(TicTacToe):
    """tic-tac-toe in which X moves again after a first stone in cell 0 or 8"""

    def play(self, state, action):
        after = super().play(state, action)
        first = state.cells.count(0) == 9 and action in (0, 8)
        return after._replace(to_play=state.to_play) if first else after


class LateAgain(Hex):
    """Hex in which the player of the tenth stone moves again"""

    def play(self, state, action):
        after = super().play(state, action)
        return after._replace(to_play=state.to_play) if np.count_nonzero(after.cells) == 10 else after


@dataclass
class Board:
    """a state whose cells are a list"""

    cells: list
    to_play: int

    def __str__(self):
        return str(State(tuple(self.cells), self.to_play))


class OneList(TicTacToe):
    """tic-tac-toe in which all states share one list of cells"""

    def initial_state(self):
        return Board([0] * 9, 1)

    def play(self, state, action):
        state.cells[action] = state.to_play
        return Board(state.cells, -state.to_play)


class ListsOfTheirOwn(OneList):
    """tic-tac-toe in which each state has a list of cells of its own"""

    def play(self, state, action):
        return super().play(Board(list(state.cells), state.to_play), action)


GAMES = ["TicTacToe()", "Hex(3)", "ConnectN(3, 3, 3)", "ListsOfTheirOwn()", "GoesOn()", "ForgetsTheFullBoard()",
         "Again()", "SometimesAgain()", "LateAgain(4)", "OneList()"]  # fmt: skip


def scene(draw) -> str:
    game, seed = draw
    return f"broken_promise({game}, np.random.default_rng({seed}))"


BY_HAND = """
    tic-tac-toe keeps all three promises
    >>> broken_promise(TicTacToe(), np.random.default_rng(SEED))
    ""
    ? Which promise does your test call broken, and what did it compare?

    Hex on a board of 3 x 3 keeps all three promises
    >>> broken_promise(Hex(3), np.random.default_rng(SEED))
    ""
    ? Which promise does your test call broken, and what did it compare?

    the game is over, and there are legal actions (2 points)
    >>> broken_promise(GoesOn(), np.random.default_rng(SEED))
    "end"
    ? Does your test call `legal_actions` for a finished game?

    nothing is legal, and the game is not over (2 points)
    >>> broken_promise(ForgetsTheFullBoard(), np.random.default_rng(SEED))
    "end"
    ? What does your test do if a game is not over but has no legal action?

    a player moves twice in the middle of the game (2 points)
    >>> broken_promise(Again(), np.random.default_rng(SEED))
    "turns"
    ? Whose turn is it before and after a move, and after which moves does your test compare the two?

    a player moves twice, in some games only
    X moves twice if the first mark is in cell 0 or 8, which happens in two of nine games.
    >>> broken_promise(SometimesAgain(), np.random.default_rng(SEED))
    "turns"
    ? How many games does your test play?

    a player moves twice, late in a long game
    >>> broken_promise(LateAgain(4), np.random.default_rng(SEED))
    "turns"
    ? How many moves of a game does your test check?

    a move writes into the state that it was played from (2 points)
    >>> broken_promise(OneList(), np.random.default_rng(SEED))
    "changed"
    ? What does your test keep of the state before the move: a copy, or a second name?

    the moves are chosen with `rng`
    >>> rng, untouched = np.random.default_rng(SEED), np.random.default_rng(SEED)
    >>> broken = broken_promise(TicTacToe(), rng)
    >>> rng.random() != untouched.random()
    True
    ? Which generator chooses your moves?
"""

# fmt: off
WRONG = [
    Wrong("a second name",
          "the state before the move is kept under a second name instead of a copy, so it changes together with the "
          "state and the two never differ",
          "What does `before = state` copy?", ("before = str(state)", "before = state"),
          ("str(state) != before", "state != before")),
    Wrong("before and after",
          "the state after the move is compared with the one before it, and these two differ in every game",
          "Which state must stay as it was: the one that the move was played from, or the new one?",
          ("str(state) != before", "str(after) != before")),
    Wrong("a finished game is not asked", "a finished game is left at once, without a call of `legal_actions`",
          "What should `legal_actions` return when the game is over?",
          ("if game.is_terminal(state) != (len(legal) == 0):", "if not game.is_terminal(state) and len(legal) == 0:"),
          ("            if not legal:", "            if game.is_terminal(state):")),
    Wrong("nothing to choose from",
          "a move is chosen in a game that is not over, but there may be no legal action, "
          "and choosing from none raises an error",
          "Which promise is already broken before a move is chosen?",
          ("if game.is_terminal(state) != (len(legal) == 0):", "if game.is_terminal(state) and len(legal) > 0:"),
          ("            if not legal:", "            if game.is_terminal(state):")),
    Wrong("no legal action ends the game",
          "a game without a legal action counts as over, whatever `is_terminal` says",
          "Which two functions of the game must agree here?",
          ("if game.is_terminal(state) != (len(legal) == 0):", "if game.is_terminal(state) and len(legal) > 0:")),
    Wrong("one game", "a single game is played, so a mistake that shows only in some games is found by luck",
          "In what share of its games does this one break its promise?",
          ("range(50)", "range(1)")),
    Wrong("nine moves at most", "a game is left after nine moves, which is enough for tic-tac-toe but too few for Hex",
          "Which kind of loop needs no fixed number of steps?",
          ("while True:", "for _ in range(9):")),
    Wrong("moves from nowhere", "the moves are chosen with `np.random`, so the same `rng` gives another game each time",
          "Which generator chooses your moves?",
          ("rng.choice", "np.random.choice")),
    Wrong("the first move only", "only the first move of each game is checked",
          "At which move does this game break its promise?",
          ("            state = after", "            break")),
    Wrong("the first game decides", "\"\" is returned after the first game",
          "Where is your `return \"\"`: inside the loop over the games, or after it?",
          ('    return ""', '        return ""\n    return ""')),
    Wrong("X after every move", "after every move it has to be X's turn", "Whose turn is it after a move of X?",
          ("game.to_play(after) != -game.to_play(state)", "game.to_play(after) != 1")),
    Wrong("turns not asked", "the test never checks whose turn it is",
          "Which of the three promises is about two states?",
          ("game.to_play(after) != -game.to_play(state)", "False")),
    Wrong("raised, not returned", "a broken promise is raised as an error", "What does the docstring say to return?",
          ('return "turns"', 'raise AssertionError("turns")'), ('return "end"', 'raise AssertionError("end")'),
          ('return "changed"', 'raise AssertionError("changed")')),
    Wrong("kept, not broken", "True or False is returned instead of the name of a promise",
          "How can the caller tell which promise is broken?",
          ('return "turns"', "return False"), ('return "end"', "return False"), ('return "changed"', "return False"),
          ('return ""', "return True")),
    Wrong("None for nothing broken", "None is returned where nothing is broken",
          "What does the docstring say to return for a game that keeps all three?",
          ('    return ""', "    return None")),
]
# fmt: on


def right_one_after_the_other(game, rng):
    for _ in range(50):
        state = game.initial_state()
        while not game.is_terminal(state):
            actions = game.legal_actions(state)
            if actions == []:
                return "end"
            player, cells = game.to_play(state), game.cells(state).copy()
            following = game.play(state, actions[rng.integers(len(actions))])
            if not np.array_equal(game.cells(state), cells):
                return "changed"
            if game.to_play(following) == player:
                return "turns"
            state = following
        if game.legal_actions(state):
            return "end"
    return ""


def right_by_a_list(game, rng):
    import copy

    broken = []
    for _ in range(50):
        state = game.initial_state()
        while game.legal_actions(state) and not game.is_terminal(state) and not broken:
            kept = copy.deepcopy(state)
            after = game.play(state, rng.choice(game.legal_actions(state)))
            broken += ["changed"] * (state != kept) + ["turns"] * (game.to_play(after) + game.to_play(state) != 0)
            state = after
        if not broken and game.is_terminal(state) == bool(game.legal_actions(state)):
            broken.append("end")
    return broken[0] if broken else ""


CHECK = Scenes(
    draws=st.tuples(st.sampled_from(GAMES), st.integers(0, 99)),
    returns=text,
    asks="names the broken promise of each of ten games, or none, with any seed",
    changes={"rng"},
    examples=20,
    edges=[*((game, 0) for game in GAMES), *(("SometimesAgain()", seed) for seed in range(1, 9))],
    question="At which states does your test check the promises, and what does it compare there?",
)
