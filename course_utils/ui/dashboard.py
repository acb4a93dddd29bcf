"""The training dashboard: a run as it goes on, or as it was, and the agent of any of its iterations to play against."""

import copy
import math
import time
import weakref
from collections.abc import Callable, Sequence
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import traitlets
from IPython import get_ipython
from IPython.display import DisplayHandle, display
from matplotlib.figure import Figure
from torch import nn

from course_utils.agents import SearchAgent
from course_utils.files import from_json
from course_utils.games import Game, known_game
from course_utils.learning.grades import KINDS, LOSING, Grades, grader
from course_utils.learning.run import Run
from course_utils.networks.checkpoint import load_network
from course_utils.networks.policy_value import TorchNetwork
from course_utils.paths import command
from course_utils.ui import interrupted, palette
from course_utils.ui.component import Component, module, style
from course_utils.ui.palette import CARD, FAINT, GRID, INK, PAPER
from course_utils.ui.plots import MARK, draw_board, png, signed

UNREADABLE = "{}/metrics.json is damaged: the training that began this run writes it anew"
EVERY = 1.0  # seconds between two pictures of a run, at least
LINES = (("teal", "solid"), ("ink", "dashed"), ("orange", "dashdot"), ("blue", "dotted"))  # of what is measured


class Dashboard(Component):
    """A callback for `train_alphazero` and `train`: `train_alphazero(run, Dashboard(run))`.

    Strength and losses, and what the network alone thinks of the start at the iteration that is pointed at; the other
    panels are folded away. `player()` plays the agent of that iteration. To stop, interrupt the kernel: nothing is
    lost, and the same cell goes on. The page can also hold the training between two iterations. Of a run that is over:
    `Dashboard.of(folder)`.

    Args:
        run: as it stands before training.
        strength: asked now and after every iteration; returns {name: share}, each a line of the picture, from 0 to 1.
            Its time is not counted as training. None: against a perfect player, alone and with search, where the course
            has one.
        marks: {name: share}, gray lines to compare with.
        seconds: stop after so many seconds of training; None: when the iterations are done.
        panels: how the titles begin of those that are shown; None: all.
    """

    _esm, _css = module("dashboard"), style("dashboard")
    shown = traitlets.Dict().tag(sync=True)  # what `story` returns
    at = traitlets.Int(-1).tag(sync=True)  # the iteration that is pointed at; -1: the latest
    training = traitlets.Unicode().tag(sync=True)  # "on" while a cell trains, "paused" while it is held, "" after it
    ear = traitlets.Unicode().tag(sync=True)  # the target of the comms by which it is held
    _comms: tuple = ()  # those

    def __init__(
        self,
        run: Run,
        strength: Callable[[Run], dict[str, float]] | None = None,
        marks: dict[str, float] | None = None,
        *,
        seconds: float | None = None,
        panels: Sequence[str] | None = None,
    ):
        super().__init__()
        self.game, self.marks, self.seconds, self.panels = run.game, marks or {}, seconds, panels
        self.strength = strength or of_network(grader(run.game))
        # (iteration, strength) and iteration -> its network, of all dashboards that this run had, so that a cell may be
        # run again
        graded, self.networks = vars(run).setdefault("dashboard", ([], {}))
        self.measured: list[tuple[int, Grades]] = graded if strength is None else []
        self._handle: DisplayHandle | None = None
        self._cell = 0  # below which cell it stands, as cells are counted when they run
        self._sent = 0.0  # when
        self._wish = ""  # the page's, of the training: "pause", "step" or "go on"
        self._look_at(run)
        if len(run.history) >= run.config.iterations:
            self.show(run)  # no callback will come

    def __call__(self, run: Run) -> bool:
        """Show the run as it stands, unless that was done just before. Returns True when training should stop."""
        self._look_at(run)
        over_time = self.seconds is not None and run.seconds >= self.seconds
        last = over_time or len(run.history) >= run.config.iterations
        if last or time.monotonic() - self._sent > EVERY:
            self.show(run)
        if not last:
            self._hold(run)
        elif self._handle is not None:
            self._handle.update(self)  # so that the picture in the saved notebook is of the end
        return over_time

    def show(self, run: Run) -> None:
        """Show the run as it stands: below the cell that runs at first, then in the same place."""
        if not run.history:
            return
        self._draw(run)
        shell = get_ipython()
        if shell is not None and (self._handle is None or self._cell != shell.execution_count):
            self._handle, self._cell = display(self, display_id=True), shell.execution_count

            def cell_is_over(_) -> None:
                shell.events.unregister("post_run_cell", cell_is_over)
                self._end(run)

            shell.events.register("post_run_cell", cell_is_over)
            if hasattr(shell, "kernel"):
                self._listen(shell.kernel)

    def _draw(self, run: Run) -> None:
        shown = story(self.game, run.history, run.config.iterations, self.measured, self.marks, run.config)
        if self.panels is not None:
            shown["panels"] = [panel for panel in shown["panels"] if panel["title"].startswith(tuple(self.panels))]
        self.shown = {**shown, "boards": self._untrained() + shown["boards"]}
        self._sent = time.monotonic()
        self.changed()

    def _untrained(self) -> list:
        """The board of iteration 0, of which the history says nothing, if its network was kept."""
        if 0 not in self.networks:
            return []
        start, agent = self.game.initial_state(), self.agent(0)
        return [[0, agent.policy(start).tolist(), agent.value(start)]]

    def _hold(self, run: Run) -> None:
        """Let the cell wait here, between two iterations, while the page wishes it."""
        interrupted.raise_if_stopped()
        if self._wish == "pause":
            self.show(run)
            self.training = "paused"
            while self._wish == "pause":
                time.sleep(0.05)
        self._wish = "pause" if self._wish == "step" else ""
        self.training = "on"

    def _end(self, run: Run) -> None:
        """The cell is over, perhaps interrupted: show what it has done."""
        self.training = self._wish = ""
        if self.shown["done"] < len(run.history):
            self._draw(run)

    def _listen(self, kernel) -> None:
        """Hear the page's wishes while the cell runs: they come by a comm of their own, which the page opens on a
        subshell, a thread of the kernel.
        """

        def hear(message: dict) -> None:
            if self.training:
                self._wish = message["content"]["data"]["wish"]

        def opened(comm, _) -> None:
            comm.on_msg(hear)
            self._comms = (*self._comms, comm)

        self.ear = f"course-training-{self.model_id}"
        kernel.comm_manager.register_target(self.ear, opened)

    def leave(self) -> None:
        super().leave()
        for comm in self._comms:
            comm.close()
        if self.ear:
            get_ipython().kernel.comm_manager.unregister_target(self.ear, None)
        self._comms, self.ear = (), ""

    def _look_at(self, run: Run) -> None:
        now = len(run.history)
        if self.strength is not None and all(number != now for number, _ in self.measured):
            self.measured.append((now, self.strength(run)))
        if now not in self.networks:
            weights = copy.deepcopy(run.network)
            self.networks[now] = lambda: weights

    @classmethod
    def of(cls, folder: Path | str, *, measure: bool = True) -> "Dashboard":
        """The run that `make train` left in this folder, finished or not.

        Args:
            measure: grade the agents that it kept on its way, which takes a second or so each in Connect Four.

        Raises:
            ValueError: there is no training run in the folder.
        """
        folder = Path(folder)
        checkpoints = [path for path in folder.glob("*.pt") if path.name != "state.pt"]
        if not (folder / "metrics.json").exists() or len(checkpoints) != 1:
            raise ValueError(f"{folder} holds no training run: `{command('train', out=folder)}` makes one")
        history = read_metrics(folder)
        game = known_game(checkpoints[0].stem)
        if game is None:
            raise ValueError(
                f"{checkpoints[0]} is no agent of a game that is known here: register yours first, with "
                'make_game("module:Class")'
            )
        board = cls.__new__(cls)
        Component.__init__(board)
        board.game, board.marks, board._handle = game, {}, None
        paths = {int(path.stem): path for path in sorted((folder / "snapshots").glob("*.pt"))}
        paths[len(history)] = checkpoints[0]
        board.networks = {number: lambda path=path: load_network(path, game.name) for number, path in paths.items()}
        grade = grader(game) if measure else None
        board.measured = [(number, grade(load())) for number, load in board.networks.items()] if grade else []
        try:
            board.shown = story(game, history, len(history), board.measured, {}, None)
        except (AttributeError, IndexError, KeyError, TypeError, ValueError):
            raise ValueError(UNREADABLE.format(folder)) from None
        return board

    # --- the agents of the run

    def agent(self, iteration: int = -1, simulations: int = 0) -> SearchAgent:
        """The network after this iteration, or after the last one before it that was kept; -1: the latest."""
        return SearchAgent(self.game, TorchNetwork(self.networks[self.kept(iteration)]().eval()), simulations)

    def kept(self, iteration: int) -> int:
        """The iteration whose network stands for this one; see `agent`."""
        before = [number for number in self.networks if number <= iteration or iteration < 0]
        return max(before, default=min(self.networks))

    def player(self, simulations: int = 0) -> "Player":
        """Plays the agent of the iteration that is pointed at, also when another is: an opponent for `ui.play`."""
        return Player(self, simulations)

    # --- without a page

    def picture(self) -> bytes:
        return png(draw_story(self.shown, self.game)) if self.shown else png(plt.figure(figsize=(1, 1)))

    def __str__(self) -> str:
        return "\n".join([self.shown["words"], *in_words(self.shown)]) if self.shown else "before the first iteration"


