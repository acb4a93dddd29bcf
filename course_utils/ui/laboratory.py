"""Pictures of experiments: curves with the spread of their seeds, a ladder, what the dashboard of a training run would
have shown.
"""

from collections.abc import Callable, Sequence

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from course_utils.games import Game
from course_utils.learning.arena import Player
from course_utils.learning.exam import exam, right_moves
from course_utils.learning.pairs import percent_kept
from course_utils.learning.tournament import points, round_robin, wilson_interval
from course_utils.networks import Network
from course_utils.results import Result, Row
from course_utils.tables import Table
from course_utils.ui.figures import caption, tell
from course_utils.ui.palette import BLUE, FAINT, GRAY, INK, ORANGE, SPARE, TEAL


def curve(
    ax: Axes,
    rows: Sequence[Row],
    x: str,
    y: str | Callable[[Row], float],
    label: str = "",
    color: str = BLUE,
    style: str = "o-",
) -> None:
    """The mean over the seeds, and a band from the lowest to the highest of them."""
    value = (lambda row: row[y]) if isinstance(y, str) else y
    places = sorted({row[x] for row in rows})
    values = [[float(value(row)) for row in rows if row[x] == place] for place in places]
    ax.fill_between(
        places,
        [min(values_at) for values_at in values],
        [max(values_at) for values_at in values],
        color=color,
        alpha=0.15,
        linewidth=0,
    )
    ax.plot(places, [np.mean(values_at) for values_at in values], style, color=color, label=label, markersize=4)
    ax.xaxis.set_major_locator(MaxNLocator(integer=True))


def draw_what_search_adds(game: Game, networks: dict[str, Network], simulations: Sequence[int]) -> Figure:
    """The share of right moves in the game's exam, for each network alone (0 simulations) and with a search.

    All positions are searched at once (`batched_search`); the moves are those of `mcts_search`.
    """
    figure, ax = plt.subplots(figsize=(7, 4.2), layout="constrained")
    for (name, network), style, color in zip(networks.items(), ("-o", "--s", "-.^"), (BLUE, TEAL, ORANGE), strict=True):
        shares = [100 * right_moves(game, network, exam(game.name), count) for count in simulations]
        ax.plot(range(len(shares)), shares, style, color=color, linewidth=2, label=name)
        for place, share in enumerate(shares):
            ax.annotate(
                f"{share:.1f}", (place, share), (7, -11), textcoords="offset points", color=color, fontweight="bold"
            )
    ax.set(xlabel="simulations (0: the network alone)", ylabel="right moves in the exam, %", ylim=(25, 103))
    ax.set_xticks(range(len(simulations)), [str(count) for count in simulations])
    ax.legend(loc="lower right")
    caption("Right moves in the exam by simulations, for each network: what search adds to it.")
    return figure


def draw_points(game: Game, players: dict[int, Player], openings: list) -> Figure:
    """A table of iterations, each against each: the points of the row against the column, in percent."""
    scores = round_robin(game, {str(number): player for number, player in players.items()}, openings)
    names = [str(number) for number in players]
    table = np.array([[100 * points(scores[a, b]) if a != b else np.nan for b in names] for a in names])
    figure, ax = plt.subplots(figsize=(5.6, 4), layout="constrained")
    ax.imshow(table, cmap="Blues", vmin=0, vmax=170)
    for (row, column), number in np.ndenumerate(table):
        if row != column:
            ax.text(column, row, f"{number:.0f}", ha="center", va="center")
    ax.set(xticks=range(len(names)), xticklabels=names, yticks=range(len(names)), yticklabels=names)
    ax.set(title="points of the row against the column, %", xlabel="iteration", ylabel="iteration")
    caption("Iterations of the training run against each other.")
    return figure


