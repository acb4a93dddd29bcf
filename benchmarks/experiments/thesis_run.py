"""The thesis' final run on tic-tac-toe, 1,000 games with its set H: draws with 100 simulations and without along the way, and plain UCT beside it."""

import numpy as np

from benchmarks.experiment import Experiment
from benchmarks.experiments.thesis_sets import hyperparameters
from benchmarks.schedules import train_as_the_thesis
from benchmarks.uct import GAME, agent, perfect
from course_utils.learning.proof import tictactoe_key
from course_utils.learning.tournament import play_series
from course_utils.results import Row


def measure(seed: int, player: str, budgets: tuple[int, ...], matches: int, c_puct: float, **settings) -> list[Row]:
    """As second player against perfect play. The network's share is exact, that of UCT is counted in so many games."""
    if player == "UCT":
        return [uct(seed, count, matches) for count in (1, *budgets)]
    key, rows = tictactoe_key(), []
    for update in train_as_the_thesis(seed, c_puct=c_puct, **settings):
        losses = {
            f"{name}_loss": round(float(np.mean([loss[name] for loss in update.losses])), 4)
            for name in ("value", "policy")
        }
        checkpoint = update.games % 100 == 0
        for count in (0, *budgets) if update.games == settings["games"] else (0, 100) if checkpoint else (0,):
            moves = key.moves(update.net, count, c_puct, at=key.reached(key.perfect, -1))
            drawn = round(key.odds(key.plays(moves), key.perfect, -1).draws, 4)
            rows.append(dict(games=update.games, simulations=count, drawn_second=drawn, **losses))
    return rows


def uct(seed: int, simulations: int, matches: int) -> Row:
    """The tree is kept from move to move, as in the thesis' section 3.4 (of these matches it doesn't say); C is its root of 2."""
    score = play_series(GAME, perfect(2 * seed), agent(simulations, 2 * seed + 1), range(matches))
    return dict(games=0, simulations=simulations, drawn_second=score.draws / matches)


EXPERIMENT = Experiment(
    question="The thesis' final run of 1,000 games: how many games as second player against perfect play are drawn?",
    published="with 100 iterations: plain UCT 53 of 100, the agent after its first 100 games 68; the network alone, after all 87; loss 0.36",
    measure=measure,
    base=dict(player="network", games=1000, budgets=(20, 100, 200), matches=100, **hyperparameters("H")),
    variants={"H": {}, "H, a step an epoch": dict(batch=384), "UCT": dict(player="UCT")},
    seeds=range(5),
    quick=dict(games=100, budgets=(20, 100), matches=2, self_play_simulations=10),
)
