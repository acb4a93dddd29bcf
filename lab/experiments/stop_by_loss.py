"""A training of tic-tac-toe that stops as soon as its loss is low, as a thesis' program may: what has it learned?"""

from course_utils.learning.proof import tictactoe_key
from course_utils.learning.run import Run
from course_utils.results import Result, Row, table
from lab.experiment import Experiment
from lab.experiments.parts_of_training import PLAIN
from lab.schedules import train_in_lockstep
from lab.shown import each, lost, mean, table_of, total_loss


def measure(seed: int, limit: float, **changes) -> list[Row]:
    """One row: when the loss (policy and value, mean of an iteration) fell under the limit, and the network alone."""
    key = tictactoe_key()

    def loss(run: Run) -> float:
        learned = run.history and run.history[-1]["policy_loss"] is not None
        return total_loss(run.history[-1]) if learned else float("inf")

    run = train_in_lockstep(seed, lambda run: loss(run) < limit, **changes)
    head = dict(limit=limit, reached=loss(run) < limit, iteration=len(run.history), loss=round(loss(run), 4))
    return [{**head, **key.report(key.moves(run.network, 0)), **key.errors(run.network)}]


LIMITS = (2.0, 1.6, 1.3, 0.36)  # the last is the loss that the thesis reports

EXPERIMENT = Experiment(
    question="Training stopped by its loss: does a low loss say that the network is good?",
    published="training can be stopped by time, games or loss; the loss of the final run is 0.36",
    measure=measure,
    base={**PLAIN, "iterations": 20},
    variants={f"under {limit}": dict(limit=limit) for limit in LIMITS},
    quick=dict(iterations=4, games=64, steps=30),
    seeds=range(5),
)


@table_of("stop_by_loss")
def stops(result: Result) -> str:
    """By the limit of the loss: how many seeds reach it, and what has been learned by then."""
    lines = []
    for name in each(result.rows, "variant"):
        rows = result.where(variant=name)
        lines.append(
            {
                "loss": name,
                "reached": f"{sum(row['reached'] for row in rows)} of {len(rows)} seeds",
                "after iterations": ", ".join(str(row["iteration"]) for row in rows),
                "losing lines, network alone": ", ".join(str(lost(row)) for row in rows),
                "drawn as second player, %": ", ".join(f"{100 * row['drawn_second']:.0f}" for row in rows),
                "cross-entropy against perfect play": f"{mean(row['cross_entropy'] for row in rows):.2f}",
            }
        )
    return table(lines)