class Player:
    """What `Dashboard.player` returns: an agent."""

    def __init__(self, dashboard: Dashboard, simulations: int):
        self.dashboard, self.simulations = dashboard, simulations
        self._agents: dict[int, SearchAgent] = {}

    @property
    def iteration(self) -> int:
        """After which iteration the network that plays now."""
        at = self.dashboard.at
        return self.dashboard.kept(at if at >= 0 else self.dashboard.shown.get("done", 0))

    def when_another_plays(self, do: Callable[[], None]) -> None:
        """Call this method whenever another iteration is pointed at, or there is a newer one, as long as its object is
        there.
        """
        method = weakref.WeakMethod(do)

        def tell(_) -> None:
            if (wanted := method()) is not None:
                wanted()

        self.dashboard.observe(tell, ["at", "shown"])

    def _agent(self) -> SearchAgent:
        at = self.iteration
        if at not in self._agents:
            self._agents[at] = self.dashboard.agent(at, self.simulations)
        return self._agents[at]

    def act(self, state) -> int:
        return self._agent().act(state)

    def policy(self, state) -> np.ndarray:
        return self._agent().policy(state)

    def value(self, state) -> float:
        return self._agent().value(state)


def read_metrics(folder: Path) -> list[dict]:
    """What each iteration of a run did. Raises ValueError: the file is damaged."""
    try:
        return [dict(entry) for entry in from_json((folder / "metrics.json").read_bytes())]
    except (TypeError, ValueError):
        raise ValueError(UNREADABLE.format(folder)) from None


