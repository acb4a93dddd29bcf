"""Pictures and tables of "Published results": what was printed beside what was measured here."""

from collections.abc import Callable, Sequence

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.figure import Figure

from course_utils.learning.tournament import wilson_interval
from course_utils.results import Result, Row
from course_utils.tables import Table
from course_utils.ui.figures import caption
from course_utils.ui.laboratory import curve
from course_utils.ui.palette import BLUE, GRAY, INK, ORANGE, TEAL

OUTCOMES = ("wins", "draws", "losses")
Measure = str | Callable[[Row], float]


def lost_lines(row: Row) -> int:
    """The losing lines of a player on both sides."""
    return row["first"] + row["second"]


def shares_with_intervals(rows: Sequence[Row]) -> list[str]:
    """Won, drawn and lost games of several rows together, each with the 95 % interval of its share."""
    counts = [sum(row[name] for row in rows) for name in OUTCOMES]
    ends = [[100 * end for end in wilson_interval(count, sum(counts))] for count in counts]
    return [f"{count} ({low:.0f}-{high:.0f} %)" for count, (low, high) in zip(counts, ends, strict=True)]


def table_against_rollouts(record: Result) -> Table:
    """Games of searches with a network against searches with rollouts."""
    rows = []
    for name in dict.fromkeys(row["variant"] for row in record.rows):
        for count, against in ((200, 200), (100, 500), (100, 1000)):
            found = record.where(variant=name, simulations=count, rollouts=against)
            rows.append((name, f"{count} against {against}", *shares_with_intervals(found)))
    return Table(("network", "its simulations against rollouts", "won", "drawn", "lost"), rows)


def table_of_opponents(record: Result) -> Table:
    """Games of Connect Four against players that have learned nothing, beside those of the thesis."""
    rows = []
    for name in dict.fromkeys(row["variant"] for row in record.rows):
        for side in ("first", "second"):
            found = record.where(variant=name, side=side)
            rows.append((name, side, found[0].get("published") or "", *shares_with_intervals(found)))
    return Table(("players", "moving", "published, wins-losses of 50", "won", "drawn", "lost"), rows)


def table_of_tree_rules(selection: Result, tree: Result) -> Table:
    """Draws as second player against perfect play, by the rule that selects a child and by the way the tree grows."""
    ways = {
        "kept": "one child per simulation, tree kept between moves",
        "thrown away": "one child per simulation, a new tree each move",
        "all children at once": "all children at once, tree kept between moves",
    }
    found = {f"selected by {row['score']}": row for row in selection.where(opponent="perfect play", side="second")}
    found |= {ways[row["variant"]]: row for row in tree.where(side="second")}
    rows = [(name, sum(row[one] for one in OUTCOMES), shares_with_intervals([row])[1]) for name, row in found.items()]
    return Table(("tree search with rollouts", "games", "drawn"), rows)


def draw_final_run(final: Result, published: Sequence[tuple[int, int, str, str]]) -> Figure:
    """The losses of the thesis' final run, trained again, and the games drawn as second player, published and ours.

    published: (games of training, draws of 100, marker, label).
    """
    run = final.where(variant="H")
    alone = [row for row in run if row["simulations"] == 0]
    uct = [row["drawn_second"] for row in final.where(variant="UCT", simulations=100)]
    figure, axes = plt.subplots(1, 2, figsize=(9.5, 3.6), layout="constrained")
    curve(axes[0], alone, "games", "policy_loss", "policy loss", BLUE, "-")
    curve(axes[0], alone, "games", "value_loss", "value loss", TEAL, "-")
    for count, label, color, style in (
        (100, "ours, 100 iterations", BLUE, "o-"),
        (0, "ours, network alone", TEAL, "^-"),
    ):
        rows = [row for row in run if row["simulations"] == count and row["games"] % 100 == 0]
        curve(axes[1], rows, "games", "drawn_second", label, color, style)
    axes[1].axhline(np.mean(uct), color=GRAY, label="ours, UCT with 100 iterations")
    for games, drawn, mark, label in published:
        low, high = wilson_interval(drawn, 100)
        error = [[drawn / 100 - low], [high - drawn / 100]]
        axes[1].errorbar(games + 10, drawn / 100, error, fmt=mark, color=ORANGE, label=f"published, {label}")
    axes[0].set(title="loss", xlabel="games", ylim=0)
    axes[1].set(title="drawn as second player against perfect play", xlabel="games", ylim=(0, 1.03))
    axes[1].yaxis.set_major_formatter("{x:.0%}")
    axes[0].legend()
    figure.legend(*axes[1].get_legend_handles_labels(), loc="outside lower center", ncols=3)
    caption(
        "The final run, trained five times: its losses on the left, the games drawn as second player on the right. Bands go from the lowest to the highest seed, bars are 95 % intervals."
    )
    return figure


