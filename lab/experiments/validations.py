"""The validations that a published course asks for: 100 draws against 10,000 rollouts, first move center, no losses."""

from course_utils.learning.proof import tictactoe_key
from course_utils.results import Row
from lab.experiment import Experiment
from lab.experiments.network_against_rollouts import against
from lab.experiments.network_under_search import network


def measure(seed: int, kind: str, simulations: int, rollouts: int, games: int) -> list[Row]:
    """Rows of games on either side; in each the first move, and the losing lines, which prove or refute the third."""
    key = tictactoe_key()
    net = network(kind, seed)
    moves = key.moves(net, simulations, c_puct=1.5)
    lost = dict(opening=int(moves[0]), first=int(key.lines(moves, 1).losses), second=int(key.lines(moves, -1).losses))
    return [dict(row, **lost) for row in against(net, seed, simulations, rollouts, games)]


EXPERIMENT = Experiment(
    question="Three validations: only draws against 10,000 rollouts; the first move is the center; no losing line?",
    published="asked for, not reported: 100 draws of 100; the center; a human cannot win",
    measure=measure,
    base=dict(simulations=200, rollouts=10_000, games=5),
    variants={"trained": dict(kind="trained"), "random weights": dict(kind="random", games=1)},
    quick=dict(rollouts=100, games=1),
    seeds=range(10),
)
