"""What each part of the training of the notebook 'Connect Four' is worth: runs with one thing changed, five seeds each.

The game is four in a row on 5 x 5, which is solved (`lab/small_connect.py`): so small that short runs come far. All
runs play the same number of games and take the same number of steps, but two: the program of the notebook 'The training
loop', which plays one game after the other, is stopped after about the processor time that the whole training takes;
and the small network has a run that takes as long. Runs with the same seed are pairs.
"""

from course_utils.learning.config import TrainingConfig, config_for
from course_utils.learning.engine import train
from course_utils.learning.exam import load_positions, searched_moves, share_kept
from course_utils.learning.pairs import at_the_end, difference, points_kept
from course_utils.learning.run import Run
from course_utils.networks.fast import FoldedNetwork
from course_utils.networks.policy_value import TorchNetwork
from course_utils.results import Result, Row, table
from lab.experiment import Experiment
from lab.saving import load_result
from lab.shown import each, figure, mean, table_of
from lab.small_connect import GAME, POSITIONS

BASE = dict(
    blocks=2,
    channels=24,
    games=256,
    parts=1,
    first_simulations=None,
    simulations=24,
    steps=50,
    batch=256,
    exploratory_plies=10,
    opening_plies=12,
)


def graded(run: Run, positions: list, simulations: int) -> Row:
    """What the champion is worth now: alone, or with a search that is the same for all."""
    network = TorchNetwork(run.network) if run.config.network == "mlp" else FoldedNetwork(run.network)
    share = share_kept(positions, searched_moves(GAME, network, positions, simulations, c_puct=1.25))["matters"]
    done = dict(
        iteration=len(run.history), seconds=round(run.cpu_seconds, 2), games=sum(e["games"] for e in run.history)
    )
    return dict(done, simulations=simulations, **share._asdict())


def measure(seed: int, untrained: tuple[int, ...], iterations: int, seconds: float, **changes) -> list[Row]:
    """One run, graded alone as it goes, and with 50 simulations at its end.

    Without changes it is that of the notebook 'The training loop', stopped after so many SECONDS.
    """
    rows: list[Row] = []
    positions = load_positions(GAME, POSITIONS)

    def grade(run: Run, *budgets: int) -> None:
        rows.extend(graded(run, positions, simulations) for simulations in budgets)

    def after_iteration(run: Run) -> bool:
        if len(run.history) % 4 == 0 or not changes:
            grade(run, 0)
        return not changes and run.cpu_seconds > seconds

    before = TrainingConfig(iterations=round(seconds / 3.3))  # each takes about so long: the rate falls as it should
    run = Run.start(GAME, config_for(GAME, **changes, iterations=iterations) if changes else before, seed)
    grade(run, *untrained)
    train(run, after_iteration, workers=0)
    grade(run, 50)
    return rows


EXPERIMENT = Experiment(
    question="What is each part of the training of Connect Four worth?",
    published="",
    measure=measure,
    base=dict(untrained=(0,), iterations=12, seconds=27.0),
    variants={
        "the whole training": dict(BASE, untrained=(0, 50)),
        "the small network, no tower": dict(BASE, network="mlp"),
        "the small network, six times the games and steps": dict(BASE, network="mlp", games=6 * 256, steps=6 * 50),
        "no mirror images": dict(BASE, symmetries="none"),
        "the outcome not cut": dict(BASE, blunder_margin=3.0),
        "no root value in the target": dict(BASE, root_share=0.0),
        "the latest network plays, no average": dict(BASE, average=0.0),
        "no random openings": dict(BASE, opening_share=0.0),
        "the training loop's program": {},
    },
    quick=dict(iterations=2, seconds=4.0),
    seeds=range(5),
)


@table_of("ablations")
def worth(result: Result) -> str:
    """Every variant at the end of its runs, and by how many points it differs from the first of them."""
    rows, lines = result.rows, []
    control, *_ = variants = each(rows, "variant")
    for variant in variants:
        ends = at_the_end(rows, variant, 50).values()
        line: Row = {"run": variant, "seeds": len(ends)}
        line["games"] = f"{mean(row['games'] for row in ends):,.0f}"
        line["seconds"] = f"{mean(row['seconds'] for row in ends):.0f}"
        for simulations, name in ((0, "network alone"), (50, "50 simulations")):
            line[f"{name}, %"] = f"{mean(points_kept(rows, variant, simulations).values()):.1f}"
            middle, low, high = difference(rows, variant, control, simulations)
            line[f"{name}, difference"] = "" if variant == control else f"{middle:+.1f} ({low:+.1f} to {high:+.1f})"
        lines.append(line)
    return table(lines)


@figure
def differ(simulations: int) -> str:
    """The variants whose difference from the first is larger than chance explains: its interval leaves out 0."""
    rows = load_result("ablations").rows
    control, *others = each(rows, "variant")
    differences = {variant: difference(rows, variant, control, simulations) for variant in others}
    shown = [f"{name} ({middle:+.1f})" for name, (middle, low, high) in differences.items() if low > 0 or high < 0]
    return "; ".join(shown) or "none"
