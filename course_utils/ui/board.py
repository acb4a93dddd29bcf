"""The board to play on: you against an agent, or agents against each other."""

import asyncio
import time
from functools import partial
from html import escape

import ipywidgets as widgets
import numpy as np

from course_utils import agents, mine
from course_utils.agents import MinimaxAgent, RandomAgent, SearchAgent
from course_utils.games import GAMES, Game, make_game
from course_utils.ui import palette, plots, thinking
from course_utils.ui.match import Match, answer

HUMAN = "you"
PAUSE = 0.6  # seconds between the moves of agents that play each other
UNSEEN = 0.15  # seconds after an agent's move in which no click counts: it was made before that move could be seen
DOUBLE_CLICK = 0.4  # seconds in which a second click on a square belongs to the first
EMPTY = (
    "none"  # the icon of a free square, which shows nothing: without text and icon a button's view keeps its old text
)
EDGE = f"1px solid {palette.FAINT}"  # of a square: seen on light and on dark


def play(
    game_name: str = "tictactoe",
    *,
    game: Game | None = None,
    opponents: dict | None = None,
    human: int | None = 1,
    simulations: int | None = None,
    seed: int = 0,
) -> "GameBoard":
    """A board to click on.

    Args:
        game: the rules to play by, such as `mine.ConnectFour()`; None: the course's.
        opponents: label -> agent, to choose from; an agent needs `act(state)`, and `policy` and `value` to show what it
            thinks. None: the shipped agent, yours (as far as it goes), random play, and perfect play on a small board.
        human: the side you begin on, +1 (moves first) or -1; 0: agents play each other.
        simulations: how hard search agents think, 0 for the network alone; sets a slider. None: 50, but agents given as
            `opponents` play as they are, without a slider.
        seed: of the random agent.

    Raises:
        ValueError: there is no such game, or no opponent to play against.
    """
    game = game or make_game(game_name)
    note = ""
    if opponents is None:
        simulations = 50 if simulations is None else simulations
        opponents, note = default_opponents(game, simulations, seed)
    if not opponents:
        raise ValueError("give at least one opponent, such as {'random': RandomAgent(game, rng)}")
    if human not in (1, -1, 0):
        raise ValueError(f"human is +1 (moves first), -1 (moves second) or 0 (watches), not {human!r}")
    return GameBoard(game, opponents, human, simulations, note)


def default_opponents(game: Game, simulations: int, seed: int) -> tuple[dict, str]:
    """(label -> agent, a sentence about any that could not be had)."""
    found: dict = {}
    note = ""
    if game.name in GAMES:  # any other has no agents of its own
        try:
            found["AlphaZero (shipped)"] = agents.load(game.name, simulations)
        except ValueError as error:
            note = f"The shipped agent is missing ({error})."
        try:
            if mine.has_agent(game.name):
                found["your AlphaZero"] = mine.agent(game.name, simulations, quiet=True)
        except ValueError as error:
            note = f"{note} Yours can't play ({error}).".strip()
    if game.rows * game.columns <= 9:  # small enough to look at every position
        found["perfect play"] = MinimaxAgent(game)
    found["random"] = RandomAgent(game, np.random.default_rng(seed))
    return found, note


def at_strength(agent, simulations: int | None):
    """The same agent with another number of simulations, where it has any."""
    if simulations is None or not isinstance(agent, SearchAgent):
        return agent
    return type(agent)(agent.game, agent.network, simulations, agent.c_puct)


Thoughts = tuple[np.ndarray | None, float | None, str]
NO_THOUGHTS: Thoughts = (None, None, "")


def thoughts(name: str, agent, state, policy: bool, value: bool) -> Thoughts:
    """(policy, value for the player to move, a sentence about them), each only where it is wanted and to be had."""
    if not hasattr(agent, "policy") or not hasattr(agent, "value"):
        return None, None, f"{name} has no policy or value to show."
    try:
        shares = np.asarray(agent.policy(state), dtype=float) if policy else None
        said = f"The percentages are the policy of {name}." if policy else ""
        return shares, float(agent.value(state)) if value else None, said
    except Exception as error:
        reason = f"{type(error).__name__}: {error}".split("\n")[0]
        return None, None, f"{name} could not say what it thinks ({reason})."


