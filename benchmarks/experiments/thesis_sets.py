"""The thesis' fourteen sets of hyperparameters for tic-tac-toe, each trained several times instead of once."""

from benchmarks.experiment import Experiment
from benchmarks.schedules import train_as_the_thesis
from course_utils.learning.proof import tictactoe_key
from course_utils.results import Row

SETS = {  # learning rate, L2, filters, C, alpha of the noise: draws, we take it of 50 (not printed; its 5.1.1 plays 50 a side)
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
    question="Fourteen sets of hyperparameters, 100 games each: how many games as second player against perfect play are drawn?",
    published="from 13 (B) to 48 (H), of how many games and trainings isn't printed",
    measure=measure,
    base=dict(games=100, self_play_simulations=100, simulations=100),
    variants={name: dict(hyperparameters(name), published=draws) for name, (*_, draws) in SETS.items()},
    quick=dict(self_play_simulations=10, simulations=10),
    seeds=range(5),
)
