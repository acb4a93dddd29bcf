"""Tic-tac-toe trained by visits of PUCT or by Gumbel's improved policy, for the same processor time."""

from course_utils.learning.proof import tictactoe_key
from course_utils.learning.run import Run
from course_utils.results import Result, Row, table
from lab.experiment import Experiment
from lab.schedules import train_in_lockstep
from lab.shown import each, mean, mean_with_interval, points, table_of


def measure(seed: int, at: tuple[float, ...], **changes) -> list[Row]:
    """The network alone in the exam, at the end of the first iteration after each of the moments AT."""
    key = tictactoe_key()
    rows: list[Row] = []

    def look(run: Run) -> bool:
        while len(rows) < len(at) and run.cpu_seconds >= at[len(rows)]:
            moves = key.moves(run.network, 0)
            right = key.optimal[range(len(moves)), moves][key.matters]
            first, second = key.losing_lines(moves)
            done = dict(iteration=len(run.history), games=sum(entry["games"] for entry in run.history))
            seconds = dict(at=at[len(rows)], seconds=round(run.cpu_seconds, 2))
            rows.append(dict(done, **seconds, kept=int(right.sum()), of=len(right), first=first, second=second))
        return len(rows) == len(at)

    train_in_lockstep(seed, look, **changes)
    return rows


EXPERIMENT = Experiment(
    question="Does self-play with Gumbel search teach more than with PUCT, in the same processor time?",
    published="with few simulations by far (2 to 16, in Go and chess); with many they are alike",
    measure=measure,
    base=dict(  # until the time is up; so the learning rate stays as it is
        at=(1.0, 2.0, 4.0, 8.0),
        iterations=1000,
        games=256,
        steps=100,
        learning_rate=3e-3,
        last_learning_rate=3e-3,
    ),
    variants={
        "puct, 32 simulations": dict(simulations=32),
        "puct, 8 simulations": dict(simulations=8),
        "gumbel, 32 simulations": dict(search="gumbel", simulations=32, policy_power=1.0),
        "gumbel, 16 simulations": dict(search="gumbel", simulations=16, policy_power=1.0),
        "gumbel, 8 simulations": dict(search="gumbel", simulations=8, policy_power=1.0),
    },
    quick=dict(at=(0.5, 1.0), games=64),
    seeds=range(5),
)


@table_of("gumbel_training")
def taught(result: Result) -> str:
    """Each variant at each moment: the mean share over the seeds, and its difference from the first variant's."""
    control, *_ = variants = each(result.rows, "variant")
    lines = []
    for variant in variants:
        line: Row = {"self-play": variant}
        for at in each(result.rows, "at"):
            rows, plain = (result.where(at=at, variant=name) for name in (variant, control))
            line[f"after {at:g} s, %"] = f"{mean(map(points, rows)):.1f}"
            if variant != control:
                apart = [points(row) - points(base) for row, base in zip(rows, plain, strict=True)]
                line[f"after {at:g} s, %"] += "; " + mean_with_interval(apart, "{:+.1f} ({:+.1f} to {:+.1f})")
        lines.append(line | {"games in the end": f"{mean(row['games'] for row in rows):,.0f}"})
    return table(lines)
