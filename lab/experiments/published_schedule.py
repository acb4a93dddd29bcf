"""The published schedules of 20 x 50 and 20 x 100 games, a step after every example, and their panel by iteration."""

from collections.abc import Callable
from operator import itemgetter

import numpy as np

from course_utils.learning.proof import tictactoe_key
from course_utils.results import Row
from lab.experiment import Experiment
from lab.saving import load_result
from lab.schedules import train_with_a_gate
from lab.shown import counted, figure, lost, of, over_seeds, quoted


def measure(seed: int, simulations: int, **settings) -> list[Row]:
    key, rows = tictactoe_key(), []
    center = 4
    for number, step in enumerate(train_with_a_gate(seed, simulations=simulations, **settings), start=1):
        ends = step.examples.outcome[step.examples.ply == 0]  # for the first player
        value, policy = key.evaluated(step.champion)
        epoch = len(step.losses) // settings["epochs"]  # steps
        rows.append(
            dict(
                iteration=number,
                simulations=0,
                games=len(ends),
                examples=len(step.examples),
                first_wins=int((ends > 0).sum()),
                draws=int((ends == 0).sum()),
                second_wins=int((ends < 0).sum()),
                policy_loss_first=round(float(np.mean([loss["policy"] for loss in step.losses[:epoch]])), 4),
                policy_loss=round(float(np.mean([loss["policy"] for loss in step.losses[-epoch:]])), 4),
                value_loss=round(float(np.mean([loss["value"] for loss in step.losses[-epoch:]])), 4),
                accepted=step.accepted,
                gate_wins=step.score.wins,
                gate_draws=step.score.draws,
                gate_losses=step.score.losses,
                center=round(float(policy[0, center]), 4),
                start_value=round(float(value[0]), 4),
                **key.report(key.moves(step.champion, 0)),
            )
        )
    moves = key.moves(step.champion, simulations, settings["c_puct"])
    last = dict(iteration=number, simulations=simulations, opening=int(moves[0]))
    return [*rows, {**last, **key.report(moves)}]


EXPERIMENT = Experiment(
    question="The published schedules: do draws reach 80-100 %, the losses their marks, are late candidates rejected, "
    "and does nothing lose at the end?",
    published="expected: 80-100 % draws by iteration 15-20; policy loss from 2.0-2.5 to 0.5-1.0; value loss under 0.3; "
    "most late candidates rejected",
    measure=measure,
    base=dict(
        iterations=20, games=50, simulations=200, c_puct=1.5, exploratory_plies=3,
        epochs=20, batch=1, learning_rate=0.01, threshold=0.55,
    ),
    variants={"20 x 50": {}, "20 x 100": dict(games=100), "20 x 100, batches of 32": dict(games=100, batch=32)},
    seeds=range(5),
    quick=dict(iterations=2, games=20, simulations=20, epochs=3),
)  # fmt: skip


RUNS = tuple(EXPERIMENT.variants)


@figure
def course_in_rust() -> str:
    """What the course in Rust says is to be expected, and what we measured."""
    result = load_result("published_schedule")
    taught, raw = "taught by 100 games of rollouts", "untrained"

    def rollouts(variant: str, simulations: int, rollouts: int) -> str:
        values = dict(variant=variant, simulations=simulations, rollouts=rollouts)
        words = {"won": "wins", "drawn": "draws", "lost": "losses"}
        return ", ".join(
            f"{word} {counted('network_against_rollouts', name, **values)}" for word, name in words.items()
        )

    def last(value, form: str) -> str:
        return "; ".join(over_seeds(result, value, form, variant=run, simulations=0, iteration=20) for run in RUNS)

    def at_the_end(told: Callable[[Row], object]) -> str:
        rows = [result.where(variant=run, simulations=200) for run in RUNS]
        return "; ".join(", ".join(str(told(row)) for row in some) for some in rows)

    def gate(until: int, after: int, accepted: bool, word: str = "") -> str:
        """Of the candidates of these iterations, those that the gate accepted or rejected."""
        some = [result.where(variant=run, simulations=0) for run in RUNS]
        found = [[row["accepted"] for row in rows if after < row["iteration"] <= until] for rows in some]
        return "; ".join(of(one.count(accepted), len(one)) + word for one in found)

    return quoted([
        ("a taught network against rollouts, 200 iterations each", "section 12", "it should win most games", rollouts(taught, 200, 200)),
        ("the same, 100 against 500", "section 12", "comparable", rollouts(taught, 100, 500)),
        ("an untrained network against rollouts", "section 12", "it should do worse than rollouts (no counts given)", f"200 each: {rollouts(raw, 200, 200)}"),
        ("draws in self-play by iteration 15 to 20, %", "section 14", "80-100", last(lambda row: 100 * row["draws"] / row["games"], "{:.0f}")),
        ("policy loss", "section 14", "from 2.0-2.5 to 0.5-1.0", last("policy_loss", "{:.2f}")),
        ("value loss", "section 14", "under 0.3", last("value_loss", "{:.2f}")),
        ("mean length of a game", "section 14", "5-7", last(lambda row: row["examples"] / row["games"], "{:.1f}")),
        ("prior of the center on the empty board, %", "section 14", "heavily on the center", last(lambda row: 100 * row["center"], "{:.0f}")),
        ("candidates accepted in iterations 1 to 3", "section 13", "every time", gate(3, 0, True)),
        ("late candidates", "sections 13, 14", "mostly rejected; section 13 also: the gate rarely rejects", gate(20, 15, False, " rejected")),
        ("against 10,000 rollouts, 200 iterations", "section 14", "100 of 100 drawn is asked for", f"shipped with the course: {counted('validations', 'draws', variant='trained')} drawn"),
        ("first move, 200 iterations", "section 14", "4, the center", at_the_end(itemgetter("opening"))),
        ("a human cannot win: losing lines, 200 iterations", "section 14", "none is asked for", at_the_end(lost)),
    ])  # fmt: skip
