"""The board to play on: you against an agent, or agents against each other. `board.js` is its page."""

import asyncio
import re
from collections import Counter
from collections.abc import Coroutine, Mapping, Sequence
from operator import index
from pathlib import Path
from typing import Any

import numpy as np
import traitlets

from course_utils.games import Game, after, make_game
from course_utils.limits import whole
from course_utils.ui import plots, thinking
from course_utils.ui.analysis import NOTHING_WRONG, Analysis, Verdict
from course_utils.ui.component import WAKE, Component, module, running_loop, style
from course_utils.ui.game_in_progress import Match, answer, common
from course_utils.ui.players import STEPS, at_strength, counted, default_opponents, has_strength, in_words, level

HUMAN = "you"
SPEEDS = {"slow": 1.5, "normal": 0.6, "fast": 0.1}  # seconds between the moves of agents that play each other
OVERLAYS = ("nothing", "prior", "visits", "Q", "perfect")
SHOWS = {"prior": "the prior", "visits": "the share of visits", "Q": "the value for the player to move"}
PERFECTLY = "On the squares: how the game ends with perfect play, and in how many moves, counting this one."
TITLES = {"tictactoe": "Tic-tac-toe", "connect_four": "Connect Four"}


def play(
    game_name: str = "tictactoe",
    *,
    game: Game | None = None,
    opponents: dict | None = None,
    human: int | None = 1,
    simulations: int | None = None,
    seed: int = 0,
    position: Sequence[int] = (),
    checkpoints: Mapping | str | Path | None = None,
) -> "Board":
    """A board to click on.

    Args:
        game: the rules to play by, such as `mine.ConnectFour()`; None: the course's.
        opponents: label -> agent, to choose from; an agent needs `act(state)`, and `policy`, `value`, `statistics` to
            show what it thinks. None: the shipped agent, yours (as far as it goes), rollouts, random play, and perfect
            play on a small board.
        human: the side you begin on, +1 (moves first) or -1; 0: agents play each other.
        simulations: how hard agents that search think, 0 for the network alone; sets a slider. None: 50, but agents
            given as `opponents` play as they are, without a slider.
        seed: of the agents that draw lots.
        position: the actions played so far, `[4, 0, 8]`; see `Board.set_up`.
        checkpoints: of your training, each an opponent: a run's folder, or iteration -> file or network.

    Raises:
        ValueError: there is no such game, no opponent to play against, one with a human's name, or an action of the
            position is not legal.
    """
    game = game or make_game(game_name)
    note = ""
    if simulations is not None:
        simulations = whole("simulations", simulations)
    if opponents is None:
        simulations = 50 if simulations is None else simulations
        opponents, note = default_opponents(game, simulations, seed, checkpoints)
    if not opponents:
        raise ValueError("give at least one opponent, such as {'random': RandomAgent(game, rng)}")
    if HUMAN in opponents:
        raise ValueError(f"no opponent can be called {HUMAN!r}, as the human is")
    if human not in (1, -1, 0):
        raise ValueError(f"human is +1 (moves first), -1 (moves second) or 0 (watches), not {human!r}")
    after(game, list(position))  # says what is wrong with it
    return Board(game, opponents, human, simulations, note, list(position))


