"""A game in progress, as the board shows it: whose move it is, what was played, and why a click does not count."""

from collections.abc import Sequence
from operator import index

from course_utils.games import Game, after
from course_utils.ui.players import in_words
from course_utils.ui.plots import MARK, outcome


def answer(agent, state) -> tuple[object, Exception | None]:
    """(what the agent plays at `state`, None), or (None, what it raised). Any thread may call it."""
    try:
        return agent.act(state), None
    except Exception as error:
        return None, error


def begins(line: list[int], with_: list[int]) -> bool:
    return line[: len(with_)] == with_


def common(line: list[int], second: list[int]) -> int:
    """How many moves two lines share."""
    return next(ply for ply in range(len(line), -1, -1) if begins(second, line[:ply]))


class Match:
    """Two players and the moves so far. Plain data: it knows no widgets.

    A player is an agent, or None for a human. Every method that does something returns a sentence for the status line,
    and none of them raises: what can't be done leaves the match as it was. `left` are the lines that were left by going
    back, each its actions from the start, the latest first.

    Args:
        players: +1 and -1 -> agent or None.
        names: +1 and -1 -> what to call them.
    """

    def __init__(self, game: Game, players: dict, names: dict[int, str]):
        self.game, self.players, self.names = game, players, names
        self.new()

    def new(self) -> str:
        self.states = [self.game.initial_state()]
        self.actions: list[int] = []
        self.left: list[list[int]] = []
        self.stuck = False  # the agent to move has failed to answer: a human may move for it
        self.counted = False  # in the tally, or not to be
        return self.turn()

    @property
    def state(self):
        return self.states[-1]

    @property
    def over(self) -> bool:
        return self.game.is_terminal(self.state)

    @property
    def to_play(self) -> int:
        return self.game.to_play(self.state)

    @property
    def agent_to_move(self):
        """The agent whose move it is; None if it is a human's or the game is over."""
        return None if self.over else self.players[self.to_play]

    def set_player(self, side: int, agent, name: str) -> None:
        self.players[side], self.names[side] = agent, name
        self.stuck = False

    def who(self, side: int) -> str:
        """Who plays a side, in words."""
        return in_words(self.names[side], self.players[side])

    def turn(self) -> str:
        """Whose move it is, or how the game ended."""
        if self.over:
            winner = self.game.winner(self.state)
            who = f" ({self.who(winner)})" if winner else ""
            return f"The game is over: {outcome(self.game, self.state)}{who}."
        return self.to_move(self.state)

    def to_move(self, state) -> str:
        """Whose move it is at a position that is not over."""
        side = self.game.to_play(state)
        return f"{MARK[side]} ({self.who(side)}) to move."

    def why_not(self, action: int) -> str:
        """Why a human can't play `action` now; '' if they can."""
        if self.over:
            return f"{self.turn()} Start a new game, or undo."
        if self.agent_to_move is not None and not self.stuck:
            return f"It is not your turn: {self.turn()}"
        if action not in self.game.legal_actions(self.state):
            return self.game.why_illegal(self.state, action)
        return ""

    def click(self, action: int) -> str:
        """A human plays `action`, if they may."""
        refusal = self.why_not(action)
        if not refusal:
            self._play(action)
        return refusal or self.turn()

    def agent_move(self) -> str:
        """The agent to move plays. One that raises, or answers with what is not legal, leaves the game as it was."""
        if self.agent_to_move is None:
            return self.turn() if self.over else f"It is your move. {self.turn()}"
        return self.accept(*answer(self.agent_to_move, self.state))

    def accept(self, action, error: Exception | None) -> str:
        """Play what the agent to move has answered; see `answer`."""
        try:
            if error is not None:
                raise error
            self._play(action)
        except Exception as error:
            self.stuck = True
            name = self.names[self.to_play]
            reason = f"{type(error).__name__}: {error}".split("\n")[0]
            return f"{name} could not move ({reason}). Move for it, undo, or choose another player."
        return self.turn()

    @property
    def can_undo(self) -> bool:
        return bool(self._undone_to())

    def _undone_to(self) -> list[int]:
        """The plies that may be taken back: those of humans, or all where none plays."""
        movers = [self.game.to_play(state) for state in self.states[:-1]]
        watched = None not in self.players.values()
        return [number for number, side in enumerate(movers) if watched or self.players[side] is None]

    def undo(self) -> str:
        """Take back the last move; against an agent, back to where a human last moved."""
        counted = self._undone_to()
        if not counted:
            return f"There is nothing to undo. {self.turn()}"
        self.back_to(counted[-1])
        return f"Undone. {self.turn()}"

    def back_to(self, ply: int) -> None:
        """Take back all moves after the first `ply`. The line that is left can be taken up again."""
        self.left = [list(self.actions), *self.left]
        del self.states[ply + 1 :], self.actions[ply:]
        self.stuck = False
        self._forget()

    def take_up(self, line: list[int]) -> str:
        """Go on with a line that was left; the one that is left for it can be taken up in its turn."""
        if line not in self.left:
            return self.turn()
        self.back_to(common(line, self.actions))
        for action in line[len(self.actions) :]:
            self._play(action)
        self.counted = self.counted or self.over
        return self.turn()

    def _forget(self) -> None:
        """The lines that are part of the game, or of another line, are not left."""
        lines = self.left
        self.left = [
            line
            for place, line in enumerate(lines)
            if not begins(self.actions, line)
            and not any(begins(second, line) and (second != line or at < place) for at, second in enumerate(lines))
        ]

    def set_up(self, actions: Sequence[int]) -> str:
        """The game from the start by these actions; left as it was if one of them is not legal. Nobody has played them,
        so if there are any it is not counted.
        """
        if why := self.why_no_position(actions):
            return why
        self.new()
        for action in actions:
            self._play(action)
        self.counted = bool(actions)
        return self.turn()

    def why_no_position(self, actions: Sequence[int]) -> str:
        """Why the game can't be set up by these actions; "" if it can."""
        try:
            after(self.game, list(actions))
        except Exception as error:  # rules that are a learner's may raise anything
            return f"That is not a position: {error}"
        return ""

    def _play(self, action: int) -> None:
        action = index(action)  # a whole number of any kind; TypeError for anything else
        self.states.append(self.game.play(self.state, action))
        self.actions.append(action)
        self.stuck = False
        self._forget()

    def __str__(self) -> str:
        moves = f"moves {self.actions}"
        return f"{self.state}\n{self.turn()}\n{moves}"
