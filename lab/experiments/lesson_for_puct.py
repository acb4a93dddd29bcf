"""The improved policy as a lesson for PUCT: the same search, and its values in place of its visits as the target."""

from course_utils.learning.experiment import short_runs
from course_utils.results import Result, Row, table
from lab.experiment import Experiment
from lab.shown import chosen, each, mean, mean_with_interval, points, table_of


def measure(seed: int, **settings) -> list[Row]:
    """The network alone, at the end of a short run of tic-tac-toe."""
    end = short_runs("", seeds=(seed,), **settings)[-1]
    return [dict(simulations=settings["simulations"], kept=end["kept"], of=end["of"])]


EXPERIMENT = Experiment(
    question="Does a network learn more from the improved policy than from the visits of the same search?",
    published="by far with few simulations, in Go and chess, there with Gumbel search",
    measure=measure,
    base=dict(iterations=8, games=96),
    variants={
        f"{lesson}, {simulations} simulations": dict(simulations=simulations, **changes)
        for simulations in (4, 8, 16, 32)
        for lesson, changes in (("visits", {}), ("improved policy", dict(value_weight=0.3)))
    },
    quick=dict(iterations=2),
    seeds=range(5),
)


@table_of("lesson_for_puct")
def lessons(result: Result) -> str:
    """By simulations: the mean share of right moves after either lesson, and the difference of pairs of seeds."""
    lines: list[Row] = []
    for simulations in each(result.rows, "simulations"):
        visits, improved = (
            [points(row) for row in chosen(result.rows, variant=f"{lesson}, {simulations} simulations")]
            for lesson in ("visits", "improved policy")
        )
        apart = [better - plain for better, plain in zip(improved, visits, strict=True)]
        shares = {"visits, %": f"{mean(visits):.1f}", "improved policy, %": f"{mean(improved):.1f}"}
        difference = mean_with_interval(apart, "{:+.1f} ({:+.1f} to {:+.1f})")
        lines.append({"simulations": simulations, **shares, "difference": difference})
    return table(lines)