def of_network(grade: Callable[[nn.Module], Grades] | None) -> Callable[[Run], Grades] | None:
    return None if grade is None else lambda run: grade(run.network)


# --- what there is to show --------------------------------------------------------------------------------------------


def story(
    game: Game, history: list[dict], iterations: int, measured: list[tuple[int, Grades]], marks: dict, config
) -> dict:
    """A run as plain data: panels of lines over the iterations, and what the network thought of the start.

    A panel has a title, `low` and `high` of its axis, `digits` after the point, and `series`: each a name, a color of
    the palette, a style (solid, dashed, dashdot, dotted, stack, dots, crosses) and points [iteration, number or None].
    `marks` are [name, number].
    """
    done, seconds = len(history), history[-1]["seconds"]
    words = (
        f"iteration {done} of {iterations} ({history[-1]['games']:,} games, {history[-1]['examples']:,} "
        f"examples), {seconds:.0f} s"
    )
    if done < iterations:
        words += f", about {seconds / done * (iterations - done):.0f} s to go"
    strength = _strength(measured, marks)
    panels = [*strength[:1], _losses(history), *strength[1:], _ends(history), _gate(history, config)]
    panels += [_line("moves per game", history, "mean_length", 1), _speed(history)]
    boards = [[entry["iteration"], entry["start_policy"], entry["start_value"]] for entry in history]
    cells = [game.action_at(row, column) for row in range(game.rows) for column in range(game.columns)]
    return dict(
        game=game.name,
        rows=game.rows,
        columns=game.columns,
        cell_actions=cells,
        iterations=iterations,
        done=done,
        words=words,
        panels=[panel for panel in panels if panel],
        boards=boards,
    )


