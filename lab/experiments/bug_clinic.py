"""Broken AlphaZeros, one mistake each, trained as the healthy one is: what there is to see in the curves."""

import numpy as np

from course_utils.exercise import using
from course_utils.learning.config import config_for
from course_utils.learning.proof import tictactoe_key
from course_utils.learning.run import Run
from course_utils.learning.training import train_alphazero
from course_utils.results import Result, Row, table
from course_utils.tests.clinic import CONFIG, HEALTHY, patients
from lab.experiment import Experiment
from lab.shown import lost, points, table_of

KEPT = ("first_wins", "draws", "second_wins", "mean_length", "policy_loss", "value_loss", "start_value")


def measure(seed: int, patient: str, **changes) -> list[Row]:
    """What the dashboard shows after each iteration, and what it doesn't: the network alone in all positions."""
    key, rows = tictactoe_key(), []

    def look(run: Run) -> None:
        entry = run.history[-1]
        newest = run.buffer.examples[-8 * entry["examples"] :].planes
        report = key.report(key.moves(run.network, 0))
        rows.append(
            dict(
                iteration=entry["iteration"],
                **{name: round(entry[name], 4) if isinstance(entry[name], float) else entry[name] for name in KEPT},
                center=round(entry["start_policy"][4], 4),
                different=len(
                    np.unique(newest.reshape(len(newest), -1), axis=0)
                ),  # positions, of all their symmetric forms
                examples=8 * entry["examples"],
                **{name: report[name] for name in ("kept", "of", "first", "second", "drawn_second")},
            )
        )

    run = Run.start(key.game, config_for(key.game, **{**CONFIG, **changes}), seed)
    with using({} if patient == HEALTHY else patients()[patient].versions):
        train_alphazero(run, look)
    return rows


EXPERIMENT = Experiment(
    question="What does each of twelve mistakes look like from outside?",
    published="greedy at temperature 1 and a missing sign, as their author reports them; without curves",
    measure=measure,
    variants={HEALTHY: dict(patient=HEALTHY)} | {number: dict(patient=number) for number in patients()},
    quick=dict(iterations=2, games=5, steps=10),
    seeds=range(1),
)


@table_of("bug_clinic")
def clinic(result: Result) -> str:
    """What each patient has, and how it ends."""
    known, lines = patients(), []
    last = max(row["iteration"] for row in result.rows)
    for row in result.where(iteration=last):
        name, games = row["variant"], row["first_wins"] + row["draws"] + row["second_wins"]
        lines.append(
            {
                "patient": name,
                "mistake": known[name].diagnosis if name in known else "none",
                "losing lines": lost(row),
                "optimal, %": f"{points(row):.1f}",
                "policy loss": f"{row['policy_loss']:.2f}",
                "value loss": f"{row['value_loss']:.2f}",
                "draws in self-play, %": f"{100 * row['draws'] / games:.0f}",
                "different positions, %": f"{100 * row['different'] / row['examples']:.0f}",
                "caught by": f"`tests.test_{known[name].exercise}`" if name in known else "",
            }
        )
    return table(lines)