def draw_schedules(schedule: Result) -> Figure:
    """The published schedules, trained again: draws in self-play, both losses, and losing lines."""
    figure, axes = plt.subplots(2, 2, figsize=(9.5, 5.2), layout="constrained")
    views: dict[str, Measure] = {
        "draws in self-play": lambda row: row["draws"] / row["games"],
        "policy loss": "policy_loss",
        "value loss": "value_loss",
        "losing lines, network alone": lost_lines,
    }
    variants = {"20 x 50": (ORANGE, "s-"), "20 x 100": (BLUE, "o-"), "20 x 100, batches of 32": (INK, "^:")}
    for ax, (title, y) in zip(axes.flat, views.items(), strict=True):
        for name, (color, style) in variants.items():
            curve(ax, schedule.where(variant=name, simulations=0), "iteration", y, name, color, style)
        ax.set(title=title, xlabel="iteration")
    figure.legend(*axes[0, 0].get_legend_handles_labels(), loc="outside lower center", ncols=3)
    caption(
        "The published schedules with a step after every example, and the longer one with batches of 32. Bands go from the lowest to the highest of five seeds."
    )
    return figure


def draw_nine_measures(along: Sequence[Row]) -> Figure:
    """Nine measures of the same five runs, iteration by iteration."""
    measures: dict[str, Measure] = {
        "fatal moves, %": lambda row: 100 * row["fatal"] / row["could_be"],
        "forks made, %": lambda row: 100 * row["forked"] / row["could_fork"],
        "drawn as second player, %": lambda row: 100 * row["drawn_second"],
        "won against random, %": lambda row: 100 * row["won_random"],
        "won against greedy, %": lambda row: 100 * row["won_greedy"],
        "children per node of the search": "branching",
        "error of the value, squared": "value_error",
        "cross-entropy against perfect play": "cross_entropy",
        "losing lines": lost_lines,
    }
    figure, axes = plt.subplots(3, 3, figsize=(9.5, 6.6), layout="constrained")
    for ax, (title, y) in zip(axes.flat, measures.items(), strict=True):
        curve(ax, along, "iteration", y)
        ax.set(title=title, xlabel="iteration" if ax in axes[-1] else "")
    caption("Nine measures of the same five runs. Bands go from the lowest to the highest seed.")
    return figure


def table_of_stops(stops: Result) -> Table:
    """How many of five runs reach each limit of the loss, after how many iterations, and what they lose by then."""
    rows = []
    for name in dict.fromkeys(row["variant"] for row in stops.rows):
        found = stops.where(variant=name)
        reached = f"{sum(row['reached'] for row in found)} of {len(found)}"
        rows.append((name, reached, _listed(row["iteration"] for row in found), _listed(map(lost_lines, found))))
    return Table(("stop if the loss is", "reached", "iterations, by seed", "losing lines then, network alone"), rows)


def table_of_exploratory_plies(loop: Result) -> Table:
    """What five runs end with, by the plies that self-play draws at temperature 1: of the network alone, and with a search."""
    rows = []
    for schedule in dict.fromkeys(row["schedule"] for row in loop.rows):
        alone, searching = (loop.where(schedule=schedule, iteration=20, simulations=count) for count in (0, 50))
        right = _listed(f"{row['kept'] / row['of']:.1%}" for row in alone)
        rows.append((schedule, right, *(_listed(map(lost_lines, ends)) for ends in (alone, searching))))
    return Table(("schedule", "right alone, by seed", "losing lines alone", "with 50 simulations"), rows)


def table_of_eight_positions(eight: Result) -> Table:
    """How many of five networks play a right move in each position: alone / with 25 simulations."""
    columns = {
        "untrained": ("a run of the course", 0),
        "iteration 2": ("a run of the course", 2),
        "iteration 4": ("a run of the course", 4),
        "iteration 12": ("a run of the course", 12),
        "thesis, 1,000 games": ("the thesis' final run", 1000),
    }
    rows = []
    for name in dict.fromkeys(row["position"] for row in eight.rows):
        cells = []
        for variant, iteration in columns.values():
            asked = eight.where(variant=variant, iteration=iteration, position=name)
            right = [sum(row["right"] for row in asked if row["simulations"] == count) for count in (0, 25)]
            cells.append(f"{right[0]} / {right[1]}")
        rows.append((name, *cells))
    return Table(("position", *columns), rows)


def draw_settings_in_play(play: Result) -> Figure:
    """Draws as second player with 100 simulations, by the temperature in play and by c_puct."""
    figure, axes = plt.subplots(1, 2, figsize=(9.5, 3), layout="constrained", sharey=True)
    kinds = (("trained", BLUE, "o-"), ("after two iterations", TEAL, "s-"), ("no network", INK, "^--"))
    for ax, varied, fixed in (
        (axes[0], "temperature", dict(c_puct=1.5)),
        (axes[1], "c_puct", dict(temperature=0.0)),
    ):
        for kind, color, style in kinds:
            rows = play.where(variant=kind, simulations=100, **fixed)
            curve(ax, rows, varied, "drawn_second", kind, color, style)
        ax.set(title="drawn as second player, 100 simulations", xlabel=varied)
        ax.set_xticks(sorted({row[varied] for row in play.where(**fixed)}))
        ax.yaxis.set_major_formatter("{x:.0%}")
    axes[0].legend()
    caption(
        "Draws as second player against perfect play with 100 simulations, by the temperature in play and by c_puct. The band is that of five networks."
    )
    return figure


def _listed(values) -> str:
    return ", ".join(str(value) for value in values)
