"""What is each part of self-play training worth, as strength? Tic-tac-toe, one setting changed at a time."""

from course_utils.learning.proof import tictactoe_key
from course_utils.learning.run import Run
from course_utils.results import Result, Row, table
from lab.experiment import Experiment
from lab.schedules import train_in_lockstep
from lab.shown import each, lost, mean, points, table_of


def measure(seed: int, **changes) -> list[Row]:
    """The network alone after each iteration, and at the end with search."""
    key = tictactoe_key()
    rows: list[Row] = []

    def look(run: Run, simulations: int = 0) -> None:
        report = key.report(key.moves(run.network, simulations))
        rows.append(dict(iteration=len(run.history), simulations=simulations, **report))

    look(train_in_lockstep(seed, look, **changes), 25)
    return rows


PLAIN = dict(  # 12 iterations of 256 games, all from the start
    iterations=12,
    games=256,
    simulations=32,
    noise_fraction=0.25,
    opening_share=0.0,
    root_share=0.0,
    blunder_margin=3.0,  # the outcome itself is the target
    policy_power=1.0,
    window=12,
    steps=100,
)

EXPERIMENT = Experiment(
    question="What is each part of training worth, as strength of the network alone?",
    published="c_puct is tried at 0.5, 1, 1.5 and 3, the temperature for 3 plies; no strength is given",
    measure=measure,
    base=PLAIN,
    variants={
        "plain": {},
        "c_puct 0.5": dict(c_puct=0.5),
        "c_puct 1": dict(c_puct=1.0),
        "c_puct 3": dict(c_puct=3.0),
        "no root noise": dict(noise_fraction=0.0),
        "much root noise": dict(noise_fraction=0.75),
        "greedy from the start": dict(exploratory_plies=0),
        "three exploratory plies": dict(exploratory_plies=3),
        "no symmetries": dict(symmetries="none"),
        "gate instead of average": dict(promotion="gate"),
        "neither gate nor average": dict(average=0.0),
        "8 simulations": dict(simulations=8),
        "128 simulations": dict(simulations=128),
        "random openings": dict(opening_share=0.9, opening_plies=8),
        "all of the course's settings": dict(
            opening_share=0.9, opening_plies=8, root_share=0.5, blunder_margin=0.1, policy_power=2.0
        ),
    },
    quick=dict(iterations=3, games=64, steps=30),
    seeds=range(5),
)


@table_of("parts_of_training")
def strengths(result: Result) -> str:
    lines = []
    for name in each(result.rows, "variant"):
        searched = result.where(variant=name, simulations=25)
        alone = result.where(variant=name, simulations=0, iteration=searched[0]["iteration"])
        lines.append(
            {
                "changed": name,
                "optimal alone, mean, %": f"{mean(map(points, alone)):.1f}",
                "losing lines alone, by seed": ", ".join(str(lost(row)) for row in alone),
                "with 25 simulations": ", ".join(str(lost(row)) for row in searched),
            }
        )
    return table(lines)