class GameBoard(widgets.VBox):
    """The widget. What may be played, and by whom, is `match`'s business; this class draws and passes clicks on."""

    def __init__(self, game: Game, opponents: dict, human: int, simulations: int | None, note: str = ""):
        self.game, self.opponents = game, opponents
        first, second = (list(opponents) * 2)[:2]
        names = {1: first, -1: second} if human == 0 else {human: HUMAN, -human: first}
        self.match = Match(game, dict.fromkeys((1, -1)), names)
        self._task: asyncio.Task | None = None  # agents' moves still to come; while there are any, no square is clicked
        self._asked = False  # whether one of them is being thought about
        self._overlay: asyncio.Task | None = None  # the agent's thoughts still to come
        self._latest_click: tuple[int | None, float] = (None, 0.0)  # (action, when) of the latest that counted

        self.sides = {side: self._player_menu(side) for side in (1, -1)}
        self.slider = widgets.IntSlider(
            value=simulations or 0, min=0, max=max(400, simulations or 0), step=5, description="Simulations",
            continuous_update=False, style={"description_width": "initial"}, layout={"width": "300px"},
            tooltip="How many simulations search agents make for a move; 0: the network alone",
        )  # fmt: skip
        self.slider.layout.display = "none" if simulations is None else ""
        self.policy_box, self.value_box = (
            widgets.Checkbox(
                value=False, description=f"agent's {what}", indent=False, layout={"width": "auto", "margin": "2px 10px"}
            )
            for what in ("policy", "value")
        )
        self.squares = {
            (row, column): self._square(row, column) for row in range(game.rows) for column in range(game.columns)
        }
        self.above = [widgets.HTML(layout={"margin": "0"}) for _ in range(game.columns)]
        self.value_bar = widgets.HTML()
        self.status = widgets.HTML()
        self.new_button = self._button("New game", "plus", self.new_game)
        self.undo_button = self._button("Undo", "undo", self.undo)
        self.pass_buttons = [
            self._button(game.action_name(action), "forward", partial(self._clicked, action))
            for action in plots.actions_without_cell(game)
        ]
        self.next_button = self._button("Next move", "step-forward", self.next_move)
        self.run_button = self._button("Run", "play", self.run_or_stop)

        self._set_players()
        self.slider.observe(self._strength_changed, "value")
        for box in (self.policy_box, self.value_box):
            box.observe(lambda _: self.refresh(), "value")
        for menu in self.sides.values():
            menu.observe(self._player_changed, "value")
        super().__init__(
            [
                widgets.HBox(
                    [*self.sides.values(), self.slider], layout={"flex_flow": "row wrap", "align_items": "center"}
                ),
                self._grid(),
                self.value_bar,
                self.status,
                widgets.HBox(
                    [
                        self.new_button,
                        self.undo_button,
                        *self.pass_buttons,
                        self.next_button,
                        self.run_button,
                        self.policy_box,
                        self.value_box,
                    ],
                    layout={"flex_flow": "row wrap", "align_items": "center"},
                ),
            ],
            layout={"padding": "6px 0"},
        )
        if human == 0:
            self._say(f"{note} {self.match.turn()} Click Next move or Run.".strip())
        elif self._agent_answers():
            self._say(self.match.agent_move())  # a cell is running: there is no click to keep waiting
        else:
            self._say(f"{note} {self.match.turn()}".strip())

    # --- what a click does ---------------------------------------------------------------------------------------------

    def click(self, action: int) -> None:
        """A human plays `action`, if it is their turn; an agent that is to move next answers."""
        self._stop()
        before = len(self.match.actions)
        said = self.match.click(action)
        if len(self.match.actions) > before:
            self._go_on(said)
        else:
            self._say(said)

    def next_move(self) -> None:
        """The agent to move plays one move."""
        self._stop()
        self._agents_play()

    def undo(self) -> None:
        self._stop()
        self._say(self.match.undo())

    def new_game(self) -> None:
        self._stop()
        self._go_on(self.match.new())

    def run_or_stop(self) -> None:
        """Let agents play each other, a move at a time."""
        running = self.run_button.icon == "stop"
        self._stop()
        if running:
            self._say(f"Stopped. {self.match.turn()}")
            return
        if self.match.over:
            self.match.new()
        self._agents_play(to_the_end=True)

    def _clicked(self, action: int) -> None:
        """A click on the page. Dropped: while agents play, and the second of a double click."""
        latest, then = self._latest_click
        now = time.monotonic()
        if self._task is None and (action != latest or now - then > DOUBLE_CLICK):
            self._latest_click = (action, now)
            self.click(action)

    def _turn(self) -> str:
        side = self.match.to_play
        return f"{plots.MARK[side]} ({self.match.names[side]}) is thinking ..." if self._asked else self.match.turn()

    def _agent_answers(self) -> bool:
        """Whether it is an agent's turn in a game against a human."""
        return self.match.agent_to_move is not None and None in self.match.players.values()

    def _go_on(self, said: str) -> None:
        """After a move or a new game: say so and, if the other side is a human, let the agent to move answer."""
        if self._agent_answers():
            self._agents_play()
        else:
            self._say(said)

    def _agents_play(self, to_the_end: bool = False) -> None:
        """The agent to move plays: one move, or as long as it is an agent's turn."""
        loop = _running_loop()
        if loop is None or self.match.agent_to_move is None:  # at once
            self._say(self.match.agent_move())
            return
        if to_the_end:
            self.run_button.description, self.run_button.icon = "Stop", "stop"
        self._task = loop.create_task(self._play_on(to_the_end))

    async def _play_on(self, to_the_end: bool) -> None:
        """The agent answers in another thread, so that the kernel has time for clicks: those on squares are dropped; New game,
        Undo and another player cancel this task, and what the agent answers then is never heard."""
        match = self.match
        while match.agent_to_move is not None:
            self._asked = True
            self._say(self._turn())
            answered = await asyncio.wrap_future(thinking.start(answer, match.agent_to_move, match.state))
            self._asked = False
            self._say(match.accept(*answered))
            if not to_the_end or match.stuck:
                break
            await asyncio.sleep(PAUSE)
        await asyncio.sleep(UNSEEN)
        self._at_rest()

    def _stop(self) -> None:
        """No more moves of agents."""
        if self._task is not None:
            self._task.cancel()
        self._at_rest()

    def _at_rest(self) -> None:
        self._task, self._asked = None, False
        self.run_button.description, self.run_button.icon = "Run", "play"

    # --- players -------------------------------------------------------------------------------------------------------

    def _player_menu(self, side: int):
        return widgets.Dropdown(
            options=[HUMAN, *self.opponents], value=self.match.names[side], description=f"{plots.MARK[side]} is",
            style={"description_width": "initial"}, layout={"width": "220px", "margin": "2px 14px 2px 2px"},
        )  # fmt: skip

    def _set_players(self) -> None:
        simulations = None if self.slider.layout.display == "none" else self.slider.value
        for side, menu in self.sides.items():
            agent = None if menu.value == HUMAN else at_strength(self.opponents[menu.value], simulations)
            self.match.set_player(side, agent, menu.value)
        watching = None not in self.match.players.values()
        self.next_button.layout.display = self.run_button.layout.display = "" if watching else "none"

    def _player_changed(self, _) -> None:
        self._stop()
        self._set_players()
        self._go_on(self.match.turn())

    def _strength_changed(self, _) -> None:
        self._set_players()  # a move that is being thought about is still played with the strength before
        word = "the network alone" if self.slider.value == 0 else f"{self.slider.value} simulations a move"
        self._say(f"Search agents now play with {word}. {self._turn()}")

    def adviser(self) -> tuple[str, object]:
        """(name, agent) whose thoughts are shown: of the side to move or, if that is a human, of the other."""
        match = self.match
        for side in (match.to_play, -match.to_play):
            if match.players[side] is not None:
                return match.names[side], match.players[side]
        name = next(iter(self.opponents))
        return name, at_strength(self.opponents[name], self.slider.value)

    # --- what an agent thinks ------------------------------------------------------------------------------------------

    def refresh(self) -> None:
        """Draw the position, and what the agent thinks as soon as that is known, if it is wanted."""
        if self._overlay is not None:
            self._overlay.cancel()
            self._overlay = None
        if self._asked or self.match.over or not (self.policy_box.value or self.value_box.value):
            self._draw(NO_THOUGHTS)
            return
        question = (*self.adviser(), self.match.state, self.policy_box.value, self.value_box.value)
        loop = _running_loop()
        self._draw(thoughts(*question) if loop is None else NO_THOUGHTS)
        if loop is not None:
            self._overlay = loop.create_task(self._draw_later(question))

    async def _draw_later(self, question: tuple) -> None:
        self._draw(await asyncio.wrap_future(thinking.start(thoughts, *question)))

    # --- what it looks like --------------------------------------------------------------------------------------------

    def _side_of_square(self) -> int:
        return 64 if self.game.columns <= 4 else 46

    def _square(self, row: int, column: int):
        side = f"{self._side_of_square()}px"
        square = widgets.Button(layout={"width": side, "height": side, "margin": "0", "padding": "0", "border": EDGE})
        square.on_click(lambda _: self._clicked(self.game.action_at(row, column)))
        return square

    def _button(self, text: str, icon: str, action):
        button = widgets.Button(description=text, icon=icon, tooltip=text, layout={"width": "auto"})
        button.on_click(lambda _: action())
        return button

    def _grid(self):
        side = self._side_of_square()
        children = [*self.above] if plots.shares_actions(self.game) else []
        return widgets.GridBox(
            [*children, *self.squares.values()],
            layout={
                "grid_template_columns": f"repeat({self.game.columns}, {side}px)",
                "grid_gap": "4px",
                "margin": "10px 0",
                "overflow": "visible",
            },
        )

    def _say(self, text: str) -> None:
        self._message = text
        self.refresh()

    def _draw(self, thoughts: Thoughts) -> None:
        match, game = self.match, self.game
        policy, value, said = thoughts
        latest = plots.landing_cell(game, match.states[-2], match.actions[-1]) if match.actions else None
        shares = {} if policy is None else {action: policy[action] for action in game.legal_actions(match.state)}
        landing = {plots.landing_cell(game, match.state, action): share for action, share in shares.items()}
        for (row, column), square in self.squares.items():
            player = int(game.cells(match.state)[row, column])
            text, color, size = plots.MARK.get(player, ""), palette.CARD, self._side_of_square() // 2
            what = text or "free"
            if (row, column) == latest:
                color, what = palette.LATEST, f"{what}, the latest move"
            if (row, column) in landing:
                share = landing[row, column]
                color = palette.tint(share / max(*shares.values(), 1e-9))
                what = f"free, the agent plays it with {plots.percent(share)}"
                if not plots.shares_actions(game):
                    text, size = plots.percent(share), 15
            with square.hold_sync():
                square.description, square.icon = text, "" if text else EMPTY
                square.tooltip = f"row {row + 1}, column {column + 1}, {what}"
            square.style.button_color = color
            square.style.text_color = palette.COLOR.get(player, palette.INK)
            square.style.font_size = f"{size}px"
            square.style.font_weight = "bold" if player else "normal"
        for column, label in enumerate(self.above):
            action = game.action_at(0, column)
            text = plots.percent(shares[action]) if action in shares else ""
            label.value = f"<div style='text-align:center;font-size:12px;line-height:18px'>{text}</div>"
        self.value_bar.value = "" if value is None else _value_bar(value, game.to_play(match.state), self.adviser()[0])
        self.status.value = (
            "<div role='status' aria-live='polite' style='line-height:1.5;max-width:640px'>"
            f"{escape(self._message)}{f'<br>{escape(said)}' if said else ''}<br><small>moves {match.actions}</small></div>"
        )

    def _repr_mimebundle_(self, **kwargs):
        """Where widgets can't be shown (on the web, in a terminal): the position as a picture and as text."""
        ax = plots.draw_board(self.game, self.match.state)
        text = f"{self.match}\n(The board to click on needs a running notebook.)"
        return plots.static_bundle(super()._repr_mimebundle_(**kwargs), plots.png(ax.figure), text)

    def __repr__(self) -> str:
        return str(self.match)


def _running_loop() -> asyncio.AbstractEventLoop | None:
    """A kernel's; None in a plain Python."""
    try:
        return asyncio.get_running_loop()
    except RuntimeError:
        return None


def _value_bar(value: float, player: int, name: str) -> str:
    """From -1 to +1 for the player to move, 0 in the middle, in the color of whom it favors; with words."""
    share = 50 * min(abs(value), 1)
    left = 50 if value >= 0 else 50 - share
    color = palette.COLOR[player if value >= 0 else -player]
    words = f"value {plots.signed(value)} for {plots.MARK[player]}, to move, says {name}"
    return (
        f"<div role='img' aria-label='{escape(words, quote=True)}' style='width:300px'>"
        f"<div style='position:relative;height:14px;background:{palette.SPARE};border:{EDGE}'>"
        f"<div style='position:absolute;left:{left:.1f}%;width:{share:.1f}%;height:100%;background:{color}'></div>"
        f"<div style='position:absolute;left:50%;width:2px;height:100%;background:{palette.INK}'></div></div>"
        f"<div style='font-size:12px;line-height:1.6;white-space:nowrap'>{escape(words)}</div></div>"
    )
