"""The thesis' fourteen sets of hyperparameters for tic-tac-toe, each trained several times instead of once."""

from statistics import stdev

from course_utils.learning.proof import tictactoe_key
from course_utils.learning.tournament import wilson_interval
from course_utils.results import Result, Row, table
from lab.experiment import Experiment
from lab.saving import load_result
from lab.schedules import train_as_the_thesis
from lab.shown import each, figure, mean, table_of

# learning rate, L2, filters, C, alpha of the noise: draws, we take it of 50 (not printed; its 5.1.1 plays 50 a side)
SETS = {
    "A": (1e-2, 0.0, 16, 1.0, 1.0, 24),
    "B": (1e-3, 0.0, 16, 1.0, 1.0, 13),
    "C": (1e-3, 0.0, 32, 1.0, 1.0, 25),
    "D": (1e-2, 1e-4, 16, 1.0, 1.0, 46),
    "E": (1e-3, 1e-4, 32, 1.0, 1.0, 17),
    "F": (1e-2, 0.0, 32, 1.0, 0.5, 46),
    "G": (1e-3, 0.0, 32, 1.0, 0.5, 34),
    "H": (1e-2, 1e-4, 32, 1.0, 0.5, 48),
    "I": (1e-3, 1e-4, 32, 1.0, 0.5, 47),
    "J": (1e-3, 0.0, 32, 1.2, 0.5, 41),
    "K": (1e-3, 1e-4, 32, 1.2, 0.5, 46),
    "L": (1e-3, 0.0, 32, 0.8, 0.5, 44),
    "M": (1e-3, 1e-4, 32, 0.8, 0.5, 47),
    "N": (1e-3, 1e-4, 64, 1.0, 0.5, 25),
}


def hyperparameters(name: str) -> dict:
    rate, l2, filters, c, alpha, _ = SETS[name]
    return dict(learning_rate=rate, l2=l2, filters=filters, c_puct=c, alpha=alpha)


def measure(seed: int, published: int, simulations: int, **settings) -> list[Row]:
    key = tictactoe_key()
    net = list(train_as_the_thesis(seed=seed, **settings))[-1].net
    rows: list[Row] = []
    at = key.reached(key.perfect, -1)
    for count in (0, simulations):
        moves = key.moves(net, count, c_puct=settings["c_puct"], at=at)
        odds = key.odds(key.plays(moves), key.perfect, -1)
        rows.append(dict(published=published, simulations=count, drawn_second=round(odds.draws, 4)))
    return rows


EXPERIMENT = Experiment(
    question="Fourteen sets of hyperparameters, 100 games each: how many draws as second player against perfect play?",
    published="from 13 (B) to 48 (H), of how many games and trainings isn't printed",
    measure=measure,
    base=dict(games=100, self_play_simulations=100, simulations=100),
    variants={name: dict(hyperparameters(name), published=draws) for name, (*_, draws) in SETS.items()},
    quick=dict(self_play_simulations=10, simulations=10),
    seeds=range(5),
)


@table_of("thesis_sets")
def drawn(result: Result) -> str:
    """What was published with its interval (of 50 games, as we take it), and what each of our runs draws, exactly."""
    lines = []
    for name in each(result.rows, "variant"):
        alone, searched = (result.where(variant=name, simulations=count) for count in (0, 100))
        published = searched[0]["published"]
        low, high = wilson_interval(published, 50)
        lines.append(
            {
                "set": name,
                "learning rate; L2; filters; C; α": "; ".join(f"{value:g}" for value in hyperparameters(name).values()),
                "published, % of 50 (interval)": f"{2 * published} ({100 * low:.0f}-{100 * high:.0f})",
                "here with 100 simulations, %, by seed": ", ".join(
                    f"{100 * row['drawn_second']:.0f}" for row in searched
                ),
                "here alone, %": ", ".join(f"{100 * row['drawn_second']:.0f}" for row in alone),
            }
        )
    return table(lines)


@figure
def sets_spread(which: str) -> float:
    """The standard deviation, in percent, between the seeds of a set, on average, or between the means of the sets."""
    rows = load_result("thesis_sets").where(simulations=100)
    drawn = [[100 * row["drawn_second"] for row in rows if row["variant"] == name] for name in each(rows, "variant")]
    return mean(map(stdev, drawn)) if which == "within" else stdev(map(mean, drawn))