def _panel(
    title: str, series: list[dict], *, low: float = 0, high: float | None = None, digits: int = 2, **more
) -> dict:
    numbers = [number for line in series for _, number in line["points"] if number is not None]
    top = 1.1 * max(numbers, default=1) or 1 if high is None else high
    return dict(title=title, low=low, high=top, digits=digits, series=series, marks=[], **more)


def _series(name: str, color: str, style: str, points) -> dict:
    return dict(name=name, color=color, style=style, points=[[x, y] for x, y in points])


def _line(title: str, history: list[dict], key: str, digits: int) -> dict:
    points = ((entry["iteration"], entry[key]) for entry in history)
    return _panel(title, [_series("", "teal", "solid", points)], digits=digits)


def _losses(history: list[dict]) -> dict:
    kinds = (("policy", "teal", "solid"), ("value", "ink", "dashed"))
    return _panel(
        "loss",
        [
            _series(name, color, look, ((entry["iteration"], entry[f"{name}_loss"]) for entry in history))
            for name, color, look in kinds
        ],
    )


def _strength(measured: list[tuple[int, Grades]], marks: dict[str, float]) -> list[dict]:
    if not measured:
        return []
    graded = measured[0][1].keys()
    names = sorted(graded - KINDS.keys() - {LOSING}, key=lambda name: (name != "alone", name))  # alone: a solid line
    panels = [_shares("moves that keep the value, %", names, measured, marks)]
    if KINDS.keys() <= graded:
        panels.append(_shares("the network alone, by kind of position, %", list(KINDS), measured, {}))
    if LOSING in graded:
        lines = [_series("", "orange", "solid", ((number, grades[LOSING]) for number, grades in measured))]
        panels.append(_panel("losing lines left, alone", lines, digits=0))
    return panels


def _shares(title: str, names: list[str], measured: list[tuple[int, Grades]], marks: dict[str, float]) -> dict:
    """A line for each of these grades, in percent; the axis begins at the ten below the lowest."""
    series = [
        _series(name, color, look, ((number, 100 * grades[name]) for number, grades in measured))
        for name, (color, look) in zip(names, LINES, strict=False)
    ]
    panel = _panel(title, series, high=100, digits=0)
    panel["low"] = 10 * math.floor(
        min([number for one in series for _, number in one["points"]] + [100 * share for share in marks.values()]) / 10
    )
    panel["marks"] = [[name, 100 * share] for name, share in marks.items()]
    return panel


def _ends(history: list[dict]) -> dict:
    kinds = (
        (f"{MARK[1]} wins", "blue", "first_wins"),
        ("draw", "gray", "draws"),
        (f"{MARK[-1]} wins", "orange", "second_wins"),
    )
    games = [max(1, sum(entry[key] for *_, key in kinds)) for entry in history]
    series = [
        _series(name, color, "stack", ((e["iteration"], 100 * e[key] / n) for e, n in zip(history, games, strict=True)))
        for name, color, key in kinds
    ]
    return _panel("how self-play ends, %", series, high=100, digits=0)


def _gate(history: list[dict], config) -> dict | None:
    """The candidate's share of the decisive games; None of a run without a gate."""
    if history[-1]["gate"] is None:
        return None
    series = []
    for accepted, name, color, look in (
        (True, "accepted", "teal", "dots"),
        (False, "rejected", "orange", "crosses"),
    ):
        entries = [entry for entry in history if entry["accepted"] == accepted]
        points = [(e["iteration"], 100 * e["gate"][0] / _decisive(e) if _decisive(e) else 0) for e in entries]
        series.append(_series(f"{len(entries)} {name}", color, look, points))
    panel = _panel("gate: wins of decisive games, %", series, high=100, digits=0)
    panel["marks"] = [["needed", 100 * config.gate_threshold]] if config else []
    return panel


def _speed(history: list[dict]) -> dict:
    before, points = 0.0, []
    for entry in history:
        points.append((entry["iteration"], entry["games"] / max(entry["seconds"] - before, 1e-9)))
        before = entry["seconds"]
    return _panel("games per second", [_series("", "teal", "solid", points)], digits=1)


def _decisive(entry: dict) -> int:
    wins, _, losses = entry["gate"]
    return wins + losses