def draw_patients(patients: dict[str, Sequence[Row]], healthy: Sequence[Row]) -> Figure:
    """What the dashboard shows of training runs, a row a patient, a column a curve; the healthy run in gray on each.

    "different" is the share of different positions among all that an iteration stored.
    """
    shown: list[tuple[str, Callable[[Row], float]]] = [
        ("policy loss", lambda row: row["policy_loss"]),
        ("value loss", lambda row: row["value_loss"]),
        ("draws", lambda row: row["draws"] / (row["first_wins"] + row["draws"] + row["second_wins"])),
        ("first wins", lambda row: row["first_wins"] / (row["first_wins"] + row["draws"] + row["second_wins"])),
        ("different", lambda row: row["different"] / row["examples"]),
        ("start's value", lambda row: row["start_value"]),
    ]
    figure, axes = plt.subplots(
        len(patients),
        len(shown),
        figsize=(9.5, 1.1 * len(patients)),
        sharex=True,
        sharey="col",
        layout="constrained",
        squeeze=False,
    )
    for row, (name, rows) in zip(axes, patients.items(), strict=True):
        for ax, (_, y) in zip(row, shown, strict=True):
            curve(ax, healthy, "iteration", y, "healthy", GRAY, "-")
            curve(ax, rows, "iteration", y, name, ORANGE, ".-")
        row[0].set_ylabel(name, rotation=0, ha="right", va="center")
    for ax, (title, _) in zip(axes[0], shown, strict=True):
        ax.set_title(title, fontsize=10)
    for ax in axes[-1]:
        ax.set_xlabel("iteration")
        ax.xaxis.set_major_locator(MaxNLocator(3, integer=True))
    ends = {
        name: max(rows, key=lambda row: row["iteration"]) for name, rows in {"healthy": healthy, **patients}.items()
    }
    words = [f"{name}: {', '.join(f'{title} {y(end):.2f}' for title, y in shown)}" for name, end in ends.items()]
    tell(figure, f"At the end of each run. {'. '.join(words)}.")
    return figure


def draw_strength(rows: dict[str, Sequence[Row]]) -> Figure:
    """What no dashboard shows: in how many of all positions the network, alone, keeps the value; and the lines it
    loses.
    """
    figure, axes = plt.subplots(1, 2, figsize=(9.5, 3), layout="constrained")
    for (name, some), color, style in zip(
        rows.items(), (GRAY, ORANGE, BLUE, TEAL, INK), ("-", "o-", "s-", "^-", "d-"), strict=False
    ):
        curve(axes[0], some, "iteration", percent_kept, name, color, style)
        curve(axes[1], some, "iteration", lambda row: row["first"] + row["second"], name, color, style)
    axes[0].set(title="moves that keep the value, %", xlabel="iteration")
    axes[1].set(title="losing lines", xlabel="iteration")
    figure.legend(*axes[0].get_legend_handles_labels(), loc="outside right upper")
    return figure


def draw_ladder(
    rows: Sequence[Row], elo_ratings: Callable[[np.ndarray], np.ndarray], rng: np.random.Generator
) -> Figure:
    """The players of a recorded tournament by their ratings, the best at the top.

    The bars hold 95 % of the ratings of fifty tables that chance might have drawn in place of this one.
    """
    names = list(dict.fromkeys(row[side] for row in rows for side in ("one", "other")))
    results = np.zeros((len(names), len(names), 3))  # won, drawn, lost
    for row in rows:
        results[names.index(row["one"]), names.index(row["other"])] += (row["wins"], row["draws"], row["losses"])

    def rate(results: np.ndarray) -> np.ndarray:
        draws = results[..., 1] / 2
        return elo_ratings(results[..., 0] + draws + (results[..., 2] + draws).T)

    games = results.sum(axis=2).astype(int)
    shares = results / np.maximum(games, 1)[..., None]
    shares[games == 0] = (1, 0, 0)
    again = [rate(rng.multinomial(games, shares).astype(float)) for _ in range(50)]
    ratings, (low, high) = rate(results), np.quantile(again, (0.025, 0.975), axis=0)
    order, places = np.argsort(ratings), np.arange(len(names))
    figure, ax = plt.subplots(figsize=(7, 0.27 * len(names) + 0.8), layout="constrained")
    ax.hlines(places, low[order], high[order], color=BLUE, linewidth=2)
    ax.plot(ratings[order], places, "o", color=BLUE, markersize=5)
    ax.set_yticks(places, [names[i] for i in order])
    ax.axvline(0, color=SPARE, zorder=0)
    ax.set_xlabel("Elo, mean 0", color=FAINT)
    ax.grid(axis="x")
    caption("Players of tic-tac-toe by their ratings, with 95 % intervals.")
    return figure