class Board(Component):
    """The widget. What may be played, and by whom, is `match`'s business; this class hears the page and tells it what
    to show.

    Each change makes a new `view`. Its `version` counts positions: a click names the version that it was made in, and
    counts in no other. Its `heard` says how many messages of each page were answered. Its `at` is the number of moves
    after which one looks back at the game; None: at its last position. What is played or shown belongs to the position
    on show.
    """

    _esm = module("board")
    _css = style("board")
    view = traitlets.Dict().tag(sync=True)

    def __init__(
        self,
        game: Game,
        opponents: dict,
        human: int,
        simulations: int | None,
        note: str = "",
        position: Sequence[int] = (),
    ):
        self.game, self.opponents, self.simulations = game, opponents, simulations
        first, second = (list(opponents) * 2)[:2]
        names = {1: first, -1: second} if human == 0 else {human: HUMAN, -human: first}
        self.match = Match(game, dict.fromkeys((1, -1)), names)
        self.match.set_up(position)
        self.speed, self.overlay, self.shows_value, self.shows_mistakes = "normal", OVERLAYS[0], False, False
        self._wants_hint = False
        self._at: int | None = None  # the number of moves after which one looks at the game; None: at its end
        self._aside = ""  # said once, in place of whose turn it is
        self._results: Counter = Counter()  # (name of X, name of O, winner) -> games
        self._version = 0
        self._heard: dict[str, int] = {}  # page -> number of its latest message
        self._playing: asyncio.Task | None = (
            None  # agents' moves still to come; while there are any, no square is clicked
        )
        self._running = False  # whether they go on to the end
        self._asked = False  # whether one of them is being thought about
        self._looking: asyncio.Task | None = None  # what is still to be found out about the game
        self._known: dict = {}  # what was: question -> answer
        self._analyses: dict = {}  # simulations -> its analysis
        self._agents: dict = {}  # (name, simulations) -> the opponent at that strength
        self._first_strength = simulations or 0
        self._set_players()
        super().__init__()
        self.on_msg(self._receive)
        for opponent in opponents.values():
            if hasattr(opponent, "when_another_plays"):
                opponent.when_another_plays(self._look_again)
        if not position and self._agent_answers():
            self._say(self.match.agent_move())  # a cell is running: there is no click to keep waiting
        else:
            self._say(f"{note} {self.match.turn()}".strip())

    # --- what a person does: each has a message of the page -----------------------------------------------------------

    def click(self, action: int) -> None:
        """Play a human's `action` in the position on show, if it is their turn; an agent that moves next answers."""
        if why := self._why_not(action):
            self._refuse(why)
            return
        self._from_here()
        self._go_on(self.match.click(action))

    def _why_not(self, action: int) -> str:
        if self._at is None:
            return self.match.why_not(action)
        if action not in self.game.legal_actions(self._state):
            return self.game.why_illegal(self._state, action)
        return "" if self._yours() else f"It is not your turn: {self.match.to_move(self._state)}"

    def _from_here(self) -> None:
        """Stop all thinking, and go on with the game in the position on show."""
        self._stop()
        if self._at is not None:
            self.match.back_to(self._at)
            self._at = None

    def next_move(self) -> None:
        """The agent to move plays one move."""
        self._from_here()
        self._agents_play()

    def look(self, ply: int | None) -> None:
        """Show the position after the first `ply` moves, with None the last one from now on, in the same game."""
        self._at = None if ply is None or ply >= len(self.match.actions) else max(ply, 0)
        self._version += 1
        self._aside, self._wants_hint = "", False
        self._look()

    def take_up(self, line: Sequence[int]) -> None:
        """Resume a line that was interrupted. No agent moves before a click, so that there is time to look."""
        self._stop()
        self._at = None
        self._say(self.match.take_up(list(line)))

    def run(self) -> None:
        """Agents play each other, a move at a time, until `pause`."""
        self._from_here()
        if self.match.over:
            self.match.new()
        self._agents_play(to_the_end=True)

    def pause(self) -> None:
        self._stop()
        self._say(f"Paused. {self.match.turn()}")

    def leave(self) -> None:
        if self._playing is not None:
            self.pause()
        self._look_no_longer()
        super().leave()

    def undo(self) -> None:
        if not self.match.can_undo:
            self._refuse(self.match.undo())
            return
        self._stop()
        self._at = None
        self._say(self.match.undo())

    def new_game(self) -> None:
        self._stop()
        self._at = None
        self._go_on(self.match.new())

    def set_up(self, actions: Sequence[int]) -> None:
        """The position after these actions; said and left as it was if one of them is not legal. An agent whose turn it
        is there waits for *Next move*, so that one may look first, and how the game ends is not counted. No actions: a
        new game, which is.
        """
        if not actions:
            self.new_game()
        elif why := self.match.why_no_position(actions):
            self._refuse(why)
        else:
            self._stop()
            self._at = None
            self._say(self.match.set_up(actions))

    def set_up_from(self, text: str) -> None:
        """The same of actions as they are typed: "[4, 0, 8]" or "4 0 8"."""
        actions = [int(number) for number in re.findall(r"-?\d+", text)]
        if re.search(r"[^\d\s,;\[\]()-]", text) or not (actions or text.strip() == "[]"):
            self._refuse(f"That is not a position: type the actions from the start, such as {example_of(self.game)}.")
        else:
            self.set_up(actions)

    def _refuse(self, why: str) -> None:
        """Show a message; an agent that is thinking goes on."""
        self._wants_hint = False
        self._aside = why
        self._tell()

    def set_player(self, side: int, name: str) -> None:
        """Who plays a side from now on: `HUMAN`, or one of the opponents."""
        self._stop()
        self.match.names[side] = name
        self._set_players()
        self._go_on(self.match.turn())

    def swap(self) -> None:
        """Switch sides."""
        self._stop()
        names = self.match.names
        names[1], names[-1] = names[-1], names[1]
        self._set_players()
        self._go_on(self.match.turn())

    def set_strength(self, simulations: int) -> None:
        """How hard agents that search think; a move that is being thought about is still played with the strength
        before.
        """
        self.simulations = simulations
        stuck = self.match.stuck
        self._set_players()
        self.match.stuck = stuck
        word = "the network alone" if simulations == 0 else f"{counted(simulations)} per move"
        self._say(f"Agents that search now play with {word}. {self._turn()}")

    def show(self, overlay: str | None = None, *, value: bool | None = None, mistakes: bool | None = None) -> None:
        """What to show of an agent's thoughts: `overlay` on the squares ("nothing", "prior", "visits", "Q", or
        "perfect", what perfect play says), the value, mistakes."""
        if overlay is not None and overlay not in OVERLAYS:
            raise ValueError(f"overlay is one of {', '.join(OVERLAYS)}, not {overlay!r}")
        self.overlay = self.overlay if overlay is None else overlay
        self.shows_value = self.shows_value if value is None else value
        self.shows_mistakes = self.shows_mistakes if mistakes is None else mistakes
        self._look_again()

    def give_hint(self) -> None:
        """What the adviser would play here."""
        self._wants_hint = not self.game.is_terminal(self._state) and not self._asked
        self._look_again()

    def set_speed(self, speed: str) -> None:
        """How fast agents play each other: "slow", "normal" or "fast"."""
        if speed in SPEEDS:
            self.speed = speed
        self._tell()

    def _receive(self, _, content: dict, buffers=()) -> None:
        """A message of a page; whatever it is, `heard` says that it arrived."""
        page, _, number = str(content.get("id", "")).partition("-")
        if page:
            self._heard = {**dict(list(self._heard.items())[-3:]), page: int(number)}
        current = content.get("version") == self._version and (self._playing is None or self._at is not None)
        handler = {
            "play": lambda: self.click(content["action"]) if current else self._tell(),
            "new": self.new_game,
            "undo": self.undo,
            "hint": self.give_hint,
            "swap": self.swap,
            "step": self.next_move,
            "run": self.run,
            "pause": self.pause,
            "speed": lambda: self.set_speed(content["speed"]),
            "player": lambda: self.set_player(content["side"], content["name"]),
            "strength": lambda: self.set_strength(content["simulations"]),
            "overlay": lambda: self.show(content["kind"]),
            "value": lambda: self.show(value=content["on"]),
            "mistakes": lambda: self.show(mistakes=content["on"]),
            "set_up": lambda: self.set_up_from(content["text"]),
            "look": lambda: self.look(content["ply"]),
            "take_up": lambda: self.take_up(content["actions"]),
        }.get(str(content.get("do")), self._tell)
        try:
            handler()
        except Exception as error:  # rules that are a learner's may raise anything
            self._give_up(error)

    # --- who plays ----------------------------------------------------------------------------------------------------

    def _set_players(self) -> None:
        match = self.match
        for side, name in list(match.names.items()):
            match.set_player(side, self._agent(name), name)

    def _agent(self, name: str):
        if name == HUMAN:
            return None
        key = name, self.simulations
        if key not in self._agents:  # one and the same, since it keeps its latest search
            self._agents[key] = at_strength(self.opponents[name], self.simulations)
        return self._agents[key]

    def adviser(self, side: int | None = None) -> tuple[str, Any]:
        """(name, agent) whose thoughts are shown: who plays `side` (None: the side to move) or, if that is a human or
        thinks nothing, another.
        """
        match, side = self.match, side or self.game.to_play(self._state)
        names = [match.names[side], match.names[-side], *self.opponents]
        agents = {name: self._agent(name) for name in dict.fromkeys(names) if name != HUMAN}
        name = next((name for name, agent in agents.items() if hasattr(agent, "value")), next(iter(agents)))
        return name, agents[name]

    @property
    def _analysis(self) -> Analysis:
        """As strong as now asked for; the first opponent that searches lends its network."""
        if self.simulations not in self._analyses:
            agents = [agent for agent in self.opponents.values() if has_strength(agent)]
            self._analyses[self.simulations] = Analysis(self.game, agents[0] if agents else None, self.simulations)
        return self._analyses[self.simulations]

    def _turn(self) -> str:
        side = self.match.to_play
        return f"{plots.MARK[side]} ({self.match.who(side)}) is thinking ..." if self._asked else self.match.turn()

    def _agent_answers(self) -> bool:
        """Whether it is an agent's turn in a game against a human."""
        match = self.match
        return match.agent_to_move is not None and not match.stuck and None in match.players.values()

    def _go_on(self, message: str) -> None:
        """After a move or a new game: say so and, if the other side is a human, let the agent to move answer."""
        if self._at is None and self._agent_answers():
            self._agents_play()
        else:
            self._say(message)

    def _agents_play(self, to_the_end: bool = False) -> None:
        """The agent to move plays: one move, or as long as it is an agent's turn."""
        match = self.match
        if match.agent_to_move is None:
            self._say(match.agent_move())
        elif running_loop() is not None:
            self._running = to_the_end
            self._playing = _start(self._play_on(to_the_end))
            self._tell()
        else:  # at once
            while match.agent_to_move is not None:
                self._say(match.agent_move())
                if not to_the_end or match.stuck:
                    break

    async def _play_on(self, to_the_end: bool) -> None:
        """The agent answers in another thread, so that the kernel has time for clicks: those on squares are dropped;
        New game, Undo and another player cancel this task, and what the agent answers then is never heard."""
        match = self.match
        try:
            while True:
                self._asked = True
                self._say(self._turn())
                answered = await asyncio.wrap_future(thinking.start(answer, match.agent_to_move, match.state))
                self._asked = False
                message = match.accept(*answered)
                if not to_the_end or match.stuck or match.agent_to_move is None:
                    break
                self._say(message)
                await asyncio.sleep(SPEEDS[self.speed])
            self._playing, self._running = None, False
            self._say(message)
        except Exception as error:
            self._give_up(error)

    def _give_up(self, error: Exception) -> None:
        """The rules could not even say how things stand: the page keeps what it shows, and says why."""
        self._stop()
        why = f"{type(error).__name__}: {error}".split("\n")[0]
        self._message = f"That could not be done ({why}). Start a new game, or undo."
        self.view = {**self.view, "heard": self._heard, "message": self._message, "thinking": "", "running": False}

    # --- the position on show

    @property
    def _ply(self) -> int:
        return len(self.match.actions) if self._at is None else self._at

    @property
    def _state(self):
        return self.match.states[self._ply]

    def _yours(self) -> bool:
        """Whether a human may move there."""
        match = self.match
        if self._at is not None:
            return match.players[self.game.to_play(self._state)] is None
        return self._playing is None and not match.over and (match.agent_to_move is None or match.stuck)

    def _waits(self) -> bool:
        """Whether it is an agent's turn there, which moves when it is told to."""
        if self._at is not None:
            return not self._yours()
        return self.match.agent_to_move is not None and self._playing is None and not self.match.stuck

    def _stop(self) -> None:
        """No more moves of agents."""
        if self._playing is not None:
            self._playing.cancel()
        self._playing, self._running, self._asked = None, False, False

    # --- what is found out about the game: what is shown at once, one question after the other ------------------------

    def _look(self) -> None:
        """Tell the page what is known, and ask for what else it shows. A later call replaces this one."""
        self._look_no_longer()
        self._tell()
        if (
            self._asked or self.comm is None or self._wanted() is None
        ):  # an agent thinks, no page shows it, or every answer is cached
            return
        if running_loop() is not None:
            self._looking = _start(self._look_on())
            return
        while (wanted := self._wanted()) is not None:
            self._ask(wanted)
        self._tell()

    def _look_no_longer(self) -> None:
        if self._looking is not None:
            self._looking.cancel()
            self._looking = None

    def _look_again(self) -> None:
        """The same, and ask once more what could not be said."""
        self._known = {key: answer for key, answer in list(self._known.items()) if not isinstance(answer, Failed)}
        self._look()

    async def _look_on(self) -> None:
        while (wanted := self._wanted()) is not None:
            await asyncio.wrap_future(thinking.start(self._ask, wanted))
            self._tell()
        self._looking = None

    def _ask(self, question: tuple) -> None:
        """A question is (key, function, arguments ...). The answer is cached under the key."""
        key, function, *arguments = question
        try:
            self._known[key] = function(*arguments)
        except Exception as error:
            self._known[key] = Failed(f"{type(error).__name__}: {error}".split("\n")[0])

    def _wanted(self) -> tuple | None:
        """The next question whose answer is to be shown."""
        match, now, state = self.match, len(self.match.actions), self._state
        questions: list[tuple] = []
        if self._wants_hint:
            questions.append((self._key("hint", self._ply), hint_of, self.game, self.adviser()[1], state))
        if self.overlay != OVERLAYS[0] and not self.game.is_terminal(state):
            speaker = self._analysis if self.overlay == "perfect" else self.adviser()[1]
            questions.append((self._key(self.overlay, self._ply), overlay_of, speaker, state, self.overlay))
        if self.shows_value:
            agent, states = self.adviser(1)[1], match.states
            questions += [
                (self._key("value", ply), value_for_first, self.game, agent, states[ply]) for ply in range(now, -1, -1)
            ]
        if self.shows_mistakes:
            moves = zip(match.states, match.actions, match.states[1:], strict=False)
            questions += [
                (self._key("verdict", ply), self._analysis.verdict, *move) for ply, move in enumerate(moves, 1)
            ]
        return next((question for question in questions if question[0] not in self._known), None)

    def _key(self, question: str, ply: int) -> tuple:
        """What an answer depends on, after so many moves of the game."""
        name, agent = (
            ("", None) if question in ("verdict", "perfect") else self.adviser(1 if question == "value" else None)
        )
        return question, name, getattr(agent, "iteration", None), self.simulations, tuple(self.match.actions[:ply])

    def _answer(self, question: str, ply: int):
        """What is known; None: nothing yet."""
        return self._known.get(self._key(question, ply))

    # --- what the page shows ------------------------------------------------------------------------------------------

    def _say(self, text: str) -> None:
        """After each change of the game or its players."""
        self._message = text
        self._version += 1
        self.changed()
        self._aside, self._wants_hint = "", False
        self._count()
        self._look()

    def _words(self) -> str:
        """What was said last or, if one looks back, where one is; and what to click if no agent moves by itself."""
        match, words = self.match, self._message
        if self._at is not None:
            words = (
                f"{f'After move {self._at} of {len(match.actions)}' if self._at else 'The start'}: "
                f"{match.to_move(self._state)}"
            )
            words += " A move here begins a new line." if self._yours() else ""
        words = self._aside or words
        if not self._waits():
            return words
        return f"{words} Click Next move{'' if None in match.players.values() else ' or Run'}."

    def _tell(self) -> None:
        hint, message = self._hint() if self._wants_hint else (None, self._words())
        self.view = {
            **self._fixed(),
            **self._position(),
            **self._thoughts(),
            "version": self._version,
            "heard": self._heard,
            "message": message,
            "hint": hint,
            "at": self._at,
            "lines": [self._line(line) for line in self.match.left],
            "tally": self._tally(),
            "players": {str(side): name for side, name in self.match.names.items()},
            "simulations": self.simulations,
            "strength": self._strength(),
            "speed": self.speed,
            "running": self._running,
            "watching": None not in self.match.players.values() or self._waits(),
            "shows": self.overlay,
            "shows_value": self.shows_value,
            "shows_mistakes": self.shows_mistakes,
        }

    def _fixed(self) -> dict:
        """What never changes."""
        game = self.game
        squares = [(row, column) for row in range(game.rows) for column in range(game.columns)]
        return {
            "title": TITLES.get(game.name, game.name),
            "rows": game.rows,
            "columns": game.columns,
            "falls": plots.shares_actions(game),
            "hexagonal": game.hexagonal,
            "action_at": [int(game.action_at(*square)) for square in squares],
            "extra": [{"action": a, "name": game.action_name(a)} for a in plots.actions_without_cell(game)],
            "names": [_short(game.action_name(action)) for action in range(game.num_actions)],
            "choices": [HUMAN, *self.opponents],
            "overlays": [kind for kind in OVERLAYS if kind != "perfect" or self._analysis.knows],
            "speeds": SPEEDS,
            "example": example_of(game),
        }

    def _position(self) -> dict:
        game, match, here = self.game, self.match, self._state
        legal = game.legal_actions(here)
        landing = {str(a): plots.landing_cell(game, here, a) for a in legal}
        closed = {a for a in range(game.num_actions) if a not in legal} if legal else set()
        movers = [int(game.to_play(state)) for state in match.states[:-1]]  # plain, for JSON
        return {
            "positions": [_text(game.cells(state)) for state in match.states],
            "places": [plots.landing_cell(game, s, a) for s, a in zip(match.states, match.actions, strict=False)],
            "actions": list(match.actions),
            "movers": movers,
            "landing": landing,
            "refusals": {str(action): game.why_illegal(here, action) for action in closed},
            "to_play": int(game.to_play(here)) if legal else 0,
            "yours": self._yours(),
            "thinking": match.names[match.to_play] if self._asked else "",
            "line": winning_lines(game, match.state),
        }

    def _thoughts(self) -> dict:
        plies = range(len(self.match.states))
        values = [self._answer("value", ply) for ply in plies] if self.shows_value else []
        verdicts = [self._answer("verdict", ply) for ply in plies[1:]] if self.shows_mistakes else []
        marks = [vars(verdict if isinstance(verdict, Verdict) else NOTHING_WRONG) for verdict in verdicts]
        left = verdicts.count(None)
        return {
            "overlay": self._overlay()
            if self.overlay != OVERLAYS[0] and not self.game.is_terminal(self._state)
            else None,
            "values": [verdict if isinstance(verdict, float) else None for verdict in values],
            "valued_why": next((verdict.why for verdict in reversed(values) if isinstance(verdict, Failed)), ""),
            "valued_by": in_words(*self.adviser(1)),
            "verdicts": marks,
            "analyzed": self._analysis.who + (f", {left} moves to go ..." if left else "")
            if self.shows_mistakes
            else "",
        }

    def _overlay(self) -> dict | None:
        who, answer = in_words(*self.adviser()), self._answer(self.overlay, self._ply)
        if answer is None:
            return None
        if isinstance(answer, Failed):
            message = f"{who} could not say what it thinks ({answer.why})."
        elif self.overlay == "perfect":
            message = PERFECTLY if answer else "Perfect play is not recorded for this position."
        elif not answer:
            message = f"No {self.overlay} to show: {who}."
        else:
            message = f"On the squares: {SHOWS[self.overlay]}, says {who}."
        shares = answer if isinstance(answer, dict) else {}
        return {
            "kind": self.overlay,
            "shares": {str(action): share for action, share in shares.items()},
            "said": message,
        }

    def _line(self, line: list[int]) -> dict:
        """A line that was left, as a button: the moves after those that it shares with the game."""
        after = common(line, self.match.actions)
        moves = [f"{'XO'[ply % 2]} {_short(self.game.action_name(line[ply]))}" for ply in range(after, len(line))]
        return {"actions": line, "words": ", ".join(moves[:3]) + (" …" if len(moves) > 3 else ""), "after": after}

    def _count(self) -> None:
        """A game counts once, when it ends for the first time."""
        match = self.match
        if match.over and not match.counted:
            match.counted = True
            self._results[match.names[1], match.names[-1], self.game.winner(match.state)] += 1

    def _tally(self) -> str:
        """The games that these two have ended on this board: those of the human, or of who plays X."""
        names = self.match.names
        side = -1 if names[-1] == HUMAN else 1
        name, rival = names[side], names[-side]
        counts = [self._results[name, rival, wanted] for wanted in (1, 0, -1)]
        if name != rival:
            counts = [
                count + self._results[rival, name, -wanted] for count, wanted in zip(counts, (1, 0, -1), strict=True)
            ]
        who = "X against O" if name == rival else f"{name[0].upper()}{name[1:]} against {rival}"
        return f"{who}: {counts[0]} won, {counts[1]} drawn, {counts[2]} lost"

    def _hint(self) -> tuple[int | None, str]:
        """(action, what to say)."""
        name, hint = in_words(*self.adviser()), self._answer("hint", self._ply)
        if hint is None:
            return None, f"{name} is asked for a hint ..."
        if isinstance(hint, Failed):
            return None, f"{name} has no hint ({hint.why}). {self._words()}"
        return int(hint), f"Hint: {self.game.action_name(int(hint))}, says {name}."

    def _strength(self) -> dict | None:
        if self.simulations is None or not any(map(has_strength, self.opponents.values())):
            return None
        steps = sorted({*STEPS, self._first_strength, self.simulations})
        named = [{"simulations": step, "name": level(step)} for step in steps]
        return {"steps": named, "simulations": self.simulations}

    def picture(self) -> bytes:
        title = f"{self.match.turn()}\nmoves {self.match.actions}"
        return plots.png(plots.draw_board(self.game, self.match.state, title=title).figure, caption=WAKE)

    def __str__(self) -> str:
        return str(self.match)


