"""Is how Connect Four learns (`CONNECT_FOUR_TRAINING`) better than how other boards do? A residual network for four in a row on 5 x 5, which is solved."""

from benchmarks.ablations import BASE, graded
from benchmarks.experiment import Experiment
from benchmarks.small_connect import GAME
from course_utils.learning.engine import train
from course_utils.learning.exam import load_positions
from course_utils.learning.training import Run, config_for
from course_utils.results import Row


def measure(seed: int, **changes) -> list[Row]:
    """The champion at the end of a run, alone and with 50 simulations."""
    positions = load_positions(GAME)
    run = Run.start(GAME, config_for(GAME, **changes), seed)
    train(run, workers=0)
    return [graded(run, positions, simulations) for simulations in (0, 50)]


VALUES = dict(value_weight=0.2, policy_power=1.0)
FAST = dict(learning_rate=7e-3, last_learning_rate=4e-4)
HALVES = dict(batch=128, steps=100)

EXPERIMENT = Experiment(
    question="What are the higher rate, the values instead of visits (both Connect Four's), and smaller batches worth?",
    published="",
    measure=measure,
    base=BASE | dict(iterations=12),
    variants={
        "as on other boards": {},
        "a higher rate": FAST,
        "batches of half the size, twice the steps": HALVES,
        "values instead of visits": VALUES,
        "a higher rate and batches of half the size": FAST | HALVES,
        "all three": VALUES | FAST | HALVES,
    },
    quick=dict(iterations=2),
    seeds=range(5),
)