KINDS = (("trained", BLUE, "o-"), ("uniform", INK, "s--"), ("random", ORANGE, "^-"))  # of networks


def draw_draws_by_search(networks: Result, rollouts: Result) -> Figure:
    """Draws as second player against perfect play by simulations: three kinds of networks, and rollouts."""
    figure, ax = plt.subplots(figsize=(7, 3), layout="constrained")
    for kind, color, style in KINDS:
        rows = [row for row in networks.where(variant=kind) if row["simulations"]]
        curve(ax, rows, "simulations", "drawn_second", kind, color, style)
    rows = rollouts.where(side="second")[:5]
    shares = [row["draws"] / 100 for row in rows]
    ax.plot([row["simulations"] for row in rows], shares, "d:", color=TEAL, label="rollouts")
    ax.set(xscale="log", xlabel="simulations per move", title="drawn as second player against perfect play")
    ax.xaxis.set_major_formatter("{x:g}")
    ax.yaxis.set_major_formatter("{x:.0%}")
    ax.legend()
    caption(
        "Draws as second player against perfect play, by simulations: three kinds of networks, and rollouts without "
        "any. The bands go from the lowest to the highest seed."
    )
    return figure


def draw_kinds_of_networks(networks: Result) -> Figure:
    """Good moves and losing lines by simulations, for three kinds of networks."""
    figure, axes = plt.subplots(1, 2, figsize=(8, 3), layout="constrained")
    views: tuple[tuple[str, str | Callable[[Row], float]], ...] = (
        ("moves that keep the value, %", percent_kept),
        ("losing lines", lambda row: row["first"] + row["second"]),
    )
    for ax, (title, y) in zip(axes, views, strict=True):
        for kind, color, style in KINDS:
            rows = [row for row in networks.where(variant=kind) if row["simulations"] >= 10]
            curve(ax, rows, "simulations", y, kind, color, style)
        ax.set(title=title, xscale="log", xlabel="simulations per move")
        ax.xaxis.set_major_formatter("{x:g}")
    axes[0].legend()
    caption(
        "Three kinds of networks, by simulations: good moves and losing lines. Bands go from the lowest to the "
        "highest seed."
    )
    return figure


def draw_sets(drawn: dict[str, list[float]], published: dict[str, int]) -> Figure:
    """The games that each set of hyperparameters drew as second player: published (of 50), and a dot for each run of
    ours.
    """
    figure, ax = plt.subplots(figsize=(9, 3), layout="constrained")
    for place, (name, shares) in enumerate(drawn.items()):
        low, high = wilson_interval(published[name], 50)
        ax.vlines(place - 0.15, low, high, color=ORANGE, linewidth=2)
        label, ours = (
            ("published, one run, 50 games", "ours, a dot for each run, exact") if place == 0 else (None, None)
        )
        ax.plot(place - 0.15, published[name] / 50, "s", color=ORANGE, label=label)
        ax.plot([place + 0.15] * len(shares), shares, "o", color=BLUE, alpha=0.7, label=ours)
    ax.set_xticks(range(len(drawn)), list(drawn))
    ax.set(title="drawn as second player against perfect play, 100 simulations", ylim=(-0.03, 1.03))
    ax.yaxis.set_major_formatter("{x:.0%}")
    ax.legend()
    caption(
        "Each set of the thesis, trained again: the games drawn as second player, published (with its 95 % "
        "interval) and ours."
    )
    return figure


def draw_against_control(control: Sequence[Row], changed: Sequence[Row]) -> Figure:
    """The share of moves that keep the value, iteration by iteration: the control, and the runs with one change."""
    figure, ax = plt.subplots(figsize=(6, 2.8), layout="constrained")
    for rows, color, style in ((control, GRAY, "s-"), (changed, BLUE, "o-")):
        curve(ax, rows, "iteration", percent_kept, rows[0]["variant"], color, style)
    ax.set(title="moves that keep the value, network alone, %", xlabel="iteration")
    ax.legend()
    caption("Moves that keep the value, iteration by iteration: the control, and with one thing changed.")
    return figure