class Failed:
    """Why a question has no answer."""

    def __init__(self, why: str):
        self.why = why


def overlay_of(agent, state, kind: str) -> dict[int, float]:
    """Action -> what the agent knows about it; {} if it knows nothing of the kind. `visits` are shares; `Q` is for the
    player to move.
    """
    statistics = dict(agent.statistics(state)) if hasattr(agent, "statistics") else {}
    searches = getattr(agent, "simulations", None) != 0
    if kind == "visits" and searches and hasattr(agent, "policy"):
        statistics["visits"] = agent.policy(state)
    legal = agent.game.legal_actions(state) if hasattr(agent, "game") else range(len(statistics.get(kind, ())))
    numbers = np.asarray(statistics.get(kind, ()), dtype=float)
    return {a: float(numbers[a]) for a in legal if a < len(numbers) and np.isfinite(numbers[a])}


def example_of(game: Game) -> str:
    """Three moves from the start, as a position is typed."""
    state, actions = game.initial_state(), list[int]()
    while len(actions) < 3 and (legal := game.legal_actions(state)):
        actions.append(legal[len(legal) // 2])
        state = game.play(state, actions[-1])
    return ", ".join(map(str, actions))


def value_for_first(game: Game, agent, state) -> float:
    """From -1 to 1, for the first player: how the game ended, or what the agent expects.

    Raises:
        ValueError: it has no value, or that is no number.
    """
    if game.is_terminal(state):
        return float(game.winner(state))
    if not hasattr(agent, "value"):
        raise ValueError("it has no value")
    value = float(agent.value(state))
    if not np.isfinite(value):
        raise ValueError(f"its value is {value}")
    return value * game.to_play(state)


def hint_of(game: Game, agent, state) -> int:
    """What the agent would play. Raises TypeError or ValueError: that is no legal action."""
    action = index(agent.act(state))
    game.play(state, action)
    return action


def winning_lines(game: Game, state) -> list[list[tuple[int, int]]]:
    """The winner's lines of `game.n` or more stones, each as cells from end to end; [] for a game without lines."""
    winner, n = game.winner(state), getattr(game, "n", None)
    if not winner or n is None:
        return []
    cells = game.cells(state)

    def theirs(row: int, column: int) -> bool:
        return 0 <= row < game.rows and 0 <= column < game.columns and cells[row, column] == winner

    lines = []
    for row, column in np.argwhere(cells == winner).tolist():
        for down, right in ((0, 1), (1, 0), (1, 1), (1, -1)):
            if theirs(row - down, column - right):
                continue  # not the first of its line
            line = [(row, column)]
            while theirs(line[-1][0] + down, line[-1][1] + right):
                line.append((line[-1][0] + down, line[-1][1] + right))
            if len(line) >= n:
                lines.append(line)
    return lines


def _text(cells: np.ndarray) -> str:
    """The cells row by row, "X.O......": short on the wire."""
    return "".join(".XO"[cell] for cell in cells.ravel().tolist())


def _short(name: str) -> str:
    """ "3" of "column 3"."""
    return name.rpartition(" ")[2] if name.rpartition(" ")[2].isdigit() else name


def _start(coroutine: Coroutine) -> asyncio.Task:
    return asyncio.get_running_loop().create_task(coroutine)
