"""The properties that games are put through: games that keep the protocol pass, and each way to break it is found out."""

import time

import pytest

from course_utils.games import ConnectFour, ConnectN, TicTacToe
from course_utils.games.properties import Broken, check_game, count_lines
from course_utils.games.protocol import OneByOne
from course_utils.games.tictactoe import State


@pytest.mark.parametrize(
    "game", [TicTacToe(), ConnectFour(), ConnectN(4, 5, 3), ConnectN(8, 8, 4), ConnectN(1, 4, 3)], ids=lambda g: g.name
)
def test_the_games_of_the_course_keep_the_protocol(game):
    check_game(game)


def test_lines_are_counted_to_the_end_of_the_game():
    game = TicTacToe()
    # 1,440 of the 15,120 games are over after five moves; the others go on with four
    assert count_lines(game, game.initial_state(), 6) == 1_440 + 4 * (15_120 - 1_440)
    assert [count_lines(game, game.initial_state(), plies) for plies in range(4)] == [1, 9, 72, 504]


class Unpicklable(TicTacToe):
    def __init__(self):
        self.memory = lambda state: 0


class BeginsSecond(TicTacToe):
    def initial_state(self):
        return State(to_play=-1)


class PlaysTwice(TicTacToe):
    def play(self, state, action):
        return super().play(state, action)._replace(to_play=state.to_play)


class Descending(TicTacToe):
    def legal_actions(self, state):
        return super().legal_actions(state)[::-1]


class GoesOnAfterTheEnd(TicTacToe):
    def legal_actions(self, state):
        return [cell for cell in range(9) if state.cells[cell] == 0]


class TakesWhatIsTaken(TicTacToe):
    def play(self, state, action):
        return super().play(state, action) if action in self.legal_actions(state) else state


class WinsTooSoon(TicTacToe):
    def winner(self, state):
        return super().winner(state) or (1 if state.cells[4] == 1 else 0)


class SeesAsTheFirstPlayer(TicTacToe):
    def encode(self, state):
        return super().encode(state._replace(to_play=1))


class EncodesInDoublePrecision(TicTacToe):
    def encode(self, state):
        return super().encode(state).astype(float)


class ForgetsToTurnThePolicy(TicTacToe):
    def symmetries(self, planes, policy):
        return [(turned, policy.copy()) for turned, _ in super().symmetries(planes, policy)]


class TurnsThePolicyTheOtherWay(TicTacToe):
    def symmetries(self, planes, policy):
        pairs = super().symmetries(planes, policy)
        backwards = [pairs[number] for number in (0, 3, 2, 1, 4, 5, 6, 7)]
        return [(one, other) for (one, _), (_, other) in zip(pairs, backwards, strict=True)]


class LeavesTheGivenFormOut(TicTacToe):
    def symmetries(self, planes, policy):
        return super().symmetries(planes, policy)[1:]


class ClicksElsewhere(TicTacToe):
    def action_at(self, row, column):
        return 3 * column + row


class DrawsUpsideDown(TicTacToe):
    def cells(self, state):
        return super().cells(state)[::-1]


class TwoOfAName(TicTacToe):
    def action_name(self, action):
        return "cell"


class OtherRulesInTheBatch(TicTacToe):
    def batched(self):
        return OneByOne(TakesTheCornersOnly())


class TakesTheCornersOnly(TicTacToe):
    def legal_actions(self, state):
        return [action for action in super().legal_actions(state) if action in (0, 2, 6, 8)]


class NeverEnds(TicTacToe):
    def is_terminal(self, state):
        return False

    def legal_actions(self, state):
        return [4]

    def play(self, state, action):
        if action != 4:
            raise ValueError("only 4 is legal")
        return state._replace(to_play=-state.to_play)


class Board:
    """A state that is one list of cells, written over at each move."""

    def __init__(self, cells, to_play):
        self.cells, self.to_play = cells, to_play

    def __eq__(self, other):
        return self.cells == other.cells and self.to_play == other.to_play

    def __hash__(self):
        return hash((tuple(self.cells), self.to_play))

    def __str__(self):
        return str(State(tuple(self.cells), self.to_play))


class MovesInPlace(TicTacToe):
    def initial_state(self):
        return Board([0] * 9, 1)

    def play(self, state, action):
        after = super().play(State(tuple(state.cells), state.to_play), action)
        state.cells[action] = state.to_play
        return Board(state.cells, after.to_play)


BROKEN = [
    (Unpicklable, "pickle"),
    (BeginsSecond, "the first player"),
    (PlaysTwice, "the same player's turn"),
    (Descending, "not ascending"),
    (GoesOnAfterTheEnd, "legal but refused"),
    (TakesWhatIsTaken, "not legal but can be played"),
    (WinsTooSoon, "winner is 1"),
    (SeesAsTheFirstPlayer, "plane 0 is not the stones of the player to move"),
    (EncodesInDoublePrecision, "float64"),
    (ForgetsToTurnThePolicy, "turned along.*, in one of the two forms of a position that `symmetries`"),
    (TurnsThePolicyTheOtherWay, "turned along.*, in one of the two forms of a position that `symmetries`"),
    (LeavesTheGivenFormOut, "the given form is missing"),
    (ClicksElsewhere, "put stones at"),
    (DrawsUpsideDown, "stones"),
    (TwoOfAName, "the same name"),
    (OtherRulesInTheBatch, "other actions are legal"),
    (TakesTheCornersOnly, "no legal action"),
    (NeverEnds, "has not ended"),
    (MovesInPlace, "refused|changed"),
]


@pytest.mark.parametrize(("broken", "sentence"), BROKEN, ids=lambda value: getattr(value, "__name__", ""))
def test_each_way_to_break_the_protocol_is_found_out(broken, sentence):
    with pytest.raises(Broken, match=sentence):
        check_game(broken())


class TakesItsTime(TicTacToe):
    """Never ends, and is so slow that nobody sees how many moves that is."""

    def is_terminal(self, state):
        time.sleep(0.01)
        return False

    def legal_actions(self, state):
        return [4]

    def play(self, state, action):
        return state._replace(to_play=-state.to_play)


def test_a_game_that_does_not_end_in_time_is_named_and_one_that_does_is_checked_as_far_as_the_time_goes():
    with pytest.raises(Broken, match=r"has not ended after [0-9]+ moves and 0\.1 s"):
        check_game(TakesItsTime(), seconds=0.1)
    began = time.monotonic()
    check_game(ConnectFour(), games=10_000, seconds=0.5)
    assert time.monotonic() - began < 5