def table_of_parts(parts: Result) -> Table:
    """Show what each change to a training costs: good moves, losing lines by seed, processor time."""
    rows = []
    for name in dict.fromkeys(row["variant"] for row in parts.rows):
        alone, searched = (parts.where(variant=name, simulations=count, iteration=12) for count in (0, 25))
        lost = [", ".join(str(row["first"] + row["second"]) for row in ends) for ends in (alone, searched)]
        kept = np.mean([row["kept"] / row["of"] for row in alone])
        seconds = np.mean([row["cpu_seconds"] for row in alone])
        rows.append((name, f"{100 * kept:.1f} %", *lost, f"{seconds:.1f}"))
    head = ("changed", "value kept, alone", "losing lines alone, by seed", "with 25 simulations", "processor seconds")
    return Table(head, rows)


LEARNERS = (
    ("table, epsilon 0.3", "table, 30 % random moves", ORANGE, "s--"),
    ("table, random games", "table, random games", TEAL, "^-."),
    ("AlphaZero", "AlphaZero, alone", BLUE, "o-"),
)


def draw_tables(result: Result) -> Figure:
    """Two tables beside AlphaZero, by games and by seconds: losing lines of tic-tac-toe, and two measures of the larger
    game.
    """
    views: tuple[tuple[str, str, Callable[[Row], float]], ...] = (
        ("tictactoe", "tic-tac-toe: losing lines", lambda row: row["first"] + row["second"]),
        (
            "connect_n:4x5x3",
            "Connect 3: lines not won as first player, %",
            lambda row: 100 * row["not_won_first"] / row["of_first"],
        ),
        ("connect_n:4x5x3", "Connect 3: moves that keep the value, %", percent_kept),
    )
    figure, axes = plt.subplots(3, 2, figsize=(9, 8.5), layout="constrained", sharey="row")
    for (game, title, y), (left, right) in zip(views, axes, strict=True):
        for learner, label, color, style in LEARNERS:
            rows = [row for row in result.where(game=game, learner=learner) if row["games"]]
            curve(left, rows, "games", y, label, color, style)
            curve(right, with_mean_seconds(rows), "seconds", y, label, color, style)
        for ax, by in ((left, "games"), (right, "seconds of processor time")):
            ax.set(xlabel=by, title=title, xscale="log")
            ax.xaxis.set_major_formatter("{x:,g}")
    axes[0, 0].set_yscale("symlog", linthresh=1)
    axes[0, 0].set_yticks([0, 1, 10, 100], ["0", "1", "10", "100"])
    axes[0, 0].set_ylim(-0.2, 700)
    axes[0, 0].legend()
    chance = percent_kept(result.one(game="connect_n:4x5x3", learner="a random move"))
    for ax in axes[2]:
        line = ax.axhline(chance, color=GRAY, linestyle=":", label="a random move")
    axes[2, 0].legend(handles=[line])
    caption(
        "Two tables and AlphaZero, by games on the left and by seconds on the right. The bands go from the lowest "
        "to the highest seed."
    )
    return figure


def with_mean_seconds(rows: Sequence[Row]) -> list[Row]:
    """The same rows, where all seeds have taken as long as they did on average after as many games."""
    taken: dict[int, list[float]] = {}
    for row in rows:
        taken.setdefault(row["games"], []).append(row["seconds"])
    return [dict(row, seconds=np.mean(taken[row["games"]])) for row in rows]


def table_of_weak_spots(result: Result) -> Table:
    """Show the weak spots that the searches found in each agent. A cell has the numbers of the single searches."""
    lines = []
    searched = [row for row in result.rows if row["guide"] != "benchmark"]
    for simulations, width, guide in dict.fromkeys(
        (row["simulations"], row["width"], row["guide"]) for row in searched
    ):
        rows = result.where(simulations=simulations, width=width, guide=guide)
        benchmark = result.one(simulations=simulations, guide="benchmark")
        agent = f"{simulations} simulations" if simulations else "alone"
        asked = np.mean([row["asked"] for row in rows])
        not_won = ", ".join(str(row["drawn"] + row["lost"]) for row in rows)
        blunders = ", ".join(str(row["blunders"]) for row in rows)
        lines.append(
            (agent, f"{benchmark['wrong']} of {benchmark['of']:,}", guide, width, f"{asked:,.0f}", not_won, blunders)
        )
    head = (
        "agent",
        "wrong in the benchmark",
        "led by",
        "width",
        "positions asked",
        "games not won",
        "different mistakes",
    )
    return Table(head, lines)
