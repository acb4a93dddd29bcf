"""The thesis' final run on tic-tac-toe, 1,000 games with its set H: draws, beside those of plain UCT."""

from operator import itemgetter

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.figure import Figure

from course_utils.learning.proof import tictactoe_key
from course_utils.learning.tournament import play_series, wilson_interval
from course_utils.results import Result, Row, table
from course_utils.ui.laboratory import curve
from course_utils.ui.palette import BLUE, GRAY, ORANGE, TEAL
from lab.experiment import Experiment
from lab.experiments.thesis_sets import hyperparameters
from lab.saving import load_result
from lab.schedules import train_as_the_thesis
from lab.shown import each, figure, of, over_seeds, quoted, spread, table_of, total_loss
from lab.uct import GAME, agent, perfect


def measure(seed: int, player: str, budgets: tuple[int, ...], matches: int, c_puct: float, **settings) -> list[Row]:
    """As second player against perfect play. The network's share is exact, that of UCT is counted in so many games."""
    if player == "UCT":
        return [uct(seed, count, matches) for count in (1, *budgets)]
    key, rows = tictactoe_key(), []
    for update in train_as_the_thesis(seed, c_puct=c_puct, **settings):
        losses = {
            f"{name}_loss": round(float(np.mean([loss[name] for loss in update.losses])), 4)
            for name in ("value", "policy")
        }
        checkpoint = update.games % 100 == 0
        for count in (0, *budgets) if update.games == settings["games"] else (0, 100) if checkpoint else (0,):
            moves = key.moves(update.net, count, c_puct, at=key.reached(key.perfect, -1))
            drawn = round(key.odds(key.plays(moves), key.perfect, -1).draws, 4)
            rows.append(dict(games=update.games, simulations=count, drawn_second=drawn, **losses))
    return rows


def uct(seed: int, simulations: int, matches: int) -> Row:
    """The tree is kept between moves, as in the thesis' section 3.4 (it is silent on these matches); C is root 2."""
    score = play_series(GAME, perfect(2 * seed), agent(simulations, 2 * seed + 1), range(matches))
    return dict(games=0, simulations=simulations, drawn_second=score.draws / matches)


EXPERIMENT = Experiment(
    question="The thesis' final run of 1,000 games: how many games as second player against perfect play are drawn?",
    published="with 100 iterations: plain UCT 53 of 100, the agent after its first 100 games 68; "
    "the network alone, after all 87; loss 0.36",
    measure=measure,
    base=dict(player="network", games=1000, budgets=(20, 100, 200), matches=100, **hyperparameters("H")),
    variants={"H": {}, "H, a step an epoch": dict(batch=384), "UCT": dict(player="UCT")},
    seeds=range(5),
    quick=dict(games=100, budgets=(20, 100), matches=2, self_play_simulations=10),
)


@table_of("thesis_run")
def beside_the_text(result: Result) -> str:
    """All figures that the thesis' text prints."""
    runs = ("H", "H, a step an epoch")

    def ours(games: int, simulations: int, value=lambda row: 100 * row["drawn_second"], form="{:.0f}") -> str:
        return "; ".join(
            over_seeds(result, value, form, variant=run, games=games, simulations=simulations) for run in runs
        )

    def uct(count: int) -> str:
        rows = result.where(variant="UCT", simulations=count)
        return of(round(sum(100 * row["drawn_second"] for row in rows)), 100 * len(rows))

    return quoted([
        ("plain UCT, 100 iterations", "5.1.3, figure 5.4a", of(53, 100), uct(100)),
        ("the agent after its first 100 games, 100 iterations", "5.1.3, figure 5.4a", of(68, 100), ours(100, 100)),
        ("the agent after 1,000 games, 100 iterations", "a point of figure 5.4, no number", "-", ours(1000, 100)),
        ("the network alone after 1,000 games (one iteration)", "5.1.3, figure 5.4b", of(87, 100), ours(1000, 0)),
        ("plain UCT, 200 iterations", "5.1.3, figure 5.4b", "under 70 of 100", uct(200)),
        ("loss at the end", "5.1.3, figure 5.2", "around 0.36, wavy", ours(1000, 0, total_loss, "{:.2f}")),
        ("value loss at the end", "5.1.3, figure 5.2", "under 0.1", ours(1000, 0, itemgetter("value_loss"), "{:.2f}")),
    ])  # fmt: skip


@figure
def drawn_by_iterations() -> str:
    """Draws as second player against perfect play: our networks after 1,000 games and plain UCT, by iterations."""
    result, lines = load_result("thesis_run"), []
    for run in each(result.rows, "variant"):
        games = 0 if run == "UCT" else 1000
        line: Row = {"player": run if run == "UCT" else f"set {run}"}
        for count in (1, 20, 100, 200):
            rows = result.where(variant=run, games=games, simulations=count if games == 0 or count > 1 else 0)
            line[f"{count} iterations" if count > 1 else "1 iteration"] = spread(
                100 * row["drawn_second"] for row in rows
            )
        lines.append(line)
    return table(lines)


@figure
def lowest_loss() -> float:
    """Of all updates of the run."""
    return min(total_loss(row) for row in load_result("thesis_run").rows if row["games"])


PRINTED = [(0, 53, "d", "UCT"), (100, 68, "s", "100 iterations"), (1000, 87, "^", "network alone")]  # draws of 100


def draw() -> Figure:
    """The thesis' figures 5.2 and 5.4 for its final run trained again: losses and draws, published and ours."""
    final = load_result("thesis_run")
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
    for games, drawn, mark, label in PRINTED:
        low, high = wilson_interval(drawn, 100)
        error = [[drawn / 100 - low], [high - drawn / 100]]
        axes[1].errorbar(games + 10, drawn / 100, error, fmt=mark, color=ORANGE, label=f"published, {label}")
    axes[0].set(title="loss", xlabel="games", ylim=0)
    axes[1].set(title="drawn as second player against perfect play", xlabel="games", ylim=(0, 1.03))
    axes[1].yaxis.set_major_formatter("{x:.0%}")
    axes[0].legend()
    figure.legend(*axes[1].get_legend_handles_labels(), loc="outside lower center", ncols=3)
    return figure