def in_words(shown: dict) -> list[str]:
    """The newest number of each line, a panel a line."""
    lines = []
    for panel in shown["panels"]:
        latest = [(line["name"], line["points"][-1][1]) for line in panel["series"] if line["points"]]
        numbers = [f"{name} {number:.{panel['digits']}f}".strip() for name, number in latest if number is not None]
        lines.append(f"{panel['title']}: {', '.join(numbers) or 'nothing yet'}")
    return [*lines, f"what it expects at the start, for {MARK[1]}: {signed(shown['boards'][-1][2])}"]


# --- the same as a picture --------------------------------------------------------------------------------------------


def draw_story(shown: dict, game: Game) -> Figure:
    """What `story` returned, with the newest iteration's board beside the first two panels, as on the page."""
    columns, count = 3, len(shown["panels"]) + 1
    rows = -(-count // columns)
    heights = [2.3 if game.columns < 5 else 4.0] + [2.3] * (rows - 1)  # inches
    size = (9.5, 0.3 + sum(heights))
    figure, grid = plt.subplots(
        rows, columns, figsize=size, facecolor=PAPER, layout="constrained", height_ratios=heights
    )
    figure.suptitle(shown["words"], x=0.01, ha="left", fontsize=12, fontweight="bold", color=INK)
    board, *others = [grid.flat[min(count, columns) - 1], *np.delete(grid.flat, min(count, columns) - 1)]
    for ax in others[count - 1 :]:
        ax.axis("off")
    for ax, panel in zip(others, shown["panels"], strict=False):
        _draw_panel(ax, panel, shown["iterations"])
    iteration, policy, value = shown["boards"][-1]
    title = f"iteration {iteration}, no search"
    draw_board(game, game.initial_state(), policy=policy, value=value, title=title, ax=board)
    return figure


def _draw_panel(ax, panel: dict, iterations: int) -> None:
    floor: dict[int, float] = {}
    for line in panel["series"]:
        color = getattr(palette, line["color"].upper())
        points = [(x, y) for x, y in line["points"] if y is not None]
        xs, ys = [x for x, _ in points], [y for _, y in points]
        name = (
            f"{line['name']} {ys[-1]:.{panel['digits']}f}"
            if ys and line["style"] in ("solid", "dashed", "dashdot", "dotted") and line["name"]
            else line["name"]
        )
        if line["style"] == "stack":
            ax.bar(
                xs,
                ys,
                bottom=[floor.get(x, 0) for x in xs],
                color=color,
                width=1,
                edgecolor=PAPER,
                linewidth=0.5,
                label=name,
            )
            floor |= {x: floor.get(x, 0) + y for x, y in points}
        elif line["style"] in ("dots", "crosses"):
            ax.scatter(
                xs,
                ys,
                s=30,
                marker="o" if line["style"] == "dots" else "X",
                color=color,
                label=name,
                clip_on=False,
                zorder=3,
            )
        else:
            ax.plot(xs, ys, linestyle=line["style"], color=color, linewidth=2, label=name)
    for number, (_, y) in enumerate(panel["marks"]):
        ax.axhline(
            y, color=FAINT, linewidth=1, linestyle=(0, (1, 2 + number)), label=f"{panel['marks'][number][0]} {y:.0f}"
        )
    ax.set(xlim=(-0.5, iterations + 0.5), ylim=(panel["low"], panel["high"]))
    ax.set_facecolor(CARD)
    ax.set_title(panel["title"], fontsize=10, color=INK, loc="left", pad=4)
    ax.xaxis.get_major_locator().set_params(integer=True)
    ax.tick_params(colors=INK, labelsize=10, length=3)
    ax.grid(axis="y", color=GRID, linewidth=0.5, alpha=0.7)
    ax.set_axisbelow(True)
    ax.spines[["top", "right"]].set_visible(False)
    if any(line["name"] for line in panel["series"]):
        ncols = 1 if max(len(text) for text in ax.get_legend_handles_labels()[1]) > 12 else 3
        below = dict(loc="upper left", bbox_to_anchor=(-0.12, -0.12), ncols=ncols, frameon=False, borderpad=0)
        ax.legend(
            **below,
            fontsize=10,
            labelcolor=INK,
            handlelength=1.1,
            handletextpad=0.4,
            columnspacing=0.8,
            labelspacing=0.2,
        )
